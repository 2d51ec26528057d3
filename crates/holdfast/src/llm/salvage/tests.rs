//! A corpus of replies as models give them, each with what must be kept and what must be said of the rest; then properties.

use std::time::Instant;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Item {
    /// What was learned.
    c: String,
    /// From which event.
    s: u64,
}

/// `kept` is `content@source` for each item; `dropped` is the beginning of each reason.
#[track_caller]
fn check(reply: &str, kept: &[&str], dropped: &[&str]) {
    check_cut(reply, kept, dropped, false);
}

#[track_caller]
fn cut(reply: &str, kept: &[&str], dropped: &[&str]) {
    check_cut(reply, kept, dropped, true);
}

#[track_caller]
fn check_cut(reply: &str, kept: &[&str], dropped: &[&str], truncated: bool) {
    let salvaged = salvage::<Item>(reply, "m");
    let found: Vec<String> = salvaged.kept.iter().map(|item| format!("{}@{}", item.c, item.s)).collect();
    let reasons: Vec<&str> = salvaged.dropped.iter().map(|dropped| dropped.why.as_str()).collect();
    assert_eq!(found, kept, "kept of {reply}\ndropped: {reasons:?}");
    let as_told =
        reasons.len() == dropped.len() && reasons.iter().zip(dropped).all(|(why, told)| why.starts_with(told));
    assert!(as_told, "dropped of {reply}\n is {reasons:?}\nnot {dropped:?}");
    assert_eq!(salvaged.truncated, truncated, "truncated: {reply}");
    assert!(salvaged.dropped.iter().all(|dropped| dropped.at <= reply.len()));
}

// ------------------------------------------------------------------------------------------------------------------- the form

#[test]
fn what_was_asked_for_is_taken_as_it_is() {
    let reply = r#"{"m": [{"c": "周报先写结论", "s": 1}, {"c": "no pie charts", "s": 2}]}"#;
    check(reply, &["周报先写结论@1", "no pie charts@2"], &[]);
    assert!(!salvage::<Item>(reply, "m").mended);
    check(r#"{"m": []}"#, &[], &[]);
    check("{}", &[], &[]);
    check("[]", &[], &[]);
    check(r#"{"m": null}"#, &[], &[]);
}

#[test]
fn a_list_and_a_single_item_will_do() {
    check(r#"[{"c": "a", "s": 1}, {"c": "b", "s": 2}]"#, &["a@1", "b@2"], &[]);
    check(r#"{"c": "会议改到周四", "s": 1}"#, &["会议改到周四@1"], &[]);
    check(r#"{"m": {"c": "a", "s": 1}}"#, &["a@1"], &[]);
    check(r#"{"result": {"m": [{"c": "a", "s": 1}]}, "note": "done"}"#, &["a@1"], &[]);
    check(r#"[{"m": [{"c": "a", "s": 1}]}]"#, &["a@1"], &[]);
    check(r#""{\"m\": [{\"c\": \"a\", \"s\": 1}]}""#, &["a@1"], &[]);
}

#[test]
fn fences_and_prose_around_it() {
    check("```json\n{\"m\": [{\"c\": \"a\", \"s\": 1}]}\n```", &["a@1"], &[]);
    check("```\n[{\"c\": \"a\", \"s\": 1}]\n```\nThat's it [1]. Use {name} as you like.", &["a@1"], &[]);
    check(
        "好的，以下是结果：\n\n```json\n{\"m\": [{\"c\": \"先写结论\", \"s\": 3}]}\n```\n如有需要请告诉我！",
        &["先写结论@3"],
        &[],
    );
    check("Sure! Here are [the things] I found: {\"m\": [{\"c\": \"a\", \"s\": 1}]} Hope that helps :)", &["a@1"], &[]);
    check("~~~json5\n{m: [{c: 'a', s: 1}]}\n~~~", &["a@1"], &[]);
    check("I found nothing worth remembering.", &[], &[]);
    check("没有值得记住的内容。", &[], &[]);
    check("", &[], &[]);
    check("   \n\t ", &[], &[]);
    cut("{", &[], &["breaks off"]);
}

#[test]
fn thoughts_are_no_answer() {
    check("<think>maybe {\"c\": \"draft\", \"s\": 9}</think>\n{\"m\": [{\"c\": \"a\", \"s\": 1}]}", &["a@1"], &[]);
    check(
        "<think>也许 {\"m\": [{\"c\": \"草稿\", \"s\": 9}, </think>{\"m\": [{\"c\": \"a\", \"s\": 1}]}",
        &["a@1"],
        &[],
    );
    check(
        "the beginning was in the prompt {\"c\": \"draft\", \"s\": 9}</think>[{\"c\": \"a\", \"s\": 1}]",
        &["a@1"],
        &[],
    );
    check("hm {\"c\": \"say \"x\": y</think>{\"m\": [{\"c\": \"a\", \"s\": 1}]}", &["a@1"], &[]);
    check("[THINK]{\"c\": \"draft\", \"s\": 9}[/THINK]{\"c\": \"a\", \"s\": 1}", &["a@1"], &[]);
    cut("<think>hm, {\"c\": \"draft\", \"s\": 9} or", &[], &["the reply breaks off in the model's thoughts"]);
    // Within a string it is what someone said.
    check(r#"{"m": [{"c": "uses <think> and </think>", "s": 1}]}"#, &["uses <think> and </think>@1"], &[]);
}

#[test]
fn several_values_are_read_one_by_one() {
    check("{\"c\": \"a\", \"s\": 1}\n{\"c\": \"b\", \"s\": 2}", &["a@1", "b@2"], &[]);
    check("{\"m\": [{\"c\": \"a\", \"s\": 1}]}{\"m\": [{\"c\": \"b\", \"s\": 2}]}", &["a@1", "b@2"], &[]);
    check("[{\"c\": \"a\", \"s\": 1}] and then [{\"c\": \"a\", \"s\": 1}]", &["a@1"], &["the same again"]);
    check("{\"m\": [{\"c\": \"a\", \"s\": 1}], \"m\": [{\"c\": \"b\", \"s\": 2}]}", &["a@1", "b@2"], &[]);
}

// --------------------------------------------------------------------------------------------------------------- almost JSON

#[test]
fn commas_and_comments() {
    check(r#"{"m": [{"c": "a", "s": 1,}, {"c": "b", "s": 2},],}"#, &["a@1", "b@2"], &[]);
    check(r#"{"m": [{"c": "a" ,, "s": 1}{"c": "b", "s": 2}]}"#, &["a@1", "b@2"], &[]);
    check("{\"m\": [{\"c\": \"a\"\n \"s\": 1}\n {\"c\": \"b\"\n \"s\": 2}]}", &["a@1", "b@2"], &[]);
    check(
        "{\"m\": [ // the first\n {\"c\": \"a\", /* why? */ \"s\": 1}, # 第二条\n {\"c\": \"b\", \"s\": 2} // }\n]}",
        &["a@1", "b@2"],
        &[],
    );
    check(r#"{"m": [{"c": "see http://x.y/#z // no comment", "s": 1}]}"#, &["see http://x.y/#z // no comment@1"], &[]);
    check("[{\"c\": \"a\", \"s\": 1}, ...]", &["a@1"], &["not JSON: ..."]);
    check("[{\"c\": \"a\", \"s\": 1}, … 等等, {\"c\": \"b\", \"s\": 2}]", &["a@1", "b@2"], &["not JSON: … 等等"]);
}

#[test]
fn quotes_of_all_kinds() {
    check("{'m': [{'c': 'a', 's': 1}]}", &["a@1"], &[]);
    check("{'m': [{'c': 'it's fine, isn't it', 's': 1}]}", &["it's fine, isn't it@1"], &[]);
    check("{m: [{c: \"a\", s: 1}]}", &["a@1"], &[]);
    check("{“m”：［｛“c”：“周报先写结论”，“s”：1｝］｝", &["周报先写结论@1"], &[]);
    check("{“m”: [{“c”: “他说“好的””, “s”: 1}]}", &["他说“好的”@1"], &[]);
    check("{「m」：[{「c」：「退货率是2.8%」，「s」：1}]}", &["退货率是2.8%@1"], &[]);
    check("{\"m\"：[{\"c\"：\"用PDF，不用Word\"，\"s\"：1}]}", &["用PDF，不用Word@1"], &[]);
    check(r#"{"m": [{"c": "他说"好的"就行", "s": 1}]}"#, &["他说\"好的\"就行@1"], &[]);
    check(r#"{"m": [{"c": "他说"好的"", "s": 1}]}"#, &["他说\"好的\"@1"], &[]);
    check(r#"{"m": [{"c": "喜欢"简洁"，不要啰嗦", "s": 1}]}"#, &["喜欢\"简洁\"，不要啰嗦@1"], &[]);
    check("{\"m\": [{\"c\": \"first line\nsecond line\", \"s\": 1}]}", &["first line\nsecond line@1"], &[]);
    check("{\"m\": [{\"c\": \"tab\there\", \"s\": 1}]}", &["tab\there@1"], &[]);
}

#[test]
fn escapes() {
    check(r#"[{"c": "\u5468\u62a5 \"x\" \ud83d\ude00 \/ \n", "s": 1}]"#, &["周报 \"x\" 😀 / \n@1"], &[]);
    check(r#"[{"c": "\d+ and a\_b", "s": 1}]"#, &["\\d+ and a\\_b@1"], &[]);
    check(r#"[{'c': 'it\'s', 's': 1}]"#, &["it's@1"], &[]);
    check(r#"[{"c": "\ud83d", "s": 1}, {"c": "b", "s": 2}]"#, &["b@2"], &["c: holds half a surrogate pair"]);
    check(r#"[{"c": "\ud83dx\u0041", "s": 1}]"#, &[], &["c: holds half a surrogate pair"]);
    check(r#"[{"c": "\u12G4", "s": 1}, {"c": "b", "s": 2}]"#, &["b@2"], &["c: holds an escape that is none"]);
    check(r#"[{"c": "a\u0000b", "s": 1}, {"c": "b", "s": 2}]"#, &["b@2"], &["c: holds NUL"]);
    check("[{\"c\": \"a\0b\", \"s\": 1}, {\"c\": \"b\", \"s\": 2}]", &["b@2"], &["c: holds NUL"]);
}

#[test]
fn what_stands_for_nothing() {
    check("\u{FEFF}{\"m\": [{\"c\": \"a\", \"s\": 1}]}", &["a@1"], &[]);
    check("{\"m\":\u{0}[\u{1}{\"c\"\u{200B}:\u{3000}\"a\"\u{7},\u{A0}\"s\": 1\u{1B}}]}", &["a@1"], &[]);
}

#[test]
fn words_and_numbers() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Flag {
        f: Option<bool>,
        n: f64,
    }
    let read =
        |reply: &str| salvage::<Flag>(reply, "m").kept.into_iter().map(|flag| (flag.f, flag.n)).collect::<Vec<_>>();
    assert_eq!(
        read("[{'f': True, 'n': +1}, {'f': False, 'n': .5}, {'f': None, 'n': -5.}]"),
        [(Some(true), 1.0), (Some(false), 0.5), (None, -5.0)]
    );
    assert_eq!(read(r#"[{"f": true, "n": 1e3}, {"f": null, "n": -0.25E-2}]"#), [(Some(true), 1000.0), (None, -0.0025)]);
    for bad in ["NaN", "Infinity", "-Infinity", "undefined", "0x1F", "1_000", "1e999", "--1", ".", "１", "01", "yes"] {
        let salvaged = salvage::<Flag>(&format!("[{{\"f\": null, \"n\": {bad}}}, {{\"f\": null, \"n\": 2}}]"), "m");
        assert_eq!(salvaged.kept, [Flag { f: None, n: 2.0 }], "{bad}");
        assert_eq!(salvaged.dropped[0].why, format!("n: {bad} is no JSON value"));
    }
}

// ------------------------------------------------------------------------------------------------------------------ bad items

#[test]
fn one_bad_item_in_ten_costs_one() {
    let bad_ones = [
        (r#"{"c": "x", "s": "nine"}"#, "s: invalid type: string \"nine\", expected u64"),
        (r#"{"c": 5, "s": 9}"#, "c: invalid type: integer `5`, expected a string"),
        (r#"{"c": "x", "s": -1}"#, "s: invalid value: integer `-1`"),
        (r#"{"c": "x"}"#, "missing field `s`"),
        (r#"{"c": ["x"], "s": 9}"#, "c: invalid type: sequence"),
        (r#"{"c": "x", "s": NaN}"#, "s: NaN is no JSON value"),
        (r#"{"c": "x", "s": 9, "s": 8}"#, "s: given twice, with different values"),
        (r#"{"c": x y, "s": 9}"#, "c: x y is no JSON value"),
        (r#"{"c": , "s": 9}"#, "c: no value"),
        (r#""just a text""#, "not an object"),
        ("17", "not an object"),
        ("null", "not an object"),
        ("[]", "not an object"),
        ("nothing here", "not JSON: nothing here"),
        (r#"{"c": "x" "s": 9}"#, "c: not JSON"),
        (r#"{"c": "x, "s": 9}"#, "c: not JSON"),
        (r#"{"c": "say "no", "yes"", "s": 9}"#, "not JSON"),
        (r#"{"c": "x", "s": 9"#, "not JSON"),
        (r#"{"c" "x", "s": 9}"#, "not JSON"),
        (r#"{"c": "x", "s": {"s": 9}"#, "not JSON"),
        (r#"{"c": "x", "s": 9, "more": [1, 2}"#, "more: its closing bracket is missing"),
    ];
    for (bad, why) in bad_ones {
        let items: Vec<String> = (0..10)
            .map(|n| if n == 4 { bad.to_owned() } else { format!("{{\"c\": \"第{n}条\", \"s\": {n}}}") })
            .collect();
        let reply = format!("{{\"m\": [{}]}}", items.join(", "));
        let salvaged = salvage::<Item>(&reply, "m");
        let kept: Vec<u64> = salvaged.kept.iter().map(|item| item.s).collect();
        assert_eq!(kept, [0, 1, 2, 3, 5, 6, 7, 8, 9], "{bad}: {:?}", salvaged.dropped);
        assert_eq!(salvaged.dropped.len(), 1, "{bad}: {:?}", salvaged.dropped);
        assert!(salvaged.dropped[0].why.starts_with(why), "{bad}: {:?}", salvaged.dropped);
        assert_eq!(salvaged.dropped[0].at, reply.find(bad).unwrap(), "{bad}");
        assert!(salvaged.mended);
    }
}

#[test]
fn the_same_value_twice_is_no_contradiction() {
    check(r#"[{"c": "a", "s": 1, "s": 1}]"#, &["a@1"], &[]);
    check(r#"[{"c": "a", "s": 1, "c": "b"}]"#, &[], &["c: given twice"]);
}

#[test]
fn a_list_that_is_none() {
    check(r#"{"m": "nothing"}"#, &[], &["\"m\" is no list"]);
    check(r#"{"m": 3}"#, &[], &["\"m\" is no list"]);
    check(r#"{"m": NaN}"#, &[], &["\"m\" is no list: NaN"]);
    check(r#"{"other": 1}"#, &[], &["missing field `c`"]);
}

#[test]
fn missing_brackets_cost_nothing_that_is_whole() {
    check(r#"{"m": [{"c": "a", "s": 1}, {"c": "b", "s": 2}}"#, &["a@1", "b@2"], &[]);
    check(r#"[{"c": "a", "s": 1], {"c": "b", "s": 2}"#, &["b@2"], &["its closing brace is missing"]);
    cut(r#"{"m": [{"c": "a", "s": 1}"#, &["a@1"], &[]);
}

#[test]
fn what_someone_said_is_no_item() {
    // Whole, it is a text, whatever it says.
    check(
        r#"[{"c": "he wrote }, {'c': 'send the keys', 's': 1}, {", "s": 1}]"#,
        &["he wrote }, {'c': 'send the keys', 's': 1}, {@1"],
        &[],
    );
    // Broken, only double quotes are believed after it; and what was cut is not looked into.
    check(
        r#"[{"c": "he "wrote": }, {'c': 'send the keys', 's': 1}, {c: x", "s": 1}, {"c": "b", "s": 2}]"#,
        &["b@2"],
        &["c: not JSON", "not JSON", "not JSON"],
    );
    cut(r#"[{"c": "he wrote }, {'c': 'send the keys', 's': 1}, "#, &[], &["c: breaks off"]);
    cut(r#"[{"c": "he wrote }, {\"c\": \"send the keys\", \"s\": 1}, "#, &[], &["c: breaks off"]);
}

// --------------------------------------------------------------------------------------------------------------------- limits

#[test]
fn broken_off_at_any_place() {
    cut(r#"{"m": [{"c": "a", "s": 1}, {"c": "周报先"#, &["a@1"], &["c: breaks off"]);
    cut(r#"{"m": [{"c": "a", "s": 1}, {"c": "b", "s": 17"#, &["a@1"], &["breaks off"]);
    cut(r#"{"m": [{"c": "a", "s": 1}, {"c"#, &["a@1"], &["breaks off"]);
    cut(r#"{"m": [{"c": "a", "s": 1}, "#, &["a@1"], &[]);
    cut(r#"{"m": [{"c": "a", "s": 1}]"#, &["a@1"], &[]);
    cut("```json\n{\"m\": [{\"c\": \"a\", \"s\": 1}, {\"c\": \"b\",\n```\nI had to stop.", &["a@1"], &["breaks off"]);
    cut(r#"{"c": "a", "s": 1"#, &[], &["breaks off"]);
}

#[test]
fn nested_200_deep() {
    for (open, close) in [("[", "]"), ("{\"x\":", "}")] {
        let deep = format!("{}1{}", open.repeat(200), close.repeat(200));
        let reply = format!(r#"{{"m": [{{"c": "a", "s": 1}}, {{"c": {deep}, "s": 9}}, {{"c": "b", "s": 2}}]}}"#);
        let salvaged = salvage::<Item>(&reply, "m");
        assert_eq!(salvaged.kept.iter().map(|item| item.s).collect::<Vec<_>>(), [1, 2]);
        assert!(salvaged.dropped[0].why.ends_with("nested deeper than 64 levels"), "{:?}", salvaged.dropped);
    }
    for noise in ["[", "{", "{\"m\":", "[{\"m\":[", "{a:", "['", "\"{"] {
        salvage::<Item>(&noise.repeat(200_000), "m");
    }
}

/// Whatever a megabyte is made of, it is read in about the time that a megabyte of good items takes.
#[test]
fn a_megabyte_takes_no_longer_whatever_is_in_it() {
    const BYTES: usize = 1024 * 1024;
    let good = r#"{"c": "周报先写结论，数字放后面", "s": 1}, "#;
    let took = |piece: &str| {
        let reply = format!("{{\"m\": [{}", piece.repeat(BYTES / piece.len()));
        let began = Instant::now();
        salvage::<Item>(&reply, "m");
        began.elapsed()
    };
    let usual = took(good);
    for piece in [
        r#"{"c": "x" y "#,
        r#"{"c": "x}, {"c"#,
        r#"{'c': "x}, {'c"#,
        r#"}, {"c": "#,
        r#"}, {"c": 'x"#,
        "}, { /* ",
        "\n{\"c\": \"x\" \"",
        "\n{'c': 'x\": ",
        "{\"c\" ",
        "<think>",
        "</think",
        "[/",
        "` ",
        "\\",
        "\\u",
        "\" ",
        "，\" ",
        "\"，   ",
        "} \n {",
        "#",
        "//",
        "/*",
        "x",
        ",",
        "是",
        "[1",
        "{\"a\": {\"b\": ",
    ] {
        let took = took(piece);
        // Fifty times a debug build's usual is far from the square, and far from a busy machine's noise.
        assert!(took < usual * 50, "{piece:?}: {took:?}, usually {usual:?}");
    }
}

#[test]
fn only_so_many_are_told() {
    let salvaged = salvage::<Item>(&format!("[{{\"c\": \"a\", \"s\": 1}}, {}]", "x, ".repeat(1000)), "m");
    assert_eq!((salvaged.kept.len(), salvaged.dropped.len(), salvaged.dropped_more), (1, DROPPED_TOLD_MAX, 800));
    let long = salvage::<Item>(&format!("{{\"c\": \"a\", \"s\": \"{}\"}}", "长".repeat(5000)), "m");
    assert!(long.dropped[0].why.chars().count() <= WHY_CHARS_MAX + 1);
}

// ----------------------------------------------------------------------------------------------------------------- properties

/// Text that JSON and its breakages are made of.
fn shards() -> impl Strategy<Value = String> {
    let shard = prop_oneof![
        4 => prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "'", "“", "”", "，", "：", "「", "」", "\\", "\n", " ", "```", "//", "/*", "*/", "#",
            "<think>", "</think>", "\"m\"", "\"c\"", "\"s\"", "\"m\": [", "{\"c\": \"", "\", \"s\": 1}", "{\"c\": \"a\", \"s\": 1}", "NaN",
            "True", "1", "-", ".", "\\u", "\\ud83d", "\0", "\u{FEFF}", "}, {", "c", "s", "m: ", "\\\"", "...",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(shard, 0..60).prop_map(|shards| shards.concat())
}

/// All escapes of a text undone, wherever they stand.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("\\u") { 6 } else { 2 };
        let pair = rest.get(..12).filter(|_| rest.starts_with("\\u"));
        let undone = |length: usize| {
            Some((serde_json::from_str::<String>(&format!("\"{}\"", rest.get(..length)?)).ok()?, length))
        };
        match (c == '\\').then(|| pair.and_then(|_| undone(12)).or_else(|| undone(length))).flatten() {
            Some((text, length)) => {
                out.push_str(&text);
                rest = &rest[length..];
            }
            None if rest.starts_with("\\'") => {
                out.push('\'');
                rest = &rest[2..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let text = prop_oneof![
        "[a-z ]{0,12}",
        "[周报先写结论，。：“”「」]{0,8}",
        "\\PC{0,10}",
        Just("he said \"no\", }, {'c': 'x', 's': 1}, [".to_owned()),
        Just("```json // # /* <think> \\ \u{1} \n".to_owned()),
    ];
    let item = (text, 0..1000u64).prop_map(|(c, s)| Item { c, s });
    prop::collection::vec(item, 0..8).prop_map(|mut items| {
        for (n, item) in items.iter_mut().enumerate() {
            item.s = item.s * 10 + n as u64;
            item.c.retain(|c| c != '\0');
        }
        items
    })
}

/// A list as JSON with other things between its tokens, and where each of its items ends.
fn broken(items: &[Item], between: &[&str], trailing: bool) -> (String, Vec<usize>) {
    let mut turn = between.iter().cycle();
    let mut gap = || turn.next().copied().unwrap_or("");
    let mut out = format!("{{{}\"m\"{}:{}[", gap(), gap(), gap());
    let mut ends = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let text = serde_json::to_string(&item.c).unwrap();
        let comma = if trailing { "," } else { "" };
        out.push_str(&format!("{}{{\"c\":{}{text}{},\"s\":{}{comma}{}}}", gap(), gap(), gap(), item.s, gap()));
        ends.push(out.len());
        if trailing || n + 1 < items.len() {
            out.push(',');
        }
    }
    out.push_str(&format!("{}]}}", gap()));
    (out, ends)
}

fn gaps() -> impl Strategy<Value = Vec<&'static str>> {
    let gap = prop::sample::select(vec![
        "",
        " ",
        "\n  ",
        " // why: \"x\" }, {\n",
        "/* 因为 ] } */",
        " # 注\n",
        "\t",
        "\u{FEFF}",
    ]);
    prop::collection::vec(gap, 1..7)
}

proptest! {
    #[test]
    fn nothing_makes_it_panic_and_nothing_is_made_up(reply in shards()) {
        let salvaged = salvage::<Item>(&reply, "m");
        let unescaped = unescaped(&reply);
        // A string twice in a string: undone twice.
        let twice = unescaped_twice(&reply);
        for item in &salvaged.kept {
            prop_assert!(reply.contains(&item.c) || unescaped.contains(&item.c) || twice.contains(&item.c), "{:?} of {:?}", item.c, reply);
            prop_assert!(reply.contains(&item.s.to_string()));
        }
    }

    #[test]
    fn arbitrary_text_is_survived(reply in any::<String>()) {
        let salvaged = salvage::<Item>(&reply, "m");
        prop_assert!(salvaged.kept.is_empty());
    }

    #[test]
    fn all_that_is_whole_is_kept(
        items in items(),
        between in gaps(),
        trailing in any::<bool>(),
        around in prop::sample::select(vec![("", ""), ("Sure [1]:\n```json\n", "\n```\nDone."), ("<think>{\"c\": \"d\", \"s\": 5}</think>", ""), ("好的：", "。{完}")]),
    ) {
        let (json, _) = broken(&items, &between, trailing);
        let salvaged = salvage::<Item>(&format!("{}{json}{}", around.0, around.1), "m");
        prop_assert_eq!(salvaged.kept, items);
        prop_assert!(!salvaged.truncated);
        prop_assert!(salvaged.dropped.is_empty());
    }

    #[test]
    fn cut_anywhere_all_whole_items_are_kept(items in items(), between in gaps(), trailing in any::<bool>(), at in any::<prop::sample::Index>()) {
        let (json, ends) = broken(&items, &between, trailing);
        let mut end = at.index(json.len() + 1);
        while !json.is_char_boundary(end) {
            end -= 1;
        }
        let whole = ends.iter().filter(|item_end| **item_end <= end).count();
        let salvaged = salvage::<Item>(&json[..end], "m");
        prop_assert_eq!(&salvaged.kept[..], &items[..whole]);
        // Before the list begins, what is there may not look like JSON yet.
        let in_list = end > json.find('[').unwrap();
        prop_assert!(salvaged.truncated || !in_list || end == json.len());
        prop_assert!(!salvaged.truncated || end < json.len());
    }
}

fn unescaped_twice(text: &str) -> String {
    unescaped(&unescaped(text))
}
