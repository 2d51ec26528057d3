//! The last look after an erasure: every file of the store, byte by byte, for what was erased (SPEC 8.2).
//!
//! A long text is on many pages, and what is left of one would be a part of it: so it is looked for by short pieces from all over it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

// Never iterated.
use foldhash::{HashMap, HashMapExt};

use super::wipe::{self, FAILED};
use crate::store::{Scrubbed, StoreError};
use crate::types::forget::ScannedFile;

/// Bytes of a piece: few enough to be on one page, and enough not to be there by chance.
const PIECE_BYTES: usize = 24;
/// What is shorter can't be told from other bytes: that it is gone is checked by rows alone.
const PIECE_BYTES_MIN: usize = 8;
/// One piece in so many bytes: of a page of 4,096 that is left, several would be found.
const STRIDE: usize = 512;
/// Pieces looked for at once: what is more is looked for by a part of it.
const PIECES_MAX: usize = 400_000;
/// Bits of the filter that most places of a file fail at: of 100,000 pieces one place in 40 passes by chance.
const FILTER_BITS: u32 = 22;
/// Read at a time.
const BLOCK_BYTES: usize = 1024 * 1024;
/// The index of the write-ahead log: it has numbers of pages, and locks that are lost when anybody closes it.
const LOG_INDEX: &str = "-shm";

/// Reads every file. `each_kept` shows everything that stays: the same words may stand in it.
pub(super) fn scan(
    directory: &Path,
    remains: &[Vec<u8>],
    each_kept: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), StoreError>,
) -> Result<Scrubbed, StoreError> {
    let pieces: Vec<&[u8]> = pieces(remains);
    let finder = Finder::new(&pieces);
    let mut scrubbed = Scrubbed::default();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).and_then(Iterator::collect::<Result<_, _>>).map_err(FAILED)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if !path.is_file() || name.ends_with(LOG_INDEX) {
            continue;
        }
        let mut see = |block: &[u8]| {
            finder.find(block, |place| {
                found.insert(place);
            });
        };
        let bytes = if name == super::FILE_NAME {
            wipe::with_database(directory, |file| blocks(file, &mut see))?
        } else {
            blocks(&mut File::open(&path).map_err(FAILED)?, &mut see)?
        };
        scrubbed.files.push(ScannedFile { file: name, bytes });
    }
    if !found.is_empty() {
        let left: Vec<&[u8]> = found.iter().map(|place| pieces[*place]).collect();
        let of_left = Finder::new(&left);
        let mut elsewhere = BTreeSet::new();
        each_kept(&mut |kept| {
            of_left.find(kept, |place| {
                elsewhere.insert(place);
            });
        })?;
        scrubbed.said_elsewhere = elsewhere.len() as u64;
        scrubbed.left = (left.len() - elsewhere.len()) as u64;
    }
    Ok(scrubbed)
}

/// Finds many pieces at once: each place is asked by its first eight bytes, which most fail. An automaton of as many is several times slower, as it
/// is not in the processor's caches.
struct Finder<'p> {
    pieces: &'p [&'p [u8]],
    filter: Vec<u64>,
    by_head: HashMap<u64, Vec<usize>>,
}

impl<'p> Finder<'p> {
    fn new(pieces: &'p [&'p [u8]]) -> Self {
        let mut finder = Self { pieces, filter: vec![0; 1 << (FILTER_BITS - 6)], by_head: HashMap::new() };
        for (place, piece) in pieces.iter().enumerate() {
            let Some(head) = head(piece) else { continue };
            let bit = bit(head);
            finder.filter[bit >> 6] |= 1 << (bit & 63);
            finder.by_head.entry(head).or_default().push(place);
        }
        finder
    }

    fn find(&self, bytes: &[u8], mut see: impl FnMut(usize)) {
        for at in 0..bytes.len().saturating_sub(PIECE_BYTES_MIN - 1) {
            let Some(head) = head(&bytes[at..]) else { return };
            let bit = bit(head);
            if self.filter[bit >> 6] & (1 << (bit & 63)) == 0 {
                continue;
            }
            let here = |place: &&usize| bytes[at..].starts_with(self.pieces[**place]);
            self.by_head.get(&head).into_iter().flatten().filter(here).for_each(|place| see(*place));
        }
    }
}

fn head(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|head| u64::from_le_bytes(*head))
}

/// Which bit of the filter stands for eight bytes: Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
fn bit(head: u64) -> usize {
    (head.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER_BITS)) as usize
}

/// Shows a file block by block, each with the end of the one before: a piece may lie across both. How long it is.
fn blocks(file: &mut (impl Read + ?Sized), see: &mut impl FnMut(&[u8])) -> Result<u64, StoreError> {
    let mut bytes = 0;
    let mut block: Vec<u8> = Vec::with_capacity(BLOCK_BYTES + PIECE_BYTES);
    loop {
        let kept = block.len().min(PIECE_BYTES - 1);
        block.drain(..block.len() - kept);
        let read = (&mut *file).take(BLOCK_BYTES as u64).read_to_end(&mut block).map_err(FAILED)?;
        if read == 0 {
            return Ok(bytes);
        }
        bytes += read as u64;
        see(&block);
    }
}

/// Pieces of each, from its beginning, its end and between. Cut where text may be escaped in JSON, and at characters.
fn pieces(remains: &[Vec<u8>]) -> Vec<&[u8]> {
    let mut pieces: BTreeSet<&[u8]> = BTreeSet::new();
    for whole in remains {
        let text = std::str::from_utf8(whole).ok();
        let fits = |at: usize| text.is_none_or(|text| text.is_char_boundary(at));
        let last = whole.len().saturating_sub(PIECE_BYTES);
        let starts = (0..whole.len()).step_by(STRIDE).chain([last]);
        for start in starts {
            let Some(start) = (start..whole.len()).find(|at| fits(*at)) else { continue };
            let plain = |at: &usize| text.is_none() || !matches!(whole[*at], b'"' | b'\\' | 0..=31 | 127);
            let length = (start..whole.len()).take_while(plain).take(PIECE_BYTES).count();
            let Some(end) = (start..=start + length).rev().find(|at| fits(*at)) else { continue };
            if end - start >= PIECE_BYTES_MIN {
                pieces.insert(&whole[start..end]);
            }
        }
        if pieces.len() >= PIECES_MAX {
            break;
        }
    }
    pieces.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Finder, PIECE_BYTES_MIN, pieces};

    proptest! {
        #[test]
        fn what_is_there_is_found_and_nothing_else(
            texts in prop::collection::vec("[ab]{8,12}", 1..6),
            bytes in "[ab]{0,60}",
        ) {
            let pieces: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
            let mut found = vec![false; pieces.len()];
            Finder::new(&pieces).find(bytes.as_bytes(), |place| found[place] = true);
            let expected: Vec<bool> = texts.iter().map(|text| bytes.contains(text.as_str())).collect();
            prop_assert_eq!(found, expected);
        }

        /// A page that is left of a text has a piece of it whole.
        #[test]
        fn any_page_of_a_text_holds_a_piece_of_it(text in "\\PC{1,3000}", from in 0_usize..4000) {
            let remains = [text.clone().into_bytes()];
            let pieces = pieces(&remains);
            prop_assert!(pieces.iter().all(|piece| piece.len() >= PIECE_BYTES_MIN && text.as_bytes().windows(piece.len()).any(|w| w == *piece)));
            let page = &text.as_bytes()[from.min(text.len())..text.len().min(from + 4_000)];
            let plain = !text.contains(['"', '\\', '\u{7f}']);
            if plain && page.len() > 1_200 {
                prop_assert!(pieces.iter().any(|piece| page.windows(piece.len()).any(|w| w == *piece)));
            }
        }
    }
}
