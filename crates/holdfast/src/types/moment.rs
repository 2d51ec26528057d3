//! A moment as callers write it: RFC 3339 with an offset, or RFC 9557 with a zone as well. It is written back as it came:
//! an offset alone stays an offset alone.

use std::fmt;

use jiff::ZonedDateTime;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Deserializer, Serializer, de};

/// Why a text is no moment. It says nothing of the text itself, which may be anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    #[error("is not a date and time")]
    Form,
    #[error("is a date without a time of day")]
    NoTime,
    #[error("has no offset from UTC")]
    NoOffset,
    #[error("names a time zone that does not exist, or an offset that is not its offset at that time")]
    Zone,
}

impl MomentError {
    /// How to write it instead.
    pub const HINT: &str = "write it like 2026-11-09T09:00:00+08:00";
}

/// The hours of an offset are those of a day (RFC 3339, 5.6).
const OFFSET_SECONDS_MAX: i32 = 24 * 60 * 60 - 60;

/// Reads `2026-11-09T09:00:00+08:00`, `…Z`, and either with `[Asia/Shanghai]` behind it.
pub fn parse(text: &str) -> Result<ZonedDateTime, MomentError> {
    let moment = parse_any_offset(text)?;
    if moment.offset().seconds().abs() > OFFSET_SECONDS_MAX { Err(MomentError::Form) } else { Ok(moment) }
}

fn parse_any_offset(text: &str) -> Result<ZonedDateTime, MomentError> {
    let pieces = Pieces::parse(text).map_err(|_| MomentError::Form)?;
    if pieces.time_zone_annotation().is_some() {
        if pieces.time().is_none() {
            return Err(MomentError::NoTime);
        }
        return text.parse().map_err(|_| MomentError::Zone);
    }
    let time = pieces.time().ok_or(MomentError::NoTime)?;
    let zone = match pieces.offset().ok_or(MomentError::NoOffset)? {
        PiecesOffset::Zulu => TimeZone::UTC,
        offset => TimeZone::fixed(offset.to_numeric_offset()),
    };
    pieces.date().to_datetime(time).to_zoned_datetime(zone).map_err(|_| MomentError::Form)
}

/// The inverse of `parse`: `+08:00` alone for a fixed offset, `Z` for UTC, an offset and a name for a zone.
pub fn format(moment: &ZonedDateTime) -> impl fmt::Display + '_ {
    Written(moment)
}

struct Written<'a>(&'a ZonedDateTime);

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(moment) = self;
        if *moment.time_zone() == TimeZone::UTC {
            write!(f, "{}", moment.timestamp())
        } else if moment.time_zone().to_fixed_offset().is_ok_and(is_whole_minutes) {
            write!(f, "{}", moment.timestamp().display_with_offset(moment.offset()))
        } else {
            write!(f, "{moment}")
        }
    }
}

// Offsets with seconds are older than RFC 3339 and can't be written in it.
fn is_whole_minutes(offset: Offset) -> bool {
    offset.seconds() % 60 == 0
}

/// For `#[serde(with = "moment")]`.
pub fn serialize<S: Serializer>(moment: &ZonedDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format(moment))
}

/// For `#[serde(with = "moment")]`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ZonedDateTime, D::Error> {
    struct Text;

    impl de::Visitor<'_> for Text {
        type Value = ZonedDateTime;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a date and time with an offset, like 2026-11-09T09:00:00+08:00")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<ZonedDateTime, E> {
            parse(text).map_err(|error| E::custom(format_args!("the time {error}; {}", MomentError::HINT)))
        }
    }

    deserializer.deserialize_str(Text)
}

/// For `#[serde(with = "moment::option")]`, beside `default` and `skip_serializing_if`.
pub mod option {
    use super::{Deserialize, Deserializer, Serializer, ZonedDateTime};

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Moment(#[serde(with = "super")] ZonedDateTime);

    pub fn serialize<S: Serializer>(moment: &Option<ZonedDateTime>, serializer: S) -> Result<S::Ok, S::Error> {
        match moment {
            Some(moment) => serializer.collect_str(&super::format(moment)),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ZonedDateTime>, D::Error> {
        Ok(Option::<Moment>::deserialize(deserializer)?.map(|Moment(moment)| moment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, MomentError>) {
        let read = parse(text).map(|moment| format(&moment).to_string());
        assert_eq!(read, expected.map(str::to_owned), "{text}");
        if let Ok(written) = read {
            assert_eq!(parse(&written), parse(text), "{text} is not the same when written and read again");
        }
    }

    #[test]
    fn an_offset_stays_an_offset_and_a_zone_a_zone() {
        check("2026-11-09T09:00:00+08:00", Ok("2026-11-09T09:00:00+08:00"));
        check("2026-11-09 09:00:00.250+08:00", Ok("2026-11-09T09:00:00.25+08:00"));
        check("2026-11-09T09:00+0530", Ok("2026-11-09T09:00:00+05:30"));
        check("2026-11-09T01:00:00Z", Ok("2026-11-09T01:00:00Z"));
        check("2026-11-09T01:00:00+00:00", Ok("2026-11-09T01:00:00Z"));
        check("2026-11-09T09:00:00+08:00[Asia/Shanghai]", Ok("2026-11-09T09:00:00+08:00[Asia/Shanghai]"));
        check("2026-11-09T09:00:00+08:00[+08:00]", Ok("2026-11-09T09:00:00+08:00"));
    }

    #[test]
    fn what_is_no_moment_is_refused_with_its_reason() {
        check("", Err(MomentError::Form));
        check("昨天下午", Err(MomentError::Form));
        check("2026-13-09T09:00:00+08:00", Err(MomentError::Form));
        check("2026-11-09T09:00:00+26:00", Err(MomentError::Form));
        check("2026-11-09T09:00:00+25:00", Err(MomentError::Form));
        check("2026-11-09T09:00:00-24:00", Err(MomentError::Form));
        check("2026-11-09T09:00:00+24:00[+24:00]", Err(MomentError::Form));
        check("2026-11-09T09:00:00+23:59", Ok("2026-11-09T09:00:00+23:59"));
        check("2026-11-09", Err(MomentError::NoTime));
        check("2026-11-09T09:00:00", Err(MomentError::NoOffset));
        check("2026-11-09T09:00:00+08:00[Asia/Tokyo]", Err(MomentError::Zone));
        check("2026-11-09T09:00:00+08:00[Mars/Olympus]", Err(MomentError::Zone));
    }

    #[test]
    fn it_goes_through_serde_within_a_flattened_event() {
        use crate::types::event::RawEvent;
        let line = r#"{"tenant":"default","user":"林悦","agent":"default","session":"s","source":"user","kind":"query","content":"好","occurred_at":"2026-11-09T09:00:00+08:00"}"#;
        let raw: RawEvent = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), line);
        let without: RawEvent =
            serde_json::from_str(r#"{"source":"user","kind":"query","content":"好","occurred_at":null}"#).unwrap();
        assert_eq!(without.occurred_at, None);
        let error = serde_json::from_str::<RawEvent>(&line.replace("+08:00", "")).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("the time has no offset from UTC; write it like 2026-11-09T09:00:00+08:00"),
            "{error}"
        );
    }
}
