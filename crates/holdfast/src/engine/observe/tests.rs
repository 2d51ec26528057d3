//! A store that fails in the middle of an event: the call says so, and nothing of it is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::embedding::Choice;
use crate::engine::{Config, Engine, Error};
use crate::store::tests::faulty::{Fault, Faulty};
use crate::store::tests::plain::Plain;
use crate::store::{EventPage, Store};
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::scope::Scope;

fn said(text: &str) -> RawEvent {
    RawEvent::new(Scope::default(), Source::User, Kind::Query, text)
}

/// The second turn goes to another task, and the third puts right what the first said: each looks things up.
fn turns() -> Vec<RawEvent> {
    ["写周报，退货率是3.2%", "Another task: plan the database migration", "回到周报：退货率不是3.2%，是2.8%"]
        .map(said)
        .into()
}

#[test]
fn a_store_error_in_the_middle_of_a_batch_leaves_nothing() {
    let owner = Scope::default().owner;
    let mut failed = 0;
    for call in 0.. {
        let plain = Plain::default();
        let store = Arc::new(Faulty::new(plain, BTreeMap::from([(call, Fault::Refused)])));
        let config = Config { embedding: Choice::None, ..Config::at("unused") };
        let Ok(engine) = Engine::over(Arc::<Faulty<Plain>>::clone(&store), config) else { continue };
        let batch = turns().into_iter().map(|turn| (turn, None)).collect();
        let first = engine.observe_many(batch);
        let kept = || store.inner().events(&owner, &EventPage { limit: 100, ..EventPage::default() }).unwrap();
        match first {
            Ok(results) => {
                assert!(results.iter().all(Result::is_ok), "call {call}: {results:?}");
                break;
            }
            Err(Error::Store(_)) => assert_eq!(kept(), [], "call {call}"),
            Err(other) => panic!("call {call}: {other}"),
        }
        failed += 1;
        // What is at hand is as the store has it: the same turns go the way they would have gone.
        let again: Vec<_> = turns().into_iter().map(|turn| engine.observe(turn).unwrap()).collect();
        assert_eq!(
            again.iter().map(|observed| observed.opened).collect::<Vec<_>>(),
            [true, true, false],
            "call {call}"
        );
        assert_eq!(again[0].task, again[2].task, "call {call}");
        assert_eq!(again[2].overturned, ["3.2%"], "call {call}");
    }
    assert!(failed > 3, "the plan met only {failed} calls");
}
