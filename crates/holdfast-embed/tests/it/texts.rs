//! Properties of `embed` and `tokenize` that callers lean on.

use proptest::prelude::*;

use crate::{cosine, embed, model, models};

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// `count` words that differ from one another.
fn words(count: usize) -> String {
    (0..count)
        .map(|i| {
            ["river", "stone", "lamp", "orchard", "mirror"][i % 5].to_owned() + if i % 3 == 0 { "s " } else { " " }
        })
        .collect()
}

#[test]
fn the_model_says_what_it_is() {
    let model = model();
    assert_eq!((model.id(), model.dimension()), ("e5-small-zh-en-q4", 384));
    assert!(model.embed(&[]).is_empty());
}

#[test]
fn a_model_can_be_shared_by_threads() {
    fn shareable<T: Send + Sync>(_: &T) {}
    let model = model();
    shareable(&model);
    let alone = embed(&model, "one text for all threads");
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| embed(&model, "one text for all threads"))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

#[test]
fn neighbours_in_a_batch_do_not_matter() {
    let long = words(450);
    let texts = [
        "",
        "short",
        "一句中文",
        &long,
        "😀",
        &words(100),
        "The end of the batch, which is a little longer than its start.",
    ];
    for model in models() {
        let together = model.embed(&texts);
        let again = model.embed(&texts);
        assert_eq!(together, again, "{:?} gives the same bytes each time", model.kernel());
        for (text, together) in texts.iter().zip(&together) {
            let alone = embed(&model, text);
            assert!(cosine(&alone.vector, &together.vector) > 1.0 - 1e-5, "{:?}: {text:?}", model.kernel());
            assert!((length(&alone.vector) - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn a_long_text_is_read_to_its_end() {
    let model = model();
    let body = words(4000);
    let plain = embed(&model, &body);
    let with_end = embed(&model, &format!("{body}The wedding is in Lisbon on the second of June."));
    assert!(plain.tokens >= 5000, "{} tokens", plain.tokens);
    assert!(plain.windows >= 10, "{} windows", plain.windows);
    let cosine = cosine(&plain.vector, &with_end.vector);
    assert!(cosine < 0.9999, "the last sentence changes the vector: cosine {cosine}");
}

#[test]
fn windows_begin_where_one_sequence_ends() {
    let model = model();
    let texts: Vec<String> = (500..516).map(|count| "river ".repeat(count)).collect();
    for text in &texts {
        let embedding = embed(&model, text);
        assert_eq!(embedding.windows == 1, embedding.tokens <= 512, "{} tokens", embedding.tokens);
        assert_eq!(embedding.tokens, model.tokenize(text).len());
    }
}

#[test]
fn text_outside_the_vocabulary_is_counted() {
    let model = model();
    assert_eq!(embed(&model, "Ana lives in Lima. 安娜住在利马。").unknown, 0);
    assert_eq!(embed(&model, "a 𓀀𓂀𓀀 b 𓀀 c").unknown, 2, "a run counts once");
    // Many scripts are known letter by letter, so this does not look as bad as it is.
    let korean = embed(&model, "안녕하세요 세계");
    assert_eq!((korean.unknown, korean.tokens), (2, 13));
}

#[test]
fn similar_meanings_are_close_within_and_across_languages() {
    let model = model();
    let vectors = model.embed(&[
        "他对花生过敏，不能吃任何含花生的东西",
        "He is allergic to peanuts and cannot eat anything that contains them",
        "The production server was moved to a new data centre",
        "生产服务器搬到了新的机房",
    ]);
    let close = |a: usize, b: usize| cosine(&vectors[a].vector, &vectors[b].vector);
    assert!(close(0, 1) > close(0, 2) && close(0, 1) > close(0, 3), "peanuts");
    assert!(close(2, 3) > close(2, 0) && close(2, 3) > close(2, 1), "server");
}

#[test]
fn any_text_can_be_tokenized() {
    let model = model();
    proptest!(ProptestConfig::with_cases(1000), |(text in any::<Vec<char>>())| {
        let text: String = text.into_iter().collect();
        let ids = model.tokenize(&text);
        prop_assert!(ids.len() >= 4 && ids.len() <= text.chars().count() * 20 + 5, "{} ids", ids.len());
        prop_assert!(ids.iter().all(|id| *id < 65_270));
    });
}
