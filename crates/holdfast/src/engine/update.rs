//! Working memory through the front door: start a task, update it, end it. Each update is one commit with its event and journal.

use jiff::ZonedDateTime;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::attention::AtHand;
use super::manager::Occasion;
use super::{Engine, Error};
use crate::redact::{self, Taken};
use crate::store::StoreError;
use crate::text;
use crate::types::change::{ChangeSet, NewEvent, SessionState, TaskChange, UpdateKey};
use crate::types::event::{Event, Kind, RawEvent, Source};
use crate::types::ids::EventId;
use crate::types::operation::{Operation, Target, Verb};
use crate::types::scope::{Owner, Scope, ScopeId, TaskId};
use crate::types::signals::Signals;
use crate::types::task::{StepPhase, Task};
use crate::types::update::{Action, Update};
use crate::working::{self, Applied};

/// What an update led to.
#[derive(Debug, Clone, PartialEq)]
pub struct Updated {
    pub task: Task,
    /// The key was known: nothing was changed, and the task is as it is now.
    pub repeated: bool,
    /// The actions that changed something, by their names.
    pub changes: Vec<String>,
    /// Statements that were overturned.
    pub overturned: Vec<String>,
}

impl Engine {
    /// Opens a task under an id of the caller's, or one made here, and puts the session on it.
    pub fn start_task(
        &self,
        scope: &Scope,
        title: &str,
        goal: Option<&str>,
        constraints: &[String],
    ) -> Result<Task, Error> {
        let made = || ScopeId::new(self.env.id().to_string()).expect("a UUID is a scope id");
        let id = scope.task.clone().unwrap_or_else(made);
        self.with_at_hand(&scope.owner, |at_hand| self.start_task_at_hand(scope, id, title, goal, constraints, at_hand))
    }

    fn start_task_at_hand(
        &self,
        scope: &Scope,
        id: TaskId,
        title: &str,
        goal: Option<&str>,
        constraints: &[String],
        at_hand: &mut AtHand,
    ) -> Result<Task, Error> {
        if at_hand.task(&*self.store, &scope.owner, &id)?.is_some() {
            return Err(Error::TaskExists(id));
        }
        let now = self.now();
        let words = goal.map_or_else(|| title.to_owned(), |goal| format!("{title}: {goal}"));
        let (event, mut secrets) = self.status_event(scope, Some(id.clone()), words, &now)?;
        let given = (title.to_owned(), goal.unwrap_or(title).to_owned(), constraints.to_vec());
        let ((title, goal, constraints), taken) = self.clean(&scope.owner, &given)?;
        secrets.extend(taken);
        let mut task = working::open(id.clone(), scope.owner.clone(), title, Some(goal), event.id, &now);
        task.names = vec![text::fold(&task.title)];
        task.names.extend(working::names_in(&task.title));
        if !constraints.is_empty() {
            let actions = constraints.into_iter().map(|text| Action::AddConstraint { text }).collect();
            let update = Update { actions, ..Update::default() };
            task = Task { version: 1, ..working::apply(&task, &update, event.id, &now)?.task };
        }
        let mut operation =
            self.operation(&scope.owner, Verb::OpenTask, Target::Task(id.clone()), "caller", "the caller started it");
        operation.after = Some(json!({ "title": task.title }));
        operation.cause = Some(event.id);
        let session = SessionState { session: scope.session.clone(), task: Some(id) };
        let changes = ChangeSet {
            owner: scope.owner.clone(),
            events: vec![NewEvent { terms: text::indexed(&event.content), event, signals: Signals::default() }],
            tasks: vec![TaskChange { task: task.clone(), expected_version: None }],
            sessions: vec![session.clone()],
            secrets: self.sealed(&scope.owner, &secrets),
            operations: vec![operation],
            ..ChangeSet::default()
        };
        self.store.commit(changes)?;
        self.embedding.wake();
        at_hand.put(task.clone());
        at_hand.set_session(&session);
        at_hand.set_aside(&session.session, None);
        Ok(task)
    }

    /// Applies a typed update to the task of the scope, or to the one its session is on. The event that says so, the task's new
    /// version, the marks on what it overturned and the journal are one transaction.
    pub fn update(&self, scope: &Scope, update: &Update) -> Result<Updated, Error> {
        self.with_at_hand(&scope.owner, |at_hand| self.update_at_hand(scope, update, at_hand))
    }

    fn update_at_hand(&self, scope: &Scope, update: &Update, at_hand: &mut AtHand) -> Result<Updated, Error> {
        let owner = &scope.owner;
        let id = match &scope.task {
            Some(id) => id.clone(),
            None => at_hand.session_task(&*self.store, owner, &scope.session)?.ok_or(Error::NoTask)?,
        };
        let Some(task) = at_hand.task(&*self.store, owner, &id)?.cloned() else { return Err(Error::NoSuchTask(id)) };
        let (update, mut secrets) = self.clean_update(owner, update)?;
        if let Some(key) = &update.idempotency_key
            && self.store.update_version(owner, &id, key)?.is_some()
        {
            return Ok(Updated { task, repeated: true, changes: Vec::new(), overturned: Vec::new() });
        }
        if update.actions.is_empty() {
            // Before its event is made, which would have no words.
            return Err(working::Refusal::NoActions.into());
        }
        let now = self.now();
        let (event, taken) = self.status_event(scope, Some(id.clone()), in_words(&update), &now)?;
        secrets.extend(taken);
        let mut applied = working::apply(&task, &update, event.id, &now)?;
        // The write-back of the step that is out, if one is: its consolidation is due next.
        if matches!(task.phase, StepPhase::Prompted | StepPhase::Parsed) && applied.task.status.is_live() {
            applied.task.phase = StepPhase::WrittenBack;
        }
        let mut overturned = Vec::new();
        for superseded in &applied.superseded {
            overturned.extend(self.excerpts_of(owner, &id, superseded, &now)?);
        }
        let key = update.idempotency_key.clone();
        let mut operations = self.operations_of(owner, &applied, event.id, "agent");
        if operations.is_empty() {
            // Its event is in the log all the same.
            let said = "an update that changed nothing";
            operations.push(self.operation(owner, Verb::Observe, Target::Event(event.id), "agent", said));
        }
        let changes = ChangeSet {
            owner: owner.clone(),
            operations,
            events: vec![NewEvent { terms: text::indexed(&event.content), event, signals: Signals::default() }],
            tasks: vec![TaskChange { task: applied.task.clone(), expected_version: Some(task.version) }],
            update_keys: key
                .map(|key| UpdateKey { task: id, key, version: applied.task.version })
                .into_iter()
                .collect(),
            overturned,
            secrets: self.sealed(owner, &secrets),
            ..ChangeSet::default()
        };
        let occasion = Occasion::of(&changes);
        self.commit_or_conflict(changes, task.version)?;
        self.embedding.wake();
        at_hand.put(applied.task.clone());
        self.learn_if_due(owner, at_hand, applied.task.closing.is_some(), 1);
        if let Some(manager) = &self.manager {
            manager.hear(owner, occasion);
        }
        Ok(Updated {
            changes: applied.changes.iter().map(|change| change.action.to_owned()).collect(),
            overturned: applied.superseded.into_iter().map(|superseded| superseded.old).collect(),
            task: applied.task,
            repeated: false,
        })
    }

    /// A conflict found by the store is the same refusal as one found before.
    fn commit_or_conflict(&self, changes: ChangeSet, seen: u64) -> Result<(), Error> {
        match self.store.commit(changes) {
            Ok(_) => Ok(()),
            Err(StoreError::Conflict { actual: Some(actual), .. }) => {
                Err(working::Refusal::Conflict { expected: seen, actual }.into())
            }
            Err(other) => Err(other.into()),
        }
    }

    /// An event that records what was done to a task, and the secrets that were taken out of it.
    pub(super) fn status_event(
        &self,
        scope: &Scope,
        task: Option<TaskId>,
        content: String,
        at: &ZonedDateTime,
    ) -> Result<(Event, Vec<Taken>), Error> {
        let rules = self.rules_of(&scope.owner);
        let mut raw = RawEvent::new(Scope { task, ..scope.clone() }, Source::Agent, Kind::StatusChange, content);
        raw.occurred_at = Some(at.clone());
        let mut redacted = redact::redact(raw, &rules)?;
        let taken = redacted.secrets();
        Ok((redacted.stamped(self.new_event_id(), self.env.now()), taken))
    }

    /// What a caller or a file puts beside an event goes through redaction like it. Done on its JSON form, so that no field
    /// can be forgotten.
    pub(super) fn clean<T: Serialize + DeserializeOwned>(
        &self,
        owner: &Owner,
        given: &T,
    ) -> Result<(T, Vec<Taken>), Error> {
        redact::redact_keeping(given, &self.rules_of(owner))
            .map_err(|e| StoreError::Backend { doing: "redacting what was given", source: Box::new(e) }.into())
    }

    /// The update with every text redacted; its key, which must stay what it is, is refused if it holds a secret.
    pub(super) fn clean_update(&self, owner: &Owner, update: &Update) -> Result<(Update, Vec<Taken>), Error> {
        let key = update.idempotency_key.clone();
        let key = key.map(|key| redact::checked_key(key, &self.rules_of(owner))).transpose()?;
        let (update, taken) = self.clean(owner, update)?;
        Ok((Update { idempotency_key: key, ..update }, taken))
    }

    /// The journal's lines for an applied update: one for each element it touched.
    pub(super) fn operations_of(
        &self,
        owner: &Owner,
        applied: &Applied,
        cause: EventId,
        actor: &str,
    ) -> Vec<Operation> {
        let id = &applied.task.id;
        let line = |change: &working::Change| {
            let reason = match &change.element {
                Some(element) => format!("{} {element}", change.action),
                None => change.action.to_owned(),
            };
            let mut operation = self.operation(owner, change.verb, Target::Task(id.clone()), actor, reason);
            operation.before = change.before.clone();
            operation.after = change.after.clone();
            operation.cause = Some(cause);
            operation
        };
        applied.changes.iter().map(line).collect()
    }
}

/// An update as one line of text for the log: what was done, in the words that were given.
fn in_words(update: &Update) -> String {
    let line = |action: &Action| {
        let value = serde_json::to_value(action).unwrap_or_default();
        let mut words = vec![action.name().replace('_', " ")];
        let texts = value.as_object().into_iter().flatten().filter(|(key, _)| *key != "action");
        words.extend(texts.map(|(_, value)| match value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(list) => {
                list.iter().filter_map(|item| item.as_str()).collect::<Vec<_>>().join("; ")
            }
            other => other.to_string(),
        }));
        words.join(": ")
    };
    update.actions.iter().map(line).collect::<Vec<_>>().join("\n")
}
