//! What the user names together again and again in one kind of work: 「周报里通常会提到启明和华星」 (SPEC 3.9). Requests in, candidates out; an
//! inference, and never about what a rule was stated for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::gate::Candidate;
use super::habits::{Request, TIMES_MIN, suggests};
use super::slots::bounded;
use crate::text::{find_whole, fold};
use crate::types::memory::{Applies, Memory, MemoryKind, MemoryStatus, Origin, Stance, USER};
use crate::types::signals::Language;

/// How the attribute of such an inference begins.
const TOGETHER: &str = "names: ";

/// More things than these are a list that was pasted.
const NAMES_MAX: usize = 6;

/// Share of the tasks of a kind that name a set, for 「通常」.
const USUALLY_MIN: f32 = 0.75;

/// For each kind of work the largest set of things that enough of its tasks name, each in one request: one candidate a task.
pub fn named_together(requests: &[Request]) -> Vec<Candidate> {
    let mut by_topic: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in requests {
        by_topic.entry(&request.topic).or_default().push(request);
    }
    by_topic.into_values().filter_map(|requests| usual(&requests)).flatten().collect()
}

fn usual(requests: &[&Request]) -> Option<Vec<Candidate>> {
    let tasks = requests.iter().map(|request| &request.task).collect::<BTreeSet<_>>().len();
    let naming: Vec<&Request> =
        requests.iter().copied().filter(|request| (2..=NAMES_MAX).contains(&request.named.len())).collect();
    let in_all = |names: &BTreeSet<&str>| -> Vec<&Request> {
        naming.iter().copied().filter(|request| names.iter().all(|name| request.named.contains_key(*name))).collect()
    };
    let is_usual = |names: &BTreeSet<&str>| {
        let with = in_all(names);
        let times = with.iter().map(|request| &request.task).collect::<BTreeSet<_>>().len();
        // Three tasks on one day are one occasion.
        let days = with.iter().map(|request| request.at.date()).collect::<BTreeSet<_>>().len();
        times.min(days) >= TIMES_MIN && times as f32 >= USUALLY_MIN * tasks as f32
    };
    // What a set needs each of its names needs.
    let all: BTreeSet<&str> = naming.iter().flat_map(|request| request.named.keys().map(String::as_str)).collect();
    let alone: Vec<&str> = all.into_iter().filter(|name| is_usual(&BTreeSet::from([*name]))).collect();
    let grown = alone.iter().map(|first| {
        alone.iter().fold(BTreeSet::from([*first]), |names, name| {
            let more: BTreeSet<&str> = names.iter().copied().chain([*name]).collect();
            if is_usual(&more) { more } else { names }
        })
    });
    // Of two that are as large the first by name, so that it is always the same.
    let names = grown.max_by_key(|names| (names.len(), Reverse(names.clone())))?;
    if names.len() < 2 {
        return None;
    }
    let mut with = in_all(&names);
    with.sort_by_key(|request| (request.at.timestamp(), request.event));
    let last = with.last()?;
    let written: Vec<&str> = names.iter().filter_map(|name| last.named.get(*name).map(String::as_str)).collect();
    let content = in_words(&last.called, &written, last.language);
    let set = names.iter().copied().collect::<Vec<_>>().join(" + ");
    let candidate = |request: &Request| Candidate {
        kind: MemoryKind::Inference,
        subject: USER.to_owned(),
        attribute: bounded(&format!("{TOGETHER}{set}")),
        applies: Applies::TaskKind(request.topic.clone()),
        value: bounded(&set),
        content: content.clone(),
        importance: 2,
        imperative: false,
        evidence: suggests(request.event, &request.at, Origin::AgentInferred, &request.quote, &request.task),
    };
    let mut seen = BTreeSet::new();
    Some(with.into_iter().filter(|request| seen.insert(&request.task)).map(candidate).collect())
}

/// Whether a candidate is one of these.
pub fn recurs_together(candidate: &Candidate) -> bool {
    candidate.kind == MemoryKind::Inference && candidate.attribute.starts_with(TOGETHER)
}

/// Whether a rule was stated that names one of the things: what is to be done with them it says better than how often they were named.
pub fn is_ruled(candidate: &Candidate, known: &[Memory], new: &[Candidate]) -> bool {
    let names: Vec<&str> = candidate.value.split(" + ").collect();
    let names_one = |kind, content: &str| {
        let content = fold(content);
        kind == MemoryKind::Rule && names.iter().any(|name| find_whole(&content, name).is_some())
    };
    known.iter().any(|memory| memory.status == MemoryStatus::Active && names_one(memory.kind, &memory.content))
        || new.iter().any(|other| other.evidence.stance == Stance::States && names_one(other.kind, &other.content))
}

fn in_words(called: &str, names: &[&str], language: Language) -> String {
    let Some((last, before)) = names.split_last() else { return String::new() };
    match language {
        Language::Zh => format!("{called}里通常会提到{}和{last}", before.join("、")),
        Language::En => format!("The {called} usually involves {} and {last}", before.join(", ")),
    }
}
