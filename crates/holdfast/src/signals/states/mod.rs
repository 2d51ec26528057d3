//! State words that are meant: 「把和华星的会取消」 is, 「没取消」「取消了吗」「如果取消」「"取消"按钮」 are not.
//!
//! In: a reading. Out: state changes with the item they are said of. Each word found goes through the guards in the order
//! of `Guard::passes`; the first that objects drops it. What stays unclear (a plan, a suggestion, hearsay of an order) is
//! dropped too: the task's state is only moved by plain words.

mod dropping;
mod guard;
mod item;
#[cfg(test)]
mod tests;

use jiff::ToSpan;

use crate::types::event::Source;
use crate::types::signals::{DateMention, StateChange, StateWord};

use super::dates::Found;
use super::lexicon::{Form, Hit, Tag};
use super::reading::Reading;

/// State changes that one event can carry; a message that names more is a list about something else.
const CHANGES_MAX: usize = 16;

pub(super) fn find(reading: &Reading<'_>, source: Source) -> Vec<StateChange> {
    let mut changes: Vec<StateChange> = Vec::new();
    let mut after = 0;
    for hit in &reading.hits {
        let (word, form) = match hit.tag {
            Tag::State(word, form) => (word, form),
            Tag::Dropping(word) => (word, Form::Dropping),
            _ => continue,
        };
        // The longest word at a place comes first and takes it.
        if hit.start < after {
            continue;
        }
        if changes.len() == CHANGES_MAX {
            break;
        }
        let Some(clause) = reading.clause_of(hit) else { continue };
        // A word that gives up only with 了 may stand in another list too.
        if matches!(form, Form::WithLe | Form::Dropping) && !guard::passes(reading, hit, clause, word, form) {
            continue;
        }
        let needs_item = form == Form::Dropping || is_told_of_now(reading, hit);
        if form != Form::Dropping {
            after = hit.end;
        }
        // An agent advises ("Cancel unused subscriptions"); only what it says has happened counts.
        if !guard::passes(reading, hit, clause, word, form)
            || source != Source::User && !guard::is_told(reading, hit, clause, form)
        {
            continue;
        }
        let word =
            if word == StateWord::Cancel && guard::only_rests(reading, hit, clause) { StateWord::Pause } else { word };
        let until = (word == StateWord::Postpone).then(|| until(reading, hit)).flatten();
        if form == Form::WithDate && until.is_none() {
            continue;
        }
        let item = match item::of(reading, hit, clause, form) {
            item::Of::Task if needs_item => continue,
            item::Of::Task => None,
            item::Of::Item(span) => Some(span),
            item::Of::Unclear => continue,
        };
        let requested = word != StateWord::Done && guard::is_requested(reading, hit, clause, form, item.as_ref(), word);
        if form == Form::Dropping {
            after = hit.end;
        }
        let requested = requested || form == Form::Dropping && dropping::needs_to_be_known(reading, hit, clause);
        // 「我想取消这个任务」 names the task that is in hand.
        let requested = requested && !(item.is_none() && item::names_the_task(reading, clause));
        let item = item.map(|span| reading.folded.written(span).trim().to_owned());
        changes.push(StateChange { word, item, until, requested, span: reading.folded.span(hit.span()) });
    }
    changes.dedup_by(|later, earlier| later.word == earlier.word && later.item == earlier.item);
    changes
}

/// The date a thing is put off to: the first one behind the word, in the same clause, led by 到 or "to" or directly.
fn until(reading: &Reading<'_>, hit: &Hit) -> Option<DateMention> {
    let clause = reading.clause_of(hit)?;
    let found = reading.date_in(hit.end..clause.span.end)?;
    let between = reading.text()[hit.end..found.span.start].trim();
    let led = between.is_empty()
        || between.ends_with(['到', '至', '在'])
        || ["to", "until", "till", "on", "for", "by", "to the", "to next"]
            .iter()
            .any(|word| super::phrase::ends_with_word(between, word));
    led.then(|| not_past(reading, found))
}

/// 「改到周一上午」 said on a Monday at noon means the next one: nothing is put off to what has begun.
fn not_past(reading: &Reading<'_>, found: &Found) -> DateMention {
    let mention = found.mention.clone();
    let bare = reading
        .hits_in(&(found.span.start..found.span.start + 1))
        .iter()
        .any(|hit| matches!(hit.tag, Tag::Weekday(..)) && hit.start == found.span.start);
    // With its date beside it, it was meant as it was said.
    let dated = mention.text.contains(['(', '（']);
    let week = 7.days();
    if !bare || dated || mention.start > reading.at {
        return mention;
    }
    match (mention.start.checked_add(week), mention.end.checked_add(week)) {
        (Ok(start), Ok(end)) => DateMention { start, end, ..mention },
        _ => mention,
    }
}

/// "the cut-over moves to Thursday" tells of a thing: without one, somebody moves.
fn is_told_of_now(reading: &Reading<'_>, hit: &Hit) -> bool {
    matches!(&reading.text()[hit.span()], "moves" | "slips" | "shifts")
}
