//! The program as its users see it: one test binary, a file for each promise.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod docs;
