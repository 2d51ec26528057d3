//! What erasing a user costs, and what it costs the others: a store of many users, one of whom is erased while another goes on recording.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine};
use holdfast::store::sqlite::Sqlite;
use holdfast::store::{ModelId, Store};
use holdfast::types::change::EventVectors;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::forget::{Forget, Forgetting, Selection};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use serde::Serialize;

use crate::metrics::percentile;
use crate::texts::{Chance, Texts};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Events in the store
    #[arg(long, default_value_t = 100_000)]
    events: usize,
    /// Events of the user who is erased
    #[arg(long, default_value_t = 10_000)]
    erased: usize,
    /// One line of JSON
    #[arg(long)]
    json: bool,
}

/// Events in one call of `observe_many`.
const BATCH_EVENTS: usize = 200;
/// Numbers of a vector; what they are makes no difference here.
const DIMENSION: usize = 384;
/// Between two events of the one who goes on.
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, Serialize)]
struct Line {
    events: usize,
    erased: usize,
    operations: u64,
    seconds: f64,
    left: u64,
    /// How long another user's durable events took meanwhile, and before, in ms.
    meanwhile_p50_ms: f64,
    meanwhile_p99_ms: f64,
    meanwhile_max_ms: f64,
    before_p50_ms: f64,
    before_max_ms: f64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut texts = Texts::new(7);
    let mut chance = Chance::new(11);
    let (gone, stays) = (owner("gone")?, owner("stays")?);
    {
        let engine = open(directory.path())?;
        // Each in turn, so that their rows lie among each other's.
        for batch in 0..arguments.events.div_ceil(BATCH_EVENTS) {
            let of_gone = batch * arguments.erased / arguments.events.max(1);
            let next = (batch + 1) * arguments.erased / arguments.events.max(1);
            let whose = if next > of_gone { &gone } else { &stays };
            let events = (0..BATCH_EVENTS).map(|_| (event(whose, texts.text()), None)).collect();
            for observed in engine.observe_many(events)? {
                observed?;
            }
        }
    }
    vectors(directory.path(), &mut chance)?;
    let engine = open(directory.path())?;
    let before = &mut recorded(&engine, &stays, &mut texts, Duration::from_secs(2), &AtomicBool::new(false))?;
    let done = AtomicBool::new(false);
    let request = Forget {
        selection: Selection::Everything,
        how: Forgetting::Erase,
        reason: "asked".to_owned(),
        events_max: None,
    };
    let (took, receipt, mut meanwhile) = std::thread::scope(|scope| -> Result<_> {
        let recording = scope.spawn(|| recorded(&engine, &stays, &mut texts, Duration::from_secs(600), &done));
        let began = Instant::now();
        let receipt = engine.forget(&gone, &request);
        let took = began.elapsed();
        done.store(true, Ordering::Relaxed);
        let meanwhile = recording.join().map_err(|_| anyhow::anyhow!("the other user's thread panicked"))??;
        Ok((took, receipt?, meanwhile))
    })?;
    ensure!(receipt.left == 0, "something is left: {receipt:?}");
    let max = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    print(
        &Line {
            events: arguments.events,
            erased: receipt.reach.events as usize,
            operations: receipt.reach.operations,
            seconds: took.as_secs_f64(),
            left: receipt.left,
            meanwhile_max_ms: max(&meanwhile),
            meanwhile_p50_ms: percentile(&mut meanwhile, 0.5),
            meanwhile_p99_ms: percentile(&mut meanwhile, 0.99),
            before_max_ms: max(before),
            before_p50_ms: percentile(before, 0.5),
        },
        arguments.json,
    )
}

fn open(directory: &std::path::Path) -> Result<Engine> {
    Ok(Engine::open(Config { embedding: Choice::None, ..Config::at(directory) })?)
}

fn owner(user: &str) -> Result<Owner> {
    Ok(Owner { user: ScopeId::new(user)?, ..Owner::default() })
}

fn event(owner: &Owner, text: String) -> RawEvent {
    RawEvent::new(Scope { owner: owner.clone(), ..Scope::default() }, Source::User, Kind::Note, text)
}

/// A vector for each event, as if a model had made it.
fn vectors(directory: &std::path::Path, chance: &mut Chance) -> Result<()> {
    let store = Sqlite::open(directory, std::sync::Arc::new(holdfast::env::Env::system()))?;
    let model = ModelId { name: "made up".to_owned(), dimension: DIMENSION };
    loop {
        let waiting = store.unembedded(&model, 1_000)?;
        if waiting.is_empty() {
            return Ok(());
        }
        let vectors = waiting.into_iter().map(|waiting| {
            let vector = (0..DIMENSION).map(|_| (chance.share() - 0.5) as f32 / 10.0).collect();
            EventVectors { owner: waiting.owner, seq: waiting.event.seq, passages: vec![vector] }
        });
        store.put_vectors(&model, vectors.collect())?;
    }
}

/// Records one event after another until told, or for so long; how long each took, in ms.
fn recorded(engine: &Engine, owner: &Owner, texts: &mut Texts, long: Duration, done: &AtomicBool) -> Result<Vec<f64>> {
    let began = Instant::now();
    let mut milliseconds = Vec::new();
    while !done.load(Ordering::Relaxed) && began.elapsed() < long {
        let one = Instant::now();
        engine.observe(event(owner, texts.text()))?;
        milliseconds.push(one.elapsed().as_secs_f64() * 1_000.0);
        std::thread::park_timeout(PAUSE);
    }
    Ok(milliseconds)
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(line: &Line, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    println!(
        "{} of {} events and {} lines of the journal erased in {:.2} s, {} left; another's events meanwhile p50 {:.1} p99 {:.1} max {:.1} ms, \
         before p50 {:.1} max {:.1} ms",
        line.erased,
        line.events,
        line.operations,
        line.seconds,
        line.left,
        line.meanwhile_p50_ms,
        line.meanwhile_p99_ms,
        line.meanwhile_max_ms,
        line.before_p50_ms,
        line.before_max_ms
    );
    Ok(())
}
