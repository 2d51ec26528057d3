//! What a character is to the tokeniser: part of a script written without spaces, a letter, a digit, or neither.

use unicode_normalization::char::is_combining_mark;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Han, kana, bopomofo and hangul: words aren't set apart by spaces (or, in Korean, carry their particles with them), so
    /// they are found by pairs of characters.
    Ideographic,
    Letter,
    Digit,
    Other,
}

pub(crate) fn script(c: char) -> Script {
    match c {
        '0'..='9' => Script::Digit,
        'a'..='z' | 'A'..='Z' => Script::Letter,
        '\0'..='\u{7F}' => Script::Other,
        '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309D}'..='\u{309F}'
        | '\u{30A1}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}'
        | '\u{3105}'..='\u{312F}'
        | '\u{31A0}'..='\u{31BF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{3131}'..='\u{318E}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{20000}'..='\u{3FFFF}' => Script::Ideographic,
        _ if c.is_numeric() => Script::Digit,
        // Letters in circles and squares are signs to an index, and these vowels were marks when its tables were made.
        '\u{1F130}'..='\u{1F189}' | '\u{19B0}'..='\u{19C0}' | '\u{19C8}' | '\u{19C9}' | '\u{1CF2}' | '\u{1CF3}' => {
            Script::Other
        }
        // A mark belongs to the word it stands in, though not to the term (see `plain`).
        _ if c.is_alphabetic() || is_combining_mark(c) => Script::Letter,
        _ => Script::Other,
    }
}
