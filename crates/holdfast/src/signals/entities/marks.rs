//! What is recognised by its marks: addresses of the web, paths and file names, ids.

use std::ops::Range;

use crate::types::signals::EntityKind;

/// Longest of them, in bytes: longer is data.
const MARK_BYTES_MAX: usize = 512;

/// Endings that make a word a file name.
const EXTENSIONS: &[&str] = &[
    "txt", "md", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "csv", "tsv", "json", "jsonl", "yaml", "yml",
    "toml", "xml", "html", "htm", "css", "js", "ts", "tsx", "jsx", "py", "rs", "go", "java", "kt", "c", "h", "cpp",
    "hpp", "cs", "rb", "php", "sh", "bat", "sql", "db", "sqlite", "log", "ini", "cfg", "conf", "env", "lock", "png",
    "jpg", "jpeg", "gif", "svg", "webp", "bmp", "mp3", "mp4", "wav", "mov", "avi", "zip", "tar", "gz", "rar", "7z",
    "ipynb", "tex", "bin", "exe", "dll", "so", "wasm", "parquet", "bak", "epub",
];

pub(super) fn find(text: &str, found: &mut impl FnMut(EntityKind, Range<usize>)) {
    for span in words(text) {
        let word = &text[span.clone()];
        if let Some((kind, inside)) = recognised(word) {
            found(kind, span.start + inside.start..span.start + inside.end);
        }
    }
}

/// Runs without spaces, CJK marks or quotation marks. A run of letters alone can be none of these and is skipped early.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let start = at + rest.find(|c| !is_break(c))?;
        let len = text[start..].find(is_break).unwrap_or(text.len() - start);
        at = start + len;
        Some(start..at)
    })
    .filter(|span| span.len() <= MARK_BYTES_MAX)
}

fn is_break(c: char) -> bool {
    match c {
        '"' | '\'' | '`' | '<' | '>' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | ';' | ',' | '*' => true,
        '，' | '。' | '；' | '：' | '！' | '？' | '、' | '（' | '）' | '【' | '】' => true,
        '「' | '」' | '『' | '』' | '《' | '》' | '“' | '”' | '‘' | '’' => true,
        _ => c.is_whitespace(),
    }
}

fn recognised(word: &str) -> Option<(EntityKind, Range<usize>)> {
    let bytes = word.as_bytes();
    if !bytes.iter().any(|b| b"./\\-_#".contains(b) || b.is_ascii_digit()) {
        return None;
    }
    if let Some(at) = word.find("://").or_else(|| word.find("www.")) {
        return url(word, at);
    }
    path(word).map(|span| (EntityKind::Path, span)).or_else(|| id(word).map(|span| (EntityKind::Id, span)))
}

fn url(word: &str, at: usize) -> Option<(EntityKind, Range<usize>)> {
    let scheme = word[..at].bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let start = at - scheme;
    // Chinese written on directly behind an address is no part of it.
    let len = word[start..].find(|c: char| !c.is_ascii()).unwrap_or(word.len() - start);
    let said = word[start..start + len].trim_end_matches(['.', ':', '!', '?', '-', '/']);
    let slash = word[start + said.len()..].starts_with('/') as usize;
    (said.len() > "http://".len()).then_some((EntityKind::Url, start..start + said.len() + slash))
}

fn path(word: &str) -> Option<Range<usize>> {
    // 放在/data/a.csv: the path begins at its mark when only Chinese stands before it.
    let start = ["/", "./", "../", "~/"]
        .iter()
        .filter_map(|mark| {
            let at = word.find(mark)?;
            word[..at].chars().all(|c| !c.is_ascii()).then_some(at)
        })
        .min();
    let windows = word.as_bytes().windows(3).position(|w| w[0].is_ascii_alphabetic() && w[1] == b':' && w[2] == b'\\');
    if let Some(at) = windows.filter(|at| word[..*at].chars().all(|c| !c.is_ascii())) {
        return Some(at..word.len());
    }
    let word_end = word.trim_end_matches(['.', ':', '!', '?']).len();
    if let Some(start) = start {
        let said = &word[start..word_end];
        let segments = said.split('/').filter(|part| part.chars().any(char::is_alphanumeric)).count();
        let rooted = said.starts_with(['.', '~']) || start == 0 && segments >= 1 && said.len() > 2 || segments >= 2;
        let trailing = said.find(|c: char| !c.is_ascii()).filter(|_| extension_end(said).is_none());
        if rooted && trailing.is_none_or(|at| at > 2) && !said.starts_with("//") {
            let end = extension_end(said).unwrap_or(said.len());
            return (segments >= 1).then_some(start..start + end);
        }
        return None;
    }
    let end = extension_end(&word[..word_end])?;
    let stem = &word[..end];
    let name_start =
        stem.rfind(is_verb_before_file).map_or(0, |at| at + stem[at..].chars().next().map_or(0, char::len_utf8));
    (name_start < end).then_some(name_start..end)
}

/// 打开report.xlsx, 见周报.docx: characters that are not part of the name in front of it.
fn is_verb_before_file(c: char) -> bool {
    "在把到的是看用发见开和与给存改读写".contains(c)
}

/// Where the last known ending of a file name ends, when text may go on in Chinese.
fn extension_end(word: &str) -> Option<usize> {
    let mut found = None;
    for (at, _) in word.match_indices('.') {
        let rest = &word[at + 1..];
        let len = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let stem = word[..at].chars().next_back();
        if EXTENSIONS.contains(&&rest[..len])
            && stem.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ')'))
        {
            // "e.g", "3.5h": a digit before and one letter is a number.
            if len == 1 && stem.is_some_and(|c| c.is_ascii_digit()) {
                continue;
            }
            let next = rest[len..].chars().next();
            if next.is_none_or(|c| c != '(' && c != '_' && c != '@') {
                found = Some(at + 1 + len);
            }
        }
    }
    found
}

/// Order numbers, tickets, commit hashes, UUIDs, versions.
fn id(word: &str) -> Option<Range<usize>> {
    let start = word.find(|c: char| c.is_ascii_alphanumeric() || c == '#')?;
    let len =
        word[start..].find(|c: char| !c.is_ascii_alphanumeric() && !"-_.#".contains(c)).unwrap_or(word.len() - start);
    let said = word[start..start + len].trim_end_matches(['.', '-', '_']);
    let span = start..start + said.len();
    let digits = said.bytes().filter(u8::is_ascii_digit).count();
    let letters = said.bytes().filter(u8::is_ascii_alphabetic).count();
    if digits == 0 || said.len() < 3 {
        return None;
    }
    let hex = said.bytes().all(|b| b.is_ascii_hexdigit());
    let uuid = said.len() == 36
        && said
            .bytes()
            .enumerate()
            .all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { b == b'-' } else { b.is_ascii_hexdigit() });
    if uuid || hex && (7..=64).contains(&said.len()) && letters > 0 && digits > 1 {
        return Some(span);
    }
    if is_version(said) {
        return Some(span);
    }
    if let Some(number) = said.strip_prefix('#') {
        return (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(span);
    }
    // so-2024-0913, proj-12: letters, a dash, digits in every further part.
    if let Some((head, tail)) = said.split_once(['-', '_']) {
        let head_fits = (1..=12).contains(&head.len())
            && head.bytes().all(|b| b.is_ascii_alphanumeric())
            && head.as_bytes()[0].is_ascii_alphabetic();
        let tail_fits = tail
            .split(['-', '_'])
            .all(|part| part.bytes().filter(u8::is_ascii_digit).count() * 2 > part.len() && !part.contains('.'));
        let ordinary =
            matches!(head, "covid" | "top" | "mid" | "pre" | "post" | "utc" | "gmt" | "sub" | "non" | "day" | "week");
        return (head_fits && tail_fits && !ordinary).then_some(span);
    }
    // so20240913, ord98765: letters and then at least five digits.
    let head = said.bytes().take_while(u8::is_ascii_alphabetic).count();
    let plain = (1..=6).contains(&head) && said[head..].bytes().all(|b| b.is_ascii_digit()) && said.len() - head >= 5;
    plain.then_some(span)
}

fn is_version(said: &str) -> bool {
    let (marked, numbers) = match said.strip_prefix('v') {
        Some(numbers) => (true, numbers),
        None => (false, said),
    };
    let numbers = numbers.split_once('-').map_or(numbers, |(numbers, _)| numbers);
    let parts: Vec<&str> = numbers.split('.').collect();
    let numeric =
        parts.iter().all(|part| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()));
    // Four numbers are an address of the net.
    numeric
        && (marked && parts.len() <= 4 && (parts.len() > 1 || numbers.len() <= 3)
            || parts.len() == 3 && parts[0].len() <= 2)
}
