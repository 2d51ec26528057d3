//! Forgetting on request: what is named is selected, what knew of it is worked out anew without it, and both are written; then every file
//! is searched for what is left (SPEC 8).
//!
//! Two invariants: (1) from the first commit on, what was erased can't come back, by its tombstones and because what rests on it is
//! refused; (2) an erasure that was begun is kept in the store until the last look, so that a crash at any step is made up for.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::attention::AtHand;
use super::undo::document_tells;
use super::{Engine, Error};
use crate::forget::{self, Gone};
use crate::learn;
use crate::store::{EventPage, JournalPage, StoreError};
use crate::text;
use crate::types::change::{ChangeSet, Erased, Hiding, PastKind, TaskChange, Trace, Unfinished};
use crate::types::event::{Kind, StoredEvent};
use crate::types::forget::{Forget, Forgetting, Reach, Receipt, Selection};
use crate::types::ids::{EventId, MemoryId, RunId, Seq};
use crate::types::memory::{Evidence, Memory, MemoryFilter, Slot};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId};
use crate::types::signals::Signals;
use crate::types::task::Task;

/// Events read at a time.
const PAGE: usize = 500;

/// Events erased in one commit: others wait for no more than that, which takes about 30 ms.
const EVENTS_A_COMMIT: usize = 100;

/// Events taken out of the lexical index in one commit: half a segment of it, which then takes as long to be written anew.
const EVENTS_UNINDEXED_A_COMMIT: usize = 2_000;

/// Lines of the journal that lose their text in one commit.
const OPERATIONS_A_COMMIT: usize = 1_000;

/// Of more events, the journal has one line for all: each of fewer tells by itself what became of it.
const EVENTS_TOLD_ONE_BY_ONE_MAX: usize = 200;

/// Bytes of erased texts that are looked for in the files: what is more is looked for in part.
const REMAINS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What an erasure comes to, worked out.
struct Plan {
    events: Vec<Seq>,
    ids: Vec<EventId>,
    changes: ChangeSet,
    reach: Reach,
    /// The words it is known by.
    texts: Vec<String>,
    /// Sessions that have nothing else: their names go too.
    sessions: BTreeSet<ScopeId>,
    /// The journal's newest line that was looked at.
    looked_through: i64,
}

/// What events that are not named have of those that are.
#[derive(Default)]
struct Staying {
    /// How many say the same.
    also_said: u64,
    /// Their signals without values that were looked up there.
    signals: Vec<(Seq, Signals)>,
}

impl Engine {
    /// How far a request would reach. Changes nothing.
    pub fn forget_preview(&self, owner: &Owner, request: &Forget) -> Result<Reach, Error> {
        let events = self.selected(owner, &request.selection)?;
        match request.how {
            Forgetting::Hide => Ok(Reach { events: to_hide(&events).count() as u64, ..Reach::default() }),
            Forgetting::Erase => Ok(self.plan(owner, &request.selection, events)?.reach),
        }
    }

    /// Hides or erases what is named, and says what was done. More events than the request allows are not touched.
    pub fn forget(&self, owner: &Owner, request: &Forget) -> Result<Receipt, Error> {
        if request.reason.trim().is_empty() {
            return Err(Error::NoReason);
        }
        let (reason, _) = self.clean(owner, &request.reason)?;
        self.with_at_hand(owner, |at_hand| {
            let events = self.selected(owner, &request.selection)?;
            let count = events.len() as u64;
            if let Some(max) = request.events_max.filter(|max| count > *max) {
                return Err(Error::TooMuch { events: count, max });
            }
            match request.how {
                Forgetting::Hide => self.hide(owner, &events, reason),
                Forgetting::Erase => {
                    let receipt = self.erase(owner, &request.selection, events, reason)?;
                    self.questions.clear();
                    *at_hand = AtHand::load(&*self.store, owner)?;
                    Ok(receipt)
                }
            }
        })
    }

    /// By which a receipt, and the journal's line, of an owner of whom nothing is kept can be told to be of this one. `None`: nothing was ever
    /// erased here.
    pub fn commitment(&self, owner: &Owner) -> Result<Option<String>, Error> {
        Ok(self.store.commitment(owner)?)
    }

    /// Takes hidden events back into view.
    pub fn unhide(&self, owner: &Owner, selection: &Selection, reason: &str) -> Result<u64, Error> {
        let (reason, _) = self.clean(owner, &reason.to_owned())?;
        self.with_at_hand(owner, |_| {
            let events = self.selected(owner, selection)?;
            let hidden: Vec<&StoredEvent> = events.iter().filter(|stored| stored.hidden).collect();
            let lines = hidden.iter().map(|stored| (stored.event.id, stored.seq));
            self.commit_hiding(owner, &lines.collect::<Vec<_>>(), false, &reason)?;
            Ok(hidden.len() as u64)
        })
    }

    fn hide(&self, owner: &Owner, events: &[StoredEvent], reason: String) -> Result<Receipt, Error> {
        let lines: Vec<(EventId, Seq)> = to_hide(events).map(|stored| (stored.event.id, stored.seq)).collect();
        self.commit_hiding(owner, &lines, true, &reason)?;
        let reach = Reach { events: lines.len() as u64, ..Reach::default() };
        Ok(Receipt {
            id: RunId(self.env.id()),
            at: self.env.now(),
            how: Forgetting::Hide,
            owner: owner.clone(),
            commitment: None,
            reason,
            reach,
            scanned: Vec::new(),
            left: 0,
            said_elsewhere: 0,
        })
    }

    fn commit_hiding(
        &self,
        owner: &Owner,
        lines: &[(EventId, Seq)],
        hidden: bool,
        reason: &str,
    ) -> Result<(), StoreError> {
        let verb = if hidden { Verb::Hide } else { Verb::Unhide };
        for lines in lines.chunks(PAGE) {
            let told = |(id, _): &(EventId, Seq)| Operation {
                after: Some(json!({ "events": 1 })),
                ..self.operation(owner, verb, Target::Event(*id), "caller", reason)
            };
            self.store.commit(ChangeSet {
                owner: owner.clone(),
                hidden: lines.iter().map(|(_, seq)| Hiding { seq: *seq, hidden }).collect(),
                operations: lines.iter().map(told).collect(),
                ..ChangeSet::default()
            })?;
        }
        Ok(())
    }

    /// The events that are named, in log order, hidden ones too.
    fn selected(&self, owner: &Owner, selection: &Selection) -> Result<Vec<StoredEvent>, Error> {
        let filter = match selection {
            Selection::Events(ids) => {
                let mut events = Vec::with_capacity(ids.len());
                for id in ids.iter().collect::<BTreeSet<_>>() {
                    let stored = self.store.event(owner, *id)?.ok_or(Error::NoSuchEvent(*id))?;
                    events.push(self.with_its_body(owner, stored)?);
                }
                events.sort_by_key(|stored| stored.seq);
                return Ok(events);
            }
            Selection::Session(session) => Filter { session: Some(session.clone()), ..Filter::default() },
            Selection::Task(task) => Filter { task: Some(task.clone()), ..Filter::default() },
            Selection::Matching(words) if text::fold(words).trim().is_empty() => return Err(Error::NoWords),
            Selection::Matching(_) | Selection::Everything | Selection::WholeTenant => Filter::default(),
        };
        let mut selected = Vec::new();
        for events in self.event_pages(owner, Filter { hidden: true, ..filter }, PAGE) {
            for stored in events? {
                let stored = self.with_its_body(owner, stored)?;
                if !matches!(selection, Selection::Matching(words) if !event_has(&stored, words)) {
                    selected.push(stored);
                }
            }
        }
        if selected.is_empty()
            && let Selection::Task(task) = selection
            && self.store.task(owner, task)?.is_none()
        {
            return Err(Error::NoSuchTask(task.clone()));
        }
        Ok(selected)
    }

    /// Everything an erasure changes, worked out from what is there now.
    fn plan(&self, owner: &Owner, selection: &Selection, mut events: Vec<StoredEvent>) -> Result<Plan, Error> {
        let everything = selection.is_everything();
        let looked_through = self.newest_line(owner)?;
        if !everything {
            let drawn = self.summaries_drawn_from(owner, &events)?;
            events.extend(
                drawn
                    .into_iter()
                    .filter(|drawn| !events.iter().any(|known| known.seq == drawn.seq))
                    .collect::<Vec<_>>(),
            );
        }
        let mut texts: Vec<String> = events.iter().map(|stored| stored.event.content.clone()).collect();
        let ids = |events: &[StoredEvent]| events.iter().map(|stored| stored.event.id).collect::<Vec<_>>();
        let gone_with = |events: &[StoredEvent], texts: &[String]| {
            // Of what goes whole, nothing has to be told apart.
            let texts = if everything { &[] } else { texts };
            Gone::new(ids(events), texts.iter().map(String::as_str))
        };
        let mut gone = gone_with(&events, &texts);
        let mut erased = Erased::default();
        let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
        for task in self.store.tasks(owner, usize::MAX)? {
            if everything || *selection == Selection::Task(task.id.clone()) {
                erased.tasks.push(task.id);
                continue;
            }
            let rest = forget::without(&task, &gone);
            if rest != task {
                if rest.title != task.title {
                    // The events that say the talk went there have the title for their words.
                    self.add_switches_to(owner, &task, &mut events)?;
                    texts.push(task.title.clone());
                }
                let version = task.version;
                changes
                    .tasks
                    .push(TaskChange { task: Task { version: version + 1, ..rest }, expected_version: Some(version) });
            }
        }
        let memories = self.store.memories(owner, &MemoryFilter::default())?;
        if everything {
            erased.memories = memories.iter().map(|memory| memory.id).collect();
            texts.extend(memories.iter().flat_map(said_of_memory));
        } else {
            self.without_memories(&memories, selection, &gone, &mut erased, &mut changes, &mut texts);
        }
        gone = gone_with(&events, &texts);
        erased.marks = self.marks_of(owner, &events, &gone)?;
        let session = if let Selection::Session(session) = selection { Some(session) } else { None };
        let ending = if everything { BTreeSet::new() } else { self.sessions_ending(owner, &events, session)? };
        let telling = Telling { gone: &gone, sessions: &ending, everything, erased: &erased };
        erased.operations =
            self.operations_telling(owner, &telling, JournalPage { limit: PAGE, ..JournalPage::default() })?;
        erased.past = if everything { Vec::new() } else { self.past_telling(owner, &gone, &erased, &changes)? };
        let staying = if everything { Staying::default() } else { self.staying(owner, &gone)? };
        erased.signals = staying.signals;
        erased.secrets = placeholders_in(&texts);
        // One that has no other events goes with these.
        let sessions = events.iter().map(|stored| &stored.event.scope.session).chain(session);
        erased.sessions = sessions.collect::<BTreeSet<_>>().into_iter().cloned().collect();
        let reach = Reach {
            events: events.len() as u64,
            tasks: erased.tasks.len() as u64,
            tasks_rewritten: changes.tasks.len() as u64,
            memories: erased.memories.len() as u64,
            memories_rewritten: changes.memories.len() as u64,
            operations: erased.operations.len() as u64,
            also_said: staying.also_said,
        };
        changes.erased = erased;
        let (ids, events) = (ids(&events), events.iter().map(|stored| stored.seq).collect());
        Ok(Plan { events, ids, changes, reach, texts, sessions: ending, looked_through })
    }

    fn newest_line(&self, owner: &Owner) -> Result<i64, StoreError> {
        let newest = JournalPage { newest_first: true, limit: 1, ..JournalPage::default() };
        Ok(self.store.journal(owner, &newest)?.first().map_or(0, |entry| entry.position))
    }

    /// The session that is named, and those of which no other event is left.
    fn sessions_ending(
        &self,
        owner: &Owner,
        events: &[StoredEvent],
        named: Option<&ScopeId>,
    ) -> Result<BTreeSet<ScopeId>, StoreError> {
        let mut counts: BTreeMap<&ScopeId, usize> = BTreeMap::new();
        for stored in events {
            *counts.entry(&stored.event.scope.session).or_default() += 1;
        }
        let mut ending: BTreeSet<ScopeId> = named.cloned().into_iter().collect();
        for (session, count) in counts {
            let filter = Filter { session: Some(session.clone()), hidden: true, ..Filter::default() };
            let there = self.store.events(owner, &EventPage { filter, limit: count + 1, ..EventPage::default() })?;
            if there.len() <= count {
                ending.insert(session.clone());
            }
        }
        Ok(ending)
    }

    /// 「→ 周报」: what the system wrote when the talk went to a task, in the words of its title.
    fn add_switches_to(&self, owner: &Owner, task: &Task, events: &mut Vec<StoredEvent>) -> Result<(), Error> {
        let filter =
            Filter { task: Some(task.id.clone()), kinds: vec![Kind::TaskSwitch], hidden: true, ..Filter::default() };
        for stored in self.store.events(owner, &EventPage { filter, limit: usize::MAX, ..EventPage::default() })? {
            let named = stored.event.content.contains(&task.title);
            if named && events.iter().all(|known| known.seq != stored.seq) {
                events.push(stored);
            }
        }
        Ok(())
    }

    /// Each slot that knew of it, on the rest of its evidence.
    fn without_memories(
        &self,
        memories: &[Memory],
        selection: &Selection,
        gone: &Gone,
        erased: &mut Erased,
        changes: &mut ChangeSet,
        texts: &mut Vec<String>,
    ) {
        let is_named = |text: &str| matches!(selection, Selection::Matching(words) if has(text, words));
        let is_gone =
            |evidence: &Evidence| evidence.event.is_some_and(|id| gone.is_source(id)) || is_named(&evidence.quote);
        let mut slots: BTreeMap<Slot, Vec<Memory>> = BTreeMap::new();
        for memory in memories {
            slots.entry(memory.slot()).or_default().push(memory.clone());
        }
        for known in slots.into_values() {
            if !known.iter().any(|memory| memory.sources.iter().any(is_gone) || is_named(&memory.content)) {
                continue;
            }
            let tells = |text: &str| gone.tells(text) || is_named(text);
            let rest = learn::without(&known, is_gone, tells, self.env.now(), || MemoryId(self.env.id()));
            let named = known.iter().filter(|memory| rest.erased.contains(&memory.id) || is_named(&memory.content));
            texts.extend(named.flat_map(said_of_memory));
            erased.memories.extend(rest.erased);
            let change = self.change_of(&changes.owner, &rest.changes, "operator");
            changes.memories.extend(change.memories);
        }
    }

    /// Marks that one of these events put on others, or that say what it said.
    fn marks_of(
        &self,
        owner: &Owner,
        events: &[StoredEvent],
        gone: &Gone,
    ) -> Result<Vec<(EventId, String)>, StoreError> {
        let moments: BTreeSet<_> = events.iter().map(|stored| stored.event.occurred_at.timestamp()).collect();
        let marks = self.store.marks(owner)?.into_iter().filter(|(id, mark)| {
            let told = mark.replaced_by.as_ref().is_some_and(|text| gone.tells(text)) || gone.tells(&mark.statement);
            !gone.is_source(*id) && (told || moments.contains(&mark.at))
        });
        Ok(marks.map(|(id, mark)| (id, mark.statement)).collect())
    }

    /// Lines of the journal that tell of it.
    fn operations_telling(
        &self,
        owner: &Owner,
        telling: &Telling<'_>,
        page: JournalPage,
    ) -> Result<Vec<i64>, StoreError> {
        let mut lines = Vec::new();
        for entries in self.journal_pages(owner, page) {
            lines.extend(entries?.iter().filter(|entry| telling.is_so(&entry.operation)).map(|entry| entry.position));
        }
        Ok(lines)
    }

    /// What documents were that knew of it: up to the last change that left such a one, no undo brings anything back.
    fn past_telling(
        &self,
        owner: &Owner,
        gone: &Gone,
        erased: &Erased,
        changes: &ChangeSet,
    ) -> Result<Vec<(PastKind, String, i64)>, StoreError> {
        let whole = |kind, key: String| ((kind, key), i64::MAX);
        let tasks = erased.tasks.iter().chain(changes.tasks.iter().map(|change| &change.task.id));
        let memories = erased.memories.iter().chain(changes.memories.iter().map(|change| &change.memory.id));
        let mut through: BTreeMap<(PastKind, String), i64> =
            tasks.map(|id| whole(PastKind::Task, id.to_string())).collect();
        through.extend(memories.map(|id| whole(PastKind::Memory, id.to_string())));
        let names_task = |text: &str| erased.tasks.iter().any(|task| task.as_str() == text);
        let tells = |text: &str| gone.tells(text) || names_task(text);
        let is_gone = |id| gone.is_source(id);
        let mut after = 0;
        loop {
            let page = self.store.past(owner, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.change;
            for past in page {
                let key: Value = serde_json::from_str(&past.key).unwrap_or_default();
                let told = past.before.as_ref().is_some_and(|before| document_tells(before, &tells, &is_gone))
                    || document_tells(&key, &tells, &is_gone);
                if told {
                    let known = through.entry((past.kind, past.key)).or_insert(past.change);
                    *known = past.change.max(*known);
                }
            }
        }
        Ok(through.into_iter().map(|((kind, key), through)| (kind, key, through)).collect())
    }

    /// What events that stay have of those that go.
    fn staying(&self, owner: &Owner, gone: &Gone) -> Result<Staying, StoreError> {
        let mut staying = Staying::default();
        for events in self.event_pages(owner, Filter { hidden: true, ..Filter::default() }, PAGE) {
            for stored in events?.into_iter().filter(|stored| !gone.is_source(stored.event.id)) {
                staying.also_said += u64::from(gone.tells(&stored.event.content));
                if stored.signals.corrections.is_empty() {
                    continue;
                }
                let stored = self.with_its_body(owner, stored)?;
                let mut signals = stored.signals.clone();
                // One that the event doesn't name itself was looked up in what was said before.
                signals
                    .corrections
                    .retain(|correction| has(&stored.event.content, &correction.old) || !gone.named(&correction.old));
                if signals != stored.signals {
                    staying.signals.push((stored.seq, signals));
                }
            }
        }
        Ok(staying)
    }

    fn erase(
        &self,
        owner: &Owner,
        selection: &Selection,
        events: Vec<StoredEvent>,
        reason: String,
    ) -> Result<Receipt, Error> {
        let plan = self.plan(owner, selection, events)?;
        let remains = self.remains_of(owner, &plan.events, &plan.texts)?;
        let reach = plan.reach;
        let gone = match selection.is_everything() {
            true => Gone::new([], []),
            false => Gone::new(plan.ids.iter().copied(), plan.texts.iter().map(String::as_str)),
        };
        let erased = Erased {
            tasks: plan.changes.erased.tasks.clone(),
            memories: plan.changes.erased.memories.clone(),
            ..Erased::default()
        };
        let sessions = plan.sessions.clone();
        let unfinished = self.begin(owner, selection, plan, &reason)?;
        let (id, looked_through) = (unfinished.id, unfinished.looked_through);
        let name = unfinished.renamed.clone().unwrap_or_else(|| owner.clone());
        let telling = Telling { gone: &gone, sessions: &sessions, everything: false, erased: &erased };
        let asked_since = || self.operations_telling(owner, &telling, served_after(looked_through));
        let (scrubbed_at, scrubbed) = self.finish(owner, unfinished, &remains, &asked_since)?;
        let commitment = self.store.commitment(owner)?;
        Ok(Receipt {
            id,
            at: scrubbed_at,
            how: Forgetting::Erase,
            owner: name,
            commitment: commitment.filter(|_| selection.is_everything()),
            reason,
            reach,
            scanned: scrubbed.files,
            left: scrubbed.left,
            said_elsewhere: scrubbed.said_elsewhere,
        })
    }

    /// The first commit: from it on, the erasure is ended by whoever opens the store next.
    fn begin(&self, owner: &Owner, selection: &Selection, plan: Plan, reason: &str) -> Result<Unfinished, Error> {
        let Plan { events, ids, mut changes, reach, looked_through, .. } = plan;
        let id = RunId(self.env.id());
        let renamed = selection.is_everything().then(|| nameless(owner, selection, id));
        let name = renamed.clone().unwrap_or_else(|| owner.clone());
        let mut operation = self.operation(&name, Verb::Erase, Target::Store, "caller", reason);
        operation.after = Some(json!({ "receipt": id, "reach": reach, "events": reach.events }));
        if renamed.is_none() && ids.len() <= EVENTS_TOLD_ONE_BY_ONE_MAX {
            let told = |event: &EventId| Operation {
                after: Some(json!({ "receipt": id })),
                ..self.operation(owner, Verb::Erase, Target::Event(*event), "caller", reason)
            };
            changes.operations.extend(ids.iter().map(told));
        }
        let operations = std::mem::take(&mut changes.erased.operations);
        let sessions = std::mem::take(&mut changes.erased.sessions);
        let unfinished = Unfinished { id, events, sessions, operations, renamed, looked_through, operation };
        // What knew of the events goes first: from here on nothing is served that rests on them.
        changes.erased.unfinished = Some(unfinished.clone());
        self.store.commit(changes)?;
        Ok(unfinished)
    }

    /// The rest of an erasure that was begun: events and lines of the journal, a part at a time; the name; then the last look. Who asks waits for
    /// no erasure, so lines that `asked_since` names may have come since it was worked out.
    fn finish(
        &self,
        owner: &Owner,
        unfinished: Unfinished,
        remains: &[Vec<u8>],
        asked_since: &dyn Fn() -> Result<Vec<i64>, StoreError>,
    ) -> Result<(jiff::Timestamp, crate::store::Scrubbed), Error> {
        let Unfinished { id, events, sessions, operations, renamed, looked_through, mut operation } = unfinished;
        let part = |erased| ChangeSet { owner: owner.clone(), erased, ..ChangeSet::default() };
        for operations in operations.chunks(OPERATIONS_A_COMMIT) {
            self.store.commit(part(Erased { operations: operations.to_vec(), ..Erased::default() }))?;
        }
        if renamed.is_none() && events.len() > EVENTS_A_COMMIT {
            for unindexed in events.chunks(EVENTS_UNINDEXED_A_COMMIT) {
                self.store.commit(part(Erased { unindexed: unindexed.to_vec(), ..Erased::default() }))?;
            }
        }
        // The newest first: of an owner that goes whole, the index is taken down from its end.
        for events in events.rchunks(EVENTS_A_COMMIT) {
            let erased = Erased { events: events.to_vec(), whole: renamed.is_some(), ..Erased::default() };
            self.store.commit(part(erased))?;
        }
        let name = renamed.clone().unwrap_or_else(|| owner.clone());
        if renamed.is_none() {
            // The events are gone: whoever asks from here on says it anew.
            let operations = asked_since()?;
            if !operations.is_empty() {
                self.store.commit(part(Erased { operations, ..Erased::default() }))?;
            }
        } else {
            add_commitment(&mut operation, self.store.commitment(owner)?);
        }
        // What is kept of the erasure until the last look names nothing that went.
        let (events, operations) = (Vec::new(), Vec::new());
        let rest = Unfinished {
            sessions: Vec::new(),
            renamed: None,
            operation: operation.clone(),
            id,
            events,
            operations,
            looked_through,
        };
        let last = Erased { sessions, renamed, unfinished: Some(rest), ..Erased::default() };
        self.store.commit(ChangeSet { operations: vec![operation], ..part(last) })?;
        let scrubbed = self.store.scrub(remains)?;
        let done = Erased { finished: Some(id), ..Erased::default() };
        self.store.commit(ChangeSet { owner: name, erased: done, ..ChangeSet::default() })?;
        Ok((self.env.now(), scrubbed))
    }

    /// The bytes to look for at the end.
    fn remains_of(&self, owner: &Owner, events: &[Seq], texts: &[String]) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut remains: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let mut bytes: usize = remains.iter().map(Vec::len).sum();
        for events in events.chunks(PAGE) {
            let found = self.store.remains(owner, events)?;
            bytes += found.iter().map(Vec::len).sum::<usize>();
            remains.extend(found);
            if bytes > REMAINS_BYTES_MAX {
                break;
            }
        }
        Ok(remains)
    }

    /// Ends what a process began and did not end.
    pub(super) fn finish_erasures(&self) -> Result<(), Error> {
        for (owner, unfinished) in self.store.unfinished_erasures()? {
            let (id, count) = (unfinished.id, unfinished.events.len());
            tracing::warn!(receipt = %id, "finishing erasure {id} of {count} events, which was begun before");
            let (through, newest) = (unfinished.looked_through, self.newest_line(&owner)?);
            // What it was about is known no more, so all that was asked meanwhile loses its words.
            let asked_since = || {
                let mut lines = Vec::new();
                for entries in self.journal_pages(&owner, served_after(through)) {
                    lines.extend(entries?.iter().map(|entry| entry.position).filter(|position| *position <= newest));
                }
                Ok(lines)
            };
            self.finish(&owner, unfinished, &[], &asked_since)?;
        }
        Ok(())
    }

    /// The task as it may be shown: without what comes from hidden events.
    pub(super) fn in_view(&self, owner: &Owner, task: Task) -> Result<Task, Error> {
        if !self.store.memory_state(owner)?.hides {
            return Ok(task);
        }
        let hidden = self.hidden_among(owner, forget::sources(&task))?;
        Ok(if hidden.is_empty() { task } else { forget::without(&task, &Gone::new(hidden, [])) })
    }

    /// Which of these events are hidden.
    pub(super) fn hidden_among(
        &self,
        owner: &Owner,
        events: impl IntoIterator<Item = EventId>,
    ) -> Result<BTreeSet<EventId>, StoreError> {
        let mut hidden = BTreeSet::new();
        for id in events {
            let stored = self.store.event(owner, id)?;
            hidden.extend(stored.filter(|stored| stored.hidden).map(|stored| stored.event.id));
        }
        Ok(hidden)
    }

    /// Of these events, which were erased here: they are not taken in again.
    pub(super) fn erased_of(&self, owner: &Owner, traces: &[Vec<Trace>]) -> Result<Vec<bool>, StoreError> {
        if !self.store.has_erased()? {
            return Ok(vec![false; traces.len()]);
        }
        let known = self.store.erased(owner, &traces.concat())?;
        let mut known = known.into_iter();
        Ok(traces.iter().map(|traces| known.by_ref().take(traces.len()).fold(false, |any, one| any | one)).collect())
    }
}

/// By which a line of the journal is known to tell of what is erased.
struct Telling<'a> {
    gone: &'a Gone,
    sessions: &'a BTreeSet<ScopeId>,
    everything: bool,
    erased: &'a Erased,
}

impl Telling<'_> {
    fn is_so(&self, operation: &Operation) -> bool {
        // What was asked there, and when the talk went from one task to another, goes with a session.
        let asked_in = operation.after.as_ref().and_then(|after| after.get("session")).and_then(Value::as_str);
        let of_session = match &operation.target {
            Target::Session(session) => self.sessions.contains(session),
            _ => asked_in.is_some_and(|asked| self.sessions.iter().any(|session| session.as_str() == asked)),
        };
        let of_gone = match &operation.target {
            Target::Memory(id) => self.erased.memories.contains(id),
            Target::Task(id) => self.erased.tasks.contains(id),
            Target::Event(_) | Target::Session(_) | Target::Store => false,
        };
        self.everything || of_gone || of_session || self.gone.is_told_by(operation)
    }
}

/// What was asked after a line of the journal. All else waits for the owner's lock.
fn served_after(line: i64) -> JournalPage {
    JournalPage { verb: Some(Verb::Serve), after: Some(line), limit: PAGE, ..JournalPage::default() }
}

fn add_commitment(operation: &mut Operation, commitment: Option<String>) {
    if let (Some(Value::Object(after)), Some(commitment)) = (&mut operation.after, commitment) {
        after.insert("commitment".to_owned(), json!(commitment));
    }
}

/// Those that are in view.
fn to_hide(events: &[StoredEvent]) -> impl Iterator<Item = &StoredEvent> {
    events.iter().filter(|stored| !stored.hidden)
}

/// Whether a text has these words in a row.
fn has(text: &str, words: &str) -> bool {
    text::fold(text).contains(text::fold(words).trim())
}

fn event_has(stored: &StoredEvent, words: &str) -> bool {
    let event = &stored.event;
    has(&event.content, words) || !event.metadata.is_empty() && has(&json!(event.metadata).to_string(), words)
}

fn said_of_memory(memory: &Memory) -> Vec<String> {
    let quotes = memory.sources.iter().map(|source| source.quote.clone());
    [memory.content.clone(), memory.value.clone()].into_iter().chain(quotes).collect()
}

fn placeholders_in(texts: &[String]) -> Vec<String> {
    let all: BTreeSet<&str> = texts.iter().flat_map(|text| forget::placeholders(text)).collect();
    all.into_iter().map(str::to_owned).collect()
}

/// The name that stands for an owner of whom nothing is kept.
fn nameless(owner: &Owner, selection: &Selection, id: RunId) -> Owner {
    let name = ScopeId::new(format!("erased-{id}")).expect("a word and a UUID are a scope id");
    let tenant = if *selection == Selection::WholeTenant { name.clone() } else { owner.tenant.clone() };
    Owner { tenant, user: name.clone(), agent: name }
}
