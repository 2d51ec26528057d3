//! Folding, terms, sentences and extracts by the case; what must hold for any text; and what it costs.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

fn indexed(text: &str) -> String {
    index_terms(text).join(" ")
}

fn strong(text: &str) -> String {
    let strong = query_terms(text).into_iter().filter(|term| term.strength == Strength::Strong);
    strong.map(|term| term.text).collect::<Vec<_>>().join(" ")
}

/// Whether a query finds a document: any strong term of the query is a term of the document.
fn finds(query: &str, document: &str) -> bool {
    let terms = term_set(document);
    query_terms(query).iter().any(|term| term.strength == Strength::Strong && terms.contains(&term.text))
}

#[track_caller]
fn check_finds(query: &str, documents: &[&str]) {
    for document in documents {
        assert!(finds(query, document), "{query:?} must find {document:?}: {} in {}", strong(query), indexed(document));
    }
}

#[track_caller]
fn check_misses(query: &str, documents: &[&str]) {
    for document in documents {
        assert!(!finds(query, document), "{query:?} must not find {document:?}: {}", strong(query));
    }
}

#[test]
fn what_a_text_is_indexed_under() {
    assert_eq!(indexed("Running the Tests"), "run the test");
    assert_eq!(indexed("喝咖啡"), "喝 喝咖 咖 咖啡 啡");
    assert_eq!(indexed("用Rust写的网关"), "用 rust 写 写的 的 的网 网 网关 关");
    assert_eq!(indexed("report_v2.pdf"), "report v2 pdf reportːv2 reportːv2ːpdf v2ːpdf");
    assert_eq!(indexed("3.2%"), "3 2 3ː2");
    assert_eq!(indexed("3月5号"), "3 3月 月 5 5号 号");
    assert_eq!(indexed("C++ and C#"), "cpp and csharp");
    assert_eq!(indexed("getUserName"), "getusernam get user name");
    assert_eq!(indexed("1,200 items, 300 left"), "1 200 1200 1ː200 item 300 left");
    assert_eq!(indexed("👍🏽 !!! — \u{200D}"), "");
    assert_eq!(indexed("don't e-mail Ana's café"), "don t dont donːt e mail email eːmail ana s ana anaːs cafe");
    assert_eq!(indexed("東京タワー"), "东 东京 京 京タ タ タワ ワ ワー ー");
}

#[test]
fn what_a_query_asks_for() {
    assert_eq!(strong("我的猫叫什么"), "猫");
    assert_eq!(strong("项目截止日期是什么时候？"), "项目 目截 截止 止日 日期");
    assert_eq!(strong("用Rust写的网关"), "rust 网关");
    assert_eq!(strong("When did we deploy report_v2.pdf?"), "deploy reportːv2ːpdf");
    assert_eq!(strong("long-running agents"), "longːrunning longrun long run agent");
    assert_eq!(strong("v1.2.3"), "v1ː2ː3");
    assert_eq!(strong("what is it?"), "");
    assert_eq!(strong("是什么"), "");
    assert_eq!(strong("目的地在哪里"), "目的 的地");
}

#[test]
fn one_and_two_character_words_are_found() {
    check_finds("猫", &["养了一只猫", "猫很乖"]);
    check_finds("我的猫呢", &["养了一只猫"]);
    check_finds("租房", &["想在附近租房子"]);
    check_finds("咖啡", &["每天喝一杯咖啡。"]);
    check_finds("网关", &["用Rust写的網關", "用Rust写的网关"]);
    check_finds("ＲＵＳＴ", &["用Rust写的网关"]);
    check_finds("頭髮", &["头发剪短了"]);
    check_finds("カメラ", &["新しいカメラを買った"]);
    check_finds("회의", &["내일 회의는 3시"]);
    check_finds("口令", &["开门口令写在白板上"]);
}

#[test]
fn an_absent_word_finds_nothing() {
    let documents = ["每天喝一杯咖啡", "啡色的杯子，咖喱饭", "报告交给李雷", "budget report for Q3"];
    check_misses("咖杯", &documents);
    check_misses("茶叶", &documents);
    check_misses("zeppelin", &documents);
    check_misses("report_v9.pdf", &documents);
    check_misses("什么时候", &documents);
    check_misses("the of what", &documents);
    check_misses("\"' OR * NEAR( ）👍 -- ^", &documents);
}

#[test]
fn identifiers_are_found_whole_and_by_parts() {
    check_finds("report_v2.pdf", &["see docs/report_v2.pdf", "见（report_v2.pdf）"]);
    check_finds("pdf", &["see docs/report_v2.pdf"]);
    check_finds("report_v2", &["see docs/report_v2.pdf"]);
    check_finds("user-42", &["assigned to user-42.", "user_42"]);
    check_finds("v1.2.3", &["released v1.2.3"]);
    check_finds("1.2.3", &["released v1.2.3"]);
    check_misses("1.2.4", &["released v1.2.3"]);
    check_finds("C++", &["写C++的人", "c++11"]);
    check_misses("C++", &["vitamin C", "C#"]);
    check_finds("3.2%", &["增长3.2%", "grew by 3.2 %"]);
    check_misses("3.2%", &["增长32%", "3 of 2"]);
    check_finds("2026-11-30", &["due 2026/11/30", "2026-11-30T10:00:00+08:00", "截止2026.11.30。"]);
    check_finds("2026-11", &["due 2026/11/30"]);
    check_finds("1200", &["总价1,200元"]);
    check_finds("1,200", &["costs 1200"]);
    check_finds("3月", &["3月5日交"]);
    check_misses("3月", &["13月5日"]);
    check_finds("src/store/mod.rs", &["edited crates/holdfast/src/store/mod.rs"]);
    check_finds("mod.rs", &["edited crates/holdfast/src/store/mod.rs"]);
    check_finds("bob@example.com", &["mail bob@example.com!"]);
    check_finds("user name", &["fn getUserName()"]);
    check_finds("email", &["send an e-mail", "Email me"]);
    check_finds("e-mail", &["email me"]);
    check_finds("订单A-1024", &["订单A-1024已发货"]);
}

#[test]
fn words_are_found_in_other_forms() {
    check_finds("deploying", &["deployed on Monday"]);
    check_finds("cafe", &["the Café closed"]);
    check_finds("Ana’s", &["Ana moved"]);
    check_finds("DEADLINES", &["the deadline is near"]);
}

#[test]
fn sqlite_takes_every_term_whole() {
    let texts = [
        "用Rust写的网关 report_v2.pdf 3.2% 2026-11-30 C++ 東京タワー café naïve Ünïcode Ελληνικά русский العربية",
        "내일 회의는 3시 getUserName user-42 v1.2.3 don't 1,200 bob@example.com ２０２６年 ㎏ ½ ① 〇 々 İstanbul ß",
        "\"quoted\" OR NOT (x:y) ^* 👍 A\u{0}B tab\there",
    ];
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(
        "CREATE VIRTUAL TABLE doc USING fts5(seg, tokenize = 'unicode61');
         CREATE VIRTUAL TABLE vocabulary USING fts5vocab(doc, row);",
    )
    .unwrap();
    for text in texts {
        db.execute("DELETE FROM doc", ()).unwrap();
        let terms = term_set(text);
        db.execute("INSERT INTO doc(seg) VALUES (?1)", [indexed(text)]).unwrap();
        let mut rows = db.prepare("SELECT term FROM vocabulary").unwrap();
        let stored: BTreeSet<String> = rows.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(stored, terms);
        for term in query_terms(text) {
            let found: i64 = db
                .query_row("SELECT count(*) FROM doc WHERE doc MATCH ?1", [format!("\"{}\"", term.text)], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(found, 1, "{}", term.text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]
    #[test]
    fn terms_are_letters_and_digits_and_a_text_finds_itself(text in "(\\PC|[a-zA-Z0-9 ._/,'-]|[的猫网关用什么]){0,30}") {
        let index = term_set(&text);
        for term in &index {
            prop_assert!(!term.is_empty());
            prop_assert!(term.chars().all(|c| c.is_alphanumeric()), "{:?}", term);
        }
        for term in query_terms(&text) {
            prop_assert!(index.contains(&term.text), "{:?} of {:?} is not indexed", term, text);
        }
    }

    #[test]
    fn sentences_cover_all_ink_in_order(text in "(\\PC|[a-z .!?。！？；，\n\"」1.]){0,60}") {
        let mut end = 0;
        for range in sentences(&text) {
            prop_assert!(range.start >= end && !range.is_empty());
            prop_assert!(text[end..range.start].trim().is_empty());
            prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
            end = range.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }

    #[test]
    fn json_and_extracts_never_panic(text in "([\\[\\]{}\",:\\\\ntrue0-9. 中u]|\\PC){0,60}", budget in 0usize..40) {
        let _ = json_leaves(&text);
        prop_assert!(extract(&text, budget, &["中", "1"]).chars().count() <= budget);
        let chosen = core_sentences(&text, budget, &["中"]);
        prop_assert!(chosen.iter().map(|range| text[range.clone()].chars().count()).sum::<usize>() <= budget);
    }
}

#[track_caller]
fn check_sentences(text: &str, expected: &[&str]) {
    let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
    assert_eq!(found, expected);
}

#[test]
fn sentences_end_where_a_reader_stops() {
    check_sentences("今天开会。「好的！」他说。然后呢？", &["今天开会。", "「好的！」", "他说。", "然后呢？"]);
    check_sentences(
        "It grew 3.2% in v1.2. Dr. Smith agreed, e.g. on U.S. sales. Done!",
        &["It grew 3.2% in v1.2.", "Dr. Smith agreed, e.g. on U.S. sales.", "Done!"],
    );
    check_sentences("部署完成.接下来写报告!OK?", &["部署完成.", "接下来写报告!OK?"]);
    check_sentences(
        "步骤：\n1. 先写结论\n2. 再做表\n\n- done: a.b != c\n",
        &["步骤：", "1. 先写结论", "2. 再做表", "- done: a.b != c"],
    );
    check_sentences("{\"a\": 1}\n{\"b\": \"x. y\"}", &["{\"a\": 1}", "{\"b\": \"x.", "y\"}"]);
    check_sentences("Wait... really?! Yes… 好……吧", &["Wait...", "really?!", "Yes…", "好……", "吧"]);
    check_sentences(
        "The quick brown fox jumps over the lazy dog and runs\naway from it.\nNext line",
        &["The quick brown fox jumps over the lazy dog and runs\naway from it.", "Next line"],
    );
    check_sentences("  \n\t ", &[]);
}

#[test]
fn a_wall_of_text_is_cut() {
    let wall = "数据，".repeat(2000);
    let found = sentences(&wall);
    assert!(found.len() > 10 && found.iter().all(|range| range.len() <= 1200));
}

#[test]
fn the_core_of_prose_is_what_later_steps_need() {
    let text = "好的，我来看一下。大家辛苦了。第三季度收入为1,240万元，同比增长3.2%。天气不错。结论：必须在12月5日前交给王芳。谢谢！";
    let core = extract(text, 60, &[]);
    assert_eq!(core, "第三季度收入为1,240万元，同比增长3.2%。 … 结论：必须在12月5日前交给王芳。");
    let core = extract("Hello there. The weather was fine. The cache key is `user:42`. We had lunch.", 40, &["cache"]);
    assert_eq!(core, "The cache key is `user:42`.");
    assert_eq!(extract("短", 10, &[]), "短");
}

#[test]
fn the_core_of_json_is_its_leaves() {
    let text = r#"{"order": {"id": "A-1024", "status": "shipped", "trace_id": "zz", "lines": [{"sku": "x", "qty": 2}, {"sku": "y", "note": null}]}}"#;
    assert_eq!(
        json_leaves(text).unwrap(),
        [
            ("order.id".to_owned(), "A-1024".to_owned()),
            ("order.status".to_owned(), "shipped".to_owned()),
            ("order.trace_id".to_owned(), "zz".to_owned()),
            ("order.lines[0].sku".to_owned(), "x".to_owned()),
            ("order.lines[0].qty".to_owned(), "2".to_owned()),
            ("order.lines[1].sku".to_owned(), "y".to_owned()),
        ]
    );
    assert_eq!(extract(text, 40, &["A-1024"]), "order.id: A-1024\norder.status: shipped");
    let cut = &text[..80];
    assert_eq!(json_leaves(cut).unwrap().len(), 3);
    assert_eq!(json_leaves("{\"a\":1}\n{\"a\":2}").unwrap()[1], ("[1].a".to_owned(), "2".to_owned()));
    assert_eq!(json_leaves("```json\n{\"a\": \"\\u4e2d\\ud83d\\ude00\\n\"}\n```").unwrap()[0].1, "中😀");
    for not_json in ["hello", "[note] 明天开会", "[1] see below", "{name} is a placeholder", "{}", ""] {
        assert_eq!(json_leaves(not_json), None, "{not_json}");
    }
    let deep = "[".repeat(500_000);
    assert_eq!(json_leaves(&deep), None);
    let wide = format!("[{}]", "1,".repeat(400_000));
    assert_eq!(json_leaves(&wide).unwrap().len(), 2000);
}

/// Prose of both languages, code and data.
fn corpus() -> Vec<(&'static str, String)> {
    let json = serde_json::json!({"orders": [{"id": "A-1024-77Q", "amount": 1299.5, "at": "2026-11-30T10:00:00+08:00",
        "items": [{"sku": "SN-138-0013-8000", "qty": 2}, {"sku": "b7f3a9c2e1", "qty": 11}], "paid": true, "note": null}]});
    vec![
        ("zh prose", "第三季度收入为1,240万元，同比增长3.2%。我们决定在下周三之前完成报告，并交给王芳审核；如有问题请及时联系。记忆引擎的目标是让智能体在长任务中不丢失早期约束，不重复已经完成的步骤。".repeat(3)),
        ("en prose", "The committee decided last Friday that the migration should be postponed until the new indexing pipeline has been verified end to end. Nobody objected, although Katharina worried about the deadline.".repeat(3)),
        ("json", json.to_string()),
        ("code", "fn append(&self, event: &Event) -> Result<Seq, Error> {\n    let seq = self.next_seq.fetch_add(1, Ordering::SeqCst);\n    if event.content.len() > CONTENT_BYTES_MAX {\n        return Err(Error::TooLarge { bytes: event.content.len() });\n    }\n    Ok(Seq(seq as i64))\n}\n".to_owned()),
        ("table", "| 名称 | 数量 | 单价 |\n|---|---:|---:|\n| 苹果 | 12 | 3.50 |\n| banana | 7 | 1.25 |\n".to_owned()),
        ("log", "2026-11-30T10:00:00.123Z ERROR holdfast::store: commit failed (seq=42): database is locked [5]\n".repeat(4)),
    ]
}

#[test]
fn a_tokenizer_is_found_by_its_name() {
    assert_eq!(Tokenizer::from_name("cl100k_base"), Some(Tokenizer::Cl100kBase));
    assert_eq!(Tokenizer::from_name("gpt2"), None);
}

/// Chunking gives the very number that the tokenizer gives for the whole, where lines or words allow a natural cut.
#[test]
fn chunked_counts_are_exact_on_text_with_words() {
    let tables = tiktoken_rs::o200k_base().unwrap();
    for (name, text) in corpus().into_iter().filter(|(name, _)| !["zh prose", "json"].contains(name)) {
        let long = format!("{text}\n").repeat(60_000 / text.len());
        let whole = tables.encode_ordinary(&long).len();
        assert_eq!(Tokenizer::O200kBase.count(&long), whole, "{name}");
    }
    let zh = corpus()[0].1.repeat(100);
    let whole = tables.encode_ordinary(&zh).len();
    assert!(Tokenizer::O200kBase.count(&zh) >= whole);
}

#[test]
fn a_megabyte_of_anything_is_counted() {
    for unit in ["a", " ", "\n", " \n", "\t", "中", "。", "👍", "1", "-", "aA", "e\u{301}", "\u{0}", " a", "'s"] {
        let text = unit.repeat(1024 * 1024 / unit.len());
        let tokens = Tokenizer::O200kBase.count(&text);
        assert!(tokens > 0 && tokens <= 2 * text.len(), "{unit:?}");
    }
}

#[test]
fn a_long_run_of_anything_is_tokenised() {
    for unit in ["a", ".", "a.", "a/", "中", "中a", "1,", "aA", "的", "C++", "\"", "{\"a\":", "a b. ", "？", "猫是"]
    {
        let text = unit.repeat(100_000 / unit.len());
        index_terms(&text);
        query_terms(&text);
        sentences(&text);
        extract(&text, 200, &["a"]);
    }
}

/// Run by hand: `cargo test --release -p holdfast text -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_of_text() {
    type Verb = fn(&str) -> usize;
    let verbs: [(&str, Verb); 6] = [
        ("fold", |text| fold(text).len()),
        ("index_terms", |text| index_terms(text).len()),
        ("query_terms", |text| query_terms(text).len()),
        ("sentences", |text| sentences(text).len()),
        ("extract 200", |text| extract(text, 200, &["报告", "report"]).len()),
        ("count", |text| Tokenizer::O200kBase.count(text)),
    ];
    let texts = corpus().into_iter().filter(|(name, _)| ["zh prose", "en prose", "json"].contains(name));
    let texts: Vec<String> = texts.map(|(_, text)| text).collect();
    for (name, verb) in verbs {
        let costs: Vec<String> = texts
            .iter()
            .map(|text| {
                verb(text);
                let started = std::time::Instant::now();
                for _ in 0..2000 {
                    std::hint::black_box(verb(std::hint::black_box(text)));
                }
                format!("{:8.2} µs/kB", started.elapsed().as_secs_f64() * 1e6 / 2000.0 / (text.len() as f64 / 1000.0))
            })
            .collect();
        println!("{name:>15} zh {} en {} json {}", costs[0], costs[1], costs[2]);
    }
    let long = texts[0].repeat((1 << 20) / texts[0].len());
    for (name, verb) in verbs {
        let started = std::time::Instant::now();
        verb(&long);
        println!("{name:>15} {:8.1} ms for 1 MiB", started.elapsed().as_secs_f64() * 1e3);
    }
}

/// As above for every character there is: what Rust calls alphabetic includes marks and signs that `unicode61` splits at.
#[test]
fn no_character_splits_a_term() {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(
        "CREATE VIRTUAL TABLE doc USING fts5(seg, tokenize = 'unicode61 remove_diacritics 0');
         CREATE VIRTUAL TABLE vocabulary USING fts5vocab(doc, row);",
    )
    .unwrap();
    let terms: BTreeSet<String> = ('\0'..='\u{3FFFF}').flat_map(|c| index_terms(&format!("a{c}b"))).collect();
    let document = terms.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    db.execute("INSERT INTO doc(seg) VALUES (?1)", [document]).unwrap();
    let mut rows = db.prepare("SELECT term FROM vocabulary").unwrap();
    let stored: BTreeSet<String> = rows.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let lost: Vec<&String> = terms.difference(&stored).collect();
    assert!(
        lost.is_empty(),
        "{} of {}, such as {:?}",
        lost.len(),
        terms.len(),
        lost.iter().step_by(1 + lost.len() / 60).collect::<Vec<_>>()
    );
    check_finds("हिन्दी", &["मुझे हिन्दी आती है"]);
    check_finds("ภาษา", &["ภาษา ไทย"]);
}
