//! The program as its users see it: one test binary, a file for each promise.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod bad_input;
mod commands;
mod config;
mod docs;
mod doctor;
mod environment;
mod finding;
mod forget;
mod help;
mod llm;
mod manage;
mod mcp;
mod memory;
mod packaging;
mod processes;
mod proxy;
mod reindex;
mod reveal;
mod schema;
mod serve;
#[expect(dead_code, reason = "the library's tests ask more of it")]
#[path = "../../../holdfast/tests/it/service.rs"]
mod service;
mod story;
mod tau_bench;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn example(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

/// A folder with a store in it, and the program to run there.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A place whose store holds an example.
    fn told(story: &str) -> Self {
        let place = Self::new();
        place.run(&["replay", &example(story), "--no-embed"]).ok();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        name.to_owned()
    }

    /// Nothing of the person who runs the tests: neither settings nor their store.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdfast"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HOLDFAST_")) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(self.folder.path()).env("TZ", "UTC").stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("XDG_DATA_HOME", self.path("data"));
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command.env("HOLDFAST_STORE", "store");
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(arguments, self.command(arguments).output().unwrap())
    }

    fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // It may end before it has read all.
        let _ = pipe.write_all(stdin);
        drop(pipe);
        Ran::of(arguments, child.wait_with_output().unwrap())
    }

    /// Whether any file of the store has these bytes in it.
    fn store_contains(&self, needle: &str) -> bool {
        let files = fs::read_dir(self.path("store")).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
    }
}

/// What a run came to.
#[derive(Debug)]
struct Ran {
    arguments: String,
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(arguments: &[&str], output: Output) -> Self {
        Self {
            arguments: arguments.join(" "),
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "holdfast {}\n{}\n{}", self.arguments, self.stdout, self.stderr);
        self
    }

    #[track_caller]
    fn ok(self) -> Self {
        self.code(0)
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("holdfast {}: stdout is not one JSON document: {error}\n{}", self.arguments, self.stdout)
        })
    }
}
