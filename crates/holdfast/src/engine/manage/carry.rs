//! A plan carried out: in commits of a few events, each under the owner's lock, each whole and with its lines of the journal.
//!
//! Everything is read and made ready before the lock is taken; under it is only asked what has come about since.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::{changed, room_of};
use super::since::{News, Since};
use super::writing::{Writer, Written};
use super::{Fate, ManagedEvent};
use crate::engine::archive::{KEPT_BYTES_MAX, archived};
use crate::engine::{Engine, Error};
use crate::journal::MANAGER;
use crate::manager::{Decision, Policy, Probation};
use crate::text::{self, Tokenizer};
use crate::types::change::{ArchivedBody, ChangeSet, Hiding, ProbationChange};
use crate::types::event::StoredEvent;
use crate::types::ids::{EventId, Seq};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::probation::{OnProbation, Sentence};
use crate::types::scope::Owner;

/// What is done in one commit, in lines written: whoever records an event meanwhile waits for no more than that, a few milliseconds.
const WEIGHT_A_COMMIT: usize = 25;

/// A body that is moved is read, packed and indexed anew: so many lines could be written instead.
const WEIGHT_OF_A_BODY: usize = 5;

/// Something to be done to one event.
pub(super) struct Due {
    pub(super) line: ManagedEvent,
    /// As it was when this was decided.
    was_archived: bool,
    was_overturned: usize,
    /// The reason, before anything came of it.
    decided: String,
    pub(super) what: What,
}

pub(super) enum What {
    Put(Sentence),
    Rescue {
        cause: Option<EventId>,
    },
    Discard(OnProbation),
    Archive(ArchivedBody),
    Compress(ArchivedBody, Written),
    /// No shorter text is true to it.
    Refuse(Written),
}

/// What is done to one event, with all that takes time to make.
struct Ready {
    due: Due,
    /// `None`: it is not what it was, or is wanted.
    stored: Option<StoredEvent>,
    /// What stands for a body that goes out of view.
    body: Option<ArchivedBody>,
}

impl Engine {
    /// One commit: what of a part of the plan still stands is done, and what became of each is told.
    pub(super) fn carry_out(
        &self,
        owner: &Owner,
        moment: &Moment<'_>,
        since: &mut Since,
        part: Vec<Due>,
    ) -> Result<Vec<ManagedEvent>, Error> {
        let changed = self.look_at_tasks(owner, |tasks| since.changed_of(tasks))?;
        since.catch_up(self, owner, changed)?;
        let mut ready = self.made_ready(owner, &since.news, part)?;
        self.with_at_hand(owner, |at_hand| {
            let news = since.catch_up(self, owner, since.changed_of(&at_hand.tasks))?;
            if news.unnamed {
                // Seldom, and then all is read again, by the only one who may change it.
                let part = ready.into_iter().map(|ready| ready.due).collect();
                ready = self.made_ready(owner, &since.news, part)?;
            }
            let mut changes = ChangeSet { owner: owner.clone(), ..ChangeSet::default() };
            let mut lines = Vec::with_capacity(ready.len());
            for Ready { due, stored, body } in ready {
                let Due { mut line, what, .. } = due;
                match stored.filter(|stored| !is_kept(&news, stored, &what)) {
                    Some(stored) => self.carry_out_one(moment, &stored, (what, body), &line, &mut changes),
                    None => {
                        line.fate = Fate::Kept;
                        line.reason = format!("it was asked for, or changed, meanwhile; {}", line.reason);
                        (line.tokens_after, line.bytes_after) = (line.tokens_before, line.bytes_before);
                    }
                }
                lines.push(line);
            }
            if !changes.operations.is_empty() {
                self.store.commit(changes)?;
            }
            Ok(lines)
        })
    }

    /// As a model words it; as it was worked out without one, where the model has nothing that is true.
    pub(super) fn written(&self, owner: &Owner, mut due: Due, writer: &mut Writer<'_>) -> Result<Due, Error> {
        let Some(stored) = self.store.events_at(owner, &[due.line.seq])?.pop() else { return Ok(due) };
        let content = &stored.event.content;
        let (room, most) = room_of(content);
        let characters = content.chars().count() * most / Tokenizer::default().count(content).max(1);
        let fits = |text: &str| room.holds(text);
        let (text, written) = writer.shorter(self, owner, std::slice::from_ref(content), characters, fits);
        let told = written.told();
        due.what = match (text, due.what) {
            (Some(summary), _) => {
                due.line.fate = Fate::Compressed;
                due.line = changed(due.line, &stored, Some(&summary));
                let body = ArchivedBody { seq: stored.seq, summary, terms: String::new() };
                What::Compress(findable(body, &stored), written)
            }
            (None, What::Compress(body, _)) => What::Compress(body, written),
            (None, What::Refuse(_)) => What::Refuse(written),
            (None, other) => other,
        };
        if matches!(due.what, What::Compress(..)) {
            due.line.reason = format!("{}{told}", due.decided);
        }
        Ok(due)
    }

    /// The events as they are now, with what takes their place.
    fn made_ready(&self, owner: &Owner, news: &News, part: Vec<Due>) -> Result<Vec<Ready>, Error> {
        let positions: Vec<Seq> = part.iter().map(|due| due.line.seq).collect();
        let mut events = self.store.events_at(owner, &positions)?;
        // Somebody may have undone that they wait.
        let discards = part.iter().any(|due| matches!(due.what, What::Discard(_)));
        let waiting: Option<BTreeSet<Seq>> = match discards && news.unnamed {
            true => Some(self.store.probation(owner)?.into_iter().map(|waiting| waiting.seq).collect()),
            false => None,
        };
        let waits = |seq: &Seq| waiting.as_ref().is_none_or(|waiting| waiting.contains(seq));
        let mut ready = Vec::with_capacity(part.len());
        for due in part {
            let place = events.iter().position(|stored| stored.seq == due.line.seq);
            let mut stored = place.map(|place| events.swap_remove(place)).filter(|stored| {
                stored.event.id == due.line.event
                    && stored.archived == due.was_archived
                    && stored.overturned.len() == due.was_overturned
                    && !is_kept(news, stored, &due.what)
            });
            let discards = matches!(due.what, What::Discard(_));
            if discards && !waits(&due.line.seq) {
                stored = None;
            }
            let moves = |stored: &&StoredEvent| !stored.archived && stored.event.content.len() > KEPT_BYTES_MAX;
            let body = stored.as_ref().filter(|_| discards).filter(moves).map(|s| findable(archived(s), s));
            ready.push(Ready { due, stored, body });
        }
        Ok(ready)
    }

    fn carry_out_one(
        &self,
        moment: &Moment<'_>,
        stored: &StoredEvent,
        (what, body): (What, Option<ArchivedBody>),
        line: &ManagedEvent,
        changes: &mut ChangeSet,
    ) {
        let (seq, id) = (stored.seq, stored.event.id);
        let size = |tokens: u64, bytes: u64| json!({ "tokens": tokens, "bytes": bytes });
        let (before, after) = (size(line.tokens_before, line.bytes_before), size(line.tokens_after, line.bytes_after));
        let told = |verb: Verb, before: Option<Value>, after: Option<Value>| {
            let policy = &moment.policy.name;
            let reason = format!("{}; policy {policy}", line.reason);
            let target = Target::Event(id);
            Operation { before, after, ..self.operation(&changes.owner, verb, target, MANAGER, reason) }
        };
        let operation = match what {
            What::Put(sentence) => {
                let probation = Probation::begin(moment.at, moment.turn, &moment.policy.probation);
                let put = OnProbation { seq, id, probation, sentence };
                let operation = told(Verb::Probation, None, Some(json!(put)));
                changes.probation.push(ProbationChange::Put(put));
                operation
            }
            What::Rescue { cause } => {
                changes.probation.push(ProbationChange::Lift(seq));
                Operation { cause, ..told(Verb::Rescue, None, None) }
            }
            What::Discard(waiting) => {
                let mut before = before;
                before["archived"] = json!(stored.archived);
                before["probation"] = json!(waiting);
                let mut after = after;
                after["turn"] = json!(moment.turn);
                let operation = told(Verb::Discard, Some(before), Some(after));
                changes.archived.extend(body);
                changes.hidden.push(Hiding { seq, hidden: true });
                operation
            }
            What::Archive(body) => {
                changes.archived.push(body);
                told(Verb::Archive, Some(before), Some(after))
            }
            What::Compress(body, written) => {
                changes.archived.push(body);
                told(Verb::Compress, Some(before), Some(with_writing(after, &written)))
            }
            What::Refuse(written) => {
                let after = (!written.refused.is_empty()).then(|| with_writing(json!({}), &written));
                told(Verb::Refuse, None, after)
            }
        };
        changes.operations.push(operation);
    }
}

/// When a run was weighed, and by what.
pub(super) struct Moment<'a> {
    pub(super) at: Timestamp,
    pub(super) turn: u64,
    pub(super) policy: &'a Policy,
}

impl Due {
    pub(super) fn new(stored: &StoredEvent, decision: &Decision, line: ManagedEvent, what: What) -> Self {
        let decided = decision.reason.clone();
        Self { line, decided, was_archived: stored.archived, was_overturned: stored.overturned.len(), what }
    }

    /// Whether a model may be asked for the text.
    pub(super) fn is_shortening(&self) -> bool {
        matches!(self.what, What::Compress(..) | What::Refuse(_))
    }

    /// Whether the event is less in view for it, or soon may be.
    pub(super) fn touches(&self) -> bool {
        !matches!(self.what, What::Rescue { .. } | What::Refuse(_))
    }
}

/// Which way a shorter text was made, and what was refused on the way.
fn with_writing(mut after: Value, Written { by, refused }: &Written) -> Value {
    if let Some((model, prompt)) = by {
        after["by"] = json!({ "model": model, "prompt": prompt });
    }
    if !refused.is_empty() {
        after["refused"] = json!(refused);
    }
    after
}

impl What {
    fn weight(&self) -> usize {
        match self {
            Self::Put(_) | Self::Rescue { .. } | Self::Refuse(_) => 1,
            Self::Discard(_) | Self::Archive(_) | Self::Compress(..) => WEIGHT_OF_A_BODY,
        }
    }
}

/// Whether what has come about since speaks against it.
fn is_kept(news: &News, stored: &StoredEvent, what: &What) -> bool {
    match what {
        What::Rescue { .. } | What::Refuse(_) => news.has_changed(stored.event.id),
        // Mentions count from when it waits.
        What::Discard(_) => news.keeps(stored, true),
        What::Put(_) | What::Archive(_) | What::Compress(..) => news.keeps(stored, false),
    }
}

pub(super) fn in_parts(due: Vec<Due>) -> Vec<Vec<Due>> {
    // What is called back first: whoever is interrupted has then let go nothing that was wanted.
    let (mut first, rest): (Vec<Due>, Vec<Due>) =
        due.into_iter().partition(|due| matches!(due.what, What::Rescue { .. }));
    first.extend(rest);
    let mut parts: Vec<Vec<Due>> = Vec::new();
    let mut weight = 0;
    for due in first {
        weight += due.what.weight();
        match parts.last_mut().filter(|_| weight <= WEIGHT_A_COMMIT) {
            Some(part) => part.push(due),
            None => {
                weight = due.what.weight();
                parts.push(vec![due]);
            }
        }
    }
    parts
}

/// The body is found by every word it has, though fewer stand for it: what a run lets go may be asked for by a detail.
pub(super) fn findable(body: ArchivedBody, stored: &StoredEvent) -> ArchivedBody {
    ArchivedBody { terms: text::indexed(&stored.event.content), ..body }
}
