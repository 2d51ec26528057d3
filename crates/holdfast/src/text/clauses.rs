//! Clauses of a text that tells several things at once, and which of them rest on one value: a number that was put right takes its
//! trend with it (「3.2%，连续两周上升」), and leaves what is said of other things (「顺达 6.8 万；铁牛 5.9 万」).

use std::collections::BTreeSet;
use std::ops::Range;

use super::compare::{find_value, find_whole};
use super::normalise::fold;
use super::statement::numbers;

/// Say how a value goes beside others: they rest on it.
const TRENDS: &[&str] = &[
    "涨",
    "跌",
    "上升",
    "下降",
    "升了",
    "降了",
    "升到",
    "降到",
    "升至",
    "降至",
    "回升",
    "回落",
    "攀升",
    "增长",
    "增加",
    "减少",
    "走高",
    "走低",
    "持平",
    "变高",
    "变低",
    "升高",
    "降低",
    "翻倍",
    "新高",
    "新低",
    "恶化",
    "好转",
    "改善",
    "偏高",
    "偏低",
    "最高",
    "最低",
    "环比",
    "同比",
    "rising",
    "rose",
    "risen",
    "rise",
    "falling",
    "fell",
    "fallen",
    "up",
    "down",
    "higher",
    "lower",
    "highest",
    "lowest",
    "growing",
    "grew",
    "grown",
    "increased",
    "increasing",
    "decreased",
    "decreasing",
    "dropped",
    "dropping",
    "improved",
    "improving",
    "worse",
    "better",
    "doubled",
    "climbing",
    "climbed",
    "flat",
];
/// A shorter name is in too many clauses to tell what one is about.
const NAME_CHARACTERS_MIN: usize = 2;

/// A stretch between commas, semicolons and sentence ends, and the first clause's place of the sentence it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    range: Range<usize>,
    segment: usize,
}

/// Clauses without the marks between them. A comma within a number or brackets divides nothing.
fn clauses(text: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let (mut start, mut segment, mut depth) = (0, 0, 0usize);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, c)| *c);
        match c {
            '（' | '(' => depth += 1,
            '）' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends_segment = match c {
            '\n' => true,
            '；' | '。' | '！' | ';' | '!' => depth == 0,
            '.' => depth == 0 && next.is_none_or(char::is_whitespace),
            _ => false,
        };
        let divides =
            ends_segment || depth == 0 && (c == '，' || c == ',' && !next.is_some_and(|next| next.is_ascii_digit()));
        if divides {
            push(text, start..at, segment, &mut found);
            start = at + c.len_utf8();
        }
        if ends_segment {
            segment += 1;
            depth = 0;
        }
    }
    push(text, start..text.len(), segment, &mut found);
    found
}

fn push(text: &str, range: Range<usize>, segment: usize, found: &mut Vec<Clause>) {
    let said = &text[range.clone()];
    let start = range.start + (said.len() - said.trim_start().len());
    if !said.trim().is_empty() {
        found.push(Clause { range: start..start + said.trim().len(), segment });
    }
}

/// A text with a value replaced where it stands, and without the clauses that say how it goes. `about` is what was said of it: of
/// several places with the value, the one whose clause has most of those words is meant, or else all. `None`: the value isn't there.
pub fn with_value(text: &str, old: &str, new: &str, about: &str) -> Option<String> {
    let all = clauses(text);
    let mut places: Vec<(Range<usize>, &Clause)> = Vec::new();
    for place in find_value(text, old) {
        places.extend(
            all.iter()
                .find(|clause| clause.range.start <= place.start && place.end <= clause.range.end)
                .map(|c| (place, c)),
        );
    }
    if places.len() > 1 {
        let shared = |clause: &Clause| shared_names(&text[clause.range.clone()], about);
        let best = places.iter().map(|(_, clause)| shared(clause)).max().unwrap_or(0);
        if best > 0 {
            places.retain(|(_, clause)| shared(clause) == best);
        }
    }
    if places.is_empty() {
        return None;
    }
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for (place, clause) in &places {
        let name = text[clause.range.start..place.start].trim();
        edits.push((with_unit(text, place, old, new), new.trim()));
        for other in &all {
            let said = &text[other.range.clone()];
            let follows = other.segment == clause.segment && other.range.start > clause.range.start;
            let rests = follows && !has_digit(said) || is_name(name) && find_whole(&fold(said), &fold(name)).is_some();
            let place_in_it = places.iter().any(|(_, clause)| clause.range == other.range);
            if rests && !place_in_it && is_trend(said) && !edits.iter().any(|(range, _)| range.end == other.range.end) {
                // With the mark before it.
                let mark = text[..other.range.start].trim_end();
                let mark = mark.trim_end_matches(['，', ',', '；', ';', '。', '.']);
                edits.push((mark.len()..other.range.end, ""));
            }
        }
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in edits {
        text.replace_range(range, new);
    }
    Some(text)
}

/// The value with the unit behind it, where only the new value says the unit.
fn with_unit(text: &str, place: &Range<usize>, old: &str, new: &str) -> Range<usize> {
    let bare = |value: &str| {
        value.trim().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')).trim().to_owned()
    };
    let (old_unit, unit) = (bare(old), bare(new));
    let rest = &text[place.end..];
    let said = rest.trim_start_matches(' ');
    if old_unit.is_empty() && !unit.is_empty() && said.starts_with(&unit) {
        place.start..place.end + (rest.len() - said.len()) + unit.len()
    } else {
        place.clone()
    }
}

/// Clauses of a sentence that stand when `old` does not: each has a name and a number of its own, none of `old`'s, and no trend. Those
/// that follow each other are one range. None, where it can't be told which number is overturned.
pub fn standing(sentence: &str, old: &str, new: Option<&str>) -> Vec<Range<usize>> {
    let kept = new.map(numbers).unwrap_or_default();
    let gone: BTreeSet<String> = numbers(old).difference(&kept).cloned().collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for (place, clause) in clauses(sentence).into_iter().enumerate() {
        let said = &sentence[clause.range.clone()];
        let own = said.find(|c: char| c.is_ascii_digit()).is_some_and(|at| is_name(said[..at].trim()));
        if !own || is_trend(said) || !numbers(said).is_disjoint(&gone) {
            continue;
        }
        match found.last_mut() {
            Some((last, range)) if *last + 1 == place => (*last, range.end) = (place, clause.range.end),
            _ => found.push((place, clause.range)),
        }
    }
    found.into_iter().map(|(_, range)| range).collect()
}

fn is_trend(clause: &str) -> bool {
    let folded = fold(clause);
    TRENDS.iter().any(|word| find_whole(&folded, word).is_some())
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= NAME_CHARACTERS_MIN || letters > 0 && text.is_ascii()
}

/// How many words of a clause stand in another text.
fn shared_names(clause: &str, about: &str) -> usize {
    let words = |text: &str| -> BTreeSet<String> { super::tokenise::index_terms(text).into_iter().collect() };
    let of_clause: BTreeSet<String> =
        words(clause).into_iter().filter(|word| !has_digit(word) && word.chars().any(char::is_alphabetic)).collect();
    of_clause.intersection(&words(about)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_is_replaced_and_its_trend_goes() {
        for (text, old, new, about, expected) in [
            (
                "A 6.8k insured; B 5.9k not insured; C 9.2k over budget",
                "6.8k",
                "7.3k",
                "",
                "A 7.3k insured; B 5.9k not insured; C 9.2k over budget",
            ),
            (
                "顺达 6.8 万含保险；铁牛 5.9 万不含保险",
                "6.8 万",
                "7.3 万",
                "",
                "顺达 7.3 万含保险；铁牛 5.9 万不含保险",
            ),
            ("顺达6.8万含保险；铁牛5.9万", "6.8 万", "7.3 万", "", "顺达7.3 万含保险；铁牛5.9万"),
            ("dump 跑完了，14 GB，41 分钟", "14 GB", "18 GB", "", "dump 跑完了，18 GB，41 分钟"),
            ("dump ok, 14 GB, 41 minutes", "14", "18 GB", "", "dump ok, 18 GB, 41 minutes"),
            ("rows: 120\nrate: 3.2%\nfailed: 1", "3.2%", "2.8%", "", "rows: 120\nrate: 2.8%\nfailed: 1"),
            ("退货率 3.2%，连续两周上升", "3.2%", "2.8%", "", "退货率 2.8%"),
            (
                "The rate is 3.2%, up two weeks in a row. Sales are 5k.",
                "3.2%",
                "2.8%",
                "",
                "The rate is 2.8%. Sales are 5k.",
            ),
            ("退货率 3.2%。退货率连着两周在涨。销售额在涨", "3.2%", "2.8%", "", "退货率 2.8%。销售额在涨"),
            ("顺达 6.8 万，铁牛涨了 5%", "6.8 万", "7.3 万", "", "顺达 7.3 万，铁牛涨了 5%"),
            (
                "顺达 6.8 万；铁牛 6.8 万",
                "6.8 万",
                "7.3 万",
                "铁牛的报价不是 6.8 万，是 7.3 万",
                "顺达 6.8 万；铁牛 7.3 万",
            ),
            ("Acme 6.8k; Bolt 6.8k", "6.8k", "7.3k", "Acme's quote is 7.3k, not 6.8k", "Acme 7.3k; Bolt 6.8k"),
            ("6.8k now; 6.8k then", "6.8k", "7.3k", "it's 7.3k, not 6.8k", "7.3k now; 7.3k then"),
        ] {
            assert_eq!(with_value(text, old, new, about).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(with_value("16.8k", "6.8k", "7.3k", ""), None);
    }

    #[test]
    fn what_is_said_of_other_things_stands() {
        let quotes = "报价汇总：顺达 6.8 万（含保险，含税），铁牛 5.9 万（不含保险），Swift Movers 9.2 万（含保险）。";
        for (sentence, old, new, expected) in [
            (quotes, "6.8 万", Some("7.3 万"), vec!["铁牛 5.9 万（不含保险），Swift Movers 9.2 万（含保险）"]),
            (quotes, "5.9 万", None, vec!["报价汇总：顺达 6.8 万（含保险，含税）", "Swift Movers 9.2 万（含保险）"]),
            ("A 6.8k insured, B 5.9k, C 9.2k", "A 6.8k; B 5.9k", Some("A 7.3k; B 5.9k"), vec!["B 5.9k, C 9.2k"]),
            ("第48周退货率 3.2%，连续两周上升，环比 +3.6%", "3.2%", Some("2.8%"), vec![]),
            ("The rate is 3.2%, up from 3.0%", "3.2%", Some("2.8%"), vec![]),
            ("the cache is the cause, 3 nodes", "the cache is the cause", None, vec![]),
        ] {
            let stands: Vec<&str> = standing(sentence, old, new).into_iter().map(|range| &sentence[range]).collect();
            assert_eq!(stands, expected, "{sentence}");
        }
    }
}
