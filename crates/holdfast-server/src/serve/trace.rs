//! What is kept of a request: its id, a line in the log, its figures. Never its body, its query or its key.

use std::time::Instant;

use anyhow::{Context, Result};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use serde_json::Value;
use tracing::Instrument;

use super::app::App;
use super::body;
use super::problem::{Problem, Told};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is taken over from the client.
const ID_BYTES_MAX: usize = 128;
/// Errors are small; a longer text is none of ours.
const ERROR_BYTES_MAX: usize = 64 * 1024;
const SECONDS: &str = "holdfast_http_request_seconds";
/// From a tenth of a millisecond, where a block is served from what is at hand, to what only a stuck disk takes.
const BUCKETS: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Begins to count. Once a process.
pub fn figures() -> Result<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Full(SECONDS.to_owned()), BUCKETS)?;
    let handle = builder.install_recorder().context("the figures are kept already")?;
    metrics::describe_histogram!(
        SECONDS,
        metrics::Unit::Seconds,
        "From a request's head to its answer's, by route and status"
    );
    Ok(handle)
}

pub async fn trace(State(app): State<App>, request: Request, next: Next) -> Response {
    let given = request.headers().get(&REQUEST_ID).filter(|id| is_plain(id));
    let id = given.and_then(|id| id.to_str().ok()).map_or_else(|| app.env().id().to_string(), str::to_owned);
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = %id);
    let began = Instant::now();
    let (parts, body) = request.into_parts();
    let (body, lender) = body::lend(body);
    let request = Request::from_parts(parts, body);
    let response = next.run(request).instrument(span.clone()).await;
    let taken = began.elapsed();
    let status = response.status();
    // The route and not the path, which may hold ids.
    let route = response.extensions().get::<Route>().map_or("none", |Route(route)| route.as_str()).to_owned();
    metrics::histogram!(SECONDS, "method" => method.to_string(), "route" => route.clone(), "status" => status.as_u16().to_string())
        .record(taken.as_secs_f64());
    let code = response.extensions().get::<Told>().map_or("", |Told(code)| code);
    span.in_scope(|| {
        let shown = if route == "none" { "(no route)" } else { &route };
        tracing::info!(status = status.as_u16(), ms = taken.as_millis() as u64, "{method} {shown} {status} {code}");
    });
    let is_error = status.is_client_error() || status.is_server_error();
    let is_ours = response.extensions().get::<Untouched>().is_none();
    let mut response = if is_error && is_ours { told(response, &id).await } else { response };
    if !lender.read_the_rest().await {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// Which route answered: known inside the router only.
#[derive(Debug, Clone)]
struct Route(String);

/// An answer that is another service's: not even its errors are told in our form.
#[derive(Debug, Clone, Copy)]
pub struct Untouched;

/// Notes which route answers.
pub async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(|path| Route(path.as_str().to_owned()));
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// An error as a problem with the request's id in it, whoever found it: what a library says in plain text is told in our form.
async fn told(response: Response, id: &str) -> Response {
    let is_ours = response.extensions().get::<Told>().is_some();
    let is_text = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/plain");
    let is_of_a_library = !is_ours && response.headers().get(header::CONTENT_TYPE).is_none_or(is_text);
    if !is_ours && !is_of_a_library {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, ERROR_BYTES_MAX).await else {
        return Response::from_parts(parts, Body::empty());
    };
    if is_of_a_library {
        let (code, none) = match parts.status {
            StatusCode::NOT_FOUND => ("no_such_route", "there is nothing at this address: /docs shows what there is"),
            _ => ("bad_request", "the request is not understood"),
        };
        let detail = if bytes.is_empty() { none.to_owned() } else { String::from_utf8_lossy(&bytes).into_owned() };
        let mut problem = Problem::new(parts.status, code, detail);
        problem.request_id = id.to_owned();
        return problem.into_response();
    }
    let with_id = serde_json::from_slice::<Value>(&bytes).map(|mut problem| {
        problem["request_id"] = Value::from(id);
        problem.to_string()
    });
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, with_id.map_or_else(|_| Body::from(bytes), Body::from))
}

fn is_plain(id: &HeaderValue) -> bool {
    (1..=ID_BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic)
}
