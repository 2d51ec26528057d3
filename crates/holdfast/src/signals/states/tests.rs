//! Each case is a sentence and the changes it tells, as `word item until`, `-` for the task itself.

use jiff::civil::date;

use crate::signals::entities::date_value;
use crate::signals::{Lexicon, read};
use crate::types::event::Source;

fn changes(text: &str, source: Source) -> String {
    let at = date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    let told: Vec<String> = read(text, &at, source, Lexicon::builtin())
        .states
        .iter()
        .map(|change| {
            let word = format!("{:?}", change.word).to_lowercase();
            let until = change.until.as_ref().map(|until| format!(" → {}", date_value(until))).unwrap_or_default();
            format!("{word} {}{until}", change.item.as_deref().unwrap_or("-"))
        })
        .collect();
    told.join("; ")
}

/// `expected` empty: nothing is told.
fn check(text: &str, expected: &str) {
    assert_eq!(changes(text, Source::User), expected, "in {text:?}");
}

#[test]
fn chinese_orders_and_statements() {
    check("把和华星的会取消", "cancel 和华星的会");
    check("帮我把明天的例会取消掉", "cancel 明天的例会");
    check("华星那家先取消", "cancel 华星");
    check("取消", "cancel -");
    check("取消这个任务吧", "cancel -");
    check("周五的评审取消了", "cancel 周五的评审");
    check("取消和华星的会", "cancel 和华星的会");
    check("还是取消吧", "cancel -");
    check("华星那个会，取消吧", "cancel 华星那个会");
    check("周报不用做了", "cancel 周报");
    check("王总说华星的会取消了", "cancel 华星的会");
    check("我想取消团建", "cancel 团建");
    check("订单SO-2024-0913取消", "cancel 订单SO-2024-0913");
    check("不得不取消年会", "cancel 年会");
    check("没问题，取消吧", "cancel -");
    check("不是推迟，是取消", "cancel -");
    check("客户B的回访推迟到下周三", "postpone 客户B的回访 → 2026-09-23");
    check("把评审延期到10月8号", "postpone 评审 → 2026-10-08");
    check("评审改到周五", "postpone 评审 → 2026-09-18");
    check("推迟评审", "postpone 评审");
    check("这个任务往后推一推", "postpone -");
    check("迁移先放一放", "pause 迁移");
    check("先停一下", "pause -");
    check("暂停迁移", "pause 迁移");
    check("先别做了", "pause -");
    check("恢复迁移", "resume 迁移");
    check("重新开始", "resume -");
    check("把迁移恢复一下", "resume 迁移");
    check("取消華星的會", "cancel 華星的會");
    check("暫停遷移", "pause 遷移");
}

/// As `check`, with `?` before what is wished for or asked of somebody.
fn check_requested(text: &str, expected: &str) {
    let at = date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    let told: Vec<String> = read(text, &at, Source::User, Lexicon::builtin())
        .states
        .iter()
        .map(|change| {
            let asked = if change.requested { "?" } else { "" };
            format!("{asked}{:?} {}", change.word, change.item.as_deref().unwrap_or("-")).to_lowercase()
        })
        .collect();
    assert_eq!(told.join("; "), expected, "in {text:?}");
}

#[test]
fn a_wish_or_a_request_is_told_from_a_decision() {
    check_requested("我想取消订单", "?cancel 订单");
    check_requested("帮我取消订单", "?cancel 订单");
    check_requested("取消我的机票", "?cancel 机票");
    check_requested("我想取消", "?cancel -");
    check_requested("能不能取消", "");
    check_requested("可以取消吗", "");
    check_requested("我想取消这个任务", "cancel -");
    check_requested("客户A取消拜访", "cancel 拜访");
    check_requested("取消周三的会", "cancel 周三的会");
    check_requested("订单取消了", "cancel 订单");
    check_requested("I'd like to cancel my order", "?cancel order");
    check_requested("I want to cancel", "?cancel -");
    check_requested("I need to cancel it", "?cancel -");
    check_requested("can you cancel my flight for me", "?cancel flight");
    check_requested("Yes, please go ahead and cancel reservation H9ZU1C for me.", "?cancel reservation h9zu1c");
    check_requested("Could you please cancel the subscription?", "?cancel subscription");
    check_requested("I want to cancel this task", "cancel -");
    check_requested("cancel the Acme visit", "cancel acme visit");
    check_requested("Please cancel the Acme demo.", "cancel acme demo");
    check_requested("the order was cancelled", "cancel order");
    check_requested("My flight HAT039 has been delayed", "?postpone flight hat039");
    check_requested("航班延误了", "");
    check_requested("航班推迟了", "?postpone 航班");
    check_requested("The review was postponed", "postpone review");
}

#[test]
fn an_item_has_a_name_of_its_own() {
    check("Let's cancel it", "cancel -");
    check("I do need to cancel", "cancel -");
    check("cancel the reservation I made", "cancel reservation");
    check("cancel the demo for me", "cancel demo");
    check("cancel the flight from MCO", "cancel flight from MCO");
    // One of several, or what was named just before: whichever it is, it is not the task.
    check("cancel one of them", "");
    check("cancel any meetings", "");
    check("Just cancel them", "");
    check("Upgrade reservation XEHM4B first, then cancel it", "");
    check("取消其中一个", "");
    check("我的航班有问题，先取消吧", "");
}

/// What the user orders in a row of orders is decided as it is said; what waits for an event of the world is not yet.
#[test]
fn an_order_in_a_row_is_an_order() {
    check("然后把和华星的会取消", "cancel 和华星的会");
    check("先发周报，然后把和华星的会取消", "cancel 和华星的会");
    check("After that, cancel the Acme demo", "cancel Acme demo");
    check("Send the report, then cancel the Acme demo", "cancel Acme demo");
    check("等客户回复后再取消和华星的会", "");
    check("如果客户不来，然后把和华星的会取消", "");
    check("If the client declines, cancel the Acme demo", "");
}

/// A thing that is named falls out of the work; nothing is said of the whole, nor of how to work.
#[test]
fn a_thing_falls_out_of_the_work() {
    check_requested("打印机不搬了，4 台都退租，从清单里去掉。", "cancel 打印机");
    check_requested("报表副本不用迁了", "cancel 报表副本");
    check_requested("那就雁栖湖。十渡不用看了。", "cancel 十渡");
    check_requested("不用迁报表副本了", "cancel 报表副本");
    check_requested("不要报表副本了", "cancel 报表副本");
    check_requested("我们不需要测试机了", "cancel 测试机");
    check_requested("打印机不要了", "cancel 打印机");
    check_requested("把打印机从清单里去掉", "?cancel 打印机");
    check_requested("Skip the printer.", "?cancel printer");
    check_requested("Please drop the reporting replica.", "?cancel reporting replica");
    check_requested("We don't need the reporting replica any more.", "cancel reporting replica");
    check_requested("We no longer need the second rack", "cancel second rack");
    check_requested("I don't need help any more", "?cancel help");
    check_requested("Take the printer off the list.", "?cancel printer");
    for text in [
        "不看了",
        "不要了",
        "不用了，谢谢",
        "我不搬了",
        "不要发邮件了",
        "不要再用表格了",
        "不用担心了",
        "打印机不动了",
        "打印机要不要搬了",
        "如果打印机不搬了，合同要改",
        "打印机不搬了吗？",
        "不用看得太细",
        "把图例去掉",
        "打印机不用搬到三楼",
        "客户不来了",
        "羽绒被就不要大力拍打了",
        "不用排组里的GPU队列了",
        "Sell what we no longer need on eBay",
        "We don't need the replica until Friday",
        "We don't need to hurry any more",
        "Skip ahead",
        "Drop me a line",
        "Should we skip the printer?",
        "If you skip the printer, tell me",
        "Remove the legend",
        "Don't skip the printer",
        "He said they don't need the printer any more",
        "How do I drop the table?",
    ] {
        check(text, "");
    }
}

#[test]
fn a_thing_moves_to_a_day() {
    check("Also the cut-over moves to Thursday 22:00", "postpone cut-over → 2026-09-17T22:00");
    check("The demo slips to next Tuesday", "postpone demo → 2026-09-22");
    check("He moves to Berlin on Friday", "");
    check("布线验收改到下周三（9 月 30 日）下午两点", "postpone 布线验收 → 2026-09-30T14:00");
    // Written down a while after: the date stays the one that was near.
    check("布线验收改到下周三（9 月 9 日）下午两点", "postpone 布线验收 → 2026-09-09T14:00");
    check("The acceptance is postponed to next Wednesday (Sept 30) at 2pm", "postpone acceptance → 2026-09-30T14:00");
}

/// The day it is said on has begun: who puts a thing off to it by name means the next one.
#[test]
fn nothing_is_put_off_to_what_has_begun() {
    let monday = date(2026, 9, 14).at(11, 50, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    for (text, expected) in [
        ("周报改到周一上午发", "2026-09-21"),
        ("周报改到周一", "2026-09-21"),
        ("周报改到周一晚上", "2026-09-14"),
        ("周报改到周二上午", "2026-09-15"),
        ("周报推迟到周一（9月14日）下午", "2026-09-14"),
        ("move the report to Monday morning", "2026-09-21"),
        ("move the report to this Monday", "2026-09-14"),
    ] {
        let states = read(text, &monday, Source::User, Lexicon::builtin()).states;
        let until = states.first().and_then(|state| state.until.as_ref());
        assert_eq!(until.map(|until| until.start.date().to_string()).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn given_up_for_a_time_is_a_pause() {
    for (text, expected) in [
        ("灰度不做了", "cancel 灰度"),
        ("不做了", "cancel -"),
        ("这个不用做了", "cancel -"),
        ("王先生的会不开了", "cancel 王先生的会"),
        ("今天的例会不开了", "cancel 今天的例会"),
        ("灰度先不做了", "pause 灰度"),
        ("先不做灰度了", "pause 灰度"),
        ("回访先不搞了", "pause 回访"),
        ("云岫那家先不跟了", "pause 云岫"),
        ("灰度先不做", "pause 灰度"),
        ("灰度先放一放", "pause 灰度"),
        ("灰度先别做了", "pause 灰度"),
        ("迁移先不动", "pause 迁移"),
        ("灰度先不做了，等机房换完再说", "pause 灰度"),
        ("灰度不做了，以后再说", "pause 灰度"),
        ("停一下，先不做了", "pause -"),
        ("今天先不做了", "pause -"),
        ("今天不做了", "pause -"),
        ("先都不做了", "pause -"),
        ("先不用做了", "pause -"),
        ("先放一下", "pause -"),
        ("先停一停吧", "pause -"),
        ("这个先搁着", "pause -"),
        ("今天先到这里", "pause -"),
        ("先放一下搬家", "pause 搬家"),
        ("Let's stop here for now", "pause -"),
        ("let's stop here for today.", "pause -"),
        ("Put this on hold", "pause -"),
        ("put the review on hold", "pause review"),
        ("Park it for now", "pause -"),
        ("let's park the migration for now", "pause migration"),
        ("Leave it there for today", "pause -"),
        ("let's call it a day", "pause -"),
    ] {
        check(text, expected);
    }
    for text in [
        "不做完不行",
        "门打不开了",
        "先不说这个",
        "回不去了",
        "这事不做完了不踏实",
        "要不要先停一停？",
        "Stop asking me that",
        "park the car in the garage",
        "Shall we stop here for now?",
        "don't stop here for now",
        "We stayed at a park for now",
    ] {
        check(text, "");
    }
}

#[test]
fn chinese_done() {
    check("周报写完了", "done 周报");
    check("已经把周报写完了", "done 周报");
    check("周报已经发给王总，写完了", "done -");
    check("周报完成。", "done 周报");
    check("周报已完成", "done 周报");
    check("会议纪要写完了", "done 会议纪要");
    check("搞定了", "done -");
    check("完成了周报", "done 周报");
    check("周报写完了，把和华星的会取消，回访推迟到下周三", "done 周报; cancel 和华星的会; postpone 回访 → 2026-09-23");
    check("要在周五前完成", "");
    check("打算完成周报", "");
    check("把周报写完", "");
    check("帮我写完周报", "");
    check("完成周报", "");
    check("写完了再告诉我", "");
    check("写完了告诉我", "");
    check("等周报写完了就发", "");
    check("快写完了", "");
    check("未完成", "");
    check("还没写完", "");
    check("没做完", "");
    check("写完了吗", "");
    check("写完没有", "");
    check("完成了没", "");
    check("完成的任务有三个", "");
    check("完成度80%", "");
    check("正在处理，应该能完成", "");
}

#[test]
fn chinese_that_changes_nothing() {
    for text in [
        "没取消",
        "不要取消",
        "别取消",
        "还没有取消",
        "客户不同意取消",
        "取消了吗？",
        "取消了吗",
        "要不要取消",
        "是不是取消了",
        "取消还是推迟？",
        "为什么取消",
        "他说\"取消\"",
        "他说“取消”",
        "「取消」按钮",
        "点击取消按钮",
        "如果取消，怎么办",
        "要是客户取消了，我们就亏了",
        "万一取消了呢",
        "假如推迟到周五",
        "取消的话要赔钱",
        "除非取消会议",
        "取消率上升了",
        "取消政策是什么",
        "恢复出厂设置",
        "数据恢复方案",
        "客户经常取消订单",
        "可以随时取消",
        "支持七天内取消",
        "他打算取消",
        "建议取消",
        "考虑推迟",
        "可能会推迟到下周",
        "已取消的订单有三个",
        "> 请取消会议",
        "网络延迟很高",
        "取消不了",
        "比如取消会议",
        "代码改到第三版",
        "回复一下客户",
        "等他回复后再取消",
        "取消订阅",
        "主动恢复的策略",
        "如需恢复课程，请致电",
        "跟你聊完心里踏实多了",
        "十分钟搞定",
        "客户差点取消了订单",
    ] {
        check(text, "");
    }
}

#[test]
fn english_orders_and_statements() {
    check("cancel the Acme demo", "cancel Acme demo");
    check("Please cancel the Acme demo.", "cancel Acme demo");
    check("the Acme demo is cancelled", "cancel Acme demo");
    check("The Acme demo has been canceled", "cancel Acme demo");
    check("We cancelled the Acme demo", "cancel Acme demo");
    check("Cancel it", "cancel -");
    check("cancel this task", "cancel -");
    check("Could you please cancel the Acme demo?", "cancel Acme demo");
    check("I want to cancel the Acme demo", "cancel Acme demo");
    check("Don't worry, cancel the demo", "cancel demo");
    check("Cancel the demo and postpone the review to Friday", "cancel demo; postpone review → 2026-09-18");
    check("postpone the review to Friday", "postpone review → 2026-09-18");
    check("The review was postponed until next Monday", "postpone review → 2026-09-21");
    check("push the review to Friday", "postpone review → 2026-09-18");
    check("Let's move the demo to October 8", "postpone demo → 2026-10-08");
    check("put the migration on hold", "pause migration");
    check("pause the migration", "pause migration");
    check("The migration is on hold", "pause migration");
    check("resume the migration", "resume migration");
    check("The weekly report is done", "done weekly report");
    check("I've finished the weekly report", "done weekly report");
    check("Done.", "done -");
    check("Finished the audit", "done audit");
    check("We're done with the audit", "done audit");
    check("the audit is complete", "done audit");
    check("it's done", "done -");
    check("Weekly report done", "done Weekly report");
}

#[test]
fn english_that_changes_nothing() {
    for text in [
        "not done",
        "it isn't cancelled",
        "don't cancel it",
        "Don't cancel the demo",
        "I haven't finished",
        "we never cancelled it",
        "is it done?",
        "should we cancel",
        "should we cancel?",
        "can we cancel it?",
        "he said \"cancel\"",
        "the \"cancel\" button",
        "the cancel button",
        "press the pause button",
        "if we cancel, we lose the deposit",
        "We lose the deposit if we cancel",
        "unless we cancel",
        "we would cancel",
        "we might cancel it",
        "in case they cancel",
        "call `cancel()` in onCancel",
        "call cancel() first",
        "onCancel",
        "task.cancel",
        "cancel_order",
        "what can be done",
        "what needs to be done",
        "get it done",
        "it will be done",
        "well done",
        "once it's done, tell me",
        "finish it by Friday",
        "complete the report",
        "people often cancel orders",
        "users can cancel anytime",
        "he wants to cancel",
        "she thinks they should postpone",
        "the cancelled orders",
        "send me my resume",
        "I updated the resume",
        "push to main",
        "move the file to src",
        "the cancellation fee",
        "a complete mess",
        "> cancel the demo",
        "```\ncancel the demo\n```",
        "have it finished by Friday",
        "drawbacks of delayed progress",
        "Review completed tasks",
        "Mark off completed pages",
        "ensure the report is completed",
        "cutting back on coffee",
        "the refund policy lets you cancel",
        "-----Original Message-----\ncancel the demo",
    ] {
        check(text, "");
    }
}

#[test]
fn who_may_tell() {
    assert_eq!(changes("周报写完了", Source::Agent), "done 周报");
    assert_eq!(changes("周报写完了", Source::Tool), "");
    assert_eq!(changes("华星的会取消了", Source::Agent), "cancel 华星的会");
    assert_eq!(changes("Cancel unused subscriptions", Source::Agent), "");
    assert_eq!(changes("The Acme demo was cancelled", Source::Agent), "cancel Acme demo");
    assert_eq!(changes("建议：取消团建", Source::Agent), "");
}

#[test]
fn spans_lead_back_to_the_text() {
    let at = date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    let text = "２０个客户，CANCEL the demo";
    let told = read(text, &at, Source::User, Lexicon::builtin()).states;
    assert_eq!(&text[told[0].span.clone()], "CANCEL");
}

#[test]
fn a_speaker_adds_words() {
    let at = date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    let mine = Lexicon::builtin().extended_with("[states.cancel]\nverbs = [\"鸽了\"]").expect("valid");
    assert_eq!(read("评审鸽了", &at, Source::User, &mine).states.len(), 1);
    assert_eq!(read("评审鸽了", &at, Source::User, Lexicon::builtin()).states.len(), 0);
    assert!(Lexicon::builtin().extended_with("[nonsense]\nx = 1").is_err());
    assert!(Lexicon::builtin().extended_with("[states.cancel]\nverbs = [\"\"]").is_err());
    assert!(Lexicon::builtin().extended_with("[dates]\nweekdays = { \"周八\" = 8 }").is_err());
}
