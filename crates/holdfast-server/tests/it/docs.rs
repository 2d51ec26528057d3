//! Every command in the documents is run: each page in a folder of its own that has `examples/` and nothing else of the repository.
//!
//! A block that begins with three backticks and `sh` is run line by line; one that says `sh no-test` is not.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::root;

/// The commands of a page, each with its line.
fn commands(page: &str) -> Vec<(usize, String)> {
    let mut commands = Vec::new();
    let mut runs = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            runs = info.trim() == "sh" && !runs;
        } else if runs && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            commands.push((index + 1, line.to_owned()));
        }
    }
    commands
}

/// Runs what a page says, as a reader would: one after another, in one folder.
fn check(page: &str) {
    let root = root();
    let text = fs::read_to_string(root.join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("examples")).unwrap();
    for example in fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path()) {
        fs::copy(&example, folder.path().join("examples").join(example.file_name().unwrap())).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_holdfast"));
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let mut ran = 0;
    for (line, command) in commands(&text) {
        // It is running at this moment.
        if command.starts_with("cargo test") {
            continue;
        }
        // The program is built; how it was is for .ci/run to check.
        let command = command.replace("cargo run --release -- ", "holdfast ");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&command).current_dir(folder.path()).env("PATH", &path).env("TZ", "UTC");
        // Nothing of the person who runs the tests: neither settings nor their store.
        shell.env("HOME", folder.path()).env("XDG_DATA_HOME", folder.path().join("data"));
        shell.env("XDG_CONFIG_HOME", folder.path().join("config"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HOLDFAST_")) {
            shell.env_remove(name);
        }
        let output = shell.output().unwrap();
        assert!(
            output.status.success(),
            "{page}:{line}: {command}\n{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        ran += 1;
    }
    assert!(ran > 0, "{page} has no command that is run");
}

#[test]
fn the_readme_runs() {
    check("README.md");
}

// README.zh-CN.md has the same commands: `tidy` compares them.

#[test]
fn the_command_reference_runs() {
    check("docs/CLI.md");
}
