//! What the log teaches: events since the watermark in, changes of long-term memory out (SPEC 3).
//!
//! gate (what may become a memory, from whom) → slots (what it is about, in normal form) → timeline (all evidence of a slot, in the
//! order of its moments, folded into what held when) → reconcile (that and the memories there are: what changes). What a model proposes
//! comes in by proposal instead of the gate, held to what its sentence says (faithful).
//!
//! Pure, and conservative: what is not surely so is left out. The engine reads events, asks for statements and commits.

mod confidence;
mod echo;
mod faithful;
mod gate;
mod habits;
mod life;
mod proposal;
mod reconcile;
mod revoke;
mod slots;
mod switch;
mod timeline;
mod together;
mod voices;
mod without;

#[cfg(test)]
mod tests;

pub use confidence::{FADING_BELOW, STATED, activity, present};
pub use echo::{holds_block, is_echo};
pub use faithful::says_no;
pub use gate::{Candidate, Grounds, Refusal, bears_out, by_operator, from_event, from_task, is_first_hand, sides_set};
pub use habits::{Request, TIMES_MIN, Wish, habits, promotions};
pub use life::{Effect, aged, with_effect};
pub use proposal::from_proposal;
pub use reconcile::{Change, FORGOTTEN_AT_ONCE_MAX, concerns, reconcile, said_of};
pub use revoke::{may_take_back, taken_back_elsewhere};
pub use slots::{attribute, topic, topics_in, words_of};
pub use switch::{into_slots, switches};
pub use together::{is_ruled, named_together, recurs_together};
pub use voices::{described, speaks_for_a_person};
pub use without::{Without, without};
