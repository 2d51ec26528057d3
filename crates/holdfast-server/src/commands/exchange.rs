//! `export` and `import`: an owner's memory as lines of JSON, whole.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use holdfast::engine::{EXPORT_VERSION, Engine, ExportLine, Imported};
use holdfast::types::scope::Owner;

use crate::cli::Global;
use crate::failure::{PARTLY_READ, Refused};
use crate::open;
use crate::printer::Printer;

/// Lines brought in with one commit.
const BATCH_LINES: usize = 200;

pub fn export(global: &Global, all: bool, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owners = if all { engine.owners()? } else { vec![open::owner(global, &engine)?] };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let exported = engine.export(&owners, &mut out)?;
    out.flush()?;
    printer.say(format_args!("{} owners, {} events, {} tasks", exported.owners, exported.events, exported.tasks));
    Ok(())
}

pub fn import(global: &Global, path: &Path, printer: Printer) -> Result<ExitCode> {
    let engine = open::writing(global, printer)?;
    let file = File::open(path).with_context(|| format!("can't open {}", path.display()))?;
    let mut owner: Option<Owner> = None;
    let (mut batch, mut total, mut unread) = (Vec::new(), Imported::default(), 0_u64);
    for (number, line) in (1_u64..).zip(BufReader::new(file).split(b'\n')) {
        let line = line.with_context(|| format!("can't read {}", path.display()))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<ExportLine>(&line) {
            Ok(ExportLine::Owner { version, .. }) if version > EXPORT_VERSION => {
                return Err(Refused(format!(
                    "{}, line {number}: an export of version {version}, and this holdfast reads up to {EXPORT_VERSION}",
                    path.display()
                ))
                .into());
            }
            Ok(ExportLine::Owner { owner: next, .. }) => {
                bring_in(&engine, owner.as_ref(), &mut batch, &mut total)?;
                owner = Some(next);
            }
            Ok(_) if owner.is_none() => {
                return Err(
                    Refused(format!("{}, line {number}: an export begins with its owner", path.display())).into()
                );
            }
            Ok(line) => {
                batch.push(line);
                if batch.len() == BATCH_LINES {
                    bring_in(&engine, owner.as_ref(), &mut batch, &mut total)?;
                }
            }
            Err(error) => {
                unread += 1;
                // The message of a JSON error names the place and the kind of fault; the text itself is not repeated.
                let fault = format!("{:?} at column {}", error.classify(), error.column());
                printer.say(format_args!(
                    "not read: {}, line {number}: not a line of an export ({fault})",
                    path.display()
                ));
            }
        }
    }
    bring_in(&engine, owner.as_ref(), &mut batch, &mut total)?;
    super::replay::settle(&engine, printer)?;
    printer.say(format_args!(
        "{} events and {} tasks brought in, {} known already",
        total.events, total.tasks, total.known
    ));
    if printer.json {
        printer.document(&total)?;
    }
    Ok(if unread == 0 { ExitCode::SUCCESS } else { ExitCode::from(PARTLY_READ) })
}

fn bring_in(engine: &Engine, owner: Option<&Owner>, batch: &mut Vec<ExportLine>, total: &mut Imported) -> Result<()> {
    let Some(owner) = owner.filter(|_| !batch.is_empty()) else { return Ok(()) };
    let imported = engine.import(owner, std::mem::take(batch))?;
    total.events += imported.events;
    total.tasks += imported.tasks;
    total.known += imported.known;
    Ok(())
}
