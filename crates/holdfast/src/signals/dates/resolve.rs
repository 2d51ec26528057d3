//! Civil arithmetic: from units and counts to half-open stretches of time. No words here.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, ToSpan};

use super::Tense;

/// A half-open stretch of civil time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: DateTime,
    pub(super) end: DateTime,
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// `count` of it. `None`: more than the calendar holds.
    pub(super) fn times(self, count: i64) -> Option<Span> {
        let span = Span::new();
        match self {
            Self::Minute => span.try_minutes(count),
            Self::Hour => span.try_hours(count),
            Self::Day => span.try_days(count),
            Self::Week => span.try_weeks(count),
            Self::Month => span.try_months(count),
            Self::Quarter => span.try_months(count.checked_mul(3)?),
            Self::Year => span.try_years(count),
        }
        .ok()
    }
}

impl Stretch {
    /// From day to day, the second not included.
    pub(super) fn days(from: Date, to: Date) -> Option<Self> {
        (from < to).then(|| Self { start: from.to_datetime(Time::midnight()), end: to.to_datetime(Time::midnight()) })
    }

    pub(super) fn day(day: Date) -> Option<Self> {
        Self::days(day, day.tomorrow().ok()?)
    }

    pub(super) fn week(monday: Date) -> Option<Self> {
        Self::days(monday, monday.checked_add(1.week()).ok()?)
    }

    pub(super) fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Self::days(first, first.last_of_month().tomorrow().ok()?)
    }

    pub(super) fn months(year: i16, from: i8, count: i64) -> Option<Self> {
        let first = Date::new(year, from, 1).ok()?;
        Self::days(first, first.checked_add(Span::new().try_months(count).ok()?).ok()?)
    }

    pub(super) fn quarter(year: i16, quarter: i8) -> Option<Self> {
        (1..=4).contains(&quarter).then(|| Self::months(year, quarter * 3 - 2, 3)).flatten()
    }

    pub(super) fn year(year: i16) -> Option<Self> {
        Self::months(year, 1, 12)
    }

    /// One minute of a day; `hour` 24 is its end.
    pub(super) fn minute(day: Date, hour: i8, minute: i8) -> Option<Self> {
        let (day, hour) = if hour == 24 { (day.tomorrow().ok()?, 0) } else { (day, hour) };
        let start = day.to_datetime(Time::new(hour, minute, 0, 0).ok()?);
        Some(Self { start, end: start.checked_add(1.minute()).ok()? })
    }

    pub(super) fn hours(day: Date, from: u8, to: u8) -> Option<Self> {
        let hour = |hour: u8| -> Option<DateTime> {
            match hour {
                24 => Some(day.tomorrow().ok()?.to_datetime(Time::midnight())),
                _ => Some(day.to_datetime(Time::new(i8::try_from(hour).ok()?, 0, 0, 0).ok()?)),
            }
        };
        Some(Self { start: hour(from)?, end: hour(to)? })
    }

    /// Whether it is one whole day.
    pub(super) fn is_day(&self) -> bool {
        self.start.time() == Time::midnight()
            && self.end.time() == Time::midnight()
            && self.start.date().tomorrow().is_ok_and(|next| next == self.end.date())
    }
}

pub(super) fn monday_of(day: Date) -> Option<Date> {
    day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()
}

/// The weekday (Monday 1) of the ISO week `weeks` from that of `day`.
pub(super) fn weekday_of_week(day: Date, weeks: i64, weekday: i8) -> Option<Date> {
    monday_of(day)?.checked_add(weeks.weeks()).ok()?.checked_add(i64::from(weekday - 1).days()).ok()
}

/// The nearest weekday in the direction of the tense: past is strictly before today, else today counts.
pub(super) fn weekday_by_tense(today: Date, weekday: i8, tense: Tense) -> Option<Date> {
    let this = i64::from(today.weekday().to_monday_one_offset());
    let ahead = (i64::from(weekday) - this).rem_euclid(7);
    let days = match tense {
        Tense::Past => {
            if ahead == 0 {
                -7
            } else {
                ahead - 7
            }
        }
        Tense::Future | Tense::Untold => ahead,
    };
    today.checked_add(days.days()).ok()
}

/// Rule 2 for a month without a year.
pub(super) fn year_of_month(today: Date, month: i8, tense: Tense) -> i16 {
    match tense {
        Tense::Future if month < today.month() => today.year() + 1,
        Tense::Past | Tense::Untold if month > today.month() => today.year() - 1,
        _ => today.year(),
    }
}

/// Rule 2 for a day of a month without a year. A 29 February is looked for in the years around.
pub(super) fn day_without_year(today: Date, month: i8, day: i8, tense: Tense) -> Option<Date> {
    let candidates = (-4..=4i16).filter_map(|years| Date::new(today.year() + years, month, day).ok());
    let distance = |date: &Date| (today.duration_until(*date).as_hours()).abs();
    match tense {
        Tense::Past => candidates.filter(|date| *date <= today).max(),
        Tense::Future => candidates.filter(|date| *date >= today).min(),
        Tense::Untold => candidates.min_by_key(distance),
    }
}

/// Rule 2 for a day of the month alone.
pub(super) fn day_without_month(today: Date, day: i8, tense: Tense) -> Option<Date> {
    let first = today.first_of_month();
    let candidates = (-2..=2i64).filter_map(|months| {
        let month = first.checked_add(months.months()).ok()?;
        Date::new(month.year(), month.month(), day).ok()
    });
    match tense {
        Tense::Past => candidates.filter(|date| *date <= today).max(),
        Tense::Future | Tense::Untold => candidates.filter(|date| *date >= today).min(),
    }
}

/// The part of a month that 初, 中旬, 底 and "early", "mid", "late" name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MonthPart {
    /// The first ten days.
    Early,
    /// The 11th to the 20th.
    Middle,
    /// From the 21st.
    Late,
    /// The last five days, of which one says 月底.
    End,
}

pub(super) fn part_of_month(year: i16, month: i8, part: MonthPart) -> Option<Stretch> {
    let whole = Stretch::month(year, month)?;
    let (first, next) = (whole.start.date(), whole.end.date());
    let day = |day: i8| Date::new(year, month, day).ok();
    match part {
        MonthPart::Early => Stretch::days(first, day(11)?),
        MonthPart::Middle => Stretch::days(day(11)?, day(21)?),
        MonthPart::Late => Stretch::days(day(21)?, next),
        MonthPart::End => Stretch::days(next.checked_sub(5.days()).ok()?, next),
    }
}
