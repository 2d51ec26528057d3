//! Whether a statement is made again: the same clauses in other small words. Both texts and the task's own names in, yes or no
//! out. Numbers, names and negations are never small words, so that what differs in one of them is another statement.

use super::names::bare;
use crate::text::{fold, is_han_or_kana};

/// Small words in front of a clause: leads, and from when on it holds, longest first.
const LEADS: &[&str] = &[
    "从这周开始",
    "从本周开始",
    "从今天开始",
    "从现在开始",
    "这周开始",
    "本周开始",
    "这周起",
    "本周起",
    "从现在起",
    "以后都",
    "以后",
    "今后都",
    "今后",
    "另外",
    "还有",
    "并且",
    "而且",
    "同时",
    "注意",
    "记住",
    "请",
    "那么",
    "那",
    "from now on",
    "going forward",
    "this week on",
    "from this week on",
    "starting this week",
    "also",
    "and",
    "please",
    "remember to",
    "note that",
    "remember",
    "just",
    "so",
];
/// And behind it: 写进去 and 写进 are one.
const TRAILS: &[&str] = &["去", "吧", "啊", "哦", "哈", "了", "里", "中", " please", " too", " as well"];
/// English words without weight anywhere in a clause.
const SMALL: &[&str] = &["the", "a", "an", "it", "its", "this", "that", "these", "my", "our", "any"];
/// A clause with one of these says when another holds: without it that one would hold always.
const CONDITIONS: &[&str] = &[
    "如果",
    "要是",
    "凡是",
    "涉及",
    "遇到",
    "对于",
    "除非",
    "除了",
    "之前",
    "之后",
    "以前",
    "以后",
    "期间",
    "的话",
    "时候",
    "只有",
    " if ",
    " when ",
    " whenever ",
    " unless ",
    " before ",
    " after ",
    " until ",
    " while ",
    " during ",
    " except ",
    " for ",
    " in case ",
];

/// Whether `known` lays down all that `new` does. `names`: what the task is called, which a clause may say or leave out.
pub(super) fn restates(known: &str, new: &str, names: &[String]) -> bool {
    let (known_clauses, new_clauses) = (clauses(known), clauses(new));
    let plain = |clause: &String| {
        let spaced = format!(" {clause} ");
        let stripped = clause.trim();
        !CONDITIONS.iter().any(|word| spaced.contains(word))
            && !stripped.ends_with(['时', '的'])
            && !stripped.starts_with('当')
    };
    let core = |clause: &String| core(clause, names);
    let of_known: Vec<String> = known_clauses.iter().map(core).collect();
    let of_new: Vec<String> = new_clauses.iter().map(core).filter(|clause| !clause.is_empty()).collect();
    if of_new.is_empty() {
        return false;
    }
    // A condition belongs to the clauses around it: then only the whole is the same.
    if known_clauses.iter().chain(&new_clauses).all(plain) {
        of_new.iter().all(|clause| of_known.iter().any(|known| covers(known, clause)))
    } else {
        covers(&of_known.concat(), &of_new.concat())
    }
}

/// Whether several that hold lay down together all that `new` does: the user said in two sentences what an agent puts in one.
pub(super) fn restate_together(known: &[&str], new: &str, names: &[String]) -> bool {
    let clauses = clauses(new);
    clauses.len() > 1 && clauses.iter().all(|clause| known.iter().any(|known| restates(known, clause, names)))
}

/// The same, or a prohibition with one word more inside (the old MySQL box): who may not touch any may not touch that one.
fn covers(known: &str, new: &str) -> bool {
    if known == new {
        return true;
    }
    let (known, new): (Vec<&str>, Vec<&str>) = (known.split(' ').collect(), new.split(' ').collect());
    let forbids = |words: &[&str]| words.first() == Some(&DONT);
    if !forbids(&known) || !forbids(&new) || new.len() != known.len() + 1 {
        return false;
    }
    let at = known.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let inside = at >= 2 && at < known.len() && known[at..] == new[at + 1..];
    inside && new[at].chars().all(char::is_alphabetic) && !WEIGHTY.contains(&new[at])
}

/// How a prohibition begins once it is brought to one form.
const DONT: &str = "don't";
const FORBIDS: &[&str] = &["do not ", "never ", "must not ", "dont ", "you must not "];
/// Turn a prohibition into another one.
const WEIGHTY: &[&str] = &[
    "not", "only", "without", "and", "or", "but", "except", "no", "never", "nothing", "anything", "all", "if", "until",
];

/// 9 点到 18 点, 9am to 6pm and 9:00–18:00 are one.
fn with_times(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < characters.len() {
        let c = characters[at];
        let digits = characters[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let inside_number =
            at > 0 && (characters[at - 1].is_ascii_digit() || matches!(characters[at - 1], '.' | ':' | ','));
        if digits == 0 || digits > 2 || inside_number {
            out.push(c);
            at += 1;
            continue;
        }
        let hour: String = characters[at..at + digits].iter().collect();
        let mut next = at + digits;
        while characters.get(next) == Some(&' ') {
            next += 1;
        }
        let rest: String = characters[next..].iter().take(3).collect();
        let whole = |length: usize| !characters.get(next + length).is_some_and(|c| c.is_ascii_alphanumeric());
        let hours = hour.parse::<u8>().unwrap_or(24);
        let time = if rest.starts_with("点半") {
            Some((format!("{hour}:30"), 2))
        } else if rest.starts_with("点钟") || rest.starts_with("点整") {
            Some((format!("{hour}:00"), 2))
        } else if rest.starts_with('点')
            && !characters.get(next + 1).is_some_and(|c| c.is_ascii_digit() || *c == '建' || *c == '要')
        {
            Some((format!("{hour}:00"), 1))
        } else if rest.starts_with("am") && whole(2) && hours <= 12 {
            Some((format!("{}:00", hours % 12), 2))
        } else if rest.starts_with("pm") && whole(2) && hours <= 12 {
            Some((format!("{}:00", hours % 12 + 12), 2))
        } else {
            None
        };
        match time {
            Some((said, length)) if hours <= 24 => {
                out.push_str(&said);
                at = next + length;
            }
            _ => {
                out.push_str(&hour);
                at += digits;
            }
        }
    }
    // Between two times, a range however it is written.
    for mark in ["到", "至", "–", "—", "-", "to", "~", "～"] {
        let mut from = 0;
        while let Some(found) = out[from..].find(mark).map(|found| from + found) {
            let before = out[..found].trim_end_matches(' ').len();
            let end = out.len() - out[found + mark.len()..].trim_start_matches(' ').len();
            let digit = |c: char| c.is_ascii_digit();
            let is_time = out[..before].ends_with(digit) && out[..before].rfind(':').is_some_and(|at| before - at == 3);
            if is_time && out[end..].starts_with(digit) {
                out.replace_range(before..end, "-");
                from = before + 1;
            } else {
                from = found + mark.len();
            }
        }
    }
    out
}

fn clauses(text: &str) -> Vec<String> {
    let folded = with_times(&fold(text));
    let mut clauses = vec![String::new()];
    let characters: Vec<char> = folded.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let digit_next = characters.get(at + 1).is_some_and(char::is_ascii_digit);
        let space_next = characters.get(at + 1).is_none_or(|c| c.is_whitespace());
        let divides = matches!(c, '，' | '；' | '。' | ';' | '\n' | '！' | '!')
            || (c == ',' && !digit_next)
            || (c == '.' && space_next);
        if divides {
            clauses.push(String::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(c);
        }
    }
    clauses.retain(|clause| !clause.trim().is_empty());
    clauses
}

/// What a clause says, without small words and spaces.
fn core(clause: &str, names: &[String]) -> String {
    let mut text = clause.trim().trim_matches(|c: char| matches!(c, '-' | '*' | '•' | '"' | '“' | '”' | '「' | '」'));
    while let Some(rest) = LEADS.iter().find_map(|lead| {
        text.strip_prefix(lead).filter(|rest| !lead.is_ascii() || rest.starts_with(|c: char| !c.is_alphanumeric()))
    }) {
        text = rest.trim_start_matches([' ', ',', '，', ':', '：']);
    }
    let mut text = text.to_owned();
    for name in names.iter().map(|name| bare(name)).filter(|name| name.chars().count() >= 2) {
        if let Some(at) = crate::text::find_whole(&text, &name) {
            text.replace_range(at..at + name.len(), "");
        }
    }
    let mut text = text.trim().to_owned();
    while let Some(rest) = TRAILS.iter().find_map(|trail| text.strip_suffix(trail)) {
        text = rest.trim_end().to_owned();
    }
    if let Some(rest) = FORBIDS.iter().find_map(|word| text.strip_prefix(word)) {
        text = format!("{DONT} {rest}");
    }
    let mut words: Vec<&str> = text.split_whitespace().filter(|word| !SMALL.contains(word)).collect();
    // "Drop nothing" is "don't drop anything"; "any" is a small word.
    if words.get(1) == Some(&"nothing") {
        words[1] = "anything";
        words.insert(0, DONT);
    }
    // Spaces divide Latin words and nothing else.
    let mut core = String::new();
    for word in words {
        let latin = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han_or_kana(c));
        if latin(core.chars().next_back()) && latin(word.chars().next()) {
            core.push(' ');
        }
        core.push_str(word);
    }
    core
}

#[cfg(test)]
mod tests {
    use super::{restate_together, restates};

    #[test]
    fn the_same_in_other_small_words_and_nothing_else() {
        let said = "这周开始口径统一按发货时间，另外华星的报价不要写进去，价格还没谈定";
        for (known, new, expected) in [
            (said, "口径统一按发货时间", true),
            (said, "华星的报价不要写进周报", true),
            (said, "口径统一按下单时间", false),
            (said, "华星的报价要写进周报", false),
            (said, "启明的报价不要写进周报", false),
            (said, "价格不要写进去，华星的报价不要写进去", false),
            ("不超过500字", "不超过 ５００ 字。", true),
            ("不超过500字", "不超过800字", false),
            ("不超过500字", "不超过500字，只用表格", false),
            ("不超过500字，只用表格", "只用表格", true),
            ("涉及金额的，只用表格", "只用表格", false),
            ("只用表格", "涉及金额的，只用表格", false),
            ("周五之前，不要发邮件", "不要发邮件", false),
            ("不要发邮件", "要发邮件", false),
            ("Keep the weekly report under 500 words", "keep it under 500 words", true),
            ("Keep it under 500 words, use tables", "Use tables.", true),
            ("Keep it under 500 words", "Keep it under 800 words", false),
            ("Don't mention Acme", "Mention Acme", false),
            ("Don't mention Acme", "Don't mention Fernbrook", false),
            ("记住：工作日 9 点到 18 点不能断网", "工作日 9:00–18:00 不能断网", true),
            ("工作日 9 点到 18 点不能断网", "工作日 9:00–17:00 不能断网", false),
            ("No calls from 9am to 6pm", "no calls from 9:00 - 18:00", true),
            ("只留 3 点建议", "只留 3 点", false),
            (
                "Don't drop anything on the old box until finance has signed off",
                "Drop nothing on the old MySQL box until finance has signed off",
                true,
            ),
            ("Drop nothing on the old MySQL box", "Don't drop anything on the old box", false),
            ("Never restart the old server", "Do not restart the old server", true),
            ("Don't touch the box", "Don't touch the box or disk", false),
            ("Don't touch it", "Don't only touch it", false),
            ("If it is about money, use tables", "use tables", false),
        ] {
            let names = ["周报".to_owned(), "weekly report".to_owned()];
            assert_eq!(restates(known, new, &names), expected, "{known:?} restates {new:?}");
        }
    }

    #[test]
    fn two_that_hold_say_together_what_one_does() {
        let known = ["记住：工作日 9 点到 18 点不能断网", "服务器只能周末搬"];
        for (new, expected) in [
            ("工作日 9:00–18:00 不能断网，服务器只能周末搬", true),
            ("工作日 9:00–18:00 不能断网，打印机只能周末搬", false),
            ("服务器只能周末搬", false),
        ] {
            assert_eq!(restate_together(&known, new, &[]), expected, "{new}");
        }
        let known = ["Never run DROP", "Downtime must stay under 10 minutes"];
        assert!(restate_together(&known, "Don't run DROP, downtime must stay under 10 minutes", &[]));
    }
}
