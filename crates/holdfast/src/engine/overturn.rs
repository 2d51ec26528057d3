//! A statement that no longer holds is marked in every event that makes it, in the transaction that overturns it (SPEC 2.6).

use jiff::ZonedDateTime;

use super::{Engine, Error};
use crate::text;
use crate::types::event::{Event, Overturned};
use crate::types::ids::EventId;
use crate::types::query::Filter;
use crate::types::scope::{Owner, TaskId};
use crate::types::signals::Correction;
use crate::working::Superseded;

/// Events of a task that are searched for restatements of one statement: a conclusion is repeated a few times, not hundreds.
const RESTATEMENTS_MAX: usize = 200;

impl Engine {
    /// Marks for the event a superseded statement was drawn from, and for the others of its task that state it too.
    pub(super) fn excerpts_of(
        &self,
        owner: &Owner,
        task: &TaskId,
        superseded: &Superseded,
        at: &ZonedDateTime,
    ) -> Result<Vec<(EventId, Overturned)>, Error> {
        let overturned =
            Overturned { statement: superseded.old.clone(), replaced_by: superseded.new.clone(), at: at.timestamp() };
        let mut marks = vec![(superseded.old_source, overturned.clone())];
        for event in self.events_saying(owner, task, &superseded.old)? {
            let stated =
                text::sentences(&event.content).into_iter().any(|s| text::states(&event.content[s], &superseded.old));
            if stated && event.id != superseded.old_source {
                marks.push((event.id, overturned.clone()));
            }
        }
        Ok(marks)
    }

    /// Marks for the events of a task that carry the value a correction puts right.
    pub(super) fn excerpts_corrected(
        &self,
        owner: &Owner,
        task: &TaskId,
        correction: &Correction,
        at: &ZonedDateTime,
    ) -> Result<Vec<(EventId, Overturned)>, Error> {
        let events = self.events_saying(owner, task, &correction.old)?;
        let saying = events.iter().filter(|event| says(&event.content, &correction.old));
        Ok(saying.map(|event| mark(event, correction, at)).collect())
    }

    fn events_saying(&self, owner: &Owner, task: &TaskId, statement: &str) -> Result<Vec<Event>, Error> {
        let filter = Filter { task: Some(task.clone()), ..Filter::default() };
        let terms = text::index_terms(statement);
        let found = self.store.lexical(owner, &terms, &filter, RESTATEMENTS_MAX)?;
        let positions: Vec<_> = found.rows.into_iter().map(|(seq, _)| seq).collect();
        Ok(self.store.events_at(owner, &positions)?.into_iter().map(|stored| stored.event).collect())
    }
}

/// Whether a text contains a value as a whole: `3.2%` is not in `13.2%`.
pub(super) fn says(content: &str, value: &str) -> bool {
    text::contains_whole(&text::fold(content), &text::fold(value))
}

pub(super) fn mark(event: &Event, correction: &Correction, at: &ZonedDateTime) -> (EventId, Overturned) {
    let overturned =
        Overturned { statement: correction.old.clone(), replaced_by: correction.new.clone(), at: at.timestamp() };
    (event.id, overturned)
}
