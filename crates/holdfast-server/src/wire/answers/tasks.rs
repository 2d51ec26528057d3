//! Tasks and their working memory.

use serde::Serialize;
use utoipa::ToSchema;

use super::*;

/// A task and, while it goes on, its working memory.
#[derive(Serialize, ToSchema)]
pub struct Task {
    id: String,
    owner: Owner,
    title: String,
    /// Other names it goes by in the talk.
    names: Option<Vec<String>>,
    status: TaskStatus,
    items: Option<Vec<Item>>,
    /// The task's own first; none once it ended.
    frames: Vec<Frame>,
    facts: Option<Vec<Fact>>,
    phase: Phase,
    closing: Option<Closing>,
    opened_at: String,
    last_activity: String,
    /// Rises by one with each applied update.
    version: u64,
    next_element: u32,
}

worded! {
    TaskStatus: holdfast::types::task::TaskStatus
}

worded! {
    /// Where the step of the agent's loop is.
    Phase: holdfast::types::task::StepPhase
}

/// A named thing within a task that has a state of its own.
#[derive(Serialize, ToSchema)]
pub struct Item {
    id: String,
    name: String,
    status: ItemStatus,
    note: Option<String>,
    source: String,
}

worded! {
    ItemStatus: holdfast::types::task::ItemStatus
}

/// Confirmed in this task, and gone from view when it ends.
#[derive(Serialize, ToSchema)]
pub struct Fact {
    id: String,
    text: String,
    source: String,
    valid: bool,
    superseded_by: Option<String>,
}

/// One level of work: the task itself, or a subtask.
#[derive(Serialize, ToSchema)]
pub struct Frame {
    id: String,
    goal: Option<Goal>,
    constraints: Option<Vec<Constraint>>,
    steps: Option<Vec<Step>>,
    /// The id of the step in hand.
    current_step: Option<String>,
    latest_result: Option<StepResult>,
    conclusions: Option<Vec<Conclusion>>,
    decisions: Option<Vec<Decision>>,
    warnings: Option<Vec<Warning>>,
    artifacts: Option<Vec<Artifact>>,
    stage: Option<String>,
    due: Option<Due>,
    stage_summaries: Option<Vec<StageSummary>>,
    outcomes: Option<Vec<SubtaskOutcome>>,
}

#[derive(Serialize, ToSchema)]
pub struct Goal {
    id: String,
    text: String,
    source: String,
}

/// To when the whole task was put off.
#[derive(Serialize, ToSchema)]
pub struct Due {
    id: String,
    text: String,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct Constraint {
    id: String,
    text: String,
    source: String,
    in_force: bool,
    retracted: Option<Wording>,
    amended_from: Option<Vec<Wording>>,
}

/// Words, and the event they are from.
#[derive(Serialize, ToSchema)]
pub struct Wording {
    text: String,
    source: String,
}

worded! {
    StepStatus: holdfast::types::frame::StepStatus
}

#[derive(Serialize, ToSchema)]
pub struct Step {
    id: String,
    text: String,
    status: StepStatus,
    source: String,
    result: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct StepResult {
    id: String,
    text: String,
    source: String,
    step: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Conclusion {
    id: String,
    text: String,
    source: String,
    valid: bool,
    superseded_by: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Decision {
    id: String,
    question: String,
    who: Option<String>,
    source: String,
    /// None: it is open.
    answer: Option<Wording>,
}

#[derive(Serialize, ToSchema)]
pub struct Warning {
    id: String,
    text: String,
    source: String,
    cleared: bool,
}

/// A thing that was made: a file, a record, a link.
#[derive(Serialize, ToSchema)]
pub struct Artifact {
    id: String,
    locator: String,
    description: Option<String>,
    step: Option<String>,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct StageSummary {
    id: String,
    stage: Option<String>,
    text: String,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct SubtaskOutcome {
    id: String,
    goal: String,
    outcome: String,
    success: bool,
    source: String,
    artifacts: Option<Vec<Artifact>>,
}

/// What is left of a task once it ended.
#[derive(Serialize, ToSchema)]
pub struct Closing {
    outcome: Outcome,
    reason: Option<String>,
    goal: Option<String>,
    constraints: Option<Vec<Constraint>>,
    stage: Option<String>,
    latest_result: Option<String>,
    artifacts: Option<Vec<Artifact>>,
    done: Option<Vec<String>>,
    unfinished: Option<Vec<String>>,
    conclusions: Option<Vec<Wording>>,
    ended_by: Option<String>,
    open_decisions: Option<Vec<String>>,
}

worded! {
    Outcome: holdfast::types::task::Outcome
}
