//! Cases of single updates. Sequences of them: `properties.rs`.

mod absorbing;
mod attribution;
mod properties;
mod replies;
mod seeking;
mod stories;

use jiff::ZonedDateTime;

use super::*;
use crate::types::frame::StepStatus;
use crate::types::ids::EventId;
use crate::types::scope::ScopeId;
use crate::types::task::{ItemStatus, Outcome};
use crate::types::update::{Action, ELEMENT_BYTES_MAX, FRAME_DEPTH_MAX};

pub(crate) fn at(second: u32) -> ZonedDateTime {
    format!("2026-11-30T09:{:02}:{:02}+08:00[Asia/Shanghai]", second / 60, second % 60).parse().unwrap()
}

pub(crate) fn event(n: u128) -> EventId {
    EventId(uuid::Uuid::from_u128(n))
}

/// A task at version 1: frame x1, goal g2.
pub(crate) fn task() -> Task {
    open(ScopeId::new("t1").unwrap(), Owner::default(), "周报", Some("写本周的周报".to_owned()), event(1), &at(0))
}

pub(crate) fn update(actions: Vec<Action>) -> Update {
    Update { actions, ..Update::default() }
}

/// The task after each of the updates, all of which must be accepted.
pub(crate) fn after(task: &Task, updates: Vec<Vec<Action>>) -> Task {
    updates.into_iter().fold(task.clone(), |task, actions| done(&task, actions).task)
}

pub(crate) fn done(task: &Task, actions: Vec<Action>) -> Applied {
    apply(task, &update(actions), event(u128::from(task.version) + 1), &at(1)).unwrap()
}

fn refused(task: &Task, actions: Vec<Action>) -> String {
    apply(task, &update(actions), event(99), &at(1)).unwrap_err().to_string()
}

pub(crate) fn plan(steps: &[&str]) -> Action {
    Action::Plan { steps: steps.iter().map(|&step| step.to_owned()).collect() }
}

pub(crate) fn constraint(text: &str) -> Action {
    Action::AddConstraint { text: text.to_owned() }
}

pub(crate) fn next() -> Action {
    Action::NextStep { step: None }
}

pub(crate) fn complete(result: &str) -> Action {
    Action::CompleteStep { step: None, status: None, result: Some(result.to_owned()) }
}

fn push(goal: &str) -> Action {
    Action::PushSubtask { goal: goal.to_owned(), steps: vec!["查资料".to_owned()] }
}

fn pop(outcome: &str) -> Action {
    Action::PopSubtask { outcome: outcome.to_owned(), success: true }
}

fn conclude(text: &str) -> Action {
    Action::Conclude { text: text.to_owned() }
}

fn supersede(old: &str, text: Option<&str>) -> Action {
    Action::Supersede { old: old.into(), text: text.map(str::to_owned) }
}

#[test]
fn a_step_is_taken_up_and_completed_with_its_result() {
    let task = after(&task(), vec![vec![plan(&["收集数据", "写初稿"]), next()], vec![complete("共12条"), next()]]);
    let frame = task.frame().unwrap();
    assert_eq!(task.version, 3);
    let states: Vec<_> = frame.steps.iter().map(|s| (s.id.0.as_str(), s.status, s.result.as_deref())).collect();
    assert_eq!(states, [("s3", StepStatus::Done, Some("共12条")), ("s4", StepStatus::Doing, None)]);
    assert_eq!(frame.current_step, Some("s4".into()));
    assert_eq!(frame.latest_result.as_ref().map(|r| r.text.as_str()), Some("共12条"));
}

#[test]
fn a_result_reported_before_the_step_is_closed_is_the_steps() {
    let task = after(
        &task(),
        vec![vec![
            plan(&["a"]),
            next(),
            Action::Result { text: "42".to_owned() },
            Action::CompleteStep { step: None, status: None, result: None },
        ]],
    );
    assert_eq!(task.frame().unwrap().steps[0].result.as_deref(), Some("42"));
}

#[test]
fn refusals_say_what_to_do() {
    let task = after(&task(), vec![vec![plan(&["a", "b"]), next()]]);
    let cases = [
        (vec![], "the update has no actions: send at least one, or none at all"),
        (vec![next()], "step s3 is in hand: complete, skip or cancel it before taking up another"),
        (
            vec![Action::CompleteStep { step: Some("s9".into()), status: None, result: None }],
            "there is no step s9 in the frame in hand; there are: s4, s3",
        ),
        (vec![complete("x"), complete("y")], "no step is in hand: name the step, or take one up with next_step"),
        (
            vec![complete("x"), Action::CompleteStep { step: Some("s3".into()), status: None, result: None }],
            "step s3 is already done: there is nothing to do for it",
        ),
        (
            vec![Action::CompleteStep { step: None, status: Some(StepStatus::Todo), result: None }],
            "complete_step takes the status done, skipped or cancelled, not todo",
        ),
        (vec![pop("x")], "no subtask is in hand: the task itself is closed with end"),
        (vec![constraint("  ")], "the text of a constraint is empty: give it words, or leave the action out"),
        (vec![constraint("a\0b")], "the text of a constraint contains a NUL character: remove it"),
        (
            vec![Action::Result { text: "x".repeat(ELEMENT_BYTES_MAX + 1) }],
            "the text of a result is 8193 bytes long; the limit is 8192: give an extract of what later steps need, the whole \
             stays in the log",
        ),
        (
            vec![Action::ResolveDecision { decision: "d1".into(), answer: "x".to_owned() }],
            "there is no decision d1 in the frame in hand; there are none",
        ),
        (
            vec![Action::End { outcome: Outcome::Success, reason: None }, next()],
            "the task ended: take it up again with set_status open, or open a new one",
        ),
    ];
    for (actions, expected) in cases {
        assert_eq!(refused(&task, actions), expected);
    }
}

#[test]
fn a_stale_version_is_a_conflict_that_names_the_present_one() {
    let stale = Update { actions: vec![next()], expected_version: Some(7), idempotency_key: None };
    assert_eq!(apply(&task(), &stale, event(2), &at(1)).unwrap_err(), Refusal::Conflict { expected: 7, actual: 1 });
}

#[test]
fn an_update_with_one_bad_action_does_nothing_of_the_others() {
    let task = task();
    refused(&task, vec![constraint("只用表格"), next()]);
    assert_eq!(task, self::task());
}

#[test]
fn constraints_keep_their_earlier_wordings_and_are_kept_when_retracted() {
    let applied = [
        constraint("不超过500字"),
        Action::AmendConstraint { constraint: "c3".into(), text: "不超过800字".to_owned() },
        Action::RetractConstraint { constraint: "c3".into(), reason: "用户说不限了".to_owned() },
    ]
    .into_iter()
    .fold((task(), Vec::new()), |(task, mut all), action| {
        let applied = done(&task, vec![action]);
        all.extend(applied.superseded);
        (applied.task, all)
    });
    let kept = &applied.0.frame().unwrap().constraints[0];
    assert_eq!(kept.amended_from[0].text, "不超过500字");
    assert_eq!(kept.retracted.as_ref().map(|r| r.text.as_str()), Some("用户说不限了"));
    assert!(applied.0.visible_constraints().is_empty());
    let overturned: Vec<_> = applied.1.iter().map(|s| (s.old.as_str(), s.old_source, s.new.as_deref())).collect();
    assert_eq!(overturned, [("不超过500字", event(2), Some("不超过800字")), ("不超过800字", event(3), None)]);
}

#[test]
fn the_same_constraint_or_conclusion_twice_is_one() {
    let task = after(&task(), vec![vec![constraint("不超过500字"), constraint("不超过 ５００ 字。")]]);
    assert_eq!(task.visible_constraints().len(), 1);
    let task = after(&task, vec![vec![conclude("Growth is 3.2%."), conclude("growth is 3.2%")]]);
    assert_eq!(task.frame().unwrap().conclusions.len(), 1);
}

/// An agent restates what the user laid down: the user's own words stay, and nothing is doubled.
#[test]
fn a_constraint_restated_in_other_words_is_one() {
    let said = "这周开始口径统一按发货时间，另外华星的报价不要写进去，价格还没谈定";
    let mut report = task();
    report.names.push("周报".to_owned());
    let report = after(
        &report,
        vec![vec![constraint(said), constraint("口径统一按发货时间"), constraint("华星的报价不要写进周报")]],
    );
    let texts = |task: &Task| task.visible_constraints().iter().map(|(_, c)| c.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&report), [said]);
    let other = ["口径统一按下单时间", "启明的报价不要写进周报", "华星的报价要写进周报"];
    let report = after(&report, vec![other.iter().map(|text| constraint(text)).collect()]);
    assert_eq!(texts(&report).len(), 4);
    let english = after(
        &task(),
        vec![vec![constraint("Keep the report under 500 words"), constraint("keep the report under 800 words")]],
    );
    assert_eq!(texts(&english).len(), 2);
    let english = after(&english, vec![vec![constraint("Please keep the report under 500 words.")]]);
    assert_eq!(texts(&english).len(), 2);
}

#[test]
fn a_conclusion_within_another_is_not_drawn_again() {
    let whole = "第48周退货率 2.8%（36/1281，已扣重复退款 5 单），比上周略降";
    let task =
        after(&task(), vec![vec![conclude(whole), conclude("第48周退货率 2.8%"), conclude("第48周退货率 2.85%")]]);
    let texts: Vec<&str> = task.frame().unwrap().conclusions.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, [whole, "第48周退货率 2.85%"]);
}

#[test]
fn a_subtask_sees_its_parents_constraints_and_can_not_touch_them() {
    let task = after(&task(), vec![vec![constraint("不超过500字"), push("核对数据")], vec![constraint("只看官网")]]);
    let seen: Vec<&str> = task.visible_constraints().iter().map(|(_, c)| c.text.as_str()).collect();
    assert_eq!(seen, ["不超过500字", "只看官网"]);
    let amend = Action::AmendConstraint { constraint: "c3".into(), text: "随便".to_owned() };
    assert_eq!(
        refused(&task, vec![amend]),
        "constraint c3 belongs to a parent of the subtask in hand, which sees it read-only: pop the subtask first"
    );
}

#[test]
fn what_the_user_lays_down_during_a_subtask_outlives_it() {
    let during = Action::AddTaskConstraint { text: "不要图表".to_owned() };
    let task = after(&task(), vec![vec![push("核对数据"), during], vec![pop("好了")]]);
    let seen: Vec<&str> = task.visible_constraints().iter().map(|(_, c)| c.text.as_str()).collect();
    assert_eq!(seen, ["不要图表"]);
}

#[test]
fn popping_hands_over_the_outcome_and_what_was_made() {
    let parent = after(&task(), vec![vec![plan(&["a", "b"]), next()]]);
    let made = Action::Artifact { locator: "/tmp/核对.xlsx".to_owned(), description: None };
    let popped = after(&parent, vec![vec![push("核对数据")], vec![next(), made, pop("数据无误")]]);
    let outcome = &popped.frame().unwrap().outcomes[0];
    assert_eq!((outcome.goal.as_str(), outcome.outcome.as_str()), ("核对数据", "数据无误"));
    assert_eq!(outcome.artifacts[0].locator, "/tmp/核对.xlsx");
    let mut restored = popped.frame().unwrap().clone();
    restored.outcomes.clear();
    assert_eq!(&restored, parent.frame().unwrap());
}

#[test]
fn the_depth_of_subtasks_is_limited() {
    let task = (1..FRAME_DEPTH_MAX).fold(task(), |task, _| done(&task, vec![push("更深")]).task);
    assert_eq!(
        refused(&task, vec![push("太深")]),
        "8 frames are open, which is the limit (8): pop a subtask first, or plan its work as steps"
    );
}

#[test]
fn superseding_overturns_every_copy() {
    let before = after(
        &task(),
        vec![vec![
            plan(&["查增长"]),
            next(),
            complete("营收增长3.2%"),
            conclude("营收增长3.2%"),
            Action::AddFact { text: "营收增长 3.2%".to_owned() },
        ]],
    );
    let fact = before.facts[0].id.clone();
    let applied = done(&before, vec![supersede(&fact.0, Some("营收增长2.8%"))]);
    let frame = applied.task.frame().unwrap();
    assert_eq!(frame.steps[0].result.as_deref(), Some("营收增长2.8%"));
    assert_eq!(frame.latest_result.as_ref().unwrap().text, "营收增长2.8%");
    assert!(!frame.conclusions[0].valid);
    let facts: Vec<_> = applied.task.facts.iter().map(|f| (f.text.as_str(), f.valid)).collect();
    assert_eq!(facts, [("营收增长 3.2%", false), ("营收增长2.8%", true)]);
    assert_eq!(applied.task.facts[0].superseded_by, Some(applied.task.facts[1].id.clone()));
    assert_eq!(applied.superseded.len(), 3);
    let again = refused(&applied.task, vec![supersede(&fact.0, None)]);
    assert_eq!(
        again,
        format!("conclusion, fact or result {fact} no longer holds: {} holds instead", applied.task.facts[1].id)
    );
}

#[test]
fn what_a_subtask_finds_out_about_a_parents_conclusion_outlives_it() {
    let task = after(
        &task(),
        vec![vec![conclude("端口是22"), push("核对")], vec![supersede("k3", Some("端口是2222")), pop("改了")]],
    );
    let said: Vec<_> = task.frame().unwrap().conclusions.iter().map(|c| (c.text.as_str(), c.valid)).collect();
    assert_eq!(said, [("端口是22", false), ("端口是2222", true)]);
}

#[test]
fn an_item_is_one_by_whatever_small_words_it_is_called() {
    let set = |name: &str, status, note: Option<&str>| Action::SetItem {
        name: name.to_owned(),
        status,
        note: note.map(str::to_owned),
    };
    let task = after(
        &task(),
        vec![vec![
            set("李总", ItemStatus::Open, None),
            set("和李总", ItemStatus::Postponed, Some("改到周四")),
            set("王总", ItemStatus::Cancelled, None),
        ]],
    );
    let items: Vec<_> = task.items.iter().map(|i| (i.name.as_str(), i.status, i.note.as_deref())).collect();
    assert_eq!(items, [("李总", ItemStatus::Postponed, Some("改到周四")), ("王总", ItemStatus::Cancelled, None)]);
}

#[test]
fn leaving_a_stage_keeps_its_summary() {
    let stage = |stage: &str, summary: Option<&str>| Action::SetStage {
        stage: stage.to_owned(),
        summary: summary.map(str::to_owned),
    };
    let task = after(&task(), vec![vec![stage("调研", Some("开了个头")), stage("写作", Some("看了3份报告"))]]);
    let frame = task.frame().unwrap();
    let kept: Vec<_> = frame.stage_summaries.iter().map(|s| (s.stage.as_deref(), s.text.as_str())).collect();
    assert_eq!(kept, [(None, "开了个头"), (Some("调研"), "看了3份报告")]);
    assert_eq!(frame.stage.as_deref(), Some("写作"));
}

#[test]
fn an_ended_task_says_where_it_stopped_and_can_be_taken_up_again() {
    let ended = done(
        &after(&task(), vec![vec![constraint("不超过500字"), plan(&["收集", "写"]), next()], vec![complete("12条")]]),
        vec![Action::End { outcome: Outcome::Abandoned, reason: Some("太忙".to_owned()) }],
    );
    assert!(ended.task.frames.is_empty());
    let closing = ended.ended.unwrap();
    assert_eq!((closing.done, closing.unfinished), (vec!["收集".to_owned()], vec!["写".to_owned()]));
    assert_eq!(closing.latest_result.as_deref(), Some("12条"));
    let again = after(&ended.task, vec![vec![Action::SetStatus { status: ItemStatus::Open }, next()]]);
    let frame = again.frame().unwrap();
    assert_eq!(frame.constraints[0].text, "不超过500字");
    let steps: Vec<_> = frame.steps.iter().map(|s| (s.text.as_str(), s.status)).collect();
    assert_eq!(steps, [("收集", StepStatus::Done), ("写", StepStatus::Doing)]);
    assert_eq!(again.closing, None);
}

/// Its name goes into the log; what it refuses may be what somebody said.
#[test]
fn the_name_of_a_refusal_repeats_nothing() {
    let refusal = Refusal::AlreadyAnswered { id: ElementId("d1".into()), answer: "王芳批准".into() };
    assert!(refusal.to_string().contains("王芳"));
    assert_eq!(refusal.name(), "already answered");
}
