//! Times as logs and data sets write them, most of them without an offset. What is ambiguous (05/10/2024) is not guessed.

use jiff::civil::{Date, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use serde_json::Value;

use crate::text::{MONTHS, WEEKDAYS};
use crate::types::moment;

/// A time that was read, and whether only its day was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct When {
    pub moment: ZonedDateTime,
    pub day_only: bool,
}

/// Longest text that can be a time: "Wednesday, September 30th, 2026 at 11:59:59.999999999 PM" and some room.
const TIME_BYTES_MAX: usize = 96;

/// Above this, a number is milliseconds since 1970, not seconds: as seconds it would be the year 5138.
const UNIX_SECONDS_MAX: f64 = 1e11;

/// Reads a text or a number of seconds or milliseconds since 1970. Without an offset it is a time of `zone`; a day is its beginning.
pub(super) fn read(value: &Value, zone: &TimeZone) -> Option<When> {
    match value {
        Value::String(text) => read_text(text, zone),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let seconds = if number.abs() < UNIX_SECONDS_MAX { number } else { number / 1000.0 };
            // Milliseconds are as fine as a float of today's seconds is exact.
            let timestamp = Timestamp::from_millisecond((seconds * 1000.0).round() as i64).ok()?;
            Some(When { moment: timestamp.to_zoned_datetime(zone.clone()), day_only: false })
        }
        _ => None,
    }
}

fn read_text(text: &str, zone: &TimeZone) -> Option<When> {
    let text = text.trim();
    if text.len() > TIME_BYTES_MAX {
        return None;
    }
    if let Ok(moment) = moment::parse(text) {
        return Some(When { moment, day_only: false });
    }
    let (date, time) = match Pieces::parse(text) {
        // It has an offset or a zone and yet is no moment: a mistake.
        Ok(pieces) if pieces.offset().is_some() || pieces.time_zone_annotation().is_some() => return None,
        Ok(pieces) => (pieces.date(), pieces.time()),
        Err(_) => read_words(text)?,
    };
    let moment = date.to_datetime(time.unwrap_or(Time::midnight())).to_zoned_datetime(zone.clone()).ok()?;
    Some(When { moment, day_only: time.is_none() })
}

#[derive(Debug, PartialEq)]
enum Token {
    Number { value: i16, digits: usize },
    Word(String),
    Colon,
}

/// "March-15-2024", "2021/06/01 (Tue) 21:10", "1:56 pm on 8 May, 2023", 「2024年3月15日 8:30」: in any order, all words known.
fn read_words(text: &str) -> Option<(Date, Option<Time>)> {
    let mut tokens = tokens(text)?;
    let time = match tokens.iter().position(|token| *token == Token::Colon) {
        Some(colon) => Some(take_time(&mut tokens, colon)?),
        None => None,
    };
    let (mut numbers, mut month) = (Vec::new(), None);
    for token in tokens {
        match token {
            Token::Number { value, digits } => numbers.push((value, digits)),
            Token::Word(word) if is_filler(&word) => {}
            Token::Word(word) => {
                if month.replace(month_number(&word)?).is_some() {
                    return None;
                }
            }
            Token::Colon => return None,
        }
    }
    let (year, month, day) = match (month, numbers.as_slice()) {
        (Some(month), [(year, 4), (day, 1 | 2)] | [(day, 1 | 2), (year, 4)]) => (*year, month, *day),
        (None, [(year, 4), (month, 1 | 2), (day, 1 | 2)]) => (*year, i8::try_from(*month).ok()?, *day),
        _ => return None,
    };
    Some((Date::new(year, month, i8::try_from(day).ok()?).ok()?, time))
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let length = if first.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            tokens.push(Token::Number { value: rest[..length].parse().ok()?, digits: length });
            length
        } else if first.is_ascii_alphabetic() {
            let length = run(|c| c.is_ascii_alphabetic());
            tokens.push(Token::Word(rest[..length].to_ascii_lowercase()));
            length
        } else {
            match first {
                ':' | '：' => tokens.push(Token::Colon),
                ' ' | '-' | '/' | '.' | ',' | '(' | ')' | '，' | '（' | '）' => {}
                '年' | '月' | '日' | '号' | '周' | '星' | '期' | '一' | '二' | '三' | '四' | '五' | '六' =>
                    {}
                _ => return None,
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    Some(tokens)
}

/// Takes `H:MM`, `H:MM:SS` and an am or pm behind it out of the tokens.
fn take_time(tokens: &mut Vec<Token>, colon: usize) -> Option<Time> {
    let start = colon.checked_sub(1)?;
    let number = |at: usize| match tokens.get(at) {
        Some(Token::Number { value, digits: 1 | 2 }) => i8::try_from(*value).ok(),
        _ => None,
    };
    let (hour, minute) = (number(start)?, number(colon + 1)?);
    let has_second = tokens.get(colon + 2) == Some(&Token::Colon);
    let second = if has_second { number(colon + 3)? } else { 0 };
    let mut end = if has_second { colon + 4 } else { colon + 2 };
    let hour = match tokens.get(end) {
        Some(Token::Word(half)) if half == "am" || half == "pm" => {
            if !(1..=12).contains(&hour) {
                return None;
            }
            end += 1;
            hour % 12 + if half == "pm" { 12 } else { 0 }
        }
        _ => hour,
    };
    tokens.drain(start..end);
    Time::new(hour, minute, second, 0).ok()
}

fn is_filler(word: &str) -> bool {
    const FILLERS: &[&str] = &["on", "at", "of", "the", "st", "nd", "rd", "th"];
    FILLERS.contains(&word) || (word.len() >= 3 && WEEKDAYS.iter().any(|day| day.starts_with(word)))
}

fn month_number(word: &str) -> Option<i8> {
    let at = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && (month.starts_with(word) || word == "sept" && *month == "september"))?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let zone = TimeZone::fixed(jiff::tz::offset(8));
        let read = read_text(text, &zone)
            .map(|when| format!("{}{}", moment::format(&when.moment), if when.day_only { " (day)" } else { "" }));
        assert_eq!(read.as_deref(), expected, "{text}");
    }

    #[test]
    fn the_written_forms_of_the_data_sets() {
        check("March-15-2024", Some("2024-03-15T00:00:00+08:00 (day)"));
        check("2021/06/01 (Tue) 21:10", Some("2021-06-01T21:10:00+08:00"));
        check("2023-10-01 07:30:00", Some("2023-10-01T07:30:00+08:00"));
        check("2025-03-01 08:00", Some("2025-03-01T08:00:00+08:00"));
        check("2023-12-25", Some("2023-12-25T00:00:00+08:00 (day)"));
    }

    #[test]
    fn other_forms_that_logs_use() {
        check("2026-11-09T09:00:00Z", Some("2026-11-09T09:00:00Z"));
        check("2026-11-09T09:00:00-05:00", Some("2026-11-09T09:00:00-05:00"));
        check("1:56 pm on 8 May, 2023", Some("2023-05-08T13:56:00+08:00"));
        check("12:05 am on 1 Sept 2023", Some("2023-09-01T00:05:00+08:00"));
        check("Wednesday, September 30th, 2026 at 11:59:59 PM", Some("2026-09-30T23:59:59+08:00"));
        check("2024年3月15日 星期五 8:30", Some("2024-03-15T08:30:00+08:00"));
        check("2024.3.5", Some("2024-03-05T00:00:00+08:00 (day)"));
    }

    #[test]
    fn what_is_ambiguous_or_no_time_is_not_guessed() {
        for text in [
            "05/10/2024",
            "2024-02-30",
            "25:00 2024-01-01",
            "13:00 pm 2024-01-01",
            "March 2024",
            "soon",
            "昨天",
            "99999999-1-1",
            "2024",
            "1:2:3:4",
            ":",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn numbers_are_seconds_or_milliseconds() {
        for number in [Value::from(1_762_650_000), Value::from(1_762_650_000_000_i64), Value::from(1_762_650_000.0)] {
            let when = read(&number, &TimeZone::UTC).unwrap();
            assert_eq!(when.moment.to_string(), "2025-11-09T01:00:00+00:00[UTC]");
        }
        assert_eq!(read(&Value::from(f64::MAX), &TimeZone::UTC), None);
    }
}
