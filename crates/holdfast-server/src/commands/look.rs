//! Looking back: `history`, `journal`, `report`.

use anyhow::Result;
use holdfast::engine::Engine;
use holdfast::journal::Report;
use holdfast::store::JournalPage;
use holdfast::types::ids::{EventId, RunId};
use holdfast::types::operation::{JournalEntry, Target, Verb};
use holdfast::types::scope::{Owner, ScopeId};

use crate::cli::{Global, JournalArguments, ReportArguments};
use crate::failure::Refused;
use crate::open;
use crate::printer::Printer;

/// Operations of one task or event shown.
const HISTORY_MAX: usize = 1_000;

/// Statements listed in a report.
const LISTED_MAX: usize = 20;

pub fn history(global: &Global, id: &str, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine)?;
    if let Ok(event) = id.parse::<EventId>()
        && engine.event(&owner, event)?.is_some()
    {
        let history = engine.history(&owner, event)?;
        return printer.either(&history, || {
            let event = &history.event.event;
            let mut text =
                format!("{} {} {} {}\n{}\n", event.id, event.source, event.kind, event.occurred_at, event.content);
            text.push_str(&entries_in_words(&history.operations, printer));
            text
        });
    }
    let task = ScopeId::new(id).map_err(|e| Refused(e.to_string()))?;
    let page = JournalPage { task: Some(task.clone()), limit: HISTORY_MAX, ..JournalPage::default() };
    let entries = engine.journal(&owner, &page)?;
    if entries.is_empty() {
        return Err(Refused(format!("there is no event or task {id} here")).into());
    }
    printer.either(&entries, || entries_in_words(&entries, printer))
}

pub fn journal(global: &Global, arguments: &JournalArguments, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine)?;
    let all: Vec<&str> = Verb::ALL.iter().map(|verb| verb.as_str()).collect();
    let verb = arguments.verb.as_ref().map(|verb| open::word("verb", verb, Verb::from_word, &all)).transpose()?;
    let run = match &arguments.run {
        Some(run) => self::run(&engine, &owner, run)?,
        None => None,
    };
    let page = JournalPage {
        run,
        verb,
        task: global.task.clone(),
        newest_first: true,
        limit: arguments.limit,
        ..JournalPage::default()
    };
    let entries = engine.journal(&owner, &page)?;
    printer.either(&entries, || entries_in_words(&entries, printer))
}

pub fn report(global: &Global, arguments: &ReportArguments, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine)?;
    let page =
        JournalPage { run: run(&engine, &owner, &arguments.run)?, task: global.task.clone(), ..JournalPage::default() };
    let report = engine.report(&owner, &page)?;
    printer.either(&report, || report_in_words(&report).join("\n"))
}

/// A run by its id; `latest` is the one of the newest operation, `all` none in particular.
fn run(engine: &Engine, owner: &Owner, text: &str) -> Result<Option<RunId>> {
    match text {
        "all" => Ok(None),
        "latest" => {
            let page = JournalPage { newest_first: true, limit: 1, ..JournalPage::default() };
            Ok(engine.journal(owner, &page)?.pop().map(|entry| entry.operation.run))
        }
        id => Ok(Some(id.parse().map_err(|_| Refused(format!("{id:?} is no run: give its id, latest or all")))?)),
    }
}

fn entries_in_words(entries: &[JournalEntry], printer: Printer) -> String {
    let row = |entry: &JournalEntry| {
        let operation = &entry.operation;
        let target = match &operation.target {
            Target::Event(id) => id.to_string(),
            Target::Task(id) => id.to_string(),
            Target::Session(id) => id.to_string(),
            Target::Store => "store".to_owned(),
        };
        let at = operation.at.strftime("%Y-%m-%d %H:%M:%S").to_string();
        vec![
            entry.position.to_string(),
            at,
            operation.actor.clone(),
            operation.verb.to_string(),
            target,
            operation.reason.clone(),
        ]
    };
    printer.table(&["#", "at", "who", "what", "to", "why"], entries.iter().map(row))
}

/// The report as lines; what is zero is left out.
pub fn report_in_words(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let counted = |counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    if !report.stored.is_empty() {
        let total: u64 = report.stored.values().sum();
        lines.push(format!("stored: {total} events ({})", counted(&report.stored)));
    }
    if report.unattributed > 0 {
        lines.push(format!("of no task: {} events", report.unattributed));
    }
    if !report.redacted.is_empty() {
        lines.push(format!("redacted: {}", counted(&report.redacted)));
    }
    let named = report.tasks.iter().filter(|(_, task)| task.events + task.updates > 0);
    for (id, task) in named.clone().take(LISTED_MAX) {
        let title = task
            .title
            .as_ref()
            .filter(|title| title.as_str() != id.as_str())
            .map_or_else(String::new, |title| format!(" {title}"));
        let mut line = format!("task {id}{title}: {} events, {} changes", task.events, task.updates);
        if !task.states.is_empty() {
            line.push_str(&format!("; {}", task.states.join(", ")));
        }
        line.extend(task.ended.iter().map(|_| "; ended".to_owned()));
        lines.push(line);
    }
    let tasks = named.count();
    if tasks > LISTED_MAX {
        lines.push(format!("and {} more tasks", tasks - LISTED_MAX));
    }
    for superseded in report.superseded.iter().take(LISTED_MAX) {
        let new = superseded.new.as_ref().map_or_else(String::new, |new| format!(" → {new}"));
        lines.push(format!("superseded: {}{new}", superseded.old));
    }
    if report.superseded.len() > LISTED_MAX {
        lines.push(format!("and {} more superseded", report.superseded.len() - LISTED_MAX));
    }
    if report.blocks_served > 0 {
        lines.push(format!("served: {} items in {} blocks", report.items_served, report.blocks_served));
    }
    if report.archived > 0 {
        lines.push(format!(
            "archived: {} bodies, {} → {} bytes",
            report.archived, report.archived_bytes_before, report.archived_bytes_after
        ));
    }
    if report.restored > 0 {
        lines.push(format!("restored: {}", report.restored));
    }
    lines
}
