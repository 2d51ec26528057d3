//! Learning with a model: what it proposes is checked by code, placed once, and harms nothing when it is wrong, late or broken.

use std::sync::{Arc, Mutex};

use holdfast::engine::{Config, Engine};
use holdfast::llm::{Llm, LlmError, Prompt, Reply, ScriptedLlm};
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::memory::{Memory, MemoryFilter, MemoryStatus};
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
            "用户在杭州办公室上班。",
            "我改到杭州办公室上班了",
            "fact active 0.55: 用户在杭州办公室上班。",
        ),
        (
            "I moved my desk to the Lima office",
            "The user sits in the Lima office.",
            "moved my desk to the Lima office",
            "fact active 0.55: The user sits in the Lima office.",
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
        (
            proposal("fact", "咖啡", "用户每天喝3杯手冲咖啡", "每天两杯"),
            "a number, name or negation of it is not in its source",
        ),
        (
            proposal("fact", "咖啡", "用户不喝速溶咖啡", "手冲咖啡比速溶好"),
            "a number, name or negation of it is not in its source",
        ),
        (
            proposal("fact", "coffee", "The user likes coffee from Starbucks", "手冲咖啡"),
            "a number, name or negation of it is not in its source",
        ),
        (proposal("fact", "咖啡", "手冲咖啡更贵", "手冲咖啡更贵"), "its quote is a question"),
        (
            proposal("lesson", "咖啡", "手冲咖啡更好", "手冲咖啡"),
            "lessons and procedures come from tasks that ended, not from what is told of them",
        ),
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
