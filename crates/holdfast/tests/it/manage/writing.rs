//! Shorter texts by a model (SPEC 6.5, 6.6): what it writes stands only if the source bears it; else it is asked once more, then the text's
//! own sentences stand, or the whole stays.

use std::sync::OnceLock;

use holdfast::llm::{LlmError, Reply, ScriptedLlm};
use holdfast::types::task::Task;
use serde_json::{Value, json};

use super::*;

/// In both languages: sentences of the long text, and one that it does not bear.
const TRUE: [[&str; 2]; 2] = [
    ["网关迁移的压测用了 52 分钟。", "回滚脚本不能删除。"],
    ["The load test of the gateway migration took 52 minutes.", "You must not delete the rollback script."],
];
const FALSE: [&str; 2] = ["网关迁移的压测用了 25 分钟。", "The load test of the gateway migration took 25 minutes."];
const GOAL: [&str; 2] = ["网关迁移的压测和回滚", "gateway migration load test and rollback"];

fn reply(sentences: &[&str]) -> String {
    let sentences: Vec<Value> = sentences.iter().map(|text| json!({ "text": text })).collect();
    json!({ "sentences": sentences }).to_string()
}

/// A store in which one long text is to be compressed.
fn with_long(language: usize) -> (World, EventId) {
    let world = World::new();
    let engine = world.on_day(0);
    let mut raw = RawEvent::new(scope(None), Source::Tool, Kind::ToolResult, long_text(language));
    raw.trust = Some(Trust::Trusted);
    let event = engine.observe(raw).unwrap().id;
    start(&engine, GOAL[language]);
    drop(engine);
    (world, event)
}

fn run(engine: &Engine, llm: Option<&ScriptedLlm>) -> Managed {
    let llm = llm.map(|llm| llm as &dyn holdfast::llm::Llm);
    let managed = engine.manage_with(&Owner::default(), &policy("research"), ManageOptions::default(), llm).unwrap();
    engine.dump(&mut std::io::sink()).unwrap();
    engine.verify_journal(&Owner::default()).unwrap();
    managed
}

fn content(engine: &Engine, event: EventId) -> String {
    engine.event(&Owner::default(), event).unwrap().unwrap().event.content
}

fn told(engine: &Engine, verb: Verb) -> Vec<Value> {
    let page = JournalPage { verb: Some(verb), limit: 99, ..JournalPage::default() };
    let lines = engine.journal(&Owner::default(), &page).unwrap();
    let of_manager = lines.into_iter().filter(|line| line.operation.actor == "manager");
    of_manager.map(|line| line.operation.after.unwrap_or_default()).collect()
}

/// What stands without a model.
fn extracted(language: usize) -> String {
    let (world, event) = with_long(language);
    let engine = world.on_day(20);
    check(&run(&engine, None), event, Fate::Compressed);
    let after = &told(&engine, Verb::Compress)[0];
    assert_eq!((after.get("by"), after.get("refused")), (None, None), "{after}");
    content(&engine, event)
}

#[test]
fn what_a_model_writes_stands_only_if_the_source_bears_it() {
    for language in [0, 1] {
        let (right, wrong) = (reply(&TRUE[language]), reply(&[FALSE[language]]));
        let in_own_sentences = extracted(language);
        let in_its_words = TRUE[language].join("\n\n");
        let longer = reply(&[&long_text(language)]);
        let noise = "Certainly! Here is what I think of it.".to_owned();
        for (replies, asked, by_model, refused) in [
            (vec![right.clone()], 1, true, None),
            (vec![format!("Sure:\n```json\n{right}\n```")], 1, true, None),
            (vec![wrong.clone(), right.clone()], 2, true, Some("25")),
            (vec![wrong.clone(), wrong.clone(), right.clone()], 2, false, Some("25")),
            (vec![noise.clone(), noise.clone()], 2, false, Some("nothing in the reply")),
            (vec![longer.clone(), longer.clone()], 2, false, Some("longer than was asked for")),
            // The script has no reply: this prompt is not answered.
            (vec![], 1, false, Some("no reply left")),
        ] {
            let (world, event) = with_long(language);
            let engine = world.on_day(20);
            let before = state(&engine);
            let llm = ScriptedLlm::replies(replies.clone());
            let managed = run(&engine, Some(&llm));
            check(&managed, event, Fate::Compressed);
            assert_eq!(llm.asked().len(), asked, "{replies:?}");
            let expected = if by_model { &in_its_words } else { &in_own_sentences };
            assert_eq!(content(&engine, event), *expected, "{replies:?}");
            let after = &told(&engine, Verb::Compress)[0];
            assert_eq!(after["by"]["model"] == "scripted", by_model, "{after}");
            if by_model {
                assert_eq!(after["by"]["prompt"], llm.asked()[0].hash);
            }
            match refused {
                None => assert_eq!(after.get("refused"), None),
                Some(words) => assert!(after["refused"].to_string().contains(words), "{after}"),
            }
            if asked == 2 {
                let again = &llm.asked()[1].user;
                assert!(again.split("REFUSED").nth(1).unwrap().contains(refused.unwrap()), "{again}");
            }
            // Whatever stands for it, it is found by every word it has.
            let (question, _) =
                [("迁移脚本在哪个工具箱", 0), ("who keeps the migration binder, the night porter?", 1)][language];
            assert!(found(&engine, question).contains(&event));
            undo_run(&engine, &managed);
            assert_eq!(state(&engine), before);
        }
    }
}

/// One sentence can't be cut by rules, and a model that makes things up does not change that.
#[test]
fn what_nobody_can_shorten_stays_whole() {
    let texts = [
        format!("网关迁移的压测{}结束了", "从早上九点到晚上九点一直在会议室里慢慢地进行".repeat(5)),
        format!("The load test of the gateway migration {} ended", "went on and on in the meeting room ".repeat(10)),
    ];
    for (language, text) in texts.into_iter().enumerate() {
        let world = World::new();
        let engine = world.on_day(0);
        let mut raw = RawEvent::new(scope(None), Source::Tool, Kind::ToolResult, &*text);
        raw.trust = Some(Trust::Trusted);
        let event = engine.observe(raw).unwrap().id;
        start(&engine, GOAL[language]);
        drop(engine);
        let engine = world.on_day(20);
        let llm = ScriptedLlm::always(reply(&[FALSE[language]]));
        check(&run(&engine, Some(&llm)), event, Fate::Refused);
        assert_eq!((content(&engine, event), llm.asked().len()), (text, 2));
        assert!(told(&engine, Verb::Refuse)[0]["refused"].to_string().contains("25"));
        // And is not asked for again and again.
        check(&run(&engine, Some(&llm)), event, Fate::Kept);
        assert_eq!(llm.asked().len(), 2);
    }
}

#[test]
fn a_model_is_asked_only_where_there_is_something_to_do() {
    let (world, event) = with_long(0);
    let engine = world.on_day(20);
    let llm = ScriptedLlm::always(reply(&TRUE[0]));
    let options = ManageOptions { dry_run: true, ..ManageOptions::default() };
    engine.manage_with(&Owner::default(), &policy("research"), options, Some(&llm)).unwrap();
    assert_eq!(llm.asked().len(), 0, "a dry run spends nothing");
    // Who is out of reach, or over budget, is asked once in a run.
    let away = ScriptedLlm::new(|_, _| Err(LlmError::Stopped { why: "away" }));
    let mut raw = RawEvent::new(scope(None), Source::Tool, Kind::ToolResult, long_text(1));
    raw.trust = Some(Trust::Trusted);
    engine.observe(raw).unwrap();
    drop(engine);
    let engine = world.on_day(40);
    let managed = run(&engine, Some(&away));
    check(&managed, event, Fate::Compressed);
    assert_eq!(away.asked().len(), 1);
    drop(engine);
    let engine = world.on_day(41);
    run(&engine, Some(&llm));
    assert_eq!(llm.asked().len(), 0, "nothing is left to shorten");
}

/// An engine and a model that does something to it before it answers: whoever held a lock meanwhile would wait for ever.
fn meddling(
    engine: Engine,
    answer: String,
    meddle: impl Fn(&Engine) + Send + Sync + 'static,
) -> (Arc<Engine>, ScriptedLlm) {
    let engine = Arc::new(engine);
    let (of_model, done) = (Arc::clone(&engine), OnceLock::new());
    let llm = ScriptedLlm::new(move |_, _| {
        done.get_or_init(|| meddle(&of_model));
        Ok(Reply::of(answer.clone()))
    });
    (engine, llm)
}

#[test]
fn an_answer_that_comes_late_is_held_to_what_is_now() {
    for language in [0, 1] {
        for how in ["served", "cited", "archived", "hidden", "erased"] {
            let (world, event) = with_long(language);
            let (engine, llm) = meddling(world.on_day(20), reply(&TRUE[language]), move |engine| match how {
                "served" => drop(context(engine, GOAL[language])),
                "cited" => update(engine, vec![Action::Plan { steps: vec![format!("look at {event}")] }]),
                "archived" => drop(engine.archive(&Owner::default(), engine.now().timestamp()).unwrap()),
                _ => {
                    let how = if how == "erased" { Forgetting::Erase } else { Forgetting::Hide };
                    let (selection, reason) = (Selection::Events(vec![event]), "asked".to_owned());
                    engine.forget(&Owner::default(), &Forget { selection, how, reason, events_max: None }).unwrap();
                }
            });
            let managed = run(&engine, Some(&llm));
            check(&managed, event, Fate::Kept);
            assert_eq!(told(&engine, Verb::Compress).len(), 0, "{how}");
            let mut dump = Vec::new();
            engine.dump(&mut dump).unwrap();
            let dump = String::from_utf8(dump).unwrap();
            let summary = serde_json::to_string(&TRUE[language].join("\n\n")).unwrap();
            assert!(!dump.contains(&summary), "{how}");
            assert!(how != "erased" || !dump.contains(TRUE[language][1]), "{how}");
        }
    }
}

/// The lines of a stage that is too long to stand for itself.
fn lines(language: usize) -> Vec<String> {
    let line = |n: usize| match language {
        0 => format!(
            "第 {n} 轮压测的错误率是 {n}.5%，比上一轮低，值班的人在会议室里聊了很久，后来又说起了团建的地点和午饭的安排，最后大家都很满意地回去了。"
        ),
        _ => format!(
            "Round {n} of the load test had an error rate of {n}.5%, lower than the round before it. Everybody talked in the meeting room for a long while."
        ),
    };
    (11..23).map(line).collect()
}

fn with_stage(language: usize) -> (World, Vec<EventId>) {
    let world = World::new();
    let engine = world.on_day(0);
    start(&engine, "report");
    stage(&engine, "collect");
    let events =
        lines(language).iter().map(|line| record(&engine, Some("t"), Source::Agent, Kind::Response, line)).collect();
    stage(&engine, "write");
    drop(engine);
    (world, events)
}

fn task(engine: &Engine) -> Task {
    engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap()
}

fn summaries(engine: &Engine) -> Vec<String> {
    task(engine).frames[0].stage_summaries.iter().map(|summary| summary.text.clone()).collect()
}

#[test]
fn the_summary_of_a_stage_is_a_models_where_it_is_true() {
    for language in [0, 1] {
        let own = {
            let (world, _) = with_stage(language);
            let engine = world.on_day(1);
            run(&engine, None);
            summaries(&engine)
        };
        let line = &lines(language)[3];
        let (right, wrong) = (reply(&[line]), reply(&[&line.replace("14.5%", "41.5%")]));
        for (replies, asked, expected, refused) in [
            (vec![right.clone()], 1, vec![line.clone()], 0),
            (vec![wrong.clone(), right.clone()], 2, vec![line.clone()], 1),
            (vec![wrong.clone(), wrong.clone(), right.clone()], 2, own.clone(), 1),
            (vec!["no".to_owned(), "no".to_owned()], 2, own.clone(), 1),
        ] {
            let (world, _) = with_stage(language);
            let engine = world.on_day(1);
            let before = state(&engine);
            let llm = ScriptedLlm::replies(replies.clone());
            let managed = run(&engine, Some(&llm));
            assert_eq!((&*managed.stage_summaries, llm.asked().len()), (&["t: collect".to_owned()][..], asked));
            assert_eq!(summaries(&engine), expected, "{replies:?}");
            assert!(told(&engine, Verb::Refuse).len() >= refused);
            let summary = task(&engine).frames[0].stage_summaries[0].source;
            let stored = engine.event(&Owner::default(), summary).unwrap().unwrap();
            let by = stored.event.metadata.get("written_by").map(|by| by["model"].clone());
            assert_eq!(by, (expected != own).then(|| json!("scripted")));
            undo_run(&engine, &managed);
            assert_eq!(state(&engine), before);
        }
    }
}

#[test]
fn a_summary_of_what_is_no_more_is_dropped() {
    for language in [0, 1] {
        for how in [Forgetting::Hide, Forgetting::Erase] {
            let (world, events) = with_stage(language);
            let line = lines(language)[3].clone();
            let gone = events[3];
            let (engine, llm) = meddling(world.on_day(1), reply(&[&line]), move |engine| {
                let (selection, reason) = (Selection::Events(vec![gone]), "asked".to_owned());
                engine.forget(&Owner::default(), &Forget { selection, how, reason, events_max: None }).unwrap();
            });
            assert_eq!(run(&engine, Some(&llm)).stage_summaries, [""; 0]);
            assert_eq!(summaries(&engine), [""; 0]);
            // The next one sums up what is there.
            assert_eq!(run(&engine, None).stage_summaries, ["t: collect"]);
            assert!(!summaries(&engine)[0].contains("14.5%"));
        }
    }
}

#[test]
fn it_is_asked_in_the_background_too_and_nobody_waits_for_it_when_the_engine_closes() {
    let (world, event) = with_long(1);
    let start: jiff::Timestamp = "2026-12-24T09:00:00Z".parse().unwrap();
    let open = |llm: Arc<ScriptedLlm>, seed: u64| {
        let policy = Policy::from_toml("extends = \"research\"\n[triggers]\nevery_events = 1").unwrap();
        let env = Arc::new(Env::fixed(seed, start));
        Engine::open(Config { env, manager: Some(policy), llm: Some(llm), ..lexical(world.directory.path()) }).unwrap()
    };
    let (asked, is_asked) = std::sync::mpsc::channel();
    let hangs = ScriptedLlm::new(move |_, _| {
        asked.send(()).unwrap();
        loop {
            std::thread::park();
        }
    });
    let engine = open(Arc::new(hangs), 500);
    noise(&engine, None, "ok");
    is_asked.recv().unwrap();
    drop(engine);
    let llm = Arc::new(ScriptedLlm::always(reply(&TRUE[1])));
    let engine = open(Arc::clone(&llm), 600);
    noise(&engine, None, "ok");
    engine.settle(|_| {}).unwrap();
    assert_eq!(content(&engine, event), TRUE[1].join("\n\n"));
}
