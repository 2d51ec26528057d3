//! A language model for the engine: a prompt in, the text of its reply out. Nothing here knows of events or memories, and nothing
//! here trusts a reply: what a reply says is taken out of it by `salvage` and judged by whoever asked.
//!
//! `openai` asks any compatible service; `scripted` answers as a test tells it; `recorded` plays back what a model once answered.

mod budget;
mod openai;
mod recorded;
mod salvage;
mod scripted;

use std::fmt::Debug;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use openai::{CALLS_PER_HOUR, Endpoint, OpenAi, REPLY_BYTES_MAX, TIMEOUT};
pub use recorded::{Recorded, Recorder};
pub use salvage::{DROPPED_TOLD_MAX, Dropped, Salvaged, salvage};
pub use scripted::ScriptedLlm;

/// Answers prompts. Blocking: a call may take as long as the network and the model do, so no lock is held over one.
pub trait Llm: Send + Sync + Debug {
    /// The model, as the journal names it.
    fn name(&self) -> &str;

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError>;
}

/// What a model is asked. Only `prompts` makes one, so that every word sent is in a file there.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Which prompt it is: the name of its file.
    pub name: &'static str,
    /// BLAKE3 of that file, as hex: which wording it was.
    pub hash: String,
    pub system: String,
    pub user: String,
    /// The form the reply is to have, where the service can hold the model to it.
    pub schema: Option<Schema>,
    /// Longest reply.
    pub max_tokens: u32,
}

/// A JSON schema with the name services want for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    pub name: &'static str,
    pub schema: Value,
}

impl Prompt {
    /// BLAKE3 over all that the model gets to read, as hex: two prompts with the same fingerprint are the same question.
    pub fn fingerprint(&self) -> String {
        let schema = self.schema.as_ref().map(|schema| schema.schema.to_string()).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        for part in [&self.system, &self.user, &schema] {
            // With its length, so that no two prompts run into the same bytes.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hasher.update(&self.max_tokens.to_le_bytes());
        hasher.finalize().to_hex().to_string()
    }
}

/// What a model answered. Untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    /// The service says that it stopped the model before the model was done.
    #[serde(default)]
    pub truncated: bool,
    #[serde(default)]
    pub usage: Usage,
    /// How the reply was bound to the prompt's schema.
    #[serde(default)]
    pub format: Format,
}

impl Reply {
    /// A whole reply of which nothing else is known.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Tokens, as the service counts them; 0 where it doesn't say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub reply_tokens: u64,
}

/// What a service was asked to hold the model to. That it took the request doesn't mean that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The prompt's schema.
    JsonSchema,
    /// JSON of any form.
    JsonObject,
    /// Nothing: the prompt has no schema, or the service refuses to.
    #[default]
    Free,
}

/// What can be done about a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing gets better until someone changes the configuration.
    Configure,
    /// The same call may go better later.
    Later,
    /// This prompt will not be answered; the next one may be.
    GiveUp,
}

/// Why there is no reply. None of them carries a key, a prompt or a reply.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    #[error("the model's service at {url} did not answer: {source}")]
    Unreachable {
        url: String,
        #[source]
        source: Box<ureq::Error>,
    },
    #[error("the model's service at {url} refused with status {status}: {hint}")]
    Refused { url: String, status: u16, hint: &'static str },
    #[error("the prompt {name} is too long for the model at {url}")]
    TooLong { url: String, name: &'static str },
    #[error("the budget of {calls_per_hour} model calls an hour is spent; the next is free at {free_at}")]
    OverBudget { calls_per_hour: u32, free_at: Timestamp },
    #[error("the model's service at {url} answered with more than {limit} bytes")]
    TooLarge { url: String, limit: u64 },
    #[error("the model's service at {url} answered something else than a completion: {detail}")]
    NoCompletion { url: String, detail: String },
    #[error("no reply is recorded for prompt {fingerprint} ({name}) in {}", path.display())]
    NotRecorded { name: &'static str, fingerprint: String, path: PathBuf },
    #[error("the recording {} can't be used: {detail}", path.display())]
    Recording { path: PathBuf, detail: String },
    #[error("the model was not asked to the end: {why}")]
    Stopped { why: &'static str },
    #[error("the script has no reply left for call {call} ({name})")]
    ScriptEnded { name: &'static str, call: usize },
}

impl LlmError {
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Unreachable { .. } | Self::OverBudget { .. } | Self::Stopped { .. } => Remedy::Later,
            Self::Refused { status: 408 | 425 | 429 | 500.., .. } => Remedy::Later,
            // Too long a prompt is this prompt's fault.
            Self::Refused { status: 413, .. } => Remedy::GiveUp,
            Self::Refused { .. } | Self::Recording { .. } => Remedy::Configure,
            Self::TooLong { .. }
            | Self::TooLarge { .. }
            | Self::NoCompletion { .. }
            | Self::NotRecorded { .. }
            | Self::ScriptEnded { .. } => Remedy::GiveUp,
        }
    }
}
