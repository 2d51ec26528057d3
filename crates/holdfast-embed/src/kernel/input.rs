//! The inputs of a linear layer, rounded to 8 bits for the integer kernels.

use crate::linear::GROUP;
use crate::math::{LANES, larger, reduce};
use crate::q4::{self, BLOCK};

/// 32 consecutive inputs of one row, rounded to 8 bits.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct InputBlock {
    /// -127..=127 as two's complement.
    pub values: [u8; BLOCK],
    pub scale: f32,
    /// `-8 sum a`: the correction for weights being stored with 8 added.
    pub correction: i32,
}

impl InputBlock {
    /// Rounds 32 inputs to the nearest of 255 evenly spaced values, the largest magnitude being 127.
    #[inline(always)]
    pub fn new(inputs: &[f32; BLOCK]) -> Self {
        // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the float.
        const TO_INTEGER: f32 = 12_582_912.0;
        // With all 32 inputs zero any scale will do; this one keeps the division finite.
        const LARGEST_MIN: f32 = 1e-30;
        let mut magnitudes = [LARGEST_MIN; LANES];
        for half in inputs.as_chunks::<LANES>().0 {
            for (largest, input) in magnitudes.iter_mut().zip(half) {
                *largest = larger(*largest, input.abs());
            }
        }
        let largest = reduce(magnitudes, larger);
        let to_steps = 127.0 / largest;
        let mut values = [0; BLOCK];
        let mut sum = 0;
        for (value, input) in values.iter_mut().zip(inputs) {
            let steps = (input * to_steps + TO_INTEGER).to_bits() as i8;
            *value = steps as u8;
            sum += i32::from(steps);
        }
        Self { values, scale: largest / 127.0, correction: -q4::ZERO * sum }
    }

    /// Four neighbouring inputs as they lie in memory.
    #[inline(always)]
    pub fn group(&self, group: usize) -> i32 {
        i32::from_ne_bytes(self.values.as_chunks::<GROUP>().0[group])
    }
}

/// The first `R` rows of rounded inputs, `per_row` blocks each.
#[inline(always)]
pub(crate) fn rows<const R: usize>(inputs: &[InputBlock], per_row: usize) -> [&[InputBlock]; R] {
    std::array::from_fn(|row| &inputs[row * per_row..][..per_row])
}
