//! A memory engine for long-running AI agents: events in, the right context out.

pub mod agent;
pub mod context;
pub mod embedding;
pub mod engine;
pub mod env;
pub mod forget;
pub mod import;
pub mod journal;
pub mod learn;
pub mod llm;
pub mod manager;
pub mod prompts;
pub mod recall;
pub mod redact;
mod service;
pub mod signals;
pub mod store;
pub mod text;
pub mod types;
pub mod working;

/// What the README shows is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
