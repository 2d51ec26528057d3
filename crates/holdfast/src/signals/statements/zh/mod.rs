//! Statements in Chinese: 「我住在余杭」「我妹妹对坚果过敏」「年薪涨到了42万」.

mod announced;
mod habits;
mod predicates;
mod unnamed;
mod words;

use std::ops::Range;

use super::{Announced, Found, Part, Whom, claim_is, values};
use crate::signals::cursor::Cursor;
use crate::signals::lexicon::{Attribute, Tag};
use crate::signals::reading::Reading;
use words::{
    ADVERBS, CAUSE_CHARS_MAX, CAUSES, CHANGES, COMPARES, CUTS, FOREIGN, FUTURE, LEADS, LINK_ADVERBS, LINKS, MOVED_TO,
    MOVES, MOVES_OF, NO_LONGER, OF_OTHERS, PARTICLES, TURNS,
};

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

pub(super) fn read(reading: &Reading<'_>, part: &Part, whom: &mut Whom, found: &mut Vec<Found>) -> Option<Announced> {
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
        return None;
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
    let future = FUTURE.iter().any(|word| text[part.span.start..end].contains(word));
    let own = part.opens || *whom == Whom::User || at.rest().starts_with('我');
    let told = (own || clause.only_turns_before(head)) && !future;
    if let Some(announced) = clause.announces(at).filter(|_| own && !future) {
        *whom = Whom::User;
        return Some(announced);
    }
    // What goes on with what was announced is read with the announcement.
    let goes_on = part.announced.as_ref().is_some_and(|announced| !clause.goes_on(at, announced).is_empty());
    if told && !goes_on {
        let unnamed = clause.unnamed(at);
        if !unnamed.is_empty() {
            *whom = Whom::User;
            found.extend(unnamed);
            return part.announced.clone();
        }
    }
    let Some(subject) = clause.subject(&mut at, part, whom) else {
        *whom = Whom::Nobody;
        return None;
    };
    let announced = part.announced.clone().filter(|_| *whom == Whom::User && clause.subject.is_none());
    if !future {
        let claims = match subject {
            Subject::Attribute(attribute, of) => clause.attribute(&at, attribute, of).into_iter().collect(),
            _ => match announced.as_ref().map(|announced| clause.goes_on(at, announced)) {
                Some(told) if !told.is_empty() => told,
                _ => clause.predicate(at, part, matches!(subject, Subject::Elided)),
            },
        };
        found.extend(claims);
    }
    // Whoever is named behind the subject may be the one of the next clause.
    let from = clause.subject.as_ref().map_or(clause.start, |span| span.end);
    let others = reading.hits_in(&(from..end)).iter().any(|hit| matches!(hit.tag, Tag::Person(_) | Tag::ThirdPerson))
        || text[from..end].contains(FOREIGN);
    if others {
        *whom = Whom::Nobody;
        return None;
    }
    announced
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

/// What a link of the grammar of `MOVES` is known by.
const MOVED: &str = "到";

/// Steps over 调到, 增加到了: where a value moved, without the value.
fn moves(at: &mut Cursor<'_>) -> bool {
    let mut next = *at;
    let found = next.eat_any(MOVES).is_some() && next.eat_any(MOVED_TO).is_some();
    if found {
        *at = next;
    }
    found
}

/// Whether a link says that it was another before.
fn changes(link: &str) -> bool {
    CHANGES.iter().any(|word| link.starts_with(word)) || link == "从" || link == MOVED
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
        if ["本人", "我本人", "我自己", "我个人", "我这个人"].iter().any(|own| at.eat(own)) {
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
            // 我家住在余杭 is of the user too.
            if home && at.rest().starts_with('住') {
                *whom = Whom::User;
                return Some(Subject::Said);
            }
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
            let changes = changes(link);
            let plain = attribute == Attribute::Pay;
            if let Whom::Third(span) = whom {
                self.subject = Some(span.clone());
                return Some(Subject::Attribute(attribute, end));
            }
            // 「搬家了，离公司近了，月租4200」: what only a person has is the user's, if nobody else was named.
            if *whom == Whom::User || (part.opens || plain && self.only_turns_before(from)) && (changes || plain) {
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

    /// Whether all that was said before a place is of turns in a life, or of a cause of what is said there (因为绩效好), and of nobody by
    /// name: whose they are needs no word.
    fn only_turns_before(&self, before: usize) -> bool {
        let clauses = self.reading.layout.clauses.iter().take_while(|clause| clause.span.end <= before);
        let mut spans =
            clauses.map(|clause| clause.span.clone()).filter(|span| !self.text[span.clone()].trim().is_empty());
        spans.all(|span| {
            let said = self.text[span].trim();
            let turns = |said: &str| {
                let said = ["最近", "现在", "今年", "这几个月"]
                    .iter()
                    .find_map(|lead| said.strip_prefix(lead))
                    .unwrap_or(said);
                TURNS.iter().any(|turn| said.starts_with(turn))
            };
            let cause = ["因为", "由于"].iter().find_map(|lead| said.strip_prefix(lead));
            !said.contains(FOREIGN) && self.is_habit(said)
                || !said.contains(FOREIGN) && cause.map_or_else(|| turns(said), |cause| self.is_own_cause(cause))
        })
    }

    /// 升职, 公司普调: what moves the pay of whoever speaks, if nobody is named with it.
    fn is_own_cause(&self, cause: &str) -> bool {
        let begins = CAUSES.iter().chain(TURNS).filter(|word| cause.starts_with(**word)).map(|word| word.len()).max();
        // 项目上线加了绩效: the word may stand behind what led to it.
        let holds = || CAUSES.iter().any(|word| cause.contains(word)).then_some(0);
        let end = cause.as_ptr() as usize - self.text.as_ptr() as usize + cause.len();
        let somebody = |from: usize| {
            self.reading.hits_in(&(from..end)).iter().any(|hit| matches!(hit.tag, Tag::Person(_) | Tag::ThirdPerson))
        };
        begins.or_else(holds).is_some_and(|len| !cause[len..].contains(OF_OTHERS) && !somebody(end - cause.len() + len))
            && cause.chars().count() <= CAUSE_CHARS_MAX
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
        while next.eat_any(LINK_ADVERBS).is_some() {}
        next.spaces();
        if next.rest().starts_with('从') {
            return Some((next.pos(), "从"));
        }
        let link = LINKS.iter().find(|link| next.eat(link));
        if let Some(link) = link {
            return Some((next.pos(), link));
        }
        if moves(&mut next) {
            return Some((next.pos(), MOVED));
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
            value_at = self.turn(value_at, attribute)?;
        }
        // A meal has a form of its own.
        if attribute == Attribute::Meal {
            return None;
        }
        if link.is_empty()
            && !matches!(
                attribute,
                Attribute::Pay | Attribute::Measure | Attribute::Age | Attribute::Level | Attribute::Commute
            )
        {
            return None;
        }
        let value = self.value(value_at);
        let name = &self.text[value.clone()];
        let counted = values::is_counted(attribute);
        if changes(link) {
            // 团队从4人扩到9人: how many they are, and not what the team is called.
            if attribute == Attribute::Team && values::is_headcount_zh(name) {
                return Some(self.found("团队人数", value, true, self.start));
            }
            // What moves is a number, and a condition is no value: 房租涨到六千就搬走. 手机调到静音 is no other phone.
            let commute = attribute == Attribute::Commute;
            if counted && !values::is_amount_zh(name) || link == MOVED && !counted && !commute {
                return None;
            }
        }
        let fits = values::fits(self.reading, attribute, &value)
            && (attribute != Attribute::Manager || !matches!(link, "用" | "为"))
            && !(link == "用" && attribute != Attribute::Tool)
            && !name.starts_with(['从', '被']);
        fits.then(|| self.found(word, value, true, self.start))
    }

    /// Where the value begins that it was turned to: behind 从Vim换成了, 从4人扩到.
    fn turn(&self, from: usize, attribute: Attribute) -> Option<usize> {
        const TURNED: &[&str] = &["换成了", "换成", "换到了", "换到", "改成了", "改成", "变成了", "变成"];
        let counted = values::is_counted(attribute) || matches!(attribute, Attribute::Team | Attribute::Commute);
        self.text[from..].char_indices().find_map(|(place, _)| {
            let mut at = Cursor::new(self.text, from + place);
            (at.eat_any(TURNED).is_some() || counted && moves(&mut at)).then_some(at.pos())
        })
    }

    /// 涨薪到三万五了: the verb says what it is that moved.
    fn moved(&self, mut at: Cursor<'_>) -> Option<Found> {
        let (_, attribute) = MOVES_OF.iter().find(|(verb, _)| at.eat(verb))?;
        at.eat("了");
        at.eat_any(MOVED_TO)?;
        let value = self.value(at.pos());
        values::is_amount_zh(&self.text[value.clone()]).then(|| self.found(attribute, value, true, self.start))
    }

    /// From a place to where the value ends.
    fn value(&self, from: usize) -> Range<usize> {
        let rest = &self.text[from..];
        let lead = rest.len() - rest.trim_start_matches([' ', '：', ':', '「', '“', '"']).len();
        let from = from + lead;
        let rest = &self.text[from..];
        // 不喝酒怕头疼; but 害怕, 哪怕.
        let fear = rest.match_indices('怕').map(|(place, _)| place);
        let fear = fear
            .filter(|place| *place > 0 && !rest[..*place].ends_with(['害', '恐', '哪', '可', '生', '惧', '不']))
            .min();
        let cut = CUTS.iter().filter_map(|cut| rest.find(cut)).chain(fear).min().unwrap_or(rest.len());
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
        let claim = claim_is(self.reading, attribute, value, holds);
        let found = Found { claim, subject: self.subject.clone(), span: start..end };
        if self.is_over() { found.over() } else { found }
    }

    /// Whether it is said with a word that it was so before: 不再…, …不…了.
    fn is_over(&self) -> bool {
        self.text.ends_with('了') || NO_LONGER.iter().any(|word| self.text[self.start..].contains(word))
    }

    fn predicate(&self, mut at: Cursor<'_>, part: &Part, elided: bool) -> Vec<Found> {
        skip_date(self.reading, &mut at);
        self.adverbs(&mut at);
        let opening = elided && part.opens;
        // 我把编辑器换成了Helix
        if at.eat("把") {
            let (end, attribute) = match self.attribute_at(at.pos()) {
                Some((end, attribute @ (Attribute::Tool | Attribute::Device))) => (end, attribute),
                _ if opening => return Vec::new(),
                _ => return self.replaces(at).unwrap_or_default(),
            };
            return self.attribute(&at, attribute, end).into_iter().collect();
        }
        if let Some(found) = self.home(at).or_else(|| self.pay(at)).or_else(|| self.moved(at)) {
            return vec![found];
        }
        let habits = self.habits(at, opening);
        if opening || !habits.is_empty() {
            return habits;
        }
        (!elided)
            .then(|| self.name(at, part))
            .flatten()
            .or_else(|| self.age(at))
            .or_else(|| self.allergy(at))
            .or_else(|| self.employer(at))
            .or_else(|| self.diet(at))
            .or_else(|| self.level(at))
            .or_else(|| self.job(at))
            .or_else(|| self.birthday(at))
            .or_else(|| self.favourite(at))
            .map(|found| self.with_role(found))
            .or_else(|| self.switches(at))
            .or_else(|| self.liking(at, part.compared).map(|found| vec![found]))
            .unwrap_or_default()
    }

    fn adverbs(&self, at: &mut Cursor<'_>) {
        // 从小 is not in 从小米换到华为.
        let from_name = |at: &Cursor<'_>| {
            at.rest().starts_with('从')
                && self
                    .word(at.pos() + "从".len(), |tag| matches!(tag, Tag::Tool | Tag::Employer).then_some(()))
                    .is_some()
        };
        while !self.is_liking(at.pos())
            && !at.rest().starts_with("就职")
            && !from_name(at)
            && ADVERBS.iter().any(|adverb| at.eat(adverb))
        {
            skip_date(self.reading, at);
        }
    }

    fn is_liking(&self, at: usize) -> bool {
        self.word(at, |tag| matches!(tag, Tag::Liking(_)).then_some(())).is_some()
    }
}
