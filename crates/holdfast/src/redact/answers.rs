//! A password that is asked for and told in the next line: "A: what's the password?", "B: hunter2!x"; 「密码是多少？」, 「是 hunter2」.

use std::ops::Range;

use super::assigned::{Link, is_stand_in, link_tells_password, starts_with_ignore_case, value};
use super::pairs::looks_like_password;
use super::words::{NO_PASSWORD, SPEAKING, TECHNICAL};

/// How far behind the word a question may end, how far before it may begin, and how long what leads to the answer may be: in bytes.
const QUESTION_BYTES: usize = 64;
const LEAD_BYTES: usize = 96;
/// Longest name of a speaker.
const SPEAKER_CHARS_MAX: usize = 24;
/// Line ends between the question and its answer.
const LINE_ENDS_MAX: usize = 3;

/// Asks for it, before the word.
const ASKS: &[&str] =
    &["what", "tell", "know", "remember", "recall", "have", "got", "send", "give", "share", "need", "which"];
/// May stand between the word and the mark of the question.
#[rustfmt::skip]
const GOES_ON: &[&str] = &[" for ", " of ", " to ", " on ", " again", " please", " now", " then", " is", " here", " i ", " we ", " you ", ","];
/// Asks for it, behind the word.
const ASKS_ZH: &[&str] = &["多少", "什么", "啥", "哪个", "呢"];
/// Asks for it without a question, before the word and behind it, at the end of a line.
const ORDERS: &[&str] = &["tell", "send", "give", "share", "post"];
const ORDERS_ZH: &[&str] = &[
    "发我一下",
    "发给我一下",
    "给我一下",
    "告诉我一下",
    "发我",
    "发给我",
    "告诉我",
    "给我",
    "发一下",
    "说一下",
    "报一下",
];
const ENDS_ZH: &[&str] = &["来着", "呢", "啊", "呀", "吗"];
/// Leads to the answer. Longest first, where one begins another.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "here you go", "here it is", "should be", "it should be", "i think", "it was", "it is", "it's", "its", "sure", "okay", "ok", "yes", "yep",
    "yeah", "try", "use", "记得", "知道", "就是", "应该是", "好像是", "可能是", "大概是", "改成了", "是", "好的", "好", "嗯", "哦", "用",
];

pub(super) fn answer(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let (asked, ordered) = question(text, place)?;
    let mut at = place.end + asked;
    // Line ends, and who speaks.
    let window = &text[at..text.floor_char_boundary(at + LEAD_BYTES)];
    let body = window.trim_start_matches(['"', '\'', '”', '」', '’', '*', '_', ' ', '\t', '\r', '\n']);
    let lines = window[..window.len() - body.len()].matches('\n').count();
    if lines > LINE_ENDS_MAX {
        return None;
    }
    at += window.len() - body.len();
    if lines > 0 {
        at += speaker(body);
    }
    let mut led = false;
    loop {
        let rest = &text[at..text.floor_char_boundary(at + LEAD_BYTES)];
        let Some(lead) = LEADS.iter().find(|lead| {
            let ends = !lead.is_ascii()
                || rest.as_bytes().get(lead.len()).is_none_or(|b| matches!(b, b' ' | b',' | b'.' | b'!' | b':' | b'-'));
            starts_with_ignore_case(rest.as_bytes(), lead) && ends
        }) else {
            break;
        };
        let behind = &rest[lead.len()..];
        let skipped = behind.len() - behind.trim_start_matches([' ', ',', '.', '!', ':', '-', '，', '。', '！']).len();
        at += lead.len() + skipped;
        led |= !matches!(
            *lead,
            "好的" | "好" | "嗯" | "哦" | "记得" | "知道" | "sure" | "ok" | "okay" | "yes" | "yep" | "yeah"
        );
    }
    let told = value(text, at, false)?;
    let said = &text[told.range.clone()];
    let lower = said.to_ascii_lowercase();
    let words = [SPEAKING, NO_PASSWORD, TECHNICAL];
    if is_stand_in(said) || words.iter().any(|list| list.contains(&lower.trim_end_matches(['.', '!']))) {
        return None;
    }
    let after = &text[told.range.end..text.floor_char_boundary(told.range.end + QUESTION_BYTES)];
    let after =
        after.trim_start_matches(['"', '\'', '`', '”', '’', '」', '』', '】', '.', '!', ' ', '吧', '。', '！', '\r']);
    let alone = after.is_empty() || after.starts_with('\n');
    let ends = alone || !after.starts_with(|c: char| c.is_alphanumeric());
    let digits = said.bytes().all(|b| b.is_ascii_digit());
    let fits = if !said.is_ascii() {
        (led || told.quoted) && alone && link_tells_password(Link::Is, &told, said, false)
    } else if told.quoted || looks_like_password(said, false) {
        said.len() >= 3 && ends
    } else if ordered {
        false
    } else if digits {
        alone && (4..=12).contains(&said.len())
    } else {
        // A word, and nothing but it, in a line of its own.
        let word = said.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'));
        alone && word && ((lines > 0 && said.len() >= 6) || (led && said.len() >= 4))
    };
    fits.then_some(told.range)
}

/// The length of what stands between the word and the end of a question for the password, and whether it is no question but an order:
/// "we share the password." may be one, so only what looks like a password answers it.
fn question(text: &str, place: &Range<usize>) -> Option<(usize, bool)> {
    let rest = &text[place.end..text.floor_char_boundary(place.end + QUESTION_BYTES)];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    if !text.as_bytes()[place.start].is_ascii() {
        return question_zh(line);
    }
    let line = line.strip_prefix('s').unwrap_or(line);
    let skipped = usize::from(rest.len() > line.len() && rest.starts_with('s'));
    let mark = line.find(['?', '？']);
    let ordered = line.trim_end_matches(['.', '!', ' ', '\r', ':', ',']);
    let end = match mark {
        Some(end) => end,
        None if ordered.is_empty() || ordered.eq_ignore_ascii_case(" please") => line.len(),
        None => return None,
    };
    let between = line[..end].to_ascii_lowercase();
    let goes_on = between.is_empty() || GOES_ON.iter().any(|word| between.starts_with(word.trim_end()));
    let window = text.floor_char_boundary(place.start.saturating_sub(QUESTION_BYTES));
    let before = &text[window..place.start];
    let from = before.rfind(['.', '!', '?', '\n', '。', '？', '！', ':']).map_or(0, |at| at + 1);
    let before = before[before.ceil_char_boundary(from)..].trim_start().to_ascii_lowercase();
    let words = before.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    // "password?", "the wifi password?"
    let short =
        words.clone().count() <= 3 && words.clone().all(|word| !["is", "was", "did", "does", "can"].contains(&word));
    let says = |list: &[&str]| words.clone().any(|word| list.iter().any(|ask| word.starts_with(ask)));
    if mark.is_none() {
        return says(ORDERS).then_some((skipped + end, true));
    }
    let asks = says(ASKS);
    let mark = line[end..].chars().next().map_or(1, char::len_utf8);
    (goes_on && !between.contains('.') && (asks || (short && between.is_empty())))
        .then_some((skipped + end + mark, false))
}

fn question_zh(line: &str) -> Option<(usize, bool)> {
    let bare = line.trim_end_matches(['\r', ' ']);
    if ORDERS_ZH.contains(&bare.trim_end_matches(['。', '！', '吧', '呗', '!', '.'])) {
        return Some((bare.len(), true));
    }
    let mut at = 0;
    at += ["到底", "又", "现在"].iter().find(|word| bare.starts_with(**word)).map_or(0, |word| word.len());
    at += if bare[at..].starts_with(['是', '为']) { '是'.len_utf8() } else { 0 };
    let asks = ASKS_ZH.iter().find(|word| bare[at..].starts_with(**word));
    at += asks.map_or(0, |word| word.len());
    at += ENDS_ZH.iter().find(|word| bare[at..].starts_with(**word)).map_or(0, |word| word.len());
    match bare[at..].chars().next() {
        Some(mark @ ('?' | '？')) => Some((at + mark.len_utf8(), false)),
        None if asks.is_some() => Some((at, false)),
        _ => None,
    }
}

/// The length of who speaks: "B: ", `[10:32] Bob: `, "- 小王：", "> ".
fn speaker(line: &str) -> usize {
    let bare = line.trim_start_matches(['>', '-', '*', ' ']);
    let bare = match bare.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((stamp, rest)) if stamp.len() <= SPEAKER_CHARS_MAX => rest.trim_start(),
        _ => bare,
    };
    let start = line.len() - bare.len();
    let mut named = 0;
    for (at, c) in bare.char_indices() {
        named += 1;
        if matches!(c, ':' | '：') {
            let behind = &bare[at + c.len_utf8()..];
            return start + at + c.len_utf8() + behind.len() - behind.trim_start_matches(['*', ' ', '\t']).len();
        }
        if named > SPEAKER_CHARS_MAX || !(c.is_alphanumeric() || matches!(c, ' ' | '_' | '*' | '.' | '(' | ')')) {
            break;
        }
    }
    start
}
