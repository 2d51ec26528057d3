//! What every store must do, as cases over `&dyn Store`. `conformance::suite!` makes a test of each for one backend.

mod vectors;
mod words;

use jiff::{SignedDuration, Timestamp};

pub(crate) use self::vectors::*;
pub(crate) use self::words::*;
use super::samples::{self, Random, env, id, model, owner, say};
use crate::store::{DenseQuery, EventPage, JournalPage, MemoryState, Store, StoreError};
use crate::types::change::{
    ArchivedBody, ChangeSet, EventVectors, Learned, RestoredBody, SealedSecret, SessionState, UpdateKey,
};
use crate::types::event::{CONTENT_BYTES_MAX, Kind, Overturned, Source};
use crate::types::ids::{EventId, MemoryId, RunId, Seq};
use crate::types::memory::{MemoryFilter, MemoryStatus};
use crate::types::operation::{Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// One test for each case, on the store that the expression opens.
macro_rules! suite {
    ($open:expr) => {
        $crate::store::tests::conformance::suite!($open;
            what_goes_in_comes_out
            a_known_key_is_one_event
            a_change_handed_in_twice_is_one_change
            look_alike_owners_are_strangers
            an_event_is_nobody_elses
            parts_of_another_owner_are_refused
            each_session_has_its_own_chain
            a_stale_version_is_a_conflict_and_leaves_nothing
            an_update_key_is_used_once
            a_slot_has_one_memory_in_force
            the_watermark_moves_from_where_it_was
            sealed_secrets_are_kept_once_for_each_owner
            what_is_overturned_says_so
            a_body_goes_cold_and_comes_back
            filters_keep_what_they_name
            as_of_looks_back_on_both_clocks
            pages_go_both_ways
            the_journal_turns_pages
            sessions_remember_their_task
            tasks_come_most_recent_first
            vectors_follow_the_log
            vectors_that_make_no_sense_are_refused
            the_nearest_comes_first
            replaced_vectors_are_not_found
            another_model_takes_over
            odd_text_is_kept_and_found
            odd_terms_neither_break_nor_widen_a_search
            a_word_is_found_from_when_it_is_said
            an_absent_word_finds_nothing
            traits_are_the_lean_view
            counts_add_up
        );
    };
    ($open:expr; $($case:ident)+) => {
        $(#[test]
        fn $case() {
            let open = $open;
            let (store, _kept) = open();
            $crate::store::tests::conformance::$case(&*store);
            let mut dump = Vec::new();
            store.dump(&mut dump).expect("a valid store");
        })+
    };
}
pub(crate) use suite;

/// Ids that a careless store takes for one another.
const LOOK_ALIKES: [&str; 16] =
    ["a", "A", "a:b", "a%", "a_", "*", "a*", "a ", "aa", "á", "a\u{301}", "\u{430}", "ａ", "a/b", "a'--", "\u{200b}a"];

fn terms(words: &str) -> Vec<String> {
    words.split(' ').map(str::to_owned).collect()
}

fn found(store: &dyn Store, owner: &Owner, words: &str, filter: &Filter) -> Vec<i64> {
    let lexical = store.lexical(owner, &terms(words), filter, 1_000).expect("a search");
    let mut rows: Vec<i64> = lexical.rows.iter().map(|(seq, _)| seq.0).collect();
    rows.sort_unstable();
    rows
}

fn all(store: &dyn Store, owner: &Owner, filter: Filter) -> Vec<i64> {
    let page = EventPage { filter, limit: 1_000, ..EventPage::default() };
    store.events(owner, &page).expect("events").iter().map(|event| event.seq.0).collect()
}

fn journal_length(store: &dyn Store, owner: &Owner) -> usize {
    store.journal(owner, &JournalPage { limit: 1_000, ..JournalPage::default() }).expect("a journal").len()
}

pub(crate) fn what_goes_in_comes_out(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let mut new = samples::event(&env, &me, "s", "下周三 王敏 3.2%");
    new.event.source = Source::Tool;
    new.event.kind = Kind::ToolResult;
    new.event.trust = crate::types::event::Trust::Untrusted;
    new.event.scope.task = Some(id("t"));
    new.event.metadata.insert("b".to_owned(), serde_json::json!({"z": 1, "a": [1.5, null]}));
    new.event.metadata.insert("a".to_owned(), serde_json::json!("ä"));
    new.event.idempotency_key = Some("k".to_owned());
    new.event.redactions = vec![crate::types::event::Redaction { label: "card".to_owned(), count: 2 }];
    new.event.occurred_at = "2026-10-25T02:30:00+01:00[Europe/Berlin]".parse().expect("a time");
    new.signals = samples::signals();
    let change = samples::change(&env, &me, vec![new.clone()]);
    let operations = change.operations.clone();
    let committed = store.commit(change).expect("a commit");
    assert_eq!(committed.events[0].seq, Seq(1));
    let stored = store.event(&me, new.event.id).expect("a read").expect("the event");
    assert_eq!((stored.event, stored.signals), (new.event, new.signals));
    assert_eq!((stored.predecessor, stored.archived, stored.overturned.len()), (None, false, 0));
    let journal = store.journal(&me, &JournalPage { limit: 10, ..JournalPage::default() }).expect("a journal");
    let kept: Vec<_> = journal.into_iter().map(|entry| entry.operation).collect();
    assert_eq!(kept, operations);
}

pub(crate) fn a_known_key_is_one_event(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let keyed = |content: &str, key: &str| {
        let mut new = samples::event(&env, &me, "s", content);
        new.event.idempotency_key = Some(key.to_owned());
        new
    };
    let first = store.commit(samples::change(&env, &me, vec![keyed("one", "k")])).expect("a commit").events[0];
    let (again, other) = (keyed("two", "k"), keyed("three", "K"));
    let lost = again.event.id;
    let mut change = samples::change(&env, &me, vec![again, other]);
    let mark = Overturned { statement: "x".to_owned(), replaced_by: None, at: env.now() };
    change.overturned = vec![(lost, mark)];
    let committed = store.commit(change).expect("a commit").events;
    assert_eq!((committed[0].id, committed[0].seq, committed[0].duplicate), (first.id, first.seq, true));
    assert_eq!((committed[1].seq, committed[1].duplicate), (Seq(2), false));
    assert_eq!(store.event_by_key(&me, "k").expect("a look-up"), Some((first.seq, first.id)));
    assert_eq!(store.event_by_key(&owner("you"), "k").expect("a look-up"), None);
    assert_eq!(store.event(&me, lost).expect("a read"), None);
    assert_eq!(found(store, &me, "two", &Filter::default()), Vec::<i64>::new());
    assert_eq!(journal_length(store, &me), 2, "what did not happen is not in the journal");
    // The same key twice in one change, and the same key of another owner.
    let twice =
        store.commit(samples::change(&env, &me, vec![keyed("four", "n"), keyed("five", "n")])).expect("a commit");
    assert_eq!(twice.events[0].id, twice.events[1].id);
    let mut yours = samples::event(&env, &owner("you"), "s", "yours");
    yours.event.idempotency_key = Some("k".to_owned());
    let yours = store.commit(samples::change(&env, &owner("you"), vec![yours])).expect("a commit");
    assert!(!yours.events[0].duplicate);
}

pub(crate) fn a_change_handed_in_twice_is_one_change(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let mut change = samples::change(&env, &me, vec![samples::event(&env, &me, "s", "once")]);
    change.operations.push(samples::operation(&env, &me, Verb::Serve, Target::Store));
    let first = store.commit(change.clone()).expect("a commit");
    let second = store.commit(change).expect("a commit");
    assert_eq!((second.events[0].id, second.events[0].seq), (first.events[0].id, first.events[0].seq));
    assert!(second.events[0].duplicate);
    assert_eq!((all(store, &me, Filter::default()), journal_length(store, &me)), (vec![1], 2));
}

pub(crate) fn look_alike_owners_are_strangers(store: &dyn Store) {
    let env = env();
    let mut owners: Vec<Owner> = LOOK_ALIKES.iter().map(|name| owner(name)).collect();
    owners.extend(LOOK_ALIKES.iter().map(|name| Owner { tenant: id(name), ..Owner::default() }));
    owners.extend(LOOK_ALIKES.iter().map(|name| Owner { agent: id(name), ..Owner::default() }));
    owners.push(Owner { tenant: id("a"), user: id("b"), agent: id("c") });
    owners.push(Owner { tenant: id("a:b"), user: id("c"), agent: id("default") });
    for (number, owner) in owners.iter().enumerate() {
        let (_, source) = say(store, &env, owner, "s", &format!("shared mark{number}"));
        let mut change = samples::change(&env, owner, Vec::new());
        change.tasks = vec![samples::task(&env, owner, &format!("task{number}"), source, 1)];
        store.commit(change).expect("a commit");
    }
    for (number, owner) in owners.iter().enumerate() {
        assert_eq!(all(store, owner, Filter::default()), [1], "{owner:?}");
        assert_eq!(found(store, owner, "shared", &Filter::default()), [1]);
        let lexical = store.lexical(owner, &terms("shared absent"), &Filter::default(), 10).expect("a search");
        assert_eq!((lexical.term_rows, lexical.total_rows), (vec![1, 0], 1), "counts tell of nobody else's words");
        let other = (number + 1) % owners.len();
        assert_eq!(found(store, owner, &format!("mark{other}"), &Filter::default()), Vec::<i64>::new());
        let tasks: Vec<_> = store.tasks(owner, 10).expect("tasks").into_iter().map(|task| task.id).collect();
        assert_eq!(tasks, [id(&format!("task{number}"))]);
        assert_eq!(journal_length(store, owner), 1);
    }
    let mut known = store.owners().expect("owners");
    known.sort();
    owners.sort();
    owners.dedup();
    assert_eq!(known, owners);
}

pub(crate) fn an_event_is_nobody_elses(store: &dyn Store) {
    let (env, me, you) = (env(), owner("user"), owner("user1"));
    let (seq, mine) = say(store, &env, &me, "s", "secret");
    let mut change = samples::change(&env, &me, Vec::new());
    change.tasks = vec![samples::task(&env, &me, "t", mine, 1)];
    change.sessions = vec![SessionState { session: id("s"), task: Some(id("t")) }];
    change.update_keys = vec![UpdateKey { task: id("t"), key: "k".to_owned(), version: 1 }];
    change.operations = vec![samples::operation(&env, &me, Verb::OpenTask, Target::Task(id("t")))];
    store.commit(change).expect("a commit");
    let passages = vec![samples::vector(&mut Random::new(1), 0)];
    store.put_vectors(&model(), vec![EventVectors { owner: me, seq, passages }]).expect("vectors");
    // Both a stranger that is not there yet and one that is.
    for _ in 0..2 {
        assert_eq!(store.event(&you, mine).expect("a read"), None);
        assert!(!store.events_at(&you, &[Seq(1)]).expect("a read").iter().any(|e| e.event.id == mine));
        assert!(!store.traits(&you, &[Seq(1)]).expect("a read").iter().any(|t| t.id == mine));
        assert_ne!(store.body(&you, seq).expect("a read").as_deref(), Some("secret"));
        assert_eq!(store.task(&you, &id("t")).expect("a read"), None);
        assert_eq!(store.update_version(&you, &id("t"), "k").expect("a read"), None);
        assert_ne!(store.session(&you, &id("s")).expect("a read").and_then(|s| s.task), Some(id("t")));
        assert_eq!(found(store, &you, "secret", &Filter::default()), Vec::<i64>::new());
        let (model, vector) = (model(), samples::vector(&mut Random::new(1), 0));
        let query = DenseQuery { model: &model, vector: &vector, common: None };
        assert_eq!(store.dense(&you, &query, &Filter::default(), 10).expect("a search"), []);
        assert_eq!(store.cosines(&you, &query, &[seq]).expect("a search"), []);
        for page in [
            JournalPage { event: Some(mine), limit: 9, ..JournalPage::default() },
            JournalPage { task: Some(id("t")), limit: 9, ..JournalPage::default() },
        ] {
            assert_eq!(store.journal(&you, &page).expect("a journal"), []);
        }
        let mut change = samples::change(&env, &you, Vec::new());
        let mark = Overturned { statement: "secret".to_owned(), replaced_by: None, at: env.now() };
        change.overturned = vec![(mine, mark)];
        assert!(matches!(store.commit(change), Err(StoreError::Refused(_))));
        let mut change = samples::change(&env, &you, Vec::new());
        change.archived = vec![ArchivedBody { seq: Seq(7), summary: "s".to_owned(), terms: "s".to_owned() }];
        store.commit(change).expect("nothing to archive is nothing done");
        say(store, &env, &you, "s", "mine");
    }
}

pub(crate) fn parts_of_another_owner_are_refused(store: &dyn Store) {
    let (env, me, you) = (env(), owner("me"), owner("you"));
    let mut change = samples::change(&env, &me, vec![samples::event(&env, &me, "s", "one")]);
    change.events.push(samples::event(&env, &you, "s", "two"));
    assert!(matches!(store.commit(change), Err(StoreError::Refused(_))));
    let mut change = samples::change(&env, &me, vec![samples::event(&env, &me, "s", "one")]);
    change.tasks = vec![samples::task(&env, &you, "t", EventId(env.id()), 1)];
    assert!(matches!(store.commit(change), Err(StoreError::Refused(_))));
    assert_eq!(store.owners().expect("owners"), []);
}

pub(crate) fn each_session_has_its_own_chain(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    for session in ["a", "b", "a", "A", "b", "a"] {
        say(store, &env, &me, session, "x");
    }
    say(store, &env, &owner("you"), "a", "x");
    let chain = |owner: &Owner| -> Vec<Option<i64>> {
        let page = EventPage { limit: 99, ..EventPage::default() };
        store.events(owner, &page).expect("events").iter().map(|e| e.predecessor.map(|p| p.0)).collect()
    };
    assert_eq!(chain(&me), [None, None, Some(1), None, Some(2), Some(3)]);
    assert_eq!(chain(&owner("you")), [None]);
    // Within one change as well.
    let events = vec![samples::event(&env, &me, "a", "x"), samples::event(&env, &me, "a", "x")];
    store.commit(samples::change(&env, &me, events)).expect("a commit");
    assert_eq!(chain(&me)[6..], [Some(6), Some(7)]);
}

pub(crate) fn a_stale_version_is_a_conflict_and_leaves_nothing(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (_, source) = say(store, &env, &me, "s", "start");
    let commit = |version: u64, expected: Option<u64>| {
        let mut change = samples::change(&env, &me, vec![samples::event(&env, &me, "s", "again")]);
        change.tasks = vec![samples::task(&env, &me, "t", source, version)];
        change.tasks[0].expected_version = expected;
        change.sessions = vec![SessionState { session: id("new"), task: Some(id("t")) }];
        change.update_keys = vec![UpdateKey { task: id("t"), key: format!("k{version}"), version }];
        let mark = Overturned { statement: format!("s{version}"), replaced_by: None, at: env.now() };
        change.overturned = vec![(source, mark)];
        store.commit(change)
    };
    let conflict = |result: Result<_, StoreError>, expected: Option<u64>, actual: Option<u64>| {
        let error = result.expect_err("a conflict");
        let shown = error.to_string();
        let StoreError::Conflict { task, expected: e, actual: a } = error else { panic!("{error}") };
        assert_eq!((task, e, a), (id("t"), expected, actual));
        for version in [expected, actual].into_iter().flatten() {
            assert!(shown.contains(&version.to_string()), "{shown}");
        }
    };
    conflict(commit(2, Some(1)), Some(1), None);
    assert_eq!(store.session(&me, &id("new")).expect("a read"), None);
    commit(1, None).expect("a new task");
    commit(2, Some(1)).expect("the next version");
    let before = (all(store, &me, Filter::default()), journal_length(store, &me));
    conflict(commit(3, Some(1)), Some(1), Some(2));
    conflict(commit(1, None), None, Some(2));
    assert_eq!((all(store, &me, Filter::default()), journal_length(store, &me)), before);
    assert_eq!(store.update_version(&me, &id("t"), "k3").expect("a read"), None);
    let stored = store.event(&me, source).expect("a read").expect("the event");
    let statements: Vec<_> = stored.overturned.iter().map(|mark| mark.statement.as_str()).collect();
    assert_eq!(statements, ["s1", "s2"]);
    assert_eq!(store.task(&me, &id("t")).expect("a read").map(|task| task.version), Some(2));
}

pub(crate) fn an_update_key_is_used_once(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let key = |task: &str, key: &str, version| UpdateKey { task: id(task), key: key.to_owned(), version };
    let commit = |key| store.commit(ChangeSet { owner: me.clone(), update_keys: vec![key], ..ChangeSet::default() });
    commit(key("t", "k", 1)).expect("a commit");
    commit(key("T", "k", 5)).expect("another task");
    commit(key("t", "K", 2)).expect("another key");
    assert!(matches!(commit(key("t", "k", 3)), Err(StoreError::Conflict { actual: Some(1), .. })));
    let version = |task: &str, key: &str| store.update_version(&me, &id(task), key).expect("a read");
    assert_eq!(
        (version("t", "k"), version("T", "k"), version("t", "K"), version("t", "x")),
        (Some(1), Some(5), Some(2), None)
    );
    let _ = env;
}

pub(crate) fn a_slot_has_one_memory_in_force(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (_, event) = say(store, &env, &me, "s", "我住在余杭");
    let (first, second) = (MemoryId(env.id()), MemoryId(env.id()));
    let memory = |id, value: &str, status, version| samples::memory(&env, id, "home", value, status, event, version);
    let commit = |memories| store.commit(ChangeSet { owner: me.clone(), memories, ..ChangeSet::default() });
    let slot = memory(first, "", MemoryStatus::Active, 1).memory.slot();
    let in_slot = |statuses: &[MemoryStatus]| -> Vec<String> {
        let filter = MemoryFilter { slot: Some(slot.clone()), statuses: statuses.to_vec() };
        store.memories(&me, &filter).expect("a read").into_iter().map(|memory| memory.value).collect()
    };
    commit(vec![memory(first, "西湖", MemoryStatus::Active, 1)]).expect("a commit");
    let refused = commit(vec![memory(second, "余杭", MemoryStatus::Active, 1)]).expect_err("a second one in force");
    assert!(matches!(refused, StoreError::Refused(_)), "{refused}");
    assert_eq!(in_slot(&[]), ["西湖"]);
    let stale = commit(vec![memory(first, "西湖", MemoryStatus::Active, 3)]).expect_err("another version");
    assert!(matches!(stale, StoreError::Stale { .. }), "{stale}");
    // In whatever order they come: the one that leaves force leaves it first.
    let changes =
        vec![memory(second, "余杭", MemoryStatus::Active, 1), memory(first, "西湖", MemoryStatus::Superseded, 2)];
    commit(changes).expect("a commit");
    assert_eq!(in_slot(&[MemoryStatus::Active]), ["余杭"]);
    assert_eq!(in_slot(&[]).len(), 2);
    let other = MemoryId(env.id());
    commit(vec![samples::memory(&env, other, "job", "x", MemoryStatus::Active, event, 1)]).expect("another slot");
    assert_eq!(store.memory(&me, second).expect("a read").map(|memory| memory.version), Some(1));
    assert_eq!(store.memory(&owner("ME"), second).expect("a read"), None);
    assert_eq!(store.memories(&owner("ME"), &MemoryFilter::default()).expect("a read"), []);
    assert_eq!(store.memory_state(&me).expect("a read").changes, 4);
}

pub(crate) fn the_watermark_moves_from_where_it_was(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (seq, _) = say(store, &env, &me, "s", "x");
    let commit = |from, through| {
        let learned = Some(Learned { from, through });
        store.commit(ChangeSet { owner: me.clone(), learned, ..ChangeSet::default() })
    };
    commit(Seq(0), seq).expect("a commit");
    assert_eq!(store.memory_state(&me).expect("a read").learned, seq);
    assert!(matches!(commit(Seq(0), Seq(9)), Err(StoreError::Stale { .. })));
    assert_eq!(store.memory_state(&me).expect("a read").learned, seq);
    assert_eq!(store.memory_state(&owner("ME")).expect("a read"), MemoryState::default());
}

pub(crate) fn sealed_secrets_are_kept_once_for_each_owner(store: &dyn Store) {
    let (me, other) = (owner("me"), owner("ME"));
    let secret = |placeholder: &str, byte| SealedSecret { placeholder: placeholder.to_owned(), sealed: vec![byte; 50] };
    let commit = |owner: &Owner, secrets| {
        store.commit(ChangeSet { owner: owner.clone(), secrets, ..ChangeSet::default() }).expect("a commit");
    };
    commit(&me, vec![secret("card:a", 1), secret("card:b", 2), secret("card:a", 3)]);
    commit(&me, vec![secret("card:b", 4)]);
    commit(&other, vec![secret("card:a", 5)]);
    let kept = |owner: &Owner, placeholder: &str| store.sealed_secret(owner, placeholder).expect("a read");
    assert_eq!(kept(&me, "card:a"), Some(vec![1; 50]));
    assert_eq!(kept(&me, "card:b"), Some(vec![2; 50]));
    assert_eq!(kept(&other, "card:a"), Some(vec![5; 50]));
    assert_eq!((kept(&other, "card:b"), kept(&owner("nobody"), "card:a")), (None, None));
}

pub(crate) fn what_is_overturned_says_so(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (seq, old) = say(store, &env, &me, "s", "增长3.2%");
    let mark = |statement: &str, by: Option<&str>| Overturned {
        statement: statement.to_owned(),
        replaced_by: by.map(str::to_owned),
        at: env.now(),
    };
    // In an earlier event and in one of the same change; the same statement again is the newest word on it.
    let new = samples::event(&env, &me, "s", "不是3.2%");
    let (first, own, last) = (mark("3.2%", None), mark("own", None), mark("3.2%", Some("2.8%")));
    let mut change = samples::change(&env, &me, vec![new.clone()]);
    change.overturned = vec![(old, first), (new.event.id, own.clone()), (old, last.clone())];
    store.commit(change).expect("a commit");
    assert_eq!(store.event(&me, old).expect("a read").expect("the event").overturned, std::slice::from_ref(&last));
    assert_eq!(store.events_at(&me, &[seq]).expect("a read")[0].overturned, [last]);
    assert_eq!(store.event(&me, new.event.id).expect("a read").expect("the event").overturned, [own]);
    let mut change = samples::change(&env, &me, vec![samples::event(&env, &me, "s", "x")]);
    change.overturned = vec![(EventId(env.id()), mark("x", None))];
    assert!(matches!(store.commit(change), Err(StoreError::Refused(_))));
    assert_eq!(all(store, &me, Filter::default()), [1, 2]);
}

pub(crate) fn a_body_goes_cold_and_comes_back(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let body = format!("long {}", "网关 重试 ".repeat(200));
    let (seq, event) = say(store, &env, &me, "s", &body);
    say(store, &env, &me, "s", "网关");
    let archive = |summary: &str| {
        let mut change = samples::change(&env, &me, Vec::new());
        let body = ArchivedBody { seq, summary: summary.to_owned(), terms: summary.to_owned() };
        change.archived = vec![body];
        store.commit(change).expect("a commit");
    };
    archive("摘要 网关");
    // Again is nothing.
    archive("second");
    let stored = store.event(&me, event).expect("a read").expect("the event");
    assert_eq!((stored.archived, stored.event.content.as_str()), (true, "摘要 网关"));
    assert_eq!(store.body(&me, seq).expect("a read"), Some(body.clone()));
    let hits = |word: &str| found(store, &me, word, &Filter::default());
    assert_eq!((hits("摘要"), hits("网关"), hits("重试"), hits("second")), (vec![1], vec![1, 2], vec![], vec![]));
    assert_eq!(store.status().expect("a status").archived, 1);
    let mut change = samples::change(&env, &me, Vec::new());
    change.restored = vec![RestoredBody { seq, terms: body.clone() }];
    store.commit(change.clone()).expect("a commit");
    store.commit(change).expect("a commit");
    let stored = store.event(&me, event).expect("a read").expect("the event");
    assert_eq!((stored.archived, stored.event.content), (false, body.clone()));
    assert_eq!(store.body(&me, seq).expect("a read"), Some(body));
    assert_eq!((hits("摘要"), hits("重试"), hits("long")), (vec![], vec![1], vec![1]));
    assert_eq!(store.body(&me, Seq(99)).expect("a read"), None);
}

pub(crate) fn filters_keep_what_they_name(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let mut ids = Vec::new();
    for number in 0..24_usize {
        let mut new = samples::event(&env, &me, ["a", "b", "a%"][number % 3], &format!("word n{number}"));
        new.event.source = Source::ALL[number % 4];
        new.event.kind = Kind::ALL[number % 10];
        new.event.scope.task = [None, Some(id("t")), Some(id("T"))][number / 2 % 3].clone();
        ids.push(new.event.id);
        store.commit(samples::change(&env, &me, vec![new])).expect("a commit");
    }
    let position =
        |keep: &dyn Fn(usize) -> bool| -> Vec<i64> { (0..24).filter(|n| keep(*n)).map(|n| n as i64 + 1).collect() };
    let check = |filter: Filter, keep: &dyn Fn(usize) -> bool| {
        assert_eq!(all(store, &me, filter.clone()), position(keep), "{filter:?}");
        assert_eq!(found(store, &me, "word", &filter), position(keep), "{filter:?}");
    };
    check(Filter::default(), &|_| true);
    check(Filter { session: Some(id("a")), ..Filter::default() }, &|n| n % 3 == 0);
    check(Filter { task: Some(id("t")), ..Filter::default() }, &|n| n / 2 % 3 == 1);
    check(Filter { session: Some(id("none")), ..Filter::default() }, &|_| false);
    check(Filter { sources: vec![Source::User], ..Filter::default() }, &|n| n % 4 == 0);
    check(Filter { sources: vec![Source::User, Source::Tool], ..Filter::default() }, &|n| n % 2 == 0);
    check(Filter { kinds: vec![Kind::ALL[3], Kind::ALL[7]], ..Filter::default() }, &|n| n % 10 == 3 || n % 10 == 7);
    check(Filter { except: ids[..5].to_vec(), ..Filter::default() }, &|n| n >= 5);
    let both = Filter { session: Some(id("b")), sources: vec![Source::ALL[1]], ..Filter::default() };
    check(both, &|n| n % 3 == 1 && n % 4 == 1);
    check(Filter { history: true, ..Filter::default() }, &|_| true);
}

pub(crate) fn as_of_looks_back_on_both_clocks(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let noon: Timestamp = "2026-03-01T12:00:00Z".parse().expect("a time");
    let day = |n: i64| noon + SignedDuration::from_hours(24 * n);
    // Recorded in this order; the third tells of the oldest day.
    let mut recorded = Vec::new();
    for happened in [2, 4, 0, 3] {
        let mut new = samples::event(&env, &me, "s", "word");
        new.event.occurred_at = day(happened).to_zoned_datetime(jiff::tz::TimeZone::fixed(jiff::tz::offset(-7)));
        recorded.push(new.event.recorded_at);
        store.commit(samples::change(&env, &me, vec![new])).expect("a commit");
    }
    let check = |filter: Filter, expected: &[i64]| {
        assert_eq!(all(store, &me, filter.clone()), expected, "{filter:?}");
        assert_eq!(found(store, &me, "word", &filter), expected, "{filter:?}");
    };
    check(Filter { until: Some(day(3)), ..Filter::default() }, &[1, 3]);
    check(Filter { since: Some(day(3)), ..Filter::default() }, &[2, 4]);
    check(Filter { since: Some(day(2)), until: Some(day(4)), ..Filter::default() }, &[1, 4]);
    check(Filter { known_at: Some(recorded[1]), ..Filter::default() }, &[1, 2]);
    let just_before = recorded[2] - SignedDuration::from_micros(1);
    check(Filter { known_at: Some(just_before), until: Some(day(3)), ..Filter::default() }, &[1]);
    check(Filter { since: Some(day(3)), until: Some(day(3)), ..Filter::default() }, &[]);
    assert_eq!(store.count_between(&me, day(2), day(4)).expect("a count"), 2);
    assert_eq!(store.count_between(&owner("you"), day(0), day(9)).expect("a count"), 0);
}

pub(crate) fn pages_go_both_ways(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    for _ in 0..7 {
        say(store, &env, &me, "s", "x");
        say(store, &env, &owner("you"), "s", "x");
    }
    for newest_first in [false, true] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = EventPage { newest_first, after, limit: 3, ..EventPage::default() };
            let rows = store.events(&me, &page).expect("a page");
            let Some(last) = rows.last() else { break };
            assert!(rows.len() <= 3);
            after = Some(last.seq);
            seen.extend(rows.iter().map(|event| event.seq.0));
        }
        let mut expected: Vec<i64> = (1..=7).collect();
        if newest_first {
            expected.reverse();
        }
        assert_eq!(seen, expected);
    }
    assert_eq!(store.events(&me, &EventPage::default()).expect("a page"), []);
    let positions: Vec<i64> = store
        .events_at(&me, &[Seq(5), Seq(-1), Seq(2), Seq(99), Seq(5), Seq(i64::MAX)])
        .expect("a read")
        .iter()
        .map(|event| event.seq.0)
        .collect();
    assert_eq!(positions, [2, 5]);
}

pub(crate) fn the_journal_turns_pages(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let run = RunId(env.id());
    let (old, new) = (samples::event(&env, &me, "s", "old"), samples::event(&env, &me, "s", "new"));
    let (old_id, new_id) = (old.event.id, new.event.id);
    let mut change = samples::change(&env, &me, vec![old, new]);
    let mut superseded = samples::operation(&env, &me, Verb::Supersede, Target::Event(old_id));
    superseded.cause = Some(new_id);
    let mut opened = samples::operation(&env, &me, Verb::OpenTask, Target::Task(id("t")));
    opened.cause = Some(new_id);
    let mut moved = samples::operation(&env, &me, Verb::SwitchTask, Target::Session(id("s")));
    moved.before = Some(serde_json::json!({"task": null}));
    moved.run = run;
    opened.run = run;
    change.operations.extend([superseded, opened, moved]);
    store.commit(change).expect("a commit");
    let positions = |page: JournalPage| -> Vec<i64> {
        let page = JournalPage { limit: if page.limit == 0 { 99 } else { page.limit }, ..page };
        store.journal(&me, &page).expect("a journal").iter().map(|entry| entry.position).collect()
    };
    assert_eq!(positions(JournalPage::default()), [1, 2, 3, 4, 5]);
    assert_eq!(positions(JournalPage { newest_first: true, limit: 2, ..JournalPage::default() }), [5, 4]);
    assert_eq!(positions(JournalPage { newest_first: true, after: Some(4), ..JournalPage::default() }), [3, 2, 1]);
    assert_eq!(positions(JournalPage { after: Some(3), ..JournalPage::default() }), [4, 5]);
    assert_eq!(positions(JournalPage { run: Some(run), ..JournalPage::default() }), [4, 5]);
    assert_eq!(positions(JournalPage { verb: Some(Verb::Observe), ..JournalPage::default() }), [1, 2]);
    assert_eq!(positions(JournalPage { task: Some(id("t")), ..JournalPage::default() }), [4]);
    assert_eq!(positions(JournalPage { event: Some(old_id), ..JournalPage::default() }), [1, 3]);
    assert_eq!(positions(JournalPage { event: Some(new_id), ..JournalPage::default() }), [2, 3, 4]);
    assert_eq!(positions(JournalPage { event: Some(EventId(env.id())), ..JournalPage::default() }), Vec::<i64>::new());
}

pub(crate) fn sessions_remember_their_task(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    assert_eq!(store.session(&me, &id("s")).expect("a read"), None);
    say(store, &env, &me, "s", "x");
    let set = |task: Option<&str>| {
        let state = SessionState { session: id("s"), task: task.map(id) };
        let change = ChangeSet { owner: me.clone(), sessions: vec![state.clone()], ..ChangeSet::default() };
        store.commit(change).expect("a commit");
        assert_eq!(store.session(&me, &id("s")).expect("a read"), Some(state));
    };
    assert_eq!(store.session(&me, &id("s")).expect("a read").and_then(|state| state.task), None);
    set(Some("t"));
    say(store, &env, &me, "s", "x");
    set(Some("u"));
    set(None);
    assert_eq!(store.session(&me, &id("S")).expect("a read"), None);
}

pub(crate) fn tasks_come_most_recent_first(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (_, source) = say(store, &env, &me, "s", "x");
    let commit = |name: &str, version: u64| {
        let mut change = samples::change(&env, &me, Vec::new());
        change.tasks = vec![samples::task(&env, &me, name, source, version)];
        store.commit(change).expect("a commit");
    };
    ["a", "b", "A", "周报"].into_iter().for_each(|name| commit(name, 1));
    commit("b", 2);
    let names = |limit| -> Vec<String> {
        store.tasks(&me, limit).expect("tasks").iter().map(|task| task.id.to_string()).collect()
    };
    assert_eq!(names(10), ["b", "周报", "A", "a"]);
    assert_eq!(names(2), ["b", "周报"]);
    let task = store.task(&me, &id("b")).expect("a read").expect("the task");
    assert_eq!((task.version, task.frames.len(), &task.frames[0].constraints[0].text[..]), (2, 1, "不超过三页"));
}

pub(crate) fn counts_add_up(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let empty = store.status().expect("a status");
    assert_eq!((empty.owners, empty.events, empty.newest_event), (0, 0, None));
    for who in ["me", "you", "me"] {
        let (seq, source) = say(store, &env, &owner(who), "s", "x");
        let name = format!("t{seq}");
        let mut change = samples::change(&env, &owner(who), Vec::new());
        change.tasks = vec![samples::task(&env, &owner(who), &name, source, 1)];
        store.commit(change).expect("a commit");
    }
    put(store, &me, 1, vec![samples::vector(&mut Random::new(1), 0)]).expect("vectors");
    let status = store.status().expect("a status");
    assert_eq!((status.owners, status.events, status.tasks, status.operations, status.vectors), (2, 3, 3, 3, 1));
    assert!(status.writable && status.newest_event.is_some());
}
