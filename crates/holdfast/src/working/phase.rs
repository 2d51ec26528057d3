//! Where a step of the agent loop is, for callers that reach it from outside Rust: the order of SPEC 2.3 as a check at run
//! time. Rust callers have it checked by the compiler: `agent::step`.

use crate::types::task::{StepPhase, Task};

/// A phase asked for before the one that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", due(*at))]
pub struct OutOfOrder {
    pub at: StepPhase,
    pub asked: StepPhase,
}

/// The task with its step one phase further. It is not an update: the version stays.
pub fn advance(task: &Task, to: StepPhase) -> Result<Task, OutOfOrder> {
    let at = task.phase;
    let in_order = matches!(
        (at, to),
        (StepPhase::Ready, StepPhase::Prompted)
            | (StepPhase::Prompted, StepPhase::Parsed)
            // A refused update: the agent acts again on the prompt it has.
            | (StepPhase::Parsed, StepPhase::Prompted)
            | (StepPhase::Parsed, StepPhase::WrittenBack)
            | (StepPhase::WrittenBack, StepPhase::Ready)
    );
    if in_order { Ok(Task { phase: to, ..task.clone() }) } else { Err(OutOfOrder { at, asked: to }) }
}

/// Gives up the step in hand, after a crash of the loop: what was written stays, the prompt is asked for anew.
pub fn give_up(task: &Task) -> Task {
    Task { phase: StepPhase::Ready, ..task.clone() }
}

fn due(at: StepPhase) -> &'static str {
    match at {
        StepPhase::Ready => "no prompt of a step is out: get one first",
        StepPhase::Prompted => {
            "the prompt of this step is out: what the agent made of it is due first, as its reply with the update of this step; or \
             give the step up"
        }
        StepPhase::Parsed => {
            "the agent's reply to this step is recorded: write its update back first, or give the step up"
        }
        StepPhase::WrittenBack => "the update of this step is written back: consolidate first",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::working::tests::task;

    #[test]
    fn only_the_order_is_allowed() {
        for &at in StepPhase::ALL {
            let allowed: Vec<&str> = StepPhase::ALL
                .iter()
                .filter(|&&to| advance(&Task { phase: at, ..task() }, to).is_ok())
                .map(|to| to.as_str())
                .collect();
            let expected: &[&str] = match at {
                StepPhase::Ready => &["prompted"],
                StepPhase::Prompted => &["parsed"],
                StepPhase::Parsed => &["prompted", "written_back"],
                StepPhase::WrittenBack => &["ready"],
            };
            assert_eq!(allowed, expected, "from {at}");
        }
    }

    #[test]
    fn the_next_prompt_before_the_write_back_says_what_is_due() {
        let prompted = advance(&task(), StepPhase::Prompted).unwrap();
        let refused = advance(&prompted, StepPhase::Prompted).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the prompt of this step is out: what the agent made of it is due first, as its reply with the update of this \
             step; or give the step up"
        );
    }
}
