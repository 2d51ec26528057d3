//! Learning with a model: what it proposes is checked by code, placed once, and harms nothing when it is wrong, late or broken.

use std::sync::{Arc, Mutex};

use holdfast::engine::{Config, Engine};
use holdfast::llm::{Llm, LlmError, Prompt, Reply, ScriptedLlm};
use holdfast::store::JournalPage;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::memory::{Memory, MemoryFilter, MemoryStatus};
use holdfast::types::operation::{Target, Verb};
use holdfast::types::query::Query;
use holdfast::types::scope::Scope;
use serde_json::json;
use tempfile::TempDir;

use crate::{env, lexical};

struct World {
    engine: Engine,
    scope: Scope,
    _directory: TempDir,
}

fn told(said: &[(Source, &str)]) -> World {
    let directory = TempDir::new().unwrap();
    let engine = Engine::open(Config { env: env(7), ..lexical(directory.path()) }).unwrap();
    let world = World { engine, scope: Scope::default(), _directory: directory };
    for (source, text) in said {
        world.say(*source, text);
    }
    world
}

impl World {
    fn say(&self, source: Source, text: &str) {
        let kind = if source == Source::User { Kind::Query } else { Kind::Response };
        self.engine.observe(RawEvent::new(self.scope.clone(), source, kind, text)).unwrap();
    }

    fn induce(&self, llm: &dyn Llm) -> holdfast::engine::Induced {
        self.engine.induce(&self.scope.owner, llm).unwrap()
    }

    /// What the journal says was passed over.
    fn passed_over(&self) -> Vec<String> {
        let page = JournalPage { verb: Some(Verb::Refuse), limit: 100, ..JournalPage::default() };
        let entries = self.engine.journal(&self.scope.owner, &page).unwrap().into_iter();
        entries.filter(|e| e.operation.target == Target::Store).map(|e| e.operation.reason).collect()
    }

    fn memories(&self) -> Vec<Memory> {
        self.engine.memories(&self.scope.owner, &MemoryFilter::default()).unwrap()
    }

    fn known(&self) -> Vec<String> {
        self.memories().iter().map(|m| format!("{} {} {:.2}: {}", m.kind, m.status, m.confidence, m.content)).collect()
    }
}

/// A proposal about the first utterance.
fn proposal(kind: &str, attribute: &str, content: &str, quote: &str) -> serde_json::Value {
    json!({ "kind": kind, "subject": "user", "attribute": attribute, "content": content, "standing": true, "source": 1,
        "quote": quote, "importance": 3 })
}

fn reply(proposals: &[serde_json::Value]) -> String {
    json!({ "memories": proposals }).to_string()
}

#[test]
fn what_is_quoted_and_said_is_kept() {
    for (said, content, quote, expected) in [
        (
            "下周起我改到杭州办公室上班了",
            "用户改到杭州办公室上班。",
            "我改到杭州办公室上班了",
            "fact active 0.80: 用户改到杭州办公室上班。",
        ),
        (
            "I moved my desk to the Lima office",
            "The user moved their desk to the Lima office.",
            "moved my desk to the Lima office",
            "fact active 0.55: The user moved their desk to the Lima office.",
        ),
        // Word for word is as sure as what is said.
        (
            "the gateway listens on port 8443 here",
            "the gateway listens on port 8443",
            "the gateway listens on port 8443",
            "fact active 0.80: the gateway listens on port 8443",
        ),
    ] {
        let world = told(&[(Source::User, said)]);
        let llm = ScriptedLlm::always(reply(&[proposal("fact", "office", content, quote)]));
        let induced = world.induce(&llm);
        assert_eq!((induced.calls, induced.changes.len(), induced.refused.len()), (1, 1, 0), "{said}");
        assert_eq!(world.known(), [expected]);
    }
}

#[test]
fn what_is_not_in_the_source_is_refused_with_the_reason() {
    let said = "我觉得手冲咖啡比速溶好，每天两杯。手冲咖啡更贵吗？";
    for (wrong, reason) in [
        (proposal("fact", "咖啡", "用户喝手冲咖啡", "用户爱喝手冲咖啡"), "its quote is not in its source"),
        (proposal("fact", "咖啡", "用户每天喝3杯手冲咖啡", "每天两杯"), "it says more than the sentence it quotes"),
        (proposal("fact", "咖啡", "用户不喝速溶咖啡", "手冲咖啡比速溶好"), "it turns around what its sentence says"),
        (
            proposal("fact", "coffee", "The user likes coffee from Starbucks", "手冲咖啡"),
            "it leaves out whom or what its sentence speaks of",
        ),
        (proposal("fact", "咖啡", "手冲咖啡更贵", "手冲咖啡更贵"), "its quote is a question"),
        (
            json!({ "kind": "fact", "subject": "老王", "attribute": "咖啡", "content": "老王喝手冲咖啡", "standing": true,
            "source": 1, "quote": "手冲咖啡" }),
            "whom it is about is not in its source",
        ),
        (
            json!({ "kind": "rule", "subject": "user", "attribute": "咖啡", "content": "手冲咖啡比速溶好", "standing": false,
            "source": 1, "quote": "手冲咖啡比速溶好" }),
            "it holds for once: it lives and ends with its task",
        ),
    ] {
        let world = told(&[(Source::User, said)]);
        let induced = world.induce(&ScriptedLlm::always(reply(&[wrong])));
        assert_eq!(world.known(), [""; 0]);
        assert_eq!(induced.refused.iter().map(|refusal| refusal.reason).collect::<Vec<_>>(), [reason]);
    }
}

/// What becomes of one proposal, about the last of these utterances: `kept`, or why not.
#[track_caller]
fn check(said: &[&str], subject: &str, quote: &str, content: &str, expected: &str) {
    let world = told(&said.iter().map(|text| (Source::User, *text)).collect::<Vec<_>>());
    let before = world.known();
    let proposed = json!({ "kind": "fact", "subject": subject, "attribute": "something", "content": content,
        "standing": true, "source": said.len(), "quote": quote });
    let induced = world.induce(&ScriptedLlm::always(reply(&[proposed])));
    let reason = induced.refused.first().map_or("kept", |refusal| refusal.reason);
    assert_eq!(reason, expected, "{content} of {said:?}: {:?}", induced.unusable);
    assert_eq!(world.known() == before, expected != "kept", "{content} of {said:?}");
}

const TURNED: &str = "it turns around what its sentence says";
const MORE: &str = "it says more than the sentence it quotes";
const SUPPOSED: &str = "its sentence only supposes it";
const REPORTED: &str = "its sentence is somebody else's word";
const ANOTHER: &str = "its sentence is about somebody else";
const LEFT_OUT: &str = "it leaves out whom or what its sentence speaks of";

#[test]
fn a_denial_stays_a_denial() {
    for (said, quote, content, expected) in [
        ("I have never been allergic to peanuts", "allergic to peanuts", "The user is allergic to peanuts.", TURNED),
        (
            "I have never been allergic to peanuts",
            "never been allergic to peanuts",
            "The user has never been allergic to peanuts.",
            "kept",
        ),
        ("I don't eat cilantro, I like spicy food", "I like spicy food", "The user doesn't like spicy food", TURNED),
        ("I don't eat cilantro and love spicy food", "spicy food", "The user doesn't love spicy food", MORE),
        ("I was a vegetarian", "I was a vegetarian", "The user is a vegetarian", TURNED),
        ("I'm allergic to peanuts, not really", "allergic to peanuts", "The user is allergic to peanuts", TURNED),
        ("我从来没对花生过敏", "对花生过敏", "用户对花生过敏", TURNED),
        ("我对花生过敏，才怪", "对花生过敏", "用户对花生过敏", TURNED),
        ("我对花生特别过敏", "对花生特别过敏", "用户对花生不过敏", TURNED),
        ("我对花生不过敏", "对花生不过敏", "用户对花生过敏", TURNED),
        ("我从不错过晚饭", "错过晚饭", "用户错过晚饭", TURNED),
        ("我对花生特别过敏", "对花生特别过敏", "用户对花生特别过敏", "kept"),
        ("我不碰香菜，爱吃辣", "爱吃辣", "用户不爱吃辣", TURNED),
        ("我以前是程序员", "以前是程序员", "用户是程序员", TURNED),
    ] {
        check(&[said], "user", quote, content, expected);
    }
}

#[test]
fn nothing_is_made_up_around_a_quote() {
    for (said, quote, content, expected) in [
        ("跟经理的会改期吧", "经理", "用户的经理是王伟，住在上海", LEFT_OUT),
        ("我把跟经理的会改期了", "经理", "用户把经理换成王伟", MORE),
        ("my desk moved to Lima", "my desk", "The user's desk moved to Quito", MORE),
        ("my desk moved from Lima to Quito", "my desk moved", "The user's desk moved to Lima", MORE),
        ("the port is 8443, the timeout is 30", "the port is 8443", "the port is 30", MORE),
        ("端口8443，超时30秒", "端口8443", "端口30", MORE),
        ("端口8443，超时30秒", "端口8443", "端口8443", "kept"),
        ("our team uses 3.5% as the limit", "3.5%", "our team uses 35% as the limit", MORE),
    ] {
        check(&[said], "user", quote, content, expected);
    }
}

#[test]
fn what_is_only_supposed_asked_or_an_example_is_no_fact() {
    for (said, quote, content, expected) in [
        ("如果网关端口是8443就好了，可惜", "网关端口是8443", "网关端口是8443", SUPPOSED),
        ("I'd deploy at noon unless the port is 8443", "the port is 8443", "the port is 8443", SUPPOSED),
        ("假如网关端口是8443呢", "网关端口是8443", "网关端口是8443", "its quote is a question"),
        ("要是网关端口是8443，就能通", "网关端口是8443", "网关端口是8443", SUPPOSED),
        ("If the port is 8443, it works", "the port is 8443", "the port is 8443", SUPPOSED),
        ("I wish the port were 8443", "port were 8443", "the port were 8443", SUPPOSED),
        ("比如网关端口是8443", "网关端口是8443", "网关端口是8443", "its sentence gives an example"),
        ("For example, the port is 8443", "the port is 8443", "the port is 8443", "its sentence gives an example"),
        ("网关端口可能是8443", "网关端口可能是8443", "网关端口可能是8443", "its sentence is a guess"),
        ("is it so that the port is 8443? thanks", "the port is 8443", "the port is 8443", "its quote is a question"),
    ] {
        check(&[said], "user", quote, content, expected);
    }
}

#[test]
fn what_others_say_is_not_the_users_word() {
    for (said, quote, content) in [
        ("他说网关端口是8443", "网关端口是8443", "网关端口是8443"),
        ("据说网关端口是8443", "网关端口是8443", "网关端口是8443"),
        ("她发来：“今天很累。我对花生过敏。”", "我对花生过敏", "用户对花生过敏"),
        ("She said the port is 8443", "the port is 8443", "the port is 8443"),
        ("According to Tom the port is 8443", "the port is 8443", "the port is 8443"),
        ("see below\n> the port is 8443", "the port is 8443", "the port is 8443"),
    ] {
        check(&[said], "user", quote, content, REPORTED);
    }
}

#[test]
fn a_fact_stays_with_whom_it_is_of() {
    for (said, subject, quote, content, expected) in [
        ("妹妹周末来。她对坚果特别敏感", "user", "她对坚果特别敏感", "用户对坚果特别敏感", ANOTHER),
        ("妹妹周末来。她对坚果特别敏感", "user", "对坚果特别敏感", "用户对坚果特别敏感", ANOTHER),
        ("妹妹周末来，对坚果特别敏感", "user", "对坚果特别敏感", "用户对坚果特别敏感", ANOTHER),
        ("妹妹周末来。对坚果特别敏感", "user", "对坚果特别敏感", "用户对坚果特别敏感", ANOTHER),
        ("妹妹周末来。她对坚果特别敏感", "妹妹", "她对坚果特别敏感", "用户的妹妹对坚果特别敏感", "kept"),
        ("我跟妹妹住一起，对坚果特别敏感", "user", "我跟妹妹住一起", "用户跟妹妹住一起", "kept"),
        ("王伟对坚果特别敏感", "user", "对坚果特别敏感", "用户对坚果特别敏感", LEFT_OUT),
        ("妹妹周末来。我对坚果特别敏感", "妹妹", "我对坚果特别敏感", "妹妹对坚果特别敏感", ANOTHER),
        ("my sister can't stand nuts", "user", "can't stand nuts", "The user can't stand nuts", ANOTHER),
        ("my sister can't stand nuts", "my sister", "can't stand nuts", "The user's sister can't stand nuts", "kept"),
        ("My sister visits. She loves nuts", "user", "loves nuts", "The user loves nuts", ANOTHER),
        ("Ana loves nuts", "user", "loves nuts", "The user loves nuts", LEFT_OUT),
        ("I avoid nuts because she gets ill", "user", "because she gets ill", "The user gets ill", ANOTHER),
        ("我知道王伟对坚果特别敏感", "user", "对坚果特别敏感", "用户对坚果特别敏感", LEFT_OUT),
        ("我知道王伟对坚果特别敏感", "王伟", "王伟对坚果特别敏感", "王伟对坚果特别敏感", "kept"),
        ("老板让我用PDF", "user", "我用PDF", "用户用PDF", ANOTHER),
        ("I know Ana loves nuts", "user", "Ana loves nuts", "The user loves nuts", LEFT_OUT),
        ("Ana knows Bob loves nuts", "Ana", "Bob loves nuts", "Ana loves nuts", MORE),
        ("Ana's sister loves nuts", "Ana", "sister loves nuts", "Ana loves nuts", MORE),
        ("My sister visits. She loves nuts", "my sister", "She loves nuts", "The user's sister loves nuts", "kept"),
        ("My sister visits. She knows Bob loves nuts", "my sister", "loves nuts", "The sister loves nuts", MORE),
        ("I'm afraid of nuts", "user", "I'm afraid of nuts", "The user is afraid of nuts", "kept"),
        ("我们的网关端口是8443", "网关", "网关端口是8443", "网关端口是8443", "kept"),
        ("王伟的妹妹对坚果特别敏感", "王伟", "对坚果特别敏感", "王伟对坚果特别敏感", MORE),
        ("妹妹跟我都对坚果特别敏感", "妹妹", "对坚果特别敏感", "妹妹对坚果特别敏感", MORE),
        ("Tom manages Ana", "Ana", "Tom manages Ana", "Ana manages Tom", MORE),
    ] {
        check(&[said], subject, quote, content, expected);
    }
}

#[test]
fn what_the_user_does_for_a_living_is_nobody_else() {
    check(&["我在一家印刷厂做项目经理"], "user", "我在一家印刷厂做项目经理", "用户在一家印刷厂做项目经理", "kept");
    check(
        &["I work as a project manager at a mill"],
        "user",
        "I work as a project manager",
        "The user works as a project manager",
        "kept",
    );
    check(&["项目经理喜欢手冲"], "user", "喜欢手冲", "用户喜欢手冲", ANOTHER);
    check(&["经理的会在周五"], "user", "会在周五", "用户的会在周五", ANOTHER);
    check(&["The manager likes short mails"], "user", "likes short mails", "The user likes short mails", ANOTHER);
    check(&["我妹妹做产品经理"], "user", "做产品经理", "用户做产品经理", ANOTHER);
}

#[test]
fn an_amount_is_raised_and_no_word_passed_on() {
    check(&["每天的步数提到了9000步"], "user", "每天的步数提到了9000步", "用户每天的步数提到了9000步", "kept");
    check(&["会上提到3点要改"], "user", "3点要改", "3点要改", REPORTED);
    check(&["She mentioned 9000 steps a day"], "user", "9000 steps a day", "9000 steps a day", REPORTED);
}

#[test]
fn a_clause_before_the_quote_may_be_kept_and_a_name_not_left_out() {
    check(&["因为换了部门，补贴调到了九百"], "user", "补贴调到了九百", "用户因为换了部门，补贴调到了九百", "kept");
    check(&["但是换了个大阳台"], "user", "换了个大阳台", "用户换了个大阳台", "kept");
    let said = "Since the merger, my allowance is 900";
    check(&[said], "user", "my allowance is 900", "Since the merger, the user's allowance is 900", "kept");
    check(&["王伟来了，对坚果过敏"], "user", "对坚果过敏", "用户来了，对坚果过敏", LEFT_OUT);
    check(&["Ana came, and loves nuts"], "user", "loves nuts", "The user came, and loves nuts", LEFT_OUT);
}

/// A proposal about one of several utterances.
fn about(event: u64, attribute: &str, content: &str, quote: &str) -> serde_json::Value {
    json!({ "kind": "fact", "subject": "user", "attribute": attribute, "content": content, "source": event, "quote": quote })
}

#[test]
fn the_same_words_may_tell_of_two_properties() {
    for (said, proposals) in [
        (
            "早上喝豆浆配油条",
            [("早餐", "用户早上喝豆浆配油条。", "早上喝豆浆配油条"), ("豆浆", "用户早上喝豆浆。", "早上喝豆浆")],
        ),
        (
            "I cycle to the mill by the river",
            [
                ("way to work", "The user cycles to the mill by the river.", "I cycle to the mill by the river"),
                ("exercise", "The user cycles to the mill.", "I cycle to the mill"),
            ],
        ),
    ] {
        let world = told(&[(Source::User, said)]);
        let proposals = proposals.map(|(attribute, content, quote)| about(1, attribute, content, quote));
        let mut twice = proposals[0].clone();
        twice["importance"] = json!(5);
        let again = [proposals[0].clone(), proposals[1].clone(), twice];
        let induced = world.induce(&ScriptedLlm::always(reply(&again)));
        assert_eq!((induced.changes.len(), induced.refused.len()), (2, 1), "{said}: {:?}", induced.refused);
    }
}

/// All that a history of it shows is marked.
#[track_caller]
fn check_marked(said: &[&str], attribute: &str, drawn: &[(u64, &str, &str)], question: &str, old: &[&str]) {
    let world = told(&said.iter().map(|text| (Source::User, *text)).collect::<Vec<_>>());
    let proposals: Vec<_> =
        drawn.iter().map(|(event, content, quote)| about(*event, attribute, content, quote)).collect();
    let induced = world.induce(&ScriptedLlm::always(reply(&proposals)));
    assert_eq!(induced.refused, [], "{said:?}");
    let block =
        world.engine.context(&Query::new(world.scope.clone(), question, world.engine.now()), &BlockOptions::default());
    let text = block.unwrap().text;
    let stale = text.lines().filter(|line| old.iter().any(|old| line.contains(old)));
    let stale: Vec<&str> = stale.filter(|line| !line.ends_with(['）', ')'])).collect();
    assert_eq!(stale, [""; 0], "{text}");
}

#[test]
fn a_later_value_that_only_a_model_finds_replaces_what_rules_found() {
    for (said, content, quote) in [
        (["我住在无锡", "房子到期，上周落脚苏州了"], "用户上周落脚苏州了。", "上周落脚苏州了"),
        (
            ["I live in Lima.", "I sleep in Quito these months."],
            "The user sleep in Quito these months.",
            "I sleep in Quito these months",
        ),
    ] {
        let world = told(&said.map(|text| (Source::User, text)));
        world.engine.learn(&world.scope.owner).unwrap();
        assert_eq!(world.memories().len(), 1, "rules found the first: {:?}", world.known());
        let induced = world.induce(&ScriptedLlm::always(reply(&[about(2, "home", content, quote)])));
        let of =
            |status| world.memories().into_iter().filter(|m| m.status == status).map(|m| m.content).collect::<Vec<_>>();
        assert_eq!(of(MemoryStatus::Active), [content], "{:?} {:?}", induced.refused, world.known());
        assert_eq!(of(MemoryStatus::Superseded).len(), 1);
    }
}

#[test]
fn a_quote_of_two_sentences_ends_in_both() {
    check_marked(
        &["开始练游泳了。每周去三次市里的泳池。", "现在改打羽毛球了。每周两次。"],
        "锻炼方式",
        &[
            (1, "用户开始练游泳了，每周去三次市里的泳池。", "开始练游泳了。每周去三次市里的泳池"),
            (2, "用户现在改打羽毛球了，每周两次。", "现在改打羽毛球了。每周两次"),
        ],
        "我用什么方式锻炼？",
        &["练游泳", "泳池"],
    );
    check_marked(
        &[
            "We took up rowing at the lake. Training is on three mornings.",
            "We switched to fencing. Training is on two evenings.",
        ],
        "sport",
        &[
            (
                1,
                "We took up rowing at the lake, training is on three mornings.",
                "We took up rowing at the lake. Training is on three mornings",
            ),
            (
                2,
                "We switched to fencing, training is on two evenings.",
                "We switched to fencing. Training is on two evenings",
            ),
        ],
        "What sport is our training?",
        &["rowing", "three mornings"],
    );
}

#[test]
fn what_was_said_again_before_it_ended_ends_with_it() {
    check_marked(
        &["流水线这边走甲方案", "再说一遍，流水线这边走甲方案", "流水线这边走乙方案"],
        "当前方案",
        &[(1, "流水线这边走甲方案", "流水线这边走甲方案"), (3, "流水线这边走乙方案", "流水线这边走乙方案")],
        "流水线是什么方案？",
        &["甲方案"],
    );
    check_marked(
        &[
            "the release line runs on alpha",
            "once more, the release line runs on alpha",
            "the release line runs on beta",
        ],
        "release line",
        &[
            (1, "the release line runs on alpha", "the release line runs on alpha"),
            (3, "the release line runs on beta", "the release line runs on beta"),
        ],
        "Which release line is it?",
        &["alpha"],
    );
}

#[test]
fn a_slot_proposed_twice_is_placed_once_and_what_was_said_last_holds() {
    for (first, second) in
        [("网关端口是8443", "网关端口是9443"), ("the gateway port is 8443", "the gateway port is 9443")]
    {
        let world = told(&[(Source::User, first), (Source::User, second)]);
        let of = |source: u64, said: &str| {
            let mut proposed = proposal("fact", "gateway port", said, said);
            proposed["source"] = source.into();
            proposed
        };
        let induced = world.induce(&ScriptedLlm::always(reply(&[of(2, second), of(1, first)])));
        assert_eq!((induced.refused, induced.late), (Vec::new(), 0));
        let active: Vec<Memory> = world.memories().into_iter().filter(|m| m.status == MemoryStatus::Active).collect();
        assert_eq!(active.iter().map(|memory| memory.content.as_str()).collect::<Vec<_>>(), [second]);
        // And once more, over what is known by now.
        world.say(Source::User, first);
        let text = reply(&[proposal("fact", "gateway port", first, first)]);
        assert_eq!(world.induce(&ScriptedLlm::always(text)).calls, 1);
        assert_eq!(world.memories().iter().filter(|m| m.status == MemoryStatus::Active).count(), 1);
    }
}

#[test]
fn a_field_without_end_is_refused_before_it_is_looked_at() {
    let endless = "长的 ".repeat(100_000);
    for field in ["attribute", "subject", "content", "quote"] {
        let world = told(&[(Source::User, "网关端口是8443")]);
        let mut proposed = proposal("fact", "port", "网关端口是8443", "网关端口是8443");
        proposed[field] = endless.clone().into();
        let induced = world.induce(&ScriptedLlm::always(reply(&[proposed])));
        assert_eq!(induced.refused[0].reason, "it is longer than a memory may be", "{field}");
        assert!(induced.refused[0].quote.len() <= 200);
        assert_eq!(world.known(), [""; 0]);
    }
    let world = told(&[(Source::User, "网关端口是8443")]);
    let many: Vec<_> = (0..5_000).map(|n| proposal("fact", &format!("p{n}"), "端口是8443", "网关端口是8443")).collect();
    let induced = world.induce(&ScriptedLlm::always(reply(&many)));
    assert_eq!(induced.refused.len() + world.memories().len(), 2 * holdfast::engine::UTTERANCES_MAX);
}

#[test]
fn nobody_else_speaks_for_the_user_through_a_model() {
    let world = told(&[(Source::Agent, "You always want PDF, I noted."), (Source::User, "嗯，谢谢你帮忙整理")]);
    let llm =
        ScriptedLlm::always(reply(&[proposal("preference", "format", "The user always wants PDF", "always want PDF")]));
    let induced = world.induce(&llm);
    assert_eq!(world.known(), [""; 0]);
    assert_eq!(induced.refused[0].reason, "only what the user says at first hand becomes a memory");
    // A page without a user's word is not even asked about.
    let world = told(&[(Source::Agent, "You always want PDF, I noted.")]);
    assert_eq!(world.induce(&llm).calls, 0);
}

#[test]
fn the_good_of_a_broken_reply_is_kept_and_the_rest_reported() {
    let world = told(&[(Source::User, "网关端口是8443，数据库在成都机房，监控还没接")]);
    let good = proposal("fact", "gateway port", "网关端口是8443", "网关端口是8443");
    let other = proposal("fact", "database site", "数据库在成都机房", "数据库在成都机房");
    let broken = format!(
        "好的，结果如下：\n```json\n{{\"memories\": [{good}, {{\"kind\": \"fact\", \"source\": \"?\"}}, {other},]}}\n```"
    );
    let induced = world.induce(&ScriptedLlm::always(broken));
    assert_eq!(world.known().len(), 2, "{:?}", world.known());
    assert_eq!(induced.unusable.len(), 1, "{:?}", induced.unusable);
    // Of nothing but noise nothing is made, it is asked for once more, and the log is not asked about for ever.
    let world = told(&[(Source::User, "网关端口是8443")]);
    for noise in ["I can't help with that.", "", "[[[[[", "{\"memories\": 7}", "\u{0}\u{FEFF}null"] {
        world.induce(&ScriptedLlm::always(noise));
        assert_eq!(world.known(), [""; 0], "{noise:?}");
    }
    let last = world.induce(&ScriptedLlm::always("noise"));
    assert_eq!((last.calls, last.events), (0, 0));
}

#[test]
fn a_page_that_is_too_long_is_asked_about_in_halves() {
    let lines: Vec<String> = (0..16).map(|n| format!("第{n}个网关端口是{}", 8000 + n)).collect();
    let world = told(&lines.iter().map(|line| (Source::User, line.as_str())).collect::<Vec<_>>());
    // It reads three utterances, and never the seventh.
    let llm = ScriptedLlm::new(|prompt, _| {
        let shown = prompt.user.lines().filter(|line| line.starts_with("{\"event\"")).count();
        if shown > 3 || prompt.user.contains("8006") {
            return Err(LlmError::TooLong { url: "http://model".into(), name: prompt.name });
        }
        Ok(Reply::of(reply(&[])))
    });
    let induced = world.induce(&llm);
    assert_eq!(induced.unusable.len(), 1, "{:?}", induced.unusable);
    assert!(induced.unusable[0].starts_with("a page of 1 utterances was passed over: "), "{:?}", induced.unusable);
    let answered: Vec<Prompt> = llm.asked().into_iter().filter(|prompt| !prompt.user.contains("8006")).collect();
    for n in (0..16).filter(|n| *n != 6) {
        assert!(answered.iter().any(|prompt| prompt.user.contains(&(8000 + n).to_string())), "{n} was never shown");
    }
    assert_eq!(world.passed_over(), induced.unusable);
}

#[test]
fn a_reply_of_nothing_readable_is_asked_for_once_more_and_then_told() {
    for noise in ["I can't help with that.", "", "{\"memories\": 7}"] {
        let world = told(&[(Source::User, "网关端口是8443")]);
        let induced = world.induce(&ScriptedLlm::always(noise));
        assert_eq!(induced.calls, 2, "{noise:?}");
        assert!(induced.unusable.iter().any(|why| why.contains("was passed over")), "{:?}", induced.unusable);
        assert_eq!(world.passed_over().len(), 1);
        // At the second time of asking it is read.
        let world = told(&[(Source::User, "网关端口是8443")]);
        let good = reply(&[proposal("fact", "gateway port", "网关端口是8443", "网关端口是8443")]);
        assert_eq!(world.induce(&ScriptedLlm::replies([noise, &good])).changes.len(), 1);
        assert_eq!(world.passed_over(), [""; 0]);
    }
    // Nothing to remember is an answer.
    for nothing in ["{\"memories\": []}", "{}", "[]", "Nothing new:\n```json\n{\"memories\": []}\n```"] {
        let world = told(&[(Source::User, "网关端口是8443")]);
        let induced = world.induce(&ScriptedLlm::always(nothing));
        assert_eq!((induced.calls, induced.unusable), (1, Vec::new()), "{nothing}");
    }
}

#[test]
fn a_page_is_bounded_by_its_characters_too() {
    let lines: Vec<String> = (0..30).map(|n| format!("第{n}条：{}", "长".repeat(3_000))).collect();
    let world = told(&lines.iter().map(|line| (Source::User, line.as_str())).collect::<Vec<_>>());
    let llm = ScriptedLlm::always(reply(&[]));
    assert_eq!(world.induce(&llm).calls, 4);
    let asked = llm.asked();
    assert!(asked.iter().all(|prompt| prompt.user.chars().count() < 14_000));
    assert!((0..30).all(|n| asked.iter().any(|prompt| prompt.user.contains(&format!("第{n}条：")))));
}

#[test]
fn what_is_said_while_a_page_is_read_is_shown_later() {
    let world = told(&[]);
    let llm = ScriptedLlm::always(reply(&[]));
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| (0..300).for_each(|n| world.say(Source::User, &format!("第{n}条闲聊"))));
        while !writer.is_finished() {
            world.induce(&llm);
        }
    });
    world.induce(&llm);
    let asked = llm.asked();
    let shown = |n: &usize| asked.iter().any(|prompt| prompt.user.contains(&format!("第{n}条闲聊")));
    assert_eq!((0..300).filter(|n| !shown(n)).collect::<Vec<_>>(), [0; 0]);
}

#[test]
fn what_is_known_of_the_same_things_is_shown_first() {
    let world = told(&[(Source::User, "记住：网关端口是8443")]);
    (0..25).for_each(|n| world.say(Source::User, &format!("记住：第{n}号柜子放着杯子")));
    world.engine.learn(&world.scope.owner).unwrap();
    world.induce(&ScriptedLlm::always(reply(&[])));
    world.say(Source::User, "网关端口换过了");
    let llm = ScriptedLlm::always(reply(&[]));
    world.induce(&llm);
    let user = &llm.asked()[0].user;
    let known: Vec<&str> = user.split("KNOWN\n").nth(1).unwrap().lines().collect();
    assert_eq!(known.len(), 20, "{user}");
    assert!(known[0].contains("网关端口是8443") && known[1].contains("第24号"), "{user}");
}

#[test]
fn run_twice_it_asks_once_and_writes_once() {
    let world = told(&[(Source::User, "网关端口是8443"), (Source::Agent, "记下了")]);
    let llm = ScriptedLlm::always(reply(&[proposal("fact", "gateway port", "网关端口是8443", "网关端口是8443")]));
    assert_eq!(world.induce(&llm).calls, 1);
    let before = world.memories();
    assert_eq!(world.induce(&llm).calls, 0);
    assert_eq!(world.memories(), before);
    world.say(Source::User, "今天天气不错");
    assert_eq!(world.induce(&llm).calls, 1);
}

#[test]
fn what_rules_learned_is_not_learned_again_by_a_model() {
    let world = told(&[(Source::User, "以后周报都先写结论。")]);
    let before = world.memories();
    assert_eq!(before.len(), 1);
    let again = proposal("rule", "周报格式", "周报先写结论", "周报都先写结论");
    let induced = world.induce(&ScriptedLlm::always(reply(&[again])));
    assert_eq!(world.memories(), before);
    assert_eq!(induced.refused[0].reason, "it is known already from these words");
}

#[test]
fn a_model_that_fails_loses_nothing_and_is_asked_again() {
    let world = told(&[(Source::User, "网关端口是8443")]);
    let free_at = world.engine.now().timestamp();
    let down = ScriptedLlm::new(move |_, _| Err(LlmError::OverBudget { calls_per_hour: 1, free_at }));
    let error = world.engine.induce(&world.scope.owner, &down).unwrap_err();
    assert!(error.to_string().contains("budget"), "{error}");
    let llm = ScriptedLlm::always(reply(&[proposal("fact", "gateway port", "网关端口是8443", "网关端口是8443")]));
    assert_eq!(world.induce(&llm).calls, 1);
    assert_eq!(world.known(), ["fact active 0.80: 网关端口是8443"]);
}

/// A model during whose thinking something happens.
struct Slow<'a> {
    meanwhile: &'a (dyn Fn() + Sync),
    text: String,
    done: Mutex<bool>,
}

impl std::fmt::Debug for Slow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Slow")
    }
}

impl Llm for Slow<'_> {
    fn name(&self) -> &str {
        "slow"
    }

    fn complete(&self, _: &Prompt) -> Result<Reply, LlmError> {
        if !std::mem::replace(&mut *self.done.lock().unwrap(), true) {
            (self.meanwhile)();
        }
        Ok(Reply::of(self.text.clone()))
    }
}

#[test]
fn nothing_waits_for_a_model_and_a_late_reply_is_placed_in_the_state_of_then() {
    let world = Arc::new(told(&[(Source::User, "网关端口是8443")]));
    let text = reply(&[proposal("fact", "gateway port", "网关端口是8443", "网关端口是8443")]);
    // Somebody writes while it thinks: the lock is free, and what was written is there.
    let meanwhile = || world.say(Source::User, "更正：网关端口不是8443，是9443");
    let induced = world.induce(&Slow { meanwhile: &meanwhile, text: text.clone(), done: Mutex::new(false) });
    assert_eq!(induced.late, 0);
    let active: Vec<Memory> = world.memories().into_iter().filter(|m| m.status == MemoryStatus::Active).collect();
    assert!(active.iter().all(|memory| !memory.content.contains("8443")), "{active:?}");
    // Another asks about the same page and is first: the late reply is dropped, and nothing is there twice.
    let world = Arc::new(told(&[(Source::User, "网关端口是8443")]));
    let first = ScriptedLlm::always(text.clone());
    let meanwhile = || {
        world.induce(&first);
    };
    let induced = world.induce(&Slow { meanwhile: &meanwhile, text, done: Mutex::new(false) });
    assert_eq!((induced.late, induced.changes.len()), (1, 0));
    assert_eq!(world.known(), ["fact active 0.80: 网关端口是8443"]);
}

#[test]
fn the_number_of_calls_is_bounded() {
    let lines: Vec<String> = (0..200).map(|n| format!("第{n}条闲聊")).collect();
    let said: Vec<(Source, &str)> = lines.iter().map(|line| (Source::User, line.as_str())).collect();
    let world = told(&said);
    let llm = ScriptedLlm::always(reply(&[]));
    let induced = world.induce(&llm);
    let calls = (200_usize).div_ceil(holdfast::engine::UTTERANCES_MAX) as u64;
    assert!(induced.calls <= calls + 1, "{} calls", induced.calls);
    assert!(llm.asked().iter().all(|prompt| prompt.user.len() < 100_000));
}

#[test]
fn a_model_proposes_nothing_from_text_that_is_not_the_users() {
    for (said, quote, content) in [
        ("He wrote \"hello\nthe port is 8443.\nbye\" and left", "the port is 8443", "the port is 8443"),
        ("````\n```\nthe port is 8443\n````", "the port is 8443", "the port is 8443"),
        ("<mail>\nthe port is 8443\n</mail>", "the port is 8443", "the port is 8443"),
        ("translate:\nthe port is 8443", "the port is 8443", "the port is 8443"),
        ("the port is 8443\n\nThat's what Bob sent me.", "the port is 8443", "the port is 8443"),
        ("网关端口是8443\n\n这是小王发我的，怎么回他", "网关端口是8443", "网关端口是8443"),
        ("小王：你好。网关端口是8443。", "网关端口是8443", "网关端口是8443"),
    ] {
        check(&[said], "user", quote, content, REPORTED);
    }
    for (said, quote, content) in [
        ("I played chess in the nineties", "I played chess in the nineties", "The user played chess in the nineties"),
        ("我小时候常下棋", "我小时候常下棋", "用户小时候常下棋"),
    ] {
        check(&[said], "user", quote, content, "its sentence is of the past");
    }
}

#[test]
fn a_model_makes_no_rule_of_what_does_not_say_that_it_lasts() {
    for (said, quote, expected) in [
        ("put the totals first", "put the totals first", &[][..]),
        ("把合计放最前面", "把合计放最前面", &[]),
        ("the totals go first from now on, ok", "the totals go first from now on", &["rule active"]),
    ] {
        let world = told(&[(Source::User, said)]);
        let before = world.known().len();
        let induced = world.induce(&ScriptedLlm::always(reply(&[proposal("rule", "totals", quote, quote)])));
        let known = world.known();
        let rules: Vec<&str> = known.iter().skip(before).filter_map(|line| line.get(..11)).collect();
        if expected.is_empty() {
            assert_eq!(known.len(), before, "{said}: {known:?}");
            assert_eq!(induced.refused.len(), 1, "{said}");
        } else {
            assert_eq!(rules, expected, "{said}: {:?}", induced.refused);
        }
    }
}
