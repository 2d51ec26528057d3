//! What the user does again and again: the same kind of work asked for at similar times, in distinct tasks (SPEC 3.9). Requests in,
//! candidates out; no model, and nothing under three times.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ZonedDateTime;

use super::gate::Candidate;
use super::slots::{aspects, bounded, essence, without_topic};
use crate::text::{find_whole, fold};
use crate::types::ids::EventId;
use crate::types::memory::{Applies, Evidence, MemoryKind, Origin, Stance, USER};
use crate::types::scope::TaskId;
use crate::types::signals::Language;

/// A habit is done at least so often, in distinct tasks (SPEC 3.3).
pub const TIMES_MIN: usize = 3;
/// Weeks between the first and the last, over the number of times: a week may be skipped now and then.
const SKIPPED_SHARE_MAX: f32 = 0.5;
/// Share of a habit's times that must fall on its weekday.
const ON_THE_DAY_MIN: f32 = 0.75;

/// A request for a kind of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub topic: String,
    /// As the user calls it.
    pub called: String,
    pub task: TaskId,
    pub event: EventId,
    pub at: ZonedDateTime,
    pub quote: String,
    pub language: Language,
    /// What it names: folded, and as written.
    pub named: BTreeMap<String, String>,
}

/// Kinds of work that are asked for weekly, on the same day and in the same part of it. One candidate a habit, with all its evidence:
/// its content is the habit in words of ours, its quotes are the user's.
pub fn habits(requests: &[Request]) -> Vec<Vec<Candidate>> {
    let mut by_topic: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in requests {
        by_topic.entry(&request.topic).or_default().push(request);
    }
    by_topic.into_values().filter_map(weekly).collect()
}

fn weekly(mut requests: Vec<&Request>) -> Option<Vec<Candidate>> {
    requests.sort_by_key(|request| (request.at.timestamp(), request.event));
    let tasks: BTreeSet<&TaskId> = requests.iter().map(|request| &request.task).collect();
    let mut times: BTreeMap<(i8, bool), Vec<&Request>> = BTreeMap::new();
    for request in requests {
        let day = request.at.date().weekday().to_monday_zero_offset();
        times.entry((day, request.at.hour() >= 12)).or_default().push(request);
    }
    let distinct = |times: &[&Request]| times.iter().map(|request| &request.task).collect::<BTreeSet<_>>().len();
    // Of two that are as often the earlier in the week: any will do, if it is always the same.
    let ((day, afternoon), times) =
        times.into_iter().max_by_key(|(when, times)| (distinct(times), std::cmp::Reverse(*when)))?;
    // Three tasks on one day are one occasion.
    let days: BTreeSet<_> = times.iter().map(|request| request.at.date()).collect();
    let count = distinct(&times).min(days.len());
    if count < TIMES_MIN || (count as f32) < ON_THE_DAY_MIN * tasks.len() as f32 {
        return None;
    }
    let (first, last) = (times.first()?, times.last()?);
    let weeks = first.at.date().duration_until(last.at.date()).as_hours() / (24 * 7) + 1;
    if weeks as f32 * (1.0 - SKIPPED_SHARE_MAX) > count as f32 {
        return None;
    }
    let content = in_words(&last.called, day, afternoon, last.language);
    let candidate = |request: &&Request| Candidate {
        kind: MemoryKind::Inference,
        subject: USER.to_owned(),
        attribute: bounded(&format!("habit: {}", request.topic)),
        applies: Applies::User,
        value: format!("weekly {day} {}", if afternoon { "afternoon" } else { "morning" }),
        content: content.clone(),
        importance: 2,
        imperative: false,
        evidence: suggests(request.event, &request.at, Origin::AgentInferred, &request.quote, &request.task),
    };
    let mut seen = BTreeSet::new();
    Some(times.iter().filter(|request| seen.insert(&request.task)).map(candidate).collect())
}

pub(super) fn suggests(event: EventId, at: &ZonedDateTime, origin: Origin, quote: &str, task: &TaskId) -> Evidence {
    let (stance, quote) = (Stance::Suggests, quote.to_owned());
    Evidence { event: Some(event), at: at.clone(), stance, origin, quote, task: Some(task.clone()) }
}

/// A constraint of a task that the user set, for this once as far as was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    pub topic: String,
    pub text: String,
    pub task: TaskId,
    pub event: EventId,
    pub at: ZonedDateTime,
}

/// What the user asked for in at least three distinct tasks of one kind, each time for that time: by now a rule, if not a stated one
/// (SPEC 3.3).
pub fn promotions(wishes: &[Wish]) -> Vec<Vec<Candidate>> {
    let mut groups: BTreeMap<(&str, String), Vec<&Wish>> = BTreeMap::new();
    for wish in wishes {
        let wished = wished(&wish.text, &wish.topic);
        // "Only this time" wishes for nothing, and what is an exception in so many words is none the less one the third time.
        if !wished.is_empty() && !EXCEPTION.iter().any(|word| fold(&wish.text).contains(word)) {
            groups.entry((&wish.topic, wished)).or_default().push(wish);
        }
    }
    let promoted = groups.into_values().filter_map(|mut group| {
        group.sort_by_key(|wish| (wish.at.timestamp(), wish.event));
        let mut seen = BTreeSet::new();
        group.retain(|wish| seen.insert(&wish.task));
        let latest = *group.last().filter(|_| group.len() >= TIMES_MIN)?;
        let value = bounded(&wished(&latest.text, &latest.topic));
        let side = aspects(&latest.text).into_iter().collect::<Vec<_>>().join(" + ");
        let attribute = if side.is_empty() { bounded(&format!("rule: {value}")) } else { side };
        let candidate = |wish: &&Wish| Candidate {
            kind: MemoryKind::Rule,
            subject: USER.to_owned(),
            attribute: attribute.clone(),
            applies: Applies::TaskKind(wish.topic.clone()),
            value: value.clone(),
            content: without_once(&latest.text),
            importance: 3,
            imperative: false,
            evidence: suggests(wish.event, &wish.at, Origin::UserStated, &wish.text, &wish.task),
        };
        Some(group.iter().map(candidate).collect())
    });
    promoted.collect()
}

/// Words that say outright that it is to stay an exception.
const EXCEPTION: &[&str] = &[
    "下不为例",
    "就这一次",
    "只此一次",
    "仅此一次",
    "just this once",
    "this once",
    "one-off",
    "only this once",
    "as an exception",
];

/// Words that tie a wish to its time: what is left is the wish.
const ONCE: &[&str] = &[
    "就这一次",
    "只此一次",
    "下不为例",
    "这一次",
    "这次",
    "本次",
    "这周",
    "本周",
    "这回",
    "今天",
    "仅此",
    "只有",
    "just this once",
    "this time only",
    "only this time",
    "this time",
    "for this one",
    "this week",
    "for now",
    "just for",
];

fn without_once(text: &str) -> String {
    let mut rest = text.to_owned();
    for word in ONCE {
        while let Some(at) = find_whole(&rest.to_ascii_lowercase(), word) {
            rest.replace_range(at..at + word.len(), "");
        }
    }
    rest.trim_matches([' ', '，', ',', '。', '.', '；', ';']).to_owned()
}

fn wished(text: &str, topic: &str) -> String {
    essence(&without_topic(&without_once(text), topic))
}

/// `day`: 0 is Monday.
fn in_words(called: &str, day: i8, afternoon: bool, language: Language) -> String {
    let day = usize::try_from(day).unwrap_or_default();
    match language {
        Language::Zh => {
            let day = ["周一", "周二", "周三", "周四", "周五", "周六", "周日"][day];
            format!("用户每{day}{}处理{called}", if afternoon { "下午" } else { "上午" })
        }
        Language::En => {
            let day = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][day];
            format!("The user works on the {called} on {day} {}s", if afternoon { "afternoon" } else { "morning" })
        }
    }
}
