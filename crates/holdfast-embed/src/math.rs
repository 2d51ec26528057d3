//! The element-wise steps of the encoder, and f32 matrix products.
//!
//! The element-wise ones are plain loops, inlined into each kernel, where the compiler turns them into that kernel's vectors. Sums are
//! kept in 16 fixed lanes and nothing is fused, so the result does not depend on the width of the vectors.

/// `e^x`, off by 2e-7 of it near 0 and 5e-6 at the ends of -80..=88, and `e^-80` below: `2^(i + f)` with `i` an integer, `|f| <= 1/2`, and a polynomial for `2^f`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 rounds to an integer, and leaves it in the low bits.
    const TO_INTEGER: f32 = 12_582_912.0;
    // e^-80 is nothing in any sum here, yet far enough from the subnormal numbers, which processors multiply very slowly.
    let t = x.clamp(-80.0, 88.0) * std::f32::consts::LOG2_E;
    let shifted = t + TO_INTEGER;
    let f = t - (shifted - TO_INTEGER);
    // Taylor coefficients ln(2)^n / n!, nudged for the interval.
    let power = 0.001_333_36 + f * 0.000_154_04;
    let power = 0.055_504_11 + f * (0.009_618_13 + f * power);
    let power = 1.0 + f * (std::f32::consts::LN_2 + f * (0.240_226_5 + f * power));
    let exponent = shifted.to_bits().wrapping_shl(23).wrapping_add(127 << 23);
    f32::from_bits(exponent) * power
}

/// Gaussian error linear unit in place, `x Phi(x)` (Hendrycks & Gimpel 2016, arXiv:1606.08415), with the error function from
/// Abramowitz & Stegun 7.1.26 (off by at most 1.5e-7).
#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for x in values {
        let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / (1.0 + 0.327_591_1 * z);
        let tail = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6)
            * t
            * exp(-z * z);
        *x = 0.5 * *x * (1.0 + (1.0 - tail).copysign(*x));
    }
}

/// Scale and shift of a layer normalisation; both have the length of a row.
pub(crate) struct Norm {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// Layer normalisation of each row (Ba et al. 2016, arXiv:1607.06450) of `x + y`, written to `x`.
#[inline(always)]
pub(crate) fn add_and_normalise(x: &mut [f32], y: &[f32], norm: &Norm) {
    const EPSILON: f32 = 1e-12;
    let width = norm.weight.len();
    for (x, y) in x.chunks_exact_mut(width).zip(y.chunks_exact(width)) {
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
        let mean = sum(x, |value| value) / width as f32;
        let variance = sum(x, |value| (value - mean) * (value - mean)) / width as f32;
        let factor = 1.0 / (variance + EPSILON).sqrt();
        for ((x, weight), bias) in x.iter_mut().zip(&norm.weight).zip(&norm.bias) {
            *x = (*x - mean) * factor * weight + bias;
        }
    }
}

/// Numbers handled in parallel where an order has to be chosen.
pub(crate) const LANES: usize = 16;

/// Softmax of the first `width` numbers of each row in place. A row has `stride` numbers, `width` rounded up to whole [`LANES`]; what
/// follows the first `width` is overwritten.
#[inline(always)]
pub(crate) fn softmax(values: &mut [f32], width: usize, stride: usize) {
    for row in values.chunks_exact_mut(stride) {
        row[width..].fill(f32::MIN);
        let chunks = row.as_chunks_mut::<LANES>().0;
        let mut largest = [f32::MIN; LANES];
        for chunk in &*chunks {
            for (largest, value) in largest.iter_mut().zip(chunk) {
                *largest = larger(*largest, *value);
            }
        }
        let largest = reduce(largest, larger);
        let mut sums = [0.0; LANES];
        for chunk in &mut *chunks {
            for (sum, value) in sums.iter_mut().zip(chunk) {
                *value = exp(*value - largest);
                *sum += *value;
            }
        }
        let factor = 1.0 / reduce(sums, |a, b| a + b);
        for chunk in chunks {
            for value in chunk {
                *value *= factor;
            }
        }
    }
}

/// Sum of `term` over the values.
#[inline(always)]
fn sum(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += term(*value);
        }
    }
    rest.iter().fold(reduce(sums, |a, b| a + b), |sum, value| sum + term(*value))
}

/// The lanes combined into one, halving their number four times. Three plain loops of fixed length, because only these become vectors.
#[inline(always)]
pub(crate) fn reduce(lanes: [f32; LANES], combine: impl Fn(f32, f32) -> f32) -> f32 {
    let (mut eight, mut four) = ([0.0; 8], [0.0; 4]);
    for lane in 0..8 {
        eight[lane] = combine(lanes[lane], lanes[lane + 8]);
    }
    for lane in 0..4 {
        four[lane] = combine(eight[lane], eight[lane + 4]);
    }
    combine(combine(four[0], four[2]), combine(four[1], four[3]))
}

/// The larger of two numbers, neither being NaN; unlike `f32::max`, one instruction.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Scales a vector to length 1; leaves a zero vector alone.
pub(crate) fn to_unit_length(vector: &mut [f32]) {
    let length = sum(vector, |value| value * value).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// A matrix inside a slice: element (r, c) is `data[r * row_stride + c * column_stride]`.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub data: &'a [f32],
    pub row_stride: usize,
    pub column_stride: usize,
}

/// `out[r * out_stride + c] = factor * sum over i of a(r, i) * b(i, c)`, for `rows` x `columns` results of `inner` products each.
#[expect(unsafe_code, reason = "the gemm crate takes pointers")]
pub(crate) fn multiply(
    out: &mut [f32],
    out_stride: usize,
    factor: f32,
    a: Matrix<'_>,
    b: Matrix<'_>,
    [rows, columns, inner]: [usize; 3],
) {
    if rows == 0 || columns == 0 || inner == 0 {
        return;
    }
    let last = |rows: usize, columns: usize, row_stride, column_stride| {
        (rows - 1) * row_stride + (columns - 1) * column_stride
    };
    assert!(last(rows, columns, out_stride, 1) < out.len() && columns <= out_stride);
    assert!(last(rows, inner, a.row_stride, a.column_stride) < a.data.len());
    assert!(last(inner, columns, b.row_stride, b.column_stride) < b.data.len());
    // SAFETY: the last element each operand is read or written at, by the strides given here, is inside its slice (asserted above);
    // `out` does not overlap the inputs because it is borrowed mutably, and its rows do not overlap each other.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.as_mut_ptr(),
            1,
            out_stride as isize,
            false,
            a.data.as_ptr(),
            a.column_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            1.0,
            factor,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_over_its_range() {
        for i in -8000..=8700 {
            let x = i as f32 / 100.0;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 1e-5, "exp({x}) = {} not {expected}", exp(x));
        }
    }

    #[test]
    fn gelu_matches_known_values() {
        let mut values = [-3.0, -1.0, 0.0, 0.5, 1.0, 4.0];
        gelu(&mut values);
        let expected = [-0.004_049_694, -0.158_655_25, 0.0, 0.345_731_23, 0.841_344_8, 3.999_873_3];
        for (got, expected) in values.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-6, "{got} not {expected}");
        }
    }

    #[test]
    fn softmax_of_equal_values_is_even() {
        let mut values = [7.0; 2 * 32];
        softmax(&mut values, 20, 32);
        for row in values.chunks(32) {
            assert!(row[..20].iter().all(|value| (value - 0.05).abs() < 1e-7));
            assert!(row[20..].iter().all(|value| *value < 1e-30));
        }
    }

    #[test]
    fn multiply_follows_strides() {
        let a = Matrix { data: &[1.0, 2.0, 3.0, 4.0], row_stride: 2, column_stride: 1 };
        let transposed = Matrix { data: a.data, row_stride: 1, column_stride: 2 };
        let mut out = [0.0; 4];
        multiply(&mut out, 2, 2.0, a, transposed, [2, 2, 2]);
        assert_eq!(out, [10.0, 22.0, 22.0, 50.0]);
    }
}
