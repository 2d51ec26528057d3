//! Earlier statements put right: 「不是3.2%，是2.8%」, "it's 2.8%, not 3.2%", 「把3.2%改成2.8%」, "change A to B".
//!
//! A correction has two values, or one value and a plain denial. 「更正：应该是2.8%」 does not say what it puts right: that is a new
//! value, and what it replaces is for whoever knows what was said before.
//! Questions, suppositions and quotations are none.

use std::ops::Range;

use super::lexicon::Tag;
use super::phrase;
use super::reading::Reading;
use crate::types::signals::{Correction, NewValue};

/// Longest value, in characters: what is put right is a number, a date, a name.
const VALUE_CHARS_MAX: usize = 24;
/// The two values stand beside the words that put them right.
const NEAR_BYTES: usize = 12;
/// Of one message.
const CORRECTIONS_MAX: usize = 8;

pub(super) fn find(reading: &Reading<'_>) -> (Vec<Correction>, Vec<NewValue>) {
    let mut found: Vec<Correction> = Vec::new();
    let mut new_values: Vec<NewValue> = Vec::new();
    for sentence in &reading.layout.sentences {
        if found.len() == CORRECTIONS_MAX {
            break;
        }
        let span = phrase::trimmed(reading.text(), sentence.span.clone());
        let blank = span.is_empty() || sentence.question || reading.layout.is_quoted(span.start);
        if blank
            || reading.said(span.clone(), Tag::Hypothesis).next().is_some()
            || reading.said(span.clone(), Tag::Example).next().is_some()
        {
            continue;
        }
        if let Some((old, new)) = chinese(reading, &span).or_else(|| english(reading, &span)) {
            // Told in one quotation, it is somebody else's. Two quoted values are not.
            let quoted =
                |span: &Range<usize>| reading.layout.quoted.iter().position(|quoted| quoted.contains(&span.start));
            if quoted(&old).is_some() && new.as_ref().is_none_or(|new| quoted(new) == quoted(&old)) {
                continue;
            }
            let shown = |span: Range<usize>| reading.folded.written(span).to_owned();
            let correction = Correction { old: shown(old), new: new.map(shown) };
            if correction.new.as_ref() != Some(&correction.old) {
                found.push(correction);
            }
        } else if let Some(new) = new_value(reading, &span)
            && new_values.len() < CORRECTIONS_MAX
        {
            new_values.push(new);
        }
    }
    (found, new_values)
}

/// What stands between the thing and its right value.
const SHOULD_BE: &[&str] = &[
    "应该是",
    "应为",
    "应是",
    "更正为",
    "应当是",
    "是",
    "should be ",
    "should have been ",
    "i meant ",
    "make that ",
    "is ",
    "it's ",
    "was ",
];

/// 「更正：退货率应该是2.8%」, "sorry, I meant 2.8%": a word that corrects at the head of a clause, and one value behind it.
fn new_value(reading: &Reading<'_>, span: &Range<usize>) -> Option<NewValue> {
    let text = reading.text();
    let lead = reading.said(span.clone(), Tag::Correcting).next()?;
    let said_before = text[span.start..lead.start].trim();
    let of_lead = &text[lead.span()];
    // 「退货率更正为2.8%」 says of what; before other leads stands little.
    if of_lead != "更正为" && said_before.chars().count() > 4 {
        return None;
    }
    let from = if SHOULD_BE.iter().any(|mark| mark.trim() == of_lead) { lead.start } else { lead.end };
    let [value] = <[Range<usize>; 1]>::try_from(values(reading, span.start..span.end)).ok()?;
    if value.start < from {
        return None;
    }
    let between = &text[from..value.start];
    let (at, mark) = SHOULD_BE.iter().find_map(|mark| Some((between.rfind(mark)?, mark)))?;
    // The value stands right behind the word.
    if between[at + mark.len()..].trim().chars().count() > 4 {
        return None;
    }
    let subject = if of_lead == "更正为" { span.start..lead.start } else { from..from + at };
    let start = text[subject.clone()].rfind(['，', ',', '：', ':']).map_or(subject.start, |at| {
        subject.start + at + text[subject.start + at..].chars().next().map_or(1, char::len_utf8)
    });
    let of = phrase::name(reading, start..subject.end).map(|name| reading.folded.written(name).to_owned());
    Some(NewValue { new: reading.folded.written(value).to_owned(), of })
}

type Pair = (Range<usize>, Option<Range<usize>>);

fn chinese(reading: &Reading<'_>, span: &Range<usize>) -> Option<Pair> {
    let text = reading.text();
    let said = &text[span.clone()];
    let at = |offset: usize| span.start + offset;
    // 把 A 改成 B.
    for change in ["改成", "改为", "换成", "更正为", "修改为", "订正为", "更新为"] {
        let Some(found) = said.find(change) else { continue };
        let Some(from) =
            said[..found].rfind("把").or_else(|| said[..found].rfind("将")).or_else(|| said[..found].rfind('从'))
        else {
            continue;
        };
        let old = value(reading, at(from + "把".len())..at(found))?;
        let new = value(reading, first_clause(text, at(found + change.len())..span.end))?;
        // 把蓝花改成紫花 asks for a change of the work; nothing was stated wrongly.
        if !is_value(reading, &old) || reading.said(span.start..at(from), Tag::ThirdPerson).next().is_some() {
            return None;
        }
        return Some((old, Some(new)));
    }
    // 不是 A，(而)是 B; B，不是 A.
    if let Some(found) = said.find("不是").filter(|found| !said[..*found].ends_with(['是', '要', '又'])) {
        let rest = &said[found + "不是".len()..];
        let new = ["，而是", "，是", ",是", "，应该是", "而是", "，应为", "，应是", ", 是"]
            .iter()
            .find_map(|mark| rest.find(mark).map(|at| (at, mark.len())));
        if let Some((offset, len)) = new {
            let old = value(reading, at(found + "不是".len())..at(found + "不是".len() + offset))?;
            let new = value(reading, first_clause(text, at(found + "不是".len() + offset + len)..span.end))?;
            return alike(reading, &old, &new).then_some((old, Some(new)));
        }
        let before = said[..found].trim_end_matches(['，', ',', '、', ' ']);
        let new_from = before
            .rfind(['是', '，', ',', '为'])
            .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        if before.len() > new_from {
            let old = value(reading, first_clause(text, at(found + "不是".len())..span.end))?;
            let new = value(reading, at(new_from)..at(before.len()))?;
            return (is_value(reading, &old) && is_value(reading, &new)).then_some((old, Some(new)));
        }
    }
    // 之前说的 A 不对，应该是 B; A 错了.
    let denial = reading
        .said(span.clone(), Tag::Denial)
        .find(|hit| !text[hit.span()].is_ascii() && !reading.inside_of(hit, Tag::NotFeedback))?;
    let clause = text[span.start..denial.start]
        .rfind(['，', ',', '：'])
        .map_or(span.start, |i| span.start + i + text[span.start + i..].chars().next().map_or(1, char::len_utf8));
    let old = values(reading, clause..denial.start)
        .last()
        .cloned()
        .filter(|old| text[old.end..denial.start].chars().count() <= 8);
    let tail = denial.end..span.end;
    let new = ["应该是", "应为", "应是", "是"].iter().find_map(|mark| {
        let offset = text[tail.clone()].find(mark)?;
        value(reading, first_clause(text, tail.start + offset + mark.len()..tail.end))
            .filter(|new| is_value(reading, new))
    });
    Some((old?, new))
}

fn english(reading: &Reading<'_>, span: &Range<usize>) -> Option<Pair> {
    let text = reading.text();
    let said = &text[span.clone()];
    let at = |offset: usize| span.start + offset;
    // "change A to B", "replace A with B".
    for (verb, to) in [("change ", " to "), ("correct ", " to "), ("replace ", " with "), ("update ", " to ")] {
        let Some(found) = said.find(verb).filter(|found| *found == 0 || said[..*found].ends_with([' ', ','])) else {
            continue;
        };
        let Some(middle) = said[found..].find(to).map(|offset| found + offset) else { continue };
        let old_values = values(reading, at(found + verb.len())..at(middle));
        let new = value(reading, first_clause(text, at(middle + to.len())..span.end));
        if let (Some(old), Some(new)) = (old_values.last().cloned(), new)
            && is_value(reading, &new)
            && old.end == at(middle)
            && new.start <= at(middle + to.len()) + NEAR_BYTES
        {
            return Some((old, Some(new)));
        }
    }
    // "it's B, not A"; "B instead of A"; "B rather than A".
    for mark in [", not ", " instead of ", " rather than ", " and not ", "; not ", " (was ", ", was "] {
        let Some(found) = said.find(mark) else { continue };
        let corrects = mark.contains("not")
            || mark.contains("was")
            || said.starts_with("actually")
            || said.contains(" is ")
            || said.contains("it's");
        let new = values(reading, span.start..at(found)).last().cloned();
        let old = values(reading, at(found + mark.len())..span.end).first().cloned();
        let just = ["just", "only", "even", "about", "including", "counting"]
            .iter()
            .any(|word| said[found + mark.len()..].starts_with(word));
        if let (Some(old), Some(new), true) = (old, new, corrects && !just)
            && new.end + NEAR_BYTES >= at(found)
            && old.start <= at(found + mark.len()) + NEAR_BYTES
        {
            return Some((old, Some(new)));
        }
    }
    // "not A but B", "it's not A, it's B".
    if let Some(found) = said.find("not ").or_else(|| said.find("isn't ").map(|i| i + 2)) {
        let from = at(found + "not ".len());
        for mark in [", but ", " but ", ", it's ", ", it is ", ", it should be ", ", that's ", "; it's "] {
            let Some(middle) = text[from..span.end].find(mark) else { continue };
            let old = values(reading, from..from + middle).last().cloned();
            let new = values(reading, from + middle + mark.len()..span.end).first().cloned();
            if let (Some(old), Some(new)) = (old, new) {
                return Some((old, Some(new)));
            }
        }
    }
    let denial = reading.said(span.clone(), Tag::Denial).next()?;
    text[denial.span()].is_ascii().then_some(())?;
    let old = values(reading, span.start..denial.start).last().cloned()?;
    let new = ["should be ", "it's ", "it is "].iter().find_map(|mark| {
        let offset = text[denial.end..span.end].find(mark)?;
        values(reading, denial.end + offset + mark.len()..span.end).first().cloned()
    });
    Some((old, new))
}

/// What a text says to have the value: 退货率 of 「退货率是3.2%」, as written.
pub(super) fn said_of(reading: &Reading<'_>, value: &str) -> Vec<String> {
    let text = reading.text();
    let value = crate::text::fold(value);
    let clauses = reading.layout.clauses.iter();
    let before = clauses.filter_map(|clause| {
        let at = crate::text::find_whole(&text[clause.span.clone()], value.trim())?;
        Some(clause.span.start..clause.span.start + at)
    });
    let names = before.filter_map(|before| phrase::name(reading, behind_verbs(text, before)));
    names.map(|name| reading.folded.written(name).to_owned()).collect()
}

/// Clauses with a trend of one of `names`, which has the value, and without the value itself. Where the text does not say the value,
/// it may speak of another one: then no clause with a value of the same unit, and no question.
pub(super) fn rests_on(reading: &Reading<'_>, value: &str, names: &[String]) -> Vec<String> {
    let text = reading.text();
    let value = crate::text::fold(value);
    let names: Vec<String> = names.iter().map(|name| crate::text::fold(name)).collect();
    let says = |span: &Range<usize>| crate::text::find_whole(&text[span.clone()], value.trim()).is_some();
    let trends = |span: &Range<usize>| reading.said(span.clone(), Tag::Trend).next().is_some();
    let named =
        |span: &Range<usize>| names.iter().any(|name| crate::text::find_whole(&text[span.clone()], name).is_some());
    let elsewhere = !says(&(0..text.len()));
    let unit = unit(&value);
    let of_another = |span: &Range<usize>| {
        let alike = |other: &Range<usize>| self::unit(&text[other.clone()]) == unit;
        elsewhere && values(reading, span.clone()).iter().any(alike)
    };
    let clauses =
        reading.layout.clauses.iter().filter(|clause| !(elsewhere && reading.layout.sentence_of(clause).question));
    let clauses = clauses.map(|clause| phrase::trimmed(text, clause.span.clone()));
    let found =
        clauses.filter(|span| !span.is_empty() && !says(span) && named(span) && trends(span) && !of_another(span));
    found.take(CORRECTIONS_MAX).map(|span| reading.folded.written(span).to_owned()).collect()
}

/// What stands around the digits of a value.
fn unit(value: &str) -> String {
    value.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-' | '+' | ' ')).collect()
}

/// 退货率是 and "the return rate was", without the verb before the value.
fn behind_verbs(text: &str, span: Range<usize>) -> Range<usize> {
    let mut said = text[span.clone()].trim_end();
    while let Some(rest) =
        ["约为", "大约", "达到", "是", "为", "约", "到", "达", "有"].iter().find_map(|verb| said.strip_suffix(verb))
    {
        said = rest.trim_end();
    }
    for verb in [" at", " to", " of", " about", " is", " was", " came", " stands"] {
        said = said.strip_suffix(verb).unwrap_or(said);
    }
    span.start..span.start + said.len()
}

fn first_clause(text: &str, span: Range<usize>) -> Range<usize> {
    let said = &text[span.clone()];
    let mut end = said.len();
    for (at, c) in said.char_indices() {
        let inside_number = c == ',' && said[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if matches!(c, '，' | '；' | '。' | '（') || c == ',' && !inside_number {
            end = at;
            break;
        }
    }
    span.start..span.start + end
}

/// A stretch as a value: leads and particles off, short enough.
fn value(reading: &Reading<'_>, span: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let mut span = phrase::trimmed(text, span);
    if let [one] = values(reading, span.clone()).as_slice()
        && text[span.clone()].chars().count() > text[one.clone()].chars().count()
    {
        return Some(one.clone());
    }
    for lead in ["之前说的", "之前的", "原来的", "里的", "the ", "a "] {
        if text[span.clone()].starts_with(lead) {
            span.start += lead.len();
        }
    }
    for trail in ["吧", "了", "才对", "啊", "的", "哦"] {
        if text[span.clone()].ends_with(trail) {
            span.end -= trail.len();
        }
    }
    let span = phrase::trimmed(text, span);
    let chars = text[span.clone()].chars().count();
    (1..=VALUE_CHARS_MAX).contains(&chars).then_some(span)
}

/// Two values, or two people or companies: 不是王总，是李总.
fn alike(reading: &Reading<'_>, old: &Range<usize>, new: &Range<usize>) -> bool {
    let named = |span: &Range<usize>| {
        let short = reading.text()[span.clone()].chars().count() <= 8;
        short && reading.hits_in(span).iter().any(|hit| matches!(hit.tag, Tag::Title | Tag::Organisation))
    };
    is_value(reading, old) && is_value(reading, new) || named(old) && named(new)
}

fn is_value(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    !values(reading, span.clone()).is_empty()
}

/// Dates, amounts and quoted words of a stretch, in order.
fn values(reading: &Reading<'_>, span: Range<usize>) -> Vec<Range<usize>> {
    let from = reading.dates.partition_point(|found| found.span.start < span.start);
    let mut found: Vec<Range<usize>> =
        reading.dates[from..].iter().map(|found| found.span.clone()).take_while(|date| date.end <= span.end).collect();
    let amounts = super::entities::amounts(reading, span);
    found.extend(amounts.into_iter().filter(|amount| {
        !reading.dates.iter().any(|date| date.span.start < amount.end && amount.start < date.span.end)
    }));
    found.sort_by_key(|span| span.start);
    found
}
