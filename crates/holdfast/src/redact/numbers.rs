//! Secrets that are numbers: cards, identity numbers, telephones. Each kind has a shape, a check digit or a word before it; a
//! run of digits that has none of them is an order number, a timestamp, a hash, and stays.

mod broken;
mod local;

use std::cell::OnceCell;
use std::ops::Range;

use super::rules::Secret;
use super::scan::Found;

/// A card of 19 digits, an identity number and a telephone are written in up to five groups; behind a + there may be more.
const GROUPS_MAX: usize = 5;
const INTERNATIONAL_GROUPS_MAX: usize = 8;
/// How far before a number a word may stand that says what it is, in bytes.
const CONTEXT_BYTES: usize = 40;
/// Fewer digits are no secret.
const DIGITS_MIN: usize = 7;

const CARD_WORDS: &[&str] =
    &["卡", "card", "visa", "mastercard", "amex", "银联", "unionpay", "账号", "账户", "帐号", "account"];
const ID_WORDS: &[&str] = &["身份证", "身份證", "id card", "证件号", "identity"];
const SSN_WORDS: &[&str] = &["ssn", "social security"];
const PHONE_WORDS: &[&str] = &[
    "电话",
    "電話",
    "手机",
    "手機",
    "座机",
    "联系方式",
    "传真",
    "热线",
    "微信",
    "致电",
    "拨打",
    "tel",
    "phone",
    "mobile",
    "cell",
    "fax",
    "call",
    "whatsapp",
    "wechat",
    "sms",
    "text me at",
    "contact",
];
/// What is numbered and no secret. The word nearest to the number decides.
const OTHER_WORDS: &[&str] = &[
    "订单",
    "訂單",
    "单号",
    "單號",
    "order",
    "编号",
    "編號",
    "运单",
    "快递",
    "物流",
    "tracking",
    "流水",
    "发票",
    "invoice",
    "工单",
    "ticket",
    "版本",
    "version",
    "型号",
    "货号",
    "sku",
    "序列号",
    "serial",
    "isbn",
    "issn",
    "imei",
    "商品",
    "产品",
    "product",
    "时间戳",
    "timestamp",
    "金额",
    "合计",
    "总计",
    "total",
    "批次",
    "batch",
    "build",
    "commit",
    "shipment",
    "package",
    "交易号",
    "transaction",
    "case",
    "条码",
    "barcode",
    "qq群",
];

/// Finds the secrets of a text that are numbers.
pub(crate) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let chain = Chain::at(text, at + offset);
        at = chain.end;
        if chain.digits < DIGITS_MIN {
            continue;
        }
        let mut first = 0;
        while first < chain.groups.len() {
            first = match longest(&chain, first) {
                Some((secret, range, last)) => {
                    found.push(Found { secret, range });
                    last + 1
                }
                None => first + 1,
            };
        }
    }
    broken::find(text, found);
}

/// The longest secret that begins with a group, and the last group of it.
fn longest(chain: &Chain<'_>, first: usize) -> Option<(Secret, Range<usize>, usize)> {
    if !chain.may_begin(first) {
        return None;
    }
    let groups_max = if chain.has_plus(first) { INTERNATIONAL_GROUPS_MAX } else { GROUPS_MAX };
    let last_tried = (first + groups_max).min(chain.groups.len());
    (first..last_tried).rev().find_map(|last| {
        let candidate = Candidate::of(chain, first, last)?;
        candidate.secret().map(|(secret, range)| (secret, range, last))
    })
}

/// Groups of digits with single separators between them.
struct Chain<'a> {
    text: &'a str,
    groups: Vec<Range<usize>>,
    digits: usize,
    end: usize,
    /// The end of an X behind the last group: the check digit ten of an identity number.
    x_end: Option<usize>,
}

impl<'a> Chain<'a> {
    fn at(text: &'a str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let digits_from = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut chain = Self { text, groups: Vec::new(), digits: 0, end: start, x_end: None };
        let mut at = start;
        loop {
            let length = digits_from(at);
            if length == 0 {
                break;
            }
            chain.groups.push(at..at + length);
            chain.digits += length;
            chain.end = at + length;
            at = chain.end + separator(&bytes[chain.end..]);
        }
        let tail = &bytes[chain.end..];
        let space = usize::from(matches!(tail, [b' ' | b'-', b'x' | b'X', ..]));
        if matches!(tail.get(space), Some(b'x' | b'X')) && !tail.get(space + 1).is_some_and(u8::is_ascii_alphanumeric) {
            chain.x_end = Some(chain.end + space + 1);
        }
        chain
    }

    fn has_plus(&self, group: usize) -> bool {
        self.text[..self.groups[group].start].ends_with('+')
    }

    fn between(&self, group: usize) -> &'a str {
        &self.text[self.groups[group].end..self.groups[group + 1].start]
    }

    /// Whether what stands before a group lets a number begin there: not in the middle of a code, a decimal or an amount.
    fn may_begin(&self, group: usize) -> bool {
        if group > 0 {
            return self.between(group - 1).contains([' ', '(']);
        }
        let mut before = self.text[..self.groups[0].start].chars().rev();
        match before.next() {
            None => true,
            Some('-' | '.') => !before.next().is_some_and(|c| c.is_ascii_alphanumeric()),
            // 1,234 is one number; 13800138000,13900139000 are two.
            Some(',') => self.groups[0].len() != 3 || !before.next().is_some_and(|c| c.is_ascii_digit()),
            Some(':') => !before.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => !(c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | '$' | '¥' | '€' | '£')),
        }
    }

    fn may_end(&self, group: usize) -> bool {
        if group + 1 < self.groups.len() {
            return self.between(group).contains(' ');
        }
        let mut after = self.text[self.groups[group].end..].chars();
        match after.next() {
            None => true,
            Some('-' | '.') => !after.next().is_some_and(|c| c.is_ascii_alphanumeric()),
            // An extension, behind a number in groups.
            Some('x') => group >= 2 && after.next().is_some_and(|c| c.is_ascii_digit()),
            Some(',') => after.take_while(char::is_ascii_digit).count() != 3,
            Some(c) => !(c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '元' | '¥' | '€')),
        }
    }
}

/// The length of one separator with digits behind it, else 0.
fn separator(rest: &[u8]) -> usize {
    match rest {
        [b')', b' ' | b'-', b'0'..=b'9', ..] | [b' ' | b'-', b'(', b'0'..=b'9', ..] => 2,
        [b')' | b'(' | b' ' | b'-' | b'.', b'0'..=b'9', ..] => 1,
        [b' ', b'-', b' ', b'0'..=b'9', ..] => 3,
        _ => 0,
    }
}

/// One stretch of a chain that may be a number.
struct Candidate<'a> {
    text: &'a str,
    range: Range<usize>,
    digits: String,
    /// The number of digits in each group.
    shape: Vec<usize>,
    /// The separators, each as its first character; empty if there is one group.
    separators: Vec<char>,
    plus: bool,
    /// Ends where a number may end. (An identity number with an X ends behind it.)
    ends: bool,
    x_end: Option<usize>,
    /// What stands before it, read when a rule asks.
    context: OnceCell<String>,
}

impl<'a> Candidate<'a> {
    fn of(chain: &Chain<'a>, first: usize, last: usize) -> Option<Self> {
        let groups = &chain.groups[first..=last];
        let count: usize = groups.iter().map(Range::len).sum();
        // Single digits with spaces between them are a table.
        let plus = chain.has_plus(first);
        if !(DIGITS_MIN..=19).contains(&count) || (count < groups.len() * 2 && !plus) {
            return None;
        }
        let x_end = chain.x_end.filter(|_| last + 1 == chain.groups.len() && count == 17);
        let ends = chain.may_end(last);
        if !ends && x_end.is_none() {
            return None;
        }
        let range = groups[0].start..groups[groups.len() - 1].end;
        let digits: String = groups.iter().map(|group| &chain.text[group.clone()]).collect();
        let separators = (first..last).filter_map(|group| chain.between(group).chars().next()).collect();
        Some(Self {
            text: chain.text,
            plus,
            context: OnceCell::new(),
            shape: groups.iter().map(Range::len).collect(),
            range,
            digits,
            separators,
            ends,
            x_end,
        })
    }

    fn secret(&self) -> Option<(Secret, Range<usize>)> {
        if let Some(end) = self.x_end
            && is_national_id(&format!("{}X", self.digits))
        {
            return Some((Secret::NationalId, self.range.start..end));
        }
        if !self.ends {
            return None;
        }
        let old_id = self.digits.len() == 15 && is_date(&format!("19{}", &self.digits[6..12])) && self.after(ID_WORDS);
        // Called one, it is one, even with a digit mistyped.
        let mistyped = self.digits.len() == 18 && is_date(&self.digits[6..14]) && self.after(ID_WORDS);
        if is_national_id(&self.digits) || old_id || mistyped {
            return Some((Secret::NationalId, self.range.clone()));
        }
        if self.is_card() {
            return Some((Secret::Card, self.range.clone()));
        }
        if self.is_ssn() {
            return Some((Secret::Ssn, self.range.clone()));
        }
        self.is_phone().then(|| (Secret::Phone, self.with_prefix()))
    }

    fn context(&self) -> &str {
        self.context.get_or_init(|| context(self.text, self.range.start))
    }

    /// Whether one of the words stands before the number, and no word for another kind of number stands nearer.
    fn after(&self, words: &[&str]) -> bool {
        match (nearest(self.context(), words), nearest(self.context(), OTHER_WORDS)) {
            (Some(word), Some(other)) => word > other,
            (word, _) => word.is_some(),
        }
    }

    /// Whether the nearest word before the number calls it something that is no secret.
    fn is_other(&self) -> bool {
        nearest(self.context(), OTHER_WORDS).is_some()
            && !self.after(CARD_WORDS)
            && !self.after(PHONE_WORDS)
            && !self.after(ID_WORDS)
            && !self.after(SSN_WORDS)
    }

    fn separated_by(&self, allowed: &[char]) -> bool {
        self.separators.iter().all(|c| allowed.contains(c))
    }

    /// ISO/IEC 7812: 13 to 19 digits, Luhn. Without the word "card" before it, also a known issuer with the lengths it uses,
    /// in the groups it is printed in: every tenth number passes Luhn.
    fn is_card(&self) -> bool {
        let length = self.digits.len();
        if !(13..=19).contains(&length) || self.plus || !luhn(&self.digits) {
            return false;
        }
        if self.digits.bytes().all(|b| b == self.digits.as_bytes()[0]) {
            return false;
        }
        let printed = matches!(
            self.shape[..],
            [_] | [6, 13] | [6, 10] | [4, 6, 4..=5] | [4, 4, 4, 4] | [4, 4, 4, 4, 1..=3] | [4, 4, 4, 1..=4]
        );
        let uniform = self.separated_by(&['-']) || self.separated_by(&[' ']);
        if printed && uniform && is_issued(&self.digits) {
            return !self.is_other();
        }
        let plausible = !self.digits.starts_with(['0', '1', '7']) && length >= self.shape.len() * 3;
        plausible && self.separated_by(&['-', ' ']) && self.after(CARD_WORDS)
    }

    /// Area, group and serial as the SSA never assigned them are excluded; without hyphens the word must stand before it.
    fn is_ssn(&self) -> bool {
        if self.digits.len() != 9 || self.plus {
            return false;
        }
        let (area, rest) = self.digits.split_at(3);
        let (group, serial) = rest.split_at(2);
        let assigned = area != "000" && area != "666" && !area.starts_with('9') && group != "00" && serial != "0000";
        assigned
            && match self.shape[..] {
                [3, 2, 4] if self.separated_by(&['-']) => !self.is_other(),
                [3, 2, 4] | [9] => self.after(SSN_WORDS),
                _ => false,
            }
    }

    fn is_phone(&self) -> bool {
        if self.plus {
            return self.is_international();
        }
        // The shapes first: most numbers have none of them, and then nobody needs to read what stands before.
        (self.is_mobile_written() || self.is_landline() || self.is_north_american() || self.is_named_directly())
            && !self.is_other()
            || self.is_local()
    }

    /// 8888 1234, 555-0123. What stands beside them decides, so a word for another number further off does not.
    fn is_local(&self) -> bool {
        let grouped = matches!(self.shape[..], [3 | 4, 4]);
        (grouped || matches!(self.shape[..], [7 | 8]))
            && self.separated_by(&[' ', '-', '.'])
            && !is_date(&self.digits)
            && local::is_dialled(self.context(), &self.text[self.range.end..], grouped)
    }

    fn is_named(&self) -> bool {
        self.after(PHONE_WORDS)
    }

    /// 13800138000, 138-0013-8000, 86-13800138000.
    fn is_mobile_written(&self) -> bool {
        let digits = self.digits.as_str();
        let prefixed = digits.strip_prefix("0086").or(digits.strip_prefix("86"));
        if prefixed.is_some_and(is_mobile) && matches!(self.shape[..], [13 | 15] | [2 | 4, ..]) {
            return true;
        }
        if !is_mobile(digits) {
            return false;
        }
        let dotted = self.shape[..] == [3, 4, 4] && self.separated_by(&['.']);
        let written = matches!(self.shape[..], [11] | [3, 4, 4] | [3, 8] | [7, 4] | [4, 4, 3] | [4, 3, 4] | [3, 3, 5]);
        dotted || (self.separated_by(&[' ', '-']) && (written || (self.shape[0] >= 3 && self.is_named())))
    }

    /// A + and a country code: 1 and 86 are checked, the rest of the world is taken by its length.
    fn is_international(&self) -> bool {
        let before = self.text[..self.range.start - 1].chars().next_back();
        if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == ')' || c == '+') {
            return false;
        }
        let digits = self.digits.as_str();
        if let Some(national) = digits.strip_prefix("86") {
            return is_mobile(national)
                || is_mobile(national.trim_start_matches('0'))
                || (9..=12).contains(&national.len());
        }
        if let Some(national) = digits.strip_prefix('1') {
            return national.len() == 10 && is_nanp(national);
        }
        // +100000000 is growth.
        (9..=15).contains(&digits.len()) && !digits.starts_with('0') && !digits.ends_with("00000")
    }

    /// Area code and number in the PRC: 010-62345678, (021) 6234 5678, 0755-12345678-801.
    fn is_landline(&self) -> bool {
        let digits = self.digits.as_str();
        let area = match digits.as_bytes() {
            [b'0', b'1', b'0', ..] | [b'0', b'2', b'0'..=b'9', ..] => 3,
            [b'0', b'3'..=b'9', b'0'..=b'9', b'0'..=b'9', ..] => 4,
            _ => return false,
        };
        let parted = || self.separators.first().is_some_and(|c| matches!(c, '-' | ')')) || self.is_named();
        let length = digits.len() - area;
        match self.shape[..] {
            [first, 7..=8] | [first, 3..=4, 4] => first == area && parted(),
            [first, 7..=8, 1..=5] => first == area && parted(),
            [_] => (7..=8).contains(&length) && self.is_named(),
            _ => false,
        }
    }

    /// The North American plan: neither area nor exchange begins with 0 or 1.
    fn is_north_american(&self) -> bool {
        let national = match self.digits.len() {
            10 => self.digits.as_str(),
            11 if self.digits.starts_with('1') => &self.digits[1..],
            _ => return false,
        };
        let parted = self.separated_by(&['-', ')', '(']) || (self.separated_by(&['.']) && self.shape.len() > 1);
        let parted = parted || (self.text[..self.range.start].ends_with('(') && self.separators.first() == Some(&')'));
        is_nanp(national)
            && match self.shape[..] {
                [3, 3, 4] | [1, 3, 3, 4] => parted || self.is_named(),
                [10] | [11] => self.is_named(),
                _ => false,
            }
    }

    /// 「电话：62345678」, "tel 555-1234": a word for it just before, whatever the plan. A date isn't a number to call.
    fn is_named_directly(&self) -> bool {
        const WORDS: &[&str] = &[
            "电话",
            "電話",
            "手机",
            "手機",
            "座机",
            "传真",
            "号码",
            "手机号",
            "联系方式",
            "tel",
            "phone",
            "mobile",
            "fax",
            "phone number",
            "cell",
        ];
        // In the middle of a row of numbers, the word names another.
        if self.text[..self.range.start]
            .trim_end_matches([' ', '-', '.', '(', ')'])
            .ends_with(|c: char| c.is_ascii_digit())
        {
            return false;
        }
        let context = self.context().trim_end_matches([':', ' ', '=', '"', '\'', '.', '是', '为', '号', '(', '#']);
        let context = context.strip_suffix(" is").unwrap_or(context);
        let named = WORDS.iter().any(|word| context.ends_with(word));
        let date = is_date(&self.digits) || matches!(self.shape[..], [4, 1..=2, 1..=2, ..]);
        named && self.digits.len() <= 15 && !date && self.separated_by(&[' ', '-', ')'])
    }

    /// The number with its + and its opening bracket.
    fn with_prefix(&self) -> Range<usize> {
        let mut start = self.range.start - usize::from(self.plus);
        let inner = &self.text[start..self.range.end];
        if self.text[..start].ends_with('(') && inner.matches(')').count() > inner.matches('(').count() {
            start -= 1;
        }
        start..self.range.end
    }
}

/// What stands before a number on its line, in lower case.
fn context(text: &str, start: usize) -> String {
    let from = text.ceil_char_boundary(start.saturating_sub(CONTEXT_BYTES));
    let before = &text[from..start];
    let line = &before
        [before.rfind(['\n', '。', '；']).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))..];
    line.trim_end_matches('+').to_lowercase()
}

/// The end of the last of the words in a context.
fn nearest(context: &str, words: &[&str]) -> Option<usize> {
    words.iter().filter_map(|word| context.rfind(word).map(|at| at + word.len())).max()
}

/// Luhn's check (ISO/IEC 7812-1, annex B).
fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, b)| {
            let digit = u32::from(b - b'0');
            match place % 2 {
                0 => digit,
                _ if digit > 4 => digit * 2 - 9,
                _ => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether an issuer that is met in practice has numbers of this beginning and length.
fn is_issued(digits: &str) -> bool {
    let prefix = |length: usize| digits[..length].parse::<u32>().unwrap_or(0);
    let length = digits.len();
    match (prefix(2), prefix(4)) {
        (40..=49, _) => length == 16,
        (51..=55, _) | (_, 2221..=2720) => length == 16,
        (34 | 37, _) => length == 15,
        (62, _) => (16..=19).contains(&length),
        (65, _) | (_, 6011 | 6440..=6499) => (16..=19).contains(&length),
        (_, 3528..=3589) => (16..=19).contains(&length),
        (36 | 38 | 39, _) | (_, 3000..=3059) => length == 14,
        (_, 2200..=2204) => (16..=19).contains(&length),
        (_, 9558 | 9559) => length == 19,
        _ => false,
    }
}

/// GB 11643-1999: region, date of birth, sequence, and a check digit by ISO 7064 MOD 11-2.
fn is_national_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    if bytes.len() != 18 || !bytes[..17].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let region =
        matches!(id[..2].parse::<u32>(), Ok(11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83));
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(b, weight)| u32::from(b - b'0') * weight).sum();
    region && is_date(&id[6..14]) && b"10X98765432"[(sum % 11) as usize] == bytes[17].to_ascii_uppercase()
}

/// Whether eight digits are a day that someone alive, or a record of them, may name.
fn is_date(digits: &str) -> bool {
    let number = |range: Range<usize>| digits.get(range).and_then(|part| part.parse::<i16>().ok()).unwrap_or(0);
    let (year, month, day) = (number(0..4), number(4..6), number(6..8));
    digits.len() == 8
        && (1850..=2150).contains(&year)
        && jiff::civil::Date::new(year, i8::try_from(month).unwrap_or(0), i8::try_from(day).unwrap_or(0)).is_ok()
}

/// A mobile number of the PRC: eleven digits, 13 to 19 first.
fn is_mobile(digits: &str) -> bool {
    digits.len() == 11 && matches!(digits.as_bytes(), [b'1', b'3'..=b'9', ..])
}

fn is_nanp(national: &str) -> bool {
    let bytes = national.as_bytes();
    bytes.len() == 10 && bytes[0] >= b'2' && bytes[3] >= b'2'
}
