//! What any store is tested with: the suite it must pass, the reference it is compared with, and what goes in.

pub(crate) mod conformance;
pub(crate) mod faulty;
pub(crate) mod plain;
pub(crate) mod samples;
