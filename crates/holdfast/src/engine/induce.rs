//! Learning with a model's help: what the user said, shown to a model a page at a time; what it proposes, checked by code and placed as
//! what rules found is. Nothing is held while it answers, and what it says is placed in the state of then, or dropped.

use std::collections::BTreeMap;

use super::learn::{Servings, Slots};
use super::{Engine, Error};
use crate::context;
use crate::learn::{self, Candidate, Change, Refusal};
use crate::llm::{Llm, Prompt, Remedy, salvage};
use crate::prompts::{self, LEARN_KEY, LearnInput, ProposedMemory, Speaker, Utterance};
use crate::signals;
use crate::store::EventPage;
use crate::types::change::{ChangeSet, Learned};
use crate::types::event::{Kind, Source, StoredEvent, Trust};
use crate::types::ids::{MemoryId, Seq};
use crate::types::memory::{MemoryFilter, MemoryStatus};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Utterances shown in one call: a model that is shown more overlooks more. So there is at most one call for every so many events.
pub const UTTERANCES_MAX: usize = 40;
/// Known memories shown, the likeliest to be touched first.
const KNOWN_MAX: usize = 20;
/// A reply of which nothing can be used is asked for once more.
const TRIES: usize = 2;

/// What a model was asked and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Induced {
    pub calls: u64,
    pub events: u64,
    pub changes: Vec<Change>,
    pub refused: Vec<Refusal>,
    /// Parts of replies that could not be used, and why.
    pub unusable: Vec<String>,
    /// Replies that came too late: what they were about was learned from by another meanwhile.
    pub late: u64,
}

impl Engine {
    /// Asks the model about everything since its watermark. Stops at the first failure of the model: what was learned until then stays,
    /// and the next call goes on there.
    pub fn induce(&self, owner: &Owner, llm: &dyn Llm) -> Result<Induced, Error> {
        let mut induced = Induced::default();
        loop {
            let from = self.store.memory_state(owner)?.induced;
            let Some(page) = self.utterances(owner, from)? else { return Ok(induced) };
            induced.events += page.events;
            let proposals = match &page.prompt {
                Some(prompt) => ask(llm, prompt, &mut induced)?,
                // Nobody said anything: there is nothing to ask.
                None => Vec::new(),
            };
            // Who came first has placed what it is about; this reply is late.
            if !self.place(owner, from, &page, &proposals, llm.name(), &mut induced)? {
                induced.late += 1;
            }
        }
    }

    /// The next page of talk as a prompt. `None` when there is none.
    fn utterances(&self, owner: &Owner, from: Seq) -> Result<Option<Page>, Error> {
        let filter = Filter { sources: vec![Source::User, Source::Agent], ..Filter::default() };
        let talk = EventPage { filter, after: Some(from), limit: UTTERANCES_MAX, newest_first: false };
        let said = self.store.events(owner, &talk)?;
        let newest = EventPage { limit: 1, newest_first: true, ..EventPage::default() };
        let Some(newest) = self.store.events(owner, &newest)?.pop().filter(|newest| newest.seq > from) else {
            return Ok(None);
        };
        // Behind the last utterance there is only what nobody said.
        let through = if said.len() == UTTERANCES_MAX { said[said.len() - 1].seq } else { newest.seq };
        let (fence, preambles, headings) = context::marks();
        let mut input = LearnInput::default();
        let mut by_number = BTreeMap::new();
        for (number, stored) in (1..).zip(said) {
            let event = &stored.event;
            let spoken = matches!(event.kind, Kind::Query | Kind::Note | Kind::Feedback | Kind::Response);
            if !spoken
                || event.trust == Trust::Untrusted
                || learn::holds_block(&event.content, fence, preambles, headings)
            {
                continue;
            }
            let text = event.content.as_str();
            let by = if event.source == Source::User { Speaker::User } else { Speaker::Agent };
            if by == Speaker::User {
                let statements = signals::statements(text, &event.occurred_at, &self.lexicon);
                let candidate =
                    |statement: signals::Statement| prompts::Candidate { event: number, statement: statement.text };
                input.candidates.extend(statements.into_iter().map(candidate));
            }
            input.utterances.push(Utterance { event: number, by, text: text.to_owned() });
            by_number.insert(number, stored);
        }
        let asks = input.utterances.iter().any(|utterance| utterance.by == Speaker::User);
        let prompt = if asks {
            let filter = MemoryFilter { slot: None, statuses: vec![MemoryStatus::Active] };
            let known = self.store.memories(owner, &filter)?.into_iter().rev().take(KNOWN_MAX);
            input.known.extend(known.map(|memory| prompts::Known {
                subject: memory.subject,
                attribute: memory.attribute,
                content: memory.content,
            }));
            Some(prompts::learn(&input))
        } else {
            None
        };
        let events = u64::try_from((through.0 - from.0).max(0)).unwrap_or_default();
        Ok(Some(Page { through, events, prompt, by_number }))
    }

    /// Places what was proposed in the state of now, in one commit with the watermark. `false` when another did so meanwhile.
    fn place(
        &self,
        owner: &Owner,
        from: Seq,
        page: &Page,
        proposals: &[ProposedMemory],
        model: &str,
        induced: &mut Induced,
    ) -> Result<bool, Error> {
        self.with_at_hand(owner, |_| {
            if self.store.memory_state(owner)?.induced != from {
                return Ok(false);
            }
            let (mut slots, mut served) = (Slots::default(), Servings::default());
            let mut changes: Vec<Change> = Vec::new();
            let mut operations: Vec<Operation> = Vec::new();
            for proposal in proposals {
                let Some(known) = page.by_number.get(&proposal.source) else {
                    induced.unusable.push(format!("there is no event {} in what was shown", proposal.source));
                    continue;
                };
                // As it is now: it may have been overturned, or gone, while the model thought.
                let Some(stored) = self.store.event(owner, known.event.id)? else { continue };
                let placed = match learn::from_proposal(proposal, &stored.event) {
                    Ok(candidate) => self.may_be_placed(owner, candidate, &stored, &mut slots, &mut served)?,
                    Err(reason) => Err(reason),
                };
                match placed {
                    Ok(candidate) => {
                        let slot = candidate.slot();
                        let known = slots.memories(self, owner, &slot)?;
                        let now = self.env.now();
                        let found = learn::reconcile(known, &[candidate], now, || MemoryId(self.env.id()));
                        slots.keep(&slot, &found);
                        changes.extend(found);
                    }
                    Err(reason) => {
                        let event = stored.event.id;
                        let mut refused = self.operation(owner, Verb::Refuse, Target::Event(event), model, reason);
                        refused.cause = Some(event);
                        operations.push(refused);
                        induced.refused.push(Refusal { event, quote: proposal.quote.clone(), reason });
                    }
                }
            }
            let mut change = self.change_of(owner, &changes, model);
            change.operations.extend(operations);
            let change = ChangeSet { induced: Some(Learned { from, through: page.through }), ..change };
            self.store.commit(change)?;
            induced.changes.extend(changes);
            Ok(true)
        })
    }

    /// A proposal that code found sound, unless rules have it already, it was overturned, or it only says again what was served.
    fn may_be_placed(
        &self,
        owner: &Owner,
        candidate: Candidate,
        stored: &StoredEvent,
        slots: &mut Slots,
        served: &mut Servings,
    ) -> Result<Result<Candidate, &'static str>, Error> {
        let quote = candidate.evidence.quote.as_str();
        if stored
            .overturned
            .iter()
            .any(|overturned| overturned.statement.contains(quote) || quote.contains(&overturned.statement))
        {
            return Ok(Err("what it quotes no longer holds"));
        }
        if learn::is_echo(quote, served.texts(self, owner, stored)?) {
            return Ok(Err("it only says again what was served"));
        }
        let same_words = |other: &str| other.contains(quote) || quote.contains(other);
        let known = slots.all(self, owner)?;
        let known = known.iter().flat_map(|memory| &memory.sources);
        let mut of_event = known.filter(|source| source.event == Some(stored.event.id));
        if of_event.any(|source| same_words(&source.quote)) {
            return Ok(Err("it is known already from these words"));
        }
        let mut once = stored.signals.instructions.iter().filter(|i| i.standing == signals::Standing::OneOff);
        if once.any(|instruction| same_words(&instruction.text)) {
            return Ok(Err("it holds for once: it lives and ends with its task"));
        }
        Ok(Ok(candidate))
    }
}

/// One page of talk.
#[derive(Debug)]
struct Page {
    through: Seq,
    events: u64,
    prompt: Option<Prompt>,
    by_number: BTreeMap<u64, StoredEvent>,
}

/// The model's proposals. No lock and no transaction is held.
fn ask(llm: &dyn Llm, prompt: &Prompt, induced: &mut Induced) -> Result<Vec<ProposedMemory>, Error> {
    let mut kept = Vec::new();
    for _ in 0..TRIES {
        induced.calls += 1;
        let reply = match llm.complete(prompt) {
            Ok(reply) => reply,
            // This page will not be answered, however often it is asked about: the next one may be.
            Err(error) if error.remedy() == Remedy::GiveUp => {
                induced.unusable.push(error.to_string());
                return Ok(kept);
            }
            Err(error) => return Err(error.into()),
        };
        if reply.truncated {
            induced.unusable.push("the reply breaks off: it was longer than the model may answer".to_owned());
        }
        let salvaged = salvage::<ProposedMemory>(&reply.text, LEARN_KEY);
        induced.unusable.extend(salvaged.dropped.iter().map(|dropped| dropped.why.clone()));
        kept = salvaged.kept;
        if !kept.is_empty() || salvaged.dropped.is_empty() {
            break;
        }
    }
    Ok(kept)
}
