//! `task`: see and steer the work itself.

mod text;

use std::io::Read;

use anyhow::{Context, Result};
use holdfast::types::task::Task;
use holdfast::types::update::{Action, Update};
use serde_json::{Value, json};

use crate::cli::{Global, TaskCommand};
use crate::failure::Refused;
use crate::open;
use crate::printer::{Printer, plain};

/// Tasks listed.
const LISTED_MAX: usize = 200;

pub fn run(global: &Global, command: &TaskCommand, printer: Printer) -> Result<()> {
    match command {
        TaskCommand::List { all } => list(global, *all, printer),
        TaskCommand::Show { id } => {
            let engine = open::reading(global, printer)?;
            let mut scope = open::scope(global, &engine, printer)?;
            scope.task = id.clone().or(scope.task);
            let id = engine.task_in_hand(&scope)?;
            let task = engine.task(&scope.owner, &id)?.ok_or(holdfast::engine::Error::NoSuchTask(id))?;
            printer.either(&task, || plain(&text::text(&task)))
        }
        TaskCommand::Start { title, goal, constraint } => {
            let engine = open::writing(global, printer)?;
            let scope = open::scope(global, &engine, printer)?;
            let task = engine.start_task(&scope, title, goal.as_deref(), constraint)?;
            printer.either(&task, || task.id.to_string())
        }
        TaskCommand::Update { update } => apply(global, read_update(update)?, printer),
        TaskCommand::End { outcome, reason } => {
            let end = Action::End { outcome: *outcome, reason: reason.clone() };
            apply(global, Update { actions: vec![end], ..Update::default() }, printer)
        }
        TaskCommand::AbandonStep => {
            let engine = open::changing(global, printer)?;
            let scope = open::scope(global, &engine, printer)?;
            engine.abandon_step(&scope)?;
            printer.say("the step is given up: a new prompt may be had");
            if printer.json { printer.document(&json!({ "task": engine.task_in_hand(&scope)? })) } else { Ok(()) }
        }
    }
}

fn list(global: &Global, all: bool, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
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
    parse_update(&text).map_err(|fault| {
        let example = r#"{"actions": [{"action": "complete_step", "result": "…"}, {"action": "next_step"}]}"#;
        Refused(format!("the update can't be read: {fault}. It looks like {example}")).into()
    })
}

/// A fault names the action it is in: the derived error of the whole would only know its column.
fn parse_update(text: &str) -> Result<Update, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    for (at, action) in value.get("actions").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Err(error) = serde_json::from_value::<Action>(action.clone()) {
            let name = action.get("action").and_then(Value::as_str).unwrap_or("no action");
            return Err(format!("actions[{at}] ({name}): {error}"));
        }
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// `plan ×3, next_step`: an action that touches several elements is one word.
fn counted(changes: &[String]) -> String {
    let runs = changes.chunk_by(|one, next| one == next);
    let word = |run: &[String]| if run.len() > 1 { format!("{} ×{}", run[0], run.len()) } else { run[0].clone() };
    runs.map(word).collect::<Vec<_>>().join(", ")
}

fn apply(global: &Global, update: Update, printer: Printer) -> Result<()> {
    let engine = open::changing(global, printer)?;
    let scope = open::scope(global, &engine, printer)?;
    let updated = engine.update(&scope, &update)?;
    // Nothing more is due here between a write-back and the next prompt.
    let scope = holdfast::types::scope::Scope { task: Some(updated.task.id.clone()), ..scope };
    engine.consolidate(&scope)?;
    if !printer.json {
        let what =
            if updated.repeated { "its key is known: nothing changed".to_owned() } else { counted(&updated.changes) };
        printer.say(format_args!("{}: version {} ({what})", updated.task.id, updated.task.version));
        for statement in &updated.overturned {
            printer.say(format_args!("overturned: {statement}"));
        }
    }
    printer.either(&updated.task, || updated.task.version.to_string())
}
