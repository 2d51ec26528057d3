//! Token ids equal to SentencePiece's; vectors close to a float32 forward pass in numpy, with every kernel.

use crate::{cosine, model, models};

/// The least cosine to the reference that a kernel may have on any text.
const COSINE_MIN: f64 = 0.999;

struct Reference {
    text: String,
    ids: Vec<u32>,
    vector: Option<Vec<f32>>,
}

fn references() -> Vec<Reference> {
    let lines = include_str!("../fixtures/reference.jsonl").lines();
    lines
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            Reference {
                text: row["text"].as_str().unwrap().to_owned(),
                ids: row["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect(),
                vector: row["vector"]
                    .as_str()
                    .map(|base64| base64_bytes(base64).as_chunks::<2>().0.iter().map(|h| f16(*h)).collect()),
            }
        })
        .collect()
}

#[test]
fn token_ids_are_those_of_sentencepiece() {
    let model = model();
    let references = references();
    assert!(references.len() >= 500);
    for Reference { text, ids, .. } in references {
        assert_eq!(model.tokenize(&text), ids, "{text:?}");
    }
}

#[test]
fn vectors_are_those_of_the_float_reference() {
    let references: Vec<_> = references().into_iter().filter(|reference| reference.vector.is_some()).collect();
    assert!(references.len() >= 60);
    let texts: Vec<&str> = references.iter().map(|reference| &reference.text[..]).collect();
    for model in models() {
        let embeddings = model.embed(&texts);
        let cosines: Vec<f64> = embeddings
            .iter()
            .zip(&references)
            .map(|(embedding, reference)| cosine(&embedding.vector, reference.vector.as_ref().unwrap()))
            .collect();
        let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
        let least = cosines.iter().copied().fold(1.0, f64::min);
        println!("{:?}: cosine to the reference: mean {mean:.6}, least {least:.6}", model.kernel());
        for (text, cosine) in texts.iter().zip(cosines) {
            assert!(cosine >= COSINE_MIN, "{:?}: {cosine} on {text:?}", model.kernel());
        }
    }
}

#[test]
fn the_common_part_is_the_mean_of_the_reference_vectors() {
    let vectors: Vec<Vec<f32>> = references().into_iter().filter_map(|reference| reference.vector).collect();
    let common = model().common();
    assert_eq!(common.len(), vectors[0].len());
    for (place, number) in common.iter().enumerate() {
        let mean = vectors.iter().map(|vector| vector[place]).sum::<f32>() / vectors.len() as f32;
        assert!((number - mean).abs() < 1e-5, "number {place}: {number}, mean {mean}");
    }
}

fn base64_bytes(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for digit in text.chars().take_while(|digit| *digit != '=') {
        bits = bits << 6 | DIGITS.find(digit).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// A normal or zero half; a subnormal becomes zero, which no cosine here notices.
fn f16(bytes: [u8; 2]) -> f32 {
    let half = u32::from(u16::from_le_bytes(bytes));
    let magnitude = if half & 0x7c00 == 0 { 0 } else { ((half & 0x7fff) << 13) + (112 << 23) };
    f32::from_bits(magnitude | (half & 0x8000) << 16)
}
