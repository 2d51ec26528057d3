//! The main job: a story is replayed, a request is asked, and the block lets the agent go on without a question.
//! `examples/expected.toml` says what must be in it.

use serde_json::Value;

use crate::{Place, example, root};

fn texts(ask: &toml::Table, key: &str) -> Vec<String> {
    ask.get(key).map_or_else(Vec::new, |list| list.clone().try_into().unwrap())
}

/// What is wrong with a block.
fn breaches(ask: &toml::Table, block: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    for text in texts(ask, "must").iter().filter(|text| !block.contains(*text)) {
        breaches.push(format!("{text} is missing"));
    }
    let must_any: Vec<Vec<String>> = ask.get("must_any").map_or_else(Vec::new, |list| list.clone().try_into().unwrap());
    for any in must_any.iter().filter(|any| !any.iter().any(|text| block.contains(text))) {
        breaches.push(format!("none of {any:?} is there"));
    }
    for text in texts(ask, "must_not").iter().filter(|text| block.contains(*text)) {
        breaches.push(format!("{text} is there"));
    }
    for rule in ask.get("only_with").and_then(toml::Value::as_array).into_iter().flatten() {
        let text = rule["text"].as_str().unwrap();
        let with: Vec<String> = rule["with"].clone().try_into().unwrap();
        let bare = block.lines().filter(|line| line.contains(text) && !with.iter().any(|word| line.contains(word)));
        breaches.extend(bare.map(|line| format!("as if current or open: {line}")));
    }
    breaches
}

#[test]
fn every_ask_of_the_examples() {
    let expected: toml::Table =
        toml::from_str(&std::fs::read_to_string(root().join("examples/expected.toml")).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for embedding in ["builtin", "none"] {
        for ask in expected["ask"].as_array().unwrap() {
            let ask = ask.as_table().unwrap();
            let text = |key: &str| ask[key].as_str().unwrap();
            let place = Place::new();
            let ran =
                place.run(&["--embedding", embedding, "replay", &example(text("story")), "--ask", text("query")]).ok();
            for secret in texts(ask, "nowhere") {
                assert!(!ran.stdout.contains(&secret) && !ran.stderr.contains(&secret), "{secret} is in the output");
                assert!(!place.store_contains(&secret), "{secret} is in the store");
            }
            let mut found = breaches(ask, &ran.stdout);
            let task = place.run(&[
                "--embedding",
                embedding,
                "--json",
                "replay",
                &example(text("story")),
                "--ask",
                text("query"),
            ]);
            if task.json()["block"]["task"] != *text("task") {
                found.push(format!("the task is {}", task.json()["block"]["task"]));
            }
            if !found.is_empty() {
                wrong.push(format!(
                    "{} ({embedding}): {}
{}",
                    text("query"),
                    found.join("; "),
                    ran.stdout
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_command_of_the_readme() {
    let place = Place::new();
    let ran = place.run(&["replay", &example("weekly-report.jsonl"), "--ask", "接着把周报弄完"]).ok();
    assert!(ran.stdout.starts_with("<holdfast-context>\n"), "stdout is the block and nothing else\n{}", ran.stdout);
    assert!(ran.stdout.ends_with("</holdfast-context>\n"), "{}", ran.stdout);
    for said in [
        "weekly-report.jsonl: event lines\n",
        "60 events recorded, 0 known already\n",
        "  redacted: 1 password\n",
        "  superseded: 第48周退货率 3.2%，连续两周上升 → 第48周退货率 2.8%\n",
        " tokens (o200k_base), fingerprint ",
    ] {
        assert!(ran.stderr.contains(said), "{said} is missing in\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("not read") && !ran.stderr.contains("refused"), "{}", ran.stderr);
    // The same again, for the run that has just been.
    let report = place.run(&["report", "--run", "all"]).ok().stdout;
    assert!(report.contains("stored: 60 events ("), "{report}");
    place.run(&["dump"]).ok();
}

#[test]
fn twice_adds_nothing() {
    let place = Place::new();
    let replay = ["--json", "replay", &example("weekly-report.jsonl"), "--no-embed", "--ask", "接着把周报弄完"];
    let first = place.run(&replay).ok().json();
    let again = place.run(&replay).ok().json();
    assert_eq!((&first["recorded"], &first["known"]), (&60.into(), &0.into()));
    assert_eq!((&again["recorded"], &again["known"]), (&0.into(), &60.into()));
    assert_eq!(again["report"]["stored"], Value::Object(Default::default()));
    assert_eq!(first["block"]["text"], again["block"]["text"], "the same state gives the same bytes");
}

#[test]
fn until_stops_where_it_says_and_goes_on_from_there() {
    let place = Place::new();
    let file = example("weekly-report.jsonl");
    let first = place.run(&["--json", "replay", &file, "--no-embed", "--until", "20"]).ok().json();
    assert_eq!(first["recorded"], 20);
    let rest = place.run(&["--json", "replay", &file, "--no-embed"]).ok().json();
    assert_eq!((&rest["recorded"], &rest["known"]), (&40.into(), &20.into()));
    let none = place.run(&["--json", "replay", &file, "--no-embed", "--until", "0"]).ok().json();
    assert_eq!((&none["recorded"], &none["known"]), (&0.into(), &0.into()));
}

#[test]
fn from_stdin() {
    let place = Place::new();
    let story = std::fs::read(root().join("examples/migration.jsonl")).unwrap();
    let ran = place.run_with(&["replay", "-", "--no-embed", "--ask", "back to the migration"], &story).ok();
    assert!(ran.stdout.contains("Postgres 17"), "{}", ran.stdout);
}

#[test]
fn a_chat_and_records_of_a_data_set() {
    let place = Place::new();
    let chat =
        r#"[{"role": "user", "content": "Draft the press release"}, {"role": "assistant", "content": "Here it is"}]"#;
    place.file("chat.json", chat);
    place.file("set.jsonl", concat!(
        r#"{"scope": "u1", "id": "a", "seq": 1, "session": "s", "time": "2026-01-02", "role": "user", "text": "I moved to Lisbon"}"#, "\n",
        r#"{"scope": "u2", "id": "b", "seq": 1, "session": "s", "time": "", "role": "user", "text": "Call me at +1 415 555 0132"}"#, "\n",
    ));
    let ran = place.run(&["--json", "replay", "chat.json", "set.jsonl", "--no-embed"]).ok();
    assert_eq!(ran.json()["recorded"], 4);
    assert_eq!(ran.json()["report"]["stored"]["query"], 3, "the report is over all owners\n{}", ran.stdout);
    assert_eq!(ran.json()["report"]["redacted"]["phone"], 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("chat.json: a chat\n"), "{}", ran.stderr);
}
