//! A text in passages: what is scored and embedded as one. Any text in, byte ranges or index lines out.

use std::ops::Range;

use super::extract::core_sentences;
use super::script::{Script, script};
use super::sentences::sentences;
use super::tokenise::each_index_term;

/// Tokens of a passage, about: short enough to be about one thing. Measured on dialogues with long answers, where the best
/// passage of a text ranks better than the whole (docs/BENCHMARKS.md).
const PASSAGE_TOKENS: f32 = 115.0;

/// Tokens of a character, about: of ideographs, and of everything else.
const TOKENS_OF_IDEOGRAPH: f32 = 0.7;
const TOKENS_OF_OTHER: f32 = 0.29;

/// Text of one event that passages for vectors are made of, in characters: a megabyte of tool output would take a minute. Of a
/// longer text, its most informative sentences stand for it; the lexical index holds all of it.
const EMBEDDED_CHARACTERS_MAX: usize = 24 * 1024;

/// The passages of a text: neighbouring sentences as long as they are short together.
pub fn passages(text: &str) -> Vec<Range<usize>> {
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0.0;
    for sentence in sentences(text) {
        let length = tokens_about(&text[sentence.clone()]);
        match passages.last_mut() {
            Some(passage) if tokens + length <= PASSAGE_TOKENS => {
                passage.end = sentence.end;
                tokens += length;
            }
            _ => {
                passages.push(sentence);
                tokens = length;
            }
        }
    }
    passages
}

/// The passages that vectors are made of: all, but for a very long text.
pub fn embedded_passages(text: &str) -> Vec<String> {
    if text.len() <= EMBEDDED_CHARACTERS_MAX {
        return passages(text).into_iter().map(|range| text[range].to_owned()).collect();
    }
    let core: Vec<&str> =
        core_sentences(text, EMBEDDED_CHARACTERS_MAX, &[]).into_iter().map(|range| &text[range]).collect();
    let core = core.join("\n");
    passages(&core).into_iter().map(|range| core[range].to_owned()).collect()
}

/// The lexical index entry of a text: the terms of each passage on a line of its own, joined by single spaces.
pub fn indexed(text: &str) -> String {
    let mut entry = String::with_capacity(text.len() * 4);
    for passage in passages(text) {
        if !entry.is_empty() {
            entry.push('\n');
        }
        let start = entry.len();
        each_index_term(&text[passage], |term| {
            if entry.len() > start {
                entry.push(' ');
            }
            entry.push_str(term);
        });
    }
    entry
}

fn tokens_about(text: &str) -> f32 {
    text.chars().map(|c| if script(c) == Script::Ideographic { TOKENS_OF_IDEOGRAPH } else { TOKENS_OF_OTHER }).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{embedded_passages, indexed, passages};

    #[test]
    fn short_texts_are_one_passage_and_long_ones_several() {
        assert_eq!(passages("周报先写结论。再列数据。").len(), 1);
        assert!(passages("").is_empty());
        let long = "本周退货率是2.8%，比上周低。".repeat(40);
        assert!(passages(&long).len() > 3);
        assert_eq!(indexed(&long).lines().count(), passages(&long).len());
    }

    #[test]
    fn a_very_long_text_is_embedded_by_its_core() {
        let long = "nothing of interest here, and so on and so forth.\n".repeat(20_000)
            + "The refund rate was 2.8% on 2026-11-20.";
        let embedded = embedded_passages(&long);
        assert!(embedded.iter().map(String::len).sum::<usize>() < 100_000);
        assert!(embedded.iter().any(|passage| passage.contains("2.8%")), "what matters is among it");
    }

    proptest! {
        #[test]
        fn passages_lose_only_white_space(text in "\\PC{0,400}") {
            let mut end = 0;
            for passage in passages(&text) {
                prop_assert!(text[end..passage.start].trim().is_empty());
                end = passage.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
