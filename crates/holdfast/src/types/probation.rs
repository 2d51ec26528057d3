//! What is to be let go waits first (SPEC 6.4), and this is how the store keeps it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ids::{EventId, Seq};

/// Since when something is on probation, and until when: by the clock, and by turns.
///
/// A turn is one event of the owner's log, and the turn it is now is the position of the newest one. Counted are events of any
/// source, so that an agent's run in which no user speaks has turns too; and positions, which no erasure sets back, as a count would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probation {
    pub since_turn: u64,
    pub since: Timestamp,
    pub until_turn: u64,
    pub until: Timestamp,
}

/// One event on probation. It is in view like any other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnProbation {
    pub seq: Seq,
    pub id: EventId,
    #[serde(flatten)]
    pub probation: Probation,
    pub sentence: Sentence,
}

/// By what it was put there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sentence {
    /// The policy's name.
    pub policy: String,
    /// From 0 to 1.
    pub score: f64,
    pub reason: String,
}
