//! What was served, as the journal has it: the blocks of a session, and the memories that were served in a task.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
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

/// What comes back in another session after longer is taken for said anew.
const HANDED_ON_WITHIN: SignedDuration = SignedDuration::from_hours(24);

/// Blocks of a task looked at for the memories that were served in it, the latest.
const SERVINGS_OF_A_TASK_MAX: usize = 200;

/// What was served of late, read once, and the texts of it that were asked for.
#[derive(Debug, Default)]
pub(in crate::engine) struct Servings {
    /// Newest first.
    served: Option<Arc<[Serving]>>,
    texts: BTreeMap<Vec<usize>, Vec<String>>,
    judged: BTreeSet<(ScopeId, Timestamp)>,
}

#[derive(Debug)]
struct Serving {
    at: Timestamp,
    session: ScopeId,
    memories: Vec<MemoryId>,
    events: Vec<EventId>,
}

impl Servings {
    fn all(&mut self, engine: &Engine, owner: &Owner) -> Result<Arc<[Serving]>, StoreError> {
        if let Some(served) = &self.served {
            return Ok(Arc::clone(served));
        }
        let page = JournalPage {
            verb: Some(Verb::Serve),
            newest_first: true,
            limit: 10 * SERVINGS_LOOKED_AT,
            ..JournalPage::default()
        };
        let entries = engine.store.journal(owner, &page)?;
        let served = entries.iter().filter_map(|entry| serving(&entry.operation)).collect();
        Ok(Arc::clone(self.served.insert(served)))
    }

    /// The texts that had been served before the event was recorded: in its session, and of late in others, since agents hand on to each
    /// other what they were given.
    pub(in crate::engine) fn texts(
        &mut self,
        engine: &Engine,
        owner: &Owner,
        stored: &StoredEvent,
    ) -> Result<&[String], StoreError> {
        let (session, recorded) = (&stored.event.scope.session, stored.event.recorded_at);
        let all = self.all(engine, owner)?;
        let before = |place: &usize| all[*place].at <= recorded;
        let here = (0..all.len()).filter(before).filter(|place| all[*place].session == *session);
        let lately = |place: &usize| recorded.duration_since(all[*place].at) <= HANDED_ON_WITHIN;
        let elsewhere = (0..all.len()).filter(before).filter(|place| all[*place].session != *session && lately(place));
        let places: Vec<usize> = here.take(SERVINGS_LOOKED_AT).chain(elsewhere.take(SERVINGS_LOOKED_AT)).collect();
        if !self.texts.contains_key(&places) {
            let served = places.iter().map(|place| &all[*place]);
            let (mut memories, mut events) = (BTreeSet::new(), BTreeSet::new());
            for serving in served {
                memories.extend(&serving.memories);
                events.extend(&serving.events);
            }
            let mut texts = Vec::new();
            for id in memories {
                texts.extend(engine.store.memory(owner, id)?.map(|memory| memory.content));
            }
            for id in events {
                texts.extend(engine.store.event(owner, id)?.map(|stored| stored.event.content));
            }
            self.texts.insert(places.clone(), texts);
        }
        Ok(&self.texts[&places])
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
        let of_session = |serving: &&Serving| serving.session == *session && serving.at <= recorded;
        let all = self.all(engine, owner)?;
        let last = all.iter().find(of_session);
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

/// What a line of the journal says was served.
fn serving(operation: &Operation) -> Option<Serving> {
    let session = operation.after.as_ref()?.get("session")?.as_str()?;
    Some(Serving {
        at: operation.at,
        session: ScopeId::new(session).ok()?,
        memories: ids_in(operation, "memory").into_iter().map(MemoryId).collect(),
        events: ids_in(operation, "event").into_iter().map(EventId).collect(),
    })
}

/// The ids of one kind of thing in what a line of the journal says was served.
fn ids_in(operation: &Operation, kind: &str) -> Vec<uuid::Uuid> {
    let served = operation.after.as_ref().and_then(|after| after.get("served")).and_then(Value::as_array);
    served.into_iter().flatten().filter_map(|item| item.get(kind).and_then(Value::as_str)?.parse().ok()).collect()
}
