//! The context block: what the model reads, and the record of what is in it and what was left out.

use serde::{Deserialize, Serialize};

use super::event::words;
use super::ids::{ElementId, EventId, MemoryId};
use super::query::About;
use super::scope::TaskId;
use super::signals::Language;

/// What a block is asked to fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockOptions {
    /// The whole block, fence included, counted by `tokenizer`.
    pub budget_tokens: usize,
    /// The tokenizer the budget is counted with, by name: `o200k_base` or `cl100k_base`.
    pub tokenizer: String,
    /// `None`: the language of the query, or of the task if the query has none.
    pub language: Option<Language>,
}

impl Default for BlockOptions {
    fn default() -> Self {
        Self { budget_tokens: 2_000, tokenizer: "o200k_base".to_owned(), language: None }
    }
}

/// The block as bytes to put into a prompt, and its record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextBlock {
    pub text: String,
    pub tokens: usize,
    pub tokenizer: String,
    /// BLAKE3 of `text`, hex: the same fingerprint means that nothing needs to be sent again.
    pub fingerprint: String,
    /// Length in bytes of the stable prefix: goal, constraints, warnings. It changes only when they do.
    pub prefix_bytes: usize,
    /// BLAKE3 of the stable prefix, hex.
    pub prefix_fingerprint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Why it is that task, or none.
    #[serde(default)]
    pub about: About,
    /// What is in the block, in its order.
    pub served: Vec<Served>,
    /// What was left out, and why.
    pub cut: Vec<Cut>,
    #[serde(skip)]
    pub working: WorkingShare,
}

/// Working memory's share of a block: by it the manager is woken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkingShare {
    pub tokens: usize,
    /// Some of it did not fit.
    pub is_short: bool,
}

/// What a line of the block stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "item")]
pub enum BlockItem {
    /// An element of working memory.
    Element {
        task: TaskId,
        id: ElementId,
    },
    /// An excerpt of an event.
    Event {
        id: EventId,
    },
    Memory {
        id: MemoryId,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    pub section: Section,
    #[serde(flatten)]
    pub item: BlockItem,
    /// Only part of it fitted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    pub section: Section,
    #[serde(flatten)]
    pub item: BlockItem,
    pub reason: String,
}

/// The parts of a block, in their fixed order (SPEC 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Goal,
    Constraints,
    Warnings,
    /// Status and stage, where they say more than "in work".
    State,
    Plan,
    Items,
    Decisions,
    Result,
    Conclusions,
    /// Standing rules and preferences: of long-term memory, whatever the question.
    Rules,
    /// Of the task.
    Facts,
    /// Facts, lessons and procedures of long-term memory that bear on the question.
    Known,
    Excerpts,
    Artifacts,
}

words!(Section {
    Goal => "goal",
    Constraints => "constraints",
    Warnings => "warnings",
    State => "state",
    Plan => "plan",
    Items => "items",
    Decisions => "decisions",
    Result => "result",
    Conclusions => "conclusions",
    Rules => "rules",
    Facts => "facts",
    Known => "known",
    Excerpts => "excerpts",
    Artifacts => "artifacts",
});
