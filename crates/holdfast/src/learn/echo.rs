//! Recalled text that comes back: what memory itself served must not become evidence for itself (SPEC 3.2).

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::text::{fold, repeats};

/// A served text shorter than this is said again by chance: 好的, "use PDF".
const ECHO_CHARACTERS_MIN: usize = 6;

/// A Chinese heading this long is nobody's but ours.
const TELLING_HEADING_MIN: usize = 4;

/// Whether a text is a block of ours, or a good part of one: its fence, its preamble, or lines under headings as blocks have
/// them, whatever was put around it. `headings` and `preambles` are the block's own words, in all its languages.
pub fn holds_block(text: &str, fence: &str, preambles: &[&str], headings: &[&str]) -> bool {
    let folded = fold(text);
    if folded.contains(&fold(fence)) || preambles.iter().any(|preamble| repeats(text, first_sentence(preamble))) {
        return true;
    }
    let headings: Vec<String> = headings.iter().map(|heading| fold(heading)).collect();
    // 「目标」 and "Constraints" head lists of anybody's; 「长期规则与偏好」 only ours.
    let telling =
        |heading: &str| heading.contains(' ') || heading.chars().count() >= TELLING_HEADING_MIN && !heading.is_ascii();
    let (mut under, mut seen) = (None, BTreeSet::new());
    for line in folded.lines() {
        let line = line.trim().trim_start_matches(['>', '|', ' ']);
        let bare = line.trim_start_matches(['#', '*', '-', '•', ' ']).trim_end_matches([':', '*', ' ']);
        if let Some(heading) = headings.iter().find(|heading| *heading == bare) {
            under = Some(heading);
        } else if let Some(heading) = under.filter(|_| line.starts_with(['-', '*', '•', '['])) {
            seen.insert(heading);
            if telling(heading) || seen.len() > 1 {
                return true;
            }
        } else if !line.is_empty() {
            under = None;
        }
        if is_labelled(line) {
            return true;
        }
    }
    false
}

/// `- [c3] …`: an element's id at the head of a line is how blocks write them, and nobody else.
fn is_labelled(line: &str) -> bool {
    static LABEL: OnceLock<regex::Regex> = OnceLock::new();
    let label = LABEL.get_or_init(|| {
        regex::Regex::new(r"^[-*•]\s*\[[a-z]{1,2}[0-9]{1,4}\]\s").expect("the pattern is part of the program")
    });
    label.is_match(line)
}

fn first_sentence(text: &str) -> &str {
    let end = text.find(['。', ';', '；', '.']).unwrap_or(text.len());
    &text[..end]
}

/// Whether words only say what was served a moment ago.
pub fn is_echo(quote: &str, served: &[String]) -> bool {
    quote.chars().filter(|c| c.is_alphanumeric()).count() >= ECHO_CHARACTERS_MIN
        && served.iter().any(|text| repeats(text, quote))
}
