//! What to let go (SPEC 6): plain values of the log and of working memory in, one decision each with its score and reason out. What a
//! summary says is checked by the faithfulness gate before it stands for anything.
//!
//! This room is pure: it knows no store, no clock and no model. Whoever calls it reads, asks the time, and commits.

pub mod blast;
pub mod citations;
pub mod compress;
pub mod disposition;
pub mod faithfulness;
pub mod policy;
pub mod probation;
pub mod score;

pub use blast::{Blast, guard};
pub use citations::{Citations, Need};
pub use compress::{Room, compress};
pub use disposition::{Decision, Disposition, Pressure, decide};
pub use faithfulness::{Unfaithful, What};
pub use policy::{Policy, PolicyError};
pub use probation::{Probation, Rescue};
pub use score::{Candidate, Score, score};
