//! Almost-JSON in a text to values that know where they stood and what is wrong with them. Time is linear in the text, the stack bounded.
//!
//! Read as JSON though it isn't: comments, commas too many or too few between items, “curly”, 'single' and 「corner」 quotes, full-width
//! punctuation, keys without quotes, Python's True, False and None, line ends within strings, quotes within a string that can't be its end
//! ("他说"好的"就行"), numbers like +1, .5 and 5., brackets that are missing at the end of the list.
//!
//! Not read, but stepped over with the item it is in: NaN and Infinity, words without quotes, half surrogates, NUL, what is nested too deep.
//!
//! Where the parser can no longer tell what is inside a string and what is not, the item is lost. It goes on at the next `}, {`, and from
//! there takes double quotes only: after a loss it may be reading what someone said, and the fewer forms that takes for items the better.

use std::fmt;

use serde_json::Value;

use super::words::{
    is_closing, is_closing_brace, is_closing_bracket, is_colon, is_comma, is_opening, is_quote, is_space,
};

/// Deepest nesting that is read: what is asked for has two or three levels.
const DEPTH_MAX: usize = 64;
/// How often almost-JSON is tried anew after a loss; later only double quotes are read. Keeps the time linear.
const LOSSES_MAX: usize = 16;
/// Characters of a bad word that are repeated in its flaw.
const WORD_SHOWN_CHARS: usize = 40;

/// A value, or what is left of one.
#[derive(Debug)]
pub(super) struct Node {
    pub at: usize,
    pub shape: Shape,
    /// The first thing that is wrong with it or with something in it.
    pub flaw: Option<Flaw>,
}

#[derive(Debug)]
pub(super) enum Shape {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Scalar(Value),
    /// No value where one should be.
    Nothing,
}

#[derive(Debug, Clone)]
pub(super) struct Flaw {
    /// Keys down to it, each with a point behind it.
    path: String,
    why: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.trim_end_matches('.') {
            "" => f.write_str(&self.why),
            path => write!(f, "{path}: {}", self.why),
        }
    }
}

#[derive(Debug)]
pub(super) struct Parsed {
    pub nodes: Vec<Node>,
    pub truncated: bool,
    /// Values in the model's thoughts are not its answer.
    pub thought: Option<Thought>,
}

#[derive(Debug)]
pub(super) struct Thought {
    pub at: usize,
    pub why: String,
}

/// Why the parser had to stop within a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The text ends, or the fenced block does.
    Cut,
    /// It can no longer be told what is what.
    Lost { at: usize },
}

/// All values in a text.
pub(super) fn parse(text: &str) -> Parsed {
    let mut parser = Parser { text, at: 0, strict: false, stop: None, objects: 0 };
    let mut parsed = Parsed { nodes: Vec::new(), truncated: false, thought: None };
    let mut losses = 0;
    while let Some(c) = parser.peek() {
        match parser.tag() {
            Some(Tag::Opens) => {
                let at = parser.at;
                if !parser.skip_thought() {
                    parsed.truncated = true;
                    parsed.thought =
                        Some(Thought { at, why: "the reply breaks off in the model's thoughts".to_owned() });
                    break;
                }
                continue;
            }
            // Its beginning was in the prompt: all before it was thought.
            Some(Tag::Closes(length)) => {
                parsed.nodes.clear();
                parsed.truncated = false;
                parser.at += length;
                continue;
            }
            None => {}
        }
        if !parser.begins_value() {
            parser.at += c.len_utf8();
            continue;
        }
        parser.strict = losses > LOSSES_MAX;
        let node = parser.value(0, true);
        parsed.nodes.push(node);
        match parser.stop.take() {
            None => {}
            Some(Stop::Cut) => parsed.truncated = true,
            Some(Stop::Lost { at }) => {
                losses += 1;
                parser.at = at.max(parser.at);
                parser.skip_to_line_of_json();
            }
        }
        parser.objects = 0;
    }
    parsed
}

enum Tag {
    Opens,
    Closes(usize),
}

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub at: usize,
    /// Double quotes only.
    pub strict: bool,
    pub stop: Option<Stop>,
    /// Objects that are open around here.
    objects: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn step(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    /// White space, controls, what can't be seen, and comments.
    fn space(&mut self) {
        while let Some(c) = self.peek() {
            if is_space(c) {
                self.step(c);
            } else if c == '#' || self.rest().starts_with("//") || self.rest() == "/" {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.at += self.rest()[2..].find("*/").map_or(self.rest().len(), |end| end + 4);
            } else {
                return;
            }
        }
    }

    // ------------------------------------------------------------------------------------------------------------- thoughts

    /// The mark around a model's thoughts, if one is here.
    fn tag(&self) -> Option<Tag> {
        let (open, close) = match self.peek()? {
            '<' => ("<", '>'),
            '[' => ("[", ']'),
            _ => return None,
        };
        let inside = &self.rest()[open.len()..];
        let (closes, name) = match inside.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, inside),
        };
        let length = name.bytes().take(LONGEST_THOUGHT + 1).take_while(u8::is_ascii_alphabetic).count();
        // `[THINK]` is a mark of some models, `[think]` is a word in brackets.
        let known = match open {
            "<" => THOUGHTS.iter().any(|known| known.eq_ignore_ascii_case(&name[..length])),
            _ => &name[..length] == "THINK",
        };
        if !known || !name[length..].starts_with(close) {
            return None;
        }
        Some(if closes { Tag::Closes(length + 3) } else { Tag::Opens })
    }

    /// Goes behind the end of the thoughts that begin here; false if they have none.
    fn skip_thought(&mut self) -> bool {
        let bracket = if self.peek() == Some('<') { "</" } else { "[/" };
        while let Some(found) = self.rest().find(bracket) {
            self.at += found;
            match self.tag() {
                Some(Tag::Closes(length)) => {
                    self.at += length;
                    return true;
                }
                _ => self.at += bracket.len(),
            }
        }
        self.at = self.text.len();
        false
    }

    // -------------------------------------------------------------------------------------------------------------- outside

    /// Whether a bracket here opens JSON rather than an aside.
    fn begins_value(&mut self) -> bool {
        let before = self.at;
        let begins = match self.peek() {
            Some(c @ ('{' | '｛')) => {
                self.step(c);
                self.space();
                match self.peek() {
                    None => true,
                    Some(c) if is_closing_brace(c) || is_quote(c) || is_comma(c) => true,
                    Some(_) => {
                        let word = self.word_end();
                        let after = self.text[word..].trim_start_matches(is_space);
                        word > self.at && after.starts_with(is_colon)
                    }
                }
            }
            Some(c @ ('[' | '［')) => {
                self.step(c);
                self.space();
                match self.peek() {
                    None => true,
                    Some(c) => is_opening(c) || is_closing_bracket(c) || is_quote(c) || c == '-' || c.is_ascii_digit(),
                }
            }
            _ => false,
        };
        self.at = before;
        begins
    }

    /// After a loss: on to a line that begins with a bracket, or to the end of thoughts.
    fn skip_to_line_of_json(&mut self) {
        while let Some(found) = self.rest().find(['\n', '<', '[']) {
            self.at += found;
            if self.tag().is_some() {
                return;
            }
            let ends_line = self.peek() == Some('\n');
            self.at += 1;
            if ends_line && self.rest().trim_start_matches([' ', '\t']).starts_with(is_opening) {
                return;
            }
        }
        self.at = self.text.len();
    }

    // --------------------------------------------------------------------------------------------------------------- inside

    /// `list`: no list is around this value, so that a list in it may go on after a loss.
    fn value(&mut self, depth: usize, list: bool) -> Node {
        let at = self.at;
        match self.peek() {
            None => self.cut(at),
            Some(_) if self.is_at_end_of_block() => self.cut(at),
            Some(c) if is_opening(c) && depth >= DEPTH_MAX => {
                self.skip_balanced();
                Node { at, shape: Shape::Nothing, flaw: flaw(format!("nested deeper than {DEPTH_MAX} levels")) }
            }
            Some('{' | '｛') => {
                self.objects += 1;
                let object = self.object(depth, list);
                self.objects -= 1;
                object
            }
            Some('[' | '［') => self.array(depth, list),
            Some(c) if is_quote(c) => self.text_value(c),
            Some(c) if is_comma(c) || is_closing(c) => Node { at, shape: Shape::Nothing, flaw: flaw("no value") },
            Some(_) => self.word_value(),
        }
    }

    pub(super) fn cut(&mut self, at: usize) -> Node {
        self.stop = Some(Stop::Cut);
        Node { at, shape: Shape::Nothing, flaw: flaw("breaks off") }
    }

    pub(super) fn lose(&mut self, at: usize) -> Option<Flaw> {
        self.stop = Some(Stop::Lost { at });
        flaw("not JSON: it can't be told where its parts end")
    }

    /// The end of a fenced block, or a mark of thoughts: nothing of the value comes after it.
    fn is_at_end_of_block(&self) -> bool {
        self.rest().starts_with("```") || (self.peek() == Some('<') && self.tag().is_some())
    }

    fn object(&mut self, depth: usize, list: bool) -> Node {
        let at = self.at;
        let mut fields = Vec::new();
        let mut first_flaw = None;
        self.at += self.peek().map_or(0, char::len_utf8);
        loop {
            self.space();
            let Some(c) = self.peek().filter(|_| !self.is_at_end_of_block()) else {
                self.stop = Some(Stop::Cut);
                first_flaw = first_flaw.or(flaw("breaks off"));
                break;
            };
            if is_closing_brace(c) {
                self.step(c);
                break;
            }
            if is_comma(c) {
                self.step(c);
                continue;
            }
            if is_closing_bracket(c) {
                first_flaw = first_flaw.or(flaw("its closing brace is missing"));
                break;
            }
            let key_at = self.at;
            let key = self.key();
            self.space();
            match (key, self.peek()) {
                (Some(key), Some(c)) if is_colon(c) => {
                    self.step(c);
                    self.space();
                    let node = self.value(depth + 1, list);
                    if first_flaw.is_none() {
                        first_flaw = node.flaw.clone();
                        if let Some(flaw) = &mut first_flaw {
                            flaw.path.insert_str(0, &format!("{key}."));
                        }
                    }
                    fields.push((key, node));
                }
                (Some(_), None) => self.stop = Some(Stop::Cut),
                _ if self.stop.is_none() => first_flaw = first_flaw.or(self.lose(key_at)),
                _ => {}
            }
            match self.stop {
                None => {}
                Some(Stop::Cut) => {
                    first_flaw = first_flaw.or(flaw("breaks off"));
                    break;
                }
                Some(Stop::Lost { at }) => {
                    first_flaw = first_flaw.or(self.lose(at));
                    break;
                }
            }
        }
        Node { at, shape: Shape::Object(fields), flaw: first_flaw }
    }

    fn array(&mut self, depth: usize, list: bool) -> Node {
        let at = self.at;
        let mut elements: Vec<Node> = Vec::new();
        let mut first_flaw = None;
        self.at += self.peek().map_or(0, char::len_utf8);
        loop {
            self.space();
            let Some(c) = self.peek().filter(|_| !self.is_at_end_of_block()) else {
                self.stop = Some(Stop::Cut);
                first_flaw = first_flaw.or(flaw("breaks off"));
                break;
            };
            if is_closing_bracket(c) {
                self.step(c);
                break;
            }
            if is_comma(c) {
                self.step(c);
                continue;
            }
            // The object around it ends here, and so does this.
            if is_closing_brace(c) && self.objects > 0 {
                first_flaw = first_flaw.or(flaw("its closing bracket is missing"));
                break;
            }
            let begins = is_opening(c) || is_quote(c) || self.word().is_some();
            let node = if begins { self.value(depth + 1, false) } else { self.noise() };
            if first_flaw.is_none() {
                first_flaw = node.flaw.clone();
                if let Some(flaw) = &mut first_flaw {
                    flaw.path.insert_str(0, &format!("{}.", elements.len()));
                }
            }
            elements.push(node);
            match self.stop {
                None => {}
                Some(Stop::Cut) => break,
                Some(Stop::Lost { at }) => {
                    if !(list && self.find_next_item(at)) {
                        break;
                    }
                    self.stop = None;
                    self.strict = true;
                }
            }
        }
        Node { at, shape: Shape::Array(elements), flaw: first_flaw }
    }

    /// Something between items that is none: `...`, prose.
    fn noise(&mut self) -> Node {
        let at = self.at;
        let ends = |c: char| is_comma(c) || is_opening(c) || is_closing(c) || c == '\n';
        let first = self.peek().map_or(0, char::len_utf8);
        let after = &self.rest()[first..];
        self.at += first + after.find(ends).unwrap_or(after.len());
        Node { at, shape: Shape::Nothing, flaw: flaw(format!("not JSON: {}", shown(&self.text[at..self.at]))) }
    }

    /// After a loss: the next brace that follows an item's end and a comma (or a line's end), as items do.
    fn find_next_item(&mut self, from: usize) -> bool {
        let mut search = from;
        while let Some(found) = self.text[search..].find(['{', '｛']) {
            let brace = search + found;
            let before = self.text[..brace].trim_end_matches(is_space);
            let between = &self.text[before.len()..brace];
            let comma = before.strip_suffix(is_comma).map(|before| before.trim_end_matches(is_space));
            let follows = match comma {
                // At the very place of the loss, the item before lacks its brace.
                Some(before) => before.ends_with(is_closing_brace) || brace == from,
                None => before.ends_with(is_closing_brace) && between.contains('\n'),
            };
            if follows {
                self.at = brace;
                return true;
            }
            search = brace + 1;
            while !self.text.is_char_boundary(search) {
                search += 1;
            }
        }
        false
    }

    /// Over a value that is nested too deep. Only quotes and brackets are looked at.
    fn skip_balanced(&mut self) {
        let mut open = 0usize;
        let mut quoted = false;
        while let Some(c) = self.peek() {
            self.step(c);
            match c {
                '\\' if quoted => self.at += self.peek().map_or(0, char::len_utf8),
                '"' => quoted = !quoted,
                _ if quoted => {}
                c if is_opening(c) => open += 1,
                c if is_closing(c) => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
        self.stop = Some(Stop::Cut);
    }
}

/// Names of the elements that models put their thoughts in.
const THOUGHTS: [&str; 6] = ["think", "thinking", "thought", "thoughts", "reasoning", "reflection"];
const LONGEST_THOUGHT: usize = "reflection".len();

pub(super) fn flaw(why: impl Into<String>) -> Option<Flaw> {
    Some(Flaw { path: String::new(), why: why.into() })
}

pub(super) fn shown(word: &str) -> String {
    let word = word.trim();
    match word.char_indices().nth(WORD_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}
