//! What working memory rests on: the events that tasks cite, and how firmly. Tasks in; of each event, who needs it.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::{contains_whole, fold};
use crate::types::event::StoredEvent;
use crate::types::frame::{Artifact, Frame, StepStatus};
use crate::types::ids::EventId;
use crate::types::signals::EntityKind;
use crate::types::task::{ItemStatus, Outcome, Task};

/// A shorter id or path is in too many texts to name anything.
const NAME_CHARACTERS_MIN: usize = 4;

/// What something open needs an event for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// An unfinished step, or what is never let go beside it: the goal, a constraint in force, a warning, an open item, the latest result.
    Step(String),
    Decision(String),
}

/// The events that tasks cite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Citations {
    needs: BTreeMap<EventId, Need>,
    /// Of unfinished steps and open decisions, folded: who names a path or an id cites where it comes from.
    texts: Vec<(Need, String)>,
    /// An artifact came of it.
    pub artifacts: BTreeSet<EventId>,
    /// It is a summary.
    pub summaries: BTreeSet<EventId>,
    /// It asks for a decision that was taken, or takes it.
    pub decisions: BTreeSet<EventId>,
    /// The conclusion of a task that succeeded.
    pub succeeded: BTreeSet<EventId>,
    /// What else of a task still holds by it: conclusions, facts, steps that are done.
    pub references: BTreeMap<EventId, u32>,
}

impl Citations {
    pub fn of<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Self {
        let mut citations = Self::default();
        tasks.into_iter().for_each(|task| citations.add(task));
        citations
    }

    /// Who needs this event, if anything open does.
    pub fn need(&self, stored: &StoredEvent) -> Option<&Need> {
        if let Some(need) = self.needs.get(&stored.event.id) {
            return Some(need);
        }
        let names = stored.signals.entities.iter().filter(|entity| {
            matches!(entity.kind, EntityKind::Path | EntityKind::Url | EntityKind::Id)
                && entity.text.chars().count() >= NAME_CHARACTERS_MIN
        });
        let names: BTreeSet<String> = names.map(|entity| fold(&entity.text)).collect();
        let id = stored.event.id.to_string();
        let named = |text: &str| text.contains(&id) || names.iter().any(|name| contains_whole(text, name));
        self.texts.iter().find(|(_, text)| named(text)).map(|(need, _)| need)
    }

    fn add(&mut self, task: &Task) {
        let open = |status: ItemStatus| !matches!(status, ItemStatus::Done | ItemStatus::Cancelled);
        for item in &task.items {
            match open(item.status) && task.status.is_live() {
                true => self.needs(item.source, Need::Step(item.id.to_string())),
                false => self.refer(item.source),
            }
        }
        task.facts.iter().filter(|fact| fact.valid).for_each(|fact| self.refer(fact.source));
        task.frames.iter().for_each(|frame| self.add_frame(frame));
        let Some(closing) = &task.closing else { return };
        self.add_artifacts(&closing.artifacts);
        for concluded in &closing.conclusions {
            self.refer(concluded.source);
            if closing.outcome == Outcome::Success {
                self.succeeded.insert(concluded.source);
            }
        }
    }

    fn add_frame(&mut self, frame: &Frame) {
        let beside = |id: &dyn std::fmt::Display| Need::Step(id.to_string());
        let firm = (frame.goal.iter().map(|goal| (goal.source, beside(&goal.id))))
            .chain(frame.due.iter().map(|due| (due.source, beside(&due.id))))
            .chain(frame.latest_result.iter().map(|result| (result.source, beside(&result.id))));
        firm.for_each(|(source, need)| self.needs(source, need));
        for constraint in frame.constraints.iter().filter(|constraint| constraint.in_force) {
            self.needs(constraint.source, beside(&constraint.id));
        }
        for warning in frame.warnings.iter().filter(|warning| !warning.cleared) {
            self.needs(warning.source, beside(&warning.id));
        }
        for step in &frame.steps {
            match step.status {
                StepStatus::Todo | StepStatus::Doing => {
                    self.needs(step.source, beside(&step.id));
                    self.texts.push((beside(&step.id), fold(&step.text)));
                }
                StepStatus::Done | StepStatus::Skipped | StepStatus::Cancelled => self.refer(step.source),
            }
        }
        for decision in &frame.decisions {
            match &decision.answer {
                None => {
                    let need = Need::Decision(decision.id.to_string());
                    self.texts.push((need.clone(), fold(&decision.question)));
                    self.needs.entry(decision.source).or_insert(need);
                }
                Some(answer) => self.decisions.extend([decision.source, answer.source]),
            }
        }
        let valid = frame.conclusions.iter().filter(|conclusion| conclusion.valid);
        valid.for_each(|conclusion| self.refer(conclusion.source));
        self.add_artifacts(&frame.artifacts);
        self.summaries.extend(frame.stage_summaries.iter().map(|summary| summary.source));
        for outcome in &frame.outcomes {
            self.refer(outcome.source);
            self.add_artifacts(&outcome.artifacts);
        }
    }

    fn needs(&mut self, source: EventId, need: Need) {
        self.needs.insert(source, need);
    }

    fn refer(&mut self, source: EventId) {
        *self.references.entry(source).or_default() += 1;
    }

    fn add_artifacts(&mut self, artifacts: &[Artifact]) {
        self.artifacts.extend(artifacts.iter().map(|artifact| artifact.source));
    }
}

impl Need {
    /// The element that needs it.
    pub fn element(&self) -> &str {
        match self {
            Self::Step(id) | Self::Decision(id) => id,
        }
    }
}
