//! What a block says of a value that changed: lines and two claims in, an outcome out. Knows nothing of engines and data sets.

use serde::Serialize;

/// Words of change. A message states the change if one of them is about the value: in its own clause, or in the one before it that
/// announces it (换手机了，现在用…). Elsewhere in the message it is about something else, and the value is told in passing.
pub const CHANGE_ZH: &[&str] = &[
    "改成", "改为", "改了", "换成", "换了", "搬到", "搬家", "变成", "变了", "涨到", "降到", "升到", "扩到", "调到",
    "调薪", "不再", "放弃", "停了", "恢复", "现在", "原来", "以前", "之前",
];
pub const CHANGE_EN: &[&str] =
    &["changed", "moved to", "switched", "replaced", "instead", "no longer", "anymore", "now", "used to"];

/// How a block says that something has ended: in brackets behind the words.
const MARKS: &[&str] =
    &["已作废", "已更正为", "之后有更新的说法", "no longer holds", "corrected to", "said otherwise later"];

/// One line of a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    pub text: String,
    /// The messages it was drawn from, by their place in the talk. None: a line of a task's state.
    pub messages: Vec<usize>,
}

/// A value, and where it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Only lines drawn from one of these count: the same words elsewhere are of somebody else. Empty: any line.
    pub messages: Vec<usize>,
    /// Of each group one must be in the line.
    pub words: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The expected value is in the block.
    pub served: bool,
    /// And no expired one comes before it as current.
    pub first: bool,
    /// An expired value is in the block, with nothing to say that it has expired.
    pub stale_as_current: bool,
}

impl Line {
    fn is_marked(&self) -> bool {
        let aside = self.text.rsplit(['(', '（']).next().unwrap_or_default();
        aside.ends_with([')', '）']) && MARKS.iter().any(|mark| aside.contains(mark))
    }
}

impl Claim {
    fn is_in(&self, line: &Line) -> bool {
        let told = self.messages.is_empty()
            || line.messages.is_empty()
            || line.messages.iter().any(|place| self.messages.contains(place));
        told && self.words_in(&line.text)
    }

    /// Whether the message at this place makes it.
    pub fn is_told(&self, place: usize, message: &str) -> bool {
        (self.messages.is_empty() || self.messages.contains(&place)) && self.words_in(message)
    }

    fn words_in(&self, text: &str) -> bool {
        let text = bare(text);
        self.words.iter().all(|group| group.iter().any(|word| text.contains(&bare(word))))
    }
}

impl Outcome {
    /// `lines` in the order of the block. A line that tells the old value and the new one tells the change: it is not stale.
    pub fn of(lines: &[Line], new: &Claim, old: &[Claim]) -> Self {
        let is_stale =
            |line: &Line| !line.is_marked() && !new.is_in(line) && old.iter().any(|expired| expired.is_in(line));
        let served = lines.iter().position(|line| new.is_in(line) && !line.is_marked());
        let stale = lines.iter().position(is_stale);
        Self {
            served: served.is_some(),
            first: served.is_some_and(|served| stale.is_none_or(|stale| served < stale)),
            stale_as_current: stale.is_some(),
        }
    }

    /// What the issue asks for: the new value first, the old one nowhere as current.
    pub fn is_updated(self) -> bool {
        self.first && !self.stale_as_current
    }
}

/// Whether a message says in so many words that what the claim is of changed. It asks where words stand, and nothing of what rules
/// make of them.
pub fn states_change(message: &str, claim: &Claim) -> bool {
    let clauses: Vec<&str> = clauses(message);
    let values = || claim.words.iter().flatten().map(|word| bare(word)).filter(|word| !word.is_empty());
    clauses.iter().enumerate().any(|(place, clause)| {
        let said = bare(clause);
        let holds = values().any(|value| said.contains(&value));
        // A clause before that has a value of its own, or speaks of now, is about that.
        let before = || place.checked_sub(1).map(|before| clauses[before]).filter(|before| announces(before));
        holds && (has_change(clause, &[]) || before().is_some())
    })
}

fn clauses(message: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut from = 0;
    let ends = |at: usize, c: char| match c {
        '，' | '。' | '！' | '？' | '；' | '!' | '?' | ';' | '…' | '\n' => true,
        // 1,800 and 3.5 are numbers.
        ',' | '.' => !message[at + 1..].starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    for (at, c) in message.char_indices() {
        if ends(at, c) {
            clauses.push(&message[from..at]);
            from = at + c.len_utf8();
        }
    }
    clauses.push(&message[from..]);
    clauses.retain(|clause| !clause.trim().is_empty());
    clauses
}

/// Speak of when, and so of the clause they are in.
const OF_THIS_CLAUSE: &[&str] = &["现在", "原来", "以前", "之前", "now", "used to"];

/// Whether a clause says that something changed, and leaves what it is now to the one behind it.
fn announces(clause: &str) -> bool {
    has_change(clause, OF_THIS_CLAUSE) && !clause.chars().any(|c| c.is_ascii_digit()) && clause.chars().count() <= 24
}

fn has_change(clause: &str, but: &[&str]) -> bool {
    let words: Vec<String> =
        clause.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    // Spaces around: "now" is not in "known".
    let spaced = format!(" {} ", words.join(" "));
    CHANGE_ZH.iter().any(|word| !but.contains(word) && clause.contains(word))
        || CHANGE_EN.iter().any(|word| !but.contains(word) && spaced.contains(&format!(" {word} ")))
}

/// Letters and digits only, in lower case: "Held-out" is "held out".
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{Claim, Line, Outcome, states_change};

    /// Message 0 tells the old value, message 1 the new one; a line's first character is the message it is drawn from.
    fn check(lines: &[&str], new: &str, old: &str, expected: [bool; 3]) {
        let claim = |place, word: &str| Claim { messages: vec![place], words: vec![vec![word.to_owned()]] };
        let lines: Vec<Line> = lines
            .iter()
            .map(|line| {
                let place = line.chars().next().and_then(|c| c.to_digit(10)).map(|digit| digit as usize);
                Line { text: line[1..].to_owned(), messages: place.into_iter().collect() }
            })
            .collect();
        let outcome = Outcome::of(&lines, &claim(1, new), &[claim(0, old)]);
        assert_eq!([outcome.served, outcome.first, outcome.stale_as_current], expected, "{lines:?}");
    }

    #[test]
    fn the_new_value_comes_first_and_the_old_one_is_marked() {
        check(&["1住在苏州", "0住在无锡（已作废；截至：2025-05-01）"], "苏州", "无锡", [true, true, false]);
        check(&["0住在无锡（已更正为：苏州）", "1住在苏州"], "苏州", "无锡", [true, true, false]);
        check(&["1I live in Quito", "0I live in Lima (no longer holds)"], "Quito", "lima", [true, true, false]);
        check(&["1住在苏州", "0住在无锡（之后有更新的说法）"], "苏州", "无锡", [true, true, false]);
        check(&["1从无锡搬到了苏州"], "苏州", "无锡", [true, true, false]);
    }

    #[test]
    fn an_old_value_as_current_is_stale() {
        check(&["0住在无锡", "1住在苏州"], "苏州", "无锡", [true, false, true]);
        check(&["1I live in Quito", "0I live in Lima (Peru)"], "Quito", "Lima", [true, true, true]);
        check(&["0I live in Lima"], "Quito", "Lima", [false, false, true]);
        check(&["1I live in Quito (no longer holds)"], "Quito", "Lima", [false, false, false]);
    }

    #[test]
    fn the_same_words_of_another_message_are_of_somebody_else() {
        check(&["2朋友住在无锡", "1住在苏州"], "苏州", "无锡", [true, true, false]);
        check(&["2Tom moved to Quito"], "Quito", "Lima", [false, false, false]);
    }

    #[test]
    fn change_is_told_by_words_about_the_value() {
        for (message, value, expected) in [
            ("搬家了，住到苏州去了", "苏州", true),
            ("月薪涨到一万二", "一万二", true),
            ("我住在苏州", "苏州", false),
            ("换工作了，朋友请吃饭，我住在苏州", "苏州", false),
            ("我现在很忙，住在苏州", "苏州", false),
            ("现在住在苏州", "苏州", true),
            ("月薪涨到9000，住在苏州", "苏州", false),
            ("We switched to Postgres.", "Postgres", true),
            ("I no longer eat meat", "meat", true),
            ("It is known as Postgres", "Postgres", false),
            ("I changed jobs, the pay is $1,800", "1,800", true),
            ("I switched teams. Bob said hi. The pay is $1,800", "1,800", false),
        ] {
            let claim = Claim { messages: Vec::new(), words: vec![vec![value.to_owned()]] };
            assert_eq!(states_change(message, &claim), expected, "{message}");
        }
    }
}
