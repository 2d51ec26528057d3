//! What somebody likes, prefers or can't stand, and how far the words for it reach.

use std::ops::Range;

use super::En;
use super::words::{OBJECT_CUTS, OWN_CLAUSE};
use crate::signals::layout::Clause;
use crate::signals::lexicon::Tag;
use crate::signals::statements::{Found, values};
use crate::types::signals::{Claim, Liking};

impl En<'_, '_> {
    pub(super) fn liking(
        &self,
        at: usize,
        start: usize,
        subject: Option<Range<usize>>,
        negated: bool,
        over: bool,
    ) -> Option<Found> {
        let mut degree = None;
        let mut from = at;
        if let Some((next, _, liking)) = self.listed(at, |tag| match tag {
            Tag::Liking(liking) => Some(liking),
            _ => None,
        }) {
            let just = at > 0 && self.is(at - 1, "just");
            degree = match (liking, negated, over) {
                (Liking::Likes | Liking::Prefers, _, true) => Some(Liking::NoLonger),
                (Liking::Dislikes, _, true) => Some(Liking::Resumed),
                (Liking::Likes, true, false) if !self.word(at).starts_with("love") => Some(Liking::Dislikes),
                // "I just love meetings": who knows.
                (_, false, false) if !just => Some(liking),
                _ => None,
            };
            from = next;
        } else if (negated || over) && matches!(self.word(at), "eat" | "drink") {
            degree = Some(if over { Liking::NoLonger } else { Liking::Dislikes });
        } else if !negated && self.any(at, &["quit", "gave up", "stopped"]).is_some() {
            from = self.any(at, &["quit", "gave up", "stopped"])?;
            let given_up = [
                "smoking",
                "drinking",
                "vaping",
                "coffee",
                "alcohol",
                "sugar",
                "meat",
                "dairy",
                "caffeine",
                "gluten",
                "cigarettes",
                "eating",
            ];
            degree = given_up.contains(&self.word(from)).then_some(Liking::NoLonger);
        }
        let degree = degree?;
        let object = self.object(from)?;
        let said = &self.reading.text()[object.clone()];
        let today =
            self.reading.hits_in(&(self.part_start..object.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..)));
        let meal = matches!(
            said.split(' ').nth(1).filter(|_| matches!(self.word(from), "eat" | "drink")),
            Some(
                "breakfast"
                    | "lunch"
                    | "dinner"
                    | "much"
                    | "enough"
                    | "out"
                    | "anything"
                    | "well"
                    | "a"
                    | "at"
                    | "very"
                    | "too"
                    | "that"
                    | "until"
                    | "before"
                    | "after"
                    | "or"
            )
        );
        let bare = matches!(said, "eat" | "drink");
        // "I love to", "I hate to".
        let hates_to = degree == Liking::Dislikes && said.starts_with("to ");
        // "I prefer to use a gift card": a choice in hand.
        let chooses = degree == Liking::Prefers && said.starts_with("to ");
        let fits = !chooses && !today && !meal && !bare && !hates_to && values::is_object_en(self.reading, &object);
        let end = object.end;
        let claim = Claim::Likes { object: self.reading.folded.written(object).to_owned(), degree };
        fits.then_some(Found { claim, subject, span: start..end })
    }

    /// What is liked: to the end of the clause, and over the commas of a list.
    pub(super) fn object(&self, from: usize) -> Option<Range<usize>> {
        let mut cut = from;
        while cut < self.words.len() && !(cut > from && OBJECT_CUTS.contains(&self.word(cut))) {
            if cut > from
                && self.any(cut, &["any more", "any longer", "so far", "right now", "at the moment"]).is_some()
            {
                break;
            }
            cut += 1;
        }
        let span = self.words.get(from)?.0.start..self.words[cut.checked_sub(1).filter(|last| *last >= from)?].0.end;
        let whole = cut == self.words.len();
        Some(if whole { self.over_commas(span, cut - from) } else { span })
    }

    pub(super) fn listing(&self, from: usize, cuts: &[&str]) -> Option<Range<usize>> {
        // "peanuts and shellfish" is one value.
        let joined: Vec<&str> = cuts.iter().copied().filter(|cut| !matches!(*cut, "and" | "or")).collect();
        let value = self.value(from, &joined)?;
        let words = self.words[from..].iter().take_while(|(span, _)| span.end <= value.end).count();
        let whole = from + words == self.words.len();
        Some(if whole { self.over_commas(value, words) } else { value })
    }

    /// "lightweight, dependency-free solutions", "apples, oranges, and pears": clauses that go on with a list.
    pub(super) fn over_commas(&self, object: Range<usize>, words: usize) -> Range<usize> {
        let text = self.reading.text();
        if !self.last || !text[self.part_end..].starts_with(',') {
            return object;
        }
        let goes_on = |clause: &Clause| {
            let said = text[clause.span.clone()].trim();
            !said.is_empty()
                && said.split(' ').count() <= 12
                && !said.split(' ').take(1).any(|word| OWN_CLAUSE.contains(&word))
                && !said
                    .split(' ')
                    .any(|word| matches!(word, "i" | "i'm" | "you" | "it" | "can" | "could" | "is" | "are" | "please"))
        };
        let mut end = object.end;
        let (mut last, mut singles) = (false, 0);
        for (place, clause) in self.next.iter().take(6).enumerate() {
            let said = text[clause.span.clone()].trim();
            if !goes_on(clause) {
                break;
            }
            let comma = text[clause.span.end..].starts_with(',');
            if said.starts_with("and ") || said.starts_with("or ") {
                let verb = said.split(' ').nth(1).unwrap_or_default();
                if !OWN_CLAUSE.contains(&verb) && !matches!(verb, "want" | "need" | "am" | "work" | "live") {
                    end = clause.span.end;
                    last = true;
                }
                break;
            }
            let count = said.split(' ').count();
            // "a sleek, modern look".
            let after_article = text[object.clone()].rsplit(' ').nth(1).is_some_and(|word| matches!(word, "a" | "an"));
            let adjectives = words == 1
                || after_article
                || words == 2 && text[object.clone()].split(' ').next().is_some_and(|word| word.ends_with("ing"));
            if adjectives && place == singles && count == 1 {
                singles += 1;
            } else if adjectives
                && place == singles
                && !said.split(' ').next().is_some_and(|word| word.ends_with("ing") || word.ends_with("ly"))
            {
                // Adjectives and their noun; or the first of a list, if an "and" comes.
                end = clause.span.end;
                last = true;
            }
            if !comma {
                break;
            }
        }
        let end = if last { text[..end].trim_end().len() } else { object.end };
        object.start..end.max(object.end)
    }
}
