//! Text normalisation as SentencePiece's `nmt_nfkc` rule does it: NFKC with some extras (full-width to ASCII, control characters
//! dropped, all kinds of blanks to a space), driven by a table from the model file.
//!
//! The table is a double-array trie (Darts-clone: <https://github.com/s-yata/darts-clone>) from byte strings to offsets into a list of
//! NUL-terminated replacements. Layout: u32 length of the trie in bytes, its units (u32 each), the replacements.
//! What is not in the trie stays as it is. A malformed table can make wrong text, never a panic.

use crate::pack::Damage;

/// U+2581, which stands for a space inside pieces.
pub(crate) const SPACE: &str = "\u{2581}";

/// The table, ready for use.
pub(crate) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    pub fn new(table: &[u8]) -> Result<Self, Damage> {
        let damaged = || Damage("the normalisation table is cut short".to_owned());
        let (length, rest) = table.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (trie, replacements) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let units: Vec<u32> = trie.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        Ok(Self { units, replacements: replacements.to_vec() })
    }

    /// The normalised text as UTF-8: characters replaced, runs of spaces made one, none at either end, each space written as
    /// [`SPACE`], and one [`SPACE`] in front of all. A text of nothing but blanks gives nothing.
    pub fn normalise(&self, text: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(SPACE.len() + text.len() * 2);
        out.extend_from_slice(SPACE.as_bytes());
        let mut after_space = true;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (replacement, consumed) = match self.longest_match(rest.as_bytes()) {
                // Keys are whole characters; were one not, it is no match.
                Some((replacement, consumed)) if rest.is_char_boundary(consumed) => (replacement, consumed),
                _ => (&rest.as_bytes()[..first.len_utf8()], first.len_utf8()),
            };
            rest = &rest[consumed..];
            for &byte in replacement {
                if byte != b' ' {
                    out.push(byte);
                } else if !after_space {
                    out.extend_from_slice(SPACE.as_bytes());
                }
                after_space = byte == b' ';
            }
        }
        while out.ends_with(SPACE.as_bytes()) {
            out.truncate(out.len() - SPACE.len());
        }
        out
    }

    /// The replacement of the longest key that `text` starts with, and the length of that key in bytes (at least 1).
    fn longest_match(&self, text: &[u8]) -> Option<(&[u8], usize)> {
        let mut found = None;
        let mut node = offset(*self.units.first()?);
        for (depth, &byte) in text.iter().enumerate() {
            node ^= usize::from(byte);
            let Some(&unit) = self.units.get(node) else { break };
            if label(unit) != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            if has_value(unit) {
                found = self.units.get(node).map(|&leaf| (leaf & 0x7fff_ffff, depth + 1));
            }
        }
        let (start, consumed) = found?;
        let replacement = self.replacements.get(start as usize..)?.split(|&byte| byte == 0).next()?;
        Some((replacement, consumed))
    }
}

// The fields of a Darts-clone unit (`include/darts.h`, class DoubleArrayUnit).

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize
}

fn label(unit: u32) -> u32 {
    unit & (1 << 31 | 0xff)
}

fn has_value(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}
