//! Settings by file, environment and flag: which counts, where it came from, and what is refused.

use serde_json::Value;

use crate::{Place, Ran};

const SETTINGS: &str = r#"
[store]
directory = "记忆"
[scope]
user = "林悦"
zone = "Asia/Shanghai"
[embedding]
source = "http://127.0.0.1:9/v1"
model = "嵌入"
key = "sk-embedding-Qz7mv42Lw"
[llm]
url = "http://127.0.0.1:9/v1"
model = "m"
key = "sk-llm-Qz7mv42Lw"
calls_per_hour = 7
[manager]
policy = "tutoring"
[serve]
listen = "127.0.0.1:9999"
allow_origin = ["http://a.example", "http://b.example"]
log_json = true
"#;

fn run(place: &Place, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    command.env_remove("HOLDFAST_STORE").envs(variables.iter().copied());
    Ran::of(arguments, command.output().unwrap())
}

/// A setting's value and where it came from.
fn setting(shown: &Value, name: &str) -> (String, String) {
    let one = shown["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap();
    (one["value"].as_str().unwrap_or("-").to_owned(), one["source"].as_str().unwrap().to_owned())
}

#[test]
fn a_flag_counts_before_the_environment_and_that_before_the_file() {
    let place = Place::new();
    let file = place.file("设置.toml", SETTINGS);
    let show = ["--json", "--config", &file, "config", "show"];
    let check = |variables: &[(&str, &str)], flags: &[&str], name: &str, value: &str, source: &str| {
        let shown = run(&place, variables, &[&show, flags].concat()).ok().json();
        assert_eq!(setting(&shown, name), (value.to_owned(), source.to_owned()), "{name} {variables:?} {flags:?}");
    };
    check(&[], &[], "scope.user", "林悦", "file");
    check(&[("HOLDFAST_USER", "mei")], &[], "scope.user", "mei", "environment");
    check(&[("HOLDFAST_USER", "mei")], &["--user", "小北"], "scope.user", "小北", "flag");
    check(&[], &[], "scope.agent", "-", "default");
    check(&[], &[], "scope.tenant", "default", "default");
    check(&[], &[], "store.directory", "记忆", "file");
    check(&[("HOLDFAST_STORE", "other")], &[], "store.directory", "other", "environment");
    check(&[], &[], "llm.calls_per_hour", "7", "file");
    check(&[], &[], "manager.policy", "tutoring", "file");
    check(&[("HOLDFAST_POLICY", "support")], &[], "manager.policy", "support", "environment");
    check(&[], &[], "serve.listen", "127.0.0.1:9999", "file");
    check(&[], &[], "serve.allow_origin", "http://a.example,http://b.example", "file");
    check(&[], &[], "serve.log_json", "true", "file");
    check(&[], &[], "serve.body_bytes", "4194304", "default");
}

#[test]
fn a_secret_is_told_to_be_set_and_no_more() {
    let place = Place::new();
    let file = place.file("holdfast.toml", SETTINGS);
    for arguments in
        [&["--json", "config", "show"][..], &["config", "show"], &["config", "show", "--help"], &["--help"]]
    {
        for variables in [&[][..], &[("HOLDFAST_LLM_KEY", "sk-other-Qz7mv42Lw")]] {
            let ran = run(&place, variables, &[&["--config", &file], arguments].concat()).ok();
            assert!(
                !ran.stdout.contains("Qz7mv42Lw") && !ran.stderr.contains("Qz7mv42Lw"),
                "{}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
    let shown = run(&place, &[], &["--json", "--config", &file, "config", "show"]).ok().json();
    assert_eq!(setting(&shown, "llm.key"), ("set".to_owned(), "file".to_owned()));
    assert_eq!(setting(&shown, "embedding.key"), ("set".to_owned(), "file".to_owned()));
}

#[test]
fn the_file_is_the_one_that_is_named_or_else_the_platforms() {
    let place = Place::new();
    let user = |variables: &[(&str, &str)], arguments: &[&str]| {
        let shown = run(&place, variables, &[arguments, &["--json", "config", "show"]].concat()).ok().json();
        setting(&shown, "scope.user").0
    };
    assert_eq!(user(&[], &[]), "-");
    std::fs::create_dir_all(place.path("config/holdfast")).unwrap();
    place.file("config/holdfast/holdfast.toml", "[scope]\nuser = \"平台\"");
    place.file("变量.toml", "[scope]\nuser = \"variable\"");
    place.file("flag.toml", "[scope]\nuser = \"旗\"");
    assert_eq!(user(&[], &[]), "平台");
    assert_eq!(user(&[("HOLDFAST_CONFIG", "变量.toml")], &[]), "variable");
    assert_eq!(user(&[("HOLDFAST_CONFIG", "变量.toml")], &["--config", "flag.toml"]), "旗");
    assert_eq!(user(&[], &["--config=flag.toml"]), "旗");
    let ran = run(&place, &[], &["--config", "没有.toml", "status"]).code(1);
    assert!(ran.stderr.contains("没有.toml"), "{}", ran.stderr);
}

#[test]
fn what_it_says_is_what_commands_do() {
    let place = Place::new();
    std::fs::create_dir(place.path("项目")).unwrap();
    let file = place.file(
        "项目/holdfast.toml",
        "[store]\ndirectory = \"记忆\"\n[scope]\nuser = \"林悦\"\n[embedding]\nsource = \"none\"",
    );
    run(&place, &[], &["--config", &file, "observe", "以后周报都先写结论"]).ok();
    // Relative to the file, wherever the command is run.
    assert!(place.path("项目/记忆").is_dir());
    let listed = run(&place, &[], &["--config", &file, "--json", "memory", "list"]).ok();
    assert!(listed.stdout.contains("先写结论"), "{}", listed.stdout);
    let status = run(&place, &[], &["--config", &file, "--json", "status"]).ok().json();
    assert_eq!(status["owners"][0]["user"], "林悦");
}

#[test]
fn what_is_wrong_in_it_is_told_with_its_place() {
    let place = Place::new();
    let check = |text: &str, wanted: &str| {
        let file = place.file("错.toml", text);
        let ran = run(&place, &[], &["--config", &file, "status"]).code(2);
        assert!(ran.stderr.contains("错.toml") && ran.stderr.contains(wanted), "{text}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
        assert!(!ran.stderr.contains("Qz7mv42Lw"), "{}", ran.stderr);
    };
    check("[serve]\nlisten_on = \"x\"", "\"listen\" was meant");
    check("[embeding]\nsource = \"none\"", "\"embedding\" was meant");
    check("[serve]\nbody_bytes = \"many\"", "serve.body_bytes: a whole number is expected");
    check("[serve]\nbody_bytes = 1\nbody_bytes = 2", "line 3");
    check("[llm]\nkey = \"sk-Qz7mv42Lw", "line 2");
    check("[embedding]\nsource = \"telnet://x\"", "embedding.source");
    check("[scope]\nzone = \"火星\"", "scope.zone");
    // A wrong word on the command line stays one.
    let ran = run(&place, &[], &["--embedding", "telnet://x", "status"]).code(2);
    assert!(ran.stderr.contains("--embedding"), "{}", ran.stderr);
}
