//! Which task a question is about: named, in hand, the only one, or the latest; else none, with the open ones.

use super::*;
use crate::types::event::{Kind, Source};
use crate::types::query::Route;
use crate::types::scope::TaskId;

/// A task as an agent opens it by an id of its own, with the user's words and then a plan.
fn opened(id: &str, asked: &str, goal: &str, steps: &[&str], at: &ZonedDateTime) -> Task {
    let read = signals_of(asked);
    let mut task = open(TaskId::new(id).unwrap(), Owner::default(), id, Some(asked.to_owned()), event(1), at);
    task.names = names_given(id, &read);
    let goal = Action::SetGoal { text: goal.to_owned() };
    let mut task = done(&task, vec![goal, plan(steps), next()]).task;
    task.last_activity = at.clone();
    task
}

fn signals_of(text: &str) -> crate::types::signals::Signals {
    crate::signals::read(text, &at(0), Source::User, crate::signals::Lexicon::builtin())
}

fn days(n: i64) -> ZonedDateTime {
    at(0).checked_add(jiff::Span::new().days(n)).unwrap()
}

fn billing() -> Task {
    let steps = &["Dump and count the tables", "Convert the schema", "Cut over"];
    let task = opened(
        "billing-migration",
        "We need to plan the billing database migration from the old MySQL box to Postgres 17.",
        "Move the billing database from MySQL to Postgres 17 by Friday 23 October",
        steps,
        &days(0),
    );
    let call = Action::SetItem { name: "the call with Fernbrook".into(), status: ItemStatus::Open, note: None };
    Task { last_activity: days(0), ..done(&task, vec![call]).task }
}

fn notes() -> Task {
    opened(
        "release-notes",
        "Something else: please draft the release notes for 4.2.",
        "Draft the release notes for 4.2",
        &["Write the first draft", "Add the SSO link"],
        &days(0),
    )
}

fn crm() -> Task {
    opened(
        "CRM数据迁移",
        "帮我把 CRM 的客户数据迁移到新系统",
        "CRM 客户数据全部迁到新系统",
        &["导出", "清洗", "导入"],
        &days(0),
    )
}

fn moving() -> Task {
    opened(
        "office-relocation",
        "帮我安排公司搬家：从国贸搬到望京",
        "12月12日之前从国贸搬到望京",
        &["盘点工位", "签合同"],
        &days(0),
    )
}

fn paused(task: Task) -> Task {
    let last_activity = task.last_activity.clone();
    Task { last_activity, ..done(&task, vec![Action::SetStatus { status: ItemStatus::Paused }]).task }
}

fn earlier(task: Task) -> Task {
    Task { last_activity: days(-3), ..task }
}

fn asked(tasks: &[Task], session_task: Option<&str>, text: &str) -> Sought {
    let session_task = session_task.map(|id| TaskId::new(id).unwrap());
    let given =
        Given { task: None, session_task: session_task.as_ref(), source: Source::User, kind: Kind::Query, text };
    let query = crate::types::query::Query::new(crate::types::scope::Scope::default(), text, days(0));
    sought(tasks, &given, &signals_of(text), route_of(&query))
}

/// As the planner has it; a pure room does not ask another.
fn route_of(query: &crate::types::query::Query) -> Route {
    crate::recall::plan(query).route
}

#[track_caller]
fn check(tasks: &[Task], session_task: Option<&str>, text: &str, expected: &str) {
    let sought = asked(tasks, session_task, text);
    let told = sought.task.as_ref().map_or("none", |id| id.as_str());
    assert_eq!(told, expected, "{text}: {}", sought.reason);
    let live = tasks.iter().filter(|task| task.status.is_live()).count();
    assert_eq!(sought.open.len(), if sought.task.is_some() { 0 } else { live }, "{text}");
}

#[test]
fn where_work_stands_is_asked_of_the_task_in_hand_or_the_latest() {
    const ASKED: &[&str] =
        &["Where were we?", "What's next?", "What's left?", "我们做到哪了？", "到哪一步了？", "继续"];
    for text in ASKED {
        check(&[billing()], None, text, "billing-migration");
        check(&[billing(), notes()], Some("release-notes"), text, "release-notes");
        check(&[billing(), notes()], None, text, "none");
        check(&[billing(), paused(notes())], None, text, "billing-migration");
        check(&[billing(), earlier(notes()), earlier(crm())], None, text, "billing-migration");
        check(&[earlier(billing()), earlier(notes())], None, text, "none");
        check(&[], None, text, "none");
    }
}

#[test]
fn a_task_is_named_by_enough_of_its_words() {
    let tasks = [billing(), notes(), crm(), moving()];
    for (text, expected) in [
        ("what is left of the billing migration?", "billing-migration"),
        ("back to the database migration", "billing-migration"),
        ("which schema do we convert?", "billing-migration"),
        ("When is the call with Fernbrook?", "billing-migration"),
        ("How are the release notes doing?", "release-notes"),
        ("anything missing in the notes?", "release-notes"),
        ("公司搬家到哪一步了？", "office-relocation"),
        ("搬家还差什么？", "office-relocation"),
        ("CRM 迁移到哪一步了", "CRM数据迁移"),
        ("CRM 那边还剩哪些没做", "CRM数据迁移"),
        ("继续 Postgres 的事", "billing-migration"),
        ("What is the capital of France?", "none"),
        ("今天天气怎么样？", "none"),
    ] {
        check(&tasks, None, text, expected);
    }
    check(&[billing(), notes()], None, "continue the migration", "billing-migration");
    check(&[billing(), notes()], None, "what is left of the migration?", "billing-migration");
    check(&[billing(), notes()], Some("release-notes"), "what is left of the migration?", "billing-migration");
}

#[test]
fn a_question_that_names_none_is_about_the_only_one() {
    for text in ["may I take the DB down for an hour?", "what may I delete?", "现在能重启服务器吗？"] {
        check(&[billing()], None, text, "billing-migration");
        check(&[billing(), paused(notes())], None, text, "billing-migration");
        check(&[billing(), notes()], None, text, "none");
        check(&[billing(), earlier(notes())], None, text, "none");
        check(&[billing(), notes()], Some("billing-migration"), text, "billing-migration");
    }
    for text in ["hello", "谢谢", "please draft a press release for the summit"] {
        check(&[billing()], None, text, "none");
    }
}

#[test]
fn what_is_named_and_not_in_hand_is_not_answered_with_what_is_in_hand() {
    for (text, expected) in [
        ("继续迁移", "CRM数据迁移"),
        ("继续数据迁移", "CRM数据迁移"),
        ("back to the offsite budget report", "none"),
        ("继续写年终总结", "none"),
        ("how long may it be?", "release-notes"),
        ("Add the SSO link", "release-notes"),
        ("Draft the changelog paragraph", "release-notes"),
    ] {
        check(&[notes(), crm()], Some("release-notes"), text, expected);
    }
}

#[test]
fn an_item_of_one_task_leads_to_it() {
    let tasks = [billing(), notes()];
    let belongs = |tasks: &[Task], session: Option<&str>, text: &str| {
        let session_task = session.map(|id| TaskId::new(id).unwrap());
        let given =
            Given { task: None, session_task: session_task.as_ref(), source: Source::User, kind: Kind::Query, text };
        format!("{:?}", attribute(tasks, &given, &signals_of(text)).to)
    };
    for text in ["The call with Fernbrook moved to Friday", "The Fernbrook call is cancelled"] {
        assert!(belongs(&tasks, None, text).starts_with("SwitchTo"), "{}", belongs(&tasks, None, text));
        assert!(belongs(&tasks, Some("release-notes"), text).starts_with("Aside"), "{text}");
        assert!(belongs(&tasks, Some("billing-migration"), text).starts_with("Stays"), "{text}");
        let twice = [billing(), Task { id: TaskId::new("other").unwrap(), title: "other".into(), ..billing() }];
        assert!(belongs(&twice, None, text).starts_with("Unattributed"), "{text}");
    }
}
