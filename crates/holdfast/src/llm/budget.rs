//! How many calls may be made within an hour. Kept for one process: a budget is against a loop that runs wild, not a bill.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

#[derive(Debug)]
pub(super) struct Budget {
    pub calls_per_hour: u32,
    /// When the calls of the last hour were made, oldest first; never more than the budget.
    made: Mutex<VecDeque<Timestamp>>,
}

impl Budget {
    pub(super) fn new(calls_per_hour: u32) -> Self {
        Self { calls_per_hour, made: Mutex::new(VecDeque::new()) }
    }

    /// Takes a call, or says when there will be one. With a budget of 0 there never is, and the answer is always an hour from now.
    pub(super) fn take(&self, now: Timestamp) -> Result<(), Timestamp> {
        // A panic while holding it can't leave it half changed: each step is whole.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back must not block for longer than an hour: what lies ahead of it is forgotten, too.
        made.retain(|at| now.duration_since(*at) < HOUR && *at <= now);
        if made.len() >= self.calls_per_hour as usize {
            return Err(made.front().unwrap_or(&now).saturating_add(HOUR).unwrap_or(Timestamp::MAX));
        }
        made.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_call_is_free_again_an_hour_after_it_was_made() {
        let budget = Budget::new(2);
        assert_eq!(budget.take(at(0)), Ok(()));
        assert_eq!(budget.take(at(30)), Ok(()));
        assert_eq!(budget.take(at(59)), Err(at(60)));
        assert_eq!(budget.take(at(60)), Ok(()));
        assert_eq!(budget.take(at(61)), Err(at(90)));
    }

    #[test]
    fn nothing_is_called_without_a_budget() {
        assert_eq!(Budget::new(0).take(at(0)), Err(at(60)));
    }

    #[test]
    fn a_clock_set_back_does_not_block() {
        let budget = Budget::new(1);
        assert_eq!(budget.take(at(1000)), Ok(()));
        assert_eq!(budget.take(at(0)), Ok(()));
        assert_eq!(budget.take(at(1)), Err(at(60)));
    }
}
