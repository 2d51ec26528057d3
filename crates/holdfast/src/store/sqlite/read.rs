//! Rows into events, tasks and journal entries, always within one owner's range of rows.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::open::failed;
use super::row::{
    EVENT_COLUMNS, Fields, OwnerNumber, event as decode_event, overturned, owner_number, position, with_overturned,
};
use super::vectors;
use crate::store::{EventPage, JournalPage, StoreError, StoreStatus};
use crate::types::change::SessionState;
use crate::types::event::{Overturned, StoredEvent};
use crate::types::ids::{EventId, Seq};
use crate::types::operation::{JournalEntry, Operation};
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// Largest cold body accepted back, in bytes: what was put in was within the limit of an event, and no row may fill the memory.
const WARM_BYTES_MAX: usize = 4 * crate::types::event::CONTENT_BYTES_MAX;

pub(super) fn event(connection: &Connection, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
    let sql = format!("-- event\n SELECT {EVENT_COLUMNS} FROM event WHERE owner = ?2 AND id = ?1");
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let values = vec![Value::Blob(id.0.as_bytes().to_vec()), Value::Integer(number.0)];
    Ok(select_events(connection, owner, number, &sql, values)?.pop())
}

pub(super) fn events_at(
    connection: &Connection,
    owner: &Owner,
    positions: &[Seq],
) -> Result<Vec<StoredEvent>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = format!("-- events_at\n SELECT {EVENT_COLUMNS} FROM event WHERE row = ?1 AND hidden = 0");
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed("reading events", e))?;
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut events = Vec::with_capacity(sorted.len());
    for seq in sorted {
        let mut rows = statement.query([number.row(seq)]).map_err(|e| failed("reading events", e))?;
        if let Some(row) = rows.next().map_err(|e| failed("reading events", e))? {
            events.push(decode_event(row, owner)?);
        }
    }
    with_overturned(connection, number, events)
}

pub(super) fn events(connection: &Connection, owner: &Owner, page: &EventPage) -> Result<Vec<StoredEvent>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let mut condition = Condition::new(number, &page.filter);
    let order = if page.newest_first { "DESC" } else { "ASC" };
    if let Some(after) = page.after {
        let comparison = if page.newest_first { "row <" } else { "row >" };
        condition.and(comparison, Value::Integer(number.row(after)));
    }
    condition.values.push(Value::Integer(i64::try_from(page.limit).unwrap_or(i64::MAX)));
    let sql = format!(
        "-- events\n SELECT {EVENT_COLUMNS} FROM event WHERE {} ORDER BY row {order} LIMIT ?{}",
        condition.sql,
        condition.values.len()
    );
    select_events(connection, owner, number, &sql, condition.values)
}

fn select_events(
    connection: &Connection,
    owner: &Owner,
    number: OwnerNumber,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed("reading events", e))?;
    let mut rows = statement.query(params_from_iter(values)).map_err(|e| failed("reading events", e))?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed("reading events", e))? {
        events.push(decode_event(row, owner)?);
    }
    drop(rows);
    with_overturned(connection, number, events)
}

/// A filter as SQL over the columns of `event`. The owner's range of rows is always part of it.
pub(super) struct Condition {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Condition {
    /// Rules: the owner always; session, task, source and kind exactly; happened in `since..until`; recorded by `known_at`;
    /// none of the excepted ids; nothing hidden, unless it is asked for.
    pub(super) fn new(owner: OwnerNumber, filter: &Filter) -> Self {
        let (first, last) = owner.rows();
        let mut condition =
            Self { sql: "row BETWEEN ?1 AND ?2".to_owned(), values: vec![Value::Integer(first), Value::Integer(last)] };
        if filter.session.is_some() || filter.task.is_some() || filter.since.is_some() || filter.until.is_some() {
            condition.and("owner =", Value::Integer(owner.0));
        }
        if let Some(session) = &filter.session {
            condition.and("session =", Value::Text(session.as_str().to_owned()));
        }
        if let Some(task) = &filter.task {
            condition.and("task =", Value::Text(task.as_str().to_owned()));
        }
        if let Some(since) = filter.since {
            condition.and("occurred_us >=", Value::Integer(since.as_microsecond()));
        }
        if let Some(until) = filter.until {
            condition.and("occurred_us <", Value::Integer(until.as_microsecond()));
        }
        if let Some(known_at) = filter.known_at {
            condition.and("recorded_us <=", Value::Integer(known_at.as_microsecond()));
        }
        condition.one_of("source", filter.sources.iter().map(|s| s.as_str()));
        condition.one_of("kind", filter.kinds.iter().map(|k| k.as_str()));
        for id in &filter.except {
            condition.and("id <>", Value::Blob(id.0.as_bytes().to_vec()));
        }
        if !filter.hidden {
            condition.sql.push_str(" AND hidden = 0");
        }
        condition
    }

    fn and(&mut self, comparison: &str, value: Value) {
        self.values.push(value);
        self.sql.push_str(&format!(" AND {comparison} ?{}", self.values.len()));
    }

    fn one_of<'a>(&mut self, column: &str, words: impl Iterator<Item = &'a str>) {
        let mut places = Vec::new();
        for word in words {
            self.values.push(Value::Text(word.to_owned()));
            places.push(format!("?{}", self.values.len()));
        }
        if !places.is_empty() {
            self.sql.push_str(&format!(" AND {column} IN ({})", places.join(", ")));
        }
    }
}

/// Whether a filter lets every event of the owner through that is not hidden.
pub(super) fn is_open(filter: &Filter) -> bool {
    let Filter { session, task, sources, kinds, since, until, known_at, except, history: _, hidden: _ } = filter;
    session.is_none()
        && task.is_none()
        && sources.is_empty()
        && kinds.is_empty()
        && since.is_none()
        && until.is_none()
        && known_at.is_none()
        && except.is_empty()
}

pub(super) fn event_by_key(
    connection: &Connection,
    owner: &Owner,
    key: &str,
) -> Result<Option<(Seq, EventId)>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- event_by_key
        SELECT row, id FROM event WHERE owner = ?1 AND idempotency_key = ?2";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed("looking up an idempotency key", e))?;
    let mut rows = statement.query(params![number.0, key]).map_err(|e| failed("looking up an idempotency key", e))?;
    let Some(row) = rows.next().map_err(|e| failed("looking up an idempotency key", e))? else { return Ok(None) };
    let fields = Fields::new("event", row)?;
    Ok(Some((position(fields.number()), EventId(fields.id("id")?))))
}

pub(super) fn body(connection: &Connection, owner: &Owner, seq: Seq) -> Result<Option<String>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let row = number.row(seq);
    let sql = "-- body
        SELECT e.content, c.zstd FROM event e LEFT JOIN cold_body c ON c.row = e.row WHERE e.row = ?1";
    let found: Option<(String, Option<Vec<u8>>)> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row([row], |r| Ok((r.get(0)?, r.get(1)?))).optional())
        .map_err(|e| failed("reading a body", e))?;
    match found {
        None => Ok(None),
        Some((content, None)) => Ok(Some(content)),
        Some((_, Some(cold))) => warm(row, &cold).map(Some),
    }
}

/// A cold body back into text.
pub(super) fn warm(row: i64, cold: &[u8]) -> Result<String, StoreError> {
    use std::io::Read;
    let damaged = |why: String| StoreError::Corrupt { detail: format!("cold_body, row {row}, column zstd: {why}") };
    let decoder = zstd::Decoder::new(cold).map_err(|e| damaged(e.to_string()))?;
    let mut text = String::new();
    let read = decoder.take(WARM_BYTES_MAX as u64).read_to_string(&mut text).map_err(|e| damaged(e.to_string()))?;
    if read == WARM_BYTES_MAX {
        return Err(damaged(format!("longer than {WARM_BYTES_MAX} bytes")));
    }
    Ok(text)
}

pub(super) fn task(connection: &Connection, owner: &Owner, id: &TaskId) -> Result<Option<Task>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- task
        SELECT owner, body FROM task WHERE owner = ?1 AND id = ?2";
    let mut tasks = select_tasks(connection, sql, params![number.0, id.as_str()])?;
    Ok(tasks.pop())
}

pub(super) fn tasks(connection: &Connection, owner: &Owner, limit: usize) -> Result<Vec<Task>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = "-- tasks
        SELECT owner, body FROM task WHERE owner = ?1 ORDER BY last_activity_us DESC, id LIMIT ?2";
    select_tasks(connection, sql, params![number.0, i64::try_from(limit).unwrap_or(i64::MAX)])
}

fn select_tasks(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<Vec<Task>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed("reading tasks", e))?;
    let mut rows = statement.query(values).map_err(|e| failed("reading tasks", e))?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed("reading tasks", e))? {
        tasks.push(Fields::new("task", row)?.json("body")?);
    }
    Ok(tasks)
}

pub(super) fn session(
    connection: &Connection,
    owner: &Owner,
    session: &ScopeId,
) -> Result<Option<SessionState>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- session
        SELECT task FROM session WHERE owner = ?1 AND session = ?2";
    let found: Option<Option<String>> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![number.0, session.as_str()], |r| r.get(0)).optional())
        .map_err(|e| failed("reading a session", e))?;
    let Some(task) = found else { return Ok(None) };
    let task = task
        .map(ScopeId::new)
        .transpose()
        .map_err(|e| StoreError::Corrupt { detail: format!("session, owner {}, column task: {e}", number.0) })?;
    Ok(Some(SessionState { session: session.clone(), task }))
}

pub(super) fn update_version(
    connection: &Connection,
    owner: &Owner,
    task: &TaskId,
    key: &str,
) -> Result<Option<u64>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- update_version
        SELECT version FROM update_key WHERE owner = ?1 AND task = ?2 AND key = ?3";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![number.0, task.as_str(), key], |r| r.get(0)).optional())
        .map_err(|e| failed("looking up an update's key", e))
}

pub(super) fn journal(
    connection: &Connection,
    owner: &Owner,
    page: &JournalPage,
) -> Result<Vec<JournalEntry>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let (sql, values) = journal_query(number, page);
    let doing = "reading the journal";
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query(params_from_iter(values)).map_err(|e| failed(doing, e))?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let fields = Fields::new("operation", row)?;
        let operation: Operation = fields.json("body")?;
        entries.push(JournalEntry {
            position: position(fields.number()).0,
            change: fields.get("change")?,
            operation,
            commitment: fields.hex("commitment")?,
            chain: fields.hex("chain")?,
        });
    }
    Ok(entries)
}

/// When the newest of those lines was written that the page selects and that have lost their text to the journal's retention.
pub(super) fn pruned(
    connection: &Connection,
    owner: &Owner,
    page: &JournalPage,
) -> Result<Option<Timestamp>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let condition = journal_condition(number, page);
    let sql = format!(
        "-- pruned\n SELECT at_us FROM operation WHERE {} AND body IS NULL AND salt IS NOT NULL ORDER BY row DESC LIMIT 1",
        condition.sql
    );
    let at: Option<i64> = connection
        .prepare_cached(&sql)
        .and_then(|mut s| s.query_row(params_from_iter(condition.values), |r| r.get(0)).optional())
        .map_err(|e| failed("reading the journal", e))?;
    Ok(at.and_then(|us| Timestamp::from_microsecond(us).ok()))
}

/// Which lines a page selects, wherever it begins.
fn journal_condition(number: OwnerNumber, page: &JournalPage) -> Condition {
    let mut condition = Condition::new(number, &Filter { hidden: true, ..Filter::default() });
    if let Some(run) = page.run {
        condition.and("run =", Value::Blob(run.0.as_bytes().to_vec()));
    }
    if let Some(event) = page.event {
        condition.values.push(Value::Blob(event.0.as_bytes().to_vec()));
        let place = condition.values.len();
        condition.sql.push_str(&format!(" AND (event = ?{place} OR cause = ?{place})"));
    }
    if let Some(task) = &page.task {
        condition.and("task =", Value::Text(task.as_str().to_owned()));
    }
    if let Some(memory) = page.memory {
        condition.and("memory =", Value::Blob(memory.0.as_bytes().to_vec()));
    }
    if let Some(verb) = page.verb {
        // As a literal: SQLite uses an index of one verb only for a condition it can compare before it runs.
        condition.sql.push_str(&format!(" AND verb = '{}'", verb.as_str()));
    }
    if let Some(id) = page.operation {
        condition.and("id =", Value::Blob(id.0.as_bytes().to_vec()));
    }
    if let Some(change) = page.change {
        condition.and("change =", Value::Integer(change));
        // As the index of changes has it: by the range of rows alone, the whole journal would be gone through.
        condition.and("row >> 40 =", Value::Integer(number.0));
    }
    condition
}

/// The page in SQL, with its values.
pub(super) fn journal_query(number: OwnerNumber, page: &JournalPage) -> (String, Vec<Value>) {
    let mut condition = journal_condition(number, page);
    let order = if page.newest_first { "DESC" } else { "ASC" };
    if let Some(after) = page.after {
        let comparison = if page.newest_first { "row <" } else { "row >" };
        condition.and(comparison, Value::Integer(number.row(Seq(after))));
    }
    condition.values.push(Value::Integer(i64::try_from(page.limit).unwrap_or(i64::MAX)));
    // An erased operation has no body: it is a gap that the chain still spans.
    let sql = format!(
        "-- journal
         SELECT row, change, body, commitment, chain FROM operation WHERE {} AND body IS NOT NULL ORDER BY row {order} LIMIT ?{}",
        condition.sql,
        condition.values.len()
    );
    (sql, condition.values)
}

pub(super) fn owners(connection: &Connection) -> Result<Vec<Owner>, StoreError> {
    let sql = "-- owners
        SELECT id, tenant, user, agent FROM owner ORDER BY tenant, user, agent";
    let doing = "reading the owners";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([]).map_err(|e| failed(doing, e))?;
    let mut owners = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        owners.push(owner_of(&Fields::new("owner", row)?)?);
    }
    Ok(owners)
}

pub(super) fn status(connection: &Connection, directory: &Path, writable: bool) -> Result<StoreStatus, StoreError> {
    let doing = "reading the status";
    let count = |sql: &str| connection.query_row(sql, [], |r| r.get::<_, u64>(0)).map_err(|e| failed(doing, e));
    // By the index: the plain maximum would read every event.
    let newest = "SELECT max((SELECT max(occurred_us) FROM event WHERE owner = o.id)) FROM owner o";
    let newest: Option<i64> = connection.query_row(newest, [], |r| r.get(0)).map_err(|e| failed(doing, e))?;
    let bytes = ["", "-wal", "-shm"].iter().filter_map(|suffix| {
        let name = format!("{}{suffix}", super::FILE_NAME);
        std::fs::metadata(directory.join(name)).ok().map(|m| m.len())
    });
    Ok(StoreStatus {
        location: directory.display().to_string(),
        schema: connection.pragma_query_value(None, "user_version", |r| r.get(0)).map_err(|e| failed(doing, e))?,
        owners: count("SELECT count(*) FROM owner")?,
        events: count("SELECT ifnull(sum(last_event - erased), 0) FROM owner")?,
        archived: count("SELECT count(*) FROM cold_body")?,
        tasks: count("SELECT count(*) FROM task")?,
        memories: count("SELECT count(*) FROM memory")?,
        operations: count("SELECT ifnull(sum(last_operation), 0) FROM owner")?,
        vectors: count("SELECT count(*) FROM vector")?,
        bytes: bytes.sum(),
        active_model: vectors::active_model(connection)?,
        writable,
        newest_event: newest.and_then(|us| Timestamp::from_microsecond(us).ok()),
    })
}

/// What is marked as holding no longer in the owner's events.
pub(super) fn marks(connection: &Connection, owner: &Owner) -> Result<Vec<(EventId, Overturned)>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = "-- marks
        SELECT o.row, e.id, o.statement, o.replaced_by, o.at_us FROM overturned o JOIN event e ON e.row = o.row
        WHERE o.row BETWEEN ?1 AND ?2 ORDER BY o.row, o.statement";
    let doing = "reading what was overturned";
    let (first, last) = number.rows();
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query(params![first, last]).map_err(|e| failed(doing, e))?;
    let mut marks = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let fields = Fields::new("overturned", row)?;
        marks.push((EventId(fields.id("id")?), overturned(&fields)?));
    }
    Ok(marks)
}

pub(super) fn owner(connection: &Connection, number: OwnerNumber) -> Result<Owner, StoreError> {
    let sql = "-- owner
        SELECT id, tenant, user, agent FROM owner WHERE id = ?1";
    let doing = "reading an owner";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([number.0]).map_err(|e| failed(doing, e))?;
    match rows.next().map_err(|e| failed(doing, e))? {
        Some(row) => owner_of(&Fields::new("owner", row)?),
        None => Err(StoreError::Corrupt { detail: format!("owner {} has rows and no entry", number.0) }),
    }
}

fn owner_of(fields: &Fields<'_, '_>) -> Result<Owner, StoreError> {
    Ok(Owner { tenant: fields.scope_id("tenant")?, user: fields.scope_id("user")?, agent: fields.scope_id("agent")? })
}
