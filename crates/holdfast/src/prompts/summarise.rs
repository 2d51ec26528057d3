//! A text to fewer of its sentences: what the model is shown, and the form of what it may answer. What it answers is untrusted; the
//! faithfulness gate decides.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Name, lines, render};
use crate::llm::{Prompt, Schema};

/// The key the list stands under in a reply.
pub const SUMMARISE_KEY: &str = "sentences";

/// The longest text that is shown, in characters: what a model with a small window can read. Nothing is cut: a model that sees half of a text
/// would sum up half of it.
pub const SUMMARISED_CHARS_MAX: usize = 24_000;

/// Everything the prompt shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct SummariseInput<'a> {
    pub pieces: &'a [String],
    /// How long the whole may be.
    pub characters: usize,
    /// Claims that were tried before, and why each was refused.
    pub refused: &'a [String],
}

/// One sentence of an answer. Fields that are not known here are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    pub text: String,
}

#[derive(Serialize)]
struct Refused<'a> {
    refused: &'a str,
}

/// The prompt over this text.
pub fn summarise(input: &SummariseInput<'_>) -> Prompt {
    let pieces: Vec<Sentence> = input.pieces.iter().map(|text| Sentence { text: text.clone() }).collect();
    let refused: Vec<Refused<'_>> = input.refused.iter().map(|refused| Refused { refused }).collect();
    let (text, refused, characters) = (lines(&pieces), lines(&refused), input.characters.to_string());
    render(Name::Summarise, &[("characters", &*characters), ("text", &*text), ("refused", &*refused)], schema())
}

fn schema() -> Schema {
    let item = json!({
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": { SUMMARISE_KEY: { "type": "array", "items": item } },
        "required": [SUMMARISE_KEY],
        "additionalProperties": false,
    });
    Schema { name: "summary", schema }
}
