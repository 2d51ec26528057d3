//! A developer's look at what a text gives, and what must hold for any text.
use super::*;
#[test]
#[ignore = "a look, not a check"]
fn look() {
    let at: ZonedDateTime = "2026-09-16T10:00+08:00[Asia/Shanghai]".parse().expect("a time");
    let texts = std::fs::read_to_string("/tmp/look.txt").expect("texts");
    for text in texts.lines() {
        println!(
            "{text}\n    {}",
            serde_json::to_string(&read(text, &at, Source::User, Lexicon::builtin())).expect("json")
        );
    }
}
