//! Which events hold a term, newest first: those after the last segment by `tail`, earlier ones by the lists of `segments`, read as far
//! back as a search asks, and kept for the next search.
//!
//! A segment is written once, so what was read stays true: lists kept from before are read on at their new end. Where terms of past
//! events were written anew (archive, restore), the owner's count of that has risen and the lists are read afresh. A kept list never
//! shows more than reading would have given, so an answer does not depend on what was asked before.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::row::OwnerNumber;
use super::segments;
use crate::store::StoreError;

/// Positions kept in memory for all terms together, half of it for those used lately: 8 MB. A term that is in one of ten events
/// of a log of 100,000 takes 10,000.
const KEPT_MAX: usize = 2_000_000;

/// What a kept list costs beside its positions, in positions: its key, and what holds it.
const ENTRY_COST: usize = 40;

/// Positions of one term that are kept, about: twice what one search may read of it. Those of the oldest segments go first.
const KEPT_OF_A_TERM_MAX: usize = 48_000;

/// A list that is so many segments behind is read afresh.
const BEHIND_MAX: i64 = 5;

/// The owner's part of the index, as the search found it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snapshot {
    pub(super) owner: OwnerNumber,
    /// Position of the owner's last event.
    pub(super) last: i64,
    /// Position through which the log has segments.
    pub(super) indexed: i64,
    /// How often entries of past events were written anew.
    pub(super) rewritten: i64,
    /// Whether some of the owner's events are hidden: they are in the index, and are no hits.
    pub(super) hides: bool,
    /// How many events there are.
    pub(super) events: u64,
}

/// The positions of one term in the newest segments.
#[derive(Debug, Clone, Default)]
struct List {
    /// Oldest first.
    positions: VecDeque<u32>,
    /// The segments that were read: from this one, up to but without that one.
    from: i64,
    to: i64,
    rewritten: i64,
}

/// Lists of terms that were searched for, in two generations: what is not asked for again while the younger fills goes.
#[derive(Debug, Default)]
pub(super) struct PostingsCache {
    generations: Mutex<Generations>,
}

type Lists = BTreeMap<(OwnerNumber, String), Arc<List>>;

#[derive(Debug, Default)]
struct Generations {
    young: Lists,
    old: Lists,
    young_positions: usize,
}

impl PostingsCache {
    /// What is kept of a term, or a list to begin with.
    fn get(&self, snapshot: Snapshot, term: &str) -> Arc<List> {
        let segments = segments::count(snapshot.indexed);
        let key = (snapshot.owner, term.to_owned());
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = generations.young.get(&key).or_else(|| generations.old.get(&key));
        let of_use = |list: &&Arc<List>| {
            // A list from beyond this snapshot would show what the snapshot has not.
            list.rewritten == snapshot.rewritten && (0..=BEHIND_MAX).contains(&(segments - list.to))
        };
        let new = || Arc::new(List { from: segments, to: segments, rewritten: snapshot.rewritten, ..List::default() });
        kept.filter(of_use).map_or_else(new, Arc::clone)
    }

    fn keep(&self, owner: OwnerNumber, term: &str, list: Arc<List>) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let generations = &mut *generations;
        generations.young_positions += list.positions.len() + ENTRY_COST;
        if let Some(before) = generations.young.insert((owner, term.to_owned()), list) {
            generations.young_positions -= before.positions.len() + ENTRY_COST;
        }
        if generations.young_positions > KEPT_MAX / 2 {
            generations.old = std::mem::take(&mut generations.young);
            generations.young_positions = 0;
        }
    }
}

/// The newest rows of one term of a search, as far as they were asked for.
#[derive(Debug)]
pub(super) struct Postings {
    /// Its place among the terms asked for.
    pub(super) place: usize,
    /// Positions after the last segment, oldest first.
    tail: Vec<u32>,
    list: Arc<List>,
    /// So many of the newest are seen.
    seen: usize,
    /// There are no more.
    pub(super) ended: bool,
}

impl Postings {
    pub(super) fn new(place: usize, tail: Vec<u32>) -> Self {
        Self { place, tail, list: Arc::default(), seen: 0, ended: false }
    }

    pub(super) fn len(&self) -> usize {
        self.seen
    }

    /// Positions, newest first.
    pub(super) fn positions(&self) -> impl Iterator<Item = u32> {
        self.tail.iter().rev().chain(self.list.positions.iter().rev()).take(self.seen).copied()
    }

    /// Sees on until there are `wanted` rows, or no more.
    pub(super) fn read(
        &mut self,
        connection: &Connection,
        cache: &PostingsCache,
        snapshot: Snapshot,
        term: &str,
        wanted: usize,
    ) -> Result<(), StoreError> {
        if self.seen == 0 {
            self.list = cache.get(snapshot, term);
        }
        let of_segments = wanted.saturating_sub(self.tail.len());
        let segments = segments::count(snapshot.indexed);
        if self.list.to < segments || self.list.is_short_of(of_segments) {
            let list = Arc::make_mut(&mut self.list);
            list.read(segments::Reader::new(connection, snapshot.owner, term)?, segments, of_segments)?;
            cache.keep(snapshot.owner, term, Arc::clone(&self.list));
        }
        let all = self.tail.len() + self.list.positions.len();
        self.seen = all.min(wanted);
        self.ended = self.list.from == 0 && all < wanted;
        Ok(())
    }

    /// How many rows there are, judged by how far back those seen reach if there are more.
    pub(super) fn estimate(&self, snapshot: Snapshot) -> u64 {
        let seen = self.seen as u64;
        match self.positions().last() {
            Some(oldest) if !self.ended => {
                let all = snapshot.last as u64;
                let span = (snapshot.last - i64::from(oldest) + 1).max(1);
                ((seen as f64 * all as f64 / span as f64) as u64).clamp(seen, all.max(seen))
            }
            _ => seen,
        }
    }
}

impl List {
    fn is_short_of(&self, wanted: usize) -> bool {
        self.from > 0 && self.positions.len() < wanted
    }

    /// Reads on: the segments written since, and older ones until there are `wanted` positions.
    fn read(&mut self, mut reader: segments::Reader<'_>, segments: i64, wanted: usize) -> Result<(), StoreError> {
        while self.to < segments {
            self.positions.extend(reader.positions(self.to)?);
            self.to += 1;
        }
        while self.positions.len() > KEPT_OF_A_TERM_MAX.max(wanted) && self.from + 1 < self.to {
            let end = segments::end(self.from);
            let gone = self.positions.partition_point(|position| i64::from(*position) <= end);
            self.positions.drain(..gone);
            self.from += 1;
        }
        while self.is_short_of(wanted) {
            self.from -= 1;
            reader.positions(self.from)?.into_iter().rev().for_each(|position| self.positions.push_front(position));
        }
        Ok(())
    }
}
