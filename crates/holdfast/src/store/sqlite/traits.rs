//! The lean view of events that ranking works on, packed beside each event when it is written.

use std::ops::Range;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use rusqlite::{Connection, params};

use super::open::failed;
use super::row::{Columns, Fields, OwnerNumber, owner_number, position};
use crate::store::{StoreError, Traits};
use crate::types::change::NewEvent;
use crate::types::event::{Kind, Source};
use crate::types::ids::{EventId, Seq};
use crate::types::scope::{Owner, ScopeId};
use crate::types::signals::{Manner, Signals};

/// Dates kept of one text: a timetable names hundreds, and the nearest of a few is what counts.
const MENTIONED_MAX: usize = 6;

const TRAITS_COLUMNS: Columns = Columns {
    table: "traits",
    names: &["row", "id", "terms", "source", "kind", "session", "local_s", "mentioned", "manner"],
};

const EPOCH: Date = Date::constant(1970, 1, 1);

/// The local clock as seconds since 1970-01-01T00:00, whatever the zone.
fn local_seconds(at: &ZonedDateTime) -> i64 {
    at.datetime().duration_since(EPOCH.at(0, 0, 0, 0)).as_secs()
}

fn days_since_epoch(date: Date) -> i32 {
    let days = date.duration_since(EPOCH).as_hours() / 24;
    i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX })
}

fn packed_days(signals: &Signals) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    for mention in signals.dates.iter().take(MENTIONED_MAX) {
        let first = days_since_epoch(mention.start.date());
        // Half open: a range that ends at midnight does not touch that day.
        let last = days_since_epoch(mention.end.date());
        let ends_at_midnight = mention.end.time() == jiff::civil::Time::midnight();
        let end = (last + i32::from(!ends_at_midnight)).max(first + 1);
        packed.extend(first.to_le_bytes());
        packed.extend(end.to_le_bytes());
    }
    (!packed.is_empty()).then_some(packed)
}

fn unpacked_days(packed: &[u8]) -> Vec<Range<i32>> {
    let number = |bytes: &[u8]| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    packed.chunks_exact(8).map(|pair| number(&pair[..4])..number(&pair[4..])).collect()
}

fn packed_manner(manner: Manner) -> i64 {
    i64::from(manner.instructs) | i64::from(manner.prefers) << 1
}

/// What is written beside an event.
#[derive(Debug)]
pub(super) struct TraitsRow {
    row: i64,
    id: [u8; 16],
    session: ScopeId,
    source: &'static str,
    kind: &'static str,
    local_s: i64,
    mentioned: Option<Vec<u8>>,
    manner: i64,
    terms: String,
}

impl TraitsRow {
    pub(super) fn new(row: i64, new: &NewEvent, terms: String) -> Self {
        let event = &new.event;
        Self {
            row,
            id: *event.id.0.as_bytes(),
            session: event.scope.session.clone(),
            source: event.source.as_str(),
            kind: event.kind.as_str(),
            local_s: local_seconds(&event.occurred_at),
            mentioned: packed_days(&new.signals),
            manner: packed_manner(new.signals.manner),
            terms,
        }
    }
}

/// Writes traits by ascending rows. Gives back whose they are.
pub(super) fn write(connection: &Connection, mut added: Vec<TraitsRow>) -> Result<Vec<OwnerNumber>, StoreError> {
    added.sort_unstable_by_key(|traits| traits.row);
    let doing = "writing traits";
    let sql = "-- write_traits
        INSERT INTO traits (row, id, session, source, kind, local_s, mentioned, manner, terms)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut write = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    for t in &added {
        let values = params![
            t.row,
            t.id.as_slice(),
            t.session.as_str(),
            t.source,
            t.kind,
            t.local_s,
            t.mentioned,
            t.manner,
            t.terms
        ];
        write.execute(values).map_err(|e| failed(doing, e))?;
    }
    let mut owners: Vec<OwnerNumber> = added.iter().map(|traits| OwnerNumber::of(traits.row)).collect();
    owners.dedup();
    Ok(owners)
}

/// Rules: the owner's rows only, and nothing hidden; one lookup for each position.
pub(super) fn traits(connection: &Connection, owner: &Owner, positions: &[Seq]) -> Result<Vec<Traits>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(Vec::new()) };
    let sql = format!("-- traits\n SELECT {TRAITS_COLUMNS} FROM traits WHERE row = ?1 AND hidden = 0");
    let doing = "reading candidates";
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed(doing, e))?;
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found = Vec::with_capacity(sorted.len());
    for seq in sorted {
        let mut rows = statement.query([number.row(seq)]).map_err(|e| failed(doing, e))?;
        let Some(row) = rows.next().map_err(|e| failed(doing, e))? else { continue };
        let fields = Fields::of(&TRAITS_COLUMNS, row)?;
        let manner: i64 = fields.get("manner")?;
        let mentioned: Option<Vec<u8>> = fields.get("mentioned")?;
        found.push(Traits {
            seq: position(fields.number()),
            id: EventId(fields.id("id")?),
            terms: fields.get("terms")?,
            source: fields.word("source", Source::from_word)?,
            kind: fields.word("kind", Kind::from_word)?,
            session: fields.scope_id("session")?,
            local_time: local_time(fields.get("local_s")?),
            mentioned_days: mentioned.as_deref().map(unpacked_days).unwrap_or_default(),
            manner: Manner { instructs: manner & 1 != 0, prefers: manner & 2 != 0 },
        });
    }
    Ok(found)
}

fn local_time(seconds: i64) -> DateTime {
    let start = EPOCH.at(0, 0, 0, 0);
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(start)
}

pub(super) fn count_between(
    connection: &Connection,
    owner: &Owner,
    since: Timestamp,
    until: Timestamp,
) -> Result<u64, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(0) };
    let sql = "-- count_between
        SELECT count(*) FROM event WHERE owner = ?1 AND occurred_us >= ?2 AND occurred_us < ?3";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![number.0, since.as_microsecond(), until.as_microsecond()], |r| r.get(0)))
        .map_err(|e| failed("counting events", e))
}
