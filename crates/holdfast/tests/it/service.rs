//! A small service on this machine, for tests, in place of one for embeddings or a language model: it answers as it is told, and remembers
//! what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// How a request is answered.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A vector for each text, all of this dimension.
    Vectors(usize),
    /// The same, last text first, each with its index.
    Shuffled(usize),
    Status(u16),
    /// The same, with a wish to be left alone for so many seconds.
    Wait(u16, u64),
    Body(String),
    /// A refusal with its reason.
    Refuse(u16, String),
    /// What a language model says.
    Chat(&'static str),
    /// Nothing; the line stays open.
    Silence,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub authorization: Option<String>,
    pub model: String,
    pub texts: Vec<String>,
    pub body: Value,
}

#[derive(Debug)]
pub struct Service {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Service {
    /// `answer` is given each request and how many came before it.
    pub fn start(answer: impl Fn(&Asked, usize) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&asked);
        // It ends with the process.
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let before = remembered.lock().unwrap().len();
                let answer = answer(&request, before);
                remembered.lock().unwrap().push(request.clone());
                let mut wish = String::new();
                let repeating = || format!("{{\"error\": \"{:?}\"}}", request.authorization);
                let (status, body) = match answer {
                    Answer::Vectors(dimension) => (200, vectors(&request.texts, dimension, false)),
                    Answer::Shuffled(dimension) => (200, vectors(&request.texts, dimension, true)),
                    // As some services do: the reply repeats the key.
                    Answer::Status(status) => (status, repeating()),
                    Answer::Wait(status, seconds) => {
                        wish = format!("Retry-After: {seconds}\r\n");
                        (status, repeating())
                    }
                    Answer::Refuse(status, why) => (status, json!({ "error": why }).to_string()),
                    Answer::Chat(text) => (200, chat(text)),
                    Answer::Body(body) => (200, body),
                    Answer::Silence => {
                        silent.push(stream);
                        continue;
                    }
                };
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\n{wish}Content-Length: {length}\r\nConnection: close\r\n\r\n");
                // The other side may have gone.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
            }
        });
        Self { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let (mut length, mut authorization) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let texts = body["input"].as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect();
    let path = first.split(' ').nth(1)?.to_owned();
    Some(Asked { path, authorization, model: body["model"].as_str()?.to_owned(), texts, body })
}

/// A completion.
pub fn chat(text: &str) -> String {
    let choice = json!({ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    json!({ "choices": [choice], "usage": { "prompt_tokens": 20, "completion_tokens": 5 } }).to_string()
}

/// Texts that share characters have vectors that are near: as much of a model as these tests need.
fn vectors(texts: &[String], dimension: usize, shuffled: bool) -> String {
    let mut data: Vec<Value> = (0..texts.len())
        .map(|index| json!({ "index": index, "embedding": vector(&texts[index], dimension) }))
        .collect();
    if shuffled {
        data.reverse();
    }
    json!({ "data": data }).to_string()
}

pub fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.01; dimension];
    for c in text.chars() {
        vector[c as usize % dimension] += 1.0;
    }
    vector
}
