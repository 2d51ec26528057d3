//! The model file: checks that it is whole, then hands out its tensors by name.
//!
//! Layout, all little-endian (written by `models/build.py`):
//! ```text
//! 8   magic "HOLDEMB1"
//! 8   length of the whole file in bytes
//! 32  BLAKE3 of everything after this field
//! 4   number of tensors, then for each: u8 name length, name, u8 element type, u8 number of dimensions,
//!     u32 per dimension, u64 offset from the start of the file, u64 length in bytes
//!     ... the tensors themselves, each at a multiple of 64
//! ```
//! Nothing in the file is trusted, not even under a matching digest: a lookup checks bounds, type and shape, and says what is wrong.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::ModelError;
use crate::q4::{self, Q4Matrix};

const MAGIC: &[u8; 8] = b"HOLDEMB1";
const DIGEST_AT: usize = 16;
const HEAD_LENGTH: usize = 48;
/// A larger file is not one of ours (the whole 250,000-piece vocabulary makes 72 MB), and reading it could exhaust memory.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// Why the content of a model file cannot be used. [`crate::ModelError`] adds the path and the way out.
#[derive(Debug)]
pub(crate) struct Damage(pub String);

/// An opened model file.
pub(crate) struct Pack {
    bytes: Vec<u8>,
    entries: BTreeMap<String, Entry>,
}

struct Entry {
    element: u8,
    shape: Vec<usize>,
    start: usize,
    end: usize,
}

const ELEMENT_F32: u8 = 0;
const ELEMENT_U8: u8 = 1;
const ELEMENT_U32: u8 = 2;
const ELEMENT_Q4: u8 = 3;

impl Pack {
    /// Reads the file, compares its length and digest with what its head promises, and reads the directory.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let bytes = read(path)?;
        let entries = whole(&bytes).and_then(|()| directory(&bytes)).map_err(|damage| damage.at(path))?;
        Ok(Self { bytes, entries })
    }

    /// A UTF-8 string stored as a tensor of bytes.
    pub fn text(&self, name: &str) -> Result<String, Damage> {
        let (bytes, _) = self.find(name, ELEMENT_U8)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| Damage(format!("{name} is not text")))
    }

    /// Raw bytes of any length.
    pub fn bytes(&self, name: &str) -> Result<&[u8], Damage> {
        self.find(name, ELEMENT_U8).map(|(bytes, _)| bytes)
    }

    /// Unsigned integers of any count.
    pub fn u32s(&self, name: &str) -> Result<Vec<u32>, Damage> {
        let (bytes, _) = self.find(name, ELEMENT_U32)?;
        let (words, []) = bytes.as_chunks::<4>() else {
            return Err(Damage(format!("{name} has a torn last element")));
        };
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// Finite floats of any count.
    pub fn floats(&self, name: &str) -> Result<Vec<f32>, Damage> {
        let (bytes, _) = self.find(name, ELEMENT_F32)?;
        let (words, []) = bytes.as_chunks::<4>() else {
            return Err(Damage(format!("{name} has a torn last element")));
        };
        let values: Vec<f32> = words.iter().map(|word| f32::from_le_bytes(*word)).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Damage(format!("{name} holds a number that is not finite")));
        }
        Ok(values)
    }

    /// Exactly `count` finite floats.
    pub fn floats_of(&self, name: &str, count: usize) -> Result<Vec<f32>, Damage> {
        let values = self.floats(name)?;
        if values.len() != count {
            return Err(Damage(format!("{name} has {} numbers, {count} expected", values.len())));
        }
        Ok(values)
    }

    /// A 4-bit matrix of `columns` columns, with as many rows as the file has, or exactly `rows`.
    pub fn q4(&self, name: &str, rows: Option<usize>, columns: usize) -> Result<Q4Matrix<'_>, Damage> {
        let (bytes, shape) = self.find(name, ELEMENT_Q4)?;
        let [found_rows, found_columns] = shape[..] else {
            return Err(Damage(format!("{name} is not a matrix")));
        };
        let expected_length = found_rows.checked_mul(q4::row_bytes(found_columns));
        if found_columns != columns
            || rows.is_some_and(|rows| rows != found_rows)
            || expected_length != Some(bytes.len())
        {
            return Err(Damage(format!("{name} has the wrong shape, {found_rows} x {found_columns}")));
        }
        let (blocks, []) = bytes.as_chunks::<{ q4::BLOCK_BYTES }>() else {
            return Err(Damage(format!("{name} has a torn last block")));
        };
        Q4Matrix::new(blocks, columns).ok_or_else(|| Damage(format!("{name} holds a scale that is not finite")))
    }

    fn find(&self, name: &str, element: u8) -> Result<(&[u8], &[usize]), Damage> {
        let entry = self.entries.get(name).ok_or_else(|| Damage(format!("{name} is missing")))?;
        if entry.element != element {
            return Err(Damage(format!("{name} has element type {}, {element} expected", entry.element)));
        }
        Ok((&self.bytes[entry.start..entry.end], &entry.shape))
    }
}

impl Damage {
    pub fn at(self, path: &Path) -> ModelError {
        ModelError::Damaged { path: path.to_owned(), detail: self.0 }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let unreadable = |source| ModelError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Damage("it is not a file".to_owned()).at(path));
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(Damage(format!("{} bytes are more than any model of ours has", metadata.len())).at(path));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // `take` too, because a file may grow while it is read.
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn whole(bytes: &[u8]) -> Result<(), Damage> {
    let mut head = Cursor { bytes, at: 0 };
    if head.take::<8>().ok().as_ref() != Some(MAGIC) {
        return Err(Damage("it does not begin like a model of ours".to_owned()));
    }
    let promised = u64::from_le_bytes(head.take()?);
    if promised != bytes.len() as u64 {
        return Err(Damage(format!("it has {} bytes, its head promises {promised}", bytes.len())));
    }
    debug_assert_eq!(head.at, DIGEST_AT);
    let digest: [u8; 32] = head.take()?;
    if blake3::hash(&bytes[HEAD_LENGTH..]) != digest {
        return Err(Damage("its checksum does not match its content".to_owned()));
    }
    Ok(())
}

fn directory(bytes: &[u8]) -> Result<BTreeMap<String, Entry>, Damage> {
    let mut cursor = Cursor { bytes, at: HEAD_LENGTH };
    let count = u32::from_le_bytes(cursor.take()?);
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        let [name_length] = cursor.take()?;
        let name = String::from_utf8_lossy(cursor.slice(usize::from(name_length))?).into_owned();
        let [element, dimensions] = cursor.take()?;
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(u32::from_le_bytes(cursor.take()?) as usize);
        }
        let offset = u64::from_le_bytes(cursor.take()?);
        let length = u64::from_le_bytes(cursor.take()?);
        let end = offset.checked_add(length).filter(|end| *end <= bytes.len() as u64);
        let Some(end) = end else {
            return Err(Damage(format!("{name} lies outside the file")));
        };
        // Both fit: `end` is at most the length of a slice.
        entries.insert(name, Entry { element, shape, start: offset as usize, end: end as usize });
    }
    Ok(entries)
}

/// Reads fixed-size fields front to back; running off the end is damage, not a panic.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let slice = self.slice(N)?;
        Ok(*slice.first_chunk().expect("slice() returned exactly N bytes"))
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let slice = rest.get(..length).ok_or_else(|| Damage("it ends inside its head".to_owned()))?;
        self.at += length;
        Ok(slice)
    }
}
