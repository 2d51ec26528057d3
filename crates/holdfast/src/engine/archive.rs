//! Old events: the body goes to cold storage, a summary taken from its own sentences stays and is searched (SPEC 1.7).

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Engine, Error};
use crate::store::StoreError;
use crate::text;
use crate::types::change::{ArchivedBody, ChangeSet, RestoredBody};
use crate::types::event::StoredEvent;
use crate::types::ids::EventId;
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// How old an event must be, unless the caller says otherwise.
pub const ARCHIVE_AFTER_DAYS: u32 = 90;

/// Bodies no longer than this stay as they are: their summary would be themselves.
pub(super) const KEPT_BYTES_MAX: usize = 400;

/// Length of a summary, in characters.
const SUMMARY_CHARACTERS: usize = 280;

/// Events archived in one commit.
const BATCH_EVENTS: usize = 200;

/// What an archiving run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archived {
    pub events: u64,
    /// Bytes of the bodies before, and of the summaries that stand for them.
    pub bytes_before: u64,
    pub bytes_after: u64,
}

impl Engine {
    /// Archives what happened before `before` and is long enough to gain by it.
    pub fn archive(&self, owner: &Owner, before: Timestamp) -> Result<Archived, Error> {
        let mut total = Archived::default();
        let filter = Filter { until: Some(before), ..Filter::default() };
        for events in self.event_pages(owner, filter, BATCH_EVENTS) {
            let events = events?;
            let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
            for stored in events.iter().filter(|e| !e.archived && e.event.content.len() > KEPT_BYTES_MAX) {
                let body = archived(stored);
                let bytes = body.summary.len();
                total.events += 1;
                total.bytes_before += stored.event.content.len() as u64;
                total.bytes_after += bytes as u64;
                let mut operation = self.operation(
                    owner,
                    Verb::Archive,
                    Target::Event(stored.event.id),
                    "rules",
                    format!("it happened before {before}"),
                );
                operation.before = Some(json!({ "bytes": stored.event.content.len() }));
                operation.after = Some(json!({ "bytes": bytes }));
                changes.operations.push(operation);
                changes.archived.push(body);
            }
            if !changes.archived.is_empty() {
                self.store.commit(changes)?;
            }
        }
        Ok(total)
    }

    /// The event with the words it was recorded with, wherever they are kept.
    pub(super) fn with_its_body(&self, owner: &Owner, mut stored: StoredEvent) -> Result<StoredEvent, StoreError> {
        if stored.archived
            && let Some(body) = self.store.body(owner, stored.seq)?
        {
            stored.event.content = body;
        }
        Ok(stored)
    }

    /// The whole body of an event, wherever it is kept; the event stays archived.
    pub fn body(&self, owner: &Owner, id: EventId) -> Result<String, Error> {
        let stored = self.store.event(owner, id)?.ok_or(Error::NoSuchEvent(id))?;
        self.store.body(owner, stored.seq)?.ok_or(Error::NoSuchEvent(id))
    }

    /// The body of an archived event as it comes back, and what stands for it until then.
    pub(super) fn restored(
        &self,
        owner: &Owner,
        stored: &StoredEvent,
    ) -> Result<Option<(RestoredBody, StoodForIt)>, StoreError> {
        let Some(body) = self.store.body(owner, stored.seq)? else { return Ok(None) };
        let terms = text::indexed(&body);
        let traits = self.store.traits(owner, &[stored.seq])?;
        let found_by_all = traits.first().is_some_and(|traits| traits.terms == terms);
        let summary = stored.event.content.clone();
        Ok(Some((RestoredBody { seq: stored.seq, terms }, StoodForIt { summary, found_by_all })))
    }

    /// Brings an archived body back for good. An event that is not archived stays as it is.
    pub fn restore(&self, owner: &Owner, id: EventId) -> Result<StoredEvent, Error> {
        let stored = self.store.event(owner, id)?.ok_or(Error::NoSuchEvent(id))?;
        if stored.archived {
            let (restored, stood) = self.restored(owner, &stored)?.ok_or(Error::NoSuchEvent(id))?;
            let operation =
                self.operation(owner, Verb::Restore, Target::Event(id), "caller", "the caller asked for it");
            let operation = Operation { before: Some(json!(stood)), ..operation };
            self.store.commit(ChangeSet {
                owner: owner.clone(),
                restored: vec![restored],
                operations: vec![operation],
                ..ChangeSet::default()
            })?;
        }
        self.store.event(owner, id)?.ok_or(Error::NoSuchEvent(id))
    }
}

/// What stood for a body that comes back, so that the journal can tell how it was: whoever takes that back again gets the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoodForIt {
    summary: String,
    /// It was found by every word of the body, not by those of the summary alone.
    found_by_all: bool,
}

impl StoodForIt {
    /// As a line of the journal has it. Lines of earlier versions have none.
    pub(super) fn of(before: Option<&Value>) -> Option<Self> {
        before.and_then(|before| serde_json::from_value(before.clone()).ok())
    }

    pub(super) fn body_of(&self, stored: &StoredEvent) -> ArchivedBody {
        let terms = match self.found_by_all {
            true => text::indexed(&stored.event.content),
            false => indexed_with_entities(&self.summary, stored),
        };
        ArchivedBody { seq: stored.seq, summary: self.summary.clone(), terms }
    }
}

/// What stands for an event once its body is in cold storage.
pub(super) fn archived(stored: &StoredEvent) -> ArchivedBody {
    let summary = summary(stored);
    let terms = indexed_with_entities(&summary, stored);
    ArchivedBody { seq: stored.seq, summary, terms }
}

/// Sentences of the body itself, so that every number, name and date in it is one of the body's.
fn summary(stored: &StoredEvent) -> String {
    let named: BTreeSet<&str> = stored.signals.entities.iter().map(|entity| entity.text.as_str()).collect();
    let entities: Vec<&str> = named.into_iter().collect();
    text::extract(&stored.event.content, SUMMARY_CHARACTERS, &entities)
}

/// The summary's terms and those of every entity: what was named can be found by its name.
fn indexed_with_entities(summary: &str, stored: &StoredEvent) -> String {
    let mut searched = summary.to_owned();
    let named: BTreeSet<&str> = stored.signals.entities.iter().map(|entity| entity.text.as_str()).collect();
    for name in named.into_iter().filter(|name| !summary.contains(name)) {
        searched.push('\n');
        searched.push_str(name);
    }
    text::indexed(&searched)
}
