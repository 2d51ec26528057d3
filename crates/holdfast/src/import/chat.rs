//! OpenAI-style chats: messages with roles, tool calls and tool results. Compatible servers add fields of their own, so unknown ones
//! are passed over; so is everything beside the messages (rewards, gold answers). Each conversation is a session.

use std::collections::BTreeMap;

use jiff::ZonedDateTime;
use serde_json::{Map, Value};

use super::json::{self, Problem};
use super::{Entry, Options, Out, Position, Unread, check, keys, when};
use crate::types::event::{Kind, RawEvent, Source, Trust};
use crate::types::scope::{SCOPE_ID_BYTES_MAX, Scope, ScopeId};

/// The roles of a message. `function` is the old name of `tool`, `developer` the new one of `system`.
const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
/// Where a conversation keeps its messages.
pub(super) const LISTS: &[&str] = &["messages", "traj", "trajectory", "conversation"];
/// Where a conversation, or a message on its own, names its conversation.
const OWN_IDS: &[&str] = &["conversation_id", "session_id", "thread_id", "chat_id", "session"];
/// Ids that are unique within the file at best: the file's name goes before them.
const LOCAL_IDS: &[&str] = &["id", "task_id", "index"];
/// Where a message or a conversation says when it was.
const TIMES: &[&str] = &["occurred_at", "timestamp", "created_at", "create_time", "created", "time"];
/// Longest part of a file's name in a session id: the rest is for the conversation's own id.
const NAME_BYTES_MAX: usize = SCOPE_ID_BYTES_MAX / 4;

/// The conversations of one file, while it is read.
#[derive(Debug)]
pub(super) struct Chats {
    /// The file's name, as the beginning of session ids.
    name: String,
    /// How often each session id was given: a second conversation of the same id is another one.
    given: BTreeMap<String, u32>,
    /// Whole conversations so far.
    conversations: u64,
    /// Conversations whose messages are records of their own, by the array they are in or the id they name.
    open: BTreeMap<(u64, Option<String>), Conversation>,
}

/// What earlier messages of a conversation tell about later ones.
#[derive(Debug)]
struct Conversation {
    session: ScopeId,
    /// Its place in the file, if it is one record.
    number: Option<u64>,
    messages: u64,
    events: u64,
    reader: Messages,
    last: Option<ZonedDateTime>,
}

/// Reads the messages of one conversation, one by one.
#[derive(Debug, Default)]
pub struct Messages {
    /// Tool names by call id: most tool messages carry only the id.
    tools: BTreeMap<String, String>,
}

impl Chats {
    pub fn new(name: &str) -> Self {
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut name: String = name.chars().filter(|c| !c.is_control()).collect();
        if name.is_empty() || name == "-" {
            name = "chat".to_owned();
        }
        name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
        Self { name, given: BTreeMap::new(), conversations: 0, open: BTreeMap::new() }
    }

    /// One record: a message, a conversation, or an array of messages.
    pub fn record(&mut self, value: Value, line: u64, array: u64, options: &Options, out: &mut Out) {
        match value {
            Value::Object(mut fields) => {
                if let Some(Value::Array(messages)) = list_of(&fields).and_then(|list| fields.remove(list)) {
                    let mut conversation = self.conversation(&fields);
                    conversation.last = time(&fields, options);
                    conversation.all(messages, line, options, out);
                } else if fields.contains_key("role") {
                    self.loose(&fields, array).message(&fields, line, options, out);
                } else {
                    let problem = Problem::new("has neither a `role` nor a list of `messages`");
                    out.push_back(Err(unread(Position::line(line), problem)));
                }
            }
            Value::Array(messages) => self.conversation(&Map::new()).all(messages, line, options, out),
            other => {
                let problem = Problem::new(format!("is {}, not a message or a conversation", json::type_name(&other)));
                out.push_back(Err(unread(Position::line(line), problem)));
            }
        }
    }

    fn conversation(&mut self, fields: &Map<String, Value>) -> Conversation {
        self.conversations += 1;
        let number = self.conversations;
        let local = LOCAL_IDS.iter().find_map(|key| id_text(fields.get(*key)?));
        let wanted = own_id(fields).unwrap_or_else(|| match local {
            Some(local) => format!("{}/{local}", self.name),
            None => format!("{}#{number}", self.name),
        });
        Conversation::new(self.session(wanted, number), Some(number))
    }

    fn loose(&mut self, fields: &Map<String, Value>, array: u64) -> &mut Conversation {
        let key = (array, own_id(fields));
        if !self.open.contains_key(&key) {
            let wanted = key
                .1
                .clone()
                .unwrap_or_else(|| if array > 1 { format!("{}#{array}", self.name) } else { self.name.clone() });
            let session = self.session(wanted, array);
            self.open.insert(key.clone(), Conversation::new(session, None));
        }
        self.open.get_mut(&key).expect("inserted above if it was not there")
    }

    /// The session id for a wanted one: itself when it is valid and new, with a number behind it when it was given before.
    fn session(&mut self, wanted: String, number: u64) -> ScopeId {
        let valid = ScopeId::new(&wanted).is_ok() && wanted.len() + 24 <= SCOPE_ID_BYTES_MAX;
        let wanted = if valid { wanted } else { format!("{}#{number}", self.name) };
        let given = self.given.entry(wanted.clone()).or_insert(0);
        *given += 1;
        let id = if *given > 1 { format!("{wanted}#{given}") } else { wanted };
        ScopeId::new(id).unwrap_or_default()
    }
}

impl Conversation {
    fn new(session: ScopeId, number: Option<u64>) -> Self {
        Self { session, number, messages: 0, events: 0, reader: Messages::default(), last: None }
    }

    fn all(&mut self, messages: Vec<Value>, line: u64, options: &Options, out: &mut Out) {
        for message in messages {
            match message {
                Value::Object(fields) => self.message(&fields, line, options, out),
                other => {
                    self.messages += 1;
                    let problem = Problem::new(format!("is {}, not a message", json::type_name(&other)));
                    out.push_back(Err(unread(self.position(line), problem)));
                }
            }
        }
    }

    fn position(&self, line: u64) -> Position {
        Position { line, conversation: self.number, message: Some(self.messages) }
    }

    /// One message: its text, then its tool calls.
    fn message(&mut self, fields: &Map<String, Value>, line: u64, options: &Options, out: &mut Out) {
        self.messages += 1;
        let written = time(fields, options);
        let inherited = written.is_none() && self.last.is_some();
        self.last = written.or_else(|| self.last.take());
        let position = self.position(line);
        match self.reader.read(fields) {
            Ok(said) => {
                for said in said {
                    let entry = said.and_then(|said| self.event(said, inherited, options));
                    out.push_back(match entry {
                        Ok(event) => Ok(Entry { position, event, update: None }),
                        Err(problem) => Err(unread(position, problem)),
                    });
                }
            }
            Err(problem) => out.push_back(Err(unread(position, problem))),
        }
    }

    fn event(&mut self, said: Said, inherited: bool, options: &Options) -> Result<RawEvent, Problem> {
        self.events += 1;
        let key = keys::in_conversation(
            self.session.as_str(),
            self.events,
            &[said.source.as_str(), said.kind.as_str(), &said.text],
        );
        let scope = Scope { session: self.session.clone(), ..options.scope.clone() };
        let mut event =
            RawEvent { occurred_at: self.last.clone(), idempotency_key: Some(key), ..said.into_event(scope) };
        if inherited {
            event.metadata.insert("time".to_owned(), "inherited".into());
        }
        check::event(&event)?;
        Ok(event)
    }
}

impl Messages {
    /// What of a message becomes events, in order: its text, then its tool calls. What can't be read in it is left out.
    pub fn events(&mut self, message: &Map<String, Value>, scope: &Scope) -> Vec<RawEvent> {
        let said = self.read(message).unwrap_or_default();
        said.into_iter().flatten().map(|said| said.into_event(scope.clone())).collect()
    }

    /// What one message says, in order. A bad tool call costs itself, not the text beside it.
    fn read(&mut self, fields: &Map<String, Value>) -> Result<Vec<Result<Said, Problem>>, Problem> {
        let role = match fields.get("role") {
            Some(Value::String(role)) => role.as_str(),
            Some(other) => return Err(Problem::new(format!("`role` is {}, not a string", json::type_name(other)))),
            None => return Err(Problem::new("the field `role` is missing")),
        };
        let (source, kind) = match role {
            "system" | "developer" => (Source::System, Kind::Note),
            "user" => (Source::User, Kind::Query),
            "assistant" => (Source::Agent, Kind::Response),
            "tool" | "function" => (Source::Tool, Kind::ToolResult),
            other => return Err(json::not_one_of("`role`", other, ROLES)),
        };
        let mut said = Vec::new();
        if source == Source::Tool {
            let call_id = fields.get("tool_call_id").and_then(Value::as_str);
            let name = fields.get("name").and_then(Value::as_str);
            said.push(content_text(fields.get("content")).map(|text| self.tool_result(&text, call_id, name)));
            return Ok(said);
        }
        let blocks = fields.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let (own, brought): (Vec<Value>, Vec<Value>) = match source {
            // What a user's client put beside the question is not what the user said.
            Source::User => blocks.iter().cloned().partition(is_said),
            _ => (blocks.to_vec(), Vec::new()),
        };
        let text = match fields.get("content") {
            Some(Value::Array(_)) => content_text(Some(&Value::Array(own)))?,
            content => content_text(content)?,
        };
        // An assistant that only calls tools, and a system prompt left empty, said nothing; an empty question is a mistake.
        let calls_or_results =
            !brought.is_empty() || blocks.iter().any(|block| matches!(block_type(block), "tool_use" | "tool_result"));
        if !text.trim().is_empty() || (source == Source::User && !calls_or_results) {
            said.push(Ok(Said { source, kind, text, tool: None, call_id: None }));
        }
        let calls = fields.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for call in calls.iter().chain(blocks.iter().filter(|block| block_type(block) == "tool_use")) {
            said.push(self.tool_call(call.get("function").unwrap_or(call), call.get("id").and_then(Value::as_str)));
        }
        if let Some(call) = fields.get("function_call").filter(|call| call.is_object()) {
            said.push(self.tool_call(call, None));
        }
        for block in brought {
            let kind = block_type(&block).to_owned();
            let text = content_text(Some(&Value::Array(vec![block])))?;
            said.push(Ok(self.tool_result(&text, None, Some(&kind))));
        }
        for block in blocks.iter().filter(|block| block_type(block) == "tool_result") {
            let call_id = block.get("tool_use_id").and_then(Value::as_str);
            said.push(content_text(block.get("content")).map(|text| self.tool_result(&text, call_id, None)));
        }
        Ok(said)
    }

    fn tool_call(&mut self, function: &Value, call_id: Option<&str>) -> Result<Said, Problem> {
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        if name.is_empty() {
            return Err(Problem::new("a tool call has no function name"));
        }
        let arguments = match function.get("arguments").or_else(|| function.get("input")) {
            Some(Value::String(arguments)) => arguments.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        if let Some(call_id) = call_id {
            self.tools.insert(call_id.to_owned(), name.to_owned());
        }
        Ok(Said {
            source: Source::Agent,
            kind: Kind::ToolCall,
            text: format!("{name}({arguments})"),
            tool: Some(name.to_owned()),
            call_id: call_id.map(str::to_owned),
        })
    }

    fn tool_result(&self, text: &str, call_id: Option<&str>, name: Option<&str>) -> Said {
        let tool = name.or_else(|| self.tools.get(call_id?).map(String::as_str));
        // That a tool returned nothing is a result, and an event is never empty.
        let text = if text.trim().is_empty() { "[empty]" } else { text };
        Said {
            source: Source::Tool,
            kind: Kind::ToolResult,
            text: text.to_owned(),
            tool: tool.map(str::to_owned),
            call_id: call_id.map(str::to_owned),
        }
    }
}

/// One thing said in a message: what becomes one event.
struct Said {
    source: Source,
    kind: Kind,
    text: String,
    tool: Option<String>,
    call_id: Option<String>,
}

impl Said {
    fn into_event(self, scope: Scope) -> RawEvent {
        let mut event = RawEvent::new(scope, self.source, self.kind, self.text);
        event.trust = (self.source == Source::Tool).then_some(Trust::Untrusted);
        for (key, value) in [("tool", self.tool), ("call_id", self.call_id)] {
            if let Some(value) = value {
                event.metadata.insert(key.to_owned(), value.into());
            }
        }
        event
    }
}

/// The text of `content`: a string, nothing, or parts, of which those that are no text are only named.
fn content_text(content: Option<&Value>) -> Result<String, Problem> {
    let parts = match content {
        None | Some(Value::Null) => return Ok(String::new()),
        Some(Value::String(text)) => return Ok(text.clone()),
        Some(Value::Array(parts)) => parts,
        // Some servers give a tool's result as it is.
        Some(Value::Object(object)) => return Ok(Value::Object(object.clone()).to_string()),
        Some(other) => {
            return Err(Problem::new(format!(
                "`content` is {}, not a string or an array of parts",
                json::type_name(other)
            )));
        }
    };
    let mut texts = Vec::new();
    for part in parts {
        let text = match (part, block_type(part)) {
            (Value::String(text), _) => text,
            (_, "tool_use" | "tool_result" | "thinking" | "redacted_thinking") => continue,
            (_, "image_url" | "input_image" | "image") => "[image]",
            (_, "input_audio" | "audio") => "[audio]",
            (_, "file" | "input_file" | "document") => "[file]",
            _ => match part.get("text").or_else(|| part.get("refusal")) {
                Some(Value::String(text)) => text,
                _ => "[part]",
            },
        };
        texts.push(text);
    }
    Ok(texts.join("\n"))
}

/// Whether a part of a user's message is the user's own: text, what is only named (an image), and what has its own place (a tool's
/// result). A search result, a quotation, or any other part with a text in it is somebody else's.
fn is_said(block: &Value) -> bool {
    let holds_text = block.get("text").is_some_and(Value::is_string);
    matches!(block_type(block), "" | "text" | "input_text" | "tool_use" | "tool_result") || !holds_text
}

fn block_type(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The key under which an object has its list of messages.
pub(super) fn list_of(fields: &Map<String, Value>) -> Option<&'static str> {
    LISTS.iter().copied().find(|list| fields.get(*list).is_some_and(Value::is_array))
}

fn own_id(fields: &Map<String, Value>) -> Option<String> {
    OWN_IDS.iter().find_map(|key| id_text(fields.get(*key)?))
}

fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn time(fields: &Map<String, Value>, options: &Options) -> Option<ZonedDateTime> {
    TIMES.iter().find_map(|key| when::read(fields.get(*key)?, &options.zone)).map(|when| when.moment)
}

fn unread(position: Position, Problem { reason, hint }: Problem) -> Unread {
    Unread { position, reason, hint }
}
