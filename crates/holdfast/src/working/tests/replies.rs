//! What a model may answer instead of an update, and what is said to it.

use super::*;

fn check(reply: &str, expected: &str) {
    let got = match parse_update(reply) {
        Ok(update) => {
            format!("ok: {}", update.actions.iter().map(Action::name).collect::<Vec<_>>().join(", "))
        }
        Err(problem) => problem.to_string(),
    };
    assert_eq!(got, expected);
}

#[test]
fn an_update_is_found_bare_fenced_or_in_prose() {
    let json = r#"{"actions":[{"action":"complete_step","result":"共12条"},{"action":"next_step"}]}"#;
    check(json, "ok: complete_step, next_step");
    check(&format!("数据收集完了 {{见表}}。\n```json\n{json}\n```\n下一步写初稿。"), "ok: complete_step, next_step");
    check(&format!("Done. {json} Moving on."), "ok: complete_step, next_step");
    check(&format!("{json}\n{json}"), "ok: complete_step, next_step");
}

#[test]
fn what_is_wrong_is_said() {
    check("", "the reply is empty: an update as JSON is due, {\"actions\":[…]}");
    check("好的，已经完成。", "the reply has no JSON object with \"actions\": end it with {\"actions\":[…]}");
    check(
        r#"{"actions":[{"action":"next_step"}"#,
        "the JSON of the update breaks off or is malformed: EOF while parsing a list at line 1 column 34",
    );
    check(
        r#"{"actions":[{"action":"next_step"},{"action":"delete_all"}]}"#,
        "action 2 of the update: unknown variant `delete_all`, expected one of `set_goal`, `plan`, `complete_step`, \
         `next_step`, `add_constraint`, `add_task_constraint`, `amend_constraint`, `retract_constraint`, `result`, `push_subtask`, `pop_subtask`, \
         `conclude`, `supersede`, `ask_decision`, `resolve_decision`, `warn`, `clear_warning`, `artifact`, `set_stage`, \
         `add_fact`, `set_item`, `set_status`, `set_due`, `end`",
    );
    check(
        r#"{"actions":[{"action":"conclude","text":1}]}"#,
        "action 1 of the update: invalid type: integer `1`, expected a string",
    );
    check(r#"{"actions":"all","x":1}"#, "the update is not valid: invalid type: string \"all\", expected a sequence");
    check(
        r#"{"actions":[{"action":"next_step"}]} or {"actions":[{"action":"conclude","text":"x"}]}"#,
        "the reply has 2 different updates: give exactly one",
    );
    check(&"{".repeat(100_000), "the reply has no JSON object with \"actions\": end it with {\"actions\":[…]}");
}
