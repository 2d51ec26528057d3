//! What the manager costs those it runs beside: events recorded and blocks asked for without a pause, with no manager and with each preset. The
//! arms take turns, so that whatever the machine does meanwhile hits all of them; only the store of the arm whose turn it is is open.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine};
use holdfast::manager::Policy;
use holdfast::store::JournalPage;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::{Action, Update};
use serde::Serialize;

use crate::metrics::percentile;
use crate::texts::{Chance, Texts};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// How often each arm has its turn
    #[arg(long, default_value_t = 10)]
    rounds: usize,
    /// Events in one turn
    #[arg(long, default_value_t = 600)]
    events: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One line of JSON an arm
    #[arg(long)]
    json: bool,
}

/// A block is asked for after so many events.
const EVENTS_A_BLOCK: usize = 10;
/// Of a turn, the first events are not measured: the store has just been opened.
const WARM_UP_EVENTS: usize = 20;
/// A task's stages have so many events.
const EVENTS_A_STAGE: usize = 100;
/// One event in so many is long enough to be shortened.
const LONG_ONE_IN: usize = 10;
const SENTENCES_OF_LONG: usize = 8;

const OFF: &str = "off";

#[derive(Debug, Default)]
struct Arm {
    name: String,
    observe: Vec<f64>,
    context: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Line {
    bench: &'static str,
    seed: u64,
    arm: String,
    events: usize,
    blocks: usize,
    observe_p50_ms: f64,
    observe_p99_ms: f64,
    observe_max_ms: f64,
    context_p50_ms: f64,
    context_p99_ms: f64,
    context_max_ms: f64,
    /// Of this arm's 99th percentile to that without a manager.
    observe_p99_ratio: f64,
    context_p99_ratio: f64,
    runs: u64,
    on_probation: u64,
    compressed: u64,
    archived: u64,
    refused: u64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let names = std::iter::once(OFF).chain(Policy::preset_names());
    let mut arms: Vec<Arm> = names.map(|name| Arm { name: name.to_owned(), ..Arm::default() }).collect();
    for round in 0..arguments.rounds {
        // Each round begins with another arm: the first after a pause is not always the same.
        for turn in 0..arms.len() {
            let place = (round + turn) % arms.len();
            let folder = directory.path().join(&arms[place].name);
            one_turn(&mut arms[place], &folder, round, arguments)?;
        }
    }
    let p99 = |arm: &mut Arm| (percentile(&mut arm.observe, 0.99), percentile(&mut arm.context, 0.99));
    let (observe_off, context_off) = p99(&mut arms[0]);
    for arm in &mut arms {
        let (observe, context) = p99(arm);
        let engine = open(&directory.path().join(&arm.name), OFF)?;
        let managed = engine.report(&Owner::default(), &JournalPage::default())?.managed;
        let max = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let line = Line {
            bench: "beside",
            seed: arguments.seed,
            arm: arm.name.clone(),
            events: arm.observe.len(),
            blocks: arm.context.len(),
            observe_p50_ms: percentile(&mut arm.observe, 0.5),
            observe_p99_ms: observe,
            observe_max_ms: max(&arm.observe),
            context_p50_ms: percentile(&mut arm.context, 0.5),
            context_p99_ms: context,
            context_max_ms: max(&arm.context),
            observe_p99_ratio: observe / observe_off,
            context_p99_ratio: context / context_off,
            runs: managed.runs,
            on_probation: managed.on_probation,
            compressed: managed.compressed,
            archived: managed.archived,
            refused: managed.refused.values().sum(),
        };
        print(&line, arguments.json)?;
    }
    Ok(())
}

fn open(folder: &Path, arm: &str) -> Result<Engine> {
    let manager = match arm {
        OFF => None,
        name => Some(Policy::preset(name).context("no such preset")?),
    };
    Ok(Engine::open(Config { embedding: Choice::None, manager, ..Config::at(folder) })?)
}

/// All arms hear the same.
fn one_turn(arm: &mut Arm, folder: &Path, round: usize, arguments: &Arguments) -> Result<()> {
    let engine = open(folder, &arm.name)?;
    let mut texts = Texts::new(arguments.seed.wrapping_mul(1_000) + round as u64);
    let mut chance = Chance::new(arguments.seed.wrapping_mul(1_000) + round as u64);
    let task = Scope { task: Some(ScopeId::new("bench")?), ..Scope::default() };
    if round == 0 {
        engine.start_task(&task, "gateway migration", Some("move the gateway and write the report"), &[])?;
    }
    for number in 0..arguments.events {
        if number % EVENTS_A_STAGE == 0 {
            let stage = format!("stage {round}.{}", number / EVENTS_A_STAGE);
            let actions = vec![Action::SetStage { stage, summary: None }];
            engine.update(&task, &Update { actions, ..Update::default() })?;
        }
        let sentences = if chance.below(LONG_ONE_IN) == 0 { SENTENCES_OF_LONG } else { 1 };
        let text = (0..sentences).map(|_| texts.text()).collect::<Vec<_>>().join("\n\n");
        let (source, kind) = match chance.below(3) {
            0 => (Source::Agent, Kind::Response),
            _ => (Source::Tool, Kind::ToolResult),
        };
        let scope = if chance.below(2) == 0 { task.clone() } else { Scope::default() };
        let raw = RawEvent::new(scope, source, kind, text);
        let began = Instant::now();
        engine.observe(raw)?;
        let took = began.elapsed().as_secs_f64() * 1_000.0;
        let measured = number >= WARM_UP_EVENTS;
        arm.observe.extend(measured.then_some(took));
        if number % EVENTS_A_BLOCK == EVENTS_A_BLOCK - 1 {
            let query = Query::new(Scope::default(), texts.question(), engine.now());
            let began = Instant::now();
            engine.context(&query, &BlockOptions::default())?;
            let took = began.elapsed().as_secs_f64() * 1_000.0;
            arm.context.extend(measured.then_some(took));
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(line: &Line, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    println!(
        "{:<11} observe p50 {:>7.2} p99 {:>7.2} max {:>7.1} ms ({:.2}x)  context p50 {:>7.2} p99 {:>7.2} max {:>7.1} ms ({:.2}x)  {} runs, \
         {} on probation, {} compressed, {} archived",
        line.arm,
        line.observe_p50_ms,
        line.observe_p99_ms,
        line.observe_max_ms,
        line.observe_p99_ratio,
        line.context_p50_ms,
        line.context_p99_ms,
        line.context_max_ms,
        line.context_p99_ratio,
        line.runs,
        line.on_probation,
        line.compressed,
        line.archived
    );
    Ok(())
}
