//! What later steps need of a text, within a budget of characters: sentences of prose, leaves of JSON. Nothing is
//! reworded; what is left out is only left out.

use std::ops::Range;

use super::json::json_leaves;
use super::normalise::fold;
use super::sentences::sentences;

/// Stands where sentences were left out.
const GAP: &str = " … ";
/// A longer JSON value is cut in an extract: it is prose inside data, and the event has the whole.
const LEAF_CHARS_MAX: usize = 160;

/// Words that announce an outcome, a duty or a failure.
const CUES: &[&str] = &[
    "结论",
    "因此",
    "所以",
    "总之",
    "结果",
    "必须",
    "不要",
    "不能",
    "务必",
    "失败",
    "错误",
    "警告",
    "成功",
    "完成",
    "决定",
    "确认",
    "截止",
    "注意",
    "改为",
    "therefore",
    "conclusion",
    "result",
    "must",
    "never",
    "do not",
    "don't",
    "error",
    "fail",
    "warning",
    "success",
    "done",
    "decided",
    "confirmed",
    "deadline",
    "important",
    "instead",
];
/// Keys whose values tell where a tool call ended up.
const KEYS: &[&str] = &[
    "id", "name", "title", "status", "state", "error", "message", "result", "total", "count", "amount", "price",
    "date", "time", "path", "file", "url", "code", "reason", "summary", "success", "ok", "value", "answer", "名称",
    "状态", "金额", "结果", "日期",
];
/// Keys and values that tell of something gone wrong.
pub(super) const ALARMS: &[&str] =
    &["fail", "error", "warn", "exception", "timeout", "denied", "失败", "错误", "警告", "异常", "超时"];
/// A longer value at the top is prose.
const TOP_CHARS_MAX: usize = 80;
/// Keys whose values nobody asks for again.
const NOISE_KEYS: &[&str] = &[
    "trace",
    "request_id",
    "etag",
    "cursor",
    "headers",
    "created",
    "updated",
    "icon",
    "avatar",
    "hash",
    "signature",
    "debug",
];

/// The most informative sentences that fit into `budget_chars` characters, in the order of the text: those with the focus
/// terms, numbers, names, quotes, outcomes. If not even the best fits, its beginning does.
pub fn core_sentences(text: &str, budget_chars: usize, focus_terms: &[&str]) -> Vec<Range<usize>> {
    let all = sentences(text);
    let length = |range: &Range<usize>| text[range.clone()].chars().count();
    if all.iter().map(length).sum::<usize>() <= budget_chars {
        return all;
    }
    let focus = folded(focus_terms);
    let scores: Vec<u32> = all.iter().map(|range| sentence_score(&text[range.clone()], &focus)).collect();
    let mut chosen = choose(&scores, |at| length(&all[at]), budget_chars);
    if chosen.is_empty() && budget_chars > 0 {
        // The earliest among equals.
        let best = (0..all.len()).rev().max_by_key(|&at| scores[at]);
        return best
            .map(|at| {
                let range = all[at].clone();
                let end = text[range.clone()]
                    .char_indices()
                    .nth(budget_chars)
                    .map_or(range.end, |(end, _)| range.start + end);
                range.start..end
            })
            .into_iter()
            .collect();
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| all[at].clone()).collect()
}

/// The extract of a text as text: lines of `path: value` if it is JSON, else its core sentences with … between them where
/// something is missing. Never longer than `budget_chars` characters.
pub fn extract(text: &str, budget_chars: usize, focus_terms: &[&str]) -> String {
    if let Some(leaves) = json_leaves(text) {
        return extract_leaves(&leaves, budget_chars, focus_terms);
    }
    if text.trim().chars().count() <= budget_chars {
        return text.trim().to_owned();
    }
    // The gaps cost room too: what they take is taken from the sentences, and the best of fewer are chosen again.
    let mut room = budget_chars;
    loop {
        let extract = with_gaps(text, &core_sentences(text, room, focus_terms));
        let length = extract.chars().count();
        match length.checked_sub(budget_chars) {
            None | Some(0) => return extract,
            Some(over) if over < room => room -= over,
            Some(_) => return extract.chars().take(budget_chars).collect(),
        }
    }
}

/// Ranges of a text as one text, with … where something is left out between them.
fn with_gaps(text: &str, ranges: &[Range<usize>]) -> String {
    let mut joined = String::new();
    let mut last_end = 0;
    for range in ranges {
        let between = &text[last_end..range.start];
        joined.push_str(match () {
            () if joined.is_empty() => "",
            () if between.contains('\n') && between.trim().is_empty() => "\n",
            () if between.trim().is_empty() => between,
            () => GAP,
        });
        joined.push_str(&text[range.clone()]);
        last_end = range.end;
    }
    joined
}

fn extract_leaves(leaves: &[(String, String)], budget_chars: usize, focus_terms: &[&str]) -> String {
    let focus = folded(focus_terms);
    let lines: Vec<String> = leaves
        .iter()
        .map(|(path, value)| {
            let value = cut(value, LEAF_CHARS_MAX);
            if path.is_empty() { value } else { format!("{path}: {value}") }
        })
        .collect();
    let scores: Vec<u32> = leaves.iter().map(|(path, value)| leaf_score(path, value, &focus)).collect();
    let chars = lines.iter().map(|line| line.chars().count() + 1).sum::<usize>();
    if chars > budget_chars + 1
        && let Some(extract) = super::rows::extract(leaves, &lines, &scores, budget_chars)
    {
        return extract;
    }
    let mut chosen = choose(&scores, |at| lines[at].chars().count() + 1, budget_chars + 1);
    chosen.sort_unstable();
    let lines: Vec<&str> = chosen.into_iter().map(|at| lines[at].as_str()).collect();
    lines.join("\n")
}

/// The beginning of a value that is too long.
pub(super) fn cut(value: &str, chars_max: usize) -> String {
    match value.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Places by score, earlier first among equals, as many as fit. What says nothing doesn't fill up the room.
pub(super) fn choose(scores: &[u32], length: impl Fn(usize) -> usize, budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(scores[at]), at));
    let worth = u32::from(scores.iter().any(|&score| score > 0));
    let mut room = budget;
    order.retain(|&at| {
        let needed = length(at);
        let fits = scores[at] >= worth && needed <= room;
        if fits {
            room -= needed;
        }
        fits
    });
    order
}

fn folded(terms: &[&str]) -> Vec<String> {
    terms.iter().map(|term| fold(term)).filter(|term| !term.trim().is_empty()).collect()
}

fn sentence_score(sentence: &str, focus: &[String]) -> u32 {
    let lower = fold(sentence);
    let focused = focus.iter().filter(|term| lower.contains(term.as_str())).count().min(4) as u32;
    let numbers = sentence.split(|c: char| !c.is_numeric()).filter(|part| !part.is_empty()).count().min(3) as u32;
    let quoted = sentence.contains(['「', '《', '“', '"', '`']);
    let capitals =
        sentence.split_whitespace().skip(1).filter(|word| word.starts_with(|c: char| c.is_uppercase())).count();
    let path_or_url = lower.contains("://") || lower.contains('/') || lower.contains('@');
    let cues = CUES.iter().filter(|cue| lower.contains(**cue)).count().min(2) as u32;
    let short = sentence.chars().count() < 4;
    let score =
        focused * 4 + numbers + u32::from(quoted) + (capitals.min(2) as u32) + u32::from(path_or_url) + cues * 2;
    if short { score / 2 } else { score }
}

/// `errors: 0`, `failed: false`: nothing went wrong.
fn says_none(value: &str) -> bool {
    matches!(value.trim(), "0" | "false" | "none" | "no" | "ok" | "无")
}

fn leaf_score(path: &str, value: &str, focus: &[String]) -> u32 {
    let path = fold(path);
    let key =
        path.rsplit('.').next().unwrap_or(&path).trim_end_matches(|c: char| c == ']' || c == '[' || c.is_ascii_digit());
    let lower = fold(value);
    let focused = focus.iter().filter(|term| lower.contains(term.as_str()) || path.contains(term.as_str())).count();
    let known = KEYS.iter().any(|known| key == *known || key.ends_with(&format!("_{known}")) || key.ends_with("id"));
    let noise = NOISE_KEYS.iter().any(|noise| key.contains(noise));
    let shallow = path.matches(['.', '[']).count() <= 1;
    let opaque = value.len() > 40 && !value.contains(char::is_whitespace) && value.is_ascii() && !value.contains('/');
    // What went wrong and how much there is stands at the top, and decides what is done next.
    let alarms = u32::from(ALARMS.iter().any(|word| key.contains(word) || lower.contains(word)) && !says_none(&lower));
    let top = u32::from(!path.contains(['.', '[']) && value.chars().count() <= TOP_CHARS_MAX);
    let score = 4 + focused.min(4) as u32 * 6 + u32::from(known) * 3 + u32::from(shallow) * 2 + alarms * 8 + top * 4;
    let score = score + u32::from(value.contains(|c: char| c.is_numeric()));
    if noise || opaque { score.saturating_sub(4) } else { score }
}
