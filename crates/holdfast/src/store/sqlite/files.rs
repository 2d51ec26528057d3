//! Databases that are open in this process, and their files as plain bytes.
//!
//! Whoever closes a file drops all POSIX locks that its process has on it, and SQLite's are among them (sqlite.org/howtocorrupt.html, 2.2):
//! another process could then take the write-ahead log away from under this one. So a database is opened beside SQLite only while nobody
//! here has it open, or stays open until nobody has.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::FILE_NAME;
use crate::store::StoreError;

pub(super) const FAILED: fn(std::io::Error) -> StoreError =
    |error| StoreError::Backend { doing: "looking for what is left", source: Box::new(error) };

static OPEN: Mutex<BTreeMap<PathBuf, Opened>> = Mutex::new(BTreeMap::new());

#[derive(Default)]
struct Opened {
    holders: usize,
    /// The file, once it was asked for. Others that had its name before are not closed either.
    files: Vec<Arc<Mutex<File>>>,
}

/// Held for as long as there are connections to the database: it is dropped after them.
#[derive(Debug)]
pub(super) struct OpenDatabase {
    path: PathBuf,
}

impl OpenDatabase {
    /// `look` may open the file and close it: it is called only if nobody here has it open.
    pub(super) fn hold(
        directory: &Path,
        look: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let path = name(directory).map_err(FAILED)?;
        let mut open = open();
        if !open.contains_key(&path) {
            look(&path)?;
        }
        open.entry(path.clone()).or_default().holders += 1;
        Ok(Self { path })
    }
}

impl Drop for OpenDatabase {
    fn drop(&mut self) {
        let mut open = open();
        if let Some(opened) = open.get_mut(&self.path) {
            opened.holders -= 1;
            if opened.holders == 0 {
                open.remove(&self.path);
            }
        }
    }
}

/// Does something with the file of a database that is open here, from its beginning.
pub(super) fn with_database<T>(
    directory: &Path,
    work: impl FnOnce(&mut File) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let path = name(directory).map_err(FAILED)?;
    let file = {
        let mut open = open();
        let files = &mut open.entry(path.clone()).or_default().files;
        match files.iter().find(|file| is_still(file, &path)) {
            Some(file) => Arc::clone(file),
            None => {
                let file = OpenOptions::new().read(true).write(true).open(&path).map_err(FAILED)?;
                let file = Arc::new(Mutex::new(file));
                files.push(Arc::clone(&file));
                file
            }
        }
    };
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(0)).map_err(FAILED)?;
    work(&mut file)
}

fn open() -> MutexGuard<'static, BTreeMap<PathBuf, Opened>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One name for one database, whichever way leads to it. The file itself need not be there yet.
fn name(directory: &Path) -> std::io::Result<PathBuf> {
    let path = std::fs::canonicalize(directory)?.join(FILE_NAME);
    Ok(std::fs::canonicalize(&path).unwrap_or(path))
}

/// Whether a file that is open is the one that has this name now.
fn is_still(file: &Arc<Mutex<File>>, path: &Path) -> bool {
    let file = file.lock().unwrap_or_else(PoisonError::into_inner);
    let (Ok(open), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    is_same(&open, &named)
}

#[cfg(unix)]
fn is_same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    a.created().ok() == b.created().ok()
}
