//! What becomes of a secret: on no disk without a key, sealed with one, shown to an operator who says why.

use std::path::Path;
use std::sync::Arc;

use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine, Error};
use holdfast::env::Env;
use holdfast::redact::{Key, Rules};
use holdfast::store::JournalPage;
use holdfast::types::context::BlockOptions;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::operation::Verb;
use holdfast::types::query::Query;
use holdfast::types::scope::{Owner, Scope, ScopeId};
use holdfast::types::update::{Action, Update};
use proptest::prelude::*;

fn open(directory: &Path, key: Option<u8>) -> Engine {
    let rules = Rules::default();
    let redaction = match key {
        Some(byte) => rules.with_key(Key::new([byte; 32])),
        None => rules,
    };
    let env = Arc::new(Env::system());
    Engine::open(Config { embedding: Choice::None, redaction, env, ..Config::at(directory) }).unwrap()
}

fn scope(user: &str) -> Scope {
    Scope { owner: Owner { user: ScopeId::new(user).unwrap(), ..Owner::default() }, ..Scope::default() }
}

fn said(scope: &Scope, text: &str) -> RawEvent {
    RawEvent::new(scope.clone(), Source::User, Kind::Query, text)
}

/// The event's text as it is stored.
fn stored(engine: &Engine, scope: &Scope, text: &str) -> String {
    let id = engine.observe(said(scope, text)).unwrap().id;
    engine.event(&scope.owner, id).unwrap().unwrap().event.content
}

/// The first placeholder of a text.
fn placeholder(text: &str) -> &str {
    let start = text.find('«').unwrap();
    &text[start..start + text[start..].find('»').unwrap() + '»'.len_utf8()]
}

fn files_with(directory: &Path, secret: &str) -> Vec<String> {
    let secret = secret.to_lowercase();
    let files = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| {
            let bytes = std::fs::read(path).unwrap().to_ascii_lowercase();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        })
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn with_a_key_the_same_secret_is_the_same_thing_in_the_whole_store() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Some(7));
    let (ana, bob) = (scope("ana"), scope("bob"));
    let first = stored(&engine, &ana, "我的手机是13800138000");
    let later = stored(&engine, &ana, "call me on +86 138 0013 8000, not on 13900139000");
    assert_eq!(placeholder(&first), placeholder(&later));
    assert_eq!(later.matches(placeholder(&first)).count(), 1);
    assert_ne!(placeholder(&stored(&engine, &bob, "我的手机是13800138000")), placeholder(&first));
    // Asked for by the number itself, it is found: the question has the same placeholder.
    let block =
        engine.context(&Query::new(ana.clone(), "谁的手机是13800138000", engine.now()), &BlockOptions::default());
    assert!(block.unwrap().text.contains(placeholder(&first).trim_matches(['«', '»'])));
    engine.dump(&mut std::io::sink()).unwrap();
}

#[test]
fn without_a_key_nothing_is_kept_and_numbers_hold_within_an_event() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), None);
    let ana = scope("ana");
    assert_eq!(
        stored(&engine, &ana, "打13800138000，不通就打13900139000，再打13800138000"),
        "打«phone:1»，不通就打«phone:2»，再打«phone:1»"
    );
    assert_eq!(stored(&engine, &ana, "or call 13900139000"), "or call «phone:1»");
    let mut dump = Vec::new();
    engine.dump(&mut dump).unwrap();
    assert!(!String::from_utf8(dump).unwrap().contains("  secret "));
    let refused = engine.reveal(&ana.owner, "«phone:1»", "ops", "calling back").unwrap_err();
    assert!(matches!(refused, Error::NoRedactionKey), "{refused}");
}

#[test]
fn an_operator_is_shown_a_secret_and_the_journal_says_to_whom_and_why() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Some(7));
    let ana = scope("ana");
    let texts = [stored(&engine, &ana, "后台密码是hunter2"), stored(&engine, &ana, "the card is 4111 1111 1111 1111")];
    let reveal = |engine: &Engine, owner: &Owner, text: &str| {
        engine.reveal(owner, placeholder(text), "ops", "客户要求核对").map(|secret| secret.to_string())
    };
    assert_eq!(reveal(&engine, &ana.owner, &texts[0]).unwrap(), "hunter2");
    assert_eq!(reveal(&engine, &ana.owner, &texts[1]).unwrap(), "4111 1111 1111 1111");
    let bare = placeholder(&texts[0]).trim_matches(['«', '»']);
    assert_eq!(
        *engine.reveal(&ana.owner, bare, "ops", "again, with the password hunter3 in the reason").unwrap(),
        "hunter2"
    );
    let page = JournalPage { verb: Some(Verb::Reveal), limit: 10, ..JournalPage::default() };
    let journal = engine.journal(&ana.owner, &page).unwrap();
    assert_eq!(journal.len(), 3);
    let first = &journal[0].operation;
    assert_eq!((first.actor.as_str(), first.reason.as_str()), ("ops", "客户要求核对"));
    assert_eq!(first.after.as_ref().unwrap()["placeholder"], bare);
    let told = serde_json::to_string(&journal).unwrap();
    assert!(!told.contains("hunter2") && !told.contains("hunter3") && !told.contains("4111 1111"), "{told}");
    for (owner, text) in [(&scope("bob").owner, texts[0].as_str()), (&ana.owner, "«card:0123456789ab»")] {
        let refused = reveal(&engine, owner, text).unwrap_err();
        assert!(matches!(refused, Error::NoSuchSecret(_)), "{refused}");
    }
    let refused = engine.reveal(&ana.owner, "password is hunter4", "ops", "by mistake").unwrap_err().to_string();
    assert!(!refused.contains("hunter4"), "{refused}");
    drop(engine);

    // Another key opens nothing, and what is recorded under it is its own.
    let other = open(directory.path(), Some(8));
    stored(&other, &ana, "后台密码是hunter2");
    let refused = engine_error(&other, &ana.owner, placeholder(&texts[0]));
    insta::assert_snapshot!(refused.replace(bare, "password:…"), @"what is kept under «password:…» was sealed with another redaction key: give the one that was set when it was recorded");
    assert_eq!(other.journal(&ana.owner, &page).unwrap().len(), 3, "nothing was shown");
}

fn engine_error(engine: &Engine, owner: &Owner, placeholder: &str) -> String {
    engine.reveal(owner, placeholder, "ops", "checking").unwrap_err().to_string()
}

/// It once went into the task as it came when an event carried it.
#[test]
fn an_update_that_comes_with_an_event_is_redacted_too() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Some(7));
    let task = Scope { task: Some(ScopeId::new("t").unwrap()), ..scope("ana") };
    engine.start_task(&task, "迁移", Some("用密码Kq7Vz2Lp登录"), &["password: Rb5Ty8Wm".into()]).unwrap();
    let update = |text: &str, key: &str| Update {
        actions: vec![Action::Conclude { text: text.into() }],
        idempotency_key: Some(key.into()),
        ..Update::default()
    };
    let with = |text: &str, key: &str| {
        let mut event = said(&task, "done");
        event.source = Source::Agent;
        engine.observe_with(event, Some(update(text, key))).unwrap()
    };
    with("后台密码是Xj3Nd9Fs", "k1");
    engine.update(&task, &update("the password is Gh6Mc4Zt", "k2")).unwrap();
    // Only a keyed hash of a secret may stand in a key.
    let first = with("密码是Vw8Qe2Ya", "13800138000");
    let again = with("密码是Vw8Qe2Ya", "13800138000");
    assert_eq!(first.changes, ["conclude"]);
    assert_eq!(again.changes, ["the update's idempotency key is known"]);
    let text = serde_json::to_string(&engine.task(&task.owner, &ScopeId::new("t").unwrap()).unwrap()).unwrap();
    let secrets = ["Kq7Vz2Lp", "Rb5Ty8Wm", "Xj3Nd9Fs", "Gh6Mc4Zt", "Vw8Qe2Ya"];
    let mut kept = Vec::new();
    for piece in text.split('«').skip(1) {
        let placeholder = piece.split('»').next().unwrap();
        kept.push(engine.reveal(&task.owner, placeholder, "ops", "a test").unwrap().to_string());
    }
    kept.sort();
    kept.dedup();
    let mut expected = secrets;
    expected.sort_unstable();
    assert_eq!(kept, expected, "{text}");
    drop(engine);
    for secret in secrets.into_iter().chain(["13800138000"]) {
        assert_eq!(files_with(directory.path(), secret), [""; 0], "{secret}");
    }
}

#[test]
fn an_export_has_placeholders_and_no_secret() {
    let (directory, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = open(directory.path(), Some(7));
    let ana = scope("ana");
    let text = stored(&engine, &ana, "后台密码是hunter2，别外传");
    let mut lines = Vec::new();
    engine.export(std::slice::from_ref(&ana.owner), &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.contains(placeholder(&text)) && !lines.contains("hunter2") && !lines.contains("sealed"), "{lines}");
    let other = open(there.path(), Some(7));
    other.import(&ana.owner, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()).unwrap();
    assert!(matches!(other.reveal(&ana.owner, placeholder(&text), "ops", "why"), Err(Error::NoSuchSecret(_))));
}

/// A file may be of a store that knew fewer secrets, or have been written by anybody.
#[test]
fn an_import_keeps_no_secret_that_the_lines_have() {
    for (text, secret) in [("后台密码是hunter2，别外传", "hunter2"), ("The password is Kq7Vz2Lp, keep it", "Kq7Vz2Lp")]
    {
        let (directory, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let engine = open(directory.path(), None);
        let ana = scope("ana");
        let kept = stored(&engine, &ana, text);
        let mut lines = Vec::new();
        engine.export(std::slice::from_ref(&ana.owner), &mut lines).unwrap();
        // In the content, in what was read from it, and in what was overturned of it.
        let entity = |text: &str| {
            let span = serde_json::json!({ "start": 0, "end": 1 });
            serde_json::json!([{ "kind": "name", "text": text, "value": text, "span": span }])
        };
        let overturned = serde_json::json!([{ "statement": text, "at": "2026-11-27T09:00:00Z" }]);
        let parse = |line: &str| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            if line["line"] == "event" {
                assert_eq!(line["content"], kept);
                line["content"] = text.into();
                line["signals"]["entities"] = entity(text);
                line["overturned"] = overturned.clone();
            }
            serde_json::from_value(line).unwrap()
        };
        let other = open(there.path(), None);
        let lines = String::from_utf8(lines).unwrap();
        assert_eq!(other.import(&ana.owner, lines.lines().map(parse).collect()).unwrap().events, 1);
        let mut dump = Vec::new();
        other.dump(&mut dump).unwrap();
        drop(other);
        assert_eq!(files_with(there.path(), secret), [""; 0], "{secret}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// SPEC 1.2: no secret in any file of the store, whatever kind, whatever carries it, with a key and without.
    #[test]
    fn no_secret_reaches_the_disk(seed in "[a-zA-Z0-9]{24}", digits in "[1-9][0-9]{7}", key in proptest::option::of(any::<u8>())) {
        let directory = tempfile::tempdir().unwrap();
        let engine = open(directory.path(), key);
        let secrets = [
            format!("sk-{seed}"),
            format!("AKIA{}", &seed.to_uppercase()[..16]),
            format!("ghp_{seed}{}", &seed[..12]),
            format!("Pw{}x!", &seed[..8]),
            format!("138{digits}"),
            format!("{}@example-mail.com", &seed[..10].to_lowercase()),
        ];
        let texts = [
            format!("我的 key 是 {}，先别外传", secrets[0]),
            format!("export AWS_ACCESS_KEY_ID={}", secrets[1]),
            format!("use the token {} for the clone", secrets[2]),
            format!("后台密码是{}，登录后改掉", secrets[3]),
            format!("有事打我手机 {}", secrets[4]),
            format!("please write to {} tomorrow", secrets[5]),
        ];
        let scope = Scope { task: Some(ScopeId::new("t").unwrap()), ..scope("u") };
        for text in &texts {
            let mut raw = said(&scope, text);
            raw.metadata.insert("note".into(), text.clone().into());
            let update = Update { actions: vec![Action::AddConstraint { text: text.clone() }], ..Update::default() };
            engine.observe_with(raw, Some(update)).unwrap();
        }
        let mut shown = String::new();
        // Asking by the secret itself is journaled, and must not put it there.
        for question in texts.iter().map(String::as_str).chain(["密码 token key 手机"]) {
            let block = engine.context(&Query::new(scope.clone(), question, engine.now()), &BlockOptions::default());
            shown.push_str(&block.unwrap().text);
        }
        let mut dump = Vec::new();
        engine.dump(&mut dump).unwrap();
        shown.push_str(&String::from_utf8(dump).unwrap());
        prop_assert_eq!(shown.contains("  secret "), key.is_some());
        drop(engine);
        for secret in &secrets {
            prop_assert!(!shown.to_lowercase().contains(&secret.to_lowercase()), "{secret} is shown");
            prop_assert_eq!(files_with(directory.path(), secret), Vec::<String>::new(), "{} is on the disk", secret);
        }
    }
}
