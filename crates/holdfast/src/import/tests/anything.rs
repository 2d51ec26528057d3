//! Broken files of any kind never panic.

use proptest::prelude::*;

use super::chats::CHAT;
use super::*;
use crate::types::event::{Kind, Source};

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
