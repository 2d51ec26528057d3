//! Things that fall out of the work: 「打印机不搬了」, 「不要报表副本了」, "skip the printer", "we don't need the replica any more".
//!
//! Said of a named thing only: 「不看了」 alone may be said of anything.

use crate::signals::layout::Clause;
use crate::signals::lexicon::Hit;
use crate::signals::reading::Reading;

/// Said of a thing by its name (不要报表副本了), not of something done: 不要发邮件了 lays down how to work.
const THINGS_ZH: &[&str] = &["不要", "不用", "不需要", "不再需要", "用不着"];
/// What begins what is done, not a thing, and what one is told not to feel.
const DOING_ZH: &str = "发写做用改动看说问等找提加放给去来打开关叫让把急怕想管担紧这那再太老总一客麻谢生着犹自难灰勉误见在跟和对为被带买订搬迁\
查理费操排大小轻多少硬吵闹追催推送附抄列标翻总重浪破拖欠忘记以按";
/// Taken from one of these, a thing is no longer part of the work.
const LISTS_ZH: &[&str] = &["清单", "列表", "名单", "计划", "范围", "方案", "安排"];
const LISTS_EN: &[&str] = &[
    " off the list",
    " from the list",
    " from the plan",
    " off the plan",
    " from the scope",
    " from scope",
    " out of scope",
    " out of the plan",
    " off our list",
    " from our list",
];
/// Without one of these, "we don't need it" describes.
const NO_MORE_EN: &[&str] = &[" any more", " anymore", " any longer", " after all"];
/// Said of these, it falls out whoever has heard of it; of others only if it is known to be part of the work.
const DETERMINERS_EN: &[&str] = &["the ", "our ", "that ", "those ", "these "];

/// Whether the word drops what is named beside it.
pub(super) fn drops(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let word = &text[hit.span()];
    let (before, after) = (text[clause.span.start..hit.start].trim(), &text[hit.end..clause.span.end]);
    if !word.is_ascii() {
        if takes_out(word) {
            let list = before.rfind('从').map(|at| &before[at..]);
            return list.is_some_and(|list| LISTS_ZH.iter().any(|word| list.contains(word)));
        }
        let object = after.trim_end().trim_end_matches(['了', '吧', '啦', '啊', '哈']);
        // 不用测试机了 is about a 测试机: of one character, the verb may be a part of the name.
        let verb_is_sure = THINGS_ZH.contains(&word)
            || object.is_empty()
            || word.trim_start_matches(['不', '用', '必', '需', '要', '无']).chars().count() > 1
            || word.ends_with(['搬', '迁', '买', '租']);
        if !verb_is_sure {
            return false;
        }
        let thing = !THINGS_ZH.contains(&word)
            || !object.starts_with(|c: char| DOING_ZH.contains(c) || c.is_ascii_punctuation());
        return thing && super::guard::gives_up(reading, hit, clause);
    }
    if word.contains("need") || word.contains("want") {
        let over = word.starts_with("no longer") || NO_MORE_EN.iter().any(|mark| after.contains(mark));
        let by = before.rsplit(' ').next().unwrap_or_default();
        let ours = matches!(by, "we" | "i" | "" | "also" | "so" | "and" | "but");
        // "Sell what we no longer need on eBay": the object stands elsewhere.
        let led = ["to ", "on ", "in ", "at ", "for ", "from ", "and "]
            .iter()
            .any(|word| after.trim_start().starts_with(word));
        return over && ours && !led;
    }
    let ordered = super::guard::is_order(reading, hit, clause);
    if takes_out(word) {
        return ordered && LISTS_EN.iter().any(|list| after.contains(list));
    }
    ordered && DETERMINERS_EN.iter().any(|word| after.trim_start().starts_with(word))
}

/// Whether it says something only of a thing that is known to be part of the work: 「把第三条从列表里去掉」 may be about a text.
pub(super) fn needs_to_be_known(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let word = &text[hit.span()];
    if !word.is_ascii() {
        return takes_out(word);
    }
    let after = text[hit.end..clause.span.end].trim_start();
    let needed = word.contains("need") || word.contains("want");
    !needed || !DETERMINERS_EN.iter().any(|word| after.starts_with(word))
}

fn takes_out(word: &str) -> bool {
    ["去掉", "划掉", "拿掉", "剔除", "移除", "移出", "删掉", "remove", "take", "cross", "strike"].contains(&word)
}

/// Where the English name ends: before "any more" and "off the list".
pub(super) fn object_end(after: &str) -> usize {
    NO_MORE_EN.iter().chain(LISTS_EN).filter_map(|mark| after.find(mark)).min().unwrap_or(after.len())
}
