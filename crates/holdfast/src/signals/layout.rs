//! Sentences and clauses of a folded text, around what is quoted in it.

use std::ops::Range;

use super::quotations::{self, Quotations};

/// A stretch between commas, colons and sentence ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) span: Range<usize>,
    pub(super) sentence: usize,
}

/// A stretch between full stops, question marks, exclamation marks, semicolons and line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) span: Range<usize>,
    pub(super) question: bool,
}

/// How a text is cut. Spans are of the folded text.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) sentences: Vec<Sentence>,
    pub(super) clauses: Vec<Clause>,
    /// Insides of quotation marks and code, and quoted lines, in order.
    pub(super) quoted: Vec<Range<usize>>,
    /// And whatever else may be somebody else's by its marks.
    pub(super) foreign: Vec<Range<usize>>,
}

/// A sentence is cut after so many bytes: rules look through the clause and sentence of each word, and a text without marks
/// must not make that quadratic. People's sentences are a tenth of it.
const SENTENCE_BYTES_MAX: usize = 2048;

impl Layout {
    pub(super) fn new(text: &str) -> Self {
        let Quotations { quoted: quotations, foreign } = quotations::find(text);
        let mut layout = Self::default();
        let (mut sentence_from, mut clause_from) = (0, 0);
        let bytes = text.as_bytes();
        let mut quoted = quotations.iter().peekable();
        let mut placeholder_to = 0;
        for (at, c) in text.char_indices() {
            if at < placeholder_to {
                continue;
            }
            placeholder_to = at + placeholder(&text[at..]);
            while quoted.next_if(|span| span.end <= at).is_some() {}
            // A full stop inside quotation marks does not end the sentence around it.
            if quoted.peek().is_some_and(|span| span.contains(&at)) && c != '\n' {
                continue;
            }
            let too_long = at - sentence_from >= SENTENCE_BYTES_MAX && !c.is_ascii_alphanumeric();
            let end = at + c.len_utf8();
            let next_is_space = bytes.get(end).is_none_or(u8::is_ascii_whitespace);
            let (ends_sentence, ends_clause) = match c {
                '。' | '！' | '？' | '；' | '\n' | '!' | '?' | '…' => (true, true),
                '.' | ';' => (next_is_space && !abbreviation(&text[..at]), false),
                '，' | '：' | '—' | '～' => (false, true),
                ',' | ':' => (false, !between_digits(bytes, at)),
                _ => (false, false),
            };
            let ends_sentence = ends_sentence || too_long;
            if ends_sentence || ends_clause {
                layout.clause(clause_from..at);
                clause_from = end;
            }
            if ends_sentence {
                layout.sentence(text, sentence_from..at, matches!(c, '？' | '?'));
                sentence_from = end;
            }
        }
        layout.clause(clause_from..text.len());
        layout.sentence(text, sentence_from..text.len(), false);
        layout.quoted = quotations;
        layout.foreign = foreign;
        layout
    }

    /// Whether a place is inside of a quotation.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        quotations::covers(&self.quoted, at)
    }

    /// Whether a place may be inside of somebody else's text, by its marks.
    pub(super) fn is_foreign(&self, at: usize) -> bool {
        quotations::covers(&self.foreign, at)
    }

    pub(super) fn clause_at(&self, at: usize) -> Option<&Clause> {
        let after = self.clauses.partition_point(|clause| clause.span.end <= at);
        self.clauses.get(after).filter(|clause| clause.span.contains(&at))
    }

    pub(super) fn sentence_of(&self, clause: &Clause) -> &Sentence {
        &self.sentences[clause.sentence]
    }

    fn clause(&mut self, span: Range<usize>) {
        if span.start < span.end {
            self.clauses.push(Clause { span, sentence: self.sentences.len() });
        }
    }

    fn sentence(&mut self, text: &str, span: Range<usize>, marked: bool) {
        // Always pushed, so that the clauses' numbers hold; 吗 asks without a mark.
        let said = text[span.clone()].trim_end();
        let question = marked || said.ends_with(['吗', '么']) && !said.ends_with("什么") || said.ends_with("呢");
        self.sentences.push(Sentence { span, question });
    }
}

/// The length of «password:1» at the beginning of a text: a word, whatever marks are in it. 0: there is none.
pub(super) fn placeholder(text: &str) -> usize {
    /// A label of 32 and a hash of 12, and some.
    const INSIDE_BYTES_MAX: usize = 48;
    let Some(inside) = text.strip_prefix('«') else { return 0 };
    let inside = &inside[..inside.floor_char_boundary(INSIDE_BYTES_MAX)];
    let Some(end) = inside.find('»') else { return 0 };
    let named = inside[..end].split_once(':').is_some_and(|(label, number)| {
        let lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        !label.is_empty()
            && label.bytes().all(|b| lower(b) || b == b'_')
            && !number.is_empty()
            && number.bytes().all(lower)
    });
    if named { '«'.len_utf8() + end + '»'.len_utf8() } else { 0 }
}

fn between_digits(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}

fn abbreviation(before: &str) -> bool {
    ["e.g", "i.e", " mr", " ms", " dr", " mrs", " vs", " no", "etc"].iter().any(|word| before.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_one_word() {
        let clauses = |text: &str| {
            let layout = Layout::new(text);
            layout.clauses.iter().map(|clause| text[clause.span.clone()].to_owned()).collect::<Vec<_>>()
        };
        for (text, expected) in [
            ("以后密码改成«password:1»", vec!["以后密码改成«password:1»"]),
            ("以后密码改成«password:0a1b2c3d4e5f»，谢谢", vec!["以后密码改成«password:0a1b2c3d4e5f»", "谢谢"]),
            ("密码：«password:1»«code:2», then go", vec!["密码", "«password:1»«code:2»", " then go"]),
            ("always use «api_key:12»: it works", vec!["always use «api_key:12»", " it works"]),
            ("«note: this is said»", vec!["«note", " this is said»"]),
            ("«a:", vec!["«a"]),
        ] {
            assert_eq!(clauses(text), expected, "{text}");
        }
    }

    #[test]
    fn a_placeholder_quotes_nothing() {
        let layout = Layout::new("say 'it is «password:1»' and \"«code:2»\"");
        assert_eq!(layout.quoted.len(), 2);
        assert!(!Layout::new("以后密码改成«password:1»，好").is_quoted("以后密码改成«".len()));
    }
}
