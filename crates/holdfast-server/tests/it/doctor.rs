//! `doctor`: what is well, what is not, and what to do; and that it only looks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::service::{Answer, Service};
use crate::{Place, Ran};

const NO_MODEL: &[&str] = &["--embedding", "none"];

fn doctor(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&[arguments, &["--json", "doctor"]].concat())
}

/// How a line stands, and what it says.
fn line(told: &Value, what: &str) -> (String, String) {
    let findings = told["findings"].as_array().unwrap();
    let one = findings.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("{what}: {told}"));
    let state = one["state"].as_str().unwrap().to_owned();
    assert_eq!(one["to_do"].is_string(), state != "ok", "{one}");
    (state, one["found"].as_str().unwrap().to_owned())
}

#[track_caller]
fn check(ran: &Ran, what: &str, state: &str, found: &str) {
    let (is, told) = line(&ran.json(), what);
    assert!(is == state && told.contains(found), "{what}: {is}: {told}");
}

#[test]
fn a_store_that_is_well_is_said_to_be() {
    let place = Place::told("weekly-report.jsonl");
    fs::set_permissions(place.path("store"), fs::Permissions::from_mode(0o700)).unwrap();
    let ran = doctor(&place, &[]).ok();
    for (what, found) in [
        ("store", "schema"),
        ("lock", "nobody"),
        ("file", "sound"),
        ("journal", "holds"),
        ("vectors", "384-d"),
        ("llm", "none"),
        ("keys", "none"),
        ("directory", "700"),
        ("clock", "20"),
        ("disk", "free"),
    ] {
        check(&ran, what, "ok", found);
    }
    let text = place.run(&[NO_MODEL, &["doctor"]].concat()).ok().stdout;
    assert!(text.contains("ok    store") && !text.contains("FAIL"), "{text}");
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let place = Place::new();
    let ran = doctor(&place, NO_MODEL).ok();
    check(&ran, "store", "warn", "there is none");
    assert!(!place.path("store").exists());
    // Not in a directory that is there for something else either.
    fs::create_dir(place.path("别的")).unwrap();
    doctor(&place, &[NO_MODEL, &["--store", "别的"]].concat()).ok();
    assert_eq!(fs::read_dir(place.path("别的")).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_damaged_fails() {
    let place = Place::told("migration.jsonl");
    let file = place.path("store/holdfast.db");
    let whole = fs::read(&file).unwrap();
    // Its end is missing.
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    check(&doctor(&place, NO_MODEL).code(1), "store", "fail", "holdfast.db");
    // Pages in its midst are something else.
    let mut bytes = whole.clone();
    let middle = (whole.len() / 2) & !4095;
    bytes[middle..middle + 4096 * 8].fill(0x5A);
    fs::write(&file, &bytes).unwrap();
    let ran = doctor(&place, NO_MODEL).code(1);
    assert_eq!(ran.json()["well"], false);
    fs::write(&file, "something else altogether").unwrap();
    check(&doctor(&place, NO_MODEL).code(1), "store", "fail", "");
}

#[test]
fn keys_that_end_and_files_that_others_read_are_told() {
    let place = Place::new();
    place.run(&["observe", "好", "--no-embed"]).ok();
    let key = |arguments: &[&str]| {
        place.run(&[&["--json", "key"], arguments].concat()).ok().json()["id"].as_str().unwrap().to_owned()
    };
    let expired = key(&["create", "--expires-in", "0s", "--label", "过期"]);
    check(&doctor(&place, NO_MODEL).code(1), "keys", "fail", "nobody can come in");
    let soon = key(&["create", "--expires-in", "3d"]);
    let ran = doctor(&place, NO_MODEL).ok();
    check(&ran, "keys", "warn", &soon);
    assert!(!ran.stdout.contains(&format!("end {expired}")));
    check(&ran, "key file", "ok", "600");
    fs::set_permissions(place.path("store/api-keys.json"), fs::Permissions::from_mode(0o644)).unwrap();
    check(&doctor(&place, NO_MODEL).ok(), "key file", "warn", "644");
    fs::write(place.path("store/api-keys.json"), "{").unwrap();
    check(&doctor(&place, NO_MODEL).code(1), "keys", "fail", "api-keys.json");
}

#[test]
fn models_that_do_not_answer_fail() {
    let place = Place::new();
    let dead = "http://127.0.0.1:9/v1";
    let ran =
        doctor(&place, &["--embedding", dead, "--embedding-model", "m", "--llm-url", dead, "--llm-model", "m"]).code(1);
    check(&ran, "vectors", "fail", "127.0.0.1:9");
    check(&ran, "llm", "fail", "127.0.0.1:9");
    let service = Service::start(|_, _| Answer::Chat(r#"{"colour": "blue", "checked": "holdfast"}"#));
    let ran = doctor(&place, &[NO_MODEL, &["--llm-url", &service.url, "--llm-model", "小模型"]].concat()).ok();
    check(&ran, "llm", "ok", "小模型");
}
