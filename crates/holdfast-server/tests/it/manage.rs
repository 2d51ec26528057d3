//! Letting go by the command line: looked at first, done, told, and taken back.

use std::fmt::Write;

use serde_json::json;

use crate::Place;

/// What tools brought long ago, of no use to anybody.
fn told(place: &Place, events: usize) {
    let mut lines = String::new();
    for _ in 0..events {
        let content = "页面加载完毕，导航栏里有帮助中心和意见反馈入口。";
        let line = json!({"source": "tool", "kind": "tool_result", "content": content, "occurred_at": "2024-01-05T10:00:00+08:00"});
        writeln!(lines, "{line}").unwrap();
    }
    let file = place.file("told.jsonl", lines);
    place.run(&["replay", &file, "--no-embed"]).ok();
}

#[test]
fn looked_at_done_told_and_taken_back() {
    let place = Place::new();
    told(&place, 3);
    // On probation for no time at all: the next run lets go.
    let policy = place.file("soon.toml", "extends = \"research\"\n[probation]\nturns = 0\nhours = 0");
    let dry = place.run(&["manage", "--dry-run", "--policy", &policy]).ok();
    assert!(dry.stdout.contains("3 on probation") && dry.stderr.contains("nothing was done"), "{dry:?}");
    assert!(place.run(&["report"]).ok().stdout.contains("stored: 3 events"));
    let put = place.run(&["manage", "--policy", &policy, "--json"]).ok().json();
    let event = put["events"][0]["event"].as_str().unwrap().to_owned();
    let history = place.run(&["history", &event]).ok().stdout;
    assert!(history.contains("on probation since turn 3 by policy research, score 0.1"), "{history}");
    let gone = place.run(&["manage", "--policy", &policy]).ok().stdout;
    assert!(gone.contains("3 discarded") && gone.contains("holdfast undo --run"), "{gone}");
    let history = place.run(&["history", &event]).ok().stdout;
    assert!(history.contains("discarded at turn 3 by policy research, score 0.1"), "{history}");
    // `explain` says the same, and looking changes nothing.
    let explained = place.run(&["recall", "导航栏里的意见反馈入口", &format!("--explain={event}")]).ok();
    assert!(explained.stderr.contains("is out of view: discarded at turn 3 by policy research"), "{explained:?}");
    let report = place.run(&["report"]).ok().stdout;
    assert!(report.contains("discarded: 3") && report.contains("tokens saved"), "{report}");
    let page = place.run(&["report", "--html"]).ok().stdout;
    assert!(page.starts_with("<!doctype html>") && page.contains("<tr><td>Discarded</td><td>3</td></tr>"), "{page}");
    assert!(page.contains("3 events; solid: as it is, 0 tokens at the end; dashed:"), "{page}");
    assert!(!place.run(&["recall", "导航栏里的意见反馈入口"]).ok().stdout.contains("导航栏"));
    place.run(&["undo", "--run", "latest", "--reason", "it was needed"]).ok();
    assert!(place.run(&["recall", "导航栏里的意见反馈入口"]).ok().stdout.contains("导航栏"));
    let report = place.run(&["report", "--run", "all"]).ok().stdout;
    assert!(report.starts_with("look at ") && report.contains("somebody took it back"), "{report}");
    place.run(&["dump"]).ok();
}

#[test]
fn the_history_of_what_is_gone_says_when_and_why() {
    for (text, marker, words) in [
        ("我的储物柜密码本放在 梅洛-7781 那里。", "梅洛-7781", "梅洛"),
        ("My locker is next to the Marlow-7781 gate.", "Marlow-7781", "Marlow"),
    ] {
        let place = Place::new();
        let event = place.run(&["observe", text, "--no-embed"]).ok().stdout.trim().to_owned();
        let erase = ["forget", "--event", &event, "--erase", "--reason", "as asked", "--json"];
        let receipt = place.run(&erase).ok().json()[0]["id"].as_str().unwrap().to_owned();
        let history = place.run(&["history", &event]).ok().stdout;
        assert!(history.contains("erased on request at ") && history.contains(&receipt), "{history}");
        assert!(history.contains("as asked") && !history.contains(marker), "{history}");
        let explained = place.run(&["recall", words, &format!("--explain={event}")]).ok();
        assert!(explained.stderr.contains("was erased on request at "), "{explained:?}");
        assert!(!explained.stdout.contains(marker) && !explained.stderr.contains(marker), "{explained:?}");
    }
}

#[test]
fn the_journal_is_pruned_and_still_verifies() {
    let place = Place::new();
    told(&place, 3);
    let preview = place.run(&["journal", "prune", "--before", "2999-01-01", "--preview"]).ok();
    assert!(
        preview.stdout.contains("lines lose their text") && preview.stderr.contains("nothing was done"),
        "{preview:?}"
    );
    assert!(place.run(&["journal", "prune", "--before", "2999-01-01"]).code(4).stderr.contains("say why"));
    place.run(&["journal", "prune", "--before", "2999-01-01", "--reason", "a year is enough"]).ok();
    let verified = place.run(&["journal", "verify"]).ok().stdout;
    assert!(verified.contains("no longer kept"), "{verified}");
    let refused = place.run(&["undo", "--to", "2020-01-01", "--reason", "a mistake"]).code(4);
    assert!(refused.stderr.contains("the journal no longer keeps what was done at"), "{refused:?}");
    // By its setting too.
    place.run(&["observe", "again", "--no-embed"]).ok();
    place.run(&["observe", "and again", "--no-embed", "--journal-days", "0"]).ok();
    let journal = place.run(&["journal"]).ok().stdout;
    assert!(journal.contains("the journal is kept for 0 days"), "{journal}");
    place.run(&["dump"]).ok();
}

#[test]
fn too_much_is_refused_and_a_wrong_policy_is_named() {
    let place = Place::new();
    told(&place, 120);
    let refused = place.run(&["manage", "--policy", "support"]).code(4);
    assert!(refused.stderr.contains("would touch 120 of 120") && refused.stderr.contains("--force"), "{refused:?}");
    let dry = place.run(&["manage", "--policy", "support", "--dry-run"]).ok();
    assert!(dry.stderr.contains("without --force it would stop"), "{dry:?}");
    assert!(place.run(&["manage", "--policy", "support", "--force"]).ok().stdout.contains("120 on probation"));
    let file = place.file("wrong.toml", "extends = \"research\"\n[probation]\nturns = -1");
    for (policy, said) in [
        (file.as_str(), "`probation.turns` is -1; it must be a whole number"),
        ("Support", "Support is none of the presets (support, research, tutoring, aggressive)"),
    ] {
        let ran = place.run(&["manage", "--policy", policy]);
        assert!(ran.code != 0 && ran.stderr.contains(said), "{ran:?}");
    }
}
