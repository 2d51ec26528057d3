//! Measures Holdfast on this machine: what it finds, and how fast. Never published.

mod baseline;
mod beside;
mod data;
mod duplicates;
mod endurance;
mod forget;
mod growth;
mod memory;
mod metrics;
mod proxy;
mod retrieval;
mod speed;
mod stream;
mod texts;
mod update;

use clap::Parser;

/// Benchmarks of Holdfast.
#[derive(Debug, Parser)]
enum Command {
    /// Does recall find the evidence? On folders in the normal form of the data sets.
    Retrieval(retrieval::Arguments),
    /// What does long-term memory make of real talk? On folders in the normal form, or chats.
    Memory(memory::Arguments),
    /// Does what changed replace what it was? On talks, a project and facts whose values change.
    Update(update::Arguments),
    /// When do two memories say the same? By vectors and text, on pairs of statements.
    Duplicates(duplicates::Arguments),
    /// What does erasing a user cost, and what does it cost the others?
    Forget(forget::Arguments),
    /// What does the manager cost those it runs beside? Each preset against none, by turns.
    Beside(beside::Arguments),
    /// Does what the model reads stay small over a long run, and is a detail still there three stages later?
    Endurance(endurance::Arguments),
    /// How does a store grow with each preset and with none, and what do they let go, call back and refuse?
    Growth(growth::Arguments),
    /// What does the proxy cost, and what does it save? Recorded trajectories through a server, old messages left out or not.
    Proxy(proxy::Arguments),
    /// How fast is it, and how does that grow with the number of events?
    Speed(speed::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Retrieval(arguments) => retrieval::run(&arguments),
        Command::Memory(arguments) => memory::run(&arguments),
        Command::Update(arguments) => update::run(&arguments),
        Command::Duplicates(arguments) => duplicates::run(&arguments),
        Command::Forget(arguments) => forget::run(&arguments),
        Command::Beside(arguments) => beside::run(&arguments),
        Command::Endurance(arguments) => endurance::run(&arguments),
        Command::Growth(arguments) => growth::run(&arguments),
        Command::Proxy(arguments) => proxy::run(&arguments),
        Command::Speed(arguments) => speed::run(&arguments),
    }
}
