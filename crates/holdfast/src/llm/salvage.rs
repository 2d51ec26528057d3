//! From the text of a reply to the items that are whole in it. What is damaged is dropped and said; nothing is made up: a string is kept
//! as it stands in the reply, an item only if its own closing bracket is there, and no field moves from one item to another.
//!
//! The reply may be a list under a key, a list, one item, or several of these, in prose and fences, after thoughts, in almost-JSON: see
//! `parse` for what is read as JSON and what is not.
//!
//! Why a parser of our own (2026-11): of the crates that repair JSON, `llm_json` 1.0.3 and `jsonrepair` 0.1.0 finish a string that was cut as if
//! that were all of it, make NaN a text or null, let the last of two values win, take a draft out of `<think>` and don't read “full-width”
//! syntax; `jsonrepair` takes time in the square of the length (0.7 s for 350 KB of stray quotes). `json5` and `jsonc-parser` read one whole
//! document or nothing. None says where an item stood and what was left out.

mod parse;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use parse::{Flaw, Node, Shape};

/// Dropped items that are told one by one; a reply of noise has thousands.
pub const DROPPED_TOLD_MAX: usize = 200;

/// Longest reason: it may quote the reply.
const WHY_CHARS_MAX: usize = 200;

/// How deep below the reply's own object the list may hide: `{"result": {"memories": […]}}`.
const WRAPPERS_MAX: usize = 3;

/// What could be taken out of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged<T> {
    /// In the order of the reply.
    pub kept: Vec<T>,
    pub dropped: Vec<Dropped>,
    /// How many more were dropped than are told.
    pub dropped_more: usize,
    /// A list or an item was there to be read, be it an empty one: not all of the reply is prose or noise.
    pub found: bool,
    /// The reply breaks off before its end.
    pub truncated: bool,
    /// The reply was not the JSON that was asked for, or not all of it could be kept.
    pub mended: bool,
}

/// Something that looked like an item and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Where it begins, in bytes of the reply.
    pub at: usize,
    /// For people: it may quote a few words of the reply.
    pub why: String,
}

/// Takes the items out of a reply. `key` is what the list is asked for under; a bare list and a single item are found as well.
///
/// ```
/// use holdfast::llm::salvage;
///
/// let reply = "Here you are:\n```json\n{\"numbers\": [{\"n\": 1}, {\"n\": \"two\"}, {\"n\": 3},]}\n```";
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// struct Number { n: u64 }
/// let salvaged = salvage::<Number>(reply, "numbers");
/// assert_eq!(salvaged.kept, [Number { n: 1 }, Number { n: 3 }]);
/// assert_eq!(salvaged.dropped[0].why, "n: invalid type: string \"two\", expected u64");
/// ```
pub fn salvage<T: DeserializeOwned>(reply: &str, key: &str) -> Salvaged<T> {
    // Some wrap their JSON in a JSON string once more.
    if reply.trim_start().starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(reply.trim())
    {
        return Salvaged { mended: true, ..salvage_text(&inner, key) };
    }
    salvage_text(reply, key)
}

fn salvage_text<T: DeserializeOwned>(reply: &str, key: &str) -> Salvaged<T> {
    let parsed = parse::parse(reply);
    let mut sieve =
        Sieve { key, seen: BTreeSet::new(), found: false, kept: Vec::new(), dropped: Vec::new(), dropped_more: 0 };
    if let Some(thought) = parsed.thought {
        sieve.drop_item(thought.at, thought.why);
    }
    for node in &parsed.nodes {
        sieve.whole(node);
    }
    let Sieve { found, kept, dropped, dropped_more, .. } = sieve;
    let mended = !dropped.is_empty() || serde_json::from_str::<IgnoredAny>(reply.trim()).is_err();
    Salvaged { kept, dropped, dropped_more, found, truncated: parsed.truncated, mended }
}

struct Sieve<'a, T> {
    key: &'a str,
    /// Items as JSON: a draft and the answer often say the same.
    seen: BTreeSet<String>,
    found: bool,
    kept: Vec<T>,
    dropped: Vec<Dropped>,
    dropped_more: usize,
}

impl<T: DeserializeOwned> Sieve<'_, T> {
    /// One JSON value of the reply.
    fn whole(&mut self, node: &Node) {
        match &node.shape {
            Shape::Object(fields) if self.lists(fields, WRAPPERS_MAX) => {}
            // A model with nothing to say.
            Shape::Object(fields) if fields.is_empty() && node.flaw.is_none() => self.found = true,
            Shape::Array(elements) if elements.is_empty() && node.flaw.is_none() => self.found = true,
            Shape::Object(_) => self.item(node),
            // Brackets in prose: `[1]`, `["a"]`.
            Shape::Array(elements) if !elements.iter().any(|element| matches!(element.shape, Shape::Object(_))) => {}
            Shape::Array(elements) => self.list(elements),
            Shape::Scalar(_) | Shape::Nothing => {}
        }
    }

    /// Goes through the lists under the key, here or in an object below; false if there is none.
    fn lists(&mut self, fields: &[(String, Node)], wrappers: usize) -> bool {
        let (mut found, key) = (false, self.key);
        for (_, node) in fields.iter().filter(|(name, _)| name == key) {
            found = true;
            match &node.shape {
                Shape::Array(elements) => {
                    self.found = true;
                    self.list(elements);
                }
                Shape::Object(_) => self.item(node),
                Shape::Scalar(Value::Null) if node.flaw.is_none() => self.found = true,
                Shape::Scalar(_) | Shape::Nothing => {
                    let why = format!("{key:?} is no list{}", told(node.flaw.as_ref()));
                    self.drop_item(node.at, why);
                }
            }
        }
        if !found && wrappers > 0 {
            for (_, node) in fields {
                if let Shape::Object(inner) = &node.shape {
                    found |= self.lists(inner, wrappers - 1);
                }
            }
        }
        found
    }

    fn list(&mut self, elements: &[Node]) {
        for element in elements {
            match &element.shape {
                // `[{"memories": […]}, …]`
                Shape::Object(fields) if fields.iter().any(|(name, _)| name == self.key) => {
                    self.lists(fields, 0);
                }
                _ => self.item(element),
            }
        }
    }

    fn item(&mut self, node: &Node) {
        if let Some(flaw) = &node.flaw {
            return self.drop_item(node.at, flaw.to_string());
        }
        let value = match &node.shape {
            Shape::Object(fields) => object(fields),
            Shape::Array(_) | Shape::Scalar(_) | Shape::Nothing => Err("not an object".to_owned()),
        };
        let value = match value {
            Ok(value) => value,
            Err(why) => return self.drop_item(node.at, why),
        };
        let text = value.to_string();
        match serde_path_to_error::deserialize::<_, T>(value) {
            Ok(_) if self.seen.contains(&text) => self.drop_item(node.at, "the same again".to_owned()),
            Ok(item) => {
                self.found = true;
                self.seen.insert(text);
                self.kept.push(item);
            }
            Err(error) if error.path().iter().next().is_none() => self.drop_item(node.at, error.inner().to_string()),
            Err(error) => self.drop_item(node.at, error.to_string()),
        }
    }

    fn drop_item(&mut self, at: usize, why: String) {
        if self.dropped.len() == DROPPED_TOLD_MAX {
            self.dropped_more += 1;
            return;
        }
        let why = match why.char_indices().nth(WHY_CHARS_MAX) {
            Some((end, _)) => format!("{}…", &why[..end]),
            None => why,
        };
        self.dropped.push(Dropped { at, why });
    }
}

fn told(flaw: Option<&Flaw>) -> String {
    flaw.map(|flaw| format!(": {flaw}")).unwrap_or_default()
}

/// An object as a value. A key with two values means neither: which one was meant is not known.
fn object(fields: &[(String, Node)]) -> Result<Value, String> {
    let mut map = Map::with_capacity(fields.len());
    for (name, node) in fields {
        let value = value(node).map_err(|why| format!("{name}.{why}"))?;
        if let Some(before) = map.get(name)
            && *before != value
        {
            return Err(format!("{name}: given twice, with different values"));
        }
        map.insert(name.clone(), value);
    }
    Ok(Value::Object(map))
}

/// Only of nodes without a flaw, which are whole.
fn value(node: &Node) -> Result<Value, String> {
    match &node.shape {
        Shape::Object(fields) => object(fields),
        Shape::Array(elements) => elements.iter().map(value).collect::<Result<Vec<_>, _>>().map(Value::Array),
        Shape::Scalar(scalar) => Ok(scalar.clone()),
        Shape::Nothing => Err("no value".to_owned()),
    }
}
