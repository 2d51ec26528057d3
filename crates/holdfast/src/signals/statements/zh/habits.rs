//! What one does time and again, and when it is over: 「我每天跑步」「我早就不跑了」, 「我又开始喝咖啡了」 after 「我不喝咖啡」.

use super::Zh;
use super::words::PARTICLES;
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::Tag;
use crate::signals::statements::{Found, kinds, values};
use crate::types::signals::{Claim, Holds, Liking};

/// What is a habit if it is done every day: not 加班, nor what is done for a task. Longer ones first.
const ACTIVITIES: &[&str] = &[
    "跑步",
    "晨跑",
    "夜跑",
    "慢跑",
    "游泳",
    "健身",
    "练瑜伽",
    "做瑜伽",
    "瑜伽",
    "冥想",
    "打坐",
    "骑车",
    "骑行",
    "散步",
    "跳绳",
    "爬山",
    "徒步",
    "打篮球",
    "打羽毛球",
    "打网球",
    "打乒乓球",
    "打太极",
    "写日记",
    "背单词",
    "练琴",
    "弹琴",
    "练字",
    "抽烟",
    "午睡",
];
/// Their verbs, by which alone they are named when it is known of what is spoken.
const VERBS: &[(&str, &str)] = &[("跑", "跑步"), ("游", "游泳"), ("抽", "抽烟")];
const OFTEN: &[&str] = &["每天早上", "每天晚上", "每天早晨", "每天", "天天", "每晚", "每周都", "每周末", "每周"];

impl Zh<'_, '_> {
    /// At a place behind the subject and its adverbs. `opening`: nobody was named.
    pub(super) fn habits(&self, mut at: Cursor<'_>, opening: bool) -> Vec<Found> {
        if self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..))) {
            return Vec::new();
        }
        let habit = |activity: &str, holds| {
            let claim = Claim::Is { attribute: "习惯".to_owned(), value: activity.to_owned(), holds };
            vec![Found { claim, subject: self.subject.clone(), span: self.start..self.end }]
        };
        let over = |at: &Cursor<'_>| at.rest().trim_end_matches(PARTICLES).is_empty();
        let told = self.text.ends_with('了');
        // 跑步我放弃了
        let mut topic = at;
        if let Some(place) = topic.eat_any(ACTIVITIES)
            && topic.eat("我")
        {
            while topic.eat_any(&["早就", "已经", "早", "现在"]).is_some() {}
            let ended = topic.eat_any(&["放弃", "停", "戒"]).is_some()
                || topic.eat_any(&["不再", "不"]).is_some()
                    && topic.eat_any(&["做", "练", "跑", "游", "抽", "坚持"]).is_some();
            return if ended && told && over(&topic) { habit(ACTIVITIES[place], Holds::NoLonger) } else { Vec::new() };
        }
        while at.eat_any(&["早就", "早已", "再也"]).is_some() {}
        if at.eat_any(&["不再", "不"]).is_some() {
            let ended = self.activity(at).filter(|(_, end)| told && over(&Cursor::new(self.text, *end)));
            return ended.map_or_else(Vec::new, |(activity, _)| habit(activity, Holds::NoLonger));
        }
        if at.eat("放弃") || !opening && at.eat("戒") {
            at.eat("了");
            let activity = if at.rest().starts_with('烟') {
                Some("抽烟")
            } else {
                at.eat_any(ACTIVITIES).map(|place| ACTIVITIES[place])
            };
            return activity
                .filter(|_| self.text.contains('了'))
                .map_or_else(Vec::new, |activity| habit(activity, Holds::NoLonger));
        }
        if opening {
            return Vec::new();
        }
        let again = self.text[self.start..at.pos()].contains('又') && at.eat("开始")
            || at.eat_any(&["又开始", "重新开始", "恢复"]).is_some();
        if again {
            return match at.eat_any(ACTIVITIES) {
                Some(place) if told && over(&at) => habit(ACTIVITIES[place], Holds::Yes),
                Some(_) => Vec::new(),
                None => self.consumes(at, true),
            };
        }
        if at.eat_any(OFTEN).is_some() {
            while at.eat_any(&["都会", "都", "坚持", "会", "去"]).is_some() {}
            return match at.eat_any(ACTIVITIES) {
                Some(place) if over(&at) || values::is_amount_zh(at.rest().trim_matches(PARTICLES)) => {
                    habit(ACTIVITIES[place], Holds::Yes)
                }
                _ => Vec::new(),
            };
        }
        let now = ["现在", "如今"].iter().any(|word| self.text[self.from..at.pos()].contains(word));
        if now { self.consumes(at, false) } else { Vec::new() }
    }

    pub(super) fn eat_activity(at: &mut Cursor<'_>) -> Option<&'static str> {
        at.eat_any(ACTIVITIES).map(|place| ACTIVITIES[place])
    }

    /// 每周跑步三次: nobody says so of somebody else without a name.
    pub(super) fn is_habit(&self, said: &str) -> bool {
        let often = OFTEN.iter().find_map(|often| said.strip_prefix(often));
        often.is_some_and(|done| {
            let done = ACTIVITIES.iter().find_map(|activity| done.strip_prefix(activity));
            done.is_some_and(|rest| rest.is_empty() || values::is_amount_zh(rest.trim_end_matches('次')))
        })
    }

    fn activity(&self, mut at: Cursor<'_>) -> Option<(&'static str, usize)> {
        if let Some(place) = at.eat_any(ACTIVITIES) {
            return Some((ACTIVITIES[place], at.pos()));
        }
        let (_, activity) = VERBS.iter().find(|(verb, _)| at.eat(verb))?;
        Some((activity, at.pos()))
    }

    /// 喝咖啡, 吃肉: that one does not is over. Taken up again it is said of how one lives; 我现在喝美式 can be of this hour, and says
    /// nothing but that.
    fn consumes(&self, mut at: Cursor<'_>, again: bool) -> Vec<Found> {
        if at.eat_any(&["喝", "吃"]).is_none() {
            return Vec::new();
        }
        let mut value = self.value(at.pos());
        // Of 黑咖啡配面包, what stands first.
        value.end = self.text[value.clone()].find(['配', '+']).map_or(value.end, |cut| value.start + cut);
        let said = self.text[value.clone()].to_owned();
        if said.chars().count() > 6 || !values::is_object_zh(self.reading, &value) {
            return Vec::new();
        }
        let claim = |object: String, degree| Found {
            claim: Claim::Likes { object, degree },
            subject: self.subject.clone(),
            span: self.start..self.end,
        };
        let mut found: Vec<Found> =
            kinds::kind_of(&said).map(|kind| claim(kind.to_owned(), Liking::Resumed)).into_iter().collect();
        let degree = if again { Liking::Likes } else { Liking::Resumed };
        found.insert(0, claim(self.reading.folded.written(value).to_owned(), degree));
        found
    }
}
