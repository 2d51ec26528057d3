//! What a block says, it says once, and a correction changes what it is about and nothing else.

use holdfast::engine::Engine;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::{Action, Update};

use crate::engine;

fn scope() -> Scope {
    let owner = Owner { user: ScopeId::new("u").unwrap(), ..Owner::default() };
    Scope { owner, task: Some(ScopeId::new("move").unwrap()), ..Scope::default() }
}

fn observe(engine: &Engine, source: Source, kind: Kind, text: &str) {
    engine.observe(RawEvent::new(scope(), source, kind, text)).unwrap();
}

fn block(engine: &Engine, question: &str) -> String {
    engine.context(&Query::new(scope(), question, engine.now()), &BlockOptions::default()).unwrap().text
}

/// What the events served for a question say.
fn served(engine: &Engine, question: &str) -> String {
    let recalled = engine.recall(&Query::new(scope(), question, engine.now())).unwrap();
    let texts = recalled.hits.iter().filter_map(|hit| match &hit.found {
        Found::Event { event, excerpt, .. } => {
            Some(excerpt.iter().map(|range| &event.event.content[range.clone()]).collect::<Vec<_>>().join(" … "))
        }
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" | ")
}

/// A tool's list of several things, one of them put right: the frame keeps the others, and so does recall.
#[test]
fn a_correction_leaves_the_other_things_of_a_result() {
    for (result, correction, in_block, question, still_served, gone) in [
        (
            "报价汇总：顺达 6.8 万（含保险），铁牛 5.9 万（不含保险），Swift Movers 9.2 万（含保险）。",
            "顺达的报价不是 6.8 万，是 7.3 万。",
            "报价汇总：顺达 7.3 万（含保险），铁牛 5.9 万（不含保险），Swift Movers 9.2 万（含保险）。",
            "铁牛报价",
            "铁牛 5.9 万（不含保险）",
            "顺达 6.8 万",
        ),
        (
            "Acme 6.8k insured; Bolt 5.9k not insured; Crate 9.2k over budget",
            "Acme's quote is 7.3k, not 6.8k.",
            "Acme 7.3k insured; Bolt 5.9k not insured; Crate 9.2k over budget",
            "Bolt quote",
            "Bolt 5.9k not insured",
            "Acme 6.8k",
        ),
        (
            "dump 跑完了，14 GB，41 分钟",
            "dump 不是 14 GB，是 18 GB",
            "dump 跑完了，18 GB，41 分钟",
            "dump",
            "18 GB",
            "，14 GB，",
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        observe(&engine, Source::Tool, Kind::ToolResult, result);
        observe(&engine, Source::User, Kind::Query, correction);
        let block = block(&engine, question);
        assert!(block.contains(in_block), "{in_block} in {block}");
        let served = served(&engine, question);
        assert!(served.contains(still_served), "{still_served} in {served}");
        assert!(!served.contains(gone), "{gone} in {served}");
    }
}

#[test]
fn the_same_question_asked_before_is_no_evidence() {
    for (said, asked) in [
        ("搬家还差合同没签，电梯费另算。", "搬家那边还差什么？"),
        ("Missing for the move: the signed contract.", "What is missing for the move?"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        for other in [
            "今天天气不错。",
            "The weather is fine.",
            "午饭吃了面。",
            "Lunch was noodles.",
            "电影很好看。",
            "A good film.",
        ] {
            observe(&engine, Source::Agent, Kind::Response, other);
        }
        observe(&engine, Source::User, Kind::Note, said);
        observe(&engine, Source::User, Kind::Query, asked);
        let served = served(&engine, asked);
        assert!(served.contains(said.trim_end_matches(['。', '.'])), "{served}");
        assert!(!served.contains(asked), "{served}");
    }
}

/// An update is an event too; what it did stands in the frame already.
#[test]
fn an_update_in_words_is_not_said_beside_the_frame() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    observe(&engine, Source::User, Kind::Query, "Move the orders database");
    let steps = vec!["dump the orders".to_owned(), "restore the orders".to_owned(), "replay WAL".to_owned()];
    let actions = vec![Action::Plan { steps }, Action::NextStep { step: None }];
    engine.update(&scope(), &Update { actions, ..Update::default() }).unwrap();
    let block = block(&engine, "dump and restore the orders");
    assert!(block.contains("restore the orders"), "{block}");
    assert!(!block.contains("plan: dump"), "{block}");
}

#[test]
fn the_event_of_the_latest_result_is_not_repeated() {
    let rows: Vec<String> = (0..60).map(|id| format!(r#"{{"id": {id}, "name": "svc-{id}", "state": "ok"}}"#)).collect();
    let json = format!(r#"{{"rows": [{}], "total": 60, "failed": 1, "failed_ids": [57]}}"#, rows.join(", "));
    let log =
        "migration of orders started\nERROR disk full on /data, migration aborted at table audit_log\ncleanup done";
    for (result, shown, once) in [(json.as_str(), "failed: 1", "failed"), (log, "ERROR disk full", "disk full")] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        observe(&engine, Source::Tool, Kind::ToolResult, result);
        let block = block(&engine, "which migration or svc failed with disk full?");
        assert!(block.contains(shown), "{block}");
        let lines = block.lines().filter(|line| line.contains(once)).count();
        assert_eq!(lines, 1, "{block}");
    }
}

/// A goal begins with what is asked for, and the event it was taken from adds nothing to it.
#[test]
fn the_event_of_the_goal_is_not_repeated() {
    for (asked, goal) in [
        ("先放一下搬家。帮我起草 Q4 的团建方案，人均不超过 300。", "[g2] 帮我起草 Q4 的团建方案，人均不超过 300。"),
        ("By the way, draft the launch plan. Keep it short.", "[g2] draft the launch plan. Keep it short."),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        observe(&engine, Source::User, Kind::Query, asked);
        let block = block(&engine, asked.trim_end_matches(['。', '.']));
        assert!(block.contains(goal), "{block}");
        assert!(!block.contains(asked), "{block}");
    }
}
