//! What happened. A `RawEvent` is what a caller hands in; an `Event` exists only after redaction.

use jiff::{Timestamp, ZonedDateTime};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ids::{EventId, Seq};
use super::moment;
use super::scope::Scope;
use super::signals::Signals;

/// Largest content of one event, in bytes (SPEC 1.8).
pub const CONTENT_BYTES_MAX: usize = 1024 * 1024;
/// Largest metadata of one event, in bytes of JSON: labels, not documents.
pub const METADATA_BYTES_MAX: usize = 64 * 1024;
/// Longest idempotency key, in bytes.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 512;

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    User,
    Agent,
    Tool,
    System,
}

/// What sort of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Query,
    Response,
    Plan,
    ToolCall,
    ToolResult,
    StatusChange,
    TaskSwitch,
    Feedback,
    Note,
    Imported,
}

/// Whether what it says may be believed. Tool and imported text is untrusted unless the caller says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    Trusted,
    Untrusted,
}

macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used in JSON, on the command line and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The inverse of `as_str`.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words!(Source { User => "user", Agent => "agent", Tool => "tool", System => "system" });
words!(Kind {
    Query => "query",
    Response => "response",
    Plan => "plan",
    ToolCall => "tool_call",
    ToolResult => "tool_result",
    StatusChange => "status_change",
    TaskSwitch => "task_switch",
    Feedback => "feedback",
    Note => "note",
    Imported => "imported",
});
words!(Trust { Trusted => "trusted", Untrusted => "untrusted" });

/// An event as a caller hands it in, secrets and all. It is never stored, logged or printed; hence no `Debug` of the content.
#[derive(Clone, Serialize, Deserialize)]
pub struct RawEvent {
    #[serde(flatten)]
    pub scope: Scope,
    pub source: Source,
    pub kind: Kind,
    pub content: String,
    /// When it happened, with the caller's own offset; `None`: now. May be in the past.
    #[serde(default, with = "moment::option", skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<ZonedDateTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl std::fmt::Debug for RawEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawEvent")
            .field("source", &self.source)
            .field("kind", &self.kind)
            .field("content", &format_args!("{} bytes, not shown", self.content.len()))
            .finish_non_exhaustive()
    }
}

impl RawEvent {
    pub fn new(scope: Scope, source: Source, kind: Kind, content: impl Into<String>) -> Self {
        Self {
            scope,
            source,
            kind,
            content: content.into(),
            occurred_at: None,
            trust: None,
            metadata: Map::new(),
            idempotency_key: None,
        }
    }
}

/// What was taken out of an event before it was stored: which kind of secret, and how many.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Redaction {
    /// The label of the placeholder, e.g. `card` of «card:1».
    pub label: String,
    pub count: u32,
}

/// An event without secrets. Only `redact` makes one; `stamped` gives it an id and a recording time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub id: EventId,
    #[serde(flatten)]
    pub scope: Scope,
    pub source: Source,
    pub kind: Kind,
    pub content: String,
    #[serde(with = "moment")]
    pub occurred_at: ZonedDateTime,
    pub recorded_at: Timestamp,
    pub trust: Trust,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<Redaction>,
}

/// An event as the store gives it back: with its place in the log and what was read from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredEvent {
    pub seq: Seq,
    #[serde(flatten)]
    pub event: Event,
    pub signals: Signals,
    /// The event before it in the same session, in log order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predecessor: Option<Seq>,
    /// The body was moved to cold storage; `event.content` is its summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Out of view on request: neither found nor cited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// What in it no longer holds, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overturned: Vec<Overturned>,
}

/// A statement inside an event that was superseded: sentences that make it are not served as current.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overturned {
    /// The statement as it stood.
    pub statement: String,
    /// What holds instead, if anything was said to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    pub at: Timestamp,
}
