//! What was ordered to hold and no longer does, said without a word that it lasts: 「周报不用PDF了」, "No more PDFs for the reports". What it is
//! about is for those to tell who know what was ordered.

use std::ops::Range;

use super::{en, standing, zh};
use crate::signals::layout::Clause;
use crate::signals::lexicon::Tag;
use crate::signals::phrase;
use crate::signals::reading::Reading;

/// Longer ones first.
const NO_MORE: &[&str] =
    &["不需要再", "不用再", "不要再", "不必再", "无需再", "别再", "不需要", "不用", "不要", "不必", "无需", "别"];
const FROM_NOW: &[&str] = &["以后", "今后", "往后", "从现在起", "从现在开始"];
/// What is named is short: longer is a story.
const WHAT_CHARS_MAX: usize = 24;

/// The stretch that takes an order back.
pub(super) fn read(reading: &Reading<'_>, clause: &Clause) -> Option<Range<usize>> {
    let text = reading.text();
    if reading.layout.sentence_of(clause).question
        || reading.said(clause.span.clone(), Tag::Question).next().is_some()
        // Of one day.
        || reading.hits_in(&clause.span).iter().any(|hit| matches!(hit.tag, Tag::Day(..)))
    {
        return None;
    }
    let head = zh::after_leads(text, &clause.span);
    let chinese = !text[head..clause.span.end].starts_with(|c: char| c.is_ascii())
        || text[head..clause.span.end].contains(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let head = if chinese { head } else { en::after_leads(text, &(head..clause.span.end)) };
    // The "no" of "no more" is no answer.
    let no_more = text[head..clause.span.end].starts_with("more ") && text[clause.span.start..head].ends_with("no ");
    let head = if no_more { head - "no ".len() } else { head };
    if reading.layout.is_quoted(head) {
        return None;
    }
    let span = phrase::trimmed_ends(text, head..clause.span.end);
    let said = &text[span.clone()];
    let revokes = if chinese { zh_revokes(reading, said, span.start) } else { en_revokes(said) };
    (revokes && standing::stands(reading, &reading.folded.span(span.clone()))).then_some(span)
}

/// 「以后周报不用PDF了」: it has to say that it was so before, and that it is of more than what is at hand.
fn zh_revokes(reading: &Reading<'_>, said: &str, start: usize) -> bool {
    let from_now = FROM_NOW.iter().find_map(|word| said.strip_prefix(word));
    let rest = from_now.unwrap_or(said);
    let offset = start + said.len() - rest.len();
    let Some((place, word)) = NO_MORE
        .iter()
        .filter_map(|word| rest.find(word).map(|place| (place, *word)))
        .min_by_key(|(place, word)| (*place, usize::MAX - word.len()))
    else {
        return false;
    };
    let (of, what) = (&rest[..place], &rest[place + word.len()..]);
    // The work and no more: 小王的周报 is not the user's.
    let adverbs = ['里', '中', '也', '就', '都', ' '];
    let of = of.trim_end_matches(adverbs).trim_end_matches("以后").trim_end_matches(adverbs);
    let of_work =
        reading.said(offset..offset + of.len(), Tag::Work).any(|hit| hit.span() == (offset..offset + of.len()));
    let plain = of.is_empty() || of_work;
    let told = what.ends_with('了') || word.ends_with('再');
    let what = what.trim_end_matches('了');
    plain
        && told
        && (from_now.is_some() || of_work || word.ends_with('再'))
        && (2..=WHAT_CHARS_MAX).contains(&what.chars().count())
        && !what.contains(['他', '她', '吗', '吧'])
}

/// "Don't use PDF anymore", "no more PDFs for the reports".
fn en_revokes(said: &str) -> bool {
    let said = said.strip_suffix(" please").unwrap_or(said).trim_end_matches([',', ' ']);
    let over = [" anymore", " any more", " any longer"].iter().any(|word| {
        said.find(word).is_some_and(|place| {
            let behind = said[place + word.len()..].trim();
            behind.is_empty() || ["for ", "in ", "on "].iter().any(|lead| behind.starts_with(lead))
        })
    });
    let orders = ["don't ", "do not ", "no need to ", "you don't need to ", "you don't have to "];
    let no_more = said.strip_prefix("no more ").is_some_and(|what| !what.is_empty() && !what.starts_with("than "));
    said.split(' ').count() <= 14 && (no_more || over && orders.iter().any(|order| said.starts_with(order)))
}
