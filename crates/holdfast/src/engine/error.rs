//! What an engine's verb can refuse or fail with, sorted by what the caller can do.

use crate::context::BlockError;
use crate::embedding::EmbedError;
use crate::llm::LlmError;
use crate::manager::Blast;
use crate::redact::Refused;
use crate::store::StoreError;
use crate::types::ids::{EventId, MemoryId, OperationId};
use crate::types::scope::TaskId;
use crate::types::undo::Undone;
use crate::working::{OutOfOrder, ParseProblem, Refusal};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The event is not acceptable: fix it and send it again.
    #[error(transparent)]
    Event(#[from] Refused),
    /// The update does not fit the task as it is.
    #[error(transparent)]
    Update(#[from] Refusal),
    /// A verb came before its turn (SPEC 2.3).
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// A model's reply holds no update that can be read.
    #[error(transparent)]
    Reply(#[from] ParseProblem),
    #[error(transparent)]
    Block(#[from] BlockError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Embedding(#[from] EmbedError),
    #[error(transparent)]
    Llm(#[from] LlmError),
    #[error("there is no task {0} here: list them with `task list`")]
    NoSuchTask(TaskId),
    #[error("there is already a task {0}: choose another id, or go on with it")]
    TaskExists(TaskId),
    #[error("no task was named, and the session is on none: name one, or start one")]
    NoTask,
    #[error("there is no event {0} here")]
    NoSuchEvent(EventId),
    #[error("this was erased on request, and is not taken in again")]
    Erased,
    #[error("say why: the reason stands in the journal")]
    NoReason,
    #[error("there is no operation {0} here: the journal shows them")]
    NoSuchOperation(OperationId),
    #[error("there is nothing to undo: {0}")]
    NothingToUndo(String),
    /// Later operations changed the same.
    #[error("{} later changed the same: look at them in the preview, and undo them too, or leave it", .0.dependants.len())]
    Dependants(Box<Undone>),
    #[error("the manager is at work on this memory already: wait until it is done")]
    ManagerBusy,
    /// Nothing was touched: look at a dry run, and confirm it.
    #[error(transparent)]
    Blast(#[from] Blast),
    #[error("no words were given that could be matched")]
    NoWords,
    #[error(
        "{events} events would be forgotten, and at most {max} may be: look at the preview, and allow more or name fewer"
    )]
    TooMuch { events: u64, max: u64 },
    #[error("there is no memory {0} here: list them with `memory list`")]
    NoSuchMemory(MemoryId),
    #[error("this can't be remembered: {0}")]
    BadMemory(String),
    #[error("{count} events in one call; the limit is {max}: split them")]
    TooManyEvents { count: usize, max: usize },
    #[error(
        "the store's vectors are of {active} and the chosen model is {chosen}: run `holdfast reindex` to change over"
    )]
    OtherModel { active: String, chosen: String },
    #[error("nothing can be indexed again: {0}")]
    NoModel(String),
    #[error("there is no tokenizer {name:?}: use o200k_base or cl100k_base")]
    UnknownTokenizer { name: String },
    #[error(
        "{0} is no placeholder that a secret is kept under here: was it recorded with a redaction key, by this owner?"
    )]
    NoSuchSecret(String),
    #[error("no redaction key is set, so no secret is kept and none can be shown")]
    NoRedactionKey,
    #[error(
        "what is kept under {0} was sealed with another redaction key: give the one that was set when it was recorded"
    )]
    OtherRedactionKey(String),
    #[error("the export could not be written: {0}")]
    Output(#[from] std::io::Error),
}
