//! A log that outgrows a segment of the lexical index, through the engine and at its real size.

use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Found, Query};
use holdfast::types::scope::Scope;

use super::engine;

#[test]
fn old_and_new_words_are_found_in_a_long_log() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    let notes: Vec<RawEvent> = (0..4_300)
        .map(|n| {
            let text = match n {
                5 => "仓库的备用钥匙在传达室的蓝色抽屉里".to_owned(),
                4_096 => "The spare generator is in shed nineteen".to_owned(),
                4_250 => "蓝莓农场的合同放在三号柜".to_owned(),
                _ => format!("entry {n}: ok"),
            };
            RawEvent::new(Scope::default(), Source::System, Kind::Note, text)
        })
        .collect();
    for batch in notes.chunks(1_000) {
        let results = engine.observe_many(batch.iter().map(|note| (note.clone(), None)).collect()).unwrap();
        assert!(results.iter().all(Result::is_ok));
    }
    for (question, expected) in [
        ("备用钥匙在哪", "传达室"),
        ("where is the spare generator", "shed nineteen"),
        ("蓝莓农场的合同在哪里", "三号柜"),
        ("entry 4095", "entry 4095"),
        ("entry 4097", "entry 4097"),
    ] {
        let recalled = engine.recall(&Query::new(Scope::default(), question.to_owned(), engine.now())).unwrap();
        let first = recalled.hits.first().map(|hit| &hit.found);
        let Some(Found::Event { event, .. }) = first else { panic!("{question}: {first:?}") };
        assert!(event.event.content.contains(expected), "{question}: {}", event.event.content);
    }
    let mut dump = Vec::new();
    engine.dump(&mut dump).unwrap();
}
