//! How tests look at a file; the cases are in the files below.

mod anything;
mod chats;
mod keys;
mod native;
mod normal;
mod real;
mod unreadable;

use super::*;
use crate::types::moment;

fn reader(input: &[u8]) -> Result<Reader<&[u8]>, ImportError> {
    read(input, "some/where/file.json", Options::default())
}

/// What a file gives, a line for each entry or unread record: the whole of what a caller can see.
fn told(input: &[u8]) -> String {
    let reader = match reader(input) {
        Ok(reader) => reader,
        Err(error) => return format!("error: {error}"),
    };
    let mut told = vec![reader.format().to_string()];
    for entry in reader {
        told.push(match entry {
            Ok(Entry { position, event, update }) => {
                let scope = &event.scope;
                let mut line = format!("{position}: {}", scope.owner.user);
                line += &format!(" {} {}/{} {:?}", scope.session, event.source, event.kind, event.content);
                if let Some(task) = &scope.task {
                    line += &format!(" task={task}");
                }
                if let Some(moment) = &event.occurred_at {
                    line += &format!(" at={}", moment::format(moment));
                }
                if let Some(trust) = event.trust {
                    line += &format!(" {trust}");
                }
                if !event.metadata.is_empty() {
                    line += &format!(" {}", serde_json::to_string(&event.metadata).unwrap());
                }
                if let Some(update) = update {
                    line += &format!(" {} actions", update.actions.len());
                }
                line
            }
            Err(unread) => format!("UNREAD {unread}"),
        });
    }
    told.join("\n")
}

fn check(input: impl AsRef<[u8]>, expected: &[&str]) {
    assert_eq!(told(input.as_ref()), expected.join("\n"));
}

/// The reason why one native line is not read.
fn refused(line: &str, expected: &str) {
    let good = r#"{"source":"user","kind":"query","content":"好"}"#;
    let file = format!("{good}\n{line}\n{good}\n");
    check(
        file,
        &[
            "native",
            "line 1: default default user/query \"好\"",
            &format!("UNREAD line 2: {expected}"),
            "line 3: default default user/query \"好\"",
        ],
    );
}
