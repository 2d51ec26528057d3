//! A memory engine for long-running AI agents: events in, the right context out.

pub mod embedding;
pub mod env;
pub mod journal;
pub mod store;
pub mod import;
pub mod text;
pub mod types;
