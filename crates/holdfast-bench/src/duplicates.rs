//! When do two memories say the same? Pairs of statements with a person's answer go in; out come, for each way of comparing their
//! vectors, the threshold that the first half of the pairs gives, and what it does on the second. The pairs are hard on purpose: those that
//! differ are about the same thing and differ in one value, many in one word. A store has such pairs in another share, so this tells
//! whether a threshold may merge unasked, and not how often it would be wrong.

mod vetoes;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use holdfast::embedding::{self, Choice, Embedder};
use holdfast::engine::builtin_model_paths;
use serde::Serialize;

use crate::metrics::Share;
use vetoes::{Veto, overlap, vetoes};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// One line of JSON a comparison
    #[arg(long)]
    json: bool,
    /// Pairs to measure on instead of the own ones: lang, label, a, b, with tabs between them and a first line of these names
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Write each pair with its scores and vetoes as a line of JSON here: to be read by hand
    #[arg(long, value_name = "FILE")]
    written: Option<PathBuf>,
}

const PAIRS: &str = include_str!("duplicates/pairs.tsv");
/// A wrong merge loses a memory, a missed one only keeps two: of a hundred that are merged, two may be wrong.
const PRECISION_MIN: f64 = 0.98;
/// With less recall than this it is not worth having.
const RECALL_USEFUL: f64 = 0.15;
/// Neighbours of each text that a margin is taken from (Artetxe & Schwenk 2019): few, as the pairs have few texts on one thing.
const NEIGHBOURS: usize = 5;

#[derive(Debug)]
struct Pair {
    language: String,
    same: bool,
    a: String,
    b: String,
}

/// How two vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Comparison {
    Raw,
    /// Without the part that all vectors of the model share.
    Centred,
    /// Less what each is alike its neighbours (Artetxe & Schwenk 2019).
    RawMargin,
    CentredMargin,
    /// Centred, less the share of words in common: what is alike and not because the words are.
    BeyondWords,
}

const COMPARISONS: [Comparison; 5] =
    [Comparison::Raw, Comparison::Centred, Comparison::RawMargin, Comparison::CentredMargin, Comparison::BeyondWords];

/// What the text has to say beside the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Text {
    Unread,
    /// A number, a negation, a day or a name that differs is a veto.
    Vetoes,
}

/// A pair as it is judged: how alike, and the truth.
#[derive(Debug, Clone, Copy)]
struct Judged {
    score: f64,
    vetoed: bool,
    same: bool,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    model: &'a str,
    language: &'a str,
    comparison: Comparison,
    text: Text,
    /// How often a pair that says the same scores above one that does not, of the pairs that are not vetoed: 0.5 is chance.
    auc_tune: f64,
    auc_held: f64,
    /// With the precision that a merge needs.
    precise: Point,
    /// With the best precision that some recall allows: how far from that it is.
    useful: Point,
}

/// A threshold from the first half of the pairs.
#[derive(Debug, Serialize)]
struct Point {
    /// Scores from here on are the same. `None`: there is none.
    threshold: Option<f64>,
    tune: Figures,
    held: Figures,
}

#[derive(Debug, Serialize)]
struct Figures {
    same: usize,
    different: usize,
    merged: usize,
    wrong: usize,
    precision: Share,
    recall: Share,
}

/// One pair, to be read by hand.
#[derive(Serialize)]
struct Written<'a> {
    language: &'a str,
    half: &'static str,
    same: bool,
    a: &'a str,
    b: &'a str,
    vetoes: &'a [Veto],
    raw: f64,
    centred: f64,
    raw_margin: f64,
    centred_margin: f64,
    beyond_words: f64,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let file = arguments.pairs.as_ref().map(std::fs::read_to_string).transpose()?;
    let pairs = parse(file.as_deref().unwrap_or(PAIRS))?;
    let choice = Choice::Builtin { candidates: builtin_model_paths() };
    let embedder = embedding::open(&choice)?.context("no embedding model was chosen")?;
    let scores = scores(&pairs, embedder.as_ref())?;
    let vetoed: Vec<Vec<Veto>> = pairs.iter().map(|pair| vetoes(&pair.a, &pair.b)).collect();
    if let Some(path) = &arguments.written {
        write(path, &pairs, &vetoed, &scores)?;
    }
    if !arguments.json {
        print_header(&embedder.model().name, pairs.len());
    }
    for language in ["zh", "en", "both"] {
        for (place, comparison) in COMPARISONS.into_iter().enumerate() {
            for text in [Text::Unread, Text::Vetoes] {
                let judged = |half: usize| -> Vec<Judged> {
                    let of_half = (0..pairs.len()).filter(|index| index % 2 == half);
                    let chosen = of_half.filter(|&index| language == "both" || pairs[index].language == language);
                    let judge = |index: usize| Judged {
                        score: scores[index][place],
                        vetoed: text == Text::Vetoes && !vetoed[index].is_empty(),
                        same: pairs[index].same,
                    };
                    chosen.map(judge).collect()
                };
                let (tune, held) = (judged(0), judged(1));
                let point = |threshold| Point {
                    threshold,
                    tune: Figures::of(&tune, threshold),
                    held: Figures::of(&held, threshold),
                };
                let line = Line {
                    model: &embedder.model().name,
                    language,
                    comparison,
                    text,
                    auc_tune: auc(&tune),
                    auc_held: auc(&held),
                    precise: point(most_recall(&tune)),
                    useful: point(most_precision(&tune)),
                };
                print(&line, arguments.json)?;
            }
        }
    }
    Ok(())
}

fn parse(table: &str) -> Result<Vec<Pair>> {
    let rows = table.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty());
    let pair = |(number, line): (usize, &str)| {
        let [language, label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else {
            bail!("line {} of the pairs has not four columns", number + 1);
        };
        let same = match label {
            "same" => true,
            "different" => false,
            other => bail!("line {} of the pairs is neither same nor different but {other:?}", number + 1),
        };
        Ok(Pair { language: language.to_owned(), same, a: a.to_owned(), b: b.to_owned() })
    };
    rows.map(pair).collect()
}

/// The scores of each pair, in the order of `COMPARISONS`.
fn scores(pairs: &[Pair], embedder: &dyn Embedder) -> Result<Vec<[f64; 5]>> {
    let texts: Vec<&str> = pairs
        .iter()
        .flat_map(|pair| [pair.a.as_str(), pair.b.as_str()])
        .collect::<BTreeSet<&str>>()
        .into_iter()
        .collect();
    let raw = embedder.embed(&texts)?;
    let common = embedder.common().context("the model does not know its common part")?;
    let centred: Vec<Vec<f32>> = raw.iter().map(|vector| without(vector, common)).collect();
    let of = |text: &str| texts.binary_search(&text).ok().context("every text has a vector");
    pairs
        .iter()
        .map(|pair| {
            let (a, b) = (of(&pair.a)?, of(&pair.b)?);
            let (plain, taken) = (cosine(&raw[a], &raw[b]), cosine(&centred[a], &centred[b]));
            let margins = [plain - crowd(&raw, a, b), taken - crowd(&centred, a, b)];
            Ok([plain, taken, margins[0], margins[1], taken - overlap(&pair.a, &pair.b)])
        })
        .collect()
}

fn without(vector: &[f32], common: &[f32]) -> Vec<f32> {
    let mut rest: Vec<f32> = vector.iter().zip(common).map(|(v, c)| v - c).collect();
    let length = rest.iter().map(|v| v * v).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    rest.iter_mut().for_each(|v| *v /= length);
    rest
}

/// Of unit vectors.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// How alike two texts are to their nearest neighbours, but for each other.
fn crowd(vectors: &[Vec<f32>], a: usize, b: usize) -> f64 {
    let nearest = |one: usize| {
        let others = (0..vectors.len()).filter(|&other| other != a && other != b);
        let mut cosines: Vec<f64> = others.map(|other| cosine(&vectors[one], &vectors[other])).collect();
        cosines.sort_by(|x, y| y.total_cmp(x));
        cosines.truncate(NEIGHBOURS);
        crate::metrics::mean(&cosines)
    };
    f64::midpoint(nearest(a), nearest(b))
}

/// Every threshold that tells pairs apart, from the highest: its score, how many it merges, and how many of them rightly.
fn thresholds(judged: &[Judged]) -> Vec<(f64, usize, usize)> {
    let mut left: Vec<Judged> = judged.iter().copied().filter(|one| !one.vetoed).collect();
    left.sort_by(|x, y| y.score.total_cmp(&x.score));
    let mut right = 0;
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    for (index, one) in left.iter().enumerate() {
        right += usize::from(one.same);
        found.pop_if(|(score, ..)| *score == one.score);
        found.push((one.score, index + 1, right));
    }
    found
}

/// The threshold with the most recall of those that reach the precision; of equals, the highest.
fn most_recall(judged: &[Judged]) -> Option<f64> {
    let mut best: Option<(f64, usize)> = None;
    for (score, merged, right) in thresholds(judged) {
        let precise = right as f64 >= PRECISION_MIN * merged as f64;
        if precise && right > best.map_or(0, |(_, most)| most) {
            best = Some((score, right));
        }
    }
    best.map(|(score, _)| score)
}

/// The threshold with the most precision of those that reach a useful recall; of equals, the highest.
fn most_precision(judged: &[Judged]) -> Option<f64> {
    let same = judged.iter().filter(|one| one.same).count() as f64;
    let mut best: Option<(f64, f64)> = None;
    for (score, merged, right) in thresholds(judged) {
        let precision = right as f64 / merged as f64;
        if right as f64 >= RECALL_USEFUL * same && best.is_none_or(|(_, most)| precision > most) {
            best = Some((score, precision));
        }
    }
    best.map(|(score, _)| score)
}

fn auc(judged: &[Judged]) -> f64 {
    let scores = |same: bool| judged.iter().filter(move |one| !one.vetoed && one.same == same).map(|one| one.score);
    let won = |a: f64, b: f64| if a == b { 0.5 } else { f64::from(a > b) };
    let duels: Vec<f64> = scores(true).flat_map(|a| scores(false).map(move |b| won(a, b))).collect();
    crate::metrics::mean(&duels)
}

impl Figures {
    fn of(judged: &[Judged], threshold: Option<f64>) -> Self {
        let merges = |one: &&Judged| !one.vetoed && threshold.is_some_and(|threshold| one.score >= threshold);
        let merged = judged.iter().filter(merges).count();
        let right = judged.iter().filter(merges).filter(|one| one.same).count();
        let same = judged.iter().filter(|one| one.same).count();
        Self {
            same,
            different: judged.len() - same,
            merged,
            wrong: merged - right,
            precision: share(right, merged),
            recall: share(right, same),
        }
    }
}

/// A share with the interval of Wilson (1927): a bootstrap of shares that are all 1 knows no doubt.
fn share(count: usize, of: usize) -> Share {
    const Z: f64 = 1.96;
    if of == 0 {
        return Share { share: 0.0, interval: [0.0, 1.0] };
    }
    let (n, share) = (of as f64, count as f64 / of as f64);
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let end = |sum: f64| (sum / (1.0 + Z * Z / n)).clamp(0.0, 1.0);
    Share { share, interval: [end(middle - reach), end(middle + reach)] }
}

fn write(path: &Path, pairs: &[Pair], vetoed: &[Vec<Veto>], scores: &[[f64; 5]]) -> Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    for (index, (pair, vetoes)) in pairs.iter().zip(vetoed).enumerate() {
        let [raw, centred, raw_margin, centred_margin, beyond_words] = scores[index];
        let line = Written {
            language: &pair.language,
            half: if index % 2 == 0 { "tune" } else { "held" },
            same: pair.same,
            a: &pair.a,
            b: &pair.b,
            vetoes,
            raw,
            centred,
            raw_margin,
            centred_margin,
            beyond_words,
        };
        writeln!(file, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print_header(model: &str, pairs: usize) {
    println!(
        "{model}, {pairs} pairs: a line with the precision of {PRECISION_MIN}, one with a recall of {RECALL_USEFUL}"
    );
    println!("threshold, half: merged (wrong) precision recall\n");
}

#[expect(clippy::print_stdout, reason = "figures are data")]
fn print(line: &Line<'_>, as_json: bool) -> Result<()> {
    if as_json {
        println!("{}", serde_json::to_string(line)?);
        return Ok(());
    }
    let names =
        format!("{:<5}{:<14} {:<7}", line.language, format!("{:?}", line.comparison), format!("{:?}", line.text));
    println!("{names} auc {:.2} {:.2}", line.auc_tune, line.auc_held);
    for (name, point) in [("precise", &line.precise), ("useful", &line.useful)] {
        let Some(threshold) = point.threshold else {
            println!("  {name:<8} none");
            continue;
        };
        let (tune, held) = (&point.tune, &point.held);
        println!(
            "  {name:<8} {threshold:>7.4}  tune {:>3} ({:>2}) {:.3} {:.3}  held out {:>3} ({:>2}) {} {}",
            tune.merged,
            tune.wrong,
            tune.precision.share,
            tune.recall.share,
            held.merged,
            held.wrong,
            held.precision,
            held.recall,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Judged, PAIRS, most_precision, most_recall, parse};

    fn check(pairs: &[(f64, bool, bool)], expected: Option<f64>) {
        let judged: Vec<Judged> = pairs.iter().map(|&(score, same, vetoed)| Judged { score, vetoed, same }).collect();
        assert_eq!(most_recall(&judged), expected, "{pairs:?}");
    }

    #[test]
    fn the_threshold_lets_in_as_many_as_the_precision_allows() {
        check(&[(0.9, true, false), (0.7, true, false), (0.6, false, false), (0.5, true, false)], Some(0.7));
        // What the text forbids does not count against the vectors.
        check(&[(0.9, true, false), (0.8, false, true), (0.5, true, false), (0.4, true, true)], Some(0.5));
        // Equal scores are let in together, or not at all.
        check(&[(0.9, true, false), (0.8, true, false), (0.8, false, false)], Some(0.9));
        check(&[(0.9, false, false), (0.8, true, false)], None);
        check(&[], None);
    }

    #[test]
    fn one_in_fifty_may_be_wrong() {
        let mut pairs = vec![(0.9, true, false); 48];
        pairs.extend([(0.8, false, false), (0.7, true, false)]);
        check(&pairs, Some(0.7));
        pairs.extend([(0.6, false, false), (0.5, true, false)]);
        check(&pairs, Some(0.7));
    }

    #[test]
    fn the_best_precision_with_a_useful_recall() {
        let judged = |rows: &[(f64, bool)]| -> Vec<Judged> {
            rows.iter().map(|&(score, same)| Judged { score, vetoed: false, same }).collect()
        };
        let of_five = judged(&[(0.9, false), (0.8, true), (0.7, true), (0.6, false), (0.5, true)]);
        assert_eq!(most_precision(&of_five), Some(0.7));
    }

    #[test]
    fn both_halves_have_both_languages_and_labels() {
        let pairs = parse(PAIRS).unwrap();
        for half in [0, 1] {
            for (language, same) in [("zh", true), ("zh", false), ("en", true), ("en", false)] {
                let of_half = pairs.iter().skip(half).step_by(2);
                let n = of_half.filter(|pair| pair.language == language && pair.same == same).count();
                assert!(n >= 25, "{n} pairs of {language} {same} in half {half}");
            }
        }
    }
}
