//! One utterance that addresses two tasks: 「周报写完了，接着弄迁移」. It becomes an event for each, or the second task would never hear of it (SPEC
//! 1.4). Where it is cut is decided here, and only where that is plain; everything else stays one event.

use std::ops::Range;

use crate::redact::ORIGIN;
use crate::signals::{self, Lexicon};
use crate::types::event::{Event, Kind, Source};
use crate::types::scope::TaskId;
use crate::types::signals::{Cue, Signals};
use crate::types::task::Task;
use crate::working::{self, Attributed, Given};

/// A longer text is a document, not a breath.
const UTTERANCE_BYTES_MAX: usize = 400;
/// More clauses are a list: its items belong together.
const CLAUSES_MAX: usize = 8;

/// The parts of what a user said, each with the clauses that address one task and those that follow them; `None` where it is of
/// one piece. Rules: (1) a clause addresses a task if it says what became of it, or goes on with it, by its name; (2) at least two
/// known tasks are addressed, or one and after it work that is new (「先放一下搬家。帮我起草团建方案」); (3) a clause that addresses none goes
/// with the one before it, or with the first.
pub(super) fn parts(event: &Event, read: &Signals, tasks: &[Task], lexicon: &Lexicon) -> Option<Vec<Range<usize>>> {
    let text = event.content.as_str();
    let spoken = event.source == Source::User && matches!(event.kind, Kind::Query | Kind::Note | Kind::Feedback);
    // What was redacted is counted for the whole event, and a question, a quotation or a list is not taken apart.
    let whole = !event.redactions.is_empty()
        || event.scope.task.is_some()
        || event.metadata.contains_key(ORIGIN)
        || text.len() > UTTERANCE_BYTES_MAX
        || text.contains(['\n', '"', '“', '「', '`', '(', '（', '?', '？']);
    // Most messages say nothing of tasks, and are done here.
    let silent = read.states.is_empty() && read.cues.is_empty();
    if !spoken || whole || tasks.is_empty() || silent {
        return None;
    }
    let clauses = clauses(text);
    if !(2..=CLAUSES_MAX).contains(&clauses.len()) {
        return None;
    }
    let mut parts: Vec<(Option<Addressed>, Range<usize>)> = Vec::new();
    for clause in clauses {
        let after = parts.last().and_then(|(task, _)| task.as_ref());
        let addressed = addressed(event, &text[clause.clone()], after, tasks, lexicon);
        match parts.last_mut() {
            Some((task, part)) if addressed.is_none() || task.is_none() || *task == addressed => {
                part.end = clause.end;
                *task = addressed.or(task.take());
            }
            _ => parts.push((addressed, clause)),
        }
    }
    (parts.len() > 1).then(|| parts.into_iter().map(|(_, part)| part).collect())
}

/// What a clause is about.
#[derive(PartialEq)]
enum Addressed {
    Known(TaskId),
    /// Work that was asked for behind a word on a known task.
    New,
}

/// What a clause by itself is about; `after`: what the one before it was about.
fn addressed(
    event: &Event,
    clause: &str,
    after: Option<&Addressed>,
    tasks: &[Task],
    lexicon: &Lexicon,
) -> Option<Addressed> {
    let read = signals::read(clause, &event.occurred_at, event.source, lexicon);
    // As if the session were on nothing: then only a name leads to a task.
    let given = Given { task: None, session_task: None, source: event.source, kind: event.kind, text: clause };
    let known = speaks_of_a_task(&read).then(|| working::attribute(tasks, &given, &read));
    if let Some(id) = known.as_ref().and_then(|known| known.to.task()) {
        return Some(Addressed::Known(id.clone()));
    }
    match after {
        // From within that task only what is plainly new opens another.
        Some(Addressed::Known(id)) if asks_for_work(&read) => {
            let within = Given { session_task: Some(id), ..given };
            let opens = matches!(working::attribute(tasks, &within, &read).to, Attributed::Opens { .. });
            opens.then_some(Addressed::New)
        }
        _ => None,
    }
}

fn asks_for_work(read: &Signals) -> bool {
    read.cues.iter().any(|cue| matches!(cue, Cue::Request { topic: Some(_) } | Cue::Switch { topic: Some(_) }))
}

fn speaks_of_a_task(read: &Signals) -> bool {
    let goes_on = |cue: &Cue| matches!(cue, Cue::Continue { topic: Some(_) } | Cue::Switch { topic: Some(_) });
    read.states.iter().any(|state| state.item.is_some()) || read.cues.iter().any(goes_on)
}

/// Clauses without the commas between them; the mark that ends a sentence stays with it.
fn clauses(text: &str) -> Vec<Range<usize>> {
    const CUTS: &[&str] = &["，", "；", "。", "！", ", ", "; ", ". ", "! ", " and ", " then "];
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let next = CUTS.iter().filter_map(|cut| text[start..].find(cut).map(|at| (start + at, *cut))).min();
        let (end, after) = match next {
            Some((at, cut @ ("。" | "！"))) => (at + cut.len(), at + cut.len()),
            Some((at, cut @ (". " | "! "))) => (at + 1, at + cut.len()),
            // "and" belongs to what it leads to.
            Some((at, " and " | " then ")) => (at, at + 1),
            Some((at, cut)) => (at, at + cut.len()),
            None => (text.len(), text.len()),
        };
        let piece = &text[start..end];
        let from = start + piece.len() - piece.trim_start().len();
        let to = from + piece.trim().len();
        if from < to {
            found.push(from..to);
        }
        start = after;
    }
    found
}
