//! Undoing an operation, a run, or everything after a moment (SPEC 7.2): what each change found where it wrote is put back, as far as
//! nothing later changed the same. The log itself is not rewritten: events that are undone go out of view. What was erased stays so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::archive::{StoodForIt, archived};
use super::attention::AtHand;
use super::{Engine, Error};
use crate::journal::{Document, revert};
use crate::store::{JournalPage, Past, StoreError};
use crate::types::change::{ChangeSet, Hiding, MemoryChange, PastKind, ProbationChange, SessionState, TaskChange};
use crate::types::event::{Overturned, StoredEvent};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::memory::{Memory, Slot};
use crate::types::operation::{JournalEntry, Operation, Target, Verb};
use crate::types::probation::OnProbation;
use crate::types::scope::{Owner, ScopeId};
use crate::types::task::Task;
use crate::types::undo::{NotUndone, Undo, Undoing, Undone};

/// Lines of the journal read at a time.
const PAGE: usize = 500;

/// Operations named in the journal's line of an undo; of more, how many.
const NAMED_MAX: usize = 100;

const ERASED: &str = "what was erased can't come back";
/// Of what was done by then, the journal has no text any more.
fn no_longer_kept(at: jiff::Timestamp) -> Error {
    Error::NothingToUndo(format!("the journal no longer keeps what was done at {at}: its retention dropped it"))
}

const NOT_KEPT: &str = "what it changed was erased since, or is no longer kept";

/// A document of the store, and the changes of it that are undone.
type Documents = BTreeMap<(PastKind, String), BTreeSet<i64>>;

enum WasBody {
    InView,
    Cold(Option<StoodForIt>),
}

/// What is to be undone, by what it is done to.
#[derive(Default)]
struct Parts {
    documents: Documents,
    /// Events that were added: they go out of view.
    added: BTreeSet<Seq>,
    /// Events that were hidden before all of this, or not.
    was_hidden: BTreeMap<EventId, bool>,
    /// Events whose body was in cold storage before all of this, with what stood for it where that is known, or not.
    was_archived: BTreeMap<EventId, WasBody>,
    undone: Undone,
}

impl Engine {
    /// What an undo would reach, and what rests on it. Changes nothing.
    pub fn undo_preview(&self, owner: &Owner, undo: &Undo) -> Result<Undone, Error> {
        let parts = self.parts(owner, undo.what)?;
        Ok(self.worked_out(owner, parts, undo.with_dependants)?.1)
    }

    /// Undoes it in one transaction, in every index. Later operations that changed the same are an error that holds them, unless they are to
    /// be undone too.
    pub fn undo(&self, owner: &Owner, undo: &Undo) -> Result<Undone, Error> {
        if undo.reason.trim().is_empty() {
            return Err(Error::NoReason);
        }
        let (reason, _) = self.clean(owner, &undo.reason)?;
        self.with_at_hand(owner, |at_hand| {
            let parts = self.parts(owner, undo.what)?;
            let (mut change, undone) = self.worked_out(owner, parts, undo.with_dependants)?;
            if !undone.dependants.is_empty() {
                return Err(Error::Dependants(Box::new(undone)));
            }
            if undone.operations.is_empty() {
                let why = undone.refused.first().map_or("nothing was done there that can be undone", |not| &not.why);
                return Err(Error::NothingToUndo(why.to_owned()));
            }
            let mut operation = self.operation(owner, Verb::Undo, Target::Store, "caller", reason);
            let ids: Vec<_> = undone.operations.iter().take(NAMED_MAX).map(|entry| entry.operation.id).collect();
            operation.after = Some(json!({ "operations": undone.operations.len(), "of": ids }));
            change.operations.push(operation);
            self.store.commit(change)?;
            *at_hand = AtHand::load(&*self.store, owner)?;
            Ok(undone)
        })
    }

    /// The operations that are meant, by what they were done to.
    fn parts(&self, owner: &Owner, what: Undoing) -> Result<Parts, Error> {
        let mut parts = Parts::default();
        let page = match what {
            Undoing::Operation(id) => JournalPage { operation: Some(id), ..JournalPage::default() },
            Undoing::Run(run) => JournalPage { run: Some(run), ..JournalPage::default() },
            Undoing::To(_) => JournalPage::default(),
        };
        // Undone in part it would be as nothing ever was.
        let pruned = self.store.pruned(owner, &page)?;
        if let Some(pruned) = pruned.filter(|pruned| !matches!(what, Undoing::To(at) if at >= *pruned)) {
            return Err(no_longer_kept(pruned));
        }
        let page = JournalPage { newest_first: true, limit: PAGE, ..page };
        let mut seen = BTreeSet::new();
        for entries in self.journal_pages(owner, page) {
            let entries = entries?;
            let meant = |entry: &JournalEntry| !matches!(what, Undoing::To(at) if entry.operation.at <= at);
            let all_meant = entries.iter().all(meant);
            for entry in entries.into_iter().filter(meant) {
                let whole = !matches!(what, Undoing::Operation(_));
                if whole || entry.operation.verb != Verb::Undo {
                    self.add(owner, entry, whole, &mut seen, &mut parts)?;
                    continue;
                }
                // What an undo hid and brought back is told by lines of its own.
                let beside = JournalPage {
                    change: Some(entry.change),
                    newest_first: true,
                    limit: PAGE,
                    ..JournalPage::default()
                };
                for lines in self.journal_pages(owner, beside) {
                    for line in lines? {
                        self.add(owner, line, true, &mut seen, &mut parts)?;
                    }
                }
            }
            if !all_meant {
                break;
            }
        }
        if let (Undoing::Operation(id), true) =
            (what, parts.undone.operations.is_empty() && parts.undone.refused.is_empty())
        {
            return Err(Error::NoSuchOperation(id));
        }
        parts.undone.operations.sort_by_key(|entry| entry.position);
        Ok(parts)
    }

    /// One operation's part in it; `whole`: with everything that was written beside it.
    fn add(
        &self,
        owner: &Owner,
        entry: JournalEntry,
        whole: bool,
        seen: &mut BTreeSet<i64>,
        parts: &mut Parts,
    ) -> Result<(), StoreError> {
        let Operation { id, verb, target, .. } = &entry.operation;
        let (id, verb) = (*id, *verb);
        let event = if let Target::Event(event) = target { Some(*event) } else { None };
        let whole = whole || matches!(verb, Verb::Undo | Verb::Import);
        match (verb, event) {
            // They changed nothing.
            (Verb::Serve | Verb::Redact | Verb::Reveal | Verb::Reindex | Verb::Refuse, _) => {}
            (Verb::Promote | Verb::Manage | Verb::Prune, _) => {}
            (Verb::Erase, _) => {
                parts.undone.refused.push(NotUndone { operation: id, verb, why: ERASED.to_owned() });
                return Ok(());
            }
            // The newest come first, so that the earliest has the last word on how it was before.
            (Verb::Hide | Verb::Unhide, Some(event)) => drop(parts.was_hidden.insert(event, verb == Verb::Unhide)),
            (Verb::Archive | Verb::Restore | Verb::Compress, Some(event)) => {
                let was = match verb {
                    Verb::Restore => WasBody::Cold(StoodForIt::of(entry.operation.before.as_ref())),
                    _ => WasBody::InView,
                };
                parts.was_archived.insert(event, was);
            }
            (Verb::Discard, Some(event)) => {
                parts.was_hidden.insert(event, false);
                let before = entry.operation.before.as_ref();
                let was_archived = before.and_then(|before| before.get("archived")).and_then(Value::as_bool);
                let was = |archived| if archived { WasBody::Cold(None) } else { WasBody::InView };
                parts.was_archived.extend(was_archived.map(|was_archived| (event, was(was_archived))));
            }
            (Verb::Observe, Some(event)) => {
                parts.added.extend(self.store.event(owner, event)?.map(|stored| stored.seq));
            }
            _ => {}
        }
        let changed = match target {
            Target::Task(id) => Some((PastKind::Task, id.to_string())),
            Target::Memory(id) => Some((PastKind::Memory, id.to_string())),
            Target::Session(id) => Some((PastKind::Session, id.to_string())),
            Target::Event(id) if matches!(verb, Verb::Probation | Verb::Rescue | Verb::Discard) => {
                Some((PastKind::Probation, id.to_string()))
            }
            Target::Event(_) | Target::Store => None,
        };
        // Of a change that several operations tell of, all is looked at once.
        if whole && !seen.insert(entry.change) {
            parts.undone.operations.push(entry);
            return Ok(());
        }
        let past = self.store.past_of_change(owner, entry.change)?;
        let of_one_event = past.iter().any(|past| past.kind == PastKind::Events && is_of_one(&past.key));
        let whole = whole || verb == Verb::Observe && of_one_event;
        let found = changed.as_ref().is_none_or(|(kind, key)| past.iter().any(|p| p.kind == *kind && p.key == *key));
        if !found && !matches!(verb, Verb::Serve) {
            parts.undone.refused.push(NotUndone { operation: id, verb, why: NOT_KEPT.to_owned() });
            return Ok(());
        }
        for past in self.meant(owner, past, changed.as_ref(), whole)? {
            match past.kind {
                PastKind::Events => parts.added.extend(positions(&past.key)),
                kind => drop(parts.documents.entry((kind, past.key)).or_default().insert(past.change)),
            }
        }
        parts.undone.operations.push(entry);
        Ok(())
    }

    /// Of what a change found, what belongs to the thing that is meant.
    fn meant(
        &self,
        owner: &Owner,
        past: Vec<Past>,
        changed: Option<&(PastKind, String)>,
        whole: bool,
    ) -> Result<Vec<Past>, StoreError> {
        if whole {
            return Ok(past);
        }
        let Some((kind, key)) = changed else { return Ok(Vec::new()) };
        if *kind != PastKind::Memory {
            // What one task's update marked and its key; several tasks' can't be told apart, and stay.
            let alone =
                *kind != PastKind::Probation && past.iter().filter(|past| past.kind == PastKind::Task).count() <= 1;
            let beside = |past: &Past| alone && matches!(past.kind, PastKind::Mark | PastKind::UpdateKey);
            return Ok(past
                .into_iter()
                .filter(|past| past.kind == *kind && past.key == *key || beside(past))
                .collect());
        }
        // The memories of one slot go together: one that was superseded holds again only if the other does not.
        let mut slots: BTreeMap<String, BTreeSet<Slot>> = BTreeMap::new();
        let mut sources: BTreeMap<String, BTreeSet<EventId>> = BTreeMap::new();
        for past in past.iter().filter(|past| past.kind == PastKind::Memory) {
            let id: Option<MemoryId> = past.key.parse().ok();
            let now = id.map(|id| self.store.memory(owner, id)).transpose()?.flatten();
            let before = past.before.clone().and_then(|value| serde_json::from_value::<Memory>(value).ok());
            for memory in now.into_iter().chain(before) {
                slots.entry(past.key.clone()).or_default().insert(memory.slot());
                let events = memory.sources.iter().filter_map(|source| source.event);
                sources.entry(past.key.clone()).or_default().extend(events);
            }
        }
        let of_slot = |other: &String| {
            other == key || slots.get(other).zip(slots.get(key)).is_some_and(|(a, b)| !a.is_disjoint(b))
        };
        let marked: BTreeSet<EventId> =
            sources.iter().filter(|(key, _)| of_slot(key)).flat_map(|(_, events)| events.iter().copied()).collect();
        let is_meant = |past: &Past| match past.kind {
            PastKind::Memory => of_slot(&past.key),
            PastKind::Mark => mark(&past.key).is_some_and(|(event, _)| marked.contains(&event)),
            _ => false,
        };
        Ok(past.into_iter().filter(is_meant).collect())
    }

    /// The change that puts everything back, with what later changed the same.
    fn worked_out(&self, owner: &Owner, parts: Parts, with_dependants: bool) -> Result<(ChangeSet, Undone), Error> {
        let Parts { documents, added, was_hidden, was_archived, mut undone } = parts;
        let mut change = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
        let mut later: BTreeSet<(i64, PastKind, String)> = BTreeSet::new();
        // Read once: one by one, a long list would be read as often as it is long.
        let waiting = match documents.keys().any(|(kind, _)| *kind == PastKind::Probation) {
            true => self.store.probation(owner)?,
            false => Vec::new(),
        };
        let waiting: BTreeMap<String, OnProbation> =
            waiting.into_iter().map(|waiting| (waiting.id.to_string(), waiting)).collect();
        for ((kind, key), changes) in documents {
            let current = match kind {
                PastKind::Probation => waiting.get(&key).map(as_kept),
                _ => self.document(owner, kind, &key)?,
            };
            let found = self.put_back(owner, (kind, &key), current, changes, with_dependants, &mut change)?;
            later.extend(found.into_iter().map(|change| (change, kind, key.clone())));
        }
        for (number, kind, key) in later {
            let page = JournalPage { change: Some(number), limit: PAGE, ..JournalPage::default() };
            let about = |entry: &JournalEntry| match &entry.operation.target {
                Target::Task(id) => kind == PastKind::Task && id.as_str() == key,
                Target::Memory(id) => kind == PastKind::Memory && id.to_string() == key,
                Target::Event(id) => kind == PastKind::Probation && id.to_string() == key,
                _ => false,
            };
            let into = if with_dependants { &mut undone.operations } else { &mut undone.dependants };
            for entry in self.store.journal(owner, &page)?.into_iter().filter(about) {
                if into.iter().all(|known| known.position != entry.position) {
                    into.push(entry);
                }
            }
        }
        undone.tasks = (change.tasks.len() + change.withdrawn.tasks.len()) as u64;
        undone.memories = (change.memories.len() + change.withdrawn.memories.len()) as u64;
        undone.events = added.len() as u64;
        self.move_events(owner, &added, &was_hidden, &mut change)?;
        self.move_bodies(owner, &was_archived, &mut change)?;
        Ok((change, undone))
    }

    /// Puts one document back; which later changes of it are in the way, or went with it.
    fn put_back(
        &self,
        owner: &Owner,
        (kind, key): (PastKind, &str),
        current: Document,
        mut changes: BTreeSet<i64>,
        with_dependants: bool,
        change: &mut ChangeSet,
    ) -> Result<Vec<i64>, Error> {
        let Some(first) = changes.first().copied() else { return Ok(Vec::new()) };
        let past = self.store.past_of_document(owner, kind, key, first)?;
        let mut later = Vec::new();
        let put = loop {
            match put_back(&past, &current, &changes) {
                Ok(put) => break put,
                Err(in_the_way) if with_dependants && !in_the_way.is_empty() => {
                    changes.extend(&in_the_way);
                    later.extend(in_the_way);
                }
                Err(in_the_way) => return Ok(in_the_way),
            }
        };
        match kind {
            PastKind::Task => {
                let id = ScopeId::new(key).map_err(|_| damaged(kind, key))?;
                let now: Option<Task> = read(current, kind, key)?;
                match read::<Task>(put, kind, key)? {
                    Some(task) => {
                        let version = now.as_ref().map_or(task.version, |now| now.version) + 1;
                        let task = Task { version, ..task };
                        change.tasks.push(TaskChange { task, expected_version: now.map(|now| now.version) });
                    }
                    None if now.is_some() => change.withdrawn.tasks.push(id),
                    None => {}
                }
            }
            PastKind::Memory => {
                let now: Option<Memory> = read(current, kind, key)?;
                match read::<Memory>(put, kind, key)? {
                    Some(memory) => {
                        let version = now.as_ref().map_or(memory.version, |now| now.version) + 1;
                        let memory = Memory { version, ..memory };
                        change.memories.push(MemoryChange { memory, expected_version: now.map(|now| now.version) });
                    }
                    None => change.withdrawn.memories.extend(now.map(|now| now.id)),
                }
            }
            PastKind::Session => {
                let session = ScopeId::new(key).map_err(|_| damaged(kind, key))?;
                change.sessions.push(SessionState { session, task: read(put, kind, key)? });
            }
            PastKind::Mark => {
                let (event, statement) = mark(key).ok_or_else(|| damaged(kind, key))?;
                match read::<Overturned>(put, kind, key)? {
                    Some(mark) => change.overturned.push((event, mark)),
                    None => change.withdrawn.marks.push((event, statement)),
                }
            }
            PastKind::UpdateKey => change.withdrawn.update_keys.extend(serde_json::from_str::<(ScopeId, String)>(key)),
            PastKind::Probation => {
                let now: Option<OnProbation> = read(current, kind, key)?;
                let put = read::<OnProbation>(put, kind, key)?.map(ProbationChange::Put);
                change.probation.extend(put.or(now.map(|now| ProbationChange::Lift(now.seq))));
            }
            PastKind::Events => {}
        }
        Ok(later)
    }

    /// A document as it is now.
    fn document(&self, owner: &Owner, kind: PastKind, key: &str) -> Result<Document, StoreError> {
        Ok(match kind {
            PastKind::Task => {
                let id = ScopeId::new(key).ok();
                id.map(|id| self.store.task(owner, &id)).transpose()?.flatten().map(|task| as_kept(&task))
            }
            PastKind::Memory => {
                let id = key.parse().ok();
                id.map(|id| self.store.memory(owner, id)).transpose()?.flatten().map(|memory| as_kept(&memory))
            }
            PastKind::Session => {
                let id = ScopeId::new(key).ok();
                let state = id.map(|id| self.store.session(owner, &id)).transpose()?.flatten();
                Some(as_kept(&state.and_then(|state| state.task)))
            }
            PastKind::Mark => {
                let Some((event, statement)) = mark(key) else { return Ok(None) };
                let stored = self.store.event(owner, event)?;
                let marks = stored.into_iter().flat_map(|stored| stored.overturned);
                marks.into_iter().find(|mark| mark.statement == statement).map(|mark| as_kept(&mark))
            }
            PastKind::UpdateKey | PastKind::Events | PastKind::Probation => None,
        })
    }

    fn move_events(
        &self,
        owner: &Owner,
        added: &BTreeSet<Seq>,
        was_hidden: &BTreeMap<EventId, bool>,
        change: &mut ChangeSet,
    ) -> Result<(), StoreError> {
        let told = |verb, event| Operation {
            after: Some(json!({ "events": 1 })),
            ..self.operation(owner, verb, Target::Event(event), "caller", "it is undone")
        };
        let added_here: Vec<Seq> = added.iter().copied().collect();
        // Those in view: what is hidden already is not done twice.
        for stored in self.store.events_at(owner, &added_here)? {
            change.hidden.push(Hiding { seq: stored.seq, hidden: true });
            change.operations.push(told(Verb::Hide, stored.event.id));
        }
        for (id, was_hidden) in was_hidden {
            let stored = self.store.event(owner, *id)?;
            let moved = |stored: &StoredEvent| stored.hidden != *was_hidden && !added.contains(&stored.seq);
            let Some(stored) = stored.filter(moved) else { continue };
            change.hidden.push(Hiding { seq: stored.seq, hidden: *was_hidden });
            change.operations.push(told(if *was_hidden { Verb::Hide } else { Verb::Unhide }, *id));
        }
        Ok(())
    }

    fn move_bodies(
        &self,
        owner: &Owner,
        was_archived: &BTreeMap<EventId, WasBody>,
        change: &mut ChangeSet,
    ) -> Result<(), StoreError> {
        for (id, was) in was_archived {
            let was_cold = matches!(was, WasBody::Cold(_));
            let Some(stored) = self.store.event(owner, *id)?.filter(|stored| stored.archived != was_cold) else {
                continue;
            };
            let told = |verb| self.operation(owner, verb, Target::Event(*id), "caller", "it is undone");
            let operation = match was {
                WasBody::Cold(stood) => {
                    let stood = stood.as_ref().map(|stood| stood.body_of(&stored));
                    change.archived.push(stood.unwrap_or_else(|| archived(&stored)));
                    told(Verb::Archive)
                }
                WasBody::InView => {
                    let Some((restored, stood)) = self.restored(owner, &stored)? else { continue };
                    change.restored.push(restored);
                    Operation { before: Some(json!(stood)), ..told(Verb::Restore) }
                }
            };
            change.operations.push(operation);
        }
        Ok(())
    }
}

/// A document without these changes of it, taken back from the last to the first. Else the later ones that are in the way.
fn put_back(past: &[Past], current: &Document, changes: &BTreeSet<i64>) -> Result<Document, Vec<i64>> {
    let mut now = current.clone();
    for (place, row) in past.iter().enumerate().rev().filter(|(_, row)| changes.contains(&row.change)) {
        let after = past.get(place + 1).map_or(current, |next| &next.before);
        now = revert(&row.before, after, &now).map_err(|_| {
            let later = past[place + 1..].iter().map(|row| row.change);
            later.filter(|change| !changes.contains(change)).collect::<Vec<_>>()
        })?;
    }
    Ok(now)
}

/// As the store keeps a document: in text, where a number has as few digits as tell it.
fn as_kept(document: &impl Serialize) -> Value {
    let text = serde_json::to_string(document).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn read<T: DeserializeOwned>(document: Document, kind: PastKind, key: &str) -> Result<Option<T>, StoreError> {
    let value = document.filter(|value| !value.is_null());
    value.map(|value| serde_json::from_value(value).map_err(|_| damaged(kind, key))).transpose()
}

fn damaged(kind: PastKind, key: &str) -> StoreError {
    StoreError::Corrupt { detail: format!("what is kept of {kind} {key} can't be put back together") }
}

/// Event and statement of a mark, by its key.
fn mark(key: &str) -> Option<(EventId, String)> {
    serde_json::from_str(key).ok()
}

/// The positions that a change added, by their key.
fn positions(key: &str) -> impl Iterator<Item = Seq> {
    let range = key.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    let (first, last): (i64, i64) = range.unwrap_or((1, 0));
    (first..=last).map(Seq)
}

fn is_of_one(key: &str) -> bool {
    positions(key).count() == 1
}

/// Whether a document of the past says something, as `tells` knows it by its texts, or rests on an event.
pub(super) fn document_tells(
    document: &Value,
    tells: &impl Fn(&str) -> bool,
    is_gone: &impl Fn(EventId) -> bool,
) -> bool {
    match document {
        Value::String(text) => tells(text) || text.parse().is_ok_and(is_gone),
        Value::Array(values) => values.iter().any(|value| document_tells(value, tells, is_gone)),
        Value::Object(fields) => fields.values().any(|value| document_tells(value, tells, is_gone)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
