//! The SQLite store under the suite that all stores pass.

mod crash;
mod failures;
mod measure;
mod simulation;

use tempfile::TempDir;

use super::Sqlite;
use crate::store::Store;
use crate::store::tests::samples;

fn open() -> (Box<dyn Store>, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    (Box::new(store), directory)
}

crate::store::tests::conformance::suite!(open);
