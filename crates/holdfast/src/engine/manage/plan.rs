//! What is to become of each event in view: read page by page, without a lock, each judged by its score and by what was done to it before.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::carry::{Due, What, findable};
use super::since::Since;
use super::stages::StageEnd;
use super::weigh::standing_words;
use super::writing::Written;
use super::{Fate, GoesOn, ManageOptions, ManagedEvent, Work};
use crate::engine::archive::{KEPT_BYTES_MAX, archived};
use crate::engine::{Engine, Error};
use crate::journal::MANAGER;
use crate::manager::{Candidate, Decision, Disposition, Policy, Pressure, Rescue, Room, compress, decide, score};
use crate::store::{EventPage, JournalPage};
use crate::text::Tokenizer;
use crate::types::change::ArchivedBody;
use crate::types::event::{Kind, StoredEvent};
use crate::types::ids::Seq;
use crate::types::operation::{JournalEntry, Target, Verb};
use crate::types::probation::{OnProbation, Sentence};
use crate::types::query::Filter;
use crate::types::scope::{Owner, TaskId};

/// Events read at a time: between two pages whoever runs beside it comes first.
const PAGE: usize = 100;

/// Lines of the journal on one event that are looked at, the newest.
const LINES_OF_AN_EVENT_MAX: usize = 100;

/// Of its tokens, so many are left of a text that is compressed: below a third, the gate was measured to leave little but names.
const COMPRESSED_SHARE: f64 = 0.4;

/// The whole of a run, worked out.
pub(super) struct Plan {
    pub(super) events: Vec<ManagedEvent>,
    pub(super) due: Vec<Due>,
    pub(super) promoted: Vec<ManagedEvent>,
    pub(super) looked_at: u64,
    pub(super) at: Timestamp,
    pub(super) turn: u64,
    /// What has come about since is told apart from what it was made from.
    pub(super) since: Since,
}

/// Where an event stands.
struct Before {
    waiting: Option<OnProbation>,
    rescue: Option<Rescue>,
}

impl Engine {
    /// One decision for each event in view.
    pub(super) fn plan_letting_go(
        &self,
        owner: &Owner,
        policy: &Policy,
        options: ManageOptions,
        stages: &BTreeMap<TaskId, Vec<StageEnd>>,
        goes_on: GoesOn<'_>,
    ) -> Result<Plan, Error> {
        let embedder = self.embedding.serving()?.map(|embedder| &**embedder);
        let filter = Filter { hidden: true, ..Filter::default() };
        let newest = EventPage { filter, newest_first: true, limit: 1, after: None };
        let turn = self.store.events(owner, &newest)?.first().map_or(Seq(0), |stored| stored.seq);
        let tasks = self.store.tasks(owner, usize::MAX)?;
        let since = Since::now(self, owner, turn, &tasks)?;
        let scales = &self.scales(owner, embedder, &tasks, turn, stages, policy.summary.stage_required)?;
        let waiting = self.store.probation(owner)?;
        let said = match waiting.iter().map(|waiting| waiting.probation.since_turn).min() {
            Some(turn) => self.said_since(owner, turn)?,
            None => Vec::new(),
        };
        let mut waiting: BTreeMap<Seq, OnProbation> = waiting.into_iter().map(|one| (one.seq, one)).collect();
        let turn = u64::try_from(turn.0).unwrap_or(0);
        let (events, due, promoted) = (Vec::new(), Vec::new(), Vec::new());
        let mut plan = Plan { events, due, promoted, looked_at: 0, at: scales.now, turn, since };
        let pressure = if options.over_budget { Pressure::OverBudget } else { Pressure::None };
        // Whether something was said again is known only at the end of the log.
        let (mut standing, mut said_once, mut repeated) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for events in self.event_pages(owner, Filter::default(), PAGE) {
            goes_on(Work::Weighed)?;
            let events = events?;
            plan.looked_at += events.len() as u64;
            let positions: Vec<Seq> = events.iter().map(|stored| stored.seq).collect();
            let relevance = self.relevance(owner, scales, &positions)?;
            // What only says that the talk went elsewhere is a signpost, and costs nothing.
            for stored in events.into_iter().filter(|stored| stored.event.kind != Kind::TaskSwitch) {
                let relevance = relevance.get(&stored.seq).copied().unwrap_or_default();
                let candidate = scales.candidate(&stored, relevance);
                let waiting = waiting.remove(&stored.seq);
                let rescue = waiting.as_ref().and_then(|waiting| scales.rescue(waiting, &stored, &said));
                let before = Before { waiting, rescue };
                match standing_words(&stored) {
                    Some(words) => {
                        if !said_once.insert(words.clone()) {
                            repeated.insert(words.clone());
                        }
                        standing.push((stored, candidate, before, words));
                    }
                    None => self.judge(owner, &stored, candidate, before, (policy, pressure), &mut plan)?,
                }
            }
        }
        for (stored, mut candidate, before, words) in standing {
            candidate.standing_repeated = !scales.is_in_memory(candidate.id) && repeated.contains(&words);
            self.judge(owner, &stored, candidate, before, (policy, pressure), &mut plan)?;
        }
        plan.due.sort_by_key(|due| due.line.seq);
        Ok(plan)
    }

    fn judge(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
        candidate: Candidate,
        before: Before,
        (policy, pressure): (&Policy, Pressure),
        plan: &mut Plan,
    ) -> Result<(), Error> {
        let Before { waiting, rescue } = before;
        let over = waiting.as_ref().map(|waiting| waiting.probation.is_over(plan.at, plan.turn));
        let judged = self.decided_on(owner, stored, candidate, (policy, pressure), over)?;
        match (waiting, rescue) {
            (Some(_), Some(rescue)) => {
                let cause = match &rescue {
                    Rescue::Mentioned { by } => Some(*by),
                    _ => None,
                };
                let line = line(stored, &judged.decision, Fate::Rescued, rescue.to_string());
                plan.due.push(Due::new(stored, &judged.decision, line, What::Rescue { cause }));
            }
            (waiting, _) => self.add_to_plan(stored, judged, waiting, policy, plan),
        }
        Ok(())
    }

    /// What is decided on an event by its score, and by what was done to it before. `over`: it is on probation, and whether that has passed.
    fn decided_on(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
        mut candidate: Candidate,
        (policy, pressure): (&Policy, Pressure),
        over: Option<bool>,
    ) -> Result<Judged, Error> {
        let by_score = |candidate: &Candidate| decide(candidate, score(candidate, policy), policy, pressure);
        let mut decision = by_score(&candidate);
        if decision.disposition == Disposition::Compress {
            candidate.tokens = usize::try_from(tokens(&stored.event.content)).unwrap_or(usize::MAX);
            decision = by_score(&candidate);
        }
        // What was done to an event is looked up one by one, so only where it can make a difference: what waits goes on waiting whatever
        // it was, and what scored so low was looked at when it was put there.
        let settled = match (decision.disposition, over) {
            (Disposition::Keep | Disposition::Promote, None) => true,
            (Disposition::Archive, None) => stored.event.content.len() <= KEPT_BYTES_MAX,
            (Disposition::Discard, Some(over)) => !over,
            _ => false,
        };
        if settled {
            return Ok(Judged { decision, was_refused: false });
        }
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
            plan.due.push(Due::new(stored, &decision, line, what));
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
                Some(body) => {
                    due(Fate::Compressed, Some(&body.summary.clone()), What::Compress(body, Written::default()))
                }
                None => {
                    let line = line(stored, &decision, Fate::Refused, "no shorter text is true to it".to_owned());
                    plan.due.push(Due::new(stored, &decision, line, What::Refuse(Written::default())));
                }
            },
        }
    }
}

struct Judged {
    decision: Decision,
    /// A run before this found no shorter text for it.
    was_refused: bool,
}

fn line(stored: &StoredEvent, decision: &Decision, fate: Fate, reason: String) -> ManagedEvent {
    let (event, seq, score) = (stored.event.id, stored.seq, decision.score.total);
    let bytes = stored.event.content.len() as u64;
    let (bytes_before, bytes_after) = (bytes, bytes);
    ManagedEvent { event, seq, fate, score, reason, tokens_before: 0, tokens_after: 0, bytes_before, bytes_after }
}

/// With the text that is in view afterwards; `None`: the same.
pub(super) fn changed(line: ManagedEvent, stored: &StoredEvent, after: Option<&str>) -> ManagedEvent {
    let Some(after) = after else { return line };
    ManagedEvent {
        tokens_before: tokens(&stored.event.content),
        tokens_after: tokens(after),
        bytes_after: after.len() as u64,
        ..line
    }
}

pub(super) fn tokens(text: &str) -> u64 {
    Tokenizer::default().count(text) as u64
}

/// A shorter text that is true to the event's, in its own sentences.
fn compressed(stored: &StoredEvent) -> Option<ArchivedBody> {
    let content = &stored.event.content;
    let named: Vec<&str> = stored.signals.entities.iter().map(|entity| entity.text.as_str()).collect();
    let summary = compress(content, room_of(content).0, &named)?;
    Some(findable(ArchivedBody { seq: stored.seq, summary, terms: String::new() }, stored))
}

/// How long a shorter text of this one may be, also in tokens.
pub(super) fn room_of(content: &str) -> (Room, usize) {
    let tokenizer = Tokenizer::default();
    let most = (tokenizer.count(content) as f64 * COMPRESSED_SHARE) as usize;
    (Room::Tokens(tokenizer, most), most)
}
