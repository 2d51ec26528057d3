//! What rules alone read from one event: entities, dates, state words, cues, feedback, corrections and how long an
//! instruction holds, in Chinese and English.
//!
//! In: the content of an event, its moment, who spoke, word lists. Out: `Signals`, a plain value. This room knows nothing
//! of stores, tasks or models; the same input gives the same output. What it can't tell it leaves out: a missed signal
//! costs a question, a wrong one a task.

mod corrections;
mod cues;
mod cursor;
mod dates;
mod entities;
mod feedback;
mod folded;
mod frames;
mod imperatives;
mod instructions;
mod language;
mod layout;
mod lexicon;
mod phrase;
mod quotations;
mod reading;
mod statements;
mod states;
#[cfg(test)]
mod tests;
mod worldly;

use std::collections::{BTreeMap, BTreeSet};

use jiff::ZonedDateTime;

pub use lexicon::{Lexicon, LexiconError};

use crate::types::event::Source;
use crate::types::signals::{Attribution, DateMention, Signals};
pub use crate::types::signals::{Standing, Statement};
use reading::Reading;

/// How much of a user's or an agent's text is read, from its start: people say what they want done in the first pages.
pub const SPEECH_BYTES_MAX: usize = 32 * 1024;
/// How much of a tool's or the system's text is read, and only for dates and entities: the rest is bulk.
pub const OUTPUT_BYTES_MAX: usize = 16 * 1024;
/// How many entities and how many dates one event is annotated with: a table of numbers is found by its text.
pub const ENTITIES_MAX: usize = 200;

/// Reads one event. `at` is when it happened, in its own zone: 「明天」 at 23:30 in Los Angeles is the next day there.
///
/// State words are read from users; from agents and the system only as reports, not as orders; never from a tool's output; feedback, cues and instructions
/// from users alone.
pub fn read(text: &str, at: &ZonedDateTime, source: Source, lexicon: &Lexicon) -> Signals {
    let bytes_max = match source {
        Source::User | Source::Agent => SPEECH_BYTES_MAX,
        Source::Tool | Source::System => OUTPUT_BYTES_MAX,
    };
    let text = &text[..text.floor_char_boundary(bytes_max)];
    let reading = Reading::new(text, at, lexicon);
    let mut signals =
        Signals { language: language::of(text), entities: entities::find(&reading), ..Signals::default() };
    signals.dates = reading.dates.iter().take(ENTITIES_MAX).map(|found| found.mention.clone()).collect();
    if source != Source::Tool {
        signals.states = states::find(&reading, source);
    }
    if matches!(source, Source::User | Source::Agent) {
        (signals.corrections, signals.new_values) = corrections::find(&reading);
    }
    if source == Source::User {
        signals.cues = cues::find(&reading);
        signals.goes_on = cues::sentences_that_go_on(&reading);
        signals.feedback = feedback::find(&reading);
        signals.instructions = instructions::find(&reading);
    }
    signals
}

/// What a user's text states of somebody, or of how the user wants to be served, for long-term memory. Reads what `read` reads of
/// speech; it is asked for later than that, off the write path.
pub fn statements(text: &str, at: &ZonedDateTime, lexicon: &Lexicon) -> Vec<Statement> {
    let text = &text[..text.floor_char_boundary(SPEECH_BYTES_MAX)];
    statements::find(&Reading::new(text, at, lexicon))
}

/// The things a user's text names in words of its own, folded and as written: names and paths, and those of `known`. What is quoted is
/// somebody else's, and numbers and dates name nothing.
pub fn named(text: &str, at: &ZonedDateTime, known: &BTreeSet<String>, lexicon: &Lexicon) -> BTreeMap<String, String> {
    let text = &text[..text.floor_char_boundary(SPEECH_BYTES_MAX)];
    entities::named(&Reading::new(text, at, lexicon), known)
}

/// Which of a user's words are the user's own, and which say that they last, by the rules that statements are read by.
pub fn attribution(text: &str, at: &ZonedDateTime) -> Attribution {
    let text = &text[..text.floor_char_boundary(SPEECH_BYTES_MAX)];
    let reading = Reading::new(text, at, Lexicon::builtin());
    let lasts = |hit: &&lexicon::Hit| matches!(hit.tag, lexicon::Tag::Standing | lexicon::Tag::Retracting);
    let lasting = reading.hits.iter().filter(lasts).map(|hit| reading.folded.span(hit.span()).start).collect();
    Attribution { own: statements::own_words(&reading), lasting }
}

/// What a text says to have a value: 退货率 of 「退货率是3.2%」.
pub(crate) fn said_of(text: &str, at: &ZonedDateTime, value: &str, lexicon: &Lexicon) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(SPEECH_BYTES_MAX)];
    corrections::said_of(&Reading::new(text, at, lexicon), value)
}

/// Clauses of a text that say how one of `names` goes whose value was put right (「退货率连着两周在涨」 beside 「退货率 3.2%」): they rest on
/// it.
pub(crate) fn rests_on(
    text: &str,
    at: &ZonedDateTime,
    value: &str,
    names: &[String],
    lexicon: &Lexicon,
) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(SPEECH_BYTES_MAX)];
    corrections::rests_on(&Reading::new(text, at, lexicon), value, names)
}

/// The dates of a text, for queries: 「上周三说的」, "in January". Reads the first `OUTPUT_BYTES_MAX`.
pub fn dates(text: &str, at: &ZonedDateTime) -> Vec<DateMention> {
    let text = &text[..text.floor_char_boundary(OUTPUT_BYTES_MAX)];
    let reading = Reading::new(text, at, Lexicon::builtin());
    reading.dates.into_iter().map(|found| found.mention).collect()
}
