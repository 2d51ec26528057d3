//! Out of the store and into another: everything of an owner as lines of JSON, complete and versioned.

use std::io::Write;

use serde::{Deserialize, Serialize};

use super::{Engine, Error};
use crate::store::EventPage;
use crate::types::event::StoredEvent;
use crate::types::scope::Owner;
use crate::types::task::Task;

/// The form of the lines; raised when an older reader would misread them.
pub const EXPORT_VERSION: u32 = 1;

/// Events read at a time.
const PAGE: usize = 500;

/// One line of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "line")]
pub enum ExportLine {
    /// The first line of each owner.
    Owner { version: u32, owner: Owner },
    Event(Box<StoredEvent>),
    Task(Box<Task>),
}

/// What an export holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    pub owners: u64,
    pub events: u64,
    pub tasks: u64,
}

impl Engine {
    /// Writes these owners' events, in log order with their whole bodies, and tasks.
    pub fn export(&self, owners: &[Owner], out: &mut dyn Write) -> Result<Exported, Error> {
        let mut exported = Exported::default();
        for owner in owners {
            write_line(out, &ExportLine::Owner { version: EXPORT_VERSION, owner: owner.clone() })?;
            exported.owners += 1;
            let mut page = EventPage { limit: PAGE, ..EventPage::default() };
            loop {
                let events = self.store.events(owner, &page)?;
                let Some(last) = events.last() else { break };
                page.after = Some(last.seq);
                for mut stored in events {
                    if stored.archived
                        && let Some(body) = self.store.body(owner, stored.seq)?
                    {
                        stored.event.content = body;
                        stored.archived = false;
                    }
                    write_line(out, &ExportLine::Event(Box::new(stored)))?;
                    exported.events += 1;
                }
            }
            for task in self.store.tasks(owner, usize::MAX)? {
                write_line(out, &ExportLine::Task(Box::new(task)))?;
                exported.tasks += 1;
            }
        }
        Ok(exported)
    }
}

fn write_line(out: &mut dyn Write, line: &ExportLine) -> Result<(), Error> {
    serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
