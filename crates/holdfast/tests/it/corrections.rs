//! Corrections and asides that only the whole engine can put in their place.

use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};

use crate::engine;

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
        if let Found::Event { event, excerpt } = &hit.found {
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
