//! Full-text candidates: BM25 over any of the query's terms, within one owner's range of rows.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::open::failed;
use super::read::{Condition, is_open};
use super::row::{owner_number, position};
use crate::store::{Lexical, StoreError};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Rows that the terms of one search may have together: FTS5 has no early stop, so the cost of a search is the sum of its terms'
/// rows. The rarest terms are taken first. Measured on a year of one person's events (10 k), leaving out terms in more than 10 %
/// of the rows costs nothing and in more than 2 % costs .07 R@10; at 100 k and 1 M this keeps a search within milliseconds.
const POSTINGS_MAX: u64 = 24_000;

/// Terms of one search: a question has a dozen; a pasted page must not become a thousand-way OR.
pub(super) const TERMS_MAX: usize = 48;

/// How stale a remembered row count may be: it is counted anew once the store has grown by an eighth.
const GROWTH_UNTIL_RECOUNT: u64 = 8;

/// Terms whose counts are remembered.
const REMEMBERED_TERMS_MAX: usize = 50_000;

/// How many rows hold a term: counting a common one reads its whole list, so counts are remembered.
#[derive(Debug, Default)]
pub(super) struct TermRows {
    counts: Mutex<BTreeMap<String, Counted>>,
}

#[derive(Debug, Clone, Copy)]
struct Counted {
    rows: u64,
    of_total: u64,
}

impl TermRows {
    fn of(&self, connection: &Connection, term: &str, total: u64) -> Result<u64, StoreError> {
        let known = self.counts.lock().unwrap_or_else(PoisonError::into_inner).get(term).copied();
        if let Some(counted) = known
            && counted.rows > 0
            && total <= counted.of_total + counted.of_total / GROWTH_UNTIL_RECOUNT
        {
            return Ok(counted.rows);
        }
        let sql = "-- term_rows
            SELECT doc FROM event_fts_terms WHERE term = ?1";
        let rows = connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([term], |r| r.get(0)).optional())
            .map_err(|e| failed("counting a term", e))?
            .unwrap_or(0);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= REMEMBERED_TERMS_MAX {
            counts.clear();
        }
        counts.insert(term.to_owned(), Counted { rows, of_total: total });
        Ok(rows)
    }
}

/// Rules: rows of the owner only; the filter holds; any used term matches; best BM25 (k1 1.2, b .75: FTS5's own) first.
pub(super) fn search(
    connection: &Connection,
    term_rows: &TermRows,
    owner: &Owner,
    terms: &[String],
    filter: &Filter,
    limit: usize,
) -> Result<Lexical, StoreError> {
    let total_rows: u64 = connection
        .prepare_cached("-- total_rows\n SELECT ifnull(sum(last_event), 0) FROM owner")
        .and_then(|mut s| s.query_row([], |r| r.get(0)))
        .map_err(|e| failed("counting rows", e))?;
    let counted = terms
        .iter()
        .take(TERMS_MAX)
        .map(|term| term_rows.of(connection, term, total_rows))
        .collect::<Result<Vec<u64>, _>>()?;
    let used = used_terms(&counted);
    let mut lexical = Lexical { rows: Vec::new(), term_rows: counted, used, total_rows };
    lexical.term_rows.resize(terms.len(), 0);
    lexical.used.resize(terms.len(), false);

    let searched: Vec<String> =
        terms.iter().zip(&lexical.used).filter(|(_, used)| **used).map(|(t, _)| quoted(t)).collect();
    let Some(number) = owner_number(connection, owner)? else { return Ok(lexical) };
    if searched.is_empty() {
        return Ok(lexical);
    }
    let mut values = vec![];
    let sql = if is_open(filter) {
        let (first, last) = number.rows();
        values.extend([Value::Text(searched.join(" OR ")), Value::Integer(first), Value::Integer(last)]);
        "-- lexical
         SELECT rowid, rank FROM event_fts
         WHERE event_fts MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rank LIMIT ?4"
            .to_owned()
    } else {
        let mut condition = Condition::new(number, filter);
        // Of a stretch of time only its rows are searched: events are mostly recorded in the order in which they happen.
        if filter.since.is_some() || filter.until.is_some() {
            let sql = format!("-- rows_between\n SELECT min(row), max(row) FROM event WHERE {}", condition.sql);
            let bounds: (Option<i64>, Option<i64>) = connection
                .prepare_cached(&sql)
                .and_then(|mut s| s.query_row(params_from_iter(&condition.values), |r| Ok((r.get(0)?, r.get(1)?))))
                .map_err(|e| failed("searching", e))?;
            let (Some(first), Some(last)) = bounds else { return Ok(lexical) };
            (condition.values[0], condition.values[1]) = (Value::Integer(first), Value::Integer(last));
        }
        // Joined the other way round, the whole search would be made again for each row that passes the filter.
        values.extend(condition.values);
        values.push(Value::Text(searched.join(" OR ")));
        format!(
            "-- lexical_filtered
             SELECT f.rowid, f.rank FROM event_fts f CROSS JOIN event ON event.row = f.rowid
             WHERE f.event_fts MATCH ?{} AND f.rowid BETWEEN ?1 AND ?2 AND {} ORDER BY f.rank LIMIT ?{}",
            values.len(),
            condition.sql,
            values.len() + 1
        )
    };
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed("searching", e))?;
    let mut rows = statement.query(params_from_iter(values)).map_err(|e| failed("searching", e))?;
    while let Some(row) = rows.next().map_err(|e| failed("searching", e))? {
        let number: i64 = row.get(0).map_err(|e| failed("searching", e))?;
        let rank: f64 = row.get(1).map_err(|e| failed("searching", e))?;
        lexical.rows.push((position(number), -rank as f32));
    }
    Ok(lexical)
}

/// A term as an FTS5 string: nothing in it can be an operator.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

/// The rarest terms that fit the budget together, and the rarest one in any case.
fn used_terms(counted: &[u64]) -> Vec<bool> {
    let mut rarest: Vec<usize> = (0..counted.len()).filter(|&i| counted[i] > 0).collect();
    rarest.sort_by_key(|&i| counted[i]);
    let mut used = vec![false; counted.len()];
    let mut postings = 0;
    for (place, &i) in rarest.iter().enumerate() {
        postings += counted[i];
        if place > 0 && postings > POSTINGS_MAX {
            break;
        }
        used[i] = true;
    }
    used
}
