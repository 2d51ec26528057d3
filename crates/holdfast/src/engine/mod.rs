//! The facade, and the only sequencer: rooms compute, the engine asks the clock, reads, and commits.
//!
//! ```no_run
//! use holdfast::engine::{Config, Engine};
//! use holdfast::types::event::{Kind, RawEvent, Source};
//! use holdfast::types::query::Query;
//! use holdfast::types::scope::Scope;
//!
//! # fn main() -> Result<(), holdfast::engine::Error> {
//! let engine = Engine::open(Config::at("memory"))?;
//! let scope = Scope::default();
//! engine.observe(RawEvent::new(scope.clone(), Source::User, Kind::Query, "以后周报都先写结论，再列数据"))?;
//! let block = engine.context(&Query::new(scope, "接着把周报弄完", engine.now()), &Default::default())?;
//! println!("{}", block.text);
//! # Ok(())
//! # }
//! ```

mod archive;
mod asking;
mod attention;
mod embedder;
mod error;
mod exchange;
mod forget;
mod induce;
mod learn;
mod learner;
mod manage;
mod manager;
mod memory;
mod observe;
mod overturn;
mod pages;
mod parts;
mod prune;
mod questions;
mod read;
mod report;
mod reveal;
mod step;
mod undo;
mod update;
mod waiting;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::ZonedDateTime;

pub use self::archive::{ARCHIVE_AFTER_DAYS, Archived};
use self::attention::Attention;
use self::embedder::Embedding;
pub use self::embedder::EmbeddingStatus;
pub use self::error::Error;
pub use self::exchange::{EXPORT_VERSION, ExportLine, Exported, Imported, Vouched};
pub use self::induce::{Induced, UTTERANCES_MAX};
pub use self::learn::Lesson;
use self::learner::Learner;
pub use self::manage::{Fate, ManageOptions, Managed, ManagedEvent};
use self::manager::Manager;
use self::memory::KnownCache;
pub use self::memory::{MemoryHistory, NewMemory};
pub use self::observe::{BATCH_EVENTS_MAX, Observed};
pub use self::prune::Pruned;
use self::questions::Questions;
pub use self::read::Embedded;
pub use self::report::History;
pub use self::step::EngineSteps;
pub use self::update::Updated;
use crate::embedding::Choice;
use crate::env::Env;
pub use crate::learn::Effect;
use crate::llm::Llm;
use crate::manager::Policy;
use crate::redact::Rules;
use crate::signals::Lexicon;
use crate::store::sqlite::Sqlite;
use crate::store::{EventPage, JournalCheck, JournalPage, Progress, Store, StoreError, StoreStatus};
use crate::types::event::StoredEvent;
use crate::types::ids::{EventId, OperationId, RunId};
use crate::types::operation::{JournalEntry, Operation, Target, Verb};
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::task::Task;

/// Threads that read a batch at most: what follows is done by one, and soon takes longer.
const READING_THREADS_MAX: usize = 4;

/// How an engine is opened.
#[derive(Debug)]
pub struct Config {
    pub directory: PathBuf,
    /// What the store is for (prod, test …): one that is for another is not opened, and one that is for none yet is for this one once it is
    /// opened for writing. `None`: whatever it is for.
    pub environment: Option<ScopeId>,
    /// Only read: another process may be writing the store.
    pub read_only: bool,
    pub embedding: Choice,
    pub redaction: Rules,
    /// `None`: the word lists that come along.
    pub lexicon: Option<Lexicon>,
    /// A language model to learn with in the background, as what is said gives occasion, and to shorten texts with when the manager does.
    /// `None`: rules alone, and whatever model is given to `Engine::induce` and `Engine::manage_with`.
    pub llm: Option<Arc<dyn Llm>>,
    /// The journal's own retention (SPEC 7.1): the text of lines older than so many days is dropped when the store is opened, and by the manager in
    /// the background. `None`: it is kept.
    pub journal_days: Option<u32>,
    /// Lets go in the background by this policy, as its triggers give occasion. `None`: only when `Engine::manage` is called.
    pub manager: Option<Policy>,
    pub env: Arc<Env>,
}

impl Config {
    /// A store at this directory with everything else as it comes; the built-in model is looked for where it usually is.
    pub fn at(directory: impl AsRef<Path>) -> Self {
        Self {
            directory: directory.as_ref().to_owned(),
            environment: None,
            read_only: false,
            embedding: Choice::Builtin { candidates: builtin_model_paths() },
            redaction: Rules::default(),
            lexicon: None,
            llm: None,
            journal_days: None,
            manager: None,
            env: Arc::new(Env::system()),
        }
    }
}

/// Where the built-in model's file may be: `HOLDFAST_MODEL`, beside the program, or in the source tree it was built from.
pub fn builtin_model_paths() -> Vec<PathBuf> {
    const FILE: &str = "e5-small-zh-en.bin";
    if let Some(path) = std::env::var_os("HOLDFAST_MODEL") {
        return vec![PathBuf::from(path)];
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let mut paths: Vec<PathBuf> = Vec::new();
    paths.extend(beside.map(|folder| folder.join(FILE)));
    paths.extend(beside.map(|folder| folder.join("models").join(FILE)));
    paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(FILE));
    paths
}

/// A memory engine over one store. Share it: every method takes `&self`.
#[derive(Debug)]
pub struct Engine {
    store: Arc<dyn Store>,
    env: Arc<Env>,
    redaction: Rules,
    lexicon: Arc<Lexicon>,
    attention: Arc<Attention>,
    known: KnownCache,
    embedding: Embedding,
    questions: Questions,
    read_only: bool,
    /// The threads that read the events of a batch, once there was one.
    readers: OnceLock<Option<rayon::ThreadPool>>,
    /// Writes shorter texts for the manager, if there is one.
    llm: Option<Arc<dyn Llm>>,
    /// Asks a language model in the background, if there is one.
    learner: Option<Learner>,
    /// Lets go in the background, if there is a policy to do so by.
    manager: Option<Manager>,
    journal_days: Option<u32>,
    /// Everything this engine does belongs to one run.
    run: RunId,
}

impl Engine {
    pub fn open(config: Config) -> Result<Self, Error> {
        let store: Arc<dyn Store> = if config.read_only {
            Arc::new(Sqlite::open_read_only(&config.directory)?)
        } else {
            Arc::new(Sqlite::open_for(&config.directory, config.environment.as_ref(), Arc::clone(&config.env))?)
        };
        if let (Some(asked), Some(is)) = (&config.environment, store.environment()?)
            && *asked != is
        {
            return Err(StoreError::OtherEnvironment { asked: asked.clone(), is }.into());
        }
        Self::over(store, config)
    }

    /// An engine over a store that is already open.
    pub fn over(store: Arc<dyn Store>, config: Config) -> Result<Self, Error> {
        let embedding = Embedding::start(&config.embedding, Arc::clone(&store), config.read_only)?;
        let run = RunId(config.env.id());
        let lexicon = config.lexicon.unwrap_or_else(|| Lexicon::builtin().clone());
        let mut engine = Self {
            store,
            env: config.env,
            redaction: config.redaction,
            lexicon: Arc::new(lexicon),
            attention: Arc::default(),
            known: KnownCache::default(),
            embedding,
            questions: Questions::default(),
            read_only: config.read_only,
            readers: OnceLock::new(),
            llm: config.llm.filter(|_| !config.read_only),
            learner: None,
            manager: None,
            journal_days: config.journal_days,
            run,
        };
        if !engine.read_only {
            engine.finish_erasures()?;
            engine.keep_journal_for(engine.journal_days)?;
        }
        if let Some(llm) = engine.llm.clone() {
            engine.learner = Some(Learner::start(engine.handle(), llm)?);
        }
        if let Some(policy) = config.manager.filter(|_| !engine.read_only) {
            engine.manager = Some(Manager::start(engine.handle(), policy, engine.llm.clone())?);
        }
        Ok(engine)
    }

    /// Another handle on the same store and the same owners' locks, for a thread of the engine's own: it embeds nothing.
    fn handle(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            env: Arc::clone(&self.env),
            redaction: self.redaction.clone(),
            lexicon: Arc::clone(&self.lexicon),
            attention: Arc::clone(&self.attention),
            known: KnownCache::default(),
            embedding: Embedding::none(Arc::clone(&self.store)),
            questions: Questions::default(),
            read_only: self.read_only,
            readers: OnceLock::new(),
            llm: self.llm.clone(),
            learner: None,
            manager: None,
            journal_days: self.journal_days,
            run: self.run,
        }
    }

    /// Threads to read a batch with. They stay: of those that are started for a batch, half were measured to run after their starter
    /// and not beside it (Linux 6.1, 2 cores). `None`: there is one core, or no thread is to be had.
    fn readers(&self) -> Option<&rayon::ThreadPool> {
        let start = || {
            let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(READING_THREADS_MAX));
            let named = |number| format!("holdfast-reader-{number}");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build();
            pool.ok().filter(|_| threads > 1)
        };
        self.readers.get_or_init(start).as_ref()
    }

    /// Waits until the manager has gone through what it was due for, a language model that learns in the background has been asked about what it was due for, which takes as long as the model
    /// does, and everything recorded so far has its vectors. `tell` hears how far the vectors are.
    pub fn settle(&self, tell: impl FnMut(Progress)) -> Result<(), Error> {
        if let Some(learner) = &self.learner {
            learner.settle();
        }
        if let Some(manager) = &self.manager {
            manager.settle();
        }
        self.embedding.settle(tell)
    }

    /// The environment's time, in its zone.
    pub fn now(&self) -> ZonedDateTime {
        self.env.now().to_zoned_datetime(self.env.zone().clone())
    }

    /// The run that everything done through this engine is journaled under.
    pub fn run(&self) -> RunId {
        self.run
    }

    pub fn status(&self) -> Result<StoreStatus, Error> {
        Ok(self.store.status()?)
    }

    pub fn owners(&self) -> Result<Vec<Owner>, Error> {
        Ok(self.store.owners()?)
    }

    pub fn event(&self, owner: &Owner, id: EventId) -> Result<Option<StoredEvent>, Error> {
        Ok(self.store.event(owner, id)?)
    }

    /// A page of the log, in its order.
    pub fn event_page(&self, owner: &Owner, page: &EventPage) -> Result<Vec<StoredEvent>, Error> {
        Ok(self.store.events(owner, page)?)
    }

    pub fn task(&self, owner: &Owner, id: &TaskId) -> Result<Option<Task>, Error> {
        Ok(self.store.task(owner, id)?)
    }

    /// Most recently active first.
    pub fn tasks(&self, owner: &Owner, limit: usize) -> Result<Vec<Task>, Error> {
        Ok(self.store.tasks(owner, limit)?)
    }

    pub fn journal(&self, owner: &Owner, page: &JournalPage) -> Result<Vec<JournalEntry>, Error> {
        Ok(self.store.journal(owner, page)?)
    }

    /// Checks every link of the owner's journal.
    pub fn verify_journal(&self, owner: &Owner) -> Result<JournalCheck, Error> {
        Ok(self.store.verify_journal(owner)?)
    }

    /// What the store is for, if that was said.
    pub fn environment(&self) -> Result<Option<ScopeId>, Error> {
        Ok(self.store.environment()?)
    }

    /// What the store's own check finds wrong with its files: nothing, if they are sound.
    pub fn file_faults(&self) -> Result<Vec<String>, Error> {
        Ok(self.store.file_faults()?)
    }

    /// The whole store as text, and a check that it is valid.
    pub fn dump(&self, out: &mut dyn std::io::Write) -> Result<(), Error> {
        Ok(self.store.dump(out)?)
    }

    fn operation(
        &self,
        owner: &Owner,
        verb: Verb,
        target: Target,
        actor: &str,
        reason: impl Into<String>,
    ) -> Operation {
        Operation {
            id: OperationId(self.env.id()),
            at: self.env.now(),
            actor: actor.to_owned(),
            verb,
            target,
            owner: owner.clone(),
            before: None,
            after: None,
            reason: reason.into(),
            cause: None,
            run: self.run,
        }
    }

    fn new_event_id(&self) -> EventId {
        EventId(self.env.id())
    }
}
