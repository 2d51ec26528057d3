//! The write path: raw events in; redacted, read, attributed and absorbed; one durable commit out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use rayon::prelude::*;
use serde_json::json;

use super::attention::{AtHand, ChangedTasks};
use super::learn::is_telling;
use super::manager::Occasion;
use super::overturn::Corrected;
use super::parts::parts;
use super::{Engine, Error};
use crate::recall;
use crate::redact::{self, Refused, Rules, Taken};
use crate::signals::{self, Lexicon};
use crate::text;
use crate::types::change::{ChangeSet, NewEvent, SessionState, Trace, UpdateKey};
use crate::types::event::{Event, Kind, RawEvent, Redaction, Source};
use crate::types::ids::{EventId, Seq};
use crate::types::operation::{Target, Verb};
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::signals::{Correction, Signals, StateChange};
use crate::types::task::Task;
use crate::types::update::Update;
use crate::working::{self, Applied, Attributed, Given};

/// Most events in one call: they share one commit, and a longer one would hold up the others.
pub const BATCH_EVENTS_MAX: usize = 1_000;

/// Events that are worth handing to another thread.
const EVENTS_A_THREAD_MIN: usize = 32;

/// What became of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub id: EventId,
    pub seq: Seq,
    /// Its idempotency key was known: this is the first one's id, and nothing was written.
    pub duplicate: bool,
    /// The task it belongs to, when that could be told.
    pub task: Option<TaskId>,
    /// Why it was attributed so.
    pub attribution: String,
    /// The talk went to this task with it, and was on another before.
    pub switched: bool,
    /// The task was opened by it.
    pub opened: bool,
    pub redactions: Vec<Redaction>,
    /// What the rules or the update that came with it changed in the task, in words of the journal.
    pub changes: Vec<String>,
    /// The status that the task, its items and steps had before and have now: "release notes: open → paused".
    pub statuses: Vec<String>,
    /// Statements it overturned.
    pub overturned: Vec<String>,
    /// Why the update that came with it was not applied.
    pub refused_update: Option<String>,
    /// The utterance addressed several tasks: this is its first part, and these are the others, each an event of its own.
    pub also: Vec<Observed>,
}

impl Observed {
    fn place(&mut self, seqs: &BTreeMap<EventId, Seq>) {
        self.seq = seqs.get(&self.id).copied().unwrap_or(self.seq);
        self.also.iter_mut().for_each(|part| part.place(seqs));
    }
}

impl Engine {
    /// Records one event. Returns once it is durable.
    pub fn observe(&self, raw: RawEvent) -> Result<Observed, Error> {
        self.observe_with(raw, None)
    }

    /// Records an event together with the update of working memory that it carries, in one transaction.
    pub fn observe_with(&self, raw: RawEvent, update: Option<Update>) -> Result<Observed, Error> {
        let mut observed = self.observe_many(vec![(raw, update)])?;
        observed.pop().expect("one event in, one result out")
    }

    /// Records events, each owner's in order. Those of one owner share one durable commit. An event that is refused
    /// has its error in its place and does not keep the others out; an error of the store ends the call.
    pub fn observe_many(
        &self,
        entries: Vec<(RawEvent, Option<Update>)>,
    ) -> Result<Vec<Result<Observed, Error>>, Error> {
        if entries.len() > BATCH_EVENTS_MAX {
            return Err(Error::TooManyEvents { count: entries.len(), max: BATCH_EVENTS_MAX });
        }
        // Owners know nothing of each other, so each one's events are one run, however they alternate.
        let mut runs: BTreeMap<Owner, Run> = BTreeMap::new();
        let mut results: Vec<(usize, Result<Observed, Error>)> = Vec::with_capacity(entries.len());
        for (place, entry) in entries.into_iter().enumerate() {
            let run = runs.entry(entry.0.scope.owner.clone()).or_default();
            run.places.push(place);
            run.entries.push(entry);
        }
        for (owner, run) in runs {
            results.extend(run.places.into_iter().zip(self.observe_run(&owner, run.entries)?));
        }
        results.sort_by_key(|(place, _)| *place);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Events of one owner, under its lock, in one commit.
    fn observe_run(
        &self,
        owner: &Owner,
        entries: Vec<(RawEvent, Option<Update>)>,
    ) -> Result<Vec<Result<Observed, Error>>, Error> {
        self.with_at_hand(owner, |at_hand| {
            let (raws, updates): (Vec<RawEvent>, Vec<Option<Update>>) = entries.into_iter().unzip();
            let mut batch = Batch::new(self, owner, at_hand);
            let mut results = Vec::with_capacity(raws.len());
            let reads = self.not_erased(owner, self.read_all(owner, raws))?;
            for (read, update) in reads.into_iter().zip(updates) {
                match read.and_then(|read| batch.take_in(read, update)) {
                    // Half of this event may be in the batch already: none of it is committed.
                    Err(Error::Store(failure)) => return Err(failure.into()),
                    result => results.push(result),
                }
            }
            let Batch { tasks, mut changes, .. } = batch;
            changes.tasks = tasks.into_changes();
            if !changes.events.is_empty() {
                let telling = changes.events.iter().any(is_telling);
                let ended = changes.tasks.iter().any(|change| change.task.closing.is_some());
                let count = changes.events.len();
                let occasion = Occasion::of(&changes);
                let ids: Vec<EventId> = changes.events.iter().map(|new| new.event.id).collect();
                let committed = self.store.commit(changes)?;
                let seqs: BTreeMap<EventId, Seq> =
                    ids.into_iter().zip(committed.events.iter().map(|appended| appended.seq)).collect();
                for observed in results.iter_mut().flatten() {
                    observed.place(&seqs);
                }
                self.embedding.wake();
                self.learn_if_due(owner, at_hand, telling || ended, count);
                if let Some(manager) = &self.manager {
                    manager.hear(owner, occasion);
                }
            }
            Ok(results)
        })
    }

    /// What was erased on request does not come back.
    fn not_erased(&self, owner: &Owner, reads: Vec<Result<Read, Refused>>) -> Result<Vec<Result<Read, Error>>, Error> {
        let reads = reads.into_iter().map(|read| read.map_err(Error::from));
        if !self.store.has_erased()? {
            return Ok(reads.collect());
        }
        let reads: Vec<Result<Read, Error>> = reads.collect();
        let traces = reads.iter().map(|read| read.as_ref().map(|read| Trace::of_event(&read.new.event)));
        let erased = self.erased_of(owner, &traces.map(Result::unwrap_or_default).collect::<Vec<_>>())?;
        let reads = reads.into_iter().zip(erased);
        Ok(reads.map(|(read, erased)| if erased { Err(Error::Erased) } else { read }).collect())
    }

    /// What events say by themselves, without regard to each other: in order, and in parts at once when they are many. Ids and times
    /// are drawn before, in order, so that it makes no difference how many threads there are.
    fn read_all(&self, owner: &Owner, raws: Vec<RawEvent>) -> Vec<Result<Read, Refused>> {
        let rules = &*self.rules_of(owner);
        let stamp = |raw| Stamped { raw, id: self.new_event_id(), now: self.env.now() };
        let stamped: Vec<Stamped> = raws.into_iter().map(stamp).collect();
        let read = |one| read(one, rules, &self.lexicon);
        let many = stamped.len() >= 2 * EVENTS_A_THREAD_MIN;
        let readers = if many { self.readers() } else { None };
        match readers {
            Some(readers) => {
                readers.install(|| stamped.into_par_iter().with_min_len(EVENTS_A_THREAD_MIN).map(read).collect())
            }
            None => stamped.into_iter().map(read).collect(),
        }
    }
}

/// One owner's share of a call.
#[derive(Default)]
struct Run {
    /// Of each entry, its place in the call.
    places: Vec<usize>,
    entries: Vec<(RawEvent, Option<Update>)>,
}

/// An event as it came in, with the id and time it will have.
struct Stamped {
    raw: RawEvent,
    id: EventId,
    now: Timestamp,
}

/// An event with all that is read from it alone.
struct Read {
    new: NewEvent,
    taken: Vec<Taken>,
}

fn read(stamped: Stamped, rules: &Rules, lexicon: &Lexicon) -> Result<Read, Refused> {
    let mut redacted = redact::redact(stamped.raw, rules)?;
    let taken = redacted.secrets();
    Ok(Read { new: new_event(redacted.stamped(stamped.id, stamped.now), lexicon), taken })
}

fn new_event(event: Event, lexicon: &Lexicon) -> NewEvent {
    let mut signals = signals::read(&event.content, &event.occurred_at, event.source, lexicon);
    if event.source == Source::User && event.kind != Kind::Imported {
        signals.manner = recall::manner(&event.content);
    }
    NewEvent { terms: text::indexed(&event.content), event, signals }
}

/// One commit in the making.
struct Batch<'a> {
    engine: &'a Engine,
    owner: &'a Owner,
    at_hand: &'a mut AtHand,
    tasks: ChangedTasks,
    changes: ChangeSet,
}

impl<'a> Batch<'a> {
    fn new(engine: &'a Engine, owner: &'a Owner, at_hand: &'a mut AtHand) -> Self {
        let changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
        Self { engine, owner, at_hand, tasks: ChangedTasks::default(), changes }
    }

    fn take_in(&mut self, read: Read, update: Option<Update>) -> Result<Observed, Error> {
        let Read { new, taken } = read;
        if let Some(known) = self.known(&new.event)? {
            return Ok(known);
        }
        self.changes.secrets.extend(self.engine.sealed(self.owner, &taken));
        let tasks = &self.at_hand.tasks;
        let pieces = if update.is_none() { parts(&new.event, &new.signals, tasks, &self.engine.lexicon) } else { None };
        let Some(pieces) = pieces else { return self.attribute(new, update) };
        let event = new.event;
        let mut all = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let id = if all.is_empty() { event.id } else { self.engine.new_event_id() };
            let part = redact::part(&event, piece, id, event.id);
            all.push(self.attribute(new_event(part, &self.engine.lexicon), None)?);
        }
        let also = all.split_off(1);
        let first = all.pop().expect("an utterance is cut into two parts at least");
        Ok(Observed { also, ..first })
    }

    /// The same key twice is one event, in the store or in this batch.
    fn known(&self, event: &Event) -> Result<Option<Observed>, Error> {
        let Some(key) = &event.idempotency_key else { return Ok(None) };
        let earlier = self.changes.events.iter().find(|e| e.event.idempotency_key.as_ref() == Some(key));
        let found = match earlier {
            Some(earlier) => Some((Seq(0), earlier.event.id)),
            None => self.engine.store.event_by_key(self.owner, key)?,
        };
        Ok(found.map(|(seq, id)| Observed {
            id,
            seq,
            duplicate: true,
            task: event.scope.task.clone(),
            attribution: "its idempotency key is known".to_owned(),
            switched: false,
            opened: false,
            redactions: Vec::new(),
            changes: Vec::new(),
            statuses: Vec::new(),
            overturned: Vec::new(),
            refused_update: None,
            also: Vec::new(),
        }))
    }

    fn attribute(&mut self, mut new: NewEvent, update: Option<Update>) -> Result<Observed, Error> {
        let NewEvent { event, signals, .. } = &new;
        let store = &*self.engine.store;
        let session = event.scope.session.clone();
        let session_task = self.at_hand.session_task(store, self.owner, &session)?;
        if let Some(id) = session_task.as_ref().or(event.scope.task.as_ref()) {
            // Old tasks are not at hand until they are named.
            self.at_hand.task(store, self.owner, id)?;
        }
        let answers = event.source != Source::User && event.scope.task.is_none() && update.is_none();
        if answers
            && event.kind != Kind::TaskSwitch
            && let Some(about) = self.at_hand.aside(store, self.owner, &session)?
        {
            new.event.scope.task = about;
            let reason = "it answers what the user said off the session's task".to_owned();
            return self.append(new, update, reason, false, false);
        }
        let given = Given {
            task: event.scope.task.as_ref(),
            session_task: session_task.as_ref(),
            source: event.source,
            kind: event.kind,
            text: &event.content,
        };
        let attribution = working::attribute(&self.at_hand.tasks, &given, signals);
        let (task, opened) = self.task_of(&attribution.to, event, signals, &attribution.reason)?;
        let goes_on_with = match &attribution.to {
            Attributed::Aside(_) | Attributed::Unattributed { .. } => session_task.clone(),
            _ => task.clone(),
        };
        let switched = goes_on_with != session_task && goes_on_with.is_some();
        if event.source == Source::User || event.kind == Kind::TaskSwitch {
            let off = matches!(attribution.to, Attributed::Aside(_) | Attributed::Unattributed { .. });
            self.at_hand.set_aside(&session, (off && session_task.is_some()).then(|| task.clone()));
        }
        if switched {
            self.switch(event, session_task.as_ref(), goes_on_with.clone(), &attribution.reason);
        }
        new.event.scope.task = task;
        self.append(new, update, attribution.reason, switched && session_task.is_some(), opened)
    }

    /// The task an attribution leads to; opens it if it is new.
    fn task_of(
        &mut self,
        to: &Attributed,
        event: &Event,
        signals: &Signals,
        reason: &str,
    ) -> Result<(Option<TaskId>, bool), Error> {
        let (id, title, names) = match to {
            Attributed::Opens { title, names } => {
                let id = ScopeId::new(self.engine.env.id().to_string()).expect("a UUID is a scope id");
                (id, title.clone(), names.clone())
            }
            Attributed::Given(id) => {
                if self.at_hand.task(&*self.engine.store, self.owner, id)?.is_some() {
                    return Ok((Some(id.clone()), false));
                }
                (id.clone(), id.to_string(), working::names_given(id.as_str(), signals))
            }
            other => return Ok((other.task().cloned(), false)),
        };
        let mut task =
            working::open(id.clone(), self.owner.clone(), title, goal_of(event), event.id, &event.occurred_at);
        task.names = names;
        let mut operation =
            self.engine.operation(self.owner, Verb::OpenTask, Target::Task(id.clone()), actor(event), reason);
        operation.after = Some(json!({ "title": task.title, "names": task.names }));
        operation.cause = Some(event.id);
        self.changes.operations.push(operation);
        self.put_task(task, None);
        Ok((Some(id), true))
    }

    fn put_task(&mut self, task: Task, from: Option<u64>) {
        self.at_hand.put(task.clone());
        self.tasks.put(task, from);
    }

    /// The session goes on with another task: an event says so, and what follows belongs there.
    fn switch(&mut self, event: &Event, from: Option<&TaskId>, to: Option<TaskId>, reason: &str) {
        let state = SessionState { session: event.scope.session.clone(), task: to.clone() };
        self.at_hand.set_session(&state);
        self.changes.sessions.retain(|other| other.session != state.session);
        self.changes.sessions.push(state);
        let mut operation = self.engine.operation(
            self.owner,
            Verb::SwitchTask,
            Target::Session(event.scope.session.clone()),
            actor(event),
            reason,
        );
        operation.before = Some(json!(from));
        operation.after = Some(json!(to));
        operation.cause = Some(event.id);
        self.changes.operations.push(operation);
        // The first task of a session is no switch, and an event that says so itself needs no second one.
        if from.is_none() || event.kind == Kind::TaskSwitch {
            return;
        }
        let title = to.as_ref().and_then(|id| self.at_hand.tasks.iter().find(|task| task.id == *id)).map(|t| &t.title);
        let content = title.map_or_else(|| "task".to_owned(), |title| format!("→ {title}"));
        let mut scope = event.scope.clone();
        scope.task = to;
        let mut raw = RawEvent::new(scope, Source::System, Kind::TaskSwitch, content);
        raw.occurred_at = Some(event.occurred_at.clone());
        raw.metadata.insert("cause".to_owned(), json!(event.id));
        if let Ok(redacted) = redact::redact(raw, &self.engine.rules_of(self.owner)) {
            let switch = redacted.stamped(self.engine.new_event_id(), self.engine.env.now());
            let terms = text::indexed(&switch.content);
            self.changes.events.push(NewEvent { event: switch, signals: Signals::default(), terms });
        }
    }

    fn append(
        &mut self,
        new: NewEvent,
        update: Option<Update>,
        attribution: String,
        switched: bool,
        opened: bool,
    ) -> Result<Observed, Error> {
        let NewEvent { event, mut signals, terms } = new;
        self.engine.find_corrected(self.owner, &event, &mut signals, &self.changes.events)?;
        let mut operation =
            self.engine.operation(self.owner, Verb::Observe, Target::Event(event.id), actor(&event), &*attribution);
        operation.after = Some(json!({ "kind": event.kind, "task": event.scope.task }));
        self.changes.operations.push(operation);
        if !event.redactions.is_empty() {
            let mut operation = self.engine.operation(
                self.owner,
                Verb::Redact,
                Target::Event(event.id),
                "rules",
                "secrets are taken out before anything is stored",
            );
            operation.after = Some(json!(event.redactions));
            self.changes.operations.push(operation);
        }
        let mut observed = Observed {
            id: event.id,
            seq: Seq(0),
            duplicate: false,
            task: event.scope.task.clone(),
            attribution,
            switched,
            opened,
            redactions: event.redactions.clone(),
            changes: Vec::new(),
            statuses: Vec::new(),
            overturned: Vec::new(),
            refused_update: None,
            also: Vec::new(),
        };
        // An agent that says by an update what it did must not have it counted twice.
        if update.is_none() || event.source == Source::User {
            self.absorb(&event, &signals, &mut observed)?;
        }
        if let Some(update) = update {
            self.update(&event, &update, &mut observed)?;
        }
        self.changes.events.push(NewEvent { event, signals, terms });
        Ok(observed)
    }

    /// What the rules read from the event itself.
    fn absorb(&mut self, event: &Event, signals: &Signals, observed: &mut Observed) -> Result<(), Error> {
        self.overturn_corrected(event, signals, observed)?;
        let Some(id) = &event.scope.task else { return Ok(()) };
        let Some(task) = self.at_hand.task(&*self.engine.store, self.owner, id)? else { return Ok(()) };
        let task = task.clone();
        // 「先放一下搬家」, where the caller says that it belongs to the offsite: the move is no item of that.
        let mut signals = Cow::Borrowed(signals);
        let of_another = |state: &StateChange| working::is_of_another(&task, &self.at_hand.tasks, state);
        if signals.states.iter().any(of_another) {
            signals.to_mut().states.retain(|state| !of_another(state));
        }
        let Some(update) = working::absorb(&task, &event.into(), &signals) else { return Ok(()) };
        match working::apply(&task, &update, event.id, &event.occurred_at) {
            Ok(applied) => self.applied(applied, &task, event, "rules", observed),
            // The rules propose, the task decides: an item already done can't be cancelled by a word in passing.
            Err(refusal) => {
                // By its name: the message may repeat an answer, which is content.
                let refusal = refusal.name();
                tracing::debug!(event = %event.id, refusal, "what the rules read from event {} was not applied: {refusal}", event.id);
                Ok(())
            }
        }
    }

    /// The typed update that came with the event.
    fn update(&mut self, event: &Event, update: &Update, observed: &mut Observed) -> Result<(), Error> {
        let Some(id) = &event.scope.task else {
            observed.refused_update = Some(Error::NoTask.to_string());
            return Ok(());
        };
        let (update, secrets) = match self.engine.clean_update(self.owner, update) {
            Ok(clean) => clean,
            Err(Error::Event(refused)) => {
                observed.refused_update = Some(refused.to_string());
                return Ok(());
            }
            Err(other) => return Err(other),
        };
        let store = &*self.engine.store;
        if let Some(key) = &update.idempotency_key
            && store.update_version(self.owner, id, key)?.is_some()
        {
            observed.changes.push("the update's idempotency key is known".to_owned());
            return Ok(());
        }
        let Some(task) = self.at_hand.task(store, self.owner, id)?.cloned() else {
            observed.refused_update = Some(Error::NoSuchTask(id.clone()).to_string());
            return Ok(());
        };
        match working::apply(&task, &update, event.id, &event.occurred_at) {
            Ok(applied) => {
                self.changes.secrets.extend(self.engine.sealed(self.owner, &secrets));
                if let Some(key) = &update.idempotency_key {
                    let version = applied.task.version;
                    self.changes.update_keys.push(UpdateKey { task: id.clone(), key: key.clone(), version });
                }
                self.applied(applied, &task, event, actor(event), observed)
            }
            Err(refusal) => {
                observed.refused_update = Some(refusal.to_string());
                Ok(())
            }
        }
    }

    fn applied(
        &mut self,
        applied: Applied,
        before: &Task,
        event: &Event,
        actor: &str,
        observed: &mut Observed,
    ) -> Result<(), Error> {
        for change in &applied.changes {
            observed.changes.push(change.action.to_owned());
        }
        observed.statuses.extend(working::status_changes(before, &applied.task));
        let operations = self.engine.operations_of(self.owner, &applied, event.id, actor);
        self.changes.operations.extend(operations);
        for superseded in &applied.superseded {
            observed.overturned.push(superseded.old.clone());
            let marks = self.engine.excerpts_of(self.owner, &before.id, superseded, &event.occurred_at)?;
            self.changes.overturned.extend(marks);
        }
        self.put_task(applied.task, Some(before.version));
        Ok(())
    }

    /// 「不是3.2%，是2.8%」: what earlier events of the task or the session say with the old value holds no longer.
    fn overturn_corrected(&mut self, event: &Event, signals: &Signals, observed: &mut Observed) -> Result<(), Error> {
        if event.source != Source::User {
            return Ok(());
        }
        for correction in &signals.corrections {
            // Events of this very batch are not in the store yet.
            let corrected = self.engine.excerpts_corrected(self.owner, event, correction, &self.changes.events)?;
            if !corrected.marks.is_empty() {
                observed.overturned.push(correction.old.clone());
            }
            let tasks = event.scope.task.as_ref().map_or_else(|| corrected.tasks.clone(), |task| [task.clone()].into());
            for task in &tasks {
                self.overturn_statements(event, correction, &corrected, task, observed)?;
            }
            self.changes.overturned.extend(corrected.marks);
        }
        Ok(())
    }

    /// And what a task has concluded from it.
    fn overturn_statements(
        &mut self,
        event: &Event,
        correction: &Correction,
        corrected: &Corrected,
        id: &TaskId,
        observed: &mut Observed,
    ) -> Result<(), Error> {
        let store = &*self.engine.store;
        let Some(task) = self.at_hand.task(store, self.owner, id)?.cloned() else { return Ok(()) };
        let actions =
            self.engine.statements_corrected(self.owner, &task, event, correction, corrected, &self.changes.events)?;
        if actions.is_empty() {
            return Ok(());
        }
        let update = Update { actions, ..Update::default() };
        match working::apply(&task, &update, event.id, &event.occurred_at) {
            Ok(applied) => self.applied(applied, &task, event, "rules", observed),
            Err(refusal) => {
                let refusal = refusal.name();
                tracing::debug!(event = %event.id, refusal, "what event {} put right was not applied: {refusal}", event.id);
                Ok(())
            }
        }
    }
}

/// The first thing a user asks for is the task's goal in their own words.
fn goal_of(event: &Event) -> Option<String> {
    let asked = event.source == Source::User && matches!(event.kind, Kind::Query | Kind::Note);
    (asked && event.content.len() <= crate::types::update::ELEMENT_BYTES_MAX)
        .then(|| working::goal_in(&event.content).to_owned())
}

/// The journal's word for who did it.
pub(super) fn actor(event: &Event) -> &'static str {
    event.source.as_str()
}

#[cfg(test)]
mod tests;
