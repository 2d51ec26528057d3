//! Everything one commit writes. The store applies it whole, in one transaction, or not at all.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::event::{Event, Overturned, Source, words};
use super::ids::{EventId, MemoryId, RunId, Seq};
use super::memory::Memory;
use super::operation::Operation;
use super::probation::OnProbation;
use super::scope::{Owner, ScopeId, TaskId};
use super::signals::Signals;
use super::task::Task;

/// One owner's change: events, the tasks they move, and the operations that say so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeSet {
    pub owner: Owner,
    pub events: Vec<NewEvent>,
    pub tasks: Vec<TaskChange>,
    pub sessions: Vec<SessionState>,
    /// Statements in earlier or new events that no longer hold.
    pub overturned: Vec<(EventId, Overturned)>,
    /// Keys of updates applied by this change, with the version each led to: the same key again changes nothing.
    pub update_keys: Vec<UpdateKey>,
    /// Events whose body moves to cold storage.
    pub archived: Vec<ArchivedBody>,
    /// Events whose body comes back.
    pub restored: Vec<RestoredBody>,
    /// Events that go out of view, or come back into it.
    pub hidden: Vec<Hiding>,
    /// Events that wait to be let go, or need not wait any more. What is hidden by this change waits for nothing.
    pub probation: Vec<ProbationChange>,
    /// What goes for good. First of all, so that what is written beside it finds it gone.
    pub erased: Erased,
    /// What is taken back, and may come again.
    pub withdrawn: Withdrawn,
    /// Lines of the journal, by position, whose text is no longer kept, with what their changes found: they can't be undone any more. Their
    /// commitments stay, and the chain still verifies.
    pub pruned: Vec<i64>,
    /// Secrets that were taken out of what is written here. The first that is kept under a placeholder stays.
    pub secrets: Vec<SealedSecret>,
    pub memories: Vec<MemoryChange>,
    /// How far the log has been learned from with this change.
    pub learned: Option<Learned>,
    /// The same for what a model was asked about.
    pub induced: Option<Learned>,
    pub operations: Vec<Operation>,
}

/// A memory as it is from now on. It changes as a whole, under its version.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryChange {
    pub memory: Memory,
    /// The version it was made from; `None`: it is new. Another version in the store is a conflict.
    pub expected_version: Option<u64>,
}

/// A watermark: the log has been learned from up to and with `through`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    /// The watermark this was worked out from. Another in the store is a conflict.
    pub from: Seq,
    pub through: Seq,
}

/// An event to append, with what the rules read from it and the text its index entries are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub event: Event,
    pub signals: Signals,
    /// Its lexical index entry: `text::index_terms` of what stands for it, joined by single spaces.
    pub terms: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaskChange {
    pub task: Task,
    /// The version it was made from; `None`: the task is new. Another version in the store is a conflict.
    pub expected_version: Option<u64>,
}

/// What a session is on at the moment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SessionState {
    pub session: ScopeId,
    pub task: Option<TaskId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateKey {
    pub task: TaskId,
    pub key: String,
    pub version: u64,
}

/// A body that moves to cold storage; the summary and its terms take its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedBody {
    pub seq: Seq,
    pub summary: String,
    pub terms: String,
}

/// A body that comes back from cold storage, with its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredBody {
    pub seq: Seq,
    pub terms: String,
}

/// An event that is kept, and neither found nor cited while it is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hiding {
    pub seq: Seq,
    pub hidden: bool,
}

/// What becomes of an event's probation. An event that is hidden or gone is on none.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbationChange {
    Put(OnProbation),
    Lift(Seq),
}

/// The kinds of documents whose past is kept, so that a change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PastKind {
    Task,
    Memory,
    /// The task a session is on.
    Session,
    /// A statement that holds no longer.
    Mark,
    /// The key of an update.
    UpdateKey,
    /// Events that were added.
    Events,
    /// An event's probation.
    Probation,
}

words!(PastKind {
    Task => "task",
    Memory => "memory",
    Session => "session",
    Mark => "mark",
    UpdateKey => "update_key",
    Events => "events",
    Probation => "probation",
});

/// What an undo takes back that was not there before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Withdrawn {
    pub tasks: Vec<TaskId>,
    pub memories: Vec<MemoryId>,
    /// By the event and the statement marked.
    pub marks: Vec<(EventId, String)>,
    pub update_keys: Vec<(TaskId, String)>,
}

/// What an erasure takes out of an owner's part of the store (SPEC 8.2). What else knew of it is written anew by the same change, and
/// keyed tombstones of events, tasks and memories stay, so that none of them comes back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Erased {
    /// With their bodies, index entries, vectors and marks.
    pub events: Vec<Seq>,
    pub tasks: Vec<TaskId>,
    pub memories: Vec<MemoryId>,
    pub sessions: Vec<ScopeId>,
    /// Marks in events that stay, by the event and the statement marked.
    pub marks: Vec<(EventId, String)>,
    /// Of events that stay, their signals without what they took from those that go.
    pub signals: Vec<(Seq, Signals)>,
    /// Lines of the journal, by position, whose text goes: their commitments stay, and the chain still verifies.
    pub operations: Vec<i64>,
    /// What documents were, up to a change of each: no undo brings it back.
    pub past: Vec<(PastKind, String, i64)>,
    /// Placeholders whose secrets go, unless what stays has them too.
    pub secrets: Vec<String>,
    /// Events that are found by no word any more: those that go soon, a few at a time, so that the lists of a segment are written anew once
    /// and not with each few.
    pub unindexed: Vec<Seq>,
    /// These events are the last of an owner that goes whole, the newest first: their part of the index goes with them, and is not written anew.
    pub whole: bool,
    /// The owner's name goes too: its journal stays under this one.
    pub renamed: Option<Owner>,
    /// An erasure of several commits is kept with its first, then as what is left of it, and struck off with its last, so that it is finished
    /// after a crash.
    pub unfinished: Option<Unfinished>,
    /// An erasure that is done.
    pub finished: Option<RunId>,
}

/// An erasure that is under way: what is left to do when a process dies over it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    pub id: RunId,
    pub events: Vec<Seq>,
    /// Sessions that go if they have no other events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<ScopeId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed: Option<Owner>,
    /// Lines of the journal that lose their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<i64>,
    /// The journal's newest line when it was worked out which of them tell of it. What was asked since may tell of it too.
    #[serde(default)]
    pub looked_through: i64,
    pub operation: Operation,
}

/// By what something erased is known again, without being kept (SPEC 8.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trace {
    Event(EventId),
    /// An idempotency key.
    Key(String),
    /// The same words of the same source at the same moment.
    Said {
        source: Source,
        at: Timestamp,
        content: String,
    },
    Memory(MemoryId),
    /// A task of this id that was opened at this moment: another of the same name may be begun.
    Task {
        id: TaskId,
        opened_at: Timestamp,
    },
    /// All there was of an owner: it may begin anew.
    Owner,
}

impl Trace {
    /// By which an event would be known.
    pub fn of_event(event: &Event) -> Vec<Self> {
        let said =
            Self::Said { source: event.source, at: event.occurred_at.timestamp(), content: event.content.clone() };
        let key = event.idempotency_key.clone().map(Self::Key);
        [Self::Event(event.id), said].into_iter().chain(key).collect()
    }

    pub fn of_task(task: &Task) -> Self {
        Self::Task { id: task.id.clone(), opened_at: task.opened_at.timestamp() }
    }
}

/// A secret under an operator's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// Without its marks: `card:7f3a9c2e41d0`.
    pub placeholder: String,
    pub sealed: Vec<u8>,
}

/// The vectors of one event under one model: one for each passage, unit norm.
#[derive(Debug, Clone, PartialEq)]
pub struct EventVectors {
    pub owner: Owner,
    pub seq: Seq,
    pub passages: Vec<Vec<f32>>,
}

/// What a commit did with each event, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    pub events: Vec<Appended>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    pub seq: Seq,
    pub id: EventId,
    /// Its idempotency key was known: `id` and `seq` are the first one's, and nothing was written for it.
    pub duplicate: bool,
}
