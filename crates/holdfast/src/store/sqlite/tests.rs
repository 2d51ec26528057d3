//! The SQLite store under the suite that all stores pass.

use tempfile::TempDir;

use super::Sqlite;
use crate::store::{Store, samples};

fn open() -> (Box<dyn Store>, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    (Box::new(store), directory)
}

crate::store::conformance::suite!(open);
