//! Lexical candidates: the rows of one owner whose terms of the query weigh most together.
//!
//! Which rows hold a term is read from `postings`. How often a term is in a row, and how long the row is, is looked at by the ranking,
//! which reads the few best rows anyway.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::open::failed;
use super::postings::{Postings, PostingsCache, Snapshot};
use super::read::{Condition, is_open};
use super::row::{OwnerNumber, position};
use super::tail::Tails;
use crate::store::{Lexical, StoreError};
use crate::types::ids::Seq;
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Rows that the terms of one search may have together: nothing stops early, so the cost of a search is the sum of its terms'
/// rows. The rarest terms are taken first. Measured on a year of one person's events (10 k), leaving out terms in more than 10 %
/// of the rows costs nothing and in more than 2 % costs .07 R@10; at 100 k and 1 M this keeps a search within milliseconds.
const POSTINGS_MAX: usize = 24_000;

/// Terms of one search: a question has a dozen; a pasted page must not become a thousand-way OR.
const TERMS_MAX: usize = 48;

/// Longest term that is indexed, in bytes: `text` makes none near it.
const TERM_BYTES_MAX: usize = 256;

/// Rows read of each term before it is asked whether the next ones are still affordable; doubled each time.
const FIRST_ROUND_ROWS: usize = 1_000;

/// When every term is common, the rarest few are searched all the same, as far back as can be afforded.
const COMMON_TERMS_USED: usize = 3;

/// Rows of a filter that are gathered before any term is looked at; one that lets more through is asked of each candidate instead.
const FILTERED_ROWS_MAX: usize = 20_000;

/// What of the lexical index is kept in memory.
#[derive(Debug, Default)]
pub(super) struct Index {
    lists: PostingsCache,
    tails: Tails,
}

fn snapshot(connection: &Connection, owner: &Owner) -> Result<Option<Snapshot>, StoreError> {
    let sql = "-- snapshot
        SELECT id, last_event, indexed, rewritten, hidden > 0, last_event - erased FROM owner WHERE tenant = ?1 AND user = ?2 AND agent = ?3";
    let key = (owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str());
    connection
        .prepare_cached(sql)
        .and_then(|mut s| {
            s.query_row(key, |r| {
                let (last, indexed, rewritten, hides) = (r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?);
                Ok(Snapshot { owner: OwnerNumber(r.get(0)?), last, indexed, rewritten, hides, events: r.get(5)? })
            })
            .optional()
        })
        .map_err(|e| failed("searching", e))
}

/// Robertson and Spärck Jones's weight of a term, kept above zero as Lucene does.
fn rarity(rows: u64, total: u64) -> f64 {
    let (all, rows) = (total.max(rows) as f64, rows as f64);
    (1.0 + (all - rows + 0.5) / (rows + 0.5)).ln()
}

/// Rules: rows of the owner only; the filter holds; any used term matches; the most weight first, of equals the newest.
pub(super) fn search(
    connection: &Connection,
    index: &Index,
    owner: &Owner,
    terms: &[String],
    filter: &Filter,
    limit: usize,
) -> Result<Lexical, StoreError> {
    let mut lexical = Lexical { term_rows: vec![0; terms.len()], used: vec![false; terms.len()], ..Lexical::default() };
    let Some(snapshot) = snapshot(connection, owner)? else { return Ok(lexical) };
    // Every event has an entry.
    lexical.total_rows = snapshot.events;
    // Who wants no rows wants to know how common the terms are, about.
    let rows_max = if limit == 0 { FIRST_ROUND_ROWS } else { POSTINGS_MAX };
    let used = read_postings(connection, index, snapshot, terms, rows_max, &mut lexical)?;
    if limit == 0 {
        return Ok(lexical);
    }
    let rarities: Vec<f64> = used.iter().map(|p| rarity(lexical.term_rows[p.place], lexical.total_rows)).collect();
    let mut candidates = merged(snapshot.owner, &used, &rarities);
    let best = FilteredRows::new(connection, snapshot, filter)?.best(&mut candidates, limit)?;
    lexical.rows = best.into_iter().map(|(weight, row)| (position(row), weight as f32)).collect();
    Ok(lexical)
}

/// Reads the terms' rows side by side, in rounds, until all are read or what is left can't be afforded. Gives back the terms to
/// use; how many rows each one has, or about how many, goes into `lexical`.
fn read_postings(
    connection: &Connection,
    index: &Index,
    snapshot: Snapshot,
    terms: &[String],
    rows_max: usize,
    lexical: &mut Lexical,
) -> Result<Vec<Postings>, StoreError> {
    let (mut seen, mut places) = (BTreeSet::new(), Vec::new());
    for (place, term) in terms.iter().enumerate() {
        if places.len() < TERMS_MAX && is_one_term(term) && seen.insert(term) {
            places.push(place);
        }
    }
    let asked: Vec<&str> = places.iter().map(|place| terms[*place].as_str()).collect();
    let tails = index.tails.positions(connection, snapshot, &asked)?;
    let mut reading: Vec<Postings> =
        places.into_iter().zip(tails).map(|(place, tail)| Postings::new(place, tail)).collect();
    let (mut read, mut spent, mut round) = (Vec::new(), 0, FIRST_ROUND_ROWS);
    while !reading.is_empty() && spent + round <= rows_max {
        for postings in &mut reading {
            postings.read(connection, &index.lists, snapshot, &terms[postings.place], round)?;
        }
        read.extend(reading.extract_if(.., |postings| postings.ended));
        spent = read.iter().map(Postings::len).sum();
        round *= 2;
    }
    for postings in read.iter().chain(&reading) {
        lexical.term_rows[postings.place] = postings.estimate(snapshot);
    }
    let mut used = within_budget(read, rows_max);
    if used.is_empty() {
        // When every term is common, none tells much: the newest rows of the rarest few are candidates.
        reading.sort_by_key(|postings| lexical.term_rows[postings.place]);
        reading.truncate(COMMON_TERMS_USED);
        for postings in &mut reading {
            let wanted = rows_max / COMMON_TERMS_USED;
            postings.read(connection, &index.lists, snapshot, &terms[postings.place], wanted)?;
        }
        used = reading;
    }
    for postings in &used {
        lexical.used[postings.place] = true;
    }
    Ok(used)
}

/// The rarest terms that fit the budget together.
fn within_budget(mut read: Vec<Postings>, rows_max: usize) -> Vec<Postings> {
    read.retain(|postings| postings.len() > 0);
    read.sort_by_key(Postings::len);
    let mut spent = 0;
    read.retain(|postings| {
        spent += postings.len();
        spent <= rows_max
    });
    read
}

/// Each row once, with the rarities of the terms it holds added up.
fn merged(owner: OwnerNumber, used: &[Postings], rarities: &[f64]) -> Vec<(f64, i64)> {
    let mut all: Vec<(u32, f64)> = Vec::with_capacity(used.iter().map(Postings::len).sum());
    for (postings, rarity) in used.iter().zip(rarities) {
        all.extend(postings.positions().map(|position| (position, *rarity)));
    }
    // The stable sort finds the runs that are in order already.
    all.sort_by_key(|(position, _)| Reverse(*position));
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all.into_iter().map(|(position, weight)| (weight, owner.row(Seq(i64::from(position))))).collect()
}

/// The words of an index entry: parted by white space and control characters of ASCII, and by nothing else.
pub(super) fn words(terms: &str) -> impl Iterator<Item = &str> {
    terms.split(|c: char| !is_part_of_term(c)).filter(|word| !word.is_empty())
}

/// An index entry without what is too long to be a term.
pub(super) fn without_overlong(terms: &str) -> Cow<'_, str> {
    // Byte by byte: what parts words is ASCII, and every event passes here.
    let fits = |word: &[u8]| word.len() <= TERM_BYTES_MAX;
    if terms.as_bytes().split(|b| *b <= b' ' || *b == 0x7f).all(fits) {
        return Cow::Borrowed(terms);
    }
    let lines = terms
        .split('\n')
        .map(|line| words(line).filter(|word| word.len() <= TERM_BYTES_MAX).collect::<Vec<_>>().join(" "));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

fn is_part_of_term(c: char) -> bool {
    c > ' ' && c != '\u{7f}'
}

/// Whether any row can hold it: not empty, not several words.
fn is_one_term(term: &str) -> bool {
    (1..=TERM_BYTES_MAX).contains(&term.len()) && term.chars().all(is_part_of_term)
}

/// How a filter is put to candidates.
enum FilteredRows<'c> {
    Open,
    /// The few rows that pass, ascending.
    Gathered(Vec<i64>),
    /// Asked of each candidate.
    Asked(&'c Connection, Condition),
}

impl<'c> FilteredRows<'c> {
    fn new(connection: &'c Connection, snapshot: Snapshot, filter: &Filter) -> Result<Self, StoreError> {
        if is_open(filter) && (filter.hidden || !snapshot.hides) {
            return Ok(Self::Open);
        }
        let condition = Condition::new(snapshot.owner, filter);
        // These have an index: the rows that pass are found without looking at the others.
        if filter.session.is_some() || filter.task.is_some() || filter.since.is_some() || filter.until.is_some() {
            let rows = filtered_rows(connection, &condition, FILTERED_ROWS_MAX)?;
            if rows.len() < FILTERED_ROWS_MAX {
                return Ok(Self::Gathered(rows));
            }
        }
        Ok(Self::Asked(connection, condition))
    }

    /// The `wanted` candidates with the most weight that pass; of equals the newest.
    fn best(&self, candidates: &mut Vec<(f64, i64)>, wanted: usize) -> Result<Vec<(f64, i64)>, StoreError> {
        let heaviest = |a: &(f64, i64), b: &(f64, i64)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        if let Self::Gathered(rows) = self {
            candidates.retain(|(_, row)| rows.binary_search(row).is_ok());
        }
        let Self::Asked(connection, condition) = self else {
            if wanted > 0 && candidates.len() > wanted {
                candidates.select_nth_unstable_by(wanted - 1, heaviest);
            }
            candidates.truncate(wanted);
            candidates.sort_unstable_by(heaviest);
            return Ok(std::mem::take(candidates));
        };
        candidates.sort_unstable_by(heaviest);
        let doing = "filtering candidates";
        let place = condition.values.len() + 1;
        let sql = format!("-- passes\n SELECT 1 FROM event WHERE row = ?{place} AND {}", condition.sql);
        let mut statement = connection.prepare_cached(&sql).map_err(|e| failed(doing, e))?;
        for (i, value) in condition.values.iter().enumerate() {
            statement.raw_bind_parameter(i + 1, value).map_err(|e| failed(doing, e))?;
        }
        let mut best = Vec::new();
        for (weight, row) in candidates.iter() {
            if best.len() == wanted {
                break;
            }
            statement.raw_bind_parameter(place, row).map_err(|e| failed(doing, e))?;
            if statement.raw_query().next().map_err(|e| failed(doing, e))?.is_some() {
                best.push((*weight, *row));
            }
        }
        Ok(best)
    }
}

/// Rows that pass, ascending; at most `limit` of them.
pub(super) fn filtered_rows(
    connection: &Connection,
    condition: &Condition,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "-- filtered_rows\n SELECT row FROM event WHERE {} LIMIT {}",
        condition.sql,
        limit.min(i64::MAX as usize)
    );
    let doing = "filtering events";
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed(doing, e))?;
    let rows = statement.query_map(params_from_iter(&condition.values), |r| r.get(0)).map_err(|e| failed(doing, e))?;
    let mut rows = rows.collect::<Result<Vec<i64>, _>>().map_err(|e| failed(doing, e))?;
    rows.sort_unstable();
    Ok(rows)
}
