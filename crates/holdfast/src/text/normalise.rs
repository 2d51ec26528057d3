//! One written form for text that means the same: any string in, its folded form out. Folded text is for comparing and
//! searching, never for showing: width, case, and simplified or traditional characters are gone.

use std::borrow::Cow;
use std::sync::OnceLock;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Folds a text: NFKC (so full width becomes half width), lower case, traditional characters simplified, and characters
/// that can't be seen (joiners, variation selectors, soft hyphens, byte order marks) dropped. `fold(fold(x)) == fold(x)`.
///
/// ```
/// assert_eq!(holdfast::text::fold("ＡＰＩ　網關"), "api 网关");
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded: String = fold_keeping_case(text).chars().flat_map(char::to_lowercase).collect();
    // Lower-casing can undo the composition (İ becomes i and a dot), and what then composes can have a lower case. Three
    // rounds are more than Unicode has ever needed; the bound is there so that no input can make it a fourth.
    for _ in 0..3 {
        if is_nfkc_quick(folded.chars()) == IsNormalized::Yes {
            break;
        }
        let again: String = folded.nfkc().flat_map(char::to_lowercase).collect();
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

/// As `fold`, but upper and lower case stay: camel case still shows where its words begin.
pub(crate) fn fold_keeping_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let simplify = Simplify::table();
    if let Some(folded) = text.chars().map(|c| folds_alone(c, simplify)).collect() {
        return Cow::Owned(folded);
    }
    let seen = text.chars().filter(|&c| !is_invisible(c));
    let folded = if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        seen.map(|c| simplify.character(c)).collect()
    } else {
        seen.nfkc().filter(|&c| !is_invisible(c)).map(|c| simplify.character(c)).collect()
    };
    Cow::Owned(folded)
}

/// The folded form of a character that is folded alone, whatever stands around it: ASCII, ideographs, the marks of Chinese text.
/// Most texts have no others, and then nothing has to be looked up.
fn folds_alone(c: char, simplify: &Simplify) -> Option<char> {
    match c {
        '\0'..='\u{7F}' | '\u{2014}' | '\u{2018}'..='\u{201D}' | '\u{3001}'..='\u{3003}' | '\u{3005}'..='\u{3011}' => {
            Some(c)
        }
        '\u{3400}'..='\u{9FFF}' => Some(simplify.character(c)),
        '\u{3000}' => Some(' '),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0),
        _ => None,
    }
}

/// Takes part in no word and shows no ink: zero-width characters, direction marks, variation selectors, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

const PAIRS: &str = include_str!("t2s.txt");
/// From CJK Extension A to the end of the unified ideographs: nearly every traditional character in use.
const DENSE: std::ops::Range<u32> = 0x3400..0xA000;

/// Traditional to simplified, by character. A phrase-aware conversion is right more often (乾坤 keeps its 乾), but a search
/// only needs both sides to meet.
struct Simplify {
    /// By `c - DENSE.start`; 0: stays as it is. 55 kB.
    dense: Vec<u16>,
    /// The few pairs with a character outside the dense range, sorted.
    sparse: Vec<(char, char)>,
}

impl Simplify {
    fn table() -> &'static Self {
        static TABLE: OnceLock<Simplify> = OnceLock::new();
        TABLE.get_or_init(|| {
            let mut table = Self { dense: vec![0; DENSE.len()], sparse: Vec::new() };
            for line in PAIRS.lines().filter(|line| !line.starts_with('#')) {
                let mut characters = line.chars();
                let (Some(from), Some(to)) = (characters.next(), characters.next()) else { continue };
                match (DENSE.contains(&(from as u32)), u16::try_from(to as u32)) {
                    (true, Ok(to)) => table.dense[(from as u32 - DENSE.start) as usize] = to,
                    _ => table.sparse.push((from, to)),
                }
            }
            table.sparse.sort_unstable();
            table
        })
    }

    fn character(&self, c: char) -> char {
        let code = c as u32;
        if DENSE.contains(&code) {
            let to = self.dense[(code - DENSE.start) as usize];
            if to != 0 {
                return char::from_u32(u32::from(to)).unwrap_or(c);
            }
        } else if code < 0x2E80 {
            return c;
        }
        match self.sparse.binary_search_by_key(&c, |pair| pair.0) {
            Ok(at) => self.sparse[at].1,
            Err(_) => c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, folded: &str) {
        assert_eq!(fold(text), folded, "{text:?}");
    }

    #[test]
    fn width_case_and_script_fold() {
        check("Hello, World", "hello, world");
        check("ＡＢＣ１２３％", "abc123%");
        check("ﾃｽﾄ", "テスト");
        check("漢語與簡體，網關，頭髮，發展", "汉语与简体,网关,头发,发展");
        check("臺灣的裡面", "台湾的里面");
        check("㎏ ﬁle ①", "kg file 1");
        check("CAFÉ Cafe\u{301}", "café café");
        check("👨\u{200D}👩\u{200D}👧", "👨👩👧");
        check("İstanbul", "i\u{307}stanbul");
        check("", "");
    }

    #[test]
    fn the_table_is_a_map_without_chains() {
        let table = Simplify::table();
        let mut count = 0;
        for line in PAIRS.lines().filter(|line| !line.starts_with('#')) {
            let characters: Vec<char> = line.chars().collect();
            let [from, to] = characters[..] else { panic!("not a pair: {line:?}") };
            assert_eq!(table.character(from), to);
            assert_eq!(table.character(to), to, "{from} → {to} goes on");
            count += 1;
        }
        assert!(count > 3000);
    }

    #[test]
    fn what_folds_alone_folds_as_it_would_among_others() {
        let simplify = Simplify::table();
        for c in '\0'..='\u{FFFF}' {
            if let Some(folded) = folds_alone(c, simplify) {
                let among: String = std::iter::once(c).nfkc().map(|c| simplify.character(c)).collect();
                assert_eq!(among, folded.to_string(), "{c:?}");
                assert!(!is_invisible(c));
                // Nothing of the kind joins what stands before it, nor is joined by it.
                let after: String = format!("a{c}").nfkc().map(|c| simplify.character(c)).collect();
                assert_eq!(after, format!("a{folded}"), "{c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,40}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
