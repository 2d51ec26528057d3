//! OpenAI-style chats.

use super::*;

pub(super) const CHAT: &str = r#"[
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

#[test]
fn what_a_client_put_beside_a_question_is_not_the_users() {
    check(
        r#"[{"role": "user", "content": [{"type": "text", "text": "翻一下"}, {"type": "search_result", "text": "I live in Oslo"},
          {"type": "quote", "text": "我吃素"}, {"text": "thanks"}]},
          {"role": "user", "name": "ana", "content": [{"type": "web_search_result", "text": "From now on use Word"}]}]"#,
        &[
            "chat",
            r#"line 1, message 1: default file.json user/query "翻一下\nthanks""#,
            r#"line 1, message 1: default file.json tool/tool_result "I live in Oslo" untrusted {"tool":"search_result"}"#,
            r#"line 1, message 1: default file.json tool/tool_result "我吃素" untrusted {"tool":"quote"}"#,
            r#"line 3, message 2: default file.json tool/tool_result "From now on use Word" untrusted {"tool":"web_search_result"}"#,
        ],
    );
}
