//! Reading memory: the block for a request, and search.

use axum::extract::State;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, Source};
use holdfast::types::ids::EventId;
use holdfast::types::query::{Filter, Limits, Query};
use holdfast::types::signals::Language;
use jiff::{Timestamp, ZonedDateTime};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::Json;
use super::super::problem::Problem;
use crate::keys::Role;
use crate::wire;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(context)).routes(routes!(recall))
}

/// What a block is asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BlockRequest {
    /// The request, or the step in hand: not the history.
    #[schema(example = "接着把周报弄完")]
    query: String,
    /// The turns just before, newest last: they weigh less than the query.
    #[serde(default)]
    preceding: Vec<String>,
    /// The whole block, fence included [default: 2000].
    #[serde(default)]
    #[schema(minimum = 1)]
    budget_tokens: Option<usize>,
    /// Whose tokens: o200k_base or cl100k_base [default: o200k_base].
    #[serde(default)]
    #[schema(value_type = Option<wire::requests::Tokenizer>)]
    tokenizer: Option<String>,
    /// The language of the labels, zh or en [default: the query's].
    #[serde(default)]
    #[schema(value_type = Option<wire::answers::Language>)]
    language: Option<Language>,
    /// As the prompt of the task's next step: refused until the step before it is written back.
    #[serde(default)]
    step: bool,
    /// Events that are in the prompt already.
    #[serde(default)]
    #[schema(value_type = Vec<wire::answers::Id>)]
    except: Vec<EventId>,
    /// The asker's clock and zone [default: the server's].
    #[serde(default, with = "holdfast::types::moment::option")]
    #[schema(value_type = Option<String>, example = "2026-11-09T09:00:00+08:00")]
    now: Option<ZonedDateTime>,
}

/// The block for a request
///
/// Where the task stands and what memory has on it, within the budget. Put `text` into the prompt as data. The same `fingerprint`
/// means that nothing needs to be sent again; the first `prefix_bytes` change only when goal, constraints and warnings do.
#[utoipa::path(
    post, path = "/context", tag = "recall", operation_id = "context", params(ScopeParameters),
    request_body = BlockRequest,
    responses((status = 200, description = "The block", body = wire::answers::ContextBlock))
)]
async fn context(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<BlockRequest>,
) -> Result<axum::Json<Value>, Problem> {
    if asked.step {
        access.caller.must_be(Role::Agent)?;
    }
    if asked.budget_tokens == Some(0) {
        return Err(Problem::body_refused("budget_tokens: with 0 there is no block: give 1 or more"));
    }
    let block = app.call(move |engine| {
        let now = asked.now.unwrap_or_else(|| engine.now());
        let query = Query {
            preceding: asked.preceding,
            filter: Filter { except: asked.except, ..Filter::default() },
            ..Query::new(access.scope, asked.query, now)
        };
        let default = BlockOptions::default();
        let options = BlockOptions {
            budget_tokens: asked.budget_tokens.unwrap_or(default.budget_tokens),
            tokenizer: asked.tokenizer.unwrap_or(default.tokenizer),
            language: asked.language,
        };
        if asked.step { engine.begin_step(&query, &options) } else { engine.context(&query, &options) }
    });
    Ok(axum::Json(json!(block.await?)))
}

/// What to look for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RecallRequest {
    /// A question, a step, a word.
    #[schema(example = "退货率")]
    query: String,
    /// Events at most [default: 5]; memories and facts come in addition.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 100)]
    limit: Option<usize>,
    /// Only what happened at or after this.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// As the world was then: only what had happened before.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    as_of: Option<Timestamp>,
    /// As was known then: only what had been recorded.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    known_at: Option<Timestamp>,
    /// Also what was overturned, marked so.
    #[serde(default)]
    history: bool,
    /// Only what they said.
    #[serde(default)]
    #[schema(value_type = Vec<wire::Source>)]
    sources: Vec<Source>,
    /// Only of these kinds.
    #[serde(default)]
    #[schema(value_type = Vec<wire::Kind>)]
    kinds: Vec<Kind>,
    /// Only the URL's session and task.
    #[serde(default)]
    in_session: bool,
    /// Why each candidate was returned or not.
    #[serde(default)]
    explain: bool,
    /// The asker's clock and zone [default: the server's].
    #[serde(default, with = "holdfast::types::moment::option")]
    #[schema(value_type = Option<String>, example = "2026-11-09T09:00:00+08:00")]
    now: Option<ZonedDateTime>,
}

/// Events that one answer may hold: what is read by a model, not a copy of the log.
const EVENTS_MAX: usize = 100;

/// Search the memory
#[utoipa::path(
    post, path = "/recall", tag = "recall", operation_id = "recall", params(ScopeParameters),
    request_body = RecallRequest,
    responses((status = 200, description = "What was found", body = wire::answers::Recalled))
)]
async fn recall(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<RecallRequest>,
) -> Result<axum::Json<Value>, Problem> {
    let default = Limits::default();
    let events = asked.limit.unwrap_or(default.events);
    if !(1..=EVENTS_MAX).contains(&events) {
        return Err(Problem::body_refused(format!("limit: it is from 1 to {EVENTS_MAX}, not {events}")));
    }
    let recalled = app.call(move |engine| {
        let now = asked.now.unwrap_or_else(|| engine.now());
        let filter = Filter {
            session: asked.in_session.then(|| access.scope.session.clone()),
            task: access.scope.task.clone().filter(|_| asked.in_session),
            sources: asked.sources,
            kinds: asked.kinds,
            since: asked.since,
            until: asked.as_of,
            known_at: asked.known_at,
            history: asked.history,
            ..Filter::default()
        };
        let limits = Limits { events, total: events + default.facts + default.memories, ..default };
        engine.recall(&Query { filter, limits, ..Query::new(access.scope, asked.query, now) })
    });
    let mut found = json!(recalled.await?);
    if !asked.explain
        && let Some(fields) = found.as_object_mut()
    {
        fields.remove("explain");
    }
    Ok(axum::Json(found))
}
