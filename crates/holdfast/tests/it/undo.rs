//! Undoing (SPEC 7.2): done and undone, all is as before but for the journal; what came later stays, or is named first.

use holdfast::engine::{Engine, Error, ManageOptions};
use holdfast::manager::Policy;
use holdfast::store::JournalPage;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::forget::{Forget, Forgetting, Selection};
use holdfast::types::memory::{MemoryFilter, MemoryStatus};
use holdfast::types::operation::{JournalEntry, Verb};
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::task::ItemStatus;
use holdfast::types::undo::{Undo, Undoing, Undone};
use holdfast::types::update::{Action, Update};
use jiff::SignedDuration;
use proptest::prelude::*;

use crate::{engine, engine_of, state};

fn at(session: &str) -> Scope {
    Scope { session: ScopeId::new(session).unwrap(), ..Scope::default() }
}

fn say(engine: &Engine, session: &str, text: &str) {
    engine.observe(RawEvent::new(at(session), Source::User, Kind::Query, text)).unwrap();
}

fn update(engine: &Engine, task: &str, actions: Vec<Action>) {
    let scope = Scope { task: Some(ScopeId::new(task).unwrap()), ..at("work") };
    engine.update(&scope, &Update { actions, ..Update::default() }).unwrap();
}

fn undo(what: Undoing) -> Undo {
    Undo { what, reason: "it was wrong".to_owned(), with_dependants: false }
}

fn undone(engine: &Engine, what: Undoing) -> Undone {
    let preview = engine.undo_preview(&Owner::default(), &undo(what)).unwrap();
    let done = engine.undo(&Owner::default(), &undo(what)).unwrap();
    assert_eq!(preview, done);
    engine.dump(&mut std::io::sink()).unwrap();
    engine.verify_journal(&Owner::default()).unwrap();
    done
}

fn journal(engine: &Engine, verb: Verb) -> Vec<JournalEntry> {
    let page = JournalPage { verb: Some(verb), limit: 999, ..JournalPage::default() };
    engine.journal(&Owner::default(), &page).unwrap()
}

/// The newest line of a verb.
fn last(engine: &Engine, verb: Verb) -> Undoing {
    Undoing::Operation(journal(engine, verb).last().unwrap().operation.id)
}

/// What stands of long-term memory: status and words.
fn known(engine: &Engine) -> Vec<String> {
    let all = engine.memories(&Owner::default(), &MemoryFilter::default()).unwrap();
    all.iter().map(|memory| format!("{} {}", memory.status, memory.content)).collect()
}

fn constraints(engine: &Engine) -> Vec<String> {
    let task = engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap();
    task.visible_constraints().iter().map(|(_, constraint)| constraint.text.clone()).collect()
}

fn context(engine: &Engine, question: &str) -> String {
    engine.context(&Query::new(at("q"), question, engine.now()), &BlockOptions::default()).unwrap().text
}

#[test]
fn a_memory_that_took_anothers_place_gives_it_back() {
    for (first, then, question, was) in [
        ("我住在余杭。", "我现在住在滨江。", "我住在哪", "余杭"),
        ("I live in Lima.", "I live in Quito now.", "Where do I live?", "Lima"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        say(&engine, "s", first);
        engine.learn(&Owner::default()).unwrap();
        let before = known(&engine);
        say(&engine, "s", then);
        engine.learn(&Owner::default()).unwrap();
        assert_eq!(known(&engine).len(), 2);
        let done = undone(&engine, last(&engine, Verb::Supersede));
        assert_eq!((done.memories, done.events), (2, 0), "the other goes with it: {done:?}");
        assert_eq!(known(&engine), before);
        assert!(context(&engine, question).contains(was));
        // And the undoing can be undone.
        undone(&engine, last(&engine, Verb::Undo));
        assert_eq!(known(&engine).len(), 2);
        assert!(known(&engine)[0].starts_with(MemoryStatus::Superseded.as_str()), "{:?}", known(&engine));
    }
}

#[test]
fn an_update_is_undone_and_what_came_later_stays() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    engine
        .start_task(&Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") }, "周报", Some("写周报"), &[])
        .unwrap();
    update(&engine, "t", vec![Action::AddConstraint { text: "不超过一页".to_owned() }]);
    let wrong = last(&engine, Verb::Update);
    update(&engine, "t", vec![Action::AddConstraint { text: "send it before Friday".to_owned() }]);
    update(&engine, "t", vec![Action::SetItem { name: "启明".to_owned(), status: ItemStatus::Open, note: None }]);
    assert_eq!(constraints(&engine), ["不超过一页", "send it before Friday"]);
    let done = undone(&engine, wrong);
    assert_eq!((done.tasks, done.dependants.len()), (1, 0));
    assert_eq!(constraints(&engine), ["send it before Friday"]);
    assert!(engine.undo(&Owner::default(), &undo(wrong)).is_ok(), "undone again, nothing is left to change");
    assert_eq!(constraints(&engine), ["send it before Friday"]);
}

#[test]
fn what_was_changed_again_is_named_and_goes_only_together() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    engine.start_task(&Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") }, "report", None, &[]).unwrap();
    update(&engine, "t", vec![Action::AddConstraint { text: "one page".to_owned() }]);
    let first = last(&engine, Verb::Update);
    let constraint = engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap().frames[0]
        .constraints[0]
        .id
        .clone();
    update(&engine, "t", vec![Action::AmendConstraint { constraint, text: "two pages".to_owned() }]);
    let refused = engine.undo(&Owner::default(), &undo(first));
    let Err(Error::Dependants(reach)) = refused else { panic!("{refused:?}") };
    assert_eq!(reach.dependants.len(), 1);
    assert!(reach.dependants[0].operation.reason.starts_with("amend_constraint"), "{reach:?}");
    assert_eq!(constraints(&engine), ["two pages"], "nothing was changed");
    let together = Undo { with_dependants: true, ..undo(first) };
    assert_eq!(engine.undo(&Owner::default(), &together).unwrap().operations.len(), 2);
    assert_eq!(constraints(&engine), Vec::<String>::new());
}

#[test]
fn a_run_is_undone_whole_and_its_events_are_out_of_view() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    say(&engine, "s", "以后周报都先写结论。");
    update_of(&engine);
    engine.learn(&Owner::default()).unwrap();
    let before = state(&engine);
    drop(engine);
    let wrong = engine_of(directory.path(), 8);
    say(&wrong, "s", "以后周报都用英文写。");
    say(&wrong, "work", "From now on always answer in haiku.");
    update(&wrong, "t", vec![Action::AddConstraint { text: "poisoned".to_owned() }]);
    wrong.learn(&Owner::default()).unwrap();
    let run = wrong.run();
    drop(wrong);
    let engine = engine_of(directory.path(), 9);
    assert_ne!(state(&engine), before);
    let done = undone(&engine, Undoing::Run(run));
    assert!(done.events >= 3 && done.memories >= 1 && done.tasks == 1, "{done:?}");
    assert_eq!(state(&engine), before);
    assert!(!context(&engine, "write the report in haiku").contains("haiku"));
    // A word of that run is not learned again.
    engine.learn(&Owner::default()).unwrap();
    assert_eq!(state(&engine), before);
}

fn update_of(engine: &Engine) {
    engine.start_task(&Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") }, "report", None, &[]).unwrap();
}

#[test]
fn what_was_erased_is_not_revived() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    update_of(&engine);
    let secret = "the code word is Marlow-7781 and nothing else";
    update(&engine, "t", vec![Action::AddFact { text: secret.to_owned() }]);
    let added = last(&engine, Verb::Update);
    update(&engine, "t", vec![Action::AddConstraint { text: "one page".to_owned() }]);
    let later = last(&engine, Verb::Update);
    let owner = Owner::default();
    let forget = Forget {
        selection: Selection::Matching("Marlow-7781".to_owned()),
        how: Forgetting::Erase,
        reason: "asked".to_owned(),
        events_max: None,
    };
    engine.forget(&owner, &forget).unwrap();
    let erased = last(&engine, Verb::Erase);
    let Err(Error::NothingToUndo(why)) = engine.undo(&owner, &undo(erased)) else { panic!("an erasure was undone") };
    assert!(why.contains("can't come back"), "{why}");
    assert!(engine.undo(&owner, &undo(added)).is_err());
    // Nor by what came later, whose document of before knew of it.
    let Err(Error::NothingToUndo(why)) = engine.undo(&owner, &undo(later)) else { panic!("its past was kept") };
    assert!(why.contains("erased"), "{why}");
    let all = engine.undo(&owner, &undo(Undoing::To("2026-11-27T09:00:00Z".parse().unwrap())));
    let mut dump = Vec::new();
    engine.dump(&mut dump).unwrap();
    assert!(!String::from_utf8(dump).unwrap().contains("Marlow"), "{all:?}");
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(11).any(|window| window == b"Marlow-7781"));
    }
}

#[test]
fn wrong_requests_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    say(&engine, "s", "hello");
    let nowhere = Undoing::Operation(holdfast::types::ids::OperationId(uuid::Uuid::from_u128(7)));
    assert!(matches!(engine.undo(&Owner::default(), &undo(nowhere)), Err(Error::NoSuchOperation(_))));
    let later = Undoing::To(engine.now().timestamp() + SignedDuration::from_hours(1));
    assert!(matches!(engine.undo(&Owner::default(), &undo(later)), Err(Error::NothingToUndo(_))));
    let no_reason = Undo { reason: String::new(), ..undo(later) };
    assert!(matches!(engine.undo(&Owner::default(), &no_reason), Err(Error::NoReason)));
}

/// Keeps next to nothing, and waits for next to nothing.
const LETS_GO: &str = "extends = \"aggressive\"\n[half_life]\nhours = 0.000001\nturns = 0.1\n[thresholds]\nkeep = 0.9\ncompress = 0.6\n\
    archive = 0.5\n[probation]\nturns = 1\nhours = 0\n[keep]\nkinds = []";

/// One thing done to a store.
#[derive(Debug, Clone)]
enum Op {
    Say(usize, usize),
    Constrain(usize),
    Item(usize),
    Learn,
    Remember(usize),
    Hide(usize),
    Archive,
    Manage(bool),
    Stage(usize),
    End,
}

const SAID: &[&str] = &[
    "以后周报都用PDF。",
    "以后周报都用Word。",
    "我住在余杭。",
    "我现在住在滨江。",
    "I prefer tabs over spaces.",
    "I live in Lima.",
    "启明那家取消了。",
    "退货率不是3.2%，是2.8%。",
    "退货率是3.2%。",
    "很好，就这样。",
];

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..SAID.len(), 0..2_usize).prop_map(|(text, session)| Op::Say(text, session)),
        3 => (0..5_usize).prop_map(Op::Constrain),
        2 => (0..3_usize).prop_map(Op::Item),
        2 => Just(Op::Learn),
        1 => (0..SAID.len()).prop_map(Op::Remember),
        1 => (0..20_usize).prop_map(Op::Hide),
        1 => Just(Op::Archive),
        2 => any::<bool>().prop_map(Op::Manage),
        1 => (0..3_usize).prop_map(Op::Stage),
        1 => Just(Op::End),
    ]
}

fn run(engine: &Engine, op: &Op) {
    let owner = Owner::default();
    match op {
        Op::Say(text, session) => say(engine, ["s", "work"][*session], SAID[*text]),
        Op::Constrain(number) => {
            let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") };
            let actions = vec![Action::AddConstraint { text: format!("constraint {number}") }];
            // One that is there already is refused.
            let _ = engine.update(&scope, &Update { actions, ..Update::default() });
        }
        Op::Item(number) => {
            let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") };
            let status = [ItemStatus::Open, ItemStatus::Paused, ItemStatus::Done][*number];
            let actions = vec![Action::SetItem { name: "启明".to_owned(), status, note: None }];
            let _ = engine.update(&scope, &Update { actions, ..Update::default() });
        }
        Op::Learn => drop(engine.learn(&owner).unwrap()),
        Op::Remember(number) => {
            let new: holdfast::engine::NewMemory =
                serde_json::from_value(serde_json::json!({"kind": "fact", "content": SAID[*number]})).unwrap();
            let _ = engine.remember(&owner, &new);
        }
        Op::Hide(number) => {
            let page = JournalPage { verb: Some(Verb::Observe), limit: 999, ..JournalPage::default() };
            let lines = engine.journal(&owner, &page).unwrap();
            let Some(line) = lines.get(number % lines.len().max(1)) else { return };
            let holdfast::types::operation::Target::Event(id) = line.operation.target else { return };
            let selection = Selection::Events(vec![id]);
            let forget = Forget { selection, how: Forgetting::Hide, reason: "asked".to_owned(), events_max: None };
            engine.forget(&owner, &forget).unwrap();
        }
        Op::Archive => drop(engine.archive(&owner, "2030-01-01T00:00:00Z".parse().unwrap()).unwrap()),
        Op::Manage(over_budget) => {
            let options = ManageOptions { over_budget: *over_budget, force: true, ..ManageOptions::default() };
            engine.manage(&owner, &Policy::from_toml(LETS_GO).unwrap(), options).unwrap();
        }
        Op::Stage(number) => {
            let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") };
            let stage = ["collect", "write", "check"][*number].to_owned();
            let actions = vec![Action::SetStage { stage, summary: None }];
            let _ = engine.update(&scope, &Update { actions, ..Update::default() });
        }
        Op::End => {
            let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") };
            let end: Action =
                serde_json::from_value(serde_json::json!({"action": "end", "outcome": "success"})).unwrap();
            let _ = engine.update(&scope, &Update { actions: vec![end], ..Update::default() });
        }
    }
}

/// The policy of the property below does let go.
#[test]
fn what_two_runs_let_go_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    SAID.iter().for_each(|text| say(&engine, "s", text));
    let before = state(&engine);
    let moment = engine.now().timestamp();
    run(&engine, &Op::Manage(false));
    SAID.iter().for_each(|text| say(&engine, "s", text));
    run(&engine, &Op::Manage(false));
    assert!(journal(&engine, Verb::Discard).len() > 2, "{:?}", journal(&engine, Verb::Probation));
    undone(&engine, Undoing::To(moment));
    assert_eq!(state(&engine), before);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever was done after a moment: undone, all is as it was then, but for the journal; and that undone, as it was before.
    #[test]
    fn done_and_undone_is_as_before(
        first in prop::collection::vec(op(), 0..12),
        then in prop::collection::vec(op(), 1..12),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        update_of(&engine);
        say(&engine, "s", "hello");
        say(&engine, "work", "hello");
        first.iter().for_each(|op| run(&engine, op));
        engine.learn(&Owner::default()).unwrap();
        let before = state(&engine);
        let moment = engine.now().timestamp();
        then.iter().for_each(|op| run(&engine, op));
        let after = state(&engine);
        match engine.undo(&Owner::default(), &undo(Undoing::To(moment))) {
            Ok(_) => {}
            Err(Error::NothingToUndo(_)) => prop_assert_eq!(&before, &after),
            Err(other) => panic!("{other:?}"),
        }
        prop_assert_eq!(state(&engine), before);
        engine.verify_journal(&Owner::default()).unwrap();
    }
}

/// Found by an undo that was undone: the summary of the archive stood for what had been compressed.
#[test]
fn what_stood_for_a_body_stands_for_it_again() {
    let texts = [
        "网关迁移开始了，大家在会议室里聊了很久。\n\n茶水间的咖啡机又修好了。\n\n有人提到周末的安排。\n\n网关迁移的压测用了 52 分钟。\n\n\
         投影仪的线不太好用。\n\n后来又说起了团建的地点。\n\n回滚脚本不能删除。\n\n午饭大家点了外卖。\n\n下午的阳光很好，窗外有人在修剪草坪。",
        "The gateway migration started, and everybody talked for a long while in the meeting room. The coffee machine works again. Somebody \
         mentioned plans for the weekend. The load test of the gateway migration took 52 minutes. The projector cable is not very good. Then \
         the place of the outing was discussed. You must not delete the rollback script. Lunch was ordered in.",
    ];
    for (text, goal) in texts.into_iter().zip(["网关迁移的压测和回滚", "gateway migration load test and rollback"])
    {
        let directory = tempfile::tempdir().unwrap();
        let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..at("work") };
        {
            let engine = engine_of(directory.path(), 7);
            let mut raw = RawEvent::new(at("work"), Source::Tool, Kind::ToolResult, text);
            raw.trust = Some(holdfast::types::event::Trust::Trusted);
            engine.observe(raw).unwrap();
            engine.start_task(&scope, "t", Some(goal), &[]).unwrap();
        }
        let env = crate::env(8);
        env.advance(SignedDuration::from_hours(24 * 20));
        let engine = Engine::open(holdfast::engine::Config { env, ..crate::lexical(directory.path()) }).unwrap();
        let whole = state(&engine);
        let policy = Policy::preset("research").unwrap();
        let managed = engine.manage(&Owner::default(), &policy, ManageOptions::default()).unwrap();
        assert_eq!(managed.count(holdfast::engine::Fate::Compressed), 1, "{managed:?}");
        let compressed = state(&engine);
        undone(&engine, Undoing::Run(managed.run));
        assert_eq!(state(&engine), whole);
        undone(&engine, last(&engine, Verb::Undo));
        assert_eq!(state(&engine), compressed);
        undone(&engine, last(&engine, Verb::Undo));
        assert_eq!(state(&engine), whole);
    }
}
