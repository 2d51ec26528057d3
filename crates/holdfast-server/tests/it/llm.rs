//! `llm check`: what it says of a service, and what it never says.

use insta::assert_snapshot;

use crate::service::{Answer, Asked, Service};
use crate::{Place, Ran};

const KEY: &str = "sk-llm-0123456789abcdef0123456789abcdef";

fn ask(service: &Service, arguments: &[&str]) -> Ran {
    let place = Place::new();
    let all = [&["llm", "check", "--llm-url", &service.url, "--llm-model", "small"], arguments].concat();
    let mut command = place.command(&all);
    let ran = Ran::of(&all, command.env("HOLDFAST_LLM_KEY", KEY).output().unwrap());
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    assert!(!place.path("store").exists(), "no store is needed, none is made");
    ran
}

/// The exit code and what was said, without what differs from run to run.
fn told(answer: impl Fn(&Asked, usize) -> Answer + Send + 'static) -> String {
    let service = Service::start(answer);
    let ran = ask(&service, &[]);
    let said = format!("{}{}", ran.stdout, ran.stderr).replace(&service.url, "URL");
    let lines = said.lines().map(|line| match (line.find("in "), line.find(" ms")) {
        (Some(begin), Some(end)) if line.starts_with("answered") => format!("{}in N{}", &line[..begin], &line[end..]),
        _ => line.to_owned(),
    });
    format!("exit {}\n{}\n", ran.code, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_a_check_says() {
    let wants_schema = |asked: &Asked| {
        let format = &asked.body["response_format"];
        format["type"] == "json_schema" || format.get("schema").is_some()
    };
    let said = [
        told(|_, _| Answer::Chat(r#"{"colour": "blue", "checked": "holdfast"}"#)),
        told(|_, _| Answer::Chat("Sure!\n```json\n{'colour': 'blue',}\n```")),
        told(move |asked, _| match wants_schema(asked) {
            true => Answer::Status(400),
            false => Answer::Chat(r#"{"colour": "blue"}"#),
        }),
        told(|asked, _| match asked.body.get("response_format") {
            Some(_) => Answer::Status(400),
            None => Answer::Chat("The sky is blue. [1] {\"color\": \"blue\"} \u{1b}[31m"),
        }),
        told(|_, _| Answer::Status(401)),
        told(|_, _| Answer::Status(404)),
        told(|_, _| Answer::Body("<html>".to_owned())),
    ];
    assert_snapshot!(said.join("\n"), @r#"
    exit 0
    endpoint  URL
    model     small
    answered  in N ms, 20 + 5 tokens
    form      held to the JSON schema
    reply     usable as it was

    exit 0
    endpoint  URL
    model     small
    answered  in N ms, 20 + 5 tokens
    form      the service takes a JSON schema, but the reply does not follow it
    reply     usable after salvage

    exit 0
    endpoint  URL
    model     small
    answered  in N ms, 20 + 5 tokens
    form      the service refuses a JSON schema; it takes JSON mode
    reply     usable as it was

    exit 3
    endpoint  URL
    model     small
    answered  in N ms, 20 + 5 tokens
    form      the service refuses a JSON schema and JSON mode; the prompt alone asks for JSON
    reply     nothing usable in it (missing field `colour`): "The sky is blue. [1] {\"color\": \"blue\"} \u{1b}[31m"

    exit 1
    holdfast: the model's service at URL/chat/completions refused with status 401: check the key (HOLDFAST_LLM_KEY)

    exit 1
    holdfast: the model's service at URL/chat/completions refused with status 404: check the base URL and the model's name (--llm-url, --llm-model)

    exit 1
    holdfast: the model's service at URL/chat/completions answered something else than a completion: Syntax at line 1, column 1
    "#);
}

#[test]
fn as_json() {
    let service = Service::start(|_, _| Answer::Chat(r#"{"colour": "blue", "checked": "holdfast"}"#));
    let mut value = ask(&service, &["--json"]).ok().json();
    value["latency_ms"] = 0.into();
    let text = value.to_string().replace(&service.url, "URL");
    assert_snapshot!(text, @r#"
    {"endpoint":"URL","model":"small","latency_ms":0,"tokens":{"prompt_tokens":20,"reply_tokens":5},"format":"json_schema","held_to_schema":true,"usable":"as_it_was","truncated":false,"dropped":[]}
    "#);
}

#[test]
fn without_a_model_and_with_a_wrong_one() {
    let place = Place::new();
    let nothing = place.run(&["llm", "check"]).code(2);
    assert!(
        nothing.stderr.contains("no language model is set up: give --llm-url and --llm-model"),
        "{}",
        nothing.stderr
    );
    let unnamed = place.run(&["llm", "check", "--llm-url", "http://127.0.0.1:9/v1"]).code(2);
    assert!(unnamed.stderr.contains("--llm-model"), "{}", unnamed.stderr);
    let no_url = place.run(&["llm", "check", "--llm-url", "localhost:9", "--llm-model", "m"]).code(2);
    assert!(no_url.stderr.contains("it does not begin with http:// or https://"), "{}", no_url.stderr);
    let nobody = ["llm", "check", "--llm-url", "http://me:pass-word-1@127.0.0.1:9/v1", "--llm-model", "m"];
    let nobody = place.run(&nobody).code(1);
    assert!(nobody.stderr.contains("(is it running, and is --llm-url right?)"), "{}", nobody.stderr);
    assert!(!nobody.stderr.contains("pass-word-1"), "{}", nobody.stderr);
    let none_allowed = Service::start(|_, _| Answer::Chat("{}"));
    let spent = ask(&none_allowed, &["--llm-calls-per-hour", "0"]).code(1);
    assert!(spent.stderr.contains("the budget of 0 model calls an hour is spent"), "{}", spent.stderr);
    assert_eq!(none_allowed.asked().len(), 0);
}
