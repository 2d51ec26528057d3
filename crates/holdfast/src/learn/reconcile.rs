//! The memories of a slot and what is new about it: what changes. Nothing is deleted, and nothing is written twice.

use jiff::Timestamp;

use super::confidence::FADING_BELOW;
use super::faithful::says_no;
use super::gate::Candidate;
use super::revoke;
use super::slots::{attribute, bounded, essence, liked};
use super::timeline::{Ending, Said, Segment, fold};
use crate::text::{repeats, same};
use crate::types::ids::{EventId, MemoryId};
use crate::types::memory::{Evidence, Memory, MemoryKind, MemoryStatus, Stance, USER, Visibility};
use crate::types::operation::Verb;

/// Pieces of evidence kept of one memory. Of more, the first and the latest tell most, and the middle goes.
const SOURCES_MAX: usize = 256;

/// One memory's change, and the journal's words for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub before: Option<Memory>,
    pub after: Memory,
    pub verb: Verb,
    pub reason: String,
    pub cause: Option<EventId>,
}

/// Works out the slot anew from all of its evidence. `known` are its memories, `new` candidates of the same slot; `id` makes ids.
/// What stays as it was is not in the result.
pub fn reconcile(known: &[Memory], new: &[Candidate], now: Timestamp, mut id: impl FnMut() -> MemoryId) -> Vec<Change> {
    let said = |memory: &Memory, evidence: &Evidence| Said {
        value: memory.value.clone(),
        content: memory.content.clone(),
        evidence: evidence.clone(),
        only_of_known: only_of_known(memory.kind, &memory.attribute, &memory.value),
    };
    let revoking = |candidate: &Candidate| revoke::as_denial(candidate, known, new);
    let new: Vec<Candidate> =
        new.iter().map(|candidate| revoking(candidate).unwrap_or_else(|| in_known_words(candidate, known))).collect();
    let mut all: Vec<Said> =
        known.iter().flat_map(|memory| memory.sources.iter().map(|evidence| said(memory, evidence))).collect();
    for candidate in &new {
        let said = Said {
            value: candidate.value.clone(),
            content: candidate.content.clone(),
            evidence: candidate.evidence.clone(),
            only_of_known: only_of_known(candidate.kind, &candidate.attribute, &candidate.value),
        };
        // The same event says a thing once, however often it is learned from.
        let twice = |other: &Said| {
            same(&other.value, &said.value)
                && other.evidence.event.is_some()
                && other.evidence.event == said.evidence.event
                && other.evidence.stance == said.evidence.stance
        };
        if !all.iter().any(twice) {
            all.push(said);
        }
    }
    let segments = fold(all);
    // Which memory each segment is: the one of the same content that began next to it.
    let mut free: Vec<&Memory> = known.iter().collect();
    free.sort_by_key(|memory| (memory.valid_from.timestamp(), memory.id));
    let mut owners: Vec<(Option<&Memory>, MemoryId)> = Vec::with_capacity(segments.len());
    for segment in &segments {
        let place = free.iter().position(|memory| same(&memory.value, &segment.value));
        let owner = place.map(|place| free.remove(place));
        owners.push((owner, owner.map_or_else(&mut id, |memory| memory.id)));
    }
    let mut changes = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        let (before, id) = owners[place];
        let next = segment.end.as_ref().filter(|(_, ending)| *ending == Ending::Superseded).and_then(|(end, _)| {
            let follows = |(_, other): &(usize, &Segment)| other.from.timestamp() == end.timestamp() && !other.pending;
            segments.iter().enumerate().skip(place + 1).find(follows).map(|(place, _)| owners[place].1)
        });
        let template = new.iter().find(|candidate| same(&candidate.value, &segment.value));
        let after = memory_of(segment, before, template, known, id, next, now);
        changes.extend(change(before, after));
    }
    // Two memories of one content that turned out to be one.
    for memory in free {
        let mut after = memory.clone();
        after.status = MemoryStatus::Superseded;
        after.valid_to = Some(memory.valid_to.clone().unwrap_or_else(|| memory.valid_from.clone()));
        after.retired_at = Some(memory.retired_at.unwrap_or(now));
        after.reason = Some("it is one with another of its slot".to_owned());
        after.sources.truncate(1);
        changes.extend(change(Some(memory), after));
    }
    changes
}

/// Of what is said in passing (「我不跑了」「我不吃素」「我现在喝茶」「周报不用PDF了」) a denial counts only if it meets something: alone it tells nothing.
fn only_of_known(kind: MemoryKind, attribute: &str, value: &str) -> bool {
    kind == MemoryKind::Rule
        || attribute == "diet"
        || attribute.starts_with("habit: ")
        || kind == MemoryKind::Preference && value == "dislikes"
}

/// A segment as a memory. A new one takes what the evidence does not say from the candidate, or from its neighbours.
fn memory_of(
    segment: &Segment,
    before: Option<&Memory>,
    template: Option<&Candidate>,
    known: &[Memory],
    id: MemoryId,
    next: Option<MemoryId>,
    now: Timestamp,
) -> Memory {
    let (status, reason) = match before {
        // What was let go stays so, until something speaks for it again.
        Some(memory) if is_let_go(memory) && !speaks_again(segment, memory) => (memory.status, memory.reason.clone()),
        _ => {
            let (status, reason) = standing(segment);
            (status, reason.map(str::to_owned))
        }
    };
    let valid_to = segment.end.as_ref().map(|(at, _)| at.clone());
    let in_force = matches!(status, MemoryStatus::Active | MemoryStatus::Pending);
    let retired_at = if in_force { None } else { before.and_then(|memory| memory.retired_at).or(Some(now)) };
    let mut sources = segment.evidence.clone();
    if sources.len() > SOURCES_MAX {
        sources.drain(SOURCES_MAX / 2..sources.len() - SOURCES_MAX / 2);
    }
    let mut moves = segment.moves.clone();
    if moves.len() > SOURCES_MAX {
        moves.drain(SOURCES_MAX / 2..moves.len() - SOURCES_MAX / 2);
    }
    let like = before.or_else(|| known.iter().find(|memory| same(&memory.value, &segment.value))).or(known.first());
    let (kind, slot, importance, imperative) = match (template, like) {
        (_, Some(memory)) if before.is_some() || template.is_none() => {
            (memory.kind, memory.slot(), memory.importance, memory.imperative)
        }
        (Some(candidate), _) => (candidate.kind, candidate.slot(), candidate.importance, candidate.imperative),
        _ => unreachable!("a segment is of a memory or of a candidate"),
    };
    // What was inferred and is said or confirmed is known.
    let kind = if kind == MemoryKind::Inference && segment.stated { MemoryKind::Fact } else { kind };
    Memory {
        id,
        kind,
        subject: slot.subject,
        attribute: slot.attribute,
        applies: slot.applies,
        aliases: before.map(|memory| memory.aliases.clone()).unwrap_or_default(),
        content: segment.content.clone(),
        value: segment.value.clone(),
        importance,
        confidence: segment.confidence,
        status,
        version: before.map_or(1, |memory| memory.version + 1),
        valid_from: segment.from.clone(),
        valid_to,
        recorded_at: before.map_or(now, |memory| memory.recorded_at),
        retired_at,
        origin: segment.origin,
        sources,
        moves,
        uses: before.map(|memory| memory.uses.clone()).unwrap_or_default(),
        visibility: before.map(|memory| memory.visibility).unwrap_or(Visibility::Private),
        imperative: imperative && segment.pending,
        reason,
        superseded_by: next,
    }
}

fn is_let_go(memory: &Memory) -> bool {
    matches!(memory.status, MemoryStatus::Fading | MemoryStatus::Archived | MemoryStatus::Erased)
}

/// Whether there is evidence for a memory that it did not have.
fn speaks_again(segment: &Segment, memory: &Memory) -> bool {
    let supports =
        |evidence: &&Evidence| matches!(evidence.stance, Stance::States | Stance::Confirms | Stance::Praises);
    memory.status != MemoryStatus::Erased
        && segment.evidence.iter().filter(supports).any(|evidence| !memory.sources.contains(evidence))
}

/// A text that has the known value of its slot in it says that value: 「用户住在余杭」 is 余杭, once 余杭 is known. A yes is never a no.
fn in_known_words(candidate: &Candidate, known: &[Memory]) -> Candidate {
    let says = |memory: &&Memory| {
        !same(&memory.value, &candidate.value)
            && repeats(&candidate.value, &memory.value)
            && says_no(&memory.content) == says_no(&candidate.content)
    };
    let longest = known.iter().filter(says).max_by_key(|memory| memory.value.len());
    let value = longest.map_or_else(|| candidate.value.clone(), |memory| memory.value.clone());
    Candidate { value, ..candidate.clone() }
}

fn standing(segment: &Segment) -> (MemoryStatus, Option<&'static str>) {
    match segment.end.as_ref().map(|(_, ending)| *ending) {
        Some(Ending::Superseded) => (MemoryStatus::Superseded, Some("another was stated")),
        Some(Ending::Outweighed) => (MemoryStatus::Superseded, Some("it was only inferred, against what was stated")),
        Some(Ending::Denied) => (MemoryStatus::Retracted, Some("it was denied")),
        Some(Ending::Over) => (MemoryStatus::Superseded, Some("it was so until then, and is over")),
        Some(Ending::Rejected) => (MemoryStatus::Retracted, Some("it was rejected")),
        None if segment.pending => (MemoryStatus::Pending, Some("nobody who may say so has confirmed it")),
        None if segment.confidence < FADING_BELOW => (MemoryStatus::Fading, Some("too little speaks for it")),
        None => (MemoryStatus::Active, None),
    }
}

/// `None` when nothing changed but the version.
fn change(before: Option<&Memory>, after: Memory) -> Option<Change> {
    if let Some(before) = before
        && *before == (Memory { version: before.version, ..after.clone() })
    {
        return None;
    }
    let latest = after.sources.iter().max_by_key(|evidence| evidence.at.timestamp());
    let cause = latest.and_then(|evidence| evidence.event);
    let was = before.map(|memory| memory.status);
    let verb = match after.status {
        status if was == Some(status) => Verb::Remember,
        MemoryStatus::Superseded => Verb::Supersede,
        MemoryStatus::Retracted => Verb::Retract,
        MemoryStatus::Fading | MemoryStatus::Archived => Verb::Fade,
        MemoryStatus::Active if was == Some(MemoryStatus::Pending) => Verb::Confirm,
        _ => Verb::Remember,
    };
    let reason = match (&after.reason, after.moves.last()) {
        (Some(reason), _) if was != Some(after.status) => reason.clone(),
        (_, Some(last)) => format!("{}: confidence {} → {}", last.reason, last.from, last.to),
        (Some(reason), None) => reason.clone(),
        (None, None) => "learned".to_owned(),
    };
    Some(Change { before: before.cloned(), after, verb, reason, cause })
}

/// What is said of one memory as it stands, on this evidence: by an operator, or by the user's praise, blame or rejection.
pub fn said_of(memory: &Memory, evidence: Evidence) -> Candidate {
    Candidate {
        kind: memory.kind,
        subject: memory.subject.clone(),
        attribute: memory.attribute.clone(),
        applies: memory.applies.clone(),
        value: memory.value.clone(),
        content: memory.content.clone(),
        importance: memory.importance,
        imperative: false,
        evidence,
    }
}

/// Whether a request to forget (「忘掉我的地址」) is about a memory: one of the user whose property it names, or whose words it has.
pub fn concerns(about: &str, subject: &str, attribute_of: &str, content: &str) -> bool {
    let bare = LEADS.iter().fold(about.trim(), |said, lead| said.strip_prefix(lead).unwrap_or(said).trim());
    let bare = bare.trim_end_matches(['。', '.', '！', '!', '吧', '了']);
    // A statement of oneself is taken back itself, and not its opposite: 「我没说过喜欢香菜」 leaves 「我不喜欢香菜」 alone.
    let stated = bare.starts_with(['我']) || ["I ", "I'm "].iter().any(|own| bare.starts_with(own));
    let wanted = essence(&as_said(bare.strip_prefix('我').unwrap_or(bare)));
    let property = attribute(bare).map(|found| found.name);
    let is_property = |name: &String| attribute_of == name || attribute_of.starts_with(&format!("{name}: "));
    let named = property.as_ref().is_some_and(is_property) && (subject == USER || about.contains(subject));
    let said = essence(content);
    // "I like tea" is not "I like tea ceremonies".
    let names = if stated && attribute_of.starts_with("likes: ") {
        said.ends_with(&wanted) || liking(&wanted).is_some_and(|of| of == attribute_of)
    } else {
        repeats(&said, &wanted)
    };
    let same_way = !stated || says_no(bare) == says_no(content);
    named || same_way && wanted.chars().count() >= 2 && names
}

/// The slot of what a statement of oneself, without its words for that, says of a liking.
fn liking(wanted: &str) -> Option<String> {
    const LEADS: &[&str] = &[
        "更喜欢",
        "不喜欢",
        "喜欢",
        "讨厌",
        "偏好",
        "习惯",
        "不爱",
        "爱",
        "不吃",
        "不喝",
        "吃",
        "喝",
        "don t like ",
        "like ",
        "love ",
        "prefer ",
        "hate ",
    ];
    let object = LEADS.iter().find_map(|lead| wanted.strip_prefix(lead))?;
    Some(bounded(&format!("likes: {}", liked(object))))
}

/// "not drinking coffee" is named after "I don't drink coffee".
fn as_said(about: &str) -> String {
    const NAMED: &[(&str, &str)] = &[
        ("not drinking ", "don't drink "),
        ("not eating ", "don't eat "),
        ("not liking ", "don't like "),
        ("liking ", "like "),
        ("hating ", "hate "),
        ("preferring ", "prefer "),
        ("living in ", "live in "),
        ("working at ", "work at "),
        ("being allergic to ", "allergic to "),
    ];
    let lower = about.to_ascii_lowercase();
    let named = NAMED.iter().find_map(|(named, said)| Some((said, lower.strip_prefix(named)?)));
    named.map_or_else(|| about.to_owned(), |(said, rest)| format!("{said}{rest}"))
}

/// Words before what is to be forgotten.
const LEADS: &[&str] = &[
    "关于",
    "我说过的",
    "我说的",
    "我刚才说的",
    "我之前说的",
    "我的",
    "what i said about ",
    "about ",
    "that ",
    "my ",
    "the ",
];

/// More than these were not meant by one word.
pub const FORGOTTEN_AT_ONCE_MAX: usize = 3;
