//! A place in a text that small grammars move along. Knows numbers in digits and in Chinese; knows no meaning.

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    pos: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, pos: usize) -> Self {
        Self { text, pos }
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.pos..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The char before the place.
    pub(super) fn before(&self) -> Option<char> {
        self.text[..self.pos].chars().next_back()
    }

    /// Whether what was written so far ends in one of `words`, spaces aside.
    pub(super) fn follows(&self, words: &[&str]) -> bool {
        let before = self.text[..self.pos].trim_end_matches(' ');
        words.iter().any(|word| {
            before.strip_suffix(word).is_some_and(|head| {
                !word.starts_with(|c: char| c.is_ascii_alphabetic())
                    || !head.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            })
        })
    }

    /// Whether one of `words` comes next, spaces aside.
    pub(super) fn leads_to(&self, words: &[&str]) -> bool {
        let mut next = *self;
        next.spaces();
        words.iter().any(|word| next.rest().starts_with(word))
    }

    pub(super) fn jump(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// Steps over `word` if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Steps over the first of `words` that comes next, and gives its place in the list.
    pub(super) fn eat_any(&mut self, words: &[&str]) -> Option<usize> {
        words.iter().position(|word| self.eat(word))
    }

    pub(super) fn spaces(&mut self) -> bool {
        let from = self.pos;
        while self.peek().is_some_and(|c| c == ' ' || c == '\t' || c == '\u{3000}') {
            self.pos += self.peek().map_or(0, char::len_utf8);
        }
        self.pos > from
    }

    /// An ASCII word, lower-cased by folding; the place moves past it.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.pos += len;
        (len > 0).then(|| &rest[..len])
    }

    /// Steps over an ASCII word if it is `word` and ends there.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut next = *self;
        let found = next.word() == Some(word) && !next.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        if found {
            *self = next;
        }
        found
    }

    /// Spaces and then a word.
    pub(super) fn eat_next_word(&mut self, words: &[&str]) -> Option<usize> {
        let mut next = *self;
        next.spaces();
        let found = words.iter().position(|word| next.eat_word(word));
        if found.is_some() {
            *self = next;
        }
        found
    }

    /// ASCII digits, at most `digits_max` of them: value and how many. `None` when there are none or more.
    pub(super) fn digits(&mut self, digits_max: usize) -> Option<(i64, usize)> {
        let rest = self.rest().as_bytes();
        let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if len == 0 || len > digits_max {
            return None;
        }
        let value = rest[..len].iter().fold(0, |value, b| value * 10 + i64::from(b - b'0'));
        self.pos += len;
        Some((value, len))
    }

    /// A whole number in digits or in Chinese (一, 十二, 三十一, 廿三, 两, 一百二十).
    pub(super) fn number(&mut self) -> Option<i64> {
        if self.peek()?.is_ascii_digit() {
            return self.digits(4).map(|(value, _)| value);
        }
        self.chinese_number()
    }

    fn chinese_number(&mut self) -> Option<i64> {
        let (mut total, mut last, mut any) = (0i64, None::<i64>, false);
        while let Some(c) = self.peek() {
            match chinese_digit(c) {
                // Two digits in a row are a year (二〇二六) or loose talk (两三天): not a number here.
                Some(_) if last.is_some_and(|last| last != 0) => return None,
                Some(digit) => last = Some(digit),
                None => match c {
                    '十' => {
                        total += last.take().unwrap_or(1) * 10;
                    }
                    '廿' => total += 20,
                    '百' => total += last.take()? * 100,
                    _ => break,
                },
            }
            any = true;
            self.pos += c.len_utf8();
        }
        any.then(|| total + last.unwrap_or(0))
    }

    /// A year in four digits: 2026, 二〇二六.
    pub(super) fn year(&mut self) -> Option<i16> {
        if let Some((value, 4)) = Cursor::new(self.text, self.pos).digits(4) {
            self.pos += 4;
            return i16::try_from(value).ok();
        }
        let mut value = 0;
        let mut next = *self;
        for _ in 0..4 {
            let digit = next.peek().and_then(chinese_digit)?;
            value = value * 10 + i16::try_from(digit).ok()?;
            next.pos += next.peek()?.len_utf8();
        }
        *self = next;
        Some(value)
    }
}

pub(super) fn chinese_digit(c: char) -> Option<i64> {
    Some(match c {
        '〇' | '零' | '○' => 0,
        '一' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    })
}
