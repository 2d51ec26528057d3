//! The inner loops of dense search: one-bit codes against a query of four bits, eight vectors at a time, the best of what comes out, and
//! the exact look at those. It knows nothing of rows or stores.

use half::f16;
use half::slice::HalfFloatSliceExt;

/// Vectors that share a block: their words lie side by side, so that one instruction works on all of them.
pub(super) const LANES: usize = 8;

/// Bits that each number of a query keeps: with 4, the error of the query is far below that of one-bit codes (RaBitQ, fig. 4).
const QUERY_BITS: usize = 4;

/// The query's numbers in levels, cut into bit planes: plane b holds bit b of every number's level.
pub(super) struct QueryPlanes {
    planes: Vec<[u64; QUERY_BITS]>,
    lowest: f32,
    step: f32,
    sum: f32,
}

impl QueryPlanes {
    pub(super) fn new(query: &[f32], words: usize) -> Self {
        let lowest = query.iter().copied().fold(f32::INFINITY, f32::min);
        let highest = query.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let levels = ((1 << QUERY_BITS) - 1) as f32;
        let step = ((highest - lowest) / levels).max(f32::MIN_POSITIVE);
        let mut planes = vec![[0; QUERY_BITS]; words];
        for (i, &x) in query.iter().enumerate() {
            let level = ((x - lowest) / step).round() as u64;
            for (bit, plane) in planes[i / 64].iter_mut().enumerate() {
                *plane |= (level >> bit & 1) << (i % 64);
            }
        }
        Self { planes, lowest, step, sum: query.iter().sum() }
    }

    /// Of the query and a vector of signs ±1, from the sums over the positive ones.
    #[inline(always)]
    pub(super) fn inner_product(&self, sums: &Sums, lane: usize) -> f32 {
        2.0 * (self.lowest * sums.ones[lane] as f32 + self.step * sums.levels[lane] as f32) - self.sum
    }
}

/// Over the positive signs of a block's vectors: how many, and their query levels added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    ones: [u32; LANES],
    levels: [u32; LANES],
}

/// Gives `take` each block's number and sums, by the fastest way this processor has.
pub(super) fn scan(blocks: &[u64], query: &QueryPlanes, take: impl FnMut(usize, &Sums)) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
        {
            // SAFETY: the processor has just been asked for all of them.
            #[expect(unsafe_code, reason = "a function with target features may only be called after asking for them")]
            unsafe {
                return scan_avx512(blocks, query, take);
            }
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has just been asked for it.
            #[expect(unsafe_code, reason = "a function with target features may only be called after asking for them")]
            unsafe {
                return scan_popcnt(blocks, query, take);
            }
        }
    }
    scan_portable(blocks, query, take);
}

/// A block's word is one register, a query's plane one value in all of its lanes. Left to itself the compiler takes registers of
/// half the width and ten times as long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
fn scan_avx512(blocks: &[u64], query: &QueryPlanes, mut take: impl FnMut(usize, &Sums)) {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_storeu_si256, _mm512_add_epi64, _mm512_and_si512, _mm512_cvtepi64_epi32,
        _mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64,
    };
    for (number, block) in blocks.chunks_exact(query.planes.len() * LANES).enumerate() {
        let mut ones = _mm512_setzero_si512();
        let mut by_bit = [_mm512_setzero_si512(); QUERY_BITS];
        for (words, planes) in block.as_chunks::<LANES>().0.iter().zip(&query.planes) {
            // SAFETY: `words` is eight numbers of 64 bits, which is what is read, and may begin anywhere.
            #[expect(unsafe_code, reason = "loading a register takes a pointer")]
            let words = unsafe { _mm512_loadu_si512(std::ptr::from_ref(words).cast::<__m512i>()) };
            ones = _mm512_add_epi64(ones, _mm512_popcnt_epi64(words));
            for bit in 0..QUERY_BITS {
                let both = _mm512_and_si512(words, _mm512_set1_epi64(planes[bit].cast_signed()));
                by_bit[bit] = _mm512_add_epi64(by_bit[bit], _mm512_popcnt_epi64(both));
            }
        }
        let [ones_of_bit_0, twos, fours, eights] = by_bit;
        let levels = _mm512_add_epi64(
            _mm512_add_epi64(ones_of_bit_0, _mm512_slli_epi64::<1>(twos)),
            _mm512_add_epi64(_mm512_slli_epi64::<2>(fours), _mm512_slli_epi64::<3>(eights)),
        );
        let mut sums = Sums::default();
        // SAFETY: each array is eight numbers of 32 bits, which is what is written, and may begin anywhere.
        #[expect(unsafe_code, reason = "storing a register takes a pointer")]
        unsafe {
            let (to_ones, to_levels) = (sums.ones.as_mut_ptr().cast::<__m256i>(), sums.levels.as_mut_ptr());
            _mm256_storeu_si256(to_ones, _mm512_cvtepi64_epi32(ones));
            _mm256_storeu_si256(to_levels.cast::<__m256i>(), _mm512_cvtepi64_epi32(levels));
        }
        take(number, &sums);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_popcnt(blocks: &[u64], query: &QueryPlanes, take: impl FnMut(usize, &Sums)) {
    scan_portable(blocks, query, take);
}

/// Written so that the compiler turns the loop over lanes into one instruction where there is one.
#[inline(always)]
fn scan_portable(blocks: &[u64], query: &QueryPlanes, mut take: impl FnMut(usize, &Sums)) {
    for (number, block) in blocks.chunks_exact(query.planes.len() * LANES).enumerate() {
        let mut ones = [0_u64; LANES];
        let mut by_bit = [[0_u64; LANES]; QUERY_BITS];
        for (words, planes) in block.chunks_exact(LANES).zip(&query.planes) {
            for lane in 0..LANES {
                ones[lane] += u64::from(words[lane].count_ones());
            }
            for (sums, plane) in by_bit.iter_mut().zip(planes) {
                for lane in 0..LANES {
                    sums[lane] += u64::from((words[lane] & plane).count_ones());
                }
            }
        }
        let mut sums = Sums::default();
        for lane in 0..LANES {
            sums.ones[lane] = ones[lane] as u32;
            sums.levels[lane] = by_bit.iter().enumerate().map(|(bit, counts)| (counts[lane] as u32) << bit).sum();
        }
        take(number, &sums);
    }
}

/// Numbers of a vector that are added up beside each other, in 16 sums: so the order of the additions, and with it each last bit, is the
/// same on every processor.
const SUMS: usize = 16;

/// Of a vector x, less a centre, and a direction: their inner product, and the square of x's length. All are equally long.
pub(super) fn compare(vector: &[f16], centre: &[f32], direction: &[f32]) -> (f32, f32) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has just been asked for it.
            #[expect(unsafe_code, reason = "a function with target features may only be called after asking for them")]
            unsafe {
                return compare_avx512(vector, centre, direction);
            }
        }
    }
    compare_portable(vector, centre, direction)
}

/// Multiplies and adds in two steps, as the portable way does, not in one, which would round otherwise.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn compare_avx512(vector: &[f16], centre: &[f32], direction: &[f32]) -> (f32, f32) {
    use std::arch::x86_64::{
        __m256i, _mm256_loadu_si256, _mm512_add_ps, _mm512_cvtph_ps, _mm512_loadu_ps, _mm512_mul_ps, _mm512_setzero_ps,
        _mm512_storeu_ps, _mm512_sub_ps,
    };
    let (vectors, rest) = vector.as_chunks::<SUMS>();
    let ((centres, rest_of_centre), (directions, rest_of_direction)) = (centre.as_chunks(), direction.as_chunks());
    let (mut inner, mut squares) = (_mm512_setzero_ps(), _mm512_setzero_ps());
    for ((x, c), d) in vectors.iter().zip(centres).zip(directions) {
        let (c, d): (&[f32; SUMS], &[f32; SUMS]) = (c, d);
        // SAFETY: `x` is sixteen numbers of 16 bits, `c` and `d` are sixteen of 32, which is what is read, and may begin anywhere.
        #[expect(unsafe_code, reason = "loading a register takes a pointer")]
        let (x, c, d) = unsafe {
            let x = _mm256_loadu_si256(std::ptr::from_ref(x).cast::<__m256i>());
            (_mm512_cvtph_ps(x), _mm512_loadu_ps(c.as_ptr()), _mm512_loadu_ps(d.as_ptr()))
        };
        let x = _mm512_sub_ps(x, c);
        inner = _mm512_add_ps(inner, _mm512_mul_ps(x, d));
        squares = _mm512_add_ps(squares, _mm512_mul_ps(x, x));
    }
    let mut sums = ([0.0; SUMS], [0.0; SUMS]);
    // SAFETY: each array is sixteen numbers of 32 bits, which is what is written, and may begin anywhere.
    #[expect(unsafe_code, reason = "storing a register takes a pointer")]
    unsafe {
        _mm512_storeu_ps(sums.0.as_mut_ptr(), inner);
        _mm512_storeu_ps(sums.1.as_mut_ptr(), squares);
    }
    add_to(&mut sums, rest, rest_of_centre, rest_of_direction);
    (sums.0.iter().sum(), sums.1.iter().sum())
}

fn compare_portable(vector: &[f16], centre: &[f32], direction: &[f32]) -> (f32, f32) {
    let mut sums = ([0.0; SUMS], [0.0; SUMS]);
    for ((x, c), d) in vector.chunks(SUMS).zip(centre.chunks(SUMS)).zip(direction.chunks(SUMS)) {
        add_to(&mut sums, x, c, d);
    }
    (sums.0.iter().sum(), sums.1.iter().sum())
}

/// Adds up to 16 numbers of each.
#[inline(always)]
fn add_to((inner, squares): &mut ([f32; SUMS], [f32; SUMS]), vector: &[f16], centre: &[f32], direction: &[f32]) {
    let mut xs = [0.0; SUMS];
    vector.convert_to_f32_slice(&mut xs[..vector.len()]);
    for (place, ((x, c), d)) in xs.iter().zip(centre).zip(direction).enumerate() {
        let x = x - c;
        inner[place] += x * d;
        squares[place] += x * x;
    }
}

/// The best few of many, without sorting the many.
pub(super) struct Top {
    wanted: usize,
    /// Nothing at or below this can still be among them.
    pub(super) threshold: f32,
    found: Vec<(f32, usize)>,
}

impl Top {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, threshold: f32::NEG_INFINITY, found: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, score: f32, index: usize) {
        self.found.push((score, index));
        if self.found.len() >= self.wanted.saturating_mul(4) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.wanted == 0 {
            self.found.clear();
        } else if self.found.len() > self.wanted {
            self.found.select_nth_unstable_by(self.wanted - 1, best_first);
            self.found.truncate(self.wanted);
            self.threshold = self.found[self.wanted - 1].0;
        }
    }

    pub(super) fn finish(mut self) -> Vec<usize> {
        self.shrink();
        self.found.into_iter().map(|(_, index)| index).collect()
    }
}

/// Higher scores first; between equals the earlier, so that the same rows give the same answer.
fn best_first<T: Ord>(a: &(f32, T), b: &(f32, T)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::samples::Random;

    type Kernel = fn(&[u64], &QueryPlanes) -> Vec<Sums>;

    fn collect(scan: impl FnOnce(&mut dyn FnMut(usize, &Sums))) -> Vec<Sums> {
        let mut all = Vec::new();
        scan(&mut |number, sums| {
            assert_eq!(number, all.len());
            all.push(*sums);
        });
        all
    }

    fn naive(blocks: &[u64], query: &[f32], planes: &QueryPlanes, words: usize) -> Vec<Sums> {
        let blocks = blocks.chunks_exact(words * LANES).map(|block| {
            let mut sums = Sums::default();
            for lane in 0..LANES {
                for i in 0..query.len() {
                    if block[i / 64 * LANES + lane] >> (i % 64) & 1 == 1 {
                        sums.ones[lane] += 1;
                        let bits = planes.planes[i / 64].iter().enumerate();
                        sums.levels[lane] += bits.map(|(b, plane)| ((plane >> (i % 64) & 1) as u32) << b).sum::<u32>();
                    }
                }
            }
            sums
        });
        blocks.collect()
    }

    #[test]
    fn every_way_gives_the_same_sums() {
        let mut random = Random::new(3);
        for dimension in [1, 64, 70, 384, 1024] {
            let words = usize::div_ceil(dimension, 64);
            let query: Vec<f32> = (0..dimension).map(|_| random.unit() as f32 - 0.5).collect();
            let planes = QueryPlanes::new(&query, words);
            let mut blocks: Vec<u64> = (0..words * LANES * 5).map(|_| random.next()).collect();
            // As `Codes` keeps them: no bits beyond the dimension.
            for (place, word) in blocks.iter_mut().enumerate() {
                let first = place / LANES % words * 64;
                if dimension - first < 64 {
                    *word &= (1 << (dimension - first)) - 1;
                }
            }
            let expected = naive(&blocks, &query, &planes, words);
            let ways: [Kernel; 2] = [
                |blocks, planes| collect(|take| scan(blocks, planes, take)),
                |blocks, planes| collect(|take| scan_portable(blocks, planes, take)),
            ];
            for way in ways {
                assert_eq!(way(&blocks, &planes), expected, "{dimension}");
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("popcnt") {
                // SAFETY: the processor has just been asked for it.
                #[expect(unsafe_code, reason = "the fastest way hides this one from `scan`")]
                let sums = collect(|take| unsafe { scan_popcnt(&blocks, &planes, take) });
                assert_eq!(sums, expected, "{dimension}");
            }
        }
    }

    #[test]
    fn every_way_compares_alike() {
        let mut random = Random::new(6);
        for dimension in [0, 1, 15, 16, 40, 384, 1_023] {
            let mut numbers = || -> Vec<f32> { (0..dimension).map(|_| random.unit() as f32 - 0.5).collect() };
            let (vector, centre, direction) = (numbers(), numbers(), numbers());
            let halves: Vec<f16> = vector.iter().map(|x| f16::from_f32(*x)).collect();
            let (inner, squares) = compare(&halves, &centre, &direction);
            let portable = compare_portable(&halves, &centre, &direction);
            assert_eq!(
                (inner.to_bits(), squares.to_bits()),
                (portable.0.to_bits(), portable.1.to_bits()),
                "{dimension}"
            );
            let differences = halves.iter().zip(&centre).map(|(x, c)| f64::from(x.to_f32()) - f64::from(*c));
            let exact: f64 = differences.clone().zip(&direction).map(|(x, d)| x * f64::from(*d)).sum();
            assert!((f64::from(inner) - exact).abs() < 1e-4, "{dimension}: {inner} {exact}");
            let exact: f64 = differences.map(|x| x * x).sum();
            assert!((f64::from(squares) - exact).abs() < 1e-3, "{dimension}: {squares} {exact}");
        }
    }

    #[test]
    fn four_bits_of_a_query_are_nearly_all_of_it() {
        let mut random = Random::new(4);
        let query: Vec<f32> = (0..384).map(|_| random.unit() as f32 - 0.5).collect();
        let planes = QueryPlanes::new(&query, 6);
        let block: Vec<u64> = (0..6 * LANES).map(|_| random.next()).collect();
        scan(&block, &planes, |_, sums| {
            for lane in 0..LANES {
                let sign = |i: usize| if block[i / 64 * LANES + lane] >> (i % 64) & 1 == 1 { 1.0 } else { -1.0 };
                let exact: f32 = query.iter().enumerate().map(|(i, x)| x * sign(i)).sum();
                // Rounding errors of 384 numbers, each at most half a step, mostly cancel out.
                let error = (planes.inner_product(sums, lane) - exact).abs();
                assert!(error < planes.step * 384_f32.sqrt() * 2.0, "{error}");
            }
        });
    }

    #[test]
    fn odd_queries_do_no_harm() {
        for query in [vec![0.0; 70], vec![f32::NAN; 70], vec![f32::INFINITY; 70], vec![f32::MAX; 70]] {
            let planes = QueryPlanes::new(&query, 2);
            scan(&[u64::MAX; 2 * LANES], &planes, |_, sums| assert_eq!(sums.ones, [128; LANES]));
        }
    }

    #[test]
    fn the_top_is_what_sorting_gives() {
        let mut random = Random::new(5);
        for wanted in [0, 1, 3, 100, 2_000, usize::MAX] {
            let scores: Vec<f32> = (0..1_000).map(|_| random.below(300) as f32).collect();
            let mut top = Top::new(wanted);
            for (index, score) in scores.iter().enumerate() {
                if *score > top.threshold {
                    top.push(*score, index);
                }
            }
            let mut expected: Vec<(f32, usize)> = scores.iter().copied().zip(0..).collect();
            expected.sort_by(best_first);
            expected.truncate(wanted);
            let mut found: Vec<(f32, usize)> = top.finish().into_iter().map(|index| (scores[index], index)).collect();
            found.sort_by(best_first);
            assert_eq!(found, expected, "{wanted}");
        }
    }
}
