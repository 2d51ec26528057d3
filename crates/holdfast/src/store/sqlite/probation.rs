//! Events on probation as rows. What is out of view, or gone, is not on probation: hiding and erasing take the row along.

use std::io::Write;

use rusqlite::{Connection, params};

use super::apply::execute;
use super::dump::line;
use super::open::failed;
use super::past::Keeper;
use super::row::{Fields, OwnerNumber, json, owner_number, position};
use crate::store::StoreError;
use crate::types::change::{PastKind, ProbationChange};
use crate::types::ids::{EventId, Seq};
use crate::types::probation::{OnProbation, Probation};
use crate::types::scope::Owner;

const WRITING: &str = "writing what is on probation";
const READING: &str = "reading what is on probation";

/// Rules: what is hidden or gone is not put there; what is there is put there anew; what is not there can't be lifted. Neither is an
/// error: the event was let go meanwhile, or called back.
pub(super) fn change(keeper: &Keeper<'_>, change: &ProbationChange) -> Result<(), StoreError> {
    match change {
        ProbationChange::Put(put) => self::put(keeper, put),
        ProbationChange::Lift(seq) => lift(keeper, *seq),
    }
}

fn put(keeper: &Keeper<'_>, put: &OnProbation) -> Result<(), StoreError> {
    let row = keeper.owner.row(put.seq);
    let Some(id) = event_in_view(keeper.connection, row)? else { return Ok(()) };
    let before = at(keeper.connection, row)?.as_ref().map(json).transpose()?;
    keeper.keep(PastKind::Probation, &id.to_string(), before.as_deref())?;
    let sql = "-- put_on_probation
        INSERT INTO probation (row, since_turn, since_us, until_turn, until_us, sentence) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (row) DO UPDATE SET since_turn = excluded.since_turn, since_us = excluded.since_us,
            until_turn = excluded.until_turn, until_us = excluded.until_us, sentence = excluded.sentence";
    let Probation { since_turn, since, until_turn, until } = put.probation;
    let values = params![
        row,
        turn(since_turn),
        since.as_microsecond(),
        turn(until_turn),
        until.as_microsecond(),
        json(&put.sentence)?
    ];
    execute(keeper.connection, sql, values, WRITING)?;
    Ok(())
}

pub(super) fn lift(keeper: &Keeper<'_>, seq: Seq) -> Result<(), StoreError> {
    let row = keeper.owner.row(seq);
    let Some(before) = at(keeper.connection, row)? else { return Ok(()) };
    keeper.keep(PastKind::Probation, &before.id.to_string(), Some(&json(&before)?))?;
    let sql = "-- lift_probation
        DELETE FROM probation WHERE row = ?1";
    execute(keeper.connection, sql, [row], WRITING)?;
    Ok(())
}

/// No log is as long as the column is wide.
fn turn(turn: u64) -> i64 {
    i64::try_from(turn).unwrap_or(i64::MAX)
}

fn event_in_view(connection: &Connection, row: i64) -> Result<Option<EventId>, StoreError> {
    let sql = "-- event_for_probation
        SELECT row, id FROM event WHERE row = ?1 AND hidden = 0";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(READING, e))?;
    let mut rows = statement.query([row]).map_err(|e| failed(READING, e))?;
    let Some(row) = rows.next().map_err(|e| failed(READING, e))? else { return Ok(None) };
    Ok(Some(EventId(Fields::new("event", row)?.id("id")?)))
}

fn at(connection: &Connection, row: i64) -> Result<Option<OnProbation>, StoreError> {
    Ok(between(connection, row, row)?.pop())
}

/// In log order.
pub(super) fn all(connection: &Connection, owner: &Owner) -> Result<Vec<OnProbation>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let (first, last) = number.rows();
    between(connection, first, last)
}

fn between(connection: &Connection, first: i64, last: i64) -> Result<Vec<OnProbation>, StoreError> {
    let sql = "-- on_probation
        SELECT p.row, e.id, p.since_turn, p.since_us, p.until_turn, p.until_us, p.sentence
        FROM probation p JOIN event e ON e.row = p.row WHERE p.row BETWEEN ?1 AND ?2 ORDER BY p.row";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(READING, e))?;
    let mut rows = statement.query([first, last]).map_err(|e| failed(READING, e))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(READING, e))? {
        let fields = Fields::new("probation", row)?;
        let turn = |column| fields.get::<i64>(column).map(|turn| u64::try_from(turn).unwrap_or(0));
        found.push(OnProbation {
            seq: position(fields.number()),
            id: EventId(fields.id("id")?),
            probation: Probation {
                since_turn: turn("since_turn")?,
                since: fields.timestamp("since_us")?,
                until_turn: turn("until_turn")?,
                until: fields.timestamp("until_us")?,
            },
            sentence: fields.json("sentence")?,
        });
    }
    Ok(found)
}

pub(super) fn dump(connection: &Connection, owner: OwnerNumber, out: &mut dyn Write) -> Result<(), StoreError> {
    let (first, last) = owner.rows();
    for waiting in between(connection, first, last)? {
        line(out, format_args!("  probation {}", json(&waiting)?))?;
    }
    Ok(())
}
