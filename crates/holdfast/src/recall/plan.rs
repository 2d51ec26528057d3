//! A question in, what to search for out: weighted terms, times, texts to embed, and what kind of answer is wanted.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use super::words::words;
use crate::signals;
use crate::text::{self, Strength, TermKind, fold, query_terms};
use crate::types::query::{QUERY_BYTES_MAX, Query, Route};
use crate::types::signals::{DateMention, Manner};

/// Weight of a stop word beside 1 of a word that says something.
const STOP_WEIGHT: f32 = 0.1;
/// And of a part of an identifier, beside the whole.
const PART_WEIGHT: f32 = 0.5;

/// Weights of the turns before the question: of the user's and the agent's. In order, the last turn is the other side's.
/// Measured on dialogues in both languages (docs/BENCHMARKS.md).
const USER_TURN_WEIGHT: f32 = 0.7;
const AGENT_TURN_WEIGHT: f32 = 0.35;

/// Weight of what is said before the last sentence of a question: the situation ("Amy got in the car at noon.") tells less of
/// what is sought than the wish at the end. Measured between .3 and 1 on the tune halves: .5 gave vehiclemembench R@10 .717 to .754,
/// madial_zh .612 to .619, the rest the same.
const BEFORE_THE_LAST_WEIGHT: f32 = 0.5;
/// A last sentence with fewer terms that find something ("What was the event?") leans on those before it.
const LAST_TERMS_MIN: usize = 3;

/// Times looked at: each is a search of its own. A question that names six days, each of two years, is the longest known.
const WINDOWS_MAX: usize = 12;

/// Terms searched at most: a question has a dozen, a dialogue a few hundred, of which the heaviest tell most.
const TERMS_MAX: usize = 160;

/// What to look for, and how to weigh what is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub route: Route,
    pub route_reason: &'static str,
    pub terms: Vec<PlannedTerm>,
    pub windows: Vec<Window>,
    /// The question and the turns before it, with weights: to be embedded and added up.
    pub turns: Vec<(String, f32)>,
    /// Whether old statements may stand above new ones: a history, a comparison, an order of events.
    pub spans_time: bool,
    /// Whether what was overturned is served, marked.
    pub history: bool,
    pub asks_agent: bool,
    pub summary: bool,
    pub request: bool,
    pub current: bool,
    pub expects: Expects,
    /// The question was longer than is looked at.
    pub cut: bool,
}

/// The kinds of value that would answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expects {
    pub number: bool,
    pub date: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTerm {
    pub text: String,
    pub weight: f32,
    /// Enough to find something by; the others only order what was found.
    pub finds: bool,
    /// More than a stop word.
    pub says: bool,
}

/// A time that the question names.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    pub text: String,
    pub start: DateTime,
    pub end: DateTime,
    /// How many days outside it fall off to 1/e.
    pub scale_days: f32,
    /// It lies wholly after now: it draws only what is in it.
    pub future: bool,
}

impl Window {
    /// First and last day.
    pub(super) fn days(&self) -> (Date, Date) {
        let last = self.end.checked_sub(jiff::SignedDuration::from_secs(1)).unwrap_or(self.end).date();
        (self.start.date(), last.max(self.start.date()))
    }
}

/// Reads a question.
pub fn plan(query: &Query) -> Plan {
    let end = query.text.floor_char_boundary(QUERY_BYTES_MAX);
    let asked = &query.text[..end];
    let folded = fold(asked);
    let words = words();
    let windows = windows(asked, query);
    let (route, route_reason) = route(&folded, query);
    let mut weights: BTreeMap<String, PlannedTerm> = BTreeMap::new();
    let mut order = Vec::new();
    let mut turns = vec![(asked.to_owned(), 1.0)];
    for (place, turn) in query.preceding.iter().rev().enumerate() {
        let weight = if place % 2 == 0 { AGENT_TURN_WEIGHT } else { USER_TURN_WEIGHT };
        turns.push((turn[..turn.floor_char_boundary(QUERY_BYTES_MAX)].to_owned(), weight));
    }
    let before = turns.iter().skip(1).map(|(turn, weight)| (turn.as_str(), *weight));
    for (said, said_weight) in sentences_asked(asked).into_iter().chain(before) {
        for term in query_terms(&without_dates(said, query)) {
            let weight = said_weight
                * match (term.strength, term.kind) {
                    (Strength::Stop, _) => STOP_WEIGHT,
                    (Strength::Weak, TermKind::Part) => PART_WEIGHT,
                    (Strength::Strong | Strength::Weak, _) => 1.0,
                };
            let finds = term.strength == Strength::Strong;
            let says = term.strength != Strength::Stop;
            match weights.get_mut(&term.text) {
                Some(known) => {
                    known.weight += weight;
                    known.finds |= finds;
                    known.says |= says;
                }
                None => {
                    order.push(term.text.clone());
                    weights.insert(term.text.clone(), PlannedTerm { text: term.text, weight, finds, says });
                }
            }
        }
    }
    let mut terms: Vec<PlannedTerm> = order.iter().filter_map(|text| weights.remove(text)).collect();
    // Stable: between equals the order of the text.
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    terms.truncate(TERMS_MAX);
    Plan {
        route,
        route_reason,
        terms,
        windows,
        turns,
        spans_time: words.history.is_match(&folded),
        history: query.filter.history || words.old_value.is_match(&folded),
        asks_agent: words.asks_agent.is_match(&folded),
        summary: words.summary.is_match(&folded),
        request: words.request.is_match(&folded),
        current: words.current.is_match(&folded),
        expects: Expects { number: words.asks_number.is_match(&folded), date: words.asks_date.is_match(&folded) },
        cut: end < query.text.len(),
    }
}

/// The question in parts, each with its weight.
fn sentences_asked(asked: &str) -> Vec<(&str, f32)> {
    let sentences = text::sentences(asked);
    let Some((last, before)) = sentences.split_last() else { return vec![(asked, 1.0)] };
    let terms = query_terms(&asked[last.clone()]);
    if terms.iter().filter(|term| term.strength == Strength::Strong).count() < LAST_TERMS_MIN {
        return vec![(asked, 1.0)];
    }
    let before = before.iter().map(|range| (&asked[range.clone()], BEFORE_THE_LAST_WEIGHT));
    std::iter::once((&asked[last.clone()], 1.0)).chain(before).collect()
}

/// Route first (SPEC 4.1): is memory needed, and which layer answers first.
fn route(folded: &str, query: &Query) -> (Route, &'static str) {
    let words = words();
    if folded.trim().is_empty() {
        return (Route::State, "nothing is asked: where work stands, and what holds in it");
    }
    if !folded.chars().any(char::is_alphanumeric) {
        return (Route::Nothing, "there is no word in it");
    }
    if query.preceding.is_empty() && words.small_talk.is_match(folded) {
        return (Route::Nothing, "a greeting, thanks or assent needs no memory");
    }
    if query.filter.history || words.old_value.is_match(folded) {
        return (Route::History, "it asks what was so before");
    }
    if words.state.is_match(folded) {
        return (Route::State, "it asks where work stands");
    }
    if words.semantic.is_match(folded) {
        return (Route::Semantic, "it asks what is so or is liked");
    }
    (Route::Events, "it asks what happened or was said")
}

fn windows(asked: &str, query: &Query) -> Vec<Window> {
    let now = query.now.datetime();
    let since = words().since.is_match(&fold(asked));
    let mentions = times_sought(asked, query);
    let only = mentions.len() == 1;
    let mut windows = Vec::with_capacity(mentions.len());
    for mention in mentions {
        let end = if since && only && mention.start <= now { mention.end.max(now) } else { mention.end };
        let days = end.duration_since(mention.start).as_hours() / 24;
        // Scales measured on a year of phone traces; a question names the month it remembers, not the day it was.
        let scale_days = match days {
            ..=1 => 1.5,
            2..=27 => 4.0,
            28..=31 => 5.0,
            _ => 20.0,
        };
        let window = Window { text: mention.text, start: mention.start, end, scale_days, future: mention.start > now };
        windows.extend(year_before(&window));
        windows.push(window);
    }
    windows.truncate(WINDOWS_MAX);
    windows
}

/// 「5月2日」 asked in December is next May for a plan and last May for a memory. Where it was read as still to come both are
/// looked at, and what is there decides: a time to come draws only what lies in it.
fn year_before(window: &Window) -> Option<Window> {
    if !window.future || !words().yearly.is_match(&fold(&window.text)) {
        return None;
    }
    let (start, end) = (window.start.checked_sub(1.year()).ok()?, window.end.checked_sub(1.year()).ok()?);
    Some(Window { start, end, future: false, ..window.clone() })
}

/// The times that tell when what is sought was, and not how things are with the asker.
fn times_sought(asked: &str, query: &Query) -> Vec<DateMention> {
    let words = words();
    let mut mentions = stretches(days_named(asked, query), asked);
    // 「3月聊天时提到最近……」: beside a time with a name, "lately" is said of that time.
    let is_vague = |mention: &DateMention| words.lately.is_match(&fold(&mention.text));
    if !mentions.iter().all(is_vague) {
        mentions.retain(|mention| !is_vague(mention));
    }
    // "I'm driving today. Give me my theme." and "Ideas for dinner this weekend?": what is now or planned is the occasion, and what
    // would help is older.
    let now = query.now.datetime();
    let request = words.request.is_match(&fold(asked));
    let sentences = text::sentences(asked);
    let asks = |at: usize| {
        let sentence = sentences.iter().find(|sentence| sentence.contains(&at));
        sentence.is_none_or(|sentence| words.asks.is_match(&fold(&asked[sentence.clone()])))
    };
    mentions.retain(|mention| {
        let is_occasion = request || sentences.len() > 1 && !asks(mention.span.start);
        mention.end <= now || !is_occasion
    });
    mentions
}

/// 「5月12日到5月31日」 is all of it, not two days.
fn stretches(mentions: Vec<DateMention>, asked: &str) -> Vec<DateMention> {
    let mut found: Vec<DateMention> = Vec::with_capacity(mentions.len());
    for mention in mentions {
        let joined = found.last().and_then(|first| stretch(first, &mention, asked));
        match (found.last_mut(), joined) {
            (Some(last), Some(joined)) => *last = joined,
            _ => found.push(mention),
        }
    }
    found
}

fn stretch(first: &DateMention, last: &DateMention, asked: &str) -> Option<DateMention> {
    let between = asked.get(first.span.end..last.span.start)?;
    if !words().range.is_match(&fold(between)) {
        return None;
    }
    // Each alone was read as the nearest, which may be next year's for the first and this year's for the last.
    let start = if first.start > last.start && words().yearly.is_match(&fold(&first.text)) {
        first.start.checked_sub(1.year()).ok()?
    } else {
        first.start
    };
    let span = first.span.start..last.span.end;
    (start < last.start).then(|| DateMention { text: asked[span.clone()].to_owned(), span, start, end: last.end })
}

/// The times a text names, but for hours without a day.
fn days_named(text: &str, query: &Query) -> Vec<DateMention> {
    let mut mentions = signals::dates(text, &query.now);
    mentions.retain(|mention| !words().clock.is_match(&fold(&mention.text)));
    mentions
}

/// Time expressions act through windows, not as words.
fn without_dates(asked: &str, query: &Query) -> String {
    let mut rest = String::with_capacity(asked.len());
    let mut at = 0;
    for mention in days_named(asked, query) {
        if mention.span.start >= at {
            rest.push_str(&asked[at..mention.span.start]);
            rest.push(' ');
            at = mention.span.end;
        }
    }
    rest.push_str(&asked[at..]);
    // A question that is nothing but a date is searched by its words.
    if text::term_set(&rest).is_empty() { asked.to_owned() } else { rest }
}

/// How a text of the user's reads, kept beside it when it is written.
pub fn manner(content: &str) -> Manner {
    let folded = fold(&content[..content.floor_char_boundary(QUERY_BYTES_MAX)]);
    let words = words();
    Manner { instructs: words.instructs.is_match(&folded), prefers: words.prefers.is_match(&folded) }
}
