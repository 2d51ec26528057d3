//! The values a sentence states: times, dates, shares, sums, numbers with what they count. Two statements about the same thing
//! with other values of one kind can't both hold now.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::words::words;
use crate::text::index_terms;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueKind {
    Time,
    Date,
    Share,
    Money,
    Number,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value {
    pub(super) kind: ValueKind,
    /// Without spaces and commas.
    pub(super) text: String,
    /// What a number counts: the words after it.
    pub(super) unit: BTreeSet<String>,
    pub(super) span: Range<usize>,
}

const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec";
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("once", "1"),
    ("twice", "2"),
    ("a single", "1"),
    ("a dozen", "12"),
];

/// Bytes after a number that may say what it counts.
const UNIT_BYTES: usize = 40;
const UNIT_TERMS: usize = 3;
/// Bytes before a value that may say that it is no more.
const FORMER_BYTES: usize = 30;

fn patterns() -> &'static [(ValueKind, Regex)] {
    static PATTERNS: OnceLock<Vec<(ValueKind, Regex)>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let words: Vec<&str> = NUMBER_WORDS.iter().map(|(word, _)| *word).collect();
        let number = format!(
            r"\d[\d,]*(?:\.\d+)?|\b(?:{})\b|[一二两三四五六七八九十]+(?:个|次|本|天|周|年|月|岁|只|条|张|家|位|名|台|辆|公斤|米)",
            words.join("|")
        );
        let date = format!(
            r"\b(?:{MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{MONTHS})\b|\d{{4}}-\d\d?-\d\d?|\d{{1,2}}月\d{{1,2}}[日号]|(?:周|星期|礼拜)[一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
        );
        let compiled = |pattern: &str| Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).expect("the patterns are part of the program, and a test uses them");
        vec![
            (ValueKind::Time, compiled(r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\b(?:[01]?\d|2[0-3]):[0-5]\d\b|(?:[上下中]午|晚上|凌晨) ?\d{1,2}点(?:半|\d{1,2}分)?|\d{1,2}点(?:半|\d{1,2}分)?")),
            (ValueKind::Date, compiled(&date)),
            (ValueKind::Share, compiled(r"\d+(?:\.\d+)? ?(?:%|percent\b)|百分之[\d一二三四五六七八九十]+")),
            (ValueKind::Money, compiled(r"[$€£¥] ?\d[\d,]*(?:\.\d+)?k?|\d[\d,]*(?:\.\d+)? ?(?:dollars|usd|euros?|pounds|yuan|元|块钱?|万元|rmb)")),
            (ValueKind::Number, compiled(&number)),
        ]
    })
}

/// The values of a folded text, kind by kind; what is part of a date is no number.
pub(super) fn values(folded: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for (kind, pattern) in patterns() {
        for hit in pattern.find_iter(folded) {
            let span = hit.range();
            let taken = found.iter().any(|value| value.span.start < span.end && span.start < value.span.end);
            let inside = folded[..span.start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
            if taken || (*kind == ValueKind::Number && inside) {
                continue;
            }
            let text: String = hit.as_str().chars().filter(|c| !matches!(c, ' ' | ',')).collect();
            let text = NUMBER_WORDS
                .iter()
                .find(|(word, _)| *word == hit.as_str())
                .map_or(text, |(_, digits)| (*digits).to_owned());
            let unit = if *kind == ValueKind::Number { unit(&folded[span.end..]) } else { BTreeSet::new() };
            found.push(Value { kind: *kind, text, unit, span });
        }
    }
    found
}

/// Whether a value is said to have held until then: the 9 of "raised from 9 to 10".
pub(super) fn is_former(folded: &str, value: &Value) -> bool {
    let start = folded.floor_char_boundary(value.span.start.saturating_sub(FORMER_BYTES));
    words().former.is_match(&folded[start..value.span.start])
}

fn unit(after: &str) -> BTreeSet<String> {
    let after = &after[..after.floor_char_boundary(UNIT_BYTES)];
    index_terms(after).into_iter().take(UNIT_TERMS).collect()
}

#[cfg(test)]
mod tests {
    use super::{ValueKind, is_former, values};

    #[test]
    fn values_are_told_by_kind() {
        let kinds = |text: &str| values(text).into_iter().map(|v| (v.kind, v.text)).collect::<Vec<_>>();
        assert_eq!(kinds("退货率是2.8%"), [(ValueKind::Share, "2.8%".to_owned())]);
        assert_eq!(
            kinds("评审改到周四下午3点"),
            [(ValueKind::Time, "下午3点".to_owned()), (ValueKind::Date, "周四".to_owned())]
        );
        assert_eq!(kinds("a limit of 1,200 calls"), [(ValueKind::Number, "1200".to_owned())]);
        assert_eq!(kinds("the deadline is march 15"), [(ValueKind::Date, "march15".to_owned())]);
        assert_eq!(kinds("it costs $40 now"), [(ValueKind::Money, "$40".to_owned())]);
        assert_eq!(kinds("see v3.11 of the report"), []);
    }

    #[test]
    fn what_was_is_told_from_what_is() {
        let former = |text: &str| {
            let found = values(text);
            found.into_iter().filter(|value| is_former(text, value)).map(|value| value.text).collect::<Vec<_>>()
        };
        assert_eq!(former("the quota was raised from 1,000 to 1,200 calls"), ["1000"]);
        assert_eq!(former("a budget of $500 instead of the $400 we had"), ["$400"]);
        assert_eq!(former("预算从20万元提高到25万元"), ["20万元"]);
        assert_eq!(former("退货率不是3.2%,是2.8%"), ["3.2%"]);
        assert_eq!(former("the budget is $500 for 12 people"), Vec::<String>::new());
        assert_eq!(former("评审改到3月12日"), Vec::<String>::new());
    }
}
