//! The store itself: `status`, `reindex`, `archive`, `restore`, `reveal`, `dump`.

use std::fs::{File, TryLockError};
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use holdfast::engine::EmbeddingStatus;
use holdfast::store::ModelId;
use holdfast::types::ids::EventId;
use jiff::SignedDuration;
use serde_json::json;

use super::look::{counted, events};
use crate::cli::Global;
use crate::failure::Usage;
use crate::open;
use crate::printer::Printer;

/// Owners named by `status`.
const OWNERS_SHOWN: usize = 10;

pub fn status(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let (store, embedding) = (engine.status()?, engine.embedding_status()?);
    let owners = engine.owners()?;
    let writer = writer(Path::new(&store.location));
    let environment = engine.environment()?;
    let value = json!({ "store": store, "environment": environment, "embedding": embedding, "writer": writer, "owners": owners });
    printer.either(&value, || {
        let model = |model: &Option<ModelId>| model.as_ref().map_or_else(|| "none".to_owned(), |m| m.to_string());
        let named = owners.iter().take(OWNERS_SHOWN).map(|owner| match owner.tenant.as_str() {
            "default" => format!("{}/{}", owner.user, owner.agent),
            tenant => format!("{tenant}/{}/{}", owner.user, owner.agent),
        });
        let more = if owners.len() > OWNERS_SHOWN { ", …" } else { "" };
        let rows = [
            ("store", store.location.clone()),
            ("environment", environment.as_ref().map_or_else(|| "not said".to_owned(), ToString::to_string)),
            ("size", format!("{:.1} MB, schema {}", store.bytes as f64 / 1e6, store.schema)),
            ("writer", writer.clone().unwrap_or_else(|| "none at the moment".to_owned())),
            ("owners", format!("{}: {}{more}", store.owners, named.collect::<Vec<_>>().join(", "))),
            ("events", format!("{}, {} of them archived", store.events, store.archived)),
            ("tasks", store.tasks.to_string()),
            ("operations", store.operations.to_string()),
            ("model that serves", model(&embedding.serving)),
            ("model chosen", model(&embedding.chosen)),
            (
                "vectors",
                format!("{}, for {} of {} events", store.vectors, embedding.progress.done, embedding.progress.total),
            ),
            ("search", search(&embedding)),
        ];
        rows.iter().map(|(name, value)| format!("{name:<18} {value}")).collect::<Vec<_>>().join("\n")
    })
}

/// How questions are answered at the moment.
fn search(embedding: &EmbeddingStatus) -> String {
    let behind = embedding.progress.total - embedding.progress.done.min(embedding.progress.total);
    match (&embedding.note, &embedding.serving) {
        (Some(note), _) => note.clone(),
        (None, None) => "by words only: there are no vectors yet; the next command that writes makes them".to_owned(),
        (None, Some(_)) if behind > 0 => {
            format!("by words and meaning; {} by words only, until they have vectors", events(behind))
        }
        (None, Some(_)) => "by words and meaning".to_owned(),
    }
}

/// The process that holds the store for writing, if one does. Asked by a shared lock that is given back at once.
pub fn writer(directory: &Path) -> Option<String> {
    let file = File::open(directory.join("lock")).ok()?;
    let Err(TryLockError::WouldBlock) = file.try_lock_shared() else { return None };
    let mut holder = String::new();
    // Windows doesn't let a locked file be read.
    let _ = file.take(32).read_to_string(&mut holder);
    Some(if holder.trim().is_empty() { "another process".to_owned() } else { format!("process {}", holder.trim()) })
}

pub fn reindex(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reindexing(global)?;
    let bar = printer.bar("indexing", 0);
    let done = engine.reindex(|progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    let progress = done?;
    let serving = engine.embedding_status()?.serving;
    printer.either(&json!({ "serving": serving, "done": progress.done, "total": progress.total }), || {
        let model = serving.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        format!("{} of {} events have vectors of {model}, which serve now", progress.done, progress.total)
    })
}

pub fn archive(global: &Global, older_than_days: u32, printer: Printer) -> Result<()> {
    let engine = open::changing(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    let age = SignedDuration::from_hours(24 * i64::from(older_than_days));
    let before =
        engine.now().timestamp().checked_sub(age).map_err(|e| Usage(format!("--older-than is out of range: {e}")))?;
    let archived = engine.archive(&owner, before)?;
    printer.either(&archived, || {
        format!(
            "{} archived, {} → {} bytes",
            counted(archived.events, "body", "bodies"),
            archived.bytes_before,
            archived.bytes_after
        )
    })
}

pub fn restore(global: &Global, id: EventId, printer: Printer) -> Result<()> {
    let engine = open::changing(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    let event = engine.restore(&owner, id)?;
    printer.either(&event, || event.event.content.clone())
}

pub fn reveal(global: &Global, placeholder: &str, who: &str, why: &str, printer: Printer) -> Result<()> {
    let engine = open::recording(global, true, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    let secret = engine.reveal(&owner, placeholder, who, why)?;
    printer.either(&json!({ "placeholder": placeholder, "secret": *secret }), || secret.to_string())
}

pub fn dump(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    engine.dump(&mut out)?;
    std::io::Write::flush(&mut out)?;
    Ok(())
}
