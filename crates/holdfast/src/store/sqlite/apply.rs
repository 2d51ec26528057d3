//! One change set into SQL. Runs inside the writer's transaction; traits are handed back, to be written sorted with those of the other
//! changes of the group.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, named_params, params};
use uuid::Uuid;

use super::lexical::without_overlong;
use super::open::failed;
use super::past::Keeper;
use super::row::{Fields, OwnerNumber, json, overturned, owner_number, position};
use super::traits::TraitsRow;
use super::writer::{Point, Probe};
use super::{erase, memories, past, probation, secrets, segments, tombstones};
use crate::env::Env;
use crate::journal::{self, Hash};
use crate::store::StoreError;
use crate::types::change::{
    Appended, ArchivedBody, ChangeSet, Committed, Hiding, MemoryChange, NewEvent, PastKind, RestoredBody, SessionState,
    TaskChange, Trace, UpdateKey, Withdrawn,
};
use crate::types::event::Overturned;
use crate::types::ids::{EventId, Seq};
use crate::types::memory::MemoryStatus;
use crate::types::operation::{Operation, Target};
use crate::types::scope::{Owner, ScopeId};

/// zstd level for cold bodies: they are written once and read seldom, and above 9 the gain is under 2 %.
const ZSTD_LEVEL: i32 = 9;

pub(super) fn apply(
    connection: &Connection,
    changes: &ChangeSet,
    env: &Env,
    probe: &Probe,
) -> Result<(Committed, Vec<TraitsRow>), StoreError> {
    check_owner(changes)?;
    let mut owner = OwnerRow::load_or_create(connection, &changes.owner)?;
    owner.last_change += 1;
    let keeper = Keeper { connection, owner: owner.number, change: owner.last_change };
    erase::erase(connection, &mut owner, &changes.owner, &changes.erased, env)?;
    probe(Point::Erased);
    erase::prune(connection, owner.number, &changes.pruned)?;
    withdraw(&keeper, &mut owner, &changes.withdrawn)?;
    let first_new = owner.last_event + 1;
    let mut traits = Vec::with_capacity(changes.events.len());
    let mut appended = Vec::with_capacity(changes.events.len());
    let mut sessions = Sessions::default();
    for event in &changes.events {
        appended.push(append_event(connection, &mut owner, event, &mut sessions, &mut traits)?);
        probe(Point::EventWritten);
    }
    if owner.last_event >= first_new {
        keeper.keep(PastKind::Events, &format!("{first_new}-{}", owner.last_event), None)?;
    }
    sessions.save(connection, owner.number)?;
    for change in &changes.tasks {
        write_task(&keeper, change)?;
        probe(Point::TaskWritten);
    }
    for session in &changes.sessions {
        set_session_task(&keeper, session)?;
    }
    for key in &changes.update_keys {
        write_update_key(&keeper, key)?;
    }
    let duplicates: Vec<EventId> =
        changes.events.iter().zip(&appended).filter(|(_, a)| a.duplicate).map(|(e, _)| e.event.id).collect();
    for (id, overturned) in &changes.overturned {
        if !duplicates.contains(id) {
            mark_overturned(&keeper, *id, overturned)?;
        }
    }
    for body in &changes.archived {
        archive(connection, &mut owner, body)?;
        probe(Point::BodyMoved);
    }
    for body in &changes.restored {
        restore(connection, &mut owner, body)?;
        probe(Point::BodyMoved);
    }
    for hiding in &changes.hidden {
        hide(&keeper, &mut owner, *hiding)?;
    }
    for change in &changes.probation {
        probation::change(&keeper, change)?;
    }
    // Those that leave force first: a slot has one in force at any moment.
    let (leaving, in_force): (Vec<&MemoryChange>, Vec<&MemoryChange>) =
        changes.memories.iter().partition(|change| change.memory.status != MemoryStatus::Active);
    tombstones::check_sources(connection, &changes.owner, &changes.memories)?;
    for change in leaving.into_iter().chain(in_force) {
        memories::write(&keeper, change)?;
        owner.memories += 1;
        probe(Point::MemoryWritten);
    }
    if let Some(learned) = changes.learned {
        if owner.learned != learned.from.0 {
            return Err(StoreError::Stale { what: "how far was learned".to_owned() });
        }
        owner.learned = learned.through.0;
    }
    if let Some(induced) = changes.induced {
        if owner.induced != induced.from.0 {
            return Err(StoreError::Stale { what: "how far a model was asked".to_owned() });
        }
        owner.induced = induced.through.0;
    }
    secrets::put(connection, owner.number, &changes.secrets)?;
    let first_line = owner.number.row(Seq(owner.last_operation + 1));
    for operation in &changes.operations {
        if !concerns(operation, &duplicates) {
            write_operation(connection, &mut owner, operation, env)?;
            probe(Point::JournalWritten);
        }
    }
    owner.save(connection)?;
    // Last: what this very change found is past as well.
    for (kind, key, through) in &changes.erased.past {
        past::drop(connection, owner.number, *kind, key, *through)?;
    }
    if let Some(name) = &changes.erased.renamed {
        tombstones::put(connection, &changes.owner, &[Trace::Owner], env)?;
        erase::rename(connection, owner.number, name, first_line)?;
    }
    Ok((Committed { events: appended }, traits))
}

/// A change is of one owner, whatever its parts say.
fn check_owner(changes: &ChangeSet) -> Result<(), StoreError> {
    let owners = (changes.events.iter().map(|new| &new.event.scope.owner))
        .chain(changes.tasks.iter().map(|change| &change.task.owner))
        .chain(changes.operations.iter().map(|operation| &operation.owner));
    for owner in owners {
        if *owner != changes.owner && changes.erased.renamed.as_ref() != Some(owner) {
            return Err(StoreError::Refused("a part of the change belongs to another owner".to_owned()));
        }
    }
    Ok(())
}

/// An operation about an event that was there already did not happen.
fn concerns(operation: &Operation, duplicates: &[EventId]) -> bool {
    let target = match operation.target {
        Target::Event(id) => Some(id),
        Target::Task(_) | Target::Session(_) | Target::Memory(_) | Target::Store => None,
    };
    target.or(operation.cause).is_some_and(|id| duplicates.contains(&id))
}

/// The owner's counters and chain head, read once and saved once per change.
pub(super) struct OwnerRow {
    pub(super) number: OwnerNumber,
    last_event: i64,
    last_operation: i64,
    last_change: i64,
    /// Segments of the lexical index reach so far: written with them, not here.
    pub(super) indexed: i64,
    pub(super) rewritten: i64,
    pub(super) erased: i64,
    pub(super) hidden: i64,
    pub(super) memories: i64,
    learned: i64,
    induced: i64,
    chain: Hash,
}

impl OwnerRow {
    fn load_or_create(connection: &Connection, owner: &Owner) -> Result<Self, StoreError> {
        if owner_number(connection, owner)?.is_none() {
            let sql = "-- create_owner
                INSERT INTO owner (tenant, user, agent, chain) VALUES (?1, ?2, ?3, ?4)";
            let values =
                params![owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str(), journal::GENESIS.as_slice()];
            execute_one(connection, sql, values, "creating an owner")?;
        }
        let sql = "-- load_owner
            SELECT id, last_event, last_operation, rewritten, memories, learned, induced, chain, indexed, erased, hidden,
                last_change FROM owner WHERE tenant = ?1 AND user = ?2 AND agent = ?3";
        let key = (owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str());
        connection
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.query_row(key, |r| {
                    let number = OwnerNumber(r.get(0)?);
                    let (last_event, last_operation) = (r.get(1)?, r.get(2)?);
                    let (rewritten, memories, learned, induced) = (r.get(3)?, r.get(4)?, r.get(5)?, r.get(6)?);
                    Ok(Self {
                        number,
                        last_event,
                        last_operation,
                        indexed: r.get(8)?,
                        erased: r.get(9)?,
                        hidden: r.get(10)?,
                        last_change: r.get(11)?,
                        rewritten,
                        memories,
                        learned,
                        induced,
                        chain: r.get(7)?,
                    })
                })
            })
            .map_err(|e| failed("reading an owner", e))
    }

    fn save(&self, connection: &Connection) -> Result<(), StoreError> {
        let sql = "-- save_owner
            UPDATE owner SET last_event = :last_event, last_operation = :last_operation, rewritten = :rewritten, erased = :erased,
                hidden = :hidden, last_change = :last_change, memories = :memories, learned = :learned, induced = :induced, chain = :chain
            WHERE id = :id";
        let values = named_params! {
            ":id": self.number.0,
            ":last_event": self.last_event,
            ":last_operation": self.last_operation,
            ":rewritten": self.rewritten,
            ":erased": self.erased,
            ":hidden": self.hidden,
            ":last_change": self.last_change,
            ":memories": self.memories,
            ":learned": self.learned,
            ":induced": self.induced,
            ":chain": self.chain.as_slice(),
        };
        execute_one(connection, sql, values, "saving an owner")
    }
}

/// The last row of each session that a change adds to, read once and saved once.
#[derive(Default)]
struct Sessions {
    last_rows: BTreeMap<ScopeId, Option<i64>>,
}

impl Sessions {
    fn last_row(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        session: &ScopeId,
    ) -> Result<Option<i64>, StoreError> {
        if let Some(row) = self.last_rows.get(session) {
            return Ok(*row);
        }
        let sql = "-- last_row_of_session
            SELECT last_row FROM session WHERE owner = ?1 AND session = ?2";
        let row: Option<Option<i64>> = connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row(params![owner.0, session.as_str()], |r| r.get(0)).optional())
            .map_err(|e| failed("reading a session", e))?;
        self.last_rows.insert(session.clone(), row.flatten());
        Ok(row.flatten())
    }

    fn save(&self, connection: &Connection, owner: OwnerNumber) -> Result<(), StoreError> {
        let sql = "-- touch_session
            INSERT INTO session (owner, session, last_row) VALUES (?1, ?2, ?3)
            ON CONFLICT (owner, session) DO UPDATE SET last_row = excluded.last_row";
        for (session, row) in self.last_rows.iter().filter(|(_, row)| row.is_some()) {
            execute_one(connection, sql, params![owner.0, session.as_str(), row], "writing a session")?;
        }
        Ok(())
    }
}

/// Appends an event, unless its idempotency key or its id is known: the same change handed in again, because the reply to the
/// first was lost, is the same event. Its predecessor is the last event of its session.
fn append_event(
    connection: &Connection,
    owner: &mut OwnerRow,
    new: &NewEvent,
    sessions: &mut Sessions,
    traits: &mut Vec<TraitsRow>,
) -> Result<Appended, StoreError> {
    let event = &new.event;
    if let Some(key) = &event.idempotency_key
        && let Some((row, id)) = row_of_key(connection, owner.number, key)?
    {
        return Ok(Appended { seq: position(row), id, duplicate: true });
    }
    let seq = Seq(owner.last_event + 1);
    let row = owner.number.row(seq);
    let predecessor = sessions.last_row(connection, owner.number, &event.scope.session)?;
    if !insert_event(connection, owner.number, row, new, predecessor)? {
        let known = row_of_id(connection, owner.number, event.id)?;
        return Ok(Appended { seq: position(known), id: event.id, duplicate: true });
    }
    owner.last_event = seq.0;
    sessions.last_rows.insert(event.scope.session.clone(), Some(row));
    let terms = without_overlong(&new.terms);
    traits.push(TraitsRow::new(row, new, terms.into_owned()));
    Ok(Appended { seq, id: event.id, duplicate: false })
}

/// `false`: an event of this owner has its id.
fn insert_event(
    connection: &Connection,
    owner: OwnerNumber,
    row: i64,
    new: &NewEvent,
    predecessor: Option<i64>,
) -> Result<bool, StoreError> {
    let event = &new.event;
    let sql = "-- append_event
        INSERT INTO event (row, id, owner, session, task, source, kind, trust, content, occurred_at, occurred_us,
            recorded_us, metadata, idempotency_key, redactions, signals, predecessor)
        VALUES (:row, :id, :owner, :session, :task, :source, :kind, :trust, :content, :occurred_at, :occurred_us,
            :recorded_us, :metadata, :idempotency_key, :redactions, :signals, :predecessor)
        ON CONFLICT (owner, id) DO NOTHING";
    let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
    let redactions = if event.redactions.is_empty() { None } else { Some(json(&event.redactions)?) };
    let values = named_params! {
        ":row": row,
        ":id": event.id.0.as_bytes().as_slice(),
        ":owner": owner.0,
        ":session": event.scope.session.as_str(),
        ":task": event.scope.task.as_ref().map(|t| t.as_str()),
        ":source": event.source.as_str(),
        ":kind": event.kind.as_str(),
        ":trust": event.trust.as_str(),
        ":content": event.content,
        ":occurred_at": event.occurred_at.to_string(),
        ":occurred_us": event.occurred_at.timestamp().as_microsecond(),
        ":recorded_us": event.recorded_at.as_microsecond(),
        ":metadata": metadata,
        ":idempotency_key": event.idempotency_key,
        ":redactions": redactions,
        ":signals": json(&new.signals)?,
        ":predecessor": predecessor,
    };
    Ok(execute(connection, sql, values, "appending an event")? == 1)
}

fn row_of_id(connection: &Connection, owner: OwnerNumber, id: EventId) -> Result<i64, StoreError> {
    let sql = "-- row_of_id
        SELECT row FROM event WHERE owner = ?1 AND id = ?2";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![owner.0, id.0.as_bytes().as_slice()], |r| r.get(0)))
        .map_err(|e| failed("looking up an event", e))
}

fn row_of_key(connection: &Connection, owner: OwnerNumber, key: &str) -> Result<Option<(i64, EventId)>, StoreError> {
    let sql = "-- row_of_key
        SELECT row, id FROM event WHERE owner = ?1 AND idempotency_key = ?2";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| {
            s.query_row(params![owner.0, key], |r| Ok((r.get(0)?, EventId(Uuid::from_bytes(r.get(1)?))))).optional()
        })
        .map_err(|e| failed("looking up an idempotency key", e))
}

/// Rules: a new task must not exist; a changed one must be at the version it was changed from.
fn write_task(keeper: &Keeper<'_>, change: &TaskChange) -> Result<(), StoreError> {
    let (connection, owner, task) = (keeper.connection, keeper.owner, &change.task);
    let sql = "-- task_before
        SELECT version, body FROM task WHERE owner = ?1 AND id = ?2";
    let before: Option<(u64, String)> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![owner.0, task.id.as_str()], |r| Ok((r.get(0)?, r.get(1)?))).optional())
        .map_err(|e| failed("reading a task", e))?;
    let actual = before.as_ref().map(|(version, _)| *version);
    if actual != change.expected_version {
        return Err(StoreError::Conflict { task: task.id.clone(), expected: change.expected_version, actual });
    }
    keeper.keep(PastKind::Task, task.id.as_str(), before.as_ref().map(|(_, body)| body.as_str()))?;
    let sql = "-- write_task
        INSERT INTO task (owner, id, version, status, last_activity_us, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (owner, id) DO UPDATE SET version = excluded.version, status = excluded.status,
            last_activity_us = excluded.last_activity_us, body = excluded.body";
    let activity = task.last_activity.timestamp().as_microsecond();
    let values = params![owner.0, task.id.as_str(), task.version, task.status.as_str(), activity, json(task)?];
    execute_one(connection, sql, values, "writing a task")
}

/// A key that is known already led to its version: the change was made from an older state.
fn write_update_key(keeper: &Keeper<'_>, key: &UpdateKey) -> Result<(), StoreError> {
    let (connection, owner) = (keeper.connection, keeper.owner);
    let doing = "writing an update's key";
    let sql = "-- write_update_key
        INSERT INTO update_key (owner, task, key, version) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    let values = params![owner.0, key.task.as_str(), key.key, key.version];
    if execute(connection, sql, values, doing)? == 1 {
        return keeper.keep(PastKind::UpdateKey, &json(&(&key.task, &key.key))?, None);
    }
    let sql = "-- version_of_key
        SELECT version FROM update_key WHERE owner = ?1 AND task = ?2 AND key = ?3";
    let actual = connection
        .query_row(sql, params![owner.0, key.task.as_str(), key.key], |r| r.get(0))
        .map_err(|e| failed(doing, e))?;
    Err(StoreError::Conflict { task: key.task.clone(), expected: Some(key.version), actual: Some(actual) })
}

fn set_session_task(keeper: &Keeper<'_>, state: &SessionState) -> Result<(), StoreError> {
    let (connection, owner) = (keeper.connection, keeper.owner);
    let sql = "-- session_before
        SELECT task FROM session WHERE owner = ?1 AND session = ?2";
    let before: Option<Option<String>> = connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![owner.0, state.session.as_str()], |r| r.get(0)).optional())
        .map_err(|e| failed("reading a session", e))?;
    keeper.keep(PastKind::Session, state.session.as_str(), Some(&json(&before.flatten())?))?;
    let sql = "-- set_session_task
        INSERT INTO session (owner, session, task) VALUES (?1, ?2, ?3)
        ON CONFLICT (owner, session) DO UPDATE SET task = excluded.task";
    let values = params![owner.0, state.session.as_str(), state.task.as_ref().map(|t| t.as_str())];
    execute_one(connection, sql, values, "writing a session")
}

fn mark_overturned(keeper: &Keeper<'_>, id: EventId, overturned: &Overturned) -> Result<(), StoreError> {
    let connection = keeper.connection;
    let (first, last) = keeper.owner.rows();
    keeper.keep(
        PastKind::Mark,
        &mark_key(id, &overturned.statement)?,
        mark(keeper, id, &overturned.statement)?.as_deref(),
    )?;
    let sql = "-- mark_overturned
        INSERT INTO overturned (row, statement, replaced_by, at_us)
        SELECT row, ?2, ?3, ?4 FROM event WHERE id = ?1 AND row BETWEEN ?5 AND ?6
        ON CONFLICT (row, statement) DO UPDATE SET replaced_by = excluded.replaced_by, at_us = excluded.at_us";
    let at: Timestamp = overturned.at;
    let values = params![
        id.0.as_bytes().as_slice(),
        overturned.statement,
        overturned.replaced_by,
        at.as_microsecond(),
        first,
        last
    ];
    match execute(connection, sql, values, "marking a statement as overturned")? {
        1 => Ok(()),
        _ => Err(StoreError::Refused(format!("no event {id} has a statement to overturn"))),
    }
}

fn archive(connection: &Connection, owner: &mut OwnerRow, body: &ArchivedBody) -> Result<(), StoreError> {
    let row = owner.number.row(body.seq);
    let sql = "-- body_to_archive
        SELECT content FROM event WHERE row = ?1 AND archived = 0";
    let content: Option<String> =
        connection.query_row(sql, [row], |r| r.get(0)).optional().map_err(|e| failed("archiving an event", e))?;
    // Archived in the meantime: nothing is left to do.
    let Some(content) = content else { return Ok(()) };
    let cold = zstd::encode_all(content.as_bytes(), ZSTD_LEVEL)
        .map_err(|e| StoreError::Backend { doing: "compressing a body", source: Box::new(e) })?;
    let sql = "-- archive_body
        INSERT INTO cold_body (row, zstd) VALUES (?1, ?2)";
    execute_one(connection, sql, params![row, cold], "archiving an event")?;
    let sql = "-- leave_summary
        UPDATE event SET content = ?2, archived = 1 WHERE row = ?1";
    execute_one(connection, sql, params![row, body.summary], "archiving an event")?;
    replace_terms(connection, owner, row, &body.terms)
}

/// By which a mark's past is kept: event and statement.
fn mark_key(id: EventId, statement: &str) -> Result<String, StoreError> {
    json(&(id, statement))
}

/// A mark as it is now, as JSON.
fn mark(keeper: &Keeper<'_>, id: EventId, statement: &str) -> Result<Option<String>, StoreError> {
    let (first, last) = keeper.owner.rows();
    let sql = "-- mark_before
        SELECT o.row, o.statement, o.replaced_by, o.at_us FROM overturned o JOIN event e ON e.row = o.row
        WHERE e.id = ?1 AND e.row BETWEEN ?2 AND ?3 AND o.statement = ?4";
    let doing = "reading what was overturned";
    let mut found = keeper.connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows =
        found.query(params![id.0.as_bytes().as_slice(), first, last, statement]).map_err(|e| failed(doing, e))?;
    let Some(row) = rows.next().map_err(|e| failed(doing, e))? else { return Ok(None) };
    Ok(Some(json(&overturned(&Fields::new("overturned", row)?)?)?))
}

/// Takes back what was not there before.
fn withdraw(keeper: &Keeper<'_>, owner: &mut OwnerRow, withdrawn: &Withdrawn) -> Result<(), StoreError> {
    let (connection, number, doing) = (keeper.connection, keeper.owner, "taking back what was written");
    for id in &withdrawn.tasks {
        let sql = "-- task_to_withdraw
            DELETE FROM task WHERE owner = ?1 AND id = ?2 RETURNING body";
        let body: Option<String> = connection
            .query_row(sql, params![number.0, id.as_str()], |r| r.get(0))
            .optional()
            .map_err(|e| failed(doing, e))?;
        keeper.keep(PastKind::Task, id.as_str(), body.as_deref())?;
    }
    for id in &withdrawn.memories {
        let sql = "-- memory_to_withdraw
            DELETE FROM memory WHERE owner = ?1 AND id = ?2 RETURNING body";
        let body: Option<String> = connection
            .query_row(sql, params![number.0, id.0.as_bytes().as_slice()], |r| r.get(0))
            .optional()
            .map_err(|e| failed(doing, e))?;
        keeper.keep(PastKind::Memory, &id.to_string(), body.as_deref())?;
        owner.memories += i64::from(body.is_some());
    }
    for (id, statement) in &withdrawn.marks {
        keeper.keep(PastKind::Mark, &mark_key(*id, statement)?, mark(keeper, *id, statement)?.as_deref())?;
        erase::erase_mark(connection, number, *id, statement)?;
    }
    for (task, key) in &withdrawn.update_keys {
        let sql = "-- withdraw_update_key
            DELETE FROM update_key WHERE owner = ?1 AND task = ?2 AND key = ?3";
        execute(connection, sql, params![number.0, task.as_str(), key], doing)?;
    }
    Ok(())
}

/// What is hidden stays where it is, and is passed over. One that is as it should be, or gone, is left so.
fn hide(keeper: &Keeper<'_>, owner: &mut OwnerRow, hiding: Hiding) -> Result<(), StoreError> {
    let (connection, doing) = (keeper.connection, "hiding an event");
    let row = owner.number.row(hiding.seq);
    let sql = "-- hide_event
        UPDATE event SET hidden = ?2 WHERE row = ?1 AND hidden <> ?2";
    if execute(connection, sql, params![row, hiding.hidden], doing)? == 0 {
        return Ok(());
    }
    let sql = "-- hide_traits
        UPDATE traits SET hidden = ?2 WHERE row = ?1";
    execute_one(connection, sql, params![row, hiding.hidden], doing)?;
    if hiding.hidden {
        probation::lift(keeper, hiding.seq)?;
    }
    owner.hidden += if hiding.hidden { 1 } else { -1 };
    // What is known of it alone is not served either: who keeps memories at hand looks again.
    owner.memories += 1;
    Ok(())
}

fn restore(connection: &Connection, owner: &mut OwnerRow, body: &RestoredBody) -> Result<(), StoreError> {
    let row = owner.number.row(body.seq);
    let sql = "-- cold_body
        SELECT zstd FROM cold_body WHERE row = ?1";
    let cold: Option<Vec<u8>> =
        connection.query_row(sql, [row], |r| r.get(0)).optional().map_err(|e| failed("restoring an event", e))?;
    let Some(cold) = cold else { return Ok(()) };
    let content = super::read::warm(row, &cold)?;
    let sql = "-- restore_body
        UPDATE event SET content = ?2, archived = 0 WHERE row = ?1";
    execute_one(connection, sql, params![row, content], "restoring an event")?;
    execute_one(connection, "-- drop_cold_body\n DELETE FROM cold_body WHERE row = ?1", [row], "restoring an event")?;
    replace_terms(connection, owner, row, &body.terms)
}

/// An event of a segment leaves the lists of words it has no longer; a later one is found by its terms alone.
fn replace_terms(connection: &Connection, owner: &mut OwnerRow, row: i64, terms: &str) -> Result<(), StoreError> {
    let doing = "replacing an event's terms";
    let terms = without_overlong(terms);
    owner.rewritten += 1;
    let before: String = connection
        .prepare_cached("-- terms_before\n SELECT terms FROM traits WHERE row = ?1")
        .and_then(|mut s| s.query_row([row], |r| r.get(0)))
        .map_err(|e| failed(doing, e))?;
    execute_one(connection, "-- set_terms\n UPDATE traits SET terms = ?2 WHERE row = ?1", params![row, terms], doing)?;
    let position = position(row);
    if position.0 > owner.indexed {
        return Ok(());
    }
    segments::replace(connection, owner.number, position, &before, &terms)
}

/// Rules: the next position of the owner's journal and the next link of its chain; an operation that is there already, because
/// its change was handed in again, is not written twice.
fn write_operation(
    connection: &Connection,
    owner: &mut OwnerRow,
    operation: &Operation,
    env: &Env,
) -> Result<(), StoreError> {
    let position = owner.last_operation + 1;
    let body = json(operation)?;
    let salt = env.id();
    let commitment = journal::commitment(salt.as_bytes(), body.as_bytes());
    let chain = journal::link(&owner.chain, &commitment);
    let (event, task, memory) = match &operation.target {
        Target::Event(id) => (Some(*id), None, None),
        Target::Task(id) => (None, Some(id.as_str()), None),
        Target::Memory(id) => (None, None, Some(*id)),
        Target::Session(_) | Target::Store => (None, None, None),
    };
    let cause = operation.cause.filter(|cause| Some(*cause) != event);
    let sql = "-- write_operation
        INSERT INTO operation (row, id, change, at_us, verb, run, event, cause, task, memory, body, salt, commitment, chain)
        VALUES (:row, :id, :change, :at_us, :verb, :run, :event, :cause, :task, :memory, :body, :salt, :commitment, :chain)
        ON CONFLICT (id) DO NOTHING";
    let values = named_params! {
        ":row": owner.number.row(Seq(position)),
        ":id": operation.id.0.as_bytes().as_slice(),
        ":change": owner.last_change,
        ":at_us": operation.at.as_microsecond(),
        ":verb": operation.verb.as_str(),
        ":run": operation.run.0.as_bytes().as_slice(),
        ":event": event.map(|id| *id.0.as_bytes()),
        ":cause": cause.map(|id| *id.0.as_bytes()),
        ":task": task,
        ":memory": memory.map(|id| *id.0.as_bytes()),
        ":body": body,
        ":salt": salt.as_bytes().as_slice(),
        ":commitment": commitment.as_slice(),
        ":chain": chain.as_slice(),
    };
    if execute(connection, sql, values, "writing the journal")? == 1 {
        (owner.last_operation, owner.chain) = (position, chain);
        return Ok(());
    }
    let sql = "-- row_of_operation
        SELECT row FROM operation WHERE id = ?1";
    let known: i64 = connection
        .query_row(sql, [operation.id.0.as_bytes().as_slice()], |r| r.get(0))
        .map_err(|e| failed("writing the journal", e))?;
    if OwnerNumber::of(known) == owner.number {
        return Ok(());
    }
    Err(StoreError::Refused(format!("operation {} is another owner's", operation.id)))
}

pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    doing: &'static str,
) -> Result<usize, StoreError> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values)).map_err(|e| failed(doing, e))
}

/// Runs a statement that must change exactly one row.
pub(super) fn execute_one(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    doing: &'static str,
) -> Result<(), StoreError> {
    match execute(connection, sql, values, doing)? {
        1 => Ok(()),
        n => Err(StoreError::Corrupt { detail: format!("while {doing}, {n} rows changed where one should have") }),
    }
}
