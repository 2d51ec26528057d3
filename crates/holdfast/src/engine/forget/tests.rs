//! An attacker's look at what is left of what was erased: by every door in, in every form, at every step that an erasure may break off, and beside
//! others who work with the same.

mod killed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aho_corasick::AhoCorasick;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{Telling, served_after};
use crate::embedding::Choice;
use crate::engine::{Config, Engine, Error, ManageOptions, NewMemory};
use crate::env::Env;
use crate::forget::Gone;
use crate::manager::Policy;
use crate::store::sqlite::Sqlite;
use crate::store::tests::faulty::{Fault, Faulty};
use crate::store::tests::samples::Random;
use crate::store::{EventPage, JournalPage, ModelId, Store};
use crate::text;
use crate::types::change::{Erased, EventVectors};
use crate::types::context::BlockOptions;
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::forget::{Forget, Forgetting, Receipt, Selection};
use crate::types::memory::{Applies, MemoryFilter, MemoryKind, Visibility};
use crate::types::operation::Verb;
use crate::types::query::Query;
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::task::ItemStatus;
use crate::types::update::{Action, Update};

/// A window that is left of a marker is found wherever it begins, for one in so many bytes is looked for.
const WINDOW_BYTES: usize = 24;
const WINDOW_EVERY: usize = 61;

/// Updates have limits of their own: what is longer comes in by events.
const UPDATE_BYTES_MAX: usize = 1_500;

fn id(name: &str) -> ScopeId {
    ScopeId::new(name).expect("an id")
}

fn user(name: &str) -> Owner {
    Owner { user: id(name), ..Owner::default() }
}

fn at(owner: &Owner, session: &str) -> Scope {
    Scope { owner: owner.clone(), session: id(session), task: None }
}

fn opened(directory: &Path, day: u64, plan: BTreeMap<u64, Fault>) -> (Result<Engine, Error>, Arc<Faulty<Sqlite>>) {
    let start: Timestamp = "2026-11-27T09:00:00Z".parse().expect("a timestamp");
    let start = start + SignedDuration::from_hours(24 * i64::try_from(day).expect("a day"));
    let env = Arc::new(Env::fixed(100 + day, start));
    let store = Arc::new(Faulty::new(Sqlite::open(directory, Arc::clone(&env)).expect("a store"), plan));
    let config = Config { embedding: Choice::None, env, ..Config::at(directory) };
    (Engine::over(Arc::clone(&store) as Arc<dyn Store>, config), store)
}

fn open(directory: &Path, day: u64) -> (Engine, Arc<Faulty<Sqlite>>) {
    let (engine, store) = opened(directory, day, BTreeMap::new());
    (engine.expect("an engine"), store)
}

fn request(selection: Selection) -> Forget {
    Forget { selection, how: Forgetting::Erase, reason: "asked for".to_owned(), events_max: None }
}

fn erase(engine: &Engine, owner: &Owner, selection: Selection) -> Receipt {
    let receipt = engine.forget(owner, &request(selection)).expect("an erasure");
    assert_eq!(receipt.left, 0, "{receipt:?}");
    receipt
}

/// Parts of a marker in every form that text is kept in.
fn windows(marker: &str) -> AhoCorasick {
    let escaped = json!(marker).to_string();
    let forms = [marker.to_owned(), text::fold(marker), text::indexed(marker), escaped.trim_matches('"').to_owned()];
    let mut windows: Vec<Vec<u8>> = Vec::new();
    for form in forms.iter().map(String::as_bytes).filter(|form| !form.is_empty()) {
        let width = WINDOW_BYTES.min(form.len());
        windows.extend((0..=form.len() - width).step_by(WINDOW_EVERY).map(|from| form[from..from + width].to_vec()));
        windows.push(form[form.len() - width..].to_vec());
    }
    // Its words one by one, as the lexical index has them: those that nothing else has.
    windows.extend(text::index_terms(marker).into_iter().filter(|word| word.len() > 9).map(String::into_bytes));
    AhoCorasick::new(windows).expect("windows")
}

/// Where a marker is in the files of a store, packed or not.
fn residues(directory: &Path, marker: &str) -> Vec<String> {
    const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let windows = windows(marker);
    let mut residues = Vec::new();
    for file in std::fs::read_dir(directory).expect("a directory") {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("its bytes");
        if let Some(found) = windows.find(&bytes) {
            let around = &bytes[found.start().saturating_sub(90)..bytes.len().min(found.end() + 90)];
            residues.push(format!("{}: …{}…", path.display(), String::from_utf8_lossy(around)));
        }
        for (place, _) in bytes.windows(4).enumerate().filter(|(_, bytes)| *bytes == ZSTD_MAGIC) {
            let mut unpacked = Vec::new();
            let decoder = zstd::Decoder::new(&bytes[place..]).expect("a decoder");
            // What is behind it is no part of it, and where that is, is not known: it ends in an error.
            let _ = std::io::copy(&mut decoder.single_frame(), &mut unpacked);
            if windows.is_match(&unpacked) {
                residues.push(format!("{}: packed at {place}", path.display()));
            }
        }
    }
    residues
}

/// A marker of so many bytes that nothing else is like.
fn marker(bytes: usize, seed: u64, of: &[std::ops::Range<u32>]) -> String {
    let mut random = Random::new(seed);
    let mut marker = String::new();
    while marker.len() < bytes {
        let range = random.one_of(of);
        let drawn = range.start + random.below(u64::from(range.end - range.start)) as u32;
        marker.extend(char::from_u32(drawn));
    }
    while marker.len() > bytes {
        marker.pop();
    }
    marker
}

/// As `marker`, of words.
fn words(bytes: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut words = String::new();
    while words.len() < bytes {
        words.extend((0..10).map(|_| char::from(b'a' + random.below(26) as u8)));
        words.push(' ');
    }
    words.truncate(bytes);
    words.trim_end().to_owned()
}

fn markers() -> Vec<String> {
    const HAN: std::ops::Range<u32> = 0x4e00..0x9000;
    const EMOJI: std::ops::Range<u32> = 0x1f300..0x1f5ff;
    let mut markers = vec!["余杭文一路".to_owned(), "kelp-7741-zulu".to_owned(), "👩‍👧 kelp-hold-5512".to_owned()];
    // A page has 4,096 bytes: just on one, across two, and over many.
    for bytes in [60, 1_200, 4_070] {
        markers.extend([words(bytes, 3), marker(bytes, 5, &[HAN]), marker(bytes, 7, &[HAN, EMOJI])]);
    }
    markers.extend([marker(9_000, 7, &[HAN, EMOJI]), words(100_000, 3)]);
    markers
}

/// Puts a marker in by every door there is, all of it in the session `told`.
fn tell(engine: &Engine, store: &dyn Store, owner: &Owner, marker: &str) {
    let scope = at(owner, "told");
    let task = Scope { task: Some(id("report")), ..scope.clone() };
    let said = |scope: &Scope, source, kind, text: String| {
        engine.observe(RawEvent::new(scope.clone(), source, kind, text)).expect("an event")
    };
    let mut first = RawEvent::new(
        scope.clone(),
        Source::User,
        Kind::Query,
        format!("帮我写周报。以后周报的格式都用「{marker}」格式，别告诉别人。"),
    );
    if marker.len() < UPDATE_BYTES_MAX {
        first.metadata.insert("note".to_owned(), json!({ "deep": [marker] }));
    }
    if marker.len() < 200 {
        first.idempotency_key = Some(format!("key-{marker}"));
    }
    engine.observe(first).expect("an event");
    engine.start_task(&task, "weekly report", None, &[]).expect("a task");
    if marker.len() < UPDATE_BYTES_MAX {
        let stage = |stage: &str, summary: Option<String>| Action::SetStage { stage: stage.to_owned(), summary };
        let actions = vec![
            Action::SetGoal { text: format!("写完带 {marker} 的周报") },
            Action::AddConstraint { text: format!("必须带上 {marker}") },
            Action::Plan { steps: vec![format!("写 {marker} 那一段"), "发出去".to_owned()] },
            Action::NextStep { step: None },
            Action::CompleteStep { step: None, status: None, result: Some(format!("{marker} 写好了")) },
            Action::Conclude { text: format!("{marker} 是对的") },
            Action::AddFact { text: format!("事实 {marker}") },
            Action::Artifact { locator: format!("reports/{marker}.md"), description: Some(marker.to_owned()) },
            Action::AskDecision { question: format!("{marker} 要不要发？"), who: None },
            Action::Warn { text: format!("小心 {marker}") },
            Action::SetItem { name: marker.to_owned(), status: ItemStatus::Open, note: Some(marker.to_owned()) },
            stage("draft", None),
            stage("review", Some(format!("Drafted: {marker}."))),
        ];
        let plan = RawEvent::new(task.clone(), Source::Agent, Kind::Plan, format!("计划里有 {marker}"));
        let update = Update { actions, idempotency_key: Some("the plan".to_owned()), ..Update::default() };
        engine.observe_with(plan, Some(update)).expect("an update");
        let new = NewMemory {
            kind: MemoryKind::Fact,
            content: format!("The vault opens with {marker}"),
            subject: None,
            attribute: None,
            applies: Applies::default(),
            importance: None,
            aliases: BTreeSet::new(),
            visibility: Visibility::default(),
        };
        engine.remember(owner, &new).expect("a memory");
    }
    let rows = json!({"rows": [{"name": marker, "text": format!("{marker} \"quoted\"\n{marker}")}]}).to_string();
    said(&task, Source::Tool, Kind::ToolResult, rows);
    let long = format!("会议纪要。{marker} 是第一条。{}", "别的内容，和它无关。".repeat(80));
    said(&task, Source::Agent, Kind::Note, long);
    engine.learn(owner).expect("learning");
    if marker.len() < UPDATE_BYTES_MAX {
        for asked in [&scope, &task] {
            let query = Query::new(asked.clone(), format!("{marker} 怎么样了"), engine.now());
            engine.context(&query, &BlockOptions::default()).expect("a block");
        }
    }
    // So many that the lexical index has segments of it.
    for n in 0..20 {
        said(&scope, Source::User, Kind::Note, format!("Nothing of note on day {n}."));
    }
    embed(store);
    engine.archive(owner, "2030-01-01T00:00:00Z".parse().expect("a time")).expect("archiving");
    engine.manage(owner, &Policy::preset("aggressive").expect("a preset"), ManageOptions::default()).expect("a run");
}

/// Vectors for what has none yet. What was erased meanwhile is passed over.
fn embed(store: &dyn Store) {
    let model = ModelId { name: "made up".to_owned(), dimension: 8 };
    let waiting = store.unembedded(&model, 1_000).expect("a list");
    let vectors = waiting.into_iter().map(|waiting| {
        let mut vector = vec![0.0; 8];
        vector[usize::try_from(waiting.event.seq.0 % 8).expect("a place")] = 1.0;
        EventVectors { owner: waiting.owner, seq: waiting.event.seq, passages: vec![vector] }
    });
    let vectors: Vec<_> = vectors.collect();
    if !vectors.is_empty() {
        store.put_vectors(&model, vectors).expect("vectors");
    }
}

#[test]
fn nothing_is_left_in_any_form() {
    for marker in markers() {
        let shown: String = marker.chars().take(12).collect();
        let directory = tempfile::tempdir().expect("a directory");
        let (engine, store) = open(directory.path(), 0);
        let mine = user("林悦");
        engine.observe(RawEvent::new(at(&mine, "kept"), Source::User, Kind::Query, "我喜欢喝茶。")).expect("an event");
        tell(&engine, &*store, &mine, &marker);
        assert!(!residues(directory.path(), &marker).is_empty(), "{shown}: it is there before");
        erase(&engine, &mine, Selection::Session(id("told")));
        for memory in engine.memories(&mine, &MemoryFilter::default()).expect("memories") {
            // What an operator wrote is of no event: it goes by its words.
            if memory.content.contains(&marker) {
                erase(&engine, &mine, Selection::Matching(marker.clone()));
            }
        }
        assert_eq!(residues(directory.path(), &marker), Vec::<String>::new(), "{shown}, {} bytes", marker.len());
        engine.dump(&mut std::io::sink()).expect("a valid store");
        engine.verify_journal(&mine).expect("a chain that verifies");
        drop(engine);
        drop(store);
        assert_eq!(residues(directory.path(), &marker), Vec::<String>::new(), "{shown}, once closed");
    }
}

/// Of a byte or a character, that it is in no file can't be promised: it is in every file. That its event is gone can.
#[test]
fn of_a_character_its_row_is_gone() {
    for character in ["Q", "7", "好", "🐚"] {
        let directory = tempfile::tempdir().expect("a directory");
        let (engine, store) = open(directory.path(), 0);
        let mine = user("ana");
        let say = |session: &str, text: &str| {
            engine.observe(RawEvent::new(at(&mine, session), Source::User, Kind::Note, text)).expect("an event").id
        };
        let gone = say("s", character);
        let stays = say("s", &format!("{character} and more beside it"));
        embed(&*store);
        erase(&engine, &mine, Selection::Events(vec![gone]));
        assert_eq!(engine.event(&mine, gone).expect("a look"), None);
        let page = EventPage { limit: 9, ..EventPage::default() };
        let left: Vec<_> = store.events(&mine, &page).expect("events").into_iter().map(|left| left.event.id).collect();
        assert_eq!(left, [stays], "{character}");
        let found = engine.recall(&Query::new(at(&mine, "q"), character, engine.now())).expect("a recall");
        assert!(!json!(found).to_string().contains(&gone.to_string()), "{character}");
        let mut dump = Vec::new();
        engine.dump(&mut dump).expect("a valid store");
        let dump = String::from_utf8(dump).expect("text");
        assert!(!dump.contains(&format!("\"content\":\"{character}\"")), "{dump}");
    }
}

/// The value a correction doesn't name itself is looked up in what was said before, and kept with the correction.
#[test]
fn a_correction_does_not_keep_the_value_it_put_right() {
    let cases = [
        ("这周退货率3.271%。", "更正：退货率应该是2.8%。", "3.271%"),
        ("The return rate was 3.271% this week.", "Correction: it should be 2.8%.", "3.271%"),
    ];
    for (old, new, value) in cases {
        let directory = tempfile::tempdir().expect("a directory");
        let (engine, store) = open(directory.path(), 0);
        let mine = user("ana");
        let say = |text: &str| {
            engine.observe(RawEvent::new(at(&mine, "s"), Source::User, Kind::Query, text)).expect("an event").id
        };
        let gone = say(old);
        let stays = say(new);
        let signals = || store.event(&mine, stays).expect("a look").expect("an event").signals;
        assert_eq!(signals().corrections.iter().map(|c| c.old.as_str()).collect::<Vec<_>>(), [value], "{new}");
        erase(&engine, &mine, Selection::Events(vec![gone]));
        assert_eq!(signals().corrections, [], "{new}");
        assert_eq!(residues(directory.path(), value), Vec::<String>::new(), "{new}");
        engine.dump(&mut std::io::sink()).expect("a valid store");
    }
}

/// An erasure that a failing store breaks off at any call has not begun, or is ended by the next process.
#[test]
fn an_erasure_that_broke_off_at_any_step_is_ended() {
    let marker = "Marlow-7781-kelp-余杭";
    for fault in [Fault::Refused, Fault::ReplyLost] {
        for selection in [Selection::Session(id("told")), Selection::Everything] {
            for step in 0.. {
                let directory = tempfile::tempdir().expect("a directory");
                let mine = user("ana-7731-kelp");
                let before = {
                    let (engine, store) = open(directory.path(), 0);
                    tell_little(&engine, &*store, &mine, marker);
                    drop(engine);
                    store.inner().status().expect("a status").events
                };
                let opening = {
                    let (engine, store) = open(directory.path(), 1);
                    drop(engine);
                    store.calls()
                };
                let ended = {
                    let (engine, _store) = opened(directory.path(), 2, BTreeMap::from([(opening + step, fault)]));
                    engine.expect("an engine").forget(&mine, &request(selection.clone())).is_ok()
                };
                let (engine, store) = open(directory.path(), 3);
                assert!(store.unfinished_erasures().expect("a look").is_empty());
                engine.dump(&mut std::io::sink()).expect("a valid store");
                if store.status().expect("a status").events == before {
                    erase(&engine, &mine, selection.clone());
                }
                assert_eq!(
                    residues(directory.path(), marker),
                    Vec::<String>::new(),
                    "{fault:?} {selection:?} at {step}"
                );
                if selection == Selection::Everything {
                    assert_eq!(
                        residues(directory.path(), "ana-7731-kelp"),
                        Vec::<String>::new(),
                        "{fault:?} at {step}"
                    );
                }
                if ended {
                    break;
                }
            }
        }
    }
}

fn tell_little(engine: &Engine, store: &dyn Store, owner: &Owner, marker: &str) {
    let task = Scope { task: Some(id("report")), ..at(owner, "told") };
    engine.start_task(&task, "weekly report", Some(&format!("写完带 {marker} 的周报")), &[]).expect("a task");
    for n in 0..9 {
        let raw = RawEvent::new(
            task.clone(),
            Source::User,
            Kind::Query,
            format!("以后周报都用「{marker}」格式，第{n}次说。"),
        );
        engine.observe(raw).expect("an event");
    }
    engine.learn(owner).expect("learning");
    embed(store);
}

/// Others learn, let go, embed, archive and ask while a session is erased: whatever comes late is of nothing.
#[test]
fn what_others_do_meanwhile_leaves_nothing() {
    for round in 0..6 {
        let marker = format!("Marlow-{round}781-kelp-余杭区");
        let directory = tempfile::tempdir().expect("a directory");
        let (engine, store) = open(directory.path(), round);
        let mine = user("ana");
        tell_little(&engine, &*store, &mine, &marker);
        for n in 0..40 {
            let text = format!("以后报表 {n} 都发给「{marker}」。");
            engine.observe(RawEvent::new(at(&mine, "told"), Source::User, Kind::Query, text)).expect("an event");
        }
        let done = AtomicBool::new(false);
        let policy = Policy::preset("aggressive").expect("a preset");
        let beside = |work: &(dyn Fn() + Sync)| {
            while !done.load(Ordering::Relaxed) {
                work();
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            // Any of them may be told that what it read is no longer so.
            scope.spawn(|| beside(&|| drop(engine.learn(&mine))));
            scope.spawn(|| beside(&|| drop(engine.manage(&mine, &policy, ManageOptions::default()))));
            scope.spawn(|| beside(&|| embed(&*store)));
            scope.spawn(|| beside(&|| drop(engine.archive(&mine, "2030-01-01T00:00:00Z".parse().expect("a time")))));
            scope.spawn(|| {
                beside(&|| {
                    let query = Query::new(at(&mine, "other"), "接着写周报", engine.now());
                    drop(engine.context(&query, &BlockOptions::default()));
                });
            });
            engine.forget(&mine, &request(Selection::Session(id("told")))).expect("an erasure");
            done.store(true, Ordering::Relaxed);
        });
        engine.dump(&mut std::io::sink()).expect("a valid store");
        // What was written beside it lies in the write-ahead log: the next erasure's last look empties that.
        assert_eq!(residues(directory.path(), &marker), Vec::<String>::new(), "round {round}");
    }
}

/// Names of sessions and tasks, and of the tenant, are a person's as well.
#[test]
fn names_go_with_whom_they_name() {
    let names =
        ["沈知遥的会话-7731", "task-of-Shen-7731", "acme-7731-tenant", "Shen-Zhiyao-7731", "agent-7731-of-Shen"];
    for whole_tenant in [false, true] {
        let directory = tempfile::tempdir().expect("a directory");
        let (engine, store) = open(directory.path(), 0);
        let mine = Owner { tenant: id(names[2]), user: id(names[3]), agent: id(names[4]) };
        let scope = Scope { owner: mine.clone(), session: id(names[0]), task: Some(id(names[1])) };
        // A session without events, one with, one that only asked.
        engine.start_task(&scope, "weekly report", None, &[]).expect("a task");
        let actions = vec![Action::AddFact { text: "the report is due on Friday".to_owned() }];
        let update = Update { actions, idempotency_key: Some("k".to_owned()), ..Update::default() };
        engine.update(&scope, &update).expect("an update");
        engine.observe(RawEvent::new(scope.clone(), Source::User, Kind::Query, "以后周报都用PDF。")).expect("an event");
        engine.learn(&mine).expect("learning");
        let query = Query::new(scope.clone(), "接着写周报", engine.now());
        engine.context(&query, &BlockOptions::default()).expect("a block");
        engine.observe(RawEvent::new(at(&user("other"), "s"), Source::User, Kind::Note, "stays")).expect("an event");
        let selection = if whole_tenant { Selection::WholeTenant } else { Selection::Everything };
        let receipt = erase(&engine, &mine, selection);
        for name in names.iter().filter(|name| whole_tenant || **name != names[2]) {
            assert_eq!(residues(directory.path(), name), Vec::<String>::new(), "{name}");
            assert!(!json!(receipt).to_string().contains(name), "{receipt:?}");
        }
        // Who knows the name can tell whose receipt it is.
        assert!(receipt.commitment.is_some());
        assert_eq!(engine.commitment(&mine).expect("a look"), receipt.commitment);
        assert_ne!(engine.commitment(&user("other")).expect("a look"), receipt.commitment);
        let page = JournalPage { limit: 9, ..JournalPage::default() };
        let line = engine.journal(&receipt.owner, &page).expect("a journal").pop().expect("a line").operation;
        assert_eq!(line.after.expect("what was done")["commitment"], json!(receipt.commitment));
        engine.dump(&mut std::io::sink()).expect("a valid store");
        engine.verify_journal(&receipt.owner).expect("a chain that verifies");
        drop(engine);
        drop(store);
        let (engine, _store) = open(directory.path(), 1);
        assert_eq!(engine.status().expect("a status").events, 1, "the other's stays");
    }
}

/// Of a session or a task that goes, its name does too.
#[test]
fn the_name_of_a_session_or_task_goes_with_it() {
    let (session, task) = ("沈知遥的会话-7731", "task-of-Shen-7731");
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, _store) = open(directory.path(), 0);
    let mine = user("ana");
    let scope = Scope { task: Some(id(task)), ..at(&mine, session) };
    engine.start_task(&scope, "weekly report", None, &[]).expect("a task");
    let actions = vec![Action::AddFact { text: "the report is due on Friday".to_owned() }];
    engine.update(&scope, &Update { actions, ..Update::default() }).expect("an update");
    engine.observe(RawEvent::new(scope.clone(), Source::User, Kind::Query, "以后周报都用PDF。")).expect("an event");
    engine.learn(&mine).expect("learning");
    for asked in [&scope, &at(&mine, session)] {
        let query = Query::new(asked.clone(), "接着写周报", engine.now());
        engine.context(&query, &BlockOptions::default()).expect("a block");
    }
    erase(&engine, &mine, Selection::Task(id(task)));
    assert_eq!(residues(directory.path(), task), Vec::<String>::new());
    erase(&engine, &mine, Selection::Session(id(session)));
    assert_eq!(residues(directory.path(), session), Vec::<String>::new());
    engine.dump(&mut std::io::sink()).expect("a valid store");
}

/// Who asks waits for no erasure: what is asked after it was worked out which lines tell of it is journaled all the same.
#[test]
fn a_question_asked_meanwhile_leaves_nothing() {
    let marker = "Marlow-7781-kelp-余杭区";
    for (text, question) in [
        (format!("周报以后都发给{marker}，别忘了。"), format!("周报要发给{marker}吗？")),
        (
            format!("Send the weekly report to {marker} please."),
            format!("Do I send the weekly report to {marker} please?"),
        ),
    ] {
        for broken_off in [false, true] {
            let directory = tempfile::tempdir().expect("a directory");
            let mine = user("ana");
            let selection = {
                let (engine, _store) = open(directory.path(), 0);
                let raw = RawEvent::new(at(&mine, "told"), Source::User, Kind::Query, text.clone());
                let selection = Selection::Events(vec![engine.observe(raw).expect("an event").id]);
                let events = engine.selected(&mine, &selection).expect("a selection");
                let plan = engine.plan(&mine, &selection, events).expect("a plan");
                let query = Query::new(at(&mine, "told"), question.clone(), engine.now());
                engine.recall(&query).expect("a recall");
                let page = JournalPage { verb: Some(Verb::Serve), limit: 9, ..JournalPage::default() };
                assert_eq!(engine.journal(&mine, &page).expect("a journal").len(), 1, "the question was journaled");
                let unfinished = engine.begin(&mine, &selection, plan, "asked").expect("a beginning");
                if !broken_off {
                    // As `erase` does, which knows what it is about.
                    let gone = Gone::new([], [text.as_str()]);
                    let (sessions, erased) = (BTreeSet::new(), Erased::default());
                    let telling = Telling { gone: &gone, sessions: &sessions, everything: false, erased: &erased };
                    let page = served_after(unfinished.looked_through);
                    let asked_since = || engine.operations_telling(&mine, &telling, page.clone());
                    engine.finish(&mine, unfinished, &[], &asked_since).expect("an end");
                }
                selection
            };
            // Else the next process ends it.
            let (engine, store) = open(directory.path(), 1);
            assert!(store.unfinished_erasures().expect("a look").is_empty());
            assert!(matches!(engine.selected(&mine, &selection), Err(Error::NoSuchEvent(_))));
            assert_eq!(residues(directory.path(), marker), Vec::<String>::new(), "broken off: {broken_off}");
            engine.dump(&mut std::io::sink()).expect("a valid store");
            engine.verify_journal(&mine).expect("a chain that verifies");
        }
    }
}

/// Where all that a session has is named one by one, its name goes as if the session had been named.
#[test]
fn the_name_of_a_session_goes_with_its_last_event() {
    let session = "沈知遥的会话-7731";
    let directory = tempfile::tempdir().expect("a directory");
    let (engine, _store) = open(directory.path(), 0);
    let mine = user("ana");
    let say = |session: &str, text: &str| {
        engine.observe(RawEvent::new(at(&mine, session), Source::User, Kind::Query, text)).expect("an event").id
    };
    let stays = say("other", "我喜欢喝茶。");
    let said = [say(session, "以后周报都用PDF。"), say(session, "The weather is nice.")];
    let query = Query::new(at(&mine, session), "我喜欢喝什么茶", engine.now());
    engine.context(&query, &BlockOptions::default()).expect("a block");
    erase(&engine, &mine, Selection::Events(vec![said[0]]));
    assert!(!residues(directory.path(), session).is_empty(), "one event is left");
    erase(&engine, &mine, Selection::Events(vec![said[1]]));
    assert_eq!(residues(directory.path(), session), Vec::<String>::new());
    assert!(engine.event(&mine, stays).expect("a look").is_some());
    // When it was erased, and under which receipt, is known of each; what it said is not.
    let line = engine.erasure_of(&mine, said[0]).expect("a look").expect("a line").operation;
    assert_eq!(line.after.expect("a receipt").as_object().expect("an object").keys().collect::<Vec<_>>(), ["receipt"]);
    assert!(engine.erasure_of(&mine, stays).expect("a look").is_none());
    engine.dump(&mut std::io::sink()).expect("a valid store");
}
