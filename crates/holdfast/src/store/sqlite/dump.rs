//! The whole store as text, for snapshots and for finding what is wrong: every invariant is checked on the way.

use std::collections::BTreeSet;
use std::io::Write;

use rusqlite::{Connection, params};

use super::lexical::words;
use super::open::failed;
use super::read;
use super::row::{Fields, OwnerNumber, owner_number, position};
use super::{memories, probation, secrets, segments};
use crate::journal::{self, Hash};
use crate::store::{EventPage, JournalCheck, StoreError};
use crate::types::ids::Seq;
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Events and tasks read at a time.
const PAGE: usize = 500;

/// Checks, in this order: SQLite's own integrity; every event has its traits and they are its own; the
/// lexical index against the terms of the events it reaches; predecessors stand earlier in the same session; archived events and only they have a cold body; only what is in view is on probation;
/// task versions match their documents; the journal's chain verifies; vectors belong to events.
pub(super) fn dump(connection: &Connection, out: &mut dyn Write) -> Result<(), StoreError> {
    check_file(connection)?;
    let sql = "-- owner_numbers
        SELECT id, last_event - erased, last_operation, chain FROM owner ORDER BY id";
    let doing = "dumping the store";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let owners = statement
        .query_map([], |r| {
            Ok((OwnerNumber(r.get(0)?), r.get::<_, i64>(1)?, r.get::<_, i64>(2)?, r.get::<_, Vec<u8>>(3)?))
        })
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| failed(doing, e))?;
    for (number, events, last_operation, chain) in owners {
        let owner = read::owner(connection, number)?;
        line(out, format_args!("owner {} / {} / {}", owner.tenant, owner.user, owner.agent))?;
        dump_events(connection, &owner, events, out)?;
        dump_tasks(connection, &owner, number, out)?;
        memories::dump(connection, number, out)?;
        secrets::dump(connection, number, out)?;
        probation::dump(connection, number, out)?;
        dump_journal(connection, number, last_operation, &chain, out)?;
    }
    Ok(())
}

pub(super) fn line(out: &mut dyn Write, text: std::fmt::Arguments<'_>) -> Result<(), StoreError> {
    writeln!(out, "{text}").map_err(|e| StoreError::Backend { doing: "writing the dump", source: Box::new(e) })
}

pub(super) fn invalid<T>(what: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Invalid(what.into()))
}

fn check_file(connection: &Connection) -> Result<(), StoreError> {
    let doing = "checking the store";
    let integrity: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0)).map_err(|e| failed(doing, e))?;
    if integrity != "ok" {
        return invalid(integrity);
    }
    let rules = [
        (
            "an event without traits",
            "SELECT count(*) FROM event e LEFT JOIN traits t ON t.row = e.row WHERE t.row IS NULL",
        ),
        (
            "traits that are not their event's",
            "SELECT count(*) FROM traits t LEFT JOIN event e ON e.row = t.row WHERE e.row IS NULL
             OR (t.id, t.session, t.source, t.kind, t.hidden) IS NOT (e.id, e.session, e.source, e.kind, e.hidden)",
        ),
        ("an event in the wrong range of rows", "SELECT count(*) FROM event WHERE row >> 40 <> owner"),
        (
            "a predecessor that is not earlier in the same session",
            "SELECT count(*) FROM event e LEFT JOIN event p ON p.row = e.predecessor WHERE e.predecessor IS NOT NULL
             AND (p.row IS NULL OR p.row >= e.row OR p.session <> e.session OR p.owner <> e.owner)",
        ),
        (
            "an archived event without a cold body, or the other way round",
            "SELECT count(*) FROM event e LEFT JOIN cold_body c ON c.row = e.row WHERE e.archived <> (c.row IS NOT NULL)",
        ),
        (
            "a task whose version differs from its document's",
            "SELECT count(*) FROM task WHERE version <> json_extract(body, '$.version')",
        ),
        (
            "a task that is another owner's in its document",
            "SELECT count(*) FROM task t JOIN owner o ON o.id = t.owner WHERE json_extract(body, '$.owner.tenant') <> o.tenant
             OR json_extract(body, '$.owner.user') <> o.user OR json_extract(body, '$.owner.agent') <> o.agent",
        ),
        (
            "a session whose last event is not its last",
            "SELECT count(*) FROM session s WHERE s.last_row IS NOT (SELECT max(row) FROM event e
             WHERE e.owner = s.owner AND e.session = s.session)",
        ),
        ("an event of an unknown session", "SELECT count(*) FROM event e LEFT JOIN session s USING (owner, session)
             WHERE s.session IS NULL"),
        (
            "a vector without an event",
            "SELECT count(*) FROM vector v LEFT JOIN event e ON e.row = v.row WHERE e.row IS NULL",
        ),
        (
            "a vector of the wrong size",
            "SELECT count(*) FROM vector v JOIN model m ON m.id = v.model WHERE length(v.data) <> 2 * m.dimension",
        ),
        ("more than one active model", "SELECT max(0, count(*) - 1) FROM model WHERE active = 1"),
        (
            "an owner's count of hidden events that is not their number",
            "SELECT count(*) FROM owner o WHERE hidden <> (SELECT count(*) FROM event e WHERE e.owner = o.id AND hidden = 1)",
        ),
        (
            "a probation of an event that is gone or hidden",
            "SELECT count(*) FROM probation p LEFT JOIN event e ON e.row = p.row WHERE e.row IS NULL OR e.hidden = 1",
        ),
        ("an index that reaches beyond the log", "SELECT count(*) FROM owner WHERE indexed > last_event"),
    ];
    for (what, sql) in rules {
        let count: i64 = connection.query_row(sql, [], |r| r.get(0)).map_err(|e| failed(doing, e))?;
        if count > 0 {
            return invalid(format!("{what} ({count})"));
        }
    }
    check_lexical_index(connection)
}

/// The index must hold exactly the words of the term rows it reaches: each pair of word and row once. Both sides are added up as hashes,
/// so that neither has to be kept or sorted.
fn check_lexical_index(connection: &Connection) -> Result<(), StoreError> {
    let doing = "checking the lexical index";
    let mut kept = Pairs::default();
    let sql = "-- all_indexed_terms
        SELECT row, terms FROM traits JOIN owner ON owner.id = row >> 40 WHERE row & ((1 << 40) - 1) <= owner.indexed";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([]).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let number: i64 = row.get(0).map_err(|e| failed(doing, e))?;
        let terms: String = row.get(1).map_err(|e| failed(doing, e))?;
        words(&terms).collect::<BTreeSet<_>>().iter().for_each(|word| kept.add(word, number));
    }
    let mut indexed = Pairs::default();
    segments::for_each(connection, |owner, word, position| indexed.add(word, owner.row(Seq(i64::from(position)))))?;
    if indexed != kept {
        let (indexed, kept) = (indexed.count, kept.count);
        return invalid(format!("the lexical index ({indexed} words) does not match the term rows ({kept} words)"));
    }
    Ok(())
}

/// A set of pairs, as its size and the sum of its hashes.
#[derive(Default, PartialEq)]
struct Pairs {
    count: u64,
    sum: u64,
}

impl Pairs {
    fn add(&mut self, word: &str, row: i64) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&row.to_le_bytes()).update(word.as_bytes());
        let mut hash = [0; 8];
        hasher.finalize_xof().fill(&mut hash);
        self.count += 1;
        self.sum = self.sum.wrapping_add(u64::from_le_bytes(hash));
    }
}

fn dump_events(connection: &Connection, owner: &Owner, expected: i64, out: &mut dyn Write) -> Result<(), StoreError> {
    let filter = Filter { hidden: true, ..Filter::default() };
    let mut page = EventPage { limit: PAGE, filter, ..EventPage::default() };
    let mut count = 0;
    loop {
        let events = read::events(connection, owner, &page)?;
        let Some(newest) = events.last() else { break };
        page.after = Some(newest.seq);
        for event in &events {
            count += 1;
            let text = serde_json::to_string(event)
                .map_err(|e| StoreError::Backend { doing: "writing the dump", source: Box::new(e) })?;
            line(out, format_args!("  event {text}"))?;
        }
    }
    if count != expected {
        return invalid(format!("{count} events where the owner's counters say {expected}"));
    }
    Ok(())
}

fn dump_tasks(
    connection: &Connection,
    owner: &Owner,
    number: OwnerNumber,
    out: &mut dyn Write,
) -> Result<(), StoreError> {
    let mut tasks = read::tasks(connection, owner, usize::MAX)?;
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    for task in tasks {
        let text = serde_json::to_string(&task)
            .map_err(|e| StoreError::Backend { doing: "writing the dump", source: Box::new(e) })?;
        line(out, format_args!("  task {text}"))?;
    }
    let sql = "-- sessions
        SELECT session, task, last_row FROM session WHERE owner = ?1 ORDER BY session";
    let doing = "dumping the sessions";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([number.0]).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let session: String = row.get(0).map_err(|e| failed(doing, e))?;
        let task: Option<String> = row.get(1).map_err(|e| failed(doing, e))?;
        let last: Option<i64> = row.get(2).map_err(|e| failed(doing, e))?;
        let last = last.map_or(0, |row| position(row).0);
        line(out, format_args!("  session {session}: task {}, last event {last}", task.as_deref().unwrap_or("none")))?;
    }
    Ok(())
}

fn dump_journal(
    connection: &Connection,
    owner: OwnerNumber,
    last: i64,
    head: &[u8],
    out: &mut dyn Write,
) -> Result<(), StoreError> {
    check_journal(connection, owner, last, head, |text| match text {
        Text::Kept(body) => line(out, format_args!("  operation {body}")),
        Text::Erased => line(out, format_args!("  operation (erased)")),
        Text::Pruned => line(out, format_args!("  operation (no longer kept)")),
    })
}

/// What is there of an operation's text.
enum Text<'a> {
    Kept(&'a str),
    Erased,
    /// The journal's retention dropped it.
    Pruned,
}

/// Checks an owner's journal link by link, and shows each operation's text. The chain verifies without it.
fn check_journal(
    connection: &Connection,
    owner: OwnerNumber,
    last: i64,
    head: &[u8],
    mut see: impl FnMut(Text<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (first_row, last_row) = owner.rows();
    let sql = "-- whole_journal
        SELECT row, body, salt, commitment, chain FROM operation WHERE row BETWEEN ?1 AND ?2 ORDER BY row";
    let doing = "checking the journal";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query(params![first_row, last_row]).map_err(|e| failed(doing, e))?;
    let mut chain: Hash = journal::GENESIS;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        count += 1;
        let fields = Fields::new("operation", row)?;
        if position(fields.number()) != Seq(count) {
            return invalid(format!("operation {} stands where {count} should", position(fields.number())));
        }
        let body: Option<String> = fields.get("body")?;
        let salt: Option<Vec<u8>> = fields.get("salt")?;
        let commitment: [u8; 32] = fields.get("commitment")?;
        let half = || invalid(format!("half of operation {count} is gone"));
        let text = match (&body, salt.as_deref()) {
            (Some(body), Some(salt)) => {
                let Ok(salt) = <&[u8; 16]>::try_from(salt) else { return half() };
                if journal::commitment(salt, body.as_bytes()) != commitment {
                    return invalid(format!("operation {count} was changed after it was written"));
                }
                Text::Kept(body)
            }
            (None, Some([])) => Text::Pruned,
            (None, None) => Text::Erased,
            (Some(_), None) | (None, Some(_)) => return half(),
        };
        chain = journal::link(&chain, &commitment);
        if chain != fields.get::<[u8; 32]>("chain")? {
            return invalid(format!("the journal's chain breaks at operation {count}"));
        }
        see(text)?;
    }
    if count != last || chain.as_slice() != head {
        return invalid(format!("the journal ends at {count} where the owner's counter says {last}"));
    }
    Ok(())
}

/// Faults that a check of the file names; more of them say nothing more.
const FAULTS_MAX: u32 = 20;

/// Goes through every page of the file, without comparing indexes with their tables: that takes many times as long.
pub(super) fn file_faults(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let failed = |e| failed("checking the file", e);
    let mut faults = Vec::new();
    connection
        .pragma(None, "quick_check", FAULTS_MAX, |row| {
            faults.push(row.get::<_, String>(0)?);
            Ok(())
        })
        .map_err(failed)?;
    faults.retain(|fault| fault != "ok");
    Ok(faults)
}

/// Checks an owner's journal, and counts its operations.
pub(super) fn verify_journal(connection: &Connection, owner: &Owner) -> Result<JournalCheck, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(JournalCheck::default()) };
    let sql = "-- journal_head
        SELECT last_operation, chain FROM owner WHERE id = ?1";
    let (last, head): (i64, Vec<u8>) = connection
        .query_row(sql, [number.0], |r| Ok((r.get(0)?, r.get(1)?)))
        .map_err(|e| failed("checking the journal", e))?;
    let mut check =
        JournalCheck { head: head.iter().map(|byte| format!("{byte:02x}")).collect(), ..JournalCheck::default() };
    check_journal(connection, number, last, &head, |text| {
        check.operations += 1;
        check.erased += u64::from(matches!(text, Text::Erased));
        check.pruned += u64::from(matches!(text, Text::Pruned));
        Ok(())
    })?;
    Ok(check)
}
