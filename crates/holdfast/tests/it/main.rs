//! The library as its users see it: one test binary, a file for each promise.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod as_of;
mod corrections;
mod embedding;
mod forget;
mod induce;
mod learner;
mod llm;
mod long_log;
mod manage;
mod memory;
mod parts;
mod planted;
mod promises;
mod retention;
mod said_once;
mod secrets;
mod service;
mod story;
mod tidy;
mod undo;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine};
use holdfast::env::Env;
use holdfast::import::{self, Options};
use serde_json::Value;

/// An engine over a store of its own, in a world that starts on a Friday in November 2026, without an embedding model.
fn engine(directory: &Path) -> Engine {
    engine_of(directory, 7)
}

/// As `engine`; one that opens a store again draws ids that were not given before.
fn engine_of(directory: &Path, seed: u64) -> Engine {
    Engine::open(Config { env: env(seed), ..lexical(directory) }).unwrap()
}

fn env(seed: u64) -> Arc<Env> {
    Arc::new(Env::fixed(seed, "2026-11-27T09:00:00Z".parse().unwrap()))
}

/// As `engine` opens it.
fn lexical(directory: &Path) -> Config {
    Config { embedding: Choice::None, env: env(7), ..Config::at(directory) }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Replays a file of the examples, every line of it.
fn replay(engine: &Engine, file: &str) -> Vec<holdfast::engine::Observed> {
    let path = workspace().join("examples").join(file);
    let entries = import::read(std::fs::File::open(path).unwrap(), file, Options::default()).unwrap();
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            engine.observe_with(entry.event, entry.update).unwrap()
        })
        .collect()
}

/// Everything but the journal, the events that are out of view, and what rises with every change.
fn state(engine: &Engine) -> String {
    let mut dump = Vec::new();
    engine.dump(&mut dump).unwrap();
    let dump = String::from_utf8(dump).unwrap();
    let line = |line: &str| {
        let (kind, json) = line.trim().split_once(' ')?;
        if !matches!(kind, "event" | "task" | "memory" | "probation") {
            let task = line.split(", last event").next().unwrap_or(line);
            return (kind == "session").then(|| task.to_owned());
        }
        let mut value: Value = serde_json::from_str(json).ok()?;
        let fields = value.as_object_mut()?;
        ["version", "last_activity", "next_element"].iter().for_each(|field| drop(fields.remove(*field)));
        (fields.get("hidden") != Some(&Value::Bool(true))).then(|| format!("{kind} {value}"))
    };
    dump.lines().filter_map(line).collect::<Vec<_>>().join("\n")
}
