//! What is gone, and whether something else still says it.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
// Never iterated.
use foldhash::{HashSet, HashSetExt};
use serde_json::Value;

use crate::text;
use crate::types::ids::EventId;
use crate::types::operation::{Operation, Target};

/// A text that is shorter says too little to be known again inside another: 「好的」 is in half of a log. It is compared as a whole.
const TELLING_BYTES_MIN: usize = 12;

/// A question that has so many bytes in a row of what was said asks about it: six Chinese characters.
const SHARED_BYTES_MIN: usize = 18;

/// Of longer texts together, only so many bytes are known by any part of them; all are known by their sentences.
const PARTS_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Events that are gone, and what they said.
#[derive(Debug)]
pub struct Gone {
    events: BTreeSet<EventId>,
    /// The texts, with a line between: what is a part of one of them is found here.
    whole: String,
    short: BTreeSet<String>,
    /// Each sentence long enough to tell, and each text.
    sentences: Option<AhoCorasick>,
    /// The beginnings of all parts: most texts are none of them, and that is known at once.
    windows: HashSet<[u8; TELLING_BYTES_MIN]>,
}

impl Gone {
    pub fn new<'a>(events: impl IntoIterator<Item = EventId>, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut gone = Self {
            events: events.into_iter().collect(),
            whole: String::new(),
            short: BTreeSet::new(),
            sentences: None,
            windows: HashSet::new(),
        };
        let mut telling: BTreeSet<&str> = BTreeSet::new();
        for said in texts {
            let said = said.trim();
            let sentences = text::sentences(said).into_iter().map(|range| bare(&said[range]));
            for part in sentences.chain([bare(said)]).filter(|part| !part.is_empty()) {
                if part.len() >= TELLING_BYTES_MIN {
                    telling.insert(part);
                } else {
                    gone.short.insert(part.to_owned());
                }
            }
            if gone.whole.len() + said.len() < PARTS_BYTES_MAX {
                gone.whole.push_str(said);
                gone.whole.push('\n');
            }
        }
        let windows = gone.whole.as_bytes().windows(TELLING_BYTES_MIN);
        gone.windows.extend(windows.filter_map(|window| window.first_chunk().copied()));
        gone.sentences = (!telling.is_empty()).then(|| AhoCorasick::new(telling).ok()).flatten();
        gone
    }

    pub fn is_source(&self, event: EventId) -> bool {
        self.events.contains(&event)
    }

    /// Whether a text was drawn from one of the events, or says what one of them said.
    pub fn drew(&self, source: EventId, text: &str) -> bool {
        self.is_source(source) || self.tells(text)
    }

    /// Whether a text says what was said: a whole sentence of it is in there, or it is itself a part of it.
    pub fn tells(&self, text: &str) -> bool {
        let text = bare(text);
        if text.len() < TELLING_BYTES_MIN {
            return self.short.contains(text);
        }
        self.sentences.as_ref().is_some_and(|sentences| sentences.is_match(text)) || self.has_part(text)
    }

    fn has_part(&self, text: &str) -> bool {
        let first: Option<[u8; TELLING_BYTES_MIN]> = text.as_bytes().first_chunk().copied();
        first.is_some_and(|first| self.windows.contains(&first)) && self.whole.contains(text)
    }

    /// Whether a name was taken from what was said, however short it is.
    pub fn named(&self, name: &str) -> bool {
        !name.trim().is_empty() && text::fold(&self.whole).contains(&text::fold(name.trim()))
    }

    /// Whether a line of the journal is about one of the events, or says what one of them said.
    pub fn is_told_by(&self, operation: &Operation) -> bool {
        let about = match operation.target {
            Target::Event(id) => Some(id),
            Target::Task(_) | Target::Session(_) | Target::Memory(_) | Target::Store => None,
        };
        let question = operation.after.as_ref().and_then(|after| after.get("question")).and_then(Value::as_str);
        about.into_iter().chain(operation.cause).any(|id| self.is_source(id))
            || self.tells(&operation.reason)
            || question.is_some_and(|question| self.shares(question))
            || [&operation.before, &operation.after].into_iter().flatten().any(|value| self.is_in(value))
    }

    /// Whether a text has a part of it in it.
    fn shares(&self, text: &str) -> bool {
        let mut in_a_row = 0;
        text.as_bytes().windows(TELLING_BYTES_MIN).any(|window| {
            in_a_row = if window.first_chunk().is_some_and(|w| self.windows.contains(w)) { in_a_row + 1 } else { 0 };
            in_a_row > SHARED_BYTES_MIN - TELLING_BYTES_MIN
        })
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.tells(text),
            Value::Array(values) => values.iter().any(|value| self.is_in(value)),
            Value::Object(fields) => fields.values().any(|value| self.is_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

/// Without what stands around a sentence and is none of its words.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "。.！!？?；;，,、：:".contains(c))
}

/// The placeholders of secrets in a text, without their marks.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('«').skip(1).filter_map(|rest| rest.split_once('»').map(|(placeholder, _)| placeholder))
}
