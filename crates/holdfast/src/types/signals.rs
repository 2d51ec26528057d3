//! What rules read from an event: entities, state words, cues. Spans are byte ranges of the event's content.

use std::ops::Range;

use jiff::civil;
use serde::{Deserialize, Serialize};

/// A thing named in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    pub kind: EntityKind,
    /// As written.
    pub text: String,
    /// Normal form for comparing: `2026-11-30`, `3.2%`, `¥1200`, lower-cased name …
    pub value: String,
    pub span: Range<usize>,
}

/// The kinds of SPEC 1.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    Date,
    Number,
    Money,
    Path,
    Url,
    /// An order number, ticket, commit hash, version …
    Id,
    /// Quoted, 《》 or bracketed name; @mention; capitalised name run in English.
    Name,
    /// A task by name: 周报, "the migration".
    Task,
    /// A wish about form: PDF, Excel, 先写结论, bullet points.
    Format,
}

/// A resolved date or time expression. `start..end` is half open, in the event's own zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DateMention {
    pub text: String,
    pub span: Range<usize>,
    pub start: civil::DateTime,
    pub end: civil::DateTime,
}

/// What a state word says (SPEC 1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateWord {
    Cancel,
    Postpone,
    Pause,
    Resume,
    Done,
}

/// A state word that is meant: not negated, not asked, not quoted, not supposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateChange {
    pub word: StateWord,
    /// The item it is said of, as written; `None`: the task itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// To when, for a postponement that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateMention>,
    /// Said as a wish or asked of somebody (「我想取消订单」, "can you cancel it"): it states nothing of what is not known to be
    /// there to be cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requested: bool,
    pub span: Range<usize>,
}

/// Signs that the talk turns to a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "cue")]
pub enum Cue {
    /// 接着、继续、回到 / "back to", "continue with": `topic` is what follows, e.g. 周报.
    Continue { topic: Option<String> },
    /// 另外、换个事、新任务 / "new task", "something else": `topic` is what follows.
    Switch { topic: Option<String> },
    /// 帮我写…、"please draft …": a request that names work to be done.
    Request { topic: Option<String> },
}

/// What a user's words say about what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// 对、很好、就这样 / "great", "that works".
    Positive,
    /// 不行、不满意 / "that's wrong", "not what I asked".
    Negative,
}

/// 「不是3.2%，是2.8%」 / "it's 2.8%, not 3.2%": an earlier statement is put right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub old: String,
    /// `None`: only denied (「3.2%这个数不对」).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

/// 「更正：退货率应该是2.8%」 / "Correction: it should be 2.8%": what it puts right is the value of its kind that was said last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewValue {
    /// As written.
    pub new: String,
    /// Of what it is the value, if that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// Whether an instruction is meant to last (SPEC 3.3). Only explicit words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// 以后都、每次都 / "from now on", "always".
    Standing,
    /// 这次、只此一次、下不为例 / "just this once", "for this one".
    OneOff,
}

/// An instruction of the user with explicit words about how long it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    pub standing: Standing,
    /// The clause that states it, as written.
    pub text: String,
    pub span: Range<usize>,
}

/// What a user's words state of how things are with somebody or how they want to be served, so plainly that rules can read it.
/// Whether it becomes a memory is the gate's to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    pub claim: Claim,
    /// Of whom, as written: 我妹妹, "my sister"; `None`: the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The words that state it, as written: 「我对青霉素过敏」.
    pub text: String,
    pub span: Range<usize>,
}

/// The forms of a statement. Texts are as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "claim")]
pub enum Claim {
    /// 「我住在余杭」, "my manager is Ana": an attribute has a value, has it not, or has it no longer.
    Is { attribute: String, value: String, holds: Holds },
    /// 「我喜欢喝手冲」, "I don't like cilantro", "I prefer tabs over spaces".
    Likes { object: String, degree: Liking },
    /// An order with explicit words about how long it holds: 「以后周报都先写结论」.
    Instructs { standing: Standing },
    /// 「周报不用PDF了」, "don't use PDF anymore": what was ordered to hold does no longer. It orders nothing by itself.
    Revokes,
    /// 「记住：网关的端口是8443」, "remember that …": what is to be remembered.
    Remember { content: String },
    /// 「别记这个」「忘掉我说的端口」, "forget what I said about the port": what is to be forgotten.
    Forget { about: String },
}

/// Whether something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    Yes,
    /// 「我对牛奶不过敏」: nothing is said of whether it ever was.
    No,
    /// 「我不住在余杭了」, "I'm not a vegetarian any more": it was so, and is over.
    NoLonger,
}

/// How somebody stands to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Liking {
    /// 喜欢、爱、习惯 / "like", "love", "enjoy".
    Likes,
    /// 更喜欢、偏好 / "prefer".
    Prefers,
    /// 不喜欢、讨厌、不吃 / "don't like", "hate", "can't stand".
    Dislikes,
    /// 不再喜欢、戒了 / "no longer like": the liking is over, and nothing is said of a dislike.
    NoLonger,
    /// 现在喝…、又开始吃… / "eat … again": a dislike is over, and nothing is said of a liking.
    Resumed,
}

/// Which words of a text are its speaker's own, and which say that they last. Places are of the text as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Stretches in order and apart, none over the end of a line.
    pub own: Vec<Range<usize>>,
    /// Where words of lasting stand: 以后, "always".
    pub lasting: Vec<usize>,
}

impl Attribution {
    /// Whether words are the speaker's own, in each of their lines.
    pub fn is_own(&self, text: &str, words: &Range<usize>) -> bool {
        let Some(said) = text.get(words.clone()) else { return false };
        let begins = said.len() - said.trim_start().len();
        let lines = said.match_indices('\n').map(|(at, _)| at + 1).filter(|at| !said[*at..].trim().is_empty());
        std::iter::once(begins).chain(lines).all(|at| {
            let after = self.own.partition_point(|span| span.end <= words.start + at);
            self.own.get(after).is_some_and(|span| span.contains(&(words.start + at)))
        })
    }

    /// Whether a word of lasting stands in a stretch.
    pub fn lasts(&self, stretch: &Range<usize>) -> bool {
        self.lasting.iter().any(|at| stretch.contains(at))
    }
}

/// What a text does besides what it says: cheap to keep beside it, and ranking asks for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Manner {
    /// An instruction of the user that is meant to last: 以后都…, "always …".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub instructs: bool,
    /// States what the user likes or wants: 我喜欢…, "I prefer …".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prefers: bool,
}

/// The language a text is mainly written in: labels of a context block follow it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Zh,
    #[default]
    En,
}

/// Everything rules read from one event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Signals {
    pub language: Language,
    #[serde(skip_serializing_if = "is_default")]
    pub manner: Manner,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<DateMention>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<StateChange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<Cue>,
    /// Sentences that only go on with the work (「继续写周报，今天要发了。」): nothing in them is worth reading again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goes_on: Vec<Range<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// Corrections that don't say what they put right. Whoever knows what was said before makes corrections of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_values: Vec<NewValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instruction>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
