//! Text to token ids: SentencePiece's unigram model, the tokenizer of XLM-RoBERTa and thus of multilingual-e5.
//!
//! The text is normalised ([`crate::charsmap`]) and cut into the pieces whose scores (log probabilities) have the largest sum, found
//! by dynamic programming over byte positions. (Kudo 2018, "Subword Regularization", arXiv:1804.10959, section 3.2; Viterbi as in
//! `unigram_model.cc`, `EncodeOptimized`.)

use crate::charsmap::Charsmap;
use crate::pack::{Damage, Pack};

/// Start of a sequence, `<s>`.
pub(crate) const BEGIN: u32 = 0;
/// End of a sequence, `</s>`.
pub(crate) const END: u32 = 2;
/// Text that no piece covers, `<unk>`.
pub(crate) const UNKNOWN: u32 = 3;
/// Ids below this are special: they have a name in the vocabulary, and text that spells the name is still only text.
const SPECIAL_IDS: u32 = 4;

/// What an unknown character costs on top of the rarest piece (`kUnkPenalty` of SentencePiece).
const UNKNOWN_PENALTY: f32 = 10.0;

/// The vocabulary and the normalisation table.
pub(crate) struct Tokenizer {
    charsmap: Charsmap,
    /// All pieces one after another, in byte order, so that the pieces with a common prefix are neighbours.
    bytes: Vec<u8>,
    /// Piece `rank` is `bytes[offsets[rank]..offsets[rank + 1]]`.
    offsets: Vec<u32>,
    /// By rank: the id and the score.
    ids: Vec<u32>,
    scores: Vec<f32>,
    unknown_score: f32,
    token_count: usize,
}

/// How the best segmentation of the text up to a byte position ends.
#[derive(Clone, Copy)]
struct Step {
    score: f32,
    from: usize,
    id: u32,
}

impl Tokenizer {
    pub fn new(pack: &Pack) -> Result<Self, Damage> {
        let charsmap = Charsmap::new(pack.bytes("tokenizer.charsmap")?)?;
        let stored_bytes = pack.bytes("tokenizer.piece_bytes")?;
        let stored_offsets = pack.u32s("tokenizer.piece_offsets")?;
        let stored_scores = pack.floats_of("tokenizer.scores", stored_offsets.len().saturating_sub(1))?;

        if stored_scores.len() < SPECIAL_IDS as usize {
            return Err(Damage("the vocabulary lacks the special tokens".to_owned()));
        }

        let mut pieces: Vec<(&[u8], u32)> = Vec::with_capacity(stored_scores.len());
        for (id, ends) in (0..).zip(stored_offsets.windows(2)) {
            let piece = stored_bytes.get(ends[0] as usize..ends[1] as usize);
            let piece = piece.ok_or_else(|| Damage(format!("piece {id} lies outside the vocabulary")))?;
            if id >= SPECIAL_IDS && !piece.is_empty() {
                pieces.push((piece, id));
            }
        }
        pieces.sort_unstable();

        let (mut bytes, mut offsets) = (Vec::with_capacity(stored_bytes.len()), vec![0]);
        for (piece, _) in &pieces {
            bytes.extend_from_slice(piece);
            offsets.push(u32::try_from(bytes.len()).map_err(|_| Damage("the vocabulary is too large".to_owned()))?);
        }
        let ids: Vec<u32> = pieces.iter().map(|(_, id)| *id).collect();
        let scores: Vec<f32> = ids.iter().map(|id| stored_scores[*id as usize]).collect();
        let unknown_score = scores.iter().copied().fold(0.0, f32::min) - UNKNOWN_PENALTY;
        Ok(Self { charsmap, bytes, offsets, ids, scores, unknown_score, token_count: stored_scores.len() })
    }

    /// Number of ids, special ones included.
    pub fn token_count(&self) -> usize {
        self.token_count
    }

    /// Token ids of `text`, without the special ones at either end. A run of unknown characters is one [`UNKNOWN`].
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let text = self.charsmap.normalise(text);
        let steps = self.best_steps(&text);
        let mut ids = Vec::new();
        let mut at = text.len();
        while at > 0 {
            let step = steps[at];
            if !(step.id == UNKNOWN && ids.last() == Some(&UNKNOWN)) {
                ids.push(step.id);
            }
            at = step.from;
        }
        ids.reverse();
        ids
    }

    /// For each byte position that a segmentation can reach, the last step of the best one. Every step goes forward, and the end can
    /// always be reached, one unknown character at a time.
    fn best_steps(&self, text: &[u8]) -> Vec<Step> {
        let mut steps = vec![Step { score: f32::NEG_INFINITY, from: 0, id: UNKNOWN }; text.len() + 1];
        steps[0].score = 0.0;
        let mut start = 0;
        while start < text.len() {
            let character = character_length(text[start]).min(text.len() - start);
            let score_before = steps[start].score;
            let mut covered = false;
            let mut reach = |length: usize, id: u32, score: f32| {
                let best = &mut steps[start + length];
                if score_before + score > best.score {
                    *best = Step { score: score_before + score, from: start, id };
                }
            };
            self.for_each_prefix(&text[start..], |length, rank| {
                covered |= length == character;
                reach(length, self.ids[rank], self.scores[rank]);
            });
            if !covered {
                reach(character, UNKNOWN, self.unknown_score);
            }
            start += character;
        }
        steps
    }

    /// Calls `found(length, rank)` for every piece that `text` starts with, shortest first.
    fn for_each_prefix(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        // Invariant: ranks[low..high] are the pieces that start with text[..depth]; the shorter ones come first.
        let (mut low, mut high) = (0, self.ids.len());
        for (depth, &byte) in text.iter().enumerate() {
            let next = |rank: usize| self.piece(rank).get(depth).copied();
            low = first_where(low, high, |rank| next(rank) >= Some(byte));
            high = first_where(low, high, |rank| next(rank) > Some(byte));
            if low == high {
                return;
            }
            if self.piece(low).len() == depth + 1 {
                found(depth + 1, low);
            }
        }
    }

    fn piece(&self, rank: usize) -> &[u8] {
        &self.bytes[self.offsets[rank] as usize..self.offsets[rank + 1] as usize]
    }
}

/// The first number in `low..high` for which `holds`, or `high`; once it holds, it holds for all that follow.
fn first_where(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Bytes of the UTF-8 character that starts with `first`.
fn character_length(first: u8) -> usize {
    match first {
        0x00..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}
