//! A model's reply in, the update it holds out. The reply is untrusted: whatever is wrong with it is said, and changes nothing.

use serde_json::Value;

use crate::types::update::{ACTIONS_MAX, Update};

/// Longest reply looked at, in bytes: an update is a few lines; a megabyte of reply is a runaway.
pub const REPLY_BYTES_MAX: usize = 1024 * 1024;

/// Why a reply holds no update.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseProblem {
    #[error("the reply is empty: an update as JSON is due, {{\"actions\":[…]}}")]
    Empty,
    #[error("the reply is {bytes} bytes long; the limit is {REPLY_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("the reply has no JSON object with \"actions\": end it with {{\"actions\":[…]}}")]
    NoUpdate,
    #[error("the JSON of the update breaks off or is malformed: {reason}")]
    Malformed { reason: String },
    #[error("the reply has {count} different updates: give exactly one")]
    Several { count: usize },
    #[error("action {} of the update: {reason}", index + 1)]
    BadAction { index: usize, reason: String },
    #[error("the update is not valid: {reason}")]
    BadUpdate { reason: String },
}

/// Takes the one update out of a reply: the whole reply, a fenced block, or an object in prose.
pub fn parse_update(reply: &str) -> Result<Update, ParseProblem> {
    if reply.trim().is_empty() {
        return Err(ParseProblem::Empty);
    }
    if reply.len() > REPLY_BYTES_MAX {
        return Err(ParseProblem::TooLong { bytes: reply.len() });
    }
    let found = objects(reply);
    let mut updates: Vec<Value> = Vec::new();
    let mut problem = None;
    for candidate in found {
        match candidate {
            Ok(value) if is_update(&value) && !updates.contains(&value) => updates.push(value),
            Ok(_) => {}
            Err(reason) => problem = problem.or(Some(reason)),
        }
    }
    match (updates.len(), problem) {
        (0, Some(reason)) => Err(ParseProblem::Malformed { reason }),
        (0, None) => Err(ParseProblem::NoUpdate),
        (1, _) => read(updates.remove(0)),
        (count, _) => Err(ParseProblem::Several { count }),
    }
}

fn is_update(value: &Value) -> bool {
    value.get("actions").is_some()
}

/// Reads action by action, so that the problem names the one it is in.
fn read(value: Value) -> Result<Update, ParseProblem> {
    if let Some(actions) = value.get("actions").and_then(Value::as_array) {
        if actions.len() > ACTIONS_MAX {
            let reason = format!("{} actions; the limit is {ACTIONS_MAX}", actions.len());
            return Err(ParseProblem::BadUpdate { reason });
        }
        for (index, action) in actions.iter().enumerate() {
            if let Err(error) = serde_json::from_value::<crate::types::update::Action>(action.clone()) {
                return Err(ParseProblem::BadAction { index, reason: error.to_string() });
            }
        }
    }
    serde_json::from_value(value).map_err(|error| ParseProblem::BadUpdate { reason: error.to_string() })
}

/// Every outermost JSON object in a text; an object that mentions "actions" and doesn't parse is reported as an error.
fn objects(text: &str) -> Vec<Result<Value, String>> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut failures = 0;
    while let Some(offset) = text[at..].find('{') {
        let start = at + offset;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                found.push(Ok(value));
                at = start + stream.byte_offset().max(1);
            }
            other => {
                if let Some(Err(error)) = other
                    && text[start..].trim_start_matches(['{', ' ', '\n', '\r', '\t']).starts_with("\"actions\"")
                {
                    found.push(Err(error.to_string()));
                }
                failures += 1;
                at = start + 1;
            }
        }
        // A text of a million braces is no reply; each failure may read to the end of the text.
        if failures > BRACES_TRIED_MAX {
            break;
        }
    }
    found
}

/// Prose and code have a few braces before the update; more is noise.
const BRACES_TRIED_MAX: usize = 256;
