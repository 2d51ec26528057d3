//! One record's bytes to JSON, and the reason when they are not. A reason never repeats what the file says: it may be a secret.

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::near;

/// Why something could not be read, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub reason: String,
    pub hint: Option<String>,
}

impl Problem {
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Any JSON; of two equal keys the last counts.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    let text = utf8(bytes)?;
    serde_json::from_str(text).map_err(|error| problem(&error, text))
}

/// One object; two equal keys are a mistake that nobody could see afterwards.
pub(super) fn parse_object(bytes: &[u8], known: &[&str]) -> Result<Map<String, Value>, Problem> {
    let text = utf8(bytes)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let fields = deserializer.deserialize_any(Object).and_then(|fields| deserializer.end().map(|()| fields));
    match fields.map_err(|error| problem(&error, text))? {
        Fields::Once(fields) => Ok(fields),
        Fields::Twice(field) if known.contains(&field.as_str()) => Err(Problem::new(format!("has `{field}` twice"))),
        Fields::Twice(_) => Err(Problem::new("has one field twice")),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        Problem::new(format!("is not valid UTF-8: byte {} of the record", error.valid_up_to() + 1))
            .hint("convert the file to UTF-8, e.g. `iconv -f GB18030 -t UTF-8`")
    })
}

enum Fields {
    Once(Map<String, Value>),
    Twice(String),
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Fields;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let (mut fields, mut twice) = (Map::new(), None);
        while let Some(key) = map.next_key::<String>()? {
            if fields.contains_key(&key) {
                twice.get_or_insert(key);
                map.next_value::<IgnoredAny>()?;
            } else {
                fields.insert(key, map.next_value()?);
            }
        }
        Ok(twice.map_or(Fields::Once(fields), Fields::Twice))
    }
}

fn problem(error: &serde_json::Error, text: &str) -> Problem {
    if error.is_data() {
        return Problem::new("is JSON, but not an object");
    }
    if error.is_eof() {
        return Problem::new(format!("is cut off: the JSON ends in the middle, after {} bytes", text.len()))
            .hint("the file was cut, or is still being written; write this record again whole");
    }
    let reason = error.to_string();
    // Every syntax message of serde_json is fixed text; its line is always 1 for us, or counts from the record.
    let reason = reason.split(" at line ").next().unwrap_or_default();
    match reason {
        "recursion limit exceeded" => Problem::new("is nested too deeply: more than 127 levels"),
        "expected value" if error.column() <= 1 && error.line() <= 1 => Problem::new("is not JSON"),
        reason if error.line() > 1 => Problem::new(format!(
            "is not JSON: {reason}, line {} of the record, column {}",
            error.line(),
            error.column()
        )),
        reason => Problem::new(format!("is not JSON: {reason}, column {}", error.column())),
    }
}

/// What a JSON value is, for a reason.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Says that a word is none of the valid ones. The word itself appears only when it is nearly one of them, and so no secret.
pub(super) fn not_one_of(what: &str, word: &str, valid: &[&str]) -> Problem {
    let list = valid.join(", ");
    match near::nearest(word, valid) {
        Some(near) => Problem::new(format!("{what} is \"{word}\", which is none of {list}"))
            .hint(format!("did you mean \"{near}\"?")),
        None => Problem::new(format!("{what} is none of {list}")),
    }
}

/// Turns an error of serde's derive into a reason: its fixed part is after the last comma; what stands before may quote the file.
pub(super) fn data_problem(error: &serde_json::Error) -> Problem {
    let message = error.to_string();
    let expected = message.rfind(", expected ").map_or("", |at| &message[at..]);
    let reason = if let Some(rest) = message.strip_prefix("missing field `") {
        format!("the field `{}` is missing", rest.split('`').next().unwrap_or_default())
    } else if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let what = if message.starts_with("unknown field") { "has an unknown field" } else { "has an unknown word" };
        format!("{what}{expected}")
    } else if message.starts_with("duplicate field") {
        "has one field twice".to_owned()
    } else {
        format!("has a value of the wrong type{expected}")
    };
    Problem::new(reason)
}
