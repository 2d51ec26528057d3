//! "Did you mean": the valid word that a mistyped one is nearest to.

/// Longest word compared: every valid word is shorter, and the work grows with the square.
const WORD_CHARS_MAX: usize = 32;
/// Most letters inserted, removed, changed or swapped for a word to be a misspelling.
const DISTANCE_MAX: usize = 2;

/// The nearest of `valid`, if `word` could be a misspelling of it: at most two changes, and fewer than half of its letters.
pub(super) fn nearest<'a>(word: &str, valid: &[&'a str]) -> Option<&'a str> {
    if word.chars().count() > WORD_CHARS_MAX {
        return None;
    }
    let word: Vec<char> = word.to_lowercase().chars().map(|c| if matches!(c, '-' | ' ') { '_' } else { c }).collect();
    let (distance, best) =
        valid.iter().map(|candidate| (distance(&word, candidate), *candidate)).min_by_key(|(distance, _)| *distance)?;
    (distance <= DISTANCE_MAX && distance * 2 < best.len()).then_some(best)
}

fn distance(word: &[char], other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in word.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && word[i - 1] == *b {
                cost = cost.min(before_last[j - 1] + 1);
            }
            row.push(cost);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_finds_its_word_and_a_stranger_none() {
        let valid = ["query", "response", "tool_call", "tool_result", "note"];
        for (word, expected) in [
            ("qeury", Some("query")),
            ("Query", Some("query")),
            ("tool-call", Some("tool_call")),
            ("respones", Some("response")),
            ("noet", Some("note")),
            ("toolcalls", Some("tool_call")),
            ("sk-9f8e7d6c", None),
            ("查询", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &valid), expected, "{word}");
        }
    }
}
