//! A task as a person reads it, in the language its title and goal are in. Ids stay: updates name elements by them.

use holdfast::text::main_language;
use holdfast::types::frame::{Frame, StepStatus};
use holdfast::types::signals::Language;
use holdfast::types::task::{Closing, Item, Task};

use crate::commands::look::shown;

pub fn text(task: &Task) -> String {
    let goal = task.frames.first().and_then(|frame| frame.goal.as_ref()).map(|goal| goal.text.as_str());
    let goal = goal.or(task.closing.as_ref().and_then(|closing| closing.goal.as_deref())).unwrap_or_default();
    let words = Words(main_language(&format!("{} {goal}", task.title)));
    let title = if task.title == task.id.as_str() { String::new() } else { format!("  {}", task.title) };
    let mut lines = vec![
        format!(
            "{}{title}  ({}, {} {})",
            task.id,
            words.state(task.status.as_str()),
            words.of("version", "版本"),
            task.version
        ),
        format!(
            "{} {}, {} {}",
            words.of("opened", "开始于"),
            shown(&task.opened_at),
            words.of("last activity", "最近活动"),
            shown(&task.last_activity)
        ),
    ];
    for (depth, frame) in task.frames.iter().enumerate() {
        if depth > 0 {
            lines.push(format!("{} {depth}", words.of("subtask", "子任务")));
        }
        lines.extend(words.frame(frame));
    }
    lines.extend(task.items.iter().map(|item| words.item(item)));
    lines.extend(
        task.facts
            .iter()
            .filter(|fact| fact.valid)
            .map(|fact| words.element(&fact.id.0, words.of("fact", "事实"), &fact.text)),
    );
    lines.extend(task.closing.iter().flat_map(|closing| words.closing(closing)));
    lines.join("\n")
}

struct Words(Language);

impl Words {
    fn of(&self, en: &'static str, zh: &'static str) -> &'static str {
        match self.0 {
            Language::Zh => zh,
            Language::En => en,
        }
    }

    fn element(&self, id: &str, what: &str, text: &str) -> String {
        format!("  {id:<4} {what}{}{text}", self.of(": ", "："))
    }

    fn aside(&self, text: &str) -> String {
        match self.0 {
            Language::Zh => format!("（{text}）"),
            Language::En => format!(" ({text})"),
        }
    }

    /// A status word of a task or an item.
    fn state<'a>(&self, word: &'a str) -> &'a str {
        match (self.0, word) {
            (Language::En, _) => word,
            (_, "open") => "进行中",
            (_, "paused") => "已暂停",
            (_, "postponed") => "已推迟",
            (_, "cancelled") => "已取消",
            (_, "done" | "success") => "已完成",
            (_, "failed" | "failure") => "未成功",
            (_, "abandoned") => "已放弃",
            _ => word,
        }
    }

    fn item(&self, item: &Item) -> String {
        let note = item.note.as_ref().map_or_else(String::new, |note| self.aside(note));
        let what = format!("{} [{}]", self.of("item", "事项"), self.state(item.status.as_str()));
        self.element(&item.id.0, &what, &format!("{}{note}", item.name))
    }

    fn frame(&self, frame: &Frame) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(frame.goal.as_ref().map(|goal| self.element(&goal.id.0, self.of("goal", "目标"), &goal.text)));
        lines.extend(frame.due.as_ref().map(|due| self.element(&due.id.0, self.of("moved to", "时间改到"), &due.text)));
        lines.extend(frame.stage.as_ref().map(|stage| self.element("", self.of("stage", "阶段"), stage)));
        for constraint in &frame.constraints {
            let mark = if constraint.in_force { String::new() } else { self.aside(self.of("retracted", "已撤回")) };
            lines.push(self.element(
                &constraint.id.0,
                self.of("constraint", "约束"),
                &format!("{}{mark}", constraint.text),
            ));
        }
        for warning in frame.warnings.iter().filter(|warning| !warning.cleared) {
            lines.push(self.element(&warning.id.0, self.of("warning", "注意"), &warning.text));
        }
        for step in &frame.steps {
            let mark = match step.status {
                StepStatus::Todo => " ",
                StepStatus::Doing => ">",
                StepStatus::Done => "x",
                StepStatus::Skipped | StepStatus::Cancelled => "-",
            };
            let result = step.result.as_ref().map_or_else(String::new, |result| format!(" → {result}"));
            lines.push(format!("  {:<4} [{mark}] {}{result}", step.id.0, step.text));
        }
        for decision in &frame.decisions {
            let who = decision.who.as_ref().map_or_else(String::new, |who| self.aside(who));
            let answer = decision.answer.as_ref().map_or(self.of("open", "待定"), |answer| answer.text.as_str());
            let question = format!("{}{who} → {answer}", decision.question);
            lines.push(self.element(&decision.id.0, self.of("decision", "决定"), &question));
        }
        lines.extend(
            frame
                .latest_result
                .as_ref()
                .map(|result| self.element(&result.id.0, self.of("latest result", "最近结果"), &result.text)),
        );
        for conclusion in &frame.conclusions {
            let mark = match (&conclusion.superseded_by, conclusion.valid) {
                (Some(by), _) => self.aside(&format!("{} {by}", self.of("superseded by", "已作废，改为"))),
                (None, false) => self.aside(self.of("no longer valid", "已作废")),
                (None, true) => String::new(),
            };
            let text = format!("{}{mark}", conclusion.text);
            lines.push(self.element(&conclusion.id.0, self.of("conclusion", "结论"), &text));
        }
        for summary in &frame.stage_summaries {
            let stage = summary.stage.as_ref().map_or_else(String::new, |stage| self.aside(stage));
            let what = format!("{}{stage}", self.of("stage done", "阶段小结"));
            lines.push(self.element(&summary.id.0, &what, &summary.text));
        }
        for artifact in &frame.artifacts {
            let description = artifact.description.as_ref().map_or_else(String::new, |text| self.aside(text));
            let text = format!("{}{description}", artifact.locator);
            lines.push(self.element(&artifact.id.0, self.of("artifact", "产出"), &text));
        }
        for outcome in &frame.outcomes {
            let text = format!("{} → {}", outcome.goal, outcome.outcome);
            lines.push(self.element(&outcome.id.0, self.of("subtask", "子任务"), &text));
        }
        lines
    }

    fn closing(&self, closing: &Closing) -> Vec<String> {
        let reason = closing.reason.as_ref().map_or_else(String::new, |reason| self.aside(reason));
        let mut lines =
            vec![format!("{} {}{reason}", self.of("ended:", "结束："), self.state(closing.outcome.as_str()))];
        let mut add = |what: &str, text: &str| lines.push(self.element("", what, text));
        closing.goal.iter().for_each(|text| add(self.of("goal", "目标"), text));
        closing.stage.iter().for_each(|text| add(self.of("stage", "阶段"), text));
        closing.constraints.iter().filter(|c| c.in_force).for_each(|c| add(self.of("constraint", "约束"), &c.text));
        closing.done.iter().for_each(|text| add(self.of("done", "已完成"), text));
        closing.unfinished.iter().for_each(|text| add(self.of("not done", "未完成"), text));
        closing.open_decisions.iter().for_each(|text| add(self.of("not decided", "没定"), text));
        closing.latest_result.iter().for_each(|text| add(self.of("latest result", "最近结果"), text));
        closing.artifacts.iter().for_each(|artifact| add(self.of("artifact", "产出"), &artifact.locator));
        lines
    }
}
