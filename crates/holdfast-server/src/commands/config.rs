//! `config`: the settings, and where each comes from.

use anyhow::Result;
use serde_json::json;

use crate::printer::Printer;
use crate::settings::{Settings, Shown};

pub fn show(settings: &Settings, printer: Printer) -> Result<()> {
    let shown = settings.shown();
    match settings.file() {
        Some(path) => printer.say(format_args!("settings are read from {}", path.display())),
        None => printer.say("there is no file of settings"),
    }
    printer.either(&json!({ "file": settings.file(), "settings": shown }), || {
        let row = |setting: &Shown| {
            let Shown { name, value, source, note } = setting;
            vec![name.clone(), value.clone().unwrap_or_default(), (*source).to_owned(), note.clone()]
        };
        printer.table(&["setting", "value", "from", ""], shown.iter().map(row))
    })
}
