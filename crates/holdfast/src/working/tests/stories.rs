//! The example stories through the rules alone, without the tasks and updates that their agents told: what talk by itself
//! does to tasks.

use serde_json::Value;

use super::*;
use crate::signals::{self, Lexicon};
use crate::types::event::{Kind, Source, Trust};
use crate::types::scope::TaskId;

/// Replays a story. Returns the tasks, and for each line that says so where it went.
fn replay(story: &str) -> (Vec<Task>, Vec<String>) {
    let path = format!("{}/../../examples/{story}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut tasks: Vec<Task> = Vec::new();
    let mut current: Option<TaskId> = None;
    let mut log = Vec::new();
    for (n, line) in std::fs::read_to_string(path).unwrap().lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| row[key].as_str().unwrap_or_default();
        let (source, kind) = (Source::from_word(word("source")).unwrap(), Kind::from_word(word("kind")).unwrap());
        let at = crate::types::moment::parse(word("occurred_at")).unwrap();
        let content = word("content");
        let signals = signals::read(content, &at, source, Lexicon::builtin());
        let given = Given { task: None, session_task: current.as_ref(), source, kind, text: content };
        let to = attribute(&tasks, &given, &signals).to;
        let source_id = event(n as u128 + 100);
        let id = match &to {
            Attributed::Opens { title, names } => {
                let id = TaskId::new(title.clone()).unwrap();
                let mut task = open(id.clone(), Owner::default(), title.clone(), None, source_id, &at);
                task.names = names.clone();
                tasks.push(task);
                log.push(format!("{n} opens {title}"));
                current = Some(id.clone());
                Some(id)
            }
            Attributed::SwitchTo(id) => {
                log.push(format!("{n} switches to {id}"));
                current = Some(id.clone());
                Some(id.clone())
            }
            Attributed::Aside(id) => {
                log.push(format!("{n} aside on {id}"));
                Some(id.clone())
            }
            other => other.task().cloned(),
        };
        let Some(task) = id.and_then(|id| tasks.iter_mut().find(|task| task.id == id)) else { continue };
        let trust = if source == Source::Tool { Trust::Untrusted } else { Trust::Trusted };
        if let Some(update) = absorb(task, &Said { source, kind, trust, content }, &signals) {
            *task = apply(task, &update, source_id, &at).unwrap().task;
        }
    }
    (tasks, log)
}

fn constraints(task: &Task) -> Vec<&str> {
    task.visible_constraints().into_iter().map(|(_, constraint)| constraint.text.as_str()).collect()
}

#[test]
fn three_weeks_of_reports_and_a_migration() {
    let (tasks, log) = replay("weekly-report");
    assert_eq!(
        log,
        [
            "0 opens 周报",
            "16 opens CRM 数据迁移",
            "22 switches to 周报",
            "26 switches to CRM 数据迁移",
            "31 switches to 周报",
            "36 aside on CRM 数据迁移",
            "44 switches to CRM 数据迁移",
            "48 switches to 周报",
        ]
    );
    let [report, migration] = tasks.as_slice() else { panic!("{} tasks", tasks.len()) };
    assert_eq!(constraints(migration), ["迁移期间老系统不能停"]);
    let report_constraints = constraints(report);
    for part in ["先写结论", "控制在一页", "别用下单时间", "华星的报价不要写进去"] {
        assert!(report_constraints.iter().any(|text| text.contains(part)), "{part}: {report_constraints:#?}");
    }
    let items: Vec<_> = report.items.iter().map(|item| (item.name.as_str(), item.status)).collect();
    assert_eq!(
        items,
        [
            ("启明", ItemStatus::Cancelled),
            ("和华星的评审", ItemStatus::Postponed),
            ("云岫民宿的合同", ItemStatus::Paused)
        ]
    );
    assert!(report.facts.iter().any(|fact| fact.text.contains("2.8%")));
    let artifacts: Vec<&str> = report.frame().unwrap().artifacts.iter().map(|a| a.locator.as_str()).collect();
    assert!(artifacts.contains(&"reports/2026-W48-draft.md"), "{artifacts:?}");
}

#[test]
fn a_migration_and_release_notes_in_english() {
    let (tasks, log) = replay("migration");
    insta::assert_snapshot!(log.join("\n"), @r#"
    0 opens database migration
    6 opens release notes for 4.2
    8 switches to database migration
    17 switches to release notes for 4.2
    "#);
    let all: Vec<&str> = tasks.iter().flat_map(constraints).collect();
    insta::assert_snapshot!(all.join("\n"), @r#"
    Cutover has to be done by Friday the 23rd
    always give me the rollback command together with any change you propose
    Don't drop anything on the old box until finance has signed off
    "#);
}
