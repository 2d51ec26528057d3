//! Whether a state word says what it seems to say.

use crate::types::signals::StateWord;

use crate::signals::layout::Clause;
use crate::signals::lexicon::{Form, Hit, Tag};
use crate::signals::reading::Reading;

/// After one of these a verb is said as an order or as one's own will.
const EN_ORDERS: &[&str] = &[
    "please",
    "let's",
    "lets",
    "just",
    "then",
    "also",
    "now",
    "actually",
    "kindly",
    "instead",
    "and",
    "so",
    "ok",
    "okay",
    "yes",
    "no",
    "we",
    "i",
    "must",
    "ahead",
    "pls",
    "but",
    "or",
    "first",
    "hey",
    "hi",
    "well",
    "sure",
    "yeah",
    "alright",
    "immediately",
    "rather",
    "simply",
    "you",
];
/// Before "to" these make a will or a decision of the infinitive.
const EN_WILLS: &[&str] =
    &["need", "have", "want", "like", "decided", "agreed", "going", "got", "forget", "us", "sure", "you", "chose"];
/// Between a negation and a state word these begin a new thought.
const TURNS: &[&str] = &[
    " but ",
    " so ",
    " please ",
    " then ",
    " instead ",
    " and ",
    " just ",
    "但是",
    "但",
    "而是",
    "请",
    "直接",
    "所以",
    "因此",
    "那就",
    "就把",
    "还是把",
    "麻烦",
    "帮我",
];

/// All that has to hold, cheapest first.
pub(super) fn passes(reading: &Reading<'_>, hit: &Hit, clause: &Clause, word: StateWord, form: Form) -> bool {
    !reading.layout.is_quoted(hit.start)
        && !names_something(reading, hit, clause)
        && !is_asked(reading, hit, clause)
        && !is_negated(reading, hit, clause)
        && !is_supposed(reading, hit, clause)
        && !is_general(reading, hit, clause)
        && match form {
            Form::Perfect => is_perfect(reading, hit, clause),
            Form::Participle if word == StateWord::Done => is_done(reading, hit, clause),
            Form::Participle => is_predicate(reading, hit, clause),
            Form::Verb | Form::WithDate if is_ascii(reading, hit) => is_order(reading, hit, clause),
            Form::Verb | Form::WithDate => true,
            Form::WithLe => gives_up(reading, hit, clause),
            Form::Dropping => super::dropping::drops(reading, hit, clause),
            Form::ForNow => is_order(reading, hit, clause) && is_for_a_time(reading, hit, clause),
        }
}

/// A wish, or a thing asked of somebody: 「我想取消订单」, "can you cancel it", 取消订单. What is told to have happened is neither.
pub(super) fn is_requested(
    reading: &Reading<'_>,
    hit: &Hit,
    clause: &Clause,
    form: Form,
    item: Option<&std::ops::Range<usize>>,
    word: StateWord,
) -> bool {
    let provided = item.is_some_and(|item| reading.said(item.clone(), Tag::Service).next().is_some());
    let wished = reading.said(clause.span.start..hit.start, Tag::Wish).any(|wish| !contains(hit, wish));
    // "My flight has been delayed" tells of the world: nobody put anything off.
    let happened = provided && word == StateWord::Postpone;
    happened || (provided || wished) && !is_told(reading, hit, clause, form)
}

/// 不做了, 不做灰度了: 了 right behind the word or at the end of its clause.
pub(super) fn gives_up(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let rest = text[hit.end..clause.span.end].trim_end().trim_end_matches(['吧', '啊', '哈', '呀', '哦', '啦']);
    let goes_on = rest.starts_with(['完', '到', '好', '得', '成', '出', '错', '过']);
    !goes_on && (rest.starts_with('了') || rest.ends_with('了') || rest.is_empty() && text[hit.end..].starts_with('啦'))
}

/// 「先都不做了」「今天不做了」「不做了，以后再说」: what is given up for a time only rests.
pub(super) fn only_rests(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    if !text[hit.span()].starts_with(['不', '别']) {
        return false;
    }
    let before = text[clause.span.start..hit.start].trim_end();
    let before = before.trim_end_matches(['都', '就', '也', '全', '可']);
    let for_a_time = ["先", "暂时", "暂且", "今天", "今晚", "今儿", "这会儿"].iter().any(|word| before.ends_with(word));
    let sentence = reading.layout.sentence_of(clause);
    let later = ["再说", "再看", "再做", "再弄", "再搞", "再办", "再定", "再开"];
    for_a_time || later.iter().any(|word| text[hit.end..sentence.span.end].contains(word))
}

/// "for now", "for today": behind the word, in its clause.
fn is_for_a_time(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let said = &reading.text()[hit.end..clause.span.end];
    [
        "for now",
        "for the moment",
        "for the time being",
        "for today",
        "for tonight",
        "for the day",
        "until tomorrow",
        "till tomorrow",
    ]
    .iter()
    .any(|time| said.contains(time))
}

/// A report of what has happened, not an order: 取消了, 已取消, "was cancelled".
pub(super) fn is_told(reading: &Reading<'_>, hit: &Hit, clause: &Clause, form: Form) -> bool {
    let text = reading.text();
    let after = text[hit.end..clause.span.end].trim_start_matches(['掉', '到', '至']);
    match form {
        Form::Participle | Form::Perfect => true,
        Form::Verb | Form::WithDate if is_ascii(reading, hit) => text[hit.span()].ends_with("ed"),
        Form::ForNow => false,
        Form::WithLe => true,
        Form::Dropping => false,
        Form::Verb | Form::WithDate => {
            let before = &text[clause.span.start..hit.start];
            after.starts_with(['了', '啦'])
                || before.ends_with('已')
                || before.contains("已经")
                || before.ends_with('被')
        }
    }
}

fn is_ascii(reading: &Reading<'_>, hit: &Hit) -> bool {
    reading.text().as_bytes()[hit.start].is_ascii()
}

/// A name, an identifier, an attribute: 取消率, "the cancel button", `cancel()`, 已取消的订单, "the cancelled demo".
fn names_something(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let (before, after) = (&text[..hit.start], &text[hit.end..]);
    if reading.inside_of(hit, Tag::NotState) {
        return true;
    }
    let noun_at = hit.end + (after.len() - after.trim_start_matches([' ', '的']).len());
    if reading.hits_in(&(noun_at..noun_at + 1)).iter().any(|noun| noun.tag == Tag::StateNoun) {
        return true;
    }
    if is_ascii(reading, hit) {
        let glued = |c: char| "_./\\$@#<=({[&".contains(c);
        if before.ends_with(glued) || after.starts_with(['(', '_', '/', '=', '{', '[', '\\', '@', '>']) {
            return true;
        }
        if before.ends_with('-') && !before.ends_with(" -") && !before.ends_with("--") || after.starts_with('-') {
            return true;
        }
        // "status: cancelled" as a key and a value, and cancel.js.
        if after.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric())) {
            return true;
        }
        let said = text[clause.span.start..hit.start].trim_end();
        let last = said.rsplit(' ').next().unwrap_or_default();
        let determined = matches!(
            last,
            "the" | "a" | "an" | "my" | "your" | "his" | "her" | "our" | "their" | "this" | "any" | "each" | "of"
        );
        return determined && !after.trim_start().is_empty() || matches!(last, "of" | "a" | "an");
    }
    if let Some(rest) = after.strip_prefix("的").or_else(|| after.strip_prefix("了的")) {
        // 会是昨天取消的 states; 取消的会 describes.
        return rest.chars().next().is_some_and(|c| c.is_alphanumeric() && !"吧呢啊".contains(c));
    }
    false
}

fn is_asked(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let sentence = reading.layout.sentence_of(clause);
    let begged = reading
        .said(clause.span.start..hit.start, Tag::Polite)
        .any(|polite| !reading.text()[polite.start..].starts_with("请问"));
    let asks = reading.said(clause.span.clone(), Tag::Question).any(|question| {
        question.end <= hit.start
            || question.start >= hit.start && !reading.text()[question.start..].starts_with("还是")
    });
    // 「能帮我把会取消吗？」 and "could you please cancel it?" are requests in the form of a question.
    (sentence.question || asks) && !begged || choice(reading, hit, clause)
}

/// 取消不取消, 取消还是推迟: two sides of a question.
fn choice(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let word = &text[hit.span()];
    let rest = &text[hit.end..clause.span.end];
    let other_side = text[clause.span.start..hit.start].rfind("还是").is_some_and(|at| {
        reading
            .hits_in(&(clause.span.start..clause.span.start + at))
            .iter()
            .any(|other| matches!(other.tag, Tag::State(..)))
    });
    other_side
        || rest.strip_prefix('不').is_some_and(|rest| rest.starts_with(word))
        || rest.starts_with("还是") && rest.len() > "还是".len()
        || rest.starts_with("没有") && rest.len() == "没有".len()
        || rest.starts_with("了没")
        || text[clause.span.start..hit.start].ends_with("还是不")
}

fn is_negated(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let after = &text[hit.end..clause.span.end];
    if ["不了", "不掉", "不成", "不完"].iter().any(|word| after.starts_with(word)) {
        return true;
    }
    let before = clause.span.start..hit.start;
    let negated = |word: &Hit| {
        !reading.inside_of(word, Tag::NotNegation)
            && !TURNS.iter().any(|turn| text[word.end..hit.start].contains(turn))
            && !reading.hits_in(&clause.span).iter().any(|other| {
                // 先别做了 holds its own negation.
                matches!(other.tag, Tag::State(..)) && other.start < word.start && other.end >= word.end
            })
    };
    reading.said(before, Tag::Negation).any(negated)
}

fn is_supposed(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let sentence = reading.layout.sentence_of(clause);
    // 再取消 comes after something else.
    if reading.text()[clause.span.start..hit.start].ends_with("再") {
        return true;
    }
    let means = |word: &&Hit| !reading.inside_of(word, Tag::NotHypothesis);
    reading.said(sentence.span.clone(), Tag::Hypothesis).any(|word| means(&word))
        || reading.said(clause.span.start..hit.start, Tag::Modality).any(|word| means(&word) && !contains(word, hit))
        || reading.said(sentence.span.start..hit.start, Tag::Example).next().is_some()
        || reading.said(clause.span.start..hit.start, Tag::Speech).any(|speech| {
            // 他说取消 is hearsay of an order; 王总说会议取消了 states.
            reading.text()[speech.end..hit.start].trim().chars().count() <= 1
        })
}

fn contains(outer: &Hit, inner: &Hit) -> bool {
    outer.start <= inner.start && outer.end >= inner.end
}

fn is_general(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    reading.said(clause.span.clone(), Tag::Habit).any(|word| !contains(hit, word))
}

fn is_plan(reading: &Reading<'_>, hit: &Hit, plan: &Hit) -> bool {
    !contains(hit, plan) && !reading.inside_of(plan, Tag::NotPlan)
}

/// 完成 and its like: only with a sign that it is over, and not as a step before something else.
fn is_perfect(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim_end();
    let before_end = before.len();
    let after = &text[hit.end..clause.span.end];
    let over_before = ["已", "已经", "都", "刚", "刚刚", "终于", "总算", "全部", "全", "早就", "也"]
        .iter()
        .any(|word| before.ends_with(word) || before.strip_suffix("给").is_some_and(|before| before.ends_with(word)));
    let le = after.starts_with(['了', '啦', '咯', '喽', '毕']);
    // 完成周报了: a short object before the particle.
    let object = after.trim_end().trim_end_matches(['了', '啦']);
    let le_at_end = object.len() < after.trim_end().len()
        && (object.chars().count() <= 4
            || reading.said(hit.end..hit.end + object.len(), Tag::Work).any(|noun| noun.end == hit.end + object.len()));
    // 「周报完成。」: a noun, the word, and nothing more.
    let bare_end = after.trim().is_empty()
        && reading.said(clause.span.start..hit.start, Tag::Work).any(|noun| noun.end == clause.span.start + before_end)
        && !before.is_empty()
        && !before.ends_with(['去', '来', '它'])
        && !before.contains('把');
    if !(over_before || le || le_at_end || bare_end) {
        return false;
    }
    let sequel =
        ["再", "就", "以后", "之后", "后", "才", "的时候", "时", "告诉", "叫我", "通知", "跟我说", "发我", "喊我"];
    let next = after.trim_start_matches(['了', '啦']);
    let next = next.trim_start();
    if sequel.iter().any(|word| next.starts_with(word)) {
        return false;
    }
    let following = text[clause.span.end..].trim_start_matches(['，', ',', ' ']);
    if le
        && ["再告诉", "告诉我", "叫我", "通知我", "跟我说", "喊我", "再说", "再发", "记得"]
            .iter()
            .any(|word| following.starts_with(word))
    {
        return false;
    }
    over_before || !reading.said(clause.span.start..hit.start, Tag::Plan).any(|plan| is_plan(reading, hit, plan))
}

/// "done": with be or have before it, or alone, or at the head of the clause; never behind a plan.
fn is_done(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim();
    let after = text[hit.end..clause.span.end].trim_start();
    let adjective = &text[hit.span()] == "complete";
    if adjective && !(after.is_empty() || after.starts_with("now") || after.starts_with("and ")) {
        return false;
    }
    if reading.said(clause.span.start..hit.start, Tag::Plan).any(|plan| is_plan(reading, hit, plan)) {
        return false;
    }
    if before.is_empty() {
        return !adjective;
    }
    let mut words = before.rsplit(' ').skip_while(|word| {
        matches!(
            *word,
            "already"
                | "just"
                | "now"
                | "all"
                | "finally"
                | "fully"
                | "both"
                | "also"
                | "ok"
                | "okay"
                | "yes"
                | "great"
        )
    });
    let Some(last) = words.next() else { return !adjective };
    if AUXILIARIES.contains(&last) || last.ends_with("'s") && last.len() > 3 || !last.is_ascii() {
        return true;
    }
    // "Weekly report done." and "The client finished the review", told in the past tense.
    // "have it finished by Friday" is an order.
    if before.starts_with("have ") {
        return false;
    }
    let told = matches!(&text[hit.span()], "finished" | "completed" | "wrapped up" | "shipped");
    let headline = after.is_empty() && before.split(' ').count() <= 4 && !adjective;
    let by_others = reading
        .said(clause.span.start..hit.start, Tag::ThirdPerson)
        .any(|word| word.end == clause.span.start + text[clause.span.start..hit.start].trim_end().len());
    headline && reading.said(clause.span.start..hit.start, Tag::Work).next().is_some()
        || told && by_others && !after.is_empty()
}

/// "cancelled" of something that is, was or got so, or done by somebody; not "delayed progress" and "Review paused items".
fn is_predicate(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim_end();
    let after = text[hit.end..clause.span.end].trim_start();
    let last = before
        .rsplit(' ')
        .find(|word| !matches!(*word, "already" | "just" | "now" | "finally" | "officially" | "also" | "indefinitely"))
        .unwrap_or_default();
    let carried = AUXILIARIES.contains(&last)
        || matches!(last, "be" | "they" | "he" | "she" | "you" | "client" | "customer" | "boss" | "team" | "")
        || last.ends_with("'s")
        || !last.is_ascii();
    let ends = after.is_empty()
        || [
            "until",
            "till",
            "to",
            "because",
            "by",
            "for",
            "again",
            "on",
            "due",
            "as",
            "and",
            "but",
            "this",
            "last",
            "yesterday",
            "today",
            "since",
            "so",
        ]
        .iter()
        .any(|next| crate::signals::phrase::starts_with_word(after, next))
        || !after.is_ascii();
    let put = before.split(' ').any(|word| matches!(word, "put" | "putting"));
    carried || put || ends
}

const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "been", "have", "has", "had", "got", "i", "we", "am", "i'm", "we're", "it's", "that's",
    "i've", "we've", "they've", "he's", "she's", "they're", "you've",
];

/// An English verb as an order or a decision of the speaker, not in a statement about others.
pub(super) fn is_order(reading: &Reading<'_>, hit: &Hit, clause: &Clause) -> bool {
    let text = reading.text();
    let before = text[clause.span.start..hit.start].trim();
    let mut words = before.rsplit(' ');
    let Some(last) = words.next().filter(|word| !word.is_empty()) else { return true };
    let last = last.trim_matches(['-', '*', '(', '"', '1', '2', '3', '.']);
    if !last.is_ascii() || last.is_empty() || EN_ORDERS.contains(&last) {
        return true;
    }
    if matches!(last, "to") {
        let will = words.next().unwrap_or_default();
        let decided = matches!(will, "decided" | "agreed" | "chose");
        let others = reading.said(clause.span.start..hit.start, Tag::ThirdPerson).next().is_some();
        return EN_WILLS.contains(&will) && (decided || !others);
    }
    // "moved", "pushed" with a date, told of the past or of now: "we moved the demo to Friday", "the demo moves to Friday".
    text[hit.span()].ends_with(['d', 's'])
}
