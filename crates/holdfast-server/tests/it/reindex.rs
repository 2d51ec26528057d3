//! From words to vectors, and from one model to another.

use insta::assert_snapshot;

use crate::service::{Answer, Service};
use crate::{Place, Ran};

fn told(ran: &Ran) -> String {
    format!("exit {}\n{}\n--- stdout\n{}", ran.code, ran.stderr.trim_end(), ran.stdout.trim_end())
}

#[test]
fn a_store_changes_over_to_another_model() {
    let service = Service::start(|asked, _| Answer::Shuffled(if asked.model == "old" { 16 } else { 24 }));
    let place = Place::told("weekly-report.jsonl");
    let with = |model: &str, arguments: &[&str]| {
        let service = ["--embedding", &service.url, "--embedding-model", model];
        place.run(&[&service[..], arguments].concat())
    };
    let first = with("old", &["reindex"]).ok();
    // Another model: each command says once what to do, and goes on by words.
    let recall = with("new", &["recall", "退货率", "--limit", "1"]).ok();
    assert_eq!(recall.stderr.matches("run `holdfast reindex` to change over").count(), 1, "{}", recall.stderr);
    assert!(!recall.stdout.is_empty());
    let second = with("new", &["reindex", "--json"]).ok();
    assert_snapshot!([told(&first), told(&second)].join("\n"), @r#"
    exit 0

    --- stdout
    64 of 64 events have vectors of old (16-d), which serve now
    exit 0

    --- stdout
    {
      "serving": {
        "name": "new",
        "dimension": 24
      },
      "done": 64,
      "total": 64
    }
    "#);
    assert_eq!(with("new", &["recall", "return rate"]).ok().stderr, "");
    let journal = with("new", &["--json", "journal", "--verb", "reindex"]).ok().json();
    assert_eq!(journal.as_array().unwrap().len(), 2, "{journal}");
    assert_eq!(journal[0]["actor"], "operator", "{journal}");
    assert_eq!(journal[0]["before"]["model"]["name"], "old", "{journal}");
}

#[test]
fn a_model_that_is_missing_or_damaged_is_said_once_and_search_goes_by_words() {
    let place = Place::told("migration.jsonl");
    place.file("damaged.bin", "not a model");
    for file in ["gone.bin", "damaged.bin"] {
        let run = |arguments: &[&str]| {
            let output = place.command(arguments).env("HOLDFAST_MODEL", file).output().unwrap();
            Ran::of(arguments, output)
        };
        for arguments in [&["recall", "dump"][..], &["observe", "后台的数据库迁移"], &["context", "迁移"]] {
            let ran = run(arguments).ok();
            assert_eq!(ran.stderr.matches("search is lexical only").count(), 1, "{arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(file) && !ran.stdout.is_empty(), "{arguments:?}: {}", ran.stderr);
        }
        let status = run(&["status", "--json"]).ok().json();
        assert!(status["embedding"]["note"].as_str().unwrap().contains("search is lexical only"), "{status}");
        let refused = run(&["reindex"]).code(1);
        assert!(refused.stderr.contains("nothing can be indexed again: search is lexical only"), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
}
