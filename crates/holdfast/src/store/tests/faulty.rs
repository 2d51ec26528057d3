//! A store that fails by plan: refuses before, loses the reply after, or answers late. What is above it must cope.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

use super::samples::Random;
use crate::store::{
    DenseQuery, EventPage, JournalCheck, JournalPage, Lexical, MemoryState, ModelId, Past, Progress, Scrubbed, Store,
    StoreError, StoreStatus, Traits, Unembedded,
};
use crate::types::change::{ChangeSet, Committed, EventVectors, PastKind, SessionState, Trace, Unfinished};
use crate::types::event::{Overturned, StoredEvent};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::memory::{Memory, MemoryFilter};
use crate::types::operation::JournalEntry;
use crate::types::probation::OnProbation;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails and nothing is done.
    Refused,
    /// The disk is full and nothing is done.
    DiskFull,
    /// It is done, and its caller is told that it failed: the reply was lost.
    ReplyLost,
    /// Other threads go first.
    Late,
    /// It is done, and the process goes no further: its parent hears of it, and kills it.
    Stopped,
}

/// Wraps a store; the nth call meets the fault planned for it.
#[derive(Debug)]
pub(crate) struct Faulty<S> {
    inner: S,
    plan: BTreeMap<u64, Fault>,
    calls: AtomicU64,
}

impl<S: Store> Faulty<S> {
    pub(crate) fn new(inner: S, plan: BTreeMap<u64, Fault>) -> Self {
        Self { inner, plan, calls: AtomicU64::new(0) }
    }

    /// A plan in which about this share of the first calls goes wrong, the same for the same seed.
    pub(crate) fn seeded(inner: S, seed: u64, share: f64) -> Self {
        const CALLS: u64 = 10_000;
        let mut random = Random::new(seed);
        let faults = [Fault::Refused, Fault::DiskFull, Fault::ReplyLost, Fault::Late];
        let plan = (0..CALLS).filter(|_| random.chance(share)).collect::<Vec<_>>();
        let plan = plan.into_iter().map(|call| (call, *random.one_of(&faults))).collect();
        Self::new(inner, plan)
    }

    /// How many calls there were.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) fn inner(&self) -> &S {
        &self.inner
    }

    fn call<T>(&self, call: impl FnOnce(&S) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let lost = |what: &'static str| StoreError::Backend { doing: "talking to the store", source: what.into() };
        match self.plan.get(&self.calls.fetch_add(1, Ordering::Relaxed)) {
            None => call(&self.inner),
            Some(Fault::Stopped) => {
                let _done = call(&self.inner);
                // At once, and not through the test harness, which may hold it back.
                let mut out = std::io::stdout().lock();
                writeln!(out, "\n@stopped").and_then(|()| out.flush()).expect("a parent that listens");
                loop {
                    std::thread::park();
                }
            }
            Some(Fault::Refused) => Err(lost("the connection was refused")),
            Some(Fault::DiskFull) => Err(StoreError::DiskFull),
            Some(Fault::ReplyLost) => {
                call(&self.inner)?;
                Err(lost("the connection was lost"))
            }
            Some(Fault::Late) => {
                (0..100).for_each(|_| std::thread::yield_now());
                call(&self.inner)
            }
        }
    }
}

impl<S: Store> Store for Faulty<S> {
    fn commit(&self, changes: ChangeSet) -> Result<Committed, StoreError> {
        self.call(|store| store.commit(changes))
    }

    fn event(&self, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        self.call(|store| store.event(owner, id))
    }

    fn events_at(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        self.call(|store| store.events_at(owner, positions))
    }

    fn events(&self, owner: &Owner, page: &EventPage) -> Result<Vec<StoredEvent>, StoreError> {
        self.call(|store| store.events(owner, page))
    }

    fn event_by_key(&self, owner: &Owner, key: &str) -> Result<Option<(Seq, EventId)>, StoreError> {
        self.call(|store| store.event_by_key(owner, key))
    }

    fn body(&self, owner: &Owner, seq: Seq) -> Result<Option<String>, StoreError> {
        self.call(|store| store.body(owner, seq))
    }

    fn task(&self, owner: &Owner, id: &TaskId) -> Result<Option<Task>, StoreError> {
        self.call(|store| store.task(owner, id))
    }

    fn tasks(&self, owner: &Owner, limit: usize) -> Result<Vec<Task>, StoreError> {
        self.call(|store| store.tasks(owner, limit))
    }

    fn session(&self, owner: &Owner, session: &ScopeId) -> Result<Option<SessionState>, StoreError> {
        self.call(|store| store.session(owner, session))
    }

    fn update_version(&self, owner: &Owner, task: &TaskId, key: &str) -> Result<Option<u64>, StoreError> {
        self.call(|store| store.update_version(owner, task, key))
    }

    fn sealed_secret(&self, owner: &Owner, placeholder: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.call(|store| store.sealed_secret(owner, placeholder))
    }

    fn memory(&self, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        self.call(|store| store.memory(owner, id))
    }

    fn memories(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Memory>, StoreError> {
        self.call(|store| store.memories(owner, filter))
    }

    fn memory_state(&self, owner: &Owner) -> Result<MemoryState, StoreError> {
        self.call(|store| store.memory_state(owner))
    }

    fn probation(&self, owner: &Owner) -> Result<Vec<OnProbation>, StoreError> {
        self.call(|store| store.probation(owner))
    }

    fn lexical(&self, owner: &Owner, terms: &[String], filter: &Filter, limit: usize) -> Result<Lexical, StoreError> {
        self.call(|store| store.lexical(owner, terms, filter, limit))
    }

    fn traits(&self, owner: &Owner, positions: &[Seq]) -> Result<Vec<Traits>, StoreError> {
        self.call(|store| store.traits(owner, positions))
    }

    fn count_between(&self, owner: &Owner, since: Timestamp, until: Timestamp) -> Result<u64, StoreError> {
        self.call(|store| store.count_between(owner, since, until))
    }

    fn dense(
        &self,
        owner: &Owner,
        query: &DenseQuery<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(Seq, f32)>, StoreError> {
        self.call(|store| store.dense(owner, query, filter, limit))
    }

    fn cosines(&self, owner: &Owner, query: &DenseQuery<'_>, positions: &[Seq]) -> Result<Vec<(Seq, f32)>, StoreError> {
        self.call(|store| store.cosines(owner, query, positions))
    }

    fn active_model(&self) -> Result<Option<ModelId>, StoreError> {
        self.call(Store::active_model)
    }

    fn unembedded(&self, model: &ModelId, limit: usize) -> Result<Vec<Unembedded>, StoreError> {
        self.call(|store| store.unembedded(model, limit))
    }

    fn embedded(&self, model: &ModelId) -> Result<Progress, StoreError> {
        self.call(|store| store.embedded(model))
    }

    fn put_vectors(&self, model: &ModelId, vectors: Vec<EventVectors>) -> Result<(), StoreError> {
        self.call(|store| store.put_vectors(model, vectors))
    }

    fn activate_model(&self, model: &ModelId) -> Result<(), StoreError> {
        self.call(|store| store.activate_model(model))
    }

    fn has_erased(&self) -> Result<bool, StoreError> {
        self.call(Store::has_erased)
    }

    fn erased(&self, owner: &Owner, traces: &[Trace]) -> Result<Vec<bool>, StoreError> {
        self.call(|store| store.erased(owner, traces))
    }

    fn commitment(&self, owner: &Owner) -> Result<Option<String>, StoreError> {
        self.call(|store| store.commitment(owner))
    }

    fn marks(&self, owner: &Owner) -> Result<Vec<(EventId, Overturned)>, StoreError> {
        self.call(|store| store.marks(owner))
    }

    fn unfinished_erasures(&self) -> Result<Vec<(Owner, Unfinished)>, StoreError> {
        self.call(Store::unfinished_erasures)
    }

    fn remains(&self, owner: &Owner, events: &[Seq]) -> Result<Vec<Vec<u8>>, StoreError> {
        self.call(|store| store.remains(owner, events))
    }

    fn scrub(&self, remains: &[Vec<u8>]) -> Result<Scrubbed, StoreError> {
        self.call(|store| store.scrub(remains))
    }

    fn journal(&self, owner: &Owner, page: &JournalPage) -> Result<Vec<JournalEntry>, StoreError> {
        self.call(|store| store.journal(owner, page))
    }

    fn pruned(&self, owner: &Owner, page: &JournalPage) -> Result<Option<Timestamp>, StoreError> {
        self.call(|store| store.pruned(owner, page))
    }

    fn past_of_change(&self, owner: &Owner, change: i64) -> Result<Vec<Past>, StoreError> {
        self.call(|store| store.past_of_change(owner, change))
    }

    fn past_of_document(&self, owner: &Owner, kind: PastKind, key: &str, from: i64) -> Result<Vec<Past>, StoreError> {
        self.call(|store| store.past_of_document(owner, kind, key, from))
    }

    fn past(&self, owner: &Owner, after: i64, limit: usize) -> Result<Vec<Past>, StoreError> {
        self.call(|store| store.past(owner, after, limit))
    }

    fn verify_journal(&self, owner: &Owner) -> Result<JournalCheck, StoreError> {
        self.call(|store| store.verify_journal(owner))
    }

    fn environment(&self) -> Result<Option<ScopeId>, StoreError> {
        self.call(Store::environment)
    }

    fn file_faults(&self) -> Result<Vec<String>, StoreError> {
        self.call(Store::file_faults)
    }

    fn owners(&self) -> Result<Vec<Owner>, StoreError> {
        self.call(Store::owners)
    }

    fn status(&self) -> Result<StoreStatus, StoreError> {
        self.call(Store::status)
    }

    fn dump(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        self.call(|store| store.dump(out))
    }
}
