//! What is no good is said, each with its own reason, its place and what to do; the rest goes on.

use insta::assert_snapshot;

use crate::{Place, example};

/// A whole run as text: its exit code and what it said.
fn told(ran: &crate::Ran) -> String {
    let stdout = if ran.stdout.is_empty() { String::new() } else { format!("\n--- stdout\n{}", ran.stdout.trim_end()) };
    format!("exit {}\n{}{stdout}", ran.code, ran.stderr.trim_end())
}

const GOOD: &str = r#"{"source": "user", "kind": "query", "content": "the weekly report"}"#;

fn replay(content: impl AsRef<[u8]>) -> String {
    let place = Place::new();
    place.file("in.jsonl", content);
    told(&place.run(&["replay", "in.jsonl", "--no-embed"]))
}

/// Why the one bad record was not read; the good one beside it was.
fn not_read(content: impl AsRef<[u8]>) -> String {
    const AROUND: &str = "exit 3
in.jsonl: event lines
1 event recorded, 0 known already
  stored: 1 event (1 query)
  of no task: 1 event
  not read: ";
    let said = replay(content);
    said.strip_prefix(AROUND).unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn a_key_given_as_rules_is_not_repeated() {
    let place = Place::new();
    let key = "mM9CPb7rHT8EOzb/0+H8XZz4A7GKnOLcmz8wSYS3LHU=";
    place.file("redaction.key", key);
    let ran = place.run(&["--redaction", "redaction.key", "observe", "x", "--no-embed"]).code(1);
    assert!(ran.stderr.contains("redaction.key: the redaction rules are not valid TOML"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(&key[..8]), "{}", ran.stderr);
}

#[test]
fn what_was_said_steers_no_terminal() {
    let place = Place::new();
    place.run(&["observe", "invoice \u{1b}[2J\u{202e}paid", "--no-embed"]).ok();
    place.run(&["task", "start", "invoice", "--task", "t", "--constraint", "never \u{1b}[31mred\u{7}"]).ok();
    for arguments in [&["recall", "invoice"][..], &["task", "show", "--task", "t"]] {
        let shown = place.run(arguments).ok().stdout;
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
    }
}

#[test]
fn a_truncated_line() {
    let text = format!("{GOOD}\n{}\n", &GOOD[..40]);
    assert_snapshot!(not_read(text), @r#"in.jsonl, line 2: is cut off: the JSON ends in the middle, after 40 bytes (the file was cut, or is still being written; write this record again whole)"#);
}

#[test]
fn an_unknown_kind() {
    let text = format!("{GOOD}\n{}\n", GOOD.replace("query", "qeury"));
    assert_snapshot!(not_read(text), @r#"in.jsonl, line 2: `kind` is "qeury", which is none of query, response, plan, tool_call, tool_result, status_change, task_switch, feedback, note, imported (did you mean "query"?)"#);
}

#[test]
fn two_mebibytes() {
    let text = format!("{}\n{GOOD}\n", GOOD.replace("weekly", &"w".repeat(2 * 1024 * 1024)));
    assert_snapshot!(not_read(text), @r#"in.jsonl, line 1: the content is 2097163 bytes; the limit is 1048576 (divide it, or keep it in a file and give its path)"#);
}

#[test]
fn nul() {
    let text = format!("{}\n{GOOD}\n", GOOD.replace("weekly", "week\\u0000ly"));
    assert_snapshot!(not_read(text), @r#"in.jsonl, line 1: the content has a NUL character at byte 9 (is it binary data?)"#);
}

#[test]
fn invalid_utf8() {
    let mut bytes = format!("{GOOD}\n").into_bytes();
    bytes.extend(GOOD.as_bytes().iter().map(|byte| if *byte == b'w' { 0xff } else { *byte }));
    assert_snapshot!(not_read(bytes), @r#"in.jsonl, line 2: is not valid UTF-8: byte 53 of the record (convert the file to UTF-8, e.g. `iconv -f GB18030 -t UTF-8`)"#);
}

#[test]
fn an_update_that_does_not_fit() {
    let update = r#", "task": "t", "update": {"actions": [{"action": "complete_step"}]}}"#;
    assert_snapshot!(replay(GOOD.replace('}', update)), @r#"
    exit 3
    in.jsonl: event lines
    1 event recorded, 0 known already
      stored: 1 event (1 query)
      task t: 1 event, 0 changes
      update refused: in.jsonl, line 1: no step is in hand: name the step, or take one up with next_step
    "#);
}

#[test]
fn a_secret_in_a_bad_line_is_not_repeated() {
    let line = r#"{"source": "user", "kind": "the password is Qz7!mv42Lw", "content": "x"}"#;
    let said = replay(format!("{GOOD}\n{line}\n"));
    assert!(!said.contains("Qz7!mv42Lw"), "{said}");
}

#[test]
fn many_bad_lines_are_counted() {
    let said = replay(format!("{GOOD}\n{}", "nonsense\n".repeat(50)));
    assert_eq!(said.matches("not read: in.jsonl, line ").count(), 20);
    assert!(said.contains("not read: and 30 more"), "{said}");
}

#[test]
fn files_that_are_nothing_to_read_leave_no_store() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.file("folder/b.jsonl", GOOD);
    place.file("empty", "");
    place.file("prose", "Dear diary,\n");
    place.file("other.json", r#"{"colour": "red"}"#);
    place.file("packed.jsonl", b"\x1F\x8B\x08\x00");
    let all = ["folder", "empty", "prose", "other.json", "packed.jsonl", "not-there"];
    let said: Vec<String> = all.iter().map(|file| told(&place.run(&["replay", file]))).collect();
    assert_snapshot!(said.join("\n"), @r#"
    exit 1
    holdfast: folder is a directory: name the files in it, for example folder/b.jsonl
    exit 1
    holdfast: empty is empty
    exit 1
    holdfast: prose is not JSON: expected event lines, an OpenAI-style chat, or records of {scope, id, text}
    exit 1
    holdfast: other.json is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and `content`, or with `messages`, or with `scope`, `id` and `text`
    exit 1
    holdfast: packed.jsonl is gzip, not text: unpack it first, e.g. `gzip -dc`
    exit 1
    holdfast: can't open not-there: No such file or directory (os error 2)
    "#);
    assert!(!place.path("store").exists());
}

#[test]
fn one_bad_file_among_good_ones_costs_itself() {
    let place = Place::new();
    place.file("good.jsonl", GOOD);
    let ran = place.run(&["replay", "not-there", "good.jsonl", "--no-embed"]).code(3);
    assert_snapshot!(told(&ran), @r#"
    exit 3
    good.jsonl: event lines
    1 event recorded, 0 known already
      stored: 1 event (1 query)
      of no task: 1 event
      not read: can't open not-there: No such file or directory (os error 2)
    "#);
    let ran = place.run(&["replay", "not-there", "nor-this", "--no-embed"]).code(1);
    assert_snapshot!(told(&ran), @r#"
    exit 1
    0 events recorded, 0 known already
      not read: can't open not-there: No such file or directory (os error 2)
      not read: can't open nor-this: No such file or directory (os error 2)
    holdfast: none of the files could be read
    "#);
}

#[test]
fn observing() {
    let place = Place::new();
    let observe = |stdin: &[u8]| told(&place.run_with(&["observe", "--no-embed"], stdin));
    assert_snapshot!(observe(b""), @r#"
    exit 4
    holdfast: the content is empty: an event says something
    "#);
    assert_snapshot!(observe(b" \n"), @r#"
    exit 4
    holdfast: the content is empty: an event says something
    "#);
    assert_snapshot!(observe(b"a\0b"), @r#"
    exit 4
    holdfast: the content contains NUL (U+0000): send text, or encode what isn't
    "#);
    assert_snapshot!(observe(b"caf\xe9"), @r#"
    exit 4
    holdfast: stdin is not UTF-8 from byte 4: convert it first, e.g. with iconv
    "#);
    assert_snapshot!(observe(&vec![b'x'; 2 * 1024 * 1024]), @r#"
    exit 4
    holdfast: the content is 2097152 bytes long; the limit is 1048576: split it, or store a reference to it
    "#);
    let lines = format!("{GOOD}\n{{\"source\": \"user\"}}\n");
    let ran = place.run_with(&["observe", "--no-embed", "--lines"], lines.as_bytes()).code(3);
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_snapshot!(ran.stderr.trim_end(), @r"
    of no task: the session is on no task, and nothing in it names one
    not read: line 2: the field `kind` is missing (it is one of query, response, plan, tool_call, tool_result, status_change, task_switch, feedback, note, imported)
    ");
    assert_snapshot!(told(&place.run_with(&["observe", "--no-embed", "--lines"], b"")), @r#"
    exit 1
    holdfast: stdin is empty
    "#);
}

/// A file whose second owner's line is broken: what follows is nobody's, and not the first one's.
#[test]
fn what_follows_a_broken_owners_line_is_brought_in_for_nobody() {
    let place = Place::new();
    for (user, text) in [("maya", "帮我写周报"), ("林悦", "以后合同都用英文写")] {
        assert_eq!(place.run(&["--store", "from", "--user", user, "observe", text]).code, 0);
    }
    let exported = place.run(&["--store", "from", "export", "--all"]).stdout;
    let second = exported.match_indices(r#"{"line":"owner""#).nth(1).unwrap().0;
    let broken = format!("{}{}", &exported[..second], exported[second..].replacen("\"version\":1", "\"version\":", 1));
    let file = place.file("broken.jsonl", broken);
    let ran = place.run(&["--store", "to", "import", &file]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("whose it is can't be told"), "{}", ran.stderr);
    let again = place.run(&["--store", "to", "export", "--all"]).stdout;
    assert!(again.contains("帮我写周报") && !again.contains("英文"), "{again}");
}

#[test]
fn importing() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    place.file("empty", "\n");
    place.file("future", r#"{"line": "owner", "version": 99, "owner": {}}"#);
    place.file("far", r#"{"line": "owner", "version": 99999999999, "tenant": "a"}"#);
    place.file("beyond", r#"{"line": "owner", "version": 123456789012345678901234567890, "owner": {}}"#);
    place.file(
        "later",
        "{\"line\": \"owner\", \"version\": 1, \"owner\": {}}\n{\"line\": \"owner\", \"version\": 4294967296}\n",
    );
    place.file("half", "{\"line\": \"owner\", \"version\": 1, \"owner\": {}}\n{\"line\": \"event\", \"id\": \n");
    let story = example("migration.jsonl");
    let all = ["folder", "empty", "not-there", "future", "far", "beyond", "later", "half", &story];
    let said = all.iter().map(|file| told(&place.run(&["import", file])).replace(&story, "migration.jsonl"));
    assert_snapshot!(said.collect::<Vec<_>>().join("\n"), @r#"
    exit 1
    holdfast: folder is a directory: name a file that `holdfast export` wrote
    exit 1
    holdfast: empty is empty
    exit 1
    holdfast: can't open not-there: No such file or directory (os error 2)
    exit 4
    holdfast: future, line 1: written by a newer Holdfast, version 99; this one reads up to 1
    exit 4
    holdfast: far, line 1: written by a newer Holdfast, version 99999999999; this one reads up to 1
    exit 4
    holdfast: beyond, line 1: written by a newer Holdfast, version 1.2345678901234568e+29; this one reads up to 1
    exit 4
    holdfast: later, line 2: written by a newer Holdfast, version 4294967296; this one reads up to 1
    exit 3
    not read: half, line 2: not a line of an export (Eof at column 24)
    0 events, 0 tasks and 0 memories brought in, 0 known already
    exit 4
    holdfast: migration.jsonl, line 1: an export begins with its owner, and this is none. Chats, event lines and data sets are read by `holdfast replay`
    "#);
}

#[test]
fn updates() {
    let place = Place::new();
    place.run(&["task", "start", "Move", "--task", "move", "--no-embed"]).code(2);
    place.run(&["task", "start", "Move", "--task", "move"]).ok();
    let update = |update: &str| told(&place.run(&["--task", "move", "task", "update", update]));
    let said: Vec<String> = [
        "next",
        r#"{"action": "next_step"}"#,
        r#"{"actions": []}"#,
        r#"{"actions": [{"action": "result", "text": "ok"}, {"action": "nextstep"}]}"#,
        r#"{"actions": [{"action": "result", "txt": "ok"}]}"#,
        r#"{"actions": [{"action": "next_step"}]}"#,
        r#"{"actions": [{"action": "result", "text": "ok"}], "expected_version": 7}"#,
        "@not-there",
    ]
    .iter()
    .map(|text| update(text))
    .collect();
    assert_snapshot!(said.join("\n"), @r#"
    exit 4
    holdfast: the update can't be read: it is not JSON: expected ident at line 1 column 2. It looks like {"actions": [{"action": "complete_step", "result": "…"}, {"action": "next_step"}]}
    exit 4
    holdfast: the update can't be read: unknown field `action`, expected one of `actions`, `expected_version`, `idempotency_key`. It looks like {"actions": [{"action": "complete_step", "result": "…"}, {"action": "next_step"}]}
    exit 4
    holdfast: the update has no actions: send at least one, or none at all
    exit 4
    holdfast: the update can't be read: actions[1] (nextstep): unknown variant `nextstep`, expected one of `set_goal`, `plan`, `complete_step`, `next_step`, `add_constraint`, `add_task_constraint`, `amend_constraint`, `retract_constraint`, `result`, `push_subtask`, `pop_subtask`, `conclude`, `supersede`, `ask_decision`, `resolve_decision`, `warn`, `clear_warning`, `artifact`, `set_stage`, `add_fact`, `set_item`, `set_status`, `set_due`, `end`. It looks like {"actions": [{"action": "complete_step", "result": "…"}, {"action": "next_step"}]}
    exit 4
    holdfast: the update can't be read: actions[0] (result): unknown field `txt`, expected `text`. It looks like {"actions": [{"action": "complete_step", "result": "…"}, {"action": "next_step"}]}
    exit 4
    holdfast: no step is left to do: add steps with plan, or end the task
    exit 4
    holdfast: the task is at version 1, not 7: read it again and send the update with expected_version 1
    exit 1
    holdfast: can't read not-there: No such file or directory (os error 2)
    "#);
    assert_snapshot!(told(&place.run(&["--session", "other", "task", "show"])), @r#"
    exit 4
    holdfast: no task was named, and the session is on none: name one, or start one (--task ID, or --session ID of one that is on a task; `holdfast task list` shows the tasks)
    "#);
    assert_snapshot!(told(&place.run(&["task", "show", "other"])), @r#"
    exit 4
    holdfast: there is no task other here: list them with `task list`
    "#);
    assert_snapshot!(told(&place.run(&["task", "start", "Move", "--task", "move"])), @r#"
    exit 4
    holdfast: there is already a task move: choose another id, or go on with it
    "#);
}

#[test]
fn wrong_usage() {
    let place = Place::told("migration.jsonl");
    for arguments in [
        &["recall", "dump", "--kind", "qeury"][..],
        &["recall", "dump", "--source", "me"],
        &["recall", "dump", "--since", "one day"],
        &["recall", "dump", "--limit", "-1"],
        &["observe", "x", "--at", "2026-11-09"],
        &["observe", "x", "--at", "yesterday"],
        &["observe", "x", "--metadata", "colour"],
        &["observe", "x", "--lines"],
        &["observe", "x", "--user", ""],
        &["context", "x", "--tokenizer", "words"],
        &["context", "x", "--budget", "all"],
        &["journal", "--verb", "eat"],
        &["report", "--run", "last"],
        &["restore", "7"],
        &["task", "end", "--outcome", "well"],
        &["status", "--embedding", "magic"],
        &["status", "--embedding", "http://localhost:1"],
        &["status", "--zone", "Mars/Olympus"],
        &["status", "--store", ""],
        &["replay"],
        &["eat"],
    ] {
        let ran = place.run(arguments).code(2);
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    assert_snapshot!(told(&place.run(&["recall", "dump", "--since", "one day"])), @r#"
    exit 2
    holdfast: "one day" is no time: write it like 2026-11-09T09:00:00+08:00, 2026-11-09, 昨天 or "last Friday"
    "#);
    assert_snapshot!(told(&place.run(&["status", "--zone", "Mars/Olympus"])), @r#"
    exit 2
    error: invalid value 'Mars/Olympus' for '--zone <ZONE>': there is no such zone: give one like Asia/Shanghai or +08:00

    For more information, try '--help'.
    "#);
}

#[test]
fn a_budget_too_small_for_what_is_never_cut() {
    let place = Place::told("migration.jsonl");
    assert_snapshot!(told(&place.run(&["context", "back to the migration", "--budget", "50"]).code(4)), @r#"
    exit 4
    holdfast: 1 goal, 3 constraints, 1 current step, 1 open decision need 177 tokens together and the budget is 50: they are never cut, so raise the budget, retract constraints, or divide the task
    "#);
}

#[test]
fn a_store_that_is_not_there_is_named_and_not_made() {
    let place = Place::new();
    for arguments in [
        &["recall", "x"][..],
        &["status"],
        &["task", "list"],
        &["task", "show", "x"],
        &["history", "x"],
        &["journal"],
        &["report"],
        &["export"],
        &["dump"],
    ] {
        let ran = place.run(arguments).code(1);
        assert_eq!(ran.stdout, "");
        assert_eq!(
            ran.stderr.trim_end(),
            "holdfast: there is no store at store: record something first, or check --store and HOLDFAST_STORE"
        );
    }
    assert!(!place.path("store").exists());
}

#[test]
fn what_is_no_store() {
    let place = Place::new();
    place.file("store", "not a directory");
    assert_snapshot!(told(&place.run(&["observe", "x", "--no-embed"]).code(1)), @r#"
    exit 1
    holdfast: store can't be written: File exists (os error 17). Give a directory this user may write to with --store or HOLDFAST_STORE
    "#);
    assert_snapshot!(told(&place.run(&["status"]).code(1)), @r#"
    exit 1
    holdfast: there is no store at store: record something first, or check --store and HOLDFAST_STORE
    "#);
}

/// A file that whoever ran first left empty is no store yet: those who look are told so, and who records makes it.
#[test]
fn an_empty_file_is_no_store_yet_for_any_command() {
    let place = Place::new();
    std::fs::create_dir(place.path("store")).unwrap();
    place.file("store/holdfast.db", "");
    for arguments in [&["status"][..], &["recall", "x"], &["task", "list"], &["log"], &["export"], &["dump"]] {
        let said = told(&place.run(arguments));
        if !said.contains("unrecognized") {
            assert_eq!(
                said,
                "exit 1\nholdfast: there is no store at store: record something first, or check --store and HOLDFAST_STORE",
                "{arguments:?}"
            );
        }
    }
    place.run(&["observe", "the weekly report", "--no-embed"]).ok();
    place.run(&["status"]).ok();
}

#[test]
fn a_store_may_be_called_like_a_uri() {
    let place = Place::new();
    for name in ["file:notes", "file:a?mode=memory", "file:///b#c", "file:%2e"] {
        let run = |arguments: &[&str]| place.run(&[&["--store", name], arguments].concat());
        run(&["observe", "the weekly report", "--no-embed"]).ok();
        let found = run(&["recall", "weekly report", "--json"]).ok();
        assert!(found.stdout.contains("the weekly report"), "{name}: {}", found.stdout);
        assert!(place.path(name).join("holdfast.db").is_file(), "{name}");
    }
    let files = std::fs::read_dir(place.folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let strays: Vec<_> = files.filter(|name| !name.to_string_lossy().starts_with("file:")).collect();
    assert!(strays.is_empty(), "{strays:?}");
}

#[test]
fn a_damaged_store_is_named_once() {
    let place = Place::new();
    std::fs::create_dir(place.path("store")).unwrap();
    place
        .file("store/holdfast.db", "this is not a database of any kind, but it is long enough to look into".repeat(20));
    for arguments in [&["status"][..], &["recall", "x"], &["observe", "x", "--no-embed"]] {
        let said = place.run(arguments).code(1).stderr;
        assert_eq!(said.matches("store: ").count(), 1, "{said}");
    }
}
