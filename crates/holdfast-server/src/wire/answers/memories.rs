//! Long-term memory.

use serde::Serialize;
use utoipa::ToSchema;

use super::*;

/// Something known beyond a task.
#[derive(Serialize, ToSchema)]
pub struct Memory {
    id: String,
    kind: MemoryKind,
    /// Whom or what it is about.
    subject: String,
    /// Which property it gives; empty where it is a text of its own.
    attribute: String,
    aliases: Option<Vec<String>>,
    content: String,
    value: String,
    applies: Applies,
    /// The kind of task, or the task, that it applies to.
    to: Option<String>,
    #[schema(minimum = 1, maximum = 5)]
    importance: u8,
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    status: MemoryStatus,
    version: u64,
    valid_from: String,
    valid_to: Option<String>,
    #[schema(format = DateTime)]
    recorded_at: String,
    #[schema(format = DateTime)]
    retired_at: Option<String>,
    origin: Origin,
    /// Its evidence.
    sources: Vec<Evidence>,
    /// How its confidence moved.
    moves: Option<Vec<Move>>,
    uses: Uses,
    visibility: Visibility,
    /// An order that somebody else's text gives.
    imperative: Option<bool>,
    /// Why it is not active.
    reason: Option<String>,
    superseded_by: Option<String>,
}

worded! {
    MemoryKind: holdfast::types::memory::MemoryKind
}

worded! {
    MemoryStatus: holdfast::types::memory::MemoryStatus
}

worded! {
    Origin: holdfast::types::memory::Origin
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    Everywhere,
    User,
    TaskKind,
    Task,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Private,
    Shared,
}

#[derive(Serialize, ToSchema)]
pub struct Evidence {
    /// None: an operator's word.
    event: Option<String>,
    at: String,
    stance: Stance,
    origin: Origin,
    quote: String,
    task: Option<String>,
}

worded! {
    Stance: holdfast::types::memory::Stance
}

#[derive(Serialize, ToSchema)]
pub struct Move {
    at: String,
    from: f32,
    to: f32,
    reason: String,
    cause: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Uses {
    served: u32,
    helped: u32,
    hurt: u32,
    hurt_in: Option<Vec<String>>,
}

/// A memory and the operations on it.
#[derive(Serialize, ToSchema)]
pub struct MemoryHistory {
    memory: Memory,
    operations: Vec<Operation>,
}

/// What was learned, and why not the rest.
#[derive(Serialize, ToSchema)]
pub struct Lesson {
    /// Events that were read.
    events: u64,
    changes: Vec<MemoryChange>,
    refused: Vec<MemoryRefused>,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryChange {
    verb: Verb,
    reason: String,
    memory: Memory,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryRefused {
    event: Option<String>,
    quote: String,
    reason: String,
}
