//! The command line as typed arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use holdfast::types::scope::ScopeId;

/// A memory engine for long-running AI agents: events in, the right context out.
///
/// Exit codes: 0 done · 1 failed (store, files) · 2 wrong usage · 3 done, but parts of the input could not be read ·
/// 4 refused (a bad event, a stale update, a step out of order).
#[derive(Debug, Parser)]
#[command(name = "holdfast", version, max_term_width = 110)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
pub struct Global {
    /// The store's directory [default: the platform's data directory]
    #[arg(long, global = true, env = "HOLDFAST_STORE", value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// JSON on stdout instead of text
    #[arg(long, global = true)]
    pub json: bool,
    #[arg(long, global = true, env = "HOLDFAST_TENANT", default_value = "default", value_name = "ID")]
    pub tenant: ScopeId,
    /// Whose memory it is [default: default, or the only one there is]
    #[arg(long, global = true, env = "HOLDFAST_USER", value_name = "ID")]
    pub user: Option<ScopeId>,
    #[arg(long, global = true, env = "HOLDFAST_AGENT", value_name = "ID")]
    pub agent: Option<ScopeId>,
    #[arg(long, global = true, env = "HOLDFAST_SESSION", default_value = "default", value_name = "ID")]
    pub session: ScopeId,
    /// The task, where it is not to be told from the session or the words
    #[arg(long, global = true, value_name = "ID")]
    pub task: Option<ScopeId>,
    /// Where vectors come from: builtin, none, or the base URL of an OpenAI-compatible service
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING", default_value = "builtin", value_name = "KIND")]
    pub embedding: String,
    /// The service's model
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING_MODEL", value_name = "NAME")]
    pub embedding_model: Option<String>,
    /// The service's key; better in the environment than on the command line
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING_KEY", hide_env_values = true, value_name = "KEY")]
    pub embedding_key: Option<String>,
    /// Rules of redaction, as TOML (kinds to switch off, patterns of your own)
    #[arg(long, global = true, env = "HOLDFAST_REDACTION", value_name = "FILE")]
    pub redaction: Option<PathBuf>,
    /// The zone of times written without an offset, and of now [default: the machine's]
    #[arg(long, global = true, env = "HOLDFAST_ZONE", value_name = "ZONE")]
    pub zone: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record a file: event lines, a chat, many chats, or records of a data set
    ///
    /// Which of them it is is found out. What can't be read is reported and passed over. Recording a file twice adds nothing.
    Replay(Replay),
    /// Record one event, or event lines from stdin
    Observe(Observe),
    /// Print the context block for a request
    Context(ContextArguments),
    /// Search the memory
    Recall(RecallArguments),
    /// See and steer tasks
    #[command(subcommand)]
    Task(TaskCommand),
    /// Everything that was done to an event or a task, and why
    History {
        /// An event's id, or a task's
        id: String,
    },
    /// The journal: every change, and what was served
    Journal(JournalArguments),
    /// What a run did: stored, redacted, superseded, served
    Report(ReportArguments),
    /// What the store holds and which model serves
    Status,
    /// Make all vectors anew with the chosen model; may be stopped and goes on where it was
    Reindex,
    /// Write everything of an owner (or of all) as lines of JSON
    Export {
        /// All owners, not only the chosen one
        #[arg(long)]
        all: bool,
    },
    /// Bring an export back
    Import { file: PathBuf },
    /// Move old bodies to cold storage; their summaries stay searchable
    Archive {
        /// How old an event must be, in days
        #[arg(long, default_value_t = 90)]
        older_than: u32,
    },
    /// Bring an archived event's body back
    Restore { id: String },
    /// The whole store as text, and a check that it is valid
    #[command(hide = true)]
    Dump,
    /// Shell completions
    Completions { shell: Shell },
}

#[derive(Debug, Args)]
pub struct Replay {
    /// Files; - is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Then print the context block for this request
    #[arg(long, value_name = "TEXT")]
    pub ask: Option<String>,
    /// Stop after so many events
    #[arg(long, value_name = "N")]
    pub until: Option<usize>,
    /// Leave the vectors for later
    #[arg(long)]
    pub no_embed: bool,
    #[command(flatten)]
    pub block: BlockArguments,
}

#[derive(Debug, Args)]
pub struct Observe {
    /// What was said or done; without it, stdin is read
    pub content: Option<String>,
    #[arg(long, default_value = "user", value_name = "SOURCE")]
    pub source: String,
    #[arg(long, default_value = "query", value_name = "KIND")]
    pub kind: String,
    /// When it happened, with an offset: 2026-11-09T09:00:00+08:00 [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// The same key twice is one event
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Label it
    #[arg(long, value_name = "NAME=VALUE")]
    pub metadata: Vec<String>,
    /// Stdin holds event lines, one JSON object each
    #[arg(long, conflicts_with = "content")]
    pub lines: bool,
}

#[derive(Debug, Args)]
pub struct BlockArguments {
    /// Tokens the whole block may take
    #[arg(long, default_value_t = 2_000, value_name = "TOKENS")]
    pub budget: usize,
    /// Whose tokens: o200k_base or cl100k_base
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    pub tokenizer: String,
    /// The language of the labels [default: the request's]
    #[arg(long, value_enum)]
    pub language: Option<LanguageArgument>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LanguageArgument {
    Zh,
    En,
}

#[derive(Debug, Args)]
pub struct ContextArguments {
    /// The request, or the step in hand
    pub query: String,
    #[command(flatten)]
    pub block: BlockArguments,
    /// As the prompt of the task's next step: refused until the step before it is written back
    #[arg(long)]
    pub step: bool,
}

#[derive(Debug, Args)]
pub struct RecallArguments {
    pub query: String,
    /// Events at most
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub limit: usize,
    /// Why each candidate was returned or not; with an id, why that one
    #[arg(long, value_name = "EVENT", num_args = 0..=1, default_missing_value = "")]
    pub explain: Option<String>,
    /// As the world was then: only what had happened
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,
    /// As was known then: only what had been recorded
    #[arg(long, value_name = "TIME")]
    pub known_at: Option<String>,
    /// Only what happened since
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Also what was overturned, marked so
    #[arg(long)]
    pub history: bool,
    /// Only this session's (see --session)
    #[arg(long)]
    pub in_session: bool,
    #[arg(long, value_name = "SOURCE")]
    pub source: Vec<String>,
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Tasks, most recently active first
    List {
        /// Ended ones too
        #[arg(long)]
        all: bool,
    },
    /// One task with its working memory
    Show { id: Option<ScopeId> },
    /// Open a task and put the session on it
    Start {
        title: String,
        #[arg(long)]
        goal: Option<String>,
        #[arg(long, value_name = "TEXT")]
        constraint: Vec<String>,
    },
    /// Apply a typed update: JSON, @FILE, or - for stdin
    Update { update: String },
    /// End a task
    End {
        #[arg(long, default_value = "success", value_name = "OUTCOME")]
        outcome: String,
        #[arg(long)]
        reason: Option<String>,
    },
    /// Give up the step whose prompt is out, after its loop died
    AbandonStep,
}

#[derive(Debug, Args)]
pub struct JournalArguments {
    /// One run: its id, or latest
    #[arg(long)]
    pub run: Option<String>,
    #[arg(long)]
    pub verb: Option<String>,
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// A run's id, latest, or all
    #[arg(long, default_value = "latest")]
    pub run: String,
}
