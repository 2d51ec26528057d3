//! Which language a text is mainly written in, by script: any text in, one of two languages out.

use crate::types::signals::Language;

use super::script::{Script, script};

/// A Chinese character says about as much as three or four Latin letters, so 「用Rust写的网关」 is Chinese and "the word 网关
/// means gateway" is English.
const LETTERS_PER_CHARACTER: usize = 3;

/// The main language of a text. Without any letter in it: the default.
pub fn main_language(text: &str) -> Language {
    let (mut characters, mut letters) = (0, 0);
    for c in text.chars() {
        match script(c) {
            Script::Ideographic => characters += 1,
            Script::Letter => letters += 1,
            Script::Digit | Script::Other => {}
        }
    }
    if characters > 0 && characters * LETTERS_PER_CHARACTER >= letters { Language::Zh } else { Language::En }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_that_says_more_wins() {
        for zh in ["你好", "用Rust写的网关", "把 report_v2.pdf 发给我", "３月５日交"] {
            assert_eq!(main_language(zh), Language::Zh, "{zh}");
        }
        for en in ["hello", "", "42", "the word 网关 means gateway in Chinese", "👍"] {
            assert_eq!(main_language(en), Language::En, "{en}");
        }
    }
}
