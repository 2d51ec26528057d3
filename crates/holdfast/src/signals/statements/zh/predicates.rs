//! What is said of a subject: each takes the place behind it and its adverbs, and gives a statement or nothing.

use std::ops::Range;

use super::Zh;
use super::words::{COMPARES, CUTS, PARTICLES};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::statements::{Found, Part, values};
use crate::types::signals::{Claim, Holds, Liking};

impl Zh<'_, '_> {
    pub(super) fn name(&self, mut at: Cursor<'_>, part: &Part) -> Option<Found> {
        let is = part.greeted && self.subject.is_none() && at.eat("是");
        if !is && !["名叫", "名字叫", "的名字叫", "叫做", "叫"].iter().any(|word| at.eat(word)) {
            return None;
        }
        let value = self.value(at.pos());
        let chars = self.text[value.clone()].chars().count();
        let fits = if self.subject.is_some() {
            values::is_name(self.reading, &value) || values::is_call_name(self.reading, &value)
        } else {
            values::is_name(self.reading, &value) && (!is || chars == 3 || self.text[value.clone()].is_ascii())
        };
        fits.then(|| self.found("叫", value, true, self.start))
    }

    pub(super) fn age(&self, mut at: Cursor<'_>) -> Option<Found> {
        at.eat("满");
        let from = at.pos();
        let years = at.number()?;
        let end = at.pos();
        let ends = at.eat("岁") && {
            at.eat("多");
            at.eat("半");
            at.eat("了");
            at.rest().trim_end_matches(PARTICLES).is_empty()
        };
        (ends && (1..=120).contains(&years)).then(|| self.found("年龄", from..end + "岁".len(), true, self.start))
    }

    pub(super) fn allergy(&self, mut at: Cursor<'_>) -> Option<Found> {
        let mut holds = !["不", "并不"].iter().any(|no| at.eat(no));
        if !at.eat("对") {
            return None;
        }
        at.spaces();
        let from = at.pos();
        let place = at.rest().find("过敏")?;
        let end = &at.rest()[place + "过敏".len()..];
        let mut value = &at.rest()[..place];
        for tail in ["严重", "有点", "有些", "会", "是", "也", "都", "很", "特别", "非常", "轻微"] {
            value = value.strip_suffix(tail).unwrap_or(value);
        }
        if let Some(shorter) = value.strip_suffix('不') {
            (value, holds) = (shorter, false);
        }
        let value = value.trim();
        if value.ends_with(['太', '么']) || ["加班", "上班", "开会", "工作"].contains(&value) {
            return None;
        }
        let over = end.trim_end_matches(PARTICLES);
        let span = from..from + value.len();
        let fits = !value.is_empty()
            && value.chars().count() <= 20
            && !values::is_deictic(value)
            && !value.contains(['我', '，'])
            && (over.is_empty()
                || CUTS.iter().any(|cut| over.starts_with(cut))
                || over.starts_with("比较")
                || over.starts_with("很"));
        if !fits {
            return None;
        }
        let mut found = self.found("过敏", span, holds, self.start);
        found.span.end = from + place + "过敏".len();
        Some(found)
    }

    pub(super) fn home(&self, mut at: Cursor<'_>) -> Option<Found> {
        let denied = ["不再", "不"].iter().any(|no| at.eat(no)) || at.eat("已经不");
        let from = self.start;
        if !denied && (at.eat("搬家了") || at.eat("搬家")) {
            return None;
        }
        let moved_from = !denied && at.rest().starts_with('从');
        if moved_from {
            let rest = at.rest();
            let place = ["搬到", "搬来", "搬去"].iter().filter_map(|word| rest.find(word)).min()?;
            at.jump(at.pos() + place);
        }
        let moves = ["搬到", "搬去", "搬来", "搬家到", "搬至", "搬进"].iter().any(|word| at.eat(word));
        if moves {
            let told = at.eat("了") || self.text.ends_with('了') || self.text[from..at.pos()].contains(['已', '刚']);
            if denied || !told {
                return None;
            }
        } else if !["住在", "定居在", "定居", "现居", "常住", "家住", "居住在", "租住在", "住"]
            .iter()
            .any(|word| at.eat(word))
        {
            return None;
        }
        at.eat("在");
        let value = self.value(at.pos());
        // 搬到成都已经三年了
        let said = &self.text[value.clone()];
        let since = said.char_indices().find(|(place, c)| {
            let rest = &said[*place..];
            let number = c.is_ascii_digit() || "一二两三四五六七八九十几好多".contains(*c);
            *place > 0
                && (["已经", "差不多", "快有", "大概"].iter().any(|word| rest.starts_with(word))
                    || number
                        && ["年", "个月", "天", "周"]
                            .iter()
                            .any(|unit| rest.chars().take(4).collect::<String>().contains(unit)))
        });
        let value = value.start..since.map_or(value.end, |(place, _)| value.start + place);
        self.is_place(&value, moves).then(|| self.found("住", value, !denied, from))
    }

    pub(super) fn is_place(&self, value: &Range<usize>, moves: bool) -> bool {
        let said = &self.text[value.clone()];
        let no_start = [
            "院", "校", "宿", "店", "不", "得", "的", "过", "了", "哪", "这", "那", "附近", "隔壁", "楼", "对门",
            "外面", "家里", "你", "他", "她", "朋友", "着", "惯", "进", "久", "我", "乡下", "农村", "城里", "同一",
        ];
        let not_home = [
            "酒店",
            "宾馆",
            "民宿",
            "医院",
            "旅馆",
            "病房",
            "客厅",
            "卧室",
            "书房",
            "服务器",
            "云上",
            "云端",
            "的",
            "过",
            "时候",
            "多久",
            "什么",
            "宿舍",
            "出差",
            "期间",
            "附近",
            "旁边",
            "对面",
        ];
        // 住三年, 住二楼, 住一起.
        let counted = said.starts_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十几".contains(c))
            && said.contains(['年', '月', '天', '晚', '周', '层', '楼', '间', '套', '起', '个']);
        (2..=16).contains(&said.chars().count())
            && !counted
            && !no_start.iter().any(|word| said.starts_with(word))
            && !not_home.iter().any(|word| said.contains(word))
            && !(moves && (said.contains("公司") || self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool)))
            && !(said.ends_with('家')
                && self.reading.hits_in(value).iter().any(|hit| matches!(hit.tag, Tag::Person(_))))
            && self.reading.date_in(value.clone()).is_none()
    }

    /// 从西湖区搬到了余杭区 is of a home; 从Vim换到Helix了, 从字节跳槽到了阿里 …
    pub(super) fn switches(&self, mut at: Cursor<'_>) -> Option<Vec<Found>> {
        at.eat("把");
        if !at.eat("从") {
            return None;
        }
        let from = at.pos();
        let rest = at.rest();
        if let Some(place) =
            ["升到了", "升到", "升"].iter().find_map(|word| rest.find(word).map(|place| place + word.len()))
        {
            let value = self.value(from + place);
            return values::is_level(self.reading, &value).then(|| vec![self.found("职级", value, true, self.start)]);
        }
        let (place, word) = ["换到了", "换到", "换成了", "换成", "切换到了", "切换到", "迁移到了", "转到了", "转到"]
            .iter()
            .find_map(|word| rest.find(word).map(|place| (place, *word)))?;
        let old = from..from + rest[..place].trim_end_matches(['我', '已', '经', ' ']).len();
        self.switched(old, from + place + word.len(), word)
    }

    /// 把Vim换成了Helix. What a file is made into (把Word换成了Excel) is no change of what one uses.
    pub(super) fn replaces(&self, at: Cursor<'_>) -> Option<Vec<Found>> {
        const FILES: &[&str] = &["word", "excel", "ppt", "pdf", "markdown", "go"];
        let rest = at.rest();
        let (place, word) = ["换成了", "换成"].iter().find_map(|word| rest.find(word).map(|place| (place, *word)))?;
        let old = at.pos()..at.pos() + rest[..place].trim_end().len();
        let file = FILES.contains(&&self.text[old.clone()]);
        (!file).then(|| self.switched(old, at.pos() + place + word.len(), word)).flatten()
    }

    /// One tool for another, told as done.
    fn switched(&self, old: Range<usize>, to: usize, word: &str) -> Option<Vec<Found>> {
        let new = self.value(to);
        let told = word.ends_with('了') || self.text.ends_with('了');
        let tool = |value: &Range<usize>| {
            values::is_short(self.reading, value)
                && self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool && hit.span() == *value)
        };
        if !told || !(tool(&old) && (tool(&new) || values::first_word_is_capitalised(self.reading, &new)) || tool(&new))
        {
            return None;
        }
        let mut used = self.found("用", new, true, self.start);
        used.span = self.start..used.span.end;
        let mut gone = self.found("用", old, false, self.start).over();
        gone.span.end = used.span.end;
        Some(vec![gone, used])
    }

    /// 在星海科技当前端工程师 says where and as what.
    pub(super) fn with_role(&self, found: Found) -> Vec<Found> {
        let is_work = matches!(&found.claim, Claim::Is { attribute, holds: Holds::Yes, .. } if attribute == "上班");
        let mut role = Cursor::new(self.text, found.span.end);
        if !is_work || role.eat_any(&["担任", "当", "做"]).is_none() || role.eat("了") {
            return vec![found];
        }
        while role.eat_any(&["一名", "一个", "一位", "名", "个", "位"]).is_some() {}
        let value = self.value(role.pos());
        if !values::is_occupation(self.reading, &value) {
            return vec![found];
        }
        let job = self.found("职业", value, true, self.start);
        vec![found, job]
    }

    pub(super) fn employer(&self, mut at: Cursor<'_>) -> Option<Found> {
        const WORKS: &[&str] = &["工作", "上班", "任职", "就职", "实习"];
        if [
            "入职了",
            "入职",
            "加入了",
            "加入",
            "跳槽到了",
            "跳槽到",
            "跳槽去了",
            "跳到了",
            "任职于",
            "就职于",
            "供职于",
        ]
        .iter()
        .any(|word| at.eat(word))
        {
            let value = self.value(at.pos());
            return values::is_organisation(self.reading, &value).then(|| self.found("上班", value, true, self.start));
        }
        let denied = ["不再", "不"].iter().any(|no| at.eat(no));
        if !denied && at.eat("从") {
            let rest = at.rest();
            if let Some(place) =
                ["跳槽到了", "跳槽到", "跳到了"].iter().find_map(|word| rest.find(word).map(|place| place + word.len()))
            {
                let value = self.value(at.pos() + place);
                let told = self.text.ends_with('了') || rest[..place].ends_with('了');
                return (told && values::is_organisation(self.reading, &value))
                    .then(|| self.found("上班", value, true, self.start));
            }
            let place = ["离职", "辞职", "离开"].iter().filter_map(|word| rest.find(word)).min()?;
            let value = at.pos()..at.pos() + rest[..place].trim_end().len();
            let told = self.text.ends_with('了') || rest[place..].contains('了');
            if !told || !values::is_organisation(self.reading, &value) {
                return None;
            }
            let mut found = self.found("上班", value, false, self.start).over();
            found.span.end = self.end;
            return Some(found);
        }
        if !at.eat("在") {
            return None;
        }
        at.spaces();
        let rest = at.rest();
        // 我今天在医院做了体检 is of a day, and 在X当老师 is a job only with an occupation.
        if self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..))) {
            return None;
        }
        let works = WORKS.iter().filter_map(|word| rest.find(word)).min();
        let serves =
            ["担任", "当", "做"].iter().filter_map(|word| rest.find(word).map(|place| (place, word.len()))).min();
        let work = works.or_else(|| {
            let (place, len) = serves?;
            let role = self.value(at.pos() + place + len);
            values::is_occupation(self.reading, &role).then_some(place)
        });
        let value = match work {
            Some(place) => at.pos()..at.pos() + rest[..place].trim_end().len(),
            None if denied => self.value(at.pos()),
            None => return self.team(at),
        };
        values::is_organisation(self.reading, &value).then(|| self.found("上班", value, !denied, self.start))
    }

    /// 我在支付组.
    pub(super) fn team(&self, at: Cursor<'_>) -> Option<Found> {
        let value = self.value(at.pos());
        let said = &self.text[value.clone()];
        let stem = ["团队", "组"].iter().find_map(|word| said.strip_suffix(word))?;
        let named = (2..=8).contains(&stem.chars().count())
            && !["项目", "这个", "我们", "一个", "小", "群", "哪个"].iter().any(|word| stem.contains(word))
            && !values::is_deictic(said)
            && !said.contains(['我', '的', '和', '跟']);
        named.then(|| self.found("团队", value, true, self.start))
    }

    pub(super) fn diet(&self, mut at: Cursor<'_>) -> Option<Found> {
        while at.eat_any(&["早就", "早已"]).is_some() {}
        let denied = ["不再", "不"].iter().any(|no| at.eat(no));
        let is = at.eat("是");
        at.eat("个");
        at.eat("一个");
        at.eat("一名");
        let from = at.pos();
        let (end, ()) = self.word(from, |tag| (tag == Tag::Diet).then_some(()))?;
        let rest = self.text[end..].trim_start_matches(PARTICLES);
        // 我不是吃素的 is a threat.
        let threat = denied && is && self.text[from..].starts_with('吃');
        let fits = (rest.is_empty() || rest.ends_with('年')) && !threat;
        fits.then(|| self.found("饮食", from..end, !denied, self.start))
    }

    pub(super) fn level(&self, mut at: Cursor<'_>) -> Option<Found> {
        if ![
            "升职为",
            "晋升为",
            "晋升到",
            "晋升",
            "升为",
            "升到了",
            "升到",
            "升了",
            "升",
            "评上了",
            "评上",
            "当上了",
            "当上",
            "是",
        ]
        .iter()
        .any(|word| at.eat(word))
        {
            return None;
        }
        let is = self.text[..at.pos()].ends_with('是');
        at.eat("了");
        at.eat("一名");
        let value = self.value(at.pos());
        let said = &self.text[value.clone()];
        let fits = values::is_level(self.reading, &value) && (!is || said.is_ascii() || said.ends_with("教授"));
        fits.then(|| self.found("职级", value, true, self.start))
    }

    pub(super) fn job(&self, mut at: Cursor<'_>) -> Option<Found> {
        let over = at.eat("不再") || ["不做", "不当"].iter().any(|word| at.rest().starts_with(word)) && at.eat("不");
        if !["是", "做", "当", "担任", "从事"].iter().any(|word| at.eat(word)) {
            return None;
        }
        // 我做了… tells what was done.
        if self.text[..at.pos()].ends_with('做') && at.rest().starts_with('了') {
            return None;
        }
        at.eat("了");
        while ["一名", "一个", "一位", "名", "个", "位"].iter().any(|word| at.eat(word)) {}
        let value = self.value(at.pos());
        let ended = !over || self.text.ends_with('了') || self.text[self.start..at.pos()].contains("不再");
        (ended && values::is_occupation(self.reading, &value)).then(|| self.found("职业", value, !over, self.start))
    }

    pub(super) fn birthday(&self, mut at: Cursor<'_>) -> Option<Found> {
        // A date in front of the verb was stepped over.
        if ["出生", "生的"].iter().any(|word| at.rest().starts_with(word))
            && let Some(date) = self.reading.dates.iter().find(|date| date.span.end == at.pos())
        {
            at.jump(date.span.start);
        }
        at.eat("是");
        let (value, end) = if at.eat("出生于") || at.eat("生于") {
            let value = self.value(at.pos());
            (value.clone(), value.end)
        } else {
            let rest = at.rest();
            let (place, word) =
                ["出生的", "出生", "生的"].iter().find_map(|word| rest.find(word).map(|place| (place, *word)))?;
            if !rest[place + word.len()..].trim_end_matches(PARTICLES).is_empty() {
                return None;
            }
            (at.pos()..at.pos() + rest[..place].len(), at.pos() + place + word.len())
        };
        let said = &self.text[value.clone()];
        let dated = said.contains('月')
            && values::has_number(said)
            && said.chars().all(|c| c.is_ascii_digit() || "年月日号一二三四五六七八九十〇零 农历".contains(c));
        dated.then(|| {
            let mut found = self.found("生日", value, true, self.start);
            found.span.end = end;
            found
        })
    }

    /// 一年挣30万 and the like are left alone; 年薪30万 has its attribute in front.
    pub(super) fn pay(&self, at: Cursor<'_>) -> Option<Found> {
        let (end, attribute) = self.attribute_at(at.pos())?;
        self.link(end).filter(|_| {
            matches!(
                attribute,
                Attribute::Pay
                    | Attribute::Measure
                    | Attribute::Commute
                    | Attribute::Birthday
                    | Attribute::Age
                    | Attribute::Level
                    | Attribute::Device
                    | Attribute::Tool
                    | Attribute::Timezone
                    | Attribute::Language
            )
        })?;
        self.attribute(&at, attribute, end)
    }

    /// 最喜欢的颜色是蓝色.
    pub(super) fn favourite(&self, at: Cursor<'_>) -> Option<Found> {
        let (end, _) = self.word(at.pos(), |tag| (tag == Tag::Liking(Liking::Likes)).then_some(()))?;
        let before = self.text[..at.pos()].strip_suffix('最')?;
        let rest = &self.text[end..];
        let is = rest.find('是')?;
        let kind = rest[..is].strip_prefix('的').or_else(|| {
            ["吃的", "喝的", "看的", "听的", "玩的", "用的"].iter().find_map(|verb| rest[..is].strip_prefix(verb))
        })?;
        let value = self.value(end + is + "是".len());
        let fits = (1..=8).contains(&kind.chars().count())
            && ![
                "部分", "一句", "一点", "片段", "桥段", "段落", "情节", "方案", "版本", "就", "事", "还", "也", "都",
                "场景",
            ]
            .iter()
            .any(|word| kind.contains(word))
            && values::is_short(self.reading, &value)
            && values::is_object_zh(self.reading, &value);
        let attribute = self.text[before.len()..end + is].trim_end_matches(['一', '直', '还']);
        fits.then(|| self.found(attribute, value, true, self.start))
    }

    pub(super) fn liking(&self, mut at: Cursor<'_>, compared: Option<usize>) -> Option<Found> {
        let today = self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..)));
        if today {
            return None;
        }
        let compared = self.comparison(&mut at).or(compared);
        self.adverbs(&mut at);
        // 我不讨厌香菜了: a dislike is over.
        let resumed = self.no_dislike(at);
        if let Some(dislike) = resumed {
            at.jump(dislike);
        }
        let weak =
            ["不太", "不怎么", "不大", "不是很", "不是特别", "并不", "从不", "从来不", "一点都不", "一点也不", "最不"]
                .iter()
                .any(|no| at.eat(no));
        while weak && ["很", "太", "特别"].iter().any(|word| at.eat(word)) {}
        at.eat("更");
        let more = self.text[..at.pos()].ends_with('更');
        let (end, liking) = self.word(at.pos(), |tag| match tag {
            Tag::Liking(liking) => Some(liking),
            _ => None,
        })?;
        let mut degree = match (liking, weak) {
            (Liking::Likes, false) if more => Liking::Prefers,
            (Liking::Dislikes, false) if resumed.is_some() => Liking::Resumed,
            (liking, false) => liking,
            (Liking::Likes, true) => Liking::Dislikes,
            _ => return None,
        };
        at.jump(end);
        at.spaces();
        // 我喜欢上了摄影 begins a liking; 我喜欢过 is over.
        let _ = at.eat("上了");
        let object = self.value(at.pos());
        let rest = &self.text[object.end..];
        if !values::is_object_zh(self.reading, &object) {
            return None;
        }
        if degree == Liking::Dislikes && rest.starts_with('了') && self.text[self.start..at.pos()].contains('不') {
            degree = Liking::NoLonger;
        }
        if degree == Liking::Resumed && !self.is_over() {
            return None;
        }
        let object = compared.filter(|_| degree == Liking::Prefers).map_or(object.clone(), |from| from..object.end);
        let end = object.end + if rest.starts_with('了') { "了".len() } else { 0 };
        let claim = Claim::Likes { object: self.reading.folded.written(object).to_owned(), degree };
        let start = compared.filter(|_| degree == Liking::Prefers).map_or(self.start, |from| from.min(self.start));
        Some(Found { claim, subject: self.subject.clone(), span: start..end })
    }

    /// Where the word for a dislike begins that is said not to be: 不讨厌, 不再讨厌.
    fn no_dislike(&self, mut at: Cursor<'_>) -> Option<usize> {
        at.eat_any(&["不再", "不"])?;
        let disliked = self.word(at.pos(), |tag| (tag == Tag::Liking(Liking::Dislikes)).then_some(()));
        disliked.filter(|_| !at.rest().starts_with('不')).map(|_| at.pos())
    }

    /// Steps over 比起咖啡: what is preferred is preferred to it.
    pub(super) fn comparison(&self, at: &mut Cursor<'_>) -> Option<usize> {
        let from = at.pos();
        if !COMPARES.iter().any(|word| at.eat(word)) {
            return None;
        }
        let place = at.rest().find('更')?;
        at.jump(at.pos() + place);
        Some(from)
    }
}
