//! `holdfast`: the command line of the memory engine.
//!
//! Exit codes: 0 done; 1 failed (store, files); 2 wrong usage; 3 done, but parts of the input could not be read or applied; 4
//! refused, nothing was changed (a bad event, a stale update, a step out of order).

mod cli;
mod commands;
mod failure;
mod keys;
mod mcp;
mod open;
mod printer;
mod proxy;
mod serve;
mod settings;
mod wire;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};
use crate::failure::exit_code;
use crate::printer::Printer;

/// A command says what it has to say by itself; a server's log is all there is of it, so it has times and tells more.
fn log(cli: &Cli) {
    let serves = match &cli.command {
        Command::Serve(arguments) => Some(arguments),
        _ => None,
    };
    let default = if serves.is_some() { "info" } else { "error" };
    let filter = EnvFilter::try_from_env("HOLDFAST_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match serves {
        None => log.without_time().init(),
        Some(arguments) if arguments.log_json => log.json().flatten_event(true).init(),
        Some(_) => log.with_target(false).init(),
    }
}

fn main() -> ExitCode {
    let (cli, settings) = match settings::read() {
        Ok(read) => read,
        Err(error) => {
            Printer { json: false }.say(format_args!("holdfast: {}", failure::told(&error)));
            return exit_code(&error);
        }
    };
    log(&cli);
    let printer = Printer { json: cli.global.json };
    match commands::run(&cli, &settings, printer) {
        Ok(code) => code,
        // A reader that has seen enough, like `head`, is no failure.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            printer.say(format_args!("holdfast: {}{}", failure::told(&error), failure::hint(&error)));
            exit_code(&error)
        }
    }
}
