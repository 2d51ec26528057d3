//! Dates in digits with separators: ISO, slashes, dots.

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use super::resolve::{Stretch, day_without_year};
use super::{Read, Reader};
use crate::signals::cursor::Cursor;

/// What comes before a pair of numbers that is a date.
const DATE_WANTED: &[&str] = &[
    "on", "by", "before", "until", "till", "from", "since", "after", "due", "在", "到", "于", "至", "截止", "从",
    "定在",
];
/// What comes after a pair of numbers that is a count.
const COUNTED: &[&str] = &[
    "个", "项", "条", "份", "分", "的", "通过", "完成", "测试", "pass", "test", "done", "complete", "item", "point",
    "score", "correct", "cup", "inch", "of ", "%", "页",
];

pub(super) fn read(reader: &Reader<'_>, pos: usize) -> Read {
    let mut cursor = Cursor::new(reader.text, pos);
    if cursor.before().is_some_and(|c| c.is_ascii_alphanumeric() || "_./-:@#$¥€£+\\=".contains(c)) {
        return None;
    }
    let (first, first_digits) = cursor.digits(4)?;
    let separator = cursor.peek().filter(|c| matches!(c, '-' | '/' | '.'))?;
    cursor.jump(cursor.pos() + 1);
    let (second, second_digits) = match cursor.digits(2) {
        Some(second) => second,
        None => return day_month_name(reader, pos, first, separator),
    };
    let third = Some(cursor.peek()).filter(|c| *c == Some(separator)).and_then(|_| {
        let mut next = cursor;
        next.jump(next.pos() + 1);
        let found = next.digits(4)?;
        cursor = next;
        Some(found)
    });
    let day = match (first_digits, third) {
        (4, Some((day, 1..=2))) => date(first, second, day)?,
        (4, None) if separator != '.' && second_digits == 2 && ends(&cursor, separator) => {
            let (year, month) = (i16::try_from(first).ok()?, i8::try_from(second).ok()?);
            return (1900..2200).contains(&year).then(|| Some((cursor.pos(), Stretch::month(year, month)?))).flatten();
        }
        (1..=2, Some((year, 4))) if separator == '.' => date(year, second, first)?,
        (1..=2, Some((year, 4))) => date(year, first, second).or_else(|| date(year, second, first))?,
        (1..=2, None)
            if separator == '/' && ends(&cursor, '/') && pair_is_date(reader, pos, &cursor, first, second) =>
        {
            let tense = reader.tense(pos..cursor.pos());
            day_without_year(reader.today, i8::try_from(first).ok()?, i8::try_from(second).ok()?, tense)?
        }
        _ => return None,
    };
    if !ends(&cursor, separator) && !matches!(cursor.peek(), Some('t')) {
        return None;
    }
    if let Some(found) = iso_time(reader, pos, cursor, day) {
        return Some(found);
    }
    Some((cursor.pos(), Stretch::day(day)?))
}

fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let year = i16::try_from(year).ok().filter(|year| (1000..=9998).contains(year))?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn ends(cursor: &Cursor<'_>, separator: char) -> bool {
    let mut after = cursor.rest().chars();
    match after.next() {
        Some(c) if c.is_ascii_alphanumeric() || c == '_' || c == '%' => false,
        Some('.' | ':') => !after.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c != separator || c == '-' && !after.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        None => true,
    }
}

/// Rule 3 for a pair alone.
fn pair_is_date(reader: &Reader<'_>, pos: usize, end: &Cursor<'_>, month: i64, day: i64) -> bool {
    let before = Cursor::new(reader.text, pos);
    if !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || end.leads_to(COUNTED)
        || before.follows(&["=", "+", "*", "×", "≈"])
    {
        return false;
    }
    day > 12 || month > day || before.follows(DATE_WANTED) || end.leads_to(&["之前", "前", "截止"])
}

/// `5-Mar-2024`, `05/Mar/2024`.
fn day_month_name(reader: &Reader<'_>, pos: usize, day: i64, separator: char) -> Read {
    let start = pos + reader.text[pos..].find(separator)? + 1;
    let mut cursor = Cursor::new(reader.text, start);
    let word = cursor.word()?;
    let month = super::en::month_named(reader, start, word.len())?;
    let year = cursor.eat_any(&[if separator == '/' { "/" } else { "-" }]).and_then(|_| cursor.digits(4));
    let (year, 4) = year? else { return None };
    Some((cursor.pos(), Stretch::day(date(year, i64::from(month), day)?)?))
}

/// `T10:00:00Z`, ` 10:00`: the time of an ISO date. One with an offset is led to the event's own zone.
fn iso_time(reader: &Reader<'_>, pos: usize, mut cursor: Cursor<'_>, day: Date) -> Read {
    let day_end = cursor.pos();
    if !cursor.eat("t") {
        // A blank and a time is left to the clock, but for an offset.
        if !cursor.eat(" ") {
            return None;
        }
    }
    let (hour, 2) = cursor.digits(2)? else { return None };
    if !cursor.eat(":") {
        return None;
    }
    let (minute, 2) = cursor.digits(2)? else { return None };
    if cursor.eat(":") {
        cursor.digits(2)?;
        let mut fraction = cursor;
        if fraction.eat(".") && fraction.digits(9).is_some() {
            cursor = fraction;
        }
    }
    let hour = i8::try_from(hour).ok()?;
    let minute = i8::try_from(minute).ok()?;
    let zoned = offset_end(cursor).and_then(|end| {
        let stamp: String = reader.text[pos..end].chars().map(|c| if c == ' ' { 't' } else { c }).collect();
        // Slashes are no ISO: such a stamp has no offset either.
        let stamp: Timestamp = stamp.to_uppercase().parse().ok()?;
        let local = stamp.to_zoned_datetime(reader.at.time_zone().clone()).datetime();
        let time = local.time();
        Some((end, Stretch::minute(local.date(), time.hour(), time.minute())?))
    });
    let plain = || {
        Time::new(hour, minute, 0, 0).ok()?;
        // `10:00pm` is the clock's business.
        (reader.text.as_bytes()[day_end] == b't').then(|| Some((cursor.pos(), Stretch::minute(day, hour, minute)?)))?
    };
    zoned.or_else(plain)
}

fn offset_end(mut cursor: Cursor<'_>) -> Option<usize> {
    if cursor.eat("z") {
        return (!cursor.peek().is_some_and(char::is_alphanumeric)).then_some(cursor.pos());
    }
    cursor.eat_any(&["+", "-"])?;
    let (_, digits) = cursor.digits(4)?;
    match digits {
        4 => Some(cursor.pos()),
        2 if cursor.eat(":") => matches!(cursor.digits(2), Some((_, 2))).then_some(cursor.pos()),
        _ => None,
    }
}
