//! What fits: lines by weight into a budget of tokens. What is mandatory is in, or there is no block.

use std::collections::BTreeMap;

use super::BlockError;
use super::labels::Labels;
use super::render::{self, header, line_text};
use super::select::{Line, Selected, Weight};
use crate::types::context::{BlockItem, Cut, Section, Served, WorkingShare};

/// A line that is in, in one of its forms.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) line: Line,
    pub(super) form: usize,
}

impl Chosen {
    pub(super) fn text(&self) -> &str {
        &self.line.forms[self.form]
    }
}

#[derive(Debug)]
pub(super) struct Packed {
    /// In the order of the block.
    pub(super) lines: Vec<Chosen>,
    pub(super) cut: Vec<Cut>,
    /// Of the whole text.
    pub(super) tokens: usize,
    pub(super) working: WorkingShare,
}

impl Packed {
    pub(super) fn served(&self) -> Vec<Served> {
        self.lines
            .iter()
            .flat_map(|chosen| {
                let shortened = chosen.form > 0;
                let section = chosen.line.section;
                chosen.line.items.iter().map(move |item| Served { section, item: item.clone(), shortened })
            })
            .collect()
    }
}

/// No optional line takes more than one part in this many of the budget while it has a shorter form: one long result must
/// not crowd out everything else.
const LINE_SHARE: usize = 3;

pub(super) fn pack(
    selected: Selected,
    budget: usize,
    count: &dyn Fn(&str) -> usize,
    labels: &Labels,
) -> Result<Packed, BlockError> {
    let Selected { lines, mut cut } = selected;
    let nothing = |cut| Packed { lines: Vec::new(), cut, tokens: 0, working: WorkingShare::default() };
    if lines.is_empty() {
        return Ok(nothing(cut));
    }
    let mut forms: Vec<Option<usize>> = lines.iter().map(|l| (l.weight == Weight::Mandatory).then_some(0)).collect();
    let mandatory = mandatory_tokens(&lines, &forms, count, labels);
    if mandatory > budget {
        // Without anything mandatory only the fence itself is too large: then there is simply no block.
        if forms.iter().all(Option::is_none) {
            cut.extend(lines.iter().flat_map(cuts));
            return Ok(nothing(cut));
        }
        return Err(BlockError::MandatoryExceedsBudget { needed: mandatory, budget, what: what(&lines) });
    }

    // Counted line by line, which is quick and nearly right; what it gets wrong is put right on the whole text below.
    let mut costs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut headed: Vec<Section> = Vec::new();
    for (line, form) in lines.iter().zip(&forms) {
        if form.is_some() && !headed.contains(&line.section) {
            headed.push(line.section);
        }
    }
    let mut used = mandatory;
    let mut order: Vec<usize> = (0..lines.len()).filter(|&at| forms[at].is_none()).collect();
    order.sort_by_key(|&at| (lines[at].weight, std::cmp::Reverse(lines[at].rank)));
    for &at in &order {
        let line = &lines[at];
        let heading = if headed.contains(&line.section) { 0 } else { count(&header(line.section, labels)) };
        for (form, text) in line.forms.iter().enumerate() {
            let cost = *costs.entry((at, form)).or_insert_with(|| count(&line_text(text)));
            let last = form + 1 == line.forms.len();
            if used + heading + cost <= budget && (last || cost <= budget / LINE_SHARE) {
                used += heading + cost;
                forms[at] = Some(form);
                headed.push(line.section);
                break;
            }
        }
    }

    // The budget holds for the whole text, not for a sum of parts: give back the least important line until it does.
    let mut chosen: Vec<usize> = order.into_iter().filter(|&at| forms[at].is_some()).collect();
    let tokens = loop {
        let text = render::render(&picked(&lines, &forms), labels).text;
        let tokens = count(&text);
        if tokens <= budget {
            break tokens;
        }
        let Some(at) = chosen.pop() else { break tokens };
        forms[at] = None;
    };
    let mut working = WorkingShare { tokens: mandatory, is_short: false };
    for (at, (line, form)) in lines.iter().zip(&forms).enumerate() {
        let is_working = line.items.iter().any(|item| matches!(item, BlockItem::Element { .. }));
        if let Some(form) = form {
            // What is mandatory was counted as a whole.
            let cost = costs.get(&(at, *form)).filter(|_| is_working);
            working.tokens += cost.copied().unwrap_or(0);
        } else {
            working.is_short |= is_working;
            cut.extend(cuts(line));
        }
    }
    Ok(Packed { lines: picked(&lines, &forms), cut, tokens, working })
}

fn picked(lines: &[Line], forms: &[Option<usize>]) -> Vec<Chosen> {
    lines.iter().zip(forms).filter_map(|(line, form)| Some(Chosen { line: line.clone(), form: (*form)? })).collect()
}

fn mandatory_tokens(lines: &[Line], forms: &[Option<usize>], count: &dyn Fn(&str) -> usize, labels: &Labels) -> usize {
    let picked = picked(lines, forms);
    if picked.is_empty() { count(&render::empty_fence(labels)) } else { count(&render::render(&picked, labels).text) }
}

fn cuts(line: &Line) -> Vec<Cut> {
    let reason = "it did not fit the token budget";
    line.items.iter().map(|item| Cut { section: line.section, item: item.clone(), reason: reason.to_owned() }).collect()
}

/// What is mandatory, by name and number, for a caller to see what to do about it.
fn what(lines: &[Line]) -> String {
    let number = |section: Section| {
        lines.iter().filter(|line| line.weight == Weight::Mandatory && line.section == section).count()
    };
    let parts = [
        (number(Section::Goal), "goal", "goals"),
        (number(Section::Constraints), "constraint", "constraints"),
        (number(Section::Plan), "current step", "current steps"),
        (number(Section::Decisions), "open decision", "open decisions"),
    ];
    let named: Vec<String> = parts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    named.join(", ")
}
