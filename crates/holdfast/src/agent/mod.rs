//! The agent loop as types: act → parse → write back → consolidate → prompt, in that order and no other (SPEC 2.3).

mod step;

pub use step::{Acted, Parsed, Prompted, Read, Ready, Step, StepDriver, Stuck, Unparsed, Went, WrittenBack};
