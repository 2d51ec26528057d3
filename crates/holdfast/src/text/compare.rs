//! When two texts say the same thing, and where one names another: folded comparing, never guessing at meaning.

use std::ops::Range;

use super::normalise::fold;

/// The letters and digits of a text, folded: what is left when spaces and punctuation don't count. A sign, a point within
/// a number and a percent do: -3, 3 and 3% are not the same.
fn core(text: &str) -> String {
    let folded: Vec<char> = fold(text).chars().collect();
    let mut out = String::new();
    for (index, &c) in folded.iter().enumerate() {
        let next_is_digit = folded.get(index + 1).is_some_and(char::is_ascii_digit);
        let follows_digit = index > 0 && folded[index - 1].is_ascii_digit();
        let counts = c.is_alphanumeric()
            || matches!(
                c,
                '%' | '‰' | '¥' | '$' | '€' | '£' | '+' | '<' | '>' | '=' | '≤' | '≥' | '/' | '\\' | '_' | '#' | '@'
            )
            || (c == '-' && next_is_digit)
            || (matches!(c, '.' | ',' | ':') && follows_digit && next_is_digit);
        if counts {
            out.push(c);
        }
    }
    out
}

/// Equal but for width, case, spaces and punctuation. Texts of nothing but punctuation are compared as they are.
pub fn same(a: &str, b: &str) -> bool {
    let (core_a, core_b) = (core(a), core(b));
    if core_a.is_empty() && core_b.is_empty() { a.trim() == b.trim() } else { core_a == core_b }
}

/// Whether a text says a statement: the same words, or the statement among more, but for width, case and punctuation.
pub fn repeats(text: &str, statement: &str) -> bool {
    let (text, statement) = (words(text), words(statement));
    !statement.is_empty() && find_whole(&text, &statement).is_some()
}

/// The core of a text with a space where words or numbers would run together: "step one" is not in "a step, onerous". `14GB` is
/// `14 GB`.
fn words(text: &str) -> String {
    let letter = |c: char| c.is_alphabetic() && !is_han_or_kana(c);
    let mut out = String::new();
    for word in text.split_whitespace() {
        for (place, c) in core(word).chars().enumerate() {
            let before = out.chars().next_back().unwrap_or(' ');
            let run_together =
                place == 0 && (letter(before) || before.is_ascii_digit()) && (letter(c) || c.is_ascii_digit());
            if run_together || before.is_ascii_digit() && letter(c) {
                out.push(' ');
            }
            out.push(c);
        }
    }
    out
}

/// Whether `longer` opens with all of `shorter` and goes on to say more: 「退货率 2.8%（36/1281）」 and 「退货率 2.8%」.
pub fn extends(longer: &str, shorter: &str) -> bool {
    let (longer, shorter) = (fold(longer), fold(shorter));
    let ends = |c: char| matches!(c, '。' | '.' | '！' | '!' | '；' | ';' | '，' | ',');
    let shorter = shorter.trim().trim_end_matches(ends);
    let Some(rest) = longer.trim().strip_prefix(shorter).filter(|_| !shorter.is_empty()) else { return false };
    let mut rest = rest.trim_start().chars();
    // A point may go on with a number: 2.8 is not all of 2.85.
    match rest.next() {
        None | Some('，' | '；' | '。' | '（' | '(' | ';' | ':' | '：') => true,
        Some(',' | '.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}

/// Where `needle` stands in `text` as a whole: `3` is not in `32` or `3.5`, `cat` not in `concat`.
pub fn find_whole(text: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    text.match_indices(needle).map(|(at, _)| at).find(|&at| {
        let before = &text[..at];
        let after = &text[at + needle.len()..];
        let goes_on_before = joins(needle.chars().next(), before.chars().next_back())
            || (needle.starts_with(|c: char| c.is_ascii_digit()) && ends_in_point(before));
        let goes_on_after = joins(needle.chars().next_back(), after.chars().next())
            || (needle.ends_with(|c: char| c.is_ascii_digit()) && starts_with_point(after));
        !goes_on_before && !goes_on_after
    })
}

/// Every place where a text has a value as a whole, in order: width, case and the spaces within do not count (`6.8 万` is `6.8万`).
pub fn find_value(text: &str, value: &str) -> Vec<Range<usize>> {
    let wanted: Vec<String> =
        value.chars().filter(|c| !c.is_whitespace()).map(|c| fold(c.encode_utf8(&mut [0; 4]))).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    let Some(first) = wanted.first() else { return found };
    let starts_with_digit = first.starts_with(|c: char| c.is_ascii_digit());
    let ends_with_digit = wanted.last().is_some_and(|last| last.ends_with(|c: char| c.is_ascii_digit()));
    for (start, c) in text.char_indices() {
        if fold(c.encode_utf8(&mut [0; 4])) != *first || found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let Some(end) = end_of(&text[start..], &wanted).map(|length| start + length) else { continue };
        let (before, after) = (&text[..start], &text[end..]);
        let goes_on = joins(Some(c), before.chars().next_back())
            || joins(text[start..end].chars().next_back(), after.chars().next())
            || starts_with_digit && ends_in_point(before)
            || ends_with_digit && starts_with_point(after);
        if !goes_on {
            found.push(start..end);
        }
    }
    found
}

/// How long the beginning of a text is that has these characters, with or without spaces between them.
fn end_of(text: &str, wanted: &[String]) -> Option<usize> {
    let mut wanted = wanted.iter();
    let mut next = wanted.next()?;
    for (at, c) in text.char_indices() {
        if at > 0 && c.is_whitespace() && c != '\n' {
            continue;
        }
        if fold(c.encode_utf8(&mut [0; 4])) != *next {
            return None;
        }
        match wanted.next() {
            Some(more) => next = more,
            None => return Some(at + c.len_utf8()),
        }
    }
    None
}

/// Two characters of one Latin word or number.
fn joins(a: Option<char>, b: Option<char>) -> bool {
    let of_a_word = |c: char| c.is_alphanumeric() && !is_han_or_kana(c);
    a.is_some_and(of_a_word) && b.is_some_and(of_a_word)
}

fn ends_in_point(text: &str) -> bool {
    let mut back = text.chars().rev();
    matches!(back.next(), Some('.' | ',')) && back.next().is_some_and(|c| c.is_ascii_digit())
}

fn starts_with_point(text: &str) -> bool {
    let mut characters = text.chars();
    matches!(characters.next(), Some('.' | ',')) && characters.next().is_some_and(|c| c.is_ascii_digit())
}

pub(crate) fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_and_width_do_not_count_but_numbers_do() {
        assert!(same("营收增长 3.2%。", "营收增长３.２％"));
        assert!(!same("营收增长3.2%", "营收增长32%"));
        assert!(!same("delta -3", "delta 3"));
        assert!(!same("use C++", "use C"));
        assert!(same("…", "…"));
        assert!(!same("…", "!"));
    }

    #[test]
    fn a_part_of_a_number_or_word_is_not_found() {
        assert_eq!(find_whole("增长3.2%，成本32", "3"), None);
        assert_eq!(find_whole("port 22 and 2222", "2222"), Some(12));
        assert_eq!(find_whole("concat", "cat"), None);
        assert_eq!(find_whole("用Rust写", "Rust"), Some("用".len()));
    }

    #[test]
    fn a_statement_among_other_words() {
        for (text, statement, expected) in [
            ("[s3] in progress: dump the orders", "Dump the orders.", true),
            ("start, ERROR disk full on /data, done", "ERROR disk full on /data", true),
            ("计划：先导出订单，再恢复", "导出订单", true),
            ("dump 14 GB done", "14GB", true),
            ("a step, onerous", "step one", false),
            ("1 2 of 3", "12 of", false),
            ("Never restart it", "restart", true),
        ] {
            assert_eq!(repeats(text, statement), expected, "{statement:?} in {text:?}");
        }
    }

    #[test]
    fn a_value_is_found_however_it_is_spaced() {
        for (text, value, expected) in [
            ("顺达 6.8万，铁牛 5.9 万", "6.8 万", vec!["6.8万"]),
            ("顺达 ６．８ 万", "6.8万", vec!["６．８ 万"]),
            ("A 16.8k, B 6.8k; C 6.8K", "6.8k", vec!["6.8k", "6.8K"]),
            ("14 GB and 14 GBit", "14GB", vec!["14 GB"]),
            ("version 6.8.1", "6.8", vec![]),
            ("6.8", "", vec![]),
        ] {
            let found: Vec<&str> = find_value(text, value).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{value:?} in {text:?}");
        }
    }

    #[test]
    fn a_statement_within_a_longer_one() {
        for (longer, shorter, expected) in [
            ("第48周退货率 2.8%（36/1281，已扣重复退款 5 单），比上周略降", "第48周退货率 2.8%", true),
            ("The return rate is 2.8%, down from 2.9%", "The return rate is 2.8%.", true),
            ("The return rate is 2.85%", "The return rate is 2.8", false),
            ("退货率 2.85%", "退货率 2.8", false),
            ("第48周退货率 2.8%", "第48周退货率 2.8%（36/1281）", false),
            ("如果退货率 2.8%，就不写", "退货率 2.8%", false),
            ("退货率 2.8%不成立", "退货率 2.8%", false),
            ("退货率 3.2%，环比 +3.6%", "退货率 2.8%", false),
        ] {
            assert_eq!(extends(longer, shorter), expected, "{longer:?} extends {shorter:?}");
        }
    }
}
