//! What the manager did, counted from its operations (SPEC 7.3): what it let go, what it saved by that, and what of it looks suspect.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::ids::EventId;
use crate::types::operation::{Operation, Target, Verb};

/// Who the manager's operations are by.
pub const MANAGER: &str = "manager";

/// The manager's share of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManagedReport {
    /// First of all what should be looked at.
    pub suspicious: Vec<Suspicion>,
    /// Runs that did something.
    pub runs: u64,
    /// Looked at in the last of them and left as it was.
    pub kept: u64,
    pub compressed: u64,
    pub compressed_tokens_before: u64,
    pub compressed_tokens_after: u64,
    pub archived: u64,
    pub on_probation: u64,
    pub discarded: u64,
    pub rescued: u64,
    pub promoted: u64,
    pub stage_summaries: u64,
    /// What was not done, by why.
    pub refused: BTreeMap<String, u64>,
    /// Tokens that need not be read any more where these events are served whole.
    pub tokens_saved: u64,
    #[serde(skip)]
    let_go: BTreeMap<EventId, Verb>,
}

/// Something done to an event that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspicion {
    pub event: EventId,
    pub what: String,
}

impl ManagedReport {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Events that a shorter text stands for.
    pub fn rewritten(&self) -> BTreeSet<EventId> {
        self.let_go.iter().filter(|(_, verb)| **verb == Verb::Compress).map(|(event, _)| *event).collect()
    }

    /// Counts one more operation in, whoever did it.
    pub(super) fn count(&mut self, operation: &Operation) {
        let event = if let Target::Event(id) = operation.target { Some(id) } else { None };
        if operation.actor != MANAGER {
            if let (Verb::Unhide | Verb::Restore, Some(event)) = (operation.verb, event) {
                self.taken_back(event, operation);
            }
            return;
        }
        let number = |value: &Option<Value>, key: &str| {
            value.as_ref().and_then(|value| value.get(key)).and_then(Value::as_u64).unwrap_or(0)
        };
        let (before, after) = (number(&operation.before, "tokens"), number(&operation.after, "tokens"));
        let saves = matches!(operation.verb, Verb::Compress | Verb::Archive | Verb::Discard);
        if saves {
            self.tokens_saved += before.saturating_sub(after);
            self.let_go.extend(event.map(|event| (event, operation.verb)));
        }
        match operation.verb {
            Verb::Manage => (self.runs, self.kept) = (self.runs + 1, number(&operation.after, "kept")),
            Verb::Compress => {
                self.compressed += 1;
                self.compressed_tokens_before += before;
                self.compressed_tokens_after += after;
            }
            Verb::Archive => self.archived += 1,
            Verb::Probation => self.on_probation += 1,
            Verb::Discard => self.discarded += 1,
            Verb::Rescue => self.rescued += 1,
            Verb::Promote => self.promoted += 1,
            Verb::Update => self.stage_summaries += 1,
            Verb::Refuse => *self.refused.entry(operation.reason.clone()).or_default() += 1,
            _ => {}
        }
    }

    fn taken_back(&mut self, event: EventId, operation: &Operation) {
        let Some(verb) = self.let_go.get(&event) else { return };
        let what = match verb {
            Verb::Discard => "discarded, and somebody took it back",
            _ => "shortened, and somebody took the whole back",
        };
        self.suspicious.push(Suspicion { event, what: format!("{what}: {}", operation.reason) });
    }
}
