//! The help texts: what a reader of `--help` is promised.

use crate::Place;

#[track_caller]
fn check(name: &str, arguments: &[&str]) {
    let place = Place::new();
    insta::assert_snapshot!(name, place.run(arguments).ok().stdout);
}

#[test]
fn of_the_program() {
    check("holdfast", &["--help"]);
}

#[test]
fn of_every_command() {
    let place = Place::new();
    // The options of every command are in the program's own help; what is left is short.
    let common: Vec<String> = place.run(&["status", "-h"]).ok().stdout.lines().map(str::to_owned).collect();
    let mut all = String::new();
    for command in [
        &["replay"][..],
        &["observe"],
        &["context"],
        &["recall"],
        &["task"],
        &["task", "list"],
        &["task", "show"],
        &["task", "start"],
        &["task", "update"],
        &["task", "end"],
        &["task", "abandon-step"],
        &["llm"],
        &["llm", "check"],
        &["history"],
        &["journal"],
        &["report"],
        &["status"],
        &["reindex"],
        &["export"],
        &["import"],
        &["archive"],
        &["manage"],
        &["forget"],
        &["undo"],
        &["restore"],
        &["reveal"],
        &["serve"],
        &["mcp"],
        &["key"],
        &["key", "create"],
        &["key", "list"],
        &["key", "rotate"],
        &["key", "revoke"],
        &["doctor"],
        &["config"],
        &["config", "show"],
        &["dump"],
        &["completions"],
    ] {
        let help = place.run(&[command, &["-h"]].concat()).ok().stdout;
        let own = help.lines().filter(|line| !common.iter().any(|other| is_same_option(other, line)));
        let own: Vec<&str> = own.collect();
        all.push_str(&format!("$ holdfast {} -h\n{}\n\n", command.join(" "), own.join("\n").trim()));
    }
    insta::assert_snapshot!("commands", all);
}

/// Columns are aligned anew for each command.
fn is_same_option(common: &str, line: &str) -> bool {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    common.trim_start().starts_with('-') && words(common) == words(line)
}

#[test]
fn without_a_command_help_is_shown_and_that_is_wrong_usage() {
    let ran = Place::new().run(&[]).code(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("Usage: holdfast"), "{}", ran.stderr);
}
