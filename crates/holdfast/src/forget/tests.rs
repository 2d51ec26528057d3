use jiff::civil::date;
use serde_json::json;
use uuid::Uuid;

use super::{Gone, placeholders, sources, without};
use crate::types::ids::{EventId, OperationId, RunId};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::scope::{Owner, ScopeId};
use crate::types::task::Task;

fn event(number: u128) -> EventId {
    EventId(Uuid::from_u128(number))
}

fn gone(texts: &[&str]) -> Gone {
    Gone::new([event(1)], texts.iter().copied())
}

#[test]
fn a_text_tells_what_has_a_sentence_of_it_or_is_a_part_of_it() {
    let told = [
        ("我住在余杭区文一西路969号。下周搬家。", "用户说：我住在余杭区文一西路969号"),
        ("我住在余杭区文一西路969号。下周搬家。", "余杭区文一西路969号"),
        ("My flat is at 12 Elm Street. I move next week.", "The user said: My flat is at 12 Elm Street."),
        ("My flat is at 12 Elm Street. I move next week.", "12 Elm Street"),
        ("好的", "好的。"),
    ];
    for (said, text) in told {
        assert!(gone(&[said]).tells(text), "{said} / {text}");
    }
    let untold = [
        ("我住在余杭区文一西路969号。", "余杭区今天下雨，路上小心"),
        ("好的", "好的，我这就去办周报"),
        ("ok", "ok, the report is on its way"),
        ("My flat is at 12 Elm Street.", "The elm street runs north of here"),
        ("", "anything"),
    ];
    for (said, text) in untold {
        assert!(!gone(&[said]).tells(text), "{said} / {text}");
    }
}

#[test]
fn a_line_of_the_journal_is_known_by_its_event_its_cause_and_its_words() {
    let line = |target, cause, reason: &str, after| Operation {
        id: OperationId(Uuid::from_u128(9)),
        at: jiff::Timestamp::UNIX_EPOCH,
        actor: "user".to_owned(),
        verb: Verb::Update,
        target,
        owner: Owner::default(),
        before: None,
        after,
        reason: reason.to_owned(),
        cause,
        run: RunId(Uuid::from_u128(8)),
    };
    let gone = gone(&["密码本在左边第三个抽屉里"]);
    let task = Target::Task(ScopeId::default());
    let deep = json!({"frames": [{"steps": [{"text": "去左边第三个抽屉里拿"}]}]});
    assert!(gone.is_told_by(&line(Target::Event(event(1)), None, "said", None)));
    assert!(gone.is_told_by(&line(task.clone(), Some(event(1)), "add_step s1", None)));
    assert!(gone.is_told_by(&line(task.clone(), None, "密码本在左边第三个抽屉里", None)));
    assert!(!gone.is_told_by(&line(task.clone(), Some(event(2)), "add_step s1", Some(deep))));
    let same = json!({"frames": [{"steps": [{"text": "记住：密码本在左边第三个抽屉里。"}]}]});
    assert!(gone.is_told_by(&line(task, Some(event(2)), "add_step s1", Some(same))));
}

/// Every element that came from event 1 goes, whatever it is; the others stay as they are.
#[test]
fn a_task_is_as_if_the_event_had_never_been() {
    let wording = |n: u32| json!({"text": format!("wording {n}"), "source": event(u128::from(n))});
    let element = |id: &str, n: u32| json!({"id": id, "text": format!("element {id} of event {n}"), "source": event(u128::from(n))});
    let with = |mut value: serde_json::Value, more: serde_json::Value| {
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value
    };
    let at = date(2026, 11, 9).at(9, 12, 0, 0).in_tz("UTC").unwrap();
    let task = json!({
        "id": "t", "owner": Owner::default(), "title": "周报", "status": "open", "phase": "ready",
        "items": [{"id": "i1", "name": "启明", "status": "open", "source": event(1)},
                  {"id": "i2", "name": "华星", "status": "open", "note": "改到周四", "source": event(2)}],
        "facts": [with(element("f1", 1), json!({"valid": true})), with(element("f2", 2), json!({"valid": true}))],
        "frames": [{
            "id": "root", "goal": element("g1", 1),
            "constraints": [
                with(element("c1", 1), json!({"in_force": true})),
                with(element("c2", 2), json!({"in_force": false, "retracted": wording(1)})),
                with(element("c3", 2), json!({"in_force": true, "amended_from": [wording(1), wording(3)]})),
            ],
            "steps": [with(element("s1", 1), json!({"status": "doing"})), with(element("s2", 2), json!({"status": "todo"}))],
            "current_step": "s1",
            "latest_result": with(element("r1", 2), json!({"step": "s1"})),
            "conclusions": [with(element("k1", 2), json!({"valid": false, "superseded_by": "k2"})),
                            with(element("k2", 1), json!({"valid": true}))],
            "decisions": [{"id": "d1", "question": "q", "source": event(2), "answer": wording(1)}],
            "warnings": [with(element("w1", 1), json!({"cleared": false}))],
            "artifacts": [{"id": "a1", "locator": "reports/1.md", "source": event(1)},
                          {"id": "a2", "locator": "reports/2.md", "step": "s1", "source": event(2)}],
            "stage_summaries": [element("m1", 1), element("m2", 2)],
            "outcomes": [{"id": "o1", "goal": "g", "outcome": "x", "success": true, "source": event(1)}],
        }],
        "opened_at": at.to_string(), "last_activity": at.to_string(), "version": 3, "next_element": 9,
    });
    let task: Task = serde_json::from_value(task).unwrap();
    assert_eq!(sources(&task), [event(1), event(2), event(3)].into());
    let rest = without(&task, &Gone::new([event(1)], []));
    assert_eq!(sources(&rest), [event(2), event(3)].into());
    let frame = &rest.frames[0];
    assert!(frame.constraints[0].in_force, "taken back by what is gone, c2 is in force");
    assert_eq!((frame.constraints.len(), frame.constraints[1].amended_from.len()), (2, 1));
    assert_eq!((frame.steps.len(), &frame.current_step), (1, &None));
    assert_eq!((frame.latest_result.as_ref().unwrap().step.is_none(), frame.artifacts[0].step.is_none()), (true, true));
    assert_eq!((frame.conclusions.len(), &frame.conclusions[0].superseded_by), (1, &None));
    assert!(frame.decisions[0].answer.is_none());
    assert_eq!((rest.items.len(), rest.facts.len(), frame.stage_summaries.len()), (1, 1, 1));
    assert_eq!(without(&task, &Gone::new([event(7)], [])), task, "of another event it knows nothing");
    assert_eq!(without(&task, &Gone::new([event(7)], ["改到周四"])).items[1].note, None);
}

#[test]
fn placeholders_are_found_without_their_marks() {
    let found: Vec<_> = placeholders("卡号 «card:7f3a9c2e41d0»，电话«phone:1» and « open").collect();
    assert_eq!(found, ["card:7f3a9c2e41d0", "phone:1"]);
}
