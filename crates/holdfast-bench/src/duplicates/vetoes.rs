//! Why two texts can't say the same, however alike they look: two texts in, the reasons out, and how many words they share. Cheap and blind to meaning: whatever is
//! written in two ways (15:00 and 3 in the afternoon, vegetarian and no meat) is a veto too, and costs a merge, not a memory.

use std::collections::BTreeSet;

use holdfast::learn::says_no;
use holdfast::text::fold;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Veto {
    Number,
    /// One says no, and the other does not.
    Negation,
    Day,
    Name,
}

pub fn vetoes(a: &str, b: &str) -> Vec<Veto> {
    let (folded_a, folded_b) = (fold(a), fold(b));
    let ((days_a, rest_a), (days_b, rest_b)) = (days(&folded_a), days(&folded_b));
    let (names_a, names_b) = (names(a), names(b));
    [
        (numbers(&rest_a) != numbers(&rest_b), Veto::Number),
        (says_no(a) != says_no(b), Veto::Negation),
        (days_a != days_b, Veto::Day),
        (!names_a.is_subset(&words(&folded_b)) || !names_b.is_subset(&words(&folded_a)), Veto::Name),
    ]
    .into_iter()
    .filter_map(|(differs, veto)| differs.then_some(veto))
    .collect()
}

const DAYS: [&[&str]; 8] = [
    &["周一", "星期一", "礼拜一", "monday"],
    &["周二", "星期二", "礼拜二", "tuesday"],
    &["周三", "星期三", "礼拜三", "wednesday"],
    &["周四", "星期四", "礼拜四", "thursday"],
    &["周五", "星期五", "礼拜五", "friday"],
    &["周六", "星期六", "礼拜六", "saturday"],
    &["周日", "周天", "星期日", "星期天", "礼拜日", "礼拜天", "sunday"],
    &["周末", "weekend"],
];

/// The days of the week that a text names, and the text without them: 周三 is no three.
fn days(folded: &str) -> (BTreeSet<usize>, String) {
    let mut rest = folded.to_owned();
    let mut found = BTreeSet::new();
    for (day, names) in DAYS.iter().enumerate() {
        for name in *names {
            if rest.contains(name) {
                found.insert(day);
                rest = rest.replace(name, " ");
            }
        }
    }
    (found, rest)
}

const NUMERALS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
const SPOKEN: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The numbers of a text without days, folded. A lone one is none: 一起, "one of them".
fn numbers(folded: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let characters: Vec<char> = folded.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        let goes_on = |at: usize| {
            let digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
            digit(at) || matches!(characters.get(at), Some('.' | ',' | ':')) && at > start && digit(at + 1)
        };
        while goes_on(at) {
            at += 1;
        }
        if at > start {
            let written: String = characters[start..at].iter().filter(|c| **c != ',').collect();
            let hour = written.strip_suffix(":00").unwrap_or(&written);
            let times = characters.get(at).and_then(|c| power(*c)).filter(|times| *times > 10);
            let many = times.and_then(|times| hour.parse::<u64>().ok()?.checked_mul(times));
            found.insert(many.map_or_else(|| hour.to_owned(), |many| many.to_string()));
            continue;
        }
        while characters.get(at).is_some_and(|c| numeral(*c).is_some() || power(*c).is_some()) {
            at += 1;
        }
        // 百分比, 万一
        let lone = at == start + 1 && (characters[start] == '一' || power(characters[start]).is_some_and(|p| p > 10));
        if at > start && !lone {
            found.insert(value(&characters[start..at]).to_string());
        }
        at = at.max(start + 1);
    }
    let spoken = folded.split(|c: char| !c.is_alphanumeric()).filter_map(|w| SPOKEN.iter().position(|s| *s == w));
    found.extend(spoken.filter(|number| *number != 1).map(|number| number.to_string()));
    found
}

fn numeral(c: char) -> Option<u64> {
    let place = NUMERALS.iter().position(|numeral| *numeral == c);
    place.map(|place| place as u64).or((c == '两').then_some(2))
}

fn power(c: char) -> Option<u64> {
    Some(match c {
        '十' => 10,
        '百' => 100,
        '千' => 1_000,
        '万' => 10_000,
        _ => return None,
    })
}

/// 二十六 is 26.
fn value(characters: &[char]) -> u64 {
    let (mut sum, mut last) = (0_u64, None);
    for c in characters {
        match (numeral(*c), power(*c)) {
            (Some(digit), _) => last = Some(digit),
            (_, Some(10_000)) => sum = (sum + last.take().unwrap_or(0)).max(1).saturating_mul(10_000),
            (_, Some(times)) => sum = sum.saturating_add(last.take().unwrap_or(1) * times),
            _ => {}
        }
    }
    sum + last.unwrap_or(0)
}

/// A first word before one of these is who does it: "Ana reviews the code".
const VERBS: &[&str] = &[
    "is", "was", "has", "owns", "reviews", "likes", "prefers", "wants", "works", "lives", "needs", "leads", "uses",
    "handles", "writes", "speaks",
];
const NO_NAMES: &[&str] = &["the", "this", "that", "it", "he", "she", "everything", "everyone", "there", "i", "user"];

/// The names of a text: Latin words within Chinese, words with a capital that does not open a sentence.
fn names(text: &str) -> BTreeSet<String> {
    let chinese = text.chars().any(is_chinese);
    let mut found = BTreeSet::new();
    for sentence in text.split(['.', '!', '?', '。', '！', '？']) {
        let words: Vec<&str> = sentence.split(|c: char| !is_of_a_word(c)).filter(|word| !word.is_empty()).collect();
        for (place, word) in words.iter().enumerate() {
            let stem = stem(word);
            let capitals = word.chars().filter(|c| c.is_uppercase()).count();
            let subject = place == 0 && words.get(1).is_some_and(|next| VERBS.contains(next));
            let named = chinese || capitals > 0 && (place > 0 || capitals > 1 || subject);
            let letters = word.chars().any(char::is_alphabetic);
            let day = DAYS.iter().any(|names| names.contains(&stem.as_str()));
            if named && letters && !day && !NO_NAMES.contains(&stem.as_str()) {
                found.insert(stem);
            }
        }
    }
    found
}

/// How many of the shorter text's words the other has too: Latin words, and Chinese characters, from 0 to 1.
pub fn overlap(a: &str, b: &str) -> f64 {
    let all = |text: &str| {
        let folded = fold(text);
        let chinese = folded.chars().filter(|c| is_chinese(*c)).map(String::from).collect::<Vec<_>>();
        words(&folded).into_iter().chain(chinese).collect::<BTreeSet<String>>()
    };
    let (a, b) = (all(a), all(b));
    a.intersection(&b).count() as f64 / a.len().min(b.len()).max(1) as f64
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}')
}

/// The Latin words of a text, all that a name may be found among.
fn words(folded: &str) -> BTreeSet<String> {
    folded.split(|c: char| !is_of_a_word(c)).filter(|word| !word.is_empty()).map(stem).collect()
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() && !is_chinese(c) || matches!(c, '\'' | '’' | '_' | '+' | '#')
}

/// "Ana's", "PDFs", "I'd": what stands before the sign, without the s of many.
fn stem(word: &str) -> String {
    let folded = fold(word);
    let stem = folded.split(['\'', '’']).next().unwrap_or_default();
    stem.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Veto, vetoes};

    fn check(a: &str, b: &str, expected: &[Veto]) {
        assert_eq!(vetoes(a, b), expected, "{a} / {b}");
    }

    #[test]
    fn what_differs_is_named() {
        check("预算三万", "预算3万", &[]);
        check("空调26度", "空调二十四度", &[Veto::Number]);
        check("at 9:00", "at 9", &[]);
        check("周三开会", "周四开会", &[Veto::Day]);
        check("meet on Friday", "meet on Fridays", &[]);
        check("I like tea", "I don't like tea", &[Veto::Negation]);
        check("Send it to Laura", "Send it to Tom", &[Veto::Name]);
        check("Tom owns billing", "Billing belongs to Tom", &[]);
        check("用Rust写", "用Go写", &[Veto::Name]);
        check("I'd rather get PDFs", "Prefers PDF", &[]);
        // Written in two ways.
        check("周五下午四点", "周五16:00", &[Veto::Number]);
    }
}
