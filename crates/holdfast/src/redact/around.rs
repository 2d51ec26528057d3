//! A password that stands further from its word than a link away: "my wifi password at home is hunter2!x", "use hunter2!x as the
//! password", 「以后密码就用hunter2!x」, 「用hunter2!x当密码」. So far away, only what looks like a password is one.

use std::ops::Range;

use super::assigned::{Told, is_stand_in, starts_with_ignore_case, value, zh_fillers};
use super::pairs::looks_like_password;

/// How far behind the word a value may begin, and how far before it one may end: in bytes.
const BEHIND_BYTES: usize = 96;
const BEFORE_BYTES: usize = 160;
/// Words between the word and the value, and between the value and the word.
const WORDS_BEHIND_MAX: usize = 12;
const WORDS_BEFORE_MAX: usize = 5;
/// 我家WiFi的: what may stand between 当 and the word, in bytes.
const QUALIFIERS_ZH_BYTES_MAX: usize = 24;
/// Where 是 may stand behind 密码不是, in bytes.
const DENIED_BYTES_MAX: usize = 48;

/// What a sentence that tells a password may go on with behind the word; "policy", "reset" and "field" make another thing of it.
#[rustfmt::skip]
const GOES_ON: &[&str] = &[
    "at", "for", "of", "on", "in", "to", "from", "with", "by", "until", "since", "after", "as", "that", "which", "we", "i", "you", "they", "he",
    "she", "there", "here", "today", "tomorrow", "tonight", "now", "then", "again", "going", "starting", "still", "always", "also", "just", "only",
    "is", "was", "are", "be", "will", "would", "shall", "should", "must", "can", "has", "had", "have", "isn't", "wasn't", "not", "no", "ain't",
    "changes", "changed", "change", "changing", "becomes", "became", "become", "remains", "stays", "equals", "gets", "got", "moves", "switches",
    "switched", "goes", "use", "used", "using", "being", "everywhere", "instead", "please", "it's", "it", "ist", "lautet", "wird", "war", "bleibt", "für",
    "ab", "im", "zu", "est", "sera", "reste", "du", "de", "del", "para", "pour", "es", "será", "era", "sigue", "é", "è", "esta", "está", "ahora",
];
/// What stands right before a value.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "is", "was", "are", "be", "been", "becomes", "became", "become", "remains", "stays", "equals", "it's", "its", "as", "ist", "lautet", "wird",
    "war", "bleibt", "est", "c'est", "sera", "reste", "es", "será", "era", "é", "è",
];
/// Right before a value, unless "to" stands before them: "the password to use".
const USES: &[&str] = &["use", "using", "try", "type", "enter"];
/// Make "to" lead to a new value.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "changes", "changed", "change", "changing", "set", "reset", "updated", "update", "updates", "switch", "switched", "switches", "switching",
    "moves", "moved", "goes", "rotated", "rotates", "turns", "turned", "renewed", "back", "over",
];
/// May stand between a link and the value.
#[rustfmt::skip]
const FILLERS: &[&str] = &["now", "still", "always", "just", "simply", "again", "currently", "really", "actually", "then", "only", "jetzt", "ahora", "maintenant", "nun", "ab"];

/// Between a value and the word: "hunter2!x as the new password".
const AS: &[&str] = &["as", "becomes", "became", "that's", "thats"];
/// Follow the word where it ends what is said of it.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "for", "to", "of", "on", "at", "in", "from", "and", "or", "but", "now", "again", "everywhere", "please", "until", "when", "if", "because",
    "so", "since", "instead", "there", "here", "today", "tomorrow", "with", "then", "is", "too", "always", "as", "by", "wherever", "whenever",
];

/// 就用, 改用 …: a value follows.
const USES_ZH: &[&str] =
    &["使用", "改用", "设置", "设定", "设", "换用", "沿用", "选用", "采用", "启用", "用", "写", "填", "输入", "输"];
/// May stand before them.
#[rustfmt::skip]
const FILLERS_ZH: &[&str] = &[
    "从今天起", "从今以后", "从现在起", "从现在开始", "从今天开始", "今天起", "以后", "今后", "往后", "继续", "一律", "还是", "全部", "全", "请", "直接", "这次",
    "一般", "平时", "通常", "经常", "常", "习惯", "总是", "总", "基本", "喜欢", "改天", "将", "会", "要", "必须", "只", "仍然", "仍", "呢", "的话", "，", ",", " ",
];
/// Between them and the value.
const OLD_ZH: &[&str] =
    &["老的", "旧的", "新的", "原来的", "以前的", "之前的", "那个", "这个", "同一个", "同样的", "原来那个", "老"];
/// Begins what says where or for what it holds: 密码在家是….
const WHERE_ZH: &[&str] = &["在", "对", "给", "到了", "从"];
/// Said of a tool and not of a password: 密码用bcrypt2b加密.
#[rustfmt::skip]
const TOOLS_ZH: &[&str] = &[
    "加密", "解密", "哈希", "散列", "加盐", "存", "保存", "保护", "管理", "生成", "算法", "校验", "验证", "传输", "签名", "登录", "登陆", "重置", "找回", "来加",
    "来存", "来管", "来生", "做哈希", "做加", "进行",
];
/// Make another thing of the word: 密码哈希, 密码策略.
#[rustfmt::skip]
const COMPOUNDS_ZH: &[&str] = &[
    "哈希", "加密", "算法", "策略", "规则", "字段", "长度", "管理", "强度", "框", "输入", "重置", "保护", "学", "库", "校验", "验证", "生成", "的", "散列", "本",
    "存储", "表", "工具", "软件", "系统", "文件", "年", "组件", "模块", "箱", "机", "锁", "器", "项",
];
/// Between a value and the word: 用…当密码.
#[rustfmt::skip]
const AS_ZH: &[&str] = &["作为", "当作", "当成", "当做", "设为", "设成", "设置为", "设置成", "定为", "定成", "用作", "用做", "当", "做", "作", "为", "成", "这个", "这串", "是"];
/// May stand between a value and 是 or 当.
const BEFORE_AS_ZH: &[&str] = &[
    "以后", "今后", "现在", "就", "才", "一直", "将", "会", "来", "直接", "都", "还", "也", "不再", "这", "那", "它",
    "，", "。", ",",
];

/// What is told behind the word.
pub(super) fn behind(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let bare = place.end + text[place.end..].len() - text[place.end..].trim_start_matches([' ', '"', '*', '`']).len();
    behind_zh(text, bare).or_else(|| behind_words(text, place.end))
}

fn behind_words(text: &str, from: usize) -> Option<Range<usize>> {
    let window = &text[from..text.floor_char_boundary(from + BEHIND_BYTES)];
    let end = from + window.find('\n').unwrap_or(window.len());
    let topic = ["は", "는", "은", "가"].iter().find(|topic| window.trim_start().starts_with(**topic));
    if let Some(topic) = topic {
        let at = from + window.len() - window.trim_start().len() + topic.len();
        return told(text, at + text[at..].len() - text[at..].trim_start_matches([' ', '、']).len(), false);
    }
    let plural = usize::from(window.starts_with('s'));
    let owns = ["'s ", "’s "].iter().find(|is| window.starts_with(**is)).map_or(0, |is| is.len());
    let mut at = from + plural + owns;
    if owns == 0 && !text[at..end].starts_with([' ', ',', '(']) {
        return None;
    }
    let (mut before, mut last) = (String::new(), if owns > 0 { "is".to_owned() } else { String::new() });
    for count in 0..WORDS_BEHIND_MAX {
        let rest = &text[at..end];
        at += rest.len() - rest.trim_start_matches([' ', ',', '(', ')', ';', '\t', '…', '-']).len();
        let rest = &text[at..end];
        let length = rest.find([' ', '\t']).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        let links = LINKS.contains(&last.as_str())
            || last.ends_with([':', '='])
            || (USES.contains(&last.as_str()) && before != "to")
            || (last == "to" && CHANGES.contains(&before.as_str()));
        if links && let Some(range) = told(text, at, true) {
            return Some(range);
        }
        let written = rest[..length].to_lowercase().replace('’', "'");
        let word = written.trim_end_matches([',', ')', ';']);
        if count == 0 && owns == 0 && !GOES_ON.contains(&word.trim_end_matches([':', '='])) && !written.ends_with(')') {
            return None;
        }
        // A sentence ends, unless the next one is about the same: "My password isn't foo. It's …".
        let next = text[at + length..end].trim_start().as_bytes();
        let goes_on = || ["it's ", "it’s ", "it is ", "its "].iter().any(|same| starts_with_ignore_case(next, same));
        if (word.ends_with(['.', '!', '?']) && !goes_on()) || word.contains(['，', '。']) {
            return None;
        }
        if !(FILLERS.contains(&word) && links) {
            before = std::mem::replace(&mut last, word.to_owned());
        }
        at += length;
    }
    None
}

/// 「就用hunter2!x」, 「不是foo，是hunter2!x」.
fn behind_zh(text: &str, from: usize) -> Option<Range<usize>> {
    let window = &text[from..text.floor_char_boundary(from + BEHIND_BYTES)];
    let window = &window[..window.find('\n').unwrap_or(window.len())];
    let mut at = 0;
    for _ in 0..6 {
        let here = &window[at..];
        let filler = FILLERS_ZH.iter().find(|word| here.starts_with(**word)).map(|word| word.len());
        match filler.or_else(|| zh_fillers(here)) {
            Some(length) => at += length,
            None => break,
        }
    }
    if WHERE_ZH.iter().any(|word| window[at..].starts_with(word)) {
        let inside = &window[at..window.floor_char_boundary(at + QUALIFIERS_ZH_BYTES_MAX)];
        let is = inside.find('是').filter(|is| !inside[..*is].contains(['，', '。', ',', '.', '不']))?;
        let at = from + at + is + '是'.len_utf8();
        return told(text, at + text[at..].len() - text[at..].trim_start_matches([' ', ':']).len(), true);
    }
    let blank = |at: usize| at + window[at..].len() - window[at..].trim_start_matches([' ', ':']).len();
    if let Some(denied) = ["不是", "不再是", "不叫"].iter().find(|word| window[at..].starts_with(**word)) {
        let after = at + denied.len();
        let inside = &window[after..window.floor_char_boundary(after + DENIED_BYTES_MAX)];
        let is = inside.find('是').map(|is| is + '是'.len_utf8()).or_else(|| inside.find("改成").map(|at| at + 6))?;
        return told(text, from + blank(after + is), true);
    }
    let uses = USES_ZH.iter().find(|word| window[at..].starts_with(**word))?;
    let at = blank(at + uses.len());
    let old = OLD_ZH.iter().find(|word| window[at..].starts_with(**word)).map_or(0, |word| word.len());
    let at = from + blank(at + old);
    let told = told(text, at, true)?;
    let after = text[told.end..].trim_start_matches([' ', '”', '」', '"', '\'', '来']);
    (!TOOLS_ZH.iter().any(|word| after.starts_with(word))).then_some(told)
}

/// A value that begins at a place and looks like one.
fn told(text: &str, at: usize, digits: bool) -> Option<Range<usize>> {
    let Told { range, quoted } = value(text, at, false)?;
    let said = &text[range.clone()];
    let after = text[range.end..].trim_start_matches([' ', '.', '!', '，', '。', ',']);
    let number = digits && (4..=12).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    let alone = !after.starts_with(char::is_alphanumeric);
    let fits = looks(said) || (quoted && said.len() >= 3 && said.chars().count() <= 64) || (number && alone);
    (fits && !is_stand_in(said)).then_some(range)
}

fn looks(said: &str) -> bool {
    // "auto-generated!" is a word.
    let core = said.trim_end_matches(['!', '?']);
    looks_like_password(said, false) && !core.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'\''))
}

/// What is told before the word: "hunter2!x as the password", 「用hunter2!x当密码」.
pub(super) fn before(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let after = text[place.end..].strip_prefix('s').unwrap_or(&text[place.end..]);
    let next = after.trim_start_matches([' ', '\t']);
    let window = text.floor_char_boundary(place.start.saturating_sub(BEFORE_BYTES));
    let window = text[window..place.start].rfind('\n').map_or(window, |line| window + line + 1);
    let before = &text[window..place.start];
    let compound = COMPOUNDS_ZH.iter().any(|word| next.starts_with(word));
    if compound || next.starts_with([':', '=', '：']) {
        return None;
    }
    let spoken = text.as_bytes()[place.start].is_ascii() && before.ends_with(' ');
    let end = before_words(before).filter(|_| spoken && ends(after, next)).or_else(|| before_zh(before))?;
    let by = before[end..].trim_start().to_ascii_lowercase();
    let strictly = by.starts_with("for ") || by.starts_with("这个");
    let before = before[..end].trim_end_matches([' ', '\t', ',']);
    let bare = before.trim_end_matches(['"', '\'', '`', '”', '」', '’']);
    let range = if bare.len() < before.len() {
        let open = bare.rfind(['"', '\'', '`', '“', '「', '‘'])?;
        open + bare[open..].chars().next().map_or(1, char::len_utf8)..bare.len()
    } else {
        let run = bare.bytes().rev().take_while(|b| b.is_ascii_graphic() && !b"\"'`/|:,;=".contains(b)).count();
        bare.len() - run..bare.len()
    };
    let said = &before[range.clone()];
    let number = (4..=12).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    let quoted = bare.len() < before.len() && said.chars().count() <= 64 && said.len() >= 3;
    let fits = if strictly { looks_like_password(said, true) } else { looks(said) || number || quoted };
    (fits && !is_stand_in(said)).then_some(window + range.start..window + range.end)
}

/// Whether the word ends what is said of it: "as the password replacement" does not.
fn ends(after: &str, next: &str) -> bool {
    let word = next[..next.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(next.len())].to_ascii_lowercase();
    match after.chars().next() {
        Some(' ' | '\t') => word.is_empty() || ENDS.contains(&word.as_str()),
        Some(c) => !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')),
        None => true,
    }
}

/// The end of what stands before "as the new wifi" or "will be my".
fn before_words(before: &str) -> Option<usize> {
    let mut rest = before.trim_end_matches(' ');
    for _ in 0..WORDS_BEFORE_MAX {
        let start = rest.rfind(' ')?;
        let word = rest[start + 1..].to_ascii_lowercase();
        rest = rest[..start].trim_end_matches(' ');
        // "Ask server01 for the password": behind "for", only what nobody names a thing.
        if AS.contains(&word.as_str()) || word == "for" {
            return Some(rest.len());
        }
        if word == "be" {
            let modal = [" will", " shall", " should", " to", " must", " would"];
            let rest = modal.iter().find_map(|modal| rest.strip_suffix(modal))?;
            return Some(rest.strip_suffix(" is going").unwrap_or(rest).len());
        }
        if !word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'\'')) {
            return None;
        }
    }
    None
}

/// The end of what stands before 当我家WiFi的.
fn before_zh(before: &str) -> Option<usize> {
    let window = before.floor_char_boundary(before.len().saturating_sub(QUALIFIERS_ZH_BYTES_MAX + 9));
    let near = &before[window..];
    let (at, word) = AS_ZH
        .iter()
        .filter_map(|word| near.rfind(word).map(|at| (at, word.len())))
        .max_by_key(|(at, length)| (at + length, *length))?;
    let between = &near[at + word..];
    if between.contains(['，', '。', ',', '.', '!', '?', ':', '不', '»', '/']) {
        return None;
    }
    let mut rest = before[..window + at].trim_end_matches(' ');
    while let Some(shorter) = BEFORE_AS_ZH.iter().find_map(|word| rest.strip_suffix(word)) {
        rest = shorter.trim_end_matches(' ');
    }
    Some(rest.len())
}

/// The rest of a value of several words: 「Tiger 77」, "Blue Horse 42". What follows must end what is said.
pub(super) fn rest_of(text: &str, told: &Range<usize>, marked: bool) -> usize {
    const WORDS_MAX: usize = 3;
    let capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let mut named = capital(&text[told.clone()]);
    let mut at = told.end;
    for _ in 0..WORDS_MAX {
        let Some(rest) = text[at..].strip_prefix(' ') else { break };
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"!@#$%^&*-_".contains(b)).count();
        let word = &rest[..length];
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if (1..=6).contains(&digits) && word[digits..].bytes().all(|b| b"!@#$%^&*".contains(&b)) {
            let after = rest[length..].trim_start_matches(['.', ',', ';', '?', ')', '"', '\'', '»']);
            let ended = after.len() < rest.len() - length;
            let ends = after.is_empty()
                || after.starts_with(['\n', '\r', '，', '。', '；', '！', '？', '、', '」', '”', '）', '<'])
                || (ended && after.starts_with(' '));
            return if ends { at + 1 + length } else { told.end };
        }
        named &= capital(word) && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
        if !named {
            break;
        }
        at += 1 + length;
        if marked && length > 1 && matches!(text.as_bytes().get(at), None | Some(b'\n' | b'\r')) {
            return at;
        }
    }
    told.end
}

/// The length of "use" and its like between a mark and a value: "password: use hunter2!x".
pub(super) fn leads(text: &str, at: usize) -> usize {
    let rest = &text[at..text.floor_char_boundary(at + BEHIND_BYTES)];
    let length = rest.find(' ').unwrap_or(0);
    let leads =
        USES.iter().chain(&["it's", "its", "is", "now", "still"]).any(|word| rest[..length].eq_ignore_ascii_case(word));
    let told = leads && (rest[length + 1..].starts_with('«') || told(text, at + length + 1, true).is_some());
    if told { length + 1 } else { 0 }
}

/// Whether what follows a mark begins a sentence: "password: use the vault", "password: see the wiki".
pub(super) fn begins_sentence(text: &str, told: &Range<usize>) -> bool {
    const SENTENCES: &[&str] = &["see", "ask", "check", "contact", "it's", "its", "same", "find", "read", "please"];
    let begins = USES.iter().chain(SENTENCES).any(|word| text[told.clone()].eq_ignore_ascii_case(word));
    let after = text[told.end..].strip_prefix(' ');
    begins && after.is_some_and(|after| after.starts_with(|c: char| c.is_alphanumeric() || c == '«'))
}

/// The length of a bracket behind the word: 「密码（新）：…」, "password (new): …". In code, an argument stands without a space.
pub(super) fn bracket(text: &str, at: usize, named_in_ascii: bool) -> usize {
    const BRACKET_BYTES_MAX: usize = 24;
    let rest = &text[at..text.floor_char_boundary(at + BRACKET_BYTES_MAX)];
    let inside = rest.trim_start_matches(' ');
    if !inside.starts_with('(') || (named_in_ascii && inside.len() == rest.len()) {
        return 0;
    }
    let end = inside.find([')', '\n', ':', '=']).filter(|end| inside[*end..].starts_with(')'));
    end.map_or(0, |end| rest.len() - inside.len() + end + 1)
}

/// 「单元门密码 4471#」: fewer digits than elsewhere, with nothing behind them; a year is none.
pub(super) fn few_digits(text: &str, told: &Range<usize>) -> bool {
    let said = text[told.clone()].trim_end_matches(['#', '*']);
    let digits = (4..=8).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    let year = said.len() == 4 && (said.starts_with("19") || said.starts_with("20"));
    let after = text[told.end..].trim_start_matches(' ');
    digits
        && !(year && said.len() == told.len())
        && !after.starts_with(|c: char| c.is_alphanumeric() || "-/.:%".contains(c))
}

/// 「PIN 4321」, "alarm pin 0099": a few digits behind the noun. "Pin 2024 plans to the top" is an order.
pub(super) fn pin_digits(text: &str, place: &Range<usize>, told: &Range<usize>) -> bool {
    #[rustfmt::skip]
    const ORDERS: &[&str] = &["", "to", "please", "i", "we", "you", "can", "could", "will", "and", "then", "let's", "should", "must", "just", "also", "don't", "not"];
    let said = text[told.clone()].trim_end_matches(['#', '*']);
    let digits = (4..=8).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit());
    let upper = text[place.start..].starts_with("PIN");
    let window = text.floor_char_boundary(place.start.saturating_sub(BEFORE_BYTES));
    let before = text[window..place.start].trim_end_matches(' ');
    let start = before
        .rfind(|c: char| !(c.is_alphabetic() || c == '\''))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let called = !ORDERS.contains(&before[start..].to_lowercase().as_str());
    let after = text[told.end..].trim_start_matches(' ');
    let alone = !after.starts_with(|c: char| c.is_alphanumeric()) || ENDS.iter().any(|word| after.starts_with(word));
    digits && (called || (upper && alone)) && (alone || upper)
}
