//! `holdfast serve`: the memory over HTTP. Each door translates; what is done is the engine's.
//!
//! A request passes, in this order: `listen` (its bytes), `trace` (its id, its line in the log, its figures), `access` (who asks, and
//! how often), and then a route, which hands the engine's call to a thread that may wait.

mod access;
mod app;
mod body;
mod listen;
mod openapi;
mod problem;
mod rate;
mod routes;
mod trace;

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use holdfast::env::Env;
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa_axum::router::OpenApiRouter;

pub use self::access::{Access, Caller, admit, caller};
pub use self::app::App;
use self::app::Limits;
pub use self::body::whole;
pub use self::problem::{Problem, Told};
pub use self::trace::{Untouched, note_route};
use crate::cli::{Global, ServeArguments};
use crate::commands;
use crate::failure::Usage;
use crate::keys::Keys;
use crate::open;
use crate::printer::Printer;

/// Serves until it is told to stop; then what is under way is finished, and what waits for its vectors gets them.
pub fn run(global: &Global, arguments: &ServeArguments, printer: Printer) -> Result<()> {
    let directory = open::store_directory(global)?;
    let is_loopback = arguments.listen.ip().is_loopback();
    if !is_loopback && Keys::load(&directory)?.is_empty() {
        let hint = "there are no API keys, and anybody could come in: make one with `holdfast key create`, or listen on 127.0.0.1";
        return Err(Usage(format!("{} is reached from other machines: {hint}", arguments.listen)).into());
    }
    let origins = arguments.allow_origin.iter().map(|origin| origin.parse::<HeaderValue>());
    let origins =
        origins.collect::<Result<Vec<_>, _>>().map_err(|_| Usage("--allow-origin is no origin".to_owned()))?;
    let policy = arguments.policy.as_deref().map(commands::manage::policy).transpose()?;
    let engine = Arc::new(open::serving(global, policy, printer)?);
    let env = Arc::new(Env::system().in_zone(open::zone(global)));
    let limits = Limits {
        requests_per_second: arguments.requests_per_second,
        requests_at_once: arguments.requests_at_once,
        body_bytes: arguments.body_bytes,
    };
    let figures = trace::figures()?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("can't start the runtime")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(arguments.listen).await;
        let listener = listener.with_context(|| format!("can't listen on {}", arguments.listen))?;
        let address = listener.local_addr()?;
        let app = App::new(Arc::clone(&engine), env, &directory, limits, is_loopback, origins.clone())?;
        printer.say(format_args!("listening on http://{address} (reference page: http://{address}/docs)"));
        if app.is_open() {
            printer.say("no API keys: whoever is on this machine may do all; `holdfast key create` makes one");
        }
        let proxy = crate::proxy::routes(&app, arguments)?;
        let router = router(app.clone(), figures, origins, proxy);
        listen::serve(listener, router, listen::told_to_stop(arguments.until_stdin_closes), app).await
    })?;
    // Calls that were under way are waited for: they hold the engine.
    runtime.shutdown_timeout(listen::ENDING);
    commands::settle(&engine, printer);
    Ok(())
}

/// Everything that is served, over an engine that is open.
fn router(app: App, figures: PrometheusHandle, origins: Vec<HeaderValue>, proxy: Router) -> Router {
    let scoped = from_fn_with_state(app.clone(), access::note_access);
    let mcp = Router::new().route_service("/mcp", crate::mcp::service(&app)).route_layer(scoped);
    let (api, document) =
        OpenApiRouter::with_openapi(openapi::document()).nest("/v1", routes::routes()).split_for_parts();
    let guarded = api
        .route("/metrics", get(move || metrics(figures.clone())))
        .merge(mcp)
        .fallback(nothing_there)
        .method_not_allowed_fallback(no_such_method)
        .route_layer(from_fn(note_route))
        .layer(from_fn_with_state(app.clone(), access::let_in));
    let open = Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .merge(utoipa_swagger_ui::SwaggerUi::new("/docs").url("/openapi.json", openapi::finished(document)));
    let mut router = open.with_state(app.clone()).merge(proxy).fallback_service(guarded.with_state(app.clone()));
    if !origins.is_empty() {
        let cors = CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers(tower_http::cors::AllowHeaders::mirror_request())
            .expose_headers([header::ETAG]);
        router = router.layer(cors);
    }
    router.layer(CatchPanicLayer::custom(panicked)).layer(from_fn_with_state(app, trace::trace))
}

/// Whether the process answers.
async fn health() -> impl IntoResponse {
    axum::Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// Whether the store does.
async fn ready(State(app): State<App>) -> Result<Response, Problem> {
    let embedding = app.call(|engine| engine.embedding_status()).await;
    let embedding = embedding.map_err(|problem| problem.with_status(StatusCode::SERVICE_UNAVAILABLE))?;
    Ok(axum::Json(json!({ "status": "ready", "embedding": embedding.serving })).into_response())
}

async fn metrics(figures: PrometheusHandle) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], figures.render())
}

async fn nothing_there() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "no_such_route", "there is nothing at this address: /docs shows what there is")
}

async fn no_such_method() -> Problem {
    let detail = "this address does not take this method: /docs shows which it takes";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no_such_method", detail)
}

/// A fault of ours: said in the log, and no reason for the other requests to end.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    let detail = "the server failed; its log says why under this request's id";
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).into_response()
}
