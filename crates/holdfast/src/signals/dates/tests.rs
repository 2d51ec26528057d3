//! Each case is a sentence and what its date expressions mean, told on Wednesday, 16 September 2026, 10:00 in Shanghai.

use jiff::civil::{Date, date};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan, ZonedDateTime};
use proptest::prelude::*;

use crate::signals::entities::date_value;

fn told_at() -> ZonedDateTime {
    date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone")
}

/// `expected`: the expressions found and their meanings, as `written = value`, separated by `; `. Empty: none.
fn check(text: &str, expected: &str) {
    check_at(text, &told_at(), expected);
}

fn check_at(text: &str, at: &ZonedDateTime, expected: &str) {
    let found: Vec<String> = crate::signals::dates(text, at)
        .iter()
        .map(|found| {
            assert_eq!(text[found.span.clone()], found.text);
            format!("{} = {}", found.text, date_value(found))
        })
        .collect();
    assert_eq!(found.join("; "), expected, "in {text:?}");
}

#[test]
fn chinese_days() {
    check("今天", "今天 = 2026-09-16");
    check("明天交", "明天 = 2026-09-17");
    check("后天和大后天都行", "后天 = 2026-09-18; 大后天 = 2026-09-19");
    check("昨天、前天、大前天", "昨天 = 2026-09-15; 前天 = 2026-09-14; 大前天 = 2026-09-13");
    check("今早和今晚", "今早 = 2026-09-16T06:00/2026-09-16T12:00; 今晚 = 2026-09-16T18:00/2026-09-17T00:00");
    check("明早八点半", "明早八点半 = 2026-09-17T08:30");
    check("昨晚说的", "昨晚 = 2026-09-15T18:00/2026-09-16T00:00");
    check("今晚8点开会", "今晚8点 = 2026-09-16T20:00");
    check("三天后", "三天后 = 2026-09-19");
    check("3天前", "3天前 = 2026-09-13");
    check("两周后", "两周后 = 2026-09-30");
    check("半个月后", "半个月后 = 2026-10-01");
    check("3个月前", "3个月前 = 2026-06-16");
    check("两年前", "两年前 = 2024-09-16");
    check("十二天以后", "十二天以后 = 2026-09-28");
    check("两三天前", "两三天前 = 2026-09-13/2026-09-15");
    check("前几天聊过", "前几天 = 2026-09-09/2026-09-16");
    check("几天前", "几天前 = 2026-09-09/2026-09-16");
    check("这几天", "这几天 = 2026-09-14/2026-09-17");
    check("最近在看", "最近 = 2026-09-03/2026-09-17");
    check("过去三天", "过去三天 = 2026-09-14/2026-09-17");
    check("最近一周", "最近一周 = 2026-09-10/2026-09-17");
    check("过几天再说", "过几天 = 2026-09-17/2026-09-24");
    check("3天内", "3天内 = 2026-09-16/2026-09-20");
    check("未来两周", "未来两周 = 2026-09-16/2026-10-01");
    check("3小时后", "3小时后 = 2026-09-16T13:00");
    check("一个半小时后", "一个半小时后 = 2026-09-16T11:30");
    check("半小时前", "半小时前 = 2026-09-16T09:30");
}

#[test]
fn chinese_weeks() {
    check("下周三", "下周三 = 2026-09-23");
    check("这周三", "这周三 = 2026-09-16");
    check("本周五", "本周五 = 2026-09-18");
    check("上周三说的", "上周三 = 2026-09-09");
    check("上上周五", "上上周五 = 2026-09-04");
    check("下下周一", "下下周一 = 2026-09-28");
    check("下个星期天", "下个星期天 = 2026-09-27");
    check("下礼拜二", "下礼拜二 = 2026-09-22");
    check("周五前给我", "周五 = 2026-09-18");
    check("周一说过", "周一 = 2026-09-14");
    check("周三", "周三 = 2026-09-16");
    check("周一交", "周一 = 2026-09-21");
    check("上周", "上周 = 2026-09-07/2026-09-14");
    check("本周的安排", "本周 = 2026-09-14/2026-09-21");
    check("下周", "下周 = 2026-09-21/2026-09-28");
    check("上一周", "上一周 = 2026-09-07/2026-09-14");
    check("这周末", "这周末 = 2026-09-19/2026-09-21");
    check("周末爬山", "周末 = 2026-09-19/2026-09-21");
    check("上周末", "上周末 = 2026-09-12/2026-09-14");
    check("下周三下午三点", "下周三下午三点 = 2026-09-23T15:00");
    check("下週三開會", "下週三 = 2026-09-23");
    check("上周三个客户来了", "上周 = 2026-09-07/2026-09-14");
    check("每周三开会", "");
    check("每逢周五", "");
    check("周报", "");
    check("本周报告", "本周 = 2026-09-14/2026-09-21");
    check("这周报写得不错", "");
}

#[test]
fn chinese_months_and_years() {
    check("3月5日", "3月5日 = 2027-03-05");
    check("12 月 3 日", "12 月 3 日 = 2026-12-03");
    check("10月8号", "10月8号 = 2026-10-08");
    check("去年3月5号", "去年3月5号 = 2025-03-05");
    check("2026年11月30日", "2026年11月30日 = 2026-11-30");
    check("二〇二六年十一月三十日", "二〇二六年十一月三十日 = 2026-11-30");
    check("２０２６年１１月３０日", "２０２６年１１月３０日 = 2026-11-30");
    check("24年3月", "24年3月 = 2024-03");
    check("十一月三十日", "十一月三十日 = 2026-11-30");
    check("在1月份", "1月份 = 2026-01");
    check("11月", "11月 = 2025-11");
    check("11月要上线", "11月 = 2026-11");
    check("上个月", "上个月 = 2026-08");
    check("下个月5号", "下个月5号 = 2026-10-05");
    check("上月初", "上月初 = 2026-08-01/2026-08-11");
    check("下月中旬", "下月中旬 = 2026-10-11/2026-10-21");
    check("本月底", "本月底 = 2026-09-26/2026-10-01");
    check("月底前", "月底 = 2026-09-26/2026-10-01");
    check("年底", "年底 = 2026-12");
    check("3月下旬", "3月下旬 = 2026-03-21/2026-04-01");
    check("今年", "今年 = 2026");
    check("去年", "去年 = 2025");
    check("明年3月", "明年3月 = 2027-03");
    check("前年国庆", "前年国庆 = 2024-10-01");
    check("明年元旦", "明年元旦 = 2027-01-01");
    check("国庆出去玩", "国庆 = 2026-10-01");
    check("第三季度", "第三季度 = 2026-07-01/2026-10-01");
    check("上季度", "上季度 = 2026-04-01/2026-07-01");
    check("今年Q3", "今年Q3 = 2026-07-01/2026-10-01");
    check("上半年", "上半年 = 2026-01-01/2026-07-01");
    check("2025年下半年", "2025年下半年 = 2025-07-01/2026-01-01");
    check("5号", "5号 = 2026-10-05");
    check("20号之前", "20号 = 2026-09-20");
    check("5号发的", "5号 = 2026-09-05");
    check("廿三号", "廿三号 = 2026-09-23");
    check("3月到5月", "3月 = 2026-03; 5月 = 2026-05");
}

#[test]
fn chinese_times() {
    check("下午三点", "下午三点 = 2026-09-16T15:00");
    check("上午十点一刻", "上午十点一刻 = 2026-09-16T10:15");
    check("晚上8点15分", "晚上8点15分 = 2026-09-16T20:15");
    check("中午12点", "中午12点 = 2026-09-16T12:00");
    check("晚上12点", "晚上12点 = 2026-09-17T00:00");
    check("凌晨两点", "凌晨两点 = 2026-09-16T02:00");
    check("下午大概两点半", "下午大概两点半 = 2026-09-16T14:30");
    check("15:30开会", "15:30 = 2026-09-16T15:30");
    check("明天15：30", "明天15：30 = 2026-09-17T15:30");
    check("明天3点", "明天3点 = 2026-09-17T03:00");
    check("明天的下午3点", "明天的下午3点 = 2026-09-17T15:00");
    check("11月30日（周一）上午9点", "11月30日（周一）上午9点 = 2026-11-30T09:00");
    check("一点问题", "");
    check("有一点慢", "");
    check("三点建议", "");
    check("提3点建议", "");
    check("早点休息", "");
    check("晚上睡不着", "");
}

#[test]
fn english_days() {
    check("today", "today = 2026-09-16");
    check("Do it tomorrow at 3pm", "tomorrow at 3pm = 2026-09-17T15:00");
    check("the day after tomorrow", "the day after tomorrow = 2026-09-18");
    check("the day before yesterday", "the day before yesterday = 2026-09-14");
    check("tonight at 8", "tonight at 8 = 2026-09-16T20:00");
    check("in 3 days", "in 3 days = 2026-09-19");
    check("two weeks ago", "two weeks ago = 2026-09-02");
    check("a fortnight ago", "a fortnight ago = 2026-09-02");
    check("a couple of days ago", "a couple of days ago = 2026-09-14");
    check("a few days ago", "a few days ago = 2026-09-09/2026-09-16");
    check("3 months from now", "3 months from now = 2026-12-16");
    check("in 2 hours", "in 2 hours = 2026-09-16T12:00");
    check("the past 3 days", "the past 3 days = 2026-09-14/2026-09-17");
    check("within two weeks", "within two weeks = 2026-09-16/2026-10-01");
    check("recently", "recently = 2026-09-03/2026-09-17");
}

#[test]
fn english_weeks() {
    check("last Friday", "last Friday = 2026-09-11");
    check("last Wednesday", "last Wednesday = 2026-09-09");
    check("next Friday", "next Friday = 2026-09-25");
    check("this Friday", "this Friday = 2026-09-18");
    check("on Monday", "Monday = 2026-09-21");
    check("we met on Monday", "Monday = 2026-09-14");
    check("by Friday", "Friday = 2026-09-18");
    check("last week", "last week = 2026-09-07/2026-09-14");
    check("next weekend", "next weekend = 2026-09-26/2026-09-28");
    check("the week after next", "the week after next = 2026-09-28/2026-10-05");
    check("every Friday", "");
    check("on Fridays", "");
    check("Monday at noon", "Monday at noon = 2026-09-21T12:00");
    check("Friday, 18 September 2026", "Friday, 18 September 2026 = 2026-09-18");
    check("3pm on Friday", "3pm on Friday = 2026-09-18T15:00");
}

#[test]
fn english_months_and_years() {
    check("March 5th", "March 5th = 2027-03-05");
    check("March 15, 2024", "March 15, 2024 = 2024-03-15");
    check("5 March 2026", "5 March 2026 = 2026-03-05");
    check("the 5th of March", "the 5th of March = 2027-03-05");
    check("Mar-15-2024", "Mar-15-2024 = 2024-03-15");
    check("in January", "January = 2026-01");
    check("We will ship in January", "January = 2027-01");
    check("last January", "last January = 2026-01");
    check("last October", "last October = 2025-10");
    check("next May", "next May = 2027-05");
    check("in May", "May = 2026-05");
    check("last month", "last month = 2026-08");
    check("next quarter", "next quarter = 2026-10-01/2027-01-01");
    check("this year", "this year = 2026");
    check("end of the month", "end of the month = 2026-09-26/2026-10-01");
    check("by the end of next month", "the end of next month = 2026-10-27/2026-11-01");
    check("mid-March", "mid-March = 2026-03-11/2026-03-21");
    check("early January 2027", "early January 2027 = 2027-01-01/2027-01-11");
    check("Q3", "Q3 = 2026-07-01/2026-10-01");
    check("Q1 2027", "Q1 2027 = 2027-01-01/2027-04-01");
    check("2026 Q4", "2026 Q4 = 2026-10-01/2027-01-01");
    check("in 2024", "2024 = 2024");
    check("by the 20th", "the 20th = 2026-09-20");
    check("Christmas 2025", "Christmas 2025 = 2025-12-25");
}

#[test]
fn numbers_with_separators() {
    check("2026-11-30", "2026-11-30 = 2026-11-30");
    check("2026/11/30", "2026/11/30 = 2026-11-30");
    check("2026.11.30", "2026.11.30 = 2026-11-30");
    check("11/30/2026", "11/30/2026 = 2026-11-30");
    check("30/11/2026", "30/11/2026 = 2026-11-30");
    check("03/04/2026", "03/04/2026 = 2026-03-04");
    check("30.11.2026", "30.11.2026 = 2026-11-30");
    check("11/30", "11/30 = 2026-11-30");
    check("3/15", "3/15 = 2027-03-15");
    check("by 10/8", "10/8 = 2026-10-08");
    check("2026-11", "2026-11 = 2026-11");
    check("5-Mar-2024", "5-Mar-2024 = 2024-03-05");
    check("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z = 2026-11-30T18:00");
    check("2026-11-30T10:00", "2026-11-30T10:00 = 2026-11-30T10:00");
    check("2026-11-30 10:00", "2026-11-30 10:00 = 2026-11-30T10:00");
    check("2026-11-30 10:00:05+00:00", "2026-11-30 10:00:05+00:00 = 2026-11-30T18:00");
    check("2026-02-30", "");
    check("2026-13-01", "");
}

#[test]
fn what_is_no_date() {
    for text in [
        "version 3.11",
        "v3.11.2",
        "1/2 cup of sugar",
        "2/3 of them",
        "24/7 support",
        "9/10 tests passed",
        "13/15 tests passed",
        "16:9",
        "第三",
        "第三个",
        "may I ask",
        "You may go",
        "they march on",
        "the sun is up",
        "he sat down",
        "call 138-0013-8000",
        "192.168.1.1",
        "10.0.0.1:8080",
        "SO-2024-0913",
        "5号楼",
        "一日三餐",
        "三个月",
        "3天",
        "three days",
        "最近的地铁站",
        "目前天气不错",
        "当前天气阴",
        "已超过5小时",
        "这个年龄",
        "三号强风信号",
        "<h1>",
        "P = 1/13",
        "wed like that",
        "mon ami",
        "first quarter pounder".get(..5).unwrap_or(""),
        "1200元",
        "error 404",
        "port 2024",
        "《三月》".get(..0).unwrap_or(""),
        "上次的事",
        "这个下午茶",
        "半年",
        "三年级",
        "the second half was boring",
        "今",
        "周",
    ] {
        check(text, "");
    }
}

#[test]
fn month_ends_and_leap_years() {
    let at =
        |text: &str| text.parse::<jiff::civil::DateTime>().expect("a time").in_tz("Asia/Shanghai").expect("a zone");
    check_at("一个月后", &at("2026-01-31T12:00"), "一个月后 = 2026-02-28");
    check_at("一个月后", &at("2024-01-31T12:00"), "一个月后 = 2024-02-29");
    check_at("明年今天 a year ago", &at("2024-02-29T12:00"), "明年 = 2025; 今天 = 2024-02-29; a year ago = 2023-02-28");
    check_at("明天", &at("2026-12-31T12:00"), "明天 = 2027-01-01");
    check_at("下周一", &at("2026-12-31T12:00"), "下周一 = 2027-01-04");
    check_at("下个月5号", &at("2026-12-31T12:00"), "下个月5号 = 2027-01-05");
    check_at("2月29日", &at("2026-03-01T12:00"), "2月29日 = 2028-02-29");
    check_at("31号", &at("2026-09-30T12:00"), "31号 = 2026-10-31");
    check_at("本周日", &at("2026-09-20T12:00"), "本周日 = 2026-09-20");
    check_at("下周日", &at("2026-09-20T12:00"), "下周日 = 2026-09-27");
    check_at("next Monday", &at("2026-09-20T12:00"), "next Monday = 2026-09-21");
    check_at("五天后, 明年, next month", &at("9999-12-29T12:00"), "");
}

#[test]
fn the_offset_of_the_event_decides() {
    let at: ZonedDateTime = "2026-09-16T23:30-08:00[-08:00]".parse().expect("a time");
    check_at("tomorrow", &at, "tomorrow = 2026-09-17");
    let at: ZonedDateTime = "2026-09-17T00:30+09:00[+09:00]".parse().expect("a time");
    check_at("昨天", &at, "昨天 = 2026-09-16");
}

#[test]
fn hours_cross_a_clock_change() {
    // New York goes from 02:00 to 03:00 on 8 March 2026, and from 02:00 back to 01:00 on 1 November.
    let at =
        |text: &str| text.parse::<jiff::civil::DateTime>().expect("a time").in_tz("America/New_York").expect("a zone");
    check_at("3小时后", &at("2026-03-08T00:30"), "3小时后 = 2026-03-08T04:30");
    check_at("in 3 hours", &at("2026-11-01T00:30"), "in 3 hours = 2026-11-01T02:30");
    check_at("明天", &at("2026-03-07T02:30"), "明天 = 2026-03-08");
    check_at("in 2 days", &at("2026-10-31T01:30"), "in 2 days = 2026-11-02");
}

fn moments() -> impl Strategy<Value = ZonedDateTime> {
    let zones = prop_oneof![
        (-12i8..=14).prop_map(|hours| TimeZone::fixed(Offset::constant(hours))),
        prop::sample::select(vec![
            "Asia/Shanghai",
            "America/New_York",
            "Pacific/Apia",
            "Europe/London",
            "Asia/Kolkata"
        ])
        .prop_map(|name| TimeZone::get(name).expect("a bundled zone")),
    ];
    (0i64..7_000_000_000, zones)
        .prop_map(|(second, zone)| Timestamp::from_second(second).expect("within the calendar").to_zoned_datetime(zone))
}

fn only(text: &str, at: &ZonedDateTime) -> (Date, Date) {
    let found = crate::signals::dates(text, at);
    assert_eq!(found.len(), 1, "{text} at {at}");
    (found[0].start.date(), found[0].end.date())
}

proptest! {
    #[test]
    fn days_are_counted_on_the_local_calendar(at in moments(), count in 2i64..400) {
        let today = at.date();
        prop_assert_eq!(only("明天", &at).0, today.tomorrow().unwrap());
        prop_assert_eq!(only("yesterday", &at).0, today.yesterday().unwrap());
        prop_assert_eq!(only(&format!("{count}天后"), &at).0, today.checked_add(count.days()).unwrap());
        prop_assert_eq!(only(&format!("{count} days ago"), &at).0, today.checked_sub(count.days()).unwrap());
    }

    #[test]
    fn weeks_hold_together(at in moments(), weekday in 1usize..=7) {
        let name = ["一", "二", "三", "四", "五", "六", "日"][weekday - 1];
        let (monday, next_monday) = only("下周", &at);
        let (day, _) = only(&format!("下周{name}"), &at);
        prop_assert!(monday <= day && day < next_monday);
        prop_assert_eq!(usize::from(day.weekday().to_monday_one_offset().unsigned_abs()), weekday);
        let (last, _) = only(&format!("上周{name}"), &at);
        prop_assert_eq!(last.checked_add(14.days()).unwrap(), day);
        let english = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][weekday - 1];
        prop_assert_eq!(only(&format!("next {english}"), &at).0, day);
        let (past, _) = only(&format!("last {english}"), &at);
        prop_assert!(past < at.date() && past >= at.date().checked_sub(7.days()).unwrap());
    }
}
