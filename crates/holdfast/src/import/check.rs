//! The limits of one event (SPEC 1.8), checked here so that a bad record costs itself and not the import.

use super::json::Problem;
use crate::types::event::{CONTENT_BYTES_MAX, IDEMPOTENCY_KEY_BYTES_MAX, METADATA_BYTES_MAX, RawEvent};

pub(super) fn event(event: &RawEvent) -> Result<(), Problem> {
    let content = &event.content;
    if content.trim().is_empty() {
        return Err(Problem::new("the content is empty"));
    }
    if content.len() > CONTENT_BYTES_MAX {
        let problem = Problem::new(format!("the content is {} bytes; the limit is {CONTENT_BYTES_MAX}", content.len()));
        return Err(problem.hint("divide it, or keep it in a file and give its path"));
    }
    if let Some(at) = content.find('\0') {
        return Err(
            Problem::new(format!("the content has a NUL character at byte {}", at + 1)).hint("is it binary data?")
        );
    }
    let metadata_bytes = serde_json::to_string(&event.metadata).map_or(0, |metadata| metadata.len());
    if metadata_bytes > METADATA_BYTES_MAX {
        return Err(Problem::new(format!(
            "`metadata` is {metadata_bytes} bytes of JSON; the limit is {METADATA_BYTES_MAX}"
        )));
    }
    match &event.idempotency_key {
        Some(key) if key.is_empty() => Err(Problem::new("`idempotency_key` is empty").hint("leave it out")),
        Some(key) if key.len() > IDEMPOTENCY_KEY_BYTES_MAX => Err(Problem::new(format!(
            "`idempotency_key` is {} bytes; the limit is {IDEMPOTENCY_KEY_BYTES_MAX}",
            key.len()
        ))),
        Some(key) if key.contains('\0') => Err(Problem::new("`idempotency_key` has a NUL character")),
        _ => Ok(()),
    }
}
