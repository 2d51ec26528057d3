//! How many tokens a text costs: any text in, a number out, under a tokenizer that has a name. The tables are loaded when the
//! first text is counted, which takes 230 ms and 36 MB. Nothing cheaper says for certain that a text fits: no bound without the
//! tables is below its bytes, and a block of 2,300 bytes costs 780 tokens.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

/// Whose tokens a budget is counted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// GPT-4o and later; closest to current models of other makers as well.
    #[default]
    O200kBase,
    /// GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// The tokenizer gets no more text than this at once: its regex gives up (and it panics) on a megabyte of white space.
const CHUNK_BYTES_MAX: usize = 16 * 1024;
/// Where a text had to be cut at no natural place, the pieces may merge into fewer tokens than the whole did; a cut changes at
/// most the few tokens beside it.
const CUT_TOKENS: usize = 8;

impl Tokenizer {
    pub const ALL: &'static [Self] = &[Self::O200kBase, Self::Cl100kBase];

    /// The name that a budget names it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The inverse of `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tokenizer| tokenizer.name() == name)
    }

    fn tables(self) -> &'static CoreBPE {
        static O200K: OnceLock<CoreBPE> = OnceLock::new();
        static CL100K: OnceLock<CoreBPE> = OnceLock::new();
        match self {
            Self::O200kBase => O200K.get_or_init(|| tiktoken_rs::o200k_base().expect("the table is compiled in")),
            Self::Cl100kBase => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().expect("the table is compiled in")),
        }
    }

    /// The number of tokens of a text. Exact wherever the text has a line end or a space between words every 16 kB; else
    /// never below the true number. Words that a model reads as commands (`<|endoftext|>`) count as the text they are.
    pub fn count(self, text: &str) -> usize {
        let tables = self.tables();
        let mut rest = text;
        let mut tokens = 0;
        while rest.len() > CHUNK_BYTES_MAX {
            let (cut, clean) = cut(rest);
            tokens += tables.encode_ordinary(&rest[..cut]).len() + if clean { 0 } else { CUT_TOKENS };
            rest = &rest[cut..];
        }
        tokens + tables.encode_ordinary(rest).len()
    }
}

/// Where to cut off the first chunk of a longer text, and whether the tokenizer would have cut there by itself: after a line
/// end with ink behind it (a slash would still belong to the line before), or before the only space between two letters.
fn cut(text: &str) -> (usize, bool) {
    let end = text.floor_char_boundary(CHUNK_BYTES_MAX);
    let bytes = text.as_bytes();
    let natural = (CHUNK_BYTES_MAX / 2..end).rev().find(|&at| {
        (bytes[at - 1] == b'\n' && starts_anew(bytes[at]))
            || (bytes[at] == b' '
                && bytes[at - 1].is_ascii_alphabetic()
                && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic))
    });
    natural.map_or((end, false), |at| (at, true))
}

/// Whether a line that begins with this byte begins a new token: printed ASCII, or a common ideograph (U+4000-U+9FFF).
fn starts_anew(byte: u8) -> bool {
    (byte.is_ascii_graphic() && byte != b'/') || matches!(byte, 0xE4..=0xE9)
}
