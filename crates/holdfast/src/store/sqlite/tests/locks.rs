//! SQLite's locks keep another process from taking the write-ahead log away under this one. They are this process's as a whole, and go with the
//! first descriptor of the file that is closed, whoever opened it.

use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use super::super::Sqlite;
use super::super::open::file_in;
use crate::store::Store;
use crate::store::tests::samples::{self, owner, say};

const DIRECTORY: &str = "HOLDFAST_LOCKS_DIRECTORY";

/// Leaves write-ahead logging, for which it must be alone.
#[test]
#[ignore = "the child of the other test here"]
fn child() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let connection = Connection::open(file_in(Path::new(&directory))).expect("a database");
    connection.busy_timeout(std::time::Duration::ZERO).expect("no waiting");
    let mode = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0));
    assert!(mode.is_ok_and(|mode| mode == "delete"), "somebody else has it open");
}

fn another_process_can_be_alone(directory: &Path) -> bool {
    Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "store::sqlite::tests::locks::child", "--ignored"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("a child")
        .success()
}

#[cfg(unix)]
#[test]
fn what_this_process_does_beside_a_store_leaves_its_locks() {
    let directory = tempfile::tempdir().expect("a directory");
    let other_way = directory.path().join("link");
    std::os::unix::fs::symlink(directory.path(), &other_way).expect("a link");
    let store = Sqlite::open(directory.path(), samples::env()).expect("a store");
    say(&store, &samples::env(), &owner("me"), "s", "one");
    let is_locked = |after: &str| {
        assert!(!another_process_can_be_alone(directory.path()), "after {after}");
        store.status().expect("a status");
    };
    is_locked("opening");
    Sqlite::open(directory.path(), samples::env()).expect_err("one writer at a time");
    is_locked("a second opening that was refused");
    for way in [directory.path(), &other_way] {
        let reader = Sqlite::open_read_only(way).expect("a reader");
        reader.status().expect("a status");
        is_locked("a second opening");
        drop(reader);
        is_locked("the closing of the second");
    }
    store.scrub(&[b"some bytes that are nowhere".to_vec()]).expect("a scrub");
    is_locked("a scrub");
    store.dump(&mut std::io::sink()).expect("a dump");
    drop(store);
    assert!(another_process_can_be_alone(directory.path()), "closed, it is nobody's");
}
