//! Working memory: the stack of frames of one task, as plain data. Only `working::apply` changes it.

use serde::{Deserialize, Serialize};

use super::event::words;
use super::ids::{ElementId, EventId};

/// One level of work: the task itself, or a subtask pushed on top of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    pub id: ElementId,
    pub goal: Option<Goal>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The step in hand; always one of `steps`, with status `Doing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_step: Option<ElementId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_result: Option<StepResult>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<Conclusion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// To when the whole task was put off. In the root frame only, and kept when the task is taken up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage_summaries: Vec<StageSummary>,
    /// What subtasks handed back when they were popped, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<SubtaskOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
}

/// 「周报改到周一上午发」: a date that replaces the one of the goal, which is never reworded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub id: ElementId,
    /// The date it was understood as, and how it was said.
    pub text: String,
    pub source: EventId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
    /// Not retracted: only constraints in force are shown, but none is ever dropped.
    pub in_force: bool,
    /// Why it was retracted, and by which event; `None` while it is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<Wording>,
    /// Earlier wordings, oldest first, each with the event that set it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amended_from: Vec<Wording>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    pub text: String,
    pub source: EventId,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Todo,
    Doing,
    Done,
    Skipped,
    Cancelled,
}

words!(StepStatus {
    Todo => "todo",
    Doing => "doing",
    Done => "done",
    Skipped => "skipped",
    Cancelled => "cancelled",
});

impl StepStatus {
    /// Nothing more will be done for it.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Cancelled)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub id: ElementId,
    pub text: String,
    pub status: StepStatus,
    pub source: EventId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// What later steps need of a result, never the raw output: that stays in the log, one link away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepResult {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<ElementId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
    pub valid: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ElementId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub id: ElementId,
    /// What has to be decided.
    pub question: String,
    /// Who has to confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    pub source: EventId,
    /// `None`: open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Wording>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
    pub cleared: bool,
}

/// A thing that was made: a file, a record, a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    pub id: ElementId,
    /// Path, URL or id in the system that holds it.
    pub locator: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The step that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<ElementId>,
    pub source: EventId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSummary {
    pub id: ElementId,
    /// `None`: what was done before the first stage had a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    pub text: String,
    pub source: EventId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubtaskOutcome {
    pub id: ElementId,
    pub goal: String,
    pub outcome: String,
    pub success: bool,
    pub source: EventId,
    /// Things the subtask made: they are in the world, so they stay findable when its frame is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
}
