//! The last look after an erasure: every file of the store, byte by byte, for what was erased (SPEC 8.2).
//!
//! A long text is on many pages, and what is left of one would be a part of it: so it is looked for by short pieces from all over it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::Path;

// Never iterated.
use foldhash::{HashMap, HashMapExt};

use super::files::{FAILED, with_database};
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
/// A longer piece is known by so many bytes: a phrase that many texts have in common is soon told apart.
const LONG_HEAD_BYTES: usize = 16;
/// Only every so manieth byte of a file is asked.
const STEP: usize = 4;
/// Lengths that a piece may have, from 0 on.
const LENGTHS: usize = 32;
/// Bits of the filter that most places of a file fail at, at most: 4 MB, what a processor's nearer caches hold.
const FILTER_BITS_MAX: u32 = 25;
/// What was found is left out once so much was looked through, and an eighth was found: making the tables anew takes a tenth of the time.
const SEEN_BYTES_BEFORE_REBUILDING: usize = 16 * 1024 * 1024;
/// Read at a time.
const BLOCK_BYTES: usize = 1024 * 1024;
/// The index of the write-ahead log: it has numbers of pages, and locks that are lost when anybody closes it.
const LOG_INDEX: &str = "-shm";

/// Reads every file. `each_kept` shows everything that stays, until it is told that it is enough: the same words may stand in it.
pub(super) fn scan(
    directory: &Path,
    remains: &[Vec<u8>],
    each_kept: impl FnOnce(&mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), StoreError>,
) -> Result<Scrubbed, StoreError> {
    let mut search = Search::new(pieces(remains));
    let mut scrubbed = Scrubbed::default();
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).and_then(Iterator::collect::<Result<_, _>>).map_err(FAILED)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if !path.is_file() || name.ends_with(LOG_INDEX) {
            continue;
        }
        let mut see = |block: &[u8]| search.see(block);
        let bytes = if name == super::FILE_NAME {
            with_database(directory, |file| blocks(file, &mut see))?
        } else {
            blocks(&mut File::open(&path).map_err(FAILED)?, &mut see)?
        };
        scrubbed.files.push(ScannedFile { file: name, bytes });
    }
    let found = search.found();
    if !found.is_empty() {
        let count = found.len() as u64;
        let mut kept = Search::new(found);
        each_kept(&mut |bytes| {
            kept.see(bytes);
            if kept.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        scrubbed.said_elsewhere = kept.found().len() as u64;
        scrubbed.left = count - scrubbed.said_elsewhere;
    }
    Ok(scrubbed)
}

/// Which of many pieces are in what it is shown. Those that were found are not looked for any longer: texts that many say would be found
/// again and again.
struct Search<'p> {
    sought: Vec<&'p [u8]>,
    finder: Finder<'p>,
    is_found: Vec<bool>,
    newly_found: usize,
    seen_bytes: usize,
    found: Vec<&'p [u8]>,
}

impl<'p> Search<'p> {
    fn new(sought: Vec<&'p [u8]>) -> Self {
        let (finder, is_found) = (Finder::new(&sought), vec![false; sought.len()]);
        Self { sought, finder, is_found, newly_found: 0, seen_bytes: 0, found: Vec::new() }
    }

    fn see(&mut self, bytes: &[u8]) {
        let Self { finder, is_found, newly_found, .. } = self;
        finder.find(bytes, |place| *newly_found += usize::from(!std::mem::replace(&mut is_found[place], true)));
        self.seen_bytes += bytes.len();
        if self.seen_bytes >= SEEN_BYTES_BEFORE_REBUILDING && self.newly_found * 8 > self.sought.len() {
            self.leave_out_found();
        }
    }

    fn leave_out_found(&mut self) {
        let (is_found, mut place) = (std::mem::take(&mut self.is_found), 0);
        let (found, sought): (Vec<_>, Vec<_>) = self.sought.drain(..).partition(|_| {
            place += 1;
            is_found[place - 1]
        });
        self.found.extend(found);
        *self = Self { found: std::mem::take(&mut self.found), ..Self::new(sought) };
    }

    fn is_done(&self) -> bool {
        self.newly_found == self.sought.len()
    }

    fn found(mut self) -> Vec<&'p [u8]> {
        self.leave_out_found();
        self.found
    }
}

/// Finds many pieces at once. An automaton of as many is several times slower, as it is not in the processor's caches.
struct Finder<'p> {
    places: HashMap<&'p [u8], usize>,
    long: Heads<LONG_HEAD_BYTES, STEP>,
    short: Heads<PIECE_BYTES_MIN, STEP>,
    shortest: Heads<PIECE_BYTES_MIN, 1>,
}

impl<'p> Finder<'p> {
    fn new(pieces: &[&'p [u8]]) -> Self {
        let of = |lengths: Range<usize>| -> Vec<&[u8]> {
            pieces.iter().copied().filter(|piece| lengths.contains(&piece.len())).collect()
        };
        let (short, long) = (PIECE_BYTES_MIN + STEP - 1, LONG_HEAD_BYTES + STEP - 1);
        Self {
            places: pieces.iter().enumerate().map(|(place, piece)| (*piece, place)).collect(),
            long: Heads::new(&of(long..LENGTHS)),
            short: Heads::new(&of(short..long)),
            shortest: Heads::new(&of(0..short)),
        }
    }

    fn find(&self, bytes: &[u8], mut see: impl FnMut(usize)) {
        let mut look = |found: &[u8]| {
            if let Some(place) = self.places.get(found) {
                see(*place);
            }
        };
        self.long.find(bytes, &mut look);
        self.short.find(bytes, &mut look);
        self.shortest.find(bytes, &mut look);
    }
}

/// Knows pieces by heads of `BYTES`, so that only every `STEP`th byte of a file is asked: one of a piece's first `STEP` bytes is one of those,
/// so it is known by what begins at each of them. Most bytes fail at a filter. What passes has a head in common with a piece, and is looked
/// up whole, once for each length and place in it: thousands of pieces may begin alike.
struct Heads<const BYTES: usize, const STEP: usize> {
    filter: Vec<u64>,
    filter_bits: u32,
    /// By a head's hash, where in their pieces such heads stand, and how long those are: a bit for each.
    known: HashMap<u64, u128>,
}

impl<const BYTES: usize, const STEP: usize> Heads<BYTES, STEP> {
    fn new(pieces: &[&[u8]]) -> Self {
        const { assert!(PIECE_BYTES < LENGTHS && LENGTHS * STEP <= u128::BITS as usize) };
        // One bit of 32 is set at most: that many of the places that have no such head pass by chance.
        let filter_bits = (pieces.len() * STEP * 32).next_power_of_two().ilog2().clamp(10, FILTER_BITS_MAX);
        let mut heads = Self {
            filter: vec![0; 1 << (filter_bits - 6)],
            filter_bits,
            known: HashMap::with_capacity(pieces.len() * STEP),
        };
        for piece in pieces {
            for from in 0..STEP {
                let Some(head) = piece[from..].first_chunk().map(hash::<BYTES>) else { continue };
                let bit = heads.bit(head);
                heads.filter[bit >> 6] |= 1 << (bit & 63);
                *heads.known.entry(head).or_default() |= 1 << (from * LENGTHS + piece.len());
            }
        }
        heads
    }

    fn bit(&self, head: u64) -> usize {
        (head >> (64 - self.filter_bits)) as usize
    }

    /// Shows parts of `bytes` that may be pieces.
    fn find(&self, bytes: &[u8], see: &mut impl FnMut(&[u8])) {
        if self.known.is_empty() {
            return;
        }
        for at in (0..(bytes.len() + 1).saturating_sub(BYTES)).step_by(STEP) {
            let Some(head) = bytes[at..].first_chunk().map(hash::<BYTES>) else { return };
            let bit = self.bit(head);
            if self.filter[bit >> 6] & (1 << (bit & 63)) == 0 {
                continue;
            }
            let mut known = self.known.get(&head).copied().unwrap_or_default();
            while known != 0 {
                let (from, length) =
                    (known.trailing_zeros() as usize / LENGTHS, known.trailing_zeros() as usize % LENGTHS);
                known &= known - 1;
                let piece = at.checked_sub(from).and_then(|start| bytes.get(start..start + length));
                piece.into_iter().for_each(&mut *see);
            }
        }
    }
}

/// Its top bits say which bit of the filter stands for it: Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
fn hash<const BYTES: usize>(head: &[u8; BYTES]) -> u64 {
    let (words, _) = head.as_chunks::<8>();
    words.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(29) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
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

/// Pieces of each, from its beginning, its end and between. Without what is escaped in JSON, and cut at characters.
fn pieces(remains: &[Vec<u8>]) -> Vec<&[u8]> {
    let mut pieces: BTreeSet<&[u8]> = BTreeSet::new();
    for whole in remains {
        let text = std::str::from_utf8(whole).ok();
        let last = whole.len().saturating_sub(PIECE_BYTES);
        for start in (0..whole.len()).step_by(STRIDE).chain([last]) {
            let piece = piece_from(whole, text, start..whole.len().min(start + STRIDE));
            if piece.len() >= PIECE_BYTES_MIN {
                pieces.insert(piece);
            }
        }
        if pieces.len() >= PIECES_MAX {
            break;
        }
    }
    pieces.into_iter().collect()
}

/// The first piece of full length that begins in a part of a text, or the longest there is.
fn piece_from<'w>(whole: &'w [u8], text: Option<&str>, starts: Range<usize>) -> &'w [u8] {
    let fits = |at: usize| text.is_none_or(|text| text.is_char_boundary(at));
    let is_plain = |at: usize| text.is_none() || !matches!(whole[at], b'"' | b'\\' | 0..=31 | 127);
    let mut longest = 0..0;
    let mut start = starts.start;
    while start < starts.end && longest.len() + 3 < PIECE_BYTES {
        let length = (start..whole.len()).take(PIECE_BYTES).take_while(|at| is_plain(*at)).count();
        if fits(start) {
            let end = (start..=start + length).rev().find(|at| fits(*at)).unwrap_or(start);
            if end - start > longest.len() {
                longest = start..end;
            }
        }
        // What is shorter for what stands behind it is no longer from any place before that.
        start += if length < PIECE_BYTES { length + 1 } else { 1 };
    }
    &whole[longest]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Finder, PIECE_BYTES_MIN, pieces};

    proptest! {
        #[test]
        fn what_is_there_is_found_and_nothing_else(
            mut texts in prop::collection::vec("[ab]{8,24}", 1..6),
            mut bytes in "[ab]{0,60}",
            put in prop::collection::vec((0_usize..6, 0_usize..60), 0..3),
        ) {
            // One of them, somewhere.
            for (text, at) in put {
                bytes.insert_str(at.min(bytes.len()), &texts[text % texts.len()]);
            }
            texts.sort();
            texts.dedup();
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
