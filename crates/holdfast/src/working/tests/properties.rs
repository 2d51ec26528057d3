//! Any sequence of updates keeps the invariants of working memory.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::types::frame::Frame;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["营收增长3.2%", "收集数据", "write it", "不超过500字", "x", "李总", "/tmp/a.md"])
            .prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => Just(String::new()),
    ]
}

fn ids(kind: &'static str) -> impl Strategy<Value = ElementId> {
    (1_u32..24).prop_map(move |n| ElementId(format!("{kind}{n}")))
}

fn beliefs() -> impl Strategy<Value = ElementId> {
    prop_oneof![ids("k"), ids("f"), ids("r")]
}

fn statuses() -> impl Strategy<Value = ItemStatus> {
    prop::sample::select(ItemStatus::ALL)
}

fn actions() -> impl Strategy<Value = Action> {
    let step_status = prop::sample::select(vec![
        StepStatus::Done,
        StepStatus::Done,
        StepStatus::Skipped,
        StepStatus::Cancelled,
        StepStatus::Todo,
    ]);
    prop_oneof![
        1 => texts().prop_map(|text| Action::SetGoal { text }),
        1 => prop::collection::vec(texts(), 0..4).prop_map(|steps| Action::Plan { steps }),
        1 => (prop::option::of(ids("s")), prop::option::of(step_status), prop::option::of(texts()))
            .prop_map(|(step, status, result)| Action::CompleteStep { step, status, result }),
        3 => prop::option::weighted(0.3, ids("s")).prop_map(|step| Action::NextStep { step }),
        1 => texts().prop_map(|text| Action::AddConstraint { text }),
        1 => texts().prop_map(|text| Action::AddTaskConstraint { text }),
        1 => (ids("c"), texts()).prop_map(|(constraint, text)| Action::AmendConstraint { constraint, text }),
        1 => (ids("c"), texts()).prop_map(|(constraint, reason)| Action::RetractConstraint { constraint, reason }),
        1 => texts().prop_map(|text| Action::Result { text }),
        1 => (texts(), prop::collection::vec(texts(), 0..3)).prop_map(|(goal, steps)| Action::PushSubtask { goal, steps }),
        1 => (texts(), any::<bool>()).prop_map(|(outcome, success)| Action::PopSubtask { outcome, success }),
        2 => texts().prop_map(|text| Action::Conclude { text }),
        2 => (beliefs(), prop::option::of(texts())).prop_map(|(old, text)| Action::Supersede { old, text }),
        1 => texts().prop_map(|question| Action::AskDecision { question, who: None }),
        1 => (ids("d"), texts()).prop_map(|(decision, answer)| Action::ResolveDecision { decision, answer }),
        1 => texts().prop_map(|text| Action::Warn { text }),
        1 => ids("w").prop_map(|warning| Action::ClearWarning { warning }),
        1 => texts().prop_map(|locator| Action::Artifact { locator, description: None }),
        1 => (texts(), prop::option::of(texts())).prop_map(|(stage, summary)| Action::SetStage { stage, summary }),
        1 => texts().prop_map(|text| Action::AddFact { text }),
        1 => (texts(), statuses()).prop_map(|(name, status)| Action::SetItem { name, status, note: None }),
        1 => statuses().prop_map(|status| Action::SetStatus { status }),
    ]
}

fn updates() -> impl Strategy<Value = Vec<Vec<Action>>> {
    prop::collection::vec(prop::collection::vec(actions(), 1..4), 1..40)
}

fn element_ids(task: &Task) -> Vec<ElementId> {
    let mut ids: Vec<ElementId> = Vec::new();
    for frame in &task.frames {
        ids.push(frame.id.clone());
        ids.extend(frame.goal.iter().map(|e| e.id.clone()));
        ids.extend(frame.constraints.iter().map(|e| e.id.clone()));
        ids.extend(frame.steps.iter().map(|e| e.id.clone()));
        ids.extend(frame.latest_result.iter().map(|e| e.id.clone()));
        ids.extend(frame.conclusions.iter().map(|e| e.id.clone()));
        ids.extend(frame.decisions.iter().map(|e| e.id.clone()));
        ids.extend(frame.warnings.iter().map(|e| e.id.clone()));
        ids.extend(frame.artifacts.iter().map(|e| e.id.clone()));
        ids.extend(frame.stage_summaries.iter().map(|e| e.id.clone()));
        ids.extend(frame.outcomes.iter().map(|e| e.id.clone()));
        ids.extend(frame.outcomes.iter().flat_map(|o| &o.artifacts).map(|e| e.id.clone()));
    }
    ids.extend(task.items.iter().map(|e| e.id.clone()));
    ids.extend(task.facts.iter().map(|e| e.id.clone()));
    ids
}

/// The constraints of every frame that is still there, and of the closing.
fn constraints(task: &Task) -> BTreeSet<ElementId> {
    let closed = task.closing.iter().flat_map(|closing| &closing.constraints);
    task.frames.iter().flat_map(|f| &f.constraints).chain(closed).map(|c| c.id.clone()).collect()
}

fn holds(task: &Task) -> Result<(), TestCaseError> {
    prop_assert_eq!(task.frames.is_empty(), !task.status.is_live());
    prop_assert!(task.frames.len() <= FRAME_DEPTH_MAX);
    for frame in &task.frames {
        let doing: Vec<_> = frame.steps.iter().filter(|s| s.status == StepStatus::Doing).map(|s| &s.id).collect();
        prop_assert_eq!(doing, frame.current_step.iter().collect::<Vec<_>>());
    }
    let ids = element_ids(task);
    prop_assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id occurs twice: {:?}", ids);
    // What is invalid and was replaced names something.
    for fact in &task.facts {
        prop_assert!(!fact.valid || fact.superseded_by.is_none());
    }
    let json = serde_json::to_string(task).unwrap();
    prop_assert_eq!(&serde_json::from_str::<Task>(&json).unwrap(), task);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_updates_keeps_the_invariants(updates in updates()) {
        let mut task = task();
        for (n, actions) in updates.into_iter().enumerate() {
            let before = task.clone();
            let update = update(actions);
            match apply(&task, &update, event(n as u128 + 2), &at(1)) {
                Err(_) => prop_assert_eq!(&task, &before),
                Ok(applied) => {
                    prop_assert_eq!(applied.task.version, before.version + 1);
                    // Of the frames still there, no constraint is gone.
                    let pops = update.actions.iter().any(|a| matches!(a, Action::PopSubtask { .. }));
                    let ends = !before.status.is_live() || update.actions.iter().any(|a| {
                        matches!(a, Action::SetStatus { status: ItemStatus::Done | ItemStatus::Cancelled })
                    });
                    let kept = constraints(&applied.task);
                    let owed: BTreeSet<ElementId> = if pops || ends {
                        let root = before.frames.first().map(|f| f.constraints.clone());
                        root.or(before.closing.map(|c| c.constraints)).into_iter().flatten().map(|c| c.id).collect()
                    } else {
                        constraints(&before)
                    };
                    prop_assert!(owed.is_subset(&kept), "lost {:?}", owed.difference(&kept));
                    task = applied.task;
                }
            }
            holds(&task)?;
        }
    }

    #[test]
    fn a_pop_restores_the_parent_but_for_the_outcome(before in updates(), within in updates()) {
        let mut task = task();
        for actions in before {
            if let Ok(applied) = apply(&task, &update(actions), event(2), &at(1)) {
                task = applied.task;
            }
        }
        let Ok(applied) = apply(&task, &update(vec![push("子任务")]), event(3), &at(1)) else { return Ok(()) };
        let depth = task.frames.len();
        let mut child = applied.task;
        for action in within.into_iter().flatten() {
            // These reach into parents on purpose.
            if matches!(
                action,
                Action::Supersede { .. } | Action::ResolveDecision { .. } | Action::AddTaskConstraint { .. }
            ) {
                continue;
            }
            if let Ok(applied) = apply(&child, &update(vec![action]), event(4), &at(1))
                && applied.task.frames.len() > depth
            {
                child = applied.task;
            }
        }
        while child.frames.len() > depth {
            child = done(&child, vec![pop("好了")]).task;
        }
        let without_outcomes = |frames: &[Frame]| -> Vec<Frame> {
            frames.iter().cloned().map(|frame| Frame { outcomes: Vec::new(), ..frame }).collect()
        };
        prop_assert_eq!(without_outcomes(&child.frames), without_outcomes(&task.frames));
        let gained = child.frames[depth - 1].outcomes.len() - task.frames[depth - 1].outcomes.len();
        prop_assert!(gained >= 1);
    }
}
