//! Instructions with explicit words about how long they hold: 「以后都用PDF」 stands, 「这次只要Excel」 is for once.
//!
//! Only the user's own orders: no example, quotation, question, nor what somebody else wants.

use std::ops::Range;

use super::frames;
use super::imperatives;
use super::layout::Clause;
use super::lexicon::{Hit, Tag};
use super::phrase;
use super::quotations;
use super::reading::Reading;
use super::worldly;
use crate::types::signals::{Instruction, Standing};

/// Of one message.
const INSTRUCTIONS_MAX: usize = 8;

/// Words that make a clause an order, Chinese, wherever they stand.
const ZH_ORDERS: &[&str] = &[
    "不要",
    "请",
    "不用",
    "不准",
    "不许",
    "禁止",
    "必须",
    "保持",
    "用中文",
    "用英文",
    "回复",
    "避免",
    "跳过",
    "统一",
    "采用",
    "遵守",
    "遵循",
    "注明",
    "抄送",
    "称呼",
    "不能",
    "务必",
    "别用",
    "别再",
    "改用",
    "改成",
    "附上",
    "使用",
    "输出",
    "导出",
    "提醒我",
    "先写",
    "给我",
    "发给",
    "叫我",
    "问我",
];
/// Words with one of these inside that order nothing.
const NO_ZH_ORDERS: &[&str] = &["邀请", "申请", "请教", "请假", "请客", "请求"];
/// Several who are spoken to are no one who serves.
/// What one says to be polite.
const ZH_COURTESY: &[&str] = &["请教", "关照", "指教", "多联系", "常联系", "多走动", "常来"];
const ZH_OTHERS: &[&str] = &["你们", "您们", "咱们", "我们", "大家", "各位"];
/// Verbs of one character that order at the head of what is said, or behind an adverb: (回答都)用, (先)写.
const ZH_VERBS: &str = "用要别给把写做发按以改只加带附标省略选删买订记放先";
/// Adverbs before them.
const ZH_ADVERBS: &str = "都就只先也再还律全须默次回得要请";

/// Verbs that begin an English order.
const EN_ORDERS: &[&str] = &[
    "use",
    "send",
    "write",
    "make",
    "keep",
    "give",
    "put",
    "start",
    "begin",
    "call",
    "include",
    "add",
    "avoid",
    "skip",
    "do",
    "don't",
    "answer",
    "reply",
    "respond",
    "format",
    "export",
    "save",
    "ask",
    "check",
    "confirm",
    "show",
    "list",
    "cite",
    "remember",
    "run",
    "test",
    "round",
    "say",
    "address",
    "stick",
    "leave",
    "name",
    "sort",
    "stop",
    "follow",
    "prefer",
    "explain",
    "provide",
    "limit",
    "ensure",
    "just",
    "only",
    "please",
    "let",
    "deliver",
    "attach",
    "commit",
    "speak",
    "refer",
    "omit",
    "remind",
    "book",
    "order",
    "cc",
    "copy",
    "mention",
    "never",
    "always",
    "not",
    "no",
    "return",
    "output",
    "summarize",
    "translate",
    "store",
    "create",
    "set",
    "tell",
    "notify",
    "get",
    "be",
    "assume",
    "treat",
    "convert",
    "double-check",
    "go",
    "i",
    "we",
    "you",
    "everything",
    "all",
    "mark",
];

/// What one asks not to be done any more, Chinese: 别再说了 and 别再难过 are no orders about the work.
const RETRACTED: &[&str] = &[
    "用", "写", "发", "抄送", "给我", "加", "附", "推送", "提醒", "输出", "列", "带", "做成", "导出", "寄", "标",
    "翻译", "总结", "汇总", "生成", "贴", "cc", "问我", "通知", "按", "以", "把",
];

pub(super) fn find(reading: &Reading<'_>) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    let orders = |hit: &&Hit| matches!(hit.tag, Tag::Standing | Tag::Retracting | Tag::OneOff);
    if !reading.hits.iter().any(|hit| orders(&hit)) {
        return found;
    }
    let framed = frames::of_others(reading).certain;
    let mut after = 0;
    for hit in &reading.hits {
        let standing = match hit.tag {
            Tag::Standing | Tag::Retracting => Standing::Standing,
            Tag::OneOff => Standing::OneOff,
            _ => continue,
        };
        let foreign = reading.layout.is_foreign(hit.start) || quotations::covers(&framed, hit.start);
        if hit.start < after || found.len() == INSTRUCTIONS_MAX || foreign {
            continue;
        }
        let Some(span) = order(reading, hit, standing) else { continue };
        after = span.end;
        found.push(Instruction {
            standing,
            text: reading.folded.written(span.clone()).to_owned(),
            span: reading.folded.span(span),
        });
    }
    found
}

/// The stretch that states the order, when the word is part of one.
fn order(reading: &Reading<'_>, hit: &Hit, standing: Standing) -> Option<Range<usize>> {
    let text = reading.text();
    let clause = reading.clause_of(hit)?;
    let sentence = reading.layout.sentence_of(clause);
    let before = clause.span.start..hit.start;
    if sentence.question
        || reading.said(sentence.span.start..hit.start, Tag::Example).next().is_some()
        || reading.said(clause.span.start..hit.end, Tag::Hypothesis).next().is_some()
        || reading.said(before.clone(), Tag::ThirdPerson).next().is_some()
        || reading.said(before.clone(), Tag::Speech).next().is_some()
        || reading
            .said(clause.span.clone(), Tag::Question)
            .any(|word| !matches!(&text[word.span()], "which" | "where" | "what" | "how"))
        || is_past_habit(text, hit, clause)
    {
        return None;
    }
    if hit.tag == Tag::Retracting {
        return retraction(reading, hit, clause);
    }
    let span = whole_order(reading, hit, clause)?;
    let subject_after = reading.said(hit.end..span.end, Tag::ThirdPerson).any(|word| {
        text[hit.end..word.start].trim().is_empty()
            && !text[word.span()].starts_with("it")
            && !text[word.span()].starts_with("the user")
    });
    let of_the_world = || standing == Standing::Standing && worldly::is_of_the_world(reading, hit, &span);
    (!subject_after && orders(reading, hit, &span, standing) && !of_the_world()).then_some(span)
}

/// 「我以后会是医生」, 「以后再说」, "I always wanted", "this time last year": no orders.
fn is_past_habit(text: &str, hit: &Hit, clause: &Clause) -> bool {
    let before = text[clause.span.start..hit.start].trim();
    let after = text[hit.end..clause.span.end].trim_start();
    let word = &text[hit.span()];
    if before.ends_with(|c: char| "天年月周期时点后前了完".contains(c))
        && (word.starts_with("以后") || word.starts_with("往后"))
    {
        return true;
    }
    if ["再说", "再聊", "再看", "的事", "有机会", "会议上"].iter().any(|words| after.starts_with(words)) {
        return true;
    }
    if word == "never"
        && (before.is_empty() && after.starts_with("mind") || before.ends_with("'ve") || before.ends_with("have"))
    {
        return true;
    }
    let subject =
        ["i", "we", "you", "he", "she", "they", "who", "it"].iter().any(|word| phrase::ends_with_word(before, word));
    if word == "always"
        && subject
        && !["want", "need", "prefer", "like it"].iter().any(|words| after.starts_with(words))
    {
        return true;
    }
    if word == "this time" && (after.starts_with("last") || after.starts_with("next") || after.starts_with("of")) {
        return true;
    }
    if word == "always"
        && ["as", "i've", "i have", "was", "were", "is", "are", "has", "nearly", "almost", "not", "isn't"]
            .iter()
            .any(|words| phrase::ends_with_word(before, words))
    {
        return true;
    }
    // "for now" and "in general" in the middle of a statement say little.
    false
}

/// What is no longer to be done: 「别再用表格了」, "stop sending me summaries"; said to whoever serves, not of oneself.
fn retraction(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> Option<Range<usize>> {
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim();
    let after = text[hit.end..clause.span.end].trim().trim_end_matches(['了', '吧', '啊', '哈']);
    let word = &text[hit.span()];
    let told = if word.is_ascii() {
        let of_you = word.ends_with(" to");
        // Without "any more" it says only that it needn't be done now.
        let over = word.starts_with("no longer") || after.contains("any more") || after.contains("anymore");
        if of_you {
            phrase::ends_with_word(before, "you") && before.split(' ').count() <= 3 && over && !after.is_empty()
        } else if word.starts_with("back to") {
            matches!(before, "" | "go" | "let's go" | "please go" | "switch" | "please switch" | "change" | "can we go")
        } else {
            matches!(before, "" | "please" | "and" | "also" | "ok" | "just" | "so" | "you can") && !after.is_empty()
        }
    } else {
        let plain = before.chars().count() <= 6 && !before.contains(['我', '他', '她', '让', '叫', '说', '你']);
        let returns = !word.ends_with('再');
        plain && (returns && after.chars().count() <= 3 || RETRACTED.iter().any(|verb| after.starts_with(verb)))
    };
    told.then(|| phrase::trimmed(text, clause.span.clone()))
}

/// The clause of the word; with the next one when the word stands alone: 「从现在起，回答先写结论」.
fn whole_order(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> Option<Range<usize>> {
    let text = reading.text();
    let sentence = &reading.layout.sentence_of(clause).span;
    let alone = |span: &Range<usize>| {
        let outside =
            text[span.start..hit.start].trim().chars().count() + text[hit.end..span.end].trim().chars().count();
        outside <= 2
    };
    let mut span = clause.span.clone();
    // "Every time you finish, run the tests": the order is in the next clause.
    let sets_a_time = matches!(&text[hit.span()], "every time" | "each time" | "whenever you")
        && text[span.start..hit.start].trim().is_empty();
    if alone(&span) || sets_a_time {
        let at = reading.layout.clauses.partition_point(|other| other.span.start <= clause.span.start);
        match reading.layout.clauses.get(at).filter(|next| next.span.end <= sentence.end) {
            Some(next) => span.end = next.span.end,
            // 「用Excel，就这一次」, "use Excel, just this once".
            None => {
                span.start = reading
                    .layout
                    .clauses
                    .get(at.checked_sub(2)?)
                    .filter(|before| before.span.end >= sentence.start)?
                    .span
                    .start
            }
        }
    }
    if text.as_bytes()[hit.start].is_ascii() {
        extend(reading, &mut span, sentence.end);
    } else {
        extend_zh(reading, &mut span, sentence.end);
    }
    let mut span = phrase::trimmed(text, span);
    span.end = span.end.max(span.start);
    (span.start <= hit.start && hit.end <= span.end || span.contains(&hit.start)).then_some(span)
}

/// 「以后周报都先写结论，再列数据，控制在一页」: clauses that only go on with the order belong to it.
fn extend_zh(reading: &Reading<'_>, span: &mut Range<usize>, end: usize) {
    const GOES_ON: &[&str] = &[
        "再",
        "最后",
        "然后",
        "接着",
        "并",
        "且",
        "控制在",
        "不要",
        "不用",
        "不能",
        "不许",
        "别",
        "不超过",
        "尽量",
        "最多",
        "最少",
        "至少",
        "结论",
    ];
    let text = reading.text();
    let from = reading.layout.clauses.partition_point(|clause| clause.span.start < span.end);
    for clause in reading.layout.clauses[from..].iter().take_while(|clause| clause.span.end <= end) {
        let said = text[clause.span.clone()].trim();
        let own = has_own(reading, &clause.span)
            || reading.said(clause.span.clone(), Tag::ThirdPerson).next().is_some()
            || said.contains(['我', '吗', '？'])
            || said.ends_with('了');
        if own || !GOES_ON.iter().any(|word| said.starts_with(word)) {
            break;
        }
        span.end = clause.span.end;
    }
}

/// Whether a clause has something of its own to say.
fn has_own(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    reading.hits_in(span).iter().any(|hit| {
        matches!(
            hit.tag,
            Tag::Standing
                | Tag::OneOff
                | Tag::State(..)
                | Tag::Request
                | Tag::Switch
                | Tag::Continue
                | Tag::Positive
                | Tag::Negative
        )
    })
}

/// English orders run on over commas ("as Month Day, Year when I ask"), up to a clause with something of its own to say.
fn extend(reading: &Reading<'_>, span: &mut Range<usize>, end: usize) {
    let from = reading.layout.clauses.partition_point(|clause| clause.span.start < span.end);
    for clause in reading.layout.clauses[from..].iter().take_while(|clause| clause.span.end <= end) {
        if has_own(reading, &clause.span) {
            break;
        }
        span.end = clause.span.end;
    }
}

fn zh_orders(said: &str) -> bool {
    let said = &*NO_ZH_ORDERS.iter().fold(said.to_owned(), |said, word| said.replace(word, "　"));
    if ZH_ORDERS.iter().any(|order| said.contains(order)) {
        return true;
    }
    let mut before = None;
    for (place, c) in said.chars().enumerate() {
        let next = said.chars().nth(place + 1).unwrap_or(' ');
        let alone = !"求点么素心途户力处人事家以为".contains(next);
        let behind = before.is_none_or(|before| ZH_ADVERBS.contains(before))
            || "要用别".contains(c)
                && place <= 6
                && before.is_some_and(|before| !"重主需必纪概摘只不有没作费信使引利应专实运适特分".contains(before));
        if ZH_VERBS.contains(c) && alone && behind {
            return true;
        }
        if place > 12 {
            break;
        }
        before = Some(c);
    }
    false
}

fn orders(reading: &Reading<'_>, hit: &Hit, span: &Range<usize>, standing: Standing) -> bool {
    let text = reading.text();
    let rest = text[hit.end.min(span.end)..span.end].trim_start_matches([' ', '，', ',', '：', ':']);
    let before = text[span.start..hit.start].trim();
    let hit_start = hit.start;
    let ascii = text.as_bytes()[hit.start].is_ascii();
    // "From now on, unless I say otherwise, reply in Spanish".
    let rest = if rest.starts_with("unless ") { rest.split_once(", ").map_or(rest, |(_, order)| order) } else { rest };
    if !ascii {
        if rest.starts_with(['是', '会', '的'])
            && !rest.starts_with("的报")
            && !rest.starts_with("的文")
            && !rest.starts_with("的回")
        {
            // 「这次的会议很好」 and 「以后会好的」 state.
            return false;
        }
        if standing == Standing::Standing
            && ["总是", "一直", "每次", "始终"].iter().any(|word| text[hit.span()].starts_with(word))
            && before.ends_with('我')
        {
            return false;
        }
        // Behind more than a subject (回答总是用中文) the word describes: 孩子们的东西暂时收好.
        let word = &text[hit.span()];
        let loose = ["一直", "总是", "每次", "每回", "始终", "长期", "暂时", "暂且", "临时", "例外"]
            .iter()
            .any(|other| word.starts_with(other));
        let before_here = before.rsplit(['，', ',']).next().unwrap_or_default();
        if before_here.chars().count() > 6 || loose && (before_here.contains('我') || before_here.chars().count() > 3)
        {
            return false;
        }
        let told = rest.ends_with('了') && !rest.contains(['用', '别'])
            || reading.said(span.clone(), Tag::Past).any(|word| word.start >= hit.end);
        let formed = reading.hits_in(span).iter().any(|word| word.tag == Tag::Format);
        let ordered = |said: &str| zh_orders(said) || formed && !said.is_empty();
        let made = |hit: &&Hit| matches!(hit.tag, Tag::Served(_) | Tag::Work | Tag::Format) && hit.end <= hit_start;
        let served = reading.hits_in(&(span.start..hit_start)).iter().any(|word| made(&word));
        if standing == Standing::Standing && imperatives::describes_zh(word, before, rest, served)
            || ZH_COURTESY.iter().any(|word| rest.contains(word))
            || ZH_OTHERS.iter().any(|others| rest.starts_with(others) || before.ends_with(others))
        {
            return false;
        }
        // 请记住网关的端口是8443: 请 asks for remembering, which orders nothing.
        let memo = word.ends_with("记住");
        return !told && (ordered(rest) || !memo && !loose && ordered(before));
    }
    let formed = |from: usize| reading.hits_in(&(from..span.end)).iter().any(|word| word.tag == Tag::Format);
    let word = &text[hit.span()];
    if standing == Standing::Standing && imperatives::is_loose(word) {
        return imperatives::orders(word, before, rest, formed(span.start));
    }
    let first = rest.split([' ', ',']).next().unwrap_or_default();
    let head = before.split([' ', ',']).next().unwrap_or_default();
    let head_verb = head != "i" && head != "we" && EN_ORDERS.contains(&head);
    let own_wish = ["i want", "i'd like", "i would like", "i need", "i prefer", "we want", "we need"]
        .iter()
        .any(|wish| rest.starts_with(wish) || before.starts_with(wish));
    // "from now on, the report should be a PDF".
    let should =
        (rest.contains(" should ") || rest.contains(" must ") || rest.contains(" in pdf") || rest.contains(" only"))
            && !matches!(first, "i" | "we");
    let second_person = matches!(first, "i" | "we") && !own_wish;
    if second_person && standing == Standing::Standing {
        return false;
    }
    let first_orders =
        EN_ORDERS.contains(&first) && !matches!(first, "i" | "we" | "be" | "no" | "all" | "you" | "everything");
    first_orders
        || head_verb
        || own_wish
        || should
        || matches!(first, "you" | "everything" | "all" | "no") && rest.contains(' ')
        || formed(hit.end) && before.is_empty()
}
