//! Files of which nothing can be read, and those that end too early.

use std::fs::File;

use super::*;

#[test]
fn a_file_that_is_nothing_of_ours_is_an_error_that_says_what_it_is() {
    for (input, expected) in [
        (&b""[..], "error: is empty"),
        (b"\xEF\xBB\xBF \r\n\n", "error: is empty"),
        (b"\x1F\x8B\x08\0", "error: is gzip, not text: unpack it first, e.g. `gzip -dc`"),
        (b"SQLite format 3\0", "error: is a SQLite database, not text: export it as JSON lines first"),
        (b"\xFF\xFE{\0", "error: is UTF-16, not text: convert it first, e.g. `iconv -f UTF-16 -t UTF-8`"),
        (b"\x7FELF\x02\0\0", "error: is binary data, not text: export it as JSON lines first"),
        (
            b"Dear diary,\ntoday",
            "error: is not JSON: expected event lines, an OpenAI-style chat, or records of {scope, id, text}",
        ),
        (b"[1, 2]", "error: is not JSON: expected event lines, an OpenAI-style chat, or records of {scope, id, text}"),
        (
            b"{\"name\": \"x\"}",
            "error: is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and \
             `content`, or with `messages`, or with `scope`, `id` and `text`",
        ),
    ] {
        check(input, &[expected]);
    }
    check(
        b"[]",
        &[
            "error: is JSON of a form that Holdfast doesn't know: expected objects with `source`, `kind` and `content`, or with `role` and `content`, or with `messages`, or with `scope`, `id` and `text`",
        ],
    );
}

#[cfg(unix)]
#[test]
fn a_directory_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let error = read(File::open(folder.path()).unwrap(), "folder", Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "is a directory: name the files in it");
}

#[test]
fn a_file_of_one_truncated_line_says_so() {
    check(
        r#"{"source":"user","kind":"qu"#,
        &[
            "native",
            "UNREAD line 1: is cut off: the JSON ends in the middle, after 27 bytes (the file was cut, or is still being written; write this record again whole)",
        ],
    );
}

#[test]
fn broken_lines_before_the_first_good_one_are_told() {
    check(
        "# exported on Monday\n{\"kind\":\n{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\n",
        &[
            "native",
            "UNREAD line 1: is not JSON",
            "UNREAD line 2: is cut off: the JSON ends in the middle, after 8 bytes (the file was cut, or is still being written; write this record again whole)",
            r#"line 3: default default user/query "a""#,
        ],
    );
}

#[test]
fn a_reader_that_fails_ends_the_entries_with_its_reason() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("s3cret path"))
        }
    }
    let line = b"{\"source\":\"user\",\"kind\":\"query\",\"content\":\"a\"}\n".repeat(2_000);
    let mut entries = read(line.chain(Failing), "f", Options::default()).unwrap();
    let unread = entries.by_ref().find_map(Result::err).unwrap();
    assert_eq!(unread.to_string(), "line 2001: can't be read: other error; what follows was not read");
    assert!(entries.next().is_none());
    assert!(matches!(read(Failing, "f", Options::default()), Err(ImportError::Io(_))));
}
