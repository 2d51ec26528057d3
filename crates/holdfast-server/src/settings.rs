//! Settings: what stands on the command line, in the environment and in a file, and which of them counts. In comes the command line, out go
//! typed arguments. A setting of the file is the default of its option, so that all three are read by one parser and refused in one way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command as Parser, CommandFactory, FromArgMatches};
use serde::Serialize;
use toml::{Table, Value};

use crate::cli::{self, Cli};
use crate::failure::Usage;
use crate::open;

/// The file's name in the platform's directory of settings.
const FILE: &str = "holdfast.toml";
const VARIABLE: &str = "HOLDFAST_CONFIG";
const OPTION: &str = "--config";
/// Of a key that differs in so many letters from a known one, that one was meant.
const LETTERS_OFF_MAX: usize = 3;
/// What a secret is shown as.
const SET: &str = "set";

/// How a setting is written in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    /// As text, and relative to the file's own directory.
    Path,
    /// A name, or a path that ends in `.toml`.
    NameOrPath,
    Number,
    Flag,
    Texts,
    /// As text, and never shown.
    Secret,
}

/// Which command's option a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    All,
    Serve,
}

/// One setting.
#[derive(Debug)]
struct Known {
    section: &'static str,
    key: &'static str,
    form: Form,
    of: Of,
    /// The id of its option.
    option: &'static str,
    /// Where none is given.
    otherwise: &'static str,
}

macro_rules! known {
    ($($section:literal { $($key:literal $form:ident $of:ident $option:literal $otherwise:literal)+ })+) => {
        &[$($(Known {
            section: $section, key: $key, form: Form::$form, of: Of::$of, option: $option, otherwise: $otherwise,
        }),+),+]
    };
}

/// Every setting, in the order they are shown.
const KNOWN: &[Known] = known! {
    "store" {
        "directory" Path All "store" "the platform's data directory"
        "environment" Text All "environment" "whatever the store is for"
    }
    "scope" {
        "tenant" Text All "tenant" ""
        "user" Text All "user" "default, or the only one there is"
        "agent" Text All "agent" "default, or the only one there is"
        "zone" Text All "zone" "the machine's"
    }
    "embedding" {
        "source" Text All "embedding" ""
        "model" Text All "embedding_model" ""
        "key" Secret All "embedding_key" ""
    }
    "llm" {
        "url" Text All "llm_url" "none: rules do without"
        "model" Text All "llm_model" ""
        "key" Secret All "llm_key" ""
        "calls_per_hour" Number All "llm_calls_per_hour" ""
    }
    "redaction" {
        "rules" Path All "redaction" "all built-in kinds"
        "key_file" Path All "redaction_key_file" "no key: nothing of a secret is kept"
    }
    "manager" {
        "policy" NameOrPath Serve "policy" "only when asked"
    }
    "serve" {
        "listen" Text Serve "listen" ""
        "requests_per_second" Number Serve "requests_per_second" ""
        "requests_at_once" Number Serve "requests_at_once" ""
        "body_bytes" Number Serve "body_bytes" ""
        "allow_origin" Texts Serve "allow_origin" "none"
        "log_json" Flag Serve "log_json" ""
    }
    "proxy" {
        "upstream" Text Serve "upstream" ""
        "upstream_key" Secret Serve "upstream_key" "each client's own"
        "block_tokens" Number Serve "block_tokens" ""
        "trim_tokens" Number Serve "trim_tokens" "never"
        "memory_wait" Text Serve "memory_wait" ""
    }
};

impl Known {
    fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }
}

/// The file of settings, if there is one, with the settings that it holds.
#[derive(Debug, Default)]
struct File {
    path: PathBuf,
    values: Vec<(&'static Known, Vec<String>)>,
}

/// The command line as it was understood, and how.
#[derive(Debug)]
pub struct Settings {
    parser: Parser,
    matches: ArgMatches,
    file: Option<File>,
}

/// A setting as it is shown.
#[derive(Debug, Serialize)]
pub struct Shown {
    pub name: String,
    /// `None`: it is not set, and `note` says what counts.
    pub value: Option<String>,
    /// flag, environment, file or default.
    pub source: &'static str,
    /// Which option, which variable, which file; or what counts where nothing is set.
    pub note: String,
}

/// What this process was started with. A wrong command line ends it, as it does without a file.
pub fn read() -> Result<(Cli, Settings)> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let file = named_file(&arguments)?.map(|path| File::read(&path)).transpose()?;
    let parser = file.iter().flat_map(|file| &file.values).fold(Cli::command(), with_default);
    let understood = parser.clone().try_get_matches_from(&arguments).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (cli, matches) = match understood {
        Ok(understood) => understood,
        Err(error) => {
            // What the file says is refused in the words of an option, which nobody gave: say where it stands.
            let told = error.to_string();
            for (known, values) in file.iter().flat_map(|file| &file.values) {
                let is_it = values.iter().any(|value| told.contains(&format!("'{value}'")));
                let option = known.option.replace('_', "-");
                if is_it && told.contains(&format!("--{option}")) && known.form != Form::Secret {
                    let path = file.as_ref().map(|file| file.path.display().to_string()).unwrap_or_default();
                    let why = told.lines().next().unwrap_or_default().trim_start_matches("error: ");
                    return Err(Usage(format!("{path}: {}: {why}", known.name())).into());
                }
            }
            cli::with_hint(error).exit()
        }
    };
    Ok((cli, Settings { parser, matches, file }))
}

/// The file that was named, which must be there, else the platform's, if it is.
fn named_file(arguments: &[OsString]) -> Result<Option<PathBuf>> {
    let mut given = arguments.iter().skip(1).take_while(|argument| *argument != "--");
    while let Some(argument) = given.next() {
        if argument == OPTION {
            // Without a value the parser will say so.
            return Ok(given.next().map(PathBuf::from));
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix(OPTION)?.strip_prefix('=')) {
            return Ok(Some(PathBuf::from(path)));
        }
    }
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(Some(PathBuf::from(path)));
    }
    Ok(open::config_directory().map(|directory| directory.join(FILE)).filter(|path| path.is_file()))
}

impl File {
    fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read the settings in {shown}"))?;
        // The parser's message repeats the line, which may hold a key.
        let table: Table = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            Usage(format!("{shown}: line {line}: {}", error.message()))
        })?;
        let directory = path.parent().unwrap_or_else(|| Path::new(""));
        let values = settings_of(&table, directory).map_err(|why| Usage(format!("{shown}: {why}")))?;
        Ok(Self { path: path.to_owned(), values })
    }
}

fn settings_of(table: &Table, directory: &Path) -> Result<Vec<(&'static Known, Vec<String>)>, String> {
    let mut values = Vec::new();
    for (section, content) in table {
        let known: Vec<&Known> = KNOWN.iter().filter(|known| known.section == section).collect();
        if known.is_empty() {
            return Err(unknown(section, KNOWN.iter().map(|known| known.section), "section"));
        }
        let content = content.as_table().ok_or_else(|| format!("{section} is a section: write [{section}]"))?;
        for (key, value) in content {
            let Some(known) = known.iter().find(|known| known.key == key) else {
                return Err(unknown(key, known.iter().map(|known| known.key), &format!("key of [{section}]")));
            };
            values.push((*known, texts(known, value, directory)?));
        }
    }
    Ok(values)
}

fn unknown<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone, what: &str) -> String {
    let nearest = known.clone().map(|known| (letters_off(given, known), known)).min();
    match nearest {
        Some((off, nearest)) if off <= LETTERS_OFF_MAX => {
            format!("{given:?} is no {what}: {nearest:?} was meant, perhaps")
        }
        _ => {
            let mut known: Vec<&str> = known.collect();
            known.dedup();
            format!("{given:?} is no {what}: there are {}", known.join(", "))
        }
    }
}

/// Letters to put in, take out or change (Levenshtein).
fn letters_off(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The value as an option would have it.
fn texts(known: &Known, value: &Value, directory: &Path) -> Result<Vec<String>, String> {
    let joined = |text: &str| directory.join(text).to_string_lossy().into_owned();
    let wrong = |expected: &str| Err(format!("{}: {expected} is expected", known.name()));
    Ok(match (known.form, value) {
        (Form::Text | Form::Secret, Value::String(text)) => vec![text.clone()],
        (Form::Path, Value::String(text)) => vec![joined(text)],
        (Form::NameOrPath, Value::String(text)) if text.ends_with(".toml") => vec![joined(text)],
        (Form::NameOrPath, Value::String(text)) => vec![text.clone()],
        (Form::Number, Value::Integer(number)) => vec![number.to_string()],
        (Form::Flag, Value::Boolean(flag)) => vec![flag.to_string()],
        (Form::Texts, Value::Array(values)) if values.iter().all(Value::is_str) => {
            values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        (Form::Number, _) => return wrong("a whole number"),
        (Form::Flag, _) => return wrong("true or false"),
        (Form::Texts, _) => return wrong("a list of texts"),
        _ => return wrong("a text"),
    })
}

fn with_default(parser: Parser, (known, values): &(&'static Known, Vec<String>)) -> Parser {
    // A list that is empty is none.
    if values.is_empty() {
        return parser;
    }
    let values: Vec<clap::builder::OsStr> = values.iter().map(|value| OsString::from(value).into()).collect();
    let is_secret = known.form == Form::Secret;
    let with = |parser: Parser| {
        parser.mut_arg(known.option, |argument| argument.default_values(values).hide_default_value(is_secret))
    };
    match known.of {
        Of::All => with(parser),
        Of::Serve => parser.mut_subcommand("serve", with),
    }
}

impl Settings {
    /// The file that they were read from.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// Every setting, and where it comes from.
    pub fn shown(&self) -> Vec<Shown> {
        // What `serve` would be given is asked of it.
        let serve = self.parser.clone().try_get_matches_from(["holdfast", "serve"]).ok();
        let serve = serve.as_ref().and_then(|matches| matches.subcommand_matches("serve"));
        KNOWN
            .iter()
            .map(|known| {
                let matches = if known.of == Of::All { Some(&self.matches) } else { serve };
                self.show(known, matches)
            })
            .collect()
    }

    fn show(&self, known: &'static Known, matches: Option<&ArgMatches>) -> Shown {
        let of_file = self.file.iter().flat_map(|file| &file.values).any(|(other, _)| other.option == known.option);
        let (source, note) = match matches.and_then(|matches| matches.value_source(known.option)) {
            Some(ValueSource::CommandLine) => ("flag", format!("--{}", known.option.replace('_', "-"))),
            Some(ValueSource::EnvVariable) => ("environment", self.variable(known)),
            Some(_) if of_file => ("file", self.file().map_or_else(String::new, |path| path.display().to_string())),
            _ => ("default", known.otherwise.to_owned()),
        };
        let values: Vec<String> = matches
            .and_then(|matches| matches.try_get_raw(known.option).ok().flatten())
            .into_iter()
            .flatten()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let value = match (known.form, values.is_empty()) {
            (_, true) => None,
            (Form::Secret, false) => Some(SET.to_owned()),
            (_, false) => Some(values.join(",")),
        };
        Shown { name: known.name(), value, source, note }
    }

    fn variable(&self, known: &Known) -> String {
        let parser = match known.of {
            Of::All => Some(&self.parser),
            Of::Serve => self.parser.find_subcommand("serve"),
        };
        let argument =
            parser.and_then(|parser| parser.get_arguments().find(|argument| argument.get_id() == known.option));
        let variable = argument.and_then(|argument| argument.get_env());
        variable.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[(&str, &str)], &str>) {
        let table: Table = toml::from_str(text).unwrap();
        let read = settings_of(&table, Path::new("/设置")).map(|values| {
            let one = |(known, values): &(&Known, Vec<String>)| (known.name(), values.join(","));
            values.iter().map(one).collect::<Vec<_>>()
        });
        let expected = expected
            .map(|values| values.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Vec<_>>())
            .map_err(str::to_owned);
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn what_a_file_says_is_what_an_option_would() {
        check("[store]\ndirectory = \"记忆\"", Ok(&[("store.directory", "/设置/记忆")]));
        check("[store]\ndirectory = \"/var/记忆\"", Ok(&[("store.directory", "/var/记忆")]));
        check("[manager]\npolicy = \"research\"", Ok(&[("manager.policy", "research")]));
        check("[manager]\npolicy = \"ours.toml\"", Ok(&[("manager.policy", "/设置/ours.toml")]));
        check("[serve]\nlog_json = true\nbody_bytes = 9", Ok(&[("serve.body_bytes", "9"), ("serve.log_json", "true")]));
        check(
            "[serve]\nallow_origin = [\"http://a\", \"http://b\"]",
            Ok(&[("serve.allow_origin", "http://a,http://b")]),
        );
        check("[scope]\nuser = \"林悦\"", Ok(&[("scope.user", "林悦")]));
    }

    #[test]
    fn what_is_not_known_is_refused_with_what_was_meant() {
        check("[serve]\nlisten_on = \"x\"", Err("\"listen_on\" is no key of [serve]: \"listen\" was meant, perhaps"));
        check("[sreve]\nlisten = \"x\"", Err("\"sreve\" is no section: \"serve\" was meant, perhaps"));
        check("[store]\n\"目录\" = \"x\"", Err("\"目录\" is no key of [store]: there are directory, environment"));
        check("store = 7", Err("store is a section: write [store]"));
        check("[serve]\nbody_bytes = \"9\"", Err("serve.body_bytes: a whole number is expected"));
        check("[serve]\nlog_json = \"yes\"", Err("serve.log_json: true or false is expected"));
        check("[serve]\nallow_origin = \"x\"", Err("serve.allow_origin: a list of texts is expected"));
        check("[llm]\nkey = 7", Err("llm.key: a text is expected"));
    }

    #[test]
    fn letters_are_counted() {
        for (a, b, off) in [("", "abc", 3), ("listen", "listen", 0), ("lisetn", "listen", 2), ("目录", "目標", 1)] {
            assert_eq!(letters_off(a, b), off, "{a} {b}");
        }
    }

    /// Each setting is an option, which can be given in the environment too.
    #[test]
    fn each_setting_has_its_option_and_its_variable() {
        let parser = Cli::command();
        let serve = parser.find_subcommand("serve").unwrap();
        for known in KNOWN {
            let parser = if known.of == Of::All { &parser } else { serve };
            let argument = parser.get_arguments().find(|argument| argument.get_id() == known.option);
            let argument = argument.unwrap_or_else(|| panic!("{} is no option", known.name()));
            assert!(argument.get_env().is_some(), "{} has no variable", known.name());
            assert_eq!(argument.is_hide_env_values_set(), known.form == Form::Secret, "{}", known.name());
        }
    }
}
