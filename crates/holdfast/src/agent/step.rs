//! One step of an agent, as a value whose type is the phase it is in. What may be done next is what the type has; the rest
//! doesn't compile. The same order is checked at run time for callers outside Rust: `working::advance`.
//!
//! ```text
//! Ready ─prompt→ Prompted ─act→ Acted ─parse→ Parsed ─write_back→ WrittenBack ─consolidate→ Ready
//!                                 ↑ act again ──┘ ←─────┘  on a reply that doesn't parse or an update that is refused
//! ```
//!
//! The next prompt can't be had before the write-back of the step before it:
//!
//! ```compile_fail,E0599
//! # use holdfast::agent::{Prompted, Step, StepDriver};
//! fn hasty<D: StepDriver>(step: Step<Prompted, D>) {
//!     let _ = step.prompt(); // no such method: act, parse, write back and consolidate come first
//! }
//! ```
//!
//! ```compile_fail,E0599
//! # use holdfast::agent::{Acted, Step, StepDriver};
//! fn unparsed<D: StepDriver>(step: Step<Acted, D>) {
//!     let _ = step.write_back(); // no such method: what isn't parsed can't be written
//! }
//! ```
//!
//! And a step is used up by going on; there is no way to prompt twice from the same one:
//!
//! ```compile_fail,E0382
//! # use holdfast::agent::{Ready, Step, StepDriver};
//! fn twice<D: StepDriver>(step: Step<Ready, D>) {
//!     let _ = step.prompt();
//!     let _ = step.prompt(); // moved
//! }
//! ```

use crate::types::update::Update;
use crate::working::{ParseProblem, parse_update};

/// What a step needs of the world. The engine implements it; each call is one durable commit, or none if it fails.
pub trait StepDriver {
    /// What the agent is given to act on: the context block, or a prompt made of it.
    type Prompt;
    /// What the write-back did.
    type Written;
    type Error;

    /// Makes the prompt of the next step and notes that it is out.
    fn prompt(&mut self) -> Result<Self::Prompt, Self::Error>;

    /// Puts what the agent said into the log. It is logged before anybody reads it: a reply that doesn't parse is there too.
    fn record_reply(&mut self, reply: &str) -> Result<(), Self::Error>;

    /// Notes that a reply held no update, and why. Nothing else changes.
    fn record_problem(&mut self, problem: &ParseProblem) -> Result<(), Self::Error>;

    /// Applies the update with its events, in one transaction. A refusal is an error and changes nothing.
    fn write_back(&mut self, update: &Update) -> Result<Self::Written, Self::Error>;

    /// Does what is due between two steps. It may be quick; it may not be left out.
    fn consolidate(&mut self) -> Result<(), Self::Error>;
}

/// A prompt may be had.
#[derive(Debug)]
pub struct Ready(());

/// A prompt is out; the agent's reply is due.
#[derive(Debug)]
pub struct Prompted(());

/// The reply is in the log, not yet read.
#[derive(Debug)]
pub struct Acted {
    reply: String,
}

/// The reply holds an update; its write-back is due.
#[derive(Debug)]
pub struct Parsed {
    update: Update,
}

/// The update is written; consolidation is due.
#[derive(Debug)]
pub struct WrittenBack(());

/// A step in the phase `P`, driven by `D`.
#[derive(Debug)]
#[must_use = "a step that is dropped leaves its task in the phase it was in"]
pub struct Step<P, D> {
    phase: P,
    driver: D,
}

/// A step that could not go on, where it still is, and why: nothing is lost by a failure but the attempt.
#[derive(Debug)]
pub struct Stuck<P, D, E> {
    pub step: Step<P, D>,
    pub error: E,
}

/// What came of going on from the phase `P`.
pub type Went<T, P, D> = Result<T, Stuck<P, D, <D as StepDriver>::Error>>;

/// What came of reading a reply.
pub type Read<D> = Result<Step<Parsed, D>, Stuck<Acted, D, Unparsed<<D as StepDriver>::Error>>>;

impl<P, D> Step<P, D> {
    fn stuck<E>(self, error: E) -> Stuck<P, D, E> {
        Stuck { step: self, error }
    }

    fn enter<Q>(self, phase: Q) -> Step<Q, D> {
        Step { phase, driver: self.driver }
    }

    pub fn driver(&self) -> &D {
        &self.driver
    }
}

impl<D: StepDriver> Step<Ready, D> {
    /// The first step of a loop. The driver refuses if its task has a step out already.
    pub fn new(driver: D) -> Self {
        Self { phase: Ready(()), driver }
    }

    pub fn prompt(mut self) -> Went<(Step<Prompted, D>, D::Prompt), Ready, D> {
        match self.driver.prompt() {
            Ok(prompt) => Ok((self.enter(Prompted(())), prompt)),
            Err(error) => Err(self.stuck(error)),
        }
    }
}

impl<D: StepDriver> Step<Prompted, D> {
    pub fn act(self, reply: impl Into<String>) -> Went<Step<Acted, D>, Prompted, D> {
        acted(self, reply.into())
    }
}

impl<D: StepDriver> Step<Acted, D> {
    /// Another reply to the same prompt, after one that held no update or one that was refused.
    pub fn act(self, reply: impl Into<String>) -> Went<Self, Acted, D> {
        acted(self, reply.into())
    }

    /// Reads the update in the reply. A reply without one changes nothing but the log.
    pub fn parse(mut self) -> Read<D> {
        match parse_update(&self.phase.reply) {
            Ok(update) => Ok(self.enter(Parsed { update })),
            Err(problem) => match self.driver.record_problem(&problem) {
                Ok(()) => Err(self.stuck(Unparsed::Problem(problem))),
                Err(error) => Err(self.stuck(Unparsed::Driver(error))),
            },
        }
    }
}

/// Why a reply was not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Unparsed<E> {
    /// It holds no update: tell the agent and let it act again.
    Problem(ParseProblem),
    /// That could not be logged.
    Driver(E),
}

impl<D: StepDriver> Step<Parsed, D> {
    pub fn update(&self) -> &Update {
        &self.phase.update
    }

    pub fn write_back(mut self) -> Went<(Step<WrittenBack, D>, D::Written), Parsed, D> {
        match self.driver.write_back(&self.phase.update) {
            Ok(written) => Ok((self.enter(WrittenBack(())), written)),
            Err(error) => Err(self.stuck(error)),
        }
    }

    /// Another reply to the same prompt, after the update was refused.
    pub fn act(self, reply: impl Into<String>) -> Went<Step<Acted, D>, Parsed, D> {
        acted(self, reply.into())
    }
}

impl<D: StepDriver> Step<WrittenBack, D> {
    pub fn consolidate(mut self) -> Went<Step<Ready, D>, WrittenBack, D> {
        match self.driver.consolidate() {
            Ok(()) => Ok(self.enter(Ready(()))),
            Err(error) => Err(self.stuck(error)),
        }
    }
}

fn acted<P, D: StepDriver>(mut step: Step<P, D>, reply: String) -> Went<Step<Acted, D>, P, D> {
    match step.driver.record_reply(&reply) {
        Ok(()) => Ok(step.enter(Acted { reply })),
        Err(error) => Err(step.stuck(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down what it is asked for; refuses updates with the key `bad`.
    #[derive(Debug, Default)]
    struct Fake {
        asked: Vec<String>,
    }

    impl StepDriver for Fake {
        type Prompt = usize;
        type Written = ();
        type Error = &'static str;

        fn prompt(&mut self) -> Result<usize, &'static str> {
            self.asked.push("prompt".to_owned());
            Ok(self.asked.iter().filter(|asked| *asked == "prompt").count())
        }

        fn record_reply(&mut self, reply: &str) -> Result<(), &'static str> {
            self.asked.push(format!("log {reply}"));
            Ok(())
        }

        fn record_problem(&mut self, _: &ParseProblem) -> Result<(), &'static str> {
            self.asked.push("problem".to_owned());
            Ok(())
        }

        fn write_back(&mut self, update: &Update) -> Result<(), &'static str> {
            self.asked.push("write".to_owned());
            if update.idempotency_key.as_deref() == Some("bad") { Err("refused") } else { Ok(()) }
        }

        fn consolidate(&mut self) -> Result<(), &'static str> {
            self.asked.push("consolidate".to_owned());
            Ok(())
        }
    }

    const GOOD: &str = r#"{"actions":[{"action":"next_step"}]}"#;
    const BAD: &str = r#"{"actions":[{"action":"next_step"}],"idempotency_key":"bad"}"#;

    #[test]
    fn a_loop_goes_through_every_phase_in_order() {
        let (step, prompt) = Step::new(Fake::default()).prompt().unwrap();
        assert_eq!(prompt, 1);
        let stuck = step.act("no idea").unwrap().parse().unwrap_err();
        assert_eq!(stuck.error, Unparsed::Problem(ParseProblem::NoUpdate));
        let stuck = stuck.step.act(BAD).unwrap().parse().unwrap().write_back().unwrap_err();
        assert_eq!(stuck.error, "refused");
        let (step, ()) = stuck.step.act(GOOD).unwrap().parse().unwrap().write_back().unwrap();
        let (step, prompt) = step.consolidate().unwrap().prompt().unwrap();
        assert_eq!(prompt, 2);
        let asked: Vec<&str> = step.driver().asked.iter().map(String::as_str).collect();
        let (bad, good) = (format!("log {BAD}"), format!("log {GOOD}"));
        assert_eq!(asked, ["prompt", "log no idea", "problem", &bad, "write", &good, "write", "consolidate", "prompt"]);
    }
}
