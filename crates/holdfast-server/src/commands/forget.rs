//! Forgetting on request: what is named is hidden or erased, and a receipt says what was done.

use anyhow::Result;
use holdfast::engine::Engine;
use holdfast::types::forget::{Forget, Forgetting, Reach, Receipt, Selection};
use holdfast::types::scope::{Owner, ScopeId};

use super::look::{counted, events};
use crate::cli::{ForgetArguments, Global};
use crate::failure::{Refused, Usage};
use crate::open;
use crate::printer::Printer;

/// Words fit more than was meant sooner than a name does.
const MATCHING_EVENTS_MAX: u64 = 1_000;

pub fn run(global: &Global, arguments: &ForgetArguments, printer: Printer) -> Result<()> {
    if arguments.commitment {
        return commitment(global, printer);
    }
    let selection = selection(global, arguments)?;
    let how = match (arguments.hide, arguments.erase, arguments.unhide) {
        (true, _, _) => Some(Forgetting::Hide),
        (_, true, _) => Some(Forgetting::Erase),
        (_, _, true) => return unhide(global, arguments, &selection, printer),
        _ => None,
    };
    let engine = if how.is_some() { open::changing(global, printer)? } else { open::reading(global, printer)? };
    let owners = owners(global, arguments, &engine, printer)?;
    let default_max = arguments.matching.is_some().then_some(MATCHING_EVENTS_MAX);
    let request = Forget {
        selection,
        how: how.unwrap_or(Forgetting::Erase),
        reason: arguments.reason.clone().unwrap_or_default(),
        events_max: arguments.max.or(default_max),
    };
    if how.is_none() {
        return preview(&engine, &owners, &request, printer);
    }
    let receipts: Vec<Receipt> =
        owners.iter().map(|owner| engine.forget(owner, &request)).collect::<Result<_, holdfast::engine::Error>>()?;
    let left: u64 = receipts.iter().map(|receipt| receipt.left).sum();
    printer.either(&receipts, || receipts.iter().map(in_words).collect::<Vec<_>>().join("\n\n"))?;
    if left > 0 {
        anyhow::bail!("{left} pieces of what was erased are still in the store's files: run it again, and report it");
    }
    Ok(())
}

/// The narrowest that is named.
fn selection(global: &Global, arguments: &ForgetArguments) -> Result<Selection> {
    if arguments.whole_tenant {
        if global.user.is_some() || global.agent.is_some() {
            return Err(Usage("a whole tenant is all of its users and agents: name none of them".to_owned()).into());
        }
        return Ok(Selection::WholeTenant);
    }
    if arguments.everything {
        if global.user.is_none() && global.agent.is_none() {
            return Err(Usage(
                "everything of whom? Name the user with --user, or the agent with --agent, or say --whole-tenant"
                    .to_owned(),
            )
            .into());
        }
        return Ok(Selection::Everything);
    }
    if !arguments.event.is_empty() {
        return Ok(Selection::Events(arguments.event.clone()));
    }
    match (&arguments.matching, &global.task, &global.session) {
        (Some(words), _, _) => Ok(Selection::Matching(words.clone())),
        (_, Some(task), _) => Ok(Selection::Task(task.clone())),
        (_, _, Some(session)) => Ok(Selection::Session(session.clone())),
        _ => Err(Usage("say what: --event, --matching, --task, --session or --everything".to_owned()).into()),
    }
}

/// Whose. Everything of a user is of all agents, and everything of an agent of all users.
fn owners(global: &Global, arguments: &ForgetArguments, engine: &Engine, printer: Printer) -> Result<Vec<Owner>> {
    if !arguments.everything {
        return Ok(vec![open::owner(global, engine, printer)?]);
    }
    let mut owners = engine.owners()?;
    owners.retain(|owner| {
        owner.tenant == global.tenant
            && global.user.as_ref().is_none_or(|user| *user == owner.user)
            && global.agent.as_ref().is_none_or(|agent| *agent == owner.agent)
    });
    if owners.is_empty() {
        return Err(Refused(
            "there is nobody of this name in the store: `holdfast status` counts its owners".to_owned(),
        )
        .into());
    }
    Ok(owners)
}

fn commitment(global: &Global, printer: Printer) -> Result<()> {
    let engine = open::reading(global, printer)?;
    let named = |name: &Option<ScopeId>| name.clone().unwrap_or_default();
    let owner = Owner { tenant: global.tenant.clone(), user: named(&global.user), agent: named(&global.agent) };
    let commitment = engine.commitment(&owner)?;
    printer.either(&serde_json::json!({ "commitment": commitment }), || {
        commitment.clone().unwrap_or_else(|| "nothing was ever erased from this store".to_owned())
    })
}

fn preview(engine: &Engine, owners: &[Owner], request: &Forget, printer: Printer) -> Result<()> {
    let reaches: Vec<Reach> = owners
        .iter()
        .map(|owner| engine.forget_preview(owner, request))
        .collect::<Result<_, holdfast::engine::Error>>()?;
    printer.say("nothing was done: this is how far it would reach; add --hide or --erase, and --reason");
    printer.either(&reaches, || reaches.iter().map(reach).collect::<Vec<_>>().join("\n"))
}

fn unhide(global: &Global, arguments: &ForgetArguments, selection: &Selection, printer: Printer) -> Result<()> {
    let engine = open::changing(global, printer)?;
    let mut count = 0;
    for owner in owners(global, arguments, &engine, printer)? {
        count += engine.unhide(&owner, selection, arguments.reason.as_deref().unwrap_or_default())?;
    }
    printer.either(&serde_json::json!({ "events": count }), || format!("{} back in view", events(count)))
}

fn reach(reach: &Reach) -> String {
    let mut parts = vec![
        events(reach.events),
        counted(reach.memories, "memory", "memories"),
        counted(reach.tasks, "task", "tasks"),
    ];
    let further = [
        (reach.memories_rewritten, "memory without it", "memories without it"),
        (reach.tasks_rewritten, "task without it", "tasks without it"),
        (reach.operations, "line of the journal", "lines of the journal"),
    ];
    parts.extend(further.iter().filter(|(n, ..)| *n > 0).map(|(n, one, more)| counted(*n, one, more)));
    let mut words = parts.join(", ");
    if reach.also_said > 0 {
        words.push_str(&format!("; {} not named here say the same, and stay", events(reach.also_said)));
    }
    words
}

fn in_words(receipt: &Receipt) -> String {
    let mut lines = vec![format!("receipt {}: {}", receipt.id, receipt.reason), reach(&receipt.reach)];
    lines
        .extend(receipt.commitment.as_ref().map(|commitment| format!("of the owner with the commitment {commitment}")));
    match receipt.how {
        Forgetting::Hide => lines.push("hidden: kept, and neither found nor cited".to_owned()),
        Forgetting::Erase => {
            let files = receipt.scanned.iter().map(|file| format!("{} ({} bytes)", file.file, file.bytes));
            lines.push(format!("erased; searched for what is left: {}", files.collect::<Vec<_>>().join(", ")));
            let left =
                if receipt.left == 0 { "nothing of it is left".to_owned() } else { format!("{} LEFT", receipt.left) };
            let elsewhere = match receipt.said_elsewhere {
                0 => String::new(),
                _ => " but what others say in the same words".to_owned(),
            };
            lines.push(format!("{left}{elsewhere}"));
        }
    }
    lines.join("\n")
}
