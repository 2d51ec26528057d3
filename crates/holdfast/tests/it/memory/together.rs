//! What is named together again and again in one kind of work.

use holdfast::types::memory::{Memory, MemoryKind, MemoryStatus};
use holdfast::types::scope::ScopeId;

use super::{Source, World, world};

const DAYS: [&str; 3] = ["2026-11-10", "2026-11-18", "2026-11-26"];

/// Says each in a task of its own, on these days at noon.
fn told(tasks: [&str; 3], days: [&str; 3], said: [&str; 3]) -> World {
    let mut world = world();
    for (place, text) in said.iter().enumerate() {
        world.in_session(&format!("s{place}"));
        world.scope.task = Some(ScopeId::new(tasks[place]).expect("an id"));
        world.say(Source::User, text, &format!("{}T1{place}:00:00+08:00", days[place]));
    }
    world
}

fn zh(said: [&str; 3]) -> World {
    told(["周报-第46周", "周报-第47周", "周报-第48周"], DAYS, said)
}

fn en(said: [&str; 3]) -> World {
    told(["weekly report 46", "weekly report 47", "weekly report 48"], DAYS, said)
}

fn together(world: &World) -> Vec<Memory> {
    let named = |memory: &Memory| memory.kind == MemoryKind::Inference && memory.attribute.starts_with("names: ");
    world.learned().into_iter().filter(named).collect()
}

#[track_caller]
fn check(world: &World, expected: &[&str]) {
    let found = together(world);
    assert_eq!(found.iter().map(|memory| memory.content.as_str()).collect::<Vec<_>>(), expected);
    for memory in &found {
        assert_eq!((memory.status, memory.sources.len()), (MemoryStatus::Active, 3), "{memory:?}");
        assert!(memory.confidence < 0.8, "below what is stated: {}", memory.confidence);
    }
    assert_eq!(together(world), found, "learning again changes nothing");
}

#[test]
fn what_is_named_in_three_tasks_on_three_days() {
    check(
        &zh(["写周报，王总和李经理的进展都写上。", "写周报，李经理、王总都要写。", "写周报，带上王总和李经理。"]),
        &["周报里通常会提到李经理和王总"],
    );
    check(
        &en([
            "Write the weekly report with Acme and Globex.",
            "Write the weekly report, this time Globex comes before Acme.",
            "Write the weekly report for Acme and Globex, like before.",
        ]),
        &["The weekly report usually involves Acme and Globex"],
    );
    check(
        &en([
            "Write the weekly report from data/sales.csv and data/returns.csv.",
            "Write the weekly report from data/sales.csv and data/returns.csv, for week 47.",
            "Write the weekly report, data/returns.csv and data/sales.csv are new.",
        ]),
        &["The weekly report usually involves data/returns.csv and data/sales.csv"],
    );
}

/// Names that no rule can tell from other words are known from the items of the work.
#[test]
fn what_the_items_of_the_work_are_called() {
    for (said, expected) in [
        (
            ["写周报，启明和华星的进展写上。", "写周报，先写华星，再写启明。", "写周报，启明、华星都要有。"],
            &["周报里通常会提到华星和启明"][..],
        ),
        (["写周报，启明的进展写上。", "写周报，先写华星。", "写周报，启明、华星都要有。"], &[]),
    ] {
        let world = zh(said);
        let items = r#"{"actions": [{"action": "set_item", "name": "启明", "status": "open"},
            {"action": "set_item", "name": "华星的评审", "status": "open"}]}"#;
        let update = serde_json::from_str(items).expect("an update");
        world.engine.update(&world.scope, &update).expect("the items");
        check(&world, expected);
    }
}

#[test]
fn what_is_no_set_that_recurs() {
    let pair = ["写周报，写王总和李经理。"; 3];
    // Twice, each alone, in one task, on one day, or in nobody's own words.
    check(&zh([pair[0], pair[1], "写周报，写王总。"]), &[]);
    check(&zh(["写周报，写李经理。", "写周报，写李经理。", "写周报，写李经理。"]), &[]);
    check(&told(["周报-第46周"; 3], DAYS, pair), &[]);
    check(&told(["周报-第46周", "周报-第47周", "周报-第48周"], [DAYS[0]; 3], pair), &[]);
    check(&told(["周报-第46周", "合同-1", "会议纪要-2"], DAYS, pair), &[]);
    check(&zh(["写周报，「华星科技」和「启明酒店」"; 3]), &[]);
    // Dates and amounts, and what is not to be named.
    check(&zh(["写周报，11月20日之前，12.5万和3.2%都写上。"; 3]), &[]);
    check(&zh(["写周报，不要提王总和李经理。"; 3]), &[]);
    let pair = ["Write the weekly report with Acme and Globex."; 3];
    check(&en([pair[0], pair[1], "Write the weekly report with Acme."]), &[]);
    check(&told(["weekly report 46"; 3], DAYS, pair), &[]);
    check(&told(["weekly report 46", "weekly report 47", "weekly report 48"], [DAYS[0]; 3], pair), &[]);
    check(&en(["Write the weekly report by May 5, with 12.5k and 3.2%."; 3]), &[]);
    check(&en(["Write the weekly report. Don't mention Acme and Globex."; 3]), &[]);
    check(&en(["Write the weekly report. She wrote: \"Acme and Globex\"."; 3]), &[]);
}

#[test]
fn a_rule_about_it_says_it_better() {
    for (rule, said) in [
        ("以后周报都先写李经理的进展。", ["写周报，写王总和李经理。"; 3]),
        (
            "From now on, always put Acme first in the weekly report.",
            ["Write the weekly report with Acme and Globex."; 3],
        ),
    ] {
        let world = if rule.is_ascii() { en(said) } else { zh(said) };
        world.say(Source::User, rule, "2026-11-27T09:00:00+08:00");
        check(&world, &[]);
    }
}

#[test]
fn it_is_served_as_an_inference_and_only_in_its_kind_of_work() {
    let mut world = zh(["写周报，写王总和李经理。"; 3]);
    check(&world, &["周报里通常会提到李经理和王总"]);
    world.scope.task = None;
    world.in_session("later");
    let block = world.block("周报里一般会提到谁？");
    assert!(block.contains("周报里通常会提到李经理和王总（推测，未经确认）"), "{block}");
    let block = world.in_session("other").block("合同里一般会提到谁？");
    assert!(!block.contains("通常会提到"), "{block}");
}
