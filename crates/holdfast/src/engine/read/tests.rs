//! Which task a question is about, from what is at hand and from the store alike.

use std::sync::Arc;

use crate::embedding::Choice;
use crate::engine::{Config, Engine};
use crate::store::tests::plain::Plain;
use crate::types::query::Query;
use crate::types::scope::{Scope, ScopeId};

fn engine(store: &Arc<Plain>) -> Engine {
    let config = Config { embedding: Choice::None, ..Config::at("unused") };
    Engine::over(Arc::<Plain>::clone(store), config).unwrap()
}

fn scope(session: &str) -> Scope {
    Scope { session: ScopeId::new(session).unwrap(), ..Scope::default() }
}

fn started(engine: &Engine, session: &str, title: &str) -> String {
    engine.start_task(&scope(session), title, None, &[]).unwrap().id.to_string()
}

fn asked(engine: &Engine, session: &str, text: &str) -> Option<String> {
    let recalled = engine.recall(&Query::new(scope(session), text, engine.now())).unwrap();
    recalled.task.map(|task| task.to_string())
}

#[test]
fn a_question_finds_its_task_at_hand_and_after_a_restart() {
    let store = Arc::new(Plain::default());
    let at_hand = engine(&store);
    let report = started(&at_hand, "s", "周报");
    let migration = started(&at_hand, "s", "database migration");
    let restarted = engine(&store);
    for (text, task) in [
        ("接着弄周报", &report),
        ("back to the database migration", &migration),
        ("到哪一步了？", &migration),
        ("What is left?", &migration),
    ] {
        for engine in [&at_hand, &restarted] {
            assert_eq!(asked(engine, "s", text).as_ref(), Some(task), "{text}");
        }
    }
    assert_eq!(asked(&at_hand, "elsewhere", "到哪一步了？"), None);
}

#[test]
fn a_session_on_a_task_of_long_ago_is_still_on_it() {
    let store = Arc::new(Plain::default());
    let at_hand = engine(&store);
    let report = started(&at_hand, "old", "周报");
    (0..200).for_each(|n| drop(started(&at_hand, "new", &format!("第{n}号客户回访"))));
    for engine in [&at_hand, &engine(&store)] {
        for text in ["到哪一步了？", "What is left?"] {
            assert_eq!(asked(engine, "old", text).as_ref(), Some(&report), "{text}");
        }
    }
}
