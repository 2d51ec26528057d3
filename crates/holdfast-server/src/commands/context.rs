//! `context`: the block for a request, and nothing else on stdout.

use anyhow::Result;
use holdfast::types::context::{BlockItem, BlockOptions, ContextBlock};
use holdfast::types::query::{About, Query, TaskName};
use holdfast::types::signals::Language;

use super::look::counted;
use crate::cli::{BlockArguments, ContextArguments, Global, LanguageArgument};
use crate::open;
use crate::printer::{Printer, plain};

/// Things left out, shown one by one.
const CUT_SHOWN: usize = 10;

pub fn run(global: &Global, arguments: &ContextArguments, printer: Printer) -> Result<()> {
    let engine =
        if arguments.step { open::changing(global, printer)? } else { open::writing_if_possible(global, printer)? };
    let query = Query::new(open::scope(global, &engine, printer)?, &arguments.query, engine.now());
    let options = block_options(&arguments.block);
    let block = if arguments.step { engine.begin_step(&query, &options)? } else { engine.context(&query, &options)? };
    say_about(&block, printer);
    printer.either(&block, || block.text.clone())
}

pub fn block_options(arguments: &BlockArguments) -> BlockOptions {
    BlockOptions {
        budget_tokens: arguments.budget,
        tokenizer: arguments.tokenizer.clone(),
        language: arguments.language.map(|language| match language {
            LanguageArgument::Zh => Language::Zh,
            LanguageArgument::En => Language::En,
        }),
    }
}

/// Open tasks named where none was recognised.
const OPEN_NAMED: usize = 10;

/// `task: X (why)`, as `observe` tells it, or which tasks it may have been.
pub fn about_in_words(about: &About) -> String {
    let named = |task: &TaskName| match task.title == task.id.as_str() {
        true => task.title.clone(),
        false => format!("{} ({})", task.title, task.id),
    };
    match &about.task {
        Some(task) => format!("task: {} ({})", named(task), about.reason),
        None if about.open.is_empty() => format!("no task recognised: {}", about.reason),
        None => {
            let open: Vec<String> = about.open.iter().take(OPEN_NAMED).map(named).collect();
            let more = if about.open.len() > OPEN_NAMED { ", …" } else { "" };
            format!("no task recognised ({}); open: {}{more}", about.reason, open.join(", "))
        }
    }
}

pub fn say_about(block: &ContextBlock, printer: Printer) {
    printer.say(plain(&about_in_words(&block.about)));
    if block.text.is_empty() {
        printer.say("nothing relevant in memory: the block is empty");
        return;
    }
    let fingerprint: String = block.fingerprint.chars().take(12).collect();
    printer.say(format_args!(
        "block: {} tokens ({}), fingerprint {fingerprint}, {}, {} left out",
        block.tokens,
        block.tokenizer,
        counted(block.served.len() as u64, "item", "items"),
        block.cut.len()
    ));
    for cut in block.cut.iter().take(CUT_SHOWN) {
        let what = match &cut.item {
            BlockItem::Element { id, .. } => id.to_string(),
            BlockItem::Memory { id } => format!("memory {id}"),
            BlockItem::Event { id } => format!("event {id}"),
        };
        printer.say(format_args!("  left out: {what}: {}", cut.reason));
    }
    if block.cut.len() > CUT_SHOWN {
        printer.say(format_args!("  left out: and {} more", block.cut.len() - CUT_SHOWN));
    }
}
