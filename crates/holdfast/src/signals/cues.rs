//! Signs that the talk turns to a task: 「接着把周报弄完」, "back to the migration", 「另外，帮我…」, "please draft …".
//!
//! A cue stands at the head of a clause, polite words aside: 「项目继续推进」 is no turn.

use std::ops::Range;

use super::layout::Clause;
use super::lexicon::{Hit, Tag};
use super::phrase;
use super::reading::Reading;
use crate::types::signals::Cue;

/// A message turns to a few tasks at most.
const CUES_MAX: usize = 8;

/// These also go on within a task (另外，要用PDF): they turn only to a request or a named piece of work.
const WEAK_SWITCHES: &[&str] = &["另外", "顺便", "对了", "separately", "meanwhile", "突然想起", "突然想到"];

/// What may stand before a cue in its clause.
const HEADS: &[&str] = &[
    "好",
    "好的",
    "嗯",
    "那",
    "那么",
    "行",
    "ok",
    "okay",
    "我们",
    "咱们",
    "我",
    "先",
    "现在",
    "再",
    "还是",
    "来",
    "请",
    "麻烦",
    "对了",
    "and",
    "so",
    "now",
    "well",
    "alright",
    "right",
    "let's",
    "lets",
    "then",
    "anyway",
    "but",
    "also",
    "can we",
    "hi",
    "hey",
    "hello",
    "我想",
    "让我们",
    "i want to",
    "i'd like to",
    "你",
];
/// Verbs between a cue and its topic, and behind the topic.
const ZH_VERBS: &[&str] = &[
    "写完",
    "做完",
    "弄完",
    "搞完",
    "改完",
    "看完",
    "聊完",
    "整理完",
    "处理完",
    "写好",
    "做好",
    "弄好",
    "改好",
    "推进",
    "处理",
    "整理",
    "完成",
    "讨论",
    "写一下",
    "做一下",
    "看一下",
    "改一下",
    "弄一下",
    "写",
    "做",
    "弄",
    "搞",
    "改",
    "聊",
    "说",
    "看",
    "讲",
    "谈",
    "准备",
    "起草",
    "修改",
    "完善",
    "跟进",
    "更新",
    "汇总",
    "核对",
    "检查",
    "分析",
    "翻译",
    "润色",
    "安排",
    "预订",
    "生成",
    "制作",
    "拟定",
    "拟",
    "一份",
    "一个",
    "一下",
    "一篇",
    "个",
    "份",
    "出",
    "完",
    "查",
];
const EN_VERBS: &[&str] = &[
    "working on",
    "work on",
    "writing",
    "write",
    "drafting",
    "draft",
    "fixing",
    "fix",
    "with",
    "on",
    "doing",
    "finishing",
    "finish",
    "talking about",
    "discussing",
    "reviewing",
    "preparing",
    "prepare",
    "planning",
    "the",
    "our",
    "that",
    "where we left off with",
    "where we left off on",
    "where we left off",
    "what we were doing with",
    "from",
    "about",
];

pub(super) fn find(reading: &Reading<'_>) -> Vec<Cue> {
    let mut cues = Vec::new();
    for clause in &reading.layout.clauses {
        if cues.len() == CUES_MAX {
            break;
        }
        match (cue_of(reading, clause), cues.last_mut()) {
            // "by the way, new task: …" is one turn.
            (Some(Cue::Switch { topic: named }), Some(Cue::Switch { topic })) => *topic = topic.take().or(named),
            (Some(cue), _) => cues.push(cue),
            // 「顺便，预算是 8 万」
            (None, Some(Cue::Switch { topic: None })) if adds_a_limit(reading, clause) => drop(cues.pop()),
            (None, Some(Cue::Switch { topic: topic @ None })) => {
                *topic = written(reading, requested(reading, clause.span.clone()))
            }
            (None, _) => {}
        }
    }
    // 「另外，帮我写周报」 is one turn: the switch takes the topic of the request beside it.
    if let [Cue::Switch { topic: topic @ None }, Cue::Request { topic: Some(named) }, ..] = cues.as_mut_slice() {
        *topic = Some(named.clone());
    }
    cues
}

fn cue_of(reading: &Reading<'_>, clause: &Clause) -> Option<Cue> {
    if reading.layout.is_quoted(clause.span.start) {
        return None;
    }
    let hits = reading.hits_in(&clause.span);
    let cue = hits
        .iter()
        .filter(|hit| {
            matches!(hit.tag, Tag::Continue | Tag::Switch | Tag::Request)
                && hit.end <= clause.span.end
                && !reading.layout.is_quoted(hit.start)
        })
        .filter(|hit| is_head(reading, clause.span.start..hit.start))
        // The earliest and longest; a switch before a request that begins with the same word.
        .min_by_key(|hit| (hit.start, usize::MAX - hit.end));
    let Some(hit) = cue else { return order(reading, clause) };
    let rest = hit.end..clause.span.end;
    let question = reading.layout.sentence_of(clause).question;
    match hit.tag {
        Tag::Continue if is_negated_ahead(reading, &rest) => None,
        Tag::Continue => {
            let topic = topic(reading, rest);
            // 上次的 and 刚才的 alone are talk about the past: they need something named.
            let weak = reading.text()[hit.span()].ends_with('的') && (question || topic.is_none());
            (!weak).then(|| Cue::Continue { topic: written(reading, topic) })
        }
        Tag::Switch => {
            // 另外 goes on within a task too: with a request or a named task behind it, it is a turn.
            let request = hits.iter().find(|other| other.tag == Tag::Request && other.start >= hit.end);
            let topic = match request {
                Some(request) => requested(reading, request.end..clause.span.end),
                None => topic(reading, rest.clone()),
            };
            if request.is_none() && sets_a_limit(reading, rest.clone()) {
                return None;
            }
            let weak = WEAK_SWITCHES.contains(&&reading.text()[hit.span()]);
            let names_work =
                topic.as_ref().is_some_and(|topic| reading.said(topic.clone(), Tag::Work).next().is_some());
            let asked = request.is_some()
                || reading.said(hit.end..reading.layout.sentence_of(clause).span.end, Tag::Request).next().is_some();
            if weak && !names_work && !asked {
                return None;
            }
            Some(Cue::Switch { topic: written(reading, topic) })
        }
        _ => {
            let after = first_word(reading, rest.clone());
            let verb = hits.iter().any(|verb| verb.tag == Tag::RequestVerb && verb.start == after);
            let through = &reading.text()[after..clause.span.end];
            // 帮我把灯关了 does something to a thing; 帮我把周报写完 is work, and says so by its verb.
            let taken = through.starts_with("把") || through.starts_with("将");
            let done_to = || hits.iter().any(|verb| verb.tag == Tag::RequestVerb && verb.start > after);
            if !(verb || taken && done_to() && !sets_a_limit(reading, rest.clone())) || is_form_letter(reading, hit) {
                return None;
            }
            Some(Cue::Request { topic: written(reading, requested(reading, rest)) })
        }
    }
}

/// 「顺便 budget 上限是 8 万」, "by the way the budget is 80k": an amount that something has to keep to is no work.
fn sets_a_limit(reading: &Reading<'_>, span: Range<usize>) -> bool {
    let text = &reading.text()[span.clone()];
    let Some(number) = text.find(|c: char| c.is_ascii_digit()) else { return false };
    let before = text[..number].trim_end().trim_end_matches(['¥', '$', '€', '£']).trim_end();
    let dated = reading.dates.iter().any(|found| found.span.contains(&(span.start + number)));
    let stated = ["是", "为", " is", " are"].iter().any(|copula| before.ends_with(copula)) && !before.ends_with("不是");
    let limits = LIMITS.iter().any(|word| crate::text::find_whole(text, word).is_some());
    !dated && (stated || limits)
}

/// A limit behind words that as often only add to what is being talked of.
fn adds_a_limit(reading: &Reading<'_>, clause: &Clause) -> bool {
    let sentence = reading.layout.sentence_of(clause);
    let before = reading.text()[sentence.span.start..clause.span.start].trim();
    WEAK_SWITCHES.iter().chain(&["by the way", "btw"]).any(|word| before.starts_with(word))
        && sets_a_limit(reading, clause.span.clone())
}

/// What sets an amount.
const LIMITS: &[&str] = &[
    "上限",
    "下限",
    "不超过",
    "不能超过",
    "别超过",
    "控制在",
    "最多",
    "至少",
    "以内",
    "不低于",
    "不少于",
    "limit",
    "cap",
    "at most",
    "at least",
    "no more than",
    "no less than",
    "maximum",
    "minimum",
    "must stay under",
    "must not exceed",
];

/// 「尊敬的客户，…请回复」: a message to anybody, passed on. Nobody asks the agent for anything in it.
fn is_form_letter(reading: &Reading<'_>, hit: &Hit) -> bool {
    let before = &reading.text()[..hit.start];
    ["尊敬的", "亲爱的用户", "亲爱的客户", "亲爱的会员", "dear customer", "dear valued", "dear sir"]
        .iter()
        .any(|opening| before.contains(opening))
}

/// 「写一份周报」, "Draft the press release": a bare order, when its object is a piece of work or named with an article.
fn order(reading: &Reading<'_>, clause: &Clause) -> Option<Cue> {
    let sentence = reading.layout.sentence_of(clause);
    let text = reading.text();
    let start = clause.span.start + (clause.span.len() - text[clause.span.clone()].trim_start().len());
    if sentence.question || text[sentence.span.start..start].trim() != "" {
        return None;
    }
    let verb = reading
        .hits_in(&(start..start + 1))
        .iter()
        .filter(|hit| hit.tag == Tag::RequestVerb && hit.end <= clause.span.end)
        .max_by_key(|hit| hit.end)?;
    // 写完了周报 and "test passed" tell.
    let rest = &text[verb.end..clause.span.end];
    let told = rest.starts_with(['了', '过', '的', '得']) || rest.contains(" is ") || rest.contains(" was ");
    let article = ["a ", "an ", "the ", "my ", "our ", "this "].iter().any(|word| rest.trim_start().starts_with(word));
    let topic = requested(reading, start..clause.span.end)?;
    (!told && (article || ends_in_work(reading, &topic))).then(|| Cue::Request { topic: written(reading, Some(topic)) })
}

/// Chinese characters that add nothing to 继续写周报.
const ZH_FILLERS: &str = "的了吧啊呢哈哦嗯好把给我们咱先再就还是要来去得那这个份篇次上回完一下早您你和也快该会";

/// Sentences with a cue to go on, the work by its name, a verb, a day, small words, and nothing else.
pub(super) fn sentences_that_go_on(reading: &Reading<'_>) -> Vec<Range<usize>> {
    let goes_on = |span: &Range<usize>| {
        reading.said(span.clone(), Tag::Continue).any(|hit| is_head(reading, clause_start(reading, hit)..hit.start))
            && says_nothing_more(reading, span.clone())
    };
    let sentences = reading.layout.sentences.iter().filter(|sentence| !sentence.question);
    let found = sentences.map(|sentence| phrase::trimmed(reading.text(), sentence.span.clone())).filter(goes_on);
    found.take(CUES_MAX).map(|span| reading.folded.span(span)).collect()
}

fn clause_start(reading: &Reading<'_>, hit: &Hit) -> usize {
    reading.clause_of(hit).map_or(hit.start, |clause| clause.span.start)
}

fn says_nothing_more(reading: &Reading<'_>, span: Range<usize>) -> bool {
    let text = reading.text();
    let small = |tag: Tag| {
        matches!(
            tag,
            Tag::Continue
                | Tag::RequestVerb
                | Tag::Work
                | Tag::Request
                | Tag::Polite
                | Tag::Future
                | Tag::Plan
                | Tag::Day(..)
        )
    };
    let mut at = span.start;
    while at < span.end {
        let hit = reading.hits_in(&(at..at + 1)).iter().filter(|hit| small(hit.tag)).map(|hit| hit.end).max();
        let date = reading.date_in(at..at + 1).map(|found| found.span.end);
        if let Some(end) = hit.max(date).filter(|end| *end > at) {
            at = end;
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        if c.is_ascii_alphanumeric() {
            let word: &str =
                text[at..span.end].split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').next().unwrap_or_default();
            if !phrase::is_small_word(word) {
                return false;
            }
            at += word.len();
        } else if c.is_alphanumeric() && !ZH_FILLERS.contains(c) {
            return false;
        } else {
            at += c.len_utf8();
        }
    }
    true
}

fn written(reading: &Reading<'_>, span: Option<Range<usize>>) -> Option<String> {
    span.map(|span| reading.folded.written(span).trim().to_owned())
}

fn is_head(reading: &Reading<'_>, before: Range<usize>) -> bool {
    let text = reading.text();
    let mut said = text[phrase::trimmed(text, before)].trim();
    while !said.is_empty() {
        let Some(head) = HEADS
            .iter()
            .filter(|head| {
                said.strip_prefix(**head)
                    .is_some_and(|rest| !head.is_ascii() || rest.is_empty() || rest.starts_with([' ', ',']))
            })
            .max_by_key(|head| head.len())
        else {
            return false;
        };
        said = said[head.len()..].trim_start_matches([' ', ',']);
    }
    true
}

fn is_negated_ahead(reading: &Reading<'_>, rest: &Range<usize>) -> bool {
    let said = reading.text()[rest.clone()].trim_start();
    said.starts_with('不') || said.starts_with("not ")
}

fn first_word(reading: &Reading<'_>, span: Range<usize>) -> usize {
    let text = reading.text();
    let mut start = span.end - text[span.clone()].trim_start().len();
    for lead in
        ["please ", "再", "也", "先", "来", "我", "你", "help me ", "to ", "快速", "尽快", "just ", "quickly ", "also "]
    {
        if text[start..span.end].starts_with(lead) {
            start += lead.len();
        }
    }
    start
}

/// The object of a request: behind its verb, or between 把 and it.
fn requested(reading: &Reading<'_>, rest: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let start = first_word(reading, rest.clone());
    let verb = reading
        .hits_in(&(start..rest.end))
        .iter()
        .filter(|hit| {
            hit.tag == Tag::RequestVerb
                && hit.start == start
                && hit.end <= rest.end
                && !is_part_of_modality(reading, hit)
        })
        .max_by_key(|hit| hit.end);
    match verb {
        Some(verb) => topic(reading, verb.end..rest.end),
        None if text[start..].starts_with("把") || text[start..].starts_with("将") => topic(reading, start..rest.end),
        None => None,
    }
}

/// A longer word of how sure or willing somebody is has it in it. 准备 is itself one, and what is asked for all the same: 帮我准备合同.
fn is_part_of_modality(reading: &Reading<'_>, verb: &Hit) -> bool {
    let holds = |other: &&Hit| other.tag == Tag::Modality && other.end >= verb.end;
    // Words of the lists that start at the verb stand longest first.
    reading.hits_in(&(verb.start..verb.start + 1)).iter().any(|other| holds(&other) && other.end > verb.end)
}

/// The noun phrase of a cue: 把周报弄完 → 周报, "with the migration" → migration.
fn topic(reading: &Reading<'_>, span: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let mut span = phrase::trimmed(text, span);
    let said = &text[span.clone()];
    if let Some(at) = said.find("把").or_else(|| said.find("将")) {
        span.start += at + "把".len();
        // 把合同翻译成英文: what is done to it is no part of its name.
        let done_to = reading.hits_in(&(span.start + 1..span.end)).iter().find(|hit| {
            let rest = &text[hit.end.min(span.end)..span.end];
            hit.tag == Tag::RequestVerb
                && (rest.is_empty() || rest.starts_with(['成', '一', '完', '好', '给', '到', '为', '出', '掉']))
        });
        span.end = done_to.map_or(span.end, |hit| hit.start);
    }
    loop {
        let before = span.clone();
        let said = &text[span.clone()];
        if let Some(verb) =
            ZH_VERBS.iter().find(|verb| said.starts_with(**verb) && strippable(reading, span.start, verb, said))
        {
            span.start += verb.len();
        } else if let Some(verb) = EN_VERBS.iter().find(|verb| phrase::starts_with_word(said, verb)) {
            span.start += verb.len();
        } else if let Some(rest) = [
            "这周的",
            "本周的",
            "上周的",
            "下周的",
            "今天的",
            "昨天的",
            "明天的",
            "这个月的",
            "上个月的",
            "本月的",
            "上次没写完的",
            "上次没做完的",
            "没写完的",
            "没做完的",
            "没弄完的",
            "那个",
            "这个",
            "咱们的",
            "我们的",
            "我的",
            "我",
            "了",
            "那份",
            "那篇",
        ]
        .iter()
        .find(|lead| said.starts_with(**lead))
        {
            span.start += rest.len();
        }
        let said = &text[span.clone()];
        if let Some(verb) = ZH_VERBS.iter().find(|verb| {
            said.ends_with(**verb) && said.chars().count() > verb.chars().count() + 1 && !ends_in_work(reading, &span)
        }) {
            span.end -= verb.len();
        }
        span = phrase::trimmed(text, span);
        if span == before {
            break;
        }
    }
    if text[span.clone()].is_ascii() {
        for lead in ["for ", "to ", "into ", "under ", "at "] {
            if text[span.clone()].starts_with(lead) {
                span.start += lead.len();
            }
        }
        span = phrase::english_object(reading, span);
    }
    let name = phrase::name(reading, span)?;
    // "plan how to …", "organize them": no name.
    let first = text[name.clone()].split(' ').next().unwrap_or_default();
    let unnamed = matches!(
        first,
        "how"
            | "what"
            | "why"
            | "when"
            | "where"
            | "whether"
            | "if"
            | "them"
            | "sure"
            | "which"
            | "who"
            | "most"
            | "me"
            | "us"
    );
    // 「请查收」 and 「把把关」 leave a part of a verb.
    let cut = !text[name.clone()].is_ascii() && text[name.clone()].chars().count() < 2;
    (!unnamed && !cut).then_some(name)
}

/// 写周报 loses its verb; 说明书 and 翻译 (a task by itself) keep their characters.
fn strippable(reading: &Reading<'_>, at: usize, verb: &str, said: &str) -> bool {
    let work =
        reading.hits_in(&(at..at + 1)).iter().any(|hit: &Hit| hit.tag == Tag::Work && hit.end >= at + verb.len());
    !work && said.len() > verb.len()
}

fn ends_in_work(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    reading.said(span.clone(), Tag::Work).any(|hit| hit.end == span.end)
}
