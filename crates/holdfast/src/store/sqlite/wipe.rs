//! What SQLite leaves on pages though nothing points to it.
//!
//! `secure_delete` overwrites what a row held. But when a page is split or merged, its cells are copied and its old bytes stay in the gap
//! between its pointers and its cells (btree.c, `rebuildPage`; found by the last look of an erasure, which met texts there that no row
//! had). Nothing reads that gap. It is overwritten here in the file itself, at the places that the file format gives
//! (<https://www.sqlite.org/fileformat2.html>, 1.6): whatever instant a crash or another reader falls into, every page means what it meant.
//!
//! Only the writer's thread does this, between two transactions; it forgets its own copies of pages before, or it would write old gaps
//! again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::FILE_NAME;
use super::files::{FAILED, with_database};
use crate::store::StoreError;

/// Pages wiped at a time, 16 MB: others wait for no more than that, which takes about 20 ms.
pub(super) const PAGES_AT_ONCE: u32 = 4_000;

/// From so many pages on, a page of another kind could begin like one of a tree: 137 GB.
const PAGES_MAX: u32 = 0x0200_0000;

/// How many pages the database has, and how long each is.
fn layout(file: &mut File) -> Result<(u32, usize), StoreError> {
    let mut header = [0_u8; 100];
    file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut header)).map_err(FAILED)?;
    let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => usize::from(bytes),
    };
    let bytes = file.metadata().map_err(FAILED)?.len();
    let pages = u32::try_from(bytes / page_bytes.max(512) as u64).unwrap_or(u32::MAX);
    Ok((pages, page_bytes.max(512)))
}

pub(super) fn pages(directory: &Path) -> Result<u32, StoreError> {
    Ok(with_database(directory, layout)?.0)
}

/// Overwrites the gaps of these pages (counted from 1), as far as there are so many.
pub(super) fn wipe(directory: &Path, wanted: impl Iterator<Item = u32>) -> Result<(), StoreError> {
    with_database(directory, |file| {
        let (pages, page_bytes) = layout(file)?;
        if pages >= PAGES_MAX {
            return Ok(());
        }
        let mut page = vec![0; page_bytes];
        let mut wrote = false;
        for number in wanted.filter(|number| (1..=pages).contains(number)) {
            let at = SeekFrom::Start(u64::from(number - 1) * page_bytes as u64);
            file.seek(at).and_then(|_| file.read_exact(&mut page)).map_err(FAILED)?;
            let header = if number == 1 { 100 } else { 0 };
            if let Some(gap) = gap(&page, header).filter(|gap| page[gap.clone()].iter().any(|byte| *byte != 0)) {
                page[gap].fill(0);
                file.seek(at).and_then(|_| file.write_all(&page)).map_err(FAILED)?;
                wrote = true;
            }
        }
        if wrote { file.sync_data().map_err(FAILED) } else { Ok(()) }
    })
}

/// Where a page of a tree has neither pointers nor cells. `None`: it is no such page, or makes no sense.
fn gap(page: &[u8], header: usize) -> Option<Range<usize>> {
    let pointers = match page.get(header)? {
        2 | 5 => header + 12,
        10 | 13 => header + 8,
        _ => return None,
    };
    let number = |at: usize| Some(usize::from(u16::from_be_bytes([*page.get(at)?, *page.get(at + 1)?])));
    let start = pointers + 2 * number(header + 3)?;
    let end = match number(header + 5)? {
        0 => 65_536,
        end => end,
    };
    (start <= end && end <= page.len()).then_some(start..end)
}

/// The pages that the write-ahead log has (fileformat2.html, 4.1): each frame is a header of 24 bytes and a page.
pub(super) fn pages_of_log(directory: &Path) -> Result<Vec<u32>, StoreError> {
    let Ok(mut log) = File::open(directory.join(format!("{FILE_NAME}-wal"))) else { return Ok(Vec::new()) };
    let mut header = [0_u8; 32];
    if log.read_exact(&mut header).is_err() {
        return Ok(Vec::new());
    }
    let page_bytes = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    let mut pages = Vec::new();
    let mut frame = [0_u8; 24];
    while log.read_exact(&mut frame).is_ok() {
        pages.push(u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]));
        log.seek(SeekFrom::Current(i64::from(page_bytes))).map_err(FAILED)?;
    }
    pages.sort_unstable();
    pages.dedup();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::gap;

    /// A leaf of a table with `cells` cells that begin at `content`.
    fn leaf(cells: u16, content: u16) -> Vec<u8> {
        let mut page = vec![7; 512];
        page[0] = 13;
        page[3..5].copy_from_slice(&cells.to_be_bytes());
        page[5..7].copy_from_slice(&content.to_be_bytes());
        page
    }

    #[test]
    fn a_gap_is_between_the_pointers_and_the_cells() {
        assert_eq!(gap(&leaf(3, 400), 0), Some(14..400));
        assert_eq!(gap(&leaf(3, 14), 0), Some(14..14));
        assert_eq!(gap(&leaf(3, 13), 0), None, "the pointers would be in it");
        assert_eq!(gap(&leaf(3, 600), 0), None, "it would be beyond the page");
        assert_eq!(gap(&[0; 512], 0), None, "no page of a tree");
        assert_eq!(gap(&[], 0), None);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_gap_within_them_or_none(page in prop::collection::vec(any::<u8>(), 0..600), first: bool) {
            if let Some(gap) = gap(&page, if first { 100 } else { 0 }) {
                prop_assert!(gap.start <= gap.end && gap.end <= page.len());
            }
        }
    }
}
