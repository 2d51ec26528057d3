//! The leaves of a JSON text: what a tool returned, as pairs of path and value. Reads what can be read of a text that was
//! cut off, several values one after another (JSON Lines), and a fenced block; says `None` to what isn't JSON.

use std::fmt::Write as _;

/// Leaves that are read of one text: a result of more is a table, and its beginning stands for it.
const LEAVES_MAX: usize = 2000;
/// And so many of the top behind them.
const TOP_LEAVES_MAX: usize = 100;
/// Deeper nesting is followed, but no longer named in the path.
const PATH_DEPTH_MAX: usize = 12;
/// Deeper nesting isn't followed at all; no tool means it, and memory stays bounded.
const DEPTH_MAX: usize = 512;
/// What is kept of one string, in characters.
const VALUE_CHARS_MAX: usize = 400;

/// The leaves of a JSON text in its own order, as (`orders[0].status`, `shipped`). Empty strings, `null` and empty objects
/// say nothing and are left out.
pub fn json_leaves(text: &str) -> Option<Vec<(String, String)>> {
    let text = unfenced(text.trim());
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader { text, at: 0, stack: Vec::new(), leaves: Vec::new() };
    let mut lines = 0;
    loop {
        match reader.value() {
            Ok(()) => {}
            // Cut off: what is there is worth having.
            Err(Stop::End | Stop::Enough) => break,
            Err(Stop::NotJson) => return None,
        }
        lines += 1;
        reader.skip_space();
        if reader.at == text.len() {
            break;
        }
        if lines == 1 {
            // More follows: from here on, and for what is read already, the line is part of the path.
            for (path, _) in &mut reader.leaves {
                *path =
                    if path.starts_with('[') || path.is_empty() { format!("[0]{path}") } else { format!("[0].{path}") };
            }
        }
        reader.stack = vec![Place::Index(lines)];
    }
    (!reader.leaves.is_empty()).then_some(reader.leaves)
}

/// The inside of a ```json block, if the text is one.
fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```") else { return text };
    let inner = inner.split_once('\n').map_or("", |(_, rest)| rest);
    inner.trim_end().strip_suffix("```").unwrap_or(inner).trim()
}

enum Stop {
    End,
    Enough,
    NotJson,
}

enum Place {
    Key(String),
    Index(usize),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    stack: Vec<Place>,
    leaves: Vec<(String, String)>,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Result<u8, Stop> {
        self.skip_space();
        self.text.as_bytes().get(self.at).copied().ok_or(Stop::End)
    }

    /// One value with everything in it. A loop over an explicit stack: no nesting can exhaust the call stack.
    fn value(&mut self) -> Result<(), Stop> {
        let base = self.stack.len();
        loop {
            // A value stands here.
            match self.peek()? {
                b'{' => {
                    self.at += 1;
                    if self.peek()? == b'}' {
                        self.at += 1;
                    } else {
                        let key = self.key()?;
                        self.open(Place::Key(key))?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if self.peek()? == b']' {
                        self.at += 1;
                    } else {
                        self.open(Place::Index(0))?;
                        continue;
                    }
                }
                b'"' => {
                    let value = self.string(VALUE_CHARS_MAX)?;
                    self.leaf(value)?;
                }
                _ => {
                    let value = self.bare()?;
                    if value != "null" {
                        self.leaf(value)?;
                    }
                }
            }
            // A value has ended: go on in what holds it, or up.
            loop {
                if self.stack.len() == base {
                    return Ok(());
                }
                let mark = self.peek()?;
                let Some(place) = self.stack.last_mut() else { return Ok(()) };
                match (mark, place) {
                    (b',', Place::Index(index)) => {
                        *index += 1;
                        self.at += 1;
                        // A trailing comma, as models write it.
                        if self.peek()? == b']' {
                            continue;
                        }
                        break;
                    }
                    (b',', Place::Key(_)) => {
                        self.at += 1;
                        if self.peek()? == b'}' {
                            continue;
                        }
                        let next = self.key()?;
                        if let Some(Place::Key(key)) = self.stack.last_mut() {
                            *key = next;
                        }
                        break;
                    }
                    (b'}', Place::Key(_)) | (b']', Place::Index(_)) => {
                        self.at += 1;
                        self.stack.pop();
                    }
                    _ => return Err(Stop::NotJson),
                }
            }
        }
    }

    fn open(&mut self, place: Place) -> Result<(), Stop> {
        if self.stack.len() >= DEPTH_MAX {
            return Err(Stop::Enough);
        }
        self.stack.push(place);
        Ok(())
    }

    fn key(&mut self) -> Result<String, Stop> {
        if self.peek()? != b'"' {
            return Err(Stop::NotJson);
        }
        let key = self.string(80)?;
        if self.peek()? != b':' {
            return Err(Stop::NotJson);
        }
        self.at += 1;
        Ok(key)
    }

    /// A string, its escapes undone, and not more of it than `chars_max`.
    fn string(&mut self, chars_max: usize) -> Result<String, Stop> {
        let mut value = String::new();
        let mut kept = 0;
        let mut characters = self.text[self.at + 1..].char_indices();
        let start = self.at + 1;
        while let Some((offset, c)) = characters.next() {
            let c = match c {
                '"' => {
                    self.at = start + offset + 1;
                    return Ok(value);
                }
                '\\' => match characters.next() {
                    Some((_, 'n' | 'r' | 't')) => ' ',
                    Some((at, 'u')) => {
                        let code =
                            self.text[start..].get(at + 1..at + 5).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                        // The four digits are consumed only if they are digits; half a pair reads as a replacement mark.
                        if code.is_some() {
                            characters.nth(3);
                        }
                        let high = code.filter(|code| (0xD800..0xDC00).contains(code));
                        match high {
                            Some(high) => {
                                let low = self.text[start..]
                                    .get(at + 5..at + 11)
                                    .and_then(|rest| rest.strip_prefix("\\u"))
                                    .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                                    .filter(|code| (0xDC00..0xE000).contains(code));
                                if low.is_some() {
                                    characters.nth(5);
                                }
                                low.and_then(|low| char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
                                    .unwrap_or('\u{FFFD}')
                            }
                            None => code.and_then(char::from_u32).unwrap_or('\u{FFFD}'),
                        }
                    }
                    Some((_, escaped)) => escaped,
                    None => break,
                },
                c => c,
            };
            match kept.cmp(&chars_max) {
                std::cmp::Ordering::Less => value.push(c),
                std::cmp::Ordering::Equal => value.push('…'),
                std::cmp::Ordering::Greater => {}
            }
            kept += 1;
        }
        // Cut off within the string: it still is a value.
        self.at = self.text.len();
        Ok(value)
    }

    /// A number or a word; only those that JSON, Python and JavaScript write.
    fn bare(&mut self) -> Result<String, Stop> {
        let rest = &self.text[self.at..];
        let length =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))).unwrap_or(rest.len());
        let word = &rest[..length];
        let is_number = word.len() <= 64 && word.parse::<f64>().is_ok();
        let value = match word {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" | "NaN" | "undefined" | "Infinity" => "null",
            _ if is_number => word,
            // Within the last word of a text that was cut off.
            _ if length == rest.len() && length > 0 => return Err(Stop::End),
            _ => return Err(Stop::NotJson),
        };
        self.at += length;
        Ok(value.to_owned())
    }

    fn leaf(&mut self, value: String) -> Result<(), Stop> {
        let value = value.trim();
        // Behind a long table, what stands at the top still counts: how many, how many failed.
        let counts =
            self.leaves.len() < LEAVES_MAX || self.is_of_the_top() && self.leaves.len() < LEAVES_MAX + TOP_LEAVES_MAX;
        if counts && !value.is_empty() {
            self.leaves.push((self.path(), value.to_owned()));
        }
        if self.leaves.len() >= LEAVES_MAX + TOP_LEAVES_MAX { Err(Stop::Enough) } else { Ok(()) }
    }

    fn is_of_the_top(&self) -> bool {
        matches!(self.stack.as_slice(), [Place::Key(_)])
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for place in self.stack.iter().take(PATH_DEPTH_MAX) {
            match place {
                Place::Key(key) if path.is_empty() => path.push_str(key),
                Place::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Place::Index(index) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        if self.stack.len() > PATH_DEPTH_MAX {
            path.push('…');
        }
        path
    }
}
