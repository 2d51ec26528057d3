//! Whether a sentence makes a given statement again, in other words around the same numbers and names.

use std::collections::BTreeSet;

use super::tokenise::{Strength, query_terms};

/// The share of a statement's words that a sentence must have, when it has all of its numbers.
const SHARED_WITH_NUMBERS: f32 = 0.5;
/// And when there are no numbers to tell it by.
const SHARED_WITHOUT_NUMBERS: f32 = 0.8;

/// Whether `sentence` states `statement`: all its numbers are there as wholes, and enough of its words.
pub fn states(sentence: &str, statement: &str) -> bool {
    let (stated, said) = (Words::of(statement), Words::of(sentence));
    if stated.words.is_empty() || !stated.numbers.is_subset(&said.numbers) {
        return false;
    }
    let shared = stated.words.intersection(&said.words).count() as f32 / stated.words.len() as f32;
    shared >= if stated.numbers.is_empty() { SHARED_WITHOUT_NUMBERS } else { SHARED_WITH_NUMBERS }
}

/// Whether a text has `value` with no letter or digit of the same kind right before or after it: `3.2%` is not in `13.2%`.
/// Both are taken as they are: fold them first.
pub fn contains_whole(text: &str, value: &str) -> bool {
    let value = value.trim();
    let (Some(first), Some(last)) = (value.chars().next(), value.chars().last()) else { return false };
    text.match_indices(value).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        !before.is_some_and(|c| continues(c, first)) && !after.is_some_and(|c| continues(last, c))
    })
}

/// Whether two neighbouring characters belong to one word or number.
fn continues(left: char, right: char) -> bool {
    let digits = |c: char| c.is_ascii_digit();
    let letters = |c: char| c.is_ascii_alphabetic();
    (digits(left) || left == '.') && digits(right) || digits(left) && right == '.' || letters(left) && letters(right)
}

struct Words {
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Words {
    fn of(text: &str) -> Self {
        let terms = query_terms(text).into_iter().filter(|term| term.strength == Strength::Strong);
        let words = terms.map(|term| term.text).collect();
        Self { words, numbers: numbers(text) }
    }
}

/// The numbers of a text, without their units.
pub(super) fn numbers(text: &str) -> BTreeSet<String> {
    let mut numbers = BTreeSet::new();
    let mut number = String::new();
    for c in super::normalise::fold(text).chars().chain([' ']) {
        if c.is_ascii_digit() || (c == '.' && !number.is_empty()) {
            number.push(c);
        } else if !number.is_empty() {
            numbers.insert(number.trim_end_matches('.').to_owned());
            number.clear();
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::{contains_whole, states};

    fn check(statement: &str, sentence: &str, expected: bool) {
        assert_eq!(states(sentence, statement), expected, "{sentence:?} states {statement:?}");
    }

    #[test]
    fn the_same_numbers_and_words_are_the_same_statement() {
        check("本周退货率是3.2%", "退货率3.2%，比上周高", true);
        check("本周退货率是3.2%", "退货率2.8%，比上周低", false);
        check("本周退货率是3.2%", "转化率3.2%", false);
        check("本周退货率是3.2%", "退货率13.2%", false);
        check("The refund rate is 3.2%", "so the refund rate is 3.2% this week", true);
        check("The refund rate is 3.2%", "the refund rate is 3.25%", false);
        check("The cache is the cause", "it turned out that the cache is the cause", true);
        check("The cache is the cause", "the disk is the cause", false);
    }

    #[test]
    fn a_value_is_found_only_as_a_whole() {
        for (text, value, expected) in [
            ("退货率是3.2%。", "3.2%", true),
            ("退货率是13.2%。", "3.2%", false),
            ("version 3.2.1", "3.2", false),
            ("at 3.2 now", "3.2", true),
            ("catalogue", "cat", false),
            ("周五的会", "周五", true),
            ("x", "", false),
        ] {
            assert_eq!(contains_whole(text, value), expected, "{value:?} in {text:?}");
        }
    }
}
