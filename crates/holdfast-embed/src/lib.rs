//! Text to vector on the CPU: the embedding model Holdfast carries, with nothing to install.
//!
//! The model is multilingual-e5-small with 4-bit weights and a vocabulary cut to Chinese and English (`models/README.md` says how it is
//! made). Texts of similar meaning get vectors with a large dot product, in and across the two languages. Its cosines are squeezed into
//! the upper part of the scale, about 0.75 between unrelated texts, so compare them with each other, not with a threshold.
//!
//! ```no_run
//! # fn main() -> Result<(), holdfast_embed::ModelError> {
//! let model = holdfast_embed::Model::open("models/e5-small-zh-en.bin")?;
//! let [question, answer] = &model.embed(&["早上一般吃什么", "Breakfast is black coffee and bread"])[..] else { unreachable!() };
//! let similarity: f32 = question.vector.iter().zip(&answer.vector).map(|(a, b)| a * b).sum();
//! # Ok(()) }
//! ```
//!
//! The rooms: [`Model`] here; `pack` reads the file, `tokenizer` and `charsmap` turn text into ids, `window` cuts long texts, `encoder` is
//! the network, `linear` and `q4` its weights, `math` and `kernel` the arithmetic. The crate knows nothing of memories or stores.

mod charsmap;
mod encoder;
mod kernel;
mod linear;
mod math;
mod pack;
mod q4;
mod tokenizer;
mod window;

use std::path::{Path, PathBuf};

pub use crate::kernel::Kernel;

use crate::encoder::{Encoder, HIDDEN, POSITIONS};
use crate::kernel::Operations;
use crate::pack::{Damage, Pack};
use crate::tokenizer::{BEGIN, END, Tokenizer, UNKNOWN};

/// Put before every text, stored or asked for. The model was trained with `query: ` and `passage: `; the first on both sides is the
/// documented choice for symmetric tasks, and ranked better on ours (`research/embed`).
const PREFIX: &str = "query: ";

/// Tokens encoded together. Enough to use each loaded weight many times, few enough for the intermediate results to stay in cache.
const BATCH_TOKENS: usize = 256;

/// A model in memory, about 35 MB. Share it: every method takes `&self`, and threads do not get in each other's way.
pub struct Model {
    id: String,
    tokenizer: Tokenizer,
    encoder: Encoder,
    /// Tokens of [`PREFIX`], which begin every sequence and every window of it.
    prefix_tokens: usize,
    kernel: Kernel,
    operations: &'static Operations,
}

/// What a text means, as a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// [`Model::dimension`] numbers; the sum of their squares is 1.
    pub vector: Vec<f32>,
    /// Tokens of the whole text, with the prefix and the two special tokens.
    pub tokens: usize,
    /// Overlapping windows it took to read the text: 1 up to 512 tokens.
    pub windows: usize,
    /// How many of the tokens stand for text outside the vocabulary, a run of unknown characters counting once. The vector says little
    /// of such text. Nor does it of scripts other than Chinese and Latin, although many of their letters are known one by one: a count
    /// of 0 is no promise.
    pub unknown: usize,
}

/// Why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file is not there or may not be read.
    #[error("cannot read the embedding model {path}: check the path and its permissions", path = path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is there, but it is not a model, or not all of one.
    #[error(
        "the embedding model {path} cannot be used, {detail}: get the file again, or rebuild it with models/build.py",
        path = path.display()
    )]
    Damaged { path: PathBuf, detail: String },
    /// This processor lacks the instructions.
    #[error("this processor cannot run the {0:?} kernel: choose Kernel::Detect")]
    KernelUnavailable(Kernel),
}

impl Model {
    /// Opens a model file with the fastest arithmetic this processor has. Takes about 0.1 s, most of it to check and rearrange the
    /// weights; the file is not needed afterwards.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::open_with(path, Kernel::Detect)
    }

    /// Opens a model file with a chosen implementation, for tests and comparisons.
    pub fn open_with(path: impl AsRef<Path>, kernel: Kernel) -> Result<Self, ModelError> {
        let operations = kernel.operations().ok_or(ModelError::KernelUnavailable(kernel))?;
        let path = path.as_ref();
        let pack = Pack::open(path)?;
        Self::from_pack(&pack, kernel.resolved(), operations).map_err(|damage| damage.at(path))
    }

    fn from_pack(pack: &Pack, kernel: Kernel, operations: &'static Operations) -> Result<Self, Damage> {
        let tokenizer = Tokenizer::new(pack)?;
        let encoder = Encoder::new(pack, tokenizer.token_count())?;
        let prefix_tokens = tokenizer.encode(PREFIX).len();
        Ok(Self { id: pack.text("model.id")?, tokenizer, encoder, prefix_tokens, kernel, operations })
    }

    /// Name of the model. Vectors are comparable only under the same name: store it with them.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Length of every vector.
    pub fn dimension(&self) -> usize {
        HIDDEN
    }

    /// The part that the vectors of any texts share under this model: the mean over everyday sentences in both languages (those of
    /// `tests/fixtures/reference.jsonl` that have vectors). It is about 0.9 long, so taking it away is what makes cosines of this model
    /// comparable with those of others: around 0 between unrelated texts.
    pub fn common(&self) -> Vec<f32> {
        include_bytes!("common.f32").as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
    }

    /// The implementation in use, never [`Kernel::Detect`].
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The ids of a text as the encoder sees them, with the prefix and the two special tokens, before any cut into windows.
    pub fn tokenize(&self, text: &str) -> Vec<u32> {
        let mut ids = vec![BEGIN];
        ids.extend(self.tokenizer.encode(&format!("{PREFIX}{text}")));
        ids.push(END);
        ids
    }

    /// One embedding for each text, in order. Works on the calling thread. A text's vector does not depend on the others in the call.
    ///
    /// A text longer than the model can read at once is read in windows, and its vector is the mean of theirs, weighted by length.
    pub fn embed(&self, texts: &[&str]) -> Vec<Embedding> {
        let mut embeddings = Vec::with_capacity(texts.len());
        let mut sequences = Vec::new();
        for text in texts {
            let ids = self.tokenize(text);
            let windows = self.windows(&ids);
            embeddings.push(Embedding {
                vector: vec![0.0; HIDDEN],
                tokens: ids.len(),
                windows: windows.len(),
                unknown: ids.iter().filter(|id| **id == UNKNOWN).count(),
            });
            sequences.extend(windows.into_iter().map(|window| (embeddings.len() - 1, window)));
        }

        let mut rest = &sequences[..];
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_length(rest));
            rest = later;
            let ids: Vec<&[u32]> = batch.iter().map(|(_, ids)| &ids[..]).collect();
            for ((text, ids), vector) in batch.iter().zip(self.encoder.encode(self.operations, &ids)) {
                let weight = ids.len() as f32;
                embeddings[*text].vector.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        for embedding in &mut embeddings {
            math::to_unit_length(&mut embedding.vector);
        }
        embeddings
    }

    /// The sequences to encode for one text: its ids if they are few enough, else windows, each with the prefix and the special tokens.
    fn windows(&self, ids: &[u32]) -> Vec<Vec<u32>> {
        if ids.len() <= POSITIONS {
            return vec![ids.to_vec()];
        }
        let (head, content) = ids.split_at(1 + self.prefix_tokens);
        let (content, tail) = content.split_at(content.len() - 1);
        let longest = POSITIONS - head.len() - tail.len();
        window::windows(content.len(), longest)
            .into_iter()
            .map(|window| [head, &content[window], tail].concat())
            .collect()
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("id", &self.id).field("kernel", &self.kernel).finish_non_exhaustive()
    }
}

/// How many of the sequences fit into one batch; at least one.
fn batch_length(sequences: &[(usize, Vec<u32>)]) -> usize {
    let mut tokens = 0;
    let fitting = sequences.iter().take_while(|(_, ids)| {
        tokens += ids.len();
        tokens <= BATCH_TOKENS
    });
    fitting.count().max(1)
}
