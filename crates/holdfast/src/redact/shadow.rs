//! The text as the detectors read it: full-width and other compatibility forms of ASCII as ASCII, every dash a hyphen, every
//! space a space, nothing invisible. A table leads back to the places in the text as written.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

pub(crate) struct Shadow<'a> {
    text: Cow<'a, str>,
    /// For each byte of the shadow, the byte of the original its character starts at, and the original's length at the
    /// end; `None`: nothing was changed.
    origins: Option<Vec<usize>>,
}

impl<'a> Shadow<'a> {
    pub fn of(original: &'a str) -> Self {
        if original.is_ascii() || !original.chars().any(|c| seen_as(c) != Seen::Itself) {
            return Self { text: Cow::Borrowed(original), origins: None };
        }
        let mut text = String::with_capacity(original.len());
        let mut origins = Vec::with_capacity(original.len() + 1);
        let mut wide = false;
        for (at, c) in original.char_indices() {
            // Behind half-width text, 「，」 ends a Chinese clause and is no comma in a value.
            let ends_clause = matches!(c, '，' | '；' | '！' | '？') && !wide;
            wide = matches!(c, '\u{FF01}'..='\u{FF5E}') && !ends_clause;
            match if ends_clause { Seen::Itself } else { seen_as(c) } {
                Seen::Itself => text.push(c),
                Seen::As(plain) => text.push(plain),
                Seen::Not => {}
            }
            origins.resize(text.len(), at);
        }
        origins.push(original.len());
        Self { text: Cow::Owned(text), origins: Some(origins) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place in the original of a place in the shadow.
    pub fn original(&self, range: &Range<usize>) -> Range<usize> {
        match &self.origins {
            None => range.clone(),
            Some(origins) => origins[range.start]..origins[range.end],
        }
    }
}

#[derive(PartialEq, Eq)]
enum Seen {
    Itself,
    As(char),
    Not,
}

fn seen_as(c: char) -> Seen {
    match c {
        '\0'..='\u{7F}' | '\u{2E80}'..='\u{2FFF}' | '\u{3001}'..='\u{D7FF}' | '\u{20000}'..='\u{3FFFF}' => Seen::Itself,
        '\u{FF01}'..='\u{FF5E}' => Seen::As(char::from_u32(c as u32 - 0xFEE0).unwrap_or(c)),
        // Digits of other scripts that a phone's keyboard writes.
        '\u{660}'..='\u{669}' => digit(c, '\u{660}'),
        '\u{6F0}'..='\u{6F9}' => digit(c, '\u{6F0}'),
        '\u{966}'..='\u{96F}' => digit(c, '\u{966}'),
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Seen::As(' '),
        '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' => Seen::Not,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' => Seen::As('-'),
        // ①, 𝟏, ², ﹫ …: whatever is a form of one ASCII character.
        _ => {
            let mut plain = std::iter::once(c).nfkc();
            match (plain.next(), plain.next()) {
                (Some(one), None) if one.is_ascii() => Seen::As(one),
                _ => Seen::Itself,
            }
        }
    }
}

fn digit(c: char, zero: char) -> Seen {
    char::from_digit(c as u32 - zero as u32, 10).map_or(Seen::Itself, Seen::As)
}
