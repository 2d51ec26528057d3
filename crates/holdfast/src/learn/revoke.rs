//! What a revocation is about: 「周报别再用PDF了」 names the PDF of the rule 「以后周报都用PDF」. A text in, the essence of what it names out.

use std::collections::BTreeMap;

use jiff::ZonedDateTime;

use super::faithful::says_no;
use super::gate::Candidate;
use super::reconcile::said_of;
use super::slots::essence;
use crate::text::{fold, repeats, same};
use crate::types::memory::{Applies, Evidence, Memory, MemoryKind, MemoryStatus, Slot, Stance};

/// Before what is named. Longer ones first.
const NO_MORE: &[&str] =
    &["不需要再", "不用再", "不要再", "不必再", "无需再", "别再", "不需要", "不用", "不要", "不必", "无需", "别"];
/// Before a thing, what is done with it: the thing is what was ordered.
const VERBS: &[&str] = &["使用", "用", "做成", "写成", "导出成", "导出", "发成", "给我", "发"];
const EN_NO_MORE: &[&str] = &[
    "you don't need to ",
    "you don't have to ",
    "you no longer need to ",
    "you no longer have to ",
    "no need to ",
    "don't ",
    "do not ",
    "stop ",
];
const EN_TAILS: &[&str] = &[" anymore", " any more", " any longer", " for ", " in the ", " please"];

/// What is no longer to be done, if a text says so: only a text that says no takes something back.
fn named(text: &str) -> Option<String> {
    let folded = fold(text).replace('’', "'");
    let said = folded.trim_end_matches(['。', '.', '!', '！', ' ']);
    let zh = NO_MORE.iter().filter_map(|word| said.find(word).map(|place| (place, usize::MAX - word.len()))).min();
    let what = if let Some((place, rank)) = zh {
        let what = said[place + (usize::MAX - rank)..].trim_end_matches(['了', '吧', '啊', '哈']);
        VERBS.iter().find_map(|verb| what.strip_prefix(verb)).unwrap_or(what)
    } else {
        let said = said.strip_prefix("please ").unwrap_or(said);
        let what = match said.strip_prefix("no more ") {
            Some(what) => what,
            // Without its verb: who was to put the summary first stops sending it first.
            None => EN_NO_MORE.iter().find_map(|lead| said.strip_prefix(lead))?.split_once(' ')?.1,
        };
        let end = EN_TAILS.iter().filter_map(|tail| what.find(tail)).min().unwrap_or(what.len());
        &what[..end]
    };
    let what = essence(what);
    (what.chars().count() >= 2).then_some(what)
}

/// Whether a candidate is a rule for all work that says no to something.
pub fn may_take_back(candidate: &Candidate) -> bool {
    candidate.kind == MemoryKind::Rule && candidate.applies == Applies::User && says_no(&candidate.content)
}

/// 「别再用PDF了」 names no kind of work: the denial of the one rule for some kind that orders it on the same side of the work. `None` if
/// there are several, or one for all work, which `as_denial` finds.
pub fn taken_back_elsewhere(candidate: &Candidate, known: &[Memory], new: &[Candidate]) -> Option<Candidate> {
    let named = named(&candidate.content).filter(|_| may_take_back(candidate))?;
    let before = |at: &ZonedDateTime| at.timestamp() <= candidate.evidence.at.timestamp();
    let alike = |kind: MemoryKind, subject: &str, attribute: &str, content: &str| {
        kind == MemoryKind::Rule
            && subject == candidate.subject
            && attribute == candidate.attribute
            && orders(content, &named)
    };
    let evidence = Evidence { stance: Stance::Ends, ..candidate.evidence.clone() };
    let mut found: BTreeMap<Slot, Candidate> = BTreeMap::new();
    for memory in known.iter().filter(|memory| memory.status == MemoryStatus::Active && before(&memory.valid_from)) {
        if alike(memory.kind, &memory.subject, &memory.attribute, &memory.content) {
            found.insert(memory.slot(), said_of(memory, evidence.clone()));
        }
    }
    for other in new.iter().filter(|other| other.evidence.stance == Stance::States && before(&other.evidence.at)) {
        if alike(other.kind, &other.subject, &other.attribute, &other.content) {
            found.insert(other.slot(), Candidate { evidence: evidence.clone(), ..other.clone() });
        }
    }
    let (slot, only) = found.pop_first()?;
    (found.is_empty() && slot.applies != Applies::User).then_some(only)
}

/// Whether a rule says yes to what is named.
fn orders(content: &str, named: &str) -> bool {
    let one = named.strip_suffix('s').unwrap_or(named);
    let essence = essence(content);
    !says_no(content) && (repeats(&essence, named) || repeats(&essence, one))
}

/// A rule's candidate as the denial of the rule that it takes back, if there is one before it that says yes to what it names.
pub(super) fn as_denial(candidate: &Candidate, known: &[Memory], new: &[Candidate]) -> Option<Candidate> {
    let said = |evidence: &Evidence| {
        matches!(evidence.stance, Stance::States | Stance::Confirms | Stance::Suggests)
            && evidence.at.timestamp() <= candidate.evidence.at.timestamp()
    };
    let named = named(&candidate.content).filter(|_| candidate.kind == MemoryKind::Rule)?;
    let of_known = known.iter().flat_map(|memory| {
        memory.sources.iter().map(move |evidence| (memory.value.as_str(), memory.content.as_str(), evidence))
    });
    let of_new = new.iter().map(|other| (other.value.as_str(), other.content.as_str(), &other.evidence));
    let (value, ..) = of_known
        .chain(of_new)
        .filter(|(value, content, evidence)| {
            said(evidence) && orders(content, &named) && !same(value, &candidate.value)
        })
        .max_by_key(|(_, _, evidence)| evidence.at.timestamp())?;
    let evidence = Evidence { stance: Stance::Ends, ..candidate.evidence.clone() };
    Some(Candidate { value: value.to_owned(), evidence, ..candidate.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_revocation_names() {
        for (text, expected) in [
            ("周报别再用PDF了", Some("pdf")),
            ("不用再先写结论了", Some("先写结论")),
            ("Don't use PDF anymore", Some("pdf")),
            ("No more PDFs for the reports", Some("pdfs")),
            ("stop sending me the summary first", Some("summary first")),
            ("以后周报都用PDF", None),
            ("Always use PDF", None),
            ("别", None),
            ("Stop", None),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }
}
