//! Long-term memory: seen, said, confirmed and taken back; learning, and what served memories did.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use holdfast::engine::{Effect, Error, NewMemory};
use holdfast::types::ids::MemoryId;
use holdfast::types::memory::{MemoryFilter, MemoryStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::Json;
use super::super::problem::Problem;
use super::{LIMIT_DEFAULT, limit};
use crate::keys::Role;
use crate::wire::{self, answers, requests};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(add, list))
        .routes(routes!(show))
        .routes(routes!(history))
        .routes(routes!(confirm))
        .routes(routes!(retract))
        .routes(routes!(feedback))
        .routes(routes!(learn))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// Only of this status; `all` is every one [default: active, pending and fading].
    #[serde(default)]
    #[param(value_type = Option<requests::StatusChosen>, inline)]
    status: Option<String>,
    /// Go on behind this cursor: `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// Memories on a page [default: 100].
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// A page of memories, in the order they were made.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryList {
    #[schema(value_type = Vec<answers::Memory>)]
    memories: Vec<Value>,
    /// The cursor of the next page; `null`: this was the last.
    next: Option<String>,
}

/// List memories
#[utoipa::path(
    get, path = "/memories", tag = "memories", operation_id = "list_memories", params(ScopeParameters, ListParameters),
    responses((status = 200, description = "A page", body = MemoryList))
)]
async fn list(
    State(app): State<App>,
    access: Access,
    Query(page): Query<ListParameters>,
) -> Result<axum::Json<MemoryList>, Problem> {
    let limit = limit(page.limit, LIMIT_DEFAULT)?;
    let statuses = match page.status.as_deref() {
        None => MemoryStatus::OPEN.to_vec(),
        Some("all") => Vec::new(),
        Some(word) => vec![MemoryStatus::from_word(word).ok_or_else(|| {
            let words: Vec<&str> = MemoryStatus::ALL.iter().map(|status| status.as_str()).collect();
            Problem::bad_request(format!("status: {word:?} is none of {}, all", words.join(", ")))
        })?],
    };
    let filter = MemoryFilter { slot: None, statuses };
    let mut memories = app.call(move |engine| engine.memories(&access.scope.owner, &filter)).await?;
    if let Some(after) = page.after {
        let at = memories.iter().position(|memory| memory.id.to_string() == after);
        let at = at.ok_or_else(|| {
            Problem::no_such_cursor("there is no such memory on the list: begin again without a cursor")
        })?;
        memories.drain(..=at);
    }
    let next = (memories.len() > limit).then(|| memories[limit - 1].id.to_string());
    memories.truncate(limit);
    Ok(axum::Json(MemoryList { memories: memories.iter().map(|memory| json!(memory)).collect(), next }))
}

/// Have something remembered, on an operator's word
///
/// `{"kind": "rule", "content": "周报先写结论"}`; what an agent or a user says belongs into the log as an event.
#[utoipa::path(
    post, path = "/memories", tag = "memories", operation_id = "add_memory", params(ScopeParameters),
    request_body = requests::NewMemory,
    responses((status = 201, description = "The memory", body = answers::Memory))
)]
async fn add(State(app): State<App>, access: Access, Json(new): Json<NewMemory>) -> Result<Response, Problem> {
    access.caller.must_be(Role::Operator)?;
    let memory = app.call(move |engine| engine.remember(&access.scope.owner, &new)).await?;
    Ok((StatusCode::CREATED, axum::Json(json!(memory))).into_response())
}

/// Show a memory with its evidence
#[utoipa::path(
    get, path = "/memories/{id}", tag = "memories", operation_id = "show_memory",
    params(ScopeParameters, ("id" = String, Path, description = "The memory's id")),
    responses((status = 200, description = "The memory", body = answers::Memory))
)]
async fn show(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<axum::Json<Value>, Problem> {
    let id = memory_id(&id)?;
    let memory = app.call(move |engine| engine.memory(&access.scope.owner, id)?.ok_or(Error::NoSuchMemory(id))).await?;
    Ok(axum::Json(json!(memory)))
}

/// Every version of a memory: who, why, from which event
#[utoipa::path(
    get, path = "/memories/{id}/history", tag = "memories", operation_id = "memory_history",
    params(ScopeParameters, ("id" = String, Path, description = "The memory's id")),
    responses((status = 200, description = "The memory and the operations on it", body = answers::MemoryHistory))
)]
async fn history(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<axum::Json<Value>, Problem> {
    let id = memory_id(&id)?;
    app.call(move |engine| Ok(json!(engine.memory_history(&access.scope.owner, id)?))).await.map(axum::Json)
}

/// Why.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Why {
    #[serde(default)]
    reason: String,
}

/// It is so: a pending memory comes into force, a doubted one is sure again
#[utoipa::path(
    post, path = "/memories/{id}/confirm", tag = "memories", operation_id = "confirm_memory",
    params(ScopeParameters, ("id" = String, Path, description = "The memory's id")),
    request_body = Why,
    responses((status = 200, description = "The memory", body = answers::Memory))
)]
async fn confirm(
    State(app): State<App>,
    access: Access,
    Path(id): Path<String>,
    Json(why): Json<Why>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let id = memory_id(&id)?;
    let memory = app.call(move |engine| engine.confirm(&access.scope.owner, id, &why.reason)).await?;
    Ok(axum::Json(json!(memory)))
}

/// It is not so: a pending memory is rejected, a known one taken back
#[utoipa::path(
    post, path = "/memories/{id}/retract", tag = "memories", operation_id = "retract_memory",
    params(ScopeParameters, ("id" = String, Path, description = "The memory's id")),
    request_body = Why,
    responses((status = 200, description = "The memory", body = answers::Memory))
)]
async fn retract(
    State(app): State<App>,
    access: Access,
    Path(id): Path<String>,
    Json(why): Json<Why>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let id = memory_id(&id)?;
    let memory = app.call(move |engine| engine.reject(&access.scope.owner, id, &why.reason)).await?;
    Ok(axum::Json(json!(memory)))
}

/// What served memories did to the work.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FeedbackRequest {
    #[schema(value_type = Vec<wire::answers::Id>)]
    memories: Vec<MemoryId>,
    /// helped, hurt or ignored.
    #[schema(value_type = requests::Effect)]
    effect: Effect,
}

/// Report what served memories did to the work
#[utoipa::path(
    post, path = "/feedback", tag = "memories", operation_id = "feedback", params(ScopeParameters),
    request_body = FeedbackRequest,
    responses((status = 200, description = "The memories, as they are now", body = Vec<answers::Memory>))
)]
async fn feedback(
    State(app): State<App>,
    access: Access,
    Json(report): Json<FeedbackRequest>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Agent)?;
    let memories = app
        .call(move |engine| {
            engine.feedback(&access.scope.owner, &report.memories, report.effect, access.scope.task.as_ref())
        })
        .await?;
    Ok(axum::Json(json!(memories)))
}

/// How to learn.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Learning {
    /// Only say what would be written.
    #[serde(default)]
    dry_run: bool,
}

/// Learn from the log by rules what is worth knowing beyond a task
///
/// It runs by itself when something telling is said, when a task ends, and every 50 events; this makes up for the rest.
#[utoipa::path(
    post, path = "/learn", tag = "memories", operation_id = "learn", params(ScopeParameters),
    request_body = Learning,
    responses((status = 200, description = "What was learned, and why not the rest", body = answers::Lesson))
)]
async fn learn(
    State(app): State<App>,
    access: Access,
    Json(how): Json<Learning>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(if how.dry_run { Role::Reader } else { Role::Agent })?;
    let lesson = app
        .call(move |engine| {
            let owner = &access.scope.owner;
            if how.dry_run { engine.learn_dry(owner) } else { engine.learn(owner) }
        })
        .await?;
    Ok(axum::Json(crate::wire::lesson(&lesson)))
}

fn memory_id(text: &str) -> Result<MemoryId, Problem> {
    text.parse()
        .map_err(|_| Problem::new(StatusCode::NOT_FOUND, "no_such_memory", format!("{text:?} is no memory's id")))
}
