//! Out of the store and into another: everything of an owner as lines of JSON, complete and versioned.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Engine, Error};
use crate::forget::{self, Gone};
use crate::learn;
use crate::redact;
use crate::signals;
use crate::text;
use crate::types::change::{ChangeSet, Hiding, MemoryChange, NewEvent, SessionState, TaskChange, Trace};
use crate::types::event::{Event, RawEvent, Source, StoredEvent, Trust};
use crate::types::ids::EventId;
use crate::types::memory::{
    Evidence, MEMORY_BYTES_MAX, Memory, MemoryFilter, MemoryStatus, Move, Origin, SLOT_PART_BYTES_MAX, Stance,
    Visibility,
};
use crate::types::operation::{Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::task::Task;

/// The form of the lines; raised when an older reader would misread them.
pub const EXPORT_VERSION: u32 = 1;

/// Events read at a time.
const PAGE: usize = 500;

/// A memory that changed every second for thirty years.
const VERSION_MAX: u64 = 1_000_000_000;

/// One line of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "line")]
pub enum ExportLine {
    /// The first line of each owner.
    Owner {
        version: u32,
        owner: Owner,
        /// What the store that wrote it is for, if that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        environment: Option<ScopeId>,
    },
    Event(Box<StoredEvent>),
    Task(Box<Task>),
    Memory(Box<Memory>),
}

/// What an export holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    pub owners: u64,
    pub events: u64,
    pub tasks: u64,
    pub memories: u64,
}

impl Engine {
    /// Writes these owners' events, in log order with their whole bodies, tasks and memories.
    pub fn export(&self, owners: &[Owner], out: &mut dyn Write) -> Result<Exported, Error> {
        let mut exported = Exported::default();
        let environment = self.environment()?;
        for owner in owners {
            write_line(
                out,
                &ExportLine::Owner { version: EXPORT_VERSION, owner: owner.clone(), environment: environment.clone() },
            )?;
            exported.owners += 1;
            let filter = Filter { hidden: true, ..Filter::default() };
            for events in self.event_pages(owner, filter, PAGE) {
                for stored in events? {
                    let stored = StoredEvent { archived: false, ..self.with_its_body(owner, stored)? };
                    write_line(out, &ExportLine::Event(Box::new(stored)))?;
                    exported.events += 1;
                }
            }
            for task in self.store.tasks(owner, usize::MAX)? {
                write_line(out, &ExportLine::Task(Box::new(task)))?;
                exported.tasks += 1;
            }
            for memory in self.store.memories(owner, &MemoryFilter::default())? {
                write_line(out, &ExportLine::Memory(Box::new(memory)))?;
                exported.memories += 1;
            }
        }
        Ok(exported)
    }
}

/// What an import brought in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub events: u64,
    pub tasks: u64,
    pub memories: u64,
    /// There already: left as they are.
    pub known: u64,
    /// Of the memories: in force where they come from, and waiting for somebody's word here.
    #[serde(default)]
    pub waiting: u64,
    /// What no store of ours holds, and why; the rest was brought in.
    pub refused: Vec<String>,
}

/// Who answers for what a file says an operator said: it has no event that would show it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vouched {
    /// What only an operator's word holds up waits for one here.
    #[default]
    ByNobody,
    /// The file is this importer's own, or as good: what was confirmed there is confirmed.
    ByImporter,
}

impl Engine {
    /// Brings lines of an export back, each owner's in order. Events keep their ids and times; they go through redaction again,
    /// because a file may have been written by anybody. What is there already is left as it is.
    pub fn import(&self, owner: &Owner, lines: Vec<ExportLine>) -> Result<Imported, Error> {
        self.import_with(owner, lines, Vouched::default())
    }

    /// The same, of a file that somebody answers for or nobody does.
    pub fn import_with(&self, owner: &Owner, lines: Vec<ExportLine>, vouched: Vouched) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
        let rules = self.rules_of(owner);
        // Nobody else changes this owner's memory meanwhile, and what is at hand is read anew.
        let place = self.attention.of(owner);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = None;
        let mut brought: BTreeSet<String> = BTreeSet::new();
        let (mut sessions, mut secrets, mut hidden_ids) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        // Slots of which a line has brought what is in force.
        let mut taken = BTreeSet::new();
        for line in lines {
            match line {
                ExportLine::Owner { .. } => {}
                ExportLine::Event(stored) if stored.event.scope.owner != *owner => {
                    imported.refused.push(format!("event {}: {OF_ANOTHER}", stored.event.id));
                }
                ExportLine::Task(task) if task.owner != *owner => {
                    imported.refused.push(format!("task {}: {OF_ANOTHER}", task.id));
                }
                // The same line again.
                ExportLine::Task(task) if brought.contains(task.id.as_str()) => imported.known += 1,
                ExportLine::Memory(memory) if brought.contains(&*memory.id.to_string()) => imported.known += 1,
                ExportLine::Event(stored) if self.store.event(owner, stored.event.id)?.is_some() => imported.known += 1,
                ExportLine::Event(stored) if self.is_erased(owner, &Trace::of_event(&stored.event))? => {
                    imported.refused.push(format!("event {}: {ERASED}", stored.event.id));
                }
                ExportLine::Event(stored) => {
                    let StoredEvent { event, signals, overturned, hidden: out_of_view, .. } = *stored;
                    let (id, recorded_at) = (event.id, event.recorded_at);
                    let (session, task) = (event.scope.session.clone(), event.scope.task.clone());
                    let (redactions, said) = (event.redactions.clone(), event.content.clone());
                    let mut redacted = match redact::redact(raw(event, owner), &rules) {
                        Ok(redacted) => redacted,
                        Err(refused) => {
                            imported.refused.push(format!("event {id}: {refused}"));
                            continue;
                        }
                    };
                    let (overturned, hidden) = self.clean(owner, &overturned)?;
                    secrets.extend(hidden);
                    if task.is_some() {
                        sessions.insert(session, task);
                    }
                    changes.overturned.extend(overturned.into_iter().map(|o| (id, o)));
                    secrets.extend(redacted.secrets());
                    let mut event = redacted.stamped(id, recorded_at);
                    // What was taken out before stays known.
                    if event.redactions.is_empty() {
                        event.redactions = redactions;
                    }
                    // What was read from a text that has changed, or holds a secret itself, is read anew.
                    let signals = if event.content == said && self.clean(owner, &signals)?.0 == signals {
                        signals
                    } else {
                        signals::read(&event.content, &event.occurred_at, event.source, &self.lexicon)
                    };
                    changes.events.push(NewEvent { terms: text::indexed(&event.content), event, signals });
                    if out_of_view {
                        hidden_ids.insert(id);
                    }
                    imported.events += 1;
                }
                ExportLine::Task(task) if self.store.task(owner, &task.id)?.is_some() => imported.known += 1,
                ExportLine::Task(task) if self.is_erased(owner, &[Trace::of_task(&task)])? => {
                    imported.refused.push(format!("task {}: {ERASED}", task.id));
                }
                ExportLine::Task(task) => {
                    let id = task.id.to_string();
                    let (task, hidden) = self.clean(owner, &*task)?;
                    secrets.extend(hidden);
                    let gone = Gone::new(self.erased_among(owner, forget::sources(&task))?, []);
                    let task = forget::without(&task, &gone);
                    changes
                        .tasks
                        .push(TaskChange { task: Task { owner: owner.clone(), ..task }, expected_version: None });
                    imported.tasks += 1;
                    brought.insert(id);
                }
                ExportLine::Memory(memory) if self.store.memory(owner, memory.id)?.is_some() => imported.known += 1,
                ExportLine::Memory(memory) => {
                    let (mut memory, hidden) = self.clean(owner, &*memory)?;
                    secrets.extend(hidden);
                    let sources = memory.sources.iter().filter_map(|source| source.event).collect();
                    let gone = self.erased_among(owner, sources)?;
                    if !gone.is_empty() || self.is_erased(owner, &[Trace::Memory(memory.id)])? {
                        imported.refused.push(format!("memory {}: {ERASED}", memory.id));
                        continue;
                    }
                    if let Some(wrong) = what_is_wrong_with(&memory) {
                        imported.refused.push(format!("memory {}: {wrong}", memory.id));
                        continue;
                    }
                    // What is known of its slot, here or from the lines before, is not overruled by a file.
                    let slot = MemoryFilter { slot: Some(memory.slot()), statuses: vec![MemoryStatus::Active] };
                    let grounded = self.is_grounded(owner, &memory, &changes.events, vouched)?;
                    if vouched == Vouched::ByNobody {
                        without_operators_word(&mut memory);
                    }
                    let in_force = memory.status == MemoryStatus::Active;
                    let waits = if let Err(why) = grounded {
                        speaks_for_nobody(&mut memory);
                        (in_force || memory.status == MemoryStatus::Fading).then_some(why)
                    } else if in_force
                        && (!taken.insert(memory.slot()) || !self.store.memories(owner, &slot)?.is_empty())
                    {
                        Some("another is in force in the store it was brought into")
                    } else {
                        None
                    };
                    if let Some(why) = waits {
                        as_somebody_elses(&mut memory, why);
                        imported.waiting += 1;
                    }
                    brought.insert(memory.id.to_string());
                    changes.memories.push(MemoryChange { memory, expected_version: None });
                    imported.memories += 1;
                }
            }
        }
        if changes.events.is_empty() && changes.tasks.is_empty() && changes.memories.is_empty() {
            return Ok(imported);
        }
        let sessions = sessions.into_iter().map(|(session, task)| SessionState { session, task });
        changes.sessions.extend(sessions);
        changes.secrets = self.sealed(owner, &secrets);
        let mut operation = self.operation(owner, Verb::Import, Target::Store, "caller", "lines of an export");
        operation.after =
            Some(json!({ "events": imported.events, "tasks": imported.tasks, "memories": imported.memories }));
        changes.operations.push(operation);
        let committed = self.store.commit(changes)?;
        let hidden =
            committed.events.iter().filter(|appended| hidden_ids.contains(&appended.id) && !appended.duplicate);
        let hidden: Vec<Hiding> = hidden.map(|appended| Hiding { seq: appended.seq, hidden: true }).collect();
        if !hidden.is_empty() {
            self.store.commit(ChangeSet { owner: owner.clone(), hidden, ..ChangeSet::default() })?;
        }
        // Another line, or the store, had the same id or idempotency key.
        let twice = committed.events.iter().filter(|appended| appended.duplicate).count() as u64;
        imported.events -= twice;
        imported.known += twice;
        self.embedding.wake();
        Ok(imported)
    }
}

/// It waits here until somebody confirms it.
fn as_somebody_elses(memory: &mut Memory, reason: &str) {
    speaks_for_nobody(memory);
    memory.status = MemoryStatus::Pending;
    memory.reason = Some(reason.to_owned());
}

/// What it rests on counts as somebody else's text, also when its slot is worked out anew: of one that has ended, or waits, the words of a
/// user who never said them would hold again.
fn speaks_for_nobody(memory: &mut Memory) {
    let supports = |source: &&mut Evidence| {
        matches!(source.stance, Stance::States | Stance::Suggests | Stance::Confirms)
            && source.origin != Origin::Imported
    };
    for source in memory.sources.iter_mut().filter(supports) {
        memory.origin = Origin::Imported;
        source.origin = Origin::Imported;
        if source.stance == Stance::Confirms {
            source.stance = Stance::States;
        }
    }
}

/// An operator's word that nobody answers for confirms nothing, makes nothing surer, and shows it to nobody else. That something was rejected is
/// left: it makes nothing true.
fn without_operators_word(memory: &mut Memory) {
    let confirms = |source: &Evidence| source.event.is_none() && source.stance == Stance::Confirms;
    if memory.sources.iter().any(confirms) {
        if memory.confidence > learn::STATED {
            let at = memory.sources.iter().filter(|source| confirms(source)).map(|source| source.at.clone()).max();
            let reason = "nobody answers for the operator's word in the file it came in".to_owned();
            let (from, to) = (memory.confidence, learn::STATED);
            memory.moves.extend(at.map(|at| Move { at, from, to, reason, cause: None }));
            memory.confidence = to;
        }
        if memory.sources.iter().all(confirms) {
            speaks_for_nobody(memory);
        } else {
            memory.sources.retain(|source| !confirms(source));
        }
    }
    memory.visibility = Visibility::Private;
}

const SAYS_NOT: &str = "no event of the user's says what it rests on";
const ONLY_AN_OPERATOR: &str = "only an operator's word holds it up, and nobody here answers for the file it came in";

impl Engine {
    /// Whether the events that a memory rests on are there, and what it says the user said is in the user's own words, at its time: a file may
    /// have been written by anybody. An operator's word has no event, and counts if somebody answers for it. If not, why.
    fn is_grounded(
        &self,
        owner: &Owner,
        memory: &Memory,
        brought: &[NewEvent],
        vouched: Vouched,
    ) -> Result<Result<(), &'static str>, Error> {
        let mut held_up = false;
        for source in &memory.sources {
            let supports = matches!(source.stance, Stance::States | Stance::Suggests | Stance::Confirms);
            let Some(id) = source.event else {
                held_up |= supports && vouched == Vouched::ByImporter;
                continue;
            };
            let known = brought.iter().find(|new| new.event.id == id).map(|new| new.event.clone());
            let event = match known {
                Some(event) => event,
                None => {
                    let Some(stored) = self.store.event(owner, id)? else { return Ok(Err(SAYS_NOT)) };
                    self.with_its_body(owner, stored)?.event
                }
            };
            let genuine = match (source.origin, source.stance) {
                (Origin::UserStated, Stance::States | Stance::Suggests) => {
                    learn::bears_out(&event, source, &memory.content)
                }
                (_, Stance::Confirms) => learn::is_first_hand(&event),
                (Origin::ToolVerified, _) => event.source == Source::Tool && event.trust == Trust::Trusted,
                _ => true,
            };
            if !genuine {
                return Ok(Err(SAYS_NOT));
            }
            held_up |= supports && source.origin != Origin::Imported;
        }
        // It says of itself only what one of its sources is.
        let counts = |source: &&Evidence| source.event.is_some() || vouched == Vouched::ByImporter;
        let of_a_source = memory.sources.iter().filter(counts).any(|source| source.origin == memory.origin);
        Ok(if held_up && of_a_source {
            Ok(())
        } else if memory.sources.iter().any(|source| source.event.is_none()) {
            Err(ONLY_AN_OPERATOR)
        } else {
            Err(SAYS_NOT)
        })
    }

    fn is_erased(&self, owner: &Owner, traces: &[Trace]) -> Result<bool, Error> {
        Ok(self.store.has_erased()? && self.store.erased(owner, traces)?.contains(&true))
    }

    /// Which of these events were erased here.
    fn erased_among(&self, owner: &Owner, events: BTreeSet<EventId>) -> Result<Vec<EventId>, Error> {
        if !self.store.has_erased()? {
            return Ok(Vec::new());
        }
        let traces: Vec<Trace> = events.iter().copied().map(Trace::Event).collect();
        let erased = self.store.erased(owner, &traces)?;
        Ok(events.into_iter().zip(erased).filter_map(|(id, erased)| erased.then_some(id)).collect())
    }
}

const ERASED: &str = "it, or what it rests on, was erased here on request";
const OF_ANOTHER: &str = "it is another owner's than the line before says";

/// What no memory of ours has: a file may have been written by anybody.
fn what_is_wrong_with(memory: &Memory) -> Option<&'static str> {
    let texts = [&memory.content, &memory.value].into_iter().chain(memory.sources.iter().map(|source| &source.quote));
    let too_long = |part: &String| part.len() > SLOT_PART_BYTES_MAX || part.contains('\0');
    if [&memory.subject, &memory.attribute].into_iter().any(too_long) {
        return Some("its subject or attribute is too long, or has a NUL in it");
    }
    if memory.sources.is_empty() {
        return Some("it has no source");
    }
    if !(0.0..=1.0).contains(&memory.confidence) {
        return Some("its confidence is not between 0 and 1");
    }
    if !(1..=5).contains(&memory.importance) {
        return Some("its importance is not from 1 to 5");
    }
    if !(1..=VERSION_MAX).contains(&memory.version) {
        return Some("its version is none that a memory gets to");
    }
    if memory.content.trim().is_empty()
        || texts.into_iter().any(|text| text.len() > MEMORY_BYTES_MAX || text.contains('\0'))
    {
        return Some("a text of it is empty, too long, or has a NUL in it");
    }
    None
}

fn raw(event: Event, owner: &Owner) -> RawEvent {
    RawEvent {
        scope: Scope { owner: owner.clone(), ..event.scope },
        source: event.source,
        kind: event.kind,
        content: event.content,
        occurred_at: Some(event.occurred_at),
        trust: Some(event.trust),
        metadata: event.metadata,
        idempotency_key: event.idempotency_key,
    }
}

fn write_line(out: &mut dyn Write, line: &ExportLine) -> Result<(), Error> {
    serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
