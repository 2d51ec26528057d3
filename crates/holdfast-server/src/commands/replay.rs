//! `replay`: files in, their events recorded; what could not be read is said, and the rest goes on.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use holdfast::engine::{Engine, Observed};
use holdfast::import::{self, Options, Reader};
use holdfast::journal::Report;
use holdfast::store::JournalPage;
use holdfast::types::context::ContextBlock;
use holdfast::types::event::RawEvent;
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::Update;
use jiff::ZonedDateTime;
use serde::Serialize;

use super::context::{block_options, say_about};
use super::look::{events, report_in_words};
use crate::cli::{Global, Replay};
use crate::failure::{self, PARTLY};
use crate::open;
use crate::printer::Printer;

/// Events that share one durable commit: a run that is stopped loses at most these.
const BATCH_EVENTS: usize = 200;

/// Lines on what could not be read, shown one by one.
const UNREAD_SHOWN: usize = 20;

/// And kept for `--json`: a file of nothing but broken lines must not fill the memory.
const UNREAD_KEPT: usize = 1_000;

/// What became of the files.
#[derive(Debug, Default, Serialize)]
struct Replayed {
    recorded: u64,
    /// Recorded before: nothing was added.
    known: u64,
    unread: Lines,
    refused_updates: Lines,
    /// Whose they are.
    #[serde(skip)]
    owners: BTreeSet<Owner>,
    #[serde(skip)]
    last: Option<(Owner, ZonedDateTime)>,
}

/// Lines of which the first are kept and all are counted.
#[derive(Debug, Default, Serialize)]
struct Lines {
    count: u64,
    lines: Vec<String>,
}

impl Lines {
    fn push(&mut self, line: String) {
        self.count += 1;
        if self.lines.len() < UNREAD_KEPT {
            self.lines.push(line);
        }
    }

    fn say(&self, what: &str, printer: Printer) {
        for line in self.lines.iter().take(UNREAD_SHOWN) {
            printer.say(format_args!("  {what}: {line}"));
        }
        if self.count > UNREAD_SHOWN as u64 {
            printer.say(format_args!("  {what}: and {} more", self.count - UNREAD_SHOWN as u64));
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    replayed: &'a Replayed,
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<ContextBlock>,
}

pub fn run(global: &Global, arguments: &Replay, printer: Printer) -> Result<ExitCode> {
    // A first file that is nothing to read must not leave an empty store behind.
    let mut files = arguments.files.iter();
    let first = files.next().context("the command line asks for at least one file")?;
    let first = open_file(global, first);
    if arguments.files.len() == 1
        && let Err(error) = first
    {
        return Err(error);
    }
    let engine = open::recording(global, arguments.no_embed, printer)?;
    let mut replayed = Replayed::default();
    for opened in std::iter::once(first).chain(files.map(|path| open_file(global, path))) {
        let taken = replayed.recorded + replayed.known;
        let left = arguments.until.map_or(u64::MAX, |until| until.saturating_sub(taken));
        match opened {
            Ok(file) => replay(&engine, file, left, &mut replayed, printer)?,
            // The other files are not to blame.
            Err(error) => replayed.unread.push(failure::told(&error)),
        }
    }
    settle(&engine, printer);
    let owners: Vec<Owner> = replayed.owners.iter().cloned().collect();
    for owner in &owners {
        // Loaded in bulk, and so not learned from yet.
        engine.learn(owner)?;
    }
    let report = engine.report_of(&owners, &JournalPage { run: Some(engine.run()), ..JournalPage::default() })?;
    say(&replayed, &report, printer);
    let block = match &arguments.ask {
        None => None,
        Some(request) => Some(ask(&engine, global, arguments, request, &replayed, printer)?),
    };
    let nothing_read = replayed.recorded + replayed.known == 0 && arguments.until != Some(0);
    let (unread, refused) = (replayed.unread.count, replayed.refused_updates.count);
    match (&block, printer.json) {
        (_, true) => printer.document(&Document { replayed: &replayed, report, block })?,
        (Some(block), false) => printer.text(&block.text)?,
        (None, false) => {}
    }
    if nothing_read && arguments.files.len() > 1 && unread == arguments.files.len() as u64 {
        bail!("none of the files could be read");
    }
    Ok(if unread + refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(PARTLY) })
}

/// Asked right after the last thing that happened, by the same person, in a session of its own unless one is named.
fn ask(
    engine: &Engine,
    global: &Global,
    arguments: &Replay,
    request: &str,
    replayed: &Replayed,
    printer: Printer,
) -> Result<ContextBlock> {
    let (owner, now) = match &replayed.last {
        Some((owner, at)) => (owner.clone(), at.clone()),
        None => (open::owner(global, engine, printer)?, engine.now()),
    };
    let session = match &global.session {
        Some(session) => session.clone(),
        None => ScopeId::new(format!("ask {}", engine.run()))?,
    };
    let scope = Scope { owner, session, task: global.task.clone() };
    let block = engine.context(&Query::new(scope, request, now), &block_options(&arguments.block))?;
    say_about(&block, printer);
    Ok(block)
}

/// A file whose form is known.
struct Opened {
    shown: String,
    entries: Reader<Box<dyn Read>>,
}

fn open_file(global: &Global, path: &Path) -> Result<Opened> {
    let shown = path.display().to_string();
    let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let input: Box<dyn Read> = if shown == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        if path.is_dir() {
            bail!("{shown} is a directory: name the files in it{}", example_in(path));
        }
        Box::new(File::open(path).with_context(|| format!("can't open {shown}"))?)
    };
    let scope = Scope { owner: open::told(global), session: global.session(), task: global.task.clone() };
    let options = Options { scope, zone: open::zone(global), format: None, live: false };
    let entries = import::read(input, &name, options).map_err(|error| anyhow!("{shown} {error}"))?;
    Ok(Opened { shown, entries })
}

/// `, for example demo/chat.jsonl`: the first file of a directory that looks like one of ours.
fn example_in(directory: &Path) -> String {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let readable = |path: &std::path::PathBuf| {
        path.is_file() && path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl")
    };
    files.filter(readable).min().map_or_else(String::new, |path| format!(", for example {}", path.display()))
}

fn replay(engine: &Engine, file: Opened, limit: u64, replayed: &mut Replayed, printer: Printer) -> Result<()> {
    let Opened { shown, entries } = file;
    printer.say(format_args!("{shown}: {}", described(entries.format())));
    let bar = printer.counter("recorded");
    let mut batch: Vec<(String, RawEvent, Option<Update>)> = Vec::with_capacity(BATCH_EVENTS);
    let mut taken = 0;
    for entry in entries {
        if taken == limit {
            break;
        }
        match entry {
            Err(unread) => replayed.unread.push(format!("{shown}, {unread}")),
            Ok(entry) => {
                taken += 1;
                batch.push((format!("{shown}, {}", entry.position), entry.event, entry.update));
            }
        }
        if batch.len() == BATCH_EVENTS {
            record(engine, std::mem::take(&mut batch), replayed)?;
            bar.inc(BATCH_EVENTS as u64);
        }
    }
    record(engine, batch, replayed)?;
    bar.finish_and_clear();
    Ok(())
}

fn described(format: import::Format) -> &'static str {
    match format {
        import::Format::Native => "event lines",
        import::Format::Chat => "a chat",
        import::Format::ChatMany => "many chats",
        import::Format::Normal => "records of {scope, id, seq, session, time, role, text}",
    }
}

fn record(engine: &Engine, batch: Vec<(String, RawEvent, Option<Update>)>, replayed: &mut Replayed) -> Result<()> {
    let mut places = Vec::with_capacity(batch.len());
    let mut entries = Vec::with_capacity(batch.len());
    for (place, event, update) in batch {
        let at = event.occurred_at.clone().unwrap_or_else(|| engine.now());
        places.push((place, event.scope.owner.clone(), at));
        entries.push((event, update));
    }
    for (result, (place, owner, at)) in engine.observe_many(entries)?.into_iter().zip(places) {
        match result {
            Err(error) => replayed.unread.push(format!("{place}: {error}")),
            Ok(observed) => {
                note(&observed, &place, replayed);
                replayed.owners.insert(owner.clone());
                replayed.last = Some((owner, at));
            }
        }
    }
    Ok(())
}

fn note(observed: &Observed, place: &str, replayed: &mut Replayed) {
    if observed.duplicate {
        replayed.known += 1;
        return;
    }
    replayed.recorded += 1 + observed.also.len() as u64;
    if let Some(why) = &observed.refused_update {
        replayed.refused_updates.push(format!("{place}: {why}"));
    }
}

/// Waits for the vectors; search works without them, so a failure is said and no more.
pub fn settle(engine: &Engine, printer: Printer) {
    let bar = printer.bar("embedding", 0);
    let settled = engine.settle(|progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    if let Err(error) = settled {
        printer
            .say(format_args!("note: not all vectors were made, and what is without is found by its words: {error}"));
    }
}

fn say(replayed: &Replayed, report: &Report, printer: Printer) {
    printer.say(format_args!("{} recorded, {} known already", events(replayed.recorded), replayed.known));
    for line in report_in_words(report) {
        printer.say(format_args!("  {line}"));
    }
    replayed.unread.say("not read", printer);
    replayed.refused_updates.say("update refused", printer);
}
