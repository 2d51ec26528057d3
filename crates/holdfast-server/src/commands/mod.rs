//! One file for each command or family of commands.

mod config;
mod context;
mod doctor;
pub mod exchange;
mod forget;
mod key;
mod llm;
mod look;
pub mod manage;
mod memory;
mod observe;
mod recall;
mod replay;
mod status;
mod task;
mod undo;

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::{Cli, Command, ConfigCommand, LlmCommand};
use crate::printer::Printer;
use crate::settings::Settings;

pub use self::look::report_in_words;
pub use self::memory::in_words as memory_in_words;
pub use self::recall::verdict as verdict_in_words;
pub use self::replay::settle;

pub fn run(cli: &Cli, settings: &Settings, printer: Printer) -> Result<ExitCode> {
    let global = &cli.global;
    match &cli.command {
        Command::Replay(arguments) => return replay::run(global, arguments, printer),
        Command::Observe(arguments) => return observe::run(global, arguments, printer),
        Command::Context(arguments) => context::run(global, arguments, printer),
        Command::Recall(arguments) => recall::run(global, arguments, printer),
        Command::Task(command) => task::run(global, command, printer),
        Command::Memory(command) => memory::run(global, command, printer),
        Command::Learn { dry_run } => memory::learn(global, *dry_run, printer),
        Command::Feedback(arguments) => memory::feedback(global, arguments, printer),
        Command::Llm(LlmCommand::Check) => return llm::check(global, printer),
        Command::History { id } => look::history(global, id, printer),
        Command::Journal(arguments) => look::journal(global, arguments, printer),
        Command::Report(arguments) => look::report(global, arguments, printer),
        Command::Status => status::status(global, printer),
        Command::Reindex => status::reindex(global, printer),
        Command::Export { all } => exchange::export(global, *all, printer),
        Command::Import { file, trust, other_environment } => {
            return exchange::import(global, file, *trust, *other_environment, printer);
        }
        Command::Archive { older_than } => status::archive(global, *older_than, printer),
        Command::Manage(arguments) => manage::run(global, arguments, printer),
        Command::Forget(arguments) => forget::run(global, arguments, printer),
        Command::Undo(arguments) => undo::run(global, arguments, printer),
        Command::Restore { id } => status::restore(global, *id, printer),
        Command::Reveal { placeholder, why, by } => status::reveal(global, placeholder, by, why, printer),
        Command::Serve(arguments) => crate::serve::run(global, arguments, printer),
        Command::Mcp => crate::mcp::run(global),
        Command::Doctor => return doctor::run(global, printer),
        Command::Config(ConfigCommand::Show) => config::show(settings, printer),
        Command::Key(command) => key::run(global, command, printer),
        Command::Dump => status::dump(global, printer),
        Command::Completions { shell } => {
            // Into memory first: the generator panics when its reader has gone.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "holdfast", &mut script);
            printer.text(&String::from_utf8_lossy(&script)).map_err(Into::into)
        }
    }
    .map(|()| ExitCode::SUCCESS)
}
