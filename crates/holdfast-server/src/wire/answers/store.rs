//! Letting go, forgetting, bringing in, and what there is.

use serde::Serialize;
use utoipa::ToSchema;

use super::*;

/// What a run of the manager did, or would do.
#[derive(Serialize, ToSchema)]
pub struct Managed {
    /// Everything it did is undone by this.
    run: String,
    policy: String,
    dry_run: bool,
    events: Vec<ManagedEvent>,
    stage_summaries: Vec<String>,
    /// A dry run that would be stopped, and how to go on.
    blast: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct ManagedEvent {
    event: String,
    seq: i64,
    fate: Fate,
    score: f64,
    reason: String,
    tokens_before: u64,
    tokens_after: u64,
    bytes_before: u64,
    bytes_after: u64,
}

worded! {
    Fate: holdfast::engine::Fate
}

/// How far a forgetting reaches, or the receipt of one that was done: then it has an `id`. Of what is in view again, only `events`.
#[derive(Serialize, ToSchema)]
pub struct Forgotten {
    id: Option<String>,
    #[schema(format = DateTime)]
    at: Option<String>,
    how: Option<Forgetting>,
    owner: Option<Owner>,
    commitment: Option<String>,
    reason: Option<String>,
    events: u64,
    tasks: Option<u64>,
    tasks_rewritten: Option<u64>,
    memories: Option<u64>,
    memories_rewritten: Option<u64>,
    operations: Option<u64>,
    /// Events that say the same words and were not named: they stay.
    also_said: Option<u64>,
    /// The files that were searched at the end.
    scanned: Option<Vec<ScannedFile>>,
    /// Pieces of what was erased that were found there: 0, or it is not done.
    left: Option<u64>,
    said_elsewhere: Option<u64>,
}

worded! {
    Forgetting: holdfast::types::forget::Forgetting
}

#[derive(Serialize, ToSchema)]
pub struct ScannedFile {
    file: String,
    bytes: u64,
}

/// What an import brought in.
#[derive(Serialize, ToSchema)]
pub struct Imported {
    events: u64,
    tasks: u64,
    memories: u64,
    /// There already: left as they are.
    known: u64,
    /// Of the memories: in force where they come from, and waiting for somebody's word here.
    waiting: u64,
    /// What this store does not hold, and why.
    refused: Vec<String>,
    /// How many lines were passed over, and which and why.
    unread: u64,
    not_read: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Archived {
    events: u64,
    bytes_before: u64,
    bytes_after: u64,
}

/// What the store holds, and which model serves.
#[derive(Serialize, ToSchema)]
pub struct Status {
    version: String,
    /// Whose memory is in it, as far as the key opens it.
    owners: Vec<Owner>,
    embedding: EmbeddingStatus,
    /// Only without API keys.
    store: Option<StoreStatus>,
}

#[derive(Serialize, ToSchema)]
pub struct EmbeddingStatus {
    /// The model whose vectors serve questions now.
    serving: Option<ModelId>,
    chosen: Option<ModelId>,
    /// Why search is by words only, or why the chosen model does not serve.
    note: Option<String>,
    progress: Progress,
}

#[derive(Serialize, ToSchema)]
pub struct ModelId {
    name: String,
    dimension: usize,
}

#[derive(Serialize, ToSchema)]
pub struct Progress {
    done: u64,
    total: u64,
}

#[derive(Serialize, ToSchema)]
pub struct StoreStatus {
    location: String,
    schema: u32,
    owners: u64,
    events: u64,
    archived: u64,
    tasks: u64,
    memories: u64,
    operations: u64,
    vectors: u64,
    bytes: u64,
    active_model: Option<ModelId>,
    writable: bool,
    #[schema(format = DateTime)]
    newest_event: Option<String>,
}
