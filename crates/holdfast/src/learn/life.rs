//! What becomes of a memory without anything being said of it: it hurts, or it is too long ago.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::confidence::{FADING_BELOW, present};
use super::reconcile::Change;
use crate::types::ids::EventId;
use crate::types::memory::{Memory, MemoryStatus};
use crate::types::operation::Verb;
use crate::types::scope::TaskId;

/// Tasks kept as what shows that a memory hurts.
const HURT_IN_MAX: usize = 10;

/// So long what fades may be asked about; if nobody has spoken for it by then, it is let go.
const ASKED_ABOUT_DAYS: i64 = 90;

/// What a memory did to the work it was served in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Helped,
    Hurt,
    Ignored,
}

/// What an outcome of work that a memory was served in does to it, be it reported or observed: `seen` says which it was. One that keeps
/// hurting fades, and the tasks that show it are kept with it (SPEC 3.11).
pub fn with_effect(
    memory: &Memory,
    effect: Effect,
    task: Option<&TaskId>,
    seen: String,
    cause: Option<EventId>,
    now: Timestamp,
) -> Change {
    let (helped, hurt) = (effect == Effect::Helped, effect == Effect::Hurt);
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
    let (mut verb, mut reason) = (Verb::Feedback, seen);
    if after.status == MemoryStatus::Active && after.uses.keeps_hurting() {
        let tasks: Vec<&str> = after.uses.hurt_in.iter().map(TaskId::as_str).collect();
        let where_ = if tasks.is_empty() { String::new() } else { format!(": {}", tasks.join(", ")) };
        (verb, reason) = (Verb::Fade, format!("it hurt {} times of {}{where_}", after.uses.hurt, after.uses.served));
        after.status = MemoryStatus::Fading;
        after.retired_at = Some(now);
        after.reason = Some(reason.clone());
    }
    // It faded for hurting, and has helped since.
    if after.status == MemoryStatus::Fading && memory.uses.keeps_hurting() && !after.uses.keeps_hurting() {
        after.status = MemoryStatus::Active;
        (after.retired_at, after.reason) = (None, None);
    }
    Change { before: Some(memory.clone()), after, verb, reason, cause }
}

/// What time does to a memory: one for which too little speaks by now fades, and is asked about (SPEC 3.5); one that has faded for long
/// is let go. Nothing is deleted by it, and one word of the user's brings it back.
pub fn aged(memory: &Memory, now: Timestamp) -> Option<Change> {
    let (status, reason) = match memory.status {
        MemoryStatus::Active => {
            let sure = present(memory, now);
            if sure >= FADING_BELOW {
                return None;
            }
            (MemoryStatus::Fading, format!("nothing has spoken for it for long: confidence {sure:.2} by now"))
        }
        MemoryStatus::Fading => {
            let since = memory.retired_at.unwrap_or(memory.recorded_at);
            if now.duration_since(since) < SignedDuration::from_hours(24 * ASKED_ABOUT_DAYS) {
                return None;
            }
            let why = memory.reason.as_deref().unwrap_or("too little spoke for it");
            (MemoryStatus::Archived, format!("{why}; and for {ASKED_ABOUT_DAYS} days nobody has said that it holds"))
        }
        _ => return None,
    };
    let retired_at = memory.retired_at.or(Some(now));
    let after =
        Memory { status, version: memory.version + 1, retired_at, reason: Some(reason.clone()), ..memory.clone() };
    Some(Change { before: Some(memory.clone()), after, verb: Verb::Fade, reason, cause: None })
}
