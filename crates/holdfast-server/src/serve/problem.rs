//! What goes wrong, as a client is told it: `application/problem+json` (RFC 9457) with a stable code, what to do, and the request's id.

use std::ops::{Deref, DerefMut};

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use holdfast::engine::Error;
use holdfast::store::StoreError;
use holdfast::working::Refusal;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// Seconds after which a client that was told to wait may try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Why a request was not done. In a box: it is rare, and what is done should not be moved around with room for it.
#[derive(Debug)]
pub struct Problem(Box<Details>);

/// What a client is told. `code` is stable; the rest is for people.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct Details {
    #[schema(example = "urn:holdfast:problem:no_such_task")]
    r#type: String,
    /// A stable name of the fault.
    #[schema(value_type = String, example = "no_such_task")]
    pub code: &'static str,
    /// The HTTP status.
    #[schema(value_type = u16, example = 404)]
    #[serde(serialize_with = "number")]
    pub status: StatusCode,
    #[schema(example = "Not Found")]
    title: String,
    /// What was wrong, and what to do.
    pub detail: String,
    /// Names this request in the server's log.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    /// What else belongs to it: the current version of a task, the field at fault.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    more: Map<String, Value>,
    #[serde(skip)]
    is_to_be_retried: bool,
}

fn number<S: serde::Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Details {
            r#type: format!("urn:holdfast:problem:{code}"),
            code,
            status,
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            detail: detail.into(),
            request_id: String::new(),
            more: Map::new(),
            is_to_be_retried: false,
        }))
    }

    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// The body was understood, and is not to be had so.
    pub fn body_refused(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "body_refused", detail)
    }

    /// What a page went on behind is not on the list any more, or never was.
    pub fn no_such_cursor(detail: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "no_such_cursor", detail)
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// The same, as another door's clients expect it.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.title = status.canonical_reason().unwrap_or_default().to_owned();
        self.status = status;
        self
    }

    /// The same may be asked again in a while.
    #[must_use]
    pub fn after_a_while(mut self) -> Self {
        self.is_to_be_retried = true;
        self
    }

    /// What happened inside is for the log: the message of a store or a service may say more than the client should know.
    fn inside(error: &Error) -> Self {
        tracing::error!("a request failed: {}", crate::failure::told(&anyhow::Error::msg(error.to_string())));
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the server failed; its log says why under this request's id",
        )
    }
}

impl Deref for Problem {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Problem {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let retried = self.is_to_be_retried;
        let status = self.status;
        let mut response = (status, Json(&*self.0)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if retried {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"holdfast\""));
        }
        // So that the request's id can be put in by whoever knows it.
        response.extensions_mut().insert(Told(self.code));
        response
    }
}

/// The code of the problem that a response tells.
#[derive(Debug, Clone, Copy)]
pub struct Told(pub &'static str);

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let problem = |status, code| Self::new(status, code, error.to_string());
        match &error {
            Error::Event(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "event_refused"),
            Error::Update(Refusal::Conflict { actual, .. }) => {
                problem(StatusCode::CONFLICT, "version_conflict").with("current_version", *actual)
            }
            Error::Update(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "update_refused"),
            Error::Order(order) => problem(StatusCode::CONFLICT, "out_of_order").with("phase", json!(order.at)),
            Error::Reply(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "reply_unreadable"),
            Error::Block(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "budget_too_small"),
            Error::UnknownTokenizer { .. } => problem(StatusCode::UNPROCESSABLE_ENTITY, "unknown_tokenizer"),
            Error::NoSuchTask(id) => Self::new(
                StatusCode::NOT_FOUND,
                "no_such_task",
                format!("there is no task {id} here: GET /v1/tasks lists them"),
            ),
            Error::NoSuchEvent(_) => problem(StatusCode::NOT_FOUND, "no_such_event"),
            Error::NoSuchMemory(id) => {
                let detail = format!("there is no memory {id} here: GET /v1/memories lists them");
                Self::new(StatusCode::NOT_FOUND, "no_such_memory", detail)
            }
            Error::NoSuchOperation(_) => problem(StatusCode::NOT_FOUND, "no_such_operation"),
            Error::NoSuchSecret(_) => problem(StatusCode::NOT_FOUND, "no_such_secret"),
            Error::TaskExists(_) => problem(StatusCode::CONFLICT, "task_exists"),
            Error::NoTask => problem(StatusCode::UNPROCESSABLE_ENTITY, "no_task"),
            Error::Erased => problem(StatusCode::GONE, "erased"),
            Error::NoReason => problem(StatusCode::UNPROCESSABLE_ENTITY, "reason_missing"),
            Error::NoWords => problem(StatusCode::UNPROCESSABLE_ENTITY, "no_words"),
            Error::NothingToUndo(_) => problem(StatusCode::CONFLICT, "nothing_to_undo"),
            Error::Dependants(undone) => {
                let ids: Vec<String> = undone.dependants.iter().map(|entry| entry.operation.id.to_string()).collect();
                problem(StatusCode::CONFLICT, "dependants").with("dependants", ids)
            }
            Error::ManagerBusy => problem(StatusCode::CONFLICT, "manager_busy").after_a_while(),
            Error::Blast(_) => problem(StatusCode::CONFLICT, "blast_radius"),
            Error::TooMuch { .. } => problem(StatusCode::CONFLICT, "too_much"),
            Error::BadMemory(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "memory_refused"),
            Error::TooManyEvents { .. } => problem(StatusCode::PAYLOAD_TOO_LARGE, "too_many_events"),
            Error::OtherModel { .. } | Error::NoModel(_) => problem(StatusCode::CONFLICT, "no_model"),
            Error::NoRedactionKey | Error::OtherRedactionKey(_) => problem(StatusCode::CONFLICT, "no_redaction_key"),
            Error::Embedding(_) | Error::Llm(_) => {
                tracing::warn!("a model did not answer: {error}");
                Self::new(
                    StatusCode::BAD_GATEWAY,
                    "model_failed",
                    "a model that the server asks did not answer; memory by words still works",
                )
                .after_a_while()
            }
            Error::Store(store) => match store {
                StoreError::Conflict { actual, .. } => {
                    problem(StatusCode::CONFLICT, "version_conflict").with("current_version", json!(actual))
                }
                StoreError::Stale { .. } => problem(StatusCode::CONFLICT, "stale").after_a_while(),
                StoreError::Refused(_) => problem(StatusCode::UNPROCESSABLE_ENTITY, "refused"),
                StoreError::DiskFull => problem(StatusCode::INSUFFICIENT_STORAGE, "disk_full").after_a_while(),
                StoreError::Closed => problem(StatusCode::SERVICE_UNAVAILABLE, "closing").after_a_while(),
                _ => Self::inside(&error),
            },
            Error::Output(_) => Self::inside(&error),
        }
    }
}
