//! The room's promises: the plan of a question by itself, everything else through an engine without a model.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::plan;
use crate::embedding::Choice;
use crate::engine::{Config, Engine};
use crate::env::Env;
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::query::{Found, Hit, Limits, Query, Recalled, Route, Verdict};
use crate::types::scope::Scope;

struct Memory {
    engine: Engine,
    _directory: tempfile::TempDir,
}

/// A store in which the user said these things, an hour apart.
fn told(texts: &[&str]) -> Memory {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let start: Timestamp = "2026-11-27T09:00:00Z".parse().expect("a time");
    let env = Arc::new(Env::fixed(7, start));
    let engine =
        Engine::open(Config { embedding: Choice::None, env, ..Config::at(directory.path()) }).expect("a store");
    for (hours, text) in texts.iter().enumerate() {
        let mut event = RawEvent::new(Scope::default(), Source::User, Kind::Note, *text);
        let at = engine.now().checked_sub(SignedDuration::from_hours(100 - hours as i64)).expect("a time");
        event.occurred_at = Some(at);
        engine.observe(event).expect("recorded");
    }
    Memory { engine, _directory: directory }
}

impl Memory {
    fn query(&self, text: &str) -> Query {
        Query::new(Scope::default(), text, self.engine.now())
    }

    fn recall(&self, text: &str) -> Recalled {
        self.engine.recall(&self.query(text)).expect("recalled")
    }

    /// What is served of events, best first.
    fn found(&self, text: &str) -> Vec<String> {
        served(&self.recall(text))
    }
}

fn served(recalled: &Recalled) -> Vec<String> {
    let text = |found: &Found| match found {
        Found::Event { event, excerpt, .. } => {
            let parts: Vec<&str> = excerpt.iter().map(|range| &event.event.content[range.clone()]).collect();
            Some(parts.join(" … "))
        }
        Found::Fact { .. } | Found::Memory { .. } => None,
    };
    recalled.hits.iter().filter_map(|hit| text(&hit.found)).collect()
}

fn question(text: &str) -> Query {
    let now = "2026-11-27T09:00:00+00:00[UTC]".parse().expect("a time");
    Query::new(Scope::default(), text, now)
}

#[test]
fn the_route_comes_first() {
    for (text, expected) in [
        ("你好", Route::Nothing),
        ("谢谢啦！", Route::Nothing),
        ("好的", Route::Nothing),
        ("Thanks a lot!", Route::Nothing),
        ("ok", Route::Nothing),
        ("👍👍", Route::Nothing),
        ("……？！", Route::Nothing),
        ("", Route::State),
        ("周报做到哪了？", Route::State),
        ("还剩哪些没做完", Route::State),
        ("Where are we with the migration?", Route::State),
        ("What's left to do?", Route::State),
        ("Where were we?", Route::State),
        ("What's next?", Route::State),
        ("Where did we leave off yesterday?", Route::State),
        ("What was I working on?", Route::State),
        ("我们做到哪了？", Route::State),
        ("上次聊到哪里了", Route::State),
        ("接下来呢？", Route::State),
        ("刚才在做什么来着", Route::State),
        ("预算原来是多少？", Route::History),
        ("之前用的是哪个数据库", Route::History),
        ("What was the deadline originally?", Route::History),
        ("Which gym did I use to go to? I used to like it", Route::History),
        ("退货率是多少？", Route::Events),
        ("谢谢，退货率是多少？", Route::Events),
        ("What's the name of my dog?", Route::Events),
        ("Thanks for the summary of the Lima trip", Route::Events),
    ] {
        assert_eq!(plan(&question(text)).route, expected, "{text}");
    }
}

#[test]
fn assent_is_no_small_talk_when_something_stands_before_it() {
    let query = Query { preceding: vec!["要不要把周报发给王总？".to_owned()], ..question("好的") };
    assert_ne!(plan(&query).route, Route::Nothing);
}

#[test]
fn a_plan_reads_what_kind_of_answer_is_wanted() {
    let read = |text: &str| {
        let plan = plan(&question(text));
        let marks = [
            (plan.expects.number, "number"),
            (plan.expects.date, "date"),
            (plan.current, "current"),
            (plan.summary, "summary"),
            (plan.request, "request"),
            (plan.asks_agent, "agent"),
            (plan.spans_time, "spans time"),
        ];
        marks.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(read("现在的退货率是多少？"), "number, current");
    assert_eq!(read("评审是几号？"), "number, date");
    assert_eq!(read("When is the review?"), "date");
    assert_eq!(read("How many calls are allowed now?"), "number, current");
    assert_eq!(read("你之前推荐的那家店叫什么？"), "request, agent, spans time");
    assert_eq!(read("总结一下这个月"), "summary");
    assert_eq!(read("Who is my dentist?"), "");
}

#[test]
fn a_request_to_tell_is_no_question_about_what_the_agent_said() {
    for (text, expected) in [
        ("Can you tell me about the migration", false),
        ("Could you explain the return rate?", false),
        ("Would you list the customers?", false),
        ("给我讲讲数据迁移", false),
        ("你能说说退货率吗", false),
        ("你给我讲讲退货率", false),
        ("你告诉我华星的情况", false),
        ("What did you tell me about the migration?", true),
        ("Have you explained the return rate?", true),
        ("Can you repeat the restaurant you recommended?", true),
        ("你上次推荐的餐厅叫什么", true),
        ("你给我的建议是什么", true),
        ("你说过的那家店在哪", true),
        ("你之前跟我讲了什么", true),
    ] {
        assert_eq!(plan(&question(text)).asks_agent, expected, "{text}");
    }
}

#[test]
fn a_day_is_searched_as_a_time_and_an_hour_as_words() {
    let windows = |text: &str| plan(&question(text)).windows.iter().map(|w| w.start.to_string()).collect::<Vec<_>>();
    assert_eq!(windows("11月20日我去了哪里？"), ["2026-11-20T00:00:00"]);
    assert_eq!(windows("Where did I go on November 20?"), ["2026-11-20T00:00:00"]);
    // A found bug: the hour drew what was recorded last above everything else.
    for text in ["At 10:00 PM, Amy was driving home", "晚上十点开车回家，把屏幕调暗", "下午3点的时候把音量调小"]
    {
        assert_eq!(windows(text), Vec::<String>::new(), "{text}");
    }
}

/// The question is asked on 27 November 2026.
fn times(text: &str) -> Vec<String> {
    plan(&question(text)).windows.iter().map(|window| format!("{} to {}", window.days().0, window.days().1)).collect()
}

#[test]
fn a_day_without_a_year_is_looked_for_in_the_past_too() {
    for (text, expected) in [
        ("10月2日为什么决定改期？", vec!["2026-10-02 to 2026-10-02"]),
        ("2月5日领的补贴是多少？", vec!["2026-02-05 to 2026-02-05", "2027-02-05 to 2027-02-05"]),
        ("What did I plan for February 5th?", vec!["2026-02-05 to 2026-02-05", "2027-02-05 to 2027-02-05"]),
        ("明年2月5日有什么安排？", vec!["2027-02-05 to 2027-02-05"]),
        ("What is due on February 5, 2027?", vec!["2027-02-05 to 2027-02-05"]),
        ("明天要开什么会？", vec!["2026-11-28 to 2026-11-28"]),
        ("What do I have to do tomorrow?", vec!["2026-11-28 to 2026-11-28"]),
    ] {
        assert_eq!(times(text), expected, "{text}");
    }
}

#[test]
fn the_present_of_the_asker_is_no_time_of_the_memory() {
    for (text, expected) in [
        // Said of another time, or of the occasion.
        ("2026年3月，我和妹妹聊天时提到最近在看什么剧？", vec!["2026-03-01 to 2026-03-31"]),
        ("In March 2026, what did my sister say she had read recently?", vec!["2026-03-01 to 2026-03-31"]),
        ("I'm driving today. Set the lights to my usual color.", vec![]),
        ("今天我来开车。把灯调成我常用的颜色。", vec![]),
        ("I've been feeling stuck lately. Do you have any ideas for me?", vec![]),
        ("推荐几家这周末能去的餐厅", vec![]),
        // But a question about the present means it.
        ("我最近在看什么剧？", vec!["2026-11-14 to 2026-11-27"]),
        ("What did I do today?", vec!["2026-11-27 to 2026-11-27"]),
        ("好累啊。今天的会几点开？", vec!["2026-11-27 to 2026-11-27"]),
        ("I'm tired. What did I promise today?", vec!["2026-11-27 to 2026-11-27"]),
        ("今天的会议", vec!["2026-11-27 to 2026-11-27"]),
        // And the past is the past however it is told.
        ("I got a book last week. Do you remember it?", vec!["2026-11-16 to 2026-11-22"]),
    ] {
        assert_eq!(times(text), expected, "{text}");
    }
}

#[test]
fn from_one_day_to_another_is_one_time() {
    for (text, expected) in [
        ("从5月12日到5月31日我散步了几次？", vec!["2026-05-12 to 2026-05-31"]),
        ("How often did I run from May 12 to May 31?", vec!["2026-05-12 to 2026-05-31"]),
        ("10月2日至10月9日我住在哪里？", vec!["2026-10-02 to 2026-10-09"]),
        ("5月12日和6月20日我分别做了什么？", vec!["2026-05-12 to 2026-05-12", "2026-06-20 to 2026-06-20"]),
        ("What did I do on June 12 and on June 20?", vec!["2026-06-12 to 2026-06-12", "2026-06-20 to 2026-06-20"]),
    ] {
        assert_eq!(times(text), expected, "{text}");
    }
}

#[test]
fn the_wish_counts_more_than_the_situation() {
    let weight = |text: &str, term: &str| {
        let plan = plan(&question(text));
        plan.terms.iter().find(|planned| planned.text == term).map(|planned| planned.weight)
    };
    let text = "Emily got into the car with Kevin. Restore my preferred calming lighting.";
    assert!(weight(text, "kevin") < weight(text, "light"), "{:?}", plan(&question(text)).terms);
    let text = "小王和客户在会议室里坐下了。把退货率报表的口径说明发给我。";
    assert!(weight(text, "客户") < weight(text, "退货"), "{:?}", plan(&question(text)).terms);
    // What is asked in so few words is told by what stands before.
    let text = "I mentioned a tournament in Lima. What was the event?";
    assert_eq!(weight(text, "tournament"), weight(text, "event"));
}

#[test]
fn words_find_what_was_said_in_both_languages() {
    let memory = told(&[
        "本周退货率是2.8%，比上周低",
        "我养了一只叫豆豆的猫",
        "The staging database moved to Frankfurt",
        "My dentist is Dr. Alvarez on Elm Street",
    ]);
    for (text, expected) in [
        ("退货率是多少？", "本周退货率是2.8%，比上周低"),
        ("我的猫叫什么", "我养了一只叫豆豆的猫"),
        ("Where is the staging database?", "The staging database moved to Frankfurt"),
        ("who's my dentist", "My dentist is Dr. Alvarez on Elm Street"),
    ] {
        assert_eq!(memory.found(text).first().map(String::as_str), Some(expected), "{text}");
    }
}

#[test]
fn an_absent_word_finds_nothing() {
    let memory = told(&["本周退货率是2.8%", "我和同事去杭州出差", "The staging database moved to Frankfurt"]);
    for text in ["量子纠缠", "杭菊", "出借", "kubernetes", "What about the xylophone?", "的是了吗", "what is the"]
    {
        assert_eq!(memory.found(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_newest_of_a_slot_comes_first() {
    for (old, new, text) in [
        (
            "The capital of Freedonia is Lima.",
            "The capital of Freedonia is Quito.",
            "What is the capital of Freedonia?",
        ),
        (
            "The API quota is 1,000 calls a day.",
            "The API quota was raised to 1,200 calls a day.",
            "How many calls a day is the API quota?",
        ),
        ("评审会议定在3月5日。", "评审会议改到3月12日。", "评审会议是几号？"),
        // The old value is told with the new one.
        (
            "We agreed on a grocery budget of $500 a month.",
            "How do we adjust, having increased our grocery budget to $500 in May, and later to $550?",
            "What is our monthly grocery budget?",
        ),
        (
            "I solved 8 probability problems this week.",
            "I've increased my practice to 12 probability problems, since with 8 problems I was still slow.",
            "How many probability problems do I practice?",
        ),
        ("客服团队一共8个人。", "客服团队从8个人增加到12个人。", "客服团队有几个人？"),
        ("项目预算是20万元。", "项目预算提高到25万元。", "项目预算是多少？"),
    ] {
        let filler = ["午饭吃了面条", "The weather was fine", "散步半小时", "I watered the plants"];
        let memory = told(&[&[old], &filler[..], &[new]].concat());
        let found = memory.found(text);
        assert_eq!(found.first().map(String::as_str), Some(new), "{text}: {found:?}");
        assert!(found.iter().any(|said| said == old), "the old one stays, further down: {found:?}");
        let marked = |content: &str| memory.recall(text).hits.iter().any(|hit| is_said_otherwise(hit, content));
        assert!(marked(old) && !marked(new), "and says so: {text}");
    }
}

/// Whether a hit has this content and is marked as what was said before.
fn is_said_otherwise(hit: &Hit, content: &str) -> bool {
    matches!(&hit.found, Found::Event { event, replaced_by: Some(_), .. } if event.event.content == content)
}

#[test]
fn different_things_are_no_slot() {
    let memory = told(&["The capital of Freedonia is Lima.", "The capital of Sylvania is Quito."]);
    assert_eq!(memory.found("What is the capital of Freedonia?")[0], "The capital of Freedonia is Lima.");
    let memory = told(&["我妈妈的生日是3月5日。", "我爸爸的生日是3月12日。"]);
    assert_eq!(memory.found("我妈妈的生日是几号？")[0], "我妈妈的生日是3月5日。");
}

fn demoted(recalled: &Recalled) -> usize {
    let below = |(name, _): &(String, f32)| name.starts_with("below");
    recalled.explain.candidates.iter().filter(|candidate| candidate.parts.iter().any(below)).count()
}

#[test]
fn without_a_value_only_what_calls_itself_new_replaces() {
    for (old, new, text, expected) in [
        (
            "My cousin John graduated with a degree in engineering from a college in Ohio.",
            "Alex, the son next door, graduated with a degree in engineering from a college in Texas.",
            "Who graduated with a degree?",
            0,
        ),
        ("我和小王在杭州的工厂看样品。", "我和老李在苏州的展会看样品。", "谁看了样品？", 0),
    ] {
        assert_eq!(demoted(&told(&[old, new]).recall(text)), expected, "{text}");
    }
}

#[test]
fn an_old_value_said_again_is_no_news() {
    for (texts, text) in [
        (
            [
                "The gift budget is capped at $400.",
                "I've adjusted the gift budget to $450, so plan for that.",
                "I worry about the gift budget, which I capped at $400 after all that talk.",
            ],
            "What is my gift budget?",
        ),
        (
            ["礼物预算定的是400元。", "礼物预算提高到450元了，按这个安排。", "我担心超支，毕竟礼物预算一共400元。"],
            "礼物预算是多少？",
        ),
    ] {
        let found = told(&texts).found(text);
        assert_eq!(found.first().map(String::as_str), Some(texts[1]), "{found:?}");
        // Said to be changed back, it is.
        let back = ["The gift budget was lowered to $400 again.", "礼物预算又改成400元了。"];
        let back = if text.is_ascii() { back[0] } else { back[1] };
        let found = told(&[texts[0], texts[1], back]).found(text);
        assert_eq!(found.first().map(String::as_str), Some(back), "{found:?}");
    }
}

#[test]
fn a_question_about_the_past_keeps_the_old_one() {
    let memory = told(&["The API quota is 1,000 calls a day.", "The API quota was raised to 1,200 calls a day."]);
    let recalled = memory.recall("What was the API quota originally?");
    assert_eq!(recalled.route, Route::History);
    assert!(served(&recalled).contains(&"The API quota is 1,000 calls a day.".to_owned()));
    assert!(recalled.explain.candidates.iter().all(|c| c.parts.iter().all(|(name, _)| !name.starts_with("below"))));
}

#[test]
fn no_more_than_was_asked_for() {
    let texts: Vec<String> = (1..=20).map(|n| format!("第{n}周的退货率报告")).collect();
    let memory = told(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    for (limits, expected) in [
        (Limits { events: 3, total: 10, ..Limits::default() }, 3),
        (Limits { events: 30, total: 7, ..Limits::default() }, 7),
        (Limits { events: 0, facts: 0, ..Limits::default() }, 0),
        (Limits { events: 30, facts: 0, total: 0, ..Limits::default() }, 0),
    ] {
        let query = Query { limits, ..memory.query("退货率报告") };
        assert_eq!(memory.engine.recall(&query).expect("recalled").hits.len(), expected, "{limits:?}");
    }
}

#[test]
fn what_repeats_a_better_one_is_not_served_again() {
    let memory = told(&["退货率是2.8%", "退货率是2.8%", "退货率是2.8%！", "退货率的口径按订单数算"]);
    let recalled = memory.recall("退货率");
    assert_eq!(served(&recalled).len(), 2);
    let repeats = recalled.explain.candidates.iter().filter(|c| matches!(c.verdict, Verdict::Repeats { .. })).count();
    assert_eq!(repeats, 2);
}

#[test]
fn nothing_in_a_question_is_an_operator() {
    let memory = told(&["本周退货率是2.8%，比上周低", "The staging database moved to Frankfurt"]);
    for text in [
        "\"退货率",
        "退货率 AND",
        "NOT 退货率",
        "退货率 OR (",
        "退货率*",
        "terms:退货率",
        "退货率 NEAR/2 上周",
        "'退货率' --",
        "^退货率",
        "退货率😀🎉",
        "退货率\u{0}\u{202e}",
        "退货率'; DROP TABLE event; --",
        "-退货率 +\"",
    ] {
        assert_eq!(memory.found(text).first().map(String::as_str), Some("本周退货率是2.8%，比上周低"), "{text}");
    }
    for text in ["\"", "'", "*", "AND OR NOT", "😀", "(((", "\\", "%", "--"] {
        assert_eq!(memory.found(text), Vec::<String>::new(), "{text}");
    }
    let long = "退货率".repeat(20_000);
    assert!(
        memory.recall(&long).explain.notes.iter().any(|note| note.contains("longer")),
        "a long question is cut, and said so"
    );
}

#[test]
fn every_candidate_is_explained_and_every_hit_was_kept() {
    let texts: Vec<String> = (1..=15).map(|n| format!("第{n}周的退货率是{n}.5%")).collect();
    let memory = told(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    for text in ["退货率", "第3周的退货率是多少？", "现在的退货率", "量子纠缠"] {
        let recalled = memory.recall(text);
        let kept: Vec<_> =
            recalled.explain.candidates.iter().filter(|c| c.verdict == Verdict::Kept).map(|c| c.id).collect();
        let hits: Vec<_> = recalled
            .hits
            .iter()
            .filter_map(|hit| match &hit.found {
                Found::Event { event, .. } => Some(event.event.id),
                Found::Fact { .. } | Found::Memory { .. } => None,
            })
            .collect();
        assert_eq!(kept, hits, "{text}");
        assert!(!recalled.explain.route_reason.is_empty());
        for candidate in &recalled.explain.candidates {
            let sum: f32 = candidate.parts.iter().map(|(_, part)| part).sum();
            assert!((sum - candidate.score).abs() < 1e-3, "{text}: the parts are the score: {candidate:?}");
        }
    }
}

#[test]
fn the_same_question_gives_the_same_answer() {
    let texts: Vec<String> = (1..=30).map(|n| format!("第{n}周的退货率报告写好了")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (a, b) = (told(&texts), told(&texts));
    assert_eq!(a.recall("退货率报告"), a.recall("退货率报告"));
    assert_eq!(a.found("退货率报告"), b.found("退货率报告"));
}

#[test]
fn as_of_before_it_was_overturned_the_old_value_is_what_held() {
    let memory = told(&[]);
    let say = |text: &str, at: &str| {
        let mut event = RawEvent::new(Scope::default(), Source::User, Kind::Query, text);
        event.occurred_at = Some(at.parse().expect("a moment"));
        memory.engine.observe(event).expect("recorded");
    };
    say("the rent is 900 euro", "2026-10-01T10:00:00+02:00[+02:00]");
    say("the rent is now 950 euro, not 900", "2026-10-25T10:00:00+01:00[+01:00]");
    let as_of = |day: &str| {
        let mut query = Query::new(Scope::default(), "rent", memory.engine.now());
        query.filter.until = Some(format!("{day}T00:00:00Z").parse().expect("a moment"));
        served(&memory.engine.recall(&query).expect("an answer"))
    };
    assert_eq!(as_of("2026-10-10"), ["the rent is 900 euro"]);
    assert_eq!(as_of("2026-10-30"), ["the rent is now 950 euro, not 900"]);
}

#[test]
fn what_was_overturned_is_hidden_and_in_a_history_marked() {
    // A correction is of a task's statements: without one, nobody can say which 3.2% is meant.
    let memory = told(&[]);
    memory.engine.start_task(&Scope::default(), "退货周报", None, &[]).expect("a task");
    for text in ["本周退货率是3.2%。仓库照常发货。", "退货率不是3.2%，是2.8%。"] {
        let event = RawEvent::new(Scope::default(), Source::User, Kind::Query, text);
        memory.engine.observe(event).expect("recorded");
    }
    let said_old = |recalled: &Recalled| {
        recalled.hits.iter().any(|hit| match &hit.found {
            Found::Event { event, excerpt, .. } => {
                excerpt.iter().any(|r| event.event.content[r.clone()].contains("本周退货率是3.2%"))
            }
            Found::Fact { .. } | Found::Memory { .. } => false,
        })
    };
    let marked = memory.recall("退货率原来是多少？");
    let has_mark =
        marked.hits.iter().any(|hit| matches!(&hit.found, Found::Event { event, .. } if !event.overturned.is_empty()));
    assert!(said_old(&marked), "{marked:?}");
    assert!(has_mark, "{marked:?}");
    let now = memory.recall("退货率是多少？");
    assert!(!said_old(&now), "{now:?}");
    assert!(served(&now).iter().any(|said| said.contains("2.8%")), "{now:?}");
}
