//! What came about since a run was planned: whoever carries a plan out looks at this, and at nothing the plan was made from. So what is looked
//! at under the owner's lock is what came in the few milliseconds before it, however long the log is.

use std::collections::{BTreeMap, BTreeSet};

use super::weigh::{events_in, mention};
use crate::engine::{Engine, Error};
use crate::manager::Citations;
use crate::store::{EventPage, JournalPage, StoreError};
use crate::text::fold;
use crate::types::event::{Source, StoredEvent};
use crate::types::ids::{EventId, Seq};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::{Owner, TaskId};
use crate::types::task::Task;

/// Lines and events read at a time.
const PAGE: usize = 500;

/// Where the look at what is new goes on.
#[derive(Debug)]
pub(super) struct Since {
    /// Of the journal.
    position: i64,
    /// Of the log.
    newest: Seq,
    versions: BTreeMap<TaskId, u64>,
    /// All of it.
    pub(super) news: News,
}

/// What may call for an event, or has changed it.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Of live tasks that are new or have changed.
    citations: BTreeMap<TaskId, Citations>,
    served: BTreeSet<EventId>,
    /// What the user said, folded.
    said: Vec<(Seq, EventId, String)>,
    changed: BTreeSet<EventId>,
    /// Something was done that does not name all that it reached: what it may have reached is read again.
    pub(super) unnamed: bool,
}

impl Since {
    /// From now on. First of all that a plan is made from: what comes while that is read is news.
    pub(super) fn now(engine: &Engine, owner: &Owner, turn: Seq, tasks: &[Task]) -> Result<Self, StoreError> {
        let newest = JournalPage { newest_first: true, limit: 1, ..JournalPage::default() };
        let position = engine.store.journal(owner, &newest)?.first().map_or(0, |entry| entry.position);
        let versions = tasks.iter().map(|task| (task.id.clone(), task.version)).collect();
        Ok(Self { position, newest: turn, versions, news: News::default() })
    }

    /// The live tasks among these that are not as they were.
    pub(super) fn changed_of(&self, tasks: &[Task]) -> Vec<Task> {
        let changed = |task: &&Task| task.status.is_live() && self.versions.get(&task.id) != Some(&task.version);
        tasks.iter().filter(changed).cloned().collect()
    }

    /// Looks at what is new, and only that.
    pub(super) fn catch_up(&mut self, engine: &Engine, owner: &Owner, changed: Vec<Task>) -> Result<News, Error> {
        let mut news = News::default();
        for task in changed {
            news.citations.insert(task.id.clone(), Citations::of([&task]));
            self.versions.insert(task.id, task.version);
        }
        let mut grown = false;
        let page = JournalPage { after: Some(self.position), limit: PAGE, ..JournalPage::default() };
        for entries in engine.journal_pages(owner, page) {
            for entry in entries? {
                self.position = entry.position;
                if entry.operation.run != engine.run {
                    grown |= news.hear(&entry.operation);
                }
            }
        }
        if grown || news.unnamed {
            self.hear_said(engine, owner, &mut news)?;
        }
        self.news.add(&news);
        Ok(news)
    }

    fn hear_said(&mut self, engine: &Engine, owner: &Owner, news: &mut News) -> Result<(), StoreError> {
        let filter = Filter { sources: vec![Source::User], ..Filter::default() };
        loop {
            let page = EventPage { filter: filter.clone(), after: Some(self.newest), limit: PAGE, newest_first: false };
            let events = engine.store.events(owner, &page)?;
            let Some(last) = events.last() else { return Ok(()) };
            self.newest = last.seq;
            news.said.extend(events.iter().map(|s| (s.seq, s.event.id, fold(&s.event.content))));
        }
    }
}

impl News {
    /// Whether an event came into the log by it.
    fn hear(&mut self, operation: &Operation) -> bool {
        use Verb::{
            Archive, Compress, Confirm, Discard, EndTask, Erase, Fade, Feedback, Hide, Import, Manage, Observe,
            OpenTask, Probation, Promote, Prune, Redact, Refuse, Reindex, Remember, Rescue, Restore, Retract, Reveal,
            Serve, SetState, Supersede, SwitchTask, Undo, Unhide, Update,
        };
        match (operation.verb, &operation.target) {
            (Observe, _) => return true,
            (Serve, _) => self.served.extend(events_in(operation.after.as_ref())),
            (Archive | Compress | Discard | Hide | Probation | Rescue | Restore | Unhide, Target::Event(id)) => {
                self.changed.insert(*id);
            }
            (Archive | Compress | Discard | Hide | Probation | Rescue | Restore | Unhide, _)
            | (Erase | Import | Supersede | Undo, _) => self.unnamed = true,
            // What they do to tasks is seen by the tasks, and to memories by nothing here.
            (Confirm | EndTask | Fade | Feedback | Manage | OpenTask | Promote | Redact | Refuse | Reindex, _)
            | (Prune | Remember | Retract | Reveal | SetState | SwitchTask | Update, _) => {}
        }
        false
    }

    fn add(&mut self, other: &Self) {
        self.citations.extend(other.citations.iter().map(|(task, citations)| (task.clone(), citations.clone())));
        self.served.extend(&other.served);
        self.said.extend(other.said.iter().cloned());
        self.changed.extend(&other.changed);
        self.unnamed |= other.unnamed;
    }

    /// Whether an event is not what it was, or may not be let go any more; `mentioned`: words that name it count as well.
    pub(super) fn keeps(&self, stored: &StoredEvent, mentioned: bool) -> bool {
        let id = stored.event.id;
        self.changed.contains(&id)
            || self.served.contains(&id)
            || self.citations.values().any(|citations| citations.need(stored).is_some())
            || mentioned && mention(stored, &self.said).is_some()
    }

    pub(super) fn has_changed(&self, id: EventId) -> bool {
        self.changed.contains(&id)
    }
}
