//! The example stories, told to an engine: right tasks, right states, nothing refused.

use holdfast::types::scope::Owner;
use holdfast::types::task::Task;

use crate::{engine, replay};

fn tasks(engine: &holdfast::engine::Engine, user: &str, agent: &str) -> Vec<Task> {
    let owner = Owner { user: user.parse().unwrap(), agent: agent.parse().unwrap(), ..Owner::default() };
    engine.tasks(&owner, 100).unwrap()
}

#[test]
fn the_weekly_report_ends_where_it_can_be_taken_up() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine(directory.path());
    for observed in replay(&engine, "weekly-report.jsonl") {
        println!(
            "{:>3} {:<12} {:<30} {:?} {:?} {:?}{}",
            observed.seq.0,
            observed.task.as_ref().map_or("-", |t| t.as_str()),
            observed.attribution,
            observed.changes,
            observed.overturned,
            observed.redactions.iter().map(|r| r.label.as_str()).collect::<Vec<_>>(),
            observed.refused_update.map_or_else(String::new, |why| format!(" REFUSED {why}")),
        );
    }
    let tasks = tasks(&engine, "林悦", "小北");
    for task in &tasks {
        println!("{}", serde_json::to_string_pretty(task).unwrap());
    }
    let mut dump = Vec::new();
    engine.dump(&mut dump).unwrap();
    assert_eq!(tasks.iter().map(|t| t.title.as_str()).collect::<Vec<_>>(), vec![""]);
}
