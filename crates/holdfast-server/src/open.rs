//! Opening the engine as the global options say, and whose memory a command is about.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine, Error, builtin_model_paths};
use holdfast::env::Env;
use holdfast::redact::Rules;
use holdfast::signals;
use holdfast::store::StoreError;
use holdfast::types::scope::{Owner, Scope};
use holdfast::types::{event, moment};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

use crate::cli::Global;
use crate::failure::Refused;
use crate::printer::Printer;

pub fn store_directory(global: &Global) -> Result<PathBuf> {
    if let Some(directory) = &global.store {
        return Ok(directory.clone());
    }
    let names =
        AppStrategyArgs { top_level_domain: "dev".into(), author: "holdfast".into(), app_name: "holdfast".into() };
    let strategy = choose_app_strategy(names).context("there is no home directory: give the store's with --store")?;
    Ok(strategy.data_dir())
}

pub fn zone(global: &Global) -> Result<TimeZone> {
    match &global.zone {
        None => Ok(TimeZone::system()),
        Some(name) => TimeZone::get(name)
            .or_else(|_| {
                let with_offset = format!("2000-01-01T00:00:00{name}");
                moment::parse(&with_offset).map(|moment| moment.time_zone().clone())
            })
            .map_err(|_| {
                Refused(format!("there is no time zone {name:?}: give one like Asia/Shanghai or +08:00")).into()
            }),
    }
}

fn config(global: &Global, read_only: bool) -> Result<Config> {
    let embedding = match global.embedding.as_str() {
        "builtin" => Choice::Builtin { candidates: builtin_model_paths() },
        "none" => Choice::None,
        url if url.starts_with("http://") || url.starts_with("https://") => Choice::OpenAi {
            base_url: url.to_owned(),
            model: global.embedding_model.clone().context("--embedding with a URL needs --embedding-model")?,
            key: global.embedding_key.clone(),
        },
        other => bail!(Refused(format!("--embedding {other:?} is not builtin, none or a URL"))),
    };
    let redaction = match &global.redaction {
        None => Rules::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
            Rules::from_toml(&text).with_context(|| path.display().to_string())?
        }
    };
    let env = Arc::new(Env::system().in_zone(zone(global)?));
    Ok(Config { read_only, embedding, redaction, env, ..Config::at(store_directory(global)?) })
}

/// For commands that write.
pub fn writing(global: &Global, printer: Printer) -> Result<Engine> {
    let engine = Engine::open(config(global, false)?)?;
    say_what_is_missing(&engine, global, printer)?;
    Ok(engine)
}

/// For commands that only look; they work while another process writes.
pub fn reading(global: &Global, printer: Printer) -> Result<Engine> {
    let engine = Engine::open(config(global, true)?)?;
    say_what_is_missing(&engine, global, printer)?;
    Ok(engine)
}

/// For commands that write a little but are of use without: the serving of a block is journaled if the store can be had.
pub fn writing_if_possible(global: &Global, printer: Printer) -> Result<Engine> {
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
    if global.embedding != "none"
        && let Some(note) = engine.embedding_status()?.note
    {
        printer.say(format_args!("note: {note}"));
    }
    Ok(())
}

/// Whose memory: as told, else the only owner there is, else the default.
pub fn owner(global: &Global, engine: &Engine) -> Result<Owner> {
    let told = Owner {
        tenant: global.tenant.clone(),
        user: global.user.clone().unwrap_or_default(),
        agent: global.agent.clone().unwrap_or_default(),
    };
    if global.user.is_some() && global.agent.is_some() {
        return Ok(told);
    }
    let owners = engine.owners()?;
    let mut fitting = owners.iter().filter(|owner| {
        owner.tenant == global.tenant
            && global.user.as_ref().is_none_or(|user| *user == owner.user)
            && global.agent.as_ref().is_none_or(|agent| *agent == owner.agent)
    });
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only.clone()),
        _ => Ok(told),
    }
}

pub fn scope(global: &Global, engine: &Engine) -> Result<Scope> {
    Ok(Scope { owner: owner(global, engine)?, session: global.session.clone(), task: global.task.clone() })
}

/// A time as a person gives it: with an offset, as a date, or in words (昨天, "last Friday").
pub fn time(text: &str, now: &ZonedDateTime) -> Result<Timestamp> {
    if let Ok(moment) = moment::parse(text) {
        return Ok(moment.timestamp());
    }
    let mentioned = signals::dates(text, now);
    let [mention] = mentioned.as_slice() else {
        bail!(Refused(format!(
            "{text:?} is no time: write it like 2026-11-09T09:00:00+08:00, 2026-11-09, 昨天 or \"last Friday\""
        )));
    };
    let zoned = mention.start.to_zoned_datetime(now.time_zone().clone());
    Ok(zoned.map_err(|e| Refused(format!("{text:?} is out of range: {e}")))?.timestamp())
}

/// A word of a fixed list, or an error that shows the list.
pub fn word<T: Copy>(what: &str, text: &str, from_word: fn(&str) -> Option<T>, all: &[&str]) -> Result<T> {
    from_word(text)
        .ok_or_else(|| Refused(format!("there is no {what} {text:?}: it is one of {}", all.join(", "))).into())
}

pub fn source(text: &str) -> Result<event::Source> {
    let all: Vec<&str> = event::Source::ALL.iter().map(|source| source.as_str()).collect();
    word("source", text, event::Source::from_word, &all)
}

pub fn kind(text: &str) -> Result<event::Kind> {
    let all: Vec<&str> = event::Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    word("kind", text, event::Kind::from_word, &all)
}
