//! Events and what was read in them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::*;

/// An event as it is in the log.
#[derive(Serialize, ToSchema)]
pub struct Event {
    /// Its place in the log.
    seq: i64,
    id: String,
    tenant: String,
    user: String,
    agent: String,
    session: String,
    task: Option<String>,
    source: Source,
    kind: Kind,
    /// Without the secrets that were in it; a summary, where the body is in cold storage.
    content: String,
    /// RFC 9557: with its offset, and its zone where the caller named one.
    #[schema(example = "2026-11-09T09:00:00+08:00[Asia/Shanghai]")]
    occurred_at: String,
    #[schema(format = DateTime)]
    recorded_at: String,
    trust: Trust,
    metadata: Option<BTreeMap<String, Value>>,
    idempotency_key: Option<String>,
    redactions: Option<Vec<Redaction>>,
    signals: Signals,
    /// The event before it in the same session.
    predecessor: Option<i64>,
    /// The body is in cold storage, and `content` its summary.
    archived: Option<bool>,
    /// Out of view on request: neither found nor cited.
    hidden: Option<bool>,
    /// What in it no longer holds.
    overturned: Option<Vec<Overturned>>,
}

/// A statement inside an event that was superseded.
#[derive(Serialize, ToSchema)]
pub struct Overturned {
    statement: String,
    /// What holds instead, if anything was said to.
    replaced_by: Option<String>,
    #[schema(format = DateTime)]
    at: String,
}

/// What rules read in an event.
#[derive(Serialize, ToSchema)]
pub struct Signals {
    language: Language,
    manner: Option<Manner>,
    entities: Option<Vec<Entity>>,
    dates: Option<Vec<DateMention>>,
    states: Option<Vec<StateChange>>,
    cues: Option<Vec<Cue>>,
    goes_on: Option<Vec<Span>>,
    feedback: Option<Feedback>,
    corrections: Option<Vec<Correction>>,
    new_values: Option<Vec<NewValue>>,
    instructions: Option<Vec<Instruction>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Zh,
    En,
}

#[derive(Serialize, ToSchema)]
pub struct Manner {
    /// It instructs, and the instruction is meant to last.
    instructs: Option<bool>,
    /// It states what the user likes or wants.
    prefers: Option<bool>,
}

/// A thing named in a text.
#[derive(Serialize, ToSchema)]
pub struct Entity {
    kind: EntityKind,
    text: String,
    /// In normal form.
    value: String,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    Date,
    Number,
    Money,
    Path,
    Url,
    Id,
    Name,
    Task,
    Format,
}

/// A date that is named, and the stretch it stands for.
#[derive(Serialize, ToSchema)]
pub struct DateMention {
    text: String,
    span: Span,
    /// On the event's own clock.
    start: String,
    end: String,
}

#[derive(Serialize, ToSchema)]
pub struct StateChange {
    word: StateWord,
    /// Of which item; none: of the task itself.
    item: Option<String>,
    until: Option<DateMention>,
    /// Said as a wish.
    requested: Option<bool>,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateWord {
    Cancel,
    Postpone,
    Pause,
    Resume,
    Done,
}

/// A sign that the talk turns to a task.
#[derive(Serialize, ToSchema)]
pub struct Cue {
    cue: CueKind,
    topic: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    Continue,
    Switch,
    Request,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    Positive,
    Negative,
}

#[derive(Serialize, ToSchema)]
pub struct Correction {
    old: String,
    new: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct NewValue {
    new: String,
    of: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Instruction {
    standing: Standing,
    text: String,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Standing,
    OneOff,
}

/// An event and the operations on it.
#[derive(Serialize, ToSchema)]
pub struct EventHistory {
    event: Event,
    operations: Vec<Operation>,
}
