use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::types::event::{CONTENT_BYTES_MAX, Kind, Source, Trust};
use crate::types::moment;

fn reader(input: &[u8]) -> Result<Reader<&[u8]>, ImportError> {
    read(input, "some/where/file.json", Options::default())
}

/// What a file gives, a line for each entry or unread record: the whole of what a caller can see.
fn told(input: &[u8]) -> String {
    let reader = match reader(input) {
        Ok(reader) => reader,
        Err(error) => return format!("error: {error}"),
    };
    let mut told = vec![reader.format().to_string()];
    for entry in reader {
        told.push(match entry {
            Ok(Entry { position, event, update }) => {
                let scope = &event.scope;
                let mut line = format!("{position}: {}", scope.owner.user);
                line += &format!(" {} {}/{} {:?}", scope.session, event.source, event.kind, event.content);
                if let Some(task) = &scope.task {
                    line += &format!(" task={task}");
                }
                if let Some(moment) = &event.occurred_at {
                    line += &format!(" at={}", moment::format(moment));
                }
                if let Some(trust) = event.trust {
                    line += &format!(" {trust}");
                }
                if !event.metadata.is_empty() {
                    line += &format!(" {}", serde_json::to_string(&event.metadata).unwrap());
                }
                if let Some(update) = update {
                    line += &format!(" {} actions", update.actions.len());
                }
                line
            }
            Err(unread) => format!("UNREAD {unread}"),
        });
    }
    told.join("\n")
}

fn check(input: impl AsRef<[u8]>, expected: &[&str]) {
    assert_eq!(told(input.as_ref()), expected.join("\n"));
}

/// The reason why one native line is not read.
fn refused(line: &str, expected: &str) {
    let good = r#"{"source":"user","kind":"query","content":"好"}"#;
    let file = format!("{good}\n{line}\n{good}\n");
    check(
        file,
        &[
            "native",
            "line 1: default default user/query \"好\"",
            &format!("UNREAD line 2: {expected}"),
            "line 3: default default user/query \"好\"",
        ],
    );
}

// Native lines

#[test]
fn a_native_line_is_read_whole() {
    check(
        concat!(
            r#"{"tenant":"t","user":"林悦","agent":"a","session":"周一","task":"周报","source":"agent","kind":"plan","content":"先收集数据","#,
            r#""occurred_at":"2026-11-09T09:00:00+08:00","trust":"trusted","metadata":{"n":1},"idempotency_key":"k","#,
            r#""update":{"actions":[{"action":"plan","steps":["收集"]},{"action":"next_step"}]}}"#
        ),
        &[
            "native",
            r#"line 1: 林悦 周一 agent/plan "先收集数据" task=周报 at=2026-11-09T09:00:00+08:00 trusted {"n":1} 2 actions"#,
        ],
    );
}

#[test]
fn a_byte_order_mark_windows_line_ends_and_blank_lines_are_accepted() {
    check(
        "\u{feff}\r\n{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\r\n\r\n  {\"source\":\"user\",\"kind\":\"query\",\"content\":\"b\"}",
        &["native", r#"line 2: default default user/query "a""#, r#"line 4: default default user/query "b""#],
    );
}

#[test]
fn native_events_may_stand_in_an_array() {
    check(
        "[\n {\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"},\n {\"source\":\"user\",\"kind\":\"note\",\n  \"content\":\"b\"}\n]",
        &["native", r#"line 2: default default user/query "a""#, r#"line 3: default default user/note "b""#],
    );
}

#[test]
fn a_bad_native_line_is_refused_with_its_reason() {
    for (line, expected) in [
        (
            r#"{"source":"user","kind":"query","content":"a"#,
            "is cut off: the JSON ends in the middle, after 44 bytes (the file was cut, or is still being written; write this record again whole)",
        ),
        (r#"{"source":"user","kind":"query"}"#, "the field `content` is missing"),
        (r#"{"kind":"query","content":"a"}"#, "the field `source` is missing (it is one of user, agent, tool, system)"),
        (
            r#"{"source":"user","content":"a"}"#,
            "the field `kind` is missing (it is one of query, response, plan, tool_call, tool_result, status_change, task_switch, feedback, note, imported)",
        ),
        (
            r#"{"source":"usr","kind":"query","content":"a"}"#,
            "`source` is \"usr\", which is none of user, agent, tool, system (did you mean \"user\"?)",
        ),
        (r#"{"source":"sk-1234567890","kind":"query","content":"a"}"#, "`source` is none of user, agent, tool, system"),
        (
            r#"{"source":"user","kind":"tool-call","content":"a"}"#,
            "`kind` is \"tool-call\", which is none of query, response, plan, tool_call, tool_result, status_change, task_switch, feedback, note, imported (did you mean \"tool_call\"?)",
        ),
        (r#"{"source":"user","kind":"query","content":"a","trust":"yes"}"#, "`trust` is none of trusted, untrusted"),
        (
            r#"{"source":"user","kind":"query","contnet":"a"}"#,
            "has an unknown field \"contnet\" (did you mean \"content\"?)",
        ),
        (
            r#"{"source":"user","kind":"query","content":"a","my own":1}"#,
            "has an unknown field (the fields are tenant, user, agent, session, task, source, kind, content, occurred_at, trust, metadata, idempotency_key, update; your own go into `metadata`)",
        ),
        (r#"{"source":"user","source":"agent","kind":"query","content":"a"}"#, "has `source` twice"),
        (r#"{"source":"user","kind":"query","content":""}"#, "the content is empty"),
        (r#"{"source":"user","kind":"query","content":" \n"}"#, "the content is empty"),
        (r#"{"source":"user","kind":"query","content":["a"]}"#, "`content` is an array, not a string"),
        (
            r#"{"source":"user","kind":"query","content":"a\u0000b"}"#,
            "the content has a NUL character at byte 2 (is it binary data?)",
        ),
        (
            "{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\0b\"}",
            "is not JSON: control character (\\u0000-\\u001F) found while parsing a string, column 45",
        ),
        (
            r#"{"source":"user","kind":"query","content":"a","occurred_at":"2026-11-09T09:00:00"}"#,
            "`occurred_at` has no offset from UTC (write it like 2026-11-09T09:00:00+08:00)",
        ),
        (
            r#"{"source":"user","kind":"query","content":"a","occurred_at":"2026-11-09T09:00:00+99:00"}"#,
            "`occurred_at` is not a date and time (write it like 2026-11-09T09:00:00+08:00)",
        ),
        (
            r#"{"source":"user","kind":"query","content":"a","occurred_at":"2026-11-09T09:00:00+08:00[Asia/Tokyo]"}"#,
            "`occurred_at` names a time zone that does not exist, or an offset that is not its offset at that time (write it like 2026-11-09T09:00:00+08:00)",
        ),
        (
            r#"{"source":"user","kind":"query","content":"a","user":""}"#,
            "`user`: a scope id is empty: leave the field out, or give it at least one character",
        ),
        (r#"{"source":"user","kind":"query","content":"a","user":7}"#, "`user` is a number, not a string"),
        (
            r#"{"source":"user","kind":"query","content":"a","session":"a\u0000"}"#,
            "`session`: a scope id contains the control character U+0000",
        ),
        (r#"{"source":"user","kind":"query","content":"a","metadata":"x"}"#, "`metadata` is a string, not an object"),
        (
            r#"{"source":"user","kind":"query","content":"a","idempotency_key":""}"#,
            "`idempotency_key` is empty (leave it out)",
        ),
        (r#"["source"]"#, "is JSON, but not an object"),
        ("hello", "is not JSON"),
        (r#"{"source":"user" "kind":"query"}"#, "is not JSON: expected `,` or `}`, column 18"),
        (r#"{"source":"user","kind":"query","content":"a"} x"#, "is not JSON: trailing characters, column 48"),
    ] {
        refused(line, expected);
    }
}

#[test]
fn a_bad_update_is_refused_with_the_action_that_is_wrong() {
    for (update, expected) in [
        ("7", "`update` has no `actions` (write \"update\": {\"actions\": [{\"action\": \"next_step\"}]})"),
        (r#"{"actions":7}"#, "`update.actions` is not an array"),
        (
            r#"{"actions":[],"reason":"x"}"#,
            "`update`: has an unknown field, expected one of `actions`, `expected_version`, `idempotency_key`",
        ),
        (
            r#"{"actions":[{"action":"next_step"},{"action":"conclud","text":"x"}]}"#,
            "action 2 of `update` is \"conclud\", which is none of set_goal, plan, complete_step, next_step, add_constraint, add_task_constraint, amend_constraint, retract_constraint, result, push_subtask, pop_subtask, conclude, supersede, ask_decision, resolve_decision, warn, clear_warning, artifact, set_stage, add_fact, set_item, set_status, set_due, end (did you mean \"conclude\"?)",
        ),
        (r#"{"actions":[{"action":"conclude"}]}"#, "action 1 of `update`: the field `text` is missing"),
        (
            r#"{"actions":[{"action":"conclude","text":"x","why":"s3cret, expected nothing"}]}"#,
            "action 1 of `update`: has an unknown field, expected `text`",
        ),
        (
            r#"{"actions":[{"action":"conclude","text":["s3cret"]}]}"#,
            "action 1 of `update`: has a value of the wrong type, expected a string",
        ),
        (
            r#"{"actions":[{"action":"set_item","name":"a","status":"s3cret"}]}"#,
            "action 1 of `update`: has an unknown word, expected one of `open`, `paused`, `postponed`, `cancelled`, `done`",
        ),
        (
            r#"{"actions":["s3cret"]}"#,
            "action 1 of `update`: has a value of the wrong type, expected internally tagged enum Action",
        ),
    ] {
        refused(&format!(r#"{{"source":"agent","kind":"plan","content":"a","update":{update}}}"#), expected);
    }
}

#[test]
fn an_update_may_lay_a_constraint_on_the_whole_task() {
    for text in ["不超过500字", "Under 500 words"] {
        let update = serde_json::json!({ "actions": [{ "action": "add_task_constraint", "text": text }] });
        let line = serde_json::json!({ "source": "agent", "kind": "plan", "content": "a", "update": update });
        check(line.to_string(), &["native", r#"line 1: default default agent/plan "a" 1 actions"#]);
    }
}

#[test]
fn text_of_two_mebibytes_is_refused() {
    let long = "长".repeat(2 * 1024 * 1024 / 3);
    refused(
        &format!(r#"{{"source":"user","kind":"query","content":"{long}"}}"#),
        &format!(
            "the content is {} bytes; the limit is {CONTENT_BYTES_MAX} (divide it, or keep it in a file and give its path)",
            long.len()
        ),
    );
}

#[test]
fn a_line_beyond_the_limit_is_passed_over() {
    let long = "a".repeat(RECORD_BYTES_MAX);
    refused(
        &format!(r#"{{"source":"user","kind":"query","content":"{long}"}}"#),
        &format!(
            "is {} bytes long; the limit is {RECORD_BYTES_MAX} (the record was passed over; divide it)",
            RECORD_BYTES_MAX + 45
        ),
    );
}

#[test]
fn metadata_has_a_limit() {
    let long = "a".repeat(70_000);
    refused(
        &format!(r#"{{"source":"user","kind":"query","content":"a","metadata":{{"k":"{long}"}}}}"#),
        "`metadata` is 70008 bytes of JSON; the limit is 65536",
    );
}

#[test]
fn nesting_as_deep_as_the_line_is_long_is_refused() {
    let deep = "[".repeat(100_000);
    refused(
        &format!(r#"{{"source":"user","kind":"query","content":"a","metadata":{deep}"#),
        "is nested too deeply: more than 127 levels",
    );
    let chat = format!("[{{\"role\":\"user\",\"content\":\"a\"}},{}{}]", deep, "]".repeat(100_000));
    check(
        chat,
        &[
            "chat",
            r#"line 1, message 1: default file.json user/query "a""#,
            "UNREAD line 1: is nested too deeply: more than 127 levels",
        ],
    );
}

#[test]
fn invalid_utf_8_costs_its_line() {
    let mut file = br#"{"source":"user","kind":"query","content":"a"}"#.to_vec();
    file.extend(b"\n{\"source\":\"user\",\"kind\":\"query\",\"content\":\"\xB2\xE2\xCA\xD4\"}\n");
    file.extend(br#"{"source":"user","kind":"query","content":"b"}"#);
    check(
        file,
        &[
            "native",
            r#"line 1: default default user/query "a""#,
            "UNREAD line 2: is not valid UTF-8: byte 44 of the record (convert the file to UTF-8, e.g. `iconv -f GB18030 -t UTF-8`)",
            r#"line 3: default default user/query "b""#,
        ],
    );
}

#[test]
fn no_reason_repeats_the_content() {
    let secret = "hunter2-Tm7kd92Lq";
    for line in [
        format!(r#"{{"source":"{secret}","kind":"query","content":"a"}}"#),
        format!(r#"{{"source":"user","kind":"{secret}","content":"a"}}"#),
        format!(r#"{{"source":"user","kind":"query","{secret}":"a"}}"#),
        format!(r#"{{"source":"user","kind":"query","content":{{"{secret}":1}}}}"#),
        format!(r#"{{"source":"user","kind":"query","content":"a","occurred_at":"{secret}"}}"#),
        format!(r#"{{"{secret}":1,"{secret}":2,"source":"user","kind":"query","content":"a"}}"#),
        format!(r#"{{"source":"user","kind":"query","content":"{secret}"#),
        format!(r#"{{"source":"user","kind":"query","content":"a","update":{{"actions":[{{"action":"{secret}"}}]}}}}"#),
        format!(
            r#"{{"source":"user","kind":"query","content":"a","update":{{"actions":[{{"action":"plan","steps":"{secret}"}}]}}}}"#
        ),
        format!(r#"{{"source":"user","kind":"query","content":"a","update":"{secret}"}}"#),
        secret.to_owned(),
        format!(r#"{{"role":"{secret}","content":"a"}}"#),
    ] {
        let file = format!("{}\n{line}\n", r#"{"source":"user","kind":"query","content":"a"}"#);
        let told = told(file.as_bytes());
        assert!(told.contains("UNREAD line 2") && !told.contains(secret), "{told}");
    }
    let chat = told(format!(r#"[{{"role":"user","content":"a"}},{{"role":"{secret}","content":"a"}}]"#).as_bytes());
    assert!(chat.contains("UNREAD") && !chat.contains(secret), "{chat}");
}

// Files of which nothing can be read

#[test]
fn a_file_that_is_nothing_of_ours_is_an_error_that_says_what_it_is() {
    for (input, expected) in [
        (&b""[..], "error: is empty"),
        (b"\xEF\xBB\xBF \r\n\n", "error: is empty"),
        (b"\x1F\x8B\x08\0", "error: is gzip, not text: unpack it first, e.g. `gzip -dc`"),
        (b"SQLite format 3\0", "error: is a SQLite database, not text: export it as JSON lines first"),
        (b"\xFF\xFE{\0", "error: is UTF-16, not text: convert it first, e.g. `iconv -f UTF-16 -t UTF-8`"),
        (b"\x7FELF\x02\0\0", "error: is binary data, not text: export it as JSON lines first"),
        (
            b"Dear diary,\ntoday",
            "error: is not JSON: expected event lines, an OpenAI-style chat, or records of {scope, id, text}",
        ),
        (b"[1, 2]", "error: is not JSON: expected event lines, an OpenAI-style chat, or records of {scope, id, text}"),
        (
            b"{\"name\": \"x\"}",
            "error: is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and \
             `content`, or with `messages`, or with `scope`, `id` and `text`",
        ),
    ] {
        check(input, &[expected]);
    }
    check(
        b"[]",
        &[
            "error: is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and `content`, or with `messages`, or with `scope`, `id` and `text`",
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_directory_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let error = read(File::open(folder.path()).unwrap(), "folder", Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "is a directory: name the files in it");
}

#[test]
fn a_file_of_one_truncated_line_says_so() {
    check(
        r#"{"source":"user","kind":"qu"#,
        &[
            "native",
            "UNREAD line 1: is cut off: the JSON ends in the middle, after 27 bytes (the file was cut, or is still being written; write this record again whole)",
        ],
    );
}

#[test]
fn broken_lines_before_the_first_good_one_are_told() {
    check(
        "# exported on Monday\n{\"kind\":\n{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\n",
        &[
            "native",
            "UNREAD line 1: is not JSON",
            "UNREAD line 2: is cut off: the JSON ends in the middle, after 8 bytes (the file was cut, or is still being written; write this record again whole)",
            r#"line 3: default default user/query "a""#,
        ],
    );
}

#[test]
fn a_reader_that_fails_ends_the_entries_with_its_reason() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("s3cret path"))
        }
    }
    let line = b"{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\n".repeat(2_000);
    let mut entries = read(line.chain(Failing), "f", Options::default()).unwrap();
    let unread = entries.by_ref().find_map(Result::err).unwrap();
    assert_eq!(unread.to_string(), "line 2001: can't be read: other error; what follows was not read");
    assert!(entries.next().is_none());
    assert!(matches!(read(Failing, "f", Options::default()), Err(ImportError::Io(_))));
}

// Chats

const CHAT: &str = r#"[
  {"role": "system", "content": "You help with reports."},
  {"role": "user", "content": [{"type": "text", "text": "看这张图"}, {"type": "image_url", "image_url": {"url": "data:…"}}]},
  {"role": "assistant", "content": null, "refusal": null, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "sales", "arguments": "{\"week\":46}"}},
    {"id": "c2", "type": "function", "function": {"name": "refunds", "arguments": {"week": 46}}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "{\"total\": 128}"},
  {"role": "tool", "tool_call_id": "c2", "name": "refunds", "content": ""},
  {"role": "assistant", "content": "共 128 万", "reasoning_content": "…", "usage": {"total_tokens": 9}}
]"#;

#[test]
fn a_chat_with_tool_calls_becomes_events() {
    check(
        CHAT,
        &[
            "chat",
            r#"line 2, message 1: default file.json system/note "You help with reports.""#,
            r#"line 3, message 2: default file.json user/query "看这张图\n[image]""#,
            r#"line 4, message 3: default file.json agent/tool_call "sales({\"week\":46})" {"tool":"sales","call_id":"c1"}"#,
            r#"line 4, message 3: default file.json agent/tool_call "refunds({\"week\":46})" {"tool":"refunds","call_id":"c2"}"#,
            r#"line 7, message 4: default file.json tool/tool_result "{\"total\": 128}" untrusted {"tool":"sales","call_id":"c1"}"#,
            r#"line 8, message 5: default file.json tool/tool_result "[empty]" untrusted {"tool":"refunds","call_id":"c2"}"#,
            r#"line 9, message 6: default file.json agent/response "共 128 万""#,
        ],
    );
}

#[test]
fn chats_come_in_many_wrappings() {
    let message = r#"{"role":"user","content":"a"}"#;
    let expect = |input: String, format: &str, lines: &[&str]| {
        let mut expected = vec![format];
        expected.extend(lines);
        check(input, &expected);
    };
    let one = r#"line 1, message 1: default file.json user/query "a""#;
    expect(format!("[{message}]"), "chat", &[one]);
    expect(message.to_owned(), "chat", &[one]);
    expect(format!("{message}\n{message}\n"), "chat", &[one, r#"line 2, message 2: default file.json user/query "a""#]);
    expect(
        format!("[{message}]\n[{message}]\n"),
        "chat",
        &[one, r#"line 2, message 1: default file.json#2 user/query "a""#],
    );
    expect(
        format!("{{\n  \"model\": \"m\",\n  \"messages\": [\n{message}]\n}}"),
        "chat_many",
        &[r#"line 1, conversation 1, message 1: default file.json#1 user/query "a""#],
    );
    expect(
        format!("{{\"messages\":[{message}]}}\n{{\"messages\":[{message}],\"conversation_id\":\"谈话\"}}\n"),
        "chat_many",
        &[
            r#"line 1, conversation 1, message 1: default file.json#1 user/query "a""#,
            r#"line 2, conversation 2, message 1: default 谈话 user/query "a""#,
        ],
    );
    expect(
        format!(
            "[{{\"task_id\":0,\"reward\":1,\"traj\":[{message}]}},\n{{\"task_id\":0,\"trial\":1,\"traj\":[{message}]}}]"
        ),
        "chat_many",
        &[
            r#"line 1, conversation 1, message 1: default file.json/0 user/query "a""#,
            r#"line 2, conversation 2, message 1: default file.json/0#2 user/query "a""#,
        ],
    );
    expect(
        format!("[[{message}],[{message}]]"),
        "chat_many",
        &[
            r#"line 1, conversation 1, message 1: default file.json#1 user/query "a""#,
            r#"line 1, conversation 2, message 1: default file.json#2 user/query "a""#,
        ],
    );
}

#[test]
fn messages_of_several_conversations_may_be_mixed() {
    check(
        concat!(
            r#"{"session_id":"x","role":"user","content":"a","timestamp":1762650000}"#,
            "\n",
            r#"{"session_id":"y","role":"user","content":"b"}"#,
            "\n",
            r#"{"session_id":"x","role":"assistant","content":"c"}"#,
            "\n",
        ),
        &[
            "chat",
            r#"line 1, message 1: default x user/query "a" at=2025-11-09T01:00:00Z"#,
            r#"line 2, message 1: default y user/query "b""#,
            r#"line 3, message 2: default x agent/response "c" at=2025-11-09T01:00:00Z {"time":"inherited"}"#,
        ],
    );
}

#[test]
fn older_and_other_tool_calls_are_understood() {
    check(
        concat!(
            r#"[{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{}"}},"#,
            r#"{"role":"function","name":"f","content":"1"},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"g","input":{"q":1}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"2"}]}]}]"#,
        ),
        &[
            "chat",
            r#"line 1, message 1: default file.json agent/tool_call "f({})" {"tool":"f"}"#,
            r#"line 1, message 2: default file.json tool/tool_result "1" untrusted {"tool":"f"}"#,
            r#"line 1, message 3: default file.json agent/response "I look.""#,
            r#"line 1, message 3: default file.json agent/tool_call "g({\"q\":1})" {"tool":"g","call_id":"t"}"#,
            r#"line 1, message 4: default file.json tool/tool_result "2" untrusted {"tool":"g","call_id":"t"}"#,
        ],
    );
}

#[test]
fn a_bad_message_costs_itself() {
    check(
        concat!(
            r#"[{"role":"user","content":"a"},{"role":"asistant","content":"a"},{"role":"user","content":""},{"content":"a"},7,"#,
            r#"{"role":"user","content":7},{"role":"assistant","content":"b","tool_calls":[{"id":"c"},{"function":{"name":"f"}}]},"#,
            r#"{"role":"user","content":"a\u0000"},{"role":"assistant","content":"\n\n"},{"role":"user","content":"c"#,
        ),
        &[
            "chat",
            r#"line 1, message 1: default file.json user/query "a""#,
            r#"UNREAD line 1, message 2: `role` is "asistant", which is none of system, developer, user, assistant, tool, function (did you mean "assistant"?)"#,
            "UNREAD line 1, message 3: the content is empty",
            "UNREAD line 1: has neither a `role` nor a list of `messages`",
            "UNREAD line 1: is a number, not a message or a conversation",
            "UNREAD line 1, message 4: `content` is a number, not a string or an array of parts",
            r#"line 1, message 5: default file.json agent/response "b""#,
            "UNREAD line 1, message 5: a tool call has no function name",
            r#"line 1, message 5: default file.json agent/tool_call "f()" {"tool":"f"}"#,
            "UNREAD line 1, message 6: the content has a NUL character at byte 2 (is it binary data?)",
            "UNREAD line 1: is cut off: the JSON ends in the middle, after 27 bytes (the file was cut, or is still being written; write this record again whole)",
        ],
    );
}

#[test]
fn an_array_that_is_never_closed_is_told() {
    check(
        "[{\"role\":\"user\",\"content\":\"a\"},\n",
        &[
            "chat",
            r#"line 1, message 1: default file.json user/query "a""#,
            "UNREAD line 2: is cut off: the array is never closed (the file was cut, or is still being written; what came before was read)",
        ],
    );
    check(
        "[{\"role\":\"user\",\"content\":\"a\"}] and more",
        &[
            "chat",
            r#"line 1, message 1: default file.json user/query "a""#,
            "UNREAD line 1: is not JSON, and where the next record begins can't be told; what follows was not read",
        ],
    );
}

// The normal form

#[test]
fn records_of_the_normal_form_keep_their_ids_and_lose_their_labels() {
    check(
        concat!(
            r#"{"scope":"马","id":"0","seq":0,"session":"b1","time":"March-15-2024","role":"user","text":"a","event":"5"}"#,
            "\n",
            r#"{"scope":"马","id":"1","seq":1,"session":"b1","time":"","role":"assistant","text":"b"}"#,
            "\n",
            r#"{"scope":"other","id":"1","seq":1,"session":"b1","time":"","role":"push","text":"c","answer":"x"}"#,
            "\n",
            r#"{"scope":"6k","id":"f0","seq":0,"text":"d"}"#,
            "\n",
            r#"{"scope":"6k","id":"f1","seq":1,"time":"next week","text":"d"}"#,
            "\n",
            r#"{"scope":"6k","seq":1,"text":"d"}"#,
            "\n",
            r#"{"id":"f1","seq":1,"text":"d"}"#,
            "\n",
            r#"{"scope":"6k","id":"f2","seq":1,"text":7.5,"role":[]}"#,
            "\n",
        ),
        &[
            "normal",
            r#"line 1: 马 b1 user/query "a" at=2024-03-15T00:00:00Z {"time":"day"}"#,
            r#"line 2: 马 b1 agent/response "b" at=2024-03-15T00:00:00Z {"time":"inherited"}"#,
            r#"line 3: other b1 system/imported "c" {"channel":"push"}"#,
            r#"line 4: 6k default user/note "d""#,
            "UNREAD line 5: `time` is in a form that Holdfast doesn't read (write it like 2026-11-09 09:00:00, or leave it empty)",
            "UNREAD line 6: the field `id` is missing",
            "UNREAD line 7: the field `scope` is missing",
            "UNREAD line 8: `role` is an array, not a string",
        ],
    );
}

// Keys

fn keys(input: &[u8], name: &str) -> Vec<String> {
    let entries = read(input, name, Options::default()).unwrap();
    entries.filter_map(Result::ok).map(|entry| entry.event.idempotency_key.unwrap()).collect()
}

#[test]
fn the_same_file_twice_is_the_same_events_and_equal_lines_are_two() {
    let line = "{\"source\":\"user\",\"kind\":\"query\",\"content\":\"好\"}\n";
    let twice = line.repeat(2);
    let first = keys(twice.as_bytes(), "a");
    assert_eq!(first, keys(twice.as_bytes(), "b"));
    assert_ne!(first[0], first[1]);
    // A log that has grown, also at its beginning, keeps the keys it had.
    let grown = format!("{}{twice}{}", line.replace('好', "早"), line.replace('好', "晚"));
    assert_eq!(keys(grown.as_bytes(), "a")[1..3], first);
    assert_eq!(keys(br#"{"source":"user","kind":"query","content":"a","idempotency_key":"mine"}"#, "a"), ["mine"]);
}

#[test]
fn every_event_of_a_chat_has_its_own_key_and_keeps_it() {
    let first = keys(CHAT.as_bytes(), "/home/a/chat.json");
    assert_eq!(first, keys(CHAT.as_bytes(), "elsewhere/chat.json"));
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 7);
    // Another file may begin with the same words and is another conversation.
    assert_ne!(first[0], keys(CHAT.as_bytes(), "other.json")[0]);
}

// The public data sets, if they are there

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

// The stories in examples/

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
    for (name, events) in [("weekly-report.jsonl", 58), ("migration.jsonl", 21)] {
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

// Anything at all

/// Pieces of which broken files are made.
const SHARDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "\0",
    "\u{feff}",
    "null",
    "1e999",
    "-",
    "true",
    "\\u0000",
    "\\ud800",
    "\"role\":\"user\"",
    "\"content\":\"a\"",
    "\"messages\":[",
    "\"source\":\"user\"",
    "\"kind\":\"query\"",
    "\"scope\":\"a\"",
    "\"id\":\"1\"",
    "\"text\":\"x\"",
    "\"update\":{\"actions\":[",
    "{\"action\":\"next_step\"}",
    "\"time\":\"2024-01-01\"",
    "\"occurred_at\":\"2026-11-09T09:00:00+08:00\"",
    "周报",
    "{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\n",
    "{\"role\":\"user\",\"content\":\"a\"}",
    "{\"scope\":\"a\",\"id\":\"1\",\"text\":\"x\"}\n",
];

fn exhaust(input: &[u8], format: Option<Format>) {
    let options = Options { format, ..Options::default() };
    if let Ok(reader) = read(input, "f", options) {
        let mut before = 0;
        for entry in reader {
            let position = match entry {
                Ok(entry) => {
                    assert!(entry.event.idempotency_key.is_some());
                    entry.position
                }
                Err(unread) => unread.position,
            };
            assert!(position.line >= before, "lines go back");
            before = position.line;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(input in proptest::collection::vec(any::<u8>(), 0..400), format in 0..5_usize) {
        exhaust(&input, [None, Some(Format::Native), Some(Format::Chat), Some(Format::ChatMany), Some(Format::Normal)][format]);
    }

    #[test]
    fn broken_json_never_panics(shards in proptest::collection::vec(0..SHARDS.len(), 0..60), cut in 0..200_usize) {
        let text: String = shards.iter().map(|shard| SHARDS[*shard]).collect();
        let bytes = text.as_bytes();
        exhaust(bytes, None);
        exhaust(&bytes[..cut.min(bytes.len())], None);
    }

    #[test]
    fn a_cut_file_gives_the_entries_before_the_cut(cut in 0..CHAT.len()) {
        let whole: Vec<String> = reader(CHAT.as_bytes()).unwrap().map(|entry| entry.unwrap().event.content).collect();
        if let Ok(reader) = reader(&CHAT.as_bytes()[..cut]) {
            let some: Vec<String> = reader.filter_map(Result::ok).map(|entry| entry.event.content).collect();
            prop_assert_eq!(&whole[..some.len()], &some[..]);
        }
    }

    #[test]
    fn what_serde_writes_is_read_back(content in "\\PC{1,40}", session in "[a-z:%*]{1,8}", seconds in 0..2_000_000_000_i64) {
        prop_assume!(!content.trim().is_empty());
        let scope = Scope { session: session.parse().unwrap(), ..Scope::default() };
        let mut event = RawEvent::new(scope, Source::User, Kind::Query, content);
        event.occurred_at = Some(jiff::Timestamp::from_second(seconds).unwrap().to_zoned_datetime(TimeZone::fixed(jiff::tz::offset(8))));
        event.idempotency_key = Some("k".to_owned());
        let line = serde_json::to_string(&event).unwrap();
        let read = reader(line.as_bytes()).unwrap().next().unwrap().unwrap().event;
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), line);
    }
}
