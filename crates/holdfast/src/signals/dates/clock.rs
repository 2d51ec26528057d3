//! Times of day: 下午三点半, 15:30, "3pm", "noon". A named time is one minute, a part of the day is its hours.

use jiff::civil::Date;

use super::resolve::Stretch;
use super::{Read, Reader};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Hit, Tag};

/// After 三点 these make it three points: 三点建议.
const POINTS: &[&str] = &[
    "建议", "意见", "要求", "内容", "原因", "问题", "说明", "注意", "理由", "好处", "不足", "想法", "结论", "补充",
    "改进", "心得", "经验", "启示", "是", "：", "儿", "点", "小", "不",
];

/// A time with a day before it: "… at 3pm", …下午三点.
pub(super) fn read_after_day(reader: &Reader<'_>, end: usize, day: Date) -> Read {
    let mut cursor = Cursor::new(reader.text, end);
    cursor.eat_any(&[",", "，"]);
    cursor.spaces();
    cursor.eat_any(&["的", "在"]);
    if cursor.eat_word("at") || cursor.eat_word("in") {
        cursor.spaces();
        cursor.eat_word("the");
        cursor.spaces();
    }
    let pos = cursor.pos();
    if pos == end && cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric()) && ends_in_digit(reader.text, end) {
        return None;
    }
    read(reader, pos, day, true)
}

fn ends_in_digit(text: &str, end: usize) -> bool {
    text.as_bytes()[..end].last().is_some_and(u8::is_ascii_digit)
}

/// A time with no day beside it is today's.
pub(super) fn read_alone(reader: &Reader<'_>, pos: usize) -> Read {
    let before = Cursor::new(reader.text, pos).before();
    if before.is_some_and(|c| c.is_ascii_alphanumeric() || "_./-:@#$¥+第这几每差早晚整半有扣加得减".contains(c))
    {
        return None;
    }
    // A part of the day alone (晚上睡不着) is no time.
    let part_end = reader.tag_at(pos, |tag| matches!(tag, Tag::Part(..))).map_or(pos, |hit| hit.end);
    read(reader, pos, reader.today, false).filter(|(end, _)| *end > part_end)
}

/// `after_day`: a bare 三点 is taken as a time.
fn read(reader: &Reader<'_>, pos: usize, day: Date, after_day: bool) -> Read {
    match reader.tag_at(pos, |tag| matches!(tag, Tag::Part(..))) {
        Some(Hit { end, tag: Tag::Part(from, to), .. }) => {
            read_in_part(Cursor::new(reader.text, *end), day, (*from, *to), after_day)
        }
        _ => {
            let (end, hour, minute) = time(Cursor::new(reader.text, pos), None, after_day)?;
            Some((end, Stretch::minute(day, hour, minute)?))
        }
    }
}

/// After a part of the day: its hours, or the time in it that follows (下午 + 三点, "tonight" + "at 8").
pub(super) fn read_in_part(mut cursor: Cursor<'_>, day: Date, part: (u8, u8), after_day: bool) -> Read {
    let part_end = cursor.pos();
    cursor.eat("的");
    cursor.eat_any(&["大概", "大约", "差不多", "约"]);
    cursor.spaces();
    let at = cursor.eat_word("at");
    cursor.spaces();
    if let Some((end, hour, minute)) = time(cursor, Some(part), after_day) {
        return Some((end, on_day(day, hour, minute, Some(part))?));
    }
    let mut hour = cursor;
    if at
        && let Some((value, 1..=2)) = hour.digits(2)
        && !hour.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '%'))
    {
        return Some((hour.pos(), on_day(day, i8::try_from(value).ok()?, 0, Some(part))?));
    }
    Some((part_end, Stretch::hours(day, part.0, part.1)?))
}

/// The hour said with the part of the day it is in: 下午三点 is 15, 晚上12点 is midnight, 夜里1点 the next day's.
fn on_day(day: Date, hour: i8, minute: i8, part: Option<(u8, u8)>) -> Option<Stretch> {
    let Some((from, _)) = part else { return Stretch::minute(day, hour, minute) };
    let (day, hour) = match (from, hour) {
        (18.., 12) => (day.tomorrow().ok()?, 0),
        (18.., 0..=4) => (day.tomorrow().ok()?, hour),
        (12.., 1..=11) => (day, hour + 12),
        // 中午 12 and 1 o'clock.
        (11, 1..=2) => (day, hour + 12),
        (0..=4, 12) => (day, 0),
        _ => (day, hour),
    };
    Stretch::minute(day, hour, minute)
}

/// Hour and minute as said, 12-hour marks applied.
fn time(mut cursor: Cursor<'_>, part: Option<(u8, u8)>, after_day: bool) -> Option<(usize, i8, i8)> {
    for (word, hour) in [("noon", 12), ("midnight", 24), ("正午", 12), ("零点", 0), ("午夜", 24)] {
        let found = if word.is_ascii() { cursor.eat_word(word) } else { cursor.eat(word) };
        if found {
            return Some((cursor.pos(), hour, 0));
        }
    }
    let written_in_digits = cursor.peek()?.is_ascii_digit();
    let start = cursor.pos();
    let hour = i8::try_from(cursor.number()?).ok()?;
    let digits = cursor.pos() - start;
    if written_in_digits && (cursor.eat(":") || cursor.eat("：")) {
        let (minute, 2) = cursor.digits(2)? else { return None };
        let mut seconds = cursor;
        if seconds.eat(":") && matches!(seconds.digits(2), Some((_, 2))) {
            cursor = seconds;
        }
        if digits > 2
            || cursor
                .peek()
                .is_some_and(|c| c == ':' || c == '.' && cursor.rest()[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            return None;
        }
        let hour = half_day(&mut cursor, hour).unwrap_or(Some(hour))?;
        return valid(cursor, hour, i8::try_from(minute).ok()?);
    }
    if written_in_digits && digits <= 2 {
        if let Some(hour) = half_day(&mut cursor, hour) {
            return valid(cursor, hour?, 0);
        }
        let mut clock = cursor;
        clock.spaces();
        if clock.eat("o'clock") {
            return valid(clock, hour, 0);
        }
    }
    if cursor.eat("时") {
        let minute = minutes(&mut cursor, "分").unwrap_or(0);
        let whole = minute > 0 || cursor.eat("整") || part.is_some() || after_day;
        return if whole && !cursor.rest().starts_with('间') { valid(cursor, hour, minute) } else { None };
    }
    if !cursor.eat("点") {
        return None;
    }
    let after_point = cursor.pos();
    let minute = if cursor.eat("半") {
        30
    } else if cursor.eat("一刻") {
        15
    } else if cursor.eat("三刻") {
        45
    } else {
        minutes(&mut cursor, "分").unwrap_or(0)
    };
    let exact = cursor.pos() > after_point || cursor.eat_any(&["钟", "整"]).is_some();
    let sure = exact
        || part.is_some()
        || after_day
        || (written_in_digits && !cursor.leads_to(POINTS))
        || cursor.leads_to(&["前", "之前", "左右", "开会", "到"]);
    if sure && (exact || !cursor.leads_to(POINTS)) { valid(cursor, hour, minute) } else { None }
}

/// 十分, 05分, and 三点十 without 分 only in digits of two.
fn minutes(cursor: &mut Cursor<'_>, unit: &str) -> Option<i8> {
    let mut next = *cursor;
    next.eat("零");
    let start = next.pos();
    let value = next.number()?;
    let digits = next.pos() - start;
    let marked = next.eat(unit) && !next.rest().starts_with(['钟', '之']);
    if marked || digits >= 2 && next.pos() - start != 3 {
        *cursor = next;
        return i8::try_from(value).ok();
    }
    None
}

/// "am" and "pm": `Some(None)` for an hour that a half day does not have.
#[expect(clippy::option_option, reason = "no mark, a wrong hour and an hour are three cases")]
fn half_day(cursor: &mut Cursor<'_>, hour: i8) -> Option<Option<i8>> {
    let mut next = *cursor;
    next.spaces();
    let found = ["am", "pm", "a.m.", "p.m.", "a.m", "p.m"].iter().position(|mark| {
        let mut mark_end = next;
        let whole = mark_end.eat(mark) && !mark_end.peek().is_some_and(|c| c.is_ascii_alphanumeric());
        if whole {
            next = mark_end;
        }
        whole
    })?;
    *cursor = next;
    if !(1..=12).contains(&hour) {
        return Some(None);
    }
    Some(Some(hour % 12 + if found % 2 == 1 { 12 } else { 0 }))
}

fn valid(cursor: Cursor<'_>, hour: i8, minute: i8) -> Option<(usize, i8, i8)> {
    let fits = (0..=23).contains(&hour) && (0..=59).contains(&minute) || hour == 24 && minute == 0;
    fits.then(|| (cursor.pos(), hour, minute))
}
