//! What was served, as the journal has it: the blocks of a session, and the memories that were served in a task.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::engine::Engine;
use crate::store::{JournalPage, StoreError};
use crate::types::event::StoredEvent;
use crate::types::ids::{EventId, MemoryId};
use crate::types::memory::Stance;
use crate::types::operation::{Operation, Verb};
use crate::types::scope::{Owner, ScopeId, TaskId};

/// Blocks looked back at for what a text only says again.
const SERVINGS_LOOKED_AT: usize = 20;

/// Blocks of a task looked at for the memories that were served in it, the latest.
const SERVINGS_OF_A_TASK_MAX: usize = 200;

/// What was served in each session, as far as it was asked for.
#[derive(Debug, Default)]
pub(in crate::engine) struct Servings {
    sessions: BTreeMap<ScopeId, Vec<Serving>>,
    texts: BTreeMap<(ScopeId, usize), Vec<String>>,
    judged: BTreeSet<(ScopeId, jiff::Timestamp)>,
}

#[derive(Debug)]
struct Serving {
    at: jiff::Timestamp,
    memories: Vec<MemoryId>,
    events: Vec<EventId>,
}

impl Servings {
    /// Newest first.
    fn of(&mut self, engine: &Engine, owner: &Owner, session: &ScopeId) -> Result<&[Serving], StoreError> {
        if !self.sessions.contains_key(session) {
            let page = JournalPage {
                verb: Some(Verb::Serve),
                newest_first: true,
                limit: 10 * SERVINGS_LOOKED_AT,
                ..JournalPage::default()
            };
            let entries = engine.store.journal(owner, &page)?;
            let own = entries.iter().filter_map(|entry| serving(&entry.operation, session)).take(SERVINGS_LOOKED_AT);
            self.sessions.insert(session.clone(), own.collect());
        }
        Ok(&self.sessions[session])
    }

    /// The texts that had been served in the event's session before it was recorded.
    pub(in crate::engine) fn texts(
        &mut self,
        engine: &Engine,
        owner: &Owner,
        stored: &StoredEvent,
    ) -> Result<&[String], StoreError> {
        let (session, recorded) = (&stored.event.scope.session, stored.event.recorded_at);
        let before = self.of(engine, owner, session)?.iter().filter(|serving| serving.at <= recorded);
        let (mut count, mut memories, mut events) = (0, Vec::new(), Vec::new());
        for serving in before {
            count += 1;
            memories.extend(&serving.memories);
            events.extend(&serving.events);
        }
        let key = (session.clone(), count);
        if !self.texts.contains_key(&key) {
            let mut texts = Vec::new();
            for id in memories {
                texts.extend(engine.store.memory(owner, id)?.map(|memory| memory.content));
            }
            for id in events {
                texts.extend(engine.store.event(owner, id)?.map(|stored| stored.event.content));
            }
            self.texts.insert(key.clone(), texts);
        }
        Ok(&self.texts[&key])
    }

    /// The memories in the last block that was served in the session before this event, unless the user has judged it already.
    pub(in crate::engine) fn awaiting_judgement(
        &mut self,
        engine: &Engine,
        owner: &Owner,
        stored: &StoredEvent,
    ) -> Result<Option<Vec<MemoryId>>, StoreError> {
        let recorded = stored.event.recorded_at;
        let session = &stored.event.scope.session;
        let last = self.of(engine, owner, session)?.iter().find(|serving| serving.at <= recorded);
        let Some((at, ids)) = last.map(|serving| (serving.at, serving.memories.clone())) else { return Ok(None) };
        if !self.judged.insert((session.clone(), at)) {
            return Ok(None);
        }
        // In an earlier pass.
        for id in &ids {
            let sources = engine.store.memory(owner, *id)?.map(|memory| memory.sources).unwrap_or_default();
            let verdicts = sources.into_iter().filter(|s| matches!(s.stance, Stance::Praises | Stance::Blames));
            for event in verdicts.filter_map(|source| source.event) {
                let judged = engine.store.event(owner, event)?.map(|stored| stored.event);
                if judged.is_some_and(|judged| judged.recorded_at >= at && judged.scope.session == *session) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(ids))
    }
}

/// The memories that were served in a task.
pub(super) fn memories_served_in(
    engine: &Engine,
    owner: &Owner,
    task: &TaskId,
) -> Result<BTreeSet<MemoryId>, StoreError> {
    let page = JournalPage {
        task: Some(task.clone()),
        verb: Some(Verb::Serve),
        newest_first: true,
        limit: SERVINGS_OF_A_TASK_MAX,
        ..JournalPage::default()
    };
    let served = engine.store.journal(owner, &page)?;
    Ok(served.iter().flat_map(|entry| ids_in(&entry.operation, "memory")).map(MemoryId).collect())
}

/// What a line of the journal says was served, if it was in this session.
fn serving(operation: &Operation, session: &ScopeId) -> Option<Serving> {
    let after = operation.after.as_ref()?;
    if after.get("session")?.as_str()? != session.as_str() {
        return None;
    }
    Some(Serving {
        at: operation.at,
        memories: ids_in(operation, "memory").into_iter().map(MemoryId).collect(),
        events: ids_in(operation, "event").into_iter().map(EventId).collect(),
    })
}

/// The ids of one kind of thing in what a line of the journal says was served.
fn ids_in(operation: &Operation, kind: &str) -> Vec<uuid::Uuid> {
    let served = operation.after.as_ref().and_then(|after| after.get("served")).and_then(Value::as_array);
    served.into_iter().flatten().filter_map(|item| item.get(kind).and_then(Value::as_str)?.parse().ok()).collect()
}
