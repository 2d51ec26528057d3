//! Between rows and values: row numbers, timestamps, ids, JSON columns. A stored row that makes no sense is named, never a panic.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::OffsetConflict;
use jiff::{Timestamp, ZonedDateTime};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::open::failed;
use crate::store::StoreError;
use crate::types::event::{Event, Kind, Overturned, Source, StoredEvent, Trust};
use crate::types::ids::{EventId, Seq};
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::signals::Signals;

/// Bits of a row number that hold the position within the owner's log: 10^12 events each, 8 million owners.
const POSITION_BITS: u32 = 40;

/// Where a zone's rules have changed since an event was written, the offset that was written is what its caller meant.
static MOMENT: DateTimeParser = DateTimeParser::new().offset_conflict(OffsetConflict::AlwaysOffset);

/// An owner's number in this store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OwnerNumber(pub(super) i64);

impl OwnerNumber {
    pub(super) fn row(self, position: Seq) -> i64 {
        (self.0 << POSITION_BITS) | position.0
    }

    /// Whose row it is.
    pub(super) fn of(row: i64) -> Self {
        Self(row >> POSITION_BITS)
    }

    /// The first and last row number that can be this owner's.
    pub(super) fn rows(self) -> (i64, i64) {
        (self.0 << POSITION_BITS, ((self.0 + 1) << POSITION_BITS) - 1)
    }
}

pub(super) fn position(row: i64) -> Seq {
    Seq(row & ((1 << POSITION_BITS) - 1))
}

pub(super) fn owner_number(connection: &Connection, owner: &Owner) -> Result<Option<OwnerNumber>, StoreError> {
    let sql = "-- owner_number
        SELECT id FROM owner WHERE tenant = ?1 AND user = ?2 AND agent = ?3";
    let key = (owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str());
    let number = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(key, |row| row.get(0)).optional())
        .map_err(|e| failed("looking up an owner", e))?;
    Ok(number.map(OwnerNumber))
}

/// What of a table could not be read.
fn unreadable(table: &str, row: i64, column: &str, why: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt { detail: format!("{table}, row {row}, column {column}: {why}") }
}

/// The columns of a table in the order in which they are read, the row's number first. A statement can be asked for a column by its
/// name, but that costs more than reading it.
pub(super) struct Columns {
    pub(super) table: &'static str,
    pub(super) names: &'static [&'static str],
}

/// As they stand in a statement.
impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names.join(", "))
    }
}

/// Reads one row of a table, naming table, row and column if a value makes no sense.
pub(super) struct Fields<'a, 'b> {
    table: &'static str,
    /// Known beforehand; none for a table that is seldom read.
    columns: &'static [&'static str],
    row: &'a Row<'b>,
    number: i64,
}

impl<'a, 'b> Fields<'a, 'b> {
    pub(super) fn new(table: &'static str, row: &'a Row<'b>) -> Result<Self, StoreError> {
        let number = row.get(0).map_err(|e| unreadable(table, -1, "row", e))?;
        Ok(Self { table, columns: &[], row, number })
    }

    pub(super) fn of(columns: &Columns, row: &'a Row<'b>) -> Result<Self, StoreError> {
        Ok(Self { columns: columns.names, ..Self::new(columns.table, row)? })
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    pub(super) fn get<T: FromSql>(&self, column: &'static str) -> Result<T, StoreError> {
        let value = match self.columns.iter().position(|name| *name == column) {
            Some(place) => self.row.get(place),
            None => self.row.get(column),
        };
        value.map_err(|e| unreadable(self.table, self.number, column, e))
    }

    pub(super) fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: String = self.get(column)?;
        serde_json::from_str(&text).map_err(|e| unreadable(self.table, self.number, column, e))
    }

    pub(super) fn optional_json<T: DeserializeOwned + Default>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: Option<String> = self.get(column)?;
        match text {
            Some(text) => serde_json::from_str(&text).map_err(|e| unreadable(self.table, self.number, column, e)),
            None => Ok(T::default()),
        }
    }

    pub(super) fn id(&self, column: &'static str) -> Result<Uuid, StoreError> {
        let bytes: Vec<u8> = self.get(column)?;
        Uuid::from_slice(&bytes).map_err(|e| unreadable(self.table, self.number, column, e))
    }

    pub(super) fn timestamp(&self, column: &'static str) -> Result<Timestamp, StoreError> {
        let micros: i64 = self.get(column)?;
        Timestamp::from_microsecond(micros).map_err(|e| unreadable(self.table, self.number, column, e))
    }

    pub(super) fn scope_id(&self, column: &'static str) -> Result<ScopeId, StoreError> {
        let text: String = self.get(column)?;
        ScopeId::new(text).map_err(|e| unreadable(self.table, self.number, column, e))
    }

    pub(super) fn word<T>(&self, column: &'static str, from_word: fn(&str) -> Option<T>) -> Result<T, StoreError> {
        let text: String = self.get(column)?;
        from_word(&text).ok_or_else(|| unreadable(self.table, self.number, column, format!("unknown word {text:?}")))
    }

    pub(super) fn hex(&self, column: &'static str) -> Result<String, StoreError> {
        let bytes: Vec<u8> = self.get(column)?;
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Columns of `event` in the order `event` reads them; the row number comes first.
pub(super) const EVENT_COLUMNS: Columns = Columns {
    table: "event",
    names: &[
        "row",
        "id",
        "session",
        "task",
        "source",
        "kind",
        "trust",
        "content",
        "occurred_at",
        "recorded_us",
        "metadata",
        "idempotency_key",
        "redactions",
        "signals",
        "predecessor",
        "archived",
        "hidden",
    ],
};

/// Decodes one row of `event`; what was overturned in it is added by the caller.
pub(super) fn event(row: &Row<'_>, owner: &Owner) -> Result<StoredEvent, StoreError> {
    let fields = Fields::of(&EVENT_COLUMNS, row)?;
    let occurred_at: String = fields.get("occurred_at")?;
    let occurred_at: ZonedDateTime = MOMENT
        .parse_zoned_datetime(&occurred_at)
        .map_err(|e| unreadable("event", fields.number(), "occurred_at", e))?;
    let task: Option<String> = fields.get("task")?;
    let task = match task {
        Some(text) => Some(ScopeId::new(text).map_err(|e| unreadable("event", fields.number(), "task", e))?),
        None => None,
    };
    let event = Event {
        id: EventId(fields.id("id")?),
        scope: Scope { owner: owner.clone(), session: fields.scope_id("session")?, task },
        source: fields.word("source", Source::from_word)?,
        kind: fields.word("kind", Kind::from_word)?,
        content: fields.get("content")?,
        occurred_at,
        recorded_at: fields.timestamp("recorded_us")?,
        trust: fields.word("trust", Trust::from_word)?,
        metadata: fields.optional_json("metadata")?,
        idempotency_key: fields.get("idempotency_key")?,
        redactions: fields.optional_json("redactions")?,
    };
    let predecessor: Option<i64> = fields.get("predecessor")?;
    let signals: Signals = fields.json("signals")?;
    Ok(StoredEvent {
        seq: position(fields.number()),
        event,
        signals,
        predecessor: predecessor.map(position),
        archived: fields.get("archived")?,
        hidden: fields.get("hidden")?,
        overturned: Vec::new(),
    })
}

/// Adds to each event what was overturned in it.
pub(super) fn with_overturned(
    connection: &Connection,
    owner: OwnerNumber,
    mut events: Vec<StoredEvent>,
) -> Result<Vec<StoredEvent>, StoreError> {
    let sql = "-- overturned
        SELECT row, statement, replaced_by, at_us FROM overturned WHERE row = ?1 ORDER BY statement";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed("reading what was overturned", e))?;
    for event in &mut events {
        let mut rows = statement.query([owner.row(event.seq)]).map_err(|e| failed("reading what was overturned", e))?;
        while let Some(row) = rows.next().map_err(|e| failed("reading what was overturned", e))? {
            event.overturned.push(overturned(&Fields::new("overturned", row)?)?);
        }
    }
    Ok(events)
}

pub(super) fn overturned(fields: &Fields<'_, '_>) -> Result<Overturned, StoreError> {
    Ok(Overturned {
        statement: fields.get("statement")?,
        replaced_by: fields.get("replaced_by")?,
        at: fields.timestamp("at_us")?,
    })
}

/// JSON for a column. Our own types always serialise: they have no maps with keys that are not strings.
pub(super) fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value)
        .map_err(|e| StoreError::Backend { doing: "writing a value as JSON", source: Box::new(e) })
}

/// Half-precision vectors, as little-endian bytes: a unit vector loses less than 2^-11 in each number.
pub(super) mod half_floats {
    use half::f16;

    pub(in crate::store::sqlite) fn encode(vector: &[f32]) -> Vec<u8> {
        vector.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect()
    }

    pub(in crate::store::sqlite) fn decode_into(bytes: &[u8], halves: &mut Vec<f16>) {
        halves.clear();
        halves.extend(bytes.as_chunks::<2>().0.iter().map(|pair| f16::from_le_bytes(*pair)));
    }
}

#[cfg(test)]
mod tests {
    use super::MOMENT;

    #[test]
    fn a_time_outlives_the_rules_it_was_written_under() {
        // Berlin in July, had summer time been given up in the meantime.
        let moment = MOMENT.parse_zoned_datetime("2026-07-01T12:00:00+01:00[Europe/Berlin]").expect("a moment");
        assert_eq!(moment.timestamp().to_string(), "2026-07-01T11:00:00Z");
    }
}
