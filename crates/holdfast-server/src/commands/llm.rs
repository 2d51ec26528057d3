//! `llm`: whether the language model answers, and in which form.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use holdfast::llm::{Dropped, Format, LlmError, Remedy, Reply, Salvaged, salvage};
use holdfast::prompts::{self, Checked};
use serde::Serialize;
use serde_json::json;

use crate::cli::Global;
use crate::failure::{PARTLY, Usage};
use crate::open;
use crate::printer::{Printer, plain};

/// Of a reply that is of no use, what is shown.
const SHOWN_CHARS: usize = 200;

/// How much of the reply could be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Usable {
    AsItWas,
    Salvaged,
    No,
}

/// Asks the model one small question.
pub fn check(global: &Global, printer: Printer) -> Result<ExitCode> {
    let (Some(endpoint), Some(model)) = (open::llm_endpoint(global)?, open::llm(global)?) else {
        let how = "give --llm-url and --llm-model (HOLDFAST_LLM_URL, HOLDFAST_LLM_MODEL), and a key in HOLDFAST_LLM_KEY if it wants one";
        bail!(Usage(format!("no language model is set up: {how}")));
    };
    let began = Instant::now();
    let reply = match model.complete(&prompts::check()) {
        Ok(reply) => reply,
        // The message says where and why already; its source would say it again.
        Err(error) => bail!("{error}{}", hint(&error)),
    };
    let latency_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let salvaged = salvage::<Checked>(&reply.text, "answers");
    let usable = match &salvaged {
        Salvaged { kept, .. } if kept.is_empty() => Usable::No,
        Salvaged { mended: false, .. } => Usable::AsItWas,
        Salvaged { .. } => Usable::Salvaged,
    };
    // Only the schema asks for it.
    let held = reply.format == Format::JsonSchema && salvaged.kept.iter().any(|answer| answer.checked.is_some());
    let value = json!({
        "endpoint": endpoint.shown(),
        "model": model.name(),
        "latency_ms": latency_ms,
        "tokens": reply.usage,
        "format": reply.format,
        "held_to_schema": held,
        "usable": usable,
        "truncated": reply.truncated || salvaged.truncated,
        "dropped": salvaged.dropped.iter().map(|dropped| &dropped.why).collect::<Vec<_>>(),
    });
    printer.either(&value, || {
        let rows = [
            ("endpoint", endpoint.shown()),
            ("model", model.name().to_owned()),
            (
                "answered",
                format!("in {latency_ms} ms, {} + {} tokens", reply.usage.prompt_tokens, reply.usage.reply_tokens),
            ),
            ("form", form(reply.format, held).to_owned()),
            ("reply", told(usable, &reply, &salvaged.dropped)),
        ];
        plain(&rows.iter().map(|(name, value)| format!("{name:<9} {value}")).collect::<Vec<_>>().join("\n"))
    })?;
    Ok(if usable == Usable::No { ExitCode::from(PARTLY) } else { ExitCode::SUCCESS })
}

fn form(format: Format, held: bool) -> &'static str {
    match (format, held) {
        (Format::JsonSchema, true) => "held to the JSON schema",
        (Format::JsonSchema, false) => "the service takes a JSON schema, but the reply does not follow it",
        (Format::JsonObject, _) => "the service refuses a JSON schema; it takes JSON mode",
        (Format::Free, _) => "the service refuses a JSON schema and JSON mode; the prompt alone asks for JSON",
    }
}

fn told(usable: Usable, reply: &Reply, dropped: &[Dropped]) -> String {
    let broken = if reply.truncated { "; it broke off at the limit of tokens" } else { "" };
    let reasons: Vec<&str> = dropped.iter().map(|dropped| dropped.why.as_str()).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    match usable {
        Usable::AsItWas => "usable as it was".to_owned(),
        Usable::Salvaged => format!("usable after salvage{reasons}{broken}"),
        Usable::No => {
            let text: String = reply.text.trim().chars().take(SHOWN_CHARS).collect();
            format!("nothing usable in it{reasons}{broken}: {text:?}")
        }
    }
}

/// What the library can't say: which option to use.
fn hint(error: &LlmError) -> &'static str {
    match (error, error.remedy()) {
        (LlmError::Unreachable { .. }, _) => " (is it running, and is --llm-url right?)",
        (LlmError::Refused { status: 401 | 403, .. }, _) => " (HOLDFAST_LLM_KEY)",
        (LlmError::OverBudget { .. }, _) => " (--llm-calls-per-hour)",
        (_, Remedy::Configure) => " (--llm-url, --llm-model)",
        _ => "",
    }
}
