//! Long-term memory: `memory`, `learn`, `feedback`.

use anyhow::Result;
use holdfast::engine::{Effect, Engine, NewMemory};
use holdfast::types::ids::MemoryId;
use holdfast::types::memory::{Applies, Evidence, Memory, MemoryFilter, MemoryStatus, Visibility};
use holdfast::types::moment;
use holdfast::types::scope::Owner;
use serde_json::json;

use super::look::{counted, entries_in_words, events};
use crate::cli::{FeedbackArguments, Global, MemoryCommand, NewMemoryArguments};
use crate::failure::{Refused, Usage};
use crate::open;
use crate::printer::{Printer, plain};
use crate::wire;

/// Hexadecimal digits of an id's end that tell memories apart in a list.
const SHORT_ID: usize = 8;
/// Refusals shown of what was not learned.
const REFUSED_SHOWN: usize = 20;
/// Reasons shown why parts of a model's replies were of no use.
const UNUSABLE_SHOWN: usize = 20;

pub fn run(global: &Global, command: &MemoryCommand, printer: Printer) -> Result<()> {
    match command {
        MemoryCommand::List { status, all } => list(global, status, *all, printer),
        MemoryCommand::Show { id } => {
            let (engine, owner) = reading(global, printer)?;
            let memory = found(&engine, &owner, id)?;
            printer.either(&memory, || plain(&in_words(&memory)))
        }
        MemoryCommand::History { id } => {
            let (engine, owner) = reading(global, printer)?;
            let history = engine.memory_history(&owner, found(&engine, &owner, id)?.id)?;
            printer.either(&history, || {
                let moves = plain(&in_words(&history.memory));
                format!("{moves}\n\n{}", entries_in_words(&history.operations, printer))
            })
        }
        MemoryCommand::Add(arguments) => add(global, arguments, printer),
        MemoryCommand::Confirm { id, why } => {
            let (engine, owner) = writing(global, printer)?;
            let memory = engine.confirm(&owner, found(&engine, &owner, id)?.id, why.as_deref().unwrap_or_default())?;
            say(&memory, printer)
        }
        MemoryCommand::Reject { id, why } => {
            let (engine, owner) = writing(global, printer)?;
            let memory = found(&engine, &owner, id)?;
            if memory.status != MemoryStatus::Pending {
                let hint = "only what is pending is rejected: take back what is known with `memory retract`";
                return Err(Refused(format!("memory {} is {}: {hint}", memory.id, memory.status)).into());
            }
            say(&engine.reject(&owner, memory.id, why.as_deref().unwrap_or_default())?, printer)
        }
        MemoryCommand::Retract { id, why } => {
            let (engine, owner) = writing(global, printer)?;
            let memory = engine.reject(&owner, found(&engine, &owner, id)?.id, why.as_deref().unwrap_or_default())?;
            say(&memory, printer)
        }
    }
}

fn reading(global: &Global, printer: Printer) -> Result<(Engine, Owner)> {
    let engine = open::reading(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    Ok((engine, owner))
}

fn writing(global: &Global, printer: Printer) -> Result<(Engine, Owner)> {
    let engine = open::writing(global, printer)?;
    let owner = open::owner(global, &engine, printer)?;
    Ok((engine, owner))
}

/// A memory by its id, or by the end of one that tells it from all others.
fn found(engine: &Engine, owner: &Owner, id: &str) -> Result<Memory> {
    if let Ok(whole) = id.parse::<MemoryId>() {
        return Ok(engine.memory(owner, whole)?.ok_or(holdfast::engine::Error::NoSuchMemory(whole))?);
    }
    let end = id.to_ascii_lowercase();
    let mut alike = engine.memories(owner, &MemoryFilter::default())?;
    alike.retain(|memory| !end.is_empty() && memory.id.to_string().ends_with(&end));
    match alike.len() {
        1 => Ok(alike.remove(0)),
        0 => Err(Refused(format!("there is no memory {id} here: `memory list --all` shows them")).into()),
        count => Err(Refused(format!("{count} memories end in {id}: give more of the id")).into()),
    }
}

fn list(global: &Global, statuses: &[MemoryStatus], all: bool, printer: Printer) -> Result<()> {
    let (engine, owner) = reading(global, printer)?;
    let statuses = match (statuses, all) {
        (_, true) => Vec::new(),
        ([], false) => MemoryStatus::OPEN.to_vec(),
        (chosen, false) => chosen.to_vec(),
    };
    let memories = engine.memories(&owner, &MemoryFilter { slot: None, statuses })?;
    if memories.is_empty() && !printer.json {
        printer.say("nothing of this is known");
        return Ok(());
    }
    printer.either(&memories, || {
        let row = |memory: &Memory| {
            vec![
                short(memory.id),
                memory.status.to_string(),
                memory.kind.to_string(),
                where_it_applies(memory),
                memory.content.clone(),
                format!("{:.2}", memory.confidence),
            ]
        };
        printer.table(&["id", "status", "kind", "of", "what", "confidence"], memories.iter().map(row))
    })
}

fn add(global: &Global, arguments: &NewMemoryArguments, printer: Printer) -> Result<()> {
    let (engine, owner) = writing(global, printer)?;
    let applies = match (&arguments.task_kind, &global.task) {
        (Some(kind), _) => Applies::TaskKind(kind.clone()),
        (None, Some(_)) if arguments.everywhere => {
            return Err(Usage("--everywhere is not for the one task of --task: give one of them".to_owned()).into());
        }
        (None, Some(task)) => Applies::Task(task.clone()),
        (None, None) if arguments.everywhere => Applies::Everywhere,
        (None, None) => Applies::User,
    };
    let new = NewMemory {
        kind: arguments.kind,
        content: arguments.content.clone(),
        subject: arguments.subject.clone(),
        attribute: arguments.attribute.clone(),
        applies,
        importance: arguments.importance,
        aliases: arguments.alias.iter().map(|alias| alias.trim().to_owned()).collect(),
        visibility: if arguments.shared { Visibility::Shared } else { Visibility::Private },
    };
    let memory = engine.remember(&owner, &new)?;
    printer.say(format_args!("{} {}: {}", memory.status, memory.kind, plain(&memory.content)));
    printer.either(&memory, || memory.id.to_string())
}

fn say(memory: &Memory, printer: Printer) -> Result<()> {
    printer.say(format_args!("{}: {}", memory.status, plain(&memory.content)));
    printer.either(memory, || memory.id.to_string())
}

fn short(id: MemoryId) -> String {
    let id = id.to_string();
    id[id.len() - SHORT_ID..].to_owned()
}

fn where_it_applies(memory: &Memory) -> String {
    let slot = format!("{} · {}", memory.subject, memory.attribute);
    match &memory.applies {
        Applies::User => slot,
        Applies::Everywhere => format!("{slot} (everywhere)"),
        Applies::TaskKind(kind) => format!("{slot} (in {kind})"),
        Applies::Task(task) => format!("{slot} (in task {task})"),
    }
}

/// One memory with what it rests on, and why it is as sure as it is.
pub fn in_words(memory: &Memory) -> String {
    let mut lines = vec![
        memory.content.clone(),
        format!("{} {}, {}, version {}", memory.status, memory.kind, memory.origin, memory.version),
        format!("of: {}", where_it_applies(memory)),
        format!("confidence {:.2}, importance {}", memory.confidence, memory.importance),
    ];
    let aliases: Vec<&str> = memory.aliases.iter().map(String::as_str).collect();
    lines.extend((!aliases.is_empty()).then(|| format!("also called: {}", aliases.join(", "))));
    lines
        .extend((memory.visibility == Visibility::Shared).then(|| "shared: other agents may be granted it".to_owned()));
    let from = moment::format(&memory.valid_from).to_string();
    lines.push(match &memory.valid_to {
        Some(to) => format!("held {from} until {}", moment::format(to)),
        None => format!("holds since {from}"),
    });
    lines.extend(memory.reason.as_ref().map(|reason| format!("because {reason}")));
    lines.extend(memory.superseded_by.map(|id| format!("superseded by {id}")));
    lines.extend(memory.imperative.then(|| "it gives an order: somebody else's text, and data".to_owned()));
    let uses = &memory.uses;
    if uses.served > 0 {
        lines.push(format!("helped {}, hurt {}, of {} known outcomes", uses.helped, uses.hurt, uses.served));
    }
    lines.push("evidence:".to_owned());
    let source = |evidence: &Evidence| {
        let event = evidence.event.map_or_else(|| "operator".to_owned(), |id| format!("event {id}"));
        format!("  {} {} ({event}): {}", moment::format(&evidence.at), evidence.stance, evidence.quote)
    };
    lines.extend(memory.sources.iter().map(source));
    lines.push("confidence:".to_owned());
    let moves = memory.moves.iter();
    lines.extend(moves.map(|m| format!("  {} {:.2} → {:.2}: {}", moment::format(&m.at), m.from, m.to, m.reason)));
    lines.join("\n")
}

pub fn learn(global: &Global, dry_run: bool, printer: Printer) -> Result<()> {
    let (engine, owner) = if dry_run { reading(global, printer)? } else { writing(global, printer)? };
    let lesson = if dry_run { engine.learn_dry(&owner)? } else { engine.learn(&owner)? };
    let induced = match open::llm(global)?.filter(|_| !dry_run) {
        Some(llm) => Some(engine.induce(&owner, &*llm)?),
        None => None,
    };
    if !dry_run {
        super::replay::settle(&engine, printer);
    }
    let (verb, changed) = (if dry_run { "would change" } else { "changed" }, lesson.changes.len());
    printer.say(format_args!(
        "{} looked at, {} {verb}",
        events(lesson.events),
        counted(changed as u64, "memory", "memories")
    ));
    if let Some(induced) = &induced {
        printer.say(format_args!(
            "the model: {} about {}, {} changed, {} parts of its replies unusable, {} late",
            counted(induced.calls, "call", "calls"),
            events(induced.events),
            counted(induced.changes.len() as u64, "memory", "memories"),
            induced.unusable.len(),
            induced.late
        ));
        for why in induced.unusable.iter().take(UNUSABLE_SHOWN) {
            printer.say(format_args!("  unusable: {}", plain(why)));
        }
        if induced.unusable.len() > UNUSABLE_SHOWN {
            printer.say(format_args!("  unusable: {} more", induced.unusable.len() - UNUSABLE_SHOWN));
        }
    }
    let refused: Vec<_> = lesson.refused.iter().chain(induced.iter().flat_map(|induced| &induced.refused)).collect();
    let changes: Vec<_> = lesson.changes.iter().chain(induced.iter().flat_map(|induced| &induced.changes)).collect();
    for refusal in refused.iter().take(REFUSED_SHOWN) {
        printer.say(format_args!(
            "  not learned: {} ({}; event {})",
            plain(&refusal.quote),
            refusal.reason,
            refusal.event
        ));
    }
    if refused.len() > REFUSED_SHOWN {
        printer.say(format_args!("  not learned: {} more", refused.len() - REFUSED_SHOWN));
    }
    if printer.json {
        let mut learned = wire::learned(lesson.events, &changes, &refused);
        if let Some(induced) = &induced {
            learned["model"] = json!({ "calls": induced.calls, "events": induced.events,
                "unusable": induced.unusable, "late": induced.late });
        }
        return printer.document(&learned);
    }
    if changes.is_empty() {
        return Ok(());
    }
    let rows = changes.iter().map(|change| {
        let memory = &change.after;
        vec![
            short(memory.id),
            change.verb.to_string(),
            memory.status.to_string(),
            memory.content.clone(),
            change.reason.clone(),
        ]
    });
    Ok(printer.text(&printer.table(&["id", "done", "status", "what", "why"], rows))?)
}

pub fn feedback(global: &Global, arguments: &FeedbackArguments, printer: Printer) -> Result<()> {
    let (engine, owner) = writing(global, printer)?;
    let ids = arguments.memory.iter().map(|id| Ok(found(&engine, &owner, id)?.id)).collect::<Result<Vec<_>>>()?;
    let effect = match arguments.effect {
        crate::cli::EffectArgument::Helped => Effect::Helped,
        crate::cli::EffectArgument::Hurt => Effect::Hurt,
        crate::cli::EffectArgument::Ignored => Effect::Ignored,
    };
    let memories = engine.feedback(&owner, &ids, effect, global.task.as_ref())?;
    printer.either(&memories, || {
        let row = |memory: &Memory| {
            let uses = &memory.uses;
            let counts = format!("helped {}, hurt {} of {}", uses.helped, uses.hurt, uses.served);
            vec![
                short(memory.id),
                memory.status.to_string(),
                counts,
                format!("{:.2}", uses.utility()),
                memory.content.clone(),
            ]
        };
        printer.table(&["id", "status", "outcomes", "utility", "what"], memories.iter().map(row))
    })
}
