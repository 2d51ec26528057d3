//! The English grammar of dates.

use jiff::ToSpan;
use jiff::civil::Date;

use super::clock;
use super::resolve::{
    MonthPart, Stretch, Unit, day_without_month, day_without_year, monday_of, part_of_month, weekday_by_tense,
    weekday_of_week, year_of_month,
};
use super::zh::{few, lately, shifted, within};
use super::{Read, Reader, Tense};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Hit, Tag};

/// Before a month or weekday whose name is also another word ("may", "sun"), or a bare year.
const PREPOSITIONS: &[&str] = &[
    "in", "on", "by", "since", "until", "till", "during", "before", "after", "of", "from", "through", "last", "next",
    "this", "early", "late", "mid", "every", "around",
];

/// An expression that starts with a word.
pub(super) fn read(reader: &Reader<'_>, pos: usize, here: &[Hit]) -> Read {
    let mut cursor = Cursor::new(reader.text, pos);
    if cursor.before().is_some_and(|c| c.is_ascii_alphanumeric() || "_-/.@#\\<".contains(c)) {
        return None;
    }
    for hit in here {
        let named = match hit.tag {
            Tag::Day(days, hours) => {
                let day = reader.today.checked_add(i64::from(days).days()).ok()?;
                match hours {
                    Some(part) => clock::read_in_part(Cursor::new(reader.text, hit.end), day, part, true),
                    None => Some((hit.end, Stretch::day(day)?)),
                }
            }
            Tag::Weekday(weekday, plain) => weekday_named(reader, hit, weekday, plain),
            Tag::Month(month, plain) => month_first(reader, hit, month, plain),
            Tag::Festival(month, day) => {
                let end = Cursor::new(reader.text, hit.end);
                let day = match year_after(end) {
                    Some((_, year)) => Date::new(year, month, day).ok()?,
                    None => day_without_year(reader.today, month, day, reader.tense(hit.span()))?,
                };
                Some((year_after(end).map_or(hit.end, |(end, _)| end), Stretch::day(day)?))
            }
            _ => None,
        };
        if named.is_some() {
            return named;
        }
    }
    let word = cursor.word()?;
    match word {
        "in" | "within" => {
            cursor.spaces();
            let (count, unit) = count_and_unit(&mut cursor)?;
            match (count, word) {
                (None, _) => few(reader, cursor.pos(), unit, 1),
                (Some(count), "in") => shifted(reader, cursor.pos(), count, unit),
                (Some(count), _) => within(reader, cursor.pos(), count, unit),
            }
        }
        "last" | "past" | "previous" | "this" | "next" | "coming" => relative(reader, cursor, word),
        "the" => {
            cursor.spaces();
            let mut next = cursor;
            match next.word() {
                Some(word @ ("last" | "past" | "previous" | "next" | "coming")) => {
                    relative(reader, next, word).filter(|(_, stretch)| !stretch.is_day())
                }
                Some("end" | "beginning" | "start" | "middle") => part_of(reader, cursor),
                Some("other") if next.eat_next_word(&["day"]).is_some() => few(reader, next.pos(), Unit::Day, -1),
                Some(unit @ ("week" | "month")) => {
                    next.eat_next_word(&["after", "before"])?;
                    let steps = if next.eat_next_word(&["next"]).is_some() {
                        2
                    } else {
                        next.eat_next_word(&["last"])?;
                        -2
                    };
                    let unit = if unit == "week" { Unit::Week } else { Unit::Month };
                    Some((next.pos(), whole_unit(reader.today, unit, steps)?))
                }
                Some(_) => quarter_in_words(reader, cursor),
                None => day_of_month(reader, pos, cursor),
            }
        }
        "end" | "beginning" | "start" | "middle" => part_of(reader, Cursor::new(reader.text, pos)),
        "first" | "second" | "third" | "fourth" => quarter_in_words(reader, Cursor::new(reader.text, pos)),
        "early" | "late" | "mid" => part_of_named_month(reader, cursor, word),
        "eod" => Some((cursor.pos(), Stretch::day(reader.today)?)),
        "eom" => Some((cursor.pos(), part_of_month(reader.today.year(), reader.today.month(), MonthPart::End)?)),
        "recently" | "lately" => lately(reader, cursor.pos(), 14, Unit::Day),
        "q" | "h" => quarter(reader, cursor, word),
        "noon" | "midnight" => clock::read_alone(reader, pos),
        _ => {
            let mut cursor = Cursor::new(reader.text, pos);
            let (count, unit) = count_and_unit(&mut cursor)?;
            directed(reader, cursor, count, unit)
        }
    }
}

/// An expression that starts with digits: "5 March 2026", "3 days ago", "2026 Q3", "in 2024".
pub(super) fn read_counted(reader: &Reader<'_>, pos: usize) -> Read {
    let start = Cursor::new(reader.text, pos);
    if start.before().is_some_and(|c| c.is_ascii_alphanumeric() || "_./-:@#$¥+".contains(c)) {
        return None;
    }
    let mut cursor = start;
    if let Some((count, unit)) = count_and_unit(&mut cursor) {
        return directed(reader, cursor, count, unit);
    }
    let mut cursor = start;
    let (number, digits) = cursor.digits(4)?;
    if digits == 4 && (1900..=2200).contains(&number) {
        let year = i16::try_from(number).ok()?;
        let mut next = cursor;
        next.spaces();
        if next.eat_any(&["q"]).is_some()
            && let Some((quarter, 1)) = next.digits(1)
        {
            return Some((next.pos(), Stretch::quarter(year, i8::try_from(quarter).ok()?)?));
        }
        let ends = !cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric() || "-/.:_%".contains(c));
        let wanted =
            start.follows(&["in", "since", "by", "until", "during", "from", "before", "after", "early", "late"]);
        let counted = cursor.leads_to(&["个", "元", "条", "次", "人", "件", "items", "rows", "files", "tokens"]);
        let counted = counted
            || cursor.peek() == Some(' ')
                && Cursor::new(reader.text, cursor.pos() + 1).word().is_some_and(|word| word.len() > 3);
        return (ends && wanted && !counted).then(|| Some((cursor.pos(), Stretch::year(year)?)))?;
    }
    if !(1..=31).contains(&number) {
        return None;
    }
    ordinal(&mut cursor);
    cursor.spaces();
    cursor.eat_word("of");
    cursor.spaces();
    let month_at = cursor.pos();
    let word = cursor.word()?;
    let month = month_named(reader, month_at, word.len())?;
    cursor.eat(".");
    let day = i8::try_from(number).ok()?;
    dated(reader, pos, cursor, month, day)
}

/// The month whose name is at `pos` and `len` long.
pub(super) fn month_named(reader: &Reader<'_>, pos: usize, len: usize) -> Option<i8> {
    reader.hits_at(pos).find_map(|hit| match hit.tag {
        Tag::Month(month, _) if hit.end == pos + len => Some(month),
        _ => None,
    })
}

/// A month and a day were read: maybe a year, else rule 2.
fn dated(reader: &Reader<'_>, pos: usize, cursor: Cursor<'_>, month: i8, day: i8) -> Read {
    let (end, day) = match year_after(cursor) {
        Some((end, year)) => (end, Date::new(year, month, day).ok()?),
        None => (cursor.pos(), day_without_year(reader.today, month, day, reader.tense(pos..cursor.pos()))?),
    };
    Some((end, Stretch::day(day)?))
}

fn year_after(mut cursor: Cursor<'_>) -> Option<(usize, i16)> {
    cursor.eat(",");
    cursor.spaces();
    cursor.eat("-");
    if cursor.eat_word("of") {
        cursor.spaces();
    }
    let (year, 4) = cursor.digits(4)? else { return None };
    let plain = !cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    (plain && (1900..=2200).contains(&year)).then(|| Some((cursor.pos(), i16::try_from(year).ok()?)))?
}

fn ordinal(cursor: &mut Cursor<'_>) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|suffix| {
        let mut next = *cursor;
        let found = next.eat_word(suffix);
        if found {
            *cursor = next;
        }
        found
    })
}

/// A name that starts a month expression: "March 5th, 2026", "Mar-15-2024", "January 2026", "in January".
fn month_first(reader: &Reader<'_>, hit: &Hit, month: i8, plain: bool) -> Read {
    let mut cursor = Cursor::new(reader.text, hit.end);
    let start = Cursor::new(reader.text, hit.start);
    let capital = reader.folded.written(hit.span()).starts_with(char::is_uppercase);
    cursor.eat(".");
    let mut day = cursor;
    if day.spaces() || day.eat("-") {
        day.eat_word("the");
        day.spaces();
        if let Some((number, digits)) = day.digits(4) {
            ordinal(&mut day);
            let whole = !day.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '%' | ':' | '_'));
            if digits <= 2 && whole && (1..=31).contains(&number) && (plain || capital) {
                return dated(reader, hit.start, day, month, i8::try_from(number).ok()?);
            }
            if digits == 4 && whole && (1900..=2200).contains(&number) && (plain || capital) {
                return Some((day.pos(), Stretch::month(i16::try_from(number).ok()?, month)?));
            }
        }
    }
    let wanted = start.follows(PREPOSITIONS);
    let named = if plain { wanted || capital } else { wanted && capital };
    if !named {
        return None;
    }
    let tense = reader.tense(hit.start..hit.end);
    Some((hit.end, Stretch::month(year_of_month(reader.today, month, tense), month)?))
}

fn weekday_named(reader: &Reader<'_>, hit: &Hit, weekday: i8, plain: bool) -> Read {
    let start = Cursor::new(reader.text, hit.start);
    if start.follows(&["every", "each"]) {
        return None;
    }
    let capital = reader.folded.written(hit.span()).starts_with(char::is_uppercase);
    let named = plain || capital && start.follows(PREPOSITIONS);
    if !named {
        return None;
    }
    let day = weekday_by_tense(reader.today, weekday, reader.tense(hit.span()))?;
    // "Friday, March 5": the date says it better.
    let mut next = Cursor::new(reader.text, hit.end);
    if next.eat(",") || next.eat(" ") {
        next.spaces();
        let dated = reader.hits_at(next.pos()).find_map(|after| match after.tag {
            Tag::Month(month, plain) => month_first(reader, after, month, plain).filter(|(_, s)| s.is_day()),
            _ => None,
        });
        let dated = dated.or_else(|| read_counted(reader, next.pos()).filter(|(_, s)| s.is_day()));
        if dated.is_some() {
            return dated;
        }
    }
    Some((hit.end, Stretch::day(day)?))
}

/// "last Friday", "next month", "this week", "the past 3 days", "next January".
fn relative(reader: &Reader<'_>, mut cursor: Cursor<'_>, word: &str) -> Read {
    let today = reader.today;
    let steps = match word {
        "last" | "past" | "previous" => -1,
        "this" => 0,
        _ => 1,
    };
    cursor.spaces();
    let pos = cursor.pos();
    for hit in reader.hits_at(pos) {
        match hit.tag {
            Tag::Weekday(weekday, _) => {
                let day = match steps {
                    -1 => weekday_by_tense(today, weekday, Tense::Past)?,
                    _ if word == "coming" => weekday_by_tense(today.tomorrow().ok()?, weekday, Tense::Future)?,
                    steps => weekday_of_week(today, steps, weekday)?,
                };
                return Some((hit.end, Stretch::day(day)?));
            }
            Tag::Month(month, _) => {
                let year = match steps {
                    -1 if month >= today.month() => today.year() - 1,
                    1 if month <= today.month() => today.year() + 1,
                    _ => today.year(),
                };
                return Some((hit.end, Stretch::month(year, month)?));
            }
            Tag::Part(from, to) => {
                let day = today.checked_add(steps.days()).ok()?;
                return Some((hit.end, Stretch::hours(day, from, to)?));
            }
            _ => {}
        }
    }
    let mut unit_cursor = cursor;
    if let Some(word) = unit_cursor.word() {
        if matches!(word, "weekend") {
            let saturday = weekday_of_week(today, steps, 6)?;
            return Some((unit_cursor.pos(), Stretch::days(saturday, saturday.checked_add(2.days()).ok()?)?));
        }
        if let Some((unit, 1)) =
            unit_named(word).filter(|(unit, _)| !matches!(unit, Unit::Day | Unit::Hour | Unit::Minute))
            && !word.ends_with('s')
        {
            return Some((unit_cursor.pos(), whole_unit(today, unit, steps)?));
        }
    }
    let (count, unit) = count_and_unit(&mut cursor)?;
    match (steps, count) {
        (-1, Some(count)) => lately(reader, cursor.pos(), count, unit),
        (1, Some(count)) => within(reader, cursor.pos(), count, unit),
        (-1 | 1, None) => few(reader, cursor.pos(), unit, steps),
        _ => None,
    }
}

fn whole_unit(today: Date, unit: Unit, steps: i64) -> Option<Stretch> {
    match unit {
        Unit::Week => Stretch::week(monday_of(today)?.checked_add(steps.weeks()).ok()?),
        Unit::Month => {
            let month = today.first_of_month().checked_add(steps.months()).ok()?;
            Stretch::month(month.year(), month.month())
        }
        Unit::Quarter => {
            let month = today.first_of_month().checked_add(Unit::Quarter.times(steps)?).ok()?;
            Stretch::quarter(month.year(), (month.month() - 1) / 3 + 1)
        }
        Unit::Year => Stretch::year(today.year().checked_add(i16::try_from(steps).ok()?)?),
        Unit::Day | Unit::Hour | Unit::Minute => None,
    }
}

/// "(the) end of (the|this|next) month", "the beginning of March".
fn part_of(reader: &Reader<'_>, mut cursor: Cursor<'_>) -> Read {
    let today = reader.today;
    let part = cursor.word()?;
    cursor.eat_next_word(&["of"])?;
    let steps = match cursor.eat_next_word(&["the", "this", "next", "last"]) {
        Some(2) => 1,
        Some(3) => -1,
        _ => 0,
    };
    cursor.spaces();
    let pos = cursor.pos();
    let word = cursor.word()?;
    let end = cursor.pos();
    let month_part = match part {
        "end" => MonthPart::End,
        "middle" => MonthPart::Middle,
        _ => MonthPart::Early,
    };
    if let Some(month) = month_named(reader, pos, word.len()) {
        let (end, year) = year_after(cursor).unwrap_or((end, year_of_month(today, month, reader.tense(pos..end))));
        return Some((end, part_of_month(year, month, month_part)?));
    }
    if word == "day" && part == "end" {
        return Some((end, Stretch::day(today.checked_add(steps.days()).ok()?)?));
    }
    let (unit, 1) = unit_named(word)? else { return None };
    let whole = whole_unit(today, unit, steps)?;
    let (first, next) = (whole.start.date(), whole.end.date());
    let stretch = match (unit, part) {
        (Unit::Month, _) => part_of_month(first.year(), first.month(), month_part)?,
        // One works to the end of a week, on its Friday.
        (Unit::Week, "end") => Stretch::day(weekday_of_week(first, 0, 5)?)?,
        (Unit::Week, "middle") => Stretch::day(weekday_of_week(first, 0, 3)?)?,
        (Unit::Week, _) => Stretch::day(first)?,
        (_, "end") => Stretch::days(next.checked_sub(1.month()).ok()?, next)?,
        (Unit::Year, "middle") => Stretch::months(first.year(), 6, 2)?,
        (_, "middle") => return None,
        _ => Stretch::days(first, first.checked_add(1.month()).ok()?)?,
    };
    Some((end, stretch))
}

/// "mid-March", "late January 2026", "early next month".
fn part_of_named_month(reader: &Reader<'_>, mut cursor: Cursor<'_>, part: &str) -> Read {
    cursor.eat("-");
    cursor.spaces();
    let part = match part {
        "early" => MonthPart::Early,
        "mid" => MonthPart::Middle,
        _ => MonthPart::Late,
    };
    let pos = cursor.pos();
    let word = cursor.word()?;
    if matches!(word, "next" | "last" | "this") {
        let (end, stretch) = relative(reader, cursor, word)?;
        let (first, next) = (stretch.start.date(), stretch.end.date());
        let is_month = first.day() == 1 && first.last_of_month().tomorrow().is_ok_and(|day| day == next);
        return is_month.then(|| Some((end, part_of_month(first.year(), first.month(), part)?)))?;
    }
    let month = month_named(reader, pos, word.len())?;
    let (end, year) = year_after(cursor).unwrap_or_else(|| {
        let end = cursor.pos();
        (end, year_of_month(reader.today, month, reader.tense(pos..end)))
    });
    Some((end, part_of_month(year, month, part)?))
}

/// "Q3", "Q3 2026", "H1".
fn quarter(reader: &Reader<'_>, mut cursor: Cursor<'_>, word: &str) -> Read {
    let (number, 1) = cursor.digits(1)? else { return None };
    if cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')) {
        return None;
    }
    let (end, year) = year_after(cursor).unwrap_or((cursor.pos(), reader.today.year()));
    let number = i8::try_from(number).ok()?;
    match word {
        "q" => Some((end, Stretch::quarter(year, number)?)),
        _ if (1..=2).contains(&number) => Some((end, Stretch::months(year, number * 6 - 5, 6)?)),
        _ => None,
    }
}

fn quarter_in_words(reader: &Reader<'_>, mut cursor: Cursor<'_>) -> Read {
    let number = cursor.eat_next_word(&["first", "second", "third", "fourth"])?;
    let half = cursor.eat_next_word(&["quarter", "half"])? == 1;
    let mut of = cursor;
    of.spaces();
    let named = of.eat_word("of");
    of.spaces();
    let (end, year) = match of.digits(4) {
        Some((year, 4)) if named => (of.pos(), i16::try_from(year).ok()?),
        _ => (cursor.pos(), reader.today.year()),
    };
    let number = i8::try_from(number).ok()?;
    match half {
        false => Some((end, Stretch::quarter(year, number + 1)?)),
        // "the second half" of a match has no year.
        true if named && number < 2 && end > cursor.pos() => Some((end, Stretch::months(year, number * 6 + 1, 6)?)),
        true => None,
    }
}

/// "the 5th of March", "by the 5th".
fn day_of_month(reader: &Reader<'_>, pos: usize, mut cursor: Cursor<'_>) -> Read {
    let start = Cursor::new(reader.text, pos);
    if let Some(found) = read_counted(reader, cursor.pos()).filter(|(_, stretch)| stretch.is_day()) {
        return Some(found);
    }
    let (number, 1..=2) = cursor.digits(2)? else { return None };
    let wanted = start.follows(&["on", "by", "until", "before", "since", "from", "till", "due"]);
    if !ordinal(&mut cursor) || !wanted || cursor.peek().is_some_and(|c| c == '-') {
        return None;
    }
    let mut next = cursor;
    next.spaces();
    // "on the 5th floor" is a place.
    if next.word().is_some_and(|word| !matches!(word, "at" | "and" | "or" | "in" | "if" | "because" | "so" | "please"))
    {
        return None;
    }
    let day = day_without_month(reader.today, i8::try_from(number).ok()?, reader.tense(pos..cursor.pos()))?;
    Some((cursor.pos(), Stretch::day(day)?))
}

/// `None` for a count that is only "a few".
fn count_and_unit(cursor: &mut Cursor<'_>) -> Option<(Option<i64>, Unit)> {
    let mut next = *cursor;
    let count = if next.peek()?.is_ascii_digit() {
        next.digits(3)?.0
    } else {
        match next.word()? {
            "a" | "an" => {
                if next.eat_next_word(&["few"]).is_some() {
                    0
                } else if next.eat_next_word(&["couple"]).is_some() {
                    next.eat_next_word(&["of"]);
                    2
                } else {
                    1
                }
            }
            "few" | "several" | "some" => 0,
            "half" => {
                next.eat_next_word(&["a", "an"]);
                let unit = next.eat_next_word(&["year", "hour", "month"])?;
                *cursor = next;
                return Some(match unit {
                    0 => (Some(6), Unit::Month),
                    1 => (Some(30), Unit::Minute),
                    _ => (Some(15), Unit::Day),
                });
            }
            word => NUMBERS.iter().position(|number| *number == word)? as i64 + 1,
        }
    };
    if !next.spaces() {
        next.eat("-");
    }
    let word = next.word()?;
    let (unit, times) = unit_named(word)?;
    if next.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    *cursor = next;
    Some(((count > 0).then_some(count * times), unit))
}

const NUMBERS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

fn unit_named(word: &str) -> Option<(Unit, i64)> {
    Some(match word {
        "minute" | "minutes" | "min" | "mins" => (Unit::Minute, 1),
        "hour" | "hours" | "hr" | "hrs" => (Unit::Hour, 1),
        "day" | "days" => (Unit::Day, 1),
        "week" | "weeks" => (Unit::Week, 1),
        "fortnight" | "fortnights" => (Unit::Week, 2),
        "month" | "months" => (Unit::Month, 1),
        "quarter" | "quarters" => (Unit::Quarter, 1),
        "year" | "years" => (Unit::Year, 1),
        _ => return None,
    })
}

fn directed(reader: &Reader<'_>, mut cursor: Cursor<'_>, count: Option<i64>, unit: Unit) -> Read {
    let sign = if cursor.eat_next_word(&["ago", "back", "earlier"]).is_some() {
        -1
    } else {
        match cursor.eat_next_word(&["from", "later", "hence"])? {
            0 => {
                cursor.eat_next_word(&["now", "today"])?;
                1
            }
            _ => 1,
        }
    };
    match count {
        Some(count) => shifted(reader, cursor.pos(), sign * count, unit),
        None => few(reader, cursor.pos(), unit, sign),
    }
}

/// A time was read, and the day comes after it: "3pm tomorrow", "15:30 on Friday".
pub(super) fn day_after_clock(reader: &Reader<'_>, end: usize, time: Stretch) -> Option<(usize, Stretch)> {
    let minute = time.start.checked_add(1.minute()).ok()? == time.end;
    if !minute || time.start.date() != reader.today {
        return None;
    }
    let mut cursor = Cursor::new(reader.text, end);
    cursor.eat(",");
    cursor.spaces();
    cursor.eat_word("on");
    cursor.spaces();
    let pos = cursor.pos();
    let first = *reader.text.as_bytes().get(pos)?;
    let (day_end, day) = if first.is_ascii_digit() {
        super::numeric::read(reader, pos).or_else(|| read_counted(reader, pos))?
    } else if first.is_ascii_alphabetic() {
        let from = reader.hits.partition_point(|hit| hit.start < pos);
        let here = &reader.hits[from..];
        read(reader, pos, &here[..here.iter().take_while(|hit| hit.start == pos).count()])?
    } else {
        return None;
    };
    if !day.is_day() {
        return None;
    }
    let time = time.start.time();
    Some((day_end, Stretch::minute(day.start.date(), time.hour(), time.minute())?))
}
