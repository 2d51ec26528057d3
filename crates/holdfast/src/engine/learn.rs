//! Learning from the log: events since the watermark in, one commit of memories out. By rules alone here; it runs when something
//! was said that is worth it, when a task ends, and every so many events.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use serde_json::json;

mod servings;
mod slots;

pub(super) use self::servings::Servings;
use self::servings::memories_served_in;
pub(super) use self::slots::Slots;
use super::attention::AtHand;
use super::learner::EVENTS_BETWEEN_CALLS_MIN;
use super::{Engine, Error};
use crate::context;
use crate::learn::{self, Candidate, Change, Effect, Refusal, Request, Wish};
use crate::signals;
use crate::store::{EventPage, StoreError};
use crate::text;
use crate::types::change::{ChangeSet, Learned, MemoryChange, NewEvent};
use crate::types::event::{Event, Kind, Overturned, Source, StoredEvent, Trust};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::memory::{Evidence, Memory, MemoryKind, MemoryStatus, Origin, Slot, Stance};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;
use crate::types::signals::{Claim, Feedback, Statement};
use crate::types::task::{Outcome, Task};

/// Events learned from in one commit.
const PAGE: usize = 500;

/// Without anything special said, so many events are let come together.
const EVENTS_BETWEEN_MAX: u32 = 50;

/// Time does little in less, and looking at it reads every memory.
const BETWEEN_AGEINGS: SignedDuration = SignedDuration::from_hours(24);

/// Memories that are told by the way what time has done to them: the rest is for the next day, or `learn`.
const AGED_BY_THE_WAY_MAX: usize = 50;

/// Pages learned from by the way: a longer backlog is for `learn`.
const PAGES_BY_ITSELF_MAX: usize = 2;

/// Tasks of one kind looked at for habits, and events of each.
const TASKS_OF_A_KIND_MAX: usize = 12;
const EVENTS_OF_A_TASK_MAX: usize = 60;

/// Events of a task looked through for what its conclusions may come from: more than most tasks have.
const HEARD_IN_A_TASK_MAX: usize = 200;

/// How much of somebody else's text is looked at for what it asks to be remembered.
const UNTRUSTED_BYTES_MAX: usize = 4 * 1024;

/// Why learning runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    ByCaller,
    /// After an event, in whose time it is.
    ByTheWay,
}

impl Asked {
    fn pages_max(self) -> usize {
        match self {
            Self::ByCaller => usize::MAX,
            Self::ByTheWay => PAGES_BY_ITSELF_MAX,
        }
    }
}

/// What was learned, or would be.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lesson {
    pub events: u64,
    pub changes: Vec<Change>,
    pub refused: Vec<Refusal>,
}

impl Engine {
    /// Learns from everything since the watermark, and moves it.
    pub fn learn(&self, owner: &Owner) -> Result<Lesson, Error> {
        self.with_at_hand(owner, |at_hand| {
            let mut lesson = self.learn_pages(owner, at_hand, Asked::ByCaller)?;
            let recurring = self.recurring_in_all(owner, &at_hand.tasks, &mut Slots::default())?;
            if !recurring.is_empty() {
                self.store.commit(self.change_of(owner, &recurring, "rules"))?;
                lesson.changes.extend(recurring);
            }
            Ok(lesson)
        })
    }

    /// What `learn` would write, and why not the rest. Writes nothing.
    pub fn learn_dry(&self, owner: &Owner) -> Result<Lesson, Error> {
        let tasks = self.look_at_tasks(owner, <[Task]>::to_vec)?;
        let mut lesson = Lesson::default();
        let mut after = self.store.memory_state(owner)?.learned;
        let mut slots = Slots::default();
        loop {
            let Some(pass) = self.pass(owner, &tasks, after, &mut slots)? else { break };
            after = pass.through;
            lesson.add(pass);
        }
        lesson.changes.extend(self.recurring_in_all(owner, &tasks, &mut slots)?);
        let untouched =
            self.aged(owner)?.into_iter().filter(|aged| lesson.changes.iter().all(|c| c.after.id != aged.after.id));
        lesson.changes.extend(untouched.collect::<Vec<_>>());
        Ok(lesson)
    }

    /// A page at a time, each in one commit with its watermark: what is done twice after a failure changes nothing.
    fn learn_pages(&self, owner: &Owner, at_hand: &mut AtHand, by: Asked) -> Result<Lesson, Error> {
        let mut lesson = Lesson::default();
        let mut from = self.store.memory_state(owner)?.learned;
        for _ in 0..by.pages_max() {
            let after = at_hand.looked_through.max(from);
            let page = self.pass(owner, &at_hand.tasks, after, &mut Slots::default())?;
            // Nothing new, but what was looked through before may still have to be said.
            let through = page.as_ref().map_or(after, |pass| pass.through);
            let changes = page.as_ref().map_or(&[][..], |pass| &pass.changes);
            let moved = usize::try_from(through.0 - from.0).unwrap_or(usize::MAX);
            let due = !changes.is_empty() || by == Asked::ByCaller || moved >= EVENTS_BETWEEN_MAX as usize;
            // That there was nothing to learn is not worth a commit of its own after every word.
            if moved > 0 && due {
                let learned = Some(Learned { from, through });
                self.store.commit(ChangeSet { learned, ..self.change_of(owner, changes, "rules") })?;
                from = through;
            }
            at_hand.looked_through = through;
            match page {
                Some(pass) => lesson.add(pass),
                None => break,
            }
        }
        at_hand.unlearned = 0;
        let now = self.env.now();
        if by == Asked::ByCaller || at_hand.aged_at.is_none_or(|at| now.duration_since(at) >= BETWEEN_AGEINGS) {
            let mut aged = self.aged(owner)?;
            if by == Asked::ByTheWay {
                aged.truncate(AGED_BY_THE_WAY_MAX);
            }
            if !aged.is_empty() {
                self.store.commit(self.change_of(owner, &aged, "rules"))?;
            }
            lesson.changes.extend(aged);
            at_hand.aged_at = Some(now);
        }
        Ok(lesson)
    }

    /// After a commit: whether now is the time, and if so, learns. What was observed stays so if learning fails: the watermark is where
    /// it was, and the next time makes up for it.
    pub(super) fn learn_if_due(&self, owner: &Owner, at_hand: &mut AtHand, due: bool, events: usize) {
        let events = u32::try_from(events).unwrap_or(u32::MAX);
        at_hand.unlearned = at_hand.unlearned.saturating_add(events);
        at_hand.unasked = at_hand.unasked.saturating_add(events);
        // A bulk load is not held up: the next word by itself makes up for it, or `learn`.
        if events >= EVENTS_BETWEEN_MAX || !due && at_hand.unlearned < EVENTS_BETWEEN_MAX {
            return;
        }
        at_hand.unlearned = 0;
        if let Err(error) = self.learn_pages(owner, at_hand, Asked::ByTheWay) {
            tracing::warn!(%error, "nothing was learned this time: {error}");
        }
        // After the rules: what is plainly stated is theirs.
        if let Some(learner) = self.learner.as_ref().filter(|_| at_hand.unasked >= EVENTS_BETWEEN_CALLS_MIN) {
            at_hand.unasked = 0;
            learner.wake(owner);
        }
    }

    /// Changes of memories as what the store takes, with the journal's lines.
    pub(super) fn change_of(&self, owner: &Owner, changes: &[Change], actor: &str) -> ChangeSet {
        let memories = changes.iter().map(|change| MemoryChange {
            memory: change.after.clone(),
            expected_version: change.before.as_ref().map(|memory| memory.version),
        });
        let operations = changes.iter().map(|change| Operation {
            before: change.before.as_ref().map(|memory| json!(memory)),
            after: Some(json!(change.after)),
            cause: change.cause,
            ..self.operation(owner, change.verb, Target::Memory(change.after.id), actor, change.reason.clone())
        });
        ChangeSet {
            owner: owner.clone(),
            overturned: changes.iter().flat_map(|change| overturned(change, changes)).collect(),
            memories: memories.collect(),
            operations: operations.collect(),
            ..ChangeSet::default()
        }
    }

    /// One page of the log read and worked out; `None` when there is nothing new.
    fn pass(&self, owner: &Owner, tasks: &[Task], after: Seq, slots: &mut Slots) -> Result<Option<Pass>, Error> {
        let page = EventPage { after: Some(after), limit: PAGE, ..EventPage::default() };
        let events = self.store.events(owner, &page)?;
        let Some(last) = events.last() else { return Ok(None) };
        let mut pass = Pass { through: last.seq, events: events.len() as u64, ..Pass::default() };
        let mut served = Servings::default();
        let mut candidates: Vec<Candidate> = Vec::new();
        for stored in &events {
            let statements = self.statements(&stored.event);
            let (found, refused) = learn::from_event(&stored.event, &statements);
            pass.refused.extend(refused);
            for candidate in found {
                let texts = served.texts(self, owner, stored)?;
                if learn::is_echo(&candidate.evidence.quote, texts)
                    && !takes_up_again(&candidate, slots.memories(self, owner, &candidate.slot())?)
                {
                    let reason = "it only says again what was served";
                    pass.refused.push(Refusal { event: stored.event.id, quote: candidate.evidence.quote, reason });
                } else {
                    candidates.push(candidate);
                }
            }
            let rejected = self.forgotten(owner, stored, &statements, &candidates, slots, &mut pass.refused)?;
            candidates.extend(rejected);
            candidates.extend(self.judged(owner, stored, &mut served, slots)?);
        }
        let ended = ended_in(tasks, &events);
        candidates.extend(self.of_tasks(owner, tasks, &ended)?);
        pass.changes = self.placed(owner, candidates, slots)?;
        for (task, event) in ended {
            self.observe_outcome(owner, task, event, &mut pass.changes)?;
        }
        Ok(Some(pass))
    }

    /// How a task ended is how the memories did that were served in it (SPEC 3.11). Success speaks for all of them. Failure speaks against
    /// experience alone: what the user wants, and how things are, is not refuted by work that went wrong.
    fn observe_outcome(
        &self,
        owner: &Owner,
        task: &Task,
        event: &Event,
        changes: &mut Vec<Change>,
    ) -> Result<(), StoreError> {
        let Some(outcome) = task.closing.as_ref().map(|closing| closing.outcome) else { return Ok(()) };
        for id in memories_served_in(self, owner, &task.id)? {
            let placed = changes.iter().position(|change| change.after.id == id);
            let before = match placed {
                Some(place) => Some(changes[place].after.clone()),
                None => self.store.memory(owner, id)?,
            };
            let Some(before) = before.filter(|memory| memory.status == MemoryStatus::Active) else { continue };
            let experience = matches!(before.kind, MemoryKind::Lesson | MemoryKind::Procedure | MemoryKind::Inference);
            let effect = match outcome {
                Outcome::Success => Effect::Helped,
                Outcome::Failure if experience => Effect::Hurt,
                Outcome::Failure => Effect::Ignored,
                // Nothing was seen of what it did.
                Outcome::Abandoned | Outcome::Cancelled => continue,
            };
            let seen = format!("task {} it was served in ended: {}", task.id, outcome.as_str());
            let change = learn::with_effect(&before, effect, Some(&task.id), seen, Some(event.id), self.env.now());
            match placed {
                // What was learned has changed it already: to the store that is one change.
                Some(place) => {
                    let earlier = &mut changes[place];
                    earlier.reason = format!("{}; {}", earlier.reason, change.reason);
                    earlier.verb = if change.verb == Verb::Fade { Verb::Fade } else { earlier.verb };
                    earlier.after = Memory { version: before.version, ..change.after };
                }
                None => changes.push(change),
            }
        }
        Ok(())
    }

    /// Candidates placed in their slots, each slot once: a change set has a memory once.
    pub(super) fn placed(
        &self,
        owner: &Owner,
        mut candidates: Vec<Candidate>,
        slots: &mut Slots,
    ) -> Result<Vec<Change>, Error> {
        let mut all = Vec::new();
        let mut taken_back: Vec<Candidate> = Vec::new();
        let mut revoking = candidates.iter().filter(|candidate| learn::may_take_back(candidate)).peekable();
        let known = if revoking.peek().is_some() { slots.all(self, owner)? } else { Vec::new() };
        for candidate in revoking {
            taken_back.extend(learn::taken_back_elsewhere(candidate, &known, &candidates));
        }
        candidates.extend(taken_back);
        candidates = self.unruled(owner, candidates, slots)?;
        if learn::switches(&candidates) {
            learn::into_slots(&mut candidates, &slots.all(self, owner)?);
        }
        // In the order of their moments, so that the first of a slot makes its memory.
        candidates.sort_by_key(|candidate| candidate.evidence.at.timestamp());
        let mut by_slot: BTreeMap<Slot, Vec<Candidate>> = BTreeMap::new();
        for candidate in candidates {
            by_slot.entry(candidate.slot()).or_default().push(candidate);
        }
        let now = self.env.now();
        for (slot, new) in by_slot {
            let known = slots.memories(self, owner, &slot)?;
            // What the user does now and then says nothing against what the user has said.
            let stated = |memory: &Memory| {
                memory.sources.iter().any(|source| matches!(source.stance, Stance::States | Stance::Confirms))
            };
            let ruled = known.iter().any(|memory| memory.status == MemoryStatus::Active && stated(memory))
                || new.iter().any(|candidate| candidate.evidence.stance == Stance::States);
            let new: Vec<Candidate> = new
                .into_iter()
                .filter(|one| !(ruled && one.kind == MemoryKind::Rule && one.evidence.stance == Stance::Suggests))
                .collect();
            let changes = learn::reconcile(known, &new, now, || MemoryId(self.env.id()));
            slots.keep(&slot, &changes);
            all.extend(changes);
        }
        Ok(all)
    }

    /// Without what recurs of things that the user has stated a rule about: the rule says how it is.
    fn unruled(&self, owner: &Owner, mut candidates: Vec<Candidate>, slots: &Slots) -> Result<Vec<Candidate>, Error> {
        if candidates.iter().any(learn::recurs_together) {
            let known = slots.all(self, owner)?;
            let (together, rest): (Vec<_>, Vec<_>) = candidates.into_iter().partition(learn::recurs_together);
            candidates = rest;
            let free: Vec<_> = together.into_iter().filter(|one| !learn::is_ruled(one, &known, &candidates)).collect();
            candidates.extend(free);
        }
        Ok(candidates)
    }

    /// What an event states: nothing if it holds a block of ours.
    fn statements(&self, event: &Event) -> Vec<Statement> {
        let content = match (event.source, event.trust) {
            (Source::User, _) => event.content.as_str(),
            (Source::Agent, _) | (_, Trust::Trusted) => return Vec::new(),
            _ => &event.content[..event.content.floor_char_boundary(UNTRUSTED_BYTES_MAX)],
        };
        let (fence, preambles, headings) = context::marks();
        if learn::holds_block(content, fence, preambles, headings) {
            return Vec::new();
        }
        signals::statements(content, &event.occurred_at, &self.lexicon)
    }

    /// 「忘掉我的地址」: rejections of what it is about, also of what was said a moment before.
    fn forgotten(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
        statements: &[Statement],
        before: &[Candidate],
        slots: &mut Slots,
        refused: &mut Vec<Refusal>,
    ) -> Result<Vec<Candidate>, Error> {
        let event = &stored.event;
        let mut rejected: Vec<Candidate> = Vec::new();
        for statement in statements.iter().filter(|_| learn::is_first_hand(event)) {
            let Claim::Forget { about } = &statement.claim else { continue };
            let rejection = Evidence::of(event, Stance::Rejects, Origin::UserStated, &statement.text);
            let mut found: Vec<Candidate> = Vec::new();
            for memory in slots.all(self, owner)? {
                if learn::concerns(about, &memory.subject, &memory.attribute, &memory.content) {
                    found.push(learn::said_of(&memory, rejection.clone()));
                }
            }
            for said in before.iter().filter(|said| said.evidence.at.timestamp() <= rejection.at.timestamp()) {
                let known = found.iter().any(|other| other.slot() == said.slot() && other.value == said.value);
                if !known && learn::concerns(about, &said.subject, &said.attribute, &said.content) {
                    found.push(Candidate { evidence: rejection.clone(), ..said.clone() });
                }
            }
            if found.is_empty() || found.len() > learn::FORGOTTEN_AT_ONCE_MAX {
                let reason =
                    if found.is_empty() { "nothing of it is known" } else { "it fits too much of what is known" };
                refused.push(Refusal { event: event.id, quote: statement.text.clone(), reason });
                continue;
            }
            rejected.extend(found);
        }
        Ok(rejected)
    }

    /// What a user's praise or blame says of the memories in the block it answers to.
    fn judged(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
        served: &mut Servings,
        slots: &mut Slots,
    ) -> Result<Vec<Candidate>, Error> {
        let event = &stored.event;
        let Some(feedback) = stored.signals.feedback.filter(|_| learn::is_first_hand(event)) else {
            return Ok(Vec::new());
        };
        // One verdict on a block: whoever is cross says so more than once.
        let Some(ids) = served.awaiting_judgement(self, owner, stored)? else { return Ok(Vec::new()) };
        let stance = match feedback {
            Feedback::Positive => Stance::Praises,
            Feedback::Negative => Stance::Blames,
        };
        let known = slots.all(self, owner)?;
        let verdict = Evidence::of(event, stance, Origin::UserStated, &first_words(&event.content));
        let judged = known.iter().filter(|memory| ids.contains(&memory.id));
        Ok(judged.map(|memory| learn::said_of(memory, verdict.clone())).collect())
    }

    /// What the tasks that ended leave: their outcome, and the habits and wishes of those of one kind.
    fn of_tasks(&self, owner: &Owner, tasks: &[Task], ended: &[(&Task, &Event)]) -> Result<Vec<Candidate>, Error> {
        let mut candidates = Vec::new();
        for (task, event) in ended {
            let left = learn::from_task(task, event, &self.grounds(owner, task, event)?);
            // What speaks of the user or gives orders is the user's to say, whoever concluded it.
            candidates.extend(left.into_iter().filter(|one| !self.speaks_for_the_user(&one.content, event)));
        }
        // What recurs is looked for when one more of its kind is over.
        candidates.extend(self.recurring(
            owner,
            tasks,
            ended.iter().filter_map(|(task, _)| kind_of(task)).collect(),
        )?);
        Ok(candidates)
    }

    /// What a task's conclusions were drawn from, what it heard from others, and what failed.
    fn grounds(&self, owner: &Owner, task: &Task, event: &Event) -> Result<learn::Grounds, Error> {
        let mut grounds = learn::Grounds::default();
        let failed = task.closing.as_ref().filter(|closing| closing.outcome == Outcome::Failure);
        if let Some(reason) = failed.and_then(|closing| closing.reason.as_deref()) {
            grounds.reason = learn::described(reason, |sentence| self.speaks_for_the_user(sentence, event));
        }
        let Some(closing) = task.closing.as_ref().filter(|closing| !closing.conclusions.is_empty()) else {
            return Ok(grounds);
        };
        for concluded in &closing.conclusions {
            if let Some(stored) = self.store.event(owner, concluded.source)? {
                grounds.sources.insert(concluded.source, (stored.seq, stored.event));
            }
        }
        let filter = Filter { task: Some(task.id.clone()), history: true, ..Filter::default() };
        let page = EventPage { filter, newest_first: true, limit: HEARD_IN_A_TASK_MAX, after: None };
        let heard = self.store.events(owner, &page)?.into_iter().map(|stored| (stored.seq, stored.event));
        grounds.heard = heard.collect();
        Ok(grounds)
    }

    /// Habits and wishes of the tasks of these kinds.
    fn recurring(&self, owner: &Owner, tasks: &[Task], kinds: BTreeSet<String>) -> Result<Vec<Candidate>, Error> {
        let mut candidates = Vec::new();
        for kind in kinds {
            let alike: Vec<&Task> = tasks.iter().filter(|task| kind_of(task).as_ref() == Some(&kind)).collect();
            if alike.len() < learn::TIMES_MIN {
                continue;
            }
            let (requests, wishes) = self.asked_of(owner, &kind, &alike[..alike.len().min(TASKS_OF_A_KIND_MAX)])?;
            candidates.extend(learn::habits(&requests).into_iter().flatten());
            candidates.extend(learn::promotions(&wishes).into_iter().flatten());
            candidates.extend(learn::named_together(&requests));
        }
        Ok(candidates)
    }

    /// What recurs in all tasks at hand, whether or not one of them has ended.
    fn recurring_in_all(&self, owner: &Owner, tasks: &[Task], slots: &mut Slots) -> Result<Vec<Change>, Error> {
        let candidates = self.recurring(owner, tasks, tasks.iter().filter_map(kind_of).collect())?;
        self.placed(owner, candidates, slots)
    }

    /// Whether a conclusion states what only the user may: how they want it, or how things are with them.
    fn speaks_for_the_user(&self, content: &str, event: &Event) -> bool {
        let folded = text::fold(content);
        learn::speaks_for_a_person(content)
            || ["用户", "the user", "user "].iter().any(|word| folded.contains(word))
            || signals::statements(content, &event.occurred_at, &self.lexicon)
                .iter()
                .any(|statement| !matches!(statement.claim, Claim::Forget { .. }))
            || ["from now on", "always ", "never ", "以后", "今后", "一律"].iter().any(|word| folded.contains(word))
    }

    /// What the user asked for in these tasks, and when.
    fn asked_of(&self, owner: &Owner, kind: &str, tasks: &[&Task]) -> Result<(Vec<Request>, Vec<Wish>), Error> {
        let (mut requests, mut wishes) = (Vec::new(), Vec::new());
        // 华星的评审 is of 华星.
        let known: BTreeSet<String> = tasks
            .iter()
            .flat_map(|task| &task.items)
            .map(|item| text::fold(item.name.split('的').next().unwrap_or_default()).trim().to_owned())
            .filter(|name| name.chars().count() >= 2 && learn::topic(name).is_none())
            .collect();
        for task in tasks {
            let filter = Filter {
                task: Some(task.id.clone()),
                sources: vec![Source::User],
                kinds: vec![Kind::Query, Kind::Note],
                ..Filter::default()
            };
            let page = EventPage { filter, newest_first: true, limit: EVENTS_OF_A_TASK_MAX, after: None };
            let mut events = self.store.events(owner, &page)?;
            events.retain(|stored| learn::is_first_hand(&stored.event));
            let constraints = task.frames.first().map(|frame| &frame.constraints);
            let constraints = constraints.or(task.closing.as_ref().map(|closing| &closing.constraints));
            for constraint in constraints.into_iter().flatten().filter(|constraint| constraint.in_force) {
                // Only what the user set.
                let Some(said) = events.iter().find(|stored| stored.event.id == constraint.source) else { continue };
                wishes.push(Wish {
                    topic: kind.to_owned(),
                    text: constraint.text.clone(),
                    task: task.id.clone(),
                    event: said.event.id,
                    at: said.event.occurred_at.clone(),
                });
            }
            requests.extend(events.into_iter().map(|stored| Request {
                topic: kind.to_owned(),
                called: task.names.first().cloned().unwrap_or_else(|| task.title.clone()),
                task: task.id.clone(),
                event: stored.event.id,
                at: stored.event.occurred_at.clone(),
                named: self.named_in(&stored.event, &known),
                quote: first_words(&stored.event.content),
                language: stored.signals.language,
            }));
        }
        Ok((requests, wishes))
    }

    /// What a request names to be worked on: in one that says no to something, that may be what it names.
    fn named_in(&self, event: &Event, known: &BTreeSet<String>) -> BTreeMap<String, String> {
        if learn::says_no(&event.content) {
            return BTreeMap::new();
        }
        let mut named = signals::named(&event.content, &event.occurred_at, known, &self.lexicon);
        named.retain(|name, _| learn::topic(name).is_none());
        named
    }
}

/// The tasks that end with one of these events, by the word of somebody who can say so: who works on them.
fn ended_in<'a>(tasks: &'a [Task], events: &'a [StoredEvent]) -> Vec<(&'a Task, &'a Event)> {
    let ended = tasks.iter().filter_map(|task| {
        let by = task.closing.as_ref()?.ended_by?;
        let event = &events.iter().find(|stored| stored.event.id == by)?.event;
        let can_say = event.trust == Trust::Trusted && event.source != Source::Tool;
        (can_say && event.scope.task.as_ref() == Some(&task.id)).then_some((task, event))
    });
    ended.collect()
}

/// What a memory that no longer holds was drawn from is not served as current either (SPEC 2.6).
fn overturned(change: &Change, all: &[Change]) -> Vec<(EventId, Overturned)> {
    let memory = &change.after;
    let ends = matches!(memory.status, MemoryStatus::Superseded | MemoryStatus::Retracted);
    let ended_before = change.before.as_ref().filter(|before| before.status == memory.status);
    let Some(at) = memory.valid_to.as_ref().filter(|_| ends) else { return Vec::new() };
    // What comes late of what has ended is no more current than what was there.
    let is_marked = |evidence: &Evidence| ended_before.is_some_and(|before| before.sources.contains(evidence));
    let next = all.iter().find(|other| Some(other.after.id) == memory.superseded_by);
    let marks = memory
        .sources
        .iter()
        .filter(|evidence| {
            matches!(evidence.stance, Stance::States | Stance::Suggests)
                && evidence.origin == Origin::UserStated
                && !is_marked(evidence)
        })
        .filter_map(|evidence| Some((evidence.event?, evidence.quote.as_str())))
        .flat_map(|(event, quote)| {
            // An event is read by its sentences, so a quote of several is marked by them.
            const ENDS: [char; 8] = ['。', '.', '！', '!', '；', ';', '，', ','];
            let sentences = text::sentences(quote).into_iter();
            let sentences = sentences.map(|sentence| quote[sentence].trim().trim_end_matches(ENDS));
            sentences.filter(|sentence| !sentence.is_empty()).map(move |sentence| {
                let replaced_by = next.map(|other| other.after.content.clone());
                (event, Overturned { statement: sentence.to_owned(), replaced_by, at: at.timestamp() })
            })
        });
    marks.collect()
}

/// Whether words that were served a moment ago are said to have them hold again: 「以前用什么」 served the old one, and the user goes back to
/// it; or what has faded was asked about, and the user says that it still holds.
fn takes_up_again(candidate: &Candidate, known: &[Memory]) -> bool {
    let of_value = |memory: &&Memory| text::same(&memory.value, &candidate.value);
    let was = [MemoryStatus::Superseded, MemoryStatus::Fading, MemoryStatus::Archived];
    known.iter().any(|memory| of_value(&memory) && was.contains(&memory.status))
        && !known.iter().any(|memory| of_value(&memory) && memory.status == MemoryStatus::Active)
}

/// What of a request stands as its evidence.
fn first_words(content: &str) -> String {
    text::sentences(content).first().map_or(content, |first| &content[first.clone()]).trim().to_owned()
}

fn kind_of(task: &Task) -> Option<String> {
    learn::topic(&task.title).or_else(|| task.names.iter().find_map(|name| learn::topic(name)))
}

/// Whether an event is worth learning from at once: an explicit preference, feedback, something asked to be remembered.
pub(super) fn is_telling(new: &NewEvent) -> bool {
    let signals = &new.signals;
    new.event.source == Source::User
        && (!signals.instructions.is_empty()
            || signals.manner.instructs
            || signals.manner.prefers
            || signals.feedback.is_some()
            || new.event.kind == Kind::Feedback)
}

/// One page of the log, worked out.
#[derive(Debug, Default)]
struct Pass {
    through: Seq,
    events: u64,
    changes: Vec<Change>,
    refused: Vec<Refusal>,
}

impl Lesson {
    fn add(&mut self, pass: Pass) {
        self.events += pass.events;
        self.changes.extend(pass.changes);
        self.refused.extend(pass.refused);
    }
}

#[cfg(test)]
mod tests;
