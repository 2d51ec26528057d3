//! What a candidate is worth keeping for, from 0 to 1, in four parts (SPEC 6.2). Plain values in, plain values out.
//!
//! - timeliness: `½ ^ ((hours / half-life + turns / half-life) / 2)`. Exponential decay of recency as in Generative Agents (Park et al. 2023,
//!   arXiv:2304.03442, §4.1: 0.995 per hour); the exponent is the mean of the two clocks, so that a weekend without a turn ages a matter
//!   half as fast as a weekend of work.
//! - references: `ln(1 + n) / ln(1 + N)`, at most 1. Each further reference says less than the one before, as term counts do in ranking (Salton
//!   and Buckley 1988: 1 + ln tf). What an unfinished step, an open decision or an artifact rests on counts as fully referenced.
//! - credibility: by who said it, halved for what is untrusted.
//! - relevance to the goal: the caller's, from recall.

use jiff::SignedDuration;

use super::policy::Policy;
use crate::types::event::{Kind, Source, Trust};
use crate::types::ids::{EventId, Seq};
use crate::types::memory::MemoryKind;

/// So many references say all that references can say.
const REFERENCES_FULL: u32 = 8;

/// An event as the manager judges it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub seq: Seq,
    pub id: EventId,
    pub source: Source,
    pub kind: Kind,
    pub trust: Trust,
    pub tokens: usize,
    /// Since it happened. Negative, for what is dated ahead: it is new.
    pub age: SignedDuration,
    /// Turns of the talk since.
    pub turns: u32,
    /// The stage it belongs to has ended; what belongs to none is judged by its task.
    pub stage_closed: bool,
    /// How often it was served, quoted or linked to.
    pub references: u32,
    pub cited_by_unfinished_step: bool,
    pub cited_by_open_decision: bool,
    /// An artifact came of it that is still valid.
    pub produced_artifact: bool,
    /// To the goal, 0 to 1.
    pub relevance: f64,
    pub is_summary: bool,
    pub is_decision: bool,
    /// It names somebody or something by its name, a day or a number.
    pub bears_facts: bool,
    /// A memory, or something in a task, was drawn from it: out of view, it would take that along.
    pub drawn_from: bool,
    pub archived: bool,
    /// The kind of memory it states, if it does.
    pub states: Option<MemoryKind>,
    /// The user stated it as standing, and more than once.
    pub standing_repeated: bool,
    /// The conclusion of a task that succeeded.
    pub concludes_success: bool,
}

/// The parts of a score and their weighted sum, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Score {
    pub timeliness: f64,
    pub references: f64,
    pub credibility: f64,
    pub relevance: f64,
    pub total: f64,
}

/// A candidate's score under a policy.
pub fn score(candidate: &Candidate, policy: &Policy) -> Score {
    let timeliness = timeliness(candidate.age, candidate.turns, policy);
    let references = references(candidate);
    let credibility = credibility(candidate.source, candidate.trust);
    // What is no number says nothing for keeping.
    let relevance = if candidate.relevance.is_nan() { 0.0 } else { candidate.relevance.clamp(0.0, 1.0) };
    let weights = &policy.weights;
    let total = weights.timeliness * timeliness
        + weights.references * references
        + weights.credibility * credibility
        + weights.relevance * relevance;
    Score { timeliness, references, credibility, relevance, total: total.clamp(0.0, 1.0) }
}

fn timeliness(age: SignedDuration, turns: u32, policy: &Policy) -> f64 {
    let hours = (age.as_secs_f64() / 3600.0).max(0.0);
    let half_lives = (hours / policy.half_life.hours + f64::from(turns) / policy.half_life.turns) / 2.0;
    0.5f64.powf(half_lives)
}

fn references(candidate: &Candidate) -> f64 {
    if candidate.cited_by_unfinished_step || candidate.cited_by_open_decision || candidate.produced_artifact {
        return 1.0;
    }
    (f64::from(candidate.references).ln_1p() / f64::from(REFERENCES_FULL).ln_1p()).min(1.0)
}

/// The user knows best what the user wants; a tool measures; the system reports; an agent may be wrong about all of it.
fn credibility(source: Source, trust: Trust) -> f64 {
    let of_source = match source {
        Source::User => 1.0,
        Source::Tool => 0.8,
        Source::System => 0.7,
        Source::Agent => 0.6,
    };
    match trust {
        Trust::Trusted => of_source,
        Trust::Untrusted => of_source / 2.0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A trusted line of the user, just said, in an open stage, that nothing is known of.
    pub(in crate::manager) fn plain() -> Candidate {
        Candidate {
            seq: Seq(1),
            id: EventId(uuid::Uuid::nil()),
            source: Source::User,
            kind: Kind::Query,
            trust: Trust::Trusted,
            tokens: 100,
            age: SignedDuration::ZERO,
            turns: 0,
            stage_closed: true,
            references: 0,
            cited_by_unfinished_step: false,
            cited_by_open_decision: false,
            produced_artifact: false,
            relevance: 0.0,
            is_summary: false,
            is_decision: false,
            bears_facts: false,
            drawn_from: false,
            archived: false,
            states: None,
            standing_repeated: false,
            concludes_success: false,
        }
    }

    fn support() -> Policy {
        Policy::preset("support").unwrap()
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn a_half_life_halves() {
        let at = |hours: i64, turns: u32| {
            let candidate = Candidate { age: SignedDuration::from_hours(hours), turns, ..plain() };
            score(&candidate, &support()).timeliness
        };
        // The half-lives of support are 8 hours and 10 turns.
        near(at(0, 0), 1.0);
        near(at(8, 10), 0.5);
        near(at(16, 0), 0.5);
        near(at(0, 20), 0.5);
        near(at(16, 20), 0.25);
        // Dated ahead is new, no more.
        near(at(-5, 0), 1.0);
        assert!(at(i64::MAX / 4000, u32::MAX) >= 0.0);
    }

    #[test]
    fn references_count_less_and_less() {
        let at = |references: u32| score(&Candidate { references, ..plain() }, &support()).references;
        near(at(0), 0.0);
        near(at(8), 1.0);
        near(at(u32::MAX), 1.0);
        assert!(at(1) > 0.3 && at(2) - at(1) < at(1) && at(3) - at(2) < at(2) - at(1));
        let cited = Candidate { cited_by_unfinished_step: true, ..plain() };
        near(score(&cited, &support()).references, 1.0);
    }

    #[test]
    fn the_users_word_weighs_most_and_untrusted_text_half() {
        let of = |source, trust| score(&Candidate { source, trust, ..plain() }, &support()).credibility;
        near(of(Source::User, Trust::Trusted), 1.0);
        assert!(of(Source::User, Trust::Trusted) > of(Source::Tool, Trust::Trusted));
        assert!(of(Source::Tool, Trust::Trusted) > of(Source::Agent, Trust::Trusted));
        near(of(Source::Tool, Trust::Untrusted), 0.4);
    }

    #[test]
    fn what_is_no_relevance_is_none() {
        for (given, expected) in [(f64::NAN, 0.0), (f64::INFINITY, 1.0), (-3.0, 0.0), (0.5, 0.5)] {
            near(score(&Candidate { relevance: given, ..plain() }, &support()).relevance, expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn all_parts_are_from_0_to_1(hours in -1000i64..100_000, turns: u32, references: u32, relevance: f64) {
            let candidate = Candidate { age: SignedDuration::from_hours(hours), turns, references, relevance, ..plain() };
            for name in Policy::preset_names() {
                let score = score(&candidate, &Policy::preset(name).unwrap());
                for part in [score.timeliness, score.references, score.credibility, score.relevance, score.total] {
                    proptest::prop_assert!((0.0..=1.0).contains(&part), "{score:?}");
                }
            }
        }
    }
}
