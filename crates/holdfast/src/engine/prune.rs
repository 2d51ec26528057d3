//! The journal's own retention (SPEC 7.1): the text of old lines goes, with what undo would need of them. Their commitments stay, so that the
//! chain verifies over all there ever was.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Engine, Error};
use crate::store::JournalPage;
use crate::types::change::ChangeSet;
use crate::types::operation::{Operation, Target, Verb};
use crate::types::scope::{Owner, TaskId};

/// Lines that lose their text in one commit: others wait for no more than that.
const LINES_A_COMMIT: usize = 1_000;

/// What the journal's retention did, or would do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pruned {
    /// Lines that lost their text.
    pub operations: u64,
    /// As old, and still needed: receipts of erasures, what somebody brought back, and what was done to tasks that are open.
    pub kept: u64,
}

impl Engine {
    /// How far `prune_journal` would reach. Changes nothing.
    pub fn prune_preview(&self, owner: &Owner, before: Timestamp) -> Result<Pruned, Error> {
        self.pruned_of(owner, before, |_| Ok(()))
    }

    /// Drops the text of the owner's journal that is older than this. What it tells of can't be undone any more.
    pub fn prune_journal(&self, owner: &Owner, before: Timestamp, reason: &str) -> Result<Pruned, Error> {
        if reason.trim().is_empty() {
            return Err(Error::NoReason);
        }
        let (reason, _) = self.clean(owner, &reason.to_owned())?;
        let pruned = self.pruned_of(owner, before, |lines| {
            self.store.commit(ChangeSet { owner: owner.clone(), pruned: lines, ..ChangeSet::default() })?;
            Ok(())
        })?;
        if pruned.operations > 0 {
            let mut operation = self.operation(owner, Verb::Prune, Target::Store, "caller", reason);
            operation.after = Some(json!({ "before": before, "operations": pruned.operations }));
            let operations = vec![operation];
            self.store.commit(ChangeSet { owner: owner.clone(), operations, ..ChangeSet::default() })?;
        }
        Ok(pruned)
    }

    /// Everybody's journal, by a retention in days.
    pub(super) fn keep_journal_for(&self, days: Option<u32>) -> Result<(), Error> {
        let Some(days) = days else { return Ok(()) };
        let age = SignedDuration::from_hours(24 * i64::from(days));
        let before = self.env.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        for owner in self.store.owners()? {
            self.prune_journal(&owner, before, &format!("the journal is kept for {days} days"))?;
        }
        Ok(())
    }

    fn pruned_of(
        &self,
        owner: &Owner,
        before: Timestamp,
        mut drop: impl FnMut(Vec<i64>) -> Result<(), Error>,
    ) -> Result<Pruned, Error> {
        let tasks = self.store.tasks(owner, usize::MAX)?;
        let live: BTreeSet<TaskId> =
            tasks.into_iter().filter(|task| task.status.is_live()).map(|task| task.id).collect();
        let mut pruned = Pruned::default();
        for entries in self.journal_pages(owner, JournalPage { limit: LINES_A_COMMIT, ..JournalPage::default() }) {
            let entries = entries?;
            let old = entries.iter().filter(|entry| entry.operation.at < before);
            let (needed, lines): (Vec<_>, Vec<_>) = old.partition(|entry| is_needed(&entry.operation, &live));
            pruned.kept += needed.len() as u64;
            pruned.operations += lines.len() as u64;
            if !lines.is_empty() {
                drop(lines.iter().map(|entry| entry.position).collect())?;
            }
            // Times rise with positions, but for a clock that was set back: then the next time is soon enough.
            if entries.last().is_some_and(|entry| entry.operation.at >= before) {
                break;
            }
        }
        Ok(pruned)
    }
}

/// What is read again long after: that something was erased or brought back, and the stages of work in hand.
fn is_needed(operation: &Operation, live: &BTreeSet<TaskId>) -> bool {
    matches!(operation.verb, Verb::Erase | Verb::Unhide | Verb::Restore | Verb::Prune)
        || matches!(&operation.target, Target::Task(id) if live.contains(id))
}
