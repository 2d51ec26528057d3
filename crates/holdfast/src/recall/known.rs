//! Long-term memories that bear on a question: rules and preferences because they are in force, the rest because they answer.
//!
//! What is known of a user is hundreds of sentences, not millions: all of it is looked at, each by its words and, where there is
//! one, its vector.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::plan::{Plan, PlannedTerm};
use crate::text::{fold, is_stop_term, term_set};
use crate::types::ids::{MemoryId, Seq};
use crate::types::memory::{Applies, Memory, MemoryKind, MemoryStatus, Origin, Stance, USER};
use crate::types::query::{Filter, Found, Hit, Limits, MemoryNote, Verdict};

/// The share of the question's weight that a memory's words must have, where nothing else speaks for it.
const SHARE_MIN: f32 = 0.2;
/// A meaning this near speaks for itself: the centred cosine under the built-in model of paraphrases of facts, tune halves.
const COSINE_MIN: f32 = 0.35;
/// The share of a prohibition's words that experience must have to rest on what it forbids: the verb may be another.
const UNFIT_SHARE_MIN: f32 = 0.6;
/// SPEC 4.3: the semantic layer weighs .6 in a fused ranking.
const SEMANTIC_WEIGHT: f32 = 0.6;
/// What a rule of this very kind of work has over one for all work: half of all that confidence and importance can make up.
const NARROW_FIRST: f32 = 0.5;
/// Memories that a block may ask about: one question is answered, several are passed over.
const ASKED_AGAIN_MAX: usize = 1;
/// What was inferred stands below what was stated, however sure.
const INFERRED_WEIGHT: f32 = 0.5;

/// A memory at hand, with what comparing needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub memory: Memory,
    terms: BTreeSet<String>,
    /// The terms of what its property is called.
    property: BTreeSet<String>,
    /// Events that say little else: their vectors stand for its meaning.
    pub said_in: Vec<Seq>,
}

impl Known {
    /// `words`: what its property is called, in any language.
    pub fn new(memory: Memory, words: &[&str], said_in: Vec<Seq>) -> Self {
        let aliases: Vec<&str> = memory.aliases.iter().map(String::as_str).collect();
        let (aliases, words) = (aliases.join(" "), words.join(" "));
        let property = term_set(&words);
        let words = format!("{} {} {} {aliases} {words}", memory.content, memory.attribute, memory.subject);
        Self { terms: term_set(&words), property, memory, said_in }
    }
}

/// What is asked of long-term memory, beside the plan.
#[derive(Debug)]
pub struct Asked<'a> {
    pub now: Timestamp,
    pub filter: &'a Filter,
    pub limits: Limits,
    /// The kinds of work that the task in hand and the question name.
    pub topics: &'a BTreeSet<String>,
    pub task: Option<&'a crate::types::scope::TaskId>,
    /// Attributes of rules that the task in hand sets otherwise, with what sets them.
    pub overruled: &'a BTreeMap<String, String>,
    /// What the task in hand forbids or has cancelled, as terms, with what says so: experience that rests on it does not fit (SPEC 4.8).
    pub unfit: &'a [(BTreeSet<String>, String)],
    /// Centred cosines of memories to the question, where there are vectors.
    pub cosines: &'a BTreeMap<MemoryId, f32>,
    /// How sure each is by now, and how much in use: (confidence, activity).
    pub strengths: &'a BTreeMap<MemoryId, (f32, f32)>,
}

/// What is served, best first, and why each was or was not. Rules:
/// - pending, rejected and erased memories are never served; superseded ones only in a history, or as of a time when they held;
/// - rules and preferences are served while in force where they apply, the likelier ones first;
/// - facts, lessons, procedures and inferences only if they answer;
/// - what fades is asked about (SPEC 3.5), last and one at a time: a rule for this kind of work, or what would answer.
pub fn known(plan: &Plan, asked: &Asked<'_>, memories: &[Known]) -> (Vec<Hit>, Vec<MemoryNote>) {
    let total: f32 = plan.terms.iter().map(|term| term.weight).sum::<f32>() + f32::EPSILON;
    let mut scored: Vec<(Scored<'_>, Option<Verdict>)> =
        memories.iter().map(|known| (score(plan, asked, known, total), hidden(plan, asked, known))).collect();
    // Zones first (SPEC 3.7): however near, what was inferred stands below what was stated.
    scored.sort_by(|(a, _), (b, _)| {
        a.zone.cmp(&b.zone).then(b.score.total_cmp(&a.score)).then(b.memory.id.cmp(&a.memory.id))
    });
    let (mut hits, mut notes) = (Vec::new(), Vec::new());
    let (mut rules, mut others, mut questions) = (0, 0, 0);
    let mut contents: BTreeMap<String, MemoryId> = BTreeMap::new();
    for (scored, hidden) in scored {
        let Scored { memory, standing, zone, .. } = scored;
        let (count, limit) = match zone {
            Zone::AskedAgain => (&mut questions, ASKED_AGAIN_MAX),
            _ if standing => (&mut rules, asked.limits.rules),
            _ => (&mut others, asked.limits.memories),
        };
        let matters =
            standing || scored.answers || zone == Zone::AskedAgain && is_standing(memory) && is_narrow(memory);
        let verdict = match hidden {
            Some(hidden) => hidden,
            None if !matters => Verdict::BelowThreshold,
            None if *count >= limit => Verdict::CutByLimit,
            None => match contents.get(&fold(&memory.content)) {
                Some(other) => Verdict::Hidden { reason: format!("{other} says the same") },
                None => {
                    *count += 1;
                    contents.insert(fold(&memory.content), memory.id);
                    hits.push(Hit {
                        found: Found::Memory { memory: Box::new(memory.clone()), standing },
                        score: scored.score,
                    });
                    Verdict::Kept
                }
            },
        };
        // What is neither served nor near the question explains nothing.
        if matters || scored.relevance > 0.0 {
            notes.push(MemoryNote {
                id: memory.id,
                content: memory.content.clone(),
                parts: scored.parts,
                score: scored.score,
                verdict,
            });
        }
    }
    (hits, notes)
}

/// How a memory is put, in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    Stated,
    Inferred,
    AskedAgain,
}

struct Scored<'a> {
    memory: &'a Memory,
    zone: Zone,
    standing: bool,
    answers: bool,
    relevance: f32,
    parts: Vec<(String, f32)>,
    score: f32,
}

fn score<'a>(plan: &Plan, asked: &Asked<'_>, known: &'a Known, total: f32) -> Scored<'a> {
    let memory = &known.memory;
    let matched = plan.terms.iter().filter(|term| known.terms.contains(&term.text));
    // 住 is in too many texts to find one by; of a home it is the name.
    let finds = |term: &PlannedTerm| term.finds && !is_stop_term(&term.text) || known.property.contains(&term.text);
    let found = matched.clone().any(finds);
    let share = matched.map(|term| term.weight).sum::<f32>() / total;
    let cosine = asked.cosines.get(&memory.id).copied().unwrap_or(0.0).max(0.0);
    let relevance = share.max(cosine);
    let (confidence, activity) = asked.strengths.get(&memory.id).copied().unwrap_or((memory.confidence, 1.0));
    let importance = f32::from(memory.importance.clamp(1, 5)) / 5.0;
    let inferred = memory.kind == MemoryKind::Inference || memory.origin == Origin::AgentInferred;
    let zone = match memory.status {
        // As of a time, what fades today held then.
        MemoryStatus::Fading if !asked.filter.is_as_of() => Zone::AskedAgain,
        _ if inferred => Zone::Inferred,
        _ => Zone::Stated,
    };
    let worth = confidence * activity * importance * if inferred { INFERRED_WEIGHT } else { 1.0 };
    let standing = is_standing(memory) && memory.status == MemoryStatus::Active;
    // A rule of this very kind of work comes before one for all work.
    let narrow = if standing && is_narrow(memory) { NARROW_FIRST } else { 0.0 };
    let score = SEMANTIC_WEIGHT * (worth + narrow) + (1.0 - SEMANTIC_WEIGHT) * relevance;
    let parts = [("confidence", confidence), ("activity", activity), ("importance", importance), ("words", share)];
    let mut parts: Vec<(String, f32)> = parts.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
    if cosine > 0.0 {
        parts.push(("meaning".to_owned(), cosine));
    }
    Scored {
        memory,
        zone,
        standing,
        answers: found && share >= SHARE_MIN || cosine >= COSINE_MIN,
        relevance,
        parts,
        score,
    }
}

/// Ended by a denial of the user's, who may well have been right before: not by a rejection.
fn was_denied(memory: &Memory) -> bool {
    memory.sources.iter().any(|source| source.stance == Stance::Denies)
        && memory.sources.iter().all(|source| source.stance != Stance::Rejects)
}

/// In force whatever is asked: what the user wants, not what somebody near them likes.
pub fn is_standing(memory: &Memory) -> bool {
    matches!(memory.kind, MemoryKind::Rule | MemoryKind::Preference) && memory.subject == USER
}

fn is_narrow(memory: &Memory) -> bool {
    matches!(memory.applies, Applies::TaskKind(_) | Applies::Task(_))
}

fn hidden(plan: &Plan, asked: &Asked<'_>, known: &Known) -> Option<Verdict> {
    let memory = &known.memory;
    let hide = |reason: &str| Some(Verdict::Hidden { reason: reason.to_owned() });
    let filter = asked.filter;
    let as_of = filter.is_as_of();
    match memory.status {
        MemoryStatus::Pending => return hide("it is pending: nobody who may say so has confirmed it"),
        MemoryStatus::Erased => return hide("it was erased"),
        // Somebody's word against it is not only of today.
        MemoryStatus::Retracted if !(as_of && was_denied(memory)) => return hide("it was taken back"),
        _ if memory.valid_to.as_ref().is_some_and(|to| to.timestamp() <= memory.valid_from.timestamp()) => {
            return hide("it held at no time");
        }
        MemoryStatus::Active => {}
        // Whether it held then is asked below.
        _ if as_of => {}
        MemoryStatus::Superseded if plan.history => {}
        MemoryStatus::Fading if !memory.uses.keeps_hurting() => {}
        status => {
            let reason = memory.reason.as_deref().unwrap_or("it is not in force");
            return hide(&format!("{status}: {reason}"));
        }
    }
    if as_of && !memory.held(filter.until.unwrap_or(asked.now), filter.known_at) {
        return hide("it did not hold then");
    }
    let applies = match &memory.applies {
        Applies::Everywhere | Applies::User => true,
        Applies::TaskKind(kind) => asked.topics.contains(kind),
        Applies::Task(task) => asked.task == Some(task),
    };
    if !applies {
        return hide("it applies to other work");
    }
    if let Some(by) = asked.overruled.get(&memory.attribute)
        && memory.kind == MemoryKind::Rule
    {
        return Some(Verdict::Overruled { by: by.clone() });
    }
    let experience = matches!(memory.kind, MemoryKind::Lesson | MemoryKind::Procedure | MemoryKind::Inference);
    let rests_on = |terms: &BTreeSet<String>| {
        let shared = terms.intersection(&known.terms).count();
        shared > 0 && shared as f32 >= UNFIT_SHARE_MIN * terms.len() as f32
    };
    if let Some((_, by)) = asked.unfit.iter().find(|(terms, _)| experience && rests_on(terms)) {
        return Some(Verdict::Overruled { by: by.clone() });
    }
    if memory.uses.keeps_hurting() {
        return hide("it has hurt more than it helped");
    }
    None
}
