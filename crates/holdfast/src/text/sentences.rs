//! Where sentences end, in Chinese, English and both at once: any text in, byte ranges out, in order, without overlap, none
//! empty, none with white space at either end. Lines of a list, of JSON Lines and of code are sentences of their own.

use std::ops::Range;

use super::script::{Script, script};

/// A longer stretch without an end is cut at its last soft boundary: a wall of text is no unit to choose by.
const SENTENCE_BYTES_MAX: usize = 1200;
/// A line at least this long (in bytes) that ends within a sentence was wrapped by a mail program or an editor.
const WRAPPED_LINE_BYTES_MIN: usize = 50;

/// Words before whose period no sentence ends.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "apr", "aug", "ave", "cf", "co", "corp", "dec", "dept", "dr", "e.g", "ed", "est", "etc", "feb",
    "fig", "gen", "i.e", "inc", "jan", "jr", "jul", "jun", "ltd", "mar", "max", "min", "mr", "mrs", "ms", "mt", "no",
    "nov", "oct", "p", "pp", "prof", "rev", "sec", "sep", "sept", "sr", "st", "tel", "vol", "vs",
];

/// The sentences of a text.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut line_start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = at + c.len_utf8();
        if c == '\n' {
            if !wraps(&text[line_start..at], &text[after..]) {
                push(text, start..at, &mut found);
                start = after;
            }
            line_start = after;
            continue;
        }
        if !matches!(c, '。' | '！' | '？' | '；' | '…' | '｡' | '.' | '!' | '?') {
            continue;
        }
        // A run of marks ends one sentence, and closing quotes and brackets belong to it.
        let mut end = after;
        while let Some(&(next, mark)) = characters.peek() {
            if !matches!(
                mark,
                '。' | '！'
                    | '？'
                    | '…'
                    | '.'
                    | '!'
                    | '?'
                    | '"'
                    | '\''
                    | '”'
                    | '’'
                    | '」'
                    | '』'
                    | '）'
                    | ')'
                    | '】'
                    | '》'
            ) {
                break;
            }
            end = next + mark.len_utf8();
            characters.next();
        }
        let next = text[end..].chars().next();
        let ends = match c {
            '。' | '！' | '？' | '；' | '｡' => true,
            '…' => next.is_none_or(char::is_whitespace) || end > after,
            _ => {
                let apart = next.is_none_or(|c| c.is_whitespace() || script(c) == Script::Ideographic);
                apart
                    && (c != '.'
                        || end > after
                        || ends_sentence(&text[start..at], &text[line_start.max(start)..at], next))
            }
        };
        if ends {
            push(text, start..end, &mut found);
            start = end;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// Whether a single period after `before` ends a sentence; `line` is what stands before it on its line.
fn ends_sentence(before: &str, line: &str, next: Option<char>) -> bool {
    if next.is_none_or(|c| c == '\n') {
        return true;
    }
    // 「1. 先写结论」 and "2. then the table": the number of a list item.
    let number = line.trim();
    if !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let letters = word.chars().count();
    // An initial, or initials as in U.S.
    if word.split('.').all(|part| part.len() == 1 && part.bytes().all(|b| b.is_ascii_uppercase())) {
        return false;
    }
    letters > 6 || !ABBREVIATIONS.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether the line break between two lines is there for width only.
fn wraps(line: &str, rest: &str) -> bool {
    line.len() >= WRAPPED_LINE_BYTES_MIN
        && line.ends_with(|c: char| c.is_ascii_lowercase() || c == ',')
        && rest.starts_with(|c: char| c.is_ascii_lowercase())
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut range = trimmed(text, range);
    while range.len() > SENTENCE_BYTES_MAX {
        let window = &text[range.start..text.floor_char_boundary(range.start + SENTENCE_BYTES_MAX)];
        let soft = |c: char| matches!(c, '，' | ',' | '、' | ';' | '；' | '：' | '|') || c.is_whitespace();
        // Not in the first half, or one early comma would leave a crumb.
        let cut = window
            .rfind(soft)
            .filter(|&at| at > window.len() / 2)
            .map_or(window.len(), |at| at + window[at..].chars().next().map_or(1, char::len_utf8));
        let piece = trimmed(text, range.start..range.start + cut);
        if !piece.is_empty() {
            found.push(piece);
        }
        range = trimmed(text, range.start + cut..range.end);
    }
    if !range.is_empty() {
        found.push(range);
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.end - (part.len() - part.trim_end().len());
    start..end.max(start)
}
