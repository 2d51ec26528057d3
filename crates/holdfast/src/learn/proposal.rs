//! What a model proposed as memories, checked by code (SPEC 3.9, 3.10). A proposal and the event it names in, a candidate or the reason
//! why not out. It knows nothing of what is remembered already.

use super::faithful::{Quoted, faithful, lasting, own};
use super::gate::{Candidate, is_first_hand, sides_set, subject_of};
use super::slots::{self, bounded, essence, topic};
use crate::prompts::{ProposedKind, ProposedMemory};
use crate::text::{find_whole, fold};
use crate::types::event::Event;
use crate::types::memory::{
    Applies, Evidence, MEMORY_BYTES_MAX, MemoryKind, Origin, SLOT_PART_BYTES_MAX, Stance, USER,
};
use crate::types::signals::Attribution;

/// How much of an event is looked at: more than is shown of one, so that the last sentence shown is whole.
const EVENT_BYTES_MAX: usize = 8 * 1024;

/// Places looked at where an event says the same words.
const PLACES_MAX: usize = 8;

/// What a model proposed, once it is checked by code: said by the user at first hand, in the words it quotes, with nothing in it that the
/// sentence of these words does not say. `attribution`: whose words those of the event are.
pub fn from_proposal(
    proposal: &ProposedMemory,
    event: &Event,
    attribution: &Attribution,
) -> Result<Candidate, &'static str> {
    // Before anything else: what follows takes time by their length.
    let parts = [&proposal.subject, &proposal.attribute];
    let texts = [&proposal.content, &proposal.quote];
    if parts.iter().any(|part| part.len() > SLOT_PART_BYTES_MAX) || texts.iter().any(|t| t.len() > MEMORY_BYTES_MAX) {
        return Err("it is longer than a memory may be");
    }
    if !is_first_hand(event) {
        return Err("only what the user says at first hand becomes a memory");
    }
    let said = &event.content[..event.content.floor_char_boundary(EVENT_BYTES_MAX)];
    let (quote, content) = (proposal.quote.trim(), proposal.content.trim());
    let places: Vec<Quoted<'_>> = Quoted::all(said, quote).take(PLACES_MAX).collect();
    if places.is_empty() {
        return Err("its quote is not in its source");
    }
    if content.is_empty() || content.contains('\0') {
        return Err("its content is no sentence that can be kept");
    }
    let kind = match proposal.kind {
        ProposedKind::Preference => MemoryKind::Preference,
        ProposedKind::Rule => MemoryKind::Rule,
        ProposedKind::Fact => MemoryKind::Fact,
    };
    if kind == MemoryKind::Rule && !proposal.standing {
        return Err("it holds for once: it lives and ends with its task");
    }
    let named = fold(&proposal.subject);
    let named =
        ["用户的", "the user's ", "user's "].iter().find_map(|of| named.trim().strip_prefix(of)).unwrap_or(&named);
    let subject = match named.trim() {
        "" => return Err("it does not say whom it is about"),
        "user" | "用户" | "the user" | "我" | "i" => USER.to_owned(),
        other => subject_of(other),
    };
    if subject.is_empty() || subject != USER && find_whole(&fold(said), &subject).is_none() {
        return Err("whom it is about is not in its source");
    }
    let about = Some(subject.as_str()).filter(|subject| *subject != USER);
    // One place that says it is enough; of none, the first says why.
    // What the rules of statements ask is asked here too: a model was shown others' text as well.
    let mut verdicts = places.iter().map(|quoted| {
        faithful(quoted, content, about, kind == MemoryKind::Fact)?;
        own(quoted, attribution)?;
        if kind == MemoryKind::Rule { lasting(quoted, attribution) } else { Ok(()) }
    });
    let first = verdicts.next().unwrap_or(Ok(()));
    if first.is_err() && !verdicts.any(|verdict| verdict.is_ok()) {
        first?;
    }
    let known = slots::attribute(&proposal.attribute);
    let value = bounded(&essence(content));
    let attribute = match (&known, kind) {
        (Some(attribute), _) if attribute.several => format!("{}: {value}", attribute.name),
        (Some(attribute), _) => attribute.name.clone(),
        (None, MemoryKind::Rule) => {
            let set = sides_set(content);
            if set.is_empty() { format!("rule: {value}") } else { set.join(" + ") }
        }
        (None, _) => essence(&proposal.attribute),
    };
    if attribute.is_empty() || value.is_empty() {
        return Err("it does not say which property it gives");
    }
    // As sure as what is stated only if it is what was stated, beside 用户 for who speaks, as the prompt has it: else a value that rules
    // found would stand against every later one that only a model finds.
    let words = fold(content.trim_end_matches(['。', '.', '！', '!']));
    let bare = ["用户", "the user "].iter().find_map(|who| words.strip_prefix(who)).unwrap_or(&words).trim();
    let stance = if find_whole(&fold(said), bare).is_some() { Stance::States } else { Stance::Suggests };
    Ok(Candidate {
        kind,
        subject,
        attribute: bounded(&attribute),
        applies: if kind == MemoryKind::Rule {
            topic(content).map_or(Applies::User, Applies::TaskKind)
        } else {
            Applies::User
        },
        value,
        content: content.to_owned(),
        importance: proposal.importance,
        imperative: false,
        evidence: Evidence::of(event, stance, Origin::UserStated, quote),
    })
}
