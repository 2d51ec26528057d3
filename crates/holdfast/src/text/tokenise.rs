//! Text into search terms: any text in, terms out that consist of letters and digits only, so that a lexical index that
//! splits on everything else (SQLite's `unicode61`, `to_tsvector('simple')`) takes each of them whole.
//!
//! What a text is indexed under (`index_terms`):
//! - a word: folded, lower case, English stem;
//! - a run of ideographs, kana or hangul: every character, and every pair of neighbours;
//! - an identifier, path, version, date or decimal (`report_v2.pdf`, `2026-11-30`, `3.2%`): its parts, every pair of
//!   neighbouring parts, and the whole, joined by `JOINT` whatever the punctuation was;
//! - a number before an ideograph (3月, 5号): the two together.
//!
//! What is asked for (`query_terms`) are the longest of these that say the same; the shorter ones come along as weak, so
//! that a word of two characters which is nowhere in the store finds nothing through its single characters.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::normalise::fold_keeping_case;
use super::script::{Script, script};
use super::stopwords;

/// Stands between the parts of an identifier inside one term. It is a letter to Unicode (Lm), so no index splits at it, and
/// nobody types it outside phonetic transcription.
pub const JOINT: char = 'ː';
/// A longer word (base64, a data URL) is known by its beginning.
const TERM_BYTES_MAX: usize = 64;
/// An identifier of more parts is known by its pairs only: wholes of every suffix would be quadratic.
const WHOLE_PARTS_MAX: usize = 12;
/// A word that changes more often between letters, digits and cases is a hash, and its pieces mean nothing.
const PIECES_MAX: usize = 5;

/// How much a term of a query says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Enough to find something by.
    Strong,
    /// Orders what strong terms have found, and finds nothing by itself.
    Weak,
    /// A stop word: rank by it only when there is nothing else.
    Stop,
}

/// What a term of a query is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermKind {
    /// A word or number.
    Word,
    /// Two neighbouring characters of a script without spaces, or a number and the character after it.
    Pair,
    /// One character of such a script.
    Character,
    /// An identifier, path, version or date as a whole.
    Whole,
    /// A piece of one.
    Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    pub text: String,
    pub kind: TermKind,
    pub strength: Strength,
}

/// The terms a text is indexed under, in the order of the text; a term that occurs twice is there twice.
pub fn index_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    each_index_term(text, |term| terms.push(term.to_owned()));
    terms
}

/// The same, one after the other.
pub(super) fn each_index_term(text: &str, mut add: impl FnMut(&str)) {
    let folded = fold_keeping_case(text);
    let stemmer = Stemmer::create(Algorithm::English);
    for run in Runs::of(&folded) {
        match run {
            Run::Ideographs { text, number_before } => {
                let mut previous = None;
                for (at, c) in text.char_indices() {
                    let end = at + c.len_utf8();
                    match (previous, number_before) {
                        (Some(before), _) => add(&text[before..end]),
                        (None, Some(number)) => add(&format!("{}{c}", clip(number))),
                        (None, None) => {}
                    }
                    add(&text[at..end]);
                    previous = Some(at);
                }
            }
            Run::Compound(parts) => index_compound(&parts, &stemmer, &mut add),
        }
    }
}

fn index_compound(parts: &[Part<'_>], stemmer: &Stemmer, add_term: &mut impl FnMut(&str)) {
    let plain: Vec<String> = parts.iter().map(|part| plain(part.text)).collect();
    for (part, plain) in parts.iter().zip(&plain) {
        add_term(&stem(plain, stemmer));
        pieces(part.text).iter().for_each(|piece| add_term(&stem(piece, stemmer)));
    }
    if parts.len() < 2 {
        return;
    }
    if let Some(closed) = closed_up(parts, &plain) {
        add_term(&stem(&closed, stemmer));
    }
    let mut wholes = BTreeSet::new();
    let mut add = |plain: &[String]| {
        wholes.extend(plain.windows(2).map(joined));
        if (3..=WHOLE_PARTS_MAX).contains(&plain.len()) {
            wholes.insert(joined(plain));
        }
    };
    add(&plain);
    if parts.len() <= WHOLE_PARTS_MAX {
        // A path is quoted by its end as often as in full, and an address by what stands before or after the @.
        let borders = parts.iter().enumerate().filter(|(_, part)| part.joiner.is_some_and(is_border)).map(|(at, _)| at);
        let borders: Vec<usize> = std::iter::once(0).chain(borders).chain([parts.len()]).collect();
        for window in borders.windows(2) {
            add(&plain[window[0]..window[1]]);
            add(&plain[window[0]..]);
        }
    }
    if let Some(number) = version_number(&plain[0]) {
        let mut bare = plain.clone();
        bare[0] = number.to_owned();
        add(&bare);
    }
    wholes.iter().for_each(|whole| add_term(whole));
}

/// What to ask an index for, without repetition, in the order of the text.
pub fn query_terms(text: &str) -> Vec<QueryTerm> {
    let folded = fold_keeping_case(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut query = Query::default();
    let runs: Vec<Run<'_>> = Runs::of(&folded).collect();
    for (at, run) in runs.iter().enumerate() {
        match run {
            Run::Ideographs { text, number_before } => {
                // In 「用Rust写的网关」 the 用 stands alone only because the script changes.
                let touches_word = number_before.is_some() || ends_at_word(&folded, text);
                query_ideographs(text, *number_before, touches_word, &mut query);
            }
            Run::Compound(parts) => {
                let number_of = match runs.get(at + 1) {
                    Some(Run::Ideographs { number_before: Some(number), .. }) => Some(*number),
                    _ => None,
                };
                query_compound(parts, number_of, &stemmer, &mut query);
            }
        }
    }
    query.finish()
}

/// Whether a word touches this run, which is a slice of `whole`, at either end.
fn ends_at_word(whole: &str, run: &str) -> bool {
    let start = run.as_ptr().addr() - whole.as_ptr().addr();
    let is_word = |c: Option<char>| c.is_some_and(|c| matches!(script(c), Script::Letter | Script::Digit));
    is_word(whole[..start].chars().next_back()) || is_word(whole[start + run.len()..].chars().next())
}

fn query_ideographs(run: &str, number_before: Option<&str>, touches_word: bool, query: &mut Query) {
    let characters: Vec<char> = run.chars().collect();
    let stopped = stopwords::mask(&characters);
    if let Some(number) = number_before {
        query.add(format!("{}{}", clip(number), characters[0]), TermKind::Pair, Strength::Strong);
    }
    for (at, &c) in characters.iter().enumerate() {
        let says = |at: usize| stopped.get(at) == Some(&false);
        let alone = (at == 0 || !says(at - 1)) && !says(at + 1);
        let strength = match (says(at), alone && !touches_word) {
            (true, true) => Strength::Strong,
            (true, false) => Strength::Weak,
            (false, _) => Strength::Stop,
        };
        query.add(c.to_string(), TermKind::Character, strength);
        if let Some(&next) = characters.get(at + 1) {
            let strength = match (says(at), says(at + 1)) {
                (true, true) => Strength::Strong,
                (false, false) => Strength::Stop,
                _ => Strength::Weak,
            };
            query.add(String::from_iter([c, next]), TermKind::Pair, strength);
        }
    }
}

fn query_compound(parts: &[Part<'_>], counts_something: Option<&str>, stemmer: &Stemmer, query: &mut Query) {
    let plain: Vec<String> = parts.iter().map(|part| plain(part.text)).collect();
    if let [word] = &plain[..] {
        // The 3 of 3月 is everywhere; a year or an order number says something by itself.
        let counts = counts_something.is_some() && word.len() < 3;
        let strength = match stopwords::is_english(word) {
            true => Strength::Stop,
            false if counts => Strength::Weak,
            false => Strength::Strong,
        };
        query.add(stem(word, stemmer).into_owned(), TermKind::Word, strength);
        for piece in pieces(parts[0].text) {
            query.add(stem(&piece, stemmer).into_owned(), TermKind::Part, Strength::Weak);
        }
        return;
    }
    let pairs = plain.windows(2).map(joined);
    if plain.len() <= WHOLE_PARTS_MAX {
        query.add(joined(&plain), TermKind::Whole, Strength::Strong);
        pairs.for_each(|pair| query.add(pair, TermKind::Part, Strength::Weak));
    } else {
        pairs.for_each(|pair| query.add(pair, TermKind::Part, Strength::Strong));
    }
    if let Some(closed) = closed_up(parts, &plain) {
        query.add(stem(&closed, stemmer).into_owned(), TermKind::Word, Strength::Strong);
    }
    // The parts of long-running and and/or are words in their own right; those of report_v3.pdf would find every report.
    let words = plain.len() <= 4
        && plain.iter().all(|part| part.chars().all(|c| script(c) == Script::Letter))
        && parts.iter().all(|part| part.joiner.is_none_or(|joiner| matches!(joiner, '-' | '/' | ':' | '=' | '&')));
    for (part, plain) in parts.iter().zip(&plain) {
        let strength = match (words, stopwords::is_english(plain)) {
            (_, true) => Strength::Stop,
            (true, false) => Strength::Strong,
            (false, false) => Strength::Weak,
        };
        query.add(stem(plain, stemmer).into_owned(), TermKind::Part, strength);
        for piece in pieces(part.text) {
            query.add(stem(&piece, stemmer).into_owned(), TermKind::Part, Strength::Weak);
        }
    }
}

#[derive(Default)]
struct Query {
    terms: Vec<QueryTerm>,
    places: BTreeMap<String, usize>,
}

impl Query {
    /// A term that is there already stays where it is, at the greater of the two strengths.
    fn add(&mut self, text: String, kind: TermKind, strength: Strength) {
        match self.places.get(&text) {
            Some(&at) => {
                let term = &mut self.terms[at];
                if strength < term.strength {
                    (term.kind, term.strength) = (kind, strength);
                }
            }
            None => {
                self.places.insert(text.clone(), self.terms.len());
                self.terms.push(QueryTerm { text, kind, strength });
            }
        }
    }

    fn finish(mut self) -> Vec<QueryTerm> {
        // 「3月」 or 「猫A」 is all that was asked: then what is weak elsewhere is all there is to find by.
        if !self.terms.iter().any(|term| term.strength == Strength::Strong) {
            for term in self.terms.iter_mut().filter(|term| term.strength == Strength::Weak) {
                term.strength = Strength::Strong;
            }
        }
        self.terms
    }
}

/// A stretch of text that is tokenised together.
enum Run<'a> {
    Ideographs {
        text: &'a str,
        number_before: Option<&'a str>,
    },
    /// One word, or several held together by single punctuation marks.
    Compound(Vec<Part<'a>>),
}

struct Part<'a> {
    text: &'a str,
    /// What joins it to the part before.
    joiner: Option<char>,
}

struct Runs<'a> {
    text: &'a str,
    at: usize,
    /// The bare number that ended just where the scan is now.
    number_before: Option<&'a str>,
}

impl<'a> Runs<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, at: 0, number_before: None }
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        start + rest.find(|c| !matches!(script(c), Script::Letter | Script::Digit)).unwrap_or(rest.len())
    }

    fn compound(&mut self, start: usize) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        let (mut start, mut joiner) = (start, None);
        loop {
            let end = self.word_end(start);
            let word = &self.text[start..end];
            match iso_time(word) {
                Some(at) => parts
                    .extend([Part { text: &word[..at], joiner }, Part { text: &word[at + 1..], joiner: Some('T') }]),
                None => parts.push(Part { text: word, joiner }),
            }
            self.at = end;
            let mut next = self.text[end..].chars();
            let (Some(mark), Some(after)) = (next.next(), next.next()) else { break };
            if !is_joiner(mark) || !matches!(script(after), Script::Letter | Script::Digit) {
                break;
            }
            start = end + mark.len_utf8();
            // The comma of 1,200 belongs to the number; any other ends it.
            if mark == ',' && !thousands(&parts, &self.text[start..self.word_end(start)]) {
                break;
            }
            joiner = Some(mark);
        }
        parts
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let c = rest.chars().next()?;
            let number_before = self.number_before.take();
            match script(c) {
                Script::Other => self.at += c.len_utf8(),
                Script::Ideographic => {
                    let length = rest.find(|c| script(c) != Script::Ideographic).unwrap_or(rest.len());
                    self.at += length;
                    return Some(Run::Ideographs { text: &rest[..length], number_before });
                }
                Script::Letter | Script::Digit => {
                    let mut parts = self.compound(self.at);
                    parts.retain(|part| part.text.is_ascii() || !part.text.chars().all(is_combining_mark));
                    if parts.is_empty() {
                        continue;
                    }
                    if let [Part { text, .. }] = parts[..]
                        && text.chars().all(|c| script(c) == Script::Digit)
                    {
                        self.number_before = Some(text);
                    }
                    let after = &self.text[self.at..];
                    if let [Part { text, .. }] = parts[..]
                        && let Some((name, length)) = named_language(text, after)
                    {
                        self.at += length;
                        return Some(Run::Compound(vec![Part { text: name, joiner: None }]));
                    }
                    return Some(Run::Compound(parts));
                }
            }
        }
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, '.' | '_' | '-' | '/' | '\\' | '@' | ':' | '=' | '&' | '\'' | '’' | ',' | '·' | '‐' | '‑' | '+' | '~')
}

/// Joiners between parts that are also named alone: of a path, an address, a pair of key and value.
fn is_border(c: char) -> bool {
    matches!(c, '/' | '\\' | '@' | ':' | '=' | '&' | 'T')
}

/// Languages whose names are a letter and marks: no other word depends on its punctuation.
fn named_language(word: &str, after: &str) -> Option<(&'static str, usize)> {
    match word {
        "C" | "c" if after.starts_with("++") => Some(("cpp", 2)),
        "C" | "c" if after.starts_with('#') => Some(("csharp", 1)),
        "F" | "f" if after.starts_with('#') => Some(("fsharp", 1)),
        _ => None,
    }
}

/// Where the T of `30T10` in 2026-11-30T10:00 stands.
fn iso_time(word: &str) -> Option<usize> {
    let (day, hour) = word.split_once('T')?;
    let two_digits = |text: &str| text.len() >= 2 && text.bytes().take(2).all(|b| b.is_ascii_digit());
    (day.len() == 2 && two_digits(day) && two_digits(hour)).then_some(day.len())
}

/// Whether `next` continues the number that `parts` end with: 1,200 but not 1,2 or a,200.
fn thousands(parts: &[Part<'_>], next: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let Some(last) = parts.last() else { return false };
    let opens = last.joiner.is_none() && (1..=3).contains(&last.text.len());
    let goes_on = last.joiner == Some(',') && last.text.len() == 3;
    digits(next) && next.len() == 3 && digits(last.text) && (opens || goes_on)
}

/// A word as it is compared: lower case, without accents and other marks (an index would split there), not longer than a
/// term may be.
fn plain(word: &str) -> String {
    if word.is_ascii() {
        return clip(word).to_ascii_lowercase();
    }
    let is_latin = |c: char| c < '\u{250}' || ('\u{1E00}'..'\u{1F00}').contains(&c);
    let lower: String = if word.chars().any(is_latin) {
        word.nfd().filter(|c| !('\u{300}'..'\u{370}').contains(c)).flat_map(char::to_lowercase).nfc().collect()
    } else {
        word.chars().flat_map(char::to_lowercase).collect()
    };
    let kept = lower.chars().filter(|&c| script(c) != Script::Other && !is_combining_mark(c));
    // The sigma at the end of a word is a sigma.
    let kept: String = kept.map(|c| if c == 'ς' { 'σ' } else { c }).collect();
    clip(&kept).to_owned()
}

fn clip(text: &str) -> &str {
    &text[..text.floor_char_boundary(TERM_BYTES_MAX)]
}

fn stem<'w>(word: &'w str, stemmer: &Stemmer) -> Cow<'w, str> {
    if word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase()) {
        stemmer.stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

fn joined(parts: &[String]) -> String {
    let mut whole = String::new();
    for part in parts {
        if !whole.is_empty() {
            whole.push(JOINT);
        }
        whole.push_str(part);
    }
    clip(&whole).to_owned()
}

/// e-mail is also email, 1,200 is also 1200, don't is also dont, and user's is also user.
fn closed_up(parts: &[Part<'_>], plain: &[String]) -> Option<String> {
    let joiners = || parts.iter().filter_map(|part| part.joiner);
    let letters = || plain.iter().all(|part| part.chars().all(|c| script(c) == Script::Letter));
    if joiners().all(|c| c == ',') {
        return Some(clip(&plain.concat()).to_owned());
    }
    if joiners().all(|c| matches!(c, '\'' | '’')) && letters() {
        return match plain {
            [word, s] if s == "s" => Some(word.clone()),
            _ => Some(clip(&plain.concat()).to_owned()),
        };
    }
    (joiners().all(|c| matches!(c, '-' | '‐' | '‑')) && parts.len() <= 3 && letters())
        .then(|| clip(&plain.concat()).to_owned())
}

/// The 1 of v1, so that v1.2.3 is found as 1.2.3.
fn version_number(part: &str) -> Option<&str> {
    part.strip_prefix('v').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// What a word is put together from: `getUserName`, `HTTPServer`, `report2024`. Nothing if it is of one piece.
fn pieces(word: &str) -> Vec<String> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Upper,
        Lower,
        Digit,
    }
    let class = |c: char| match c {
        c if script(c) == Script::Digit => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    };
    if !word.is_ascii() || word.len() > TERM_BYTES_MAX {
        return Vec::new();
    }
    // Of one class is of one piece: most words.
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Vec::new();
    }
    let classes: Vec<Class> = word.chars().map(class).collect();
    let mut starts = vec![0];
    for at in 1..classes.len() {
        let starts_piece = match (classes[at - 1], classes[at]) {
            (Class::Upper, Class::Lower) => false,
            (Class::Upper, Class::Upper) => classes.get(at + 1) == Some(&Class::Lower),
            (before, now) => before != now,
        };
        if starts_piece {
            starts.push(at);
        }
    }
    if starts.len() == 1 || starts.len() > PIECES_MAX {
        return Vec::new();
    }
    starts.push(word.len());
    starts.windows(2).map(|w| &word[w[0]..w[1]]).filter(|piece| piece.len() > 1).map(plain).collect()
}

/// The terms of a text as a set.
pub fn term_set(text: &str) -> BTreeSet<String> {
    index_terms(text).into_iter().collect()
}

/// Whether an index term says nothing by itself: a stop word, or characters that all belong to stop words.
pub fn is_stop_term(term: &str) -> bool {
    let ideographs: Vec<char> = term.chars().collect();
    if ideographs.iter().all(|c| script(*c) == Script::Ideographic) {
        return stopwords::mask(&ideographs).into_iter().all(|stopped| stopped);
    }
    stopwords::is_english(term)
}
