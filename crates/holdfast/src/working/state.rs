//! The task's own state: stages, items, status, its end, and taking it up again.

use super::Refusal;
use super::draft::{
    CONSTRAINT, DUE, Draft, FRAME, GOAL, ITEM, STAGE, STEP, checked, checked_some, checked_up_to, json, room,
};
use super::names::find_item;
use super::plan::all_artifacts;
use crate::text::same;
use crate::types::frame::{Due, Frame, Goal, StageSummary, Step, StepStatus};
use crate::types::ids::EventId;
use crate::types::operation::Verb;
use crate::types::task::{Closing, Concluded, Item, ItemStatus, Outcome, StepPhase, Task, TaskStatus};
use crate::types::update::ITEM_NAME_BYTES_MAX;

impl Draft {
    pub(super) fn set_stage(&mut self, stage: &str, summary: Option<&str>) -> Result<(), Refusal> {
        let stage = checked("a stage", stage)?;
        let summary = checked_some("a summary", summary)?;
        let left = self.frame()?.stage.replace(stage.clone());
        if let Some(text) = summary {
            room("stage summary", self.frame()?.stage_summaries.len())?;
            let entry = StageSummary { id: self.id(STAGE), stage: left.clone(), text, source: self.source };
            let (id, after) = (entry.id.clone(), json(&entry));
            self.frame()?.stage_summaries.push(entry);
            self.changed(Verb::Update, Some(id), None, after);
        }
        let frame = self.frame()?.id.clone();
        self.changed(Verb::SetState, Some(frame), left.as_ref().and_then(json), json(&stage));
        Ok(())
    }

    /// Of the task itself, whatever subtask is in hand by now.
    pub(super) fn summarise_stage(&mut self, stage: &str, text: &str) -> Result<(), Refusal> {
        let stage = checked("a stage", stage)?;
        let text = checked("a summary", text)?;
        self.frame()?;
        room("stage summary", self.task.frames[0].stage_summaries.len())?;
        let entry = StageSummary { id: self.id(STAGE), stage: Some(stage), text, source: self.source };
        let (id, after) = (entry.id.clone(), json(&entry));
        self.task.frames[0].stage_summaries.push(entry);
        self.changed(Verb::Update, Some(id), None, after);
        Ok(())
    }

    pub(super) fn set_item(&mut self, name: &str, status: ItemStatus, note: Option<&str>) -> Result<(), Refusal> {
        self.frame()?;
        let name = checked_up_to("an item's name", name, ITEM_NAME_BYTES_MAX)?;
        let note = checked_some("a note", note)?;
        let source = self.source;
        if let Some(at) = find_item(&self.task.items, &name) {
            let item = &mut self.task.items[at];
            let before = json(item);
            // The note belongs to the status it was said with: 「改到周四」 says nothing once the thing is done.
            (item.status, item.note, item.source) = (status, note, source);
            let (id, after) = (item.id.clone(), json(item));
            self.changed(Verb::SetState, Some(id), before, after);
            return Ok(());
        }
        room("item", self.task.items.len())?;
        let item = Item { id: self.id(ITEM), name, status, note, source };
        let (id, after) = (item.id.clone(), json(&item));
        self.task.items.push(item);
        self.changed(Verb::SetState, Some(id), None, after);
        Ok(())
    }

    pub(super) fn set_status(&mut self, status: ItemStatus) -> Result<(), Refusal> {
        let status = match status {
            ItemStatus::Done => return self.end(Outcome::Success, None),
            ItemStatus::Cancelled => return self.end(Outcome::Cancelled, None),
            ItemStatus::Open => TaskStatus::Open,
            ItemStatus::Paused => TaskStatus::Paused,
            ItemStatus::Postponed => TaskStatus::Postponed,
        };
        let before = self.task.status;
        if self.task.frames.is_empty() {
            if status != TaskStatus::Open {
                return Err(Refusal::TaskEnded);
            }
            self.take_up();
        }
        self.task.status = status;
        self.changed(Verb::SetState, None, json(&before), json(&status));
        Ok(())
    }

    pub(super) fn set_due(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a date", text)?;
        self.frame()?;
        let due = Due { id: self.id(DUE), text, source: self.source };
        let (id, after) = (due.id.clone(), json(&due));
        let before = self.task.frames[0].due.replace(due);
        self.changed(Verb::SetState, Some(id), before.as_ref().and_then(json), after);
        Ok(())
    }

    /// Clears the frames and keeps what it takes to find the task again and say where it stopped.
    pub(super) fn end(&mut self, outcome: Outcome, reason: Option<&str>) -> Result<(), Refusal> {
        let reason = checked_some("a reason", reason)?;
        self.frame()?;
        let before = json(&self.task.frames);
        let closing = closing(&self.task, outcome, reason, self.source);
        self.task.frames.clear();
        self.task.status = match outcome {
            Outcome::Success => TaskStatus::Done,
            Outcome::Failure => TaskStatus::Failed,
            Outcome::Abandoned => TaskStatus::Abandoned,
            Outcome::Cancelled => TaskStatus::Cancelled,
        };
        self.task.phase = StepPhase::Ready;
        self.task.closing = Some(closing.clone());
        self.changed(Verb::EndTask, None, before, json(&closing));
        self.ended = Some(closing);
        Ok(())
    }

    /// An ended task goes on where it stopped: its goal, constraints, artifacts and the steps done and left are there
    /// again. Conclusions and results of the first run are in the log, not in the new frame.
    fn take_up(&mut self) {
        let source = self.source;
        let mut frame = Frame { id: self.id(FRAME), ..Frame::default() };
        if let Some(closing) = self.task.closing.take() {
            frame.goal = closing.goal.map(|text| Goal { id: self.id(GOAL), text, source });
            frame.constraints = closing.constraints;
            frame.stage = closing.stage;
            frame.artifacts = closing.artifacts;
            let done = closing.done.into_iter().map(|text| (text, StepStatus::Done));
            let left = closing.unfinished.into_iter().map(|text| (text, StepStatus::Todo));
            for (text, status) in done.chain(left) {
                frame.steps.push(Step { id: self.id(STEP), text, status, source, result: None });
            }
        }
        debug_assert!(frame.constraints.iter().all(|c| c.id.0.starts_with(CONSTRAINT)));
        self.ended = None;
        self.task.frames.push(frame);
    }
}

fn closing(task: &Task, outcome: Outcome, reason: Option<String>, ended_by: EventId) -> Closing {
    let Some(root) = task.frames.first() else { unreachable!("`end` looked for the frame in hand") };
    let steps = |wanted: fn(StepStatus) -> bool| {
        task.frames.iter().flat_map(|f| &f.steps).filter(move |s| wanted(s.status)).map(|s| s.text.clone()).collect()
    };
    let mut artifacts = Vec::new();
    for artifact in task.frames.iter().flat_map(all_artifacts) {
        if !artifacts.iter().any(|known: &crate::types::frame::Artifact| same(&known.locator, &artifact.locator)) {
            artifacts.push(artifact);
        }
    }
    Closing {
        outcome,
        reason,
        goal: root.goal.as_ref().map(|goal| goal.text.clone()),
        constraints: root.constraints.clone(),
        stage: task.frames.iter().rev().find_map(|f| f.stage.clone()),
        latest_result: task.frames.iter().rev().find_map(|f| f.latest_result.as_ref()).map(|r| r.text.clone()),
        artifacts,
        done: steps(|status| status == StepStatus::Done),
        unfinished: steps(|status| !status.is_closed()),
        conclusions: task
            .frames
            .iter()
            .flat_map(|f| &f.conclusions)
            .filter(|c| c.valid)
            .map(|c| Concluded { text: c.text.clone(), source: c.source })
            .collect(),
        ended_by: Some(ended_by),
        open_decisions: task
            .frames
            .iter()
            .flat_map(|f| &f.decisions)
            .filter(|d| d.answer.is_none())
            .map(|d| d.question.clone())
            .collect(),
    }
}
