//! `task`: see and steer the work itself.

use std::io::Read;

use anyhow::{Context, Result};
use holdfast::types::frame::{Frame, StepStatus};
use holdfast::types::task::{Outcome, Task};
use holdfast::types::update::{Action, Update};

use crate::cli::{Global, TaskCommand};
use crate::failure::Refused;
use crate::open;
use crate::printer::Printer;

/// Tasks listed.
const LISTED_MAX: usize = 200;

pub fn run(global: &Global, command: &TaskCommand, printer: Printer) -> Result<()> {
    match command {
        TaskCommand::List { all } => list(global, *all, printer),
        TaskCommand::Show { id } => {
            let engine = open::reading(global, printer)?;
            let mut scope = open::scope(global, &engine)?;
            scope.task = id.clone().or(scope.task);
            let id = engine.task_in_hand(&scope)?;
            let task = engine.task(&scope.owner, &id)?.ok_or(holdfast::engine::Error::NoSuchTask(id))?;
            printer.either(&task, || shown(&task))
        }
        TaskCommand::Start { title, goal, constraint } => {
            let engine = open::writing(global, printer)?;
            let scope = open::scope(global, &engine)?;
            let task = engine.start_task(&scope, title, goal.as_deref(), constraint)?;
            printer.either(&task, || task.id.to_string())
        }
        TaskCommand::Update { update } => apply(global, read_update(update)?, printer),
        TaskCommand::End { outcome, reason } => {
            let all: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
            let outcome = open::word("outcome", outcome, Outcome::from_word, &all)?;
            let end = Action::End { outcome, reason: reason.clone() };
            apply(global, Update { actions: vec![end], ..Update::default() }, printer)
        }
        TaskCommand::AbandonStep => {
            let engine = open::writing(global, printer)?;
            let scope = open::scope(global, &engine)?;
            engine.abandon_step(&scope)?;
            printer.say("the step is given up: a new prompt may be had");
            Ok(())
        }
    }
}

fn list(global: &Global, all: bool, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine)?;
    let mut tasks = engine.tasks(&owner, LISTED_MAX)?;
    tasks.retain(|task| all || task.status.is_live());
    if tasks.is_empty() && !printer.json {
        printer.say("no tasks");
        return Ok(());
    }
    let row = |task: &Task| {
        let stage = task.frame().and_then(|frame| frame.stage.clone()).unwrap_or_default();
        let last = task.last_activity.strftime("%Y-%m-%d %H:%M").to_string();
        vec![task.id.to_string(), task.title.clone(), task.status.to_string(), stage, last]
    };
    printer
        .either(&tasks, || printer.table(&["id", "title", "status", "stage", "last activity"], tasks.iter().map(row)))
}

/// JSON as it stands, `@FILE`, or `-` for stdin.
fn read_update(argument: &str) -> Result<Update> {
    let text = match (argument, argument.strip_prefix('@')) {
        ("-", _) => {
            let mut text = String::new();
            std::io::stdin().lock().read_to_string(&mut text).context("can't read stdin")?;
            text
        }
        (_, Some(path)) => std::fs::read_to_string(path).with_context(|| format!("can't read {path}"))?,
        (json, None) => json.to_owned(),
    };
    serde_json::from_str(&text).map_err(|e| {
        Refused(format!(
            "the update can't be read: {e}. It looks like {{\"actions\": [{{\"action\": \"next_step\"}}]}}"
        ))
        .into()
    })
}

fn apply(global: &Global, update: Update, printer: Printer) -> Result<()> {
    let engine = open::writing(global, printer)?;
    let scope = open::scope(global, &engine)?;
    let updated = engine.update(&scope, &update)?;
    // Nothing more is due here between a write-back and the next prompt.
    let scope = holdfast::types::scope::Scope { task: Some(updated.task.id.clone()), ..scope };
    engine.consolidate(&scope)?;
    if !printer.json {
        let what =
            if updated.repeated { "its key is known: nothing changed".to_owned() } else { updated.changes.join(", ") };
        printer.say(format_args!("{}: version {} ({what})", updated.task.id, updated.task.version));
        for statement in &updated.overturned {
            printer.say(format_args!("overturned: {statement}"));
        }
    }
    printer.either(&updated.task, || updated.task.version.to_string())
}

fn shown(task: &Task) -> String {
    let mut lines = vec![
        format!("{}  {}  ({}, version {})", task.id, task.title, task.status, task.version),
        format!("opened {}, last activity {}", task.opened_at, task.last_activity),
    ];
    if !task.items.is_empty() {
        lines.push("items".to_owned());
        lines.extend(task.items.iter().map(|item| {
            let note = item.note.as_ref().map_or_else(String::new, |note| format!(" — {note}"));
            format!("  {} [{}] {}{note}", item.id, item.status, item.name)
        }));
    }
    for (depth, frame) in task.frames.iter().enumerate() {
        lines.push(if depth == 0 { "frame".to_owned() } else { format!("subtask {depth}") });
        lines.extend(frame_lines(frame).into_iter().map(|line| format!("  {line}")));
    }
    for fact in task.facts.iter().filter(|fact| fact.valid) {
        lines.push(format!("{} fact: {}", fact.id, fact.text));
    }
    if let Some(closing) = &task.closing {
        let reason = closing.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        lines.push(format!("ended with {}{reason}", closing.outcome));
        lines.extend(closing.stage.as_ref().map(|stage| format!("  stage: {stage}")));
        lines.extend(closing.latest_result.as_ref().map(|result| format!("  latest result: {result}")));
        lines.extend(closing.artifacts.iter().map(|artifact| format!("  artifact: {}", artifact.locator)));
        lines.extend(closing.unfinished.iter().map(|step| format!("  not done: {step}")));
    }
    lines.join("\n")
}

fn frame_lines(frame: &Frame) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(frame.goal.as_ref().map(|goal| format!("{} goal: {}", goal.id, goal.text)));
    lines.extend(frame.stage.as_ref().map(|stage| format!("stage: {stage}")));
    for constraint in &frame.constraints {
        let mark = if constraint.in_force { "" } else { " (retracted)" };
        lines.push(format!("{} constraint: {}{mark}", constraint.id, constraint.text));
    }
    for step in &frame.steps {
        let mark = match step.status {
            StepStatus::Todo => " ",
            StepStatus::Doing => ">",
            StepStatus::Done => "x",
            StepStatus::Skipped | StepStatus::Cancelled => "-",
        };
        let result = step.result.as_ref().map_or_else(String::new, |result| format!(" → {result}"));
        lines.push(format!("{} [{mark}] {}{result}", step.id, step.text));
    }
    lines.extend(frame.latest_result.as_ref().map(|result| format!("{} latest result: {}", result.id, result.text)));
    for conclusion in &frame.conclusions {
        let mark = match (&conclusion.superseded_by, conclusion.valid) {
            (Some(by), _) => format!(" (superseded by {by})"),
            (None, false) => " (no longer valid)".to_owned(),
            (None, true) => String::new(),
        };
        lines.push(format!("{} conclusion: {}{mark}", conclusion.id, conclusion.text));
    }
    for decision in &frame.decisions {
        let answer = decision.answer.as_ref().map_or_else(|| "open".to_owned(), |answer| answer.text.clone());
        let who = decision.who.as_ref().map_or_else(String::new, |who| format!(" ({who})"));
        lines.push(format!("{} decision: {}{who} — {answer}", decision.id, decision.question));
    }
    lines.extend(frame.warnings.iter().filter(|w| !w.cleared).map(|w| format!("{} warning: {}", w.id, w.text)));
    lines.extend(frame.artifacts.iter().map(|a| format!("{} artifact: {}", a.id, a.locator)));
    lines.extend(frame.outcomes.iter().map(|o| format!("{} subtask {}: {}", o.id, o.goal, o.outcome)));
    lines
}
