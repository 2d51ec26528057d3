//! Numbers of a folded text in one form, however they are written: 128.64 万元 and 1,286,400 元, 十二 and twelve. Decimal digits are kept as
//! digits: nothing is rounded.

/// A number with its sign and what it counts; no unit if none is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: String,
    pub(super) unit: &'static str,
}

/// Before the digits of an amount.
const CURRENCIES: &[(&str, &str)] = &[
    ("us$", "$"),
    ("$", "$"),
    ("¥", "¥"),
    ("€", "€"),
    ("£", "£"),
    ("usd ", "$"),
    ("rmb ", "¥"),
    ("cny ", "¥"),
    ("eur ", "€"),
];
/// Powers of ten that are written behind the digits.
const SCALES: &[(&str, usize)] = &[
    ("万亿", 12),
    ("千万", 7),
    ("百万", 6),
    ("十万", 5),
    ("万", 4),
    ("亿", 8),
    ("trillion", 12),
    ("billion", 9),
    ("million", 6),
    ("thousand", 3),
    ("hundred", 2),
    ("bn", 9),
    ("k", 3),
];
/// Units by the ways they are written; the longest that fits is taken. 个 counts anything, and is none.
const UNITS: &[(&str, &str)] = &[
    ("个百分点", "pp"),
    ("percentage points", "pp"),
    ("percentage point", "pp"),
    ("pp", "pp"),
    ("%", "%"),
    ("percent", "%"),
    ("per cent", "%"),
    ("美元", "$"),
    ("美金", "$"),
    ("dollars", "$"),
    ("dollar", "$"),
    ("usd", "$"),
    ("欧元", "€"),
    ("euros", "€"),
    ("euro", "€"),
    ("eur", "€"),
    ("英镑", "£"),
    ("pounds", "£"),
    ("日元", "jpy"),
    ("港币", "hkd"),
    ("块钱", "¥"),
    ("元", "¥"),
    ("块", "¥"),
    ("yuan", "¥"),
    ("rmb", "¥"),
    ("cny", "¥"),
    ("毫秒", "ms"),
    ("milliseconds", "ms"),
    ("millisecond", "ms"),
    ("ms", "ms"),
    ("微秒", "us"),
    ("秒钟", "s"),
    ("秒", "s"),
    ("seconds", "s"),
    ("second", "s"),
    ("sec", "s"),
    ("s", "s"),
    ("分钟", "min"),
    ("minutes", "min"),
    ("minute", "min"),
    ("mins", "min"),
    ("min", "min"),
    ("个小时", "h"),
    ("小时", "h"),
    ("hours", "h"),
    ("hour", "h"),
    ("hrs", "h"),
    ("h", "h"),
    ("个工作日", "wd"),
    ("工作日", "wd"),
    ("working days", "wd"),
    ("business days", "wd"),
    ("天", "d"),
    ("日", "d"),
    ("days", "d"),
    ("day", "d"),
    ("号", "号"),
    ("个星期", "w"),
    ("星期", "w"),
    ("周", "w"),
    ("weeks", "w"),
    ("week", "w"),
    ("个月", "mo"),
    ("months", "mo"),
    ("month", "mo"),
    ("月", "月"),
    ("周岁", "岁"),
    ("岁", "岁"),
    ("年", "y"),
    ("years", "y"),
    ("year", "y"),
    ("季度", "季度"),
    ("quarters", "季度"),
    ("倍", "倍"),
    ("fold", "倍"),
    ("x", "倍"),
    ("平方米", "m2"),
    ("平米", "m2"),
    ("square metres", "m2"),
    ("square meters", "m2"),
    ("立方米", "m3"),
    ("公里", "km"),
    ("千米", "km"),
    ("kilometres", "km"),
    ("kilometers", "km"),
    ("km", "km"),
    ("厘米", "cm"),
    ("cm", "cm"),
    ("毫米", "mm"),
    ("mm", "mm"),
    ("米", "m"),
    ("metres", "m"),
    ("meters", "m"),
    ("m", "m"),
    ("英里", "mi"),
    ("miles", "mi"),
    ("mile", "mi"),
    ("公斤", "kg"),
    ("千克", "kg"),
    ("kilograms", "kg"),
    ("kg", "kg"),
    ("毫克", "mg"),
    ("milligrams", "mg"),
    ("mg", "mg"),
    ("克", "g"),
    ("grams", "g"),
    ("g", "g"),
    ("吨", "t"),
    ("tonnes", "t"),
    ("tons", "ton"),
    ("斤", "斤"),
    ("lbs", "lb"),
    ("lb", "lb"),
    ("毫升", "ml"),
    ("ml", "ml"),
    ("升", "l"),
    ("litres", "l"),
    ("liters", "l"),
    ("l", "l"),
    ("摄氏度", "°c"),
    ("°c", "°c"),
    ("℃", "°c"),
    ("°f", "°f"),
    ("度", "度"),
    ("degrees", "度"),
    ("千瓦时", "kwh"),
    ("kwh", "kwh"),
    ("kw", "kw"),
    ("mw", "mw"),
    ("gib", "gib"),
    ("mib", "mib"),
    ("kib", "kib"),
    ("tb", "tb"),
    ("gb", "gb"),
    ("mb", "mb"),
    ("kb", "kb"),
    ("gigabytes", "gb"),
    ("megabytes", "mb"),
    ("terabytes", "tb"),
    ("kilobytes", "kb"),
    ("bytes", "byte"),
    ("字节", "byte"),
    ("qps", "qps"),
    ("rps", "rps"),
    ("tps", "tps"),
    ("fps", "fps"),
    ("hz", "hz"),
    ("px", "px"),
    ("个", ""),
    ("条", "条"),
    ("项", "项"),
    ("份", "份"),
    ("位", "人"),
    ("名", "人"),
    ("人次", "人次"),
    ("人", "人"),
    ("件", "件"),
    ("单", "单"),
    ("笔", "笔"),
    ("起", "起"),
    ("台", "台"),
    ("次", "次"),
    ("页", "页"),
    ("章", "章"),
    ("节", "节"),
    ("篇", "篇"),
    ("行", "行"),
    ("列", "列"),
    ("张", "张"),
    ("套", "套"),
    ("轮", "轮"),
    ("版", "版"),
    ("层", "层"),
    ("楼", "楼"),
    ("家", "家"),
    ("组", "组"),
    ("批", "批"),
    ("户", "户"),
    ("间", "间"),
    ("辆", "辆"),
    ("箱", "箱"),
    ("包", "包"),
    ("袋", "袋"),
    ("瓶", "瓶"),
    ("盒", "盒"),
    ("颗", "颗"),
    ("门", "门"),
    ("期", "期"),
    ("届", "届"),
    ("场", "场"),
    ("步", "步"),
    ("道", "道"),
    ("题", "题"),
    ("分", "分"),
    ("points", "分"),
    ("点", "点"),
    ("成", "成"),
    ("折", "折"),
    ("片", "片"),
    ("粒", "粒"),
    ("部", "部"),
    ("只", "只"),
    ("支", "支"),
    ("课时", "课时"),
    ("字", "字"),
    ("words", "字"),
    ("例", "例"),
    ("种", "种"),
    ("类", "类"),
    ("处", "处"),
    ("封", "封"),
    ("本", "本"),
    ("座", "座"),
    ("棵", "棵"),
    ("头", "头"),
    ("遍", "遍"),
    ("亩", "亩"),
    ("票", "票"),
];
/// Nouns that begin with a unit's character: 3 单元, 5 分支.
const NOUNS: &[&str] = &[
    "单元", "单位", "人民", "分支", "分店", "分区", "次要", "月报", "年报", "周报", "日志", "组件", "行业", "点位",
    "家庭", "天线", "期货", "门店", "部门", "节点", "位置", "名称", "列表", "周期", "包裹", "条件", "项目", "件号",
    "本地", "字段", "类型", "步骤", "分片", "层级",
];
/// Behind a numeral in words, these show that it counts: 三天, but not 三星.
const COUNTED: &str = "天日号周星期个月年岁条项份位名人件单笔起台次页章节篇行列张套轮版层楼家组批户间辆箱包袋瓶盒颗门期场步道题点成折倍元块米秒分小时公斤吨克升度片粒部只支课例种类处封本亩遍票季美百万亿%";
/// Words that begin with a numeral and count nothing.
const NOT_NUMERALS: &[&str] = &[
    "一定",
    "一样",
    "一起",
    "一直",
    "一般",
    "一致",
    "一些",
    "一点",
    "一旦",
    "一下",
    "一边",
    "一共",
    "一律",
    "一切",
    "一向",
    "一并",
    "一线",
    "一期工程",
    "一方面",
    "一半",
    "一级",
    "一键",
    "千万别",
    "千万不",
    "万一",
    "万能",
    "三方",
    "二维码",
    "二手",
    "二级",
    "两者",
    "两边",
    "四周",
    "百度",
    "十分",
    "百货",
    "百科",
    "一个",
    "一种",
    "一家人",
    "千兆",
    "万象",
    "七牛",
    "三星",
    "五金",
    "一站",
    "一体",
    "一次性",
    "亿联",
];

const EN_SMALL: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const EN_TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// Decimal digits times a power of ten, exactly, without zeros that say nothing.
fn scaled(value: &str, zeros: usize) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut digits = format!("{whole}{fraction}");
    let shift = zeros.min(fraction.len());
    let places = fraction.len() - shift;
    digits.extend(std::iter::repeat_n('0', zeros - shift));
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The digits that a text begins with, without thousands separators, and where they end.
fn digits(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let (mut value, mut end) = (String::new(), 0);
    while let Some(&byte) = bytes.get(end) {
        let next_is_digit = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' => value.push(char::from(byte)),
            b',' if !value.is_empty()
                && bytes.get(end + 1..end + 4).is_some_and(|three| three.iter().all(u8::is_ascii_digit))
                && !bytes.get(end + 4).is_some_and(u8::is_ascii_digit) => {}
            b'.' if !value.is_empty() && next_is_digit && !value.contains('.') => value.push('.'),
            _ => break,
        }
        end += 1;
    }
    (!value.is_empty()).then_some((value, end))
}

/// A numeral in Chinese words at the beginning of a text, as digits: 三百二十, 两, 三点五, 一二三.
pub(super) fn numeral(text: &str) -> Option<(String, usize)> {
    const DIGITS: &str = "零一二三四五六七八九";
    let digit = |c: char| match c {
        '〇' => Some(0),
        '两' => Some(2),
        _ => DIGITS.chars().position(|known| known == c).map(|value| value as u64),
    };
    let power = |c: char| match c {
        '十' => Some(10u64),
        '百' => Some(100),
        '千' => Some(1_000),
        _ => None,
    };
    let (mut total, mut section, mut last) = (0u64, 0u64, None);
    let (mut end, mut count, mut plain, mut powers) = (0, 0, String::new(), false);
    let mut fraction = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        count += 1;
        if count > 15 {
            return None;
        }
        if let Some(value) = digit(c) {
            if !powers {
                plain.push(char::from(b'0' + u8::try_from(value).ok()?));
            }
            last = Some(value);
        } else if let Some(power) = power(c) {
            section = last.take().unwrap_or(1).checked_mul(power)?.checked_add(section)?;
            powers = true;
        } else if matches!(c, '万' | '亿') && (count > 1) {
            let scale = if c == '万' { 10_000 } else { 100_000_000 };
            total = total.checked_add(section)?.checked_add(last.take().unwrap_or(0))?.checked_mul(scale)?;
            section = 0;
            powers = true;
        } else if c == '点' && count > 1 && characters.peek().is_some_and(|&(_, next)| digit(next).is_some()) {
            while let Some(value) = characters.peek().and_then(|&(_, next)| digit(next)) {
                let Some((next_at, next)) = characters.next() else { break };
                fraction.push_str(&value.to_string());
                end = next_at + next.len_utf8();
            }
            break;
        } else {
            break;
        }
        end = at + c.len_utf8();
    }
    if end == 0 {
        return None;
    }
    let whole = if powers { total.checked_add(section)?.checked_add(last.unwrap_or(0))?.to_string() } else { plain };
    Some((if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }, end))
}

/// A number in English words: twelve, twenty-five, "three hundred".
fn worded(text: &str) -> Option<(String, usize)> {
    fn word(text: &str) -> &str {
        &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())]
    }
    let first = word(text);
    let mut end = first.len();
    let value = if let Some(value) = EN_SMALL.iter().position(|known| *known == first) {
        value
    } else {
        let tens = (EN_TENS.iter().position(|known| *known == first)? + 2) * 10;
        let rest = text[end..].strip_prefix(['-', ' ']);
        let ones =
            rest.map(word).and_then(|next| Some((next, EN_SMALL[..10].iter().position(|known| *known == next)?)));
        match ones {
            Some((next, ones)) if ones > 0 => {
                end += 1 + next.len();
                tens + ones
            }
            _ => tens,
        }
    };
    Some((value.to_string(), end))
}

/// Whether a Latin word ends where a text goes on.
pub(super) fn word_ends(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// The number at the beginning of a text with its unit, and where it ends. `before`: what stands before it, for sign, currency, 第 and 百分之.
pub(super) fn number(before: &str, text: &str) -> Option<(Number, usize)> {
    let mut start = 0;
    let mut sign = "";
    let mut currency = None;
    let apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric());
    for (written, minus) in
        [("-", true), ("−", true), ("+", false), ("负", true), ("minus ", true), ("negative ", true)]
    {
        if apart && text.starts_with(written) {
            start = written.len();
            sign = if minus { "-" } else { "" };
        }
    }
    let mut ordinal = false;
    let mut hundredths = false;
    let rest = &text[start..];
    if let Some((written, unit)) = CURRENCIES.iter().find(|(written, _)| rest.starts_with(written)) {
        start += written.len();
        start += text[start..].len() - text[start..].trim_start().len();
        currency = Some(*unit);
    } else if rest.starts_with("百分之") {
        start += "百分之".len();
        hundredths = true;
    } else if rest.starts_with('第') {
        start += "第".len();
        ordinal = true;
    }
    let rest = &text[start..];
    let in_figures = digits(rest);
    let marked = start > 0 && (hundredths || ordinal || currency.is_some());
    let (value, length) = match in_figures.clone() {
        Some(found) => found,
        None if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            worded(rest).filter(|(_, end)| word_ends(&rest[*end..]))?
        }
        None => {
            let exempt =
                !marked && NOT_NUMERALS.iter().any(|word| rest.starts_with(word)) && !rest.starts_with("十分钟");
            let (value, end) = numeral(rest).filter(|_| !exempt)?;
            let counted = rest[end..].starts_with(|c: char| COUNTED.contains(c));
            let composed =
                rest[..end].chars().count() > 1 && rest[..end].contains(['十', '百', '千', '万', '亿', '点']);
            (marked || counted || composed).then_some((value, end))?
        }
    };
    let mut end = start + length;
    // 10.0.3.17 and 5.7.3 are no numbers.
    if in_figures.is_some()
        && rest[length..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let mut zeros = 0;
    let gap = |end: usize| usize::from(text[end..].starts_with(' ') && text[end + 1..].starts_with(|c: char| c != ' '));
    let at = end + gap(end);
    if let Some((scale, power)) = SCALES.iter().find(|(scale, _)| {
        text[at..].strip_prefix(scale).is_some_and(|rest| {
            let figures_apart = at > end && *scale == "k";
            let ends = if scale.is_ascii() { word_ends(rest) } else { !rest.starts_with(['克', '米', '瓦']) };
            ends && !figures_apart
        })
    }) {
        zeros = *power;
        end = at + scale.len();
    }
    let at = end + gap(end);
    let mut unit = currency.unwrap_or_default();
    let known = UNITS.iter().filter(|(written, _)| {
        let short = written.is_ascii() && written.len() <= 1 && *written != "%";
        text[at..].strip_prefix(written).is_some_and(|rest| !written.ends_with(|c: char| c.is_ascii_alphabetic()) || word_ends(rest))
            // A letter apart from the figures is an initial or an option.
            && !(short && at > end)
    });
    if let Some((written, canonical)) = known.max_by_key(|(written, _)| written.len()) {
        let begins_noun = NOUNS.iter().any(|noun| text[at..].starts_with(noun)) && !canonical.is_empty();
        if !begins_noun {
            unit = currency.unwrap_or(canonical);
            end = at + written.len();
        }
    }
    // 3rd, 2fa and 7z are words.
    if in_figures.is_some() && text[end..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    if hundredths {
        unit = "%";
    }
    let value = scaled(&value, zeros);
    let value = if sign == "-" && value != "0" { format!("-{value}") } else { value };
    Some((Number { value: if ordinal { format!("第{value}") } else { value }, unit }, end))
}
