//! The cache of codes finds what an exact scan finds, follows what is written, and forgets what is not used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use half::f16;

use super::super::Sqlite;
use super::super::dense::{Centred, Codes, DenseCache};
use super::super::row::OwnerNumber;
use crate::store::tests::samples::{self, Random, owner};
use crate::store::{DenseQuery, EventPage, ModelId, Store};
use crate::types::change::EventVectors;
use crate::types::ids::Seq;
use crate::types::query::Filter;
use crate::types::scope::Owner;

const DIMENSION: usize = 128;

fn model() -> ModelId {
    ModelId { name: "clustered".to_owned(), dimension: DIMENSION }
}

/// About normal: the sum of a few uniform numbers.
fn normal(random: &mut Random) -> f32 {
    (0..4).map(|_| random.unit() as f32 - 0.5).sum::<f32>()
}

/// Like sentences: a large common part, one of some topics, and something of their own.
struct Clustered {
    common: Vec<f32>,
    topics: Vec<Vec<f32>>,
}

impl Clustered {
    fn new(random: &mut Random) -> Self {
        let mut vector = |scale: f32| (0..DIMENSION).map(|_| scale * normal(random)).collect::<Vec<f32>>();
        Self { common: vector(3.0), topics: (0..40).map(|_| vector(1.0)).collect() }
    }

    fn vector(&self, random: &mut Random) -> Vec<f32> {
        let topic = random.below(self.topics.len() as u64) as usize;
        samples::unit((0..DIMENSION).map(|i| self.common[i] + self.topics[topic][i] + normal(random)).collect())
    }
}

fn commit_events(store: &dyn Store, owner: &Owner, count: usize) {
    let env = samples::env();
    env.advance(jiff::SignedDuration::from_hours(store.status().expect("a status").events as i64));
    let env = crate::env::Env::fixed(store.status().expect("a status").events, env.now());
    let events = (0..count).map(|_| samples::event(&env, owner, "s", "x")).collect();
    store.commit(samples::change(&env, owner, events)).expect("a commit");
}

fn put(store: &dyn Store, owner: &Owner, from: i64, vectors: &[Vec<f32>]) {
    let vectors = (from..).zip(vectors).map(|(seq, vector)| EventVectors {
        owner: owner.clone(),
        seq: Seq(seq),
        passages: vec![vector.clone()],
    });
    store.put_vectors(&model(), vectors.collect()).expect("vectors");
}

fn found(store: &dyn Store, owner: &Owner, vector: &[f32], limit: usize) -> Vec<i64> {
    let query = DenseQuery { model: &model(), vector, common: None };
    let found = store.dense(owner, &query, &Filter::default(), limit).expect("a search");
    found.into_iter().map(|(seq, _)| seq.0).collect()
}

/// What an exact scan of everything finds.
fn exact(store: &dyn Store, owner: &Owner, vector: &[f32], limit: usize) -> Vec<i64> {
    let all = EventPage { limit: usize::MAX, ..EventPage::default() };
    let all: Vec<Seq> = store.events(owner, &all).expect("events").into_iter().map(|event| event.seq).collect();
    let query = DenseQuery { model: &model(), vector, common: None };
    let mut scored = store.cosines(owner, &query, &all).expect("cosines");
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.into_iter().take(limit).map(|(seq, _)| seq.0).collect()
}

fn recall(store: &dyn Store, owner: &Owner, queries: &[Vec<f32>]) -> f64 {
    let hits = queries.iter().map(|query| {
        let (found, exact) = (found(store, owner, query, 10), exact(store, owner, query, 10));
        exact.iter().filter(|seq| found.contains(seq)).count()
    });
    hits.sum::<usize>() as f64 / (10 * queries.len()) as f64
}

#[test]
fn codes_find_what_an_exact_scan_finds() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let mut random = Random::new(1);
    let texts = Clustered::new(&mut random);
    commit_events(&store, &owner("me"), 4_000);
    let vectors: Vec<Vec<f32>> = (0..4_000).map(|_| texts.vector(&mut random)).collect();
    put(&store, &owner("me"), 1, &vectors);
    let queries: Vec<Vec<f32>> = (0..40).map(|_| texts.vector(&mut random)).collect();
    let recall = recall(&store, &owner("me"), &queries);
    assert!(recall >= 0.99, "recall@10 is {recall}");
}

#[test]
fn codes_follow_what_is_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let mut random = Random::new(2);
    let texts = Clustered::new(&mut random);
    let me = owner("me");
    let mut present = 0;
    // Growing through several centres, each batch found as soon as it is there.
    for batch in [1, 2, 5, 40, 300, 700] {
        commit_events(&store, &me, batch);
        let vectors: Vec<Vec<f32>> = (0..batch).map(|_| texts.vector(&mut random)).collect();
        put(&store, &me, present + 1, &vectors);
        for (place, vector) in vectors.iter().enumerate().step_by(37) {
            assert_eq!(found(&store, &me, vector, 1), [present + 1 + place as i64]);
        }
        present += batch as i64;
    }
    // Replaced: the old place is not found any more, the new one is.
    let fresh: Vec<Vec<f32>> = (0..100).map(|_| texts.vector(&mut random)).collect();
    put(&store, &me, 1, &fresh);
    for (place, vector) in fresh.iter().enumerate().step_by(7) {
        assert_eq!(found(&store, &me, vector, 1), [1 + place as i64]);
    }
    // Taken away without a replacement, most of them: all that is left is still found.
    let gone: Vec<EventVectors> =
        (1..=900).map(|seq| EventVectors { owner: me.clone(), seq: Seq(seq), passages: Vec::new() }).collect();
    store.put_vectors(&model(), gone).expect("vectors");
    assert_eq!(found(&store, &me, &fresh[0], 5_000).len(), present as usize - 900);
    // The same store opened anew gives the same answers, scores and all.
    let query = DenseQuery { model: &model(), vector: &fresh[3], common: None };
    let before = store.dense(&me, &query, &Filter::default(), 50).expect("a search");
    drop(store);
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    assert_eq!(store.dense(&me, &query, &Filter::default(), 50).expect("a search"), before);
    let other = ModelId { name: "other".to_owned(), ..model() };
    store.activate_model(&other).expect("a switch");
    assert_eq!(found(&store, &me, &fresh[0], 10), Vec::<i64>::new());
}

#[test]
fn a_reader_elsewhere_sees_a_change_of_model() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let mut random = Random::new(3);
    let texts = Clustered::new(&mut random);
    let me = owner("me");
    commit_events(&store, &me, 20);
    let vectors: Vec<Vec<f32>> = (0..20).map(|_| texts.vector(&mut random)).collect();
    put(&store, &me, 1, &vectors);
    // Its own cache, which nobody clears.
    let reader = Sqlite::open_read_only(directory.path()).expect("a reader");
    assert_eq!(found(&reader, &me, &vectors[4], 1), [5]);
    let other = ModelId { name: "other".to_owned(), dimension: 8 };
    store.activate_model(&other).expect("a switch");
    store.activate_model(&model()).expect("and back");
    assert_eq!(found(&reader, &me, &vectors[4], 1), Vec::<i64>::new());
    put(&store, &me, 1, &vectors[10..]);
    assert_eq!(found(&reader, &me, &vectors[14], 1), [5]);
    assert_eq!(found(&reader, &me, &vectors[14], 99).len(), 10);
}

#[test]
fn readers_and_a_writer_share_a_collection() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Arc::new(Sqlite::open(directory.path(), samples::env()).expect("a store"));
    let mut random = Random::new(4);
    let texts = Clustered::new(&mut random);
    let vectors: Vec<Vec<f32>> = (0..400).map(|_| texts.vector(&mut random)).collect();
    commit_events(&*store, &owner("me"), 400);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in 0..2_usize {
            let (store, vectors, done) = (&store, &vectors, &done);
            scope.spawn(move || {
                let mut looked = 0;
                while !done.load(Ordering::Relaxed) || looked == 0 {
                    let rows = found(&**store, &owner("me"), &vectors[(looked * 7 + reader) % 400], 50);
                    let mut once = rows.clone();
                    once.sort_unstable();
                    once.dedup();
                    assert_eq!(once.len(), rows.len(), "an event is found once");
                    looked += 1;
                }
            });
        }
        for (number, batch) in vectors.chunks(20).enumerate() {
            put(&*store, &owner("me"), 1 + 20 * number as i64, batch);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(found(&*store, &owner("me"), &vectors[0], 1_000).len(), 400);
    assert_eq!(found(&*store, &owner("me"), &vectors[399], 1), [400]);
}

#[test]
fn the_collection_used_longest_ago_goes_first() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let mut random = Random::new(5);
    let texts = Clustered::new(&mut random);
    for who in ["a", "b", "c"] {
        commit_events(&store, &owner(who), 50);
        let vectors: Vec<Vec<f32>> = (0..50).map(|_| texts.vector(&mut random)).collect();
        put(&store, &owner(who), 1, &vectors);
    }
    let cache = DenseCache::default();
    let connection = store.readers.get().expect("a reader");
    let (model, vector) = (model(), texts.vector(&mut random));
    let query = DenseQuery { model: &model, vector: &vector, common: None };
    for number in [1, 2, 3, 1] {
        cache.index(&connection, OwnerNumber(number), 1, &query).expect("codes");
    }
    assert_eq!(cache.cached(), [OwnerNumber(1), OwnerNumber(2), OwnerNumber(3)]);
    // Codes, half floats, ids, rows and factors, with some room.
    cache.evict_above(2 * 50 * (DIMENSION / 8 + 2 * DIMENSION + 24), (OwnerNumber(1), 1));
    assert_eq!(cache.cached(), [OwnerNumber(1), OwnerNumber(3)]);
    cache.evict_above(0, (OwnerNumber(1), 1));
    assert_eq!(cache.cached(), [OwnerNumber(1)], "what is being used stays");
    drop(connection);
    for who in ["a", "b", "c"] {
        assert_eq!(found(&store, &owner(who), &vector, 99).len(), 50);
    }
}

#[test]
fn vectors_that_are_all_the_same_are_all_found() {
    let mut codes = Codes::new(DIMENSION);
    codes.centre = vec![0.5; DIMENSION];
    let query = Centred::new(&[1.0; DIMENSION], &codes.centre);
    let rows = |codes: &Codes, wanted, allowed| {
        let near = codes.nearest(&query, wanted, allowed);
        near.into_iter().map(|near| near.row).collect::<Vec<i64>>()
    };
    (0..20).for_each(|id| codes.add(id, id, &[f16::from_f32(0.5); DIMENSION]));
    assert_eq!(rows(&codes, 50, None).len(), 20);
    assert_eq!(rows(&codes, 50, Some(&[3, 7])).len(), 2);
    assert_eq!(rows(&Codes::new(DIMENSION), 5, None), Vec::<i64>::new());
}
