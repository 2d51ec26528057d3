//! Newtypes for every id, so that one can't be passed for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A position in the event log: rises by one with each event of a store, whoever owns it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub i64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// One event of the log (UUIDv7, so ids sort by the time they were recorded).
    EventId
);
uuid_id!(
    /// One operation of the journal.
    OperationId
);
uuid_id!(
    /// One run: everything done by one command, request or replay.
    RunId
);

uuid_id!(
    /// One memory, through all its versions.
    MemoryId
);

/// An element of working memory (`c3` a constraint, `s1` a step …): unique in its task, short enough for a model to repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementId(pub String);

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&str> for ElementId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
