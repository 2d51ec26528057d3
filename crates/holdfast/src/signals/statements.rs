//! What a user states of themselves, of people near them, and of how they want to be served: 「我住在余杭」, "I'm allergic to nuts",
//! 「以后周报都先写结论」.

use super::instructions;
use super::reading::Reading;
use crate::types::signals::{Claim, Statement};

pub(super) fn find(reading: &Reading<'_>) -> Vec<Statement> {
    let instructs = |instruction: crate::types::signals::Instruction| Statement {
        claim: Claim::Instructs { standing: instruction.standing },
        subject: None,
        text: instruction.text,
        span: instruction.span,
    };
    instructions::find(reading).into_iter().map(instructs).collect()
}
