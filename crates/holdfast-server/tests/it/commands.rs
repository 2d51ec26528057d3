//! What each command answers, as text and as JSON.

use serde_json::Value;

use crate::Place;

fn first_id(place: &Place) -> String {
    let journal = place.run(&["--json", "journal", "--verb", "observe", "--limit", "1"]).ok().json();
    journal[0]["target_id"].as_str().unwrap().to_owned()
}

#[test]
fn json_of_every_command_is_one_document() {
    let place = Place::told("migration.jsonl");
    let id = first_id(&place);
    for arguments in [
        &["replay", &crate::example("migration.jsonl"), "--no-embed"][..],
        &["observe", "The call moved to Friday", "--no-embed"],
        &["context", "back to the migration"],
        &["context", "hello"],
        &["recall", "how large is it?"],
        &["recall", "how large is it?", "--explain"],
        &["recall", "zzzz"],
        &["task", "list"],
        &["task", "show", "billing-migration"],
        &["--session", "j", "task", "start", "Tidy up"],
        &["--session", "j", "task", "update", r#"{"actions": [{"action": "plan", "steps": ["Look"]}]}"#],
        &["--session", "j", "context", "go on", "--step"],
        &["--session", "j", "task", "abandon-step"],
        &["--session", "j", "task", "end"],
        &["history", &id],
        &["history", "billing-migration"],
        &["journal"],
        &["journal", "--verb", "archive"],
        &["report"],
        &["report", "--run", "all", "--task", "billing-migration"],
        &["status"],
        &["archive", "--older-than", "0"],
        &["restore", &id],
        &["reindex"],
    ] {
        let arguments: Vec<&str> =
            ["--json", "--user", "maya", "--agent", "dev"].iter().chain(arguments).copied().collect();
        place.run(&arguments).ok().json();
    }
}

#[test]
fn an_export_comes_back_the_same() {
    let place = Place::told("weekly-report.jsonl");
    let exported = place.run(&["export", "--all"]).ok().stdout;
    place.file("all.jsonl", &exported);
    let ran = place.run(&["--store", "copy", "import", "all.jsonl"]).ok();
    // With the events that say that the talk went to another task.
    assert!(ran.stderr.contains("64 events, 4 tasks and 5 memories brought in, 0 known already"), "{}", ran.stderr);
    let copy = place.run(&["--store", "copy", "export", "--all"]).ok().stdout;
    let without_seq = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|mut line| {
                line.as_object_mut().unwrap().remove("seq");
                line.as_object_mut().unwrap().remove("predecessor");
                line
            })
            .collect()
    };
    assert_eq!(without_seq(&exported), without_seq(&copy));
    let again = place.run_with(&["--store", "copy", "--json", "import", "-"], exported.as_bytes()).ok().json();
    assert_eq!((&again["events"], &again["tasks"], &again["unread"]), (&0.into(), &0.into(), &0.into()));
    place.run(&["--store", "copy", "dump"]).ok();
}

#[test]
fn observe_answers_with_the_id_and_tells_the_rest() {
    let place = Place::told("migration.jsonl");
    let ran = place
        .run(&[
            "observe",
            "Back to the migration, my password is Qz7!mv42Lw",
            "--key",
            "k",
            "--metadata",
            "a=b",
            "--no-embed",
        ])
        .ok();
    let id = ran.stdout.trim().to_owned();
    assert_eq!(id.len(), 36, "{}", ran.stdout);
    assert!(ran.stderr.contains("redacted: 1 × password"), "{}", ran.stderr);
    assert!(ran.stderr.contains("task: billing-migration"), "{}", ran.stderr);
    assert!(!place.store_contains("Qz7!mv42Lw"));
    let again = place.run(&["observe", "something else", "--key", "k", "--no-embed"]).ok();
    assert_eq!(again.stdout.trim(), id);
    assert!(again.stderr.contains("known already"), "{}", again.stderr);
    let history = place.run(&["--json", "history", &id]).ok().json();
    assert_eq!(history["event"]["metadata"]["a"], "b");
    for (source, kind) in [("agent", "response"), ("tool", "tool_result"), ("system", "note")] {
        let id = place.run(&["observe", "done", "--source", source, "--no-embed"]).ok().stdout;
        assert_eq!(place.run(&["--json", "history", id.trim()]).ok().json()["event"]["kind"], kind);
    }
}

#[test]
fn lines_are_answered_one_by_one() {
    let place = Place::new();
    let lines = concat!(
        r#"{"source": "user", "kind": "query", "content": "plan the move", "task": "move"}"#,
        "\n",
        r#"{"source": "agent", "kind": "plan", "content": "two steps", "task": "move", "update": {"actions": [{"action": "plan", "steps": ["pack", "drive"]}]}}"#,
        "\n",
    );
    let ran = place.run_with(&["--json", "observe", "--lines", "--no-embed"], lines.as_bytes()).ok();
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[1]["changes"], serde_json::json!(["plan", "plan"]), "one for each step");
}

#[test]
fn the_same_line_said_later_is_another_event() {
    let place = Place::new();
    let id = |line: &str| place.run_with(&["observe", "--lines", "--no-embed"], line.as_bytes()).ok().stdout;
    let yes = r#"{"source": "user", "kind": "response", "content": "yes"}"#;
    assert_ne!(id(yes), id(yes));
    // With a moment or a key it is the same one, sent again.
    let dated =
        r#"{"source": "user", "kind": "response", "content": "yes", "occurred_at": "2026-11-09T09:00:00+08:00"}"#;
    assert_eq!(id(dated), id(dated));
    let keyed = r#"{"source": "user", "kind": "response", "content": "yes", "idempotency_key": "k"}"#;
    assert_eq!(id(keyed), id(keyed));
    assert!(place.run(&["status"]).ok().stdout.contains("events             4, "));
}

#[test]
fn a_query_behind_explain_is_the_query() {
    let place = Place::told("weekly-report.jsonl");
    let ran = place.run(&["recall", "--explain", "退货率"]).ok();
    assert!(ran.stdout.contains("2.8%"), "{}", ran.stdout);
    assert!(ran.stdout.contains("route: "), "{}", ran.stdout);
    let id = first_id(&place);
    let ran = place.run(&["recall", "退货率", &format!("--explain={id}")]).ok();
    assert!(ran.stdout.contains(&id) || ran.stderr.contains("was not among the candidates"), "{ran:?}");
}

#[test]
fn as_of_a_day_is_as_of_its_end() {
    let place = Place::told("weekly-report.jsonl");
    let found = |arguments: &[&str]| {
        let arguments = [&["--zone", "Asia/Shanghai", "recall", "第47周退货率 2.9%"][..], arguments].concat();
        place.run(&arguments).ok().stdout
    };
    assert!(found(&["--as-of", "2026-11-18"]).contains("124.18"));
    assert!(!found(&["--as-of", "2026-11-17"]).contains("124.18"));
    assert!(!found(&["--as-of", "2026-11-18T09:00:00+08:00"]).contains("124.18"));
    assert!(found(&["--since", "2026-11-18"]).contains("124.18"));
    assert!(!found(&["--since", "2026-11-19"]).contains("124.18"));
}

#[test]
fn a_task_from_start_to_end() {
    let place = Place::new();
    let run = |arguments: &[&str]| place.run(&[&["--session", "s"], arguments].concat());
    let started = ["task", "start", "搬家", "--task", "move", "--goal", "月底前搬完", "--constraint", "钢琴不能拆"];
    assert_eq!(run(&started).ok().stdout, "move\n");
    place.file("u.json", r#"{"actions": [{"action": "plan", "steps": ["打包", "搬运"]}, {"action": "next_step"}]}"#);
    assert_eq!(run(&["task", "update", "@u.json"]).ok().stdout, "2\n");
    let ask = place.run_with(
        &["--session", "s", "task", "update", "-"],
        r#"{"actions": [{"action": "ask_decision", "question": "请哪家搬家公司", "who": "妈妈"}]}"#.as_bytes(),
    );
    assert_eq!(ask.ok().stdout, "3\n");
    let shown = run(&["task", "show"]).ok().stdout;
    let timeless: Vec<&str> = shown.lines().filter(|line| !line.starts_with("开始于")).collect();
    insta::assert_snapshot!(timeless.join("\n"), @r#"
    move  搬家  (进行中, 版本 3)
      g2   目标：月底前搬完
      c3   约束：钢琴不能拆
      s4   [>] 打包
      s5   [ ] 搬运
      d6   决定：请哪家搬家公司（妈妈） → 待定
    "#);
    run(&["context", "打包", "--step"]).ok();
    let early = run(&["context", "打包", "--step"]).code(4);
    assert!(early.stderr.contains("task abandon-step"), "{}", early.stderr);
    run(&["task", "abandon-step"]).ok();
    run(&["context", "打包", "--step"]).ok();
    run(&["task", "end", "--outcome", "failure", "--reason", "车坏了"]).ok();
    assert!(run(&["task", "list"]).ok().stderr.contains("no tasks"));
    assert!(run(&["task", "list", "--all"]).ok().stdout.contains("failed"));
    assert!(run(&["history", "move"]).ok().stdout.contains("end_task"));
}

#[test]
fn a_block_and_its_reading_are_reported() {
    let place = Place::told("migration.jsonl");
    let ran = place.run(&["context", "back to the migration", "--budget", "420"]).ok();
    assert!(ran.stderr.contains("tokens (o200k_base), fingerprint "), "{}", ran.stderr);
    assert!(ran.stderr.contains("  left out: "), "{}", ran.stderr);
    let report = place.run(&["report"]).ok().stdout;
    assert!(report.starts_with("served: "), "{report}");
    let chinese = place.run(&["context", "back to the migration", "--language", "zh"]).ok().stdout;
    assert!(chinese.contains("## 目标"), "{chinese}");
}

#[test]
fn what_is_old_is_archived_and_comes_back() {
    let place = Place::told("weekly-report.jsonl");
    let ran = place.run(&["--json", "archive", "--older-than", "0"]).ok().json();
    assert_eq!(ran["events"], 1, "the long reply of the dashboard");
    let journal = place.run(&["--json", "journal", "--verb", "archive"]).ok().json();
    let id = journal[0]["target_id"].as_str().unwrap();
    assert!(place.run(&["history", id]).ok().stdout.contains("archived: "));
    assert!(place.run(&["restore", id]).ok().stdout.contains("partitions"));
}

#[test]
fn completions_know_the_words() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(!place.run(&["completions", shell]).ok().stdout.is_empty());
    }
    assert!(place.run(&["completions", "bash"]).ok().stdout.contains("tool_result"));
}

#[test]
fn whose_memory_is_told_when_it_is_a_question() {
    let place = Place::told("migration.jsonl");
    assert!(place.run(&["task", "list"]).ok().stdout.contains("billing-migration"), "the only owner there is");
    place.run(&["--user", "林悦", "--agent", "小北", "observe", "早", "--no-embed"]).ok();
    let ran = place.run(&["task", "list"]).ok();
    assert!(ran.stderr.contains("maya/dev") && ran.stderr.contains("--user"), "{}", ran.stderr);
    assert!(place.run(&["--user", "maya", "task", "list"]).ok().stdout.contains("billing-migration"));
}
