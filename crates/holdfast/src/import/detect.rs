//! What form a file has, from its first bytes and its first records that are whole.

use std::collections::VecDeque;
use std::io::{Cursor, ErrorKind, Read};

use serde_json::{Map, Value};

use super::split::{Division, Piece, Splitter};
use super::{CONVERSATION_BYTES_MAX, Format, ImportError, Input, chat, json};

/// How much of the beginning is looked at as bytes.
const HEAD_BYTES: usize = 64 * 1024;
/// How many records are read for one whose form is known: a log may begin with a few broken lines, not with a book of them.
const RECORDS_MAX: usize = 100;

pub(super) struct Detected<R> {
    pub format: Format,
    /// The pieces read on the way, to be decoded first.
    pub waiting: VecDeque<Piece>,
    pub splitter: Splitter<Input<R>>,
}

pub(super) fn detect<R: Read>(mut input: R, forced: Option<Format>) -> Result<Detected<R>, ImportError> {
    let mut head = read_head(&mut input).map_err(|error| match error.kind() {
        ErrorKind::IsADirectory => ImportError::Directory,
        _ => ImportError::Io(error),
    })?;
    if let Some(rest) = head.strip_prefix(b"\xEF\xBB\xBF") {
        head = rest.to_vec();
    }
    let division = division(&head)?;
    let mut splitter = Splitter::new(Cursor::new(head).chain(input), division, CONVERSATION_BYTES_MAX);
    let mut waiting = VecDeque::new();
    if let Some(format) = forced {
        return Ok(Detected { format, waiting, splitter });
    }
    // Records that broke, but whose beginning looks like one of ours.
    let mut likely = None;
    while waiting.len() < RECORDS_MAX {
        let Some(piece) = splitter.next() else { break };
        let mut found = None;
        if let Piece::Record(record) = &piece {
            match json::parse(&record.bytes) {
                Ok(value) if is_of_an_export(&value) => return Err(ImportError::Export),
                Ok(value) => found = form(&value),
                Err(_) => likely = likely.or_else(|| likely_form(&record.bytes)),
            }
        }
        let ended = !matches!(piece, Piece::Record(_) | Piece::TooLong { .. });
        waiting.push_back(piece);
        if let Some(format) = found {
            return Ok(Detected { format, waiting, splitter });
        }
        if ended {
            break;
        }
    }
    match likely {
        Some(format) => Ok(Detected { format, waiting, splitter }),
        None => Err(ImportError::UnknownForm),
    }
}

/// Reads no more than it needs: whoever writes event lines into a pipe may wait for the answer to the first.
fn read_head<R: Read>(input: &mut R) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut chunk = [0; 8 * 1024];
    while head.len() < HEAD_BYTES {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => head.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        let start = head.trim_ascii_start();
        // A first line of JSON tells how the file is divided; what begins otherwise may need more of it.
        if matches!(start.first(), Some(b'{' | b'[')) && start.contains(&b'\n') {
            break;
        }
    }
    Ok(head)
}

fn division(head: &[u8]) -> Result<Division, ImportError> {
    const MAGIC: &[(&[u8], &str, &str)] = &[
        (b"\x1F\x8B", "gzip", "unpack it first, e.g. `gzip -dc`"),
        (b"\x28\xB5\x2F\xFD", "zstd", "unpack it first, e.g. `zstd -dc`"),
        (b"PK\x03\x04", "a zip archive", "unpack it first"),
        (b"SQLite format 3", "a SQLite database", "export it as JSON lines first"),
        (b"%PDF", "a PDF", "import text, not documents"),
        (b"\xFF\xFE", "UTF-16", "convert it first, e.g. `iconv -f UTF-16 -t UTF-8`"),
        (b"\xFE\xFF", "UTF-16", "convert it first, e.g. `iconv -f UTF-16 -t UTF-8`"),
    ];
    if let Some((_, what, hint)) = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(ImportError::Binary { what, hint });
    }
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).ok_or(ImportError::Empty)?;
    let head = &head[start..];
    let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    match head[0] {
        // A pretty-printed object breaks its line after a bracket or a comma; a JSONL line that was cut can end anywhere, but rarely there.
        b'{' if matches!(first_line.last(), Some(b'{' | b'[' | b',')) => Ok(Division::Elements),
        b'{' => Ok(Division::Lines),
        b'[' if matches!(head[1..].trim_ascii_start().first(), None | Some(b'{' | b'[' | b']')) => {
            Ok(Division::Elements)
        }
        _ if head.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"{")) => {
            Ok(Division::Lines)
        }
        _ if head.contains(&0) => {
            Err(ImportError::Binary { what: "binary data", hint: "export it as JSON lines first" })
        }
        _ => Err(ImportError::NotJson),
    }
}

/// A line of an export begins with what it holds: `{"line": "event", …}`.
fn is_of_an_export(value: &Value) -> bool {
    value.get("line").is_some_and(Value::is_string) && ["owner", "id"].iter().any(|key| value.get(*key).is_some())
}

fn form(value: &Value) -> Option<Format> {
    match value {
        Value::Object(fields) => object_form(fields),
        Value::Array(messages) => {
            messages.iter().any(|message| message.get("role").is_some()).then_some(Format::ChatMany)
        }
        _ => None,
    }
}

fn object_form(fields: &Map<String, Value>) -> Option<Format> {
    let has = |keys: &[&str]| keys.iter().all(|key| fields.contains_key(*key));
    if has(&["scope", "text"]) || has(&["scope", "id", "seq"]) {
        Some(Format::Normal)
    } else if chat::list_of(fields).is_some() {
        Some(Format::ChatMany)
    } else if has(&["role"]) {
        Some(Format::Chat)
    } else if has(&["source"]) || has(&["kind"]) || has(&["content"]) {
        Some(Format::Native)
    } else {
        None
    }
}

/// The form of a record that can't be parsed, by the keys it seems to have.
fn likely_form(bytes: &[u8]) -> Option<Format> {
    let has = |key: &str| {
        let quoted = format!("\"{key}\"");
        bytes.windows(quoted.len()).any(|window| window == quoted.as_bytes())
    };
    if has("messages") || has("traj") {
        Some(Format::ChatMany)
    } else if has("role") && !has("scope") {
        Some(Format::Chat)
    } else if has("scope") && has("id") {
        Some(Format::Normal)
    } else if has("source") || has("kind") || has("content") {
        Some(Format::Native)
    } else {
        None
    }
}
