//! Taking one change of a document back, whatever was changed since: what the change did is undone where it still stands, and what
//! came later stays. Where something later changed the same, the two can't be told apart, and it is named.
//!
//! This is a three-way merge, as of diff3 (Khanna, Kunal and Pierce, A Formal Investigation of Diff3, 2007), over JSON and not lines: fields by
//! their names, elements of lists by their ids, so that an element keeps its place among those that stay.

use serde_json::{Map, Value};

/// A document, or that there is none.
pub type Document = Option<Value>;

/// Fields that rise with every change and take no part: whatever the document has now is right.
const COUNTERS: &[&str] = &["version", "next_element", "last_activity"];

/// The document `now` without what a change made of `before`, which was `after`. Else the places where something later changed the same.
pub fn revert(before: &Document, after: &Document, now: &Document) -> Result<Document, Vec<String>> {
    let mut conflicts = Vec::new();
    let reverted = merge(before.as_ref(), after.as_ref(), now.as_ref(), "", &mut conflicts);
    if conflicts.is_empty() { Ok(reverted) } else { Err(conflicts) }
}

fn merge(
    before: Option<&Value>,
    after: Option<&Value>,
    now: Option<&Value>,
    place: &str,
    conflicts: &mut Vec<String>,
) -> Document {
    if before == after || now == before {
        return now.cloned();
    }
    if now == after {
        return before.cloned();
    }
    match (before, after, now) {
        (Some(Value::Object(before)), Some(Value::Object(after)), Some(Value::Object(now))) => {
            Some(Value::Object(merge_fields(before, after, now, place, conflicts)))
        }
        // Lists of elements with ids; one that is not there is empty.
        (before, after, Some(now)) => match (elements(before), elements(after), elements(Some(now))) {
            (Some(before), Some(after), Some(now)) => {
                Some(Value::Array(merge_elements(&before, &after, &now, place, conflicts)))
            }
            _ => clash(now, place, conflicts),
        },
        // It is gone, and was changed before that: taking back the change of what is gone changes nothing.
        (_, Some(_), None) => None,
        (_, None, None) => None,
    }
}

fn clash(now: &Value, place: &str, conflicts: &mut Vec<String>) -> Document {
    conflicts.push(place.trim_start_matches('.').to_owned());
    Some(now.clone())
}

fn merge_fields(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: &Map<String, Value>,
    place: &str,
    conflicts: &mut Vec<String>,
) -> Map<String, Value> {
    let mut merged = now.clone();
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    for name in names.into_iter().filter(|name| !COUNTERS.contains(&name.as_str())) {
        let field = format!("{place}.{name}");
        match merge(before.get(name), after.get(name), now.get(name), &field, conflicts) {
            Some(value) => merged.insert(name.clone(), value),
            None => merged.remove(name),
        };
    }
    merged
}

/// The elements of a list in which each has an id of its own.
fn elements(list: Option<&Value>) -> Option<Vec<(&str, &Value)>> {
    let Some(list) = list else { return Some(Vec::new()) };
    list.as_array()?.iter().map(|element| Some((element.get("id")?.as_str()?, element))).collect()
}

fn merge_elements(
    before: &[(&str, &Value)],
    after: &[(&str, &Value)],
    now: &[(&str, &Value)],
    place: &str,
    conflicts: &mut Vec<String>,
) -> Vec<Value> {
    let of = |list: &[(&str, &Value)], id: &str| {
        list.iter().find(|(other, _)| *other == id).map(|(_, value)| (*value).clone())
    };
    let mut merged: Vec<(String, Value)> = Vec::with_capacity(now.len());
    for (id, value) in now {
        let element = format!("{place}.{id}");
        let (was, became) = (of(before, id), of(after, id));
        // Neither had it: it came later.
        let kept = if was.is_none() && became.is_none() {
            Some((*value).clone())
        } else {
            merge(was.as_ref(), became.as_ref(), Some(value), &element, conflicts)
        };
        merged.extend(kept.map(|kept| ((*id).to_owned(), kept)));
    }
    // What the change took out comes back after what stood before it.
    for (index, (id, value)) in before.iter().enumerate() {
        if of(after, id).is_none() && of(now, id).is_none() {
            let stood_before = |(other, _): &(String, Value)| before[..index].iter().any(|(id, _)| id == other);
            let at = merged.iter().rposition(stood_before).map_or(0, |place| place + 1);
            merged.insert(at, ((*id).to_owned(), (*value).clone()));
        }
    }
    merged.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::revert;

    /// Lists of ids with texts: "s1=a s2=b".
    fn list(text: &str) -> Value {
        let element = |part: &str| {
            let (id, text) = part.split_once('=').unwrap();
            json!({"id": id, "text": text})
        };
        json!({"steps": text.split_whitespace().map(element).collect::<Vec<_>>(), "version": text.len()})
    }

    fn shown(document: &Value) -> String {
        let steps = document["steps"].as_array().unwrap().iter();
        steps
            .map(|s| format!("{}={}", s["id"].as_str().unwrap(), s["text"].as_str().unwrap()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn check(before: &str, after: &str, now: &str, expected: Result<&str, &str>) {
        let reverted = revert(&Some(list(before)), &Some(list(after)), &Some(list(now)));
        let reverted = reverted.map(|document| shown(&document.unwrap())).map_err(|places| places.join(" "));
        assert_eq!(reverted, expected.map(str::to_owned).map_err(str::to_owned), "{before} → {after}, now {now}");
    }

    #[test]
    fn what_a_change_did_is_undone_and_what_came_later_stays() {
        check("s1=a", "s1=a s2=b", "s1=a s2=b", Ok("s1=a"));
        check("s1=a", "s1=a s2=b", "s1=a s2=b s3=c", Ok("s1=a s3=c"));
        check("s1=a s2=b s3=c", "s1=a s3=c", "s1=a s3=c s4=d", Ok("s1=a s2=b s3=c s4=d"));
        check("s2=b s3=c", "s3=c", "s3=c", Ok("s2=b s3=c"));
        check("s1=a", "s1=z", "s1=z s2=b", Ok("s1=a s2=b"));
        // It is gone by itself.
        check("s1=a", "s1=a s2=b", "s1=a", Ok("s1=a"));
        check("s1=a", "s1=z", "s1=a", Ok("s1=a"));
    }

    #[test]
    fn what_was_changed_again_is_named() {
        check("s1=a", "s1=z", "s1=y", Err("steps.s1.text"));
        check("s1=a", "s1=a s2=b", "s1=a s2=c", Err("steps.s2"));
    }

    #[test]
    fn a_document_that_was_not_there_goes_and_one_that_went_comes_back() {
        let document = Some(list("s1=a"));
        assert_eq!(revert(&None, &document, &document), Ok(None));
        assert_eq!(revert(&document, &None, &None), Ok(document.clone()));
        assert_eq!(revert(&document, &document, &None), Ok(None));
        assert!(revert(&None, &document, &Some(list("s1=a s2=b"))).is_err(), "it was changed since");
    }

    proptest! {
        /// Done and undone, it is as it was, but for the counters.
        #[test]
        fn done_and_undone_is_as_before(
            before in prop::collection::btree_map("[a-e]", "[x-z]", 0..5),
            after in prop::collection::btree_map("[a-e]", "[x-z]", 0..5),
        ) {
            let text = |map: &std::collections::BTreeMap<String, String>| {
                map.iter().map(|(id, text)| format!("{id}={text}")).collect::<Vec<_>>().join(" ")
            };
            let (before, after) = (list(&text(&before)), list(&text(&after)));
            let reverted = revert(&Some(before.clone()), &Some(after.clone()), &Some(after)).unwrap().unwrap();
            prop_assert_eq!(shown(&reverted), shown(&before));
        }
    }
}
