//! A Rust file as tidy reads it: code without comments, texts and tests, and the texts by themselves. Not a parser: enough to see
//! what a file names.

use std::fs;
use std::path::{Path, PathBuf};

/// One file of the workspace.
pub struct Source {
    /// From the root of the workspace, with `/`.
    pub path: String,
    pub whole: String,
    /// Without comments, with the texts emptied, up to the tests at the end.
    pub code: String,
    /// The texts of the code, each with the line it begins on.
    pub texts: Vec<(usize, String)>,
}

impl Source {
    pub fn read(root: &Path, path: &Path) -> Self {
        let whole = fs::read_to_string(path).unwrap();
        let (code, texts) = split(before_tests(&whole));
        Self { path: name(root, path), whole, code, texts }
    }

    /// Cases only: a file of tests, of a benchmark or of an example.
    pub fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "examples" | "benches"))
    }

    /// The room of the library that the file belongs to: `redact` of `crates/holdfast/src/redact/scan.rs`.
    pub fn room(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("crates/holdfast/src/")?;
        Some(inside.split('/').next()?.trim_end_matches(".rs"))
    }

    /// Every path that begins with `crate::`, without that, from `use` and from the code: `types::ids::EventId`.
    pub fn crate_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for (at, found) in self.code.match_indices("crate::") {
            let before = self.code[..at].chars().next_back();
            if before.is_none_or(|c| !is_word(c) && c != '$') {
                read_tree(&self.code[at + found.len()..], "", &mut paths);
            }
        }
        paths
    }

    /// Lines of the code, numbered as in the file.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Every file below `folder` with this extension, in order of path.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target" && name != ".git") {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A path from the root of the workspace, with `/`.
pub fn name(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap();
    inside.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Whether a word stands in a text as a whole.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        before.is_none_or(|c| !is_word(c)) && after.is_none_or(|c| !is_word(c))
    })
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tests come last in a file, in a module of their own.
fn before_tests(whole: &str) -> &str {
    let begins = whole.match_indices("#[cfg(test)]\n").find(|(at, attribute)| {
        let item = whole[at + attribute.len()..].lines().next().unwrap_or_default();
        has_word(item, "mod") && item.ends_with('{')
    });
    begins.map_or(whole, |(at, _)| &whole[..at])
}

/// The code with comments and the insides of texts taken out (line ends stay), and the texts.
fn split(whole: &str) -> (String, Vec<(usize, String)>) {
    let mut code = String::with_capacity(whole.len());
    let mut texts = Vec::new();
    let mut rest = whole;
    let mut line = 1;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some((length, inside)) = text(rest).filter(|_| !code.ends_with(is_word)) {
            texts.push((line, inside.to_owned()));
            code.push_str("\"\"");
            length
        } else if let Some(length) = character(rest) {
            length
        } else {
            code.push(c);
            line += usize::from(c == '\n');
            rest = &rest[c.len_utf8()..];
            continue;
        };
        let passed = rest[..length].matches('\n').count();
        code.extend(std::iter::repeat_n('\n', passed));
        line += passed;
        rest = &rest[length..];
    }
    (code, texts)
}

/// A text at the beginning of `rest`: how long it is with its quotation marks, and what is inside.
fn text(rest: &str) -> Option<(usize, &str)> {
    let unprefixed = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - unprefixed.len();
    if let Some(raw) = unprefixed.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inside = raw[hashes..].strip_prefix('"')?;
        let end = inside.find(&format!("\"{}", "#".repeat(hashes)))?;
        return Some((prefix + 1 + hashes + 1 + end + 1 + hashes, &inside[..end]));
    }
    let inside = unprefixed.strip_prefix('"').filter(|_| prefix <= 1)?;
    let mut escaped = false;
    let end = inside.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((prefix + 1 + end + 1, &inside[..end]))
}

/// A character literal at the beginning of `rest`, and not a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    if inside.starts_with('\\') {
        return Some(2 + inside[2..].find('\'')? + 2);
    }
    let c = inside.chars().next()?;
    inside[c.len_utf8()..].starts_with('\'').then_some(c.len_utf8() + 2)
}

/// The paths of a `use` tree, or the one path of an expression.
fn read_tree<'a>(rest: &'a str, base: &str, paths: &mut Vec<String>) -> &'a str {
    let rest = rest.trim_start();
    let end = rest.find(|c| !is_word(c) && c != '*').unwrap_or(rest.len());
    let path = if base.is_empty() { rest[..end].to_owned() } else { format!("{base}::{}", &rest[..end]) };
    let rest = &rest[end..];
    if let Some(mut list) = rest.strip_prefix("::{").or_else(|| rest.strip_prefix('{').filter(|_| end == 0)) {
        let base = path.trim_end_matches("::").to_owned();
        while !list.trim_start().starts_with('}') && !list.is_empty() {
            list = read_tree(list, &base, paths);
            let next = list.find([',', '}']).unwrap_or(list.len());
            list = list[next..].strip_prefix(',').unwrap_or(&list[next..]);
        }
        return list.trim_start().strip_prefix('}').unwrap_or(list);
    }
    if let Some(rest) = rest.strip_prefix("::").filter(|rest| rest.starts_with(|c| is_word(c) || c == '*')) {
        return read_tree(rest, &path, paths);
    }
    paths.push(path);
    rest
}

#[cfg(test)]
mod tests {
    use super::{Source, split};

    #[test]
    fn paths_are_read_out_of_trees() {
        let code =
            "use crate::{env, types::{ids::{Seq, self}, task::Task}};\nuse crate::text;\nlet x = crate::text::fold(y);";
        let source = Source { path: String::new(), whole: String::new(), code: code.into(), texts: Vec::new() };
        let expected = ["env", "types::ids::Seq", "types::ids::self", "types::task::Task", "text", "text::fold"];
        assert_eq!(source.crate_paths(), expected);
    }

    #[test]
    fn texts_and_comments_are_no_code() {
        let whole = "a // crate::x \"\nb(\"SELECT \\\" 1\", r#\"two\n\"lines\"\"#, b'\"', '\\'', 'x');\nfn c<'a>(d: &'a str) {} // 'e";
        let (code, texts) = split(whole);
        assert_eq!(code, "a \nb(\"\", \"\"\n, b, , );\nfn c<'a>(d: &'a str) {} ");
        assert_eq!(texts, [(2, "SELECT \\\" 1".to_owned()), (2, "two\n\"lines\"".to_owned())]);
    }
}
