//! A password that is guessed at: 「密码忘了，应该是hunter2吧」, "I forgot the password, probably hunter2". What stands between the word and the
//! guess is found here; whether the guess is a password is for `assigned` to say.

use super::assigned::zh_link;

/// How far behind the word a guess may begin, in bytes: the next clause or two.
const WINDOW_BYTES: usize = 96;
/// Clauses looked at behind 忘了.
const CLAUSES_MAX: usize = 3;

/// Said of a password that is not at hand.
const FORGOTTEN: &[&str] = &["忘", "记不", "不记得", "想不起", "不确定", "没记"];
/// In the place of 是: a try.
const TRIES: &[&str] = &["试试看", "试试", "试一下", "要不试"];

/// Words that make a guess of what follows, longest first where one begins another.
const HEDGES: &[&str] = &[
    "it might be",
    "it may be",
    "it could be",
    "it should be",
    "it must be",
    "could it be",
    "something like",
    "most likely",
    "probably",
    "possibly",
    "perhaps",
    "maybe",
    "likely",
    "i think",
    "i guess",
    "i believe",
    "i suppose",
    "might be",
    "may be",
    "could be",
    "should be",
    "must be",
    "it's",
    "it is",
    "it was",
];
/// What may stand among them without being one.
const FILLERS: &[&str] = &["is", "was", "that", "or", "still", "just"];

/// The length of what stands between the word for a password and a guess at it.
pub(super) fn guess(rest: &str, named_in_ascii: bool) -> Option<usize> {
    let window = &rest[..rest.floor_char_boundary(WINDOW_BYTES)];
    if named_in_ascii { hedged(window) } else { forgotten(window) }
}

/// Hedges from the beginning of a text on; at least one.
pub(super) fn hedged(text: &str) -> Option<usize> {
    const BETWEEN: [char; 11] = [' ', ',', ';', ':', '.', '?', '!', '-', '…', '–', '—'];
    let lower = text.to_ascii_lowercase();
    let word = |at: usize, words: &[&str]| {
        let fits =
            |word: &&&str| lower[at..].strip_prefix(**word).is_some_and(|rest| rest.starts_with([' ', ',', ':']));
        words.iter().find(fits).map(|word| word.len())
    };
    let (mut at, mut guesses) = (0, false);
    loop {
        at += lower[at..].len() - lower[at..].trim_start_matches(BETWEEN).len();
        if let Some(length) = word(at, HEDGES) {
            guesses = true;
            at += length;
        } else if let Some(length) = word(at, FILLERS) {
            at += length;
        } else {
            return guesses.then_some(at);
        }
    }
}

/// 「忘了，应该是」: what leads to the guess in one of the next clauses.
fn forgotten(window: &str) -> Option<usize> {
    let line = &window[..window.find('\n').unwrap_or(window.len())];
    let said = FORGOTTEN.iter().filter_map(|word| line.find(word).map(|at| at + word.len())).min()?;
    let clauses = line[said..].match_indices(['，', ',', '。', '；', ';', '！', '!', '？', '?', ' ', '…']);
    clauses.take(CLAUSES_MAX).find_map(|(at, mark)| {
        let start = said + at + mark.len();
        let clause = line[start..].trim_start_matches(' ');
        let start = line.len() - clause.len();
        let tried = TRIES.iter().find(|word| clause.starts_with(**word)).map(|word| word.len());
        let length = zh_link(clause).or(tried)?;
        Some(start + length + clause[length..].len() - clause[length..].trim_start_matches([' ', ':']).len())
    })
}
