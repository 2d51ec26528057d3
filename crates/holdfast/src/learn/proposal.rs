//! What a model proposed as memories, checked by code (SPEC 3.9, 3.10). A proposal and the event it names in, a candidate or the reason
//! why not out. It knows nothing of what is remembered already.

use super::gate::{Candidate, USER, sides_set, subject_of};
use super::slots::{self, bounded, essence, topic};
use crate::prompts::{ProposedKind, ProposedMemory};
use crate::text::{find_whole, fold, sentences};
use crate::types::event::{Event, Kind, Source, Trust};
use crate::types::memory::{Applies, Evidence, MEMORY_BYTES_MAX, MemoryKind, Origin, Stance};

/// What a model proposed, once it is checked by code: said by the user at first hand, in the words it quotes, with nothing in it that they
/// don't say (SPEC 3.9, 3.10).
pub fn from_proposal(proposal: &ProposedMemory, event: &Event) -> Result<Candidate, &'static str> {
    if event.source != Source::User || event.trust != Trust::Trusted || event.kind == Kind::Imported {
        return Err("only what the user says at first hand becomes a memory");
    }
    let quote = proposal.quote.trim();
    if quote.is_empty() || !event.content.contains(quote) {
        return Err("its quote is not in its source");
    }
    let all = sentences(&event.content).into_iter().map(|range| &event.content[range]);
    let mut with_quote = all.filter(|sentence| sentence.contains(quote)).peekable();
    if with_quote.peek().is_some() && with_quote.all(is_question) {
        return Err("its quote is a question");
    }
    let content = proposal.content.trim();
    if content.is_empty() || content.len() > MEMORY_BYTES_MAX || content.contains('\0') {
        return Err("its content is no sentence that can be kept");
    }
    let kind = match proposal.kind {
        ProposedKind::Preference => MemoryKind::Preference,
        ProposedKind::Rule => MemoryKind::Rule,
        ProposedKind::Fact => MemoryKind::Fact,
        ProposedKind::Lesson | ProposedKind::Procedure => {
            return Err("lessons and procedures come from tasks that ended, not from what is told of them");
        }
    };
    if kind == MemoryKind::Rule && !proposal.standing {
        return Err("it holds for once: it lives and ends with its task");
    }
    if !is_faithful(content, &event.content) {
        return Err("a number, name or negation of it is not in its source");
    }
    let subject = match proposal.subject.trim() {
        "" => return Err("it does not say whom it is about"),
        user if ["user", "用户", "the user", "我", "i"].contains(&fold(user).as_str()) => USER.to_owned(),
        other if find_whole(&fold(&event.content), &subject_of(other)).is_some() => subject_of(other),
        _ => return Err("whom it is about is not in its source"),
    };
    let known = slots::attribute(&proposal.attribute);
    let value = bounded(&essence(content));
    let attribute = match (&known, kind) {
        (Some(attribute), _) if attribute.several => format!("{}: {value}", attribute.name),
        (Some(attribute), _) => attribute.name.clone(),
        (None, MemoryKind::Rule) => {
            let set = sides_set(content);
            if set.is_empty() { format!("rule: {value}") } else { set.join(" + ") }
        }
        (None, _) if proposal.attribute.trim().is_empty() => return Err("it does not say which property it gives"),
        (None, _) => essence(&proposal.attribute),
    };
    // As sure as what is stated only if it is what was stated.
    let (said, words) = (fold(&event.content), fold(content.trim_end_matches(['。', '.', '！', '!'])));
    let stance = if find_whole(&said, &words).is_some() { Stance::States } else { Stance::Suggests };
    Ok(Candidate {
        kind,
        subject,
        attribute: bounded(&attribute),
        applies: if kind == MemoryKind::Rule {
            topic(content).map_or(Applies::User, Applies::TaskKind)
        } else {
            Applies::User
        },
        value,
        content: content.to_owned(),
        importance: proposal.importance,
        imperative: false,
        evidence: Evidence {
            event: Some(event.id),
            at: event.occurred_at.clone(),
            stance,
            origin: Origin::UserStated,
            quote: quote.to_owned(),
            task: event.scope.task.clone(),
        },
    })
}

fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches([' ', '”', '"', '」']);
    end.ends_with(['?', '？']) || end.trim_end_matches(['。', '.']).ends_with(['吗', '么', '呢'])
}

/// Words that turn a sentence around.
const NEGATIONS: &[&str] = &[
    "不", "没", "别", "勿", "禁", "无", "非", "never", "no", "not", "don't", "doesn't", "isn't", "can't", "won't",
    "without", "stop",
];

/// Whether a text says no to something.
pub fn says_no(text: &str) -> bool {
    let folded = fold(text);
    let said = |word: &&str| {
        if word.is_ascii() { find_whole(&folded, word).is_some() } else { folded.contains(*word) }
    };
    NEGATIONS.iter().any(|word| said(&word))
}

/// Whether every number and capitalised name of a text is in its source, and whether both or neither say no.
fn is_faithful(content: &str, source: &str) -> bool {
    let (said, folded) = (fold(source), fold(content));
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '%' | '\'' | '-')))
            .map(|word| word.trim_matches(['.', '-']).to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let numbers = words(&folded).into_iter().filter(|word| word.chars().any(|c| c.is_ascii_digit()));
    let names =
        words(content).into_iter().skip(1).filter(|word| word.chars().next().is_some_and(|c| c.is_ascii_uppercase()));
    let mut there = numbers.chain(names.map(|name| fold(&name)));
    there.all(|word| word == "user" || find_whole(&said, &word).is_some()) && (!says_no(&folded) || says_no(&said))
}
