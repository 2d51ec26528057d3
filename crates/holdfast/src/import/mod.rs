//! Files of other forms become events: our own lines, OpenAI-style chats, the normal form of the public data sets. Bytes come in,
//! entries go out one by one, and beside them what could not be read and why; nothing is stored here, and no file is held whole.
//!
//! What is read is a `RawEvent`, secrets and all. So a reason never repeats what the file says.

mod chat;
mod check;
mod detect;
mod json;
mod keys;
mod native;
mod near;
mod normal;
mod split;
mod when;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Chain, Cursor, Read};

use jiff::tz::TimeZone;

use crate::types::event::{RawEvent, words};
use crate::types::scope::Scope;
use crate::types::update::Update;
pub use chat::Messages;
use json::Problem;
use split::{Piece, Record, Splitter};

/// Longest record that is one event, in bytes: 1 MiB of content written all in `\u00XX` escapes is 6 MiB, and some metadata.
pub const RECORD_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest record that is a whole conversation: long runs, and images within messages.
pub const CONVERSATION_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The forms that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// One event a line, in our own words.
    Native,
    /// The messages of one conversation.
    Chat,
    /// Many conversations.
    ChatMany,
    /// {scope, id, seq, session, time, role, text}.
    Normal,
}

words!(Format { Native => "native", Chat => "chat", ChatMany => "chat_many", Normal => "normal" });

/// What a file doesn't say itself.
#[derive(Debug, Clone)]
pub struct Options {
    /// Ids for records that have none.
    pub scope: Scope,
    /// The zone of times written without an offset.
    pub zone: TimeZone,
    /// The form, if it is not to be found out.
    pub format: Option<Format>,
    /// The lines are said as they come and never read again: one without a key and without a time is said now, and the same "yes" once
    /// more is another event. A file, which may be read again, gives each record a key by what it says.
    pub live: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { scope: Scope::default(), zone: TimeZone::UTC, format: None, live: false }
    }
}

/// Where in the file something stands; all from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line on which the record begins.
    pub line: u64,
    /// In a file of many conversations, which.
    pub conversation: Option<u64>,
    /// In a conversation, which message.
    pub message: Option<u64>,
}

impl Position {
    fn line(line: u64) -> Self {
        Self { line, conversation: None, message: None }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(conversation) = self.conversation {
            write!(f, ", conversation {conversation}")?;
        }
        if let Some(message) = self.message {
            write!(f, ", message {message}")?;
        }
        Ok(())
    }
}

/// One event of the file, and the update that came with it.
#[derive(Debug, Clone)]
pub struct Entry {
    pub position: Position,
    /// Always with an idempotency key: reading the file again gives the same keys.
    pub event: RawEvent,
    pub update: Option<Update>,
}

/// Something that could not be read; the rest was. It repeats nothing of what stood there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {reason}{}", Hint(.hint.as_deref()))]
pub struct Unread {
    pub position: Position,
    pub reason: String,
    pub hint: Option<String>,
}

struct Hint<'a>(Option<&'a str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

/// Why nothing of a file can be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("is empty")]
    Empty,
    #[error("is a directory: name the files in it")]
    Directory,
    #[error("is {what}, not text: {hint}")]
    Binary { what: &'static str, hint: &'static str },
    #[error("is not JSON: expected event lines, an OpenAI-style chat, or records of {{scope, id, text}}")]
    NotJson,
    #[error(
        "is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and \
         `content`, or with `messages`, or with `scope`, `id` and `text`"
    )]
    UnknownForm,
    #[error("is an export of Holdfast: bring it back with `holdfast import`")]
    Export,
    #[error("can't be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads a file as events. `name` is the file's name: it goes into the session ids of conversations that have none of their own.
///
/// ```
/// use holdfast::import::{self, Format, Options};
///
/// let chat = r#"[{"role": "user", "content": "周报用 PDF"}, {"role": "assistant", "content": "好的"}]"#;
/// let mut reader = import::read(chat.as_bytes(), "chat.json", Options::default())?;
/// assert_eq!(reader.format(), Format::Chat);
/// assert_eq!(reader.next().unwrap()?.event.content, "周报用 PDF");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read<R: Read>(input: R, name: &str, options: Options) -> Result<Reader<R>, ImportError> {
    let detect::Detected { format, waiting, mut splitter } = detect::detect(input, options.format)?;
    splitter.limit = limit(format);
    let decoder = match format {
        Format::Native => Decoder::Native(keys::Occurrences::default()),
        Format::Normal => Decoder::Normal(normal::Times::default()),
        Format::Chat | Format::ChatMany => Decoder::Chat(chat::Chats::new(name)),
    };
    Ok(Reader { format, options, waiting, splitter, decoder, ready: VecDeque::new() })
}

fn limit(format: Format) -> usize {
    match format {
        Format::Native | Format::Normal => RECORD_BYTES_MAX,
        Format::Chat | Format::ChatMany => CONVERSATION_BYTES_MAX,
    }
}

type Out = VecDeque<Result<Entry, Unread>>;
type Input<R> = Chain<Cursor<Vec<u8>>, R>;

/// The entries of one file, in its order, and between them what could not be read.
pub struct Reader<R> {
    format: Format,
    options: Options,
    /// Read to find out the form, not yet decoded.
    waiting: VecDeque<Piece>,
    splitter: Splitter<Input<R>>,
    decoder: Decoder,
    /// Decoded, not yet given.
    ready: Out,
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("format", &self.format).finish_non_exhaustive()
    }
}

enum Decoder {
    Native(keys::Occurrences),
    Normal(normal::Times),
    Chat(chat::Chats),
}

impl<R> Reader<R> {
    /// The form that was found.
    pub fn format(&self) -> Format {
        self.format
    }

    fn decode(&mut self, record: Record) {
        let position = Position::line(record.line);
        let result = match &mut self.decoder {
            Decoder::Native(occurrences) => native::decode(&record.bytes, &self.options, occurrences),
            Decoder::Normal(times) => normal::decode(&record.bytes, &self.options, times).map(|event| (event, None)),
            Decoder::Chat(chats) => match json::parse(&record.bytes) {
                Ok(value) => return chats.record(value, record.line, record.array, &self.options, &mut self.ready),
                Err(problem) => Err(problem),
            },
        };
        self.ready.push_back(match result {
            Ok((event, update)) => Ok(Entry { position, event, update }),
            Err(Problem { reason, hint }) => Err(Unread { position, reason, hint }),
        });
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Entry, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Some(entry);
            }
            let limit = limit(self.format);
            let (line, problem) = match self.waiting.pop_front().or_else(|| self.splitter.next())? {
                Piece::Record(record) if record.bytes.len() > limit => {
                    (record.line, too_long(record.bytes.len() as u64, limit))
                }
                Piece::Record(record) => {
                    self.decode(record);
                    continue;
                }
                Piece::TooLong { line, bytes } => (line, too_long(bytes, limit)),
                Piece::Stray { line } => (
                    line,
                    Problem::new(
                        "is not JSON, and where the next record begins can't be told; what follows was not read",
                    ),
                ),
                Piece::Unclosed { line } => {
                    let hint = "the file was cut, or is still being written; what came before was read";
                    (line, Problem::new("is cut off: the array is never closed").hint(hint))
                }
                Piece::Io { line, error } => {
                    (line, Problem::new(format!("can't be read: {}; what follows was not read", error.kind())))
                }
            };
            let Problem { reason, hint } = problem;
            return Some(Err(Unread { position: Position::line(line), reason, hint }));
        }
    }
}

fn too_long(bytes: u64, limit: usize) -> Problem {
    Problem::new(format!("is {bytes} bytes long; the limit is {limit}")).hint("the record was passed over; divide it")
}

#[cfg(test)]
mod tests;
