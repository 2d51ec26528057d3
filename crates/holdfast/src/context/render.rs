//! Lines as text: fence, preamble, sections in their order. The stable prefix ends where the sections that change with every
//! step begin.

use super::fence::{CLOSE, OPEN};
use super::labels::Labels;
use super::pack::Chosen;
use crate::types::context::Section;

#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) prefix_bytes: usize,
}

/// `lines` in the order of the block. Without lines the text is empty: a fence around nothing says nothing.
pub(super) fn render(lines: &[Chosen], labels: &Labels) -> Rendered {
    let mut text = String::new();
    if lines.is_empty() {
        return Rendered { text, prefix_bytes: 0 };
    }
    text.push_str(&opening(labels));
    let mut prefix_bytes = text.len();
    let mut section = None;
    for chosen in lines {
        if section != Some(chosen.line.section) {
            text.push_str(&header(chosen.line.section, labels));
            section = Some(chosen.line.section);
        }
        text.push_str(&line_text(chosen.text()));
        if is_stable(chosen.line.section) {
            prefix_bytes = text.len();
        }
    }
    text.push_str(CLOSE);
    text.push('\n');
    Rendered { text, prefix_bytes }
}

/// Goal, constraints and warnings change seldom and come first: a prompt cache holds up to the end of them.
fn is_stable(section: Section) -> bool {
    matches!(section, Section::Goal | Section::Constraints | Section::Warnings)
}

pub(super) fn header(section: Section, labels: &Labels) -> String {
    format!("## {}\n", labels.section(section))
}

pub(super) fn line_text(text: &str) -> String {
    format!("- {text}\n")
}

pub(super) fn empty_fence(labels: &Labels) -> String {
    format!("{}{CLOSE}\n", opening(labels))
}

fn opening(labels: &Labels) -> String {
    format!("{OPEN}\n{}\n", labels.preamble)
}
