//! One utterance that addresses two tasks becomes an event for each; anything else stays whole.

use holdfast::engine::{Engine, Observed};
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::scope::{Scope, ScopeId};
use holdfast::types::task::TaskStatus;

use crate::engine;

/// A store with two tasks, the session on the first.
fn two_tasks(engine: &Engine) {
    for (id, title) in [("migration", "数据迁移"), ("report", "周报")] {
        let scope = Scope { task: Some(ScopeId::new(id).unwrap()), ..Scope::default() };
        engine.start_task(&scope, title, None, &[]).unwrap();
    }
    for (id, title) in [("deck", "slide deck"), ("audit", "security audit")] {
        let scope =
            Scope { task: Some(ScopeId::new(id).unwrap()), session: ScopeId::new("en").unwrap(), ..Scope::default() };
        engine.start_task(&scope, title, None, &[]).unwrap();
    }
}

fn say(engine: &Engine, text: &str) -> Observed {
    let session = if text.is_ascii() { ScopeId::new("en").unwrap() } else { ScopeId::default() };
    let mut raw = RawEvent::new(Scope { session, ..Scope::default() }, Source::User, Kind::Query, text);
    raw.idempotency_key = Some(text.to_owned());
    engine.observe(raw).unwrap()
}

/// The parts of an utterance, each with the task it went to.
fn parts(text: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    two_tasks(&engine);
    let observed = say(&engine, text);
    let owner = Scope::default().owner;
    let all: Vec<&Observed> = std::iter::once(&observed).chain(&observed.also).collect();
    let shown = all.iter().map(|part| {
        let stored = engine.event(&owner, part.id).unwrap().unwrap();
        assert_eq!(stored.seq, part.seq, "{text}");
        let origin = stored.event.metadata.get("origin").map(|origin| origin.as_str().unwrap().to_owned());
        assert_eq!(origin, (all.len() > 1).then(|| observed.id.to_string()), "{text}");
        format!("{}: {}", part.task.as_ref().map_or("none", |task| task.as_str()), stored.event.content)
    });
    let shown = shown.collect();
    // Said again, nothing is added.
    let events = || engine.status().unwrap().events;
    let before = events();
    let again = say(&engine, text);
    assert!(again.duplicate && again.id == observed.id, "{text}");
    assert_eq!(events(), before, "{text}");
    engine.dump(&mut std::io::sink()).unwrap();
    shown
}

#[test]
fn two_tasks_addressed_are_two_events() {
    for (text, expected) in [
        ("周报写完了，接着弄数据迁移", &["report: 周报写完了", "migration: 接着弄数据迁移"][..]),
        ("数据迁移先暂停，继续写周报，先写结论", &["migration: 数据迁移先暂停", "report: 继续写周报，先写结论"]),
        ("好的，周报取消。回到数据迁移。", &["report: 好的，周报取消。", "migration: 回到数据迁移。"]),
        (
            "The slide deck is done, back to the security audit",
            &["deck: The slide deck is done", "audit: back to the security audit"],
        ),
        (
            "Pause the security audit and continue with the slide deck",
            &["audit: Pause the security audit", "deck: and continue with the slide deck"],
        ),
    ] {
        assert_eq!(parts(text), expected, "{text}");
    }
}

/// What is asked for behind a word on another task is not lost with it.
#[test]
fn a_known_task_laid_aside_and_a_new_one_are_two_events() {
    for (text, laid_aside, title) in [
        ("周报先放一下。帮我起草一份团建方案，人均不超过300", "report", "团建方案"),
        ("数据迁移先不做了，帮我写一份采访提纲", "migration", "采访提纲"),
        (
            "Put the security audit on hold. Please draft a press release for the summit",
            "audit",
            "press release for the summit",
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        two_tasks(&engine);
        let observed = say(&engine, text);
        let owner = Scope::default().owner;
        let task = |id: &ScopeId| engine.task(&owner, id).unwrap().unwrap();
        assert_eq!(observed.task.as_ref().unwrap().as_str(), laid_aside, "{text}");
        assert_eq!(task(observed.task.as_ref().unwrap()).status, TaskStatus::Paused, "{text}");
        assert_eq!(observed.statuses.len(), 1, "{text}: {:?}", observed.statuses);
        let [new] = observed.also.as_slice() else { panic!("{text}: {observed:?}") };
        assert!(new.opened, "{text}");
        assert_eq!(task(new.task.as_ref().unwrap()).title, title, "{text}");
        assert!(task(new.task.as_ref().unwrap()).items.is_empty(), "{text}");
    }
}

/// The caller's word on the task is final, but another task by its name is no item of it.
#[test]
fn a_word_on_another_task_makes_no_item() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    two_tasks(&engine);
    let report = ScopeId::new("report").unwrap();
    for text in ["数据迁移先放一下", "Put the slide deck on hold"] {
        let scope = Scope { task: Some(report.clone()), ..Scope::default() };
        engine.observe(RawEvent::new(scope, Source::User, Kind::Query, text)).unwrap();
        let task = engine.task(&Scope::default().owner, &report).unwrap().unwrap();
        assert!(task.items.is_empty() && task.status == TaskStatus::Open, "{text}: {task:?}");
    }
}

#[test]
fn what_addresses_one_task_or_only_mentions_another_is_one_event() {
    for text in [
        "周报写完了，明天发给李总",
        "周报写完了，帮我发给李总",
        "周报先放一下，帮我查一下北京的天气",
        "周报里把数据迁移的进度写上，周五前给我",
        "周报写完了吗？接着弄数据迁移",
        "他说「周报写完了，接着弄数据迁移」",
        "如果周报写完了，就接着弄数据迁移",
        "接着弄数据迁移，先导出，再核对",
        "The slide deck is done, send it to Ana",
        "Put the audit's findings into the slide deck, and keep it short",
        "Is the slide deck done, or should we go back to the security audit?",
        "If the slide deck is done, go back to the security audit",
    ] {
        assert_eq!(parts(text).len(), 1, "{text}: {:?}", parts(text));
    }
}

#[test]
fn each_task_hears_its_part() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    two_tasks(&engine);
    let owner = Scope::default().owner;
    for (text, done, next, after) in [
        ("周报写完了，接着弄数据迁移", "report", "migration", "导出到哪一步了，说一下"),
        ("The security audit is done, back to the slide deck", "audit", "deck", "the title is too long"),
    ] {
        say(&engine, text);
        let task = |id: &str| engine.task(&owner, &ScopeId::new(id).unwrap()).unwrap().unwrap();
        assert_eq!(task(done).status, TaskStatus::Done, "{text}");
        assert!(task(next).status.is_live(), "{text}");
        assert_eq!(say(&engine, after).task.unwrap().as_str(), next, "{text}");
    }
}
