//! Any service with OpenAI's `POST /embeddings`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::http::HeaderMap;

use super::{EmbedError, Embedder};
use crate::store::ModelId;

/// Texts in one request: the smallest limit among common services.
const TEXTS_PER_REQUEST_MAX: usize = 64;

/// Waits before a request that met a limit or a fault of the service is made again: most limits are per second, and whoever
/// waits for an answer to a question should not wait long.
const WAITS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// Longest wait that a service may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);

/// Largest reply read: 64 vectors of 8,192 numbers as text.
const REPLY_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A connection to a service; nothing is sent until the first text.
pub struct OpenAi {
    agent: Agent,
    url: String,
    /// The URL without what may be a secret in it: for messages.
    shown: String,
    model: String,
    key: Option<String>,
    id: ModelId,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("url", &self.shown).field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Datum>,
}

#[derive(Deserialize)]
struct Datum {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl OpenAi {
    /// Asks the service for one vector, to learn its dimension and that it answers.
    pub fn connect(base_url: &str, model: &str, key: Option<String>, timeout: Duration) -> Result<Self, EmbedError> {
        let config = Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).build();
        let url = format!("{}/embeddings", base_url.trim_end_matches('/'));
        let id = ModelId { name: model.to_owned(), dimension: 0 };
        let shown = shown(&url);
        let mut service = Self { agent: config.into(), url, shown, model: model.to_owned(), key, id };
        let probe = service.request(&["holdfast"])?;
        service.id.dimension = probe[0].len();
        Ok(service)
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut waits = WAITS.iter();
        loop {
            match self.request_once(texts) {
                Err(Attempt { retry_after: Some(asked), error }) => {
                    let Some(wait) = waits.next() else { return Err(error) };
                    // Woken early, it asks early: no harm.
                    std::thread::park_timeout(asked.max(*wait).min(RETRY_AFTER_MAX));
                }
                other => return other.map_err(|attempt| attempt.error),
            }
        }
    }

    fn request_once(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Attempt> {
        let request = Request { model: &self.model, input: texts, encoding_format: "float" };
        let mut call = self.agent.post(&self.url);
        if let Some(key) = &self.key {
            call = call.header("Authorization", format!("Bearer {key}"));
        }
        let unreachable = |source| EmbedError::Unreachable { url: self.shown.clone(), source: Box::new(source) };
        let mut response = call.send_json(&request).map_err(unreachable)?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            let error = EmbedError::Refused { url: self.shown.clone(), status, hint: hint(status) };
            let retry_after = (status == 429 || status >= 500).then(|| asked_to_wait(response.headers()));
            return Err(Attempt { retry_after, error });
        }
        // The reply is read as text first, so that a fault in it is told from a fault of the line.
        let body = response.body_mut().with_config().limit(REPLY_BYTES_MAX).read_to_string().map_err(unreachable)?;
        // Where the fault is, not what stands there: a reply may repeat what was sent, the key included.
        let fault = |e: serde_json::Error| format!("{:?} at line {}, column {}", e.classify(), e.line(), e.column());
        let reply: Reply = serde_json::from_str(&body).map_err(|e| self.bad_reply(fault(e)))?;
        Ok(self.in_order(reply, texts.len())?)
    }

    /// Services may answer out of order; each vector is put where its index says, made unit length and checked.
    fn in_order(&self, reply: Reply, wanted: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        if reply.data.len() != wanted {
            return Err(self.bad_reply(format!("{} vectors for {wanted} texts", reply.data.len())));
        }
        let mut vectors = vec![Vec::new(); wanted];
        for (place, datum) in reply.data.into_iter().enumerate() {
            let index = datum.index.unwrap_or(place);
            let norm = datum.embedding.iter().map(|x| x * x).sum::<f32>().sqrt();
            if index >= wanted || !vectors[index].is_empty() {
                return Err(self.bad_reply(format!("index {index} for {wanted} texts")));
            }
            if !norm.is_normal() {
                return Err(self.bad_reply(format!("vector {index} has length {norm}")));
            }
            if self.id.dimension != 0 && datum.embedding.len() != self.id.dimension {
                return Err(self.bad_reply(format!("{} numbers, {} before", datum.embedding.len(), self.id.dimension)));
            }
            vectors[index] = datum.embedding.iter().map(|x| x / norm).collect();
        }
        Ok(vectors)
    }

    fn bad_reply(&self, detail: String) -> EmbedError {
        EmbedError::Reply { url: self.shown.clone(), detail }
    }
}

impl Embedder for OpenAi {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn common(&self) -> Option<&[f32]> {
        None
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(TEXTS_PER_REQUEST_MAX) {
            vectors.extend(self.request(batch)?);
        }
        Ok(vectors)
    }
}

/// A request that failed.
struct Attempt {
    error: EmbedError,
    /// It may go better later; not before this, if the service says so.
    retry_after: Option<Duration>,
}

impl From<EmbedError> for Attempt {
    fn from(error: EmbedError) -> Self {
        Self { error, retry_after: None }
    }
}

/// In seconds; a date is not waited for.
fn asked_to_wait(headers: &HeaderMap) -> Duration {
    let seconds = headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// A URL for messages: without a user, a password, or a query.
pub(super) fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "check the key",
        404 => "check the base URL and the model's name",
        413 => "the texts are too long for it",
        429 => "it is limiting requests; try again later",
        500.. => "it has a problem of its own; try again later",
        _ => "check the base URL, the key and the model's name",
    }
}
