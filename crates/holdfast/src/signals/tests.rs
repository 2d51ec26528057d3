//! Cues, feedback, corrections, instructions, and what must hold for any text. Told on Wednesday, 16 September 2026.

use jiff::ZonedDateTime;
use proptest::prelude::*;

use super::*;
use crate::types::signals::{Cue, Feedback, Standing};

fn told_at() -> ZonedDateTime {
    "2026-09-16T10:00+08:00[Asia/Shanghai]".parse().expect("a time")
}

fn user(text: &str) -> Signals {
    read(text, &told_at(), Source::User, Lexicon::builtin())
}

/// `expected`: `continue`, `switch` or `request`, and the topic or `-`, separated by `; `.
fn check_cues(text: &str, expected: &str) {
    let cues: Vec<String> = user(text)
        .cues
        .iter()
        .map(|cue| {
            let (word, topic) = match cue {
                Cue::Continue { topic } => ("continue", topic),
                Cue::Switch { topic } => ("switch", topic),
                Cue::Request { topic } => ("request", topic),
            };
            format!("{word} {}", topic.as_deref().unwrap_or("-"))
        })
        .collect();
    assert_eq!(cues.join("; "), expected, "in {text:?}");
}

#[test]
fn a_limit_is_no_work() {
    check_cues("今天把搬家公司的报价收一下。顺便 budget 上限是 8 万，别超。", "");
    check_cues("顺便预算上限是 8 万，别超", "");
    check_cues("另外预算控制在 8 万以内", "");
    check_cues("请把预算控制在 8 万以内写完", "");
    check_cues("帮我写一份不超过500字的周报", "request 不超过500字的周报");
    check_cues("By the way the budget limit is 80k, don't exceed it", "");
    check_cues("By the way, the budget is $80,000", "");
    check_cues("顺便帮我写个预算", "switch 预算");
    check_cues("By the way, please draft the budget", "switch budget; request budget");
    check_cues("换个话题，退货率不是3.2%，是2.8%", "switch -");
}

#[test]
fn chinese_cues() {
    check_cues("接着把周报弄完", "continue 周报");
    check_cues("继续上次的周报", "continue 周报");
    check_cues("回到迁移", "continue 迁移");
    check_cues("好，我们回到数据迁移", "continue 数据迁移");
    check_cues("咱们接着聊迁移", "continue 迁移");
    check_cues("还是说回合同", "continue 合同");
    check_cues("继续", "continue -");
    check_cues("继续吧", "continue -");
    check_cues("另外，帮我订机票", "switch 机票; request 机票");
    check_cues("换个事，帮我写一份合同", "switch 合同; request 合同");
    check_cues("先不说这个", "switch -");
    check_cues("新任务：整理客户名单", "switch 客户名单");
    check_cues("对了，帮我查一下订单 SO-2024-0913", "switch 订单 SO-2024-0913; request 订单 SO-2024-0913");
    check_cues("帮我写一下这周的周报", "request 周报");
    check_cues("请把合同翻译成英文", "request 合同");
    check_cues("麻烦起草一份采购合同", "request 采购合同");
    check_cues("帮我准备年会方案", "request 年会方案");
    check_cues("另外，帮我准备年会方案", "switch 年会方案; request 年会方案");
    check_cues("写一份周报", "request 周报");
    for text in [
        "项目继续推进中",
        "他请我吃饭",
        "周报写完了",
        "请问几点了",
        "会议在继续",
        "客户请假了",
        "不继续了",
        "今天天气不错",
        "继续不了",
    ] {
        check_cues(text, "");
    }
}

#[test]
fn english_cues() {
    check_cues("back to the migration", "continue migration");
    check_cues("Let's go back to the weekly report", "continue weekly report");
    check_cues("continue with the audit", "continue audit");
    check_cues("Let's pick up the audit where we left off", "continue audit");
    check_cues("resume the migration", "continue migration");
    check_cues("By the way, new task: draft the proposal for Acme", "switch proposal for Acme");
    check_cues("let's switch to the budget", "switch budget");
    check_cues("Something else: can you prepare the slides?", "switch slides; request slides");
    check_cues("please draft the press release", "request press release");
    check_cues("Can you fix the login page by Friday?", "request login page");
    check_cues("Draft the press release", "request press release");
    for text in [
        "He will continue",
        "I came back to Paris",
        "it pleases me",
        "the report is done",
        "can you hear me?",
        "is the test done?",
    ] {
        check_cues(text, "");
    }
}

/// What people pass on, tell and mention asks the agent for nothing.
#[test]
fn no_request_in_what_is_passed_on_or_told() {
    for text in [
        "【静海社区】尊敬的业主，为保障节日安全，请检查家中燃气、水电。",
        "Dear customer, please check the invoice.",
        "应王阿姨请求，帮忙将她家的缝纫机从客厅搬到阳台",
        "帮我把灯关了",
    ] {
        check_cues(text, "");
    }
    let topics = |text: &str| format!("{:?}", user(text).cues);
    assert!(!topics("钱已经转给你了，请查收。").contains("Some"), "a part of a verb is no topic");
    assert!(topics("帮我把周报写完").contains("周报"));
}

#[test]
fn a_sentence_that_only_goes_on() {
    for (text, expected) in [
        ("继续写周报，今天要发了。", "继续写周报，今天要发了"),
        ("继续上次的周报，今天发。", "继续上次的周报，今天发"),
        ("接着弄周报。启明那家取消了，不用再跟。", "接着弄周报"),
        ("接着把周报弄完", "接着把周报弄完"),
        ("go on with the report", "go on with the report"),
        ("Let's continue with the migration.", "Let's continue with the migration"),
        ("Back to the weekly report. Acme is out.", "Back to the weekly report"),
        ("接着弄周报吧，数据应该出来了。", ""),
        ("继续写周报，先把结论和数据两块写出来。", ""),
        ("继续跟进华星", ""),
        ("回到数据迁移，试跑怎么样了？", ""),
        ("周报写到2.8%那段了", ""),
        ("Continue with the report, but drop Acme", ""),
        ("Back to the migration, what is left?", ""),
    ] {
        let found: Vec<String> = user(text).goes_on.into_iter().map(|span| text[span].to_owned()).collect();
        assert_eq!(found.join("; "), expected, "in {text:?}");
    }
}

#[test]
fn only_users_give_cues() {
    let signals = read("继续上次的周报，以后都用PDF，很好", &told_at(), Source::Agent, Lexicon::builtin());
    assert!(signals.cues.is_empty() && signals.instructions.is_empty() && signals.feedback.is_none());
}

fn check_feedback(expected: Option<Feedback>, texts: &[&str]) {
    for text in texts {
        assert_eq!(user(text).feedback, expected, "in {text:?}");
    }
}

#[test]
fn praise_and_blame() {
    check_feedback(
        Some(Feedback::Positive),
        &[
            "很好",
            "很好，就这样",
            "对，就这样",
            "不错",
            "写得不错",
            "完美！",
            "这个可以",
            "没问题",
            "太棒了，谢谢",
            "我很满意",
            "就按这个来",
            "没错",
            "great, thanks",
            "That works.",
            "Perfect!",
            "looks good to me",
            "well done",
            "I love it",
            "this is exactly what I wanted",
            "LGTM",
            "Yes, that's correct",
            "much better",
        ],
    );
    check_feedback(
        Some(Feedback::Negative),
        &[
            "不行，重做",
            "不对",
            "不满意",
            "还是不对",
            "你又忘了",
            "太啰嗦了",
            "不是我要的",
            "这个不行",
            "不错，但是数字错了",
            "不太好",
            "完全错了",
            "that's wrong",
            "This isn't what I asked for",
            "not what I asked",
            "It doesn't work",
            "still broken",
            "I don't like it",
            "too verbose",
            "you forgot the summary",
            "Great, but the total is not right",
        ],
    );
    check_feedback(
        None,
        &[
            "这个餐厅很好吃",
            "客户很满意",
            "对吗？",
            "行不行？",
            "这样可以吗",
            "如果不行就重做",
            "比如写\"很好\"",
            "他说很好",
            "满意度调查",
            "今天天气",
            "正确率是多少",
            "有一家很好的餐厅",
            "是不是错了？",
            "写周报",
            "我喜欢用PDF",
            "a great restaurant in Kyoto",
            "is that correct?",
            "my boss thinks it's perfect",
            "if it doesn't work, tell me",
            "he said \"great\"",
            "would be great",
            "> that's wrong",
            "correct the spelling",
            "what's wrong?",
            "The Great Wall",
            "The cushioning was great",
            "例如：不满意",
            "我刚通过了考试",
        ],
    );
}

#[test]
fn what_rests_on_a_value() {
    for (text, value, expected) in [
        ("发货销售额 128.64 万元，退货率 3.2%。销售环比涨 3.6%，退货率连着两周在涨。", "3.2%", "退货率连着两周在涨"),
        ("退货率是3.2%，退货率比上周高", "3.2%", ""),
        ("销售额涨了，退货率 3.2%", "3.2%", ""),
        ("退货率 13.2%，退货率在涨", "3.2%", ""),
        ("The return rate was 3.2%. The return rate is rising, sales are up.", "3.2%", "The return rate is rising"),
        ("Sales are rising. The return rate was 3.2%.", "3.2%", ""),
    ] {
        let names = said_of(text, &told_at(), value, Lexicon::builtin());
        let found = rests_on(text, &told_at(), value, &names, Lexicon::builtin());
        assert_eq!(found.join("; "), expected, "in {text:?}");
    }
}

#[test]
fn what_rests_on_a_value_said_elsewhere() {
    for (text, name, expected) in [
        ("退货率比上周升了，销售额也涨了。", "退货率", "退货率比上周升了"),
        ("退货率从2.1%升到3.0%了", "退货率", ""),
        ("退货率是不是涨了？", "退货率", ""),
        ("转化率涨了", "退货率", ""),
        (
            "The return rate is up from last week, and sales are flat.",
            "return rate",
            "The return rate is up from last week",
        ),
        ("The return rate rose to 4.1%.", "return rate", ""),
        ("Is the return rate rising?", "return rate", ""),
    ] {
        let found = rests_on(text, &told_at(), "3.2%", &[name.to_owned()], Lexicon::builtin());
        assert_eq!(found.join("; "), expected, "in {text:?}");
    }
}

#[test]
fn new_values_of_what_was_said_before() {
    for (text, expected) in [
        ("更正：应该是2.8%", "2.8%"),
        ("更正一下，退货率应该是2.8%", "退货率: 2.8%"),
        ("说错了，是2.8%", "2.8%"),
        ("退货率更正为2.8%", "退货率: 2.8%"),
        ("不对，应该是500万元", "500万元"),
        ("Correction: it should be 2.8%", "2.8%"),
        ("Sorry, I meant 2.8%", "2.8%"),
        ("Correction: the return rate should be 2.8%", "return rate: 2.8%"),
        ("My mistake, it's $1,200", "$1,200"),
        ("退货率应该是2.8%吗？", ""),
        ("退货率是2.8%", ""),
        ("如果说错了，是2.8%", ""),
        ("更正：2.8%和3.2%都是", ""),
        ("不是3.2%，是2.8%", ""),
        ("对不起，我迟到了", ""),
        ("Sorry for the delay", ""),
        ("What is the correction? Should it be 2.8%?", ""),
    ] {
        let found: Vec<String> = user(text)
            .new_values
            .into_iter()
            .map(|value| value.of.map_or_else(|| value.new.clone(), |of| format!("{of}: {}", value.new)))
            .collect();
        assert_eq!(found.join("; "), expected, "in {text:?}");
    }
}

/// `expected`: `old → new`, `?` for none.
fn check_corrections(text: &str, expected: &str) {
    let found: Vec<String> = user(text)
        .corrections
        .iter()
        .map(|correction| format!("{} → {}", correction.old, correction.new.as_deref().unwrap_or("?")))
        .collect();
    assert_eq!(found.join("; "), expected, "in {text:?}");
}

#[test]
fn statements_put_right() {
    check_corrections("不是3.2%，是2.8%", "3.2% → 2.8%");
    check_corrections("增长率不是3.2%，而是2.8%", "3.2% → 2.8%");
    check_corrections("是2.8%，不是3.2%", "3.2% → 2.8%");
    check_corrections("之前说的3.2%不对", "3.2% → ?");
    check_corrections("3.2%这个数不对，应该是2.8%", "3.2% → 2.8%");
    check_corrections("把3.2%改成2.8%", "3.2% → 2.8%");
    check_corrections("把截止日期从3月5日改为3月8日", "3月5日 → 3月8日");
    check_corrections("不是周三，是周四", "周三 → 周四");
    check_corrections("不是王总，是李总", "王总 → 李总");
    check_corrections("不是500字，是800字", "500字 → 800字");
    check_corrections("it's 2.8%, not 3.2%", "3.2% → 2.8%");
    check_corrections("change 3.2% to 2.8%", "3.2% → 2.8%");
    check_corrections("actually it's 2.8% instead of 3.2%", "3.2% → 2.8%");
    check_corrections("The rate is now 2.8% (was 3.2%)", "3.2% → 2.8%");
    check_corrections("It's not Friday, it's Thursday", "Friday → Thursday");
    check_corrections("3.2% is wrong, it should be 2.8%", "3.2% → 2.8%");
    check_corrections("The budget is $1,200, not $1,500", "$1,500 → $1,200");
    for text in [
        "是不是3.2%？",
        "不是我",
        "不是不想去，是没时间",
        "如果不是3.2%，是2.8%",
        "增长3.2%",
        "他说\"不是3.2%，是2.8%\"",
        "change the color",
        "not bad",
        "要不是周三，就去",
        "2.8%",
    ] {
        check_corrections(text, "");
    }
}

/// `expected`: `standing` or `once`, and the order.
fn check_instructions(text: &str, expected: &str) {
    let found: Vec<String> = user(text)
        .instructions
        .iter()
        .map(|found| {
            assert_eq!(text[found.span.clone()], found.text);
            format!("{}: {}", if found.standing == Standing::Standing { "standing" } else { "once" }, found.text)
        })
        .collect();
    assert_eq!(found.join("; "), expected, "in {text:?}");
}

#[test]
fn how_long_an_instruction_holds() {
    for text in [
        "以后都用PDF",
        "以后每次都先写结论",
        "今后报告一律用中文",
        "从现在起，回答先写结论",
        "每次都要抄送李经理",
        "默认用Markdown",
        "永远不要删除备份",
        "回答总是用中文",
        "以后别用表情符号",
        "记住，报告要附数据来源",
        "From now on, send me PDF",
        "always use Markdown",
        "Always answer in Chinese",
        "Never delete the backups",
        "By default, use tables",
        "Always format dates as Month Day, Year when I ask",
        "Every time you finish, run the tests",
        "In future, cc Ana",
        "Please always cite the source",
    ] {
        check_instructions(text, &format!("standing: {text}"));
    }
    for text in [
        "这次只要Excel",
        "本次用表格",
        "这一回先不发邮件",
        "用Excel，就这一次",
        "这次不用抄送",
        "先这样用英文写",
        "just this once, use Excel",
        "Use Excel this time",
        "For now, skip the tests",
        "For this one, use a table",
        "Use CSV, just this once",
    ] {
        check_instructions(text, &format!("once: {text}"));
    }
    check_instructions("以后都用PDF，这次只要Excel", "standing: 以后都用PDF; once: 这次只要Excel");
    for text in [
        "比如以后都用PDF",
        "以后都用PDF吗？",
        "他每次都用PDF",
        "he always wants PDF",
        "My boss always uses Excel",
        "客户总是要Excel",
        "用PDF",
        "I always wanted to go there",
        "> always use PDF",
        "他说“以后都用PDF”",
        "以后再说",
        "三天以后开会",
        "这次的会议很好",
        "never mind",
        "I've never seen it",
        "this time last year we met",
        "如果以后用PDF呢",
        "Do you always use PDF?",
        "if you always use PDF, it breaks",
        "like I always do",
        "like I always do",
        "as always, thanks",
        "上次用的是PDF",
        "每次都失败了",
        "一直在下雨",
        "也可以请外婆把易碎品暂时收好",
        "我最近一直在用这个App",
        "我明天临时改期要做检视",
        "这次活动就两三个小时",
        "记住，你的健康很重要",
        "每记住一个难点就是一次胜利",
        "这次用心准备了",
    ] {
        check_instructions(text, "");
    }
}

#[test]
fn what_others_say_orders_nothing_in_a_task_either() {
    for text in [
        "He wrote \"hi.\nThis time use Excel.\" and left",
        "He wrote \"hi.\nThis time use Excel.",
        "他发来「你好，\n这次只要Excel。」",
        "> hi\nThis time use Excel, he writes.",
        "\u{200b}> This time use Excel",
        "This time use Excel.\n\nThat's what Bob sent me.",
        "这次只要Excel。\n\n这是小王发我的，怎么回他？",
        "Ana: Hi there. This time use Excel.",
        "小红：你好。这次只要Excel。",
        "老板刚发来的\n这次只要Excel",
    ] {
        check_instructions(text, "");
    }
    for (text, expected) in [
        ("任务：写周报。这次只要Excel", "once: 这次只要Excel"),
        ("Requirements: PDF. This time use Excel", "once: This time use Excel"),
        ("要求：\n- 这次只要Excel", "once: 这次只要Excel"),
        ("写封邮件给客户。这次用英文", "once: 这次用英文"),
    ] {
        check_instructions(text, expected);
    }
}

#[test]
fn long_text_is_cut() {
    let text = "明天".repeat(SPEECH_BYTES_MAX);
    let signals = user(&text);
    assert_eq!(signals.dates.len(), ENTITIES_MAX);
    assert_eq!(signals.entities.len(), ENTITIES_MAX);
}

/// Words that rules look for, thrown together: they meet in ways no writer thought of.
fn word_salad() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &[
    "取消",
    "推迟到",
    "下周三",
    "不",
    "没",
    "了",
    "吗",
    "？",
    "，",
    "。",
    "把",
    "周报",
    "完成",
    "如果",
    "“",
    "”",
    "「",
    "」",
    "\"",
    "'",
    "`",
    "```",
    "\n",
    ">",
    " ",
    "3",
    "月",
    "日",
    "号",
    "点",
    "半",
    "天前",
    "周",
    "上",
    "下",
    "个",
    "第",
    "季度",
    "年",
    "12",
    "2026",
    "-",
    "/",
    ":",
    ".",
    "%",
    "¥",
    "$",
    "万",
    "亿",
    "元",
    "cancel",
    "the",
    "demo",
    "is",
    "not",
    "done",
    "next",
    "Friday",
    "March",
    "5th",
    "in",
    "of",
    "end",
    "a",
    "few",
    "days",
    "ago",
    "to",
    "from now on",
    "always",
    "just this once",
    "继续",
    "帮我",
    "写",
    "以后",
    "这次",
    "改成",
    "不是",
    "是",
    "，是",
    "３",
    "％",
    "後",
    "é",
    "😀",
    "\u{200b}",
    "@",
    "http://",
    "王总",
    "公司",
    "that's wrong",
    "很好",
    "midnight",
    "at",
    "pm",
    "q3",
    "T10:00",
    "Z",
    "+08:00",
    "十",
    "百",
    "两",
    "几",
    "一",
    "〇",
];

fn holds(text: &str) {
    for source in [Source::User, Source::Tool] {
        let signals = read(text, &told_at(), source, Lexicon::builtin());
        for entity in &signals.entities {
            assert_eq!(text[entity.span.clone()], entity.text);
            assert!(!entity.text.is_empty());
        }
        for pair in signals.entities.windows(2) {
            assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
        }
        for date in &signals.dates {
            assert_eq!(text[date.span.clone()], date.text);
            assert!(date.start < date.end, "{date:?}");
        }
        for state in &signals.states {
            assert!(text.is_char_boundary(state.span.start) && text.is_char_boundary(state.span.end));
        }
        for instruction in &signals.instructions {
            assert_eq!(text[instruction.span.clone()], instruction.text);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,80}") {
        holds(&text);
    }

    #[test]
    fn any_unicode_is_read(text in any::<String>()) {
        holds(&text);
    }

    #[test]
    fn any_mixture_of_words_is_read(text in word_salad()) {
        holds(&text);
    }
}

#[test]
fn a_sentence_without_end_is_cut_somewhere() {
    for pair in PIECES.windows(3) {
        holds(&pair.concat().repeat(700));
    }
}

/// `cargo test --release -- --ignored time --nocapture`: microseconds per short message, and for the longest texts.
#[test]
#[ignore = "a measurement"]
fn time() {
    let texts = [
        "接着把周报弄完，下周三下午三点前发给王总",
        "周报写完了，把和华星的会取消，回访推迟到下周三",
        "以后都用PDF，这次只要Excel",
        "不是3.2%，是2.8%",
        "Please draft the press release for Acme Corp by next Friday, and cancel the demo.",
        "What did we decide about the migration last month?",
        "好的，谢谢",
        "帮我看看 /data/report_v2.xlsx 里 3 月份的数据，总额应该是 ¥1,200",
    ];
    let at = told_at();
    let time = |label: &str, text: &str, rounds: u32| {
        let start = std::time::Instant::now();
        for _ in 0..rounds {
            std::hint::black_box(read(std::hint::black_box(text), &at, Source::User, Lexicon::builtin()));
        }
        println!("{label}: {:.1} µs", start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
    };
    for text in texts {
        time(text, text, 20_000);
    }
    let long = texts.join("\n").repeat(2000);
    time("1 MiB of messages", &long, 20);
    time("1 MiB of digits", &"1234567890 ".repeat(100_000), 20);
    time("1 MiB of opening marks", &"“".repeat(350_000), 20);
    time("1 MiB of cancel", &"cancel ".repeat(150_000), 20);
    time("1 MiB of 取消", &"取消".repeat(170_000), 20);
    time("1 MiB of letters", &"a".repeat(1 << 20), 20);
    time("1 MiB of JSON", &"{\"id\":12,\"name\":\"Ana\",\"at\":\"2026-09-16T10:00:00Z\"},".repeat(20_000), 20);
    time("1 MiB of 不", &"不".repeat(350_000), 20);
    time("1 MiB of 客户", &"客户".repeat(170_000), 20);
}

/// 准备 is a plan and the verb of a request: listed again by a speaker, it is still each of them once.
#[test]
fn a_word_that_is_listed_again_is_found_once_for_each_meaning() {
    let builtin = Lexicon::builtin();
    let again =
        builtin.extended_with("[states.cancel]\nverbs = [\"取消\"]\n[cues]\nrequest_verbs = [\"准备\", \"准备\"]");
    let again = again.expect("a word list");
    for text in ["帮我准备年会方案", "取消华星的会，准备周报"] {
        assert_eq!(again.hits(text), builtin.hits(text), "{text}");
    }
}
