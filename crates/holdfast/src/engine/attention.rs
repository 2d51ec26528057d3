//! What is at hand for each owner: the tasks of late and which task each session is on. A cache of the store, kept by the
//! engine that alone writes it; dropped whenever a commit fails, and read anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::{Engine, Error};
use crate::store::{EventPage, Store, StoreError};
use crate::types::change::{SessionState, TaskChange};
use crate::types::event::{Kind, Source};
use crate::types::ids::Seq;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// Tasks kept at hand for one owner: those a person may still mean by name. Older ones are found by id.
const TASKS_MAX: usize = 200;

/// Sessions kept at hand for one owner.
const SESSIONS_MAX: usize = 1_000;

/// Owners kept at hand.
const OWNERS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Attention {
    owners: Mutex<BTreeMap<Owner, Arc<Mutex<Option<AtHand>>>>>,
    /// Owners whose log the manager goes through.
    managed: Mutex<BTreeSet<Owner>>,
}

/// The manager at work on one owner's log, until this is dropped. It holds nobody up: each of its commits takes the owner's lock by itself.
#[derive(Debug)]
pub(super) struct Managing<'a> {
    attention: &'a Attention,
    owner: Owner,
}

impl Drop for Managing<'_> {
    fn drop(&mut self) {
        self.attention.managed.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.owner);
    }
}

impl Attention {
    /// `None`: it is at work there already.
    pub(super) fn manage(&self, owner: &Owner) -> Option<Managing<'_>> {
        let mut managed = self.managed.lock().unwrap_or_else(PoisonError::into_inner);
        managed.insert(owner.clone()).then(|| Managing { attention: self, owner: owner.clone() })
    }

    /// The owner's place. Whoever holds its lock is the only one to change this owner's memory.
    pub(super) fn of(&self, owner: &Owner) -> Arc<Mutex<Option<AtHand>>> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= OWNERS_MAX && !owners.contains_key(owner) {
            // One that nobody is using now; its state is in the store.
            owners.retain(|_, place| Arc::strong_count(place) > 1);
        }
        Arc::clone(owners.entry(owner.clone()).or_default())
    }
}

impl Engine {
    /// Does `work` as the only one to change this owner's memory. What is at hand is kept only if the work is done: after a
    /// failure or a refusal it is read anew, so nothing half-made and nothing out of date stays.
    pub(super) fn with_at_hand<T>(
        &self,
        owner: &Owner,
        work: impl FnOnce(&mut AtHand) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let place = self.attention.of(owner);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at_hand = match place.take() {
            Some(at_hand) => at_hand,
            None => AtHand::load(&*self.store, owner)?,
        };
        let done = work(&mut at_hand)?;
        *place = Some(at_hand);
        Ok(done)
    }

    /// Looks at the owner's tasks of late. Changes nothing and waits for nobody: while they are being changed, and where another
    /// process may be changing them, they are read from the store.
    pub(super) fn look_at_tasks<T>(&self, owner: &Owner, look: impl FnOnce(&[Task]) -> T) -> Result<T, Error> {
        if !self.read_only {
            let place = self.attention.of(owner);
            if let Ok(place) = place.try_lock()
                && let Some(at_hand) = &*place
            {
                return Ok(look(&at_hand.tasks));
            }
        }
        Ok(look(&self.store.tasks(owner, TASKS_MAX)?))
    }
}

/// One owner's tasks and sessions, as the store has them.
#[derive(Debug, Clone, Default)]
pub(super) struct AtHand {
    /// Most recently active first.
    pub(super) tasks: Vec<Task>,
    sessions: BTreeMap<ScopeId, Option<TaskId>>,
    /// For a session whose user last said something off the task it is on, the task that was about, if any: what is said in answer
    /// follows it. `None`: the user's last words were of the session's task. What is not here is read off the log.
    asides: BTreeMap<ScopeId, Option<Option<TaskId>>>,
    /// Events since learning last ran, as far as this process knows.
    pub(super) unlearned: u32,
    /// Events since a language model was last due to be asked.
    pub(super) unasked: u32,
    /// How far the log has been looked through for what it teaches: past the store's watermark where there was nothing to learn.
    pub(super) looked_through: Seq,
    /// When it was last looked at what time does to the memories.
    pub(super) aged_at: Option<Timestamp>,
}

impl AtHand {
    pub(super) fn load(store: &dyn Store, owner: &Owner) -> Result<Self, StoreError> {
        Ok(Self { tasks: store.tasks(owner, TASKS_MAX)?, ..Self::default() })
    }

    pub(super) fn session_task(
        &mut self,
        store: &dyn Store,
        owner: &Owner,
        session: &ScopeId,
    ) -> Result<Option<TaskId>, StoreError> {
        if let Some(task) = self.sessions.get(session) {
            return Ok(task.clone());
        }
        let task = store.session(owner, session)?.and_then(|state| state.task);
        if self.sessions.len() >= SESSIONS_MAX {
            self.sessions.clear();
        }
        self.sessions.insert(session.clone(), task.clone());
        Ok(task)
    }

    pub(super) fn set_session(&mut self, state: &SessionState) {
        self.sessions.insert(state.session.clone(), state.task.clone());
    }

    /// What the user's last words were about, if they were off the session's task.
    pub(super) fn aside(
        &mut self,
        store: &dyn Store,
        owner: &Owner,
        session: &ScopeId,
    ) -> Result<Option<Option<TaskId>>, StoreError> {
        if let Some(known) = self.asides.get(session) {
            return Ok(known.clone());
        }
        // Who was on no task had nothing to be off.
        let mut about = None;
        if let Some(on) = self.session_task(store, owner, session)?
            && let Some((told, told_of)) = last_addressed(store, owner, session)?
            && told_of.as_ref() != Some(&on)
        {
            // Said before a caller started the task that the session is on, it was about what went before.
            let task = self.task(store, owner, &on)?;
            let goal = task.and_then(|task| task.frames.first()).and_then(|frame| frame.goal.as_ref());
            let opened = match goal.map(|goal| goal.source) {
                Some(source) => store.event(owner, source)?.map(|event| event.seq),
                None => None,
            };
            about = (opened < Some(told)).then_some(told_of);
        }
        self.set_aside(session, about.clone());
        Ok(about)
    }

    /// `about`: `None` when the user's words are about the session's task again.
    pub(super) fn set_aside(&mut self, session: &ScopeId, about: Option<Option<TaskId>>) {
        if self.asides.len() >= SESSIONS_MAX && !self.asides.contains_key(session) {
            self.asides.clear();
        }
        self.asides.insert(session.clone(), about);
    }

    /// A task by id, from the store if it is not at hand.
    pub(super) fn task(&mut self, store: &dyn Store, owner: &Owner, id: &TaskId) -> Result<Option<&Task>, StoreError> {
        let place = match self.tasks.iter().position(|task| task.id == *id) {
            Some(place) => place,
            None => {
                let Some(task) = store.task(owner, id)? else { return Ok(None) };
                self.tasks.push(task);
                self.tasks.len() - 1
            }
        };
        Ok(self.tasks.get(place))
    }

    /// Puts a new or changed task in front.
    pub(super) fn put(&mut self, task: Task) {
        self.tasks.retain(|other| other.id != task.id);
        self.tasks.insert(0, task);
        self.tasks.truncate(TASKS_MAX);
    }
}

/// The task of the last event of a session that could turn the talk: of the user, or one that says so outright.
fn last_addressed(
    store: &dyn Store,
    owner: &Owner,
    session: &ScopeId,
) -> Result<Option<(Seq, Option<TaskId>)>, StoreError> {
    let of_session = || Filter { session: Some(session.clone()), ..Filter::default() };
    let filters = [
        Filter { sources: vec![Source::User], ..of_session() },
        Filter { kinds: vec![Kind::TaskSwitch], ..of_session() },
    ];
    let mut last = None;
    for filter in filters {
        let page = EventPage { filter, newest_first: true, limit: 1, after: None };
        last = last.max(store.events(owner, &page)?.pop().map(|stored| (stored.seq, stored.event.scope.task)));
    }
    Ok(last)
}

/// Tasks changed by one commit: the last state of each, and the version the store has it at.
#[derive(Debug, Default)]
pub(super) struct ChangedTasks {
    by_id: BTreeMap<TaskId, TaskChange>,
}

impl ChangedTasks {
    /// `from`: the version before this change; `None` for a new task.
    pub(super) fn put(&mut self, task: Task, from: Option<u64>) {
        let expected_version = self.by_id.get(&task.id).map_or(from, |change| change.expected_version);
        self.by_id.insert(task.id.clone(), TaskChange { task, expected_version });
    }

    pub(super) fn into_changes(self) -> Vec<TaskChange> {
        self.by_id.into_values().collect()
    }
}
