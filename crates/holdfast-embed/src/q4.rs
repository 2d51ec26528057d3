//! Weights at 4 bits: the `Q4_0` blocks of ggml, as the model file stores them.
//!
//! A block is 32 consecutive weights of one row: an f16 scale `s`, then 16 bytes. Byte `j` holds weight `j` in its low half and weight
//! `j + 16` in its high half, each as `q` in 0..=15, standing for `(q - 8) * s`.
//! (<https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c>, `dequantize_row_q4_0`.)

/// Weights that share one scale.
pub(crate) const BLOCK: usize = 32;
/// Bytes of one block: the scale and the nibbles.
pub(crate) const BLOCK_BYTES: usize = 18;
/// `q` is stored shifted up by this much, so that it is never negative.
pub(crate) const ZERO: i32 = 8;

/// Bytes of one row of `columns` weights.
pub(crate) fn row_bytes(columns: usize) -> usize {
    columns / BLOCK * BLOCK_BYTES
}

/// A row-major matrix of 4-bit weights. Every scale is finite.
#[derive(Clone, Copy)]
pub(crate) struct Q4Matrix<'a> {
    blocks: &'a [[u8; BLOCK_BYTES]],
    blocks_per_row: usize,
}

impl<'a> Q4Matrix<'a> {
    /// `None` if a scale is not finite. The caller has checked that `blocks` is a whole number of rows.
    pub fn new(blocks: &'a [[u8; BLOCK_BYTES]], columns: usize) -> Option<Self> {
        let finite = blocks.iter().all(|block| scale(block).is_finite());
        finite.then_some(Self { blocks, blocks_per_row: columns / BLOCK })
    }

    pub fn blocks(&self) -> &'a [[u8; BLOCK_BYTES]] {
        self.blocks
    }

    /// The blocks of one row, `columns / 32` of them.
    pub fn row(&self, row: usize) -> &'a [[u8; BLOCK_BYTES]] {
        &self.blocks[row * self.blocks_per_row..][..self.blocks_per_row]
    }
}

/// The scale of a block.
pub(crate) fn scale(block: &[u8; BLOCK_BYTES]) -> f32 {
    f32_of_f16(u16::from_le_bytes([block[0], block[1]]))
}

/// The weights of a block as 0..=15, in order.
pub(crate) fn nibbles(block: &[u8; BLOCK_BYTES]) -> [u8; BLOCK] {
    let mut out = [0; BLOCK];
    for (j, byte) in block[2..].iter().enumerate() {
        out[j] = byte & 15;
        out[j + BLOCK / 2] = byte >> 4;
    }
    out
}

/// Writes the weights of a row of blocks; `out` has 32 floats for each block.
pub(crate) fn dequantise(blocks: &[[u8; BLOCK_BYTES]], out: &mut [f32]) {
    for (block, out) in blocks.iter().zip(out.as_chunks_mut::<BLOCK>().0) {
        let scale = scale(block);
        for (out, q) in out.iter_mut().zip(nibbles(block)) {
            *out = (i32::from(q) - ZERO) as f32 * scale;
        }
    }
}

/// IEEE 754 half to single precision, exactly.
fn f32_of_f16(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 31;
    let fraction = u32::from(half & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f32 * f32::from_bits((127 - 24) << 23), // subnormal: fraction * 2^-24
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 127 - 15) << 23 | fraction << 13),
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_widen_exactly() {
        let cases = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x2e66, 0.099_975_586),
        ];
        for (half, single) in cases {
            assert_eq!(f32_of_f16(half), single, "{half:#06x}");
        }
        assert!(f32_of_f16(0x7c00).is_infinite());
        assert!(f32_of_f16(0x7e00).is_nan());
    }

    #[test]
    fn a_block_holds_its_first_half_in_the_low_nibbles() {
        let mut block = [0x80; BLOCK_BYTES];
        (block[0], block[1]) = (0x00, 0x3c); // scale 1
        block[2] = 0xf1;
        let mut out = [0.0; BLOCK];
        dequantise(&[block], &mut out);
        assert_eq!((out[0], out[16]), (-7.0, 7.0));
        assert_eq!((out[1], out[17]), (-8.0, 0.0));
    }
}
