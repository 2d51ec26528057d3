//! Learning while the store fails, and by several at once: nothing is lost, and nothing is there twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use crate::embedding::Choice;
use crate::engine::{Config, Engine};
use crate::env::Env;
use crate::llm::ScriptedLlm;
use crate::store::Store;
use crate::store::tests::faulty::Faulty;
use crate::store::tests::plain::Plain;
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::memory::{Memory, MemoryFilter, MemoryStatus};
use crate::types::scope::{Owner, Scope};

const SAID: &[&str] = &[
    "以后周报都用PDF。",
    "以后周报都用Word。",
    "From now on, always answer in English.",
    "我住在余杭。",
    "我对花生过敏。",
    "My manager is Ana Petrova.",
    "I prefer tabs over spaces.",
    "I don't like cilantro.",
    "今天先到这里。",
];

/// Opened again until it opens.
fn engine(store: Arc<dyn Store>, seed: u64) -> Engine {
    let env = Arc::new(Env::fixed(seed, "2026-03-02T09:00:00Z".parse().expect("a time")));
    let config = || Config { embedding: Choice::None, env: Arc::clone(&env), ..Config::at("unused") };
    let mut tries = (0..100).map(|_| Engine::over(Arc::clone(&store), config()));
    tries.find_map(Result::ok).expect("an engine")
}

/// Says it until it is recorded, by one key.
fn say(engine: &Engine, number: usize, text: &str) {
    let mut raw = RawEvent::new(Scope::default(), Source::User, Kind::Query, text);
    raw.idempotency_key = Some(format!("event {number}"));
    let minute = format!("2026-03-02T10:{number:02}:00+00:00");
    raw.occurred_at = Some(crate::types::moment::parse(&minute).expect("a time"));
    while engine.observe(raw.clone()).is_err() {}
}

fn memories(store: &dyn Store) -> Vec<Memory> {
    store.memories(&Owner::default(), &MemoryFilter::default()).expect("memories")
}

/// What is so in the end, whoever the memories are.
fn known(store: &dyn Store) -> BTreeSet<String> {
    let line = |memory: Memory| {
        format!("{} {} {:.4} ×{}", memory.status, memory.content, memory.confidence, memory.sources.len())
    };
    memories(store).into_iter().map(line).collect()
}

fn is_sound(memories: &[Memory]) {
    let mut slots = BTreeSet::new();
    for memory in memories.iter().filter(|memory| memory.status == MemoryStatus::Active) {
        assert!(slots.insert(memory.slot()), "two in force in {:?}", memory.slot());
    }
    for memory in memories {
        let of: BTreeSet<_> = memory.sources.iter().map(|source| (source.event, source.stance)).collect();
        assert_eq!(of.len(), memory.sources.len(), "an event counts once: {:?}", memory.sources);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_that_fails_loses_nothing_and_leaves_nothing_twice(
        said in prop::collection::vec(0..SAID.len(), 1..14),
        seed: u64,
    ) {
        let sound = Arc::new(Plain::default());
        let reference = engine(Arc::<Plain>::clone(&sound), 1);
        let faulty = Arc::new(Faulty::seeded(Plain::default(), seed, 0.15));
        let tried = engine(Arc::<Faulty<Plain>>::clone(&faulty), 1);
        for (number, text) in said.iter().enumerate() {
            say(&reference, number, SAID[*text]);
            say(&tried, number, SAID[*text]);
        }
        reference.learn(&Owner::default()).expect("learned");
        while tried.learn(&Owner::default()).is_err() {}
        is_sound(&memories(faulty.inner()));
        prop_assert_eq!(known(faulty.inner()), known(&*sound));
    }
}

/// Two engines over one store, as two processes would be if a store let them: each keeps its own view, the store decides.
#[test]
fn two_that_learn_at_once_lose_no_update_and_leave_no_duplicate() {
    for seed in 0..6 {
        let store: Arc<Plain> = Arc::default();
        let writer = engine(Arc::<Plain>::clone(&store), 100 + seed);
        let engines: Vec<Engine> = (0..3).map(|n| engine(Arc::<Plain>::clone(&store), 200 + 10 * seed + n)).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for (number, text) in SAID.iter().enumerate() {
                    say(&writer, number, text);
                }
            });
            for engine in &engines {
                scope.spawn(move || {
                    let llm = ScriptedLlm::always(r#"{"memories": []}"#);
                    for _ in 0..20 {
                        // Who was late has its change refused whole, and reads anew.
                        let _ = engine.learn(&Owner::default());
                        let _ = engine.induce(&Owner::default(), &llm);
                        std::thread::yield_now();
                    }
                });
            }
        });
        let last = engine(Arc::<Plain>::clone(&store), 300 + seed);
        last.learn(&Owner::default()).expect("learned");
        is_sound(&memories(&*store));
        let alone: Arc<Plain> = Arc::default();
        let reference = engine(Arc::<Plain>::clone(&alone), 1);
        SAID.iter().enumerate().for_each(|(number, text)| say(&reference, number, text));
        reference.learn(&Owner::default()).expect("learned");
        assert_eq!(known(&*store), known(&*alone));
    }
}

/// That nothing is to be learned is no reason to wait for the disk again: the watermark moves with what is learned, or when asked to.
#[test]
fn a_telling_word_that_teaches_nothing_costs_no_commit_of_its_own() {
    let store: Arc<Plain> = Arc::default();
    let engine = engine(Arc::<Plain>::clone(&store), 1);
    let learned = || store.memory_state(&Owner::default()).expect("a state").learned.0;
    say(&engine, 0, "这次周报用Excel，就这一次。");
    say(&engine, 1, "很好，就这样。");
    assert_eq!(learned(), 0);
    say(&engine, 2, "以后周报都用PDF。");
    assert_eq!((learned(), memories(&*store).len()), (3, 1));
    say(&engine, 3, "很好。");
    assert_eq!(learned(), 3);
    assert_eq!(engine.learn(&Owner::default()).expect("learned").events, 0, "it was looked through before");
    assert_eq!(learned(), 4);
    // And without anything told, it does not fall behind for ever.
    (4..58).for_each(|number| say(&engine, number, "嗯。"));
    assert!(learned() > 50, "{}", learned());
}
