//! How fast, and how it grows: one line a case and size. Durable writes are beside a raw append + fdatasync loop of the same run.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use holdfast::embedding::{self, Choice};
use holdfast::engine::{Config, Embedded, Engine, builtin_model_paths};
use holdfast::env::Env;
use holdfast::store::sqlite::Sqlite;
use holdfast::store::{DenseQuery, ModelId, Store};
use holdfast::types::change::EventVectors;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::ids::Seq;
use holdfast::types::query::{Filter, Query};
use holdfast::types::scope::Scope;
use serde::Serialize;

use crate::metrics::percentile;
use crate::texts::{Chance, Texts};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Events in one scope.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    sizes: Vec<usize>,
    /// One line of JSON a case.
    #[arg(long)]
    json: bool,
    /// 1,000 events only, to see that it still runs.
    #[arg(long)]
    quick: bool,
    /// Real vectors of so many texts are kept here, since making 100,000 takes minutes.
    #[arg(long)]
    vectors: Option<PathBuf>,
    /// Where stores are made [default: a temporary folder]; one that is there from an earlier run is only read.
    #[arg(long)]
    folder: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Line {
    case: String,
    size: usize,
    p50_ms: f64,
    p99_ms: f64,
    per_s: f64,
    rss_mb: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall_at_10: Option<f64>,
}

/// Events in one call of `observe_many`.
const BATCH_EVENTS: usize = 200;
/// Durable writes one at a time.
const SINGLE_WRITES: usize = 2_000;
/// Questions asked of each store.
const QUESTIONS: usize = 300;
/// Vectors compared for the exact answers, which takes its time, and so many questions at most.
const EXACT_COMPARISONS: usize = 10_000_000;
const EXACT_QUESTIONS_MAX: usize = 200;
/// Texts embedded to measure the model; more are made of them by small turns, as texts about the same thing are.
const EMBEDDED_TEXTS: usize = 4_000;
const DIMENSION: usize = 384;

pub fn run(arguments: &Arguments) -> Result<()> {
    let sizes = if arguments.quick { vec![1_000] } else { arguments.sizes.clone() };
    let temporary = tempfile::tempdir()?;
    let folder = arguments.folder.clone().unwrap_or_else(|| temporary.path().to_owned());
    let out = Out { json: arguments.json };
    raw_appends(&folder, &out)?;
    let pool = if arguments.quick { 300 } else { EMBEDDED_TEXTS };
    let vectors = real_vectors(arguments.vectors.as_deref(), pool, &out)?;
    for size in sizes {
        one_size(&folder.join(size.to_string()), size, &vectors, &out)?;
    }
    Ok(())
}

struct Out {
    json: bool,
}

impl Out {
    fn say(&self, case: &str, size: usize, milliseconds: &mut [f64], per_s: f64) -> Result<()> {
        self.line(case, size, milliseconds, per_s, None)
    }

    #[expect(clippy::print_stdout, reason = "figures are data")]
    fn line(
        &self,
        case: &str,
        size: usize,
        milliseconds: &mut [f64],
        per_s: f64,
        recall_at_10: Option<f64>,
    ) -> Result<()> {
        let line = Line {
            case: case.to_owned(),
            size,
            p50_ms: percentile(milliseconds, 0.5),
            p99_ms: percentile(milliseconds, 0.99),
            per_s,
            rss_mb: rss_mb(),
            recall_at_10,
        };
        if self.json {
            println!("{}", serde_json::to_string(&line)?);
        } else {
            let recall = recall_at_10.map_or_else(String::new, |recall| format!("  recall@10 {recall:.4}"));
            println!(
                "{case:<34} {size:>9}  p50 {:>9.3} ms  p99 {:>9.3} ms  {per_s:>10.0}/s  {:>6.0} MB{recall}",
                line.p50_ms, line.p99_ms, line.rss_mb
            );
        }
        Ok(())
    }
}

/// Resident memory of this process, from the kernel.
fn rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// What the disk gives: 4 KB appended and made durable, again and again.
fn raw_appends(folder: &Path, out: &Out) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("raw");
    let mut file = File::create(&path).context("can't create a file to measure the disk")?;
    let page = [7_u8; 4096];
    let start = Instant::now();
    let mut milliseconds = Vec::with_capacity(SINGLE_WRITES);
    for _ in 0..SINGLE_WRITES {
        let one = Instant::now();
        file.write_all(&page)?;
        file.sync_data()?;
        milliseconds.push(one.elapsed().as_secs_f64() * 1e3);
    }
    let per_s = SINGLE_WRITES as f64 / start.elapsed().as_secs_f64();
    std::fs::remove_file(path)?;
    out.say("raw append + fdatasync", SINGLE_WRITES, &mut milliseconds, per_s)
}

/// Vectors of the built-in model, made now or kept from before.
fn real_vectors(kept: Option<&Path>, count: usize, out: &Out) -> Result<Vec<Vec<f32>>> {
    let choice = Choice::Builtin { candidates: builtin_model_paths() };
    let embedder = embedding::open(&choice)?.context("the built-in model is needed")?;
    let mut texts = Texts::new(11);
    let texts: Vec<String> = (0..count).map(|_| texts.text().chars().take(60).collect()).collect();
    let mut milliseconds = Vec::new();
    let start = Instant::now();
    let mut vectors = Vec::with_capacity(count);
    if let Some(bytes) =
        kept.and_then(|path| std::fs::read(path).ok()).filter(|bytes| bytes.len() == count * DIMENSION * 4)
    {
        let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        vectors.extend(numbers.chunks(DIMENSION).map(<[f32]>::to_vec));
        return Ok(vectors);
    }
    for batch in texts.chunks(32) {
        let one = Instant::now();
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        vectors.extend(embedder.embed(&batch)?);
        milliseconds.push(one.elapsed().as_secs_f64() * 1e3 / batch.len() as f64);
    }
    out.say("embed a short text", count, &mut milliseconds, count as f64 / start.elapsed().as_secs_f64())?;
    if let Some(path) = kept {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(path, bytes)?;
    }
    Ok(vectors)
}

/// A vector near one of the model's: two of them mixed, as a text of two matters would be.
fn vector(real: &[Vec<f32>], place: usize, chance: &mut Chance) -> Vec<f32> {
    if let Some(vector) = real.get(place) {
        return vector.clone();
    }
    let (a, b) = (&real[chance.below(real.len())], &real[chance.below(real.len())]);
    let share = 0.3 + 0.4 * chance.share() as f32;
    let mixed: Vec<f32> = a.iter().zip(b).map(|(a, b)| share * a + (1.0 - share) * b).collect();
    let norm = mixed.iter().map(|x| x * x).sum::<f32>().sqrt();
    mixed.into_iter().map(|x| x / norm).collect()
}

fn one_size(folder: &Path, size: usize, real: &[Vec<f32>], out: &Out) -> Result<()> {
    let config = || Config { embedding: Choice::None, ..Config::at(folder) };
    let scope = Scope::default();
    let model = ModelId { name: "bench".to_owned(), dimension: DIMENSION };
    let made_before = folder.exists();
    let store = Arc::new(Sqlite::open(folder, Arc::new(Env::system()))?);
    let engine = Engine::over(Arc::clone(&store) as Arc<dyn Store>, config())?;
    if !made_before {
        writes(&engine, &*store, &model, real, size, out)?;
    }
    let mut milliseconds = vec![];
    reads(&engine, &*store, &scope, &model, real, size, out)?;
    drop(engine);
    drop(store);
    let start = Instant::now();
    let engine = Engine::open(config())?;
    engine.status()?;
    milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
    out.say("open", size, &mut milliseconds, 0.0)
}

fn writes(
    engine: &Engine,
    store: &dyn Store,
    model: &ModelId,
    real: &[Vec<f32>],
    size: usize,
    out: &Out,
) -> Result<()> {
    let scope = Scope::default();
    // Notes of the system: what a user says would open tasks at random.
    let event = |text: String| RawEvent::new(scope.clone(), Source::System, Kind::Note, text);
    let mut texts = Texts::new(size as u64);
    let singles = SINGLE_WRITES.min(size / 2);
    let mut milliseconds = Vec::with_capacity(singles);
    let start = Instant::now();
    for _ in 0..singles {
        let one = Instant::now();
        engine.observe(event(texts.text()))?;
        milliseconds.push(one.elapsed().as_secs_f64() * 1e3);
    }
    out.say("observe, one durable event", size, &mut milliseconds, singles as f64 / start.elapsed().as_secs_f64())?;

    // Texts are made beforehand: it is the engine that is measured.
    let rest: Vec<String> = (singles..size).map(|_| texts.text()).collect();
    let mut milliseconds = Vec::new();
    let start = Instant::now();
    for batch in rest.chunks(BATCH_EVENTS) {
        let one = Instant::now();
        for result in engine.observe_many(batch.iter().map(|text| (event(text.clone()), None)).collect())? {
            result?;
        }
        milliseconds.push(one.elapsed().as_secs_f64() * 1e3 / batch.len() as f64);
    }
    out.say("observe, in batches of 200", size, &mut milliseconds, rest.len() as f64 / start.elapsed().as_secs_f64())?;

    let mut chance = Chance::new(size as u64);
    for first in (1..=size).step_by(1_000) {
        let one = |place: usize, chance: &mut Chance| EventVectors {
            owner: scope.owner.clone(),
            seq: Seq(place as i64),
            passages: vec![vector(real, place - 1, chance)],
        };
        let vectors = (first..(first + 1_000).min(size + 1)).map(|place| one(place, &mut chance)).collect();
        store.put_vectors(model, vectors)?;
    }
    Ok(())
}

fn reads(
    engine: &Engine,
    store: &dyn Store,
    scope: &Scope,
    model: &ModelId,
    real: &[Vec<f32>],
    size: usize,
    out: &Out,
) -> Result<()> {
    let now = engine.now();
    let mut chance = Chance::new(5);
    let mut texts = Texts::new(7);
    // Each case asks other questions: what was read for one would help another that asks the same.
    let mut questions = || -> Vec<(Query, Embedded)> {
        let one = |_| {
            let query = Query::new(scope.clone(), texts.question(), now.clone());
            let vector = vector(real, usize::MAX, &mut chance);
            (query, Embedded { model: model.clone(), vector, common: None })
        };
        (0..QUESTIONS).map(one).collect()
    };
    let timed = |questions: &[(Query, Embedded)],
                 work: &mut dyn FnMut(&(Query, Embedded)) -> Result<()>|
     -> Result<(Vec<f64>, f64)> {
        let start = Instant::now();
        let mut milliseconds = Vec::with_capacity(questions.len());
        for question in questions {
            let one = Instant::now();
            work(question)?;
            milliseconds.push(one.elapsed().as_secs_f64() * 1e3);
        }
        Ok((milliseconds, questions.len() as f64 / start.elapsed().as_secs_f64()))
    };
    // Warm: a process that has been asked before.
    for (query, embedded) in questions() {
        engine.recall_with(&query, Some(&embedded))?;
    }
    let (mut milliseconds, per_s) =
        timed(&questions(), &mut |(query, embedded)| Ok(engine.recall_with(query, Some(embedded)).map(drop)?))?;
    out.say("recall, question embedded before", size, &mut milliseconds, per_s)?;
    let (mut milliseconds, per_s) =
        timed(&questions(), &mut |(query, _)| Ok(engine.recall_with(query, None).map(drop)?))?;
    out.say("recall, by words only", size, &mut milliseconds, per_s)?;
    let options = BlockOptions::default();
    // The tokenizer's tables are loaded by the first block.
    engine.context(&questions()[0].0, &options)?;
    let (mut milliseconds, per_s) =
        timed(&questions(), &mut |(query, _)| Ok(engine.context(query, &options).map(drop)?))?;
    out.say("context block, by words only", size, &mut milliseconds, per_s)?;
    let questions = questions();
    let filter = Filter::default();
    let (mut milliseconds, per_s) = timed(&questions, &mut |(_, embedded)| {
        let query = DenseQuery { model, vector: &embedded.vector, common: None };
        Ok(store.dense(&scope.owner, &query, &filter, 100).map(drop)?)
    })?;
    let recall = recall_at_10(store, scope, model, &questions, size)?;
    out.line("dense search", size, &mut milliseconds, per_s, Some(recall))
}

/// The share of the ten nearest by comparing every vector that the dense search finds among its first ten.
fn recall_at_10(
    store: &dyn Store,
    scope: &Scope,
    model: &ModelId,
    questions: &[(Query, Embedded)],
    size: usize,
) -> Result<f64> {
    let all: Vec<Seq> = (1..=size as i64).map(Seq).collect();
    let (mut found, mut wanted) = (0, 0);
    for (_, embedded) in questions.iter().take((EXACT_COMPARISONS / size).clamp(1, EXACT_QUESTIONS_MAX)) {
        let query = DenseQuery { model, vector: &embedded.vector, common: None };
        let mut exact = store.cosines(&scope.owner, &query, &all)?;
        exact.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
        exact.truncate(10);
        let near = store.dense(&scope.owner, &query, &Filter::default(), 10)?;
        found += near.iter().filter(|(seq, _)| exact.iter().any(|(other, _)| other == seq)).count();
        wanted += exact.len();
    }
    Ok(found as f64 / wanted as f64)
}
