//! The journal's own retention (SPEC 7.1): old text goes and the chain holds; what went can't be undone, and that is said.

use std::sync::Arc;

use holdfast::engine::{Config, Engine, Error, Pruned};
use holdfast::env::Env;
use holdfast::store::JournalPage;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::forget::{Forget, Forgetting, Selection};
use holdfast::types::operation::Verb;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::task::Outcome;
use holdfast::types::undo::{Undo, Undoing};
use holdfast::types::update::{Action, Update};
use jiff::{SignedDuration, Timestamp};

use crate::lexical;

const START: &str = "2026-11-01T09:00:00Z";

fn start() -> Timestamp {
    START.parse().unwrap()
}

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// A journal is read whole.
fn lines(engine: &Engine) -> Vec<holdfast::types::operation::JournalEntry> {
    engine.journal(&Owner::default(), &JournalPage { limit: 999, ..JournalPage::default() }).unwrap()
}

fn undo(engine: &Engine, what: Undoing) -> Result<holdfast::types::undo::Undone, Error> {
    let undo = Undo { what, reason: "a mistake".to_owned(), with_dependants: false };
    engine.undo(&Owner::default(), &undo)
}

#[test]
fn old_text_goes_and_the_chain_still_verifies() {
    for (old, new, constraint, word) in [
        ("以后周报都用PDF，抄送 梅洛-7781。", "明天开会。", "抄送 梅洛-7781", "梅洛-7781"),
        ("Always send the report to Marlow-7781.", "A meeting tomorrow.", "copy Marlow-7781", "Marlow-7781"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let env = Arc::new(Env::fixed(7, start()));
        let engine = Engine::open(Config { env: Arc::clone(&env), ..lexical(directory.path()) }).unwrap();
        let owner = Owner::default();
        let say =
            |text: &str| engine.observe(RawEvent::new(Scope::default(), Source::User, Kind::Query, text)).unwrap();
        let task = |name: &str| Scope { task: Some(ScopeId::new(name).unwrap()), ..Scope::default() };
        for name in ["ended", "open"] {
            engine.start_task(&task(name), name, Some("the goal"), &[]).unwrap();
            let actions = vec![Action::AddConstraint { text: constraint.to_owned() }];
            engine.update(&task(name), &Update { actions, ..Update::default() }).unwrap();
        }
        let end = vec![Action::End { outcome: Outcome::Success, reason: None }];
        engine.update(&task("ended"), &Update { actions: end, ..Update::default() }).unwrap();
        let first = say(old);
        let gone = say("forget this").id;
        let selection = Selection::Events(vec![gone]);
        let forget = Forget { selection, how: Forgetting::Erase, reason: "asked".to_owned(), events_max: None };
        engine.forget(&owner, &forget).unwrap();
        env.advance(days(40));
        say(new);
        let before = start() + days(30);
        let (head, whole) = (engine.verify_journal(&owner).unwrap().head, lines(&engine));
        let of_old =
            whole.iter().find(|line| line.operation.cause == Some(first.id) || line.operation.verb == Verb::Observe);
        let of_old = of_old.unwrap().operation.id;

        let preview = engine.prune_preview(&owner, before).unwrap();
        assert_eq!(lines(&engine), whole, "a preview changes nothing");
        assert!(matches!(engine.prune_journal(&owner, before, " "), Err(Error::NoReason)));
        let pruned = engine.prune_journal(&owner, before, "thirty days").unwrap();
        assert_eq!(pruned, preview);
        assert!(pruned.operations > 3 && pruned.kept > 3, "{pruned:?}");
        // Receipts stay, and what was done to the task that is open; the events, memories and tasks are as they were.
        let left = lines(&engine);
        let old_ones = left.iter().filter(|line| line.operation.at < before);
        assert!(old_ones.clone().any(|line| line.operation.verb == Verb::Erase));
        assert!(old_ones.clone().any(|line| line.operation.verb == Verb::Update), "the open task's");
        assert!(!old_ones.clone().any(|line| matches!(line.operation.verb, Verb::Observe | Verb::Remember)));
        assert_eq!(left.last().unwrap().operation.verb, Verb::Prune);
        assert!(engine.event(&owner, first.id).unwrap().is_some());
        let check = engine.verify_journal(&owner).unwrap();
        assert_eq!((check.pruned, check.operations), (pruned.operations, whole.len() as u64 + check.erased + 1));
        assert_ne!(check.head, head, "one line came");
        engine.dump(&mut std::io::sink()).unwrap();
        // Again there is nothing to do, and nothing is told of it.
        assert_eq!(engine.prune_journal(&owner, before, "again").unwrap(), Pruned { operations: 0, ..pruned });
        assert_eq!(lines(&engine), left);

        // What is no longer kept is not undone in part.
        for what in [Undoing::Operation(of_old), Undoing::Run(engine.run()), Undoing::To(start() - days(1))] {
            let Err(Error::NothingToUndo(why)) = undo(&engine, what) else { panic!("{what:?} was undone") };
            assert!(why.contains("no longer keeps"), "{why}");
        }
        // What came later is.
        undo(&engine, Undoing::To(start() + days(35))).unwrap();
        engine.dump(&mut std::io::sink()).unwrap();

        // An erasure after it leaves nothing either.
        let selection = Selection::Matching(word.to_owned());
        let forget = Forget { selection, how: Forgetting::Erase, reason: "asked".to_owned(), events_max: None };
        assert_eq!(engine.forget(&owner, &forget).unwrap().left, 0);
        let mut dump = Vec::new();
        engine.dump(&mut dump).unwrap();
        assert!(!String::from_utf8(dump).unwrap().contains(word));
    }
}

/// By its setting, a journal is kept for so many days: when a store is opened, and by the manager.
#[test]
fn a_setting_keeps_the_journal_for_so_many_days() {
    let directory = tempfile::tempdir().unwrap();
    let opened = |day: i64, journal_days: Option<u32>| {
        let env = Arc::new(Env::fixed(900 + u64::try_from(day).unwrap(), start() + days(day)));
        Engine::open(Config { env, journal_days, ..lexical(directory.path()) }).unwrap()
    };
    for (day, text) in [(0, "这是第一天。"), (20, "twenty days later")] {
        let engine = opened(day, None);
        engine.observe(RawEvent::new(Scope::default(), Source::User, Kind::Note, text)).unwrap();
    }
    assert_eq!(lines(&opened(60, None)).len(), 2, "without a setting all is kept");
    assert_eq!(lines(&opened(45, Some(30))).len(), 2, "the second day's, and that the first one's went");
    let engine = opened(60, Some(30));
    let verbs: Vec<Verb> = lines(&engine).iter().map(|line| line.operation.verb).collect();
    assert_eq!(verbs, [Verb::Prune, Verb::Prune]);
    assert_eq!(engine.verify_journal(&Owner::default()).unwrap().pruned, 2);
    let config = Config { read_only: true, journal_days: Some(0), ..lexical(directory.path()) };
    drop(engine);
    assert_eq!(lines(&Engine::open(config).unwrap()).len(), 2, "whoever only reads drops nothing");
}
