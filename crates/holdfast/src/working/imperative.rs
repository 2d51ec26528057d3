//! Which clauses of a user's text lay down how the work is to be done: 必须…, 不要…, "never …". Rules that would rather miss one
//! than take 「我不能参加」, "don't worry" or a quoted sentence for one; what they miss stays in the log and can be recalled.

use crate::text::sentences;
use crate::text::{fold, is_han_or_kana};

/// Longest clause taken for a constraint, in characters. It is never cut from a block, so it must be short.
const CLAUSE_CHARACTERS_MAX: usize = 160;
/// Most constraints taken from one text: a pasted policy is a document, not instructions for the task in hand.
const CONSTRAINTS_MAX: usize = 12;

/// The clauses that lay something down, as written.
pub(super) fn constraints(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fenced = false;
    let mut quoted = 0;
    let mut last_said: Option<usize> = None;
    for range in sentences(text) {
        let Some(sentence) = text.get(range.clone()) else { continue };
        let said_before = last_said.replace(range.start);
        // Code and quoted mail are not what the user says.
        let line = sentence.trim_start();
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let inside = quoted > 0;
        quoted = depth_after(quoted, sentence);
        if fenced || line.starts_with('>') || inside || is_question(sentence) || supposes(sentence) {
            continue;
        }
        let clauses = clauses(sentence);
        for (at, clause) in clauses.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| clauses[before]);
            let condition = before.filter(|before| is_condition(before) || is_instead_of(before, clause));
            if !lays_down(clause, clauses.get(at + 1).copied()) {
                continue;
            }
            let whole = match condition {
                Some(condition) if has_han(clause) => format!("{}，{}", condition.trim(), tidy(clause)),
                Some(condition) => format!("{}, {}", condition.trim(), tidy(clause)),
                None => {
                    with_what_it_is_about(text, &range, said_before, &clauses, at).unwrap_or(tidy(clause)).to_owned()
                }
            };
            if whole.chars().count() <= CLAUSE_CHARACTERS_MAX
                && !found.contains(&whole)
                && found.len() < CONSTRAINTS_MAX
            {
                found.push(whole);
            }
        }
    }
    found
}

/// An instruction with explicit words about how long it holds, with all that it lays down: to the end of its sentence, and
/// from its beginning where those words come last (「先列明细，就这一次」).
pub(super) fn instruction<'a>(text: &'a str, span: &std::ops::Range<usize>) -> Option<&'a str> {
    let sentence = sentences(text).into_iter().find(|s| s.start <= span.start && span.start < s.end)?;
    let said = fold(text.get(span.clone())?);
    let trails = TRAILING.iter().any(|word| said.starts_with(word));
    let whole = text.get(if trails { sentence.start } else { span.start }..sentence.end.max(span.end))?;
    let whole = tidy(whole);
    (whole.chars().count() <= CLAUSE_CHARACTERS_MAX).then_some(whole)
}

/// Words about how long that follow what they are about.
const TRAILING: &[&str] = &[
    "就这一次",
    "就这次",
    "只此一次",
    "仅此一次",
    "下不为例",
    "就一次",
    "只这一次",
    "just this once",
    "only this once",
    "this once",
];

/// What a line of a list says, without its mark: `1. `, `- `, 「第一步：」, 「一、」.
pub(super) fn list_entry(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.strip_prefix(['-', '*', '•', '·']).map(|rest| rest.trim_start_matches("[ ]")).or_else(|| {
        let body = line.strip_prefix('第').unwrap_or(line);
        let body = strip_word(body, "step ").unwrap_or(body);
        let digits = body.find(|c: char| !(c.is_ascii_digit() || "一二三四五六七八九十".contains(c)))?;
        if digits == 0 || digits > "二十一".len() {
            return None;
        }
        let rest = &body[digits..];
        let rest = rest.strip_prefix('步').unwrap_or(rest);
        rest.strip_prefix(['.', '、', ')', '）', ':', '：', '．', '，', ','])
    })?;
    let rest = rest.trim();
    // 「3.2%的增长」 is a number, not the third entry of a list.
    let decimal = line.starts_with(|c: char| c.is_ascii_digit()) && rest.starts_with(|c: char| c.is_ascii_digit());
    (!rest.is_empty() && !decimal).then_some(rest)
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..])
}

/// Clauses between commas. A comma within a number or a quotation divides nothing.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    let characters: Vec<(usize, char)> = sentence.char_indices().collect();
    for (n, &(at, c)) in characters.iter().enumerate() {
        depth = depth_after(depth, &sentence[at..at + c.len_utf8()]);
        let next_is_digit = characters.get(n + 1).is_some_and(|(_, c)| c.is_ascii_digit());
        let divides = matches!(c, '，' | '；' | ';') || (c == ',' && !next_is_digit);
        if divides && depth == 0 {
            clauses.push(sentence[start..at].trim());
            start = at + c.len_utf8();
        }
    }
    clauses.push(sentence[start..].trim());
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// How many quotations are open behind a text.
fn depth_after(mut depth: usize, text: &str) -> usize {
    for c in text.chars() {
        match c {
            '「' | '『' | '“' => depth += 1,
            '」' | '』' | '”' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

fn is_question(sentence: &str) -> bool {
    let sentence = sentence.trim_end_matches(['」', '”', '"', '）', ')', ' ']);
    sentence.ends_with(['?', '？'])
        || ["吗", "呢", "么"].iter().any(|end| sentence.trim_end_matches(['。', '.', '！', '!']).ends_with(end))
        || ["要不要", "是不是", "能不能", "可不可以", "该不该"].iter().any(|word| sentence.contains(word))
}

fn supposes(sentence: &str) -> bool {
    let folded = fold(sentence);
    let folded = folded.trim_start();
    ["如果当时", "假如", "假设", "要是当时", "suppose", "imagine", "what if", "for example", "e.g.", "比如", "例如"]
        .iter()
        .any(|word| folded.starts_with(word))
}

/// A clause that says when the next one holds: 「涉及金额的」, 「发邮件时」, "for amounts", "when …".
fn is_condition(clause: &str) -> bool {
    let folded = fold(clause);
    if ["好的", "是的", "对的", "行的", "可以的", "没事的"].contains(&folded.trim()) {
        return false;
    }
    let ends = ["的", "时", "时候", "的话", "之前", "之后", "以前", "以后"];
    let starts = [
        "凡是",
        "所有",
        "对于",
        "涉及",
        "遇到",
        "如果",
        "要是",
        "当",
        "for ",
        "when ",
        "whenever ",
        "if ",
        "in ",
        "before ",
        "after ",
    ];
    lays_down(clause, None).then_some(()).is_none()
        && (ends.iter().any(|end| folded.ends_with(end)) || starts.iter().any(|start| folded.starts_with(start)))
}

/// 「口径用发货时间，别用下单时间」: what to use instead belongs to it.
fn is_instead_of(before: &str, clause: &str) -> bool {
    let (before, clause) = (fold(before), fold(clause));
    let used = |words: &[&str]| words.iter().any(|word| clause.starts_with(word));
    (before.contains('用') && used(&["别用", "不要用", "别再用", "不要再用"]))
        || (before.starts_with("use ") && used(&["don't use ", "do not use ", "never use "]))
}

/// 「华星的报价还没谈定，别写进周报」, "the old server is live, never restart it": alone, the clause would forbid far more than was said, so
/// what it is about stands with it, from the clause or the sentence before.
fn with_what_it_is_about<'a>(
    text: &'a str,
    sentence: &std::ops::Range<usize>,
    said_before: Option<usize>,
    clauses: &[&'a str],
    at: usize,
) -> Option<&'a str> {
    let clause = clauses[at];
    if !leaves_open(clause) {
        return None;
    }
    let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let start = match at.checked_sub(1).map(|before| clauses[before]) {
        Some(before) if lays_down(before, Some(clause)) => return None,
        Some(before) => place(before),
        None => said_before.filter(|start| *start < sentence.start)?,
    };
    let whole = text.get(start..place(clause) + clause.len())?;
    let lead = whole.chars().count() - clause.chars().count();
    // 「好，别发邮件」: what leads up to it is no subject.
    let fits = lead >= LEAD_CHARACTERS_MIN && whole.chars().count() <= CLAUSE_CHARACTERS_MAX && !whole.contains('\n');
    (fits && !whole.contains(['?', '？'])).then(|| tidy(whole))
}

/// A shorter lead is 「好的，」 or "OK, ".
const LEAD_CHARACTERS_MIN: usize = 5;
/// A prohibition of so many Chinese characters behind the word has a verb and nothing that it is done to.
const BARE_VERB_CHARACTERS_MAX: usize = 2;

/// Whether a prohibition does not say what it is about: 「别列了」, 「不要写进去」, 「别动它」, "don't mention it".
fn leaves_open(clause: &str) -> bool {
    let folded = fold(clause);
    let mut rest = folded.trim().trim_end_matches(['。', '.', '!', '！']);
    if has_han(clause) {
        while let Some(shorter) = BEFORE_ZH.iter().find_map(|word| rest.strip_prefix(word)) {
            rest = shorter;
        }
        let forbids = ["不要再", "别再", "不要", "不能", "不可以", "不可", "不许", "不得", "别"];
        let Some(done) = forbids.iter().find_map(|word| rest.strip_prefix(word)) else { return false };
        let pointed =
            ["它", "他们", "她们", "这个", "那个", "这些", "那些", "此事"].iter().any(|word| done.contains(word));
        // A verb and where to, to whom: 写进周报, 发给客户.
        let mut characters = done.chars();
        let toward = |c: Option<char>| c.is_some_and(|c| "进到给在上出去来入掉了".contains(c));
        let led = characters.next().is_some() && {
            let second = characters.next();
            toward(second) || second.is_some() && toward(characters.next())
        };
        let bare = done.chars().count() <= BARE_VERB_CHARACTERS_MAX && done.chars().all(is_han_or_kana);
        return pointed || led || bare;
    }
    while let Some(shorter) = BEFORE_EN.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter.trim_start();
    }
    let forbids = ["never ", "don't ", "don’t ", "do not ", "avoid "];
    let Some(done) = forbids.iter().find_map(|word| rest.strip_prefix(word)) else { return false };
    done.split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "it" | "them" | "that" | "those" | "these" | "him" | "her"))
}

fn lays_down(clause: &str, next: Option<&str>) -> bool {
    if quotes_it(clause) {
        return false;
    }
    if has_han(clause) { lays_down_zh(clause, next) } else { lays_down_en(clause) }
}

/// The whole of what would lay something down stands in quotation marks: somebody else's words.
fn quotes_it(clause: &str) -> bool {
    let outside: String = {
        let mut depth = 0;
        let mut plain = false;
        clause
            .chars()
            .filter(|&c| {
                if c == '"' {
                    plain = !plain;
                    return false;
                }
                let before = depth;
                depth = depth_after(depth, c.encode_utf8(&mut [0; 4]));
                before == 0 && depth == 0 && !plain
            })
            .collect()
    };
    outside.chars().count() < clause.chars().count() && !says_it(&outside)
}

fn says_it(clause: &str) -> bool {
    if has_han(clause) { lays_down_zh(clause, None) } else { lays_down_en(clause) }
}

fn has_han(text: &str) -> bool {
    text.chars().any(is_han_or_kana)
}

/// Words that come before what a clause says.
const BEFORE_ZH: &[&str] = &[
    "请你", "请您", "请", "你", "您", "注意", "记住", "记得", "另外", "还有", "但是", "但", "不过", "而且", "并且",
    "同时", "然后", "这次", "本次", "这回", "千万", "绝对", "最好", "也", "都", "就", "先", "最后", "其中", "要求",
    "：", ":", " ", "，", "、",
];
/// Lays something down wherever it stands in a clause.
const ANYWHERE_ZH: &[&str] = &[
    "必须",
    "务必",
    "一定要",
    "不得",
    "禁止",
    "严禁",
    "一律",
    "千万不要",
    "千万别",
    "绝对不要",
    "绝对不能",
    "绝不能",
    "不允许",
    "不能超过",
    "不能低于",
    "不能少于",
    "不能多于",
    "不能早于",
    "不能晚于",
    "不能包含",
    "不能出现",
    "不能使用",
    "不要超过",
    "不超过",
    "控制在",
    "不少于",
    "不低于",
    "不多于",
    "不晚于",
    "里不要",
    "中不要",
    "里不能",
    "中不能",
    "上不要",
    "都不要",
    "都不能",
    "都要用",
    "都用",
    "统一用",
    "统一使用",
    "只能",
    "只允许",
    "仅限",
    "别再",
    "不要再",
    "不许",
    "里别",
    "里也别",
    "中别",
    "里也不要",
    "上别",
];
/// Lays something down where a clause begins with it.
const FIRST_ZH: &[&str] =
    &["不要", "别", "不能", "不可以", "不可", "只用", "只要", "仅用", "至少", "最多", "避免", "保持", "确保", "保证"];
/// Begins like one and isn't.
const PHRASES_ZH: &[&str] = &[
    "不要紧",
    "不要担心",
    "不要急",
    "不要客气",
    "不要误会",
    "别急",
    "别担心",
    "别客气",
    "别的",
    "别人",
    "别处",
    "别说",
    "别提",
    "别墅",
    "不用谢",
    "不用了",
    "不用担心",
    "不用急",
    "不用管我",
    "不能理解",
    "不能接受",
    "不得不",
    "不得了",
    "不得已",
    "必须的",
    "不可能",
    "不可思议",
    "只要你",
    "不能说",
    "只能说",
    "只能这样",
    "不要了",
];
/// The speaker talks of himself, or tells of others and things.
const TELLS_ZH: &[&str] =
    &["我", "我们", "咱们", "他", "她", "他们", "昨天", "当时", "以前", "上次", "老是", "总是", "怎么", "为什么"];
/// What the speaker himself lays down: 「我只要Excel」, 「我希望不要…」.
const WISHES_ZH: &[&str] =
    &["我要求", "我希望", "我们要求", "我只要", "我不要", "我不想要", "我们必须", "我们不能", "我们只能", "我们只用"];

fn lays_down_zh(clause: &str, next: Option<&str>) -> bool {
    let folded = fold(clause);
    let mut rest = folded.trim();
    while let Some(shorter) = BEFORE_ZH.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter;
    }
    if PHRASES_ZH.iter().any(|phrase| rest.starts_with(phrase)) {
        return false;
    }
    let wishes = WISHES_ZH.iter().any(|word| rest.starts_with(word));
    if !wishes && TELLS_ZH.iter().any(|word| rest.starts_with(word)) {
        return false;
    }
    // 「只要…，就…」 is a condition.
    if rest.starts_with("只要")
        && (rest.contains('就') || next.is_some_and(|next| next.contains('就') || next.contains("便可")))
    {
        return false;
    }
    let anywhere = ANYWHERE_ZH.iter().any(|word| {
        rest.find(word).is_some_and(|at| {
            let from = &rest[at..];
            !PHRASES_ZH.iter().any(|phrase| from.starts_with(phrase))
        })
    });
    let first = FIRST_ZH.iter().any(|word| rest.strip_prefix(word).is_some_and(|rest| !rest.is_empty()));
    // 「迁移期间老系统不能停」: when it holds comes first.
    let meanwhile = ["期间", "之前", "以前", "前都"].iter().any(|word| {
        let after = rest.find(word).map(|at| &rest[at + word.len()..]);
        after.is_some_and(|after| ["不能", "不要", "不可", "别"].iter().any(|word| after.contains(word)))
    });
    wishes || anywhere || first || meanwhile
}

const BEFORE_EN: &[&str] = &[
    "please ",
    "pls ",
    "and ",
    "but ",
    "also ",
    "just ",
    "you ",
    "note: ",
    "note that ",
    "remember: ",
    "remember to ",
    "remember, ",
    "important: ",
    "this time ",
    "so ",
    "then ",
    "- ",
    "* ",
];
const ANYWHERE_EN: &[&str] = &[
    "must not ",
    "mustn't ",
    "must never ",
    "must always ",
    "should never ",
    "should always ",
    "no more than ",
    "at most ",
    "at least ",
    "not more than ",
    "not exceed ",
    "under no circumstances",
    "is not allowed",
    "are not allowed",
    "is forbidden",
    "use only ",
    " has to be ",
    " have to be ",
];
const FIRST_EN: &[&str] = &[
    "never ",
    "don't ",
    "don’t ",
    "do not ",
    "always ",
    "only ",
    "avoid ",
    "make sure ",
    "ensure ",
    "keep it ",
    "keep the ",
    "stick to ",
    "must ",
    "no longer than ",
    "under ",
];
const PHRASES_EN: &[&str] = &[
    "don't worry",
    "don’t worry",
    "do not worry",
    "don't mind",
    "don't bother",
    "never mind",
    "nevermind",
    "don't know",
    "don't think",
    "don't have to",
    "don't need to",
    "do not have to",
    "do not need to",
    "don't get me wrong",
    "only if",
    "only because",
    "only when",
    "only then",
    "always a pleasure",
    "under the hood",
    "under review",
    "must be ",
    "must have ",
    "at least i ",
    "at most i ",
];
const TELLS_EN: &[&str] = &["i ", "i'", "i’", "he ", "she ", "they ", "yesterday ", "it seems", "why ", "how "];
const MUST_EN: &str = " must ";

fn lays_down_en(clause: &str) -> bool {
    let folded = fold(clause);
    let mut rest = folded.trim();
    while let Some(shorter) = BEFORE_EN.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter.trim_start();
    }
    if PHRASES_EN.iter().any(|phrase| rest.starts_with(phrase)) || TELLS_EN.iter().any(|word| rest.starts_with(word)) {
        return false;
    }
    // "the report must be short" lays down; "there must be a bug" supposes.
    let must = rest.find(MUST_EN).is_some_and(|at| {
        let after = &rest[at + MUST_EN.len()..];
        !rest.starts_with("there ") && !rest.starts_with("it ") && !after.starts_with("have ")
    });
    must || ANYWHERE_EN.iter().any(|word| rest.contains(word)) || FIRST_EN.iter().any(|word| rest.starts_with(word))
}

/// What only leads up to what is said, longest first.
const LEADING: &[&str] = &[
    "顺便说一下",
    "顺便说一句",
    "顺便提一句",
    "另外说一下",
    "顺便",
    "顺带",
    "另外",
    "还有",
    "但是",
    "不过",
    "而且",
    "并且",
    "同时",
    "对了",
    "by the way",
    "btw",
    "one more thing",
    "and ",
    "but ",
    "also",
];

/// A text without what only leads up to it: 「顺便预算上限是8万」, "By the way, …".
pub(super) fn without_lead(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = LEADING.iter().find_map(|word| {
        let rest = strip_word(text, word)?;
        // "alsoran" and "btwo" are words.
        (!word.is_ascii() || word.ends_with(' ') || rest.starts_with([' ', ',', ':'])).then_some(rest)
    }) {
        let rest = rest.trim_start_matches(['，', ',', ' ', '：', ':', '、']);
        if rest.is_empty() {
            break;
        }
        text = rest;
    }
    text
}

/// How one puts the work in hand aside before turning to other work.
const PUTS_ASIDE: &[&str] = &[
    "先放",
    "先搁",
    "先停",
    "先不说",
    "先不聊",
    "先不管",
    "先把",
    "换个事",
    "换件事",
    "换个话题",
    "说点别的",
    "let's park",
    "let's pause",
    "let's leave",
    "park ",
    "pause ",
    "put ",
    "leave ",
    "never mind",
    "forget ",
    "switching gears",
    "something else",
    "new topic",
];
/// A longer sentence says more than that.
const ASIDE_CHARACTERS_MAX: usize = 40;

/// What is asked for, without what only turns to it: 「先放一下搬家。帮我起草…」, "By the way, …".
pub(crate) fn goal_in(text: &str) -> &str {
    let text = without_lead(text);
    let mut all = sentences(text).into_iter();
    let (Some(first), Some(second)) = (all.next(), all.next()) else { return text };
    let folded = fold(&text[first.clone()]);
    let puts = PUTS_ASIDE.iter().any(|word| folded.trim_start().starts_with(word));
    // 先把数据导出来 is the first thing to do; 先把搬家放一放 is not.
    let aside = !folded.starts_with("先把") && !folded.starts_with("put ") && !folded.starts_with("leave ")
        || ["放一放", "放一下", "搁", "停一", "放着", "aside", "on hold", "for now", "for later"]
            .iter()
            .any(|word| folded.contains(word));
    let short = folded.chars().count() <= ASIDE_CHARACTERS_MAX;
    if puts && aside && short { without_lead(&text[second.start..]) } else { text }
}

/// The clause without what only leads up to it.
fn tidy(clause: &str) -> &str {
    let clause = without_lead(clause);
    let clause = clause.strip_prefix(['-', '*', '•']).unwrap_or(clause);
    clause.trim().trim_end_matches(['。', '.', '！', '!', '，', ',', '；', ';'])
}

#[cfg(test)]
mod tests {
    use super::goal_in;

    #[test]
    fn a_goal_begins_with_what_is_asked_for() {
        for (text, expected) in [
            ("先放一下搬家。帮我起草 Q4 的团建方案，人均不超过 300。", "帮我起草 Q4 的团建方案，人均不超过 300。"),
            ("另外，帮我写周报", "帮我写周报"),
            ("对了，顺便帮我写周报", "帮我写周报"),
            ("先把搬家放一放。帮我写周报", "帮我写周报"),
            ("先把数据导出来。再写周报", "先把数据导出来。再写周报"),
            ("先放一下搬家", "先放一下搬家"),
            ("By the way, draft the plan. Keep it short.", "draft the plan. Keep it short."),
            ("Let's park the move. Draft the party plan.", "Draft the party plan."),
            ("Put the files in order. Then draft it.", "Put the files in order. Then draft it."),
            ("Also fix the build", "fix the build"),
            ("另外", "另外"),
        ] {
            assert_eq!(goal_in(text), expected, "{text}");
        }
    }
}
