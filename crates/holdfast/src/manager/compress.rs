//! A shorter text in the words of the longer one, without a model: the sentences that later work needs, in their order, as many as fit.
//! What comes out has passed the faithfulness gate; what can't pass, or gains nothing, is `None`, and the original is kept.

use std::ops::Range;

use super::faithfulness::{self, Weight};
use crate::text::{Tokenizer, extract, fold, json_leaves, same, sentences};

/// How long a compressed text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Characters(usize),
    Tokens(Tokenizer, usize),
}

/// Sentences that are looked at; a longer text is a document, and is archived rather than compressed.
const SENTENCES_MAX: usize = 400;

impl Room {
    pub fn holds(self, text: &str) -> bool {
        match self {
            Self::Characters(most) => text.chars().count() <= most,
            Self::Tokens(tokenizer, most) => tokenizer.count(text) <= most,
        }
    }
}

/// The text within the room. `named`: entities and constraints that matter more than others, in the words of the text.
pub fn compress(text: &str, room: Room, named: &[&str]) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || room.holds(text) {
        return None;
    }
    if json_leaves(text).is_some() {
        return compress_data(text, room, named);
    }
    let all: Vec<Range<usize>> = sentences(text);
    if all.len() < 2 || all.len() > SENTENCES_MAX {
        return None;
    }
    let named: Vec<String> = named.iter().map(|name| fold(name)).filter(|name| !name.trim().is_empty()).collect();
    let worth: Vec<u32> = all.iter().enumerate().map(|(at, range)| worth(&text[range.clone()], at, &named)).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(worth[at]), at));
    let mut chosen: Vec<usize> = Vec::new();
    for at in order.into_iter().filter(|&at| worth[at] > 0) {
        // Said again it is worth no more: an agent may say one line at every step.
        if chosen.iter().any(|&other| same(&text[all[other].clone()], &text[all[at].clone()])) {
            continue;
        }
        let mut tried = chosen.clone();
        tried.push(at);
        // 「他…」 by itself would be of anybody: whom it speaks of comes along.
        let mut first = at;
        while first > 0 && faithfulness::speaks_of_before(&text[all[first].clone()]) {
            first -= 1;
            tried.push(first);
        }
        tried.sort_unstable();
        tried.dedup();
        if tried.len() < all.len() && room.holds(&joined(text, &all, &tried)) {
            chosen = tried;
        }
    }
    let compressed = joined(text, &all, &chosen);
    (!compressed.is_empty() && faithfulness::check(&compressed, text).is_ok()).then_some(compressed)
}

/// Sentences as lines. An empty line between them: a line's end alone may be there for width only.
fn joined(text: &str, all: &[Range<usize>], chosen: &[usize]) -> String {
    let lines: Vec<&str> = chosen.iter().map(|&at| &text[all[at].clone()]).collect();
    lines.join("\n\n")
}

/// Of data, the leaves that say where a call ended up.
fn compress_data(text: &str, room: Room, named: &[&str]) -> Option<String> {
    let mut characters = match room {
        Room::Characters(most) => most,
        // A token is seldom less than a character.
        Room::Tokens(_, most) => most.saturating_mul(4),
    };
    while characters > 0 {
        let compressed = extract(text, characters, named);
        if room.holds(&compressed) {
            let borne = !compressed.is_empty() && faithfulness::check(&compressed, text).is_ok();
            return borne.then_some(compressed);
        }
        characters /= 2;
    }
    None
}

/// What a sentence is worth to later work: constraints first, then decisions and states, then what is named and counted.
fn worth(sentence: &str, at: usize, named: &[String]) -> u32 {
    let folded = fold(sentence);
    let names = named.iter().filter(|name| folded.contains(name.as_str())).count().min(4) as u32;
    let Weight { binding, states, values, names: own_names, question, words } = faithfulness::weight(sentence);
    if words == 0 {
        return 0;
    }
    let question = u32::from(question);
    let sum = names * 4 + binding.min(2) * 5 + states.min(2) * 3 + values.min(3) * 2 + own_names.min(3);
    // What a text begins with says what it is about; a question is answered elsewhere.
    (sum + u32::from(at == 0)).saturating_sub(question * 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, characters: usize, named: &[&str], expected: Option<&str>) {
        assert_eq!(compress(text, Room::Characters(characters), named).as_deref(), expected, "{text}");
    }

    #[test]
    fn constraints_numbers_and_decisions_stay_and_talk_goes() {
        check(
            "早上好，大家辛苦了。数据库迁移用了 52 分钟。茶水间的咖啡机又修好了。回滚脚本不能删除。最后大家聊了聊周末的安排。",
            32,
            &[],
            Some("数据库迁移用了 52 分钟。\n\n回滚脚本不能删除。"),
        );
        check(
            "Good morning everybody and thanks for joining. The migration took 52 minutes. The coffee machine works again. \
             You must not delete the rollback script. Then we talked about the weekend.",
            75,
            &[],
            Some("The migration took 52 minutes.\n\nYou must not delete the rollback script."),
        );
    }

    #[test]
    fn what_is_named_comes_first_and_whom_it_speaks_of_comes_along() {
        check("华星来电催货。顺达来电催货。天气不错。", 8, &["顺达"], Some("顺达来电催货。"));
        check(
            "张伟接手了网关。他必须在周五前交付。今天食堂的菜一般。",
            24,
            &[],
            Some("张伟接手了网关。\n\n他必须在周五前交付。"),
        );
    }

    #[test]
    fn what_is_said_again_is_there_once() {
        check(
            "必须先补货。今天的天气不错。必须先补货。不能退货。必须先补货。",
            13,
            &[],
            Some("必须先补货。\n\n不能退货。"),
        );
        check(
            "It costs $305. Lunch was good. It costs $305. You must not pay. It costs $305!",
            33,
            &[],
            Some("It costs $305.\n\nYou must not pay."),
        );
    }

    #[test]
    fn what_fits_or_can_not_be_cut_is_left_alone() {
        check("短句。", 100, &[], None);
        check("", 10, &[], None);
        check("只有一句但是很长很长很长很长很长的话", 5, &[], None);
        check("第一句有 3 个数。第二句有 5 个数。", 2, &[], None);
    }

    #[test]
    fn data_is_compressed_by_its_leaves() {
        let data = r#"{"status": "failed", "error": "disk full", "rows": [{"a": 1}, {"a": 2}], "trace": "at a, at b, at c, at d, at e, at f"}"#;
        let compressed = compress(data, Room::Characters(40), &[]).unwrap();
        assert!(compressed.contains("status: failed"), "{compressed}");
        assert!(!compressed.contains("trace"), "{compressed}");
    }

    #[test]
    fn tokens_are_a_room_as_well() {
        let text = "The build failed after 12 minutes. Nothing else happened. We talked about lunch for a while and then about the weather.";
        let room = Room::Tokens(Tokenizer::O200kBase, 9);
        assert_eq!(compress(text, room, &[]).as_deref(), Some("The build failed after 12 minutes."));
    }

    /// Sentences of work logs, whole and broken.
    const SENTENCES: &[&str] = &[
        "退货率 3.2%，比上周高 0.4 个百分点。",
        "如果压测不达标就推迟一周。",
        "他周五前必须交付！",
        "要不要取消周会？",
        "张伟说「先灰度」",
        "- 第三条：不要删除 /ops/rollback.sql；",
        "日志共 482,913 行（5xx 1,207 条）",
        "The rollout is paused until Monday.",
        "It failed, and nobody knows why",
        "Is v2.6.0 deployed?",
        "a long line without an end that goes on with words in lower case, as mail programs wrap them,",
        "and goes on in the next line",
        "Must not exceed 5%.",
        "华星 3 单，顺达 5 单",
        "…",
        "e.g. 3 p.m. on Dec. 4",
    ];

    proptest! {
        #[test]
        fn what_is_compressed_always_passes_the_gate(
            picks in proptest::collection::vec((0usize..SENTENCES.len(), 0usize..4), 2..14),
            characters in 1usize..160,
        ) {
            let text: String = picks.iter().map(|&(at, gap)| format!("{}{}", SENTENCES[at], ["", " ", "\n", "\n\n"][gap])).collect();
            if let Some(compressed) = compress(&text, Room::Characters(characters), &["顺达"]) {
                prop_assert_eq!(faithfulness::check(&compressed, &text), Ok(()));
                prop_assert!(compressed.chars().count() <= characters);
                prop_assert!(compressed.len() < text.len());
            }
        }

        /// Prose of several sentences that fits by half is compressed, not given up.
        #[test]
        fn prose_is_compressed(picks in proptest::collection::vec(0usize..4, 6..12)) {
            let text: String = picks.iter().map(|&at| [SENTENCES[0], SENTENCES[1], SENTENCES[7], SENTENCES[12]][at]).collect::<Vec<_>>().join("\n\n");
            prop_assert!(compress(&text, Room::Characters(text.chars().count() / 2), &[]).is_some());
        }

        #[test]
        fn any_text_is_read(text in "\\PC{0,200}", characters in 0usize..100) {
            if let Some(compressed) = compress(&text, Room::Characters(characters), &[]) {
                prop_assert_eq!(faithfulness::check(&compressed, &text), Ok(()));
            }
        }
    }
}
