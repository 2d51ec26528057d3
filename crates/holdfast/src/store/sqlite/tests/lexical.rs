//! What is found by words while the log grows past its segments, and by whom.

use rusqlite::{Connection, StatementStatus};

use super::super::segments::SEGMENT_EVENTS;
use super::super::{Sqlite, lexical};
use super::open;
use crate::env::Env;
use crate::store::Store;
use crate::store::tests::samples::{self, owner};
use crate::types::change::{ArchivedBody, ChangeSet, RestoredBody};
use crate::types::ids::Seq;
use crate::types::query::Filter;

fn say(store: &dyn Store, env: &Env, who: &str, content: &str) {
    let event = samples::event(env, &owner(who), "s", content);
    store.commit(samples::change(env, &owner(who), vec![event])).expect("a commit");
}

fn found(store: &dyn Store, who: &str, word: &str) -> Vec<i64> {
    let lexical = store.lexical(&owner(who), &[word.to_owned()], &Filter::default(), 1_000).expect("a search");
    lexical.rows.iter().map(|(seq, _)| seq.0).collect()
}

fn newest_first(positions: impl DoubleEndedIterator<Item = i64>) -> Vec<i64> {
    positions.rev().collect()
}

fn dump(store: &dyn Store) -> String {
    let mut text = Vec::new();
    store.dump(&mut text).expect("a valid store");
    String::from_utf8(text).expect("text")
}

#[test]
fn a_word_is_found_on_both_sides_of_a_segments_end() {
    let (store, _directory) = open();
    let env = samples::env();
    let last = 2 * SEGMENT_EVENTS + 3;
    for number in 1..=last {
        say(&*store, &env, "me", &format!("网关 gateway n{number}"));
        say(&*store, &env, "you", "别的");
        assert_eq!(found(&*store, "me", "网关"), newest_first(1..=number), "after {number}");
    }
    for number in [1, SEGMENT_EVENTS, SEGMENT_EVENTS + 1, 2 * SEGMENT_EVENTS, 2 * SEGMENT_EVENTS + 1, last] {
        assert_eq!(found(&*store, "me", &format!("n{number}")), [number]);
        assert_eq!(found(&*store, "you", &format!("n{number}")), Vec::<i64>::new());
    }
    assert_eq!(found(&*store, "you", "网关"), Vec::<i64>::new());
    dump(&*store);
}

#[test]
fn many_events_at_once_fill_several_segments() {
    let (store, _directory) = open();
    let env = samples::env();
    let events =
        (1..=3 * SEGMENT_EVENTS + 1).map(|n| samples::event(&env, &owner("me"), "s", &format!("同一件事 n{n}")));
    store.commit(samples::change(&env, &owner("me"), events.collect())).expect("a commit");
    assert_eq!(found(&*store, "me", "同一件事"), newest_first(1..=3 * SEGMENT_EVENTS + 1));
    assert_eq!(found(&*store, "me", &format!("n{}", SEGMENT_EVENTS + 2)), [SEGMENT_EVENTS + 2]);
    dump(&*store);
}

/// A word that is taken out of an event is in no file any more, and comes back with it.
#[test]
fn words_leave_a_segment_and_come_back() {
    let (store, directory) = open();
    let env = samples::env();
    for number in 1..=SEGMENT_EVENTS + 1 {
        say(&*store, &env, "me", &format!("common zebra{number} 斑马"));
    }
    for at in [1, SEGMENT_EVENTS, SEGMENT_EVENTS + 1] {
        let word = format!("zebra{at}");
        let archived =
            ArchivedBody { seq: Seq(at), summary: "an animal".to_owned(), terms: "animal aardvark".to_owned() };
        store
            .commit(ChangeSet { owner: owner("me"), archived: vec![archived], ..ChangeSet::default() })
            .expect("a commit");
        assert_eq!(found(&*store, "me", &word), Vec::<i64>::new(), "{at}");
        assert_eq!(found(&*store, "me", "aardvark"), [at]);
        assert!(!found(&*store, "me", "斑马").contains(&at));
        assert_eq!(found(&*store, "me", "斑马").len() as i64, SEGMENT_EVENTS);
        let lists = lists(&directory.path().join("holdfast.db"));
        assert!(!String::from_utf8_lossy(&lists).contains(&format!("{word}\u{1}")), "{at}");
        dump(&*store);
        let restored = RestoredBody { seq: Seq(at), terms: format!("common {word} 斑马") };
        store
            .commit(ChangeSet { owner: owner("me"), restored: vec![restored], ..ChangeSet::default() })
            .expect("a commit");
        assert_eq!(found(&*store, "me", &word), [at]);
        assert_eq!(found(&*store, "me", "aardvark"), Vec::<i64>::new());
        assert_eq!(found(&*store, "me", "斑马"), newest_first(1..=SEGMENT_EVENTS + 1));
        dump(&*store);
    }
}

/// All lists of the index, one after the other.
fn lists(path: &std::path::Path) -> Vec<u8> {
    let connection = Connection::open(path).expect("a connection");
    let mut statement = connection.prepare("SELECT lists FROM posting").expect("a statement");
    let rows = statement.query_map([], |r| r.get::<_, Vec<u8>>(0)).expect("rows");
    rows.flat_map(|row| row.expect("a row")).collect()
}

/// A reader that has begun sees neither what is recorded after it nor less than there was, whatever others have read meanwhile.
#[test]
fn a_reader_sees_the_moment_it_began() {
    let directory = tempfile::tempdir().expect("a directory");
    let env = samples::env();
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let mut said = 0;
    // From within the first segment, and from after it.
    for _ in 0..2 {
        (0..3).for_each(|_| say(&store, &env, "me", "词 word"));
        said += 3;
        let before = said;
        let reader = store.readers.get().expect("a reader");
        let by_reader = || {
            let found =
                lexical::search(&reader, &store.lexical, &owner("me"), &["word".to_owned()], &Filter::default(), 1_000);
            found.expect("a search").rows.iter().map(|(seq, _)| seq.0).collect::<Vec<_>>()
        };
        assert_eq!(by_reader(), newest_first(1..=before));
        for more in 1..=SEGMENT_EVENTS + 2 {
            say(&store, &env, "me", "词 word");
            said += 1;
            if more == 1 || more > SEGMENT_EVENTS {
                assert_eq!(found(&store, "me", "word"), newest_first(1..=said));
            }
            assert_eq!(by_reader(), newest_first(1..=before), "{more} after {before}");
        }
        assert_eq!(found(&store, "me", "word"), newest_first(1..=said));
    }
}

/// SQLite plans a statement anew when what is bound might lead to a better plan, which costs more than running it.
#[test]
fn kept_statements_are_not_planned_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let env = samples::env();
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    say(&store, &env, "me", "词 word");
    let reader = store.readers.get().expect("a reader");
    let sql = "SELECT lists FROM posting WHERE owner = ?1 AND segment = ?2 AND term <= ?3 ORDER BY term DESC LIMIT ?4";
    for number in 0..5 {
        let mut statement = reader.prepare_cached(sql).expect("a statement");
        assert!(!statement.exists(rusqlite::params![1, number, "word", number]).expect("a look"));
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{number}");
    }
}
