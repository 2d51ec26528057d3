//! Shorter texts as a model writes them (SPEC 6.6): asked for once, and once more with what was refused; whatever comes is held to its source by
//! the faithfulness gate. Nothing is held meanwhile, and who carries it out looks at what came about while the model thought.

use crate::engine::Engine;
use crate::llm::{Llm, Remedy, salvage};
use crate::manager::faithfulness;
use crate::prompts::{self, SUMMARISE_KEY, SUMMARISED_CHARS_MAX, Sentence, SummariseInput};
use crate::types::scope::Owner;

/// Once, and once more with what was refused.
const TRIES: usize = 2;

/// Calls in one run: a run that sums up a year at once would hold its place for hours, and the next run goes on where this one ends.
const CALLS_A_RUN_MAX: u32 = 40;

/// Of what was refused, so many claims are named to the model and in the journal, each cut to so much: nobody has checked how long they are.
const REFUSED_NAMED_MAX: usize = 5;
const REFUSED_BYTES_MAX: usize = 300;

/// How a shorter text came about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The model, and the wording it was asked in; `None`: in the text's own sentences.
    pub(super) by: Option<(String, String)>,
    /// What a model wrote before and was refused, or why it did not answer.
    pub(super) refused: Vec<String>,
}

/// The model of one run, as long as it answers.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    llm: &'a dyn Llm,
    calls_left: u32,
}

impl<'a> Writer<'a> {
    pub(super) fn new(llm: &'a dyn Llm) -> Self {
        Self { llm, calls_left: CALLS_A_RUN_MAX }
    }

    /// A shorter text that is true to these pieces, if the model has one that is no longer than it may be.
    pub(super) fn shorter(
        &mut self,
        engine: &Engine,
        owner: &Owner,
        pieces: &[String],
        characters: usize,
        fits: impl Fn(&str) -> bool,
    ) -> (Option<String>, Written) {
        let mut written = Written::default();
        let source = pieces.join("\n\n");
        if source.chars().count() > SUMMARISED_CHARS_MAX {
            return (None, written);
        }
        for _ in 0..TRIES {
            if self.calls_left == 0 {
                break;
            }
            self.calls_left -= 1;
            let prompt = prompts::summarise(&SummariseInput { pieces, characters, refused: &written.refused });
            let reply = match self.llm.complete(&prompt) {
                Ok(reply) => reply,
                Err(error) => {
                    // What may pass, and what nobody can answer before it is put right, is not tried again in this run.
                    if matches!(error.remedy(), Remedy::Later | Remedy::Configure) {
                        tracing::warn!(%error, "texts are shortened by their own sentences for now: {error}");
                        self.calls_left = 0;
                    }
                    written.refused = named(engine, owner, vec![error.to_string()]);
                    break;
                }
            };
            let sentences = salvage::<Sentence>(&reply.text, SUMMARISE_KEY).kept;
            let text = sentences.iter().map(|sentence| sentence.text.trim()).filter(|text| !text.is_empty());
            // An empty line between them: what one says does not go on in the next.
            let text = text.collect::<Vec<_>>().join("\n\n");
            let refused = refused(&text, &source, fits(&text));
            if refused.is_empty() {
                written.by = Some((self.llm.name().to_owned(), prompt.hash));
                return (Some(text), written);
            }
            written.refused = named(engine, owner, refused);
        }
        (None, written)
    }
}

/// Why a text can't stand for its source, if it can't.
fn refused(text: &str, source: &str, fits: bool) -> Vec<String> {
    if text.is_empty() {
        return vec!["nothing in the reply can be read as sentences".to_owned()];
    }
    let mut refused: Vec<String> = match faithfulness::check(text, source) {
        Ok(()) => Vec::new(),
        Err(claims) => claims.iter().map(ToString::to_string).collect(),
    };
    if !fits {
        refused.push("it is longer than was asked for".to_owned());
    }
    refused
}

/// As it may be told and kept: what a model makes up may look like a secret, and be one.
fn named(engine: &Engine, owner: &Owner, refused: Vec<String>) -> Vec<String> {
    let cut = |text: String| text[..text.floor_char_boundary(REFUSED_BYTES_MAX)].to_owned();
    let refused: Vec<String> = refused.into_iter().take(REFUSED_NAMED_MAX).map(cut).collect();
    match engine.clean(owner, &refused) {
        Ok((clean, _)) => clean,
        Err(error) => vec![format!("what was refused can't be told: {error}")],
    }
}

impl Written {
    /// For a reason, in the words of the report.
    pub(super) fn told(&self) -> String {
        match (&self.by, self.refused.is_empty()) {
            (Some((model, _)), true) => format!("; shortened by {model}"),
            (Some((model, _)), false) => format!("; shortened by {model}, at the second try"),
            (None, true) => String::new(),
            (None, false) => "; shortened by its own sentences, the model's were refused".to_owned(),
        }
    }
}
