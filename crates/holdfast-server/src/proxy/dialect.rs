//! The two forms of OpenAI's API: what of a request and of its reply was said, and a request with the block in it. Whatever else is in
//! a request is carried as the bytes it came in.
//!
//! What is said is brought into the form of a chat's messages, which the library reads (`import::Messages`).

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `chat/completions`: the client sends the whole talk each time.
    Chat,
    /// `responses`: it may send only what is new, and name the response before.
    Responses,
}

impl Dialect {
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
        }
    }

    /// Where a request holds what is said.
    const fn list(self) -> &'static str {
        match self {
            Self::Chat => "messages",
            Self::Responses => "input",
        }
    }

    /// What a part of a message that is text is called.
    const fn text_part(self) -> &'static str {
        match self {
            Self::Chat => "text",
            Self::Responses => "input_text",
        }
    }
}

/// A request, as it came.
#[derive(Debug)]
pub struct Asked {
    dialect: Dialect,
    fields: IndexMap<String, Box<RawValue>>,
    items: Vec<Item>,
    /// The input was a text and not a list.
    is_text: bool,
    is_changed: bool,
}

/// One message, or an item beside messages.
#[derive(Debug)]
pub struct Item {
    raw: Box<RawValue>,
    /// As a chat's message, if it is one or stands for one.
    pub message: Option<Map<String, Value>>,
}

impl Item {
    fn new(dialect: Dialect, raw: Box<RawValue>) -> Self {
        let message = match serde_json::from_str(raw.get()) {
            Ok(Value::Object(fields)) if dialect == Dialect::Chat => Some(fields),
            Ok(Value::Object(fields)) => message_of(&fields),
            _ => None,
        };
        Self { raw, message }
    }

    pub fn role(&self) -> &str {
        self.message.as_ref().and_then(|message| message.get("role")).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn text(&self) -> &str {
        self.raw.get()
    }
}

impl Asked {
    /// `None`: it is nothing that has a talk in it, and its service will say what is wrong with it.
    pub fn read(dialect: Dialect, body: &[u8]) -> Option<Self> {
        let mut fields: IndexMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
        let list = fields.get_mut(dialect.list())?;
        let (items, is_text) = match serde_json::from_str::<Vec<Box<RawValue>>>(list.get()) {
            Ok(items) => (items, false),
            Err(_) => {
                let text: String = serde_json::from_str(list.get()).ok().filter(|_| dialect == Dialect::Responses)?;
                (vec![raw(&json!({ "role": "user", "content": text }))?], true)
            }
        };
        let items = items.into_iter().map(|raw| Item::new(dialect, raw)).collect();
        Some(Self { dialect, fields, items, is_text, is_changed: false })
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    fn text_of(&self, field: &str) -> Option<String> {
        serde_json::from_str(self.fields.get(field)?.get()).ok()
    }

    /// Whom the client says it asks for.
    pub fn user(&self) -> Option<String> {
        ["user", "safety_identifier"].iter().find_map(|field| self.text_of(field)).filter(|user| !user.is_empty())
    }

    /// The talk by the name the service has for it.
    pub fn conversation(&self) -> Option<String> {
        let value: Value = serde_json::from_str(self.fields.get("conversation")?.get()).ok()?;
        value.as_str().or_else(|| value.get("id")?.as_str()).map(str::to_owned)
    }

    /// The response that this goes on from.
    pub fn previous(&self) -> Option<String> {
        self.text_of("previous_response_id")
    }

    /// The service has what was said before: the client does not send it.
    pub fn is_continued(&self) -> bool {
        self.dialect == Dialect::Responses && (self.previous().is_some() || self.conversation().is_some())
    }

    /// What is not a message, and is read by the model all the same.
    pub fn beside(&self) -> impl Iterator<Item = &str> {
        ["instructions", "tools"].iter().filter_map(|field| self.fields.get(*field)).map(|raw| raw.get())
    }

    /// Leaves out the items that are not to be kept.
    pub fn keep(&mut self, kept: &[bool]) {
        self.is_changed |= kept.contains(&false);
        let mut kept = kept.iter();
        self.items.retain(|_| kept.next().copied().unwrap_or(true));
    }

    /// Puts the block where it changes nothing of what was sent before, so that the service's cache of the prompt stays good: into the
    /// last message that is no reply, before what a user says in it and after what a tool does. What the service keeps of a talk must
    /// not fill with blocks: there it goes into the instructions, which hold for one request. False: there is no place for it.
    pub fn add(&mut self, block: &str) -> bool {
        let block = block.trim_end();
        if self.is_continued() {
            let instructions = match self.text_of("instructions") {
                Some(own) => format!("{own}\n\n{block}"),
                None => block.to_owned(),
            };
            let Some(instructions) = raw(&Value::from(instructions)) else { return false };
            self.fields.insert("instructions".to_owned(), instructions);
            self.is_changed = true;
            return true;
        }
        let is_place = |item: &Item| matches!(item.role(), "user" | "tool" | "function");
        let Some(item) = self.items.iter_mut().rev().find(|item| is_place(item)) else { return false };
        let is_first = item.role() == "user";
        let Ok(mut fields) = serde_json::from_str::<Value>(item.raw.get()) else { return false };
        let field = if fields.get("output").is_some() { "output" } else { "content" };
        let part = json!({ "type": self.dialect.text_part(), "text": block });
        match fields.get_mut(field) {
            Some(Value::String(text)) if is_first => *text = format!("{block}\n\n{text}"),
            Some(Value::String(text)) => *text = format!("{text}\n\n{block}"),
            Some(Value::Array(parts)) if is_first => parts.insert(0, part),
            Some(Value::Array(parts)) => parts.push(part),
            _ => return false,
        }
        let Some(changed) = raw(&fields) else { return false };
        item.raw = changed;
        self.is_changed = true;
        true
    }

    /// The request's bytes, if they are other ones than came.
    pub fn changed(mut self) -> Option<Vec<u8>> {
        if !self.is_changed {
            return None;
        }
        let items: Vec<Box<RawValue>> = self.items.into_iter().map(|item| item.raw).collect();
        let list = match items.first() {
            Some(only) if self.is_text => {
                let message: Value = serde_json::from_str(only.get()).ok()?;
                raw(message.get("content")?)?
            }
            _ => serde_json::value::to_raw_value(&items).ok()?,
        };
        self.fields.insert(self.dialect.list().to_owned(), list);
        serde_json::to_vec(&self.fields).ok()
    }
}

fn raw(value: &Value) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(value).ok()
}

/// An item of `responses` as a message of a chat. `None`: it says nothing that is to be remembered (a reasoning, a search).
fn message_of(fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    let text = |field: &str| fields.get(field).cloned().unwrap_or_default();
    let message = match fields.get("type").and_then(Value::as_str) {
        None | Some("message") => json!({ "role": fields.get("role")?, "content": text("content") }),
        Some("function_call") => json!({ "role": "assistant", "tool_calls": [
            { "id": text("call_id"), "function": { "name": text("name"), "arguments": text("arguments") } }
        ] }),
        Some("function_call_output") => {
            json!({ "role": "tool", "tool_call_id": text("call_id"), "content": text("output") })
        }
        _ => return None,
    };
    match message {
        Value::Object(message) => Some(message),
        _ => None,
    }
}

/// A reply, as far as it is of use.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    /// The response's id, by which the next request may name it.
    pub id: Option<String>,
    pub messages: Vec<Map<String, Value>>,
    /// It broke off, or was broken off.
    pub is_partial: bool,
}

impl Reply {
    /// Of a body that came whole.
    pub fn of_body(dialect: Dialect, body: &[u8]) -> Self {
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else { return Self::default() };
        Self::of(dialect, &fields)
    }

    fn of(dialect: Dialect, fields: &Map<String, Value>) -> Self {
        let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let messages = match dialect {
            // Of several choices the first: which one the client takes is not known.
            Dialect::Chat => {
                let first = list(fields.get("choices")).into_iter().next();
                first.and_then(|choice| choice.get("message")?.as_object().cloned()).into_iter().collect()
            }
            Dialect::Responses => {
                let items = list(fields.get("output"));
                items.iter().filter_map(Value::as_object).filter_map(message_of).collect()
            }
        };
        Self { id, messages, is_partial: false }
    }

    /// Of a stream of events, put together from its pieces as they came.
    pub fn of_stream(dialect: Dialect, events: &[Value]) -> Self {
        match dialect {
            Dialect::Chat => of_chunks(events),
            Dialect::Responses => of_steps(events),
        }
    }
}

/// The pieces of a chat's reply.
fn of_chunks(chunks: &[Value]) -> Reply {
    #[derive(Default)]
    struct Call {
        id: String,
        name: String,
        arguments: String,
    }
    let mut id = None;
    let mut content = String::new();
    let mut refusal = String::new();
    let mut calls: BTreeMap<u64, Call> = BTreeMap::new();
    let mut is_partial = true;
    for chunk in chunks {
        id = id.or_else(|| chunk.get("id")?.as_str().map(str::to_owned));
        let choices = chunk.get("choices").and_then(Value::as_array);
        let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.into_iter().flatten().filter(is_first) {
            is_partial &= choice.get("finish_reason").is_none_or(Value::is_null);
            let Some(delta) = choice.get("delta") else { continue };
            let text = |field: &str| delta.get(field).and_then(Value::as_str).unwrap_or_default();
            content.push_str(text("content"));
            refusal.push_str(text("refusal"));
            for (place, piece) in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate() {
                let index = piece.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
                let call = calls.entry(index).or_default();
                let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
                let function = piece.get("function");
                if call.id.is_empty() {
                    call.id = text(piece.get("id"));
                }
                call.name.push_str(&text(function.and_then(|function| function.get("name"))));
                call.arguments.push_str(&text(function.and_then(|function| function.get("arguments"))));
            }
        }
    }
    if content.is_empty() {
        content = refusal;
    }
    // Half of a call is none.
    let calls: Vec<Value> = calls
        .into_values()
        .filter(|_| !is_partial)
        .map(|call| json!({ "id": call.id, "function": { "name": call.name, "arguments": call.arguments } }))
        .collect();
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), content.into());
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Reply { id, messages: vec![message], is_partial }
}

/// The steps of a response: the last one has all of it.
fn of_steps(steps: &[Value]) -> Reply {
    let kind = |step: &Value| step.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_last =
        |step: &&Value| matches!(kind(step).as_str(), "response.completed" | "response.incomplete" | "response.failed");
    if let Some(Value::Object(response)) = steps.iter().rev().find(is_last).and_then(|step| step.get("response")) {
        return Reply::of(Dialect::Responses, response);
    }
    let deltas = steps.iter().filter(|step| kind(step) == "response.output_text.delta");
    let said: String = deltas.filter_map(|step| step.get("delta")?.as_str()).collect();
    let id = steps.iter().find_map(|step| step.get("response")?.get("id")?.as_str().map(str::to_owned));
    let message = json!({ "role": "assistant", "content": said });
    Reply { id, messages: message.as_object().cloned().into_iter().collect(), is_partial: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(dialect: Dialect, body: &Value) -> Value {
        let mut asked = Asked::read(dialect, body.to_string().as_bytes()).unwrap();
        assert!(asked.add("<block>"), "{body}");
        serde_json::from_slice(&asked.changed().unwrap()).unwrap()
    }

    #[test]
    fn the_block_stands_behind_all_that_was_sent_before() {
        let system = json!({ "role": "system", "content": "你是助理" });
        let old = json!({ "role": "user", "content": "先看退货率" });
        let call = json!({ "role": "assistant", "content": null, "tool_calls":
            [{ "id": "c1", "type": "function", "function": { "name": "sql", "arguments": "{}" } }] });
        let result = json!({ "role": "tool", "tool_call_id": "c1", "content": "2.8%" });
        for (messages, place, wanted) in [
            (json!([system, old]), 1, json!("<block>\n\n先看退货率")),
            (json!([system, old, call, result]), 3, json!("2.8%\n\n<block>")),
            (
                json!([system, { "role": "user", "content": [{ "type": "text", "text": "what is this?" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }] }]),
                1,
                json!([{ "type": "text", "text": "<block>" }, { "type": "text", "text": "what is this?" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }]),
            ),
            // A reply that the model is to go on with stays the last.
            (json!([old, { "role": "assistant", "content": "{" }]), 0, json!("<block>\n\n先看退货率")),
        ] {
            let sent = placed(Dialect::Chat, &json!({ "model": "m", "messages": messages }));
            assert_eq!(sent["messages"][place]["content"], wanted);
            let others = |list: &Value| -> Vec<Value> {
                list.as_array()
                    .unwrap()
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != place)
                    .map(|(_, m)| m.clone())
                    .collect()
            };
            assert_eq!(others(&sent["messages"]), others(&messages), "nothing else is touched");
        }
    }

    #[test]
    fn responses_take_it_as_text_as_message_and_as_output() {
        let sent = placed(Dialect::Responses, &json!({ "input": "写周报", "instructions": "be brief" }));
        assert_eq!((&sent["input"], &sent["instructions"]), (&json!("<block>\n\n写周报"), &json!("be brief")));
        let list = json!([{ "role": "user", "content": [{ "type": "input_text", "text": "hi" }] }]);
        let sent = placed(Dialect::Responses, &json!({ "input": list }));
        assert_eq!(sent["input"][0]["content"][0], json!({ "type": "input_text", "text": "<block>" }));
        let list = json!([
            { "role": "user", "content": "hi" },
            { "type": "reasoning", "id": "r1", "summary": [] },
            { "type": "function_call", "call_id": "c1", "name": "sql", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c1", "output": "2.8%" },
        ]);
        let sent = placed(Dialect::Responses, &json!({ "input": list }));
        assert_eq!((&sent["input"][3]["output"], &sent["input"][0]), (&json!("2.8%\n\n<block>"), &list[0]));
    }

    #[test]
    fn what_the_service_keeps_does_not_fill_with_blocks() {
        for body in [
            json!({ "input": "go on", "previous_response_id": "resp_1", "instructions": "be brief" }),
            json!({ "input": "go on", "conversation": { "id": "conv_1" }, "instructions": "be brief" }),
        ] {
            let sent = placed(Dialect::Responses, &body);
            assert_eq!((&sent["input"], &sent["instructions"]), (&json!("go on"), &json!("be brief\n\n<block>")));
        }
    }

    #[test]
    fn what_is_not_known_is_carried_to_the_byte() {
        let body = r#"{"model":"m","seed":18446744073709551616,"top_p":1e0,"x":{"a":1.0,"a":2},"messages":[{"role":"system","content":"\u4f60","weight":1.50},{"role":"user","content":"hi"}]}"#;
        let mut asked = Asked::read(Dialect::Chat, body.as_bytes()).unwrap();
        assert!(asked.add("B"));
        let sent = String::from_utf8(asked.changed().unwrap()).unwrap();
        assert_eq!(sent, body.replace(r#""content":"hi""#, r#""content":"B\n\nhi""#));
        assert!(Asked::read(Dialect::Chat, body.as_bytes()).unwrap().changed().is_none(), "nothing to send instead");
    }

    #[test]
    fn what_has_no_talk_in_it_is_left_alone() {
        for body in ["", "[]", "null", "{}", r#"{"messages":3}"#, r#"{"messages":"hi"}"#, "{\"messages\":[", "\u{0}"] {
            assert!(Asked::read(Dialect::Chat, body.as_bytes()).is_none(), "{body}");
        }
        for messages in [
            json!([]),
            json!([3, null, "x"]),
            json!([{ "role": "system", "content": "s" }]),
            json!([{ "role": "user" }]),
        ] {
            let mut asked = Asked::read(Dialect::Chat, json!({ "messages": messages }).to_string().as_bytes()).unwrap();
            assert!(!asked.add("B"), "{messages}");
            assert!(asked.changed().is_none());
        }
    }

    #[test]
    fn a_stream_is_put_together() {
        let chunk = |delta: Value, end: Value| json!({ "id": "c-1", "choices": [{ "index": 0, "delta": delta, "finish_reason": end }] });
        let call = |piece: Value| json!({ "tool_calls": [piece] });
        let chunks = [
            chunk(json!({ "role": "assistant", "content": "查" }), Value::Null),
            chunk(json!({ "content": "一下" }), Value::Null),
            json!({ "id": "c-1", "choices": [{ "index": 1, "delta": { "content": "another choice" } }] }),
            chunk(
                call(json!({ "index": 0, "id": "a", "function": { "name": "sql", "arguments": "{\"q\"" } })),
                Value::Null,
            ),
            chunk(
                call(json!({ "index": 1, "id": "b", "function": { "name": "mail", "arguments": "{}" } })),
                Value::Null,
            ),
            chunk(call(json!({ "index": 0, "function": { "arguments": ":1}" } })), Value::Null),
            chunk(json!({}), json!("tool_calls")),
            json!({ "id": "c-1", "choices": [], "usage": { "total_tokens": 3 } }),
        ];
        let reply = Reply::of_stream(Dialect::Chat, &chunks);
        let whole = json!({ "id": "c-1", "choices": [{ "message": { "role": "assistant", "content": "查一下", "tool_calls": [
            { "id": "a", "function": { "name": "sql", "arguments": "{\"q\":1}" } },
            { "id": "b", "function": { "name": "mail", "arguments": "{}" } } ] } }] });
        assert_eq!(reply, Reply::of_body(Dialect::Chat, whole.to_string().as_bytes()));
        let broken = Reply::of_stream(Dialect::Chat, &chunks[..4]);
        assert!(broken.is_partial);
        assert_eq!(Value::from(broken.messages[0].clone()), json!({ "role": "assistant", "content": "查一下" }));
    }

    #[test]
    fn a_response_is_read_from_its_last_step_or_its_pieces() {
        let delta = |text: &str| json!({ "type": "response.output_text.delta", "delta": text });
        let response = json!({ "id": "resp_1", "output": [
            { "type": "reasoning", "id": "r", "summary": [] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "好的" }] },
            { "type": "function_call", "call_id": "c", "name": "sql", "arguments": "{}" } ] });
        let steps = [
            json!({ "type": "response.created", "response": { "id": "resp_1" } }),
            delta("好"),
            delta("的"),
            json!({ "type": "response.completed", "response": response }),
        ];
        let whole = Reply::of_stream(Dialect::Responses, &steps);
        assert_eq!(whole, Reply::of_body(Dialect::Responses, response.to_string().as_bytes()));
        assert_eq!((whole.messages.len(), whole.is_partial), (2, false));
        let broken = Reply::of_stream(Dialect::Responses, &steps[..3]);
        assert_eq!((broken.id.as_deref(), broken.is_partial), (Some("resp_1"), true));
        assert_eq!(broken.messages[0]["content"], "好的");
    }
}
