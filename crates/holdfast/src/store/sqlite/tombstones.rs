//! What was erased, as keyed hashes: it is known again when it comes back, and the hashes tell nothing (SPEC 8.3).

use rusqlite::{Connection, OptionalExtension, params};

use super::apply::{execute, execute_one};
use super::open::failed;
use super::row::json;
use crate::env::Env;
use crate::store::StoreError;
use crate::types::change::{MemoryChange, Trace};
use crate::types::scope::Owner;

type Key = [u8; 32];

pub(super) fn put(connection: &Connection, owner: &Owner, traces: &[Trace], env: &Env) -> Result<(), StoreError> {
    if traces.is_empty() {
        return Ok(());
    }
    let key = match key(connection)? {
        Some(key) => key,
        None => {
            let key = blake3::derive_key("holdfast 2026-11 tombstones", &[env.nonce(), env.nonce()].concat());
            let sql = "-- keep_tombstone_key
                INSERT INTO tombstone_key (id, key) VALUES (1, ?1)";
            execute_one(connection, sql, [key.as_slice()], "making a key for tombstones")?;
            key
        }
    };
    let sql = "-- put_tombstone
        INSERT INTO tombstone (hash) VALUES (?1) ON CONFLICT DO NOTHING";
    for trace in traces {
        execute(connection, sql, params![hash(&key, owner, trace)?.as_slice()], "writing a tombstone")?;
    }
    Ok(())
}

/// Whether anything was ever erased here: there is a key only then.
pub(super) fn is_any(connection: &Connection) -> Result<bool, StoreError> {
    Ok(key(connection)?.is_some())
}

/// Which of these were erased here.
pub(super) fn known(connection: &Connection, owner: &Owner, traces: &[Trace]) -> Result<Vec<bool>, StoreError> {
    let doing = "looking for tombstones";
    // Without a key nothing was ever erased.
    let Some(key) = key(connection)? else { return Ok(vec![false; traces.len()]) };
    let sql = "-- tombstone
        SELECT 1 FROM tombstone WHERE hash = ?1";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let known = traces.iter().map(|trace| {
        let hash = hash(&key, owner, trace)?;
        statement.exists([hash.as_slice()]).map_err(|e| failed(doing, e))
    });
    known.collect()
}

/// The hash by which it is known that everything of an owner was erased.
pub(super) fn commitment(connection: &Connection, owner: &Owner) -> Result<Option<String>, StoreError> {
    let Some(key) = key(connection)? else { return Ok(None) };
    Ok(Some(blake3::Hash::from_bytes(hash(&key, owner, &Trace::Owner)?).to_hex().to_string()))
}

/// What was worked out of an event before it was erased, and comes late, is of nothing.
pub(super) fn check_sources(
    connection: &Connection,
    owner: &Owner,
    changes: &[MemoryChange],
) -> Result<(), StoreError> {
    if changes.is_empty() || key(connection)?.is_none() {
        return Ok(());
    }
    for change in changes {
        let events = change.memory.sources.iter().filter_map(|source| source.event).map(Trace::Event);
        let traces: Vec<Trace> = events.chain([Trace::Memory(change.memory.id)]).collect();
        if known(connection, owner, &traces)?.contains(&true) {
            return Err(StoreError::Stale { what: format!("memory {}", change.memory.id) });
        }
    }
    Ok(())
}

fn key(connection: &Connection) -> Result<Option<Key>, StoreError> {
    let sql = "-- tombstone_key
        SELECT key FROM tombstone_key WHERE id = 1";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row([], |r| r.get(0)).optional())
        .map_err(|e| failed("reading the key of tombstones", e))
}

/// BLAKE3 under the store's own key, of whose it was and what.
fn hash(key: &Key, owner: &Owner, trace: &Trace) -> Result<[u8; 32], StoreError> {
    Ok(*blake3::keyed_hash(key, json(&(owner, trace))?.as_bytes()).as_bytes())
}
