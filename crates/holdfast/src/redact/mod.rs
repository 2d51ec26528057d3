//! The door: a `RawEvent` in, an `Unstamped` event without secrets out, or a refusal. Nothing else makes an `Event`, and what
//! passes here is what is stored, indexed, exported and shown. Pure; knows no store, no model and no clock.
//!
//! A secret is replaced by a placeholder that says what stood there, «card:1», so that a sentence still reads and the same
//! secret is still the same thing (see `Rules` for how placeholders are numbered). What is task content stays: order
//! numbers, versions, dates, hashes, product codes.

mod answers;
mod around;
mod assigned;
mod credentials;
mod email;
mod guess;
mod numbers;
mod pairs;
mod placeholder;
mod rules;
mod scan;
mod seal;
mod shadow;
mod tables;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use jiff::{Timestamp, ZonedDateTime, tz::TimeZone};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::types::event::{
    CONTENT_BYTES_MAX, Event, IDEMPOTENCY_KEY_BYTES_MAX, Kind, METADATA_BYTES_MAX, RawEvent, Redaction, Source, Trust,
};
use crate::types::ids::EventId;
use crate::types::scope::Scope;

pub use rules::{Key, KeyError, Rules, RulesError, Secret};
pub(crate) use seal::{Taken, open};

use placeholder::Placeholders;

/// Deepest nesting of metadata: labels, not documents.
const METADATA_DEPTH_MAX: usize = 32;

/// Why an event is not taken. No message repeats what the event says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the content is empty: an event says something")]
    EmptyContent,
    #[error("the content contains NUL (U+0000): send text, or encode what isn't")]
    NulInContent,
    #[error(
        "the content is {bytes} bytes long; the limit is {CONTENT_BYTES_MAX}: split it, or store a reference to it"
    )]
    ContentTooLong { bytes: usize },
    #[error("the metadata contains NUL (U+0000)")]
    NulInMetadata,
    #[error(
        "the metadata takes {bytes} bytes of JSON; the limit is {METADATA_BYTES_MAX}: it is for labels, content goes into `content`"
    )]
    MetadataTooLong { bytes: usize },
    #[error("the metadata is nested deeper than {METADATA_DEPTH_MAX} levels")]
    MetadataTooDeep,
    #[error("the idempotency key is empty: leave it out, or give it at least one character")]
    EmptyKey,
    #[error("the idempotency key contains a control character")]
    ControlInKey,
    #[error("the idempotency key is {bytes} bytes long; the limit is {IDEMPOTENCY_KEY_BYTES_MAX}")]
    KeyTooLong { bytes: usize },
    /// It would have to be stored to be compared with. (With a redaction key, its keyed hash is stored instead.)
    #[error("the idempotency key contains a secret ({label}): use an opaque key, such as a UUID")]
    SecretInKey { label: String },
    /// Ids are opaque and never changed; phone numbers and e-mail addresses are common ones, credentials are an accident.
    #[error("the {field} id contains a secret ({label}): ids are stored as they are, use another")]
    SecretInScope { field: &'static str, label: String },
}

/// An event without secrets that has no id and no recording time yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Unstamped {
    scope: Scope,
    source: Source,
    kind: Kind,
    content: String,
    occurred_at: Option<ZonedDateTime>,
    trust: Trust,
    metadata: Map<String, Value>,
    idempotency_key: Option<String>,
    redactions: Vec<Redaction>,
    taken: Vec<Taken>,
}

impl Unstamped {
    /// What was taken out of it, if the rules have a key to keep it under. Only once.
    pub(crate) fn secrets(&mut self) -> Vec<Taken> {
        std::mem::take(&mut self.taken)
    }

    /// The event with its id and recording time. An event that doesn't say when it happened happened now, in UTC.
    pub fn stamped(self, id: EventId, now: Timestamp) -> Event {
        Event {
            id,
            scope: self.scope,
            source: self.source,
            kind: self.kind,
            content: self.content,
            occurred_at: self.occurred_at.unwrap_or_else(|| now.to_zoned_datetime(TimeZone::UTC)),
            recorded_at: now,
            trust: self.trust,
            metadata: self.metadata,
            idempotency_key: self.idempotency_key,
            redactions: self.redactions,
        }
    }
}

/// Checks the limits of an event and takes the secrets out of it.
pub fn redact(raw: RawEvent, rules: &Rules) -> Result<Unstamped, Refused> {
    check_content(&raw.content)?;
    check_metadata(&raw.metadata)?;
    check_scope(&raw.scope, rules)?;
    let idempotency_key = raw.idempotency_key.map(|key| checked_key(key, rules)).transpose()?;
    let mut placeholders = Placeholders::new(rules);
    let content = scan::redact_text(raw.content, rules, &mut placeholders);
    let metadata = redact_map(raw.metadata, None, rules, &mut placeholders);
    let untrusted = raw.source == Source::Tool || raw.kind == Kind::Imported;
    let trust = raw.trust.unwrap_or(if untrusted { Trust::Untrusted } else { Trust::Trusted });
    let (redactions, taken) = placeholders.into_parts();
    Ok(Unstamped {
        scope: raw.scope,
        source: raw.source,
        kind: raw.kind,
        content,
        occurred_at: raw.occurred_at,
        trust,
        metadata,
        idempotency_key,
        redactions,
        taken,
    })
}

/// Names, in the metadata of each part of an utterance, the first of them.
pub(crate) const ORIGIN: &str = "origin";

/// One of several events that an utterance becomes: a piece of what has passed already. All of them name the first as their origin;
/// the idempotency key stays with it.
pub(crate) fn part(whole: &Event, piece: Range<usize>, id: EventId, origin: EventId) -> Event {
    let mut event = whole.clone();
    event.content = whole.content[piece].to_owned();
    event.metadata.insert(ORIGIN.to_owned(), Value::String(origin.to_string()));
    if id != origin {
        event.id = id;
        event.idempotency_key = None;
    }
    event
}

/// A text without its secrets: for what a caller writes into working memory, and for messages that quote input.
pub fn redact_text(text: &str, rules: &Rules) -> String {
    scan::redact_text(text.to_owned(), rules, &mut Placeholders::new(rules))
}

/// A value with every string in it redacted, by way of its JSON form, so that no field can be forgotten; and what was taken
/// out. Names of fields stay, and so do numbers: they are typed here, not said.
pub(crate) fn redact_keeping<T: Serialize + DeserializeOwned>(
    value: &T,
    rules: &Rules,
) -> Result<(T, Vec<Taken>), serde_json::Error> {
    fn strings(value: &mut Value, rules: &Rules, placeholders: &mut Placeholders<'_>) {
        match value {
            Value::String(text) => *text = scan::redact_text(std::mem::take(text), rules, placeholders),
            Value::Array(items) => items.iter_mut().for_each(|item| strings(item, rules, placeholders)),
            Value::Object(fields) => fields.values_mut().for_each(|field| strings(field, rules, placeholders)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut json = serde_json::to_value(value)?;
    let mut placeholders = Placeholders::new(rules);
    strings(&mut json, rules, &mut placeholders);
    Ok((serde_json::from_value(json)?, placeholders.into_parts().1))
}

fn check_content(content: &str) -> Result<(), Refused> {
    if content.len() > CONTENT_BYTES_MAX {
        return Err(Refused::ContentTooLong { bytes: content.len() });
    }
    if content.trim().is_empty() {
        return Err(Refused::EmptyContent);
    }
    if content.contains('\0') {
        return Err(Refused::NulInContent);
    }
    Ok(())
}

fn check_metadata(metadata: &Map<String, Value>) -> Result<(), Refused> {
    fn check(value: &Value, depth: usize) -> Result<(), Refused> {
        if depth > METADATA_DEPTH_MAX {
            return Err(Refused::MetadataTooDeep);
        }
        match value {
            Value::String(text) if text.contains('\0') => Err(Refused::NulInMetadata),
            Value::Array(items) => items.iter().try_for_each(|item| check(item, depth + 1)),
            Value::Object(fields) => check_fields(fields, depth + 1),
            _ => Ok(()),
        }
    }
    fn check_fields(fields: &Map<String, Value>, depth: usize) -> Result<(), Refused> {
        if fields.keys().any(|key| key.contains('\0')) {
            return Err(Refused::NulInMetadata);
        }
        fields.values().try_for_each(|value| check(value, depth))
    }
    check_fields(metadata, 0)?;
    // The depth is known to be small, so that counting can't exhaust the stack.
    let bytes =
        if metadata.is_empty() { 0 } else { serde_json::to_vec(metadata).map_or(usize::MAX, |json| json.len()) };
    if bytes > METADATA_BYTES_MAX { Err(Refused::MetadataTooLong { bytes }) } else { Ok(()) }
}

fn check_scope(scope: &Scope, rules: &Rules) -> Result<(), Refused> {
    let owner = &scope.owner;
    let ids = [
        ("tenant", Some(&owner.tenant)),
        ("user", Some(&owner.user)),
        ("agent", Some(&owner.agent)),
        ("session", Some(&scope.session)),
        ("task", scope.task.as_ref()),
    ];
    for (field, id) in ids {
        let found = id.and_then(|id| scan::first(id.as_str(), rules, Secret::is_credential));
        if let Some(label) = found {
            return Err(Refused::SecretInScope { field, label });
        }
    }
    Ok(())
}

pub(crate) fn checked_key(key: String, rules: &Rules) -> Result<String, Refused> {
    if key.is_empty() {
        return Err(Refused::EmptyKey);
    }
    if key.len() > IDEMPOTENCY_KEY_BYTES_MAX {
        return Err(Refused::KeyTooLong { bytes: key.len() });
    }
    if key.chars().any(char::is_control) {
        return Err(Refused::ControlInKey);
    }
    match scan::first(&key, rules, |_| true) {
        None => Ok(key),
        Some(label) => match rules.key() {
            Some(secret) => Ok(format!("«key:{}»", secret.hash(&label, &key).to_hex())),
            None => Err(Refused::SecretInKey { label }),
        },
    }
}

/// `under` is the key that a value stands under: what a number or a word means depends on it.
fn redact_map(
    fields: Map<String, Value>,
    under: Option<&str>,
    rules: &Rules,
    placeholders: &mut Placeholders<'_>,
) -> Map<String, Value> {
    let mut redacted = Map::with_capacity(fields.len());
    for (key, value) in fields {
        // {"auth": {"value": "…"}} is a secret as {"auth_token": "…"} is.
        let names = assigned::secret_of_key(&key).is_some();
        let value = redact_value(value, if names { &key } else { under.unwrap_or(&key) }, rules, placeholders);
        let key = scan::redact_text(key, rules, placeholders);
        redacted.insert(key, value);
    }
    redacted
}

fn redact_value(value: Value, key: &str, rules: &Rules, placeholders: &mut Placeholders<'_>) -> Value {
    match value {
        Value::String(text) => Value::String(scan::redact_field(key, text, rules, placeholders)),
        // {"token": 128} counts tokens; a password may well be a number.
        Value::Number(number) if assigned::secret_of_key(key).is_some_and(|secret| secret != Secret::Password) => {
            Value::Number(number)
        }
        Value::Number(number) => {
            let text = number.to_string();
            let redacted = scan::redact_field(key, text.clone(), rules, placeholders);
            if redacted == text { Value::Number(number) } else { Value::String(redacted) }
        }
        Value::Array(items) => items.into_iter().map(|item| redact_value(item, key, rules, placeholders)).collect(),
        Value::Object(fields) => {
            let under = assigned::secret_of_key(key).map(|_| key);
            Value::Object(redact_map(fields, under, rules, placeholders))
        }
        Value::Null | Value::Bool(_) => value,
    }
}
