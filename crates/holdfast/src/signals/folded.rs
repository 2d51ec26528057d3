//! The text as the rules read it: ASCII letters lower-cased, full-width letters and digits narrowed, the traditional
//! characters that the word lists use made simplified. Spans found in it are led back to the text as written.

use std::ops::Range;

use super::lexicon::Lexicon;

/// A folded text beside its original. Most texts keep their length, and then no offsets are kept.
pub(super) struct Folded<'a> {
    original: &'a str,
    text: String,
    /// For each byte of `text` (and its end) the byte of `original`; `None`: the same.
    offsets: Option<Vec<u32>>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(original: &'a str, lexicon: &Lexicon) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut offsets: Option<Vec<u32>> = None;
        for (at, c) in original.char_indices() {
            let folded = fold(c, lexicon);
            if folded.len_utf8() != c.len_utf8() && offsets.is_none() {
                offsets = Some((0..at as u32).collect());
            }
            if let Some(offsets) = &mut offsets {
                offsets.extend(std::iter::repeat_n(at as u32, folded.len_utf8()));
            }
            text.push(folded);
        }
        if let Some(offsets) = &mut offsets {
            offsets.push(original.len() as u32);
        }
        Self { original, text, offsets }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The span in the original of a span here; both ends lie on char boundaries when those of `span` do.
    pub(super) fn span(&self, span: Range<usize>) -> Range<usize> {
        match &self.offsets {
            None => span,
            Some(offsets) => offsets[span.start] as usize..offsets[span.end] as usize,
        }
    }

    /// What was written where `span` is here.
    pub(super) fn written(&self, span: Range<usize>) -> &'a str {
        &self.original[self.span(span)]
    }
}

fn fold(c: char, lexicon: &Lexicon) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\0'..='\u{7f}' => c,
        '０'..='９' | 'ａ'..='ｚ' | '％' | '＄' | '：' | '／' | '－' | '．' | '＠' => narrow(c),
        'Ａ'..='Ｚ' => narrow(c).to_ascii_lowercase(),
        '\u{2019}' => '\'',
        '￥' => '¥',
        '\u{3400}'..='\u{9fff}' => lexicon.simplified(c),
        _ => c,
    }
}

fn narrow(c: char) -> char {
    char::from_u32(c as u32 - 0xfee0).unwrap_or(c)
}
