//! Killed at any step of a write, the store opens without repair: what was acknowledged is there, nothing is half there.
//!
//! The child is this test binary again, running `child` below. It writes until it stops at the point it was told, or goes on until
//! it is killed; the parent kills it with SIGKILL, which no code of ours gets to see.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::super::writer::{Point, Probe};
use super::super::{FILE_NAME, Sqlite};
use crate::env::Env;
use crate::store::tests::samples::{self, Random, id, owner};
use crate::store::{EventPage, Store};
use crate::types::change::{ArchivedBody, ChangeSet, EventVectors, Learned, SessionState, UpdateKey};
use crate::types::event::Overturned;
use crate::types::ids::{MemoryId, Seq};
use crate::types::memory::MemoryStatus;
use crate::types::operation::{Target, Verb};
use crate::types::query::Filter;

const DIRECTORY: &str = "HOLDFAST_CRASH_DIRECTORY";
/// Which point to stop at, how many passings of it to let go, and which write to begin with.
const PLAN: &str = "HOLDFAST_CRASH_PLAN";

const POINTS: &[Point] = &[
    Point::Begun,
    Point::EventWritten,
    Point::TaskWritten,
    Point::BodyMoved,
    Point::MemoryWritten,
    Point::JournalWritten,
    Point::JobApplied,
    Point::IndexWritten,
    Point::Committed,
];

/// Writes go on until the child is killed; a test that fails to kill it must not leave it running.
const WRITES_MAX: u64 = 100_000;

/// The nth write: two events, a task at its next version, a mark, an archived body, operations. The same each time it is made.
fn write(n: u64) -> ChangeSet {
    let start = "2026-03-02T09:00:00Z".parse::<jiff::Timestamp>().expect("a time");
    let env = Env::fixed(n, start + jiff::SignedDuration::from_secs(i64::try_from(n).expect("a count")));
    let me = owner("me");
    let mut first = samples::event(&env, &me, "s", &format!("write w{n} 网关"));
    let mut second = samples::event(&env, &me, &format!("s{}", n % 3), &format!("write v{n}"));
    first.event.idempotency_key = Some(format!("first{n}"));
    second.event.idempotency_key = Some(format!("second{n}"));
    let (first_id, second_id) = (first.event.id, second.event.id);
    let mut change = samples::change(&env, &me, vec![first, second]);
    change.tasks.push(samples::task(&env, &me, "t", first_id, n));
    change.sessions.push(SessionState { session: id("s"), task: Some(id("t")) });
    change.update_keys.push(UpdateKey { task: id("t"), key: format!("u{n}"), version: n });
    let mark = Overturned { statement: "x".to_owned(), replaced_by: None, at: env.now() };
    change.overturned.push((second_id, mark));
    if n > 1 {
        let terms = format!("summary v{}", n - 1);
        change.archived.push(ArchivedBody { seq: Seq(2 * (n as i64 - 1)), summary: terms.clone(), terms });
    }
    let slot = MemoryId(uuid::Uuid::from_u128(7));
    change.memories.push(samples::memory(&env, slot, "home", "x", MemoryStatus::Active, first_id, n));
    change.learned = Some(Learned { from: Seq(2 * (n as i64 - 1)), through: Seq(2 * n as i64) });
    change.operations.push(samples::operation(&env, &me, Verb::Update, Target::Task(id("t"))));
    change
}

fn vectors(n: u64) -> Vec<EventVectors> {
    let passages = vec![samples::vector(&mut Random::new(n), n as usize)];
    vec![EventVectors { owner: owner("me"), seq: Seq(2 * n as i64 - 1), passages }]
}

#[test]
#[ignore = "the child of the other tests here"]
fn child() {
    let (Ok(directory), Ok(plan)) = (std::env::var(DIRECTORY), std::env::var(PLAN)) else { return };
    let plan: Vec<u64> = plan.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [point, passings, begin] = plan[..] else { panic!("three numbers") };
    let stop = POINTS.get(point as usize).copied();
    let passed = AtomicU64::new(0);
    let probe: Probe = Arc::new(move |at| {
        if Some(at) == stop && passed.fetch_add(1, Ordering::Relaxed) == passings {
            say("stopped");
            loop {
                std::thread::park();
            }
        }
    });
    let store = Sqlite::open_with(Path::new(&directory), None, samples::env(), probe, |_| Ok(())).expect("a store");
    for n in begin..begin + WRITES_MAX {
        store.commit(write(n)).expect("a commit");
        say(&format!("wrote {n}"));
        store.put_vectors(&samples::model(), vectors(n)).expect("vectors");
    }
}

/// A line at once, and not through the test harness, which may hold it back.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n@{line}").and_then(|()| out.flush()).expect("a parent that listens");
}

/// A child that writes, and what it says.
pub(super) struct Writing {
    pub(super) process: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Writing {
    pub(super) fn start(directory: &Path, point: usize, passings: u64, begin: u64) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "store::sqlite::tests::crash::child", "--ignored", "--nocapture"])
            .env(DIRECTORY, directory)
            .env(PLAN, format!("{point} {passings} {begin}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        let lines = BufReader::new(process.stdout.take().expect("its output"));
        Self { process, lines }
    }

    /// The next line it says; `None`: it has ended.
    pub(super) fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            if let Some(said) = line.trim().strip_prefix('@') {
                return Some(said.to_owned());
            }
        }
    }

    /// Kills it and gives back the last write it told of.
    pub(super) fn kill(mut self, mut acknowledged: u64) -> u64 {
        self.process.kill().expect("a child to kill");
        self.process.wait().expect("a child to wait for");
        // What it said before it died still counts.
        while let Some(line) = self.next() {
            acknowledged = acknowledged.max(number(&line).unwrap_or(0));
        }
        acknowledged
    }
}

fn number(line: &str) -> Option<u64> {
    line.strip_prefix("wrote ")?.parse().ok()
}

/// Opens what the killed child left, checks it, and hands the write that was under way in again.
fn check(directory: &Path, acknowledged: u64) -> u64 {
    let store = Sqlite::open(directory, samples::env()).expect("it opens without repair");
    let me = owner("me");
    store.dump(&mut std::io::sink()).expect("nothing is half there");
    let page = EventPage { limit: usize::MAX, ..EventPage::default() };
    let events = store.events(&me, &page).expect("events");
    assert_eq!(events.len() % 2, 0, "half a change");
    let written = events.len() as u64 / 2;
    assert!(written == acknowledged || written == acknowledged + 1, "{written} of {acknowledged} are there");
    for (n, pair) in (1..).zip(events.chunks(2)) {
        let change = write(n);
        assert_eq!((pair[0].event.id, pair[1].event.id), (change.events[0].event.id, change.events[1].event.id));
        assert_eq!((pair[1].overturned.len(), pair[1].archived), (1, n < written), "write {n}");
    }
    let task = store.task(&me, &id("t")).expect("a read");
    assert_eq!(task.map_or(0, |task| task.version), written);
    let memory = store.memory(&me, MemoryId(uuid::Uuid::from_u128(7))).expect("a read");
    assert_eq!(memory.map_or(0, |memory| memory.version), written);
    assert_eq!(store.memory_state(&me).expect("a read").learned, Seq(2 * written as i64));
    let operations = store.status().expect("a status").operations;
    assert_eq!(operations, 3 * written);
    if written > 0 {
        let last = store.lexical(&me, &[format!("w{written}")], &Filter::default(), 9).expect("a search");
        assert_eq!(last.rows.len(), 1);
    }
    // A caller that got no answer asks again: the same keys, the same events, whether or not it was written.
    let next = acknowledged + 1;
    let known = store.update_version(&me, &id("t"), &format!("u{next}")).expect("a read");
    assert_eq!(known.is_some(), written == next);
    if known.is_none() {
        let committed = store.commit(write(next)).expect("the retry completes");
        assert!(committed.events.iter().all(|appended| !appended.duplicate));
    } else {
        let mut again = write(next);
        again.tasks.clear();
        again.update_keys.clear();
        again.archived.clear();
        again.memories.clear();
        again.learned = None;
        let committed = store.commit(again).expect("the retry is known");
        assert!(committed.events.iter().all(|appended| appended.duplicate));
    }
    store.dump(&mut std::io::sink()).expect("a valid store");
    assert_eq!(store.status().expect("a status").events, 2 * next);
    next
}

#[test]
fn killed_at_any_point_of_a_write() {
    for (point, name) in POINTS.iter().enumerate() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut done = 0;
        // The first passing, one in the middle of later writes, and again on what is there by then.
        for passings in [0, 1, 2, 5, 0, 3] {
            let mut writing = Writing::start(directory.path(), point, passings, done + 1);
            let mut acknowledged = done;
            loop {
                match writing.next().as_deref() {
                    Some("stopped") => break,
                    Some(line) => acknowledged = number(line).unwrap_or(acknowledged),
                    None => panic!("the child ended before {name:?}"),
                }
            }
            let acknowledged = writing.kill(acknowledged);
            done = check(directory.path(), acknowledged);
        }
    }
}

#[test]
fn killed_at_any_moment() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut random = Random::new(u64::from(std::process::id()));
    let began = Instant::now();
    let mut done = 0;
    for _ in 0..30 {
        if began.elapsed() > Duration::from_secs(8) {
            break;
        }
        let mut writing = Writing::start(directory.path(), usize::MAX, 0, done + 1);
        let mut acknowledged = done;
        for _ in 0..random.below(12) {
            let line = writing.next().expect("a child that writes");
            acknowledged = number(&line).unwrap_or(acknowledged);
        }
        // Somewhere within the write that follows.
        let until = Instant::now() + Duration::from_micros(random.below(3_000));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        let acknowledged = writing.kill(acknowledged);
        done = check(directory.path(), acknowledged);
    }
    assert!(directory.path().join(FILE_NAME).is_file());
}
