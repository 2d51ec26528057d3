//! Letting go (SPEC 6): the log and working memory are weighed, one decision is made for each event, and each is carried out.
//!
//! Three invariants: (1) nothing goes at once: what is discarded was on probation for its turns and its time, and nothing called for it;
//! (2) whatever is let go, an undo brings back; (3) nothing is held while it is weighed, and what is done is done in small commits, each
//! whole and with its lines of the journal, so that whoever dies over it has done less, and nothing wrong. Each commit looks again whether
//! open work has come to need what it lets go.

mod stages;
#[cfg(test)]
mod tests;
mod weigh;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::stages::StageEnd;
use self::weigh::{mention, standing_words};
use super::archive::{KEPT_BYTES_MAX, archived};
use super::{Engine, Error};
use crate::journal::MANAGER;
use crate::manager::{
    Candidate, Citations, Decision, Disposition, Policy, Pressure, Probation, Room, compress, decide, guard, score,
};
use crate::store::{JournalPage, StoreError};
use crate::text::{self, Tokenizer};
use crate::types::change::{ArchivedBody, ChangeSet, Hiding, ProbationChange};
use crate::types::event::{Kind, StoredEvent, words};
use crate::types::ids::{EventId, RunId, Seq};
use crate::types::operation::{JournalEntry, Operation, Target, Verb};
use crate::types::probation::{OnProbation, Sentence};
use crate::types::query::Filter;
use crate::types::scope::{Owner, TaskId};

/// Events read at a time.
const PAGE: usize = 500;

/// Events let go in one commit: whoever records an event meanwhile waits for no more than that, a few milliseconds.
const EVENTS_A_COMMIT: usize = 25;

/// Lines of the journal on one event that are looked at, the newest.
const LINES_OF_AN_EVENT_MAX: usize = 100;

/// Of its tokens, so many are left of a text that is compressed: below a third, the gate was measured to leave little but names.
const COMPRESSED_SHARE: f64 = 0.4;

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

/// Something to be done to one event.
struct Due {
    line: ManagedEvent,
    was_archived: bool,
    what: What,
}

enum What {
    Put(Sentence),
    Rescue { cause: Option<EventId> },
    Discard(OnProbation),
    Archive(ArchivedBody),
    Compress(ArchivedBody),
    Refuse,
}

/// The whole of a run, worked out.
struct Plan {
    events: Vec<ManagedEvent>,
    due: Vec<Due>,
    promoted: Vec<ManagedEvent>,
    looked_at: u64,
    at: Timestamp,
    turn: u64,
}

impl Engine {
    /// Goes through an owner's log and lets go what a policy no longer keeps. One run at a time; whatever it did can be undone by its run.
    pub fn manage(&self, owner: &Owner, policy: &Policy, options: ManageOptions) -> Result<Managed, Error> {
        self.manage_until(owner, policy, options, &|| false)
    }

    /// As `manage`, until it is told to stop: then with an error, and what it did by then is done.
    pub(super) fn manage_until(
        &self,
        owner: &Owner,
        policy: &Policy,
        options: ManageOptions,
        stops: &dyn Fn() -> bool,
    ) -> Result<Managed, Error> {
        let Some(_managing) = self.attention.manage(owner) else { return Err(Error::ManagerBusy) };
        // A run of its own, so that it is undone alone.
        let engine = Self { run: RunId(self.env.id()), ..self.handle() };
        let mut stages = self.stages_left(owner)?;
        let mut summaries = Vec::new();
        for (task, ends) in &mut stages {
            for end in ends.iter_mut().filter(|end| !end.summarised) {
                let text = engine.stage_summary(owner, task, end)?;
                end.summarised = text.is_some();
                summaries.extend(text.map(|text| (task.clone(), end.clone(), text)));
            }
        }
        let mut plan = self.plan_letting_go(owner, policy, options, &stages, stops)?;
        let touched = plan.due.iter().filter(|due| due.touches()).count() as u64;
        let named = |(task, end, _): &(TaskId, StageEnd, String)| format!("{task}: {}", end.stage);
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
            for (task, end, text) in &summaries {
                if !engine.keep_summary(owner, task, end, text)? {
                    // Without it the stage is not over, and what was planned of it is void.
                    let ends = stages.get_mut(task).into_iter().flatten().filter(|other| other.through == end.through);
                    ends.for_each(|end| end.summarised = false);
                    plan = self.plan_letting_go(owner, policy, options, &stages, stops)?;
                    managed.stage_summaries.retain(|name| *name != format!("{task}: {}", end.stage));
                }
            }
            let Plan { events, due, promoted, at, turn, .. } = plan;
            managed.events.extend(events);
            let moment = Moment { at, turn, policy };
            for part in in_parts(due) {
                if stops() {
                    return Err(StoreError::Closed.into());
                }
                managed.events.extend(engine.carry_out(owner, &moment, part)?);
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

    /// One decision for each event in view.
    fn plan_letting_go(
        &self,
        owner: &Owner,
        policy: &Policy,
        options: ManageOptions,
        stages: &BTreeMap<TaskId, Vec<StageEnd>>,
        stops: &dyn Fn() -> bool,
    ) -> Result<Plan, Error> {
        let embedder = self.embedding.serving()?.map(|embedder| &**embedder);
        let scales = &self.scales(owner, embedder, stages, policy.summary.stage_required)?;
        let waiting = self.store.probation(owner)?;
        let said = match waiting.iter().map(|waiting| waiting.probation.since_turn).min() {
            Some(turn) => self.said_since(owner, turn)?,
            None => Vec::new(),
        };
        let mut waiting: BTreeMap<Seq, OnProbation> = waiting.into_iter().map(|one| (one.seq, one)).collect();
        let turn = u64::try_from(scales.turn.0).unwrap_or(0);
        let mut plan =
            Plan { events: Vec::new(), due: Vec::new(), promoted: Vec::new(), looked_at: 0, at: scales.now, turn };
        let pressure = if options.over_budget { Pressure::OverBudget } else { Pressure::None };
        let repeated = self.standing_repeated(owner)?;
        for events in self.event_pages(owner, Filter::default(), PAGE) {
            if stops() {
                return Err(StoreError::Closed.into());
            }
            let events = events?;
            plan.looked_at += events.len() as u64;
            let positions: Vec<Seq> = events.iter().map(|stored| stored.seq).collect();
            let relevance = self.relevance(owner, scales, &positions)?;
            // What only says that the talk went elsewhere is a signpost, and costs nothing.
            for stored in events.iter().filter(|stored| stored.event.kind != Kind::TaskSwitch) {
                let relevance = relevance.get(&stored.seq).copied().unwrap_or_default();
                let mut candidate = scales.candidate(stored, relevance);
                candidate.standing_repeated = !scales.is_in_memory(candidate.id)
                    && standing_words(stored).is_some_and(|words| repeated.contains(&words));
                let waiting = waiting.remove(&stored.seq);
                let rescue = waiting.as_ref().and_then(|waiting| scales.rescue(waiting, stored, &said));
                let judged = self.decided_on(owner, stored, candidate, policy, pressure, waiting.is_some())?;
                match (waiting, rescue) {
                    (Some(_), Some(rescue)) => {
                        let cause = match &rescue {
                            crate::manager::Rescue::Mentioned { by } => Some(*by),
                            _ => None,
                        };
                        let line = line(stored, &judged.decision, Fate::Rescued, rescue.to_string());
                        plan.due.push(Due { line, was_archived: stored.archived, what: What::Rescue { cause } });
                    }
                    (waiting, _) => self.add_to_plan(stored, judged, waiting, policy, &mut plan),
                }
            }
        }
        Ok(plan)
    }

    /// What is decided on an event by its score, and by what was done to it before.
    fn decided_on(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
        mut candidate: Candidate,
        policy: &Policy,
        pressure: Pressure,
        waits: bool,
    ) -> Result<Judged, Error> {
        let by_score = |candidate: &Candidate| decide(candidate, score(candidate, policy), policy, pressure);
        let mut decision = by_score(&candidate);
        if matches!(decision.disposition, Disposition::Keep | Disposition::Promote) && !waits {
            return Ok(Judged { decision, was_refused: false });
        }
        // Few are touched: what was done to each is looked up one by one.
        let page = JournalPage {
            event: Some(candidate.id),
            newest_first: true,
            limit: LINES_OF_AN_EVENT_MAX,
            ..JournalPage::default()
        };
        let lines = self.store.journal(owner, &page)?;
        let done = |verb: Verb| {
            lines.iter().filter(move |line: &&JournalEntry| {
                line.operation.verb == verb && line.operation.target == Target::Event(stored.event.id)
            })
        };
        let rescued = done(Verb::Rescue).count();
        candidate.references = candidate.references.saturating_add(u32::try_from(rescued).unwrap_or(u32::MAX));
        candidate.tokens = usize::try_from(tokens(&stored.event.content)).unwrap_or(usize::MAX);
        decision = by_score(&candidate);
        if done(Verb::Unhide).chain(done(Verb::Restore)).next().is_some() {
            decision.disposition = Disposition::Keep;
            decision.reason = "somebody brought it back".to_owned();
        }
        let was_refused = done(Verb::Refuse).any(|line| line.operation.actor == MANAGER);
        Ok(Judged { decision, was_refused })
    }

    /// Adds one decision to the plan.
    fn add_to_plan(
        &self,
        stored: &StoredEvent,
        judged: Judged,
        waiting: Option<OnProbation>,
        policy: &Policy,
        plan: &mut Plan,
    ) {
        let Judged { decision, was_refused } = judged;
        let kept = |why: &str| line(stored, &decision, Fate::Kept, format!("{why}; {}", decision.reason));
        let mut due = |fate: Fate, text_after: Option<&str>, what: What| {
            let line = changed(line(stored, &decision, fate, decision.reason.clone()), stored, text_after);
            plan.due.push(Due { line, was_archived: stored.archived, what });
        };
        match (decision.disposition, waiting) {
            (Disposition::Discard, Some(waiting)) if waiting.probation.is_over(plan.at, plan.turn) => {
                due(Fate::Discarded, Some(""), What::Discard(waiting));
            }
            (Disposition::Discard, Some(_)) => {
                plan.events.push(line(stored, &decision, Fate::Waiting, decision.reason.clone()));
            }
            // It scores better by now.
            (_, Some(_)) => due(Fate::Rescued, None, What::Rescue { cause: None }),
            (Disposition::Discard, None) => {
                let (policy, score) = (policy.name.clone(), decision.score.total);
                due(Fate::OnProbation, None, What::Put(Sentence { policy, score, reason: decision.reason.clone() }));
            }
            (Disposition::Keep, None) => {
                plan.events.push(line(stored, &decision, Fate::Kept, decision.reason.clone()));
            }
            (Disposition::Promote, None) => {
                plan.promoted.push(line(stored, &decision, Fate::Promoted, decision.reason.clone()));
            }
            (Disposition::Archive, None) if stored.event.content.len() <= KEPT_BYTES_MAX => {
                plan.events.push(kept("its summary would be itself"));
            }
            (Disposition::Archive, None) => {
                let body = findable(archived(stored), stored);
                due(Fate::Archived, Some(&body.summary.clone()), What::Archive(body));
            }
            (Disposition::Compress, None) if was_refused => {
                plan.events.push(kept("it could not be shortened before"));
            }
            (Disposition::Compress, None) => match compressed(stored) {
                Some(body) => due(Fate::Compressed, Some(&body.summary.clone()), What::Compress(body)),
                None => {
                    let line = line(stored, &decision, Fate::Refused, "no shorter text is true to it".to_owned());
                    plan.due.push(Due { line, was_archived: stored.archived, what: What::Refuse });
                }
            },
        }
    }

    /// What the user said is to hold, and said more than once.
    fn standing_repeated(&self, owner: &Owner) -> Result<BTreeSet<String>, StoreError> {
        let filter = Filter { sources: vec![crate::types::event::Source::User], ..Filter::default() };
        let (mut once, mut repeated) = (BTreeSet::new(), BTreeSet::new());
        for events in self.event_pages(owner, filter, PAGE) {
            for words in events?.iter().filter_map(standing_words) {
                if !once.insert(words.clone()) {
                    repeated.insert(words);
                }
            }
        }
        Ok(repeated)
    }

    /// One commit: what of a part of the plan still stands is done, and what became of each is told.
    fn carry_out(&self, owner: &Owner, moment: &Moment<'_>, part: Vec<Due>) -> Result<Vec<ManagedEvent>, Error> {
        self.with_at_hand(owner, |at_hand| {
            let citations = Citations::of(at_hand.tasks.iter().filter(|task| task.status.is_live()));
            let served = self.served_since(owner, Some(moment.at))?;
            let said = self.said_since(owner, moment.turn)?;
            let waiting: BTreeSet<Seq> = match part.iter().any(|due| matches!(due.what, What::Discard(_))) {
                true => self.store.probation(owner)?.into_iter().map(|waiting| waiting.seq).collect(),
                false => BTreeSet::new(),
            };
            let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
            let mut lines = Vec::with_capacity(part.len());
            for Due { mut line, was_archived, what } in part {
                let stored = self.store.event(owner, line.event)?;
                let there = stored.filter(|stored| !stored.hidden && stored.archived == was_archived);
                let is_rescue = matches!(what, What::Rescue { .. } | What::Refuse);
                let wanted = |stored: &StoredEvent| {
                    let called = || citations.need(stored).is_some() || served.contains_key(&stored.event.id);
                    // Mentions count from when it waits; somebody may have undone that it did.
                    let of_discard = || mention(stored, &said).is_some() || !waiting.contains(&stored.seq);
                    !is_rescue && (called() || matches!(what, What::Discard(_)) && of_discard())
                };
                match there.filter(|stored| !wanted(stored)) {
                    Some(stored) => self.carry_out_one(moment, &stored, what, &line, &mut changes),
                    None => {
                        line.fate = Fate::Kept;
                        line.reason = format!("it was asked for, or changed, meanwhile; {}", line.reason);
                        (line.tokens_after, line.bytes_after) = (line.tokens_before, line.bytes_before);
                    }
                }
                lines.push(line);
            }
            if !changes.operations.is_empty() {
                self.store.commit(changes)?;
            }
            Ok(lines)
        })
    }

    fn carry_out_one(
        &self,
        moment: &Moment<'_>,
        stored: &StoredEvent,
        what: What,
        line: &ManagedEvent,
        changes: &mut ChangeSet,
    ) {
        let (seq, id) = (stored.seq, stored.event.id);
        let size = |tokens: u64, bytes: u64| json!({ "tokens": tokens, "bytes": bytes });
        let (before, after) = (size(line.tokens_before, line.bytes_before), size(line.tokens_after, line.bytes_after));
        let told = |verb: Verb, before: Option<Value>, after: Option<Value>| {
            let policy = &moment.policy.name;
            let reason = format!("{}; policy {policy}", line.reason);
            let target = Target::Event(id);
            Operation { before, after, ..self.operation(&changes.owner, verb, target, MANAGER, reason) }
        };
        let operation = match what {
            What::Put(sentence) => {
                let probation = Probation::begin(moment.at, moment.turn, &moment.policy.probation);
                let put = OnProbation { seq, id, probation, sentence };
                let operation = told(Verb::Probation, None, Some(json!(put)));
                changes.probation.push(ProbationChange::Put(put));
                operation
            }
            What::Rescue { cause } => {
                changes.probation.push(ProbationChange::Lift(seq));
                Operation { cause, ..told(Verb::Rescue, None, None) }
            }
            What::Discard(waiting) => {
                let mut before = before;
                before["archived"] = json!(stored.archived);
                before["probation"] = json!(waiting);
                let mut after = after;
                after["turn"] = json!(moment.turn);
                let operation = told(Verb::Discard, Some(before), Some(after));
                if !stored.archived && stored.event.content.len() > KEPT_BYTES_MAX {
                    changes.archived.push(findable(archived(stored), stored));
                }
                changes.hidden.push(Hiding { seq, hidden: true });
                operation
            }
            What::Archive(body) => {
                changes.archived.push(body);
                told(Verb::Archive, Some(before), Some(after))
            }
            What::Compress(body) => {
                changes.archived.push(body);
                told(Verb::Compress, Some(before), Some(after))
            }
            What::Refuse => told(Verb::Refuse, None, None),
        };
        changes.operations.push(operation);
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

/// When a run was weighed, and by what.
struct Moment<'a> {
    at: Timestamp,
    turn: u64,
    policy: &'a Policy,
}

struct Judged {
    decision: Decision,
    /// A run before this found no shorter text for it.
    was_refused: bool,
}

impl Due {
    /// Whether the event is less in view for it, or soon may be.
    fn touches(&self) -> bool {
        !matches!(self.what, What::Rescue { .. } | What::Refuse)
    }
}

fn in_parts(due: Vec<Due>) -> Vec<Vec<Due>> {
    // What is called back first: whoever is interrupted has then let go nothing that was wanted.
    let (mut first, rest): (Vec<Due>, Vec<Due>) =
        due.into_iter().partition(|due| matches!(due.what, What::Rescue { .. }));
    first.extend(rest);
    let mut parts: Vec<Vec<Due>> = Vec::new();
    for due in first {
        match parts.last_mut().filter(|part| part.len() < EVENTS_A_COMMIT) {
            Some(part) => part.push(due),
            None => parts.push(vec![due]),
        }
    }
    parts
}

fn line(stored: &StoredEvent, decision: &Decision, fate: Fate, reason: String) -> ManagedEvent {
    let (event, seq, score) = (stored.event.id, stored.seq, decision.score.total);
    let bytes = stored.event.content.len() as u64;
    let (bytes_before, bytes_after) = (bytes, bytes);
    ManagedEvent { event, seq, fate, score, reason, tokens_before: 0, tokens_after: 0, bytes_before, bytes_after }
}

/// With the text that is in view afterwards; `None`: the same.
fn changed(line: ManagedEvent, stored: &StoredEvent, after: Option<&str>) -> ManagedEvent {
    let Some(after) = after else { return line };
    ManagedEvent {
        tokens_before: tokens(&stored.event.content),
        tokens_after: tokens(after),
        bytes_after: after.len() as u64,
        ..line
    }
}

fn tokens(text: &str) -> u64 {
    Tokenizer::default().count(text) as u64
}

/// The body is found by every word it has, though fewer stand for it: what a run lets go may be asked for by a detail.
fn findable(body: ArchivedBody, stored: &StoredEvent) -> ArchivedBody {
    ArchivedBody { terms: text::indexed(&stored.event.content), ..body }
}

/// A shorter text that is true to the event's.
fn compressed(stored: &StoredEvent) -> Option<ArchivedBody> {
    let content = &stored.event.content;
    let tokenizer = Tokenizer::default();
    let most = (tokenizer.count(content) as f64 * COMPRESSED_SHARE) as usize;
    let named: Vec<&str> = stored.signals.entities.iter().map(|entity| entity.text.as_str()).collect();
    let summary = compress(content, Room::Tokens(tokenizer, most), &named)?;
    Some(findable(ArchivedBody { seq: stored.seq, summary, terms: String::new() }, stored))
}
