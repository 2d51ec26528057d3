//! `recall`: what memory has on a question, and why.

use anyhow::Result;
use holdfast::types::event::StoredEvent;
use holdfast::types::query::{CandidateNote, Filter, Found, Hit, Limits, Query, Recalled, Verdict};

use crate::cli::{Global, RecallArguments};
use crate::open;
use crate::printer::Printer;

/// Candidates shown when all are explained.
const EXPLAINED_SHOWN: usize = 40;

pub fn run(global: &Global, arguments: &RecallArguments, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let now = engine.now();
    let time = |text: &Option<String>| text.as_ref().map(|text| open::time(text, &now)).transpose();
    let filter = Filter {
        session: arguments.in_session.then(|| global.session.clone()),
        task: global.task.clone(),
        sources: arguments.source.iter().map(|word| open::source(word)).collect::<Result<_>>()?,
        kinds: arguments.kind.iter().map(|word| open::kind(word)).collect::<Result<_>>()?,
        since: time(&arguments.since)?,
        until: time(&arguments.as_of)?,
        known_at: time(&arguments.known_at)?,
        except: Vec::new(),
        history: arguments.history,
    };
    let limits =
        Limits { events: arguments.limit, total: arguments.limit + Limits::default().facts, ..Limits::default() };
    let query = Query { filter, limits, ..Query::new(open::scope(global, &engine)?, &arguments.query, now) };
    let mut recalled = engine.recall(&query)?;
    match &arguments.explain {
        None => recalled.explain = Default::default(),
        Some(id) if !id.is_empty() => {
            recalled.explain.candidates.retain(|candidate| candidate.id.to_string() == *id);
            if recalled.explain.candidates.is_empty() {
                printer.say(format_args!(
                    "{id} was not among the candidates: no word of it and no meaning near it was asked for"
                ));
            }
        }
        Some(_) => {}
    }
    printer.either(&recalled, || in_words(&recalled, arguments.explain.is_some(), printer))
}

fn in_words(recalled: &Recalled, explain: bool, printer: Printer) -> String {
    if recalled.hits.is_empty() {
        printer.say("nothing relevant in memory");
    }
    let mut text = printer.table(&["when", "who", "what", "score"], recalled.hits.iter().map(row));
    if recalled.hits.is_empty() {
        text.clear();
    }
    if explain {
        text.push_str(&explained(recalled, printer));
    }
    text
}

fn row(hit: &Hit) -> Vec<String> {
    let score = format!("{:.2}", hit.score);
    match &hit.found {
        Found::Event { event, excerpt } => {
            let parts: Vec<&str> = excerpt.iter().map(|range| event.event.content[range.clone()].trim()).collect();
            let mut what = parts.join(" … ").replace('\n', " ");
            if !event.overturned.is_empty() {
                what.push_str(" [overturned in part]");
            }
            vec![when(event), event.event.source.to_string(), what, score]
        }
        Found::Fact { text, valid, .. } => {
            let mark = if *valid { "" } else { " [no longer holds]" };
            vec![String::new(), "fact".to_owned(), format!("{text}{mark}"), score]
        }
    }
}

fn when(event: &StoredEvent) -> String {
    event.event.occurred_at.strftime("%Y-%m-%d %H:%M").to_string()
}

fn explained(recalled: &Recalled, printer: Printer) -> String {
    let explain = &recalled.explain;
    let mut lines = vec![String::new(), format!("route: {} ({})", recalled.route, explain.route_reason)];
    lines.extend(recalled.task.as_ref().map(|task| format!("task: {task}")));
    lines.push(format!("filters: {}", explain.filters.join("; ")));
    lines.extend(explain.time.as_ref().map(|time| format!("time: {time}")));
    let term = |note: &holdfast::types::query::TermNote| {
        format!("{}{} ({})", note.term, if note.used { "" } else { "·" }, note.rows)
    };
    lines
        .push(format!("terms (rows; · orders only): {}", explain.terms.iter().map(term).collect::<Vec<_>>().join(" ")));
    lines.extend(explain.notes.iter().map(|note| format!("note: {note}")));
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
    let parts: Vec<String> = note.parts.iter().map(|(name, part)| format!("{name} {part:+.2}")).collect();
    let verdict = match &note.verdict {
        Verdict::Kept => "kept".to_owned(),
        Verdict::CutByLimit => "cut by the limit".to_owned(),
        Verdict::BelowThreshold => "not relevant enough".to_owned(),
        Verdict::CutByBudget => "cut by the budget".to_owned(),
        Verdict::Repeats { other } => format!("repeats #{other}"),
        Verdict::Hidden { reason } => format!("hidden: {reason}"),
    };
    vec![
        note.id.to_string(),
        ranked(note.lexical_rank, note.lexical_score),
        ranked(note.dense_rank, note.dense_score),
        format!("{:.2}", note.score),
        parts.join(", "),
        verdict,
    ]
}
