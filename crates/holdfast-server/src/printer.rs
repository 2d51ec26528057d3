//! All output goes through here: data on stdout, talk on stderr, progress only for a person.

use std::io::{self, IsTerminal, Write};

use comfy_table::{ContentArrangement, Table, presets};
use console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

#[derive(Debug, Clone, Copy)]
pub struct Printer {
    pub json: bool,
}

impl Printer {
    /// Data as text.
    pub fn text(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Data as one JSON document.
    pub fn document(self, value: &impl Serialize) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Data as one JSON document on one line: for commands that answer again and again.
    pub fn line(self, value: &impl Serialize) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Data either way.
    pub fn either(self, value: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        if self.json { self.document(value) } else { Ok(self.text(&text())?) }
    }

    /// Talk. A stderr that is gone is no reason to stop.
    pub fn say(self, text: impl std::fmt::Display) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A person's table fits their terminal; a pipe's has a line for each row.
    pub fn table(self, header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_header(header);
        if let Some((_, columns)) = Term::stdout().size_checked() {
            table.set_width(columns);
        }
        table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| plain(cell)).collect::<Vec<_>>()));
        table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    pub fn bar(self, what: &str, length: u64) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}");
        let bar = ProgressBar::new(length).with_message(what.to_owned());
        style.map_or(bar.clone(), |style| bar.with_style(style))
    }

    pub fn counter(self, what: &str) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {pos} {per_sec}");
        let bar = ProgressBar::no_length().with_message(what.to_owned());
        style.map_or(bar.clone(), |style| bar.with_style(style))
    }
}

/// What was said, as a terminal may be given it: without the characters that would move its cursor, colour it or turn a line around.
pub fn plain(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(steers, " ")
}
