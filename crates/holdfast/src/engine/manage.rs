//! Letting go (SPEC 6): the log and working memory are weighed, one decision is made for each event, and each is carried out.
//!
//! Three invariants: (1) nothing goes at once: what is discarded was on probation for its turns and its time, and nothing called for it;
//! (2) whatever is let go, an undo brings back; (3) nothing is held while it is weighed, and what is done is done in small commits, each
//! whole and with its lines of the journal, so that whoever dies over it has done less, and nothing wrong. Each commit looks again whether
//! open work has come to need what it lets go.

mod carry;
mod plan;
mod since;
mod stages;
#[cfg(test)]
mod tests;
mod weigh;
mod writing;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;

use self::carry::{Due, Moment, in_parts};
use self::plan::Plan;
use self::stages::{StageEnd, Summary};
use self::writing::Writer;
use super::{Engine, Error};
use crate::journal::MANAGER;
use crate::llm::Llm;
use crate::manager::{Policy, guard};
use crate::store::StoreError;
use crate::types::change::ChangeSet;
use crate::types::event::words;
use crate::types::ids::{EventId, RunId, Seq};
use crate::types::operation::{Target, Verb};
use crate::types::probation::OnProbation;
use crate::types::scope::{Owner, TaskId};

/// What a run has just done, when it asks whether it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// It read and weighed, and held nothing.
    Weighed,
    /// It held the owner's lock for as long.
    Committed,
    /// It waited for a model.
    Asked,
}

/// Asked between two pieces of work: may let others go first for a while; an error ends the run.
pub(super) type GoesOn<'a> = &'a dyn Fn(Work) -> Result<(), Error>;

/// How a run is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManageOptions {
    /// Only say what would be done.
    pub dry_run: bool,
    /// However much of the store it touches.
    pub force: bool,
    /// Working memory does not fit: an open stage is not spared.
    pub over_budget: bool,
}

/// What became of an event, or would.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Kept,
    /// A checked, shorter text stands for it.
    Compressed,
    Archived,
    OnProbation,
    /// It was on probation, and still is.
    Waiting,
    Discarded,
    Rescued,
    /// What it says was made a memory.
    Promoted,
    /// It was to be shortened or promoted, and stays as it is.
    Refused,
}

words!(Fate {
    Kept => "kept",
    Compressed => "compressed",
    Archived => "archived",
    OnProbation => "on_probation",
    Waiting => "waiting",
    Discarded => "discarded",
    Rescued => "rescued",
    Promoted => "promoted",
    Refused => "refused",
});

/// One event, and what was decided on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManagedEvent {
    pub event: EventId,
    pub seq: Seq,
    pub fate: Fate,
    /// From 0 to 1.
    pub score: f64,
    pub reason: String,
    /// Of its text in view. Counted where it changes.
    pub tokens_before: u64,
    pub tokens_after: u64,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

/// What a run did, or would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Managed {
    /// Everything it did is journaled under this, and is undone together.
    pub run: RunId,
    pub policy: String,
    pub dry_run: bool,
    /// One decision each, in log order.
    pub events: Vec<ManagedEvent>,
    /// Stages that had no summary and have one now.
    pub stage_summaries: Vec<String>,
    /// A dry run that would be stopped, and how to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blast: Option<String>,
}

impl Managed {
    pub fn count(&self, fate: Fate) -> u64 {
        self.events.iter().filter(|event| event.fate == fate).count() as u64
    }

    pub fn tokens_saved(&self) -> u64 {
        self.events.iter().map(|event| event.tokens_before.saturating_sub(event.tokens_after)).sum()
    }

    fn has_changed_something(&self) -> bool {
        let changes = |event: &ManagedEvent| !matches!(event.fate, Fate::Kept | Fate::Waiting | Fate::Refused);
        !self.stage_summaries.is_empty() || self.events.iter().any(changes)
    }
}

impl Engine {
    /// Goes through an owner's log and lets go what a policy no longer keeps. One run at a time; whatever it did can be undone by its run.
    /// Texts are shortened by the engine's language model, if it has one.
    pub fn manage(&self, owner: &Owner, policy: &Policy, options: ManageOptions) -> Result<Managed, Error> {
        self.manage_with(owner, policy, options, self.llm.as_deref())
    }

    /// As `manage`, with this model, or with none.
    pub fn manage_with(
        &self,
        owner: &Owner,
        policy: &Policy,
        options: ManageOptions,
        llm: Option<&dyn Llm>,
    ) -> Result<Managed, Error> {
        self.manage_beside(owner, policy, options, llm, &|_| Ok(()))
    }

    /// As `manage`, at the pace of others; when it is told to stop, what it did by then is done.
    pub(super) fn manage_beside(
        &self,
        owner: &Owner,
        policy: &Policy,
        options: ManageOptions,
        llm: Option<&dyn Llm>,
        goes_on: GoesOn<'_>,
    ) -> Result<Managed, Error> {
        let Some(_managing) = self.attention.manage(owner) else { return Err(Error::ManagerBusy) };
        // A run of its own, so that it is undone alone.
        let engine = Self { run: RunId(self.env.id()), ..self.handle() };
        // Whoever only asks what would be done spends nothing on it.
        let mut writer = llm.filter(|_| !options.dry_run).map(Writer::new);
        let mut stages = self.stages_left(owner)?;
        let mut summaries = Vec::new();
        for (task, ends) in &mut stages {
            for end in ends.iter_mut().filter(|end| !end.summarised) {
                let summary = engine.stage_summary(owner, task, end, writer.as_mut())?;
                goes_on(Work::Asked)?;
                end.summarised = summary.is_some();
                summaries.extend(summary.map(|summary| (task.clone(), end.clone(), summary)));
            }
        }
        let mut plan = self.plan_letting_go(owner, policy, options, &stages, goes_on)?;
        let touched = plan.due.iter().filter(|due| due.touches()).count() as u64;
        let named = |(task, end, _): &(TaskId, StageEnd, Summary)| format!("{task}: {}", end.stage);
        let mut managed = Managed {
            run: engine.run,
            policy: policy.name.clone(),
            dry_run: options.dry_run,
            events: Vec::new(),
            stage_summaries: summaries.iter().map(named).collect(),
            blast: None,
        };
        if let Err(blast) = guard(touched, plan.looked_at, policy)
            && !options.force
        {
            if !options.dry_run {
                return Err(blast.into());
            }
            managed.blast = Some(blast.to_string());
        }
        if options.dry_run {
            let Plan { events, due, promoted, .. } = plan;
            managed.events.extend(events.into_iter().chain(due.into_iter().map(|due| due.line)).chain(promoted));
        } else {
            for (task, end, summary) in &summaries {
                if !engine.keep_summary(owner, task, end, summary)? {
                    // Without it the stage is not over, and what was planned of it is void.
                    let ends = stages.get_mut(task).into_iter().flatten().filter(|other| other.through == end.through);
                    ends.for_each(|end| end.summarised = false);
                    plan = self.plan_letting_go(owner, policy, options, &stages, goes_on)?;
                    managed.stage_summaries.retain(|name| *name != format!("{task}: {}", end.stage));
                }
            }
            let Plan { events, due, promoted, at, turn, mut since, .. } = plan;
            managed.events.extend(events);
            let moment = Moment { at, turn, policy };
            // What a model is asked for comes last: nothing else waits for it.
            let (asked, due): (Vec<Due>, Vec<Due>) =
                due.into_iter().partition(|due| writer.is_some() && due.is_shortening());
            for part in in_parts(due) {
                managed.events.extend(engine.carry_out(owner, &moment, &mut since, part)?);
                goes_on(Work::Committed)?;
            }
            for due in asked {
                let due = match &mut writer {
                    Some(writer) => engine.written(owner, due, writer)?,
                    None => due,
                };
                goes_on(Work::Asked)?;
                managed.events.extend(engine.carry_out(owner, &moment, &mut since, vec![due])?);
                goes_on(Work::Committed)?;
            }
            managed.events.extend(engine.promote(owner, promoted)?);
            if managed.has_changed_something() {
                engine.tell_of_run(owner, &managed)?;
                self.embedding.wake();
            }
        }
        managed.events.sort_by_key(|event| event.seq);
        Ok(managed)
    }

    /// Which events wait to be let go, in log order.
    pub fn on_probation(&self, owner: &Owner) -> Result<Vec<OnProbation>, Error> {
        Ok(self.store.probation(owner)?)
    }

    /// What is named as worth it goes the way of all that is learned, by the same gate.
    fn promote(&self, owner: &Owner, mut named: Vec<ManagedEvent>) -> Result<Vec<ManagedEvent>, Error> {
        if named.is_empty() {
            return Ok(named);
        }
        self.learn(owner)?;
        let memories = self.store.memories(owner, &crate::types::memory::MemoryFilter::default())?;
        let known: BTreeSet<EventId> =
            memories.iter().flat_map(|memory| &memory.sources).filter_map(|source| source.event).collect();
        let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
        for line in &mut named {
            if known.contains(&line.event) {
                let target = Target::Event(line.event);
                changes.operations.push(self.operation(owner, Verb::Promote, target, MANAGER, line.reason.clone()));
            } else {
                line.fate = Fate::Refused;
                line.reason = format!("the gate of long-term memory takes nothing of it; {}", line.reason);
            }
        }
        if !changes.operations.is_empty() {
            self.store.commit(changes)?;
        }
        Ok(named)
    }

    /// One line for the whole, with what no single line tells.
    fn tell_of_run(&self, owner: &Owner, managed: &Managed) -> Result<(), StoreError> {
        let counts: BTreeMap<&str, u64> = Fate::ALL
            .iter()
            .map(|fate| (fate.as_str(), managed.count(*fate)))
            .filter(|(_, count)| *count > 0)
            .collect();
        let reason = format!("a run by policy {}", managed.policy);
        let mut operation = self.operation(owner, Verb::Manage, Target::Store, MANAGER, reason);
        let mut after = json!(counts);
        after["tokens_saved"] = json!(managed.tokens_saved());
        operation.after = Some(after);
        self.store.commit(ChangeSet { owner: owner.clone(), operations: vec![operation], ..ChangeSet::default() })?;
        Ok(())
    }
}
