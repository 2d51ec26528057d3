//! A language model behind a service: what may go wrong with it, what is sent and what is not; recordings.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use holdfast::env::Env;
use holdfast::llm::{Endpoint, Format, Llm, LlmError, OpenAi, Recorded, Recorder, Remedy, Reply, ScriptedLlm, Usage};
use holdfast::prompts::{self, LearnInput, Speaker, Utterance};
use holdfast::redact::Rules;
use insta::assert_snapshot;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::service::{Answer, Asked, Service, chat};

const KEY: &str = "sk-llm-0123456789abcdef0123456789abcdef";
const SECRET: &str = "Qz7!mv42Lw";

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn world() -> Arc<Env> {
    Arc::new(Env::fixed(7, "2026-11-27T09:00:00Z".parse().unwrap()))
}

/// A client that notes its waits and doesn't wait.
fn connect(service: &Service) -> (OpenAi, Arc<Mutex<Vec<Duration>>>) {
    let endpoint = Endpoint { key: Some(KEY.to_owned()), timeout: PATIENCE, ..Endpoint::at(&service.url, "m") };
    let waits = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&waits);
    let model = OpenAi::connect(endpoint, Rules::default(), world());
    (model.pausing(move |wait| noted.lock().unwrap().push(wait)), waits)
}

/// What a service that answers so comes to: the reply or the error, what can be done, how often it was asked.
fn outcome(answer: impl Fn(&Asked, usize) -> Answer + Send + 'static) -> String {
    let service = Service::start(answer);
    let (model, _) = connect(&service);
    let came = model.complete(&prompts::check());
    let said = match &came {
        Ok(reply) => format!("{reply:?}"),
        Err(error) => format!("{:?}: {error}", error.remedy()),
    };
    for told in [&said, &format!("{came:?}"), &format!("{model:?}")] {
        assert!(!told.contains(KEY) && !told.contains("clear sky"), "{told}");
    }
    format!("{} ({} requests)", said.replace(&service.url, "URL"), service.asked().len())
}

fn format_of(asked: &Asked) -> String {
    let format = asked.body.pointer("/response_format/type").and_then(Value::as_str).unwrap_or("none");
    let with_schema = asked.body.pointer("/response_format/schema").is_some();
    format!("{format}{}", if with_schema { "+schema" } else { "" })
}

#[test]
fn a_prompt_is_sent_as_services_want_it() {
    let service = Service::start(|_, _| Answer::Chat(r#"{"colour": "blue"}"#));
    let (model, _) = connect(&service);
    let reply = model.complete(&prompts::check()).unwrap();
    let usage = Usage { prompt_tokens: 20, reply_tokens: 5 };
    let text = r#"{"colour": "blue"}"#.to_owned();
    assert_eq!(reply, Reply { text, truncated: false, usage, format: Format::JsonSchema });
    assert_eq!(model.name(), "m");
    let asked = &service.asked()[0];
    assert_eq!(
        (asked.path.as_str(), asked.authorization.as_deref()),
        ("/v1/chat/completions", Some(&*format!("Bearer {KEY}")))
    );
    let body = &asked.body;
    assert_eq!((&body["model"], &body["temperature"], &body["max_tokens"]), (&json!("m"), &json!(0), &json!(200)));
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(body["messages"][0]["role"], "system");
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("clear sky"));
}

#[test]
fn what_a_service_refuses_is_left_out_from_then_on() {
    let service = Service::start(|asked, _| match format_of(asked).as_str() {
        "none" => Answer::Chat("{}"),
        _ => Answer::Status(400),
    });
    let (model, _) = connect(&service);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::Free);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::Free);
    let formats: Vec<String> = service.asked().iter().map(format_of).collect();
    assert_eq!(formats, ["json_schema", "json_object+schema", "json_object", "none", "none"]);

    let service = Service::start(|asked, _| match format_of(asked).as_str() {
        "json_object" => Answer::Chat("{}"),
        _ => Answer::Status(422),
    });
    let (model, _) = connect(&service);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::JsonObject);

    let service = Service::start(|asked, _| match format_of(asked).as_str() {
        "json_object+schema" => Answer::Chat("{}"),
        _ => Answer::Status(400),
    });
    let (model, _) = connect(&service);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::JsonSchema);
    assert_eq!(service.asked()[1].body["response_format"]["schema"]["required"], json!(["colour", "checked"]));
}

/// A bug that was found with a real server: it was asked four times and given up.
#[test]
fn a_server_that_fails_at_a_schema_is_asked_without() {
    let service = Service::start(|asked, _| match format_of(asked).as_str() {
        "json_schema" => Answer::Refuse(500, "('body', 'response_format', 'type'): Input should be 'text'".to_owned()),
        _ => Answer::Chat("{}"),
    });
    let (model, waits) = connect(&service);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::JsonSchema);
    assert_eq!((service.asked().len(), waits.lock().unwrap().len()), (2, 0));
}

#[test]
fn a_refusal_of_everything_teaches_nothing() {
    let service = Service::start(|_, n| if n < 4 { Answer::Status(400) } else { Answer::Chat("{}") });
    let (model, _) = connect(&service);
    assert!(matches!(model.complete(&prompts::check()), Err(LlmError::Refused { status: 400, .. })));
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::JsonSchema);
}

#[test]
fn newer_names_and_fixed_temperatures() {
    let service = Service::start(|asked, _| {
        let refuse = |why: &str| Answer::Refuse(400, why.to_owned());
        if asked.body.get("max_tokens").is_some() {
            return refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
        }
        if asked.body.get("temperature").is_some() {
            return refuse("'temperature' does not support 0 with this model.");
        }
        Answer::Chat("{}")
    });
    let (model, _) = connect(&service);
    assert_eq!(model.complete(&prompts::check()).unwrap().format, Format::JsonSchema);
    let last = service.asked().pop().unwrap().body;
    assert_eq!((last.get("max_completion_tokens"), last.get("temperature")), (Some(&json!(200)), None));
    model.complete(&prompts::check()).unwrap();
    assert_eq!(service.asked().len(), 4);
}

#[test]
fn a_service_that_fails() {
    let broken_off =
        json!({ "choices": [{ "message": { "content": "{\"col" }, "finish_reason": "length" }] }).to_string();
    let only_thought =
        json!({ "choices": [{ "message": { "content": null }, "finish_reason": "length" }] }).to_string();
    let refusal = json!({ "choices": [{ "message": { "content": null, "refusal": "I can't" } }] }).to_string();
    let parts = json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": "{}" }] } }] }).to_string();
    let huge = chat(&"x".repeat(5 * 1024 * 1024));
    let body = |text: &str| {
        let text = text.to_owned();
        outcome(move |_, _| Answer::Body(text.clone()))
    };
    let outcomes = [
        outcome(|_, _| Answer::Status(401)),
        outcome(|_, _| Answer::Status(403)),
        outcome(|_, _| Answer::Status(404)),
        outcome(|_, _| Answer::Status(413)),
        outcome(|_, _| Answer::Refuse(400, "This model's maximum context length is 4096 tokens.".to_owned())),
        outcome(|_, _| Answer::Status(429)),
        outcome(|_, _| Answer::Status(503)),
        outcome(|_, _| Answer::Wait(429, 3600)),
        outcome(|_, n| if n < 2 { Answer::Status(500) } else { Answer::Chat("{}") }),
        body(&broken_off),
        body(&only_thought),
        body(&refusal),
        body(&parts),
        body(&huge),
        body("<html>not JSON</html>"),
        body(r#"{"error": {"message": "overloaded"}}"#),
        body(r#"{"choices": [{"message": {}}]}"#),
    ];
    assert_snapshot!(outcomes.join("\n"), @r#"
    Configure: the model's service at URL/chat/completions refused with status 401: check the key (1 requests)
    Configure: the model's service at URL/chat/completions refused with status 403: check the key (1 requests)
    Configure: the model's service at URL/chat/completions refused with status 404: check the base URL and the model's name (1 requests)
    GiveUp: the model's service at URL/chat/completions refused with status 413: the texts are too long for it (1 requests)
    GiveUp: the prompt check is too long for the model at URL/chat/completions (1 requests)
    Later: the model's service at URL/chat/completions refused with status 429: it is limiting requests; try again later (4 requests)
    Later: the model's service at URL/chat/completions refused with status 503: it has a problem of its own; try again later (4 requests)
    Later: the model's service at URL/chat/completions refused with status 429: it is limiting requests; try again later (1 requests)
    Reply { text: "{}", truncated: false, usage: Usage { prompt_tokens: 20, reply_tokens: 5 }, format: JsonSchema } (3 requests)
    Reply { text: "{\"col", truncated: true, usage: Usage { prompt_tokens: 0, reply_tokens: 0 }, format: JsonSchema } (1 requests)
    Reply { text: "", truncated: true, usage: Usage { prompt_tokens: 0, reply_tokens: 0 }, format: JsonSchema } (1 requests)
    GiveUp: the model's service at URL/chat/completions answered something else than a completion: the model refused to answer (1 requests)
    Reply { text: "{}", truncated: false, usage: Usage { prompt_tokens: 0, reply_tokens: 0 }, format: JsonSchema } (1 requests)
    GiveUp: the model's service at URL/chat/completions answered with more than 4194304 bytes (1 requests)
    GiveUp: the model's service at URL/chat/completions answered something else than a completion: Syntax at line 1, column 1 (1 requests)
    GiveUp: the model's service at URL/chat/completions answered something else than a completion: it has no choices (1 requests)
    GiveUp: the model's service at URL/chat/completions answered something else than a completion: its message has no content (1 requests)
    "#);
}

#[test]
fn it_is_waited_as_asked_and_a_little_by_chance() {
    let service = Service::start(|_, n| match n {
        0 => Answer::Wait(429, 7),
        1 => Answer::Status(500),
        2 => Answer::Status(502),
        _ => Answer::Chat("{}"),
    });
    let (model, waits) = connect(&service);
    model.complete(&prompts::check()).unwrap();
    let waits = waits.lock().unwrap().clone();
    assert_eq!(waits[0], Duration::from_secs(7));
    assert!(waits[1] >= Duration::from_secs(1) && waits[1] <= Duration::from_secs(2), "{waits:?}");
    assert!(waits[2] >= Duration::from_secs(4) && waits[2] <= Duration::from_secs(8), "{waits:?}");
}

#[test]
fn a_service_that_is_silent_or_gone() {
    let service = Service::start(|_, n| if n < 1 { Answer::Silence } else { Answer::Chat("{}") });
    let endpoint = Endpoint { timeout: Duration::from_millis(300), ..Endpoint::at(&service.url, "m") };
    let model = OpenAi::connect(endpoint.clone(), Rules::default(), world()).pausing(|_| {});
    model.complete(&prompts::check()).unwrap();
    assert_eq!(service.asked().len(), 2, "a silence is asked again");

    let silent = Service::start(|_, _| Answer::Silence);
    let endpoint = Endpoint { base_url: silent.url.clone(), ..endpoint };
    let began = Instant::now();
    let error =
        OpenAi::connect(endpoint, Rules::default(), world()).pausing(|_| {}).complete(&prompts::check()).unwrap_err();
    assert!(matches!(error, LlmError::Unreachable { .. }), "{error}");
    assert_eq!(error.remedy(), Remedy::Later);
    assert!(began.elapsed() < PATIENCE);

    // Nobody listens there.
    let endpoint = Endpoint::at("http://127.0.0.1:9/v1", "m");
    let model = OpenAi::connect(endpoint, Rules::default(), world()).pausing(|_| panic!("it is not waited for"));
    assert!(matches!(model.complete(&prompts::check()), Err(LlmError::Unreachable { .. })));
}

#[test]
fn a_url_with_a_password_is_shown_without() {
    let endpoint = Endpoint {
        key: Some(KEY.to_owned()),
        ..Endpoint::at(format!("http://me:{SECRET}@127.0.0.1:9/v1?k={SECRET}"), "m")
    };
    let debug = format!("{endpoint:?}");
    let model = OpenAi::connect(endpoint, Rules::default(), world());
    let error = model.complete(&prompts::check()).unwrap_err();
    for told in [debug, format!("{model:?}"), error.to_string()] {
        assert!(!told.contains(SECRET) && !told.contains(KEY), "{told}");
    }
}

#[test]
fn no_secret_goes_out() {
    let service = Service::start(|_, _| Answer::Chat(r#"{"memories": []}"#));
    let (model, _) = connect(&service);
    let text = format!("密码是 {SECRET}，以后周报先写结论");
    let utterances = vec![Utterance { event: 1, by: Speaker::User, text }];
    model.complete(&prompts::learn(&LearnInput { utterances, ..LearnInput::default() })).unwrap();
    let sent = service.asked()[0].body.to_string();
    assert!(!sent.contains(SECRET), "{sent}");
    assert!(sent.contains("以后周报先写结论") && sent.contains("«password:1»"), "{sent}");
}

#[test]
fn over_budget_nothing_is_called() {
    let service = Service::start(|_, n| if n == 0 { Answer::Status(500) } else { Answer::Chat("{}") });
    let env = world();
    let endpoint = Endpoint { calls_per_hour: 3, ..Endpoint::at(&service.url, "m") };
    let model = OpenAi::connect(endpoint, Rules::default(), Arc::clone(&env)).pausing(|_| {});
    // One that was made again counts twice.
    model.complete(&prompts::check()).unwrap();
    model.complete(&prompts::check()).unwrap();
    let error = model.complete(&prompts::check()).unwrap_err();
    assert_snapshot!(error, @"the budget of 3 model calls an hour is spent; the next is free at 2026-11-27T10:00:00.001Z");
    assert_eq!((error.remedy(), service.asked().len()), (Remedy::Later, 3));
    env.advance(SignedDuration::from_mins(61));
    model.complete(&prompts::check()).unwrap();
    assert_eq!(service.asked().len(), 4);
}

#[test]
fn what_was_recorded_is_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.jsonl");
    let said = |text: &str| {
        let utterances = vec![Utterance { event: 1, by: Speaker::User, text: text.to_owned() }];
        prompts::learn(&LearnInput { utterances, ..LearnInput::default() })
    };
    let live = Arc::new(ScriptedLlm::replies(["first", "second", &format!("the password is {SECRET}")]));
    let recorder = Recorder::new(live.clone(), &path, Rules::default()).unwrap();
    let answers = [said("一"), said("一"), said("二")].map(|prompt| recorder.complete(&prompt).unwrap().text);
    assert!(recorder.complete(&said("三")).is_err(), "the script has ended");
    assert_eq!(live.asked().len(), 4);
    drop(recorder);

    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 3, "failures are not recorded");
    assert!(!written.contains(SECRET) && !written.contains("UTTERANCES"), "{written}");

    let replay = Recorded::open(&path).unwrap();
    let replayed = [said("一"), said("一"), said("二")].map(|prompt| replay.complete(&prompt).unwrap().text);
    assert_eq!(replayed, answers);
    assert_eq!(replay.complete(&said("一")).unwrap().text, "second", "the last one again");
    assert_eq!(replay.name(), "scripted");
    let unknown = said("四");
    let error = replay.complete(&unknown).unwrap_err();
    assert!(error.to_string().contains(&unknown.fingerprint()), "{error}");
    assert!(!error.to_string().contains('四'));

    std::fs::write(&path, written + "{\"prompt\": 1}\n").unwrap();
    let error = Recorded::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 4"), "{error}");
    assert!(Recorded::open(folder.path().join("none.jsonl")).is_err());
}

#[test]
fn a_script_is_followed_and_remembers() {
    let model = ScriptedLlm::replies(["a"]);
    assert_eq!(model.complete(&prompts::check()).unwrap(), Reply::of("a"));
    assert!(matches!(model.complete(&prompts::check()), Err(LlmError::ScriptEnded { name: "check", call: 1 })));
    assert_eq!(model.asked(), [prompts::check(), prompts::check()]);
    assert_eq!(ScriptedLlm::always("x").complete(&prompts::check()).unwrap().text, "x");
}
