//! The events after an owner's last segment, by their words: read from their rows, kept, and followed as the log grows.
//!
//! They are fewer than a segment has, so that this can be made anew in some milliseconds, of usual texts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

// Never iterated, and half of the time of a tree.
use foldhash::HashMap;
use rusqlite::Connection;

use super::lexical::words;
use super::postings::Snapshot;
use super::row::OwnerNumber;
use super::segments;
use crate::store::StoreError;

/// Pairs of word and event kept for all owners together: 16 owners with a full tail of long texts, or thousands with a short one.
/// Those used longest ago go first.
const KEPT_MAX: usize = 4_000_000;

#[derive(Debug, Default)]
pub(super) struct Tails {
    owners: Mutex<Owners>,
}

#[derive(Debug, Default)]
struct Owners {
    by_number: BTreeMap<OwnerNumber, Kept>,
    uses: u64,
}

#[derive(Debug, Default)]
struct Kept {
    tail: Arc<Mutex<Tail>>,
    pairs: usize,
    last_use: u64,
}

impl Tails {
    /// The positions of the events that hold each word, ascending, as the snapshot has them.
    pub(super) fn positions(
        &self,
        connection: &Connection,
        snapshot: Snapshot,
        words: &[&str],
    ) -> Result<Vec<Vec<u32>>, StoreError> {
        let tail = {
            let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
            owners.uses += 1;
            let uses = owners.uses;
            let kept = owners.by_number.entry(snapshot.owner).or_default();
            kept.last_use = uses;
            Arc::clone(&kept.tail)
        };
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.is_beyond(snapshot) {
            // What is kept is of later than this reader may see, which has begun before.
            let mut own = Tail::default();
            own.follow(connection, snapshot)?;
            return Ok(own.positions(words, snapshot.last));
        }
        tail.follow(connection, snapshot)?;
        let (found, pairs) = (tail.positions(words, snapshot.last), tail.pairs);
        drop(tail);
        self.account(snapshot.owner, pairs);
        Ok(found)
    }

    fn account(&self, owner: OwnerNumber, pairs: usize) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = owners.by_number.get_mut(&owner) {
            kept.pairs = pairs;
        }
        let mut all: usize = owners.by_number.values().map(|kept| kept.pairs).sum();
        while all > KEPT_MAX {
            let others = owners.by_number.iter().filter(|(number, _)| **number != owner);
            let Some(oldest) = others.min_by_key(|(_, kept)| kept.last_use).map(|(number, _)| *number) else { break };
            all -= owners.by_number.remove(&oldest).map_or(0, |kept| kept.pairs);
        }
    }
}

#[derive(Debug, Default)]
struct Tail {
    /// Segments reach so far.
    after: i64,
    through: i64,
    rewritten: i64,
    by_word: HashMap<Box<str>, Vec<u32>>,
    pairs: usize,
}

impl Tail {
    fn is_beyond(&self, snapshot: Snapshot) -> bool {
        self.after > snapshot.indexed || self.rewritten > snapshot.rewritten
    }

    fn follow(&mut self, connection: &Connection, snapshot: Snapshot) -> Result<(), StoreError> {
        if self.after != snapshot.indexed || self.rewritten != snapshot.rewritten {
            *self = Self {
                after: snapshot.indexed,
                through: snapshot.indexed,
                rewritten: snapshot.rewritten,
                ..Self::default()
            };
        }
        if self.through >= snapshot.last {
            return Ok(());
        }
        // What a failure leaves half read is read again: a position that is there already is not added twice.
        segments::each_terms(connection, snapshot.owner, (self.through + 1, snapshot.last), |position, terms| {
            words(terms).for_each(|word| self.add(word, position));
        })?;
        self.through = snapshot.last;
        Ok(())
    }

    fn add(&mut self, word: &str, position: u32) {
        if let Some(positions) = self.by_word.get_mut(word) {
            if positions.last() == Some(&position) {
                return;
            }
            positions.push(position);
        } else {
            self.by_word.insert(word.into(), vec![position]);
        }
        self.pairs += 1;
    }

    fn positions(&self, words: &[&str], last: i64) -> Vec<Vec<u32>> {
        let of = |word: &&str| -> Vec<u32> {
            let all = self.by_word.get(*word).map_or(&[][..], Vec::as_slice);
            // Those after the snapshot are at the end.
            all[..all.partition_point(|position| i64::from(*position) <= last)].to_vec()
        };
        words.iter().map(of).collect()
    }
}
