//! The answers of the HTTP API as its document describes them. The library's own types are what is sent, and know no wire: each of these
//! stands beside one of them, and a test checks the answers of a real server against it, field by field, both ways.

#![expect(dead_code, reason = "they describe what is sent, and are not sent themselves")]

mod events;
mod journal;
mod memories;
mod recall;
mod store;
mod tasks;

use serde::Serialize;
use utoipa::ToSchema;

pub use self::events::*;
pub use self::journal::*;
pub use self::memories::*;
pub use self::recall::*;
pub use self::store::*;
pub use self::tasks::*;
use super::{Kind, Redaction, Source, Trust};

/// An id that Holdfast gave (UUIDv7).
#[derive(Serialize, ToSchema)]
#[schema(format = "uuid")]
pub struct Id(String);

/// A stretch of a text, in bytes of its UTF-8: from `start` up to and without `end`.
#[derive(Serialize, ToSchema)]
pub struct Span {
    start: usize,
    end: usize,
}

/// Whose memory it is.
#[derive(Serialize, ToSchema)]
pub struct Owner {
    tenant: String,
    user: String,
    agent: String,
}
