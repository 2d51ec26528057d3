//! The store itself: `status`, `reindex`, `archive`, `restore`, `dump`.

use anyhow::Result;
use holdfast::types::ids::EventId;
use jiff::SignedDuration;
use serde_json::json;

use crate::cli::Global;
use crate::failure::Refused;
use crate::open;
use crate::printer::Printer;

pub fn status(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let (store, embedding) = (engine.status()?, engine.embedding_status()?);
    let value = json!({ "store": store, "embedding": embedding });
    printer.either(&value, || {
        let model = |model: &Option<holdfast::store::ModelId>| {
            model.as_ref().map_or_else(|| "none".to_owned(), |m| m.to_string())
        };
        let rows = [
            ("store", store.location.clone()),
            ("size", format!("{:.1} MB, schema {}", store.bytes as f64 / 1e6, store.schema)),
            ("owners", store.owners.to_string()),
            ("events", format!("{}, {} archived", store.events, store.archived)),
            ("tasks", store.tasks.to_string()),
            ("operations", store.operations.to_string()),
            ("model that serves", model(&embedding.serving)),
            ("model chosen", model(&embedding.chosen)),
            (
                "vectors",
                format!("{}; {} of {} events", store.vectors, embedding.progress.done, embedding.progress.total),
            ),
            ("search", embedding.note.clone().unwrap_or_else(|| "by words and meaning".to_owned())),
        ];
        rows.iter().map(|(name, value)| format!("{name:<18} {value}")).collect::<Vec<_>>().join("\n")
    })
}

pub fn reindex(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::writing(global, printer)?;
    let bar = printer.bar("indexing", 0);
    let done = engine.reindex(|progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    let progress = done?;
    printer.say(format_args!("{} events indexed; the new vectors serve", progress.done));
    printer.either(&progress, String::new)
}

pub fn archive(global: &Global, older_than_days: u32, printer: Printer) -> Result<()> {
    let engine = open::writing(global, printer)?;
    let owner = open::owner(global, &engine)?;
    let age = SignedDuration::from_hours(24 * i64::from(older_than_days));
    let before =
        engine.now().timestamp().checked_sub(age).map_err(|e| Refused(format!("--older-than is out of range: {e}")))?;
    let archived = engine.archive(&owner, before)?;
    printer.either(&archived, || {
        format!("{} bodies archived, {} → {} bytes", archived.events, archived.bytes_before, archived.bytes_after)
    })
}

pub fn restore(global: &Global, id: &str, printer: Printer) -> Result<()> {
    let engine = open::writing(global, printer)?;
    let owner = open::owner(global, &engine)?;
    let id: EventId = id.parse().map_err(|_| Refused(format!("{id:?} is no event id")))?;
    let event = engine.restore(&owner, id)?;
    printer.either(&event, || event.event.content.clone())
}

pub fn dump(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    engine.dump(&mut out)?;
    std::io::Write::flush(&mut out)?;
    Ok(())
}
