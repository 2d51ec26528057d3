//! The three kinds of data in which values change, read into one form: a talk, and what is asked after how much of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, ZonedDateTime};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::score::{Claim, states_change};
use crate::data::{Question, Set, lines};

/// Where the values of the qmemory_zh talks stand.
const LABELS: &str = include_str!("labels.txt");
/// The project's sessions have no dates: a day each, from here.
const PROJECT_BEGINS: &str = "2026-01-05T09:00:00Z";
/// Asked of the project beside what the set itself asks for.
const PROJECT_QUESTION: &str = "Which branch is the current implementation?";
/// The project's state that is revoked, and the one that takes its place.
const REVOKED: &str = "P1";
const IN_FORCE: &str = "P2";

/// All that one person says, or one project.
#[derive(Debug)]
pub struct Talk {
    pub name: String,
    /// In the order of their times; the idempotency key is the place.
    pub messages: Vec<RawEvent>,
    pub asked: Vec<Asked>,
}

#[derive(Debug, Clone)]
pub struct Asked {
    pub id: String,
    pub query: String,
    pub class: Class,
    pub new: Claim,
    pub old: Vec<Claim>,
    /// How many messages were told by then.
    pub after: usize,
}

/// What can be expected of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The message with the new value states the change.
    Stated,
    /// It doesn't.
    InPassing,
    /// The former values are asked for too.
    History,
    /// There was none before.
    Unchanged,
}

impl Class {
    pub const ALL: [Self; 4] = [Self::Stated, Self::InPassing, Self::History, Self::Unchanged];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::InPassing => "told in passing",
            Self::History => "history",
            Self::Unchanged => "unchanged",
        }
    }

    /// Whether it counts as an update.
    pub fn is_update(self) -> bool {
        matches!(self, Self::Stated | Self::InPassing)
    }
}

/// A file of sessions and questions, a folder of a project with an `evaluator`, or a folder of numbered facts.
pub fn read(input: &Path) -> Result<Vec<Talk>> {
    if input.is_file() {
        return Ok(vec![conversation(input)?]);
    }
    if input.join("evaluator").is_dir() {
        return Ok(vec![project(input)?]);
    }
    Ok(Set::load(input)?.iter().flat_map(facts).collect())
}

fn message(talk: &str, session: &str, at: ZonedDateTime, source: Source, text: &str) -> Result<RawEvent> {
    let owner = Owner { user: ScopeId::new(talk)?, ..Owner::default() };
    let kind = match source {
        Source::User => Kind::Query,
        Source::Agent => Kind::Response,
        Source::Tool => Kind::ToolResult,
        Source::System => Kind::Note,
    };
    let scope = Scope { owner, session: ScopeId::new(session)?, task: None };
    Ok(RawEvent { occurred_at: Some(at), ..RawEvent::new(scope, source, kind, text) })
}

fn numbered(mut messages: Vec<RawEvent>) -> Vec<RawEvent> {
    for (place, message) in messages.iter_mut().enumerate() {
        message.idempotency_key = Some(place.to_string());
    }
    messages
}

#[derive(Deserialize)]
struct Conversation {
    name: String,
    sessions: Vec<Session>,
    questions: Vec<Posed>,
}

#[derive(Deserialize)]
struct Session {
    id: String,
    metadata: Metadata,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Metadata {
    timestamp: String,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: String,
}

#[derive(Deserialize)]
struct Posed {
    id: String,
    query: String,
}

fn conversation(path: &Path) -> Result<Talk> {
    let mut talk: Conversation = json(path)?;
    let mut begun = BTreeMap::new();
    for session in &talk.sessions {
        begun.insert(session.id.clone(), moment(&session.metadata.timestamp)?);
    }
    talk.sessions.sort_by_key(|session| begun[&session.id].timestamp());
    let mut messages = Vec::new();
    let mut places = BTreeMap::new();
    for session in &talk.sessions {
        for (number, said) in session.messages.iter().enumerate() {
            let at = begun[&session.id].checked_add((number as i64).minutes())?;
            let source = if said.role == "user" { Source::User } else { Source::Agent };
            places.insert((session.id.as_str(), number), messages.len());
            messages.push(message(&talk.name, &session.id, at, source, &said.content)?);
        }
    }
    let after = messages.len();
    let mut asked = Vec::new();
    for label in labels()? {
        let Some(posed) = talk.questions.iter().find(|question| question.id == label.question) else { continue };
        let claims = |spans: &[Span<'_>]| -> Result<Vec<Claim>> {
            spans.iter().map(|span| span.claim(&places, &messages)).collect()
        };
        let (new, old) = (claims(&label.new)?, claims(&label.old)?);
        let first = new.iter().flat_map(|claim| &claim.messages).min().copied().unwrap_or_default();
        let states = |claim: &Claim| claim.messages.iter().any(|&place| states_change(&messages[place].content, claim));
        let class = match label.past {
            true => Class::History,
            false if new.iter().any(states) => Class::Stated,
            false => Class::InPassing,
        };
        // Whoever says the new value, from then on: the assistant may have said it again.
        let words = new.into_iter().flat_map(|claim| claim.words).flatten().collect();
        asked.push(Asked {
            id: format!("{} {}", label.question, label.topic),
            query: posed.query.clone(),
            class,
            new: Claim { messages: (first..after).collect(), words: vec![words] },
            old,
            after,
        });
    }
    if asked.is_empty() {
        bail!("no label is for a question of {}", path.display());
    }
    Ok(Talk { name: talk.name, messages: numbered(messages), asked })
}

/// With its offset, or without one: then it is UTC.
fn moment(text: &str) -> Result<ZonedDateTime> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.to_zoned_datetime(TimeZone::UTC));
    }
    Ok(text.parse::<DateTime>()?.to_zoned_datetime(TimeZone::UTC)?)
}

struct Label<'a> {
    question: &'a str,
    past: bool,
    topic: &'a str,
    new: Vec<Span<'a>>,
    old: Vec<Span<'a>>,
}

/// Characters of a message.
struct Span<'a> {
    session: &'a str,
    message: usize,
    characters: Range<usize>,
}

impl Span<'_> {
    fn claim(&self, places: &BTreeMap<(&str, usize), usize>, messages: &[RawEvent]) -> Result<Claim> {
        let at = (self.session, self.message);
        let place = *places.get(&at).with_context(|| format!("the talk has no message {}/{}", at.0, at.1))?;
        let Range { start, end } = self.characters;
        let word: String = messages[place].content.chars().skip(start).take(end.saturating_sub(start)).collect();
        if word.is_empty() {
            bail!("message {}/{} is shorter than its label", at.0, at.1);
        }
        Ok(Claim { messages: vec![place], words: vec![vec![word]] })
    }
}

fn labels() -> Result<Vec<Label<'static>>> {
    let lines = LABELS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| label(line).with_context(|| format!("labels.txt: {line}"))).collect()
}

fn label(line: &'static str) -> Option<Label<'static>> {
    let (head, spans_) = line.split_once(':')?;
    let mut head = head.split(' ');
    let (question, tense, topic) = (head.next()?, head.next()?, head.next()?);
    let (new, old) = spans_.split_once('>')?;
    Some(Label { question, past: tense == "past", topic, new: spans(new)?, old: spans(old)? })
}

fn spans(text: &'static str) -> Option<Vec<Span<'static>>> {
    let one = |span: &'static str| {
        let (at, characters) = span.strip_suffix(']')?.split_once('[')?;
        let (session, message) = at.split_once('/')?;
        let (start, end) = characters.split_once("..")?;
        Some(Span { session, message: message.parse().ok()?, characters: start.parse().ok()?..end.parse().ok()? })
    };
    text.split_whitespace().map(one).collect()
}

#[derive(Deserialize)]
struct Episode {
    observations: Vec<String>,
    tool_results: Vec<String>,
}

#[derive(Deserialize)]
struct Signature {
    state_id: String,
    /// Of each group one is in a line that states it.
    required_anchor_groups: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Opportunity {
    opportunity_id: String,
    checkpoint_session: usize,
    required_state_ids: Vec<String>,
}

#[derive(Deserialize)]
struct Continuation {
    request: String,
}

fn project(folder: &Path) -> Result<Talk> {
    let public = only_folder(&folder.join("public"))?;
    let name = public.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut messages = Vec::new();
    let mut told = Vec::new();
    let files = (0..).map(|session| public.join(format!("sessions/session_{session:03}.json")));
    for (session, path) in files.take_while(|path| path.exists()).enumerate() {
        let episode: Episode = json(&path)?;
        let begins = moment(PROJECT_BEGINS)?.checked_add((session as i64).days())?;
        let observed = episode.observations.iter().map(|text| (Source::User, text));
        let tools = episode.tool_results.iter().map(|text| (Source::Tool, text));
        for (minute, (source, text)) in observed.chain(tools).enumerate() {
            let at = begins.checked_add((minute as i64).minutes())?;
            messages.push(message(&name, &format!("session {session}"), at, source, text)?);
        }
        told.push(messages.len());
    }
    let signatures: Vec<Signature> = lines(&folder.join("evaluator/fact_signatures.jsonl"))?;
    let claim = |id: &str| {
        let signature = signatures.iter().find(|signature| signature.state_id == id);
        let words = signature.map(|signature| signature.required_anchor_groups.clone());
        Ok::<_, anyhow::Error>(Claim { messages: Vec::new(), words: words.with_context(|| format!("no state {id}"))? })
    };
    let mut asked = Vec::new();
    for opportunity in lines::<Opportunity>(&folder.join("evaluator/sceu.jsonl"))? {
        let at = opportunity.checkpoint_session;
        let after = *told.get(at).with_context(|| format!("no session {at}"))?;
        let posed: Continuation = json(&public.join(format!("continuation/{}.json", opportunity.opportunity_id)))?;
        for state in &opportunity.required_state_ids {
            let (new, old) = (claim(state)?, claim(REVOKED)?);
            let updated = state == IN_FORCE;
            let one = |id: &str, query: &str| Asked {
                id: format!("{} {id}", opportunity.opportunity_id),
                query: query.to_owned(),
                class: if updated { of_change(&messages[..after], &new) } else { Class::Unchanged },
                new: new.clone(),
                old: if updated { vec![old.clone()] } else { Vec::new() },
                after,
            };
            asked.push(one(state, &posed.request));
            if updated {
                asked.push(one("branch", PROJECT_QUESTION));
            }
        }
    }
    asked.sort_by_key(|asked| asked.after);
    Ok(Talk { name, messages: numbered(messages), asked })
}

/// Whether the first message that makes the claim states a change.
fn of_change(messages: &[RawEvent], new: &Claim) -> Class {
    let mut making = messages.iter().enumerate().filter(|(place, message)| new.is_told(*place, &message.content));
    let stated = making.next().is_some_and(|(_, message)| states_change(&message.content, new));
    if stated { Class::Stated } else { Class::InPassing }
}

/// Facts overturn each other by saying another thing in the same words: "The capital of X is A", later "... is B".
fn facts(set: &Set) -> Vec<Talk> {
    let talk = |(scope, events): (&String, &Vec<RawEvent>)| {
        let words: Vec<BTreeSet<String>> = events.iter().map(|event| words(&event.content)).collect();
        let questions = set.questions.iter().filter(|question| question.scope == *scope);
        Talk {
            name: set.name.clone(),
            asked: questions.filter_map(|question| fact_asked(question, events, &words)).collect(),
            messages: numbered(events.clone()),
        }
    };
    set.scopes.iter().map(talk).collect()
}

/// `None`: no fact answers it, or a later one than the answer's overturns that, against the set's own rule.
fn fact_asked(question: &Question, events: &[RawEvent], words_of: &[BTreeSet<String>]) -> Option<Asked> {
    let answers = question.answers();
    let wanted = words(&question.query);
    let rarity = |word: &String| 1.0 / words_of.iter().filter(|words| words.contains(word)).count().max(1) as f64;
    // The one that answers: it holds the answer, and beside it the most and rarest of the question's words, the later the better.
    let answering = events.iter().enumerate().filter_map(|(place, event)| {
        let (before, behind, answer) = answers.iter().find_map(|answer| {
            let (before, behind) = event.content.rsplit_once(answer.as_str())?;
            Some((before, behind, answer))
        })?;
        let shared = words(&format!("{before} {behind}")).intersection(&wanted).map(rarity).sum::<f64>();
        Some((shared, place, before, behind, answer))
    });
    let (_, place, before, behind, answer) = answering.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
    let others = events.iter().enumerate().filter_map(|(place, event)| {
        let value = event.content.strip_prefix(before)?.strip_suffix(behind)?;
        (value != answer).then_some((place, value))
    });
    let others: Vec<(usize, &str)> = others.collect();
    if others.iter().any(|(other, _)| *other > place) {
        return None;
    }
    let claim = |place, value: &str| Claim { messages: vec![place], words: vec![vec![value.to_owned()]] };
    let class = match others.is_empty() {
        true => Class::Unchanged,
        false if states_change(&events[place].content, &claim(place, answer)) => Class::Stated,
        false => Class::InPassing,
    };
    Some(Asked {
        id: question.qid.clone(),
        query: question.query.clone(),
        class,
        new: claim(place, answer),
        old: others.into_iter().map(|(place, value)| claim(place, value)).collect(),
        after: events.len(),
    })
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn only_folder(folder: &Path) -> Result<std::path::PathBuf> {
    let mut entries = std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let first = entries.next().with_context(|| format!("{} is empty", folder.display()))?;
    Ok(first?.path())
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let file = File::open(path).with_context(|| format!("can't open {}", path.display()))?;
    serde_json::from_reader(std::io::BufReader::new(file)).with_context(|| format!("can't read {}", path.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_label_can_be_read() {
        let labels = super::labels().expect("labels.txt is ours");
        assert!(labels.len() > 40 && labels.iter().all(|label| !label.new.is_empty()));
    }
}
