//! The model that comes with Holdfast, run on this machine's CPU.

use std::path::PathBuf;

use holdfast_embed::Model;

use super::{EmbedError, Embedder};
use crate::store::ModelId;

/// multilingual-e5-small, read once and kept in memory (about 40 MB).
pub struct Builtin {
    model: Model,
    id: ModelId,
    common: Vec<f32>,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builtin").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Builtin {
    /// Opens the first candidate that exists; a damaged one is an error, not a reason to look on.
    pub fn open(candidates: &[PathBuf]) -> Result<Self, EmbedError> {
        let path =
            candidates.iter().find(|path| path.exists()).ok_or_else(|| EmbedError::Missing(candidates.to_vec()))?;
        let model = Model::open(path)?;
        let id = ModelId { name: model.id().to_owned(), dimension: model.dimension() };
        let common = model.common();
        Ok(Self { model, id, common })
    }
}

impl Embedder for Builtin {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn common(&self) -> Option<&[f32]> {
        Some(&self.common)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.model.embed(texts).into_iter().map(|embedding| embedding.vector).collect())
    }
}
