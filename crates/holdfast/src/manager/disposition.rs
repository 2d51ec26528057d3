//! One decision for each candidate (SPEC 6.3, 6.5): the candidate, its score, the policy and the pressure in; what is to be done with it, and why,
//! out. The order of the rules below is the order of their rank.

use super::policy::Policy;
use super::score::{Candidate, Score};
use crate::types::event::{Source, Trust};
use crate::types::ids::{EventId, Seq};

/// A shorter text is not compressed: a summary of it would be itself.
const COMPRESSED_TOKENS_MIN: usize = 60;

/// What is done with a candidate, from the mildest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// Kept, and made a memory.
    Promote,
    Keep,
    /// A checked summary stands for it.
    Compress,
    /// Its body moves to cold storage.
    Archive,
    /// Goes on probation, and is removed if nothing calls it back.
    Discard,
}

/// Whether there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressure {
    None,
    /// Working memory is over its budget: an open stage is no longer spared.
    OverBudget,
}

/// A decision, with what it was taken by.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub seq: Seq,
    pub id: EventId,
    pub disposition: Disposition,
    pub score: Score,
    /// A sentence for the report.
    pub reason: String,
}

impl Disposition {
    /// The word used in the journal and the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Keep => "keep",
            Self::Compress => "compress",
            Self::Archive => "archive",
            Self::Discard => "discard",
        }
    }
}

impl std::fmt::Display for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What to do with a candidate.
pub fn decide(candidate: &Candidate, score: Score, policy: &Policy, pressure: Pressure) -> Decision {
    let (disposition, why) = judged(candidate, score.total, policy, pressure);
    let Score { timeliness, references, credibility, relevance, total } = score;
    let reason = format!(
        "{why}; score {total:.2} (timeliness {timeliness:.2}, references {references:.2}, credibility {credibility:.2}, relevance {relevance:.2})"
    );
    Decision { seq: candidate.seq, id: candidate.id, disposition, score, reason }
}

fn judged(candidate: &Candidate, total: f64, policy: &Policy, pressure: Pressure) -> (Disposition, String) {
    use Disposition::{Archive, Compress, Discard, Keep, Promote};
    let said = |disposition: Disposition, why: &str| (disposition, why.to_owned());
    // 1. What something open rests on stays, over budget too.
    if candidate.cited_by_unfinished_step {
        return said(Keep, "an unfinished step cites it");
    }
    if candidate.cited_by_open_decision {
        return said(Keep, "an open decision cites it");
    }
    // 2. Promoted is only what is named as such, on the word of somebody who may: guesses are for long-term memory's own gate.
    let trusted = candidate.trust == Trust::Trusted;
    if candidate.standing_repeated && candidate.source == Source::User && trusted {
        return said(Promote, "the user stated it as standing, more than once");
    }
    if candidate.concludes_success && trusted {
        return said(Promote, "it is the conclusion of a task that succeeded");
    }
    // 3. What the policy keeps whatever it scores.
    if let Some(kind) = candidate.states.filter(|kind| policy.keep.kinds.contains(kind)) {
        return (Keep, format!("the policy {} keeps every {kind}", policy.name));
    }
    if candidate.source == Source::User && policy.keep.user_kinds.contains(&candidate.kind) {
        return (Keep, format!("the policy {} keeps every {} of the user", policy.name, candidate.kind));
    }
    // 4. Nothing inside an open stage, but for want of room.
    let over_budget = pressure == Pressure::OverBudget;
    if !candidate.stage_closed && !over_budget {
        return said(Keep, "its stage is still open");
    }
    // 5. By its score. NaN is no score, and lets nothing go.
    let thresholds = &policy.thresholds;
    if total.is_nan() || total >= thresholds.keep {
        return (Keep, format!("it scores at least {} to keep", thresholds.keep));
    }
    if candidate.archived && (total >= thresholds.archive || !candidate.stage_closed) {
        return said(Keep, "it is archived already");
    }
    if total >= thresholds.compress {
        let short = candidate.tokens < COMPRESSED_TOKENS_MIN;
        return match (candidate.is_summary, short) {
            // A summary of a summary has lost what the gate would compare it with.
            (true, _) => said(Keep, "it is a summary"),
            (_, true) => (Keep, format!("at {} tokens it is too short to compress", candidate.tokens)),
            _ => (Compress, format!("it scores at least {} to compress", thresholds.compress)),
        };
    }
    if total >= thresholds.archive {
        return (Archive, format!("it scores at least {} to archive", thresholds.archive));
    }
    // 6. What a run over budget takes out of an open stage is not lost: the stage may yet ask for it.
    if !candidate.stage_closed {
        return said(Archive, "there is no room, and its stage is still open");
    }
    match loses(candidate) {
        Some(why) if candidate.archived => (Keep, format!("it is archived already; {why}")),
        Some(why) => said(Archive, why),
        None => (Discard, format!("it scores below {}", thresholds.archive)),
    }
}

/// What would be lost with a candidate that nothing else has, if anything would.
fn loses(candidate: &Candidate) -> Option<&'static str> {
    let rests = [
        (candidate.is_decision, "a decision is archived, never discarded"),
        (candidate.produced_artifact, "an artifact came of it"),
        (candidate.is_summary, "a summary stands for what is gone"),
        (candidate.drawn_from, "what is known was drawn from it"),
        // What an agent says of them is drawn from others.
        (
            candidate.bears_facts && candidate.source != Source::Agent,
            "it names somebody, a day or a number, and nothing else may",
        ),
    ];
    rests.into_iter().find(|(is, _)| *is).map(|(_, why)| why)
}

#[cfg(test)]
mod tests {
    use super::super::score::{score, tests::plain};
    use super::*;
    use crate::types::event::Kind;
    use crate::types::memory::MemoryKind;
    use proptest::prelude::*;

    fn of(name: &str) -> Policy {
        Policy::preset(name).unwrap()
    }

    fn check(candidate: &Candidate, total: f64, pressure: Pressure, expected: Disposition, why: &str) {
        let decision = decide(candidate, Score { total, ..Score::default() }, &of("support"), pressure);
        assert_eq!(decision.disposition, expected, "{}", decision.reason);
        assert!(decision.reason.starts_with(why), "{:?} does not begin with {why:?}", decision.reason);
    }

    #[test]
    fn the_score_decides_where_no_rule_does() {
        use Pressure::None;
        let candidate = Candidate { tokens: 500, ..plain() };
        check(&candidate, 0.55, None, Disposition::Keep, "it scores at least 0.55");
        check(&candidate, 0.54, None, Disposition::Compress, "it scores at least 0.35");
        check(&candidate, 0.34, None, Disposition::Archive, "it scores at least 0.2");
        check(&candidate, 0.19, None, Disposition::Discard, "it scores below 0.2");
        check(&Candidate { tokens: 10, ..plain() }, 0.4, None, Disposition::Keep, "at 10 tokens it is too short");
        check(&Candidate { is_summary: true, ..plain() }, 0.4, None, Disposition::Keep, "it is a summary");
        check(&Candidate { is_decision: true, ..plain() }, 0.0, None, Disposition::Archive, "a decision");
        check(&Candidate { drawn_from: true, ..plain() }, 0.0, None, Disposition::Archive, "what is known");
        check(&candidate, f64::NAN, None, Disposition::Keep, "it scores");
    }

    #[test]
    fn what_something_open_rests_on_stays() {
        for candidate in [
            Candidate { cited_by_unfinished_step: true, stage_closed: false, ..plain() },
            Candidate { cited_by_open_decision: true, ..plain() },
        ] {
            for pressure in [Pressure::None, Pressure::OverBudget] {
                let decision = decide(&candidate, Score::default(), &of("aggressive"), pressure);
                assert_eq!(decision.disposition, Disposition::Keep);
            }
        }
    }

    #[test]
    fn an_open_stage_is_spared_until_there_is_no_room() {
        let candidate = Candidate { stage_closed: false, tokens: 500, ..plain() };
        check(&candidate, 0.0, Pressure::None, Disposition::Keep, "its stage is still open");
        check(&candidate, 0.4, Pressure::OverBudget, Disposition::Compress, "it scores");
        check(&candidate, 0.0, Pressure::OverBudget, Disposition::Archive, "there is no room");
    }

    #[test]
    fn policies_keep_what_they_are_for() {
        let preference = Candidate { states: Some(MemoryKind::Preference), ..plain() };
        check(&preference, 0.0, Pressure::None, Disposition::Keep, "the policy support keeps every preference");
        let attempt = Candidate { kind: Kind::Response, source: Source::User, ..plain() };
        let kept = |name: &str| decide(&attempt, Score::default(), &of(name), Pressure::None).disposition;
        assert_eq!((kept("tutoring"), kept("support")), (Disposition::Keep, Disposition::Discard));
        // An agent's answers are no attempts.
        let answer = Candidate { source: Source::Agent, ..attempt.clone() };
        let decision = decide(&answer, Score::default(), &of("tutoring"), Pressure::None);
        assert_eq!(decision.disposition, Disposition::Discard);
    }

    #[test]
    fn only_what_is_named_is_promoted() {
        let repeated = Candidate { standing_repeated: true, ..plain() };
        check(&repeated, 0.0, Pressure::None, Disposition::Promote, "the user stated it");
        check(
            &Candidate { concludes_success: true, ..plain() },
            0.0,
            Pressure::None,
            Disposition::Promote,
            "it is the conclusion",
        );
        // Not on another's word, and not because it scores well.
        let of_tool = Candidate { source: Source::Tool, trust: Trust::Untrusted, ..repeated };
        check(&of_tool, 1.0, Pressure::None, Disposition::Keep, "it scores");
        check(
            &Candidate { concludes_success: true, trust: Trust::Untrusted, ..plain() },
            1.0,
            Pressure::None,
            Disposition::Keep,
            "it scores",
        );
    }

    #[test]
    fn a_reason_tells_the_whole_score() {
        let candidate = Candidate { relevance: 0.5, ..plain() };
        let decision = decide(&candidate, score(&candidate, &of("support")), &of("support"), Pressure::None);
        assert_eq!(
            decision.reason,
            "it scores at least 0.55 to keep; score 0.68 (timeliness 1.00, references 0.00, credibility 1.00, relevance 0.50)"
        );
    }

    prop_compose! {
        fn candidates()(
            flags in proptest::collection::vec(any::<bool>(), 12),
            tokens in 0usize..2000,
            (source, kind) in (0usize..4, 0usize..10),
            states in proptest::option::of(0usize..7),
        ) -> Candidate {
            Candidate {
                source: Source::ALL[source],
                kind: Kind::ALL[kind],
                trust: if flags[0] { Trust::Trusted } else { Trust::Untrusted },
                tokens,
                stage_closed: flags[1],
                cited_by_unfinished_step: flags[2],
                cited_by_open_decision: flags[3],
                produced_artifact: flags[4],
                is_summary: flags[5],
                is_decision: flags[6],
                bears_facts: flags[7],
                archived: flags[8],
                standing_repeated: flags[9],
                concludes_success: flags[10],
                drawn_from: flags[11],
                states: states.map(|kind| MemoryKind::ALL[kind]),
                ..plain()
            }
        }
    }

    proptest! {
        #[test]
        fn what_an_unfinished_step_cites_is_never_touched(candidate in candidates(), total in 0.0f64..1.0, over: bool, policy in 0usize..4) {
            let candidate = Candidate { cited_by_unfinished_step: true, ..candidate };
            let policy = of(Policy::preset_names()[policy]);
            let pressure = if over { Pressure::OverBudget } else { Pressure::None };
            let decision = decide(&candidate, Score { total, ..Score::default() }, &policy, pressure);
            prop_assert_eq!(decision.disposition, Disposition::Keep);
        }

        #[test]
        fn nothing_in_an_open_stage_is_discarded(candidate in candidates(), total in 0.0f64..1.0, over: bool) {
            let candidate = Candidate { stage_closed: false, ..candidate };
            let pressure = if over { Pressure::OverBudget } else { Pressure::None };
            let decision = decide(&candidate, Score { total, ..Score::default() }, &of("aggressive"), pressure);
            prop_assert_ne!(decision.disposition, Disposition::Discard);
        }

        #[test]
        fn a_lower_score_is_never_treated_more_mildly(candidate in candidates(), a in 0.0f64..1.0, b in 0.0f64..1.0, over: bool, policy in 0usize..4) {
            let policy = of(Policy::preset_names()[policy]);
            let pressure = if over { Pressure::OverBudget } else { Pressure::None };
            let at = |total: f64| decide(&candidate, Score { total, ..Score::default() }, &policy, pressure);
            let (lower, higher) = (at(a.min(b)), at(a.max(b)));
            prop_assert!(lower.disposition >= higher.disposition, "{lower:?} {higher:?}");
            prop_assert_eq!(at(a), at(a));
        }
    }
}
