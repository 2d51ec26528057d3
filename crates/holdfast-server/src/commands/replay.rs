//! `replay`: a file in, its events recorded; what could not be read is said, and the rest goes on.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use holdfast::engine::{Engine, Observed};
use holdfast::import::{self, Options};
use holdfast::journal::Report;
use holdfast::store::JournalPage;
use holdfast::types::event::RawEvent;
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::Update;
use jiff::ZonedDateTime;
use serde::Serialize;

use super::context::{block_options, say_about};
use super::look::report_in_words;
use crate::cli::{Global, Replay};
use crate::failure::PARTLY_READ;
use crate::open;
use crate::printer::Printer;

/// Events that share one durable commit.
const BATCH_EVENTS: usize = 200;

/// Records that could not be read, shown one by one.
const UNREAD_SHOWN: usize = 20;

/// What became of the files.
#[derive(Debug, Default, Serialize)]
struct Replayed {
    recorded: u64,
    /// Recorded before: nothing was added.
    known: u64,
    unread: Vec<String>,
    refused_updates: Vec<String>,
    #[serde(skip)]
    last: Option<(Owner, ZonedDateTime)>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    replayed: &'a Replayed,
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<holdfast::types::context::ContextBlock>,
}

pub fn run(global: &Global, arguments: &Replay, printer: Printer) -> Result<ExitCode> {
    let engine = open::writing(global, printer)?;
    let mut replayed = Replayed::default();
    for path in &arguments.files {
        let left = arguments
            .until
            .map_or(usize::MAX, |until| until.saturating_sub((replayed.recorded + replayed.known) as usize));
        replay(&engine, global, path, left, &mut replayed, printer)?;
    }
    if !arguments.no_embed {
        settle(&engine, printer)?;
    }
    let owner = replayed.last.as_ref().map(|(owner, _)| owner.clone()).unwrap_or_default();
    let report = engine.report(&owner, &JournalPage { run: Some(engine.run()), ..JournalPage::default() })?;
    say(&replayed, &report, printer);
    let block = match &arguments.ask {
        None => None,
        Some(request) => {
            // Asked right after the last thing that happened, by the same person, in a session of its own.
            let now = replayed.last.as_ref().map_or_else(|| engine.now(), |(_, at)| at.clone());
            let session = ScopeId::new("ask").context("a name is a scope id")?;
            let scope = Scope { owner, session, task: global.task.clone() };
            let block = engine.context(&Query::new(scope, request, now), &block_options(&arguments.block))?;
            say_about(&block, printer);
            Some(block)
        }
    };
    match (&block, printer.json) {
        (_, true) => printer.document(&Document { replayed: &replayed, report, block })?,
        (Some(block), false) => printer.text(&block.text)?,
        (None, false) => {}
    }
    Ok(if replayed.unread.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(PARTLY_READ) })
}

fn replay(
    engine: &Engine,
    global: &Global,
    path: &Path,
    limit: usize,
    replayed: &mut Replayed,
    printer: Printer,
) -> Result<()> {
    let shown = path.display().to_string();
    let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let input: Box<dyn Read> = if shown == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| format!("can't open {shown}"))?)
    };
    let scope = Scope {
        owner: Owner {
            tenant: global.tenant.clone(),
            user: global.user.clone().unwrap_or_default(),
            agent: global.agent.clone().unwrap_or_default(),
        },
        session: global.session.clone(),
        task: global.task.clone(),
    };
    let options = Options { scope, zone: open::zone(global)?, format: None };
    let entries = import::read(input, &name, options).with_context(|| shown.clone())?;
    printer.say(format_args!("{shown}: {}", described(entries.format())));
    let bar = printer.counter("recorded");
    let mut batch: Vec<(String, RawEvent, Option<Update>)> = Vec::with_capacity(BATCH_EVENTS);
    let mut taken = 0;
    for entry in entries {
        if taken == limit {
            break;
        }
        match entry {
            Err(unread) => replayed.unread.push(format!("{shown}: {unread}")),
            Ok(entry) => {
                taken += 1;
                batch.push((format!("{shown}: {}", entry.position), entry.event, entry.update));
            }
        }
        if batch.len() == BATCH_EVENTS {
            bar.inc(batch.len() as u64);
            record(engine, std::mem::take(&mut batch), replayed)?;
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
    if batch.is_empty() {
        return Ok(());
    }
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
            Ok(Observed { duplicate: true, .. }) => {
                replayed.known += 1;
                replayed.last = Some((owner, at));
            }
            Ok(observed) => {
                replayed.recorded += 1;
                replayed.refused_updates.extend(observed.refused_update.map(|why| format!("{place}: {why}")));
                replayed.last = Some((owner, at));
            }
        }
    }
    Ok(())
}

/// Waits for the vectors; search works without them, so a failure is said and no more.
pub fn settle(engine: &Engine, printer: Printer) -> Result<()> {
    let bar = printer.bar("embedding", 0);
    let settled = engine.settle(|progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    if let Err(error) = settled {
        printer.say(format_args!("note: not all vectors were made: {error}"));
    }
    Ok(())
}

fn say(replayed: &Replayed, report: &Report, printer: Printer) {
    printer.say(format_args!("{} events recorded, {} known already", replayed.recorded, replayed.known));
    for line in report_in_words(report) {
        printer.say(format_args!("  {line}"));
    }
    let shown = |what: &str, lines: &[String]| {
        for line in lines.iter().take(UNREAD_SHOWN) {
            printer.say(format_args!("  {what}: {line}"));
        }
        if lines.len() > UNREAD_SHOWN {
            printer.say(format_args!("  {what}: and {} more", lines.len() - UNREAD_SHOWN));
        }
    };
    shown("not read", &replayed.unread);
    shown("update refused", &replayed.refused_updates);
}
