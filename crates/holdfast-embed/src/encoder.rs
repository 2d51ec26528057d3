//! Token ids to one vector: the transformer, top to bottom.
//!
//! The model is multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672), a BERT encoder (Devlin et al. 2019, arXiv:1810.04805) of 12
//! layers whose token vectors are averaged. Sequences of a batch lie one after another in one matrix of token rows; only attention
//! looks at where one ends, so there is no padding, and a text's vector does not depend on its neighbours.

use crate::kernel::Operations;
use crate::linear::Linear;
use crate::math::{self, LANES, Matrix, Norm};
use crate::pack::{Damage, Pack};
use crate::q4;

/// Length of a token's vector and of the result.
pub(crate) const HIDDEN: usize = 384;
/// The longest sequence, special tokens included: the model has learnt no position beyond.
pub(crate) const POSITIONS: usize = 512;
const LAYERS: usize = 12;
const HEADS: usize = 12;
const HEAD: usize = HIDDEN / HEADS;
const FEED_FORWARD: usize = 1536;

/// Weights of the model.
pub(crate) struct Encoder {
    /// 4-bit rows of [`HIDDEN`], by token id.
    words: Vec<[u8; q4::BLOCK_BYTES]>,
    /// [`POSITIONS`] rows of [`HIDDEN`], with the one token type we use already added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Intermediate results, kept from layer to layer to spare the allocator.
#[derive(Default)]
struct Buffers {
    query_key_value: Vec<f32>,
    attention_scores: Vec<f32>,
    attended: Vec<f32>,
    update: Vec<f32>,
    inner: Vec<f32>,
}

struct Layer {
    query_key_value: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    feed_forward_in: Linear,
    feed_forward_out: Linear,
    output_norm: Norm,
}

impl Encoder {
    /// The encoder for a vocabulary of `token_count` ids.
    pub fn new(pack: &Pack, token_count: usize) -> Result<Self, Damage> {
        let types = pack.floats_of("embedding.type", 2 * HIDDEN)?;
        let mut positions = pack.floats_of("embedding.position", POSITIONS * HIDDEN)?;
        for position in positions.chunks_exact_mut(HIDDEN) {
            add(position, &types[..HIDDEN]);
        }
        Ok(Self {
            words: pack.q4("embedding.word", Some(token_count), HIDDEN)?.blocks().to_vec(),
            positions,
            norm: Norm::new(pack, "embedding.norm")?,
            layers: (0..LAYERS).map(|layer| Layer::new(pack, layer)).collect::<Result<_, _>>()?,
        })
    }

    /// One vector of length 1 for each sequence. A sequence has 1 to [`POSITIONS`] ids, each below the `token_count` given to `new`.
    pub fn encode(&self, operations: &Operations, sequences: &[&[u32]]) -> Vec<Vec<f32>> {
        let mut tokens = self.embed(operations, sequences);
        let mut buffers = Buffers::default();
        for layer in &self.layers {
            layer.apply(operations, sequences, &mut tokens, &mut buffers);
        }
        let mut rows = tokens.chunks_exact(HIDDEN);
        sequences.iter().map(|sequence| average(rows.by_ref().take(sequence.len()))).collect()
    }

    /// The first token vectors: word + position, normalised.
    fn embed(&self, operations: &Operations, sequences: &[&[u32]]) -> Vec<f32> {
        let ids = || sequences.iter().flat_map(|sequence| sequence.iter());
        let mut tokens = vec![0.0; ids().count() * HIDDEN];
        for (token, &id) in tokens.chunks_exact_mut(HIDDEN).zip(ids()) {
            let blocks = HIDDEN / q4::BLOCK;
            q4::dequantise(&self.words[id as usize * blocks..][..blocks], token);
        }
        let positions = sequences.iter().flat_map(|sequence| &self.positions[..sequence.len() * HIDDEN]);
        let positions: Vec<f32> = positions.copied().collect();
        self.norm.add_and_apply(operations, &mut tokens, &positions);
        tokens
    }
}

impl Layer {
    fn new(pack: &Pack, layer: usize) -> Result<Self, Damage> {
        let name = |part: &str| format!("layer.{layer}.{part}");
        Ok(Self {
            query_key_value: Linear::new(pack, &["query", "key", "value"].map(name), HIDDEN, HIDDEN)?,
            attention_output: Linear::new(pack, &[name("attention_output")], HIDDEN, HIDDEN)?,
            attention_norm: Norm::new(pack, &name("attention_norm"))?,
            feed_forward_in: Linear::new(pack, &[name("feed_forward_in")], HIDDEN, FEED_FORWARD)?,
            feed_forward_out: Linear::new(pack, &[name("feed_forward_out")], FEED_FORWARD, HIDDEN)?,
            output_norm: Norm::new(pack, &name("output_norm"))?,
        })
    }

    /// Attention, then the feed-forward net, each added to the token vectors and normalised.
    fn apply(&self, operations: &Operations, sequences: &[&[u32]], tokens: &mut [f32], buffers: &mut Buffers) {
        let Buffers { query_key_value, attention_scores, attended, update, inner } = buffers;
        self.query_key_value.apply(operations, tokens, query_key_value);
        attention(operations, sequences, query_key_value, attention_scores, attended);
        self.attention_output.apply(operations, attended, update);
        self.attention_norm.add_and_apply(operations, tokens, update);

        self.feed_forward_in.apply(operations, tokens, inner);
        (operations.gelu)(inner);
        self.feed_forward_out.apply(operations, inner, update);
        self.output_norm.add_and_apply(operations, tokens, update);
    }
}

impl Linear {
    fn apply(&self, operations: &Operations, x: &[f32], out: &mut Vec<f32>) {
        out.resize(x.len() / self.inputs * self.outputs, 0.0);
        (operations.linear)(self, x, out);
    }
}

impl Norm {
    fn new(pack: &Pack, name: &str) -> Result<Self, Damage> {
        let weight = pack.floats_of(&format!("{name}.weight"), HIDDEN)?;
        let bias = pack.floats_of(&format!("{name}.bias"), HIDDEN)?;
        Ok(Self { weight, bias })
    }

    fn add_and_apply(&self, operations: &Operations, tokens: &mut [f32], update: &[f32]) {
        (operations.add_and_normalise)(tokens, update, self);
    }
}

/// `softmax(Q K^T / sqrt(d)) V` within each sequence and head (Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1).
/// In: a row of query, key and value, each [`HIDDEN`] long, for each token. Out: a row of [`HIDDEN`] for each token.
fn attention(
    operations: &Operations,
    sequences: &[&[u32]],
    query_key_value: &[f32],
    scores: &mut Vec<f32>,
    out: &mut Vec<f32>,
) {
    const WIDTH: usize = 3 * HIDDEN;
    out.resize(query_key_value.len() / 3, 0.0);
    let longest = sequences.iter().map(|sequence| sequence.len()).max().unwrap_or(0);
    scores.resize(longest * longest.next_multiple_of(LANES), 0.0);
    let mut first_token = 0;
    for length in sequences.iter().map(|sequence| sequence.len()) {
        let stride = length.next_multiple_of(LANES);
        let scores = &mut scores[..length * stride];
        for head in 0..HEADS {
            let part = |part: usize| &query_key_value[first_token * WIDTH + part * HIDDEN + head * HEAD..];
            let query = Matrix { data: part(0), row_stride: WIDTH, column_stride: 1 };
            let key_transposed = Matrix { data: part(1), row_stride: 1, column_stride: WIDTH };
            let value = Matrix { data: part(2), row_stride: WIDTH, column_stride: 1 };

            let factor = 1.0 / (HEAD as f32).sqrt();
            math::multiply(scores, stride, factor, query, key_transposed, [length, length, HEAD]);
            (operations.softmax)(scores, length, stride);
            let weights = Matrix { data: scores, row_stride: stride, column_stride: 1 };
            let out = &mut out[first_token * HIDDEN + head * HEAD..];
            math::multiply(out, HIDDEN, 1.0, weights, value, [length, HEAD, length]);
        }
        first_token += length;
    }
}

/// The mean of the rows, scaled to length 1.
fn average<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut mean = vec![0.0; HIDDEN];
    rows.for_each(|row| add(&mut mean, row));
    math::to_unit_length(&mut mean);
    mean
}

fn add(sum: &mut [f32], row: &[f32]) {
    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}
