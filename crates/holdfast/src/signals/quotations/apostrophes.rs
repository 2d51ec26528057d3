//! Quotations in straight single quotes. Most apostrophes are none: "don't", "the users' room", "the '90s", "get 'em". So one that opens
//! has to stand before a word and not in it, and over the end of a line it takes one that plainly closes.

use crate::text::is_han_or_kana;

/// A quotation whose end may as well be a genitive ("the users' room") is looked for so far, and in its line.
const IN_A_LINE_BYTES_MAX: usize = 600;

/// What an apostrophe at the head of a word leaves out, and ends of words that are written apart: "it 's".
const SHORTENED: &[&str] = &[
    "em", "til", "till", "cause", "cos", "coz", "tis", "twas", "bout", "round", "n", "kay", "sup", "fraid", "ere",
    "ello", "cept", "member", "neath", "nother", "nuff", "s", "t", "m", "d", "ll", "re", "ve",
];
/// What says that a quotation begins, right before it.
const SPEECH: &[&str] = &[
    "said", "says", "say", "wrote", "writes", "write", "reads", "sent", "sends", "replied", "replies", "answered",
    "texted", "mailed", "emailed", "posted", "goes", "like", "message", "mail", "note",
];

/// The apostrophes of a text that can open or close something, found once: a text of opening marks is still read in linear time.
#[derive(Debug, Default)]
pub(super) struct Apostrophes {
    opening: Vec<usize>,
    /// Where nothing else than the end of a quotation is likely.
    closing: Vec<usize>,
}

/// What an apostrophe opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    Nothing,
    /// Up to a place.
    To(usize),
    /// It is never closed, and is one by what stands before it.
    Unclosed,
}

impl Apostrophes {
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self::default();
        let mut after = 0;
        for (at, _) in text.match_indices('\'') {
            if at < after {
                continue;
            }
            // "''" is one mark.
            after = at + super::run_of(text.as_bytes(), at);
            let (previous, next) = (text[..at].chars().next_back(), text[after..].chars().next());
            // Between two Chinese characters it may be either.
            if opens(previous, next) && !is_shortened(&text[after..]) {
                found.opening.push(at);
            }
            if closes(previous, next) && !is_genitive(&text[..at], &text[after..]) {
                found.closing.push(at);
            }
        }
        found
    }

    /// What the mark at a place opens, which is known to stand in no word. `from`: where its inside begins. `thorough`: an end that is as
    /// likely a genitive is passed over for one that is none.
    pub(super) fn opened(&self, text: &str, at: usize, from: usize, thorough: bool) -> Opened {
        let in_its_line = in_a_line(&text[from..]).map(|len| from + len);
        if self.opening.binary_search(&at).is_err() {
            return in_its_line.map_or(Opened::Nothing, Opened::To);
        }
        let next = |places: &[usize]| places.get(places.partition_point(|place| *place < from)).copied();
        let (closing, opening) = (next(&self.closing), next(&self.opening));
        // Of "'one', and 'two'" each ends before the other begins; of several paragraphs each begins with a mark, and the last ends with one.
        let ends =
            closing.filter(|end| opening.is_none_or(|opening| *end <= opening || thorough && in_its_line.is_none()));
        match (ends, in_its_line) {
            (Some(end), Some(line)) if thorough => Opened::To(end.max(line)),
            (_, Some(line)) => Opened::To(line),
            (Some(end), None) => Opened::To(end),
            (None, None) if thorough && is_announced(&text[..at]) => Opened::Unclosed,
            (None, None) => Opened::Nothing,
        }
    }
}

/// Whether a letter or digit goes on with the word of an apostrophe. Chinese has no apostrophes in words: 他说'以后都用Word'就走了.
pub(super) fn goes_on_with_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() && !is_han_or_kana(c))
}

fn opens(previous: Option<char>, next: Option<char>) -> bool {
    let ends =
        |c: char| matches!(c, '.' | ',' | '!' | '?' | ';' | ')' | '。' | '，' | '！' | '？' | '；' | '、' | '）' | '…');
    !goes_on_with_word(previous) && !previous.is_some_and(ends) && next.is_some_and(|c| !c.is_whitespace() && !ends(c))
}

fn closes(previous: Option<char>, next: Option<char>) -> bool {
    previous.is_some_and(|c| !c.is_whitespace()) && !goes_on_with_word(next)
}

/// "the users' room", "nothin' fancy", and at the end of a line "the users'\nroom".
fn is_genitive(before: &str, after: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let left_out = word.ends_with('s') || word.ends_with("in") || matches!(word, "o" | "an" | "ol" | "n");
    let goes_on = after.starts_with(char::is_whitespace) && after.trim_start().starts_with(char::is_alphanumeric);
    left_out && goes_on
}

/// "'em", "the '90s", "back in '26".
fn is_shortened(after: &str) -> bool {
    let word = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let year = word.strip_suffix('s').unwrap_or(word);
    SHORTENED.contains(&word) || year.len() == 2 && year.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a quotation is announced right before a mark, or the mark stands at the head of its line.
fn is_announced(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_matches(super::is_blank);
    let word = line.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    line.is_empty()
        || line.ends_with([':', '：', ',', '，'])
        || line.ends_with(is_han_or_kana)
        || SPEECH.contains(&word)
}

/// How long the quotation is, if it is closed in its line.
fn in_a_line(rest: &str) -> Option<usize> {
    let rest = &rest[..rest.floor_char_boundary(IN_A_LINE_BYTES_MAX)];
    let line = rest.split('\n').next().unwrap_or_default();
    line.match_indices('\'').map(|(at, _)| at).find(|at| !goes_on_with_word(line[at + 1..].chars().next()))
}
