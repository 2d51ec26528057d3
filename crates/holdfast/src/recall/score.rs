//! How well each candidate answers: words, meaning, time, who said it, and its neighbours.
//!
//! ```text
//! S = 1.8 L + D + .15 T − .5 (said by the agent) + .2 (instructs) + .2 (prefers, and the question asks for help)
//!     + .1 of the neighbours' S
//! ```
//! L is BM25 (Robertson and Zaragoza 2009; k1 1.2, b .75) of the best passage over what the question's eight heaviest terms could
//! give at most, so it is about 0..1 at any size of store; D the centred cosine; T the rarity of the time the question names.
//! Constants were tuned on one half of eight public sets and are reported on the other (docs/BENCHMARKS.md).

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::plan::{Plan, Window};
use crate::store::Traits;
use crate::types::event::Source;
use crate::types::ids::Seq;

/// From 1.5 to 2 the figures of all tune halves are within a question or two of each other, below they fall.
const LEXICAL_WEIGHT: f32 = 1.8;
/// The relevance thresholds were measured with this one.
const LEXICAL_WEIGHT_IN_RELEVANCE: f32 = 1.5;
const TIME_WEIGHT: f32 = 0.15;
/// An agent's long answers repeat the user's words without being what the user said.
const AGENT_PENALTY: f32 = 0.5;
/// In an overview the agent's own summaries count for more.
const AGENT_PENALTY_IN_SUMMARY: f32 = 0.6;
const INSTRUCTS_BONUS: f32 = 0.2;
const PREFERS_BONUS: f32 = 0.2;

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Terms that the most a question could score is taken from: it bounds dialogues of hundreds of words.
const HEAVIEST_TERMS: usize = 8;

/// Candidates whose neighbours are looked at.
const NEIGHBOURHOOD_MAX: usize = 300;
const NEIGHBOUR_WEIGHT: f32 = 0.1;
/// Neighbours that count for one candidate.
const NEIGHBOURS_MAX: usize = 4;
/// Minutes after which nearness in time falls to 1/e.
const NEAR_MINUTES: f32 = 180.0;
/// Nearness of what stands next in the log, by position.
const NEXT_FALLOFF: f32 = 0.7;
/// Nearness of anything else of the same session and day.
const SAME_DAY: f32 = 0.3;

/// What the store found out about the question's terms, times and candidates.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Rows that hold each of the plan's terms, in its order.
    pub term_rows: Vec<u64>,
    pub total_rows: u64,
    /// Centred cosines; empty when there is no model.
    pub cosines: BTreeMap<Seq, f32>,
    /// Whether cosines were to be had at all.
    pub dense: bool,
    /// Events in each of the plan's windows.
    pub window_rows: Vec<u64>,
    pub candidates: Vec<Traits>,
}

/// A candidate with its score and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub seq: Seq,
    pub score: f32,
    /// Of L and D: what the relevance threshold looks at.
    pub relevance: f32,
    /// The share of the question's weight that the candidate has, 0..1.
    pub coverage: f32,
    /// Whether a term that can find something by itself is in it.
    pub found: bool,
    /// Which of the plan's terms are in it, by place.
    pub seen: Vec<bool>,
    pub parts: Vec<(&'static str, f32)>,
}

/// Scores all candidates, best first.
pub fn score(plan: &Plan, evidence: &Evidence) -> Vec<Scored> {
    let lexical = Lexical::new(plan, evidence);
    let mut scored: Vec<Scored> = evidence
        .candidates
        .iter()
        .map(|candidate| {
            let words = lexical.of(&candidate.terms);
            let cosine = evidence.cosines.get(&candidate.seq).copied().unwrap_or(0.0);
            let mut parts = vec![("words", LEXICAL_WEIGHT * words.share), ("meaning", cosine)];
            let relevance = LEXICAL_WEIGHT_IN_RELEVANCE * words.share + cosine;
            let time = time(plan, evidence, candidate);
            if time > 0.0 {
                parts.push(("time", TIME_WEIGHT * time));
            }
            if candidate.source == Source::Agent && !plan.asks_agent {
                let penalty = if plan.summary { AGENT_PENALTY * AGENT_PENALTY_IN_SUMMARY } else { AGENT_PENALTY };
                parts.push(("said by the agent", -penalty));
            }
            if candidate.manner.instructs {
                parts.push(("meant to last", INSTRUCTS_BONUS));
            }
            if candidate.manner.prefers && plan.request {
                parts.push(("a preference", PREFERS_BONUS));
            }
            let score = parts.iter().map(|(_, part)| part).sum();
            Scored {
                seq: candidate.seq,
                score,
                relevance,
                coverage: words.coverage,
                found: words.found,
                seen: words.seen,
                parts,
            }
        })
        .collect();
    sort(&mut scored);
    add_neighbours(&mut scored, &evidence.candidates);
    sort(&mut scored);
    scored
}

/// Best first; between equals the newer.
fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
}

/// Far more than a question has terms.
const SLOTS: usize = 1 << 12;

struct Lexical<'a> {
    /// Place of each term in `weights`.
    places: BTreeMap<&'a [u8], usize>,
    /// Which terms can be one of them: most of a text's terms are none, and this tells without looking them up.
    possible: Vec<bool>,
    /// Weight times rarity of each term.
    weights: Vec<f32>,
    finds: Vec<bool>,
    /// The most that could be reached.
    potential: f32,
    total: f32,
    mean_length: f32,
}

struct Matched {
    share: f32,
    coverage: f32,
    found: bool,
    seen: Vec<bool>,
}

impl<'a> Lexical<'a> {
    fn new(plan: &'a Plan, evidence: &Evidence) -> Self {
        let weights = term_weights(plan, evidence);
        let mut heaviest = weights.clone();
        heaviest.sort_by(|a, b| b.total_cmp(a));
        let potential = (K1 + 1.0) * heaviest.iter().take(HEAVIEST_TERMS).sum::<f32>() + f32::EPSILON;
        let lines = evidence.candidates.iter().flat_map(|candidate| candidate.terms.lines());
        let (count, length) = lines.fold((0_usize, 0_usize), |(count, length), line| {
            (count + 1, length + 1 + line.bytes().filter(|b| *b == b' ').count())
        });
        let mut possible = vec![false; SLOTS];
        for term in &plan.terms {
            possible[slot(term.text.as_bytes())] = true;
        }
        Self {
            possible,
            places: plan.terms.iter().enumerate().map(|(place, term)| (term.text.as_bytes(), place)).collect(),
            total: weights.iter().sum::<f32>() + f32::EPSILON,
            finds: plan.terms.iter().map(|term| term.finds).collect(),
            weights,
            potential,
            mean_length: length.max(1) as f32 / count.max(1) as f32,
        }
    }

    /// The best passage's BM25 over the most there could be.
    fn of(&self, terms: &str) -> Matched {
        let mut best = 0.0_f32;
        let mut seen = vec![false; self.weights.len()];
        let mut counts = vec![0.0_f32; self.weights.len()];
        let mut touched = Vec::new();
        // What parts terms is ASCII, so bytes do, and cost half as much as characters.
        for line in terms.as_bytes().split(|byte| *byte == b'\n') {
            let mut length = 0.0;
            for term in line.split(|byte| *byte == b' ') {
                length += 1.0;
                if self.possible[slot(term)]
                    && let Some(&place) = self.places.get(term)
                {
                    if counts[place] == 0.0 {
                        touched.push(place);
                    }
                    counts[place] += 1.0;
                }
            }
            let norm = K1 * (1.0 - B + B * length / self.mean_length);
            let mut sum = 0.0;
            for place in touched.drain(..) {
                let count = std::mem::take(&mut counts[place]);
                sum += self.weights[place] * count * (K1 + 1.0) / (count + norm);
                seen[place] = true;
            }
            best = best.max(sum);
        }
        let covered: f32 = seen.iter().zip(&self.weights).filter(|(seen, _)| **seen).map(|(_, w)| w).sum();
        Matched {
            share: best / self.potential,
            coverage: covered / self.total,
            found: seen.iter().zip(&self.finds).any(|(seen, finds)| *seen && *finds),
            seen,
        }
    }
}

/// A number for a term, by its length, its beginning and its end.
fn slot(term: &[u8]) -> usize {
    let byte = |at: usize| usize::from(term.get(at).copied().unwrap_or(0));
    let last = term.last().map_or(0, |byte| usize::from(*byte));
    (byte(0) ^ byte(1) << 3 ^ byte(2) << 5 ^ last << 7 ^ byte(4) << 2 ^ term.len() << 9) % SLOTS
}

/// A handful of texts tells nothing of how common a word is: in two notes about one thing its name is no stop word.
const ROWS_MIN: u64 = 100;

/// What each of the plan's terms counts: its weight in the question times its rarity in the store.
pub(super) fn term_weights(plan: &Plan, evidence: &Evidence) -> Vec<f32> {
    let rows = evidence.term_rows.iter().copied().chain(std::iter::repeat(0));
    plan.terms.iter().zip(rows).map(|(term, rows)| term.weight * rarity(rows, evidence.total_rows)).collect()
}

/// Inverse document frequency as in BM25, never negative.
fn rarity(rows: u64, total: u64) -> f32 {
    let (rows, total) = (rows as f32, total.max(rows).max(ROWS_MIN) as f32);
    (1.0 + (total - rows + 0.5) / (rows + 0.5)).ln()
}

/// A date is a term: its rarity is that of the events in it, and nearby days have their share of it.
fn time(plan: &Plan, evidence: &Evidence, candidate: &Traits) -> f32 {
    let of_window = |(window, rows): (&Window, &u64)| {
        let days = days_outside(window, candidate);
        if days > 0.0 && window.future {
            return 0.0;
        }
        let rarity = ((evidence.total_rows as f32 + 1.0) / (*rows as f32 + 1.0)).ln().max(0.0);
        rarity * (-days / window.scale_days).exp()
    };
    plan.windows.iter().zip(&evidence.window_rows).map(of_window).fold(0.0, f32::max)
}

/// From the window to the nearest of the event's own day and the days it names.
fn days_outside(window: &Window, candidate: &Traits) -> f32 {
    let (first, last) = window.days();
    let (first, last) = (day_number(first), day_number(last));
    let own = day_number(candidate.local_time.date());
    let outside = |from: i32, to: i32| (first - to).max(from - last).max(0);
    let named = candidate.mentioned_days.iter().map(|days| outside(days.start, days.end - 1));
    named.chain([outside(own, own)]).min().unwrap_or(0) as f32
}

fn day_number(date: Date) -> i32 {
    let epoch = Date::constant(1970, 1, 1);
    i32::try_from(date.duration_since(epoch).as_hours() / 24).unwrap_or(i32::MAX)
}

/// What stands near a good candidate in its session and day is part of the same matter.
fn add_neighbours(scored: &mut [Scored], candidates: &[Traits]) {
    let traits: BTreeMap<Seq, &Traits> = candidates.iter().map(|candidate| (candidate.seq, candidate)).collect();
    let near = scored.len().min(NEIGHBOURHOOD_MAX);
    if near <= NEIGHBOURS_MAX {
        return;
    }
    let traits: Vec<Option<&Traits>> =
        scored.iter().take(near).map(|candidate| traits.get(&candidate.seq).copied()).collect();
    let mut groups: BTreeMap<(&str, Date), Vec<usize>> = BTreeMap::new();
    for (place, traits) in traits.iter().enumerate() {
        let Some(traits) = traits else { continue };
        groups.entry((traits.session.as_str(), traits.local_time.date())).or_default().push(place);
    }
    let mut added = vec![0.0_f32; near];
    for places in groups.values().filter(|places| places.len() > 1) {
        for &place in places {
            // The largest few, falling. Others come best first and count for their score at most, so most are never looked at.
            let mut shares = [0.0_f32; NEIGHBOURS_MAX];
            for &other in places.iter().filter(|&&other| other != place) {
                let score = scored[other].score;
                if score <= shares[NEIGHBOURS_MAX - 1] {
                    break;
                }
                let (Some(a), Some(b)) = (traits[place], traits[other]) else { continue };
                let share = nearness(a, b) * score;
                if share > shares[NEIGHBOURS_MAX - 1] {
                    shares[NEIGHBOURS_MAX - 1] = share;
                    shares.sort_by(|a, b| b.total_cmp(a));
                }
            }
            added[place] = NEIGHBOUR_WEIGHT * shares.iter().sum::<f32>();
        }
    }
    for (candidate, added) in scored.iter_mut().zip(added).filter(|(_, added)| *added > 0.0) {
        candidate.score += added;
        candidate.parts.push(("neighbours", added));
    }
}

fn nearness(a: &Traits, b: &Traits) -> f32 {
    let minutes = a.local_time.duration_since(b.local_time).as_secs().unsigned_abs() as f32 / 60.0;
    let apart = (a.seq.0 - b.seq.0).unsigned_abs();
    let in_time = (-minutes / NEAR_MINUTES).exp();
    let in_log = if apart <= 2 { NEXT_FALLOFF.powi(apart as i32 - 1) } else { 0.0 };
    in_time.max(in_log).max(SAME_DAY)
}
