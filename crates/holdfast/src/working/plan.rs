//! Steps and subtasks: what is to be done, what is in hand, what came of it.

use super::Refusal;
use super::draft::{Draft, FRAME, GOAL, OUTCOME, RESULT, STEP, checked, checked_some, json, room};
use crate::text::same;
use crate::types::frame::{Artifact, Frame, Goal, Step, StepResult, StepStatus, SubtaskOutcome};
use crate::types::ids::ElementId;
use crate::types::operation::Verb;
use crate::types::update::FRAME_DEPTH_MAX;

impl Draft {
    pub(super) fn plan(&mut self, steps: &[String]) -> Result<(), Refusal> {
        self.frame()?;
        if steps.is_empty() {
            return Err(Refusal::EmptyText { kind: "a plan" });
        }
        for text in steps {
            let text = checked("a step", text)?;
            room("step", self.frame()?.steps.len())?;
            let step = Step { id: self.id(STEP), text, status: StepStatus::Todo, source: self.source, result: None };
            let (id, after) = (step.id.clone(), json(&step));
            self.frame()?.steps.push(step);
            self.changed(Verb::Update, Some(id), None, after);
        }
        Ok(())
    }

    pub(super) fn complete_step(
        &mut self,
        id: Option<&ElementId>,
        status: Option<StepStatus>,
        result: Option<&str>,
    ) -> Result<(), Refusal> {
        let status = status.unwrap_or(StepStatus::Done);
        if !status.is_closed() {
            return Err(Refusal::NotAClosingStatus { status });
        }
        let result = checked_some("a result", result)?;
        let id = match id {
            Some(id) => id.clone(),
            None => self.frame()?.current_step.clone().ok_or(Refusal::NoStepInHand)?,
        };
        let at = self.open_step(&id)?;
        let frame = self.frame()?;
        // A result reported before the step was closed is the step's.
        let reported = frame.latest_result.as_ref().filter(|r| r.step.as_ref() == Some(&id)).map(|r| r.text.clone());
        let step = &mut frame.steps[at];
        let before = json(step);
        step.status = status;
        step.result = result.clone().or(reported);
        let after = json(step);
        if frame.current_step.as_ref() == Some(&id) {
            frame.current_step = None;
        }
        self.changed(Verb::Update, Some(id.clone()), before, after);
        match result {
            Some(text) if status == StepStatus::Done => self.set_result(text, Some(id)),
            _ => Ok(()),
        }
    }

    pub(super) fn next_step(&mut self, id: Option<&ElementId>) -> Result<(), Refusal> {
        let frame = self.frame()?;
        if let Some(step) = frame.current_step.clone() {
            return Err(Refusal::StepInHand { step });
        }
        let at = match id {
            Some(id) => self.open_step(id)?,
            None => frame.steps.iter().position(|s| s.status == StepStatus::Todo).ok_or(Refusal::NothingToDo)?,
        };
        let frame = self.frame()?;
        let step = &mut frame.steps[at];
        let before = json(step);
        step.status = StepStatus::Doing;
        let (id, after) = (step.id.clone(), json(step));
        frame.current_step = Some(id.clone());
        self.changed(Verb::Update, Some(id), before, after);
        Ok(())
    }

    pub(super) fn result(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a result", text)?;
        let step = self.frame()?.current_step.clone();
        self.set_result(text, step)
    }

    fn set_result(&mut self, text: String, step: Option<ElementId>) -> Result<(), Refusal> {
        let result = StepResult { id: self.id(RESULT), text, source: self.source, step };
        let (id, after) = (result.id.clone(), json(&result));
        let before = self.frame()?.latest_result.replace(result).as_ref().and_then(json);
        self.changed(Verb::Update, Some(id), before, after);
        Ok(())
    }

    pub(super) fn push_subtask(&mut self, goal: &str, steps: &[String]) -> Result<(), Refusal> {
        let depth = self.task.frames.len();
        if depth == 0 {
            return Err(Refusal::TaskEnded);
        }
        if depth >= FRAME_DEPTH_MAX {
            return Err(Refusal::DepthLimit { depth });
        }
        let text = checked("a goal", goal)?;
        let id = self.id(FRAME);
        let goal = Goal { id: self.id(GOAL), text, source: self.source };
        let after = json(&goal);
        self.task.frames.push(Frame { id: id.clone(), goal: Some(goal), ..Frame::default() });
        self.changed(Verb::Update, Some(id), None, after);
        if steps.is_empty() { Ok(()) } else { self.plan(steps) }
    }

    /// The parent comes back as it was. Of the subtask it gets the outcome, and where to find what was made.
    pub(super) fn pop_subtask(&mut self, outcome: &str, success: bool) -> Result<(), Refusal> {
        let outcome = checked("an outcome", outcome)?;
        match self.task.frames.len() {
            0 => return Err(Refusal::TaskEnded),
            1 => return Err(Refusal::NoSubtask),
            _ => {}
        }
        let id = self.id(OUTCOME);
        let source = self.source;
        let Some(child) = self.task.frames.pop() else { return Err(Refusal::NoSubtask) };
        let before = json(&child);
        let goal = child.goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default();
        let entry = SubtaskOutcome { id: id.clone(), goal, outcome, success, source, artifacts: all_artifacts(&child) };
        let after = json(&entry);
        let parent = self.frame()?;
        room("outcome", parent.outcomes.len())?;
        parent.outcomes.push(entry);
        self.changed(Verb::Update, Some(id), before, after);
        Ok(())
    }

    /// Where a step that isn't closed stands in the frame in hand.
    fn open_step(&mut self, id: &ElementId) -> Result<usize, Refusal> {
        const KIND: &str = "step";
        let Some((frame, parents)) = self.task.frames.split_last() else { return Err(Refusal::TaskEnded) };
        let Some(at) = frame.steps.iter().position(|s| s.id == *id) else {
            if parents.iter().flat_map(|f| &f.steps).any(|s| s.id == *id) {
                return Err(Refusal::OfParent { kind: KIND, id: id.clone() });
            }
            let known = frame.steps.iter().filter(|s| !s.status.is_closed()).map(|s| s.id.clone()).collect();
            return Err(Refusal::UnknownElement { kind: KIND, id: id.clone(), known });
        };
        match frame.steps[at].status {
            status if status.is_closed() => Err(Refusal::AlreadyClosed { step: id.clone(), status }),
            _ => Ok(at),
        }
    }
}

/// What a frame and its subtasks made, each locator once.
pub(super) fn all_artifacts(frame: &Frame) -> Vec<Artifact> {
    let mut all: Vec<Artifact> = Vec::new();
    for artifact in frame.outcomes.iter().flat_map(|o| &o.artifacts).chain(&frame.artifacts) {
        if !all.iter().any(|known| same(&known.locator, &artifact.locator)) {
            all.push(artifact.clone());
        }
    }
    all
}
