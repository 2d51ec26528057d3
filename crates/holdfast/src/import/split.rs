//! Bytes in, records out: the lines of a JSONL file, or the elements of JSON arrays, one at a time, with the line each begins on.
//! It looks at brackets and quotes only; what a record means is the decoders' business. No record is held beyond the limit.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// How the file is divided into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// One record a line.
    Lines,
    /// Each top-level object, and each element of a top-level array, is a record, over however many lines.
    Elements,
}

#[derive(Debug)]
pub(super) enum Piece {
    Record(Record),
    /// Longer than the limit: read past, not kept.
    TooLong {
        line: u64,
        bytes: u64,
    },
    /// Something between the records that is no JSON; the rest can't be divided.
    Stray {
        line: u64,
    },
    /// The file ended within an array, after its last whole element.
    Unclosed {
        line: u64,
    },
    Io {
        line: u64,
        error: io::Error,
    },
}

#[derive(Debug)]
pub(super) struct Record {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Which top-level array it is an element of, from 1; 0 for none.
    pub array: u64,
    pub bytes: Vec<u8>,
}

pub(super) struct Splitter<R> {
    input: BufReader<R>,
    division: Division,
    pub limit: usize,
    line: u64,
    arrays: u64,
    in_array: bool,
    ended: bool,
}

impl<R: Read> Splitter<R> {
    pub fn new(input: R, division: Division, limit: usize) -> Self {
        Self { input: BufReader::new(input), division, limit, line: 1, arrays: 0, in_array: false, ended: false }
    }

    /// The next piece; after `None`, `Stray` and `Io` there is none.
    pub fn next(&mut self) -> Option<Piece> {
        if self.ended {
            return None;
        }
        let piece = match self.division {
            Division::Lines => self.next_line(),
            Division::Elements => self.next_element(),
        };
        let piece = piece.unwrap_or_else(|error| Some(Piece::Io { line: self.line, error }));
        self.ended = !matches!(piece, Some(Piece::Record(_) | Piece::TooLong { .. }));
        piece
    }

    fn next_line(&mut self) -> io::Result<Option<Piece>> {
        loop {
            let mut kept = Kept::new(self.limit);
            let line = self.line;
            let ended = loop {
                let chunk = fill(&mut self.input)?;
                if chunk.is_empty() {
                    break true;
                }
                let newline = chunk.iter().position(|byte| *byte == b'\n');
                let part = newline.unwrap_or(chunk.len());
                kept.push(&chunk[..part]);
                self.input.consume(part + usize::from(newline.is_some()));
                if newline.is_some() {
                    self.line += 1;
                    break false;
                }
            };
            let is_blank = kept.bytes.iter().all(u8::is_ascii_whitespace) && kept.seen <= self.limit as u64;
            if !is_blank {
                return Ok(Some(kept.piece(line, 0)));
            }
            if ended {
                return Ok(None);
            }
        }
    }

    fn next_element(&mut self) -> io::Result<Option<Piece>> {
        let Some(first) = self.seek_element()? else {
            return Ok(self.in_array.then_some(Piece::Unclosed { line: self.line }));
        };
        let opens = match first {
            b'{' => true,
            _ if !self.in_array => return Ok(Some(Piece::Stray { line: self.line })),
            b'[' | b'"' => true,
            b'}' | b':' => return Ok(Some(Piece::Stray { line: self.line })),
            _ => false,
        };
        let (line, mut kept) = (self.line, Kept::new(self.limit));
        let mut scan = Scan::default();
        loop {
            let chunk = fill(&mut self.input)?;
            if chunk.is_empty() {
                // Cut off: what there is goes on, and its parser says where it ends, which is enough said.
                self.in_array = false;
                return Ok(Some(kept.piece(line, self.arrays)));
            }
            let end = if opens {
                chunk.iter().position(|byte| scan.closes(*byte)).map(|at| at + 1)
            } else {
                chunk.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b']'))
            };
            let part = end.unwrap_or(chunk.len());
            self.line += chunk[..part].iter().filter(|byte| **byte == b'\n').count() as u64;
            kept.push(&chunk[..part]);
            self.input.consume(part);
            if end.is_some() {
                return Ok(Some(kept.piece(line, if self.in_array { self.arrays } else { 0 })));
            }
        }
    }

    /// Passes spaces, commas and the brackets of top-level arrays; stays before the first byte of what comes next.
    fn seek_element(&mut self) -> io::Result<Option<u8>> {
        loop {
            let chunk = fill(&mut self.input)?;
            let Some(&byte) = chunk.first() else { return Ok(None) };
            match byte {
                b'\n' => self.line += 1,
                b',' | b' ' | b'\t' | b'\r' => {}
                b'[' if !self.in_array => {
                    self.in_array = true;
                    self.arrays += 1;
                }
                b']' if self.in_array => self.in_array = false,
                byte => return Ok(Some(byte)),
            }
            self.input.consume(1);
        }
    }
}

fn fill<R: Read>(input: &mut BufReader<R>) -> io::Result<&[u8]> {
    while let Err(error) = input.fill_buf() {
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // Filled by now: this one can't read again, and a borrow can't leave the loop.
    Ok(input.buffer())
}

/// Where a scan through one JSON value is. It never recurses, so depth costs nothing.
#[derive(Default)]
struct Scan {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// Whether the value ends with this byte.
    fn closes(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return !self.in_string && self.depth == 0;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// The bytes of a record as long as it is within the limit; beyond it, only how many there were.
struct Kept {
    bytes: Vec<u8>,
    seen: u64,
    limit: usize,
}

impl Kept {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), seen: 0, limit }
    }

    fn push(&mut self, part: &[u8]) {
        self.seen += part.len() as u64;
        if self.seen <= self.limit as u64 {
            self.bytes.extend_from_slice(part);
        } else {
            self.bytes = Vec::new();
        }
    }

    fn piece(self, line: u64, array: u64) -> Piece {
        if self.seen > self.limit as u64 {
            Piece::TooLong { line, bytes: self.seen }
        } else {
            Piece::Record(Record { line, array, bytes: self.bytes })
        }
    }
}
