//! How fast is it, and how does that grow? Made-up events of one user; each case a line, as many sizes as asked for.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use holdfast::embedding::{Builtin, Choice, Embedder};
use holdfast::engine::{BATCH_EVENTS_MAX, Config, Embedded, Engine, builtin_model_paths};
use holdfast::store::sqlite::Sqlite;
use holdfast::store::{DenseQuery, ModelId, Store};
use holdfast::types::change::EventVectors;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::ids::Seq;
use holdfast::types::query::{Filter, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use jiff::{SignedDuration, ZonedDateTime};
use serde::Serialize;

use crate::metrics::percentile;
use crate::texts::{Chance, Texts};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Numbers of events.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// Small sizes and no model: for continuous integration.
    #[arg(long)]
    quick: bool,
    /// One line of JSON a case.
    #[arg(long)]
    json: bool,
}

/// One case's figures; what a case doesn't measure is left out.
#[derive(Debug, Default, Serialize)]
struct Line {
    case: &'static str,
    size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    p50_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rss_mb: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
}

/// Sizes of `--quick`.
const QUICK_SIZES: [usize; 2] = [1_000, 10_000];
/// Questions of a size: enough for a 99th percentile.
const QUESTIONS: usize = 300;
/// Questions asked first, to fill the caches: they are not counted.
const WARMING: usize = 30;
/// Events recorded one at a time, each durable by itself.
const SINGLE: usize = 500;
/// Numbers of a made-up vector: as many as the built-in model's.
const DIMENSION: usize = 384;
/// Texts that the model embeds.
const EMBEDDED: usize = 1_000;
/// Hits that an exact scan and the dense search are compared by.
const COMPARED: usize = 10;

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut print = Printer { json: arguments.json };
    let sizes = if arguments.quick { &QUICK_SIZES[..] } else { &arguments.sizes };
    for &size in sizes {
        measure(size, &mut print)?;
    }
    if !arguments.quick {
        model(&mut print)?;
    }
    Ok(())
}

fn measure(size: usize, print: &mut Printer) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let model = ModelId { name: "made up".to_owned(), dimension: DIMENSION };
    let store = open_store(directory.path())?;
    let engine = open_engine(&store, directory.path())?;
    let mut texts = Texts::new(1);

    let start = Instant::now();
    let mut recorded = 0;
    let mut at = engine.now().checked_sub(SignedDuration::from_mins(size as i64))?;
    while recorded < size {
        let count = BATCH_EVENTS_MAX.min(size - recorded);
        let batch = (0..count).map(|place| Ok((event(&mut texts, recorded + place, &mut at)?, None)));
        for result in engine.observe_many(batch.collect::<Result<_>>()?)? {
            result?;
        }
        recorded += count;
    }
    let seconds = start.elapsed().as_secs_f64();
    print.line(&Line { case: "observe in batches", size, per_s: Some(size as f64 / seconds), ..Line::default() })?;

    let mut chance = Chance::new(2);
    let owner = scope(0)?.owner;
    let positions: Vec<i64> = (1..=size as i64).collect();
    for positions in positions.chunks(1_000) {
        let vectors = positions.iter().map(|&seq| EventVectors {
            owner: owner.clone(),
            seq: Seq(seq),
            passages: vec![direction(&mut chance)],
        });
        store.put_vectors(&model, vectors.collect())?;
    }
    store.activate_model(&model)?;

    let questions = questions(&mut texts, &engine)?;
    let vectors: Vec<Embedded> = questions
        .iter()
        .map(|_| Embedded { model: model.clone(), vector: direction(&mut chance), common: None })
        .collect();
    let mut recall = timed(&questions, |place, question| {
        engine.recall_with(question, Some(&vectors[place]))?;
        Ok(())
    })?;
    print.line(&Line { rss_mb: rss_mb(), ..Line::percentiles("recall", size, &mut recall) })?;
    let mut words = timed(&questions, |_, question| Ok(drop(engine.recall_with(question, None)?)))?;
    print.line(&Line::percentiles("recall by words only", size, &mut words))?;
    let options = BlockOptions::default();
    let mut block = timed(&questions, |_, question| Ok(drop(engine.context(question, &options)?)))?;
    print.line(&Line::percentiles("context block by words only, journaled", size, &mut block))?;

    single(&engine, &mut texts, &mut at, directory.path(), size, print)?;
    drop(engine);
    drop(store);

    let start = Instant::now();
    let store = open_store(directory.path())?;
    let engine = open_engine(&store, directory.path())?;
    let opened = start.elapsed().as_secs_f64() * 1e3;
    print.line(&Line { case: "open", size, p50_ms: Some(opened), ..Line::default() })?;
    let start = Instant::now();
    engine.recall_with(&questions[0], Some(&vectors[0]))?;
    let first = start.elapsed().as_secs_f64() * 1e3;
    print.line(&Line {
        case: "first recall after opening",
        size,
        p50_ms: Some(first),
        rss_mb: rss_mb(),
        ..Line::default()
    })
}

/// Durable events one at a time, and what the disk allows: the same bytes appended to a file, each with an `fdatasync`.
fn single(
    engine: &Engine,
    texts: &mut Texts,
    at: &mut ZonedDateTime,
    directory: &Path,
    size: usize,
    print: &mut Printer,
) -> Result<()> {
    let events = (0..SINGLE).map(|place| event(texts, size + place, at)).collect::<Result<Vec<_>>>()?;
    let bytes: Vec<String> = events.iter().map(|event| event.content.clone()).collect();
    let start = Instant::now();
    for event in events {
        engine.observe(event)?;
    }
    let ours = SINGLE as f64 / start.elapsed().as_secs_f64();
    let mut file = File::create(directory.join("raw"))?;
    let start = Instant::now();
    for bytes in &bytes {
        file.write_all(bytes.as_bytes())?;
        file.sync_data()?;
    }
    let raw = SINGLE as f64 / start.elapsed().as_secs_f64();
    let share = Some(ours / raw);
    print.line(&Line { case: "observe one at a time", size, per_s: Some(ours), share, ..Line::default() })?;
    print.line(&Line { case: "raw append and fdatasync", size, per_s: Some(raw), ..Line::default() })
}

/// The built-in model: how fast, and whether the dense search finds what an exact scan of its vectors finds.
fn model(print: &mut Printer) -> Result<()> {
    let embedder = Builtin::open(&builtin_model_paths())?;
    let mut made_up = Texts::new(3);
    let texts: Vec<String> = (0..EMBEDDED).map(|_| made_up.text()).collect();
    let start = Instant::now();
    let mut vectors = Vec::with_capacity(EMBEDDED);
    for texts in texts.chunks(16) {
        vectors.extend(embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())?);
    }
    let seconds = start.elapsed().as_secs_f64();
    print.line(&Line { case: "embed", size: EMBEDDED, per_s: Some(EMBEDDED as f64 / seconds), ..Line::default() })?;

    let directory = tempfile::tempdir()?;
    let store = open_store(directory.path())?;
    let engine = open_engine(&store, directory.path())?;
    let mut at = engine.now().checked_sub(SignedDuration::from_hours(1_000))?;
    let owner = scope(0)?.owner;
    for (place, text) in texts.iter().enumerate() {
        let mut event = event(&mut made_up, place, &mut at)?;
        event.content.clone_from(text);
        engine.observe(event)?;
    }
    let by_event = vectors.into_iter().zip(1_i64..).map(|(vector, seq)| EventVectors {
        owner: owner.clone(),
        seq: Seq(seq),
        passages: vec![vector],
    });
    store.put_vectors(embedder.model(), by_event.collect())?;
    let positions: Vec<Seq> = (1..=EMBEDDED as i64).map(Seq).collect();
    let (mut found, mut wanted) = (0, 0);
    for _ in 0..100 {
        let vector = embedder.embed(&[&made_up.question()])?.pop().context("one text in, one vector out")?;
        let query = DenseQuery { model: embedder.model(), vector: &vector, common: embedder.common() };
        let near = store.dense(&owner, &query, &Filter::default(), COMPARED)?;
        let exact = store.cosines(&owner, &query, &positions)?;
        let exact = &exact[..COMPARED];
        wanted += exact.len();
        found += exact.iter().filter(|(seq, _)| near.iter().any(|(other, _)| other == seq)).count();
    }
    let share = Some(f64::from(found as u32) / f64::from(wanted as u32));
    print.line(&Line { case: "dense search beside an exact scan, R@10", size: EMBEDDED, share, ..Line::default() })
}

fn open_store(directory: &Path) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(Sqlite::open(directory, Config::at(directory).env)?))
}

fn open_engine(store: &Arc<dyn Store>, directory: &Path) -> Result<Engine> {
    Ok(Engine::over(Arc::clone(store), Config { embedding: Choice::None, ..Config::at(directory) })?)
}

fn scope(session: usize) -> Result<Scope> {
    let owner = Owner { user: ScopeId::new("bench")?, ..Owner::default() };
    Ok(Scope { owner, session: ScopeId::new(format!("session {session}"))?, task: None })
}

/// Sessions of forty events; every second event is an answer.
fn event(texts: &mut Texts, place: usize, at: &mut ZonedDateTime) -> Result<RawEvent> {
    *at = at.checked_add(SignedDuration::from_secs(50))?;
    let (source, kind) = if place % 2 == 0 { (Source::User, Kind::Query) } else { (Source::Agent, Kind::Response) };
    let mut event = RawEvent::new(scope(place / 40)?, source, kind, texts.text());
    event.occurred_at = Some(at.clone());
    Ok(event)
}

fn questions(texts: &mut Texts, engine: &Engine) -> Result<Vec<Query>> {
    (0..WARMING + QUESTIONS).map(|_| Ok(Query::new(scope(0)?, texts.question(), engine.now()))).collect()
}

/// Milliseconds of each question but the first few.
fn timed(questions: &[Query], mut ask: impl FnMut(usize, &Query) -> Result<()>) -> Result<Vec<f64>> {
    let mut milliseconds = Vec::with_capacity(QUESTIONS);
    for (place, question) in questions.iter().enumerate() {
        let start = Instant::now();
        ask(place, question)?;
        if place >= WARMING {
            milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(milliseconds)
}

/// A unit vector with no direction of its own.
fn direction(chance: &mut Chance) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..DIMENSION).map(|_| (chance.share() + chance.share() - 1.0) as f32).collect();
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= norm);
    vector
}

/// What of this process is in memory, as Linux tells it.
fn rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}

impl Line {
    fn percentiles(case: &'static str, size: usize, milliseconds: &mut [f64]) -> Self {
        let p50_ms = Some(percentile(milliseconds, 0.5));
        Self { case, size, p50_ms, p99_ms: Some(percentile(milliseconds, 0.99)), ..Self::default() }
    }
}

struct Printer {
    json: bool,
}

impl Printer {
    #[expect(clippy::print_stdout, reason = "figures are data")]
    fn line(&mut self, line: &Line) -> Result<()> {
        if self.json {
            println!("{}", serde_json::to_string(line)?);
            return Ok(());
        }
        let figure =
            |name: &str, value: Option<f64>| value.map_or_else(String::new, |value| format!("  {name} {value:.2}"));
        println!(
            "{:<40} {:>9}{}{}{}{}{}",
            line.case,
            line.size,
            figure("p50 ms", line.p50_ms),
            figure("p99 ms", line.p99_ms),
            figure("a second", line.per_s),
            figure("MB", line.rss_mb),
            figure("share", line.share),
        );
        Ok(())
    }
}
