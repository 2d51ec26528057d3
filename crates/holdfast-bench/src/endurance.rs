//! Long runs: does what the model reads stay small, and is a detail that was said once still there three stages later? With the manager, without
//! it, with a window of the last lines as large as the block may be, with a running summary and such a window, and with all that was said, over
//! the same steps. Without the manager recall is there all the same; the window and the summary have none.

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::{Context, Result};
use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine, ManageOptions};
use holdfast::env::Env;
use holdfast::manager::{Policy, Room, compress};
use holdfast::text::Tokenizer;
use holdfast::types::context::{BlockOptions, ContextBlock};
use holdfast::types::query::Query;
use holdfast::types::scope::Owner;
use jiff::SignedDuration;
use serde::Serialize;

use crate::stream::{Sources, Step, Stream, enter, task};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    sources: Sources,
    /// Steps of each run
    #[arg(long, value_delimiter = ',', default_value = "50,200,1000")]
    steps: Vec<usize>,
    /// The manager's policy
    #[arg(long, default_value = "research")]
    policy: String,
    /// Tokens of a block
    #[arg(long, default_value_t = 2_000)]
    budget: usize,
    /// With the built-in embedding model
    #[arg(long)]
    model: bool,
    /// Write the blocks of these steps to stderr
    #[arg(long, value_delimiter = ',')]
    show: Vec<usize>,
    /// One line of JSON an arm
    #[arg(long)]
    json: bool,
}

/// Between two steps, so that a thousand of them are a week.
const MINUTES_A_STEP: i64 = 10;
const START: &str = "2026-11-02T08:00:00Z";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arm {
    Managed,
    Unmanaged,
    Window,
    Summary,
    Whole,
}

#[derive(Debug, Default)]
struct Figures {
    tokens: Vec<usize>,
    asked: usize,
    found: usize,
}

#[derive(Debug, Serialize)]
struct Line {
    bench: &'static str,
    seed: u64,
    steps: usize,
    arm: &'static str,
    budget: usize,
    /// Mean tokens of a block in each quarter of the run, and the largest.
    tokens_by_quarter: Vec<f64>,
    tokens_max: usize,
    tokens_total: usize,
    asked: usize,
    found: usize,
    found_share: f64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let arms = [
        (Arm::Managed, "manager"),
        (Arm::Unmanaged, "no manager"),
        (Arm::Window, "last lines"),
        (Arm::Summary, "running summary"),
        (Arm::Whole, "whole history"),
    ];
    for steps in &arguments.steps {
        for (arm, name) in arms {
            let figures = match arm {
                Arm::Managed | Arm::Unmanaged => remembered(arguments, *steps, arm == Arm::Managed)?,
                Arm::Window | Arm::Summary => told(arguments, *steps, arm == Arm::Summary)?,
                Arm::Whole => sent_whole(arguments, *steps)?,
            };
            print(arguments, *steps, name, &figures)?;
        }
    }
    Ok(())
}

/// What Holdfast gives the model at each step.
fn remembered(arguments: &Arguments, steps: usize, managed: bool) -> Result<Figures> {
    let directory = tempfile::tempdir()?;
    let env = Arc::new(Env::fixed(arguments.sources.seed, START.parse()?));
    let base = Config::at(directory.path());
    let embedding = if arguments.model { base.embedding } else { Choice::None };
    let engine = Engine::open(Config { embedding, env: Arc::clone(&env), ..Config::at(directory.path()) })?;
    let policy = Policy::preset(&arguments.policy).context("no such preset")?;
    let scope = task()?;
    engine.start_task(&scope, "long work", Some("work through the requests and the log"), &[])?;
    let mut stream = Stream::new(&arguments.sources)?;
    let mut figures = Figures::default();
    let options = BlockOptions { budget_tokens: arguments.budget, ..BlockOptions::default() };
    let mut events = 0;
    for step in 0..steps {
        let Step { events: raws, text, stage, asked } = stream.step()?;
        let ends = stage.is_some();
        if let Some(stage) = stage {
            enter(&engine, &scope, stage)?;
        }
        let query = Query::new(scope.clone(), text, engine.now());
        let block = engine.context(&query, &options)?;
        if arguments.show.contains(&step) {
            show(step, &block);
        }
        figures.count(block.tokens, asked.map(|fact| block.text.contains(&fact.answer)));
        events += raws.len();
        for raw in raws {
            engine.observe(raw)?;
        }
        env.advance(SignedDuration::from_mins(MINUTES_A_STEP));
        let enough = policy.triggers.every_events > 0 && events >= policy.triggers.every_events as usize;
        if managed && (enough || ends && policy.triggers.on_stage_change) {
            events = 0;
            // As its triggers would have it, but now, so that the same seed gives the same.
            engine.manage(&Owner::default(), &policy, ManageOptions { force: true, ..ManageOptions::default() })?;
        }
        if arguments.model {
            engine.settle(|_| {})?;
        }
    }
    Ok(figures)
}

/// What an agent without a memory gives its model: the last lines, after a running summary of what was before them if it keeps one.
fn told(arguments: &Arguments, steps: usize, summed_up: bool) -> Result<Figures> {
    let mut stream = Stream::new(&arguments.sources)?;
    let tokenizer = Tokenizer::default();
    let mut figures = Figures::default();
    let (mut summary, mut lines): (String, VecDeque<String>) = (String::new(), VecDeque::new());
    for _ in 0..steps {
        let Step { events, stage, asked, text } = stream.step()?;
        if summed_up && stage.is_some() {
            let whole = std::iter::once(summary.clone()).chain(lines.drain(..)).collect::<Vec<_>>().join("\n\n");
            let room = Room::Tokens(tokenizer, arguments.budget / 2);
            summary = compress(&whole, room, &[]).unwrap_or_else(|| last_of(&whole, arguments.budget / 2, tokenizer));
        }
        let fixed = tokenizer.count(&summary) + tokenizer.count(&text);
        let mut used = fixed;
        let kept = lines.iter().rev().take_while(|line| {
            used += tokenizer.count(line) + 1;
            used <= arguments.budget
        });
        let mut block: Vec<&str> = kept.map(String::as_str).collect();
        block.push(&summary);
        let has = |answer: &str| block.iter().any(|line| line.contains(answer));
        let tokens = fixed + block[..block.len() - 1].iter().map(|line| tokenizer.count(line) + 1).sum::<usize>();
        figures.count(tokens, asked.map(|fact| has(&fact.answer)));
        lines.extend(events.into_iter().map(|event| event.content));
        // More than a budget holds is never looked at again.
        while !summed_up && lines.len() > arguments.budget {
            lines.pop_front();
        }
    }
    Ok(figures)
}

/// Everything that was said so far, with each step: what a window or a memory has to be cheaper than.
fn sent_whole(arguments: &Arguments, steps: usize) -> Result<Figures> {
    let mut stream = Stream::new(&arguments.sources)?;
    let tokenizer = Tokenizer::default();
    let mut figures = Figures::default();
    let (mut tokens, mut said) = (0, String::new());
    for _ in 0..steps {
        let Step { events, asked, text, .. } = stream.step()?;
        figures.count(tokens + tokenizer.count(&text), asked.map(|fact| said.contains(&fact.answer)));
        for event in events {
            tokens += tokenizer.count(&event.content) + 1;
            said.push_str(&event.content);
            said.push('\n');
        }
    }
    Ok(figures)
}

/// What can't be shortened keeps its end.
fn last_of(text: &str, tokens: usize, tokenizer: Tokenizer) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut used = 0;
    for line in text.rsplit("\n\n") {
        used += tokenizer.count(line) + 2;
        if used > tokens {
            break;
        }
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n\n")
}

impl Figures {
    fn count(&mut self, tokens: usize, found: Option<bool>) {
        self.tokens.push(tokens);
        self.asked += usize::from(found.is_some());
        self.found += usize::from(found == Some(true));
    }
}

#[expect(clippy::print_stderr, reason = "beside the figures")]
fn show(step: usize, block: &ContextBlock) {
    eprintln!("step {step}, {} tokens:\n{}\n", block.tokens, block.text);
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(arguments: &Arguments, steps: usize, arm: &'static str, figures: &Figures) -> Result<()> {
    let quarter = steps.div_ceil(4).max(1);
    let mean = |part: &[usize]| part.iter().sum::<usize>() as f64 / part.len().max(1) as f64;
    let line = Line {
        bench: "endurance",
        seed: arguments.sources.seed,
        steps,
        arm,
        budget: arguments.budget,
        tokens_by_quarter: figures.tokens.chunks(quarter).map(mean).collect(),
        tokens_max: figures.tokens.iter().copied().max().unwrap_or(0),
        tokens_total: figures.tokens.iter().sum(),
        asked: figures.asked,
        found: figures.found,
        found_share: figures.found as f64 / figures.asked.max(1) as f64,
    };
    if arguments.json {
        println!("{}", serde_json::to_string(&line)?);
        return Ok(());
    }
    let quarters: Vec<String> = line.tokens_by_quarter.iter().map(|mean| format!("{mean:>6.0}")).collect();
    println!(
        "{steps:>5} steps  {arm:<16} tokens {} (max {:>6}, in all {:>8})  found {} of {} ({:.3})",
        quarters.join(" "),
        line.tokens_max,
        line.tokens_total,
        line.found,
        line.asked,
        line.found_share
    );
    Ok(())
}
