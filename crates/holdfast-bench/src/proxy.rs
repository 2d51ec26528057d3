//! What the proxy costs and saves: recorded trajectories, chained to long talks, are sent through `holdfast serve` to a service on this
//! machine that answers as the recording does. Beside them the same talks with their whole history, directly and through the proxy, and
//! with old messages left out and no memory.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use holdfast::text::{Tokenizer, json_leaves};
use serde::Serialize;
use serde_json::{Value, json};

use crate::metrics::percentile;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A file of recorded trajectories (`[{"traj": [{"role", "content", "tool_calls"}]}]`)
    #[arg(long)]
    trajectories: PathBuf,
    /// The program to measure [default: `holdfast` beside this one]
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Trajectories in one talk
    #[arg(long, default_value_t = 8)]
    chained: usize,
    /// Talks, each of a user of its own
    #[arg(long, default_value_t = 6)]
    talks: usize,
    /// Talks that are passed over before
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// Tokens of a prompt, above which old messages are left out
    #[arg(long, default_values_t = [8_000, 4_000], value_delimiter = ',')]
    trim: Vec<usize>,
    /// One line of JSON an arm
    #[arg(long)]
    json: bool,
}

/// A value of a call is a fact if it can't be said by chance.
const FACT_CHARACTERS: usize = 4;
/// The block begins and ends so.
const FENCE: (&str, &str) = ("<holdfast-context>", "</holdfast-context>");

/// A way to send a talk.
#[derive(Debug)]
struct Arm {
    name: String,
    /// `None`: straight to the service.
    headers: Option<Vec<(&'static str, String)>>,
}

#[derive(Debug, Default, Serialize)]
struct Line {
    bench: &'static str,
    arm: String,
    requests: usize,
    prompt_tokens: usize,
    /// Of this arm's prompts to those with the whole history.
    share_of_history: f64,
    largest_prompt_tokens: usize,
    block_tokens: usize,
    /// Values in the arguments of recorded calls that an earlier tool result of the talk had.
    facts_needed: usize,
    facts_in_prompt: usize,
    /// Of these, only in the block.
    facts_in_block_only: usize,
    share_of_facts: f64,
    bypassed: usize,
    p50_ms: f64,
    p99_ms: f64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let talks = talks(arguments)?;
    let off = ("holdfast-memory", "off".to_owned());
    let mut arms = vec![
        Arm { name: "direct".to_owned(), headers: None },
        Arm { name: "history".to_owned(), headers: Some(vec![off]) },
        Arm { name: "history, memory".to_owned(), headers: Some(Vec::new()) },
    ];
    for trim in &arguments.trim {
        let trimmed = ("holdfast-trim", trim.to_string());
        let alone = vec![trimmed.clone(), ("holdfast-budget", "0".to_owned())];
        arms.push(Arm { name: format!("{trim}, alone"), headers: Some(alone) });
        arms.push(Arm { name: format!("{trim}, memory"), headers: Some(vec![trimmed]) });
    }
    let mut whole = 0;
    for arm in arms {
        let endpoint = Endpoint::start()?;
        let folder = tempfile::tempdir()?;
        let server = Server::start(arguments.binary.as_deref(), folder.path(), &endpoint.url)?;
        let mut line = one_arm(&arm, &talks, &endpoint, &server)?;
        if whole == 0 {
            whole = line.prompt_tokens;
        }
        line.share_of_history = line.prompt_tokens as f64 / whole.max(1) as f64;
        line.share_of_facts = line.facts_in_prompt as f64 / line.facts_needed.max(1) as f64;
        print(&line, arguments.json)?;
    }
    Ok(())
}

/// The talks: the first system prompt, then all that was said, one trajectory after the other.
fn talks(arguments: &Arguments) -> Result<Vec<Vec<Value>>> {
    let text = std::fs::read_to_string(&arguments.trajectories)
        .with_context(|| format!("can't read {}", arguments.trajectories.display()))?;
    let recorded: Vec<Value> = serde_json::from_str(&text).context("no list of trajectories")?;
    let mut talks = Vec::new();
    for some in recorded.chunks(arguments.chained).skip(arguments.skip).take(arguments.talks) {
        let mut talk: Vec<Value> = Vec::new();
        for message in some.iter().filter_map(|one| one["traj"].as_array()).flatten() {
            if message["role"] != "system" || talk.is_empty() {
                talk.push(message.clone());
            }
        }
        talks.push(talk);
    }
    Ok(talks)
}

fn one_arm(arm: &Arm, talks: &[Vec<Value>], endpoint: &Endpoint, server: &Server) -> Result<Line> {
    let mut line = Line { bench: "proxy", arm: arm.name.clone(), ..Line::default() };
    let mut took = Vec::new();
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(120))).build().into();
    for (number, talk) in talks.iter().enumerate() {
        let mut results = String::new();
        for (at, message) in talk.iter().enumerate() {
            if message["role"] == "tool" {
                results.push_str(&text_of(message));
            }
            if message["role"] != "assistant" || at == 0 {
                continue;
            }
            endpoint.answer_next(message);
            let body = json!({ "model": "recorded", "messages": talk[..at] }).to_string();
            let base =
                if arm.headers.is_some() { format!("{}/openai/v1", server.address) } else { endpoint.url.clone() };
            let mut request = agent.post(format!("{base}/chat/completions")).header("content-type", "application/json");
            for (name, value) in arm.headers.iter().flatten() {
                request = request.header(*name, value);
            }
            request = request.header("holdfast-user", format!("user-{number}"));
            let began = Instant::now();
            let mut answer = request.send(&body)?;
            let told = answer.body_mut().read_to_string()?;
            took.push(began.elapsed().as_secs_f64() * 1e3);
            if told != endpoint.reply(message) {
                bail!("the answer is not the service's");
            }
            line.bypassed +=
                usize::from(answer.headers().get("holdfast-memory").is_some_and(|memory| memory == "bypassed"));
            let header =
                |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
            line.block_tokens += header("holdfast-block-tokens").unwrap_or_default();
            let prompt = endpoint.prompt()?;
            let (messages, block) = apart(&prompt);
            let tokens = Tokenizer::O200kBase.count(&messages) + Tokenizer::O200kBase.count(&block);
            line.requests += 1;
            line.prompt_tokens += tokens;
            line.largest_prompt_tokens = line.largest_prompt_tokens.max(tokens);
            for fact in facts(message).filter(|fact| results.contains(fact.as_str())) {
                line.facts_needed += 1;
                let (is_said, is_told) = (messages.contains(&fact), block.contains(&fact));
                line.facts_in_prompt += usize::from(is_said || is_told);
                line.facts_in_block_only += usize::from(!is_said && is_told);
            }
        }
    }
    line.p50_ms = percentile(&mut took, 0.5);
    line.p99_ms = percentile(&mut took, 0.99);
    Ok(line)
}

/// All text of a message, its calls included.
fn text_of(message: &Value) -> String {
    let mut text = message["content"].as_str().unwrap_or_default().to_owned();
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        text.push_str(call["function"]["name"].as_str().unwrap_or_default());
        text.push_str(call["function"]["arguments"].as_str().unwrap_or_default());
    }
    text.push('\n');
    text
}

/// The values that a message's calls are made with.
fn facts(message: &Value) -> impl Iterator<Item = String> {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let arguments = calls.filter_map(|call| call["function"]["arguments"].as_str());
    let values = arguments.flat_map(|arguments| {
        let value: Value = serde_json::from_str(arguments).unwrap_or_default();
        json_leaves(&value.to_string()).into_iter().flatten().map(|(_, value)| value).collect::<Vec<_>>()
    });
    let values: Vec<String> = values.collect();
    values
        .into_iter()
        .filter(|value| value.chars().count() >= FACT_CHARACTERS && value.contains(|c: char| c.is_ascii_digit()))
}

/// What a prompt says, and the block in it.
fn apart(prompt: &Value) -> (String, String) {
    let text: String = prompt["messages"].as_array().into_iter().flatten().map(text_of).collect();
    let Some(begin) = text.rfind(FENCE.0) else { return (text, String::new()) };
    let end = text[begin..].find(FENCE.1).map_or(text.len(), |end| begin + end + FENCE.1.len());
    (format!("{}{}", &text[..begin], &text[end..]), text[begin..end].to_owned())
}

fn print(line: &Line, json: bool) -> Result<()> {
    #[expect(clippy::print_stdout, reason = "the result")]
    if json {
        println!("{}", serde_json::to_string(line)?);
    } else {
        println!(
            "{:<18} {:>9} tokens ({:.3} of the history, largest {:>6}); facts {}/{} ({:.3}), {} only in the block; {:.1} ms p50, {:.1} p99",
            line.arm,
            line.prompt_tokens,
            line.share_of_history,
            line.largest_prompt_tokens,
            line.facts_in_prompt,
            line.facts_needed,
            line.share_of_facts,
            line.facts_in_block_only,
            line.p50_ms,
            line.p99_ms,
        );
    }
    Ok(())
}

/// The service: says what it is given to say, and keeps the last prompt.
struct Endpoint {
    url: String,
    shared: Shared,
}

type Shared = Arc<Mutex<(String, Bytes)>>;

impl Endpoint {
    fn start() -> Result<Self> {
        let shared: Shared = Arc::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let served = Arc::clone(&shared);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        // It ends with the process.
        std::thread::spawn(move || {
            runtime.block_on(async {
                let router = Router::new().fallback(answer).with_state(served);
                axum::serve(tokio::net::TcpListener::from_std(listener)?, router).await
            })
        });
        Ok(Self { url, shared })
    }

    fn reply(&self, message: &Value) -> String {
        let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
        json!({ "id": "recorded", "object": "chat.completion", "choices": [choice] }).to_string()
    }

    fn answer_next(&self, message: &Value) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).0 = self.reply(message);
    }

    fn prompt(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&self.shared.lock().unwrap_or_else(PoisonError::into_inner).1)?)
    }
}

async fn answer(State(shared): State<Shared>, body: Bytes) -> impl axum::response::IntoResponse {
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    shared.1 = body;
    ([("content-type", "application/json")], shared.0.clone())
}

/// A server that runs as long as this is held.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(binary: Option<&Path>, store: &Path, upstream: &str) -> Result<Self> {
        let beside = std::env::current_exe()?.with_file_name("holdfast");
        let binary = binary.unwrap_or(&beside);
        let mut process = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--upstream", upstream, "--store"])
            .arg(store)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start {}", binary.display()))?;
        let log = process.stderr.take().context("it has no stderr")?;
        let mut lines = BufReader::new(log).lines();
        let told = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let address = line.strip_prefix("listening on ")?.split_whitespace().next()?;
            Some(address.to_owned())
        });
        let address = told.context("the server did not start")?;
        // A pipe that nobody reads would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, address })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its store is thrown away.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
