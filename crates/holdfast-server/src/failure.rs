//! From errors to exit codes.

use std::process::ExitCode;

use holdfast::engine;
use holdfast::store::StoreError;

pub const FAILED: u8 = 1;
pub const USAGE: u8 = 2;
pub const PARTLY: u8 = 3;
pub const REFUSED: u8 = 4;

/// Something handed in that is not accepted as it is.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Arguments that don't make sense, where only a look at the store or the clock could tell.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(|cause| cause.is::<Usage>()) {
        return ExitCode::from(USAGE);
    }
    let refused = error.chain().any(|cause| {
        cause.is::<Refused>()
            || cause.downcast_ref::<engine::Error>().is_some_and(|error| {
                matches!(
                    error,
                    engine::Error::Event(_)
                        | engine::Error::Update(_)
                        | engine::Error::Order(_)
                        | engine::Error::Reply(_)
                        | engine::Error::Block(_)
                        | engine::Error::TaskExists(_)
                        | engine::Error::NoTask
                        | engine::Error::NoSuchTask(_)
                        | engine::Error::NoSuchEvent(_)
                        | engine::Error::NoSuchMemory(_)
                        | engine::Error::BadMemory(_)
                        | engine::Error::NoSuchSecret(_)
                        | engine::Error::Erased
                        | engine::Error::NoReason
                        | engine::Error::NoWords
                        | engine::Error::NoSuchOperation(_)
                        | engine::Error::NothingToUndo(_)
                        | engine::Error::Dependants(_)
                        | engine::Error::TooMuch { .. }
                        | engine::Error::Blast(_)
                        | engine::Error::ManagerBusy
                        | engine::Error::NoRedactionKey
                        | engine::Error::OtherRedactionKey(_)
                        | engine::Error::Store(StoreError::OtherEnvironment { .. })
                )
            })
    });
    ExitCode::from(if refused { REFUSED } else { FAILED })
}

/// The error with its causes, each once: many messages end with their cause's, because not every reader looks further.
pub fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// What the library can't say: which option to use.
pub fn hint(error: &anyhow::Error) -> &'static str {
    match error.chain().find_map(|cause| cause.downcast_ref::<engine::Error>()) {
        Some(engine::Error::NoTask) => {
            " (--task ID, or --session ID of one that is on a task; `holdfast task list` shows the tasks)"
        }
        Some(engine::Error::NoReason) => " (--reason)",
        Some(engine::Error::Store(StoreError::OtherEnvironment { .. })) => {
            " (--environment names what is meant, --store another store)"
        }
        Some(engine::Error::TooMuch { .. }) => " (--max)",
        Some(engine::Error::Blast(_)) => " (--force confirms it)",
        Some(engine::Error::Dependants(_)) => " (--preview, --with-dependants)",
        Some(engine::Error::NoRedactionKey) => " (HOLDFAST_REDACTION_KEY, or --redaction-key-file)",
        Some(engine::Error::Order(_)) => {
            " (`holdfast task update` writes it back, `holdfast task abandon-step` gives it up)"
        }
        _ => "",
    }
}

pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let source = std::io::Error::other("the disk is gone");
        let error = StoreError::Backend { doing: "opening the store", source: Box::new(source) };
        let error = anyhow::Error::from(engine::Error::Store(error)).context("notes.db");
        assert_eq!(told(&error), "notes.db: the store failed while opening the store: the disk is gone");
        let error = Err::<(), _>(std::io::Error::other("not there")).context("can't open a").unwrap_err();
        assert_eq!(told(&error), "can't open a: not there");
    }
}
