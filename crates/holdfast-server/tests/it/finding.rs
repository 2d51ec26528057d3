//! What a question finds when it names its task in other words, or not at all, and what is said of it on stderr.

use crate::Place;

/// Lines of a chat, as `replay` reads it.
fn chat(lines: &[(&str, &str)]) -> String {
    let messages: Vec<_> =
        lines.iter().map(|(role, content)| serde_json::json!({ "role": role, "content": content })).collect();
    serde_json::Value::from(messages).to_string()
}

#[test]
fn where_work_stands_after_a_chat_with_one_task() {
    let en = chat(&[
        ("user", "Help me plan the cellar clean-out. Keep the wine racks where they are."),
        ("assistant", "Plan: 1. sort 2. donate 3. sweep."),
    ]);
    let zh = chat(&[
        ("user", "帮我策划读书会，人数不能超过 20 人。"),
        ("assistant", "好的，分三步：选书、订场地、发通知。"),
    ]);
    for (lines, told) in [(en, "Keep the wine racks where they are"), (zh, "人数不能超过 20 人")] {
        for question in ["Where were we?", "What's next?", "我们做到哪了？", "接下来呢？"] {
            let place = Place::new();
            place.file("chat.json", &lines);
            let ran = place.run(&["replay", "chat.json", "--no-embed", "--ask", question]).ok();
            assert!(ran.stdout.contains(told), "{question}: {}", ran.stdout);
            assert!(ran.stderr.contains("no task is named, and only this one is open"), "{question}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_question_says_which_task_it_is_about() {
    let place = Place::told("migration.jsonl");
    for (question, said) in [
        ("what is left of the migration?", "task: billing-migration (it is named by words of it)"),
        ("how are the release notes doing?", "task: release-notes (names a task, and the session is on none)"),
        (
            "may I take the DB down for an hour?",
            "task: billing-migration (no task is named, and of those that are open only this one does not rest)",
        ),
        ("hello", "no task recognised (it is not about work); open: release-notes, billing-migration"),
        (
            "continue the tax report",
            "no task recognised (continues a task that isn't known yet); open: release-notes, billing-migration",
        ),
    ] {
        let ran = place.run(&["context", question]).ok();
        assert!(ran.stderr.lines().any(|line| line == said), "{question}: {}", ran.stderr);
        let block = place.run(&["--json", "context", question]).ok().json();
        assert!(said.contains(block["about"]["reason"].as_str().unwrap()), "{question}: {}", block["about"]);
    }
    let ran = place.run(&["recall", "what is left of the migration?", "--explain"]).ok();
    assert!(ran.stdout.contains("task: billing-migration (it is named by words of it)"), "{}", ran.stdout);
    let served = place.run(&["--json", "journal", "--verb", "serve", "--limit", "2"]).ok().json();
    assert_eq!(served[0]["reason"], "memory was asked; the task: it is named by words of it");
    let reason = "a context block was asked for; the task: continues a task that isn't known yet";
    assert_eq!(served[1]["reason"], reason);
}

#[test]
fn to_ask_turns_no_session() {
    let place = Place::told("migration.jsonl");
    place.run(&["--session", "s", "observe", "Continue with the release notes", "--no-embed"]).ok();
    place.run(&["--session", "s", "context", "what is left of the migration?"]).ok();
    let ran = place.run(&["--session", "s", "context", "what is due?"]).ok();
    assert!(ran.stderr.contains("task: release-notes (the session is on it)"), "{}", ran.stderr);
}

#[test]
fn an_event_about_an_item_finds_its_task_and_tells_every_status() {
    let place = Place::told("migration.jsonl");
    for (said, expected) in [
        (
            "The call with Fernbrook moved to 4 December",
            "status: the call with Fernbrook: postponed → 2026-12-04 4 December",
        ),
        ("The call with Fernbrook is cancelled", "status: the call with Fernbrook: postponed → cancelled"),
        ("Continue with the migration", ""),
        ("Let's stop here for now", "status: billing-migration: open → paused"),
        ("Continue with the migration", "status: billing-migration: paused → open"),
        ("停一下，先不做了", "status: billing-migration: open → paused"),
    ] {
        let ran = place.run(&["observe", said, "--no-embed", "--at", "2026-11-30T09:00:00+00:00"]).ok();
        assert!(ran.stderr.contains("task: billing-migration ("), "{said}: {}", ran.stderr);
        let statuses: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("status: ")).collect();
        let expected: Vec<&str> = [expected].into_iter().filter(|expected| !expected.is_empty()).collect();
        assert_eq!(statuses, expected, "{said}");
    }
}

#[test]
fn a_mistake_is_told_and_makes_no_store() {
    let place = Place::new();
    for arguments in [
        &["context", "hi"][..],
        &["context", "hi", "--step"],
        &["task", "update", r#"{"actions": [{"action": "next_step"}]}"#],
        &["task", "end"],
        &["task", "abandon-step"],
        &["archive"],
        &["restore", "01a22c56-f4eb-7699-acb3-edad1ff1e79d"],
        &["reindex"],
    ] {
        let ran = place.run(arguments).code(1);
        assert!(ran.stderr.contains("there is no store at store"), "{arguments:?}: {}", ran.stderr);
        assert!(!place.path("store").exists(), "{arguments:?}");
    }
    let place = Place::told("migration.jsonl");
    for (arguments, code, said) in [
        (&["--task", "nosuch", "context", "hi"][..], 4, "there is no task nosuch here: "),
        (&["--task", "nosuch", "recall", "hi"], 4, "there is no task nosuch here: "),
        (&["recall", ""], 2, "it is empty: say what you want to know"),
        (&["context", " "], 2, "it is empty: say what you want to know"),
        (&["context", "x", "--budget", "0"], 2, "give 1 or more"),
        (&["recall", "x", "--limit", "0"], 2, "give 1 or more"),
        (&["search", "x"], 2, "a similar subcommand exists: 'recall'"),
        (&["restore", "abc"], 2, "an event's id is expected"),
        (&["recall", "x", "--explain=abc"], 2, "an event's id is expected"),
        (&["task", "start", ""], 2, "a title is needed"),
        (&["observe", "two", "words"], 2, "put it in quotes"),
        (&["recall", "two", "words"], 2, "put it in quotes"),
        (&["history", "zz9"], 4, "there is no event or task zz9 here: an element is looked for in the task of --task"),
        (&["history", "nosuch"], 4, "there is no event or task nosuch here, and it is no element of a task, like s7"),
    ] {
        let ran = place.run(arguments).code(code);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
}

#[test]
fn an_export_is_not_replayed_but_imported() {
    let place = Place::told("migration.jsonl");
    let exported = place.run(&["export"]).ok();
    assert!(exported.stderr.starts_with("1 owner, "), "{}", exported.stderr);
    place.file("all.jsonl", &exported.stdout);
    // Its end alone has no owner before it.
    let end: String = exported.stdout.lines().skip(3).map(|line| format!("{line}\n")).collect();
    place.file("end.jsonl", &end);
    for file in ["all.jsonl", "end.jsonl"] {
        let ran = place.run(&["--store", "copy", "replay", file]).code(1);
        let said = format!("holdfast: {file} is an export of Holdfast: bring it back with `holdfast import`");
        assert_eq!(ran.stderr.trim_end(), said);
    }
    let line = exported.stdout.lines().nth(1).unwrap();
    let ran = place.run_with(&["observe", "--lines", "--no-embed"], line.as_bytes()).code(3);
    assert!(ran.stderr.contains("has the field \"line\", as the lines of an export have"), "{}", ran.stderr);
}

#[test]
fn what_is_due_is_said_when_a_second_prompt_is_asked_for() {
    let place = Place::new();
    place.run(&["task", "start", "Tidy up"]).ok();
    place.run(&["context", "go on", "--step"]).ok();
    let ran = place.run(&["context", "go on", "--step"]).code(4);
    for said in ["the prompt of this step is out", "the update of this step", "`holdfast task update` writes it back"] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn an_element_has_a_history_of_its_own() {
    let place = Place::told("migration.jsonl");
    let shown = place.run(&["task", "show", "billing-migration"]).ok().stdout;
    let line = shown.lines().find(|line| line.contains("finance has signed off")).unwrap();
    let is_id = |word: &&str| word.strip_prefix('c').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let id = line.split(|c: char| !c.is_alphanumeric()).find(is_id).unwrap();
    let ran = place.run(&["--task", "billing-migration", "history", id]).ok();
    assert!(ran.stdout.contains("finance has signed off"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" +01:00\n"), "times to the second: {}", ran.stdout);
    assert!(!ran.stdout.contains("serve"), "{}", ran.stdout);
    place.run(&["observe", "Continue with the migration", "--no-embed"]).ok();
    let in_session = place.run(&["history", &format!("[{id}]")]).ok();
    assert_eq!(in_session.stdout, ran.stdout, "the session's task, and the brackets of a block");
    let json = place.run(&["--json", "history", id]).ok().json();
    assert!(json[0]["event"]["content"].is_string() && json[0]["operation"]["verb"] == "update", "{json}");
}

#[test]
fn a_hit_can_be_followed() {
    let place = Place::told("weekly-report.jsonl");
    let ran = place.run(&["recall", "退货率"]).ok();
    let id = ran.stdout.lines().nth(1).unwrap().rsplit(' ').next().unwrap().to_owned();
    assert!(place.run(&["history", &id]).ok().stdout.starts_with(&id));
    let long = format!("The depot. {}The depot again.", "word ".repeat(300));
    place.run(&["observe", &long, "--no-embed"]).ok();
    let ran = place.run(&["recall", "depot"]).ok();
    let row = ran.stdout.lines().nth(1).unwrap();
    assert!(row.contains('…') && row.chars().count() < 450, "{row}");
}

#[test]
fn a_report_tells_what_holds_instead() {
    let place = Place::new();
    place.run(&["task", "start", "Fence"]).ok();
    let update = r#"{"actions": [{"action": "plan", "steps": ["Ask for quotes"]}, {"action": "next_step"}, {"action": "complete_step", "result": "Oak costs 6.8k, pine costs 5.9k"}]}"#;
    place.run(&["task", "update", update]).ok();
    let ran = place.run(&["observe", "The oak is not 6.8k, it is 7.3k", "--no-embed"]).ok();
    assert!(ran.stderr.contains("overturned: "), "{}", ran.stderr);
    let ran = place.run(&["report", "--run", "all"]).ok();
    let superseded: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("superseded: ")).collect();
    assert!(!superseded.is_empty() && superseded.iter().all(|line| line.contains(" → ")), "{}", ran.stdout);
    assert!(superseded[0].contains("7.3k"), "{}", ran.stdout);
}
