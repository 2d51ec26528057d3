//! Arguments of the commands that look at what was done: `journal` and `report`.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use holdfast::types::ids::RunId;
use holdfast::types::operation::Verb;

use super::{one_or_more, words};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct JournalArguments {
    /// Of one run: its id, or latest
    #[arg(long, value_name = "RUN")]
    pub run: Option<RunArgument>,
    /// Only what was done in this way
    #[arg(long, value_name = "VERB", value_parser = words!(Verb))]
    pub verb: Option<Verb>,
    /// Operations at most, the newest
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = one_or_more)]
    pub limit: usize,
    #[command(subcommand)]
    pub command: Option<JournalCommand>,
}

#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    /// Check that no line was changed, added or taken out since it was written
    Verify,
    /// Drop the text of old lines, with what undo would need of them
    ///
    /// Their hashes stay, so `journal verify` still covers them. Receipts of erasures stay, what was brought back, and what was done to open
    /// tasks. To have it done by itself: HOLDFAST_JOURNAL_DAYS.
    Prune {
        /// Of what was done before this: 2026-11-09, 昨天, "last Friday"
        #[arg(long, value_name = "TIME")]
        before: String,
        /// Only say how far it would reach
        #[arg(long)]
        preview: bool,
        /// Why, for the journal
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// A run's id, latest, or all
    #[arg(long, default_value = "latest", value_name = "RUN")]
    pub run: RunArgument,
    /// As one HTML page, with a chart of what is in view with and without what was let go
    #[arg(long, conflicts_with = "json")]
    pub html: bool,
}

/// Which run is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunArgument {
    Latest,
    All,
    One(RunId),
}

impl FromStr for RunArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "latest" => Ok(Self::Latest),
            "all" => Ok(Self::All),
            id => id.parse().map(Self::One).map_err(|_| "it is neither latest nor all nor the id of a run"),
        }
    }
}
