//! The agent loop's order, kept by the store: a task remembers which step is out, so that the next prompt can't be had before the
//! write-back of the one before it, in this process or another (SPEC 2.3).

use super::{Engine, Error, Updated};
use crate::agent::StepDriver;
use crate::types::change::{ChangeSet, TaskChange};
use crate::types::context::{BlockOptions, ContextBlock};
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::query::Query;
use crate::types::scope::{Scope, TaskId};
use crate::types::task::{StepPhase, Task};
use crate::types::update::Update;
use crate::working::{self, ParseProblem};

impl Engine {
    /// The prompt of the next step of the query's task. Refused while the step before it is not written back.
    pub fn begin_step(&self, query: &Query, options: &BlockOptions) -> Result<ContextBlock, Error> {
        let id = self.task_in_hand(&query.scope)?;
        // Checked before and after the block is made: the block takes its time, and no lock is held over it.
        let ready = |task: &Task| working::advance(task, StepPhase::Prompted).map(drop);
        let task = self.store.task(&query.scope.owner, &id)?.ok_or_else(|| Error::NoSuchTask(id.clone()))?;
        ready(&task)?;
        let scope = Scope { task: Some(id.clone()), ..query.scope.clone() };
        let block = self.context(&Query { scope, ..query.clone() }, options)?;
        self.move_step(&query.scope, &id, |task| Ok(working::advance(task, StepPhase::Prompted)?))?;
        Ok(block)
    }

    /// Does what is due between a write-back and the next prompt.
    pub fn consolidate(&self, scope: &Scope) -> Result<(), Error> {
        let id = self.task_in_hand(scope)?;
        self.move_step(scope, &id, |task| {
            // The task may have ended with this step; then nothing is out any more.
            if task.phase == StepPhase::Ready {
                Ok(task.clone())
            } else {
                Ok(working::advance(task, StepPhase::Ready)?)
            }
        })
    }

    /// Gives up the step that is out, after its loop died: what was written stays, the prompt is asked for anew.
    pub fn abandon_step(&self, scope: &Scope) -> Result<(), Error> {
        let id = self.task_in_hand(scope)?;
        self.move_step(scope, &id, |task| Ok(working::phase::give_up(task)))
    }

    /// The task of the scope, or the one its session is on.
    pub fn task_in_hand(&self, scope: &Scope) -> Result<TaskId, Error> {
        match &scope.task {
            Some(id) => Ok(id.clone()),
            None => self.store.session(&scope.owner, &scope.session)?.and_then(|state| state.task).ok_or(Error::NoTask),
        }
    }

    fn move_step(
        &self,
        scope: &Scope,
        id: &TaskId,
        to: impl FnOnce(&Task) -> Result<Task, Error>,
    ) -> Result<(), Error> {
        let owner = &scope.owner;
        self.with_at_hand(owner, |at_hand| {
            let task = at_hand.task(&*self.store, owner, id)?.ok_or_else(|| Error::NoSuchTask(id.clone()))?;
            let moved = to(task)?;
            if moved != *task {
                let change = TaskChange { task: moved.clone(), expected_version: Some(task.version) };
                self.store.commit(ChangeSet { owner: owner.clone(), tasks: vec![change], ..ChangeSet::default() })?;
                at_hand.put(moved);
            }
            Ok(())
        })
    }

    /// The steps of one task as values whose types keep the order: see `agent::Step`.
    pub fn steps(&self, query: Query, options: BlockOptions) -> EngineSteps<'_> {
        EngineSteps { engine: self, query, options }
    }
}

/// Drives `agent::Step` with an engine. Each prompt is the context block for the query.
#[derive(Debug)]
pub struct EngineSteps<'a> {
    engine: &'a Engine,
    query: Query,
    options: BlockOptions,
}

impl EngineSteps<'_> {
    fn log(&self, source: Source, kind: Kind, content: &str) -> Result<(), Error> {
        let id = self.engine.task_in_hand(&self.query.scope)?;
        let scope = Scope { task: Some(id), ..self.query.scope.clone() };
        self.engine.observe(RawEvent::new(scope, source, kind, content)).map(drop)
    }
}

impl StepDriver for EngineSteps<'_> {
    type Prompt = ContextBlock;
    type Written = Updated;
    type Error = Error;

    fn prompt(&mut self) -> Result<ContextBlock, Error> {
        self.engine.begin_step(&self.query, &self.options)
    }

    fn record_reply(&mut self, reply: &str) -> Result<(), Error> {
        self.log(Source::Agent, Kind::Response, reply)
    }

    fn record_problem(&mut self, problem: &ParseProblem) -> Result<(), Error> {
        self.log(Source::System, Kind::StatusChange, &problem.to_string())
    }

    fn write_back(&mut self, update: &Update) -> Result<Updated, Error> {
        self.engine.update(&self.query.scope, update)
    }

    fn consolidate(&mut self) -> Result<(), Error> {
        self.engine.consolidate(&self.query.scope)
    }
}
