//! What to let go (SPEC 6). What a summary says is checked by the faithfulness gate before it stands for anything.
//!
//! This room is pure: it knows no store, no clock and no model. Whoever calls it reads, asks the time, and commits.

pub mod faithfulness;

pub use faithfulness::{Unfaithful, What};
