//! The memory over HTTP: what is served, to whom, and what is refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::http::{Request, Response};

use crate::Place;

/// A server that runs as long as this is held.
pub struct Server {
    process: Child,
    pub address: String,
    pub agent: ureq::Agent,
}

impl Server {
    pub fn start(place: &Place, options: &[&str]) -> Self {
        Self::start_with(place, options, &[])
    }

    pub fn start_with(place: &Place, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let arguments = [&["--embedding", "none", "serve", "--listen", "127.0.0.1:0"], options].concat();
        let mut process = place
            .command(&arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let told = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("listening on")).unwrap();
        let address = told.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
        // A pipe that nobody reads would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        let config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60)));
        Self { process, address, agent: config.build().into() }
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if body.is_empty() || method == "GET" {
            return Answer::of(self.agent.run(request.body(()).unwrap()).unwrap());
        }
        Answer::of(self.agent.run(request.body(body.to_vec()).unwrap()).unwrap())
    }

    pub fn get(&self, path: &str) -> Answer {
        let request = Request::get(format!("{}{path}", self.address)).body(()).unwrap();
        Answer::of(self.agent.run(request).unwrap())
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub struct Answer {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub text: String,
}

impl Answer {
    fn of(mut response: Response<ureq::Body>) -> Self {
        let text = response.body_mut().read_to_string().unwrap();
        Self { status: response.status().as_u16(), headers: response.headers().clone(), text }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        let kind = self.headers.get("content-type").unwrap().to_str().unwrap().to_owned();
        let id = self.headers.get("x-request-id").unwrap().to_str().unwrap().to_owned();
        let told = self.is(status);
        assert_eq!((told["code"].as_str(), kind.as_str()), (Some(code), "application/problem+json"), "{told}");
        assert_eq!(told["request_id"], json!(id));
        assert!(!told["detail"].as_str().unwrap().is_empty(), "{told}");
        told
    }
}

#[test]
fn what_is_said_is_in_the_next_block() {
    for (said, asked, wanted) in [
        ("以后周报都先写结论，再列数据", "写周报", "先写结论"),
        ("From now on, always answer in bullet points", "write the summary", "bullet points"),
    ] {
        let place = Place::new();
        let server = Server::start(&place, &[]);
        let scope = "?user=lin&session=s1";
        let event = server.post(&format!("/v1/events{scope}"), &json!({ "content": said })).is(201);
        let block = server.post(&format!("/v1/context{scope}"), &json!({ "query": asked })).is(200);
        assert!(block["text"].as_str().unwrap().contains(wanted), "{block}");
        // Nobody else's.
        let other = server.post("/v1/context?user=mei&session=s1", &json!({ "query": asked })).is(200);
        assert_eq!(other["text"], "");
        let id = event["id"].as_str().unwrap();
        assert_eq!(server.get(&format!("/v1/events/{id}?user=lin")).is(200)["content"], said);
        server.get(&format!("/v1/events/{id}?user=mei")).problem(404, "no_such_event");
    }
}

#[test]
fn the_same_key_is_one_event_and_a_stale_version_is_refused() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let body = json!({ "content": "退货率 2.8%" }).to_string();
    let headers = [("content-type", "application/json"), ("idempotency-key", "一次")];
    let first = server.ask("POST", "/v1/events", &headers, body.as_bytes()).is(201);
    let again = server.ask("POST", "/v1/events", &headers, body.as_bytes()).is(200);
    assert_eq!((&again["id"], &again["duplicate"]), (&first["id"], &json!(true)));

    let task = server.post("/v1/tasks?task=w47", &json!({ "title": "第47周周报", "constraints": ["一页以内"] }));
    let version = task.headers.get("etag").unwrap().to_str().unwrap().to_owned();
    task.is(201);
    let update = json!({ "actions": [{ "action": "conclude", "text": "退货率下降" }] }).to_string();
    let matching = [("content-type", "application/json"), ("if-match", version.as_str())];
    server.ask("POST", "/v1/tasks/w47/updates", &matching, update.as_bytes()).is(200);
    let stale = server.ask("POST", "/v1/tasks/w47/updates", &matching, update.as_bytes());
    assert_eq!(stale.problem(412, "version_conflict")["current_version"], 2);
    let end = json!({ "outcome": "success" }).to_string();
    server.ask("POST", "/v1/tasks/w47/end", &matching, end.as_bytes()).problem(412, "version_conflict");
    server.post("/v1/tasks/w47/end", &json!({ "outcome": "success" })).is(200);
    server.post("/v1/tasks?task=w47", &json!({ "title": "再来" })).problem(409, "task_exists");
}

#[test]
fn lines_are_answered_one_by_one_and_a_bad_one_keeps_no_other_out() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let good = |text: &str| json!({ "content": text, "source": "user", "kind": "query" }).to_string();
    let lines = [good("周报用PDF"), "{\"bad".to_owned(), good(""), good("The review moved to Friday")].join("\n");
    let answer = server.ask("POST", "/v1/events/batch?user=lin", &[], lines.as_bytes());
    assert_eq!(answer.status, 200);
    let told: Vec<Value> = answer.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let codes: Vec<Option<&str>> = told.iter().map(|line| line["code"].as_str()).collect();
    assert_eq!(codes, [None, Some("body_refused"), Some("body_refused"), None], "{told:?}");
    let listed = server.get("/v1/events?user=lin").is(200);
    assert_eq!(listed["events"].as_array().unwrap().len(), 2);
}

#[test]
fn bad_input_is_told_with_its_place() {
    let place = Place::new();
    let server = Server::start(&place, &["--body-bytes", "100000"]);
    let sent = |body: &str| server.ask("POST", "/v1/events", &[("content-type", "application/json")], body.as_bytes());
    assert_eq!(sent(r#"{"contents": "x"}"#).problem(422, "body_refused")["field"], "contents");
    assert_eq!(sent(r#"{"content": "x", "source": "owner"}"#).problem(422, "body_refused")["field"], "source");
    sent("{").problem(400, "bad_request");
    sent(r#"{"content": "x"} more"#).problem(400, "bad_request");
    sent(&"[".repeat(50_000)).problem(422, "body_refused");
    sent(&format!(r#"{{"content": "x", "metadata": {{"a": {}"#, "[".repeat(50_000))).problem(400, "bad_request");
    sent(&json!({ "content": "长".repeat(50_000) }).to_string()).problem(413, "body_too_long");
    sent(r#"{"content": ""}"#).problem(422, "event_refused");
    // JSON it is, but not what is expected there.
    assert_eq!(sent(r#"{"content": "x", "source": null}"#).problem(422, "body_refused")["field"], "source");
    assert_eq!(sent(r#"{"content": "x", "kind": 7}"#).problem(422, "body_refused")["field"], "kind");
    sent(r#"["以后周报都先写结论", "user"]"#).problem(422, "body_refused");
    server.post("/v1/manage", &json!([null, null])).problem(422, "body_refused");
    server.post("/v1/undo", &json!({ "reason": "没说要撤什么" })).problem(422, "body_refused");
    server.ask("POST", "/v1/events/batch", &[("content-length", "0")], b"").problem(400, "bad_request");
    server.get("/v1/tasks?after=nothing").problem(409, "no_such_cursor");
    server.ask("POST", "/v1/events", &[], br#"{"content": "x"}"#).problem(415, "not_json");
    let squeezed = [("content-type", "application/json"), ("content-encoding", "gzip")];
    server.ask("POST", "/v1/events", &squeezed, b"\x1f\x8b").problem(415, "body_encoded");
    server.get("/v1/events?user=").problem(400, "bad_request");
    server.get("/v1/events?limit=0").problem(400, "bad_request");
    server.get("/v1/nothing").problem(404, "no_such_route");
    server.get("/v1/events/none").problem(404, "no_such_event");
    server.get("/v1/tasks/none").problem(404, "no_such_task");
    server.get("/v1/memories/none").problem(404, "no_such_memory");
    server.ask("DELETE", "/v1/events", &[], b"").problem(405, "no_such_method");
    assert_eq!(server.get("/v1/events").is(200)["events"], json!([]), "something of it was stored");
}

/// Every route of the document, with every kind of caller who may not.
#[test]
fn no_door_opens_to_who_may_not_come_in() {
    let place = Place::new();
    let key = |options: &[&str]| {
        let ran = place.run(&[&["--json"], options].concat()).ok();
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["key"].as_str().unwrap().to_owned()
    };
    let operator = key(&["key", "create", "--role", "operator", "--tenant", "海岸"]);
    let reader = key(&["key", "create", "--role", "reader", "--tenant", "海岸"]);
    let bound = key(&["key", "create", "--role", "operator", "--tenant", "海岸", "--user", "lin"]);
    let expired = key(&["key", "create", "--expires-in", "0s", "--tenant", "海岸"]);
    let revoked = key(&["key", "create", "--tenant", "海岸"]);
    let id = revoked.split('_').nth(1).unwrap().to_owned();
    place.run(&["key", "revoke", &id]).ok();
    let server = Server::start(&place, &[]);
    // Something to reach for.
    let bearer = |key: &str| format!("Bearer {key}");
    let said = json!({ "content": "海岸的机密：利润 12%" }).to_string();
    let json_of = ("content-type", "application/json");
    let tenant = "tenant=%E6%B5%B7%E5%B2%B8";
    let made =
        server.ask("POST", "/v1/events?user=mei", &[json_of, ("authorization", &bearer(&operator))], said.as_bytes());
    let event = made.is(201)["id"].as_str().unwrap().to_owned();

    let document = server.get("/openapi.json").is(200);
    let mut walked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            let path = path.replace("{id}", &event);
            let ask = |key: Option<&str>, query: &str| {
                let authorization = key.map(bearer);
                let mut headers = vec![json_of];
                headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
                server.ask(&method, &format!("{path}?{query}"), &headers, b"{}")
            };
            ask(None, "user=mei").problem(401, "key_missing");
            ask(Some("hf_00000000_AAAA"), "user=mei").problem(401, "key_unknown");
            ask(Some(&expired), "user=mei").problem(401, "key_expired");
            ask(Some(&revoked), "user=mei").problem(401, "key_revoked");
            ask(Some(&operator), "tenant=other&user=mei").problem(403, "out_of_reach");
            ask(Some(&bound), &format!("{tenant}&user=mei")).problem(403, "out_of_reach");
            // What only looks is a reader's too; all else is refused before the body is looked at.
            let looks =
                method == "GET" && !path.ends_with("/export") || ["/v1/context", "/v1/recall"].contains(&path.as_str());
            let dry = ["/v1/learn", "/v1/manage"].contains(&path.as_str());
            if !looks && !dry {
                let answer = ask(Some(&reader), "user=mei");
                assert!(matches!(answer.status, 403 | 422), "{method} {path}: {} {}", answer.status, answer.text);
            }
            walked += 1;
        }
    }
    assert!(walked >= 30, "only {walked} routes were walked");
    // By id, from another user of the same tenant: as if it were not there.
    let by_id = server.ask("GET", &format!("/v1/events/{event}"), &[("authorization", &bearer(&bound))], b"");
    by_id.problem(404, "no_such_event");
    // A line of a batch that names somebody else.
    let line = json!({ "content": "x", "source": "user", "kind": "query", "user": "mei" }).to_string();
    let batch = server.ask("POST", "/v1/events/batch", &[("authorization", &bearer(&bound))], line.as_bytes());
    assert!(batch.text.contains("out_of_reach"), "{}", batch.text);
    server.ask("POST", "/mcp", &[json_of], b"{}").problem(401, "key_missing");
    server.ask("GET", "/metrics", &[], b"").problem(401, "key_missing");
}

#[test]
fn without_keys_only_this_machine_is_served_and_no_page_of_the_web() {
    let place = Place::new();
    let ran = place.run(&["--embedding", "none", "serve", "--listen", "0.0.0.0:0"]).code(2);
    assert!(ran.stderr.contains("holdfast key create"), "{}", ran.stderr);
    let server = Server::start(&place, &["--allow-origin", "https://app.example.com"]);
    let asked = |headers: &[(&str, &str)]| server.ask("POST", "/v1/events/batch", headers, b"{}");
    asked(&[("origin", "https://evil.example")]).problem(403, "not_local");
    asked(&[("host", "evil.example:8765")]).problem(403, "not_local");
    asked(&[("host", "127.0.0.1.evil.example")]).problem(403, "not_local");
    assert_eq!(asked(&[("origin", "https://app.example.com")]).status, 200);
    assert_eq!(asked(&[]).status, 200);
}

#[test]
fn a_key_that_is_made_or_revoked_counts_while_the_server_runs() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    server.get("/v1/status").is(200);
    let ran = place.run(&["--json", "key", "create"]).ok();
    let made: Value = serde_json::from_str(&ran.stdout).unwrap();
    let bearer = format!("Bearer {}", made["key"].as_str().unwrap());
    server.ask("GET", "/v1/status", &[("authorization", &bearer)], b"").is(200);
    server.get("/v1/status").problem(401, "key_missing");
    place.run(&["key", "revoke", made["id"].as_str().unwrap()]).ok();
    server.ask("GET", "/v1/status", &[("authorization", &bearer)], b"").problem(401, "key_revoked");
    let kept = std::fs::read_to_string(place.path("store/api-keys.json")).unwrap();
    assert!(!kept.contains(made["key"].as_str().unwrap().rsplit('_').next().unwrap()));
}

/// Refused before its body came: the client must not send its next request into the rest of this one.
#[test]
fn who_is_refused_early_is_told_that_the_connection_ends() {
    let place = Place::new();
    place.run(&["key", "create"]).ok();
    let server = Server::start(&place, &[]);
    let mut stream = TcpStream::connect(server.address.trim_start_matches("http://")).unwrap();
    let head =
        "POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let lines: Vec<String> =
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|l| !l.is_empty()).collect();
    assert!(lines[0].contains("401") && lines.iter().any(|line| line == "connection: close"), "{lines:?}");
}

#[test]
fn who_asks_too_often_is_told_to_wait() {
    let place = Place::new();
    let server = Server::start(&place, &["--requests-per-second", "5"]);
    let answers: Vec<Answer> = (0..40).map(|_| server.get("/v1/status")).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("nobody was told to wait");
    assert_eq!(refused.headers.get("retry-after").unwrap(), "1");
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn the_tail_of_the_journal_tells_what_is_done() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let request = Request::get(format!("{}/v1/journal/tail?user=lin&after=0", server.address)).body(()).unwrap();
    let mut stream = server.agent.run(request).unwrap();
    server.post("/v1/tasks?user=lin&task=w47", &json!({ "title": "第47周周报" })).is(201);
    let mut lines = BufReader::new(stream.body_mut().as_reader().take(64 * 1024)).lines();
    let told = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("event:"));
    assert_eq!(told.as_deref(), Some("event: open_task"));
}

/// Kill -9 while events come in: what was answered is there.
#[test]
fn what_was_acknowledged_outlives_the_server() {
    let place = Place::new();
    for round in 0..3 {
        let mut server = Server::start(&place, &[]);
        let acknowledged: Vec<String> = (0..20)
            .map(|n| server.post("/v1/events?user=lin", &json!({ "content": format!("{round}-{n} 号记录") })).is(201))
            .map(|event| event["id"].as_str().unwrap().to_owned())
            .collect();
        server.process.kill().unwrap();
        server.process.wait().unwrap();
        let again = Server::start(&place, &[]);
        for id in acknowledged {
            again.get(&format!("/v1/events/{id}?user=lin")).is(200);
        }
        again.get("/v1/journal/verify?user=lin").is(200);
    }
}

#[cfg(unix)]
#[test]
fn told_to_stop_it_ends_by_itself_and_cleanly() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    server.post("/v1/events?user=lin", &json!({ "content": "最后一句" })).is(201);
    let id = server.process.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(server.process.wait().unwrap().code(), Some(0));
    assert!(place.run(&["--user", "lin", "recall", "最后一句"]).ok().stdout.contains("最后一句"));
}

/// Whoever started it for themselves may be killed, and leaves nothing behind that holds the store.
#[test]
fn it_ends_with_its_stdin_if_it_is_to() {
    let place = Place::new();
    let arguments = ["--embedding", "none", "serve", "--listen", "127.0.0.1:0", "--until-stdin-closes"];
    let mut process =
        place.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("listening on")));
    // What comes in means nothing.
    process.stdin.as_mut().unwrap().write_all("说什么都一样\n".as_bytes()).unwrap();
    assert_eq!(process.try_wait().unwrap(), None);
    drop(process.stdin.take());
    assert!(lines.any(|line| line.contains("stopping")));
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn the_document_is_what_it_was() {
    let place = Place::new();
    let document = Server::start(&place, &[]).get("/openapi.json").is(200);
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&document).unwrap());
}

/// Both READMEs say the same: each command is run against a server, and the block that comes back has what was said before.
#[test]
fn the_commands_of_the_readmes() {
    for (page, wanted) in [("README.md", "conclusion first"), ("README.zh-CN.md", "先写结论")] {
        let text = std::fs::read_to_string(crate::root().join(page)).unwrap();
        let block = text.split("```sh serve\n").nth(1).unwrap().split("```").next().unwrap();
        let place = Place::new();
        let server = Server::start(&place, &[]);
        let mut last = String::new();
        for command in block.lines().filter(|line| !line.is_empty()) {
            let command = command.replace("http://127.0.0.1:8765", &server.address);
            let ran = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert!(ran.status.success(), "{page}: {command}");
            last = String::from_utf8(ran.stdout).unwrap();
        }
        assert!(last.contains(wanted), "{page}: {last}");
        let snippet = text.split("```json\n").find(|part| part.contains("mcpServers")).unwrap();
        let snippet: Value = serde_json::from_str(snippet.split("```").next().unwrap()).unwrap();
        assert_eq!(snippet["mcpServers"]["holdfast"], json!({ "command": "holdfast", "args": ["mcp"] }), "{page}");
    }
}
