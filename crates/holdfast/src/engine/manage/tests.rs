//! A run that breaks off at any call to the store, or is killed, has done nothing wrong, and the next one does the rest.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Fate, ManageOptions, Work};
use crate::embedding::Choice;
use crate::engine::{Config, Engine};
use crate::env::Env;
use crate::manager::Policy;
use crate::store::Store;
use crate::store::sqlite::Sqlite;
use crate::store::tests::faulty::{Fault, Faulty};
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::update::{Action, Update};

fn on_day(directory: &Path, day: u64, plan: BTreeMap<u64, Fault>) -> (Engine, Arc<Faulty<Sqlite>>) {
    let start: Timestamp = "2026-11-27T09:00:00Z".parse().expect("a timestamp");
    let start = start + SignedDuration::from_hours(24 * i64::try_from(day).expect("a day"));
    let env = Arc::new(Env::fixed(100 + day, start));
    let store = Arc::new(Faulty::new(Sqlite::open(directory, Arc::clone(&env)).expect("a store"), plan));
    let config = Config { embedding: Choice::None, env, ..Config::at(directory) };
    (Engine::over(Arc::clone(&store) as Arc<dyn Store>, config).expect("an engine"), store)
}

/// A stage that ended, with what its log has of each kind.
fn tell(engine: &Engine) {
    let scope = Scope { task: Some(ScopeId::new("t").expect("an id")), ..Scope::default() };
    let stage = |stage: &str| {
        let actions = vec![Action::SetStage { stage: stage.to_owned(), summary: None }];
        engine.update(&scope, &Update { actions, ..Update::default() }).expect("an update");
    };
    engine.start_task(&scope, "t", Some("gateway migration load test"), &[]).expect("a task");
    stage("one");
    let long = "The gateway migration load test ran. It took 52 minutes. Somebody made coffee. The weather was discussed for a while. \
        The rollback script must not be deleted. Then lunch was ordered, and everybody talked about the weekend and the outing. \
        The projector was moved to the other room. A new plant stands in the hall. Nobody knows who watered it.";
    for n in 0..60 {
        let text = if n % 20 == 7 { long } else { "The sidebar links to a newsletter and to a weather forecast." };
        let raw = RawEvent::new(scope.clone(), Source::Tool, Kind::ToolResult, text);
        engine.observe(raw).expect("an event");
    }
    stage("two");
}

/// What is left, but for ids and moments.
fn left(engine: &Engine) -> Vec<String> {
    let mut left = Vec::new();
    let mut dump = Vec::new();
    engine.dump(&mut dump).expect("a valid store");
    for line in String::from_utf8(dump).expect("text").lines() {
        let Some((kind, json)) = line.trim().split_once(' ') else { continue };
        let Ok(value) = serde_json::from_str::<serde_json::Value>(json) else { continue };
        match kind {
            "event" => left.push(format!("{} {} {}", value["content"], value["archived"], value["hidden"])),
            "probation" => left.push(format!("{} {}", value["seq"], value["until_turn"])),
            "task" => left.push(value["frames"][0]["stage_summaries"][0]["text"].to_string()),
            _ => {}
        }
    }
    left
}

#[test]
fn a_run_that_broke_off_is_made_up_for() {
    let (owner, policy) = (Owner::default(), Policy::preset("research").expect("a preset"));
    let options = ManageOptions { force: true, ..ManageOptions::default() };
    let run = |fault: Option<(u64, Fault)>| {
        let directory = tempfile::tempdir().expect("a directory");
        tell(&on_day(directory.path(), 0, BTreeMap::new()).0);
        let broke_off = match fault {
            None => false,
            Some(fault) => {
                let (engine, _) = on_day(directory.path(), 40, [fault].into());
                let broke_off = engine.manage(&owner, &policy, options).is_err();
                // Whatever was done is whole.
                drop(engine);
                on_day(directory.path(), 41, BTreeMap::new()).0.verify_journal(&owner).expect("a journal");
                broke_off
            }
        };
        let (engine, store) = on_day(directory.path(), 42, BTreeMap::new());
        let opening = store.calls();
        let managed = engine.manage(&owner, &policy, options).expect("a run");
        (left(&engine), broke_off, managed, opening..store.calls())
    };
    let (whole, _, managed, calls) = run(None);
    assert!(managed.count(Fate::OnProbation) > 50 && managed.count(Fate::Compressed) > 0, "{managed:?}");
    let mut broken = 0;
    // A run has some hundred calls, many of them alike: each sixth, and which these are differs with the fault.
    for (call, fault) in calls
        .clone()
        .step_by(6)
        .map(|call| (call, Fault::Refused))
        .chain(calls.skip(3).step_by(6).map(|call| (call, Fault::ReplyLost)))
    {
        let (left, broke_off, managed, _) = run(Some((call, fault)));
        broken += u32::from(broke_off);
        assert_eq!(left.len(), whole.len(), "call {call}, {fault:?}: {managed:?}");
        for (left, whole) in left.iter().zip(&whole) {
            // What went on probation before the break has its turn from then.
            let is_turn = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
            assert!(left == whole || is_turn(left) && is_turn(whole), "call {call}, {fault:?}: {left} is not {whole}");
        }
    }
    assert!(broken > 20, "{broken}");
}

const DIRECTORY: &str = "HOLDFAST_MANAGE_DIRECTORY";
/// How many pieces of work to let go before it stops to be killed.
const PIECES: &str = "HOLDFAST_MANAGE_PIECES";

#[test]
#[ignore = "the child of the test below"]
fn child() {
    let (Ok(directory), Ok(pieces)) = (std::env::var(DIRECTORY), std::env::var(PIECES)) else { return };
    let left = Cell::new(pieces.parse::<u64>().expect("a number"));
    let (engine, _) = on_day(Path::new(&directory), 40, BTreeMap::new());
    let (policy, options) = (Policy::preset("research").expect("a preset"), ManageOptions::default());
    let options = ManageOptions { force: true, ..options };
    let told = |work: Work| {
        left.set(left.get() - 1);
        if left.get() == 0 {
            // At once, and not through the test harness, which may hold it back.
            let mut out = std::io::stdout().lock();
            writeln!(out, "\n@stopped {work:?}").and_then(|()| out.flush()).expect("a parent that listens");
            loop {
                std::thread::park();
            }
        }
        Ok(())
    };
    engine.manage_beside(&Owner::default(), &policy, options, None, &told).expect("a run");
    println!("\n@done");
}

/// A child that stopped where it was told is killed with SIGKILL, which no code of ours gets to see. What it was about, if it stopped.
fn killed(directory: &Path, pieces: u64) -> Option<String> {
    let mut process = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "engine::manage::tests::child", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .env(PIECES, pieces.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    let said = lines.map_while(Result::ok).find_map(|line| line.strip_prefix('@').map(str::to_owned));
    process.kill().expect("it is killed");
    process.wait().expect("it is gone");
    said.expect("it stopped, or came to its end").strip_prefix("stopped ").map(str::to_owned)
}

#[test]
fn a_run_that_was_killed_is_made_up_for() {
    let (owner, policy) = (Owner::default(), Policy::preset("research").expect("a preset"));
    let options = ManageOptions { force: true, ..ManageOptions::default() };
    let directory = tempfile::tempdir().expect("a directory");
    tell(&on_day(directory.path(), 0, BTreeMap::new()).0);
    let (engine, _) = on_day(directory.path(), 42, BTreeMap::new());
    engine.manage(&owner, &policy, options).expect("a run");
    let whole = left(&engine);
    let mut stopped = Vec::new();
    for pieces in 1.. {
        let directory = tempfile::tempdir().expect("a directory");
        tell(&on_day(directory.path(), 0, BTreeMap::new()).0);
        let Some(work) = killed(directory.path(), pieces) else { break };
        stopped.push(work);
        let (engine, _) = on_day(directory.path(), 42, BTreeMap::new());
        engine.verify_journal(&owner).expect("a journal");
        engine.manage(&owner, &policy, options).expect("a run");
        let is_turn = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
        let left = left(&engine);
        assert_eq!(left.len(), whole.len(), "{pieces}: {stopped:?}");
        for (left, whole) in left.iter().zip(&whole) {
            assert!(left == whole || is_turn(left) && is_turn(whole), "{pieces}: {left} is not {whole}");
        }
    }
    let times = |work: &str| stopped.iter().filter(|stopped| *stopped == work).count();
    assert!(times("Weighed") >= 1 && times("Committed") >= 3, "{stopped:?}");
}
