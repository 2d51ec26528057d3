//! Arguments of the commands that serve others: `serve` and `key`.

use std::ffi::OsString;
use std::net::SocketAddr;

use clap::{Args, Subcommand};
use jiff::SignedDuration;

use crate::keys::Role;

#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Where to listen. Beyond this machine, only with API keys: make one with `key create`
    #[arg(long, env = "HOLDFAST_LISTEN", default_value = "127.0.0.1:8765", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Let go in the background by this policy: support, research, tutoring, aggressive, or a TOML file [default: only when asked]
    #[arg(long, env = "HOLDFAST_POLICY", value_name = "POLICY")]
    pub policy: Option<String>,
    /// Requests a second that one key may make; twice as many in a burst
    #[arg(long, env = "HOLDFAST_REQUESTS_PER_SECOND", default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub requests_per_second: u32,
    /// Requests at a time that one key may make
    #[arg(long, env = "HOLDFAST_REQUESTS_AT_ONCE", default_value_t = 64, value_name = "N", value_parser = super::one_or_more)]
    pub requests_at_once: usize,
    /// Bytes of one request, where it is not a stream of lines
    #[arg(long, env = "HOLDFAST_BODY_BYTES", default_value_t = 4 * 1024 * 1024, value_name = "BYTES", value_parser = super::one_or_more)]
    pub body_bytes: usize,
    /// Let pages of this origin ask (scheme, host and port); may be given several times [default: none]
    #[arg(long, env = "HOLDFAST_ALLOW_ORIGIN", value_delimiter = ',', value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// The OpenAI-compatible service behind /openai/v1. The client's key goes to it, or the one in HOLDFAST_UPSTREAM_KEY
    #[arg(long, env = "HOLDFAST_UPSTREAM", default_value = "https://api.openai.com/v1", value_name = "URL")]
    pub upstream: String,
    /// Its key. Not for the command line, which all on a machine can read.
    #[arg(long, env = "HOLDFAST_UPSTREAM_KEY", hide = true, hide_env_values = true, value_name = "KEY")]
    pub upstream_key: Option<OsString>,
    /// Tokens of the block in a request that goes through /openai/v1; 0 adds none
    #[arg(long, env = "HOLDFAST_BLOCK_TOKENS", default_value_t = 1_000, value_name = "N")]
    pub block_tokens: usize,
    /// Leave old messages out of such a request when its prompt is longer than this [default: never]
    #[arg(long, env = "HOLDFAST_TRIM_TOKENS", value_name = "N")]
    pub trim_tokens: Option<usize>,
    /// How long such a request waits for its memory before it goes on without
    #[arg(long, env = "HOLDFAST_MEMORY_WAIT", default_value = "2s", value_name = "TIME", value_parser = duration)]
    pub memory_wait: SignedDuration,
    /// End when stdin does: for a program that starts a server of its own, and may be killed before it can stop it
    #[arg(long)]
    pub until_stdin_closes: bool,
    /// One JSON object a line in the log, instead of text
    #[arg(long, env = "HOLDFAST_LOG_JSON")]
    pub log_json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Each setting with its value, and whether a flag, the environment, the file or the default gives it
    Show,
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key for the chosen tenant; it is printed once, and only its hash is kept
    ///
    /// With --user or --agent it opens only their memory.
    Create {
        /// What its holder may do: look; also record; also change, erase and export
        #[arg(long, default_value = "agent", value_enum)]
        role: Role,
        /// What it is for
        #[arg(long, default_value = "", value_name = "TEXT")]
        label: String,
        /// How long it is valid: 90d, 12h, 30m [default: until it is revoked]
        #[arg(long, value_name = "TIME", value_parser = duration)]
        expires_in: Option<SignedDuration>,
    },
    /// The keys of the store, valid or not
    List,
    /// A new key for what an old one opens
    Rotate {
        /// The old key's id
        id: String,
        /// How long the old one still opens it
        #[arg(long, default_value = "24h", value_name = "TIME", value_parser = duration)]
        grace: SignedDuration,
    },
    /// From now on a key opens nothing
    Revoke {
        /// The key's id
        id: String,
    },
}

fn duration(text: &str) -> Result<SignedDuration, &'static str> {
    const HINT: &str = "write a whole number and d, h, m or s: 90d, 12h, 30m";
    let at = text.find(|c: char| !c.is_ascii_digit()).ok_or(HINT)?;
    let count: i64 = text[..at].parse().map_err(|_| HINT)?;
    let seconds = match &text[at..] {
        "d" => 86_400,
        "h" => 3_600,
        "m" => 60,
        "s" => 1,
        _ => return Err(HINT),
    };
    count.checked_mul(seconds).map(SignedDuration::from_secs).ok_or(HINT)
}
