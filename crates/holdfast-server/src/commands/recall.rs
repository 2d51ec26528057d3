//! `recall`: what memory has on a question, and why.

use anyhow::Result;
use holdfast::engine::{self, Engine};
use holdfast::types::event::StoredEvent;
use holdfast::types::ids::EventId;
use holdfast::types::memory::MemoryStatus;
use holdfast::types::query::{CandidateNote, Filter, Found, Hit, Limits, MemoryNote, Query, Recalled, Verdict};
use holdfast::types::scope::Owner;

use super::context::about_in_words;
use super::look::{erased_in_words, shortened};
use crate::cli::{Global, RecallArguments};
use crate::open;
use crate::printer::Printer;

/// Candidates shown when all are explained.
const EXPLAINED_SHOWN: usize = 40;

/// Longest text of a hit in a row, in characters: `history` shows the whole.
const WHAT_CHARACTERS_MAX: usize = 300;

pub fn run(global: &Global, arguments: &RecallArguments, printer: Printer) -> Result<()> {
    let engine = open::writing_if_possible(global, printer)?;
    let now = engine.now();
    let time = |text: &Option<String>| text.as_ref().map(|text| open::stretch(text, &now)).transpose();
    let filter = Filter {
        session: arguments.in_session.then(|| global.session()),
        task: global.task.clone(),
        sources: arguments.source.clone(),
        kinds: arguments.kind.clone(),
        since: time(&arguments.since)?.map(|stretch| stretch.start),
        until: time(&arguments.as_of)?.map(|stretch| stretch.end),
        known_at: time(&arguments.known_at)?.map(|stretch| stretch.end),
        except: Vec::new(),
        history: arguments.history,
        hidden: false,
    };
    let Limits { facts, rules, memories, .. } = Limits::default();
    let limits = Limits {
        events: arguments.limit,
        facts,
        rules,
        memories,
        total: arguments.limit.saturating_add(facts + memories),
    };
    let query = Query { filter, limits, ..Query::new(open::scope(global, &engine, printer)?, &arguments.query, now) };
    let mut recalled = engine.recall(&query)?;
    if let Some(Some(id)) = arguments.explain {
        recalled.explain.candidates.retain(|candidate| candidate.id == id);
        if recalled.explain.candidates.is_empty() {
            printer.say(why_not_a_candidate(&engine, &query.scope.owner, id)?);
        }
    }
    if recalled.hits.is_empty() {
        printer.say("nothing relevant in memory");
    }
    if printer.json {
        let mut document = serde_json::to_value(&recalled)?;
        if arguments.explain.is_none()
            && let Some(fields) = document.as_object_mut()
        {
            fields.remove("explain");
        }
        return printer.document(&document);
    }
    let text = in_words(&recalled, arguments.explain.is_some(), printer);
    if text.is_empty() { Ok(()) } else { Ok(printer.text(&text)?) }
}

/// What became of it, where it was let go, hidden or erased.
fn why_not_a_candidate(engine: &Engine, owner: &Owner, id: EventId) -> Result<String> {
    if engine.event(owner, id)?.is_none() {
        let erasure = engine.erasure_of(owner, id)?.ok_or(engine::Error::NoSuchEvent(id))?;
        return Ok(format!("{id} was {}", erased_in_words(&erasure)));
    }
    let history = engine.history(owner, id)?;
    let fate = super::manage::fate_in_words(&history);
    Ok(match (history.event.hidden, fate) {
        (true, Some(fate)) => format!("{id} is out of view: {fate}"),
        (true, None) => format!("{id} is hidden on request: `forget --unhide` brings it back"),
        (false, fate) => {
            let fate = fate.map_or_else(String::new, |fate| format!(" ({fate})"));
            format!(
                "{id} was not among the candidates{fate}: the filters exclude it, or no word and no meaning of it is near the query"
            )
        }
    })
}

fn in_words(recalled: &Recalled, explain: bool, printer: Printer) -> String {
    let mut text = String::new();
    if !recalled.hits.is_empty() {
        text = printer.table(&["when", "who", "what", "score", "event"], recalled.hits.iter().map(row));
    }
    if explain {
        text.push_str(&explained(recalled, printer));
    }
    text
}

fn row(hit: &Hit) -> Vec<String> {
    let score = format!("{:.2}", hit.score);
    match &hit.found {
        Found::Event { event, excerpt, replaced_by } => {
            let content = &event.event.content;
            let parts: Vec<&str> = excerpt.iter().map(|range| content[range.clone()].trim()).collect();
            let left_out = |range: std::ops::Range<usize>| !content[range].trim().is_empty();
            let before = excerpt.first().is_some_and(|first| left_out(0..first.start));
            let after = excerpt.last().is_some_and(|last| left_out(last.end..content.len()));
            let mark = |cut: bool| if cut { "…" } else { "" };
            let what = format!("{}{}{}", mark(before), parts.join(" … "), mark(after));
            let mut what = shortened(&what.replace('\n', " "), WHAT_CHARACTERS_MAX);
            if !event.overturned.is_empty() {
                what.push_str(" [overturned in part]");
            } else if replaced_by.is_some() {
                what.push_str(" [said otherwise later]");
            }
            vec![when(event), event.event.source.to_string(), what, score, event.event.id.to_string()]
        }
        Found::Memory { memory, standing } => {
            let kind = if *standing { memory.kind.to_string() } else { format!("known ({})", memory.kind) };
            let mark = match memory.status {
                MemoryStatus::Superseded => " [no longer holds]",
                MemoryStatus::Fading => " [not heard of for long: ask]",
                _ => "",
            };
            let since = memory.valid_from.strftime("%Y-%m-%d").to_string();
            vec![since, kind, format!("{}{mark}", memory.content), score, memory.id.to_string()]
        }
        Found::Fact { text, valid, source, .. } => {
            let mark = if *valid { "" } else { " [no longer holds]" };
            vec![String::new(), "fact".to_owned(), format!("{text}{mark}"), score, source.to_string()]
        }
    }
}

fn when(event: &StoredEvent) -> String {
    event.event.occurred_at.strftime("%Y-%m-%d %H:%M").to_string()
}

fn explained(recalled: &Recalled, printer: Printer) -> String {
    let explain = &recalled.explain;
    let mut lines = vec![String::new(), format!("route: {} ({})", recalled.route, explain.route_reason)];
    lines.push(about_in_words(&recalled.about));
    lines.push(format!("filters: {}", explain.filters.join("; ")));
    lines.extend(explain.time.as_ref().map(|time| format!("time: {time}")));
    let term = |note: &holdfast::types::query::TermNote| {
        format!("{}{} ({})", note.term, if note.used { "" } else { "·" }, note.rows)
    };
    lines
        .push(format!("terms (rows; · orders only): {}", explain.terms.iter().map(term).collect::<Vec<_>>().join(" ")));
    lines.extend(explain.notes.iter().map(|note| format!("note: {note}")));
    if !explain.memories.is_empty() {
        lines.push(printer.table(&["memory", "score", "made of", "verdict"], explain.memories.iter().map(memory_row)));
    }
    let rows = explain.candidates.iter().take(EXPLAINED_SHOWN).map(candidate_row);
    lines.push(printer.table(&["event", "words", "meaning", "score", "made of", "verdict"], rows));
    if explain.candidates.len() > EXPLAINED_SHOWN {
        lines.push(format!("and {} more: --json shows all", explain.candidates.len() - EXPLAINED_SHOWN));
    }
    lines.join("\n")
}

fn candidate_row(note: &CandidateNote) -> Vec<String> {
    let ranked = |rank: Option<u32>, score: Option<f32>| match (rank, score) {
        (Some(rank), Some(score)) => format!("#{rank} {score:.2}"),
        _ => String::new(),
    };
    let verdict = verdict(&note.verdict);
    vec![
        note.id.to_string(),
        ranked(note.lexical_rank, note.lexical_score),
        ranked(note.dense_rank, note.dense_score),
        format!("{:.2}", note.score),
        parts_in_words(&note.parts),
        verdict,
    ]
}

fn memory_row(note: &MemoryNote) -> Vec<String> {
    vec![note.content.clone(), format!("{:.2}", note.score), parts_in_words(&note.parts), verdict(&note.verdict)]
}

fn parts_in_words(parts: &[(String, f32)]) -> String {
    parts.iter().map(|(name, part)| format!("{name} {part:+.2}")).collect::<Vec<_>>().join(", ")
}

pub fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Kept => "kept".to_owned(),
        Verdict::CutByLimit => "cut by the limit".to_owned(),
        Verdict::BelowThreshold => "not relevant enough".to_owned(),
        Verdict::CutByBudget => "cut by the budget".to_owned(),
        Verdict::Repeats { other } => format!("repeats #{other}"),
        Verdict::Overruled { by } => format!("the task sets it otherwise: {by}"),
        Verdict::Hidden { reason } => format!("hidden: {reason}"),
    }
}
