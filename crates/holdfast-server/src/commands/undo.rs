//! Undoing: what it would reach, and doing it.

use anyhow::Result;
use holdfast::engine::Engine;
use holdfast::store::JournalPage;
use holdfast::types::ids::OperationId;
use holdfast::types::operation::JournalEntry;
use holdfast::types::scope::Owner;
use holdfast::types::undo::{Undo, Undoing, Undone};

use super::look::{counted, entries_in_words, events, run as run_of};
use crate::cli::{Global, RunArgument, UndoArguments};
use crate::failure::{Refused, Usage};
use crate::open;
use crate::printer::Printer;

/// Operations shown one by one.
const SHOWN_MAX: usize = 50;

pub fn run(global: &Global, arguments: &UndoArguments, printer: Printer) -> Result<()> {
    let engine = if arguments.preview { open::reading(global, printer)? } else { open::changing(global, printer)? };
    let owner = open::owner(global, &engine, printer)?;
    let what = what(&engine, &owner, arguments)?;
    let reason = arguments.reason.clone().unwrap_or_default();
    let undo = Undo { what, reason, with_dependants: arguments.with_dependants };
    let undone = if arguments.preview { engine.undo_preview(&owner, &undo)? } else { engine.undo(&owner, &undo)? };
    if arguments.preview {
        printer.say("nothing was done: this is how far it would reach");
    }
    printer.either(&undone, || in_words(&undone, printer))
}

fn what(engine: &Engine, owner: &Owner, arguments: &UndoArguments) -> Result<Undoing> {
    if let Some(id) = &arguments.operation {
        return Ok(Undoing::Operation(operation(engine, owner, id)?));
    }
    if let Some(run) = arguments.run {
        let run = match run {
            RunArgument::All => return Err(Usage("all runs? Give a moment with --to".to_owned()).into()),
            run => run_of(engine, owner, run)?,
        };
        let none = || Refused("the journal has no run here".to_owned());
        return Ok(Undoing::Run(run.ok_or_else(none)?));
    }
    let text = arguments.to.as_deref().unwrap_or_default();
    Ok(Undoing::To(open::stretch(text, &engine.now())?.end))
}

/// By its id, or by its number in the journal.
fn operation(engine: &Engine, owner: &Owner, id: &str) -> Result<OperationId> {
    if let Ok(whole) = id.parse() {
        return Ok(whole);
    }
    let number: Option<i64> = id.trim_start_matches('#').parse().ok();
    let entry = match number {
        Some(number) => {
            let page = JournalPage { after: Some(number - 1), limit: 1, ..JournalPage::default() };
            engine.journal(owner, &page)?.pop().filter(|entry| entry.position == number)
        }
        None => None,
    };
    let none = || Refused(format!("there is no operation {id} here: `holdfast journal` shows them with their numbers"));
    Ok(entry.ok_or_else(none)?.operation.id)
}

fn in_words(undone: &Undone, printer: Printer) -> String {
    let mut parts = vec![
        counted(undone.operations.len() as u64, "operation", "operations"),
        counted(undone.tasks, "task", "tasks"),
        counted(undone.memories, "memory", "memories"),
    ];
    if undone.events > 0 {
        parts.push(format!("{} out of view", events(undone.events)));
    }
    let shown = |entries: &[JournalEntry]| {
        let first = &entries[..entries.len().min(SHOWN_MAX)];
        let more = entries.len() - first.len();
        let more = if more > 0 { format!("\n… and {more} more") } else { String::new() };
        format!("{}{more}", entries_in_words(first, printer))
    };
    let mut lines = vec![parts.join(", "), shown(&undone.operations)];
    if !undone.dependants.is_empty() {
        lines.push("these came later and changed the same: --with-dependants undoes them too".to_owned());
        lines.push(shown(&undone.dependants));
    }
    for refused in undone.refused.iter().take(SHOWN_MAX) {
        lines.push(format!("not undone: {} {}: {}", refused.verb, refused.operation, refused.why));
    }
    lines.join("\n")
}
