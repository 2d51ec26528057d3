//! Holdfast's own event lines.

use super::*;
use crate::types::event::CONTENT_BYTES_MAX;

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
