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
use crate::types::operation::Verb;

fn open() -> (Box<dyn Store>, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    (Box::new(store), directory)
}

crate::store::tests::conformance::suite!(open);

/// What was served is asked for with every word that might teach something: never by reading the whole journal.
#[test]
fn what_was_served_is_found_by_its_index() {
    let directory = tempfile::tempdir().expect("a directory");
    let _store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    let connection = rusqlite::Connection::open(file_in(directory.path())).expect("a connection");
    let page = JournalPage { verb: Some(Verb::Serve), newest_first: true, limit: 9, ..JournalPage::default() };
    let (sql, values) = journal_query(OwnerNumber(1), &page);
    let explained =
        connection.query_row(&format!("EXPLAIN QUERY PLAN {sql}"), rusqlite::params_from_iter(values), |row| {
            row.get::<_, String>("detail")
        });
    let plan = explained.expect("a plan");
    assert!(plan.contains("operation_of_serving"), "{plan}");
}
