//! A language model as a thread of the engine's own asks it: its answer is not waited for once the engine closes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::waiting::Shared;
use crate::llm::{Llm, LlmError, Prompt, Reply};

const CLOSES: LlmError = LlmError::Stopped { why: "the engine closes" };

/// A call may take minutes, and the store is locked until the last of its users is gone. So the call goes on in a thread that holds
/// nothing, and when the engine closes its answer is nobody's. One thread asks at a time.
#[derive(Debug, Clone)]
pub(super) struct Asking {
    llm: Arc<dyn Llm>,
    shared: Arc<Shared<State>>,
}

#[derive(Debug, Default)]
struct State {
    closing: bool,
    /// What the call in hand came to.
    answer: Option<Result<Reply, LlmError>>,
}

impl Asking {
    pub(super) fn new(llm: Arc<dyn Llm>) -> Self {
        Self { llm, shared: Arc::default() }
    }

    /// Whoever waits for an answer is told that there will be none.
    pub(super) fn close(&self) {
        self.shared.change(|state| state.closing = true);
    }

    fn is_closing(&self) -> bool {
        self.shared.lock().closing
    }

    fn answer(&self) -> Result<Reply, LlmError> {
        let mut state = self.shared.lock();
        loop {
            if let Some(answer) = state.answer.take() {
                return answer;
            }
            if state.closing {
                return Err(CLOSES);
            }
            state = self.shared.wait(state);
        }
    }
}

impl Llm for Asking {
    fn name(&self) -> &str {
        self.llm.name()
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        if self.is_closing() {
            return Err(CLOSES);
        }
        let (llm, shared, asked) = (Arc::clone(&self.llm), Arc::clone(&self.shared), prompt.clone());
        let called = std::thread::Builder::new().name("holdfast-llm-call".to_owned()).spawn(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| llm.complete(&asked)));
            let answer = answer.unwrap_or_else(|_| Err(LlmError::Stopped { why: "asking it panicked" }));
            shared.change(|state| state.answer = Some(answer));
        });
        if called.is_err() {
            return Err(LlmError::Stopped { why: "no thread is to be had to ask it in" });
        }
        self.answer()
    }
}
