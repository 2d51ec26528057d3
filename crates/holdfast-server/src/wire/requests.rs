//! Requests whose types are the library's own, as the HTTP API's document describes them.

#![expect(dead_code, reason = "they describe what is read, and are not read themselves")]

use serde::Serialize;
use utoipa::ToSchema;

use super::answers::{Applies, ItemStatus, MemoryKind, Outcome, StepStatus, Visibility};

/// A change to one task's working memory: applied whole, or not at all.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    actions: Vec<Action>,
    /// The version the caller saw; another one now is a conflict.
    #[schema(value_type = Option<u64>, format = "uint64")]
    expected_version: Option<u64>,
    /// The same key twice is one update.
    idempotency_key: Option<String>,
}

/// Lines of JSON, one object each.
#[derive(Serialize, ToSchema)]
#[schema(min_length = 1)]
pub struct Lines(String);

/// One typed action. Elements are named by their ids (`s2`, `c1`), which every block shows.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "action", deny_unknown_fields)]
pub enum Action {
    /// The goal of the frame in hand, which must have none.
    SetGoal {
        text: String,
    },
    /// More steps for the plan.
    Plan {
        steps: Vec<String>,
    },
    /// A step is done (the current one, unless another is named), with what came of it.
    CompleteStep {
        step: Option<String>,
        status: Option<StepStatus>,
        result: Option<String>,
    },
    /// Take up a step: the first still to do, unless another is named.
    NextStep {
        step: Option<String>,
    },
    AddConstraint {
        text: String,
    },
    /// A constraint of the task itself, whatever subtask is in hand.
    AddTaskConstraint {
        text: String,
    },
    AmendConstraint {
        constraint: String,
        text: String,
    },
    RetractConstraint {
        constraint: String,
        reason: String,
    },
    /// What came out of the step in hand: an extract.
    Result {
        text: String,
    },
    /// Open a subtask.
    PushSubtask {
        goal: String,
        #[serde(default)]
        steps: Vec<String>,
    },
    /// Close the subtask in hand.
    PopSubtask {
        outcome: String,
        success: bool,
    },
    Conclude {
        text: String,
    },
    /// Overturn a conclusion, a fact or the latest result; with a text, that is what holds instead.
    Supersede {
        old: String,
        text: Option<String>,
    },
    AskDecision {
        question: String,
        who: Option<String>,
    },
    ResolveDecision {
        decision: String,
        answer: String,
    },
    Warn {
        text: String,
    },
    ClearWarning {
        warning: String,
    },
    Artifact {
        locator: String,
        description: Option<String>,
    },
    /// Enter a stage; the one that is left is kept as its summary.
    SetStage {
        stage: String,
        summary: Option<String>,
    },
    /// A fact confirmed in this task.
    AddFact {
        text: String,
    },
    /// An item, or its status.
    SetItem {
        name: String,
        status: ItemStatus,
        note: Option<String>,
    },
    /// Pause, postpone or resume the task itself; `done` and `cancelled` end it.
    SetStatus {
        status: ItemStatus,
    },
    /// To when the task itself was put off.
    SetDue {
        text: String,
    },
    /// End the task: clears the frames, keeps the log.
    End {
        outcome: Outcome,
        reason: Option<String>,
    },
}

/// What is to be remembered.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMemory {
    #[schema(example = "rule")]
    kind: MemoryKind,
    #[schema(min_length = 1, max_length = 2_000, example = "周报先写结论")]
    content: String,
    /// Whom it is about [default: the user].
    subject: Option<String>,
    /// Which property it gives [default: worked out of the content].
    attribute: Option<String>,
    /// Where it applies [default: in all work of this user with this agent].
    #[serde(default)]
    applies: Place,
    #[schema(minimum = 1, maximum = 5)]
    importance: Option<u8>,
    /// Other names of it, by which it is found too.
    #[serde(default)]
    aliases: Vec<String>,
    /// `shared`: other agents of the same user may be granted it.
    #[serde(default)]
    visibility: Visibility,
}

/// What served memories did to the work.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Helped,
    Hurt,
    Ignored,
}

/// Of which status memories are listed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusChosen {
    Pending,
    Active,
    Superseded,
    Retracted,
    Fading,
    Archived,
    Erased,
    All,
}

/// In which form a report comes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Json,
    Text,
    Html,
}

/// Whose tokens are counted.
#[derive(Serialize, ToSchema)]
pub enum Tokenizer {
    #[serde(rename = "o200k_base")]
    O200k,
    #[serde(rename = "cl100k_base")]
    Cl100k,
}

/// A policy that comes along.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    Support,
    Research,
    Tutoring,
    Aggressive,
}

/// `{"applies": "task_kind", "to": "周报"}`.
#[derive(Serialize, ToSchema)]
pub struct Place {
    applies: Applies,
    /// The kind of task, or the task.
    to: Option<String>,
}
