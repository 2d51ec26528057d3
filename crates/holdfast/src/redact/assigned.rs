//! Secrets that are called by name: 「密码是…」, "my password is …", `api_key = "…"`, a JSON field. What the name is followed by
//! decides whether a secret is told or only spoken of: "the password is required" tells none.

use std::ops::Range;

use super::answers::answer;
use super::around;
use super::guess::{guess, hedged};
use super::pairs;
use super::rules::Secret;
use super::scan::Found;
use super::words::{SECRET_KEYS, SPEAKING, SPEAKING_ZH, TECHNICAL};

/// What sort of thing a word announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    /// Whatever follows may be one: people choose words for passwords.
    Password,
    /// As a password, but also a word of other meanings: only with `:` or `=` behind it and no letter before it.
    Pass,
    /// Made by machines: what looks random is one.
    ApiKey,
    Token,
    /// As a token, unless it is a UUID: those name sessions without opening them.
    Session,
    /// A password of several words.
    Phrase,
    /// A few digits.
    Code,
    /// Opens a door; a few digits, a # behind them, a letter among them.
    Entry,
    /// The header; what follows is a secret whatever it looks like.
    Authorization,
    /// The header; a list of names and values.
    Cookie,
    /// Who logs in: a password may stand behind the name.
    Login,
}

impl Keyword {
    fn secret(self) -> Secret {
        match self {
            Self::Password | Self::Pass | Self::Phrase | Self::Login | Self::Entry => Secret::Password,
            Self::ApiKey => Secret::ApiKey,
            Self::Token | Self::Session | Self::Authorization => Secret::Token,
            Self::Code => Secret::Code,
            Self::Cookie => Secret::Cookie,
        }
    }
}

use Keyword::{ApiKey, Authorization, Code, Cookie, Entry, Login, Pass, Password, Phrase, Session, Token};

/// The secret that a key of metadata announces.
pub(crate) fn secret_of_key(key: &str) -> Option<Secret> {
    let plain: String =
        key.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.')).flat_map(char::to_lowercase).collect();
    SECRET_KEYS.iter().find(|(end, _)| plain.ends_with(end)).map(|(_, secret)| *secret)
}

/// How a name and what it names are connected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `:` or `=`.
    Mark,
    /// "is", 是, 为.
    Is,
    /// "to", 改成: a new value.
    To,
    /// 忘了，应该是, "probably".
    Guess,
    /// Nothing but a space, or nothing at all.
    Bare,
}

/// Longest value that is looked for, in bytes: a token of a megabyte is none.
const VALUE_BYTES_MAX: usize = 8192;
/// Longest value of ideographs that is looked for: nobody types a paragraph as a password.
const IDEOGRAPHS_BYTES_MAX: usize = 128;
/// Longest row of "is, I think, probably" that is looked for.
const HEDGES_BYTES_MAX: usize = 48;
/// Longest value between typographic quotes.
const QUOTED_BYTES_MAX: usize = 512;
/// A longer run without white space is no word and no sentence; it counts as made by a machine without a closer look.
const WORD_BYTES_MAX: usize = 256;

/// Finds what the keywords of a text announce.
pub(crate) fn find(text: &str, keywords: &[(Keyword, Range<usize>)], found: &mut Vec<Found>) {
    // What is covered already needs no second look, and a text of nothing but keywords no quadratic one.
    let mut covered = 0;
    for (keyword, place) in keywords.iter().filter(|(keyword, _)| *keyword != Cookie || text.contains('=')) {
        if place.end < covered {
            continue;
        }
        let paired = match keyword {
            Login => pairs::behind_name(text, place),
            Password | Pass => pairs::named(text, place).or_else(|| answer(text, place)),
            _ => None,
        };
        if let Some(range) = paired {
            covered = range.end;
            if !is_stand_in(&text[range.clone()]) {
                found.push(Found { secret: keyword.secret(), range });
            }
            continue;
        }
        if *keyword == Login {
            continue;
        }
        let mut told = false;
        if *keyword == Password {
            for range in changed(text, place).into_iter().flatten().chain(value_before(text, place)) {
                covered = covered.max(range.end);
                told = true;
                found.push(Found { secret: keyword.secret(), range });
            }
        }
        let spoken = matches!(keyword, Password | Phrase) || (*keyword == Pass && is_apart(text, place));
        if spoken
            && !told
            && let Some(range) = around::before(text, place)
        {
            found.push(Found { secret: keyword.secret(), range });
        }
        let after = value_after(text, *keyword, place);
        if let Some(range) = after.or_else(|| around::behind(text, place).filter(|_| spoken)) {
            covered = range.end;
            found.push(Found { secret: keyword.secret(), range });
        }
    }
}

/// Whether a short word stands alone: "pass" in "compass" does not.
fn is_apart(text: &str, place: &Range<usize>) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text[..place.start].ends_with(letter) && !text[place.end..].starts_with(letter)
}

/// "the password from hunter2 to hunter3", 「密码从hunter2改成hunter3」: the old one opens whatever was not told of the change.
fn changed(text: &str, place: &Range<usize>) -> Option<[Range<usize>; 2]> {
    const CHANGES: &[&str] = &[
        "to ",
        "into ",
        "改成了",
        "改成",
        "改为",
        "换成了",
        "换成",
        "换为",
        "变成",
        "变更为",
        "更新为",
        "修改为",
        "改到",
    ];
    let blank = |at: usize| at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
    let at = blank(place.end);
    let from = ["from ", "从", "由"].into_iter().find(|from| starts_with_ignore_case(&text.as_bytes()[at..], from))?;
    let old = value(text, blank(at + from.len()), false)?;
    let after = if old.quoted { old.range.end + closing(&text[old.range.end..]) } else { old.range.end };
    let at = blank(after);
    let change = CHANGES.iter().find(|change| text[at..].starts_with(**change))?;
    let at = blank(at + change.len());
    let new = value(text, at + mark(&text[at..]).unwrap_or(0), false)?;
    let told = |told: &Told| {
        let said = &text[told.range.clone()];
        link_tells_password(Link::To, told, said, false) && !is_stand_in(said)
    };
    (told(&old) || told(&new)).then_some([old.range, new.range])
}

/// The length of the quote that ends a value.
fn closing(rest: &str) -> usize {
    rest.len() - rest.trim_start_matches(['"', '\'', '`', '“', '”', '’', '」', '』', '\\']).len()
}

/// "hunter2 is the password", 「hunter2就是密码」. Only what nobody says as a word: "This is the password" tells none.
fn value_before(text: &str, place: &Range<usize>) -> Option<Range<usize>> {
    const OWNERS: &[&str] = &["the", "my", "our", "your", "his", "her", "their", "its"];
    const QUALIFIERS_MAX: usize = 3;
    /// 管理员的登录: what may stand between 是 and the word.
    const QUALIFIERS_ZH_BYTES_MAX: usize = 24;
    let after = text[place.end..].trim_start_matches([' ', '\t']);
    let ends = after.chars().next().is_none_or(|c| !c.is_alphanumeric() || matches!(c, '了' | '哦' | '啊' | '吧'))
        || ["for ", "to ", "of ", "on "].iter().any(|word| starts_with_ignore_case(after.as_bytes(), word));
    if !ends || after.starts_with([':', '=']) {
        return None;
    }
    let window = text.floor_char_boundary(place.start.saturating_sub(QUOTED_BYTES_MAX));
    let before = &text[window..place.start];
    let before = if text.as_bytes()[place.start].is_ascii() {
        let mut rest = before.strip_suffix(' ')?;
        let mut qualifiers = 0;
        loop {
            let start = rest.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let owner = OWNERS.contains(&rest[start..].to_ascii_lowercase().as_str());
            rest = rest[..start].strip_suffix(' ')?;
            qualifiers += 1;
            match owner {
                true => break rest.strip_suffix(" is").or_else(|| rest.strip_suffix(" was"))?,
                false if qualifiers > QUALIFIERS_MAX => return None,
                false => {}
            }
        }
    } else {
        let at = before.rfind('是').filter(|at| before.len() - at <= QUALIFIERS_ZH_BYTES_MAX)?;
        let between = &before[at + '是'.len_utf8()..];
        if between.chars().any(|c| c.is_ascii() || matches!(c, '，' | '。' | '不')) {
            return None;
        }
        before[..at].trim_end_matches('就')
    };
    let before = before.trim_end_matches([' ', '\t']);
    let bare = before.trim_end_matches(['"', '\'', '`', '”', '」']);
    let said =
        bare.len() - bare.bytes().rev().take_while(|b| b.is_ascii_graphic() && !b"\"'`/|:,;=".contains(b)).count();
    let value = &bare[said..];
    let made = value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic());
    (value.len() >= 6 && made && !is_stand_in(value) && !TECHNICAL.contains(&value.to_ascii_lowercase().as_str()))
        .then_some(window + said..window + bare.len())
}

fn value_after(text: &str, keyword: Keyword, place: &Range<usize>) -> Option<Range<usize>> {
    let before = text[..place.start].chars().next_back();
    // PIN码 begins in ASCII, and what follows it need not be apart.
    let named_in_ascii = text[place.clone()].is_ascii();
    let bounded = matches!(keyword, Pass | Code | Entry) || text[place.clone()].len() <= 3;
    if bounded && text.as_bytes()[place.start].is_ascii() && before.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let option = text[..place.start].ends_with("--");
    let mut at = place.end + suffix(&text[place.end..], named_in_ascii)?;
    // The closing quote of a JSON key, the ** of a bold label.
    let quoted_key = text[at..].starts_with(['"', '\'', '\\']);
    at +=
        text[at..].len() - text[at..].trim_start_matches(['"', '\'', '\\', '*', '`', '”', '」', '】', ')', ']']).len();
    if matches!(keyword, Password | Pass | Entry) {
        at += around::bracket(text, at, named_in_ascii);
    }
    let (mut link, length) = match in_markup(&text[at..], before) {
        Some(length) => (Link::Mark, length),
        None => match link(&text[at..], keyword, named_in_ascii) {
            Some(link @ (Link::Mark | Link::Is | Link::To | Link::Guess, _)) => link,
            bare => match guess(&text[at..], named_in_ascii).filter(|_| keyword == Password) {
                Some(length) => (Link::Guess, length),
                None => bare?,
            },
        },
    };
    at += length;
    if keyword == Password
        && matches!(link, Link::Is | Link::To)
        && let Some(hedges) = hedged(&text[at..text.floor_char_boundary(at + HEDGES_BYTES_MAX)])
    {
        link = Link::Guess;
        at += hedges;
    }
    if matches!(keyword, Password | Pass) && link == Link::Mark {
        at += around::leads(text, at);
    }
    let in_query = before.is_some_and(|c| matches!(c, '?' | '&'));
    let told = value(text, at, in_query)?;
    let said = &text[told.range.clone()];
    let fits = match keyword {
        _ if said.len() > WORD_BYTES_MAX => link != Link::Bare,
        Password | Pass if !told.quoted && around::begins_sentence(text, &told.range) => false,
        Cookie => {
            // A list of names and values, to the end of the line.
            let line = line_end(text, told.range.start, told.quoted);
            let whole = told.range.start..line;
            return (link == Link::Mark && text[whole.clone()].contains('=') && !is_stand_in(&text[whole.clone()]))
                .then_some(whole);
        }
        Authorization => {
            let scheme = said.trim_end_matches([',', ';']);
            let schemes = ["bearer", "basic", "token", "apikey", "digest", "negotiate", "aws4-hmac-sha256"];
            if link == Link::Mark && schemes.contains(&scheme.to_ascii_lowercase().as_str()) {
                let rest = told.range.end..line_end(text, told.range.end, told.quoted);
                let credential = text[rest.clone()].trim_start();
                let start = rest.end - credential.len();
                return (!credential.is_empty() && !is_stand_in(credential)).then_some(start..rest.end);
            }
            link == Link::Mark && said.len() >= 8 && looks_made(said)
        }
        Password if link == Link::Guess => is_guessed(&told, said, &text[told.range.end..]),
        Password => {
            let few = link == Link::Bare && !told.quoted && around::few_digits(text, &told.range);
            few || link_tells_password(link, &told, said, option || quoted_key)
        }
        Pass if link == Link::Bare && text[place.clone()].eq_ignore_ascii_case("pin") => {
            around::pin_digits(text, place, &told.range)
        }
        Pass => {
            let digits = said.len() >= 4 && said.bytes().any(|b| b.is_ascii_digit());
            let made = digits || pairs::looks_like_password(said, false);
            let alone = link == Link::Bare && pairs::looks_like_password(said, true);
            (link == Link::Mark || (link == Link::Is && made) || alone)
                && link_tells_password(link, &told, said, quoted_key)
        }
        Phrase => {
            if link == Link::Bare && pairs::looks_like_password(said, false) {
                return (!is_stand_in(said)).then_some(told.range);
            }
            // Words, to the end of the sentence.
            let clause = &text[told.range.start..line_end(text, told.range.start, told.quoted)];
            let clause = clause[..clause.find(['。', '；', '，']).unwrap_or(clause.len())].trim_end_matches(['.', ' ']);
            let told_of = link == Link::Is || !clause.contains(' ');
            let spoken = |word: &str| SPEAKING.contains(&word.to_ascii_lowercase().as_str());
            // "correct horse battery staple" begins with a word that is said of one.
            let row = clause.split(' ').count() >= 4 && !clause.split(' ').skip(1).any(spoken);
            let speaks = told_of && spoken(said) && !row;
            let told = told.range.start..told.range.start + clause.len();
            let link = matches!(link, Link::Mark | Link::Is);
            return (link && !speaks && !clause.is_empty() && !is_stand_in(clause)).then_some(told);
        }
        Session => {
            let uuid = said.len() == 36 && said.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
            link == Link::Mark && said.len() >= 8 && said.is_ascii() && looks_made(said) && !uuid
        }
        ApiKey | Token => {
            let named = option || link != Link::Bare;
            let minimum = if named_in_ascii { 8 } else { 6 };
            let made = looks_made(said) || (told.quoted && quoted_key) || (link == Link::Mark && said.len() >= 20);
            // {"tokens": 12345678} counts them.
            let counts = said.len() < 16 && said.bytes().all(|b| b.is_ascii_digit());
            named && !counts && said.len() >= minimum && said.bytes().all(|b| b.is_ascii_graphic()) && made
        }
        Login => false,
        Code => {
            let said = said.trim_end_matches(['#', '*']);
            (3..=8).contains(&said.len()) && said.bytes().all(|b| b.is_ascii_digit())
        }
        Entry => {
            let said = said.trim_matches(['#', '*']);
            let digits = said.bytes().filter(u8::is_ascii_digit).count();
            let letters = said.bytes().filter(u8::is_ascii_alphabetic).count();
            let alone = !text[told.range.end..].trim_start_matches(' ').starts_with(char::is_alphanumeric);
            (3..=12).contains(&digits)
                && letters <= 3
                && digits + letters + said.matches('-').count() == said.len()
                && (link != Link::Bare || (digits >= 4 && alone))
        }
    };
    // 「Tiger 77」: a second word of it.
    let named = matches!(keyword, Password | Pass) && !told.quoted;
    let whole = if named && link != Link::Bare {
        around::rest_of(text, &told.range, link == Link::Mark)
    } else {
        told.range.end
    };
    let to = link == Link::To && said.starts_with(|c: char| c.is_ascii_uppercase());
    let fits = fits || (to && keyword == Password && whole > told.range.end);
    let whole = if to || matches!(link, Link::Mark | Link::Is) { whole } else { told.range.end };
    (fits && !is_stand_in(said) && !is_code(&text[told.range.start..], said, told.quoted))
        .then_some(told.range.start..whole)
}

/// Whether what follows 忘了，应该是 or "probably" is a password: it looks like one, or the guess ends with it.
fn is_guessed(told: &Told, said: &str, after: &str) -> bool {
    let lower = said.to_ascii_lowercase();
    let digits = said.bytes().any(|b| b.is_ascii_digit());
    let letters = said.bytes().any(|b| b.is_ascii_alphabetic());
    let marks = said.bytes().any(|b| b"@#$%^&*+=_!".contains(&b));
    let ends = !after.starts_with(char::is_alphanumeric);
    let doubted = after.starts_with(['吧', '吗', '么', '呢']);
    let looks =
        said.len() >= 4 && ((digits && (letters || said.bytes().all(|b| b.is_ascii_digit()))) || (letters && marks));
    let fits =
        told.quoted || (said.is_ascii() && (ends || doubted) && (looks || (doubted && said.len() >= 3 && letters)));
    fits && !TECHNICAL.contains(&lower.as_str()) && !SPEAKING.contains(&lower.as_str())
}

/// Whether what follows the word "password" is one.
pub(super) fn link_tells_password(link: Link, told: &Told, said: &str, named: bool) -> bool {
    let lower = said.to_ascii_lowercase();
    let mixed = said.bytes().any(|b| b.is_ascii_digit()) && said.bytes().any(|b| b.is_ascii_alphabetic());
    let digits = said.bytes().all(|b| b.is_ascii_digit());
    let ideographs = !said.is_ascii();
    if ideographs {
        let speaks =
            SPEAKING_ZH.iter().any(|word| said.starts_with(word)) || said.ends_with(['的', '了', '吗', '呢', '项']);
        let short = said.chars().count() <= 24;
        return match link {
            Link::Mark | Link::To | Link::Is => short && (told.quoted || !speaks),
            Link::Bare | Link::Guess => told.quoted && short,
        };
    }
    let speaks = SPEAKING.contains(&lower.trim_end_matches(['.', '!', '?']));
    match link {
        Link::Mark if told.quoted && named => true,
        Link::Mark => said.len() >= 2 && !speaks,
        Link::Is => said.len() >= 3 && (told.quoted || !speaks),
        Link::To => {
            said.len() >= 3 && (told.quoted || mixed || digits || said.contains(|c: char| c.is_ascii_punctuation()))
        }
        Link::Guess => false,
        Link::Bare if named => said.len() >= 3 && !said.starts_with('-') && !speaks,
        Link::Bare => (told.quoted || (said.len() >= 6 && (mixed || digits))) && !TECHNICAL.contains(&lower.as_str()),
    }
}

/// What may stand between the word and the link without changing what is named: `password2`, `password_confirm`, "passwords".
/// `None`: it is another word (`password_length`, "passwordless", `tokenizer`).
fn suffix(rest: &str, named_in_ascii: bool) -> Option<usize> {
    if !named_in_ascii {
        return Some(0);
    }
    let lower = &rest.as_bytes()[..rest.len().min(16)];
    let known = ["_confirmation", "_confirm", "_value", "_hash", "s"];
    let length = known.iter().find(|known| starts_with_ignore_case(lower, known)).map_or(0, |known| known.len());
    let digits = rest[length..].bytes().take_while(u8::is_ascii_digit).count();
    let end = length + digits.min(2);
    let next = rest[end..].chars().next();
    (!next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(end)
}

pub(super) fn starts_with_ignore_case(bytes: &[u8], prefix: &str) -> bool {
    bytes.len() >= prefix.len() && bytes[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
}

/// `<password>hunter2</password>`, `<add key="Password" value="hunter2"/>`: the length of what stands before the value.
fn in_markup(rest: &str, before: Option<char>) -> Option<usize> {
    if before == Some('<') && rest.starts_with('>') {
        return Some(1);
    }
    let attribute = ["value=", "content=", "Value="].iter().find(|name| rest.trim_start().starts_with(**name))?;
    Some(rest.len() - rest.trim_start().len() + attribute.len())
}

/// The link and its length, white space included.
fn link(rest: &str, keyword: Keyword, named_in_ascii: bool) -> Option<(Link, usize)> {
    let spaces = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let start = spaces(rest);
    let after = &rest[start..];
    if let Some(found) = mark(after) {
        return Some((Link::Mark, start + found));
    }
    const IS: &[(&str, Link)] = &[
        ("is set to ", Link::To),
        ("is now ", Link::Is),
        ("is ", Link::Is),
        ("was ", Link::To),
        ("are ", Link::To),
        ("to ", Link::To),
        ("equals ", Link::Is),
    ];
    for (word, link) in IS {
        // "is: hunter2" as well as "is hunter2".
        let bare = word.trim_end();
        let colon = after.as_bytes().get(bare.len()) == Some(&b':') && starts_with_ignore_case(after.as_bytes(), bare);
        if start > 0 && (colon || starts_with_ignore_case(after.as_bytes(), word)) {
            let at = start + if colon { bare.len() } else { word.len() };
            return Some((*link, at + spaces(&rest[at..]) + mark(&rest[at..]).unwrap_or(0)));
        }
        if start > 0
            && starts_with_ignore_case(after.as_bytes(), bare)
            && let Some(length) = next_line(&after[bare.len()..])
        {
            return Some((*link, start + bare.len() + length));
        }
    }
    if let Some(length) = zh_link(after) {
        let at = start + length;
        let is = after[..length].trim_end().ends_with(['为', '是', '叫']);
        let more = mark(&rest[at..]).or_else(|| next_line(&rest[at..])).unwrap_or(0);
        return Some((if is { Link::Is } else { Link::To }, at + more));
    }
    // "the password for the staging database is …"
    if keyword == Password
        && start > 0
        && ["for ", "of ", "to ", "on "].iter().any(|word| starts_with_ignore_case(after.as_bytes(), word))
    {
        let window = &after[..after.floor_char_boundary(64)];
        let clause = &window[..window.find(['\n', ';', ',', '?', '。', '，']).unwrap_or(window.len())];
        if let Some(at) = clause.find(" is ") {
            return Some((Link::Is, start + at + 4));
        }
        if let Some(at) = clause.find([':', '=']).filter(|at| !clause[*at..].starts_with("://")) {
            return Some((Link::Mark, start + at + 1 + spaces(&clause[at + 1..])));
        }
    }
    // The next cell of a table.
    if let Some(cell) = after.strip_prefix('|') {
        return Some((Link::Bare, start + 1 + spaces(cell)));
    }
    let dash = if start > 0 && after.starts_with("- ") { 2 } else { 0 };
    (start > 0 || !named_in_ascii).then_some((Link::Bare, start + dash))
}

/// The length of a line end, if the next line goes on with ASCII: what a person pastes below 「密码是」.
fn next_line(rest: &str) -> Option<usize> {
    let next = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?.trim_start_matches([' ', '\t']);
    next.starts_with(|c: char| c.is_ascii_graphic()).then_some(rest.len() - next.len())
}

/// The length of a mark and of the white space around it: `:`, `=`, `=>`, `:=`, `->`, one line end included.
pub(super) fn mark(rest: &str) -> Option<usize> {
    let start = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let body = &rest[start..];
    let length =
        [":=", "=>", "->", "==", ":", "=", "→"].iter().find(|mark| body.starts_with(**mark)).map(|mark| mark.len())?;
    if length == 1 && body[1..].starts_with("//") || body.starts_with("::") {
        return None;
    }
    let after = &body[length..];
    let space = after.len() - after.trim_start_matches([' ', '\t', '\r', '*']).len();
    // The | or >- of a YAML block, whose value stands on the next line.
    let block = after[space..].len() - after[space..].trim_start_matches(['|', '>', '-', '+']).len();
    let space = if after[space + block..].starts_with('\n') { space + block } else { space };
    let line = match after[space..].strip_prefix('\n') {
        Some(next) => 1 + next.len() - next.trim_start_matches([' ', '\t']).len(),
        None => 0,
    };
    Some(start + length + space + line)
}

/// May stand before 是 and 改成.
#[rustfmt::skip]
const FILLERS_ZH: &[&str] = &[
    "现在", "已经", "已", "我", "暂时", "统一", "都", "就", "先", "也", "给", "你", "被", "默认", "初始", "临时", "目前", "还", "应该", "大概", "好像", "可能", "也许",
    "估计", "貌似", "似乎", "多半", "印象中", "印象里", "记得", "一直", "原来", "以前", "之前", "原先", "从今天起", "从今以后", "从现在起", "从现在开始", "以后", "今后",
    "往后", "将", "仍然", "仍", "最后", "最终",
];

/// The length of one of them.
pub(super) fn zh_fillers(rest: &str) -> Option<usize> {
    FILLERS_ZH.iter().find(|word| rest.starts_with(**word)).map(|word| word.len())
}

/// 是, 为, 改成 …, with what may stand before them: 现在是, 已经改成了, 我设为.
pub(super) fn zh_link(rest: &str) -> Option<usize> {
    const LINKS: &[&str] = &[
        "是",
        "是不是",
        "会不会是",
        "为",
        "改成",
        "改为",
        "换成",
        "换为",
        "设成",
        "设为",
        "设置成",
        "设置为",
        "修改为",
        "重置为",
        "叫",
        "变成",
        "变更为",
        "更新为",
        "会是",
        "会改成",
        "会改为",
        "会换成",
        "更改为",
        "更改成",
        "更换为",
        "更换成",
        "修改成",
        "设定为",
        "设定成",
        "定为",
        "定成",
        "变为",
        "改回",
        "换回",
    ];
    let mut at = 0;
    for _ in 0..4 {
        let here = &rest[at..];
        match zh_fillers(here) {
            Some(length) => at += length,
            None => break,
        }
    }
    let link = LINKS.iter().filter(|word| rest[at..].starts_with(**word)).max_by_key(|word| word.len())?;
    at += link.len();
    if rest[at..].starts_with('了') {
        at += '了'.len_utf8();
    }
    Some(at + rest[at..].len() - rest[at..].trim_start_matches([' ', '\t']).len())
}

pub(super) struct Told {
    pub range: Range<usize>,
    pub quoted: bool,
}

/// The value that begins at `at`: what is in quotes, or up to the next white space and without the punctuation of the sentence.
pub(super) fn value(text: &str, at: usize, in_query: bool) -> Option<Told> {
    let rest = &text[at..text.floor_char_boundary(at + VALUE_BYTES_MAX)];
    let slashes = rest.len() - rest.trim_start_matches('\\').len();
    const QUOTES: &[(char, char)] = &[
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('‘', '’'),
        ('「', '」'),
        ('『', '』'),
        ('【', '】'),
        ('”', '”'),
    ];
    let opening = rest[slashes..].chars().next()?;
    if let Some((open, close)) = QUOTES.iter().find(|(open, _)| *open == opening) {
        let start = slashes + open.len_utf8();
        // “ isn't used around long machine-made values, and is often left open.
        let inner = &rest[start..];
        let inner = if open.is_ascii() { inner } else { &inner[..inner.floor_char_boundary(QUOTED_BYTES_MAX)] };
        // In escaped JSON the closing quote has as many backslashes as the opening one; elsewhere an escaped quote is text.
        let end = inner.char_indices().find(|&(end, c)| {
            let before = inner[..end].len() - inner[..end].trim_end_matches('\\').len();
            // The apostrophe of 'it's-hunter2' closes nothing.
            let within = c == '\'' && inner[end + 1..].starts_with(|next: char| next.is_ascii_alphanumeric());
            c == '\n' || (c == *close && !within && (before == slashes || before.is_multiple_of(2)))
        });
        // A quote that isn't closed was cut off.
        let end = end.map_or(inner.len(), |(end, _)| end);
        let inner = inner[..end].trim_end_matches('\\');
        return (!inner.is_empty()).then(|| Told { range: at + start..at + start + inner.len(), quoted: true });
    }
    let is_ascii = opening.is_ascii();
    let rest = if is_ascii { rest } else { &rest[..rest.floor_char_boundary(IDEOGRAPHS_BYTES_MAX)] };
    let end = rest.find(|c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                '"' | '`'
                    | '<'
                    | '>'
                    | '“'
                    | '”'
                    | '，'
                    | '。'
                    | '；'
                    | '！'
                    | '？'
                    | '、'
                    | '「'
                    | '」'
                    | '）'
                    | '（'
                    | '】'
                    | '»'
            )
            || (c.is_ascii() != is_ascii && c != '«')
            || (in_query && matches!(c, '&' | '#'))
    });
    let mut end = end.unwrap_or(rest.len());
    if !is_ascii {
        // 芝麻开门123: the digits behind the words belong to them.
        let tail = rest[end..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        if rest[end..end + tail].bytes().any(|b| b.is_ascii_digit()) {
            end += tail;
        }
    }
    let mut said = &rest[..end];
    // A separator inside belongs to the value only if nothing like the next field follows it.
    for separator in [',', ';', '|'] {
        if let Some(cut) = said.find(separator) {
            let next = &said[cut + 1..];
            if next.is_empty() || next.contains(['=', ':']) || separator == '|' {
                said = &said[..cut];
            }
        }
    }
    let said = said.trim_end_matches(['.', ',', ';', '!', '?', ')', ']', '}', '\'', '\\', ':']);
    (!said.is_empty()).then(|| Told { range: at..at + said.len(), quoted: false })
}

fn line_end(text: &str, at: usize, quoted: bool) -> usize {
    let rest = &text[at..text.floor_char_boundary(at + VALUE_BYTES_MAX)];
    let end = rest.find(|c: char| c == '\n' || c == '\r' || (c == '"' || (quoted && c == '\''))).unwrap_or(rest.len());
    at + rest[..end].trim_end_matches(['\'', '\\', ' ']).len()
}

/// Whether a value stands in for one: a placeholder of ours or of a manual, a variable, a row of stars.
pub(crate) fn is_stand_in(said: &str) -> bool {
    let lower = said.to_ascii_lowercase();
    let inner = lower.trim_matches(['<', '>', '[', ']', '{', '}', '(', ')', '%', '*', '.']);
    said.starts_with(['«', '<'])
        || said.starts_with("${")
        || said.starts_with("$(")
        || said.starts_with("{{")
        || (said.starts_with('$') && said[1..].bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
        || said.starts_with('%') && said.ends_with('%') && said.len() > 1
        || said.chars().all(|c| matches!(c, '*' | '•' | 'x' | 'X' | '.' | '-' | '_' | '…' | '●' | '?'))
        || matches!(
            inner,
            "null"
                | "none"
                | "nil"
                | "undefined"
                | "true"
                | "false"
                | "string"
                | "str"
                | "bool"
                | "boolean"
                | "number"
                | "any"
        )
        || inner.starts_with("your_")
        || inner.starts_with("your-")
}

/// Whether it is an expression rather than a value: `os.environ["X"]`, `getpass()`, `Option<String>`, `config.password`.
fn is_code(rest: &str, said: &str, quoted: bool) -> bool {
    if quoted {
        return false;
    }
    let identifier = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
    };
    let line = &rest[..rest.floor_char_boundary(120)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let call = said.find(['(', '[']).is_some_and(|at| identifier(&said[..at]) && line.contains([')', ']']));
    let generic = identifier(said) && rest[said.len()..].starts_with('<') && !rest[said.len()..].starts_with("</");
    let dotted = said.split_once('.').is_some_and(|(first, rest)| {
        matches!(
            first,
            "os" | "process"
                | "env"
                | "self"
                | "this"
                | "config"
                | "settings"
                | "args"
                | "req"
                | "request"
                | "options"
                | "opts"
        ) && identifier(rest)
    });
    call || generic || dotted
}

/// Whether a machine made it: letters with digits, both cases in the middle, or long.
fn looks_made(said: &str) -> bool {
    let digits = said.bytes().any(|b| b.is_ascii_digit());
    let upper = said.bytes().skip(1).any(|b| b.is_ascii_uppercase());
    let lower = said.bytes().any(|b| b.is_ascii_lowercase());
    let token = said.bytes().all(|b| b.is_ascii_graphic());
    let words = said.split(['-', '_', '.', '/']).all(|word| word.bytes().all(|b| b.is_ascii_lowercase()));
    token && !words && (digits || (upper && lower) || said.len() >= 24)
        || (token && words && said.len() >= 32 && !said.contains(['-', '_', '.', '/']))
}
