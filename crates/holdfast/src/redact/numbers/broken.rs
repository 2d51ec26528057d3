//! Cards that are broken where nobody prints a break: at the ends of lines, with dots, slashes or wide gaps between the groups. What
//! joins them says nothing, so the groups have to be those of a card, of a known issuer, with its check digit.

use std::ops::Range;

use super::{OTHER_WORDS, context, is_issued, luhn, nearest};
use crate::redact::rules::Secret;
use crate::redact::scan::Found;

/// The groups as they are printed: with 62 in front also five of them.
const SHAPES: &[&[usize]] = &[&[4, 4, 4, 4, 3], &[4, 4, 4, 4], &[4, 6, 5]];

/// What stands between two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    LineEnd,
    /// A dot, a slash and the like, the same all through.
    Mark(u8),
    /// What cards are printed with: found here only if another gap of the card is the end of a line.
    Usual,
}

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut gaps: Vec<Gap> = Vec::new();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + offset;
        let end = start + bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
        match groups.last().and_then(|last| gap(&text[last.end..start])) {
            Some(gap) => gaps.push(gap),
            None => {
                cards(text, &groups, &gaps, found);
                groups.clear();
                gaps.clear();
            }
        }
        groups.push(start..end);
        at = end;
    }
    cards(text, &groups, &gaps, found);
}

fn gap(between: &str) -> Option<Gap> {
    // A line end as it is written inside of JSON is one.
    let plain = between.trim_matches([' ', '\t', '\r']);
    match plain {
        "\n" | "\\n" | "\\r\\n" => Some(Gap::LineEnd),
        "." | "/" | "_" => (plain.len() == between.len()).then(|| Gap::Mark(plain.as_bytes()[0])),
        "" if between == " " => Some(Gap::Usual),
        "" if !between.is_empty() => Some(Gap::Mark(b' ')),
        "-" => Some(Gap::Usual),
        _ => None,
    }
}

fn cards(text: &str, groups: &[Range<usize>], gaps: &[Gap], found: &mut Vec<Found>) {
    let mut first = 0;
    while first + 3 <= groups.len() {
        match SHAPES.iter().find(|shape| is_card(text, groups, gaps, first, shape)) {
            Some(shape) => {
                let range = groups[first].start..groups[first + shape.len() - 1].end;
                found.push(Found { secret: Secret::Card, range });
                first += shape.len();
            }
            None => first += 1,
        }
    }
}

fn is_card(text: &str, groups: &[Range<usize>], gaps: &[Gap], first: usize, shape: &[usize]) -> bool {
    let Some(card) = groups.get(first..first + shape.len()) else { return false };
    if !card.iter().map(Range::len).eq(shape.iter().copied()) {
        return false;
    }
    let within = &gaps[first..first + shape.len() - 1];
    let broken = within.contains(&Gap::LineEnd) && !within.iter().any(|gap| matches!(gap, Gap::Mark(_)));
    let marked = matches!(within[0], Gap::Mark(_)) && within.iter().all(|gap| *gap == within[0]);
    if !(broken || marked) {
        return false;
    }
    // A list of numbers of four digits goes on before or behind; a date and the code of the card are no such numbers.
    let length = |group: Option<&Range<usize>>| group.map_or(0, Range::len);
    let before = first.checked_sub(1).and_then(|at| groups.get(at));
    if length(before) == shape[0] || length(groups.get(first + shape.len())) == shape[0] {
        return false;
    }
    let (start, end) = (card[0].start, card[card.len() - 1].end);
    let begins =
        !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '$' | '¥' | '€' | '#'));
    let ends = !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '元' | '_'));
    let digits: String = card.iter().map(|group| &text[group.clone()]).collect();
    let called_other = nearest(&context(text, start), OTHER_WORDS).is_some();
    begins && ends && is_issued(&digits) && luhn(&digits) && !called_other
}
