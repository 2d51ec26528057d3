//! An OpenAI client whose base URL is the proxy's: what its service gets, what the client gets, and what is remembered.

use std::io::{BufRead, BufReader};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use crate::Place;
use crate::serve::{Answer, Server};

/// What the service behind the proxy was sent.
#[derive(Debug, Clone)]
struct Sent {
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Sent {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The text of the last message.
    fn last(&self) -> String {
        self.json()["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
    }
}

/// How the service answers.
enum Script {
    /// A status, a kind of content, a body.
    Body(u16, &'static str, String),
    /// Pieces, each sent when the test lets it.
    Pieces(Receiver<&'static str>),
}

/// A service on this machine that answers as it is told, in order.
struct Endpoint {
    url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
    script: Arc<Mutex<Vec<Script>>>,
}

type Shared = (Arc<Mutex<Vec<Sent>>>, Arc<Mutex<Vec<Script>>>);

impl Endpoint {
    fn start() -> Self {
        let sent = Arc::new(Mutex::new(Vec::new()));
        let script: Arc<Mutex<Vec<Script>>> = Arc::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared: Shared = (Arc::clone(&sent), Arc::clone(&script));
        // It ends with the process.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let router = Router::new().fallback(answer).with_state(shared);
                axum::serve(listener, router).await.unwrap();
            });
        });
        Self { url, sent, script }
    }

    fn next(&self, script: Script) {
        self.script.lock().unwrap().push(script);
    }

    fn says(&self, text: &str) {
        let message = json!({ "role": "assistant", "content": text });
        let body = json!({ "id": "c", "object": "chat.completion", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
        self.next(Script::Body(200, "application/json", body.to_string()));
    }

    fn calls(&self, tool: &str) {
        let call = json!({ "id": "call_1", "type": "function", "function": { "name": tool, "arguments": "{}" } });
        let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
        self.next(Script::Body(200, "application/json", json!({ "choices": [{ "message": message }] }).to_string()));
    }

    fn pieces(&self) -> Sender<&'static str> {
        let (sender, receiver) = channel();
        self.next(Script::Pieces(receiver));
        sender
    }

    fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    fn last(&self) -> Sent {
        self.sent().pop().unwrap()
    }
}

async fn answer(State((sent, script)): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().to_string();
    sent.lock().unwrap().push(Sent { path, headers: parts.headers, body });
    let next = {
        let mut script = script.lock().unwrap();
        if script.is_empty() { None } else { Some(script.remove(0)) }
    };
    match next {
        None => Response::builder().status(500).body(Body::from("the test said nothing of this")).unwrap(),
        Some(Script::Body(status, kind, body)) => Response::builder()
            .status(status)
            .header("content-type", kind)
            .header("x-request-id", "req_upstream")
            .header("access-control-allow-origin", "*")
            .body(Body::from(body))
            .unwrap(),
        Some(Script::Pieces(pieces)) => {
            let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(1);
            std::thread::spawn(move || {
                pieces
                    .iter()
                    .take_while(|piece| sender.blocking_send(Ok(Bytes::from_static(piece.as_bytes()))).is_ok())
                    .for_each(drop);
            });
            let stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
            Response::builder().header("content-type", "text/event-stream").body(Body::from_stream(stream)).unwrap()
        }
    }
}

/// A server whose proxy has this service behind it, and time to think on a busy machine.
fn proxied(place: &Place, endpoint: &Endpoint, options: &[&str]) -> Server {
    Server::start(place, &[&["--upstream", &endpoint.url, "--memory-wait", "10m"], options].concat())
}

const CHAT: &str = "/openai/v1/chat/completions";

fn ask(server: &Server, headers: &[(&str, &str)], messages: &Value) -> Answer {
    let body = json!({ "model": "m", "messages": messages }).to_string();
    let headers =
        [&[("content-type", "application/json"), ("authorization", "Bearer sk-geheim-7731")], headers].concat();
    server.ask("POST", CHAT, &headers, body.as_bytes())
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn assistant(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

/// Contents of the events of a user, in order, with who said them.
fn events(server: &Server, user: &str) -> Vec<String> {
    let page = server.get(&format!("/v1/events?user={user}&limit=100")).is(200);
    let events = page["events"].as_array().unwrap();
    events
        .iter()
        .map(|event| format!("{}: {}", event["source"].as_str().unwrap(), event["content"].as_str().unwrap()))
        .collect()
}

#[test]
fn what_was_said_in_one_talk_is_in_the_prompt_of_another() {
    for (said, asked, wanted) in [
        ("以后周报都先写结论，再列数据", "写一下本周的周报", "先写结论"),
        ("From now on, always answer in bullet points", "write the summary", "bullet points"),
    ] {
        let (place, endpoint) = (Place::new(), Endpoint::start());
        let server = proxied(&place, &endpoint, &[]);
        let lin = &[("holdfast-user", "%E6%9E%97")];
        endpoint.says("OK");
        let first = ask(&server, lin, &json!([user(said)]));
        assert_eq!(first.headers.get("holdfast-memory").unwrap(), "used");
        assert!(endpoint.last().last().ends_with(said));
        endpoint.says("好的。");
        let second = ask(&server, lin, &json!([user(asked)]));
        let session = |answer: &Answer| answer.headers.get("holdfast-session").unwrap().to_str().unwrap().to_owned();
        assert_ne!(session(&first), session(&second), "another talk");
        let sent = endpoint.last().last();
        assert!(sent.contains(wanted) && sent.ends_with(asked), "{sent}");
        assert_ne!(second.headers.get("holdfast-block-tokens").unwrap(), "0");
        // Nobody else's.
        endpoint.says("OK");
        ask(&server, &[("holdfast-user", "mei")], &json!([user(asked)]));
        assert!(!endpoint.last().last().contains(wanted));
    }
}

#[test]
fn only_what_is_new_is_recorded_and_the_reply_is_there_before_the_next_request() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let mut server = proxied(&place, &endpoint, &[]);
    let lin = &[("holdfast-user", "lin")];
    let mut talk = vec![json!({ "role": "system", "content": "你是助理" }), user("查一下上周的退货率")];
    endpoint.calls("sql");
    ask(&server, lin, &json!(talk)).is(200);
    talk.push(json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": "call_1", "type": "function", "function": { "name": "sql", "arguments": "{}" } }] }));
    talk.push(json!({ "role": "tool", "tool_call_id": "call_1", "content": "退货率 2.8%" }));
    endpoint.says("上周退货率是 2.8%。");
    ask(&server, lin, &json!(talk)).is(200);
    let sent = endpoint.last().json();
    assert_eq!(sent["messages"][0], talk[0]);
    assert_eq!(sent["messages"][1], talk[1], "what was sent before is not touched");
    talk.push(assistant("上周退货率是 2.8%。"));
    let wanted = ["user: 查一下上周的退货率", "agent: sql({})", "tool: 退货率 2.8%", "agent: 上周退货率是 2.8%。"];
    // The reply is recorded when the client may go on, at the latest by its next request.
    talk.push(user("写进周报"));
    endpoint.says("写好了。");
    ask(&server, lin, &json!(talk)).is(200);
    assert_eq!(events(&server, "lin")[..5], [&wanted[..], &["user: 写进周报"]].concat());
    // After a restart the same talk is known.
    let session = server.get("/v1/events?user=lin&limit=1").is(200)["events"][0]["session"].clone();
    drop(server);
    server = proxied(&place, &endpoint, &[]);
    talk.extend([assistant("写好了。"), user("发给老周")]);
    endpoint.says("发了。");
    let answer = ask(&server, lin, &json!(talk));
    assert_eq!(answer.headers.get("holdfast-session").unwrap().to_str().unwrap(), session.as_str().unwrap());
    let known = events(&server, "lin");
    assert_eq!(known.iter().filter(|event| event.contains("退货率是")).count(), 1, "{known:?}");
    assert_eq!(known[..7], [&wanted[..], &["user: 写进周报", "agent: 写好了。", "user: 发给老周"]].concat());
}

#[test]
fn a_stream_passes_as_it_comes_and_is_remembered() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    let pieces = endpoint.pieces();
    let body = json!({ "model": "m", "stream": true, "messages": [user("讲个开头")] }).to_string();
    let request = ureq::http::Request::post(format!("{}{CHAT}", server.address)).header("holdfast-user", "lin");
    let whole = [
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"从前\"},\"finish_reason\":null}]}\n\n",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"有座山\"},\"finish_reason\":null}]}\n\n",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    ];
    // The first piece must be there before the client has its answer: it has no end yet.
    pieces.send(whole[0]).unwrap();
    let mut answer = server.agent.run(request.body(body.into_bytes()).unwrap()).unwrap();
    assert_eq!(answer.headers().get("content-type").unwrap(), "text/event-stream");
    let mut reader = BufReader::new(answer.body_mut().as_reader());
    let mut got = String::new();
    for piece in &whole[1..] {
        while got.lines().count() < 2 || !got.ends_with("\n\n") {
            reader.read_line(&mut got).unwrap();
        }
        // Sent only after the one before was read.
        pieces.send(piece).unwrap();
    }
    drop(pieces);
    reader.lines().map_while(Result::ok).for_each(|line| got += &(line + "\n"));
    assert_eq!(got, whole.concat());
    endpoint.says("好");
    ask(&server, &[("holdfast-user", "lin")], &json!([user("讲个开头"), assistant("从前有座山"), user("接着讲")]))
        .is(200);
    assert_eq!(events(&server, "lin")[..3], ["user: 讲个开头", "agent: 从前有座山", "user: 接着讲"]);
}

#[test]
fn a_client_that_goes_away_leaves_what_it_heard() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    let pieces = endpoint.pieces();
    pieces.send("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once upon a time\"}}]}\n\n").unwrap();
    let body = json!({ "stream": true, "messages": [user("tell me a story")] }).to_string();
    let request = ureq::http::Request::post(format!("{}{CHAT}", server.address)).header("holdfast-user", "lin");
    let mut answer = server.agent.run(request.body(body.into_bytes()).unwrap()).unwrap();
    let mut line = String::new();
    BufReader::new(answer.body_mut().as_reader()).read_line(&mut line).unwrap();
    drop(answer);
    // The service hears of it when it would say more.
    while pieces.send(": more\n\n").is_ok() {
        std::thread::yield_now();
    }
    let heard = (0..10_000).find_map(|_| events(&server, "lin").into_iter().find(|event| event.starts_with("agent")));
    assert_eq!(heard.as_deref(), Some("agent: Once upon a time"));
}

#[test]
fn what_is_not_known_passes_through_to_the_byte() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    let body = r#"{"model":"m","seed":18446744073709551616,"x_new":{"a":1.0},"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"这是什么"}]}]}"#;
    let headers = [
        ("content-type", "application/json"),
        ("authorization", "Bearer sk-1"),
        ("openai-organization", "org-1"),
        ("holdfast-budget", "0"),
    ];
    endpoint.says("一只猫");
    server.ask("POST", &format!("{CHAT}?api-version=2"), &headers, body.as_bytes()).is(200);
    let sent = endpoint.last();
    assert_eq!(
        (sent.path.as_str(), std::str::from_utf8(&sent.body).unwrap()),
        ("/v1/chat/completions?api-version=2", body)
    );
    assert_eq!(
        (sent.header("authorization"), sent.header("openai-organization")),
        (Some("Bearer sk-1"), Some("org-1"))
    );
    assert!(!sent.headers.keys().any(|name| name.as_str().starts_with("holdfast")), "{:?}", sent.headers);
    // Errors too, with their own form and their own id.
    for (status, kind, body) in [
        (429, "application/json", r#"{"error":{"message":"slow down","type":"rate_limit"}}"#),
        (500, "text/plain", "upstream is unwell"),
        (404, "text/html", "<h1>no such model</h1>"),
    ] {
        endpoint.next(Script::Body(status, kind, body.to_owned()));
        let answer = ask(&server, &[], &json!([user("hi")]));
        assert_eq!((answer.status, answer.text.as_str()), (status, body));
        assert_eq!(answer.headers.get("x-upstream-request-id").unwrap(), "req_upstream");
        assert!(answer.headers.get("access-control-allow-origin").is_none());
    }
    // And what the service does beside talking.
    endpoint.next(Script::Body(200, "application/json", r#"{"data":[]}"#.to_owned()));
    assert_eq!(server.get("/openai/v1/models?limit=2").text, r#"{"data":[]}"#);
    assert_eq!(endpoint.last().path, "/v1/models?limit=2");
    let asked = endpoint.sent().len();
    for path in ["/openai/v1/../admin", "/openai/v1/models/%2e%2e/%2e%2e/admin", "/openai/v1/a/../../b"] {
        server.get(path);
    }
    assert!(endpoint.sent()[asked..].iter().all(|sent| sent.path.starts_with("/v1/")), "{:?}", endpoint.sent());
    // A body that is no request is for the service to refuse.
    for body in ["{", "[]", r#"{"messages":"hi"}"#, "\u{0}"] {
        endpoint.next(Script::Body(400, "application/json", "{}".to_owned()));
        let answer = server.ask("POST", CHAT, &[("content-type", "application/json")], body.as_bytes());
        assert_eq!(
            (answer.status, answer.headers.get("holdfast-memory").unwrap().to_str().unwrap()),
            (400, "bypassed")
        );
        assert_eq!(endpoint.last().body, body.as_bytes());
    }
}

#[test]
fn a_request_that_is_no_part_of_the_talk_is_left_out() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    endpoint.says("Title");
    let answer =
        ask(&server, &[("holdfast-user", "lin"), ("holdfast-memory", "off")], &json!([user("给这段对话起个标题")]));
    assert_eq!(answer.headers.get("holdfast-memory").unwrap(), "off");
    assert_eq!(events(&server, "lin"), [""; 0]);
    let answer = ask(&server, &[("holdfast-memory", "maybe")], &json!([user("hi")]));
    let told = answer.is(400);
    assert!(told["error"]["message"].as_str().unwrap().contains("holdfast-memory"), "{told}");
}

#[test]
fn a_memory_that_fails_is_left_aside() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    endpoint.says("first");
    ask(&server, &[], &json!([user("以后都用中文回答")])).is(200);
    endpoint.says("好");
    // A block that can't be made: it would not even hold its fence.
    let answer = ask(&server, &[("holdfast-budget", "1")], &json!([user("写周报")]));
    assert_eq!(answer.headers.get("holdfast-memory").unwrap(), "bypassed");
    assert!(!answer.headers.get("holdfast-memory-reason").unwrap().is_empty());
    assert_eq!(answer.is(200)["choices"][0]["message"]["content"], "好");
    assert_eq!(endpoint.last().last(), "写周报");
    // A service that is not there is a fault of its own, said in its clients' form.
    let nowhere = Server::start(&Place::new(), &["--upstream", "http://127.0.0.1:9/v1"]);
    let told = ask(&nowhere, &[], &json!([user("hi")])).is(502);
    assert_eq!(told["error"]["code"], "upstream_failed");
}

#[test]
fn a_memory_that_takes_too_long_is_not_waited_for() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = Server::start(&place, &["--upstream", &endpoint.url, "--memory-wait", "0s"]);
    endpoint.says("好");
    let answer = ask(&server, &[], &json!([user("写周报")]));
    let told = |name: &str| answer.headers.get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(
        (told("holdfast-memory"), told("holdfast-memory-reason")),
        ("bypassed".to_owned(), "too_slow".to_owned())
    );
    assert_eq!(endpoint.last().last(), "写周报");
}

#[test]
fn old_messages_are_left_out_when_it_is_wished_and_come_back_in_the_block() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &["--trim-tokens", "1200", "--block-tokens", "400"]);
    let mut talk =
        vec![json!({ "role": "system", "content": "你是助理" }), user("服务器的地址是 10.20.30.40，备用机房在苏州")];
    endpoint.says("记下了");
    ask(&server, &[("holdfast-user", "lin")], &json!(talk)).is(200);
    talk.push(assistant("记下了"));
    for turn in 0..12 {
        talk.push(user(&format!("第{turn}段：{}", "再看看别的资料，整理成一段话。".repeat(8))));
        talk.push(assistant(&format!("第{turn}段整理好了：{}", "内容略。".repeat(20))));
    }
    talk.push(user("备用机房在哪里？"));
    endpoint.says("苏州");
    let answer = ask(&server, &[("holdfast-user", "lin")], &json!(talk));
    let trimmed: usize = answer.headers.get("holdfast-trimmed-tokens").unwrap().to_str().unwrap().parse().unwrap();
    assert!(trimmed > 500, "{trimmed}");
    let sent = endpoint.last();
    let messages = sent.json()["messages"].as_array().unwrap().clone();
    assert!(messages.len() < talk.len() && messages[0] == talk[0], "{}", messages.len());
    assert_eq!(messages[1]["role"], "user");
    assert!(!messages.contains(&talk[1]));
    assert!(sent.last().contains("苏州") && sent.last().ends_with("备用机房在哪里？"), "{}", sent.last());
}

#[test]
fn responses_are_remembered_and_gone_on_from() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let server = proxied(&place, &endpoint, &[]);
    let headers = [("content-type", "application/json"), ("holdfast-user", "lin")];
    let reply = |id: &str, text: &str| {
        let output =
            json!([{ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }] }]);
        Script::Body(200, "application/json", json!({ "id": id, "object": "response", "output": output }).to_string())
    };
    let ask = |body: &Value| server.ask("POST", "/openai/v1/responses", &headers, body.to_string().as_bytes());
    endpoint.next(reply("resp_1", "好的"));
    let first = ask(&json!({ "model": "m", "input": "以后周报都先写结论" }));
    endpoint.next(reply("resp_2", "写好了"));
    let second = ask(&json!({ "model": "m", "input": "写周报", "previous_response_id": "resp_1" }));
    assert_eq!(first.headers.get("holdfast-session"), second.headers.get("holdfast-session"));
    let sent = endpoint.last().json();
    assert_eq!((&sent["input"], &sent["previous_response_id"]), (&json!("写周报"), &json!("resp_1")));
    assert!(sent["instructions"].as_str().unwrap().contains("先写结论"), "{sent}");
    assert_eq!(events(&server, "lin")[..3], ["user: 以后周报都先写结论", "agent: 好的", "user: 写周报"]);
}

#[test]
fn keys_of_ours_and_of_the_service_are_kept_apart() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let key = |options: &[&str]| {
        let made: Value = serde_json::from_str(&place.run(&[&["--json"], options].concat()).ok().stdout).unwrap();
        made["key"].as_str().unwrap().to_owned()
    };
    let agent = key(&["--user", "lin", "key", "create"]);
    let reader = key(&["--user", "lin", "key", "create", "--role", "reader"]);
    let server = proxied(&place, &endpoint, &["--log-json"]);
    let hi = json!([user("密钥分开放")]);
    for (headers, status, code) in [
        (vec![], 401, "key_missing"),
        (vec![("holdfast-key", "hf_00000000_x")], 401, "key_unknown"),
        (vec![("authorization", "Bearer hf_00000000_x")], 401, "key_misplaced"),
        (vec![("holdfast-key", reader.as_str())], 403, "role_too_low"),
        (vec![("holdfast-key", agent.as_str()), ("holdfast-user", "mei")], 403, "out_of_reach"),
    ] {
        let body = json!({ "messages": hi }).to_string();
        let answer = server.ask(
            "POST",
            CHAT,
            &[&[("content-type", "application/json")], &headers[..]].concat(),
            body.as_bytes(),
        );
        let told = answer.is(status);
        assert_eq!(told["error"]["code"], code, "{told}");
    }
    assert!(endpoint.sent().is_empty(), "nobody who was refused reached the service");
    endpoint.says("好");
    // Whom the client says it serves does not widen what the key opens.
    let body = json!({ "user": "mei", "messages": hi }).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("authorization", "Bearer sk-geheim-7731"),
        ("holdfast-key", agent.as_str()),
    ];
    server.ask("POST", CHAT, &headers, body.as_bytes()).is(200);
    let sent = endpoint.last();
    assert_eq!(sent.header("authorization"), Some("Bearer sk-geheim-7731"));
    assert!(!format!("{:?}", sent.headers).contains(&agent));
    drop(server);
    let found = place.run(&["--user", "lin", "recall", "密钥分开放"]).ok().stdout;
    assert!(found.contains("密钥分开放"), "{found}");
    for file in std::fs::read_dir(place.path("store")).unwrap().map(|file| file.unwrap().path()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            !bytes.windows(14).any(|window| window == b"sk-geheim-7731"),
            "{} has the caller's key",
            file.display()
        );
    }
}

#[test]
fn the_services_key_may_be_kept_here() {
    let (place, endpoint) = (Place::new(), Endpoint::start());
    let made: Value = serde_json::from_str(&place.run(&["--json", "key", "create"]).ok().stdout).unwrap();
    let ours = format!("Bearer {}", made["key"].as_str().unwrap());
    let server =
        Server::start_with(&place, &["--upstream", &endpoint.url], &[("HOLDFAST_UPSTREAM_KEY", "sk-ours-7731")]);
    let body = json!({ "messages": [user("hi")] }).to_string();
    server.ask("POST", CHAT, &[("authorization", "Bearer sk-guess")], body.as_bytes()).is(401);
    endpoint.says("hello");
    server.ask("POST", CHAT, &[("authorization", &ours)], body.as_bytes()).is(200);
    assert_eq!(endpoint.last().header("authorization"), Some("Bearer sk-ours-7731"));
    // A holder of our key may ask models, and not administer the account.
    server.ask("GET", "/openai/v1/organization/admin_api_keys", &[("authorization", &ours)], b"").is(404);
    assert_eq!(endpoint.sent().len(), 1);
}
