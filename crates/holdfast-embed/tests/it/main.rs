//! The embedding model as its users see it, against references made by `models/reference.py`.

#![expect(clippy::unwrap_used, reason = "clippy.toml allows it in tests, but does not count their helpers among them")]

use std::path::PathBuf;

use holdfast_embed::{Embedding, Kernel, Model};

mod damage;
mod reference;
mod texts;

fn model_path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/e5-small-zh-en.bin"))
}

fn model() -> Model {
    Model::open(model_path()).unwrap()
}

/// The model under every kernel this processor runs; says which are left out.
#[expect(clippy::print_stdout, reason = "a test that did not test everything says so")]
fn models() -> Vec<Model> {
    let available = Kernel::available();
    for kernel in [Kernel::Portable, Kernel::Avx2, Kernel::Avx512Vnni] {
        if !available.contains(&kernel) {
            println!("NOT TESTED: this processor cannot run {kernel:?}");
        }
    }
    available.into_iter().map(|kernel| Model::open_with(model_path(), kernel).unwrap()).collect()
}

fn embed(model: &Model, text: &str) -> Embedding {
    model.embed(&[text]).remove(0)
}

/// Cosine of two vectors, which need not have length 1.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
