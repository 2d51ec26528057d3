//! Taking things out of every table that has them. `secure_delete` overwrites what a row held; what the write-ahead log still has goes
//! with the checkpoint that ends an erasure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use rusqlite::{Connection, params};

use super::apply::{OwnerRow, execute, execute_one};
use super::open::failed;
use super::read;
use super::row::{EVENT_COLUMNS, Fields, OwnerNumber, event as decode_event, json};
use super::{past, segments, tombstones};
use crate::env::Env;
use crate::store::StoreError;
use crate::types::change::{Erased, PastKind, Trace, Unfinished};
use crate::types::event::StoredEvent;
use crate::types::ids::{EventId, Seq};
use crate::types::scope::Owner;
use crate::types::task::Task;

const ERASING: &str = "erasing";

pub(super) fn erase(
    connection: &Connection,
    owner: &mut OwnerRow,
    name: &Owner,
    erased: &Erased,
    env: &Env,
) -> Result<(), StoreError> {
    let number = owner.number;
    if let Some(unfinished) = &erased.unfinished {
        let sql = "-- begin_erasure
            INSERT INTO erasure (id, owner, body) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET body = excluded.body";
        let values = params![unfinished.id.0.as_bytes().as_slice(), number.0, json(unfinished)?];
        execute(connection, sql, values, ERASING)?;
    }
    unindex(connection, owner, &erased.unindexed)?;
    erase_events(connection, owner, name, erased, env)?;
    for id in &erased.tasks {
        let sql = "-- task_to_erase
            SELECT owner, body FROM task WHERE owner = ?1 AND id = ?2";
        let task: Option<Task> = one(connection, sql, params![number.0, id.as_str()], |fields| fields.json("body"))?;
        let Some(task) = task else { continue };
        tombstones::put(connection, name, &[Trace::of_task(&task)], env)?;
        for sql in [
            "-- erase_task\n DELETE FROM task WHERE owner = ?1 AND id = ?2",
            "-- erase_update_keys\n DELETE FROM update_key WHERE owner = ?1 AND task = ?2",
            "-- leave_task\n UPDATE session SET task = NULL WHERE owner = ?1 AND task = ?2",
        ] {
            execute(connection, sql, params![number.0, id.as_str()], ERASING)?;
        }
    }
    for id in &erased.memories {
        tombstones::put(connection, name, &[Trace::Memory(*id)], env)?;
        let sql = "-- erase_memory
            DELETE FROM memory WHERE owner = ?1 AND id = ?2";
        let there = execute(connection, sql, params![number.0, id.0.as_bytes().as_slice()], ERASING)?;
        owner.memories += i64::from(there > 0);
    }
    for session in &erased.sessions {
        let sql = "-- erase_session
            DELETE FROM session WHERE owner = ?1 AND session = ?2 AND last_row IS NULL";
        if execute(connection, sql, params![number.0, session.as_str()], ERASING)? > 0 {
            // Which task it was on before is kept under its name.
            past::drop(connection, number, PastKind::Session, session.as_str(), i64::MAX)?;
        }
    }
    for (event, statement) in &erased.marks {
        erase_mark(connection, number, *event, statement)?;
    }
    for (seq, signals) in &erased.signals {
        let sql = "-- rewrite_signals
            UPDATE event SET signals = ?2 WHERE row = ?1";
        execute(connection, sql, params![number.row(*seq), json(signals)?], ERASING)?;
    }
    for place in &erased.operations {
        // Its target's name may be a person's, or say what it was about.
        let sql = "-- erase_operation
            UPDATE operation SET body = NULL, salt = NULL, task = NULL WHERE row = ?1";
        execute(connection, sql, [number.row(Seq(*place))], ERASING)?;
    }
    for placeholder in &erased.secrets {
        if !is_still_there(connection, number, placeholder)? {
            let sql = "-- erase_secret
                DELETE FROM secret WHERE owner = ?1 AND placeholder = ?2";
            execute(connection, sql, params![number.0, placeholder], ERASING)?;
        }
    }
    if let Some(id) = erased.finished {
        let sql = "-- end_erasure
            DELETE FROM erasure WHERE id = ?1";
        execute(connection, sql, [id.0.as_bytes().as_slice()], ERASING)?;
    }
    Ok(())
}

/// Drops the text of old lines of the journal, with what their changes found.
pub(super) fn prune(connection: &Connection, owner: OwnerNumber, lines: &[i64]) -> Result<(), StoreError> {
    let doing = "dropping old lines of the journal";
    for place in lines {
        let row = owner.row(Seq(*place));
        let sql = "-- prune_operation
            UPDATE operation SET body = NULL, salt = x'', task = NULL WHERE row = ?1 AND body IS NOT NULL";
        if execute(connection, sql, [row], doing)? > 0 {
            let sql = "-- drop_past_of_pruned
                DELETE FROM past WHERE owner = ?1 AND change = (SELECT change FROM operation WHERE row = ?2)";
            execute(connection, sql, params![owner.0, row], doing)?;
        }
    }
    Ok(())
}

pub(super) fn erase_mark(
    connection: &Connection,
    owner: OwnerNumber,
    event: EventId,
    statement: &str,
) -> Result<(), StoreError> {
    let sql = "-- erase_mark
        DELETE FROM overturned WHERE statement = ?3 AND row = (SELECT row FROM event WHERE owner = ?1 AND id = ?2)";
    execute(connection, sql, params![owner.0, event.0.as_bytes().as_slice(), statement], ERASING)?;
    Ok(())
}

/// The newest first, so that each one's successor has what stood before it by the time it goes itself.
fn erase_events(
    connection: &Connection,
    owner: &mut OwnerRow,
    name: &Owner,
    erased: &Erased,
    env: &Env,
) -> Result<(), StoreError> {
    let mut by_segment: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
    let newest_first: BTreeSet<Seq> = erased.events.iter().copied().collect();
    for seq in newest_first.into_iter().rev() {
        let row = owner.number.row(seq);
        let sql = format!("-- event_to_erase\n SELECT {EVENT_COLUMNS} FROM event WHERE row = ?1");
        let Some(stored) = event_at(connection, &sql, row, name)? else { continue };
        let mut event = stored.event.clone();
        if stored.archived {
            event.content = read::body(connection, name, seq)?.unwrap_or(event.content);
        }
        tombstones::put(connection, name, &Trace::of_event(&event), env)?;
        let has_words = has_words(connection, row)?;
        relink(connection, owner.number, row, &stored)?;
        drop_vectors(connection, owner.number, row)?;
        for sql in [
            "-- erase_cold_body\n DELETE FROM cold_body WHERE row = ?1",
            "-- erase_marks\n DELETE FROM overturned WHERE row = ?1",
            "-- erase_probation\n DELETE FROM probation WHERE row = ?1",
            "-- erase_traits\n DELETE FROM traits WHERE row = ?1",
            "-- erase_event\n DELETE FROM event WHERE row = ?1",
        ] {
            execute(connection, sql, [row], ERASING)?;
        }
        owner.erased += 1;
        owner.hidden -= i64::from(stored.hidden);
        if seq.0 <= owner.indexed
            && has_words
            && let Ok(position) = u32::try_from(seq.0)
        {
            by_segment.entry(segments::of(seq)).or_default().insert(position);
        }
    }
    if !erased.events.is_empty() {
        owner.rewritten += 1;
    }
    if erased.whole {
        // What is left of these segments is found by its own terms, until it goes too.
        return match by_segment.keys().next() {
            Some(first) => segments::drop_from(connection, owner.number, *first),
            None => Ok(()),
        };
    }
    by_segment.iter().try_for_each(|(segment, gone)| segments::remove(connection, owner.number, *segment, gone))
}

/// Takes all words of these events out of the lists of their segments.
fn unindex(connection: &Connection, owner: &mut OwnerRow, events: &[Seq]) -> Result<(), StoreError> {
    let mut by_segment: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
    for seq in events {
        let sql = "-- forget_terms
            UPDATE traits SET terms = '' WHERE row = ?1 AND terms <> ''";
        let had_words = execute(connection, sql, [owner.number.row(*seq)], ERASING)? > 0;
        if had_words
            && seq.0 <= owner.indexed
            && let Ok(position) = u32::try_from(seq.0)
        {
            by_segment.entry(segments::of(*seq)).or_default().insert(position);
        }
    }
    owner.rewritten += i64::from(!events.is_empty());
    by_segment.iter().try_for_each(|(segment, gone)| segments::remove(connection, owner.number, *segment, gone))
}

fn has_words(connection: &Connection, row: i64) -> Result<bool, StoreError> {
    let sql = "-- has_words
        SELECT EXISTS (SELECT 1 FROM traits WHERE row = ?1 AND terms <> '')";
    connection.prepare_cached(sql).and_then(|mut s| s.query_row([row], |r| r.get(0))).map_err(|e| failed(ERASING, e))
}

/// What comes after it in its session follows what stood before it.
fn relink(connection: &Connection, owner: OwnerNumber, row: i64, stored: &StoredEvent) -> Result<(), StoreError> {
    let before = stored.predecessor.map(|seq| owner.row(seq));
    let session = stored.event.scope.session.as_str();
    let sql = "-- link_successor
        UPDATE event SET predecessor = ?4 WHERE row =
            (SELECT min(row) FROM event WHERE owner = ?1 AND session = ?2 AND row > ?3)";
    execute(connection, sql, params![owner.0, session, row, before], ERASING)?;
    let sql = "-- end_session_before
        UPDATE session SET last_row = ?4 WHERE owner = ?1 AND session = ?2 AND last_row = ?3";
    execute(connection, sql, params![owner.0, session, row, before], ERASING)?;
    Ok(())
}

fn drop_vectors(connection: &Connection, owner: OwnerNumber, row: i64) -> Result<(), StoreError> {
    let models: Vec<i64> = connection
        .prepare_cached("-- models\n SELECT id FROM model")
        .and_then(|mut s| s.query_map([], |r| r.get(0))?.collect())
        .map_err(|e| failed(ERASING, e))?;
    for model in models {
        let sql = "-- erase_vectors
            DELETE FROM vector WHERE model = ?1 AND row = ?2";
        let removed = execute(connection, sql, params![model, row], ERASING)?;
        if removed > 0 {
            let sql = "-- vectors_removed
                UPDATE embedded SET removed = removed + ?3 WHERE model = ?1 AND owner = ?2";
            execute(connection, sql, params![model, owner.0, removed], ERASING)?;
        }
    }
    Ok(())
}

/// Whether something that stays has a placeholder: only then can its secret still be asked for.
fn is_still_there(connection: &Connection, owner: OwnerNumber, placeholder: &str) -> Result<bool, StoreError> {
    let (first, last) = owner.rows();
    let sql = "-- has_placeholder
        SELECT EXISTS (SELECT 1 FROM event WHERE row BETWEEN ?1 AND ?2 AND (instr(content, ?4) OR instr(ifnull(metadata, ''), ?4)))
            OR EXISTS (SELECT 1 FROM task WHERE owner = ?3 AND instr(body, ?4))
            OR EXISTS (SELECT 1 FROM memory WHERE owner = ?3 AND instr(body, ?4))";
    let found: bool = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![first, last, owner.0, placeholder], |r| r.get(0)))
        .map_err(|e| failed(ERASING, e))?;
    if found {
        return Ok(true);
    }
    let sql = "-- cold_bodies
        SELECT row, zstd FROM cold_body WHERE row BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(ERASING, e))?;
    let mut rows = statement.query(params![first, last]).map_err(|e| failed(ERASING, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(ERASING, e))? {
        let (number, cold): (i64, Vec<u8>) =
            (row.get(0).map_err(|e| failed(ERASING, e))?, row.get(1).map_err(|e| failed(ERASING, e))?);
        if read::warm(number, &cold)?.contains(placeholder) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of an owner whose name goes, nothing is kept but the journal's links and the lines from `first_kept` on. Others may have asked, and names of
/// sessions and tasks may have been written, after it was looked up what there is.
pub(super) fn rename(
    connection: &Connection,
    owner: OwnerNumber,
    name: &Owner,
    first_kept: i64,
) -> Result<(), StoreError> {
    let sql = "-- rename_owner
        UPDATE owner SET tenant = ?2, user = ?3, agent = ?4 WHERE id = ?1";
    let values = params![owner.0, name.tenant.as_str(), name.user.as_str(), name.agent.as_str()];
    execute_one(connection, sql, values, ERASING)?;
    for sql in [
        "-- drop_whole_past\n DELETE FROM past WHERE owner = ?1",
        "-- drop_sessions\n DELETE FROM session WHERE owner = ?1",
        "-- drop_tasks\n DELETE FROM task WHERE owner = ?1",
        "-- drop_update_keys\n DELETE FROM update_key WHERE owner = ?1",
        "-- drop_memories\n DELETE FROM memory WHERE owner = ?1",
        "-- drop_secrets\n DELETE FROM secret WHERE owner = ?1",
    ] {
        execute(connection, sql, [owner.0], ERASING)?;
    }
    let sql = "-- drop_lines
        UPDATE operation SET body = NULL, salt = NULL, task = NULL WHERE row >= ?1 AND row < ?2 AND body IS NOT NULL";
    execute(connection, sql, [owner.rows().0, first_kept], ERASING)?;
    Ok(())
}

/// Erasures that were begun and not ended, with whose they are.
pub(super) fn unfinished(connection: &Connection) -> Result<Vec<(Owner, Unfinished)>, StoreError> {
    let sql = "-- unfinished_erasures
        SELECT owner, body FROM erasure ORDER BY id";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(ERASING, e))?;
    let mut rows = statement.query([]).map_err(|e| failed(ERASING, e))?;
    let mut unfinished = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(ERASING, e))? {
        let fields = Fields::new("erasure", row)?;
        let owner = read::owner(connection, OwnerNumber(fields.number()))?;
        unfinished.push((owner, fields.json("body")?));
    }
    Ok(unfinished)
}

/// The bytes that stand for these events anywhere in the file: what a scan for what is left looks for.
pub(super) fn remains(connection: &Connection, owner: OwnerNumber, events: &[Seq]) -> Result<Vec<Vec<u8>>, StoreError> {
    let columns = "-- remains
        SELECT content FROM event WHERE row = ?1
        UNION ALL SELECT metadata FROM event WHERE row = ?1
        UNION ALL SELECT idempotency_key FROM event WHERE row = ?1
        UNION ALL SELECT terms FROM traits WHERE row = ?1
        UNION ALL SELECT zstd FROM cold_body WHERE row = ?1
        UNION ALL SELECT replaced_by FROM overturned WHERE row = ?1
        UNION ALL SELECT data FROM vector WHERE model IN (SELECT id FROM model) AND row = ?1";
    let mut statement = connection.prepare_cached(columns).map_err(|e| failed(ERASING, e))?;
    let mut remains = Vec::new();
    for seq in events {
        let mut rows = statement.query([owner.row(*seq)]).map_err(|e| failed(ERASING, e))?;
        while let Some(row) = rows.next().map_err(|e| failed(ERASING, e))? {
            let value = row.get_ref(0).map_err(|e| failed(ERASING, e))?;
            remains.extend(value.as_bytes_or_null().ok().flatten().map(<[u8]>::to_vec));
        }
    }
    Ok(remains)
}

/// Shows everything that rows hold, text or packed, until it is enough: what stands there stands in its own right.
pub(super) fn each_kept(
    connection: &Connection,
    see: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let doing = "looking for what is left";
    for sql in [
        "-- kept_events\n SELECT content, metadata, idempotency_key, signals, session, task FROM event",
        "-- kept_traits\n SELECT terms FROM traits",
        "-- kept_cold_bodies\n SELECT zstd FROM cold_body",
        "-- kept_marks\n SELECT statement, replaced_by FROM overturned",
        "-- kept_tasks\n SELECT body FROM task",
        "-- kept_memories\n SELECT body, slot FROM memory",
        "-- kept_operations\n SELECT body, task FROM operation",
        "-- kept_past\n SELECT key, before FROM past",
        "-- kept_names\n SELECT tenant, user, agent FROM owner",
        "-- kept_sessions\n SELECT session, task FROM session",
        "-- kept_update_keys\n SELECT key, task FROM update_key",
        "-- kept_secrets\n SELECT placeholder, sealed FROM secret",
        "-- kept_tombstones\n SELECT hash FROM tombstone",
        "-- kept_erasures\n SELECT body FROM erasure",
        // The most of all, in which the least is found.
        "-- kept_vectors\n SELECT data FROM vector",
        "-- kept_postings\n SELECT term, lists FROM posting",
    ] {
        let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
        let columns = statement.column_count();
        let mut rows = statement.query([]).map_err(|e| failed(doing, e))?;
        while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
            for column in 0..columns {
                let value = row.get_ref(column).map_err(|e| failed(doing, e))?;
                let bytes = value.as_bytes_or_null().ok().flatten();
                if bytes.is_some_and(|bytes| see(bytes).is_break()) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn event_at(connection: &Connection, sql: &str, row: i64, owner: &Owner) -> Result<Option<StoredEvent>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(ERASING, e))?;
    let mut rows = statement.query([row]).map_err(|e| failed(ERASING, e))?;
    rows.next().map_err(|e| failed(ERASING, e))?.map(|row| decode_event(row, owner)).transpose()
}

fn one<T>(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: impl FnOnce(&Fields<'_, '_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(ERASING, e))?;
    let mut rows = statement.query(values).map_err(|e| failed(ERASING, e))?;
    rows.next().map_err(|e| failed(ERASING, e))?.map(|row| read(&Fields::new("task", row)?)).transpose()
}
