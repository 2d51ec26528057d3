//! Whether an order with words that it lasts is the user's, to whoever serves, and without an end: 「小王说，以后都用Word」, "Until Friday,
//! always use Word" and "Tell Bob: from now on use PDF" are not. What limits it stands mostly outside of the clause that orders.

use std::ops::Range;

use crate::signals::frames::introduces;
use crate::signals::reading::Reading;
use crate::text::fold;

/// Words of lasting, by whose place what comes before an order is told from the order.
const CUES: &[&str] = &[
    "from now on",
    "from here on",
    "going forward",
    "always",
    "never",
    "every time",
    "by default",
    "以后",
    "今后",
    "往后",
    "从现在起",
    "从今",
    "每次",
    "一律",
    "永远",
];
/// Before it: somebody else's words.
const REPORTS: &[&str] = &[
    " said",
    " says",
    "say,",
    " wrote",
    " writes",
    "according to",
    "heard that",
    "told me",
    "说",
    "写着",
    "写道",
    "提到",
    "声称",
    "据说",
    "听说",
    "要求是",
];
/// Before it: that it is not so, or no longer.
const DENIALS: &[&str] = &[
    "didn't say",
    "did not say",
    "never said",
    "nobody said",
    "no one said",
    "not true",
    "don't mean",
    "used to",
    "没说",
    "没有说",
    "不是说",
    "谁说",
    "并没有",
    "以前的",
    "之前的规矩",
    "从前",
];
/// Before it: a case that the clause by itself would be without.
const CONDITIONS: &[&str] = &["if ", "unless ", "in case ", "suppose", "如果", "要是", "假如", "万一", "除非"];
/// Before it: it is for somebody else, or goes into something.
const ADDRESSED: &[&str] = &[
    "tell ",
    "remind ",
    "ask ",
    "reply to",
    "write to",
    "write him",
    "write her",
    "email ",
    "mail ",
    "add to the",
    "make the ",
    "let him",
    "let her",
    "回复",
    "告诉",
    "提醒",
    "转告",
    "通知",
    "帮我写",
    "写一封",
    "写封",
    "跟他说",
    "跟她说",
];
/// But these are to whoever serves.
const TO_ME: &[&str] =
    &["tell me", "remind me", "ask me", "email me", "mail me", "reply to me", "回复我", "告诉我", "提醒我", "通知我"];
/// Before it: perhaps.
const MAYBE: &[&str] = &["maybe", "perhaps", "possibly", "可能", "也许", "或许", "说不定"];
/// Behind it: an end to it. 「以后都用PDF，这次只要Excel」 ends nothing.
const LIMITS_BEHIND: &[&str] = &["until ", "till ", "only for", "this once", "today only", "仅限", "只限", "下不为例"];
/// Before it or in it: an end to it.
const LIMITS: &[&str] = &[
    "until ",
    "till ",
    "only for",
    "for this ",
    "for today",
    "for the rest of",
    "this session",
    "this chat",
    "this once",
    "today only",
    "仅限",
    "只限",
    "这次",
    "这一次",
    "本次",
    "这回",
    "任务里",
    "会话里",
    "对话里",
    "下不为例",
    "这周",
    "本周",
    "今天",
];
/// But these set when it begins.
const BEGINNINGS: &[&str] = &[
    "until further notice",
    "until i say",
    "till i say",
    "从今天",
    "今天起",
    "今天开始",
    "从这周",
    "这周起",
    "这周开始",
    "从本周",
    "本周起",
    "本周开始",
    "从这次",
    "这次起",
    "这次开始",
];
/// Anywhere in the text: it is weighed, or taken back.
const WEIGHED: &[&str] = &[
    "option a",
    "option b",
    "which is better",
    "which one",
    "never mind",
    "nevermind",
    "no wait",
    "scratch that",
    "方案a",
    "方案一",
    "哪个好",
    "哪种好",
    "算了",
    "当我没说",
    "开玩笑",
    "逗你",
    "哦不",
];
/// Behind it: whose words they were.
const REPORTED_BEHIND: &[&str] = &[" said", " says", "说。", "说的", "说道", "according to"];

/// `order`: its place in the text as written.
pub(super) fn stands(reading: &Reading<'_>, order: &Range<usize>) -> bool {
    let written = reading.folded.written(0..reading.text().len());
    let clauses = &reading.layout.clauses;
    let Some(clause) = clauses.iter().find(|clause| reading.folded.span(clause.span.clone()).end > order.start) else {
        return false;
    };
    let sentence = reading.folded.span(reading.layout.sentence_of(clause).span.clone());
    let part = |span: Range<usize>| written.get(span).map(fold).unwrap_or_default();
    let text = part(order.clone());
    let cue = CUES.iter().filter_map(|cue| text.find(cue)).min().unwrap_or(0);
    let head = format!("{}{}", part(sentence.start..order.start.max(sentence.start)), &text[..cue]);
    let behind = part(order.end..sentence.end.max(order.end));
    let any = |said: &str, words: &[&str]| words.iter().any(|word| said.contains(word));
    let to_here = format!("{head}{}", &text[cue..]);
    let reported =
        any(&behind, REPORTED_BEHIND) || behind.trim_end_matches(['。', '.', '！', '!', ' ']).ends_with('说');
    let without = |said: &str, words: &[&str]| words.iter().fold(said.to_owned(), |said, word| said.replace(word, " "));
    let labelled = head.trim_end().strip_suffix([':', '：']).is_some_and(|label| !introduces(label))
        || head.find([':', '：']).is_some_and(|at| !introduces(&head[..at]));
    let unsure = any(&head, REPORTS) || any(&head, DENIALS) || any(&head, CONDITIONS) || any(&head, MAYBE) || labelled;
    let after = text[cue..].trim_start_matches(CUES_ENDS);
    let may = MAYBE.iter().any(|word| after.chars().take(8).collect::<String>().contains(word));
    !unsure
        && !may
        && !any(&without(&head, TO_ME), ADDRESSED)
        && !any(&without(&to_here, BEGINNINGS), LIMITS)
        && !any(&without(&behind, BEGINNINGS), LIMITS_BEHIND)
        && !reported
        && !any(reading.text(), WEIGHED)
}

/// Signs between a word of lasting and what is ordered.
const CUES_ENDS: &[char] = &[' ', ',', '，'];

/// Words that give a fact an end, or another speaker, within its sentence.
const PASSING: &[&str] = &[
    "this week",
    "this month",
    "these days only",
    "temporarily",
    "for the purposes",
    "for the purpose",
    " said ",
    "according to",
    "no wait",
    "这周",
    "这两天",
    "这几天",
    "这个月",
    "暂时",
    "临时",
    "哦不",
];

/// Whether a fact is stated as one that lasts. `place`: where it begins, in the folded text.
pub(super) fn is_lasting(reading: &Reading<'_>, place: usize) -> bool {
    let Some(clause) = reading.layout.clause_at(place) else { return false };
    let sentence = &reading.text()[reading.layout.sentence_of(clause).span.clone()];
    !PASSING.iter().any(|word| sentence.contains(word))
}
