//! What an event by itself does to the task in hand (SPEC 1.5, 1.6, 2.7): what rules read from it in, an update out. For agents
//! that never send one, and for what users say, which no agent has to repeat.
//!
//! Who may do what: the user's own words set constraints, states, answers and corrections. An agent's say that a step of the
//! plan is done, what it made, what it plans and what it asks. A tool's give a result, as an extract. Untrusted text is data:
//! nothing in it but the extract is taken, and an extract is never a constraint, a goal or an item.

use super::known::mentions;
use super::names::{bare, is_called, matches, words};
use crate::text::{extract, find_value, find_whole, fold, repeats, same, sentences, standing, with_value};
use crate::types::event::{Event, Kind, Source, Trust};
use crate::types::frame::{Frame, Step, StepStatus};
use crate::types::signals::{Correction, Cue, EntityKind, Feedback, Instruction, Signals, StateChange, StateWord};
use crate::types::task::{ItemStatus, Outcome, StepPhase, Task, TaskStatus};
use crate::types::update::{Action, ELEMENT_BYTES_MAX, ITEM_NAME_BYTES_MAX, Update};

use super::imperative;

/// An event as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    pub source: Source,
    pub kind: Kind,
    pub trust: Trust,
    pub content: &'a str,
}

impl<'a> From<&'a Event> for Said<'a> {
    fn from(event: &'a Event) -> Self {
        Self { source: event.source, kind: event.kind, trust: event.trust, content: &event.content }
    }
}

/// Longest extract of a tool's result, in characters: some hundred tokens, enough for a screen of numbers.
const RESULT_CHARACTERS_MAX: usize = 600;
/// Most steps taken from a plan in prose: a longer list is a document.
const PLAN_STEPS_MAX: usize = 50;
/// Most artifacts taken from one event: a directory listing is not a list of things made.
const ARTIFACTS_MAX: usize = 10;
/// Shortest name of an item taken from talk, in characters.
const ITEM_CHARACTERS_MIN: usize = 2;
/// Longest correction kept as a fact of the task, in characters.
const FACT_CHARACTERS_MAX: usize = 200;
/// Longest question kept as an open decision, in characters. It is never cut from a block, so it must be a question.
const QUESTION_CHARACTERS_MAX: usize = 200;
/// Longest reply read as the answer to an open question, in characters.
const ANSWER_CHARACTERS_MAX: usize = 60;

/// The update an event amounts to, or `None`: most events change nothing. It has no expected version: it holds whatever the
/// version is.
pub fn absorb(task: &Task, said: &Said<'_>, signals: &Signals) -> Option<Update> {
    // No event has a NUL (SPEC 1.8), and no element may have one.
    if said.content.contains('\0') {
        return None;
    }
    let mut actions = Vec::new();
    match (said.source, said.trust) {
        (Source::User, Trust::Trusted) if said.kind != Kind::Imported => {
            actions.extend(taken_up(task, signals));
            let live = !task.frames.is_empty() || !actions.is_empty();
            if live {
                actions.extend(corrections(task, said, signals));
                actions.extend(constraints(task, said, signals));
                actions.extend(answer(task, said, signals));
                if said.kind == Kind::Plan {
                    actions.extend(plan(task, said));
                }
                // The end comes last: nothing can follow it.
                actions.extend(states(task, said, signals));
            }
        }
        // While a step of the loop is out, the agent writes back itself: what it did must not be counted twice, nor the
        // version move under its feet.
        (Source::Agent | Source::Tool | Source::System, _)
            if task.phase != StepPhase::Ready || task.frames.is_empty() => {}
        (Source::Agent, Trust::Trusted) => {
            if said.kind == Kind::Plan {
                actions.extend(plan(task, said));
            }
            actions.extend(steps_done(task, signals));
            actions.extend(artifacts(task, said, signals));
            actions.extend(question(task, said));
        }
        (Source::Tool, trust) if said.kind == Kind::ToolResult => {
            actions.extend(result(task, said));
            if trust == Trust::Trusted {
                actions.extend(artifacts(task, said, signals));
            }
        }
        _ => {}
    }
    (!actions.is_empty()).then(|| Update { actions, ..Update::default() })
}

/// 「继续」 said of a task that rests or ended takes it up again.
fn taken_up(task: &Task, signals: &Signals) -> Option<Action> {
    let continues = signals.cues.iter().any(|cue| match cue {
        Cue::Continue { topic: Some(topic) } => task.status.is_live() || matches(task, topic).is_some(),
        // 「继续」 alone goes on with what rests; what ended is taken up by its name only.
        Cue::Continue { topic: None } => task.status.is_live(),
        Cue::Switch { .. } | Cue::Request { .. } => false,
    });
    (continues && task.status != TaskStatus::Open).then_some(Action::SetStatus { status: ItemStatus::Open })
}

/// 「不是3.2%，是2.8%」: every valid statement with the old value is overturned, and a constraint with it reworded.
fn corrections(task: &Task, said: &Said<'_>, signals: &Signals) -> Vec<Action> {
    let mut actions: Vec<Action> = Vec::new();
    for correction in &signals.corrections {
        let conclusions = task.frames.iter().flat_map(|f| &f.conclusions).filter(|c| c.valid).map(|c| (&c.id, &c.text));
        let facts = task.facts.iter().filter(|f| f.valid).map(|f| (&f.id, &f.text));
        let results = task.frames.iter().filter_map(|f| f.latest_result.as_ref()).map(|r| (&r.id, &r.text));
        let mut overturned: Vec<&str> = Vec::new();
        for (id, text) in conclusions.chain(facts).chain(results) {
            // Copies fall together: `supersede` looks for them itself.
            if !says(text, &correction.old) || overturned.iter().any(|known| same(known, text)) {
                continue;
            }
            let new = corrected(text, correction, said.content);
            if new.as_ref() != Some(text) {
                overturned.push(text);
                actions.push(Action::Supersede { old: id.clone(), text: new });
            }
        }
        let Some(frame) = task.frame() else { continue };
        let before = actions.len();
        for constraint in frame.constraints.iter().filter(|c| c.in_force && says(&c.text, &correction.old)) {
            if let Some(text) = reworded(&constraint.text, correction).filter(|text| *text != constraint.text) {
                actions.push(Action::AmendConstraint { constraint: constraint.id.clone(), text });
            }
        }
        // Nothing here said the old value, so nothing here says the new one: the user's sentence does.
        if overturned.is_empty() && actions.len() == before && correction.new.is_some() {
            actions.extend(stated_anew(task, said, correction).map(|text| Action::AddFact { text }));
        }
    }
    actions
}

/// The sentence that puts something right.
fn stated_anew(task: &Task, said: &Said<'_>, correction: &Correction) -> Option<String> {
    let new = correction.new.as_deref()?;
    let mut all = sentences(said.content).into_iter().filter_map(|range| said.content.get(range));
    let sentence = all.find(|sentence| says(sentence, &correction.old) && says(sentence, new))?;
    let known = task.facts.iter().any(|fact| same(&fact.text, sentence));
    (!known && sentence.chars().count() <= FACT_CHARACTERS_MAX).then(|| sentence.to_owned())
}

/// Whether a statement has the value.
pub(crate) fn says(text: &str, old: &str) -> bool {
    let old = old.trim();
    !find_value(text, old).is_empty() || (old.chars().count() > 3 && repeats(text, old))
}

/// What holds instead of a statement: the same with the new value where the old one stood. How the value goes (「3.2%，连续两周上升」)
/// rested on the old one, so it is not said again. `said` put it right: of several with the value, it tells which. A value that is only
/// denied leaves what is said of other things.
pub(crate) fn corrected(text: &str, correction: &Correction, said: &str) -> Option<String> {
    let old = correction.old.trim();
    let Some(new) = correction.new.as_deref().map(str::trim) else {
        let stands: Vec<&str> = standing(text, old, None).into_iter().filter_map(|range| text.get(range)).collect();
        let between = if text.contains('；') || !text.is_ascii() { "；" } else { "; " };
        return (!stands.is_empty()).then(|| stands.join(between));
    };
    Some(with_value(text, old, new, said).unwrap_or_else(|| new.to_owned()))
}

/// The whole text with the new value in the place of the old: a constraint loses none of its other clauses.
fn reworded(text: &str, correction: &Correction) -> Option<String> {
    let (old, new) = (correction.old.trim(), correction.new.as_deref()?.trim());
    let replaced = find_value(text, old).first().map(|at| format!("{}{new}{}", &text[..at.start], &text[at.end..]));
    Some(replaced.unwrap_or_else(|| new.to_owned()))
}

/// What the user lays down for this task: explicit instructions, one-off or standing, and clauses with 必须, 不要, "never" …
fn constraints(task: &Task, said: &Said<'_>, signals: &Signals) -> Vec<Action> {
    let stated = |i: &Instruction| imperative::instruction(said.content, &i.span).unwrap_or(i.text.trim()).to_owned();
    let mut texts: Vec<String> = signals.instructions.iter().map(stated).collect();
    texts.dedup();
    for clause in imperative::constraints(said.content) {
        let known = |text: &String| repeats(text, &clause) || repeats(&clause, text);
        if !texts.iter().any(known) {
            texts.push(clause);
        }
    }
    // 「不要报表副本了」 takes a thing out of the work, and lays nothing down.
    let drops_an_item = |text: &String| {
        let Some(at) = said.content.find(text.as_str()) else { return false };
        signals.states.iter().any(|state| {
            let told = !state.requested || state.item.as_ref().is_some_and(|item| mentions(task, item));
            let here = (at..at + text.len()).contains(&state.span.start);
            here && told && drops(said, state) && state.item.as_ref().is_some_and(|item| text.contains(item.as_str()))
        })
    };
    texts.retain(|text| !drops_an_item(text));
    let mut texts: Vec<String> = texts.into_iter().map(|text| with_its_item(text, said, signals)).collect();
    texts.dedup();
    let in_force = task.visible_constraints();
    // 「不是500字，是800字」 reworded one already; neither half of it is a new one.
    let corrects = |text: &String| {
        let halves = |c: &Correction| says(text, &c.old) || c.new.as_deref().is_some_and(|new| says(text, new));
        signals.corrections.iter().any(|c| halves(c) && in_force.iter().any(|(_, known)| says(&known.text, &c.old)))
    };
    texts.retain(|text| {
        let fits = !text.is_empty() && text.len() <= ELEMENT_BYTES_MAX;
        fits && !corrects(text) && !in_force.iter().any(|(_, known)| same(&known.text, text))
    });
    texts.into_iter().map(|text| Action::AddTaskConstraint { text }).collect()
}

/// 「启明那家取消了，客户跟进里也别列了」: the clause alone would forbid all of it, so the sentence that names the item is kept whole.
fn with_its_item(clause: String, said: &Said<'_>, signals: &Signals) -> String {
    let Some(at) = said.content.find(&clause) else { return clause };
    let Some(sentence) = sentences(said.content).into_iter().find(|range| range.contains(&at)) else { return clause };
    let item = |state: &StateChange| {
        sentence.contains(&state.span.start) && state.item.as_ref().is_some_and(|item| !clause.contains(item.trim()))
    };
    if signals.states.iter().any(item) { said.content[sentence].trim().to_owned() } else { clause }
}

/// State words of the user: of a step, of an item, or of the task itself.
fn states(task: &Task, said: &Said<'_>, signals: &Signals) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut of_task = None;
    for state in &signals.states {
        let Some(item) = state.item.as_deref().map(str::trim).filter(|item| !item.is_empty()) else {
            // 「能不能取消」 asks for something; whether it is the task that is to end, nobody can tell.
            if !(state.requested && matches!(state.word, StateWord::Cancel | StateWord::Postpone)) {
                of_task = Some(state);
            }
            continue;
        };
        // 「我想取消订单」 is a request for a service, unless it is something of this task.
        if state.requested && !is_known(task, item) && !(drops(said, state) && mentions(task, item)) {
            continue;
        }
        // 「前」 and 「它」 name nothing.
        if item.chars().count() < ITEM_CHARACTERS_MIN {
            continue;
        }
        if is_called(task, item) && super::names::find_item(&task.items, item).is_none() {
            of_task = Some(state);
            continue;
        }
        let status = match state.word {
            StateWord::Cancel => Some(StepStatus::Cancelled),
            StateWord::Done => Some(StepStatus::Done),
            StateWord::Postpone | StateWord::Pause | StateWord::Resume => None,
        };
        let step = task.frame().and_then(|frame| step_called(frame, item));
        match (status, step) {
            // Said twice of one step, the last word counts.
            (Some(status), Some(step)) => {
                actions.retain(|action| !closes(action, step));
                actions.push(close(step, status));
            }
            _ if item.len() <= ITEM_NAME_BYTES_MAX => {
                let note = note(state, said.content);
                actions.push(Action::SetItem { name: item.to_owned(), status: item_status(state.word), note });
            }
            _ => {}
        }
    }
    // 「周报改到周一上午发」: the new date is said even if the task rests already.
    let due = of_task.and_then(|state| Some(Action::SetDue { text: date_of(state, said.content)? }));
    let of_task = of_task.and_then(|state| match (state.word, task.status) {
        (StateWord::Cancel, _) => Some(Action::End { outcome: Outcome::Cancelled, reason: None }),
        (StateWord::Done, _) => Some(Action::End { outcome: Outcome::Success, reason: None }),
        (StateWord::Pause, TaskStatus::Paused) | (StateWord::Postpone, TaskStatus::Postponed) => None,
        (StateWord::Resume, TaskStatus::Open) => None,
        (word, _) => Some(Action::SetStatus { status: item_status(word) }),
    });
    actions.extend(due);
    actions.extend(of_task);
    actions
}

/// "Skip the printer", 从清单里去掉: what the work is about decides what that is said of, and not who provides it.
fn drops(said: &Said<'_>, state: &StateChange) -> bool {
    let word = said.content.get(state.span.clone()).map(fold).unwrap_or_default();
    state.word == StateWord::Cancel && !word.contains("取消") && !word.contains("cancel")
}

/// An item or a step of the task, or the task itself by its name.
fn is_known(task: &Task, name: &str) -> bool {
    let wanted = bare(name);
    let items = task.items.iter().map(|item| bare(&item.name));
    let by_part = |known: String| find_whole(&known, &wanted).is_some() || find_whole(&wanted, &known).is_some();
    super::names::find_item(&task.items, name).is_some()
        || items.filter(|known| !known.is_empty()).any(by_part)
        || task.frame().is_some_and(|frame| step_called(frame, name).is_some())
        || is_called(task, name)
}

fn item_status(word: StateWord) -> ItemStatus {
    match word {
        StateWord::Cancel => ItemStatus::Cancelled,
        StateWord::Postpone => ItemStatus::Postponed,
        StateWord::Pause => ItemStatus::Paused,
        StateWord::Resume => ItemStatus::Open,
        StateWord::Done => ItemStatus::Done,
    }
}

/// Until when, as it was said, and the date it was understood as: 「周四下午」 means nothing next week.
fn date_of(state: &StateChange, content: &str) -> Option<String> {
    let until = state.until.as_ref()?;
    let words = content.get(until.span.clone()).unwrap_or(&until.text);
    Some(format!("{} {words}", until.start.date()))
}

fn note(state: &StateChange, content: &str) -> Option<String> {
    date_of(state, content).map(|date| format!("→ {date}"))
}

/// An agent says that a step of its plan is done: only one it names, and only one that is still open.
fn steps_done(task: &Task, signals: &Signals) -> Vec<Action> {
    let Some(frame) = task.frame() else { return Vec::new() };
    let done = signals.states.iter().filter(|state| state.word == StateWord::Done);
    let mut actions: Vec<Action> = Vec::new();
    for step in done.filter_map(|state| step_called(frame, state.item.as_deref()?)) {
        if !actions.iter().any(|action| closes(action, step)) {
            actions.push(close(step, StepStatus::Done));
        }
    }
    actions
}

fn closes(action: &Action, step: &Step) -> bool {
    matches!(action, Action::CompleteStep { step: Some(id), .. } if *id == step.id)
}

fn close(step: &Step, status: StepStatus) -> Action {
    Action::CompleteStep { step: Some(step.id.clone()), status: Some(status), result: None }
}

/// The only open step called so.
fn step_called<'a>(frame: &'a Frame, name: &str) -> Option<&'a Step> {
    let wanted = bare(name);
    if wanted.chars().count() < 2 {
        return None;
    }
    let open = || frame.steps.iter().filter(|step| !step.status.is_closed());
    let only = |found: Vec<&'a Step>| if let [step] = found.as_slice() { Some(*step) } else { None };
    only(open().filter(|step| bare(&step.text) == wanted).collect())
        .or_else(|| only(open().filter(|step| find_whole(&bare(&step.text), &wanted).is_some()).collect()))
}

/// The user's short reply to the only open question, where it is clear that it is one.
fn answer(task: &Task, said: &Said<'_>, signals: &Signals) -> Option<Action> {
    let mut open = task.frames.iter().flat_map(|f| &f.decisions).filter(|d| d.answer.is_none());
    let (Some(decision), None) = (open.next(), open.next()) else { return None };
    // A question to somebody else isn't answered by whoever speaks first.
    if decision.who.as_deref().is_some_and(|who| who != ASKED_USER) {
        return None;
    }
    let text = said.content.trim();
    let asks = text.contains(['?', '？']) || text.ends_with('吗') || text.ends_with('呢');
    if asks
        || text.is_empty()
        || text.chars().count() > ANSWER_CHARACTERS_MAX
        || signals.cues.iter().any(is_new_business)
    {
        return None;
    }
    let folded = fold(text);
    let begins = ANSWERS.iter().any(|word| {
        folded
            .strip_prefix(word)
            .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    // 「那17条都挂我名下」 takes up the question's own words.
    let takes_up = words(&decision.question).intersection(&words(text)).count() >= SHARED_WORDS_MIN;
    // Thanks at the end of a talk answer nothing that was left open in it.
    let thanks = THANKS.iter().any(|word| folded.contains(word));
    let clear = begins || takes_up || signals.feedback == Some(Feedback::Positive) && !thanks;
    clear.then(|| Action::ResolveDecision { decision: decision.id.clone(), answer: text.to_owned() })
}

fn is_new_business(cue: &Cue) -> bool {
    matches!(cue, Cue::Switch { .. } | Cue::Request { .. })
}

/// An answer that shares fewer words with its question may be about something else.
const SHARED_WORDS_MIN: usize = 2;

/// How a talk is closed.
const THANKS: &[&str] = &["thank", "thanks", "bye", "谢谢", "多谢", "感谢", "辛苦", "再见"];

/// How a clear answer begins.
const ANSWERS: &[&str] = &[
    "好",
    "可以",
    "行",
    "同意",
    "确认",
    "没问题",
    "是的",
    "对",
    "要",
    "不要",
    "不用",
    "不行",
    "不可以",
    "不同意",
    "就",
    "用",
    "选",
    "按",
    "第一",
    "第二",
    "第三",
    "方案",
    "都可以",
    "yes",
    "no",
    "ok",
    "okay",
    "sure",
    "go ahead",
    "confirmed",
    "approved",
    "agreed",
    "use ",
    "option",
    "the first",
    "the second",
    "please do",
    "do it",
];

/// Who an agent asks when it asks without a name.
const ASKED_USER: &str = "user";

/// The question an agent's reply ends on, if it asks for a decision and no other is open: each open question is carried in
/// every block until it is answered, so rules add no second one.
fn question(task: &Task, said: &Said<'_>) -> Option<Action> {
    if said.kind != Kind::Response || task.frames.iter().flat_map(|f| &f.decisions).any(|d| d.answer.is_none()) {
        return None;
    }
    let last = sentences(said.content).into_iter().next_back()?;
    let text = said.content.get(last)?.trim();
    let folded = fold(text);
    let asks = folded.ends_with('?') && text.chars().count() <= QUESTION_CHARACTERS_MAX;
    let decides = DECIDES.iter().any(|word| find_whole(&folded, word).is_some());
    let polite = POLITE.iter().any(|word| find_whole(&folded, word).is_some());
    let question = Action::AskDecision { question: text.to_owned(), who: Some(ASKED_USER.to_owned()) };
    (asks && decides && !polite).then_some(question)
}

/// What a question for a decision says.
const DECIDES: &[&str] = &[
    "是否",
    "要不要",
    "可以吗",
    "行吗",
    "好吗",
    "确认",
    "同意",
    "哪个",
    "哪种",
    "哪一",
    "还是",
    "需不需要",
    "要我",
    "谁",
    "怎么处理",
    "如何处理",
    "should i",
    "shall i",
    "would you like",
    "do you want",
    "which",
    "confirm",
    "who",
    "ok to",
    "okay to",
    "may i",
    "can i",
    "proceed",
];
/// What is said at the end of every reply and asks nothing.
const POLITE: &[&str] = &[
    "还需要",
    "还有什么",
    "其他",
    "别的",
    "有什么可以",
    "帮到",
    "anything else",
    "something else",
    "help you",
    "any questions",
    "further help",
    "more help",
];

/// What later steps need of a tool's result (SPEC 2.7).
fn result(task: &Task, said: &Said<'_>) -> Option<Action> {
    let frame = task.frame()?;
    let step = frame.current_step.as_ref().and_then(|id| frame.steps.iter().find(|s| s.id == *id));
    let focus: Vec<&str> = step.map(|s| s.text.as_str()).into_iter().collect();
    let text = extract(said.content, RESULT_CHARACTERS_MAX, &focus);
    let text = text.trim();
    let known = frame.latest_result.as_ref().is_some_and(|latest| latest.text == text);
    (!text.is_empty() && !known).then(|| Action::Result { text: text.to_owned() })
}

/// Paths and links in a sentence that says that something was made.
fn artifacts(task: &Task, said: &Said<'_>, signals: &Signals) -> Vec<Action> {
    let mut actions: Vec<Action> = Vec::new();
    let sentences = sentences(said.content);
    let places = signals.entities.iter().filter(|e| matches!(e.kind, EntityKind::Path | EntityKind::Url));
    for entity in places {
        let Some(sentence) = sentences.iter().find(|s| s.start <= entity.span.start && entity.span.end <= s.end) else {
            continue;
        };
        let Some(text) = said.content.get(sentence.clone()) else { continue };
        let folded = fold(text);
        let made = MADE.iter().any(|word| find_whole(&folded, word).is_some());
        let unmade = UNMADE.iter().any(|word| find_whole(&folded, word).is_some());
        let known = task.frames.iter().flat_map(|f| &f.artifacts).any(|a| a.locator == entity.text);
        let action = Action::Artifact { locator: entity.text.clone(), description: None };
        if made && !unmade && !known && !actions.contains(&action) && actions.len() < ARTIFACTS_MAX {
            actions.push(action);
        }
    }
    actions
}

const MADE: &[&str] = &[
    "已保存",
    "保存到",
    "保存在",
    "已生成",
    "生成了",
    "已写入",
    "写入了",
    "写到了",
    "已导出",
    "导出到",
    "已创建",
    "创建了",
    "输出到",
    "已上传",
    "上传到",
    "已发布",
    "存到",
    "存放在",
    "写好了",
    "写完了",
    "做好了",
    "导好了",
    "初稿在",
    "放在",
    "is in",
    "saved",
    "created",
    "wrote",
    "written to",
    "generated",
    "exported",
    "uploaded",
    "published",
    "stored",
];
const UNMADE: &[&str] = &[
    "没有",
    "未",
    "失败",
    "无法",
    "不能",
    "将",
    "准备",
    "打算",
    "如果",
    "是否",
    "not",
    "failed",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "will",
    "would",
    "if",
    "going to",
    "should",
];

/// The list in a plan, where the frame has no plan yet.
fn plan(task: &Task, said: &Said<'_>) -> Option<Action> {
    if !task.frame()?.steps.is_empty() {
        return None;
    }
    let steps: Vec<String> = said.content.lines().filter_map(imperative::list_entry).map(str::to_owned).collect();
    (steps.len() >= 2 && steps.len() <= PLAN_STEPS_MAX).then_some(Action::Plan { steps })
}
