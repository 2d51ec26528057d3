//! What a run goes by: what tasks cite, what was served, what memories rest on, which stages are over. Read once, without a lock;
//! whatever is done by it is looked at again under one.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::stages::StageEnd;
use crate::embedding::Embedder;
use crate::engine::{Embedded, Engine, Error};
use crate::forget;
use crate::manager::{Candidate, Citations, Rescue};
use crate::store::{EventPage, JournalPage, StoreError};
use crate::text::{contains_whole, fold, is_stop_term, term_set};
use crate::types::event::{Kind, Source, StoredEvent};
use crate::types::ids::{EventId, OperationId, Seq};
use crate::types::memory::{MemoryFilter, MemoryKind, MemoryStatus};
use crate::types::operation::Verb;
use crate::types::probation::OnProbation;
use crate::types::query::Filter;
use crate::types::scope::{Owner, TaskId};
use crate::types::signals::{EntityKind, Standing};
use crate::types::task::Task;

/// Blocks looked back at for what was served in them: an agent that asks with every step has so many in a week.
const SERVINGS_MAX: usize = 2_000;
const SERVINGS_A_PAGE: usize = 500;

/// Goals that relevance is measured by: those of the tasks that were worked on last.
const GOALS_MAX: usize = 20;

/// Who has so much of what a goal's words weigh is about it: goals are sentences, and few lines repeat one.
const GOAL_SHARE_FULL: f64 = 0.5;

/// Later words of the user looked through for what they mention, the newest.
const MENTIONS_MAX: usize = 500;

/// A shorter name is in too many sentences to mention anything; a number needs as many digits.
const MENTIONED_CHARACTERS_MIN: usize = 2;
const MENTIONED_ASCII_MIN: usize = 4;

/// How an event was served.
#[derive(Debug, Clone, Copy)]
pub(super) struct Served {
    pub(super) count: u32,
    /// Last, and by which line of the journal.
    pub(super) at: Timestamp,
    pub(super) by: OperationId,
}

/// Everything that events are weighed by.
pub(super) struct Scales {
    pub(super) now: Timestamp,
    /// The position of the newest event: the turn it is now.
    pub(super) turn: Seq,
    pub(super) citations: Citations,
    pub(super) served: BTreeMap<EventId, Served>,
    /// Drawn from by tasks and memories that are there.
    drawn: BTreeSet<EventId>,
    memories: BTreeMap<EventId, MemoryKind>,
    /// Of tasks that go on: the stages that are over, in their order.
    stages: BTreeMap<TaskId, Vec<StageEnd>>,
    /// A stage must have its summary before it counts as over.
    stage_required: bool,
    goals: Goals,
}

/// What the tasks at hand are for, as words and as vectors.
#[derive(Default)]
struct Goals {
    /// Of each term, the goals that have it and what it weighs there.
    terms: BTreeMap<String, Vec<(usize, f64)>>,
    totals: Vec<f64>,
    vectors: Vec<Embedded>,
}

impl Engine {
    pub(super) fn scales(
        &self,
        owner: &Owner,
        embedder: Option<&dyn Embedder>,
        tasks: &[Task],
        turn: Seq,
        stages: &BTreeMap<TaskId, Vec<StageEnd>>,
        stage_required: bool,
    ) -> Result<Scales, Error> {
        let filter = MemoryFilter { slot: None, statuses: MemoryStatus::OPEN.to_vec() };
        let mut memories = BTreeMap::new();
        for memory in self.store.memories(owner, &filter)? {
            let sources = memory.sources.iter().filter_map(|source| source.event);
            memories.extend(sources.map(|source| (source, memory.kind)));
        }
        let mut drawn: BTreeSet<EventId> = tasks.iter().flat_map(forget::sources).collect();
        drawn.extend(memories.keys());
        Ok(Scales {
            now: self.env.now(),
            turn,
            citations: Citations::of(tasks),
            served: self.served_of_late(owner)?,
            drawn,
            memories,
            stages: stages.clone(),
            stage_required,
            goals: self.goals(owner, embedder, tasks)?,
        })
    }

    /// What was served, as far as is looked back.
    fn served_of_late(&self, owner: &Owner) -> Result<BTreeMap<EventId, Served>, StoreError> {
        let page = JournalPage {
            verb: Some(Verb::Serve),
            newest_first: true,
            limit: SERVINGS_A_PAGE,
            ..JournalPage::default()
        };
        let mut served: BTreeMap<EventId, Served> = BTreeMap::new();
        for lines in self.journal_pages(owner, page).take(SERVINGS_MAX / SERVINGS_A_PAGE) {
            for line in lines? {
                let (at, by) = (line.operation.at, line.operation.id);
                // The newest come first.
                for event in events_in(line.operation.after.as_ref()) {
                    served.entry(event).or_insert(Served { count: 0, at, by }).count += 1;
                }
            }
        }
        Ok(served)
    }

    fn goals(&self, owner: &Owner, embedder: Option<&dyn Embedder>, tasks: &[Task]) -> Result<Goals, Error> {
        let live = tasks.iter().filter(|task| task.status.is_live()).take(GOALS_MAX);
        let texts: Vec<String> = live.map(goal_text).filter(|text| !text.trim().is_empty()).collect();
        let sets: Vec<BTreeSet<String>> =
            texts.iter().map(|text| term_set(text).into_iter().filter(|term| !is_stop_term(term)).collect()).collect();
        let all: Vec<String> = sets.iter().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let counts = self.store.lexical(owner, &all, &Filter::default(), 0)?;
        let weigh = |rows: u64| (1.0 + counts.total_rows as f64 / (1.0 + rows as f64)).ln();
        let weights: BTreeMap<&String, f64> =
            all.iter().zip(counts.term_rows.iter().map(|rows| weigh(*rows))).collect();
        let mut goals = Goals::default();
        for (place, set) in sets.iter().enumerate() {
            let weight = |term: &String| weights.get(term).copied().unwrap_or_default();
            goals.totals.push(set.iter().map(weight).sum());
            for term in set {
                goals.terms.entry(term.clone()).or_default().push((place, weight(term)));
            }
        }
        let Some(embedder) = embedder.filter(|_| !texts.is_empty()) else { return Ok(goals) };
        match embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>()) {
            Ok(vectors) => {
                let common = embedder.common().map(<[f32]>::to_vec);
                let of = |vector| Embedded { model: embedder.model().clone(), vector, common: common.clone() };
                goals.vectors = vectors.into_iter().map(of).collect();
            }
            Err(error) => tracing::warn!(%error, "goals could not be embedded, relevance goes by words: {error}"),
        }
        Ok(goals)
    }

    /// How near each of these events is to a goal, 0 to 1.
    pub(super) fn relevance(
        &self,
        owner: &Owner,
        scales: &Scales,
        positions: &[Seq],
    ) -> Result<BTreeMap<Seq, f64>, Error> {
        let goals = &scales.goals;
        let mut relevance: BTreeMap<Seq, f64> = BTreeMap::new();
        if goals.totals.is_empty() {
            return Ok(relevance);
        }
        for traits in self.store.traits(owner, positions)? {
            let mut sums = vec![0.0; goals.totals.len()];
            let terms: BTreeSet<&str> = traits.terms.split_whitespace().collect();
            for (goal, weight) in terms.iter().filter_map(|term| goals.terms.get(*term)).flatten() {
                sums[*goal] += weight;
            }
            let shares = sums.iter().zip(&goals.totals).filter(|(_, total)| **total > 0.0);
            let best = shares.map(|(sum, total)| sum / total / GOAL_SHARE_FULL).fold(0.0, f64::max);
            relevance.insert(traits.seq, best.min(1.0));
        }
        for vector in &goals.vectors {
            for (seq, cosine) in self.store.cosines(owner, &vector.query(), positions)? {
                let known = relevance.entry(seq).or_default();
                *known = known.max(f64::from(cosine).clamp(0.0, 1.0));
            }
        }
        Ok(relevance)
    }

    /// What the user said since a turn, folded, the newest last.
    pub(super) fn said_since(&self, owner: &Owner, turn: u64) -> Result<Vec<(Seq, EventId, String)>, StoreError> {
        let filter = Filter { sources: vec![Source::User], ..Filter::default() };
        let page = EventPage { filter, newest_first: true, limit: MENTIONS_MAX, after: None };
        let mut said: Vec<(Seq, EventId, String)> = Vec::new();
        for stored in self.store.events(owner, &page)? {
            if u64::try_from(stored.seq.0).unwrap_or(0) <= turn {
                break;
            }
            said.push((stored.seq, stored.event.id, fold(&stored.event.content)));
        }
        said.reverse();
        Ok(said)
    }
}

impl Scales {
    /// An event as it is judged. Its tokens are counted where they decide something.
    pub(super) fn candidate(&self, stored: &StoredEvent, relevance: f64) -> Candidate {
        let event = &stored.event;
        let id = event.id;
        let need = self.citations.need(stored);
        let is_need =
            |decision: bool| need.is_some_and(|need| matches!(need, crate::manager::Need::Decision(_)) == decision);
        let manner = &stored.signals.manner;
        let by_manner = match (manner.instructs, manner.prefers) {
            (true, _) => Some(MemoryKind::Rule),
            (_, true) => Some(MemoryKind::Preference),
            _ => None,
        };
        // A path or an id is mentioned when it is needed, and called back by that; a kind of work or of form is a word like others.
        let states =
            |kind| matches!(kind, EntityKind::Name | EntityKind::Date | EntityKind::Number | EntityKind::Money);
        let served = self.served.get(&id).map_or(0, |served| served.count);
        let cited = self.citations.references.get(&id).copied().unwrap_or(0);
        let in_memory = u32::from(self.memories.contains_key(&id));
        Candidate {
            seq: stored.seq,
            id,
            source: event.source,
            kind: event.kind,
            trust: event.trust,
            tokens: usize::MAX,
            age: self.now.duration_since(event.occurred_at.timestamp()),
            turns: u32::try_from(self.turn.0 - stored.seq.0).unwrap_or(0),
            stage_closed: self.stage_closed(stored),
            references: served + cited + in_memory,
            cited_by_unfinished_step: is_need(false),
            cited_by_open_decision: is_need(true),
            produced_artifact: self.citations.artifacts.contains(&id),
            relevance,
            is_summary: self.citations.summaries.contains(&id),
            is_decision: self.citations.decisions.contains(&id) || decides(stored),
            bears_facts: stored.signals.entities.iter().any(|entity| states(entity.kind)),
            drawn_from: self.drawn.contains(&id),
            archived: stored.archived,
            states: self.memories.get(&id).copied().or(by_manner),
            standing_repeated: false,
            concludes_success: self.citations.succeeded.contains(&id) && !self.memories.contains_key(&id),
        }
    }

    /// Whether a memory says what this event does.
    pub(super) fn is_in_memory(&self, id: EventId) -> bool {
        self.memories.contains_key(&id)
    }

    fn stage_closed(&self, stored: &StoredEvent) -> bool {
        // What is of no task, or of one that ended, is in no stage.
        let Some(ends) = stored.event.scope.task.as_ref().and_then(|task| self.stages.get(task)) else { return true };
        let is_in = |end: &&StageEnd| end.after < stored.seq && stored.seq <= end.through;
        ends.iter().find(is_in).is_some_and(|end| end.summarised || !self.stage_required)
    }

    /// What calls an event back that is on probation, if anything does. `said`: what the user said since.
    pub(super) fn rescue(
        &self,
        waiting: &OnProbation,
        stored: &StoredEvent,
        said: &[(Seq, EventId, String)],
    ) -> Option<Rescue> {
        let served = self.served.get(&waiting.id).filter(|served| served.at > waiting.probation.since);
        if let Some(served) = served {
            return Some(Rescue::Served { by: served.by });
        }
        if let Some(need) = self.citations.need(stored) {
            return Some(Rescue::CitedByStep { step: need.element().to_owned() });
        }
        let since = i64::try_from(waiting.probation.since_turn).unwrap_or(i64::MAX);
        mention(stored, said.iter().filter(|(seq, _, _)| seq.0 > since)).map(|by| Rescue::Mentioned { by })
    }
}

/// Who of these names what an event does.
pub(super) fn mention<'a>(
    stored: &StoredEvent,
    said: impl IntoIterator<Item = &'a (Seq, EventId, String)>,
) -> Option<EventId> {
    let names = names(stored);
    let mut others = said.into_iter().filter(|(_, id, _)| *id != stored.event.id);
    others.find(|(_, _, text)| names.iter().any(|name| contains_whole(text, name))).map(|(_, by, _)| *by)
}

/// What an event may be mentioned by: whom and what it names, not its dates.
fn names(stored: &StoredEvent) -> BTreeSet<String> {
    let tells = |text: &str| {
        let characters = text.chars().count();
        characters >= if text.is_ascii() { MENTIONED_ASCII_MIN } else { MENTIONED_CHARACTERS_MIN }
    };
    let named =
        stored.signals.entities.iter().filter(|entity| !matches!(entity.kind, EntityKind::Date | EntityKind::Format));
    named.map(|entity| fold(&entity.text)).filter(|name| tells(name)).collect()
}

/// An agent's line on a decision, as updates are put into the log.
fn decides(stored: &StoredEvent) -> bool {
    stored.event.kind == Kind::StatusChange
        && stored.event.content.lines().any(|line| line.starts_with("resolve decision"))
}

fn goal_text(task: &Task) -> String {
    let mut text = task.title.clone();
    for frame in &task.frames {
        let step = frame.steps.iter().find(|step| frame.current_step.as_ref() == Some(&step.id));
        for part in frame.goal.iter().map(|goal| &goal.text).chain(step.map(|step| &step.text)) {
            text.push('\n');
            text.push_str(part);
        }
    }
    text
}

/// What the user says is to hold, in the words that count as the same.
pub(super) fn standing_words(stored: &StoredEvent) -> Option<String> {
    let standing = stored.signals.instructions.iter().find(|order| order.standing == Standing::Standing);
    standing.filter(|_| stored.event.source == Source::User).map(|order| fold(order.text.trim()))
}

/// The events in what a line of the journal says was served.
pub(super) fn events_in(after: Option<&Value>) -> Vec<EventId> {
    let served = after.and_then(|after| after.get("served")).and_then(Value::as_array);
    served.into_iter().flatten().filter_map(|item| item.get("event").and_then(Value::as_str)?.parse().ok()).collect()
}
