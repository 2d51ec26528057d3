//! A store is for one environment: prod and test can't be mixed in it by accident.

use serde_json::{Value, json};

use crate::Place;
use crate::serve::Server;

#[test]
fn a_store_that_is_for_one_environment_is_not_opened_for_another() {
    for (label, other) in [("prod", "test"), ("生产", "测试")] {
        let place = Place::new();
        // At its creation.
        place.run(&["--environment", label, "observe", "以后周报都先写结论", "--no-embed"]).ok();
        for command in [
            &["observe", "x", "--no-embed"][..],
            &["context", "写周报"],
            &["recall", "周报"],
            &["status"],
            &["export"],
            &["manage"],
            &["serve"],
        ] {
            let ran = place.run(&[&["--environment", other], command].concat()).code(4);
            assert!(
                ran.stderr.contains(&format!("for {label}, not for {other}")) && ran.stderr.contains("--environment"),
                "{}",
                ran.stderr
            );
            assert_eq!(ran.stdout, "");
        }
        // Its own, and whoever says nothing.
        place.run(&["--environment", label, "recall", "周报"]).ok();
        let status = place.run(&["--json", "status"]).ok().json();
        assert_eq!((&status["environment"], &status["store"]["events"]), (&json!(label), &json!(1)));
    }
}

#[test]
fn a_store_that_was_for_none_is_for_the_first_that_is_named() {
    let place = Place::new();
    place.run(&["observe", "好", "--no-embed"]).ok();
    // Looking makes it nothing.
    place.run(&["--environment", "test", "status"]).ok();
    assert_eq!(place.run(&["--json", "status"]).ok().json()["environment"], Value::Null);
    let mut command = place.command(&["observe", "再来", "--no-embed"]);
    assert!(command.env("HOLDFAST_ENVIRONMENT", "prod").status().unwrap().success());
    place.run(&["--environment", "test", "observe", "x", "--no-embed"]).code(4);
    let file = place.file("设置.toml", "[store]\nenvironment = \"test\"");
    place.run(&["--config", &file, "observe", "x", "--no-embed"]).code(4);
}

#[test]
fn what_was_written_for_another_environment_is_brought_in_only_if_that_is_meant() {
    let test = Place::new();
    test.run(&["--environment", "test", "observe", "试验里的事", "--no-embed"]).ok();
    let export = test.run(&["export"]).ok().stdout;
    assert!(export.lines().next().unwrap().contains(r#""environment":"test""#), "{export}");
    let prod = Place::new();
    prod.run(&["--environment", "prod", "observe", "a thing of production", "--no-embed"]).ok();
    let file = prod.file("测试.jsonl", &export);
    let ran = prod.run(&["import", &file]).code(4);
    assert!(ran.stderr.contains("for test") && ran.stderr.contains("for prod"), "{}", ran.stderr);
    assert_eq!(prod.run(&["--json", "status"]).ok().json()["store"]["events"], 1);
    // Over HTTP too.
    {
        let server = Server::start(&prod, &[]);
        server.ask("POST", "/v1/import", &[], export.as_bytes()).problem(422, "body_refused");
        assert_eq!(
            server.ask("POST", "/v1/import?other_environment=true", &[], export.as_bytes()).is(200)["events"],
            1
        );
    }
    prod.run(&["import", &file, "--other-environment"]).ok();
    assert_eq!(prod.run(&["--json", "status"]).ok().json()["store"]["events"], 2);
    // Of the same environment, and into or out of a store that is for none: as ever.
    let again = Place::new();
    again.run(&["import", &again.file("e", &export)]).ok();
    let of_none = again.run(&["export"]).ok().stdout;
    assert!(!of_none.contains("\"environment\""));
    prod.run(&["import", &prod.file("n", of_none)]).ok();
}
