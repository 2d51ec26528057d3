//! A change announced and then told: 「换手机了，从小米12换成了小米14」「换工作了，现在在星海科技做前端」. The first clause says what is another
//! now, one behind it which: there the new thing is read, and never the old one.

use std::ops::Range;

use super::words::{LINK_ADVERBS, PARTICLES};
use super::{Zh, skip_date};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::statements::{Announced, Found, values};

const COUNTERS: &[&str] =
    &["一台", "一部", "一辆", "一个", "一份", "一副", "一款", "台", "部", "辆", "个", "份", "副", "款"];
/// Before the new thing.
const NEW: &[&str] = &[
    "用的是",
    "用上了",
    "换成了",
    "换成",
    "换到了",
    "换到",
    "换的是",
    "换的",
    "换了",
    "改用了",
    "改用",
    "升级到了",
    "升级成了",
    "买的是",
    "买了",
    "入手了",
    "新的是",
];
/// Between the old thing and the new one.
const INTO: &[&str] = &["换成了", "换成", "换到了", "换到", "换了", "升级到了", "升级成了", "升级到", "升级成", "换"];
/// In a clause that says more of the new thing than which it is.
const MORE_SAID: &[char] = &['的', '很', '真', '太', '给', '我', '你', '他', '她', '坏', '不', '没', '贵', '就'];
/// Before a new employer.
const JOINED: &[&str] =
    &["在", "去了", "到了", "来了", "来到了", "来到", "入职了", "入职", "加入了", "加入", "跳槽到了", "跳槽到"];
const JOINED_FROM: &[&str] =
    &["换到了", "换到", "跳槽到了", "跳槽到", "跳到了", "跳到", "转到了", "转到", "去了", "到了", "来了"];
/// Behind an employer.
const SERVES: &[&str] = &["上班", "工作", "任职", "就职", "做", "当", "负责"];

impl Zh<'_, '_> {
    /// 换手机了, 换了台新电脑, 手机换了, 跳槽了: the whole clause, told and not planned.
    pub(super) fn announces(&self, mut at: Cursor<'_>) -> Option<Announced> {
        let _ = at.eat("我的") || at.eat("我") || at.eat("本人");
        skip_date(self.reading, &mut at);
        while at.eat_any(&["终于", "总算"]).is_some() {}
        self.adverbs(&mut at);
        while at.eat_any(&["终于", "总算"]).is_some() {}
        if let Some(announced) = self.announces_meal(at).or_else(|| self.announces_device(at)) {
            return Some(announced);
        }
        let says = |attribute, word: &str| Announced { attribute, word: word.to_owned(), start: self.start };
        let over = |at: &Cursor<'_>| at.rest().trim_end_matches(PARTICLES).is_empty();
        if at.eat("跳槽了") {
            return over(&at).then(|| says(Attribute::Job, "工作"));
        }
        let lasts = |attribute: &Attribute| {
            matches!(
                attribute,
                Attribute::Device | Attribute::Tool | Attribute::Job | Attribute::Employer | Attribute::Manager
            )
        };
        // 手机换了
        if let Some((end, attribute)) = self.attribute_at(at.pos()).filter(|(_, attribute)| lasts(attribute)) {
            let word = &self.text[at.pos()..end];
            at.jump(end);
            while at.eat_any(LINK_ADVERBS).is_some() {}
            let changed = at.eat_any(&["换了新的", "换了个新的", "换新的了", "换新了", "换了"]).is_some();
            return (changed && over(&at)).then(|| says(attribute, word));
        }
        // 换了个新手机; of what is only bought, one can have two.
        let changed = at.eat_any(&["新换", "更换", "换"]).is_some();
        if !changed {
            at.eat_any(&["新买", "买", "入手"])?;
        }
        let mut told = at.eat("了");
        at.eat_any(COUNTERS);
        let new = at.eat("新");
        at.eat("的");
        let (end, attribute) = self.attribute_at(at.pos()).filter(|(_, attribute)| lasts(attribute))?;
        let word = &self.text[at.pos()..end];
        at.jump(end);
        told |= at.eat("了");
        (told && (changed || new) && over(&at)).then(|| says(attribute, word))
    }

    /// What a clause tells of what was announced.
    pub(super) fn goes_on(&self, mut at: Cursor<'_>, announced: &Announced) -> Vec<Found> {
        skip_date(self.reading, &mut at);
        self.adverbs(&mut at);
        match announced.attribute {
            Attribute::Job | Attribute::Employer => self.new_job(at, announced),
            Attribute::Meal => self.new_meal(at, announced),
            _ => self.new_thing(at, announced).into_iter().collect(),
        }
    }

    fn new_thing(&self, mut at: Cursor<'_>, announced: &Announced) -> Option<Found> {
        let named = |value: &Range<usize>| values::fits(self.reading, announced.attribute, value);
        let from = at.pos();
        // 新手机是…, 现在用…
        let again = at.eat("新") && at.eat(&announced.word);
        let now = self.text[self.from..from].contains("现在") && at.eat_any(&["用", "是"]).is_some();
        let value_at = if again {
            at.eat_any(&["用的是", "是"])?;
            at.pos()
        } else if now || at.eat_any(NEW).is_some() {
            at.eat("的是");
            at.eat_any(COUNTERS);
            at.pos()
        } else {
            at.jump(from);
            let told_from = at.eat("从");
            let rest = at.rest();
            let (place, word) = INTO
                .iter()
                .find_map(|word| rest.find(word).map(|place| (place, word)))
                .filter(|(place, _)| *place > 0)?;
            let old = at.pos()..at.pos() + rest[..place].trim_end().len();
            let said = &self.text[old.clone()];
            let is_old = ["老", "旧", "原来", "之前", "以前"].iter().any(|lead| said.starts_with(lead));
            // 壁纸换成了Pikachu is of another thing.
            if !(named(&old) || is_old || told_from && said.chars().count() <= 20) {
                return None;
            }
            at.pos() + place + word.len()
        };
        let value = self.value(value_at);
        let said = &self.text[value.clone()];
        let first = self.reading.hits_in(&(value.start..value.start + 1)).iter().any(|hit| hit.tag == Tag::Tool)
            || announced.attribute == Attribute::Manager
            || values::first_word_is_capitalised(self.reading, &value);
        // 笔记本没换联想，买了AirPods: of another kind.
        let of_kind = announced.attribute != Attribute::Device || self.is_of_kind(&announced.word, &value);
        (first && named(&value) && of_kind && !said.contains(MORE_SAID))
            .then(|| self.found(&announced.word, value, true, announced.start))
    }

    /// 现在在星海科技做前端, 从字节换到了美团.
    fn new_job(&self, mut at: Cursor<'_>, announced: &Announced) -> Vec<Found> {
        // 今天在医院做了体检 is of a day.
        if self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..))) {
            return Vec::new();
        }
        if at.eat("从") {
            let rest = at.rest();
            let Some(place) =
                JOINED_FROM.iter().filter_map(|word| rest.find(word).map(|place| (place, word.len()))).min()
            else {
                return Vec::new();
            };
            // The longest word of those that begin at one place.
            let len =
                JOINED_FROM.iter().filter(|word| rest[place.0..].starts_with(**word)).map(|word| word.len()).max();
            at.jump(at.pos() + place.0 + len.unwrap_or(place.1));
        } else if at.eat_any(JOINED).is_none() {
            return Vec::new();
        }
        at.spaces();
        let rest = at.rest();
        let serves = SERVES.iter().filter_map(|word| rest.find(word).map(|place| (place, *word))).min();
        let employer = match serves {
            Some((place, _)) => at.pos()..at.pos() + rest[..place].trim_end().len(),
            None => self.value(at.pos()),
        };
        if !values::is_organisation(self.reading, &employer) {
            return Vec::new();
        }
        let mut found = vec![self.found("上班", employer, true, announced.start)];
        if let Some((place, word @ ("做" | "当"))) = serves {
            let mut role_at = Cursor::new(self.text, at.pos() + place + word.len());
            // 做了体检 is no occupation.
            if role_at.eat("了") {
                return Vec::new();
            }
            role_at.eat("一名");
            let role = self.value(role_at.pos());
            if values::is_occupation(self.reading, &role) {
                found.push(self.found("职业", role, true, announced.start));
            }
        }
        found
    }
}
