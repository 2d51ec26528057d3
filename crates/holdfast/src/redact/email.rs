//! E-mail addresses, as written and as spelled out to avoid being found.

use std::sync::OnceLock;

use regex::Regex;

use super::rules::Secret;
use super::scan::Found;

/// RFC 5321: a local part of 64 octets, a domain of 255.
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 255;

pub(crate) fn find(text: &str, found: &mut Vec<Found>) {
    for (at, _) in text.match_indices('@') {
        if let Some(range) = address(text, at) {
            found.push(Found { secret: Secret::Email, range });
        }
    }
    if text.contains(" dot ")
        || text.contains("(dot)")
        || text.contains("[dot]")
        || text.contains("[at]")
        || text.contains("(at)")
    {
        found.extend(spelled().find_iter(text).map(|m| Found { secret: Secret::Email, range: m.range() }));
    }
}

fn spelled() -> &'static Regex {
    static SPELLED: OnceLock<Regex> = OnceLock::new();
    SPELLED.get_or_init(|| {
        Regex::new(
            r"(?i)[a-z0-9._+-]{1,64}(?: ?[(\[] ?at ?[)\]] ?| at )[a-z0-9-]{1,63}(?:(?: ?[(\[] ?dot ?[)\]] ?| dot |\.)[a-z0-9-]{2,63}){0,3}(?: ?[(\[] ?dot ?[)\]] ?| dot |\.)(?:com|org|net|cn|io|edu|gov|de|uk|jp|me|ai|dev|app|co)\b",
        )
        .expect("a fixed pattern")
    })
}

/// The length of a domain under one of the top levels that aren't ASCII. Nothing separates it from the words behind it: 「a@例子.中国吧」.
fn international(rest: &str) -> Option<usize> {
    const TOPS: &[&str] =
        &[".中国", ".中國", ".公司", ".网络", ".網絡", ".香港", ".台灣", ".台湾", ".在线", ".网址", ".рф"];
    let end = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-')).unwrap_or(rest.len());
    let window = &rest[..rest.floor_char_boundary(end.min(DOMAIN_BYTES_MAX))];
    TOPS.iter().filter_map(|top| window.find(top).filter(|at| *at > 0).map(|at| at + top.len())).min()
}

fn address(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let is_local = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-');
    let local = bytes[..at].iter().rev().take(LOCAL_BYTES_MAX).take_while(|b| is_local(b)).count();
    let start = at - local;
    let start = start + bytes[start..at].iter().take_while(|b| matches!(b, b'.' | b'-')).count();
    if start == at {
        return None;
    }
    if let Some(end) = international(&text[at + 1..]) {
        return Some(start..at + 1 + end);
    }
    let is_domain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let domain = bytes[at + 1..].iter().take(DOMAIN_BYTES_MAX).take_while(|b| is_domain(b)).count();
    let end = at + 1 + domain;
    // A full stop or a dash behind it belongs to the sentence, and so does what follows in "a@b.com.Then".
    let domain = text[at + 1..end].trim_end_matches(['.', '-']);
    let labels: Vec<&str> = domain.split('.').collect();
    let top = labels.last()?;
    let is_top =
        (2..=24).contains(&top.len()) && top.bytes().all(|b| b.is_ascii_alphabetic()) || top.starts_with("xn--");
    if labels.len() < 2 || !is_top || labels.iter().any(|label| label.is_empty() || label.len() > 63) {
        return None;
    }
    // icon@2x.png, and git@host:path, which names a repository and not a person.
    let image = matches!(*top, "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "svga");
    let repository = &text[start..at] == "git" && bytes.get(end) == Some(&b':');
    (!image && !repository).then_some(start..at + 1 + domain.len())
}
