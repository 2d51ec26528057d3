//! The store itself: letting go, forgetting, export and import, archiving, and what it holds.

use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use holdfast::engine::{Engine, Error, ManageOptions, Vouched};
use holdfast::manager::Policy;
use holdfast::types::forget::{Forget, Forgetting, Selection};
use holdfast::types::ids::EventId;
use holdfast::types::scope::Owner;
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::access::{Access, ScopeParameters};
use super::super::app::App;
use super::super::body::{Incoming, Json, Outgoing, refuse_empty, refuse_encoded};
use super::super::problem::Problem;
use crate::commands::exchange::bring_in_body;
use crate::failure::{self, Refused};
use crate::keys::Role;
use crate::wire::{answers, requests};

/// Words fit more than was meant sooner than a name does.
const MATCHING_EVENTS_MAX: u64 = 1_000;
/// A century: whoever asks for more means something else.
const ARCHIVE_DAYS_MAX: u32 = 36_500;
/// Policies as text are read from a body that anybody may send.
const POLICY_DEFAULT: &str = "research";

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(manage))
        .routes(routes!(forget))
        .routes(routes!(export))
        .routes(routes!(import))
        .routes(routes!(archive))
        .routes(routes!(status))
}

/// How the manager is to run.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ManageRequest {
    /// support, research, tutoring or aggressive [default: research].
    #[serde(default)]
    #[schema(value_type = Option<requests::Preset>)]
    policy: Option<String>,
    /// A policy of your own, as TOML that extends one of them.
    #[serde(default)]
    policy_toml: Option<String>,
    /// Only say what would be done.
    #[serde(default)]
    dry_run: bool,
    /// However much of the store it touches.
    #[serde(default)]
    force: bool,
    /// There is no room: don't spare open stages, but discard nothing of them.
    #[serde(default)]
    over_budget: bool,
}

/// Let go of what a policy no longer keeps
///
/// Nothing goes at once, and whatever was done is undone by its run.
#[utoipa::path(
    post, path = "/manage", tag = "store", operation_id = "manage", params(ScopeParameters),
    request_body = ManageRequest,
    responses((status = 200, description = "What became of each event", body = answers::Managed))
)]
async fn manage(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<ManageRequest>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(if asked.dry_run { Role::Reader } else { Role::Operator })?;
    let policy = match (&asked.policy, &asked.policy_toml) {
        (Some(_), Some(_)) => return Err(Problem::body_refused("give policy or policy_toml, not both")),
        (None, Some(text)) => Policy::from_toml(text).map_err(|error| {
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "policy_refused", error.to_string())
                .with("field", "policy_toml")
        })?,
        (name, None) => {
            let name = name.as_deref().unwrap_or(POLICY_DEFAULT);
            Policy::preset(name).ok_or_else(|| {
                let detail = format!("policy: {name:?} is none of {}", Policy::preset_names().join(", "));
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "policy_refused", detail).with("field", "policy")
            })?
        }
    };
    let ManageRequest { dry_run, force, over_budget, .. } = asked;
    let options = ManageOptions { dry_run, force, over_budget };
    app.call(move |engine| Ok(json!(engine.manage(&access.scope.owner, &policy, options)?))).await.map(axum::Json)
}

/// What to do with what is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum How {
    /// Take it out of view; it is kept.
    Hide,
    /// Take it out of every copy; nobody can bring it back.
    Erase,
    /// Bring what is hidden back into view.
    Unhide,
}

/// What is to be forgotten: one of `events`, `matching`, `session`, `task` and `everything`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ForgetRequest {
    /// These events.
    #[serde(default)]
    #[schema(value_type = Vec<answers::Id>)]
    events: Vec<EventId>,
    /// Events and memories that have these words, in any width, case or Chinese script.
    #[serde(default)]
    matching: Option<String>,
    /// The URL's session.
    #[serde(default)]
    session: bool,
    /// The URL's task, with its state.
    #[serde(default)]
    task: bool,
    /// All of the URL's user (with every agent, unless one is named) or agent (with every user).
    #[serde(default)]
    everything: bool,
    /// Without it, it is only said how far it would reach.
    #[serde(default)]
    how: Option<How>,
    /// Why, for the journal; better without a word of what is forgotten.
    #[serde(default)]
    reason: String,
    /// Touch nothing if it is more events than this [default: 1000 with matching].
    #[serde(default)]
    max: Option<u64>,
}

impl ForgetRequest {
    fn selection(&self, access: &Access) -> Result<Selection, Problem> {
        let named = [!self.events.is_empty(), self.matching.is_some(), self.session, self.task, self.everything];
        if named.iter().filter(|is_named| **is_named).count() != 1 {
            return Err(Problem::body_refused("say what: one of events, matching, session, task and everything"));
        }
        if let Some(words) = &self.matching {
            return Ok(Selection::Matching(words.clone()));
        }
        if self.session {
            let missing = || Problem::body_refused("which session? Name it in the URL: ?session=ID");
            return access.names_session.then(|| Selection::Session(access.scope.session.clone())).ok_or_else(missing);
        }
        if self.task {
            let missing = || Problem::body_refused("which task? Name it in the URL: ?task=ID");
            return access.scope.task.clone().map(Selection::Task).ok_or_else(missing);
        }
        if self.everything {
            let is_named = access.names_user || access.names_agent;
            let missing = || Problem::body_refused("everything of whom? Name them in the URL: ?user=ID or ?agent=ID");
            return is_named.then_some(Selection::Everything).ok_or_else(missing);
        }
        Ok(Selection::Events(self.events.clone()))
    }
}

/// Forget on request: how far it would reach, or hide it, or erase it from every copy
#[utoipa::path(
    post, path = "/forget", tag = "store", operation_id = "forget", params(ScopeParameters),
    request_body = ForgetRequest,
    responses((status = 200, description = "For each owner, how far it would reach, or the receipt", body = Vec<answers::Forgotten>))
)]
async fn forget(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<ForgetRequest>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let selection = asked.selection(&access)?;
    let done = app.call(move |engine| {
        let owners = owners_meant(engine, &access, asked.everything)?;
        let request = Forget {
            selection,
            how: if asked.how == Some(How::Hide) { Forgetting::Hide } else { Forgetting::Erase },
            reason: asked.reason,
            events_max: asked.max.or_else(|| asked.matching.is_some().then_some(MATCHING_EVENTS_MAX)),
        };
        let one = |owner: &Owner| match asked.how {
            None => Ok(json!(engine.forget_preview(owner, &request)?)),
            Some(How::Unhide) => Ok(json!({ "events": engine.unhide(owner, &request.selection, &request.reason)? })),
            Some(How::Hide | How::Erase) => Ok(json!(engine.forget(owner, &request)?)),
        };
        owners.iter().map(one).collect::<Result<Vec<Value>, Error>>()
    });
    Ok(axum::Json(Value::Array(done.await?)))
}

/// Whose. Everything of a user is of all agents, and everything of an agent of all users.
fn owners_meant(engine: &Engine, access: &Access, everything: bool) -> Result<Vec<Owner>, Error> {
    let named = &access.scope.owner;
    if !everything {
        return Ok(vec![named.clone()]);
    }
    let mut owners = engine.owners()?;
    owners.retain(|owner| {
        access.caller.covers(owner)
            && owner.tenant == named.tenant
            && (!access.names_user || owner.user == named.user)
            && (!access.names_agent || owner.agent == named.agent)
    });
    Ok(owners)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportParameters {
    /// Every owner that the key opens, not only the URL's [default: false].
    #[serde(default)]
    all: Option<bool>,
}

/// Everything of an owner as lines of JSON
#[utoipa::path(
    get, path = "/export", tag = "store", operation_id = "export", params(ScopeParameters, ExportParameters),
    responses((status = 200, description = "Lines for `import`", content_type = "application/x-ndjson", body = String))
)]
async fn export(
    State(app): State<App>,
    access: Access,
    Query(asked): Query<ExportParameters>,
) -> Result<Response, Problem> {
    access.caller.must_be(Role::Operator)?;
    let all = asked.all.unwrap_or(false);
    let owners = app
        .call(move |engine| {
            if !all {
                return Ok(vec![access.owner()]);
            }
            let mut owners = engine.owners()?;
            owners.retain(|owner| access.caller.covers(owner) && owner.tenant == access.scope.owner.tenant);
            Ok(owners)
        })
        .await?;
    let (mut out, body) = Outgoing::new();
    let engine = app.shared_engine();
    tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let written = engine.export(&owners, &mut out).and_then(|_| Ok(out.flush()?));
        if let Err(error) = written {
            tracing::warn!("an export did not end: {error}");
            out.fail(std::io::Error::other("the export did not end"));
        }
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportParameters {
    /// Also if it is from a store for another environment [default: false].
    #[serde(default)]
    other_environment: Option<bool>,
    /// Take an operator's word in it: what was confirmed, added or shared by one there is so here. For files of your own [default: false].
    #[serde(default)]
    trust: Option<bool>,
}

/// Bring an export back
///
/// Events keep their ids and times; what is there already is left as it is; what the key does not open is passed over.
#[utoipa::path(
    post, path = "/import", tag = "store", operation_id = "import", params(ScopeParameters, ImportParameters),
    request_body(content = requests::Lines, content_type = "application/x-ndjson"),
    responses((status = 200, description = "What was brought in, and why not the rest", body = answers::Imported))
)]
async fn import(
    State(app): State<App>,
    access: Access,
    Query(asked): Query<ImportParameters>,
    request: Request,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    refuse_encoded(&request)?;
    refuse_empty(&request)?;
    let incoming = Incoming::of(request.into_body());
    let brought = app.call_with(move |engine| {
        let mut told = Vec::new();
        let may = |owner: &Owner| access.caller.covers(owner) && owner.tenant == access.scope.owner.tenant;
        let vouched = if asked.trust.unwrap_or(false) { Vouched::ByImporter } else { Vouched::ByNobody };
        let other_environment = asked.other_environment.unwrap_or(false);
        let brought = bring_in_body(engine, incoming, vouched, other_environment, may, |line| told.push(line))
            .map_err(|error| {
                let told = failure::told(&error);
                match error.downcast::<Error>() {
                    Ok(error) => Problem::from(error),
                    Err(error) if error.is::<Refused>() => {
                        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "body_refused", told)
                    }
                    Err(_) => Problem::bad_request(told),
                }
            })?;
        let mut brought = json!(brought);
        brought["not_read"] = json!(told);
        Ok(brought)
    });
    brought.await.map(axum::Json)
}

/// How old a body must be to be moved.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ArchiveRequest {
    /// In days [default: 90].
    #[serde(default)]
    #[schema(maximum = 36_500)]
    older_than_days: Option<u32>,
}

/// Move old bodies to cold storage; their summaries stay searchable
#[utoipa::path(
    post, path = "/archive", tag = "store", operation_id = "archive", params(ScopeParameters),
    request_body = ArchiveRequest,
    responses((status = 200, description = "How much was moved", body = answers::Archived))
)]
async fn archive(
    State(app): State<App>,
    access: Access,
    Json(asked): Json<ArchiveRequest>,
) -> Result<axum::Json<Value>, Problem> {
    access.caller.must_be(Role::Operator)?;
    let days = asked.older_than_days.unwrap_or(holdfast::engine::ARCHIVE_AFTER_DAYS);
    let age = SignedDuration::from_hours(24 * i64::from(days));
    let before = app.now().checked_sub(age).ok().filter(|_| days <= ARCHIVE_DAYS_MAX);
    let out_of_range = || Problem::body_refused(format!("older_than_days: it is at most {ARCHIVE_DAYS_MAX}"));
    let before = before.ok_or_else(out_of_range)?;
    app.call(move |engine| Ok(json!(engine.archive(&access.scope.owner, before)?))).await.map(axum::Json)
}

/// What the store holds of the key's tenant, and which model serves
#[utoipa::path(
    get, path = "/status", tag = "store", operation_id = "status", params(ScopeParameters),
    responses((status = 200, description = "Its state", body = answers::Status))
)]
async fn status(State(app): State<App>, access: Access) -> Result<axum::Json<Value>, Problem> {
    let status = app.call(move |engine| {
        let mut owners = engine.owners()?;
        owners.retain(|owner| access.caller.covers(owner));
        let embedding = engine.embedding_status()?;
        let mut status = json!({ "version": env!("CARGO_PKG_VERSION"), "owners": owners, "embedding": embedding });
        // Where it lies and what others keep in it is not a tenant's to know.
        if access.caller.tenant().is_none() {
            status["store"] = json!(engine.status()?);
        }
        Ok(status)
    });
    status.await.map(axum::Json)
}
