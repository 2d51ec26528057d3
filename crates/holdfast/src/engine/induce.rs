//! Learning with a model's help: what the user said, shown to a model a page at a time; what it proposes, checked by code and placed as
//! what rules found is. Nothing is held while it answers, and what it says is placed in the state of then, or dropped.

use std::collections::{BTreeMap, BTreeSet};

use super::learn::{Servings, Slots};
use super::{Engine, Error};
use crate::context;
use crate::learn::{self, Candidate, Change, Refusal};
use crate::llm::{Llm, LlmError, Prompt, Remedy, salvage};
use crate::prompts::{self, LEARN_KEY, LearnInput, ProposedMemory, Speaker, Utterance};
use crate::signals;
use crate::store::EventPage;
use crate::text;
use crate::types::change::{ChangeSet, Learned};
use crate::types::event::{Kind, Overturned, Source, StoredEvent, Trust};
use crate::types::ids::{EventId, Seq};
use crate::types::memory::{Evidence, Memory, MemoryFilter, MemoryStatus};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// Utterances shown in one call: a model that is shown more overlooks more. So there is at most one call for every so many events.
pub const UTTERANCES_MAX: usize = 40;
/// And characters: what a small model can read.
pub const PAGE_CHARS_MAX: usize = 12_000;
/// Known memories shown, the likeliest to be touched first.
const KNOWN_MAX: usize = 20;
/// A reply of which nothing can be used is asked for once more.
const TRIES: usize = 2;
/// Proposals of one reply that are looked at: more than a page can hold, and a reply of noise has thousands.
const PROPOSALS_MAX: usize = 2 * UTTERANCES_MAX;
/// What is kept of the words of a proposal that is refused: nobody has checked how long they are.
const REFUSED_BYTES_MAX: usize = 200;
/// Of what a service says went wrong, in the journal for good.
const REASON_BYTES_MAX: usize = 300;

/// What a model was asked and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Induced {
    pub calls: u64,
    pub events: u64,
    pub changes: Vec<Change>,
    pub refused: Vec<Refusal>,
    /// Parts of replies that could not be used and pages that were passed over, and why. For people: it may quote a few words of a reply.
    pub unusable: Vec<String>,
    /// Replies that came too late: what they were about was learned from by another meanwhile.
    pub late: u64,
}

impl Engine {
    /// Asks the model about everything since its watermark. Stops at the first failure of the model that may pass: what was learned until
    /// then stays, and the next call goes on there. A page that will never be answered is asked about in halves, and passed over only then.
    pub fn induce(&self, owner: &Owner, llm: &dyn Llm) -> Result<Induced, Error> {
        let mut induced = Induced::default();
        // Once a page was too long, those after it are as short.
        let mut limit = UTTERANCES_MAX;
        loop {
            let from = self.store.memory_state(owner)?.induced;
            let Some(page) = self.utterances(owner, from, limit)? else { return Ok(induced) };
            let asked = match &page.prompt {
                Some(prompt) => ask(llm, prompt, &mut induced)?,
                // Nobody said anything: there is nothing to ask.
                None => Asked::Answered(Vec::new()),
            };
            let (proposals, passed_over) = match asked {
                Asked::Answered(proposals) => (proposals, None),
                Asked::TooLong(_) if page.talk > 1 => {
                    limit = page.talk / 2;
                    continue;
                }
                Asked::TooLong(why) | Asked::Unanswered(why) => {
                    let why = &why[..why.floor_char_boundary(REASON_BYTES_MAX)];
                    let passed_over = format!("a page of {} utterances was passed over: {why}", page.by_number.len());
                    induced.unusable.push(passed_over.clone());
                    (Vec::new(), Some(passed_over))
                }
            };
            induced.events += page.events;
            // By the words alone, and before anybody has to wait for it.
            let checked = checked(&page, &proposals, &mut induced);
            // Who came first has placed what it is about; this reply is late.
            if !self.place(owner, from, &page, checked, passed_over, llm.name(), &mut induced)? {
                induced.late += 1;
            }
        }
    }

    /// The next page of talk as a prompt, of so many utterances at most. `None` when there is none.
    fn utterances(&self, owner: &Owner, from: Seq, limit: usize) -> Result<Option<Page>, Error> {
        // First, and it bounds what is read next: what is observed in between is the next page's, and not skipped.
        let newest = EventPage { limit: 1, newest_first: true, ..EventPage::default() };
        let Some(newest) = self.store.events(owner, &newest)?.pop().filter(|newest| newest.seq > from) else {
            return Ok(None);
        };
        let filter = Filter { sources: vec![Source::User, Source::Agent], ..Filter::default() };
        let talk = EventPage { filter, after: Some(from), limit, newest_first: false };
        let mut said = self.store.events(owner, &talk)?;
        let all = said.len() < limit;
        said.retain(|stored| stored.seq <= newest.seq);
        let read = said.len();
        let mut left = PAGE_CHARS_MAX;
        let fitting = said.iter().take_while(|stored| {
            let chars = stored.event.content.chars().take(prompts::UTTERANCE_CHARS_MAX).count();
            let fits = chars <= left;
            left -= chars.min(left);
            fits
        });
        // One alone is cut to what is shown of an utterance.
        said.truncate(fitting.count().max(1));
        // Behind the last utterance there is only what nobody said.
        let whole = said.len() == read && (all || read < limit);
        let last = said.last().map(|stored| stored.seq);
        let through = last.filter(|_| !whole).unwrap_or(newest.seq);
        let talk = said.len();
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
            let words = event.content.as_str();
            let by = if event.source == Source::User { Speaker::User } else { Speaker::Agent };
            if by == Speaker::User {
                let statements = signals::statements(words, &event.occurred_at, &self.lexicon);
                let candidate =
                    |statement: signals::Statement| prompts::Candidate { event: number, statement: statement.text };
                input.candidates.extend(statements.into_iter().map(candidate));
            }
            input.utterances.push(Utterance { event: number, by, text: words.to_owned() });
            by_number.insert(number, stored);
        }
        let asks = input.utterances.iter().any(|utterance| utterance.by == Speaker::User);
        let prompt = if asks {
            let filter = MemoryFilter { slot: None, statuses: vec![MemoryStatus::Active] };
            input.known = likeliest(self.store.memories(owner, &filter)?, &input.utterances);
            Some(prompts::learn(&input))
        } else {
            None
        };
        let events = u64::try_from((through.0 - from.0).max(0)).unwrap_or_default();
        Ok(Some(Page { through, events, talk, prompt, by_number }))
    }

    /// Places what was proposed in the state of now, in one commit with the watermark. `false` when another did so meanwhile.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one page's answer, and is used once")]
    fn place(
        &self,
        owner: &Owner,
        from: Seq,
        page: &Page,
        checked: Vec<Checked>,
        passed_over: Option<String>,
        model: &str,
        induced: &mut Induced,
    ) -> Result<bool, Error> {
        self.with_at_hand(owner, |_| {
            if self.store.memory_state(owner)?.induced != from {
                return Ok(false);
            }
            let (mut slots, mut served) = (Slots::default(), Servings::default());
            let known = if checked.is_empty() { Vec::new() } else { slots.all(self, owner)? };
            let mut accepted: Vec<Candidate> = Vec::new();
            let mut refused: Vec<Refusal> = Vec::new();
            for Checked { source, quote, verdict } in checked {
                let Some(shown) = page.by_number.get(&source) else { continue };
                let event = shown.event.id;
                // As it is now: it may have been overturned, or gone, while the model thought.
                let Some(stored) = self.store.event(owner, event)? else { continue };
                let found = match verdict {
                    Ok(_) if stored.event.content != shown.event.content => Err("its source is not what it was"),
                    Ok(candidate) => {
                        let texts = served.texts(self, owner, &stored)?;
                        may_be_placed(&candidate, &stored, texts, &known, &accepted).map(|()| candidate)
                    }
                    Err(reason) => Err(reason),
                };
                match found {
                    Ok(candidate) => accepted.push(candidate),
                    Err(reason) => refused.push(Refusal { event, quote, reason }),
                }
            }
            let changes = self.placed(owner, accepted, &mut slots)?;
            let mut change = self.change_of(owner, &changes, model);
            let restated = restatements(page, &change.overturned);
            change.overturned.extend(restated);
            change.operations.extend(refused.iter().map(|refusal| Operation {
                cause: Some(refusal.event),
                ..self.operation(owner, Verb::Refuse, Target::Event(refusal.event), model, refusal.reason)
            }));
            let passed_over = passed_over.map(|why| self.operation(owner, Verb::Refuse, Target::Store, model, why));
            change.operations.extend(passed_over);
            let change = ChangeSet { induced: Some(Learned { from, through: page.through }), ..change };
            self.store.commit(change)?;
            induced.changes.extend(changes);
            induced.refused.extend(refused);
            Ok(true)
        })
    }
}

/// The known memories that have most words in common with what was said, of those alike the newest.
fn likeliest(known: Vec<Memory>, utterances: &[Utterance]) -> Vec<prompts::Known> {
    let terms = |text: &str| text::term_set(text).into_iter().filter(|term| !text::is_stop_term(term));
    let said: BTreeSet<String> = utterances.iter().flat_map(|utterance| terms(&utterance.text)).collect();
    let shared = |memory: &Memory| {
        let own = terms(&format!("{} {} {}", memory.subject, memory.attribute, memory.content));
        own.filter(|term| said.contains(term)).count()
    };
    let mut known: Vec<(usize, Memory)> = known.into_iter().map(|memory| (shared(&memory), memory)).collect();
    known.sort_by_key(|(shared, memory)| std::cmp::Reverse((*shared, memory.valid_from.timestamp())));
    let known = known.into_iter().take(KNOWN_MAX).map(|(_, memory)| prompts::Known {
        subject: memory.subject,
        attribute: memory.attribute,
        content: memory.content,
    });
    known.collect()
}

/// Nothing of a proposal that code found sound, unless rules have it already, it was overturned, or it only says again what was served.
fn may_be_placed(
    candidate: &Candidate,
    stored: &StoredEvent,
    served: &[String],
    known: &[Memory],
    accepted: &[Candidate],
) -> Result<(), &'static str> {
    let quote = candidate.evidence.quote.as_str();
    let same_words = |other: &str| other.contains(quote) || quote.contains(other);
    if stored.overturned.iter().any(|overturned| same_words(&overturned.statement)) {
        return Err("what it quotes no longer holds");
    }
    if learn::is_echo(quote, served) {
        return Err("it only says again what was served");
    }
    let of_these_words = |evidence: &Evidence| evidence.event == Some(stored.event.id) && same_words(&evidence.quote);
    // 「早上喝黑咖啡」 tells of breakfast and of coffee: one reply may draw two properties from the same words, but none twice.
    let twice = |other: &Candidate| {
        of_these_words(&other.evidence)
            && (other.slot() == candidate.slot() || text::same(&other.value, &candidate.value))
    };
    if known.iter().flat_map(|memory| &memory.sources).any(of_these_words) || accepted.iter().any(twice) {
        return Err("it is known already from these words");
    }
    let mut once = stored.signals.instructions.iter().filter(|i| i.standing == signals::Standing::OneOff);
    if once.any(|instruction| same_words(&instruction.text)) {
        return Err("it holds for once: it lives and ends with its task");
    }
    Ok(())
}

/// What no longer holds, where somebody says it again on the page before it ended: a model names one event that says a thing, and the
/// others are as old.
fn restatements(page: &Page, overturned: &[(EventId, Overturned)]) -> Vec<(EventId, Overturned)> {
    let of_mark = |(source, mark): &(EventId, Overturned)| {
        let again = page.by_number.values().filter(|stored| {
            let event = &stored.event;
            event.id != *source
                && event.occurred_at.timestamp() < mark.at
                && says_alone(&event.content, &mark.statement)
        });
        again.map(|stored| (stored.event.id, mark.clone())).collect::<Vec<_>>()
    };
    overturned.iter().flat_map(of_mark).collect()
}

/// Whether a text says a statement as clauses of its own: 「月租5500」 in 「老李月租5500」 is of somebody else.
fn says_alone(text: &str, statement: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !statement.is_empty()
        && text.match_indices(statement).any(|(at, found)| {
            let (before, after) = (text[..at].trim_end(), &text[at + found.len()..]);
            ends(before.chars().next_back()) && ends(after.trim_start().chars().next())
        })
}

/// One page of talk.
#[derive(Debug)]
struct Page {
    through: Seq,
    events: u64,
    /// Events of talk read for it, shown or not.
    talk: usize,
    prompt: Option<Prompt>,
    by_number: BTreeMap<u64, StoredEvent>,
}

/// A proposal and what code says of it by the words of its source.
#[derive(Debug)]
struct Checked {
    source: u64,
    quote: String,
    verdict: Result<Candidate, &'static str>,
}

/// Pure, so it is done before the owner's lock is taken.
fn checked(page: &Page, proposals: &[ProposedMemory], induced: &mut Induced) -> Vec<Checked> {
    let mut checked = Vec::new();
    for proposal in proposals.iter().take(PROPOSALS_MAX) {
        match page.by_number.get(&proposal.source) {
            Some(shown) => checked.push(Checked {
                source: proposal.source,
                quote: proposal.quote[..proposal.quote.floor_char_boundary(REFUSED_BYTES_MAX)].to_owned(),
                verdict: learn::from_proposal(
                    proposal,
                    &shown.event,
                    &signals::attribution(&shown.event.content, &shown.event.occurred_at),
                ),
            }),
            None => induced.unusable.push(format!("there is no event {} in what was shown", proposal.source)),
        }
    }
    if proposals.len() > PROPOSALS_MAX {
        let more = proposals.len() - PROPOSALS_MAX;
        induced.unusable.push(format!("{more} more proposals than a page can hold were not looked at"));
    }
    checked
}

/// What came of a question.
enum Asked {
    Answered(Vec<ProposedMemory>),
    /// Half of it may be answered.
    TooLong(String),
    /// It will not be, however often it is asked.
    Unanswered(String),
}

/// The model's proposals. No lock and no transaction is held.
fn ask(llm: &dyn Llm, prompt: &Prompt, induced: &mut Induced) -> Result<Asked, Error> {
    let mut readable = false;
    for _ in 0..TRIES {
        induced.calls += 1;
        let reply = match llm.complete(prompt) {
            Ok(reply) => reply,
            Err(error) => {
                return match (&error, error.remedy()) {
                    (
                        LlmError::TooLong { .. } | LlmError::TooLarge { .. } | LlmError::Refused { status: 413, .. },
                        Remedy::GiveUp,
                    ) => Ok(Asked::TooLong(error.to_string())),
                    (_, Remedy::GiveUp) => Ok(Asked::Unanswered(error.to_string())),
                    (_, Remedy::Later | Remedy::Configure) => Err(error.into()),
                };
            }
        };
        if reply.truncated {
            induced.unusable.push("the reply breaks off: it was longer than the model may answer".to_owned());
        }
        let salvaged = salvage::<ProposedMemory>(&reply.text, LEARN_KEY);
        induced.unusable.extend(salvaged.dropped.iter().map(|dropped| dropped.why.clone()));
        if salvaged.dropped_more > 0 {
            induced.unusable.push(format!("{} more parts that are not told one by one", salvaged.dropped_more));
        }
        if !salvaged.kept.is_empty() || salvaged.found && salvaged.dropped.is_empty() {
            return Ok(Asked::Answered(salvaged.kept));
        }
        readable |= salvaged.found;
    }
    // It had something to say, and none of it is a proposal: that was told part by part.
    let why = if readable { "no part of its reply is a proposal" } else { "nothing in its reply can be read" };
    Ok(Asked::Unanswered(why.to_owned()))
}
