//! Any service with OpenAI's `POST /chat/completions`.
//!
//! Services differ in what they take. What one refuses is left out of the next try, and of all later ones once that went well: the
//! JSON schema, then JSON mode with the schema, then JSON mode; `max_tokens` for `max_completion_tokens`; the temperature. (No retry library: `backon` 1.6 would do it, but
//! the loop that the embedding service needs as well is shorter than its adapter to our clock.)

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::budget::Budget;
use super::{Format, Llm, LlmError, Prompt, Reply, Usage};
use crate::env::Env;
use crate::redact::{Rules, redact_text};
use crate::service::{Failure, Service, fault, hint, patiently, pause, shown};

/// How long one call may take, if nothing else is said: a small model on a CPU writes a long reply in a minute or two.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// Calls within an hour, if nothing else is said: a busy day's learning takes a few dozen; a loop that runs wild stops here.
pub const CALLS_PER_HOUR: u32 = 120;

/// Largest reply read: many times what any model writes at once.
pub const REPLY_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Before the second, third and fourth try. Half of each is left to chance, so that many clients that failed together don't come back
/// together. Nobody waits for a model's answer with a question, so this may take its time.
const WAITS: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];

/// Longest wait that a service may ask for. Who asks for more is not asked again; the caller comes back later by itself.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// Who answers, and how much may be asked of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// `POST {base_url}/chat/completions`
    pub base_url: String,
    pub model: String,
    pub key: Option<String>,
    pub timeout: Duration,
    /// Every request counts, also one that is made again.
    pub calls_per_hour: u32,
}

impl Endpoint {
    /// Without a key, and with the usual limits.
    pub fn at(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let (base_url, model) = (base_url.into(), model.into());
        Self { base_url, model, key: None, timeout: TIMEOUT, calls_per_hour: CALLS_PER_HOUR }
    }

    /// The URL for people: without a user, a password, or a query.
    pub fn shown(&self) -> String {
        shown(&self.base_url)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("base_url", &self.shown())
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "set, not shown"))
            .field("timeout", &self.timeout)
            .field("calls_per_hour", &self.calls_per_hour)
            .finish()
    }
}

/// A connection to a service; nothing is sent until the first prompt.
pub struct OpenAi {
    service: Service,
    model: String,
    budget: Budget,
    rules: Rules,
    env: Arc<Env>,
    dialect: Mutex<Dialect>,
    pause: Box<dyn Fn(Duration) + Send + Sync>,
}

/// What the service takes, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dialect {
    form: Form,
    /// The longest reply is called `max_completion_tokens`.
    completion_tokens: bool,
    temperature: bool,
}

/// How a reply is bound to the prompt's schema, from the tightest to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    JsonSchema,
    /// JSON mode with a schema beside it: llama.cpp's Python server and some hosts know only this.
    ObjectWithSchema,
    JsonObject,
    Free,
}

/// A call that failed, with what the service said of it.
struct Attempt {
    error: LlmError,
    again_after: Option<Duration>,
    /// Searched, never shown.
    reason: String,
}

impl OpenAi {
    /// Secrets by these rules are taken out of every prompt before it is sent.
    pub fn connect(endpoint: Endpoint, rules: Rules, env: Arc<Env>) -> Self {
        let Endpoint { base_url, model, key, timeout, calls_per_hour } = endpoint;
        Self {
            service: Service::new(&base_url, "chat/completions", key, timeout),
            model,
            budget: Budget::new(calls_per_hour),
            rules,
            env,
            dialect: Mutex::new(Dialect { form: Form::JsonSchema, completion_tokens: false, temperature: true }),
            pause: Box::new(pause),
        }
    }

    /// For a world in which time doesn't pass by itself: how to wait between tries.
    #[must_use]
    pub fn pausing(self, pause: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { pause: Box::new(pause), ..self }
    }

    fn dialect(&self) -> MutexGuard<'_, Dialect> {
        // A panic while holding it can't leave it half changed: it is assigned whole.
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same request, again if it may go better.
    fn ask(&self, request: &Value) -> Result<String, Attempt> {
        let waits = WAITS.map(|wait| wait.mul_f64(0.5 + self.chance() / 2.0));
        let again = |attempt: &Attempt| attempt.again_after.filter(|asked| *asked <= RETRY_AFTER_MAX);
        patiently(waits, RETRY_AFTER_MAX, again, &*self.pause, || self.ask_once(request))
    }

    fn ask_once(&self, request: &Value) -> Result<String, Attempt> {
        if let Err(free_at) = self.budget.take(self.env.now()) {
            let error = LlmError::OverBudget { calls_per_hour: self.budget.calls_per_hour, free_at };
            return Err(Attempt { error, again_after: None, reason: String::new() });
        }
        self.service.post(request, REPLY_BYTES_MAX).map_err(|failure| {
            let again_after = failure.refused_for_now().or(failure.broke_off().then_some(Duration::ZERO));
            let again_after = again_after.filter(|_| !failure.is_about("response_format"));
            let url = self.service.shown().to_owned();
            let (error, reason) = match failure {
                Failure::Unreachable(source) => (LlmError::Unreachable { url, source }, String::new()),
                Failure::TooLarge { limit } => (LlmError::TooLarge { url, limit }, String::new()),
                Failure::Refused { status, reason, .. } => {
                    (LlmError::Refused { url, status, hint: hint(status) }, reason)
                }
            };
            Attempt { error, again_after, reason }
        })
    }

    /// From 0 to 1.
    fn chance(&self) -> f64 {
        let [a, b, ..] = self.env.nonce();
        f64::from(u16::from_le_bytes([a, b])) / f64::from(u16::MAX)
    }

    fn request(&self, prompt: &Prompt, dialect: Dialect) -> Value {
        let mut request = json!({
            "model": self.model,
            "messages": [
                { "role": "system", "content": redact_text(&prompt.system, &self.rules) },
                { "role": "user", "content": redact_text(&prompt.user, &self.rules) },
            ],
            "stream": false,
        });
        let longest = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        request[longest] = prompt.max_tokens.into();
        if dialect.temperature {
            request["temperature"] = 0.into();
        }
        match (dialect.form, &prompt.schema) {
            (Form::JsonSchema, Some(schema)) => {
                let schema = json!({ "name": schema.name, "schema": schema.schema, "strict": true });
                request["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
            }
            (Form::ObjectWithSchema, Some(schema)) => {
                request["response_format"] = json!({ "type": "json_object", "schema": schema.schema });
            }
            (Form::JsonObject, Some(_)) => request["response_format"] = json!({ "type": "json_object" }),
            (Form::Free, _) | (_, None) => {}
        }
        request
    }

    fn read(&self, body: &str) -> Result<Reply, LlmError> {
        let bad = |detail: String| LlmError::NoCompletion { url: self.service.shown().to_owned(), detail };
        let body: Value = serde_json::from_str(body).map_err(|error| bad(fault(&error)))?;
        let choice = body.pointer("/choices/0").ok_or_else(|| bad("it has no choices".to_owned()))?;
        let truncated = choice["finish_reason"] == "length";
        let text = match &choice["message"]["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            // All of its tokens went into thinking.
            _ if truncated => String::new(),
            _ if choice["message"]["refusal"].is_string() => return Err(bad("the model refused to answer".to_owned())),
            _ => return Err(bad("its message has no content".to_owned())),
        };
        let count = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
        let usage = Usage { prompt_tokens: count("prompt_tokens"), reply_tokens: count("completion_tokens") };
        Ok(Reply { text, truncated, usage, format: Format::Free })
    }
}

impl Llm for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn complete(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let known = *self.dialect();
        let mut dialect = known;
        loop {
            match self.ask(&self.request(prompt, dialect)) {
                Ok(body) => {
                    if dialect != known {
                        *self.dialect() = dialect;
                    }
                    let format = match dialect.form {
                        Form::JsonSchema | Form::ObjectWithSchema if prompt.schema.is_some() => Format::JsonSchema,
                        Form::JsonObject if prompt.schema.is_some() => Format::JsonObject,
                        _ => Format::Free,
                    };
                    return Ok(Reply { format, ..self.read(&body)? });
                }
                Err(attempt) if attempt.is_of_length() => {
                    return Err(LlmError::TooLong { url: self.service.shown().to_owned(), name: prompt.name });
                }
                Err(attempt) => match dialect.without_what_was_refused(&attempt, prompt.schema.is_some()) {
                    Some(simpler) => dialect = simpler,
                    None => return Err(attempt.error),
                },
            }
        }
    }
}

impl Attempt {
    /// Services say it in their own words with the status of any bad request, but all of them name the context: "maximum context length",
    /// "exceeds the available context size", `context_length_exceeded`.
    fn is_of_length(&self) -> bool {
        let refused = matches!(self.error, LlmError::Refused { status: 400 | 413 | 422, .. });
        let named = ["length", "size", "exceed"].iter().any(|word| self.reason.contains(word));
        refused && named && self.reason.contains("context")
    }
}

impl Dialect {
    /// What to try next. Each step leaves something out for good, so there are few.
    fn without_what_was_refused(self, attempt: &Attempt, has_schema: bool) -> Option<Self> {
        let LlmError::Refused { status, .. } = attempt.error else { return None };
        // llama.cpp's Python server answers 500 to a form it doesn't know, naming the field.
        if !(status == 400 || status == 422 || status >= 500 && attempt.reason.contains("response_format")) {
            return None;
        }
        let names = |word: &str| attempt.reason.contains(word);
        if names("max_completion_tokens") && !self.completion_tokens {
            return Some(Self { completion_tokens: true, ..self });
        }
        if names("temperature") && self.temperature {
            return Some(Self { temperature: false, ..self });
        }
        let form = match self.form {
            _ if !has_schema => return None,
            Form::JsonSchema => Form::ObjectWithSchema,
            Form::ObjectWithSchema => Form::JsonObject,
            Form::JsonObject => Form::Free,
            Form::Free => return None,
        };
        Some(Self { form, ..self })
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("OpenAi");
        shown.field("url", &self.service.shown()).field("model", &self.model).finish_non_exhaustive()
    }
}
