//! A language model that learns in the background (SPEC 3.9): when it is asked, how often, and that nobody waits for it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use holdfast::engine::{Config, Engine};
use holdfast::llm::{Llm, Reply, ScriptedLlm};
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::memory::MemoryFilter;
use holdfast::types::scope::{Scope, ScopeId};
use holdfast::types::task::Outcome;
use holdfast::types::update::{Action, Update};
use serde_json::json;
use tempfile::TempDir;

use crate::{env, lexical};

const NOTHING: &str = r#"{"memories": []}"#;

fn engine(directory: &TempDir, llm: &Arc<ScriptedLlm>) -> Engine {
    let llm = Arc::clone(llm) as Arc<dyn Llm>;
    Engine::open(Config { env: env(7), llm: Some(llm), ..lexical(directory.path()) }).unwrap()
}

fn say(engine: &Engine, text: &str) {
    engine.observe(RawEvent::new(Scope::default(), Source::User, Kind::Query, text)).unwrap();
}

#[test]
fn it_is_asked_when_something_telling_was_said_or_enough_was() {
    for (telling, neutral) in
        [("以后周报都先写结论。", "今天有点阴。"), ("From now on answer in French.", "It is raining.")]
    {
        let directory = TempDir::new().unwrap();
        let llm = Arc::new(ScriptedLlm::always(NOTHING));
        let engine = engine(&directory, &llm);
        // Too little was said yet to be worth a call, however telling.
        (0..19).for_each(|_| say(&engine, telling));
        engine.settle(|_| {}).unwrap();
        assert_eq!(llm.asked().len(), 0, "{telling}");
        say(&engine, telling);
        engine.settle(|_| {}).unwrap();
        assert_eq!(llm.asked().len(), 1, "{telling}");
        (0..49).for_each(|_| say(&engine, neutral));
        engine.settle(|_| {}).unwrap();
        assert_eq!(llm.asked().len(), 1, "{neutral}");
        say(&engine, neutral);
        engine.settle(|_| {}).unwrap();
        // 50 utterances are two pages.
        assert_eq!(llm.asked().len(), 3, "{neutral}");
    }
}

#[test]
fn the_end_of_a_task_is_an_occasion() {
    let directory = TempDir::new().unwrap();
    let llm = Arc::new(ScriptedLlm::always(NOTHING));
    let engine = engine(&directory, &llm);
    let scope = Scope { task: Some(ScopeId::new("t1").unwrap()), ..Scope::default() };
    let observe = |update| {
        let event = RawEvent::new(scope.clone(), Source::User, Kind::Query, "接着弄");
        engine.observe_with(event, update).unwrap();
    };
    (0..19).for_each(|_| observe(None));
    engine.settle(|_| {}).unwrap();
    assert_eq!(llm.asked().len(), 0);
    let end = Action::End { outcome: Outcome::Success, reason: None };
    observe(Some(Update { actions: vec![end], ..Update::default() }));
    engine.settle(|_| {}).unwrap();
    assert_eq!(llm.asked().len(), 1);
}

#[test]
fn it_is_asked_50_times_for_1000_events_at_most() {
    let directory = TempDir::new().unwrap();
    let llm = Arc::new(ScriptedLlm::always(NOTHING));
    let engine = engine(&directory, &llm);
    for n in 0..300 {
        say(&engine, &format!("以后第{n}份报告都先写结论。"));
        engine.settle(|_| {}).unwrap();
    }
    assert_eq!(llm.asked().len(), 15);
}

#[test]
fn what_it_proposes_is_learned_without_being_called_for() {
    let directory = TempDir::new().unwrap();
    let proposal = json!({ "memories": [{ "kind": "fact", "subject": "user", "attribute": "office", "source": 1, "importance": 3,
        "content": "用户改到杭州办公室上班。", "quote": "我改到杭州办公室上班了", "standing": true }] });
    let llm = Arc::new(ScriptedLlm::always(proposal.to_string()));
    let engine = engine(&directory, &llm);
    say(&engine, "下周起我改到杭州办公室上班了");
    (0..49).for_each(|_| say(&engine, "今天有点阴。"));
    engine.settle(|_| {}).unwrap();
    let memories = engine.memories(&Scope::default().owner, &MemoryFilter::default()).unwrap();
    let contents: Vec<&str> = memories.iter().map(|memory| memory.content.as_str()).collect();
    assert_eq!(contents, ["用户改到杭州办公室上班。"]);
    engine.dump(&mut Vec::new()).unwrap();
}

/// A model that answers only when it is told to.
fn hanging() -> (Arc<ScriptedLlm>, Receiver<()>, Sender<()>) {
    let ((asked, is_asked), (answer, may_answer)) = (channel(), channel::<()>());
    let may_answer = Mutex::new(may_answer);
    let llm = ScriptedLlm::new(move |_, _| {
        asked.send(()).unwrap();
        let _ = may_answer.lock().unwrap().recv();
        Ok(Reply::of(NOTHING))
    });
    (Arc::new(llm), is_asked, answer)
}

#[test]
fn nobody_waits_for_it() {
    let directory = TempDir::new().unwrap();
    let (llm, is_asked, _answer) = hanging();
    let engine = engine(&directory, &llm);
    (0..20).for_each(|_| say(&engine, "以后周报都先写结论。"));
    is_asked.recv().unwrap();
    // It thinks, and the work goes on.
    say(&engine, "我住在杭州。");
    engine.learn(&Scope::default().owner).unwrap();
    let memories = engine.memories(&Scope::default().owner, &MemoryFilter::default()).unwrap();
    assert_eq!(memories.len(), 2);
    // Closing gives the call up, and the store is free at once.
    drop(engine);
    let other = Engine::open(Config { env: env(8), ..lexical(directory.path()) }).unwrap();
    other.dump(&mut Vec::new()).unwrap();
}

#[test]
fn one_that_fails_or_panics_is_asked_again_next_time() {
    let directory = TempDir::new().unwrap();
    let llm = Arc::new(ScriptedLlm::new(|_, call| match call {
        0 => panic!("a bug in a model"),
        _ => Ok(Reply::of(NOTHING)),
    }));
    let engine = engine(&directory, &llm);
    for asked in 1..=2 {
        (0..20).for_each(|_| say(&engine, "以后周报都先写结论。"));
        engine.settle(|_| {}).unwrap();
        assert_eq!(llm.asked().len(), asked);
    }
    assert_eq!(llm.asked()[1].user.matches("先写结论").count() / 2, 40, "and about all that was said since");
}
