//! Text to vector for the engine: the built-in model, or any OpenAI-compatible service. Nothing here knows of events or stores.

mod builtin;
mod openai;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use builtin::Builtin;
pub use openai::OpenAi;

use crate::service;
use crate::store::ModelId;

/// How long one request to a service may take, if nothing else is said: a batch on a busy CPU server takes seconds, a dead one
/// should not hold a query for minutes.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Makes vectors of one model. Blocking: a call may take as long as the network does.
pub trait Embedder: Send + Sync + Debug {
    fn model(&self) -> &ModelId;

    /// The part that all vectors of the model share, where it is known.
    fn common(&self) -> Option<&[f32]>;

    /// One unit vector for each text, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Which model makes the vectors.
#[derive(Clone, PartialEq, Eq)]
pub enum Choice {
    /// The model that comes along, from the first of these files that is there.
    Builtin { candidates: Vec<PathBuf> },
    /// A service with `POST {base_url}/embeddings`.
    OpenAi { base_url: String, model: String, key: Option<String>, timeout: Duration },
    /// Lexical search only.
    None,
}

impl Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Builtin { candidates } => f.debug_struct("Builtin").field("candidates", candidates).finish(),
            Self::OpenAi { base_url, model, key, timeout } => f
                .debug_struct("OpenAi")
                .field("base_url", &service::shown(base_url))
                .field("model", model)
                .field("key", &key.as_ref().map(|_| "set, not shown"))
                .field("timeout", timeout)
                .finish(),
            Self::None => f.write_str("None"),
        }
    }
}

/// Opens the chosen model. `Ok(None)` only for `Choice::None`.
pub fn open(choice: &Choice) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    Ok(match choice {
        Choice::Builtin { candidates } => Some(Arc::new(Builtin::open(candidates)?)),
        Choice::OpenAi { base_url, model, key, timeout } => {
            Some(Arc::new(OpenAi::connect(base_url, model, key.clone(), *timeout)?))
        }
        Choice::None => None,
    })
}

/// Why there are no vectors. None of them carries the text that was to be embedded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("the embedding model is not at {}: set HOLDFAST_MODEL to its file, or go on with lexical search only", shown(.0))]
    Missing(Vec<PathBuf>),
    #[error(transparent)]
    Model(#[from] holdfast_embed::ModelError),
    #[error("the embedding service at {url} did not answer: {source}")]
    Unreachable {
        url: String,
        #[source]
        source: Box<ureq::Error>,
    },
    #[error("the embedding service at {url} refused with status {status}: {hint}")]
    Refused { url: String, status: u16, hint: &'static str },
    #[error("the embedding service at {url} answered something else than embeddings: {detail}")]
    Reply { url: String, detail: String },
}

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", nor at ")
}
