//! The journal, reports, undoing.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::*;

/// A line of the journal.
#[derive(Serialize, ToSchema)]
pub struct Operation {
    position: i64,
    /// The owner's commit that it was written with.
    change: i64,
    id: String,
    #[schema(format = DateTime)]
    at: String,
    /// Who did it: user, agent, rules, operator …
    actor: String,
    verb: Verb,
    target: Target,
    target_id: Option<String>,
    owner: Owner,
    before: Option<Value>,
    after: Option<Value>,
    reason: String,
    /// The event that caused it.
    cause: Option<String>,
    run: String,
    commitment: String,
    chain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Event,
    Task,
    Session,
    Memory,
    Store,
}

worded! {
    /// What was done.
    Verb: holdfast::types::operation::Verb
}

/// A journal that verifies.
#[derive(Serialize, ToSchema)]
pub struct JournalCheck {
    operations: u64,
    /// Of these, so many lost their text to an erasure.
    erased: u64,
    /// And so many to the journal's retention.
    pruned: u64,
    /// The chain over all of it: kept elsewhere, it shows later that nothing before it was changed.
    head: String,
}

/// What was done, counted.
#[derive(Serialize, ToSchema)]
pub struct Report {
    operations: u64,
    stored: BTreeMap<String, u64>,
    redacted: BTreeMap<String, u64>,
    tasks: BTreeMap<String, TaskReport>,
    unattributed: u64,
    superseded: Vec<SupersededLine>,
    blocks_served: u64,
    items_served: u64,
    archived: u64,
    archived_bytes_before: u64,
    archived_bytes_after: u64,
    restored: u64,
    hidden: u64,
    erased: u64,
    revealed: u64,
    remembered: u64,
    let_go: u64,
    /// How often, by why.
    refused: BTreeMap<String, u64>,
    managed: Option<ManagedReport>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskReport {
    title: Option<String>,
    events: u64,
    updates: u64,
    states: Vec<String>,
    constraints_touched: u64,
    ended: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct SupersededLine {
    task: Option<String>,
    element: Option<String>,
    old: String,
    new: Option<String>,
    cause: Option<String>,
}

/// The manager's share of a report.
#[derive(Serialize, ToSchema)]
pub struct ManagedReport {
    suspicious: Vec<Suspicion>,
    runs: u64,
    kept: u64,
    compressed: u64,
    compressed_tokens_before: u64,
    compressed_tokens_after: u64,
    archived: u64,
    on_probation: u64,
    discarded: u64,
    rescued: u64,
    promoted: u64,
    stage_summaries: u64,
    refused: BTreeMap<String, u64>,
    tokens_saved: u64,
}

/// Something done to an event that somebody should look at.
#[derive(Serialize, ToSchema)]
pub struct Suspicion {
    event: String,
    what: String,
}

/// How far undoing reaches, or reached.
#[derive(Serialize, ToSchema)]
pub struct Undone {
    operations: Vec<Operation>,
    /// Later ones that changed the same.
    dependants: Vec<Operation>,
    refused: Vec<NotUndone>,
    tasks: u64,
    memories: u64,
    events: u64,
}

#[derive(Serialize, ToSchema)]
pub struct NotUndone {
    operation: String,
    verb: Verb,
    why: String,
}
