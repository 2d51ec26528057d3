//! The faithfulness gate (SPEC 6.6): a summary and its source in, `Ok` or every claim that the source does not bear out, with what of it
//! is not borne. No model, no clock; Chinese, English, and both in one text.
//!
//! It reads words, not meaning, and refuses what it can't be sure of: a refused summary costs another try, and then the original is kept; a
//! false one costs the truth. So a summary may leave out clauses, modifiers and particles, join sentences, write a number another way and
//! put 「用户」 for 「我」; but its words are those of the source, in their order, and what stands together in it stands together there.
//! A sentence of the source itself is always borne.
//!
//! A claim is found by alignment: its tokens among those of a few neighbouring segments of the source, in order (`bearing`). A check of a summary
//! of three sentences against 50 kB takes some 20 ms.

mod addresses;
mod bearing;
mod dates;
mod numbers;
mod reading;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use crate::text::{fold, sentences};
use bearing::{Around, borne};
use reading::{Claim, Segment, Sense, Token};
use words::Class;

/// What of a claim its source does not bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A number, its unit or its sign; or a number that stands with something else in the source.
    Number,
    Name,
    Date,
    /// A path or an address.
    Path,
    /// Words in quotes that were not said so.
    Quote,
    /// One says no, the other does not.
    Negation,
    /// Must, should, may, perhaps, will.
    Modality,
    /// Done, pending, cancelled, paused …
    Status,
    /// More or less, up or down, at most or at least, before or after.
    Comparison,
    /// A condition, an exception, "only" or "formerly" that was added or left out; a question made a statement.
    Qualifier,
    /// The words are there, and say it of somebody else.
    WhoDidWhat,
    /// The source says nothing of the kind.
    Invented,
}

/// A claim of a summary that its source does not bear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfaithful {
    /// The clause, as the summary has it.
    pub claim: String,
    pub what: What,
    /// The words it fails by, where single ones do.
    pub detail: String,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Name => "a name",
            Self::Date => "a date",
            Self::Path => "a path or address",
            Self::Quote => "a quotation",
            Self::Negation => "a negation",
            Self::Modality => "how binding or certain it is",
            Self::Status => "a status",
            Self::Comparison => "a comparison",
            Self::Qualifier => "a condition or restriction",
            Self::WhoDidWhat => "of whom or what it is said",
            Self::Invented => "what it says",
        })
    }
}

impl fmt::Display for Unfaithful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: the source does not bear {}", self.claim, self.what)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

/// Whether a source bears every claim of a summary of it.
///
/// ```
/// use holdfast::manager::faithfulness::check;
/// let source = "本周退货率 3.2%，比上周高 0.4 个百分点。张伟周五前给出原因。";
/// assert!(check("退货率 3.2%；张伟周五前给出原因。", source).is_ok());
/// assert!(check("退货率 3.2%，比上周低 0.4 个百分点。", source).is_err());
/// ```
pub fn check(summary: &str, source: &str) -> Result<(), Vec<Unfaithful>> {
    let said: BTreeSet<String> = sentences(source).into_iter().map(|range| plain(&source[range])).collect();
    let segments = reading::source(source);
    let mut refused = Vec::new();
    let mut before: Option<(Claim, bearing::Places)> = None;
    for sentence in reading::summary(summary) {
        if said.contains(&plain(&sentence.written)) {
            before = None;
            continue;
        }
        refused.extend(not_as_written(&sentence.written, source));
        let said: Vec<Class> =
            sentence.claims.iter().flat_map(|claim| &claim.tokens).filter_map(Token::class).collect();
        let mut found: Option<bearing::Places> = None;
        let mut last: Option<bearing::Places> = None;
        for (index, claim) in sentence.claims.iter().enumerate() {
            let within = claim.continues && index > 0;
            // 「他…」 goes on with the sentence before.
            let carried: Vec<Claim> = match (&before, claim.continues && !within) {
                (Some((claim, _)), true) => vec![claim.clone()],
                _ => sentence.claims[..index].to_vec(),
            };
            let earlier = before.as_ref().filter(|_| claim.continues && !within).map(|(_, places)| places);
            let around = Around {
                before: &carried,
                found: if within { found.as_ref() } else { earlier },
                last: if within { last.as_ref() } else { earlier },
                said: &said,
            };
            match borne(claim, &segments, &around) {
                Some(places) => {
                    found.get_or_insert_default().extend(&places);
                    last = Some(places);
                }
                None => refused.push(named(claim, &segments, &around)),
            }
        }
        before = sentence.claims.last().cloned().zip(last);
    }
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

/// What a sentence has that later work may need.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Words that forbid, oblige or restrict.
    pub(super) binding: u32,
    /// Words of a status, a turn or a comparison.
    pub(super) states: u32,
    /// Numbers and dates.
    pub(super) values: u32,
    /// Names, ids, paths and quotations.
    pub(super) names: u32,
    pub(super) question: bool,
    pub(super) words: u32,
}

pub(super) fn weight(sentence: &str) -> Weight {
    let segments = reading::source(sentence);
    let mut weight = Weight { question: reading::asks(sentence), ..Weight::default() };
    weight.names = u32::try_from(reading::quoted(sentence).len()).unwrap_or(u32::MAX);
    for token in segments.iter().flat_map(|segment| &segment.tokens) {
        weight.words += 1;
        let restricts =
            |class: Class| matches!(class, Class::Only | Class::Except | Class::If | Class::AtMost | Class::AtLeast);
        let demands = |class: Class| {
            matches!(class, Class::Must | Class::Need | Class::Demand | Class::Unable | Class::Forbidden)
        };
        match (token.class(), kind(token)) {
            (Some(class), _) if restricts(class) || demands(class) => weight.binding += 1,
            (Some(Class::Speaker | Class::Perhaps | Class::May | Class::Believe), _) => {}
            (Some(_), _) => weight.states += 1,
            (None, What::Number | What::Date) => weight.values += 1,
            (None, What::Name | What::Path) => weight.names += 1,
            _ => {}
        }
    }
    weight
}

/// Whether a sentence begins with what was named before it: 「他…」, "It …".
pub(super) fn speaks_of_before(sentence: &str) -> bool {
    reading::led_by_pronoun(sentence)
}

/// A sentence without what only its place gives it: width, spaces, the mark at its end.
fn plain(sentence: &str) -> String {
    let folded: String = fold(sentence).split_whitespace().collect::<Vec<_>>().join(" ");
    folded.trim_end_matches(['。', '.', ';', '；', '！', '!']).to_owned()
}

/// Quotations, paths and addresses are as the source has them, letter for letter.
fn not_as_written(sentence: &str, source: &str) -> Vec<Unfaithful> {
    let bare = |text: &str| -> String { fold(text).chars().filter(|c| c.is_alphanumeric()).collect() };
    let of_source = bare(source);
    let refuse = |what: What, detail: &str| Unfaithful { claim: sentence.to_owned(), what, detail: detail.to_owned() };
    let quotes = reading::quoted(sentence).into_iter().filter(|quote| !of_source.contains(&bare(quote)));
    let known: BTreeSet<&str> = reading::addresses(source).into_iter().collect();
    let paths = reading::addresses(sentence).into_iter().filter(|address| !known.contains(address));
    quotes.map(|quote| refuse(What::Quote, quote)).chain(paths.map(|path| refuse(What::Path, path))).collect()
}

/// By what a claim that is not borne fails.
fn named(claim: &Claim, source: &[Segment], around: &Around<'_>) -> Unfaithful {
    let refuse = |what: What, detail: String| Unfaithful { claim: claim.written.clone(), what, detail };
    let unsaid =
        |token: &&Token| !source.iter().flat_map(|segment| &segment.tokens).any(|said| token.is_borne_by(said));
    let missing: Vec<&Token> =
        claim.tokens.iter().filter(unsaid).filter(|token| token.class() != Some(Class::Speaker)).collect();
    let of = |what: What| {
        missing.iter().filter(|token| kind(token) == what).map(|token| token.text.as_str()).collect::<Vec<_>>()
    };
    let order = [
        What::Number,
        What::Date,
        What::Path,
        What::Name,
        What::Negation,
        What::Modality,
        What::Status,
        What::Comparison,
        What::Qualifier,
        What::Invented,
    ];
    for what in order {
        let words = of(what);
        if !words.is_empty() {
            let ideographs = words.iter().all(|word| word.chars().count() == 1 && !word.is_ascii());
            return refuse(what, words.join(if ideographs { "" } else { ", " }));
        }
    }
    // Would it be borne by itself, of whomever it is said?
    let alone = Around { found: None, last: None, ..*around };
    let of_another = borne(claim, source, &alone).is_some();
    // Would it be borne but for words of one kind?
    for what in [What::Negation, What::Modality, What::Status, What::Comparison, What::Qualifier] {
        let without = |tokens: &[Token]| tokens.iter().filter(|token| kind(token) != what).cloned().collect::<Vec<_>>();
        let bare = Claim { tokens: without(&claim.tokens), ..claim.clone() };
        let bare_source: Vec<Segment> = source
            .iter()
            .map(|segment| Segment { tokens: without(&segment.tokens), ..segment.clone() })
            .filter(|segment| !segment.tokens.is_empty())
            .collect();
        let conditions = [Class::If, Class::Except];
        let said = if what == What::Qualifier { &conditions } else { around.said };
        let around = Around { said, found: None, last: None, ..*around };
        if !of_another && !bare.tokens.is_empty() && borne(&bare, &bare_source, &around).is_some() {
            return refuse(what, String::new());
        }
    }
    let asked = Claim { question: !claim.question, ..claim.clone() };
    if borne(&asked, source, around).is_some() {
        return refuse(What::Qualifier, String::new());
    }
    let value = claim.tokens.iter().find(|token| token.is_value());
    match value {
        Some(value) => refuse(kind(value), value.text.clone()),
        None => refuse(What::WhoDidWhat, String::new()),
    }
}

/// What a token would be refused as.
fn kind(token: &Token) -> What {
    match &token.sense {
        Sense::Number(_) => What::Number,
        Sense::Date(_) => What::Date,
        Sense::Word(word) if word.contains(['/', '@', '\\']) => What::Path,
        Sense::Word(_) if token.named => What::Name,
        Sense::Word(_) | Sense::Character(_) => What::Invented,
        Sense::Class(class) => match class {
            class if class.denies() => What::Negation,
            class if class.binds() => What::Modality,
            class if class.bounds() => What::Comparison,
            Class::If
            | Class::Only
            | Class::Except
            | Class::Until
            | Class::Formerly
            | Class::Nearly
            | Class::Partly => What::Qualifier,
            Class::Speaker => What::WhoDidWhat,
            _ => What::Status,
        },
    }
}
