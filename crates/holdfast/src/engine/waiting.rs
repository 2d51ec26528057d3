//! What a thread of the engine's own shares with those who wake it or wait for it: a state, and word that it has changed.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Shared<S> {
    state: Mutex<S>,
    changed: Condvar,
}

impl<S> Shared<S> {
    /// Whoever panicked over it left nothing half changed: each change is one closure.
    pub(super) fn lock(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut S)) {
        change(&mut self.lock());
        self.tell();
    }

    /// To those who wait: look again.
    pub(super) fn tell(&self) {
        self.changed.notify_all();
    }

    pub(super) fn wait<'s>(&self, state: MutexGuard<'s, S>) -> MutexGuard<'s, S> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, or until the timer has run down, which is told beside it; without one, for a change alone.
    pub(super) fn wait_at_most<'s>(
        &self,
        state: MutexGuard<'s, S>,
        timer: Option<Duration>,
    ) -> (MutexGuard<'s, S>, bool) {
        let Some(timer) = timer else { return (self.wait(state), false) };
        let (state, ran_down) = self.changed.wait_timeout(state, timer).unwrap_or_else(PoisonError::into_inner);
        (state, ran_down.timed_out())
    }
}
