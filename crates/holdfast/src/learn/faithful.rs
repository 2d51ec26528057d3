//! Whether a sentence says what somebody drew from it (SPEC 3.4, 3.10). The sentence with the words that are quoted and the text drawn from
//! it in, `Ok` or the reason why not out.
//!
//! It reads words, not meaning, and refuses whatever it can't be sure of: a memory that is missed does less harm than one made up. So
//! a text may leave out clauses and put "the user" for "I", but its words stand next to each other as they do in the sentence: who does
//! what to whom, which number is whose, and what is denied stay as they were said.

mod words;

use std::ops::Range;

use crate::text::{fold, index_terms, is_han_or_kana, sentences};
use crate::types::signals::Attribution;
use words::{
    BECOMES, DENIED, EXAMPLES, GUESSES, LEADS, MINE_NOT, NEGATIONS, NOT_NEGATIONS, OTHERS, PAST, PRONOUNS, QUESTIONS,
    REPORTS, SMALL, SUPPOSED, TRADES, TURNS, UNLIKE, VIA, WORKS_AS,
};

/// A clause as short as this denies what stands beside it: 「没有的事」, "not really".
const DENIAL_CHARACTERS_MAX: usize = 4;
const DENIAL_WORDS_MAX: usize = 3;

/// Words between "my" and whom it is of: "my two older sisters".
const MY_WORDS_MAX: usize = 3;

/// What a trade is called by before its last word: 做产品经理, "as a senior project manager".
const TRADE_CHARACTERS_MAX: usize = 4;
const TRADE_WORDS_MAX: usize = 2;

/// One place where words are said, with the sentences around it.
#[derive(Debug)]
pub(super) struct Quoted<'a> {
    text: &'a str,
    quote: Range<usize>,
    /// The sentence or sentences that the quote stands in.
    sentence: Range<usize>,
    /// The sentence before.
    before: Range<usize>,
}

impl<'a> Quoted<'a> {
    /// All places where a text says these words.
    pub(super) fn all(text: &'a str, quote: &'a str) -> impl Iterator<Item = Self> {
        let all = if quote.is_empty() || !text.contains(quote) { Vec::new() } else { sentences(text) };
        let places = text.match_indices(quote).filter(move |_| !quote.is_empty());
        places.filter_map(move |(at, _)| {
            let span = at..at + quote.len();
            let first = all.iter().position(|sentence| sentence.end > span.start)?;
            let last = all.iter().rposition(|sentence| sentence.start < span.end)?;
            let start = all.get(first)?.start.min(span.start);
            let end = all.get(last)?.end.max(span.end);
            let before = if first == 0 { 0..0 } else { all[first - 1].clone() };
            Some(Self { text, quote: span, sentence: start..end, before })
        })
    }
}

/// That the words are the user's own by the layout of the text and by what it says of itself: as the rules ask of a statement.
pub(super) fn own(quoted: &Quoted<'_>, attribution: &Attribution) -> Result<(), &'static str> {
    if attribution.is_own(quoted.text, &quoted.quote) { Ok(()) } else { Err("its sentence is somebody else's word") }
}

/// That a sentence says that what it orders lasts.
pub(super) fn lasting(quoted: &Quoted<'_>, attribution: &Attribution) -> Result<(), &'static str> {
    if attribution.lasts(&quoted.sentence) { Ok(()) } else { Err("no word of its sentence says that it lasts") }
}

/// A sentence in normal form, in its parts.
struct Said {
    whole: String,
    quote: Range<usize>,
    /// The clauses that the quote stands in, as one.
    clauses: Range<usize>,
}

impl Said {
    fn of(quoted: &Quoted<'_>) -> Self {
        let Quoted { text, quote, sentence, .. } = quoted;
        let mut whole = folded(&text[sentence.start..quote.start]);
        let start = whole.len();
        whole.push_str(&folded(&text[quote.clone()]));
        let end = whole.len();
        whole.push_str(&folded(&text[quote.end..sentence.end]));
        let spans = clauses(&whole);
        let touched = || spans.iter().filter(|clause| clause.start < end && clause.end > start);
        let from = touched().next().map_or(start, |clause| clause.start);
        let to = touched().next_back().map_or(end, |clause| clause.end);
        Self { clauses: from..to, quote: start..end, whole }
    }
}

/// Whether the sentence states what is drawn from it: said by the user, as so, of whom it is said to be. `about` is whom, if not the user;
/// `fact`: it is no wish of how things are to be done.
pub(super) fn faithful(
    quoted: &Quoted<'_>,
    content: &str,
    about: Option<&str>,
    fact: bool,
) -> Result<(), &'static str> {
    let said = Said::of(quoted);
    stated(quoted, &said)?;
    let drawn = folded(content);
    denied_alike(&said, &drawn)?;
    let before = folded(&quoted.text[quoted.before.clone()]);
    let stands_for = of_whom(&said, &before, &drawn, about, fact)?;
    says(&said, &drawn, stands_for)
}

/// That it is the user's own word on how things are: not asked, supposed, guessed, reported, pasted, or given as an example.
fn stated(quoted: &Quoted<'_>, said: &Said) -> Result<(), &'static str> {
    let has = |words: &[&str]| has_one(&said.whole, words);
    let end = said.whole.trim_end_matches([' ', '”', '"', '」', ')', '。', '.', '!', '…', '~']);
    if said.whole.contains('?') || end.ends_with(['吗', '么', '呢']) || has(QUESTIONS) {
        return Err("its quote is a question");
    }
    if has(SUPPOSED) {
        return Err("its sentence only supposes it");
    }
    if has(EXAMPLES) {
        return Err("its sentence gives an example");
    }
    if has(GUESSES) {
        return Err("its sentence is a guess");
    }
    if has_one(&said.whole[said.clauses.clone()], PAST) {
        return Err("its sentence is of the past");
    }
    let before = &quoted.text[..quoted.quote.start];
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let opened = |open: char, close: char| before.matches(open).count() > before.matches(close).count();
    let inside = opened('“', '”') || opened('「', '」') || opened('『', '』') || before.matches('"').count() % 2 == 1;
    let header = |line: &str| words::HEADERS.iter().any(|header| folded(line.trim_start()).starts_with(header));
    let pasted = line.starts_with('>') || before.matches("```").count() % 2 == 1 || quoted.text.lines().any(header);
    if inside || pasted || has_one(&without_raised(&without(&said.whole, UNLIKE)), REPORTS) {
        return Err("its sentence is somebody else's word");
    }
    Ok(())
}

/// That both say no, or neither does, and that what turns the meaning of the sentence was not left out.
fn denied_alike(said: &Said, drawn: &str) -> Result<(), &'static str> {
    const TURNED: &str = "it turns around what its sentence says";
    let clauses = &said.whole[said.clauses.clone()];
    if denies(clauses) != denies(drawn) {
        return Err(TURNED);
    }
    let around = [&said.whole[..said.clauses.start], &said.whole[said.clauses.end..]];
    let short = |clause: &str| {
        let tokens: Vec<&str> = clause.split_whitespace().collect();
        let characters = clause.chars().filter(|c| is_han_or_kana(*c)).count();
        characters <= DENIAL_CHARACTERS_MAX && tokens.len() <= DENIAL_WORDS_MAX
    };
    let denial = |text: &str| {
        let mut clauses = clauses_of(text);
        clauses.any(|clause| (short(clause) && denies(clause)) || has_one(clause, DENIED))
    };
    if around.iter().any(|text| denial(text)) && !denies(drawn) {
        return Err(TURNED);
    }
    let left_out = |word: &&&str| has_one(clauses, &[word]) && !has_one(drawn, &[word]);
    if TURNS.iter().any(|word| left_out(&word)) { Err(TURNED) } else { Ok(()) }
}

/// Whose words speak of: where in a text, and whether of the user.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mention<'a> {
    at: usize,
    /// `None`: the user.
    other: Option<&'a str>,
    /// Not the one who does it: 跟经理, "for my boss".
    aside: bool,
}

/// That it is said of whom it is drawn of. Their name and what stands for it in the sentence, when they are named before it.
fn of_whom<'a>(
    said: &Said,
    before: &str,
    drawn: &str,
    about: Option<&'a str>,
    fact: bool,
) -> Result<Option<(&'a str, &'a str)>, &'static str> {
    const ANOTHER: &str = "its sentence is about somebody else";
    let all = mentions(&said.whole, about);
    let subjects = || all.iter().filter(|mention| !mention.aside);
    let quote = &said.quote;
    let decides = subjects()
        .find(|mention| quote.contains(&mention.at))
        .or_else(|| subjects().rfind(|mention| mention.at < quote.start));
    let last_before = || mentions(before, about).into_iter().rfind(|mention| !mention.aside);
    let Some(name) = about else {
        // All whom the quote names belong to what it says.
        let left_out = |m: &Mention<'_>| m.other.is_some_and(|o| quote.contains(&m.at) && !has_one(drawn, &[o]));
        if all.iter().any(left_out) || decides.is_some_and(|mention| mention.other.is_some()) {
            return Err(ANOTHER);
        }
        // 「妹妹周末来。对坚果过敏」: nobody is named, and who was named before is meant.
        let elided = decides.is_none() && fact && last_before().is_some_and(|mention| mention.other.is_some());
        // 「王伟对坚果过敏」, "I know Ana loves nuts": a name that no list has stands first, and was left out.
        let first = |text: &str| tokens(led_in(text)).into_iter().flatten().next();
        let own = all.iter().filter(|mention| mention.other.is_none() && said.clauses.contains(&mention.at));
        let behind_own = own.filter_map(|mention| first(behind_word(&said.whole[mention.at..said.clauses.end])));
        let begins: Vec<String> =
            clauses_of(&said.whole[said.clauses.clone()]).filter_map(first).chain(behind_own).collect();
        let begun = |clause: &str| first(clause).is_some_and(|word| begins.contains(&word));
        return match begun(drawn) || begun_before(said, drawn, begun) {
            _ if elided => Err(ANOTHER),
            true => Ok(None),
            false => Err("it leaves out whom or what its sentence speaks of"),
        };
    };
    if !has_one(drawn, &[name]) {
        return Err("what it says is not about whom it is said to be");
    }
    if has_one(&said.whole, &[name]) {
        let one = |other: &str| name.contains(other) || PRONOUNS.contains(&other);
        let fits = |mention: &Mention<'_>| mention.other.is_some_and(one);
        return if has_one(name, OTHERS) && !decides.is_some_and(fits) { Err(ANOTHER) } else { Ok(None) };
    }
    // 「妹妹下周来。她对坚果过敏」
    let pronoun = decides.and_then(|mention| mention.other).filter(|other| PRONOUNS.contains(other));
    let named = last_before().and_then(|mention| mention.other).is_some_and(|other| name.contains(other));
    pronoun.filter(|_| named).map(|pronoun| Some((name, pronoun))).ok_or(ANOTHER)
}

/// 「因为换了项目，调到了九千」 of the quote 「调到了九千」: it begins with a clause before the quoted ones. Then every clause of it begins as one
/// of the sentence does, and the quoted one as `begun` asks.
fn begun_before(said: &Said, drawn: &str, begun: impl Fn(&str) -> bool) -> bool {
    let words = |clause: &str| tokens(led_in(clause)).concat();
    let whole: Vec<String> = clauses_of(&said.whole).filter_map(|clause| words(clause).into_iter().next()).collect();
    let quoted = tokens(&said.whole[said.clauses.clone()]).concat();
    let of_quote = |clause: &&str| words(clause).iter().all(|word| quoted.contains(word));
    let mut drawn_clauses = clauses_of(drawn).filter(|clause| !words(clause).is_empty());
    clauses_of(drawn).filter(|clause| !words(clause).is_empty()).find(of_quote).is_some_and(begun)
        && drawn_clauses.all(|clause| words(clause).first().is_some_and(|word| whole.contains(word)))
}

/// What stands behind the word for oneself that a text begins with.
fn behind_word(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii()) {
        return text.trim_start_matches(|c: char| c == '\'' || c.is_ascii_alphanumeric());
    }
    text.trim_start_matches("本人").trim_start_matches(['我', '们'])
}

/// Who is named in a text, in its order. `thing`: 「我的网关」 is not the user.
fn mentions<'a>(text: &str, thing: Option<&'a str>) -> Vec<Mention<'a>> {
    let text = &*without(text, UNLIKE);
    let mut found: Vec<Mention<'a>> = Vec::new();
    let others = OTHERS.iter().chain(PRONOUNS).copied().chain(thing);
    for other in others {
        for at in places(text, other).filter(|&at| !is_own_trade(&text[..at], other, &text[at + other.len()..])) {
            let lead = text[..at].trim_end().trim_end_matches(['我', '的']);
            let lead = lead.trim_end().trim_end_matches(" my").trim_end();
            let aside = VIA.iter().any(|via| {
                lead.ends_with(via) && (!via.is_ascii() || places(lead, via).any(|at| at + via.len() == lead.len()))
            });
            found.push(Mention { at, other: Some(other), aside });
        }
    }
    let mut own: Vec<usize> = Vec::new();
    for at in ["我", "本人"].iter().flat_map(|word| places(text, word)) {
        let rest = text[at..].trim_start_matches('我').trim_start_matches(['们', '的', '家', ' ']);
        let here = text.len() - rest.len();
        let lent = MINE_NOT.iter().any(|word| text[..at].ends_with(word));
        if !lent && !found.iter().any(|mention| mention.at == here) {
            own.push(at);
        }
    }
    own.extend(["i", "we"].iter().flat_map(|word| places(text, word)));
    for word in ["my", "our"] {
        own.extend(places(text, word).filter(|at| {
            let mut rest = text[at + word.len()..].split_whitespace().take(MY_WORDS_MAX);
            !rest.any(|next| {
                let bare = next.trim_end_matches("'s");
                OTHERS.contains(&bare) || Some(bare) == thing || next.ends_with("'s")
            })
        }));
    }
    found.extend(own.into_iter().map(|at| Mention { at, other: None, aside: false }));
    found.sort_by_key(|mention| mention.at);
    found
}

/// 「我做项目经理」, "I work as a teacher": the word for a person is what somebody does, and nobody beside them.
fn is_own_trade(before: &str, word: &str, after: &str) -> bool {
    let belongs = after.starts_with('的') || after.starts_with("'s");
    if !TRADES.contains(&word) || belongs {
        return false;
    }
    let before = clauses(before).pop().map_or("", |clause| &before[clause]);
    if word.is_ascii() {
        let words: Vec<&str> = before.split_whitespace().collect();
        let mut pairs = words.windows(2).rev().take(TRADE_WORDS_MAX + 1);
        return pairs.any(|pair| matches!(pair[1], "a" | "an") && BECOMES.contains(&pair[0]));
    }
    WORKS_AS.iter().filter_map(|verb| before.rsplit_once(verb)).any(|(_, name)| {
        name.chars().count() <= TRADE_CHARACTERS_MAX
            && name.chars().all(|c| is_han_or_kana(c) && !"的我他她".contains(c))
    })
}

/// That every word of it is in the sentence, beside the same words as there, and some of them in the quote. `stands_for`: a name, and the
/// "she" that the sentence has for it.
fn says(said: &Said, drawn: &str, stands_for: Option<(&str, &str)>) -> Result<(), &'static str> {
    const MORE: &str = "it says more than the sentence it quotes";
    let drawn = stands_for.map_or_else(|| drawn.to_owned(), |(name, she)| drawn.replacen(name, she, 1));
    let (drawn, there) = (tokens(&drawn), tokens(&said.whole));
    let quote: Vec<String> = tokens(&said.whole[said.quote.clone()]).into_iter().flatten().collect();
    let is_there = |word: &String| there.iter().any(|clause| clause.contains(word));
    if !drawn.iter().flatten().any(|word| quote.contains(word)) || !drawn.iter().flatten().all(is_there) {
        return Err(MORE);
    }
    let beside = |pair: &[String]| there.iter().any(|clause| clause.windows(2).any(|other| other == pair));
    if drawn.iter().flat_map(|clause| clause.windows(2)).all(beside) { Ok(()) } else { Err(MORE) }
}

/// Stands for every English word that denies: a text may say "doesn't" for "don't".
const NOT: &str = "\u{1}not";

/// The words of a text by its clauses, without those that carry nothing: characters one by one, English words by their stems.
fn tokens(text: &str) -> Vec<Vec<String>> {
    clauses_of(text).map(tokens_of_clause).filter(|clause| !clause.is_empty()).collect()
}

fn tokens_of_clause(clause: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let bare = words::SMALL_PHRASES.iter().fold(clause.to_owned(), |text, phrase| text.replace(phrase, " "));
    for c in bare.chars().chain([' ']) {
        let of_word =
            c.is_alphanumeric() || matches!(c, '.' | ',' | '%' | '\'' | '-' | '+' | '#' | '/' | '_' | '@' | ':');
        if of_word && !is_han_or_kana(c) {
            word.push(c);
            continue;
        }
        found.extend(token(&word));
        word.clear();
        if is_han_or_kana(c) && !words::SMALL_CHARACTERS.contains(c) {
            found.push(c.to_string());
        }
    }
    found
}

fn token(word: &str) -> Option<String> {
    let word = word.trim_matches(['.', ',', '\'', '-', ':', '/']);
    if word.is_empty() || SMALL.contains(&word) {
        return None;
    }
    if word.ends_with("n't") || NEGATIONS.contains(&word) {
        return Some(NOT.to_owned());
    }
    if word.chars().all(char::is_alphabetic) {
        return index_terms(word).into_iter().next().or_else(|| Some(word.to_owned()));
    }
    Some(word.to_owned())
}

fn clauses_of(text: &str) -> impl Iterator<Item = &str> {
    clauses(text).into_iter().map(|clause| text[clause].trim())
}

/// Where a sentence in normal form can be taken apart. A comma in a number is none.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let ends = match c {
            ',' | '.' => next.is_none_or(|next| !next.is_ascii_alphanumeric()),
            _ => matches!(c, '。' | ';' | '!' | '?' | '、' | '…' | '\n' | '—'),
        };
        if ends {
            found.push(start..at);
            start = at + c.len_utf8();
        }
    }
    found.push(start..text.len());
    found.retain(|clause| !text[clause.clone()].trim().is_empty());
    found
}

/// Without what leads up to a statement: 「以后…」, "please".
fn led_in(clause: &str) -> &str {
    let mut clause = clause.trim();
    let is_lead = |rest: &str, lead: &str| !lead.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let strip = |clause: &str| {
        LEADS.iter().find_map(|lead| clause.strip_prefix(lead).filter(|rest| is_lead(rest, lead)).map(str::len))
    };
    while let Some(left) = strip(clause) {
        clause = clause[clause.len() - left..].trim_start_matches([' ', ':', ',']);
    }
    clause
}

/// Whether a text says no to something.
pub fn says_no(text: &str) -> bool {
    denies(&folded(text))
}

fn denies(folded: &str) -> bool {
    has_one(&without(folded, NOT_NEGATIONS), NEGATIONS)
        || folded.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| word.ends_with("n't"))
}

fn folded(text: &str) -> String {
    fold(text).replace('’', "'")
}

/// A text with other characters where these words stand, at the same places.
fn without(text: &str, words: &[&str]) -> String {
    words.iter().fold(text.to_owned(), |text, word| text.replace(word, &" ".repeat(word.len())))
}

/// 「提到2200」 raises an amount, 「提到3点」 mentions something: an amount has more than one digit.
fn without_raised(text: &str) -> String {
    const RAISED: &str = "提到";
    let mut out = text.to_owned();
    for (at, word) in text.match_indices(RAISED) {
        let amount = text[at + word.len()..].trim_start_matches(['了', ' ']);
        let digits = amount.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '%')).count();
        if amount.starts_with(|c: char| c.is_ascii_digit()) && digits > 1 {
            out.replace_range(at..at + word.len(), &" ".repeat(word.len()));
        }
    }
    out
}

fn has_one(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| places(text, word).next().is_some())
}

/// Where a word stands in a text as a whole.
fn places<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han_or_kana(c));
    let latin = move |c: Option<char>| joins(c);
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        let goes_on_before = latin(before) && latin(word.chars().next());
        let goes_on_after = latin(after) && latin(word.chars().next_back());
        !goes_on_before && !goes_on_after
    })
}
