//! x86-64 with AVX-512 VNNI: `vpdpbusd` multiplies four unsigned by four signed bytes and adds the products to a 32-bit lane.

#![expect(
    unsafe_code,
    reason = "vector loads and stores take pointers; calling a #[target_feature] function needs a promise"
)]

use std::arch::x86_64::*;

use super::Operations;
use super::input::{InputBlock, rows};
use crate::linear::{GROUPS, Linear, PANEL, WeightBlock};
use crate::math::{self, Norm};
use crate::q4::BLOCK;

/// Whether this processor has what every function here needs.
pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vnni")
}

// SAFETY, for each closure: the table is reached through `Kernel::operations` alone, which has asked `detected` first.
pub(super) static OPERATIONS: Operations = Operations {
    linear: |layer, x, out| unsafe { linear(layer, x, out) },
    gelu: |values| unsafe { gelu(values) },
    add_and_normalise: |x, y, norm| unsafe { add_and_normalise(x, y, norm) },
    softmax: |values, width, stride| unsafe { softmax(values, width, stride) },
};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn gelu(values: &mut [f32]) {
    math::gelu(values);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn add_and_normalise(x: &mut [f32], y: &[f32], norm: &Norm) {
    math::add_and_normalise(x, y, norm);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn softmax(values: &mut [f32], width: usize, stride: usize) {
    math::softmax(values, width, stride);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn rounded(x: &[f32]) -> Vec<InputBlock> {
    let mut blocks = Vec::with_capacity(x.len() / BLOCK);
    // A loop, not an iterator chain: a closure would be compiled without the vectors enabled here.
    for inputs in x.as_chunks::<BLOCK>().0 {
        blocks.push(InputBlock::new(inputs));
    }
    blocks
}

/// Rows computed together. Twelve sums, twelve totals, weights and an input just fit into the 32 registers.
const ROWS: usize = 6;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn linear(layer: &Linear, x: &[f32], out: &mut [f32]) {
    let inputs = rounded(x);
    let per_row = layer.blocks_per_row();
    for (pair, weights) in layer.blocks.chunks_exact(2 * per_row).enumerate() {
        let weights = weights.split_at(per_row);
        let first_output = pair * 2 * PANEL;
        for (inputs, out) in inputs.chunks(ROWS * per_row).zip(out.chunks_mut(ROWS * layer.outputs)) {
            match inputs.len() / per_row {
                6 => tile::<6>(weights, inputs, layer, first_output, out),
                5 => tile::<5>(weights, inputs, layer, first_output, out),
                4 => tile::<4>(weights, inputs, layer, first_output, out),
                3 => tile::<3>(weights, inputs, layer, first_output, out),
                2 => tile::<2>(weights, inputs, layer, first_output, out),
                _ => tile::<1>(weights, inputs, layer, first_output, out),
            }
        }
    }
}

/// Two panels (32 outputs) of `R` rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn tile<const R: usize>(
    (left, right): (&[WeightBlock], &[WeightBlock]),
    inputs: &[InputBlock],
    layer: &Linear,
    first_output: usize,
    out: &mut [f32],
) {
    let inputs = rows::<R>(inputs, layer.blocks_per_row());
    let low_half = _mm512_set1_epi8(15);
    let bias = &layer.bias[first_output..][..2 * PANEL];
    let mut totals = [[load_floats(&bias[..PANEL]), load_floats(&bias[PANEL..])]; R];
    for (block, (left, right)) in left.iter().zip(right).enumerate() {
        let mut sums = [[_mm512_setzero_si512(); 2]; R];
        for row in 0..R {
            sums[row] = [_mm512_set1_epi32(inputs[row][block].correction); 2];
        }
        for pair in 0..GROUPS / 2 {
            let bytes = [load_bytes(&left.nibbles[pair]), load_bytes(&right.nibbles[pair])];
            let low = [_mm512_and_si512(bytes[0], low_half), _mm512_and_si512(bytes[1], low_half)];
            let high = [_mm512_srli_epi16::<4>(bytes[0]), _mm512_srli_epi16::<4>(bytes[1])];
            let high = [_mm512_and_si512(high[0], low_half), _mm512_and_si512(high[1], low_half)];
            for (group, weights) in [(2 * pair, low), (2 * pair + 1, high)] {
                for row in 0..R {
                    let input = _mm512_set1_epi32(inputs[row][block].group(group));
                    sums[row][0] = _mm512_dpbusd_epi32(sums[row][0], weights[0], input);
                    sums[row][1] = _mm512_dpbusd_epi32(sums[row][1], weights[1], input);
                }
            }
        }
        let scales = [load_floats(&left.scales), load_floats(&right.scales)];
        for row in 0..R {
            let input_scale = _mm512_set1_ps(inputs[row][block].scale);
            for panel in 0..2 {
                let scale = _mm512_mul_ps(scales[panel], input_scale);
                totals[row][panel] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums[row][panel]), scale, totals[row][panel]);
            }
        }
    }
    for (row, totals) in totals.iter().enumerate() {
        let out = &mut out[row * layer.outputs + first_output..][..2 * PANEL];
        store_floats(totals[0], &mut out[..PANEL]);
        store_floats(totals[1], &mut out[PANEL..]);
    }
}

#[target_feature(enable = "avx512f")]
fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: reads exactly the 64 bytes borrowed; the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn load_floats(floats: &[f32]) -> __m512 {
    assert_eq!(floats.len(), PANEL);
    // SAFETY: reads exactly the 16 floats borrowed; the load needs no alignment.
    unsafe { _mm512_loadu_ps(floats.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
fn store_floats(values: __m512, floats: &mut [f32]) {
    assert_eq!(floats.len(), PANEL);
    // SAFETY: writes exactly the 16 floats borrowed; the store needs no alignment.
    unsafe { _mm512_storeu_ps(floats.as_mut_ptr(), values) }
}
