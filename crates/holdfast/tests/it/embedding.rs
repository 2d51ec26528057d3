//! Vectors from a service: what may go wrong with it, and the change from one model to another.

use std::path::Path;
use std::time::Duration;

use holdfast::embedding::{Choice, Embedder, OpenAi};
use holdfast::engine::{Config, Engine, Error};
use holdfast::store::JournalPage;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::operation::Verb;
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::Scope;

use crate::service::{Answer, Service, vector};

const KEY: &str = "sk-test-Zq81mPw07sLk";

/// Long enough for a busy machine, unless the test is about waiting.
const PATIENCE: Duration = Duration::from_secs(20);

fn connect(service: &Service) -> Result<OpenAi, String> {
    let connected = OpenAi::connect(&service.url, "m", Some(KEY.to_owned()), PATIENCE);
    // Whatever happens, the key is in nothing that can be shown.
    assert!(!format!("{connected:?}").contains(KEY), "{connected:?}");
    connected.map_err(|error| error.to_string().replace(&service.url, "URL"))
}

/// What a service's answer to the second request, of two texts, comes to.
fn told(answer: impl Fn(usize) -> Answer + Send + 'static) -> String {
    let service = Service::start(move |_, n| if n == 0 { Answer::Vectors(4) } else { answer(n) });
    let made = connect(&service).unwrap().embed(&["好", "good"]);
    match made {
        Ok(vectors) => format!("{} vectors after {} requests", vectors.len(), service.asked().len()),
        Err(error) => {
            assert!(!format!("{error:?} {error}").contains(KEY), "{error:?}");
            format!("{} ({} requests)", error.to_string().replace(&service.url, "URL"), service.asked().len())
        }
    }
}

#[test]
fn vectors_are_put_where_their_index_says() {
    let service = Service::start(|_, _| Answer::Shuffled(8));
    let made = connect(&service).unwrap().embed(&["退货率", "the return rate", "x"]).unwrap();
    for (made, text) in made.iter().zip(["退货率", "the return rate", "x"]) {
        let expected = vector(text, 8);
        let norm = expected.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!(made.iter().zip(&expected).all(|(a, b)| (a - b / norm).abs() < 1e-6), "{text}: {made:?}");
    }
    let asked = service.asked();
    assert!(asked.iter().all(|asked| asked.path == "/v1/embeddings" && asked.model == "m"), "{asked:?}");
    assert!(asked.iter().all(|asked| asked.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
}

#[test]
fn many_texts_go_in_several_requests() {
    let service = Service::start(|_, _| Answer::Shuffled(8));
    let texts: Vec<String> = (0..150).map(|n| format!("text {n} 文")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(connect(&service).unwrap().embed(&texts).unwrap().len(), 150);
    let sizes: Vec<usize> = service.asked().iter().map(|asked| asked.texts.len()).collect();
    assert_eq!(sizes, [1, 64, 64, 22]);
}

#[test]
fn what_is_no_answer_is_said_and_what_may_pass_is_asked_again() {
    let body = |body: &'static str| move |_| Answer::Body(body.to_owned());
    let cases = [
        told(body(r#"{"data": [{"index": 0, "embedding": [1, 0, 0, 0]}]}"#)),
        told(body(r#"{"data": [{"index": 0, "embedding": [1, 0, 0]}, {"index": 1, "embedding": [1, 0, 0]}]}"#)),
        told(body(r#"{"data": [{"index": 1, "embedding": [1, 0, 0, 0]}, {"index": 1, "embedding": [1, 0, 0, 0]}]}"#)),
        told(body(r#"{"data": [{"index": 7, "embedding": [1, 0, 0, 0]}, {"index": 1, "embedding": [1, 0, 0, 0]}]}"#)),
        told(body(r#"{"data": [{"index": 0, "embedding": [0, 0, 0, 0]}, {"index": 1, "embedding": [1, 0, 0, 0]}]}"#)),
        told(body(r#"{"data": "sk-test-Zq81mPw07sLk"}"#)),
        told(body("<html>welcome</html>")),
        told(|_| Answer::Status(401)),
        told(|_| Answer::Status(404)),
        told(|_| Answer::Status(500)),
        told(|n| if n < 3 { Answer::Status(429) } else { Answer::Shuffled(4) }),
        told(|_| Answer::Status(429)),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r#"
    the embedding service at URL/embeddings answered something else than embeddings: 1 vectors for 2 texts (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: 3 numbers, 4 before (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: index 1 for 2 texts (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: index 7 for 2 texts (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: vector 0 has length 0 (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: Data at line 1, column 31 (2 requests)
    the embedding service at URL/embeddings answered something else than embeddings: Syntax at line 1, column 1 (2 requests)
    the embedding service at URL/embeddings refused with status 401: check the key (2 requests)
    the embedding service at URL/embeddings refused with status 404: check the base URL and the model's name (2 requests)
    the embedding service at URL/embeddings refused with status 500: it has a problem of its own; try again later (4 requests)
    2 vectors after 4 requests
    the embedding service at URL/embeddings refused with status 429: it is limiting requests; try again later (4 requests)
    "#);
}

#[test]
fn a_service_that_is_silent_or_gone_is_waited_for_once() {
    let service = Service::start(|_, _| Answer::Silence);
    let wait = Duration::from_millis(300);
    let error = OpenAi::connect(&service.url, "m", Some(KEY.to_owned()), wait).unwrap_err();
    insta::assert_snapshot!(error.to_string().replace(&service.url, "URL"), @"the embedding service at URL/embeddings did not answer: timeout: global");
    assert_eq!(service.asked().len(), 1);
    // A port nobody listens on; what is secret in a URL is not repeated either.
    let gone = "http://me:Geheim77@127.0.0.1:9/v1?key=Geheim78";
    let choice = Choice::OpenAi { base_url: gone.into(), model: "m".into(), key: Some(KEY.into()), timeout: PATIENCE };
    let error = OpenAi::connect(gone, "m", Some(KEY.to_owned()), PATIENCE).unwrap_err();
    for shown in [format!("{choice:?}"), format!("{error:?}"), error.to_string()] {
        assert!(shown.contains("http://127.0.0.1:9/v1"), "{shown}");
        assert!(!shown.contains("Geheim") && !shown.contains(KEY), "{shown}");
    }
}

fn open(directory: &Path, embedding: Choice, read_only: bool) -> Engine {
    // The machine's own ids: one store is opened several times here.
    Engine::open(Config { embedding, read_only, ..Config::at(directory) }).unwrap()
}

fn model(service: &Service, name: &str) -> Choice {
    Choice::OpenAi { base_url: service.url.clone(), model: name.into(), key: None, timeout: PATIENCE }
}

/// Events enough for several batches.
const EVENTS: usize = 80;

fn record(engine: &Engine, events: usize) {
    for n in 0..events {
        let text =
            if n % 2 == 0 { format!("第{n}号供应商的报价") } else { format!("the quote of supplier {n}") };
        engine.observe(RawEvent::new(Scope::default(), Source::User, Kind::Note, text)).unwrap();
    }
}

/// What a question without one word in common finds: only by vectors.
fn by_meaning(engine: &Engine) -> usize {
    let recalled = engine.recall(&Query::new(Scope::default(), "reilppus", engine.now())).unwrap();
    recalled.hits.iter().filter(|hit| matches!(hit.found, Found::Event { .. })).count()
}

fn texts_asked(service: &Service, model: &str) -> usize {
    let asked = service.asked();
    asked
        .iter()
        .filter(|asked| asked.model == model && asked.texts != ["holdfast"])
        .map(|asked| asked.texts.len())
        .sum()
}

#[test]
fn another_model_takes_over_only_when_all_its_vectors_are_made() {
    let directory = tempfile::tempdir().unwrap();
    let service = Service::start(|asked, _| Answer::Vectors(if asked.model == "old" { 16 } else { 24 }));
    let engine = open(directory.path(), model(&service, "old"), false);
    record(&engine, EVENTS);
    engine.settle(|_| ()).unwrap();
    let found = by_meaning(&engine);
    assert!(found > 0);
    drop(engine);

    // The new model's service goes away after two batches.
    let flaky = Service::start(|asked, n| match n {
        0..3 => Answer::Vectors(if asked.model == "old" { 16 } else { 24 }),
        _ => Answer::Status(400),
    });
    let engine = open(directory.path(), model(&flaky, "new"), false);
    let status = engine.embedding_status().unwrap();
    assert_eq!(status.serving.as_ref().unwrap().name, "old");
    insta::assert_snapshot!(status.note.unwrap(), @"the store's vectors are of old (16-d) and the chosen model is new (24-d): run `holdfast reindex` to change over");
    // What is recorded meanwhile waits for the change, and does not begin it.
    record(&engine, 3);
    engine.settle(|_| ()).unwrap();
    assert_eq!(texts_asked(&flaky, "new"), 0);
    assert!(matches!(engine.reindex(|_| ()), Err(Error::Embedding(_))));
    assert_eq!(engine.embedding_status().unwrap().progress.done, 64);
    let reader = open(directory.path(), model(&service, "old"), true);
    assert_eq!(by_meaning(&reader), found, "the old vectors serve, and only they");
    engine.dump(&mut std::io::sink()).unwrap();
    drop(engine);

    let engine = open(directory.path(), model(&service, "new"), false);
    let mut seen = Vec::new();
    let progress = engine.reindex(|progress| seen.push(progress.done)).unwrap();
    assert_eq!((progress.done, progress.total), (83, 83));
    assert_eq!(seen, [64, 83], "what was made is not made again");
    assert_eq!(texts_asked(&service, "new"), 19);
    let status = engine.embedding_status().unwrap();
    assert_eq!((status.serving.unwrap().name.as_str(), status.note), ("new", None));
    assert!(by_meaning(&engine) > 0);
    // From here on, what is recorded gets its vectors by itself.
    record(&engine, 1);
    engine.settle(|_| ()).unwrap();
    assert_eq!(engine.status().unwrap().vectors, 84);
    // Whoever still has the old model is told, and searches by words.
    assert!(reader.embedding_status().unwrap().note.unwrap().contains("the chosen model is old"));
    assert_eq!(by_meaning(&reader), 0);

    let page = JournalPage { verb: Some(Verb::Reindex), limit: 10, ..JournalPage::default() };
    let journal = engine.journal(&Scope::default().owner, &page).unwrap();
    let lines: Vec<String> = journal
        .iter()
        .map(|entry| &entry.operation)
        .map(|o| format!("{}: {} → {}", o.actor, o.before.clone().unwrap_or_default(), o.after.clone().unwrap()))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"operator: {"model":{"name":"old","dimension":16}} → {"model":{"name":"new","dimension":24},"events":83}"#);
    engine.reindex(|_| ()).unwrap();
    assert_eq!(engine.journal(&Scope::default().owner, &page).unwrap().len(), 1, "nothing was to be done");
    engine.dump(&mut std::io::sink()).unwrap();
}

#[test]
fn without_a_model_search_is_by_words_and_the_status_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let damaged = directory.path().join("damaged.bin");
    std::fs::write(&damaged, b"not a model").unwrap();
    for (path, reason) in [(directory.path().join("gone.bin"), "is not at"), (damaged, "damaged.bin")] {
        let store = tempfile::tempdir().unwrap();
        let engine = open(store.path(), Choice::Builtin { candidates: vec![path] }, false);
        record(&engine, 4);
        engine.settle(|_| ()).unwrap();
        for question in ["供应商", "supplier"] {
            let recalled = engine.recall(&Query::new(Scope::default(), question, engine.now())).unwrap();
            assert!(!recalled.hits.is_empty(), "{question}");
            let said = recalled.explain.notes.iter().filter(|note| note.contains("lexical only")).count();
            assert_eq!(said, 1, "{:?}", recalled.explain.notes);
        }
        let note = engine.embedding_status().unwrap().note.unwrap();
        assert!(note.contains("search is lexical only") && note.contains(reason), "{note}");
        let refused = engine.reindex(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("nothing can be indexed again") && refused.contains(reason), "{refused}");
    }
}
