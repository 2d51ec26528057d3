//! What of a text its own words say to be somebody else's, or meant for somebody else: "That's what Bob sent me", 「老板刚发来的」, "Ana: Hi
//! there", "Write a mail to Bob", "Asking for a friend", "Just kidding".
//!
//! In: a text as the rules read it. Out: stretches of it. Marks (quotation marks, code, `>`) are not looked at here. `certain` is plainly
//! another's word, which orders nothing in a task either; `doubtful` is what may be, or what is to be written: nobody learns from it.

use std::ops::Range;

use super::lexicon::Tag;
use super::quotations;
use super::reading::Reading;

/// Stretches in order and apart.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) certain: Vec<Range<usize>>,
    pub(super) doubtful: Vec<Range<usize>>,
}

/// Points at a text that was shown.
const POINTERS: &[&str] = &[
    "that's",
    "that is",
    "that was",
    "this is",
    "this was",
    "these are",
    "these were",
    "those are",
    "those were",
    "the above is",
    "above is",
    "the above was",
    "the text above",
    "the message above",
    "it's what",
    "it is what",
    "it was",
    "here's what",
    "here is what",
    "all of this is",
    "all this is",
    "这是",
    "这些是",
    "这都是",
    "那是",
    "上面是",
    "上面这",
    "上面那",
    "以上是",
    "以上都是",
    "这条是",
    "这段是",
    "这封是",
    "这句是",
    "这话是",
    "前面是",
    "刚才那段是",
];
/// How a text came.
const CAME: &[&str] = &[
    "sent",
    "wrote",
    "written by",
    "texted",
    "emailed",
    "e-mailed",
    "mailed",
    "messaged",
    "posted",
    "forwarded",
    "dictated",
    "told me",
    "said",
    "says",
    "writes",
    "replied",
    "发的",
    "发我的",
    "发给我的",
    "发来的",
    "发过来的",
    "写的",
    "写给我的",
    "说的",
    "转的",
    "转来的",
    "转给我的",
    "回的",
    "回我的",
    "贴的",
    "留的",
    "讲的",
    "问的",
    "提的",
    "群里的",
    "的原话",
];
/// But not so: it is the speaker's.
const MINE: &[&str] = &[
    " i sent",
    " i wrote",
    " i said",
    " i told",
    " i texted",
    " i mailed",
    " i posted",
    " i meant",
    "我发",
    "我写",
    "我说",
    "我讲",
    "我问",
    "我提",
    "我刚说",
    "我之前说",
    "我自己",
];
/// What comes from somebody.
const MESSAGES: &[&str] = &[
    "voicemail",
    "message",
    "email",
    "e-mail",
    "mail",
    "letter",
    "note",
    "text",
    "sms",
    "dm",
    "comment",
    "review",
    "post",
    "ticket",
    "customer ticket",
    "support ticket",
    "client ticket",
    "support request",
    "reply",
    "transcript",
    "memo",
    "fax",
    "complaint",
    "feedback",
    "request",
    "whatsapp",
    "slack message",
    "voice message",
    "chat",
    "quote",
    "statement",
];
/// Behind them: from whom, or which one.
const FROM: &[&str] = &["from ", "by ", "#", "no. ", "nr. ", "number ", "id "];
const MESSAGES_ZH: &[&str] = &[
    "工单",
    "短信",
    "邮件",
    "留言",
    "语音",
    "微信",
    "来信",
    "帖子",
    "评论",
    "投诉",
    "消息",
    "私信",
    "通知",
    "聊天记录",
];
const FROM_ZH: &[&str] = &["#", "号", "编号", "来自", "内容", "原文", "如下", "no."];
/// Ends a line above what somebody sent.
const SENT_ENDS: &[&str] = &[
    "发来的",
    "发我的",
    "发给我的",
    "发过来的",
    "刚发的",
    "转来的",
    "转给我的",
    "写给我的",
    "写的",
    "说的话",
    "留的言",
    "的原话",
    "的消息",
    "的邮件",
    "的短信",
    "的留言",
    "的来信",
    "的回复",
];
/// "I got this message today": of a text that follows.
const GOT: &[&str] = &["got", "received", "found", "saw", "have", "came across", "was sent", "been sent"];
const THIS: &[&str] = &["this", "the following", "these"];
const SENT_ME_THIS: &[&str] = &[" me this", " us this", " me the following", " us the following", " me these"];

/// Verbs for what is to be written, with what it is written to.
const WRITE: &[&str] = &["write", "draft", "compose", "prepare", "send", "create"];
const WRITE_TO: &[&str] = &[
    "tell",
    "text",
    "email",
    "e-mail",
    "mail",
    "message",
    "dm",
    "tweet",
    "ping",
    "write",
    "reply to",
    "respond to",
    "answer",
];
const PUT: &[&str] = &["post", "publish", "put", "add", "insert", "paste", "include", "write", "upload", "share"];
const WRITTEN: &[&str] = &[
    "mail",
    "email",
    "e-mail",
    "message",
    "letter",
    "note",
    "text",
    "sms",
    "tweet",
    "post",
    "speech",
    "toast",
    "bio",
    "card",
    "postcard",
    "announcement",
    "invitation",
    "cover letter",
    "dialogue",
    "story",
    "poem",
    "song",
    "script",
    "monologue",
    "ad",
    "notice",
    "reply",
    "testimonial",
    "profile",
];
const MEDIA: &[&str] = &[
    "blog",
    "readme",
    "docs",
    "changelog",
    "wiki",
    "website",
    "homepage",
    "slack",
    "twitter",
    "linkedin",
    "facebook",
    "instagram",
    "channel",
    "forum",
    "reddit",
    "contract",
    "page",
    "profile",
    "letter",
    "mail",
    "email",
    "guidelines",
    "handbook",
    "policy",
    "manual",
    "faq",
    "prompt",
    "config",
    "system prompt",
    "issue",
    "ticket",
    "the pr",
];
const POINTED: &[&str] = &["this", "that", "it", "the following", "these"];
const POLITE: &[&str] = &[
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "help me ",
    "let's ",
    "now ",
    "then ",
    "and ",
    "i need you to ",
    "i want you to ",
    "pls ",
    "ok ",
    "okay ",
    "so ",
    "hey ",
    "just ",
];
const NOT_OTHERS: &[&str] = &["me", "us", "i", "back"];

/// Who a label with a colon is not: it names what is asked, and a task may have its limits behind it.
const NO_SPEAKERS: &[&str] = &[
    "task",
    "goal",
    "question",
    "deadline",
    "format",
    "requirements",
    "requirement",
    "constraints",
    "constraint",
    "rules",
    "rule",
    "todo",
    "title",
    "topic",
    "summary",
    "example",
    "examples",
    "input",
    "output",
    "step",
    "steps",
    "plan",
    "ps",
    "note",
    "notes",
    "important",
    "warning",
    "reminder",
    "update",
    "option",
    "preference",
    "preferences",
    "answer",
    "result",
    "results",
    "day",
    "week",
    "budget",
    "format preferences",
    "new task",
    "correction",
    "however",
    "hi",
    "hello",
    "thanks",
    "please",
    "instructions",
];
/// Longer labels are sentences of their own.
const LABEL_WORDS_MAX: usize = 3;
const LABEL_CHARS_MAX: usize = 24;
const LABEL_ZH_CHARS_MAX: usize = 6;

/// A line of so many signs sets a text apart.
const RULER_SIGNS_MIN: usize = 3;

pub(super) fn of_others(reading: &Reading<'_>) -> Others {
    let text = reading.text();
    let whole = 0..text.len();
    let mut found = Others::default();
    if reading.said(whole.clone(), Tag::Frame).next().is_some() || has_ruler(text) {
        found.doubtful.push(whole.clone());
    }
    lines(text, &mut found);
    for (place, clause) in reading.layout.clauses.iter().enumerate() {
        let said = text[clause.span.clone()].trim_matches(is_no_word);
        let sentence = &reading.layout.sentence_of(clause).span;
        let alone = text[sentence.start..clause.span.start].trim_matches(is_no_word).is_empty();
        if points_at_sent(said) {
            found.certain.push(whole.clone());
            break;
        }
        if SENT_ME_THIS.iter().any(|words| said.ends_with(words) || said.contains(&format!("{words} ")))
            && !said.starts_with("i ")
        {
            found.doubtful.push(whole.clone());
        }
        if alone && comes_from(said) {
            found.certain.push(clause.span.start..text.len());
        }
        if alone && announces_message(said) {
            found.certain.push(clause.span.end..text.len());
        }
        let ends = &text[clause.span.end..];
        if alone && ends.starts_with(':') && !ends[1..].trim_start_matches([' ', '\t']).starts_with('\n') {
            label(reading, clause.span.start, said, clause.span.end, &mut found);
        }
        // 「我吃素，我姐姐说的」, "I'm vegan, my sister says": all of the sentence is theirs; where it stands alone, all before it.
        let last = reading.layout.clauses.get(place + 1).is_none_or(|next| next.sentence != clause.sentence);
        if last && attributes(said, alone) {
            found.certain.push(if alone { 0..clause.span.end } else { sentence.clone() });
        }
        if alone && last && place > 0 && TAKEN_BACK.contains(&said) {
            found.doubtful.push(0..clause.span.end);
        }
        // 「以后给老王发邮件都用PDF」 orders how it is to be done.
        let head = clause.span.start + (said.as_ptr() as usize - text[clause.span.clone()].as_ptr() as usize);
        let before = reading.hits_in(&(sentence.start..head + 1));
        let lasting = before.iter().any(|hit| hit.tag == Tag::Standing);
        if !lasting && let Some(pointed) = is_to_be_written(reading, said) {
            found.doubtful.push(if pointed { whole.clone() } else { clause.span.start..text.len() });
        }
    }
    Others { certain: quotations::merged(found.certain), doubtful: quotations::merged(found.doubtful) }
}

fn is_no_word(c: char) -> bool {
    quotations::is_blank(c) || matches!(c, '—' | '-' | '(' | ')' | '（' | '）' | '.' | '。' | '!' | '！')
}

/// `-----`, `=====`, "---BEGIN---": a text set apart, before it or behind.
fn has_ruler(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_matches(quotations::is_blank);
        let Some(sign) = line.chars().next().filter(|sign| "-=*_~—–".contains(*sign)) else { return false };
        let signs = line.chars().take_while(|c| *c == sign).count();
        let rest = line.trim_start_matches(sign);
        signs >= RULER_SIGNS_MIN && (rest.is_empty() || rest.ends_with(sign))
    })
}

/// Lines that lead up to what somebody sent, with no colon to say so.
fn lines(text: &str, found: &mut Others) {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let end = from + line.len();
        from = end;
        let said = line.trim_matches(|c: char| is_no_word(c) || matches!(c, ':' | '：' | '，' | ','));
        let short = said.chars().count() <= 20;
        if short && end < text.len() && !MINE.iter().any(|own| said.contains(own)) {
            let ends = SENT_ENDS.iter().any(|ending| said.ends_with(ending) && said.len() > ending.len());
            // 「写一封给老王的邮件」 asks for one.
            if ends && !said.contains(['以', '每']) {
                found.certain.push(end..text.len());
                return;
            }
        }
    }
}

fn starts_with_word(said: &str, word: &str) -> bool {
    said.strip_prefix(word)
        .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '\''))
}

fn has_word(said: &str, word: &str) -> bool {
    if word.is_ascii() { crate::text::find_whole(said, word).is_some() } else { said.contains(word) }
}

/// "That's what Bob sent me", 「这是小王发我的」, "this is from my boss".
fn points_at_sent(said: &str) -> bool {
    let Some(pointer) = POINTERS.iter().find(|pointer| starts_with_word(said, pointer)) else { return false };
    let rest = &said[pointer.len()..];
    let own = MINE.iter().any(|own| said.contains(own)) || rest.trim_start().starts_with("what i ");
    let from = rest.trim_start().starts_with("from ") && pointer.is_ascii();
    !own && (from || CAME.iter().any(|came| has_word(rest, came)))
}

/// "Voicemail from Eve", "Customer ticket #33", 「客诉工单33」.
fn comes_from(said: &str) -> bool {
    let bare =
        ["a ", "an ", "the ", "new ", "my "].iter().fold(said, |said, lead| said.strip_prefix(lead).unwrap_or(said));
    let message =
        |rest: &str| FROM.iter().any(|from| rest.starts_with(from)) || rest.starts_with(|c: char| c.is_ascii_digit());
    let en = MESSAGES.iter().any(|noun| {
        bare.strip_prefix(noun).is_some_and(|rest| rest.starts_with([' ', '#']) && message(rest.trim_start()))
    });
    // "Text from now on …", "mail from my address" order something.
    let en = en && !bare.contains("from now on") && !bare.contains("from here on");
    let zh = MESSAGES_ZH.iter().any(|noun| {
        said.find(noun).is_some_and(|at| {
            let rest = said[at + noun.len()..].trim_start_matches([' ', '：', ':']);
            let head = said[..at].chars().count() <= 4;
            head && (FROM_ZH.iter().any(|from| rest.starts_with(from))
                || rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    });
    // "From Bob's mail."
    let of_mail = said
        .strip_prefix("from ")
        .is_some_and(|rest| rest.contains("'s ") && MESSAGES.iter().any(|noun| rest.ends_with(noun)));
    en || zh || of_mail
}

/// "I got this message today", "we received the following mail".
fn announces_message(said: &str) -> bool {
    let who = starts_with_word(said, "i")
        || starts_with_word(said, "we")
        || starts_with_word(said, "just")
        || starts_with_word(said, "got");
    who && GOT.iter().any(|got| has_word(said, got))
        && THIS.iter().any(|this| has_word(said, this))
        && (said.ends_with("this") || MESSAGES.iter().any(|noun| has_word(said, noun)))
}

/// "Ana: Hi there. I live in Oslo.": of the whole paragraph, not only of its first sentence.
fn label(reading: &Reading<'_>, start: usize, said: &str, end: usize, found: &mut Others) {
    let text = reading.text();
    let chars = said.chars().count();
    let ascii = said.is_ascii();
    let words = said.split_whitespace().count();
    let short = chars > 0
        && if ascii { words <= LABEL_WORDS_MAX && chars <= LABEL_CHARS_MAX } else { chars <= LABEL_ZH_CHARS_MAX };
    let lasting = reading.said(start..end, Tag::Standing).next().is_some()
        || reading.said(start..end, Tag::Remember).next().is_some();
    if !short || lasting || introduces(said) || said.starts_with("http") || said.ends_with(|c: char| c.is_ascii_digit())
    {
        return;
    }
    let paragraph = text[end..].find("\n\n").map_or(text.len(), |at| end + at);
    let written = reading.folded.written(start..end);
    let written = written.trim_matches(is_no_word);
    let capital =
        ascii && words <= 2 && written.split(' ').all(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    let named = capital && !NO_SPEAKERS.contains(&said);
    let near = reading
        .said(start..end, Tag::Person(false))
        .chain(reading.said(start..end, Tag::Person(true)))
        .next()
        .is_some();
    let called = !ascii
        && chars <= 4
        && (said.starts_with(['小', '老', '阿']) || said.ends_with(['总', '哥', '姐', '妈', '爸', '叔', '姨']));
    let spans = if named || near || called { &mut found.certain } else { &mut found.doubtful };
    if !NO_SPEAKERS.contains(&said) {
        spans.push(start..paragraph);
    }
}

/// Before a colon: what follows is still said of oneself, or of how it is wanted.
const INTRODUCTIONS: &[&str] = &[
    "更正",
    "补充",
    "补充一下",
    "另外",
    "对了",
    "备注",
    "注意",
    "我的情况",
    "关于我",
    "自我介绍",
    "个人情况",
    "基本情况",
    "个人信息",
    "先说一下",
    "说一下",
    "记住",
    "记一下",
    "记下",
    "记下来",
    "记得",
    "要求",
    "提醒一下",
    "提醒",
    "规则",
    "规矩",
    "偏好",
    "格式",
    "任务",
    "目标",
    "约束",
    "顺便",
    "还有",
    "fyi",
    "note",
    "ps",
    "p.s",
    "update",
    "background",
    "context",
    "about me",
    "some context",
    "correction",
    "remember",
    "mind",
    "reference",
    "record",
    "remember this",
    "note that",
    "one thing",
    "one more thing",
    "btw",
    "by the way",
];

pub(super) fn introduces(label: &str) -> bool {
    let label = label.trim();
    // 写一段自我介绍 asks for one.
    !label.contains('写') && INTRODUCTIONS.iter().any(|word| label.ends_with(word))
}

/// A sentence of nothing else takes back what was said before it. At the head of a text it answers a question.
const TAKEN_BACK: &[&str] = &[
    "not really",
    "not",
    "as if",
    "kidding",
    "not true",
    "that's not true",
    "才怪",
    "才不是",
    "假的",
    "没有啦",
    "没有的事",
    "编的",
];

/// Ends a clause that says whose the words before it were.
const SAID_EN: &[&str] = &[
    "says",
    "said",
    "wrote",
    "writes",
    "told me",
    "texted",
    "claims",
    "says so",
    "said so",
    "told me so",
    "said that",
];
const SAID_ZH: &[&str] = &["说的", "写的", "讲的", "发的", "告诉我的", "跟我说的", "说", "回我的"];
const ATTRIBUTION_WORDS_MAX: usize = 5;
const ATTRIBUTION_ZH_CHARS_MAX: usize = 10;

fn attributes(said: &str, alone: bool) -> bool {
    let words = said.split_whitespace().count();
    if said.is_ascii() {
        let own = ["i ", "as i", "like i", "we ", "what i"].iter().any(|own| said.starts_with(own));
        let ends = SAID_EN.iter().any(|verb| said.ends_with(verb) && has_word(said, verb));
        let inverted = ["says", "said", "wrote", "writes"].iter().any(|verb| starts_with_word(said, verb));
        // "He said." alone is the rest of something, and of what can't be told.
        return words > 1
            && words <= ATTRIBUTION_WORDS_MAX
            && !own
            && (ends && (!alone || said.ends_with("so")) || inverted && !alone);
    }
    let chars = said.chars().count();
    let ends =
        SAID_ZH.iter().any(|verb| said.ends_with(verb) && said.len() > verb.len() && (verb.ends_with('的') || !alone));
    ends && chars <= ATTRIBUTION_ZH_CHARS_MAX
        && !MINE.iter().any(|own| said.contains(own))
        && !said.contains(['你', '不', '没', '别', '再', '先', '以'])
}

/// Whether something is to be written for others: `Some(true)` where what is to be sent was shown before, too.
fn is_to_be_written(reading: &Reading<'_>, said: &str) -> Option<bool> {
    let mut order = said;
    while let Some(rest) = POLITE.iter().find_map(|lead| order.strip_prefix(lead)) {
        order = rest.trim_start();
    }
    let to_others = |rest: &str| {
        crate::text::find_whole(rest, "to").is_some_and(|at| {
            let whom = rest[at + "to".len()..].trim_start();
            !whom.is_empty() && !NOT_OTHERS.iter().any(|own| starts_with_word(whom, own))
        })
    };
    let rest_of = |verbs: &[&str]| {
        verbs.iter().find(|verb| starts_with_word(order, verb)).map(|verb| order[verb.len()..].trim_start())
    };
    let pointed = |rest: &str| POINTED.iter().any(|word| starts_with_word(rest, word));
    let medium = |rest: &str| MEDIA.iter().any(|medium| has_word(rest, medium));
    let first = |rest: &str, words: usize| rest.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
    // "Write a mail to Bob", "draft a message for the client".
    if let Some(rest) = rest_of(WRITE) {
        let object = first(rest, 4);
        let for_me = ["me ", "us "].iter().find_map(|me| rest.strip_prefix(me)).is_some() && !to_others(rest);
        if WRITTEN.iter().any(|noun| has_word(&object, noun))
            && (to_others(rest) || has_word(rest, "for") || !for_me && !order.starts_with("send"))
        {
            return Some(pointed(rest));
        }
    }
    // "Text my mom", "reply to him"
    if let Some(rest) = rest_of(WRITE_TO) {
        let whom = first(rest, 1);
        let named = ["him", "her", "them", "my", "to"].contains(&whom.as_str())
            && !rest.starts_with("my question")
            && !rest.starts_with("to me")
            || capitalised(reading, &whom);
        if named && !whom.is_empty() {
            return Some(rest.starts_with("him") || rest.starts_with("her") || rest.starts_with("them"));
        }
    }
    // "Post this on my blog", "put into the README that …"
    if let Some(rest) = rest_of(PUT).filter(|rest| medium(rest)) {
        let into = ["on", "into", "in", "to", "onto"].iter().any(|word| has_word(rest, word));
        return into.then(|| pointed(rest));
    }
    written_zh(said)
}

/// Whether a word is a name as it was written.
fn capitalised(reading: &Reading<'_>, word: &str) -> bool {
    let written = reading.folded.written(0..reading.text().len());
    let mut letters = word.chars();
    let Some(first) = letters.next().filter(char::is_ascii_lowercase) else { return false };
    let name: String = std::iter::once(first.to_ascii_uppercase()).chain(letters).collect();
    written.split(|c: char| !c.is_alphanumeric()).any(|other| other == name)
}

const WRITTEN_ZH: &[&str] = &[
    "微信",
    "短信",
    "邮件",
    "消息",
    "信",
    "留言",
    "通知",
    "私信",
    "发言稿",
    "演讲稿",
    "公告",
    "检讨",
    "请假条",
    "贺卡",
    "祝福",
    "朋友圈",
    "文案",
    "稿",
];
const WRITE_ZH: &[&str] = &["发", "写", "回", "留", "拟", "打"];
const MEASURES_ZH: &[&str] = &["条", "封", "个", "段", "份", "篇", "张", "一"];
const MEDIA_ZH: &[&str] = &[
    "朋友圈",
    "微博",
    "群里",
    "公众号",
    "博客",
    "小红书",
    "readme",
    "公告",
    "官网",
    "合同里",
    "手册里",
    "论坛",
    "群公告",
    "知乎",
];
const PUT_ZH: &[&str] =
    &["发到", "发在", "发个", "发条", "发", "写进", "写到", "写在", "加到", "加进", "放到", "放进", "贴到", "贴在"];

/// 「给老王发条微信，…」「写封邮件告诉客户…」「发到朋友圈：…」
fn written_zh(said: &str) -> Option<bool> {
    let shown = said.contains("把这") || said.contains("这段") || said.contains("这句");
    // 给 somebody who is neither of the two.
    let to = ["给", "跟", "替我给"].iter().find_map(|to| said.find(to).map(|at| &said[at + to.len()..]));
    let to_other = to.is_some_and(|whom| {
        !whom.starts_with(['我', '你', '出', '个']) && {
            let verb = WRITE_ZH.iter().filter_map(|verb| whom.find(verb)).min().filter(|at| *at > 0);
            verb.is_some_and(|at| {
                WRITTEN_ZH.iter().any(|noun| whom[at..].contains(noun)) || whom[at..].starts_with('回')
            })
        }
    });
    let piece = WRITE_ZH.iter().any(|verb| {
        said.match_indices(verb).any(|(at, _)| {
            let rest = said[at + verb.len()..].trim_start_matches('一');
            let measured = MEASURES_ZH.iter().find_map(|measure| rest.strip_prefix(measure));
            // 写份周报 is work of one's own; what is written as a piece for others is named by its form.
            measured.is_some_and(|rest| {
                WRITTEN_ZH
                    .iter()
                    .any(|noun| rest.starts_with(noun) || rest.chars().count() <= 8 && rest.ends_with(noun))
            })
        })
    });
    let medium = PUT_ZH.iter().any(|put| {
        said.find(put)
            .is_some_and(|at| MEDIA_ZH.iter().any(|medium| said[at + put.len()..].trim_start().starts_with(medium)))
    });
    (to_other || piece || medium).then_some(shown)
}
