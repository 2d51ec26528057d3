//! Other processes: one that writes, one that stops reading, one that was stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::{Place, example};

/// A process that holds the store for writing until its stdin is closed.
struct Writer {
    child: Child,
}

impl Writer {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["observe", "--lines", "--no-embed"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let line = "{\"source\": \"user\", \"kind\": \"note\", \"content\": \"held\", \"user\": \"maya\", \"agent\": \"dev\"}\n";
        child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        // Its answer says that the store is open.
        let mut answer = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
        assert_eq!(answer.trim().len(), 36, "{answer}");
        Self { child }
    }

    fn stop(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn while_another_process_writes() {
    let place = Place::told("migration.jsonl");
    let writer = Writer::start(&place);
    for arguments in [
        &["recall", "held"][..],
        &["task", "list"],
        &["task", "show", "billing-migration"],
        &["history", "billing-migration"],
        &["journal"],
        &["report"],
        &["export"],
        &["dump"],
    ] {
        place.run(arguments).ok();
    }
    let status = place.run(&["status"]).ok().stdout;
    assert!(status.contains(&format!("writer             process {}", writer.child.id())), "{status}");
    let served = || place.run(&["--json", "journal", "--verb", "serve"]).ok().json().as_array().unwrap().len();
    let ran = place.run(&["context", "back to the migration"]).ok();
    assert!(ran.stdout.contains("Postgres 17"), "{}", ran.stdout);
    assert!(ran.stderr.contains("note: not journaled, because "), "{}", ran.stderr);
    assert_eq!(served(), 0);
    let refused = place.run(&["observe", "x", "--no-embed"]).code(1);
    assert!(refused.stderr.contains(&format!("(process {})", writer.child.id())), "{}", refused.stderr);
    assert!(refused.stderr.contains("is being written by another process"), "{}", refused.stderr);
    writer.stop();
    assert!(place.run(&["status"]).ok().stdout.contains("none at the moment"));
    place.run(&["context", "back to the migration"]).ok();
    assert_eq!(served(), 1);
}

#[test]
fn twenty_at_once_take_turns() {
    let place = Place::new();
    let start = |n: usize| {
        let mut command = place.command(&["observe", &format!("note {n}"), "--no-embed"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<Child> = (0..20).map(start).collect();
    for child in all {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(place.run(&["status"]).ok().stdout.contains("events             20, "));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let place = Place::told("weekly-report.jsonl");
    for arguments in [&["export", "--all"][..], &["dump"], &["journal", "--limit", "1000"], &["completions", "bash"]] {
        let mut child = place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut some = [0; 16];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panic") && !stderr.contains("roken pipe"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_replay_that_was_stopped_goes_on() {
    let place = Place::new();
    let line = |n: usize| format!("{{\"source\": \"user\", \"kind\": \"note\", \"content\": \"note number {n}\"}}\n");
    let story: String = (0..1_000).map(line).collect();
    place.file("long.jsonl", &story);
    let mut command = place.command(&["replay", "-", "--no-embed"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // Half of it, and no end: it waits for more when it is killed, in the middle of a batch.
    pipe.write_all(&story.as_bytes()[..story.len() / 2]).unwrap();
    let recorded = || {
        let ran = place.run(&["--json", "status"]);
        if ran.code == 0 { ran.json()["store"]["events"].as_u64().unwrap() } else { 0 }
    };
    let patience = Instant::now() + Duration::from_secs(60);
    while recorded() < 200 {
        assert!(Instant::now() < patience, "nothing was recorded within a minute");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = recorded();
    assert!((200..500).contains(&kept) && kept % 200 == 0, "{kept}");
    let rest = place.run(&["--json", "replay", "long.jsonl", "--no-embed"]).ok().json();
    assert_eq!(rest["recorded"].as_u64().unwrap() + rest["known"].as_u64().unwrap(), 1_000);
    assert_eq!(recorded(), 1_000);
}

#[test]
fn the_store_is_where_the_environment_says_or_in_the_data_directory() {
    let place = Place::new();
    let mut command = place.command(&["replay", &example("migration.jsonl"), "--no-embed"]);
    assert!(command.env_remove("HOLDFAST_STORE").output().unwrap().status.success());
    assert!(place.path("data/holdfast/holdfast.db").exists());
    let mut command = place.command(&["replay", &example("migration.jsonl"), "--no-embed", "--store", "mine"]);
    assert!(command.output().unwrap().status.success());
    assert!(place.path("mine/holdfast.db").exists());
}
