//! Whether an order that lasts is about the world and not about what whoever serves does: "always use fresh basil", 「每次都要放一点盐」.
//! People give advice, tell how a dish is made and what a tool needs in the very words of an order. A rule that is missed is said again;
//! one that nobody gave stays. So an order with a word of kitchens, gardens, bodies or tools needs a word of the work beside it, or the
//! speaker in it; and one that shows neither is taken for what the rest of the text is about.

use std::ops::Range;

use super::imperatives::is_loose;
use super::lexicon::{Hit, Tag};
use super::reading::Reading;
use crate::text::find_whole;

/// More sentences tell something, and what they order is part of what they tell.
const SENTENCES_MAX: usize = 2;

/// The speaker, in an order: it is for them.
const SPEAKER: &[&str] = &["i", "i'm", "me", "my", "we", "our", "us", "please", "pls"];
const SPEAKER_ZH: &[&str] = &["我", "请", "麻烦", "你", "您"];

/// What one asks only of whoever answers.
const SPOKEN: &[&str] = &[
    "answer",
    "answers",
    "cc",
    "bcc",
    "cite",
    "explain",
    "format",
    "mention",
    "mentioning",
    "output",
    "recommend",
    "reply",
    "respond",
    "suggest",
    "summarise",
    "summarize",
    "translate",
];
const SPOKEN_ZH: &[&str] =
    &["回复", "回答", "答复", "输出", "导出", "抄送", "标注", "注明", "引用", "翻译", "附上", "要附", "提醒"];

/// `word`: the word of lasting; `order`: the stretch that orders. Both of the folded text.
pub(super) fn is_of_the_world(reading: &Reading<'_>, word: &Hit, order: &Range<usize>) -> bool {
    let text = reading.text();
    let said = &text[order.clone()];
    let chinese = !text.as_bytes()[word.start].is_ascii();
    let to_who_serves = if chinese {
        SPEAKER_ZH.iter().chain(SPOKEN_ZH).any(|word| said.contains(word))
    } else {
        has_word(said, SPEAKER, word, order.start) || has_word(said, SPOKEN, word, order.start)
    };
    // The verb may be a word of the work too: "always test the pasta".
    let head = |hit: &Hit| text[order.start..hit.start].trim().is_empty() || hit.start <= word.end + 1;
    let of_the_work = reading.hits_in(order).iter().any(|hit| is_work(hit.tag) && (chinese || !head(hit)));
    if to_who_serves || of_the_work {
        return false;
    }
    if speaks_of(reading, order, is_world) {
        return true;
    }
    // "From now on" and 以后 say more by themselves; and Chinese rules ask for a sign of the work as it is.
    if chinese || !is_loose(&text[word.span()]) {
        return false;
    }
    // "Always document your journey" is said to anybody.
    let whole = 0..text.len();
    let sentences = reading.layout.sentences.iter().filter(|sentence| !text[sentence.span.clone()].trim().is_empty());
    let told = sentences.count() > SENTENCES_MAX && !speaks_of(reading, &whole, is_work);
    find_whole(said, "your").is_some() || told || speaks_of(reading, &whole, is_world)
}

fn speaks_of(reading: &Reading<'_>, span: &Range<usize>, of: fn(Tag) -> bool) -> bool {
    reading.hits_in(span).iter().any(|hit| of(hit.tag))
}

fn is_world(tag: Tag) -> bool {
    matches!(tag, Tag::World | Tag::Food)
}

fn is_work(tag: Tag) -> bool {
    matches!(tag, Tag::WorkWord | Tag::Format | Tag::Served(false))
}

/// Whether one of the words is said beside the word of lasting: of "whenever you" the "you" is its own.
fn has_word(said: &str, words: &[&str], lasting: &Hit, from: usize) -> bool {
    let (before, after) = (&said[..lasting.start - from], said.get(lasting.end - from..).unwrap_or_default());
    let any = |said: &str| said.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| words.contains(&word));
    // "Every time you bake": of the case, and not of the order.
    any(before) || any(after.strip_prefix(" you ").unwrap_or(after))
}
