//! The journal: what was done and served, as pages and as a live tail; the report; undoing.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::header;
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use holdfast::store::JournalPage;
use holdfast::types::ids::{EventId, MemoryId, OperationId, RunId};
use holdfast::types::operation::{JournalEntry, Verb};
use holdfast::types::undo::{Undo, Undoing};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_stream::Stream;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::Json;
use super::super::problem::Problem;
use super::{LIMIT_DEFAULT, limit};
use crate::keys::Role;
use crate::wire::{answers, requests};

/// How often the tail looks for what is new: soon enough for a person who watches, and nothing to a store that is at rest.
const TAIL_EVERY: Duration = Duration::from_millis(500);
/// Lines sent at once.
const TAIL_LINES: usize = 200;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(journal))
        .routes(routes!(tail))
        .routes(routes!(verify))
        .routes(routes!(report))
        .routes(routes!(undo))
}

#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct JournalParameters {
    /// Only of this run.
    #[serde(default)]
    #[param(value_type = Option<answers::Id>)]
    run: Option<RunId>,
    /// Only of this verb.
    #[serde(default)]
    #[param(value_type = Option<answers::Verb>)]
    verb: Option<Verb>,
    /// Only on this event, or caused by it.
    #[serde(default)]
    #[param(value_type = Option<answers::Id>)]
    event: Option<EventId>,
    /// Only on this memory.
    #[serde(default)]
    #[param(value_type = Option<answers::Id>)]
    memory: Option<MemoryId>,
    /// Go on behind this cursor: `next` of the page before.
    #[serde(default)]
    after: Option<i64>,
    /// Newest first [default: true].
    #[serde(default)]
    newest_first: Option<bool>,
    /// Lines on a page [default: 100].
    #[serde(default)]
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

impl JournalParameters {
    fn page(self, access: &Access) -> Result<JournalPage, Problem> {
        Ok(JournalPage {
            run: self.run,
            verb: self.verb,
            event: self.event,
            memory: self.memory,
            task: access.scope.task.clone(),
            after: self.after,
            newest_first: self.newest_first.unwrap_or(true),
            limit: limit(self.limit, LIMIT_DEFAULT)?,
            ..JournalPage::default()
        })
    }
}

/// A page of the journal.
#[derive(Debug, Serialize, ToSchema)]
struct JournalLines {
    #[schema(value_type = Vec<answers::Operation>)]
    operations: Vec<Value>,
    /// The cursor of the next page; `null`: this was the last.
    next: Option<i64>,
}

/// Every change, and what was served to whom
#[utoipa::path(
    get, path = "/journal", tag = "journal", operation_id = "journal", params(ScopeParameters, JournalParameters),
    responses((status = 200, description = "A page", body = JournalLines))
)]
async fn journal(
    State(app): State<App>,
    access: Access,
    Query(asked): Query<JournalParameters>,
) -> Result<axum::Json<JournalLines>, Problem> {
    let page = asked.page(&access)?;
    let limit = page.limit;
    let entries = app.call(move |engine| engine.journal(&access.scope.owner, &page)).await?;
    let next = (entries.len() == limit).then(|| entries.last().map(|entry| entry.position)).flatten();
    Ok(axum::Json(JournalLines { operations: entries.iter().map(|entry| json!(entry)).collect(), next }))
}

/// The journal as it is written
///
/// Server-sent events, one for each operation, with its position as the event's id: a client that reconnects with `Last-Event-ID`
/// misses nothing. Begins with what is new, or behind `after`.
#[utoipa::path(
    get, path = "/journal/tail", tag = "journal", operation_id = "journal_tail", params(ScopeParameters, JournalParameters),
    responses((status = 200, description = "A stream that stays open", content_type = "text/event-stream", body = String))
)]
async fn tail(
    State(app): State<App>,
    access: Access,
    headers: axum::http::HeaderMap,
    Query(asked): Query<JournalParameters>,
) -> Result<Sse<impl Stream<Item = Result<Sent, Infallible>>>, Problem> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let given = last.or(asked.after);
    let page = JournalPage { newest_first: false, limit: TAIL_LINES, ..asked.page(&access)? };
    let owner = access.owner();
    let begins = match given {
        Some(after) => after,
        None => {
            let (owner, newest) =
                (owner.clone(), JournalPage { newest_first: true, limit: 1, ..JournalPage::default() });
            let newest = app.call(move |engine| engine.journal(&owner, &newest)).await?;
            newest.first().map_or(0, |entry| entry.position)
        }
    };
    let (sender, receiver) = tokio::sync::mpsc::channel(TAIL_LINES);
    tokio::spawn(async move {
        let mut page = JournalPage { after: Some(begins), ..page };
        loop {
            let (asked, owner) = (page.clone(), owner.clone());
            let Ok(entries) = app.call(move |engine| engine.journal(&owner, &asked)).await else { break };
            for entry in &entries {
                page.after = Some(entry.position);
                if sender.send(Ok(told(entry))).await.is_err() {
                    return;
                }
            }
            if entries.len() < TAIL_LINES {
                tokio::select! {
                    () = tokio::time::sleep(TAIL_EVERY) => {}
                    () = sender.closed() => return,
                    () = app.closing() => return,
                }
            }
        }
    });
    Ok(Sse::new(tokio_stream::wrappers::ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()))
}

fn told(entry: &JournalEntry) -> Sent {
    let sent = Sent::default().id(entry.position.to_string()).event(entry.operation.verb.as_str());
    sent.data(json!(entry).to_string())
}

/// Check every link of the journal's chain
#[utoipa::path(
    get, path = "/journal/verify", tag = "journal", operation_id = "verify_journal", params(ScopeParameters),
    responses((status = 200, description = "It holds", body = answers::JournalCheck))
)]
async fn verify(State(app): State<App>, access: Access) -> Result<axum::Json<Value>, Problem> {
    app.call(move |engine| Ok(json!(engine.verify_journal(&access.scope.owner)?))).await.map(axum::Json)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReportParameters {
    /// Only of this run.
    #[serde(default)]
    #[param(value_type = Option<answers::Id>)]
    run: Option<RunId>,
    /// json, text or html [default: json].
    #[serde(default)]
    #[param(value_type = Option<requests::Format>, inline)]
    format: Option<String>,
}

/// What was done: kept, compressed, discarded, rescued, superseded, served
#[utoipa::path(
    get, path = "/report", tag = "journal", operation_id = "report", params(ScopeParameters, ReportParameters),
    responses((status = 200, description = "The report", content(
        (answers::Report = "application/json"), (String = "text/plain"), (String = "text/html")
    )))
)]
async fn report(
    State(app): State<App>,
    access: Access,
    Query(asked): Query<ReportParameters>,
) -> Result<Response, Problem> {
    let page = JournalPage { run: asked.run, task: access.scope.task.clone(), ..JournalPage::default() };
    let owner = access.owner();
    match asked.format.as_deref().unwrap_or("json") {
        "json" => {
            let report = app.call(move |engine| engine.report(&owner, &page)).await?;
            Ok(axum::Json(json!(report)).into_response())
        }
        "text" => {
            let report = app.call(move |engine| engine.report(&owner, &page)).await?;
            let mut text = crate::commands::report_in_words(&report).join("\n");
            text.push('\n');
            Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
        }
        "html" => {
            let html = app.call(move |engine| engine.report_page(&owner, &page)).await?;
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                // What was said is in it: it may show, and do nothing.
                (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; img-src data:"),
            ];
            Ok((headers, html).into_response())
        }
        other => Err(Problem::bad_request(format!("format: {other:?} is none of json, text, html"))),
    }
}

/// What to undo: one of `operation`, `run` and `to`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    /// The change that this operation was a part of.
    #[serde(default)]
    #[schema(value_type = Option<answers::Id>)]
    operation: Option<OperationId>,
    /// All that was done in a run.
    #[serde(default)]
    #[schema(value_type = Option<answers::Id>)]
    run: Option<RunId>,
    /// All that was done after a moment.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Only say how far it would reach [default: false].
    #[serde(default)]
    preview: bool,
    /// Also what came later and changed the same.
    #[serde(default)]
    with_dependants: bool,
    /// Why, for the journal.
    #[serde(default)]
    reason: String,
}

/// Undo an operation, a run, or everything after a moment
#[utoipa::path(
    post, path = "/undo", tag = "journal", operation_id = "undo", params(ScopeParameters),
    request_body = UndoRequest,
    responses((status = 200, description = "What is undone, or would be", body = answers::Undone))
)]
async fn undo(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<UndoRequest>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let what = match (asked.operation, asked.run, asked.to) {
        (Some(id), None, None) => Undoing::Operation(id),
        (None, Some(run), None) => Undoing::Run(run),
        (None, None, Some(moment)) => Undoing::To(moment),
        _ => return Err(Problem::body_refused("say what to undo: one of operation, run and to")),
    };
    let undo = Undo { what, reason: asked.reason, with_dependants: asked.with_dependants };
    let undone = app
        .call(move |engine| {
            let owner = &access.scope.owner;
            if asked.preview { engine.undo_preview(owner, &undo) } else { engine.undo(owner, &undo) }
        })
        .await?;
    Ok(axum::Json(json!(undone)))
}
