//! The invariants between the rooms (docs/ARCHITECTURE.md), read off the source. A room that breaks one is changed, or the table here
//! is, with the reason beside it.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use source::{Source, files, has_word, is_word, name};

/// What each room of the library may name of the others: whole rooms, or single things of them. `engine` is not here: it may name all.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("env", &[]),
    ("text", &["types"]),
    ("redact", &["types", "text", "env"]),
    ("signals", &["types", "text", "env"]),
    // A correction is told from a restatement by the same comparing that finds it.
    ("working", &["types", "text", "env"]),
    ("import", &["types", "text", "env"]),
    ("journal", &["types", "text", "env"]),
    ("forget", &["types", "text", "env"]),
    // What a model proposes is untrusted, and checked here.
    ("learn", &["types", "text", "env", "prompts::ProposedMemory", "prompts::ProposedKind"]),
    // Two pure functions: whether a statement says the same again, and which constraints a frame is under.
    ("context", &["types", "text", "env", "working::same_statement", "working::visible_constraints"]),
    // The time a question names is read as in an event; candidates come as plain values of the store, and `Store` is not named.
    ("recall", &["types", "text", "env", "signals", "store::Traits"]),
    // The order of a step, over the parser of replies.
    ("agent", &["types", "working::ParseProblem", "working::parse_update"]),
    // Vectors carry the model that made them.
    ("embedding", &["types", "store::ModelId", "service"]),
    ("service", &[]),
    // Prompts and replies are texts: nothing here knows what they are about. No secret is sent or recorded.
    ("llm", &["types", "env", "service", "redact::Rules", "redact::redact_text"]),
    // A prompt is what a model takes. What can't be seen in a block can't be seen in a prompt.
    ("prompts", &["types", "llm::Prompt", "llm::Schema", "context::is_unseen"]),
    // What to let go is decided over plain values, and a summary is checked by its words alone.
    ("manager", &["types", "text", "env"]),
    // A row of the journal is committed to and chained where it is written.
    ("store", &["types", "env", "journal"]),
];

/// Files whose job is what is forbidden elsewhere.
const ASKS_THE_WORLD: &str = "crates/holdfast/src/env.rs";
const MAKES_EVENTS: &[&str] = &["crates/holdfast/src/redact/", "crates/holdfast/src/store/sqlite/row.rs"];
const UNSAFE: &[&str] = &["crates/holdfast-embed/src/", "crates/holdfast/src/store/sqlite/scan"];

/// Who may make a prompt: the room the words are in.
const MAKES_PROMPTS: &str = "crates/holdfast/src/prompts/";

/// Past this a file is two rooms (STYLE: 100-400 reads well). Files of cases may be longer.
const LINES_MAX: usize = 800;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every Rust file of the workspace.
fn sources() -> Vec<Source> {
    let root = root();
    files(&root.join("crates"), "rs").iter().map(|path| Source::read(&root, path)).collect()
}

/// Those that are not tests.
fn product() -> impl Iterator<Item = Source> {
    sources().into_iter().filter(|source| !source.is_test())
}

fn library() -> impl Iterator<Item = Source> {
    product().filter(|source| source.room().is_some_and(|room| room != "lib"))
}

/// Fails with every breach, not only the first.
fn none(rule: &str, breaches: impl IntoIterator<Item = impl Display>) {
    let breaches: Vec<String> = breaches.into_iter().map(|b| format!("  {b}\n")).collect();
    assert!(breaches.is_empty(), "\n{rule}:\n{}", breaches.concat());
}

fn is_in(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

#[test]
fn rooms_name_only_what_they_may() {
    let table: BTreeMap<_, _> = MAY_NAME.iter().copied().collect();
    let rooms: BTreeSet<String> = library().filter_map(|source| source.room().map(str::to_owned)).collect();
    let mut breaches = Vec::new();
    for source in library() {
        let room = source.room().unwrap();
        if room == "engine" {
            continue;
        }
        let Some(allowed) = table.get(room) else {
            breaches.push(format!("{}: a new room: say in MAY_NAME what it may name", source.path));
            continue;
        };
        for path in source.crate_paths() {
            let own = path == room || path.starts_with(&format!("{room}::"));
            let may = |allowed: &&str| path == **allowed || path.starts_with(&format!("{allowed}::"));
            if !own && !allowed.iter().any(may) {
                breaches.push(format!("{} names crate::{path}", source.path));
            }
        }
        // Out of the room by its parent, where the room has nothing of that name itself.
        for (number, line) in source.lines() {
            for other in rooms.iter().filter(|other| *other != room) {
                if has_word(line, &format!("super::{other}")) && !has_part(room, other) {
                    breaches.push(format!("{}:{number} names super::{other}", source.path));
                }
            }
        }
    }
    none("a pure room names only `types`, `text` and `env`; `engine` alone knows them all", breaches);
}

/// Whether a room has a file of this name in it.
fn has_part(room: &str, part: &str) -> bool {
    let folder = root().join("crates/holdfast/src").join(room);
    let mut all = files(&folder, "rs").into_iter();
    all.any(|file| file.file_stem().is_some_and(|stem| stem == part) || file.parent().unwrap().ends_with(part))
}

#[test]
fn the_table_of_rooms_is_of_rooms_that_are_there() {
    let rooms: BTreeSet<String> = library().filter_map(|source| source.room().map(str::to_owned)).collect();
    let gone = MAY_NAME.iter().filter(|(room, _)| !rooms.contains(*room));
    none("in MAY_NAME and nowhere else", gone.map(|(room, _)| room));
}

#[test]
fn sql_is_in_the_store() {
    let outside = product().filter(|source| !source.path.starts_with("crates/holdfast/src/store/"));
    let breaches = outside.flat_map(|source| {
        let texts = source.texts.into_iter().filter(|(_, text)| is_sql(text));
        texts.map(|(line, text)| format!("{}:{line} {text:?}", source.path)).collect::<Vec<_>>()
    });
    none("SQL is in store/ and nowhere else", breaches);
}

/// Statements in capitals, as SQL is written here: prose does not begin so.
fn is_sql(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let follows = |first: &str, second: &str| words.windows(2).any(|pair| pair == [first, second]);
    let both = |first: &str, second: &str| words.contains(&first) && words.contains(&second);
    both("SELECT", "FROM")
        || both("UPDATE", "SET")
        || follows("INSERT", "INTO")
        || follows("DELETE", "FROM")
        || ["TABLE", "INDEX", "VIRTUAL", "TRIGGER", "VIEW", "UNIQUE"].iter().any(|what| follows("CREATE", what))
        || words.first().is_some_and(|word| *word == "PRAGMA")
}

#[test]
fn recall_and_context_never_write() {
    let reading = library().filter(|source| matches!(source.room(), Some("recall" | "context")));
    let writing = ["commit", "ChangeSet", "put_vectors", "activate_model", "Sqlite", "Store", "Connection"];
    let breaches = reading.flat_map(|source| {
        let named = writing.iter().filter(|word| has_word(&source.code, word));
        named.map(|word| format!("{} names {word}", source.path)).collect::<Vec<_>>()
    });
    none("recall and context never write, and do not hold what could", breaches);
}

#[test]
fn only_redact_makes_events() {
    // `types` declares the struct and has variants of the name; the store gives back what it was given.
    let others = product().filter(|source| source.room() != Some("types") && !is_in(&source.path, MAKES_EVENTS));
    let breaches = others.flat_map(|source| {
        let made = source.lines().filter(|(_, line)| makes(line, "Event {"));
        made.map(|(number, line)| format!("{}:{number} {}", source.path, line.trim())).collect::<Vec<_>>()
    });
    none("nothing but redact makes an Event", breaches);
}

/// `Event {` as a value: not of another type, not a variant, not a signature.
fn makes(line: &str, what: &str) -> bool {
    line.match_indices(what).any(|(at, _)| {
        let before = line[..at].trim_end();
        let joined = line[..at].ends_with(|c| is_word(c) || c == ':');
        !joined && !["struct", "impl", "for", "->", "enum", "trait"].iter().any(|word| before.ends_with(word))
    })
}

#[test]
fn only_prompts_makes_prompts() {
    let others = product().filter(|source| !source.path.starts_with(MAKES_PROMPTS));
    let breaches = others.flat_map(|source| {
        let made = source.lines().filter(|(_, line)| makes(line, "Prompt {"));
        made.map(|(number, line)| format!("{}:{number} {}", source.path, line.trim())).collect::<Vec<_>>()
    });
    none("every word sent to a model is in prompts/", breaches);
}

#[test]
fn words_for_a_model_are_in_files() {
    let rooms = library().filter(|source| source.path.starts_with(MAKES_PROMPTS));
    let breaches = rooms.flat_map(|source| {
        // A schema has names and types; a sentence has more words.
        let sentences = source.texts.into_iter().filter(|(_, text)| text.split(' ').count() > 12);
        sentences.map(|(line, text)| format!("{}:{line} {text:?}", source.path)).collect::<Vec<_>>()
    });
    none("a prompt's words are in its file, where their hash covers them", breaches);
}

/// Read function by function: enough to see a lock taken where a model is called.
#[test]
fn no_lock_is_held_over_a_model() {
    let calls = [".complete(", ".embed("];
    let takes = [".lock()", ".write()", ".read()", ".lock_owner("];
    let breaches = library().flat_map(|source| {
        let functions = source.code.split("fn ").filter(|function| calls.iter().any(|call| function.contains(call)));
        let locked = functions.filter_map(|function| {
            let first_call = calls.iter().filter_map(|call| function.find(call)).min()?;
            let held = takes.iter().any(|take| function[..first_call].contains(take));
            held.then(|| format!("{}: fn {}", source.path, function.split('(').next().unwrap_or_default()))
        });
        locked.collect::<Vec<_>>()
    });
    none("no lock is held over a call to a model", breaches);
}

#[test]
fn time_and_chance_come_from_env() {
    let asking = [
        "Timestamp::now",
        "ZonedDateTime::now",
        "Zoned::now",
        "SystemTime",
        "Instant::now",
        "now_v7",
        "now_v4",
        "new_v4",
        "TimeZone::system",
        "getrandom",
        "RandomState",
        "thread::sleep",
    ];
    let breaches = library().filter(|source| source.path != ASKS_THE_WORLD).flat_map(|source| {
        let asks = source.lines().filter(|(_, line)| asking.iter().any(|word| has_word(line, word)));
        asks.map(|(number, line)| format!("{}:{number} {}", source.path, line.trim())).collect::<Vec<_>>()
    });
    none("the library asks env, and only env asks the world", breaches);
}

#[test]
fn unsafe_is_where_it_was_opened() {
    let breaches = product().filter(|source| !is_in(&source.path, UNSAFE) && has_word(&source.code, "unsafe"));
    none("unsafe only in the kernels", breaches.map(|source| source.path));
}

#[test]
fn files_are_rooms() {
    let mut breaches = Vec::new();
    for source in product() {
        let lines = source.whole.lines().count();
        if lines > LINES_MAX {
            breaches.push(format!("{} has {lines} lines: look for two rooms", source.path));
        }
        if lines > 1 && !source.whole.starts_with("//!") {
            breaches.push(format!("{} does not say what it is: begin with //!", source.path));
        }
    }
    none("a file is a room", breaches);
}

/// The dependencies of a crate, and of its tests if `table` says so.
fn dependencies(manifest: &str, table: &str) -> Vec<String> {
    let inside = manifest.lines().skip_while(|line| *line != table).skip(1).take_while(|line| !line.starts_with('['));
    let names = inside.filter(|line| !line.trim_start().starts_with('#'));
    names.filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|n| !n.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_library_knows_no_wire() {
    let manifest = |name: &str| fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    let wire = ["axum", "clap", "rmcp", "anyhow", "tokio", "reqwest", "hyper", "tower", "utoipa", "indicatif", "sqlx"];
    let of_library = dependencies(&manifest("holdfast"), "[dependencies]");
    assert!(of_library.contains(&"serde".to_owned()), "read as {of_library:?}");
    none("not in the library", of_library.iter().filter(|name| wire.contains(&name.as_str())));
    let of_embed = dependencies(&manifest("holdfast-embed"), "[dependencies]");
    none("the embedding model knows nothing of memory", of_embed.iter().filter(|name| name.starts_with("holdfast")));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let manifests = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("Cargo.toml"));
    let without = manifests.filter(|path| !fs::read_to_string(path).unwrap().contains("[lints]\nworkspace = true"));
    none("[lints] workspace = true", without.map(|path| path.display().to_string()));
}

#[test]
fn migrations_are_numbered_and_all_of_them_run() {
    let root = root();
    let mut breaches = Vec::new();
    for backend in fs::read_dir(root.join("crates/holdfast/src/store")).unwrap().map(|entry| entry.unwrap().path()) {
        let code: String =
            files(&backend, "rs").iter().map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>().concat();
        for (index, path) in files(&backend.join("migrations"), "sql").iter().enumerate() {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            if !file.starts_with(&format!("{:04}_", index + 1)) {
                breaches.push(format!("{} is not number {}", name(&root, path), index + 1));
            }
            if !code.contains(&format!("migrations/{file}")) {
                breaches.push(format!("{} is never run", name(&root, path)));
            }
        }
    }
    none("migrations count from 0001 without a gap", breaches);
}

#[test]
fn lexicons_hold_the_same_lists_in_both_languages() {
    let folder = root().join("crates/holdfast/src/signals/lexicon");
    let sections = |file: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect()
    };
    let (zh, en) = (sections("zh.toml"), sections("en.toml"));
    assert!(!zh.is_empty());
    none("in one language only", zh.symmetric_difference(&en));
}

#[test]
fn nothing_needs_what_lies_beside_the_repository() {
    let breaches = product().filter(|source| !source.path.starts_with("crates/holdfast-bench/")).flat_map(|source| {
        let texts = source.texts.into_iter().filter(|(_, text)| text.contains("shared/") || text.starts_with("/tmp"));
        texts.map(|(line, text)| format!("{}:{line} {text:?}", source.path)).collect::<Vec<_>>()
    });
    none("a clone by itself builds and runs", breaches);
}

// ---------------------------------------------------------------------------------------------------------------- documents

fn document(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The fenced blocks of a document: the word after the fence, and the lines without comments.
fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: Vec<String> = lines.by_ref().take_while(|line| !line.starts_with("```")).map(uncommented).collect();
        blocks.push((info.to_owned(), inside.into_iter().filter(|line| !line.is_empty()).collect()));
    }
    blocks
}

/// A comment, and what is said to the server at a line's end, may be in the language of the page.
fn uncommented(line: &str) -> String {
    if let Some((request, _said)) = line.split_once(" -d '") {
        return request.to_owned();
    }
    let cut = ["#", "//"].iter().filter_map(|mark| {
        let begins = line.trim_start().starts_with(mark).then_some(0);
        begins.or_else(|| line.find(&format!("  {mark} ")))
    });
    line[..cut.min().unwrap_or(line.len())].trim_end().to_owned()
}

#[test]
fn both_readmes_say_the_same() {
    let (en, zh) = (document("README.md"), document("README.zh-CN.md"));
    assert_eq!(blocks(&en), blocks(&zh), "the same commands and code, in the same order");
    let levels = |text: &str| -> Vec<usize> {
        let heads = text.lines().filter(|line| line.starts_with('#'));
        heads.map(|line| line.chars().take_while(|c| *c == '#').count()).collect()
    };
    assert_eq!(levels(&en), levels(&zh), "the same sections");
}

#[test]
fn readmes_begin_with_the_two_commands() {
    for page in ["README.md", "README.zh-CN.md"] {
        let commands: Vec<String> = blocks(&document(page))
            .into_iter()
            .filter(|(info, _)| info.starts_with("sh"))
            .flat_map(|(_, l)| l)
            .collect();
        assert_eq!(
            commands[..2],
            [
                "cargo run --release -- --store demo replay examples/weekly-report.jsonl --ask 接着把周报弄完",
                "cargo test --workspace",
            ],
            "{page}"
        );
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let root = root();
    let folders = [root.join("docs"), root.join("examples"), root.join("models")];
    let top = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
    let pages = top.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let mut breaches = Vec::new();
    for page in pages.chain(folders.iter().flat_map(|folder| files(folder, "md"))) {
        let text = fs::read_to_string(&page).unwrap();
        for (at, mark) in text.match_indices("](") {
            let Some(target) = text[at + mark.len()..].split([')', '#', ' ']).next() else { continue };
            let outside = target.is_empty() || target.contains("://") || target.starts_with("mailto:");
            if !outside && !page.parent().unwrap().join(target).exists() {
                breaches.push(format!("{} leads to {target}", name(&root, &page)));
            }
        }
    }
    none("a link leads to a file", breaches);
}
