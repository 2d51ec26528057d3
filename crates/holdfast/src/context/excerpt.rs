//! Lines for what recall found: who said it and when, the words themselves, and whether they still hold.

use std::collections::BTreeSet;

use super::fence::inline;
use super::labels::Labels;
use super::select::shorter;
use crate::text::{extract, json_leaves, repeats, same, sentences};
use crate::types::event::{Source, StoredEvent, Trust};

/// Stands where words were left out.
pub(super) const LEFT_OUT: &str = "…";
/// Of data that was cut, in characters: as much as of prose.
const EXTRACT_CHARACTERS_MAX: usize = 600;

/// The excerpt's sentences: for telling whether the block says them already. Those that only go on with the work say nothing.
pub(super) fn words(event: &StoredEvent, ranges: &[std::ops::Range<usize>]) -> Vec<String> {
    let content = event.event.content.as_str();
    // Of data that is longer than an excerpt, a piece torn out says less than its extract.
    let torn = ranges.iter().map(|range| range.len()).sum::<usize>() < content.len();
    if torn && event.overturned.is_empty() && json_leaves(content).is_some() {
        return vec![extract(content, EXTRACT_CHARACTERS_MAX, &[])];
    }
    let mut parts = Vec::new();
    // Ranges are data: one that doesn't fit the content is passed over.
    for part in ranges.iter().filter_map(|range| content.get(range.clone())) {
        parts.extend(sentences(part).into_iter().filter_map(|range| part.get(range)).map(str::to_owned));
    }
    if parts.is_empty() && ranges.is_empty() {
        parts.extend(sentences(content).into_iter().filter_map(|range| content.get(range)).map(str::to_owned));
    }
    let goes_on: Vec<&str> = event.signals.goes_on.iter().filter_map(|range| content.get(range.clone())).collect();
    parts.retain(|part| !goes_on.iter().any(|text| same(text, part)));
    parts
}

/// The line in full, then ever shorter. `is_former`: a later event answers with another value.
pub(super) fn forms(event: &StoredEvent, words: &[String], is_former: bool, labels: &Labels) -> Vec<String> {
    let head = head(event, labels);
    let tail = match overturned(event, words, labels) {
        none if none.is_empty() && is_former => labels.aside(labels.newer),
        tail => tail,
    };
    let untrusted = event.event.trust == Trust::Untrusted;
    let whole: Vec<&str> = words.iter().map(String::as_str).collect();
    shorter(&whole)
        .into_iter()
        .map(|text| {
            let text = inline(&text);
            // Words of others are quoted, so that nothing in them reads as a speaker or a label of the block.
            let text = if untrusted { quoted(&text, labels) } else { text };
            format!("{head}{}{text}{tail}", labels.colon)
        })
        .collect()
}

fn head(event: &StoredEvent, labels: &Labels) -> String {
    let event_ = &event.event;
    let date = event_.occurred_at.strftime("%Y-%m-%d");
    let mut notes = Vec::new();
    if event_.trust == Trust::Untrusted && event_.source != Source::System {
        notes.push(labels.unverified);
    }
    if event.archived {
        notes.push(labels.archived);
    }
    let notes = if notes.is_empty() { String::new() } else { labels.aside(&notes.join(labels.separator)) };
    format!("{date} {}{notes}", labels.source(event_.source))
}

/// Recall leaves overturned sentences out unless it was asked for history; what comes through all the same is marked.
fn overturned(event: &StoredEvent, words: &[String], labels: &Labels) -> String {
    let stated = |statement: &str| words.iter().any(|word| repeats(word, statement));
    let mut notes: Vec<String> = event
        .overturned
        .iter()
        .filter(|overturned| stated(&overturned.statement))
        .map(|overturned| match &overturned.replaced_by {
            Some(new) => labels.with(labels.replaced_by, &inline(new)),
            None => labels.overturned.to_owned(),
        })
        .collect();
    // Several sentences that one value replaced say so once.
    let mut told = BTreeSet::new();
    notes.retain(|note| told.insert(note.clone()));
    if notes.is_empty() { String::new() } else { labels.aside(&notes.join(labels.separator)) }
}

fn quoted(text: &str, labels: &Labels) -> String {
    let (open, close) = labels.quotes;
    let inner = if open == close {
        text.replace(['"', '“', '”', '＂'], "'")
    } else {
        text.replace('「', "『").replace('」', "』")
    };
    format!("{open}{inner}{close}")
}
