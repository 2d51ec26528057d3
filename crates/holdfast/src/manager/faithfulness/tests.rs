//! Single cases in both languages, and the shares over true summaries and mutations of them.

mod mutations;

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{What, check};

#[derive(Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    of: String,
    source: String,
    summaries: Vec<String>,
    names: Vec<String>,
    crossed: Vec<String>,
    swapped: Vec<String>,
    invented: Vec<String>,
}

/// Of a kind of summaries, how many there were and how many were refused.
#[derive(Default, Clone, Copy)]
struct Share {
    all: usize,
    refused: usize,
}

#[derive(Default)]
struct Half {
    truths: Share,
    corrupted: BTreeMap<String, Share>,
    wrong: Vec<String>,
}

impl Half {
    fn truth(&mut self, case: &Case, summary: &str) {
        self.truths.all += 1;
        if let Err(why) = check(summary, &case.source) {
            self.truths.refused += 1;
            let why: Vec<String> = why.iter().map(ToString::to_string).collect();
            self.wrong.push(format!("[{}] refused: {summary}\n      {}", case.of, why.join("\n      ")));
        }
    }

    fn corrupted(&mut self, case: &Case, kind: &str, summary: &str) {
        let share = self.corrupted.entry(kind.to_owned()).or_default();
        share.all += 1;
        if check(summary, &case.source).is_err() {
            share.refused += 1;
        } else {
            self.wrong.push(format!("[{}] passed ({kind}): {summary}", case.of));
        }
    }

    fn all(&self) -> Share {
        let sum = |of: fn(&Share) -> usize| self.corrupted.values().map(of).sum();
        Share { all: sum(|share| share.all), refused: sum(|share| share.refused) }
    }
}

/// The summaries of one case, and what becomes of them.
fn tell(half: &mut Half, corpus: &Corpus, index: usize, apart: usize, zh: bool) {
    let case = &corpus.case[index];
    // What is told of something else, in a case of the same group.
    let other = &corpus.case[(index + apart) % corpus.case.len()].summaries[0];
    for summary in &case.summaries {
        half.truth(case, summary);
        for mutation in mutations::of(summary, &case.names, zh) {
            half.corrupted(case, mutation.kind, &mutation.text);
        }
    }
    half.corrupted(case, "invented", &format!("{}{other}", case.summaries[0]));
    case.crossed.iter().for_each(|summary| half.corrupted(case, "crossed", summary));
    case.swapped.iter().for_each(|summary| half.corrupted(case, "doer and done-to", summary));
    case.invented.iter().for_each(|summary| half.corrupted(case, "invented", summary));
}

fn corpus(text: &str) -> Corpus {
    toml::from_str(text).expect("the corpus is TOML")
}

/// Prints what came of a group of cases, and asks for the shares that are promised.
fn shares(name: &str, half: &Half, corrupted_min: usize) {
    println!("{name}: {} of {} true summaries refused", half.truths.refused, half.truths.all);
    for (kind, share) in &half.corrupted {
        println!("  {kind:18} {:4} of {:4} refused", share.refused, share.all);
    }
    let all = half.all();
    println!("  {:18} {:4} of {:4} refused", "all", all.refused, all.all);
    half.wrong.iter().for_each(|wrong| println!("    {wrong}"));
    assert!(all.all >= corrupted_min, "too few: {}", all.all);
    assert!(all.refused * 100 >= all.all * 98, "{name}: {} of {} corrupted summaries refused", all.refused, all.all);
    let truths = half.truths;
    let most = truths.all * 5;
    assert!(truths.refused * 100 <= most, "{name}: {} of {} true summaries refused", truths.refused, truths.all);
}

/// The even cases were tuned on. The odd ones were looked at once, after their first count (8 of 64 true summaries refused, 849 of 853 corrupted
/// ones), and what they showed was put right in general.
#[test]
fn corrupted_summaries_are_refused_and_true_ones_are_not() {
    let mut halves = [Half::default(), Half::default()];
    for (zh, text) in [(true, include_str!("tests/zh.toml")), (false, include_str!("tests/en.toml"))] {
        let corpus = corpus(text);
        for index in 0..corpus.case.len() {
            tell(&mut halves[index % 2], &corpus, index, 2, zh);
        }
    }
    shares("tuned on", &halves[0], 300);
    shares("held out", &halves[1], 300);
}

/// A third part, written when the gate was done with the first two. Its first count, before anybody looked: 440 of 447 corrupted summaries and 1 of
/// 40 true ones refused. It has been looked at since, so that no part of the corpus is unseen any more.
#[test]
fn so_it_is_with_what_was_written_afterwards() {
    let mut all = Half::default();
    for (zh, text) in [(true, include_str!("tests/unseen_zh.toml")), (false, include_str!("tests/unseen_en.toml"))] {
        let corpus = corpus(text);
        (0..corpus.case.len()).for_each(|index| tell(&mut all, &corpus, index, 1, zh));
    }
    shares("unseen", &all, 300);
}

fn held(summary: &str, source: &str) {
    assert_eq!(check(summary, source), Ok(()), "{summary:?} of {source:?}");
}

fn refused(summary: &str, source: &str, what: What) {
    let whats: Vec<What> =
        check(summary, source).err().unwrap_or_default().iter().map(|refused| refused.what).collect();
    assert!(whats.contains(&what), "{summary:?} of {source:?}: {whats:?}");
}

#[test]
fn numbers_are_the_same_however_they_are_written() {
    for (summary, source) in [
        ("合同金额 1,286,400 元。", "合同金额为 128.64 万元。"),
        ("合同金额 128.64 万元。", "合同金额共计 1286400 元。"),
        ("延期 10 天。", "厂家通知延期十天。"),
        ("占比 3.2%。", "占比百分之三点二。"),
        ("处理了三百二十条记录。", "一共处理了 320 条记录。"),
        ("会议在 15:30 开始。", "会议在下午三点半开始。"),
        ("There are 12 open tickets.", "There are twelve open tickets."),
        ("The budget is $1.5 million.", "The budget is $1,500,000."),
        ("We meet on 4 December at 15:00.", "We meet on Dec 4 at 3 pm."),
        ("Revenue is $4.8k.", "Revenue is $4,800."),
    ] {
        held(summary, source);
    }
    for (summary, source) in [
        ("合同金额 128.64 元。", "合同金额为 128.64 万元。"),
        ("占比 3.2 个百分点。", "占比 3.2%。"),
        ("利润 3.2 万元。", "利润 -3.2 万元。"),
        ("处理了 32 条记录。", "一共处理了三百二十条记录。"),
        ("There are 20 open tickets.", "There are twelve open tickets."),
        ("The delay is 5 minutes.", "The delay is 5 hours."),
        ("The change was 3%.", "The change was -3%."),
    ] {
        refused(summary, source, What::Number);
    }
    refused("会议在 14:30 开始。", "会议在下午三点半开始。", What::Date);
    refused("We meet on December 5.", "We meet on December 4, 2026.", What::Date);
    refused("We meet on December 4, 2027.", "We meet on December 4.", What::Date);
}

#[test]
fn a_number_stays_with_what_it_is_of() {
    for (summary, source) in [
        ("顺达 5 单。", "华星 3 单，顺达 5 单。"),
        ("退货率比上周高 0.4 个百分点。", "退货率 3.2%，比上周高 0.4 个百分点。"),
        ("The gateway has 5 workers.", "The cache has 3 workers, the gateway has 5 workers."),
    ] {
        held(summary, source);
    }
    for (summary, source) in [
        ("华星 5 单。", "华星 3 单，顺达 5 单。"),
        ("华星 5 单。", "华星 3 单、顺达 5 单。"),
        ("退款上升 8%。", "订单 120 单，同比上升 8%；退款 15 单，同比下降 3%。"),
        ("P50 延迟 480 毫秒。", "P50 延迟 120 毫秒 P99 延迟 480 毫秒。"),
        ("The cache has 5 workers.", "The cache has 3 workers and the gateway has 5 workers."),
        ("A is 5.", "A is 3, B is 5."),
        ("订单 120 单，同比下降 3%。", "订单 120 单，同比上升 8%；退款 15 单，同比下降 3%。"),
        ("Sales were $14, up 12%.", "Revenue was $23, up 12%; sales were $14, up 19%."),
    ] {
        refused(summary, source, What::Number);
    }
}

#[test]
fn what_is_denied_bound_or_finished_stays_so() {
    for (summary, source, what) in [
        ("接口有异常。", "接口没有异常。", What::Negation),
        ("接口没有异常。", "接口有异常。", What::Negation),
        ("可以写进日志。", "不要写进日志。", What::Modality),
        ("报告可以周五前提交。", "报告必须周五前提交。", What::Modality),
        ("周会已完成。", "周会已取消。", What::Status),
        ("发布推迟了。", "发布取消了。", What::Status),
        ("迁移已完成。", "计划周五完成迁移。", What::Modality),
        ("延迟高于 3 秒。", "延迟低于 3 秒。", What::Comparison),
        ("费用至少 500 元。", "费用不超过 500 元。", What::Comparison),
        ("回滚到上一版。", "如果出问题就回滚到上一版。", What::Qualifier),
        ("周会取消。", "周会要不要取消？", What::Qualifier),
        ("The build is stable.", "The build is not stable.", What::Negation),
        ("The report may be sent on Friday.", "The report must be sent on Friday.", What::Modality),
        ("The release is cancelled.", "The release is paused.", What::Status),
        ("Latency is above 3 seconds.", "Latency is below 3 seconds.", What::Comparison),
        ("We roll back.", "If the test fails, we roll back.", What::Qualifier),
        ("The meeting is cancelled.", "Is the meeting cancelled?", What::Qualifier),
    ] {
        refused(summary, source, what);
    }
    for (summary, source) in [
        ("未发现异常。", "检查后没有发现异常。"),
        ("报告须周五前提交。", "报告必须在周五前提交。"),
        ("如果压测失败，就回滚到上一版。", "如果压测失败就回滚到上一版。"),
        ("The report has to be sent on Friday.", "The report must be sent on Friday."),
        ("The job was finished.", "The job was completed."),
        ("If the test fails, we roll back.", "We said: if the test fails, we roll back."),
    ] {
        held(summary, source);
    }
}

#[test]
fn who_did_what_to_whom_stays_so() {
    for (summary, source) in [
        ("李雷批评了张伟。", "张伟批评了李雷。"),
        ("张伟批评了李雷。", "张伟被李雷批评了。"),
        ("张伟同意了。", "张伟的经理同意了。"),
        ("华星比顺达贵。", "顺达比华星贵。"),
        ("用户喜欢靠海的房间。", "我太太喜欢靠海的房间。"),
        ("王芳反馈登录慢，定位到索引缺失。", "王芳反馈登录慢。技术组定位到索引缺失。"),
        ("Bob hired Alice.", "Alice hired Bob."),
        ("Alice hired Bob.", "Alice was hired by Bob."),
        ("Alice wrote the docs.", "Alice finished the API and Bob wrote the docs."),
        ("The user loves rooms with a view.", "My wife loves rooms with a view."),
    ] {
        assert!(check(summary, source).is_err(), "{summary:?} of {source:?}");
    }
    for (summary, source) in [
        ("用户对花生过敏。", "我对花生过敏。"),
        ("用户要求周报先写结论。", "以后周报都先写结论。"),
        ("网关已上线并通过压测。", "网关昨晚已上线。压测也通过了。"),
        ("张伟周三前交付。", "张伟负责网关，周三前交付。"),
        ("The user is allergic to peanuts.", "I'm allergic to peanuts."),
        ("On Friday Alice sent the report.", "Alice sent the report on Friday."),
    ] {
        held(summary, source);
    }
}

#[test]
fn paths_and_quotes_are_as_they_were_written() {
    held("脚本在 /ops/Rollback.sql。", "回滚脚本在 /ops/Rollback.sql，别删。");
    refused("脚本在 /ops/rollback.sql。", "回滚脚本在 /ops/Rollback.sql，别删。", What::Path);
    refused("See https://a.example/x/2.", "See https://a.example/x/1 for details.", What::Path);
    refused("她说「马上退款」。", "她说「尽快退款」。", What::Quote);
    refused("The log says \"disk is full\".", "The log says \"disk is slow\".", What::Quote);
}

#[test]
fn a_refusal_says_what_is_not_borne() {
    let refusals = check("退货率 3.4%，由李强跟进。", "本周退货率 3.2%，由张伟跟进。").unwrap_err();
    let said: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "\"退货率 3.4%\": the source does not bear a number (3.4%)",
            "\"由李强跟进\": the source does not bear what it says (李强)"
        ]
    );
}

#[test]
fn nothing_and_anything_are_read_without_a_panic() {
    assert_eq!(check("", ""), Ok(()));
    assert_eq!(check("。。。", "有内容。"), Ok(()));
    for text in [
        "\u{0}",
        "第",
        "百分之",
        "-",
        "$",
        "周",
        "十",
        "1.",
        "3点",
        "3:",
        "''",
        "「",
        "\u{1F600}5",
        "５００ＭＢ",
        "1e9",
        "２０２６年１３月",
        "n\'t",
        "万",
        "九亿亿亿亿",
        "两万点",
        "60000点半",
        "9999999999999999999 亿",
    ] {
        let _ = check(text, "五百 MB");
        let _ = check("五百 MB", text);
        assert_eq!(check(text, text), Ok(()), "{text:?}");
    }
}

/// Summaries in the words of their sources that say something else: each was borne once, or might be.
#[test]
fn the_same_words_are_not_the_same_claim() {
    for (summary, source) in [
        ("Bob approved the plan.", "Alice approved the plan, and Bob rejected it."),
        ("Alice rejected the plan.", "Alice approved the plan, and Bob rejected it."),
        ("The plan was approved.", "The plan was not approved by Alice."),
        ("The server crashed.", "Nobody said that the server crashed."),
        ("The server crashed.", "Alice denied that the server crashed."),
        ("The tests pass.", "The tests pass only on Linux."),
        ("The key is valid.", "The key is valid until Friday."),
        ("Deploy on Friday.", "Never deploy on Friday."),
        ("Deploy on Friday.", "Deploy on Monday, not on Friday."),
        ("We use Postgres.", "We use MySQL instead of Postgres."),
        ("We use Postgres.", "We considered Postgres but use MySQL."),
        ("The limit is 10.", "The limit was raised from 10 to 20."),
        ("The limit was raised by 20.", "The limit was raised from 10 to 20."),
        ("The limit was raised to 20.", "The limit was raised by 20."),
        ("Alice owes Bob $50.", "Bob owes Alice $50."),
        ("Tom met Ann.", "Tom called Jim and met Ann's sister."),
        ("Jim met Ann.", "Tom called Jim and met Ann."),
        ("Costs rose 5%.", "Revenue rose 5% while costs fell 3%."),
        ("Costs fell 5%.", "Revenue rose 5% while costs fell 3%."),
        ("Version 2 is slower than version 1.", "Version 1 is slower than version 2."),
        ("All tests failed.", "All tests passed; one lint failed."),
        ("5 of 8 tests failed.", "8 of 5 tests failed."),
        ("The backup finished at 3 pm.", "The backup started at 3 pm and finished at 5 pm."),
        ("Lena is in Berlin.", "Lena's brother is in Berlin."),
        ("The deadline is May 3.", "The deadline is no longer May 3 but May 9."),
        ("The release is ready.", "The release is almost ready."),
        ("The release is ready.", "Is the release ready?"),
        ("The vendor pays the fee.", "The fee is paid by us, the vendor pays the tax."),
        ("李明通过了审核。", "李明提交了申请，审核由王强通过。"),
        ("李明通过了审核。", "李明没通过审核。"),
        ("上线时间是周五。", "上线时间不是周五，是周六。"),
        ("上线时间是周五。", "上线时间从周五改到周六。"),
        ("预算 20 万。", "预算从 20 万砍到 15 万。"),
        ("王芳欠李雷 500 元。", "李雷欠王芳 500 元。"),
        ("甲方承担运费。", "乙方承担运费，甲方承担税费。"),
        ("甲方承担税费。", "甲方承担运费，乙方承担税费。"),
        ("A 组负责前端。", "A 组负责后端，B 组负责前端。"),
        ("服务器不需要重启。", "服务器需要重启，数据库不需要重启。"),
        ("数据库需要重启。", "服务器需要重启，数据库不需要重启。"),
        ("可以删除日志。", "没有审批不可以删除日志。"),
        ("可以删除日志。", "经审批后才可以删除日志。"),
        ("客户同意降价。", "客户的代理同意降价。"),
        ("客户同意降价。", "我们同意降价，客户不同意延期。"),
        ("测试全部通过。", "测试全部通过是下周的目标。"),
        ("测试全部通过。", "除了支付模块，测试全部通过。"),
        ("错误率 3%。", "错误率不到 3%。"),
        ("错误率高于 3%。", "错误率不高于 3%。"),
        ("错误率降到 3%。", "错误率降了 3%。"),
        ("退款由客服审批。", "退款由财务审批，客服负责登记。"),
        ("客服负责审批。", "退款由财务审批，客服负责登记。"),
        ("张三比李四高。", "李四比张三高。"),
        ("张三的分数是 90。", "张三的分数是 80，李四的分数是 90。"),
        ("项目已经结束。", "项目将于周五结束。"),
        ("王工修好了网关。", "王工说李工修好了网关。"),
        ("第二组第一。", "第一组第二。"),
        ("会议推迟到三点。", "会议推迟三个小时到五点。"),
        ("小王给小李转了 300 元。", "小李给小王转了 300 元。"),
        ("小王收到小李 300 元。", "小李收到小王 300 元。"),
        ("小李去北京。", "小李不去北京，小王去北京。"),
        ("小王不去北京。", "小李不去北京，小王去北京。"),
        ("订单已退款。", "订单已发货，未退款。"),
        ("第一版已上线。", "第二版已上线，第一版还在测试。"),
        ("第一版还在测试，第二版还在测试。", "第二版已上线，第一版还在测试。"),
        ("财务批准了预算。", "财务没有批准预算，老板批准了预算。"),
        ("甲公司收购乙公司。", "乙公司收购甲公司。"),
        ("甲公司收购了乙公司。", "甲公司被乙公司收购了。"),
        ("两台服务器宕机。", "三台服务器中两台正常，一台宕机。"),
        ("内存 16 GB，磁盘 512 GB。", "磁盘 16 GB，内存 512 GB。"),
        ("周一开会，周二复盘。", "周二开会，周一复盘。"),
        ("先测试再部署。", "先部署再测试。"),
        ("密码长度至少 8 位。", "密码长度最多 8 位。"),
        ("张伟转给李雷 5 万元。", "李雷转给张伟 5 万元。"),
        ("文件保存在 A 目录。", "文件保存在 B 目录，A 目录是备份。"),
        ("用户同意。", "用户不同意。"),
        ("用户同意。", "用户的妻子同意。"),
        ("李雷说项目完成了。", "李雷说项目没有完成，张伟说项目完成了。"),
        ("项目完成了。", "张伟希望项目完成。"),
        ("项目完成了。", "项目完成了一半。"),
        ("项目完成了。", "项目还差 3 天完成。"),
        ("首付 30%。", "首付 20%，尾款 30%。"),
        ("支持中文。", "支持英文，暂不支持中文。"),
        ("Test before deploying.", "Deploy before testing."),
        ("Deploy after the test.", "Deploy before the test."),
        ("Memory is 512 GB.", "Disk is 512 GB, memory is 16 GB."),
        ("Alice will review Bob's code.", "Bob will review Alice's code."),
        ("Two servers crashed.", "Of three servers two are fine and one crashed."),
        ("The project is finished.", "The project is half finished."),
        ("The project is finished.", "Bob wishes the project was finished."),
        ("The project is finished.", "Bob thought the project is finished, but it is not."),
        ("Chinese is supported.", "English is supported, Chinese is not supported yet."),
        ("The client accepted the offer.", "The client received the offer, and the agency accepted the counteroffer."),
        ("Ana manages Tom.", "Ana is managed by Tom."),
        ("Ana hired Tom and Jim.", "Ana hired Tom and fired Jim."),
        ("Save files in A.", "Save files in B and backups in A."),
        ("Paris has 2 offices.", "London has 2 offices, Paris has 3."),
        ("Paris has 3 offices, London has 3.", "London has 2 offices, Paris has 3."),
        ("The password needs at least 8 characters.", "The password needs at most 8 characters."),
        ("Jim lost to Tom.", "Tom lost to Jim."),
        ("No data was lost.", "Data was lost."),
        ("Some data was lost.", "No data was lost."),
        ("The price went from $5 to $7.", "The price went from $7 to $5."),
        ("Tickets are free for adults.", "Tickets are free for children, adults pay $5."),
        ("Refunds take 5 days.", "Refunds take 3 days, exchanges take 5 days."),
        ("The meeting is at 3 pm in Room 5.", "The meeting is at 5 pm in Room 3."),
        ("use tabs", "use spaces, not tabs"),
        ("用 tab 缩进", "不要用 tab 缩进，用空格"),
    ] {
        assert!(check(summary, source).is_err(), "{summary:?} of {source:?}");
    }
}

/// Words that a list could have together and that mean different things.
#[test]
fn words_near_in_meaning_stand_for_themselves() {
    for (summary, source) in [
        ("接口延迟更快。", "接口延迟更高。"),
        ("客户必须退款。", "客户要求退款。"),
        ("李娜应该重启。", "李娜建议重启。"),
        ("老板可以加班。", "老板允许加班。"),
        ("服务已恢复。", "服务已重启。"),
        ("必须重启。", "需要重启。"),
        ("Latency is faster.", "Latency is higher."),
        ("The client must pay a refund.", "The client requires to pay a refund."),
        ("Lena should restart.", "Lena suggests to restart."),
        ("Version 2 is better.", "Version 2 is larger."),
        ("The release was formerly ready.", "The release is almost ready."),
        ("The boss can work overtime.", "The boss allows to work overtime."),
    ] {
        assert!(check(summary, source).is_err(), "{summary:?} of {source:?}");
    }
}

#[test]
fn what_is_only_shorter_is_borne() {
    for (summary, source) in [
        (
            "The limit was raised from 10 to 20.",
            "Yesterday the limit was raised from 10 to 20 after a long discussion.",
        ),
        ("Alice approved the plan; Bob rejected it.", "Alice approved the plan, and Bob rejected it."),
        ("Revenue rose 5%, costs fell 3%.", "Revenue rose 5% while costs fell 3%."),
        ("Deploy on Monday, not on Friday.", "Please deploy on Monday, not on Friday."),
        ("The backup finished at 5 pm.", "The backup started at 3 pm and finished at 5 pm."),
        ("Tests pass on Linux and macOS.", "The tests pass on Linux and on macOS now."),
        ("The user prefers short answers.", "I prefer short answers."),
        ("The user prefers short answers in Chinese.", "I really prefer short answers, in Chinese please."),
        (
            "Root cause: a missing index on orders.user_id.",
            "We found the root cause: a missing index on orders.user_id.",
        ),
        ("3 files changed, 2 tests added.", "3 files changed, 120 insertions, 2 tests added."),
        ("上线时间从周五改到周六。", "经过讨论，上线时间从周五改到周六。"),
        ("预算从 20 万降到 15 万。", "预算从 20 万降到了 15 万。"),
        ("A 组负责后端，B 组负责前端。", "分工如下：A 组负责后端，B 组负责前端。"),
        ("退款由财务审批。", "退款由财务审批，客服负责登记。"),
        ("除支付模块外测试全部通过。", "除支付模块外，测试全部通过。"),
        ("用户偏好简短的中文回答。", "我偏好简短的中文回答。"),
        ("任务失败，原因是磁盘空间不足。", "任务在凌晨失败，原因是磁盘空间不足，已扩容。"),
        ("接口返回 500，重试 3 次后成功。", "接口第一次返回 500，重试 3 次后成功。"),
        ("下一步：补充单元测试。", "下一步：补充单元测试，然后提交评审。"),
        ("网关升级到 v2.3，回归测试全部通过。", "网关已升级到 v2.3。回归测试全部通过。"),
        ("用空格缩进，不要用 tab。", "不要用 tab 缩进，用空格缩进。"),
        ("Bob will review Alice's code on Friday.", "Bob, who is new, will review Alice's code on Friday."),
        ("支持英文，暂不支持中文。", "目前支持英文，暂不支持中文。"),
        ("修复了登录超时的问题。", "今天修复了登录超时的问题，并补充了测试。"),
        ("修复登录超时问题，补充测试。", "今天修复了登录超时的问题，并补充了测试。"),
        ("数据库选型：PostgreSQL。", "数据库选型：PostgreSQL，因为需要 JSONB。"),
        ("Database: PostgreSQL.", "Database: PostgreSQL, because we need JSONB."),
        (
            "The API returned 429; the client retried 3 times and succeeded.",
            "The API returned 429 at first; the client retried 3 times and succeeded in the end.",
        ),
        ("会议纪要发给了全体成员。", "会后，会议纪要发给了全体成员。"),
        ("用户住在杭州，在一家电商公司上班。", "我住在杭州，在一家电商公司上班，平时喜欢爬山。"),
        ("The user lives in Lima and works for a bank.", "I live in Lima and work for a bank."),
        ("用户希望报告控制在 3 页以内。", "我希望报告控制在 3 页以内，先写结论。"),
    ] {
        held(summary, source);
    }
    held("要点：退货率 2.8%。", "本周退货率 2.8%，比上周低。");
    held("Key points: the return rate is 2.8%.", "The return rate is 2.8% this week.");
}

/// FIXME: what is told in other words is refused, although it is true. Without a model nothing tells a synonym from a false word.
#[test]
fn a_paraphrase_is_refused() {
    for (summary, source) in [
        ("用户选择方案 B。", "我选方案 B。"),
        ("决定先灰度 5%。", "最后决定先灰度 5% 的流量。"),
        (
            "Return rate fell 0.4 points to 2.8%.",
            "The return rate was 2.8%, down 0.4 percentage points from last week.",
        ),
        ("The outage was caused by a wrong timeout.", "The cause of the outage was a wrong timeout."),
    ] {
        assert!(check(summary, source).is_err(), "{summary:?} of {source:?}");
    }
}

proptest::proptest! {
    /// A text is a faithful summary of itself, whatever it is.
    #[test]
    fn a_text_bears_itself(text in "[ -~。，；！？\\n零一二三万亿年月日点半周第不没如果他我的把被比a-z0-9%¥]{0,60}") {
        proptest::prop_assert_eq!(check(&text, &text), Ok(()));
    }

    #[test]
    fn any_two_texts_are_read(summary in "\\PC{0,40}", source in "\\PC{0,80}") {
        let _ = check(&summary, &source);
    }
}
