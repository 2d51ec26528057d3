//! The lexical index on disk: which events hold a word, one list for each word of a segment of an owner's log.
//!
//! A segment is so many events in a row, and is written in one go once they are all there. Later events are few, and `tail` finds
//! them by their own terms. How far the segments reach is the owner's `indexed`. The words of a segment stand in order, as many in a
//! row as fit a page, and one that is in very many events in a row of its own; taking one out writes its row anew, so that it is in the file no longer (`secure_delete`).
//!
//! FTS5 did this before. It visits its index for each word of each event and merges what it wrote again and again: half of the time that
//! recording in batches took, and ten lists to open for each word of a question.

use std::collections::BTreeSet;
use std::ops::Range;

// Its order is never seen: what comes out of it is sorted.
use foldhash::{HashMap, HashMapExt};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::apply::{execute, execute_one};
use super::lexical::words;
use super::open::failed;
use super::row::{OwnerNumber, position};
use crate::store::StoreError;
use crate::types::ids::Seq;

/// Events of a segment. More make a search open fewer lists, and the writing of one longer, which other writes wait for: 4,096
/// events of 160 words take 40 ms. Tests have logs of a few dozen events.
pub(super) const SEGMENT_EVENTS: i64 = if cfg!(test) { 16 } else { 4_096 };

/// Bytes of lists in a row that has more than one: with the usual key, the most that SQLite keeps on a page of 4,096 bytes without
/// overflow is about 1,000.
const ROW_BYTES_MAX: usize = 900;

/// Words of an event that none before it in its segment has, about: a guess, so that a table does not have to grow.
const NEW_WORDS_AN_EVENT: usize = 10;

const WRITING: &str = "writing the lexical index";
const READING: &str = "searching";

/// The last position of a segment.
pub(super) fn end(segment: i64) -> i64 {
    (segment + 1) * SEGMENT_EVENTS
}

/// How many segments an index that reaches so far has.
pub(super) fn count(indexed: i64) -> i64 {
    indexed / SEGMENT_EVENTS
}

/// Writes the segments that an owner's log has grown past.
pub(super) fn write_due(connection: &Connection, owner: OwnerNumber) -> Result<(), StoreError> {
    let sql = "-- segments_due
        SELECT last_event, indexed FROM owner WHERE id = ?1";
    let (last, indexed): (i64, i64) = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row([owner.0], |r| Ok((r.get(0)?, r.get(1)?))))
        .map_err(|e| failed(WRITING, e))?;
    if last - indexed < SEGMENT_EVENTS {
        return Ok(());
    }
    for segment in count(indexed)..count(last) {
        write(connection, owner, segment)?;
    }
    let sql = "-- set_indexed
        UPDATE owner SET indexed = ?2 WHERE id = ?1";
    execute_one(connection, sql, params![owner.0, count(last) * SEGMENT_EVENTS], WRITING)
}

fn write(connection: &Connection, owner: OwnerNumber, segment: i64) -> Result<(), StoreError> {
    let first = segment * SEGMENT_EVENTS + 1;
    let mut occurrences = Occurrences::default();
    each_terms(connection, owner, (first, first + SEGMENT_EVENTS - 1), |position, terms| {
        words(terms).for_each(|word| occurrences.add(word, position));
    })?;
    let (by_word, all) = occurrences.by_word();
    let mut rows = Rows::new(connection, owner, segment)?;
    for (word, positions) in by_word {
        rows.add(&word, &gaps(segment, &all[positions]))?;
    }
    rows.flush()
}

/// Each word of a segment once for each event that holds it, by the number of the word: all are laid out by words once they are counted,
/// and the words are sorted, not the occurrences. Lists that grow word by word take twice as long: each is somewhere else in memory.
struct Occurrences {
    numbers: HashMap<Box<str>, u32>,
    /// Of each word, how many events hold it, and the last that does.
    counted: Vec<(u32, u32)>,
    all: Vec<(u32, u32)>,
}

/// Words with where the positions of each are.
type ByWord = Vec<(Box<str>, Range<usize>)>;

impl Default for Occurrences {
    fn default() -> Self {
        let numbers = HashMap::with_capacity(SEGMENT_EVENTS as usize * NEW_WORDS_AN_EVENT);
        Self { numbers, counted: Vec::new(), all: Vec::new() }
    }
}

impl Occurrences {
    fn add(&mut self, word: &str, position: u32) {
        let number = match self.numbers.get(word) {
            Some(number) => *number,
            None => {
                self.numbers.insert(word.into(), self.counted.len() as u32);
                self.counted.push((0, 0));
                self.counted.len() as u32 - 1
            }
        };
        let (count, last) = &mut self.counted[number as usize];
        if *last != position {
            (*count, *last) = (*count + 1, position);
            self.all.push((number, position));
        }
    }

    /// The words in order, and where the positions of each are in the second list.
    fn by_word(self) -> (ByWord, Vec<u32>) {
        let mut laid_out = 0;
        let mut places: Vec<Range<usize>> = Vec::with_capacity(self.counted.len());
        for (count, _) in &self.counted {
            places.push(laid_out..laid_out);
            laid_out += *count as usize;
        }
        let mut positions = vec![0; laid_out];
        for (number, position) in self.all {
            let places = &mut places[number as usize];
            positions[places.end] = position;
            places.end += 1;
        }
        let numbered = self.numbers.into_iter().map(|(word, number)| (word, places[number as usize].clone()));
        let mut by_word: ByWord = numbered.collect();
        by_word.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        (by_word, positions)
    }
}

/// Shows positions and terms of an owner's events, ascending, one at a time: an event may be a megabyte. The part of a log that is beyond
/// 2^32 events is not found by words.
pub(super) fn each_terms(
    connection: &Connection,
    owner: OwnerNumber,
    (first, last): (i64, i64),
    mut see: impl FnMut(u32, &str),
) -> Result<(), StoreError> {
    let sql = "-- terms_between
        SELECT row, terms FROM traits WHERE row BETWEEN ?1 AND ?2 ORDER BY row";
    let doing = "reading terms";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let between = [owner.row(Seq(first)), owner.row(Seq(last.min(i64::from(u32::MAX))))];
    let mut rows = statement.query(between).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let terms = row.get_ref(1).and_then(|terms| Ok(terms.as_str()?)).map_err(|e| failed(doing, e))?;
        see(position(row.get(0).map_err(|e| failed(doing, e))?).0 as u32, terms);
    }
    Ok(())
}

/// An event of a segment has other terms than before.
pub(super) fn replace(
    connection: &Connection,
    owner: OwnerNumber,
    position: Seq,
    before: &str,
    after: &str,
) -> Result<(), StoreError> {
    let segment = of(position);
    let Ok(position) = u32::try_from(position.0) else { return Ok(()) };
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) = (words(before).collect(), words(after).collect());
    for word in before.difference(&after) {
        edit(connection, owner, segment, word, |positions| positions.retain(|other| *other != position))?;
    }
    for word in after.difference(&before) {
        edit(connection, owner, segment, word, |positions| {
            positions.push(position);
            positions.sort_unstable();
        })?;
    }
    Ok(())
}

/// Takes events out of every list of their segment, which is written anew.
pub(super) fn remove(
    connection: &Connection,
    owner: OwnerNumber,
    segment: i64,
    gone: &BTreeSet<u32>,
) -> Result<(), StoreError> {
    let sql = "-- rows_of_segment
        SELECT lists FROM posting WHERE owner = ?1 AND segment = ?2 ORDER BY term";
    let all: Vec<Vec<u8>> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_map(params![owner.0, segment], |r| r.get(0))?.collect())
        .map_err(|e| failed(WRITING, e))?;
    let sql = "-- drop_segment
        DELETE FROM posting WHERE owner = ?1 AND segment = ?2";
    execute(connection, sql, params![owner.0, segment], WRITING)?;
    let mut rows = Rows::new(connection, owner, segment)?;
    for row in &all {
        for list in Lists(row) {
            let list = list.and_then(|(word, gaps)| Some((word, positions(segment, gaps)?)));
            let (word, mut positions) = list.ok_or_else(|| unreadable(owner, segment))?;
            positions.retain(|position| !gone.contains(position));
            if !positions.is_empty() {
                rows.add(word, &gaps(segment, &positions))?;
            }
        }
    }
    rows.flush()
}

/// Takes away the segments from this one on: their events are found by their own terms again.
pub(super) fn drop_from(connection: &Connection, owner: OwnerNumber, first: i64) -> Result<(), StoreError> {
    let sql = "-- drop_segments
        DELETE FROM posting WHERE owner = ?1 AND segment >= ?2";
    execute(connection, sql, params![owner.0, first], WRITING)?;
    let sql = "-- indexed_before
        UPDATE owner SET indexed = min(indexed, ?2) WHERE id = ?1";
    execute_one(connection, sql, params![owner.0, first * SEGMENT_EVENTS], WRITING)
}

/// The segment a position is in.
pub(super) fn of(position: Seq) -> i64 {
    (position.0 - 1) / SEGMENT_EVENTS
}

/// Changes the list of one word: the row it is in, or would be in, is written anew.
fn edit(
    connection: &Connection,
    owner: OwnerNumber,
    segment: i64,
    word: &str,
    change: impl FnOnce(&mut Vec<u32>),
) -> Result<(), StoreError> {
    let sql = "-- row_of_word
        SELECT term, lists FROM posting WHERE owner = ?1 AND segment = ?2 AND term <= ?3 ORDER BY term DESC LIMIT 1";
    let row: Option<(String, Vec<u8>)> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![owner.0, segment, word], |r| Ok((r.get(0)?, r.get(1)?))).optional())
        .map_err(|e| failed(WRITING, e))?;
    let mut lists = Vec::new();
    if let Some((first, row)) = &row {
        lists = Lists(row).collect::<Option<Vec<_>>>().ok_or_else(|| unreadable(owner, segment))?;
        let sql = "-- drop_row_of_words
            DELETE FROM posting WHERE owner = ?1 AND segment = ?2 AND term = ?3";
        execute_one(connection, sql, params![owner.0, segment, first], WRITING)?;
    }
    let place = lists.partition_point(|(other, _)| *other < word);
    let mut changed = match lists.get(place) {
        Some((other, gaps)) if *other == word => {
            let positions = positions(segment, gaps).ok_or_else(|| unreadable(owner, segment))?;
            lists.remove(place);
            positions
        }
        _ => Vec::new(),
    };
    change(&mut changed);
    let changed = gaps(segment, &changed);
    if !changed.is_empty() {
        lists.insert(place, (word, &changed));
    }
    let mut rows = Rows::new(connection, owner, segment)?;
    for (word, gaps) in lists {
        rows.add(word, gaps)?;
    }
    rows.flush()
}

/// Reads the lists of one word, segment by segment.
pub(super) struct Reader<'c> {
    statement: CachedStatement<'c>,
    owner: OwnerNumber,
    word: &'c str,
}

impl<'c> Reader<'c> {
    pub(super) fn new(connection: &'c Connection, owner: OwnerNumber, word: &'c str) -> Result<Self, StoreError> {
        let sql = "-- postings
            SELECT lists FROM posting WHERE owner = ?1 AND segment = ?2 AND term <= ?3 ORDER BY term DESC LIMIT 1";
        let statement = connection.prepare_cached(sql).map_err(|e| failed(READING, e))?;
        Ok(Self { statement, owner, word })
    }

    /// Ascending.
    pub(super) fn positions(&mut self, segment: i64) -> Result<Vec<u32>, StoreError> {
        let mut rows =
            self.statement.query(params![self.owner.0, segment, self.word]).map_err(|e| failed(READING, e))?;
        let Some(row) = rows.next().map_err(|e| failed(READING, e))? else { return Ok(Vec::new()) };
        let row = row.get_ref(0).map_err(|e| failed(READING, e))?;
        let found = row.as_blob().ok().and_then(|lists| {
            for list in Lists(lists) {
                let (word, gaps) = list?;
                if word >= self.word {
                    return if word == self.word { positions(segment, gaps) } else { Some(Vec::new()) };
                }
            }
            Some(Vec::new())
        });
        found.ok_or_else(|| unreadable(self.owner, segment))
    }
}

/// Every word of every segment with the positions of the events that hold it.
pub(super) fn for_each(connection: &Connection, mut see: impl FnMut(OwnerNumber, &str, u32)) -> Result<(), StoreError> {
    let doing = "checking the lexical index";
    let sql = "-- all_postings
        SELECT owner, segment, lists FROM posting";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([]).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let read = || Ok((OwnerNumber(row.get(0)?), row.get(1)?, row.get(2)?));
        let (owner, segment, lists): (_, i64, Vec<u8>) = read().map_err(|e| failed(doing, e))?;
        for list in Lists(&lists) {
            let list = list.and_then(|(word, gaps)| Some((word, positions(segment, gaps)?)));
            let (word, positions) = list.ok_or_else(|| unreadable(owner, segment))?;
            positions.into_iter().for_each(|position| see(owner, word, position));
        }
    }
    Ok(())
}

fn unreadable(owner: OwnerNumber, segment: i64) -> StoreError {
    StoreError::Corrupt { detail: format!("posting, owner {}, segment {segment}: lists that make no sense", owner.0) }
}

/// Writes lists, which come in the order of their words, as rows: each is a word's length, the word, its list's length, the list.
struct Rows<'c> {
    insert: CachedStatement<'c>,
    owner: OwnerNumber,
    segment: i64,
    first: String,
    lists: Vec<u8>,
}

impl<'c> Rows<'c> {
    fn new(connection: &'c Connection, owner: OwnerNumber, segment: i64) -> Result<Self, StoreError> {
        let sql = "-- write_postings
            INSERT INTO posting (owner, segment, term, lists) VALUES (?1, ?2, ?3, ?4)";
        let insert = connection.prepare_cached(sql).map_err(|e| failed(WRITING, e))?;
        Ok(Self { insert, owner, segment, first: String::new(), lists: Vec::new() })
    }

    fn add(&mut self, word: &str, gaps: &[u8]) -> Result<(), StoreError> {
        if self.lists.len() + word.len() + gaps.len() > ROW_BYTES_MAX {
            self.flush()?;
        }
        if self.lists.is_empty() {
            word.clone_into(&mut self.first);
        }
        for part in [word.as_bytes(), gaps] {
            put_number(&mut self.lists, part.len() as u32);
            self.lists.extend_from_slice(part);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if !self.lists.is_empty() {
            let values = params![self.owner.0, self.segment, self.first, self.lists];
            self.insert.execute(values).map_err(|e| failed(WRITING, e))?;
            self.lists.clear();
        }
        Ok(())
    }
}

/// The words of a row with their lists, in order; `None` for what makes no sense, and no more after it.
struct Lists<'a>(&'a [u8]);

impl<'a> Lists<'a> {
    fn part(&mut self) -> Option<&'a [u8]> {
        let length = take_number(&mut self.0)?;
        let (part, rest) = self.0.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(part)
    }
}

impl<'a> Iterator for Lists<'a> {
    type Item = Option<(&'a str, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let word = self.part().and_then(|word| std::str::from_utf8(word).ok());
        let list = word.and_then(|word| Some((word, self.part()?)));
        if list.is_none() {
            self.0 = &[];
        }
        Some(list)
    }
}

/// Ascending positions of a segment as the gaps between them: most take one byte. What stands there twice counts once.
fn gaps(segment: i64, positions: &[u32]) -> Vec<u8> {
    let mut gaps = Vec::with_capacity(positions.len());
    let mut last = segment * SEGMENT_EVENTS;
    for position in positions.iter().map(|position| i64::from(*position)) {
        if position > last {
            put_number(&mut gaps, (position - last) as u32);
            last = position;
        }
    }
    gaps
}

/// `None`: no list of positions of this segment.
fn positions(segment: i64, mut gaps: &[u8]) -> Option<Vec<u32>> {
    let end = end(segment);
    let mut positions = Vec::with_capacity(gaps.len());
    let mut last = segment * SEGMENT_EVENTS;
    while !gaps.is_empty() {
        let gap = take_number(&mut gaps)?;
        last += i64::from(gap);
        if gap == 0 || last > end {
            return None;
        }
        positions.push(u32::try_from(last).ok()?);
    }
    Some(positions)
}

/// Seven bits a byte, the lower ones first, the top bit for "goes on" (LEB128: DWARF 5, 7.6).
fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Lists, SEGMENT_EVENTS, gaps, positions, put_number, take_number};

    proptest! {
        #[test]
        fn a_list_gives_back_what_it_was_given(
            segment in 0_i64..1_000_000,
            held in prop::collection::btree_set(1..=SEGMENT_EVENTS, 0..16),
        ) {
            let held: Vec<u32> = held.into_iter().map(|place| (segment * SEGMENT_EVENTS + place) as u32).collect();
            let twice: Vec<u32> = held.iter().flat_map(|position| [*position, *position]).collect();
            prop_assert_eq!(positions(segment, &gaps(segment, &twice)), Some(held));
        }

        #[test]
        fn a_number_gives_back_itself(number: u32) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut rest = bytes.as_slice();
            prop_assert_eq!((take_number(&mut rest), rest), (Some(number), &[][..]));
        }

        #[test]
        fn any_bytes_are_lists_or_nothing(segment in 0_i64..1_000, bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let first = segment * SEGMENT_EVENTS + 1;
            for (_, gaps) in Lists(&bytes).flatten() {
                for position in positions(segment, gaps).unwrap_or_default() {
                    prop_assert!((first..first + SEGMENT_EVENTS).contains(&i64::from(position)));
                }
            }
        }
    }
}
