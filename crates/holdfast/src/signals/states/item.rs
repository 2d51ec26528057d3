//! What a state word is said of: 「把和华星的会取消」 → 和华星的会, "the Acme demo is cancelled" → "Acme demo".

use std::ops::Range;

use crate::signals::layout::Clause;
use crate::signals::lexicon::{Form, Hit, Tag};
use crate::signals::phrase;
use crate::signals::reading::Reading;

/// Longest clause before a comma that can be the topic of the next one: 华星那个会，取消吧.
const TOPIC_CHARS_MAX: usize = 15;

/// What a state word is said of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    /// Nothing is named: the task itself.
    Task,
    Item(Range<usize>),
    /// One of several, any, some: it can't be told which.
    Unclear,
}

pub(super) fn of(reading: &Reading<'_>, hit: &Hit, clause: &Clause, form: Form) -> Of {
    let text = reading.text();
    let left = clause.span.start..hit.start;
    let right = hit.end..clause.span.end;
    let ascii = text.as_bytes()[hit.start].is_ascii();
    if ascii && is_one_of_several(text[right.clone()].trim_start(), SEVERAL_EN)
        || !ascii && is_one_of_several(text[right.clone()].trim_start_matches(['了', '掉']), SEVERAL_ZH)
    {
        return Of::Unclear;
    }
    let item = match ascii {
        true => english(reading, hit, left, right, form),
        false => chinese(reading, hit, left, right, form).or_else(|| topic_before(reading, clause)),
    };
    match item {
        Some(item) => Of::Item(item),
        // "Upgrade reservation XEHM4B, then cancel it": what was named just before, whatever it is, is not the task.
        None if refers_back(reading, hit, clause) => Of::Unclear,
        None => Of::Task,
    }
}

fn refers_back(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    if names_the_task(reading, clause) {
        return false;
    }
    let object = reading.text()[hit.end..clause.span.end].trim_start_matches([' ', '了', '掉']);
    let several = ["them", "those", "these", "它们", "他们", "这些", "那些"];
    is_one_of_several(object, &several) || reading.said(0..hit.start, Tag::Service).next().is_some()
}

/// Words that name one of several, or whichever there is.
const SEVERAL_EN: &[&str] = &[
    "one",
    "ones",
    "any",
    "anything",
    "some",
    "something",
    "either",
    "each",
    "every",
    "whichever",
    "both",
    "two",
    "three",
    "all of",
    "a few",
    "several",
    "most",
];
const SEVERAL_ZH: &[&str] = &["其中", "一些", "某", "任何", "任意", "哪"];

fn is_one_of_several(object: &str, words: &[&str]) -> bool {
    let object = ["the ", "my ", "another "].iter().find_map(|lead| object.strip_prefix(lead)).unwrap_or(object);
    words.iter().any(
        |word| {
            if word.is_ascii() { phrase::starts_with_word(object, word) } else { object.starts_with(word) }
        },
    )
}

/// 「取消这个任务」, "cancel this task".
pub(super) fn names_the_task(reading: &Reading<'_>, clause: &Clause) -> bool {
    let said = &reading.text()[clause.span.clone()];
    said.contains("任务") || said.split([' ', '.', ',']).any(|word| matches!(word, "task" | "job"))
}

fn chinese(
    reading: &Reading<'_>,
    hit: &Hit,
    left: Range<usize>,
    right: Range<usize>,
    form: Form,
) -> Option<Range<usize>> {
    let text = reading.text();
    // 把打印机从清单里去掉.
    let from = text[left.clone()].rfind('从').filter(|_| form == Form::Dropping);
    let left = from.map_or(left.clone(), |at| left.start..left.start + at);
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
        Form::Dropping => object.or(subject),
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

fn english(
    reading: &Reading<'_>,
    hit: &Hit,
    left: Range<usize>,
    right: Range<usize>,
    form: Form,
) -> Option<Range<usize>> {
    let text = reading.text();
    if form == Form::Dropping {
        let end = super::dropping::object_end(&text[right.clone()]);
        return phrase::name(reading, phrase::english_object(reading, right.start..right.start + end));
    }
    let object = || {
        let right = right.start..right.end;
        let right = match text[right.clone()].trim_start().strip_prefix("with ") {
            Some(rest) => right.end - rest.len()..right.end,
            None => right,
        };
        phrase::name(reading, phrase::english_object(reading, right))
    };
    if matches!(form, Form::Verb | Form::WithDate | Form::ForNow) {
        // "the demo moved to Friday" has its item in front; before an order stands only who is to do it.
        let told = text[hit.span()].ends_with(['d', 's']);
        return object().or_else(|| told.then(|| passive_subject(reading, left.clone()))?);
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
    let start = [" that ", " and ", " but ", " so ", " because ", " since ", " as "]
        .iter()
        .filter_map(|word| said.rfind(word).map(|at| at + word.len()))
        .max();
    let name = phrase::name(reading, left.start + start.unwrap_or(0)..left.end)?;
    // "I was charged for the flight that …": a sentence about somebody, not a name.
    let first = text[name.clone()].split([' ', '\'']).next().unwrap_or_default();
    (!matches!(first, "i" | "we" | "you" | "he" | "she" | "they" | "it" | "there")).then_some(name)
}
