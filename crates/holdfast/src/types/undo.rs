//! Undoing: what, how far, and what became of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::{OperationId, RunId};
use super::operation::{JournalEntry, Verb};

/// What is to be undone of an owner's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undoing {
    /// The change of one thing that this operation was a part of.
    Operation(OperationId),
    /// All that was done in a run.
    Run(RunId),
    /// All that was done after a moment.
    To(Timestamp),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {
    pub what: Undoing,
    pub reason: String,
    /// Also what came later and rests on it.
    #[serde(default)]
    pub with_dependants: bool,
}

/// How far it reaches, or reached.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Undone {
    /// The operations that are undone, in their order.
    pub operations: Vec<JournalEntry>,
    /// Later ones that changed the same: undone only together with it.
    pub dependants: Vec<JournalEntry>,
    /// Operations that can't be undone, and why.
    pub refused: Vec<NotUndone>,
    /// Tasks and memories put back, and events taken out of view.
    pub tasks: u64,
    pub memories: u64,
    pub events: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUndone {
    pub operation: OperationId,
    pub verb: Verb,
    pub why: String,
}
