//! Whether a stretch can be the value of an attribute, and where it ends.

use std::ops::Range;

use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::reading::Reading;

const VALUE_CHARS_MAX: usize = 80;
const OBJECT_CHARS_MAX: usize = 120;

/// Surnames of one character, by which a Chinese name is known.
const SURNAMES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤欧";
/// Ends a word that looks like a name and says what somebody is: 我是江苏人, 我是程序员.
const NO_NAME_ENDS: &str = "去来看做帮到走说吃人员生师家者的党迷手粉长工客民控族教型女男岁派队座了过吧呢吗";

/// Stands for something seen or said before.
const DEICTIC: &[&str] = &[
    "this", "these", "those", "it", "your", "you", "yours", "above", "below", "here", "there", "me", "him", "her",
    "them", "us",
];
/// What begins a thing that only this talk knows, or a sentence of its own.
const NO_OBJECTS: &[&str] = &[
    "that",
    "my",
    "our",
    "his",
    "their",
    "how",
    "when",
    "what",
    "where",
    "why",
    "who",
    "which",
    "if",
    "as",
    "because",
    "both",
    "either",
    "neither",
    "option",
    "number",
    "version",
    "so",
    "too",
    "very",
    "more",
    "most",
    "one",
    "some",
    "any",
    "each",
    "all",
    "another",
    "other",
    "a",
    "b",
    "c",
    "and",
    "but",
    "or",
    "not",
    "him",
    "something",
    "nothing",
    "everything",
    "anything",
    "being",
    "having",
    "seeing",
    "hearing",
    "knowing",
    "for",
    "about",
    "with",
    "in",
    "at",
    "is",
    "was",
    "now",
    "please",
    "can",
    "even",
    "then",
    "like",
    "i",
    "we",
    "they",
    "he",
    "she",
    "i'm",
    "someone",
];
/// Behind "the", "a" or a name: a thing of this talk.
const NO_HEADS: &[&str] = &[
    "idea",
    "ideas",
    "suggestion",
    "suggestions",
    "approach",
    "plan",
    "advice",
    "option",
    "version",
    "tips",
    "tip",
    "proposal",
    "example",
    "examples",
    "explanation",
    "answer",
    "response",
    "design",
    "list",
    "feedback",
    "one",
    "ones",
    "part",
    "question",
    "way",
    "fact",
    "thought",
    "sound",
    "look",
    "feel",
    "lot",
    "bit",
    "concept",
    "structure",
    "direction",
    "first",
    "second",
    "third",
    "last",
    "latter",
    "former",
];

pub(super) fn is_short(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let chars = reading.text()[value.clone()].chars().count();
    (1..=VALUE_CHARS_MAX).contains(&chars)
}

/// Whether a stretch looks like a value of the attribute: what is merely said of the thing (我的手机是坏的, "my car is red") doesn't.
pub(super) fn fits(reading: &Reading<'_>, attribute: Attribute, value: &Range<usize>) -> bool {
    if !is_short(reading, value) {
        return false;
    }
    let said = &reading.text()[value.clone()];
    if is_deictic(said) || said.starts_with(['不', '没', '很', '太', '挺', '非']) {
        return false;
    }
    let tagged =
        |wanted: &dyn Fn(Tag) -> bool| reading.hits_in(value).iter().any(|hit| wanted(hit.tag) && hit.end <= value.end);
    let number = has_number(said);
    match attribute {
        Attribute::Name => is_name(reading, value),
        Attribute::Employer => is_organisation(reading, value),
        Attribute::Job => is_occupation(reading, value),
        Attribute::Level => is_level(reading, value),
        Attribute::Birthday => {
            said.bytes().any(|b| b.is_ascii_digit())
                || said.contains('月')
                || tagged(&|tag| matches!(tag, Tag::Month(..)))
        }
        Attribute::Age => number && said.chars().count() <= 14,
        Attribute::Language => said.ends_with(['语', '话']) || is_capitalised(reading, value),
        Attribute::Timezone => {
            ["utc", "gmt", "时间", "东八区", "/", "pacific", "eastern", "central", "mountain"]
                .iter()
                .any(|mark| said.contains(mark))
                || said.len() <= 5 && is_capitalised(reading, value)
        }
        // 年薪30万的工作 and 房租3000以内 are looked for.
        Attribute::Pay | Attribute::Hours => {
            number && said.chars().count() <= 40 && !said.contains(['的', '很', '是', '太', '好', '以', '内', '算'])
        }
        Attribute::Measure => {
            (number || said.ends_with('型') || said.len() <= 3)
                && said.chars().count() <= 20
                && !said.contains(['的', '很', '太', '好', '以'])
        }
        Attribute::Device | Attribute::Tool => {
            let named = tagged(&|tag| tag == Tag::Tool) || first_word_is_capitalised(reading, value);
            named && !said.ends_with('的') && reading.date_in(value.clone()).is_none() && said.chars().count() <= 40
        }
        Attribute::Manager => is_name(reading, value),
        Attribute::Commute => is_commute_zh(reading, value) || number && said.chars().count() <= 40 && said.is_ascii(),
        Attribute::Meal => tagged(&|tag| tag == Tag::Food),
        Attribute::Team => {
            said.ends_with(['组', '部']) && said.chars().count() <= 10 && said.chars().count() >= 2 && !said.is_ascii()
                || first_word_is_capitalised(reading, value)
                    && said.len() <= 40
                    && !tagged(&|tag| tag == Tag::Nationality)
        }
    }
}

pub(super) fn has_number(said: &str) -> bool {
    said.chars().any(|c| c.is_ascii_digit() || "一二三四五六七八九十百千万两".contains(c))
}

/// Whether what an attribute has is counted or measured, and so goes up and down.
pub(super) fn is_counted(attribute: Attribute) -> bool {
    matches!(attribute, Attribute::Pay | Attribute::Measure | Attribute::Hours)
}

/// An amount and nothing besides, as it stands behind the word for a change: 三万五, 税前42万, 25k, 40分钟. 六千就搬走 is a condition.
pub(super) fn is_amount_zh(said: &str) -> bool {
    const SIGNS: &str = "0123456789.,%$¥€£/-~ kw一二三四五六七八九十百千万亿两半零〇点几多元块毛钱人民币美金欧港刀月年每天个周季度一税前后左右                         约近出头公斤千克大卡厘米里g分钟小时码号型早上中午下晚到至";
    (1..=20).contains(&said.chars().count()) && has_number(said) && said.chars().all(|c| SIGNS.contains(c))
}

/// 25分钟, 骑车15分钟, 地铁.
pub(super) fn is_commute_zh(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let way = reading.hits_in(&(value.start..value.start + 1)).iter().find(|hit| hit.tag == Tag::Travel);
    let rest = &reading.text()[way.map_or(value.start, |hit| hit.end.min(value.end))..value.end];
    way.is_some() && rest.is_empty() || is_amount_zh(rest)
}

/// 9人, 十几个人.
pub(super) fn is_headcount_zh(said: &str) -> bool {
    let number = ["个人", "人", "位", "名", "个"].iter().find_map(|unit| said.strip_suffix(unit));
    number.is_some_and(|number| {
        (1..=6).contains(&number.chars().count())
            && has_number(number)
            && number.chars().all(|c| c.is_ascii_digit() || "一二三四五六七八九十百千两几多".contains(c))
    })
}

/// A name of a person or an animal: Chinese with a surname, or capitalised.
pub(super) fn is_name(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let said = reading.text()[value.clone()].trim();
    if reading.hits_in(value).iter().any(|hit| {
        matches!(hit.tag, Tag::Nationality | Tag::Day(..) | Tag::Weekday(..) | Tag::Question | Tag::Occupation)
    }) {
        return false;
    }
    if said.is_ascii() {
        return is_capitalised(reading, value) && said.split(' ').count() <= 4;
    }
    let chars: Vec<char> = said.chars().collect();
    let titled = ["总", "老师", "哥", "姐", "经理", "主任"].iter().any(|title| said.ends_with(title));
    let surname = chars.first().is_some_and(|c| SURNAMES.contains(*c));
    let han = chars.iter().all(|c| ('\u{4e00}'..='\u{9fff}').contains(c) || *c == '·');
    let nickname = chars.first().is_some_and(|c| "小阿老大".contains(*c)) && chars.len() <= 3;
    han && (2..=4).contains(&chars.len())
        && (surname && (titled || !chars.last().is_some_and(|c| NO_NAME_ENDS.contains(*c))) || nickname)
        || !han && is_capitalised(reading, value)
}

/// What a pet or a child is called: no verb can stand there.
pub(super) fn is_call_name(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let said = reading.text()[value.clone()].trim();
    if said.is_ascii() {
        return is_name(reading, value);
    }
    let chars: Vec<char> = said.chars().collect();
    (2..=4).contains(&chars.len())
        && chars.iter().all(|c| ('\u{4e00}'..='\u{9fff}').contains(c))
        && !chars.iter().any(|c| "我你他她它不了去来吃起车人什么苦好这那谁啥的".contains(*c))
        && !["外卖", "大家", "快递", "救护"].iter().any(|word| said.starts_with(word))
}

/// Before a word for a company, they name none: 当前公司, 一家企业.
const NO_NAME_LEADS: &[&str] = &[
    "一家",
    "一个",
    "这家",
    "那家",
    "某家",
    "某",
    "当前",
    "目前",
    "现在",
    "现在这家",
    "目前这家",
    "当前这家",
    "原",
    "原来",
    "前",
    "上一家",
    "上家",
    "新",
    "老",
    "本",
    "同一家",
    "另一家",
    "别的",
    "其他",
    "自己",
    "自家",
    "一所",
    "这所",
    "那所",
];
/// In front of a person of a trade, they say what is to be done with one: "considering seeing a doctor".
const NOT_OF_ONESELF: &[&str] = &[
    "a",
    "an",
    "considering",
    "seeing",
    "hiring",
    "finding",
    "looking",
    "seeking",
    "meeting",
    "calling",
    "thinking",
    "asking",
    "dating",
    "becoming",
    "planning",
    "trying",
    "going",
    "getting",
    "waiting",
    "talking",
    "consulting",
    "visiting",
    "not",
    "with",
    "for",
    "to",
];
/// What an object breaks off with: "the flowy parts where I".
const DANGLING: &[&str] = &[
    "i", "where", "when", "who", "whose", "that", "which", "while", "because", "if", "the", "a", "an", "my", "your",
    "and", "or", "we", "you", "they", "he", "she",
];

/// A company by its name or its kind.
pub(super) fn is_organisation(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let said = &reading.text()[value.clone()];
    let chars = said.chars().count();
    if said.is_ascii() {
        return first_word_is_capitalised(reading, value) && chars <= 40 && reading.date_in(value.clone()).is_none();
    }
    // The bare word says nothing: 在公司上班.
    let leads = NO_NAME_LEADS.iter().filter_map(|lead| said.strip_prefix(lead));
    let bare = leads.min_by_key(|rest| rest.len()).unwrap_or(said);
    if matches!(
        bare,
        "公司"
            | "单位"
            | "学校"
            | "医院"
            | "银行"
            | "工作室"
            | "家"
            | "外"
            | "大学"
            | "网络"
            | "企业"
            | "厂"
            | "机构"
    ) || chars > 16
        || is_deictic(said)
        || said.contains(['我', '的'])
    {
        return false;
    }
    let named = reading
        .hits_in(value)
        .iter()
        .any(|hit| matches!(hit.tag, Tag::Employer | Tag::Organisation) && hit.end == value.end);
    named || first_word_is_capitalised(reading, value)
}

/// Ends in an occupation; what stands before it narrows it down.
pub(super) fn is_occupation(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let said = &reading.text()[value.clone()];
    let short = if said.is_ascii() { said.split(' ').count() <= 5 } else { said.chars().count() <= 14 };
    let ends = reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Occupation && hit.end == value.end);
    let own =
        ["your", "my", "the", "bad", "good", "great", "huge", "better", "的", "你", "他", "她", "这", "那", "个", "是"]
            .iter()
            .any(
                |word| if word.is_ascii() { said.split(' ').any(|other| other == *word) } else { said.contains(word) },
            );
    let sought = NOT_OF_ONESELF.iter().any(|word| said.split(' ').next() == Some(word) && said.contains(' '))
        || said.split(' ').any(|word| matches!(word, "a" | "an" | "seeing" | "hiring"));
    short && ends && !own && !sought
}

/// P7, 副教授, "senior engineer".
pub(super) fn is_level(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let said = &reading.text()[value.clone()];
    let letters = said.bytes().take_while(u8::is_ascii_alphabetic).count();
    let grade = said[letters..].trim_end_matches(['+', '-']);
    let coded =
        (1..=2).contains(&letters) && (1..=2).contains(&grade.len()) && grade.bytes().all(|b| b.is_ascii_digit());
    coded
        || reading.hits_in(value).iter().any(|hit| {
            hit.tag == Tag::Level && hit.span() == *value
                || hit.tag == Tag::Level && hit.end == value.end && said.chars().count() <= 8
        })
}

/// Each word begins with a capital, as written.
pub(super) fn is_capitalised(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let written = reading.folded.written(value.clone());
    !written.trim().is_empty()
        && written.split_whitespace().all(|word| {
            word.chars().next().is_some_and(char::is_uppercase)
                || matches!(word, "de" | "van" | "of" | "da" | "the" | "and")
        })
        && written.trim_start().starts_with(char::is_uppercase)
}

/// The first word, articles aside, has a capital.
pub(super) fn first_word_is_capitalised(reading: &Reading<'_>, value: &Range<usize>) -> bool {
    let written = reading.folded.written(value.clone());
    let written = ["a ", "an ", "the ", "A ", "An ", "The "]
        .iter()
        .find_map(|lead| written.strip_prefix(lead))
        .unwrap_or(written);
    let first = written.split([' ', '-']).next().unwrap_or_default();
    first.chars().any(|c| c.is_ascii_uppercase())
}

pub(super) fn is_deictic(said: &str) -> bool {
    let said = said.trim();
    said.starts_with(['这', '那', '它', '他', '她', '你', '您', '该', '此', '哪', '谁'])
        || said.split(' ').any(|word| DEICTIC.contains(&word.trim_matches(|c: char| !c.is_alphanumeric())))
        || matches!(said.split(' ').next(), Some("that" | "that's" | "what" | "how" | "not" | "like" | "my" | "our"))
}

/// Whether an English stretch can be liked as such, whenever it is met.
pub(super) fn is_object_en(reading: &Reading<'_>, object: &Range<usize>) -> bool {
    let said = reading.text()[object.clone()].trim();
    if said.rsplit([' ', '\u{a0}']).next().is_some_and(|last| DANGLING.contains(&last)) {
        return false;
    }
    let words: Vec<&str> = said.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let (first, last) = (words.first().copied().unwrap_or_default(), words.last().copied().unwrap_or_default());
    let number = words.iter().take(2).any(|word| word.len() == 1 && word.chars().all(|c| c.is_ascii_digit()));
    let article = matches!(first, "a" | "an") && words.len() > 1;
    if said.is_empty()
        || said.chars().count() > OBJECT_CHARS_MAX
        || is_deictic(said)
        || first == "its"
        || words
            .windows(2)
            .any(|pair| matches!(pair[0], "that" | "this" | "those" | "these") && pair[1].len() > 2 && pair[1] != "are")
            && words.iter().any(|word| matches!(*word, "within" | "in" | "at" | "for" | "during" | "with" | "of"))
        || NO_OBJECTS.contains(&first) && !article
        || matches!(last, "that" | "who" | "which" | "where" | "when" | "whose" | "the" | "a" | "of")
        || number
    {
        return false;
    }
    // "I prefer a refund", "to cancel the flight", "a flight on May 20": asked for now.
    let errand = matches!(first, "a" | "an" | "to")
        && reading.hits_in(object).iter().any(|hit| matches!(hit.tag, Tag::Service | Tag::State(..)));
    if errand || reading.date_in(object.clone()).is_some() {
        return false;
    }
    let of_somebody = said.contains("'s ");
    if first == "the" || of_somebody {
        let written = reading.folded.written(object.clone());
        let named = written.split(' ').skip(1).any(|word| word.starts_with(char::is_uppercase));
        return named && !words.iter().any(|word| NO_HEADS.contains(word));
    }
    first != "to"
        || !matches!(
            words.get(1).copied().unwrap_or_default(),
            "think"
                | "say"
                | "believe"
                | "see"
                | "know"
                | "hear"
                | "ask"
                | "point"
                | "understand"
                | "get"
                | "have"
                | "be"
                | "bother"
                | "admit"
                | "break"
                | "interrupt"
                | ""
        )
}

/// Whether a Chinese stretch can be liked as such.
pub(super) fn is_object_zh(reading: &Reading<'_>, object: &Range<usize>) -> bool {
    let said = &reading.text()[object.clone()];
    let chars = said.chars().count();
    let shown = [
        "这", "那", "你", "您", "我", "他", "她", "它", "什么", "怎么", "吗", "还是", "上面", "刚才", "一下", "哪",
        "里面", "其中",
    ];
    let no_start = ["第", "了", "过", "得", "的", "不", "极", "死", "就", "是", "，", "、", "啊", "呢", "吧", "上班"];
    let meal = [
        "早饭", "早餐", "午饭", "晚饭", "晚餐", "午餐", "饭", "药", "亏", "苦", "软", "素", "惯", "下", "完", "饱",
        "起", "到", "消",
    ];
    // 弹吉他 holds 他.
    let without = said.replace("吉他", "").replace("其他", "");
    !(said.is_empty()
        || chars > OBJECT_CHARS_MAX / 2
        || shown.iter().any(|word| without.contains(word))
        || no_start.iter().any(|word| said.starts_with(word))
        || meal.contains(&said)
        || reading.hits_in(object).iter().any(|hit| hit.tag == Tag::Question))
}
