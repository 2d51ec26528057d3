//! Addresses, paths and names of files in a text: compared as they are written, letter for letter.

use std::ops::Range;
use std::sync::OnceLock;

/// Ranges of a text that are addresses, paths and names of files: compared as they are written, letter for letter.
pub(super) fn verbatim(text: &str) -> Vec<Range<usize>> {
    static FORM: OnceLock<regex::Regex> = OnceLock::new();
    let form = FORM.get_or_init(|| {
        regex::Regex::new(
            r"(?i)[a-z][a-z0-9+.\-]*://[^\s，。；、）)」』”»<>]+|[a-z0-9._+\-]+@[a-z0-9.\-]+\.[a-z]{2,}|(?:~|\.{1,2})?/[a-z0-9_.\-]+(?:/[a-z0-9_.\-]+)*/?|[a-z]:\\[a-z0-9_.\\\-]+|[a-z0-9_.\-]+(?:/[a-z0-9_.\-]+)+/?|[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*\.[a-z][a-z0-9]{1,5}(?-u:\b)",
        )
        .expect("the form of paths compiles")
    });
    let trimmed = |range: Range<usize>| {
        let kept = text[range.clone()].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']).len();
        range.start..range.start + kept
    };
    let found = form.find_iter(text).map(|found| trimmed(found.range()));
    // 3/4, 2026/11/30 and a decimal are numbers.
    found.filter(|range| text[range.clone()].contains(|c: char| c.is_ascii_alphabetic())).collect()
}
