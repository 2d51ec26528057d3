//! What the OpenAPI document says of answers, held against the answers of a server that has something to tell: each field that comes is
//! described, each that is promised comes, and is what it is said to be.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Place;
use crate::serve::Server;

/// The document, and which of its operations were answered and which parts of it were met in the answers.
struct Checked {
    document: Value,
    operations: BTreeSet<String>,
    met: BTreeSet<String>,
}

impl Checked {
    /// Every place where a value is not as its schema says.
    fn faults(&mut self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap().to_owned();
            let target = self.document["components"]["schemas"][&name].clone();
            assert!(target.is_object(), "{name} is referred to and not described");
            let faults = self.faults(&target, value, at);
            if faults.is_empty() {
                self.met.insert(name);
            }
            return faults;
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let tried: Vec<Vec<String>> = choices.iter().map(|choice| self.faults(choice, value, at)).collect();
            return match tried.iter().filter(|faults| faults.is_empty()).count() {
                1 => Vec::new(),
                0 => tried.into_iter().min_by_key(Vec::len).unwrap_or_default(),
                many => vec![format!("{at}: {many} of the choices fit {value}")],
            };
        }
        let is = |kind: &str| match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("{at}: the type {other}"),
        };
        let is_of_type = match &schema["type"] {
            Value::Null => true,
            Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
            kind => is(kind.as_str().unwrap()),
        };
        if !is_of_type {
            return vec![format!("{at}: {value} is not of the type {}", schema["type"])];
        }
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            return vec![format!("{at}: {value} is none of {words:?}")];
        }
        match value {
            Value::Array(items) => {
                let each = |n: usize| {
                    if schema["prefixItems"].is_array() { &schema["prefixItems"][n] } else { &schema["items"] }
                };
                items
                    .iter()
                    .enumerate()
                    .flat_map(|(n, item)| self.faults(each(n), item, &format!("{at}[{n}]")))
                    .collect()
            }
            Value::Object(fields) if schema["type"] == "object" => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let mut faults: Vec<String> = required
                    .filter(|name| !fields.contains_key(*name))
                    .map(|name| format!("{at}: {name} is missing"))
                    .collect();
                for (name, field) in fields {
                    let at = format!("{at}.{name}");
                    match (&schema["properties"][name], &schema["additionalProperties"]) {
                        (Value::Null, Value::Null) => faults.push(format!("{at} is not described")),
                        (Value::Null, of_each) => faults.extend(self.faults(of_each, field, &at)),
                        (described, _) => faults.extend(self.faults(described, field, &at)),
                    }
                }
                faults
            }
            _ => Vec::new(),
        }
    }

    #[track_caller]
    fn check(&mut self, server: &Server, method: &str, route: &str, id: &str, query: &str, body: &Value) -> Value {
        let operation = self.document["paths"][route][method.to_lowercase()].clone();
        assert!(operation.is_object(), "{method} {route} is not described");
        let path = format!("{}?user=%E6%9E%97%E6%82%A6&agent=%E5%B0%8F%E5%8C%97&{query}", route.replace("{id}", id));
        let headers = [("content-type", "application/json")];
        let answer = server.ask(method, &path, &headers, body.to_string().as_bytes());
        let told = &operation["responses"][answer.status.to_string()];
        assert!(told.is_object(), "{method} {route}: {} is not described: {}", answer.status, answer.text);
        let schema = told["content"]["application/json"]["schema"].clone();
        let value = answer.json();
        let faults = self.faults(&schema, &value, route);
        assert!(faults.is_empty(), "{method} {route}: {faults:#?}");
        self.operations.insert(operation["operationId"].as_str().unwrap().to_owned());
        value
    }
}

#[test]
fn answers_are_what_the_document_says() {
    let place = Place::told("weekly-report.jsonl");
    let server = Server::start(&place, &[]);
    let document = server.get("/openapi.json").is(200);
    let mut checked = Checked { document, operations: BTreeSet::new(), met: BTreeSet::new() };
    let none = json!({});
    macro_rules! check {
        ($method:literal $route:literal) => {
            checked.check(&server, $method, $route, "", "", &none)
        };
        ($method:literal $route:literal, id $id:expr) => {
            checked.check(&server, $method, $route, &$id, "", &none)
        };
        ($method:literal $route:literal, query $query:expr) => {
            checked.check(&server, $method, $route, "", $query, &none)
        };
        ($method:literal $route:literal, $body:expr) => {
            checked.check(&server, $method, $route, "", "", &$body)
        };
        ($method:literal $route:literal, id $id:expr, $body:expr) => {
            checked.check(&server, $method, $route, &$id, "", &$body)
        };
        ($method:literal $route:literal, query $query:expr, $body:expr) => {
            checked.check(&server, $method, $route, "", $query, &$body)
        };
    }
    let id_of = |value: &Value| value["id"].as_str().unwrap().to_owned();

    let said = json!({
        "content": "周报改到周五上午发，退货率不是3.2%，是2.8%，卡号 4111 1111 1111 1111", "occurred_at": "2026-11-09T09:00:00+08:00",
        "metadata": { "channel": "会议" }, "idempotency_key": "一次",
    });
    let event = id_of(&check!("POST" "/v1/events", said));
    check!("POST" "/v1/events", said);
    check!("POST" "/v1/events", json!({ "content": "From now on, always answer in bullet points" }));
    check!("POST" "/v1/events", json!({ "content": "更正：应该是41分钟" }));
    check!("GET" "/v1/events");
    check!("GET" "/v1/events/{id}", id event);
    check!("GET" "/v1/events/{id}/history", id event);
    check!("POST" "/v1/events/{id}/restore", id event);

    let task = id_of(
        &check!("POST" "/v1/tasks", query "task=m12", json!({ "title": "数据库迁移", "constraints": ["不停机"] })),
    );
    let actions = json!({ "actions": [
        { "action": "plan", "steps": ["备份", "rehearse", "切换"] }, { "action": "next_step" },
        { "action": "complete_step", "result": "41 minutes" }, { "action": "next_step" }, { "action": "result", "text": "演练通过" },
        { "action": "push_subtask", "goal": "rehearse", "steps": ["copy"] }, { "action": "artifact", "locator": "plan.md" },
        { "action": "pop_subtask", "outcome": "works", "success": true }, { "action": "conclude", "text": "备份可用" },
        { "action": "add_fact", "text": "主库在杭州" }, { "action": "ask_decision", "question": "何时切换？", "who": "林悦" },
        { "action": "warn", "text": "周五封网" }, { "action": "set_item", "name": "备库", "status": "paused", "note": "等磁盘" },
        { "action": "set_stage", "stage": "演练" }, { "action": "set_stage", "stage": "切换", "summary": "演练通过" },
        { "action": "artifact", "locator": "runbook.md", "description": "怎么切" }, { "action": "set_due", "text": "周五" },
    ] });
    let updated = check!("POST" "/v1/tasks/{id}/updates", id task, actions);
    let frame = &updated["task"]["frames"][0];
    let (constraint, conclusion, decision) =
        (&frame["constraints"][0]["id"], &frame["conclusions"][0]["id"], &frame["decisions"][0]["id"]);
    let actions = json!({ "actions": [
        { "action": "amend_constraint", "constraint": constraint, "text": "停机不超过五分钟" },
        { "action": "supersede", "old": conclusion, "text": "备份不可用" },
        { "action": "resolve_decision", "decision": decision, "answer": "周日" },
        { "action": "retract_constraint", "constraint": constraint, "reason": "窗口批下来了" },
    ] });
    check!("POST" "/v1/tasks/{id}/updates", id task, actions);
    check!("GET" "/v1/tasks/{id}", id task);
    check!("POST" "/v1/recall", query "task=m12", json!({ "query": "主库在哪里", "explain": true, "history": true, "limit": 20 }));
    check!("POST" "/v1/recall", json!({ "query": "退货率", "explain": true, "history": true, "limit": 1 }));
    check!("POST" "/v1/recall", json!({ "query": "周报用什么格式" }));
    check!("POST" "/v1/context", query "task=m12", json!({ "query": "接着迁移", "step": true }));
    check!("POST" "/v1/context", json!({ "query": "接着把周报弄完", "budget_tokens": 300 }));
    checked.operations.insert("abandon_step".to_owned());
    server
        .post(&format!("/v1/tasks/{task}/abandon-step?user=%E6%9E%97%E6%82%A6&agent=%E5%B0%8F%E5%8C%97"), &none)
        .is(204);
    check!("POST" "/v1/tasks/{id}/end", id task, json!({ "outcome": "failure", "reason": "备份损坏" }));
    check!("GET" "/v1/tasks", query "all=true");

    let rule = json!({ "kind": "rule", "content": "迁移先备份", "applies": { "applies": "task_kind", "to": "迁移" }, "aliases": ["搬家"] });
    let memory = id_of(&check!("POST" "/v1/memories", rule));
    check!("POST" "/v1/memories/{id}/confirm", id memory, json!({ "reason": "是这样" }));
    check!("POST" "/v1/feedback", query "task=m12", json!({ "memories": [memory], "effect": "hurt" }));
    check!("POST" "/v1/memories/{id}/retract", id memory, json!({ "reason": "不再这样" }));
    check!("GET" "/v1/memories/{id}", id memory);
    check!("GET" "/v1/memories/{id}/history", id memory);
    check!("GET" "/v1/memories", query "status=all");
    // Not so telling that they are learned from at once.
    for said in ["My manager is Ana Petrova.", "Please remember: the audit copy goes to audit@example.org"] {
        check!("POST" "/v1/events", json!({ "content": said }));
        check!("POST" "/v1/events", json!({ "content": said, "source": "agent" }));
        check!("POST" "/v1/events", json!({ "content": said, "source": "tool" }));
    }
    check!("POST" "/v1/events", json!({ "content": "Forget what I said about the launch codes." }));
    check!("POST" "/v1/learn", json!({ "dry_run": true }));

    check!("POST" "/v1/manage", json!({ "policy": "aggressive", "force": true, "over_budget": true }));
    check!("POST" "/v1/archive", json!({ "older_than_days": 0 }));
    let journal = check!("GET" "/v1/journal");
    let operation = journal["operations"][0]["id"].clone();
    check!("POST" "/v1/undo", json!({ "operation": operation, "preview": true }));
    check!("POST" "/v1/undo", json!({ "to": "2026-01-01T00:00:00Z", "preview": true }));
    check!("GET" "/v1/journal/verify");
    check!("GET" "/v1/report");
    check!("GET" "/v1/status");
    check!("POST" "/v1/forget", json!({ "matching": "退货率" }));
    check!("POST" "/v1/forget", json!({ "events": [event], "how": "hide", "reason": "要求" }));
    check!("GET" "/v1/events/{id}", id event);
    check!("POST" "/v1/forget", json!({ "events": [event], "how": "unhide", "reason": "要求" }));
    let export = server.get("/v1/export?user=%E6%9E%97%E6%82%A6&agent=%E5%B0%8F%E5%8C%97").text;
    check!("POST" "/v1/forget", json!({ "events": [event], "how": "erase", "reason": "要求" }));
    check!("POST" "/v1/undo", json!({ "to": "2026-01-01T00:00:00Z", "preview": true, "with_dependants": true }));
    check!("GET" "/v1/report");
    let imported = server
        .ask(
            "POST",
            "/v1/import?user=%E6%9E%97%E6%82%A6&agent=%E5%B0%8F%E5%8C%97",
            &[],
            format!("{export}\n{{\"bad").as_bytes(),
        )
        .is(200);
    let schema =
        checked.document["paths"]["/v1/import"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
            .clone();
    assert_eq!(checked.faults(&schema, &imported, "/v1/import"), [""; 0]);

    // Every operation was answered, but for those that answer in lines.
    let in_lines = ["observe_lines", "journal_tail", "export", "import"];
    let paths =
        checked.document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let missing: Vec<&str> = paths
        .filter_map(|operation| operation["operationId"].as_str())
        .filter(|id| !checked.operations.contains(*id) && !in_lines.contains(id))
        .collect();
    assert_eq!(missing, [""; 0], "not asked");
    let mut described = BTreeSet::new();
    for path in checked.document["paths"].as_object().unwrap().values() {
        for operation in path.as_object().unwrap().values() {
            collect(&checked.document, &operation["responses"]["200"], &mut described);
            collect(&checked.document, &operation["responses"]["201"], &mut described);
        }
    }
    let not_met: Vec<&String> = described.difference(&checked.met).collect();
    // This server runs without a model of its own.
    assert_eq!(not_met, ["ModelId"], "described, and in none of these answers");
}

/// The names that a part of the document refers to, and those that they refer to.
fn collect(document: &Value, part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| collect(document, part, names)),
        Value::Object(fields) => {
            if let Some(name) = part["$ref"].as_str().and_then(|path| path.rsplit('/').next())
                && names.insert(name.to_owned())
            {
                collect(document, &document["components"]["schemas"][name], names);
            }
            fields.values().for_each(|part| collect(document, part, names));
        }
        _ => {}
    }
}

/// The checker itself: a schema that says something else is found out.
#[test]
fn what_is_not_as_it_is_described_is_found() {
    let mut checked = Checked { document: json!({}), operations: BTreeSet::new(), met: BTreeSet::new() };
    let schema = json!({
        "type": "object", "required": ["id"],
        "properties": { "id": { "type": "string" }, "n": { "type": ["integer", "null"] }, "state": { "type": "string", "enum": ["a"] } },
    });
    for (value, faults) in [
        (json!({ "id": "x", "n": null, "state": "a" }), 0),
        (json!({ "n": 1 }), 1),
        (json!({ "id": 7 }), 1),
        (json!({ "id": "x", "更多": 1 }), 1),
        (json!({ "id": "x", "state": "b", "n": 1.5 }), 2),
        (json!([]), 1),
    ] {
        assert_eq!(checked.faults(&schema, &value, "it").len(), faults, "{value}");
    }
}
