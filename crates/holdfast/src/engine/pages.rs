//! An owner's log and journal, page by page: neither is ever whole in memory, and whoever has seen enough stops asking.

use super::Engine;
use crate::store::{EventPage, JournalPage, StoreError};
use crate::types::event::StoredEvent;
use crate::types::operation::JournalEntry;
use crate::types::query::Filter;
use crate::types::scope::Owner;

impl Engine {
    /// The events that pass, in log order, `limit` at a time.
    pub(super) fn event_pages(
        &self,
        owner: &Owner,
        filter: Filter,
        limit: usize,
    ) -> impl Iterator<Item = Result<Vec<StoredEvent>, StoreError>> {
        let mut page = EventPage { filter, limit, ..EventPage::default() };
        std::iter::from_fn(move || match self.store.events(owner, &page) {
            Ok(events) => {
                page.after = Some(events.last()?.seq);
                Some(Ok(events))
            }
            Err(error) => Some(Err(error)),
        })
    }

    /// The lines of the journal that the page selects, in its order, as many at a time as it says.
    pub(super) fn journal_pages(
        &self,
        owner: &Owner,
        mut page: JournalPage,
    ) -> impl Iterator<Item = Result<Vec<JournalEntry>, StoreError>> {
        std::iter::from_fn(move || match self.store.journal(owner, &page) {
            Ok(entries) => {
                page.after = Some(entries.last()?.position);
                Some(Ok(entries))
            }
            Err(error) => Some(Err(error)),
        })
    }
}
