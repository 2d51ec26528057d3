//! A file that is not the model gives an error that names it and says what to do; never a panic.

use std::fs::File;
use std::os::unix::fs::FileExt;

use holdfast_embed::{Model, ModelError};
use tempfile::NamedTempFile;

use crate::model_path;

const HEAD: usize = 48;

/// A copy of the model file, to be damaged.
fn copy() -> (NamedTempFile, Vec<u8>) {
    let bytes = std::fs::read(model_path()).unwrap();
    let copy = NamedTempFile::new().unwrap();
    std::fs::write(copy.path(), &bytes).unwrap();
    (copy, bytes)
}

/// The file must not open; the message must name it and contain `expected`.
fn check(file: &NamedTempFile, expected: &str) {
    let message = Model::open(file.path()).expect_err("a damaged file must not open").to_string();
    let named = message.contains(file.path().to_str().unwrap());
    assert!(named && message.contains(expected) && message.contains("models/build.py"), "{message}");
}

fn check_content(content: &[u8], expected: &str) {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    check(&file, expected);
}

/// Gives the file the length and digest it promises, as if it had been written like this.
fn seal(bytes: &mut [u8]) {
    let length = bytes.len() as u64;
    bytes[8..16].copy_from_slice(&length.to_le_bytes());
    let digest = blake3::hash(&bytes[HEAD..]);
    bytes[16..HEAD].copy_from_slice(digest.as_bytes());
}

/// Pseudo-random numbers, the same in every run (xorshift64*).
fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = Model::open("/no/such/model.bin").unwrap_err();
    assert!(matches!(error, ModelError::Unreadable { .. }));
    assert!(error.to_string().contains("/no/such/model.bin"));
}

#[test]
fn a_folder_is_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let message = Model::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains(folder.path().to_str().unwrap()), "{message}");
}

#[test]
fn other_content_is_no_model() {
    check_content(b"", "does not begin like a model");
    check_content(b"HOLD", "does not begin like a model");
    check_content(&[0; 4096], "does not begin like a model");
    check_content(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:04d5\nsize 28246656\n",
        "does not begin like a model",
    );
}

#[test]
fn a_truncated_file_is_recognised_wherever_it_ends() {
    let (file, whole) = copy();
    File::options().append(true).open(file.path()).unwrap().set_len(whole.len() as u64 + 1).unwrap();
    check(&file, "its head promises 28246656");
    let mut number = numbers(1);
    let mut cuts: Vec<usize> =
        (8..80).chain((0..40).map(|_| number(whole.len()).max(16))).chain([whole.len() - 1]).collect();
    cuts.sort_unstable();
    for cut in cuts.into_iter().rev() {
        File::options().append(true).open(file.path()).unwrap().set_len(cut as u64).unwrap();
        check(&file, if cut < 16 { "ends inside its head" } else { "its head promises 28246656" });
    }
}

#[test]
fn a_flipped_bit_is_recognised_wherever_it_is() {
    let (file, whole) = copy();
    let writer = File::options().write(true).open(file.path()).unwrap();
    let mut number = numbers(2);
    let places: Vec<usize> = (0..HEAD).chain((0..40).map(|_| number(whole.len()))).chain([whole.len() - 1]).collect();
    for place in places {
        writer.write_all_at(&[whole[place] ^ 1 << (place % 8)], place as u64).unwrap();
        check(&file, "");
        writer.write_all_at(&[whole[place]], place as u64).unwrap();
    }
    Model::open(file.path()).expect("all flips are undone");
}

/// A digest guards against accidents, not against a file made wrong. Such a file may even open, but nothing may panic.
#[test]
fn a_wrong_file_under_a_right_digest_does_no_harm() {
    let (file, whole) = copy();
    let mut number = numbers(3);
    // The directory, the tables of the tokenizer (two regions), and all the rest.
    for (from, to) in [(HEAD, 6200), (6200, 250_000), (250_000, 1_200_000), (1_200_000, whole.len())] {
        for _ in 0..8 {
            let mut bytes = whole.clone();
            for _ in 0..=number(20) {
                bytes[from + number(to - from)] = number(256) as u8;
            }
            seal(&mut bytes);
            std::fs::write(file.path(), &bytes).unwrap();
            if let Ok(model) = Model::open(file.path()) {
                let embedding = &model.embed(&["any text, 任何文字 ½ ﬁ 😀"])[0];
                assert_eq!(embedding.vector.len(), 384);
            }
        }
    }
    for cut in [HEAD, HEAD + 4, 100, 5000, 6080, 1_000_000, 20_000_000] {
        let mut bytes = whole[..cut].to_vec();
        seal(&mut bytes);
        check_content(&bytes, "");
    }
}

#[test]
fn a_kernel_is_detected_or_chosen() {
    use holdfast_embed::Kernel;
    let portable = Model::open_with(model_path(), Kernel::Portable).unwrap();
    assert_eq!(portable.kernel(), Kernel::Portable);
    assert_eq!(Model::open(model_path()).unwrap().kernel(), Kernel::available()[0]);
    for kernel in [Kernel::Avx2, Kernel::Avx512Vnni] {
        match Model::open_with(model_path(), kernel) {
            Ok(model) => assert_eq!(model.kernel(), kernel),
            Err(error) => {
                assert!(matches!(error, ModelError::KernelUnavailable(unavailable) if unavailable == kernel), "{error}")
            }
        }
    }
}
