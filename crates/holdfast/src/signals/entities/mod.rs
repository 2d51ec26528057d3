//! The things named in a text: dates, amounts, money, paths, addresses, ids, names, tasks, wishes about form.
//!
//! Each finder reads the folded text once, from left to right. Of two that overlap the earlier in this order wins:
//! addresses, paths, ids, dates, money, numbers, names, tasks, formats; a name keeps the dates inside it to itself.

mod amounts;
mod marks;
mod names;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::Time;

use super::ENTITIES_MAX;
use super::lexicon::Tag;
use super::reading::Reading;
use crate::text::find_whole;
use crate::types::signals::{DateMention, Entity, EntityKind};

/// A thing found, with its span in the folded text.
#[derive(Debug, Clone)]
struct Found {
    kind: EntityKind,
    span: Range<usize>,
    value: String,
}

pub(super) fn find(reading: &Reading<'_>) -> Vec<Entity> {
    let text = reading.text();
    let mut found = Taken::default();
    marks::find(text, &mut |kind, span| {
        // Paths and addresses differ by letter case, ids do not.
        let value = if kind == EntityKind::Id { &text[span.clone()] } else { reading.folded.written(span.clone()) };
        found.add(kind, span, value.to_owned());
    });
    for date in &reading.dates {
        found.add(EntityKind::Date, date.span.clone(), date_value(&date.mention));
    }
    amounts::find(reading, &mut |kind, span, value| found.add(kind, span, value));
    names::find(reading, &mut |span| {
        let value = text[span.clone()].trim_start_matches('@').to_owned();
        found.add(EntityKind::Name, span, value);
    });
    tasks(reading, &mut |span| found.add(EntityKind::Task, span.clone(), text[span].to_owned()));
    for hit in reading.hits.iter().filter(|hit| hit.tag == Tag::Format) {
        found.add(EntityKind::Format, hit.span(), text[hit.span()].to_owned());
    }
    let mut found = found.kept;
    found.truncate(ENTITIES_MAX);
    found
        .into_iter()
        .map(|found| Entity {
            kind: found.kind,
            text: reading.folded.written(found.span.clone()).to_owned(),
            value: found.value,
            span: reading.folded.span(found.span),
        })
        .collect()
}

/// Names and paths, and names that are known, each once; of one inside of another the longer. A capital at the head of a sentence makes no
/// name here.
pub(super) fn named(reading: &Reading<'_>, known: &BTreeSet<String>) -> BTreeMap<String, String> {
    let text = reading.text();
    let heads: BTreeSet<usize> = reading
        .layout
        .sentences
        .iter()
        .map(|sentence| sentence.span.end - text[sentence.span.clone()].trim_start().len())
        .collect();
    let mut spans: Vec<Range<usize>> = Vec::new();
    marks::find(text, &mut |kind, span| {
        if kind == EntityKind::Path {
            spans.push(span);
        }
    });
    names::find(reading, &mut |span| spans.push(span));
    let headed = |span: &Range<usize>| heads.contains(&span.start) && text[span.clone()].is_ascii();
    spans.retain(|span| !headed(span));
    spans.extend(known.iter().filter_map(|name| find_whole(text, name).map(|at| at..at + name.len())));
    spans.retain(|span| !reading.layout.is_quoted(span.start));
    let inner = |span: &Range<usize>| {
        spans.iter().any(|other| other != span && other.start <= span.start && span.end <= other.end)
    };
    let kept = spans.iter().filter(|span| !inner(span)).map(|span| {
        let written = reading.folded.written(span.clone()).trim_start_matches('@');
        (text[span.clone()].trim_start_matches('@').to_owned(), written.to_owned())
    });
    kept.collect()
}

/// The amounts of a stretch, for corrections: numbers with or without a unit, money, ids.
pub(super) fn amounts(reading: &Reading<'_>, span: Range<usize>) -> Vec<Range<usize>> {
    amounts::in_span(reading, span)
}

/// What was found, by place, without overlaps.
#[derive(Default)]
struct Taken {
    kept: Vec<Found>,
}

impl Taken {
    fn add(&mut self, kind: EntityKind, span: Range<usize>, value: String) {
        let place = self.kept.partition_point(|other| other.span.start < span.start);
        let overlaps = |other: &Found| other.span.start < span.end && span.start < other.span.end;
        // A format may be the end of a path or part of a task's name only if it stands alone: else the first wins.
        let free = !self.kept[..place].last().is_some_and(overlaps) && !self.kept.get(place).is_some_and(overlaps);
        if free && self.kept.len() < 2 * ENTITIES_MAX {
            self.kept.insert(place, Found { kind, span, value });
        }
    }
}

/// `2026-11-30`, `2026-11`, `2026`, `2026-11-30T15:00`, and `start/end` for what is none of these.
pub(super) fn date_value(date: &DateMention) -> String {
    let (start, end) = (date.start, date.end);
    let (first, next) = (start.date(), end.date());
    let at_midnight = start.time() == Time::midnight() && end.time() == Time::midnight();
    if at_midnight && first.tomorrow().is_ok_and(|day| day == next) {
        return first.to_string();
    }
    if at_midnight && first.day() == 1 && first.last_of_month().tomorrow().is_ok_and(|day| day == next) {
        return format!("{:04}-{:02}", first.year(), first.month());
    }
    if at_midnight && first.day_of_year() == 1 && first.last_of_year().tomorrow().is_ok_and(|day| day == next) {
        return format!("{:04}", first.year());
    }
    let minute = |time: Time| format!("{:02}:{:02}", time.hour(), time.minute());
    if end.duration_since(start).as_mins() == 1 {
        return format!("{first}T{}", minute(start.time()));
    }
    if at_midnight {
        return format!("{first}/{next}");
    }
    format!("{first}T{}/{next}T{}", minute(start.time()), minute(end.time()))
}

/// Nouns of work, with what they are of when it is directly before: 华星的周报, "the Acme migration" stays "migration".
fn tasks(reading: &Reading<'_>, found: &mut impl FnMut(Range<usize>)) {
    let mut after = 0;
    for hit in reading.hits.iter().filter(|hit| hit.tag == Tag::Work) {
        if hit.start < after {
            continue;
        }
        // 周报 and 例会 may follow each other; the longest at a place came first.
        after = hit.end;
        found(hit.span());
    }
}
