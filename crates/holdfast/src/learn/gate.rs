//! What may become a memory, from whom, on what evidence (SPEC 3.2, 3.3, 3.8). Statements in, candidates and refusals out.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::faithful::says_no;
use super::slots::{self, aspects, bounded, essence, topic};
use crate::text::{find_whole, fold, is_stop_term, term_set};
use crate::types::event::{Event, Kind, Source, Trust};
use crate::types::ids::{EventId, Seq};
use crate::types::memory::{
    Applies, Evidence, MEMORY_BYTES_MAX, MemoryKind, Origin, SLOT_PART_BYTES_MAX, Slot, Stance, USER,
};
use crate::types::signals::{Claim, Holds, Liking, Standing, Statement};
use crate::types::task::{Outcome, Task};

/// The most that one text of somebody else's can ask an operator to look at.
const PENDING_MAX: usize = 3;

const TOO_LONG: &str = "it is too long for a memory";

/// Fewer steps are no procedure.
const PROCEDURE_STEPS_MIN: usize = 3;

/// What may be remembered, on one piece of evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub kind: MemoryKind,
    pub subject: String,
    pub attribute: String,
    pub applies: Applies,
    /// What tells it from other contents of its slot.
    pub value: String,
    pub content: String,
    pub importance: u8,
    pub imperative: bool,
    pub evidence: Evidence,
}

impl Candidate {
    pub fn slot(&self) -> Slot {
        Slot { subject: self.subject.clone(), attribute: self.attribute.clone(), applies: self.applies.clone() }
    }
}

/// What was stated and is no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub event: EventId,
    pub quote: String,
    pub reason: &'static str,
}

/// What an event's statements may become. Only what a trusted user says at first hand counts at once; what other texts say of
/// how things are to be done is pending, and nothing else in them is looked at.
pub fn from_event(event: &Event, statements: &[Statement]) -> (Vec<Candidate>, Vec<Refusal>) {
    let first_hand = is_first_hand(event);
    let untrusted = event.trust == Trust::Untrusted && event.source != Source::Agent;
    let (mut candidates, mut refusals) = (Vec::new(), Vec::new());
    if !first_hand && !untrusted {
        return (candidates, refusals);
    }
    let mut refuse = |quote: &str, reason| {
        refusals.push(Refusal { event: event.id, quote: quote.to_owned(), reason });
    };
    for (place, statement) in statements.iter().enumerate() {
        // 「记住：我住在余杭」 is read as what it says, and not as a text besides.
        let inner = |other: &Statement| covers(&statement.span, &other.span);
        if matches!(statement.claim, Claim::Remember { .. })
            && statements.iter().enumerate().any(|(other, s)| other != place && inner(s))
        {
            continue;
        }
        let asks_for_lasting =
            matches!(statement.claim, Claim::Remember { .. } | Claim::Instructs { standing: Standing::Standing });
        if untrusted && (!asks_for_lasting || candidates.len() >= PENDING_MAX) {
            continue;
        }
        let found = read(event, statement).and_then(|found| {
            let fits = |candidate: &Candidate| candidate.content.len() <= MEMORY_BYTES_MAX;
            if found.iter().all(fits) { Ok(found) } else { Err(TOO_LONG) }
        });
        match found {
            Ok(found) => candidates.extend(found.into_iter().map(|candidate| Candidate {
                imperative: untrusted,
                evidence: Evidence {
                    origin: if untrusted { Origin::Imported } else { Origin::UserStated },
                    ..candidate.evidence
                },
                ..candidate
            })),
            Err(reason) => refuse(&statement.text, reason),
        }
    }
    (candidates, refusals)
}

/// Whether an event is the user's own word: what a tool brought or an agent said stays that, whoever handed it in.
pub fn is_first_hand(event: &Event) -> bool {
    let spoken = matches!(event.kind, Kind::Query | Kind::Note | Kind::Feedback);
    event.source == Source::User && event.trust == Trust::Trusted && spoken
}

fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn read(event: &Event, statement: &Statement) -> Result<Vec<Candidate>, &'static str> {
    if statement.text.len() > MEMORY_BYTES_MAX {
        return Err(TOO_LONG);
    }
    let subject = statement.subject.as_deref().map_or_else(|| USER.to_owned(), subject_of);
    let candidate = |kind, attribute: String, value: String, content: &str, importance, stance| Candidate {
        kind,
        subject: subject.clone(),
        attribute,
        applies: Applies::User,
        value,
        content: with_subject(statement, content),
        importance,
        imperative: false,
        evidence: Evidence::of(event, stance, Origin::UserStated, &statement.text),
    };
    let text = statement.text.as_str();
    match &statement.claim {
        Claim::Is { attribute, value, holds } => {
            let attribute = slots::attribute(attribute).ok_or("it says nothing that is known to last")?;
            let value = essence(value);
            if value.is_empty() || value.len() > SLOT_PART_BYTES_MAX {
                return Err("its value is not one that can be compared");
            }
            let stance = match holds {
                Holds::Yes => Stance::States,
                Holds::No => Stance::Denies,
                Holds::NoLonger => Stance::Ends,
            };
            let (name, value) = if attribute.several {
                (format!("{}: {value}", attribute.name), attribute.name.clone())
            } else {
                (attribute.name, value)
            };
            Ok(vec![candidate(MemoryKind::Fact, name, value, text, attribute.importance, stance)])
        }
        Claim::Likes { object, degree } => {
            let object = slots::liked(&essence(object));
            if object.is_empty() {
                return Err("it does not say what is liked");
            }
            let attribute = bounded(&format!("likes: {object}"));
            let (value, stance) = match degree {
                Liking::Likes | Liking::Prefers => ("likes", Stance::States),
                Liking::Dislikes => ("dislikes", Stance::States),
                Liking::NoLonger => ("likes", Stance::Ends),
                Liking::Resumed => ("dislikes", Stance::Ends),
            };
            Ok(vec![candidate(MemoryKind::Preference, attribute, value.to_owned(), text, 2, stance)])
        }
        Claim::Instructs { standing: Standing::OneOff } => Err("it holds for once: it lives and ends with its task"),
        Claim::Instructs { standing: Standing::Standing } => {
            let text = without_lead(text);
            let (order, condition) = split_condition(text);
            // Where the case is named, it says where the order applies: "confirm budget caps when I ask about holidays".
            let of_kind = topic(order).filter(|_| condition.is_none());
            let applies = of_kind.map_or(Applies::User, Applies::TaskKind);
            let sides = match condition {
                // 「涉及报价时用英文」: one rule as a whole, beside those for other cases.
                Some(condition) => {
                    let set = sides_set(order);
                    let side = if set.is_empty() { essence(order) } else { set.join(" + ") };
                    vec![(bounded(&format!("{side} when {}", essence(condition))), text)]
                }
                None => sides(text),
            };
            let of = slots::qualifier(order).filter(|_| condition.is_none());
            let of = of.map_or_else(String::new, |of| format!(" of {of}"));
            let sides = sides.into_iter().map(|(side, content)| (bounded(&format!("{side}{of}")), content));
            let rules = sides.map(|(attribute, content)| Candidate {
                applies: applies.clone(),
                ..candidate(MemoryKind::Rule, attribute, rule_value(content, &applies), content, 4, Stance::States)
            });
            Ok(rules.collect())
        }
        Claim::Revokes => {
            // Its slot is that of an order; which rule of it goes, the rules there are tell.
            let set = sides_set(text);
            if set.is_empty() {
                return Err("it takes back nothing that is known to be ordered");
            }
            let applies = topic(text).map_or(Applies::User, Applies::TaskKind);
            let attribute =
                slots::qualifier(text).map_or_else(|| set.join(" + "), |of| format!("{} of {of}", set.join(" + ")));
            let rule = candidate(MemoryKind::Rule, bounded(&attribute), essence(text), text, 4, Stance::Ends);
            Ok(vec![Candidate { applies, ..rule }])
        }
        Claim::Remember { content } => {
            let value = essence(content);
            if value.is_empty() {
                return Err("it does not say what is to be remembered");
            }
            let attribute = bounded(&format!("note: {value}"));
            Ok(vec![candidate(MemoryKind::Fact, attribute, value, content, 4, Stance::States)])
        }
        // Says what is to go, and nothing that is.
        Claim::Forget { .. } => Ok(Vec::new()),
    }
}

/// A clause that inherits its subject can't be read without it: 「我儿子住在北京，对牛奶过敏」 is about the son in both.
fn with_subject(statement: &Statement, content: &str) -> String {
    match &statement.subject {
        Some(subject) if find_whole(&fold(content), &fold(subject)).is_none() => {
            let space = if subject.is_ascii() { " " } else { "" };
            format!("{subject}{space}{content}")
        }
        _ => content.to_owned(),
    }
}

/// 我妹妹 and 妹妹 are one person, "my sister" too.
pub(super) fn subject_of(subject: &str) -> String {
    let folded = fold(subject);
    let bare = folded.trim();
    let bare = ["我的", "我家", "我", "my "].iter().find_map(|own| bare.strip_prefix(own)).unwrap_or(bare);
    bounded(bare.trim())
}

/// "And always …", 「另外，以后…」: what ties a sentence to the one before it says nothing by itself.
fn without_lead(text: &str) -> &str {
    const LEADS: &[&str] =
        &["and ", "but ", "also ", "so ", "oh ", "plus ", "另外", "还有", "对了", "而且", "然后", "那", "嗯"];
    let lower = text.to_ascii_lowercase();
    let lead = LEADS.iter().find(|lead| lower.starts_with(**lead));
    let rest = lead.map_or(text, |lead| text[lead.len()..].trim_start_matches([' ', '，', ',']));
    if rest.is_empty() { text } else { rest }
}

/// Words that begin the case an order is for, behind it and before it.
const CASES_BEHIND: &[&str] = &[" when ", " whenever ", " if ", " every time ", " in case "];
const CASES_BEFORE: &[&str] =
    &["涉及", "遇到", "如果", "要是", "凡是", "当我", "when ", "whenever ", "if ", "every time "];
/// And that end it, where it stands before.
const CASE_ENDS: &[&str] = &["的时候，", "的时候", "的话，", "的话", "时，", "，", ", "];

/// The order and the case it is for: "Always confirm dates | when I ask about events", 「写合同的时候 | 用英文」.
fn split_condition(text: &str) -> (&str, Option<&str>) {
    let lower = text.to_ascii_lowercase();
    let behind = CASES_BEHIND.iter().filter_map(|word| lower.find(word)).min();
    if let Some(at) = behind.filter(|at| *at > 0) {
        return (text[..at].trim(), Some(text[at..].trim()));
    }
    let begins = |word: &str| {
        lower.match_indices(word).map(|(at, _)| at).find(|at| {
            let before = lower[..*at].trim_end();
            before.is_empty() || before.ends_with(['，', ',', '；', ';', '。', '后', '是'])
        })
    };
    let Some(start) = CASES_BEFORE.iter().filter_map(|word| begins(word)).min() else { return (text, None) };
    let end = CASE_ENDS.iter().find_map(|word| text[start..].find(word).map(|at| start + at + word.len()));
    match end {
        Some(end) if end < text.len() => (text[end..].trim(), Some(text[start..end].trim())),
        _ => (text, None),
    }
}

/// What tells a rule from another for the same kind of work.
fn rule_value(content: &str, applies: &Applies) -> String {
    bounded(&match applies {
        Applies::TaskKind(topic) => essence(&slots::without_topic(content, topic)),
        _ => essence(content),
    })
}

/// An instruction by the sides of things it sets, each with the clauses that do: 「先写结论，再列数据，控制在一页」 sets the order and the
/// length. What sets none that is known stands as a whole.
fn sides(text: &str) -> Vec<(String, &str)> {
    let alone = |text: &str| bounded(&format!("rule: {}", essence(text)));
    let whole = aspects(text);
    match whole.len() {
        0 => return vec![(alone(text), text)],
        1 => return whole.into_iter().map(|aspect| (aspect.to_owned(), text)).collect(),
        _ => {}
    }
    // Clauses that set nothing of their own go on with the one before them.
    let mut parts: Vec<(Vec<&'static str>, Range<usize>)> = Vec::new();
    for clause in clauses(text) {
        let set: Vec<&'static str> = aspects(&text[clause.clone()]).into_iter().collect();
        match parts.last_mut() {
            Some((known, span)) if set.is_empty() || known.is_empty() || *known == set => {
                span.end = clause.end;
                if known.is_empty() {
                    *known = set;
                }
            }
            _ => parts.push((set, clause)),
        }
    }
    let joined = |set: &[&str]| set.join(" + ");
    parts.into_iter().map(|(set, span)| (joined(&set), text[span].trim())).collect()
}

/// The known sides of things that an instruction sets.
pub fn sides_set(text: &str) -> Vec<String> {
    aspects(text).into_iter().map(str::to_owned).collect()
}

/// What an operator asks to be remembered, placed as what is learned is placed.
pub fn by_operator(
    kind: MemoryKind,
    subject: Option<&str>,
    attribute: Option<&str>,
    applies: Applies,
    importance: Option<u8>,
    content: &str,
    evidence: Evidence,
) -> Candidate {
    let value = bounded(&essence(content));
    let known = attribute.map(|word| match slots::attribute(word) {
        // Each is a slot of its own, as where it is learned.
        Some(attribute) if attribute.several => bounded(&format!("{}: {value}", attribute.name)),
        Some(attribute) => attribute.name,
        None => bounded(&fold(word)),
    });
    let own = match kind {
        MemoryKind::Rule => {
            let set = sides_set(content);
            if set.is_empty() { format!("rule: {value}") } else { set.join(" + ") }
        }
        _ => format!("{kind}: {value}"),
    };
    let applies = match (applies, kind) {
        (Applies::User, MemoryKind::Rule) => topic(content).map_or(Applies::User, Applies::TaskKind),
        (applies, _) => applies,
    };
    let value = if kind == MemoryKind::Rule { rule_value(content, &applies) } else { value };
    Candidate {
        kind,
        subject: subject.map_or_else(|| USER.to_owned(), subject_of),
        attribute: known.unwrap_or_else(|| bounded(&own)),
        applies,
        value,
        content: content.to_owned(),
        importance: importance.unwrap_or(3),
        imperative: false,
        evidence,
    }
}

fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if matches!(c, '，' | ',' | '；' | ';' | '。') {
            if !text[start..at].trim().is_empty() {
                clauses.push(start..at);
            }
            start = at + c.len_utf8();
        }
    }
    if !text[start..].trim().is_empty() {
        clauses.push(start..text.len());
    }
    clauses
}

/// What the conclusions of a task rest on.
#[derive(Debug, Default)]
pub struct Grounds {
    /// The events that they were drawn from, with their places in the log.
    pub sources: BTreeMap<EventId, (Seq, Event)>,
    /// What was said and brought in the task.
    pub heard: Vec<(Seq, Event)>,
    /// Of a failed task: what its reason says of what failed.
    pub reason: Option<String>,
}

/// So much of what is concluded from a user's word is in it; less is the conclusion of whoever wrote it down.
const SAID_PARTS_MIN: (usize, usize) = (2, 3);

impl Grounds {
    /// Whose word a conclusion is. Once a text of others was there, what an agent concludes may be that text's, in other words and in
    /// another language: unless the user or a trusted tool says it, it waits for a person's word (SPEC 3.8).
    pub(super) fn origin(&self, text: &str, source: EventId) -> Origin {
        let Some((drawn, event)) = self.sources.get(&source) else {
            let untrusted = self.heard.iter().any(|(_, event)| event.trust == Trust::Untrusted);
            return if untrusted { Origin::Imported } else { Origin::AgentInferred };
        };
        let before = || self.heard.iter().filter(|(seq, _)| seq <= drawn).map(|(_, event)| event);
        let vouches = |event: &&Event| is_first_hand(event) || is_verified(event);
        match (event.source, event.trust) {
            (_, Trust::Untrusted) => Origin::Imported,
            _ if is_first_hand(event) && says(&event.content, text, SAID_PARTS_MIN) => Origin::UserStated,
            _ if is_verified(event) => Origin::ToolVerified,
            _ if before().filter(vouches).any(|event| says(&event.content, text, SAID_PARTS_MIN)) => {
                Origin::AgentInferred
            }
            _ if before().any(|event| event.trust == Trust::Untrusted) => Origin::Imported,
            _ => Origin::AgentInferred,
        }
    }
}

fn is_verified(event: &Event) -> bool {
    event.source == Source::Tool && event.trust == Trust::Trusted
}

/// Whether an event bears out what a memory says the user stated in it: the words are there, said at that time, and what is drawn from them
/// neither says more nor drops a no. For what comes from a file; what is learned here is drawn by rule.
pub fn bears_out(event: &Event, evidence: &Evidence, content: &str) -> bool {
    let bare = ["用户", "The user ", "the user "].iter().find_map(|who| content.strip_prefix(who)).unwrap_or(content);
    let drawn = is_first_hand(event) && says(&event.content, bare, SAID_PARTS_MIN);
    if evidence.stance != Stance::States {
        return drawn;
    }
    let (quote, part) = (fold(&evidence.quote), fold(bare));
    let alike = match quote.find(part.trim()) {
        Some(at) => {
            let before = quote[..at].rsplit(['，', ',', '。', '.', '；', ';']).next().unwrap_or_default();
            !says_no(before)
        }
        None => says_no(&quote) == says_no(&part),
    };
    drawn
        && alike
        && event.content.contains(&evidence.quote)
        && event.occurred_at.timestamp() == evidence.at.timestamp()
}

/// Whether a text has at least this part of the words of another, and all of its numbers.
fn says(text: &str, concluded: &str, (parts, of): (usize, usize)) -> bool {
    let telling = |text: &str| {
        let terms = term_set(text).into_iter().filter(|term| !is_stop_term(term));
        terms.collect::<BTreeSet<String>>()
    };
    let (there, wanted) = (term_set(text), telling(concluded));
    let known = wanted.iter().filter(|term| there.contains(*term)).count();
    let number = |term: &&String| term.bytes().any(|byte| byte.is_ascii_digit());
    !wanted.is_empty()
        && known * of >= wanted.len() * parts
        && wanted.iter().filter(number).all(|term| there.contains(term))
}

/// What a task that ended leaves: its valid conclusions and facts if it succeeded; the reason alone if it failed. The event is the one
/// that ended it.
pub fn from_task(task: &Task, event: &Event, grounds: &Grounds) -> Vec<Candidate> {
    let Some(closing) = &task.closing else { return Vec::new() };
    let candidate = |kind, content: &str, importance, origin, source: EventId| {
        let value = essence(content);
        (!value.is_empty() && content.len() <= MEMORY_BYTES_MAX).then(|| Candidate {
            kind,
            subject: topic(&task.title).unwrap_or_else(|| bounded(&fold(&task.title))),
            attribute: bounded(&format!("{kind}: {value}")),
            applies: topic(&task.title).map_or(Applies::User, Applies::TaskKind),
            value,
            content: content.to_owned(),
            importance,
            imperative: false,
            evidence: Evidence {
                event: Some(source),
                task: Some(task.id.clone()),
                ..Evidence::of(event, Stance::Suggests, origin, content)
            },
        })
    };
    match closing.outcome {
        Outcome::Success => {
            let facts = closing.conclusions.iter().filter_map(|concluded| {
                let origin = grounds.origin(&concluded.text, concluded.source);
                candidate(MemoryKind::Fact, &concluded.text, 2, origin, concluded.source)
            });
            facts.chain(procedure(task, event)).collect()
        }
        Outcome::Failure => {
            let reason = grounds.reason.as_deref();
            reason
                .and_then(|r| candidate(MemoryKind::Lesson, r, 3, Origin::AgentInferred, event.id))
                .into_iter()
                .collect()
        }
        Outcome::Abandoned | Outcome::Cancelled => Vec::new(),
    }
}

/// The steps that were done, as the way this kind of work is done: the latest way that worked is the one that is kept.
fn procedure(task: &Task, event: &Event) -> Option<Candidate> {
    let done = &task.closing.as_ref()?.done;
    let topic = topic(&task.title).filter(|_| done.len() >= PROCEDURE_STEPS_MIN)?;
    let steps: Vec<String> = (1..).zip(done).map(|(number, step)| format!("{number}. {step}")).collect();
    let content = steps.join(" ");
    (content.len() <= MEMORY_BYTES_MAX).then(|| Candidate {
        kind: MemoryKind::Procedure,
        subject: topic.clone(),
        attribute: "procedure".to_owned(),
        applies: Applies::TaskKind(topic),
        value: bounded(&essence(&content)),
        importance: 2,
        imperative: false,
        evidence: Evidence {
            task: Some(task.id.clone()),
            ..Evidence::of(event, Stance::Suggests, Origin::AgentInferred, &content)
        },
        content,
    })
}
