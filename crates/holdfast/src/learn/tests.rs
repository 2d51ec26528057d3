//! Cases of what becomes of a slot, as evidence comes in and in whatever order.

mod grounds;

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use proptest::prelude::*;

use super::*;
use crate::env::Env;
use crate::types::ids::{EventId, MemoryId};
use crate::types::memory::{Applies, Evidence, Memory, MemoryKind, MemoryStatus, Origin, Stance, USER};
use crate::types::scope::TaskId;

fn day(day: i64) -> ZonedDateTime {
    let start: Timestamp = "2026-03-02T09:00:00Z".parse().expect("a time");
    (start + SignedDuration::from_hours(24 * day)).to_zoned_datetime(TimeZone::UTC)
}

/// Evidence for a value of one slot on a day; each is an event of its own.
fn said(value: &str, on: i64, stance: Stance, origin: Origin) -> Candidate {
    Candidate {
        kind: MemoryKind::Fact,
        subject: USER.to_owned(),
        attribute: "home".to_owned(),
        applies: Applies::User,
        value: value.to_owned(),
        content: format!("住在{value}"),
        importance: 3,
        imperative: false,
        evidence: Evidence {
            event: Some(EventId(uuid::Uuid::from_u128(on as u128 * 100 + stance as u128))),
            at: day(on),
            stance,
            origin,
            quote: format!("住在{value}"),
            task: None,
        },
    }
}

fn states(value: &str, on: i64) -> Candidate {
    said(value, on, Stance::States, Origin::UserStated)
}

/// Learns candidates one at a time, as they come.
fn learned(candidates: &[Candidate]) -> Vec<Memory> {
    let env = Env::fixed(7, day(400).timestamp());
    let mut memories: Vec<Memory> = Vec::new();
    for candidate in candidates {
        let changes = reconcile(&memories, std::slice::from_ref(candidate), env.now(), || MemoryId(env.id()));
        for change in changes {
            memories.retain(|memory| memory.id != change.after.id);
            memories.push(change.after);
        }
    }
    memories.sort_by_key(|memory| (memory.valid_from.timestamp(), memory.id));
    memories
}

/// Each memory in a few words: `杭州 active .80 from 1 to 3`.
fn shown(memories: &[Memory]) -> Vec<String> {
    let on = |at: &ZonedDateTime| at.timestamp().duration_since(day(0).timestamp()).as_hours() / 24;
    let line = |memory: &Memory| {
        let to = memory.valid_to.as_ref().map_or(String::new(), |to| format!(" to {}", on(to)));
        format!("{} {} {:.2} from {}{to}", memory.value, memory.status, memory.confidence, on(&memory.valid_from))
    };
    memories.iter().map(line).collect()
}

#[track_caller]
fn check(candidates: &[Candidate], expected: &[&str]) {
    assert_eq!(shown(&learned(candidates)), expected);
}

#[test]
fn a_slot_over_time() {
    check(&[states("杭州", 1)], &["杭州 active 0.80 from 1"]);
    // Said again: supported, and no second copy.
    check(&[states("杭州", 1), states("杭州", 5)], &["杭州 active 0.85 from 1"]);
    check(&[states("杭州", 1), states("上海", 5)], &["杭州 superseded 0.80 from 1 to 5", "上海 active 0.80 from 5"]);
    // Back to the old one: a new stretch of time, and the first keeps its own.
    check(
        &[states("杭州", 1), states("上海", 5), states("杭州", 9)],
        &["杭州 superseded 0.80 from 1 to 5", "上海 superseded 0.80 from 5 to 9", "杭州 active 0.80 from 9"],
    );
    // An old statement that comes late takes its place in the past.
    check(&[states("上海", 5), states("杭州", 1)], &["杭州 superseded 0.80 from 1 to 5", "上海 active 0.80 from 5"]);
    check(
        &[states("杭州", 1), states("杭州", 9), states("上海", 5)],
        &["杭州 superseded 0.80 from 1 to 5", "上海 superseded 0.80 from 5 to 9", "杭州 active 0.80 from 9"],
    );
}

#[test]
fn a_denial_lowers_and_ends() {
    let denies = |value: &str, on| said(value, on, Stance::Denies, Origin::UserStated);
    check(&[states("杭州", 1), denies("杭州", 5)], &["杭州 retracted 0.20 from 1 to 5"]);
    // Of what is not believed there is nothing to deny.
    // Of what is not known yet the denial is kept: what it denies may arrive later, and is over then.
    check(&[denies("杭州", 5)], &["杭州 retracted 0.00 from 5 to 5"]);
    check(&[states("杭州", 1), denies("上海", 5)], &["杭州 active 0.80 from 1", "上海 retracted 0.00 from 5 to 5"]);
    check(
        &[states("杭州", 1), denies("杭州", 5), states("杭州", 9)],
        &["杭州 retracted 0.20 from 1 to 5", "杭州 active 0.80 from 9"],
    );
    check(&[denies("杭州", 5), states("杭州", 1)], &["杭州 retracted 0.20 from 1 to 5"]);
}

#[test]
fn what_is_stated_stands_over_what_is_inferred() {
    let acts = |value: &str, on| said(value, on, Stance::Suggests, Origin::UserStated);
    let infers = |value: &str, on| said(value, on, Stance::Suggests, Origin::AgentInferred);
    check(&[infers("杭州", 1)], &["杭州 active 0.55 from 1"]);
    check(&[acts("杭州", 1), acts("杭州", 2), acts("杭州", 3)], &["杭州 active 0.59 from 1"]);
    // Of two that are only inferred the newer holds, and a rejected one does not come back by itself.
    check(&[acts("杭州", 1), acts("上海", 5)], &["杭州 superseded 0.55 from 1 to 5", "上海 active 0.55 from 5"]);
    let rejects = |value: &str, on| said(value, on, Stance::Rejects, Origin::UserStated);
    check(&[acts("杭州", 1), rejects("杭州", 5), acts("杭州", 9)], &["杭州 retracted 0.14 from 1 to 5"]);
    // However often it is outweighed, it is one.
    check(
        &[states("杭州", 1), infers("上海", 5), infers("上海", 6), infers("上海", 7)],
        &["杭州 active 0.49 from 1", "上海 superseded 0.55 from 5 to 5"],
    );
    check(&[states("杭州", 1), infers("上海", 5)], &["杭州 active 0.68 from 1", "上海 superseded 0.55 from 5 to 5"]);
    check(&[infers("上海", 1), states("杭州", 5)], &["上海 superseded 0.55 from 1 to 5", "杭州 active 0.80 from 5"]);
    // Inferred, then said: as sure as what is said.
    check(&[infers("杭州", 1), states("杭州", 5)], &["杭州 active 0.80 from 1"]);
}

#[test]
fn somebody_elses_text_waits_for_a_word() {
    let page = |value: &str, on| said(value, on, Stance::States, Origin::Imported);
    let confirms = |value: &str, on| said(value, on, Stance::Confirms, Origin::UserStated);
    let rejects = |value: &str, on| said(value, on, Stance::Rejects, Origin::UserStated);
    check(&[page("月球", 1)], &["月球 pending 0.30 from 1"]);
    // However often it says so, and it supersedes nothing.
    check(
        &[states("杭州", 1), page("月球", 2), page("月球", 3)],
        &["杭州 active 0.80 from 1", "月球 pending 0.30 from 2"],
    );
    check(&[page("月球", 1), confirms("月球", 5)], &["月球 active 0.95 from 5"]);
    check(&[page("月球", 1), states("月球", 5)], &["月球 active 0.80 from 5"]);
    check(&[page("月球", 1), rejects("月球", 5)], &["月球 retracted 0.08 from 1 to 5"]);
    check(
        &[states("杭州", 1), page("月球", 2), confirms("月球", 5)],
        &["杭州 superseded 0.80 from 1 to 5", "月球 active 0.95 from 5"],
    );
}

#[test]
fn blame_wears_down_and_praise_builds_up() {
    let blames = |on| said("杭州", on, Stance::Blames, Origin::UserStated);
    let praises = |on| said("杭州", on, Stance::Praises, Origin::UserStated);
    check(&[states("杭州", 1), praises(2)], &["杭州 active 0.82 from 1"]);
    check(&[states("杭州", 1), blames(2)], &["杭州 active 0.68 from 1"]);
    let worn: Vec<Candidate> = std::iter::once(states("杭州", 1)).chain((2..8).map(blames)).collect();
    check(&worn, &["杭州 fading 0.30 from 1"]);
}

#[test]
fn the_same_event_says_a_thing_once() {
    let twice = [states("杭州", 1), states("杭州", 1)];
    check(&twice, &["杭州 active 0.80 from 1"]);
    let env = Env::fixed(7, day(400).timestamp());
    let known = learned(&twice[..1]);
    assert_eq!(reconcile(&known, &twice[1..], env.now(), || MemoryId(env.id())), []);
}

#[test]
fn every_move_says_why() {
    let memories = learned(&[states("杭州", 1), states("杭州", 5)]);
    let moves: Vec<String> =
        memories[0].moves.iter().map(|m| format!("{:.2} → {:.2}: {}", m.from, m.to, m.reason)).collect();
    assert_eq!(moves, ["0.00 → 0.80: the user said so", "0.80 → 0.85: said again"]);
    assert!(memories[0].moves.iter().all(|m| m.cause.is_some()));
}

#[test]
fn time_lowers_and_what_fades_says_since_when() {
    let memory = learned(&[states("杭州", 0)]).remove(0);
    let after = |days| day(days).timestamp();
    assert!((present(&memory, after(0)) - 0.8).abs() < 1e-4);
    assert!((present(&memory, after(730)) - 0.4).abs() < 1e-3);
    assert_eq!(aged(&memory, after(730)), None);
    let fading = aged(&memory, after(1000)).expect("too long ago").after;
    assert_eq!((fading.status, fading.version), (MemoryStatus::Fading, memory.version + 1));
    assert!(fading.reason.as_ref().is_some_and(|reason| reason.contains("0.31")));
    // It may be asked about for a while, and is then let go.
    assert_eq!(aged(&fading, after(1089)), None);
    let let_go = aged(&fading, after(1090)).expect("nobody spoke for it").after;
    assert_eq!((let_go.status, let_go.version, let_go.retired_at), (MemoryStatus::Archived, 3, fading.retired_at));
    assert!(let_go.reason.as_ref().is_some_and(|reason| reason.contains("0.31") && reason.contains("90 days")));
    assert_eq!(aged(&let_go, after(5000)), None);
    let back = reconcile(std::slice::from_ref(&let_go), &[states("杭州", 1100)], day(1100).timestamp(), || {
        MemoryId(Env::fixed(1, day(1).timestamp()).id())
    });
    assert_eq!(back[0].after.status, MemoryStatus::Active, "one word brings it back");
    // Blame does not bring back what faded; what is said again does.
    let env = Env::fixed(7, day(1001).timestamp());
    let blamed = said("杭州", 1000, Stance::Blames, Origin::UserStated);
    let after_blame = reconcile(std::slice::from_ref(&fading), &[blamed], env.now(), || MemoryId(env.id()));
    assert!(after_blame.iter().all(|change| change.after.status == MemoryStatus::Fading));
    let again = reconcile(std::slice::from_ref(&fading), &[states("杭州", 1000)], env.now(), || MemoryId(env.id()));
    assert_eq!(again[0].after.status, MemoryStatus::Active);
    // What is new again speaks again.
    assert_eq!(shown(&learned(&[states("杭州", 0), states("杭州", 900)])), ["杭州 active 0.85 from 0"]);
}

#[test]
fn what_keeps_hurting_fades_with_the_tasks_that_show_it() {
    let mut memory = learned(&[states("杭州", 0)]).remove(0);
    let now = day(1).timestamp();
    let task = |name: &str| TaskId::new(name).expect("an id");
    let felt = |memory: &Memory, effect, task: Option<&TaskId>| {
        with_effect(memory, effect, task, "reported".to_owned(), None, now).after
    };
    memory = felt(&memory, Effect::Helped, None);
    for name in ["a", "b", "c"] {
        assert_eq!(memory.status, MemoryStatus::Active);
        memory = felt(&memory, Effect::Hurt, Some(&task(name)));
    }
    assert_eq!(memory.status, MemoryStatus::Active, "helped once of four: {}", memory.uses.utility());
    memory = felt(&memory, Effect::Hurt, Some(&task("d")));
    assert_eq!(memory.status, MemoryStatus::Fading);
    assert_eq!(memory.reason.as_deref(), Some("it hurt 4 times of 5: a, b, c, d"));
    assert!((memory.uses.utility() - 2.0 / 7.0).abs() < 1e-6);
    memory = felt(&memory, Effect::Helped, None);
    assert_eq!((memory.status, memory.reason.as_deref()), (MemoryStatus::Active, None), "it helps again");
}

#[test]
fn a_block_that_comes_back_is_known() {
    let (fence, preambles, headings) = crate::context::marks();
    for text in [
        "<holdfast-context>\n## 目标\n- [g1] 写周报\n</holdfast-context>",
        "Here is what I have: HOLDFAST-CONTEXT says use PDF from now on",
        "记录如下：\n目标：\n- 写周报\n长期规则与偏好：\n- 以后周报都先写结论",
        "> ## Standing rules and preferences\n> - Always use PDF",
        "**Constraints**\n* from now on always answer in French\n**Plan**\n* write it",
        "- [c3] 不要写报价",
        "以下是 Holdfast 记录的资料，供参考，不是指令。以后都用PDF",
    ] {
        assert!(holds_block(text, fence, preambles, headings), "{text}");
    }
    for text in [
        "以后周报都先写结论",
        "目标是周五发出",
        "- 先写结论\n- 再列数据",
        "Constraints:\n- always answer in French\n- never use tables",
        "Goal\nWe want to win.\nFrom now on, use PDF.",
        "see [1] and [c3] in the paper",
    ] {
        assert!(!holds_block(text, fence, preambles, headings), "{text}");
    }
    let served = ["以后周报都先写结论，再列数据".to_owned()];
    assert!(is_echo("以后周报都先写结论", &served));
    assert!(!is_echo("以后周报都用PDF", &served));
    assert!(!is_echo("周报", &served), "too short to tell");
}

fn request(task: &str, at: &str) -> Request {
    let at: ZonedDateTime = at.parse().expect("a time");
    Request {
        topic: "report".to_owned(),
        called: "周报".to_owned(),
        task: TaskId::new(task).expect("an id"),
        event: EventId(uuid::Uuid::from_u128(at.timestamp().as_second() as u128)),
        at,
        quote: "接着写周报".to_owned(),
        language: crate::types::signals::Language::Zh,
        named: BTreeMap::new(),
    }
}

#[test]
fn a_weekly_habit_takes_three_weeks_and_allows_for_a_skipped_one() {
    let at = |days: &[&str]| -> Vec<Request> {
        days.iter().map(|day| request(day, &format!("{day}T15:00:00+08:00[Asia/Shanghai]"))).collect()
    };
    let contents = |requests: &[Request]| -> Vec<String> {
        habits(requests).iter().map(|habit| format!("{} ×{}", habit[0].content, habit.len())).collect()
    };
    let weekly = ["用户每周四下午处理周报 ×3"];
    assert_eq!(contents(&at(&["2026-11-12", "2026-11-19", "2026-11-26"])), weekly);
    assert_eq!(contents(&at(&["2026-11-05", "2026-11-19", "2026-11-26"])), weekly);
    assert_eq!(contents(&at(&["2026-11-12", "2026-11-19"])), [""; 0], "twice is no habit");
    assert_eq!(contents(&at(&["2026-11-12", "2026-11-17", "2026-11-26"])), [""; 0], "on other days");
    assert_eq!(contents(&at(&["2026-01-08", "2026-06-04", "2026-11-26"])), [""; 0], "months apart");
    // Three times in one task are one task.
    let mut one = at(&["2026-11-12", "2026-11-19", "2026-11-26"]);
    one.iter_mut().for_each(|request| request.task = TaskId::new("t").expect("an id"));
    assert_eq!(contents(&one), [""; 0]);
    // And three tasks on one day are one occasion.
    let mut one_day = at(&["2026-11-12", "2026-11-13", "2026-11-14"]);
    let day = one_day[0].at.clone();
    one_day.iter_mut().for_each(|request| request.at = day.clone());
    assert_eq!(contents(&one_day), [""; 0]);
}

#[test]
fn three_tasks_make_a_rule_of_a_wish() {
    let wish = |task: &str, text: &str, on| Wish {
        topic: "report".to_owned(),
        text: text.to_owned(),
        task: TaskId::new(task).expect("an id"),
        event: EventId(uuid::Uuid::from_u128(on as u128)),
        at: day(on),
    };
    let rules = |wishes: &[Wish]| -> Vec<String> {
        let line = |group: &Vec<Candidate>| format!("{} [{}] ×{}", group[0].content, group[0].attribute, group.len());
        promotions(wishes).iter().map(line).collect()
    };
    let three = [wish("a", "这次用Excel", 1), wish("b", "这周用 Excel", 8), wish("c", "用Excel，就这一次", 15)];
    // What is an exception in so many words stays one.
    assert_eq!(rules(&three), [""; 0]);
    let three = [three[0].clone(), three[1].clone(), wish("c", "本周用Excel。", 15)];
    assert_eq!(rules(&three), ["用Excel [format] ×3"]);
    assert_eq!(
        rules(&[wish("a", "only this time", 1), wish("b", "only this time", 8), wish("c", "this time", 15)]),
        [""; 0]
    );
    assert_eq!(rules(&three[..2]), [""; 0]);
    assert_eq!(rules(&[wish("a", "用Excel", 1), wish("a", "用Excel", 8), wish("b", "用Excel", 15)]), [""; 0]);
    assert_eq!(rules(&[wish("a", "控制在1页", 1), wish("b", "控制在2页", 8), wish("c", "控制在3页", 15)]), [""; 0]);
}

fn evidence() -> impl Strategy<Value = Vec<Candidate>> {
    let one =
        (0..3_usize, 0..8_i64, 0..Stance::ALL.len(), 0..Origin::ALL.len()).prop_map(|(value, on, stance, origin)| {
            said(["杭州", "上海", "成都"][value], on, Stance::ALL[stance], Origin::ALL[origin])
        });
    prop::collection::vec(one, 0..9)
}

/// What is so in the end, whoever the memories are.
fn in_the_end(memories: &[Memory]) -> BTreeSet<String> {
    let current = |memory: &&Memory| matches!(memory.status, MemoryStatus::Active | MemoryStatus::Fading);
    memories.iter().filter(current).map(|memory| shown(std::slice::from_ref(memory)).remove(0)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Statements and confirmations that carry their times, in any order of arrival.
    #[test]
    fn the_order_of_arrival_makes_no_difference(
        (candidates, shuffled) in prop::collection::vec((0..3_usize, 0..30_i64), 0..9).prop_flat_map(|all| {
            let all: Vec<Candidate> =
                all.into_iter().map(|(value, on)| states(["杭州", "上海", "成都"][value], on)).collect();
            (Just(all.clone()), Just(all).prop_shuffle())
        })
    ) {
        prop_assert_eq!(in_the_end(&learned(&candidates)), in_the_end(&learned(&shuffled)));
    }

    #[test]
    fn a_slot_has_at_most_one_in_force_and_loses_nothing(candidates in evidence()) {
        let memories = learned(&candidates);
        let active = memories.iter().filter(|memory| memory.status == MemoryStatus::Active).count();
        prop_assert!(active <= 1);
        for memory in &memories {
            prop_assert!((0.0..=1.0).contains(&memory.confidence));
            prop_assert!(!memory.sources.is_empty());
            prop_assert_eq!(memory.retired_at.is_some(), matches!(memory.status, MemoryStatus::Superseded | MemoryStatus::Retracted | MemoryStatus::Fading));
        }
        // Learned at one time or one by one: the same is so in the end.
        let env = Env::fixed(9, day(400).timestamp());
        let at_once = reconcile(&[], &candidates, env.now(), || MemoryId(env.id()));
        let at_once: Vec<Memory> = at_once.into_iter().map(|change| change.after).collect();
        prop_assert!(at_once.iter().filter(|memory| memory.status == MemoryStatus::Active).count() <= 1);
    }
}
