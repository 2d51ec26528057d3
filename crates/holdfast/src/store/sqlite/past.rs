//! What each change found where it wrote, so that it can be undone (SPEC 7.2). One row for each document a change touched: its text
//! before, or that there was none.

use rusqlite::{Connection, OptionalExtension, params};

use super::apply::execute;
use super::open::failed;
use super::row::{Fields, OwnerNumber, owner_number};
use crate::store::{Past, StoreError};
use crate::types::change::PastKind;
use crate::types::scope::Owner;

/// Documents are small and many, and are seldom read again: what is left to gain above the fastest level is not worth a writer's time.
const ZSTD_LEVEL: i32 = 1;
/// Largest document accepted back, in bytes.
const DOCUMENT_BYTES_MAX: usize = 64 * 1024 * 1024;

const KEEPING: &str = "keeping what was before";
const READING: &str = "reading what was before";

/// One owner's change in the making.
#[derive(Clone, Copy)]
pub(super) struct Keeper<'c> {
    pub(super) connection: &'c Connection,
    pub(super) owner: OwnerNumber,
    pub(super) change: i64,
}

impl Keeper<'_> {
    /// The first state that a change finds is the one before it.
    pub(super) fn keep(&self, kind: PastKind, key: &str, before: Option<&str>) -> Result<(), StoreError> {
        let before = before
            .map(|text| zstd::encode_all(text.as_bytes(), ZSTD_LEVEL))
            .transpose()
            .map_err(|e| StoreError::Backend { doing: KEEPING, source: Box::new(e) })?;
        let sql = "-- keep_past
            INSERT INTO past (owner, change, kind, key, before) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
        execute(self.connection, sql, params![self.owner.0, self.change, kind.as_str(), key, before], KEEPING)?;
        Ok(())
    }
}

/// What a change found.
pub(super) fn of_change(connection: &Connection, owner: &Owner, change: i64) -> Result<Vec<Past>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = "-- past_of_change
        SELECT change, kind, key, before FROM past WHERE owner = ?1 AND change = ?2 ORDER BY kind, key";
    read(connection, sql, params![number.0, change])
}

/// What the changes of one document found, from one on.
pub(super) fn of_document(
    connection: &Connection,
    owner: &Owner,
    kind: PastKind,
    key: &str,
    from: i64,
) -> Result<Vec<Past>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = "-- past_of_document
        SELECT change, kind, key, before FROM past WHERE owner = ?1 AND kind = ?2 AND key = ?3 AND change >= ?4
        ORDER BY change";
    read(connection, sql, params![number.0, kind.as_str(), key, from])
}

/// All of an owner's, a page at a time.
pub(super) fn page(connection: &Connection, owner: &Owner, after: i64, limit: usize) -> Result<Vec<Past>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    // Whole changes: the limit is where a page may end, not where it must.
    let sql = "-- last_change_of_page
        SELECT max(change) FROM (SELECT change FROM past WHERE owner = ?1 AND change > ?2 ORDER BY change LIMIT ?3)";
    let last: Option<i64> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![number.0, after, limit], |r| r.get(0)).optional())
        .map_err(|e| failed(READING, e))?
        .flatten();
    let Some(last) = last else { return Ok(Vec::new()) };
    let sql = "-- past_page
        SELECT change, kind, key, before FROM past WHERE owner = ?1 AND change > ?2 AND change <= ?3 ORDER BY change, kind, key";
    read(connection, sql, params![number.0, after, last])
}

/// What a document was is gone up to a change: older ones can't be undone any more.
pub(super) fn drop(
    connection: &Connection,
    owner: OwnerNumber,
    kind: PastKind,
    key: &str,
    through: i64,
) -> Result<(), StoreError> {
    let sql = "-- drop_past
        DELETE FROM past WHERE owner = ?1 AND kind = ?2 AND key = ?3 AND change <= ?4";
    execute(connection, sql, params![owner.0, kind.as_str(), key, through], "dropping what was before")?;
    Ok(())
}

fn read(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<Vec<Past>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(READING, e))?;
    let mut rows = statement.query(values).map_err(|e| failed(READING, e))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(READING, e))? {
        let fields = Fields::new("past", row)?;
        let before: Option<Vec<u8>> = fields.get("before")?;
        let before = before.map(|packed| unpacked(&packed)).transpose()?;
        let kind = fields.word("kind", PastKind::from_word)?;
        found.push(Past { change: fields.number(), kind, key: fields.get("key")?, before });
    }
    Ok(found)
}

fn unpacked(packed: &[u8]) -> Result<serde_json::Value, StoreError> {
    use std::io::Read;
    let damaged = |why: String| StoreError::Corrupt { detail: format!("past, column before: {why}") };
    let decoder = zstd::Decoder::new(packed).map_err(|e| damaged(e.to_string()))?;
    serde_json::from_reader(decoder.take(DOCUMENT_BYTES_MAX as u64)).map_err(|e| damaged(e.to_string()))
}
