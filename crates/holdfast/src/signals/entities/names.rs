//! Names: in quotation marks or 《》, @mentions, capitalised runs in English, Chinese companies and people with titles.
//! Conservative: a name that is missed is still found by its words.

use std::ops::Range;

use crate::signals::lexicon::Tag;
use crate::signals::reading::Reading;

/// Longest quoted name, in characters: longer is speech.
const QUOTED_CHARS_MAX: usize = 20;

/// Common Chinese surnames, for 王总 and 李经理.
const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段钱汤尹黎易常武乔贺赖龚文";

/// Capitalised English words that begin sentences, or are no names.
const NOT_NAMES: &[&str] = &[
    "i",
    "the",
    "a",
    "an",
    "this",
    "that",
    "these",
    "those",
    "it",
    "he",
    "she",
    "we",
    "you",
    "they",
    "my",
    "our",
    "your",
    "his",
    "her",
    "their",
    "its",
    "is",
    "are",
    "was",
    "were",
    "do",
    "does",
    "did",
    "can",
    "could",
    "will",
    "would",
    "should",
    "may",
    "might",
    "must",
    "please",
    "yes",
    "no",
    "ok",
    "okay",
    "and",
    "or",
    "but",
    "so",
    "if",
    "when",
    "while",
    "what",
    "who",
    "how",
    "why",
    "where",
    "which",
    "let's",
    "i'm",
    "i'll",
    "i've",
    "i'd",
    "not",
    "thanks",
    "hi",
    "hello",
    "hey",
    "also",
    "then",
    "now",
    "today",
    "tomorrow",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "from",
    "for",
    "in",
    "on",
    "at",
    "to",
];

pub(super) fn find(reading: &Reading<'_>, found: &mut impl FnMut(Range<usize>)) {
    quoted(reading, found);
    chinese(reading, found);
    mentions(reading.text(), found);
    capitalised(reading, found);
}

fn quoted(reading: &Reading<'_>, found: &mut impl FnMut(Range<usize>)) {
    let text = reading.text();
    for span in &reading.layout.quoted {
        let said = &text[span.clone()];
        let chars = said.chars().count();
        let before = text[..span.start].chars().next_back();
        let marked = before.is_some_and(|c| "“”‘「『《\"'".contains(c));
        let name = (1..=QUOTED_CHARS_MAX).contains(&chars)
            && !said.contains(['，', '。', '！', '？', '?', '!', '\n', '；'])
            && said.chars().any(char::is_alphanumeric)
            && said.split(' ').count() <= 5;
        if marked && name {
            found(span.clone());
        }
    }
}

fn chinese(reading: &Reading<'_>, found: &mut impl FnMut(Range<usize>)) {
    let text = reading.text();
    for hit in &reading.hits {
        let before = &text[..hit.start];
        match hit.tag {
            // 王总, 李经理: a surname and a title, no more than that before it.
            Tag::Title if !text[hit.span()].is_ascii() => {
                let Some(surname) = before.chars().next_back().filter(|c| SURNAMES.contains(*c)) else { continue };
                let rest = &text[hit.end..];
                // 张总结, 王工作: the title is the head of another word.
                let word = matches!(&text[hit.span()], "总" | "工" | "董")
                    && rest.starts_with([
                        '结', '是', '作', '程', '共', '体', '部', '量', '数', '计', '具', '事', '资', '厂', '人', '业',
                        '统', '经', '监', '价', '期', '会', '行', '算',
                    ]);
                let inside = before.chars().nth_back(1).is_some_and(|c| "老小第".contains(c));
                if !word && !inside {
                    found(hit.start - surname.len_utf8()..hit.end);
                }
            }
            // 华星科技, 东方银行: two to four characters and a suffix.
            Tag::Organisation if !text[hit.span()].is_ascii() => {
                let head: Vec<char> = before
                    .chars()
                    .rev()
                    .take_while(|c| {
                        is_han(*c)
                            && !"的和与跟在给把是从向对为了我你他她这那个家们该本贵各每某去到找帮问请说自来由是约见访"
                                .contains(*c)
                    })
                    .take(5)
                    .collect();
                if (2..=4).contains(&head.len()) && !head.iter().any(|c| "不没有要用做写".contains(*c)) {
                    let start = hit.start - head.iter().map(|c| c.len_utf8()).sum::<usize>();
                    let longer =
                        reading.hits_in(&(hit.end..hit.end + 1)).iter().find(|next| next.tag == Tag::Organisation);
                    found(start..longer.map_or(hit.end, |next| next.end));
                }
            }
            _ => {}
        }
    }
    // 客户A, 项目B, 供应商甲: a role and a letter.
    for role in ["客户", "项目", "供应商", "公司", "方案", "团队", "小组"] {
        for (at, _) in text.match_indices(role) {
            let end = at + role.len();
            let Some(letter) = text[end..].chars().next() else { continue };
            let alone = !text[end + letter.len_utf8()..].starts_with(|c: char| c.is_ascii_alphanumeric());
            let capital = reading
                .folded
                .written(end..end + letter.len_utf8())
                .starts_with(|c: char| c.is_ascii_uppercase() || ('Ａ'..='Ｚ').contains(&c));
            if alone && (capital || "甲乙丙丁".contains(letter)) {
                found(at..end + letter.len_utf8());
            }
        }
    }
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn mentions(text: &str, found: &mut impl FnMut(Range<usize>)) {
    for (at, _) in text.match_indices('@') {
        // ana@example.org is an address.
        if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.') {
            continue;
        }
        let rest = &text[at + 1..];
        let len = rest.find(|c: char| !c.is_alphanumeric() && !"_-.".contains(c)).unwrap_or(rest.len());
        let name = rest[..len].trim_end_matches('.');
        if (1..=64).contains(&name.len()) {
            found(at..at + 1 + name.len());
        }
    }
}

/// Runs of capitalised words inside a sentence: "Acme Corp", "Ana". At its start a single one may be any word.
fn capitalised(reading: &Reading<'_>, found: &mut impl FnMut(Range<usize>)) {
    let text = reading.text();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut run: Option<(Range<usize>, usize, bool)> = None;
    let mut sentence_start = true;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic()
            || at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"_./-@#\\'*".contains(&bytes[at - 1]))
        {
            match bytes[at] {
                b'.' | b'!' | b'?' | b'\n' | b':' | b';' => sentence_start = true,
                b' ' => {}
                _ if !bytes[at].is_ascii() => sentence_start = false,
                _ => {}
            }
            if bytes[at] != b' ' {
                flush(&mut run, found);
            }
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'\'' || **b == b'-').count();
        let span = at..at + len;
        let word = text[span.clone()].trim_end_matches("'s").trim_end_matches(['-', '\'']);
        let span = span.start..span.start + word.len();
        let written = reading.folded.written(span.clone());
        let capital = written.starts_with(|c: char| c.is_ascii_uppercase());
        let identifier = bytes.get(at + len).is_some_and(|b| b"_(/\\@".contains(b))
            || word.len() < 2
            || word.bytes().any(|b| b.is_ascii_digit());
        // A capitalised first word counts only as the head of a longer run.
        let known = NOT_NAMES.contains(&word)
            || reading.hits_in(&(at..at + 1)).iter().any(|hit| {
                matches!(hit.tag, Tag::Format | Tag::Weekday(..) | Tag::Month(..) | Tag::RequestVerb | Tag::State(..))
                    && hit.end == span.end
            });
        if capital && !known && !identifier {
            match &mut run {
                Some((whole, words, _)) => {
                    whole.end = span.end;
                    *words += 1;
                }
                None => run = Some((span.clone(), 1, sentence_start)),
            }
            if word.len() < len {
                flush(&mut run, found);
            }
        } else {
            flush(&mut run, found);
        }
        sentence_start = false;
        at += len;
    }
    flush(&mut run, found);
}

fn flush(run: &mut Option<(Range<usize>, usize, bool)>, found: &mut impl FnMut(Range<usize>)) {
    if let Some((span, words, at_start)) = run.take()
        && (words > 1 || !at_start)
        && words <= 5
    {
        found(span);
    }
}
