//! `observe`: one event from the command line, or event lines from stdin.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result};
use holdfast::engine::Observed;
use holdfast::import::{self, Format, Options};
use holdfast::types::event::RawEvent;
use holdfast::types::moment;
use serde_json::{Value, json};

use crate::cli::{Global, Observe};
use crate::failure::{PARTLY_READ, Refused};
use crate::open;
use crate::printer::Printer;

pub fn run(global: &Global, arguments: &Observe, printer: Printer) -> Result<ExitCode> {
    let engine = open::writing(global, printer)?;
    let scope = open::scope(global, &engine)?;
    if arguments.lines {
        let options = Options { scope, zone: open::zone(global)?, format: Some(Format::Native) };
        let mut all_read = true;
        for entry in import::read(std::io::stdin().lock(), "stdin", options).context("stdin")? {
            let observed = match entry {
                Ok(entry) => engine.observe_with(entry.event, entry.update).map_err(anyhow::Error::from),
                Err(unread) => Err(unread.into()),
            };
            match observed {
                Ok(observed) => print(&observed, printer)?,
                Err(error) => {
                    all_read = false;
                    printer.say(format_args!("holdfast: {error:#}"));
                }
            }
        }
        return Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::from(PARTLY_READ) });
    }
    let content = match &arguments.content {
        Some(content) => content.clone(),
        None => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("can't read stdin")?;
            String::from_utf8(bytes)
                .map_err(|e| Refused(format!("stdin is not UTF-8 from byte {}", e.utf8_error().valid_up_to())))?
        }
    };
    let mut raw = RawEvent::new(scope, open::source(&arguments.source)?, open::kind(&arguments.kind)?, content);
    if let Some(at) = &arguments.at {
        let refused = |e| Refused(format!("--at {at:?} {e}: {}", moment::MomentError::HINT));
        raw.occurred_at = Some(moment::parse(at).map_err(refused)?);
    } else {
        raw.occurred_at = Some(engine.now());
    }
    raw.idempotency_key = arguments.key.clone();
    for pair in &arguments.metadata {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| Refused(format!("--metadata {pair:?} is not NAME=VALUE")))?;
        raw.metadata.insert(name.to_owned(), Value::String(value.to_owned()));
    }
    print(&engine.observe(raw)?, printer)?;
    Ok(ExitCode::SUCCESS)
}

fn print(observed: &Observed, printer: Printer) -> Result<()> {
    let value = json!({
        "id": observed.id,
        "seq": observed.seq,
        "duplicate": observed.duplicate,
        "task": observed.task,
        "attribution": observed.attribution,
        "switched": observed.switched,
        "opened": observed.opened,
        "redactions": observed.redactions,
        "changes": observed.changes,
        "overturned": observed.overturned,
        "refused_update": observed.refused_update,
    });
    if !printer.json {
        for redaction in &observed.redactions {
            printer.say(format_args!("redacted: {} × {}", redaction.count, redaction.label));
        }
        if let Some(task) = &observed.task {
            printer.say(format_args!("task: {task} ({})", observed.attribution));
        }
        if let Some(why) = &observed.refused_update {
            printer.say(format_args!("update refused: {why}"));
        }
    }
    printer.either(&value, || observed.id.to_string())
}
