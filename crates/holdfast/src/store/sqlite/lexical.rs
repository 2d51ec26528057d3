//! Full-text candidates: BM25 over any of the query's terms, within one owner's rows.
//!
//! FTS5 keeps which rows hold a term and gives them newest first; the scoring is ours. Its own BM25 counts each term over the rows
//! of every owner, which costs as much as there are, and makes one owner's answers depend on another's words.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::open::failed;
use super::read::{Condition, is_open};
use super::row::{OwnerNumber, position};
use crate::store::{Lexical, StoreError};
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

/// A term that was found too common is not read again until its owner's log has grown by this share (an eighth).
const GROWTH_UNTIL_RECOUNT: u64 = 8;

/// When every term is common, the rarest few are searched all the same, as far back as can be afforded.
const COMMON_TERMS_USED: usize = 3;

/// Terms remembered as too common.
const COMMON_TERMS_MAX: usize = 50_000;

/// Candidates whose words are counted, for each one wanted: before that they are ranked by the rarity of the terms they hold.
const SCORED_PER_WANTED: usize = 3;

/// Rows of a filter that are gathered before any term is looked at; one that lets more through is asked of each candidate instead.
const FILTERED_ROWS_MAX: usize = 20_000;

/// BM25's usual constants: how soon a repeated term stops counting, and how much a long text is held back.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Terms of each owner that are known to be in too many rows to be read along with rarer ones.
#[derive(Debug, Default)]
pub(super) struct CommonTerms {
    known: Mutex<BTreeMap<(OwnerNumber, String), Common>>,
}

#[derive(Debug, Clone, Copy)]
struct Common {
    /// About how many rows hold it, when there were `of_total`.
    rows: u64,
    of_total: u64,
}

impl CommonTerms {
    fn get(&self, owner: OwnerNumber, term: &str, total: u64) -> Option<u64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let common = known.get(&(owner, term.to_owned()))?;
        (total <= common.of_total + common.of_total / GROWTH_UNTIL_RECOUNT).then_some(common.rows)
    }

    fn remember(&self, owner: OwnerNumber, term: &str, rows: u64, of_total: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= COMMON_TERMS_MAX {
            known.clear();
        }
        known.insert((owner, term.to_owned()), Common { rows, of_total });
    }
}

/// The owner's part of the index.
struct Collection {
    owner: OwnerNumber,
    rows: u64,
    terms: u64,
}

impl Collection {
    fn load(connection: &Connection, owner: &Owner) -> Result<Option<Self>, StoreError> {
        let sql = "-- collection
            SELECT id, last_event, terms FROM owner WHERE tenant = ?1 AND user = ?2 AND agent = ?3";
        let key = (owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str());
        connection
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.query_row(key, |r| Ok(Self { owner: OwnerNumber(r.get(0)?), rows: r.get(1)?, terms: r.get(2)? }))
                    .optional()
            })
            .map_err(|e| failed("counting rows", e))
    }

    /// Robertson and Spärck Jones's weight of a term, kept above zero as Lucene does.
    fn rarity(&self, rows: u64) -> f64 {
        let (all, rows) = (self.rows.max(rows) as f64, rows as f64);
        (1.0 + (all - rows + 0.5) / (rows + 0.5)).ln()
    }
}

/// The rows of one term, read newest first as far as needed.
struct Postings {
    /// Its place among the terms asked for.
    place: usize,
    rows: Vec<i64>,
    /// There are no more.
    ended: bool,
}

impl Postings {
    fn new(place: usize) -> Self {
        Self { place, rows: Vec::new(), ended: false }
    }

    /// Reads on until there are `wanted` rows, or no more.
    fn read(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        term: &str,
        wanted: usize,
    ) -> Result<(), StoreError> {
        let sql = "-- postings
            SELECT rowid FROM event_fts WHERE event_fts MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC LIMIT ?4";
        let (first, last) = owner.rows();
        let newest = self.rows.last().map_or(last, |row| row - 1);
        let more = wanted.saturating_sub(self.rows.len());
        let before = self.rows.len();
        let doing = "searching";
        let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
        let mut rows = statement.query(params![quoted(term), first, newest, more]).map_err(|e| failed(doing, e))?;
        while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
            self.rows.push(row.get(0).map_err(|e| failed(doing, e))?);
        }
        self.ended = self.rows.len() - before < more;
        Ok(())
    }

    /// How many rows there are, judged by how far back those read reach if there are more.
    fn estimate(&self, collection: &Collection) -> u64 {
        let read = self.rows.len() as u64;
        match self.rows.last() {
            Some(oldest) if !self.ended => {
                let span = (collection.rows as i64 - position(*oldest).0 + 1).max(1);
                ((read as f64 * collection.rows as f64 / span as f64) as u64).clamp(read, collection.rows.max(read))
            }
            _ => read,
        }
    }
}

/// Rules: rows of the owner only; the filter holds; any used term matches; best BM25 first, of equals the newest.
pub(super) fn search(
    connection: &Connection,
    common: &CommonTerms,
    owner: &Owner,
    terms: &[String],
    filter: &Filter,
    limit: usize,
) -> Result<Lexical, StoreError> {
    let mut lexical = Lexical { term_rows: vec![0; terms.len()], used: vec![false; terms.len()], ..Lexical::default() };
    let Some(collection) = Collection::load(connection, owner)? else { return Ok(lexical) };
    lexical.total_rows = collection.rows;
    let used = read_postings(connection, common, &collection, terms, &mut lexical)?;
    let rarities: Vec<f64> = used.iter().map(|p| collection.rarity(lexical.term_rows[p.place])).collect();
    let searched: Vec<&str> = used.iter().map(|p| terms[p.place].as_str()).collect();

    let mut candidates = merged(&used, &rarities);
    let wanted = limit.saturating_mul(SCORED_PER_WANTED);
    let best = FilteredRows::new(connection, &collection, filter)?.best(&mut candidates, wanted)?;
    let mut scored = Vec::with_capacity(best.len());
    let sql = "-- terms_of_row
        SELECT terms FROM event_terms WHERE row = ?1";
    let doing = "scoring candidates";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let usual_length = (collection.terms as f64 / collection.rows.max(1) as f64).max(1.0);
    for row in best {
        let mut rows = statement.query([row]).map_err(|e| failed(doing, e))?;
        // Gone between two reads: it is no longer a candidate.
        let Some(found) = rows.next().map_err(|e| failed(doing, e))? else { continue };
        let text = found.get_ref(0).and_then(|v| Ok(v.as_str()?)).map_err(|e| failed(doing, e))?;
        scored.push((score(text, &searched, &rarities, usual_length), row));
    }
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    lexical.rows = scored.into_iter().take(limit).map(|(score, row)| (position(row), score as f32)).collect();
    Ok(lexical)
}

/// Reads the terms' rows side by side, in rounds, until all are read or what is left can't be afforded. Gives back the terms to
/// use; how many rows each one has, or about how many, goes into `lexical`.
fn read_postings(
    connection: &Connection,
    common: &CommonTerms,
    collection: &Collection,
    terms: &[String],
    lexical: &mut Lexical,
) -> Result<Vec<Postings>, StoreError> {
    let (mut reading, mut skipped) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for (place, term) in terms.iter().enumerate() {
        if !is_one_term(term) || !seen.insert(term) || seen.len() > TERMS_MAX {
            continue;
        }
        match common.get(collection.owner, term, collection.rows) {
            Some(rows) => {
                lexical.term_rows[place] = rows;
                skipped.push(Postings::new(place));
            }
            None => reading.push(Postings::new(place)),
        }
    }
    let (mut read, mut spent, mut round) = (Vec::new(), 0, FIRST_ROUND_ROWS);
    while !reading.is_empty() && spent + round <= POSTINGS_MAX {
        for postings in &mut reading {
            postings.read(connection, collection.owner, &terms[postings.place], round)?;
        }
        read.extend(reading.extract_if(.., |postings| postings.ended));
        spent = read.iter().map(|postings| postings.rows.len()).sum();
        round *= 2;
    }
    for postings in read.iter().chain(&reading) {
        lexical.term_rows[postings.place] = postings.estimate(collection);
    }
    for postings in &reading {
        let rows = lexical.term_rows[postings.place];
        // Only what no search could afford: beside many rarer terms, a term may be left out that another search can take.
        if rows as usize > POSTINGS_MAX / 2 {
            common.remember(collection.owner, &terms[postings.place], rows, collection.rows);
        }
    }
    let mut used = within_budget(read);
    if used.is_empty() {
        reading.append(&mut skipped);
        used = newest_of_rarest(connection, collection, terms, reading, &lexical.term_rows)?;
    }
    for postings in &used {
        lexical.used[postings.place] = true;
    }
    Ok(used)
}

/// The rarest terms that fit the budget together.
fn within_budget(mut read: Vec<Postings>) -> Vec<Postings> {
    read.retain(|postings| !postings.rows.is_empty());
    read.sort_by_key(|postings| postings.rows.len());
    let mut spent = 0;
    read.retain(|postings| {
        spent += postings.rows.len();
        spent <= POSTINGS_MAX
    });
    read
}

/// When every term is common, none tells much: the newest rows of the rarest few are candidates.
fn newest_of_rarest(
    connection: &Connection,
    collection: &Collection,
    terms: &[String],
    mut common: Vec<Postings>,
    term_rows: &[u64],
) -> Result<Vec<Postings>, StoreError> {
    common.sort_by_key(|postings| term_rows[postings.place]);
    common.truncate(COMMON_TERMS_USED);
    for postings in &mut common {
        postings.read(connection, collection.owner, &terms[postings.place], POSTINGS_MAX / COMMON_TERMS_USED)?;
    }
    Ok(common)
}

/// Each row once, with the rarities of the terms it holds added up.
fn merged(used: &[Postings], rarities: &[f64]) -> Vec<(f64, i64)> {
    let mut all: Vec<(f64, i64)> = Vec::with_capacity(used.iter().map(|p| p.rows.len()).sum());
    for (postings, rarity) in used.iter().zip(rarities) {
        all.extend(postings.rows.iter().map(|row| (*rarity, *row)));
    }
    // The stable sort finds the runs that are in order already.
    all.sort_by_key(|(_, row)| Reverse(*row));
    all.dedup_by(|next, kept| {
        let same = next.1 == kept.1;
        if same {
            kept.0 += next.0;
        }
        same
    });
    all
}

/// BM25 of one row's terms.
fn score(text: &str, searched: &[&str], rarities: &[f64], usual_length: f64) -> f64 {
    let mut counts = vec![0_u32; searched.len()];
    let mut length = 0_u32;
    for word in words(text) {
        length += 1;
        if let Some(i) = searched.iter().position(|term| term.eq_ignore_ascii_case(word)) {
            counts[i] += 1;
        }
    }
    let held_back = K1 * (1.0 - B + B * f64::from(length) / usual_length);
    counts
        .iter()
        .zip(rarities)
        .map(|(&count, rarity)| rarity * f64::from(count) * (K1 + 1.0) / (f64::from(count) + held_back))
        .sum()
}

/// The words of an index entry, as FTS5 cuts them: at white space and control characters of ASCII, and nowhere else.
pub(super) fn words(terms: &str) -> impl Iterator<Item = &str> {
    terms.split(|c: char| !is_part_of_term(c)).filter(|word| !word.is_empty())
}

/// An index entry without what is too long to be a term: FTS5 would cut it within a character.
pub(super) fn without_overlong(terms: &str) -> Cow<'_, str> {
    if words(terms).all(|word| word.len() <= TERM_BYTES_MAX) {
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

/// A term as an FTS5 string: nothing in it can be an operator.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
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
    fn new(connection: &'c Connection, collection: &Collection, filter: &Filter) -> Result<Self, StoreError> {
        if is_open(filter) {
            return Ok(Self::Open);
        }
        let condition = Condition::new(collection.owner, filter);
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
    fn best(&self, candidates: &mut Vec<(f64, i64)>, wanted: usize) -> Result<Vec<i64>, StoreError> {
        let heaviest = |a: &(f64, i64), b: &(f64, i64)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        if let Self::Gathered(rows) = self {
            candidates.retain(|(_, row)| rows.binary_search(row).is_ok());
        }
        let Self::Asked(connection, condition) = self else {
            if wanted > 0 && candidates.len() > wanted {
                candidates.select_nth_unstable_by(wanted - 1, heaviest);
            }
            candidates.truncate(wanted);
            return Ok(candidates.iter().map(|(_, row)| *row).collect());
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
        for (_, row) in candidates.iter() {
            if best.len() == wanted {
                break;
            }
            statement.raw_bind_parameter(place, row).map_err(|e| failed(doing, e))?;
            if statement.raw_query().next().map_err(|e| failed(doing, e))?.is_some() {
                best.push(*row);
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
