//! A memory engine for long-running AI agents: events in, the right context out.

pub mod env;
pub mod redact;
pub mod text;
pub mod types;
