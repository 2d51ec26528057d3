//! Dates and times in Chinese and English, resolved against the moment of the event in its own zone.
//!
//! In: a folded text, its word hits and the civil time of the event. Out: half-open ranges of civil time, as long as
//! what was said (a minute, a part of a day, a day, a week, a month, a year). The rules that a reader may want to know:
//!
//! 1. Weeks are ISO weeks. 下周三 and "next Wednesday" are in the week after this one, 这周三 and "this Wednesday" in
//!    this one, 上周三 in the one before. "last Friday" is the most recent Friday before today. A bare weekday is the
//!    next one, today included, unless the words around it tell of the past.
//! 2. A month without a year ("in January", 1月份) is the most recent one, the present month included, unless the words
//!    around it tell of the future: then the next one. A day of a month without a year (3月5日) is the nearest one, and
//!    tense words decide likewise. A quarter or half without a year is this year's. A bare 5号 is of this month, or of
//!    the next one when it has passed, unless told as past.
//! 3. ISO order first; else a number pair is month/day, and day/month only when the first can be no month and a year
//!    follows. With dots it is day.month.year. A pair alone (3/15) needs a day above 12, a larger month than day, or a
//!    word before it that wants a date; 1/2 is a fraction.
//! 4. 最近 and "recently": the 14 days to the end of today. 前几天 and "a few days ago": the 7 days before today. 这几天:
//!    three days to the end of today. 过几天 and "in a few days": the 7 days after today.
//! 5. Adding months keeps the day or takes the last of the month: 1月31日 + 一个月 is the last of February. Hours and
//!    minutes (3小时后) are added on the clock of the world, so a DST change in between counts; days are calendar days.
//! 6. A date in brackets behind a day (下周三（12月16日）) is the day that is meant.
//! 7. Midnight of a day is its end. A time alone is today's. Lunar festivals (春节, 中秋) are left out: they need an
//!    almanac. Habits (每周三, "every Friday", "on Fridays") are no dates.

mod clock;
mod en;
mod numeric;
mod resolve;
#[cfg(test)]
mod tests;
mod zh;

use std::ops::Range;

use jiff::ZonedDateTime;
use jiff::civil::Date;

use super::folded::Folded;
use super::layout::Layout;
use super::lexicon::{Hit, Tag};
use crate::types::signals::DateMention;
use resolve::Stretch;

/// A date expression read at some place: where it ends and what it means.
type Read = Option<(usize, Stretch)>;

/// A date expression, with its span in the folded text.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) span: Range<usize>,
    pub(super) mention: DateMention,
}

/// How the words around an expression place it in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Future,
    Untold,
}

/// What the grammars see.
struct Reader<'t> {
    text: &'t str,
    folded: &'t Folded<'t>,
    at: &'t ZonedDateTime,
    today: Date,
    hits: &'t [Hit],
    layout: &'t Layout,
}

/// All date expressions of a text, in order, none inside another.
pub(super) fn find(folded: &Folded<'_>, hits: &[Hit], layout: &Layout, at: &ZonedDateTime) -> Vec<Found> {
    let text = folded.text();
    let reader = Reader { text, folded, at, today: at.date(), hits, layout };
    let mut found: Vec<Found> = Vec::new();
    let mut after = 0;
    let mut hit = 0;
    let bytes = text.as_bytes();
    let mut pos = 0;
    // Expressions start at a digit, a Chinese numeral or a date word; everything else is skipped.
    while pos < bytes.len() {
        while hit < hits.len() && hits[hit].start < pos {
            hit += 1;
        }
        let here = &hits[hit..];
        let here = &here[..here.iter().take_while(|hit| hit.start == pos).count()];
        let read = if pos < after { None } else { reader.read_at(pos, here) };
        if let Some((end, stretch)) = read {
            let (end, stretch) = reader.refined(end, stretch);
            after = end;
            found.push(Found { span: pos..end, mention: mention(folded, pos..end, stretch) });
        }
        pos += 1;
        while !text.is_char_boundary(pos) {
            pos += 1;
        }
    }
    found
}

fn mention(folded: &Folded<'_>, span: Range<usize>, stretch: Stretch) -> DateMention {
    DateMention {
        text: folded.written(span.clone()).to_owned(),
        span: folded.span(span),
        start: stretch.start,
        end: stretch.end,
    }
}

impl Reader<'_> {
    fn read_at(&self, pos: usize, here: &[Hit]) -> Read {
        let first = self.text.as_bytes()[pos];
        if first.is_ascii_digit() {
            return numeric::read(self, pos)
                .or_else(|| zh::read_counted(self, pos))
                .or_else(|| en::read_counted(self, pos))
                .or_else(|| clock::read_alone(self, pos));
        }
        if first.is_ascii() {
            let word_start =
                first.is_ascii_alphabetic() && !self.text[..pos].ends_with(|c: char| c.is_ascii_alphanumeric());
            return if word_start { en::read(self, pos, here) } else { None };
        }
        // The first byte of common CJK characters is at least this.
        if first < 0xe3 {
            return None;
        }
        if here.is_empty() && !self.text[pos..].starts_with(zh::may_start) {
            return None;
        }
        let worded = if here.is_empty() { None } else { zh::read(self, pos, here) };
        worded
            .or_else(|| zh::read_particle(self, pos))
            .or_else(|| zh::read_counted(self, pos))
            .or_else(|| clock::read_alone(self, pos))
    }

    /// Takes in a time of day and a repeated weekday that follow: 11月30日（周一）下午三点, "tomorrow at 3pm".
    fn refined(&self, end: usize, stretch: Stretch) -> (usize, Stretch) {
        if !stretch.is_day() {
            return match en::day_after_clock(self, end, stretch) {
                Some(joined) => joined,
                None => (end, stretch),
            };
        }
        // 下周三（12月16日）: the date that is written out is meant.
        let (end, stretch) = self.day_beside(end, stretch.start.date()).unwrap_or((end, stretch));
        let day = stretch.start.date();
        let end = self.weekday_beside(end).unwrap_or(end);
        clock::read_after_day(self, end, day).unwrap_or((end, stretch))
    }

    /// A day in brackets behind another; of the year that brings it nearest, if none is written.
    fn day_beside(&self, end: usize, beside: Date) -> Read {
        let mut cursor = super::cursor::Cursor::new(self.text, end);
        cursor.spaces();
        cursor.eat_any(&["(", "（"])?;
        cursor.spaces();
        let pos = cursor.pos();
        let here: Vec<Hit> = self.hits_at(pos).copied().collect();
        // A weekday alone says again what was said.
        if here.iter().any(|hit| matches!(hit.tag, Tag::Weekday(..))) || pos >= self.text.len() {
            return None;
        }
        let (day_end, stretch) = self.read_at(pos, &here).filter(|(_, stretch)| stretch.is_day())?;
        cursor.jump(day_end);
        cursor.spaces();
        cursor.eat_any(&[")", "）"])?;
        let said = &self.text[pos..day_end];
        let has_year = said.contains('年') || said.as_bytes().windows(4).any(|run| run.iter().all(u8::is_ascii_digit));
        if has_year {
            return Some((cursor.pos(), stretch));
        }
        let day = stretch.start.date();
        let of_year = |year: i16| Date::new(year, day.month(), day.day()).ok();
        let years = [beside.year() - 1, beside.year(), beside.year() + 1];
        let nearest = years.into_iter().filter_map(of_year).min_by_key(|day| (*day - beside).get_days().abs())?;
        Some((cursor.pos(), Stretch::day(nearest)?))
    }

    fn weekday_beside(&self, end: usize) -> Option<usize> {
        let mut cursor = super::cursor::Cursor::new(self.text, end);
        cursor.spaces();
        let open = cursor.eat_any(&["(", "（", ""])?;
        let weekday = self.hits_at(cursor.pos()).find(|hit| matches!(hit.tag, Tag::Weekday(..)))?;
        cursor.jump(weekday.end);
        (open == 2 || cursor.eat_any(&[")", "）"]).is_some()).then_some(cursor.pos())
    }

    fn hits_at(&self, pos: usize) -> impl Iterator<Item = &Hit> {
        let from = self.hits.partition_point(|hit| hit.start < pos);
        self.hits[from..].iter().take_while(move |hit| hit.start == pos)
    }

    fn tag_at(&self, pos: usize, wanted: impl Fn(Tag) -> bool) -> Option<&Hit> {
        self.hits_at(pos).find(|hit| wanted(hit.tag))
    }

    /// The tense word of the clause that is nearest to the expression.
    fn tense(&self, span: Range<usize>) -> Tense {
        let rest = self.text[span.end..].trim_start_matches([' ', '的']);
        if rest.starts_with(['前', '内']) || rest.starts_with("之前") || rest.starts_with("截止") {
            return Tense::Future;
        }
        let Some(clause) = self.layout.clause_at(span.start) else { return Tense::Untold };
        let from = self.hits.partition_point(|hit| hit.start < clause.span.start);
        self.hits[from..]
            .iter()
            .take_while(|hit| hit.start < clause.span.end)
            .filter(|hit| matches!(hit.tag, Tag::Past | Tag::Future))
            .filter(|hit| hit.end <= span.start || hit.start >= span.end)
            .min_by_key(|hit| if hit.end <= span.start { span.start - hit.end } else { hit.start - span.end })
            .map_or(Tense::Untold, |hit| if hit.tag == Tag::Past { Tense::Past } else { Tense::Future })
    }
}
