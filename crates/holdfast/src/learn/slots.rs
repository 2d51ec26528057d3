//! What a statement is about, in normal form: 报告格式, 周报的格式 and "report format" are one slot. Word lists in `slots.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::text::{find_whole, fold};
use crate::types::memory::SLOT_PART_BYTES_MAX;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    attribute: Vec<Entry>,
    aspect: Vec<Entry>,
    topic: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    words: Vec<String>,
    #[serde(default = "middling")]
    importance: u8,
    /// A person may have more than one: the value is part of the slot.
    #[serde(default)]
    several: bool,
}

fn middling() -> u8 {
    3
}

/// A property of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    pub importance: u8,
    pub several: bool,
}

struct Lists {
    attributes: BTreeMap<String, Attribute>,
    /// Words of each aspect, folded.
    aspects: Vec<(String, Vec<String>)>,
    /// Longest word first: 周报 is looked for before 报告, "code review" before "code".
    topics: Vec<(String, String)>,
}

fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| {
        let file: File = toml::from_str(include_str!("slots.toml"))
            .expect("the lists are part of the program, and a test reads them");
        let mut attributes = BTreeMap::new();
        for entry in file.attribute {
            let (importance, several) = (entry.importance, entry.several);
            for word in &entry.words {
                attributes.insert(fold(word), Attribute { name: entry.name.clone(), importance, several });
            }
        }
        let aspects = file.aspect.into_iter().map(|e| (e.name, e.words.iter().map(|word| fold(word)).collect()));
        let topics = file.topic.iter().flat_map(|e| e.words.iter().map(|word| (fold(word), e.name.clone())));
        let mut topics: Vec<(String, String)> = topics.collect();
        topics.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Lists { attributes, aspects: aspects.collect(), topics }
    })
}

/// The property that a word names, if it is one that is known to be lasting. 「最喜欢的歌手」 and "favourite singer" have a name
/// of their own.
pub fn attribute(word: &str) -> Option<Attribute> {
    let folded = fold(word);
    let word = folded.trim();
    if let Some(known) = lists().attributes.get(word) {
        return Some(known.clone());
    }
    let favourite = ["最喜欢的", "最爱的", "favorite ", "favourite "].iter().find_map(|lead| word.strip_prefix(lead));
    let name = format!("favourite {}", bounded(favourite?.trim()));
    Some(Attribute { name, importance: 2, several: false })
}

/// The words that name a property, in both languages: by them a memory is found that is written in the other one.
pub fn words_of(attribute: &str) -> Vec<&'static str> {
    let name = attribute.split(": ").next().unwrap_or(attribute);
    let words = lists().attributes.iter().filter(|(_, known)| known.name == name);
    words.map(|(word, _)| word.as_str()).collect()
}

/// The sides of how things are done that an instruction sets: none, one, or several.
pub(super) fn aspects(text: &str) -> BTreeSet<&'static str> {
    let folded = fold(text);
    let named = |words: &[String]| words.iter().any(|word| find_whole(&folded, word.trim()).is_some());
    lists().aspects.iter().filter(|(_, words)| named(words)).map(|(name, _)| name.as_str()).collect()
}

/// What an order is for within a kind of work, where it says so: 给老板的邮件, "tabs in Go". Two orders for two of them don't meet.
pub(super) fn qualifier(text: &str) -> Option<String> {
    static QUALIFIERS: OnceLock<regex::Regex> = OnceLock::new();
    let pattern = r"(?-u:\b)(?:in|for|to|with) ([a-z0-9][a-z0-9+#.]*)|(?:给|对|跟|发给)(\p{Han}{1,4}?)的|在?(\w+)(?:代码|项目|仓库)里?";
    let qualifiers = QUALIFIERS.get_or_init(|| regex::Regex::new(pattern).expect("the pattern is part of the program"));
    const NONE: &[&str] = &[
        "the", "a", "an", "my", "all", "every", "it", "them", "me", "us", "this", "that", "our", "your", "now", "any",
        "我", "我们", "你",
    ];
    let folded = fold(text);
    let named = qualifiers.captures_iter(&folded).filter_map(|found| found.iter().skip(1).flatten().next());
    let of_its_own = |word: &&str| {
        !NONE.contains(word)
            && !SMALL.contains(word)
            && topics_in(word).is_empty()
            && aspects(&format!("in {word}")).is_empty()
            && aspects(word).is_empty()
    };
    let named: BTreeSet<&str> = named.map(|found| found.as_str()).filter(of_its_own).collect();
    (!named.is_empty()).then(|| named.into_iter().collect::<Vec<_>>().join(" "))
}

/// The kind of work a text names first, in normal form.
pub fn topic(text: &str) -> Option<String> {
    let folded = fold(text);
    let found = lists().topics.iter().filter_map(|(word, name)| {
        find_whole(&folded, word).map(|at| (at, std::cmp::Reverse(word.len()), name.clone()))
    });
    found.min().map(|(_, _, name)| name)
}

/// All kinds of work that a text names.
pub fn topics_in(text: &str) -> BTreeSet<String> {
    let mut folded = fold(text);
    let mut found = BTreeSet::new();
    for (word, name) in &lists().topics {
        while let Some(at) = find_whole(&folded, word) {
            found.insert(name.clone());
            // A longer name is not the shorter one inside it as well.
            folded.replace_range(at..at + word.len(), "\u{1}");
        }
    }
    found
}

/// Words that say how long or how politely, and not what.
const SMALL: &[&str] = &[
    "从今以后",
    "从现在起",
    "从现在开始",
    "从今往后",
    "以后",
    "今后",
    "往后",
    "每次",
    "一律",
    "统一",
    "记得",
    "记住",
    "麻烦",
    "请",
    "都",
    "要",
    "的",
    "了",
    "吧",
    "哦",
    "啊",
    "就",
    "也",
    "还是",
    "from now on",
    "from here on",
    "going forward",
    "in future",
    "in the future",
    "every time",
    "each time",
    "by default",
    "please",
    "always",
    "just",
    "also",
    "the",
    "a",
    "an",
    "my",
    "your",
    "i",
    "you",
    "to",
    "me",
];

/// What is left of a text when it does not matter how it is put: the same essence is the same thing said. Numbers, names and
/// negations stay.
pub(super) fn essence(text: &str) -> String {
    let mut folded = fold(text);
    for word in SMALL {
        while let Some(at) = find_whole(&folded, word) {
            folded.replace_range(at..at + word.len(), " ");
        }
    }
    let mut out = String::with_capacity(folded.len());
    for word in folded.split(|c: char| {
        !(c.is_alphanumeric()
            || matches!(
                c,
                '%' | '.' | '-' | '+' | '#' | '<' | '>' | '=' | '≤' | '≥' | '$' | '€' | '£' | '¥' | '/' | '*' | '!'
            ))
    }) {
        // A point ends a sentence and begins .NET; a dash is a sign only before a number.
        let mut word = word.trim_end_matches(['.', '-', '!', '/']);
        if !word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            word = word.trim_start_matches(['-', '/', '!']);
        }
        if !word.is_empty() {
            let ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            if ascii(out.chars().next_back()) && ascii(word.chars().next()) {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

/// What is liked, by the thing: who likes 喝咖啡 and who doesn't drink 咖啡 speak of one.
pub(super) fn liked(essence: &str) -> String {
    let thing =
        ["喝", "吃", "drinking ", "drink ", "eating ", "eat "].iter().find_map(|verb| essence.strip_prefix(verb));
    // "eating out", "eating alone" are no things.
    let is_thing = |thing: &&str| {
        let first = thing.split(' ').next().unwrap_or_default();
        !first.is_empty() && !matches!(first, "out" | "alone" | "in" | "at" | "with" | "and" | "well" | "late")
    };
    thing.filter(is_thing).unwrap_or(essence).to_owned()
}

/// A text as a part of a slot. What is cut ends with a hash of the whole: two long texts that begin alike are two.
pub(super) fn bounded(text: &str) -> String {
    const HASH: usize = 16;
    if text.len() <= SLOT_PART_BYTES_MAX {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(SLOT_PART_BYTES_MAX - HASH - 1)];
    format!("{head}#{}", &blake3::hash(text.as_bytes()).to_hex()[..HASH])
}

/// A text without the words for a kind of work: 「写周报先写结论」 and 「先写结论」 set the same for reports.
pub(super) fn without_topic(text: &str, topic: &str) -> String {
    let mut folded = fold(text);
    for (word, name) in &lists().topics {
        while name == topic
            && let Some(at) = find_whole(&folded, word)
        {
            folded.replace_range(at..at + word.len(), " ");
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_has_one_name_in_both_languages() {
        for (words, name) in [
            (&["住", "地址", "live", "Home"][..], "home"),
            (&["叫", "名字", "name"], "name"),
            (&["过敏", "allergic to"], "allergy"),
            (&["老公", "husband"], "partner"),
            (&["最喜欢的歌手"], "favourite 歌手"),
            (&["favorite singer", "Favourite singer"], "favourite singer"),
        ] {
            for word in words {
                assert_eq!(attribute(word).map(|found| found.name).as_deref(), Some(name), "{word}");
            }
        }
        for word in ["问题", "goal", "question", "项目", ""] {
            assert_eq!(attribute(word), None, "{word}");
        }
    }

    #[test]
    fn kinds_of_work_and_sides_of_it() {
        for (text, expected) in [
            ("报告格式", "report"),
            ("周报的格式", "report"),
            ("the report format", "report"),
            ("月报用PDF", "monthly report"),
            ("code review 的意见", "code review"),
        ] {
            assert_eq!(topic(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(topic("晚饭吃什么"), None);
        assert_eq!(topics_in("周报和code review").into_iter().collect::<Vec<_>>(), ["code review", "report"]);
        for (text, expected) in [
            ("先写结论", &["order"][..]),
            ("用PDF", &["format"]),
            ("conclusion first, in English", &["language", "order"]),
            ("控制在一页", &["length"]),
            ("提醒我喝水", &[]),
        ] {
            assert_eq!(aspects(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn how_it_is_put_makes_no_difference_and_what_is_said_does() {
        for (one, other, expected) in [
            ("以后周报都先写结论", "周报以后都先写结论吧", true),
            ("From now on, always use PDF.", "please use PDF from now on", true),
            ("不要用表格", "用表格", false),
            ("控制在1页", "控制在2页", false),
            ("cc Tom", "cc Tim", false),
            ("use 3.5%", "use 35%", false),
        ] {
            assert_eq!(essence(one) == essence(other), expected, "{one} / {other}: {}", essence(one));
        }
    }
}
