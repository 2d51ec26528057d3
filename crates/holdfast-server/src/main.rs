//! `holdfast`: the command line of the memory engine.
//!
//! Exit codes: 0 done; 1 failed (store, files); 2 wrong usage; 3 done, but parts of the input could not be read or applied; 4
//! refused, nothing was changed (a bad event, a stale update, a step out of order).

mod cli;
mod commands;
mod failure;
mod open;
mod printer;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::cli::Cli;
use crate::failure::exit_code;
use crate::printer::Printer;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| cli::with_hint(error).exit());
    let filter = EnvFilter::try_from_env("HOLDFAST_LOG").unwrap_or_else(|_| EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    let printer = Printer { json: cli.global.json };
    match commands::run(&cli, printer) {
        Ok(code) => code,
        // A reader that has seen enough, like `head`, is no failure.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            printer.say(format_args!("holdfast: {}{}", failure::told(&error), failure::hint(&error)));
            exit_code(&error)
        }
    }
}
