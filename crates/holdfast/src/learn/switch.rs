//! "I switched from Vim to Helix" names no property, but what is known may: whose editor was Vim has another one now. Candidates in,
//! candidates out.

use std::collections::BTreeSet;

use jiff::ZonedDateTime;

use super::gate::Candidate;
use crate::text::same;
use crate::types::memory::{Memory, MemoryKind, MemoryStatus, Slot, Stance, USER};

/// As `slots` names what one uses, each in a slot of its own.
const TOOL: &str = "tool: ";

/// Whether somebody has one thing for another.
pub fn switches(candidates: &[Candidate]) -> bool {
    pairs(candidates).next().is_some()
}

/// What is used instead goes to the place of the old one, if there is one property that the old one is the value of.
pub fn into_slots(candidates: &mut [Candidate], known: &[Memory]) {
    let moved: Vec<(usize, Slot, String)> = pairs(candidates)
        .filter_map(|(old, place)| {
            let to = &candidates[place];
            Some((
                place,
                slot_of(old, &to.evidence.at, known, candidates)?,
                to.attribute.strip_prefix(TOOL)?.to_owned(),
            ))
        })
        .collect();
    for (place, slot, value) in moved {
        let to = &mut candidates[place];
        (to.attribute, to.applies, to.value) = (slot.attribute, slot.applies, value);
    }
}

/// What is no longer used, and which candidate is of what is used instead, told in one breath.
fn pairs(candidates: &[Candidate]) -> impl Iterator<Item = (&str, usize)> {
    let used = |candidate: &Candidate, stance| candidate.subject == USER && candidate.evidence.stance == stance;
    candidates.iter().filter_map(move |from| {
        let old = from.attribute.strip_prefix(TOOL).filter(|_| used(from, Stance::Ends))?;
        let place = candidates.iter().position(|to| {
            let told = to.evidence.event == from.evidence.event && to.evidence.quote == from.evidence.quote;
            told && to.attribute.starts_with(TOOL) && used(to, Stance::States)
        })?;
        Some((old, place))
    })
}

/// The one property of the user that has a value at a moment, as far as is known and was said just before.
fn slot_of(value: &str, at: &ZonedDateTime, known: &[Memory], new: &[Candidate]) -> Option<Slot> {
    let of_user =
        |kind, subject: &str, attribute: &str| kind == MemoryKind::Fact && subject == USER && !attribute.contains(": ");
    let before = |from: &ZonedDateTime| from.timestamp() < at.timestamp();
    let known = known.iter().filter(|memory| {
        memory.status == MemoryStatus::Active
            && of_user(memory.kind, &memory.subject, &memory.attribute)
            && same(&memory.value, value)
            && before(&memory.valid_from)
    });
    let said: Vec<&Candidate> = new
        .iter()
        .filter(|other| {
            other.evidence.stance == Stance::States
                && of_user(other.kind, &other.subject, &other.attribute)
                && before(&other.evidence.at)
        })
        .collect();
    let of_value = said.iter().filter(|other| same(&other.value, value)).map(|other| other.slot());
    let mut slots: BTreeSet<Slot> = known.map(Memory::slot).chain(of_value).collect();
    let slot = slots.pop_first().filter(|_| slots.is_empty())?;
    // Said of the property since, it has another value already.
    let last = said.iter().filter(|other| other.slot() == slot).max_by_key(|other| other.evidence.at.timestamp());
    last.is_none_or(|other| same(&other.value, value)).then_some(slot)
}
