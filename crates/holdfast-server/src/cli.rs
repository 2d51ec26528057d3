//! The command line as typed arguments.

mod look;
mod service;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use holdfast::engine::ARCHIVE_AFTER_DAYS;
use holdfast::llm::CALLS_PER_HOUR;
use holdfast::types::event::{Kind, Source};
use holdfast::types::ids::EventId;
use holdfast::types::memory::{MemoryKind, MemoryStatus};
use holdfast::types::moment::{self, MomentError};
use holdfast::types::scope::ScopeId;
use holdfast::types::task::Outcome;
use jiff::ZonedDateTime;
use jiff::tz::TimeZone;

pub use self::look::{JournalArguments, JournalCommand, ReportArguments, RunArgument};
pub use self::service::{ConfigCommand, KeyCommand, ServeArguments};

/// Shown below the list of commands.
const EXAMPLES: &str = "\
Examples:
  holdfast --store demo replay examples/weekly-report.jsonl --ask 接着把周报弄完
  holdfast --store demo recall 退货率 --explain
  holdfast --store demo observe \"The call moved to Friday\" --session 2026-11-30
  holdfast --store demo context \"what is left of the migration?\" --budget 800

Exit codes:
  0  done
  1  failed: the store, a file
  2  wrong usage
  3  done, but parts of the input could not be read or applied; stderr says which
  4  refused, nothing was changed: a bad event, a stale update, a step out of order";

/// A memory engine for long-running AI agents: events in, the right context out.
///
/// What a command was asked for goes to stdout, everything else to stderr.
#[derive(Debug, Parser)]
#[command(name = "holdfast", version, max_term_width = 110, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Args)]
pub struct Global {
    /// A file of settings, as TOML; `config show` lists them [default: holdfast.toml in the platform's directory of settings, if it is there]
    #[arg(long, global = true, env = "HOLDFAST_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The store's directory [default: the platform's data directory]
    #[arg(long, global = true, env = "HOLDFAST_STORE", value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// What the store is for: prod, test … One that is for something else is refused; one that is for nothing yet is for this from now on
    #[arg(long, global = true, env = "HOLDFAST_ENVIRONMENT", value_name = "NAME")]
    pub environment: Option<ScopeId>,
    /// JSON on stdout instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// The organisation whose memory it is
    #[arg(long, global = true, env = "HOLDFAST_TENANT", default_value = "default", value_name = "ID")]
    pub tenant: ScopeId,
    /// Whose memory it is [default: default, or the only one there is]
    #[arg(long, global = true, env = "HOLDFAST_USER", value_name = "ID")]
    pub user: Option<ScopeId>,
    /// The agent whose memory it is [default: default, or the only one there is]
    #[arg(long, global = true, env = "HOLDFAST_AGENT", value_name = "ID")]
    pub agent: Option<ScopeId>,
    /// The conversation; each has a task it is on [default: default]
    #[arg(long, global = true, env = "HOLDFAST_SESSION", value_name = "ID")]
    pub session: Option<ScopeId>,
    /// The task, where it is not to be told from the session or the words
    #[arg(long, global = true, value_name = "ID")]
    pub task: Option<ScopeId>,
    /// Where vectors come from: builtin, none, or the base URL of an OpenAI-compatible service
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING", default_value = "builtin", value_name = "KIND")]
    pub embedding: EmbeddingArgument,
    /// The service's model
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING_MODEL", value_name = "NAME")]
    pub embedding_model: Option<String>,
    /// The service's key; better in the environment than on the command line
    #[arg(long, global = true, env = "HOLDFAST_EMBEDDING_KEY", hide_env_values = true, value_name = "KEY")]
    pub embedding_key: Option<String>,
    /// Where a language model answers: the base URL of an OpenAI-compatible service; a key is read from
    /// HOLDFAST_LLM_KEY or the file of settings [default: none, rules do without]
    #[arg(long, global = true, env = "HOLDFAST_LLM_URL", value_name = "URL", value_parser = url)]
    pub llm_url: Option<String>,
    /// The language model
    #[arg(long, global = true, env = "HOLDFAST_LLM_MODEL", value_name = "NAME")]
    pub llm_model: Option<String>,
    /// Its key. Not for the command line, which all on a machine can read.
    #[arg(long, global = true, env = "HOLDFAST_LLM_KEY", hide = true, hide_env_values = true, value_name = "KEY")]
    pub llm_key: Option<OsString>,
    /// Requests to it within an hour, at most
    #[arg(long, global = true, env = "HOLDFAST_LLM_CALLS_PER_HOUR", default_value_t = CALLS_PER_HOUR, value_name = "N")]
    pub llm_calls_per_hour: u32,
    /// Rules of redaction, as TOML (kinds to switch off, patterns of your own)
    #[arg(long, global = true, env = "HOLDFAST_REDACTION", value_name = "FILE")]
    pub redaction: Option<PathBuf>,
    /// A file with the key to keep secrets under, 32 bytes as hex or base64 [default: the key in HOLDFAST_REDACTION_KEY; without
    /// one, nothing of a secret is kept]
    #[arg(long, global = true, env = "HOLDFAST_REDACTION_KEY_FILE", value_name = "FILE")]
    pub redaction_key_file: Option<PathBuf>,
    /// Keep the text of the journal for so many days [default: for ever]
    #[arg(long, global = true, env = "HOLDFAST_JOURNAL_DAYS", value_name = "DAYS", hide_short_help = true)]
    pub journal_days: Option<u32>,
    /// The zone of times written without an offset, and of now [default: the machine's]
    #[arg(long, global = true, env = "HOLDFAST_ZONE", value_name = "ZONE", value_parser = zone)]
    pub zone: Option<TimeZone>,
}

impl Global {
    pub fn session(&self) -> ScopeId {
        self.session.clone().unwrap_or_default()
    }
}

/// Where vectors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingArgument {
    Builtin,
    None,
    Url(String),
}

impl FromStr for EmbeddingArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "builtin" => Ok(Self::Builtin),
            "none" => Ok(Self::None),
            text => match url(text) {
                Ok(url) => Ok(Self::Url(url)),
                Err(_) => Err("it is neither builtin nor none nor a URL that begins with http:// or https://"),
            },
        }
    }
}

fn url(text: &str) -> Result<String, &'static str> {
    let is_url = text.starts_with("http://") || text.starts_with("https://");
    if is_url { Ok(text.to_owned()) } else { Err("it does not begin with http:// or https://") }
}

fn zone(text: &str) -> Result<TimeZone, &'static str> {
    // An offset alone is read as part of a moment.
    let of_offset = || moment::parse(&format!("2000-01-01T00:00:00{text}")).map(|moment| moment.time_zone().clone());
    TimeZone::get(text)
        .or_else(|_| of_offset())
        .map_err(|_| "there is no such zone: give one like Asia/Shanghai or +08:00")
}

fn time(text: &str) -> Result<ZonedDateTime, String> {
    moment::parse(text).map_err(|error| format!("it {error}: {}", MomentError::HINT))
}

fn event_id(text: &str) -> Result<EventId, &'static str> {
    const HINT: &str = "an event's id is expected, like 01a22c56-f4eb-7699-acb3-edad1ff1e79d: `observe` prints it and `recall` shows it";
    text.trim().parse().map_err(|_| HINT)
}

fn question(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("it is empty: say what you want to know") } else { Ok(text.to_owned()) }
}

fn title(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("a title is needed: what people will call the task") } else { Ok(text.to_owned()) }
}

fn one_or_more(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(0) => Err("with 0 there is nothing to answer: give 1 or more"),
        Ok(count) => Ok(count),
        Err(_) => Err("it is no whole number"),
    }
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("it is not NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A parser that knows its words: a wrong one is answered with the list, and shells complete them.
macro_rules! words {
    ($type:ident) => {
        PossibleValuesParser::new($type::ALL.iter().map(|value| value.as_str()))
            .map(|word| $type::from_word(&word).expect("clap lets through only the words of the list"))
    };
}
pub(crate) use words;

/// What people call a command, and what it is called here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("search", "recall"),
    ("find", "recall"),
    ("query", "recall"),
    ("ask", "context"),
    ("prompt", "context"),
    ("add", "observe"),
    ("record", "observe"),
    ("remember", "observe"),
    ("log", "observe"),
    ("note", "observe"),
    ("load", "replay"),
    ("ingest", "replay"),
    ("tasks", "task list"),
    ("show", "task show"),
    ("stats", "status"),
    ("check", "doctor"),
    ("health", "doctor"),
    ("info", "status"),
    ("backup", "export"),
    ("delete", "forget"),
    ("erase", "forget"),
    ("remove", "forget"),
    ("rollback", "undo"),
    ("revert", "undo"),
];

/// Commands whose text is one argument.
const TAKE_A_TEXT: &[&str] = &["observe", "context", "recall", "start"];

/// A wrong command line with what was meant, where it can be told from it.
pub fn with_hint(mut error: clap::Error) -> clap::Error {
    match (error.kind(), error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(given)), _) => {
            if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| other == given) {
                let meant = ContextValue::Strings(vec![(*name).to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, meant);
            }
        }
        (ErrorKind::UnknownArgument, _, Some(ContextValue::String(given)))
            if !given.starts_with('-') && std::env::args().any(|argument| TAKE_A_TEXT.contains(&argument.as_str())) =>
        {
            let hint = "a text of several words is one argument: put it in quotes".to_owned();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
        }
        _ => {}
    }
    error
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Record a file: event lines, a chat, many chats, or records of a data set
    ///
    /// Which of them it is, is found out. What can't be read is reported, with its line and the reason, and passed over (exit code
    /// 3). Recording a file twice adds nothing. With --ask, stdout is the context block for that request, asked right after the last
    /// event by the same person.
    Replay(Replay),
    /// Record one event, or event lines from stdin
    ///
    /// Prints the event's id; the task it was found to belong to and what was redacted go to stderr.
    Observe(Observe),
    /// Print the context block for a request
    ///
    /// Nothing but the block goes to stdout: put it into the prompt as data. Its size, its fingerprint and what was left out go to
    /// stderr. What was served is journaled, unless another process is writing the store.
    Context(ContextArguments),
    /// Search the memory
    ///
    /// What was found is journaled as served, unless another process is writing the store.
    ///
    /// A TIME is 2026-11-09T09:00:00+08:00, 2026-11-09, 昨天, "last Friday". A day counts whole: as of 2026-11-09 is as of its end.
    Recall(RecallArguments),
    /// See and steer tasks
    #[command(subcommand)]
    Task(TaskCommand),
    /// See and steer long-term memory
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Learn from the log what is worth knowing beyond a task
    ///
    /// It runs by itself when something telling is said, when a task ends, and every 50 events; this makes up for the rest. What was
    /// stated and not learned is said on stderr, with the reason.
    Learn {
        /// Only say what would be written
        #[arg(long)]
        dry_run: bool,
    },
    /// Report what served memories did to the work
    Feedback(FeedbackArguments),
    /// The language model
    #[command(subcommand)]
    Llm(LlmCommand),
    /// Everything that was done to an event, a task or an element of one, and why
    History {
        /// An event's id, a task's, or that of an element of the task in hand as blocks show it: s7, c3
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
    ///
    /// Events keep their ids and times. What is there already is left as it is. Chats and event lines are for `replay`. A memory comes in
    /// force only if the user's own events, which come along, bear it out; what only an operator's word holds up waits to be confirmed,
    /// unless --trust is given.
    Import {
        /// A file that `export` wrote; - is stdin
        file: PathBuf,
        /// Take an operator's word in it: what was confirmed, added or shared by one there is so here. For files of your own
        #[arg(long)]
        trust: bool,
        /// Also if it is from a store for another environment
        #[arg(long)]
        other_environment: bool,
    },
    /// Move old bodies to cold storage; their summaries stay searchable
    Archive {
        /// How old an event must be, in days
        #[arg(long, default_value_t = ARCHIVE_AFTER_DAYS, value_name = "DAYS")]
        older_than: u32,
    },
    /// Let go of what a policy no longer keeps: shorten, archive, or put on probation and then discard
    ///
    /// Nothing goes at once: what scores too low waits for so many turns and so long a time, and is let go only if nothing calls for it
    /// meanwhile. Bodies go to cold storage and are still found. A run that would touch too much of the store stops and says so.
    /// Whatever was done is undone by `undo --run`.
    Manage(ManageArguments),
    /// Forget on request: hide it, or erase it from every copy
    ///
    /// What is named: --event, --matching, --task, --session, or --everything of --user or --agent. Without --hide or --erase it is only said how
    /// far it would reach. Hidden things are neither found nor cited, and are kept. Erased ones are gone from the log, the indexes, the vectors,
    /// the memories and tasks drawn from them, the journal's text, cold storage and the write-ahead log, and don't come back by replay or
    /// import; the receipt on stdout says what was searched for what is left. Exports and backups made before are out of reach.
    Forget(ForgetArguments),
    /// Undo an operation, a run, or everything after a moment
    ///
    /// What each change found where it wrote is put back; what came later stays, and where it changed the same it is listed first. Events that are
    /// undone stay in the log and go out of view. What was erased does not come back. An undo can be undone.
    Undo(UndoArguments),
    /// Bring an archived event's body back
    Restore {
        /// The event's id
        #[arg(value_name = "EVENT", value_parser = event_id)]
        id: EventId,
    },
    /// Show what stood where a placeholder stands, if it was recorded with a redaction key
    ///
    /// The secret goes to stdout. The journal says which one was shown, to whom and why.
    Reveal {
        /// As it stands in the text: «card:7f3a9c2e41d0», with or without its marks
        placeholder: String,
        /// What it is needed for
        #[arg(long, value_name = "TEXT")]
        why: String,
        /// Who asks
        #[arg(long, env = "USER", default_value = "operator", hide_env_values = true, value_name = "NAME")]
        by: String,
    },
    /// Serve the memory over HTTP
    ///
    /// The API is at /v1, its reference page at /docs, its OpenAPI document at /openapi.json. Without API keys only this machine is served.
    /// It holds the store: while it runs, other commands only read.
    Serve(ServeArguments),
    /// Be the memory of an assistant: MCP over stdin and stdout
    ///
    /// For the client's configuration: command `holdfast`, arguments `mcp`. The store is held only while calls come, so several assistants
    /// can share one. Over HTTP, `serve` has the same at /mcp.
    Mcp,
    /// API keys: who may come in over the network
    #[command(subcommand)]
    Key(KeyCommand),
    /// Whether all is well: the store, the models, the keys, the clock, the disk; and what to do where it is not
    ///
    /// It only looks: a store that isn't there is not made. Exit code 1: something fails.
    Doctor,
    /// The settings, and where each of them comes from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// The whole store as text, and a check that it is valid
    #[command(hide = true)]
    Dump,
    /// Shell completions
    Completions {
        /// Whose; for bash: holdfast completions bash > ~/.local/share/bash-completion/completions/holdfast
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub struct ManageArguments {
    /// support, research, tutoring, aggressive, or a TOML file that extends one of them
    #[arg(long, default_value = "research", value_name = "POLICY")]
    pub policy: String,
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// However much of the store it touches
    #[arg(long)]
    pub force: bool,
    /// There is no room: don't spare open stages, but discard nothing of them
    #[arg(long)]
    pub over_budget: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("undone").required(true).args(["operation", "run", "to"]))]
pub struct UndoArguments {
    /// An operation's number in the journal, or its id
    pub operation: Option<String>,
    /// All of one run: its id, or latest
    #[arg(long, value_name = "RUN")]
    pub run: Option<RunArgument>,
    /// All that was done after this moment
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only say how far it would reach
    #[arg(long)]
    pub preview: bool,
    /// Also what came later and changed the same
    #[arg(long)]
    pub with_dependants: bool,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, Args)]
pub struct ForgetArguments {
    /// These events
    #[arg(long, value_name = "EVENT", value_parser = event_id)]
    pub event: Vec<EventId>,
    /// Events and memories that have these words, in any width, case or Chinese script
    #[arg(long, value_name = "TEXT", conflicts_with = "event")]
    pub matching: Option<String>,
    /// All of the chosen user (with every agent, unless --agent) or of the chosen agent (with every user), its name included
    #[arg(long, conflicts_with_all = ["event", "matching"])]
    pub everything: bool,
    /// With --everything and no user or agent: all users and agents of the tenant, and its name
    #[arg(long, requires = "everything")]
    pub whole_tenant: bool,
    /// Print the hash by which a receipt of the chosen owner, whose name went with it, is known as its own
    #[arg(long, conflicts_with_all = ["event", "matching", "everything", "how"])]
    pub commitment: bool,
    /// Take it out of view; it is kept
    #[arg(long, group = "how")]
    pub hide: bool,
    /// Take it out of every copy; nobody can bring it back
    #[arg(long, group = "how")]
    pub erase: bool,
    /// Bring what is hidden back into view
    #[arg(long, group = "how")]
    pub unhide: bool,
    /// Why, for the journal; better without a word of what is forgotten
    #[arg(long, value_name = "TEXT", requires = "how")]
    pub reason: Option<String>,
    /// Touch nothing if it is more events than this [default: 1000 with --matching]
    #[arg(long, value_name = "N")]
    pub max: Option<u64>,
}

#[derive(Debug, Args)]
pub struct Replay {
    /// Files; - is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Then print the context block for this request
    #[arg(long, value_name = "TEXT", value_parser = question)]
    pub ask: Option<String>,
    /// Stop after so many events
    #[arg(long, value_name = "N")]
    pub until: Option<u64>,
    /// Leave the vectors to the next command that writes; --ask is answered by words then
    #[arg(long)]
    pub no_embed: bool,
    #[command(flatten)]
    pub block: BlockArguments,
}

#[derive(Debug, Args)]
pub struct Observe {
    /// What was said or done; without it, stdin is read
    pub content: Option<String>,
    /// Who spoke
    #[arg(long, default_value = "user", value_name = "SOURCE", value_parser = words!(Source))]
    pub source: Source,
    /// What sort of thing it is [default: query, response, tool_result or note, by the source]
    #[arg(long, value_name = "KIND", value_parser = words!(Kind))]
    pub kind: Option<Kind>,
    /// When it happened, with an offset: 2026-11-09T09:00:00+08:00 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub at: Option<ZonedDateTime>,
    /// The same key twice is one event
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Label it
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub metadata: Vec<(String, String)>,
    /// Stdin holds event lines, one JSON object each; each is on disk before the next is read
    #[arg(long, conflicts_with_all = ["content", "source", "kind", "at", "key", "metadata"])]
    pub lines: bool,
    /// Leave the vectors to the next command that writes
    #[arg(long)]
    pub no_embed: bool,
}

#[derive(Debug, Args)]
pub struct BlockArguments {
    /// Tokens the whole block may take
    #[arg(long, default_value_t = 2_000, value_name = "TOKENS", value_parser = one_or_more)]
    pub budget: usize,
    /// Whose tokens: o200k_base or cl100k_base
    #[arg(long, default_value = "o200k_base", value_name = "NAME", value_parser = ["o200k_base", "cl100k_base"])]
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
    #[arg(value_parser = question)]
    pub query: String,
    #[command(flatten)]
    pub block: BlockArguments,
    /// As the prompt of the task's next step: refused until the step before it is written back
    #[arg(long)]
    pub step: bool,
}

#[derive(Debug, Args)]
pub struct RecallArguments {
    /// What to look for: a question, a step, a word
    #[arg(value_parser = question)]
    pub query: String,
    /// Events at most; facts of the task come in addition
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = one_or_more)]
    pub limit: usize,
    /// Why each candidate was returned or not; with =EVENT, why that one
    // With a sign between, or `recall --explain 退货率` would take the query for the event.
    #[arg(long, value_name = "EVENT", num_args = 0..=1, require_equals = true, value_parser = event_id)]
    pub explain: Option<Option<EventId>>,
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
    /// Only what they said; may be given several times
    #[arg(long, value_name = "SOURCE", value_parser = words!(Source))]
    pub source: Vec<Source>,
    /// Only of this kind; may be given several times
    #[arg(long, value_name = "KIND", value_parser = words!(Kind))]
    pub kind: Vec<Kind>,
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
    Show {
        /// The task [default: --task, or the one the session is on]
        id: Option<ScopeId>,
    },
    /// Open a task and put the session on it
    ///
    /// Prints the task's id: the one given with --task, or a new one.
    Start {
        /// What people will call it
        #[arg(value_parser = title)]
        title: String,
        /// What is to be reached [default: the title]
        #[arg(long, value_name = "TEXT")]
        goal: Option<String>,
        /// What must hold throughout; may be given several times
        #[arg(long, value_name = "TEXT")]
        constraint: Vec<String>,
    },
    /// Apply a typed update: JSON, @FILE, or - for stdin
    ///
    /// It is applied whole or refused. Prints the task's new version. For example:
    /// {"actions": [{"action": "complete_step", "result": "41 minutes"}, {"action": "next_step"}], "expected_version": 7}
    Update {
        /// JSON as it stands, @FILE, or -
        update: String,
    },
    /// End a task: its frames are cleared, its log stays
    End {
        /// What came of it
        #[arg(long, default_value = "success", value_name = "OUTCOME", value_parser = words!(Outcome))]
        outcome: Outcome,
        /// For a failure, why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Give up the step whose prompt is out, after its loop died
    AbandonStep,
}

#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// What is known: in force, pending and fading
    List {
        /// Only of this status; may be given several times
        #[arg(long, value_name = "STATUS", value_parser = words!(MemoryStatus))]
        status: Vec<MemoryStatus>,
        /// Of every status
        #[arg(long)]
        all: bool,
    },
    /// One memory with its evidence, and why it is as sure as it is
    Show {
        /// Its id, or the end of it
        #[arg(value_name = "MEMORY")]
        id: String,
    },
    /// Have something remembered, on an operator's word
    Add(NewMemoryArguments),
    /// It is so: a pending one comes into force, a doubted one is sure again
    Confirm {
        /// Its id, or the end of it
        #[arg(value_name = "MEMORY")]
        id: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// A pending one is not so
    Reject {
        /// Its id, or the end of it
        #[arg(value_name = "MEMORY")]
        id: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Take back what is known; nothing is deleted
    Retract {
        /// Its id, or the end of it
        #[arg(value_name = "MEMORY")]
        id: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Every version of one: who, why, from which event
    History {
        /// Its id, or the end of it
        #[arg(value_name = "MEMORY")]
        id: String,
    },
}

#[derive(Debug, Args)]
pub struct NewMemoryArguments {
    /// What is to be known, in a sentence
    pub content: String,
    /// What sort of thing it is
    #[arg(long, default_value = "fact", value_name = "KIND", value_parser = words!(MemoryKind))]
    pub kind: MemoryKind,
    /// Whom it is about [default: the user]
    #[arg(long, value_name = "TEXT")]
    pub subject: Option<String>,
    /// Which property it gives: home, employer, format; another value of the same is superseded by it
    #[arg(long, value_name = "TEXT")]
    pub attribute: Option<String>,
    /// Only for this kind of work: 周报, migration
    #[arg(long, value_name = "KIND", conflicts_with = "everywhere")]
    pub task_kind: Option<String>,
    /// In all work, also where its words name one kind of it
    #[arg(long)]
    pub everywhere: bool,
    /// Another name, by which it is found too; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub alias: Vec<String>,
    /// Other agents of the same user may be granted it; by itself this shows it to nobody
    #[arg(long)]
    pub shared: bool,
    /// 1 to 5
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub importance: Option<u8>,
}

#[derive(Debug, Args)]
pub struct FeedbackArguments {
    /// What they did
    #[arg(value_enum)]
    pub effect: EffectArgument,
    /// The memories' ids, or the ends of them
    #[arg(required = true, value_name = "MEMORY")]
    pub memory: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EffectArgument {
    Helped,
    Hurt,
    Ignored,
}

#[derive(Debug, Subcommand)]
pub enum LlmCommand {
    /// Ask it one small question: does it answer, how fast, in which form
    ///
    /// Exit code 3: it answered, but nothing could be taken from its reply.
    Check,
}
