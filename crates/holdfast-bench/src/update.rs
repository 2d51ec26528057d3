//! Does what changed replace what it was? Each talk is told to a fresh store, message by message; then questions are asked whose answer
//! changed on the way, and the block that is served is read: the new value must come first, and the old one must not pass for current.
//! Rules alone; with a recorded language model once more beside them, and what only it sees is counted apart.

mod answers;
mod score;
mod sets;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use holdfast::embedding;
use holdfast::engine::{BATCH_EVENTS_MAX, Config, Engine};
use holdfast::llm::Llm;
use holdfast::types::context::{BlockItem, BlockOptions, ContextBlock};
use holdfast::types::ids::EventId;
use holdfast::types::memory::{Memory, MemoryFilter, MemoryStatus};
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use jiff::ZonedDateTime;
use serde::Serialize;

use crate::metrics::{Share, interval, mean};
use answers::{Answers, Beside, Proposed};
use score::{CHANGE_EN, CHANGE_ZH, Line, Outcome};
use sets::{Asked, Class, Talk};

#[derive(Debug, clap::Args)]
#[command(after_help = classes())]
pub struct Arguments {
    /// Files of sessions and questions (qmemory_zh), folders of a project (lhmsb/software_mem0_v2), folders of numbered facts
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// One line of JSON a set
    #[arg(long)]
    json: bool,
    /// Without the embedding model
    #[arg(long)]
    no_model: bool,
    /// Write each question and what was served for it as a line of JSON here: to be read by hand
    #[arg(long, value_name = "FILE")]
    written: Option<PathBuf>,
    /// Once more with a language model that answers as is recorded here
    #[arg(long, value_name = "CASSETTE")]
    llm: Option<PathBuf>,
    /// Write each prompt that has no answer there as a line of JSON here, and go on without one
    #[arg(long, value_name = "FILE", requires = "llm")]
    prompts: Option<PathBuf>,
}

/// How a report names the model where rules were alone.
const NO_LLM: &str = "none";
/// Tokens of the block that is read.
const BLOCK_TOKENS: usize = 1_000;

/// One set's line.
#[derive(Debug, Serialize)]
struct Report {
    set: String,
    embedding: &'static str,
    /// The model whose replies were played back, or "none".
    llm: String,
    messages: usize,
    memories: usize,
    /// The updates: stated, and told in passing.
    update: Shares,
    classes: BTreeMap<&'static str, Shares>,
    /// What came of the model's proposals, and its questions beside those of the rules: the updates and each class.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed: Option<Proposed>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    beside_rules: BTreeMap<&'static str, Beside>,
}

/// What was asked of one talk, in the order of its questions.
struct Measured {
    outcomes: Vec<(Class, Outcome)>,
    memories: usize,
    proposed: Proposed,
}

#[derive(Debug, Serialize)]
struct Shares {
    n: usize,
    served: Share,
    first: Share,
    stale_as_current: Share,
    /// First, and nothing stale.
    updated: Share,
}

/// One question, to be read by hand.
#[derive(Serialize)]
struct Written<'a> {
    set: &'a str,
    llm: &'a str,
    id: &'a str,
    class: &'a str,
    query: &'a str,
    #[serde(flatten)]
    outcome: Outcome,
    new: &'a [Vec<String>],
    old: Vec<&'a [Vec<String>]>,
    /// The messages that hold the values, by place.
    told: BTreeMap<usize, &'a str>,
    /// What was drawn from them.
    memories: Vec<String>,
    block: &'a [Line],
}

fn classes() -> String {
    format!(
        "Classes: `stated`: one of the words of change ({}; {}) stands in the clause with the new value, or in the one before that \
         announces it. `told in passing`: none does. `history`: the question asks for the former values too. `unchanged`: there was no value before. The figure of a \
         set is over the first two.",
        CHANGE_ZH.join(" "),
        CHANGE_EN.join(", ")
    )
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let answers = arguments.llm.as_deref().map(|path| Answers::open(path, arguments.prompts.clone())).transpose()?;
    for input in &arguments.inputs {
        for talk in sets::read(input)? {
            let by_rules = measure(&talk, arguments, None)?;
            print(&report(&talk, arguments, &by_rules), arguments.json)?;
            let Some(answers) = &answers else { continue };
            let with_llm = measure(&talk, arguments, Some(answers))?;
            let beside = |wanted: &dyn Fn(Class) -> bool| {
                let pairs = by_rules.outcomes.iter().zip(&with_llm.outcomes).filter(|((class, _), _)| wanted(*class));
                Beside::of(pairs.map(|((_, rules), (_, llm))| (rules.is_updated(), llm.is_updated())))
            };
            let classes = Class::ALL.into_iter().map(|class| (class.as_str(), beside(&|other| other == class)));
            let all = classes.chain([("update", beside(&Class::is_update))]);
            let report = Report {
                llm: answers.name().to_owned(),
                beside_rules: all.filter(|(_, beside)| beside.n > 0).collect(),
                proposed: Some(with_llm.proposed.clone()),
                ..report(&talk, arguments, &with_llm)
            };
            print(&report, arguments.json)?;
        }
    }
    Ok(())
}

fn report(talk: &Talk, arguments: &Arguments, measured: &Measured) -> Report {
    let of = |wanted: &dyn Fn(Class) -> bool| {
        let wanted = measured.outcomes.iter().filter(|(class, _)| wanted(*class));
        Shares::of(&wanted.map(|(_, outcome)| *outcome).collect::<Vec<_>>())
    };
    let classes = Class::ALL.into_iter().map(|class| (class.as_str(), of(&|other| other == class)));
    Report {
        set: talk.name.clone(),
        embedding: if arguments.no_model { "none" } else { "built-in" },
        llm: NO_LLM.to_owned(),
        messages: talk.messages.len(),
        memories: measured.memories,
        update: of(&Class::is_update),
        classes: classes.filter(|(_, shares)| shares.n > 0).collect(),
        proposed: None,
        beside_rules: BTreeMap::new(),
    }
}

fn measure(talk: &Talk, arguments: &Arguments, answers: Option<&Answers>) -> Result<Measured> {
    let directory = tempfile::tempdir()?;
    let mut config = Config::at(directory.path());
    if arguments.no_model {
        config.embedding = embedding::Choice::None;
    }
    let engine = Engine::open(config)?;
    let owner = talk.messages.first().map(|message| message.scope.owner.clone()).unwrap_or_default();
    let (mut outcomes, mut proposed) = (Vec::new(), Proposed::default());
    let mut told = 0;
    for asked in &talk.asked {
        if asked.after > told {
            tell(&engine, &owner, talk, told..asked.after)?;
            if let Some(answers) = answers {
                proposed.add(&engine.induce(&owner, answers)?);
            }
            told = asked.after;
        }
        let latest = talk.messages[..told].iter().filter_map(|message| message.occurred_at.clone()).next_back();
        let block = ask(&engine, &owner, asked, latest.unwrap_or_else(|| engine.now()))?;
        let lines = lines_of(&engine, &owner, &block)?;
        let outcome = Outcome::of(&lines, &asked.new, &asked.old);
        outcomes.push((asked.class, outcome));
        if let Some(path) = &arguments.written {
            let llm = answers.map_or(NO_LLM, Answers::name);
            write(path, talk, asked, outcome, &lines, llm, &engine, &owner)?;
        }
    }
    let memories = engine.memories(&owner, &MemoryFilter::default())?.len();
    Ok(Measured { outcomes, memories, proposed })
}

fn tell(engine: &Engine, owner: &Owner, talk: &Talk, places: std::ops::Range<usize>) -> Result<()> {
    for batch in talk.messages[places].chunks(BATCH_EVENTS_MAX.min(200)) {
        for result in engine.observe_many(batch.iter().map(|message| (message.clone(), None)).collect())? {
            result?;
        }
    }
    engine.settle(|_| ())?;
    engine.learn(owner)?;
    Ok(())
}

fn ask(engine: &Engine, owner: &Owner, asked: &Asked, now: ZonedDateTime) -> Result<ContextBlock> {
    let scope = Scope { owner: owner.clone(), session: ScopeId::new("bench question")?, task: None };
    let options = BlockOptions { budget_tokens: BLOCK_TOKENS, ..BlockOptions::default() };
    Ok(engine.context(&Query::new(scope, &asked.query, now), &options)?)
}

/// The block as a reader sees it, each line with the messages it was drawn from.
fn lines_of(engine: &Engine, owner: &Owner, block: &ContextBlock) -> Result<Vec<Line>> {
    let texts: Vec<&str> = block.text.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    // A line may list several items of a task; then it can't be told by counting which line is whose.
    let told_apart = texts.len() == block.served.len();
    let mut lines = Vec::new();
    for (at, text) in texts.into_iter().enumerate() {
        let messages = match block.served.get(at).map(|served| &served.item) {
            Some(BlockItem::Event { id }) if told_apart => places(engine, owner, &[*id])?,
            Some(BlockItem::Memory { id }) if told_apart => match engine.memory(owner, *id)? {
                Some(memory) => places(engine, owner, &sources(&memory))?,
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        lines.push(Line { text: text.to_owned(), messages });
    }
    Ok(lines)
}

fn sources(memory: &Memory) -> Vec<EventId> {
    memory.sources.iter().filter_map(|source| source.event).collect()
}

fn places(engine: &Engine, owner: &Owner, events: &[EventId]) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for id in events {
        let key = engine.event(owner, *id)?.and_then(|stored| stored.event.idempotency_key);
        places.extend(key.and_then(|key| key.parse::<usize>().ok()));
    }
    Ok(places)
}

#[expect(clippy::too_many_arguments, reason = "each is a part of one line, and is used once")]
fn write(
    path: &Path,
    talk: &Talk,
    asked: &Asked,
    outcome: Outcome,
    block: &[Line],
    llm: &str,
    engine: &Engine,
    owner: &Owner,
) -> Result<()> {
    let claims = || asked.old.iter().chain([&asked.new]);
    let told: BTreeMap<usize, &str> = talk.messages[..asked.after]
        .iter()
        .enumerate()
        .filter(|(place, message)| claims().any(|claim| claim.is_told(*place, &message.content)))
        .map(|(place, message)| (place, message.content.as_str()))
        .collect();
    let mut memories = Vec::new();
    for memory in engine.memories(owner, &MemoryFilter::default())? {
        if places(engine, owner, &sources(&memory))?.iter().any(|place| told.contains_key(place)) {
            let end = if memory.status == MemoryStatus::Active { "" } else { memory.reason.as_deref().unwrap_or("") };
            memories.push(format!(
                "{} {} · {} = {} · {} {end}",
                memory.status, memory.subject, memory.attribute, memory.value, memory.content
            ));
        }
    }
    let written = Written {
        set: &talk.name,
        llm,
        id: &asked.id,
        class: asked.class.as_str(),
        query: &asked.query,
        outcome,
        new: &asked.new.words,
        old: asked.old.iter().map(|claim| claim.words.as_slice()).collect(),
        told,
        memories,
        block,
    };
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", serde_json::to_string(&written)?)?;
    Ok(())
}

impl Shares {
    fn of(outcomes: &[Outcome]) -> Self {
        let share = |get: fn(&Outcome) -> bool| {
            let values: Vec<f64> = outcomes.iter().map(|outcome| f64::from(get(outcome))).collect();
            Share { share: mean(&values), interval: interval(&values) }
        };
        Self {
            n: outcomes.len(),
            served: share(|outcome| outcome.served),
            first: share(|outcome| outcome.first),
            stale_as_current: share(|outcome| outcome.stale_as_current),
            updated: share(|outcome| outcome.is_updated()),
        }
    }
}

#[expect(clippy::print_stdout, reason = "the bench's output")]
fn print(report: &Report, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(report)?);
        return Ok(());
    }
    println!(
        "{}: {} messages, {} memories, embedding {}, language model {}",
        report.set, report.messages, report.memories, report.embedding, report.llm
    );
    println!("{:<18} {:>4}  {:<21} {:<21} {:<21} updated", "", "n", "served", "first", "stale as current");
    let row = |name: &str, shares: &Shares| {
        println!(
            "{name:<18} {:>4}  {:<21} {:<21} {:<21} {}",
            shares.n, shares.served, shares.first, shares.stale_as_current, shares.updated
        );
    };
    row("updates", &report.update);
    for (name, shares) in &report.classes {
        row(name, shares);
    }
    for (name, beside) in &report.beside_rules {
        println!("{name:<18} {:>4}  {beside}", beside.n);
    }
    println!();
    Ok(())
}
