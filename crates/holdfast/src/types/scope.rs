//! Whose an event is, and where in their work it belongs.
//!
//! Ids come from the caller and are opaque: `a`, `a:b`, `a%`, `*`, `A` and look-alike unicode are all different. They are
//! compared byte for byte and never parsed, folded or joined.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest scope id, in bytes: room for any UUID, e-mail or path that a caller keys by, and no room for a document.
pub const SCOPE_ID_BYTES_MAX: usize = 512;

/// A caller's id for a tenant, user, agent, session or task. Never empty, never with NUL or another control character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScopeId(String);

/// Why a text can't be a scope id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeIdError {
    #[error("a scope id is empty: leave the field out, or give it at least one character")]
    Empty,
    #[error("a scope id is {bytes} bytes long; the limit is {SCOPE_ID_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("a scope id contains the control character U+{0:04X}", *character as u32)]
    Control { character: char },
}

impl ScopeId {
    pub fn new(text: impl Into<String>) -> Result<Self, ScopeIdError> {
        let text = text.into();
        if text.is_empty() {
            return Err(ScopeIdError::Empty);
        }
        if text.len() > SCOPE_ID_BYTES_MAX {
            return Err(ScopeIdError::TooLong { bytes: text.len() });
        }
        if let Some(character) = text.chars().find(|c| c.is_control()) {
            return Err(ScopeIdError::Control { character });
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ScopeId {
    type Error = ScopeIdError;

    fn try_from(text: String) -> Result<Self, ScopeIdError> {
        Self::new(text)
    }
}

impl From<ScopeId> for String {
    fn from(id: ScopeId) -> Self {
        id.0
    }
}

impl fmt::Display for ScopeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for ScopeId {
    type Err = ScopeIdError;

    fn from_str(text: &str) -> Result<Self, ScopeIdError> {
        Self::new(text)
    }
}

impl Default for ScopeId {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// A task's id is a scope id: the caller may choose it, or Holdfast makes one when talk turns to something new.
pub type TaskId = ScopeId;

/// Whose memory it is. Every read and write of a store is bound to exactly one owner; agents of one user don't see each other's.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Owner {
    pub tenant: ScopeId,
    pub user: ScopeId,
    pub agent: ScopeId,
}

/// An owner, and the session and task within their work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scope {
    #[serde(flatten)]
    pub owner: Owner,
    pub session: ScopeId,
    /// `None`: not told. Holdfast attributes the event when it can, and leaves it unattributed when it can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}
