//! Numbers with units and money. A bare number is no entity: it says nothing without what it counts.

use std::ops::Range;

use crate::signals::cursor::Cursor;
use crate::signals::lexicon::Tag;
use crate::signals::reading::Reading;
use crate::types::signals::EntityKind;

/// Before an amount of money.
const CURRENCY_BEFORE: &[(&str, &str)] = &[
    ("¥", "¥"),
    ("$", "$"),
    ("€", "€"),
    ("£", "£"),
    ("us$", "$"),
    ("usd", "$"),
    ("rmb", "¥"),
    ("cny", "¥"),
    ("eur", "€"),
    ("gbp", "£"),
    ("人民币", "¥"),
    ("hkd", "hkd"),
];
/// Behind one.
const CURRENCY_AFTER: &[(&str, &str)] = &[
    ("块钱", "¥"),
    ("人民币", "¥"),
    ("元", "¥"),
    ("块", "¥"),
    ("rmb", "¥"),
    ("cny", "¥"),
    ("美元", "$"),
    ("美金", "$"),
    ("刀", "$"),
    ("usd", "$"),
    ("dollars", "$"),
    ("dollar", "$"),
    ("bucks", "$"),
    ("欧元", "€"),
    ("euros", "€"),
    ("eur", "€"),
    ("英镑", "£"),
    ("港币", "hkd"),
    ("日元", "jpy"),
];

/// A number as written, read.
struct Amount {
    start: usize,
    /// Behind the digits and 万, 亿, k, m.
    end: usize,
    /// Plain decimal, no separators, scale applied.
    value: String,
}

pub(super) fn find(reading: &Reading<'_>, found: &mut impl FnMut(EntityKind, Range<usize>, String)) {
    let text = reading.text();
    let mut after = 0;
    let span = 0..text.len();
    for at in starts(text, span) {
        if at < after {
            continue;
        }
        let Some(amount) = read(text, at) else { continue };
        after = amount.end;
        if let Some((kind, span, value)) = with_unit(reading, &amount) {
            after = span.end;
            found(kind, span, value);
        }
    }
}

/// Every number of a stretch with its unit, bare ones too.
pub(super) fn in_span(reading: &Reading<'_>, span: Range<usize>) -> Vec<Range<usize>> {
    let text = reading.text();
    let mut spans: Vec<Range<usize>> = Vec::new();
    for at in starts(text, span.clone()) {
        if spans.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let Some(amount) = read(text, at) else { continue };
        let found = with_unit(reading, &amount).map_or(amount.start..amount.end, |(_, span, _)| span);
        if found.end <= span.end && found.start >= span.start {
            spans.push(found);
        }
    }
    spans
}

/// Places where a run of digits, or of Chinese numerals before a large unit, begins.
fn starts(text: &str, span: Range<usize>) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    span.filter(move |at| {
        bytes[*at].is_ascii_digit()
            && !at.checked_sub(1).is_some_and(|before| {
                let c = bytes[before];
                c.is_ascii_alphanumeric()
                    || matches!(c, b'_' | b'/' | b'#' | b'@' | b'\\' | b':')
                    || matches!(c, b'.' | b',') && before > 0 && bytes[before - 1].is_ascii_digit()
                    || c == b'-' && before > 0 && (bytes[before - 1].is_ascii_alphanumeric())
                    || c == b'.' && before > 0 && bytes[before - 1].is_ascii_alphanumeric()
            })
    })
}

fn read(text: &str, start: usize) -> Option<Amount> {
    // 第3章 is a place in an order.
    if text[..start].ends_with('第') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut end = start;
    let mut value = String::new();
    while end < bytes.len() {
        match bytes[end] {
            b @ b'0'..=b'9' => value.push(char::from(b)),
            // Thousands: a comma and three digits.
            b',' if bytes.get(end + 1..end + 4).is_some_and(|next| next.iter().all(u8::is_ascii_digit)) => {}
            b'.' if bytes.get(end + 1).is_some_and(u8::is_ascii_digit) && !value.contains('.') => value.push('.'),
            _ => break,
        }
        end += 1;
    }
    // 1.2.3 is a version, 192.168.1.1 an address, 3/4 a pair, 12-34 a range or a number of a phone.
    let next = bytes.get(end).copied().unwrap_or(b' ');
    let after = bytes.get(end + 1).copied().unwrap_or(b' ');
    if matches!(next, b'.' | b'-' | b'/' | b':') && after.is_ascii_digit() || next == b'_' || value.len() > 15 {
        return None;
    }
    let rest = &text[end..];
    let (len, zeros) = [
        ("百万", 6),
        ("千万", 7),
        ("十万", 5),
        ("万亿", 12),
        ("万", 4),
        ("亿", 8),
        ("千", 3),
        ("k", 3),
        (" million", 6),
        (" billion", 9),
        ("m", 6),
        ("bn", 9),
    ]
    .into_iter()
    .find(|(scale, _)| {
        rest.strip_prefix(*scale).is_some_and(|rest| {
            let goes_on = scale.is_ascii() && rest.starts_with(|c: char| c.is_ascii_alphanumeric());
            !goes_on && !rest.starts_with(['克', '米', '瓦'])
        })
    })
    .map_or((0, 0), |(scale, zeros)| (scale.len(), zeros));
    // "5m" and "3k" are scales only with money; else metres and an abbreviation. The unit decides below.
    Some(Amount { start, end: end + len, value: scaled(&value, zeros) })
}

/// Decimal digits times a power of ten, exactly.
fn scaled(value: &str, zeros: usize) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut digits = format!("{whole}{fraction}");
    let mut places = fraction.len();
    let shift = zeros.min(places);
    places -= shift;
    digits.extend(std::iter::repeat_n('0', zeros - shift));
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

fn with_unit(reading: &Reading<'_>, amount: &Amount) -> Option<(EntityKind, Range<usize>, String)> {
    let text = reading.text();
    let head = &text[..amount.start];
    let head = head.strip_suffix(' ').unwrap_or(head);
    for (mark, currency) in CURRENCY_BEFORE {
        if head.ends_with(mark) {
            let start = head.len() - mark.len();
            let alone = !mark.starts_with(|c: char| c.is_ascii_alphabetic())
                || !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
            if alone {
                let mut end = Cursor::new(text, amount.end);
                end.eat_any(&["元", "块"]);
                return Some((EntityKind::Money, start..end.pos(), format!("{currency}{}", amount.value)));
            }
        }
    }
    let mut cursor = Cursor::new(text, amount.end);
    cursor.spaces();
    for (mark, currency) in CURRENCY_AFTER {
        let mut next = cursor;
        let found = if mark.is_ascii() { next.eat_word(mark) } else { next.eat(mark) };
        // 元旦 and 3块内容: no money.
        if found && !next.leads_to(&["旦", "内容", "屏", "板", "硬盘", "地", "区域", "素", "件", "年", "月"])
        {
            return Some((EntityKind::Money, amount.start..next.pos(), format!("{currency}{}", amount.value)));
        }
    }
    if cursor.pos() == amount.end
        && (cursor.eat("%") || cursor.eat("‰") || cursor.eat("℃") || cursor.eat("°c") || cursor.eat("°"))
    {
        return Some((
            EntityKind::Number,
            amount.start..cursor.pos(),
            format!("{}{}", amount.value, &text[amount.end..cursor.pos()]),
        ));
    }
    // A unit begins where the digits end (5gb, 12 个); letters glued to digits are no word start for the lists.
    // 1.2亿 counts something by itself.
    let large = text[amount.start..amount.end].ends_with(['万', '亿']);
    let Some(unit_end) = unit_end(reading, cursor.pos()) else {
        return large.then(|| (EntityKind::Number, amount.start..amount.end, amount.value.clone()));
    };
    let unit = &text[cursor.pos()..unit_end];
    let unit = if unit == "percent" { "%" } else { unit };
    Some((EntityKind::Number, amount.start..unit_end, format!("{}{unit}", amount.value)))
}

fn unit_end(reading: &Reading<'_>, at: usize) -> Option<usize> {
    let text = reading.text();
    let rest = &text[at..];
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return reading.hits_in(&(at..at + 1)).iter().find(|hit| hit.tag == Tag::Measure).map(|hit| hit.end);
    }
    let len = rest.bytes().take_while(|b| b.is_ascii_alphabetic() || *b == b'/').count();
    let known = UNITS_GLUED.contains(&&rest[..len])
        || reading.hits_in(&(at..at + 1)).iter().any(|hit| hit.tag == Tag::Measure && hit.end == at + len);
    (known && !rest[len..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')).then_some(at + len)
}

/// Units that are written without a space: the lists know words only at a word's start.
const UNITS_GLUED: &[&str] = &[
    "gb", "mb", "kb", "tb", "gib", "mib", "kib", "ms", "s", "sec", "min", "mins", "h", "hrs", "d", "km", "m", "cm",
    "mm", "kg", "g", "mg", "lb", "lbs", "oz", "mph", "km/h", "l", "ml", "qps", "rps", "hz", "mhz", "ghz", "fps", "px",
    "k", "v", "w", "kw", "kwh", "b", "x", "pt", "mbps", "us",
];
