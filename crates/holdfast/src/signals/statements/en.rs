//! Statements in English: "I live in Quito", "my sister is allergic to nuts", "I prefer tabs over spaces".

use std::ops::Range;

use super::{Found, Part, Whom, claim_is, values};
use crate::signals::layout::Clause;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::reading::Reading;
use crate::types::signals::{Claim, Liking};

/// In front of what a clause says.
const LEADS: &[&str] = &[
    "and",
    "but",
    "so",
    "well",
    "also",
    "actually",
    "hi",
    "hey",
    "hello",
    "oh",
    "ok",
    "okay",
    "yes",
    "yeah",
    "no",
    "btw",
    "fyi",
    "personally",
    "honestly",
    "now",
    "currently",
    "basically",
    "anyway",
    "because",
    "since",
    "though",
    "although",
    "plus",
    "first",
    "second",
    "finally",
    "however",
    "then",
    "please",
    "right",
    "nowadays",
    "sorry",
    "thanks",
    "pls",
    "additionally",
    "besides",
    "apparently",
    "today",
    "frankly",
    "generally",
    "usually",
];
/// Between a subject and its verb, that change nothing.
const ADVERBS: &[&str] = &[
    "really",
    "also",
    "now",
    "currently",
    "still",
    "actually",
    "personally",
    "absolutely",
    "generally",
    "usually",
    "strongly",
    "definitely",
    "mostly",
    "mainly",
    "already",
    "recently",
    "both",
    "always",
    "much",
    "greatly",
    "typically",
    "finally",
    "do",
    "just",
    "officially",
    "have",
    "has",
];
/// After these a clause may begin with another subject.
const JOINS: &[&str] = &["and", "but", "so", "because", "since", "though", "although", "plus"];
/// Said in the head of a clause, what comes behind a join may be part of what was told or meant.
const REPORTS: &[&str] = &[
    "told", "said", "say", "says", "asked", "heard", "read", "thought", "wish", "wrote", "imagine", "dreamed", "hope",
    "wants", "if", "whether",
];
/// Ends a value.
const CUTS: &[&str] = &[
    "but",
    "so",
    "because",
    "since",
    "which",
    "who",
    "where",
    "when",
    "while",
    "though",
    "although",
    "due",
    "as",
    "until",
    "before",
    "after",
    "if",
    "unless",
    "for",
    "with",
    "now",
    "currently",
    "please",
    "thanks",
    "again",
    "these",
    "anymore",
    "right",
    "instead",
    "too",
    "last",
    "this",
    "next",
    "yesterday",
    "recently",
    "ago",
    "to",
    "from",
    "by",
    "near",
    "at",
    "yet",
    "temporarily",
    "and",
    "or",
    "can",
    "could",
    "is",
    "are",
    "was",
    "i",
    "my",
    "we",
    "you",
    "then",
    "than",
    "except",
    "whereas",
    "despite",
    "about",
    "on",
];
/// Ends what is liked; a condition ("when I'm tired") belongs to it.
const OBJECT_CUTS: &[&str] = &[
    "but", "so", "because", "since", "though", "although", "due", "please", "thanks", "can", "could", "would",
    "anyway", "whereas", "lol", "too", "anymore", "though", "as", "which", "is", "are", "was", "were",
];
/// A clause behind a comma with one of these is a sentence of its own.
const OWN_CLAUSE: &[&str] = &[
    "i",
    "i'm",
    "i've",
    "i'd",
    "i'll",
    "you",
    "it",
    "it's",
    "we",
    "he",
    "she",
    "they",
    "is",
    "are",
    "was",
    "were",
    "can",
    "could",
    "would",
    "will",
    "do",
    "does",
    "did",
    "have",
    "has",
    "had",
    "please",
    "but",
    "so",
    "because",
    "which",
    "who",
    "that",
    "when",
    "if",
    "since",
    "as",
    "though",
    "although",
    "like",
    "especially",
    "help",
    "let",
    "what",
    "how",
    "why",
    "where",
    "thanks",
    "particularly",
    "including",
    "given",
    "considering",
    "should",
    "not",
    "then",
    "this",
    "there",
    "maybe",
    "just",
    "even",
    "my",
    "your",
    "any",
    "while",
    "after",
    "before",
    "unlike",
    "mainly",
    "mostly",
    "though",
    "despite",
    "ideally",
    "preferably",
    "to",
    "for",
    "with",
    "in",
    "at",
    "by",
    "on",
    "due",
    "instead",
    "usually",
];

type Word<'t> = (Range<usize>, &'t str);

/// Where what a clause says begins.
pub(super) fn after_leads(text: &str, clause: &Range<usize>) -> usize {
    let words = words(text, clause);
    words.iter().find(|(_, word)| !LEADS.contains(word)).map_or(clause.end, |(span, _)| span.start)
}

fn words<'t>(text: &'t str, span: &Range<usize>) -> Vec<Word<'t>> {
    let mut from = span.start;
    let mut words = Vec::new();
    for piece in text[span.clone()].split([' ', '\t', '\n', '\r']) {
        let word = piece.trim_matches(|c: char| ",.;:!?()*\"".contains(c));
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        if !word.is_empty() {
            words.push((start..start + word.len(), word));
        }
        from += piece.len() + 1;
    }
    let _ = from;
    words
}

pub(super) fn read(reading: &Reading<'_>, part: &Part, next: &[Clause], whom: &mut Whom, found: &mut Vec<Found>) {
    let text = reading.text();
    let words = words(text, &part.span);
    let head = words.iter().position(|(_, word)| !LEADS.contains(word)).unwrap_or(words.len());
    if head >= words.len() || reading.layout.is_quoted(words[head].0.start) {
        *whom = Whom::Nobody;
        return;
    }
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
            english.read(whom, inherits, found);
        }
        first = false;
        from = to + 1;
    }
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

    fn attribute(
        &self,
        at: usize,
        next: usize,
        end: usize,
        attribute: Attribute,
        start: usize,
        subject: Option<Range<usize>>,
    ) -> Option<Found> {
        let is = self.any(
            next,
            &[
                "is now",
                "is called",
                "is named",
                "is currently",
                "is",
                "changed to",
                "went up to",
                "is going to be",
                "has changed to",
                "was raised to",
            ],
        )?;
        if self.says(next, "is going to be").is_some() {
            return None;
        }
        let from = if matches!(self.word(is), "a" | "an") && attribute != Attribute::Team { is + 1 } else { is };
        let value = self.value(from, CUTS)?;
        let word = &self.reading.text()[self.words[at].0.start..end];
        values::fits(self.reading, attribute, &value).then(|| self.found(word, value, true, subject, start))
    }

    /// "my favourite colour is green".
    fn favourite(&self, start: usize) -> Option<Found> {
        let is = (3..6).find(|at| matches!(self.word(*at), "is" | "are"))?;
        let kind = &self.words[1..is];
        let vague = [
            "part", "thing", "moment", "memory", "one", "bit", "example", "about", "of", "so", "line", "scene",
            "section", "option", "version", "was", "that",
        ];
        if kind.iter().any(|(_, word)| vague.contains(word)) {
            return None;
        }
        let attribute = &self.reading.text()[kind[0].0.start..kind[kind.len() - 1].0.end];
        let value = self.object(is + 1)?;
        let named = self.reading.text()[value.clone()].starts_with("the ");
        (values::is_short(self.reading, &value) && (named || values::is_object_en(self.reading, &value)))
            .then(|| self.found(attribute, value, true, None, start))
    }

    fn found(
        &self,
        attribute: &str,
        value: Range<usize>,
        holds: bool,
        subject: Option<Range<usize>>,
        start: usize,
    ) -> Found {
        let end = value.end;
        Found { claim: claim_is(self.reading, attribute, value, holds), subject, span: start..end }
    }

    /// From a word to where the value ends.
    fn value(&self, from: usize, cuts: &[&str]) -> Option<Range<usize>> {
        let first = self.words.get(from)?;
        let mut to = from;
        while to < self.words.len() && (to == from || !cuts.contains(&self.word(to))) {
            // "no longer", "any more", "all the time"
            if self
                .any(to, &["any more", "any longer", "no longer", "at the moment", "in the", "all day", "every"])
                .is_some()
                && to > from
            {
                break;
            }
            to += 1;
        }
        let mut end = self.words[to.max(from + 1) - 1].0.end;
        // "at Acme since May", "in Lima in 2020".
        if let Some(date) = self.reading.date_in(first.0.start..end)
            && date.span.start > first.0.start
        {
            end = date.span.start;
            let said = self.reading.text()[..end].trim_end();
            end = said.len();
            for word in [" in", " on", " of", " by", " at"] {
                if let Some(shorter) = said.strip_suffix(word) {
                    end = shorter.len().max(first.0.start);
                }
            }
        }
        (end > first.0.start).then_some(first.0.start..end)
    }

    /// "I am …".
    fn being(&self, from: usize, start: usize, subject: Option<Range<usize>>, found: &mut Vec<Found>) {
        let mut at = from;
        let mut holds = true;
        loop {
            if let Some(next) = self.any(at, &["no longer", "not"]) {
                holds = false;
                at = next;
            } else if ADVERBS.contains(&self.word(at)) {
                at += 1;
            } else {
                break;
            }
        }
        let over = !holds && self.word(at - 1) == "longer";
        let push = |found: &mut Vec<Found>, attribute: &str, value: Range<usize>| {
            found.push(self.found(attribute, value, holds, subject.clone(), start));
        };
        while matches!(self.word(at), "severely" | "very" | "highly" | "mildly" | "extremely" | "deathly") {
            at += 1;
        }
        if let Some(next) = self.says(at, "allergic to") {
            if let Some(value) = self.listing(next, CUTS).filter(|value| {
                let said = &self.reading.text()[value.clone()];
                values::is_short(self.reading, value) && !values::is_deictic(said) && said.split(' ').count() <= 6
            }) {
                push(found, "allergic", value);
            }
            return;
        }
        if let Some(next) = self.any(at, &["based in", "living in", "based out of"]) {
            if let Some(value) = self.place(next).filter(|_| holds || over) {
                push(found, "live", value);
            }
            return;
        }
        if let Some(next) = self.any(at, &["working at", "working for", "employed at", "employed by"]) {
            if let Some(value) = self.employer(next).filter(|_| holds || over) {
                push(found, "work", value);
            }
            return;
        }
        if subject.is_some()
            && let Some(next) = self.any(at, &["called", "named"])
            && let Some(value) = self.value(next, CUTS).filter(|value| values::is_name(self.reading, value))
        {
            push(found, "name", value);
            return;
        }
        if subject.is_none()
            && holds
            && let Some(next) = self.any(at, &["on the", "in the"])
            && let Some((end, _)) = self.words[next..]
                .iter()
                .enumerate()
                .find(|(_, (_, word))| *word == "team")
                .filter(|(place, _)| (1..=3).contains(place))
        {
            let span = self.words[next].0.start..self.words[next + end - 1].0.end;
            if !["right", "same", "whole", "winning", "wrong"].contains(&self.word(next)) {
                push(found, "team", span);
            }
            return;
        }
        let years = self.word(at);
        if holds && !years.is_empty() && years.len() <= 3 && years.bytes().all(|b| b.is_ascii_digit()) {
            let old = self.any(at + 1, &["years old", "year old", "yo"]);
            let ends = at + 1 == self.words.len() || self.any(at + 1, &["and", "now"]).is_some();
            let age = years.parse::<u32>().unwrap_or(0);
            let possible = (1..=120).contains(&age) && (old.is_some() || age >= 14 || subject.is_some());
            if possible && (old.is_some() || ends) {
                push(found, "age", self.words[at].0.clone());
            }
            return;
        }
        let article = usize::from(matches!(self.word(at), "a" | "an"));
        let at =
            self.any(at, &["working as a", "working as an", "employed as a", "employed as an"]).unwrap_or(at + article);
        let whole = self.words.len() > at;
        let strict = usize::from(matches!(self.word(at), "strict" | "lifelong" | "committed"));
        if let Some((next, end, ())) = self.listed(at + strict, |tag| (tag == Tag::Diet).then_some(())) {
            let ends =
                next >= self.words.len() || CUTS.contains(&self.word(next)) || matches!(self.word(next), "and" | "for");
            if ends && (holds || over) {
                push(found, "diet", self.words[at].0.start..end);
            }
            return;
        }
        if whole
            && (holds || over)
            && at > from
            && let Some(value) = self.value(at, CUTS_OF_JOBS).filter(|value| values::is_occupation(self.reading, value))
        {
            push(found, "job", value);
        }
    }

    fn place(&self, from: usize) -> Option<Range<usize>> {
        let skip = self.any(from, &["the"]).unwrap_or(from);
        let small = usize::from(matches!(
            self.word(skip),
            "downtown" | "central" | "northern" | "southern" | "eastern" | "western" | "north" | "south" | "upstate"
        ));
        let named = self.words.get(skip + small)?;
        if !self.reading.folded.written(named.0.clone()).starts_with(char::is_uppercase) && named.1.is_ascii() {
            return None;
        }
        let value = self.value(from, CUTS)?;
        let dated = self.reading.date_in(value.clone()).is_some();
        let tool = self
            .reading
            .hits_in(&value)
            .iter()
            .any(|hit| matches!(hit.tag, Tag::Tool | Tag::Weekday(..) | Tag::Month(_, true)));
        let odd = self.reading.folded.written(value.clone()).chars().any(|c| c.is_ascii_digit());
        let said = &self.reading.text()[value.clone()];
        let not_home = [
            "team",
            "department",
            "version",
            "step",
            "phase",
            "framework",
            "plan",
            "room",
            "hotel",
            "section",
            "office",
            "group",
        ]
        .iter()
        .any(|word| said.split(' ').any(|other| other == *word));
        (!dated && !tool && !odd && !not_home && said.len() <= 60).then(|| self.with_country(value))
    }

    /// "Lima, Peru": a short capitalised clause behind the comma.
    fn with_country(&self, value: Range<usize>) -> Range<usize> {
        let ends_clause = self.last && self.part_end - value.end <= 1;
        let Some(next) = self.next.first().filter(|_| ends_clause) else { return value };
        let span = crate::signals::phrase::trimmed(self.reading.text(), next.span.clone());
        let said = &self.reading.text()[span.clone()];
        let country = self.reading.text()[self.part_end..].starts_with(',')
            && said.len() <= 24
            && values::is_capitalised(self.reading, &span)
            && said.split(' ').count() <= 3
            && !LEADS.contains(&said)
            && !matches!(said, "i" | "thank you" | "thanks" | "cheers" | "sure" | "great");
        if country { value.start..span.end } else { value }
    }

    fn employer(&self, from: usize) -> Option<Range<usize>> {
        let value = self.value(from, CUTS_OF_EMPLOYERS)?;
        let said = &self.reading.text()[value.clone()];
        let not_employer = [
            "team",
            "club",
            "group",
            "gym",
            "class",
            "course",
            "meeting",
            "call",
            "league",
            "church",
            "association",
            "society",
            "community",
            "waitlist",
            "program",
            "challenge",
            "session",
            "webinar",
            "workshop",
            "server",
            "channel",
            "committee",
            "board",
            "band",
            "choir",
            "network",
            "forum",
            "library",
            "project",
            "home",
            "night",
            "university's",
            "conference",
            "party",
            "cafe",
        ]
        .iter()
        .any(|word| said.split(' ').any(|other| other == *word));
        let tool = self.reading.hits_in(&value).iter().any(|hit| hit.tag == Tag::Tool && hit.span() == value);
        let fits = values::is_organisation(self.reading, &value) && !not_employer && said.split(' ').count() <= 5;
        (fits && !(tool && self.is(from.saturating_sub(1), "joined"))).then_some(value)
    }

    /// "I really like …", "my sister lives in …".
    fn predicate(
        &self,
        from: usize,
        start: usize,
        subject: Option<Range<usize>>,
        perfect: bool,
        found: &mut Vec<Found>,
    ) {
        let mut at = from;
        let (mut negated, mut over) = (false, false);
        loop {
            if let Some(next) = self.any(at, &["no longer"]) {
                (over, at) = (true, next);
            } else if let Some(next) = self.any(at, &["don't", "doesn't", "do not", "does not"]) {
                (negated, at) = (true, next);
            } else if ADVERBS.contains(&self.word(at))
                && !(matches!(self.word(at), "have" | "has") && matches!(self.word(at + 1), "a" | "an" | "to"))
            {
                at += 1;
            } else {
                break;
            }
        }
        let any_more = self.words.iter().any(|(_, word)| *word == "anymore")
            || (at..self.words.len()).any(|place| self.any(place, &["any more", "any longer"]).is_some());
        over |= negated && any_more;
        if matches!(self.word(at), "am" | "is" | "are" | "was" | "were") {
            if matches!(self.word(at), "am" | "is" | "are") && !negated {
                self.being(at + 1, start, subject, found);
            }
            return;
        }
        let holds = !negated && !over;
        let mut push = |attribute: &str, value: Range<usize>, holds: bool| {
            found.push(self.found(attribute, value, holds, subject.clone(), start));
        };
        if let Some(next) = self.any(at, &["live in", "lives in", "reside in", "resides in"]) {
            if let Some(value) = self.place(next).filter(|_| !perfect) {
                push("live", value, holds);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["moved", "relocated"]) {
            let to = (next..self.words.len().min(next + 6)).find(|place| self.is(*place, "to"));
            let plain =
                self.is(next, "to") || self.is(next, "from") || self.any(next, &["here from", "back to"]).is_some();
            if let Some(value) = to.filter(|_| plain).and_then(|to| self.place(to + 1)) {
                push("live", value, true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["switched from", "moved over from", "migrated from"]) {
            let to = (next..self.words.len().min(next + 4)).find(|place| self.is(*place, "to"));
            if let Some((old, new)) =
                to.and_then(|to| Some((self.words[next].0.start..self.words[to - 1].0.end, self.value(to + 1, CUTS)?)))
            {
                let tool = |value: &Range<usize>| {
                    self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool && hit.span() == *value)
                };
                let named = |value: &Range<usize>| tool(value) || values::is_capitalised(self.reading, value);
                if (tool(&old) || tool(&new)) && named(&old) && named(&new) {
                    let end = new.end;
                    push("use", old, false);
                    push("use", new, true);
                    if let Some(gone) = found.iter_mut().rev().nth(1) {
                        gone.span.end = end;
                    }
                }
            }
            return;
        }
        if let Some(next) = self.any(at, &["work at", "work for", "works at", "works for"]) {
            if let Some(value) = self.employer(next).filter(|_| !perfect) {
                push("work", value, holds);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["joined"]) {
            if let Some(value) = self.employer(next) {
                push("work", value, true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["work as a", "work as an", "works as a", "works as an"]) {
            if let Some(value) =
                self.value(next, CUTS_OF_JOBS).filter(|value| !perfect && values::is_occupation(self.reading, value))
            {
                push("job", value, true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["speak", "speaks"]) {
            if let Some(value) = self.listing(next, CUTS).filter(|value| {
                let written = self.reading.folded.written(value.clone());
                values::is_short(self.reading, value)
                    && written
                        .split(' ')
                        .all(|word| word.starts_with(char::is_uppercase) || matches!(word, "and" | "fluent" | "or"))
            }) {
                push("speak", value, true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["weigh", "weighs"]) {
            if let Some(value) = self.value(next, CUTS).filter(|value| {
                values::fits(self.reading, Attribute::Measure, value)
                    && self.word(next).starts_with(|c: char| c.is_ascii_digit())
            }) {
                push("weight", value, true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["turned"]) {
            let years = self.word(next);
            if years.len() <= 3
                && years.parse::<u32>().is_ok_and(|years| (10..=120).contains(&years))
                && next + 1 >= self.words.len()
            {
                push("age", self.words[next].0.clone(), true);
            }
            return;
        }
        if holds && let Some(next) = self.any(at, &["have a", "has a", "have an", "has an"]) {
            if let Some(place) = (next..self.words.len().min(next + 5)).find(|place| self.is(*place, "allergy")) {
                let mut from = next;
                while matches!(self.word(from), "severe" | "mild" | "bad" | "serious" | "slight" | "strong") {
                    from += 1;
                }
                if place > from {
                    push("allergic", self.words[from].0.start..self.words[place - 1].0.end, true);
                } else if let Some(value) = self.says(place, "allergy to").and_then(|next| self.listing(next, CUTS)) {
                    push("allergic", value, true);
                }
            }
            return;
        }
        found.extend(self.liking(at, start, subject, negated, over));
    }

    fn liking(
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
                (Liking::Likes, _, true) => Some(Liking::NoLonger),
                (Liking::Likes, true, false) if !self.word(at).starts_with("love") => Some(Liking::Dislikes),
                // "I just love meetings": who knows.
                (_, false, false) if !just => Some(liking),
                _ => None,
            };
            from = next;
        } else if negated && matches!(self.word(at), "eat" | "drink") {
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
        let fits = !today && !meal && !bare && !hates_to && values::is_object_en(self.reading, &object);
        let end = object.end;
        let claim = Claim::Likes { object: self.reading.folded.written(object).to_owned(), degree };
        fits.then_some(Found { claim, subject, span: start..end })
    }

    /// What is liked: to the end of the clause, and over the commas of a list.
    fn object(&self, from: usize) -> Option<Range<usize>> {
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

    fn listing(&self, from: usize, cuts: &[&str]) -> Option<Range<usize>> {
        // "peanuts and shellfish" is one value.
        let joined: Vec<&str> = cuts.iter().copied().filter(|cut| !matches!(*cut, "and" | "or")).collect();
        let value = self.value(from, &joined)?;
        let words = self.words[from..].iter().take_while(|(span, _)| span.end <= value.end).count();
        let whole = from + words == self.words.len();
        Some(if whole { self.over_commas(value, words) } else { value })
    }

    /// "lightweight, dependency-free solutions", "apples, oranges, and pears": clauses that go on with a list.
    fn over_commas(&self, object: Range<usize>, words: usize) -> Range<usize> {
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
        let mut last = false;
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
            if place == 0
                && words == 1
                && said.split(' ').count() >= 2
                && !said.split(' ').next().is_some_and(|word| word.ends_with("ing") || word.ends_with("ly"))
            {
                // An adjective and its noun; or the first two of a list, if an "and" comes.
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

/// Ends an occupation.
const CUTS_OF_JOBS: &[&str] = &[
    "but",
    "so",
    "because",
    "since",
    "which",
    "who",
    "where",
    "when",
    "while",
    "though",
    "as",
    "until",
    "for",
    "with",
    "now",
    "by",
    "at",
    "in",
    "from",
    "and",
    "or",
    "on",
    "working",
    "currently",
    "specializing",
    "specialising",
    "living",
    "based",
    "of",
    "here",
    "myself",
    "to",
    "trying",
    "looking",
    "that",
    "too",
];
/// Ends a company's name.
const CUTS_OF_EMPLOYERS: &[&str] = &[
    "but",
    "so",
    "because",
    "since",
    "which",
    "who",
    "where",
    "when",
    "while",
    "though",
    "as",
    "until",
    "for",
    "with",
    "now",
    "by",
    "in",
    "from",
    "and",
    "or",
    "on",
    "currently",
    "last",
    "this",
    "anymore",
    "to",
    "at",
    "again",
    "these",
    "after",
    "before",
    "recently",
    "too",
    "doing",
    "yesterday",
    "today",
    "about",
    "right",
    "my",
    "i",
];
