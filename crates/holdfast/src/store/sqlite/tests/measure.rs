//! What the store costs, on a synthetic store of mixed Chinese and English talk. Not a test: run it by hand, in release.
//!
//! `HOLDFAST_MEASURE_ROWS=100000 cargo test --release -p holdfast --lib measure -- --ignored --nocapture`

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use half::f16;
use jiff::Timestamp;

use super::super::Sqlite;
use super::super::dense::{Centred, Codes};
use crate::env::Env;
use crate::store::tests::samples::{self, Random, owner};
use crate::store::{DenseQuery, EventPage, ModelId, Store};
use crate::types::change::{ChangeSet, EventVectors};
use crate::types::ids::Seq;
use crate::types::query::Filter;

const BATCH: usize = 100;
const VOCABULARY: u64 = 60_000;

fn rows() -> usize {
    std::env::var("HOLDFAST_MEASURE_ROWS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

/// A word drawn by Zipf's law: rank r about 1/r of the time.
fn word(random: &mut Random) -> u64 {
    let u = random.unit();
    ((VOCABULARY as f64).powf(u) - 1.0) as u64
}

/// About 60 terms: half Latin words, half Chinese characters with their bigrams.
fn terms(random: &mut Random) -> (String, String) {
    let (mut content, mut terms) = (String::new(), Vec::new());
    for _ in 0..20 {
        let w = format!("w{}", word(random));
        content.push_str(&w);
        content.push(' ');
        terms.push(w);
    }
    let mut before: Option<char> = None;
    for _ in 0..20 {
        let c = char::from_u32(0x4e00 + (word(random) % 3_000) as u32).unwrap_or('一');
        content.push(c);
        if let Some(b) = before {
            terms.push(format!("{b}{c}"));
        }
        terms.push(c.to_string());
        before = Some(c);
    }
    (content, terms.join(" "))
}

fn change(env: &Env, random: &mut Random, who: &str, events: usize) -> ChangeSet {
    let mut changes = ChangeSet { owner: owner(who), ..ChangeSet::default() };
    for _ in 0..events {
        let (content, terms) = terms(random);
        let session = format!("session-{}", random.below(200));
        let mut event = samples::event(env, &changes.owner, &session, &content);
        event.terms = terms;
        event.event.idempotency_key = Some(format!("key-{}", event.event.id));
        event.signals = samples::signals();
        changes.operations.push(samples::observed(env, &event.event));
        changes.events.push(event);
    }
    changes
}

/// Processor time of the thread with this name so far, by Linux's own count: other work on the machine does not add to it.
fn processor_time(thread: &str) -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let ours = tasks.filter(|task| std::fs::read_to_string(task.path().join("comm")).is_ok_and(|c| c.trim() == thread));
    let nanos = ours.filter_map(|task| {
        let line = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        line.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

fn percentiles(label: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{label}: p50 {:.2} ms, p99 {:.2} ms, {} times", at(0.5), at(0.99), times.len());
}

#[test]
#[ignore = "a measurement, for release builds"]
fn measure() {
    let kept = std::env::var_os("HOLDFAST_MEASURE_DIR").map(std::path::PathBuf::from);
    let temporary = tempfile::tempdir().unwrap();
    let directory = kept.as_deref().unwrap_or(temporary.path());
    let env = Arc::new(Env::fixed(7, "2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap()));
    let mut random = Random::new(7);
    let store = Sqlite::open(directory, Arc::clone(&env)).unwrap();
    let total = rows();
    let present = store.status().unwrap().events as usize;
    if present < total {
        let mut writing = Duration::ZERO;
        let mut slowest = Duration::ZERO;
        for n in 0..total / BATCH {
            // One owner in a hundred batches is a small one.
            let who = if n % 100 == 99 { "few" } else { "many" };
            let changes = change(&env, &mut random, who, BATCH);
            let began = Instant::now();
            store.commit(changes).unwrap();
            writing += began.elapsed();
            slowest = slowest.max(began.elapsed());
        }
        let each = processor_time("holdfast-writer").as_secs_f64() * 1e6 / total as f64;
        println!(
            "insert: {:.0} events/s by {BATCH}, {each:.1} µs of processor time each, slowest commit {slowest:?}",
            total as f64 / writing.as_secs_f64()
        );
    }
    println!("bytes: {} MB", store.status().unwrap().bytes / 1_000_000);
    single(&store, &env, &mut random, directory);
    let began = Instant::now();
    drop(store);
    println!("close: {:?}", began.elapsed());
    let began = Instant::now();
    let store = Sqlite::open(directory, Arc::clone(&env)).unwrap();
    store.events(&owner("many"), &EventPage { limit: 1, ..EventPage::default() }).unwrap();
    println!("open: {:?}", began.elapsed());
    let began = Instant::now();
    store.status().unwrap();
    println!("status: {:?}", began.elapsed());
    if std::env::var_os("HOLDFAST_MEASURE_WRITES").is_some() {
        return;
    }
    for who in ["many", "few"] {
        search(&store, &mut random, who);
    }
    dense(&store, &mut random, total.min(100_000));
}

fn dense(store: &Sqlite, random: &mut Random, vectors: usize) {
    let model = ModelId { name: "measured".to_owned(), dimension: 384 };
    let owner = owner("many");
    let mut vector = || samples::unit((0..384).map(|_| random.unit() as f32 - 0.3).collect());
    let last =
        store.events(&owner, &EventPage { newest_first: true, limit: 1, ..EventPage::default() }).unwrap()[0].seq.0;
    let (mut writing, mut written) = (Duration::ZERO, 0);
    for from in (1..last.min(vectors as i64)).step_by(500) {
        let batch: Vec<EventVectors> = (from..(from + 500).min(last))
            .map(|seq| EventVectors { owner: owner.clone(), seq: Seq(seq), passages: vec![vector()] })
            .collect();
        written += batch.len();
        let began = Instant::now();
        store.put_vectors(&model, batch).unwrap();
        writing += began.elapsed();
    }
    println!("vectors: {:.0} /s by 500", written as f64 / writing.as_secs_f64());
    let mut times = Vec::new();
    for _ in 0..100 {
        let vector = vector();
        let query = DenseQuery { model: &model, vector: &vector, common: None };
        let began = Instant::now();
        assert_eq!(store.dense(&owner, &query, &Filter::default(), 100).unwrap().len(), 100);
        times.push(began.elapsed());
    }
    println!("dense, first of {written}: {:?}", times[0]);
    percentiles("dense, again", times.split_off(1));
}

fn single(store: &Sqlite, env: &Env, random: &mut Random, directory: &std::path::Path) {
    let changes: Vec<ChangeSet> = (0..1_000).map(|_| change(env, random, "many", 1)).collect();
    let mut times = Vec::new();
    let before = processor_time("holdfast-writer");
    let began = Instant::now();
    for change in changes {
        let began = Instant::now();
        store.commit(change).unwrap();
        times.push(began.elapsed());
    }
    let elapsed = began.elapsed();
    let each = (processor_time("holdfast-writer") - before).as_micros() / 1_000;
    println!("one at a time: {:.0} commits/s, {each} µs of processor time each", 1_000.0 / elapsed.as_secs_f64());
    percentiles("  each", times);
    let mut file = std::fs::File::create(directory.join("raw")).unwrap();
    let began = Instant::now();
    for _ in 0..1_000 {
        file.write_all(&[7; 4096]).unwrap();
        file.sync_data().unwrap();
    }
    println!("  raw append + fdatasync: {:.0} /s", 1_000.0 / began.elapsed().as_secs_f64());
}

fn search(store: &Sqlite, random: &mut Random, who: &str) {
    let owner = owner(who);
    for (label, limit) in [("lexical, first", 100), ("lexical, again", 100)] {
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..200 {
            let (_, text) = terms(random);
            let query: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let query: Vec<String> = (0..12).map(|_| query[random.below(60) as usize % query.len()].clone()).collect();
            let began = Instant::now();
            found += store.lexical(&owner, &query, &Filter::default(), limit).unwrap().rows.len();
            times.push(began.elapsed());
        }
        percentiles(&format!("{who}: {label} ({found} found)"), times);
    }
    let filter = Filter { session: Some("session-7".parse().unwrap()), ..Filter::default() };
    let mut times = Vec::new();
    for _ in 0..100 {
        let (_, text) = terms(random);
        let query: Vec<String> = text.split(' ').take(12).map(str::to_owned).collect();
        let began = Instant::now();
        store.lexical(&owner, &query, &filter, 100).unwrap();
        times.push(began.elapsed());
    }
    percentiles(&format!("{who}: lexical within a session"), times);
    let last =
        store.events(&owner, &EventPage { newest_first: true, limit: 1, ..EventPage::default() }).unwrap()[0].seq;
    let mut times = Vec::new();
    for _ in 0..200 {
        let positions: Vec<Seq> = (0..100).map(|_| Seq(1 + random.below(last.0 as u64) as i64)).collect();
        let began = Instant::now();
        store.events_at(&owner, &positions).unwrap();
        times.push(began.elapsed());
    }
    percentiles(&format!("{who}: events_at of 100"), times);
}

#[test]
#[ignore = "a measurement, for release builds"]
fn measure_scan() {
    const DIMENSION: usize = 384;
    let mut random = Random::new(1);
    let pool: Vec<f16> = (0..100_000).map(|_| f16::from_f64(random.unit() - 0.5)).collect();
    let mut codes = Codes::new(DIMENSION);
    codes.centre = vec![0.0; DIMENSION];
    for count in [100_000, 1_000_000] {
        while codes.len() < count {
            let at = random.below((pool.len() - DIMENSION) as u64) as usize;
            codes.add(codes.len() as i64, codes.len() as i64, &pool[at..at + DIMENSION]);
        }
        let mut times = Vec::new();
        for _ in 0..50 {
            let at = random.below((pool.len() - DIMENSION) as u64) as usize;
            let query: Vec<f32> = pool[at..at + DIMENSION].iter().map(|half| half.to_f32()).collect();
            let query = Centred::new(&query, &codes.centre);
            let began = Instant::now();
            assert_eq!(codes.nearest(&query, 400, None).len(), 400);
            times.push(began.elapsed());
        }
        percentiles(&format!("scan of {count} codes of {DIMENSION} bits"), times);
    }
}
