//! The only way working memory changes: a typed update, applied whole or not at all.

use serde::{Deserialize, Serialize};

use super::frame::StepStatus;
use super::ids::ElementId;
use super::task::{ItemStatus, Outcome};

/// Most actions in one update: a step of an agent changes a handful of things, not a book.
pub const ACTIONS_MAX: usize = 256;
/// Deepest stack of frames: beyond it a plan is recursing, not dividing.
pub const FRAME_DEPTH_MAX: usize = 8;
/// Longest text of one element, in bytes. Working memory is extracts; the log keeps the originals.
pub const ELEMENT_BYTES_MAX: usize = 8 * 1024;
/// Longest name of an item, in bytes: a name, not a description.
pub const ITEM_NAME_BYTES_MAX: usize = 256;
/// Most elements of one kind in a frame: above it, divide the task.
pub const ELEMENTS_MAX: usize = 1_000;

/// A change to one task's working memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Update {
    pub actions: Vec<Action>,
    /// The version the caller saw; another one now is a conflict. `None`: whatever it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
    /// The same key twice is one update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// One typed action. Elements are named by their ids (`s2`, `c1`), which every prompt shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action", deny_unknown_fields)]
pub enum Action {
    /// Sets the goal of the frame in hand, which must have none, or states it anew by the user's explicit word.
    SetGoal {
        text: String,
    },
    /// Appends steps to the plan of the frame in hand.
    Plan {
        steps: Vec<String>,
    },
    /// Marks a step done (default: the current one), skipped or cancelled, with what came of it.
    CompleteStep {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<ElementId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<StepStatus>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<String>,
    },
    /// Takes up a step (default: the first still to do).
    NextStep {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<ElementId>,
    },
    AddConstraint {
        text: String,
    },
    /// Adds a constraint to the task itself, whatever subtask is in hand: what the user lays down holds beyond it.
    AddTaskConstraint {
        text: String,
    },
    AmendConstraint {
        constraint: ElementId,
        text: String,
    },
    RetractConstraint {
        constraint: ElementId,
        reason: String,
    },
    /// What came out of the step in hand: an extract, not the raw output.
    Result {
        text: String,
    },
    /// Opens a subtask on top of the frame in hand.
    PushSubtask {
        goal: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<String>,
    },
    /// Closes the subtask in hand; its parent gets the outcome and none of its steps.
    PopSubtask {
        outcome: String,
        success: bool,
    },
    Conclude {
        text: String,
    },
    /// Overturns a conclusion, a fact or the latest result; with a text, that is what holds instead.
    Supersede {
        old: ElementId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    AskDecision {
        question: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        who: Option<String>,
    },
    ResolveDecision {
        decision: ElementId,
        answer: String,
    },
    Warn {
        text: String,
    },
    ClearWarning {
        warning: ElementId,
    },
    Artifact {
        locator: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// Enters a stage; leaving one with a summary keeps it.
    SetStage {
        stage: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// Keeps what a stage that was left without a summary came to. Made by the manager alone, and read from nobody's words.
    #[serde(skip)]
    SummariseStage {
        stage: String,
        text: String,
    },
    /// States a fact confirmed in this task.
    AddFact {
        text: String,
    },
    /// Adds an item or sets the status of the one with that name.
    SetItem {
        name: String,
        status: ItemStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Pauses, postpones or resumes the task itself; `done` and `cancelled` end it, `open` takes an ended one up again.
    SetStatus {
        status: ItemStatus,
    },
    /// Says to when the task itself was put off; the last one counts.
    SetDue {
        text: String,
    },
    /// Ends the task: clears the frames, keeps the log.
    End {
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl Action {
    /// The words that an action goes by, in the order above.
    pub const NAMES: &[&str] = &[
        "set_goal",
        "plan",
        "complete_step",
        "next_step",
        "add_constraint",
        "add_task_constraint",
        "amend_constraint",
        "retract_constraint",
        "result",
        "push_subtask",
        "pop_subtask",
        "conclude",
        "supersede",
        "ask_decision",
        "resolve_decision",
        "warn",
        "clear_warning",
        "artifact",
        "set_stage",
        "add_fact",
        "set_item",
        "set_status",
        "set_due",
        "end",
    ];

    /// The word it goes by in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SetGoal { .. } => "set_goal",
            Self::Plan { .. } => "plan",
            Self::CompleteStep { .. } => "complete_step",
            Self::NextStep { .. } => "next_step",
            Self::AddConstraint { .. } => "add_constraint",
            Self::AddTaskConstraint { .. } => "add_task_constraint",
            Self::AmendConstraint { .. } => "amend_constraint",
            Self::RetractConstraint { .. } => "retract_constraint",
            Self::Result { .. } => "result",
            Self::PushSubtask { .. } => "push_subtask",
            Self::PopSubtask { .. } => "pop_subtask",
            Self::Conclude { .. } => "conclude",
            Self::Supersede { .. } => "supersede",
            Self::AskDecision { .. } => "ask_decision",
            Self::ResolveDecision { .. } => "resolve_decision",
            Self::Warn { .. } => "warn",
            Self::ClearWarning { .. } => "clear_warning",
            Self::Artifact { .. } => "artifact",
            Self::SetStage { .. } => "set_stage",
            Self::SummariseStage { .. } => "summarise_stage",
            Self::AddFact { .. } => "add_fact",
            Self::SetItem { .. } => "set_item",
            Self::SetStatus { .. } => "set_status",
            Self::SetDue { .. } => "set_due",
            Self::End { .. } => "end",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Action;

    #[test]
    fn names_are_those_of_the_json() {
        let list = Action::NAMES.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let error = serde_json::from_value::<Action>(serde_json::json!({ "action": "?" })).unwrap_err().to_string();
        assert_eq!(error, format!("unknown variant `?`, expected one of {list}"));
        let due = Action::SetDue { text: "周一上午".to_owned() };
        assert_eq!(serde_json::to_value(&due).unwrap()["action"], due.name());
    }
}
