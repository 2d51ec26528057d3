//! A linear layer, `y = x W^T + b`, with 4-bit weights: the storage all kernels share.
//!
//! Weights keep the exact values of the model file, only their order changes. They are multiplied by inputs that are rounded to 8 bits
//! with one scale for every 32 of a row, so that an outlier spoils no more than its own block (the `Q4_0 x Q8_0` product of ggml).
//! With `q` the stored weight (0..=15), `a` the rounded input, `s` and `t` their scales, a block adds to an output
//! `s t (sum q a  -  8 sum a)`; the second sum does not depend on the output and is computed once, with the rounding.

use crate::pack::{Damage, Pack};
use crate::q4::{self, BLOCK};

/// Outputs computed together: one 512-bit register of 32-bit sums.
pub(crate) const PANEL: usize = 16;
/// Inputs whose products one 32-bit lane adds up in one step.
pub(crate) const GROUP: usize = 4;
/// Groups in a block.
pub(crate) const GROUPS: usize = BLOCK / GROUP;

/// The weights of a linear layer from `inputs` to `outputs` numbers.
pub(crate) struct Linear {
    pub inputs: usize,
    pub outputs: usize,
    pub bias: Vec<f32>,
    /// `outputs / PANEL` panels, each of `inputs / BLOCK` blocks.
    pub blocks: Vec<WeightBlock>,
}

/// 32 consecutive inputs of 16 consecutive outputs.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct WeightBlock {
    /// Byte `[p][o * 4 + i]` holds, for output `o`, input `8 p + i` in its low half and input `8 p + 4 + i` in its high half.
    pub nibbles: [[u8; PANEL * GROUP]; GROUPS / 2],
    /// One scale for each output.
    pub scales: [f32; PANEL],
}

impl Linear {
    /// Several layers with the same input, as one: their outputs follow each other.
    pub fn new(pack: &Pack, names: &[String], inputs: usize, outputs_each: usize) -> Result<Self, Damage> {
        let mut layer = Self { inputs, outputs: 0, bias: Vec::new(), blocks: Vec::new() };
        for name in names {
            let weights = pack.q4(&format!("{name}.weight"), Some(outputs_each), inputs)?;
            for panel in 0..outputs_each / PANEL {
                for block in 0..inputs / BLOCK {
                    layer.blocks.push(WeightBlock::new(|output| &weights.row(panel * PANEL + output)[block]));
                }
            }
            layer.bias.extend(pack.floats_of(&format!("{name}.bias"), outputs_each)?);
            layer.outputs += outputs_each;
        }
        Ok(layer)
    }

    /// Blocks in a panel, and in a row of inputs.
    pub fn blocks_per_row(&self) -> usize {
        self.inputs / BLOCK
    }
}

impl WeightBlock {
    fn new<'a>(source: impl Fn(usize) -> &'a [u8; q4::BLOCK_BYTES]) -> Self {
        let mut block = Self { nibbles: [[0; PANEL * GROUP]; GROUPS / 2], scales: [0.0; PANEL] };
        for output in 0..PANEL {
            block.scales[output] = q4::scale(source(output));
            let nibbles = q4::nibbles(source(output));
            for (pair, nibbles) in nibbles.as_chunks::<{ 2 * GROUP }>().0.iter().enumerate() {
                for i in 0..GROUP {
                    block.nibbles[pair][output * GROUP + i] = nibbles[i] | nibbles[GROUP + i] << 4;
                }
            }
        }
        block
    }
}
