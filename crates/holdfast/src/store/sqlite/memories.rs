//! Memories as rows: one document each, under its version, found by its id, its slot or its status.

use std::io::Write;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::apply::execute_one;
use super::dump::{invalid, line};
use super::open::failed;
use super::past::Keeper;
use super::row::{Fields, OwnerNumber, json, owner_number};
use crate::store::{MemoryState, StoreError};
use crate::types::change::{MemoryChange, PastKind};
use crate::types::ids::{MemoryId, Seq};
use crate::types::memory::{Memory, MemoryFilter, MemoryStatus};
use crate::types::scope::Owner;

/// Rules: a new memory must not be there, a changed one must be at the version it was made from.
pub(super) fn write(keeper: &Keeper<'_>, change: &MemoryChange) -> Result<(), StoreError> {
    let (connection, owner, memory) = (keeper.connection, keeper.owner, &change.memory);
    let sql = "-- memory_before
        SELECT version, body FROM memory WHERE owner = ?1 AND id = ?2";
    let id = memory.id.0.as_bytes().as_slice();
    let before: Option<(u64, String)> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![owner.0, id], |r| Ok((r.get(0)?, r.get(1)?))).optional())
        .map_err(|e| failed("reading a memory", e))?;
    if before.as_ref().map(|(version, _)| *version) != change.expected_version {
        return Err(StoreError::Stale { what: format!("memory {}", memory.id) });
    }
    keeper.keep(PastKind::Memory, &memory.id.to_string(), before.as_ref().map(|(_, body)| body.as_str()))?;
    if memory.status == MemoryStatus::Active {
        let sql = "-- others_in_force
            SELECT count(*) FROM memory WHERE owner = ?1 AND slot = ?2 AND status = 'active' AND id <> ?3";
        let others: u64 = connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row(params![owner.0, memory.slot().key(), id], |r| r.get(0)))
            .map_err(|e| failed("reading a slot", e))?;
        if others > 0 {
            let slot = memory.slot().key();
            return Err(StoreError::Refused(format!("a second memory would be active in the slot {slot}")));
        }
    }
    let sql = "-- write_memory
        INSERT INTO memory (owner, id, slot, status, version, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (owner, id) DO UPDATE SET slot = excluded.slot, status = excluded.status,
            version = excluded.version, body = excluded.body";
    let values = params![owner.0, id, memory.slot().key(), memory.status.as_str(), memory.version, json(memory)?];
    execute_one(connection, sql, values, "writing a memory")
}

pub(super) fn memory(connection: &Connection, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- memory
        SELECT owner, body FROM memory WHERE owner = ?1 AND id = ?2";
    Ok(select(connection, sql, params![number.0, id.0.as_bytes().as_slice()])?.pop())
}

/// In the order of their ids, which is the order they were made in.
pub(super) fn memories(
    connection: &Connection,
    owner: &Owner,
    filter: &MemoryFilter,
) -> Result<Vec<Memory>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let mut sql = "-- memories\n SELECT owner, body FROM memory WHERE owner = ?1".to_owned();
    let mut values = vec![Value::Integer(number.0)];
    if let Some(slot) = &filter.slot {
        values.push(Value::Text(slot.key()));
        sql.push_str(" AND slot = ?2");
    }
    if !filter.statuses.is_empty() {
        let mut places = Vec::new();
        for status in &filter.statuses {
            values.push(Value::Text(status.as_str().to_owned()));
            places.push(format!("?{}", values.len()));
        }
        sql.push_str(&format!(" AND status IN ({})", places.join(", ")));
    }
    sql.push_str(" ORDER BY id");
    select(connection, &sql, params_from_iter(values))
}

fn select(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<Vec<Memory>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed("reading memories", e))?;
    let mut rows = statement.query(values).map_err(|e| failed("reading memories", e))?;
    let mut memories = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed("reading memories", e))? {
        memories.push(Fields::new("memory", row)?.json("body")?);
    }
    Ok(memories)
}

pub(super) fn state(connection: &Connection, owner: &Owner) -> Result<MemoryState, StoreError> {
    let sql = "-- memory_state
        SELECT memories, learned, induced, hidden > 0 FROM owner WHERE tenant = ?1 AND user = ?2 AND agent = ?3";
    let key = (owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str());
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut s| {
            s.query_row(key, |r| {
                Ok(MemoryState {
                    changes: r.get(0)?,
                    learned: Seq(r.get(1)?),
                    induced: Seq(r.get(2)?),
                    hides: r.get(3)?,
                })
            })
            .optional()
        })
        .map_err(|e| failed("reading how far was learned", e))?;
    Ok(found.unwrap_or_default())
}

/// Checks that the columns say what the documents say.
pub(super) fn dump(connection: &Connection, owner: OwnerNumber, out: &mut dyn Write) -> Result<(), StoreError> {
    let sql = "-- all_memories
        SELECT owner, id, slot, status, version, body FROM memory WHERE owner = ?1 ORDER BY id";
    let doing = "dumping the memories";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([owner.0]).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let fields = Fields::new("memory", row)?;
        let memory: Memory = fields.json("body")?;
        let agrees = fields.id("id")? == memory.id.0
            && fields.get::<String>("slot")? == memory.slot().key()
            && fields.get::<String>("status")? == memory.status.as_str()
            && fields.get::<u64>("version")? == memory.version;
        if !agrees {
            return invalid(format!("the columns of memory {} do not say what it says", memory.id));
        }
        if memory.sources.is_empty() {
            return invalid(format!("memory {} has no source", memory.id));
        }
        line(out, format_args!("  memory {}", json(&memory)?))?;
    }
    Ok(())
}
