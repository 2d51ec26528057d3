//! Idempotency keys for records that bring none, so that the same file twice is the same events once.

use std::collections::BTreeMap;

/// Enough of a BLAKE3 hash that two different records of one owner never share it by chance.
const KEY_BYTES: usize = 16;

/// Counts how often each record stood in the file so far: the third equal line is another event than the second, on every reading,
/// and a file that has grown or was cut at either end still gives the old keys to the old lines. 20 bytes for each record.
#[derive(Debug, Default)]
pub(super) struct Occurrences(BTreeMap<[u8; KEY_BYTES], u32>);

impl Occurrences {
    pub fn key(&mut self, record: &[u8]) -> String {
        let occurrence = self.0.entry(digest(&[record])).or_insert(0);
        *occurrence += 1;
        written(digest(&[record, &occurrence.to_le_bytes()]))
    }
}

/// The key of one event of a conversation: where it stands, and what it says.
pub(super) fn in_conversation(conversation: &str, place: u64, parts: &[&str]) -> String {
    let place = place.to_le_bytes();
    let mut all: Vec<&[u8]> = vec![conversation.as_bytes(), &place];
    all.extend(parts.iter().map(|part| part.as_bytes()));
    written(digest(&all))
}

fn digest(parts: &[&[u8]]) -> [u8; KEY_BYTES] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // With its length, so that two parts can't be divided in another way.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut digest = [0; KEY_BYTES];
    hasher.finalize_xof().fill(&mut digest);
    digest
}

fn written(digest: [u8; KEY_BYTES]) -> String {
    digest.iter().fold("import:".to_owned(), |key, byte| format!("{key}{byte:02x}"))
}
