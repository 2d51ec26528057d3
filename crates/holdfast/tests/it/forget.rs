//! Forgetting on request (SPEC 8): hidden things are neither found nor cited, erased ones are in no file, and neither comes back.

use std::collections::BTreeSet;
use std::path::Path;

use holdfast::engine::{Config, Engine, Error, ExportLine};
use holdfast::store::JournalPage;
use holdfast::text;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::forget::{Forget, Forgetting, Receipt, Selection};
use holdfast::types::ids::EventId;
use holdfast::types::memory::{Memory, MemoryFilter, MemoryStatus};
use holdfast::types::operation::Verb;
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::task::ItemStatus;
use holdfast::types::update::{Action, Update};
use serde_json::json;

use crate::{engine, engine_of, lexical};

fn user(name: &str) -> Owner {
    Owner { user: ScopeId::new(name).unwrap(), ..Owner::default() }
}

fn at(owner: &Owner, session: &str) -> Scope {
    Scope { owner: owner.clone(), session: ScopeId::new(session).unwrap(), task: None }
}

fn said(scope: &Scope, text: &str) -> RawEvent {
    RawEvent::new(scope.clone(), Source::User, Kind::Query, text)
}

fn request(selection: Selection, how: Forgetting) -> Forget {
    Forget { selection, how, reason: "the user asked for it".to_owned(), events_max: None }
}

fn erase(engine: &Engine, owner: &Owner, selection: Selection) -> Receipt {
    let receipt = engine.forget(owner, &request(selection, Forgetting::Erase)).unwrap();
    assert_eq!(receipt.left, 0, "{receipt:?}");
    assert!(receipt.scanned.iter().any(|file| file.file == "holdfast.db" && file.bytes > 0), "{receipt:?}");
    engine.dump(&mut std::io::sink()).unwrap();
    receipt
}

/// The files that have a marker, as it is written or as it is searched for.
fn files_with(directory: &Path, marker: &str) -> Vec<String> {
    let mut forms = vec![marker.as_bytes().to_vec(), text::fold(marker).into_bytes()];
    forms.push(text::indexed(marker).into_bytes());
    forms.push(json!(marker).to_string().trim_matches('"').as_bytes().to_vec());
    forms.push(zstd::encode_all(marker.as_bytes(), 9).unwrap());
    let mut found = Vec::new();
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let place = |form: &Vec<u8>| bytes.windows(form.len()).position(|window| window == form);
        if let Some(place) = forms.iter().find_map(place) {
            let around = String::from_utf8_lossy(&bytes[place.saturating_sub(120)..bytes.len().min(place + 120)]);
            found.push(format!("{}: …{around}…", path.display()));
        }
    }
    found
}

fn context(engine: &Engine, scope: &Scope, question: &str) -> String {
    engine.context(&Query::new(scope.clone(), question, engine.now()), &BlockOptions::default()).unwrap().text
}

fn memories(engine: &Engine, owner: &Owner) -> Vec<Memory> {
    engine.memories(owner, &MemoryFilter::default()).unwrap()
}

/// Puts a marker in by every door there is, all of it in the session `told`. Gives back the event that said it first.
fn tell(engine: &Engine, owner: &Owner, marker: &str) -> EventId {
    let scope = at(owner, "told");
    let mut event = said(&scope, &format!("帮我写周报。以后周报的格式都用{marker}格式，这是 {marker}，别告诉别人。"));
    event.metadata.insert("note".to_owned(), json!(format!("meta {marker}")));
    event.idempotency_key = Some(format!("key-{marker}"));
    let first = engine.observe(event).unwrap();
    let task = Scope { task: Some(ScopeId::new("report").unwrap()), ..scope.clone() };
    let steps = vec![format!("写 {marker} 那一段"), "发出去".to_owned()];
    let actions = vec![
        Action::SetGoal { text: format!("写完带 {marker} 的周报") },
        Action::AddConstraint { text: format!("必须带上 {marker}") },
        Action::Plan { steps },
        Action::NextStep { step: None },
        Action::CompleteStep { step: None, status: None, result: Some(format!("{marker} 写好了")) },
        Action::Conclude { text: format!("{marker} 是对的") },
        Action::AddFact { text: format!("事实 {marker}") },
        Action::Artifact { locator: format!("reports/{marker}.md"), description: Some(format!("带 {marker} 的稿")) },
        Action::AskDecision { question: format!("{marker} 要不要发？"), who: None },
        Action::Warn { text: format!("小心 {marker}") },
        Action::SetItem { name: marker.to_owned(), status: ItemStatus::Open, note: Some(format!("{marker} 待办")) },
    ];
    let plan = RawEvent::new(task.clone(), Source::Agent, Kind::Plan, format!("计划里有 {marker}"));
    engine.observe_with(plan, Some(Update { actions, ..Update::default() })).unwrap();
    let result = json!({"rows": [{"name": marker, "text": format!("{marker} \"quoted\"\n{marker}")}]}).to_string();
    engine.observe(RawEvent::new(task.clone(), Source::Tool, Kind::ToolResult, result)).unwrap();
    let mut long = format!("会议纪要。{marker} 是第一条。").repeat(40);
    long.push_str(&"别的内容，和它无关。".repeat(40));
    engine.observe(RawEvent::new(task.clone(), Source::Agent, Kind::Note, long)).unwrap();
    engine.learn(owner).unwrap();
    context(engine, &scope, &format!("{marker} 怎么样了"));
    context(engine, &task, &format!("接着写 {marker}"));
    engine.archive(owner, "2030-01-01T00:00:00Z".parse().unwrap()).unwrap();
    first.id
}

const MARKERS: &[&str] = &["余杭区文一西路969号", "QX-7741-ZULU marker", "👩‍👧 kelp-hold-5512", "é-Ω marker ½ 7"];

#[test]
fn a_session_is_erased_from_every_copy() {
    for marker in MARKERS {
        let directory = tempfile::tempdir().unwrap();
        let engine = engine(directory.path());
        let (mine, other) = (user("林悦"), user("other"));
        engine.observe(said(&at(&mine, "kept"), "我喜欢喝茶。明天开会。")).unwrap();
        tell(&engine, &mine, marker);
        engine.observe(said(&at(&other, "s"), "另一个人说的话")).unwrap();
        assert!(!files_with(directory.path(), marker).is_empty());
        let preview = engine
            .forget_preview(&mine, &request(Selection::Session(ScopeId::new("told").unwrap()), Forgetting::Erase));
        let receipt = erase(&engine, &mine, Selection::Session(ScopeId::new("told").unwrap()));
        assert_eq!(preview.unwrap(), receipt.reach);
        assert!(receipt.reach.events >= 4 && receipt.reach.operations > 4, "{receipt:?}");
        assert_eq!(files_with(directory.path(), marker), Vec::<String>::new(), "{marker}");
        // What others said, and what the user said elsewhere, is as it was.
        assert!(context(&engine, &at(&mine, "kept"), "我喜欢喝什么").contains("喝茶"));
        assert_eq!(engine.journal(&other, &JournalPage { limit: 99, ..JournalPage::default() }).unwrap().len(), 1);
        // Who asks with the words says them anew, and the question is journaled: here only to look.
        let reader = Engine::open(Config { read_only: true, ..lexical(directory.path()) }).unwrap();
        let found = reader.recall(&Query::new(at(&mine, "new"), *marker, reader.now())).unwrap();
        assert!(!serde_json::to_string(&found.hits).unwrap().contains(marker));
        assert!(!memories(&engine, &mine).iter().any(|memory| memory.content.contains(marker)));
        drop((engine, reader));
        assert_eq!(files_with(directory.path(), marker), Vec::<String>::new(), "{marker}, once closed");
        let engine = engine_of(directory.path(), 8);
        engine.dump(&mut std::io::sink()).unwrap();
        let mut out = Vec::new();
        engine.export(&[mine], &mut out).unwrap();
        assert!(!String::from_utf8(out).unwrap().contains(marker));
    }
}

#[test]
fn everything_of_a_user_is_erased_name_and_all() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let (mine, other) = (user("沈知遥-7731"), user("other"));
    tell(&engine, &mine, MARKERS[0]);
    tell(&engine, &other, MARKERS[1]);
    let receipt = erase(&engine, &mine, Selection::Everything);
    assert_eq!(files_with(directory.path(), MARKERS[0]), Vec::<String>::new());
    assert_eq!(files_with(directory.path(), "沈知遥-7731"), Vec::<String>::new(), "{receipt:?}");
    assert!(!files_with(directory.path(), MARKERS[1]).is_empty(), "another's stays");
    assert!(engine.memories(&mine, &MemoryFilter::default()).unwrap().is_empty());
    assert!(engine.tasks(&mine, 9).unwrap().is_empty());
    // Its journal verifies, says what was done, and nothing else.
    let lines = engine.journal(&receipt.owner, &JournalPage { limit: 99, ..JournalPage::default() }).unwrap();
    assert_eq!(lines.iter().map(|line| line.operation.verb).collect::<Vec<_>>(), [Verb::Erase]);
    assert_eq!(lines[0].operation.reason, "the user asked for it");
    // And the user may begin anew.
    engine.observe(said(&at(&mine, "again"), "我对花生过敏")).unwrap();
    assert!(context(&engine, &at(&mine, "later"), "我对什么过敏").contains("花生"));
    engine.dump(&mut std::io::sink()).unwrap();
}

#[test]
fn an_event_goes_and_what_rests_on_others_stays() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    let cases = [
        ("我住在余杭。", "我搬到滨江了，现在住在滨江。", "我住在哪", "余杭", "滨江"),
        ("I live in Lima.", "I moved to Quito, I live in Quito now.", "Where do I live?", "Lima", "Quito"),
    ];
    for (number, (old, new, question, was, is)) in cases.into_iter().enumerate() {
        let scope = at(&mine, &format!("s{number}"));
        engine.observe(said(&scope, old)).unwrap();
        let moved = engine.observe(said(&scope, new)).unwrap().id;
        engine.learn(&mine).unwrap();
        let homes = |engine: &Engine| -> Vec<(MemoryStatus, String)> {
            let mut all = memories(engine, &mine);
            all.retain(|memory| memory.content.contains(was) || memory.content.contains(is));
            all.into_iter().map(|memory| (memory.status, memory.content)).collect()
        };
        assert!(
            homes(&engine).iter().any(|(status, text)| *status == MemoryStatus::Active && text.contains(is)),
            "{:?}",
            homes(&engine)
        );
        erase(&engine, &mine, Selection::Events(vec![moved]));
        assert_eq!(files_with(directory.path(), is), Vec::<String>::new(), "{new}");
        // As if it had not been said: the one before holds again, unmarked.
        assert_eq!(homes(&engine).iter().map(|(status, _)| *status).collect::<Vec<_>>(), [MemoryStatus::Active]);
        let block = context(&engine, &at(&mine, "q"), question);
        assert!(block.contains(was) && !block.contains("作废") && !block.contains("no longer holds"), "{block}");
        let history =
            engine.journal(&mine, &JournalPage { event: Some(moved), limit: 9, ..JournalPage::default() }).unwrap();
        assert_eq!(history.iter().map(|line| line.operation.verb).collect::<Vec<_>>(), [Verb::Erase]);
        erase(&engine, &mine, Selection::Session(scope.session.clone()));
    }
}

#[test]
fn what_was_erased_does_not_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    let mut event = said(&at(&mine, "s"), "From now on always send reports to Marlow-7781 first.");
    event.occurred_at = Some(engine.now());
    event.idempotency_key = Some("k1".to_owned());
    let id = engine.observe(event.clone()).unwrap().id;
    engine.learn(&mine).unwrap();
    assert_eq!(memories(&engine, &mine).len(), 1);
    let mut export = Vec::new();
    engine.export(std::slice::from_ref(&mine), &mut export).unwrap();
    let export = String::from_utf8(export).unwrap();
    let lines = || export.lines().map(|line| serde_json::from_str::<ExportLine>(line).unwrap()).collect::<Vec<_>>();
    erase(&engine, &mine, Selection::Events(vec![id]));
    let is_gone = || {
        assert!(memories(&engine, &mine).is_empty());
        assert_eq!(files_with(directory.path(), "Marlow-7781"), Vec::<String>::new());
    };
    is_gone();
    // By its key, whatever it says now; by its words at their moment, without the key; by an import; by learning again.
    assert!(matches!(engine.observe(event.clone()), Err(Error::Erased)));
    assert!(matches!(engine.observe(RawEvent { idempotency_key: None, ..event.clone() }), Err(Error::Erased)));
    let imported = engine.import(&mine, lines()).unwrap();
    assert_eq!((imported.events, imported.memories, imported.refused.len()), (0, 0, 2), "{imported:?}");
    engine.learn(&mine).unwrap();
    is_gone();
    // Said anew, it is new.
    let anew = RawEvent { idempotency_key: None, occurred_at: None, ..event };
    engine.observe(anew).unwrap();
    engine.learn(&mine).unwrap();
    assert_eq!(memories(&engine, &mine).len(), 1);
    // Another user never asked for anything.
    let other = user("bob");
    let mut of_other = said(&at(&other, "s"), "From now on always send reports to Marlow-7781 first.");
    of_other.idempotency_key = Some("k1".to_owned());
    engine.observe(of_other).unwrap();
}

#[test]
fn matching_words_are_erased_in_any_script_and_width() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    let scope = at(&mine, "s");
    for text in ["项目代号是ＫＥＬＰ４２，別外傳。", "kelp42 的预算是 30 万", "Kelp 42 is another thing", "今天下雨"]
    {
        engine.observe(said(&scope, text)).unwrap();
    }
    let matching = |words: &str| Selection::Matching(words.to_owned());
    let few = Forget { events_max: Some(1), ..request(matching("KELP42"), Forgetting::Erase) };
    assert!(matches!(engine.forget(&mine, &few), Err(Error::TooMuch { events: 2, max: 1 })));
    assert!(matches!(engine.forget(&mine, &request(matching(" "), Forgetting::Erase)), Err(Error::NoWords)));
    let no_reason = Forget { reason: " ".to_owned(), ..request(matching("KELP42"), Forgetting::Erase) };
    assert!(matches!(engine.forget(&mine, &no_reason), Err(Error::NoReason)));
    assert_eq!(engine.status().unwrap().events, 4, "nothing was touched");
    assert_eq!(erase(&engine, &mine, matching("KELP42")).reach.events, 2);
    assert_eq!(files_with(directory.path(), "kelp42"), Vec::<String>::new());
    assert_eq!(files_with(directory.path(), "ＫＥＬＰ４２"), Vec::<String>::new());
    assert!(!files_with(directory.path(), "Kelp 42 is another thing").is_empty());
    assert!(!files_with(directory.path(), "今天下雨").is_empty());
}

#[test]
fn hidden_events_are_neither_found_nor_cited_and_can_be_shown_again() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    let cases = [
        ("以后周报都先写结论。", "继续写周报", "先写结论"),
        ("From now on always put totals first in the ledger report.", "write the ledger report", "totals first"),
    ];
    for (number, (text, question, words)) in cases.into_iter().enumerate() {
        let scope = at(&mine, &format!("s{number}"));
        let id = engine.observe(said(&scope, text)).unwrap().id;
        engine.learn(&mine).unwrap();
        let asked = at(&mine, "q");
        assert!(context(&engine, &asked, question).contains(words));
        let hide = request(Selection::Events(vec![id]), Forgetting::Hide);
        assert_eq!(engine.forget_preview(&mine, &hide).unwrap().events, 1);
        engine.forget(&mine, &hide).unwrap();
        assert!(!context(&engine, &asked, question).contains(words), "neither the event nor what rests on it alone");
        let found = engine.recall(&Query::new(asked.clone(), text, engine.now())).unwrap();
        assert!(!serde_json::to_string(&found.hits).unwrap().contains(words));
        // It is kept: the operator sees it by its id, marked.
        assert!(engine.event(&mine, id).unwrap().unwrap().hidden);
        engine.dump(&mut std::io::sink()).unwrap();
        assert_eq!(engine.unhide(&mine, &Selection::Events(vec![id]), "asked again").unwrap(), 1);
        assert!(context(&engine, &asked, question).contains(words));
    }
}

#[test]
fn a_task_is_erased_with_its_state_and_another_of_its_name_may_begin() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    tell(&engine, &mine, MARKERS[3]);
    let report = ScopeId::new("report").unwrap();
    let opened: Vec<ScopeId> = engine.tasks(&mine, 9).unwrap().into_iter().map(|task| task.id).collect();
    assert!(opened.contains(&report));
    let nowhere = request(Selection::Task(ScopeId::new("nowhere").unwrap()), Forgetting::Erase);
    assert!(matches!(engine.forget(&mine, &nowhere), Err(Error::NoSuchTask(_))));
    for task in opened {
        erase(&engine, &mine, Selection::Task(task));
    }
    assert!(engine.tasks(&mine, 9).unwrap().is_empty());
    assert_eq!(files_with(directory.path(), MARKERS[3]), Vec::<String>::new());
    let scope = Scope { task: Some(report), ..at(&mine, "new") };
    engine.start_task(&scope, "weekly report", None, &[]).unwrap();
    assert_eq!(engine.tasks(&mine, 9).unwrap().len(), 1);
}

/// Found by the last look: pages that SQLite splits keep copies of what was moved, and no row points to them.
#[test]
fn nothing_is_left_on_pages_that_were_split() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let (mine, other) = (user("ana"), user("bob"));
    let text = |number: usize| {
        let filler = "abcdefghij klmnop qrstuvw".repeat(1 + number % 23);
        format!("marker-{number:05}-{:x} {filler} end-{number:05}", number * 7_919 + 13)
    };
    for first in (0..1_200).step_by(50) {
        let event = |number| (said(&at(if number % 3 == 0 { &mine } else { &other }, "s"), &text(number)), None);
        engine.observe_many((first..first + 50).map(event).collect()).unwrap();
    }
    erase(&engine, &mine, Selection::Everything);
    let mut there = BTreeSet::new();
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let numbers = text.split("marker-").skip(1).filter_map(|rest| rest.get(..5)?.parse::<usize>().ok());
        there.extend(numbers);
    }
    assert_eq!(there, (0..1_200).filter(|number| number % 3 != 0).collect());
}

/// An event that was named by its id went with what its summary says, and what was drawn from the rest of its body stayed.
#[test]
fn an_archived_event_is_erased_with_what_its_whole_body_said() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let mine = user("ana");
    let hidden_deep = "The vault code word is Marlow-7781-kelp and nothing else";
    let body =
        format!("{} {hidden_deep}. {}", "Minutes of the meeting. ".repeat(30), "Nothing more was said. ".repeat(30));
    let id = engine.observe(said(&at(&mine, "s"), &body)).unwrap().id;
    let task = Scope { task: Some(ScopeId::new("t").unwrap()), ..at(&mine, "s") };
    engine.start_task(&task, "minutes", None, &[]).unwrap();
    let update = Update { actions: vec![Action::AddFact { text: hidden_deep.to_owned() }], ..Update::default() };
    engine.update(&task, &update).unwrap();
    engine.archive(&mine, "2030-01-01T00:00:00Z".parse().unwrap()).unwrap();
    assert!(!engine.event(&mine, id).unwrap().unwrap().event.content.contains("Marlow"), "the summary does not say it");
    engine.forget(&mine, &request(Selection::Events(vec![id]), Forgetting::Erase)).unwrap();
    let task = engine.task(&mine, &ScopeId::new("t").unwrap()).unwrap().unwrap();
    assert_eq!(task.facts, [], "what the body said is gone from the task");
}
