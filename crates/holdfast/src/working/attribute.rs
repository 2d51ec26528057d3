//! Which task an event belongs to (SPEC 1.4): the tasks known and what rules read from the event in, one verdict out.
//!
//! Only the user, or an event that says so outright, turns the talk to another task: what an agent or a tool says belongs
//! to the task the session is on. Where two answers are as good, none is given: an event left unattributed can be found
//! and attributed later, one put into the wrong task misleads.

use std::cell::OnceCell;

use super::imperative::without_lead;
use super::known::{Known, known};
use super::names::{Match, NAME_BYTES_MAX, bare, called, deals_with, find_item, matches, named_at};
use crate::text::fold;
use crate::types::event::{Kind, Source};
use crate::types::scope::TaskId;
use crate::types::signals::{Cue, EntityKind, Signals, StateChange, StateWord};
use crate::types::task::Task;

/// What is known of an event before it is attributed.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The task the caller named: its word is final.
    pub task: Option<&'a TaskId>,
    /// The task the session is on.
    pub session_task: Option<&'a TaskId>,
    pub source: Source,
    pub kind: Kind,
    pub text: &'a str,
}

/// Where an event belongs, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    pub to: Attributed,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attributed {
    /// The caller said so.
    Given(TaskId),
    /// The task the session is on.
    Stays(TaskId),
    /// Another task, and the session goes on with it. An ended one is shown where it stopped.
    SwitchTo(TaskId),
    /// Another task, but the session stays where it is: 「数据迁移先暂停」 said in passing.
    Aside(TaskId),
    /// A task that isn't there yet; `names` are what the talk calls it, folded.
    Opens { title: String, names: Vec<String> },
    /// Can't be told. The session stays on its task.
    Unattributed { candidates: Vec<TaskId> },
}

impl Attributed {
    /// The task the event belongs to, if it is one that exists.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Given(id) | Self::Stays(id) | Self::SwitchTo(id) | Self::Aside(id) => Some(id),
            Self::Opens { .. } | Self::Unattributed { .. } => None,
        }
    }
}

/// `tasks`: the owner's live ones and the recently ended.
pub fn attribute(tasks: &[Task], given: &Given<'_>, signals: &Signals) -> Attribution {
    let talk = Talk::new(tasks, given, signals);
    if let Some(id) = given.task {
        return verdict(Attributed::Given(id.clone()), "the caller named the task");
    }
    if given.kind == Kind::TaskSwitch {
        return talk.told_to_switch();
    }
    if given.source != Source::User || given.kind == Kind::Imported {
        return talk.stays("only the user turns the talk to another task");
    }
    talk.points()
        .or_else(|| talk.wants_work())
        .or_else(|| talk.is_known_to_one())
        .unwrap_or_else(|| talk.stays("nothing in it points to another task"))
}

/// Whether a state word is about another live task by its name, and nothing of this one.
pub fn is_of_another(task: &Task, tasks: &[Task], state: &StateChange) -> bool {
    let Some(item) = state.item.as_deref() else { return false };
    let of_this = matches(task, item).is_some() || deals_with(task, item) || find_item(&task.items, item).is_some();
    let called =
        |other: &Task| other.id != task.id && other.status.is_live() && matches(other, item) >= Some(Match::Part);
    !of_this && tasks.iter().any(called)
}

/// Where a user's words point by themselves; `None`: nowhere.
pub(super) fn pointed(tasks: &[Task], given: &Given<'_>, signals: &Signals) -> Option<Attribution> {
    Talk::new(tasks, given, signals).points()
}

struct Talk<'a> {
    tasks: &'a [Task],
    given: &'a Given<'a>,
    current: Option<&'a Task>,
    signals: &'a Signals,
    /// The text folded, once a rule asks: most events are attributed without.
    folded: OnceCell<String>,
}

impl<'a> Talk<'a> {
    fn new(tasks: &'a [Task], given: &'a Given<'a>, signals: &'a Signals) -> Self {
        let current = given.session_task.and_then(|id| tasks.iter().find(|task| task.id == *id));
        Self { tasks, given, current, signals, folded: OnceCell::new() }
    }

    fn points(&self) -> Option<Attribution> {
        self.states_of_other_tasks().or_else(|| self.cues()).or_else(|| self.names_a_task())
    }

    fn folded(&self) -> &str {
        self.folded.get_or_init(|| fold(self.given.text))
    }

    fn stays(&self, reason: &str) -> Attribution {
        match (self.given.session_task, self.current) {
            (Some(id), Some(task)) if task.status.is_live() => verdict(Attributed::Stays(id.clone()), reason),
            // The work on an ended task is over, but thanks and questions about it still belong to it.
            (Some(id), _) => verdict(Attributed::Stays(id.clone()), reason),
            (None, _) => unattributed(Vec::new(), "the session is on no task, and nothing in it names one"),
        }
    }

    fn goes_to(&self, task: &Task, reason: &str) -> Attribution {
        let to = if self.is_current(task) {
            Attributed::Stays(task.id.clone())
        } else {
            Attributed::SwitchTo(task.id.clone())
        };
        verdict(to, reason)
    }

    fn is_current(&self, task: &Task) -> bool {
        self.current.is_some_and(|current| current.id == task.id)
    }

    /// An event of kind task_switch: from whomever, it is about nothing but the task.
    fn told_to_switch(&self) -> Attribution {
        let topic = self.topic().unwrap_or(self.given.text).trim();
        match self.best(topic, |_| true) {
            Best::One(task) => self.goes_to(task, "a task_switch event names it"),
            Best::Several(candidates) => unattributed(candidates, "a task_switch event names several tasks"),
            Best::None if bare(topic).is_empty() => unattributed(Vec::new(), "a task_switch event names no task"),
            Best::None => self.opens(topic, "a task_switch event names a task that isn't known yet"),
        }
    }

    fn topic(&self) -> Option<&str> {
        self.signals.cues.iter().find_map(|cue| match cue {
            Cue::Continue { topic } | Cue::Switch { topic } | Cue::Request { topic } => topic.as_deref(),
        })
    }

    /// 「数据迁移先暂停」: a state word about another task by its name. Only resuming takes the session there.
    fn states_of_other_tasks(&self) -> Option<Attribution> {
        let state = self.signals.states.iter().find(|state| state.item.is_some())?;
        let item = state.item.as_deref()?;
        if self.current.is_some_and(|task| matches(task, item) == Some(Match::Exact) || deals_with(task, item)) {
            return Some(self.stays("the state word is about something of the task in hand"));
        }
        let may_be = |task: &Task| task.status.is_live() || state.word == StateWord::Resume;
        let Best::One(task) = self.best_of(item, may_be, Match::Part) else { return self.state_of_an_item(item) };
        let reason = "a state word about a task by its name";
        if state.word == StateWord::Resume || self.current.is_none() || self.is_current(task) {
            return Some(self.goes_to(task, reason));
        }
        Some(verdict(Attributed::Aside(task.id.clone()), reason))
    }

    /// "The call with Fernbrook moved to Friday": an item that a live task has by that name.
    fn state_of_an_item(&self, item: &str) -> Option<Attribution> {
        let has = |task: &&Task| task.status.is_live() && find_item(&task.items, item).is_some();
        let with_it: Vec<&Task> = self.tasks.iter().filter(has).collect();
        match with_it.as_slice() {
            [] => None,
            [task] if self.current.is_none() || self.is_current(task) => {
                Some(self.goes_to(task, "a state word about an item of the task"))
            }
            [task] => Some(verdict(Attributed::Aside(task.id.clone()), "a state word about an item of another task")),
            several => {
                let candidates = several.iter().map(|task| task.id.clone()).collect();
                Some(unattributed(candidates, "a state word about an item that several tasks have"))
            }
        }
    }

    fn cues(&self) -> Option<Attribution> {
        let mut switching = false;
        let mut request = None;
        for cue in &self.signals.cues {
            match cue {
                Cue::Continue { topic: Some(topic) } => return Some(self.continues(topic)),
                Cue::Continue { topic: None } => return Some(self.goes_on()),
                Cue::Switch { topic: Some(topic) } if self.turns_to(topic) && !self.only_adds(topic) => {
                    return Some(self.switches(topic));
                }
                Cue::Switch { topic: None } => switching = true,
                // 「另外，华星的报价不要写进去」 adds to what is being talked of.
                Cue::Switch { topic: Some(_) } => {}
                Cue::Request { topic } => request = request.or(Some(topic.as_deref())),
            }
        }
        match (switching, request) {
            (true, Some(Some(topic))) => Some(self.switches(topic)),
            (true, _) => {
                let candidates = self.given.session_task.cloned().into_iter().collect();
                Some(unattributed(candidates, "the talk turns to something else without naming it"))
            }
            (false, Some(Some(topic))) => Some(self.requests(topic)),
            (false, Some(None) | None) => None,
        }
    }

    /// Whether a topic is something to turn to: a task that is known, or a piece of work by name or by request.
    fn turns_to(&self, topic: &str) -> bool {
        let asked = self
            .signals
            .cues
            .iter()
            .any(|cue| matches!(cue, Cue::Request { topic: Some(asked) } if bare(asked) == bare(topic)));
        asked || self.names_work(topic) || self.tasks.iter().any(|task| matches(task, topic) >= Some(Match::Part))
    }

    /// 「顺便帮我加一件行李」: with work in hand, a weak turn to what is no piece of work by its name and isn't to be made.
    fn only_adds(&self, topic: &str) -> bool {
        let known = self.tasks.iter().any(|task| matches(task, topic) >= Some(Match::Part));
        self.is_at_work() && !known && !self.names_work(topic) && !self.says_any(MAKING) && self.says_any(FOLLOWING)
    }

    fn is_at_work(&self) -> bool {
        self.current.is_some_and(|task| task.status.is_live())
    }

    /// 「接着把周报弄完」, 「继续上次的周报」: the task by that name, the live one first; an ended one is taken up again.
    fn continues(&self, topic: &str) -> Attribution {
        if self.current.is_some_and(|task| task.status.is_live() && matches(task, topic) >= Some(Match::Part)) {
            return self.stays("continues the task in hand by name");
        }
        match self.best(topic, |task| task.status.is_live()) {
            Best::One(task) => return self.goes_to(task, "continues a task by name"),
            Best::Several(candidates) => return unattributed(candidates, "several tasks are called so"),
            Best::None => {}
        }
        if self.current.is_some_and(|task| deals_with(task, topic)) {
            return self.stays("continues a part of the task in hand");
        }
        match self.best(topic, |task| !task.status.is_live()) {
            Best::One(task) => return self.goes_to(task, "continues an ended task by name"),
            Best::Several(candidates) => return unattributed(candidates, "several ended tasks are called so"),
            Best::None => {}
        }
        let mut with_it = self.tasks.iter().filter(|task| task.status.is_live() && deals_with(task, topic));
        match (with_it.next(), with_it.next()) {
            (Some(task), None) => self.goes_to(task, "continues a part of a task"),
            (Some(task), Some(other)) => {
                unattributed(vec![task.id.clone(), other.id.clone()], "several tasks deal with it")
            }
            _ if self.names_work(topic) => self.opens(topic, "continues a task that isn't known yet"),
            _ => self.stays("continues, and no other task goes by that name"),
        }
    }

    /// 「继续」: what the session is on, or the only thing there is to go on with.
    fn goes_on(&self) -> Attribution {
        if self.given.session_task.is_some() {
            return self.stays("goes on with the task in hand");
        }
        let live: Vec<&Task> = self.tasks.iter().filter(|task| task.status.is_live()).collect();
        match live.as_slice() {
            [task] => self.goes_to(task, "goes on, and only one task is open"),
            several => {
                let candidates = several.iter().map(|task| task.id.clone()).collect();
                unattributed(candidates, "goes on, but several tasks are open, or none")
            }
        }
    }

    fn switches(&self, topic: &str) -> Attribution {
        match self.best(topic, |task| task.status.is_live()) {
            Best::One(task) => self.goes_to(task, "the talk turns to a task by name"),
            Best::Several(candidates) => unattributed(candidates, "the talk turns to a name that several tasks have"),
            Best::None => self.opens(topic, "the talk turns to something new"),
        }
    }

    /// A request for work. An ended task doesn't catch it: this week's report is a new one.
    fn requests(&self, topic: &str) -> Attribution {
        if self
            .current
            .is_some_and(|task| task.status.is_live() && (matches(task, topic).is_some() || deals_with(task, topic)))
        {
            return self.stays("asks for work on the task in hand");
        }
        match self.best_of(topic, |task| task.status.is_live(), Match::Part) {
            Best::One(task) => return self.goes_to(task, "asks for work on a task by name"),
            Best::Several(candidates) => {
                return unattributed(candidates, "asks for work on a name that several tasks have");
            }
            Best::None => {}
        }
        let at_hand = self.says_any(POINTERS);
        // "Can you also add a bag", "Thanks. Could you …": something more of what is being talked of.
        let follows = self.says_any(FOLLOWING) || ANSWERING.iter().any(|word| self.begins_with(word));
        match (self.is_at_work(), at_hand) {
            (true, _) if follows => self.stays("asks for something more within the task in hand"),
            (false, _) if follows && !(self.names_work(topic) && self.says_any(MAKING)) => {
                self.stays("asks for something more of what was just spoken of")
            }
            (false, false) => self.opens(topic, "asks for new work"),
            (false, true) => self.stays("asks for work on what was just spoken of"),
            (true, true) => self.stays("asks for work on what is at hand"),
            (true, false) if self.names_work(topic) || self.says_any(MAKING) => {
                self.opens(topic, "asks for new work that has nothing of the task in hand")
            }
            (true, false) => {
                let candidates = self.given.session_task.cloned().into_iter().collect();
                unattributed(candidates, "asks for something that may or may not be part of the task in hand")
            }
        }
    }

    /// A task by its name, without any cue. At the head of the sentence it is the topic; elsewhere it may be a comparison.
    fn names_a_task(&self) -> Option<Attribution> {
        let named = |task: &&Task| named_at(task, self.folded()).map(|(at, len)| (len, usize::MAX - at));
        if self.current.is_some_and(|task| named(&task).is_some()) {
            return Some(self.stays("names the task in hand"));
        }
        let live: Vec<&Task> =
            self.tasks.iter().filter(|task| task.status.is_live() && named(task).is_some()).collect();
        let best = live.iter().filter_map(named).map(|(len, _)| len).max()?;
        let longest: Vec<&Task> =
            live.into_iter().filter(|task| named(task).is_some_and(|(len, _)| len == best)).collect();
        let [task] = longest.as_slice() else {
            let candidates = longest.iter().map(|task| task.id.clone()).collect();
            return Some(unattributed(candidates, "names several tasks"));
        };
        let (at, _) = named_at(task, self.folded())?;
        let head = self.folded().get(..at).is_some_and(is_head) || self.folded().trim_end().ends_with('?');
        let compared = self.says_any(COMPARING);
        match self.given.session_task {
            None if !compared => Some(self.goes_to(task, "names a task, and the session is on none")),
            _ if head && !compared => Some(self.goes_to(task, "its topic is another task by name")),
            _ if compared => Some(self.stays("another task is named only to compare")),
            _ => {
                let candidates = self.given.session_task.cloned().into_iter().chain([task.id.clone()]).collect();
                Some(unattributed(candidates, "names another task, but not as its topic"))
            }
        }
    }

    /// "We need to plan the migration": work wished for by its name, where nothing else is in hand.
    fn wants_work(&self) -> Option<Attribution> {
        if self.current.is_some_and(|task| task.status.is_live()) || self.given.text.contains(['?', '？']) {
            return None;
        }
        let wished = WISHING.iter().any(|word| self.folded().trim_start().starts_with(word));
        let named = self.signals.entities.iter().filter(|entity| entity.kind == EntityKind::Task);
        let work = named.filter(|entity| !bare(&entity.text).is_empty()).max_by_key(|entity| entity.text.len())?;
        (wished && self.says_any(MAKING))
            .then(|| self.opens(&work.text, "wishes for work by its name, and none is in hand"))
    }

    /// 「王总定了，就用顺达」 opens a session: the only task that waits for 王总, or the only one there is, if it speaks of what is named.
    fn is_known_to_one(&self) -> Option<Attribution> {
        if self.given.session_task.is_some() {
            return None;
        }
        let live: Vec<&Task> = self.tasks.iter().filter(|task| task.status.is_live()).collect();
        let known: Vec<(Known, &Task)> =
            live.iter().filter_map(|task| Some((known(task, self.folded(), self.signals)?, *task))).collect();
        let named: Vec<&Task> = known.iter().filter(|(how, _)| *how == Known::Named).map(|(_, task)| *task).collect();
        match (named.as_slice(), known.as_slice(), live.len()) {
            ([task], ..) => Some(self.goes_to(task, "names what only one task waits for or deals with")),
            ([], [(_, task)], 1) => Some(self.goes_to(task, "speaks of what the only open task is about")),
            _ => None,
        }
    }

    fn says_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.says(word))
    }

    fn says(&self, word: &str) -> bool {
        crate::text::find_whole(self.folded(), word).is_some()
    }

    fn begins_with(&self, word: &str) -> bool {
        let rest = self.folded().trim_start().strip_prefix(word);
        rest.is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }

    /// The rules know the topic for a piece of work: 周报, "the migration".
    fn names_work(&self, topic: &str) -> bool {
        let topic = bare(topic);
        self.signals.entities.iter().filter(|entity| entity.kind == EntityKind::Task).any(|entity| {
            let name = bare(&entity.text);
            // The head of a name comes last in Chinese: 「华星的报价不要写进去」 is no quotation to be written.
            let heads = topic.ends_with(&name) || (name.is_ascii() && topic.contains(&name)) || name.contains(&topic);
            !name.is_empty() && heads
        })
    }

    fn opens(&self, topic: &str, reason: &str) -> Attribution {
        let title = title(topic);
        let mut names = vec![bare(topic)];
        for entity in self.signals.entities.iter().filter(|entity| entity.kind == EntityKind::Task) {
            let name = bare(&entity.text);
            if !name.is_empty() && !names.contains(&name) && topic.contains(&entity.text) {
                names.push(name);
            }
        }
        names.retain(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX);
        verdict(Attributed::Opens { title, names }, reason)
    }

    fn best(&self, topic: &str, eligible: impl Fn(&Task) -> bool) -> Best<'_> {
        self.best_of(topic, eligible, Match::Words(0))
    }

    /// The task a topic names best. Equals are told apart only as runs of one series (the same name): the latest is meant.
    fn best_of(&self, topic: &str, eligible: impl Fn(&Task) -> bool, least: Match) -> Best<'_> {
        let found: Vec<(Match, &Task)> = self
            .tasks
            .iter()
            .filter(|task| eligible(task))
            .filter_map(|task| Some((matches(task, topic)?, task)))
            .filter(|(how, _)| *how >= least)
            .collect();
        let Some(top) = found.iter().map(|(how, _)| *how).max() else { return Best::None };
        let tied: Vec<&Task> = found.into_iter().filter(|(how, _)| *how == top).map(|(_, task)| task).collect();
        let Some(latest) = tied.iter().max_by_key(|task| (task.last_activity.timestamp(), &task.id)) else {
            return Best::None;
        };
        let series =
            |task: &&Task| called(task).map(bare).any(|name| called(latest).map(bare).any(|other| other == name));
        if tied.iter().all(series) {
            return Best::One(latest);
        }
        Best::Several(tied.iter().map(|task| task.id.clone()).collect())
    }
}

enum Best<'a> {
    One(&'a Task),
    Several(Vec<TaskId>),
    None,
}

/// A name with no more than this before it is the topic: 「那个数据迁移怎么样了」, "how about the migration".
const HEAD_CHARACTERS_MAX: usize = 6;
const HEAD_WORDS_MAX: usize = 4;
/// Longest title made from talk, in characters.
const TITLE_CHARACTERS_MAX: usize = 60;

/// Words that point at what is before the speakers: the request is about it, whatever it is called.
const POINTERS: &[&str] = &[
    "它",
    "这个",
    "这些",
    "这段",
    "这里",
    "这份",
    "这张",
    "上面",
    "上述",
    "刚才",
    "刚刚",
    "前面",
    "那个",
    "那段",
    "里面",
    "第一",
    "第二",
    "第三",
    "第四",
    "第五",
    "最后一",
    "开头",
    "结尾",
    "再",
    "改成",
    "改为",
    "换成",
    "it",
    "this",
    "that",
    "these",
    "those",
    "above",
    "again",
    "instead",
    "first",
    "second",
    "third",
    "last",
    "there",
];
/// Words that say that a request comes on top of what is being done.
const FOLLOWING: &[&str] = &[
    "也",
    "还",
    "再",
    "顺便",
    "顺手",
    "另外",
    "一并",
    "一起",
    "also",
    "too",
    "as well",
    "while you're at it",
    "in addition",
    "additionally",
    "before we finish",
    "one more thing",
    "besides",
];
/// What an answer begins with: what comes behind it goes on with the talk.
const ANSWERING: &[&str] = &[
    "是的",
    "对",
    "好的，谢谢",
    "没关系",
    "没事",
    "谢谢",
    "yes",
    "yeah",
    "yep",
    "no",
    "sure",
    "thanks",
    "thank you",
    "great",
    "perfect",
    "okay, thanks",
    "no worries",
    "no problem",
    "that's fine",
    "that works",
    "alright",
    "understood",
    "got it",
];
/// Verbs that bring something new into the world.
const MAKING: &[&str] = &[
    "写",
    "起草",
    "做一",
    "做个",
    "制作",
    "准备",
    "创建",
    "新建",
    "策划",
    "规划",
    "设计",
    "开发",
    "搭建",
    "搭一",
    "拟一",
    "出一份",
    "生成一",
    "write",
    "draft",
    "create",
    "build",
    "prepare",
    "plan",
    "design",
    "develop",
    "make",
];
/// How a wish for work begins.
const WISHING: &[&str] = &[
    "we need to",
    "i need to",
    "i want to",
    "we have to",
    "we should",
    "let's",
    "let us",
    "i'd like to",
    "time to",
    "我要",
    "我想",
    "我需要",
    "我们要",
    "我们需要",
    "咱们",
    "需要",
    "得",
];
/// Words that name a task only to compare with it.
const COMPARING: &[&str] = &[
    "像",
    "参考",
    "参照",
    "按照",
    "仿照",
    "类似",
    "那样",
    "一样",
    "like",
    "same as",
    "similar to",
    "based on",
    "compared",
];

fn is_head(before: &str) -> bool {
    if before.is_ascii() && !before.trim().is_empty() {
        return before.split_whitespace().count() <= HEAD_WORDS_MAX;
    }
    bare(before).chars().count() <= HEAD_CHARACTERS_MAX
}

fn title(topic: &str) -> String {
    let topic = without_lead(topic).split_whitespace().collect::<Vec<_>>().join(" ");
    let topic = topic.trim_matches(|c: char| c.is_whitespace() || "，。,.：:；;！!？?".contains(c));
    match topic.char_indices().nth(TITLE_CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &topic[..at]),
        None => topic.to_owned(),
    }
}

fn verdict(to: Attributed, reason: &str) -> Attribution {
    Attribution { to, reason: reason.to_owned() }
}

fn unattributed(candidates: Vec<TaskId>, reason: &str) -> Attribution {
    verdict(Attributed::Unattributed { candidates }, reason)
}
