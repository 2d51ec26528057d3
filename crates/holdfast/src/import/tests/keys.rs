//! Idempotency keys: what makes the same file twice the same events.

use std::collections::BTreeSet;

use super::chats::CHAT;
use super::*;

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
