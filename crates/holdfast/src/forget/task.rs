//! A task as it would be, had some events never been.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Gone;
use crate::types::frame::{Artifact, Constraint, Frame, StepStatus};
use crate::types::ids::EventId;
use crate::types::task::{Closing, Task};

/// Stands where a title was that came from what is gone.
const UNTITLED: &str = "(erased)";

/// The task without every element that was drawn from what is gone, or says it. Equal to the task if it knew nothing of it.
pub fn without(task: &Task, gone: &Gone) -> Task {
    let mut task = task.clone();
    let opened_by_it =
        task.frames.first().and_then(|frame| frame.goal.as_ref()).is_some_and(|g| gone.is_source(g.source));
    if gone.tells(&task.title) || opened_by_it && gone.named(&task.title) {
        task.title = UNTITLED.to_owned();
    }
    task.names.retain(|name| !(gone.tells(name) || opened_by_it && gone.named(name)));
    task.items.retain(|item| !gone.drew(item.source, &item.name));
    for item in &mut task.items {
        item.note.take_if(|note| gone.tells(note));
    }
    task.facts.retain(|fact| !gone.drew(fact.source, &fact.text));
    task.frames.iter_mut().for_each(|frame| frame_without(frame, gone));
    if let Some(closing) = &mut task.closing {
        closing_without(closing, gone);
    }
    task
}

fn frame_without(frame: &mut Frame, gone: &Gone) {
    frame.goal.take_if(|goal| gone.drew(goal.source, &goal.text));
    constraints_without(&mut frame.constraints, gone);
    frame.steps.retain(|step| !gone.drew(step.source, &step.text));
    for step in &mut frame.steps {
        step.result.take_if(|result| gone.tells(result));
    }
    let steps: BTreeSet<_> = frame.steps.iter().map(|step| step.id.clone()).collect();
    frame.current_step.take_if(|step| !steps.contains(step));
    // A step is in hand or it is not.
    for step in frame.steps.iter_mut().filter(|step| step.status == StepStatus::Doing) {
        if frame.current_step.as_ref() != Some(&step.id) {
            step.status = StepStatus::Todo;
        }
    }
    frame.latest_result.take_if(|result| gone.drew(result.source, &result.text));
    if let Some(result) = &mut frame.latest_result {
        result.step.take_if(|step| !steps.contains(step));
    }
    frame.conclusions.retain(|conclusion| !gone.drew(conclusion.source, &conclusion.text));
    frame.decisions.retain(|decision| !gone.drew(decision.source, &decision.question));
    for decision in &mut frame.decisions {
        decision.answer.take_if(|answer| gone.drew(answer.source, &answer.text));
        decision.who.take_if(|who| gone.tells(who));
    }
    frame.warnings.retain(|warning| !gone.drew(warning.source, &warning.text));
    artifacts_without(&mut frame.artifacts, gone);
    for artifact in &mut frame.artifacts {
        artifact.step.take_if(|step| !steps.contains(step));
    }
    frame.stage.take_if(|stage| gone.tells(stage));
    frame.due.take_if(|due| gone.drew(due.source, &due.text));
    frame.stage_summaries.retain(|summary| {
        !(gone.drew(summary.source, &summary.text) || summary.stage.as_ref().is_some_and(|stage| gone.tells(stage)))
    });
    frame.outcomes.retain(|outcome| !(gone.drew(outcome.source, &outcome.outcome) || gone.tells(&outcome.goal)));
    for outcome in &mut frame.outcomes {
        artifacts_without(&mut outcome.artifacts, gone);
    }
    // What holds instead may be gone, and what it took the place of holds no more for that.
    let conclusions: BTreeSet<_> = frame.conclusions.iter().map(|conclusion| conclusion.id.clone()).collect();
    for conclusion in &mut frame.conclusions {
        conclusion.superseded_by.take_if(|by| !conclusions.contains(by));
    }
}

fn constraints_without(constraints: &mut Vec<Constraint>, gone: &Gone) {
    constraints.retain(|constraint| !gone.drew(constraint.source, &constraint.text));
    for constraint in constraints {
        constraint.amended_from.retain(|wording| !gone.drew(wording.source, &wording.text));
        // Taken back by what was never said, it is in force.
        if constraint.retracted.take_if(|wording| gone.drew(wording.source, &wording.text)).is_some() {
            constraint.in_force = true;
        }
    }
}

fn artifacts_without(artifacts: &mut Vec<Artifact>, gone: &Gone) {
    artifacts.retain(|artifact| !gone.drew(artifact.source, &artifact.locator));
    for artifact in artifacts {
        artifact.description.take_if(|description| gone.tells(description));
    }
}

/// What is left of a task that ended tells mostly no sources: it goes by its words.
fn closing_without(closing: &mut Closing, gone: &Gone) {
    for text in [&mut closing.reason, &mut closing.goal, &mut closing.stage, &mut closing.latest_result] {
        text.take_if(|text| gone.tells(text));
    }
    constraints_without(&mut closing.constraints, gone);
    artifacts_without(&mut closing.artifacts, gone);
    for texts in [&mut closing.done, &mut closing.unfinished, &mut closing.open_decisions] {
        texts.retain(|text| !gone.tells(text));
    }
    closing.conclusions.retain(|conclusion| !gone.drew(conclusion.source, &conclusion.text));
    closing.ended_by.take_if(|event| gone.is_source(*event));
}

/// Every event that something in a task is drawn from.
pub fn sources(task: &Task) -> BTreeSet<EventId> {
    let mut sources = BTreeSet::new();
    collect(&serde_json::to_value(task).unwrap_or_default(), &mut sources);
    sources
}

fn collect(value: &Value, sources: &mut BTreeSet<EventId>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, sources)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "source" || name == "ended_by") {
                    Some(id) => sources.extend(id.parse::<EventId>().ok()),
                    None => collect(value, sources),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
