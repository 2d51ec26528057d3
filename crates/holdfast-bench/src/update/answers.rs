//! A recorded language model beside the rules: what it answers, what came of it, and which questions only it gets right. A prompt it has no
//! answer to is written down, so that somebody can answer it and add the reply to the recording.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use holdfast::engine::Induced;
use holdfast::llm::{Llm, LlmError, Prompt, Recorded, Reply};
use serde::Serialize;

/// Plays a recording back, and writes down what it has no answer to.
#[derive(Debug)]
pub struct Answers {
    recorded: Recorded,
    unanswered: Option<Unanswered>,
}

#[derive(Debug)]
struct Unanswered {
    path: PathBuf,
    file: Mutex<File>,
}

/// A prompt to be answered. Later ones of the same talk may read otherwise once it is: they show what is known by then.
#[derive(Serialize)]
struct Open<'a> {
    prompt: &'a str,
    name: &'a str,
    hash: &'a str,
    system: &'a str,
    user: &'a str,
}

impl Answers {
    pub fn open(cassette: &Path, prompts: Option<PathBuf>) -> Result<Self> {
        let unanswered = prompts.map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let file = file.with_context(|| format!("can't write {}", path.display()))?;
            Ok::<_, anyhow::Error>(Unanswered { path, file: Mutex::new(file) })
        });
        Ok(Self { recorded: Recorded::open(cassette)?, unanswered: unanswered.transpose()? })
    }
}

impl Llm for Answers {
    fn name(&self) -> &str {
        self.recorded.name()
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let reply = self.recorded.complete(prompt);
        if let (Some(unanswered), Err(LlmError::NotRecorded { fingerprint, .. })) = (&self.unanswered, &reply) {
            unanswered.write(prompt, fingerprint)?;
        }
        reply
    }
}

impl Unanswered {
    fn write(&self, prompt: &Prompt, fingerprint: &str) -> Result<(), LlmError> {
        let unusable = |detail: String| LlmError::Recording { path: self.path.clone(), detail };
        let open = Open {
            prompt: fingerprint,
            name: prompt.name,
            hash: &prompt.hash,
            system: &prompt.system,
            user: &prompt.user,
        };
        let line = serde_json::to_string(&open).map_err(|error| unusable(error.to_string()))?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(file, "{line}").map_err(|error| unusable(error.to_string()))
    }
}

/// What came of the model's replies.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Proposed {
    calls: u64,
    changes: usize,
    /// How many proposals were refused, by the reason.
    refused: BTreeMap<&'static str, usize>,
    /// Pages passed over, parts of replies that could not be read.
    unusable: usize,
}

impl Proposed {
    pub fn add(&mut self, induced: &Induced) {
        self.calls += induced.calls;
        self.changes += induced.changes.len();
        self.unusable += induced.unusable.len();
        for refusal in &induced.refused {
            *self.refused.entry(refusal.reason).or_default() += 1;
        }
    }
}

/// Questions by who gets them right.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Beside {
    pub n: usize,
    by_both: usize,
    only_with_llm: usize,
    /// Lost: the rules alone have them right, and with the model they are not.
    only_by_rules: usize,
    by_neither: usize,
    /// What rules can't see, whether the model does or not.
    rules_miss: usize,
}

impl Beside {
    /// Of each question whether it is right by rules alone, and whether with the model.
    pub fn of(questions: impl Iterator<Item = (bool, bool)>) -> Self {
        let mut beside = Self::default();
        for (by_rules, with_llm) in questions {
            beside.n += 1;
            beside.rules_miss += usize::from(!by_rules);
            match (by_rules, with_llm) {
                (true, true) => beside.by_both += 1,
                (false, true) => beside.only_with_llm += 1,
                (true, false) => beside.only_by_rules += 1,
                (false, false) => beside.by_neither += 1,
            }
        }
        beside
    }
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by_both, only_with_llm, only_by_rules, by_neither, rules_miss, .. } = self;
        write!(
            f,
            "rules miss {rules_miss}; updated by both {by_both}, only with the model {only_with_llm}, lost with it \
             {only_by_rules}, by neither {by_neither}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Beside;

    #[test]
    fn what_rules_miss_is_counted_apart() {
        let questions = [(true, true), (false, true), (false, true), (true, false), (false, false)];
        let beside = Beside::of(questions.into_iter());
        let expected = Beside { n: 5, by_both: 1, only_with_llm: 2, only_by_rules: 1, by_neither: 1, rules_miss: 3 };
        assert_eq!(beside, expected);
    }
}
