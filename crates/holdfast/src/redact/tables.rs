//! Tables with a column of passwords: CSV, markdown, what a database client prints, columns set with spaces. The header names the
//! secret once, and each row below tells one.

use std::ops::Range;

use super::assigned::{Link, Told, is_stand_in, link_tells_password, secret_of_key};
use super::pairs::looks_like_password;
use super::rules::Secret;
use super::scan::Found;
use super::words::{LOGIN_COLUMNS, NO_PASSWORD};

/// A longer line is no header.
const HEADER_BYTES_MAX: usize = 2048;
/// A longer cell names no column.
const COLUMN_BYTES_MAX: usize = 48;
/// More words are a sentence.
const NAME_WORDS_MAX: usize = 3;
/// A longer cell is no password but a text about one.
const CELL_BYTES_MAX: usize = 256;

/// A column with one of these in its name tells of passwords, and none.
#[rustfmt::skip]
const ABOUT_ONE: &[&str] = &[
    "forgot", "reset", "change", "has ", "has_", "is ", "is_", "need", "require", "expire", "policy", "last ", "last_", "count", "忘记", "重置",
    "修改", "是否", "过期", "次数",
];

/// What parts the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parted {
    Pipe,
    Comma,
    Semicolon,
    Tab,
    /// Two spaces or more.
    Gaps,
    /// One space: only where every word of the header names a column.
    Spaces,
}

struct Table {
    parted: Parted,
    cells: usize,
    secrets: Vec<(usize, Secret)>,
    /// May be prose: only what looks like a password is one.
    loose: bool,
}

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let mut table: Option<Table> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let row = start..start + line.trim_end_matches(['\n', '\r']).len();
        start += line.len();
        match &table {
            Some(_) if is_rule(&text[row.clone()]) => {}
            Some(open) if is_row(text, &row, open, found) => {}
            _ => {
                let next = text[start..].lines().next().unwrap_or_default();
                table = header(text, row, is_rule(next));
            }
        }
    }
}

/// `|---|:--:|`, `-----+-----`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.bytes().all(|b| matches!(b, b'-' | b'+' | b'|' | b':' | b'=' | b' '))
}

/// The header of a table that has a column of secrets.
fn header(text: &str, line: Range<usize>, ruled: bool) -> Option<Table> {
    if line.len() > HEADER_BYTES_MAX {
        return None;
    }
    let written = &text[line.clone()];
    let parted = if written.contains(['|', '│']) {
        Parted::Pipe
    } else if written.contains('\t') {
        Parted::Tab
    } else if written.contains([',', '，']) {
        Parted::Comma
    } else if written.contains(';') {
        Parted::Semicolon
    } else if written.trim().contains("  ") {
        Parted::Gaps
    } else {
        Parted::Spaces
    };
    let cells = cells(text, &line, parted);
    let name = |cell: &Range<usize>| text[cell.clone()].trim_matches(['*', '`', ' ', '"', '\'']).to_lowercase();
    let names: Vec<String> = cells.iter().map(name).collect();
    let secrets: Vec<(usize, Secret)> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| !ABOUT_ONE.iter().any(|word| name.contains(word)))
        .filter(|(_, name)| name.len() <= COLUMN_BYTES_MAX && !name.contains(['.', '?', '!', ':', '=', '。', '：']))
        .filter_map(|(at, name)| secret_of_key(name).map(|secret| (at, secret)))
        .collect();
    let is_column =
        |name: &String| LOGIN_COLUMNS.iter().any(|column| name.ends_with(column)) && name.len() <= COLUMN_BYTES_MAX;
    let fits = match parted {
        _ if secrets.is_empty() || names.len() < 2 => false,
        // "cat x | grep password" is none.
        Parted::Pipe => ruled || written.trim_start().starts_with('|') || LOGIN_COLUMNS.contains(&names[0].as_str()),
        Parted::Spaces => names.iter().enumerate().all(|(at, name)| {
            LOGIN_COLUMNS.contains(&name.as_str()) || (secrets.iter().any(|(secret, _)| *secret == at))
        }),
        _ => names.iter().any(is_column) && names.iter().all(|name| name.split(' ').count() <= NAME_WORDS_MAX),
    };
    let loose = parted == Parted::Spaces || written.contains(", ") || written.contains('，');
    fits.then_some(Table { parted, cells: names.len(), secrets, loose })
}

/// Whether a line is a row of the table; what it tells is added.
fn is_row(text: &str, line: &Range<usize>, table: &Table, found: &mut Vec<Found>) -> bool {
    let cells = cells(text, line, table.parted);
    if cells.len() != table.cells {
        return false;
    }
    for (at, secret) in &table.secrets {
        let (cell, quoted) = unquoted(text, &cells[*at]);
        if tells(&text[cell.clone()], &cell, quoted, *secret, table.loose) {
            found.push(Found { secret: *secret, range: cell });
        }
    }
    true
}

fn tells(said: &str, cell: &Range<usize>, quoted: bool, secret: Secret, loose: bool) -> bool {
    let lower = said.to_lowercase();
    let spoken = |list: &[&str]| list.contains(&lower.trim_end_matches(['.', '!']));
    if said.len() < 3 || said.len() > CELL_BYTES_MAX || is_stand_in(said) || spoken(NO_PASSWORD) {
        return false;
    }
    if loose {
        return looks_like_password(said, false);
    }
    match secret {
        // Several words speak of a password; a column type (varchar(64)) describes one.
        Secret::Password if said.contains([' ', '（', '，', '。']) && !quoted => false,
        Secret::Password if said.ends_with(')') && said.contains('(') => false,
        Secret::Password => link_tells_password(Link::Mark, &Told { range: cell.clone(), quoted: false }, said, false),
        Secret::Code => said.bytes().all(|b| b.is_ascii_digit()),
        // {"token": 128} counts tokens, and so does a column of numbers.
        _ => {
            said.len() >= 8
                && said.bytes().all(|b| b.is_ascii_graphic())
                && said.bytes().any(|b| b.is_ascii_digit())
                && said.bytes().any(|b| b.is_ascii_alphabetic())
        }
    }
}

/// A cell without its quotes and its marks of code.
fn unquoted(text: &str, cell: &Range<usize>) -> (Range<usize>, bool) {
    let said = &text[cell.clone()];
    for quote in ['"', '\'', '`'] {
        if said.len() > 2 && said.starts_with(quote) && said.ends_with(quote) {
            return (cell.start + 1..cell.end - 1, true);
        }
    }
    (cell.clone(), false)
}

/// The cells of a line, without the spaces around them.
fn cells(text: &str, line: &Range<usize>, parted: Parted) -> Vec<Range<usize>> {
    let written = &text[line.clone()];
    // A tab at the beginning parts an empty cell from the next.
    let inner = written.trim_matches(' ');
    let mut start = line.start + written.len() - written.trim_start_matches(' ').len();
    let mut end = start + inner.len();
    if parted == Parted::Pipe {
        // The | at both ends of a row parts nothing.
        let head = inner.chars().next().filter(|c| matches!(c, '|' | '│')).map_or(0, char::len_utf8);
        start += head;
        let tail = text[start..end].chars().next_back().filter(|c| matches!(c, '|' | '│')).map_or(0, char::len_utf8);
        end -= tail;
    }
    let mut cells = Vec::new();
    let (mut from, mut quoted, mut spaces) = (start, false, 0);
    let push = |cells: &mut Vec<Range<usize>>, from: usize, to: usize| {
        let cell = &text[from..to];
        let lead = cell.len() - cell.trim_start().len();
        cells.push(from + lead..from + lead + cell.trim().len());
    };
    for (offset, c) in text[start..end].char_indices() {
        let at = start + offset;
        let parts = match parted {
            Parted::Pipe => matches!(c, '|' | '│'),
            Parted::Comma => matches!(c, ',' | '，'),
            Parted::Semicolon => c == ';',
            Parted::Tab => c == '\t',
            Parted::Gaps | Parted::Spaces => false,
        };
        // A comma in quotes belongs to the cell; a quote in the middle of a cell is a letter of it.
        if c == '"' && (quoted || text[from..at].trim().is_empty()) {
            quoted = !quoted;
        }
        if parts && !quoted {
            push(&mut cells, from, at);
            from = at + c.len_utf8();
        }
        let wide = matches!((parted, spaces), (Parted::Gaps, 2..) | (Parted::Spaces, 1..));
        if c != ' ' && wide {
            push(&mut cells, from, at);
            from = at;
        }
        spaces = if c == ' ' { spaces + 1 } else { 0 };
    }
    push(&mut cells, from, end);
    cells
}
