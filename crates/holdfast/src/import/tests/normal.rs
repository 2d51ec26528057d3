//! The normal form of records.

use super::*;

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
