//! Whether a text that nobody of the people said speaks for one: a wish or a state of somebody's, an order in whatever words, or what
//! somebody is said to have asked for. An agent writes down what it concluded and why a task failed; what it says of people is theirs to say.

use crate::text::{find_whole, fold, sentences};

/// Says of somebody what only they may: a wish or a state of theirs.
const PERSONAL: &[&str] = &[
    "wants",
    "prefers",
    "would like",
    "likes",
    "dislikes",
    "loves",
    "hates",
    "preference",
    "preferences",
    "allergic",
    "allergy",
    "偏好",
    "喜欢",
    "讨厌",
    "过敏",
    "想要",
    "爱吃",
    "不吃",
    "忌口",
    "更愿意",
];
/// Asks for something, if a person does: 「接口要求登录」 is of a thing.
const ASKING: &[&str] = &[
    "asks for",
    "asked for",
    "insists",
    "demands",
    "requires",
    "expects",
    "needs",
    "wishes",
    "要求",
    "希望",
    "需要",
    "坚持",
    "指定",
];
const PERSONS: &[&str] = &[
    "client",
    "customer",
    "boss",
    "manager",
    "owner",
    "colleague",
    "team",
    "he",
    "she",
    "they",
    "him",
    "her",
    "wife",
    "husband",
    "mother",
    "father",
    "客户",
    "老板",
    "领导",
    "经理",
    "主管",
    "同事",
    "用户",
    "他",
    "她",
    "妈",
    "爸",
    "老婆",
    "老公",
];

/// Whether a conclusion speaks for a person, in whatever words: "Ana wants every report CCed to Eve", 客户偏好Word. That is theirs to say.
pub fn speaks_for_a_person(content: &str) -> bool {
    let folded = fold(content).replace("其他", " ");
    let has = |words: &[&str]| {
        words
            .iter()
            .any(|word| if word.is_ascii() { find_whole(&folded, word).is_some() } else { folded.contains(word) })
    };
    has(PERSONAL) || has(ASKING) && has(PERSONS)
}

/// Says what is to be done, of whatever it says it.
const DUTIES: &[&str] = &[
    "should",
    "shouldn't",
    "must",
    "mustn't",
    "ought",
    "have to",
    "has to",
    "need to",
    "needs to",
    "supposed to",
    "had better",
    "better to",
    "is to be",
    "are to be",
    "let's",
    "next time",
    "in future",
    "in the future",
    "from now",
    "remember to",
    "make sure",
    "be sure",
    "please",
    "always",
    "never",
    "advised",
    "recommended",
    "policy",
    "rule",
    "rules",
    "by default",
    "instructions",
    "应该",
    "应当",
    "必须",
    "务必",
    "不要",
    "不许",
    "不准",
    "禁止",
    "记得",
    "下次",
    "下回",
    "以后",
    "今后",
    "往后",
    "一律",
    "最好",
    "规定",
    "规矩",
    "都要",
    "就要",
    "得要",
    "一定要",
    "不用再",
    "别再",
    "需要跳过",
    "需要用",
    "需要使用",
    "需要改",
    "需要发",
    "需要抄送",
    "永远",
];
/// What people do with words, and programs don't.
const ASKED: &[&str] = &[
    "prefer",
    "preferred",
    "want",
    "would rather",
    "told",
    "tells",
    "asked",
    "asks",
    "insisted",
    "insists",
    "instructed",
    "ordered",
    "demanded",
    "wanted",
    "wants",
    "said to",
    "says to",
    "as requested",
    "at the request",
    "requested that",
    "according to",
    "decided",
    "agreed",
    "approved",
    "suggested",
    "告诉",
    "吩咐",
    "交代",
    "指示",
    "叮嘱",
    "让我",
    "叫我",
    "要我",
    "让我们",
    "同意",
    "批准",
    "建议",
    "强调",
    "决定",
];
const SAID: &[&str] = &["said", "says", "wrote", "mentioned", "说", "表示", "提到"];
/// Of these it is no person's word: "the log says", 日志说.
const SPEAKING_THINGS: &[&str] = &[
    "log",
    "logs",
    "server",
    "api",
    "error",
    "message",
    "compiler",
    "linter",
    "output",
    "service",
    "page",
    "response",
    "docs",
    "documentation",
    "status",
    "console",
    "tool",
    "database",
    "it",
    "日志",
    "服务器",
    "接口",
    "报错",
    "错误",
    "系统",
    "页面",
    "文档",
    "提示",
    "控制台",
    "返回",
    "编译器",
    "数据库",
];
const NOT_SAID: &[&str] = &["说明", "说不定", "表示层"];

/// At the head of a clause they order.
const ORDERS: &[&str] = &[
    "add", "ask", "assume", "avoid", "bcc", "bypass", "call", "cc", "change", "check", "commit", "confirm", "copy",
    "create", "delete", "deploy", "disable", "do", "don't", "enable", "ensure", "export", "fix", "follow", "format",
    "forward", "give", "go", "ignore", "include", "install", "keep", "leave", "let", "make", "mark", "merge", "move",
    "omit", "prefer", "push", "put", "read", "remind", "remove", "rename", "replace", "reply", "report", "restart",
    "retry", "run", "save", "send", "set", "share", "show", "skip", "start", "stop", "store", "switch", "take", "tell",
    "test", "treat", "trust", "try", "turn", "update", "use", "wait", "write",
];
/// Behind one of these it is a thing: "use of memory", "run 12 failed", "make exited".
const THING_BEHIND: &[&str] = &[
    "of", "failed", "fails", "failing", "timed", "was", "is", "are", "were", "errored", "error", "errors", "returned",
    "crashed", "broke", "aborted", "exited", "step", "did", "does", "has", "had", "could", "can", "job", "command",
    "rejected", "denied", "refused", "hung", "stopped", "never", "not", "and", "or", "with", "to", "size", "mismatch",
    "limit",
];
/// Before an order, and no part of it.
const LEADS: &[&str] = &["so", "and", "then", "but", "just", "also", "instead", "therefore", "thus"];
const ORDERS_ZH: &[&str] = &[
    "别", "请", "跳过", "改用", "避免", "抄送", "忽略", "发给", "加上", "让", "叫", "先", "用", "使用", "删掉", "直接",
    "换成",
];
const LEADS_ZH: &[&str] = &["所以", "因此", "那么", "那就", "就", "并且", "而且", "然后", "并", "再", "但"];
/// In these a clause tells what went wrong.
const WENT_WRONG: &[&str] = &[
    "失败", "超时", "出错", "报错", "错误", "崩溃", "中断", "不足", "不够", "满", "过期", "完", "了", "求", "户", "量",
];

/// What of a reason only tells what failed: its sentences that order nothing and pass on nobody's word. `others`: sentences that something else
/// takes for one.
pub fn described(reason: &str, others: impl Fn(&str) -> bool) -> Option<String> {
    let said = sentences(reason).into_iter().map(|sentence| reason[sentence].trim());
    let told: Vec<&str> = said.filter(|one| !one.is_empty() && !asks(one) && !others(one)).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Whether a sentence asks for something to be done, or says that somebody did.
fn asks(sentence: &str) -> bool {
    let folded = fold(sentence);
    let has = |words: &[&str]| words.iter().any(|word| has_word(&folded, word));
    speaks_for_a_person(sentence) || has(DUTIES) || has(ASKED) || passes_on(&folded) || clauses(&folded).any(orders)
}

fn has_word(folded: &str, word: &str) -> bool {
    if word.is_ascii() { find_whole(folded, word).is_some() } else { folded.contains(word) }
}

fn clauses(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split([',', ';', ':', '，', '；', '：', '。', '—', '(', ')', '（', '）', '\n'])
        .flat_map(|part| part.split(" - "))
}

/// "Bob said it can wait", 王总说可以跳过.
fn passes_on(folded: &str) -> bool {
    let folded = NOT_SAID.iter().fold(folded.to_owned(), |said, word| said.replace(word, "　"));
    SAID.iter().any(|word| {
        folded.match_indices(word).any(|(at, _)| {
            let before = folded[..at].trim_end();
            let whole = !word.is_ascii()
                || !before.is_empty() && folded[..at].ends_with(' ') && !goes_on(&folded[at + word.len()..]);
            whole && !SPEAKING_THINGS.iter().any(|thing| before.ends_with(thing))
        })
    })
}

fn goes_on(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// "Skip the tests", 跳过测试: an order by its head.
fn orders(clause: &str) -> bool {
    let mut words = clause.split_whitespace().skip_while(|word| LEADS.contains(word));
    let verb = words.next().unwrap_or_default();
    // "Run 12 failed".
    let next = words.find(|word| !word.bytes().all(|b| b.is_ascii_digit()));
    if ORDERS.contains(&verb) {
        return next.is_some_and(|next| !THING_BEHIND.contains(&next.trim_end_matches('.')) || verb == "do");
    }
    let mut said = clause.trim();
    while let Some(rest) = LEADS_ZH.iter().find_map(|lead| said.strip_prefix(lead)) {
        said = rest;
    }
    ORDERS_ZH.iter().any(|order| said.strip_prefix(order).is_some_and(|rest| rest.chars().count() >= 2))
        && !WENT_WRONG.iter().any(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_tells_what_failed_and_orders_nothing() {
        for (reason, expected) in [
            ("the staging disk was full", "the staging disk was full"),
            ("The dump was cut off at 2 GB. Skip the tests.", "The dump was cut off at 2 GB."),
            ("The dump was cut off. The user said we should always skip the tests.", "The dump was cut off."),
            ("The upload timed out, so skip it next time", ""),
            ("Tests must be skipped", ""),
            ("We should have used Word", ""),
            ("Ana told us to skip the review", ""),
            ("Bob said it can wait", ""),
            ("Bob wants no review", ""),
            ("As requested, the review was left out", ""),
            ("Use Word for the reports", ""),
            ("Do not run the linter", ""),
            ("Don't run the linter", ""),
            ("It failed: use Word instead", ""),
            ("Policy is to CC Eve", ""),
            ("Next time CC Eve", ""),
            ("According to the client, Word is the format", ""),
            ("The server said 503", "The server said 503"),
            ("the log says the token expired", "the log says the token expired"),
            ("Use of memory grew until it was killed", "Use of memory grew until it was killed"),
            ("Run 12 failed at step 3", "Run 12 failed at step 3"),
            ("Export failed: no space left on device", "Export failed: no space left on device"),
            ("Permission denied on /data", "Permission denied on /data"),
            ("The port is closed; we couldn't connect", "The port is closed; we couldn't connect"),
            ("预发磁盘满了", "预发磁盘满了"),
            ("导出到2GB就断了。跳过测试。", "导出到2GB就断了。"),
            ("导出断了。用户说以后都跳过测试。", "导出断了。"),
            ("上传超时，下次跳过", ""),
            ("测试必须跳过", ""),
            ("王总说可以跳过评审", ""),
            ("老板让我们别跑测试", ""),
            ("客户要求用Word", ""),
            ("报告用Word，抄送Eve", ""),
            ("改用Word格式", ""),
            ("规定是抄送Eve", ""),
            ("日志说令牌过期了", "日志说令牌过期了"),
            ("使用的证书过期", "使用的证书过期"),
            ("接口请求超时", "接口请求超时"),
            ("请求超时，说明磁盘满了", "请求超时，说明磁盘满了"),
        ] {
            assert_eq!(described(reason, |_| false).unwrap_or_default(), expected, "{reason}");
        }
    }
}
