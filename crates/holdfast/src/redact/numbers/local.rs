//! Telephones as they are dialled within a town: seven or eight digits, 8888 1234, 555-0123. Nothing in the digits tells them from
//! an order or a range of pages, so only what stands right beside them counts; alone they stay.

/// Right before, in Chinese.
const DIALLED_ZH: &[&str] = &["打", "拨", "拨打", "致电", "打给我", "打到", "打我"];
/// Right before, or with a person and "at" or "on" between.
const DIALLED_EN: &[&str] = &["call", "dial", "ring", "phone", "text", "reach", "fax", "contact", "sms"];
const OWNERS: &[&str] = &["my", "his", "her", "our", "their", "your", "work", "home", "office", "desk", "direct"];
const NOUNS_EN: &[&str] = &["phone", "tel", "cell", "mobile", "landline", "number", "fax", "home", "work", "office"];
const NOUNS_ZH: &[&str] = &["电话", "電話", "座机", "手机", "号码", "固话", "分机"];
const OWNERS_ZH: &[&str] = &["我们", "我", "他", "她", "公司", "家里", "办公室"];
/// Right behind: then it is a count.
const COUNTED: &[&str] = &["个", "次", "字", "元", "块", "台", "件", "人", "条", "行", "份", "位", "页", "两", "箱"];

/// Whether what stands before (lower case) and behind the digits says that they are dialled. `grouped`: written in two groups.
pub(super) fn is_dialled(before: &str, behind: &str, grouped: bool) -> bool {
    let behind = behind[..behind.floor_char_boundary(48)].to_lowercase();
    if COUNTED.iter().any(|word| behind.trim_start().starts_with(word)) {
        return false;
    }
    named_before(before, grouped) || named_behind(&behind)
}

fn named_before(before: &str, grouped: bool) -> bool {
    let before = before.trim_end_matches([' ', ':', '(']);
    if DIALLED_ZH.iter().any(|word| before.ends_with(word)) {
        return true;
    }
    let words: Vec<&str> = before.rsplit([' ', ',']).filter(|word| !word.is_empty()).take(5).collect();
    match words[..] {
        ["at" | "on", ref rest @ ..] => rest.iter().take(3).any(|word| DIALLED_EN.contains(word)),
        ["is", "number", owner, ..] => OWNERS.contains(&owner),
        // "We call 1234567 functions": without its hyphen it needs more than the verb.
        [word, ..] => word == "dial" || (grouped && DIALLED_EN.contains(&word)),
        [] => false,
    }
}

fn named_behind(behind: &str) -> bool {
    let text = behind.trim_start();
    if let Some(inner) = text.strip_prefix('(') {
        let inner = inner.trim_start();
        return NOUNS_EN.iter().chain(NOUNS_ZH).any(|noun| inner.starts_with(noun));
    }
    if let Some(said) = text.strip_prefix('是') {
        let owned = OWNERS_ZH.iter().find_map(|owner| said.strip_prefix(owner)).unwrap_or(said);
        let owned = owned.strip_prefix('的').unwrap_or(owned);
        return NOUNS_ZH.iter().any(|noun| owned.starts_with(noun));
    }
    let mut words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', '!', '?', ';']));
    words.next() == Some("is")
        && words.next().is_some_and(|word| OWNERS.contains(&word))
        && words.take(2).any(|word| NOUNS_EN.contains(&word))
}
