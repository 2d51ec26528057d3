//! A memory engine for long-running AI agents: events in, the right context out.

pub mod agent;
pub mod context;
pub mod env;
pub mod text;
pub mod types;
pub mod working;
