//! Events: recorded one by one or as a stream of lines, read, and looked back on.

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use holdfast::import::{self, Entry, Format, Options};
use holdfast::store::EventPage;
use holdfast::types::event::{Kind, RawEvent, Source, Trust};
use holdfast::types::ids::{EventId, Seq};
use holdfast::types::query::Filter;
use holdfast::types::update::Update;
use jiff::ZonedDateTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::{Incoming, Json, Outgoing, refuse_empty, refuse_encoded};
use super::super::problem::Problem;
use super::{LIMIT_DEFAULT, idempotency_key, limit};
use crate::keys::Role;
use crate::wire::{self, answers};

/// Lines recorded with one commit, while the client has more to send.
const LINES_TOGETHER: usize = 200;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(observe, list))
        .routes(routes!(observe_lines))
        .routes(routes!(show))
        .routes(routes!(history))
        .routes(routes!(restore))
}

/// An event as it is handed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewEvent {
    /// What was said or done; secrets in it are replaced before anything is stored.
    #[schema(min_length = 1, max_length = 1_048_576, example = "以后周报都先写结论，再列数据")]
    content: String,
    /// Who spoke [default: user].
    #[serde(default = "user")]
    #[schema(value_type = wire::Source)]
    source: Source,
    /// What sort of thing it is [default: by the source].
    #[schema(value_type = Option<wire::Kind>)]
    #[serde(default)]
    kind: Option<Kind>,
    /// When it happened, with its offset [default: now].
    #[serde(default, with = "holdfast::types::moment::option")]
    #[schema(value_type = Option<String>, example = "2026-11-09T09:00:00+08:00")]
    occurred_at: Option<ZonedDateTime>,
    /// Whether what it says may be believed [default: only what people and agents say].
    #[serde(default)]
    #[schema(value_type = Option<wire::Trust>)]
    trust: Option<Trust>,
    /// Labels.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    metadata: Option<Map<String, Value>>,
    /// The same key twice is one event; the header Idempotency-Key says the same.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// An update of working memory that is applied in the same transaction.
    #[serde(default)]
    #[schema(value_type = Option<wire::requests::Update>)]
    update: Option<Update>,
}

fn user() -> Source {
    Source::User
}

/// Record an event
///
/// Answered once it is durable. What the rules read in it (its task, a state, a memory) is in the answer.
#[utoipa::path(
    post, path = "/events", tag = "events", operation_id = "observe", params(ScopeParameters),
    request_body = NewEvent,
    responses(
        (status = 201, description = "Recorded", body = wire::ObservedEvent),
        (status = 200, description = "Known already under its idempotency key: the first one", body = wire::ObservedEvent),
    )
)]
async fn observe(
    State(app): State<App>,
    access: Access,
    headers: HeaderMap,
    Json(new): Json<NewEvent>,
) -> Result<Response, Problem> {
    access.caller.must_be(Role::Agent)?;
    let key = idempotency_key(&headers)?.or(new.idempotency_key);
    let raw = RawEvent {
        occurred_at: new.occurred_at,
        trust: new.trust,
        metadata: new.metadata.unwrap_or_default(),
        idempotency_key: key,
        ..RawEvent::new(access.scope, new.source, new.kind.unwrap_or_else(|| wire::kind_of(new.source)), new.content)
    };
    let observed = app.call(move |engine| engine.observe_with(raw, new.update)).await?;
    let status = if observed.duplicate { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, axum::Json(wire::observed(&observed))).into_response())
}

/// Record many events
///
/// A line of JSON for each event, with `user`, `agent`, `session` and `task` of its own where they differ from the URL's. Each line is
/// answered by one, in order: the event, or `{"error": …}` with its reason; a bad line keeps no other out. Lines are recorded as they
/// arrive, so the connection may stay open.
#[utoipa::path(
    post, path = "/events/batch", tag = "events", operation_id = "observe_lines", params(ScopeParameters),
    request_body(content = wire::requests::Lines, content_type = "application/x-ndjson", example = "{\"content\": \"周报用PDF\", \"source\": \"user\", \"kind\": \"query\"}\n"),
    responses((status = 200, description = "A line for each line", content_type = "application/x-ndjson", body = String))
)]
async fn observe_lines(State(app): State<App>, access: Access, request: Request) -> Result<Response, Problem> {
    access.caller.must_be(Role::Agent)?;
    refuse_encoded(&request)?;
    refuse_empty(&request)?;
    let incoming = Incoming::of(request.into_body());
    let (outgoing, body) = Outgoing::new();
    let engine = app.shared_engine();
    let zone = app.env().zone().clone();
    tokio::task::spawn_blocking(move || {
        let options = Options { scope: access.scope.clone(), zone, format: Some(Format::Native), live: true };
        record_lines(&engine, &access, incoming, options, outgoing);
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

fn record_lines(
    engine: &holdfast::engine::Engine,
    access: &Access,
    incoming: Incoming,
    options: Options,
    mut out: Outgoing,
) {
    use std::io::Write;
    let waiting = incoming.watch();
    let mut entries = match import::read(incoming, "the body", options) {
        Ok(entries) => entries,
        Err(error) => {
            let _ = writeln!(out, "{}", json!({ "error": error.to_string(), "code": "body_refused" }))
                .and_then(|()| out.flush());
            return;
        }
    };
    loop {
        let mut batch: Vec<Result<Entry, String>> = Vec::new();
        let mut is_over = false;
        while batch.len() < LINES_TOGETHER && (batch.is_empty() || !waiting.is_waiting()) {
            let Some(entry) = entries.next() else {
                is_over = true;
                break;
            };
            batch.push(entry.map_err(|unread| unread.to_string()));
        }
        if answer(engine, access, batch, &mut out).is_err() || is_over {
            break;
        }
    }
    let _ = out.flush();
}

/// Records what can be recorded of a batch, and writes a line for each of its lines. An error: the client has gone.
fn answer(
    engine: &holdfast::engine::Engine,
    access: &Access,
    batch: Vec<Result<Entry, String>>,
    out: &mut Outgoing,
) -> std::io::Result<()> {
    use std::io::Write;
    let mut answers: Vec<Option<Value>> = Vec::with_capacity(batch.len());
    let mut recorded = Vec::new();
    for entry in batch {
        match entry {
            Ok(entry) if access.caller.covers(&entry.event.scope.owner) => {
                answers.push(None);
                recorded.push((entry.event, entry.update));
            }
            Ok(_) => answers.push(Some(json!({
                "error": "this API key does not open the memory of the tenant, user or agent that the line names",
                "code": "out_of_reach",
            }))),
            Err(why) => answers.push(Some(json!({ "error": why, "code": "body_refused" }))),
        }
    }
    let failed = |problem: &Problem| json!({ "error": problem.detail, "code": problem.code });
    let mut observed = match engine.observe_many(recorded) {
        Ok(observed) => observed.into_iter(),
        Err(error) => {
            // The commit failed for all of them.
            let problem = Problem::from(error);
            for answer in &mut answers {
                answer.get_or_insert_with(|| failed(&problem));
            }
            Vec::new().into_iter()
        }
    };
    for answer in answers {
        let line = answer.unwrap_or_else(|| match observed.next() {
            Some(Ok(observed)) => json!(wire::observed(&observed)),
            Some(Err(error)) => failed(&Problem::from(error)),
            None => json!({ "error": "not recorded", "code": "internal" }),
        });
        writeln!(out, "{line}")?;
    }
    out.flush()
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// Go on behind this cursor: `next` of the page before.
    #[serde(default)]
    after: Option<i64>,
    /// Events on a page [default: 100].
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// A page of events, in the order they were recorded.
#[derive(Debug, Serialize, ToSchema)]
struct EventList {
    #[schema(value_type = Vec<answers::Event>)]
    events: Vec<Value>,
    /// The cursor of the next page; `null`: this was the last.
    next: Option<i64>,
}

/// List events
#[utoipa::path(
    get, path = "/events", tag = "events", operation_id = "list_events", params(ScopeParameters, ListParameters),
    responses((status = 200, description = "A page", body = EventList))
)]
async fn list(
    State(app): State<App>,
    access: Access,
    Query(page): Query<ListParameters>,
) -> Result<axum::Json<EventList>, Problem> {
    let limit = limit(page.limit, LIMIT_DEFAULT)?;
    let filter = Filter {
        session: access.names_session.then(|| access.scope.session.clone()),
        task: access.scope.task.clone(),
        ..Filter::default()
    };
    let page = EventPage { filter, after: page.after.map(Seq), limit, ..EventPage::default() };
    let events = app.call(move |engine| engine.event_page(&access.scope.owner, &page)).await?;
    let next = (events.len() == limit).then(|| events.last().map(|event| event.seq.0)).flatten();
    Ok(axum::Json(EventList { events: events.iter().map(|event| json!(event)).collect(), next }))
}

/// Show an event with its whole body
#[utoipa::path(
    get, path = "/events/{id}", tag = "events", operation_id = "show_event",
    params(ScopeParameters, ("id" = String, Path, description = "The event's id")),
    responses((status = 200, description = "The event", body = answers::Event))
)]
async fn show(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<axum::Json<Value>, Problem> {
    let id = event_id(&id)?;
    let shown = app.call(move |engine| {
        let owner = access.owner();
        let mut stored = engine.event(&owner, id)?.ok_or(holdfast::engine::Error::NoSuchEvent(id))?;
        if stored.archived {
            stored.event.content = engine.body(&owner, id)?;
        }
        Ok(json!(stored))
    });
    shown.await.map(axum::Json)
}

/// Everything that was done to an event, and why
#[utoipa::path(
    get, path = "/events/{id}/history", tag = "events", operation_id = "event_history",
    params(ScopeParameters, ("id" = String, Path, description = "The event's id")),
    responses((status = 200, description = "The event and the operations on it", body = answers::EventHistory))
)]
async fn history(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<axum::Json<Value>, Problem> {
    let id = event_id(&id)?;
    app.call(move |engine| Ok(json!(engine.history(&access.owner(), id)?))).await.map(axum::Json)
}

/// Bring an archived event's body back
#[utoipa::path(
    post, path = "/events/{id}/restore", tag = "events", operation_id = "restore_event",
    params(ScopeParameters, ("id" = String, Path, description = "The event's id")),
    responses((status = 200, description = "The event, whole", body = answers::Event))
)]
async fn restore(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let id = event_id(&id)?;
    app.call(move |engine| Ok(json!(engine.restore(&access.owner(), id)?))).await.map(axum::Json)
}

fn event_id(text: &str) -> Result<EventId, Problem> {
    text.parse().map_err(|_| Problem::new(StatusCode::NOT_FOUND, "no_such_event", format!("{text:?} is no event's id")))
}
