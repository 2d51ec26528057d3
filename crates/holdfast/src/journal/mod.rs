//! The journal's arithmetic: what makes the log of operations hard to change unseen.
//!
//! Each operation is committed to with a salt, and the chain runs over the commitments, not the text: when an operation's text
//! is erased, its commitment stays and the chain still verifies (SPEC 7.1).

mod managed;
mod page;
mod report;
mod revert;

pub use managed::{MANAGER, ManagedReport, Suspicion};
pub use page::{InView, chart_in_words, page};
pub use report::{Report, SupersededLine, TaskReport, report};
pub use revert::{Document, revert};

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// The chain before the first operation.
pub const GENESIS: Hash = [0; 32];

/// Commits to an operation's bytes. The salt keeps short texts from being guessed once they are erased with it.
pub fn commitment(salt: &[u8; 16], operation: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("holdfast 2026 journal commitment");
    hasher.update(salt);
    hasher.update(operation);
    *hasher.finalize().as_bytes()
}

/// The chain's next link.
pub fn link(chain: &Hash, commitment: &Hash) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("holdfast 2026 journal chain");
    hasher.update(chain);
    hasher.update(commitment);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::{GENESIS, commitment, link};

    #[test]
    fn one_changed_byte_changes_every_later_link() {
        let commitments: Vec<_> = ["a", "b", "c"].iter().map(|t| commitment(&[7; 16], t.as_bytes())).collect();
        let chain = |cs: &[_]| cs.iter().fold(GENESIS, |chain, c| link(&chain, c));
        let mut changed = commitments.clone();
        changed[0] = commitment(&[7; 16], b"A");
        assert_ne!(chain(&commitments), chain(&changed));
        assert_ne!(commitment(&[7; 16], b"a"), commitment(&[8; 16], b"a"), "the salt counts");
    }
}
