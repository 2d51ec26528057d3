//! What is said of a subject: each takes the place behind it, and gives statements or nothing.

use std::ops::Range;

use super::En;
use super::words::{
    ADVERBS, CUTS, CUTS_OF_EMPLOYERS, CUTS_OF_JOBS, LEADS, MOVE_ADVERBS, MOVES, NO_LONGER, TOLD_OF_THEN,
};
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::statements::{Found, claim_is, values};

impl En<'_, '_> {
    pub(super) fn attribute(
        &self,
        at: usize,
        next: usize,
        end: usize,
        attribute: Attribute,
        start: usize,
        subject: Option<Range<usize>>,
    ) -> Option<Found> {
        let word = &self.reading.text()[self.words[at].0.start..end];
        if let Some((name, value)) = self.moved(next, attribute) {
            return Some(self.found(name.unwrap_or(word), value, true, subject, start));
        }
        let is = self.any(
            next,
            &[
                "is now",
                "is on",
                "are",
                "is called",
                "is named",
                "is currently",
                "is",
                "changed to",
                "is going to be",
                "has changed to",
            ],
        )?;
        if self.says(next, "is going to be").is_some() {
            return None;
        }
        let from = if matches!(self.word(is), "a" | "an") && attribute != Attribute::Team { is + 1 } else { is };
        let value = self.value(from, CUTS)?;
        values::fits(self.reading, attribute, &value).then(|| self.found(word, value, true, subject, start))
    }

    /// "my rent is up to $1400", "my team has grown to 9 people": the new value, with the name of what it is of where that is not the
    /// attribute itself.
    pub(super) fn moved(&self, next: usize, attribute: Attribute) -> Option<(Option<&'static str>, Range<usize>)> {
        let mut place = next;
        while MOVE_ADVERBS.contains(&self.word(place)) {
            place += 1;
        }
        let mut value = self.amount(self.moved_from(next).or_else(|| self.any(place, MOVES))?)?;
        if attribute == Attribute::Commute {
            // "10 minutes by bike"
            let after = self.words.iter().position(|(span, _)| span.start >= value.end).unwrap_or(self.words.len());
            let way = self
                .any(after, &["by", "on"])
                .and_then(|way| self.listed(way, |tag| (tag == Tag::Travel).then_some(())));
            value.end = way.map_or(value.end, |(_, end, ())| end);
            return values::fits(self.reading, attribute, &value).then_some((None, value));
        }
        if attribute == Attribute::Team {
            let said = &self.reading.text()[value.clone()];
            let people = ["people", "members", "persons", "engineers", "of us"].iter().any(|unit| said.ends_with(unit));
            return people.then_some((Some("team size"), value));
        }
        (values::is_counted(attribute) && values::fits(self.reading, attribute, &value)).then_some((None, value))
    }

    /// A number at a place and its unit, if it is told of now: "$1400 before I moved out" is over.
    fn amount(&self, from: usize) -> Option<Range<usize>> {
        let digit = |c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£' | '¥');
        let value = self.value(from, CUTS).filter(|_| self.word(from).starts_with(digit))?;
        let after = self.words.iter().find(|(span, _)| span.start >= value.end).map_or("", |(_, word)| *word);
        (!TOLD_OF_THEN.contains(&after)).then_some(value)
    }

    /// "my favourite colour is green".
    pub(super) fn favourite(&self, start: usize) -> Option<Found> {
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

    pub(super) fn found(
        &self,
        attribute: &str,
        value: Range<usize>,
        holds: bool,
        subject: Option<Range<usize>>,
        start: usize,
    ) -> Found {
        let end = value.end;
        let found = Found { claim: claim_is(self.reading, attribute, value, holds), subject, span: start..end };
        if self.is_over() { found.over() } else { found }
    }

    /// Whether it is said with a word that it was so before.
    fn is_over(&self) -> bool {
        (0..self.words.len()).any(|place| self.any(place, NO_LONGER).is_some())
    }

    /// From a word to where the value ends.
    pub(super) fn value(&self, from: usize, cuts: &[&str]) -> Option<Range<usize>> {
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
    pub(super) fn being(&self, from: usize, start: usize, subject: Option<Range<usize>>, found: &mut Vec<Found>) {
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
        let over = !holds && self.is_over();
        if holds && matches!(self.word(at), "eating" | "drinking") {
            found.extend(self.habits(at, start, subject.as_ref(), false, false));
            return;
        }
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
            let ends = next >= self.words.len()
                || CUTS.contains(&self.word(next))
                || matches!(self.word(next), "and" | "for")
                || self.any(next, NO_LONGER).is_some();
            if ends {
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

    pub(super) fn place(&self, from: usize) -> Option<Range<usize>> {
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
        let tool = self.reading.hits_in(&value).iter().any(|hit| {
            matches!(hit.tag, Tag::Tool | Tag::Employer | Tag::Organisation | Tag::Weekday(..) | Tag::Month(_, true))
        });
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
            "sales",
            "marketing",
            "product",
            "engineering",
            "finance",
            "hr",
            "design",
            "management",
            "premium",
            "pro",
            "gold",
            "business",
            "economy",
            "chapter",
            "unit",
            "module",
            "level",
            "class",
            "mode",
        ]
        .iter()
        .any(|word| said.split(' ').any(|other| other == *word));
        (!dated && !tool && !odd && !not_home && said.len() <= 60).then(|| self.with_country(value))
    }

    /// "Lima, Peru": a short capitalised clause behind the comma.
    pub(super) fn with_country(&self, value: Range<usize>) -> Range<usize> {
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

    pub(super) fn employer(&self, from: usize) -> Option<Range<usize>> {
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
        let fits = values::is_organisation(self.reading, &value)
            && !said.contains("'s")
            && !not_employer
            && said.split(' ').count() <= 5;
        (fits && !(tool && self.is(from.saturating_sub(1), "joined"))).then_some(value)
    }

    /// "at Globex as a data analyst": what one is there.
    pub(super) fn role(&self) -> Option<Range<usize>> {
        let place = self.words.iter().position(|(_, word)| *word == "as")?;
        let from = place + 1 + usize::from(matches!(self.word(place + 1), "a" | "an" | "the"));
        self.value(from, CUTS_OF_JOBS).filter(|value| values::is_occupation(self.reading, value))
    }

    /// "I really like …", "my sister lives in …".
    pub(super) fn predicate(
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
        over |= negated && self.is_over();
        if matches!(self.word(at), "am" | "is" | "are" | "was" | "were") {
            if matches!(self.word(at), "am" | "is" | "are") && !negated {
                self.being(at + 1, start, subject, found);
            }
            return;
        }
        let habits = self.habits(at, start, subject.as_ref(), negated, over);
        if !habits.is_empty() {
            found.extend(habits);
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
        let replaced = self.any(at, &["replaced"]);
        if holds && let Some(next) = self.any(at, &["switched from", "moved over from", "migrated from"]).or(replaced) {
            let into = if replaced.is_some() { "with" } else { "to" };
            let to = (next..self.words.len().min(next + 4)).find(|place| self.is(*place, into));
            if let Some((old, new)) =
                to.and_then(|to| Some((self.words[next].0.start..self.words[to - 1].0.end, self.value(to + 1, CUTS)?)))
            {
                let tool = |value: &Range<usize>| {
                    self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool && hit.span() == *value)
                };
                let named = |value: &Range<usize>| tool(value) || values::is_capitalised(self.reading, value);
                if (tool(&old) || tool(&new)) && named(&old) && named(&new) {
                    let end = new.end;
                    let mut gone = self.found("use", old, false, subject.clone(), start).over();
                    gone.span.end = end;
                    found.extend([gone, self.found("use", new, true, subject, start)]);
                }
            }
            return;
        }
        if let Some(next) = self.any(at, &["work at", "work for", "works at", "works for"]) {
            if let Some(value) = self.employer(next).filter(|_| !perfect) {
                push("work", value, holds);
                if let Some(role) = self.role().filter(|_| holds) {
                    push("job", role, true);
                }
            }
            return;
        }
        // One joins clubs, calls and courses as well.
        if holds && let Some(next) = self.any(at, &["joined"]) {
            if let Some(value) = self.employer(next).filter(|value| {
                let listed =
                    self.reading.hits_in(value).iter().any(|hit| matches!(hit.tag, Tag::Employer | Tag::Organisation));
                listed || self.role().is_some()
            }) {
                push("work", value, true);
                if let Some(role) = self.role() {
                    push("job", role, true);
                }
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
        // The raise says what it is that moved.
        if holds
            && let Some(next) = self.any(
                at,
                &["got a raise to", "got a pay raise to", "got a pay rise to", "got a pay cut to", "took a pay cut to"],
            )
        {
            if let Some(value) = self.amount(next).filter(|value| values::fits(self.reading, Attribute::Pay, value)) {
                push("salary", value, true);
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
}
