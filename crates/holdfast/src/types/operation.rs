//! The journal's unit: one change (or one serving), with its before, after, reason and cause.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::words;
use super::ids::{EventId, MemoryId, OperationId, RunId};
use super::scope::{Owner, ScopeId, TaskId};

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// An event entered the log.
    Observe,
    /// Secrets were taken out of an event before it was stored.
    Redact,
    /// A task was opened by talk or by a caller.
    OpenTask,
    /// The talk went from one task to another.
    SwitchTask,
    /// Working memory changed by a typed update.
    Update,
    /// A task or an item of it changed state by a state word or an update.
    SetState,
    /// A conclusion or fact was overturned.
    Supersede,
    /// A task ended.
    EndTask,
    /// Something was put into a prompt.
    Serve,
    /// A body moved to cold storage.
    Archive,
    /// A body came back from cold storage.
    Restore,
    /// Vectors were made anew for another model.
    Reindex,
    /// Events came in from an export.
    Import,
    /// An operator was shown what stood where a placeholder stands.
    Reveal,
    /// A memory was written or gained evidence.
    Remember,
    /// A memory was confirmed.
    Confirm,
    /// A memory was denied, rejected or taken back.
    Retract,
    /// A memory has too little to speak for it by now, or was let go.
    Fade,
    /// What served memories did to a task was reported.
    Feedback,
    /// What was proposed as a memory was not made one.
    Refuse,
    /// Something was taken out of view on request, and is kept.
    Hide,
    /// It is in view again.
    Unhide,
    /// Something was taken out of every copy on request.
    Erase,
    /// What was done is undone.
    Undo,
    /// It scored too low to be kept, and waits to be let go.
    Probation,
    /// Something called it back from there.
    Rescue,
    /// Nothing called it back: it is out of view, its body in cold storage.
    Discard,
    /// A checked summary stands for it, its body in cold storage.
    Compress,
    /// What an event says was made a memory.
    Promote,
    /// The manager went through the log, and this is what it came to.
    Manage,
    /// The journal's own retention dropped the text of old lines.
    Prune,
}

words!(Verb {
    Observe => "observe",
    Redact => "redact",
    OpenTask => "open_task",
    SwitchTask => "switch_task",
    Update => "update",
    SetState => "set_state",
    Supersede => "supersede",
    EndTask => "end_task",
    Serve => "serve",
    Archive => "archive",
    Restore => "restore",
    Reindex => "reindex",
    Import => "import",
    Reveal => "reveal",
    Remember => "remember",
    Confirm => "confirm",
    Retract => "retract",
    Fade => "fade",
    Feedback => "feedback",
    Refuse => "refuse",
    Hide => "hide",
    Unhide => "unhide",
    Erase => "erase",
    Undo => "undo",
    Probation => "probation",
    Rescue => "rescue",
    Discard => "discard",
    Compress => "compress",
    Promote => "promote",
    Manage => "manage",
    Prune => "prune",
});

/// What an operation was done to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "target", content = "target_id")]
pub enum Target {
    Event(EventId),
    Task(TaskId),
    Session(ScopeId),
    Memory(MemoryId),
    Store,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    pub id: OperationId,
    pub at: Timestamp,
    /// Who did it: `user`, `agent`, `rules`, `operator` …
    pub actor: String,
    pub verb: Verb,
    #[serde(flatten)]
    pub target: Target,
    pub owner: Owner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    pub reason: String,
    /// The event that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventId>,
    pub run: RunId,
}

/// An operation as the journal gives it back, linked into the chain (SPEC 7.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub position: i64,
    /// The owner's commit that it was written with.
    #[serde(default)]
    pub change: i64,
    #[serde(flatten)]
    pub operation: Operation,
    /// BLAKE3 of the salted operation, hex: still there when the operation's body is erased.
    pub commitment: String,
    /// BLAKE3 of the chain before it and this commitment, hex.
    pub chain: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The target's id once had the name of the operation's own, and no journal could be read.
    #[test]
    fn an_operation_comes_back_as_it_was() {
        let id = uuid::Uuid::from_u128(7);
        for target in [Target::Event(EventId(id)), Target::Task(TaskId::default()), Target::Store] {
            let operation = Operation {
                id: OperationId(id),
                at: Timestamp::UNIX_EPOCH,
                actor: "user".to_owned(),
                verb: Verb::Observe,
                target,
                owner: Owner::default(),
                before: None,
                after: None,
                reason: "said".to_owned(),
                cause: None,
                run: RunId(id),
            };
            let json = serde_json::to_string(&operation).expect("an operation is JSON");
            assert_eq!(serde_json::from_str::<Operation>(&json).expect("and JSON is an operation"), operation);
        }
    }
}
