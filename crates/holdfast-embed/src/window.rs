//! Cutting a long token sequence into overlapping windows that the encoder can take.

use std::ops::Range;

/// Tokens that neighbouring windows share, so that a sentence cut by one border is whole on the other side.
pub(crate) const OVERLAP: usize = 64;

/// Windows over `length` tokens, none longer than `longest`, in order and together covering all. Their lengths differ by at most one,
/// for the vector of a window of a few tokens would say little.
/// For texts of more than [`OVERLAP`] tokens.
pub(crate) fn windows(length: usize, longest: usize) -> Vec<Range<usize>> {
    let count = (length - OVERLAP).div_ceil(longest - OVERLAP);
    // `count` windows with `count - 1` overlaps hold `length` tokens; the ends are spread evenly.
    let fresh = length - OVERLAP;
    (0..count).map(|window| fresh * window / count..OVERLAP + fresh * (window + 1) / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_all_and_overlap() {
        for length in OVERLAP + 1..6000 {
            let windows = windows(length, 500);
            assert_eq!((windows[0].start, windows[windows.len() - 1].end), (0, length));
            assert!(windows.iter().all(|window| window.len() <= 500), "{length}: {windows:?}");
            assert!(windows.windows(2).all(|pair| pair[0].end == pair[1].start + OVERLAP), "{length}: {windows:?}");
            let lengths = || windows.iter().map(Range::len);
            assert!(lengths().max().unwrap() - lengths().min().unwrap() <= 1, "{length}: {windows:?}");
        }
    }
}
