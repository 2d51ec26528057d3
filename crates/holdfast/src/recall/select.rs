//! From scores to what is served: the newest of a slot, the relevance threshold, the limits; and for each candidate the reason.

use std::collections::{BTreeMap, BTreeSet};

use super::excerpt::excerpt;
use super::plan::Plan;
use super::score::{Evidence, Scored, term_weights};
use super::slots::{COMPARED_MAX, Statement, newest_first};
use crate::text::indexed;
use crate::types::event::{Source, StoredEvent};
use crate::types::ids::{EventId, Seq};
use crate::types::query::{CandidateNote, Explain, Found, Hit, TermNote, Verdict};

/// Below this the best candidate is about something else, and nothing is served. Measured with the built-in model: it keeps .99 of
/// the questions that have an answer and turns away .65 of those about another store (AUROC .98; docs/BENCHMARKS.md).
const RELEVANCE_MIN: f32 = 0.35;
/// The same for a question with turns before it, whose words are spread over more matters.
const RELEVANCE_MIN_IN_DIALOGUE: f32 = 0.25;
/// Without a model: the share of the question's weight that the best candidate must have.
const COVERAGE_MIN: f32 = 0.12;
/// A candidate this far below the best is not served to fill up a limit (SPEC 4.9).
const BESIDE_BEST: f32 = 0.2;
/// Without a word of the question, a candidate must be this near in meaning. At .30 standing instructions and paraphrases were lost.
const MEANING_ALONE_MIN: f32 = 0.15;

/// A candidate in its final place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub scored: Scored,
    /// A newer statement of the same slot.
    pub replaced_by: Option<Seq>,
}

/// What became of each candidate, in the order of the ranking.
pub type Verdicts = Vec<(Seq, Verdict)>;

/// Puts the newest of each slot first. `events` are those that `compared` named.
pub fn rank(plan: &Plan, evidence: &Evidence, scored: Vec<Scored>, events: &BTreeMap<Seq, StoredEvent>) -> Vec<Ranked> {
    let statements: Vec<Statement<'_>> =
        events.values().map(|event| Statement { seq: event.seq, content: &event.event.content }).collect();
    let order = scored.iter().take(COMPARED_MAX).map(|candidate| candidate.seq).collect();
    let (order, replaced_by) = newest_first(plan, &term_weights(plan, evidence), order, &statements);
    let rest = scored.iter().skip(COMPARED_MAX).map(|candidate| candidate.seq);
    let order: Vec<Seq> = order.into_iter().chain(rest).collect();
    let mut by_seq: BTreeMap<Seq, Scored> = scored.into_iter().map(|candidate| (candidate.seq, candidate)).collect();
    order
        .into_iter()
        .filter_map(|seq| by_seq.remove(&seq))
        .map(|scored| Ranked { replaced_by: replaced_by.get(&scored.seq).copied(), scored })
        .collect()
}

/// What is served, and what became of every candidate. `load` gives the event at a position.
pub fn select<E>(
    plan: &Plan,
    evidence: &Evidence,
    ranked: &[Ranked],
    limit: usize,
    mut load: impl FnMut(Seq) -> Result<Option<StoredEvent>, E>,
) -> Result<(Vec<Hit>, Verdicts), E> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut verdicts = Vec::with_capacity(ranked.len());
    let mut texts: BTreeMap<&str, Seq> = BTreeMap::new();
    let terms: BTreeMap<Seq, &str> = evidence.candidates.iter().map(|c| (c.seq, c.terms.as_str())).collect();
    let turns: Vec<String> = plan.turns.iter().map(|(turn, _)| indexed(turn)).collect();
    let turns: Vec<BTreeSet<&str>> = turns.iter().map(|turn| turn.split_whitespace().collect()).collect();
    let mut asked_before = BTreeSet::new();
    for Ranked { scored: Scored { seq, .. }, .. } in ranked {
        // By its words first: few are looked at.
        if terms.get(seq).is_some_and(|terms| turns.iter().any(|turn| is_worded_so(terms, turn)))
            && load(*seq)?.is_some_and(|event| is_question(&event))
        {
            asked_before.insert(*seq);
        }
    }
    // What the question is measured by is what answers it, and not the question itself.
    let rest = || ranked.iter().filter(|r| !asked_before.contains(&r.scored.seq));
    let best = rest().map(|r| r.scored.score).fold(0.0, f32::max);
    let relevant = is_answerable(plan, evidence, rest());
    for candidate in ranked {
        let Scored { seq, score, .. } = candidate.scored;
        let verdict = if asked_before.contains(&seq) {
            Verdict::Hidden { reason: "it is the question, asked before".to_owned() }
        } else if !relevant || score < BESIDE_BEST * best || !finds(&candidate.scored, evidence) {
            Verdict::BelowThreshold
        } else if hits.len() >= limit {
            Verdict::CutByLimit
        } else if let Some(&other) = terms.get(&seq).and_then(|text| texts.get(text)) {
            Verdict::Repeats { other }
        } else {
            match load(seq)? {
                None => Verdict::Hidden { reason: "it is no longer there".to_owned() },
                Some(event) => {
                    let excerpt = excerpt(&event, plan);
                    if excerpt.is_empty() {
                        Verdict::Hidden { reason: "what it says was overturned".to_owned() }
                    } else {
                        texts.extend(terms.get(&seq).map(|text| (*text, seq)));
                        let replaced_by = candidate.replaced_by;
                        hits.push(Hit { found: Found::Event { event: Box::new(event), excerpt, replaced_by }, score });
                        Verdict::Kept
                    }
                }
            }
        };
        verdicts.push((seq, verdict));
    }
    Ok((hits, verdicts))
}

/// The user's own question, asked before, answers nothing.
fn is_question(event: &StoredEvent) -> bool {
    event.event.source == Source::User && event.event.content.trim().ends_with(['?', '？', '吗', '呢'])
}

/// Whether a candidate has nearly the words of a question.
fn is_worded_so(terms: &str, question: &BTreeSet<&str>) -> bool {
    if terms.len() > TERMS_BYTES_MAX {
        return false;
    }
    let is_same =
        |shared: usize, others: usize| shared > 0 && shared * 100 >= (question.len() + others) * SAME_QUESTION_PERCENT;
    let (mut shared, mut others) = (BTreeSet::new(), BTreeSet::new());
    for word in terms.split_whitespace() {
        if question.contains(word) {
            shared.insert(word);
        } else if others.insert(word) && !is_same(question.len(), others.len()) {
            // Most have so many other words soon that nothing further on can make up for them.
            return false;
        }
    }
    is_same(shared.len(), others.len())
}

/// The terms of a longer text are no question.
const TERMS_BYTES_MAX: usize = 1024;
/// The share of their words that two questions have in common when they are one.
const SAME_QUESTION_PERCENT: usize = 80;

/// Whether the best candidate is about the question at all.
fn is_answerable<'r>(plan: &Plan, evidence: &Evidence, mut ranked: impl Iterator<Item = &'r Ranked>) -> bool {
    if !evidence.dense {
        return ranked.any(|r| r.scored.coverage >= COVERAGE_MIN);
    }
    let least = if plan.turns.len() > 1 { RELEVANCE_MIN_IN_DIALOGUE } else { RELEVANCE_MIN };
    ranked.any(|r| r.scored.relevance >= least)
}

/// A word that can find something, or a meaning near enough: the parts of an absent word find nothing.
fn finds(scored: &Scored, evidence: &Evidence) -> bool {
    let cosine = evidence.cosines.get(&scored.seq).copied().unwrap_or(0.0);
    scored.found || cosine >= MEANING_ALONE_MIN
}

/// Writes down why each candidate was served or not.
pub fn explain(
    plan: &Plan,
    evidence: &Evidence,
    lexical: &[(Seq, f32)],
    ranked: &[Ranked],
    verdicts: &[(Seq, Verdict)],
) -> Explain {
    let ids: BTreeMap<Seq, EventId> = evidence.candidates.iter().map(|c| (c.seq, c.id)).collect();
    let mut by_cosine: Vec<(Seq, f32)> = evidence.cosines.iter().map(|(seq, cosine)| (*seq, *cosine)).collect();
    by_cosine.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let rank_in = |list: &[(Seq, f32)], seq: Seq| {
        list.iter().position(|(other, _)| *other == seq).map(|place| (place as u32 + 1, list[place].1))
    };
    let verdicts: BTreeMap<Seq, &Verdict> = verdicts.iter().map(|(seq, verdict)| (*seq, verdict)).collect();
    let note = |ranked: &Ranked| {
        let scored = &ranked.scored;
        let lexical = rank_in(lexical, scored.seq);
        let dense = rank_in(&by_cosine, scored.seq);
        let mut parts: Vec<(String, f32)> =
            scored.parts.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
        if let Some(newer) = ranked.replaced_by {
            parts.push((format!("below the newer {newer}"), 0.0));
        }
        Some(CandidateNote {
            seq: scored.seq,
            id: *ids.get(&scored.seq)?,
            lexical_rank: lexical.map(|(rank, _)| rank),
            lexical_score: lexical.map(|(_, score)| score),
            dense_rank: dense.map(|(rank, _)| rank),
            dense_score: dense.map(|(_, score)| score),
            parts,
            score: scored.score,
            verdict: verdicts.get(&scored.seq).map_or(Verdict::CutByLimit, |verdict| (*verdict).clone()),
        })
    };
    let term = |(place, term): (usize, &super::plan::PlannedTerm)| TermNote {
        term: term.text.clone(),
        rows: evidence.term_rows.get(place).copied().unwrap_or(0),
        used: term.finds,
    };
    let times: Vec<String> = plan.windows.iter().map(|w| format!("{}: {} until {}", w.text, w.start, w.end)).collect();
    Explain {
        route_reason: plan.route_reason.to_owned(),
        filters: Vec::new(),
        terms: plan.terms.iter().enumerate().map(term).collect(),
        time: (!times.is_empty()).then(|| times.join("; ")),
        candidates: ranked.iter().filter_map(note).collect(),
        memories: Vec::new(),
        notes: if plan.cut { vec!["the question was longer than is looked at".to_owned()] } else { Vec::new() },
    }
}
