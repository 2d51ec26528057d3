//! What long-term memory makes of real talk: how much is written, what it costs, whether it feeds on itself, and whether standing
//! instructions are in the block when they are needed. No model: rules alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use holdfast::embedding;
use holdfast::engine::{BATCH_EVENTS_MAX, Config, Engine};
use holdfast::import::{self, Options};
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::memory::{Memory, MemoryFilter, MemoryStatus};
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use jiff::ZonedDateTime;
use serde::Serialize;

use crate::data::{Half, Set};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders in the normal form, or files that `holdfast replay` reads
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// One line of JSON each
    #[arg(long)]
    json: bool,
    /// Stop after so many events of each input
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    events: usize,
    /// Write every memory as a line of JSON here: to be read by hand
    #[arg(long, value_name = "FILE")]
    written: Option<PathBuf>,
    /// Which half of the questions is asked
    #[arg(long, value_enum, default_value_t = Half::Held)]
    half: Half,
}

/// Tokens of the block in which a standing instruction must be.
const BLOCK_TOKENS: usize = 1_000;
/// Blocks of each scope that are fed back as turns.
const ECHOES: usize = 20;

#[derive(Debug, Default, Serialize)]
struct Line {
    input: String,
    scopes: usize,
    events: usize,
    user_events: usize,
    written: BTreeMap<String, usize>,
    per_1000_events: f64,
    /// What learning adds to an event, in ms: its own pass over the log, commits included.
    learn_ms_per_event: f64,
    /// Blocks fed back as turns, and what they made of memory: nothing, or it feeds on itself.
    echoes: usize,
    written_by_echoes: usize,
    /// Of the questions that need a standing instruction: in how many blocks it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<Share>,
}

#[derive(Debug, Default, Serialize)]
struct Share {
    n: usize,
    in_block: f64,
}

#[derive(Serialize)]
struct Written<'a> {
    input: &'a str,
    scope: &'a str,
    status: MemoryStatus,
    kind: &'a str,
    slot: String,
    content: &'a str,
    quote: &'a str,
    said: String,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    for input in &arguments.inputs {
        let mut line = Line { input: input.display().to_string(), ..Line::default() };
        if input.is_dir() {
            for set in Set::load(input)? {
                for (scope, events) in &set.scopes {
                    measure(arguments, &mut line, scope, events, Some(&set))?;
                }
            }
        } else {
            let file = File::open(input).with_context(|| format!("can't open {}", input.display()))?;
            let mut scopes: BTreeMap<String, Vec<RawEvent>> = BTreeMap::new();
            for entry in import::read(file, &line.input, Options::default())?.flatten() {
                // Every conversation is another person's.
                scopes.entry(entry.event.scope.session.to_string()).or_default().push(entry.event);
            }
            for (scope, events) in &scopes {
                measure(arguments, &mut line, scope, events, None)?;
            }
        }
        let written: usize = line.written.values().sum();
        line.per_1000_events = 1_000.0 * written as f64 / line.events.max(1) as f64;
        line.learn_ms_per_event /= line.events.max(1) as f64;
        print(&line, arguments.json)?;
    }
    Ok(())
}

fn measure(arguments: &Arguments, line: &mut Line, scope: &str, events: &[RawEvent], set: Option<&Set>) -> Result<()> {
    let room = arguments.events.saturating_sub(line.events).min(events.len());
    if room == 0 {
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let engine = Engine::open(Config { embedding: embedding::Choice::None, ..Config::at(directory.path()) })?;
    let owner = Owner { user: ScopeId::new(scope)?, ..Owner::default() };
    let mut raws = events[..room].to_vec();
    for raw in &mut raws {
        raw.scope.owner = owner.clone();
    }
    line.scopes += 1;
    line.events += room;
    line.user_events += raws.iter().filter(|raw| raw.source == Source::User).count();
    let latest = raws.iter().filter_map(|raw| raw.occurred_at.clone()).max_by_key(ZonedDateTime::timestamp);
    let latest = latest.unwrap_or_else(|| engine.now());
    for batch in raws.chunks(BATCH_EVENTS_MAX.min(200)) {
        for result in engine.observe_many(batch.iter().map(|raw| (raw.clone(), None)).collect())? {
            result?;
        }
    }
    engine.learn(&owner)?;
    // The cost by itself: another store, to which the whole log is new when it is learned from.
    line.learn_ms_per_event += learning_ms(&raws)?;
    let memories = engine.memories(&owner, &MemoryFilter::default())?;
    for memory in &memories {
        *line.written.entry(format!("{} {}", memory.status, memory.kind)).or_default() += 1;
    }
    if let Some(path) = &arguments.written {
        write(path, line, scope, &memories, &engine, &owner)?;
    }
    if let Some(set) = set {
        standing(arguments, line, set, scope, &engine, &owner, &latest)?;
    }
    echo(line, &engine, &owner, &raws, &latest, &memories)
}

/// How long it takes to learn from these events, in all.
fn learning_ms(raws: &[RawEvent]) -> Result<f64> {
    let directory = tempfile::tempdir()?;
    let export = {
        let engine = Engine::open(Config { embedding: embedding::Choice::None, ..Config::at(directory.path()) })?;
        for batch in raws.chunks(200) {
            engine.observe_many(batch.iter().map(|raw| (raw.clone(), None)).collect())?;
        }
        let mut out = Vec::new();
        engine.export(&engine.owners()?, &mut out)?;
        out
    };
    let directory = tempfile::tempdir()?;
    let engine = Engine::open(Config { embedding: embedding::Choice::None, ..Config::at(directory.path()) })?;
    let mut owner = Owner::default();
    let mut lines = Vec::new();
    for line in export.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line)? {
            holdfast::engine::ExportLine::Owner { owner: of, .. } => owner = of,
            holdfast::engine::ExportLine::Memory(_) => {}
            line => lines.push(line),
        }
    }
    engine.import(&owner, lines)?;
    let begun = Instant::now();
    engine.learn(&owner)?;
    Ok(begun.elapsed().as_secs_f64() * 1_000.0)
}

fn write(path: &Path, line: &Line, scope: &str, memories: &[Memory], engine: &Engine, owner: &Owner) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    for memory in memories {
        let source = &memory.sources[0];
        let said = match source.event {
            Some(id) => engine.event(owner, id)?.map_or_else(String::new, |stored| stored.event.content),
            None => String::new(),
        };
        let written = Written {
            input: &line.input,
            scope,
            status: memory.status,
            kind: memory.kind.as_str(),
            slot: format!("{} · {} · {:?}", memory.subject, memory.attribute, memory.applies),
            content: &memory.content,
            quote: &source.quote,
            said: said.chars().take(400).collect(),
        };
        writeln!(file, "{}", serde_json::to_string(&written)?)?;
    }
    Ok(())
}

/// The labelled instruction must be in the block of the questions that need it.
fn standing(
    arguments: &Arguments,
    line: &mut Line,
    set: &Set,
    scope: &str,
    engine: &Engine,
    owner: &Owner,
    latest: &ZonedDateTime,
) -> Result<()> {
    let questions = set.half(arguments.half);
    let questions = questions.iter().filter(|q| q.scope == scope && q.category == "instruction_following");
    for question in questions {
        let scope = Scope { owner: owner.clone(), session: ScopeId::new("bench question")?, task: None };
        let query = Query::new(scope, &question.query, latest.clone());
        let options = BlockOptions { budget_tokens: BLOCK_TOKENS, ..BlockOptions::default() };
        let block = engine.context(&query, &options)?;
        // Drawn from the labelled turn, and read in the block: as a rule, or as a constraint of the task it was said in.
        let mut there = false;
        for memory in engine.memories(owner, &MemoryFilter::default())? {
            for event in memory.sources.iter().filter_map(|source| source.event) {
                let key = engine.event(owner, event)?.and_then(|stored| stored.event.idempotency_key);
                let labelled = key.is_some_and(|key| question.evidence.contains(&key));
                there |= labelled && block.text.contains(&memory.content);
            }
        }
        let share = line.standing.get_or_insert_with(Share::default);
        share.in_block = (share.in_block * share.n as f64 + f64::from(there)) / (share.n + 1) as f64;
        share.n += 1;
    }
    Ok(())
}

/// Blocks that come back as what the user says: whole, and without their fence.
fn echo(
    line: &mut Line,
    engine: &Engine,
    owner: &Owner,
    raws: &[RawEvent],
    latest: &ZonedDateTime,
    before: &[Memory],
) -> Result<()> {
    let asked: Vec<&RawEvent> = raws.iter().filter(|raw| raw.source == Source::User).collect();
    let step = (asked.len() / ECHOES).max(1);
    for raw in asked.into_iter().step_by(step).take(ECHOES) {
        let scope = Scope { owner: owner.clone(), session: ScopeId::new("echo")?, task: None };
        let block =
            engine.context(&Query::new(scope.clone(), &raw.content, latest.clone()), &BlockOptions::default())?;
        if block.text.is_empty() {
            continue;
        }
        let bare: Vec<&str> = block.text.lines().filter(|line| !line.contains("holdfast-context")).collect();
        for turn in [block.text.clone(), bare.join("\n")] {
            engine.observe(RawEvent::new(scope.clone(), Source::User, Kind::Query, turn))?;
            line.echoes += 1;
        }
    }
    engine.learn(owner)?;
    let known: BTreeSet<_> = before.iter().map(|memory| memory.id).collect();
    let after = engine.memories(owner, &MemoryFilter::default())?;
    line.written_by_echoes += after.iter().filter(|memory| !known.contains(&memory.id)).count();
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the bench's output")]
fn print(line: &Line, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    println!("{}: {} scopes, {} events, {} of users", line.input, line.scopes, line.events, line.user_events);
    println!("  written per 1,000 events: {:.1} ({:?})", line.per_1000_events, line.written);
    println!("  learning: {:.3} ms an event", line.learn_ms_per_event);
    println!("  blocks fed back: {}, memories made of them: {}", line.echoes, line.written_by_echoes);
    if let Some(standing) = &line.standing {
        println!("  standing instruction in the block: {:.3} of {}", standing.in_block, standing.n);
    }
    Ok(())
}
