//! Statements in Chinese: 「我住在余杭」「我妹妹对坚果过敏」「年薪涨到了42万」.

use std::ops::Range;

use super::{Found, Part, Whom, claim_is, values};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::reading::Reading;
use crate::types::signals::{Claim, Liking};

/// In front of what a clause says; longer ones first where one begins with another.
const LEADS: &[&str] = &[
    "顺便说一下",
    "顺便说一句",
    "顺便",
    "对了",
    "其实",
    "另外",
    "还有就是",
    "还有",
    "而且",
    "不过",
    "但是",
    "可是",
    "但",
    "因为",
    "由于",
    "毕竟",
    "所以",
    "是的",
    "是啊",
    "好的",
    "嗯",
    "哦",
    "哎呀",
    "哎",
    "唉",
    "那么",
    "那",
    "现在",
    "目前",
    "如今",
    "最近",
    "平时",
    "平常",
    "一般",
    "反正",
    "我跟你说",
    "跟你说",
    "告诉你",
    "补充一下",
    "说一下",
    "更正一下",
    "首先",
    "其次",
    "就是",
    "虽然",
    "并且",
    "同时",
    "然后",
    "确实",
    "当然",
    "你好",
    "您好",
    "没错",
    "也",
    "而",
];
/// Between a subject and what is said of it, that change nothing.
const ADVERBS: &[&str] = &[
    "还是",
    "也",
    "都",
    "还",
    "就",
    "真的",
    "确实",
    "其实",
    "一直",
    "从来",
    "从小就",
    "从小",
    "向来",
    "平时",
    "平常",
    "一般",
    "通常",
    "现在",
    "目前",
    "如今",
    "已经",
    "已",
    "刚刚",
    "刚",
    "最近",
    "非常",
    "特别",
    "特",
    "比较",
    "挺",
    "超级",
    "超",
    "蛮",
    "十分",
    "尤其",
    "才",
    "今年",
    "又",
    "很",
    "本人",
    "最",
    "个人",
    "自己",
    "主要",
    "天生",
    "这边",
    " ",
];
/// Over the horizon: what is said of then is a plan.
const FUTURE: &[&str] = &[
    "下个月",
    "下周",
    "下月",
    "明年",
    "下半年",
    "明天",
    "后天",
    "马上",
    "即将",
    "快要",
    "准备",
    "打算",
    "计划",
    "将来",
    "以后",
    "再过",
];
/// Ends a value.
const CUTS: &[&str] = &[
    "因为", "由于", "所以", "但是", "不过", "而且", "然后", "并且", "可是", "但我", "但不", "但", "（", "(", "——",
    "，", ",",
];
const PARTICLES: &[char] = &[
    '了', '的', '呢', '吧', '啊', '呀', '哦', '嘛', '啦', '哈', '～', '~', ' ', '、', '!', '"', '\'', '.', ')', '）',
    '*',
];
/// Between an attribute and its value.
const LINKS: &[&str] = &[
    "换成了",
    "换成",
    "换到了",
    "改成了",
    "改成",
    "改为",
    "变成了",
    "变成",
    "涨到了",
    "涨到",
    "涨成了",
    "升到了",
    "升到",
    "降到了",
    "降到",
    "减到了",
    "叫做",
    "用的是",
    "用的",
    "现在是",
    "已经是",
    "大概是",
    "是",
    "叫",
    "为",
    "用",
];
/// Of them, those that say that it was another before: they state without a subject too.
const CHANGES: &[&str] = &["换成", "换到", "改成", "改为", "变成", "涨到", "涨成", "升到", "降到", "减到"];
/// Leads up to what something is preferred to.
const COMPARES: &[&str] = &["比起", "相比于", "相比", "相较于"];
const FOREIGN: &[char] = &['他', '她', '它', '你', '您', '咱'];

/// Whether a clause only says to what another thing is preferred: 比起咖啡，我更喜欢茶.
pub(super) fn compares(said: &str) -> bool {
    let said = said.trim();
    COMPARES.iter().any(|word| said.starts_with(word)) || said.starts_with(['和', '跟', '与']) && said.ends_with("相比")
}

/// Where what a clause says begins.
pub(super) fn after_leads(text: &str, clause: &Range<usize>) -> usize {
    let mut cursor = Cursor::new(&text[..clause.end], clause.start);
    loop {
        cursor.spaces();
        let at = cursor.pos();
        if LEADS
            .iter()
            .any(|lead| cursor.rest().starts_with(lead) && cursor.rest().len() > lead.len() && cursor.eat(lead))
        {
            continue;
        }
        return at;
    }
}

pub(super) fn read(reading: &Reading<'_>, part: &Part, whom: &mut Whom, found: &mut Vec<Found>) {
    let text = reading.text();
    let mut end = part.span.end;
    let said = &text[part.span.clone()];
    end -= said.len() - said.trim_end().len();
    let asks =
        reading.said(part.span.start..end, Tag::Question).next().is_some() || text[..end].ends_with(['吗', '吧', '么']);
    let head = after_leads(text, &(part.span.start..end));
    // 我还是喜欢喝茶 is no question; 茶还是咖啡 is.
    let choice = text[head.min(end)..end].strip_prefix("我还是").unwrap_or(&text[head.min(end)..end]).contains("还是");
    if head >= end || reading.layout.is_quoted(head) || asks || choice {
        *whom = Whom::Nobody;
        return;
    }
    let mut at = Cursor::new(&text[..end], head);
    skip_date(reading, &mut at);
    at.spaces();
    let mut clause = Zh { reading, text: &text[..end], from: part.span.start, start: at.pos(), end, subject: None };
    // 搬家了，从西湖区搬到了余杭区: nobody says so of somebody else without a name.
    if part.opens
        && ["搬家", "跳槽", "换工作", "换手机"].iter().any(|word| clause.text[clause.start..].starts_with(word))
    {
        *whom = Whom::User;
    }
    let Some(subject) = clause.subject(&mut at, part, whom) else {
        *whom = Whom::Nobody;
        return;
    };
    let future = FUTURE.iter().any(|word| text[part.span.start..end].contains(word));
    if !future {
        let claims = match subject {
            Subject::Attribute(attribute, of) => clause.attribute(&at, attribute, of).into_iter().collect(),
            _ => clause.predicate(at, part, matches!(subject, Subject::Elided)),
        };
        found.extend(claims);
    }
    // Whoever is named behind the subject may be the one of the next clause.
    let from = clause.subject.as_ref().map_or(clause.start, |span| span.end);
    let others = reading.hits_in(&(from..end)).iter().any(|hit| matches!(hit.tag, Tag::Person(_) | Tag::ThirdPerson))
        || text[from..end].contains(FOREIGN);
    if others {
        *whom = Whom::Nobody;
    }
}

enum Subject {
    /// The user, or who is in `Zh::subject`.
    Said,
    Elided,
    /// An attribute, and where it ends; of the user or of who is in `Zh::subject`.
    Attribute(Attribute, usize),
}

/// A clause being read.
struct Zh<'r, 't> {
    reading: &'r Reading<'t>,
    /// The text up to the clause's end.
    text: &'r str,
    from: usize,
    /// Where it begins to say something.
    start: usize,
    end: usize,
    subject: Option<Range<usize>>,
}

fn skip_date(reading: &Reading<'_>, at: &mut Cursor<'_>) {
    at.spaces();
    if let Some(date) = reading.date_in(at.pos()..at.pos() + 1)
        && date.span.start == at.pos()
        && date.span.end <= at.pos() + at.rest().len()
    {
        at.jump(date.span.end);
        at.eat("的时候");
        at.spaces();
    }
}

impl Zh<'_, '_> {
    /// The longest word of the lists at a place for which `wanted` has an answer.
    fn word<T>(&self, at: usize, wanted: impl Fn(Tag) -> Option<T>) -> Option<(usize, T)> {
        self.reading
            .hits_in(&(at..at + 1))
            .iter()
            .find_map(|hit| (hit.end <= self.end).then(|| wanted(hit.tag).map(|answer| (hit.end, answer))).flatten())
    }

    fn attribute_at(&self, at: usize) -> Option<(usize, Attribute)> {
        self.word(at, |tag| match tag {
            Tag::Attribute(attribute) => Some(attribute),
            _ => None,
        })
    }

    /// Moves past the subject. `None`: it is none that is read of.
    fn subject(&mut self, at: &mut Cursor<'_>, part: &Part, whom: &mut Whom) -> Option<Subject> {
        let from = at.pos();
        if ["本人", "我本人", "我自己", "我个人"].iter().any(|own| at.eat(own)) {
            *whom = Whom::User;
            return Some(Subject::Said);
        }
        if at.eat("我") {
            if at.rest().starts_with([
                '们', '国', '司', '校', '方', '俩', '等', '辈', '认', '觉', '以', '想', '要', '会', '能', '可', '希',
            ]) {
                return None;
            }
            let own = at.eat("的");
            at.eat("家里的");
            let home = !own && at.eat("家");
            // 我的老板是…: who it is. 我老板喜欢…: what he is like.
            if !home
                && let Some((end, attribute)) = self.attribute_at(at.pos())
                && self.link(end).is_some_and(|(_, link)| attribute != Attribute::Manager || link != "叫做")
            {
                *whom = Whom::User;
                return Some(Subject::Attribute(attribute, end));
            }
            if let Some((end, _)) = self.word(at.pos(), |tag| matches!(tag, Tag::Person(_)).then_some(())) {
                at.jump(end);
                return self.third(at, from..end, whom);
            }
            if own || home {
                return None;
            }
            *whom = Whom::User;
            return Some(Subject::Said);
        }
        if let Some((end, _)) = self.word(from, |tag| (tag == Tag::Person(true)).then_some(())) {
            at.jump(end);
            return self.third(at, from..end, whom);
        }
        if at.rest().starts_with(FOREIGN) || at.rest().starts_with(['这', '那']) {
            return None;
        }
        if let Some((end, attribute)) = self.attribute_at(from)
            && let Some((_, link)) = self.link(end)
        {
            let changes = CHANGES.iter().any(|word| link.starts_with(word)) || link == "从";
            let plain = attribute == Attribute::Pay;
            if let Whom::Third(span) = whom {
                self.subject = Some(span.clone());
                return Some(Subject::Attribute(attribute, end));
            }
            if *whom == Whom::User || part.opens && (changes || plain) {
                *whom = Whom::User;
                return Some(Subject::Attribute(attribute, end));
            }
            return None;
        }
        match whom {
            Whom::Third(span) => self.subject = Some(span.clone()),
            Whom::User => {}
            Whom::Nobody if part.opens => {}
            Whom::Nobody => return None,
        }
        Some(Subject::Elided)
    }

    fn third(&mut self, at: &mut Cursor<'_>, span: Range<usize>, whom: &mut Whom) -> Option<Subject> {
        self.subject = Some(span.clone());
        *whom = Whom::Third(span);
        if at.eat("的") {
            let (end, attribute) = self.attribute_at(at.pos())?;
            return Some(Subject::Attribute(attribute, end));
        }
        if at.rest().starts_with(['们', '和', '跟', '与', '、', '说', '问', '觉', '想', '让', '叫'])
            && !at.rest().starts_with("叫")
        {
            return None;
        }
        Some(Subject::Said)
    }

    /// A word that links an attribute to its value, and where it ends. Numbers need none: 年薪30万.
    fn link(&self, at: usize) -> Option<(usize, &'static str)> {
        let mut next = Cursor::new(self.text, at);
        next.spaces();
        while ["现在", "已经", "目前", "也", "都", "就", "一直", "刚", "最近", "今年", "大概", "税前", "税后"]
            .iter()
            .any(|word| next.eat(word))
        {}
        next.spaces();
        if next.rest().starts_with('从') {
            return Some((next.pos(), "从"));
        }
        let link = LINKS.iter().find(|link| next.eat(link));
        if let Some(link) = link {
            return Some((next.pos(), link));
        }
        let bare = next.rest();
        bare.starts_with(|c: char| c.is_ascii_digit() || "一二三四五六七八九十两".contains(c) || c == 'p')
            .then_some((next.pos(), ""))
    }

    /// 我的手机是小米14, 年薪涨到了42万, 编辑器从Vim换成了Helix.
    fn attribute(&self, at: &Cursor<'_>, attribute: Attribute, word_end: usize) -> Option<Found> {
        let word = &self.text[at.pos()..word_end];
        let (mut value_at, link) = self.link(word_end)?;
        if link == "从" {
            let rest = &self.text[value_at..];
            let (place, turn) = [
                "换成了",
                "换成",
                "换到了",
                "换到",
                "改成了",
                "改成",
                "涨到了",
                "涨到",
                "升到了",
                "升到",
                "降到了",
                "降到",
                "变成了",
                "变成",
            ]
            .iter()
            .filter_map(|turn| rest.find(turn).map(|place| (place, turn)))
            .min_by_key(|(place, turn)| (*place, usize::MAX - turn.len()))?;
            value_at += place + turn.len();
        }
        if link.is_empty()
            && !matches!(attribute, Attribute::Pay | Attribute::Measure | Attribute::Age | Attribute::Level)
        {
            return None;
        }
        let value = self.value(value_at);
        let name = &self.text[value.clone()];
        let fits = values::fits(self.reading, attribute, &value)
            && (attribute != Attribute::Manager || !matches!(link, "用" | "为"))
            && !(link == "用" && attribute != Attribute::Tool)
            && !name.starts_with(['从', '被']);
        fits.then(|| self.found(word, value, true, self.start))
    }

    /// From a place to where the value ends.
    fn value(&self, from: usize) -> Range<usize> {
        let rest = &self.text[from..];
        let lead = rest.len() - rest.trim_start_matches([' ', '：', ':', '「', '“', '"']).len();
        let from = from + lead;
        let rest = &self.text[from..];
        let cut = CUTS.iter().filter_map(|cut| rest.find(cut)).min().unwrap_or(rest.len());
        let mut kept = rest[..cut].trim_end_matches(PARTICLES);
        for tail in
            ["左右", "上下", "多年", "好多年", "很多年", "很久", "来着", "生活", "定居", "的样子", "工作", "上班"]
        {
            kept = kept.strip_suffix(tail).unwrap_or(kept).trim_end_matches(PARTICLES);
        }
        from..from + kept.len()
    }

    fn found(&self, attribute: &str, value: Range<usize>, holds: bool, start: usize) -> Found {
        let mut end = value.end;
        for tail in ["过敏", "工作", "上班", "任职", "就职", "实习"] {
            if self.text[end..].starts_with(tail) {
                end += tail.len();
            }
        }
        if self.text[end..].starts_with('了') {
            end += "了".len();
        }
        Found {
            claim: claim_is(self.reading, attribute, value, holds),
            subject: self.subject.clone(),
            span: start..end,
        }
    }

    fn predicate(&self, mut at: Cursor<'_>, part: &Part, elided: bool) -> Vec<Found> {
        skip_date(self.reading, &mut at);
        self.adverbs(&mut at);
        let opening = elided && part.opens;
        if let Some(found) = self.home(at).or_else(|| self.pay(at)) {
            return vec![found];
        }
        if opening {
            return Vec::new();
        }
        self.name(at, part)
            .or_else(|| self.age(at))
            .or_else(|| self.allergy(at))
            .or_else(|| self.employer(at))
            .or_else(|| self.diet(at))
            .or_else(|| self.level(at))
            .or_else(|| self.job(at))
            .or_else(|| self.birthday(at))
            .or_else(|| self.favourite(at))
            .map(|found| vec![found])
            .or_else(|| self.switches(at))
            .or_else(|| self.liking(at, part.compared).map(|found| vec![found]))
            .unwrap_or_default()
    }

    fn adverbs(&self, at: &mut Cursor<'_>) {
        while !self.is_liking(at.pos()) && !at.rest().starts_with("就职") && ADVERBS.iter().any(|adverb| at.eat(adverb))
        {
            skip_date(self.reading, at);
        }
    }

    fn is_liking(&self, at: usize) -> bool {
        self.word(at, |tag| matches!(tag, Tag::Liking(_)).then_some(())).is_some()
    }

    fn name(&self, mut at: Cursor<'_>, part: &Part) -> Option<Found> {
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

    fn age(&self, mut at: Cursor<'_>) -> Option<Found> {
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

    fn allergy(&self, mut at: Cursor<'_>) -> Option<Found> {
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

    fn home(&self, mut at: Cursor<'_>) -> Option<Found> {
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
        self.is_place(&value, moves).then(|| self.found("住", value, !denied, from))
    }

    fn is_place(&self, value: &Range<usize>, moves: bool) -> bool {
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
        ];
        // 住三年, 住二楼, 住一起.
        let counted = said.starts_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十几".contains(c))
            && said.contains(['年', '月', '天', '晚', '周', '层', '楼', '间', '套', '起', '个']);
        (2..=16).contains(&said.chars().count())
            && !counted
            && !no_start.iter().any(|word| said.starts_with(word))
            && !not_home.iter().any(|word| said.contains(word))
            && !(moves && (said.contains("公司") || self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool)))
            && self.reading.date_in(value.clone()).is_none()
    }

    /// 从西湖区搬到了余杭区 is of a home; 从Vim换到Helix了, 从字节跳槽到了阿里 …
    fn switches(&self, mut at: Cursor<'_>) -> Option<Vec<Found>> {
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
        let new = self.value(from + place + word.len());
        let told = word.ends_with('了') || self.text.ends_with('了');
        let tool = |value: &Range<usize>| {
            values::is_short(self.reading, value)
                && self.reading.hits_in(value).iter().any(|hit| hit.tag == Tag::Tool && hit.span() == *value)
        };
        if !told || !(tool(&old) && (tool(&new) || values::first_word_is_capitalised(self.reading, &new)) || tool(&new))
        {
            return None;
        }
        let end = new.end;
        let mut gone = self.found("用", old, false, self.start);
        gone.span.end = end;
        let mut used = self.found("用", new, true, self.start);
        used.span = self.start..used.span.end;
        gone.span.end = used.span.end;
        Some(vec![gone, used])
    }

    fn employer(&self, mut at: Cursor<'_>) -> Option<Found> {
        const WORKS: &[&str] = &["工作", "上班", "任职", "就职", "实习", "当", "做"];
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
            let place = ["离职", "辞职", "离开"].iter().filter_map(|word| rest.find(word)).min()?;
            let value = at.pos()..at.pos() + rest[..place].trim_end().len();
            let told = self.text.ends_with('了') || rest[place..].contains('了');
            if !told || !values::is_organisation(self.reading, &value) {
                return None;
            }
            let mut found = self.found("上班", value, false, self.start);
            found.span.end = self.end;
            return Some(found);
        }
        if !at.eat("在") {
            return None;
        }
        let rest = at.rest();
        let work = WORKS.iter().filter_map(|word| rest.find(word)).min();
        let value = match work {
            Some(place) => at.pos()..at.pos() + rest[..place].trim_end().len(),
            None if denied => self.value(at.pos()),
            None => return self.team(at),
        };
        values::is_organisation(self.reading, &value).then(|| self.found("上班", value, !denied, self.start))
    }

    /// 我在支付组.
    fn team(&self, at: Cursor<'_>) -> Option<Found> {
        let value = self.value(at.pos());
        let said = &self.text[value.clone()];
        let stem = ["团队", "组"].iter().find_map(|word| said.strip_suffix(word))?;
        let named = (2..=8).contains(&stem.chars().count())
            && !["项目", "这个", "我们", "一个", "小", "群", "哪个"].iter().any(|word| stem.contains(word))
            && !values::is_deictic(said)
            && !said.contains(['我', '的', '和', '跟']);
        named.then(|| self.found("团队", value, true, self.start))
    }

    fn diet(&self, mut at: Cursor<'_>) -> Option<Found> {
        let denied = ["不再", "不"].iter().any(|no| at.eat(no));
        at.eat("是");
        at.eat("个");
        at.eat("一个");
        at.eat("一名");
        let from = at.pos();
        let (end, ()) = self.word(from, |tag| (tag == Tag::Diet).then_some(()))?;
        let rest = self.text[end..].trim_start_matches(PARTICLES);
        // 我不吃素 is no denial of a diet that was, 我不吃素了 is.
        let fits = (rest.is_empty() || rest.ends_with('年')) && (!denied || self.text.ends_with('了'));
        fits.then(|| self.found("饮食", from..end, !denied, self.start))
    }

    fn level(&self, mut at: Cursor<'_>) -> Option<Found> {
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

    fn job(&self, mut at: Cursor<'_>) -> Option<Found> {
        let over = at.eat("不再") || ["不做", "不当"].iter().any(|word| at.rest().starts_with(word)) && at.eat("不");
        if !["是", "做", "当", "担任", "从事"].iter().any(|word| at.eat(word)) {
            return None;
        }
        at.eat("了");
        while ["一名", "一个", "一位", "名", "个", "位"].iter().any(|word| at.eat(word)) {}
        let value = self.value(at.pos());
        let ended = !over || self.text.ends_with('了') || self.text[self.start..at.pos()].contains("不再");
        (ended && values::is_occupation(self.reading, &value)).then(|| self.found("职业", value, !over, self.start))
    }

    fn birthday(&self, mut at: Cursor<'_>) -> Option<Found> {
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
    fn pay(&self, at: Cursor<'_>) -> Option<Found> {
        let (end, attribute) = self.attribute_at(at.pos())?;
        self.link(end).filter(|_| {
            matches!(
                attribute,
                Attribute::Pay
                    | Attribute::Measure
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
    fn favourite(&self, at: Cursor<'_>) -> Option<Found> {
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

    fn liking(&self, mut at: Cursor<'_>, compared: Option<usize>) -> Option<Found> {
        let today = self.reading.hits_in(&(self.from..self.end)).iter().any(|hit| matches!(hit.tag, Tag::Day(..)));
        if today {
            return None;
        }
        let compared = self.comparison(&mut at).or(compared);
        self.adverbs(&mut at);
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
        let object = compared.filter(|_| degree == Liking::Prefers).map_or(object.clone(), |from| from..object.end);
        let end = object.end + if rest.starts_with('了') { "了".len() } else { 0 };
        let claim = Claim::Likes { object: self.reading.folded.written(object).to_owned(), degree };
        let start = compared.filter(|_| degree == Liking::Prefers).map_or(self.start, |from| from.min(self.start));
        Some(Found { claim, subject: self.subject.clone(), span: start..end })
    }

    /// Steps over 比起咖啡: what is preferred is preferred to it.
    fn comparison(&self, at: &mut Cursor<'_>) -> Option<usize> {
        let from = at.pos();
        if !COMPARES.iter().any(|word| at.eat(word)) {
            return None;
        }
        let place = at.rest().find('更')?;
        at.jump(at.pos() + place);
        Some(from)
    }
}
