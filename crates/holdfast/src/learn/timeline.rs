//! All evidence of one slot, folded in the order of its moments into what held when. The order in which it arrived makes no
//! difference: an old statement that comes late takes its place in the past.

use jiff::ZonedDateTime;

use super::confidence::{contradicted, moved, start};
use crate::text::same;
use crate::types::ids::EventId;
use crate::types::memory::{Evidence, Move, Origin, Stance};

/// Evidence, and for which content of the slot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) value: String,
    pub(super) content: String,
    pub(super) evidence: Evidence,
}

/// Why a content of a slot ceased to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Another was stated.
    Superseded,
    /// It was denied.
    Denied,
    /// It was rejected when asked, or by an operator.
    Rejected,
    /// It was only inferred, against what was stated.
    Outweighed,
}

/// One content of a slot over the time it held.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub(super) value: String,
    pub(super) content: String,
    pub(super) from: ZonedDateTime,
    pub(super) end: Option<(ZonedDateTime, Ending)>,
    pub(super) confidence: f32,
    pub(super) origin: Origin,
    /// Nobody who may say so has said it: not to be served.
    pub(super) pending: bool,
    pub(super) evidence: Vec<Evidence>,
    pub(super) moves: Vec<Move>,
}

impl Segment {
    fn new(said: &Said) -> Self {
        let Evidence { at, stance, origin, event, .. } = &said.evidence;
        let confidence = start(*origin, *stance);
        let reason = match (origin, stance) {
            (_, Stance::Confirms) => "confirmed",
            (Origin::UserStated, Stance::States) => "the user said so",
            (Origin::UserStated, _) => "the user acts so",
            (Origin::ToolVerified, _) => "a tool found it in a task that succeeded",
            (Origin::AgentInferred, _) => "concluded in a task that succeeded",
            (Origin::Imported, _) => "somebody else's text says so",
        };
        let mut segment = Self {
            value: said.value.clone(),
            content: said.content.clone(),
            from: at.clone(),
            end: None,
            confidence: 0.0,
            origin: *origin,
            pending: false,
            evidence: vec![said.evidence.clone()],
            moves: Vec::new(),
        };
        segment.move_to(confidence, at, reason, *event);
        segment
    }

    fn is_open(&self) -> bool {
        self.end.is_none()
    }

    fn move_to(&mut self, confidence: f32, at: &ZonedDateTime, reason: &str, cause: Option<EventId>) {
        let (from, to) = (rounded(self.confidence), rounded(confidence));
        self.confidence = to;
        self.moves.push(Move { at: at.clone(), from, to, reason: reason.to_owned(), cause });
    }

    fn take(&mut self, said: &Said) {
        let Evidence { at, stance, origin, event, .. } = &said.evidence;
        let reason = match stance {
            Stance::States => "said again",
            Stance::Suggests => "done so again",
            Stance::Denies => "denied",
            Stance::Confirms => "confirmed",
            Stance::Rejects => "rejected",
            Stance::Praises => "an answer that rested on it was liked",
            Stance::Blames => "an answer that rested on it was not liked",
        };
        let to = moved(self.confidence, *stance);
        // What was inferred and is now stated starts from there, if that is more.
        let to = if *stance == Stance::States { to.max(start(*origin, *stance)) } else { to };
        if matches!(stance, Stance::States | Stance::Confirms) && *origin == Origin::UserStated {
            self.origin = Origin::UserStated;
        }
        self.move_to(to, at, reason, *event);
        self.evidence.push(said.evidence.clone());
        match stance {
            Stance::Denies => self.end = Some((at.clone(), Ending::Denied)),
            Stance::Rejects => self.end = Some((at.clone(), Ending::Rejected)),
            _ => {}
        }
    }
}

/// To four places: a sum of the same moves is the same number wherever it is worked out.
fn rounded(confidence: f32) -> f32 {
    (confidence * 10_000.0).round() / 10_000.0
}

/// What held when. Rules, in the order of the moments:
/// - the same content again supports it; another one supersedes it, if it is not less sure than what it meets;
/// - a denial or rejection ends the content it is about;
/// - a text that may not speak for the user is pending until the same content is stated or confirmed.
pub(super) fn fold(mut all: Vec<Said>) -> Vec<Segment> {
    all.sort_by(|a, b| order(a).cmp(&order(b)));
    all.dedup();
    let mut segments: Vec<Segment> = Vec::new();
    let mut waiting: Vec<Segment> = Vec::new();
    for said in &all {
        let stance = said.evidence.stance;
        if speaks_for_nobody(&said.evidence) {
            match waiting.iter_mut().find(|other| same(&other.value, &said.value)) {
                Some(known) => known.evidence.push(said.evidence.clone()),
                None => waiting.push(Segment { pending: true, ..Segment::new(said) }),
            }
            continue;
        }
        // What was waiting is spoken for, or against.
        if let Some(place) = waiting.iter().position(|other| same(&other.value, &said.value)) {
            let known = waiting.remove(place);
            if matches!(stance, Stance::Denies | Stance::Rejects) {
                let mut known = Segment { pending: false, ..known };
                known.take(said);
                segments.push(known);
                segments.sort_by_key(Segment::is_open);
                continue;
            }
            state(&mut segments, said);
            if let Some(segment) = segments.last_mut().filter(|segment| same(&segment.value, &said.value)) {
                segment.evidence.splice(0..0, known.evidence);
            }
            continue;
        }
        match stance {
            Stance::States | Stance::Suggests | Stance::Confirms => state(&mut segments, said),
            Stance::Denies | Stance::Rejects | Stance::Praises | Stance::Blames => {
                let about = segments.iter_mut().rev().find(|other| same(&other.value, &said.value) && other.is_open());
                if let Some(segment) = about {
                    segment.take(said);
                }
            }
        }
    }
    segments.extend(waiting);
    segments
}

fn state(segments: &mut Vec<Segment>, said: &Said) {
    let Evidence { at, stance, origin, event, .. } = &said.evidence;
    let sure = |origin: Origin| matches!(origin, Origin::UserStated | Origin::Imported);
    match segments.iter_mut().rev().find(|segment| segment.is_open()) {
        Some(current) if same(&current.value, &said.value) => current.take(said),
        Some(current) if sure(current.origin) && (!sure(*origin) || *stance == Stance::Suggests) => {
            current.move_to(contradicted(current.confidence), at, "something less sure says otherwise", *event);
            let mut outweighed = Segment::new(said);
            outweighed.end = Some((at.clone(), Ending::Outweighed));
            let place = segments.len() - 1;
            segments.insert(place, outweighed);
        }
        Some(current) => {
            current.end = Some((at.clone(), Ending::Superseded));
            segments.push(Segment::new(said));
        }
        None => segments.push(Segment::new(said)),
    }
}

fn speaks_for_nobody(evidence: &Evidence) -> bool {
    evidence.origin == Origin::Imported && matches!(evidence.stance, Stance::States | Stance::Suggests)
}

/// By moment; what falls on one moment by what it says, so that no arrival decides.
fn order(said: &Said) -> (jiff::Timestamp, Stance, &str, &str, Option<EventId>) {
    let evidence = &said.evidence;
    (evidence.at.timestamp(), evidence.stance, &said.value, &evidence.quote, evidence.event)
}
