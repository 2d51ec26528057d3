//! What becomes of a memory without anything being said of it: it hurts, or it is too long ago.

use jiff::Timestamp;

use super::confidence::{FADING_BELOW, present};
use crate::types::memory::{Memory, MemoryStatus};
use crate::types::scope::TaskId;

/// Tasks kept as what shows that a memory hurts.
const HURT_IN_MAX: usize = 10;

/// The memory after an outcome of work it was served in was reported.
pub fn with_effect(memory: &Memory, helped: bool, hurt: bool, task: Option<&TaskId>, now: Timestamp) -> Memory {
    let mut after = Memory { version: memory.version + 1, ..memory.clone() };
    let uses = &mut after.uses;
    uses.served = uses.served.saturating_add(1);
    uses.helped = uses.helped.saturating_add(u32::from(helped));
    uses.hurt = uses.hurt.saturating_add(u32::from(hurt));
    if hurt && let Some(task) = task {
        uses.hurt_in.retain(|other| other != task);
        uses.hurt_in.push(task.clone());
        if uses.hurt_in.len() > HURT_IN_MAX {
            uses.hurt_in.remove(0);
        }
    }
    if after.status == MemoryStatus::Active && after.uses.keeps_hurting() {
        after.status = MemoryStatus::Fading;
        after.retired_at = Some(now);
        let tasks: Vec<&str> = after.uses.hurt_in.iter().map(TaskId::as_str).collect();
        let where_ = if tasks.is_empty() { String::new() } else { format!(": {}", tasks.join(", ")) };
        after.reason = Some(format!("it hurt {} times of {}{where_}", after.uses.hurt, after.uses.served));
    }
    after
}

/// The memory fading, if by now too little speaks for it.
pub fn faded(memory: &Memory, now: Timestamp) -> Option<Memory> {
    let sure = present(memory, now);
    (memory.status == MemoryStatus::Active && sure < FADING_BELOW).then(|| Memory {
        status: MemoryStatus::Fading,
        version: memory.version + 1,
        retired_at: Some(now),
        reason: Some(format!("nothing has spoken for it for long: confidence {sure:.2} by now")),
        ..memory.clone()
    })
}
