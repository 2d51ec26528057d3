//! How often somebody may ask: a bucket that fills at a steady rate, and holds what two seconds bring.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

/// Seconds whose worth may be used at once.
const BURST_SECONDS: f64 = 2.0;

#[derive(Debug)]
pub struct Bucket {
    per_second: f64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    left: f64,
    at: Option<Timestamp>,
}

impl Bucket {
    pub fn new(per_second: u32) -> Self {
        let per_second = f64::from(per_second);
        Self { per_second, state: Mutex::new(State { left: per_second * BURST_SECONDS, at: None }) }
    }

    /// Takes one, if there is one. A clock that was put back fills nothing.
    pub fn take(&self, now: Timestamp) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = state.at.map_or(0.0, |at| now.duration_since(at).as_secs_f64().max(0.0));
        state.left = (state.left + passed * self.per_second).min(self.per_second * BURST_SECONDS);
        state.at = Some(now);
        if state.left < 1.0 {
            return false;
        }
        state.left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn a_burst_is_let_through_and_then_the_rate() {
        let bucket = Bucket::new(10);
        let start = Timestamp::UNIX_EPOCH;
        let taken = |at: Timestamp| (0..100).filter(|_| bucket.take(at)).count();
        assert_eq!(taken(start), 20);
        assert_eq!(taken(start + SignedDuration::from_millis(500)), 5);
        assert_eq!(taken(start), 0, "a clock that was put back");
        assert_eq!(taken(start + SignedDuration::from_hours(1)), 20);
    }
}
