//! The vocabulary as plain data: what goes in, what is kept, what comes out.
//!
//! Nothing here computes, reads a clock or knows of a store. Ids are newtypes, scope ids are opaque strings of the caller.

pub mod change;
pub mod context;
pub mod event;
pub mod forget;
pub mod frame;
pub mod ids;
pub mod memory;
pub mod moment;
pub mod operation;
pub mod probation;
pub mod query;
pub mod scope;
pub mod signals;
pub mod task;
pub mod undo;
pub mod update;
