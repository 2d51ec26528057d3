//! Secrets that show by their own form: key prefixes that vendors publish so that scanners find them, JWTs, PEM blocks,
//! bearer credentials, passwords in connection strings and on command lines.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::rules::Secret;
use super::scan::Found;

/// Without one of these in a text (case aside), it holds none of this room's secrets.
pub(crate) const HINTS: &[&str] = &[
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "whsec_",
    "akia",
    "asia",
    "abia",
    "acca",
    "aroa",
    "aida",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "glrt-",
    "glptt-",
    "xox",
    "xapp-",
    "aiza",
    "ya29.",
    "gocspx-",
    "hf_",
    "npm_",
    "pypi-",
    "dop_v1_",
    "shpat_",
    "shpss_",
    "sg.",
    "gsk_",
    "xai-",
    "nvapi-",
    "tvly-",
    "pplx-",
    "r8_",
    "age-secret-key-",
    "ltai",
    "akid",
    "eyj",
    "-----begin",
    "-----end",
    "bearer ",
    "basic ",
    "://",
    "hooks.slack.com",
    "curl ",
    "mysql",
    "sshpass",
    "bot",
    "fc-",
    "lsv2_",
    "dckr_pat_",
    "atatt3",
];

/// Prefix and body; the body is checked further in `is_key`.
const KEYS: &str = concat!(
    r"(?:sk-(?:proj-|ant-|or-|svcacct-)?[A-Za-z0-9_-]{16,}",
    r"|(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}",
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}",
    r"|gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,}",
    r"|xox[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}",
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",
    r"|[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}",
    r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dop_v1_[a-f0-9]{40,}|shp(?:at|ss)_[a-fA-F0-9]{32}",
    r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_-]{20,}",
    r"|tvly-[A-Za-z0-9-]{16,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|fc-[a-f0-9]{32}|lsv2_[a-z]{2}_[A-Za-z0-9_]{20,}",
    r"|dckr_pat_[A-Za-z0-9_-]{20,}|ATATT3[A-Za-z0-9_=-]{20,}",
    r"|AGE-SECRET-KEY-1[A-Z0-9]{20,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{13,}",
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,})",
);
const JWT: &str = r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}";
const SCHEME: &str = r"(?i)(bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,})";
const HOOK: &str = r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{20,})";
/// user:password@host in a URL. Only databases and the like are given passwords with raw slashes.
const URL: &str = r#"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"'<>]*:([^\s/"'<>]+)@[A-Za-z0-9\[]"#;
const DATABASE_URL: &str = r#"(?i)(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|kafka|mqtts?|smtps?|s?ftp|jdbc:[a-z]+)://[^\s/:@"'<>]*:([^\s"'<>]+)@[A-Za-z0-9\[]"#;
const COMMAND: &str = r#"(?:\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,100}:([^\s"']+)|\bmysql(?:dump|admin)?\b[^\n|;]{0,200}?\s-p["']?([^\s"']+)|\bsshpass\s+-p\s*["']?([^\s"']+))"#;

struct Forms {
    keys: Regex,
    jwt: Regex,
    scheme: Regex,
    hook: Regex,
    url: Regex,
    database_url: Regex,
    command: Regex,
}

fn forms() -> &'static Forms {
    static FORMS: OnceLock<Forms> = OnceLock::new();
    FORMS.get_or_init(|| {
        let compile = |pattern: &str| Regex::new(pattern).expect("a fixed pattern");
        Forms {
            keys: compile(KEYS),
            jwt: compile(JWT),
            scheme: compile(SCHEME),
            hook: compile(HOOK),
            url: compile(URL),
            database_url: compile(DATABASE_URL),
            command: compile(COMMAND),
        }
    })
}

/// Finds the secrets of a text that show by their form.
pub(crate) fn find(text: &str, found: &mut Vec<Found>) {
    let forms = forms();
    let apart = |start: usize| !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
    for key in forms.keys.find_iter(text).filter(|key| apart(key.start()) && is_key(key.as_str())) {
        found.push(Found { secret: Secret::ApiKey, range: key.range() });
        if let Some(range) = second_half(text, key.as_str(), key.end()) {
            found.push(Found { secret: Secret::ApiKey, range });
        }
    }
    for jwt in forms.jwt.find_iter(text).filter(|jwt| apart(jwt.start())) {
        found.push(Found { secret: Secret::Token, range: jwt.range() });
    }
    let mut group = |regex: &Regex, secret: Secret, accept: &dyn Fn(&regex::Captures<'_>, &str) -> bool| {
        for captures in regex.captures_iter(text) {
            if let Some(value) = captures.iter().skip(1).flatten().last()
                && !super::assigned::is_stand_in(value.as_str())
                && accept(&captures, value.as_str())
            {
                found.push(Found { secret, range: value.range() });
            }
        }
    };
    group(&forms.scheme, Secret::Token, &|captures, value| {
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let mixed =
            value.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && value.bytes().any(|b| b.is_ascii_lowercase());
        match captures[1].eq_ignore_ascii_case("bearer") {
            true => digits > 0 || value.len() >= 24 || (mixed && value.len() >= 12),
            false => value.len() >= 10 && mixed && (digits > 0 || value.ends_with('=')),
        }
    });
    group(&forms.hook, Secret::Token, &|_, _| true);
    group(&forms.url, Secret::Password, &|_, _| true);
    group(&forms.database_url, Secret::Password, &|_, _| true);
    group(&forms.command, Secret::Password, &|_, _| true);
    pem(text, found);
}

/// How far behind the id of an AWS key its secret may begin, in bytes.
const SECOND_HALF_BYTES: usize = 64;

/// "AKIA… / wJalr…": the secret of an AWS key beside its id, with at most a few words between them.
fn second_half(text: &str, id: &str, end: usize) -> Option<Range<usize>> {
    if !["AKIA", "ASIA"].iter().any(|prefix| id.starts_with(prefix)) {
        return None;
    }
    let is_body = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let mut at = end;
    while at <= end + SECOND_HALF_BYTES {
        let rest = &text[at..text.floor_char_boundary(at + 2 * SECOND_HALF_BYTES)];
        let run = rest.find(|c: char| !is_body(c)).unwrap_or(rest.len());
        // "id/secret" and "id:secret": the mark is of neither.
        let body = rest[..run].trim_start_matches('/');
        let start = at + run - body.len();
        let has = |of: fn(&u8) -> bool| body.bytes().any(|b| of(&b));
        let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        let joined = text[end..start].bytes().all(|b| b" /:|,".contains(&b));
        let least = if joined { 8 } else { 16 };
        if (least..=64).contains(&body.len()) && (mixed || body.len() == 40 && has(u8::is_ascii_uppercase)) {
            return Some(start..at + run);
        }
        at += run + rest[run..].chars().next()?.len_utf8();
    }
    None
}

/// `sk-` also begins words joined by hyphens: a key has digits or both cases.
fn is_key(text: &str) -> bool {
    let Some(body) = text.strip_prefix("sk-") else { return true };
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    let mixed = body.bytes().any(|b| b.is_ascii_uppercase()) && body.bytes().any(|b| b.is_ascii_lowercase());
    digits > 0 || mixed
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// A PEM block is a few kB; an END further away belongs to something else.
const BLOCK_BYTES_MAX: usize = 32 * 1024;

/// PEM blocks (RFC 7468) of private keys; also such as were cut off before their end or after their beginning.
fn pem(text: &str, found: &mut Vec<Found>) {
    let boundary = |start: usize, mark: &str| {
        let rest = &text[start + mark.len()..];
        let rest = &rest[..rest.floor_char_boundary(64)];
        let end = rest.find("-----")?;
        rest[..end].contains("PRIVATE KEY").then_some(start + mark.len() + end + 5)
    };
    let ends: Vec<(usize, usize)> =
        text.match_indices(END).filter_map(|(at, _)| boundary(at, END).map(|end| (at, end))).collect();
    let mut covered = 0;
    for (start, _) in text.match_indices(BEGIN) {
        if start < covered {
            continue;
        }
        let Some(body) = boundary(start, BEGIN) else { continue };
        let next = ends.partition_point(|(at, _)| *at < body);
        let end = match ends.get(next) {
            Some((at, end)) if at - body <= BLOCK_BYTES_MAX => *end,
            _ => body + body_length(&text[body..]),
        };
        found.push(Found { secret: Secret::PrivateKey, range: start..end });
        covered = end;
    }
    for (at, end) in ends {
        if at >= covered {
            let start = at - body_length_before(&text[covered..at]);
            found.push(Found { secret: Secret::PrivateKey, range: start..end });
            covered = end;
        }
    }
}

/// How far base64 goes on: lines of it (line ends may be written `\n` or have become spaces), PEM headers, one shorter last line.
fn body_length(rest: &str) -> usize {
    let rest = &rest[..rest.floor_char_boundary(BLOCK_BYTES_MAX)];
    let mut length = 0;
    loop {
        let gap = gap(&rest[length..]);
        let word = word(&rest[length + gap..]);
        let header = ["Proc-Type:", "DEK-Info:", "Comment:"].iter().any(|name| rest[length + gap..].starts_with(name));
        if header {
            let line = &rest[length + gap..];
            length += gap + line.find('\n').unwrap_or(line.len());
            continue;
        }
        if word == 0 {
            return length;
        }
        let text = &rest[length + gap..length + gap + word];
        let last = word < 16;
        let random = text.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'+' | b'/' | b'='))
            || (text.bytes().skip(1).any(|b| b.is_ascii_uppercase()) && text.bytes().any(|b| b.is_ascii_lowercase()));
        if last && !random {
            return length;
        }
        length += gap + word;
        if last {
            return length;
        }
    }
}

fn body_length_before(before: &str) -> usize {
    let start = before.len().saturating_sub(BLOCK_BYTES_MAX);
    let before = &before[before.ceil_char_boundary(start)..];
    let is_body = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '\\' | '\n' | '\r');
    let body = before.len() - before.trim_end_matches(|c: char| is_body(c) || c == ' ').len();
    // Spaces may have been line ends, but prose before the key isn't part of it.
    let words: Range<usize> = before.len() - body..before.len();
    let mut kept = 0;
    for word in before[words].rsplit(' ') {
        let is_prose = word.len() < 16 && kept > 0 && !word.is_empty();
        if is_prose {
            break;
        }
        kept += word.len() + 1;
    }
    let body = &before[before.len() - kept.min(body)..];
    body.trim_start().len()
}

fn gap(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        match rest.chars().next() {
            Some(c) if c.is_whitespace() => length += c.len_utf8(),
            Some('\\') if rest[1..].starts_with(['n', 'r']) => length += 2,
            _ => return length,
        }
    }
}

fn word(text: &str) -> usize {
    text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')).count()
}
