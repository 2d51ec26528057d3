//! A run that breaks off at any call to the store has done nothing wrong, and the next one does the rest.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Fate, ManageOptions};
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
