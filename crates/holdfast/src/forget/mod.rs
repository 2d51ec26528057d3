//! Forgetting on request (SPEC 8): what is gone, and what knew of it, worked out anew without it. Texts and values in, values out; what
//! is selected is read and written by the engine, and taken out of rows by the store.

mod gone;
mod task;
#[cfg(test)]
mod tests;

pub use gone::{Gone, placeholders};
pub use task::{sources, without};
