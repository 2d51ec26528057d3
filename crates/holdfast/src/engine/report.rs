//! Looking back: what a run or task did, and the history of one event.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Engine, Error};
use crate::journal::{self, InView, Report, Suspicion};
use crate::store::{EventPage, JournalPage};
use crate::text::Tokenizer;
use crate::types::event::StoredEvent;
use crate::types::ids::EventId;
use crate::types::operation::{JournalEntry, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Operations read at a time.
const PAGE: usize = 1_000;

/// Events in a chart, the newest: of each the tokens are counted.
const CHARTED_MAX: usize = 5_000;

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
            let page = JournalPage { limit: PAGE, newest_first: false, ..page.clone() };
            for entries in self.journal_pages(owner, page) {
                entries?.iter().for_each(|entry| report.count(&entry.operation));
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

    /// The report as one HTML page, with how much was in view after each event of the owner's log, and would be had nothing been let go.
    pub fn report_page(&self, owner: &Owner, page: &JournalPage) -> Result<String, Error> {
        Ok(journal::page(&self.report(owner, page)?, &self.in_view_after_each(owner)?))
    }

    /// How much of an owner's log is in view after each of its events, as it is and had nothing been let go. Counted off the journal: an event
    /// comes in whole; what is let go leaves what its line says; what is brought back is whole again.
    pub fn in_view_after_each(&self, owner: &Owner) -> Result<Vec<InView>, Error> {
        let newest = EventPage {
            filter: Filter { hidden: true, ..Filter::default() },
            newest_first: true,
            limit: CHARTED_MAX,
            after: None,
        };
        let count = |text: &str| Tokenizer::default().count(text) as u64;
        let (mut whole, mut shown) = (BTreeMap::new(), BTreeMap::new());
        for stored in self.store.events(owner, &newest)? {
            if stored.archived {
                shown.insert(stored.event.id, count(&stored.event.content));
            }
            let event = self.with_its_body(owner, stored)?.event;
            whole.insert(event.id, count(&event.content));
        }
        let mut in_view: BTreeMap<EventId, u64> = BTreeMap::new();
        let (mut now, mut steps) = (InView::default(), Vec::new());
        for entries in self.journal_pages(owner, JournalPage { limit: PAGE, ..JournalPage::default() }) {
            for operation in entries?.into_iter().map(|entry| entry.operation) {
                // Whichever line of a change tells of it first.
                let about = if let Target::Event(id) = operation.target { Some(id) } else { operation.cause };
                let Some((id, tokens)) = about.and_then(|id| Some((id, *whole.get(&id)?))) else { continue };
                let is_new = !in_view.contains_key(&id);
                let left = |value: &Option<Value>| value.as_ref()?.get("tokens")?.as_u64();
                let after = match operation.verb {
                    _ if is_new => tokens,
                    Verb::Discard | Verb::Hide => 0,
                    // Archived by its age, the line has no tokens: what stands for it now stood for it then.
                    Verb::Compress | Verb::Archive => {
                        left(&operation.after).or_else(|| shown.get(&id).copied()).unwrap_or(tokens)
                    }
                    Verb::Unhide | Verb::Restore => tokens,
                    _ => continue,
                };
                let before = in_view.insert(id, after).unwrap_or(0);
                now.with = (now.with + after).saturating_sub(before);
                if is_new {
                    now.without += tokens;
                    steps.push(now);
                } else if let Some(step) = steps.last_mut() {
                    step.with = now.with;
                }
            }
        }
        Ok(steps)
    }

    /// The journal's line of an event that is no more: when it was erased, and by which receipt.
    pub fn erasure_of(&self, owner: &Owner, id: EventId) -> Result<Option<JournalEntry>, Error> {
        let page = JournalPage {
            event: Some(id),
            verb: Some(Verb::Erase),
            newest_first: true,
            limit: 1,
            ..JournalPage::default()
        };
        Ok(self.store.journal(owner, &page)?.pop())
    }

    pub fn history(&self, owner: &Owner, id: EventId) -> Result<History, Error> {
        let event = self.store.event(owner, id)?.ok_or(Error::NoSuchEvent(id))?;
        let page = JournalPage { event: Some(id), limit: PAGE, ..JournalPage::default() };
        Ok(History { event, operations: self.store.journal(owner, &page)? })
    }
}
