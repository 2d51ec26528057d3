//! Looking back: `history`, `journal`, `report`.

use anyhow::Result;
use holdfast::engine::{self, Engine};
use holdfast::journal::{Report, chart_in_words};
use holdfast::store::JournalPage;
use holdfast::types::event::StoredEvent;
use holdfast::types::ids::{EventId, RunId};
use holdfast::types::operation::{JournalEntry, Target, Verb};
use holdfast::types::scope::{Owner, Scope, ScopeId};

use jiff::ZonedDateTime;
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Global, JournalArguments, JournalCommand, ReportArguments, RunArgument};
use crate::failure::Refused;
use crate::open;
use crate::printer::{Printer, plain};

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
            let at = shown(&event.occurred_at);
            let mut lines = vec![format!("{} {} {} {at}", event.id, event.source, event.kind), event.content.clone()];
            lines.extend(
                stored.archived.then(|| "archived: this is its summary; `restore` brings the body back".to_owned()),
            );
            lines.extend(super::manage::fate_in_words(&history));
            lines.extend(stored.overturned.iter().map(|overturned| {
                let by = overturned.replaced_by.as_ref().map_or_else(String::new, |by| format!(" → {by}"));
                format!("overturned: {}{by}", overturned.statement)
            }));
            lines.push(String::new());
            lines.push(entries_in_words(&history.operations, printer));
            lines.join("\n")
        });
    }
    if let Ok(event) = id.parse::<EventId>()
        && let Some(erasure) = engine.erasure_of(&owner, event)?
    {
        // Only that: what it said is nowhere.
        return printer.either(&erasure, || erased_in_words(&erasure));
    }
    if is_element(id)
        && let Some(done) = history_of_element(global, &engine, &owner, id)?
    {
        return printer.either(&done, || {
            let said = done.iter().filter_map(|done| done.event.as_ref()).map(said);
            let entries: Vec<JournalEntry> = done.iter().map(|done| done.operation.clone()).collect();
            let mut lines: Vec<String> = said.collect();
            lines.dedup();
            lines.push(String::new());
            lines.push(entries_in_words(&entries, printer));
            lines.join("\n")
        });
    }
    let task = ScopeId::new(id).map_err(|e| Refused(e.to_string()))?;
    let page = JournalPage { task: Some(task.clone()), limit: HISTORY_MAX, ..JournalPage::default() };
    let entries = engine.journal(&owner, &page)?;
    if entries.is_empty() {
        let hint = match is_element(id) {
            true => ": an element is looked for in the task of --task, or the one the session is on",
            false => ", and it is no element of a task, like s7",
        };
        return Err(Refused(format!("there is no event or task {id} here{hint}")).into());
    }
    printer.either(&entries, || entries_in_words(&entries, printer))
}

/// When an event was erased, and under which receipt.
pub fn erased_in_words(erasure: &JournalEntry) -> String {
    let operation = &erasure.operation;
    let receipt = operation.after.as_ref().and_then(|after| after.get("receipt")).and_then(Value::as_str);
    let receipt = receipt.map_or_else(String::new, |receipt| format!(", receipt {receipt}"));
    let at = operation.at.strftime("%Y-%m-%d %H:%M:%SZ");
    format!("erased on request at {at}{receipt}: {}; nothing of what it said is kept", operation.reason)
}

/// An id as blocks show it: `s7`, `[c3]`.
fn is_element(id: &str) -> bool {
    let id = element(id);
    let digits = id.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = id.len() - digits.len();
    (1..=2).contains(&letters) && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn element(id: &str) -> &str {
    id.trim_start_matches('[').trim_end_matches(']')
}

/// What was done, and the event that did it.
#[derive(Serialize)]
struct Done {
    operation: JournalEntry,
    event: Option<StoredEvent>,
}

/// What was done to an element of the task in hand, and the events that did it; `None` if there is no such element.
fn history_of_element(global: &Global, engine: &Engine, owner: &Owner, id: &str) -> Result<Option<Vec<Done>>> {
    let scope = Scope { owner: owner.clone(), session: global.session(), task: global.task.clone() };
    let task = match engine.task_in_hand(&scope) {
        Ok(task) => task,
        Err(engine::Error::NoTask) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let page = JournalPage { task: Some(task), limit: HISTORY_MAX, ..JournalPage::default() };
    let id = element(id);
    let touches = |entry: &JournalEntry| {
        let operation = &entry.operation;
        let named = |value: &Option<Value>| value.as_ref().and_then(|value| value.get("id")) == Some(&Value::from(id));
        operation.verb != Verb::Serve
            && (operation.reason.split(' ').nth(1) == Some(id) || named(&operation.before) || named(&operation.after))
    };
    let mut done = Vec::new();
    for operation in engine.journal(owner, &page)?.into_iter().filter(touches) {
        let event = operation.operation.cause.map(|cause| engine.event(owner, cause)).transpose()?.flatten();
        done.push(Done { operation, event });
    }
    Ok((!done.is_empty()).then_some(done))
}

/// Longest text of an event in a list, in characters.
const SAID_CHARACTERS_MAX: usize = 200;

fn said(stored: &StoredEvent) -> String {
    let event = &stored.event;
    let text = shortened(&plain(&event.content.replace('\n', " ")), SAID_CHARACTERS_MAX);
    format!("{} {} {} {}\n  {text}", event.id, event.source, event.kind, shown(&event.occurred_at))
}

/// At most so many characters, with a mark where it was cut.
pub fn shortened(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

pub fn journal(global: &Global, arguments: &JournalArguments, printer: Printer) -> Result<()> {
    if let Some(JournalCommand::Prune { before, preview, reason }) = &arguments.command {
        return prune(global, before, *preview, reason.as_deref().unwrap_or_default(), printer);
    }
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    if let Some(JournalCommand::Verify) = arguments.command {
        let check = engine.verify_journal(&owner)?;
        return printer.either(&check, || {
            let erased =
                if check.erased > 0 { format!(", {} without their text", check.erased) } else { String::new() };
            let pruned = if check.pruned > 0 { format!(", {} no longer kept", check.pruned) } else { String::new() };
            format!(
                "{} verified{erased}{pruned}; the chain ends in {}",
                counted(check.operations, "operation", "operations"),
                check.head
            )
        });
    }
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

fn prune(global: &Global, before: &str, preview: bool, reason: &str, printer: Printer) -> Result<()> {
    let engine = if preview { open::reading(global, printer)? } else { open::changing(global, printer)? };
    let owner = open::owner(global, &engine, printer)?;
    let before = open::stretch(before, &engine.now())?.start;
    let pruned =
        if preview { engine.prune_preview(&owner, before)? } else { engine.prune_journal(&owner, before, reason)? };
    if preview {
        printer.say("nothing was done: this is how far it would reach");
    }
    printer.either(&pruned, || {
        let lines = counted(pruned.operations, "line loses its text", "lines lose their text");
        format!("{lines}, {} as old stay", pruned.kept)
    })
}

pub fn report(global: &Global, arguments: &ReportArguments, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    let page =
        JournalPage { run: run(&engine, &owner, arguments.run)?, task: global.task.clone(), ..JournalPage::default() };
    if arguments.html {
        return Ok(printer.text(&engine.report_page(&owner, &page)?)?);
    }
    let report = engine.report(&owner, &page)?;
    if report.operations == 0 {
        printer.say("nothing was done: the journal has no operation of this run, task and owner");
    }
    if printer.json {
        return printer.document(&report);
    }
    let mut lines = report_in_words(&report);
    lines.extend(chart_in_words(&engine.in_view_after_each(&owner)?));
    if lines.is_empty() { Ok(()) } else { Ok(printer.text(&lines.join("\n"))?) }
}

/// `Latest` is the run of the newest operation; `All` is none in particular.
pub fn run(engine: &Engine, owner: &Owner, which: RunArgument) -> Result<Option<RunId>> {
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
    let mut lines = super::manage::report_in_words(&report.managed);
    let by_name = |counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    if !report.stored.is_empty() {
        let total: u64 = report.stored.values().sum();
        lines.push(format!("stored: {} ({})", events(total), by_name(&report.stored)));
    }
    if report.unattributed > 0 {
        lines.push(format!("of no task: {}", events(report.unattributed)));
    }
    if !report.redacted.is_empty() {
        lines.push(format!("redacted: {}", by_name(&report.redacted)));
    }
    let named = report.tasks.iter().filter(|(_, task)| task.events + task.updates > 0);
    for (id, task) in named.clone().take(LISTED_MAX) {
        let title = task
            .title
            .as_ref()
            .filter(|title| title.as_str() != id.as_str())
            .map_or_else(String::new, |title| format!(" {title}"));
        let mut line =
            format!("task {id}{title}: {}, {}", events(task.events), counted(task.updates, "change", "changes"));
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
    // The result of a step is said twice, of the step and of the frame.
    let mut superseded: Vec<String> = Vec::new();
    for line in &report.superseded {
        let new = line.new.as_ref().map_or_else(|| "withdrawn, and nothing holds instead".to_owned(), Clone::clone);
        let line = format!("superseded: {} → {new}", line.old);
        if !superseded.contains(&line) {
            superseded.push(line);
        }
    }
    let more = superseded.len().saturating_sub(LISTED_MAX);
    lines.extend(superseded.into_iter().take(LISTED_MAX));
    if more > 0 {
        lines.push(format!("and {more} more superseded"));
    }
    if report.items_served > 0 {
        lines.push(format!(
            "served: {} in {}",
            counted(report.items_served, "item", "items"),
            counted(report.blocks_served, "block", "blocks")
        ));
    }
    if report.archived > 0 {
        lines.push(format!(
            "archived: {}, {} → {} bytes",
            counted(report.archived, "body", "bodies"),
            report.archived_bytes_before,
            report.archived_bytes_after
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
    counted(count, "event", "events")
}

/// "1 owner", "2 owners".
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A moment as a person reads it: to the second, with its offset and no more.
pub fn shown(moment: &ZonedDateTime) -> String {
    moment.strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
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
