//! Dates and times of day in a folded text, in one form: 下午三点 and 15:00, 11 月 30 日 and "Nov 30". What is not said stays open: a day
//! without a year is of no year, and nothing is resolved against a clock.

use super::numbers::{numeral, word_ends};
use crate::text::{MONTHS, WEEKDAYS};

/// What is said of a day or a time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: Option<u16>,
    pub(super) month: Option<u8>,
    pub(super) day: Option<u8>,
    /// Monday is 1.
    pub(super) weekday: Option<u8>,
    /// Since midnight.
    pub(super) minute: Option<u16>,
    /// Seen from when it is said: see `RELATIVE`.
    pub(super) relative: Option<&'static str>,
}

impl Date {
    /// Whether this says all that another says: 2026年11月30日 is also 11月30日.
    pub(super) fn bears(&self, other: &Self) -> bool {
        fn has<T: PartialEq>(own: Option<T>, other: Option<T>) -> bool {
            other.is_none() || own == other
        }
        has(self.year, other.year)
            && has(self.month, other.month)
            && has(self.day, other.day)
            && has(self.weekday, other.weekday)
            && has(self.minute, other.minute)
            && has(self.relative, other.relative)
    }
}

/// Days, weeks, months and years that are told from the present one.
const RELATIVE: &[(&str, &str)] = &[
    ("大前天", "-3d"),
    ("前天", "-2d"),
    ("昨天", "-1d"),
    ("昨日", "-1d"),
    ("今天", "0d"),
    ("今日", "0d"),
    ("明天", "1d"),
    ("明日", "1d"),
    ("后天", "2d"),
    ("大后天", "3d"),
    ("昨晚", "-1e"),
    ("今晚", "0e"),
    ("明晚", "1e"),
    ("今早", "0m"),
    ("明早", "1m"),
    ("上上周", "-2w"),
    ("上周", "-1w"),
    ("上星期", "-1w"),
    ("上个星期", "-1w"),
    ("本周", "0w"),
    ("这周", "0w"),
    ("这个星期", "0w"),
    ("下周", "1w"),
    ("下星期", "1w"),
    ("下个星期", "1w"),
    ("下下周", "2w"),
    ("上个月", "-1o"),
    ("上月", "-1o"),
    ("本月", "0o"),
    ("这个月", "0o"),
    ("下个月", "1o"),
    ("下月", "1o"),
    ("上季度", "-1q"),
    ("本季度", "0q"),
    ("下季度", "1q"),
    ("去年", "-1y"),
    ("今年", "0y"),
    ("明年", "1y"),
    ("前年", "-2y"),
    ("the day before yesterday", "-2d"),
    ("yesterday", "-1d"),
    ("today", "0d"),
    ("tomorrow", "1d"),
    ("the day after tomorrow", "2d"),
    ("tonight", "0e"),
    ("last night", "-1e"),
    ("last week", "-1w"),
    ("this week", "0w"),
    ("next week", "1w"),
    ("last month", "-1o"),
    ("this month", "0o"),
    ("next month", "1o"),
    ("last quarter", "-1q"),
    ("this quarter", "0q"),
    ("next quarter", "1q"),
    ("last year", "-1y"),
    ("this year", "0y"),
    ("next year", "1y"),
];
/// A whole number of at most `digits_max` digits, in figures or Chinese words.
fn whole(text: &str, digits_max: usize) -> Option<(u16, usize)> {
    let figures = text.bytes().take_while(u8::is_ascii_digit).count();
    if figures > 0 {
        return (figures <= digits_max).then(|| Some((text[..figures].parse().ok()?, figures)))?;
    }
    let (value, end) = numeral(text)?;
    (!value.contains('.')).then(|| Some((value.parse().ok()?, end)))?
}

/// The date or time at the beginning of a text, and where it ends.
pub(super) fn date(before: &str, text: &str) -> Option<(Date, usize)> {
    if before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | ':'))
        && text.is_char_boundary(0)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        return None;
    }
    relative(text)
        .or_else(|| weekday(text))
        .or_else(|| clock(text))
        .or_else(|| numeric(text))
        .or_else(|| zh(text))
        .or_else(|| en(text))
}

/// 昨天, 下周三, "last week".
fn relative(text: &str) -> Option<(Date, usize)> {
    let listed = RELATIVE
        .iter()
        .filter(|(word, _)| text.strip_prefix(word).is_some_and(|rest| !word.is_ascii() || word_ends(rest)));
    let (word, code) = listed.max_by_key(|(word, _)| word.len())?;
    let date = Date { relative: Some(code), ..Date::default() };
    // 下周三 is of next week.
    let day = word.strip_suffix('周').or_else(|| word.strip_suffix("星期"));
    match day.and_then(|before| weekday(&text[before.len()..]).map(|(day, length)| (day, before.len() + length))) {
        Some((day, end)) => Some((Date { weekday: day.weekday, ..date }, end)),
        None => Some((date, word.len())),
    }
}

fn weekday(text: &str) -> Option<(Date, usize)> {
    let of = |weekday: usize, end| Some((Date { weekday: u8::try_from(weekday).ok(), ..Date::default() }, end));
    for lead in ["星期", "礼拜", "周"] {
        let Some(rest) = text.strip_prefix(lead) else { continue };
        let Some(c) = rest.chars().next() else { continue };
        let number = "一二三四五六日天".chars().position(|known| known == c)?.min(6) + 1;
        // 周一次 is once a week.
        if rest[c.len_utf8()..].starts_with('次') || lead == "周" && c == '天' {
            return None;
        }
        return of(number, lead.len() + c.len_utf8());
    }
    let word = &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())];
    let number = WEEKDAYS.iter().position(|day| {
        word == *day
            || (word.len() >= 3
                && word.len() <= 5
                && day.starts_with(word)
                && !matches!(word, "sun" | "sat" | "mon" | "wed"))
            || matches!((word, *day), ("mon", "monday") | ("wed", "wednesday"))
    })?;
    of(number + 1, word.len())
}

/// 15:00, 3:30 pm, 3pm, 下午三点半.
fn clock(text: &str) -> Option<(Date, usize)> {
    let of = |hour: u16, minute: u16, end| {
        let day = hour < 25 && minute < 60;
        day.then(|| (Date { minute: Some(hour * 60 + minute), ..Date::default() }, end))
    };
    let parts: &[(&str, u16)] = &[
        ("凌晨", 0),
        ("早上", 0),
        ("上午", 0),
        ("早", 0),
        ("中午", 12),
        ("下午", 12),
        ("傍晚", 12),
        ("晚上", 12),
        ("晚", 12),
    ];
    let part = parts.iter().find(|(word, _)| text.starts_with(word));
    let start = part.map_or(0, |(word, _)| word.len());
    let start = start + usize::from(start > 0 && text[start..].starts_with(' '));
    let (hour, length) = whole(&text[start..], 2)?;
    let mut end = start + length;
    let afternoon = |hour: u16, add: u16| if add == 12 && hour < 12 && hour > 0 { hour + 12 } else { hour };
    if let Some(rest) = text[end..].strip_prefix('点').filter(|_| part.is_some() || !text[end..].starts_with("点五"))
    {
        // 3点 without a part of the day may be a point of a list: it is a time if something says so.
        let hour = afternoon(hour, part.map_or(0, |(_, add)| *add));
        let before_minutes = end + "点".len();
        if rest.starts_with('半') {
            return of(hour, 30, before_minutes + "半".len());
        }
        if let Some((minute, length)) = whole(rest, 2).filter(|(_, length)| rest[*length..].starts_with('分')) {
            return of(hour, minute, before_minutes + length + "分".len());
        }
        return part
            .map(|_| of(hour, 0, before_minutes))
            .unwrap_or_else(|| of(hour, 0, before_minutes).filter(|_| !rest.starts_with(['建', '意', '要', '击'])));
    }
    let mut minute = 0;
    let colon = text[end..].strip_prefix(':').and_then(|rest| whole(rest, 2).filter(|(_, length)| *length == 2));
    if let Some((value, length)) = colon {
        minute = value;
        end += 1 + length;
        if text[end..].starts_with(|c: char| c == ':' || c.is_ascii_digit()) {
            return None;
        }
    }
    let rest = text[end..].trim_start_matches(' ');
    let skipped = text[end..].len() - rest.len();
    for (word, add) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)] {
        if rest.strip_prefix(word).is_some_and(word_ends) {
            let hour = if add == 0 && hour == 12 { 0 } else { afternoon(hour, add) };
            return of(hour, minute, end + skipped + word.len());
        }
    }
    colon.and_then(|_| of(afternoon(hour, part.map_or(0, |(_, add)| *add)), minute, end))
}

fn day_of(year: Option<u16>, month: u16, day: Option<u16>, end: usize) -> Option<(Date, usize)> {
    let month = u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let day = match day {
        Some(day) => Some(u8::try_from(day).ok().filter(|day| (1..=31).contains(day))?),
        None => None,
    };
    Some((Date { year, month: Some(month), day, ..Date::default() }, end))
}

/// 2026-11-30, 2026/11/30, 2026.11.30.
fn numeric(text: &str) -> Option<(Date, usize)> {
    let (year, first) = whole(text, 4).filter(|(_, length)| *length == 4)?;
    let mark = text[first..].chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (month, second) = whole(&text[first + 1..], 2)?;
    let at = first + 1 + second;
    let rest = text[at..].strip_prefix(mark)?;
    let (day, third) = whole(rest, 2)?;
    let end = at + 1 + third;
    let after = &text[end..];
    // 2026-11-30T15:00
    if let Some((time, length)) = after.strip_prefix('t').and_then(clock) {
        let (date, _) = day_of(Some(year), month, Some(day), end)?;
        return Some((Date { minute: time.minute, ..date }, end + 1 + length));
    }
    word_ends(after).then(|| day_of(Some(year), month, Some(day), end))?
}

/// 2026年11月30日, 11月30号, 十一月三十日, 2026年11月, 2026年.
fn zh(text: &str) -> Option<(Date, usize)> {
    let mut at = 0;
    let mut year = None;
    if let Some((value, length)) =
        whole(text, 4).filter(|(value, length)| *value > 999 && text[*length..].trim_start().starts_with('年'))
    {
        year = Some(value);
        let rest = text[length..].trim_start();
        at = text.len() - rest.len() + "年".len();
    }
    let rest = text[at..].trim_start_matches(' ');
    let month_at = text.len() - rest.len();
    let month = whole(rest, 2).and_then(|(value, length)| {
        let behind = rest[length..].trim_start_matches(' ');
        let end = text.len() - behind.len() + "月".len();
        (behind.starts_with('月') && (1..=12).contains(&value)).then_some((value, end))
    });
    let Some((month, month_end)) = month.filter(|_| month_at >= at) else {
        return year.map(|year| (Date { year: Some(year), ..Date::default() }, at));
    };
    let rest = text[month_end..].trim_start_matches(' ');
    let day = whole(rest, 2).and_then(|(value, length)| {
        let behind = rest[length..].trim_start_matches(' ');
        behind.starts_with(['日', '号']).then_some((value, text.len() - behind.len() + "日".len()))
    });
    match day {
        Some((day, end)) => day_of(year, month, Some(day), end),
        None => {
            let end = if text[month_end..].starts_with('份') { month_end + "份".len() } else { month_end };
            day_of(year, month, None, end)
        }
    }
}

/// Nov 30, November 30th, 2026, 30 November 2026, November 2026.
fn en(text: &str) -> Option<(Date, usize)> {
    fn month(text: &str) -> Option<(u16, usize)> {
        let word = &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())];
        let place = MONTHS
            .iter()
            .position(|month| word == *month || (word.len() == 3 || word == "sept") && month.starts_with(word))?;
        let dot = usize::from(word.len() <= 4 && text[word.len()..].starts_with(". "));
        Some((u16::try_from(place + 1).ok()?, word.len() + dot))
    }
    fn day(text: &str) -> Option<(u16, usize)> {
        let (value, length) = whole(text, 2).filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))?;
        let suffix =
            ["st", "nd", "rd", "th"].iter().find(|suffix| text[length..].starts_with(**suffix)).map_or(0, |s| s.len());
        (word_ends(&text[length + suffix..]) && !text[length + suffix..].starts_with([':', '%']))
            .then_some((value, length + suffix))
    }
    fn year(text: &str) -> Option<(u16, usize)> {
        let rest = text.trim_start_matches([',', ' ']);
        let skipped = text.len() - rest.len();
        let (value, length) = whole(rest, 4).filter(|(value, length)| *length == 4 && (1900..2200).contains(value))?;
        (skipped > 0 && word_ends(&rest[length..])).then_some((value, skipped + length))
    }
    if let Some((number, length)) = month(text) {
        let rest = text[length..].strip_prefix(' ');
        if let Some((day, day_length)) = rest.and_then(day) {
            let end = length + 1 + day_length;
            let year = year(&text[end..]);
            return day_of(year.map(|(year, _)| year), number, Some(day), end + year.map_or(0, |(_, length)| length));
        }
        if let Some((year, year_length)) = year(&text[length..]) {
            return day_of(Some(year), number, None, length + year_length);
        }
        // "may" and "march" are verbs more often than months.
        return if matches!(&text[..length], "may" | "march" | "mar" | "dec.") {
            None
        } else {
            day_of(None, number, None, length)
        };
    }
    let (day, length) = day(text)?;
    let rest = text[length..].strip_prefix(' ')?;
    let (number, month_length) = month(rest)?;
    let end = length + 1 + month_length;
    let year = year(&text[end..]);
    day_of(year.map(|(year, _)| year), number, Some(day), end + year.map_or(0, |(_, length)| length))
}
