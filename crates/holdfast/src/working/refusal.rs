//! Why an update is refused. Each message says what to do instead, because its reader is a model or its developer.

use crate::types::frame::StepStatus;
use crate::types::ids::ElementId;
use crate::types::update::{ACTIONS_MAX, ELEMENTS_MAX, FRAME_DEPTH_MAX};

/// A refused update changes nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "the task is at version {actual}, not {expected}: read it again and send the update with expected_version {actual}"
    )]
    Conflict { expected: u64, actual: u64 },
    #[error("the update has no actions: send at least one, or none at all")]
    NoActions,
    #[error("the update has {count} actions; the limit is {ACTIONS_MAX}: send several updates")]
    TooManyActions { count: usize },
    #[error("there is no {kind} {id} in the frame in hand{}", list_known(.known))]
    UnknownElement { kind: &'static str, id: ElementId, known: Vec<ElementId> },
    #[error("{kind} {id} belongs to a parent of the subtask in hand, which sees it read-only: pop the subtask first")]
    OfParent { kind: &'static str, id: ElementId },
    #[error("no step is in hand: name the step, or take one up with next_step")]
    NoStepInHand,
    #[error("step {step} is in hand: complete, skip or cancel it before taking up another")]
    StepInHand { step: ElementId },
    #[error("no step is left to do: add steps with plan, or end the task")]
    NothingToDo,
    #[error("step {step} is already {}: there is nothing to do for it", word(*.status))]
    AlreadyClosed { step: ElementId, status: StepStatus },
    #[error("complete_step takes the status done, skipped or cancelled, not {}", word(*.status))]
    NotAClosingStatus { status: StepStatus },
    #[error("{kind} {id} no longer holds{}", replacement(.by.as_ref()))]
    AlreadyOverturned { kind: &'static str, id: ElementId, by: Option<ElementId> },
    #[error("decision {id} was already answered: {answer}")]
    AlreadyAnswered { id: ElementId, answer: String },
    #[error("no subtask is in hand: the task itself is closed with end")]
    NoSubtask,
    #[error(
        "{depth} frames are open, which is the limit ({FRAME_DEPTH_MAX}): pop a subtask first, or plan its work as steps"
    )]
    DepthLimit { depth: usize },
    #[error(
        "there are already {ELEMENTS_MAX} elements of the kind {kind}, which is the limit: divide the task into subtasks"
    )]
    TooMany { kind: &'static str },
    #[error("the text of {kind} is empty: give it words, or leave the action out")]
    EmptyText { kind: &'static str },
    #[error(
        "the text of {kind} is {bytes} bytes long; the limit is {limit}: give an extract of what later steps need, \
         the whole stays in the log"
    )]
    TextTooLong { kind: &'static str, bytes: usize, limit: usize },
    #[error("the text of {kind} contains a NUL character: remove it")]
    Nul { kind: &'static str },
    #[error("the new wording of {id} is the old one: nothing would change")]
    SameText { id: ElementId },
    #[error("the task ended: take it up again with set_status open, or open a new one")]
    TaskEnded,
}

impl Refusal {
    /// Which one, in words that are ours: the whole message may repeat what the task holds, and no log may.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::NoActions => "no actions",
            Self::TooManyActions { .. } => "too many actions",
            Self::UnknownElement { .. } => "unknown element",
            Self::OfParent { .. } => "of a parent",
            Self::NoStepInHand => "no step in hand",
            Self::StepInHand { .. } => "a step in hand",
            Self::NothingToDo => "nothing to do",
            Self::AlreadyClosed { .. } => "already closed",
            Self::NotAClosingStatus { .. } => "not a closing status",
            Self::AlreadyOverturned { .. } => "already overturned",
            Self::AlreadyAnswered { .. } => "already answered",
            Self::NoSubtask => "no subtask",
            Self::DepthLimit { .. } => "depth limit",
            Self::TooMany { .. } => "too many elements",
            Self::EmptyText { .. } => "empty text",
            Self::TextTooLong { .. } => "text too long",
            Self::Nul { .. } => "NUL in a text",
            Self::SameText { .. } => "same text",
            Self::TaskEnded => "task ended",
        }
    }
}

/// How many ids an error names before it says "…": enough to find a slip, short enough to read.
const KNOWN_SHOWN: usize = 12;

fn list_known(known: &[ElementId]) -> String {
    if known.is_empty() {
        return "; there are none".to_owned();
    }
    let shown: Vec<&str> = known.iter().rev().take(KNOWN_SHOWN).map(|id| id.0.as_str()).collect();
    let more = if known.len() > KNOWN_SHOWN { ", …" } else { "" };
    format!("; there are: {}{more}", shown.join(", "))
}

fn word(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Todo => "todo",
        StepStatus::Doing => "doing",
        StepStatus::Done => "done",
        StepStatus::Skipped => "skipped",
        StepStatus::Cancelled => "cancelled",
    }
}

fn replacement(by: Option<&ElementId>) -> String {
    by.map(|id| format!(": {id} holds instead")).unwrap_or_default()
}
