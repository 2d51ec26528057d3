//! What fails around the store: a full disk, a medium that can't be written, a file that is not ours, another process. Each has its
//! own error, and none takes anything with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

use super::super::writer::{self, Point, Probe};
use super::super::{FILE_NAME, Sqlite};
use super::crash::Writing;
use crate::store::tests::samples::{self, Random, id, owner, say};
use crate::store::{DenseQuery, EventPage, JournalPage, Store, StoreError};
use crate::types::change::{ArchivedBody, EventVectors, SessionState};
use crate::types::ids::Seq;
use crate::types::query::Filter;

fn open(directory: &Path) -> Result<Sqlite, StoreError> {
    Sqlite::open(directory, samples::env())
}

fn filled(directory: &Path, events: usize) {
    let (store, env) = (open(directory).expect("a store"), samples::env());
    for n in 0..events {
        say(&store, &env, &owner("me"), "s", &format!("word w{n}"));
    }
    let mut change = samples::change(&env, &owner("me"), Vec::new());
    change.tasks.push(samples::task(&env, &owner("me"), "t", crate::types::ids::EventId(env.id()), 1));
    change.sessions.push(SessionState { session: id("s"), task: Some(id("t")) });
    change.archived.push(ArchivedBody { seq: Seq(1), summary: "sum".to_owned(), terms: "sum".to_owned() });
    store.commit(change).expect("a commit");
    let passages = vec![samples::vector(&mut Random::new(1), 0)];
    let vectors = vec![EventVectors { owner: owner("me"), seq: Seq(1), passages }];
    store.put_vectors(&samples::model(), vectors).expect("vectors");
}

fn count(store: &dyn Store) -> usize {
    store.events(&owner("me"), &EventPage { limit: usize::MAX, ..EventPage::default() }).expect("events").len()
}

/// Opening fails so, both ways, and leaves the file as it is.
fn check_refused(directory: &Path, expected: &str) {
    let file = directory.join(FILE_NAME);
    let before = fs::read(&file).expect("the file");
    for error in [open(directory).expect_err("a refusal"), Sqlite::open_read_only(directory).expect_err("a refusal")] {
        let shown = error.to_string();
        assert!(shown.contains(expected), "{shown}");
        assert!(!shown.contains("panick") && shown.len() > 40, "{shown}");
    }
    assert!(fs::read(&file).expect("the file") == before, "the file was touched");
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join(FILE_NAME), "these are my notes, not a database at all ".repeat(200))
        .expect("a file");
    check_refused(directory.path(), "the store is damaged");
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let other = rusqlite::Connection::open(directory.path().join(FILE_NAME)).expect("a database");
    other.execute_batch("CREATE TABLE photo (id INTEGER); INSERT INTO photo VALUES (1)").expect("a table");
    drop(other);
    check_refused(directory.path(), "database of something else");
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    filled(directory.path(), 3);
    let newer = rusqlite::Connection::open(directory.path().join(FILE_NAME)).expect("a database");
    newer.pragma_update(None, "user_version", 99).expect("a version");
    drop(newer);
    check_refused(directory.path(), "schema 99");
}

#[test]
fn a_file_that_lost_its_end_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    filled(directory.path(), 200);
    let file = fs::OpenOptions::new().write(true).open(directory.path().join(FILE_NAME)).expect("the file");
    let length = file.metadata().expect("its length").len();
    file.set_len(length / 2 / 4096 * 4096).expect("a shorter file");
    check_refused(directory.path(), "its end is missing");
    file.set_len(50).expect("a shorter file");
    check_refused(directory.path(), "the store is damaged");
}

#[test]
fn an_empty_file_is_a_store_not_yet_made() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join(FILE_NAME), "").expect("a file");
    let missing = |error: StoreError| matches!(error, StoreError::Missing { path } if path == directory.path());
    assert!(missing(Sqlite::open_read_only(directory.path()).expect_err("a refusal")));
    // Whoever ended between the first page and the schema left no more than that.
    let begun = rusqlite::Connection::open(directory.path().join(FILE_NAME)).expect("a database");
    begun.execute_batch("PRAGMA journal_mode = WAL").expect("a first page");
    drop(begun);
    assert!(missing(Sqlite::open_read_only(directory.path()).expect_err("a refusal")));
    filled(directory.path(), 1);
    assert_eq!(count(&Sqlite::open_read_only(directory.path()).expect("a store")), 1);
}

#[test]
fn a_directory_that_is_a_file_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store");
    fs::write(&path, "x").expect("a file");
    let error = open(&path).expect_err("a refusal");
    assert!(matches!(&error, StoreError::NotWritable { path: p, .. } if *p == path), "{error}");
    let missing = Sqlite::open_read_only(&directory.path().join("none")).expect_err("a refusal");
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    assert!(!directory.path().join("none").exists(), "looking makes nothing");
}

/// Whatever byte of the file is wrong, reading says so or gives what it can: it never panics, and no other process is needed.
#[test]
fn wrong_bytes_are_errors_not_panics() {
    let directory = tempfile::tempdir().expect("a directory");
    filled(directory.path(), 60);
    let file = directory.path().join(FILE_NAME);
    let whole = fs::read(&file).expect("the file");
    let mut random = Random::new(9);
    let (mut refused, mut served) = (0, 0);
    for _ in 0..150 {
        let mut damaged = whole.clone();
        for _ in 0..1 + random.below(20) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.next() as u8;
        }
        fs::write(&file, &damaged).expect("a file");
        match Sqlite::open_read_only(directory.path()) {
            Ok(store) => {
                let results = read_everything(&store);
                refused += results.iter().filter(|ok| !**ok).count();
                served += results.iter().filter(|ok| **ok).count();
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0 && served > 0, "{refused} refused, {served} served");
}

fn read_everything(store: &dyn Store) -> Vec<bool> {
    let me = owner("me");
    let positions: Vec<Seq> = (1..80).map(Seq).collect();
    let terms = ["word".to_owned(), "w7".to_owned(), "sum".to_owned()];
    let (model, vector) = (samples::model(), samples::vector(&mut Random::new(1), 0));
    let query = DenseQuery { model: &model, vector: &vector, common: None };
    let within = Filter { session: Some(id("s")), ..Filter::default() };
    vec![
        store.events(&me, &EventPage { limit: 99, ..EventPage::default() }).is_ok(),
        store.events_at(&me, &positions).is_ok(),
        store.traits(&me, &positions).is_ok(),
        store.body(&me, Seq(1)).is_ok(),
        store.tasks(&me, 9).is_ok(),
        store.session(&me, &id("s")).is_ok(),
        store.lexical(&me, &terms, &Filter::default(), 9).is_ok(),
        store.lexical(&me, &terms, &within, 9).is_ok(),
        store.dense(&me, &query, &Filter::default(), 9).is_ok(),
        store.unembedded(&model, 9).is_ok(),
        store.journal(&me, &JournalPage { limit: 99, ..JournalPage::default() }).is_ok(),
        store.status().is_ok(),
        store.dump(&mut std::io::sink()).is_ok(),
    ]
}

#[test]
fn a_store_opened_for_reading_refuses_writes() {
    let directory = tempfile::tempdir().expect("a directory");
    filled(directory.path(), 2);
    let store = Sqlite::open_read_only(directory.path()).expect("a store");
    let change = samples::change(&samples::env(), &owner("me"), Vec::new());
    assert!(matches!(store.commit(change), Err(StoreError::ReadOnly)));
    assert!(matches!(store.put_vectors(&samples::model(), Vec::new()), Err(StoreError::ReadOnly)));
    assert!(matches!(store.activate_model(&samples::model()), Err(StoreError::ReadOnly)));
    assert!(!store.status().expect("a status").writable);
}

#[test]
fn a_second_writer_is_told_who_writes_and_readers_go_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut writing = Writing::start(directory.path(), usize::MAX, 0, 1);
    writing.next().expect("a first write");
    let error = open(directory.path()).expect_err("a refusal");
    let shown = error.to_string();
    assert!(matches!(error, StoreError::Locked { .. }), "{shown}");
    assert!(shown.contains(&format!("process {}", writing.process.id())), "{shown}");
    let reader = Sqlite::open_read_only(directory.path()).expect("a reader");
    let before = count(&reader);
    while count(&reader) < before + 20 {
        writing.next().expect("a child that writes");
        reader.dump(&mut std::io::sink()).expect("a valid store at any moment");
    }
    let hits = reader.lexical(&owner("me"), &["网关".to_owned()], &Filter::default(), 99).expect("a search");
    assert!(hits.rows.len() >= 10);
    writing.kill(0);
    open(directory.path()).expect("the lock went with its process");
}

#[test]
fn the_same_process_can_not_write_twice() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = open(directory.path()).expect("a store");
    assert!(matches!(open(directory.path()), Err(StoreError::Locked { .. })));
    drop(first);
    open(directory.path()).expect("a store");
}

/// Threads that write at once, each change answered for itself: what was acknowledged is there, what was refused is not.
fn write_from_threads(store: &Sqlite, round: &str, threads: usize, writes: usize) -> (usize, usize) {
    let barrier = Barrier::new(threads);
    let results: Vec<(String, Result<(), StoreError>)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..threads)
            .map(|thread| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let seed = (round.len() * 100 + thread) as u64;
                    let env = crate::env::Env::fixed(seed, samples::env().now());
                    barrier.wait();
                    let one = |n: usize| {
                        let word = format!("{round}t{thread}n{n}");
                        let mut event =
                            samples::event(&env, &owner("me"), "s", &format!("{word} {}", "x".repeat(3_000)));
                        event.terms.clone_from(&word);
                        let committed = store.commit(samples::change(&env, &owner("me"), vec![event]));
                        (word, committed.map(|_| ()))
                    };
                    (0..writes).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });
    let acknowledged = results.iter().filter(|(_, result)| result.is_ok()).count();
    for (word, result) in &results {
        let found = store.lexical(&owner("me"), std::slice::from_ref(word), &Filter::default(), 9).expect("a search");
        assert_eq!(found.rows.len(), usize::from(result.is_ok()), "{word}: {result:?}");
        if let Err(error) = result {
            assert!(matches!(error, StoreError::DiskFull), "{error}");
        }
    }
    (acknowledged, results.len() - acknowledged)
}

#[test]
fn a_full_disk_takes_nothing_with_it() {
    let directory = tempfile::tempdir().expect("a directory");
    filled(directory.path(), 10);
    let limited = Sqlite::open_with(directory.path(), None, samples::env(), writer::no_probe(), |connection| {
        connection.pragma_update(None, "max_page_count", 160)
    });
    let store = limited.expect("a store");
    let (acknowledged, refused) = write_from_threads(&store, "full", 8, 25);
    assert!(acknowledged > 0 && refused > 0, "{acknowledged} acknowledged, {refused} refused");
    assert_eq!(count(&store), 10 + acknowledged);
    store.dump(&mut std::io::sink()).expect("a valid store");
    drop(store);
    // With room again it goes on.
    let store = open(directory.path()).expect("a store");
    assert_eq!(write_from_threads(&store, "again", 4, 5), (20, 0));
    assert_eq!(count(&store), 10 + acknowledged + 20);
    store.dump(&mut std::io::sink()).expect("a valid store");
}

#[test]
fn a_refused_change_does_not_hurt_its_neighbours() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open(directory.path()).expect("a store");
    let barrier = Barrier::new(12);
    let done: Vec<bool> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..12_u64)
            .map(|thread| {
                let (store, barrier) = (&store, &barrier);
                scope.spawn(move || {
                    let env = crate::env::Env::fixed(thread + 7, samples::env().now());
                    barrier.wait();
                    let mut done = Vec::new();
                    for n in 0..20 {
                        let event = samples::event(&env, &owner("me"), "s", "x");
                        let mut change = samples::change(&env, &owner("me"), vec![event]);
                        if (n + thread) % 3 == 0 {
                            let source = change.events[0].event.id;
                            change.tasks.push(samples::task(&env, &owner("me"), "t", source, 9));
                        }
                        done.push(store.commit(change).is_ok());
                    }
                    done
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    });
    assert_eq!((done.len(), count(&store)), (240, 160));
    assert_eq!(done.iter().filter(|ok| **ok).count(), 160);
    store.dump(&mut std::io::sink()).expect("a valid store");
}

#[test]
fn the_writer_outlives_a_panic() {
    let directory = tempfile::tempdir().expect("a directory");
    let armed = Arc::new(AtomicBool::new(true));
    let probe: Probe = {
        let armed = Arc::clone(&armed);
        Arc::new(move |at| {
            assert!(!(at == Point::JournalWritten && armed.swap(false, Ordering::Relaxed)), "as planned")
        })
    };
    let store = Sqlite::open_with(directory.path(), None, samples::env(), probe, |_| Ok(())).expect("a store");
    let env = samples::env();
    let change = samples::change(&env, &owner("me"), vec![samples::event(&env, &owner("me"), "s", "x")]);
    assert!(matches!(store.commit(change.clone()), Err(StoreError::Closed)));
    assert_eq!(count(&store), 0);
    assert_eq!(store.commit(change).expect("a commit").events[0].seq, Seq(1));
    store.dump(&mut std::io::sink()).expect("a valid store");
}

/// A file system of our own, if this user may mount one.
struct Mounted {
    path: PathBuf,
}

impl Mounted {
    fn tmpfs(path: &Path, megabytes: u32) -> Option<Self> {
        let size = format!("size={megabytes}m");
        let mounted = Self { path: path.to_owned() };
        let path = path.to_str()?;
        mounted.mount(&["-t", "tmpfs", "-o", &size, "tmpfs", path]).then_some(mounted)
    }

    fn make_read_only(&self) -> bool {
        self.path.to_str().is_some_and(|path| self.mount(&["-o", "remount,ro", path]))
    }

    fn mount(&self, arguments: &[&str]) -> bool {
        Command::new("mount").args(arguments).output().is_ok_and(|output| output.status.success())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // If the mount failed there is nothing to take down.
        let _ = Command::new("umount").arg(&self.path).output();
    }
}

#[test]
fn a_file_system_that_runs_full_takes_nothing_with_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(_mounted) = Mounted::tmpfs(directory.path(), 2) else {
        println!("skipped: this user may not mount a tmpfs");
        return;
    };
    let path = directory.path().join("store");
    let store = open(&path).expect("a store");
    let (acknowledged, refused) = write_from_threads(&store, "full", 8, 60);
    assert!(acknowledged > 0 && refused > 0, "{acknowledged} acknowledged, {refused} refused");
    drop(store);
    let reader = Sqlite::open_read_only(&path).expect("a store");
    assert_eq!(count(&reader), acknowledged);
    reader.dump(&mut std::io::sink()).expect("a valid store");
}

#[test]
fn a_read_only_medium_is_read_and_not_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(mounted) = Mounted::tmpfs(directory.path(), 16) else {
        println!("skipped: this user may not mount a tmpfs");
        return;
    };
    let (clean, pending) = (directory.path().join("clean"), directory.path().join("pending"));
    filled(&clean, 5);
    filled(&pending, 5);
    // As a crash leaves it: what was committed last is only in the write-ahead log.
    let writing = open(&pending).expect("a store");
    let env = crate::env::Env::fixed(2, samples::env().now());
    say(&writing, &env, &owner("me"), "s", "late");
    let (wal, copy) = (pending.join(format!("{FILE_NAME}-wal")), directory.path().join("wal"));
    fs::copy(&wal, &copy).expect("a copy");
    drop(writing);
    fs::copy(&copy, &wal).expect("a copy");
    if !mounted.make_read_only() {
        println!("skipped: this user may not remount");
        return;
    }
    for path in [clean.clone(), directory.path().join("new")] {
        let error = open(&path).expect_err("a refusal");
        assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
        assert!(error.to_string().contains("--store"), "{error}");
    }
    let reader = Sqlite::open_read_only(&clean).expect("a store");
    assert_eq!(count(&reader), 5);
    reader.dump(&mut std::io::sink()).expect("a valid store");
    let error = Sqlite::open_read_only(&pending).expect_err("a refusal");
    assert!(error.to_string().contains("-wal holds changes"), "{error}");
}
