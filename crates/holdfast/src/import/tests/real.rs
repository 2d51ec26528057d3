//! The public data sets, if they are there, and the stories in `examples/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::*;
use crate::types::event::{Kind, Source, Trust};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data"))
        .find(|folder| folder.is_dir());
    let folder = std::env::var_os("HOLDFAST_DATA").map(PathBuf::from).filter(|folder| folder.is_dir()).or(beside);
    if folder.is_none() {
        eprintln!("skipped: no ../shared/data beside the workspace and no HOLDFAST_DATA");
    }
    folder
}

#[test]
fn every_public_data_set_is_read_without_loss() {
    let Some(data) = data() else { return };
    let mut read_files = BTreeMap::new();
    for folder in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let is_docs = name.starts_with("docs") && name.ends_with(".jsonl");
            let is_chats = folder.ends_with("tau_bench") && name.ends_with(".json");
            if !is_docs && !is_chats {
                continue;
            }
            let reader = read(File::open(&file).unwrap(), &name, Options::default()).unwrap();
            assert_eq!(reader.format(), if is_docs { Format::Normal } else { Format::ChatMany }, "{}", file.display());
            let (mut entries, mut keys, mut empty) = (0, BTreeSet::new(), 0);
            for entry in reader {
                match entry {
                    Ok(Entry { event, .. }) => {
                        entries += 1;
                        keys.insert((event.scope.owner.user, event.idempotency_key));
                    }
                    // Four turns of bfcl_memory say nothing.
                    Err(unread) if unread.reason == "the content is empty" => empty += 1,
                    Err(unread) => panic!("{}: {unread}", file.display()),
                }
            }
            assert_eq!(keys.len(), entries, "{}: keys are not unique", file.display());
            if is_docs {
                let text = fs::read_to_string(&file).unwrap();
                assert_eq!(
                    empty,
                    text.lines().filter(|line| line.contains(r#""text": """#)).count(),
                    "{}",
                    file.display()
                );
                assert_eq!(entries + empty, text.lines().count(), "{}", file.display());
            }
            read_files.insert(file, entries);
        }
    }
    assert!(!read_files.is_empty());
}

#[test]
fn the_airline_trajectories_become_200_sessions_with_every_tool_call() {
    let Some(data) = data() else { return };
    let file = File::open(data.join("tau_bench/gpt-4o-airline.json")).unwrap();
    let (mut sessions, mut counts) = (BTreeSet::new(), BTreeMap::new());
    for entry in read(file, "gpt-4o-airline.json", Options::default()).unwrap() {
        let event = entry.unwrap().event;
        *counts.entry((event.source, event.kind)).or_insert(0) += 1;
        assert_eq!(event.trust == Some(Trust::Untrusted), event.source == Source::Tool);
        sessions.insert(event.scope.session);
    }
    assert_eq!(sessions.len(), 200);
    let expected = [
        ((Source::User, Kind::Query), 1_490),
        ((Source::Agent, Kind::Response), 1_380),
        ((Source::Agent, Kind::ToolCall), 1_164),
        ((Source::Tool, Kind::ToolResult), 1_164),
        ((Source::System, Kind::Note), 200),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

fn story(name: &str) -> Vec<Entry> {
    let text = example(name);
    let reader = read(text.as_bytes(), name, Options::default()).unwrap();
    assert_eq!(reader.format(), Format::Native);
    reader.map(|entry| entry.unwrap_or_else(|unread| panic!("{name}: {unread}"))).collect()
}

#[test]
fn the_stories_are_read_whole_and_in_order() {
    for (name, events) in [("weekly-report.jsonl", 60), ("migration.jsonl", 21)] {
        let story = story(name);
        assert_eq!(story.len(), events, "{name}");
        let times: Vec<_> = story.iter().map(|entry| entry.event.occurred_at.clone().unwrap().timestamp()).collect();
        assert!(times.is_sorted(), "{name}");
        assert!(
            story.iter().all(|entry| entry.update.is_none() || entry.event.scope.task.is_some()),
            "{name}: an update without a task"
        );
    }
}

#[test]
fn the_weekly_report_has_one_secret_and_one_long_tool_result() {
    let story = story("weekly-report.jsonl");
    let secrets = story.iter().filter(|entry| entry.event.content.contains("Qz7!mv42Lw")).count();
    let long = story.iter().filter(|entry| entry.event.content.len() > 3_000).count();
    assert_eq!((secrets, long), (1, 1));
}

#[test]
fn what_is_expected_of_the_stories_stands_in_them() {
    let expected: toml::Table = example("expected.toml").parse().unwrap();
    let texts = |ask: &toml::Value, key: &str| -> Vec<String> {
        let list = ask.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    for ask in expected["ask"].as_array().unwrap() {
        let story = example(ask["story"].as_str().unwrap());
        let only_with = ask.get("only_with").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let mut all = [texts(ask, "must"), texts(ask, "must_not"), texts(ask, "nowhere")].concat();
        all.extend(["user", "agent", "task"].map(|key| ask[key].as_str().unwrap().to_owned()));
        all.extend(only_with.iter().map(|rule| rule["text"].as_str().unwrap().to_owned()));
        for text in all {
            assert!(story.contains(&text), "{text} stands nowhere in the story");
        }
    }
}
