//! The leaves of almost-JSON: words, numbers and strings, and the characters that stand for its punctuation.

use serde_json::{Number, Value};

use super::parse::{Flaw, Node, Parser, Shape, Stop, flaw, shown};

/// Longest key, in bytes: a quote that was never closed must not swallow the reply.
const KEY_BYTES_MAX: usize = 256;

impl Parser<'_> {
    // ---------------------------------------------------------------------------------------------------------------- words

    /// Where the letters, digits and signs that stand here end.
    pub(super) fn word_end(&self) -> usize {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '+' | '.');
        self.at + self.rest().find(|c| !part(c)).unwrap_or(self.rest().len())
    }

    /// The literal or number here, with where it ends.
    pub(super) fn word(&self) -> Option<(Value, usize)> {
        let end = self.word_end();
        let value = match &self.text[self.at..end] {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            "null" | "None" | "NULL" => Value::Null,
            word => Value::Number(number(word)?),
        };
        Some((value, end))
    }

    pub(super) fn word_value(&mut self) -> Node {
        let at = self.at;
        if let Some((value, end)) = self.word() {
            self.at = end;
            // `17` may be the beginning of `175`; nothing that ends here is kept anyway.
            return Node { at, shape: Shape::Scalar(value), flaw: None };
        }
        // Words without quotes, up to where they must end. If there is more in them, nobody knows what it belongs to.
        let ends = |c: char| is_comma(c) || is_closing(c) || is_opening(c) || is_quote(c) || is_colon(c) || c == '\n';
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let word = shown(&self.rest()[..length]);
        self.at += length;
        let flaw = match self.peek() {
            Some(c) if is_comma(c) || is_closing(c) || c == '\n' => flaw(format!("{word} is no JSON value")),
            None => return self.cut(at),
            Some(_) => self.lose(at),
        };
        Node { at, shape: Shape::Nothing, flaw }
    }

    // -------------------------------------------------------------------------------------------------------------- strings

    /// A key, with or without quotes; `None` if there is none or it has no end.
    pub(super) fn key(&mut self) -> Option<String> {
        let c = self.peek()?;
        if is_quote(c) {
            if self.strict && c != '"' {
                return None;
            }
            let begin = self.at;
            return match self.string(c, true) {
                Ok((key, None)) if key.len() <= KEY_BYTES_MAX => Some(key),
                Ok(_) => {
                    self.at = begin;
                    None
                }
                Err(stop) => {
                    self.stop = Some(stop);
                    None
                }
            };
        }
        let end = self.word_end();
        if self.strict || end == self.at || end - self.at > KEY_BYTES_MAX {
            return None;
        }
        let key = self.text[self.at..end].to_owned();
        self.at = end;
        Some(key)
    }

    pub(super) fn text_value(&mut self, quote: char) -> Node {
        let at = self.at;
        if self.strict && quote != '"' {
            let flaw = self.lose(at);
            return Node { at, shape: Shape::Nothing, flaw };
        }
        match self.string(quote, false) {
            Ok((text, flaw)) => Node { at, shape: Shape::Scalar(Value::String(text)), flaw },
            Err(Stop::Cut) => self.cut(at),
            Err(Stop::Lost { at: lost }) => {
                let flaw = self.lose(lost);
                Node { at, shape: Shape::Nothing, flaw }
            }
        }
    }

    /// A string from its opening quote on, with what is wrong with it.
    fn string(&mut self, quote: char, is_key: bool) -> Result<(String, Option<Flaw>), Stop> {
        let begin = self.at;
        self.step(quote);
        let mut out = String::new();
        let mut found = None;
        let mut has_inner_quotes = false;
        while let Some(c) = self.peek() {
            self.step(c);
            if c == '\\' {
                if let Err(why) = self.escape(&mut out) {
                    found = found.or(flaw(why));
                }
                continue;
            }
            if closes(quote, c) {
                if is_key || self.strict {
                    return Ok((out, found));
                }
                match self.what_quote_is(quote) {
                    Quote::End => return Ok((out, found)),
                    Quote::Inner => has_inner_quotes = true,
                    Quote::Unclear => return Err(Stop::Lost { at: begin + quote.len_utf8() }),
                }
            }
            if c == '\0' {
                found = found.or(flaw("holds NUL"));
            }
            // Quotes within a string are only believed on its one line.
            if c == '\n' && has_inner_quotes {
                return Err(Stop::Lost { at: begin + quote.len_utf8() });
            }
            if is_key && out.len() > KEY_BYTES_MAX {
                return Err(Stop::Lost { at: begin + quote.len_utf8() });
            }
            out.push(c);
        }
        Err(Stop::Cut)
    }

    /// What a closing quote that was just read is, by what comes after it.
    fn what_quote_is(&self, quote: char) -> Quote {
        let rest = self.rest();
        let on_line = rest.trim_start_matches(|c| is_space(c) && !matches!(c, '\n' | '\r'));
        let Some(c) = on_line.chars().next() else { return Quote::End };
        let after = &on_line[c.len_utf8()..];
        match c {
            '\n' | '\r' | ',' | '}' | ']' | '｝' | '］' => Quote::End,
            // It is punctuation of the text unless JSON goes on after it.
            '，' => match after.trim_start_matches(is_space).chars().next() {
                Some(next) if !(is_quote(next) || is_opening(next) || is_closing(next)) => Quote::Inner,
                _ => Quote::End,
            },
            '/' if after.starts_with(['/', '*']) => Quote::End,
            '#' if on_line.len() < rest.len() => Quote::End,
            '`' if after.starts_with("``") => Quote::End,
            // The last quote within, right before the end: "他说"好的"".
            c if closes(quote, c) && on_line.len() == rest.len() && ends_value(after) => Quote::Inner,
            // A key was swallowed, or a comma is missing: which text is in quotes and which is not, nobody knows.
            c if is_colon(c) || is_quote(c) => Quote::Unclear,
            _ => Quote::Inner,
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, out: &mut String) -> Result<(), &'static str> {
        let Some(c) = self.peek() else { return Ok(()) };
        self.step(c);
        match c {
            '"' | '\\' | '/' | '\'' => out.push(c),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let first = self.unit().ok_or("holds an escape that is none")?;
                let mut units = vec![first];
                if (0xD800..0xDC00).contains(&first) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    units.push(self.unit().ok_or("holds an escape that is none")?);
                }
                let text = String::from_utf16(&units).map_err(|_| "holds half a surrogate pair")?;
                if text == "\0" {
                    return Err("holds NUL");
                }
                out.push_str(&text);
            }
            // `\d` and `\_` are no JSON; what was meant is not known, so both characters stay.
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
        Ok(())
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4)?;
        let valid = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unit = u16::from_str_radix(digits, 16).ok().filter(|_| valid)?;
        self.at += 4;
        Some(unit)
    }
}

enum Quote {
    End,
    Inner,
    Unclear,
}

/// A number as JSON or nearly: `+1`, `.5` and `5.` are read, `0x1F`, `1_000` and `NaN` are not.
fn number(word: &str) -> Option<Number> {
    let (sign, digits) = match word.as_bytes().first()? {
        b'-' => ("-", &word[1..]),
        b'+' => ("", &word[1..]),
        _ => ("", word),
    };
    let first = *digits.as_bytes().first()?;
    if !(first.is_ascii_digit() || first == b'.' && digits.len() > 1) {
        return None;
    }
    let zero = if first == b'.' { "0" } else { "" };
    serde_json::from_str(&format!("{sign}{zero}{}", digits.strip_suffix('.').unwrap_or(digits))).ok()
}

/// Whether a value ends where this text begins.
fn ends_value(rest: &str) -> bool {
    rest.trim_start_matches(is_space).chars().next().is_none_or(|c| is_comma(c) || is_closing(c))
}

/// White space and what stands for nothing: controls, the byte order mark, zero width.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{FEFF}' | '\u{200B}'..='\u{200F}' | '\u{2060}')
}

pub(super) fn is_opening(c: char) -> bool {
    matches!(c, '{' | '[' | '｛' | '［')
}

pub(super) fn is_closing(c: char) -> bool {
    is_closing_brace(c) || is_closing_bracket(c)
}

pub(super) fn is_closing_brace(c: char) -> bool {
    matches!(c, '}' | '｝')
}

pub(super) fn is_closing_bracket(c: char) -> bool {
    matches!(c, ']' | '］')
}

pub(super) fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，')
}

pub(super) fn is_colon(c: char) -> bool {
    matches!(c, ':' | '：')
}

/// Opens a string.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '「' | '『' | '＂')
}

/// Whether `c` closes what `quote` opened. Models mix curly quotes with straight ones, and both hands of them.
fn closes(quote: char, c: char) -> bool {
    match quote {
        '"' => c == '"',
        '\'' => c == '\'',
        '“' | '”' => matches!(c, '”' | '“' | '"'),
        '‘' | '’' => matches!(c, '’' | '‘' | '\''),
        '「' => c == '」',
        '『' => c == '』',
        _ => c == quote,
    }
}
