//! Which task a question is about (SPEC 4.1): the tasks at hand and what rules read from the question in, one task or none out, with
//! the reason.
//!
//! Not `attribute`, which decides where an event is kept: a question keeps nothing and turns no session, so it may go by less. What
//! is named comes first, then what the session is on, then the only thing it can be. Between equals none is guessed.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::attribute::{Attributed, Given, pointed};
use super::names::{Match, called, deals_with, goal, matches, named_at, words};
use crate::text::{fold, is_han_or_kana};
use crate::types::query::Route;
use crate::types::scope::TaskId;
use crate::types::signals::{Cue, EntityKind, Signals};
use crate::types::task::{Task, TaskStatus};

/// The task a question is about, and why; without one, the open tasks, most recently active first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    pub task: Option<TaskId>,
    pub reason: String,
    pub open: Vec<TaskId>,
}

/// The latest task is clearly the one that is meant if all others rested for so long before it was last worked on.
const CLEARLY_LATER: SignedDuration = SignedDuration::from_hours(24);

/// A word of a task's title, names or goal tells more than one of its steps or items.
const NAME_WEIGHT: usize = 2;
const PART_WEIGHT: usize = 1;
/// One word of a name, or two of what the task deals with.
const NAMED_MIN: usize = 2;
/// From within another task, two words of a name: one may be said of what is in hand.
const NAMED_FROM_ANOTHER_MIN: usize = 4;
/// The next best must have no more than half of it.
const AHEAD: usize = 2;

/// `tasks`: the owner's live ones and the recently ended. Rules, in order: (1) the task that the caller named; (2) one that the
/// question's cues or its words name; (3) the one the session is on; (4) an ended one, by its name; (5) the only one that is open and
/// does not rest; (6) where it is asked how work stands, the one that is clearly the latest. A question that turns to something
/// unknown, or to what several are called, gets none.
pub fn sought(tasks: &[Task], given: &Given<'_>, signals: &Signals, route: Route) -> Sought {
    let live: Vec<&Task> = tasks.iter().filter(|task| task.status.is_live()).collect();
    let none = |reason: &str| Sought {
        task: None,
        reason: reason.to_owned(),
        open: latest_first(&live).into_iter().map(|task| task.id.clone()).collect(),
    };
    if let Some(id) = given.task {
        return found(id, "the caller named the task");
    }
    let current = given.session_task.and_then(|id| tasks.iter().find(|task| task.id == *id));
    let pointed = pointed(tasks, given, signals);
    match pointed.as_ref().map(|pointed| (&pointed.to, &*pointed.reason)) {
        Some((Attributed::SwitchTo(id) | Attributed::Aside(id), reason)) => return found(id, reason),
        Some((Attributed::Stays(id), reason)) if !asks_for_more_than(current, signals) => return found(id, reason),
        _ => {}
    }
    let question = Question { live: &live, current, signals, text: given.text };
    if let Some(task) = question.names_work().or_else(|| question.shares_words()) {
        return found(&task.id, "it is named by words of it");
    }
    let turned = pointed.filter(|pointed| turns_away(&pointed.to, given, signals));
    match (given.session_task, turned) {
        (_, Some(turned)) => return none(&turned.reason),
        (Some(id), None) => return found(id, "the session is on it"),
        (None, None) => {}
    }
    if route == Route::Nothing {
        return none("it is not about work");
    }
    let folded = fold(given.text);
    let ended = tasks.iter().filter(|task| !task.status.is_live() && named_at(task, &folded).is_some());
    if let Some(task) = ended.max_by_key(|task| task.last_activity.timestamp()) {
        return found(&task.id, "it is named, and has ended");
    }
    let active: Vec<&Task> = live.iter().copied().filter(|task| task.status == TaskStatus::Open).collect();
    let pool = latest_first(if active.is_empty() { &live } else { &active });
    let asks_for_work = route == Route::State || signals.cues.iter().any(|cue| matches!(cue, Cue::Continue { .. }));
    match pool.as_slice() {
        [] => none("no task is open"),
        [only] if live.len() == 1 => found(&only.id, "no task is named, and only this one is open"),
        [only] => found(&only.id, "no task is named, and of those that are open only this one does not rest"),
        [latest, next, ..] if asks_for_work && is_clearly_later(latest, next) => {
            found(&latest.id, "no task is named, and the others rested for a day before it was last worked on")
        }
        _ => none("no task is named, and several are open"),
    }
}

fn found(id: &TaskId, reason: &str) -> Sought {
    Sought { task: Some(id.clone()), reason: reason.to_owned(), open: Vec::new() }
}

fn latest_first<'a>(tasks: &[&'a Task]) -> Vec<&'a Task> {
    let mut tasks = tasks.to_vec();
    tasks.sort_by_key(|task| (std::cmp::Reverse(task.last_activity.timestamp()), task.id.clone()));
    tasks
}

fn is_clearly_later(latest: &Task, next: &Task) -> bool {
    let apart = latest.last_activity.timestamp().duration_since(next.last_activity.timestamp());
    apart >= CLEARLY_LATER
}

/// 「继续迁移」 in a session on the release notes: what is to be continued is none of what is in hand.
fn asks_for_more_than(current: Option<&Task>, signals: &Signals) -> bool {
    signals.cues.iter().any(|cue| match (cue, current) {
        (Cue::Continue { topic: Some(topic) }, Some(task)) => {
            matches(task, topic).is_none() && !deals_with(task, topic)
        }
        _ => false,
    })
}

/// The question leaves what is in hand for something that isn't known, or for one of several.
fn turns_away(to: &Attributed, given: &Given<'_>, signals: &Signals) -> bool {
    let goes_on = |cue: &Cue| matches!(cue, Cue::Continue { topic: None });
    match to {
        // A request may be a step of what is in hand.
        Attributed::Opens { .. } => {
            given.session_task.is_none() || signals.cues.iter().any(|cue| !matches!(cue, Cue::Request { .. }))
        }
        Attributed::Unattributed { candidates } => {
            let in_hand = given.session_task.is_some_and(|id| candidates.contains(id));
            !in_hand && !signals.cues.iter().any(goes_on)
        }
        Attributed::Given(_) | Attributed::Stays(_) | Attributed::SwitchTo(_) | Attributed::Aside(_) => false,
    }
}

struct Question<'a> {
    live: &'a [&'a Task],
    current: Option<&'a Task>,
    signals: &'a Signals,
    text: &'a str,
}

impl<'a> Question<'a> {
    fn in_hand(&self) -> Option<&'a Task> {
        self.current.filter(|task| task.status.is_live())
    }

    /// 「搬家」, "the migration": a piece of work by the word for it, which one task alone is called, or deals with.
    fn names_work(&self) -> Option<&'a Task> {
        let mut named: Option<&Task> = None;
        for entity in self.signals.entities.iter().filter(|entity| entity.kind == EntityKind::Task) {
            let called = |task: &Task| matches(task, &entity.text) >= Some(Match::Part);
            let deals = |task: &Task| self.current.is_none() && deals_with(task, &entity.text);
            let mut holders: Vec<&Task> = self.live.iter().copied().filter(|task| called(task)).collect();
            if holders.is_empty() {
                holders = self.live.iter().copied().filter(|task| deals(task)).collect();
            }
            match (holders.as_slice(), named) {
                ([task], None) => named = Some(task),
                ([task], Some(other)) if task.id != other.id => return None,
                _ => {}
            }
        }
        named.filter(|task| self.in_hand().is_none_or(|current| current.id == task.id || !self.is_about(current)))
    }

    fn is_about(&self, task: &Task) -> bool {
        let asked = telling(&words(self.text));
        !asked.is_disjoint(&name_words(task)) || !asked.is_disjoint(&part_words(task))
    }

    /// The task whose words the question has, where no other has as many.
    fn shares_words(&self) -> Option<&'a Task> {
        let asked = telling(&words(self.text));
        // What is said of the task in hand is not looked for among the others.
        if asked.is_empty() || self.in_hand().is_some_and(|current| self.is_about(current)) {
            return None;
        }
        let names: Vec<BTreeSet<String>> = self.live.iter().map(|task| name_words(task)).collect();
        let parts: Vec<BTreeSet<String>> = self.live.iter().map(|task| part_words(task)).collect();
        let score = |at: usize| -> usize {
            let elsewhere = |word: &String, of: &[BTreeSet<String>]| {
                of.iter().enumerate().any(|(other, words)| other != at && words.contains(word))
            };
            let named = asked.intersection(&names[at]).filter(|word| !elsewhere(word, &names)).count();
            let parts = asked
                .intersection(&parts[at])
                .filter(|word| !names[at].contains(*word) && !elsewhere(word, &names) && !elsewhere(word, &parts));
            named * NAME_WEIGHT + parts.count() * PART_WEIGHT
        };
        let mut scored: Vec<(usize, &Task)> =
            self.live.iter().enumerate().map(|(at, task)| (score(at), *task)).collect();
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let (best, task) = *scored.first()?;
        let next = scored.get(1).map_or(0, |(score, _)| *score);
        let enough = match self.in_hand() {
            Some(current) if current.id != task.id => NAMED_FROM_ANOTHER_MIN,
            _ => NAMED_MIN,
        };
        (best >= enough && next * AHEAD <= best).then_some(task)
    }
}

fn name_words(task: &Task) -> BTreeSet<String> {
    telling(&called(task).chain(goal(task)).flat_map(words).collect())
}

fn part_words(task: &Task) -> BTreeSet<String> {
    let items = task.items.iter().map(|item| item.name.as_str());
    let frames = task.frames.iter().flat_map(|frame| {
        let steps = frame.steps.iter().map(|step| step.text.as_str());
        steps.chain(frame.stage.as_deref()).chain(frame.goal.iter().map(|goal| goal.text.as_str()))
    });
    telling(&items.chain(frames).flat_map(words).collect())
}

/// The words that tell one task from another: no words of asking, no numbers, and English without its endings.
fn telling(words: &BTreeSet<String>) -> BTreeSet<String> {
    let tells = |word: &&String| {
        let han = word.chars().any(is_han_or_kana);
        let small = if han { word.contains(|c| ZH_SMALL.contains(c)) } else { EN_SMALL.contains(&word.as_str()) };
        !small && word.chars().any(char::is_alphabetic) && (han || word.len() > 1)
    };
    words.iter().filter(tells).map(|word| stem(word).to_owned()).collect()
}

/// "migration", "migrate" and "migrating" are of one work.
fn stem(word: &str) -> &str {
    const KEPT_MIN: usize = 4;
    let mut word = word;
    for ending in ["s", "ing", "ion", "ed", "e"] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| word.is_ascii() && rest.len() >= KEPT_MIN) {
            word = rest;
        }
    }
    word
}

/// A pair with one of these in it is of asking, not of work: 到哪, 还差.
const ZH_SMALL: &str = "的了吗呢吧么什怎哪到还差没在是我你他她它们这那个一不有和跟就也都再把给多少几谁为上下来去要能可以说做弄搞继续接着完帮请今明昨天周月年日号点";
/// English words of asking and of any work.
const EN_SMALL: &[&str] = &[
    "what",
    "who",
    "where",
    "when",
    "which",
    "why",
    "how",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "do",
    "does",
    "did",
    "done",
    "doing",
    "have",
    "has",
    "had",
    "we",
    "you",
    "they",
    "he",
    "she",
    "us",
    "your",
    "their",
    "this",
    "that",
    "these",
    "those",
    "there",
    "here",
    "at",
    "by",
    "from",
    "about",
    "into",
    "or",
    "but",
    "not",
    "no",
    "so",
    "if",
    "then",
    "than",
    "can",
    "could",
    "should",
    "would",
    "may",
    "might",
    "must",
    "will",
    "shall",
    "let",
    "lets",
    "tell",
    "show",
    "give",
    "know",
    "need",
    "want",
    "get",
    "go",
    "going",
    "still",
    "left",
    "next",
    "now",
    "yet",
    "any",
    "all",
    "more",
    "much",
    "many",
    "status",
    "progress",
    "far",
    "back",
    "continue",
    "resume",
    "work",
    "working",
    "task",
    "tasks",
    "step",
    "steps",
    "thing",
    "things",
    "project",
    "plan",
    "new",
    "old",
    "last",
    "first",
    "again",
    "just",
    "also",
    "as",
    "up",
    "down",
    "out",
    "off",
    "over",
    "one",
    "two",
    "today",
    "tomorrow",
    "yesterday",
    "week",
    "day",
    "month",
    "year",
    "time",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "help",
    "make",
    "take",
    "be",
    "i",
    "am",
    "don",
    "ll",
    "re",
    "ve",
    "before",
    "after",
    "until",
    "by",
    "date",
    "hour",
    "hours",
    "minutes",
];
