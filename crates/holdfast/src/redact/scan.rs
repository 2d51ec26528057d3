//! One text through all detectors: where the secrets are, which claim wins, and the text with placeholders in their stead.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::placeholder::{self, Placeholders};
use super::rules::{Rules, Secret};
use super::shadow::Shadow;
use super::{assigned, credentials, email, numbers, tables, words};

/// Taking one secret out can bring another to light (a number that touched it); never more than a few times over.
const ROUNDS_MAX: usize = 4;

/// A secret that a detector has found, at a place of the shadow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub secret: Secret,
    pub range: Range<usize>,
}

/// Words that must be in a text for a detector to run. Most messages have none, and are done after one pass.
pub(crate) struct Hints {
    pub keywords: Vec<(assigned::Keyword, Range<usize>)>,
    pub credential: bool,
}

impl Hints {
    fn of(text: &str) -> Self {
        static MATCHER: OnceLock<AhoCorasick> = OnceLock::new();
        let matcher = MATCHER.get_or_init(|| {
            let words = words::KEYWORDS.iter().map(|(word, _)| *word).chain(credentials::HINTS.iter().copied());
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostLongest)
                .build(words)
                .expect("a fixed list of short words")
        });
        let mut hints = Self { keywords: Vec::new(), credential: false };
        for found in matcher.find_iter(text) {
            match words::KEYWORDS.get(found.pattern().as_usize()) {
                Some((_, keyword)) => hints.keywords.push((*keyword, found.range())),
                None => hints.credential = true,
            }
        }
        hints
    }
}

/// The text without its secrets.
pub(crate) fn redact_text(text: String, rules: &Rules, placeholders: &mut Placeholders<'_>) -> String {
    let mut text = text;
    for _ in 0..ROUNDS_MAX {
        match replaced(&text, rules, placeholders) {
            Some(redacted) => text = redacted,
            None => break,
        }
    }
    text
}

/// The value of a field without its secrets: all of it if the key says that it is one, else as if "key: value" were said.
pub(crate) fn redact_field(key: &str, value: String, rules: &Rules, placeholders: &mut Placeholders<'_>) -> String {
    if let Some(secret) = assigned::secret_of_key(key).filter(|&secret| rules.is_on(secret))
        && !assigned::is_stand_in(value.trim())
        && placeholder::places(&value, rules).is_empty()
    {
        return placeholders.name(secret.label(), value.trim());
    }
    let prefix = format!("{key}: ");
    let shown = redact_text(format!("{prefix}{value}"), rules, placeholders);
    match shown.strip_prefix(&prefix) {
        Some(redacted) => redacted.to_owned(),
        // Something was found in the key or across the two: then the value alone.
        None => redact_text(value, rules, placeholders),
    }
}

/// The label of the first secret of a text among those asked for.
pub(crate) fn first(text: &str, rules: &Rules, asked: impl Fn(Secret) -> bool) -> Option<String> {
    let shadow = Shadow::of(text);
    detect(shadow.text(), rules)
        .into_iter()
        .filter(|found| asked(found.secret))
        .map(|f| f.secret.label().to_owned())
        .next()
}

fn detect(text: &str, rules: &Rules) -> Vec<Found> {
    let hints = Hints::of(text);
    let mut found = Vec::new();
    if hints.credential {
        credentials::find(text, &mut found);
    }
    assigned::find(text, &hints.keywords, &mut found);
    if !hints.keywords.is_empty() {
        tables::find(text, &mut found);
    }
    numbers::find(text, &mut found);
    found.retain(|found| !found.range.is_empty());
    let mut emails = Vec::new();
    email::find(text, &mut emails);
    // In user:password@host the @ belongs to the URL: an address there would name the password and hide the host.
    emails.retain(|email| {
        found.iter().all(|other| {
            other.secret != Secret::Password
                || other.range.end <= email.range.start
                || email.range.end <= other.range.start
        })
    });
    found.append(&mut emails);
    found.retain(|found| rules.is_on(found.secret));
    found
}

/// The text with placeholders, or `None` if there was nothing to replace.
fn replaced(text: &str, rules: &Rules, placeholders: &mut Placeholders<'_>) -> Option<String> {
    let shadow = Shadow::of(text);
    let mut claims: Vec<(Range<usize>, &str)> =
        detect(shadow.text(), rules).into_iter().map(|f| (shadow.original(&f.range), f.secret.label())).collect();
    for pattern in rules.patterns() {
        for captures in pattern.regex.captures_iter(text) {
            if let Some(secret) = captures.get(1).or(captures.get(0)).filter(|m| !m.is_empty()) {
                claims.push((secret.range(), &pattern.label));
            }
        }
    }
    if claims.is_empty() {
        return None;
    }
    let standing = placeholder::places(text, rules);
    placeholders.see(text, &standing);
    let chosen = longest(text, claims, &standing);
    if chosen.is_empty() {
        return None;
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for (range, label) in chosen {
        redacted.push_str(&text[end..range.start]);
        redacted.push_str(&placeholders.name(label, Shadow::of(&text[range.clone()]).text()));
        end = range.end;
    }
    redacted.push_str(&text[end..]);
    Some(redacted)
}

/// The longest claim of each place, in order. Placeholders that stand already are cut out of claims.
fn longest<'a>(
    text: &str,
    claims: Vec<(Range<usize>, &'a str)>,
    standing: &[Range<usize>],
) -> Vec<(Range<usize>, &'a str)> {
    let mut claims: Vec<(Range<usize>, &str)> = claims
        .into_iter()
        .flat_map(|(range, label)| without(text, range, standing).into_iter().map(move |piece| (piece, label)))
        .collect();
    claims.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut chosen: Vec<(Range<usize>, &str)> = Vec::new();
    for (range, label) in claims {
        match chosen.last_mut() {
            Some((last, last_label)) if range.start < last.end => {
                // Both are secret, so what either covers goes; the longer one names it.
                if range.len() > last.len() {
                    *last_label = label;
                }
                last.end = last.end.max(range.end);
            }
            _ => chosen.push((range, label)),
        }
    }
    chosen
}

/// What is left of a claim between standing placeholders; punctuation alone is no secret.
fn without(text: &str, range: Range<usize>, standing: &[Range<usize>]) -> Vec<Range<usize>> {
    let first = standing.partition_point(|place| place.end <= range.start);
    let touched: Vec<&Range<usize>> = standing[first..].iter().take_while(|place| place.start < range.end).collect();
    if touched.is_empty() {
        return vec![range];
    }
    let starts = std::iter::once(range.start).chain(touched.iter().map(|place| place.end));
    let ends = touched.iter().map(|place| place.start).chain([range.end]);
    starts
        .zip(ends)
        .filter(|(start, end)| start < end && text[*start..*end].contains(char::is_alphanumeric))
        .map(|(start, end)| start..end)
        .collect()
}
