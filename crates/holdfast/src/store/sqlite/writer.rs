//! The one writer: a thread that takes jobs, applies as many as are waiting in one transaction, and answers once it is durable.
//!
//! Two invariants: (1) a job is answered `Ok` only after the commit that holds it; (2) a job that fails leaves nothing, because
//! each runs in a savepoint of its own, and the others of its group go through.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};

use super::apply;
use super::open::{WriterLock, failed};
use super::traits::TraitsRow;
use super::{segments, traits, vectors, wipe};
use crate::env::Env;
use crate::store::{ModelId, StoreError};
use crate::types::change::{ChangeSet, Committed, EventVectors};

/// Jobs that share one commit at most: the gain of sharing is nearly all had by then, and the wait of the first stays short.
const GROUP_JOBS_MAX: usize = 256;

/// Jobs that may wait; more make the caller wait, so that a burst can't fill the memory.
const QUEUE_JOBS_MAX: usize = 1024;

pub(super) type Reply<T> = Sender<Result<T, StoreError>>;

pub(super) enum Job {
    Commit(Box<ChangeSet>, Reply<Committed>),
    /// Overwrites what SQLite left on these pages; `None`: on those of the write-ahead log, which is moved into the file and emptied first.
    Wipe(Option<Range<u32>>, Reply<()>),
    PutVectors(ModelId, Vec<EventVectors>, Reply<()>),
    ActivateModel(ModelId, Reply<()>),
}

/// The places in a write where a test may stop the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    Begun,
    Erased,
    EventWritten,
    TaskWritten,
    JournalWritten,
    BodyMoved,
    MemoryWritten,
    JobApplied,
    IndexWritten,
    Committed,
}

pub(super) type Probe = Arc<dyn Fn(Point) + Send + Sync>;

pub(super) fn no_probe() -> Probe {
    Arc::new(|_| {})
}

#[derive(Debug)]
pub(super) struct Writer {
    /// `None` only while being dropped: closing it ends the thread.
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        lock: WriterLock,
        env: Arc<Env>,
        probe: Probe,
    ) -> Result<Self, StoreError> {
        let (jobs, queue) = sync_channel(QUEUE_JOBS_MAX);
        let thread = std::thread::Builder::new()
            .name("holdfast-writer".to_owned())
            .spawn(move || {
                write_all(connection, &queue, &env, &probe);
                drop(lock);
            })
            .map_err(|e| StoreError::Backend { doing: "starting the writer", source: Box::new(e) })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Hands in a job and waits until it is durable.
    pub(super) fn submit<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, StoreError> {
        let (reply, answer) = channel();
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(job(reply)).map_err(|_| StoreError::Closed)?;
        answer.recv().map_err(|_| StoreError::Closed)?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It only fails if the thread panicked, which its callers have already been told as `Closed`.
            let _ = thread.join();
        }
    }
}

/// Answers that wait for the commit.
type Waiting = Vec<Box<dyn FnOnce(Result<(), StoreError>) + Send>>;

fn write_all(mut connection: Connection, queue: &Receiver<Job>, env: &Env, probe: &Probe) {
    while let Ok(first) = queue.recv() {
        let mut group = vec![first];
        while group.len() < GROUP_JOBS_MAX {
            match queue.try_recv() {
                Ok(job) => group.push(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        // A panic here is a bug. It takes the group with it, whose callers are told `Closed`, but not the store: unwinding rolled
        // the transaction back.
        let caught = catch_unwind(AssertUnwindSafe(|| write_group(&mut connection, group, env, probe)));
        if caught.is_err() {
            tracing::error!("the writer panicked; the changes in hand were not written");
        }
    }
}

fn write_group(connection: &mut Connection, group: Vec<Job>, env: &Env, probe: &Probe) {
    // They run outside any transaction, after what was handed in before them.
    let (wipes, group): (Vec<Job>, Vec<Job>) = group.into_iter().partition(|job| matches!(job, Job::Wipe(..)));
    let mut waiting: Waiting = Vec::with_capacity(group.len());
    let written = if group.is_empty() { Ok(()) } else { try_group(connection, group, env, probe, &mut waiting) };
    if let Err(error) = &written {
        tracing::error!(%error, "a group of {} changes was not written", waiting.len());
    }
    for answer in waiting {
        answer(written.as_ref().map_err(StoreError::again).copied());
    }
    for job in wipes {
        if let Job::Wipe(pages, reply) = job {
            drop(reply.send(wipe_pages(connection, pages)));
        }
    }
}

fn wipe_pages(connection: &Connection, pages: Option<Range<u32>>) -> Result<(), StoreError> {
    let path = connection.path().unwrap_or_default();
    let directory = Path::new(path).parent().unwrap_or(Path::new("."));
    match pages {
        Some(pages) => wipe::wipe(directory, pages),
        None => {
            let pages = wipe::pages_of_log(directory)?;
            checkpoint(connection)?;
            // Copies of pages that are kept would bring the old gaps back with the next change.
            connection.execute_batch("PRAGMA shrink_memory").map_err(|e| failed("forgetting pages", e))?;
            wipe::wipe(directory, pages.into_iter())
        }
    }
}

/// Moves all of the write-ahead log into the file and cuts it to nothing, once nobody reads from it.
fn checkpoint(connection: &Connection) -> Result<(), StoreError> {
    let doing = "emptying the write-ahead log";
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |r| r.get(0)).map_err(|e| failed(doing, e))?;
    if busy {
        let source = "another process is reading the store: try again once it is done".into();
        return Err(StoreError::Backend { doing, source });
    }
    Ok(())
}

fn try_group(
    connection: &mut Connection,
    group: Vec<Job>,
    env: &Env,
    probe: &Probe,
    waiting: &mut Waiting,
) -> Result<(), StoreError> {
    let mut transaction = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(transaction) => transaction,
        Err(e) => {
            let error = failed("beginning a transaction", e);
            group.into_iter().for_each(|job| refuse(job, &error));
            return Ok(());
        }
    };
    probe(Point::Begun);
    let mut added = Vec::new();
    let mut group = group.into_iter();
    while let Some(job) = group.next() {
        let failure = match job {
            Job::Commit(changes, reply) => {
                // An event of this very group may be archived, hidden or erased: its traits must be there for it.
                let touched = &changes.erased.events;
                if !(changes.archived.is_empty()
                    && changes.restored.is_empty()
                    && touched.is_empty()
                    && changes.hidden.is_empty())
                    && let Err(error) = index(&transaction, std::mem::take(&mut added))
                {
                    drop(reply.send(Err(error.again())));
                    group.for_each(|job| refuse(job, &error));
                    return Err(error);
                }
                let applied = in_savepoint(&mut transaction, |t| apply::apply(t, &changes, env, probe));
                let applied = applied.map(|(committed, mut rows)| {
                    added.append(&mut rows);
                    committed
                });
                answer_later(waiting, reply, applied)
            }
            Job::PutVectors(model, events, reply) => {
                let put = in_savepoint(&mut transaction, |t| vectors::put(t, &model, &events));
                answer_later(waiting, reply, put)
            }
            // Taken out of the group before.
            Job::Wipe(_, reply) => {
                drop(reply.send(Err(StoreError::Closed)));
                None
            }
            Job::ActivateModel(model, reply) => {
                let activated = in_savepoint(&mut transaction, |t| vectors::activate(t, &model));
                answer_later(waiting, reply, activated)
            }
        };
        // SQLite answers a full disk and some other failures by rolling back the whole transaction, not only the savepoint: what
        // the group's earlier jobs wrote is gone, and another savepoint would commit on its own.
        if transaction.is_autocommit() {
            let error = failure.unwrap_or(StoreError::Closed);
            group.for_each(|job| refuse(job, &error));
            return Err(error);
        }
        probe(Point::JobApplied);
    }
    index(&transaction, added)?;
    probe(Point::IndexWritten);
    transaction.commit().map_err(|e| failed("committing", e))?;
    probe(Point::Committed);
    Ok(())
}

/// What ranking and search look at of the events added: their traits, and the segments of the lexical index that are full with them.
fn index(connection: &Connection, added: Vec<TraitsRow>) -> Result<(), StoreError> {
    let owners = traits::write(connection, added)?;
    owners.into_iter().try_for_each(|owner| segments::write_due(connection, owner))
}

fn in_savepoint<T>(
    transaction: &mut rusqlite::Transaction<'_>,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let savepoint = transaction.savepoint().map_err(|e| failed("beginning a change", e))?;
    // Dropped without `commit`, a savepoint rolls back.
    let value = work(&savepoint)?;
    savepoint.commit().map_err(|e| failed("finishing a change", e))?;
    Ok(value)
}

/// Answers a failure now and gives a copy of it back; a success waits for the commit.
fn answer_later<T: Send + 'static>(
    waiting: &mut Waiting,
    reply: Reply<T>,
    applied: Result<T, StoreError>,
) -> Option<StoreError> {
    match applied {
        // A caller that no longer listens has nothing to be told.
        Err(error) => {
            let copy = error.again();
            drop(reply.send(Err(error)));
            Some(copy)
        }
        Ok(value) => {
            waiting.push(Box::new(move |written| drop(reply.send(written.map(|()| value)))));
            None
        }
    }
}

fn refuse(job: Job, error: &StoreError) {
    match job {
        Job::Commit(_, reply) => drop(reply.send(Err(error.again()))),
        Job::Wipe(_, reply) | Job::PutVectors(_, _, reply) | Job::ActivateModel(_, reply) => {
            drop(reply.send(Err(error.again())))
        }
    }
}
