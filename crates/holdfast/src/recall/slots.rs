//! The newest of a slot comes first. Two statements are of one slot when they answer the question in the same way with another
//! value; the older one is then not what holds, and stands below (SPEC 4.1: newer beats older on equal grounds).

use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;
use super::score::{Evidence, Scored, term_weights};
use super::values::{Value, ValueKind, is_former, values};
use super::words::words;
use crate::text::{JOINT, fold, index_terms, is_stop_term, sentences};
use crate::types::event::Source;
use crate::types::ids::Seq;

/// Candidates compared: what is below them is not served. Measured on the tune halves: 30 gives the same figures as 60.
pub(super) const COMPARED_MAX: usize = 30;
/// Text of one candidate that is compared.
const COMPARED_BYTES_MAX: usize = 4_000;
/// The share of the question's weight that a sentence must have to be an answer to it.
const ANSWERS: f32 = 0.3;
/// And beside the best answer.
const BESIDE_BEST: f32 = 0.6;
/// How much of the old statement's share of the question the new one must have: plainly, or when it says that it is new.
const COVERED: f32 = 0.85;
const COVERED_WITH_CUE: f32 = 0.5;
/// Added to a sentence that has a value of the kind asked for.
const VALUE_BONUS: f32 = 0.15;
/// Bytes around a value where the question's words must stand.
const VALUE_REACH: usize = 90;
const VALUE_SHARE: f32 = 0.34;
/// Sentences up to this many terms are compared by their form.
const FORM_TERMS_MAX: usize = 40;
/// Characters of a word that no stemming changes; in 「退货率」 a term has two.
const BEGINNING: usize = 2;
/// Old statements go below this place.
const FIRST_PLACES: usize = 5;
/// And this many of them stay right behind.
const DEMOTED_MAX: usize = 10;

/// A candidate with its text.
pub(super) struct Statement<'a> {
    pub(super) seq: Seq,
    pub(super) content: &'a str,
}

/// A candidate's sentence that answers the question best.
struct Answer {
    seq: Seq,
    share: f32,
    matched: BTreeSet<usize>,
    terms: Vec<String>,
    values: Vec<Value>,
    /// It says of itself that it is news: "moved to", 「改成」.
    is_news: bool,
    folded: String,
}

/// The order of the candidates with old statements below the new ones of their slots, and which those are.
pub(super) fn newest_first(
    plan: &Plan,
    weights: &[f32],
    order: Vec<Seq>,
    statements: &[Statement<'_>],
) -> (Vec<Seq>, BTreeMap<Seq, Seq>) {
    let question = Question::new(plan, weights);
    let mut answers: Vec<Answer> = statements.iter().filter_map(|statement| question.best_answer(statement)).collect();
    let best = answers.iter().map(|answer| answer.share).fold(0.0, f32::max);
    answers.retain(|answer| answer.share >= BESIDE_BEST * best);
    let mut pairs: Vec<(&Answer, &Answer)> = Vec::new();
    for old in &answers {
        for new in answers.iter().filter(|new| new.seq > old.seq) {
            if question.replaces(old, new) {
                pairs.push((old, new));
            }
        }
    }
    let is_fallback = |old: &Answer, new: &Answer| {
        let mut before = pairs.iter().filter(|(_, by)| by.seq == old.seq);
        question.may_fall_back(old, new) && before.any(|(before, _)| share_a_value(before, new))
    };
    let lasting = pairs.iter().filter(|(old, new)| !is_fallback(old, new));
    reorder(order, lasting.map(|(old, new)| (old.seq, new.seq)).collect())
}

/// The candidates whose texts are needed to put the newest of a slot first: not the agent's, and with enough of the question's
/// words. Fewer than two replace nothing.
pub fn compared(plan: &Plan, evidence: &Evidence, scored: &[Scored]) -> Vec<Seq> {
    if plan.spans_time || plan.history {
        return Vec::new();
    }
    let question = Question::new(plan, &term_weights(plan, evidence));
    let agents: BTreeSet<Seq> =
        evidence.candidates.iter().filter(|traits| traits.source == Source::Agent).map(|traits| traits.seq).collect();
    let able = |candidate: &&Scored| {
        let seen = (0..question.words.len()).filter(|&word| candidate.seen[question.places[word]]);
        !agents.contains(&candidate.seq) && question.weight(seen) >= ANSWERS * question.total
    };
    let able: Vec<Seq> = scored.iter().take(COMPARED_MAX).filter(able).map(|candidate| candidate.seq).collect();
    if able.len() > 1 { able } else { Vec::new() }
}

struct Question {
    /// The words that say something, with weight times rarity.
    words: Vec<(String, f32)>,
    /// Of each word, its place among the plan's terms.
    places: Vec<usize>,
    /// Of each word, what must be in a text that holds it.
    beginnings: Vec<String>,
    total: f32,
    kinds: BTreeSet<ValueKind>,
    current: bool,
}

impl Question {
    /// `weights` are those of the plan's terms, in its order.
    fn new(plan: &Plan, weights: &[f32]) -> Self {
        let current = &words().current;
        let says = |text: &str| !is_stop_term(text) && !current.is_match(text);
        let terms = plan.terms.iter().zip(weights).enumerate();
        let (words, places): (Vec<(String, f32)>, Vec<usize>) = terms
            .filter(|(_, (term, _))| term.weight >= 0.99 && says(&term.text))
            .map(|(place, (term, weight))| ((term.text.clone(), *weight), place))
            .unzip();
        let mut kinds = BTreeSet::new();
        if plan.expects.number {
            kinds.extend([ValueKind::Number, ValueKind::Money, ValueKind::Share]);
        }
        if plan.expects.date {
            kinds.extend([ValueKind::Date, ValueKind::Time]);
        }
        let beginning = |word: &str| word.split(JOINT).next().unwrap_or(word).chars().take(BEGINNING).collect();
        let beginnings = words.iter().map(|(word, _)| beginning(word)).collect();
        Self {
            beginnings,
            total: words.iter().map(|(_, w)| w).sum::<f32>() + f32::EPSILON,
            words,
            places,
            kinds,
            current: plan.current,
        }
    }

    fn weight(&self, places: impl IntoIterator<Item = usize>) -> f32 {
        places.into_iter().map(|place| self.words[place].1).sum()
    }

    fn matched(&self, terms: &BTreeSet<&str>) -> BTreeSet<usize> {
        (0..self.words.len()).filter(|&place| terms.contains(self.words[place].0.as_str())).collect()
    }

    fn heaviest(&self, places: &BTreeSet<usize>) -> Option<usize> {
        places.iter().copied().max_by(|&a, &b| self.words[a].1.total_cmp(&self.words[b].1).then(b.cmp(&a)))
    }

    fn best_answer(&self, statement: &Statement<'_>) -> Option<Answer> {
        let content = &statement.content[..statement.content.floor_char_boundary(COMPARED_BYTES_MAX)];
        let mut best: Option<(f32, Answer)> = None;
        for range in sentences(content) {
            let folded = fold(&content[range]);
            // Terms are dear to make: a sentence without even the beginnings of enough words is passed over.
            if self.weight_at_most(&folded) < ANSWERS * self.total {
                continue;
            }
            let terms = index_terms(&folded);
            let matched = self.matched(&terms.iter().map(String::as_str).collect());
            let share = self.weight(matched.iter().copied()) / self.total;
            let known = best.as_ref().map_or(0.0, |(known, _)| *known);
            if share < ANSWERS || share + VALUE_BONUS <= known {
                continue;
            }
            let values = self.values_asked_for(&folded, &matched);
            let score = share + if values.is_empty() { 0.0 } else { VALUE_BONUS };
            if score > known {
                let is_news = words().update.is_match(&folded);
                best = Some((score, Answer { seq: statement.seq, share, matched, terms, values, is_news, folded }));
            }
        }
        best.map(|(_, answer)| answer)
    }

    /// What a text's share of the question can be at most: stemming leaves the beginning of a word.
    fn weight_at_most(&self, folded: &str) -> f32 {
        self.words
            .iter()
            .zip(&self.beginnings)
            .filter(|(_, beginning)| folded.contains(beginning.as_str()))
            .map(|((_, w), _)| w)
            .sum()
    }

    fn values_asked_for(&self, folded: &str, matched: &BTreeSet<usize>) -> Vec<Value> {
        if self.kinds.is_empty() {
            return Vec::new();
        }
        let asked = values(folded).into_iter().filter(|value| self.kinds.contains(&value.kind));
        let mut near: Vec<Value> = asked.filter(|value| self.is_near(folded, value, matched)).collect();
        // Of several numbers those that count what the question names.
        let counts = |value: &Value| self.words.iter().any(|(word, _)| value.unit.contains(word));
        if near.iter().any(counts) {
            near.retain(|value| value.kind != ValueKind::Number || counts(value));
        }
        // "Raised from 9 to 10": what was is said only beside what is.
        for kind in &self.kinds {
            let holds = |value: &Value| value.kind == *kind && !is_former(folded, value);
            if near.iter().any(holds) {
                near.retain(|value| value.kind != *kind || holds(value));
            }
        }
        near
    }

    /// Whether the question's words stand around a value.
    fn is_near(&self, folded: &str, value: &Value, matched: &BTreeSet<usize>) -> bool {
        let start = folded.floor_char_boundary(value.span.start.saturating_sub(VALUE_REACH));
        let end = folded.ceil_char_boundary((value.span.end + VALUE_REACH).min(folded.len()));
        let around = index_terms(&folded[start..end]);
        let there = self.matched(&around.iter().map(String::as_str).collect());
        let near = self.weight(matched.intersection(&there).copied());
        near >= VALUE_SHARE * self.weight(matched.iter().copied())
    }

    /// Whether the newer statement puts another value where the older had one.
    fn replaces(&self, old: &Answer, new: &Answer) -> bool {
        let same_form = self.same_form(old, new);
        let shared: BTreeSet<usize> = old.matched.intersection(&new.matched).copied().collect();
        let either: BTreeSet<usize> = old.matched.union(&new.matched).copied().collect();
        let shared_weight = self.weight(shared.iter().copied());
        if !same_form {
            let covered = shared_weight / (self.weight(old.matched.iter().copied()) + f32::EPSILON);
            if !(self.current || covered >= COVERED || new.is_news && covered >= COVERED_WITH_CUE) {
                return false;
            }
            if new.share < BESIDE_BEST * old.share {
                return false;
            }
        }
        if same_form || self.other_values(old, new) || changes(old, new) {
            return true;
        }
        let alike = shared_weight / (self.weight(either.iter().copied()) + f32::EPSILON);
        // Without a value to compare, only what calls itself new is: two cousins may both have graduated.
        if self.kinds.is_empty() && !new.is_news {
            return false;
        }
        if self.kinds.is_empty() && alike >= 0.75 && self.differs_in_one_place(old, new) {
            return true;
        }
        self.current
            && alike >= 0.6
            && old.share.min(new.share) >= 0.4
            && new.share >= 0.7 * old.share
            && (self.kinds.is_empty() || !new.values.is_empty())
            && self.heaviest(&either).is_some_and(|place| shared.contains(&place))
    }

    /// The same sentence but for one stretch in it, and the question is about what stays the same.
    fn same_form(&self, old: &Answer, new: &Answer) -> bool {
        let (a, b) = (&old.terms, &new.terms);
        let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
        if longer > FORM_TERMS_MAX || shorter < 3 {
            return false;
        }
        let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let after = a.iter().rev().zip(b.iter().rev()).take(shorter - before).take_while(|(x, y)| x == y).count();
        if ((before + after) as f32) < 0.4 * longer as f32 || before + after < 2 {
            return false;
        }
        let changed = [&a[before..a.len() - after], &b[before..b.len() - after]];
        if changed.iter().any(|stretch| stretch.iter().all(|term| is_stop_term(term))) {
            return false;
        }
        let stays: BTreeSet<&str> = a[..before].iter().chain(&a[a.len() - after..]).map(String::as_str).collect();
        let stays = self.matched(&stays);
        let either: BTreeSet<usize> = old.matched.union(&new.matched).copied().collect();
        let Some(heaviest) = self.heaviest(&either) else { return false };
        stays.contains(&heaviest)
            && self.weight(either.intersection(&stays).copied()) >= 0.75 * self.weight(either.iter().copied())
    }

    /// Values of one kind that the question asks for, and none in common; numbers only if they count the same.
    fn other_values(&self, old: &Answer, new: &Answer) -> bool {
        self.kinds.iter().any(|kind| {
            let of_kind = |answer: &'_ Answer| -> Vec<Value> {
                answer.values.iter().filter(|value| value.kind == *kind).cloned().collect()
            };
            let (mut a, mut b) = (of_kind(old), of_kind(new));
            if *kind == ValueKind::Number {
                let counts_as =
                    |value: &Value, others: &[Value]| others.iter().any(|o| !o.unit.is_disjoint(&value.unit));
                let (all_a, all_b) = (a.clone(), b.clone());
                a.retain(|value| counts_as(value, &all_b));
                b.retain(|value| counts_as(value, &all_a));
            }
            !a.is_empty() && !b.is_empty() && !a.iter().any(|x| b.iter().any(|y| x.text == y.text))
        })
    }

    /// Whether the newer statement, which calls nothing new, may only repeat what the older one had changed: "$400" said again
    /// after "adjusted to $450" is out of date rather than news.
    fn may_fall_back(&self, old: &Answer, new: &Answer) -> bool {
        old.is_news && !new.is_news && !self.same_form(old, new)
    }

    /// Most of the words in common, and what differs is on neither side what the question asks about.
    fn differs_in_one_place(&self, old: &Answer, new: &Answer) -> bool {
        let longer = old.terms.len().max(new.terms.len());
        if longer > FORM_TERMS_MAX {
            return false;
        }
        let (a, b): (BTreeSet<&str>, BTreeSet<&str>) =
            (old.terms.iter().map(String::as_str).collect(), new.terms.iter().map(String::as_str).collect());
        let only = |x: &BTreeSet<&str>, y: &BTreeSet<&str>| -> Vec<String> {
            x.difference(y).filter(|term| !is_stop_term(term)).map(|term| (*term).to_owned()).collect()
        };
        let (only_a, only_b) = (only(&a, &b), only(&b, &a));
        let asked = |terms: &[String]| terms.iter().any(|term| self.words.iter().any(|(word, _)| word == term));
        a.intersection(&b).count() as f32 / longer as f32 >= 0.5
            && !only_a.is_empty()
            && !only_b.is_empty()
            && !asked(&only_a)
            && !asked(&only_b)
    }
}

fn share_a_value(a: &Answer, b: &Answer) -> bool {
    a.values.iter().any(|x| b.values.iter().any(|y| x.kind == y.kind && x.text == y.text))
}

/// Whether the newer statement tells the old value with the one it became: "raised to $500, and later to $550".
fn changes(old: &Answer, new: &Answer) -> bool {
    let is_new = |value: &Value| {
        let of_kind = || old.values.iter().filter(|other| other.kind == value.kind);
        of_kind().any(|other| value.kind != ValueKind::Number || !other.unit.is_disjoint(&value.unit))
            && of_kind().all(|other| other.text != value.text)
    };
    new.values.iter().filter(|value| is_new(value)).any(|value| {
        let start = new.folded.floor_char_boundary(value.span.start.saturating_sub(VALUE_REACH));
        words().update.is_match(&new.folded[start..value.span.start])
    })
}

/// The newest of each slot takes the best place of its old ones; the old ones follow the first few.
fn reorder(mut order: Vec<Seq>, mut pairs: Vec<(Seq, Seq)>) -> (Vec<Seq>, BTreeMap<Seq, Seq>) {
    if pairs.is_empty() {
        return (order, BTreeMap::new());
    }
    let olds: BTreeSet<Seq> = pairs.iter().map(|(old, _)| *old).collect();
    pairs.sort_by_key(|(old, new)| (std::cmp::Reverse(*new), *old));
    let mut replaced_by = BTreeMap::new();
    for (old, new) in pairs {
        replaced_by.entry(old).or_insert(new);
        if olds.contains(&new) {
            continue;
        }
        let place = |seq: Seq, order: &[Seq]| order.iter().position(|other| *other == seq);
        if let (Some(of_new), Some(of_old)) = (place(new, &order), place(old, &order))
            && of_new > of_old
        {
            order.remove(of_new);
            order.insert(of_old, new);
        }
    }
    let (demoted, rest): (Vec<Seq>, Vec<Seq>) = order.into_iter().partition(|seq| olds.contains(seq));
    let first = rest.len().min(FIRST_PLACES);
    let behind = demoted.len().min(DEMOTED_MAX);
    let order = [&rest[..first], &demoted[..behind], &rest[first..], &demoted[behind..]].concat();
    (order, replaced_by)
}
