//! Nothing goes at once (SPEC 6.4): what is discarded waits for a number of turns and a time, and any use of it calls it back.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::policy::ProbationTerms;
use crate::types::ids::{EventId, OperationId};
pub use crate::types::probation::Probation;

/// What calls back something that is on probation; journaled with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "rescue")]
pub enum Rescue {
    /// It was served, which this line of the journal tells. Not the question: whoever forgets a session forgets what was asked there.
    Served { by: OperationId },
    /// An unfinished step cites it now.
    CitedByStep { step: String },
    /// The user named it.
    Mentioned { by: EventId },
}

impl Probation {
    /// Begins now, under a policy's terms.
    pub fn begin(now: Timestamp, turn: u64, terms: &ProbationTerms) -> Self {
        // What is too long for a duration or a calendar lasts as long as there is time.
        let lasts = SignedDuration::try_from_secs_f64(terms.hours * 3600.0).unwrap_or(SignedDuration::MAX);
        let until = now.checked_add(lasts).unwrap_or(Timestamp::MAX);
        Self { since_turn: turn, since: now, until_turn: turn.saturating_add(u64::from(terms.turns)), until }
    }

    /// Whether both the turns and the time have passed: an agent that runs through a thousand turns in a minute gives nobody the time to
    /// notice, and a weekend without a turn gives nobody the occasion.
    pub fn is_over(&self, now: Timestamp, turn: u64) -> bool {
        turn >= self.until_turn && now >= self.until
    }
}

impl std::fmt::Display for Rescue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Served { by } => write!(f, "operation {by} served it"),
            Self::CitedByStep { step } => write!(f, "the unfinished step {step} cites it"),
            Self::Mentioned { by } => write!(f, "event {by} mentions it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn turns_and_time_must_both_pass() {
        let terms = ProbationTerms { turns: 6, hours: 24.0 };
        let probation = Probation::begin(at("2026-11-30T09:00:00Z"), 10, &terms);
        assert_eq!((probation.until_turn, probation.until), (16, at("2026-12-01T09:00:00Z")));
        for (now, turn, expected) in [
            ("2026-11-30T09:00:00Z", 10, false),
            ("2026-11-30T09:01:00Z", 5000, false),
            ("2027-01-01T00:00:00Z", 15, false),
            ("2026-12-01T08:59:59Z", 16, false),
            ("2026-12-01T09:00:00Z", 16, true),
        ] {
            assert_eq!(probation.is_over(at(now), turn), expected, "{now}, turn {turn}");
        }
    }

    #[test]
    fn terms_beyond_all_time_never_end() {
        let terms = ProbationTerms { turns: u32::MAX, hours: f64::MAX };
        let probation = Probation::begin(at("2026-11-30T09:00:00Z"), u64::MAX, &terms);
        assert_eq!((probation.until_turn, probation.until), (u64::MAX, Timestamp::MAX));
    }

    #[test]
    fn a_rescue_says_what_called() {
        let id = uuid::Uuid::from_u128(7);
        for (rescue, expected) in [
            (Rescue::Served { by: OperationId(id) }, "operation 00000000-0000-0000-0000-000000000007 served it"),
            (Rescue::CitedByStep { step: "s3".to_owned() }, "the unfinished step s3 cites it"),
            (Rescue::Mentioned { by: EventId(id) }, "event 00000000-0000-0000-0000-000000000007 mentions it"),
        ] {
            assert_eq!(rescue.to_string(), expected);
            let written = serde_json::to_string(&rescue).unwrap();
            assert_eq!(serde_json::from_str::<Rescue>(&written).unwrap(), rescue);
        }
    }
}
