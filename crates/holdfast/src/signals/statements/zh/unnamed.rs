//! What people tell of themselves without saying of whom, and often not of what: 「体重终于降到74kg了」「早上改成了酸奶」「手机用的小米14」,
//! 「瘦到65公斤了」「要带5个人的小team了」. Each kind is a whole clause with a grammar of its own, so that a plan (想减到…), a goal, a piece of
//! advice and what is told of somebody or something else have another form.

use std::ops::Range;

use super::words::{LINK_ADVERBS, PARTICLES};
use super::{Zh, skip_date};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Attribute, Device, Tag};
use crate::signals::statements::{Announced, Found, kinds, values};
use crate::types::signals::{Claim, Holds, Liking};

/// Said of what is so by now.
const BY_NOW: &[&str] = &["终于", "总算", "已经", "已", "现在", "目前", "如今", "又", "刚刚", "刚", "也", "都", "就"];
/// How a weight moves that nobody names.
const BODY_MOVES: &[&str] = &["瘦到", "胖到", "反弹到", "反弹回", "减到", "降到", "掉到", "涨到", "回到", "重到"];
/// Of a person. What is lighter or heavier is luggage.
const KILOGRAMS: std::ops::RangeInclusive<f64> = 35.0..=200.0;
const CATTIES: std::ops::RangeInclusive<f64> = 70.0..=400.0;
const DAILY: &[&str] = &["每天的", "每天", "每日的", "每日"];
const INTAKE: &[&str] = &["热量摄入", "卡路里摄入", "摄入量", "摄入", "热量", "卡路里"];
const INTAKE_MOVES: &[&str] =
    &["控制到", "控制在", "提到", "提高到", "降到", "减到", "加到", "增加到", "涨到", "调到", "恢复到"];
const CALORIES: &[&str] = &["大卡", "千卡", "卡路里", "卡"];
/// The part of the day by which a meal is meant, and the meal.
const MEALS_BY_TIME: &[(&str, &str)] = &[("早上", "早餐"), ("早晨", "早餐"), ("中午", "午餐"), ("晚上", "晚餐")];
const MEAL_CHANGES: &[&str] = &["改成", "换成", "变成", "改为", "改吃", "换吃", "改喝"];
const MEAL_ALWAYS: &[&str] =
    &["都是", "一般都", "一般", "通常都", "通常", "每天都", "每天", "平时都", "平时", "基本都", "固定", "一直", "都"];
/// Between what one meal is of.
const MEAL_JOINS: &[char] = &['+', '、', '配', '加', '和', '跟', '＋'];
const MEAL_COUNTERS: &[&str] = &["一杯", "一碗", "一个", "两个", "一份", "一片", "两片", "杯", "碗"];
const MEAL_CHARS_MAX: usize = 24;
/// What is not bought after all.
const NOT_TAKEN: &[&str] = &["没换", "没买", "没选", "没有换", "没有买", "没入手"];
const SWITCHED: &[&str] = &["换成了", "换成", "换到了", "换到", "换回了", "换回", "改用了", "改用"];
/// What runs on a thing, and is not one.
const SYSTEMS: &[&str] = &["windows", "mac", "macos", "linux", "ubuntu", "ios", "android", "安卓", "鸿蒙"];
const LEADS_A_TEAM: &[&str] = &["带着", "带了", "带", "管着", "管", "手下有", "手下现在有", "手底下有"];
const TEAMS: &[&str] =
    &["的小团队", "的团队", "的小team", "的team", "的小组", "的组", "小团队", "团队", "小team", "team", "小组"];
const PROMOTED: &[&str] =
    &["升职为", "升职成", "晋升为", "晋升到", "晋升", "升为", "升成", "升到", "升任", "升", "评上", "当上", "提拔为"];

fn word_of(device: Device) -> &'static str {
    match device {
        Device::Phone => "手机",
        Device::Computer => "电脑",
        Device::Tablet => "平板",
        Device::Headphones => "耳机",
        Device::Car => "车",
    }
}

impl Zh<'_, '_> {
    /// At the head of a clause that is the user's, as far as can be told from what stands before it.
    pub(super) fn unnamed(&self, mut at: Cursor<'_>) -> Vec<Found> {
        let said = at.eat("我的") || at.eat("我");
        // 我们, 我妈: of others.
        if said && at.rest().starts_with(['们', '家', '俩']) {
            return Vec::new();
        }
        skip_date(self.reading, &mut at);
        while at.eat_any(&["回来之后", "回来后", "回来", "过完年", "过年", "年后"]).is_some() {}
        let today = self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..)));
        if today {
            return Vec::new();
        }
        let one = |found: Option<Found>| found.map(|found| vec![found]);
        self.meal(at)
            .or_else(|| one(self.body(at)))
            .or_else(|| one(self.moved(at)))
            .or_else(|| one(self.intake(at)))
            .or_else(|| one(self.device(at)))
            .or_else(|| one(self.device_switched(at)))
            .or_else(|| one(self.leads(at)))
            .or_else(|| one(self.promoted(at)))
            .or_else(|| one(self.way_to_work(at)))
            .or_else(|| self.sport_switched(at))
            .unwrap_or_default()
    }

    fn ends(&self, from: usize) -> bool {
        self.text[from..].trim_end_matches(PARTICLES).is_empty()
    }

    /// 体重又反弹到82公斤了, 瘦到65公斤了, 从80kg减到72kg了.
    fn body(&self, mut at: Cursor<'_>) -> Option<Found> {
        let mut by_now = self.from < at.pos() && self.text[self.from..at.pos()].contains("现在");
        at.eat("体重");
        while at.eat_any(BY_NOW).is_some() {
            by_now = true;
        }
        if at.eat("从") {
            let (_, old_end) = self.weight(at)?;
            at.jump(old_end);
            at.spaces();
        }
        at.eat_any(BODY_MOVES)?;
        by_now |= at.eat("了");
        let (value, end) = self.weight(at)?;
        let told = by_now || self.text[end..].starts_with('了');
        (told && self.ends(end)).then(|| self.found("体重", value, true, self.start))
    }

    /// What a person can weigh: 71kg, 130斤.
    fn weight(&self, mut at: Cursor<'_>) -> Option<(Range<usize>, usize)> {
        at.spaces();
        let from = at.pos();
        let digits = at.rest().find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(at.rest().len());
        let number: f64 = at.rest()[..digits].parse().ok()?;
        at.jump(from + digits);
        at.spaces();
        let catties = ["kg", "公斤", "千克"].iter().all(|unit| !at.eat(unit));
        if catties && !at.eat("斤") {
            return None;
        }
        let possible = if catties { CATTIES.contains(&number) } else { KILOGRAMS.contains(&number) };
        possible.then(|| (from..at.pos(), at.pos()))
    }

    /// 每天摄入提到了1900卡, 已经控制到每天1500卡了.
    fn intake(&self, mut at: Cursor<'_>) -> Option<Found> {
        let mut by_now = self.text[self.from..at.pos()].contains("现在");
        let (mut daily, mut named) = (false, false);
        loop {
            if at.eat_any(BY_NOW).is_some() {
                by_now = true;
            } else if at.eat_any(DAILY).is_some() {
                daily = true;
            } else if !named && at.eat_any(INTAKE).is_some() {
                named = true;
            } else {
                break;
            }
        }
        at.eat_any(INTAKE_MOVES)?;
        by_now |= at.eat("了");
        daily |= at.eat_any(DAILY).is_some();
        let from = at.pos();
        let number = at.digits(5)?.0;
        at.eat_any(CALORIES)?;
        let end = at.pos();
        let told = by_now || self.text[end..].starts_with('了');
        let possible = (600..=8000).contains(&number);
        (told && possible && (daily || named) && self.ends(end))
            .then(|| self.found("摄入", from..end, true, self.start))
    }

    /// Where the word for a meal ends, and what it is emitted as.
    fn meal_at(&self, at: Cursor<'_>) -> Option<(usize, String)> {
        let by_time = MEALS_BY_TIME.iter().find(|(word, _)| at.rest().starts_with(word));
        let (end, attribute) = match by_time {
            Some((word, meal)) => return Some((at.pos() + word.len(), (*meal).to_owned())),
            None => self.attribute_at(at.pos())?,
        };
        (attribute == Attribute::Meal).then(|| (end, self.text[at.pos()..end].to_owned()))
    }

    /// 早餐改成了燕麦粥, 早上一般吃全麦面包.
    fn meal(&self, mut at: Cursor<'_>) -> Option<Vec<Found>> {
        let mut now = self.text[self.from..at.pos()].contains("现在");
        now |= at.eat("现在");
        let (end, meal) = self.meal_at(at)?;
        at.jump(end);
        let _ = at.eat("我");
        let from = at.pos();
        now |= at.eat("现在");
        while !now && at.eat_any(&["已经", "也", "就", "又", "刚"]).is_some() {}
        let mut told = self.text[from..at.pos()].contains("已经");
        if at.eat_any(MEAL_CHANGES).is_some() {
            told |= at.eat("了") || self.text.ends_with('了');
            at.eat_any(&["吃", "喝"]);
        } else {
            // 早上吃面包 can be of a day.
            let always = at.eat_any(MEAL_ALWAYS).is_some();
            let eats = at.eat_any(&["吃", "喝"]).is_some();
            if eats && at.rest().starts_with('了') {
                return None;
            }
            told = eats && (always || now) || !always && now && at.eat("是");
        }
        if !told {
            return None;
        }
        self.eaten(at.pos(), &meal, self.start)
    }

    /// What a meal is of, if it is food; and what one takes with it, one takes.
    fn eaten(&self, from: usize, meal: &str, start: usize) -> Option<Vec<Found>> {
        let value = self.value(from);
        let said = &self.text[value.clone()];
        let parts: Vec<&str> = said.split(MEAL_JOINS).map(str::trim).collect();
        let food = |part: &&str| {
            let at = part.as_ptr() as usize - self.text.as_ptr() as usize;
            let end = at + part.len();
            self.reading.hits_in(&(at..end)).iter().any(|hit| hit.tag == Tag::Food && hit.end == end)
        };
        let all = parts.iter().all(|part| !part.is_empty()) && parts.iter().all(food);
        let plain = !said.contains(['的', '你', '他', '她', '我', '店', '吃', '套']);
        if !all || !plain || said.chars().count() > MEAL_CHARS_MAX || !self.ends(value.end) {
            return None;
        }
        let mut found = vec![self.found(meal, value.clone(), true, start)];
        found.extend(parts.iter().flat_map(|part| self.taken_again(part, start..value.end)));
        Some(found)
    }

    /// Who takes 拿铁 drinks coffee: that they don't is over.
    fn taken_again(&self, part: &str, span: Range<usize>) -> Vec<Found> {
        let part = MEAL_COUNTERS.iter().find_map(|counter| part.strip_prefix(counter)).unwrap_or(part);
        let Some(kind) = kinds::kind_of(part) else { return Vec::new() };
        let again = |object: &str| Found {
            claim: Claim::Likes { object: object.to_owned(), degree: Liking::Resumed },
            subject: self.subject.clone(),
            span: span.clone(),
        };
        vec![again(part), again(kind)]
    }

    /// 早餐改了, 早上也变了: what it is now is still to be said.
    pub(super) fn announces_meal(&self, mut at: Cursor<'_>) -> Option<Announced> {
        let (end, word) = self.meal_at(at)?;
        at.jump(end);
        while at.eat_any(&["也", "又", "已经", "都", "最近", "我"]).is_some() {}
        let changed = at.eat_any(&["改了", "变了", "换了"]).is_some();
        (changed && self.ends(at.pos())).then_some(Announced { attribute: Attribute::Meal, word, start: self.start })
    }

    /// 现在吃燕麦粥配鸡蛋, behind 早餐改了.
    pub(super) fn new_meal(&self, mut at: Cursor<'_>, announced: &Announced) -> Vec<Found> {
        while at.eat_any(&["现在", "都", "一般", "改"]).is_some() {}
        if at.eat_any(&["吃", "喝", "是", "成了", "成", "换成了", "换成"]).is_none() || at.rest().starts_with('了')
        {
            return Vec::new();
        }
        self.eaten(at.pos(), &announced.word, announced.start).unwrap_or_default()
    }

    /// What kind of thing a stretch names, by its line of products.
    fn product(&self, value: &Range<usize>) -> Option<Device> {
        self.reading.hits_in(&(value.start..value.start + 1)).iter().find_map(|hit| match hit.tag {
            Tag::Product(device) if hit.end <= value.end => Some(device),
            _ => None,
        })
    }

    /// Whether what a stretch names can be what a word is for.
    pub(super) fn is_of_kind(&self, word: &str, value: &Range<usize>) -> bool {
        self.product(value)
            .is_none_or(|device| word_of(device) == word || device == Device::Computer && word.starts_with("笔记本"))
    }

    /// Whether a stretch is the name of a thing that an attribute can be, and nothing else: by a brand or a name at its head.
    pub(super) fn names_device(&self, word: &str, value: &Range<usize>) -> bool {
        let said = &self.text[value.clone()];
        // 手机调到Silent了 is no name of a phone.
        let branded = self.reading.hits_in(&(value.start..value.start + 1)).iter().any(|hit| hit.tag == Tag::Tool)
            || said.starts_with(|c: char| c.is_ascii_alphanumeric())
                && values::first_word_is_capitalised(self.reading, value);
        (branded || self.product(value).is_some())
            && self.is_of_kind(word, value)
            && values::fits(self.reading, Attribute::Device, value)
            && !SYSTEMS.contains(&said)
            && !said.contains(['的', '很', '坏', '不', '没', '给', '我', '你', '他', '她', '和'])
    }

    /// 手机用的小米14, and behind it 电脑ThinkPad X1.
    fn device(&self, mut at: Cursor<'_>) -> Option<Found> {
        let (end, attribute) = self.attribute_at(at.pos())?;
        if attribute != Attribute::Device {
            return None;
        }
        let word = &self.text[at.pos()..end];
        at.jump(end);
        while at.eat_any(LINK_ADVERBS).is_some() {}
        at.eat_any(&["用的是", "用的", "是"]);
        at.spaces();
        let value = self.value(at.pos());
        (self.names_device(word, &value) && self.ends(value.end)).then(|| self.found(word, value, true, self.start))
    }

    /// 笔记本最后没换联想: what was taken instead is still to be said.
    pub(super) fn announces_device(&self, mut at: Cursor<'_>) -> Option<Announced> {
        let (end, attribute) = self.attribute_at(at.pos())?;
        if attribute != Attribute::Device {
            return None;
        }
        let word = &self.text[at.pos()..end];
        at.jump(end);
        while at.eat_any(&["最终", "最后", "还是", "到底"]).is_some() {}
        at.eat_any(NOT_TAKEN)?;
        let value = self.value(at.pos());
        let named = self.names_device(word, &value) && self.ends(value.end);
        named.then(|| Announced { attribute, word: word.to_owned(), start: self.start })
    }

    /// 从安卓换成了iPhone, 把ThinkPad换成了MacBook Pro: the things say what they are.
    fn device_switched(&self, mut at: Cursor<'_>) -> Option<Found> {
        while at.eat_any(BY_NOW).is_some() {}
        at.eat_any(&["从", "把"])?;
        let from = at.pos();
        let rest = at.rest();
        let (place, word) = SWITCHED.iter().find_map(|word| rest.find(word).map(|place| (place, *word)))?;
        let old = from..from + rest[..place].trim_end().len();
        let value = self.value(from + place + word.len());
        let told = word.ends_with('了') || self.text.ends_with('了');
        let device = self.product(&value).filter(|device| self.product(&old) == Some(*device))?;
        let word = word_of(device);
        (told && self.names_device(word, &value) && self.ends(value.end))
            .then(|| self.found(word, value, true, self.start))
    }

    /// 现在带8个人的团队, P6要带4个人的小组了.
    fn leads(&self, mut at: Cursor<'_>) -> Option<Found> {
        let mut now = self.text[self.from..at.pos()].contains("现在");
        // P6 leads one as whoever speaks.
        let grade = at.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(0);
        if grade > 0 && values::is_level(self.reading, &(at.pos()..at.pos() + grade)) {
            at.jump(at.pos() + grade);
        }
        while at.eat_any(BY_NOW).is_some() {
            now = true;
        }
        // 要带…了 is about to be.
        let about_to = at.eat("要");
        let place = at.eat_any(LEADS_A_TEAM)?;
        let under = LEADS_A_TEAM[place].starts_with('手');
        let from = at.pos();
        let length = at.rest().find(|c: char| !c.is_ascii_digit() && !"一二三四五六七八九十百两几多".contains(c))?;
        if length == 0 {
            return None;
        }
        at.jump(from + length);
        at.eat_any(&["个人", "人", "个", "名", "位"])?;
        let end = at.pos();
        let team = at.eat_any(TEAMS).is_some();
        let told = now || self.text.ends_with('了');
        (values::is_headcount_zh(&self.text[from..end])
            && (team || under)
            && told
            && (!about_to || self.text.ends_with('了'))
            && self.ends(at.pos()))
        .then(|| self.found("团队人数", from..end, true, self.start))
    }

    /// 升到总监了, 从P6升到P7了.
    fn promoted(&self, mut at: Cursor<'_>) -> Option<Found> {
        while at.eat_any(BY_NOW).is_some() {}
        if at.eat("从") {
            let grade = at.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(0);
            if !values::is_level(self.reading, &(at.pos()..at.pos() + grade)) {
                return None;
            }
            at.jump(at.pos() + grade);
        }
        at.eat_any(PROMOTED)?;
        let told = at.eat("了") || self.text.ends_with('了');
        let value = self.value(at.pos());
        (told && values::is_level(self.reading, &value) && self.ends(value.end))
            .then(|| self.found("职级", value, true, self.start))
    }

    /// 通勤改骑车了.
    fn way_to_work(&self, mut at: Cursor<'_>) -> Option<Found> {
        let (end, attribute) = self.attribute_at(at.pos())?;
        if attribute != Attribute::Commute {
            return None;
        }
        let word = &self.text[at.pos()..end];
        at.jump(end);
        while at.eat_any(LINK_ADVERBS).is_some() {}
        at.eat_any(&["改成", "改为", "改", "换成"])?;
        let told = at.eat("了") || self.text.ends_with('了');
        let value = self.value(at.pos());
        (told && values::is_commute_zh(self.reading, &value) && self.ends(value.end))
            .then(|| self.found(word, value, true, self.start))
    }

    /// 跑步改成游泳了.
    fn sport_switched(&self, mut at: Cursor<'_>) -> Option<Vec<Found>> {
        let old = Self::eat_activity(&mut at)?;
        at.eat_any(&["改成了", "改成", "换成了", "换成"])?;
        let new = Self::eat_activity(&mut at)?;
        if !self.text.contains('了') || !self.ends(at.pos()) {
            return None;
        }
        let habit = |activity: &str, holds| Found {
            claim: Claim::Is { attribute: "习惯".to_owned(), value: activity.to_owned(), holds },
            subject: None,
            span: self.start..self.end,
        };
        Some(vec![habit(old, Holds::NoLonger), habit(new, Holds::Yes)])
    }
}
