//! The context block: a task's state and what recall found in, the fenced text a model reads out, with the record of what is
//! in it and what was left out. Pure: same input, same bytes.
//!
//! select (what could be said, by importance) → pack (what fits) → render (in the fixed order) → fingerprint.

mod excerpt;
mod fence;
mod labels;
mod pack;
mod render;
mod select;
#[cfg(test)]
mod tests;

pub(crate) use fence::is_unseen;
pub use fence::{CLOSE, NAME as FENCE_NAME, OPEN};
pub use select::summaries_shown;

use crate::types::context::{BlockOptions, ContextBlock};
use crate::types::query::{About, Hit};
use crate::types::signals::Language;
use crate::types::task::Task;

/// The words of a block that are ours, in every language: its fence, its preambles, its headings. By them a block is known again
/// when it comes back in a turn.
pub fn marks() -> (&'static str, &'static [&'static str], &'static [&'static str]) {
    (FENCE_NAME, labels::preambles(), labels::headings())
}

/// What a block is made of.
#[derive(Clone, Copy)]
pub struct BlockInput<'a> {
    /// The task in hand; an ended one is shown where it stopped.
    pub task: Option<&'a Task>,
    /// The latest result is in the words of somebody whose text may not be believed.
    pub unverified_result: bool,
    /// What recall found, best first.
    pub hits: &'a [Hit],
    /// The language of the query, or of the task if the query has none: labels follow it unless the options say otherwise.
    pub language: Language,
    /// Counts tokens as `BlockOptions::tokenizer` does.
    pub count: &'a dyn Fn(&str) -> usize,
}

impl std::fmt::Debug for BlockInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockInput")
            .field("task", &self.task.map(|task| &task.id))
            .field("hits", &self.hits.len())
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}

/// Why there is no block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// What may never be cut or reworded is larger than the budget (SPEC 2.5).
    #[error(
        "{what} need {needed} tokens together and the budget is {budget}: they are never cut, so raise the budget, retract \
         constraints, or divide the task"
    )]
    MandatoryExceedsBudget { needed: usize, budget: usize, what: String },
}

/// Makes the block. Without a task and without hits there is nothing to say, and the block is empty.
pub fn block(input: &BlockInput<'_>, options: &BlockOptions) -> Result<ContextBlock, BlockError> {
    let labels = labels::of(options.language.unwrap_or(input.language));
    let selected = select::select(input, labels);
    let packed = pack::pack(selected, options.budget_tokens, input.count, labels)?;
    let rendered = render::render(&packed.lines, labels);
    Ok(ContextBlock {
        tokens: packed.tokens,
        tokenizer: options.tokenizer.clone(),
        fingerprint: fingerprint(&rendered.text),
        prefix_bytes: rendered.prefix_bytes,
        prefix_fingerprint: fingerprint(&rendered.text[..rendered.prefix_bytes]),
        task: input.task.map(|task| task.id.clone()),
        about: About::default(),
        served: packed.served(),
        cut: packed.cut,
        working: packed.working,
        text: rendered.text,
    })
}

fn fingerprint(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
