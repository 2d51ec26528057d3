//! How sure a memory is: a start by where it comes from, moved by evidence, lowered by time. All of the arithmetic is here.
//!
//! The shapes: support closes a share of the gap to 1 (a noisy-or of independent sources, Pearl 1988, 4.3.2), contradiction takes a
//! share of what is there, time halves it (an exponential forgetting curve, Ebbinghaus 1885). The figures are ours, chosen so that SPEC
//! 3.5 holds: stated at least .8, inferred .5 to .6, a denial never raises.

use jiff::{SignedDuration, Timestamp};

use crate::types::memory::{Memory, MemoryKind, Origin, Stance};

/// Stated by the user word for word.
pub const STATED: f32 = 0.8;
/// Found by a tool in a task that succeeded.
const VERIFIED: f32 = 0.6;
/// Concluded from behaviour, or by an agent in a task that succeeded.
const INFERRED: f32 = 0.55;
/// Somebody else's text.
const UNTRUSTED: f32 = 0.3;
/// Confirmed when asked, or by an operator.
const CONFIRMED: f32 = 0.95;
/// Nothing is ever certain.
const MOST: f32 = 0.98;

/// What an independent source of support closes of the gap to 1.
const SUPPORT: f32 = 0.25;
/// What acting so once more closes: habits are inferred, however often (SPEC 3.5).
const SUGGESTED: f32 = 0.05;
/// What being content with it closes.
const PRAISE: f32 = 0.1;
/// What is left after something less sure contradicts it.
const CONTRADICTED: f32 = 0.85;
/// What is left after an answer that rested on it was not liked.
const BLAME: f32 = 0.85;
/// What is left after a denial.
const DENIED: f32 = 0.25;

/// Below this it is fading (SPEC 3.5): less is known than a guess would tell.
pub const FADING_BELOW: f32 = 0.35;

/// Without new support what was stated is half as sure after two years, what was inferred after half a year.
const HALF_LIFE_STATED_DAYS: f32 = 730.0;
const HALF_LIFE_INFERRED_DAYS: f32 = 180.0;
/// Of what was not touched for this long activity is one half.
const ACTIVITY_HALF_LIFE_DAYS: f32 = 365.0;
/// What was not touched for however long is still a memory.
const ACTIVITY_MIN: f32 = 0.25;

pub(super) fn start(origin: Origin, stance: Stance) -> f32 {
    match (origin, stance) {
        (_, Stance::Confirms) => CONFIRMED,
        (Origin::UserStated, Stance::Suggests) => INFERRED,
        (Origin::UserStated, _) => STATED,
        (Origin::ToolVerified, _) => VERIFIED,
        (Origin::AgentInferred, _) => INFERRED,
        (Origin::Imported, _) => UNTRUSTED,
    }
}

/// The confidence after one more piece of evidence for or against.
pub(super) fn moved(confidence: f32, stance: Stance) -> f32 {
    match stance {
        Stance::States => toward_one(confidence, SUPPORT),
        Stance::Suggests => toward_one(confidence, SUGGESTED),
        Stance::Confirms => confidence.max(CONFIRMED),
        Stance::Praises => toward_one(confidence, PRAISE),
        Stance::Blames => confidence * BLAME,
        Stance::Denies | Stance::Rejects => confidence * DENIED,
        // That it is over says nothing against that it was so.
        Stance::Ends => confidence,
    }
}

pub(super) fn contradicted(confidence: f32) -> f32 {
    confidence * CONTRADICTED
}

fn toward_one(confidence: f32, share: f32) -> f32 {
    (confidence + (1.0 - confidence) * share).min(MOST.max(confidence))
}

/// The confidence of a memory at a moment: its last evidence may be long ago.
pub fn present(memory: &Memory, now: Timestamp) -> f32 {
    let half_life = match (memory.origin, memory.kind) {
        (Origin::AgentInferred, _) | (_, MemoryKind::Inference) => HALF_LIFE_INFERRED_DAYS,
        _ => HALF_LIFE_STATED_DAYS,
    };
    memory.confidence * halved(days_since_support(memory, now), half_life)
}

/// How much of its life a memory has: 1 when it was supported just now, never under a quarter.
pub fn activity(memory: &Memory, now: Timestamp) -> f32 {
    halved(days_since_support(memory, now), ACTIVITY_HALF_LIFE_DAYS).max(ACTIVITY_MIN)
}

fn days_since_support(memory: &Memory, now: Timestamp) -> f32 {
    let supports = |stance| matches!(stance, Stance::States | Stance::Suggests | Stance::Confirms | Stance::Praises);
    let latest = memory.sources.iter().filter(|evidence| supports(evidence.stance)).map(|e| e.at.timestamp()).max();
    let age = latest.map_or(SignedDuration::ZERO, |latest| now.duration_since(latest));
    age.max(SignedDuration::ZERO).as_secs_f32() / (24.0 * 60.0 * 60.0)
}

fn halved(days: f32, half_life_days: f32) -> f32 {
    (-days / half_life_days).exp2()
}
