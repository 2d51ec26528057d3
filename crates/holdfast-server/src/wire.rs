//! What goes over the wire and is no type of the library as it is, or needs a schema: shared by the command line's `--json`, HTTP and MCP.

/// The schema of a type of the library that is one of some words. The words are listed there, and only there.
macro_rules! worded {
    ($(#[doc = $doc:literal])* $name:ident: $of:ty) => {
        $(#[doc = $doc])*
        #[derive(Debug, serde::Serialize)]
        pub struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let words = <$of>::ALL.iter().map(|word| word.as_str());
                let doc: &[&str] = &[$($doc.trim()),*];
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::Type::String)
                    .description((!doc.is_empty()).then(|| doc.join("\n")))
                    .enum_values(Some(words))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub mod answers;
pub mod requests;

use holdfast::engine::{Lesson, Observed};
use holdfast::learn::{Change, Refusal};
use holdfast::types::event;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

worded! {
    /// Who spoke.
    Source: event::Source
}

worded! {
    /// What sort of thing an event is.
    Kind: event::Kind
}

worded! {
    /// Whether what an event says may be believed.
    Trust: event::Trust
}

/// What an event is taken for when only its source was told.
pub fn kind_of(source: event::Source) -> event::Kind {
    match source {
        event::Source::User => event::Kind::Query,
        event::Source::Agent => event::Kind::Response,
        event::Source::Tool => event::Kind::ToolResult,
        event::Source::System => event::Kind::Note,
    }
}

/// What became of an event.
#[derive(Debug, Serialize, ToSchema)]
pub struct ObservedEvent {
    pub id: String,
    /// Its place in the log.
    pub seq: i64,
    /// Its idempotency key was known: this is the first one, and nothing was written.
    pub duplicate: bool,
    /// The task it belongs to, when that could be told.
    pub task: Option<String>,
    /// Why it was attributed so.
    pub attribution: String,
    /// The talk went to this task with it, and was on another before.
    pub switched: bool,
    /// The task was opened by it.
    pub opened: bool,
    /// What was taken out of it before it was stored.
    pub redactions: Vec<Redaction>,
    /// What changed in the task.
    pub changes: Vec<String>,
    /// States that changed: "release notes: open → paused".
    pub statuses: Vec<String>,
    /// Statements it overturned.
    pub overturned: Vec<String>,
    /// Why the update that came with it was not applied.
    pub refused_update: Option<String>,
    /// An utterance that addressed several tasks is an event for each: the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub also: Vec<ObservedEvent>,
}

/// A kind of secret, and how many of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Redaction {
    pub label: String,
    pub count: u32,
}

pub fn observed(observed: &Observed) -> ObservedEvent {
    ObservedEvent {
        id: observed.id.to_string(),
        seq: observed.seq.0,
        duplicate: observed.duplicate,
        task: observed.task.as_ref().map(ToString::to_string),
        attribution: observed.attribution.clone(),
        switched: observed.switched,
        opened: observed.opened,
        redactions: observed.redactions.iter().map(|r| Redaction { label: r.label.clone(), count: r.count }).collect(),
        changes: observed.changes.clone(),
        statuses: observed.statuses.clone(),
        overturned: observed.overturned.clone(),
        refused_update: observed.refused_update.clone(),
        also: observed.also.iter().map(self::observed).collect(),
    }
}

/// What was learned, and why not the rest.
pub fn lesson(lesson: &Lesson) -> Value {
    learned(lesson.events, &lesson.changes.iter().collect::<Vec<_>>(), &lesson.refused.iter().collect::<Vec<_>>())
}

pub fn learned(events: u64, changes: &[&Change], refused: &[&Refusal]) -> Value {
    let changes: Vec<Value> = changes
        .iter()
        .map(|change| json!({ "verb": change.verb, "reason": change.reason, "memory": change.after }))
        .collect();
    let refused: Vec<Value> = refused
        .iter()
        .map(|refusal| json!({ "event": refusal.event, "quote": refusal.quote, "reason": refusal.reason }))
        .collect();
    json!({ "events": events, "changes": changes, "refused": refused })
}

/// What a person says who wants to go on: in the language they named the work in.
pub fn resume(what: &str) -> String {
    match (what.trim(), holdfast::text::main_language(what)) {
        ("", _) => "Go on where we stopped.".to_owned(),
        (what, holdfast::types::signals::Language::Zh) => format!("接着上次的做：{what}"),
        (what, holdfast::types::signals::Language::En) => format!("Go on where we stopped: {what}"),
    }
}
