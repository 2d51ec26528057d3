//! The store on loan: opened for a call and given back when none has come for a while, so that several assistants, each with a process of
//! its own, and the command line take turns at one store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use holdfast::engine::Engine;

use crate::cli::Global;
use crate::open;
use crate::printer::Printer;

/// Kept for the calls of one turn, which follow each other closely; a person at another assistant waits no longer than this.
const KEPT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub struct Lease {
    global: Global,
    held: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    engine: Arc<Engine>,
    used: Instant,
}

impl Lease {
    pub fn new(global: Global) -> Self {
        Self { global, held: Mutex::new(None) }
    }

    /// The engine, opened if it is not. Whoever else holds the store is waited for a while.
    pub fn engine(&self) -> Result<Arc<Engine>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let engine = match held.take() {
            Some(held) => held.engine,
            None => Arc::new(open::serving(&self.global, None, Printer { json: false })?),
        };
        *held = Some(Held { engine: Arc::clone(&engine), used: Instant::now() });
        Ok(engine)
    }

    /// Gives the store back if no call has come for a while and none is under way.
    pub fn give_back_if_idle(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = |held: &Held| held.used.elapsed() >= KEPT && Arc::strong_count(&held.engine) == 1;
        // Dropped under the lock: the next call must not open what is still being closed.
        drop(held.take_if(|held| is_idle(held)));
    }
}
