//! What stands where a secret stood: «label:1» or, with a key, «label:7f3a9c2e41d0». Placeholders already in a text are left
//! alone, so that redacting twice is redacting once.

use std::collections::BTreeMap;
use std::ops::Range;

use zeroize::Zeroizing;

use crate::types::event::Redaction;

use super::rules::Rules;
use super::seal::Taken;

/// Digits of a number in a placeholder. A secret can't be smuggled in as one: it is longer.
const NUMBER_DIGITS_MAX: usize = 4;
/// Digits of a keyed hash: among a million secrets of one owner and kind, two share one with a chance of 1 to 500.
const HASH_DIGITS: usize = 12;

/// Names the secrets of one event.
pub(crate) struct Placeholders<'a> {
    rules: &'a Rules,
    /// The number of each secret, by label and normal form; never leaves this value.
    numbers: BTreeMap<(String, String), u32>,
    /// The highest number given or seen, by label.
    last: BTreeMap<String, u32>,
    counts: BTreeMap<String, u32>,
    /// With a key: each secret once, to be sealed.
    taken: Vec<Taken>,
}

impl<'a> Placeholders<'a> {
    pub fn new(rules: &'a Rules) -> Self {
        Self { rules, numbers: BTreeMap::new(), last: BTreeMap::new(), counts: BTreeMap::new(), taken: Vec::new() }
    }

    /// Remembers the numbers of placeholders that are in a text already, so that they aren't given to other secrets.
    pub fn see(&mut self, text: &str, places: &[Range<usize>]) {
        for place in places {
            let inner = text[place.clone()].trim_matches(['«', '»']);
            if let Some((label, number)) = inner.split_once(':')
                && let Ok(number) = number.parse::<u32>()
            {
                let last = self.last.entry(label.to_owned()).or_default();
                *last = number.max(*last);
            }
        }
    }

    /// The placeholder of a secret.
    pub fn name(&mut self, label: &str, secret: &str) -> String {
        let normal = normal_form(secret);
        *self.counts.entry(label.to_owned()).or_default() += 1;
        if let Some(key) = self.rules.key() {
            let placeholder = format!("{label}:{}", hash_digits(&key.hash(label, &normal)));
            let shown = format!("«{placeholder}»");
            if self.taken.iter().all(|taken| taken.placeholder != placeholder) {
                self.taken.push(Taken { placeholder, secret: Zeroizing::new(secret.to_owned()) });
            }
            return shown;
        }
        let last = &mut self.last;
        let number = self.numbers.entry((label.to_owned(), normal)).or_insert_with(|| {
            let last = last.entry(label.to_owned()).or_default();
            // More than 9,999 secrets of a kind share the last number: a longer one would not read as a placeholder.
            *last = (*last + 1).min(9999);
            *last
        });
        format!("«{label}:{number}»")
    }

    /// How many of which kind there were, and the secrets themselves, if there is a key to keep them under.
    pub fn into_parts(self) -> (Vec<Redaction>, Vec<Taken>) {
        (self.counts.into_iter().map(|(label, count)| Redaction { label, count }).collect(), self.taken)
    }
}

/// The first digits of a hash, or those after them, so that one at least is a letter: what looks like the number of a
/// telephone or a card is none of ours.
fn hash_digits(hash: &blake3::Hash) -> String {
    let hex = hash.to_hex();
    let mut pieces = hex.as_bytes().chunks_exact(HASH_DIGITS);
    let piece = pieces.find(|piece| piece.iter().any(u8::is_ascii_alphabetic)).unwrap_or(b"a00000000000");
    String::from_utf8_lossy(piece).into_owned()
}

/// The same secret however it is written: a number by its digits, an address in lower case, anything else as it is.
fn normal_form(secret: &str) -> String {
    let is_number =
        secret.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '+' | '(' | ')' | '.' | 'x' | 'X'));
    if is_number {
        let digits: String = secret.chars().filter(char::is_ascii_alphanumeric).collect();
        // +86 138… and 138… are one telephone.
        return match digits.strip_prefix("0086").or(digits.strip_prefix("86")) {
            Some(mobile) if mobile.len() == 11 => mobile.to_owned(),
            _ => digits.to_ascii_uppercase(),
        };
    }
    if secret.contains('@') { secret.to_lowercase() } else { secret.to_owned() }
}

/// Where placeholders stand in a text.
pub(crate) fn places(text: &str, rules: &Rules) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, open) in text.match_indices('«') {
        let inner = &text[start + open.len()..];
        // A label and a number are short: nothing beyond is looked at.
        let window = &inner[..inner.floor_char_boundary(64)];
        if let Some(end) = window.find('»')
            && let Some((label, number)) = window[..end].split_once(':')
            && rules.knows(label)
            && is_number(number)
        {
            found.push(start..start + open.len() + end + '»'.len_utf8());
        }
    }
    found
}

fn is_number(text: &str) -> bool {
    let counted = (1..=NUMBER_DIGITS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let hashed = text.len() == HASH_DIGITS
        && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && text.bytes().any(|b| b.is_ascii_alphabetic());
    counted || hashed
}
