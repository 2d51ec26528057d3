//! The SQLite store under the suite that all stores pass.

mod crash;
mod dense;
mod failures;
mod lexical;
mod locks;
mod measure;
mod simulation;

use tempfile::TempDir;

use super::Sqlite;
use super::open::file_in;
use super::read::journal_query;
use super::row::OwnerNumber;
use crate::store::tests::samples;
use crate::store::{JournalPage, Store};
use crate::types::ids::RunId;
use crate::types::operation::Verb;

fn open() -> (Box<dyn Store>, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    (Box::new(store), directory)
}

crate::store::tests::conformance::suite!(open);

/// What was served is asked for with every word that might teach something, and all lines of a change with each that is undone: never by
/// reading the whole journal.
#[test]
fn pages_of_the_journal_are_found_by_their_index() {
    let directory = tempfile::tempdir().expect("a directory");
    let _store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let connection = rusqlite::Connection::open(file_in(directory.path())).expect("a connection");
    let all = || JournalPage { newest_first: true, limit: 9, ..JournalPage::default() };
    for (page, index) in [
        (JournalPage { verb: Some(Verb::Serve), ..all() }, "operation_of_serving"),
        (JournalPage { change: Some(7), ..all() }, "operation_by_change"),
        (JournalPage { change: Some(7), newest_first: false, ..all() }, "operation_by_change"),
        (JournalPage { run: Some(RunId(uuid::Uuid::nil())), ..all() }, "operation_by_run"),
    ] {
        let (sql, values) = journal_query(OwnerNumber(1), &page);
        let explained =
            connection.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), rusqlite::params_from_iter(values), |row| {
                row.get::<_, String>("detail")
            });
        let plan = explained.expect("a plan");
        assert!(plan.contains(index), "{plan}");
    }
}
