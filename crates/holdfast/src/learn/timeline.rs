//! All evidence of one slot, folded in the order of its moments into what held when. The order in which it arrived makes no
//! difference: an old statement that comes late takes its place in the past.

use jiff::ZonedDateTime;

use super::confidence::{contradicted, moved, start};
use crate::text::same;
use crate::types::ids::EventId;
use crate::types::memory::{Evidence, Move, Origin, Stance};

/// What is said again within this time is not another time.
const SAME_BREATH: jiff::SignedDuration = jiff::SignedDuration::from_mins(30);

/// Evidence, and for which content of the slot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    pub(super) value: String,
    pub(super) content: String,
    pub(super) evidence: Evidence,
    /// 我不说了 denies a habit if it is one, and is else no news: nothing of it is kept for what may arrive later.
    pub(super) only_of_known: bool,
}

/// Why a content of a slot ceased to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Another was stated.
    Superseded,
    /// It was denied.
    Denied,
    /// It was so, and is over.
    Over,
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
    /// Said in so many words, or confirmed; not only inferred.
    pub(super) stated: bool,
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
            (Origin::AgentInferred, _) => "concluded, not said",
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
            stated: is_said(&said.evidence),
            evidence: vec![said.evidence.clone()],
            moves: Vec::new(),
        };
        segment.move_to(confidence, at, reason, *event);
        segment
    }

    fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Ended by somebody's word against it.
    fn was_refused(&self) -> bool {
        matches!(self.end, Some((_, Ending::Denied | Ending::Rejected | Ending::Over)))
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
            Stance::Ends => "over",
            Stance::Confirms => "confirmed",
            Stance::Rejects => "rejected",
            Stance::Praises => "an answer that rested on it was liked",
            Stance::Blames => "an answer that rested on it was not liked",
        };
        // Said twice in one breath is said once.
        let just_said = *stance == Stance::States
            && self.evidence.iter().any(|other| {
                other.stance == Stance::States && at.timestamp().duration_since(other.at.timestamp()) < SAME_BREATH
            });
        let to = if just_said { self.confidence } else { moved(self.confidence, *stance) };
        // What was inferred and is now stated starts from there, if that is more.
        let to = if *stance == Stance::States { to.max(start(*origin, *stance)) } else { to };
        if matches!(stance, Stance::States | Stance::Confirms) && *origin == Origin::UserStated {
            self.origin = Origin::UserStated;
        }
        self.stated |= is_said(&said.evidence);
        self.move_to(to, at, reason, *event);
        self.evidence.push(said.evidence.clone());
        match stance {
            Stance::Denies => self.end = Some((at.clone(), Ending::Denied)),
            Stance::Ends => self.end = Some((at.clone(), Ending::Over)),
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
/// - the same content again supports it; another one supersedes it, unless it is only inferred and what it meets was stated;
/// - a denial, an end or a rejection closes the content it is about, and what was only inferred does not come back by itself after it;
/// - a denial or an end of what is not known yet is kept, for what it denies may arrive later; unless it is only one if that is known;
/// - a text that may not speak for the user is pending until the same content is stated or confirmed.
pub(super) fn fold(mut all: Vec<Said>) -> Vec<Segment> {
    all.sort_by(|a, b| order(a).cmp(&order(b)));
    all.dedup();
    let mut segments: Vec<Segment> = Vec::new();
    let mut waiting: Vec<Segment> = Vec::new();
    for said in &all {
        let known_waiting = waiting.iter().position(|other| same(&other.value, &said.value));
        match (said.evidence.stance, known_waiting) {
            (Stance::States | Stance::Suggests, place) if speaks_for_nobody(&said.evidence) => match place {
                Some(place) => waiting[place].evidence.push(said.evidence.clone()),
                None => waiting.push(Segment { pending: true, ..Segment::new(said) }),
            },
            // What was waiting is spoken for.
            (Stance::States | Stance::Suggests | Stance::Confirms, Some(place)) => {
                let known = waiting.remove(place);
                let at = state(&mut segments, said);
                segments[at].evidence.splice(0..0, known.evidence);
            }
            (Stance::Denies | Stance::Ends | Stance::Rejects, Some(place)) => {
                let mut known = Segment { pending: false, ..waiting.remove(place) };
                known.take(said);
                // Before what is open, so that the last is still the one that holds.
                let before = segments.iter().position(Segment::is_open).unwrap_or(segments.len());
                segments.insert(before, known);
            }
            (Stance::Praises | Stance::Blames, Some(_)) => {}
            (Stance::States | Stance::Suggests | Stance::Confirms, None) => {
                state(&mut segments, said);
            }
            (Stance::Denies | Stance::Ends | Stance::Rejects | Stance::Praises | Stance::Blames, None) => {
                let about = segments.iter_mut().rev().find(|other| same(&other.value, &said.value) && other.is_open());
                match about {
                    Some(segment) => segment.take(said),
                    None if matches!(said.evidence.stance, Stance::Denies | Stance::Ends) && !said.only_of_known => {
                        deny_unknown(&mut segments, said)
                    }
                    None => {}
                }
            }
        }
    }
    segments.extend(waiting);
    segments
}

/// Takes in what is stated, suggested or confirmed; which segment it went to.
fn state(segments: &mut Vec<Segment>, said: &Said) -> usize {
    let Evidence { at, stance, event, .. } = &said.evidence;
    let inferred = *stance == Stance::Suggests;
    let of_value = |segments: &[Segment]| segments.iter().rposition(|other| same(&other.value, &said.value));
    let Some(open) = segments.iter().rposition(Segment::is_open) else {
        let refused = of_value(segments).filter(|place| inferred && segments[*place].was_refused());
        if let Some(place) = refused {
            segments[place].evidence.push(said.evidence.clone());
            return place;
        }
        segments.push(Segment::new(said));
        return segments.len() - 1;
    };
    if same(&segments[open].value, &said.value) {
        segments[open].take(said);
        return open;
    }
    if inferred && (segments[open].stated || of_value(segments).is_some_and(|place| segments[place].was_refused())) {
        let outweighed = |other: &Segment| {
            same(&other.value, &said.value)
                && matches!(other.end, Some((_, Ending::Outweighed | Ending::Denied | Ending::Rejected | Ending::Over)))
        };
        let current = &mut segments[open];
        if current.stated {
            current.move_to(contradicted(current.confidence), at, "something less sure says otherwise", *event);
        }
        // However often: one segment for all that was outweighed.
        if let Some(place) = segments.iter().rposition(outweighed) {
            segments[place].evidence.push(said.evidence.clone());
            return place;
        }
        let mut outweighed = Segment::new(said);
        outweighed.end = Some((at.clone(), Ending::Outweighed));
        segments.insert(open, outweighed);
        return open;
    }
    segments[open].end = Some((at.clone(), Ending::Superseded));
    segments.push(Segment::new(said));
    segments.len() - 1
}

fn deny_unknown(segments: &mut Vec<Segment>, said: &Said) {
    let mut denied = Segment::new(said);
    denied.confidence = 0.0;
    denied.moves.clear();
    let ending = if said.evidence.stance == Stance::Ends { Ending::Over } else { Ending::Denied };
    denied.end = Some((said.evidence.at.clone(), ending));
    let before = segments.iter().position(Segment::is_open).unwrap_or(segments.len());
    segments.insert(before, denied);
}

fn is_said(evidence: &Evidence) -> bool {
    evidence.stance == Stance::Confirms || evidence.stance == Stance::States && evidence.origin != Origin::Imported
}

fn speaks_for_nobody(evidence: &Evidence) -> bool {
    evidence.origin == Origin::Imported && matches!(evidence.stance, Stance::States | Stance::Suggests)
}

/// By moment; what falls on one moment by what it says, so that no arrival decides.
fn order(said: &Said) -> (jiff::Timestamp, Stance, &str, &str, Option<EventId>) {
    let evidence = &said.evidence;
    (evidence.at.timestamp(), evidence.stance, &said.value, &evidence.quote, evidence.event)
}
