//! Speed and memory of the embedding model on one core:
//! `cargo run --release -p holdfast-embed --example speed [portable | avx2 | avx512vnni]`

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::time::Instant;

use holdfast_embed::{Kernel, Model};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/e5-small-zh-en.bin");
const SHORT: [&str; 2] = [
    "I will travel to Beijing for work tomorrow and come back on Friday evening",
    "用户对花生严重过敏，点餐时必须避开含花生的菜，早餐只喝黑咖啡",
];
/// The best of this many rounds counts: other processes can only make a round slower.
const ROUNDS: usize = 8;

fn main() -> Result<(), holdfast_embed::ModelError> {
    let kernel = match std::env::args().nth(1).as_deref() {
        Some("portable") => Kernel::Portable,
        Some("avx2") => Kernel::Avx2,
        Some("avx512vnni") => Kernel::Avx512Vnni,
        _ => Kernel::Detect,
    };
    let start = Instant::now();
    let model = Model::open_with(MODEL, kernel)?;
    println!("{:?}: opened in {:.0} ms, {}", model.kernel(), start.elapsed().as_secs_f64() * 1e3, memory());

    for text in SHORT {
        let tokens = model.tokenize(text).len();
        let tokenize = per_second(200, || drop(std::hint::black_box(model.tokenize(text))));
        println!("{tokens} tokens, tokenizing: {:.1} us", 1e6 / tokenize);
        println!("{tokens} tokens, one a call: {:.0} texts/s", per_second(30, || drop(model.embed(&[text]))));
        println!("{tokens} tokens, 32 a call: {:.0} texts/s", 32.0 * per_second(3, || drop(model.embed(&[text; 32]))));
    }
    let long = [SHORT[0]; 7].join(", ");
    for (text, calls) in [(long.clone(), 10), (long.repeat(4), 2)] {
        let tokens = model.tokenize(&text).len();
        println!("{tokens} tokens, one a call: {:.1} texts/s", per_second(calls, || drop(model.embed(&[&text]))));
    }
    println!("at the end: {}", memory());
    Ok(())
}

/// Calls of `work` in a second, in the best round.
fn per_second(calls: usize, work: impl Fn()) -> f64 {
    let round = || {
        let start = Instant::now();
        (0..calls).for_each(|_| work());
        start.elapsed().as_secs_f64() / calls as f64
    };
    (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min).recip()
}

/// Resident memory, now and at most, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
