//! What every request shares: the engine, who may come in, and how much may be done at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use anyhow::Result;
use holdfast::engine::{Engine, Error};
use holdfast::env::Env;
use jiff::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::problem::Problem;
use super::rate::Bucket;
use crate::keys::{self, ApiKey, Denied, Keys, Used};
use axum::http::{HeaderValue, StatusCode};

/// Calls of the engine at a time. They wait for the disk and for each other's commits more than for the processor, and a group of
/// writers shares one sync; what is beyond waits its turn.
const CALLS_AT_ONCE: usize = 64;

/// What a key may do, at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Requests a second, sustained; twice as many in a burst.
    pub requests_per_second: u32,
    /// Requests at a time.
    pub requests_at_once: usize,
    /// Bytes of one request's body, where it is read whole.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { requests_per_second: 1_000, requests_at_once: 64, body_bytes: 4 * 1024 * 1024 }
    }
}

/// Shared by all requests; cheap to clone.
#[derive(Debug, Clone)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Arc<Engine>,
    env: Arc<Env>,
    directory: PathBuf,
    limits: Limits,
    calls: Arc<Semaphore>,
    keys: RwLock<Known>,
    /// Whoever may come in without a key, since nobody else reaches this address.
    is_loopback: bool,
    /// Pages of these may ask.
    origins: Vec<HeaderValue>,
    closing: watch::Sender<bool>,
}

/// The keys as they were read, and when the file was written.
#[derive(Debug, Default)]
struct Known {
    keys: Keys,
    written: Option<SystemTime>,
    used: Used,
    /// How much each key has left, and how many requests of it are under way.
    budgets: BTreeMap<String, Arc<Budget>>,
}

#[derive(Debug)]
struct Budget {
    bucket: Bucket,
    at_once: Arc<Semaphore>,
}

/// Held while a request is under way.
#[derive(Debug)]
pub struct Admitted(#[expect(dead_code, reason = "given back when it is dropped")] OwnedSemaphorePermit);

impl App {
    pub fn new(
        engine: Arc<Engine>,
        env: Arc<Env>,
        directory: &Path,
        limits: Limits,
        is_loopback: bool,
        origins: Vec<HeaderValue>,
    ) -> Result<Self> {
        let app = Self(Arc::new(Inner {
            engine,
            env,
            directory: directory.to_owned(),
            limits,
            calls: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
            keys: RwLock::default(),
            is_loopback,
            origins,
            closing: watch::Sender::new(false),
        }));
        app.keys_anew()?;
        Ok(app)
    }

    pub fn shared_engine(&self) -> Arc<Engine> {
        Arc::clone(&self.0.engine)
    }

    pub fn env(&self) -> &Env {
        &self.0.env
    }

    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub fn is_allowed_origin(&self, origin: &HeaderValue) -> bool {
        self.0.origins.contains(origin)
    }

    /// No more is taken on; streams that would stay open end.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// Ends when the server does.
    pub async fn closing(&self) {
        // An error: the sender is gone, and with it the server.
        let _ = self.0.closing.subscribe().wait_for(|closing| *closing).await;
    }

    pub fn now(&self) -> Timestamp {
        self.0.env.now()
    }

    /// No key was ever made for this store, and only this machine reaches it.
    pub fn is_open(&self) -> bool {
        self.0.is_loopback && self.0.keys.read().unwrap_or_else(PoisonError::into_inner).keys.is_empty()
    }

    /// The engine's own work on a thread that may wait. What a client gave up meanwhile is finished all the same: it was begun.
    pub async fn call<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    {
        self.call_with(move |engine| work(engine).map_err(Problem::from)).await
    }

    /// As `call`, for work that has problems of its own.
    pub async fn call_with<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&Engine) -> Result<T, Problem> + Send + 'static,
    {
        let closing =
            || Problem::new(StatusCode::SERVICE_UNAVAILABLE, "closing", "the server is closing").after_a_while();
        let permit = Arc::clone(&self.0.calls).acquire_owned().await.map_err(|_| closing())?;
        let engine = self.shared_engine();
        let span = tracing::Span::current();
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            span.in_scope(|| work(&engine))
        });
        match done.await {
            Ok(result) => result,
            // The runtime's own message: it repeats nothing of the request.
            Err(error) => {
                tracing::error!("a call of the engine did not end: {error}");
                Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server failed; its log says why"))
            }
        }
    }

    /// The key that was presented, if it opens anything.
    pub fn key(&self, presented: &str) -> Result<ApiKey, Denied> {
        if let Err(error) = self.keys_anew() {
            // The list that is known stays: half a file must not lock everybody out.
            tracing::error!("the API keys can't be read again: {error:#}");
        }
        let now = self.now();
        let key = self.0.keys.read().unwrap_or_else(PoisonError::into_inner).keys.open(presented, now)?.clone();
        let mut known = self.0.keys.write().unwrap_or_else(PoisonError::into_inner);
        if known.used.note(&key.id, now)
            && let Err(error) = known.used.save(&self.0.directory)
        {
            tracing::warn!("when a key was used is not kept: {error:#}");
        }
        Ok(key)
    }

    /// Room for one request of this key (or of nobody's, where none is needed).
    pub fn admit(&self, key: &str) -> Result<Admitted, Problem> {
        let limits = self.limits();
        let budget = {
            let mut known = self.0.keys.write().unwrap_or_else(PoisonError::into_inner);
            let new = || {
                Arc::new(Budget {
                    bucket: Bucket::new(limits.requests_per_second),
                    at_once: Arc::new(Semaphore::new(limits.requests_at_once)),
                })
            };
            Arc::clone(known.budgets.entry(key.to_owned()).or_insert_with(new))
        };
        let too_many =
            |detail: String| Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail).after_a_while();
        if !budget.bucket.take(self.now()) {
            return Err(too_many(format!(
                "more than {} requests a second with one key: wait",
                limits.requests_per_second
            )));
        }
        let permit = Arc::clone(&budget.at_once).try_acquire_owned();
        let busy = |_| too_many(format!("more than {} requests at a time with one key: wait", limits.requests_at_once));
        Ok(Admitted(permit.map_err(busy)?))
    }

    /// Reads the keys if their file was changed since: `holdfast key` works while the server runs.
    fn keys_anew(&self) -> Result<()> {
        let written = keys::written(&self.0.directory);
        if self.0.keys.read().unwrap_or_else(PoisonError::into_inner).written == written {
            return Ok(());
        }
        let keys = Keys::load(&self.0.directory)?;
        let mut known = self.0.keys.write().unwrap_or_else(PoisonError::into_inner);
        if known.written.is_none() {
            known.used = keys::used(&self.0.directory);
        }
        known.keys = keys;
        known.written = written;
        Ok(())
    }
}
