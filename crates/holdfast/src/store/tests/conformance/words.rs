//! What is found by words, and the lean view of it.

use super::*;

pub(crate) fn odd_text_is_kept_and_found(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let huge = "汉".repeat(CONTENT_BYTES_MAX / 3);
    let texts = [
        "👨\u{200d}👩\u{200d}👧",
        "שלום عليكم",
        "\u{202e}evil",
        "c++",
        "a\"b",
        "O'Hara",
        "e\u{301}",
        "..",
        "_",
        "𠮷野家",
        "\u{feff}bom",
        "ß",
        "İ",
        "null",
        "row",
        &huge,
    ];
    for text in texts {
        let (seq, event) = say(store, &env, &me, "s", text);
        assert_eq!(store.body(&me, seq).expect("a read").as_deref(), Some(text));
        let stored = store.event(&me, event).expect("a read").expect("the event");
        assert_eq!(stored.event.content, text);
        if text.len() < 1_000 {
            let word = text.to_lowercase();
            assert!(found(store, &me, &word, &Filter::default()).contains(&seq.0), "{text:?}");
        }
    }
}

pub(crate) fn odd_terms_neither_break_nor_widen_a_search(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    for text in ["or", "not", "near", "plain word", "\" * ( ^ - + : { }", "line\none\ttwo\u{c}three"] {
        say(store, &env, &me, "s", text);
    }
    let check = |term: &str, expected: &[i64]| {
        let lexical = store.lexical(&me, &[term.to_owned()], &Filter::default(), 99).expect(term);
        let rows: Vec<i64> = lexical.rows.iter().map(|(seq, _)| seq.0).collect();
        assert_eq!(rows, expected, "{term:?}");
        assert_eq!(lexical.term_rows, [expected.len() as u64], "{term:?}");
    };
    check("or", &[1]);
    // Terms are compared as they are: `text` has folded both sides.
    check("OR", &[]);
    check("near", &[3]);
    for sign in ["\"", "*", "(", "^", "-", "+", ":", "{", "}"] {
        check(sign, &[5]);
    }
    for nothing in [
        "",
        " ",
        "\"\"",
        "p*",
        "terms:plain",
        "plain word",
        "plain OR word",
        "NEAR(plain word)",
        "NOT",
        "wor",
        "ord",
        "\0",
        "word\0",
        "'",
        "%",
        "_",
        "%%",
        "\n",
        "?1",
        ")",
        "\" OR \"",
    ] {
        check(nothing, &[]);
    }
    for word in ["one", "two", "three", "line"] {
        check(word, &[6]);
    }
    // None, too many, and the same again.
    let none = store.lexical(&me, &[], &Filter::default(), 9).expect("a search");
    assert_eq!((none.rows.len(), none.total_rows), (0, 6));
    let many: Vec<String> = (0..500).map(|n| format!("w{n}")).chain([String::from("word")]).collect();
    let many = store.lexical(&me, &many, &Filter::default(), 9).expect("a search");
    assert_eq!(many.used.len(), 501);
    assert_eq!(found(store, &me, "word word word", &Filter::default()), [4]);
}

pub(crate) fn an_absent_word_finds_nothing(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    say(store, &env, &me, "s", "口令 口 令");
    say(store, &env, &owner("you"), "s", "密码");
    assert_eq!(found(store, &me, "密码", &Filter::default()), Vec::<i64>::new());
    assert_eq!(found(store, &me, "密", &Filter::default()), Vec::<i64>::new());
    assert_eq!(found(store, &me, "口", &Filter::default()), [1]);
    assert_eq!(found(store, &owner("nobody"), "口", &Filter::default()), Vec::<i64>::new());
    let lexical = store.lexical(&me, &terms("密码 口令"), &Filter::default(), 9).expect("a search");
    assert_eq!((lexical.term_rows, lexical.used, lexical.total_rows), (vec![0, 1], vec![false, true], 1));
}

pub(crate) fn a_word_is_found_from_when_it_is_said(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    // Somebody of whom there is an operation but no event yet.
    let operation = samples::operation(&env, &me, Verb::Reindex, Target::Store);
    let change = ChangeSet { owner: me.clone(), operations: vec![operation], ..ChangeSet::default() };
    store.commit(change).expect("a commit");
    for said in 0..4 {
        let before: Vec<i64> = (1..=said).collect();
        for word in ["网关", "gateway"] {
            assert_eq!(found(store, &me, word, &Filter::default()), before, "{word} after {said}");
        }
        say(store, &env, &me, "s", "网关 gateway");
    }
}

pub(crate) fn traits_are_the_lean_view(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let new = samples::event(&env, &me, "s", "Some Words");
    let event = new.event.clone();
    store.commit(samples::change(&env, &me, vec![new])).expect("a commit");
    let traits = store.traits(&me, &[Seq(3), Seq(1), Seq(1)]).expect("a read");
    assert_eq!(traits.len(), 1);
    let only = &traits[0];
    assert_eq!((only.seq, only.id, only.terms.as_str()), (Seq(1), event.id, "some words"));
    assert_eq!((only.source, only.kind, &only.session), (event.source, event.kind, &event.scope.session));
    let whole = event.occurred_at.datetime();
    assert_eq!(only.local_time.date(), whole.date());
}
