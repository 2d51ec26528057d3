//! `observe`: one event from the command line, or event lines from stdin.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use anyhow::{Context, Result};
use holdfast::engine::Observed;
use holdfast::import::{self, Format, Options};
use holdfast::types::event::RawEvent;
use serde_json::Value;

use super::replay::settle;
use crate::cli::{Global, Observe};
use crate::failure::{self, PARTLY, Refused};
use crate::open;
use crate::printer::{Printer, plain};
use crate::wire;

pub fn run(global: &Global, arguments: &Observe, printer: Printer) -> Result<ExitCode> {
    if arguments.lines {
        return lines(global, arguments, printer);
    }
    let content = match &arguments.content {
        Some(content) => content.clone(),
        None => from_stdin(printer)?,
    };
    let engine = open::recording(global, arguments.no_embed, printer)?;
    let scope = open::scope(global, &engine, printer)?;
    let kind = arguments.kind.unwrap_or_else(|| wire::kind_of(arguments.source));
    let mut raw = RawEvent::new(scope, arguments.source, kind, content);
    raw.occurred_at = Some(arguments.at.clone().unwrap_or_else(|| engine.now()));
    raw.idempotency_key = arguments.key.clone();
    raw.metadata =
        arguments.metadata.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    print(&engine.observe(raw)?, printer)?;
    settle(&engine, printer);
    Ok(ExitCode::SUCCESS)
}

fn from_stdin(printer: Printer) -> Result<String> {
    if std::io::stdin().is_terminal() {
        printer.say("what was said or done? End with Ctrl-D");
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).context("can't read stdin")?;
    let text = String::from_utf8(bytes).map_err(|e| {
        Refused(format!(
            "stdin is not UTF-8 from byte {}: convert it first, e.g. with iconv",
            e.utf8_error().valid_up_to() + 1
        ))
    })?;
    // The newline is the shell's, not the speaker's.
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Each line is answered before the next is read: an agent may keep the pipe open and wait for its ids.
fn lines(global: &Global, arguments: &Observe, printer: Printer) -> Result<ExitCode> {
    let engine = open::recording(global, arguments.no_embed, printer)?;
    let scope = open::scope(global, &engine, printer)?;
    let options = Options { scope, zone: open::zone(global), format: Some(Format::Native), live: true };
    let entries = import::read(std::io::stdin().lock(), "stdin", options);
    let mut all_read = true;
    for entry in entries.map_err(|error| anyhow::anyhow!("stdin {error}"))? {
        let observed = match entry {
            Ok(entry) => {
                let place = entry.position;
                let observed = engine.observe_with(entry.event, entry.update);
                observed.map_err(|error| anyhow::Error::from(error).context(place))
            }
            Err(unread) => Err(unread.into()),
        };
        match observed {
            Ok(observed) => {
                all_read &= observed.refused_update.is_none();
                print(&observed, printer)?;
            }
            Err(error) => {
                all_read = false;
                printer.say(format_args!("not read: {}", failure::told(&error)));
            }
        }
    }
    settle(&engine, printer);
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(PARTLY) })
}

fn print(observed: &Observed, printer: Printer) -> Result<()> {
    if printer.json {
        return printer.line(&wire::observed(observed));
    }
    if observed.duplicate {
        printer.say("known already: this is the first one's id");
    }
    for redaction in &observed.redactions {
        printer.say(format_args!("redacted: {} × {}", redaction.count, redaction.label));
    }
    match &observed.task {
        Some(task) => printer.say(format_args!("task: {task} ({})", observed.attribution)),
        None if observed.duplicate => {}
        None => printer.say(format_args!("of no task: {}", observed.attribution)),
    }
    for status in &observed.statuses {
        printer.say(format_args!("status: {}", plain(status)));
    }
    for statement in &observed.overturned {
        printer.say(format_args!("overturned: {statement}"));
    }
    if let Some(why) = &observed.refused_update {
        printer.say(format_args!("update refused: {why}"));
    }
    printer.text(&observed.id.to_string())?;
    // An utterance that addressed several tasks is an event for each.
    observed.also.iter().try_for_each(|part| print(part, printer))
}
