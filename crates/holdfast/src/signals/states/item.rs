//! What a state word is said of: 「把和华星的会取消」 → 和华星的会, "the Acme demo is cancelled" → "Acme demo".

use std::ops::Range;

use crate::signals::layout::Clause;
use crate::signals::lexicon::{Form, Hit, Tag};
use crate::signals::phrase;
use crate::signals::reading::Reading;

/// Longest clause before a comma that can be the topic of the next one: 华星那个会，取消吧.
const TOPIC_CHARS_MAX: usize = 15;

/// `None`: the task itself, or nothing that can be named.
pub(super) fn of(reading: &Reading<'_>, hit: &Hit, clause: &Clause, form: Form) -> Option<Range<usize>> {
    let text = reading.text();
    let left = clause.span.start..hit.start;
    let right = hit.end..clause.span.end;
    if text.as_bytes()[hit.start].is_ascii() && !text[hit.span()].is_empty() {
        return english(reading, left, right, form);
    }
    chinese(reading, hit, left, right, form).or_else(|| topic_before(reading, clause))
}

fn chinese(
    reading: &Reading<'_>,
    hit: &Hit,
    left: Range<usize>,
    right: Range<usize>,
    form: Form,
) -> Option<Range<usize>> {
    let text = reading.text();
    let said = &text[left.clone()];
    if let Some(at) = said.rfind("把").or_else(|| said.rfind("将")) {
        let len = "把".len();
        return phrase::name(reading, left.start + at + len..left.end);
    }
    // Several words in one clause: the subject begins behind the one before.
    let before =
        reading.hits_in(&left).iter().rev().find(|other| matches!(other.tag, Tag::State(..)) && other.end <= hit.start);
    let left = before.map_or(left.start, |other| other.end)..left.end;
    // 提案已根据意见改完: the subject ends before 已.
    let left = match text[left.clone()].find('已').filter(|at| form == Form::Perfect && *at > 0) {
        Some(at) => left.start..left.start + at,
        None => left,
    };
    let subject = phrase::name(reading, left.clone()).filter(|span| !is_person(reading, span));
    let object = object(reading, right);
    match form {
        // 周报写完了发给王总: what follows is the next step, unless nothing was named before.
        Form::Perfect => subject.or(object),
        _ => match (&subject, &object) {
            (Some(subject), Some(_)) if names_work(reading, subject) => Some(subject.clone()),
            _ => object.or(subject),
        },
    }
}

/// Behind the word, up to where a postponement says to when, or a next verb begins.
fn object(reading: &Reading<'_>, right: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let mut end = right.end;
    for mark in ["到", "至", "、", "并", "然后", "因为", "给"] {
        if let Some(at) = text[right.start..end].find(mark) {
            end = right.start + at;
        }
    }
    let said = text[right.start..end].trim_start_matches(['了', '掉', '一', '下']);
    let start = end - said.len();
    let verb = reading.hits_in(&(start..end.min(start + 1))).iter().any(|hit| {
        matches!(hit.tag, Tag::State(..))
            || hit.tag == Tag::RequestVerb && hit.end < end && !names_work(reading, &(start..end))
    });
    if verb {
        return None;
    }
    phrase::name(reading, start..end)
}

fn names_work(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    reading.said(span.clone(), Tag::Work).next().is_some()
        || reading.text()[span.clone()].ends_with(['会', '单', '约', '事'])
}

fn ends_in_work(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    reading.said(span.clone(), Tag::Work).any(|hit| hit.end == span.end)
        || reading.text()[span.clone()].ends_with(['会', '单', '约', '事'])
}

/// 客户, 王总: those who act, not what is acted on.
fn is_person(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    reading.said(span.clone(), Tag::ThirdPerson).any(|hit| hit.end == span.end && hit.start == span.start)
        || reading.said(span.clone(), Tag::Title).any(|hit| hit.end == span.end) && span.len() <= "王经理".len()
}

/// 「华星那个会，取消吧」: the clause before is the topic when it is short and names something.
fn topic_before(reading: &Reading<'_>, clause: &Clause) -> Option<Range<usize>> {
    let at = reading.layout.clauses.partition_point(|other| other.span.start < clause.span.start);
    let before = reading.layout.clauses.get(at.checked_sub(1)?)?;
    let short = reading.text()[before.span.clone()].chars().count() <= TOPIC_CHARS_MAX;
    let busy = reading.hits_in(&before.span).iter().any(|hit| {
        matches!(hit.tag, Tag::State(..) | Tag::Negation | Tag::Request | Tag::Continue | Tag::Positive | Tag::Negative)
    });
    let name = (before.sentence == clause.sentence && short && !busy)
        .then(|| phrase::name(reading, before.span.clone()))??;
    ends_in_work(reading, &name).then_some(name)
}

fn english(reading: &Reading<'_>, left: Range<usize>, right: Range<usize>, form: Form) -> Option<Range<usize>> {
    let text = reading.text();
    let object = || {
        let right = right.start..right.end;
        let right = match text[right.clone()].trim_start().strip_prefix("with ") {
            Some(rest) => right.end - rest.len()..right.end,
            None => right,
        };
        phrase::name(reading, phrase::english_object(reading, right))
    };
    if matches!(form, Form::Verb | Form::WithDate) {
        return object().or_else(|| passive_subject(reading, left.clone()));
    }
    // "put the review on hold".
    let said = &text[left.clone()];
    if let Some(at) = said.rfind("put ").filter(|at| *at == 0 || said[..*at].ends_with(' ')) {
        return phrase::name(reading, left.start + at + "put ".len()..left.end);
    }
    let subject = passive_subject(reading, left.clone());
    let acted = [
        "i", "we", "i've", "we've", "they", "he", "she", "they've", "have", "has", "client", "customer", "i'm",
        "we're", "am",
    ];
    let by_somebody = said.trim().is_empty()
        || said.split(' ').any(|word| acted.contains(&word)) && !said.contains(" is ") && !said.contains(" was ");
    if by_somebody { object().or(subject) } else { subject.or_else(object) }
}

/// What stands before "is cancelled", behind "that" and conjunctions.
fn passive_subject(reading: &Reading<'_>, left: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let said = &text[left.clone()];
    let start =
        [" that ", " and ", " but ", " so "].iter().filter_map(|word| said.rfind(word).map(|at| at + word.len())).max();
    phrase::name(reading, left.start + start.unwrap_or(0)..left.end)
}
