//! Any service with OpenAI's `POST /embeddings`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EmbedError, Embedder};
use crate::service::{Failure, Service, fault, hint, patiently, pause};
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
    service: Service,
    model: String,
    id: ModelId,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("url", &self.service.shown()).field("id", &self.id).finish_non_exhaustive()
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
        let id = ModelId { name: model.to_owned(), dimension: 0 };
        let service = Service::new(base_url, "embeddings", key, timeout);
        let mut connected = Self { service, model: model.to_owned(), id };
        let probe = connected.request(&["holdfast"])?;
        connected.id.dimension = probe[0].len();
        Ok(connected)
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = Request { model: &self.model, input: texts, encoding_format: "float" };
        let body = patiently(WAITS, RETRY_AFTER_MAX, Failure::refused_for_now, &pause, || {
            self.service.post(&request, REPLY_BYTES_MAX)
        });
        let body = body.map_err(|failure| self.error(failure))?;
        let reply: Reply = serde_json::from_str(&body).map_err(|error| self.bad_reply(fault(&error)))?;
        self.in_order(reply, texts.len())
    }

    fn error(&self, failure: Failure) -> EmbedError {
        let url = self.service.shown().to_owned();
        match failure {
            Failure::Unreachable(source) => EmbedError::Unreachable { url, source },
            Failure::Refused { status, .. } => EmbedError::Refused { url, status, hint: hint(status) },
            Failure::TooLarge { limit } => EmbedError::Reply { url, detail: format!("more than {limit} bytes") },
        }
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
        EmbedError::Reply { url: self.service.shown().to_owned(), detail }
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
