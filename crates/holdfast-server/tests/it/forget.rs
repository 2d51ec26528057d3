//! Forgetting on request by the command line, and what a kill in the middle of it leaves: nothing.

use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Place;

/// A user with so many events that have a word, and others.
fn told(place: &Place, word: &str, events: usize) {
    let mut lines = String::new();
    for number in 0..events {
        let content = format!("第 {number} 条：{word} 的事，note {number} on {word}");
        let line = json!({"source": "user", "kind": "note", "content": content, "user": "lin", "agent": "dev", "session": "s"});
        writeln!(lines, "{line}").unwrap();
    }
    let other =
        json!({"source": "user", "kind": "note", "content": "what another said", "user": "bob", "agent": "dev"});
    writeln!(lines, "{other}").unwrap();
    let file = place.file("told.jsonl", lines);
    place.run(&["replay", &file, "--no-embed"]).ok();
}

#[test]
fn nothing_is_done_without_hide_or_erase() {
    let place = Place::new();
    told(&place, "KELP-7741", 3);
    let looked = place.run(&["--user", "lin", "forget", "--matching", "kelp-7741"]).ok();
    assert!(looked.stdout.contains("3 events") && looked.stderr.contains("nothing was done"), "{looked:?}");
    assert!(place.store_contains("KELP-7741"));
    for (arguments, said) in [
        (&["forget", "--erase", "--reason", "x"][..], "say what: --event, --matching"),
        (&["forget", "--everything"], "everything of whom?"),
        (&["--user", "lin", "forget", "--everything", "--whole-tenant"], "name none of them"),
        (
            &["--user", "lin", "forget", "--matching", "x", "--event", "01a22c56-f4eb-7699-acb3-edad1ff1e79d"],
            "cannot be used with",
        ),
        (&["--user", "lin", "forget", "--matching", "x", "--hide", "--erase"], "cannot be used with"),
    ] {
        let ran = place.run(arguments);
        assert!((1..=2).contains(&ran.code) && ran.stderr.contains(said), "{ran:?}");
    }
    let ran = place.run(&["--user", "lin", "forget", "--matching", "KELP-7741", "--erase"]).code(4);
    assert!(ran.stderr.contains("say why") && ran.stderr.contains("--reason"), "{}", ran.stderr);
    let ran =
        place.run(&["--user", "lin", "forget", "--matching", "KELP-7741", "--erase", "--reason", "x", "--max", "2"]);
    assert!(ran.code(4).stderr.contains("3 events would be forgotten"));
    let ran = place.run(&["--user", "nobody", "forget", "--everything", "--erase", "--reason", "x"]).code(4);
    assert!(ran.stderr.contains("nobody of this name"), "{}", ran.stderr);
    assert!(place.store_contains("KELP-7741"));
}

#[test]
fn hidden_then_shown_then_erased_with_a_receipt() {
    let place = Place::new();
    told(&place, "KELP-7741", 3);
    let lin = |arguments: &[&str]| place.run(&[&["--user", "lin", "--agent", "dev"], arguments].concat());
    lin(&["forget", "--matching", "KELP-7741", "--hide", "--reason", "asked"]).ok();
    assert!(!lin(&["recall", "KELP-7741"]).ok().stdout.contains("KELP-7741"));
    lin(&["forget", "--matching", "KELP-7741", "--unhide", "--reason", "asked"]).ok();
    assert!(lin(&["recall", "KELP-7741"]).ok().stdout.contains("KELP-7741"));
    let receipt = lin(&["--json", "forget", "--matching", "KELP-7741", "--erase", "--reason", "asked"]).ok().json();
    assert_eq!(
        (&receipt[0]["events"], &receipt[0]["left"], &receipt[0]["how"]),
        (&json!(3), &json!(0), &json!("erase"))
    );
    assert!(!place.store_contains("KELP-7741"));
    let verified = lin(&["journal", "verify"]).ok().stdout;
    assert!(verified.contains("verified, ") && verified.contains("without their text"), "{verified}");
    // The file of before is replayed: what was erased stays out, and the rest is known.
    place.run(&["replay", "told.jsonl", "--no-embed"]);
    assert!(!place.store_contains("KELP-7741"));
    place.run(&["dump"]).ok();
}

/// Killed at any moment of an erasure, the next command that writes makes it whole.
#[test]
fn killed_while_erasing_nothing_is_left() {
    for round in 0..6_u32 {
        let place = Place::new();
        told(&place, "KELP-7741", 700);
        let erase = &["--user", "lin", "forget", "--everything", "--erase", "--reason", "asked"];
        let mut child = place.command(erase).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_millis(12 * u64::from(round + 1));
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever it had come to: begun, it is ended; not begun, it is asked for again.
        place.run(&["--user", "bob", "observe", "another word", "--no-embed"]).ok();
        let begun = !place.run(&["--user", "lin", "recall", "KELP-7741"]).ok().stdout.contains("KELP-7741");
        if !begun {
            place.run(erase).ok();
        }
        assert!(!place.store_contains("KELP-7741"), "round {round}, begun: {begun}");
        place.run(&["dump"]).ok();
    }
}

#[test]
fn a_word_that_was_wrong_is_undone_by_its_number_in_the_journal() {
    let place = Place::new();
    place.run(&["observe", "以后周报都先写结论。", "--no-embed"]).ok();
    place.run(&["observe", "以后周报都用英文写。", "--no-embed"]).ok();
    let lines = place.run(&["--json", "journal", "--verb", "remember"]).ok().json();
    let number = lines[0]["position"].as_i64().unwrap().to_string();
    let rules = || place.run(&["memory", "list"]).ok().stdout;
    assert!(rules().contains("英文"), "{}", rules());
    let preview = place.run(&["undo", &number, "--preview"]).ok();
    assert!(preview.stdout.contains("1 memory") && preview.stderr.contains("nothing was done"), "{preview:?}");
    assert!(place.run(&["undo", &number]).code(4).stderr.contains("--reason"));
    place.run(&["undo", &number, "--reason", "it was meant for another"]).ok();
    assert!(!rules().contains("英文") && rules().contains("先写结论"), "{}", rules());
    place.run(&["undo", "--run", "latest", "--reason", "it was right after all"]).ok();
    assert!(rules().contains("英文"), "{}", rules());
    for (arguments, code, said) in [
        (&["undo", "--reason", "x"][..], 2, "required"),
        (&["undo", "9999", "--reason", "x"], 4, "there is no operation 9999"),
        (&["undo", "--to", "2031-01-01", "--reason", "x"], 4, "nothing to undo"),
        (&["undo", "--to", "soonish", "--reason", "x"], 2, "is no time"),
    ] {
        let ran = place.run(arguments).code(code);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn a_tenant_is_erased_whole_and_its_receipts_are_known_by_who_knows_the_names() {
    let place = Place::new();
    told(&place, "KELP-7741", 2);
    let acme = |arguments: &[&str]| place.run(&[&["--tenant", "acme-7731"], arguments].concat());
    for user in ["shen-7731", "ana-7731"] {
        acme(&["--user", user, "--agent", "dev", "observe", "We meet at twelve."]).ok();
    }
    let whole = &["forget", "--everything", "--whole-tenant"];
    assert!(acme(whole).ok().stderr.contains("nothing was done"));
    assert!(place.store_contains("acme-7731"));
    let erased = acme(&[&["--json"], &whole[..], &["--erase", "--reason", "the contract ended"]].concat()).ok();
    for name in ["acme-7731", "shen-7731", "ana-7731", "We meet at twelve"] {
        assert!(!place.store_contains(name) && !erased.stdout.contains(name), "{name}");
    }
    assert!(place.store_contains("KELP-7741"), "another tenant's stays");
    let known = acme(&["--user", "shen-7731", "--agent", "dev", "--json", "forget", "--commitment"]).ok();
    let known: serde_json::Value = serde_json::from_str(&known.stdout).unwrap();
    let commitment = known["commitment"].as_str().unwrap();
    assert_eq!(erased.stdout.matches(commitment).count(), 1, "{}", erased.stdout);
    place.run(&["journal", "verify"]).ok();
}
