//! x86-64 with AVX2 and FMA: `vpmaddubsw` multiplies unsigned by signed bytes and adds neighbours to 16 bits.
//!
//! That instruction saturates, but not here: a weight is at most 15 and an input at most 127 in magnitude, so a pair of products is at
//! most 3810, and the eight pairs of a block at most 30480, which still fits.

#![expect(
    unsafe_code,
    reason = "vector loads and stores take pointers; calling a #[target_feature] function needs a promise"
)]

use std::arch::x86_64::*;

use super::Operations;
use super::input::{InputBlock, rows};
use crate::linear::{GROUP, GROUPS, Linear, PANEL, WeightBlock};
use crate::math::{self, Norm};
use crate::q4::BLOCK;

/// Whether this processor has what every function here needs.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

// SAFETY, for each closure: the table is reached through `Kernel::operations` alone, which has asked `detected` first.
pub(super) static OPERATIONS: Operations = Operations {
    linear: |layer, x, out| unsafe { linear(layer, x, out) },
    gelu: |values| unsafe { gelu(values) },
    add_and_normalise: |x, y, norm| unsafe { add_and_normalise(x, y, norm) },
    softmax: |values, width, stride| unsafe { softmax(values, width, stride) },
};

#[target_feature(enable = "avx2,fma")]
fn gelu(values: &mut [f32]) {
    math::gelu(values);
}

#[target_feature(enable = "avx2,fma")]
fn add_and_normalise(x: &mut [f32], y: &[f32], norm: &Norm) {
    math::add_and_normalise(x, y, norm);
}

#[target_feature(enable = "avx2,fma")]
fn softmax(values: &mut [f32], width: usize, stride: usize) {
    math::softmax(values, width, stride);
}

/// Outputs in one register of 32-bit sums: half a panel.
const HALF: usize = PANEL / 2;
#[target_feature(enable = "avx2,fma")]
fn rounded(x: &[f32]) -> Vec<InputBlock> {
    let mut blocks = Vec::with_capacity(x.len() / BLOCK);
    // A loop, not an iterator chain: a closure would be compiled without the vectors enabled here.
    for inputs in x.as_chunks::<BLOCK>().0 {
        blocks.push(InputBlock::new(inputs));
    }
    blocks
}

/// Rows computed together. Four sums, four totals and the weights fit into the 16 registers.
const ROWS: usize = 4;

#[target_feature(enable = "avx2,fma")]
fn linear(layer: &Linear, x: &[f32], out: &mut [f32]) {
    let inputs = rounded(x);
    let per_row = layer.blocks_per_row();
    for (panel, weights) in layer.blocks.chunks_exact(per_row).enumerate() {
        for half in 0..2 {
            let first_output = panel * PANEL + half * HALF;
            for (inputs, out) in inputs.chunks(ROWS * per_row).zip(out.chunks_mut(ROWS * layer.outputs)) {
                match inputs.len() / per_row {
                    4 => tile::<4>(weights, half, inputs, layer, first_output, out),
                    3 => tile::<3>(weights, half, inputs, layer, first_output, out),
                    2 => tile::<2>(weights, half, inputs, layer, first_output, out),
                    _ => tile::<1>(weights, half, inputs, layer, first_output, out),
                }
            }
        }
    }
}

/// Half a panel (8 outputs) of `R` rows.
#[target_feature(enable = "avx2,fma")]
fn tile<const R: usize>(
    weights: &[WeightBlock],
    half: usize,
    inputs: &[InputBlock],
    layer: &Linear,
    first_output: usize,
    out: &mut [f32],
) {
    let per_row = layer.blocks_per_row();
    let inputs = rows::<R>(inputs, per_row);
    let low_half = _mm256_set1_epi8(15);
    let ones = _mm256_set1_epi16(1);
    let mut totals = [load_floats(&layer.bias[first_output..][..HALF]); R];
    for (block, weights) in weights.iter().enumerate() {
        let mut pairs_of_pairs = [_mm256_setzero_si256(); R];
        for pair in 0..GROUPS / 2 {
            let bytes = load_bytes(&weights.nibbles[pair].as_chunks::<{ HALF * GROUP }>().0[half]);
            let low = _mm256_and_si256(bytes, low_half);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low_half);
            for row in 0..R {
                let low_input = _mm256_set1_epi32(inputs[row][block].group(2 * pair));
                let high_input = _mm256_set1_epi32(inputs[row][block].group(2 * pair + 1));
                let products =
                    _mm256_add_epi16(_mm256_maddubs_epi16(low, low_input), _mm256_maddubs_epi16(high, high_input));
                pairs_of_pairs[row] = _mm256_add_epi16(pairs_of_pairs[row], products);
            }
        }
        let scales = load_floats(&weights.scales.as_chunks::<HALF>().0[half]);
        for row in 0..R {
            let input = &inputs[row][block];
            let sums =
                _mm256_add_epi32(_mm256_madd_epi16(pairs_of_pairs[row], ones), _mm256_set1_epi32(input.correction));
            let scale = _mm256_mul_ps(scales, _mm256_set1_ps(input.scale));
            totals[row] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), scale, totals[row]);
        }
    }
    for (row, totals) in totals.iter().enumerate() {
        store_floats(*totals, &mut out[row * layer.outputs + first_output..][..HALF]);
    }
}

#[target_feature(enable = "avx2")]
fn load_bytes(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: reads exactly the 32 bytes borrowed; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn load_floats(floats: &[f32]) -> __m256 {
    assert_eq!(floats.len(), HALF);
    // SAFETY: reads exactly the 8 floats borrowed; the load needs no alignment.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
}

#[target_feature(enable = "avx2")]
fn store_floats(values: __m256, floats: &mut [f32]) {
    assert_eq!(floats.len(), HALF);
    // SAFETY: writes exactly the 8 floats borrowed; the store needs no alignment.
    unsafe { _mm256_storeu_ps(floats.as_mut_ptr(), values) }
}
