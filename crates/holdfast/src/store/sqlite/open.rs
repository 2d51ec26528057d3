//! Opening the directory: the lock that keeps a second writer out, the schema, and the pool of reading connections.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::FILE_NAME;
use super::files::OpenDatabase;
use crate::store::StoreError;
use crate::types::scope::{ScopeId, ScopeIdError};

/// "HOLD" in ASCII: how a file is known to be a store of ours.
const APPLICATION_ID: i32 = 0x484F_4C44;

/// Our own numbered migrations; the schema's number is how many have run.
const MIGRATIONS: &[&str] =
    &[include_str!("migrations/0001_initial.sql"), include_str!("migrations/0002_environment.sql")];

/// The schema that first had a label.
const LABELLED: u32 = 2;

/// How long a reader waits for a checkpoint to let it in.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How often and how long the lock is waited for: together far longer than it takes to start a process, and too short to notice.
const LOCK_TRIES: u32 = 20;
const LOCK_WAIT: Duration = Duration::from_millis(5);

/// Idle reading connections that are kept: more than the cores there are only cost memory.
const IDLE_READERS_MAX: usize = 8;

/// Pages in the write-ahead log (16 MB) before they are moved into the file: with the usual 1,000 a burst moves the same pages every
/// third commit.
const WAL_PAGES: i64 = 4_000;

/// What is kept of the write-ahead log after a burst, in bytes.
const WAL_BYTES_KEPT: i64 = 16 * 1024 * 1024;

/// Page cache of one connection, in KiB (negative in SQLite's terms). The writer appends, and comes back to few pages; with each commit
/// that splits a page, SQLite walks through all that are cached: with 16 MB that took a tenth of the writer's time.
const READER_CACHE_KIB: i32 = 8 * 1024;
const WRITER_CACHE_KIB: i32 = 4 * 1024;

/// How the file may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// This process also writes it.
    ReadWrite,
    /// Another process may write it.
    ReadOnly,
    /// Nobody can write it: the medium is read-only.
    Immutable,
}

/// Held for as long as this process may write: the operating system drops it with the process, however that ends.
#[derive(Debug)]
pub(super) struct WriterLock {
    _file: File,
}

/// With an environment, a store that has none yet is of this one from now on.
pub(super) fn for_writing(
    directory: &Path,
    environment: Option<&ScopeId>,
) -> Result<(OpenDatabase, WriterLock, Connection), StoreError> {
    fs::create_dir_all(directory).map_err(|e| not_writable(directory, &e))?;
    let lock = lock(directory)?;
    let path = file_in(directory);
    let database = OpenDatabase::hold(directory, check_length).map_err(|e| in_directory(e, directory))?;
    let connection = Connection::open(&path).map_err(|e| opening(directory, e))?;
    prepare(&connection, WRITER_CACHE_KIB).map_err(|e| opening(directory, e))?;
    // Nothing may be written to a file before it is known to be ours, and of a version we know.
    check_identity(&connection).map_err(|e| in_directory(e, directory))?;
    check_not_too_new(&connection)?;
    connection.execute_batch("PRAGMA journal_mode = WAL").map_err(|e| opening(directory, e))?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES).map_err(|e| opening(directory, e))?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES_KEPT).map_err(|e| opening(directory, e))?;
    migrate(&connection).map_err(|e| in_directory(e, directory))?;
    if let Some(environment) = environment {
        let sql = "-- label_store
            INSERT INTO label (id, environment) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING";
        connection.execute(sql, [environment.as_str()]).map_err(|e| opening(directory, e))?;
    }
    Ok((database, lock, connection))
}

pub(super) fn for_reading(directory: &Path) -> Result<(OpenDatabase, Access), StoreError> {
    let path = file_in(directory);
    if !path.is_file() {
        return Err(StoreError::Missing { path: directory.to_owned() });
    }
    let database = OpenDatabase::hold(directory, check_length).map_err(|e| in_directory(e, directory))?;
    let check = |access| connect(&path, access).and_then(|connection| check_schema(&connection)).map(|()| access);
    let access = match check(Access::ReadOnly) {
        // A store on a read-only medium has no -shm to write: SQLite reads it only if told that nobody else writes either.
        Err(StoreError::NotWritable { .. }) if holds_pending_changes(&path) => Err(StoreError::NotWritable {
            path: directory.to_owned(),
            reason: format!("{FILE_NAME}-wal holds changes that have to be merged first"),
        }),
        Err(StoreError::NotWritable { .. }) => check(Access::Immutable),
        other => other,
    };
    Ok((database, access.map_err(|e| in_directory(e, directory))?))
}

/// The database of a directory, as a path from the root: SQLite is built to read a name that begins with `file:` as a URI, whatever
/// the flags say.
pub(super) fn file_in(directory: &Path) -> PathBuf {
    let path = directory.join(FILE_NAME);
    std::path::absolute(&path).unwrap_or(path)
}

/// A write-ahead log with something in it: reading the file alone would miss the newest commits.
fn holds_pending_changes(path: &Path) -> bool {
    fs::metadata(wal_of(path)).is_ok_and(|wal| wal.len() > 0)
}

fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// A file that lost its end opens without complaint and fails at the first row that is gone. Its header says how long it was; a
/// write-ahead log may hold what is missing, so with one there is nothing to compare. Not for a file that is open here: it is closed.
fn check_length(path: &Path) -> Result<(), StoreError> {
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let mut header = [0_u8; 100];
    if holds_pending_changes(path) || file.read_exact(&mut header).is_err() {
        return Ok(());
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return Ok(());
    }
    let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    let (said, actual) = (pages * page_bytes, file.metadata().map_or(u64::MAX, |metadata| metadata.len()));
    if actual < said {
        return Err(StoreError::Corrupt {
            detail: format!("{FILE_NAME} has {actual} bytes where its header says {said}: its end is missing"),
        });
    }
    Ok(())
}

fn lock(directory: &Path) -> Result<WriterLock, StoreError> {
    let path = directory.join("lock");
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|e| not_writable(directory, &e))?;
    match try_lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let holder = match file.take(32).read_to_string(&mut holder) {
                Ok(_) if !holder.trim().is_empty() => format!(" (process {})", holder.trim()),
                _ => String::new(),
            };
            return Err(StoreError::Locked { path: directory.to_owned(), holder });
        }
        Err(TryLockError::Error(e)) => return Err(not_writable(directory, &e)),
    }
    // Only for the message to the next one; the lock itself is the operating system's.
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(|e| not_writable(directory, &e))?;
    Ok(WriterLock { _file: file })
}

/// Tries for a moment: a process that is just being started by this one holds all its locks too, until it runs.
fn try_lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::park_timeout(LOCK_WAIT),
            other => return other,
        }
    }
    file.try_lock()
}

fn prepare(connection: &Connection, cache_kib: i32) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Plans do not look at what is bound: otherwise a kept statement is planned anew each time it is taken out, which costs more than
    // most of them take to run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// What goes wrong does not name the directory yet: who asks for a connection adds it, once.
fn connect(path: &Path, access: Access) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = if access == Access::Immutable {
        let uri = format!("file:{}?immutable=1", percent_encoded(path));
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(path, flags)
    };
    let failed = |e| failed("opening the store", e);
    let connection = opened.map_err(failed)?;
    prepare(&connection, READER_CACHE_KIB).map_err(failed)?;
    Ok(connection)
}

/// The characters that mean something in SQLite's file URIs.
fn percent_encoded(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn schema_number(connection: &Connection) -> Result<u32, StoreError> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|e| failed("reading the schema", e))
}

/// What the store is for, if that was said.
pub(super) fn environment(connection: &Connection) -> Result<Option<ScopeId>, StoreError> {
    if schema_number(connection)? < LABELLED {
        return Ok(None);
    }
    let sql = "-- label
        SELECT environment FROM label WHERE id = 1";
    let label: Option<String> = connection
        .query_row(sql, [], |row| row.get(0))
        .optional()
        .map_err(|e| failed("reading the store's label", e))?;
    let unreadable = |e: ScopeIdError| StoreError::Corrupt { detail: format!("the store's label: {e}") };
    label.map(|label| ScopeId::new(label).map_err(unreadable)).transpose()
}

fn check_identity(connection: &Connection) -> Result<(), StoreError> {
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|e| failed("reading the schema", e))?;
    let id: i32 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(|e| failed("reading the schema", e))?;
    if tables > 0 && id != APPLICATION_ID {
        return Err(StoreError::Corrupt { detail: format!("{FILE_NAME} is a database of something else") });
    }
    Ok(())
}

fn check_schema(connection: &Connection) -> Result<(), StoreError> {
    check_identity(connection)?;
    match check_not_too_new(connection)? {
        // Whoever made the file ended before anything was in it: nothing was recorded, so nothing is lost.
        0 => Err(StoreError::Missing { path: PathBuf::new() }),
        _ => Ok(()),
    }
}

/// The schema's number, if this version knows it.
fn check_not_too_new(connection: &Connection) -> Result<u32, StoreError> {
    let found = schema_number(connection)?;
    let supported = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if found > supported {
        return Err(StoreError::TooNew { found, supported });
    }
    Ok(found)
}

fn migrate(connection: &Connection) -> Result<(), StoreError> {
    let found = check_not_too_new(connection)?;
    for (number, sql) in (1_u32..).zip(MIGRATIONS).skip(found as usize) {
        let script = format!(
            "BEGIN IMMEDIATE;\n{sql}\nPRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {number};\nCOMMIT;"
        );
        connection.execute_batch(&script).map_err(|e| failed("making the schema", e))?;
    }
    Ok(())
}

/// Reading connections, handed out one to a caller and taken back when dropped.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    access: Access,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, access: Access) -> Self {
        Self { path, access, idle: Mutex::new(Vec::new()) }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let directory = self.path.parent().unwrap_or(&self.path);
        connect(&self.path, self.access).map_err(|e| in_directory(e, directory))
    }

    pub(super) fn get(&self) -> Result<Reader<'_>, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        run(&connection, "BEGIN").map_err(|e| failed("beginning to read", e))?;
        Ok(Reader { connection: Some(connection), readers: self })
    }
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]))
}

/// A connection in a transaction: all that is read through it is of one moment, and SQLite's locks are taken once, not for each
/// statement.
pub(super) struct Reader<'a> {
    /// `None` only while being dropped.
    connection: Option<Connection>,
    readers: &'a Readers,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a reader holds its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        // One that can't end its transaction is of no further use.
        let ended = self.connection.take().filter(|connection| run(connection, "COMMIT").is_ok());
        let mut idle = self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_READERS_MAX {
            idle.extend(ended);
        }
    }
}

fn not_writable(directory: &Path, error: &std::io::Error) -> StoreError {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return StoreError::DiskFull;
    }
    StoreError::NotWritable { path: directory.to_owned(), reason: error.to_string() }
}

fn opening(directory: &Path, error: rusqlite::Error) -> StoreError {
    in_directory(failed("opening the store", error), directory)
}

/// Puts the directory into an error that was made without it.
fn in_directory(error: StoreError, directory: &Path) -> StoreError {
    match error {
        StoreError::NotWritable { reason, .. } => StoreError::NotWritable { path: directory.to_owned(), reason },
        StoreError::Missing { .. } => StoreError::Missing { path: directory.to_owned() },
        StoreError::Corrupt { detail } => StoreError::Corrupt { detail: format!("{}: {detail}", directory.display()) },
        other => other,
    }
}

/// Sorts SQLite's errors by what the caller can do.
pub(super) fn failed(doing: &'static str, error: rusqlite::Error) -> StoreError {
    let message = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt { detail: message },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::NotWritable { path: PathBuf::new(), reason: message }
        }
        _ => StoreError::Backend { doing, source: Box::new(error) },
    }
}
