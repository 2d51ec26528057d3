//! Does recall find the evidence? Each scope of a set becomes a user's store, filled the way a caller fills it; each question is asked
//! at its time. Plain BM25 answers the same questions in the same run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use holdfast::engine::{BATCH_EVENTS_MAX, Config, Engine, ManageOptions};
use holdfast::env::Env;
use holdfast::manager::Policy;
use holdfast::types::context::BlockOptions;
use holdfast::types::query::{Found, Limits, Query, Recalled};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::ZonedDateTime;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::baseline::Bm25;
use crate::data::{Half, Question, Set};
use crate::metrics::{Scores, Summary, mean, percentile};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders in the normal form: docs.jsonl and queries.jsonl.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// One line of JSON a set.
    #[arg(long)]
    json: bool,
    /// Which half of the scopes (of the questions, where there is one scope).
    #[arg(long, value_enum, default_value = "held")]
    half: Half,
    /// At most so many questions a set.
    #[arg(long)]
    limit: Option<usize>,
    /// Keep the filled stores here, and use those that are there.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Without the embedding model.
    #[arg(long)]
    no_model: bool,
    /// Let the manager live through the set by this preset, before it is asked: is what is let go still found?
    #[arg(long)]
    manager: Option<String>,
    /// Write what was found for each question here, a line of JSON each: to compare two versions question by question.
    #[arg(long)]
    found: Option<PathBuf>,
}

/// One set's line.
#[derive(Debug, Serialize)]
struct Line {
    set: String,
    half: String,
    #[serde(flatten)]
    summary: Summary,
    /// Recall without the embedding of the question.
    p50_ms: f64,
    p99_ms: f64,
    baseline: Summary,
    categories: BTreeMap<String, Summary>,
    baseline_categories: BTreeMap<String, Summary>,
    #[serde(flatten)]
    special: BTreeMap<String, f64>,
}

/// One question's answer.
#[derive(Debug, Serialize)]
struct FoundLine {
    set: String,
    scope: String,
    qid: String,
    relevance: f32,
    /// The times the question names, as they were read.
    time: Option<String>,
    /// Position and parts of the best candidates.
    parts: Vec<(i64, Vec<(String, f32)>)>,
    found: Vec<String>,
}

/// Hits asked for: what the metrics look at.
const HITS: usize = 10;
/// Tokens of the context block in which an answer is looked for.
const BLOCK_TOKENS: usize = 1_000;

pub fn run(arguments: &Arguments) -> Result<()> {
    for folder in &arguments.folders {
        for set in Set::load(folder)? {
            let (line, found) = measure(&set, arguments)?;
            print(&line, arguments.json)?;
            if let Some(path) = &arguments.found {
                append(path, &found)?;
            }
        }
    }
    Ok(())
}

fn measure(set: &Set, arguments: &Arguments) -> Result<(Line, Vec<FoundLine>)> {
    let mut questions = set.half(arguments.half);
    questions.truncate(arguments.limit.unwrap_or(usize::MAX));
    let asked: BTreeSet<&str> = questions.iter().map(|question| question.scope.as_str()).collect();
    if asked.is_empty() {
        bail!("{} has no questions in this half", set.name);
    }
    let mut figures = Figures::default();
    for scope in asked {
        let directory = tempfile::tempdir()?;
        let at = arguments
            .keep
            .as_ref()
            .map_or_else(|| directory.path().to_owned(), |keep| keep.join(&set.name).join(scope.replace('/', "_")));
        let mut config = Config::at(at);
        if arguments.no_model {
            config.embedding = holdfast::embedding::Choice::None;
        }
        let mut life = None;
        if let Some(name) = &arguments.manager {
            let policy = Policy::preset(name).with_context(|| format!("there is no preset {name}"))?;
            let happened = set.scopes.get(scope).into_iter().flatten().filter_map(|event| event.occurred_at.as_ref());
            let first = happened.map(ZonedDateTime::timestamp).min().unwrap_or_else(|| config.env.now());
            let env = Arc::new(Env::fixed(1, first));
            config.env = Arc::clone(&env);
            life = Some((policy, env));
        }
        let engine = Engine::open(config)?;
        let latest = fill(&engine, set, scope, life.as_ref())?;
        let bm25 = Bm25::new(set.texts.get(scope).map_or(&[], Vec::as_slice));
        for question in questions.iter().filter(|question| question.scope == scope) {
            ask(&engine, set, question, &latest, &bm25, &mut figures)?;
        }
    }
    let found = std::mem::take(&mut figures.found);
    Ok((figures.into_line(set, arguments.half), found))
}

fn scope_of(user: &str) -> Result<Scope> {
    let owner = Owner { user: ScopeId::new(user)?, ..Owner::default() };
    Ok(Scope { owner, session: ScopeId::new("bench question")?, task: None })
}

/// Records the scope's documents; when the last of them happened.
///
/// With a manager, the clock goes with them, and it has its turn as the log grows.
fn fill(engine: &Engine, set: &Set, user: &str, life: Option<&(Policy, Arc<Env>)>) -> Result<ZonedDateTime> {
    let owner = scope_of(user)?.owner;
    let events = set.scopes.get(user).map_or(&[][..], Vec::as_slice);
    let bar = progress(&format!("{} {user}: events", set.name), events.len());
    let latest = events.iter().filter_map(|event| event.occurred_at.clone()).max_by_key(ZonedDateTime::timestamp);
    for batch in events.chunks(BATCH_EVENTS_MAX.min(200)) {
        for result in engine.observe_many(batch.iter().map(|event| (event.clone(), None)).collect())? {
            result?;
        }
        bar.inc(batch.len() as u64);
        if let Some((policy, env)) = life {
            let happened = batch.iter().filter_map(|event| event.occurred_at.as_ref()).map(ZonedDateTime::timestamp);
            let passed = happened.max().map(|latest| latest.duration_since(env.now()));
            env.advance(passed.filter(|passed| passed.is_positive()).unwrap_or_default());
            // Without vectors, what an event is worth would be judged by its words alone.
            engine.settle(|_| {})?;
            engine.manage(&owner, policy, ManageOptions { force: true, ..ManageOptions::default() })?;
        }
    }
    bar.finish_and_clear();
    let bar = progress(&format!("{} {user}: vectors", set.name), events.len());
    engine.settle(|progress| bar.set_position(progress.done))?;
    bar.finish_and_clear();
    Ok(latest.unwrap_or_else(|| engine.now()))
}

fn progress(what: &str, length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length as u64).with_style(style).with_message(what.to_owned())
}

fn ask(
    engine: &Engine,
    set: &Set,
    question: &Question,
    latest: &ZonedDateTime,
    bm25: &Bm25,
    figures: &mut Figures,
) -> Result<()> {
    let asked_at = question.asked_at().and_then(|at| at.to_zoned_datetime(TimeZone::UTC).ok());
    let query = Query {
        preceding: question.preceding(),
        limits: Limits { events: HITS, facts: 0, rules: 0, memories: 0, total: HITS },
        ..Query::new(scope_of(&question.scope)?, &question.query, asked_at.unwrap_or_else(|| latest.clone()))
    };
    let embedded = engine.embed_query(&query)?;
    let start = Instant::now();
    let recalled = engine.recall_with(&query, embedded.as_ref())?;
    figures.milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
    let found = ids(&recalled);
    figures.found.push(FoundLine {
        set: set.name.clone(),
        scope: question.scope.clone(),
        qid: question.qid.clone(),
        relevance: best_relevance(&recalled),
        time: recalled.explain.time.clone(),
        parts: recalled.explain.candidates.iter().take(40).map(|c| (c.seq.0, c.parts.clone())).collect(),
        found: found.clone(),
    });
    let evidence: BTreeSet<&str> = question.evidence.iter().map(String::as_str).collect();
    if !evidence.is_empty() {
        let plain = bm25.search(&question.query, HITS);
        figures.scores.push((question.category.clone(), Scores::of(&found, &evidence), Scores::of(&plain, &evidence)));
    }
    special(engine, set, question, &query, &recalled, &found, figures)
}

/// The best candidate's words and meaning together: what the relevance threshold looks at.
fn best_relevance(recalled: &Recalled) -> f32 {
    let of = |parts: &[(String, f32)]| -> f32 {
        parts.iter().filter(|(name, _)| name == "words" || name == "meaning").map(|(_, part)| part).sum()
    };
    recalled.explain.candidates.iter().map(|candidate| of(&candidate.parts)).fold(0.0, f32::max)
}

fn append(path: &Path, lines: &[FoundLine]) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    for line in lines {
        writeln!(file, "{}", serde_json::to_string(line)?)?;
    }
    Ok(())
}

fn ids(recalled: &Recalled) -> Vec<String> {
    let id = |found: &Found| match found {
        Found::Event { event, .. } => event.event.idempotency_key.clone(),
        Found::Fact { .. } | Found::Memory { .. } => None,
    };
    recalled.hits.iter().filter_map(|hit| id(&hit.found)).collect()
}

/// What only some sets can tell.
fn special(
    engine: &Engine,
    set: &Set,
    question: &Question,
    query: &Query,
    recalled: &Recalled,
    found: &[String],
    figures: &mut Figures,
) -> Result<()> {
    let answers = question.answers();
    if set.name.starts_with("factconsolidation") {
        let first = recalled.hits.first().and_then(|hit| match &hit.found {
            Found::Event { event, .. } => Some(event.event.content.to_lowercase()),
            Found::Fact { .. } | Found::Memory { .. } => None,
        });
        let newest = first.is_some_and(|text| answers.iter().any(|answer| text.contains(&answer.to_lowercase())));
        figures.add("newest_first", f64::from(newest));
    }
    if set.name.starts_with("bfcl") && !answers.is_empty() {
        let options = BlockOptions { budget_tokens: BLOCK_TOKENS, ..BlockOptions::default() };
        let text = engine.context(query, &options)?.text;
        figures.add("answer_in_block", f64::from(answers.iter().any(|answer| holds(&text, answer, false))));
        figures.add("answer_in_block_normalised", f64::from(answers.iter().any(|answer| holds(&text, answer, true))));
    }
    if set.name.starts_with("beam") && question.category.contains("update") {
        let ids = |key: &str| -> BTreeSet<String> {
            let sources = question.extra.get("source_chat_ids").and_then(|ids| ids.get(key));
            let list = sources.and_then(|value| value.as_array()).into_iter().flatten();
            list.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)).collect()
        };
        let (old, new) = (ids("original_info"), ids("updated_info"));
        let (old, new): (BTreeSet<_>, BTreeSet<_>) =
            (old.difference(&new).cloned().collect(), new.difference(&old).cloned().collect());
        if !old.is_empty() && !new.is_empty() {
            let rank = |ids: &BTreeSet<String>| found.iter().position(|id| ids.contains(id)).unwrap_or(usize::MAX);
            figures.add("new_above_old", f64::from(rank(&new) < rank(&old)));
            figures.add("stale_in_top_5", f64::from(rank(&old) < 5));
        }
    }
    Ok(())
}

/// Whether a block holds an answer: as a string, or with numbers and times written in one way.
fn holds(block: &str, answer: &str, normalised: bool) -> bool {
    if normalised {
        return written_in_one_way(block).contains(&written_in_one_way(answer));
    }
    block.to_lowercase().contains(&answer.to_lowercase())
}

/// Lower-case words with single spaces; "three" is 3, and "03:00 PM", "3:00 P.M.", "3pm" and "3 in the afternoon" are "3 pm".
fn written_in_one_way(text: &str) -> String {
    let text = text.to_lowercase();
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let (number, rest) = word.split_at(number.len());
        if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && matches!(rest, "am" | "pm") {
            words.extend([number, rest]);
        } else {
            words.push(word);
        }
    }
    let spoken = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let mut written: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let after_number = written.last().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
        let half = match &words[at..] {
            ["am" | "pm", ..] => Some((word, 1)),
            ["a", "m", ..] => Some(("am", 2)),
            ["p", "m", ..] => Some(("pm", 2)),
            ["in", "the", "morning", ..] => Some(("am", 3)),
            ["in", "the", "afternoon" | "evening", ..] => Some(("pm", 3)),
            _ => None,
        };
        if let Some((half, length)) = half.filter(|_| after_number) {
            written.pop_if(|minutes| minutes == "00");
            written.push(half.to_owned());
            at += length;
            continue;
        }
        let digits = spoken.iter().position(|spoken| *spoken == word).map(|number| number.to_string());
        let plain = || match word.strip_prefix('0') {
            Some(rest) if word != "00" && rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
            _ => word,
        };
        written.push(digits.unwrap_or_else(|| plain().to_owned()));
        at += 1;
    }
    written.join(" ")
}

#[derive(Debug, Default)]
struct Figures {
    found: Vec<FoundLine>,
    scores: Vec<(String, Scores, Scores)>,
    milliseconds: Vec<f64>,
    special: BTreeMap<String, Vec<f64>>,
}

impl Figures {
    fn add(&mut self, name: &str, value: f64) {
        self.special.entry(name.to_owned()).or_default().push(value);
    }

    fn into_line(mut self, set: &Set, half: Half) -> Line {
        let categories: BTreeSet<&String> = self.scores.iter().map(|(category, ..)| category).collect();
        let of = |category: Option<&String>, ours: bool| {
            let chosen = self.scores.iter().filter(|(c, ..)| category.is_none_or(|category| c == category));
            Summary::of(&chosen.map(|(_, a, b)| if ours { *a } else { *b }).collect::<Vec<_>>())
        };
        let by_category = |ours: bool| categories.iter().map(|c| ((*c).clone(), of(Some(c), ours))).collect();
        let mut special: BTreeMap<String, f64> =
            self.special.iter().map(|(name, values)| (name.clone(), mean(values))).collect();
        special.extend(self.special.iter().map(|(name, values)| (format!("{name}_n"), values.len() as f64)));
        Line {
            set: set.name.clone(),
            half: format!("{half:?}").to_lowercase(),
            summary: of(None, true),
            baseline: of(None, false),
            categories: by_category(true),
            baseline_categories: by_category(false),
            special,
            p50_ms: percentile(&mut self.milliseconds, 0.5),
            p99_ms: percentile(&mut self.milliseconds, 0.99),
        }
    }
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(line: &Line, as_json: bool) -> Result<()> {
    if as_json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    let row = |name: &str, ours: &Summary, plain: &Summary| {
        println!(
            "{name:<34} {:>4}  {:.3} [{:.3}, {:.3}]  {:.3}  {:.3} [{:.3}, {:.3}]  {:.3}   {:.3} {:.3} {:.3}",
            ours.n,
            ours.any_at_5,
            ours.any_at_5_interval[0],
            ours.any_at_5_interval[1],
            ours.r_at_5,
            ours.r_at_10,
            ours.r_at_10_interval[0],
            ours.r_at_10_interval[1],
            ours.ndcg_at_10,
            plain.any_at_5,
            plain.r_at_5,
            plain.r_at_10,
        );
    };
    println!(
        "{:<34} {:>4}  any@5                 R@5    R@10                  nDCG@10 BM25 any@5, R@5, R@10",
        line.set, "n"
    );
    row("all", &line.summary, &line.baseline);
    for (name, summary) in &line.categories {
        row(name, summary, &line.baseline_categories[name]);
    }
    for (name, value) in &line.special {
        println!("{name:<34} {value:.3}");
    }
    println!("recall without the question's embedding: p50 {:.2} ms, p99 {:.2} ms\n", line.p50_ms, line.p99_ms);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn times_and_numbers_are_told_in_any_writing() {
        for (block, answer, expected) in [
            ("I avoid caffeine after 3 PM, and read", "03:00 PM", true),
            ("I cut off work by 11:00 P.M. so I can rest", "11:00 PM", true),
            ("I wake up around 6:30 in the morning.", "06:30 AM", true),
            ("my class is at 9:30am", "09:30 AM", true),
            ("we have three cats", "3", true),
            ("I avoid caffeine after 3 AM", "03:00 PM", false),
            ("I wake up around 6:30 in the evening", "06:30 AM", false),
            ("at 10:30 PM", "10:00 PM", false),
        ] {
            assert_eq!(holds(block, answer, true), expected, "{block}");
        }
        assert!(!holds("after 3 PM", "03:00 PM", false), "as written is as written");
    }
}
