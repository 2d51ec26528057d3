//! What a run or a task did, counted from its operations. Pure: the same operations give the same report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::managed::{MANAGER, ManagedReport};
use crate::types::ids::{ElementId, EventId};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::scope::TaskId;

/// The report of SPEC 7.3, as far as its operations go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    pub operations: u64,
    /// Events stored, by kind.
    pub stored: BTreeMap<String, u64>,
    /// Secrets taken out, by label.
    pub redacted: BTreeMap<String, u64>,
    pub tasks: BTreeMap<TaskId, TaskReport>,
    /// Events that belong to no task.
    pub unattributed: u64,
    pub superseded: Vec<SupersededLine>,
    pub blocks_served: u64,
    pub items_served: u64,
    pub archived: u64,
    pub archived_bytes_before: u64,
    pub archived_bytes_after: u64,
    pub restored: u64,
    /// Events taken out of view on request, and erased.
    pub hidden: u64,
    pub erased: u64,
    /// Secrets shown to an operator.
    pub revealed: u64,
    /// Memories written or given more evidence.
    pub remembered: u64,
    /// Memories denied, rejected, faded or let go.
    pub let_go: u64,
    /// What was proposed as a memory and not made one, with the reasons.
    pub refused: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "ManagedReport::is_empty")]
    pub managed: ManagedReport,
    /// The text of each element so far, so that what holds instead is told in words and not by its id.
    #[serde(skip)]
    texts: BTreeMap<(TaskId, String), String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskReport {
    pub title: Option<String>,
    pub events: u64,
    pub updates: u64,
    /// Items and the task itself: what state they were put into, in order.
    pub states: Vec<String>,
    /// Constraints added, amended or retracted.
    pub constraints_touched: u64,
    pub ended: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupersededLine {
    pub task: Option<TaskId>,
    pub element: Option<ElementId>,
    pub old: String,
    /// The element that holds instead.
    pub new: Option<String>,
    pub cause: Option<EventId>,
}

/// Counts operations into a report.
pub fn report<'a>(operations: impl IntoIterator<Item = &'a Operation>) -> Report {
    let mut report = Report::default();
    for operation in operations {
        report.count(operation);
    }
    report
}

impl Report {
    /// Counts one more operation in.
    pub fn count(&mut self, operation: &Operation) {
        self.operations += 1;
        if let (Target::Task(id), Some(after)) = (&operation.target, &operation.after)
            && let (Some(element), Some(text)) = (after.get("id").and_then(Value::as_str), in_words(Some(after)))
        {
            self.texts.insert((id.clone(), element.to_owned()), text);
        }
        if let Target::Memory(id) = &operation.target {
            self.add_memory(&id.to_string(), operation);
        }
        self.managed.count(operation);
        self.add(operation);
    }

    /// A memory that took another's place is told by its words, whichever of the two came first.
    fn add_memory(&mut self, id: &str, operation: &Operation) {
        let said = |value: &Option<Value>, key: &str| {
            value.as_ref().and_then(|value| value.get(key)).and_then(Value::as_str).map(str::to_owned)
        };
        let Some(content) = said(&operation.after, "content") else { return };
        for line in self.superseded.iter_mut().filter(|line| line.new.as_deref() == Some(id)) {
            line.new = Some(content.clone());
        }
        if operation.verb == Verb::Supersede {
            let new = said(&operation.after, "superseded_by");
            self.superseded.push(SupersededLine {
                task: None,
                element: None,
                old: content,
                new,
                cause: operation.cause,
            });
        }
    }

    fn add(&mut self, operation: &Operation) {
        let after = |key: &str| operation.after.as_ref().and_then(|value| value.get(key));
        let task = match &operation.target {
            Target::Task(id) => Some(id.clone()),
            Target::Event(_) | Target::Session(_) | Target::Memory(_) | Target::Store => None,
        };
        match operation.verb {
            Verb::Observe => {
                let kind = after("kind").and_then(Value::as_str).unwrap_or("event");
                *self.stored.entry(kind.to_owned()).or_default() += 1;
                match after("task").and_then(Value::as_str).and_then(|id| TaskId::new(id).ok()) {
                    Some(id) => self.tasks.entry(id).or_default().events += 1,
                    None => self.unattributed += 1,
                }
            }
            Verb::Redact => {
                for redaction in operation.after.as_ref().and_then(Value::as_array).into_iter().flatten() {
                    let label = redaction.get("label").and_then(Value::as_str).unwrap_or("secret");
                    let count = redaction.get("count").and_then(Value::as_u64).unwrap_or(1);
                    *self.redacted.entry(label.to_owned()).or_default() += count;
                }
            }
            Verb::OpenTask => {
                if let Some(id) = task {
                    self.tasks.entry(id).or_default().title = after("title").and_then(Value::as_str).map(str::to_owned);
                }
            }
            Verb::Supersede if matches!(operation.target, Target::Memory(_)) => {}
            Verb::Update | Verb::SetState | Verb::EndTask | Verb::Supersede => self.add_change(operation, task),
            Verb::Serve => {
                // A recall has no text of its own, and so no fingerprint.
                self.blocks_served += u64::from(after("fingerprint").is_some());
                self.items_served += after("served").and_then(Value::as_array).map_or(0, |list| list.len() as u64);
            }
            Verb::Archive => {
                let bytes = |value: &Option<Value>| {
                    value.as_ref().and_then(|v| v.get("bytes")).and_then(Value::as_u64).unwrap_or(0)
                };
                self.archived += 1;
                self.archived_bytes_before += bytes(&operation.before);
                self.archived_bytes_after += bytes(&operation.after);
            }
            Verb::Restore => self.restored += 1,
            Verb::Reveal => self.revealed += 1,
            Verb::Remember => self.remembered += 1,
            Verb::Retract | Verb::Fade => self.let_go += 1,
            Verb::Refuse if operation.actor == MANAGER => {}
            Verb::Refuse => *self.refused.entry(operation.reason.clone()).or_default() += 1,
            Verb::Hide => self.hidden += after("events").and_then(Value::as_u64).unwrap_or(0),
            Verb::Erase => self.erased += after("events").and_then(Value::as_u64).unwrap_or(0),
            // Told in `managed`.
            Verb::Probation | Verb::Rescue | Verb::Discard | Verb::Compress | Verb::Promote | Verb::Manage => {}
            Verb::Undo
            | Verb::Unhide
            | Verb::SwitchTask
            | Verb::Reindex
            | Verb::Import
            | Verb::Confirm
            | Verb::Prune
            | Verb::Feedback => {}
        }
    }

    fn add_change(&mut self, operation: &Operation, task: Option<TaskId>) {
        let after = |key: &str| operation.after.as_ref().and_then(|value| value.get(key));
        if operation.verb == Verb::Supersede {
            let old = stated(operation.before.as_ref()).unwrap_or_default();
            let named = after("superseded_by").and_then(Value::as_str).map(|by| {
                let text = task.as_ref().and_then(|id| self.texts.get(&(id.clone(), by.to_owned())));
                text.cloned().unwrap_or_else(|| by.to_owned())
            });
            // A result is put right in its place: what is there now holds.
            let new = named.or_else(|| stated(operation.after.as_ref()).filter(|text| *text != old));
            self.superseded.push(SupersededLine {
                task: task.clone(),
                element: operation.reason.split_whitespace().nth(1).map(ElementId::from),
                old,
                new,
                cause: operation.cause,
            });
        }
        let Some(id) = task else { return };
        let entry = self.tasks.entry(id).or_default();
        entry.updates += 1;
        match operation.verb {
            Verb::SetState => {
                let name = operation.after.as_ref().and_then(|v| v.get("name")).and_then(Value::as_str);
                let status = operation
                    .after
                    .as_ref()
                    .and_then(|v| v.get("status").and_then(Value::as_str).or_else(|| v.as_str()))
                    .unwrap_or("changed");
                entry.states.push(name.map_or_else(|| status.to_owned(), |name| format!("{name}: {status}")));
            }
            Verb::EndTask => entry.ended = Some(operation.reason.clone()),
            _ => entry.constraints_touched += u64::from(operation.reason.contains("constraint")),
        }
    }
}

/// What an element states: of a step that has a result, that.
fn stated(value: Option<&Value>) -> Option<String> {
    let result = value.and_then(|value| value.get("result")).and_then(Value::as_str);
    result.map(str::to_owned).or_else(|| in_words(value))
}

/// The text of an element as the journal has it.
fn in_words(value: Option<&Value>) -> Option<String> {
    let value = value?;
    let text = value.as_str().or_else(|| ["text", "question", "name"].iter().find_map(|key| value.get(key)?.as_str()));
    text.map(str::to_owned)
}
