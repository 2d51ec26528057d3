//! Letting go (SPEC 6): nothing goes at once, nothing that is needed goes at all, and whatever went comes back.

mod writing;

use std::sync::Arc;

use holdfast::engine::{Config, Engine, Error, Fate, ManageOptions, Managed};
use holdfast::env::Env;
use holdfast::manager::{Policy, faithfulness};
use holdfast::store::JournalPage;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source, Trust};
use holdfast::types::forget::{Forget, Forgetting, Selection};
use holdfast::types::ids::EventId;
use holdfast::types::operation::Verb;
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::undo::{Undo, Undoing};
use holdfast::types::update::{Action, Update};
use tempfile::TempDir;

use crate::{lexical, state};

/// A store that is opened on days of November and December.
struct World {
    directory: TempDir,
}

impl World {
    fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    /// So many days after the 27th of November. Ids are not drawn twice.
    fn on_day(&self, day: u64) -> Engine {
        let start: jiff::Timestamp = "2026-11-27T09:00:00Z".parse().unwrap();
        let start = start + jiff::SignedDuration::from_hours(24 * i64::try_from(day).unwrap());
        Engine::open(Config { env: Arc::new(Env::fixed(100 + day, start)), ..lexical(self.directory.path()) }).unwrap()
    }

    /// Finds without asking anything of the store that is written to: what is served there is thereby referred to.
    fn only_looking(&self, question: &str) -> Vec<EventId> {
        let config = Config { read_only: true, ..lexical(self.directory.path()) };
        found(&Engine::open(config).unwrap(), question)
    }
}

fn scope(task: Option<&str>) -> Scope {
    Scope { task: task.map(|task| ScopeId::new(task).unwrap()), ..Scope::default() }
}

fn record(engine: &Engine, task: Option<&str>, source: Source, kind: Kind, text: &str) -> EventId {
    engine.observe(RawEvent::new(scope(task), source, kind, text)).unwrap().id
}

/// What a tool brought, of no use to anybody.
fn noise(engine: &Engine, task: Option<&str>, text: &str) -> EventId {
    record(engine, task, Source::Tool, Kind::ToolResult, text)
}

/// So many turns of no matter.
fn turns(engine: &Engine, task: Option<&str>, count: usize) {
    for _ in 0..count {
        noise(engine, task, "ok");
    }
}

fn say(engine: &Engine, text: &str) -> EventId {
    record(engine, None, Source::User, Kind::Query, text)
}

fn update(engine: &Engine, actions: Vec<Action>) {
    engine.update(&scope(Some("t")), &Update { actions, ..Update::default() }).unwrap();
}

fn start(engine: &Engine, goal: &str) {
    engine.start_task(&scope(Some("t")), "t", Some(goal), &[]).unwrap();
}

fn stage(engine: &Engine, stage: &str) {
    update(engine, vec![Action::SetStage { stage: stage.to_owned(), summary: None }]);
}

fn policy(name: &str) -> Policy {
    Policy::preset(name).unwrap()
}

fn manage(engine: &Engine, name: &str) -> Managed {
    manage_with(engine, name, ManageOptions::default())
}

fn manage_with(engine: &Engine, name: &str, options: ManageOptions) -> Managed {
    let managed = engine.manage(&Owner::default(), &policy(name), options).unwrap();
    engine.dump(&mut std::io::sink()).unwrap();
    engine.verify_journal(&Owner::default()).unwrap();
    managed
}

#[track_caller]
fn check(managed: &Managed, event: EventId, fate: Fate) {
    let decided = managed.events.iter().find(|decided| decided.event == event).unwrap();
    assert_eq!(decided.fate, fate, "{}", decided.reason);
}

fn found(engine: &Engine, question: &str) -> Vec<EventId> {
    let recalled = engine.recall(&Query::new(scope(None), question, engine.now())).unwrap();
    let events = recalled.hits.into_iter().filter_map(|hit| match hit.found {
        Found::Event { event, .. } => Some(event.event.id),
        _ => None,
    });
    events.collect()
}

fn context(engine: &Engine, question: &str) -> String {
    engine.context(&Query::new(scope(None), question, engine.now()), &BlockOptions::default()).unwrap().text
}

fn undo_run(engine: &Engine, managed: &Managed) {
    let undo = Undo { what: Undoing::Run(managed.run), reason: "a mistake".to_owned(), with_dependants: false };
    engine.undo(&Owner::default(), &undo).unwrap();
    engine.dump(&mut std::io::sink()).unwrap();
}

/// In both languages: what a tool brought, by what it is found, and words of no matter that pass the time.
const NOISE: [(&str, &str, &str); 2] = [
    ("页面加载完毕，导航栏里有帮助中心和意见反馈入口。", "导航栏里的意见反馈入口", "今天天气不错"),
    ("The page has loaded, and its sidebar links to the newsletter archive.", "sidebar newsletter archive", "nice day"),
];

#[test]
fn nothing_goes_at_once() {
    for (text, question, idle) in NOISE {
        let world = World::new();
        let event = noise(&world.on_day(0), None, text);
        let engine = world.on_day(30);
        let put = manage(&engine, "research");
        check(&put, event, Fate::OnProbation);
        assert_eq!(world.only_looking(question), [event], "it is in view while it waits");
        check(&manage(&engine, "research"), event, Fate::Waiting);
        // Turns without time.
        for _ in 0..25 {
            say(&engine, idle);
        }
        check(&manage(&engine, "research"), event, Fate::Waiting);
        drop(engine);
        let engine = world.on_day(60);
        let before = state(&engine);
        let gone = manage(&engine, "research");
        check(&gone, event, Fate::Discarded);
        assert_eq!(found(&engine, question), [], "{text}");
        assert_eq!(engine.on_probation(&Owner::default()).unwrap(), []);
        undo_run(&engine, &gone);
        assert_eq!(state(&engine), before);
        assert_eq!(found(&engine, question), [event], "{text}");
        // Whoever brought it back meant it.
        check(&manage(&engine, "research"), event, Fate::Rescued);
        check(&manage(&engine, "research"), event, Fate::Kept);
    }
}

#[test]
fn time_without_turns_is_not_enough() {
    let world = World::new();
    let event = noise(&world.on_day(0), None, NOISE[0].0);
    check(&manage(&world.on_day(30), "research"), event, Fate::OnProbation);
    check(&manage(&world.on_day(400), "research"), event, Fate::Waiting);
}

#[test]
fn a_reference_rescues() {
    let texts = [
        "备份说明放在 /srv/share/backup_notes.md 里面。",
        "The backup notes are in /srv/share/backup_notes.md somewhere.",
    ];
    for text in texts {
        for how in ["served", "mentioned", "cited"] {
            let world = World::new();
            let engine = world.on_day(0);
            let event = noise(&engine, None, text);
            drop(engine);
            let engine = world.on_day(30);
            check(&manage(&engine, "support"), event, Fate::OnProbation);
            match how {
                "served" => assert!(context(&engine, text).contains("backup_notes"), "{text}"),
                "mentioned" => {
                    say(&engine, "看一下 /srv/share/backup_notes.md");
                }
                _ => {
                    start(&engine, "收尾");
                    update(&engine, vec![Action::Plan { steps: vec!["read /srv/share/backup_notes.md".to_owned()] }]);
                }
            }
            drop(engine);
            // Both its turns and its time are over by then.
            let engine = world.on_day(60);
            turns(&engine, None, 25);
            check(&manage(&engine, "support"), event, Fate::Rescued);
            assert_eq!(engine.on_probation(&Owner::default()).unwrap().iter().filter(|w| w.id == event).count(), 0);
            let page = JournalPage { verb: Some(Verb::Rescue), limit: 9, ..JournalPage::default() };
            let told = engine.journal(&Owner::default(), &page).unwrap();
            assert_eq!(told.len(), 1, "{how}");
            assert_eq!(told[0].operation.actor, "manager");
        }
    }
}

#[test]
fn an_open_stage_is_left_alone_but_for_want_of_room() {
    for (text, question, _) in NOISE {
        for name in Policy::preset_names() {
            let world = World::new();
            let engine = world.on_day(0);
            start(&engine, "gateway");
            stage(&engine, "one");
            let event = noise(&engine, Some("t"), text);
            drop(engine);
            let engine = world.on_day(90);
            turns(&engine, Some("t"), 40);
            check(&manage(&engine, name), event, Fate::Kept);
            // And then nothing is lost: an open stage may yet ask for it.
            let options = ManageOptions { over_budget: true, force: true, ..ManageOptions::default() };
            let managed = manage_with(&engine, name, options);
            assert_eq!(managed.count(Fate::OnProbation) + managed.count(Fate::Discarded), 0, "{name}");
            assert_eq!(found(&engine, question), [event], "{name}");
        }
    }
}

#[test]
fn what_an_unfinished_step_cites_is_never_let_go() {
    for name in Policy::preset_names() {
        let world = World::new();
        let engine = world.on_day(0);
        start(&engine, "收尾");
        stage(&engine, "one");
        let cited = noise(&engine, Some("t"), &format!("/ops/rollback.sql: {}", long_text(0)));
        let step = vec!["run /ops/rollback.sql".to_owned(), "报告".to_owned()];
        update(&engine, vec![Action::Plan { steps: step }]);
        stage(&engine, "two");
        drop(engine);
        for day in [90, 180, 270] {
            let engine = world.on_day(day);
            turns(&engine, None, 40);
            let options = ManageOptions { over_budget: true, force: true, ..ManageOptions::default() };
            check(&manage_with(&engine, name, options), cited, Fate::Kept);
        }
    }
}

/// Prose of a dozen sentences, with one detail that nothing else has.
fn long_text(detail: usize) -> String {
    let details = [
        "网关的迁移脚本由仓库看门人老季保管，放在蓝色工具箱底层。",
        "The gateway migration binder is kept by the night porter beside the green kettle.",
    ];
    let zh = "网关迁移开始了，大家在会议室里聊了很久。\n\n茶水间的咖啡机又修好了。\n\n有人提到周末的安排。\n\n网关迁移的压测用了 52 分钟。\n\n\
        投影仪的线不太好用。\n\n后来又说起了团建的地点。\n\n回滚脚本不能删除。\n\n午饭大家点了外卖。\n\n下午的阳光很好，窗外有人在修剪草坪。";
    let en = "The gateway migration started, and everybody talked for a long while in the meeting room. The coffee machine works again. \
        Somebody mentioned plans for the weekend. The load test of the gateway migration took 52 minutes. The projector cable is not \
        very good. Then the place of the outing was discussed. You must not delete the rollback script. Lunch was ordered in. The sun \
        was out in the afternoon, and outside somebody was mowing the lawn.";
    match detail {
        0 => format!("{zh}\n\n{}", details[0]),
        _ => format!("{en} {}", details[1]),
    }
}

#[test]
fn a_compressed_text_says_nothing_its_source_does_not_and_a_detail_is_still_found() {
    for (language, goal, question, detail) in [
        (0, "网关迁移的压测和回滚", "迁移脚本在哪个工具箱", "蓝色工具箱"),
        (
            1,
            "gateway migration load test and rollback",
            "who keeps the migration binder, the night porter?",
            "green kettle",
        ),
    ] {
        for name in Policy::preset_names() {
            let world = World::new();
            let engine = world.on_day(0);
            let mut raw = RawEvent::new(scope(None), Source::Tool, Kind::ToolResult, long_text(language));
            raw.trust = Some(Trust::Trusted);
            let event = engine.observe(raw).unwrap().id;
            start(&engine, goal);
            drop(engine);
            let engine = world.on_day(20);
            let before = state(&engine);
            let managed = manage(&engine, name);
            let decided = managed.events.iter().find(|decided| decided.event == event).unwrap();
            let stored = engine.event(&Owner::default(), event).unwrap().unwrap();
            let body = engine.body(&Owner::default(), event).unwrap();
            assert_eq!(body, long_text(language));
            if decided.fate == Fate::Compressed {
                assert!(stored.archived && decided.tokens_after * 2 < decided.tokens_before, "{decided:?}");
                faithfulness::check(&stored.event.content, &body).unwrap();
                assert!(!stored.event.content.contains(detail));
            }
            if name == "research" {
                check(&managed, event, Fate::Compressed);
            }
            assert!(found(&engine, question).contains(&event), "{name}: {}", decided.reason);
            assert!(context(&engine, question).contains(detail), "{name}: {}", context(&engine, question));
            if managed.count(Fate::Compressed) > 0 {
                undo_run(&engine, &managed);
                assert_eq!(state(&engine), before);
            }
        }
    }
}

#[test]
fn the_end_of_a_stage_is_summed_up_and_its_log_waits() {
    for (lines, noise_text, artifact) in [
        (["退货率是 2.8%，比上周低。", "华星的会改到周四。"], NOISE[0].0, "/out/周报.md"),
        (
            ["The return rate is 2.8%, lower than last week.", "The call with Huaxing moved to Thursday."],
            NOISE[1].0,
            "/out/report.md",
        ),
    ] {
        let world = World::new();
        let engine = world.on_day(0);
        start(&engine, "report");
        stage(&engine, "collect");
        for line in lines {
            record(&engine, Some("t"), Source::Agent, Kind::Response, line);
        }
        let event = noise(&engine, Some("t"), noise_text);
        update(&engine, vec![Action::Artifact { locator: artifact.to_owned(), description: None }]);
        stage(&engine, "write");
        // Until another comes, the last result stands in the frame.
        turns(&engine, Some("t"), 1);
        drop(engine);
        let engine = world.on_day(30);
        let before = state(&engine);
        let managed = manage(&engine, "research");
        assert_eq!(managed.stage_summaries, ["t: collect"]);
        check(&managed, event, Fate::OnProbation);
        let task = engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap();
        let summary = &task.frames[0].stage_summaries[0];
        assert_eq!(summary.stage.as_deref(), Some("collect"));
        assert!(summary.text.contains("2.8%") && summary.text.contains(artifact), "{}", summary.text);
        // Once.
        assert_eq!(manage(&engine, "research").stage_summaries, [""; 0]);
        undo_run(&engine, &managed);
        assert_eq!(state(&engine), before);
    }
}

/// In a log of nothing but traces no line is cited, and each may be the only one that says what it says.
#[test]
fn what_names_somebody_is_never_discarded() {
    for (text, question) in [
        ("快递放在「前台王姐」那里了。", "快递放在哪里"),
        ("The courier left the parcel with Ana Lopez.", "Where did the courier leave the parcel?"),
    ] {
        for name in Policy::preset_names() {
            let world = World::new();
            let event = noise(&world.on_day(0), None, text);
            for day in [30, 60] {
                let engine = world.on_day(day);
                turns(&engine, None, 60);
                manage_with(&engine, name, ManageOptions { force: true, ..ManageOptions::default() });
            }
            assert_eq!(world.only_looking(question), [event], "{name}: {text}");
        }
    }
}

/// The summary of one stage is recorded while the next one runs: were it of that, each would repeat all that went before.
#[test]
fn each_stage_is_summed_up_by_itself_and_what_the_block_no_longer_shows_is_found() {
    for lines in [
        ["A仓有 41 件退货。", "B仓有 52 件退货。", "C仓有 63 件退货。", "D仓有 74 件退货。", "E仓有 85 件退货。"],
        [
            "Depot Alder holds 41 returns.",
            "Depot Birch holds 52 returns.",
            "Depot Cedar holds 63 returns.",
            "Depot Dogwood holds 74 returns.",
            "Depot Elder holds 85 returns.",
        ],
    ] {
        let world = World::new();
        let engine = world.on_day(0);
        start(&engine, "returns");
        for (number, line) in lines.iter().enumerate() {
            stage(&engine, &format!("phase {number}"));
            record(&engine, Some("t"), Source::Agent, Kind::Response, line);
            turns(&engine, Some("t"), 2);
            manage(&engine, "research");
        }
        stage(&engine, "the end");
        manage(&engine, "research");
        let task = engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap();
        let summaries = &task.frames[0].stage_summaries;
        assert_eq!(summaries.len(), lines.len());
        for (at, summary) in summaries.iter().enumerate() {
            let told: Vec<_> = lines.iter().filter(|line| summary.text.contains(line.trim_end_matches('。'))).collect();
            assert_eq!(told, [&lines[at]], "{}", summary.text);
            assert!(!summary.text.contains(&format!("phase {}", at + 1)), "{}", summary.text);
        }
        let query = Query::new(scope(Some("t")), lines[0], engine.now());
        let block = engine.context(&query, &BlockOptions::default()).unwrap();
        let earlier = block.cut.iter().filter(|cut| cut.reason == "it sums up an earlier stage");
        assert_eq!(earlier.count(), 2, "{:?}", block.cut);
        let excerpts = block.text.split_once("## 相关记录").or_else(|| block.text.split_once("## Related records"));
        let again = excerpts.is_some_and(|(_, excerpts)| excerpts.contains(&format!("phase {}", lines.len() - 1)));
        assert!(!again, "what is shown as a summary is no excerpt: {}", block.text);
        assert!(block.text.contains(lines[0].trim_end_matches('。')), "{}", block.text);
    }
}

#[test]
fn a_run_that_would_touch_too_much_stops_and_says_how_to_go_on() {
    let world = World::new();
    let engine = world.on_day(0);
    for n in 0..120 {
        noise(&engine, None, NOISE[n % 2].0);
    }
    drop(engine);
    let engine = world.on_day(60);
    let before = state(&engine);
    let refused = engine.manage(&Owner::default(), &policy("support"), ManageOptions::default());
    let Err(Error::Blast(blast)) = refused else { panic!("{refused:?}") };
    assert_eq!((blast.touched, blast.total, blast.most), (120, 120, 50));
    assert!(blast.to_string().contains("--dry-run"), "{blast}");
    assert_eq!(state(&engine), before);
    let dry = manage_with(&engine, "support", ManageOptions { dry_run: true, ..ManageOptions::default() });
    assert_eq!((dry.count(Fate::OnProbation), dry.blast.is_some()), (120, true));
    assert_eq!(state(&engine), before);
    let forced = manage_with(&engine, "support", ManageOptions { force: true, ..ManageOptions::default() });
    assert_eq!(forced.count(Fate::OnProbation), 120);
    undo_run(&engine, &forced);
    assert_eq!(state(&engine), before);
}

#[test]
fn what_the_user_said_once_is_found_after_many_runs() {
    for (said, question) in [
        ("备用钥匙压在阳台的蓝色花盆下面。", "备用钥匙放在哪里"),
        ("The spare key is under the blue flowerpot on the balcony.", "where is the spare key?"),
    ] {
        for name in ["support", "research", "tutoring"] {
            let world = World::new();
            let engine = world.on_day(0);
            let event = say(&engine, said);
            drop(engine);
            for day in [10, 40, 80, 120] {
                let engine = world.on_day(day);
                turns(&engine, None, 40);
                manage_with(&engine, name, ManageOptions { force: true, ..ManageOptions::default() });
                assert!(found(&engine, question).contains(&event), "{name}, day {day}");
            }
        }
        // The aggressive preset lets even this go in the end, but never at once.
        let world = World::new();
        let event = say(&world.on_day(0), said);
        let engine = world.on_day(30);
        check(&manage(&engine, "aggressive"), event, Fate::OnProbation);
        assert!(found(&engine, question).contains(&event));
    }
}

#[test]
fn what_is_hidden_or_erased_waits_for_nothing() {
    for how in [Forgetting::Hide, Forgetting::Erase] {
        let world = World::new();
        let event = noise(&world.on_day(0), None, NOISE[0].0);
        let engine = world.on_day(30);
        check(&manage(&engine, "support"), event, Fate::OnProbation);
        let (selection, reason) = (Selection::Events(vec![event]), "asked".to_owned());
        engine.forget(&Owner::default(), &Forget { selection, how, reason, events_max: None }).unwrap();
        assert_eq!(engine.on_probation(&Owner::default()).unwrap(), []);
        engine.dump(&mut std::io::sink()).unwrap();
        assert_eq!(manage(&engine, "support").events, []);
    }
}

/// Not of the user's words, and not of what the user had it learn: what a memory was drawn from stays in view, or it would go too.
#[test]
fn what_a_memory_rests_on_is_not_discarded() {
    for (said, question, value) in
        [("我住在余杭。", "我住在哪", "余杭"), ("I live in Lima.", "Where do I live?", "Lima")]
    {
        let world = World::new();
        let engine = world.on_day(0);
        say(&engine, said);
        engine.learn(&Owner::default()).unwrap();
        drop(engine);
        for day in [30, 90, 150] {
            let engine = world.on_day(day);
            turns(&engine, None, 20);
            manage_with(&engine, "aggressive", ManageOptions { force: true, ..ManageOptions::default() });
            assert!(context(&engine, question).contains(value), "day {day}");
        }
    }
}

/// What was learned from by nobody yet: a bulk load is not held up by it.
#[test]
fn what_was_said_to_hold_and_said_again_is_promoted() {
    for (said, idle, question, value) in [
        ("以后周报都用PDF格式。", "今天天气不错", "周报用什么格式", "PDF"),
        ("From now on always send the weekly report as PDF.", "nice day", "How do I want the weekly report?", "PDF"),
    ] {
        for times in [1, 2] {
            let world = World::new();
            let engine = world.on_day(0);
            let texts = (0..60).map(|n| if n % 30 == 7 && n / 30 < times { said } else { idle });
            let raws = texts.map(|text| (RawEvent::new(scope(None), Source::User, Kind::Query, text), None));
            let observed = engine.observe_many(raws.collect()).unwrap();
            let event = observed[7].as_ref().unwrap().id;
            let memories = || engine.memories(&Owner::default(), &holdfast::types::memory::MemoryFilter::default());
            assert_eq!(memories().unwrap(), []);
            let before = state(&engine);
            let managed = manage(&engine, "research");
            if times == 1 {
                check(&managed, event, Fate::Kept);
                assert_eq!(memories().unwrap(), [], "by itself the manager makes nothing a memory");
                continue;
            }
            check(&managed, event, Fate::Promoted);
            assert!(memories().unwrap().iter().any(|memory| memory.content.contains(value)));
            assert!(context(&engine, question).contains(value));
            let page = JournalPage { verb: Some(Verb::Promote), limit: 9, ..JournalPage::default() };
            let told = engine.journal(&Owner::default(), &page).unwrap();
            assert_eq!((told.len(), &*told[0].operation.actor), (2, "manager"));
            assert!(told[0].operation.reason.starts_with("the user stated it as standing, more than once"));
            let page = JournalPage { run: Some(managed.run), ..JournalPage::default() };
            assert_eq!(engine.report(&Owner::default(), &page).unwrap().managed.promoted, 2);
            // Once: what is in memory needs no promotion.
            assert_eq!(manage(&engine, "research").count(Fate::Promoted), 0);
            undo_run(&engine, &managed);
            assert_eq!(state(&engine), before);
        }
    }
}

#[test]
fn a_policy_of_ones_own_is_checked_before_it_runs() {
    let error = Policy::from_toml("extends = \"research\"\n[thresholds]\narchive = 0.9").unwrap_err();
    assert_eq!(error.to_string(), "`thresholds.archive` is 0.9; it must be at most thresholds.compress, 0.3");
}

#[test]
fn a_run_is_told_in_the_report() {
    let world = World::new();
    noise(&world.on_day(0), None, NOISE[0].0);
    let engine = world.on_day(30);
    let managed = manage(&engine, "support");
    let page = JournalPage { run: Some(managed.run), ..JournalPage::default() };
    let report = engine.report(&Owner::default(), &page).unwrap().managed;
    assert_eq!((report.runs, report.on_probation, report.discarded), (1, 1, 0));
}

/// With a policy of its own, an engine lets go by itself, and nobody waits for it.
#[test]
fn it_lets_go_by_itself_when_there_is_occasion() {
    let background = |world: &World, day: u64, triggers: &str| {
        drop(world.on_day(0));
        let policy = Policy::from_toml(&format!("extends = \"support\"\n[triggers]\n{triggers}")).unwrap();
        let start: jiff::Timestamp = "2026-11-27T09:00:00Z".parse().unwrap();
        let env =
            Arc::new(Env::fixed(500 + day, start + jiff::SignedDuration::from_hours(24 * i64::try_from(day).unwrap())));
        Engine::open(Config { env, manager: Some(policy), ..lexical(world.directory.path()) }).unwrap()
    };
    let quiet = "every_events = 0\non_stage_change = false\non_task_end = false\ntimer_minutes = 0";
    let waits = |engine: &Engine| {
        engine.settle(|_| {}).unwrap();
        engine.on_probation(&Owner::default()).unwrap().len()
    };
    // Every so many events.
    let world = World::new();
    noise(&world.on_day(0), None, NOISE[0].0);
    let engine = background(&world, 30, &quiet.replace("every_events = 0", "every_events = 3"));
    turns(&engine, None, 2);
    assert_eq!(waits(&engine), 0);
    turns(&engine, None, 1);
    assert_eq!(waits(&engine), 1);
    // At the end of a stage, and of a task.
    for (trigger, action) in [
        ("on_stage_change", serde_json::json!({"action": "set_stage", "stage": "two"})),
        ("on_task_end", serde_json::json!({"action": "end", "outcome": "success"})),
    ] {
        let world = World::new();
        let engine = world.on_day(0);
        start(&engine, "report");
        stage(&engine, "one");
        noise(&engine, None, NOISE[1].0);
        drop(engine);
        let engine =
            background(&world, 30, &quiet.replace(&format!("{trigger} = false"), &format!("{trigger} = true")));
        turns(&engine, None, 20);
        assert_eq!(waits(&engine), 0, "{trigger}");
        update(&engine, vec![serde_json::from_value(action).unwrap()]);
        let told = || engine.manage(&Owner::default(), &policy("support"), ManageOptions::default()).unwrap();
        assert!(waits(&engine) > 0, "{trigger}: {:?}", told().events);
    }
    // When working memory fills most of the block.
    let world = World::new();
    let engine = world.on_day(0);
    noise(&engine, None, NOISE[1].0);
    start(&engine, "report");
    let constraint = |n: usize| Action::AddConstraint {
        text: format!(
            "page {n} of the report names its source, its date and the person who checked it before it went out to anybody at all"
        ),
    };
    update(&engine, (0..12).map(constraint).collect());
    drop(engine);
    let engine = background(&world, 30, quiet);
    turns(&engine, None, 10);
    let ask = |budget_tokens: usize| {
        let query = Query::new(scope(Some("t")), "how is the report going?", engine.now());
        engine.context(&query, &BlockOptions { budget_tokens, ..BlockOptions::default() }).is_ok()
    };
    assert!(ask(4_000));
    assert_eq!(waits(&engine), 0);
    // The first budget that what must be said fits.
    assert!((100..2_000).step_by(20).any(ask));
    assert!(waits(&engine) > 0);
}

/// A summary repeats what it was drawn from.
#[test]
fn what_is_erased_is_gone_from_the_summary_of_its_stage_too() {
    for (lines, secret) in [
        (["退货率是 2.8%，比上周低。", "张伟的工号是 HX-77123。"], "HX-77123"),
        (["The return rate is 2.8%, lower than last week.", "Zed's badge is HX-77123."], "HX-77123"),
    ] {
        let world = World::new();
        let engine = world.on_day(0);
        start(&engine, "report");
        stage(&engine, "collect");
        let events = lines.map(|line| record(&engine, Some("t"), Source::Agent, Kind::Response, line));
        stage(&engine, "write");
        manage(&engine, "research");
        let summary = |engine: &Engine| {
            let task = engine.task(&Owner::default(), &ScopeId::new("t").unwrap()).unwrap().unwrap();
            task.frames[0].stage_summaries.iter().map(|summary| summary.text.clone()).collect::<Vec<_>>().concat()
        };
        assert!(summary(&engine).contains(secret), "{}", summary(&engine));
        let (selection, reason) = (Selection::Events(vec![events[1]]), "asked".to_owned());
        let forget = Forget { selection, how: Forgetting::Erase, reason, events_max: None };
        let receipt = engine.forget(&Owner::default(), &forget).unwrap();
        assert_eq!((receipt.left, summary(&engine)), (0, String::new()));
        let mut dump = Vec::new();
        engine.dump(&mut dump).unwrap();
        assert!(!String::from_utf8(dump).unwrap().contains(secret));
        assert_eq!(manage(&engine, "research").stage_summaries, ["t: collect"]);
        assert!(summary(&engine).contains("2.8%") && !summary(&engine).contains(secret), "{}", summary(&engine));
    }
}
