//! How many tokens a text costs: any text in, a number out, under a tokenizer that has a name. The exact count needs tables
//! that take 230 ms and 50 MB to load, so a cheap estimate from above answers when the budget is far away.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

use super::script::{Script, script};

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
/// No text costs more tokens than this many times its estimate (a test tries): within budget by more than that is within
/// budget for certain.
const ESTIMATE_FACTOR_MAX: usize = 4;

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

    /// An estimate that is above the true number for anything people, programs and models write, without the tables.
    pub(super) fn estimate_upper(self, text: &str) -> usize {
        estimate(text, self)
    }

    /// Whether a text costs at most `budget_tokens`: certain, and without the tables when the budget is far off.
    pub fn fits(self, text: &str, budget_tokens: usize) -> bool {
        // Every token is at least one byte.
        if text.len() <= budget_tokens {
            return true;
        }
        let estimate = self.estimate_upper(text);
        if estimate.saturating_mul(ESTIMATE_FACTOR_MAX) <= budget_tokens {
            return true;
        }
        // Ten times over can't be an overestimate of anything written; saying no to the rest costs no budget.
        if estimate / 10 > budget_tokens {
            return false;
        }
        self.count(text) <= budget_tokens
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

/// Costs in hundredths of a token, by kind of run; calibrated on the texts of this room's tests.
fn estimate(text: &str, tokenizer: Tokenizer) -> usize {
    // The older table is half the size, and smaller still outside English.
    let (character_cost, alphabet_cost, per_cent) = match tokenizer {
        Tokenizer::O200kBase => (110, 80, 100),
        Tokenizer::Cl100kBase => (130, 90, 135),
    };
    let mut hundredths = 0;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let same = |next: &char| kind(*next) == kind(c);
        match kind(c) {
            Kind::Word => {
                // A camel hump starts a token of its own.
                let (mut length, mut humps, mut lower) = (1, 0, c.is_ascii_lowercase());
                while let Some(next) = characters.next_if(same) {
                    length += 1;
                    humps += usize::from(lower && next.is_ascii_uppercase());
                    lower = next.is_ascii_lowercase();
                }
                hundredths += word_cost(length, c.is_ascii_uppercase()) + humps * 125;
            }
            Kind::Digit => {
                let mut length = 1;
                while characters.next_if(same).is_some() {
                    length += 1;
                }
                hundredths += 112 * usize::div_ceil(length, 3);
                // Between numbers every mark is a token of its own.
                if characters.peek().is_some_and(|&next| kind(next) == Kind::Mark) {
                    hundredths += 55;
                }
            }
            Kind::Character => hundredths += character_cost,
            Kind::Letter if c.len_utf8() > 3 => hundredths += 100 * c.len_utf8(),
            // An accent breaks a Latin word up; other alphabets have words of their own in the tables.
            Kind::Letter if c < '\u{250}' || ('\u{1E00}'..'\u{1F00}').contains(&c) => hundredths += 150,
            Kind::Letter => hundredths += alphabet_cost,
            Kind::Space => {
                let mut length = 1;
                while characters.next_if(same).is_some() {
                    length += 1;
                }
                // One space goes with the word behind it, unless a number or an ideograph follows.
                let alone = characters.peek().is_none_or(|&next| !matches!(kind(next), Kind::Word | Kind::Mark));
                hundredths += match length {
                    1 if c == ' ' && !alone => 0,
                    1 => 60,
                    _ => 100 + 25 * length.min(400) / 4,
                };
                hundredths += 7 * length.saturating_sub(16);
            }
            Kind::Mark => hundredths += 75,
            Kind::Symbol => hundredths += 100 * c.len_utf8(),
        }
    }
    (hundredths * per_cent).div_ceil(10_000)
}

/// A common word is one token however long; what is long is more often not common, and a name least of all.
fn word_cost(letters: usize, capital: bool) -> usize {
    let name = if capital && letters > 4 { 90 } else { 0 };
    100 + name + 30 * letters.saturating_sub(5)
}

#[derive(PartialEq, Eq)]
enum Kind {
    Word,
    Digit,
    Character,
    Letter,
    Space,
    Mark,
    Symbol,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Word,
        '0'..='9' => Kind::Digit,
        c if c.is_whitespace() => Kind::Space,
        c if c.is_ascii() && !c.is_ascii_control() => Kind::Mark,
        '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF5E}' => Kind::Character,
        c => match script(c) {
            // The tables hold none of the rare planes: one token a byte.
            Script::Ideographic if c >= '\u{20000}' => Kind::Symbol,
            Script::Ideographic => Kind::Character,
            Script::Letter => Kind::Letter,
            Script::Digit | Script::Other => Kind::Symbol,
        },
    }
}
