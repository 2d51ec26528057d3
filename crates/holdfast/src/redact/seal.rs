//! Secrets kept for their operator: sealed under the redaction key, bound to an owner and a placeholder. Pure: the nonce is given.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::rules::Key;
use crate::types::change::SealedSecret;
use crate::types::scope::Owner;

/// Long enough to be drawn at random for as long as anybody likes.
pub(crate) const NONCE_BYTES: usize = 24;

/// Either the key is not the one it was sealed with, or the bytes are not those that were stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrongKey;

/// A secret that was taken out of a text, with what stands in its stead.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Without its marks: `card:7f3a9c2e41d0`.
    pub placeholder: String,
    pub secret: Zeroizing<String>,
}

impl std::fmt::Debug for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Taken({}, not shown)", self.placeholder)
    }
}

impl Taken {
    /// `key`: the owner's, as `Rules::for_owner` derives it.
    pub fn sealed(&self, key: &Key, owner: &Owner, nonce: [u8; NONCE_BYTES]) -> SealedSecret {
        let bound = bound_to(owner, &self.placeholder);
        let payload = Payload { msg: self.secret.as_bytes(), aad: &bound };
        let ciphertext = cipher(key).encrypt(&XNonce::from(nonce), payload);
        let ciphertext = ciphertext.expect("only a text of many gigabytes can't be sealed, and an event is limited");
        SealedSecret { placeholder: self.placeholder.clone(), sealed: [&nonce[..], &ciphertext].concat() }
    }
}

pub(crate) fn open(key: &Key, owner: &Owner, placeholder: &str, sealed: &[u8]) -> Result<Zeroizing<String>, WrongKey> {
    let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(WrongKey)?;
    let bound = bound_to(owner, placeholder);
    let payload = Payload { msg: ciphertext, aad: &bound };
    let bytes = cipher(key).decrypt(&XNonce::from(*nonce), payload).map_err(|_| WrongKey)?;
    String::from_utf8(bytes).map(Zeroizing::new).map_err(|_| WrongKey)
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    let derived = Zeroizing::new(key.derive("holdfast 2026-11 sealed secrets", b""));
    XChaCha20Poly1305::new((&*derived).into())
}

/// What is sealed can be opened only where it was put. Ids can't contain NUL.
fn bound_to(owner: &Owner, placeholder: &str) -> Vec<u8> {
    [owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str(), placeholder].join("\0").into_bytes()
}
