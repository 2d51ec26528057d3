//! `export` and `import`: an owner's memory as lines of JSON, whole.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use holdfast::engine::{EXPORT_VERSION, Engine, ExportLine, Imported, Vouched};
use holdfast::types::scope::Owner;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::look::{counted, events};
use crate::cli::Global;
use crate::failure::{PARTLY, Refused};
use crate::open;
use crate::printer::Printer;

/// Lines brought in with one commit.
const BATCH_LINES: usize = 200;

/// Lines that could not be read, shown one by one.
const UNREAD_SHOWN: u64 = 20;

/// The same of what was read and is none of ours.
const REFUSED_SHOWN: usize = 10;

pub fn export(global: &Global, all: bool, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owners = if all { engine.owners()? } else { vec![open::owner(global, &engine, printer)?] };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let exported = engine.export(&owners, &mut out)?;
    out.flush()?;
    printer.say(format_args!(
        "{}, {}, {}, {}",
        counted(exported.owners, "owner", "owners"),
        events(exported.events),
        counted(exported.tasks, "task", "tasks"),
        counted(exported.memories, "memory", "memories")
    ));
    Ok(())
}

pub fn import(
    global: &Global,
    path: &Path,
    trust: bool,
    other_environment: bool,
    printer: Printer,
) -> Result<ExitCode> {
    let shown = path.display();
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        if path.is_dir() {
            bail!("{shown} is a directory: name a file that `holdfast export` wrote");
        }
        Box::new(File::open(path).with_context(|| format!("can't open {shown}"))?)
    };
    let mut lines = (1_u64..).zip(BufReader::new(input).split(b'\n')).filter(|(_, line)| !is_blank(line)).peekable();
    // Looked at before the store is opened: another kind of file must not leave an empty store behind.
    check_first(lines.peek(), &shown)?;
    let engine = open::writing(global, printer)?;
    check_environment(&engine, lines.peek(), other_environment, &shown)?;
    let vouched = if trust { Vouched::ByImporter } else { Vouched::ByNobody };
    let brought = bring_in_lines(&engine, lines, &shown, vouched, |_| true, |told| printer.say(told))?;
    super::replay::settle(&engine, printer);
    let Imported { events, tasks, memories, known, waiting, ref refused } = brought.imported;
    for why in refused.iter().take(REFUSED_SHOWN) {
        printer.say(format_args!("not brought in: {why}"));
    }
    if refused.len() > REFUSED_SHOWN {
        printer.say(format_args!("not brought in: {} more", refused.len() - REFUSED_SHOWN));
    }
    printer.say(format_args!(
        "{}, {} and {} brought in, {known} known already",
        counted(events, "event", "events"),
        counted(tasks, "task", "tasks"),
        counted(memories, "memory", "memories")
    ));
    if waiting > 0 {
        let waiting = counted(waiting, "memory waits", "memories wait");
        printer.say(format_args!(
            "{waiting} to be confirmed: `memory list --status pending` shows them, and --trust takes an operator's word in a file of your own"
        ));
    }
    if brought.unread > UNREAD_SHOWN {
        printer.say(format_args!("not read: {} lines in all", brought.unread));
    }
    if printer.json {
        printer.document(&brought)?;
    }
    let whole = brought.unread == 0 && brought.imported.refused.is_empty();
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(PARTLY) })
}

/// What an import came to.
#[derive(Debug, Default, Serialize)]
pub struct Brought {
    #[serde(flatten)]
    pub imported: Imported,
    pub unread: u64,
}

/// Brings in what an export's body holds, of the owners that may be brought in. `tell` hears which lines were not read, and why.
pub fn bring_in_body(
    engine: &Engine,
    input: impl Read,
    vouched: Vouched,
    other_environment: bool,
    may: impl Fn(&Owner) -> bool,
    tell: impl FnMut(String),
) -> Result<Brought> {
    const SHOWN: &str = "the body";
    let mut lines = (1_u64..).zip(BufReader::new(input).split(b'\n')).filter(|(_, line)| !is_blank(line)).peekable();
    check_first(lines.peek(), &SHOWN)?;
    check_environment(engine, lines.peek(), other_environment, &SHOWN)?;
    bring_in_lines(engine, lines, &SHOWN, vouched, may, tell)
}

fn bring_in_lines(
    engine: &Engine,
    lines: impl Iterator<Item = (u64, std::io::Result<Vec<u8>>)>,
    shown: &impl std::fmt::Display,
    vouched: Vouched,
    may: impl Fn(&Owner) -> bool,
    mut tell: impl FnMut(String),
) -> Result<Brought> {
    let mut owner: Option<Owner> = None;
    let (mut batch, mut brought) = (Vec::new(), Brought::default());
    let mut unread = |brought: &mut Brought, why: String| {
        brought.unread += 1;
        if brought.unread <= UNREAD_SHOWN {
            tell(why);
        }
    };
    for (number, line) in lines {
        let line = line.with_context(|| format!("can't read {shown}, line {number}"))?;
        let read = serde_json::from_slice::<ExportLine>(&line);
        if !matches!(read, Ok(ExportLine::Event(_) | ExportLine::Task(_))) {
            check_version(&line, number, shown)?;
        }
        match read {
            Ok(ExportLine::Owner { owner: next, .. }) => {
                bring_in(engine, owner.as_ref(), vouched, &mut batch, &mut brought.imported)?;
                owner = Some(next).filter(&may);
                if owner.is_none() {
                    unread(
                        &mut brought,
                        format!("not read: {shown}, line {number}: this owner's memory is out of reach"),
                    );
                }
            }
            Ok(_) if owner.is_none() => unread(
                &mut brought,
                format!(
                    "not read: {shown}, line {number}: whose it is can't be told, since the owner's line before it was not read"
                ),
            ),
            Ok(line) => {
                batch.push(line);
                if batch.len() == BATCH_LINES {
                    bring_in(engine, owner.as_ref(), vouched, &mut batch, &mut brought.imported)?;
                }
            }
            Err(error) => {
                // What follows a broken owner's line is not the owner's before it.
                if is_of_an_owner(&line) {
                    bring_in(engine, owner.as_ref(), vouched, &mut batch, &mut brought.imported)?;
                    owner = None;
                }
                // The message of a JSON error names the place and the kind of fault; the text itself is not repeated.
                let fault = format!("{:?} at column {}", error.classify(), error.column());
                unread(&mut brought, format!("not read: {shown}, line {number}: not a line of an export ({fault})"));
            }
        }
    }
    bring_in(engine, owner.as_ref(), vouched, &mut batch, &mut brought.imported)?;
    Ok(brought)
}

/// Whether a line that can't be read begins as an owner's does.
fn is_of_an_owner(line: &[u8]) -> bool {
    const BEGINNING: &[u8] = br#"{"line":"owner""#;
    let bare = line.iter().filter(|byte| !byte.is_ascii_whitespace()).take(BEGINNING.len());
    bare.eq(BEGINNING)
}

fn is_blank(line: &std::io::Result<Vec<u8>>) -> bool {
    line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty())
}

/// An export begins with an owner; everything else is told apart here, with what to do about it.
fn check_first(first: Option<&(u64, std::io::Result<Vec<u8>>)>, shown: &impl std::fmt::Display) -> Result<()> {
    let Some((number, line)) = first else { bail!("{shown} is empty") };
    let Ok(line) = line else { return Ok(()) };
    check_version(line, *number, shown)?;
    if matches!(serde_json::from_slice(line), Ok(ExportLine::Owner { .. })) {
        return Ok(());
    }
    Err(Refused(format!(
        "{shown}, line {number}: an export begins with its owner, and this is none. Chats, event lines and data sets are read by \
         `holdfast replay`"
    ))
    .into())
}

/// What a store of another environment wrote is brought in only if that is meant. An export is of one store: its first line says which.
fn check_environment(
    engine: &Engine,
    first: Option<&(u64, std::io::Result<Vec<u8>>)>,
    is_meant: bool,
    shown: &impl std::fmt::Display,
) -> Result<()> {
    let Some((_, Ok(line))) = first else { return Ok(()) };
    let Ok(ExportLine::Owner { environment: Some(theirs), .. }) = serde_json::from_slice(line) else { return Ok(()) };
    match engine.environment()? {
        Some(ours) if ours != theirs && !is_meant => Err(Refused(format!(
            "{shown} is from a store for {theirs}, and this one is for {ours}: --other-environment brings it in all the same"
        ))
        .into()),
        _ => Ok(()),
    }
}

/// The version is read by itself: a newer one may have another form of everything else, and a number of any length.
fn check_version(line: &[u8], number: u64, shown: &impl std::fmt::Display) -> Result<()> {
    #[derive(Deserialize)]
    struct Head {
        line: String,
        version: Number,
    }
    match serde_json::from_slice(line) {
        Ok(Head { line, version }) if line == "owner" && version.as_f64() > Some(f64::from(EXPORT_VERSION)) => {
            Err(Refused(format!(
                "{shown}, line {number}: written by a newer Holdfast, version {version}; this one reads up to {EXPORT_VERSION}"
            ))
            .into())
        }
        _ => Ok(()),
    }
}

fn bring_in(
    engine: &Engine,
    owner: Option<&Owner>,
    vouched: Vouched,
    batch: &mut Vec<ExportLine>,
    total: &mut Imported,
) -> Result<()> {
    let Some(owner) = owner.filter(|_| !batch.is_empty()) else { return Ok(()) };
    let imported = engine.import_with(owner, std::mem::take(batch), vouched)?;
    total.events += imported.events;
    total.tasks += imported.tasks;
    total.memories += imported.memories;
    total.known += imported.known;
    total.waiting += imported.waiting;
    total.refused.extend(imported.refused);
    Ok(())
}
