//! Data sets in the normal form: documents go in through the product's own import, questions are read here.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use holdfast::import::{self, Options};
use holdfast::types::event::RawEvent;
use jiff::civil::{Date, DateTime};
use serde::Deserialize;
use serde_json::Value;

/// A set: the documents of each scope, and its questions.
#[derive(Debug)]
pub struct Set {
    pub name: String,
    pub scopes: BTreeMap<String, Vec<RawEvent>>,
    /// Plain texts by scope, in order, with ids: for the baseline.
    pub texts: BTreeMap<String, Vec<(String, String)>>,
    pub questions: Vec<Question>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    pub scope: String,
    pub qid: String,
    pub query: String,
    /// Some sets give several.
    #[serde(default, alias = "answers")]
    pub answer: Value,
    #[serde(default)]
    pub category: String,
    #[serde(default)]
    pub evidence: Vec<String>,
    #[serde(default)]
    pub extra: Value,
}

#[derive(Deserialize)]
struct Document {
    scope: String,
    id: String,
    text: String,
}

/// Which questions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    /// What constants may be tuned on.
    Tune,
    /// What is reported.
    Held,
    All,
}

impl Set {
    /// The sets of a folder: `docs.jsonl` with `queries.jsonl`, or `docs_X.jsonl` with `queries_X*.jsonl`.
    pub fn load(folder: &Path) -> Result<Vec<Self>> {
        let base = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut sets = Vec::new();
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .with_context(|| format!("can't read the folder {}", folder.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.sort();
        for documents in &files {
            let name = documents.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(suffix) = name.strip_prefix("docs").and_then(|rest| rest.strip_suffix(".jsonl")) else { continue };
            // Single-hop questions where a set has several kinds: several hops are for a reader, not for retrieval.
            let wanted = [format!("queries{suffix}_sh.jsonl"), format!("queries{suffix}.jsonl")];
            let Some(questions) = wanted.iter().map(|name| folder.join(name)).find(|path| path.exists()) else {
                continue;
            };
            sets.push(Self::read(format!("{base}{suffix}"), documents, &questions)?);
        }
        if sets.is_empty() {
            bail!("{} holds no docs*.jsonl with a queries*.jsonl beside it", folder.display());
        }
        Ok(sets)
    }

    fn read(name: String, documents: &Path, questions: &Path) -> Result<Self> {
        let mut scopes: BTreeMap<String, Vec<RawEvent>> = BTreeMap::new();
        let file = File::open(documents).with_context(|| format!("can't open {}", documents.display()))?;
        for entry in import::read(file, &name, Options::default())? {
            match entry {
                Ok(entry) => scopes.entry(entry.event.scope.owner.user.to_string()).or_default().push(entry.event),
                Err(unread) => eprintln_unread(&name, &unread),
            }
        }
        let mut texts: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for document in lines::<Document>(documents)? {
            texts.entry(document.scope).or_default().push((document.id, document.text));
        }
        Ok(Self { name, scopes, texts, questions: lines(questions)? })
    }

    /// Questions of one half, by scope where there are several, else by turns. Those without evidence have nothing to find.
    pub fn half(&self, half: Half) -> Vec<&Question> {
        let names: Vec<&String> = self.scopes.keys().collect();
        let in_half = |odd: bool| match half {
            Half::Tune => !odd,
            Half::Held => odd,
            Half::All => true,
        };
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        self.questions
            .iter()
            .filter(|question| {
                let turn = seen.entry(&question.scope).or_default();
                *turn += 1;
                let odd = match names.len() {
                    1 => turn.is_multiple_of(2),
                    _ => names.iter().position(|name| **name == question.scope).is_some_and(|place| place % 2 == 1),
                };
                in_half(odd)
            })
            .collect()
    }
}

impl Question {
    /// When it is asked, if the set says: at the end of that day or month.
    pub fn asked_at(&self) -> Option<DateTime> {
        let text = ["ask_time", "question_date"].iter().find_map(|key| self.extra.get(key)?.as_str())?;
        let digits: Vec<i16> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .filter_map(|part| part.parse().ok())
            .collect();
        let (&year, &month) = (digits.first()?, digits.get(1)?);
        let first = Date::new(year, i8::try_from(month).ok()?, 1).ok()?;
        let date = match digits.get(2) {
            Some(&day) => Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?,
            None => first.last_of_month(),
        };
        Some(date.at(23, 59, 0, 0))
    }

    /// The turns before it, oldest first.
    pub fn preceding(&self) -> Vec<String> {
        let turns = self.extra.get("context").and_then(Value::as_array).into_iter().flatten();
        let mut turns: Vec<String> = turns.filter_map(|turn| Some(turn.as_str()?.to_owned())).collect();
        if turns.last() == Some(&self.query) {
            turns.pop();
        }
        turns
    }

    /// The answers that count, as written.
    pub fn answers(&self) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        match &self.answer {
            Value::Array(list) => list.iter().filter_map(text).collect(),
            one => text(one).into_iter().collect(),
        }
    }
}

pub fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>> {
    let file = File::open(path).with_context(|| format!("can't open {}", path.display()))?;
    let mut read = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| format!("can't read {}", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        read.push(serde_json::from_str(&line).with_context(|| format!("{}, line {}", path.display(), number + 1))?);
    }
    Ok(read)
}

#[expect(clippy::print_stderr, reason = "the bench talks on stderr")]
fn eprintln_unread(name: &str, unread: &import::Unread) {
    eprintln!("{name}: {unread}");
}
