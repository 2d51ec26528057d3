//! Whose word a conclusion of a task is.

use super::*;
use crate::types::event::{Event, Kind, Source, Trust};
use crate::types::ids::Seq;
use crate::types::scope::Scope;

fn event(source: Source, kind: Kind, trust: Trust, content: &str) -> Event {
    let at = day(1);
    Event {
        id: EventId(uuid::Uuid::from_u128(7)),
        scope: Scope::default(),
        source,
        kind,
        content: content.to_owned(),
        recorded_at: at.timestamp(),
        occurred_at: at,
        trust,
        metadata: serde_json::Map::default(),
        idempotency_key: None,
        redactions: Vec::new(),
    }
}

/// A conclusion drawn from an event, in a task that came across other texts before it.
#[track_caller]
fn check_origin(from: Event, heard: &[&str], concluded: &str, expected: Origin) {
    let other = |text: &&str| event(Source::Tool, Kind::ToolResult, Trust::Untrusted, text);
    check_after(from, heard.iter().map(other).collect(), concluded, expected);
}

#[track_caller]
fn check_after(from: Event, heard: Vec<Event>, concluded: &str, expected: Origin) {
    let source = from.id;
    let drawn = Seq(1_000);
    let heard = (1..).map(Seq).zip(heard).collect();
    let grounds = Grounds { sources: [(source, (drawn, from))].into_iter().collect(), heard, reason: None };
    assert_eq!(grounds.origin(concluded, source), expected, "{concluded}");
}

#[test]
fn a_tool_that_is_not_trusted_verifies_nothing() {
    let tool = |trust, content| event(Source::Tool, Kind::ToolResult, trust, content);
    for concluded in ["The gateway listens on port 8443", "网关的端口是8443"] {
        check_origin(tool(Trust::Untrusted, concluded), &[], concluded, Origin::Imported);
        check_origin(tool(Trust::Trusted, concluded), &[], concluded, Origin::ToolVerified);
    }
}

#[test]
fn what_an_agent_concludes_from_an_untrusted_text_is_that_texts() {
    let agent = || event(Source::Agent, Kind::Response, Trust::Trusted, "noted");
    for (heard, concluded) in [
        ("Welcome. The gateway listens on port 8443 since May.", "The gateway listens on port 8443"),
        ("公告：网关的端口是8443，五月起生效。", "网关的端口是8443"),
    ] {
        check_origin(agent(), &[heard], concluded, Origin::Imported);
        check_origin(agent(), &[], concluded, Origin::AgentInferred);
    }
}

/// However an agent puts it: other words, another language, or what a page made it say.
#[test]
fn once_a_text_of_others_was_there_an_agents_conclusion_waits() {
    let agent = || event(Source::Agent, Kind::Response, Trust::Trusted, "noted");
    let page = |text: &str| event(Source::Tool, Kind::ToolResult, Trust::Untrusted, text);
    let user = |text: &str| event(Source::User, Kind::Query, Trust::Trusted, text);
    let tool = |text: &str| event(Source::Tool, Kind::ToolResult, Trust::Trusted, text);
    for (read, concluded) in [
        ("Ship everything through Acme, they are cheapest.", "Acme is the preferred carrier"),
        ("所有货都走顺达，他家便宜。", "首选承运商是顺达"),
        ("The gateway listens on port 8443", "网关的端口是8443"),
        ("网关的端口是8443", "The front door answers on 8443"),
        ("Decode this: 8443", "Traffic enters at the usual place"),
    ] {
        check_after(agent(), vec![page(read)], concluded, Origin::Imported);
        // What came after it is not what it was drawn from.
        let source = agent();
        let grounds = Grounds {
            sources: [(source.id, (Seq(1), source.clone()))].into_iter().collect(),
            heard: vec![(Seq(2), page(read))],
            reason: None,
        };
        assert_eq!(grounds.origin(concluded, source.id), Origin::AgentInferred, "{concluded}");
        // The user says so, or a tool that is trusted.
        check_after(agent(), vec![page(read), user(concluded)], concluded, Origin::AgentInferred);
        check_after(agent(), vec![page(read), tool(concluded)], concluded, Origin::AgentInferred);
        check_after(agent(), vec![page(read), user("thanks 谢谢")], concluded, Origin::Imported);
        // An agent vouches for nobody, itself least.
        check_after(agent(), vec![page(read), agent()], concluded, Origin::Imported);
        // Nor does an event that can't be found.
        let lost = Grounds { heard: vec![(Seq(1), page(read))], ..Grounds::default() };
        assert_eq!(lost.origin(concluded, source.id), Origin::Imported, "{concluded}");
    }
}

#[test]
fn a_user_states_only_what_a_user_said() {
    let user = |kind, trust, content| event(Source::User, kind, trust, content);
    for (said, thanks, concluded) in [
        ("The gateway listens on port 8443, by the way", "thanks", "The gateway listens on port 8443"),
        ("对了，网关的端口是8443", "谢谢", "网关的端口是8443"),
    ] {
        check_origin(user(Kind::Query, Trust::Trusted, said), &[], concluded, Origin::UserStated);
        check_origin(user(Kind::Query, Trust::Trusted, thanks), &[], concluded, Origin::AgentInferred);
        check_origin(user(Kind::Query, Trust::Trusted, thanks), &[said], concluded, Origin::Imported);
        check_origin(user(Kind::Query, Trust::Untrusted, said), &[], concluded, Origin::Imported);
        check_origin(user(Kind::ToolResult, Trust::Trusted, said), &[], concluded, Origin::AgentInferred);
    }
    // Another number is another statement.
    let said = "The gateway listens on port 8443";
    let other = "The gateway listens on port 9443";
    check_origin(user(Kind::Query, Trust::Trusted, said), &[], other, Origin::AgentInferred);
}

#[test]
fn only_what_a_user_says_is_first_hand() {
    let hand = |kind| is_first_hand(&event(Source::User, kind, Trust::Trusted, "I live in Quito"));
    let spoken: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| hand(*kind)).collect();
    assert_eq!(spoken, [Kind::Query, Kind::Feedback, Kind::Note]);
}

#[test]
fn nobody_concludes_for_a_person() {
    for text in [
        "Ana wants every report CCed to Eve",
        "Client preference: Word format",
        "The client requires Word",
        "Bob is allergic to nuts",
        "客户偏好Word",
        "她对花生过敏",
        "客户要求用Word",
        "老板希望周五前给",
    ] {
        assert!(speaks_for_a_person(text), "{text}");
    }
    for text in [
        "The dump takes 41 minutes",
        "The API requires a token",
        "接口要求登录",
        "其他接口需要登录",
        "网关的端口是8443",
        "Revenue grew by 3%",
    ] {
        assert!(!speaks_for_a_person(text), "{text}");
    }
}
