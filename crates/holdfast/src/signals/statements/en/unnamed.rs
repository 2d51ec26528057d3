//! What people tell of themselves in few words, often without "I", or of what: "Rent went up to $2,100", "Down to 71 kg now", "Switched from
//! Android to an iPhone", "Our team grew from three to six". Each kind is a whole clause with a grammar of its own: a plan, a goal and what
//! is told of others have another form.

use std::ops::Range;

use super::En;
use super::words::MOVE_ADVERBS;
use crate::signals::lexicon::{Attribute, Device, Tag};
use crate::signals::statements::{Found, kinds, values};
use crate::types::signals::{Claim, Holds, Liking};

const KILOGRAMS: &[&str] = &["kg", "kgs", "kilos", "kilograms"];
const POUNDS: &[&str] = &["lbs", "lb", "pounds"];
/// Of a person. What is lighter or heavier is luggage.
const KILOGRAMS_OF_A_PERSON: std::ops::RangeInclusive<f64> = 35.0..=200.0;
const POUNDS_OF_A_PERSON: std::ops::RangeInclusive<f64> = 80.0..=440.0;
const BODY_MOVES: &[&str] = &[
    "down to",
    "up to",
    "back up to",
    "back down to",
    "back to",
    "dropped to",
    "dropped down to",
    "got down to",
    "gone down to",
    "went down to",
    "went up to",
    "gained back to",
];
const DAILY_CALORIES: std::ops::RangeInclusive<f64> = 600.0..=8000.0;
/// That it is so from now on, and has been before the clause ends.
const NOW: &[&str] = &["now", "nowadays", "these days"];
const ALWAYS: &[&str] = &["usually", "always", "typically", "generally", "normally", "mostly"];
const UNITS_OF_TEAMS: &[&str] =
    &["people", "members", "engineers", "developers", "designers", "employees", "of us", "folks", "persons"];
const NUMBERS: &[&str] = &[
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
];
const TEAM_MOVED_FROM: &[&str] = &[
    "grew from",
    "went from",
    "expanded from",
    "scaled from",
    "shrank from",
    "has grown from",
    "have grown from",
    "grown from",
    "is up from",
    "increased from",
];
const TEAM_IS: &[&str] = &["is up to", "is now", "is down to", "has grown to", "grew to", "is"];
/// Behind an amount that is paid.
const PER: &[&str] = &["a", "per", "month", "year", "week", "annually", "monthly", "now"];
/// Words of one name: an old thing's, and between it and the new one.
const NAME_WORDS_MAX: usize = 6;

fn word_of(device: Device) -> &'static str {
    match device {
        Device::Phone => "phone",
        Device::Computer => "computer",
        Device::Tablet => "tablet",
        Device::Headphones => "headphones",
        Device::Car => "car",
    }
}

impl En<'_, '_> {
    /// `opens`: a clause without a subject is the user's.
    pub(super) fn unnamed(&self, opens: bool) -> Vec<Found> {
        let mut at = match self.word(0) {
            "i" | "i'm" | "i've" => 1,
            "my" | "our" | "we" => 0,
            _ if opens => 0,
            _ => return Vec::new(),
        };
        let from = at;
        while matches!(self.word(at), "finally" | "just" | "now" | "already" | "recently" | "currently" | "also" | "am")
        {
            at += 1;
        }
        let now = (from..at).any(|place| self.is(place, "now")) || self.is_now();
        let one = |found: Option<Found>| found.map(|found| vec![found]);
        one(self.body(at))
            .or_else(|| one(self.calories(at, now)))
            .or_else(|| self.meal(at, now))
            .or_else(|| one(self.device(at, now)))
            .or_else(|| one(self.team(at)))
            .or_else(|| one(self.paid(at)))
            .or_else(|| one(self.travels(at, now)))
            .or_else(|| one(self.promoted(at)))
            .or_else(|| self.sport(at))
            .unwrap_or_default()
    }

    fn is_now(&self) -> bool {
        let last = self.words.len().saturating_sub(2);
        (last..self.words.len()).any(|place| self.any(place, NOW).is_some_and(|end| end == self.words.len()))
    }

    /// Whether nothing is said behind a place but when.
    fn is_all(&self, at: usize) -> bool {
        let dated = |(span, _): &(Range<usize>, &str)| self.reading.date_in(span.clone()).is_some();
        let mut at = at;
        while at < self.words.len() {
            if let Some(next) = self.any(at, &["now", "nowadays", "these days", "today", "already", "finally", "again"])
            {
                at = next;
            } else {
                return dated(&self.words[at])
                    || matches!(self.word(at), "last" | "this") && at + 2 == self.words.len();
            }
        }
        true
    }

    fn told(&self, attribute: &str, value: Range<usize>) -> Found {
        self.found(attribute, value, true, None, self.words[0].0.start)
    }

    fn number_at(&self, at: usize) -> Option<f64> {
        self.word(at).replace(',', "").parse().ok()
    }

    /// "71 kg", "160lbs": what a person can weigh, and the place behind it.
    fn weight(&self, at: usize) -> Option<(Range<usize>, usize)> {
        let word = self.word(at);
        let digits = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let number: f64 = word[..digits].parse().ok()?;
        let (unit, end) = if digits < word.len() { (&word[digits..], at) } else { (self.word(at + 1), at + 1) };
        let possible = KILOGRAMS.contains(&unit) && KILOGRAMS_OF_A_PERSON.contains(&number)
            || POUNDS.contains(&unit) && POUNDS_OF_A_PERSON.contains(&number);
        possible.then(|| (self.words[at].0.start..self.words[end].0.end, end + 1))
    }

    /// "Down to 71 kg now", "I went from 80 kg to 71 kg".
    fn body(&self, at: usize) -> Option<Found> {
        let to = match self.any(at, &["went from", "dropped from"]) {
            Some(old) => self.says(self.weight(old)?.1, "to")?,
            None => self.any(at, BODY_MOVES)?,
        };
        let (value, end) = self.weight(to)?;
        self.is_all(end).then(|| self.told("weight", value))
    }

    /// "I'm eating 1,800 calories a day now".
    fn calories(&self, at: usize, now: bool) -> Option<Found> {
        let from = self.any(at, &["eating", "eat", "down to", "up to", "on"])?;
        let possible = self.number_at(from).is_some_and(|number| DAILY_CALORIES.contains(&number));
        let end = self.any(from + 1, &["calories a day", "calories per day", "kcal a day", "kcal per day"])?;
        (now && possible && self.is_all(end))
            .then(|| self.told("calories", self.words[from].0.start..self.words[end - 1].0.end))
    }

    /// "Breakfast is Greek yogurt now", "I usually eat toast for breakfast", "I switched to oatmeal for breakfast".
    fn meal(&self, at: usize, now: bool) -> Option<Vec<Found>> {
        let meal_at = |at: usize| {
            self.listed(at, |tag| (tag == Tag::Attribute(Attribute::Meal)).then_some(())).map(|(next, ..)| next)
        };
        let named = at + usize::from(self.is(at, "my"));
        if let Some(is) = meal_at(named) {
            let mut from = self.any(is, &["is now", "is", "changed to"])?;
            from += usize::from(self.is(from, "now"));
            let to = (from..self.words.len()).find(|place| self.any(*place, NOW).is_some());
            let to = to.unwrap_or(self.words.len());
            return (now || self.any(is, &["is now"]).is_some())
                .then(|| self.eaten(from, to, self.words[named].1))
                .flatten();
        }
        let always = ALWAYS.contains(&self.word(at));
        let at = at + usize::from(always);
        let switched = self.any(at, &["switched to", "changed to", "moved to"]);
        let from = switched.or_else(|| self.any(at, &["have", "eat", "drink"]))?;
        let place = (from + 1..self.words.len()).find(|place| self.is(*place, "for"))?;
        let next = meal_at(place + 1)?;
        let lasts = switched.is_some() || always || now;
        (lasts && (self.is_all(next) || self.any(next, &["every day"]).is_some_and(|end| self.is_all(end))))
            .then(|| self.eaten(from, place, self.words[place + 1].1))
            .flatten()
    }

    /// What a meal is of, if all of it is food; and what one takes with it, one takes.
    fn eaten(&self, from: usize, to: usize, meal: &str) -> Option<Vec<Found>> {
        let skip = usize::from(matches!(self.word(from), "a" | "an" | "some"));
        let from = from + skip;
        let words = self.words.get(from..to).filter(|words| (1..=8).contains(&words.len()))?;
        let is_food = |part: &[(Range<usize>, &str)]| {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
            let whole = first.0.start..last.0.end;
            let ends = |hit: &crate::signals::lexicon::Hit| hit.tag == Tag::Food && hit.end == whole.end;
            part.len() <= 4 && self.reading.hits_in(&whole).iter().any(ends)
        };
        let parts: Vec<&[(Range<usize>, &str)]> =
            words.split(|(_, word)| matches!(*word, "and" | "with" | "plus")).collect();
        if !parts.iter().all(|part| is_food(part)) {
            return None;
        }
        let value = words[0].0.start..words[words.len() - 1].0.end;
        let mut found = vec![self.told(meal, value)];
        for part in parts {
            let said = &self.reading.text()[part[0].0.start..part[part.len() - 1].0.end];
            if let Some(kind) = kinds::kind_of(said) {
                found.extend([said, kind].map(|object| Found {
                    claim: Claim::Likes { object: object.to_owned(), degree: Liking::Resumed },
                    subject: None,
                    span: found[0].span.clone(),
                }));
            }
        }
        Some(found)
    }

    /// A thing by its line of products, as a name and nothing else: its kind, and the place behind it.
    fn product(&self, at: usize) -> Option<(Device, Range<usize>, usize)> {
        let at = at + usize::from(matches!(self.word(at), "a" | "an" | "the" | "my"));
        let device = self.listed(at, |tag| match tag {
            Tag::Product(device) => Some(device),
            _ => None,
        });
        let (mut next, _, device) = device?;
        let named = |word: &str| word.chars().any(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        while let Some((span, _)) = self.words.get(next)
            && named(self.reading.folded.written(span.clone()))
            && self.reading.date_in(span.clone()).is_none()
        {
            next += 1;
        }
        Some((device, self.words[at].0.start..self.words[next - 1].0.end, next))
    }

    /// "Switched from Android to an iPhone", "I upgraded to a Galaxy S24", "My phone went from a Pixel 6 to a Galaxy S24".
    fn device(&self, at: usize, now: bool) -> Option<Found> {
        let mut place = at;
        let mut of = None;
        if self.is(at, "my")
            && let Some((next, end, _)) =
                self.listed(at + 1, |tag| (tag == Tag::Attribute(Attribute::Device)).then_some(()))
        {
            of = Some(&self.reading.text()[self.words[at + 1].0.start..end]);
            place = next;
        }
        let from = self.any(
            place,
            &["switched from", "upgraded from", "moved from", "went from", "changed from", "switched over from"],
        );
        let (device, value, end) = if let Some(from) = from {
            let (old, _, to) = self.product(from)?;
            let (new, value, end) = self.product(self.says(to, "to")?)?;
            (old == new).then_some((new, value, end))?
        } else {
            let used = || self.any(place, &["using", "use"]).filter(|_| now);
            self.product(self.any(place, &["switched to", "upgraded to"]).or_else(used)?)?
        };
        let word = of.unwrap_or(word_of(device));
        self.is_all(end).then(|| self.told(word, value))
    }

    /// How many, and the place behind their unit, if there is one.
    fn headcount(&self, at: usize) -> Option<(Range<usize>, usize, bool)> {
        let word = self.word(at);
        let counts = NUMBERS.contains(&word)
            || word.len() <= 4 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let unit = self.any(at + 1, UNITS_OF_TEAMS);
        let end = unit.unwrap_or(at + 1);
        counts.then(|| (self.words[at].0.start..self.words[end - 1].0.end, end, unit.is_some()))
    }

    /// "Our team grew from three to six", "we grew from 3 to 6 engineers".
    fn team(&self, at: usize) -> Option<Found> {
        let team = self.any(at, &["our team", "my team"]);
        let mut place = team.or_else(|| self.any(at, &["we"]))?;
        while matches!(self.word(place), "just" | "recently" | "now" | "finally") {
            place += 1;
        }
        let (value, end, unit) = if let Some(old) = self.any(place, TEAM_MOVED_FROM) {
            let (_, to, _) = self.headcount(old)?;
            self.headcount(self.says(to, "to")?)?
        } else {
            team.and_then(|_| self.headcount(self.any(place, TEAM_IS)?)).filter(|(.., unit)| *unit)?
        };
        ((team.is_some() || unit) && self.is_all(end)).then(|| self.told("team size", value))
    }

    /// "Rent went up to $2,100".
    fn paid(&self, at: usize) -> Option<Found> {
        let (next, end, ()) = self.listed(at, |tag| (tag == Tag::Attribute(Attribute::Pay)).then_some(()))?;
        let word = &self.reading.text()[self.words[at].0.start..end];
        let (_, value) = self.moved(next, Attribute::Pay)?;
        let behind = self.words.iter().filter(|(span, _)| span.start > value.start);
        let plain = behind.filter(|(span, _)| self.reading.date_in(span.clone()).is_none());
        let mut plain = plain.map(|(_, word)| *word);
        plain.all(|word| PER.contains(&word)).then(|| self.told(word, value))
    }

    /// "I bike to work now".
    fn travels(&self, at: usize, now: bool) -> Option<Found> {
        let way = ["bike", "cycle", "walk", "drive"].contains(&self.word(at));
        let end = self.says(at + 1, "to work")?;
        (way && now && self.is_all(end)).then(|| self.told("commute", self.words[at].0.clone()))
    }

    /// "I got promoted to engineering manager".
    fn promoted(&self, at: usize) -> Option<Found> {
        let from =
            self.any(at, &["got promoted to", "was promoted to", "been promoted to", "have been promoted to"])?;
        let from = from + usize::from(matches!(self.word(from), "a" | "an"));
        let value = self.value(from, super::words::CUTS_OF_JOBS)?;
        if values::is_occupation(self.reading, &value) {
            return Some(self.told("job", value));
        }
        values::is_level(self.reading, &value).then(|| self.told("level", value))
    }

    /// "I switched from running to swimming".
    fn sport(&self, at: usize) -> Option<Vec<Found>> {
        let (old, to) = self.named_activity(self.any(at, &["switched from", "went from"])?)?;
        let (new, end) = self.named_activity(self.says(to, "to")?)?;
        let span = self.words[0].0.start..self.words[end - 1].0.end;
        let habit = |activity: &str, holds| Found {
            claim: Claim::Is { attribute: "habit".to_owned(), value: activity.to_owned(), holds },
            subject: None,
            span: span.clone(),
        };
        self.is_all(end).then(|| vec![habit(old, Holds::NoLonger), habit(new, Holds::Yes)])
    }

    /// Where a number ended up that went from one to another: "went from $1,800 to" ….
    pub(super) fn moved_from(&self, mut at: usize) -> Option<usize> {
        while MOVE_ADVERBS.contains(&self.word(at)) {
            at += 1;
        }
        let from = self.any(
            at,
            &[
                "went from",
                "gone from",
                "rose from",
                "dropped from",
                "fell from",
                "increased from",
                "jumped from",
                "raised from",
                "cut from",
                "grew from",
                "down from",
                "up from",
                "reduced from",
            ],
        )?;
        let to = (from + 1..self.words.len().min(from + NAME_WORDS_MAX)).find(|place| self.is(*place, "to"))?;
        self.word(from).contains(|c: char| c.is_ascii_digit()).then_some(to + 1)
    }
}
