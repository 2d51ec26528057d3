//! Events to memories: what the model is shown, and the form of what it may propose. Proposals are untrusted; the gate decides.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use super::{Name, lines, render};
use crate::llm::{Prompt, Schema};

/// The key the list stands under in a reply.
pub const LEARN_KEY: &str = "memories";

/// Longest text of an utterance that is shown; what is said in one breath is in its beginning, and the rest is pasted. How many utterances
/// there are is the caller's to bound: a dozen of this length are about what a small model can read.
pub const UTTERANCE_CHARS_MAX: usize = 1_500;

/// The prompt's examples have event numbers from here on; a batch's stay below. A model too small for the task repeats the examples (SmolLM2 of
/// 135 M does nothing else), and then names an event that was not shown.
pub const EXAMPLE_EVENTS_FROM: u64 = 9_000;

/// Everything the prompt shows.
#[derive(Debug, Clone, Default)]
pub struct LearnInput {
    pub utterances: Vec<Utterance>,
    pub candidates: Vec<Candidate>,
    pub known: Vec<Known>,
}

/// One event. Its number is the caller's, below `EXAMPLE_EVENTS_FROM`: small ones are copied right more often than ids are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Utterance {
    pub event: u64,
    pub by: Speaker,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Agent,
}

/// A statement that rules found in an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub event: u64,
    pub statement: String,
}

/// What is remembered already in a slot that an utterance touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    pub subject: String,
    pub attribute: String,
    pub content: String,
}

/// What a model may say a memory is. Lessons and procedures come from tasks that ended, not from what is told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposedKind {
    Preference,
    Rule,
    Fact,
}

/// A memory as a model proposes it. Fields that are not known here are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedMemory {
    pub kind: ProposedKind,
    pub subject: String,
    pub attribute: String,
    pub content: String,
    /// Left out, it is not standing: the reading that does less harm.
    #[serde(default)]
    pub standing: bool,
    /// The number of the event.
    #[serde(deserialize_with = "number")]
    pub source: u64,
    /// To be found in that event word for word, or the proposal is void.
    pub quote: String,
    #[serde(default = "middling", deserialize_with = "importance")]
    pub importance: u8,
}

const IMPORTANCE: std::ops::RangeInclusive<u64> = 1..=5;

fn middling() -> u8 {
    3
}

/// Models write `"source": "12"` where they should write `12`; that is read, and nothing looser.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number")]
    enum Written {
        Number(u64),
        Text(String),
    }
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(number),
        Written::Text(text) if !text.starts_with('+') => {
            text.parse().map_err(|_| serde::de::Error::custom("expected a number"))
        }
        Written::Text(_) => Err(serde::de::Error::custom("expected a number")),
    }
}

fn importance<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let number = number(deserializer)?;
    match u8::try_from(number) {
        Ok(importance) if IMPORTANCE.contains(&number) => Ok(importance),
        _ => Err(serde::de::Error::custom(format!("{number} is not from 1 to 5"))),
    }
}

/// The prompt over these events.
pub fn learn(input: &LearnInput) -> Prompt {
    let shown: Vec<Utterance> = input.utterances.iter().map(cut).collect();
    let (utterances, candidates, known) = (lines(&shown), lines(&input.candidates), lines(&input.known));
    let values = [("utterances", &*utterances), ("candidates", &*candidates), ("known", &*known)];
    render(Name::Learn, &values, schema())
}

/// A quote that runs into the mark is not found in the event, and void.
fn cut(utterance: &Utterance) -> Utterance {
    let text = match utterance.text.char_indices().nth(UTTERANCE_CHARS_MAX) {
        Some((end, _)) => format!("{} […]", &utterance.text[..end]),
        None => utterance.text.clone(),
    };
    Utterance { text, ..*utterance }
}

/// The form of a reply. Strict as services want it: all fields required, no others, and none of the words that some don't know (`minimum`).
fn schema() -> Schema {
    let properties = json!({
        "kind": { "type": "string", "enum": ["preference", "rule", "fact"] },
        "subject": { "type": "string" },
        "attribute": { "type": "string" },
        "content": { "type": "string" },
        "standing": { "type": "boolean" },
        "source": { "type": "integer" },
        "quote": { "type": "string" },
        "importance": { "type": "integer", "enum": IMPORTANCE.collect::<Vec<_>>() },
    });
    let required: Vec<&String> = properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
    let item =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let schema = json!({
        "type": "object",
        "properties": { LEARN_KEY: { "type": "array", "items": item } },
        "required": [LEARN_KEY],
        "additionalProperties": false,
    });
    Schema { name: "memories", schema }
}
