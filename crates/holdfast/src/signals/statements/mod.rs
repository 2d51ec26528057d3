//! What a user states of themselves, of people near them, and of how they want to be served: 「我住在余杭」, "I'm allergic to nuts",
//! 「以后周报都先写结论」. For long-term memory, where a missed statement costs little and a wrong one stays.
//!
//! In: a user's text as the rules read it. Out: statements with the words that make them. So that they are right, only what a
//! part of a clause says from its very head is read (「我…」, "my sister is …"): reported speech, conditions, questions and wishes
//! have another head. It knows nothing of what is already remembered.
//!
//! The attributes it emits are few, for a room that has to tell which of them mean the same:
//!
//! | of | zh | en |
//! |---|---|---|
//! | name | 叫 | name |
//! | home | 住 | live |
//! | employer | 上班 | work |
//! | job | 职业 | job |
//! | level | 职级 | |
//! | age | 年龄 | age |
//! | birthday | 生日 | birthday |
//! | allergies, of which one has several | 过敏 | allergic |
//! | diet | 饮食 | diet |
//! | team | 团队 | team |
//! | languages, of which one has several | | speak |
//! | tools, of which one has several | 用 | use |
//! | weight, as a verb | | weight |
//! | habits, of which one has several | 习惯 | habit |
//! | how many a team has | 团队人数 | team size |
//!
//! and, as written, the words of `[statements.attributes]` in the word lists (手机, "birthday") and 最喜欢的X / "favourite X".

mod en;
mod guards;
mod kinds;
mod orders;
mod revocations;
mod standing;
#[cfg(test)]
mod tests;
mod values;
mod zh;

use std::ops::Range;

use super::instructions;
use super::layout::Clause;
use super::lexicon::Attribute;
use super::reading::Reading;
use crate::types::signals::{Claim, Holds, Standing, Statement};

/// Of one message: more is a form or a pasted text.
const STATEMENTS_MAX: usize = 24;
/// A sentence with more clauses is a table or a list of words.
const CLAUSES_MAX: usize = 40;
/// What states a thing is short; what is longer holds more than it.
const TEXT_CHARS_MAX: usize = 200;

/// Of whom a part of a sentence speaks, for the parts behind it that don't say.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Whom {
    User,
    Third(Range<usize>),
    /// Somebody else, or it can't be told.
    Nobody,
}

/// A stretch that can state something.
#[derive(Debug, Clone)]
struct Part {
    span: Range<usize>,
    /// The first of the event: its subject, if it has none, is the user.
    opens: bool,
    /// Behind a greeting, where people say who they are.
    greeted: bool,
    /// Where the clause before begins, if it only says to what this is preferred.
    compared: Option<usize>,
    /// What a clause before it in the sentence said is new: what comes behind it, unless it names another thing, is of it.
    announced: Option<Announced>,
}

/// 换手机了, "I got a new phone": a thing of the user's is another from now on, and which is still to be said.
#[derive(Debug, Clone)]
struct Announced {
    attribute: Attribute,
    /// As it is emitted.
    word: String,
    /// Where the announcement begins: without it, 从小米12换成了小米14 does not say what was changed.
    start: usize,
}

/// A statement with spans of the folded text.
#[derive(Debug)]
struct Found {
    claim: Claim,
    subject: Option<Range<usize>>,
    span: Range<usize>,
}

/// The stretches of a text that are the user's own words, as written, in order and apart.
pub(super) fn own_words(reading: &Reading<'_>) -> Vec<Range<usize>> {
    guards::own_words(reading).said(reading)
}

pub(super) fn find(reading: &Reading<'_>) -> Vec<Statement> {
    let own = guards::own_words(reading);
    let instructs = |instruction: crate::types::signals::Instruction| Statement {
        claim: Claim::Instructs { standing: instruction.standing },
        subject: None,
        text: instruction.text,
        span: instruction.span,
    };
    let mut statements: Vec<Statement> = instructions::find(reading)
        .into_iter()
        .filter(|instruction| {
            own.says_original(reading, instruction.span.start)
                && instruction.text.chars().count() <= TEXT_CHARS_MAX
                && guards::is_to_who_serves(reading, &instruction.span)
                && (instruction.standing == Standing::OneOff || standing::stands(reading, &instruction.span))
        })
        .map(instructs)
        .collect();
    let mut found = Vec::new();
    let mut opens = true;
    for clauses in reading.layout.clauses.chunk_by(|one, next| one.sentence == next.sentence) {
        if found.len() >= STATEMENTS_MAX {
            break;
        }
        if own.holds(clauses[0].span.start) && clauses.len() <= CLAUSES_MAX {
            sentence(reading, clauses, opens, &mut found);
        }
        opens = false;
    }
    found.retain(|one| own.says(one.span.start));
    found.retain(|one| !matches!(one.claim, Claim::Is { .. }) || standing::is_lasting(reading, one.span.start));
    for one in found.into_iter().take(STATEMENTS_MAX) {
        let span = reading.folded.span(one.span.clone());
        let ordered = |other: &Statement| {
            matches!(other.claim, Claim::Instructs { .. }) && other.span.start < span.end && span.start < other.span.end
        };
        let text = reading.folded.written(one.span);
        // An order says more than that it is to be remembered, or what is liked; but 不要记住 is none to remember.
        if matches!(one.claim, Claim::Forget { .. }) {
            statements.retain(|other| !ordered(other));
        }
        // "I always prefer aisle seats" is of oneself.
        if matches!(one.claim, Claim::Likes { .. }) {
            statements.retain(|other| !(ordered(other) && other.text.starts_with("I ")));
        }
        if text.chars().count() > TEXT_CHARS_MAX || statements.iter().any(ordered) {
            continue;
        }
        let subject = one.subject.map(|span| reading.folded.written(span).trim().to_owned());
        statements.push(Statement { claim: one.claim, subject, text: text.to_owned(), span });
    }
    statements.sort_by_key(|statement| statement.span.start);
    statements
}

fn sentence(reading: &Reading<'_>, clauses: &[Clause], opens: bool, found: &mut Vec<Found>) {
    let mut whom = Whom::Nobody;
    let said_to = guards::said_clauses(reading, clauses);
    let (mut greeted, mut compared, mut announced) = (false, None, None);
    for (place, clause) in clauses[..said_to].iter().enumerate() {
        if !guards::asserts(reading, clauses, place) {
            whom = Whom::Nobody;
            announced = None;
            continue;
        }
        if let Some(order) = orders::read(reading, clauses, place) {
            found.push(remembered(reading, order));
            return;
        }
        if let Some(span) = revocations::read(reading, clause) {
            found.push(Found { claim: Claim::Revokes, subject: None, span });
            whom = Whom::Nobody;
            continue;
        }
        let part = Part {
            span: clause.span.clone(),
            opens: opens && place == 0,
            greeted,
            compared,
            announced: announced.take(),
        };
        let said = &reading.text()[clause.span.clone()];
        compared = zh::compares(said).then(|| clause.span.start + (said.len() - said.trim_start().len()));
        let is_greeting = guards::is_greeting(said);
        greeted = is_greeting;
        if is_greeting {
            continue;
        }
        announced = read(reading, &part, &clauses[place + 1..said_to], &mut whom, found);
    }
}

/// What a part states; and what it, or a part before it, announces for those behind it.
fn read(
    reading: &Reading<'_>,
    part: &Part,
    next: &[Clause],
    whom: &mut Whom,
    found: &mut Vec<Found>,
) -> Option<Announced> {
    let said = reading.text()[part.span.clone()].trim_start();
    // 「换手机了，iPhone 12换成了小米14」 goes on in Chinese.
    let han = said.find(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c));
    // So does P6要带4个人了, where a name or a code stands before the verb.
    let goes_on = han.is_some_and(|han| part.announced.is_some() || !said[..han].contains(' '));
    if said.chars().next().unwrap_or(' ').is_ascii() && !goes_on {
        en::read(reading, part, next, whom, found)
    } else {
        zh::read(reading, part, whom, found)
    }
}

/// What is to be remembered, as the statement it is if it is one as a whole: 「记住我对花生过敏」 is of the allergy.
fn remembered(reading: &Reading<'_>, order: orders::Order) -> Found {
    let orders::Order { found, content } = order;
    let Some(content) = content else { return found };
    let mut inside = Vec::new();
    let part = Part { span: content.clone(), opens: true, greeted: false, compared: None, announced: None };
    read(reading, &part, &[], &mut Whom::Nobody, &mut inside);
    let whole = |one: &Found| one.span.start <= content.start && one.span.end >= content.end;
    match <[Found; 1]>::try_from(inside) {
        Ok([one]) if whole(&one) => one,
        _ => found,
    }
}

impl Found {
    /// What it says is not so was so before.
    fn over(mut self) -> Self {
        if let Claim::Is { holds: holds @ Holds::No, .. } = &mut self.claim {
            *holds = Holds::NoLonger;
        }
        self
    }
}

fn claim_is(reading: &Reading<'_>, attribute: &str, value: Range<usize>, holds: bool) -> Claim {
    let holds = if holds { Holds::Yes } else { Holds::No };
    Claim::Is { attribute: attribute.to_owned(), value: reading.folded.written(value).to_owned(), holds }
}
