//! A statement that no longer holds is marked in every event that makes it, in the transaction that overturns it (SPEC 2.6).

use std::collections::BTreeSet;

use jiff::{Timestamp, ZonedDateTime};

use super::{Engine, Error};
use crate::signals;
use crate::store::EventPage;
use crate::text;
use crate::types::change::NewEvent;
use crate::types::event::{Event, Overturned, Source};
use crate::types::ids::EventId;
use crate::types::query::Filter;
use crate::types::scope::{Owner, ScopeId, TaskId};
use crate::types::signals::{Correction, Entity, EntityKind, Signals};
use crate::types::task::Task;
use crate::types::update::Action;
use crate::working::{self, Superseded};

/// Events of a task that are searched for restatements of one statement: a conclusion is repeated a few times, not hundreds.
const RESTATEMENTS_MAX: usize = 200;
/// Things that had the old value whose trends are looked for: one, and what it was called beside.
const NAMES_MAX: usize = 4;
/// Events looked back through for the value a correction doesn't name: who corrects himself has just said it.
const LOOKED_BACK_MAX: usize = 20;

/// What a correction came to among the events.
#[derive(Debug, Default)]
pub(super) struct Corrected {
    pub marks: Vec<(EventId, Overturned)>,
    /// What was said to have the old value.
    names: Vec<String>,
    /// When the old value was first said.
    since: Option<Timestamp>,
    /// The tasks it was said in, of the correction's own session.
    pub tasks: BTreeSet<TaskId>,
}

impl Engine {
    /// Marks for the event a superseded statement was drawn from, and for the others of its task that state it too.
    pub(super) fn excerpts_of(
        &self,
        owner: &Owner,
        task: &TaskId,
        superseded: &Superseded,
        at: &ZonedDateTime,
    ) -> Result<Vec<(EventId, Overturned)>, Error> {
        let overturned =
            Overturned { statement: superseded.old.clone(), replaced_by: superseded.new.clone(), at: at.timestamp() };
        let mut marks = vec![(superseded.old_source, overturned.clone())];
        for event in self.events_saying(owner, of_task(task), &superseded.old)? {
            let stated =
                text::sentences(&event.content).into_iter().any(|s| text::states(&event.content[s], &superseded.old));
            if stated && event.id != superseded.old_source {
                marks.push((event.id, overturned.clone()));
            }
        }
        Ok(marks)
    }

    /// What a correction puts right among the earlier events: of its task, and of its session as far as they are of no other. Said
    /// outside any task, a correction is about the whole session.
    pub(super) fn excerpts_corrected(
        &self,
        owner: &Owner,
        correcting: &Event,
        correction: &Correction,
        pending: &[NewEvent],
    ) -> Result<Corrected, Error> {
        let events = self.events_here(owner, correcting, &correction.old, pending)?;
        let at = &correcting.occurred_at;
        let mut corrected = Corrected::default();
        for event in events.iter().filter(|event| says(&event.content, &correction.old)) {
            corrected.marks.push(mark(event, correction, at));
            corrected.names.extend(signals::said_of(
                &event.content,
                &event.occurred_at,
                &correction.old,
                &self.lexicon,
            ));
            let since = corrected.since.get_or_insert(event.recorded_at);
            *since = event.recorded_at.min(*since);
            corrected
                .tasks
                .extend(event.scope.task.clone().filter(|_| event.scope.session == correcting.scope.session));
        }
        corrected.names.sort();
        corrected.names.dedup();
        corrected.names.truncate(NAMES_MAX);
        let mut resting: Vec<Event> = events;
        for name in &corrected.names {
            for event in self.events_here(owner, correcting, name, pending)? {
                if resting.iter().all(|known| known.id != event.id) {
                    resting.push(event);
                }
            }
        }
        for event in resting.iter().filter(|event| corrected.since.is_some_and(|since| event.recorded_at >= since)) {
            // What was said with the right value in hand rests on that.
            if correction.new.as_ref().is_some_and(|new| says(&event.content, new)) {
                continue;
            }
            // 「退货率连着两周在涨」 rested on the value, and nobody has said that it holds without.
            for claim in self.resting_on(&event.content, &event.occurred_at, correction, &corrected.names) {
                let overturned = Overturned { statement: claim, replaced_by: None, at: at.timestamp() };
                corrected.marks.push((event.id, overturned));
            }
        }
        Ok(corrected)
    }

    fn resting_on(&self, text: &str, at: &ZonedDateTime, correction: &Correction, names: &[String]) -> Vec<String> {
        signals::rests_on(text, at, &correction.old, names, &self.lexicon)
    }

    /// The events that a correction may be about and that say something: a value, a name.
    fn events_here(
        &self,
        owner: &Owner,
        correcting: &Event,
        saying: &str,
        pending: &[NewEvent],
    ) -> Result<Vec<Event>, Error> {
        let (session, task) = (&correcting.scope.session, &correcting.scope.task);
        let mut events = Vec::new();
        if let Some(task) = task {
            events = self.events_saying(owner, of_task(task), saying)?;
        }
        let of_session = self.events_saying(owner, of_session(session), saying)?;
        let pending = pending.iter().map(|new| new.event.clone());
        for event in of_session.into_iter().chain(pending) {
            let here = event.scope.session == *session && (task.is_none() || event.scope.task.is_none())
                || task.is_some() && event.scope.task == *task;
            if here && !events.iter().any(|known| known.id == event.id) {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// What a correction overturns in the frame and the facts of a task beside what the rules put right there themselves: said outside
    /// the task, the statements of its own session that give the value to the thing it names; and of any, what rests on the value. Where
    /// it can't be told for sure, nothing.
    pub(super) fn statements_corrected(
        &self,
        owner: &Owner,
        task: &Task,
        correcting: &Event,
        correction: &Correction,
        corrected: &Corrected,
        pending: &[NewEvent],
    ) -> Result<Vec<Action>, Error> {
        let (Some(since), outside) = (corrected.since, correcting.scope.task.is_none()) else { return Ok(Vec::new()) };
        let conclusions = task.frames.iter().flat_map(|f| &f.conclusions).filter(|c| c.valid);
        let facts = task.facts.iter().filter(|f| f.valid).map(|f| (&f.id, &f.text, f.source));
        let results = task.frames.iter().filter_map(|f| f.latest_result.as_ref()).map(|r| (&r.id, &r.text, r.source));
        let mut actions: Vec<Action> = Vec::new();
        let mut overturned: Vec<&str> = Vec::new();
        for (id, text, source) in conclusions.map(|c| (&c.id, &c.text, c.source)).chain(facts).chain(results) {
            let claims = self.resting_on(text, &correcting.occurred_at, correction, &corrected.names);
            let new = if working::says(text, &correction.old) {
                let name = |name: &String| says(text, name) && says(&correcting.content, name);
                if !outside || !corrected.names.iter().any(name) {
                    continue;
                }
                working::corrected(text, correction, &correcting.content)
            } else if claims.is_empty() || correction.new.as_ref().is_some_and(|new| says(text, new)) {
                continue;
            } else {
                without(text, &claims)
            };
            let known = pending.iter().find(|new| new.event.id == source).map(|new| new.event.clone());
            let source = match known {
                Some(event) => Some(event),
                None => self.store.event(owner, source)?.map(|stored| stored.event),
            };
            let here = |event: &Event| {
                event.recorded_at >= since && (!outside || event.scope.session == correcting.scope.session)
            };
            // Copies fall together: `supersede` looks for them itself.
            if source.as_ref().is_some_and(here) && !overturned.iter().any(|other| text::same(other, text)) {
                overturned.push(text);
                actions.push(Action::Supersede { old: id.clone(), text: new });
            }
        }
        Ok(actions)
    }

    /// Makes corrections of new values that don't say what they put right (「更正：应该是2.8%」): the last value of the same kind
    /// and unit that was said in the task or the session. Two that may be meant, and it stays open.
    pub(super) fn find_corrected(
        &self,
        owner: &Owner,
        event: &Event,
        signals: &mut Signals,
        pending: &[NewEvent],
    ) -> Result<(), Error> {
        if signals.new_values.is_empty() || event.source != Source::User {
            return Ok(());
        }
        let mut filters = vec![of_session(&event.scope.session)];
        filters.extend(event.scope.task.as_ref().map(of_task));
        let is_near = |other: &Event| {
            other.scope.session == event.scope.session
                || other.scope.task.is_some() && other.scope.task == event.scope.task
        };
        let near = pending.iter().rev().filter(|new| is_near(&new.event));
        let mut earlier: Vec<(Event, Signals)> = near.map(|new| (new.event.clone(), new.signals.clone())).collect();
        for filter in filters {
            let page = EventPage { filter, newest_first: true, limit: LOOKED_BACK_MAX, after: None };
            earlier.extend(self.store.events(owner, &page)?.into_iter().map(|stored| (stored.event, stored.signals)));
        }
        for value in &signals.new_values {
            let Some(new) = signals.entities.iter().find(|entity| entity.text == value.new) else { continue };
            let old = earlier.iter().find_map(|(event, read)| {
                let told = |entity: &&Entity| {
                    is_alike(entity, new) && value.of.as_ref().is_none_or(|of| is_said_of(&event.content, entity, of))
                };
                let found: Vec<&Entity> = read.entities.iter().filter(told).collect();
                (!found.is_empty()).then_some(found)
            });
            // The last event that has any decides, and only if it has one.
            let Some([first, rest @ ..]) = old.as_deref() else { continue };
            let correction = Correction { old: first.text.clone(), new: Some(value.new.clone()) };
            if rest.iter().all(|other| other.value == first.value)
                && first.value != new.value
                && !signals.corrections.contains(&correction)
            {
                signals.corrections.push(correction);
            }
        }
        Ok(())
    }

    fn events_saying(&self, owner: &Owner, filter: Filter, statement: &str) -> Result<Vec<Event>, Error> {
        let terms = text::index_terms(statement);
        let found = self.store.lexical(owner, &terms, &filter, RESTATEMENTS_MAX)?;
        let positions: Vec<_> = found.rows.into_iter().map(|(seq, _)| seq).collect();
        Ok(self.store.events_at(owner, &positions)?.into_iter().map(|stored| stored.event).collect())
    }
}

fn of_task(task: &TaskId) -> Filter {
    Filter { task: Some(task.clone()), ..Filter::default() }
}

fn of_session(session: &ScopeId) -> Filter {
    Filter { session: Some(session.clone()), ..Filter::default() }
}

/// Values of one kind and unit: 3.2% and 2.8%, not 3.2% and 36 单.
fn is_alike(entity: &Entity, other: &Entity) -> bool {
    let unit = |entity: &Entity| -> String {
        entity.value.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-' | '+')).collect()
    };
    let counted = matches!(entity.kind, EntityKind::Number | EntityKind::Money);
    entity.kind == other.kind && (entity.kind == EntityKind::Date || counted && unit(entity) == unit(other))
}

/// The value stands behind the thing's name, in one sentence and with no other value between them.
fn is_said_of(content: &str, entity: &Entity, of: &str) -> bool {
    // In the summary of an archived event it stands elsewhere, if at all.
    let as_read = content.get(entity.span.clone()) == Some(&*entity.text);
    let at = if as_read { Some(entity.span.start) } else { text::find_whole(content, &entity.text) };
    let Some(at) = at else { return false };
    let sentence = text::sentences(content).into_iter().find(|range| range.contains(&at));
    let Some(before) = sentence.and_then(|sentence| content.get(sentence.start..at)) else { return false };
    let before = text::fold(before);
    let of = text::fold(of);
    before.rfind(of.trim()).is_some_and(|at| !before[at + of.trim().len()..].contains(|c: char| c.is_ascii_digit()))
}

/// Whether a text contains a value as a whole: `3.2%` is not in `13.2%`.
fn says(content: &str, value: &str) -> bool {
    text::contains_whole(&text::fold(content), &text::fold(value))
}

fn mark(event: &Event, correction: &Correction, at: &ZonedDateTime) -> (EventId, Overturned) {
    let overturned =
        Overturned { statement: correction.old.clone(), replaced_by: correction.new.clone(), at: at.timestamp() };
    (event.id, overturned)
}

/// A statement without some of its clauses; `None`: nothing is left.
fn without(text: &str, claims: &[String]) -> Option<String> {
    let mut rest = text.to_owned();
    for claim in claims {
        rest = rest.replacen(claim.as_str(), "", 1);
    }
    let marks = ['，', ',', '；', ';', '。', '.', '、', ' '];
    let clauses: Vec<&str> = rest.split(['，', '；', '。', ';']).map(|clause| clause.trim_matches(marks)).collect();
    clauses.iter().any(|clause| !clause.is_empty()).then(|| rest.trim_matches(marks).to_owned())
}
