//! The last look after an erasure: every file of the store, byte by byte, for what was erased (SPEC 8.2).
//!
//! A long text is on many pages, and what is left of one would be a part of it: so it is looked for by short pieces from all over it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use aho_corasick::AhoCorasick;

use super::wipe::{self, FAILED};
use crate::store::{ScannedFile, Scrubbed, StoreError};

/// Bytes of a piece: few enough to be on one page, and enough not to be there by chance.
const PIECE_BYTES: usize = 24;
/// What is shorter can't be told from other bytes: that it is gone is checked by rows alone.
const PIECE_BYTES_MIN: usize = 8;
/// One piece in so many bytes: of a page of 4,096 that is left, several would be found.
const STRIDE: usize = 512;
/// Pieces looked for at once: their automaton takes some 50 MB.
const PIECES_MAX: usize = 100_000;
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
    let automaton = automaton(&pieces)?;
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
        let mut see =
            |block: &[u8]| found.extend(automaton.find_overlapping_iter(block).map(|hit| hit.pattern().as_usize()));
        let bytes = if name == super::FILE_NAME {
            wipe::with_database(directory, |file| blocks(file, &mut see))?
        } else {
            blocks(&mut File::open(&path).map_err(FAILED)?, &mut see)?
        };
        scrubbed.files.push(ScannedFile { name, bytes });
    }
    if !found.is_empty() {
        let left: Vec<&[u8]> = found.iter().map(|place| pieces[*place]).collect();
        let of_left = self::automaton(&left)?;
        let mut elsewhere = BTreeSet::new();
        each_kept(&mut |kept| {
            elsewhere.extend(of_left.find_overlapping_iter(kept).map(|hit| hit.pattern().as_usize()))
        })?;
        scrubbed.said_elsewhere = elsewhere.len() as u64;
        scrubbed.left = (left.len() - elsewhere.len()) as u64;
    }
    Ok(scrubbed)
}

fn automaton(pieces: &[&[u8]]) -> Result<AhoCorasick, StoreError> {
    AhoCorasick::new(pieces).map_err(|e| StoreError::Backend { doing: "looking for what is left", source: Box::new(e) })
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
