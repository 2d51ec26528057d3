//! Any processor: weights are widened to f32 a few outputs at a time and multiplied by `gemm`, which finds vectors by itself.

use super::Operations;
use crate::linear::{GROUP, Linear, PANEL, WeightBlock};
use crate::math::{self, Matrix};
use crate::q4::{self, BLOCK};

pub(super) static OPERATIONS: Operations = Operations {
    linear,
    gelu: |values| math::gelu(values),
    add_and_normalise: |x, y, norm| math::add_and_normalise(x, y, norm),
    softmax: |values, width, stride| math::softmax(values, width, stride),
};

/// Panels widened at once: 64 outputs, at most 400 kB of weights, which stays in the second-level cache.
const PANELS: usize = 4;

fn linear(layer: &Linear, x: &[f32], out: &mut [f32]) {
    let rows = x.len() / layer.inputs;
    for out in out.chunks_exact_mut(layer.outputs) {
        out.copy_from_slice(&layer.bias);
    }
    let mut weights = vec![0.0; layer.inputs * PANELS * PANEL];
    let mut product = vec![0.0; rows * PANELS * PANEL];
    for (step, panels) in layer.blocks.chunks(layer.blocks_per_row() * PANELS).enumerate() {
        let columns = panels.len() / layer.blocks_per_row() * PANEL;
        for (panel, blocks) in panels.chunks_exact(layer.blocks_per_row()).enumerate() {
            for (block, weights) in blocks.iter().zip(weights.chunks_exact_mut(BLOCK * PANELS * PANEL)) {
                widen(block, &mut weights[panel * PANEL..]);
            }
        }
        let x = Matrix { data: x, row_stride: layer.inputs, column_stride: 1 };
        let weights = Matrix { data: &weights, row_stride: PANELS * PANEL, column_stride: 1 };
        math::multiply(&mut product, PANELS * PANEL, 1.0, x, weights, [rows, columns, layer.inputs]);
        for (out, product) in out.chunks_exact_mut(layer.outputs).zip(product.chunks_exact(PANELS * PANEL)) {
            for (out, product) in out[step * PANELS * PANEL..].iter_mut().zip(&product[..columns]) {
                *out += product;
            }
        }
    }
}

/// Writes weight (input i, output o) of the block to `out[i * PANELS * PANEL + o]`.
fn widen(block: &WeightBlock, out: &mut [f32]) {
    for (pair, nibbles) in block.nibbles.iter().enumerate() {
        for i in 0..GROUP {
            let low = (2 * pair * GROUP + i) * PANELS * PANEL;
            let high = ((2 * pair + 1) * GROUP + i) * PANELS * PANEL;
            for output in 0..PANEL {
                let byte = nibbles[output * GROUP + i];
                out[low + output] = (i32::from(byte & 15) - q4::ZERO) as f32 * block.scales[output];
                out[high + output] = (i32::from(byte >> 4) - q4::ZERO) as f32 * block.scales[output];
            }
        }
    }
}
