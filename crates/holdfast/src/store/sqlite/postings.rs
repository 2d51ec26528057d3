//! Which events hold a term, newest first: read from the full-text index as far as a search asks, and kept for the next search.
//!
//! The log only grows, so what was read stays true: a list kept from before is read on at its new end. Where entries of past
//! events were written anew (archive, restore), the owner's count of that has risen and the list is read afresh. A kept list never
//! shows more than reading would have given, so an answer does not depend on what was asked before.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params};

use super::open::failed;
use super::row::{OwnerNumber, position};
use crate::store::StoreError;
use crate::types::ids::Seq;

/// Positions kept in memory for all terms together, half of it for those used lately: 8 MB. A term that is in one of ten events
/// of a log of 100,000 takes 10,000.
const KEPT_MAX: usize = 2_000_000;

/// A list that is so many events behind is read afresh.
const BEHIND_MAX: i64 = 20_000;

/// The owner's part of the index, as the search found it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snapshot {
    pub(super) owner: OwnerNumber,
    /// Position of the owner's last event.
    pub(super) last: i64,
    /// How often entries of past events were written anew.
    pub(super) rewritten: i64,
}

/// The newest positions of one term.
#[derive(Debug, Clone, Default)]
struct List {
    /// Oldest first.
    positions: VecDeque<u32>,
    /// There are no older ones.
    ended: bool,
    through: i64,
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
    fn get(&self, snapshot: Snapshot, term: &str) -> Arc<List> {
        let key = (snapshot.owner, term.to_owned());
        let generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = generations.young.get(&key).or_else(|| generations.old.get(&key));
        let of_use = |list: &&Arc<List>| {
            // A list from beyond this snapshot would show what the snapshot has not.
            list.rewritten == snapshot.rewritten && (0..=BEHIND_MAX).contains(&(snapshot.last - list.through))
        };
        kept.filter(of_use).cloned().unwrap_or_default()
    }

    fn keep(&self, owner: OwnerNumber, term: &str, list: Arc<List>) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let generations = &mut *generations;
        // An empty list has a cost too: its key.
        generations.young_positions += list.positions.len() + term.len();
        if let Some(before) = generations.young.insert((owner, term.to_owned()), list) {
            generations.young_positions -= before.positions.len() + term.len();
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
    list: Arc<List>,
    /// So many of the list's newest are seen.
    seen: usize,
    /// There are no more.
    pub(super) ended: bool,
}

impl Postings {
    pub(super) fn new(place: usize) -> Self {
        Self { place, list: Arc::default(), seen: 0, ended: false }
    }

    pub(super) fn len(&self) -> usize {
        self.seen
    }

    /// Positions, newest first.
    pub(super) fn positions(&self) -> impl Iterator<Item = u32> {
        self.list.positions.iter().rev().take(self.seen).copied()
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
        let behind = self.list.through < snapshot.last || self.list.rewritten != snapshot.rewritten;
        if behind || (!self.list.ended && self.list.positions.len() < wanted) {
            let list = Arc::make_mut(&mut self.list);
            list.read_newer(connection, snapshot, term)?;
            list.read_older(connection, snapshot, term, wanted)?;
            cache.keep(snapshot.owner, term, Arc::clone(&self.list));
        }
        self.seen = self.list.positions.len().min(wanted);
        self.ended = self.list.ended && self.list.positions.len() < wanted;
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
    /// What was added to the log since the list was read. A new list has nothing to go on from.
    fn read_newer(&mut self, connection: &Connection, snapshot: Snapshot, term: &str) -> Result<(), StoreError> {
        let new = self.positions.is_empty() && !self.ended;
        if !new && self.through < snapshot.last {
            let newer = rows(connection, snapshot.owner, term, (self.through + 1, snapshot.last), usize::MAX)?;
            self.positions.extend(newer.iter().rev());
        }
        (self.through, self.rewritten) = (snapshot.last, snapshot.rewritten);
        Ok(())
    }

    fn read_older(
        &mut self,
        connection: &Connection,
        snapshot: Snapshot,
        term: &str,
        wanted: usize,
    ) -> Result<(), StoreError> {
        let more = wanted.saturating_sub(self.positions.len());
        if self.ended || more == 0 {
            return Ok(());
        }
        let newest = self.positions.front().map_or(snapshot.last, |oldest| i64::from(*oldest) - 1);
        let older = rows(connection, snapshot.owner, term, (0, newest), more)?;
        self.ended = older.len() < more;
        older.into_iter().for_each(|position| self.positions.push_front(position));
        Ok(())
    }
}

/// Positions that hold a term, from first to last, newest first.
fn rows(
    connection: &Connection,
    owner: OwnerNumber,
    term: &str,
    (first, last): (i64, i64),
    limit: usize,
) -> Result<Vec<u32>, StoreError> {
    let sql = "-- postings
        SELECT rowid FROM event_fts WHERE event_fts MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC LIMIT ?4";
    let doing = "searching";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut found = statement
        .query(params![quoted(term), owner.row(Seq(first)), owner.row(Seq(last)), limit])
        .map_err(|e| failed(doing, e))?;
    let mut positions = Vec::new();
    while let Some(row) = found.next().map_err(|e| failed(doing, e))? {
        let row: i64 = row.get(0).map_err(|e| failed(doing, e))?;
        // A log of more than 2^32 events: its later part is not found by words.
        positions.extend(u32::try_from(position(row).0));
    }
    Ok(positions)
}

/// A term as an FTS5 string: nothing in it can be an operator.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}
