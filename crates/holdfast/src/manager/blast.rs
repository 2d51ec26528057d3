//! How much of a store one run may touch before it stops and asks (SPEC 6.7): a wrong policy, or a wrong clock, shows first by its size.

use super::policy::Policy;

/// A run that would touch too much.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "this run would touch {touched} of {total} events ({percent:.0} %), and at most {most} are allowed; look at what it would do (--dry-run), \
     and confirm it, or raise blast_radius.share of the policy"
)]
pub struct Blast {
    pub touched: u64,
    pub total: u64,
    /// How many it may touch.
    pub most: u64,
    pub percent: f64,
}

/// Whether a run may touch so many of so many events. What is kept is not touched.
pub fn guard(touched: u64, total: u64, policy: &Policy) -> Result<(), Blast> {
    let share = (total as f64 * policy.blast_radius.share).floor() as u64;
    let most = share.max(policy.blast_radius.floor);
    if touched <= most {
        return Ok(());
    }
    let percent = if total == 0 { 100.0 } else { touched as f64 / total as f64 * 100.0 };
    Err(Blast { touched, total, most, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_store_or_the_floor_whichever_is_more() {
        // Of support: a tenth, and 50 always.
        let policy = Policy::preset("support").unwrap();
        for (touched, total, expected) in [
            (0, 0, true),
            (50, 50, true),
            (50, 60, true),
            (51, 60, false),
            (1000, 10_000, true),
            (1001, 10_000, false),
            (u64::MAX, 0, false),
        ] {
            assert_eq!(guard(touched, total, &policy).is_ok(), expected, "{touched} of {total}");
        }
    }

    #[test]
    fn it_says_how_many_of_how_many_and_how_to_go_on() {
        let blast = guard(3000, 10_000, &Policy::preset("support").unwrap()).unwrap_err();
        assert_eq!(
            blast.to_string(),
            "this run would touch 3000 of 10000 events (30 %), and at most 1000 are allowed; look at what it would do (--dry-run), and confirm it, \
             or raise blast_radius.share of the policy"
        );
    }
}
