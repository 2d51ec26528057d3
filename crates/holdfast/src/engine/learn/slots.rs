//! The memories of the slots that one pass of learning looks at.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::learn::Change;
use crate::store::StoreError;
use crate::types::memory::{Memory, MemoryFilter, MemoryStatus, Slot};
use crate::types::scope::Owner;

/// The memories of the slots that were looked at, with what has been worked out but not committed.
#[derive(Debug, Default)]
pub(in crate::engine) struct Slots {
    known: BTreeMap<Slot, Vec<Memory>>,
}

impl Slots {
    pub(in crate::engine) fn memories(
        &mut self,
        engine: &Engine,
        owner: &Owner,
        slot: &Slot,
    ) -> Result<&[Memory], StoreError> {
        if !self.known.contains_key(slot) {
            let filter = MemoryFilter { slot: Some(slot.clone()), statuses: Vec::new() };
            self.known.insert(slot.clone(), engine.store.memories(owner, &filter)?);
        }
        Ok(&self.known[slot])
    }

    /// Those that speak or may yet.
    pub(in crate::engine) fn all(&self, engine: &Engine, owner: &Owner) -> Result<Vec<Memory>, StoreError> {
        let statuses = MemoryStatus::OPEN.to_vec();
        let mut all = engine.store.memories(owner, &MemoryFilter { slot: None, statuses })?;
        all.retain(|memory| !self.known.contains_key(&memory.slot()));
        all.extend(self.known.values().flatten().cloned());
        Ok(all)
    }

    pub(in crate::engine) fn keep(&mut self, slot: &Slot, changes: &[Change]) {
        let known = self.known.entry(slot.clone()).or_default();
        for change in changes {
            known.retain(|memory| memory.id != change.after.id);
            known.push(change.after.clone());
        }
    }
}
