//! What is known in a slot, had some evidence never been (SPEC 8.2): the rest is folded anew, and what rests on nothing else goes.

use jiff::Timestamp;

use super::reconcile::{Change, reconcile};
use super::slots::essence;
use crate::text::repeats;
use crate::types::ids::MemoryId;
use crate::types::memory::{Evidence, Memory, Stance};

/// What became of a slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Without {
    /// Memories that stay, on what else speaks for them; also those that hold again.
    pub changes: Vec<Change>,
    /// Memories that nothing else speaks for.
    pub erased: Vec<MemoryId>,
}

/// `known` are the memories of one slot; `is_gone` which evidence is; `tells` whether a text says what is gone.
pub fn without(
    known: &[Memory],
    is_gone: impl Fn(&Evidence) -> bool,
    tells: impl Fn(&str) -> bool,
    now: Timestamp,
    id: impl FnMut() -> MemoryId,
) -> Without {
    let (mut kept, mut erased) = (Vec::new(), Vec::new());
    for memory in known {
        let mut rest = memory.clone();
        rest.sources.retain(|evidence| !is_gone(evidence));
        let supports =
            |evidence: &&Evidence| matches!(evidence.stance, Stance::States | Stance::Confirms | Stance::Suggests);
        let Some(latest) = rest.sources.iter().rfind(supports) else {
            erased.push(memory.id);
            continue;
        };
        // It is told in the words of what is gone: what is left has words of its own.
        if rest.sources.len() < memory.sources.len() && tells(&rest.content) {
            let quote = latest.quote.clone();
            if tells(&rest.value) || !repeats(&quote, &rest.value) {
                rest.value = essence(&quote);
            }
            rest.content = quote;
        }
        rest.reason.take_if(|reason| tells(reason));
        kept.push(rest);
    }
    let mut changes = reconcile(&kept, &[], now, id);
    for rest in kept {
        let before = known.iter().find(|memory| memory.id == rest.id);
        match changes.iter_mut().find(|change| change.after.id == rest.id) {
            Some(change) => change.before = before.cloned(),
            // Folding the rest gives the same, and what is gone must not stay in it.
            None if before.is_some_and(|before| *before != rest) => changes.push(Change {
                before: before.cloned(),
                verb: crate::types::operation::Verb::Remember,
                reason: "a part of what spoke for it was erased".to_owned(),
                cause: None,
                after: Memory { version: rest.version + 1, ..rest },
            }),
            None => {}
        }
    }
    Without { changes, erased }
}
