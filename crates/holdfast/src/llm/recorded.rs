//! Recordings of what a model answered, one line of JSON each: `Recorder` writes them, `Recorded` answers from them. A prompt is known by its
//! fingerprint; what it said is not written. Secrets are taken out of replies before they are.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Llm, LlmError, Prompt, Reply};
use crate::redact::{Rules, redact_text};

/// One line.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The prompt's fingerprint.
    prompt: String,
    /// For people: which prompt it was, in which wording.
    name: String,
    hash: String,
    model: String,
    reply: Reply,
}

/// Passes prompts on to a model and writes its replies down. Failures are not recorded.
#[derive(Debug)]
pub struct Recorder {
    model: Arc<dyn Llm>,
    rules: Rules,
    path: PathBuf,
    file: Mutex<File>,
}

impl Recorder {
    /// Appends to the file, or begins it.
    pub fn new(model: Arc<dyn Llm>, path: impl Into<PathBuf>, rules: Rules) -> Result<Self, LlmError> {
        let path = path.into();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|error| unusable(&path, error))?;
        Ok(Self { model, rules, path, file: Mutex::new(file) })
    }
}

impl Llm for Recorder {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let reply = self.model.complete(prompt)?;
        // What is answered now is what will be played back.
        let reply = Reply { text: redact_text(&reply.text, &self.rules), ..reply };
        let entry = Entry {
            prompt: prompt.fingerprint(),
            name: prompt.name.to_owned(),
            hash: prompt.hash.clone(),
            model: self.name().to_owned(),
            reply: reply.clone(),
        };
        let line = serde_json::to_string(&entry).map_err(|error| unusable(&self.path, error))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(|error| unusable(&self.path, error))?;
        Ok(reply)
    }
}

/// Answers as was recorded. A prompt that was asked several times gets its replies in their order, then the last one again.
#[derive(Debug)]
pub struct Recorded {
    path: PathBuf,
    model: String,
    replies: BTreeMap<String, Vec<Reply>>,
    /// How often each prompt was asked.
    asked: Mutex<BTreeMap<String, usize>>,
}

impl Recorded {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LlmError> {
        let path = path.as_ref().to_owned();
        let text = fs::read_to_string(&path).map_err(|error| unusable(&path, error))?;
        let mut replies: BTreeMap<String, Vec<Reply>> = BTreeMap::new();
        let mut model = None;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let entry: Entry = serde_json::from_str(line)
                .map_err(|error| unusable(&path, format!("line {}: {}", index + 1, crate::service::fault(&error))))?;
            model.get_or_insert(entry.model);
            replies.entry(entry.prompt).or_default().push(entry.reply);
        }
        Ok(Self { path, model: model.unwrap_or_else(|| "recorded".to_owned()), replies, asked: Mutex::default() })
    }
}

impl Llm for Recorded {
    /// The model whose replies these are.
    fn name(&self) -> &str {
        &self.model
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let fingerprint = prompt.fingerprint();
        let Some(replies) = self.replies.get(&fingerprint) else {
            return Err(LlmError::NotRecorded { name: prompt.name, fingerprint, path: self.path.clone() });
        };
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.entry(fingerprint).or_default();
        let reply = &replies[(*times).min(replies.len() - 1)];
        *times += 1;
        Ok(reply.clone())
    }
}

fn unusable(path: &Path, detail: impl ToString) -> LlmError {
    LlmError::Recording { path: path.to_owned(), detail: detail.to_string() }
}
