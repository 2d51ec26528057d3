//! The main language of a text, by script.

use crate::types::signals::Language;

/// Chinese when Han characters make up at least a third of the words, a Han character counted as a word: 「用Rust写的网关」
/// is Chinese, "the 周报 is due on Friday" is English. A text with no words is English.
pub(super) fn of(text: &str) -> Language {
    let (mut han, mut words) = (0usize, 0usize);
    let mut in_word = false;
    for c in text.chars() {
        if ('\u{3400}'..='\u{9fff}').contains(&c) {
            han += 1;
        }
        let letter = c.is_ascii_alphabetic();
        if letter && !in_word {
            words += 1;
        }
        in_word = letter;
    }
    if han > 0 && han * 2 >= words { Language::Zh } else { Language::En }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_decide() {
        for (text, language) in [
            ("用Rust写的网关", Language::Zh),
            ("帮我 review 一下 PR", Language::Zh),
            ("the 周报 is due on Friday", Language::En),
            ("Please write the report", Language::En),
            ("", Language::En),
            ("3.14", Language::En),
            ("好", Language::Zh),
        ] {
            assert_eq!(of(text), language, "{text}");
        }
    }
}
