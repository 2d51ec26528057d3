//! Noun phrases out of clauses: the item a state word is said of, the topic of a cue. Takes stretches of the folded text,
//! gives narrower ones, so that what was written can be shown as it was.

use std::ops::Range;

use super::lexicon::{Hit, Tag};
use super::reading::Reading;

/// Longest name of an item or topic, in characters: longer is a sentence, not a name.
const NAME_CHARS_MAX: usize = 40;

/// In front of a noun phrase, Chinese.
const ZH_LEADS: &[&str] = &[
    "只能",
    "只好",
    "虽然",
    "我都",
    "那么",
    "那就",
    "那",
    "就",
    "好的",
    "好吧",
    "好",
    "嗯",
    "哦",
    "行",
    "请",
    "麻烦你",
    "麻烦",
    "帮我",
    "帮忙",
    "我们",
    "咱们",
    "我想",
    "我要",
    "我",
    "咱",
    "你",
    "您",
    "把",
    "将",
    "先",
    "再",
    "也",
    "还",
    "都",
    "给我",
    "一下子",
    "一下",
    "客户说",
    "他说",
    "她说",
    "王总说",
    "领导说",
    "老板说",
    "因为",
    "由于",
    "所以",
    "但是",
    "不过",
    "而且",
    "然后",
    "关于",
    "对于",
    "上次的",
    "上次",
    "刚才的",
    "刚才",
    "之前的",
    "这个",
    "那个",
    "这份",
    "那份",
    "这些",
    "那些",
    "这场",
    "那场",
    "这次的",
    "一份",
    "一个",
    "一篇",
    "一封",
    "一张",
    "一套",
    "一版",
    "几个",
    "原来的",
    "的",
    "是",
    "其实",
    "本来",
    "现在",
    "到",
    "和你说的",
];
/// Behind a noun phrase, Chinese: adverbs before a state word, particles at a clause's end.
const ZH_TRAILS: &[&str] = &[
    "吧",
    "了",
    "啦",
    "啊",
    "哦",
    "呢",
    "呀",
    "哈",
    "嘛",
    "咯",
    "喽",
    "掉",
    "一下",
    "先",
    "已经",
    "已",
    "都",
    "也",
    "就",
    "又",
    "再",
    "要",
    "得",
    "给",
    "被",
    "可以",
    "临时",
    "暂时",
    "暂且",
    "正式",
    "全部",
    "全",
    "还是",
    "终于",
    "总算",
    "顺利",
    "刚刚",
    "刚",
    "直接",
    "统统",
    "必须",
    "不得不",
    "需要",
    "那边",
    "这边",
    "那家",
    "这家",
    "那个",
    "这个",
    "那场",
    "这场",
    "那份",
    "这份",
    "这块",
    "那块",
    "今天",
    "昨天",
    "我",
    "咱们",
    "我们",
    "弄",
    "的事",
    "的事情",
    "这事",
    "这件事",
];
/// What stands for the task itself, or for something said before.
const ZH_PRONOUNS: &[&str] = &[
    "是",
    "它",
    "这",
    "那",
    "这个",
    "那个",
    "这件事",
    "那件事",
    "这事",
    "那事",
    "此事",
    "这个任务",
    "该任务",
    "本任务",
    "任务",
    "这个事",
    "这一个",
    "事情",
    "工作",
    "大家",
    "他",
    "她",
    "我",
];
const EN_LEADS: &[&str] = &[
    "the", "this", "that", "these", "those", "my", "our", "your", "a", "an", "some", "please", "ok", "okay", "so",
    "and", "but", "then", "also", "well", "yes", "no", "hi", "hey", "actually", "now", "just", "with", "on", "to",
    "up", "it", "all", "because",
];
const EN_TRAILS: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "being",
    "has",
    "have",
    "had",
    "got",
    "gets",
    "just",
    "already",
    "now",
    "all",
    "finally",
    "officially",
    "fully",
    "please",
    "too",
    "also",
    "then",
    "instead",
    "asap",
    "immediately",
    "again",
    "for",
    "entirely",
    "completely",
    "off",
    "temporarily",
    "thanks",
    "for me",
    "for us",
    "on",
    "from",
    "with",
    "of",
    "in",
    "at",
    "for good",
    "ahead",
    "is now",
    "today",
    "yet",
];
const EN_PRONOUNS: &[&str] = &[
    "it",
    "this",
    "that",
    "them",
    "these",
    "those",
    "everything",
    "i",
    "we",
    "you",
    "they",
    "he",
    "she",
    "task",
    "job",
    "work",
    "one",
    "thing",
    "things",
    "all",
    "all of it",
    "i've",
    "we've",
    "i'm",
    "we're",
    "it's",
    "that's",
    "they've",
    "you've",
    "what",
    "which",
    "there",
    "us",
    "me",
];
/// Ends an English noun phrase that follows a verb.
const EN_STOPS: &[&str] = &[
    "to",
    "until",
    "till",
    "because",
    "since",
    "as",
    "please",
    "and",
    "but",
    "by",
    "so",
    "if",
    "when",
    "then",
    "now",
    "immediately",
    "asap",
    "instead",
    "before",
    "after",
    "due",
    "unless",
    "while",
    "where",
    "today",
    "tomorrow",
    "tonight",
    "is",
    "was",
    "again",
    "thanks",
    "or",
    "that",
    "yesterday",
    "i",
    "we",
    "you",
    "they",
    "he",
    "she",
    "that's",
    "which",
    "who",
    "afterward",
    "afterwards",
    "later",
    "earlier",
];

/// English words that name nothing by themselves: what is nothing but these is a piece of a sentence, not a name.
const EN_NAMELESS: &[&str] = &[
    "i",
    "we",
    "you",
    "he",
    "she",
    "they",
    "it",
    "me",
    "us",
    "them",
    "my",
    "our",
    "your",
    "his",
    "her",
    "their",
    "let",
    "lets",
    "let's",
    "do",
    "does",
    "did",
    "to",
    "want",
    "need",
    "like",
    "would",
    "could",
    "can",
    "will",
    "should",
    "have",
    "has",
    "had",
    "be",
    "is",
    "are",
    "was",
    "were",
    "please",
    "just",
    "really",
    "also",
    "then",
    "still",
    "both",
    "either",
    "one",
    "ones",
    "any",
    "some",
    "all",
    "every",
    "each",
    "other",
    "others",
    "another",
    "same",
    "and",
    "or",
    "but",
    "the",
    "a",
    "an",
    "this",
    "that",
    "these",
    "those",
    "of",
    "for",
    "with",
    "in",
    "on",
    "at",
    "by",
    "from",
    "so",
    "if",
    "as",
    "there",
    "here",
    "not",
    "no",
    "yes",
    "ok",
    "go",
    "ahead",
    "proceed",
    "know",
    "think",
    "able",
    "going",
    "now",
    "out",
    "up",
    "off",
    "entirely",
    "first",
    "instead",
    "else",
    "more",
    "it's",
    "i'd",
    "i'm",
    "i'll",
    "who",
    "what",
    "how",
    "when",
    "everything",
    "anything",
    "something",
    "nothing",
    "everyone",
    "two",
    "three",
    "afterward",
    "afterwards",
    "later",
    "earlier",
    "few",
];
/// And Chinese ones, longest first.
const ZH_NAMELESS: &[&str] = &[
    "这次",
    "那次",
    "每次",
    "顺利",
    "终于",
    "总算",
    "感觉",
    "一切",
    "虽然",
    "但是",
    "正好",
    "刚好",
    "早上",
    "上午",
    "中午",
    "下午",
    "晚上",
    "自己",
    "大家",
    "这边",
    "那边",
    "手头",
    "像",
    "我想要",
    "能不能",
    "可不可以",
    "是不是",
    "我们",
    "你们",
    "他们",
    "咱们",
    "想要",
    "需要",
    "希望",
    "可以",
    "应该",
    "现在",
    "这样",
    "那样",
    "其他",
    "别的",
    "所有",
    "全部",
    "这些",
    "那些",
    "一个",
    "一些",
    "其中",
    "什么",
    "怎么",
    "我",
    "你",
    "您",
    "他",
    "她",
    "它",
    "想",
    "要",
    "能",
    "会",
    "就",
    "都",
    "也",
    "还",
    "再",
    "先",
    "把",
    "将",
    "的",
    "了",
    "吧",
    "呢",
    "啊",
    "吗",
    "和",
    "跟",
    "与",
    "给",
    "请",
    "让",
    "去",
    "来",
    "是",
    "有",
    "没",
    "不",
    "这",
    "那",
    "个",
    "些",
    "用",
    "做",
    "弄",
    "搞",
    "行",
    "好",
    "之",
    "后",
    "前",
];

/// An English word that names nothing by itself.
pub(super) fn is_small_word(word: &str) -> bool {
    EN_NAMELESS.contains(&word)
}

/// A name has a word that says what it names.
pub(super) fn has_content(said: &str) -> bool {
    if said.is_ascii() {
        return said
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '\'')
            .any(|word| !word.is_empty() && !EN_NAMELESS.contains(&word));
    }
    let mut rest = said.trim();
    while let Some(shorter) = ZH_NAMELESS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter.trim_start();
    }
    !rest.is_empty()
}

/// A noun phrase narrowed to its name. `None`: nothing is left, a pronoun, or too long to be a name.
pub(super) fn name(reading: &Reading<'_>, span: Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let mut span = trimmed(text, span);
    loop {
        let before = span.clone();
        strip_dates(reading, &mut span);
        let said = &text[span.clone()];
        if is_pronoun(said) {
            return None;
        }
        // 到货单 and 会议纪要 keep the characters that would else be taken for particles.
        let work = |edge: &dyn Fn(&Hit) -> bool| reading.said(span.clone(), Tag::Work).any(edge);
        let (work_first, work_last) = (work(&|hit| hit.start == span.start), work(&|hit| hit.end == span.end));
        if work_first {
            // The noun begins here.
        } else if let Some(lead) = ZH_LEADS.iter().find(|lead| said.starts_with(**lead) && said.len() > lead.len()) {
            span.start += lead.len();
        } else if let Some(lead) = EN_LEADS.iter().find(|lead| starts_with_word(said, lead)) {
            span.start += lead.len();
        }
        let said = &text[span.clone()];
        if work_last {
            // And ends here.
        } else if let Some(trail) = ZH_TRAILS.iter().find(|trail| said.ends_with(**trail)) {
            span.end -= trail.len();
        } else if let Some(trail) = EN_TRAILS.iter().find(|trail| ends_with_word(said, trail)) {
            span.end -= trail.len();
        } else if said.ends_with("'s") && !said.contains(' ') {
            span.end -= 2;
        }
        span = trimmed(text, span);
        if span == before {
            break;
        }
    }
    let said = &text[span.clone()];
    let is_name = has_content(said) && !is_pronoun(said) && said.chars().count() <= NAME_CHARS_MAX;
    (is_name && said.chars().any(char::is_alphanumeric)).then_some(span)
}

pub(super) fn is_pronoun(said: &str) -> bool {
    ZH_PRONOUNS.contains(&said) || EN_PRONOUNS.contains(&said) || is_bare_pronoun_phrase(said)
}

fn is_bare_pronoun_phrase(said: &str) -> bool {
    ["this ", "the ", "that "]
        .iter()
        .any(|lead| said.strip_prefix(lead).is_some_and(|noun| EN_PRONOUNS.contains(&noun)))
}

pub(super) fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    const MARKS: &[char] = &[
        ' ', '\t', '\n', '\r', '\u{3000}', ',', '.', ':', ';', '!', '?', '，', '。', '：', '；', '！', '？', '、', '“',
        '”', '「', '」', '『', '』', '《', '》', '"', '\'', '*', '-', '—', '(', ')', '（', '）', '~', '`',
    ];
    let said = &text[span.clone()];
    let start = span.start + (said.len() - said.trim_start_matches(MARKS).len());
    let end = span.end - (said.len() - said.trim_end_matches(MARKS).len());
    start.min(end)..end
}

/// What was said without the marks and spaces around it; quotation marks and brackets stay, for they come in pairs.
pub(super) fn trimmed_ends(text: &str, span: Range<usize>) -> Range<usize> {
    const MARKS: &[char] = &[
        ' ', '\t', '\n', '\r', '\u{3000}', ',', '.', ':', ';', '!', '?', '，', '。', '：', '；', '！', '？', '、', '—',
        '~', '…',
    ];
    let said = &text[span.clone()];
    let start = span.start + (said.len() - said.trim_start_matches(MARKS).len());
    let end = span.end - (said.len() - said.trim_end_matches(MARKS).len());
    start.min(end)..end
}

/// A date at either end goes, unless it describes the noun: 周五的会 keeps it, 今天取消周报 does not.
fn strip_dates(reading: &Reading<'_>, span: &mut Range<usize>) {
    let text = reading.text();
    while let Some(found) = reading.date_in(span.clone()) {
        if found.span.start == span.start
            && found.span.end <= span.end
            && !text[found.span.end..span.end].starts_with('的')
        {
            span.start = found.span.end;
        } else {
            break;
        }
    }
    let from = reading.dates.partition_point(|found| found.span.end < span.end);
    if let Some(found) = reading.dates.get(from)
        && found.span.end == span.end
        && found.span.start > span.start
    {
        span.end = found.span.start;
        let said = &text[span.clone()];
        if let Some(word) = ["在", "到", "至"].iter().find(|word| said.ends_with(**word)) {
            span.end -= word.len();
        }
        let said = text[span.clone()].trim_end();
        if let Some(word) = ["on", "at", "for", "from", "by", "to"].iter().find(|word| ends_with_word(said, word)) {
            span.end = span.start + said.len() - word.len();
        }
    }
    *span = trimmed(text, span.clone());
}

pub(super) fn starts_with_word(said: &str, word: &str) -> bool {
    said.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
}

pub(super) fn ends_with_word(said: &str, word: &str) -> bool {
    said.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', ',']))
}

/// The English noun phrase that begins a stretch, up to a word that goes on with the sentence.
pub(super) fn english_object(reading: &Reading<'_>, span: Range<usize>) -> Range<usize> {
    let text = reading.text();
    let mut end = span.end;
    let mut at = span.start;
    for word in text[span.clone()].split(' ') {
        let bare = word.trim_end_matches([',', '.', '!']);
        if EN_STOPS.contains(&bare)
            || bare == "for" && follows_with(&text[at..span.end], &["for now", "for today", "for the moment", "for a "])
        {
            end = at;
            break;
        }
        at += word.len() + 1;
    }
    let until_date = reading.date_in(span.start..end).map(|found| found.span.clone());
    if let Some(date) = until_date
        && date.start > span.start
        && reading.said(date.end..end, Tag::Work).next().is_none()
    {
        end = date.start;
    }
    span.start..end.max(span.start)
}

fn follows_with(said: &str, words: &[&str]) -> bool {
    words.iter().any(|word| said.starts_with(word))
}
