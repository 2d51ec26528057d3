//! `/openai/v1`: a drop-in proxy. An agent that talks to an OpenAI-compatible service changes its base URL, and remembers.
//!
//! A request's way: `dialect` reads it; `talk` tells what in it is new, which is recorded; `trim` leaves out what is old, if that is
//! wished; the block is put in (`dialect`); `upstream` asks the service and lets the answer through, which is recorded at its end. Memory
//! that fails, or takes too long, is left aside: the request goes on as it came.

mod dialect;
mod talk;
mod trim;
mod upstream;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{any, post};
use holdfast::engine::{BATCH_EVENTS_MAX, Engine, Error};
use holdfast::import::Messages;
use holdfast::store::EventPage;
use holdfast::text::{QueryTerm, Strength, TermKind, Tokenizer, query_terms};
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{CONTENT_BYTES_MAX, RawEvent, Source};
use holdfast::types::ids::EventId;
use holdfast::types::query::{Filter, Query};
use holdfast::types::scope::{Owner, Scope, ScopeId};
use http_body_util::Full;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;
use zeroize::Zeroizing;

use self::dialect::{Asked, Dialect, Reply};
use self::talk::{Mark, Named, Place, Talks, Turn};
use self::upstream::{Heard, Upstream};
use crate::cli::ServeArguments;
use crate::failure::Usage;
use crate::keys::Role;
use crate::serve::{App, Caller, Problem, Told};

/// What a request says to us and not to the service.
mod asked {
    pub const USER: &str = "holdfast-user";
    pub const AGENT: &str = "holdfast-agent";
    pub const SESSION: &str = "holdfast-session";
    pub const TASK: &str = "holdfast-task";
    /// `off`: this request is no part of the talk (a title, a test).
    pub const MEMORY: &str = "holdfast-memory";
    /// Tokens of the block.
    pub const BUDGET: &str = "holdfast-budget";
    /// Tokens of the whole prompt, above which old messages are left out.
    pub const TRIM: &str = "holdfast-trim";
}

/// What an answer says of the memory's part in it.
mod told {
    use axum::http::HeaderName;

    /// `used`, `off`, or `bypassed`.
    pub const MEMORY: HeaderName = HeaderName::from_static("holdfast-memory");
    /// Why it was bypassed.
    pub const REASON: HeaderName = HeaderName::from_static("holdfast-memory-reason");
    pub const SESSION: HeaderName = HeaderName::from_static("holdfast-session");
    pub const BLOCK_TOKENS: HeaderName = HeaderName::from_static("holdfast-block-tokens");
    /// Tokens of messages that were left out.
    pub const TRIMMED_TOKENS: HeaderName = HeaderName::from_static("holdfast-trimmed-tokens");
}

/// Longest body: a talk with images in it.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Latest events of an owner that are looked through for their talks, when the first request after a start comes.
const EVENTS_LOOKED_AT: usize = 1_000;
/// Owners whose talks are at hand.
const OWNERS_MAX: usize = 1_024;
/// Unless more is asked for, a block takes no more of a trimmed prompt than one part in so many: what it takes, the latest turns lose.
const BLOCK_OF_TRIMMED: usize = 8;
/// Texts whose tokens are known.
const COUNTED_MAX: usize = 50_000;
/// What a model is sent beside each message's text: its role and its ends (OpenAI's cookbook, "How to count tokens": 3 to 4).
const MESSAGE_TOKENS: usize = 4;
/// An image or a file in a prompt, whose text says nothing of its size: OpenAI bills a picture 85 to 1,105 tokens.
const IMAGE_TOKENS: usize = 1_105;
/// A question of fewer words that tell something is read with the turns before it: so many of them, and so many bytes of each.
const TELLING_WORDS: usize = 3;
const PRECEDING: (usize, usize) = (2, 1_000);
/// The paths that are served with a key of ours: a holder of one may ask models, and not administer the account behind it.
const WITH_OUR_KEY: &[&str] = &["models", "embeddings", "completions", "moderations"];

/// The proxy, shared by all requests.
#[derive(Debug, Clone)]
pub struct Proxy(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    app: App,
    upstream: Upstream,
    block_tokens: usize,
    trim_tokens: Option<usize>,
    /// A request goes on without its memory after that.
    memory_wait: Duration,
    owners: Mutex<BTreeMap<Owner, SharedTalks>>,
    counted: Mutex<BTreeMap<Mark, usize>>,
}

/// An owner's talks, once they were read from the log.
type SharedTalks = Arc<tokio::sync::Mutex<Option<Talks>>>;

/// Held while something is recorded: what comes after it in the same owner's talks waits.
type Held = OwnedMutexGuard<Option<Talks>>;

/// The routes of the proxy.
pub fn routes(app: &App, arguments: &ServeArguments) -> Result<Router> {
    let key = match arguments.upstream_key.as_ref().map(|key| key.to_str().map(str::trim)) {
        None | Some(Some("")) => None,
        Some(Some(key)) => Some(Zeroizing::new(key.to_owned())),
        Some(None) => bail!(Usage("HOLDFAST_UPSTREAM_KEY is no text".to_owned())),
    };
    let proxy = Proxy(Arc::new(Inner {
        app: app.clone(),
        upstream: Upstream::new(&arguments.upstream, key)?,
        block_tokens: arguments.block_tokens,
        trim_tokens: arguments.trim_tokens,
        memory_wait: arguments.memory_wait.unsigned_abs(),
        owners: Mutex::default(),
        counted: Mutex::default(),
    }));
    let router = Router::new()
        .route("/openai/v1/chat/completions", post(chat))
        .route("/openai/v1/responses", post(responses))
        .route("/openai/v1/{*path}", any(pass))
        .route_layer(from_fn(crate::serve::note_route))
        .layer(from_fn_with_state(proxy.clone(), let_in))
        .layer(map_response(in_dialect))
        .with_state(proxy);
    Ok(router)
}

/// `Authorization` is the service's key, so ours has a header of its own; where the service's is kept here, it may be in either.
async fn let_in(State(proxy): State<Proxy>, request: Request, next: Next) -> Result<Response, Problem> {
    const KEY: HeaderName = HeaderName::from_static("holdfast-key");
    let app = &proxy.0.app;
    let headers = request.headers();
    let bearer =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|v| v.split_once(' '));
    let bearer = bearer.map(|(_, key)| key.trim().to_owned());
    let own = headers.get(KEY).map(|value| value.to_str().unwrap_or_default().to_owned());
    if !proxy.0.upstream.has_key() && bearer.as_deref().is_some_and(crate::keys::looks_like_one) {
        let detail =
            "Authorization is passed on to the service and has a key of Holdfast in it: send that one as Holdfast-Key";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "key_misplaced", detail));
    }
    let presented = own.or(bearer.filter(|_| proxy.0.upstream.has_key()));
    let missing = "an API key of Holdfast is needed: send it as `Holdfast-Key: KEY`; `holdfast key create` makes one";
    let caller = crate::serve::caller(app, headers, presented.as_deref(), missing)?;
    crate::serve::admit(app, caller, request, next).await
}

/// A problem of ours, in the form that clients of the dialect show.
async fn in_dialect(response: Response) -> Response {
    let Some(Told(code)) = response.extensions().get::<Told>().copied() else { return response };
    let (mut parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, 64 * 1024).await.unwrap_or_default();
    let problem: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let error = json!({ "error": { "message": problem["detail"], "type": "holdfast", "param": null, "code": code } });
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(error.to_string()))
}

async fn chat(State(proxy): State<Proxy>, request: Request) -> Result<Response, Problem> {
    exchange(proxy, Dialect::Chat, request).await
}

async fn responses(State(proxy): State<Proxy>, request: Request) -> Result<Response, Problem> {
    exchange(proxy, Dialect::Responses, request).await
}

/// Whatever else the service does, without memory.
async fn pass(State(proxy): State<Proxy>, Path(path): Path<String>, request: Request) -> Result<Response, Problem> {
    let first = path.split('/').next().unwrap_or_default();
    let goes_up = path.split('/').any(|part| matches!(part, "." | ".."));
    if goes_up || proxy.0.upstream.has_key() && !WITH_OUR_KEY.contains(&first) {
        let detail = "this address of the service is not passed on";
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_passed_on", detail));
    }
    let (parts, body) = request.into_parts();
    let body = crate::serve::whole(body, BODY_BYTES_MAX).await?;
    // As it was written: a path may have escapes in it.
    let path = parts.uri.path().trim_start_matches("/openai/v1/").to_owned();
    let answer = proxy.0.upstream.ask(parts.method, &path, parts.uri.query(), &parts.headers, body).await?;
    let (head, body) = answer.into_parts();
    Ok(upstream::head(&head).map(|_| Body::new(body)))
}

/// What a request asks of the memory.
struct Wishes {
    scope: Scope,
    names_session: bool,
    is_off: bool,
    budget: usize,
    trim: Option<usize>,
}

impl Wishes {
    fn read(proxy: &Inner, caller: &Caller, headers: &HeaderMap, asked: Option<&Asked>) -> Result<Self, Problem> {
        let text = |name: &str| -> Result<Option<String>, Problem> {
            let Some(value) = headers.get(name) else { return Ok(None) };
            let unreadable = || Problem::bad_request(format!("the header {name} is no text: write it percent-encoded"));
            // Names are not all Latin: what is written out of UTF-8 is taken as it is, and escapes are resolved.
            let written = std::str::from_utf8(value.as_bytes()).map_err(|_| unreadable())?;
            let decoded = percent_decode_str(written).decode_utf8().map_err(|_| unreadable())?;
            Ok(Some(decoded.into_owned()))
        };
        let id = |name: &str| -> Result<Option<ScopeId>, Problem> {
            let id = text(name)?.map(ScopeId::new).transpose();
            id.map_err(|error| Problem::bad_request(format!("the header {name}: {error}")))
        };
        let number = |name: &str| -> Result<Option<usize>, Problem> {
            let number = text(name)?.map(|text| text.trim().parse::<usize>()).transpose();
            let number =
                number.map_err(|_| Problem::bad_request(format!("the header {name} is a number of tokens")))?;
            Ok(number)
        };
        let user = match id(asked::USER)? {
            Some(user) => Some(user),
            // Whom the client serves, if the key is not one user's own.
            None if !caller.is_of_one_user() => asked.and_then(Asked::user).and_then(|user| ScopeId::new(user).ok()),
            None => None,
        };
        let owner = caller.owner(None, user, id(asked::AGENT)?)?;
        let session = match id(asked::SESSION)? {
            Some(session) => Some(session),
            None => asked.and_then(Asked::conversation).and_then(|id| ScopeId::new(id).ok()),
        };
        let is_off = match text(asked::MEMORY)?.as_deref().map(str::trim) {
            None | Some("on") => false,
            Some("off") => true,
            Some(_) => return Err(Problem::bad_request(format!("the header {} is on or off", asked::MEMORY))),
        };
        let trim = number(asked::TRIM)?.or(proxy.trim_tokens);
        let share = trim.map_or(usize::MAX, |trim| trim / BLOCK_OF_TRIMMED);
        Ok(Self {
            names_session: session.is_some(),
            scope: Scope { owner, session: session.unwrap_or_default(), task: id(asked::TASK)? },
            is_off,
            budget: number(asked::BUDGET)?.unwrap_or(proxy.block_tokens.min(share)),
            trim,
        })
    }
}

/// A request with its memory.
struct Remembered {
    /// What is sent, if it is not what came.
    body: Option<Vec<u8>>,
    scope: Scope,
    /// Kept for the reply, which goes to this place in them.
    talks: SharedTalks,
    place: Place,
    block_tokens: usize,
    trimmed_tokens: usize,
}

async fn exchange(proxy: Proxy, dialect: Dialect, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let caller = parts.extensions.get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Problem::new(StatusCode::UNAUTHORIZED, "key_missing", "an API key is needed"))?;
    caller.must_be(Role::Agent)?;
    let is_encoded = parts.headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity");
    let body = crate::serve::whole(body, BODY_BYTES_MAX).await?;
    let asked = if is_encoded { None } else { Asked::read(dialect, &body) };
    let wishes = Wishes::read(&proxy.0, &caller, &parts.headers, asked.as_ref())?;
    let remembered = match asked {
        _ if wishes.is_off => Err("off"),
        None => Err("unreadable"),
        Some(asked) => remember(&proxy, wishes, asked).await,
    };
    let (memory, reason) = match &remembered {
        Ok(_) => ("used", None),
        Err("off") => ("off", None),
        Err(reason) => ("bypassed", Some(*reason)),
    };
    metrics::counter!("holdfast_proxy_requests_total", "memory" => memory).increment(1);
    let (sent, remembered) = match remembered {
        Ok(mut remembered) => (remembered.body.take().map_or_else(|| body.clone(), Bytes::from), Some(remembered)),
        Err(_) => (body, None),
    };
    let answer = proxy.0.upstream.ask(parts.method, dialect.path(), parts.uri.query(), &parts.headers, sent).await?;
    let (head, body) = answer.into_parts();
    let mut response = upstream::head(&head);
    let headers = response.headers_mut();
    headers.insert(told::MEMORY, HeaderValue::from_static(memory));
    if let Some(reason) = reason {
        headers.insert(told::REASON, HeaderValue::from_static(reason));
    }
    let Some(remembered) = remembered else { return Ok(response.map(|_| Body::new(body))) };
    metrics::counter!("holdfast_proxy_trimmed_tokens_total").increment(remembered.trimmed_tokens as u64);
    headers.insert(told::BLOCK_TOKENS, remembered.block_tokens.into());
    headers.insert(told::TRIMMED_TOKENS, remembered.trimmed_tokens.into());
    let session = utf8_percent_encode(remembered.scope.session.as_str(), UNESCAPED).to_string();
    if let Ok(session) = HeaderValue::from_str(&session) {
        headers.insert(told::SESSION, session);
    }
    if !head.status.is_success() {
        return Ok(response.map(|_| Body::new(body)));
    }
    let is_stream =
        head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let is_last = move |bytes: &[u8]| is_stream && is_ended(dialect, bytes);
    let hear = move |heard| hear(proxy, dialect, is_stream, remembered, heard);
    Ok(response.map(|_| upstream::listen(body, is_last, hear)))
}

/// Percent-encoded is only what a header or an id would be broken by.
const UNESCAPED: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/').remove(b':').remove(b'@');

/// Whether a stream has said all of its reply: what may follow is of no use to a client.
fn is_ended(dialect: Dialect, bytes: &[u8]) -> bool {
    const ENDS: [&[u8]; 3] = [b"response.completed", b"response.incomplete", b"response.failed"];
    let said = bytes.trim_ascii_end();
    match dialect {
        Dialect::Chat => said.ends_with(b"[DONE]"),
        Dialect::Responses => {
            if !bytes.ends_with(b"\n\n") && !bytes.ends_with(b"\r\n\r\n") {
                return false;
            }
            let at = said.windows(2).rposition(|pair| pair == b"\n\n" || pair == b"\n\r").map_or(0, |at| at + 2);
            let head = &said[at..said.len().min(at + 128)];
            ENDS.iter().any(|end| head.windows(end.len()).any(|window| window == *end))
        }
    }
}

/// Records what is new in a request, and puts the block in. An error: why it goes on without.
async fn remember(proxy: &Proxy, wishes: Wishes, asked: Asked) -> Result<Remembered, &'static str> {
    let work = async {
        let talks = proxy.talks_of(&wishes.scope.owner);
        let held = Arc::clone(&talks).lock_owned().await;
        let inner = proxy.clone();
        proxy.0.app.call_with(move |engine| inner.remembered(engine, talks, held, wishes, asked)).await
    };
    match tokio::time::timeout(proxy.0.memory_wait, work).await {
        Ok(Ok(remembered)) => Ok(remembered),
        Ok(Err(problem)) => {
            tracing::warn!("a request goes on without its memory: {}", problem.code);
            Err(problem.code)
        }
        Err(_) => {
            tracing::warn!("a request goes on without its memory, which took too long");
            Err("too_slow")
        }
    }
}

/// Records a reply. Returns when the next request may come: it waits for what is held here.
async fn hear(proxy: Proxy, dialect: Dialect, is_stream: bool, request: Remembered, heard: Heard) {
    let mut reply = if is_stream {
        Reply::of_stream(dialect, &events_of(&heard.bytes).await)
    } else {
        Reply::of_body(dialect, &heard.bytes)
    };
    reply.is_partial |= !heard.is_whole;
    let held = Arc::clone(&request.talks).lock_owned().await;
    let app = proxy.0.app.clone();
    tokio::spawn(async move {
        let recorded = app.call_with(move |engine| proxy.heard(engine, held, &request, reply)).await;
        if let Err(problem) = recorded {
            tracing::warn!("a reply was not recorded: {}", problem.code);
        }
    });
}

/// The JSON of a stream of events.
async fn events_of(bytes: &[u8]) -> Vec<Value> {
    let body = Full::new(Bytes::copy_from_slice(bytes));
    let mut stream = sse_stream::SseStream::new(body);
    let mut events = Vec::new();
    while let Some(Ok(event)) = tokio_stream::StreamExt::next(&mut stream).await {
        events.extend(event.data.and_then(|data| serde_json::from_str(&data).ok()));
    }
    events
}

impl Proxy {
    fn talks_of(&self, owner: &Owner) -> SharedTalks {
        let mut owners = self.0.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= OWNERS_MAX && !owners.contains_key(owner) {
            // The log knows them; but what is under way keeps its own.
            owners.retain(|_, talks| Arc::strong_count(talks) > 1);
        }
        Arc::clone(owners.entry(owner.clone()).or_default())
    }

    fn remembered(
        &self,
        engine: &Engine,
        talks_of_owner: SharedTalks,
        mut held: Held,
        wishes: Wishes,
        mut asked: Asked,
    ) -> Result<Remembered, Problem> {
        let owner = wishes.scope.owner.clone();
        let mut reader = Messages::default();
        let mut turns = Vec::new();
        let mut events = Vec::new();
        for (at, item) in asked.items().iter().enumerate() {
            // What a developer says is in every prompt: it need not be remembered.
            let Some(message) = item.message.as_ref().filter(|_| !matches!(item.role(), "system" | "developer")) else {
                continue;
            };
            for event in reader.events(message, &wishes.scope) {
                turns.push(turn_of(engine, &event));
                events.push((at, event));
            }
        }
        let talks = at_hand(engine, &owner, &mut held)?;
        let previous = asked.previous();
        let named =
            Named { session: wishes.names_session.then_some(&wishes.scope.session), response: previous.as_deref() };
        let new_session = || ScopeId::new(format!("chat-{}", self.0.app.env().id())).unwrap_or_default();
        let place = talks.place(&turns, named, new_session);
        let scope = Scope { session: place.session.clone(), ..wishes.scope };
        let new = record(
            engine,
            &scope,
            &turns[place.new_from..],
            events[place.new_from..].iter().map(|(_, event)| event),
            None,
        )?;
        let place = talks.go_on(&place, new, None);
        let ids = talks.events(&place, &turns);
        drop(held);

        let before = asked.items().len();
        let mut trimmed_tokens = 0;
        let mut kept = vec![true; before];
        if let Some(trim) = wishes.trim.filter(|_| !asked.is_continued()) {
            let costs: Vec<usize> =
                asked.items().iter().map(|item| MESSAGE_TOKENS + self.tokens(item.text())).collect();
            let beside: usize = asked.beside().map(|text| self.tokens(text)).sum();
            kept = trim::kept(asked.items(), &costs, trim.saturating_sub(beside + wishes.budget));
            trimmed_tokens = costs.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|(cost, _)| cost).sum();
        }
        let in_prompt = events.iter().zip(&ids).filter(|((at, _), _)| kept[*at]).filter_map(|(_, id)| *id).collect();
        asked.keep(&kept);
        let question = question(events.iter().map(|(_, event)| event));
        let block_tokens = match question {
            Some((text, preceding)) if wishes.budget > 0 => {
                self.add_block(engine, &scope, text, preceding, in_prompt, wishes.budget, &mut asked)?
            }
            _ => 0,
        };
        Ok(Remembered { body: asked.changed(), scope, talks: talks_of_owner, place, block_tokens, trimmed_tokens })
    }

    /// Returns the block's tokens; none if there is nothing to say.
    #[expect(clippy::too_many_arguments, reason = "each is said once")]
    fn add_block(
        &self,
        engine: &Engine,
        scope: &Scope,
        text: String,
        preceding: Vec<String>,
        except: Vec<EventId>,
        budget_tokens: usize,
        asked: &mut Asked,
    ) -> Result<usize, Problem> {
        let mut scope = scope.clone();
        if let Some(task) = &scope.task
            && engine.task(&scope.owner, task)?.is_none()
        {
            // It has not begun.
            scope.task = None;
        }
        let query = Query {
            preceding,
            filter: Filter { except, ..Filter::default() },
            ..Query::new(scope, text, engine.now())
        };
        let options = BlockOptions { budget_tokens, ..BlockOptions::default() };
        let block = engine.context(&query, &options)?;
        Ok(if !block.text.is_empty() && asked.add(&block.text) { block.tokens } else { 0 })
    }

    fn heard(&self, engine: &Engine, mut held: Held, request: &Remembered, reply: Reply) -> Result<(), Problem> {
        let mut reader = Messages::default();
        let mut events: Vec<RawEvent> =
            reply.messages.iter().flat_map(|message| reader.events(message, &request.scope)).collect();
        if reply.is_partial {
            events.iter_mut().for_each(|event| {
                event.metadata.insert("interrupted".to_owned(), true.into());
            });
        }
        let turns: Vec<Turn> = events.iter().map(|event| turn_of(engine, event)).collect();
        let talks = at_hand(engine, &request.scope.owner, &mut held)?;
        let new = record(engine, &request.scope, &turns, events.iter(), reply.id.as_deref())?;
        talks.go_on(&request.place, new, reply.id);
        Ok(())
    }

    /// Tokens of the texts in a JSON, as a model is sent them.
    fn tokens(&self, json: &str) -> usize {
        let mut mark = Mark::default();
        mark.copy_from_slice(&blake3::hash(json.as_bytes()).as_bytes()[..16]);
        if let Some(tokens) = self.0.counted.lock().unwrap_or_else(PoisonError::into_inner).get(&mark) {
            return *tokens;
        }
        let tokens = serde_json::from_str(json).map_or(0, |value: Value| tokens_of(&value));
        let mut counted = self.0.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() >= COUNTED_MAX {
            counted.clear();
        }
        counted.insert(mark, tokens);
        tokens
    }
}

fn tokens_of(value: &Value) -> usize {
    match value {
        Value::String(text) if text.starts_with("data:") => IMAGE_TOKENS,
        Value::String(text) => Tokenizer::O200kBase.count(text),
        Value::Array(values) => values.iter().map(tokens_of).sum(),
        Value::Object(fields) => fields.iter().map(|(_, value)| tokens_of(value)).sum(),
        _ => 0,
    }
}

/// The owner's talks, out of the log if they are not at hand.
fn at_hand<'a>(engine: &Engine, owner: &Owner, held: &'a mut Held) -> Result<&'a mut Talks, Problem> {
    if held.is_none() {
        let page = EventPage { newest_first: true, limit: EVENTS_LOOKED_AT, ..EventPage::default() };
        let mut events = engine.event_page(owner, &page)?;
        events.reverse();
        **held = Some(Talks::of_log(&events));
    }
    Ok(held.get_or_insert_default())
}

fn turn_of(engine: &Engine, event: &RawEvent) -> Turn {
    Turn::of(event, &engine.without_secrets(&event.scope.owner, &event.content))
}

/// Records turns, in order. One that is refused (erased, or no text) is known from now on, and is not in memory.
fn record<'a>(
    engine: &Engine,
    scope: &Scope,
    turns: &[Turn],
    events: impl Iterator<Item = &'a RawEvent>,
    response: Option<&str>,
) -> Result<Vec<(Turn, Option<EventId>)>, Problem> {
    let entries = turns.iter().zip(events).map(|(turn, event)| {
        let mut event = RawEvent { scope: scope.clone(), ..event.clone() };
        talk::note(&mut event, turn, response);
        shorten(&mut event);
        (event, None)
    });
    let entries: Vec<_> = entries.collect();
    let mut recorded = Vec::with_capacity(turns.len());
    for some in entries.chunks(BATCH_EVENTS_MAX) {
        recorded.extend(engine.observe_many(some.to_vec())?);
    }
    let id = |result: Result<holdfast::engine::Observed, Error>| match result {
        Ok(observed) => Some(observed.id),
        Err(error) => {
            tracing::debug!("a turn is not recorded: {}", Problem::from(error).code);
            None
        }
    };
    Ok(turns.iter().cloned().zip(recorded.into_iter().map(id)).collect())
}

/// What is longer than an event may be keeps its beginning, and says so.
fn shorten(event: &mut RawEvent) {
    let whole = event.content.len();
    if whole > CONTENT_BYTES_MAX {
        event.content.truncate(event.content.floor_char_boundary(CONTENT_BYTES_MAX));
        event.metadata.insert("cut_from_bytes".to_owned(), whole.into());
    }
}

/// What is asked for, and the turns around it if it does not say by itself what it is about ("go on", 「那另一个呢」). Else they would
/// drown the question in their words; they are in the prompt anyway.
fn question<'a>(events: impl Iterator<Item = &'a RawEvent>) -> Option<(String, Vec<String>)> {
    let events: Vec<&RawEvent> = events.collect();
    let at = events.iter().rposition(|event| event.source == Source::User).or_else(|| events.len().checked_sub(1))?;
    let text = events[at].content.clone();
    let is_telling = |term: &QueryTerm| term.strength != Strength::Stop && term.kind != TermKind::Character;
    let telling = query_terms(&text).into_iter().filter(is_telling).count();
    if telling >= TELLING_WORDS {
        return Some((text, Vec::new()));
    }
    let others = events.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, event)| &event.content);
    let mut preceding: Vec<String> =
        others.rev().take(PRECEDING.0).map(|text| text[..text.floor_char_boundary(PRECEDING.1)].to_owned()).collect();
    preceding.reverse();
    Some((text, preceding))
}

#[cfg(test)]
mod tests {
    use holdfast::types::event::Kind;

    use super::*;

    #[test]
    fn a_question_that_says_nothing_is_read_with_what_was_said_before() {
        for (asked, alone) in [
            ("备用机房在哪里？", true),
            ("where is the backup data centre of the company?", true),
            ("继续", false),
            ("好的", false),
            ("go on", false),
            ("那另一个呢？", false),
            ("and the second one?", false),
        ] {
            let event = |source, kind, text| RawEvent::new(Scope::default(), source, kind, text);
            let events =
                [event(Source::Agent, Kind::Response, "周报要先写结论吗？"), event(Source::User, Kind::Query, asked)];
            let (text, preceding) = question(events.iter()).unwrap();
            assert_eq!((text.as_str(), preceding.is_empty()), (asked, alone));
        }
        assert!(question([].iter()).is_none());
    }

    #[test]
    fn a_stream_is_over_with_its_last_event_and_not_before() {
        let done = "data: {\"choices\":[]}\n\ndata: [DONE]";
        for (dialect, text, is_over) in [
            (Dialect::Chat, done, true),
            (Dialect::Chat, &format!("{done}\n\n"), true),
            (Dialect::Chat, "data: {\"choices\":[{\"delta\":{\"content\":\"[DONE]\"}}]}\n\n", false),
            (Dialect::Responses, "event: response.completed\ndata: {\"type\":\"response.completed\"", false),
            (Dialect::Responses, "event: a\ndata: {}\n\nevent: response.completed\ndata: {\"x\":1}\n\n", true),
            (Dialect::Responses, "event: response.created\r\ndata: {}\r\n\r\n", false),
            (Dialect::Responses, "data: {}\r\n\r\ndata: {\"type\":\"response.failed\"}\r\n\r\n", true),
            (Dialect::Responses, "", false),
        ] {
            assert_eq!(is_ended(dialect, text.as_bytes()), is_over, "{text}");
        }
    }
}
