//! What things are called in talk: the same item under slightly different words, a task by its name or topic.

use std::collections::BTreeSet;

use crate::text::{find_whole, fold, is_han_or_kana, same};
use crate::types::signals::{Cue, EntityKind, Signals};
use crate::types::task::{Item, Task};

/// Words that stand before a name without being part of it.
const BEFORE_A_NAME: &[&str] = &[
    "上次的",
    "上次",
    "上周的",
    "上回的",
    "昨天的",
    "之前的",
    "刚才的",
    "那个",
    "这个",
    "那份",
    "这份",
    "那项",
    "这项",
    "我的",
    "我们的",
    "和",
    "跟",
    "与",
    "给",
    "把",
    "一份",
    "一个",
    "一下",
    "写",
    "做",
    "弄",
    "搞",
    "the ",
    "a ",
    "an ",
    "my ",
    "our ",
    "that ",
    "this ",
    "last ",
    "previous ",
    "earlier ",
    "with ",
    "on ",
];
/// Words that stand behind a name without being part of it.
const AFTER_A_NAME: &[&str] = &[
    "的事情",
    "的事",
    "这件事",
    "这事",
    "任务",
    "的任务",
    "写完",
    "做完",
    "弄完",
    "搞完",
    "完成",
    "的",
    "了",
    "吧",
    " task",
    " work",
    " thing",
    " stuff",
];

/// A name without the small words around it, folded.
pub(super) fn bare(name: &str) -> String {
    let mut name = fold(name);
    loop {
        let trimmed = name.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let shorter = BEFORE_A_NAME
            .iter()
            .find_map(|word| trimmed.strip_prefix(word))
            .or_else(|| AFTER_A_NAME.iter().find_map(|word| trimmed.strip_suffix(word)))
            .filter(|rest| !rest.trim().is_empty());
        match shorter {
            Some(rest) => name = rest.to_owned(),
            None => return trimmed,
        }
    }
}

/// The item a name means: the one called so, or the only one called so but for small words, or with the same words in another
/// order ("the Fernbrook call" is "the call with Fernbrook").
pub(super) fn find_item(items: &[Item], name: &str) -> Option<usize> {
    if let Some(at) = items.iter().position(|item| same(&item.name, name)) {
        return Some(at);
    }
    let wanted = bare(name);
    let mut alike = items.iter().enumerate().filter(|(_, item)| bare(&item.name) == wanted).map(|(at, _)| at);
    if let Some(at) = alike.next() {
        return alike.next().is_none().then_some(at);
    }
    // Pairs of Chinese characters are no words.
    let of_name = words(&wanted);
    let mut same_words = items
        .iter()
        .enumerate()
        .filter(|(_, item)| of_name.len() > 1 && wanted.is_ascii() && words(&bare(&item.name)) == of_name);
    let (at, _) = same_words.next()?;
    same_words.next().is_none().then_some(at)
}

/// How well a topic names a task. Ordered: an exact name is better than a part, a part better than shared words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    /// Percent of the topic's words that the task's title, names and goal share.
    Words(u8),
    /// The topic is part of a name, or a name part of the topic.
    Part,
    Exact,
}

/// Shared words below this share of the topic are chance.
const WORDS_PERCENT_MIN: usize = 60;

pub(super) fn matches(task: &Task, topic: &str) -> Option<Match> {
    let wanted = bare(topic);
    if wanted.is_empty() {
        return None;
    }
    let names: Vec<String> = called(task).map(bare).collect();
    if names.iter().any(|name| same(name, &wanted)) {
        return Some(Match::Exact);
    }
    if names.iter().any(|name| holds(name, &wanted) || holds(&wanted, name)) {
        return Some(Match::Part);
    }
    let of_topic = words(&wanted);
    let mut of_task: BTreeSet<String> = names.iter().flat_map(|name| words(name)).collect();
    of_task.extend(goal(task).map(words).unwrap_or_default());
    let shared = of_topic.intersection(&of_task).count();
    let percent = shared * 100 / of_topic.len().max(1);
    let enough = percent >= WORDS_PERCENT_MIN && shared > 0;
    enough.then(|| Match::Words(u8::try_from(percent).unwrap_or(100)))
}

/// Whether what is said of `name` is said of the task itself: by its name, or by a part of it that stands for it.
pub(super) fn is_called(task: &Task, name: &str) -> bool {
    let wanted = bare(name);
    called(task).map(bare).any(|called| same(&called, &wanted) || holds(&called, &wanted))
}

/// Something the task itself deals with: an item, a step, its stage.
pub(super) fn deals_with(task: &Task, topic: &str) -> bool {
    let wanted = bare(topic);
    if wanted.is_empty() {
        return false;
    }
    let items = task.items.iter().map(|item| item.name.as_str());
    let frames = task.frames.iter().flat_map(|frame| {
        let goal = frame.goal.iter().map(|goal| goal.text.as_str());
        let steps = frame.steps.iter().map(|step| step.text.as_str());
        goal.chain(steps).chain(frame.stage.as_deref())
    });
    items.chain(frames).map(bare).any(|text| holds(&text, &wanted) || holds(&wanted, &text))
}

/// Where in the folded text one of the task's names stands, and how long it is.
pub(super) fn named_at(task: &Task, folded_text: &str) -> Option<(usize, usize)> {
    called(task)
        .map(bare)
        .filter(|name| weighs_enough(name))
        .filter_map(|name| find_whole(folded_text, &name).map(|at| (at, name.len())))
        .max_by_key(|&(at, len)| (len, usize::MAX - at))
}

/// What a task may be called by parts of its title: the runs of ideographs in it (数据迁移 of CRM数据迁移, 周报 of 周报-第48周), but for
/// the number of an issue.
pub fn names_in(title: &str) -> Vec<String> {
    let folded = fold(title);
    let runs = folded.split(|c: char| !is_han_or_kana(c)).filter(|run| run.chars().count() >= 2);
    let named = runs.filter(|run| !run.starts_with('第') && *run != folded);
    named.map(str::to_owned).collect()
}

/// Longest name kept for finding a task in talk, in bytes.
pub(super) const NAME_BYTES_MAX: usize = 120;

/// What a task that the caller named may be called by: parts of that name, and what the words that opened it call the work, by the
/// rules of `names_work`. 「帮我安排公司搬家」 opens `office-move`, and 「搬家到哪一步了」 asks for it.
pub fn names_given(title: &str, signals: &Signals) -> Vec<String> {
    let mut names = names_in(title);
    let works = signals.entities.iter().filter(|entity| entity.kind == EntityKind::Task).map(|entity| &entity.text);
    let asked = signals.cues.iter().filter_map(|cue| match cue {
        Cue::Request { topic: Some(topic) } | Cue::Switch { topic: Some(topic) } => Some(topic),
        _ => None,
    });
    for topic in asked {
        // 「把报价收一下」 within a task is no name of it, but 「安排公司搬家」 has a piece of work at its end.
        let topic = bare(topic);
        let heads = |work: &String| topic.ends_with(&bare(work)) || topic.is_ascii() && topic.contains(&bare(work));
        if works.clone().any(heads) {
            names.push(topic);
        }
    }
    names.extend(works.clone().next().map(|work| bare(work)).filter(|_| works.count() == 1));
    names.retain(|name| weighs_enough(name) && name.len() <= NAME_BYTES_MAX);
    names.sort();
    names.dedup();
    names
}

/// The task's title and names, as written.
pub(super) fn called(task: &Task) -> impl Iterator<Item = &str> {
    std::iter::once(task.title.as_str()).chain(task.names.iter().map(String::as_str))
}

pub(super) fn goal(task: &Task) -> Option<&str> {
    let goal = task.frames.first().and_then(|frame| frame.goal.as_ref()).map(|goal| goal.text.as_str());
    goal.or_else(|| task.closing.as_ref().and_then(|closing| closing.goal.as_deref()))
}

fn holds(text: &str, part: &str) -> bool {
    weighs_enough(part) && find_whole(text, part).is_some()
}

/// One Chinese character or two letters are in too many texts to name anything.
fn weighs_enough(name: &str) -> bool {
    let han = name.chars().filter(|&c| is_han_or_kana(c)).count();
    let letters = name.chars().filter(|c| c.is_alphanumeric()).count() - han;
    han >= 2 || letters >= 3 || (han >= 1 && letters >= 1)
}

/// Words of no topic.
const STOP_WORDS: &[&str] = &[
    "the", "a", "an", "of", "for", "to", "and", "in", "on", "with", "my", "our", "me", "it", "is", "new", "please",
    "some",
];

/// Latin words and pairs of Chinese characters.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in fold(text).chars().chain([' ']) {
        let han = is_han_or_kana(c);
        if c.is_alphanumeric() && !han {
            word.push(c);
        } else if !word.is_empty() {
            let done = std::mem::take(&mut word);
            if !STOP_WORDS.contains(&done.as_str()) {
                words.insert(done);
            }
        }
        if let (true, Some(first)) = (han, before) {
            words.insert([first, c].iter().collect());
        }
        before = han.then_some(c);
    }
    words
}
