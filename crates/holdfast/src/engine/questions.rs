//! Vectors of the texts that were asked about last. An agent asks the same question at each step of a loop, and making its vector takes
//! longer than searching with it.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::embedding::{EmbedError, Embedder};

/// Texts whose vectors are kept: some hundred kilobytes.
const KEPT: usize = 256;

/// By the hash of the model's name and the text: what was asked is not kept.
#[derive(Debug, Default)]
pub(super) struct Questions(Mutex<VecDeque<(blake3::Hash, Vec<f32>)>>);

impl Questions {
    /// A vector for each text, in order.
    pub fn embed(&self, embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let name = embedder.model().to_string();
        let key =
            |text: &str| blake3::Hasher::new().update(name.as_bytes()).update(&[0]).update(text.as_bytes()).finalize();
        let keys: Vec<blake3::Hash> = texts.iter().map(|text| key(text)).collect();
        let mut vectors = self.known(&keys);
        let missing: Vec<usize> = (0..texts.len()).filter(|at| vectors[*at].is_none()).collect();
        if !missing.is_empty() {
            let made = embedder.embed(&missing.iter().map(|at| texts[*at]).collect::<Vec<_>>())?;
            for (at, vector) in missing.into_iter().zip(made) {
                self.keep(keys[at], vector.clone());
                vectors[at] = Some(vector);
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn known(&self, keys: &[blake3::Hash]) -> Vec<Option<Vec<f32>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |key: &blake3::Hash| kept.iter().find(|(other, _)| other == key).map(|(_, vector)| vector.clone());
        keys.iter().map(known).collect()
    }

    fn keep(&self, key: blake3::Hash, vector: Vec<f32>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((key, vector));
    }

    /// What was asked may have said what is to be forgotten.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::store::ModelId;

    #[derive(Debug)]
    struct Counting {
        model: ModelId,
        asked: AtomicUsize,
    }

    impl Embedder for Counting {
        fn model(&self) -> &ModelId {
            &self.model
        }

        fn common(&self) -> Option<&[f32]> {
            None
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.asked.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
        }
    }

    #[test]
    fn a_text_is_embedded_once_and_each_gets_its_own() {
        let questions = Questions::default();
        let embedder =
            Counting { model: ModelId { name: "counting".to_owned(), dimension: 1 }, asked: AtomicUsize::new(0) };
        let ask = |texts: &[&str]| questions.embed(&embedder, texts).unwrap();
        for (texts, lengths, asked) in [
            (&["退货率"][..], &[9.0][..], 1),
            (&["退货率", "go on", "退货率"], &[9.0, 5.0, 9.0], 2),
            (&["go on"], &[5.0], 2),
            (&[], &[], 2),
        ] {
            let vectors: Vec<f32> = ask(texts).concat();
            assert_eq!((vectors.as_slice(), embedder.asked.load(Ordering::Relaxed)), (lengths, asked), "{texts:?}");
        }
        for number in 0..2 * KEPT {
            ask(&[&format!("{number}")]);
        }
        assert_eq!(questions.0.lock().unwrap().len(), KEPT);
        questions.clear();
        assert_eq!(questions.0.lock().unwrap().len(), 0);
    }
}
