//! `doctor`: whether all is well, line by line, and what to do where it is not. It only looks.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use holdfast::embedding;
use holdfast::engine::{Engine, Error};
use holdfast::env::Env;
use holdfast::prompts;
use holdfast::store::StoreError;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::look::counted;
use super::status::writer;
use crate::cli::Global;
use crate::failure::{FAILED, told};
use crate::keys::{self, Keys};
use crate::open;
use crate::printer::Printer;

/// A key that ends so soon wants a successor.
const ENDS_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);
/// What a clock may be behind the newest event: two machines that share a store agree on the time no better.
const BEHIND_MAX: SignedDuration = SignedDuration::from_mins(5);
/// Below this, a burst of writing may fill the disk before anybody looks.
const ROOM_LOW_BYTES: u64 = 1024 * 1024 * 1024;
/// Below this the store's next merge of its log may fail.
const ROOM_NONE_BYTES: u64 = 64 * 1024 * 1024;
/// The first of November 2026, when this was written: no clock that is right says less.
const WRITTEN: Timestamp = Timestamp::constant(1_793_491_200, 0);
/// Operations whose chain is checked: a few seconds' work.
const OPERATIONS_MAX: u64 = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Fail,
}

/// One line: what was looked at, how it is, and what to do.
#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_do: Option<String>,
}

/// Collects lines.
#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, what: &'static str, found: impl Into<String>) {
        self.0.push(Finding { what, state: State::Ok, found: found.into(), to_do: None });
    }

    fn warn(&mut self, what: &'static str, found: impl Into<String>, to_do: impl Into<String>) {
        self.0.push(Finding { what, state: State::Warn, found: found.into(), to_do: Some(to_do.into()) });
    }

    fn fail(&mut self, what: &'static str, found: impl Into<String>, to_do: impl Into<String>) {
        self.0.push(Finding { what, state: State::Fail, found: found.into(), to_do: Some(to_do.into()) });
    }
}

pub fn run(global: &Global, printer: Printer) -> Result<ExitCode> {
    let directory = open::store_directory(global)?;
    let now = Env::system().now();
    let mut findings = Findings::default();
    let newest = store(&mut findings, global, &directory);
    model(&mut findings, global);
    llm(&mut findings, global);
    api_keys(&mut findings, &directory, now);
    clock(&mut findings, now, newest);
    room(&mut findings, &directory);
    let findings = findings.0;
    let fails = findings.iter().any(|finding| finding.state == State::Fail);
    printer.either(&json!({ "well": !fails, "findings": findings }), || {
        let mut lines = Vec::new();
        for Finding { what, state, found, to_do } in &findings {
            let state = match state {
                State::Ok => "ok",
                State::Warn => "warn",
                State::Fail => "FAIL",
            };
            lines.push(format!("{state:<5} {what:<12} {found}"));
            lines.extend(to_do.iter().map(|to_do| format!("{:<18} → {to_do}", "")));
        }
        lines.join("\n")
    })?;
    Ok(if fails { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// The store's own state; when its newest event was recorded.
fn store(findings: &mut Findings, global: &Global, directory: &Path) -> Option<Timestamp> {
    let shown = directory.display();
    let engine = match open::looking(global) {
        Ok(engine) => engine,
        Err(error) => {
            match error.downcast_ref::<Error>() {
                Some(Error::Store(StoreError::Missing { .. })) => {
                    let to_do = "nothing, if you have recorded nothing yet: `holdfast observe` makes it; else say where it is with --store";
                    findings.warn("store", format!("there is none at {shown}"), to_do);
                }
                Some(Error::Store(StoreError::TooNew { .. })) => {
                    findings.fail("store", told(&error), "use the newer holdfast that wrote it");
                }
                Some(Error::Store(StoreError::Corrupt { .. })) => {
                    let to_do = "stop all that writes it, keep a copy of the directory, and bring the last export back with `holdfast import`";
                    findings.fail("store", told(&error), to_do);
                }
                _ => findings.fail("store", told(&error), format!("let this user read and write {shown}")),
            }
            return None;
        }
    };
    let newest = match engine.status() {
        Ok(status) => {
            let events = counted(status.events, "event", "events");
            findings.ok(
                "store",
                format!("{shown}: schema {}, {events}, {:.1} MB", status.schema, status.bytes as f64 / 1e6),
            );
            status.newest_event
        }
        Err(error) => {
            findings.fail("store", error.to_string(), "see the next line");
            None
        }
    };
    match writer(directory) {
        Some(holder) => findings.ok("lock", format!("{holder} writes it; commands that write wait for it")),
        None => findings.ok("lock", "nobody writes it at the moment"),
    }
    let to_do = "stop all that writes it, keep a copy of the directory, `holdfast export --all`, and import that into a new one";
    match engine.file_faults() {
        Ok(faults) if faults.is_empty() => findings.ok("file", "its pages are sound"),
        Ok(faults) => findings.fail("file", faults.join("; "), to_do),
        Err(error) => findings.fail("file", error.to_string(), to_do),
    }
    journal(findings, &engine);
    newest
}

fn journal(findings: &mut Findings, engine: &Engine) {
    let to_do = "somebody changed it, or the disk did: compare it with a backup, and find out who can write the store's directory";
    let owners = match engine.owners() {
        Ok(owners) => owners,
        Err(error) => return findings.fail("journal", error.to_string(), to_do),
    };
    let (mut checked, mut operations) = (0, 0);
    for owner in &owners {
        if operations >= OPERATIONS_MAX {
            break;
        }
        match engine.verify_journal(owner) {
            Ok(check) => operations += check.operations,
            Err(error) => return findings.fail("journal", format!("{}/{}: {error}", owner.user, owner.agent), to_do),
        }
        checked += 1;
    }
    let rest = match owners.len() - checked {
        0 => String::new(),
        left => format!("; {} left to `holdfast journal verify`", counted(left as u64, "owner", "owners")),
    };
    findings.ok("journal", format!("its chain holds over {}{rest}", counted(operations, "operation", "operations")));
}

fn model(findings: &mut Findings, global: &Global) {
    let began = Instant::now();
    let choice = match open::embedding(global) {
        Ok(choice) => choice,
        Err(error) => return findings.fail("vectors", told(&error), "--embedding-model"),
    };
    let made = embedding::open(&choice).and_then(|model| {
        let Some(model) = model else { return Ok(None) };
        let vectors = model.embed(&["退货率", "return rate"])?;
        Ok(Some((model.model().clone(), vectors)))
    });
    match made {
        Ok(None) => findings.ok("vectors", "none, as chosen: search is by words only"),
        Ok(Some((id, vectors))) if vectors.iter().all(|vector| vector.len() == id.dimension) => {
            findings.ok("vectors", format!("{id} made two in {} ms", began.elapsed().as_millis()));
        }
        Ok(Some((id, vectors))) => {
            let lengths: Vec<usize> = vectors.iter().map(Vec::len).collect();
            findings.fail("vectors", format!("{id} makes vectors of another length: {lengths:?}"), "--embedding-model");
        }
        Err(error) => {
            findings.fail("vectors", error.to_string(), "see --embedding; until then search is by words only");
        }
    }
}

fn llm(findings: &mut Findings, global: &Global) {
    const TO_DO: &str = "`holdfast llm check` says more; until then rules learn alone";
    let model = match open::llm(global) {
        Ok(Some(model)) => model,
        Ok(None) => return findings.ok("llm", "none is set up: rules do without"),
        Err(error) => return findings.fail("llm", told(&error), "--llm-url, --llm-model"),
    };
    let began = Instant::now();
    match model.complete(&prompts::check()) {
        Ok(_) => findings.ok("llm", format!("{} answered in {} ms", model.name(), began.elapsed().as_millis())),
        Err(error) => findings.fail("llm", error.to_string(), TO_DO),
    }
}

fn api_keys(findings: &mut Findings, directory: &Path, now: Timestamp) {
    let keys = match Keys::load(directory) {
        Ok(keys) => keys,
        Err(error) => {
            return findings.fail(
                "keys",
                told(&error),
                "bring the file back from a backup, or take it away and make new keys",
            );
        }
    };
    let count = |state| keys.iter().filter(|key| key.state(now) == state).count();
    let (valid, expired, revoked) = (count("valid"), count("expired"), count("revoked"));
    let ends_soon = |at: Timestamp| at > now && at.duration_since(now) <= ENDS_SOON;
    let soon: Vec<&str> = keys
        .iter()
        .filter(|key| key.state(now) == "valid" && key.expires_at.is_some_and(ends_soon))
        .map(|key| key.id.as_str())
        .collect();
    let counts = format!("{valid} valid, {expired} expired, {revoked} revoked");
    match (keys.is_empty(), valid, soon.as_slice()) {
        (true, ..) => findings.ok("keys", "there are none: only this machine is served"),
        (_, 0, _) => findings.fail("keys", format!("{counts}: nobody can come in"), "`holdfast key create`"),
        (.., []) => findings.ok("keys", counts),
        (.., soon) => {
            let found = format!("{counts}; within 14 days end {}", soon.join(", "));
            findings.warn("keys", found, "`holdfast key rotate ID` makes a successor");
        }
    }
    if let Some(file) = keys::file(directory) {
        permissions(findings, "key file", &file, "600");
    }
    if directory.is_dir() {
        permissions(findings, "directory", directory, "700");
    }
}

#[cfg(unix)]
fn permissions(findings: &mut Findings, what: &'static str, path: &Path, wanted: &str) {
    use std::os::unix::fs::PermissionsExt;
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(metadata) => {
            let mode = metadata.permissions().mode() & 0o777;
            if mode & 0o077 == 0 {
                findings.ok(what, format!("nobody else can read it ({mode:o})"));
            } else {
                let found = format!("others on this machine may look into {shown} ({mode:o})");
                findings.warn(what, found, format!("chmod {wanted} {shown}"));
            }
        }
        Err(error) => findings.fail(what, format!("{shown}: {error}"), format!("let this user read and write {shown}")),
    }
}

#[cfg(not(unix))]
fn permissions(_: &mut Findings, _: &'static str, _: &Path, _: &str) {}

fn clock(findings: &mut Findings, now: Timestamp, newest: Option<Timestamp>) {
    const TO_DO: &str =
        "set this machine's clock (chrony, systemd-timesyncd): what is new is told from what is old by it";
    match newest {
        _ if now < WRITTEN => findings.fail("clock", format!("it says {now}, which is long past"), TO_DO),
        Some(newest) if newest.duration_since(now) > BEHIND_MAX => {
            findings.fail("clock", format!("it says {now}, and the newest event was recorded at {newest}"), TO_DO);
        }
        _ => findings.ok("clock", format!("it says {now}")),
    }
}

/// The nearest directory that is there: where the store is, or would be made.
fn nearest(directory: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(directory).ok()?;
    absolute.ancestors().find(|path| path.is_dir()).map(Path::to_owned)
}

#[cfg(unix)]
fn room(findings: &mut Findings, directory: &Path) {
    let Some(place) = nearest(directory) else { return };
    match rustix::fs::statvfs(&place) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let found = format!("{:.1} GB are free at {}", free as f64 / 1e9, place.display());
            if free < ROOM_NONE_BYTES {
                findings.fail("disk", found, "make room: the next write may fail");
            } else if free < ROOM_LOW_BYTES {
                let to_do = "make room, or let old bodies go: `holdfast archive`, `holdfast manage`";
                findings.warn("disk", found, to_do);
            } else {
                findings.ok("disk", found);
            }
        }
        Err(error) => findings.warn("disk", format!("{}: {error}", place.display()), "look whether it is mounted"),
    }
}

#[cfg(not(unix))]
fn room(findings: &mut Findings, directory: &Path) {
    if let Some(place) = nearest(directory) {
        findings.ok("disk", format!("{} is there", place.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(now: &str, newest: Option<&str>, state: State) {
        let mut findings = Findings::default();
        clock(&mut findings, now.parse().unwrap(), newest.map(|at| at.parse().unwrap()));
        assert_eq!(findings.0[0].state, state, "{now} {newest:?}");
        assert_eq!(findings.0[0].to_do.is_some(), state != State::Ok);
    }

    #[test]
    fn a_clock_that_is_behind_is_found() {
        check("2026-12-01T00:00:00Z", None, State::Ok);
        check("2026-12-01T00:00:00Z", Some("2026-11-30T00:00:00Z"), State::Ok);
        check("2026-12-01T00:00:00Z", Some("2026-12-01T00:04:00Z"), State::Ok);
        check("2026-12-01T00:00:00Z", Some("2026-12-01T02:00:00Z"), State::Fail);
        check("1970-01-01T00:00:00Z", None, State::Fail);
    }
}
