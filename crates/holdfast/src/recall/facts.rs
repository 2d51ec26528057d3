//! Task facts that bear on a question: the short-term layer, searched on demand (SPEC 2.8).

use std::collections::BTreeSet;

use super::plan::Plan;
use crate::text::index_terms;
use crate::types::query::{Found, Hit};
use crate::types::task::Task;

/// The share of the question's weight that a fact must have.
const SHARE_MIN: f32 = 0.2;

/// The facts of a live task that answer, best first; those that no longer hold only in a history.
pub fn facts(plan: &Plan, task: &Task, limit: usize) -> Vec<Hit> {
    if !task.status.is_live() {
        return Vec::new();
    }
    let total: f32 = plan.terms.iter().map(|term| term.weight).sum::<f32>() + f32::EPSILON;
    let mut hits: Vec<Hit> = task
        .facts
        .iter()
        .filter(|fact| fact.valid || plan.history)
        .filter_map(|fact| {
            let said: BTreeSet<String> = index_terms(&fact.text).into_iter().collect();
            let matched = plan.terms.iter().filter(|term| said.contains(&term.text));
            let found = matched.clone().any(|term| term.finds);
            let score = matched.map(|term| term.weight).sum::<f32>() / total;
            let found = found && score >= SHARE_MIN;
            found.then(|| Hit {
                found: Found::Fact {
                    task: task.id.clone(),
                    id: fact.id.clone(),
                    text: fact.text.clone(),
                    source: fact.source,
                    valid: fact.valid,
                },
                score,
            })
        })
        .collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(limit);
    hits
}
