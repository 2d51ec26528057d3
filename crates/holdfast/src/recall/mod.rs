//! The right thing at the right time: a question in, a plan out; candidates with their evidence in, an order and the reasons out.
//!
//! Pure: the engine fetches what the plan asks for and hands it back. Nothing here reads a store, and nothing here writes.
//!
//! plan (route, terms, times) → [store: lexical ∪ dense ∪ within the time named] → score → newest of a slot first → select.

mod excerpt;
mod facts;
mod known;
mod plan;
mod score;
mod select;
mod slots;
mod values;
mod words;

#[cfg(test)]
mod tests;

pub use facts::facts;
pub use known::{Asked, Known, is_standing, known};
pub use plan::{Plan, PlannedTerm, manner, plan};
pub use score::{Evidence, score};
pub use select::{explain, rank, select};
pub use slots::compared;
