//! Letting go: a run of the manager, and what became of an event under it.

use anyhow::{Context, Result};
use holdfast::engine::{Fate, History, ManageOptions, Managed, ManagedEvent};
use holdfast::journal::{MANAGER, ManagedReport};
use holdfast::manager::Policy;
use holdfast::types::operation::{Operation, Target, Verb};
use holdfast::types::probation::OnProbation;
use serde_json::Value;

use super::look::{counted, events};
use crate::cli::{Global, ManageArguments};
use crate::failure::Refused;
use crate::open;
use crate::printer::Printer;

/// Events shown one by one.
const SHOWN_MAX: usize = 50;

/// Suspicions shown in a report.
const SUSPICIONS_MAX: usize = 20;

pub fn run(global: &Global, arguments: &ManageArguments, printer: Printer) -> Result<()> {
    let policy = policy(&arguments.policy)?;
    let engine = if arguments.dry_run { open::reading(global, printer)? } else { open::changing(global, printer)? };
    let owner = open::owner(global, &engine, printer)?;
    let ManageArguments { dry_run, force, over_budget, .. } = *arguments;
    let llm = open::llm(global)?;
    let options = ManageOptions { dry_run, force, over_budget };
    let managed = engine.manage_with(&owner, &policy, options, llm.as_deref())?;
    if dry_run {
        printer.say("nothing was done: this is what would be");
    }
    if let Some(blast) = &managed.blast {
        printer.say(format!("without --force it would stop: {blast}"));
    }
    printer.either(&managed, || in_words(&managed, printer))
}

/// A preset by its name, or a file.
pub fn policy(name: &str) -> Result<Policy> {
    if let Some(policy) = Policy::preset(name) {
        return Ok(policy);
    }
    let presets = Policy::preset_names().join(", ");
    let text = std::fs::read_to_string(name)
        .with_context(|| format!("{name} is none of the presets ({presets}) and no file that can be read"))?;
    Policy::from_toml(&text).map_err(|error| Refused(format!("{name}: {error}")).into())
}

fn in_words(managed: &Managed, printer: Printer) -> String {
    let counts = Fate::ALL.iter().map(|fate| (managed.count(*fate), fate)).filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, fate)| format!("{count} {}", spoken(fate.as_str()))).collect();
    let counts = if counts.is_empty() { "nothing to look at".to_owned() } else { counts.join(", ") };
    let mut lines = vec![format!("policy {}: {counts}", managed.policy)];
    let stages = managed.stage_summaries.iter().map(|stage| format!("summed up a stage: {stage}"));
    lines.extend(stages);
    if managed.tokens_saved() > 0 {
        lines.push(format!("tokens saved: {}", managed.tokens_saved()));
    }
    let touched: Vec<&ManagedEvent> = managed.events.iter().filter(|event| event.fate != Fate::Kept).collect();
    let row = |event: &&ManagedEvent| {
        let score = format!("{:.2}", event.score);
        vec![event.event.to_string(), spoken(event.fate.as_str()), score, event.reason.clone()]
    };
    if !touched.is_empty() {
        lines.push(printer.table(&["event", "what", "score", "why"], touched.iter().take(SHOWN_MAX).map(row)));
    }
    if touched.len() > SHOWN_MAX {
        lines.push(format!("… and {} more", touched.len() - SHOWN_MAX));
    }
    if !managed.dry_run && !touched.is_empty() {
        lines.push(format!("`holdfast undo --run {}` takes it back", managed.run));
    }
    lines.join("\n")
}

fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

/// Where an event stands with the manager, by the last thing it did to it.
pub fn fate_in_words(history: &History) -> Option<String> {
    let target = Target::Event(history.event.event.id);
    let of_manager = |verb: Verb| {
        let lets_go = matches!(verb, Verb::Probation | Verb::Discard | Verb::Compress | Verb::Archive);
        lets_go || matches!(verb, Verb::Rescue | Verb::Unhide | Verb::Restore)
    };
    let mut lines = history.operations.iter().map(|entry| &entry.operation);
    let last = lines.rfind(|operation| operation.target == target && of_manager(operation.verb))?;
    let waiting = match last.verb {
        Verb::Probation => on_probation(last.after.as_ref()?)?,
        Verb::Discard => on_probation(last.before.as_ref()?.get("probation")?)?,
        Verb::Compress | Verb::Archive if last.actor == MANAGER => return Some(shortened_in_words(last)),
        _ => return None,
    };
    let by = format!("by policy {}, score {:.2}", waiting.sentence.policy, waiting.sentence.score);
    let probation = &waiting.probation;
    let until = format!("until turn {} and {}", probation.until_turn, probation.until.strftime("%Y-%m-%d %H:%M:%SZ"));
    Some(match turn_of(last) {
        Some(turn) => format!("discarded at turn {turn} {by}; it was on probation {until}, and `undo` brings it back"),
        None => {
            format!("on probation since turn {} {by}; {until}, unless something calls for it", probation.since_turn)
        }
    })
}

/// "shortened on 2026-12-01, 420 → 61 tokens, because …".
fn shortened_in_words(operation: &Operation) -> String {
    let tokens = |value: &Option<Value>| value.as_ref().and_then(|value| value.get("tokens")?.as_u64()).unwrap_or(0);
    let what = if operation.verb == Verb::Compress { "shortened" } else { "archived" };
    let (before, after) = (tokens(&operation.before), tokens(&operation.after));
    let at = operation.at.strftime("%Y-%m-%d %H:%M:%SZ");
    format!("{what} at {at}, {before} → {after} tokens, because {}; `restore` brings the whole back", operation.reason)
}

fn on_probation(value: &Value) -> Option<OnProbation> {
    serde_json::from_value(value.clone()).ok()
}

fn turn_of(operation: &Operation) -> Option<u64> {
    operation.after.as_ref()?.get("turn")?.as_u64()
}

/// The manager's share of a report: first what should be looked at.
pub fn report_in_words(report: &ManagedReport) -> Vec<String> {
    let suspicious = report.suspicious.iter().take(SUSPICIONS_MAX);
    let mut lines: Vec<String> = suspicious.map(|one| format!("look at {}: {}", one.event, one.what)).collect();
    let more = report.suspicious.len().saturating_sub(SUSPICIONS_MAX);
    lines.extend((more > 0).then(|| format!("and {more} more to look at")));
    if report.runs > 0 {
        lines.push(format!("managed: {}, {} kept in the last", counted(report.runs, "run", "runs"), report.kept));
    }
    if report.compressed > 0 {
        let (before, after) = (report.compressed_tokens_before, report.compressed_tokens_after);
        lines.push(format!("compressed: {}, {before} → {after} tokens", events(report.compressed)));
    }
    let counts = [
        ("archived by the manager", report.archived),
        ("put on probation", report.on_probation),
        ("discarded", report.discarded),
        ("rescued", report.rescued),
        ("promoted", report.promoted),
        ("stages summed up", report.stage_summaries),
        ("tokens saved", report.tokens_saved),
    ];
    lines.extend(counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}")));
    lines.extend(report.refused.iter().map(|(reason, count)| format!("left as it was: {count} ({reason})")));
    lines
}
