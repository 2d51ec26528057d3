//! How a store grows with and without the manager, and what the presets do to the same input: how often each stops and asks, what it lets go,
//! what is called back, and what it refuses.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine, Error, Fate, ManageOptions};
use holdfast::env::Env;
use holdfast::manager::Policy;
use holdfast::types::context::BlockOptions;
use holdfast::types::query::Query;
use holdfast::types::scope::Owner;
use jiff::SignedDuration;
use serde::Serialize;

use crate::stream::{Sources, Step, Stream, enter, task};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Events in the store
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// Which presets run, beside none
    #[arg(long, value_delimiter = ',', default_values_t = Policy::preset_names().map(str::to_owned))]
    policies: Vec<String>,
    /// One line of JSON a store
    #[arg(long)]
    json: bool,
}

const OFF: &str = "off";
const START: &str = "2026-01-05T08:00:00Z";
/// All stores span so many days, however many events they hold: a policy's hours mean the same in each.
const DAYS: i64 = 60;
/// Runs in the life of a store: with each, the log has grown by a twentieth, as the background manager has it in a long log.
const RUNS: usize = 20;

#[derive(Debug, Default, Serialize)]
struct Line {
    bench: &'static str,
    seed: u64,
    policy: String,
    events: u64,
    bytes: u64,
    bytes_a_thousand_events: u64,
    runs: u64,
    /// Runs that stopped and asked, and were then confirmed.
    stopped: u64,
    on_probation: u64,
    discarded: u64,
    rescued: u64,
    compressed: u64,
    archived: u64,
    promoted: u64,
    refused: u64,
    tokens_saved: u64,
    tokens_in_view: u64,
    tokens_whole: u64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    for size in &arguments.sizes {
        for policy in std::iter::once(OFF).chain(arguments.policies.iter().map(String::as_str)) {
            let directory = tempfile::tempdir()?;
            print(&lived(arguments, directory.path(), *size, policy)?, arguments.json)?;
        }
    }
    Ok(())
}

fn lived(arguments: &Arguments, folder: &Path, size: usize, name: &str) -> Result<Line> {
    let policy = match name {
        OFF => None,
        name => Some(Policy::preset(name).with_context(|| format!("there is no preset {name}"))?),
    };
    let env = Arc::new(Env::fixed(arguments.sources.seed, START.parse()?));
    let engine = Engine::open(Config { embedding: Choice::None, env: Arc::clone(&env), ..Config::at(folder) })?;
    let (owner, scope) = (Owner::default(), task()?);
    engine.start_task(&scope, "long work", Some("work through the requests and the log"), &[])?;
    let mut stream = Stream::new(&arguments.sources)?;
    let mut line = Line { bench: "growth", seed: arguments.sources.seed, policy: name.to_owned(), ..Line::default() };
    let between = (size / RUNS).max(1);
    let (mut recorded, mut unlooked) = (0, 0);
    while recorded < size {
        let Step { events, text, stage, .. } = stream.step()?;
        if let Some(stage) = stage {
            enter(&engine, &scope, stage)?;
            let query = Query::new(scope.clone(), text, engine.now());
            engine.context(&query, &BlockOptions::default())?;
        }
        let count = events.len();
        for observed in engine.observe_many(events.into_iter().map(|raw| (raw, None)).collect())? {
            observed?;
        }
        (recorded, unlooked) = (recorded + count, unlooked + count);
        env.advance(SignedDuration::from_secs(DAYS * 24 * 3600 * count as i64 / size as i64));
        if let Some(policy) = policy.as_ref().filter(|_| unlooked >= between || recorded >= size) {
            unlooked = 0;
            let options = ManageOptions::default();
            let managed = match engine.manage(&owner, policy, options) {
                Err(Error::Blast(_)) => {
                    line.stopped += 1;
                    engine.manage(&owner, policy, ManageOptions { force: true, ..options })?
                }
                managed => managed?,
            };
            line.runs += 1;
            for (count, fate) in [
                (&mut line.on_probation, Fate::OnProbation),
                (&mut line.discarded, Fate::Discarded),
                (&mut line.rescued, Fate::Rescued),
                (&mut line.compressed, Fate::Compressed),
                (&mut line.archived, Fate::Archived),
                (&mut line.promoted, Fate::Promoted),
                (&mut line.refused, Fate::Refused),
            ] {
                *count += managed.count(fate);
            }
            line.tokens_saved += managed.tokens_saved();
        }
    }
    if let Some(end) = engine.in_view_after_each(&owner)?.last() {
        (line.tokens_in_view, line.tokens_whole) = (end.with, end.without);
    }
    line.events = engine.status()?.events;
    drop(engine);
    // Closed, so that what is in the write-ahead log is in the file.
    line.bytes = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len())).sum::<u64>();
    line.bytes_a_thousand_events = line.bytes * 1_000 / line.events.max(1);
    Ok(line)
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(line: &Line, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    println!(
        "{:>7} events  {:<10} {:>9} bytes a thousand  {} runs, {} stopped: {} on probation, {} discarded, {} rescued, {} compressed, \
         {} archived, {} promoted, {} refused; {} tokens saved, {} of {} in view",
        line.events,
        line.policy,
        line.bytes_a_thousand_events,
        line.runs,
        line.stopped,
        line.on_probation,
        line.discarded,
        line.rescued,
        line.compressed,
        line.archived,
        line.promoted,
        line.refused,
        line.tokens_saved,
        line.tokens_in_view,
        line.tokens_whole
    );
    Ok(())
}
