//! The HTTP API, `/v1`: each route translates a request into one verb of the engine, and its result into JSON.

#![expect(unused_qualifications, reason = "utoipa's macro writes them")]

pub mod events;
pub mod journal;
pub mod memories;
pub mod recall;
pub mod store;
pub mod tasks;

use axum::http::HeaderMap;
use utoipa_axum::router::OpenApiRouter;

use super::app::App;
use super::problem::Problem;

/// Things on a page, unless the caller says otherwise.
pub const LIMIT_DEFAULT: usize = 100;
/// The most: a page is read into memory.
const LIMIT_MAX: usize = 1_000;

pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(events::routes())
        .merge(tasks::routes())
        .merge(recall::routes())
        .merge(memories::routes())
        .merge(journal::routes())
        .merge(store::routes())
}

fn limit(given: Option<usize>, default: usize) -> Result<usize, Problem> {
    match given.unwrap_or(default) {
        limit @ 1..=LIMIT_MAX => Ok(limit),
        other => Err(Problem::bad_request(format!("the limit is from 1 to {LIMIT_MAX}, not {other}"))),
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let key =
        std::str::from_utf8(key.as_bytes()).map_err(|_| Problem::bad_request("the Idempotency-Key is no UTF-8"))?;
    Ok(Some(key.to_owned()))
}
