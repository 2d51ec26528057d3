//! Stages that are over (SPEC 6.5): which they are, by the journal, and what they came to, in the words of their own events.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::writing::{Writer, Written};
use crate::engine::{Engine, Error};
use crate::journal::MANAGER;
use crate::manager::{Room, compress, faithfulness};
use crate::redact;
use crate::store::{EventPage, JournalPage, StoreError};
use crate::text;
use crate::types::change::{ChangeSet, NewEvent, TaskChange};
use crate::types::event::{Kind, RawEvent, Source, StoredEvent};
use crate::types::frame::Frame;
use crate::types::ids::{EventId, Seq};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::query::Filter;
use crate::types::scope::{Owner, Scope, TaskId};
use crate::types::signals::{EntityKind, Language, Signals};
use crate::types::task::{ItemStatus, Task};
use crate::types::update::{Action, Update};
use crate::working;

/// Lines of the journal read at a time.
const PAGE: usize = 500;

/// Stages of one task looked back at.
const STAGES_MAX: usize = 100;

/// Events a summary is drawn from, the stage's last: what it came to is said at its end.
const EVENTS_MAX: usize = 120;

/// Of each of them at most so much.
const EVENT_CHARACTERS: usize = 240;

/// Length of a summary, without its artifacts and open items.
const SUMMARY_CHARACTERS: usize = 600;

/// Artifacts and open items named in one.
const NAMED_MAX: usize = 20;

/// Where the event of a summary says after and through which event its stage was.
const SUMMARY_OF: &str = "summary_of";

/// And which model wrote it, if one did.
const WRITTEN_BY: &str = "written_by";

/// A stage that a task has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StageEnd {
    pub(super) stage: String,
    /// Its events are those of the task after the one and through the other.
    pub(super) after: Seq,
    pub(super) through: Seq,
    pub(super) summarised: bool,
    by: EventId,
}

/// What a stage came to, and from what that was drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    text: String,
    written: Written,
    drawn_from: Vec<StoredEvent>,
}

impl Engine {
    /// The stages that live tasks have left, each task's in their order.
    pub(super) fn stages_left(&self, owner: &Owner) -> Result<BTreeMap<TaskId, Vec<StageEnd>>, StoreError> {
        let mut stages = BTreeMap::new();
        for task in self.store.tasks(owner, usize::MAX)?.iter().filter(|task| task.status.is_live()) {
            stages.insert(task.id.clone(), self.stages_left_by(owner, task)?);
        }
        Ok(stages)
    }

    /// Back from the stage that the task itself is in: a line of the journal that led to no stage we came from was undone since.
    /// A subtask's stages are within one of the task's.
    fn stages_left_by(&self, owner: &Owner, task: &Task) -> Result<Vec<StageEnd>, StoreError> {
        let Some(root) = task.frames.first() else { return Ok(Vec::new()) };
        let Some(mut stage) = root.stage.clone() else { return Ok(Vec::new()) };
        let entered = format!("set_stage {}", root.id);
        let page = JournalPage {
            task: Some(task.id.clone()),
            verb: Some(Verb::SetState),
            newest_first: true,
            limit: PAGE,
            ..JournalPage::default()
        };
        let mut left: Vec<(String, EventId, Seq)> = Vec::new();
        'journal: for lines in self.journal_pages(owner, page) {
            for line in lines?.into_iter().map(|line| line.operation).filter(|line| line.reason == entered) {
                if line.after.as_ref().and_then(Value::as_str) != Some(&stage) {
                    continue;
                }
                // The first stage ends nothing: what was said before it is what the work is about.
                let Some(before) = line.before.as_ref().and_then(Value::as_str) else { break 'journal };
                let Some(by) = line.cause else { break 'journal };
                let Some(through) = self.store.event(owner, by)?.map(|stored| stored.seq) else { break 'journal };
                left.push((before.to_owned(), by, through));
                before.clone_into(&mut stage);
                if left.len() == STAGES_MAX {
                    break 'journal;
                }
            }
        }
        left.reverse();
        let mut summaries: BTreeMap<String, usize> = BTreeMap::new();
        for summary in &root.stage_summaries {
            *summaries.entry(summary.stage.clone().unwrap_or_default()).or_default() += 1;
        }
        let mut after = Seq(0);
        let mut ends = Vec::with_capacity(left.len());
        for (stage, by, through) in left {
            // A stage that was come back to has one for each time.
            let of_stage = summaries.get_mut(&stage).filter(|left| **left > 0);
            let summarised = of_stage.map(|left| *left -= 1).is_some();
            ends.push(StageEnd { stage, after, through, summarised, by });
            after = through;
        }
        Ok(ends)
    }

    /// What a stage came to: in a model's words where they are true, else in sentences of its events; then what it made and what is open.
    /// `None`: nothing can be said that is true to them.
    pub(super) fn stage_summary(
        &self,
        owner: &Owner,
        id: &TaskId,
        end: &StageEnd,
        writer: Option<&mut Writer<'_>>,
    ) -> Result<Option<Summary>, StoreError> {
        let Some(task) = self.store.task(owner, id)? else { return Ok(None) };
        let drawn_from = self.events_of_stage(owner, id, end)?;
        let named = names(&drawn_from);
        let pieces: Vec<String> = drawn_from.iter().filter_map(|stored| piece(stored, &named)).collect();
        let fits = |text: &str| text.chars().count() <= SUMMARY_CHARACTERS;
        let whole = pieces.join("\n\n");
        let (by_model, written) = match writer.filter(|_| !fits(&whole)) {
            Some(writer) => writer.shorter(self, owner, &pieces, SUMMARY_CHARACTERS, fits),
            None => (None, Written::default()),
        };
        let Some(short) = by_model.or_else(|| in_own_sentences(&whole, &named)) else { return Ok(None) };
        let Some(text) = with_what_is_left(short, &whole, &task) else { return Ok(None) };
        Ok(Some(Summary { text, written, drawn_from }))
    }

    /// The last of them, in log order. The summary of the stage before is recorded while this one runs, and is not of it: from one to the
    /// next, each would repeat all that went before. Neither is the update that only says which stage comes next.
    fn events_of_stage(&self, owner: &Owner, id: &TaskId, end: &StageEnd) -> Result<Vec<StoredEvent>, StoreError> {
        let filter = Filter { task: Some(id.clone()), ..Filter::default() };
        let page = EventPage { filter, newest_first: true, limit: EVENTS_MAX, after: Some(Seq(end.through.0 + 1)) };
        let mut events = self.store.events(owner, &page)?;
        events.retain(|stored| {
            let event = &stored.event;
            let is_of_next = stored.seq == end.through && event.kind == Kind::StatusChange;
            stored.seq > end.after
                && !is_of_next
                && event.kind != Kind::TaskSwitch
                && !event.metadata.contains_key(SUMMARY_OF)
        });
        events.reverse();
        Ok(events)
    }

    /// Summaries that were drawn from some of these events: they are erased with them, and the next run sums the stage up without.
    pub(in crate::engine) fn summaries_drawn_from(
        &self,
        owner: &Owner,
        events: &[StoredEvent],
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let mut of_task: BTreeMap<&TaskId, Vec<Seq>> = BTreeMap::new();
        for stored in events {
            let Some(task) = &stored.event.scope.task else { continue };
            of_task.entry(task).or_default().push(stored.seq);
        }
        let mut drawn = Vec::new();
        for (task, positions) in of_task {
            let filter = Filter {
                task: Some(task.clone()),
                sources: vec![Source::System],
                kinds: vec![Kind::StatusChange],
                hidden: true,
                ..Filter::default()
            };
            let page = EventPage { filter, limit: usize::MAX, ..EventPage::default() };
            drawn.extend(self.store.events(owner, &page)?.into_iter().filter(|stored| {
                let of = stored.event.metadata.get(SUMMARY_OF).cloned();
                let of: Option<(Seq, Seq)> = of.and_then(|of| serde_json::from_value(of).ok());
                of.is_some_and(|(after, through)| positions.iter().any(|seq| after < *seq && *seq <= through))
            }));
        }
        Ok(drawn)
    }

    /// Keeps a summary in the task and in the log, in one commit. `false`: there is no place for it any more, or what it was drawn from is not
    /// what it was: a model may have taken minutes over it.
    pub(super) fn keep_summary(
        &self,
        owner: &Owner,
        id: &TaskId,
        end: &StageEnd,
        summary: &Summary,
    ) -> Result<bool, Error> {
        let Summary { text, written, drawn_from } = summary;
        self.with_at_hand(owner, |at_hand| {
            let Some(task) = at_hand.task(&*self.store, owner, id)?.cloned() else { return Ok(false) };
            let as_left = StageEnd { summarised: false, ..end.clone() };
            if !self.stages_left_by(owner, &task)?.contains(&as_left)
                || self.events_of_stage(owner, id, end)? != *drawn_from
            {
                return Ok(false);
            }
            let session = match self.store.event(owner, end.by)? {
                Some(stored) => stored.event.scope.session,
                None => return Ok(false),
            };
            let scope = Scope { owner: owner.clone(), session, task: Some(id.clone()) };
            let mut raw = RawEvent::new(scope, Source::System, Kind::StatusChange, format!("{}: {text}", end.stage));
            let now = self.now();
            raw.occurred_at = Some(now.clone());
            // By this it is known whose words it repeats, when some of them are to be erased.
            raw.metadata.insert(SUMMARY_OF.to_owned(), json!([end.after, end.through]));
            if let Some((model, prompt)) = &written.by {
                raw.metadata.insert(WRITTEN_BY.to_owned(), json!({ "model": model, "prompt": prompt }));
            }
            let event = redact::redact(raw, &self.rules_of(owner))?.stamped(self.new_event_id(), self.env.now());
            let (stage, text) = (end.stage.clone(), text.clone());
            let update = Update { actions: vec![Action::SummariseStage { stage, text }], ..Update::default() };
            let Ok(applied) = working::apply(&task, &update, event.id, &now) else { return Ok(false) };
            let mut operations = self.operations_of(owner, &applied, event.id, MANAGER);
            operations.iter_mut().for_each(|operation| operation.reason.push_str(&written.told()));
            let refused = written.refused.iter().map(|refused| Operation {
                cause: Some(event.id),
                ..self.operation(owner, Verb::Refuse, Target::Task(id.clone()), MANAGER, refused.clone())
            });
            operations.extend(refused);
            self.store.commit(ChangeSet {
                owner: owner.clone(),
                events: vec![NewEvent { terms: text::indexed(&event.content), event, signals: Signals::default() }],
                tasks: vec![TaskChange { task: applied.task.clone(), expected_version: Some(task.version) }],
                operations,
                ..ChangeSet::default()
            })?;
            at_hand.put(applied.task);
            Ok(true)
        })
    }
}

/// Whom and what they name.
fn names(events: &[StoredEvent]) -> Vec<&str> {
    let entities = events.iter().flat_map(|stored| &stored.signals.entities);
    entities.filter(|entity| entity.kind != EntityKind::Date).map(|entity| entity.text.as_str()).collect()
}

/// An event's part in a summary's source.
fn piece(stored: &StoredEvent, named: &[&str]) -> Option<String> {
    let content = stored.event.content.trim();
    match content.chars().count() <= EVENT_CHARACTERS {
        true => Some(content.to_owned()),
        false => compress(content, Room::Characters(EVENT_CHARACTERS), named),
    }
}

fn in_own_sentences(whole: &str, named: &[&str]) -> Option<String> {
    if whole.is_empty() {
        return None;
    }
    let short = match whole.chars().count() <= SUMMARY_CHARACTERS {
        true => whole.to_owned(),
        false => compress(whole, Room::Characters(SUMMARY_CHARACTERS), named)?,
    };
    faithfulness::check(&short, whole).is_ok().then_some(short)
}

/// What was made, and what is open.
fn with_what_is_left(mut summary: String, whole: &str, task: &Task) -> Option<String> {
    let chinese = text::main_language(whole) == Language::Zh;
    let root = task.frames.first()?;
    for (label, things) in [
        (if chinese { "产出" } else { "Made" }, artifacts(root)),
        (if chinese { "未完" } else { "Open" }, open(task, root)),
    ] {
        if !things.is_empty() {
            summary.push_str(&format!("\n\n{label}: {}", things.join("; ")));
        }
    }
    Some(summary)
}

fn artifacts(frame: &Frame) -> Vec<&str> {
    frame.artifacts.iter().rev().take(NAMED_MAX).map(|artifact| artifact.locator.as_str()).collect()
}

fn open<'t>(task: &'t Task, frame: &'t Frame) -> Vec<&'t str> {
    let steps = frame.steps.iter().filter(|step| !step.status.is_closed()).map(|step| step.text.as_str());
    let is_open = |status: ItemStatus| !matches!(status, ItemStatus::Done | ItemStatus::Cancelled);
    let items = task.items.iter().filter(|item| is_open(item.status)).map(|item| item.name.as_str());
    let asked = frame.decisions.iter().filter(|decision| decision.answer.is_none());
    steps.chain(items).chain(asked.map(|decision| decision.question.as_str())).take(NAMED_MAX).collect()
}
