//! Looking back: `history`, `journal`, `report`.

use anyhow::Result;
use holdfast::engine::Engine;
use holdfast::journal::Report;
use holdfast::store::JournalPage;
use holdfast::types::ids::{EventId, RunId};
use holdfast::types::moment;
use holdfast::types::operation::{JournalEntry, Target};
use holdfast::types::scope::{Owner, ScopeId};

use crate::cli::{Global, JournalArguments, ReportArguments, RunArgument};
use crate::failure::Refused;
use crate::open;
use crate::printer::Printer;

/// Operations of one task or event shown.
const HISTORY_MAX: usize = 1_000;

/// Statements listed in a report.
const LISTED_MAX: usize = 20;

/// States of one task listed in a report.
const STATES_SHOWN: usize = 8;

pub fn history(global: &Global, id: &str, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    if let Ok(event) = id.parse::<EventId>()
        && engine.event(&owner, event)?.is_some()
    {
        let history = engine.history(&owner, event)?;
        return printer.either(&history, || {
            let stored = &history.event;
            let event = &stored.event;
            let at = moment::format(&event.occurred_at);
            let mut lines = vec![format!("{} {} {} {at}", event.id, event.source, event.kind), event.content.clone()];
            lines.extend(
                stored.archived.then(|| "archived: this is its summary; `restore` brings the body back".to_owned()),
            );
            lines.extend(stored.overturned.iter().map(|overturned| {
                let by = overturned.replaced_by.as_ref().map_or_else(String::new, |by| format!(" → {by}"));
                format!("overturned: {}{by}", overturned.statement)
            }));
            lines.push(String::new());
            lines.push(entries_in_words(&history.operations, printer));
            lines.join("\n")
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
    let owner = open::owner(global, &engine, printer)?;
    let page = JournalPage {
        run: run(&engine, &owner, arguments.run.unwrap_or(RunArgument::All))?,
        verb: arguments.verb,
        task: global.task.clone(),
        newest_first: true,
        limit: arguments.limit,
        ..JournalPage::default()
    };
    let entries = engine.journal(&owner, &page)?;
    if entries.is_empty() {
        printer.say("the journal has nothing of this");
        return if printer.json { printer.document(&entries) } else { Ok(()) };
    }
    printer.either(&entries, || entries_in_words(&entries, printer))
}

pub fn report(global: &Global, arguments: &ReportArguments, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    let page =
        JournalPage { run: run(&engine, &owner, arguments.run)?, task: global.task.clone(), ..JournalPage::default() };
    let report = engine.report(&owner, &page)?;
    if report.operations == 0 {
        printer.say("nothing was done: the journal has no operation of this run, task and owner");
    }
    if printer.json {
        return printer.document(&report);
    }
    let lines = report_in_words(&report);
    if lines.is_empty() { Ok(()) } else { Ok(printer.text(&lines.join("\n"))?) }
}

/// `Latest` is the run of the newest operation; `All` is none in particular.
fn run(engine: &Engine, owner: &Owner, which: RunArgument) -> Result<Option<RunId>> {
    match which {
        RunArgument::All => Ok(None),
        RunArgument::One(id) => Ok(Some(id)),
        RunArgument::Latest => {
            let page = JournalPage { newest_first: true, limit: 1, ..JournalPage::default() };
            Ok(engine.journal(owner, &page)?.pop().map(|entry| entry.operation.run))
        }
    }
}

pub fn entries_in_words(entries: &[JournalEntry], printer: Printer) -> String {
    let row = |entry: &JournalEntry| {
        let operation = &entry.operation;
        let target = match &operation.target {
            Target::Event(id) => id.to_string(),
            Target::Task(id) => id.to_string(),
            Target::Session(id) => id.to_string(),
            Target::Memory(id) => format!("memory {id}"),
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
        lines.push(format!("stored: {} ({})", events(total), counted(&report.stored)));
    }
    if report.unattributed > 0 {
        lines.push(format!("of no task: {}", events(report.unattributed)));
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
        let mut line = format!("task {id}{title}: {}, {} changes", events(task.events), task.updates);
        let states = last_states(&task.states);
        if !states.is_empty() {
            line.push_str(&format!("; {}", states[..states.len().min(STATES_SHOWN)].join(", ")));
        }
        if states.len() > STATES_SHOWN {
            line.push_str(&format!(" and {} more", states.len() - STATES_SHOWN));
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
    if report.remembered > 0 {
        lines.push(format!("memories written or supported: {}", report.remembered));
    }
    if report.let_go > 0 {
        lines.push(format!("memories taken back or let go: {}", report.let_go));
    }
    for (reason, count) in &report.refused {
        lines.push(format!("not made a memory: {count} ({reason})"));
    }
    if report.revealed > 0 {
        lines.push(format!("secrets shown: {}", report.revealed));
    }
    lines
}

pub fn events(count: u64) -> String {
    format!("{count} event{}", if count == 1 { "" } else { "s" })
}

/// The state each thing was left in: 「启明: open」 and later 「启明: cancelled」 is one line.
fn last_states(states: &[String]) -> Vec<&str> {
    let name = |state: &str| state.split_once(": ").map(|(name, _)| name.to_owned());
    let is_last = |(at, state): &(usize, &String)| {
        let later = &states[at + 1..];
        match name(state) {
            Some(named) => !later.iter().any(|other| name(other).as_ref() == Some(&named)),
            None => later.first() != Some(state),
        }
    };
    states.iter().enumerate().filter(is_last).map(|(_, state)| state.as_str()).collect()
}
