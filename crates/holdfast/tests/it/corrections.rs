//! Corrections and asides that only the whole engine can put in their place.

use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::{Action, Update};

use crate::{engine, engine_of};

fn scope(user: &str) -> Scope {
    Scope { owner: Owner { user: ScopeId::new(user).unwrap(), ..Owner::default() }, ..Scope::default() }
}

fn told(scope: &Scope, source: Source, text: &str) -> RawEvent {
    let kind = if source == Source::User { Kind::Query } else { Kind::Response };
    RawEvent::new(scope.clone(), source, kind, text)
}

/// What the events served for a question say, with what was overturned left out.
fn served(engine: &holdfast::engine::Engine, scope: &Scope, question: &str) -> String {
    let recalled = engine.recall(&Query::new(scope.clone(), question, engine.now())).unwrap();
    let mut texts = Vec::new();
    for hit in &recalled.hits {
        if let Found::Event { event, excerpt, .. } = &hit.found {
            texts.extend(excerpt.iter().map(|range| event.event.content[range.clone()].to_owned()));
        }
    }
    texts.join(" | ")
}

/// What is said, in order, what the last of it overturned, and whether the old value is still served.
fn check(said: &[(Source, &str)], overturned: &[&str], question: &str, not_served: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    let mut last = Vec::new();
    for (source, text) in said {
        last = engine.observe(told(&scope, *source, text)).unwrap().overturned;
    }
    assert_eq!(last, overturned, "{said:?}");
    let text = served(&engine, &scope, question);
    for word in not_served {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn a_correction_outside_any_task_overturns_what_the_session_said() {
    let first = (Source::Agent, "上周的退货率是3.2%。");
    check(&[first, (Source::User, "退货率不是3.2%，是2.8%")], &["3.2%"], "退货率是多少", &["退货率是3.2%"]);
    let first = (Source::Agent, "The return rate was 3.2% last week.");
    check(&[first, (Source::User, "It's 2.8%, not 3.2%")], &["3.2%"], "what is the return rate", &["rate was 3.2%"]);
}

#[test]
fn a_correction_without_an_old_value_is_of_the_last_of_its_kind() {
    let rate = (Source::Agent, "退货率是3.2%，一共1281单。");
    check(&[rate, (Source::User, "更正：应该是2.8%")], &["3.2%"], "退货率是多少", &["3.2%"]);
    let two = (Source::Agent, "退货率是3.2%，环比涨了3.6%。");
    check(&[two, (Source::User, "更正：应该是2.8%")], &[], "退货率是多少", &[]);
    check(&[two, (Source::User, "更正：退货率应该是2.8%")], &["3.2%"], "退货率是多少", &["3.2%"]);
    check(&[rate, (Source::User, "更正：应该是500万元")], &[], "退货率是多少", &[]);
    let english = (Source::Agent, "The return rate was 3.2% over 1281 orders.");
    check(&[english, (Source::User, "Correction: it should be 2.8%")], &["3.2%"], "return rate", &["3.2%"]);
    check(&[english, (Source::User, "Correction: it should be $2,800")], &[], "return rate", &[]);
}

#[test]
fn another_session_is_left_in_peace() {
    for (said, correction, question) in [
        ("退货率是3.2%。", "更正：应该是2.8%", "退货率是多少"),
        ("The return rate is 3.2%.", "Correction: it should be 2.8%", "what is the return rate"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let other = Scope { session: ScopeId::new("s2").unwrap(), ..scope("u") };
        engine.observe(told(&other, Source::Agent, said)).unwrap();
        let correcting = engine.observe(told(&scope("u"), Source::User, correction)).unwrap();
        assert!(correcting.overturned.is_empty(), "{correction}");
        assert!(served(&engine, &other, question).contains("3.2%"), "{question}");
    }
}

#[test]
fn a_trend_that_rested_on_the_old_value_is_withheld() {
    let first = (Source::Agent, "发货销售额 128.64 万元，退货率 3.2%。退货率连着两周在涨。客户跟进导好了。");
    let said = [first, (Source::User, "退货率不是3.2%，是2.8%，财务刚确认。")];
    check(&said, &["3.2%"], "退货率怎么样", &["连着两周在涨", "退货率 3.2%"]);
    let first =
        (Source::Agent, "The return rate is 3.2%. The return rate has been rising for two weeks. Sales are $12,864.");
    let said = [first, (Source::User, "The return rate is 2.8%, not 3.2%, finance has just confirmed it.")];
    check(&said, &["3.2%"], "how is the return rate", &["rising for two weeks", "rate is 3.2%"]);
}

/// The trend alone, said again in another event: it rests on a number that was never right.
#[test]
fn a_trend_restated_elsewhere_is_withheld() {
    let wrong = (Source::User, "退货率不是3.2%，是2.8%，财务刚确认。");
    let said = [(Source::Agent, "退货率是3.2%。"), (Source::Agent, "小结：退货率比上周升了。销售额涨了。"), wrong];
    check(&said, &["3.2%"], "退货率怎么样", &["退货率比上周升了"]);
    let said = [
        (Source::Agent, "The return rate is 3.2%."),
        (Source::Agent, "Summary: the return rate is up from last week. Sales are rising."),
        (Source::User, "The return rate is 2.8%, not 3.2%."),
    ];
    check(&said, &["3.2%"], "how is the return rate", &["up from last week"]);
    // Said before the number, or of another one, it does not rest on it.
    for first in ["退货率比去年升了。", "退货率从1.0%升到1.1%。"] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let scope = scope("u");
        for (source, text) in [(Source::Agent, first), (Source::Agent, "上周的退货率是3.2%。"), wrong] {
            engine.observe(told(&scope, source, text)).unwrap();
        }
        assert!(served(&engine, &scope, "退货率升了吗").contains(first.trim_end_matches('。')), "{first}");
    }
}

/// SPEC 2.6: the frame and the facts of a task too, when the correction is said where no task is in hand.
#[test]
fn a_correction_outside_any_task_reaches_the_task_that_holds_the_number() {
    for (question, concluded, aside, correction, expected) in [
        (
            "帮我写一份周报",
            ["退货率3.2%", "退货率比上周升了", "转化率3.2%"],
            "帮我查一下北京的天气",
            "换个话题，退货率不是3.2%，是2.8%",
            ["退货率2.8%", "转化率3.2%"],
        ),
        (
            "Please draft the weekly report",
            ["The return rate is 3.2%", "The return rate is up from last week", "The churn is 3.2%"],
            "Please check the weather in Beijing",
            "Something else. The return rate is 2.8%, not 3.2%",
            ["The return rate is 2.8%", "The churn is 3.2%"],
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let scope = scope("u");
        let task = engine.observe(told(&scope, Source::User, question)).unwrap().task.unwrap();
        let inside = Scope { task: Some(task.clone()), ..scope.clone() };
        for text in concluded {
            let actions = vec![Action::Conclude { text: text.to_owned() }];
            let update = Update { actions, ..Update::default() };
            engine.observe_with(told(&inside, Source::Agent, text), Some(update)).unwrap();
        }
        // Nothing of this session's business, so the next words are of no task.
        let elsewhere = Scope { session: ScopeId::new("s2").unwrap(), ..scope.clone() };
        engine.observe(told(&elsewhere, Source::User, correction)).unwrap();
        let valid = |engine: &holdfast::engine::Engine| -> Vec<String> {
            let task = engine.task(&scope.owner, &task).unwrap().unwrap();
            let all = task.frames.iter().flat_map(|frame| frame.conclusions.clone());
            all.filter(|conclusion| conclusion.valid).map(|conclusion| conclusion.text).collect()
        };
        assert_eq!(valid(&engine), concluded, "another session is left in peace");
        engine.observe(told(&scope, Source::User, aside)).unwrap();
        let correcting = engine.observe(told(&scope, Source::User, correction)).unwrap();
        assert_eq!(correcting.task, None, "{correction}");
        let mut now = valid(&engine);
        now.sort();
        let mut expected = expected.map(str::to_owned).to_vec();
        expected.sort();
        assert_eq!(now, expected, "{correcting:?}");
    }
}

#[test]
fn an_answer_follows_the_question_off_the_task() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let scope = scope("u");
    let observe = |source, text: &str| engine.observe(told(&scope, source, text)).unwrap().task;
    let report = observe(Source::User, "帮我写一份周报");
    assert!(report.is_some());
    assert_eq!(observe(Source::Agent, "好的，我先拉数据。"), report);
    assert_eq!(observe(Source::User, "帮我查一下北京的天气"), None);
    assert_eq!(observe(Source::Agent, "北京今天晴，12度。"), None);
    assert_eq!(observe(Source::User, "继续写周报"), report);
    assert_eq!(observe(Source::Agent, "好，接着写。"), report);
    let migration = observe(Source::User, "帮我写一份数据迁移方案");
    assert_ne!(migration, report);
    assert_eq!(observe(Source::User, "周报先暂停"), report);
    assert_eq!(observe(Source::Agent, "周报停下了。"), report);
    assert_eq!(observe(Source::User, "迁移方案写到哪了？"), migration);
    assert_eq!(observe(Source::Agent, "写到第二节。"), migration);
    let scope = Scope { session: ScopeId::new("en").unwrap(), ..scope.clone() };
    let observe = |source, text: &str| engine.observe(told(&scope, source, text)).unwrap().task;
    let minutes = observe(Source::User, "Please draft the minutes of the board meeting");
    assert!(minutes.is_some());
    assert_eq!(observe(Source::User, "Please check the weather in Beijing"), None);
    assert_eq!(observe(Source::Agent, "Clear, 12 degrees."), None);
    assert_eq!(observe(Source::User, "Back to the minutes"), minutes);
    assert_eq!(observe(Source::Agent, "Going on with them."), minutes);
}

/// Who comes back to the store later goes on where the talk was: what was said off the task is in the log.
#[test]
fn an_answer_follows_the_question_off_the_task_after_a_restart() {
    for (asked, aside, answer, back, goes_on) in [
        ("帮我写一份周报", "帮我查一下北京的天气", "北京今天晴，12度。", "继续写周报", "好，接着写。"),
        (
            "Please draft the minutes of the board meeting",
            "Please check the weather in Beijing",
            "Clear, 12 degrees.",
            "Back to the minutes",
            "Going on with them.",
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let scope = scope("u");
        // Each of them in a process of its own.
        let process = std::cell::Cell::new(0);
        let observe = |source, text: &str| {
            process.set(process.get() + 1);
            engine_of(directory.path(), process.get()).observe(told(&scope, source, text)).unwrap().task
        };
        let task = observe(Source::User, asked);
        assert!(task.is_some());
        assert_eq!(observe(Source::Agent, "ok"), task, "{asked}");
        assert_eq!(observe(Source::User, aside), None, "{aside}");
        assert_eq!(observe(Source::Agent, answer), None, "{aside}");
        assert_eq!(observe(Source::Tool, "12"), None, "{aside}");
        assert_eq!(observe(Source::User, back), task, "{back}");
        assert_eq!(observe(Source::Agent, goes_on), task, "{back}");
    }
}

/// Its words are a summary then, and the places of what was read in it are those of the whole.
#[test]
fn a_correction_looks_back_on_archived_events() {
    for lead in 0..8 {
        for (told_before, correction) in [
            ("天气不错。退货率是3.2%。", "更正：退货率应该是2.8%"),
            ("好的。The return rate is 3.2%. 谢谢。", "Correction: the return rate should be 2.8%"),
        ] {
            let directory = tempfile::tempdir().unwrap();
            let engine = engine(directory.path());
            let scope = scope("u");
            let text = format!("{}{told_before}{}", "a".repeat(lead), "华星和启明都在等我们的报价。".repeat(60));
            engine.observe(told(&scope, Source::Agent, &text)).unwrap();
            let archived = engine.archive(&scope.owner, jiff::Timestamp::MAX).unwrap();
            assert_eq!(archived.events, 1);
            let correcting = engine.observe(told(&scope, Source::User, correction)).unwrap();
            assert_eq!(correcting.overturned, ["3.2%"], "{text}");
        }
    }
}
