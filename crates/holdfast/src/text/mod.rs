//! Everything that is done to text before anybody looks for meaning in it: folding, search terms, sentences, extracts,
//! main language, token counts. Pure, and knows of no other room.

mod calendar;
mod clauses;
mod compare;
mod count;
mod extract;
mod json;
mod language;
mod normalise;
mod passages;
mod rows;
mod script;
mod sentences;
mod statement;
mod stopwords;
mod tokenise;

#[cfg(test)]
mod tests;

pub use calendar::{MONTHS, WEEKDAYS};
pub use clauses::{standing, with_value};
pub(crate) use compare::is_han_or_kana;
pub use compare::{extends, find_value, find_whole, repeats, same};
pub use count::Tokenizer;
pub use extract::{core_sentences, extract};
pub use json::json_leaves;
pub use language::main_language;
pub use normalise::fold;
pub use passages::{embedded_passages, indexed, passages};
pub use sentences::sentences;
pub use statement::{contains_whole, states};
pub use tokenise::{JOINT, QueryTerm, Strength, TermKind, index_terms, is_stop_term, query_terms, term_set};
