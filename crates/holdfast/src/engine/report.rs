//! Looking back: what a run or task did, and the history of one event.

use super::{Engine, Error};
use crate::journal::{Report, Suspicion};
use crate::store::JournalPage;
use crate::types::event::StoredEvent;
use crate::types::ids::EventId;
use crate::types::operation::JournalEntry;
use crate::types::scope::Owner;

/// Operations read at a time.
const PAGE: usize = 1_000;

/// One event with everything that was done to it or because of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct History {
    pub event: StoredEvent,
    pub operations: Vec<JournalEntry>,
}

impl Engine {
    /// The report of what the page selects: a run, a task, or all there is.
    pub fn report(&self, owner: &Owner, page: &JournalPage) -> Result<Report, Error> {
        self.report_of(std::slice::from_ref(owner), page)
    }

    /// One report over several owners: what a replay did whose file speaks of many.
    pub fn report_of(&self, owners: &[Owner], page: &JournalPage) -> Result<Report, Error> {
        let mut report = Report::default();
        for owner in owners {
            let mut page = JournalPage { limit: PAGE, newest_first: false, ..page.clone() };
            loop {
                let entries = self.store.journal(owner, &page)?;
                let Some(last) = entries.last() else { break };
                page.after = Some(last.position);
                entries.iter().for_each(|entry| report.count(&entry.operation));
            }
            // Of texts that were shortened, those whose source turned out wrong: what was left out may be what put it right.
            for id in report.managed.rewritten() {
                let Some(stored) = self.store.event(owner, id)? else { continue };
                if stored.archived && !stored.overturned.is_empty() {
                    let what = "a shorter text stands for it, and what it says was corrected".to_owned();
                    report.managed.suspicious.push(Suspicion { event: id, what });
                }
            }
        }
        Ok(report)
    }

    pub fn history(&self, owner: &Owner, id: EventId) -> Result<History, Error> {
        let event = self.store.event(owner, id)?.ok_or(Error::NoSuchEvent(id))?;
        let page = JournalPage { event: Some(id), limit: PAGE, ..JournalPage::default() };
        Ok(History { event, operations: self.store.journal(owner, &page)? })
    }
}
