//! The manager in the background (SPEC 6.1): when a stage or a task ended, every so many events, when working memory fills its block, and
//! when the time has come. Nobody who records or asks waits for it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::asking::Asking;
use super::manage::Work;
use super::{Engine, Error, Fate, ManageOptions};
use crate::env::Env;
use crate::llm::Llm;
use crate::manager::Policy;
use crate::manager::policy::Triggers;
use crate::store::StoreError;
use crate::types::change::ChangeSet;
use crate::types::context::{ContextBlock, WorkingShare};
use crate::types::operation::{Operation, Verb};
use crate::types::scope::Owner;

/// Working memory that stays full wakes the manager only after so many events: what it let go a moment ago it need not look for again.
const EVENTS_BETWEEN_RUNS_FOR_ROOM: u32 = 10;

/// A run looks at the whole log, so in a long one it waits until the log has grown by a twentieth: each event that comes pays for so many that
/// are looked at, however long the log is. At 100 an event cost more to let go than to record.
const LOOKED_AT_FOR_AN_EVENT: u32 = 20;

/// A run in the background has so much of one core: of the two that a small machine has, the other is whoever works beside it.
const RESTS_FOR_WEIGHING: u32 = 3;

/// It holds the owner's lock, and the writer, for so much of the time: whoever records events without a pause meets it with fewer than one
/// in a hundred, and whoever pauses hardly ever.
const RESTS_FOR_A_COMMIT: u32 = 150;

/// No rest is longer: what a slow disk held up for once is no reason to let nothing go for an hour.
const REST_MAX: Duration = Duration::from_secs(2);

/// Owners whose events are counted at once. Of more, one that has few begins anew.
const OWNERS_MAX: usize = 10_000;

#[derive(Debug)]
pub(super) struct Manager {
    shared: Arc<Shared>,
    triggers: Triggers,
    asking: Option<Asking>,
    thread: Option<JoinHandle<()>>,
}

type Shared = super::waiting::Shared<State>;

#[derive(Debug, Default)]
struct State {
    /// Owners whose log is to be gone through, and whether there was no room.
    due: BTreeMap<Owner, bool>,
    /// Events since the last time.
    events: BTreeMap<Owner, u32>,
    /// How many were looked at then.
    looked_at: BTreeMap<Owner, u32>,
    busy: bool,
    closing: bool,
    /// So many wait for it: then it does not rest.
    waited_for: u32,
}

/// What happened that may be an occasion.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Occasion {
    pub(super) events: u32,
    pub(super) stage_changed: bool,
    pub(super) task_ended: bool,
}

impl Occasion {
    /// Of a change that is about to be committed.
    pub(super) fn of(changes: &ChangeSet) -> Self {
        let is_stage =
            |operation: &Operation| operation.verb == Verb::SetState && operation.reason.starts_with("set_stage ");
        Self {
            events: u32::try_from(changes.events.len()).unwrap_or(u32::MAX),
            stage_changed: changes.operations.iter().any(is_stage),
            task_ended: changes.operations.iter().any(|operation| operation.verb == Verb::EndTask),
        }
    }
}

impl Manager {
    /// `engine` is a handle of its own on the same store.
    pub(super) fn start(engine: Engine, policy: Policy, llm: Option<Arc<dyn Llm>>) -> Result<Self, Error> {
        let minutes = u64::from(policy.triggers.timer_minutes);
        let timer = (minutes > 0).then(|| Duration::from_secs(60 * minutes));
        Self::start_with(engine, policy, llm, timer)
    }

    fn start_with(
        engine: Engine,
        policy: Policy,
        llm: Option<Arc<dyn Llm>>,
        timer: Option<Duration>,
    ) -> Result<Self, Error> {
        let (shared, triggers) = (Arc::new(Shared::default()), policy.triggers);
        let (of_thread, asking) = (Arc::clone(&shared), llm.map(Asking::new));
        let asked = asking.clone();
        let thread = std::thread::Builder::new()
            .name("holdfast-manager".to_owned())
            .spawn(move || work(&engine, &policy, asked.as_ref(), timer, &of_thread))
            .map_err(|e| StoreError::Backend { doing: "starting the manager", source: Box::new(e) })?;
        Ok(Self { shared, triggers, asking, thread: Some(thread) })
    }

    /// After a commit.
    pub(super) fn hear(&self, owner: &Owner, occasion: Occasion) {
        let Triggers { every_events, on_stage_change, on_task_end, .. } = self.triggers;
        let mut state = self.shared.lock();
        if state.events.len() >= OWNERS_MAX && !state.events.contains_key(owner) {
            state.events.clear();
            state.looked_at.clear();
        }
        let events = state.events.entry(owner.clone()).or_default();
        *events = events.saturating_add(occasion.events);
        let (events_now, long) = (*events, state.looked_at.get(owner).copied().unwrap_or(0) / LOOKED_AT_FOR_AN_EVENT);
        let enough = every_events > 0 && events_now >= every_events.max(long);
        if enough || on_stage_change && occasion.stage_changed || on_task_end && occasion.task_ended {
            state.events.insert(owner.clone(), 0);
            state.due.entry(owner.clone()).or_default();
            self.shared.tell();
        }
    }

    /// After a block was asked for. Whoever asked waits, so nothing is worked out here: what counts was counted for the block.
    pub(super) fn hear_of_block(&self, owner: &Owner, block: &ContextBlock, budget_tokens: usize) {
        let most = (budget_tokens as f64 * self.triggers.budget_share) as usize;
        let WorkingShare { tokens, is_short } = block.working;
        if block.tokens <= most || !is_short && tokens <= most {
            return;
        }
        let mut state = self.shared.lock();
        let events = state.events.entry(owner.clone()).or_insert(EVENTS_BETWEEN_RUNS_FOR_ROOM);
        if *events >= EVENTS_BETWEEN_RUNS_FOR_ROOM {
            *events = 0;
            *state.due.entry(owner.clone()).or_default() |= is_short;
            self.shared.tell();
        }
    }

    /// Waits until everybody's log that is due was gone through.
    pub(super) fn settle(&self) {
        let mut state = self.shared.lock();
        state.waited_for += 1;
        self.shared.tell();
        while state.busy || !state.due.is_empty() {
            state = self.shared.wait(state);
        }
        state.waited_for -= 1;
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.shared.change(|state| state.closing = true);
        if let Some(asking) = &self.asking {
            asking.close();
        }
        if let Some(thread) = self.thread.take() {
            // A panic there has nothing to tell here: what was not let go is let go next time.
            let _ = thread.join();
        }
    }
}

fn work(engine: &Engine, policy: &Policy, asking: Option<&Asking>, timer: Option<Duration>, shared: &Shared) {
    let llm = asking.map(|asking| asking as &dyn Llm);
    loop {
        let mut state = shared.lock();
        while state.due.is_empty() && !state.closing {
            let (woken, ran_down) = shared.wait_at_most(state, timer);
            state = woken;
            if ran_down {
                // Who said something in this process since: the others have changed in nothing but age.
                let State { due, events, .. } = &mut *state;
                due.extend(events.iter().filter(|(_, count)| **count > 0).map(|(owner, _)| (owner.clone(), false)));
            }
        }
        if state.closing {
            return;
        }
        let due = state.due.pop_first();
        state.busy = true;
        drop(state);
        if let Some((owner, over_budget)) = due {
            let options = ManageOptions { over_budget, ..ManageOptions::default() };
            let pace = Pace { shared, env: &engine.env, from: Cell::new(engine.env.running()) };
            let run = || engine.manage_beside(&owner, policy, options, llm, &|work| pace.rest_after(work));
            match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok(managed)) => {
                    if let Err(error) = engine.keep_journal_for(engine.journal_days) {
                        tracing::warn!(%error, "the journal's retention was not kept this time: {error}");
                    }
                    let looked_at = u32::try_from(managed.events.len()).unwrap_or(u32::MAX);
                    shared.lock().looked_at.insert(owner, looked_at);
                    let (waiting, discarded) = (managed.count(Fate::OnProbation), managed.count(Fate::Discarded));
                    let saved = managed.tokens_saved();
                    tracing::debug!(
                        waiting,
                        discarded,
                        saved,
                        "{waiting} events went on probation, {discarded} were discarded, {saved} tokens saved"
                    );
                }
                Ok(Err(Error::Store(StoreError::Closed))) => {}
                Ok(Err(error)) => tracing::warn!(%error, "nothing was let go this time: {error}"),
                Err(_) => tracing::error!("letting go panicked"),
            }
        }
        shared.change(|state| state.busy = false);
    }
}

/// Lets others go first: after each piece of work it rests for a multiple of what that took.
struct Pace<'a> {
    shared: &'a Shared,
    env: &'a Env,
    /// When the piece of work in hand began.
    from: Cell<Duration>,
}

impl Pace<'_> {
    fn rest_after(&self, work: Work) -> Result<(), Error> {
        let took = self.env.running().saturating_sub(self.from.get());
        let times = match work {
            Work::Weighed => RESTS_FOR_WEIGHING,
            Work::Committed => RESTS_FOR_A_COMMIT,
            Work::Asked => 0,
        };
        let until = self.env.running() + (took * times).min(REST_MAX);
        let mut state = self.shared.lock();
        loop {
            if state.closing {
                return Err(StoreError::Closed.into());
            }
            let left = until.saturating_sub(self.env.running());
            if left.is_zero() || state.waited_for > 0 {
                break;
            }
            state = self.shared.wait_at_most(state, Some(left)).0;
        }
        drop(state);
        self.from.set(self.env.running());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::Choice;
    use crate::engine::Config;
    use crate::types::event::{Kind, RawEvent, Source};
    use crate::types::scope::Scope;

    /// Nothing else gives occasion, so whoever waits for a run here waits for the timer.
    #[test]
    fn when_the_time_has_come_it_goes_through_whatever_log_has_grown() {
        let directory = tempfile::tempdir().expect("a directory");
        let config = Config { embedding: Choice::None, ..Config::at(directory.path()) };
        let engine = Engine::open(config).expect("an engine");
        let (grown, still) = (Owner::default(), Scope::default().owner);
        let still = Owner { user: crate::types::scope::ScopeId::new("still").expect("an id"), ..still };
        for owner in [&grown, &still] {
            let scope = Scope { owner: owner.clone(), ..Scope::default() };
            engine.observe(RawEvent::new(scope, Source::Tool, Kind::ToolResult, "ok")).expect("an event");
        }
        let quiet = "extends = \"support\"\n[triggers]\nevery_events = 0\non_stage_change = false\non_task_end = false";
        let policy = Policy::from_toml(quiet).expect("a policy");
        let timer = Some(Duration::from_millis(1));
        let manager = Manager::start_with(engine.handle(), policy, None, timer).expect("a manager");
        manager.hear(&grown, Occasion { events: 1, ..Occasion::default() });
        let mut state = manager.shared.lock();
        while !state.looked_at.contains_key(&grown) {
            state = manager.shared.wait(state);
        }
        assert_eq!(state.looked_at.get(&grown), Some(&1));
        assert_eq!(state.looked_at.get(&still), None, "nothing was said there since it began");
    }
}
