//! The embedded store: one directory, one SQLite file, one writer thread, a pool of readers.
//!
//! In: `ChangeSet`s, applied by the writer in groups that share one durable commit. Out: rows, decoded. The lexical index and
//! the vectors live in the same file and the same transactions; what is kept in memory is a cache that can be made anew.

mod apply;
mod dense;
mod dump;
mod erase;
mod files;
mod lexical;
mod memories;
mod open;
mod past;
mod postings;
mod probation;
mod read;
mod row;
mod scan;
mod scrub;
mod secrets;
mod segments;
mod tail;
#[cfg(test)]
mod tests;
mod tombstones;
mod traits;
mod vectors;
mod wipe;
mod writer;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;

use self::dense::DenseCache;
use self::files::OpenDatabase;
use self::open::{Access, Readers};
use self::writer::{Job, Probe, Writer};
use super::{
    DenseQuery, EventPage, JournalCheck, JournalPage, Lexical, MemoryState, ModelId, Past, Progress, Scrubbed, Store,
    StoreError, StoreStatus, Traits, Unembedded,
};
use crate::env::Env;
use crate::types::change::{ChangeSet, Committed, EventVectors, PastKind, SessionState, Trace, Unfinished};
use crate::types::event::{Overturned, StoredEvent};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::memory::{Memory, MemoryFilter};
use crate::types::operation::JournalEntry;
use crate::types::probation::OnProbation;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// The file inside the store's directory.
pub const FILE_NAME: &str = "holdfast.db";

/// An embedded store in one directory.
#[derive(Debug)]
pub struct Sqlite {
    directory: PathBuf,
    readers: Readers,
    /// `None`: opened for reading only.
    writer: Option<Writer>,
    dense: DenseCache,
    lexical: lexical::Index,
    /// Last, so that it is let go when all connections are closed.
    _database: OpenDatabase,
}

impl Sqlite {
    /// Opens or creates the store for reading and writing. One process at a time may hold it so.
    pub fn open(directory: &Path, env: Arc<Env>) -> Result<Self, StoreError> {
        Self::open_for(directory, None, env)
    }

    /// As `open`; a store that was for no environment yet is for this one from now on.
    pub fn open_for(directory: &Path, environment: Option<&ScopeId>, env: Arc<Env>) -> Result<Self, StoreError> {
        Self::open_with(directory, environment, env, writer::no_probe(), |_| Ok(()))
    }

    /// As `open`, with a probe that is told of each step of a write, and a last word to the writer's connection.
    fn open_with(
        directory: &Path,
        environment: Option<&ScopeId>,
        env: Arc<Env>,
        probe: Probe,
        prepare: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<Self, StoreError> {
        let (database, lock, connection) = open::for_writing(directory, environment)?;
        prepare(&connection).map_err(|e| open::failed("opening the store", e))?;
        let writer = Writer::start(connection, lock, env, probe)?;
        Ok(Self::new(directory, database, Access::ReadWrite, Some(writer)))
    }

    /// Opens an existing store for reading, while another process may be writing it.
    pub fn open_read_only(directory: &Path) -> Result<Self, StoreError> {
        let (database, access) = open::for_reading(directory)?;
        Ok(Self::new(directory, database, access, None))
    }

    fn new(directory: &Path, database: OpenDatabase, access: Access, writer: Option<Writer>) -> Self {
        Self {
            directory: directory.to_owned(),
            readers: Readers::new(open::file_in(directory), access),
            writer,
            dense: DenseCache::default(),
            lexical: lexical::Index::default(),
            _database: database,
        }
    }

    fn write<T>(&self, job: impl FnOnce(writer::Reply<T>) -> Job) -> Result<T, StoreError> {
        self.writer.as_ref().ok_or(StoreError::ReadOnly)?.submit(job)
    }
}

impl Store for Sqlite {
    fn commit(&self, changes: ChangeSet) -> Result<Committed, StoreError> {
        self.write(|reply| Job::Commit(Box::new(changes), reply))
    }

    fn event(&self, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        read::event(&*self.readers.get()?, owner, id)
    }

    fn events_at(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        read::events_at(&*self.readers.get()?, owner, positions)
    }

    fn events(&self, owner: &Owner, page: &EventPage) -> Result<Vec<StoredEvent>, StoreError> {
        read::events(&*self.readers.get()?, owner, page)
    }

    fn event_by_key(&self, owner: &Owner, key: &str) -> Result<Option<(Seq, EventId)>, StoreError> {
        read::event_by_key(&*self.readers.get()?, owner, key)
    }

    fn body(&self, owner: &Owner, seq: Seq) -> Result<Option<String>, StoreError> {
        read::body(&*self.readers.get()?, owner, seq)
    }

    fn task(&self, owner: &Owner, id: &TaskId) -> Result<Option<Task>, StoreError> {
        read::task(&*self.readers.get()?, owner, id)
    }

    fn tasks(&self, owner: &Owner, limit: usize) -> Result<Vec<Task>, StoreError> {
        read::tasks(&*self.readers.get()?, owner, limit)
    }

    fn session(&self, owner: &Owner, session: &ScopeId) -> Result<Option<SessionState>, StoreError> {
        read::session(&*self.readers.get()?, owner, session)
    }

    fn update_version(&self, owner: &Owner, task: &TaskId, key: &str) -> Result<Option<u64>, StoreError> {
        read::update_version(&*self.readers.get()?, owner, task, key)
    }

    fn sealed_secret(&self, owner: &Owner, placeholder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        secrets::sealed(&*self.readers.get()?, owner, placeholder)
    }

    fn memory(&self, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        memories::memory(&*self.readers.get()?, owner, id)
    }

    fn memories(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        memories::memories(&*self.readers.get()?, owner, filter)
    }

    fn memory_state(&self, owner: &Owner) -> Result<MemoryState, StoreError> {
        memories::state(&*self.readers.get()?, owner)
    }

    fn probation(&self, owner: &Owner) -> Result<Vec<OnProbation>, StoreError> {
        probation::all(&*self.readers.get()?, owner)
    }

    fn lexical(&self, owner: &Owner, terms: &[String], filter: &Filter, limit: usize) -> Result<Lexical, StoreError> {
        lexical::search(&*self.readers.get()?, &self.lexical, owner, terms, filter, limit)
    }

    fn traits(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<Traits>, StoreError> {
        traits::traits(&*self.readers.get()?, owner, positions)
    }

    fn count_between(&self, owner: &Owner, since: Timestamp, until: Timestamp) -> Result<u64, StoreError> {
        traits::count_between(&*self.readers.get()?, owner, since, until)
    }

    fn dense(
        &self,
        owner: &Owner,
        query: &DenseQuery<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(Seq, f32)>, StoreError> {
        vectors::search(&*self.readers.get()?, &self.dense, owner, query, filter, limit)
    }

    fn cosines(&self, owner: &Owner, query: &DenseQuery<'_>, positions: &[Seq]) -> Result<Vec<(Seq, f32)>, StoreError> {
        vectors::cosines(&*self.readers.get()?, &self.dense, owner, query, positions)
    }

    fn active_model(&self) -> Result<Option<ModelId>, StoreError> {
        vectors::active_model(&*self.readers.get()?)
    }

    fn unembedded(&self, model: &ModelId, limit: usize) -> Result<Vec<Unembedded>, StoreError> {
        vectors::unembedded(&*self.readers.get()?, model, limit)
    }

    fn embedded(&self, model: &ModelId) -> Result<Progress, StoreError> {
        vectors::embedded(&*self.readers.get()?, model)
    }

    fn put_vectors(&self, model: &ModelId, vectors: Vec<EventVectors>) -> Result<(), StoreError> {
        self.write(|reply| Job::PutVectors(model.clone(), vectors, reply))
    }

    fn activate_model(&self, model: &ModelId) -> Result<(), StoreError> {
        self.write(|reply| Job::ActivateModel(model.clone(), reply))?;
        self.dense.clear();
        Ok(())
    }

    fn has_erased(&self) -> Result<bool, StoreError> {
        tombstones::is_any(&*self.readers.get()?)
    }

    fn erased(&self, owner: &Owner, traces: &[Trace]) -> Result<Vec<bool>, StoreError> {
        tombstones::known(&*self.readers.get()?, owner, traces)
    }

    fn commitment(&self, owner: &Owner) -> Result<Option<String>, StoreError> {
        tombstones::commitment(&*self.readers.get()?, owner)
    }

    fn marks(&self, owner: &Owner) -> Result<Vec<(EventId, Overturned)>, StoreError> {
        read::marks(&*self.readers.get()?, owner)
    }

    fn unfinished_erasures(&self) -> Result<Vec<(Owner, Unfinished)>, StoreError> {
        erase::unfinished(&*self.readers.get()?)
    }

    fn remains(&self, owner: &Owner, events: &[Seq]) -> Result<Vec<Vec<u8>>, StoreError> {
        let reader = self.readers.get()?;
        match row::owner_number(&reader, owner)? {
            Some(number) => erase::remains(&reader, number, events),
            None => Ok(Vec::new()),
        }
    }

    fn scrub(&self, remains: &[Vec<u8>]) -> Result<Scrubbed, StoreError> {
        // What the log has goes into the file, and the gaps of all pages are overwritten, a part at a time; then those of the pages that others
        // have written meanwhile.
        self.write(|reply| Job::Wipe(None, reply))?;
        let pages = wipe::pages(&self.directory)?;
        for first in (1..=pages).step_by(wipe::PAGES_AT_ONCE as usize) {
            let part = first..first.saturating_add(wipe::PAGES_AT_ONCE);
            self.write(|reply| Job::Wipe(Some(part), reply))?;
        }
        self.write(|reply| Job::Wipe(None, reply))?;
        scrub::scan(&self.directory, remains, |see| erase::each_kept(&*self.readers.get()?, see))
    }

    fn journal(&self, owner: &Owner, page: &JournalPage) -> Result<Vec<JournalEntry>, StoreError> {
        read::journal(&*self.readers.get()?, owner, page)
    }

    fn pruned(&self, owner: &Owner, page: &JournalPage) -> Result<Option<Timestamp>, StoreError> {
        read::pruned(&*self.readers.get()?, owner, page)
    }

    fn past_of_change(&self, owner: &Owner, change: i64) -> Result<Vec<Past>, StoreError> {
        past::of_change(&*self.readers.get()?, owner, change)
    }

    fn past_of_document(&self, owner: &Owner, kind: PastKind, key: &str, from: i64) -> Result<Vec<Past>, StoreError> {
        past::of_document(&*self.readers.get()?, owner, kind, key, from)
    }

    fn past(&self, owner: &Owner, after: i64, limit: usize) -> Result<Vec<Past>, StoreError> {
        past::page(&*self.readers.get()?, owner, after, limit)
    }

    fn verify_journal(&self, owner: &Owner) -> Result<JournalCheck, StoreError> {
        dump::verify_journal(&*self.readers.get()?, owner)
    }

    fn environment(&self) -> Result<Option<ScopeId>, StoreError> {
        open::environment(&*self.readers.get()?)
    }

    fn file_faults(&self) -> Result<Vec<String>, StoreError> {
        dump::file_faults(&*self.readers.get()?)
    }

    fn owners(&self) -> Result<Vec<Owner>, StoreError> {
        read::owners(&*self.readers.get()?)
    }

    fn status(&self) -> Result<StoreStatus, StoreError> {
        read::status(&*self.readers.get()?, &self.directory, self.writer.is_some())
    }

    fn dump(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        dump::dump(&*self.readers.get()?, out)
    }
}
