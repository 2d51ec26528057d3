//! Where everything is kept. A `ChangeSet` goes in whole or not at all; candidates, events and tasks come out.
//!
//! A backend knows nothing of ranking, rendering or rules. Every verb that touches a user's data is bound to one `Owner`.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::change::{ChangeSet, Committed, EventVectors, PastKind, SessionState, Trace, Unfinished};
use crate::types::event::{Kind, Overturned, Source, StoredEvent};
use crate::types::forget::ScannedFile;
use crate::types::ids::{EventId, MemoryId, OperationId, RunId, Seq};
use crate::types::memory::{Memory, MemoryFilter};
use crate::types::operation::{JournalEntry, Verb};
use crate::types::probation::OnProbation;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::signals::Manner;
use crate::types::task::Task;

pub mod sqlite;
#[cfg(test)]
pub(crate) mod tests;

/// A backend. All verbs block until done; a commit returns once it is durable.
pub trait Store: Send + Sync + std::fmt::Debug {
    /// Writes the whole change in one transaction, index entries and journal included.
    fn commit(&self, changes: ChangeSet) -> Result<Committed, StoreError>;

    fn event(&self, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, StoreError>;
    /// The events at these positions, in log order; positions without an event are skipped.
    fn events_at(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<StoredEvent>, StoreError>;
    fn events(&self, owner: &Owner, page: &EventPage) -> Result<Vec<StoredEvent>, StoreError>;
    /// The event a known idempotency key led to.
    fn event_by_key(&self, owner: &Owner, key: &str) -> Result<Option<(Seq, EventId)>, StoreError>;
    /// The whole body, from cold storage if it is there.
    fn body(&self, owner: &Owner, seq: Seq) -> Result<Option<String>, StoreError>;

    fn task(&self, owner: &Owner, id: &TaskId) -> Result<Option<Task>, StoreError>;
    /// Most recently active first.
    fn tasks(&self, owner: &Owner, limit: usize) -> Result<Vec<Task>, StoreError>;
    fn session(&self, owner: &Owner, session: &ScopeId) -> Result<Option<SessionState>, StoreError>;
    /// The version an update with this key led to, if it was applied.
    fn update_version(&self, owner: &Owner, task: &TaskId, key: &str) -> Result<Option<u64>, StoreError>;
    /// What is kept of the secret that stood where this placeholder stands.
    fn sealed_secret(&self, owner: &Owner, placeholder: &str) -> Result<Option<Vec<u8>>, StoreError>;

    fn memory(&self, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, StoreError>;
    /// In the order of their ids.
    fn memories(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError>;
    fn memory_state(&self, owner: &Owner) -> Result<MemoryState, StoreError>;
    /// Which events wait to be let go, in log order. Each is there and in view.
    fn probation(&self, owner: &Owner) -> Result<Vec<OnProbation>, StoreError>;

    /// The events whose terms among these weigh most together, and how common each term is.
    fn lexical(&self, owner: &Owner, terms: &[String], filter: &Filter, limit: usize) -> Result<Lexical, StoreError>;
    /// What ranking compares of each of these events; in log order, positions without an event are skipped.
    fn traits(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<Traits>, StoreError>;
    /// How many events happened in `since..until`.
    fn count_between(&self, owner: &Owner, since: Timestamp, until: Timestamp) -> Result<u64, StoreError>;
    /// The best events by the centred cosine of their best passage, best first: the common part of the collection is taken
    /// from both vectors, so that what is left tells texts apart and a cosine near 0 means unrelated under any model.
    fn dense(
        &self,
        owner: &Owner,
        query: &DenseQuery<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(Seq, f32)>, StoreError>;

    /// The centred cosine of these events' best passages; those without vectors are left out.
    fn cosines(&self, owner: &Owner, query: &DenseQuery<'_>, positions: &[Seq]) -> Result<Vec<(Seq, f32)>, StoreError>;

    /// The model whose vectors serve queries.
    fn active_model(&self) -> Result<Option<ModelId>, StoreError>;
    /// Events that have no vectors of this model yet, oldest first.
    fn unembedded(&self, model: &ModelId, limit: usize) -> Result<Vec<Unembedded>, StoreError>;
    /// How many events are covered by vectors of this model, and how many there are.
    fn embedded(&self, model: &ModelId) -> Result<Progress, StoreError>;
    /// Stores vectors, in the order `unembedded` gave the events.
    fn put_vectors(&self, model: &ModelId, vectors: Vec<EventVectors>) -> Result<(), StoreError>;
    /// Lets this model's vectors serve queries and drops all others.
    fn activate_model(&self, model: &ModelId) -> Result<(), StoreError>;

    /// Whether anything was ever erased here.
    fn has_erased(&self) -> Result<bool, StoreError>;
    /// Which of these were erased from the owner's part of the store.
    fn erased(&self, owner: &Owner, traces: &[Trace]) -> Result<Vec<bool>, StoreError>;
    /// An owner's name as a hash under this store's own key; `None`: nothing was ever erased here.
    fn commitment(&self, owner: &Owner) -> Result<Option<String>, StoreError>;
    /// What is marked as holding no longer in the owner's events, in log order.
    fn marks(&self, owner: &Owner) -> Result<Vec<(EventId, Overturned)>, StoreError>;
    /// Erasures that were begun and not ended.
    fn unfinished_erasures(&self) -> Result<Vec<(Owner, Unfinished)>, StoreError>;
    /// The bytes that stand for these events in the store's files.
    fn remains(&self, owner: &Owner, events: &[Seq]) -> Result<Vec<Vec<u8>>, StoreError>;
    /// Empties the write-ahead log, and looks for these bytes in every file of the store.
    fn scrub(&self, remains: &[Vec<u8>]) -> Result<Scrubbed, StoreError>;

    fn journal(&self, owner: &Owner, page: &JournalPage) -> Result<Vec<JournalEntry>, StoreError>;
    /// When the newest of the lines was written that the page selects and whose text the journal's retention dropped.
    fn pruned(&self, owner: &Owner, page: &JournalPage) -> Result<Option<Timestamp>, StoreError>;
    /// What a change found where it wrote.
    fn past_of_change(&self, owner: &Owner, change: i64) -> Result<Vec<Past>, StoreError>;
    /// What the changes of one document found, in their order, from one on.
    fn past_of_document(&self, owner: &Owner, kind: PastKind, key: &str, from: i64) -> Result<Vec<Past>, StoreError>;
    /// All that the owner's changes found, in their order: those after one, whole changes, about so many.
    fn past(&self, owner: &Owner, after: i64, limit: usize) -> Result<Vec<Past>, StoreError>;
    /// Checks every link of the owner's journal: a changed, missing or added line is an error that names it.
    fn verify_journal(&self, owner: &Owner) -> Result<JournalCheck, StoreError>;
    /// What the store is for (prod, test …), if that was said.
    fn environment(&self) -> Result<Option<ScopeId>, StoreError>;
    /// What the backend's own check finds wrong with its files: nothing, if they are sound.
    fn file_faults(&self) -> Result<Vec<String>, StoreError>;

    fn owners(&self) -> Result<Vec<Owner>, StoreError>;
    fn status(&self) -> Result<StoreStatus, StoreError>;
    /// Everything as text, and a check of every invariant on the way: a broken one is an error that names it.
    fn dump(&self, out: &mut dyn Write) -> Result<(), StoreError>;
}

/// Which events, in which order, how many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventPage {
    pub filter: Filter,
    /// Only what comes after this position in the order asked for.
    pub after: Option<Seq>,
    pub newest_first: bool,
    pub limit: usize,
}

/// What of a document was there before a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub change: i64,
    pub kind: PastKind,
    /// Of a task or session its id, of a memory its id, of a probation the event's, of a mark the event and the statement, of a key the
    /// task and the key, of events the first and the last position that were added.
    pub key: String,
    /// `None`: there was none.
    pub before: Option<Value>,
}

/// A journal that verifies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalCheck {
    pub operations: u64,
    /// Of these, so many have lost their text to an erasure; their commitments are there.
    pub erased: u64,
    /// And so many to the journal's retention.
    #[serde(default)]
    pub pruned: u64,
    /// The chain over all of it, hex: kept elsewhere, it shows later that nothing before it was changed.
    pub head: String,
}

/// What the last look through the store's files came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scrubbed {
    pub files: Vec<ScannedFile>,
    /// How many of the pieces looked for are there and belong to nothing that stays.
    pub left: u64,
    /// How many are there because something that stays says the same.
    pub said_elsewhere: u64,
}

/// Where an owner's long-term memory stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryState {
    /// Rises with every change: whoever keeps memories at hand knows by it that theirs are still the ones in the store.
    pub changes: u64,
    /// The log has been learned from up to and with this event.
    pub learned: Seq,
    /// And with a model's help up to and with this one.
    pub induced: Seq,
    /// Whether some of the owner's events are hidden.
    pub hides: bool,
}

/// Which part of the journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalPage {
    pub run: Option<RunId>,
    /// Operations on this event, or caused by it.
    pub event: Option<EventId>,
    pub task: Option<TaskId>,
    pub memory: Option<MemoryId>,
    pub verb: Option<Verb>,
    /// This one alone.
    pub operation: Option<OperationId>,
    /// Written with this commit of the owner's.
    pub change: Option<i64>,
    pub after: Option<i64>,
    pub newest_first: bool,
    pub limit: usize,
}

/// A query as a vector.
#[derive(Debug, Clone, Copy)]
pub struct DenseQuery<'a> {
    pub model: &'a ModelId,
    /// Unit norm.
    pub vector: &'a [f32],
    /// The part that all vectors of this model share, where it is known: it stands in for a small collection's own mean.
    pub common: Option<&'a [f32]>,
}

/// Lexical candidates, best first, with the terms as they were used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lexical {
    pub rows: Vec<(Seq, f32)>,
    /// In the order asked: how many of the owner's rows hold the term. Counting stops once a term is common: it is at least that.
    pub term_rows: Vec<u64>,
    /// Terms that were searched; the others occur nowhere, or are too common to tell rows apart.
    pub used: Vec<bool>,
    /// The owner's rows in all, to turn counts into shares. Nothing here tells of another owner's words.
    pub total_rows: u64,
}

/// The lean view of an event that ranking works on: no body, no JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Traits {
    pub seq: Seq,
    pub id: EventId,
    /// The lexical index entry: a line for each passage, terms joined by single spaces.
    pub terms: String,
    pub source: Source,
    pub kind: Kind,
    pub session: ScopeId,
    /// When it happened, on the clock of its own offset.
    pub local_time: DateTime,
    /// Dates the text names, as days since 1970-01-01, each from its first day to the day after its last.
    pub mentioned_days: Vec<Range<i32>>,
    /// What ranking wants to know of the text's manner.
    pub manner: Manner,
}

/// Which model made a vector. Vectors of different models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelId {
    pub name: String,
    pub dimension: usize,
}

impl std::fmt::Display for ModelId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}-d)", self.name, self.dimension)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Unembedded {
    pub owner: Owner,
    pub event: StoredEvent,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}

/// What a store holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoreStatus {
    pub location: String,
    pub schema: u32,
    pub owners: u64,
    pub events: u64,
    pub archived: u64,
    pub tasks: u64,
    /// Of any status.
    pub memories: u64,
    pub operations: u64,
    pub vectors: u64,
    pub bytes: u64,
    pub active_model: Option<ModelId>,
    pub writable: bool,
    pub newest_event: Option<Timestamp>,
}

/// What can go wrong, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Read again and retry.
    #[error("task {task} is at version {}, not {}: read it again and repeat the update", shown(.actual), shown(.expected))]
    Conflict { task: TaskId, expected: Option<u64>, actual: Option<u64> },
    /// Ask the other process, or wait.
    #[error("{what} was changed meanwhile: read it again and repeat this")]
    Stale { what: String },
    #[error("{} is being written by another process{holder}: stop it, or only read from here", .path.display())]
    Locked { path: PathBuf, holder: String },
    #[error("{} can't be written: {reason}. Give a directory this user may write to with --store or HOLDFAST_STORE", .path.display())]
    NotWritable { path: PathBuf, reason: String },
    #[error("this store was opened for reading only: open it for writing to do this")]
    ReadOnly,
    #[error("there is no store at {}: record something first, or check --store and HOLDFAST_STORE", .path.display())]
    Missing { path: PathBuf },
    #[error("the disk is full: nothing of this change was written. Free some space and repeat it")]
    DiskFull,
    /// Restore a backup.
    #[error("the store is damaged: {detail}. Nothing was changed; restore a backup, or export what can still be read")]
    Corrupt { detail: String },
    /// Name the environment that is meant, or the store of the one that was named.
    #[error("this store is for {is}, not for {asked}")]
    OtherEnvironment { asked: ScopeId, is: ScopeId },
    #[error("this store has schema {found}, and this version reads up to {supported}: use a newer holdfast")]
    TooNew { found: u32, supported: u32 },
    #[error("the vector has {actual} numbers and the model {model} makes {}", .model.dimension)]
    Dimension { model: ModelId, actual: usize },
    #[error("the store failed while {doing}: {source}")]
    Backend {
        doing: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Fix the change: it names what is not there, or holds what can't be kept.
    #[error("the store refuses this: {0}. Nothing of it was written")]
    Refused(String),
    #[error("the store is closing: nothing of this change was written")]
    Closed,
    /// A broken invariant found by `dump`.
    #[error("the store is not valid: {0}")]
    Invalid(String),
}

impl StoreError {
    /// The same failure for another caller it happened to: an error's source can't be copied, its words can.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Conflict { task, expected, actual } => {
                Self::Conflict { task: task.clone(), expected: *expected, actual: *actual }
            }
            Self::Stale { what } => Self::Stale { what: what.clone() },
            Self::Locked { path, holder } => Self::Locked { path: path.clone(), holder: holder.clone() },
            Self::NotWritable { path, reason } => Self::NotWritable { path: path.clone(), reason: reason.clone() },
            Self::ReadOnly => Self::ReadOnly,
            Self::Missing { path } => Self::Missing { path: path.clone() },
            Self::DiskFull => Self::DiskFull,
            Self::Corrupt { detail } => Self::Corrupt { detail: detail.clone() },
            Self::OtherEnvironment { asked, is } => Self::OtherEnvironment { asked: asked.clone(), is: is.clone() },
            Self::TooNew { found, supported } => Self::TooNew { found: *found, supported: *supported },
            Self::Dimension { model, actual } => Self::Dimension { model: model.clone(), actual: *actual },
            Self::Backend { doing, source } => Self::Backend { doing, source: source.to_string().into() },
            Self::Refused(what) => Self::Refused(what.clone()),
            Self::Closed => Self::Closed,
            Self::Invalid(what) => Self::Invalid(what.clone()),
        }
    }
}

fn shown(version: &Option<u64>) -> String {
    version.map_or_else(|| "none".to_owned(), |v| v.to_string())
}
