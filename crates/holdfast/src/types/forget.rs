//! Forgetting on request: what, how, how far it reaches, and the receipt.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::event::words;
use super::ids::{EventId, RunId};
use super::scope::{Owner, ScopeId, TaskId};

/// What is to be forgotten of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    Events(Vec<EventId>),
    Session(ScopeId),
    /// With its state and its events.
    Task(TaskId),
    /// Events and memories that have these words, whatever their width, case or script.
    Matching(String),
    /// All there is of the owner.
    Everything,
    /// All there is of the owner, as of every other of its tenant: the tenant's name goes too.
    WholeTenant,
}

impl Selection {
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::Everything | Self::WholeTenant)
    }
}

/// How.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgetting {
    /// Neither found nor cited, and kept for audit: it can be undone.
    Hide,
    /// Gone from every copy: it can't.
    Erase,
}

words!(Forgetting { Hide => "hide", Erase => "erase" });

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forget {
    pub selection: Selection,
    pub how: Forgetting,
    /// Why: it stands in the journal, so it should not say what is forgotten.
    pub reason: String,
    /// More events than this are not touched.
    #[serde(default)]
    pub events_max: Option<u64>,
}

/// How far it reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reach {
    pub events: u64,
    pub tasks: u64,
    /// Tasks that stay, without what came from these events.
    pub tasks_rewritten: u64,
    pub memories: u64,
    /// Memories that stay, on what else speaks for them, or that hold again.
    pub memories_rewritten: u64,
    /// Lines of the journal that lose their text.
    pub operations: u64,
    /// Events that say the same words and were not named: they stay.
    pub also_said: u64,
}

/// What was done, for whoever asked for it. It says nothing of what is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub id: RunId,
    pub at: Timestamp,
    pub how: Forgetting,
    /// Whose it was; after an erasure of all of it, the name that its journal goes by.
    pub owner: Owner,
    /// A keyed hash of the name that went with an owner of whom nothing is kept: who knows the name can ask this store for it, and nobody can
    /// read the name out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    pub reason: String,
    #[serde(flatten)]
    pub reach: Reach,
    /// Every file that was searched at the end, with its size.
    pub scanned: Vec<ScannedFile>,
    /// Pieces of what was erased that were found there and belong to nothing that stays: 0, or it is not done.
    pub left: u64,
    /// Pieces that were found because something that stays says the same.
    pub said_elsewhere: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScannedFile {
    pub file: String,
    pub bytes: u64,
}
