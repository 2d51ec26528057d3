//! Whether a user praises or blames what was done. Only evaluative sentences count: no question, example, quotation,
//! supposition or neutral description, and nothing said of third persons.

use super::lexicon::{Hit, Tag};
use super::reading::Reading;
use crate::types::signals::Feedback;

/// What is said of the work stands near the start of its clause; a long clause is a description.
const LEAD_CHARS_MAX: usize = 12;
/// Longest clause that judges, in Chinese characters.
const CLAUSE_CHARS_MAX: usize = 18;
/// In English, in words.
const LEAD_WORDS_MAX: usize = 5;

/// Blame outweighs praise: 「不错，但是数字不对」 asks for a change. `None` when nothing was judged.
pub(super) fn find(reading: &Reading<'_>) -> Option<Feedback> {
    let mut found = None;
    for hit in &reading.hits {
        let (Tag::Positive | Tag::Negative) = hit.tag else { continue };
        if !judges(reading, hit) {
            continue;
        }
        if hit.tag == Tag::Negative {
            return Some(Feedback::Negative);
        }
        // 对 inside 不对: the longer word has its own entry and its own sense.
        found = Some(Feedback::Positive);
    }
    found.or_else(|| assent(reading))
}

/// 「对，就这样」: 对 and "yes, great" are too short to look for anywhere but at the start.
fn assent(reading: &Reading<'_>) -> Option<Feedback> {
    let first = reading.layout.clauses.first()?;
    let said = reading.text()[first.span.clone()].trim();
    let sentence = reading.layout.sentence_of(first);
    let whole =
        reading.layout.clauses.len() == 1 || reading.text()[first.span.end..].starts_with(['，', ',', '！', '!', '。']);
    (!sentence.question
        && whole
        && matches!(said, "对" | "对对" | "对对对" | "对了就是这样" | "好极了" | "漂亮" | "妙" | "棒")
        && !reading.text()[first.span.end..].starts_with("，不"))
    .then_some(Feedback::Positive)
}

fn judges(reading: &Reading<'_>, hit: &Hit) -> bool {
    if reading.layout.is_quoted(hit.start) || reading.inside_of(hit, Tag::NotFeedback) || swallowed(reading, hit) {
        return false;
    }
    let Some(clause) = reading.clause_of(hit) else { return false };
    let sentence = reading.layout.sentence_of(clause);
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim();
    let after = text[hit.end..clause.span.end].trim();
    if sentence.question || reading.said(clause.span.clone(), Tag::Question).any(|word| word.end <= hit.start) {
        return false;
    }
    let general = |tag: Tag| reading.said(sentence.span.start..hit.start, tag).next().is_some();
    if general(Tag::Hypothesis)
        || general(Tag::Example)
        || reading.said(clause.span.start..hit.start, Tag::Speech).next().is_some()
    {
        return false;
    }
    // 客户很满意, "my boss loves it": told of others. "it" and 系统 are what is judged.
    let others = reading
        .said(clause.span.start..hit.start, Tag::ThirdPerson)
        .any(|word| !matches!(&text[word.span()], "it" | "系统" | "大家" | "everyone" | "the system"));
    if others || reading.said(clause.span.start..hit.start, Tag::Habit).next().is_some() {
        return false;
    }
    if reading.said(clause.span.start..hit.start, Tag::Modality).any(|word| text[word.span()].is_ascii()) {
        return false;
    }
    if hit.tag == Tag::Positive
        && reading
            .said(clause.span.start..hit.start, Tag::Negation)
            .any(|word| !reading.inside_of(word, Tag::NotNegation) && word.end + 6 >= hit.start)
    {
        return false;
    }
    let ascii = text[hit.span()].is_ascii();
    let near = if ascii {
        before.split_whitespace().count() <= LEAD_WORDS_MAX
    } else {
        before.chars().count() <= LEAD_CHARS_MAX
    };
    if !near {
        return false;
    }
    let word = &text[hit.span()];
    // A judgement is short; 我刚通过了考试 tells of oneself.
    let of_oneself = before.contains('我')
        && !["满意", "喜欢", "认可", "同意"].iter().any(|own| word.contains(own))
        && !before.contains("给我")
        && hit.tag == Tag::Positive;
    if !ascii && (text[clause.span.clone()].trim().chars().count() > CLAUSE_CHARS_MAX || of_oneself) {
        return false;
    }
    if ascii {
        // "great" and "perfect" before a noun are description: "a great restaurant in Kyoto", "correct version".
        let bare = !word.contains(' ') && hit.tag == Tag::Positive;
        // "The cushioning was great" is no word on what was done here.
        let of_the_work = ["this", "that", "it", "your", "these", "those"].iter().any(|word| before.starts_with(word))
            || reading.said(clause.span.start..hit.start, Tag::Work).next().is_some();
        let verdict = before.is_empty()
            || matches!(
                before,
                "that's"
                    | "this is"
                    | "that is"
                    | "it's"
                    | "it is"
                    | "looks"
                    | "yes"
                    | "this looks"
                    | "wow"
                    | "oh"
                    | "ok"
                    | "thanks"
                    | "is"
                    | "sounds"
                    | "absolutely"
                    | "just"
                    | "very"
                    | "so"
            )
            || of_the_work && [" is", " looks", " was", " are"].iter().any(|verb| before.ends_with(verb));
        let goes_on = !after.is_empty()
            && ![
                "work", "job", "thanks", "thank", "that", "this", "!", "now", "answer", "exactly", "and", "but", "so",
                "for me", "as",
            ]
            .iter()
            .any(|next| after.starts_with(next));
        return !bare || verdict && !goes_on;
    }
    // 我喜欢用PDF is a taste, 我喜欢这个 a judgement.
    if word.ends_with("喜欢") && !after.is_empty() && !after.starts_with(['这', '你', '它', '那', '了']) {
        return false;
    }
    // 很好的餐厅 describes; 很好吃 is another word.
    !(after.starts_with('的') && after.chars().count() > 1 && !after.starts_with("的。")
        || after.starts_with(['吃', '喝', '看', '玩', '听', '用', '奇']) && word.ends_with('好'))
}

/// 对的 within 不对的, 满意 within 不满意, "great" within "not great".
fn swallowed(reading: &Reading<'_>, hit: &Hit) -> bool {
    let from = reading.hits.partition_point(|other| other.start + 64 < hit.start);
    reading.hits[from..].iter().take_while(|other| other.start <= hit.start).any(|other| {
        matches!(other.tag, Tag::Positive | Tag::Negative)
            && other.tag != hit.tag
            && other.end >= hit.end
            && other.end - other.start > hit.end - hit.start
    })
}
