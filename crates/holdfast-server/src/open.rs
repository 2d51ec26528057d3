//! Opening the engine as the global options say, and whose memory a command is about.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use etcetera::{AppStrategy, AppStrategyArgs, HomeDirError, choose_app_strategy};
use holdfast::embedding::{self, Choice};
use holdfast::engine::{Config, Engine, Error, builtin_model_paths};
use holdfast::env::Env;
use holdfast::llm::{Endpoint, Llm, OpenAi};
use holdfast::manager::Policy;
use holdfast::redact::{Key, Rules};
use holdfast::signals;
use holdfast::store::StoreError;
use holdfast::types::moment;
use holdfast::types::scope::{Owner, Scope};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use zeroize::Zeroizing;

use crate::cli::{EmbeddingArgument, Global};
use crate::failure::Usage;
use crate::printer::Printer;

/// Owners named in a note.
const OWNERS_NAMED: usize = 5;
/// How long a command that writes waits for another one: many times what recording one event takes, and short of what a caller gives up at.
const TURN_WAIT: Duration = Duration::from_secs(5);

pub fn store_directory(global: &Global) -> Result<PathBuf> {
    if let Some(directory) = &global.store {
        return Ok(directory.clone());
    }
    let strategy = platform().context("there is no home directory: give the store's with --store")?;
    Ok(strategy.data_dir())
}

/// Where this user's settings lie.
pub fn config_directory() -> Option<PathBuf> {
    platform().ok().map(|strategy| strategy.config_dir())
}

fn platform() -> Result<impl AppStrategy, HomeDirError> {
    let names =
        AppStrategyArgs { top_level_domain: "dev".into(), author: "holdfast".into(), app_name: "holdfast".into() };
    choose_app_strategy(names)
}

pub fn zone(global: &Global) -> TimeZone {
    global.zone.clone().unwrap_or_else(TimeZone::system)
}

/// The model that was chosen to make vectors.
pub fn embedding(global: &Global) -> Result<Choice> {
    Ok(match &global.embedding {
        EmbeddingArgument::Builtin => Choice::Builtin { candidates: builtin_model_paths() },
        EmbeddingArgument::None => Choice::None,
        EmbeddingArgument::Url(url) => Choice::OpenAi {
            base_url: url.clone(),
            model: global
                .embedding_model
                .clone()
                .ok_or_else(|| Usage("a service needs the name of its model: give --embedding-model".to_owned()))?,
            key: global.embedding_key.clone(),
            timeout: embedding::TIMEOUT,
        },
    })
}

fn config(global: &Global, read_only: bool) -> Result<Config> {
    let embedding = embedding(global)?;
    let env = Arc::new(Env::system().in_zone(zone(global)));
    Ok(Config {
        read_only,
        embedding,
        redaction: redaction(global)?,
        environment: global.environment.clone(),
        journal_days: global.journal_days,
        env,
        ..Config::at(store_directory(global)?)
    })
}

fn redaction(global: &Global) -> Result<Rules> {
    let redaction = match &global.redaction {
        None => Rules::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
            Rules::from_toml(&text).with_context(|| path.display().to_string())?
        }
    };
    Ok(match redaction_key(global)? {
        Some(key) => redaction.with_key(key),
        None => redaction,
    })
}

/// The language model that was chosen, if one was. Nothing is asked of it yet.
pub fn llm(global: &Global) -> Result<Option<Arc<dyn Llm>>> {
    let Some(endpoint) = llm_endpoint(global)? else { return Ok(None) };
    let env = Arc::new(Env::system().in_zone(zone(global)));
    Ok(Some(Arc::new(OpenAi::connect(endpoint, redaction(global)?, env))))
}

pub fn llm_endpoint(global: &Global) -> Result<Option<Endpoint>> {
    let Some(url) = &global.llm_url else { return Ok(None) };
    let model = global.llm_model.as_ref();
    let model = model.ok_or_else(|| Usage("a service needs the name of its model: give --llm-model".to_owned()))?;
    let key = global.llm_key.as_ref().map(|key| key.to_str().map(str::trim));
    let key = match key {
        None | Some(Some("")) => None,
        Some(Some(key)) => Some(key.to_owned()),
        Some(None) => bail!(Usage("the language model's key (HOLDFAST_LLM_KEY) is no text".to_owned())),
    };
    Ok(Some(Endpoint { key, calls_per_hour: global.llm_calls_per_hour, ..Endpoint::at(url, model) }))
}

/// From the file that was named, else from the environment. What is wrong with it is said without repeating it.
fn redaction_key(global: &Global) -> Result<Option<Key>> {
    const VARIABLE: &str = "HOLDFAST_REDACTION_KEY";
    if let Some(path) = &global.redaction_key_file {
        let shown = path.display();
        let text = Zeroizing::new(std::fs::read_to_string(path).with_context(|| format!("can't read {shown}"))?);
        return Ok(Some(Key::from_text(&text).map_err(|error| Usage(format!("{shown}: {error}")))?));
    }
    let Some(text) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let text = Zeroizing::new(text.to_string_lossy().into_owned());
    Ok(Some(Key::from_text(&text).map_err(|error| Usage(format!("{VARIABLE}: {error}")))?))
}

/// Opens for writing. Hooks that fire at once each record one event: the last of twenty waits a second or two for its turn, and only
/// who finds the store held for longer is told so.
fn in_turn(config: impl Fn() -> Result<Config>) -> Result<Engine> {
    let asked = Instant::now();
    loop {
        match Engine::open(config()?) {
            Err(Error::Store(StoreError::Locked { .. })) if asked.elapsed() < TURN_WAIT => {}
            other => return Ok(other?),
        }
    }
}

/// For commands that write.
pub fn writing(global: &Global, printer: Printer) -> Result<Engine> {
    let engine = in_turn(|| config(global, false))?;
    say_what_is_missing(&engine, global, printer)?;
    Ok(engine)
}

/// For `serve`: with a model that learns and a policy that lets go in the background, where they were chosen.
pub fn serving(global: &Global, policy: Option<Policy>, printer: Printer) -> Result<Engine> {
    let llm = llm(global)?;
    let engine = in_turn(|| Ok(Config { llm: llm.clone(), manager: policy.clone(), ..config(global, false)? }))?;
    say_what_is_missing(&engine, global, printer)?;
    Ok(engine)
}

/// For `reindex`, which does what a note would advise.
pub fn reindexing(global: &Global) -> Result<Engine> {
    check_store_is_there(global)?;
    Ok(Engine::open(config(global, false)?)?)
}

/// For commands that record. Without vectors, whoever opens the store next makes them.
pub fn recording(global: &Global, without_vectors: bool, printer: Printer) -> Result<Engine> {
    if !without_vectors {
        return writing(global, printer);
    }
    in_turn(|| Ok(Config { embedding: Choice::None, ..config(global, false)? }))
}

/// For commands that only look; they work while another process writes.
pub fn reading(global: &Global, printer: Printer) -> Result<Engine> {
    let engine = Engine::open(config(global, true)?)?;
    say_what_is_missing(&engine, global, printer)?;
    Ok(engine)
}

/// For `doctor`: only what is there, without a model.
pub fn looking(global: &Global) -> Result<Engine> {
    Ok(Engine::open(Config { embedding: Choice::None, ..config(global, true)? })?)
}

/// For commands that write, but have nothing to do in a store that isn't there: a misspelled path must not become one.
pub fn changing(global: &Global, printer: Printer) -> Result<Engine> {
    check_store_is_there(global)?;
    writing(global, printer)
}

/// Only that: what else may be wrong with it is said when it is opened for writing.
fn check_store_is_there(global: &Global) -> Result<()> {
    match Engine::open(Config { embedding: Choice::None, ..config(global, true)? }) {
        Err(error @ Error::Store(StoreError::Missing { .. })) => Err(error.into()),
        _ => Ok(()),
    }
}

/// For commands that write a little but are of use without: the serving of a block is journaled if the store can be had.
pub fn writing_if_possible(global: &Global, printer: Printer) -> Result<Engine> {
    check_store_is_there(global)?;
    match Engine::open(config(global, false)?) {
        Err(Error::Store(error @ (StoreError::Locked { .. } | StoreError::NotWritable { .. }))) => {
            let engine = reading(global, printer)?;
            printer.say(format_args!("note: not journaled, because {error}"));
            Ok(engine)
        }
        other => {
            let engine = other?;
            say_what_is_missing(&engine, global, printer)?;
            Ok(engine)
        }
    }
}

/// Said once a run: why the chosen model does not serve.
fn say_what_is_missing(engine: &Engine, global: &Global, printer: Printer) -> Result<()> {
    if global.embedding != EmbeddingArgument::None
        && let Some(note) = engine.embedding_status()?.note
    {
        printer.say(format_args!("note: {note}"));
    }
    Ok(())
}

/// Whose memory: as told, else the only owner there is, else the default. Where that leaves a choice, stderr names it.
pub fn owner(global: &Global, engine: &Engine, printer: Printer) -> Result<Owner> {
    let told = told(global);
    if global.user.is_some() && global.agent.is_some() {
        return Ok(told);
    }
    let owners = engine.owners()?;
    let fitting: Vec<&Owner> = owners
        .iter()
        .filter(|owner| {
            owner.tenant == global.tenant
                && global.user.as_ref().is_none_or(|user| *user == owner.user)
                && global.agent.as_ref().is_none_or(|agent| *agent == owner.agent)
        })
        .collect();
    if let [only] = fitting[..] {
        return Ok(only.clone());
    }
    if !fitting.is_empty() && !fitting.contains(&&told) {
        let named = fitting.iter().take(OWNERS_NAMED).map(|owner| format!("{}/{}", owner.user, owner.agent));
        let more = if fitting.len() > OWNERS_NAMED { ", …" } else { "" };
        printer.say(format_args!(
            "note: nothing is known of {}/{}; this store holds {} (user/agent){more}: choose with --user and --agent",
            told.user,
            told.agent,
            named.collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(told)
}

/// The owner as the options say, with defaults.
pub fn told(global: &Global) -> Owner {
    Owner {
        tenant: global.tenant.clone(),
        user: global.user.clone().unwrap_or_default(),
        agent: global.agent.clone().unwrap_or_default(),
    }
}

pub fn scope(global: &Global, engine: &Engine, printer: Printer) -> Result<Scope> {
    Ok(Scope { owner: owner(global, engine, printer)?, session: global.session(), task: global.task.clone() })
}

/// A time as a person gives it: with an offset, as a date, or in words (昨天, "last Friday"), as the stretch it stands for. A moment
/// begins and ends at once.
pub fn stretch(text: &str, now: &ZonedDateTime) -> Result<Range<Timestamp>> {
    if let Ok(moment) = moment::parse(text) {
        return Ok(moment.timestamp()..moment.timestamp());
    }
    let mentioned = signals::dates(text, now);
    let [mention] = mentioned.as_slice() else {
        bail!(Usage(format!(
            "{text:?} is no time: write it like 2026-11-09T09:00:00+08:00, 2026-11-09, 昨天 or \"last Friday\""
        )));
    };
    let instant = |time: DateTime| match time.to_zoned_datetime(now.time_zone().clone()) {
        Ok(zoned) => Ok(zoned.timestamp()),
        Err(error) => Err(Usage(format!("{text:?} is out of range: {error}"))),
    };
    Ok(instant(mention.start)?..instant(mention.end)?)
}
