//! The normal form of the public data sets: {scope, id, seq, session, time, role, text}. Whatever else a record has is a label of the
//! data set (`event`, gold answers) and never becomes memory.

use std::collections::BTreeMap;

use jiff::ZonedDateTime;
use serde_json::{Map, Value};

use super::json::{self, Problem};
use super::{Options, check, when};
use crate::types::event::{Kind, RawEvent, Source};
use crate::types::scope::{Owner, Scope, ScopeId};

const FIELDS: &[&str] = &["scope", "id", "seq", "session", "time", "role", "text"];

/// The time of the last record of each scope: a record without one happened no earlier.
#[derive(Debug, Default)]
pub(super) struct Times(BTreeMap<ScopeId, ZonedDateTime>);

/// One record to one event: the scope is a user, the id the idempotency key.
pub(super) fn decode(bytes: &[u8], options: &Options, times: &mut Times) -> Result<RawEvent, Problem> {
    let fields = json::parse_object(bytes, FIELDS)?;
    let user = id(&fields, "scope")?.ok_or_else(|| Problem::new("the field `scope` is missing"))?;
    let key = text(&fields, "id")?.ok_or_else(|| Problem::new("the field `id` is missing"))?;
    let content = text(&fields, "text")?.ok_or_else(|| Problem::new("the field `text` is missing"))?;
    let session = id(&fields, "session")?.unwrap_or_else(|| options.scope.session.clone());
    let mut metadata = Map::new();
    let occurred_at = match fields.get("time") {
        None | Some(Value::Null) => inherited(times, &user, &mut metadata),
        Some(Value::String(written)) if written.trim().is_empty() => inherited(times, &user, &mut metadata),
        Some(written) => {
            let when = when::read(written, &options.zone).ok_or_else(|| {
                Problem::new("`time` is in a form that Holdfast doesn't read")
                    .hint("write it like 2026-11-09 09:00:00, or leave it empty")
            })?;
            if when.day_only {
                metadata.insert("time".to_owned(), "day".into());
            }
            Some(when.moment)
        }
    };
    let (source, kind) = match fields.get("role") {
        None | Some(Value::Null) => (Source::User, Kind::Note),
        Some(Value::String(role)) => match role.as_str() {
            "user" => (Source::User, Kind::Query),
            "assistant" => (Source::Agent, Kind::Response),
            "tool" => (Source::Tool, Kind::ToolResult),
            "system" => (Source::System, Kind::Note),
            channel => {
                if !channel.is_empty() {
                    metadata.insert("channel".to_owned(), channel.into());
                }
                (Source::System, Kind::Imported)
            }
        },
        Some(other) => return Err(Problem::new(format!("`role` is {}, not a string", json::type_name(other)))),
    };
    let owner = Owner { user: user.clone(), ..options.scope.owner.clone() };
    let event = RawEvent {
        occurred_at,
        metadata,
        idempotency_key: Some(key),
        ..RawEvent::new(Scope { owner, session, task: options.scope.task.clone() }, source, kind, content)
    };
    check::event(&event)?;
    if let Some(moment) = &event.occurred_at {
        times.0.insert(user, moment.clone());
    }
    Ok(event)
}

fn inherited(times: &Times, user: &ScopeId, metadata: &mut Map<String, Value>) -> Option<ZonedDateTime> {
    let moment = times.0.get(user)?.clone();
    metadata.insert("time".to_owned(), "inherited".into());
    Some(moment)
}

/// An id that is missing, null or empty is none.
fn id(fields: &Map<String, Value>, field: &str) -> Result<Option<ScopeId>, Problem> {
    match text(fields, field)? {
        Some(id) if !id.is_empty() => {
            ScopeId::new(id).map(Some).map_err(|error| Problem::new(format!("`{field}`: {error}")))
        }
        _ => Ok(None),
    }
}

fn text(fields: &Map<String, Value>, field: &str) -> Result<Option<String>, Problem> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(Problem::new(format!("`{field}` is {}, not a string", json::type_name(other)))),
    }
}
