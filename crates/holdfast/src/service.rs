//! A call to a service that speaks OpenAI's dialect: JSON goes out, the text of the reply comes back, or what went wrong. Who is asked, with
//! which key, how long that may take, whether it is worth asking again. Knows nothing of what is asked.

use std::io::ErrorKind;
use std::time::Duration;

use serde::Serialize;
use ureq::Agent;
use ureq::http::HeaderMap;

/// Of a refusal, what is read to find its reason.
const REFUSAL_BYTES_MAX: u64 = 16 * 1024;

/// One address of a service. Nothing is sent until the first call.
pub(crate) struct Service {
    agent: Agent,
    url: String,
    /// The URL without what may be a secret in it: for messages.
    shown: String,
    key: Option<String>,
}

/// Why there is no reply.
pub(crate) enum Failure {
    Unreachable(Box<ureq::Error>),
    /// `reason` is what the service said. It may repeat what was sent, the key included: to be searched, never shown.
    Refused {
        status: u16,
        retry_after: Option<Duration>,
        reason: String,
    },
    TooLarge {
        limit: u64,
    },
}

impl Service {
    pub(crate) fn new(base_url: &str, path: &str, key: Option<String>, timeout: Duration) -> Self {
        let config = Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false).build();
        let url = format!("{}/{path}", base_url.trim_end_matches('/'));
        Self { agent: config.into(), shown: shown(&url), url, key }
    }

    /// The address, for messages.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// One try. The reply is read as text, so that a fault in it is told from a fault of the line.
    pub(crate) fn post(&self, body: &impl Serialize, reply_bytes_max: u64) -> Result<String, Failure> {
        let unreachable = |source| match source {
            ureq::Error::BodyExceedsLimit(_) => Failure::TooLarge { limit: reply_bytes_max },
            source => Failure::Unreachable(Box::new(source)),
        };
        let mut call = self.agent.post(&self.url);
        if let Some(key) = &self.key {
            call = call.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = call.send_json(body).map_err(unreachable)?;
        let status = response.status();
        if !status.is_success() {
            let retry_after = asked_to_wait(response.headers());
            let reason = response.body_mut().with_config().limit(REFUSAL_BYTES_MAX).read_to_string();
            return Err(Failure::Refused { status: status.as_u16(), retry_after, reason: reason.unwrap_or_default() });
        }
        response.body_mut().with_config().limit(reply_bytes_max).read_to_string().map_err(unreachable)
    }
}

impl Failure {
    /// Whether the service is at its limit or has a fault of its own, and how long it asks to be left alone.
    pub(crate) fn refused_for_now(&self) -> Option<Duration> {
        match self {
            Self::Refused { status: 429 | 500.., retry_after, .. } => Some(retry_after.unwrap_or_default()),
            _ => None,
        }
    }

    /// Whether the service refused and named this in its reason.
    pub(crate) fn is_about(&self, field: &str) -> bool {
        matches!(self, Self::Refused { reason, .. } if reason.contains(field))
    }

    /// Whether the line went dead though someone was there.
    pub(crate) fn broke_off(&self) -> bool {
        match self {
            Self::Unreachable(source) => match source.as_ref() {
                ureq::Error::Timeout(_) => true,
                ureq::Error::Io(error) => error.kind() != ErrorKind::ConnectionRefused,
                _ => false,
            },
            _ => false,
        }
    }
}

/// Tries until it goes well, or `again` sees no use in it, or the waits are used up. `again` says how long to wait at least, `longest` how
/// long at most.
pub(crate) fn patiently<T, E>(
    waits: impl IntoIterator<Item = Duration>,
    longest: Duration,
    again: impl Fn(&E) -> Option<Duration>,
    pause: &dyn Fn(Duration),
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let mut waits = waits.into_iter();
    loop {
        let error = match attempt() {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(asked) = again(&error) else { return Err(error) };
        let Some(wait) = waits.next() else { return Err(error) };
        pause(asked.max(wait).min(longest));
    }
}

/// Lets time pass. Woken early, the caller asks early: no harm.
pub(crate) fn pause(time: Duration) {
    std::thread::park_timeout(time);
}

/// In seconds; a date is not waited for.
fn asked_to_wait(headers: &HeaderMap) -> Option<Duration> {
    headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs)
}

/// A URL for messages: without a user, a password, or a query.
pub(crate) fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// What to do about a refusal.
pub(crate) fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "check the key",
        404 => "check the base URL and the model's name",
        413 => "the texts are too long for it",
        429 => "it is limiting requests; try again later",
        500.. => "it has a problem of its own; try again later",
        _ => "check the base URL, the key and the model's name",
    }
}

/// Where in a reply its fault is, not what stands there: a reply may repeat what was sent, the key included.
pub(crate) fn fault(error: &serde_json::Error) -> String {
    format!("{:?} at line {}, column {}", error.classify(), error.line(), error.column())
}
