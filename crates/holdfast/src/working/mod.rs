//! Working memory: a task and a typed update in, the task after it or a refusal out. Nothing here reads a clock, a store
//! or a model, and nothing else changes a task.
//!
//! Four invariants, held by `tests.rs` over any sequence of updates: (1) a constraint is never lost; (2) popping a subtask
//! leaves its parent as it was, but for the outcome; (3) the version rises by one with each applied update, and a refused
//! one changes nothing; (4) at most one step of a frame is in hand.

pub mod absorb;
pub mod attribute;
mod draft;
mod imperative;
mod knowledge;
mod known;
mod names;
pub mod phase;
mod plan;
mod refusal;
pub mod reply;
mod restate;
mod sought;
mod state;
#[cfg(test)]
pub(crate) mod tests;

use jiff::ZonedDateTime;
use serde_json::Value;

pub use absorb::{Said, absorb};
pub(crate) use absorb::{corrected, says};
pub use attribute::{Attributed, Attribution, Given, attribute, is_of_another};
pub(crate) use imperative::goal_in;
pub use names::{names_given, names_in};
pub use phase::{OutOfOrder, advance};
pub use refusal::Refusal;
pub use reply::{ParseProblem, parse_update};
pub use sought::{Sought, sought};

use crate::types::frame::{Frame, Goal, Step};
use crate::types::ids::{ElementId, EventId};
use crate::types::operation::Verb;
use crate::types::scope::{Owner, TaskId};
use crate::types::task::{Closing, StepPhase, Task, TaskStatus};
use crate::types::update::{ACTIONS_MAX, Update};

use draft::Draft;

/// What an update did.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    pub task: Task,
    /// One per element touched, in order: the journal's before and after.
    pub changes: Vec<Change>,
    /// Statements that hold no longer: to be marked wherever else they can be read (SPEC 2.6).
    pub superseded: Vec<Superseded>,
    /// The task ended with this update.
    pub ended: Option<Closing>,
}

/// One element's change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub verb: Verb,
    /// The action that made it, as in JSON: `complete_step`.
    pub action: &'static str,
    /// `None`: the task itself.
    pub element: Option<ElementId>,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// What became of the status of a task, its items and its steps: "release notes: open → paused".
pub fn status_changes(before: &Task, after: &Task) -> Vec<String> {
    let change = |name: &str, from: Option<String>, to: String| match from {
        Some(from) if from == to => None,
        Some(from) => Some(format!("{name}: {from} → {to}")),
        None => Some(format!("{name}: {to}")),
    };
    let mut changes: Vec<String> = Vec::new();
    changes.extend(change(&before.title, Some(before.status.to_string()), after.status.to_string()));
    for item in &after.items {
        let known = before.items.iter().find(|other| other.id == item.id);
        let put_off_anew = known.is_some_and(|known| known.status == item.status && known.note != item.note);
        match &item.note {
            Some(note) if put_off_anew => changes.push(format!("{}: {} {note}", item.name, item.status)),
            _ => {
                changes.extend(change(&item.name, known.map(|known| known.status.to_string()), item.status.to_string()))
            }
        }
    }
    let steps = |task: &Task| -> Vec<Step> { task.frames.iter().flat_map(|frame| frame.steps.clone()).collect() };
    let steps_before = steps(before);
    for step in steps(after) {
        let from = steps_before.iter().find(|other| other.id == step.id).map(|other| other.status.to_string());
        // A step that is new is a plan, and no change of status.
        changes.extend(from.and_then(|from| change(&step.text, Some(from), step.status.to_string())));
    }
    changes
}

/// A statement that was overturned: a conclusion, fact or result, or the old wording of a constraint or goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    pub id: ElementId,
    pub old: String,
    /// The event the old statement was drawn from: its excerpts must not be served as current.
    pub old_source: EventId,
    pub new: Option<String>,
}

/// A new task at version 1, with one empty frame.
pub fn open(
    id: TaskId,
    owner: Owner,
    title: impl Into<String>,
    goal: Option<String>,
    source: EventId,
    at: &ZonedDateTime,
) -> Task {
    let mut task = Task {
        id,
        owner,
        title: title.into(),
        names: Vec::new(),
        status: TaskStatus::Open,
        items: Vec::new(),
        frames: Vec::new(),
        facts: Vec::new(),
        phase: StepPhase::Ready,
        closing: None,
        opened_at: at.clone(),
        last_activity: at.clone(),
        version: 1,
        next_element: 1,
    };
    let id = draft::next_id(&mut task, draft::FRAME);
    let goal = goal.filter(|text| !text.trim().is_empty()).map(|text| Goal {
        id: draft::next_id(&mut task, draft::GOAL),
        text,
        source,
    });
    task.frames.push(Frame { id, goal, ..Frame::default() });
    task
}

/// Applies an update whole, or refuses it and changes nothing.
pub fn apply(task: &Task, update: &Update, source: EventId, at: &ZonedDateTime) -> Result<Applied, Refusal> {
    if let Some(expected) = update.expected_version
        && expected != task.version
    {
        return Err(Refusal::Conflict { expected, actual: task.version });
    }
    match update.actions.len() {
        0 => return Err(Refusal::NoActions),
        count if count > ACTIONS_MAX => return Err(Refusal::TooManyActions { count }),
        _ => {}
    }
    let mut draft = Draft::new(task.clone(), source);
    for action in &update.actions {
        draft.act(action)?;
    }
    let mut applied = draft.finish();
    applied.task.version += 1;
    if applied.task.last_activity.timestamp() < at.timestamp() {
        applied.task.last_activity = at.clone();
    }
    Ok(applied)
}
