//! The Chinese grammar of dates.

use jiff::ToSpan;
use jiff::civil::Date;

use super::clock;
use super::resolve::{
    MonthPart, Stretch, Unit, day_without_month, day_without_year, monday_of, part_of_month, weekday_by_tense,
    weekday_of_week, year_of_month,
};
use super::{Read, Reader, Tense};
use crate::signals::cursor::{Cursor, chinese_digit};
use crate::signals::lexicon::{Hit, Tag};

/// 5号楼 is no day.
const NUMBERED: &[&str] = &[
    "强风",
    "风球",
    "信号",
    "风",
    "楼",
    "线",
    "机",
    "位",
    "院",
    "门",
    "店",
    "房",
    "厅",
    "会议室",
    "桌",
    "选手",
    "柜",
    "仓",
    "车",
    "码",
    "文件",
    "球",
    "员",
    "航站",
    "客户",
    "方案",
    "字",
    "服务",
];
/// After 周 these make another word: 周报, 周期.
const NOT_A_WEEK: &[&str] = &["期", "年", "边", "围", "转", "密", "到的", "折"];
/// 最近 of these is a place or an order, not a time.
const NEAREST: &[&str] = &["的地", "的店", "的路", "邻"];

/// How vague counts are read: 前几天, 几周前, in days.
pub(super) const FEW: [(Unit, i64); 4] = [(Unit::Day, 7), (Unit::Week, 6), (Unit::Month, 6), (Unit::Year, 5)];

/// An expression that starts with a word.
pub(super) fn read(reader: &Reader<'_>, pos: usize, here: &[Hit]) -> Read {
    let cursor = Cursor::new(reader.text, pos);
    let before = cursor.before();
    for hit in here {
        match hit.tag {
            Tag::Day(days, hours) if !part_of_another_word(&cursor, hit, before) => {
                let day = reader.today.checked_add(i64::from(days).days()).ok()?;
                return match hours {
                    Some(part) => clock::read_in_part(Cursor::new(reader.text, hit.end), day, part, true),
                    None => Some((hit.end, Stretch::day(day)?)),
                };
            }
            Tag::Weekday(weekday, _) if !matches!(before, Some('每' | '逢' | '个')) => {
                let day = weekday_by_tense(reader.today, weekday, reader.tense(hit.span()))?;
                return Some((hit.end, Stretch::day(day)?));
            }
            Tag::Festival(month, day) if before.and_then(chinese_digit).is_none() && before != Some('十') => {
                let day = day_without_year(reader.today, month, day, reader.tense(hit.span()))?;
                return Some((hit.end, Stretch::day(day)?));
            }
            Tag::Part(..) => return clock::read_alone(reader, pos),
            _ => {}
        }
    }
    None
}

/// 目前天气, 三天后天气, 说明天气: the two characters of a day belong to its neighbours.
fn part_of_another_word(cursor: &Cursor<'_>, hit: &Hit, before: Option<char>) -> bool {
    let word = &cursor.rest()[..hit.end - hit.start];
    match word {
        "前天" | "后天" | "前晚" | "后晚" => before.is_some_and(|c| "目当眼之以天年月周期先然最".contains(c)),
        "明天" => before.is_some_and(|c| "说声表证".contains(c)) && cursor.rest()[word.len()..].starts_with('气'),
        _ => false,
    }
}

/// An expression that starts with a particle of the grammar: 上, 下, 这, 本, 去, 年, 月, 周 …
pub(super) fn read_particle(reader: &Reader<'_>, pos: usize) -> Read {
    let mut cursor = Cursor::new(reader.text, pos);
    let before = cursor.before();
    let today = reader.today;
    match cursor.peek()? {
        '上' | '下' | '这' | '本' => relative(reader, cursor),
        '今' | '去' | '明' | '前' | '后' | '大' => {
            let years =
                [("今年", 0), ("去年", -1), ("明年", 1), ("大前年", -3), ("前年", -2), ("大后年", 3), ("后年", 2)];
            if let Some((_, years)) = years.iter().find(|(word, _)| cursor.eat(word)) {
                if before == Some('以') || before == Some('之') {
                    return None;
                }
                return year_tail(reader, cursor, today.year().checked_add(*years)?);
            }
            let ahead = cursor.eat_any(&["前几", "前些", "后几"])?;
            let unit = unit(&mut cursor)?;
            few(reader, cursor.pos(), unit, if ahead == 2 { 1 } else { -1 })
        }
        '年' if !before.is_some_and(|c| "每个半一两三四五六七八九十0123456789多些".contains(c)) => {
            let (from, months) = match cursor.eat_any(&["年底", "年末", "年初", "年中"])? {
                0 | 1 => (12, 1),
                2 => (1, 1),
                _ => (6, 2),
            };
            Some((cursor.pos(), Stretch::months(today.year(), from, months)?))
        }
        '月' if !before.is_some_and(|c| "每个一二三四五六七八九十0123456789".contains(c)) => {
            let part = month_part(&mut cursor, true)?;
            Some((cursor.pos(), part_of_month(today.year(), today.month(), part)?))
        }
        '周' if !matches!(before, Some('每' | '个')) && cursor.eat("周末") => {
            let saturday = weekday_of_week(today, weekend_week(reader, pos, cursor.pos()), 6)?;
            Some((cursor.pos(), Stretch::days(saturday, saturday.checked_add(2.days()).ok()?)?))
        }
        '最' | '近' => {
            cursor.eat_any(&["最近", "近"])?;
            let bare = cursor.pos() - pos > "近".len();
            cursor.eat("的");
            if let Some((count, unit)) = count_and_unit(&mut cursor) {
                return lately(reader, cursor.pos(), count, unit);
            }
            let mut cursor = Cursor::new(reader.text, pos);
            if cursor.eat_any(&["最近", "近期", "近日", "近来"]).is_none() || bare && cursor.leads_to(NEAREST) {
                return None;
            }
            lately(reader, cursor.pos(), 14, Unit::Day)
        }
        '过' | '未' | '接' => {
            let ahead = match cursor.eat_any(&["过去", "未来", "接下来", "过"])? {
                0 => -1,
                _ => 1,
            };
            let waits = cursor.pos() - pos == "过".len();
            cursor.eat("的");
            if cursor.eat_any(&["几", "些"]).is_some() {
                let unit = unit(&mut cursor)?;
                return few(reader, cursor.pos(), unit, ahead);
            }
            let (count, unit) = count_and_unit(&mut cursor)?;
            if waits {
                // 过了三天, 不过两天: not a wait of that long.
                return if before.is_some_and(|c| "不超经通度路错难隔".contains(c)) {
                    None
                } else {
                    shifted(reader, cursor.pos(), count, unit)
                };
            }
            if ahead < 0 {
                lately(reader, cursor.pos(), count, unit)
            } else {
                within(reader, cursor.pos(), count, unit)
            }
        }
        '第' => {
            cursor.eat("第");
            let quarter = cursor.number()?;
            cursor.eat_any(&["季度"])?;
            Some((cursor.pos(), Stretch::quarter(today.year(), i8::try_from(quarter).ok()?)?))
        }
        _ => None,
    }
}

/// On Saturday and Sunday 周末 is the one we are in; told as past, the one before.
fn weekend_week(reader: &Reader<'_>, start: usize, end: usize) -> i64 {
    let in_it = reader.today.weekday().to_monday_one_offset() >= 6;
    if reader.tense(start..end) == Tense::Past && !in_it { -1 } else { 0 }
}

/// 上上周三, 下个月5号, 本季度, 这几天, 上半年.
fn relative(reader: &Reader<'_>, mut cursor: Cursor<'_>) -> Read {
    let start = cursor;
    let today = reader.today;
    let mut steps = 0i64;
    while steps < 3 && cursor.eat("下") {
        steps += 1;
    }
    while steps <= 0 && steps > -3 && cursor.eat("上") {
        steps -= 1;
    }
    if steps == 0 {
        let this = cursor.eat_any(&["这", "本"])?;
        if this == 0 && cursor.eat_any(&["几天", "两天", "两三天", "些天"]).is_some() {
            return lately(reader, cursor.pos(), 3, Unit::Day);
        }
    } else if cursor.eat("半年") {
        let from = match steps {
            -1 => 1,
            1 => 7,
            _ => return None,
        };
        return Some((cursor.pos(), Stretch::months(today.year(), from, 6)?));
    }
    cursor.eat("一");
    cursor.eat("个");
    match cursor.eat_any(&["周", "星期", "礼拜", "季度", "月", "年"])? {
        0..=2 => {
            if start.before() == Some('每') {
                return None;
            }
            if cursor.eat("末") {
                let saturday = weekday_of_week(today, steps, 6)?;
                return Some((cursor.pos(), Stretch::days(saturday, saturday.checked_add(2.days()).ok()?)?));
            }
            if let Some(weekday) = weekday_digit(&mut cursor) {
                return Some((cursor.pos(), Stretch::day(weekday_of_week(today, steps, weekday)?)?));
            }
            let another =
                cursor.leads_to(NOT_A_WEEK) || cursor.rest().starts_with('报') && !cursor.rest().starts_with("报告");
            let monday = monday_of(today)?.checked_add(steps.weeks()).ok()?;
            (!another).then(|| Some((cursor.pos(), Stretch::week(monday)?)))?
        }
        3 => {
            let month = today.first_of_month().checked_add(Unit::Quarter.times(steps)?).ok()?;
            Some((cursor.pos(), Stretch::quarter(month.year(), (month.month() - 1) / 3 + 1)?))
        }
        4 => {
            if cursor.rest().starts_with('报') && !cursor.rest().starts_with("报告") {
                return None;
            }
            let month = today.first_of_month().checked_add(steps.months()).ok()?;
            month_tail(cursor, month.year(), month.month())
        }
        _ => {
            // 这年 and 下年 are not said; 本年 and 下一年 are.
            let said = steps != 0 && cursor.pos() - start.pos() > "下年".len() || start.rest().starts_with('本');
            let year = today.year().checked_add(i16::try_from(steps).ok()?)?;
            said.then(|| year_tail(reader, cursor, year))?
        }
    }
}

fn weekday_digit(cursor: &mut Cursor<'_>) -> Option<i8> {
    let c = cursor.peek()?;
    let weekday = match c {
        '日' | '天' => 7,
        '1'..='7' => c as i8 - '0' as i8,
        _ => i8::try_from(chinese_digit(c).filter(|digit| (1..=6).contains(digit))?).ok()?,
    };
    let mut next = *cursor;
    next.jump(next.pos() + c.len_utf8());
    // 上周三个客户 is three customers last week; 上周一共 is a total.
    if next.leads_to(&["个", "位", "家", "次", "共", "起", "直", "项", "天", "篇", "份", "千", "百", "十"])
    {
        return None;
    }
    *cursor = next;
    Some(weekday)
}

fn month_part(cursor: &mut Cursor<'_>, named: bool) -> Option<MonthPart> {
    let parts = [
        ("月初", MonthPart::Early),
        ("月上旬", MonthPart::Early),
        ("月中旬", MonthPart::Middle),
        ("月中", MonthPart::Middle),
        ("月下旬", MonthPart::Late),
        ("月底", MonthPart::End),
        ("月末", MonthPart::End),
    ];
    parts.iter().find(|(word, _)| cursor.eat(if named { word } else { &word["月".len()..] })).map(|(_, part)| *part)
}

/// After a month: a day of it, a part of it, or all of it.
fn month_tail(mut cursor: Cursor<'_>, year: i16, month: i8) -> Read {
    cursor.eat("份");
    let month_end = cursor.pos();
    cursor.spaces();
    cursor.eat("的");
    cursor.eat("月");
    if let Some(part) = month_part(&mut cursor, false) {
        return Some((cursor.pos(), part_of_month(year, month, part)?));
    }
    let mut day = cursor;
    if let Some(number) = day.number()
        && day.eat_any(&["日", "号"]).is_some()
    {
        let date = Date::new(year, month, i8::try_from(number).ok()?).ok()?;
        return Some((day.pos(), Stretch::day(date)?));
    }
    Some((month_end, Stretch::month(year, month)?))
}

/// After a year: a month, a part, a quarter, a festival, or all of it.
fn year_tail(reader: &Reader<'_>, mut cursor: Cursor<'_>, year: i16) -> Read {
    cursor.eat("度");
    let year_end = cursor.pos();
    cursor.spaces();
    cursor.eat("的");
    // 这个年龄, 本年级.
    if cursor.leads_to(&["龄", "级", "代", "轻", "纪"]) {
        return None;
    }
    if let Some(part) = cursor.eat_any(&["年底", "底", "年末", "末", "年初", "初", "年中", "上半年", "下半年"])
    {
        let (from, months) = match part {
            0..=3 => (12, 1),
            4 | 5 => (1, 1),
            6 => (6, 2),
            7 => (1, 6),
            _ => (7, 6),
        };
        return Some((cursor.pos(), Stretch::months(year, from, months)?));
    }
    if let Some(Hit { end, tag: Tag::Festival(month, day), .. }) =
        reader.tag_at(cursor.pos(), |tag| matches!(tag, Tag::Festival(..)))
    {
        return Some((*end, Stretch::day(Date::new(year, *month, *day).ok()?)?));
    }
    let mut quarter = cursor;
    let marked = quarter.eat_any(&["第", "q"]);
    if let Some(number) = quarter.number()
        && (marked == Some(1) || quarter.eat("季度"))
    {
        return Some((quarter.pos(), Stretch::quarter(year, i8::try_from(number).ok()?)?));
    }
    if let Some(month) = cursor.number()
        && cursor.eat("月")
        && (1..=12).contains(&month)
    {
        return month_tail(cursor, year, i8::try_from(month).ok()?);
    }
    Some((year_end, Stretch::year(year)?))
}

/// An expression that starts with a number: 2026年3月5日, 3月, 三天前, 半个月后, 5号, 三季度.
pub(super) fn read_counted(reader: &Reader<'_>, pos: usize) -> Read {
    let start = Cursor::new(reader.text, pos);
    let before = start.before();
    if before.is_some_and(|c| c.is_ascii_alphanumeric() || "_.-+$¥第周期拜".contains(c) || number_char(c)) {
        return None;
    }
    let mut cursor = start;
    if let Some(year) = cursor.year()
        && cursor.eat("年")
    {
        return (1900..=2200).contains(&year).then(|| year_tail(reader, cursor, year))?;
    }
    let mut cursor = start;
    let Some(number) = cursor.number() else { return vague(reader, start) };
    let digits = cursor.pos() - pos;
    if digits == 2 && start.peek()?.is_ascii_digit() {
        let mut year = cursor;
        if year.eat("年") && year.number().is_some() && year.eat("月") {
            cursor.eat("年");
            return year_tail(reader, cursor, 2000 + i16::try_from(number).ok()?);
        }
    }
    cursor.spaces();
    if (1..=12).contains(&number) && cursor.eat("月") {
        return month_and_maybe_day(reader, pos, cursor, i8::try_from(number).ok()?);
    }
    if (1..=4).contains(&number) && cursor.eat("季度") {
        return Some((cursor.pos(), Stretch::quarter(reader.today.year(), i8::try_from(number).ok()?)?));
    }
    if (1..=31).contains(&number) && before != Some('每') {
        let mut day = cursor;
        let marked = day.eat_any(&["号", "日"]);
        // 一日 is a day's length, 5日 a date.
        if marked == Some(0) && !day.leads_to(NUMBERED) || marked == Some(1) && start.peek()?.is_ascii_digit() {
            let tense = reader.tense(pos..day.pos());
            let date = day_without_month(reader.today, i8::try_from(number).ok()?, tense)?;
            return Some((day.pos(), Stretch::day(date)?));
        }
    }
    let (count, unit) = unit_after(&mut cursor, number)?;
    directed(reader, cursor, count, unit)
}

/// Whether an expression may start with a character that starts no word of the lists: most start none, and are done here.
pub(super) fn may_start(c: char) -> bool {
    let particle = matches!(
        c,
        '上' | '下'
            | '这'
            | '本'
            | '今'
            | '去'
            | '明'
            | '前'
            | '后'
            | '大'
            | '年'
            | '月'
            | '周'
            | '最'
            | '近'
            | '过'
            | '未'
            | '接'
            | '第'
    );
    // What `vague` begins with, and the times of day that are words.
    particle || number_char(c) || matches!(c, '半' | '好' | '正' | '午')
}

fn number_char(c: char) -> bool {
    chinese_digit(c).is_some() || matches!(c, '十' | '百' | '千' | '万' | '亿' | '廿' | '几')
}

fn month_and_maybe_day(reader: &Reader<'_>, pos: usize, cursor: Cursor<'_>, month: i8) -> Read {
    let (end, _) = month_tail(cursor, 2024, month)?;
    let tense = reader.tense(pos..end);
    let mut day = cursor;
    day.spaces();
    let number = day.number();
    day.spaces();
    if let Some(number) = number
        && day.eat_any(&["日", "号"]).is_some()
    {
        let date = day_without_year(reader.today, month, i8::try_from(number).ok()?, tense)?;
        return Some((day.pos(), Stretch::day(date)?));
    }
    month_tail(cursor, year_of_month(reader.today, month, tense), month)
}

/// 两三天前, 几个月后, 半年前.
fn vague(reader: &Reader<'_>, mut cursor: Cursor<'_>) -> Read {
    if cursor.eat("半") {
        let (count, unit) = match cursor.eat_any(&["年", "个月", "个小时", "小时", "个钟头"])? {
            0 => (6, Unit::Month),
            1 => (15, Unit::Day),
            _ => (30, Unit::Minute),
        };
        return directed(reader, cursor, count, unit);
    }
    if cursor.eat_any(&["好几", "几"]).is_some() {
        let unit = unit(&mut cursor)?;
        let ahead = direction(&mut cursor)?;
        return few(reader, cursor.pos(), unit, ahead.sign());
    }
    // 两三天: from the smaller to the larger.
    let (low, high) = (cursor.peek().and_then(chinese_digit)?, cursor.rest().chars().nth(1).and_then(chinese_digit)?);
    cursor.jump(cursor.pos() + 2 * "一".len());
    let unit = unit(&mut cursor)?;
    let sign = direction(&mut cursor)?.sign();
    let day = |count: i64| reader.today.checked_add(unit.times(sign * count)?).ok();
    let (from, to) = (day(low)?, day(high)?);
    Some((cursor.pos(), Stretch::days(from.min(to), from.max(to).tomorrow().ok()?)?))
}

fn unit(cursor: &mut Cursor<'_>) -> Option<Unit> {
    let units = [
        ("个星期", Unit::Week),
        ("个礼拜", Unit::Week),
        ("个小时", Unit::Hour),
        ("个钟头", Unit::Hour),
        ("个季度", Unit::Quarter),
        ("个月", Unit::Month),
        ("个周", Unit::Week),
        ("星期", Unit::Week),
        ("礼拜", Unit::Week),
        ("小时", Unit::Hour),
        ("分钟", Unit::Minute),
        ("日子", Unit::Day),
        ("天", Unit::Day),
        ("日", Unit::Day),
        ("周", Unit::Week),
        ("年", Unit::Year),
    ];
    units.iter().find(|(word, _)| cursor.eat(word)).map(|(_, unit)| *unit)
}

fn unit_after(cursor: &mut Cursor<'_>, count: i64) -> Option<(i64, Unit)> {
    if cursor.eat_any(&["个半小时", "个半钟头"]).is_some() {
        return Some((count * 60 + 30, Unit::Minute));
    }
    let unit = unit(cursor)?;
    if unit == Unit::Year && cursor.eat("半") {
        return Some((count * 12 + 6, Unit::Month));
    }
    Some((count, unit))
}

fn count_and_unit(cursor: &mut Cursor<'_>) -> Option<(i64, Unit)> {
    let mut next = *cursor;
    let found = if next.eat("半年") {
        (6, Unit::Month)
    } else if next.eat("半个月") {
        (15, Unit::Day)
    } else if next.eat("几") {
        (7, unit(&mut next).filter(|unit| *unit == Unit::Day)?)
    } else {
        let count = next.number()?;
        next.spaces();
        unit_after(&mut next, count)?
    };
    *cursor = next;
    Some(found)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Ago,
    Ahead,
    Within,
}

impl Direction {
    fn sign(self) -> i64 {
        if self == Self::Ago { -1 } else { 1 }
    }
}

fn direction(cursor: &mut Cursor<'_>) -> Option<Direction> {
    cursor.eat_any(&["左右", "多"]);
    Some(match cursor.eat_any(&["以前", "之前", "前", "以后", "之后", "过后", "后", "以内", "之内", "内"])?
    {
        0..=2 => Direction::Ago,
        3..=6 => Direction::Ahead,
        _ => Direction::Within,
    })
}

fn directed(reader: &Reader<'_>, mut cursor: Cursor<'_>, count: i64, unit: Unit) -> Read {
    match direction(&mut cursor)? {
        Direction::Within => within(reader, cursor.pos(), count, unit),
        direction => shifted(reader, cursor.pos(), direction.sign() * count, unit),
    }
}

/// The day that is so far away; for hours and minutes the minute, on the clock of the world.
pub(super) fn shifted(reader: &Reader<'_>, end: usize, count: i64, unit: Unit) -> Read {
    let span = unit.times(count)?;
    if matches!(unit, Unit::Hour | Unit::Minute) {
        let then = reader.at.checked_add(span).ok()?.datetime();
        return Some((end, Stretch::minute(then.date(), then.hour(), then.minute())?));
    }
    Some((end, Stretch::day(reader.today.checked_add(span).ok()?)?))
}

/// From so long ago to the end of today.
pub(super) fn lately(reader: &Reader<'_>, end: usize, count: i64, unit: Unit) -> Read {
    if matches!(unit, Unit::Hour | Unit::Minute) {
        let then = reader.at.checked_sub(unit.times(count)?).ok()?.datetime();
        return Some((end, Stretch { start: then, end: reader.at.datetime() })).filter(|(_, s)| s.start < s.end);
    }
    let tomorrow = reader.today.tomorrow().ok()?;
    Some((end, Stretch::days(tomorrow.checked_sub(unit.times(count)?).ok()?, tomorrow)?))
}

/// From today to so far ahead, that day included.
pub(super) fn within(reader: &Reader<'_>, end: usize, count: i64, unit: Unit) -> Read {
    if matches!(unit, Unit::Hour | Unit::Minute) {
        let then = reader.at.checked_add(unit.times(count)?).ok()?.datetime();
        return Some((end, Stretch { start: reader.at.datetime(), end: then })).filter(|(_, s)| s.start < s.end);
    }
    let last = reader.today.checked_add(unit.times(count)?).ok()?;
    Some((end, Stretch::days(reader.today, last.tomorrow().ok()?)?))
}

/// Rule 4: several units ago, up to yesterday; or several units ahead, from tomorrow.
pub(super) fn few(reader: &Reader<'_>, end: usize, unit: Unit, sign: i64) -> Read {
    let (_, count) = FEW.iter().find(|(few, _)| *few == unit)?;
    let today = reader.today;
    let stretch = if sign < 0 {
        Stretch::days(today.checked_sub(unit.times(*count)?).ok()?, today)?
    } else {
        Stretch::days(today.tomorrow().ok()?, today.checked_add(unit.times(*count)?).ok()?.tomorrow().ok()?)?
    };
    Some((end, stretch))
}
