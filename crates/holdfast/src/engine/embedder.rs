//! Vectors after the fact: a thread that embeds what was committed, in batches, off the main path. `settle` waits for it.

use std::sync::Arc;
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};

use jiff::Timestamp;
use serde_json::json;

use super::{Engine, Error};
use crate::embedding::{self, Choice, EmbedError, Embedder};
use crate::store::{ModelId, Progress, Store, StoreError, Unembedded};
use crate::text;
use crate::types::change::{ChangeSet, EventVectors};
use crate::types::event::Kind;
use crate::types::operation::{Target, Verb};

/// Events read, embedded and stored together: enough to use the processor well, few enough to lose little when stopped.
const BATCH_EVENTS: usize = 32;

/// What can be said about vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbeddingStatus {
    /// The model whose vectors serve queries now.
    pub serving: Option<ModelId>,
    /// The model that was chosen, if it could be opened.
    pub chosen: Option<ModelId>,
    /// Why search is lexical only, or why the chosen model does not serve.
    pub note: Option<String>,
    pub progress: Progress,
}

#[derive(Debug)]
pub(super) struct Embedding {
    store: Arc<dyn Store>,
    /// The chosen model.
    chosen: Option<Arc<dyn Embedder>>,
    /// Why there is no chosen model.
    absence: Option<String>,
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

type Shared = super::waiting::Shared<State>;

#[derive(Debug, Default)]
struct State {
    /// Raised by each commit, so that one made while the worker is busy is not missed.
    wanted: u64,
    done: u64,
    /// Why the last attempt failed; the next commit or `settle` tries again.
    failure: Option<String>,
    closing: bool,
}

impl Embedding {
    /// Opens the model. One that is missing or damaged leaves lexical search, and says so.
    pub(super) fn start(choice: &Choice, store: Arc<dyn Store>, read_only: bool) -> Result<Self, Error> {
        let (chosen, absence) = match embedding::open(choice) {
            Ok(Some(embedder)) => (Some(embedder), None),
            Ok(None) => (None, Some("no embedding model was chosen: search is lexical only".to_owned())),
            Err(error) => (None, Some(format!("search is lexical only: {error}"))),
        };
        let mut embedding = Self { store, chosen, absence, shared: Arc::default(), worker: None };
        if !read_only {
            embedding.start_worker()?;
        }
        Ok(embedding)
    }

    /// Embeds nothing.
    pub(super) fn none(store: Arc<dyn Store>) -> Self {
        Self { store, chosen: None, absence: None, shared: Arc::default(), worker: None }
    }

    fn start_worker(&mut self) -> Result<(), Error> {
        let Some(embedder) = self.chosen.clone() else { return Ok(()) };
        let (store, shared) = (Arc::clone(&self.store), Arc::clone(&self.shared));
        // What an earlier process left to embed is picked up at once.
        shared.lock().wanted = 1;
        let worker = std::thread::Builder::new()
            .name("holdfast-embedder".to_owned())
            .spawn(move || work(&*store, &*embedder, &shared))
            .map_err(|e| StoreError::Backend { doing: "starting the embedder", source: Box::new(e) })?;
        self.worker = Some(worker);
        Ok(())
    }

    /// The model that can embed a query for the vectors that serve now.
    pub(super) fn serving(&self) -> Result<Option<&Arc<dyn Embedder>>, StoreError> {
        let active = self.store.active_model()?;
        Ok(self.chosen.as_ref().filter(|embedder| active.as_ref() == Some(embedder.model())))
    }

    /// Why search is by words only, or not by the chosen model.
    pub(super) fn note(&self) -> Result<Option<String>, StoreError> {
        let Some(chosen) = &self.chosen else { return Ok(self.absence.clone()) };
        Ok(match self.store.active_model()? {
            Some(active) if active != *chosen.model() => {
                let (active, chosen) = (active.to_string(), chosen.model().to_string());
                Some(Error::OtherModel { active, chosen }.to_string())
            }
            _ => self.shared.lock().failure.clone(),
        })
    }

    pub(super) fn wake(&self) {
        self.shared.change(|state| state.wanted += 1);
    }

    /// Waits until everything recorded so far has its vectors.
    pub(super) fn settle(&self, mut tell: impl FnMut(Progress)) -> Result<(), Error> {
        let (Some(embedder), Some(_)) = (&self.chosen, &self.worker) else { return Ok(()) };
        if self.store.active_model()?.is_some_and(|active| active != *embedder.model()) {
            return Ok(());
        }
        self.wake();
        let wanted = self.shared.lock().wanted;
        loop {
            tell(self.store.embedded(embedder.model())?);
            let state = self.shared.lock();
            if state.done >= wanted {
                return match &state.failure {
                    Some(failure) => {
                        let source = Box::<dyn std::error::Error + Send + Sync>::from(failure.clone());
                        Err(StoreError::Backend { doing: "embedding", source }.into())
                    }
                    None => Ok(()),
                };
            }
            drop(self.shared.wait(state));
        }
    }
}

impl Drop for Embedding {
    fn drop(&mut self) {
        self.shared.change(|state| state.closing = true);
        if let Some(worker) = self.worker.take() {
            // A panic there has nothing to tell here: what is not embedded is embedded next time.
            let _ = worker.join();
        }
    }
}

fn work(store: &dyn Store, embedder: &dyn Embedder, shared: &Shared) {
    loop {
        let wanted = {
            let mut state = shared.lock();
            while state.wanted == state.done && !state.closing {
                state = shared.wait(state);
            }
            state.wanted
        };
        let outcome = loop {
            if shared.lock().closing {
                return;
            }
            match embed_if_it_serves(store, embedder) {
                Ok(0) => break Ok(()),
                Ok(_) => shared.tell(),
                Err(error) => break Err(error),
            }
        };
        let failure = outcome.err().map(|error| error.to_string());
        if let Some(failure) = &failure {
            tracing::warn!(%failure, "embedding stopped for now: {failure}");
        }
        shared.change(|state| (state.done, state.failure) = (wanted, failure));
    }
}

/// While another model serves, vectors of this one are made by `reindex` only.
fn embed_if_it_serves(store: &dyn Store, embedder: &dyn Embedder) -> Result<usize, Error> {
    match store.active_model()? {
        Some(active) if active != *embedder.model() => Ok(0),
        _ => embed_batch(store, embedder),
    }
}

/// Embeds the next events; how many there were.
fn embed_batch(store: &dyn Store, embedder: &dyn Embedder) -> Result<usize, Error> {
    let events = store.unembedded(embedder.model(), BATCH_EVENTS)?;
    if events.is_empty() {
        return Ok(0);
    }
    let count = events.len();
    let vectors = vectors_of(embedder, events)?;
    store.put_vectors(embedder.model(), vectors)?;
    Ok(count)
}

fn vectors_of(embedder: &dyn Embedder, events: Vec<Unembedded>) -> Result<Vec<EventVectors>, EmbedError> {
    let passages: Vec<Vec<String>> = events.iter().map(passages_of).collect();
    let texts: Vec<&str> = passages.iter().flatten().map(String::as_str).collect();
    let mut vectors = embedder.embed(&texts)?.into_iter();
    let pairs = events.into_iter().zip(&passages);
    Ok(pairs
        .map(|(unembedded, passages)| EventVectors {
            owner: unembedded.owner,
            seq: unembedded.event.seq,
            passages: vectors.by_ref().take(passages.len()).collect(),
        })
        .collect())
}

/// The texts that stand for an event. What only says that the talk went elsewhere has no meaning to search for.
fn passages_of(unembedded: &Unembedded) -> Vec<String> {
    let event = &unembedded.event.event;
    if event.kind == Kind::TaskSwitch {
        return Vec::new();
    }
    text::embedded_passages(&event.content)
}

impl Engine {
    /// Makes all vectors anew with the chosen model, then lets it serve. The old ones serve until then; a call that was
    /// stopped goes on where it was.
    pub fn reindex(&self, mut tell: impl FnMut(Progress)) -> Result<Progress, Error> {
        let absence = || Error::NoModel(self.embedding.absence.clone().unwrap_or_default());
        let embedder = self.embedding.chosen.as_ref().ok_or_else(absence)?;
        let (model, before) = (embedder.model(), self.store.active_model()?);
        let mut embedded = 0;
        loop {
            let progress = self.store.embedded(model)?;
            tell(progress);
            match embed_batch(&*self.store, &**embedder)? {
                0 => {
                    self.store.activate_model(model)?;
                    // What was recorded since the last batch.
                    self.embedding.wake();
                    if embedded > 0 || before.as_ref() != Some(model) {
                        self.journal_reindex(before.as_ref(), model)?;
                    }
                    return Ok(progress);
                }
                count => embedded += count,
            }
        }
    }

    /// In each owner's journal: it is their memory that is found by other vectors from now on.
    fn journal_reindex(&self, before: Option<&ModelId>, model: &ModelId) -> Result<(), Error> {
        for owner in self.store.owners()? {
            let events = self.store.count_between(&owner, Timestamp::MIN, Timestamp::MAX)?;
            let reason = "an operator had the vectors made anew";
            let mut operation = self.operation(&owner, Verb::Reindex, Target::Store, "operator", reason);
            operation.before = before.map(|before| json!({ "model": before }));
            operation.after = Some(json!({ "model": model, "events": events }));
            self.store.commit(ChangeSet { owner, operations: vec![operation], ..ChangeSet::default() })?;
        }
        Ok(())
    }

    pub fn embedding_status(&self) -> Result<EmbeddingStatus, Error> {
        let chosen = self.embedding.chosen.as_ref().map(|embedder| embedder.model().clone());
        let serving = self.store.active_model()?;
        let progress = match chosen.as_ref().or(serving.as_ref()) {
            Some(model) => self.store.embedded(model)?,
            None => Progress::default(),
        };
        Ok(EmbeddingStatus { serving, chosen, note: self.embedding.note()?, progress })
    }
}
