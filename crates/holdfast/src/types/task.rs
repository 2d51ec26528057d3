//! A task: its state that outlives the work, and its working memory while the work goes on.

use jiff::ZonedDateTime;
use serde::{Deserialize, Serialize};

use super::event::words;
use super::frame::{Artifact, Constraint, Frame};
use super::ids::{ElementId, EventId};
use super::scope::{Owner, TaskId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Open,
    Paused,
    Postponed,
    Cancelled,
    Done,
    Failed,
    Abandoned,
}

words!(TaskStatus {
    Open => "open",
    Paused => "paused",
    Postponed => "postponed",
    Cancelled => "cancelled",
    Done => "done",
    Failed => "failed",
    Abandoned => "abandoned",
});

impl TaskStatus {
    /// Work on it may go on: it has frames.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Open | Self::Paused | Self::Postponed)
    }
}

/// How a task ended (SPEC 2.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failure,
    Abandoned,
    Cancelled,
}

words!(Outcome { Success => "success", Failure => "failure", Abandoned => "abandoned", Cancelled => "cancelled" });

/// A named thing within a task that has a state of its own: a customer, a meeting, a chapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub id: ElementId,
    pub name: String,
    pub status: ItemStatus,
    /// 「改到周四下午」: what was said with the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The event that set the present status.
    pub source: EventId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    Open,
    Paused,
    Postponed,
    Cancelled,
    Done,
}

words!(ItemStatus {
    Open => "open",
    Paused => "paused",
    Postponed => "postponed",
    Cancelled => "cancelled",
    Done => "done",
});

/// Confirmed in this task, searched on demand, gone from view when it ends (SPEC 2.8): the short-term layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFact {
    pub id: ElementId,
    pub text: String,
    pub source: EventId,
    pub valid: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ElementId>,
}

/// Where a step of the agent loop is (SPEC 2.3): the next prompt can't be had before the write-back of the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPhase {
    /// A prompt may be had.
    #[default]
    Ready,
    /// A prompt was given; the agent is acting on it.
    Prompted,
    /// The agent's reply is in the log and was parsed; its update is due.
    Parsed,
    /// The update is written; consolidation is due.
    WrittenBack,
}

words!(StepPhase {
    Ready => "ready",
    Prompted => "prompted",
    Parsed => "parsed",
    WrittenBack => "written_back",
});

/// What is left of a task once its frames are cleared: enough to find it again and say where it stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    pub outcome: Outcome,
    /// What the caller said of it: for a failure, the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The task's own constraints, retracted ones too: none is ever lost, and a task taken up again has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_result: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Steps that were done: not to be done again when the task is taken up again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    /// Steps that were still to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    /// Conclusions that held when it ended: what a success leaves to long-term memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<Concluded>,
    /// The event that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<EventId>,
    /// Questions nobody had answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_decisions: Vec<String>,
}

/// A conclusion and the event it was drawn from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concluded {
    pub text: String,
    pub source: EventId,
}

/// One task of one owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub owner: Owner,
    pub title: String,
    /// Other names it goes by in the talk, folded: 周报, weekly report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Root first; never empty while the task is live, empty once it ended.
    pub frames: Vec<Frame>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<TaskFact>,
    #[serde(default)]
    pub phase: StepPhase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    pub opened_at: ZonedDateTime,
    pub last_activity: ZonedDateTime,
    /// Rises by one with each applied update; the first is 1.
    pub version: u64,
    /// The next element id is made from this.
    pub next_element: u32,
}

impl Task {
    /// The frame in hand: the top of the stack.
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// The constraints in force for the frame in hand: its parents' first, then its own, each with the frame it belongs to.
    pub fn visible_constraints(&self) -> Vec<(&Frame, &Constraint)> {
        let all =
            self.frames.iter().flat_map(|frame| frame.constraints.iter().map(move |constraint| (frame, constraint)));
        all.filter(|(_, constraint)| constraint.in_force).collect()
    }
}
