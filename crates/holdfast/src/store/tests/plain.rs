//! The reference that other stores are compared with: maps in memory, whole scans, no index, no cache, nothing durable.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::store::{
    DenseQuery, EventPage, JournalCheck, JournalPage, Lexical, MemoryState, ModelId, Past, Progress, Scrubbed, Store,
    StoreError, StoreStatus, Traits, Unembedded,
};
use crate::types::change::{
    Appended, ChangeSet, Committed, Erased, EventVectors, NewEvent, PastKind, ProbationChange, SessionState,
    TaskChange, Trace, Unfinished, Withdrawn,
};
use crate::types::event::{Overturned, StoredEvent};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::memory::{Memory, MemoryFilter, MemoryStatus};
use crate::types::operation::{JournalEntry, Operation, Target};
use crate::types::probation::OnProbation;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// What the SQLite store counts a model's common part as, in vectors.
const COMMON_WEIGHT: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct Plain {
    state: Mutex<State>,
}

/// The passages of each event.
type Passages = BTreeMap<(Owner, Seq), Vec<Vec<f32>>>;

#[derive(Debug, Default)]
struct State {
    logs: BTreeMap<Owner, Log>,
    vectors: BTreeMap<ModelId, Passages>,
    through: BTreeMap<(ModelId, Owner), Seq>,
    active: Option<ModelId>,
}

/// Everything of one owner.
#[derive(Debug, Clone, Default)]
struct Log {
    events: Vec<Kept>,
    tasks: BTreeMap<TaskId, Task>,
    sessions: BTreeMap<ScopeId, Option<TaskId>>,
    update_keys: BTreeMap<(TaskId, String), u64>,
    /// None: its text was erased.
    operations: Vec<(i64, Option<Operation>)>,
    /// Lines that have lost their text to the journal's retention, as they were.
    pruned: BTreeMap<i64, (i64, Operation)>,
    secrets: BTreeMap<String, Vec<u8>>,
    memories: BTreeMap<MemoryId, Memory>,
    memory_state: MemoryState,
    last: i64,
    change: i64,
    past: Vec<Past>,
    traces: BTreeSet<Trace>,
    unfinished: Vec<Unfinished>,
}

#[derive(Debug, Clone)]
struct Kept {
    stored: StoredEvent,
    terms: String,
    cold: Option<String>,
    probation: Option<OnProbation>,
}

impl Plain {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_log<T: Default>(&self, owner: &Owner, read: impl FnOnce(&Log) -> T) -> T {
        self.state().logs.get(owner).map(read).unwrap_or_default()
    }
}

impl Log {
    fn at(&mut self, seq: Seq) -> Option<&mut Kept> {
        self.events.iter_mut().find(|kept| kept.stored.seq == seq)
    }

    fn append(&mut self, new: NewEvent) -> Appended {
        let event = new.event;
        let known = self.events.iter().find(|kept| {
            let other = &kept.stored.event;
            other.id == event.id || (other.idempotency_key.is_some() && other.idempotency_key == event.idempotency_key)
        });
        if let Some(known) = known {
            return Appended { seq: known.stored.seq, id: known.stored.event.id, duplicate: true };
        }
        self.last += 1;
        let seq = Seq(self.last);
        let session = &event.scope.session;
        let predecessor = self.events.iter().rev().find(|kept| kept.stored.event.scope.session == *session);
        let predecessor = predecessor.map(|kept| kept.stored.seq);
        self.sessions.entry(session.clone()).or_default();
        let appended = Appended { seq, id: event.id, duplicate: false };
        let stored = StoredEvent {
            seq,
            event,
            signals: new.signals,
            predecessor,
            archived: false,
            hidden: false,
            overturned: Vec::new(),
        };
        self.events.push(Kept { stored, terms: new.terms, cold: None, probation: None });
        appended
    }

    /// The first state that a change finds is the one before it.
    fn keep(&mut self, kind: PastKind, key: String, before: Option<Value>) {
        let change = self.change;
        if !self.past.iter().any(|past| (past.change, past.kind, &past.key) == (change, kind, &key)) {
            self.past.push(Past { change, kind, key, before });
        }
    }

    fn withdraw(&mut self, withdrawn: Withdrawn) {
        for id in withdrawn.tasks {
            let before = self.tasks.remove(&id).map(|task| in_text(&task));
            self.keep(PastKind::Task, id.to_string(), before);
        }
        for id in withdrawn.memories {
            let before = self.memories.remove(&id);
            self.memory_state.changes += u64::from(before.is_some());
            self.keep(PastKind::Memory, id.to_string(), before.map(|memory| in_text(&memory)));
        }
        for (id, statement) in withdrawn.marks {
            let before = self.mark(id, &statement);
            self.keep(PastKind::Mark, json!((id, &statement)).to_string(), before);
            let kept = self.events.iter_mut().filter(|kept| kept.stored.event.id == id);
            kept.for_each(|kept| kept.stored.overturned.retain(|mark| mark.statement != statement));
        }
        for key in withdrawn.update_keys {
            self.update_keys.remove(&key);
        }
    }

    fn mark(&self, id: EventId, statement: &str) -> Option<Value> {
        let kept = self.events.iter().find(|kept| kept.stored.event.id == id)?;
        kept.stored.overturned.iter().find(|mark| mark.statement == statement).map(|mark| in_text(&mark))
    }

    /// `None`: it is lifted. What is hidden is not put there, and what is not there is not lifted.
    fn put_on_probation(&mut self, seq: Seq, probation: Option<OnProbation>) {
        let Some(kept) = self.at(seq) else { return };
        if if probation.is_some() { kept.stored.hidden } else { kept.probation.is_none() } {
            return;
        }
        let (id, before) = (kept.stored.event.id, std::mem::replace(&mut kept.probation, probation));
        self.keep(PastKind::Probation, id.to_string(), before.map(|before| in_text(&before)));
    }

    fn write_task(&mut self, change: TaskChange) -> Result<(), StoreError> {
        let actual = self.tasks.get(&change.task.id).map(|task| task.version);
        if actual != change.expected_version {
            return Err(StoreError::Conflict { task: change.task.id, expected: change.expected_version, actual });
        }
        let (id, before) = (change.task.id.clone(), self.tasks.get(&change.task.id).map(|task| in_text(&task)));
        self.keep(PastKind::Task, id.to_string(), before);
        self.tasks.insert(id, change.task);
        Ok(())
    }

    fn erase(&mut self, erased: Erased) {
        if let Some(unfinished) = erased.unfinished {
            self.unfinished.retain(|known| known.id != unfinished.id);
            self.unfinished.push(unfinished);
        }
        for kept in self.events.iter_mut().filter(|kept| erased.unindexed.contains(&kept.stored.seq)) {
            kept.terms.clear();
        }
        for seq in erased.events {
            let Some(place) = self.events.iter().position(|kept| kept.stored.seq == seq) else { continue };
            let mut gone = self.events.remove(place);
            let event = &mut gone.stored.event;
            event.content = gone.cold.unwrap_or_else(|| std::mem::take(&mut event.content));
            self.traces.extend(Trace::of_event(event));
            let follows = |kept: &&mut Kept| kept.stored.predecessor == Some(seq);
            if let Some(next) = self.events.iter_mut().find(follows) {
                next.stored.predecessor = gone.stored.predecessor;
            }
        }
        for id in erased.tasks {
            let Some(task) = self.tasks.remove(&id) else { continue };
            self.traces.insert(Trace::of_task(&task));
            self.update_keys.retain(|(task, _), _| *task != id);
            self.sessions.values_mut().filter(|task| task.as_ref() == Some(&id)).for_each(|task| *task = None);
        }
        for id in erased.memories {
            self.traces.insert(Trace::Memory(id));
            let there = self.memories.remove(&id).is_some();
            self.memory_state.changes += u64::from(there);
        }
        for session in erased.sessions {
            if !self.events.iter().any(|kept| kept.stored.event.scope.session == session) {
                self.sessions.remove(&session);
                self.past.retain(|past| past.kind != PastKind::Session || past.key != session.as_str());
            }
        }
        for (id, statement) in erased.marks {
            let kept = self.events.iter_mut().filter(|kept| kept.stored.event.id == id);
            kept.for_each(|kept| kept.stored.overturned.retain(|mark| mark.statement != statement));
        }
        for (seq, signals) in erased.signals {
            let kept = self.events.iter_mut().filter(|kept| kept.stored.seq == seq);
            kept.for_each(|kept| kept.stored.signals = signals.clone());
        }
        for place in erased.operations {
            if let Some(operation) = usize::try_from(place - 1).ok().and_then(|place| self.operations.get_mut(place)) {
                operation.1 = None;
                self.pruned.remove(&place);
            }
        }
        let texts = self.events.iter().map(|kept| kept.cold.as_ref().unwrap_or(&kept.stored.event.content));
        let texts: Vec<&String> = texts.collect();
        for placeholder in erased.secrets {
            if !texts.iter().any(|text| text.contains(&placeholder)) {
                self.secrets.remove(&placeholder);
            }
        }
        self.unfinished.retain(|unfinished| Some(unfinished.id) != erased.finished);
    }

    fn prune(&mut self, lines: Vec<i64>) {
        for position in lines {
            let line = usize::try_from(position - 1).ok().and_then(|place| self.operations.get_mut(place));
            if let Some((change, Some(operation))) = line.map(|line| (line.0, line.1.take())) {
                self.past.retain(|past| past.change != change);
                self.pruned.insert(position, (change, operation));
            }
        }
    }

    fn apply(&mut self, changes: ChangeSet) -> Result<Committed, StoreError> {
        self.change += 1;
        let gone = changes.erased.past.clone();
        self.erase(changes.erased);
        self.prune(changes.pruned);
        self.withdraw(changes.withdrawn);
        let first_new = self.last + 1;
        let ids: Vec<EventId> = changes.events.iter().map(|new| new.event.id).collect();
        let events: Vec<Appended> = changes.events.into_iter().map(|new| self.append(new)).collect();
        if self.last >= first_new {
            self.keep(PastKind::Events, format!("{first_new}-{}", self.last), None);
        }
        let duplicates: Vec<EventId> =
            ids.into_iter().zip(&events).filter(|(_, appended)| appended.duplicate).map(|(id, _)| id).collect();
        changes.tasks.into_iter().try_for_each(|change| self.write_task(change))?;
        for state in changes.sessions {
            let before = self.sessions.get(&state.session).cloned().flatten();
            self.keep(PastKind::Session, state.session.to_string(), Some(json!(before)));
            self.sessions.insert(state.session, state.task);
        }
        for secret in changes.secrets {
            self.secrets.entry(secret.placeholder).or_insert(secret.sealed);
        }
        for key in changes.update_keys {
            if let Some(actual) = self.update_keys.get(&(key.task.clone(), key.key.clone())) {
                let (expected, actual) = (Some(key.version), Some(*actual));
                return Err(StoreError::Conflict { task: key.task, expected, actual });
            }
            self.keep(PastKind::UpdateKey, json!((&key.task, &key.key)).to_string(), None);
            self.update_keys.insert((key.task, key.key), key.version);
        }
        for (id, overturned) in changes.overturned {
            if duplicates.contains(&id) {
                continue;
            }
            let before = self.mark(id, &overturned.statement);
            self.keep(PastKind::Mark, json!((id, &overturned.statement)).to_string(), before);
            let kept = self.events.iter_mut().find(|kept| kept.stored.event.id == id);
            let kept = kept.ok_or_else(|| StoreError::Refused(format!("no event {id} has a statement to overturn")))?;
            let marks = &mut kept.stored.overturned;
            marks.retain(|mark| mark.statement != overturned.statement);
            marks.push(overturned);
            marks.sort_by(|a, b| a.statement.cmp(&b.statement));
        }
        for body in changes.archived {
            let Some(kept) = self.at(body.seq).filter(|kept| kept.cold.is_none()) else { continue };
            kept.cold = Some(std::mem::replace(&mut kept.stored.event.content, body.summary));
            kept.stored.archived = true;
            kept.terms = body.terms;
        }
        for body in changes.restored {
            let Some(kept) = self.at(body.seq) else { continue };
            let Some(cold) = kept.cold.take() else { continue };
            kept.stored.event.content = cold;
            kept.stored.archived = false;
            kept.terms = body.terms;
        }
        for hiding in changes.hidden {
            let Some(kept) = self.at(hiding.seq).filter(|kept| kept.stored.hidden != hiding.hidden) else { continue };
            kept.stored.hidden = hiding.hidden;
            self.memory_state.changes += 1;
            if hiding.hidden {
                self.put_on_probation(hiding.seq, None);
            }
        }
        for change in changes.probation {
            match change {
                ProbationChange::Put(put) => self.put_on_probation(put.seq, Some(put)),
                ProbationChange::Lift(seq) => self.put_on_probation(seq, None),
            }
        }
        self.memory_state.hides = self.events.iter().any(|kept| kept.stored.hidden);
        for change in changes.memories {
            let stale = || StoreError::Stale { what: format!("memory {}", change.memory.id) };
            let sources = change.memory.sources.iter().filter_map(|source| source.event).map(Trace::Event);
            if sources.chain([Trace::Memory(change.memory.id)]).any(|trace| self.traces.contains(&trace)) {
                return Err(stale());
            }
            if self.memories.get(&change.memory.id).map(|memory| memory.version) != change.expected_version {
                return Err(stale());
            }
            let before = self.memories.get(&change.memory.id).map(|memory| in_text(&memory));
            self.keep(PastKind::Memory, change.memory.id.to_string(), before);
            self.memories.insert(change.memory.id, change.memory);
            self.memory_state.changes += 1;
        }
        let active = self.memories.values().filter(|memory| memory.status == MemoryStatus::Active);
        let mut slots = BTreeSet::new();
        if let Some(second) = active.map(Memory::slot).find(|slot| !slots.insert(slot.clone())) {
            return Err(StoreError::Refused(format!("a second memory would be active in the slot {}", second.key())));
        }
        if let Some(learned) = changes.learned {
            if self.memory_state.learned != learned.from {
                return Err(StoreError::Stale { what: "how far was learned".to_owned() });
            }
            self.memory_state.learned = learned.through;
        }
        if let Some(induced) = changes.induced {
            if self.memory_state.induced != induced.from {
                return Err(StoreError::Stale { what: "how far a model was asked".to_owned() });
            }
            self.memory_state.induced = induced.through;
        }
        for operation in changes.operations {
            let target = if let Target::Event(id) = operation.target { Some(id) } else { None };
            let happened = !target.or(operation.cause).is_some_and(|id| duplicates.contains(&id));
            if happened
                && !self.operations.iter().filter_map(|(_, known)| known.as_ref()).any(|known| known.id == operation.id)
            {
                self.operations.push((self.change, Some(operation)));
            }
        }
        for (kind, key, through) in gone {
            self.past.retain(|past| past.kind != kind || past.key != key || past.change > through);
        }
        Ok(Committed { events })
    }
}

/// As SQLite keeps a document.
fn in_text(document: &impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(document).expect("JSON")).expect("JSON")
}

fn passes(event: &StoredEvent, filter: &Filter) -> bool {
    let Filter { session, task, sources, kinds, since, until, known_at, except, history: _, hidden } = filter;
    let in_view = *hidden || !event.hidden;
    let event = &event.event;
    let happened = event.occurred_at.timestamp();
    in_view
        && session.as_ref().is_none_or(|session| *session == event.scope.session)
        && (task.is_none() || *task == event.scope.task)
        && (sources.is_empty() || sources.contains(&event.source))
        && (kinds.is_empty() || kinds.contains(&event.kind))
        && since.is_none_or(|since| happened >= since)
        && until.is_none_or(|until| happened < until)
        && known_at.is_none_or(|known_at| event.recorded_at <= known_at)
        && !except.contains(&event.id)
}

fn words(terms: &str) -> impl Iterator<Item = &str> {
    let words = terms.split(|c: char| c.is_ascii_control() || c == ' ');
    words.filter(|word| (1..=256).contains(&word.len()))
}

fn page<T>(mut rows: Vec<T>, newest_first: bool, limit: usize) -> Vec<T> {
    if newest_first {
        rows.reverse();
    }
    rows.truncate(limit);
    rows
}

fn comes_after(position: i64, after: Option<i64>, newest_first: bool) -> bool {
    after.is_none_or(|after| if newest_first { position < after } else { position > after })
}

impl Store for Plain {
    fn commit(&self, changes: ChangeSet) -> Result<Committed, StoreError> {
        let foreign = (changes.events.iter().map(|new| &new.event.scope.owner))
            .chain(changes.tasks.iter().map(|change| &change.task.owner))
            .chain(changes.operations.iter().map(|operation| &operation.owner))
            .any(|owner| *owner != changes.owner && changes.erased.renamed.as_ref() != Some(owner));
        if foreign {
            return Err(StoreError::Refused("a part of the change belongs to another owner".to_owned()));
        }
        let mut state = self.state();
        let owner = changes.owner.clone();
        let mut log = state.logs.get(&owner).cloned().unwrap_or_default();
        let renamed = changes.erased.renamed.clone();
        let lines = log.operations.len();
        let gone = changes.erased.events.clone();
        let committed = log.apply(changes)?;
        for passages in state.vectors.values_mut() {
            passages.retain(|(whose, seq), _| *whose != owner || !gone.contains(seq));
        }
        state.logs.insert(owner.clone(), log);
        if let Some(name) = renamed
            && let Some(mut log) = state.logs.remove(&owner)
        {
            log.operations.iter_mut().take(lines).for_each(|line| line.1 = None);
            // Nothing else is kept of it.
            let log = Log {
                past: Vec::new(),
                sessions: BTreeMap::new(),
                tasks: BTreeMap::new(),
                update_keys: BTreeMap::new(),
                memories: BTreeMap::new(),
                secrets: BTreeMap::new(),
                ..log
            };
            state.logs.insert(name, log);
        }
        Ok(committed)
    }

    fn event(&self, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        Ok(self.with_log(owner, |log| {
            log.events.iter().find(|kept| kept.stored.event.id == id).map(|kept| kept.stored.clone())
        }))
    }

    fn events_at(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let wanted = log.events.iter().filter(|kept| positions.contains(&kept.stored.seq) && !kept.stored.hidden);
            wanted.map(|kept| kept.stored.clone()).collect()
        }))
    }

    fn events(&self, owner: &Owner, wanted: &EventPage) -> Result<Vec<StoredEvent>, StoreError> {
        let after = wanted.after.map(|seq| seq.0);
        let rows = self.with_log(owner, |log| {
            let events = log.events.iter().map(|kept| &kept.stored);
            let events = events
                .filter(|e| passes(e, &wanted.filter) && comes_after(e.seq.0, after, wanted.newest_first))
                .cloned();
            events.collect()
        });
        Ok(page(rows, wanted.newest_first, wanted.limit))
    }

    fn event_by_key(&self, owner: &Owner, key: &str) -> Result<Option<(Seq, EventId)>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let kept = log.events.iter().find(|kept| kept.stored.event.idempotency_key.as_deref() == Some(key));
            kept.map(|kept| (kept.stored.seq, kept.stored.event.id))
        }))
    }

    fn body(&self, owner: &Owner, seq: Seq) -> Result<Option<String>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let kept = log.events.iter().find(|kept| kept.stored.seq == seq);
            kept.map(|kept| kept.cold.clone().unwrap_or_else(|| kept.stored.event.content.clone()))
        }))
    }

    fn task(&self, owner: &Owner, id: &TaskId) -> Result<Option<Task>, StoreError> {
        Ok(self.with_log(owner, |log| log.tasks.get(id).cloned()))
    }

    fn tasks(&self, owner: &Owner, limit: usize) -> Result<Vec<Task>, StoreError> {
        let mut tasks: Vec<Task> = self.with_log(owner, |log| log.tasks.values().cloned().collect());
        tasks.sort_by(|a, b| {
            b.last_activity.timestamp().cmp(&a.last_activity.timestamp()).then_with(|| a.id.cmp(&b.id))
        });
        tasks.truncate(limit);
        Ok(tasks)
    }

    fn session(&self, owner: &Owner, session: &ScopeId) -> Result<Option<SessionState>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let task = log.sessions.get(session)?;
            Some(SessionState { session: session.clone(), task: task.clone() })
        }))
    }

    fn update_version(&self, owner: &Owner, task: &TaskId, key: &str) -> Result<Option<u64>, StoreError> {
        Ok(self.with_log(owner, |log| log.update_keys.get(&(task.clone(), key.to_owned())).copied()))
    }

    fn sealed_secret(&self, owner: &Owner, placeholder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.with_log(owner, |log| log.secrets.get(placeholder).cloned()))
    }

    /// Every row with any of the terms; the score is how many of them it holds.
    fn memory(&self, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        Ok(self.with_log(owner, |log| log.memories.get(&id).cloned()))
    }

    fn memories(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        let passes = |memory: &&Memory| {
            filter.slot.as_ref().is_none_or(|slot| *slot == memory.slot())
                && (filter.statuses.is_empty() || filter.statuses.contains(&memory.status))
        };
        Ok(self.with_log(owner, |log| log.memories.values().filter(passes).cloned().collect()))
    }

    fn probation(&self, owner: &Owner) -> Result<Vec<OnProbation>, StoreError> {
        Ok(self.with_log(owner, |log| log.events.iter().filter_map(|kept| kept.probation.clone()).collect()))
    }

    fn memory_state(&self, owner: &Owner) -> Result<MemoryState, StoreError> {
        Ok(self.with_log(owner, |log| log.memory_state))
    }

    fn lexical(&self, owner: &Owner, terms: &[String], filter: &Filter, limit: usize) -> Result<Lexical, StoreError> {
        let mut lexical =
            Lexical { term_rows: vec![0; terms.len()], used: vec![false; terms.len()], ..Lexical::default() };
        let state = self.state();
        let Some(log) = state.logs.get(owner) else { return Ok(lexical) };
        lexical.total_rows = log.events.len() as u64;
        for kept in &log.events {
            let held: BTreeSet<&str> = words(&kept.terms).collect();
            let mut seen = BTreeSet::new();
            for (place, term) in terms.iter().enumerate() {
                if held.contains(term.as_str()) && seen.insert(term) {
                    lexical.term_rows[place] += 1;
                    lexical.used[place] = true;
                }
            }
            if !seen.is_empty() && passes(&kept.stored, filter) {
                lexical.rows.push((kept.stored.seq, seen.len() as f32));
            }
        }
        lexical.rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        lexical.rows.truncate(limit);
        Ok(lexical)
    }

    fn traits(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<Traits>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let wanted = log.events.iter().filter(|kept| positions.contains(&kept.stored.seq) && !kept.stored.hidden);
            let traits = wanted.map(|kept| {
                let event = &kept.stored.event;
                Traits {
                    seq: kept.stored.seq,
                    id: event.id,
                    terms: kept.terms.clone(),
                    source: event.source,
                    kind: event.kind,
                    session: event.scope.session.clone(),
                    local_time: event.occurred_at.datetime(),
                    mentioned_days: Vec::new(),
                    manner: kept.stored.signals.manner,
                }
            });
            traits.collect()
        }))
    }

    fn count_between(&self, owner: &Owner, since: Timestamp, until: Timestamp) -> Result<u64, StoreError> {
        let filter = Filter { since: Some(since), until: Some(until), hidden: true, ..Filter::default() };
        Ok(self.with_log(owner, |log| log.events.iter().filter(|kept| passes(&kept.stored, &filter)).count() as u64))
    }

    fn dense(
        &self,
        owner: &Owner,
        query: &DenseQuery<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(Seq, f32)>, StoreError> {
        if query.vector.len() != query.model.dimension {
            return Err(StoreError::Dimension { model: query.model.clone(), actual: query.vector.len() });
        }
        let state = self.state();
        let (Some(log), Some(vectors)) = (state.logs.get(owner), state.vectors.get(query.model)) else {
            return Ok(Vec::new());
        };
        let own: Vec<(Seq, &Vec<Vec<f32>>)> =
            vectors.iter().filter(|((whose, _), _)| whose == owner).map(|((_, seq), p)| (*seq, p)).collect();
        let centre = centre(own.iter().flat_map(|(_, passages)| passages.iter()), query);
        let mut rows = Vec::new();
        for (seq, passages) in own {
            let kept = log.events.iter().find(|kept| kept.stored.seq == seq);
            if kept.is_some_and(|kept| passes(&kept.stored, filter)) {
                let best = passages.iter().map(|passage| centred_cosine(passage, query.vector, &centre));
                rows.extend(best.max_by(f32::total_cmp).map(|best| (seq, best)));
            }
        }
        rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        rows.truncate(limit);
        Ok(rows)
    }

    fn cosines(&self, owner: &Owner, query: &DenseQuery<'_>, positions: &[Seq]) -> Result<Vec<(Seq, f32)>, StoreError> {
        let mut rows = self.dense(owner, query, &Filter::default(), usize::MAX)?;
        rows.retain(|(seq, _)| positions.contains(seq));
        Ok(rows)
    }

    fn active_model(&self) -> Result<Option<ModelId>, StoreError> {
        Ok(self.state().active.clone())
    }

    fn unembedded(&self, model: &ModelId, limit: usize) -> Result<Vec<Unembedded>, StoreError> {
        let state = self.state();
        let mut found = Vec::new();
        for (owner, log) in &state.logs {
            let through = state.through.get(&(model.clone(), owner.clone())).map_or(0, |seq| seq.0);
            let behind = log.events.iter().filter(|kept| kept.stored.seq.0 > through);
            found.extend(behind.map(|kept| Unembedded {
                owner: owner.clone(),
                event: StoredEvent { overturned: Vec::new(), ..kept.stored.clone() },
            }));
        }
        found.truncate(limit);
        Ok(found)
    }

    fn embedded(&self, model: &ModelId) -> Result<Progress, StoreError> {
        let state = self.state();
        let done = state.through.iter().filter(|((m, _), _)| m == model).map(|(_, seq)| seq.0 as u64).sum();
        Ok(Progress { done, total: state.logs.values().map(|log| log.last as u64).sum() })
    }

    fn put_vectors(&self, model: &ModelId, vectors: Vec<EventVectors>) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(event) = vectors.iter().find(|event| !state.logs.contains_key(&event.owner)) {
            return Err(StoreError::Refused(format!("vectors for event {} of an unknown owner", event.seq)));
        }
        let is_there = |event: &EventVectors| {
            let mut events = state.logs.get(&event.owner).into_iter().flat_map(|log| &log.events);
            events.any(|kept| kept.stored.seq == event.seq)
        };
        let vectors: Vec<EventVectors> = vectors.into_iter().filter(is_there).collect();
        for event in &vectors {
            if let Some(wrong) = event.passages.iter().find(|passage| passage.len() != model.dimension) {
                return Err(StoreError::Dimension { model: model.clone(), actual: wrong.len() });
            }
            if event.passages.iter().flatten().any(|x| !x.is_finite()) {
                return Err(StoreError::Refused(format!("a vector of event {} holds what is no number", event.seq)));
            }
        }
        state.active.get_or_insert_with(|| model.clone());
        for event in vectors {
            let through = state.through.entry((model.clone(), event.owner.clone())).or_insert(Seq(0));
            *through = (*through).max(event.seq);
            state.vectors.entry(model.clone()).or_default().insert((event.owner, event.seq), event.passages);
        }
        Ok(())
    }

    fn activate_model(&self, model: &ModelId) -> Result<(), StoreError> {
        let mut state = self.state();
        state.active = Some(model.clone());
        state.vectors.retain(|other, _| other == model);
        state.through.retain(|(other, _), _| other == model);
        Ok(())
    }

    fn has_erased(&self) -> Result<bool, StoreError> {
        Ok(self.state().logs.values().any(|log| !log.traces.is_empty()))
    }

    fn erased(&self, owner: &Owner, traces: &[Trace]) -> Result<Vec<bool>, StoreError> {
        let known = self.with_log(owner, |log| log.traces.clone());
        Ok(traces.iter().map(|trace| known.contains(trace)).collect())
    }

    fn commitment(&self, owner: &Owner) -> Result<Option<String>, StoreError> {
        let is_any = self.state().logs.values().any(|log| !log.traces.is_empty());
        Ok(is_any.then(|| blake3::hash(format!("{owner:?}").as_bytes()).to_hex().to_string()))
    }

    fn marks(&self, owner: &Owner) -> Result<Vec<(EventId, Overturned)>, StoreError> {
        Ok(self.with_log(owner, |log| {
            let of_event = |kept: &Kept| {
                let id = kept.stored.event.id;
                kept.stored.overturned.iter().map(|mark| (id, mark.clone())).collect::<Vec<_>>()
            };
            log.events.iter().flat_map(of_event).collect()
        }))
    }

    fn unfinished_erasures(&self) -> Result<Vec<(Owner, Unfinished)>, StoreError> {
        let state = self.state();
        let of_owner = |(owner, log): (&Owner, &Log)| {
            log.unfinished.iter().map(|unfinished| (owner.clone(), unfinished.clone())).collect::<Vec<_>>()
        };
        Ok(state.logs.iter().flat_map(of_owner).collect())
    }

    fn remains(&self, _: &Owner, _: &[Seq]) -> Result<Vec<Vec<u8>>, StoreError> {
        Ok(Vec::new())
    }

    fn scrub(&self, _: &[Vec<u8>]) -> Result<Scrubbed, StoreError> {
        Ok(Scrubbed::default())
    }

    fn journal(&self, owner: &Owner, wanted: &JournalPage) -> Result<Vec<JournalEntry>, StoreError> {
        let rows = self.with_log(owner, |log| {
            let kept = (1_i64..).zip(&log.operations);
            let kept = kept.filter_map(|(position, (change, operation))| Some((position, change, operation.as_ref()?)));
            let entries = kept.filter(|(position, change, operation)| {
                comes_after(*position, wanted.after, wanted.newest_first) && is_selected(wanted, **change, operation)
            });
            let entries = entries.map(|(position, change, operation)| JournalEntry {
                position,
                change: *change,
                operation: operation.clone(),
                commitment: String::new(),
                chain: String::new(),
            });
            entries.collect()
        });
        Ok(page(rows, wanted.newest_first, wanted.limit))
    }

    fn pruned(&self, owner: &Owner, wanted: &JournalPage) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.with_log(owner, |log| {
            // Its task is not known of one any more.
            let mut lines = log
                .pruned
                .values()
                .rev()
                .filter(|(change, line)| wanted.task.is_none() && is_selected(wanted, *change, line));
            lines.next().map(|(_, operation)| operation.at)
        }))
    }

    fn past_of_change(&self, owner: &Owner, change: i64) -> Result<Vec<Past>, StoreError> {
        let mut past: Vec<Past> =
            self.with_log(owner, |log| log.past.iter().filter(|past| past.change == change).cloned().collect());
        past.sort_by(|a, b| (a.kind.as_str(), &a.key).cmp(&(b.kind.as_str(), &b.key)));
        Ok(past)
    }

    fn past_of_document(&self, owner: &Owner, kind: PastKind, key: &str, from: i64) -> Result<Vec<Past>, StoreError> {
        let of_document = |past: &&Past| past.kind == kind && past.key == key && past.change >= from;
        Ok(self.with_log(owner, |log| log.past.iter().filter(of_document).cloned().collect()))
    }

    fn past(&self, owner: &Owner, after: i64, limit: usize) -> Result<Vec<Past>, StoreError> {
        let mut past: Vec<Past> =
            self.with_log(owner, |log| log.past.iter().filter(|past| past.change > after).cloned().collect());
        past.sort_by(|a, b| (a.change, a.kind.as_str(), &a.key).cmp(&(b.change, b.kind.as_str(), &b.key)));
        let last = past.get(limit.saturating_sub(1)).or(past.last()).map_or(0, |past| past.change);
        past.retain(|past| past.change <= last);
        Ok(past)
    }

    fn verify_journal(&self, owner: &Owner) -> Result<JournalCheck, StoreError> {
        Ok(self.with_log(owner, |log| {
            let erased = log.operations.iter().filter(|(_, operation)| operation.is_none()).count() as u64;
            let pruned = log.pruned.len() as u64;
            JournalCheck {
                operations: log.operations.len() as u64,
                erased: erased - pruned,
                pruned,
                head: String::new(),
            }
        }))
    }

    fn environment(&self) -> Result<Option<ScopeId>, StoreError> {
        Ok(None)
    }

    fn file_faults(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn owners(&self) -> Result<Vec<Owner>, StoreError> {
        Ok(self.state().logs.keys().cloned().collect())
    }

    fn status(&self) -> Result<StoreStatus, StoreError> {
        let state = self.state();
        let sum = |count: fn(&Log) -> usize| state.logs.values().map(|log| count(log) as u64).sum();
        let events = state.logs.values().flat_map(|log| &log.events);
        Ok(StoreStatus {
            location: "memory".to_owned(),
            schema: 0,
            owners: state.logs.len() as u64,
            events: sum(|log| log.events.len()),
            archived: sum(|log| log.events.iter().filter(|kept| kept.cold.is_some()).count()),
            tasks: sum(|log| log.tasks.len()),
            memories: sum(|log| log.memories.len()),
            operations: sum(|log| log.operations.len()),
            vectors: state.vectors.values().flat_map(BTreeMap::values).map(|passages| passages.len() as u64).sum(),
            bytes: 0,
            active_model: state.active.clone(),
            writable: true,
            newest_event: events.map(|kept| kept.stored.event.occurred_at.timestamp()).max(),
        })
    }

    fn dump(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        let state = self.state();
        writeln!(out, "{:#?}", state.logs)
            .map_err(|e| StoreError::Backend { doing: "writing the dump", source: Box::new(e) })
    }
}

/// The mean of the first 1, 4, 16 … vectors, whichever is the most there are, with the model's common part weighed in.
fn centre<'a>(vectors: impl Iterator<Item = &'a Vec<f32>>, query: &DenseQuery<'_>) -> Vec<f32> {
    let vectors: Vec<&Vec<f32>> = vectors.collect();
    let sample = if vectors.is_empty() { 0 } else { 4_usize.pow(vectors.len().ilog(4)) };
    let common = query.common.filter(|common| common.len() == query.model.dimension);
    let weight = if common.is_some() { COMMON_WEIGHT } else { 0 };
    let mean = |i: usize| {
        let shared = common.map_or(0.0, |common| common[i] * weight as f32);
        let own: f32 = vectors[..sample].iter().map(|vector| vector[i]).sum();
        (shared + own) / (sample + weight).max(1) as f32
    };
    (0..query.model.dimension).map(mean).collect()
}

fn centred_cosine(a: &[f32], b: &[f32], centre: &[f32]) -> f32 {
    let less = |x: &[f32]| -> Vec<f32> { x.iter().zip(centre).map(|(x, c)| x - c).collect() };
    let (a, b) = (less(a), less(b));
    let dot = |x: &[f32], y: &[f32]| -> f32 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let norms = (dot(&a, &a) * dot(&b, &b)).sqrt();
    if norms > 0.0 { dot(&a, &b) / norms } else { 0.0 }
}

mod tests {
    use super::Plain;
    use crate::store::Store;

    fn open() -> (Box<dyn Store>, ()) {
        (Box::new(Plain::default()), ())
    }

    crate::store::tests::conformance::suite!(open);
}

fn is_selected(wanted: &JournalPage, change: i64, operation: &Operation) -> bool {
    let about = |event| operation.target == Target::Event(event) || operation.cause == Some(event);
    wanted.operation.is_none_or(|id| id == operation.id)
        && wanted.change.is_none_or(|wanted| wanted == change)
        && wanted.run.is_none_or(|run| run == operation.run)
        && wanted.verb.is_none_or(|verb| verb == operation.verb)
        && wanted.memory.is_none_or(|memory| operation.target == Target::Memory(memory))
        && wanted.task.as_ref().is_none_or(|task| operation.target == Target::Task(task.clone()))
        && wanted.event.is_none_or(about)
}
