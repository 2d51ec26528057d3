//! The only source of time, ids and chance. Same environment, same calls: same bytes.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use uuid::Uuid;

/// What the world says: the clock, the zone a caller without an offset is in, and randomness for ids.
#[derive(Debug)]
pub struct Env {
    zone: TimeZone,
    source: Mutex<Source>,
}

#[derive(Debug)]
enum Source {
    System { began: Instant },
    Fixed { now: Timestamp, tick: SignedDuration, seed: u64, drawn: u64 },
}

/// How far a fixed clock moves with each reading: enough to order what happens, too little to change a date.
const FIXED_TICK: SignedDuration = SignedDuration::from_millis(1);

impl Env {
    /// The machine's clock, zone and randomness.
    pub fn system() -> Self {
        Self { zone: TimeZone::system(), source: Mutex::new(Source::System { began: Instant::now() }) }
    }

    /// A world that starts at `start`, moves a millisecond with each reading and draws its ids from `seed`.
    pub fn fixed(seed: u64, start: Timestamp) -> Self {
        let source = Source::Fixed { now: start, tick: FIXED_TICK, seed, drawn: 0 };
        Self { zone: TimeZone::UTC, source: Mutex::new(source) }
    }

    /// The same world seen from another zone.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> Self {
        Self { zone, ..self }
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that may ask the clock")]
    pub fn now(&self) -> Timestamp {
        match &mut *self.source() {
            Source::System { .. } => Timestamp::now(),
            Source::Fixed { now, tick, .. } => {
                *now += *tick;
                *now
            }
        }
    }

    /// How long this environment has been there, by a clock that nobody sets back: to measure work by, never to date it. In a fixed world
    /// no work takes any time.
    pub fn running(&self) -> Duration {
        match &*self.source() {
            Source::System { began } => began.elapsed(),
            Source::Fixed { .. } => Duration::ZERO,
        }
    }

    /// A new UUIDv7. Under a fixed world its random part is BLAKE3 of the seed and a counter.
    #[expect(clippy::disallowed_methods, reason = "the one place that may draw an id")]
    pub fn id(&self) -> Uuid {
        match &mut *self.source() {
            Source::System { .. } => Uuid::now_v7(),
            Source::Fixed { now, seed, drawn, .. } => {
                *drawn += 1;
                let mut hasher = blake3::Hasher::new();
                hasher.update(&seed.to_le_bytes());
                hasher.update(&drawn.to_le_bytes());
                let mut random = [0; 10];
                hasher.finalize_xof().fill(&mut random);
                let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
                uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
            }
        }
    }

    /// Bytes that nobody can foretell, and that never come again.
    pub fn nonce(&self) -> [u8; 24] {
        let mut hasher = blake3::Hasher::new_derive_key("holdfast 2026-11 nonce");
        match &mut *self.source() {
            Source::System { .. } => {
                hasher.update(Uuid::new_v4().as_bytes()).update(Uuid::new_v4().as_bytes());
            }
            Source::Fixed { seed, drawn, .. } => {
                *drawn += 1;
                hasher.update(&seed.to_le_bytes()).update(&drawn.to_le_bytes());
            }
        }
        let mut nonce = [0; 24];
        hasher.finalize_xof().fill(&mut nonce);
        nonce
    }

    /// Moves a fixed clock forward; the system's clock is not ours to move.
    pub fn advance(&self, by: SignedDuration) {
        if let Source::Fixed { now, .. } = &mut *self.source() {
            *now += by;
        }
    }

    fn source(&self) -> std::sync::MutexGuard<'_, Source> {
        // A panic while holding it can't leave it half changed: each arm is one assignment.
        self.source.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
