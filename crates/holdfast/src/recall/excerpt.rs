//! The parts of an event that bear on a question, and what in it must not be served as current.

use std::collections::BTreeSet;
use std::ops::Range;

use super::plan::Plan;
use crate::text::{self, contains_whole, fold, index_terms, json_leaves, sentences, states};
use crate::types::event::{Overturned, StoredEvent};

/// Length of an excerpt, in characters: a paragraph. A shorter event is its own excerpt.
const EXCERPT_CHARACTERS_MAX: usize = 600;

/// Of a stretch without sentences, the least that is looked at and shown by itself.
const PIECE_CHARACTERS: usize = 150;

/// A statement as short as a value (「3.2%」) is looked for as it stands; a longer one by what it says.
const VALUE_CHARACTERS_MAX: usize = 12;

/// The ranges of an event's content to show for a question, in order; none if everything that bears on it was overturned.
pub fn excerpt(event: &StoredEvent, plan: &Plan) -> Vec<Range<usize>> {
    let content = &event.event.content;
    let standing: Vec<Range<usize>> = sentences(content)
        .into_iter()
        .flat_map(|range| if plan.history { vec![range] } else { standing(content, range, &event.overturned) })
        .collect();
    let length = |range: &Range<usize>| content[range.clone()].chars().count();
    if standing.iter().map(length).sum::<usize>() <= EXCERPT_CHARACTERS_MAX {
        return joined(content, standing);
    }
    // A sentence without an end, as of a long list, is looked through piece by piece.
    let standing: Vec<Range<usize>> = standing.into_iter().flat_map(|range| pieces(content, range)).collect();
    let wanted: Vec<(&str, f32)> = plan.terms.iter().map(|term| (term.text.as_str(), term.weight)).collect();
    let mut ranked: Vec<(f32, usize)> = standing
        .iter()
        .enumerate()
        .map(|(place, range)| {
            let said: BTreeSet<String> = index_terms(&content[range.clone()]).into_iter().collect();
            let weight = wanted.iter().filter(|(term, _)| said.contains(*term)).map(|(_, weight)| weight).sum();
            (weight, place)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut room = EXCERPT_CHARACTERS_MAX;
    let mut chosen = BTreeSet::new();
    for (_, place) in ranked {
        let length = length(&standing[place]);
        if length <= room {
            room -= length;
            chosen.insert(place);
        }
    }
    if chosen.is_empty()
        && let Some(first) = standing.first()
    {
        let end = content[first.clone()]
            .char_indices()
            .nth(EXCERPT_CHARACTERS_MAX)
            .map_or(first.end, |(at, _)| first.start + at);
        return std::iter::once(first.start..end).collect();
    }
    joined(content, chosen.into_iter().map(|place| standing[place].clone()).collect())
}

/// A stretch that is longer than an excerpt, cut behind white space or a comma; where there is none for long, wherever it has to be.
fn pieces(content: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let text = &content[range.clone()];
    if text.chars().count() <= EXCERPT_CHARACTERS_MAX {
        return vec![range];
    }
    let (mut pieces, mut start, mut length) = (Vec::new(), range.start, 0);
    for (at, c) in text.char_indices() {
        length += 1;
        let ends_well = c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';');
        if length >= PIECE_CHARACTERS && ends_well || length >= 2 * PIECE_CHARACTERS {
            let end = range.start + at + c.len_utf8();
            pieces.push(start..end);
            (start, length) = (end, 0);
        }
    }
    if start < range.end {
        pieces.push(start..range.end);
    }
    pieces
}

/// What of a sentence still holds: all, none, or of a list of things with their values (「顺达 6.8 万，铁牛 5.9 万」) the others.
fn standing(content: &str, range: Range<usize>, overturned: &[Overturned]) -> Vec<Range<usize>> {
    let mut parts = vec![range];
    for overturned in overturned {
        let one = std::slice::from_ref(overturned);
        let of_part = |part: Range<usize>| {
            let said = &content[part.clone()];
            if !is_overturned(said, one) {
                return vec![part];
            }
            if json_leaves(said).is_some() {
                return Vec::new();
            }
            let stands = text::standing(said, &overturned.statement, overturned.replaced_by.as_deref());
            stands.into_iter().map(|found| part.start + found.start..part.start + found.end).collect()
        };
        parts = parts.into_iter().flat_map(of_part).collect();
    }
    parts
}

/// Whether a sentence makes a statement that no longer holds. One that says itself what holds instead is left in peace.
fn is_overturned(sentence: &str, overturned: &[Overturned]) -> bool {
    overturned.iter().any(|overturned| {
        let old = &overturned.statement;
        let says_old = if old.chars().count() <= VALUE_CHARACTERS_MAX || json_leaves(sentence).is_some() {
            contains_whole(&fold(sentence), &fold(old))
        } else {
            states(sentence, old)
        };
        let says_new =
            || overturned.replaced_by.as_ref().is_some_and(|new| contains_whole(&fold(sentence), &fold(new)));
        says_old && !says_new()
    })
}

/// Ranges with nothing but white space between them become one.
fn joined(content: &str, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if content[last.end..range.start].trim().is_empty() => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{is_overturned, pieces};
    use crate::types::event::Overturned;

    #[test]
    fn what_was_overturned_is_known_in_other_words() {
        let overturned = |statement: &str, new: Option<&str>| Overturned {
            statement: statement.to_owned(),
            replaced_by: new.map(str::to_owned),
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        for (sentence, statement, new, expected) in [
            ("第48周退货率 3.2%，连续两周上升", "3.2%", Some("2.8%"), true),
            ("退货率不是 3.2%，是 2.8%", "3.2%", Some("2.8%"), false),
            ("退货率 13.2%", "3.2%", Some("2.8%"), false),
            ("so the refund rate is 3.2% this week", "The refund rate is 3.2%", None, true),
            ("the refund rate is 2.8% this week", "The refund rate is 3.2%", None, false),
        ] {
            assert_eq!(is_overturned(sentence, &[overturned(statement, new)]), expected, "{sentence}");
        }
    }

    #[test]
    fn a_stretch_without_an_end_is_cut_into_pieces_that_are_all_of_it() {
        for text in ["word ".repeat(400), "逗号，隔开".repeat(300), "无标点".repeat(500), "a".repeat(5_000)] {
            let pieces = pieces(&text, 0..text.len());
            assert!(pieces.len() > 3 && pieces.iter().all(|piece| text[piece.clone()].chars().count() <= 300));
            let whole: String = pieces.into_iter().map(|piece| &text[piece]).collect();
            assert_eq!(whole, text);
        }
        assert_eq!(pieces("short", 0..5).len(), 1);
    }
}
