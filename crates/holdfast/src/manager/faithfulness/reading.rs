//! A text as the gate compares it: sentences, clauses and segments of tokens. A token is a word by its stem, an ideograph, a number with its
//! unit, a date, or a small word by its class; articles, particles and the like leave only their mark on the token behind them.

use std::ops::Range;

use super::addresses::verbatim;
use super::dates::{self, Date};
use super::numbers::{self, Number};
use super::words::{Class, Entry, HEADINGS, Lead, TITLES_EN, Words};
use crate::text::{fold, index_terms, is_han_or_kana, sentences};

/// What a token is compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sense {
    /// A Latin word by its stem; an id, a path or an address as it is written.
    Word(String),
    /// An ideograph, kana, or another character that is a word by itself.
    Character(char),
    Number(Number),
    Date(Date),
    Class(Class),
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) sense: Sense,
    pub(super) lead: Lead,
    /// Nothing stands between it and the token before it.
    pub(super) glued: bool,
    /// As written, folded.
    pub(super) text: String,
    /// Begins with a capital inside a sentence, has digits, or is an address: a name or an id, to say so in a refusal.
    pub(super) named: bool,
    /// What the person is whose name follows.
    pub(super) title: bool,
}

/// A stretch of a clause without anything that joins: what stands in it belongs together.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) tokens: Vec<Token>,
    pub(super) sentence: usize,
    pub(super) clause: usize,
    /// Says more of what stands before it, and takes no subject away: in brackets, "which …".
    pub(super) aside: bool,
    pub(super) question: bool,
    /// Begins with 他, "she" …: what it speaks of was named before.
    pub(super) pronoun: bool,
}

/// A clause of a summary: what is checked by itself.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) written: String,
    pub(super) tokens: Vec<Token>,
    /// Goes on with what the claim before it speaks of.
    pub(super) continues: bool,
    pub(super) question: bool,
    /// Begins with 他, "they" …: is not of who speaks.
    pub(super) of_others: bool,
}

/// A sentence of a summary with its claims.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub(super) written: String,
    pub(super) claims: Vec<Claim>,
}

impl Token {
    /// Whether a token of a source says what this token of a summary says.
    pub(super) fn is_borne_by(&self, source: &Self) -> bool {
        match (&self.sense, &source.sense) {
            (Sense::Date(own), Sense::Date(said)) => said.bears(own),
            (own, said) => own == said,
        }
    }

    pub(super) fn class(&self) -> Option<Class> {
        if let Sense::Class(class) = self.sense { Some(class) } else { None }
    }

    pub(super) fn is_value(&self) -> bool {
        matches!(self.sense, Sense::Number(_) | Sense::Date(_))
    }

    fn is_time(&self) -> bool {
        matches!(self.sense, Sense::Date(_))
    }

    /// May be left out at the beginning of a clause without changing whom it is about.
    pub(super) fn is_setting(&self) -> bool {
        self.is_time() || self.title || self.class() == Some(Class::Speaker)
    }
}

/// Family names that a name of a person in Chinese begins with most often, and what stands before one.
const FAMILY_NAMES: &str = "王李张刘陈杨黄赵吴高葛骆康甘齐殷施洪常尚牛温芦喻祝左辛管詹关焦巴纪翟欧阳上官司徒柳倪安梅裴季兰舒岳符卓凌盛穆项丘路童沙简鲁聂祁耿宁柴桂仇樊申宫佟苗曲单房应宗游周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤小老阿";

fn is_family_name(c: char) -> bool {
    FAMILY_NAMES.contains(c)
}

impl Segment {
    /// Whether it begins with how much or how it goes, and says nothing of what: 「同比上升 8%」, "up 12%".
    pub(super) fn elides(&self) -> bool {
        let begins = |words: &str| {
            words.chars().zip(&self.tokens).all(|(c, token)| token.sense == Sense::Character(c))
                && self.tokens.len() > 1
        };
        // 「七天内」 and a date tell when, not how much.
        let when = self
            .tokens
            .get(1)
            .is_some_and(|next| matches!(next.class(), Some(Class::Within | Class::Before | Class::After)));
        let led = self.tokens.first().is_some_and(|token| {
            matches!(token.sense, Sense::Number(_)) && !when
                || token.lead == Lead::Than
                || token.class().is_some_and(|class| {
                    class.bounds() && !matches!(class, Class::Within | Class::Before | Class::After)
                })
        });
        // 「待办」 and "done" are of what stands before them.
        let bare = self.tokens.iter().all(|token| token.class().is_some_and(|class| class != Class::Speaker));
        led || bare || begins("同比") || begins("环比")
    }

    /// Whether it begins with what may be a person's name.
    pub(super) fn names_somebody(&self) -> bool {
        let first = self.tokens.iter().find(|token| !token.is_setting());
        first.is_some_and(|token| match token.sense {
            Sense::Character(c) => is_family_name(c),
            _ => token.named,
        })
    }
}

enum Item {
    Token(Token),
    Joins,
    Begins,
    Aside,
}

/// The segments of a source, in order.
pub(super) fn source(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut clause = 0;
    for (sentence, range) in sentences(text).into_iter().enumerate() {
        let written = &text[range];
        let question = asks(written);
        for (part, bracketed) in parts(written) {
            clause += 1;
            let mut tokens = Vec::new();
            let mut aside = bracketed;
            let mut pronoun = led_by_pronoun(&part);
            let mut close = |tokens: &mut Vec<Token>, clause: usize, aside: bool| {
                if !tokens.is_empty() {
                    let pronoun = std::mem::take(&mut pronoun);
                    segments.push(Segment {
                        tokens: std::mem::take(tokens),
                        sentence,
                        clause,
                        aside,
                        question,
                        pronoun,
                    });
                }
            };
            for item in items(&part) {
                match item {
                    Item::Token(token) => tokens.push(token),
                    Item::Joins => close(&mut tokens, clause, aside),
                    Item::Begins | Item::Aside => {
                        close(&mut tokens, clause, aside);
                        clause += 1;
                        aside = bracketed || matches!(item, Item::Aside);
                    }
                }
            }
            close(&mut tokens, clause, aside);
        }
    }
    segments
}

/// The claims of a summary, sentence by sentence.
pub(super) fn summary(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for range in sentences(text) {
        let written = &text[range];
        let question = asks(written);
        let mut claims: Vec<Claim> = Vec::new();
        for (part, _) in parts(written) {
            if HEADINGS.contains(&fold(part.trim_matches(|c: char| !c.is_alphanumeric())).as_str()) {
                continue;
            }
            let mut tokens = Vec::new();
            let mut close = |tokens: &mut Vec<Token>, part: &str| {
                if !tokens.is_empty() {
                    let continues = !claims.is_empty() || led_by_pronoun(part);
                    let of_others = led_by(part, &["他", "她"], &["he ", "she ", "they ", "his ", "her ", "their "]);
                    claims.push(Claim {
                        written: part.trim().to_owned(),
                        tokens: std::mem::take(tokens),
                        continues,
                        question,
                        of_others,
                    });
                }
            };
            for item in items(&part) {
                match item {
                    Item::Token(token) => tokens.push(token),
                    Item::Joins => {}
                    Item::Begins | Item::Aside => close(&mut tokens, &part),
                }
            }
            close(&mut tokens, &part);
        }
        found.push(Sentence { written: written.to_owned(), claims });
    }
    found
}

pub(super) fn led_by_pronoun(part: &str) -> bool {
    let latin = ["he ", "she ", "it ", "they ", "this ", "that ", "his ", "her ", "its ", "their "];
    led_by(part, &["他", "她", "它", "该", "此", "其"], &latin)
}

fn led_by(part: &str, han: &[&str], latin: &[&str]) -> bool {
    let folded = fold(part);
    let folded = folded.trim_start();
    han.iter().chain(latin).any(|word| folded.starts_with(word))
}

/// Whether a sentence is a question.
pub(super) fn asks(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(['”', '"', '」', '』', ')', '）', ' ']);
    let end_folded = end.trim_end_matches(['。', '.', '！', '!']);
    end.ends_with(['?', '？'])
        || end_folded.ends_with(['吗', '呢'])
        || ["是否", "要不要", "能不能", "是不是", "会不会", "有没有"].iter().any(|word| sentence.contains(word))
}

/// The stretches of a sentence between its commas, colons and brackets, as written, and whether in brackets.
fn parts(sentence: &str) -> Vec<(String, bool)> {
    let mut found: Vec<(String, bool)> = Vec::new();
    let mut part = String::new();
    let mut depth = 0usize;
    let characters: Vec<char> = sentence.chars().collect();
    let verbatim = verbatim_characters(sentence);
    for (at, &c) in characters.iter().enumerate() {
        let digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
        let space = |at: usize| characters.get(at).is_none_or(|c| c.is_whitespace());
        let in_number = digit(at.checked_sub(1)) && digit(Some(at + 1));
        let divides = !verbatim[at]
            && match c {
                '，' | '；' | '。' | '！' | '？' | '!' | '?' | ';' | '\n' | '…' | '|' | '\t' | '—' | '{' | '}'
                | '→' => true,
                // November 30, 2026
                ',' if digit(at.checked_sub(1)) && space(at + 1) => {
                    let year: Vec<char> = characters.iter().skip(at + 2).take(5).copied().collect();
                    let figures = year.iter().take_while(|c| c.is_ascii_digit()).count();
                    !(figures == 4 && matches!(year[0], '1' | '2'))
                }
                ',' | ':' | '：' => !in_number,
                '.' => space(at + 1),
                '(' | '（' | '[' | '【' => {
                    found.push((std::mem::take(&mut part), depth > 0));
                    depth += 1;
                    continue;
                }
                ')' | '）' | ']' | '】' => {
                    found.push((std::mem::take(&mut part), depth > 0));
                    depth = depth.saturating_sub(1);
                    continue;
                }
                '-' | '–' => space(at + 1) && at > 0 && space(at - 1),
                _ => false,
            };
        if divides {
            found.push((std::mem::take(&mut part), depth > 0));
        } else {
            part.push(c);
        }
    }
    found.push((part, depth > 0));
    found.retain(|(part, _)| part.chars().any(char::is_alphanumeric));
    found
}

/// For each character, whether it stands in an address or a path.
fn verbatim_characters(sentence: &str) -> Vec<bool> {
    let ranges = verbatim(sentence);
    sentence.char_indices().map(|(at, _)| ranges.iter().any(|range| range.contains(&at))).collect()
}

/// What a part consists of.
fn items(part: &str) -> Vec<Item> {
    let capitals = capitalised(part);
    let text = fold(part).replace('’', "'");
    let paths = verbatim(&text);
    let words = Words::table();
    let mut found: Vec<Item> = Vec::new();
    let mut lead = Lead::None;
    let mut touches = false;
    let mut at = 0;
    let push = |found: &mut Vec<Item>,
                sense: Sense,
                lead: &mut Lead,
                touches: &mut bool,
                written: &str,
                named: bool| {
        let token =
            Token { sense, lead: std::mem::take(lead), glued: *touches, text: written.to_owned(), named, title: false };
        *touches = true;
        found.push(Item::Token(token));
    };
    while at < text.len() {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { break };
        let before = &text[..at];
        if let Some(range) = paths.iter().find(|range| range.start == at) {
            let written = &text[range.clone()];
            push(&mut found, Sense::Word(written.to_owned()), &mut lead, &mut touches, written, true);
            at = range.end;
            continue;
        }
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let after_value = matches!(found.last(), Some(Item::Token(token)) if token.is_value()) && touches;
        // What stands behind a date or a number says how it is meant: 周五前, 三天内, 30 人以上, 5 分钟后.
        if after_value && is_han_or_kana(c) {
            let bound = [
                ("之前", Class::Before),
                ("以前", Class::Before),
                ("前", Class::Before),
                ("之后", Class::After),
                ("以后", Class::After),
                ("后", Class::After),
                ("起", Class::After),
                ("以内", Class::Within),
                ("之内", Class::Within),
                ("内", Class::Within),
                ("以上", Class::AtLeast),
                ("以下", Class::AtMost),
                ("左右", Class::About),
            ];
            let plain = words.han(rest).is_some_and(|(_, entry)| entry == Entry::Plain);
            if let Some((word, class)) = bound.iter().find(|(word, _)| rest.starts_with(word) && !plain) {
                push(&mut found, Sense::Class(*class), &mut lead, &mut touches, word, false);
                at += word.len();
                continue;
            }
        }
        if let Some((date, length)) = dates::date(before, rest) {
            // "by Friday" is no later than Friday.
            if lead == Lead::By && matches!(before.trim_end().rsplit(' ').next(), Some("by")) {
                lead = Lead::None;
                push(&mut found, Sense::Class(Class::Before), &mut lead, &mut touches, "by", false);
            }
            push(&mut found, Sense::Date(date), &mut lead, &mut touches, &rest[..length], false);
            at += length;
            continue;
        }
        let is_word = c.is_alphanumeric() && !is_han_or_kana(c);
        let word_start = !before.ends_with(|c: char| c.is_alphanumeric() && !is_han_or_kana(c));
        let listed = if is_han_or_kana(c) { words.han(rest) } else { None };
        let plain = matches!(listed, Some((_, Entry::Plain)));
        let begins = is_han_or_kana(c) && !plain
            || word_start && (is_word || matches!(c, '-' | '+' | '$' | '¥' | '€' | '£' | '−'));
        if begins && let Some((number, length)) = numbers::number(before, rest) {
            // about 30, around 30
            if lead == Lead::Beside && before.trim_end().ends_with("about") {
                lead = Lead::None;
                push(&mut found, Sense::Class(Class::About), &mut lead, &mut touches, "about", false);
            }
            push(&mut found, Sense::Number(number), &mut lead, &mut touches, &rest[..length], false);
            at += length;
            continue;
        }
        if is_word {
            let length = word_length(rest);
            let word = &rest[..length];
            let first = word;
            let entry = words.latin(rest, first).filter(|(end, _)| *end >= length || rest[*end..].starts_with("'"));
            let entry = entry.filter(|_| word != "a" || !is_label(&rest[length..]));
            let (length, entry) = match entry {
                Some((length, entry)) => (length, Some(entry)),
                None if word.ends_with("n't") => (length, Some(Entry::Class(Class::Not))),
                None => (length, None),
            };
            let written = &rest[..length];
            match entry {
                Some(Entry::Class(class)) => {
                    push(&mut found, Sense::Class(class), &mut lead, &mut touches, written, false);
                    if class == Class::Speaker && (matches!(written, "my" | "our") || written.ends_with("'s")) {
                        lead = Lead::Of;
                    }
                }
                Some(Entry::Both(first, second)) => {
                    push(&mut found, Sense::Class(first), &mut lead, &mut touches, written, false);
                    push(&mut found, Sense::Class(second), &mut lead, &mut touches, written, false);
                }
                Some(Entry::Lead(next)) => {
                    lead = stronger(lead, next);
                    touches = false;
                }
                Some(Entry::Small) => touches = false,
                Some(Entry::Joins) => found.push(Item::Joins),
                Some(Entry::Begins) => found.push(Item::Begins),
                Some(Entry::Aside) => found.push(Item::Aside),
                Some(Entry::Plain | Entry::Title) | None if word == "and" => found.push(Item::Joins),
                Some(Entry::Plain | Entry::Title) | None => {
                    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("s'"));
                    let bare = owner.unwrap_or(word);
                    let named = capitals.contains(&bare.to_owned()) || bare.contains(|c: char| c.is_ascii_digit());
                    push(&mut found, Sense::Word(stem(bare)), &mut lead, &mut touches, bare, named);
                    if owner.is_some() {
                        lead = Lead::Of;
                    }
                }
            }
            if !matches!(entry, Some(Entry::Class(_) | Entry::Both(..)) | None) {
                touches = false;
            }
            at += length;
            continue;
        }
        if !is_han_or_kana(c) {
            if c == '、' {
                found.push(Item::Joins);
            }
            touches = false;
            if c.is_alphanumeric() || matches!(c, '%' | '°' | '<' | '>' | '=' | '≤' | '≥') {
                push(&mut found, Sense::Character(c), &mut lead, &mut touches, &rest[..c.len_utf8()], false);
            }
            at += c.len_utf8();
            continue;
        }
        match listed {
            Some((length, entry)) => {
                let written = &rest[..length];
                match entry {
                    Entry::Class(class) => {
                        push(&mut found, Sense::Class(class), &mut lead, &mut touches, written, false)
                    }
                    Entry::Lead(next) => {
                        lead = stronger(lead, next);
                        touches = false;
                    }
                    Entry::Joins => found.push(Item::Joins),
                    Entry::Begins => found.push(Item::Begins),
                    Entry::Plain => {
                        for c in written.chars() {
                            push(
                                &mut found,
                                Sense::Character(c),
                                &mut lead,
                                &mut touches,
                                c.encode_utf8(&mut [0; 4]),
                                false,
                            );
                        }
                    }
                    Entry::Title => {
                        push(&mut found, Sense::Word(written.to_owned()), &mut lead, &mut touches, written, false);
                    }
                    Entry::Both(..) | Entry::Aside | Entry::Small => touches = false,
                }
                if matches!(entry, Entry::Joins | Entry::Begins) {
                    touches = false;
                }
                at += length;
            }
            None => {
                push(&mut found, Sense::Character(c), &mut lead, &mut touches, &rest[..c.len_utf8()], false);
                at += c.len_utf8();
            }
        }
    }
    mark_titles(&mut found);
    found
}

/// Words that stand right before a name and are none.
fn mark_titles(items: &mut [Item]) {
    for at in (0..items.len().saturating_sub(1)).rev() {
        let (front, back) = items.split_at_mut(at + 1);
        let (Some(Item::Token(token)), Some(Item::Token(next))) = (front.last_mut(), back.first()) else { continue };
        token.title = match (&token.sense, &next.sense) {
            (Sense::Word(word), Sense::Character(_) | Sense::Class(_)) if !word.is_ascii() => {
                next.text.starts_with(is_family_name)
            }
            (Sense::Word(_), Sense::Word(_)) => {
                next.named && next.lead == Lead::None && TITLES_EN.split_whitespace().any(|title| title == token.text)
            }
            _ => false,
        };
    }
}

/// Whether what stands behind an "a" makes it a label and no article: "A is 3".
fn is_label(behind: &str) -> bool {
    let next = behind.split_whitespace().next().unwrap_or_default();
    behind.trim_start().starts_with(is_han_or_kana)
        || !behind.starts_with(' ')
        || matches!(
            next,
            "is" | "was" | "are" | "has" | "had" | "and" | "or" | "to" | "by" | "than" | "will" | "can" | "must"
        )
}

/// Of two leads before one token ("is by"), the one that says more of its part.
fn stronger(first: Lead, second: Lead) -> Lead {
    match (first, second) {
        (Lead::By | Lead::From | Lead::Than | Lead::Of | Lead::Beside, Lead::Is | Lead::At) | (_, Lead::None) => first,
        _ => second,
    }
}

/// How long the Latin word, id or version at the beginning of a text is.
fn word_length(text: &str) -> usize {
    let inner = |c: char| c.is_alphanumeric() && !is_han_or_kana(c);
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let joins = matches!(c, '.' | '_' | '-' | '\'' | '#' | '@' | '+' | '&' | ':' | '/') && next.is_some_and(inner);
        if !inner(c) && !joins && c != '_' && c != '+' && c != '#' {
            break;
        }
        end = at + c.len_utf8();
    }
    end.max(1)
}

fn stem(word: &str) -> String {
    if word.chars().all(char::is_alphabetic) {
        return index_terms(word).into_iter().next().unwrap_or_else(|| word.to_owned());
    }
    word.to_owned()
}

/// Words of a part that are written with a capital, folded.
fn capitalised(part: &str) -> Vec<String> {
    let words = part.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').skip(1);
    words.filter(|word| word.starts_with(char::is_uppercase)).map(fold).collect()
}

/// The quoted texts of a text, as written, and the titles in 《》.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in [('「', '」'), ('『', '』'), ('“', '”'), ('《', '》'), ('"', '"'), ('`', '`')] {
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let behind = &rest[start + open.len_utf8()..];
            let Some(end) = behind.find(close) else { break };
            if !behind[..end].trim().is_empty() {
                found.push(&behind[..end]);
            }
            rest = &behind[end + close.len_utf8()..];
        }
    }
    found
}

/// Where a range of a text is verbatim: see `addresses::verbatim`.
pub(super) fn addresses(text: &str) -> Vec<&str> {
    let ranges: Vec<Range<usize>> = verbatim(text);
    ranges.into_iter().map(|range| &text[range]).collect()
}
