//! The word lists of this room, compiled once.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;

pub(super) struct Words {
    pub(super) history: Regex,
    pub(super) old_value: Regex,
    pub(super) current: Regex,
    pub(super) asks_agent: Regex,
    pub(super) summary: Regex,
    pub(super) request: Regex,
    pub(super) small_talk: Regex,
    pub(super) state: Regex,
    pub(super) semantic: Regex,
    pub(super) asks_number: Regex,
    pub(super) asks_date: Regex,
    pub(super) update: Regex,
    pub(super) instructs: Regex,
    pub(super) prefers: Regex,
    pub(super) since: Regex,
    pub(super) clock: Regex,
    pub(super) lately: Regex,
    pub(super) yearly: Regex,
    pub(super) range: Regex,
    pub(super) asks: Regex,
    pub(super) former: Regex,
}

pub(super) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| {
        let lists: BTreeMap<String, Vec<String>> = toml::from_str(include_str!("words.toml"))
            .expect("the lists are part of the program, and a test reads them");
        let list = |name: &str| {
            let patterns = lists.get(name).map_or(&[][..], Vec::as_slice);
            // ASCII boundaries: in 「用now吧」 the word is there too, and the fast engine of the crate knows no others.
            Regex::new(&format!("(?i){}", patterns.join("|")).replace(r"\b", r"(?-u:\b)"))
                .expect("the patterns are part of the program, and a test reads them")
        };
        Words {
            history: list("history"),
            old_value: list("old_value"),
            current: list("current"),
            asks_agent: list("asks_agent"),
            summary: list("summary"),
            request: list("request"),
            small_talk: list("small_talk"),
            state: list("state"),
            semantic: list("semantic"),
            asks_number: list("asks_number"),
            asks_date: list("asks_date"),
            update: list("update"),
            instructs: list("instructs"),
            prefers: list("prefers"),
            since: list("since"),
            clock: list("clock"),
            lately: list("lately"),
            yearly: list("yearly"),
            range: list("range"),
            asks: list("asks"),
            former: list("former"),
        }
    })
}
