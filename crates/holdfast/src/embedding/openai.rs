//! Any service with OpenAI's `POST /embeddings`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::Agent;

use super::{EmbedError, Embedder};
use crate::store::ModelId;

/// How long one request may take: a batch on a busy CPU server takes seconds, a dead one should not hold a query for minutes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Texts in one request: the smallest limit among common services.
const TEXTS_PER_REQUEST_MAX: usize = 64;

/// Largest reply read: 64 vectors of 8,192 numbers as text.
const REPLY_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A connection to a service; nothing is sent until the first text.
pub struct OpenAi {
    agent: Agent,
    url: String,
    model: String,
    key: Option<String>,
    id: ModelId,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("url", &self.url).field("id", &self.id).finish_non_exhaustive()
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
    pub fn connect(base_url: &str, model: &str, key: Option<String>) -> Result<Self, EmbedError> {
        let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false).build();
        let url = format!("{}/embeddings", base_url.trim_end_matches('/'));
        let id = ModelId { name: model.to_owned(), dimension: 0 };
        let mut service = Self { agent: config.into(), url, model: model.to_owned(), key, id };
        let probe = service.request(&["holdfast"])?;
        service.id.dimension = probe[0].len();
        Ok(service)
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = Request { model: &self.model, input: texts, encoding_format: "float" };
        let mut call = self.agent.post(&self.url);
        if let Some(key) = &self.key {
            call = call.header("Authorization", format!("Bearer {key}"));
        }
        let unreachable = |source| EmbedError::Unreachable { url: self.url.clone(), source: Box::new(source) };
        let mut response = call.send_json(&request).map_err(unreachable)?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(EmbedError::Refused { url: self.url.clone(), status, hint: hint(status) });
        }
        // The reply is read as text first, so that a fault in it is told from a fault of the line.
        let body = response.body_mut().with_config().limit(REPLY_BYTES_MAX).read_to_string().map_err(unreachable)?;
        let reply: Reply = serde_json::from_str(&body).map_err(|e| self.bad_reply(e.to_string()))?;
        self.in_order(reply, texts.len())
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
        EmbedError::Reply { url: self.url.clone(), detail }
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
