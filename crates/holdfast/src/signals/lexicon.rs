//! The word lists behind the rules: TOML that a speaker can extend, compiled to one automaton that finds all their words in one go.
//!
//! A word may stand in several lists (继续 is a cue and a state word): each rule takes the hits of its own lists.
//! ASCII words match whole words only, and in the spelling given: list the inflected forms.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use serde::Deserialize;

use crate::types::signals::{Liking, StateWord};

const ZH: &str = include_str!("lexicon/zh.toml");
const EN: &str = include_str!("lexicon/en.toml");

/// Longest word of a list, in bytes: a whole sentence is not a word, and look-up time grows with it.
const WORD_BYTES_MAX: usize = 64;

/// Why a word list was refused.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    #[error("the word list is not valid TOML, or names a list that does not exist")]
    Syntax(#[from] toml::de::Error),
    #[error("the word {word:?} in {list} is empty, longer than {WORD_BYTES_MAX} bytes, or has a line break")]
    Word { list: &'static str, word: String },
    #[error("{word:?} in {list}: {value:?} is out of range")]
    Value { list: &'static str, word: String, value: String },
    #[error("the word lists have too many words together to be searched for")]
    TooLarge(#[from] aho_corasick::BuildError),
}

/// What a word means to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// A state word: what it says and how it has to be used to say it.
    State(StateWord, Form),
    /// Says it of a thing that is named, and else is an ordinary word: 不要, "skip".
    Dropping(StateWord),
    /// A fixed phrase around a state word that changes nothing: 恢复出厂, "well done".
    NotState,
    /// Directly after a state word it makes a name of it: 取消率, "pause button".
    StateNoun,
    /// Before a state word it makes a wish or a question for somebody of it: 想, "can you".
    Wish,
    /// What somebody else provides, and cancels on request: 订单, "reservation".
    Service,
    Negation,
    /// Looks like a negation, is none: 没问题.
    NotNegation,
    /// Makes the whole sentence a supposition: 如果, "if".
    Hypothesis,
    /// Weakens what comes after it in its clause: 可能, "might".
    Modality,
    /// Looks like a supposition, is politeness: "if possible".
    NotHypothesis,
    Question,
    Habit,
    Plan,
    /// Holds a plan word without planning: 纪要.
    NotPlan,
    Speech,
    Example,
    Polite,
    Continue,
    Switch,
    Request,
    RequestVerb,
    Positive,
    Negative,
    NotFeedback,
    Denial,
    /// Says that what comes behind it puts something right: 更正, "correction".
    Correcting,
    /// Says how a value goes: 涨, "rising".
    Trend,
    Standing,
    OneOff,
    /// Takes back what was ordered to hold: 不用再, "stop sending".
    Retracting,
    ThirdPerson,
    Work,
    Format,
    Past,
    Future,
    /// Days from today, and the hours it is narrowed to.
    Day(i8, Option<(u8, u8)>),
    /// Monday 1 … Sunday 7; `false`: a short form that needs a preposition.
    Weekday(i8, bool),
    /// `false`: also an ordinary word ("may").
    Month(i8, bool),
    Festival(i8, i8),
    /// Part of a day, from hour to hour.
    Part(u8, u8),
    Title,
    Organisation,
    Measure,
    /// Says how somebody stands to what comes behind it.
    Liking(Liking),
    /// Somebody near to the speaker; `true`: whose is clear without 我的.
    Person(bool),
    Occupation,
    Level,
    Diet,
    /// Tools and brands.
    Tool,
    Employer,
    Nationality,
    /// Makes the whole text one of somebody else.
    Pretend,
    /// Says that what was said is another's, for another, an exercise, or no more than a joke: "asking for a friend", 骗你的.
    Frame,
    /// Work on a text that follows.
    TextWork,
    Remember,
    Forget,
    /// Said to whoever serves, or, with `false`, of what is served.
    Served(bool),
    /// What is said to have a value: 年薪, "birthday".
    Attribute(Attribute),
    /// A line of products, by which it is known what kind of thing one of them is.
    Product(Device),
    Food,
    /// Of kitchens, gardens, bodies and tools: an order about it is advice.
    World,
    /// Of what an order about the work speaks: "indentation", "pnpm".
    WorkWord,
    /// A way to get to work.
    Travel,
}

/// The kinds of things that product lines are of, as far as one has one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Device {
    Phone,
    Computer,
    Tablet,
    Headphones,
    Car,
}

/// What the values of an attribute look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Attribute {
    Name,
    Employer,
    Job,
    Level,
    Birthday,
    Age,
    Language,
    Timezone,
    Pay,
    Measure,
    Device,
    Tool,
    Manager,
    Team,
    Hours,
    /// The way to work: how long it takes, and how one goes.
    Commute,
    Meal,
}

/// How a state word is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An order or a statement: 取消, "cancel".
    Verb,
    /// A participle, which states something of its subject: "cancelled", 取消了.
    Participle,
    /// Says it only when a date follows: 改到 (周五), "move" (… to Friday).
    WithDate,
    /// Says it only with 了 behind it or behind its object: 不做 (了).
    WithLe,
    /// Says of a thing that is named that it falls out: (打印机)不搬(了), "skip (the printer)".
    Dropping,
    /// Says it only for a time: "park it (for now)".
    ForNow,
    /// Says that something is over only with a sign of the perfect: 完成 (了), 写完 (了).
    Perfect,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct File {
    /// Pairs of a traditional and the simplified character.
    traditional: String,
    dates: Dates,
    states: BTreeMap<StateWord, States>,
    not_states: Vec<String>,
    state_nouns: Vec<String>,
    wishes: Vec<String>,
    services: Vec<String>,
    guards: Guards,
    cues: Cues,
    feedback: FeedbackWords,
    instructions: Instructions,
    entities: Entities,
    statements: Statements,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Statements {
    likes: Vec<String>,
    prefers: Vec<String>,
    dislikes: Vec<String>,
    no_longer: Vec<String>,
    persons: Vec<String>,
    own_persons: Vec<String>,
    occupations: Vec<String>,
    levels: Vec<String>,
    diets: Vec<String>,
    tools: Vec<String>,
    employers: Vec<String>,
    nationalities: Vec<String>,
    pretend: Vec<String>,
    frames: Vec<String>,
    text_work: Vec<String>,
    remember: Vec<String>,
    forget: Vec<String>,
    served: Vec<String>,
    served_things: Vec<String>,
    attributes: BTreeMap<Attribute, Vec<String>>,
    products: BTreeMap<Device, Vec<String>>,
    foods: Vec<String>,
    worldly: Vec<String>,
    work_words: Vec<String>,
    travels: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct States {
    verbs: Vec<String>,
    participles: Vec<String>,
    perfect: Vec<String>,
    with_date: Vec<String>,
    with_le: Vec<String>,
    dropping: Vec<String>,
    for_now: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Dates {
    days: BTreeMap<String, i8>,
    day_parts: BTreeMap<String, [i8; 3]>,
    weekdays: BTreeMap<String, i8>,
    weekdays_short: BTreeMap<String, i8>,
    months: BTreeMap<String, i8>,
    months_short: BTreeMap<String, i8>,
    parts: BTreeMap<String, [u8; 2]>,
    festivals: BTreeMap<String, [i8; 2]>,
    past: Vec<String>,
    future: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Guards {
    negation: Vec<String>,
    not_negation: Vec<String>,
    hypothesis: Vec<String>,
    modality: Vec<String>,
    not_hypothesis: Vec<String>,
    question: Vec<String>,
    habit: Vec<String>,
    plan: Vec<String>,
    not_plan: Vec<String>,
    speech: Vec<String>,
    example: Vec<String>,
    polite: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Cues {
    r#continue: Vec<String>,
    switch: Vec<String>,
    request: Vec<String>,
    request_verbs: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct FeedbackWords {
    positive: Vec<String>,
    negative: Vec<String>,
    neither: Vec<String>,
    denial: Vec<String>,
    correcting: Vec<String>,
    trends: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Instructions {
    standing: Vec<String>,
    one_off: Vec<String>,
    retracting: Vec<String>,
    third_person: Vec<String>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Entities {
    work: Vec<String>,
    formats: Vec<String>,
    titles: Vec<String>,
    organisations: Vec<String>,
    measures: Vec<String>,
}

/// The compiled word lists.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// Longest first.
    entries: Vec<Entry>,
    /// Finds the entries by their places. `None`: there are none.
    finder: Option<AhoCorasick>,
    traditional: Vec<(char, char)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    word: String,
    tag: Tag,
}

/// A word of the lists found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) tag: Tag,
}

impl Hit {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl Lexicon {
    /// The Chinese and English lists that come with Holdfast.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Lexicon> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            Self::default()
                .extended_with(ZH)
                .and_then(|zh| zh.extended_with(EN))
                .expect("the built-in lists are valid: a test parses them")
        })
    }

    /// These lists and more words, in the form of `lexicon/zh.toml`. Nothing is taken away.
    ///
    /// ```
    /// # use holdfast::signals::Lexicon;
    /// let mine = Lexicon::builtin().extended_with("[states.cancel]\nverbs = [\"鸽了\"]")?;
    /// # Ok::<(), holdfast::signals::LexiconError>(())
    /// ```
    pub fn extended_with(&self, toml: &str) -> Result<Self, LexiconError> {
        let file: File = toml::from_str(toml)?;
        let mut lexicon = self.clone();
        let pairs: Vec<char> = file.traditional.chars().filter(|c| !c.is_whitespace()).collect();
        lexicon.traditional.extend(pairs.as_chunks().0.iter().map(|[from, to]| (*from, *to)));
        lexicon.traditional.sort_unstable();
        lexicon.traditional.dedup_by_key(|pair| pair.0);

        for (state, words) in &file.states {
            lexicon.add("states.verbs", &words.verbs, Tag::State(*state, Form::Verb))?;
            lexicon.add("states.participles", &words.participles, Tag::State(*state, Form::Participle))?;
            lexicon.add("states.with_le", &words.with_le, Tag::State(*state, Form::WithLe))?;
            lexicon.add("states.dropping", &words.dropping, Tag::Dropping(*state))?;
            lexicon.add("states.for_now", &words.for_now, Tag::State(*state, Form::ForNow))?;
            lexicon.add("states.perfect", &words.perfect, Tag::State(*state, Form::Perfect))?;
            lexicon.add("states.with_date", &words.with_date, Tag::State(*state, Form::WithDate))?;
        }
        let File {
            dates,
            guards,
            cues,
            feedback,
            instructions,
            entities,
            statements,
            not_states,
            state_nouns,
            wishes,
            services,
            ..
        } = &file;
        for (list, words, tag) in [
            ("not_states", not_states, Tag::NotState),
            ("state_nouns", state_nouns, Tag::StateNoun),
            ("wishes", wishes, Tag::Wish),
            ("services", services, Tag::Service),
            ("guards.negation", &guards.negation, Tag::Negation),
            ("guards.not_negation", &guards.not_negation, Tag::NotNegation),
            ("guards.hypothesis", &guards.hypothesis, Tag::Hypothesis),
            ("guards.modality", &guards.modality, Tag::Modality),
            ("guards.not_hypothesis", &guards.not_hypothesis, Tag::NotHypothesis),
            ("guards.question", &guards.question, Tag::Question),
            ("guards.habit", &guards.habit, Tag::Habit),
            ("guards.plan", &guards.plan, Tag::Plan),
            ("guards.not_plan", &guards.not_plan, Tag::NotPlan),
            ("guards.speech", &guards.speech, Tag::Speech),
            ("guards.example", &guards.example, Tag::Example),
            ("guards.polite", &guards.polite, Tag::Polite),
            ("cues.continue", &cues.r#continue, Tag::Continue),
            ("cues.switch", &cues.switch, Tag::Switch),
            ("cues.request", &cues.request, Tag::Request),
            ("cues.request_verbs", &cues.request_verbs, Tag::RequestVerb),
            ("feedback.positive", &feedback.positive, Tag::Positive),
            ("feedback.negative", &feedback.negative, Tag::Negative),
            ("feedback.neither", &feedback.neither, Tag::NotFeedback),
            ("feedback.denial", &feedback.denial, Tag::Denial),
            ("feedback.correcting", &feedback.correcting, Tag::Correcting),
            ("feedback.trends", &feedback.trends, Tag::Trend),
            ("instructions.standing", &instructions.standing, Tag::Standing),
            ("instructions.one_off", &instructions.one_off, Tag::OneOff),
            ("instructions.retracting", &instructions.retracting, Tag::Retracting),
            ("instructions.third_person", &instructions.third_person, Tag::ThirdPerson),
            ("entities.work", &entities.work, Tag::Work),
            ("entities.formats", &entities.formats, Tag::Format),
            ("entities.titles", &entities.titles, Tag::Title),
            ("entities.organisations", &entities.organisations, Tag::Organisation),
            ("entities.measures", &entities.measures, Tag::Measure),
            ("statements.likes", &statements.likes, Tag::Liking(Liking::Likes)),
            ("statements.prefers", &statements.prefers, Tag::Liking(Liking::Prefers)),
            ("statements.dislikes", &statements.dislikes, Tag::Liking(Liking::Dislikes)),
            ("statements.no_longer", &statements.no_longer, Tag::Liking(Liking::NoLonger)),
            ("statements.persons", &statements.persons, Tag::Person(false)),
            ("statements.own_persons", &statements.own_persons, Tag::Person(true)),
            ("statements.occupations", &statements.occupations, Tag::Occupation),
            ("statements.levels", &statements.levels, Tag::Level),
            ("statements.diets", &statements.diets, Tag::Diet),
            ("statements.tools", &statements.tools, Tag::Tool),
            ("statements.employers", &statements.employers, Tag::Employer),
            ("statements.nationalities", &statements.nationalities, Tag::Nationality),
            ("statements.pretend", &statements.pretend, Tag::Pretend),
            ("statements.frames", &statements.frames, Tag::Frame),
            ("statements.text_work", &statements.text_work, Tag::TextWork),
            ("statements.remember", &statements.remember, Tag::Remember),
            ("statements.forget", &statements.forget, Tag::Forget),
            ("statements.served", &statements.served, Tag::Served(true)),
            ("statements.served_things", &statements.served_things, Tag::Served(false)),
            ("statements.foods", &statements.foods, Tag::Food),
            ("statements.worldly", &statements.worldly, Tag::World),
            ("statements.work_words", &statements.work_words, Tag::WorkWord),
            ("statements.travels", &statements.travels, Tag::Travel),
            ("dates.past", &dates.past, Tag::Past),
            ("dates.future", &dates.future, Tag::Future),
        ] {
            lexicon.add(list, words, tag)?;
        }
        for (attribute, words) in &statements.attributes {
            lexicon.add("statements.attributes", words, Tag::Attribute(*attribute))?;
        }
        for (device, words) in &statements.products {
            lexicon.add("statements.products", words, Tag::Product(*device))?;
        }
        lexicon.add_dates(dates)?;
        lexicon.entries.sort_by(|a, b| b.word.len().cmp(&a.word.len()).then_with(|| a.word.cmp(&b.word)));
        // A word may have several meanings, and each once, however often it is listed.
        let mut once: Vec<Entry> = Vec::with_capacity(lexicon.entries.len());
        for entry in lexicon.entries {
            let mut of_word = once.iter().rev().take_while(|other| other.word == entry.word);
            if of_word.all(|other| other.tag != entry.tag) {
                once.push(entry);
            }
        }
        lexicon.entries = once;
        let words = lexicon.entries.iter().map(|entry| entry.word.as_bytes());
        lexicon.finder = Some(AhoCorasick::new(words)?);
        Ok(lexicon)
    }

    fn add_dates(&mut self, dates: &Dates) -> Result<(), LexiconError> {
        for (word, days) in &dates.days {
            let days = in_range("dates.days", word, *days, -30, 30)?;
            self.add_word("dates.days", word, Tag::Day(days, None))?;
        }
        for (word, [days, from, to]) in &dates.day_parts {
            let hours = hours("dates.day_parts", word, *from as u8, *to as u8)?;
            let days = in_range("dates.day_parts", word, *days, -30, 30)?;
            self.add_word("dates.day_parts", word, Tag::Day(days, Some(hours)))?;
        }
        for (list, words, plain) in
            [("dates.weekdays", &dates.weekdays, true), ("dates.weekdays_short", &dates.weekdays_short, false)]
        {
            for (word, day) in words {
                self.add_word(list, word, Tag::Weekday(in_range(list, word, *day, 1, 7)?, plain))?;
            }
        }
        for (list, words, plain) in
            [("dates.months", &dates.months, true), ("dates.months_short", &dates.months_short, false)]
        {
            for (word, month) in words {
                self.add_word(list, word, Tag::Month(in_range(list, word, *month, 1, 12)?, plain))?;
            }
        }
        for (word, [month, day]) in &dates.festivals {
            let month = in_range("dates.festivals", word, *month, 1, 12)?;
            // Every month has 28 days: later ones are left to the calendar when resolved.
            let day = in_range("dates.festivals", word, *day, 1, 31)?;
            self.add_word("dates.festivals", word, Tag::Festival(month, day))?;
        }
        for (word, [from, to]) in &dates.parts {
            let (from, to) = hours("dates.parts", word, *from, *to)?;
            self.add_word("dates.parts", word, Tag::Part(from, to))?;
        }
        Ok(())
    }

    fn add(&mut self, list: &'static str, words: &[String], tag: Tag) -> Result<(), LexiconError> {
        words.iter().try_for_each(|word| self.add_word(list, word, tag))
    }

    fn add_word(&mut self, list: &'static str, word: &str, tag: Tag) -> Result<(), LexiconError> {
        let word = word.trim().to_lowercase();
        if word.is_empty() || word.len() > WORD_BYTES_MAX || word.contains('\n') {
            return Err(LexiconError::Word { list, word });
        }
        self.entries.push(Entry { word, tag });
        Ok(())
    }

    pub(super) fn simplified(&self, c: char) -> char {
        match self.traditional.binary_search_by_key(&c, |pair| pair.0) {
            Ok(found) => self.traditional[found].1,
            Err(_) => c,
        }
    }

    /// Every word of the lists in a folded text, in order of place, longest first where several start.
    pub(super) fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        // A letter inside a word starts none, and none ends inside a word.
        let parts_words = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(word_byte);
            !(before && bytes.get(at).is_some_and(word_byte))
        };
        let found = self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(text));
        let mut found: Vec<(usize, usize)> = found
            .filter(|word| parts_words(word.start()) && parts_words(word.end()))
            .map(|word| (word.start(), word.pattern().as_usize()))
            .collect();
        found.sort_unstable();
        let hit = |(start, entry): (usize, usize)| {
            let entry = &self.entries[entry];
            Hit { start, end: start + entry.word.len(), tag: entry.tag }
        };
        found.into_iter().map(hit).collect()
    }
}

fn word_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn in_range(list: &'static str, word: &str, value: i8, min: i8, max: i8) -> Result<i8, LexiconError> {
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        Err(LexiconError::Value { list, word: word.to_owned(), value: value.to_string() })
    }
}

fn hours(list: &'static str, word: &str, from: u8, to: u8) -> Result<(u8, u8), LexiconError> {
    if from < to && to <= 24 {
        Ok((from, to))
    } else {
        Err(LexiconError::Value { list, word: word.to_owned(), value: format!("{from}-{to}") })
    }
}
