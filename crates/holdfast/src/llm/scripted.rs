//! A model that answers as it was told: for tests and simulations. It remembers what it was asked.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Llm, LlmError, Prompt, Reply};

type Answer = dyn Fn(&Prompt, usize) -> Result<Reply, LlmError> + Send + Sync;

/// Answers from a list or a function.
///
/// ```
/// use holdfast::llm::{LlmError, Reply, ScriptedLlm};
///
/// let always = ScriptedLlm::always(r#"{"memories": []}"#);
/// let once = ScriptedLlm::replies(["first", "second"]);
/// // The function may wait, fail, or look at what is asked; no lock is held while it does.
/// let by_hand = ScriptedLlm::new(|prompt, call| match call {
///     0 => Err(LlmError::ScriptEnded { name: prompt.name, call }),
///     _ => Ok(Reply { truncated: true, ..Reply::of("{") }),
/// });
/// # drop((always, once, by_hand));
/// ```
pub struct ScriptedLlm {
    answer: Box<Answer>,
    asked: Mutex<Vec<Prompt>>,
}

impl ScriptedLlm {
    /// `answer` is given each prompt and how many came before it.
    pub fn new(answer: impl Fn(&Prompt, usize) -> Result<Reply, LlmError> + Send + Sync + 'static) -> Self {
        Self { answer: Box::new(answer), asked: Mutex::new(Vec::new()) }
    }

    /// The same reply to everything.
    pub fn always(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(move |_, _| Ok(Reply::of(text.clone())))
    }

    /// These, in order; then an error.
    pub fn replies<S: Into<String>>(texts: impl IntoIterator<Item = S>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        Self::new(move |prompt, call| {
            texts.get(call).map(Reply::of).ok_or(LlmError::ScriptEnded { name: prompt.name, call })
        })
    }

    /// Everything it was asked, in order.
    pub fn asked(&self) -> Vec<Prompt> {
        self.asked_so_far().clone()
    }

    fn asked_so_far(&self) -> MutexGuard<'_, Vec<Prompt>> {
        // A panic while holding it can't leave it half changed: a push is whole.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Llm for ScriptedLlm {
    fn name(&self) -> &str {
        "scripted"
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let call = {
            let mut asked = self.asked_so_far();
            asked.push(prompt.clone());
            asked.len() - 1
        };
        (self.answer)(prompt, call)
    }
}

impl fmt::Debug for ScriptedLlm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedLlm").field("asked", &self.asked_so_far().len()).finish_non_exhaustive()
    }
}
