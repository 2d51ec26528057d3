//! A task in the middle of an update: a copy that actions change one after another, thrown away if one of them is refused.

use serde::Serialize;
use serde_json::Value;

use super::names::called;
use super::restate::{restate_together, restates};
use super::{Applied, Change, Refusal, Superseded};
use crate::text::same;
use crate::types::frame::{Constraint, Frame, Goal, Wording};
use crate::types::ids::{ElementId, EventId};
use crate::types::operation::Verb;
use crate::types::task::{Closing, Task};
use crate::types::update::{Action, ELEMENT_BYTES_MAX, ELEMENTS_MAX};

// The letter an id starts with says what it names. The number is unique in the task, whatever the letter.
pub(super) const FRAME: char = 'x';
pub(super) const GOAL: char = 'g';
pub(super) const CONSTRAINT: char = 'c';
pub(super) const STEP: char = 's';
pub(super) const RESULT: char = 'r';
pub(super) const CONCLUSION: char = 'k';
pub(super) const DECISION: char = 'd';
pub(super) const WARNING: char = 'w';
pub(super) const ARTIFACT: char = 'a';
pub(super) const STAGE: char = 'p';
pub(super) const OUTCOME: char = 'o';
pub(super) const FACT: char = 'f';
pub(super) const ITEM: char = 'i';
pub(super) const DUE: char = 'u';

pub(super) fn next_id(task: &mut Task, kind: char) -> ElementId {
    let id = ElementId(format!("{kind}{}", task.next_element));
    task.next_element += 1;
    id
}

pub(super) struct Draft {
    pub(super) task: Task,
    pub(super) source: EventId,
    /// The action being applied.
    action: &'static str,
    changes: Vec<Change>,
    superseded: Vec<Superseded>,
    pub(super) ended: Option<Closing>,
}

impl Draft {
    pub(super) fn new(task: Task, source: EventId) -> Self {
        Self { task, source, action: "", changes: Vec::new(), superseded: Vec::new(), ended: None }
    }

    pub(super) fn finish(self) -> Applied {
        Applied { task: self.task, changes: self.changes, superseded: self.superseded, ended: self.ended }
    }

    pub(super) fn act(&mut self, action: &Action) -> Result<(), Refusal> {
        self.action = action.name();
        match action {
            Action::SetGoal { text } => self.set_goal(text),
            Action::Plan { steps } => self.plan(steps),
            Action::CompleteStep { step, status, result } => {
                self.complete_step(step.as_ref(), *status, result.as_deref())
            }
            Action::NextStep { step } => self.next_step(step.as_ref()),
            Action::AddConstraint { text } => self.add_constraint(text, self.task.frames.len()),
            Action::AddTaskConstraint { text } => self.add_constraint(text, 1),
            Action::AmendConstraint { constraint, text } => self.amend_constraint(constraint, text),
            Action::RetractConstraint { constraint, reason } => self.retract_constraint(constraint, reason),
            Action::Result { text } => self.result(text),
            Action::PushSubtask { goal, steps } => self.push_subtask(goal, steps),
            Action::PopSubtask { outcome, success } => self.pop_subtask(outcome, *success),
            Action::Conclude { text } => self.conclude(text),
            Action::Supersede { old, text } => self.supersede(old, text.as_deref()),
            Action::AskDecision { question, who } => self.ask_decision(question, who.as_deref()),
            Action::ResolveDecision { decision, answer } => self.resolve_decision(decision, answer),
            Action::Warn { text } => self.warn(text),
            Action::ClearWarning { warning } => self.clear_warning(warning),
            Action::Artifact { locator, description } => self.artifact(locator, description.as_deref()),
            Action::SetStage { stage, summary } => self.set_stage(stage, summary.as_deref()),
            Action::SummariseStage { stage, text } => self.summarise_stage(stage, text),
            Action::AddFact { text } => self.add_fact(text),
            Action::SetItem { name, status, note } => self.set_item(name, *status, note.as_deref()),
            Action::SetStatus { status } => self.set_status(*status),
            Action::SetDue { text } => self.set_due(text),
            Action::End { outcome, reason } => self.end(*outcome, reason.as_deref()),
        }
    }

    /// The frame in hand. A task that ended has none.
    pub(super) fn frame(&mut self) -> Result<&mut Frame, Refusal> {
        self.task.frames.last_mut().ok_or(Refusal::TaskEnded)
    }

    pub(super) fn id(&mut self, kind: char) -> ElementId {
        next_id(&mut self.task, kind)
    }

    pub(super) fn changed(
        &mut self,
        verb: Verb,
        element: Option<ElementId>,
        before: Option<Value>,
        after: Option<Value>,
    ) {
        self.changes.push(Change { verb, action: self.action, element, before, after });
    }

    pub(super) fn overturned(&mut self, id: &ElementId, old: &str, old_source: EventId, new: Option<&str>) {
        let new = new.map(str::to_owned);
        self.superseded.push(Superseded { id: id.clone(), old: old.to_owned(), old_source, new });
    }

    fn set_goal(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a goal", text)?;
        let source = self.source;
        let before = self.frame()?.goal.clone();
        if let Some(goal) = before.as_ref().filter(|goal| same(&goal.text, &text)) {
            return Err(Refusal::SameText { id: goal.id.clone() });
        }
        // A goal stated anew is no word against the old one: the request it was taken from still stands.
        let id = self.id(GOAL);
        let goal = Goal { id: id.clone(), text, source };
        let after = json(&goal);
        self.frame()?.goal = Some(goal);
        self.changed(Verb::Update, Some(id), before.as_ref().and_then(json), after);
        Ok(())
    }

    /// Adds to the frame at a depth, 1 being the task's own. The same words twice are one constraint: said again, it is
    /// neither doubled nor reworded.
    fn add_constraint(&mut self, text: &str, depth: usize) -> Result<(), Refusal> {
        let text = checked("a constraint", text)?;
        let at = depth.saturating_sub(1);
        let count = self.task.frames.get(at).ok_or(Refusal::TaskEnded)?.constraints.len();
        let names: Vec<String> = called(&self.task).map(str::to_owned).collect();
        let said = |c: &Constraint| c.in_force && (same(&c.text, &text) || restates(&c.text, &text, &names));
        let in_force = || self.task.frames[..=at].iter().flat_map(|f| &f.constraints).filter(|c| c.in_force);
        let texts: Vec<&str> = in_force().map(|c| c.text.as_str()).collect();
        if in_force().any(said) || restate_together(&texts, &text, &names) {
            return Ok(());
        }
        room("constraint", count)?;
        let id = self.id(CONSTRAINT);
        let source = self.source;
        let constraint =
            Constraint { id: id.clone(), text, source, in_force: true, retracted: None, amended_from: Vec::new() };
        let after = json(&constraint);
        self.task.frames[at].constraints.push(constraint);
        self.changed(Verb::Update, Some(id), None, after);
        Ok(())
    }

    fn amend_constraint(&mut self, id: &ElementId, text: &str) -> Result<(), Refusal> {
        let text = checked("a constraint", text)?;
        let source = self.source;
        let constraint = self.constraint(id)?;
        if constraint.text == text {
            return Err(Refusal::SameText { id: id.clone() });
        }
        let before = json(constraint);
        let earlier =
            Wording { text: std::mem::replace(&mut constraint.text, text.clone()), source: constraint.source };
        constraint.source = source;
        constraint.amended_from.push(earlier.clone());
        let after = json(constraint);
        self.overturned(id, &earlier.text, earlier.source, Some(&text));
        self.changed(Verb::Update, Some(id.clone()), before, after);
        Ok(())
    }

    fn retract_constraint(&mut self, id: &ElementId, reason: &str) -> Result<(), Refusal> {
        let reason = checked("a reason", reason)?;
        let source = self.source;
        let constraint = self.constraint(id)?;
        let before = json(constraint);
        constraint.in_force = false;
        constraint.retracted = Some(Wording { text: reason, source });
        let (old, old_source) = (constraint.text.clone(), constraint.source);
        let after = json(constraint);
        self.overturned(id, &old, old_source, None);
        self.changed(Verb::Update, Some(id.clone()), before, after);
        Ok(())
    }

    /// A constraint in force of the frame in hand: a subtask can't touch its parents'.
    fn constraint(&mut self, id: &ElementId) -> Result<&mut Constraint, Refusal> {
        const KIND: &str = "constraint";
        let Some((frame, parents)) = self.task.frames.split_last_mut() else { return Err(Refusal::TaskEnded) };
        if parents.iter().flat_map(|f| &f.constraints).any(|c| c.id == *id) {
            return Err(Refusal::OfParent { kind: KIND, id: id.clone() });
        }
        let known = || frame.constraints.iter().filter(|c| c.in_force).map(|c| c.id.clone()).collect();
        match frame.constraints.iter().position(|c| c.id == *id) {
            None => Err(Refusal::UnknownElement { kind: KIND, id: id.clone(), known: known() }),
            Some(at) if !frame.constraints[at].in_force => {
                Err(Refusal::AlreadyOverturned { kind: KIND, id: id.clone(), by: None })
            }
            Some(at) => Ok(&mut frame.constraints[at]),
        }
    }
}

/// Working memory serialises: it is plain data with string keys. `None` would lose a before or after, not the change.
pub(super) fn json<T: Serialize>(value: &T) -> Option<Value> {
    serde_json::to_value(value).ok()
}

/// A text fit to be an element: not empty, not a document, trimmed.
pub(super) fn checked(kind: &'static str, text: &str) -> Result<String, Refusal> {
    checked_up_to(kind, text, ELEMENT_BYTES_MAX)
}

pub(super) fn checked_up_to(kind: &'static str, text: &str, limit: usize) -> Result<String, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::EmptyText { kind });
    }
    if text.len() > limit {
        return Err(Refusal::TextTooLong { kind, bytes: text.len(), limit });
    }
    if text.contains('\0') {
        return Err(Refusal::Nul { kind });
    }
    Ok(text.to_owned())
}

/// Optional text: blank is the same as absent.
pub(super) fn checked_some(kind: &'static str, text: Option<&str>) -> Result<Option<String>, Refusal> {
    text.filter(|text| !text.trim().is_empty()).map(|text| checked(kind, text)).transpose()
}

/// Room for one more.
pub(super) fn room(kind: &'static str, count: usize) -> Result<(), Refusal> {
    if count < ELEMENTS_MAX { Ok(()) } else { Err(Refusal::TooMany { kind }) }
}
