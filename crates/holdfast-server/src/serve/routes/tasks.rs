//! Tasks and their working memory.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use holdfast::engine::Error;
use holdfast::types::scope::{Scope, TaskId};
use holdfast::types::task::{Outcome, Task};
use holdfast::types::update::{Action, Update};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::Json;
use super::super::problem::Problem;
use super::{LIMIT_DEFAULT, idempotency_key, limit};
use crate::keys::Role;
use crate::wire::{answers, requests};

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(start, list))
        .routes(routes!(show))
        .routes(routes!(update))
        .routes(routes!(end))
        .routes(routes!(abandon_step))
}

/// A task to be opened. Its id may be chosen with `task` in the URL.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTask {
    /// What people will call it.
    #[schema(min_length = 1, example = "第47周周报")]
    title: String,
    /// What is to be reached [default: the title].
    #[serde(default)]
    goal: Option<String>,
    /// What must hold throughout.
    #[serde(default)]
    constraints: Vec<String>,
}

/// Open a task and put the session on it
#[utoipa::path(
    post, path = "/tasks", tag = "tasks", operation_id = "start_task", params(ScopeParameters),
    request_body = NewTask,
    responses((status = 201, description = "The task", body = answers::Task))
)]
async fn start(State(app): State<App>, access: Access, Json(new): Json<NewTask>) -> Result<Response, Problem> {
    access.caller.must_be(Role::Agent)?;
    if new.title.trim().is_empty() {
        let detail = "title: it is empty: give what people will call the task";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "body_refused", detail).with("field", "title"));
    }
    let task = app
        .call(move |engine| engine.start_task(&access.scope, &new.title, new.goal.as_deref(), &new.constraints))
        .await?;
    Ok((StatusCode::CREATED, versioned(&task), axum::Json(json!(task))).into_response())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// Ended ones too [default: false].
    #[serde(default)]
    all: Option<bool>,
    /// Go on behind this cursor: `next` of the page before.
    #[serde(default)]
    after: Option<String>,
    /// Tasks on a page [default: 100].
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// A page of tasks, most recently active first.
#[derive(Debug, Serialize, ToSchema)]
struct TaskList {
    #[schema(value_type = Vec<answers::Task>)]
    tasks: Vec<Value>,
    /// The cursor of the next page; `null`: this was the last.
    next: Option<String>,
}

/// List tasks
#[utoipa::path(
    get, path = "/tasks", tag = "tasks", operation_id = "list_tasks", params(ScopeParameters, ListParameters),
    responses((status = 200, description = "A page", body = TaskList))
)]
async fn list(
    State(app): State<App>,
    access: Access,
    Query(page): Query<ListParameters>,
) -> Result<axum::Json<TaskList>, Problem> {
    let limit = limit(page.limit, LIMIT_DEFAULT)?;
    let all = page.all.unwrap_or(false);
    let mut tasks = app.call(move |engine| engine.tasks(&access.scope.owner, usize::MAX)).await?;
    tasks.retain(|task| all || task.status.is_live());
    if let Some(after) = page.after {
        let at = tasks.iter().position(|task| task.id.as_str() == after);
        let at = at.ok_or_else(|| {
            Problem::no_such_cursor("there is no such task on the list: begin again without a cursor")
        })?;
        tasks.drain(..=at);
    }
    let next = (tasks.len() > limit).then(|| tasks[limit - 1].id.to_string());
    tasks.truncate(limit);
    Ok(axum::Json(TaskList { tasks: tasks.iter().map(|task| json!(task)).collect(), next }))
}

/// Show a task with its working memory
///
/// The version is in the ETag too: send it back as If-Match with an update.
#[utoipa::path(
    get, path = "/tasks/{id}", tag = "tasks", operation_id = "show_task",
    params(ScopeParameters, ("id" = String, Path, description = "The task's id")),
    responses((status = 200, description = "The task", body = answers::Task))
)]
async fn show(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<Response, Problem> {
    let id = task_id(&id)?;
    let task = app.call(move |engine| engine.task(&access.scope.owner, &id)?.ok_or(Error::NoSuchTask(id))).await?;
    Ok((versioned(&task), axum::Json(json!(task))).into_response())
}

/// What an update led to.
#[derive(Debug, Serialize, ToSchema)]
struct UpdatedTask {
    #[schema(value_type = answers::Task)]
    task: Value,
    /// The version that the next update may expect.
    version: u64,
    /// The idempotency key was known: nothing was changed.
    repeated: bool,
    /// The actions that changed something, by their names.
    changes: Vec<String>,
    /// Statements that were overturned.
    overturned: Vec<String>,
}

/// Apply a typed update
///
/// Whole or not at all, in one transaction with the event that says so. For example
/// `{"actions": [{"action": "complete_step", "result": "41 minutes"}, {"action": "next_step"}]}`. The version that was seen goes into
/// `If-Match` or `expected_version`: another one now is a conflict, which names it.
#[utoipa::path(
    post, path = "/tasks/{id}/updates", tag = "tasks", operation_id = "update_task",
    params(ScopeParameters, ("id" = String, Path, description = "The task's id")),
    request_body = requests::Update,
    responses((status = 200, description = "Applied", body = UpdatedTask))
)]
async fn update(
    State(app): State<App>,
    access: Access,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(mut update): Json<Update>,
) -> Result<Response, Problem> {
    access.caller.must_be(Role::Agent)?;
    let id = task_id(&id)?;
    let matched = if_match(&headers)?;
    update.expected_version = matched.or(update.expected_version);
    update.idempotency_key = idempotency_key(&headers)?.or(update.idempotency_key);
    apply(app, access, id, update, matched.is_some()).await
}

/// How a task ended.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Ending {
    #[schema(value_type = answers::Outcome)]
    outcome: Outcome,
    /// For a failure, why: its lesson is kept.
    #[serde(default)]
    reason: Option<String>,
}

/// End a task: success, failure or abandoned
///
/// Its frames are cleared, its log stays, and what it taught is consolidated.
#[utoipa::path(
    post, path = "/tasks/{id}/end", tag = "tasks", operation_id = "end_task",
    params(ScopeParameters, ("id" = String, Path, description = "The task's id")),
    request_body = Ending,
    responses((status = 200, description = "Ended", body = UpdatedTask))
)]
async fn end(
    State(app): State<App>,
    access: Access,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(ending): Json<Ending>,
) -> Result<Response, Problem> {
    access.caller.must_be(Role::Agent)?;
    let id = task_id(&id)?;
    let matched = if_match(&headers)?;
    let end = Action::End { outcome: ending.outcome, reason: ending.reason };
    let update = Update { actions: vec![end], expected_version: matched, idempotency_key: idempotency_key(&headers)? };
    apply(app, access, id, update, matched.is_some()).await
}

/// Give up the step whose prompt is out, after its loop died
#[utoipa::path(
    post, path = "/tasks/{id}/abandon-step", tag = "tasks", operation_id = "abandon_step",
    params(ScopeParameters, ("id" = String, Path, description = "The task's id")),
    responses((status = 204, description = "A new prompt may be had"))
)]
async fn abandon_step(State(app): State<App>, access: Access, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    access.caller.must_be(Role::Agent)?;
    let id = task_id(&id)?;
    let scope = Scope { task: Some(id), ..access.scope };
    app.call(move |engine| engine.abandon_step(&scope)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// With `is_matched`, the version that was expected came as `If-Match`, and its conflict is told as HTTP tells it.
async fn apply(app: App, access: Access, id: TaskId, update: Update, is_matched: bool) -> Result<Response, Problem> {
    let scope = Scope { task: Some(id), ..access.scope };
    let updated = app
        .call(move |engine| {
            let updated = engine.update(&scope, &update)?;
            // Nothing more is due here between a write-back and the next prompt.
            engine.consolidate(&scope)?;
            Ok(updated)
        })
        .await
        .map_err(|problem| {
            let is_unmet = is_matched && problem.code == "version_conflict";
            if is_unmet { problem.with_status(StatusCode::PRECONDITION_FAILED) } else { problem }
        })?;
    let answer = UpdatedTask {
        version: updated.task.version,
        repeated: updated.repeated,
        changes: updated.changes,
        overturned: updated.overturned.clone(),
        task: json!(updated.task),
    };
    Ok((versioned(&updated.task), axum::Json(answer)).into_response())
}

fn versioned(task: &Task) -> [(HeaderName, String); 1] {
    [(header::ETAG, format!("\"{}\"", task.version))]
}

/// The version in `If-Match`, as `GET` gave it: `"7"`.
fn if_match(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let version = text.strip_prefix("W/").unwrap_or(text).trim_matches('"').parse();
    version
        .map(Some)
        .map_err(|_| Problem::bad_request("If-Match is not a task's version, like \"7\": the ETag of the task"))
}

/// What can be no task's id names none.
fn task_id(text: &str) -> Result<TaskId, Problem> {
    TaskId::new(text).map_err(|error| Problem::new(StatusCode::NOT_FOUND, "no_such_task", error.to_string()))
}
