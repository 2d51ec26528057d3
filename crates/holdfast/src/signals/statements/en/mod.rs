//! Statements in English: "I live in Quito", "my sister is allergic to nuts", "I prefer tabs over spaces".

mod announced;
mod habits;
mod liking;
mod predicates;
mod unnamed;
mod words;

use std::ops::Range;

use super::{Announced, Found, Part, Whom};
use crate::signals::layout::Clause;
use crate::signals::lexicon::Tag;
use crate::signals::reading::Reading;
use words::{JOINS, LEADS, REPORTS};

type Word<'t> = (Range<usize>, &'t str);

/// Where what a clause says begins.
pub(super) fn after_leads(text: &str, clause: &Range<usize>) -> usize {
    let words = split(text, clause);
    words.iter().find(|(_, word)| !LEADS.contains(word)).map_or(clause.end, |(span, _)| span.start)
}

fn split<'t>(text: &'t str, span: &Range<usize>) -> Vec<Word<'t>> {
    let mut words = Vec::new();
    for piece in text[span.clone()].split([' ', '\t', '\n', '\r']) {
        let word = piece.trim_matches(|c: char| ",.;:!?()*\"".contains(c));
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        if !word.is_empty() {
            words.push((start..start + word.len(), word));
        }
    }
    words
}

pub(super) fn read(
    reading: &Reading<'_>,
    part: &Part,
    next: &[Clause],
    whom: &mut Whom,
    found: &mut Vec<Found>,
) -> Option<Announced> {
    let text = reading.text();
    let words = split(text, &part.span);
    let head = words.iter().position(|(_, word)| !LEADS.contains(word)).unwrap_or(words.len());
    if head >= words.len() || reading.layout.is_quoted(words[head].0.start) {
        *whom = Whom::Nobody;
        return None;
    }
    let mut announced = part.announced.clone();
    let own = matches!(words[head].1, "i" | "i'm" | "i've" | "my" | "i'd");
    let led = head > 0 && words[head - 1].1 == "and";
    let mut from = head;
    let mut first = true;
    while from < words.len() {
        let reported = words[head..from].iter().any(|(_, word)| REPORTS.contains(word));
        let to = join(reading, &words, from);
        if first || own && !reported {
            let english = En {
                reading,
                words: &words[from..to],
                last: to == words.len(),
                next,
                part_start: part.span.start,
                part_end: part.span.end,
            };
            let inherits = !first && words[from - 1].1 == "and" || first && led;
            if let Some(new) = english.announces().filter(|_| part.opens || own || *whom == Whom::User) {
                *whom = Whom::User;
                announced = Some(new);
            } else if let Some(known) = announced.take_if(|_| *whom == Whom::User)
                && let told = english.goes_on(&known)
                && !told.is_empty()
            {
                found.extend(told);
            } else {
                let opens = first && part.opens;
                let unnamed = english.unnamed(opens);
                if unnamed.is_empty() {
                    english.read(whom, inherits, found);
                } else {
                    *whom = Whom::User;
                    found.extend(unnamed);
                }
            }
        }
        first = false;
        from = to + 1;
    }
    announced
}

/// Where the next subject or verb is joined on.
fn join(reading: &Reading<'_>, words: &[Word<'_>], from: usize) -> usize {
    (from + 1..words.len().saturating_sub(1))
        .find(|&at| {
            let next = words[at + 1].1;
            JOINS.contains(&words[at].1)
                && (matches!(
                    next,
                    "i" | "i'm" | "i've" | "my" | "i'd" | "i'll" | "he" | "she" | "they" | "we" | "it" | "you"
                ) || words[at].1 == "and" && is_verb(reading, words, at + 1))
        })
        .unwrap_or(words.len())
}

/// A verb that can begin a joined statement: "… and work at Acme", "… and is allergic to nuts".
fn is_verb(reading: &Reading<'_>, words: &[Word<'_>], at: usize) -> bool {
    let (span, word) = &words[at];
    let next = words.get(at + 1).map_or("", |(_, word)| *word);
    match *word {
        "am" | "is" | "are" => true,
        "live" | "lives" => next == "in",
        "work" | "works" => matches!(next, "at" | "for" | "as"),
        "moved" | "relocated" => next == "to",
        "switched" | "went" => next == "from",
        "speak" | "speaks" => true,
        "don't" | "doesn't" => true,
        _ => reading.hits_in(&(span.start..span.start + 1)).iter().any(|hit| matches!(hit.tag, Tag::Liking(_))),
    }
}

/// A clause being read.
struct En<'r, 't> {
    reading: &'r Reading<'t>,
    words: &'r [Word<'r>],
    /// Nothing is joined on behind it: what follows its comma may go on with its list.
    last: bool,
    next: &'r [Clause],
    /// Of the whole clause.
    part_start: usize,
    part_end: usize,
}

impl En<'_, '_> {
    fn is(&self, at: usize, word: &str) -> bool {
        self.words.get(at).is_some_and(|(_, other)| *other == word)
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |(_, word)| *word)
    }

    /// How many words `said` has if they stand at a place.
    fn says(&self, at: usize, said: &str) -> Option<usize> {
        let wanted = said.split(' ');
        let count = wanted.clone().count();
        wanted.enumerate().all(|(place, word)| self.is(at + place, word)).then_some(at + count)
    }

    fn any(&self, at: usize, said: &[&str]) -> Option<usize> {
        said.iter().find_map(|said| self.says(at, said))
    }

    /// The longest word of the lists that begins at a word: where it ends, as a place, and what it means.
    fn listed<T>(&self, at: usize, wanted: impl Fn(Tag) -> Option<T>) -> Option<(usize, usize, T)> {
        let start = self.words.get(at)?.0.start;
        let (end, answer) = self
            .reading
            .hits_in(&(start..start + 1))
            .iter()
            .find_map(|hit| wanted(hit.tag).map(|answer| (hit.end, answer)))?;
        let next = self.words.iter().position(|(span, _)| span.start >= end).unwrap_or(self.words.len());
        // "vegetarian-friendly" is another word.
        if self.reading.text()[end..].starts_with('-') {
            return None;
        }
        Some((next, end, answer))
    }

    fn read(&self, whom: &mut Whom, inherits: bool, found: &mut Vec<Found>) {
        let start = self.words[0].0.start;
        match self.word(0) {
            "i" => {
                *whom = Whom::User;
                self.predicate(1, start, None, false, found);
            }
            "i'm" => {
                *whom = Whom::User;
                self.being(1, start, None, found);
            }
            "i've" => {
                *whom = Whom::User;
                self.predicate(1, start, None, true, found);
            }
            "i'd" | "i'll" => *whom = Whom::User,
            "my" => self.mine(start, whom, found),
            _ if inherits && is_verb(self.reading, self.words, 0) => {
                let subject = match whom {
                    Whom::User => None,
                    Whom::Third(span) => Some(span.clone()),
                    Whom::Nobody => return,
                };
                self.predicate(0, start, subject, false, found);
            }
            _ => *whom = Whom::Nobody,
        }
    }

    /// "my sister …", "my manager is Ana", "my favourite colour is green".
    fn mine(&self, start: usize, whom: &mut Whom, found: &mut Vec<Found>) {
        *whom = Whom::Nobody;
        let mut at = 1;
        if matches!(self.word(at), "favourite" | "favorite") {
            found.extend(self.favourite(start));
            return;
        }
        if matches!(self.word(at), "current" | "new") {
            at += 1;
        }
        if let Some((next, end, attribute)) = self.listed(at, |tag| match tag {
            Tag::Attribute(attribute) => Some(attribute),
            _ => None,
        }) && let Some(one) = self.attribute(at, next, end, attribute, start, None)
        {
            found.push(one);
            return;
        }
        while matches!(
            self.word(at),
            "older" | "younger" | "little" | "big" | "best" | "oldest" | "youngest" | "eldest" | "elder"
        ) {
            at += 1;
        }
        let Some((mut next, mut end, ())) = self.listed(at, |tag| matches!(tag, Tag::Person(_)).then_some(())) else {
            return;
        };
        let text = self.reading.text();
        if text[end..].starts_with("'s") {
            let subject = start..end;
            let value = self.listed(next, |tag| match tag {
                Tag::Attribute(attribute) => Some(attribute),
                _ => None,
            });
            match value {
                Some((after, end, attribute)) => {
                    *whom = Whom::Third(subject.clone());
                    found.extend(self.attribute(next, after, end, attribute, start, Some(subject)));
                }
                // "my sister's allergic to nuts"
                None => {
                    *whom = Whom::Third(subject.clone());
                    self.being(next, start, Some(subject), found);
                }
            }
            return;
        }
        // "my sister Ana"
        if let Some((span, _)) = self.words.get(next)
            && self.reading.folded.written(span.clone()).starts_with(char::is_uppercase)
        {
            end = span.end;
            next += 1;
        }
        let subject = start..end;
        *whom = Whom::Third(subject.clone());
        self.predicate(next, start, Some(subject), false, found);
    }
}
