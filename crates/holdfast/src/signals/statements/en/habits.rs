//! What one does time and again, and when it is over: "I run every day", "I gave up running", "I eat meat again" after "I don't eat meat".

use std::ops::Range;

use super::En;
use super::words::CUTS;
use crate::signals::statements::{Found, kinds, values};
use crate::types::signals::{Claim, Holds, Liking};

/// As it is said, and its name.
const ACTIVITIES: &[(&str, &str)] = &[
    ("run", "running"),
    ("jog", "jogging"),
    ("swim", "swimming"),
    ("cycle", "cycling"),
    ("meditate", "meditating"),
    ("work out", "working out"),
    ("do yoga", "yoga"),
    ("go to the gym", "going to the gym"),
    ("journal", "journaling"),
];
const OFTEN: &[&str] =
    &["every day", "every morning", "every evening", "every night", "every week", "daily", "each morning", "each day"];

impl En<'_, '_> {
    /// At a place behind the subject and its adverbs. `over`: it is said with "no longer" or "any more".
    pub(super) fn habits(
        &self,
        at: usize,
        start: usize,
        subject: Option<&Range<usize>>,
        negated: bool,
        over: bool,
    ) -> Vec<Found> {
        let end = self.words[self.words.len() - 1].0.end;
        let whole = start..end;
        let habit = |name: &str, holds| {
            let claim = Claim::Is { attribute: "habit".to_owned(), value: name.to_owned(), holds };
            vec![Found { claim, subject: subject.cloned(), span: whole.clone() }]
        };
        let done = ACTIVITIES.iter().find_map(|(said, name)| Some((self.says(at, said)?, *name)));
        let ends = |place: usize| place >= self.words.len();
        if let Some((next, name)) = done {
            let often = self.any(next, OFTEN).is_some_and(ends);
            let ended =
                over && (ends(next) || self.any(next, &["any more", "any longer", "anymore"]).is_some_and(ends));
            return match (negated || over, often, ended) {
                (false, true, _) => habit(name, Holds::Yes),
                (true, _, true) => habit(name, Holds::NoLonger),
                _ => Vec::new(),
            };
        }
        if negated || over {
            return Vec::new();
        }
        if let Some(next) = self.any(at, &["gave up", "quit", "stopped", "given up"]) {
            let given_up = ACTIVITIES.iter().find(|(_, name)| self.says(next, name).is_some_and(ends));
            return given_up.map_or_else(Vec::new, |(_, name)| habit(name, Holds::NoLonger));
        }
        if let Some(next) = self.any(at, &["started", "went back to", "took up"])
            && let Some((_, name)) = ACTIVITIES.iter().find(|(_, name)| self.says(next, name).is_some())
        {
            return if self.words.last().is_some_and(|(_, word)| *word == "again") {
                habit(name, Holds::Yes)
            } else {
                Vec::new()
            };
        }
        self.consumes(at, subject, whole)
    }

    /// The name of an activity at a place, and the place behind it.
    pub(super) fn named_activity(&self, at: usize) -> Option<(&'static str, usize)> {
        ACTIVITIES.iter().find_map(|(_, name)| Some((*name, self.says(at, name)?)))
    }

    /// "eat meat again", "drink lattes now": that one does not is over. "Again" is said of how one lives, "now" can be of this hour.
    fn consumes(&self, at: usize, subject: Option<&Range<usize>>, whole: Range<usize>) -> Vec<Found> {
        let verbs = [
            "eat",
            "drink",
            "started eating",
            "started drinking",
            "went back to eating",
            "went back to drinking",
            "eating",
            "drinking",
        ];
        let Some(next) = self.any(at, &verbs) else { return Vec::new() };
        let (again, now) = (
            self.words.last().is_some_and(|(_, word)| *word == "again"),
            self.words.last().is_some_and(|(_, word)| *word == "now"),
        );
        let Some(value) =
            self.value(next, CUTS).filter(|value| (again || now) && values::is_object_en(self.reading, value))
        else {
            return Vec::new();
        };
        let said = &self.reading.text()[value.clone()];
        // Only the thing, and the word for again.
        if said.split(' ').count() > 2 || self.words.iter().filter(|(span, _)| span.start >= value.end).count() != 1 {
            return Vec::new();
        }
        let claim = |object: String, degree| Found {
            claim: Claim::Likes { object, degree },
            subject: subject.cloned(),
            span: whole.clone(),
        };
        let degree = if again { Liking::Likes } else { Liking::Resumed };
        let mut found = vec![claim(self.reading.folded.written(value.clone()).to_owned(), degree)];
        found.extend(kinds::kind_of(said).map(|kind| claim(kind.to_owned(), Liking::Resumed)));
        found
    }
}
