//! Blocks and hits.

use serde::Serialize;
use utoipa::ToSchema;

use super::*;

/// The block for a prompt, and the record of what is in it.
#[derive(Serialize, ToSchema)]
pub struct ContextBlock {
    /// Goes into the prompt, as data.
    text: String,
    tokens: usize,
    tokenizer: String,
    /// The same fingerprint: nothing needs to be sent again.
    fingerprint: String,
    /// The first bytes of `text` that change only when goal, constraints and warnings do.
    prefix_bytes: usize,
    prefix_fingerprint: String,
    task: Option<String>,
    about: About,
    served: Vec<Served>,
    cut: Vec<Cut>,
}

/// Which task a question is taken to be about, and why.
#[derive(Serialize, ToSchema)]
pub struct About {
    task: Option<TaskName>,
    reason: String,
    /// If it is about none: the open tasks.
    open: Option<Vec<TaskName>>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskName {
    id: String,
    title: String,
}

worded! {
    /// The parts of a block, in their fixed order.
    Section: holdfast::types::context::Section
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockItem {
    Element,
    Event,
    Memory,
}

/// A line of the block.
#[derive(Serialize, ToSchema)]
pub struct Served {
    section: Section,
    item: BlockItem,
    /// Whose element it is.
    task: Option<String>,
    id: String,
    /// Only part of it fitted.
    shortened: Option<bool>,
}

/// What was left out, and why.
#[derive(Serialize, ToSchema)]
pub struct Cut {
    section: Section,
    item: BlockItem,
    task: Option<String>,
    id: String,
    reason: String,
}

/// The answer to a query.
#[derive(Serialize, ToSchema)]
pub struct Recalled {
    route: Route,
    task: Option<String>,
    about: About,
    /// Best first.
    hits: Vec<Hit>,
    /// Only if it was asked for.
    explain: Option<Explain>,
}

worded! {
    /// Which layer answers first.
    Route: holdfast::types::query::Route
}

#[derive(Serialize, ToSchema)]
pub struct Hit {
    found: Found,
    /// Comparable within one answer only.
    score: f32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "layer")]
pub enum Found {
    #[serde(rename = "event")]
    OfLog {
        event: Event,
        /// The parts of its content that bear on the query.
        excerpt: Vec<Span>,
        /// A later event gives another value.
        replaced_by: Option<i64>,
    },
    Fact {
        task: String,
        id: String,
        text: String,
        source: String,
        valid: bool,
    },
    Memory {
        memory: Memory,
        /// In force whatever the question.
        standing: bool,
    },
}

/// Why each candidate was or was not returned.
#[derive(Serialize, ToSchema)]
pub struct Explain {
    route_reason: String,
    filters: Vec<String>,
    terms: Vec<TermNote>,
    time: Option<String>,
    candidates: Vec<CandidateNote>,
    memories: Option<Vec<MemoryNote>>,
    notes: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct TermNote {
    term: String,
    rows: u64,
    used: bool,
}

#[derive(Serialize, ToSchema)]
pub struct CandidateNote {
    seq: i64,
    id: String,
    lexical_rank: Option<u32>,
    lexical_score: Option<f32>,
    dense_rank: Option<u32>,
    dense_score: Option<f32>,
    /// What ranking added or took away, by name.
    parts: Vec<(String, f32)>,
    score: f32,
    verdict: Verdict,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryNote {
    id: String,
    content: String,
    parts: Vec<(String, f32)>,
    score: f32,
    verdict: Verdict,
}

/// What became of a candidate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    Kept,
    CutByLimit,
    BelowThreshold,
    CutByBudget,
    Repeats { other: i64 },
    Overruled { by: String },
    Hidden { reason: String },
}
