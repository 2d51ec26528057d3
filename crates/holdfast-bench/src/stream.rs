//! A long piece of work, step by step: talk and tool results of recorded trajectories, days of a life log, and made-up tool noise, with a fact here
//! and there that is said once and asked for three stages later. The same seed and the same files give the same.

use std::path::PathBuf;

use anyhow::{Context, Result};
use holdfast::engine::{Engine, Error};
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::task::ItemStatus;
use holdfast::types::update::{Action, Update};
use holdfast::working::Refusal;
use serde_json::Value;

use crate::texts::{Chance, Texts};

/// Steps of one stage.
pub const STEPS_A_STAGE: usize = 10;
/// A fact is asked for so many stages after it was said.
pub const STAGES_LATER: usize = 3;
/// Of a stage's steps, the one in which its fact is said.
const STEP_OF_FACT: usize = 4;
/// Of one text at most so much: a data set's pages are not what is measured.
const TEXT_CHARACTERS_MAX: usize = 1_500;

#[derive(Debug, Clone, clap::Args)]
pub struct Sources {
    /// A file of recorded trajectories (`[{"traj": [{"role", "content"}]}]`), chained
    #[arg(long)]
    trajectories: Option<PathBuf>,
    /// A file of documents, one a line (`{"text"}`), as days of a life log
    #[arg(long)]
    days: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Said once.
#[derive(Debug, Clone)]
pub struct Fact {
    pub said: String,
    pub question: String,
    /// What an answer must hold.
    pub answer: String,
}

#[derive(Debug)]
pub struct Step {
    pub events: Vec<RawEvent>,
    /// What the agent is at.
    pub text: String,
    /// The stage it begins.
    pub stage: Option<String>,
    pub asked: Option<Fact>,
}

#[derive(Debug)]
pub struct Stream {
    talk: Vec<(Source, Kind, String)>,
    days: Vec<String>,
    texts: Texts,
    chance: Chance,
    facts: Vec<Fact>,
    step: usize,
}

pub fn task() -> Result<Scope> {
    Ok(Scope { owner: Owner::default(), session: ScopeId::new("work")?, task: Some(ScopeId::new("work")?) })
}

/// Begins a stage. Talk of a recorded customer may have ended the task ("that was all, thanks"): the work goes on, so it is taken up again.
pub fn enter(engine: &Engine, scope: &Scope, stage: String) -> Result<()> {
    let update = |actions| engine.update(scope, &Update { actions, ..Update::default() });
    let stage = vec![Action::SetStage { stage, summary: None }];
    let entered = update(stage.clone());
    if let Err(Error::Update(Refusal::TaskEnded)) = entered {
        update(vec![Action::SetStatus { status: ItemStatus::Open }])?;
        update(stage)?;
        return Ok(());
    }
    entered?;
    Ok(())
}

impl Stream {
    pub fn new(sources: &Sources) -> Result<Self> {
        let mut talk = Vec::new();
        if let Some(path) = &sources.trajectories {
            let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
            let runs: Vec<Value> = serde_json::from_str(&text)?;
            for message in runs.iter().filter_map(|run| run["traj"].as_array()).flatten() {
                let (source, kind) = match message["role"].as_str() {
                    Some("user") => (Source::User, Kind::Note),
                    Some("assistant") => (Source::Agent, Kind::Response),
                    Some("tool") => (Source::Tool, Kind::ToolResult),
                    _ => continue,
                };
                talk.extend(message["content"].as_str().and_then(cut).map(|text| (source, kind, text)));
            }
        }
        let mut days = Vec::new();
        if let Some(path) = &sources.days {
            let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
            for line in text.lines() {
                let document: Value = serde_json::from_str(line)?;
                days.extend(document["text"].as_str().and_then(cut));
            }
        }
        let (texts, chance) = (Texts::new(sources.seed), Chance::new(sources.seed));
        Ok(Self { talk, days, texts, chance, facts: Vec::new(), step: 0 })
    }

    pub fn step(&mut self) -> Result<Step> {
        let (step, stage) = (self.step, self.step / STEPS_A_STAGE);
        self.step += 1;
        let scope = task()?;
        let begins = step.is_multiple_of(STEPS_A_STAGE);
        let mut lines = Vec::new();
        let at = |list: usize, number: usize| if list == 0 { None } else { Some(number % list) };
        // Two lines of talk, so that a question comes with its answer.
        lines.extend(at(self.talk.len(), 2 * step).map(|place| self.talk[place].clone()));
        lines.extend(at(self.talk.len(), 2 * step + 1).map(|place| self.talk[place].clone()));
        lines.extend(at(self.days.len(), step).map(|place| (Source::Tool, Kind::ToolResult, self.days[place].clone())));
        lines.push((Source::Tool, Kind::ToolResult, self.texts.text()));
        if step % STEPS_A_STAGE == STEP_OF_FACT {
            let fact = self.fact(stage);
            let (source, kind) =
                if stage.is_multiple_of(2) { (Source::Tool, Kind::ToolResult) } else { (Source::User, Kind::Note) };
            lines.push((source, kind, fact.said.clone()));
            self.facts.push(fact);
        }
        let events = lines.into_iter().map(|(source, kind, text)| RawEvent::new(scope.clone(), source, kind, text));
        let asked = stage.checked_sub(STAGES_LATER).filter(|_| begins).and_then(|of| self.facts.get(of)).cloned();
        let text = asked.as_ref().map_or_else(|| self.texts.question(), |fact| fact.question.clone());
        Ok(Step { events: events.collect(), text, stage: begins.then(|| format!("stage {stage}")), asked })
    }

    fn fact(&mut self, stage: usize) -> Fact {
        const SURNAMES: [&str; 8] = ["韩", "陆", "沈", "贺", "邱", "温", "岑", "祁"];
        const GIVEN: [&str; 8] = ["砚秋", "若棠", "景澄", "予安", "知远", "听澜", "牧野", "书瑶"];
        const NAMES: [&str; 8] = ["Orla", "Bastian", "Imke", "Tobiah", "Wren", "Caspar", "Lumi", "Eskil"];
        const FAMILIES: [&str; 8] =
            ["Quell", "Hartvig", "Somerlad", "Bracken", "Tavish", "Ollerton", "Vance", "Mirkwell"];
        let code = format!("QX-{}{}", 10 + stage, 100 + self.chance.below(900));
        let (a, b) = (stage % 8, (stage / 8 + self.chance.below(2)) % 8);
        match stage % 4 < 2 {
            true => Fact {
                said: format!("{}{}的储物柜编号是 {code}。", SURNAMES[a], GIVEN[b]),
                question: format!("{}{}的储物柜编号是多少？", SURNAMES[a], GIVEN[b]),
                answer: code,
            },
            false => Fact {
                said: format!("The locker of {} {} is number {code}.", NAMES[a], FAMILIES[b]),
                question: format!("What is the number of the locker of {} {}?", NAMES[a], FAMILIES[b]),
                answer: code,
            },
        }
    }
}

fn cut(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(TEXT_CHARACTERS_MAX).filter(|c| *c != '\0').collect();
    (!text.is_empty()).then_some(text)
}
