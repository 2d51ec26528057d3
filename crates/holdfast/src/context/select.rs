//! What the block could say, as lines in their fixed order, each with its importance and the shorter forms it may take.

use super::BlockInput;
use super::excerpt;
use super::fence::inline;
use super::labels::Labels;
use crate::text::{extends, json_leaves, repeats, sentences};
use crate::types::context::{BlockItem, Cut, Section};
use crate::types::event::{Kind, Source, StoredEvent};
use crate::types::frame::{Frame, StageSummary, Step, StepStatus};
use crate::types::ids::ElementId;
use crate::types::memory::{Memory, MemoryKind, MemoryStatus, Origin, Stance};
use crate::types::query::{Found, Hit};
use crate::types::task::{Closing, Item, ItemStatus, Task, TaskStatus};

/// What is packed first. Mandatory lines are never cut or reworded (SPEC 2.5); the rest give way from the bottom up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    Mandatory,
    Warning,
    Result,
    /// Status and items: where work stands.
    State,
    /// Standing rules and preferences: in force whatever is asked.
    Rule,
    /// Steps to do, and questions already answered: not to be asked again.
    Plan,
    /// Steps done: not to be done again.
    Done,
    Knowledge,
    Excerpt,
    Artifact,
    /// What earlier stages and much earlier steps came to.
    Past,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) section: Section,
    pub(super) items: Vec<BlockItem>,
    pub(super) weight: Weight,
    /// In full, then ever shorter. Never empty.
    pub(super) forms: Vec<String>,
    /// Among lines of one weight the higher is packed first.
    pub(super) rank: usize,
}

/// Lines in the order of the block, and what was left out before anything was counted.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) lines: Vec<Line>,
    pub(super) cut: Vec<Cut>,
}

/// How many of the latest closed steps are worth more than excerpts.
const DONE_STEPS_RECENT: usize = 20;
/// Of the stages that were left, how many of the latest are summed up: with all of them the block of a long task grew to its budget
/// (835 to 1,990 tokens over 200 steps), and what is asked of an earlier one is found by recall.
const STAGE_SUMMARIES_SHOWN: usize = 3;
/// How many of the latest answers are worth a line, so that nobody asks again what was just settled.
const ANSWERS_SHOWN: usize = 10;
/// How many names of one status are listed when there is no room for all.
const NAMES_WHEN_SHORT: usize = 10;
/// A word of an update as short as this is the id of an element, or a status.
const IDS_CHARACTERS_MAX: usize = 9;

pub(super) fn select(input: &BlockInput<'_>, labels: &Labels) -> Selected {
    let BlockInput { task, hits, unverified_result, .. } = *input;
    let (said, quoted) = (Vec::new(), Vec::new());
    let mut selection = Selection { labels, selected: Selected::default(), said, quoted, unverified_result };
    if let Some(task) = task {
        match (&task.closing, task.frame()) {
            (_, Some(frame)) => selection.live(task, frame),
            (closing, None) => selection.ended(task, closing.as_ref()),
        }
    }
    selection.hits(task, hits);
    let mut selected = selection.selected;
    // Stable: within a section the lines stay as they came.
    selected.lines.sort_by_key(|line| line.section);
    selected
}

struct Selection<'a> {
    labels: &'a Labels,
    selected: Selected,
    /// Texts of working memory that are in the block: an excerpt that only repeats one is left out.
    said: Vec<(ElementId, String)>,
    /// What memories that are in the block were drawn from: only an excerpt can repeat it.
    quoted: Vec<(ElementId, String)>,
    unverified_result: bool,
}

impl Selection<'_> {
    fn live(&mut self, task: &Task, frame: &Frame) {
        self.goals(task);
        for (_, constraint) in task.visible_constraints() {
            self.element(task, Section::Constraints, Weight::Mandatory, &constraint.id, &constraint.text);
        }
        for warning in task.frames.iter().flat_map(|f| &f.warnings).filter(|w| !w.cleared) {
            self.element(task, Section::Warnings, Weight::Warning, &warning.id, &warning.text);
        }
        self.state(task, frame);
        for (place, step) in frame.steps.iter().enumerate() {
            self.step(task, frame, place, step);
        }
        self.items(task);
        self.decisions(task);
        if let Some(result) = &frame.latest_result {
            self.said.push((result.id.clone(), result.text.clone()));
            let aside = if self.unverified_result { self.labels.aside(self.labels.unverified) } else { String::new() };
            let forms = self.forms(&result.text, |text| format!("{text}{aside}"));
            self.line(task, Section::Result, Weight::Result, &result.id, forms);
        }
        for outcome in &frame.outcomes {
            let success = if outcome.success { self.labels.succeeded } else { self.labels.failed };
            let head = format!("{} {}{}", self.labels.subtask, inline(&outcome.goal), self.labels.aside(success));
            let forms = self.forms(&outcome.outcome, |text| self.labels.with(&head, text));
            self.line(task, Section::Conclusions, Weight::Knowledge, &outcome.id, forms);
        }
        let valid = || frame.conclusions.iter().filter(|c| c.valid);
        for conclusion in valid() {
            // One that a later one says with more beside it is left out.
            if let Some(whole) =
                valid().find(|other| other.id != conclusion.id && extends(&other.text, &conclusion.text))
            {
                let reason = format!("{} says it already", whole.id);
                self.cut(Section::Conclusions, element(task, &conclusion.id), &reason);
                continue;
            }
            self.element(task, Section::Conclusions, Weight::Knowledge, &conclusion.id, &conclusion.text);
        }
        self.artifacts(task);
    }

    fn goals(&mut self, task: &Task) {
        for (depth, frame) in task.frames.iter().enumerate() {
            match &frame.goal {
                Some(goal) if depth == 0 => {
                    self.element(task, Section::Goal, Weight::Mandatory, &goal.id, &goal.text);
                }
                Some(goal) => {
                    let text = self.labels.with(self.labels.subtask, &inline(&goal.text));
                    self.line(task, Section::Goal, Weight::Mandatory, &goal.id, vec![text]);
                }
                // No goal was stated: the title is what is known of it.
                None if depth == 0 => self.plain(task, Section::Goal, Weight::Mandatory, &frame.id, &task.title),
                None => {}
            }
        }
    }

    fn state(&mut self, task: &Task, frame: &Frame) {
        let labels = self.labels;
        if task.status != TaskStatus::Open {
            let text = labels.with(labels.status, labels.task(task.status));
            self.plain(task, Section::State, Weight::State, &frame.id, &text);
        }
        if let Some(due) = task.frames.first().and_then(|root| root.due.as_ref()) {
            let text = labels.with(labels.due, &inline(&due.text));
            self.line(task, Section::State, Weight::State, &due.id, vec![text]);
        }
        if let Some(stage) = task.frames.iter().rev().find_map(|f| f.stage.as_deref()) {
            let text = labels.with(labels.stage, stage);
            self.plain(task, Section::State, Weight::State, &frame.id, &text);
        }
        let shown = summaries_shown(frame);
        for summary in &frame.stage_summaries[..frame.stage_summaries.len() - shown.len()] {
            self.cut(Section::State, element(task, &summary.id), "it sums up an earlier stage");
        }
        for summary in shown {
            let stage = summary.stage.as_deref().map_or_else(|| labels.first_stage.to_owned(), inline);
            let forms = self.forms(&summary.text, |text| labels.with(&stage, text));
            self.line(task, Section::State, Weight::Past, &summary.id, forms);
        }
    }

    fn step(&mut self, task: &Task, frame: &Frame, place: usize, step: &Step) {
        let labels = self.labels;
        let text = labels.with(labels.step(step.status), &inline(&step.text));
        let weight = match step.status {
            StepStatus::Doing => Weight::Mandatory,
            StepStatus::Todo => Weight::Plan,
            _ if frame.steps.len() - place <= DONE_STEPS_RECENT => Weight::Done,
            _ => Weight::Past,
        };
        // The latest result has a section of its own.
        let latest = frame.latest_result.as_ref().filter(|latest| latest.step.as_ref() == Some(&step.id));
        let mut forms = match (&step.result, step.status) {
            (Some(result), status) if status.is_closed() && latest.is_none_or(|latest| latest.text != *result) => {
                self.forms(result, |result| format!("{text}{}{}", labels.separator, labels.with(labels.result, result)))
            }
            _ => Vec::new(),
        };
        forms.push(text);
        // To do: the nearest first. Closed: the latest first.
        let rank = if step.status.is_closed() { place } else { frame.steps.len() - place };
        self.ranked(task, Section::Plan, weight, &step.id, forms, rank);
    }

    /// What is open has a line each; what is closed is listed by name, so that nobody does it again.
    fn items(&mut self, task: &Task) {
        let labels = self.labels;
        let status = |wanted: ItemStatus| task.items.iter().filter(move |item| item.status == wanted);
        for wanted in [ItemStatus::Open, ItemStatus::Postponed, ItemStatus::Paused] {
            for item in status(wanted) {
                let text = labels.with(labels.item(wanted), &named(item, labels));
                self.line(task, Section::Items, Weight::State, &item.id, vec![text]);
            }
        }
        for wanted in [ItemStatus::Done, ItemStatus::Cancelled] {
            let listed: Vec<&Item> = status(wanted).collect();
            if listed.is_empty() {
                continue;
            }
            let list = |items: &[&Item]| {
                let names: Vec<String> =
                    items.iter().map(|item| format!("[{}] {}", item.id, named(item, labels))).collect();
                names.join(labels.separator)
            };
            let mut forms = vec![labels.with(labels.item(wanted), &list(&listed))];
            if listed.len() > NAMES_WHEN_SHORT {
                let latest = &listed[listed.len() - NAMES_WHEN_SHORT..];
                let text = format!("{}{}{}", excerpt::LEFT_OUT, labels.separator, list(latest));
                forms.push(labels.with(labels.item(wanted), &text));
            }
            let items = listed.iter().map(|item| element(task, &item.id)).collect();
            let rank = self.selected.lines.len();
            self.selected.lines.push(Line { section: Section::Items, items, weight: Weight::State, forms, rank });
        }
    }

    fn decisions(&mut self, task: &Task) {
        let labels = self.labels;
        let decisions = || task.frames.iter().flat_map(|f| &f.decisions);
        let mut earlier = decisions().filter(|d| d.answer.is_some()).count().saturating_sub(ANSWERS_SHOWN);
        for decision in decisions() {
            let question = inline(&decision.question);
            match &decision.answer {
                None => {
                    let who = decision.who.as_deref().map(|who| labels.aside(&labels.to_confirm_by(&inline(who))));
                    let text = format!("{question}{}", who.unwrap_or_default());
                    self.line(task, Section::Decisions, Weight::Mandatory, &decision.id, vec![text]);
                }
                Some(_) if earlier > 0 => {
                    earlier -= 1;
                    self.cut(Section::Decisions, element(task, &decision.id), "it was answered long ago");
                }
                Some(answer) => {
                    let answer = labels.with(labels.decided, &inline(&answer.text));
                    let text = format!("{question}{}", labels.aside(&answer));
                    self.line(task, Section::Decisions, Weight::Plan, &decision.id, vec![text]);
                }
            }
        }
    }

    fn artifacts(&mut self, task: &Task) {
        let own = task.frames.iter().flat_map(|f| f.outcomes.iter().flat_map(|o| &o.artifacts).chain(&f.artifacts));
        let from_closing = task.closing.iter().filter(|_| task.frames.is_empty()).flat_map(|c| &c.artifacts);
        for artifact in own.chain(from_closing) {
            let locator = inline(&artifact.locator);
            let mut forms = Vec::new();
            if let Some(description) = &artifact.description {
                forms.extend(self.forms(description, |text| format!("{locator}{}", self.labels.aside(text))));
            }
            forms.push(locator);
            self.line(task, Section::Artifacts, Weight::Artifact, &artifact.id, forms);
        }
    }

    /// Where a task that ended stopped. It has no elements to name any more, but for items and artifacts.
    fn ended(&mut self, task: &Task, closing: Option<&Closing>) {
        let labels = self.labels;
        let id = ElementId(String::new());
        let goal = closing.and_then(|closing| closing.goal.as_deref()).unwrap_or(&task.title);
        self.plain(task, Section::Goal, Weight::Mandatory, &id, goal);
        let Some(closing) = closing else {
            let text = labels.with(labels.status, labels.task(task.status));
            return self.plain(task, Section::State, Weight::State, &id, &text);
        };
        let mut status = labels.with(labels.status, labels.outcome(closing.outcome));
        if let Some(reason) = &closing.reason {
            status.push_str(&labels.aside(&labels.with(labels.reason, &inline(reason))));
        }
        self.plain(task, Section::State, Weight::State, &id, &status);
        if let Some(stage) = &closing.stage {
            self.plain(task, Section::State, Weight::State, &id, &labels.with(labels.stopped_at, stage));
        }
        for (steps, status) in [(&closing.done, StepStatus::Done), (&closing.unfinished, StepStatus::Todo)] {
            let weight = if status == StepStatus::Todo { Weight::Plan } else { Weight::Done };
            for step in steps {
                self.plain(task, Section::Plan, weight, &id, &labels.with(labels.step(status), step));
            }
        }
        self.items(task);
        for question in &closing.open_decisions {
            self.plain(task, Section::Decisions, Weight::Plan, &id, question);
        }
        if let Some(result) = &closing.latest_result {
            self.plain(task, Section::Result, Weight::Result, &id, result);
        }
        self.artifacts(task);
    }

    fn hits(&mut self, task: Option<&Task>, hits: &[Hit]) {
        for (place, hit) in hits.iter().enumerate() {
            let rank = hits.len() - place;
            match &hit.found {
                Found::Fact { task: of, id, text, valid, .. } => {
                    let item = BlockItem::Element { task: of.clone(), id: id.clone() };
                    let current =
                        task.filter(|task| task.id == *of).and_then(|task| task.facts.iter().find(|f| f.id == *id));
                    if *valid && current.is_some_and(|fact| !fact.valid) {
                        self.cut(Section::Facts, item, "it no longer holds");
                        continue;
                    }
                    let note = if *valid { String::new() } else { self.labels.aside(self.labels.overturned) };
                    let forms = self.forms(text, |text| format!("[{id}] {text}{note}"));
                    if *valid {
                        self.said.push((id.clone(), text.clone()));
                    }
                    self.push(Section::Facts, item, Weight::Knowledge, forms, rank);
                }
                Found::Memory { memory, standing } => self.memory(memory, *standing, rank),
                Found::Event { event, excerpt, replaced_by } => {
                    let item = BlockItem::Event { id: event.event.id };
                    let mut words = excerpt::words(event, excerpt);
                    if words.is_empty() {
                        self.cut(Section::Excerpts, item, "it only goes on with the work");
                        continue;
                    }
                    if let Some(reason) = task.and_then(|task| self.shown_already(task, event)) {
                        self.cut(Section::Excerpts, item, reason);
                        continue;
                    }
                    let said =
                        |word: &String| self.said.iter().chain(&self.quoted).find(|(_, text)| repeats(text, word));
                    let repeated: Vec<_> = words.iter().filter_map(said).collect();
                    if repeated.len() == words.len() && event.overturned.is_empty() {
                        let reason = format!("{} says it already", repeated[0].0);
                        self.cut(Section::Excerpts, item, &reason);
                        continue;
                    }
                    // What the latest result was taken from says again what it says.
                    if task.is_some_and(|task| is_latest_result(task, event)) {
                        words.retain(|word| !self.said.iter().any(|(_, text)| repeats(text, word)));
                    }
                    let forms = excerpt::forms(event, &words, replaced_by.is_some(), self.labels);
                    self.push(Section::Excerpts, item, Weight::Excerpt, forms, rank);
                }
            }
        }
    }

    /// Whether an event of the task says nothing beyond its working memory: an update put into words, or the JSON that the latest result
    /// is the extract of. Its beginning, torn off somewhere, is no better than that.
    fn shown_already(&self, task: &Task, event: &StoredEvent) -> Option<&'static str> {
        let (kind, content) = (event.event.kind, &event.event.content);
        if event.event.scope.task.as_ref() != Some(&task.id) || !event.overturned.is_empty() {
            return None;
        }
        // The goal is what was asked, without what led up to it.
        let goal = task.frames.first().and_then(|frame| frame.goal.as_ref());
        if goal.is_some_and(|goal| goal.source == event.event.id && content.trim_end().ends_with(goal.text.as_str())) {
            return Some("the goal says it already");
        }
        if is_latest_result(task, event) {
            return json_leaves(content).is_some().then_some("the latest result is its extract");
        }
        // What the system records of it sums up a stage, and is looked for where the stage is no longer shown.
        if kind != Kind::StatusChange || event.event.source == Source::System {
            return None;
        }
        // 「plan: dump; restore」: what it did, and the words of it.
        let words = |line: &str| -> Vec<String> {
            let said = line.split_once(": ").map_or("", |(_, said)| said);
            said.split("; ").flat_map(|part| part.split(": ")).map(str::to_owned).collect()
        };
        let shown = |word: &String| {
            let known = |text: &str| repeats(text, word);
            word.trim().chars().count() <= IDS_CHARACTERS_MAX && word.is_ascii()
                || self.said.iter().any(|(_, text)| known(text))
                || self.selected.lines.iter().filter_map(|line| line.forms.first()).any(|form| known(form))
        };
        content.lines().flat_map(words).all(|word| shown(&word)).then_some("the task's state says it already")
    }

    /// A rule that a constraint states already is not said twice.
    fn memory(&mut self, memory: &Memory, standing: bool, rank: usize) {
        let labels = self.labels;
        let section = if standing { Section::Rules } else { Section::Known };
        let item = BlockItem::Memory { id: memory.id };
        if let Some((by, _)) = self.said.iter().find(|(_, text)| repeats(text, &memory.content)) {
            let reason = format!("{by} says it already");
            return self.cut(section, item, &reason);
        }
        let mut notes = Vec::new();
        if memory.status == MemoryStatus::Fading {
            notes.push(labels.fading.to_owned());
        } else if memory.status != MemoryStatus::Active {
            let until =
                memory.valid_to.as_ref().map(|to| labels.with(labels.until, &to.strftime("%Y-%m-%d").to_string()));
            notes.extend([Some(labels.overturned.to_owned()), until].into_iter().flatten());
        } else if memory.kind == MemoryKind::Inference
            || memory.kind == MemoryKind::Fact && memory.origin == Origin::AgentInferred
        {
            notes.push(labels.inferred.to_owned());
        }
        let note = if notes.is_empty() { String::new() } else { labels.aside(&notes.join(labels.separator)) };
        let forms = self.forms(&memory.content, |text| match memory.kind {
            MemoryKind::Lesson => format!("{}{note}", labels.with(labels.lesson, text)),
            MemoryKind::Procedure => format!("{}{note}", labels.with(labels.procedure, text)),
            _ => format!("{text}{note}"),
        });
        if memory.status == MemoryStatus::Active {
            let id = ElementId(format!("memory {}", memory.id));
            let stated = memory.sources.iter().filter(|source| source.stance == Stance::States);
            self.quoted.extend(stated.map(|source| (id.clone(), source.quote.clone())));
            self.said.push((id, memory.content.clone()));
        }
        let weight = if standing { Weight::Rule } else { Weight::Knowledge };
        self.push(section, item, weight, forms, rank);
    }

    fn cut(&mut self, section: Section, item: BlockItem, reason: &str) {
        self.selected.cut.push(Cut { section, item, reason: reason.to_owned() });
    }

    /// An element by its text. Mandatory ones have no shorter form.
    fn element(&mut self, task: &Task, section: Section, weight: Weight, id: &ElementId, text: &str) {
        self.said.push((id.clone(), text.to_owned()));
        let forms = if weight == Weight::Mandatory { vec![inline(text)] } else { self.forms(text, str::to_owned) };
        self.line(task, section, weight, id, forms);
    }

    /// A line without an id to name.
    fn plain(&mut self, task: &Task, section: Section, weight: Weight, id: &ElementId, text: &str) {
        let forms = if weight == Weight::Mandatory { vec![inline(text)] } else { self.forms(text, str::to_owned) };
        let rank = self.selected.lines.len();
        self.push(section, element(task, id), weight, forms, rank);
    }

    fn line(&mut self, task: &Task, section: Section, weight: Weight, id: &ElementId, forms: Vec<String>) {
        let rank = self.selected.lines.len();
        self.ranked(task, section, weight, id, forms, rank);
    }

    fn ranked(
        &mut self,
        task: &Task,
        section: Section,
        weight: Weight,
        id: &ElementId,
        forms: Vec<String>,
        rank: usize,
    ) {
        let forms = forms.into_iter().map(|form| format!("[{id}] {form}")).collect();
        self.push(section, element(task, id), weight, forms, rank);
    }

    fn push(&mut self, section: Section, item: BlockItem, weight: Weight, forms: Vec<String>, rank: usize) {
        self.selected.lines.push(Line { section, items: vec![item], weight, forms, rank });
    }

    /// A text in full and ever shorter, each dressed up.
    fn forms(&self, text: &str, dress: impl Fn(&str) -> String) -> Vec<String> {
        let parts: Vec<&str> = sentences(text).into_iter().filter_map(|range| text.get(range)).collect();
        let mut forms: Vec<String> = shorter(&parts).iter().map(|text| dress(&inline(text))).collect();
        if forms.is_empty() {
            forms.push(dress(&inline(text)));
        }
        forms
    }
}

/// The summaries of the latest stages. Their events say the same, and need not be found for the block.
pub fn summaries_shown(frame: &Frame) -> &[StageSummary] {
    &frame.stage_summaries[frame.stage_summaries.len().saturating_sub(STAGE_SUMMARIES_SHOWN)..]
}

/// Whether the task's latest result is the extract of what a tool said in this event.
fn is_latest_result(task: &Task, event: &StoredEvent) -> bool {
    let result = task.frame().and_then(|frame| frame.latest_result.as_ref());
    event.event.kind == Kind::ToolResult && result.is_some_and(|result| result.source == event.event.id)
}

fn element(task: &Task, id: &ElementId) -> BlockItem {
    BlockItem::Element { task: task.id.clone(), id: id.clone() }
}

fn named(item: &Item, labels: &Labels) -> String {
    let note = item.note.as_deref().map(|note| labels.aside(&inline(note))).unwrap_or_default();
    format!("{}{note}", inline(&item.name))
}

/// Sentences joined: all of them, the first half, the first one. What is shortened says so by an ellipsis.
pub(super) fn shorter(sentences: &[&str]) -> Vec<String> {
    let mut kept = sentences.len();
    let mut forms = Vec::new();
    while kept > 0 {
        let mut text = join(&sentences[..kept]);
        if kept < sentences.len() {
            text.push_str(excerpt::LEFT_OUT);
        }
        forms.push(text);
        kept = if kept > 1 { kept.div_ceil(2).min(kept - 1) } else { 0 };
    }
    forms
}

/// Chinese sentences follow each other without a space, others with one.
fn join(sentences: &[&str]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if text.chars().next_back().is_some_and(|c| !"。！？；，：…」』”）".contains(c)) {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    text
}
