//! What of a text is the user's own, said for now, and said at all: no story, no pasted text, no question, no hearsay.

use std::ops::Range;

use crate::signals::frames::{self, introduces};
use crate::signals::layout::Clause;
use crate::signals::lexicon::Tag;
use crate::signals::quotations;
use crate::signals::reading::Reading;

/// A longer text is a document, of which only the first and the last paragraph can be the user's own words.
const OWN_TEXT_CHARS_MAX: usize = 4000;

/// At the head of a line: a mail, a transcript.
const HEADERS: &[&str] = &[
    "from:",
    "subject:",
    "user:",
    "assistant:",
    "human:",
    "ai:",
    "system:",
    "发件人",
    "收件人",
    "主题：",
    "主题:",
    "用户：",
    "用户:",
    "助手：",
    "助手:",
    "dear ",
];
/// At the head of a line: no prose, or a list that somebody else may have written; the lines of our own context block too.
const NOT_PROSE: &[&str] =
    &["#", "- ", "* ", "•", "– ", "— ", "|", "{", "}", "\"", "<", "[", "//", "import ", "def ", "fn "];
/// Ends a clause that leads up to the words of somebody.
const REPORTS: &[&str] = &[
    "说",
    "问",
    "道",
    "写",
    "回",
    "答",
    "讲",
    "表示",
    "告诉我",
    "said",
    "says",
    "told me",
    "asked",
    "wrote",
    "thinks",
    "claims",
    "believes",
];
/// A sentence that ends in one of these asks whether all of it is so.
const TAG_QUESTIONS: &[&str] = &[
    "对吗",
    "对吧",
    "是吗",
    "是吧",
    "对不对",
    "是不是",
    "没错吧",
    "记得吗",
    "right",
    "correct",
    "isn't it",
    "don't i",
    "do i",
    "am i",
    "aren't i",
    "is that right",
    "is that correct",
    "is that true",
    "remember",
    "yes or no",
    "true or false",
];

/// The stretches of a text that are the user's own words, in order, and what inside of them is not.
pub(super) struct OwnWords {
    lines: Vec<Range<usize>>,
    others: Vec<Range<usize>>,
}

impl OwnWords {
    const NONE: Self = Self { lines: Vec::new(), others: Vec::new() };

    /// Whether a place is in a line of the user's own.
    pub(super) fn holds(&self, at: usize) -> bool {
        quotations::covers(&self.lines, at)
    }

    /// Whether what is said from a place on is the user's own: a line may have somebody else's words in it.
    pub(super) fn says(&self, at: usize) -> bool {
        self.holds(at) && !quotations::covers(&self.others, at)
    }

    /// What the user says, by places in the text as written, in order and apart.
    pub(super) fn said(&self, reading: &Reading<'_>) -> Vec<Range<usize>> {
        let mut said = Vec::new();
        for line in &self.lines {
            let mut from = line.start;
            let first = self.others.partition_point(|other| other.end <= line.start);
            for other in self.others[first..].iter().take_while(|other| other.start < line.end) {
                said.push(from..other.start.max(from));
                from = other.end.min(line.end);
            }
            said.push(from..line.end);
        }
        said.retain(|span| !span.is_empty());
        said.into_iter().map(|span| reading.folded.span(span)).collect()
    }

    /// Of a place in the text as written.
    pub(super) fn says_original(&self, reading: &Reading<'_>, at: usize) -> bool {
        let covers = |stretches: &[Range<usize>]| {
            let after = stretches.partition_point(|span| reading.folded.span(span.clone()).end <= at);
            stretches.get(after).is_some_and(|span| reading.folded.span(span.clone()).contains(&at))
        };
        covers(&self.lines) && !covers(&self.others)
    }
}

pub(super) fn own_words(reading: &Reading<'_>) -> OwnWords {
    let text = reading.text();
    let unquoted = |tag: Tag| reading.said(0..text.len(), tag);
    let whole = text.trim();
    let is_data = whole.starts_with('{') && whole.ends_with('}') || whole.starts_with('[') && whole.ends_with(']');
    if is_data || unquoted(Tag::Pretend).next().is_some() || is_pasted(text) {
        return OwnWords::NONE;
    }
    // 我是翻译 is an occupation, 翻译一下 is work.
    let is_job = |at: usize| text[..at].ends_with(['是', '名', '个', '当', '做', '位']);
    let worked_on = unquoted(Tag::TextWork).find(|work| !is_job(work.start)).map_or(text.len(), |work| work.start);
    let fence = text.find("holdfast-context").unwrap_or(text.len());
    let until = worked_on.min(fence);
    let paragraphs = paragraphs(text);
    let mut own: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let span = from..from + line.len();
        from = span.end;
        let said = line.trim_matches(quotations::is_blank);
        if HEADERS.iter().any(|header| said.starts_with(header)) {
            return OwnWords::NONE;
        }
        let numbered = said.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = numbered.len() < said.len() && numbered.starts_with(['.', ')', '、']);
        let inside = paragraphs.iter().any(|paragraph| paragraph.contains(&span.start));
        if inside && span.start < until && !numbered && !NOT_PROSE.iter().any(|mark| said.starts_with(mark)) {
            own.push(span.start..span.end.min(until));
        }
        // What a line announces and then breaks off for is shown, not said.
        let announces = said.strip_suffix([':', '：']);
        if announces.is_some_and(|label| !introduces(label)) && from < text.len() {
            break;
        }
    }
    let frames::Others { certain, doubtful } = frames::of_others(reading);
    let others = reading.layout.foreign.iter().cloned().chain(certain).chain(doubtful).collect();
    OwnWords { lines: own, others: quotations::merged(others) }
}

/// Marks around what is shown, and words before or after it.
const PASTED: &[&str] = &[
    "<document",
    "</",
    "=== ",
    "[begin",
    "[end",
    "^ summar",
    "^ translate",
    "in first person",
    "write a bio",
    "以上是",
    "上面是",
    "以下是网页",
    "小说里",
    "主角",
    "这封邮件",
    "这封信",
];
/// A letter opens with one line of these, and closes with another.
const GREETINGS: &[&str] = &["hi", "hello", "dear", "hey", "你好", "您好", "尊敬的", "亲爱的"];
const CLOSINGS: &[&str] = &[
    "best",
    "regards",
    "best regards",
    "kind regards",
    "cheers",
    "sincerely",
    "yours",
    "thanks",
    "此致",
    "敬礼",
    "祝好",
    "顺颂商祺",
];

/// Whether a text is, or holds, one of somebody else's: a document, a page, a letter.
fn is_pasted(text: &str) -> bool {
    let line_of = |words: &[&str]| {
        let bare = |line: &str| line.trim().trim_end_matches([',', '，', '!', '！', '.', '。', ':', '：']).to_owned();
        text.lines().any(|line| words.contains(&bare(line).as_str()))
    };
    PASTED.iter().any(|mark| text.contains(mark)) || line_of(GREETINGS) && line_of(CLOSINGS)
}

/// All of a short text; of a long one the first and the last paragraph.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    if text.len() <= OWN_TEXT_CHARS_MAX || text.chars().count() <= OWN_TEXT_CHARS_MAX {
        return std::iter::once(0..text.len()).collect();
    }
    let mark = if text.contains("\n\n") { "\n\n" } else { "\n" };
    let body = text.trim_end();
    match (body.find(mark), body.rfind(mark)) {
        (Some(first), Some(last)) => vec![0..first, last..text.len()],
        _ => Vec::new(),
    }
}

/// How many of a sentence's clauses say something: of a question, those before the one that asks.
pub(super) fn said_clauses(reading: &Reading<'_>, clauses: &[Clause]) -> usize {
    let text = reading.text();
    let last = text[clauses[clauses.len() - 1].span.clone()].trim();
    let tag = TAG_QUESTIONS.contains(&last);
    if !reading.layout.sentence_of(&clauses[0]).question {
        return if tag { 0 } else { clauses.len() };
    }
    let alternative = ["or ", "and ", "还是", "或"].iter().any(|word| last.starts_with(word));
    if tag || alternative { 0 } else { clauses.len() - 1 }
}

/// Whether what a clause says is meant: nothing supposed, told by others, given as an example, or for this once.
pub(super) fn asserts(reading: &Reading<'_>, clauses: &[Clause], place: usize) -> bool {
    let text = reading.text();
    let clause = &clauses[place];
    let sentence = &reading.layout.sentence_of(clause).span;
    let so_far = sentence.start..clause.span.end;
    let before = sentence.start..clause.span.start;
    let supposed = |span: Range<usize>| {
        reading.said(span, Tag::Hypothesis).any(|word| !reading.inside_of(word, Tag::NotHypothesis))
    };
    if supposed(so_far.clone())
        || reading.said(so_far, Tag::Example).next().is_some()
        || reading.said(sentence.clone(), Tag::OneOff).next().is_some()
        || reading.said(before, Tag::Speech).next().is_some()
    {
        return false;
    }
    if let Some(next) = clauses.get(place + 1) {
        let next = text[next.span.clone()].trim_start();
        if ["if ", "unless ", "otherwise", "除非", "否则", "不然", "要不然"].iter().any(|word| next.starts_with(word))
        {
            return false;
        }
    }
    clauses[..place].iter().all(|earlier| {
        let said = text[earlier.span.clone()].trim();
        let reports = REPORTS.iter().any(|word| said.ends_with(word) && (!word.is_ascii() || said.contains(' ')));
        let labelled = text[earlier.span.end..].starts_with([':', '：']) && !introduces(said);
        // "Oh great, I love waiting."
        let mocks = matches!(said, "great" | "oh great" | "wonderful" | "yeah right" | "oh sure" | "呵呵" | "真行");
        !reports && !labelled && !mocks
    })
}

/// Whether an instruction, whose span is of the original, is one about what is served and no resolution of one's own. Chinese has
/// no form for orders: 「以后要把这些好点子都用上」 is said to oneself, 「以后周报都先写结论」 is not.
pub(super) fn is_to_who_serves(reading: &Reading<'_>, original: &Range<usize>) -> bool {
    let hits = || {
        reading.hits.iter().filter(|hit| {
            let span = reading.folded.span(hit.span());
            original.start <= span.start && span.end <= original.end
        })
    };
    let whole = reading.folded.written(0..reading.text().len());
    let written = &whole[original.clone()];
    if written.is_ascii() || !written.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
        return true;
    }
    let tagged = |wanted: &dyn Fn(Tag) -> bool| hits().any(|hit| wanted(hit.tag));
    // 我以后可以…, 我这次用了…: but 给我, 我的周报 and 除非我另外说 are no subjects.
    let own = written.match_indices('我').any(|(at, _)| {
        let (before, after) = (&written[..at], &written[at + "我".len()..]);
        !before.ends_with([
            '复', '答', '给', '叫', '问', '发', '跟', '帮', '诉', '醒', '知', '替', '为', '向', '非', '对', '让',
        ]) && !after.starts_with(['的', '说', '问', '让', '没', '要', '们'])
    });
    let told = written.trim_end().ends_with('了') && !tagged(&|tag| tag == Tag::Retracting) && !written.contains('别');
    let family = tagged(&|tag| tag == Tag::Person(true)) || written.contains("孩子");
    let thing = tagged(&|tag| matches!(tag, Tag::Served(false) | Tag::Work));
    let done = written.contains([
        '用', '写', '发', '给', '列', '附', '加', '放', '按', '标', '留', '改', '出', '做', '交', '推', '删', '命',
    ]);
    let signs = tagged(&|tag| matches!(tag, Tag::Served(true) | Tag::Format | Tag::Retracting));
    // 每次做完一个订单 is a time.
    !own && !told && !family && (signs || thing && done && !written.contains('完'))
}

pub(super) fn is_greeting(said: &str) -> bool {
    let said = said.trim();
    ["你好", "您好", "大家好", "嗨", "哈喽", "早上好", "上午好", "下午好", "晚上好", "hi", "hello", "hey"]
        .iter()
        .any(|word| said.strip_prefix(word).is_some_and(|rest| rest.chars().count() <= 6))
}
