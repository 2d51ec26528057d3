//! What a task knows of the things and people that talk names: its items, who is to decide, what its steps are about.

use std::collections::BTreeSet;

use super::names::bare;
use crate::text::{find_whole, fold, is_han_or_kana};
use crate::types::frame::Frame;
use crate::types::signals::{EntityKind, Signals};
use crate::types::task::Task;

/// How well a task knows what a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// Words of its steps, or a name that stands in what it has found out.
    SpokenOf,
    /// Who it waits for, or an item of its own, by name.
    Named,
}

/// A run of so many Chinese characters is no chance: 搬家公司.
const RUN_CHARACTERS_MIN: usize = 4;
/// Whoever the agent asks when it asks the user.
const USER: &str = "user";

/// What a task knows of what is named in a text.
pub(super) fn known(task: &Task, folded: &str, signals: &Signals) -> Option<Known> {
    let open = task.frames.iter().flat_map(|frame| &frame.decisions).filter(|decision| decision.answer.is_none());
    let awaited = open.filter_map(|decision| decision.who.as_deref()).filter(|who| *who != USER);
    let items = task.items.iter().map(|item| item.name.as_str());
    let names = |name: &str| {
        let name = bare(name);
        is_a_name(&name) && find_whole(folded, &name).is_some()
    };
    if awaited.chain(items).any(names) {
        return Some(Known::Named);
    }
    let said = runs(folded);
    let planned = task
        .frames
        .iter()
        .flat_map(|frame| frame.steps.iter().map(|step| &step.text).chain(frame.goal.iter().map(|goal| &goal.text)));
    let shares_a_run = planned.into_iter().any(|text| !runs(&fold(text)).is_disjoint(&said));
    let named = signals.entities.iter().filter(|entity| matches!(entity.kind, EntityKind::Name | EntityKind::Id));
    let knows_a_name = || named.clone().any(|entity| is_a_name(&bare(&entity.text)) && mentions(task, &entity.text));
    (shares_a_run || knows_a_name()).then_some(Known::SpokenOf)
}

/// Whether the task speaks of a thing anywhere.
pub(super) fn mentions(task: &Task, name: &str) -> bool {
    let wanted = bare(name);
    let of_frame = |frame: &Frame| -> Vec<String> {
        let goal = frame.goal.iter().map(|goal| &goal.text);
        let steps = frame.steps.iter().flat_map(|step| std::iter::once(&step.text).chain(&step.result));
        let known = frame.conclusions.iter().filter(|c| c.valid).map(|c| &c.text);
        let result = frame.latest_result.iter().map(|result| &result.text);
        goal.chain(steps).chain(known).chain(result).map(|text| fold(text)).collect()
    };
    let facts = task.facts.iter().filter(|fact| fact.valid).map(|fact| fold(&fact.text));
    let mut said = task.frames.iter().flat_map(of_frame).chain(facts);
    wanted.chars().count() > 1 && said.any(|text| find_whole(&text, &wanted).is_some())
}

/// One Chinese character or three letters are in too many texts to tell anything.
fn is_a_name(name: &str) -> bool {
    let han = name.chars().filter(|c| is_han_or_kana(*c)).count();
    han >= 2 || name.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}

/// All runs of so many Chinese characters.
fn runs(folded: &str) -> BTreeSet<String> {
    let characters: Vec<char> = folded.chars().collect();
    let all = characters.windows(RUN_CHARACTERS_MIN).filter(|run| run.iter().all(|c| is_han_or_kana(*c)));
    all.map(|run| run.iter().collect()).collect()
}
