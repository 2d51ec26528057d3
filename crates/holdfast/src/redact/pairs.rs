//! A password that stands behind the name it belongs to: "Login: bob / hunter2!x", 「账号/密码：bob / hunter2」. Only the password is
//! taken: whose it is stays.

use std::ops::Range;

use super::assigned::{Link, is_stand_in, link_tells_password, mark, starts_with_ignore_case, value};
use super::words::{SPEAKING, TECHNICAL};

/// Longest name of an account, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// How far before the word for a password the word for an account may begin.
const ACCOUNT_BYTES_MAX: usize = 24;

/// Words for an account, as the first half of "account/password".
#[rustfmt::skip]
const ACCOUNTS: &[&str] = &[
    "username", "user name", "user", "login", "account", "id", "email", "账号", "帐号", "賬號", "帳號", "账户", "用户名", "用戶名", "用户", "登录名", "邮箱",
];
/// Words that name an account more often than they introduce a password.
const WEAK: &[&str] = &["username", "user name", "user", "account", "账户", "用户名", "用戶名"];
/// What people log in with that looks like a password.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &["ios", "ipados", "android", "windows", "win1", "macos", "chrome", "firefox", "safari", "edge", "iphone", "ipad", "ubuntu", "debian", "version"];

/// "Login: bob / hunter2!x": what looks like a password behind a name.
pub(super) fn behind_name(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let word = text[place.clone()].to_lowercase();
    let ascii = word.is_ascii();
    if ascii && text[..place.start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let mut at = place.end;
    for more in ["s", " details", " info", "信息", "名"] {
        if starts_with_ignore_case(&text.as_bytes()[at..], more) {
            at += more.len();
        }
    }
    at += text[at..].len() - text[at..].trim_start_matches(['*', '"', '`', '】', ')']).len();
    at += match mark(&text[at..]) {
        Some(length) => length,
        None if starts_with_ignore_case(&text.as_bytes()[at..], " is ") => " is ".len(),
        None if text[at..].starts_with(" - ") => " - ".len(),
        None if text[at..].starts_with(['是', '为']) => '是'.len_utf8() + blank(&text[at + '是'.len_utf8()..]),
        None if text[at..].starts_with(' ') || !ascii => blank(&text[at..]),
        None => return None,
    };
    // "User: bob, role: admin" lists things: a comma parts them only where a password was announced.
    let at = separated(text, at, &["/", "|", ":"])?;
    let told = value(text, at, false)?;
    let said = &text[told.range.clone()];
    (!is_stand_in(said) && looks_like_password(said, WEAK.contains(&word.as_str()))).then_some(told.range)
}

/// 「账号/密码：bob / hunter2」: both are announced, so whatever the second one is, it is the password, or stands in for it.
pub(super) fn named(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let window = text.floor_char_boundary(place.start.saturating_sub(ACCOUNT_BYTES_MAX));
    let before = text[window..place.start].trim_end_matches([' ', '*']).to_lowercase();
    let joined = ["/", "&", "+", "、", "和", "与", "及", " and", "|", ","];
    let bare = joined.iter().find_map(|joint| before.strip_suffix(joint)).unwrap_or(&before);
    let bare = bare.trim_end_matches([' ', '*']);
    if !ACCOUNTS.iter().any(|word| bare.strip_suffix('s').unwrap_or(bare).ends_with(word)) {
        return None;
    }
    let mut at = place.end;
    at += text[at..].len() - text[at..].trim_start_matches(['s', '*', '"', '`', '】', ')']).len();
    const LINKS: &[&str] = &["分别是", "分别为", "是", "为", "是：", " are ", " is "];
    at += match mark(&text[at..]) {
        Some(length) => length,
        None => {
            let link = LINKS.iter().find(|link| text[at..].starts_with(**link)).map_or(0, |link| link.len());
            link + blank(&text[at + link..])
        }
    };
    let name = text[at..].find(|c: char| !is_of_name(c)).map_or("", |end| &text[at..at + end]);
    if name.is_empty() || SPEAKING.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let parted = separated(text, at, &["/", "|", "，", ",", "、", ":", "+", " and ", "和"]);
    let at = parted.or_else(|| separated(text, at, &[]))?;
    let told = value(text, at, false)?;
    let said = &text[told.range.clone()];
    let fits = match parted {
        Some(_) if !told.quoted && (said.len() < 4 || !said.is_ascii()) => false,
        Some(_) => link_tells_password(Link::Mark, &told, said, false),
        None => looks_like_password(said, false),
    };
    // What stands in for one keeps the name from being taken for it.
    (fits || is_stand_in(said)).then_some(told.range)
}

fn blank(rest: &str) -> usize {
    rest.len() - rest.trim_start_matches([' ', '\t']).len()
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '@' | '-' | '«' | '»')
}

/// Where what stands behind a name and one of the joints begins; without joints, behind a space. A slash with a space on one side only
/// is of a path.
fn separated(text: &str, at: usize, joints: &[&str]) -> Option<usize> {
    let rest = &text[at..text.floor_char_boundary(at + NAME_BYTES_MAX)];
    let name = rest.find(|c: char| !is_of_name(c))?;
    if name == 0 {
        return None;
    }
    let after = &text[at + name..];
    let space = blank(after);
    if joints.is_empty() {
        return (space > 0).then_some(at + name + space);
    }
    let joint = joints.iter().find(|joint| after[space..].starts_with(**joint) || after.starts_with(**joint))?;
    let length = if after.starts_with(*joint) { joint.len() } else { space + joint.len() };
    let behind = blank(&after[length..]);
    let even = *joint != "/" || (space > 0) == (behind > 0);
    even.then_some(at + name + length + behind)
}

/// Letters with a mark or a digit among them (`strictly`: with both), and not a version, a number of an order, an address or a product.
pub(super) fn looks_like_password(said: &str, strictly: bool) -> bool {
    let lower = said.to_ascii_lowercase();
    let has = |of: fn(&u8) -> bool| said.bytes().any(|b| of(&b));
    let mark = has(|b| b"!@#$%^&*~?".contains(b));
    let (upper, small, digit) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase), has(u8::is_ascii_digit));
    let version = lower.trim_start_matches('v').bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let address = said.contains('/') || (said.contains('@') && said.contains('.'));
    let product = PRODUCTS.iter().any(|product| lower.starts_with(product)) || TECHNICAL.contains(&lower.as_str());
    let letter = upper || small;
    let made = if strictly { mark && letter && digit } else { (mark && letter) || (digit && small) };
    said.is_ascii() && !said.starts_with(['@', '#']) && said.len() >= 6 && made && !version && !address && !product
}
