//! Promises that only the whole engine can keep: nobody else's memory, nothing secret on disk, nothing overturned as current.

use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Found, Query, Route};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::task::StepPhase;
use holdfast::types::update::{Action, Update};

use crate::engine;

fn scope(user: &str) -> Scope {
    Scope { owner: Owner { user: ScopeId::new(user).unwrap(), ..Owner::default() }, ..Scope::default() }
}

fn said(scope: &Scope, text: &str) -> RawEvent {
    RawEvent::new(scope.clone(), Source::User, Kind::Query, text)
}

fn found(engine: &holdfast::engine::Engine, scope: &Scope, question: &str) -> Vec<String> {
    let recalled = engine.recall(&Query::new(scope.clone(), question, engine.now())).unwrap();
    let text = |found: &Found| match found {
        Found::Event { event, .. } => event.event.content.clone(),
        Found::Fact { text, .. } => text.clone(),
        Found::Memory { memory, .. } => memory.content.clone(),
    };
    recalled.hits.iter().map(|hit| text(&hit.found)).collect()
}

#[test]
fn owners_with_ids_that_look_alike_share_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let users = ["a", "A", "a:b", "a%", "*", "_", "а", "a b"];
    for user in users {
        engine.observe(said(&scope(user), &format!("the launch code word of «{user}» is pelican"))).unwrap();
    }
    for user in users {
        let texts = found(&engine, &scope(user), "what is the launch code word?");
        assert_eq!(texts, [format!("the launch code word of «{user}» is pelican")], "for {user:?}");
    }
    assert!(found(&engine, &scope("nobody"), "what is the launch code word?").is_empty());
}

#[test]
fn an_absent_word_finds_nothing_and_small_talk_asks_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    for text in ["用Rust写的网关部署在杭州", "周报先写结论", "the gateway runs on two machines", "猫粮放在柜子里"]
    {
        engine.observe(said(&scope, text)).unwrap();
    }
    for (question, first) in [
        ("网关", Some("用Rust写的网关部署在杭州")),
        ("rust", Some("用Rust写的网关部署在杭州")),
        ("ＲＵＳＴ 網關", Some("用Rust写的网关部署在杭州")),
        ("猫", Some("猫粮放在柜子里")),
        ("gateways", Some("the gateway runs on two machines")),
        ("火车", None),
        ("网球", None),
        ("zebra", None),
        ("\" OR * NEAR( ^ -", None),
        ("👨‍👩‍👧", None),
        ("' ; --", None),
    ] {
        let texts = found(&engine, &scope, question);
        assert_eq!(texts.first().map(String::as_str), first, "{question}: {texts:?}");
    }
    for thanks in ["谢谢！", "thanks!", "好的", "ok"] {
        let recalled = engine.recall(&Query::new(scope.clone(), thanks, engine.now())).unwrap();
        assert_eq!((recalled.route, recalled.hits.len()), (Route::Nothing, 0), "{thanks}");
    }
}

#[test]
fn what_was_overturned_is_not_served_as_current_but_found_in_a_history() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = Scope { task: Some(ScopeId::new("report").unwrap()), ..scope("u") };
    engine.start_task(&scope, "第48周周报", None, &[]).unwrap();
    engine.observe(said(&scope, "退货率先按 3.2% 写")).unwrap();
    let conclude = Update { actions: vec![Action::Conclude { text: "退货率 3.2%".into() }], ..Update::default() };
    engine.update(&scope, &conclude).unwrap();
    engine.observe(said(&scope, "不对，退货率不是3.2%，是2.8%")).unwrap();
    let now = found(&engine, &scope, "退货率是多少");
    assert!(now.iter().all(|text| !text.contains("3.2%") || text.contains("2.8%")), "{now:?}");
    let block =
        engine.context(&Query::new(scope.clone(), "退货率是多少", engine.now()), &BlockOptions::default()).unwrap();
    assert!(block.text.contains("2.8%"), "{}", block.text);
    assert!(block.text.lines().all(|line| !line.contains("3.2%") || line.contains("2.8%")), "{}", block.text);
    let before = found(&engine, &scope, "退货率原来写的是多少");
    assert!(before.iter().any(|text| text.contains("先按 3.2%")), "{before:?}");
}

#[test]
fn the_next_prompt_waits_for_the_write_back() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    let task =
        engine.start_task(&scope, "migration", Some("move billing"), &["never drop the old table".into()]).unwrap();
    let query = Query::new(scope.clone(), "go on with the migration", engine.now());
    let block = engine.begin_step(&query, &BlockOptions::default()).unwrap();
    assert!(block.text.contains("never drop the old table"));
    let early = engine.begin_step(&query, &BlockOptions::default()).unwrap_err();
    assert!(early.to_string().contains("the prompt of this step is out"), "{early}");
    let update =
        Update { actions: vec![Action::Plan { steps: vec!["copy".into(), "check".into()] }], ..Update::default() };
    engine.update(&scope, &update).unwrap();
    assert!(engine.begin_step(&query, &BlockOptions::default()).is_err(), "consolidation is due");
    engine.consolidate(&scope).unwrap();
    engine.begin_step(&query, &BlockOptions::default()).unwrap();
    let phase = engine.task(&scope.owner, &task.id).unwrap().unwrap().phase;
    assert_eq!(phase, StepPhase::Prompted);
}

#[test]
fn an_update_is_applied_once_and_only_to_what_it_saw() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    engine.start_task(&scope, "report", None, &[]).unwrap();
    let plan = Action::Plan { steps: vec!["draft".into()] };
    let update = Update { actions: vec![plan.clone()], idempotency_key: Some("k".into()), ..Update::default() };
    let first = engine.update(&scope, &update).unwrap();
    let again = engine.update(&scope, &update).unwrap();
    assert!(again.repeated && again.task.version == first.task.version);
    let stale = Update { actions: vec![plan], expected_version: Some(first.task.version - 1), ..Update::default() };
    let refused = engine.update(&scope, &stale).unwrap_err().to_string();
    assert!(refused.contains(&first.task.version.to_string()), "{refused}");
}

#[test]
fn old_bodies_are_archived_found_by_their_summary_and_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    let body = "供应商回访记录。".to_owned()
        + &"今天聊了很多无关紧要的话。".repeat(60)
        + "对方报价 18.6 万元，有效期到 2026-09-30。";
    let mut raw = said(&scope, &body);
    raw.occurred_at = Some(holdfast::types::moment::parse("2026-07-01T09:00:00+08:00").unwrap());
    let id = engine.observe(raw).unwrap().id;
    let archived = engine.archive(&scope.owner, engine.now().timestamp()).unwrap();
    assert_eq!(archived.events, 1);
    engine.dump(&mut std::io::sink()).unwrap();
    let summary = engine.event(&scope.owner, id).unwrap().unwrap();
    assert!(summary.archived && summary.event.content.len() < body.len());
    for number in ["18.6", "2026-09-30"] {
        assert!(summary.event.content.contains(number), "{}", summary.event.content);
    }
    assert_eq!(found(&engine, &scope, "供应商报价是多少").len(), 1);
    assert_eq!(engine.body(&scope.owner, id).unwrap(), body);
    engine.restore(&scope.owner, id).unwrap();
    assert_eq!(engine.event(&scope.owner, id).unwrap().unwrap().event.content, body);
    engine.dump(&mut std::io::sink()).unwrap();
}

#[test]
fn an_export_comes_back_whole() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (from, to) = (engine(here.path()), engine(there.path()));
    crate::replay(&from, "weekly-report.jsonl");
    let owner = from.owners().unwrap().pop().unwrap();
    let mut lines = Vec::new();
    let exported = from.export(std::slice::from_ref(&owner), &mut lines).unwrap();
    let parse = |line: &str| serde_json::from_str::<holdfast::engine::ExportLine>(line).unwrap();
    let text = String::from_utf8(lines).unwrap();
    let imported = to.import(&owner, text.lines().map(parse).collect()).unwrap();
    assert_eq!((imported.events, imported.tasks), (exported.events, exported.tasks));
    let again = to.import(&owner, text.lines().map(parse).collect()).unwrap();
    assert_eq!((again.events, again.tasks), (0, 0), "a second time adds nothing");
    let mut there = Vec::new();
    to.export(std::slice::from_ref(&owner), &mut there).unwrap();
    let there = String::from_utf8(there).unwrap();
    let differing = there.lines().zip(text.lines()).find(|(there, here)| there != here);
    assert_eq!(differing, None);
    assert_eq!(there.lines().count(), text.lines().count());
    to.dump(&mut std::io::sink()).unwrap();
}

#[test]
fn more_work_that_is_asked_for_by_the_way_is_a_task_of_its_own() {
    for (first, second) in [
        ("帮我写周报", "另外，帮我准备年会方案"),
        ("Please write the weekly report", "By the way, please prepare the offsite plan"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let opened = |text: &str| {
            engine.observe(RawEvent::new(Scope::default(), Source::User, Kind::Query, text)).unwrap().opened
        };
        assert!(opened(first) && opened(second), "{second}");
    }
}

#[test]
fn events_of_several_owners_keep_their_places_and_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let owners = ["maya", "林悦", "maya", "bo", "林悦", "maya"].map(scope);
    let entries = owners.iter().enumerate().map(|(n, scope)| (said(scope, &format!("note {n}")), None));
    let results = engine.observe_many(entries.collect()).unwrap();
    let seqs: Vec<i64> = results.iter().map(|result| result.as_ref().unwrap().seq.0).collect();
    assert_eq!(seqs, [1, 1, 2, 1, 2, 3]);
    for (n, (scope, result)) in owners.iter().zip(&results).enumerate() {
        let stored = engine.event(&scope.owner, result.as_ref().unwrap().id).unwrap().unwrap();
        assert_eq!(stored.event.content, format!("note {n}"));
    }
}

#[test]
fn an_export_goes_to_nobody_else() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let (maya, yue) = (scope("maya"), scope("林悦"));
    engine.observe(said(&maya, "帮我写周报")).unwrap();
    let mut out = Vec::new();
    engine.export(std::slice::from_ref(&maya.owner), &mut out).unwrap();
    let lines = String::from_utf8(out).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let imported = engine.import(&yue.owner, lines).unwrap();
    assert_eq!((imported.events, imported.tasks, imported.refused.len()), (0, 0, 2), "{:?}", imported.refused);
    assert_eq!(found(&engine, &yue, "周报"), Vec::<String>::new());
}

#[test]
fn what_a_long_event_was_found_by_is_in_its_excerpt() {
    for (filler, word) in [("lorem ipsum dolor ", "zebrafish"), ("没有句号的长段子，", "长颈鹿")] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let me = scope("me");
        engine.observe(said(&me, &format!("{}{word} {}", filler.repeat(120), filler.repeat(120)))).unwrap();
        let recalled = engine.recall(&Query::new(me, word, engine.now())).unwrap();
        let Some(Found::Event { event, excerpt, .. }) = recalled.hits.first().map(|hit| &hit.found) else {
            panic!("{word} is not found")
        };
        assert!(excerpt.iter().any(|part| event.event.content[part.clone()].contains(word)), "{word}: {excerpt:?}");
    }
}
