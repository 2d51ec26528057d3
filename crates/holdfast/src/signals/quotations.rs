//! What of a folded text stands in quotation marks, in code, behind `>`, or in a forwarded mail.
//!
//! In: a text. Out: two lists of stretches. `quoted` is what is plainly a quotation, for rules that would miss a lot by losing the rest of
//! a text to one stray mark. `foreign` has that and whatever may be one (a mark that is never closed, brackets, the lines that go on
//! below a `>`): for long-term memory, which would rather learn nothing than somebody else's word.

mod apostrophes;

use std::ops::Range;

use self::apostrophes::{Apostrophes, Opened, goes_on_with_word};

/// What a mail client or a person writes above text of somebody else; the rest of the text is quoted.
const FORWARDED: &[&str] = &[
    "-----original message",
    "---------- forwarded message",
    "-----原始邮件",
    "----- 原始邮件",
    "------------------ 原始邮件",
];

/// Marks of which one opens and others close. A folded ’ is an apostrophe.
const MARKS: &[(char, &[char])] = &[
    ('“', &['”']),
    ('”', &['”']),
    ('„', &['“', '”', '"']),
    ('「', &['」']),
    ('『', &['』']),
    ('｢', &['｣']),
    ('«', &['»']),
    ('‹', &['›']),
    ('《', &['》']),
    ('‘', &['\'']),
    ('[', &[']']),
];
/// Of these, what is never closed: a title, an apostrophe typed the other way round, and "[1)" open nothing.
const CLOSED_ONLY: &[char] = &['《', '‘', '['];
/// These hold notes, links and placeholders as well: they quote nothing by themselves.
const ASIDE: &[char] = &['[', '«', '‹'];

/// Fewer backticks at the head of a line are code in a line.
const FENCE_MARKS_MIN: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Quotations {
    /// In order, apart from each other.
    pub(super) quoted: Vec<Range<usize>>,
    /// In order, apart from each other.
    pub(super) foreign: Vec<Range<usize>>,
}

pub(super) fn find(text: &str) -> Quotations {
    let Blocks { mut quoted, lazy } = blocks(text);
    // Most texts have no mark at all, and are not read for one twice.
    let marked = text.contains(is_mark);
    let apostrophes = if marked { Apostrophes::of(text) } else { Apostrophes::default() };
    let scan = |thorough| match marked {
        true => Scanner { text, blocks: &quoted, apostrophes: &apostrophes, thorough }.scan(),
        false => Vec::new(),
    };
    let (plain, thorough) = (scan(false), scan(true));
    let foreign = quoted.iter().cloned().chain(lazy).chain(thorough).chain(plain.iter().cloned()).collect();
    quoted.extend(plain);
    Quotations { quoted: merged(quoted), foreign: merged(foreign) }
}

/// Whether a character can open a quotation, or end one that was opened nowhere.
fn is_mark(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '"' | '`' | '\'' | '[');
    }
    MARKS.iter().any(|(mark, _)| *mark == c) || is_stray_end(c, Some('a'), None)
}

/// Whether a place is inside of one of these stretches, which are in order and apart.
pub(super) fn covers(stretches: &[Range<usize>], at: usize) -> bool {
    let after = stretches.partition_point(|span| span.end <= at);
    stretches.get(after).is_some_and(|span| span.contains(&at))
}

pub(super) fn merged(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.retain(|span| !span.is_empty());
    spans.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match apart.last_mut() {
            // Those that touch stay two: a name in quotation marks is one by its ends.
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

/// Space, and what is none but can't be seen either: a mark behind it is still at the head of its line.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[derive(Debug, Default)]
struct Blocks {
    quoted: Vec<Range<usize>>,
    /// Lines below one with `>`, up to an empty one: mail clients break long lines, and mark only the first.
    lazy: Vec<Range<usize>>,
}

fn blocks(text: &str) -> Blocks {
    let mut found = Blocks::default();
    let mut line_from = 0;
    let mut fence: Option<(usize, char, usize)> = None;
    let mut below_mark = false;
    for line in text.split_inclusive('\n') {
        let (from, to) = (line_from, line_from + line.len());
        line_from = to;
        let said = line.trim_matches(is_blank);
        if let Some((start, mark, length)) = fence {
            let closes = said.chars().all(|c| c == mark) && said.len() >= length;
            if closes {
                found.quoted.push(start..to);
                fence = None;
            }
        } else if let Some((mark, length)) = opens_fence(said) {
            fence = Some((from, mark, length));
        } else if said.starts_with(['>', '＞']) || said.starts_with("&gt;") {
            found.quoted.push(from..to);
            below_mark = true;
            continue;
        } else if FORWARDED.iter().any(|mark| said.starts_with(mark)) || mail_attribution(said) {
            found.quoted.push(from..text.len());
            return found;
        } else if below_mark && !said.is_empty() {
            found.lazy.push(from..to);
            continue;
        }
        below_mark = false;
    }
    if let Some((start, ..)) = fence {
        found.quoted.push(start..text.len());
    }
    found
}

/// The mark of a fence and how many of them: it is closed by as many or more.
fn opens_fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    // "```code``` is code in a line."
    (length >= FENCE_MARKS_MIN && !rest.contains('`')).then_some((mark, length))
}

/// "On Mon, Nov 30, 2026, Ana wrote:" and 「在 2026年11月30日，Ana 写道：」.
fn mail_attribution(line: &str) -> bool {
    line.starts_with("on ") && line.ends_with("wrote:") && line.bytes().any(|b| b.is_ascii_digit())
        || (line.ends_with("写道：") || line.ends_with("写道:"))
}

/// What closes a mark that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// By its place in `MARKS`.
    Pair(usize),
    /// `"`, which opens and closes.
    Straight,
    /// So many backticks; two are also closed by two apostrophes.
    Ticks(usize),
}

struct Scanner<'t> {
    text: &'t str,
    blocks: &'t [Range<usize>],
    apostrophes: &'t Apostrophes,
    /// For `foreign`: marks in marks of the same kind are counted, and what is never closed reaches to the end.
    thorough: bool,
}

impl Scanner<'_> {
    /// Once over the text, and once more for each kind of mark that is never closed.
    fn scan(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut lost: Vec<Open> = Vec::new();
        let mut from = 0;
        while let Some((open, start)) = self.through(from, &lost, &mut found) {
            let may_reach_on = match open {
                Open::Pair(kind) => !CLOSED_ONLY.contains(&MARKS[kind].0),
                Open::Straight | Open::Ticks(_) => true,
            };
            if self.thorough && may_reach_on {
                found.push(start..self.text.len());
                break;
            }
            lost.push(open);
            from = start;
        }
        found
    }

    /// Reads on to the end; gives back a mark that was not closed, and where its inside begins.
    fn through(&self, from: usize, lost: &[Open], found: &mut Vec<Range<usize>>) -> Option<(Open, usize)> {
        let bytes = self.text.as_bytes();
        let mut open: Option<(Open, usize, usize)> = None;
        let mut after = from;
        let mut block = self.blocks.partition_point(|span| span.end <= from);
        for (at, c) in self.text[from..].char_indices().map(|(at, c)| (from + at, c)) {
            while self.blocks.get(block).is_some_and(|span| span.end <= at) {
                block += 1;
            }
            if at < after || self.blocks.get(block).is_some_and(|span| span.contains(&at)) {
                continue;
            }
            let end = at + c.len_utf8();
            after = end;
            if c == '«' {
                let placeholder = super::layout::placeholder(&self.text[at..]);
                if placeholder > 0 {
                    after = at + placeholder;
                    continue;
                }
            }
            if c.is_ascii() && !matches!(c, '"' | '`' | '\'' | '[' | ']') {
                continue;
            }
            let previous = self.text[..at].chars().next_back();
            let next = self.text[end..].chars().next();
            let run = if matches!(c, '`' | '\'') { run_of(bytes, at) } else { 1 };
            if c == '`' {
                after = at + run;
            }
            if let Some((kind, start, depth)) = open {
                let closes = match kind {
                    Open::Pair(kind) => MARKS[kind].1.contains(&c) && (c != '\'' || !goes_on_with_word(next)),
                    Open::Straight => c == '"' && !goes_on(previous, next),
                    Open::Ticks(length) => c == '`' && run == length || length == 2 && c == '\'' && run == 2,
                };
                let opens_again = matches!(kind, Open::Pair(kind) if MARKS[kind].0 == c);
                if closes && depth <= 1 {
                    found.push(start..at);
                    open = None;
                } else if closes {
                    open = Some((kind, start, depth - 1));
                } else if opens_again && self.thorough {
                    open = Some((kind, start, depth + 1));
                }
                continue;
            }
            let opened = match c {
                '"' if opens(previous, next) => Some(Open::Straight),
                '`' => Some(Open::Ticks(run)),
                // An apostrophe inside a word opens nothing.
                '\'' if !goes_on_with_word(previous) => {
                    match self.apostrophes.opened(self.text, at, end, self.thorough) {
                        Opened::Nothing => {}
                        Opened::To(to) => {
                            found.push(end..to);
                            after = to + 1;
                        }
                        Opened::Unclosed => {
                            found.push(end..self.text.len());
                            after = self.text.len();
                        }
                    }
                    None
                }
                _ => MARKS.iter().position(|(mark, _)| *mark == c).map(Open::Pair),
            };
            let opened = opened.filter(|kind| {
                let aside = matches!(kind, Open::Pair(kind) if ASIDE.contains(&MARKS[*kind].0));
                let ends = self.thorough && is_stray_end(c, previous, next) && c != '"';
                (self.thorough || !aside) && !ends && !lost.contains(kind)
            });
            if let Some(kind) = opened {
                let inside = if c == '`' { at + run } else { end };
                open = Some((kind, inside, 1));
            } else if self.thorough && is_stray_end(c, previous, next) {
                // Where it was opened was left out: all before it may be inside.
                found.push(0..at);
            }
        }
        open.map(|(kind, start, _)| (kind, start))
    }
}

/// How often the character at a place stands there in a row.
fn run_of(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count()
}

/// Not 27" and no mark that ends a word with nothing behind it.
fn opens(previous: Option<char>, next: Option<char>) -> bool {
    let after_number = previous.is_some_and(|c| c.is_ascii_digit());
    let ends_word = previous.is_some_and(|c| !c.is_whitespace()) && next.is_none_or(char::is_whitespace);
    let ends_latin = previous.is_some_and(|c| c.is_ascii_alphabetic()) && !next.is_some_and(char::is_alphanumeric);
    !after_number && !ends_word && !ends_latin
}

/// Of a quotation of several paragraphs each begins with its mark, and only the last ends with one.
fn goes_on(previous: Option<char>, next: Option<char>) -> bool {
    previous.is_none_or(char::is_whitespace) && next.is_some_and(char::is_alphanumeric)
}

fn is_stray_end(c: char, previous: Option<char>, next: Option<char>) -> bool {
    match c {
        '"' => {
            previous.is_some_and(|c| !c.is_whitespace() && !c.is_ascii_digit())
                && !next.is_some_and(char::is_alphanumeric)
        }
        '」' | '』' | '｣' | '»' | '›' => true,
        // Else it opens, typed the wrong way round.
        '”' => previous.is_some_and(|c| !c.is_whitespace()) && !next.is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is foreign of a text, each stretch between bars.
    fn check(cases: &[(&str, &[&str])]) {
        for (text, expected) in cases {
            let found = find(text).foreign;
            let found: Vec<&str> = found.into_iter().map(|span| text[span].trim_matches(is_blank)).collect();
            assert_eq!(found, *expected, "in {text:?}");
        }
    }

    #[test]
    fn over_lines_and_never_closed() {
        check(&[
            ("he wrote \"hello\ni live here.\nbye.\" and left", &["hello\ni live here.\nbye."]),
            ("他发来「大家好，\n我住在杭州。」完了", &["大家好，\n我住在杭州。"]),
            ("“one “two” three” four", &["one “two” three"]),
            ("he wrote \"hello\ni live here", &["hello\ni live here"]),
            ("他说“你好\n我住在这", &["你好\n我住在这"]),
            ("run `ls\ni live here", &["ls\ni live here"]),
            ("„hallo welt“ and «bonjour» and ｢你好｣", &["hallo welt", "bonjour", "你好"]),
            ("``hello there'' he said", &["hello there"]),
            ("he sent [i live here] and left", &["i live here"]),
            ("\"one\n\n\"two\n\n\"three\" four", &["one\n\n\"two\n\n\"three"]),
            ("i live here,\" he said", &["i live here,"]),
            ("i live here.” he said", &["i live here."]),
            ("我住在这。」他说", &["我住在这。"]),
        ]);
    }

    #[test]
    fn in_straight_single_quotes() {
        check(&[
            ("he wrote 'hello\ni live here.\nbye.' and left", &["hello\ni live here.\nbye."]),
            ("he wrote:\n'hello, i don't mind.\ni live here'\nso?", &["hello, i don't mind.\ni live here"]),
            ("'the users' rooms are small.\ni live here.' he said", &["the users' rooms are small.\ni live here."]),
            ("'one\n\n'two\n\n'three.' four", &["one\n\n'two\n\n'three."]),
            ("he wrote 'hello\ni live here", &["hello\ni live here"]),
            ("他发来'大家好，\n我住在杭州。'完了", &["大家好，\n我住在杭州。"]),
            ("他说'以后都用word'就走了", &["以后都用word"]),
            ("他说'你好\n再见'就走了", &["你好\n再见"]),
            ("他说'你好\n再见'。我住在余杭", &["你好\n再见"]),
            ("他说‘以后都用word'就走了", &["以后都用word"]),
            ("他发来：'大家好\n我住在杭州", &["大家好\n我住在杭州"]),
            ("''hello\ni live here.'' he said", &["'hello\ni live here."]),
            ("call it 'one', and the other 'two'", &["one", "two"]),
            ("the 'users' table and the 'boss' one", &["users", "boss"]),
        ]);
    }

    #[test]
    fn apostrophes_that_quote_nothing() {
        check(&[
            ("the users' room\nthe boys' room\ni live here.", &[]),
            ("i don't mind the '90s.\ni live here, it's '26.", &[]),
            ("i can't, 'cause it rains.\ni live here.", &[]),
            ("get 'em done\nthe boss' desk\ni live here.", &[]),
            ("it 's fine , i do n't mind\nit 's mine .", &[]),
            ("nothin' fancy\nrock 'n roll\ni live here", &[]),
            ("a mark ' alone\ni live here", &[]),
            ("她用的是iphone'\n我住在余杭", &[]),
            ("5' 10\" tall\ni live here.", &[]),
        ]);
    }

    #[test]
    fn what_opens_nothing() {
        check(&[
            ("i don't like the boys' room, it's small", &[]),
            ("a 27\" screen and a 5\" phone", &[]),
            ("a 27\" screen, and \"this\" one", &["this"]),
            ("[1) first", &[]),
            ("以后密码改成«password:1»，好", &[]),
        ]);
    }

    #[test]
    fn fences_and_quoted_lines() {
        check(&[
            ("````\n```\ni live here\n```\nso\n````\nmine", &["````\n```\ni live here\n```\nso\n````"]),
            ("```\na\n```rust\nb\n```\nmine", &["```\na\n```rust\nb\n```"]),
            ("~~~\na\n~~~\nmine", &["~~~\na\n~~~"]),
            ("\u{200b}```\na\n```\nmine", &["```\na\n```"]),
            ("\u{200b}> a\n\nmine", &["> a"]),
            ("> a\nb, he writes\n\nmine", &["> a", "b, he writes"]),
        ]);
    }
}
