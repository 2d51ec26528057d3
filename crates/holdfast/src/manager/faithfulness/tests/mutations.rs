//! Ways to make a true summary false, one word at a time. Their words are not taken from the gate's lists.

/// A false summary, and by what it is false.
pub(super) struct Mutation {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// The first place of each of these words becomes another word: one false summary for each that is there.
type Exchange = &'static [(&'static str, &'static str)];

const UNITS_ZH: Exchange = &[
    ("万元", "亿元"),
    (" 元", " 美元"),
    ("毫秒", "秒"),
    (" 秒", " 分钟"),
    ("小时", "分钟"),
    (" 分钟", " 小时"),
    (" 天", " 周"),
    ("个百分点", "%"),
    ("%", " 个百分点"),
    ("公斤", "吨"),
    ("毫克", "克"),
    ("公里", "米"),
    (" 箱", " 袋"),
    (" 台", " 条"),
    (" 笔", " 万笔"),
    (" 份", " 箱"),
    (" 万台", " 亿台"),
];
const UNITS_EN: Exchange = &[
    ("percentage points", "percent"),
    ("%", " percentage points"),
    (" ms", " seconds"),
    (" seconds", " minutes"),
    (" hours", " minutes"),
    (" minutes", " hours"),
    (" days", " weeks"),
    (" million", " billion"),
    ("$", "€"),
    (" mg", " g"),
    (" kg", " g"),
    (" km", " miles"),
    ("k,", "m,"),
    (" years", " months"),
];
const DATES_ZH: Exchange = &[
    ("周一", "周二"),
    ("周二", "周五"),
    ("周三", "周四"),
    ("周四", "周一"),
    ("周五", "周三"),
    ("周六", "周日"),
    ("月", "月前"),
    (" 12 月", " 11 月"),
    (" 3 月", " 4 月"),
    (" 4 月", " 5 月"),
    (" 9 月", " 8 月"),
    (" 6 月", " 7 月"),
    (" 5 月", " 6 月"),
    (" 10 月", " 12 月"),
    ("十月", "九月"),
    ("上午", "下午"),
    ("下午", "上午"),
    ("今天", "昨天"),
    ("后天", "明天"),
    ("下周", "本周"),
];
const DATES_EN: Exchange = &[
    ("Monday", "Tuesday"),
    ("Tuesday", "Friday"),
    ("Wednesday", "Thursday"),
    ("Thursday", "Monday"),
    ("Friday", "Wednesday"),
    ("Saturday", "Sunday"),
    ("December", "November"),
    ("September", "August"),
    ("October", "September"),
    ("March", "April"),
    ("April", "May"),
    ("January", "June"),
    ("May 10", "June 10"),
    ("today", "yesterday"),
    ("next week", "this week"),
    ("this year", "next year"),
];
const NOT_DROPPED_ZH: Exchange = &[
    ("还不会", "会"),
    ("不接受", "接受"),
    ("不支持", "支持"),
    ("不建议", "建议"),
    ("不得", ""),
    ("不要", "要"),
    ("不能", "能"),
    ("没有", "有"),
    ("没有发现", "发现"),
    ("还没", "已"),
    ("尚未", "已"),
    ("未", "已"),
    ("不适用", "适用"),
    ("不吃", "吃"),
    ("暂不", ""),
    ("无权", "有权"),
    ("不一致", "一致"),
    ("没有加锁", "加锁"),
];
const NOT_DROPPED_EN: Exchange = &[
    (" not ", " "),
    ("does not ", ""),
    ("doesn't eat", "eats"),
    ("can't", "can"),
    (" no ", " "),
    (" no ", " a "),
    ("never ", ""),
    ("Do not put", "Put"),
    ("No suspicious", "Suspicious"),
    ("may not", "may"),
    ("has not", "has"),
    ("must not", "must"),
];
const NOT_ADDED_ZH: Exchange = &[
    ("负责", "不负责"),
    ("改到", "没有改到"),
    ("采用", "不采用"),
    ("支持", "不支持"),
    ("认为", "不认为"),
    ("通过", "没有通过"),
    ("完成", "没有完成"),
    ("恢复正常", "没有恢复正常"),
    ("主张", "不主张"),
    ("必须", "不必"),
    ("需要", "不需要"),
    ("可以", "不可以"),
    ("已", "未"),
    ("希望", "不希望"),
    ("确认", "没有确认"),
    ("建议", "不建议"),
    ("做了", "没做"),
    ("发现", "没有发现"),
    ("要求", "没有要求"),
    ("覆盖", "未覆盖"),
    ("下降", "没有下降"),
    ("上升", "没有上升"),
    ("是", "不是"),
];
const NOT_ADDED_EN: Exchange = &[
    (" is ", " is not "),
    (" was ", " was not "),
    (" were ", " were not "),
    (" are ", " are not "),
    (" has ", " has never "),
    (" can ", " cannot "),
    (" needs ", " does not need "),
    (" must ", " must not "),
    (" will ", " will not "),
    (" found ", " did not find "),
    (" reported ", " did not report "),
    (" proposed ", " never proposed "),
    (" wants ", " doesn't want "),
    (" did well", " did not do well"),
    (" passed ", " did not pass "),
    (" added ", " has not added "),
    (" holds ", " does not hold "),
];
const STATUS_ZH: Exchange = &[
    ("已完成", "已取消"),
    ("完成", "待处理"),
    ("已付款", "待付款"),
    ("推迟", "取消"),
    ("延期", "取消"),
    ("暂停了", "恢复了"),
    ("暂缓", "继续"),
    ("取消", "推迟"),
    ("通过", "失败"),
    ("失败", "成功"),
    ("待处理", "已完成"),
    ("未开始", "已完成"),
    ("尚未开始", "进行中"),
    ("已确认", "待确认"),
    ("还在谈", "已确认"),
    ("已部署", "待部署"),
    ("恢复正常", "仍未恢复"),
    ("计划", "完成"),
];
const STATUS_EN: Exchange = &[
    ("is done", "is pending"),
    ("is pending", "is done"),
    ("is done", "is cancelled"),
    ("postponed", "cancelled"),
    ("cancelled", "postponed"),
    ("paused", "resumed"),
    ("on hold", "approved"),
    ("failed", "succeeded"),
    ("not started", "finished"),
    ("is paid", "is unpaid"),
    ("confirmed", "cancelled"),
    ("rejected", "approved"),
    ("deployed", "pending"),
    ("planned", "done"),
    ("has not been built", "has been cancelled"),
    ("fixed", "pending"),
    ("still negotiating", "done negotiating"),
    ("a delay", "a cancellation"),
    ("passed", "failed"),
];
const MODALITY_ZH: Exchange = &[
    ("必须", "可以"),
    ("必须", "应该"),
    ("需要", "可以"),
    ("要求", "建议"),
    ("建议", "必须"),
    ("建议", "可以"),
    ("可以", "必须"),
    ("可能", "一定"),
    ("计划", "可能"),
    ("不得", "可以"),
    ("不能", "必须"),
    ("不要", "可以"),
    ("一定要", "可以"),
    ("打算", "必须"),
    ("暂定", "必须"),
    ("禁止", "可以"),
];
const MODALITY_EN: Exchange = &[
    ("must", "may"),
    ("must", "should"),
    ("should", "must"),
    ("can ", "must "),
    ("may ", "must "),
    ("needs", "may need"),
    ("will ", "may "),
    ("has to", "may"),
    ("requires", "recommends"),
    ("recommends", "requires"),
    ("suggests", "demands"),
    ("is planned", "is certain"),
    ("plans to", "must"),
    ("is allowed", "is required"),
    ("prohibited", "allowed"),
    ("recommended", "required"),
    ("wants", "may want"),
];
const COMPARISON_ZH: Exchange = &[
    ("上升", "下降"),
    ("下降", "上升"),
    ("高于", "低于"),
    ("低于", "高于"),
    ("增长", "减少"),
    ("增加", "减少"),
    ("超过", "低于"),
    ("不超过", "至少"),
    ("不少于", "不超过"),
    ("提高", "降低"),
    ("升到", "降到"),
    ("升至", "降至"),
    ("降到", "升到"),
    ("跌到", "涨到"),
    ("多 ", "少 "),
    ("少 ", "多 "),
    ("低 ", "高 "),
    ("高 ", "低 "),
    ("快 ", "慢 "),
    ("最多", "最少"),
    ("前", "后"),
    ("最低", "最高"),
    ("减少", "增加"),
];
const COMPARISON_EN: Exchange = &[
    (", up ", ", down "),
    (", down ", ", up "),
    ("above", "below"),
    ("below", "above"),
    ("higher", "lower"),
    ("more than", "less than"),
    (" more", " fewer"),
    ("less than", "more than"),
    ("at most", "at least"),
    ("at least", "at most"),
    ("faster", "slower"),
    ("rose", "fell"),
    ("fell", "rose"),
    ("increased", "reduced"),
    ("lowered", "raised"),
    ("before", "after"),
    ("after", "before"),
    ("exceed", "fall below"),
    ("the most", "the least"),
    ("at the lowest", "at the highest"),
    ("within", "after"),
];
const PATHS: Exchange = &[
    ("/ops/", "/opt/"),
    (".sql", ".txt"),
    ("/rollback/", "/backup/"),
    (".html", ".pdf"),
    ("/backup/pg", "/backup/my"),
    ("/daily", "/weekly"),
    ("docs/", "doc/"),
    ("cache.md", "queue.md"),
    ("/var/log", "/var/lib"),
    ("nginx", "apache"),
    ("/api/export", "/api/import"),
    ("access.log", "error.log"),
    ("idx_user", "idx_order"),
    ("v3.8.2", "v3.8.3"),
    ("v2.6.0", "v2.5.0"),
    ("A20931", "A20913"),
    ("#482", "#428"),
    ("migrate_0042", "migrate_0024"),
    ("new_checkout", "old_checkout"),
    ("CA4512", "CA4521"),
    ("TP934", "TP943"),
];

/// Every false summary that one changed word makes of a true one.
pub(super) fn of(summary: &str, names: &[String], zh: bool) -> Vec<Mutation> {
    let mut found = Vec::new();
    let mut exchange = |kind: &'static str, list: Exchange| {
        for (from, to) in list {
            if summary.contains(from) {
                found.push(Mutation { kind, text: summary.replacen(from, to, 1) });
            }
        }
    };
    exchange("unit", if zh { UNITS_ZH } else { UNITS_EN });
    exchange("date", if zh { DATES_ZH } else { DATES_EN });
    exchange("not dropped", if zh { NOT_DROPPED_ZH } else { NOT_DROPPED_EN });
    exchange("not added", if zh { NOT_ADDED_ZH } else { NOT_ADDED_EN });
    exchange("status", if zh { STATUS_ZH } else { STATUS_EN });
    exchange("modality", if zh { MODALITY_ZH } else { MODALITY_EN });
    exchange("comparison", if zh { COMPARISON_ZH } else { COMPARISON_EN });
    exchange("path or id", PATHS);
    digits(summary, &mut found);
    exchanged_numbers(summary, &mut found);
    exchanged_names(summary, names, zh, &mut found);
    found.retain(|mutation| mutation.text != summary);
    found
}

/// Where numbers stand, as they are written.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let inner = |at: usize| matches!(bytes[at], b',' | b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        while at < bytes.len() && (bytes[at].is_ascii_digit() || inner(at)) {
            at += 1;
        }
        found.push(start..at);
    }
    found
}

fn digits(summary: &str, found: &mut Vec<Mutation>) {
    let all = numbers(summary);
    for number in &all {
        // The first figure of one, the last of another.
        let at = if number.start % 2 == 0 { number.start } else { number.end - 1 };
        let figure = summary.as_bytes()[at] - b'0';
        let other = char::from(b'0' + (figure + 3) % 10);
        found.push(Mutation { kind: "digit", text: format!("{}{other}{}", &summary[..at], &summary[at + 1..]) });
    }
    // A sign only where an amount stands by itself.
    let free = |number: &&std::ops::Range<usize>| {
        let before = summary[..number.start].chars().next_back();
        let behind = summary[number.end..].chars().next();
        before.is_some_and(|c| c == ' ' || c == '$')
            && !behind.is_some_and(|c| matches!(c, ':' | '-' | '/') || c.is_ascii_alphabetic())
    };
    if let Some(number) = all.iter().find(free) {
        let at = number.start - usize::from(summary[..number.start].ends_with('$'));
        found.push(Mutation { kind: "sign", text: format!("{}-{}", &summary[..at], &summary[at..]) });
    }
}

/// Two numbers of one summary change places.
fn exchanged_numbers(summary: &str, found: &mut Vec<Mutation>) {
    let all = numbers(summary);
    for pair in all.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let (first, second) = (&summary[a.clone()], &summary[b.clone()]);
        if first != second {
            let text =
                format!("{}{second}{}{first}{}", &summary[..a.start], &summary[a.end..b.start], &summary[b.end..]);
            found.push(Mutation { kind: "crossed numbers", text });
        }
    }
}

fn exchanged_names(summary: &str, names: &[String], zh: bool, found: &mut Vec<Mutation>) {
    let there: Vec<&String> = names.iter().filter(|name| summary.contains(*name)).collect();
    let stranger = if zh { "刘洋" } else { "Victor" };
    for &name in &there {
        found.push(Mutation { kind: "name", text: summary.replace(name, stranger) });
        for other in names.iter().filter(|other| *other != name) {
            found.push(Mutation { kind: "name", text: summary.replacen(name, other, 1) });
        }
    }
    for pair in there.windows(2) {
        let text = summary.replace(pair[0], "\u{1}").replace(pair[1], pair[0]).replace('\u{1}', pair[1]);
        found.push(Mutation { kind: "doer and done-to", text });
    }
}
