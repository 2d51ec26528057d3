//! What is to be remembered or forgotten, by the user's explicit words: 「记住：网关的端口是8443」, "forget what I said about the port".

use std::ops::Range;

use super::{Found, en, values, zh};
use crate::signals::layout::Clause;
use crate::signals::lexicon::{Hit, Tag};
use crate::signals::phrase;
use crate::signals::reading::Reading;
use crate::types::signals::Claim;

/// Longest name of what is to be forgotten.
const ABOUT_CHARS_MAX: usize = 60;

/// An order; what is to be remembered takes the rest of its sentence.
pub(super) struct Order {
    pub(super) found: Found,
    /// Of one to remember, in the folded text.
    pub(super) content: Option<Range<usize>>,
}

pub(super) fn read(reading: &Reading<'_>, clauses: &[Clause], place: usize) -> Option<Order> {
    let clause = &clauses[place].span;
    let sentence = reading.layout.sentence_of(&clauses[place]);
    if sentence.question {
        return None;
    }
    let head = head(reading, clause);
    if reading.layout.is_quoted(head) {
        return None;
    }
    let at_head = |tag: Tag| {
        reading
            .hits_in(&(head..head + 1))
            .iter()
            .find(|hit| hit.tag == tag && hit.start == head && hit.end <= clause.end)
    };
    if let Some(hit) = at_head(Tag::Remember) {
        return remember(reading, hit, sentence.span.end);
    }
    let mut end = clause.end;
    let about = match at_head(Tag::Forget) {
        Some(hit) => forget(reading, hit, clause),
        None => {
            if let Some(about) = never_said(&reading.text()[head..clause.end]) {
                let span = phrase::trimmed(reading.text(), head..clause.end);
                let found = Found { claim: Claim::Forget { about }, subject: None, span };
                return Some(Order { found, content: None });
            }
            forget_before(reading, head, clause).or_else(|| {
                let (about, to) = taken_back(reading, head, clauses, place)?;
                end = to;
                Some(about)
            })
        }
    }?;
    let about = phrase::trimmed(reading.text(), about);
    let text = &reading.text()[about.clone()];
    if text.is_empty() || text.chars().count() > ABOUT_CHARS_MAX {
        return None;
    }
    let span = phrase::trimmed(reading.text(), head..end);
    let claim = Claim::Forget { about: reading.folded.written(about).to_owned() };
    Some(Order { found: Found { claim, subject: None, span }, content: None })
}

/// Where a clause begins to say something.
fn head(reading: &Reading<'_>, clause: &Range<usize>) -> usize {
    let text = reading.text();
    let at = zh::after_leads(text, clause);
    if text[at..clause.end].starts_with(|c: char| c.is_ascii()) { en::after_leads(text, &(at..clause.end)) } else { at }
}

fn remember(reading: &Reading<'_>, hit: &Hit, end: usize) -> Option<Order> {
    const MARKS: [char; 6] = ['，', ',', '：', ':', ' ', '—'];
    let text = reading.text();
    let word = &text[hit.span()];
    let after = &text[hit.end..end];
    let marked = after.trim_start().starts_with(['：', ':', '，', ',']);
    let mut rest = after.trim_start_matches(MARKS);
    if word.is_ascii() {
        let that = ["that ", "that, ", "that: ", "this: "].iter().find_map(|lead| rest.strip_prefix(lead));
        // "Remember, everyone …": behind a comma it is as often a name or a saying.
        let called = after.trim_start().starts_with([',', '，']) && !OWN_FIRST.contains(&first_word(rest));
        let own = ["i ", "i'm ", "i've ", "my ", "we ", "our "].iter().any(|lead| rest.starts_with(lead));
        let loose = word.starts_with("for ");
        if that.is_none() && (!marked || called) && !own && !loose {
            return None;
        }
        rest = that.unwrap_or(rest);
        if comforts(rest) {
            return None;
        }
        let first = rest.split(' ').next().unwrap_or_default();
        // "Remember that time …", "remember, the meeting …" recall.
        let recalls =
            that.is_some() && matches!(first, "time" | "day" | "one" | "guy" | "thing" | "movie" | "scene" | "when");
        let asks = matches!(
            first,
            "when" | "how" | "what" | "who" | "where" | "to" | "why" | "if" | "me" | "us" | "can" | "could"
        );
        // "keep in mind that this is a draft", "for the record, I never said that"
        let here = matches!(first, "this" | "that" | "these" | "those" | "it" | "it's" | "you" | "your" | "there")
            || ["i never", "i didn't", "i don't think"].iter().any(|words| rest.starts_with(words));
        if recalls || here || asks || rest.split(' ').count() < 3 {
            return None;
        }
    } else {
        if after.starts_with(['了', '过', '得', '吗', '没', '起']) {
            return None;
        }
        rest = ["一下", "这个", "这一点", "这点", "这件事", "哦", "啊", "哈"]
            .iter()
            .fold(rest, |rest, lead| rest.strip_prefix(lead).unwrap_or(rest).trim_start_matches(MARKS));
        if COMFORTED_ZH.iter().any(|subject| rest.starts_with(subject))
            || COMFORT_ZH.iter().any(|word| rest.contains(word))
        {
            return None;
        }
        let loose = word.contains("住") || word == "牢记";
        let own = rest.starts_with('我') || rest.contains('是');
        // 请记得带伞 is a thing to do, 帮我记一下会议 a thing to write down now.
        let to_do = ["要", "去", "把", "先", "别", "不要", "发", "带", "买", "提醒", "给", "用", "写", "打"]
            .iter()
            .any(|word| rest.starts_with(word));
        // 我的要求, 这是草稿 say nothing without this talk.
        let pointer = rest.starts_with(['这', '那', '它'])
            || rest.starts_with("我的") && rest.chars().count() <= 6 && !rest.contains(['是', '叫']);
        if !(marked || own || loose) || to_do || rest.chars().count() < 4 || pointer || rest.starts_with("我说") {
            return None;
        }
    }
    let from = end - rest.len();
    let content = phrase::trimmed_ends(text, from..end);
    let said = &text[content.clone()];
    let asks = ["吗", "什么时候", "谁", "怎么"].iter().any(|word| said.ends_with(word));
    if said.is_empty() || asks || phrase::is_pronoun(said) {
        return None;
    }
    let claim = Claim::Remember { content: reading.folded.written(content.clone()).to_owned() };
    let span = hit.start..content.end;
    Some(Order { found: Found { claim, subject: None, span }, content: Some(content) })
}

/// What begins something to be remembered, behind a comma.
const OWN_FIRST: &[&str] = &["i", "i'm", "i've", "i'd", "my", "we", "we're", "our", "the"];
/// Of whom a saying or a comfort speaks, and nothing that is to be kept.
const COMFORTED: &[&str] = &[
    "you",
    "you're",
    "your",
    "everyone",
    "everyone's",
    "everybody",
    "everybody's",
    "nobody",
    "no",
    "people",
    "life",
    "love",
    "failure",
    "success",
    "happiness",
    "practice",
    "nothing",
    "anything",
    "whatever",
    "whoever",
    "each",
    "every",
    "all",
    "tomorrow",
];
const COMFORTED_ZH: &[&str] = &[
    "你",
    "您",
    "谁",
    "大家",
    "每个人",
    "人人",
    "任何人",
    "没有人",
    "没人",
    "人生",
    "生活",
    "生命",
    "一切",
    "无论",
    "不管",
    "不论",
    "只要",
    "失败",
    "成功",
    "幸福",
    "爱",
    "明天",
    "时间",
    "努力",
    "坚持",
    "健康",
    "身体是",
    "我们都",
    "我们永远",
    "世界",
];
const COMFORT_ZH: &[&str] = &["爱你", "陪着你", "支持你", "你最棒", "你很棒", "相信自己", "做自己"];

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// "Remember that you are loved", "… nobody knows your material like you do".
fn comforts(rest: &str) -> bool {
    let of_you = ["you", "your", "you're", "yourself"].iter().any(|you| crate::text::find_whole(rest, you).is_some());
    let we_all = ["we all", "we're all", "we are all", "we can", "it's ok", "it's okay"]
        .iter()
        .any(|lead| rest.starts_with(lead));
    COMFORTED.contains(&first_word(rest)) || of_you || we_all
}

/// What stands behind the word.
fn forget(reading: &Reading<'_>, hit: &Hit, clause: &Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let word = &text[hit.span()];
    let rest = text[hit.end..clause.end].trim();
    if word.is_ascii() {
        let rest = rest.trim_end_matches(['.', '!']).trim_end();
        let rest = rest.strip_suffix(" please").unwrap_or(rest);
        let start = |tail: &str| {
            let offset = tail.as_ptr() as usize - text.as_ptr() as usize;
            offset..offset + tail.len()
        };
        if word.ends_with("forget") {
            let about = [
                "what i said about ",
                "what i told you about ",
                "everything i said about ",
                "everything i told you about ",
                "everything about ",
                "what i just said about ",
                "anything i said about ",
            ]
            .iter()
            .find_map(|lead| rest.strip_prefix(lead));
            let that = rest
                .strip_prefix("that ")
                .filter(|rest| ["i ", "i'm ", "my ", "i've "].iter().any(|own| rest.starts_with(own)));
            let mine = Some(rest).filter(|rest| {
                rest.starts_with("my ")
                    && ![
                        "last", "previous", "question", "message", "request", "earlier", "mistake", "comment", "first",
                        "email",
                    ]
                    .iter()
                    .any(|word| rest.split(' ').any(|other| other == *word))
            });
            let told = Some(rest).filter(|rest| {
                rest.starts_with("the ")
                    && [" i told you", " i gave you", " i mentioned", " i shared"]
                        .iter()
                        .any(|word| rest.contains(word))
            });
            let said = Some(rest).filter(|rest| {
                matches!(
                    *rest,
                    "what i said"
                        | "what i told you"
                        | "what i just said"
                        | "everything i said"
                        | "everything i told you"
                )
            });
            return about.or(that).or(mine).or(told).or(said).map(start);
        }
        let named = ["this", "that", "my ", "what i ", "the ", "any of this", "these "]
            .iter()
            .any(|lead| rest.starts_with(lead));
        return named.then(|| start(rest));
    }
    let rest = rest.trim_end_matches(['了', '吧', '啊', '哈', '哦']);
    let names_itself = rest.starts_with(['录', '笔', '账', '者', '日', '仇', '得', '混', '错', '过', '起']);
    let known =
        ["我", "这", "那", "刚才", "刚刚", "上面", "之前", "前面", "关于"].iter().any(|word| rest.starts_with(word));
    if rest.is_empty() || names_itself || !known {
        return None;
    }
    let about = [
        "我刚才说的",
        "我之前说的",
        "我刚刚说的",
        "我前面说的",
        "我说的",
        "我告诉你的",
        "我跟你说的",
        "我提到的",
        "关于",
    ]
    .iter()
    .find_map(|lead| rest.strip_prefix(lead))
    .filter(|about| !about.trim().is_empty())
    .unwrap_or(rest);
    let offset = about.as_ptr() as usize - text.as_ptr() as usize;
    Some(offset..offset + about.len())
}

/// What stands before the word: 「这个不用记」「把我的地址忘掉」「忘了我刚才说的吧」.
fn forget_before(reading: &Reading<'_>, head: usize, clause: &Range<usize>) -> Option<Range<usize>> {
    let text = reading.text();
    let said = text[head..clause.end].trim_end();
    let bare = said.trim_end_matches(['吧', '啊', '哈', '哦']);
    let known = |about: &str| {
        ["这", "那", "我的", "我说的", "我刚", "刚才", "上面", "前面"].iter().any(|word| about.starts_with(word))
    };
    let about = ["忘掉", "忘了", "忘记"]
        .iter()
        .find_map(|word| bare.strip_suffix(word)?.strip_prefix('把'))
        .or_else(|| {
            ["不用记了", "不用记", "别记了", "别记", "不必记", "不用记住", "不要记"]
                .iter()
                .find_map(|word| bare.strip_suffix(word))
        })
        .or_else(|| said.strip_suffix('吧')?.strip_prefix("忘了"))?;
    let about = about.trim_end_matches(['就', '都', '你']);
    let offset = about.as_ptr() as usize - text.as_ptr() as usize;
    (known(about) && values::is_short(reading, &(offset..offset + about.len()))).then_some(offset..offset + about.len())
}

/// 「我没说过喜欢开会」, "I never said I liked jazz": the statement that is said not to have been made, as it would have been. Of what says
/// nothing of oneself (「我没说过这话」) nothing can be found.
fn never_said(said: &str) -> Option<String> {
    const NEVER: &[&str] =
        &["我从来没有说过", "我从来没说过", "我从没说过", "我并没有说过", "我没有说过", "我没说过", "我可没说过"];
    const OF_ONESELF: &[&str] =
        &["喜欢", "不喜欢", "讨厌", "爱", "不爱", "更喜欢", "偏好", "习惯", "住", "对", "吃", "喝", "不吃", "不喝"];
    const EN_NEVER: &[&str] =
        &["i never said ", "i've never said ", "i have never said ", "i didn't say ", "i did not say "];
    const EN_OF_ONESELF: &[(&str, &str)] = &[
        ("i like ", "I like "),
        ("i liked ", "I like "),
        ("i love ", "I love "),
        ("i loved ", "I love "),
        ("i prefer ", "I prefer "),
        ("i preferred ", "I prefer "),
        ("i hate ", "I hate "),
        ("i hated ", "I hate "),
        ("i don't like ", "I don't like "),
        ("i didn't like ", "I don't like "),
        ("i live in ", "I live in "),
        ("i lived in ", "I live in "),
        ("i work at ", "I work at "),
        ("i worked at ", "I work at "),
        ("i'm allergic to ", "I'm allergic to "),
        ("i was allergic to ", "I'm allergic to "),
    ];
    let said = said.trim();
    let (own, what) = if let Some(rest) = NEVER.iter().find_map(|lead| said.strip_prefix(lead)) {
        let rest = rest.trim().trim_end_matches(['啊', '呀', '哦', '的']);
        let rest = rest.strip_prefix('我').unwrap_or(rest);
        let lead = OF_ONESELF.iter().filter(|lead| rest.starts_with(**lead)).max_by_key(|lead| lead.len())?;
        (format!("我{lead}"), &rest[lead.len()..])
    } else {
        let rest = EN_NEVER.iter().find_map(|lead| said.strip_prefix(lead))?;
        let rest = rest.strip_prefix("that ").unwrap_or(rest);
        let (lead, own) = EN_OF_ONESELF.iter().find(|(lead, _)| rest.starts_with(lead))?;
        ((*own).to_owned(), &rest[lead.len()..])
    };
    let what = what.trim();
    let named = what.chars().count() >= 2 && !phrase::is_pronoun(what) && !values::is_deictic(what);
    (named && said.chars().count() <= ABOUT_CHARS_MAX).then(|| format!("{own}{what}"))
}

/// 「之前说不喝咖啡，那不算了」「我说过的不喝咖啡当我没说」, "I take back what I said about coffee": of what one's own word is taken back, and
/// where that ends.
fn taken_back(reading: &Reading<'_>, head: usize, clauses: &[Clause], place: usize) -> Option<(Range<usize>, usize)> {
    const SAID: &[&str] = &[
        "我之前说过的",
        "我之前说的",
        "我之前说过",
        "我之前说",
        "之前我说过",
        "之前我说",
        "之前说过的",
        "之前说的",
        "之前说过",
        "之前说",
        "我以前说过",
        "我以前说的",
        "我以前说",
        "以前说过",
        "以前说",
        "我上次说的",
        "我上次说",
        "上次说的",
        "上次说",
        "我说过的",
        "我说过",
    ];
    const TAKEN_BACK: &[&str] = &[
        "不算了",
        "不算数了",
        "不算数",
        "作废",
        "作废了",
        "就当我没说",
        "当我没说",
        "收回",
        "是瞎说",
        "是胡说",
        "是骗人的",
        "是放屁",
        "是假的",
        "是气话",
    ];
    const BACK: &[&str] = &["i take back what i said about ", "i take it back about "];
    let text = reading.text();
    let clause = &clauses[place].span;
    let said = text[head..clause.end].trim_end();
    if let Some(about) = BACK.iter().find_map(|lead| said.strip_prefix(lead)) {
        let start = clause.start + (about.as_ptr() as usize - text[clause.start..].as_ptr() as usize);
        return Some((start..start + about.len(), clause.end));
    }
    let about = SAID.iter().find_map(|lead| said.strip_prefix(lead))?;
    let start = head + said.len() - about.len();
    let back = |said: &str| TAKEN_BACK.iter().find(|word| said.ends_with(**word)).map(|word| said.len() - word.len());
    // In the same clause, or in the one behind it and nothing else there.
    let (about, end) = match back(about) {
        Some(len) => (about[..len].trim_end_matches(['那', '都', '的', '话']), clause.end),
        None => {
            let next = &clauses.get(place + 1)?.span;
            let said = text[next.clone()].trim();
            let rest = &said[..back(said)?];
            ["", "那", "那个", "那句", "那句话", "这个", "这句", "现在", "都", "那都"].contains(&rest).then_some(())?;
            (about, next.end)
        }
    };
    let about = about.trim_end_matches(['的', '了']);
    (about.chars().count() >= 2).then_some((start..start + about.len(), end))
}
