//! A change announced and then told: "I got a new phone, switched from a Pixel 6 to a Galaxy S24", "changed jobs, now at Globex". The
//! first clause says what is another now, one behind it which: there the new thing is read, and never the old one.

use std::ops::Range;

use super::En;
use super::words::CUTS;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::statements::{Announced, Found, values};

/// Behind an announcement that is whole.
const BEHIND: &[&str] = &["recently", "finally", "today", "yesterday", "again", "too", "now"];
/// What one can change, in the plural.
const PLURALS: &[(&str, &str, Attribute)] = &[
    ("jobs", "job", Attribute::Job),
    ("employers", "employer", Attribute::Employer),
    ("phones", "phone", Attribute::Device),
    ("laptops", "laptop", Attribute::Device),
    ("computers", "computer", Attribute::Device),
    ("tablets", "tablet", Attribute::Device),
    ("cameras", "camera", Attribute::Device),
    ("cars", "car", Attribute::Device),
    ("editors", "editor", Attribute::Tool),
    ("browsers", "browser", Attribute::Tool),
    ("terminals", "terminal", Attribute::Tool),
    ("shells", "shell", Attribute::Tool),
];

impl En<'_, '_> {
    /// "I got a new phone", "changed jobs last week": the whole clause, told and not planned.
    pub(super) fn announces(&self) -> Option<Announced> {
        let mut at = usize::from(matches!(self.word(0), "i" | "i've"));
        let start = self.words[0].0.start;
        while matches!(self.word(at), "just" | "recently" | "finally" | "also" | "have") {
            at += 1;
        }
        let new =
            self.any(at, &["got a new", "got myself a new", "bought a new", "bought myself a new", "started a new"]);
        let (end, attribute, word) = if let Some(at) = new {
            let (next, end, attribute) = self.listed(at, |tag| match tag {
                Tag::Attribute(attribute) => Some(attribute),
                _ => None,
            })?;
            (next, attribute, &self.reading.text()[self.words[at].0.start..end])
        } else {
            let at = self.any(at, &["changed", "switched", "swapped"])?;
            let (_, word, attribute) = PLURALS.iter().find(|(plural, ..)| self.is(at, plural))?;
            (at + 1, *attribute, *word)
        };
        let lasts = matches!(attribute, Attribute::Device | Attribute::Tool | Attribute::Job | Attribute::Employer);
        let dated = self.words.get(end).is_some_and(|(span, _)| {
            self.reading.date_in(span.clone()).is_some() || matches!(self.word(end), "last" | "this")
        });
        let whole = end == self.words.len()
            || dated && end + 3 >= self.words.len()
            || BEHIND.contains(&self.word(end)) && end + 1 == self.words.len();
        (lasts && whole).then(|| Announced { attribute, word: word.to_owned(), start })
    }

    /// What a clause tells of what was announced.
    pub(super) fn goes_on(&self, announced: &Announced) -> Vec<Found> {
        let mut at = 0;
        while matches!(
            self.word(at),
            "and" | "so" | "i" | "i've" | "i'm" | "am" | "now" | "just" | "currently" | "it's" | "it" | "is"
        ) {
            at += 1;
        }
        match announced.attribute {
            Attribute::Job | Attribute::Employer => self.new_job(at, announced),
            _ => self.new_thing(at, announced).into_iter().collect(),
        }
    }

    fn new_thing(&self, at: usize, announced: &Announced) -> Option<Found> {
        let named = |value: &Range<usize>| values::fits(self.reading, announced.attribute, value);
        let from = match self.old_and_new(at) {
            Some((old, new)) => {
                named(&old).then_some(())?;
                new
            }
            None => {
                let of_it =
                    at > 0 && matches!(self.word(at - 1), "it's" | "is") && matches!(self.word(at), "a" | "an" | "the");
                let used = self.any(at, &["switched to", "went with", "using", "on", "upgraded to", "moved to"]);
                used.or(of_it.then_some(at))?
            }
        };
        let from = if matches!(self.word(from), "a" | "an" | "the") { from + 1 } else { from };
        let value = self.value(from, CUTS).filter(named)?;
        Some(self.found(&announced.word, value, true, None, announced.start))
    }

    /// "now at Globex as a data analyst", "from Acme to Globex".
    fn new_job(&self, at: usize, announced: &Announced) -> Vec<Found> {
        let joined = self.any(
            at,
            &["at", "with", "working at", "working for", "joined", "moved to", "started at", "work at", "work for"],
        );
        let Some(employer) = self.old_and_new(at).map(|(_, new)| new).or(joined).and_then(|from| self.employer(from))
        else {
            return Vec::new();
        };
        let mut found = vec![self.found("work", employer, true, None, announced.start)];
        found.extend(self.role().map(|role| self.found("job", role, true, None, announced.start)));
        found
    }

    /// "switched from A to B": the old one, and where the new one begins.
    fn old_and_new(&self, at: usize) -> Option<(Range<usize>, usize)> {
        let mut from = self.any(at, &["switched from", "went from", "moved from", "upgraded from", "from"])?;
        if matches!(self.word(from), "a" | "an" | "the" | "my") {
            from += 1;
        }
        // Names are short: a "to" further off is another one's.
        let to = (from + 1..self.words.len().min(from + 6)).find(|place| self.is(*place, "to"))?;
        Some((self.words[from].0.start..self.words[to - 1].0.end, to + 1))
    }
}
