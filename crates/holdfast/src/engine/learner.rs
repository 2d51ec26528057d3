//! A language model asked in the background: when something was said that is worth it, when a task has ended, and every so many events
//! (SPEC 3.9). Nobody who records an event waits for it, and nothing is held while it answers.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use super::asking::Asking;
use super::{Engine, Error};
use crate::llm::Llm;
use crate::store::StoreError;
use crate::types::scope::Owner;

/// Something telling asks the model only after so many events: so it is asked at most 50 times for 1,000 events, whatever is said in
/// them. What is plainly stated the rules have learned by then.
pub(super) const EVENTS_BETWEEN_CALLS_MIN: u32 = 20;

#[derive(Debug)]
pub(super) struct Learner {
    shared: Arc<Shared>,
    asking: Asking,
    thread: Option<JoinHandle<()>>,
}

type Shared = super::waiting::Shared<State>;

#[derive(Debug, Default)]
struct State {
    /// Owners about whom the model is to be asked.
    due: BTreeSet<Owner>,
    busy: bool,
    closing: bool,
}

impl Learner {
    /// `engine` is a handle of its own on the same store.
    pub(super) fn start(engine: Engine, llm: Arc<dyn Llm>) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let asking = Asking::new(llm);
        let (of_thread, asked) = (Arc::clone(&shared), asking.clone());
        let thread = std::thread::Builder::new()
            .name("holdfast-learner".to_owned())
            .spawn(move || work(&engine, &asked, &of_thread))
            .map_err(|e| StoreError::Backend { doing: "starting the learner", source: Box::new(e) })?;
        Ok(Self { shared, asking, thread: Some(thread) })
    }

    pub(super) fn wake(&self, owner: &Owner) {
        self.shared.change(|state| {
            state.due.insert(owner.clone());
        });
    }

    /// Waits until the model has been asked about everybody who is due.
    pub(super) fn settle(&self) {
        let mut state = self.shared.lock();
        while state.busy || !state.due.is_empty() {
            state = self.shared.wait(state);
        }
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        self.shared.change(|state| state.closing = true);
        self.asking.close();
        if let Some(thread) = self.thread.take() {
            // A panic there has nothing to tell here: what was not asked is asked next time.
            let _ = thread.join();
        }
    }
}

fn work(engine: &Engine, llm: &Asking, shared: &Shared) {
    loop {
        let mut state = shared.lock();
        while state.due.is_empty() && !state.closing {
            state = shared.wait(state);
        }
        if state.closing {
            return;
        }
        let owner = state.due.pop_first();
        state.busy = true;
        drop(state);
        if let Some(owner) = owner {
            // The rules first, which may lag behind after a bulk load: what is plainly stated is theirs. Where either fails, its watermark is
            // where it was: the next time makes up for it. A panic is a bug, and no reason never to ask again.
            let learn = || engine.learn(&owner).and_then(|_| engine.induce(&owner, llm));
            match catch_unwind(AssertUnwindSafe(learn)) {
                Ok(Ok(induced)) => {
                    let (calls, changes) = (induced.calls, induced.changes.len());
                    tracing::debug!(calls, changes, "the model was asked {calls} times; {changes} memories changed");
                }
                Ok(Err(error)) => tracing::warn!(%error, "the model taught nothing this time: {error}"),
                Err(_) => tracing::error!("learning from the model panicked"),
            }
        }
        shared.change(|state| state.busy = false);
    }
}
