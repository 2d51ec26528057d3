//! Plain BM25 (k1 1.2, b .75) over lower-case words and pairs of ideographs: what anybody would build in an afternoon.

use std::collections::BTreeMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

#[derive(Debug)]
pub struct Bm25 {
    ids: Vec<String>,
    lengths: Vec<f64>,
    mean_length: f64,
    postings: BTreeMap<String, Vec<(usize, f64)>>,
}

impl Bm25 {
    pub fn new(texts: &[(String, String)]) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(texts.len());
        for (place, (_, text)) in texts.iter().enumerate() {
            let terms = terms(text);
            lengths.push(terms.len() as f64);
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for term in terms {
                *counts.entry(term).or_default() += 1.0;
            }
            for (term, count) in counts {
                postings.entry(term).or_default().push((place, count));
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { ids: texts.iter().map(|(id, _)| id.clone()).collect(), lengths, mean_length, postings }
    }

    /// Ids, best first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<String> {
        let mut scores = vec![0.0; self.ids.len()];
        let mut asked = terms(query);
        asked.sort();
        asked.dedup();
        for term in asked {
            let Some(postings) = self.postings.get(&term) else { continue };
            let (n, rows) = (self.ids.len() as f64, postings.len() as f64);
            let idf = (1.0 + (n - rows + 0.5) / (rows + 0.5)).ln();
            for &(place, count) in postings {
                let norm = K1 * (1.0 - B + B * self.lengths[place] / self.mean_length);
                scores[place] += idf * count * (K1 + 1.0) / (count + norm);
            }
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.into_iter().take(limit).map(|place| self.ids[place].clone()).collect()
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{3040}'..='\u{30FF}' | '\u{AC00}'..='\u{D7AF}')
}

fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for c in text.to_lowercase().chars().chain([' ']) {
        if is_ideograph(c) {
            run.push(c);
        } else if !run.is_empty() {
            match run.as_slice() {
                [one] => terms.push(one.to_string()),
                several => terms.extend(several.windows(2).map(|pair| pair.iter().collect::<String>())),
            }
            run.clear();
        }
        if c.is_alphanumeric() && !is_ideograph(c) {
            word.push(c);
        } else if !word.is_empty() {
            terms.push(std::mem::take(&mut word));
        }
    }
    terms
}
