//! Our own event lines: an event with the scope's ids beside it, and perhaps an update. Strict, because whoever writes them means
//! Holdfast: a field or a word it doesn't know is a mistake.

use serde_json::{Map, Value};

use super::json::{self, Problem};
use super::keys::Occurrences;
use super::{Options, check, near};
use crate::types::event::{Kind, RawEvent, Source, Trust};
use crate::types::moment::{self, MomentError};
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::update::{ACTIONS_MAX, Action, Update};

const FIELDS: &[&str] = &[
    "tenant",
    "user",
    "agent",
    "session",
    "task",
    "source",
    "kind",
    "content",
    "occurred_at",
    "trust",
    "metadata",
    "idempotency_key",
    "update",
];

/// One line to one event.
pub(super) fn decode(
    bytes: &[u8],
    options: &Options,
    occurrences: &mut Occurrences,
) -> Result<(RawEvent, Option<Update>), Problem> {
    let mut fields = json::parse_object(bytes, FIELDS)?;
    if let Some(unknown) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        return Err(unknown_field(unknown));
    }
    // Written as null is not written.
    fields.retain(|_, value| !value.is_null());
    let default = &options.scope;
    let scope = Scope {
        owner: Owner {
            tenant: id(&mut fields, "tenant")?.unwrap_or_else(|| default.owner.tenant.clone()),
            user: id(&mut fields, "user")?.unwrap_or_else(|| default.owner.user.clone()),
            agent: id(&mut fields, "agent")?.unwrap_or_else(|| default.owner.agent.clone()),
        },
        session: id(&mut fields, "session")?.unwrap_or_else(|| default.session.clone()),
        task: id(&mut fields, "task")?.or_else(|| default.task.clone()),
    };
    let source = required(
        word(&mut fields, "source", Source::ALL, Source::as_str)?,
        "source",
        &words(Source::ALL, Source::as_str),
    )?;
    let kind = required(word(&mut fields, "kind", Kind::ALL, Kind::as_str)?, "kind", &words(Kind::ALL, Kind::as_str))?;
    let content = text(&mut fields, "content")?.ok_or_else(|| missing("content"))?;
    let said_now = options.live && !fields.contains_key("occurred_at");
    let event = RawEvent {
        occurred_at: match text(&mut fields, "occurred_at")? {
            Some(written) => Some(
                moment::parse(&written)
                    .map_err(|error| Problem::new(format!("`occurred_at` {error}")).hint(MomentError::HINT))?,
            ),
            None => None,
        },
        trust: word(&mut fields, "trust", Trust::ALL, Trust::as_str)?,
        metadata: match fields.remove("metadata") {
            Some(Value::Object(metadata)) => metadata,
            Some(other) => return Err(wrong_type("metadata", "an object", &other)),
            None => Map::new(),
        },
        idempotency_key: match text(&mut fields, "idempotency_key")? {
            Some(key) => Some(key),
            None if said_now => None,
            None => Some(occurrences.key(bytes.trim_ascii())),
        },
        ..RawEvent::new(scope, source, kind, content)
    };
    check::event(&event)?;
    Ok((event, fields.remove("update").map(update).transpose()?))
}

fn update(value: Value) -> Result<Update, Problem> {
    let actions = match value.get("actions") {
        Some(Value::Array(actions)) => actions.clone(),
        Some(_) => return Err(Problem::new("`update.actions` is not an array")),
        None => {
            return Err(Problem::new("`update` has no `actions`")
                .hint(r#"write "update": {"actions": [{"action": "next_step"}]}"#));
        }
    };
    if actions.len() > ACTIONS_MAX {
        return Err(Problem::new(format!("`update` has {} actions; the limit is {ACTIONS_MAX}", actions.len())));
    }
    // The whole at once would say what is wrong, but not in which action.
    for (at, action) in (1..).zip(&actions) {
        if let Some(word) = action.get("action").and_then(Value::as_str)
            && !Action::NAMES.contains(&word)
        {
            return Err(json::not_one_of(&format!("action {at} of `update`"), word, Action::NAMES));
        }
        if let Err(error) = serde_json::from_value::<Action>(action.clone()) {
            let Problem { reason, hint } = json::data_problem(&error);
            return Err(Problem { reason: format!("action {at} of `update`: {reason}"), hint });
        }
    }
    serde_json::from_value(value).map_err(|error| {
        let Problem { reason, hint } = json::data_problem(&error);
        Problem { reason: format!("`update`: {reason}"), hint }
    })
}

fn unknown_field(field: &str) -> Problem {
    if field == "line" {
        return Problem::new("has the field \"line\", as the lines of an export have")
            .hint("an export is brought back with `holdfast import`");
    }
    let problem = match near::nearest(field, FIELDS) {
        Some(near) => {
            return Problem::new(format!("has an unknown field \"{field}\"")).hint(format!("did you mean \"{near}\"?"));
        }
        None => Problem::new("has an unknown field"),
    };
    problem.hint(format!("the fields are {}; your own go into `metadata`", FIELDS.join(", ")))
}

fn missing(field: &str) -> Problem {
    Problem::new(format!("the field `{field}` is missing"))
}

fn required<T>(value: Option<T>, field: &str, words: &[&str]) -> Result<T, Problem> {
    value.ok_or_else(|| missing(field).hint(format!("it is one of {}", words.join(", "))))
}

fn words<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|value| as_str(*value)).collect()
}

fn word<T: Copy>(
    fields: &mut Map<String, Value>,
    field: &str,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<Option<T>, Problem> {
    let Some(word) = text(fields, field)? else { return Ok(None) };
    match all.iter().find(|value| as_str(**value) == word) {
        Some(value) => Ok(Some(*value)),
        None => Err(json::not_one_of(&format!("`{field}`"), &word, &words(all, as_str))),
    }
}

fn id(fields: &mut Map<String, Value>, field: &str) -> Result<Option<ScopeId>, Problem> {
    let Some(id) = text(fields, field)? else { return Ok(None) };
    ScopeId::new(id).map(Some).map_err(|error| Problem::new(format!("`{field}`: {error}")))
}

fn text(fields: &mut Map<String, Value>, field: &str) -> Result<Option<String>, Problem> {
    match fields.remove(field) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong_type(field, "a string", &other)),
        None => Ok(None),
    }
}

fn wrong_type(field: &str, expected: &str, found: &Value) -> Problem {
    Problem::new(format!("`{field}` is {}, not {expected}", json::type_name(found)))
}
