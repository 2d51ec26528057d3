//! Every word that is sent to a model: files beside this one, rendered and hashed here and nowhere else.
//!
//! A file begins with its settings as TOML; `===== system` and `===== user` begin the two messages, and `{{name}}` in the second
//! stands for a value. Values are data of others: they are put in as lines of JSON (`lines`), in which nothing can begin a line of its own,
//! end the text it stands in, or be taken by a server for a mark of its chat template.

mod learn;
mod summarise;

use serde::{Deserialize, Serialize};

use crate::context::is_unseen;
use crate::llm::{Prompt, Schema};

pub use learn::{
    Candidate, EXAMPLE_EVENTS_FROM, Known, LEARN_KEY, LearnInput, ProposedKind, ProposedMemory, Speaker,
    UTTERANCE_CHARS_MAX, Utterance, learn,
};
pub use summarise::{SUMMARISE_KEY, SUMMARISED_CHARS_MAX, Sentence, SummariseInput, summarise};

/// The prompts there are, each with its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// A small question to which any model knows the answer.
    Check,
    /// Events in, memories out.
    Learn,
    /// A text in, fewer of its sentences out.
    Summarise,
}

impl Name {
    pub const ALL: [Self; 3] = [Self::Check, Self::Learn, Self::Summarise];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Learn => "learn",
            Self::Summarise => "summarise",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::Check => include_str!("check.md"),
            Self::Learn => include_str!("learn.md"),
            Self::Summarise => include_str!("summarise.md"),
        }
    }
}

/// What a file says before its messages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    /// Room for the longest reply that is of use.
    max_tokens: u32,
}

const SYSTEM: &str = "===== system\n";
const USER: &str = "===== user\n";

/// The prompt with these values in their places.
fn render(name: Name, values: &[(&str, &str)], schema: Schema) -> Prompt {
    let file = name.file();
    let (settings, messages) = file.split_once(SYSTEM).expect("a prompt has a system message: tested");
    let (system, user) = messages.split_once(USER).expect("a prompt has a user message: tested");
    let settings: Settings = toml::from_str(settings).expect("a prompt's settings are valid: tested");
    Prompt {
        name: name.as_str(),
        hash: blake3::hash(file.as_bytes()).to_hex().to_string(),
        system: system.trim().to_owned(),
        user: filled(user.trim(), values),
        schema: Some(schema),
        max_tokens: settings.max_tokens,
    }
}

/// One pass over the template: what a value says is not looked at, so a value can't name a place.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a place has an end: tested");
        let value = values.iter().find(|(known, _)| *known == name);
        out.push_str(before);
        out.push_str(value.expect("every place has a value: tested").1);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Data of others as lines of JSON. Nothing is lost: a model that copies from a line copies what was said, or an escape for it.
fn lines<T: Serialize>(items: &[T]) -> String {
    if items.is_empty() {
        return "(none)".to_owned();
    }
    let lines = items.iter().map(|item| harmless(&serde_json::to_string(item).expect("these are texts and numbers")));
    lines.collect::<Vec<_>>().join("\n")
}

/// JSON on one line with escapes for what a reader may take for more than text: what can't be seen, ends of lines that JSON doesn't know
/// as such, and the beginnings of tags, comments and chat-template marks (`</x>`, `<|im_end|>`, `<｜User｜>`, `[INST]`).
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (at, c) in json.char_indices() {
        let rest = &json[at + c.len_utf8()..];
        let next = rest.chars().next().unwrap_or(' ');
        let opens = matches!(c, '<' | '＜') && (next.is_ascii_alphabetic() || "/／|｜!?<".contains(next));
        let instructs = c == '[' && ["/", "INST", "SYS", "TOOL", "AVAILABLE"].iter().any(|mark| rest.starts_with(mark));
        if opens || instructs || is_unseen(c) || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// What `llm check` asks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Checked {
    pub colour: String,
    /// The prompt doesn't ask for it, only the schema does: it is there if the service holds the model to the schema.
    pub checked: Option<String>,
}

/// A question to see that a model answers, and whether it is held to a schema.
pub fn check() -> Prompt {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "colour": { "type": "string" },
            "checked": { "type": "string", "enum": ["holdfast"] },
        },
        "required": ["colour", "checked"],
        "additionalProperties": false,
    });
    render(Name::Check, &[], Schema { name: "check", schema })
}

#[cfg(test)]
mod tests;
