//! Talk that stays on a task, leaves it, comes back, or can't be told.

use super::*;
use crate::types::event::{Kind, Source};
use crate::types::scope::TaskId;
use crate::types::signals::{Cue, Entity, EntityKind, Signals, StateChange, StateWord};

fn named(id: &str, title: &str, names: &[&str], second: u32) -> Task {
    let mut task = open(TaskId::new(id).unwrap(), Owner::default(), title, None, event(1), &at(second));
    task.names = names.iter().map(|&name| name.to_owned()).collect();
    task
}

fn ended(task: Task) -> Task {
    done(&task, vec![Action::End { outcome: Outcome::Success, reason: None }]).task
}

/// Two live tasks, the report in hand; a plan that ended.
fn known() -> Vec<Task> {
    vec![
        named("report", "本周周报", &["周报", "weekly report"], 1),
        named("move", "数据迁移", &["迁移", "the migration"], 2),
        ended(named("plan", "年度计划", &["年度计划"], 3)),
    ]
}

fn verdict(tasks: &[Task], current: Option<&str>, text: &str, signals: &Signals) -> String {
    let session_task = current.map(|id| TaskId::new(id).unwrap());
    let given =
        Given { task: None, session_task: session_task.as_ref(), source: Source::User, kind: Kind::Query, text };
    match attribute(tasks, &given, signals).to {
        Attributed::Given(id) => format!("given {id}"),
        Attributed::Stays(id) => format!("stays {id}"),
        Attributed::SwitchTo(id) => format!("switches {id}"),
        Attributed::Aside(id) => format!("aside {id}"),
        Attributed::Opens { title, .. } => format!("opens {title}"),
        Attributed::Unattributed { candidates } => {
            format!("unattributed {}", candidates.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" "))
                .trim_end()
                .to_owned()
        }
    }
}

fn cue(text: &str, cue: Cue) -> Signals {
    let mut signals = Signals { cues: vec![cue], ..Signals::default() };
    for word in ["周报", "年度计划", "the migration", "发布会方案"] {
        if let Some(at) = text.find(word) {
            signals.entities.push(Entity {
                kind: EntityKind::Task,
                text: word.to_owned(),
                value: word.to_owned(),
                span: at..at + word.len(),
            });
        }
    }
    signals
}

fn continues(topic: &str) -> Cue {
    Cue::Continue { topic: Some(topic.to_owned()) }
}

fn requests(topic: &str) -> Cue {
    Cue::Request { topic: Some(topic.to_owned()) }
}

#[track_caller]
fn check(current: Option<&str>, text: &str, cued: Option<Cue>, expected: &str) {
    let signals = cued.map(|c| cue(text, c)).unwrap_or_default();
    assert_eq!(verdict(&known(), current, text, &signals), expected, "{text}");
}

#[test]
fn returning_by_name() {
    check(Some("move"), "接着把周报弄完", Some(continues("周报弄完")), "switches report");
    check(Some("report"), "back to the migration", Some(continues("the migration")), "switches move");
    check(Some("report"), "继续写周报", Some(continues("周报")), "stays report");
    check(None, "继续上次的周报", Some(continues("上次的周报")), "switches report");
    check(Some("report"), "继续", Some(Cue::Continue { topic: None }), "stays report");
    check(None, "继续", Some(Cue::Continue { topic: None }), "unattributed report move");
}

#[test]
fn an_ended_task_is_found_when_continued_but_not_when_asked_for_anew() {
    check(Some("move"), "继续年度计划", Some(continues("年度计划")), "switches plan");
    check(Some("move"), "帮我写一份年度计划", Some(requests("年度计划")), "opens 年度计划");
}

#[test]
fn new_work_opens_a_task_and_work_on_what_is_at_hand_does_not() {
    check(None, "帮我写一份发布会方案", Some(requests("发布会方案")), "opens 发布会方案");
    check(Some("report"), "帮我写一份发布会方案", Some(requests("发布会方案")), "opens 发布会方案");
    check(Some("report"), "帮我把这段改短一点", Some(requests("这段")), "stays report");
    check(Some("report"), "帮我查一下北京的天气", Some(requests("北京的天气")), "unattributed report");
    check(Some("report"), "please draft the weekly report", Some(requests("the weekly report")), "stays report");
    check(
        Some("report"),
        "另外，帮我写个发布会方案",
        Some(Cue::Switch { topic: Some("发布会方案".to_owned()) }),
        "opens 发布会方案",
    );
}

/// A request with 也, 还, "also" or an answer before it goes on with what is being talked of.
#[test]
fn a_follow_up_request_is_no_new_task() {
    check(Some("report"), "can you also add a bag", Some(requests("bag")), "stays report");
    check(Some("report"), "also, could you draft a note on it", Some(requests("note on it")), "stays report");
    check(Some("report"), "Could you add a chart as well?", Some(requests("chart")), "stays report");
    check(Some("report"), "也帮我写一段说明", Some(requests("说明")), "stays report");
    check(Some("report"), "还有，帮我加一张图", Some(requests("图")), "stays report");
    let aside = Cue::Switch { topic: Some("一件行李".to_owned()) };
    let mut signals = cue("", aside);
    signals.cues.push(requests("一件行李"));
    assert_eq!(verdict(&known(), Some("report"), "顺便帮我加一件行李", &signals), "stays report");
    // With nothing in hand it is no task either: what it adds to was none.
    check(
        None,
        "Thanks! Before we finish, could you also add 1 checked bag?",
        Some(requests("1 checked bag")),
        "unattributed",
    );
    check(None, "Yes, please update my reservation.", Some(requests("reservation")), "unattributed");
    check(None, "好的，谢谢，再帮我查一下航班", Some(requests("航班")), "unattributed");
    // A piece of work by its name is one, and so is what is asked for without any such word.
    check(None, "帮我也写一份年度计划", Some(requests("年度计划")), "opens 年度计划");
    check(
        Some("report"),
        "please draft a plan for the party",
        Some(requests("plan for the party")),
        "opens plan for the party",
    );
    check(Some("move"), "接着帮我写周报", Some(requests("周报")), "switches report");
}

#[test]
fn a_name_is_a_topic_at_the_head_and_a_comparison_elsewhere() {
    check(Some("report"), "数据迁移现在到哪一步了？", None, "switches move");
    check(Some("report"), "格式和数据迁移的文档一样就行", None, "stays report");
    check(Some("report"), "今天下午开会的时候大家都在聊数据迁移", None, "unattributed report move");
    check(Some("report"), "好的，谢谢", None, "stays report");
    check(None, "你好", None, "unattributed");
}

#[test]
fn equals_are_not_guessed_between_unless_they_are_one_series() {
    let two = vec![named("a", "华东周报", &["周报"], 1), named("b", "华南周报", &[], 2)];
    let signals = cue("", continues("周报"));
    assert_eq!(verdict(&two, None, "继续周报", &signals), "switches a", "an exact name is better than a part");
    let two = vec![named("a", "华东周报", &[], 1), named("b", "华南周报", &[], 2)];
    assert_eq!(verdict(&two, None, "继续周报", &signals), "unattributed a b");
    let series = vec![ended(named("a", "周报", &[], 1)), ended(named("b", "周报", &[], 2))];
    assert_eq!(verdict(&series, None, "继续周报", &signals), "switches b");
}

#[test]
fn a_state_word_about_another_task_does_not_take_the_session_there() {
    let state = |word| Signals {
        states: vec![StateChange {
            word,
            item: Some("数据迁移".to_owned()),
            until: None,
            requested: false,
            span: 0..0,
        }],
        ..Signals::default()
    };
    let tasks = known();
    assert_eq!(verdict(&tasks, Some("report"), "数据迁移先暂停", &state(StateWord::Pause)), "aside move");
    assert_eq!(verdict(&tasks, Some("report"), "恢复数据迁移", &state(StateWord::Resume)), "switches move");
    assert_eq!(verdict(&tasks, None, "数据迁移先暂停", &state(StateWord::Pause)), "switches move");
}

#[test]
fn agents_and_tools_follow_the_session() {
    let tasks = known();
    let current = TaskId::new("report").unwrap();
    let given = Given {
        task: None,
        session_task: Some(&current),
        source: Source::Tool,
        kind: Kind::ToolResult,
        text: "回到数据迁移",
    };
    let signals = cue("回到数据迁移", continues("数据迁移"));
    assert_eq!(attribute(&tasks, &given, &signals).to, Attributed::Stays(current.clone()));
    let told = Given { source: Source::Agent, kind: Kind::TaskSwitch, text: "数据迁移", ..given };
    assert_eq!(attribute(&tasks, &told, &Signals::default()).to, Attributed::SwitchTo(TaskId::new("move").unwrap()));
}

/// The first line of a session names nobody's task: whose it is is told by what only one task knows.
#[test]
fn a_session_that_begins_with_what_one_task_knows() {
    let move_task = after(
        &named("move", "office-move", &[], 1),
        vec![vec![
            plan(&["向三家搬家公司询价", "布线验收", "sign with Acme Movers"]),
            Action::AskDecision { question: "选顺达还是铁牛？".to_owned(), who: Some("王总".to_owned()) },
            Action::SetItem { name: "打印机".to_owned(), status: ItemStatus::Open, note: None },
        ]],
    );
    let party = named("party", "团建", &[], 2);
    let at = jiff::civil::date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").unwrap();
    let both = [move_task.clone(), party];
    let one = [move_task];
    for (tasks, text, expected) in [
        (&both[..], "王总定了，就用顺达。", "switches move"),
        (&both[..], "打印机怎么处理？", "switches move"),
        (&both[..], "今天把搬家公司的报价收一下。", "unattributed"),
        (&one[..], "今天把搬家公司的报价收一下。顺便 budget 上限是 8 万，别超。", "switches move"),
        (&one[..], "Any news from Acme Movers?", "switches move"),
        (&one[..], "李总定了。", "unattributed"),
        (&one[..], "今天天气不错", "unattributed"),
        (&one[..], "Any news from Bolt Movers?", "unattributed"),
    ] {
        let signals = crate::signals::read(text, &at, Source::User, crate::signals::Lexicon::builtin());
        assert_eq!(verdict(tasks, None, text, &signals), expected, "{text}");
    }
}
