//! Long-term memory through the front door: what is known, an operator's own word on it, what it did; and what recall reads of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::read::Embedded;
use super::{Engine, Error};
use crate::learn::{self, Candidate, Change, Effect};
use crate::recall::{self, Asked, Known, Plan};
use crate::store::{EventPage, JournalPage, StoreError};
use crate::text;
use crate::types::change::ChangeSet;
use crate::types::ids::{MemoryId, Seq};
use crate::types::memory::{
    Applies, Evidence, MEMORY_BYTES_MAX, Memory, MemoryFilter, MemoryKind, MemoryStatus, Origin, SLOT_PART_BYTES_MAX,
    Slot, Stance, Visibility, quotable,
};
use crate::types::operation::{JournalEntry, Target, Verb};
use crate::types::query::{Hit, MemoryNote, QUERY_BYTES_MAX, Query};
use crate::types::scope::{Owner, TaskId};
use crate::types::task::{ItemStatus, Task};

/// Owners whose memories are kept at hand.
const OWNERS_MAX: usize = 1_000;

/// Events of a memory whose vectors stand for its meaning, the latest.
const SAID_IN_MAX: usize = 3;
/// An event that is longer than so many times the words that state a memory is about other things as well.
const SAYS_LITTLE_ELSE: usize = 3;

/// Other names of one memory: more are a list of words to be found by.
const ALIASES_MAX: usize = 20;

/// Lines of the journal read of one memory.
const HISTORY_MAX: usize = 1_000;

/// What an operator asks to be remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMemory {
    pub kind: MemoryKind,
    pub content: String,
    /// `None`: the user.
    #[serde(default)]
    pub subject: Option<String>,
    /// `None`: worked out of the content.
    #[serde(default)]
    pub attribute: Option<String>,
    #[serde(default)]
    pub applies: Applies,
    /// 1 to 5.
    #[serde(default)]
    pub importance: Option<u8>,
    /// Other names of it, by which it is found too.
    #[serde(default)]
    pub aliases: BTreeSet<String>,
    #[serde(default)]
    pub visibility: Visibility,
}

/// A memory with everything that was done to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryHistory {
    pub memory: Memory,
    pub operations: Vec<JournalEntry>,
}

impl Engine {
    /// In the order they were made.
    pub fn memories(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Memory>, Error> {
        Ok(self.store.memories(owner, filter)?)
    }

    pub fn memory(&self, owner: &Owner, id: MemoryId) -> Result<Option<Memory>, Error> {
        Ok(self.store.memory(owner, id)?)
    }

    pub fn memory_history(&self, owner: &Owner, id: MemoryId) -> Result<MemoryHistory, Error> {
        let memory = self.store.memory(owner, id)?.ok_or(Error::NoSuchMemory(id))?;
        let page = JournalPage { memory: Some(id), limit: HISTORY_MAX, ..JournalPage::default() };
        Ok(MemoryHistory { memory, operations: self.store.journal(owner, &page)? })
    }

    /// An operator's own memory. It goes where one that was learned would go: to its slot, over what is there.
    pub fn remember(&self, owner: &Owner, new: &NewMemory) -> Result<Memory, Error> {
        let (new, secrets) = self.clean(owner, new)?;
        let content = new.content.trim();
        if content.is_empty() || content.contains('\0') || content.len() > MEMORY_BYTES_MAX {
            return Err(Error::BadMemory(format!(
                "its content must be one to {MEMORY_BYTES_MAX} bytes of text without NUL, and is {} bytes",
                content.len()
            )));
        }
        if let Some(importance) = new.importance.filter(|importance| !(1..=5).contains(importance)) {
            return Err(Error::BadMemory(format!("its importance is 1 to 5, not {importance}")));
        }
        if let Some(why) = bad_aliases(&new.aliases) {
            return Err(Error::BadMemory(why));
        }
        let evidence = self.operators_word(Stance::Confirms, content);
        let candidate = learn::by_operator(
            new.kind,
            new.subject.as_deref(),
            new.attribute.as_deref(),
            new.applies.clone(),
            new.importance,
            content,
            evidence,
        );
        let changes = self.with_at_hand(owner, |_| {
            let mut changes = self.reconciled(owner, &candidate)?;
            self.mark(owner, &candidate.slot(), &new, &mut changes)?;
            let change =
                ChangeSet { secrets: self.sealed(owner, &secrets), ..self.change_of(owner, &changes, "operator") };
            self.store.commit(change)?;
            Ok(changes)
        })?;
        let slot = candidate.slot();
        let written = changes.into_iter().map(|change| change.after);
        let mut written = written.filter(|memory| memory.status == MemoryStatus::Active && memory.slot() == slot);
        match written.next_back() {
            Some(memory) => Ok(memory),
            // It was there already, word for word.
            None => {
                let filter = MemoryFilter { slot: Some(slot), statuses: vec![MemoryStatus::Active] };
                let known = self.store.memories(owner, &filter)?.pop();
                known.ok_or_else(|| Error::BadMemory("it could not be placed".to_owned()))
            }
        }
    }

    /// Gives what is in force in a slot the names and the visibility that an operator wants it to have.
    fn mark(&self, owner: &Owner, slot: &Slot, new: &NewMemory, changes: &mut Vec<Change>) -> Result<(), StoreError> {
        let wants = |memory: &Memory| {
            !new.aliases.is_subset(&memory.aliases)
                || new.visibility == Visibility::Shared && memory.visibility != Visibility::Shared
        };
        let give = |memory: &mut Memory| {
            memory.aliases.extend(new.aliases.iter().cloned());
            if new.visibility == Visibility::Shared {
                memory.visibility = Visibility::Shared;
            }
        };
        let in_force = |memory: &Memory| memory.status == MemoryStatus::Active && memory.slot() == *slot;
        if let Some(change) = changes.iter_mut().find(|change| in_force(&change.after)) {
            give(&mut change.after);
            return Ok(());
        }
        // Its words are known already: only what it is called and who may see it is new.
        let filter = MemoryFilter { slot: Some(slot.clone()), statuses: vec![MemoryStatus::Active] };
        if let Some(before) = self.store.memories(owner, &filter)?.pop().filter(wants) {
            let mut after = Memory { version: before.version + 1, ..before.clone() };
            give(&mut after);
            let reason = "an operator named it, or let others see it".to_owned();
            changes.push(Change { before: Some(before), after, verb: Verb::Confirm, reason, cause: None });
        }
        Ok(())
    }

    /// What was pending or doubted is so.
    pub fn confirm(&self, owner: &Owner, id: MemoryId, why: &str) -> Result<Memory, Error> {
        self.word_on(owner, id, Stance::Confirms, why)
    }

    /// What was pending, or is in force, is not so.
    pub fn reject(&self, owner: &Owner, id: MemoryId, why: &str) -> Result<Memory, Error> {
        self.word_on(owner, id, Stance::Rejects, why)
    }

    fn word_on(&self, owner: &Owner, id: MemoryId, stance: Stance, why: &str) -> Result<Memory, Error> {
        let (why, secrets) = self.clean(owner, &why.to_owned())?;
        self.with_at_hand(owner, |_| {
            let memory = self.store.memory(owner, id)?.ok_or(Error::NoSuchMemory(id))?;
            if stance == Stance::Rejects && !MemoryStatus::OPEN.contains(&memory.status) {
                return Err(Error::BadMemory(format!(
                    "it is {} already: there is nothing to take back",
                    memory.status
                )));
            }
            let words = if why.is_empty() { stance.as_str() } else { &why };
            // Said now, of how things are now: a moment before what it is about would change nothing.
            let candidate = learn::said_of(&memory, self.operators_word(stance, words));
            let changes = self.reconciled(owner, &candidate)?;
            let mut change = self.change_of(owner, &changes, "operator");
            for operation in change.operations.iter_mut().filter(|operation| operation.target == Target::Memory(id)) {
                operation.reason = if why.is_empty() { operation.reason.clone() } else { why.clone() };
            }
            change.secrets = self.sealed(owner, &secrets);
            self.store.commit(change)?;
            // Confirmed after another had taken its place, it holds anew, as another.
            let anew = changes.iter().map(|change| &change.after).find(|after| after.status == MemoryStatus::Active);
            let anew = anew.filter(|after| stance == Stance::Confirms && after.value == memory.value).cloned();
            Ok(match anew {
                Some(anew) => anew,
                None => self.store.memory(owner, id)?.unwrap_or(memory),
            })
        })
    }

    fn operators_word(&self, stance: Stance, words: &str) -> Evidence {
        let (at, quote) = (self.now(), quotable(words));
        Evidence { event: None, at, stance, origin: Origin::UserStated, quote, task: None }
    }

    fn reconciled(&self, owner: &Owner, candidate: &Candidate) -> Result<Vec<Change>, StoreError> {
        let filter = MemoryFilter { slot: Some(candidate.slot()), statuses: Vec::new() };
        let known = self.store.memories(owner, &filter)?;
        let new = std::slice::from_ref(candidate);
        Ok(learn::reconcile(&known, new, self.env.now(), || MemoryId(self.env.id())))
    }

    /// What served memories did to a task. One that keeps hurting is fading, and the tasks that show it are kept with it.
    pub fn feedback(
        &self,
        owner: &Owner,
        ids: &[MemoryId],
        effect: Effect,
        task: Option<&TaskId>,
    ) -> Result<Vec<Memory>, Error> {
        self.with_at_hand(owner, |_| {
            let mut changes = Vec::with_capacity(ids.len());
            for id in ids.iter().collect::<BTreeSet<_>>() {
                let before = self.store.memory(owner, *id)?.ok_or(Error::NoSuchMemory(*id))?;
                let reported = json!(effect).as_str().unwrap_or_default().to_owned();
                changes.push(learn::with_effect(&before, effect, task, reported, None, self.env.now()));
            }
            self.store.commit(self.change_of(owner, &changes, "caller"))?;
            Ok(changes.into_iter().map(|change| change.after).collect())
        })
    }

    /// Long-term memories for a question: what is served of them and why, in the order of their weight.
    pub(super) fn recall_memories(
        &self,
        query: &Query,
        plan: &Plan,
        task: Option<&Task>,
        embedded: Option<&Embedded>,
    ) -> Result<(Vec<Hit>, Vec<MemoryNote>), Error> {
        let owner = &query.scope.owner;
        let known = if query.filter.is_as_of() || plan.history {
            Arc::new(self.known(owner, &MemoryFilter::default())?)
        } else {
            self.known.of(self, owner)?
        };
        if known.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let asked = &query.text[..query.text.floor_char_boundary(QUERY_BYTES_MAX)];
        let mut topics = learn::topics_in(asked);
        if let Some(task) = task {
            topics.extend(learn::topics_in(&task.title));
            topics.extend(task.names.iter().flat_map(|name| learn::topics_in(name)));
        }
        let overruled = task.map(overruled).unwrap_or_default();
        let unfit = task.map(unfit).unwrap_or_default();
        let now = query.now.timestamp();
        let cosines = match embedded {
            Some(embedded) => self.meanings(owner, embedded, &known)?,
            None => BTreeMap::new(),
        };
        let strength = |memory: &Memory| (learn::present(memory, now), learn::activity(memory, now));
        let strengths = known.iter().map(|known| (known.memory.id, strength(&known.memory))).collect();
        let asked = Asked {
            now,
            filter: &query.filter,
            limits: query.limits,
            topics: &topics,
            task: task.map(|task| &task.id),
            overruled: &overruled,
            unfit: &unfit,
            cosines: &cosines,
            strengths: &strengths,
        };
        Ok(recall::known(plan, &asked, &known))
    }

    /// What time has done to the memories: some fade, some that have faded are let go. Time is the log's own: a talk of years ago that is
    /// loaded today was not silent since then.
    pub(super) fn aged(&self, owner: &Owner) -> Result<Vec<Change>, StoreError> {
        let newest = EventPage { limit: 1, newest_first: true, ..EventPage::default() };
        let Some(newest) = self.store.events(owner, &newest)?.pop() else { return Ok(Vec::new()) };
        let now = newest.event.occurred_at.timestamp().min(self.env.now());
        let statuses = vec![MemoryStatus::Active, MemoryStatus::Fading];
        let open = self.store.memories(owner, &MemoryFilter { slot: None, statuses })?;
        Ok(open.iter().filter_map(|memory| learn::aged(memory, now)).collect())
    }

    /// Memories with what recall compares.
    fn known(&self, owner: &Owner, filter: &MemoryFilter) -> Result<Vec<Known>, StoreError> {
        let mut known = Vec::new();
        let hides = self.store.memory_state(owner)?.hides;
        for memory in self.store.memories(owner, filter)? {
            if hides && self.rests_on_hidden(owner, &memory)? {
                continue;
            }
            let mut said_in = Vec::new();
            let stated = memory.sources.iter().filter(|source| source.stance == Stance::States).rev();
            for source in stated.take(SAID_IN_MAX) {
                let Some(id) = source.event else { continue };
                let Some(stored) = self.store.event(owner, id)? else { continue };
                if stored.event.content.len() <= source.quote.len() * SAYS_LITTLE_ELSE {
                    said_in.push(stored.seq);
                }
            }
            let words = learn::words_of(&memory.attribute);
            known.push(Known::new(memory, &words, said_in));
        }
        Ok(known)
    }

    /// Whether all that speaks for a memory is out of view.
    fn rests_on_hidden(&self, owner: &Owner, memory: &Memory) -> Result<bool, StoreError> {
        let supports = |source: &&Evidence| !matches!(source.stance, Stance::Praises | Stance::Blames);
        let mut supporting = memory.sources.iter().filter(supports);
        let events: BTreeSet<_> = supporting.clone().filter_map(|source| source.event).collect();
        // An operator's word has no event, and is always in view.
        let by_events = supporting.all(|source| source.event.is_some());
        Ok(by_events && !events.is_empty() && self.hidden_among(owner, events.iter().copied())? == events)
    }

    /// How near each is to the question in meaning, by the vectors of the events that state it. Rules and preferences are served
    /// whatever is asked.
    fn meanings(
        &self,
        owner: &Owner,
        embedded: &Embedded,
        known: &[Known],
    ) -> Result<BTreeMap<MemoryId, f32>, StoreError> {
        let asked = known.iter().filter(|known| !recall::is_standing(&known.memory));
        let said: BTreeMap<Seq, Vec<MemoryId>> = asked.fold(BTreeMap::new(), |mut said, known| {
            for seq in &known.said_in {
                said.entry(*seq).or_insert_with(Vec::new).push(known.memory.id);
            }
            said
        });
        let positions: Vec<Seq> = said.keys().copied().collect();
        let mut meanings = BTreeMap::new();
        for (seq, cosine) in self.store.cosines(owner, &embedded.query(), &positions)? {
            for id in &said[&seq] {
                let best = meanings.entry(*id).or_insert(cosine);
                *best = best.max(cosine);
            }
        }
        Ok(meanings)
    }
}

/// Why these can't be the other names of a memory, if they can't.
fn bad_aliases(aliases: &BTreeSet<String>) -> Option<String> {
    if aliases.len() > ALIASES_MAX {
        return Some(format!("it has {} other names, and may have {ALIASES_MAX}", aliases.len()));
    }
    let fits = |alias: &&String| {
        !alias.trim().is_empty() && alias.len() <= SLOT_PART_BYTES_MAX && !alias.contains(|c: char| c.is_control())
    };
    let bad = aliases.iter().find(|alias| !fits(alias))?;
    Some(format!(
        "another name is one to {SLOT_PART_BYTES_MAX} bytes in one line, and one given is {} bytes",
        bad.len()
    ))
}

/// The sides of the work that the task's own constraints set, with the one that does: there a standing rule gives way.
fn overruled(task: &Task) -> BTreeMap<String, String> {
    let constraints = task.visible_constraints();
    let sides = constraints.iter().flat_map(|(_, constraint)| {
        learn::sides_set(&constraint.text)
            .into_iter()
            .map(|side| (side, format!("{} {}", constraint.id, constraint.text)))
    });
    sides.collect()
}

/// What the task forbids or has cancelled, by the terms that name it.
fn unfit(task: &Task) -> Vec<(BTreeSet<String>, String)> {
    let named = |text: &str| -> BTreeSet<String> {
        let terms = text::term_set(text).into_iter();
        terms.filter(|term| !text::is_stop_term(term) && !learn::says_no(term)).collect()
    };
    let constraints = task.visible_constraints();
    let forbidden = constraints.iter().filter(|(_, constraint)| learn::says_no(&constraint.text));
    let forbidden =
        forbidden.map(|(_, constraint)| (named(&constraint.text), format!("{} {}", constraint.id, constraint.text)));
    let cancelled = task.items.iter().filter(|item| item.status == ItemStatus::Cancelled);
    let cancelled = cancelled.map(|item| (named(&item.name), format!("{} {} was cancelled", item.id, item.name)));
    // One character or letter names nothing.
    let names = |terms: &BTreeSet<String>| terms.iter().any(|term| term.chars().count() > 1);
    forbidden.chain(cancelled).filter(|(terms, _)| names(terms)).collect()
}

/// Memories kept at hand for recall, each owner's as of one state of the store.
#[derive(Debug, Default)]
pub(super) struct KnownCache {
    owners: Mutex<BTreeMap<Owner, AsOf>>,
}

/// The state of the store's memories that these are of, and they.
type AsOf = (u64, Arc<Vec<Known>>);

impl KnownCache {
    /// Those that are in force or may be asked about, as the store has them now.
    fn of(&self, engine: &Engine, owner: &Owner) -> Result<Arc<Vec<Known>>, StoreError> {
        let changes = engine.store.memory_state(owner)?.changes;
        {
            let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, known)) = owners.get(owner).filter(|(at, _)| *at == changes) {
                return Ok(Arc::clone(known));
            }
        }
        let statuses = MemoryStatus::OPEN.to_vec();
        let known = Arc::new(engine.known(owner, &MemoryFilter { slot: None, statuses })?);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= OWNERS_MAX {
            owners.clear();
        }
        owners.insert(owner.clone(), (changes, Arc::clone(&known)));
        Ok(known)
    }
}
