//! What is measured of a ranking, and how sure the figure is.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::texts::Chance;

/// Resamples of a bootstrap (Efron 1979): enough that the interval's ends stand still in the second digit.
const RESAMPLES: usize = 1_000;

/// One question's figures.
#[derive(Debug, Clone, Copy)]
pub struct Scores {
    pub any_at_5: f64,
    pub r_at_5: f64,
    pub r_at_10: f64,
    pub ndcg_at_10: f64,
}

impl Scores {
    /// `found`: ids, best first.
    pub fn of(found: &[String], evidence: &BTreeSet<&str>) -> Self {
        let hits = |k: usize| found.iter().take(k).filter(|id| evidence.contains(id.as_str())).count() as f64;
        let gain = |place: usize| 1.0 / ((place + 2) as f64).log2();
        let dcg: f64 = (0..found.len().min(10)).filter(|&p| evidence.contains(found[p].as_str())).map(gain).sum();
        let ideal: f64 = (0..evidence.len().min(10)).map(gain).sum();
        Self {
            any_at_5: f64::from(hits(5) > 0.0),
            r_at_5: hits(5) / evidence.len() as f64,
            r_at_10: hits(10) / evidence.len() as f64,
            ndcg_at_10: dcg / ideal,
        }
    }
}

/// Means over questions.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    pub n: usize,
    pub any_at_5: f64,
    pub r_at_5: f64,
    pub r_at_10: f64,
    pub ndcg_at_10: f64,
    /// 95 % bootstrap intervals of any@5 and R@10.
    pub any_at_5_interval: [f64; 2],
    pub r_at_10_interval: [f64; 2],
}

impl Summary {
    pub fn of(scores: &[Scores]) -> Self {
        let column = |get: fn(&Scores) -> f64| scores.iter().map(get).collect::<Vec<f64>>();
        let any = column(|s| s.any_at_5);
        let r10 = column(|s| s.r_at_10);
        Self {
            n: scores.len(),
            any_at_5: mean(&any),
            r_at_5: mean(&column(|s| s.r_at_5)),
            r_at_10: mean(&r10),
            ndcg_at_10: mean(&column(|s| s.ndcg_at_10)),
            any_at_5_interval: interval(&any),
            r_at_10_interval: interval(&r10),
        }
    }
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// A share with its 95 % interval.
#[derive(Debug, Serialize)]
pub struct Share {
    pub share: f64,
    pub interval: [f64; 2],
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { share, interval: [from, to] } = self;
        f.pad(&format!("{share:.3} [{from:.3}, {to:.3}]"))
    }
}

/// The 95 % bootstrap interval of their mean.
pub fn interval(values: &[f64]) -> [f64; 2] {
    if values.is_empty() {
        return [0.0, 0.0];
    }
    let mut chance = Chance::new(0);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| (0..values.len()).map(|_| values[chance.below(values.len())]).sum::<f64>() / values.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    [means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40]]
}

/// The value below which the share of all lie.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Scores;

    #[test]
    fn figures_of_a_ranking() {
        let found: Vec<String> = ["a", "x", "b"].iter().map(|id| (*id).to_owned()).collect();
        let scores = Scores::of(&found, &BTreeSet::from(["a", "b", "c", "d"]));
        assert_eq!((scores.any_at_5, scores.r_at_5, scores.r_at_10), (1.0, 0.5, 0.5));
        assert!((scores.ndcg_at_10 - 1.5 / (1.0 + 0.630_93 + 0.5 + 0.430_68)).abs() < 1e-4);
    }
}
