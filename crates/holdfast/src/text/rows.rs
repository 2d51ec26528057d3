//! The extract of JSON that is mostly rows of one shape: what stands beside the rows, how many there are, and a few of them whole. A
//! value of a row says nothing without the row's other values, so no row is shown in part.

use std::collections::BTreeMap;
use std::ops::Range;

use super::extract::{ALARMS, choose, cut};
use super::normalise::fold;

/// Fewer rows than this are no table.
const ROWS_MIN: usize = 3;
/// Rows that say nothing special are samples: so many of them, when there are more than can all be shown.
const SAMPLES_MAX: usize = 4;
/// A value of a row, in characters: rows are shown to be told apart.
const CELL_CHARS_MAX: usize = 60;
/// A value that so few rows of a hundred have is worth seeing; identifiers, which all differ, are not meant.
const RARE_PERCENT_MAX: usize = 5;

/// An array of objects.
struct Table {
    path: String,
    /// The leaves of each row.
    rows: Vec<Range<usize>>,
}

/// What fits into a budget of characters; `None` where there are no rows, or not one of them fits.
pub(super) fn extract(
    leaves: &[(String, String)],
    lines: &[String],
    scores: &[u32],
    budget_chars: usize,
) -> Option<String> {
    let tables = tables(leaves);
    if tables.is_empty() {
        return None;
    }
    // What may be said, in the order of the text: (place, score, line).
    let mut said: Vec<(usize, u32, String)> = Vec::new();
    let in_a_row = |at: usize| tables.iter().any(|table| table.rows.iter().any(|row| row.contains(&at)));
    said.extend((0..leaves.len()).filter(|at| !in_a_row(*at)).map(|at| (at, scores[at] + BESIDE, lines[at].clone())));
    for table in &tables {
        let name = if table.path.is_empty() { "rows" } else { &table.path };
        let first = table.rows.first()?.start;
        said.push((first, u32::MAX, format!("{name}: {}", table.rows.len())));
        let worth: Vec<u32> = table.rows.iter().map(|row| row_score(leaves, scores, row, table)).collect();
        let plain = worth.iter().copied().min().unwrap_or(0);
        let all_fit =
            table.rows.iter().map(|row| row_line(leaves, row).chars().count() + 1).sum::<usize>() <= budget_chars;
        let mut samples = 0;
        for (row, worth) in table.rows.iter().zip(&worth) {
            if *worth <= plain + SPECIAL {
                samples += 1;
                if samples > SAMPLES_MAX && !all_fit {
                    continue;
                }
            }
            said.push((row.start, *worth, row_line(leaves, row)));
        }
    }
    said.sort_by_key(|(place, score, _)| (*place, std::cmp::Reverse(*score)));
    let scores: Vec<u32> = said.iter().map(|(_, score, _)| *score).collect();
    let mut chosen = choose(&scores, |at| said[at].2.chars().count() + 1, budget_chars + 1);
    chosen.sort_unstable();
    let shown: Vec<&str> = chosen.into_iter().map(|at| said[at].2.as_str()).collect();
    shown.iter().any(|line| line.contains("]: {") || line.starts_with('[')).then(|| shown.join("\n"))
}

/// What stands beside the rows comes before a plain row.
const BESIDE: u32 = 6;
/// And a row that is special before plain ones.
const SPECIAL: u32 = 4;

fn tables(leaves: &[(String, String)]) -> Vec<Table> {
    let mut found: BTreeMap<&str, Vec<(usize, Range<usize>)>> = BTreeMap::new();
    for (at, (path, _)) in leaves.iter().enumerate() {
        let Some((head, index, rest)) = split(path) else { continue };
        // An array of values is no table.
        if rest.is_empty() {
            continue;
        }
        let rows = found.entry(head).or_default();
        match rows.last_mut() {
            Some((last, row)) if *last == index && row.end == at => row.end = at + 1,
            _ => rows.push((index, at..at + 1)),
        }
    }
    let table = |(path, rows): (&str, Vec<(usize, Range<usize>)>)| Table {
        path: path.to_owned(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    };
    let is_table = |table: &Table| table.rows.len() >= ROWS_MIN && table.rows.iter().any(|row| row.len() > 1);
    found.into_iter().map(table).filter(is_table).collect()
}

/// `data.rows[4].count`: the array, the place in it, the rest.
fn split(path: &str) -> Option<(&str, usize, &str)> {
    let open = path.find('[')?;
    let close = open + path[open..].find(']')?;
    let index = path[open + 1..close].parse().ok()?;
    Some((&path[..open], index, path[close + 1..].trim_start_matches('.')))
}

/// `rows[4]: {type: rack_server, count: 7}`.
fn row_line(leaves: &[(String, String)], row: &Range<usize>) -> String {
    let cells: Vec<String> = leaves[row.clone()]
        .iter()
        .filter_map(|(path, value)| Some(format!("{}: {}", split(path)?.2, cut(value, CELL_CHARS_MAX))))
        .collect();
    let (head, index, _) = split(&leaves[row.start].0).unwrap_or_default();
    format!("{head}[{index}]: {{{}}}", cells.join(", "))
}

/// The mean of its leaves, more where something went wrong or where it differs from nearly all others.
fn row_score(leaves: &[(String, String)], scores: &[u32], row: &Range<usize>, table: &Table) -> u32 {
    let mean = scores[row.clone()].iter().sum::<u32>() / row.len().max(1) as u32;
    let alarms = leaves[row.clone()].iter().any(|(_, value)| {
        let value = fold(value);
        ALARMS.iter().any(|word| value.contains(word))
    });
    mean + u32::from(alarms) * 20 + u32::from(is_rare(leaves, row, table)) * 12
}

/// One of its values is one that few rows have, of a key whose values are else much the same.
fn is_rare(leaves: &[(String, String)], row: &Range<usize>, table: &Table) -> bool {
    leaves[row.clone()].iter().any(|(path, value)| {
        let Some((_, _, key)) = split(path) else { return false };
        let of_key = |row: &Range<usize>| {
            leaves[row.clone()].iter().find(|(path, _)| split(path).is_some_and(|(_, _, other)| other == key))
        };
        // A few rows tell what is usual: this is asked of each row.
        let step = table.rows.len().div_ceil(COMPARED_MAX);
        let compared: Vec<&str> =
            table.rows.iter().step_by(step).filter_map(of_key).map(|(_, value)| value.as_str()).collect();
        let alike = compared.iter().filter(|other| **other == value).count();
        let usual = compared
            .iter()
            .filter(|other| compared.first() == Some(other))
            .count()
            .max(compared.iter().filter(|other| compared.last() == Some(other)).count());
        compared.len() >= 2 * ROWS_MIN
            && alike * 100 <= compared.len() * RARE_PERCENT_MAX
            && usual * 10 >= compared.len() * 9
    })
}

/// Rows that a row is compared with.
const COMPARED_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use crate::text::extract;

    fn rows(failing: Option<usize>) -> String {
        let row = |id: usize| {
            let state = if Some(id) == failing { "down" } else { "ok" };
            format!(r#"{{"id": {id}, "name": "svc-{id}", "state": "{state}", "latency_ms": {}}}"#, 10 + id)
        };
        let rows: Vec<String> = (0..120).map(row).collect();
        format!(r#"{{"rows": [{}], "total": 120, "failed": 1, "failed_ids": [57]}}"#, rows.join(", "))
    }

    #[test]
    fn what_went_wrong_and_how_much_there_is_come_before_rows() {
        let extract = extract(&rows(None), 300, &[]);
        let expected = [
            "rows: 120",
            "rows[0]: {id: 0, name: svc-0, state: ok, latency_ms: 10}",
            "rows[1]: {id: 1, name: svc-1, state: ok, latency_ms: 11}",
            "rows[2]: {id: 2, name: svc-2, state: ok, latency_ms: 12}",
            "rows[3]: {id: 3, name: svc-3, state: ok, latency_ms: 13}",
            "total: 120",
            "failed: 1",
            "failed_ids[0]: 57",
        ];
        assert_eq!(extract.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_row_that_differs_is_shown() {
        let extract = extract(&rows(Some(57)), 300, &[]);
        assert!(extract.contains("rows[57]: {id: 57, name: svc-57, state: down, latency_ms: 67}"), "{extract}");
        assert!(extract.contains("failed: 1"), "{extract}");
    }

    #[test]
    fn rows_are_whole_or_not_there() {
        let assets = r#"{"site": "guomao", "rows": [{"type": "desk", "count": 86, "note": "lorem asset note 0, cabinet A-00"}, {"type": "chair", "count": 92, "note": "lorem asset note 1, cabinet B-01"}, {"type": "rack_server", "count": 7, "note": "lorem asset note 4, cabinet A-04"}, {"type": "ups", "count": 2, "note": "lorem asset note 5, cabinet B-05"}]}"#;
        let extract = extract(assets, 180, &[]);
        assert!(extract.starts_with("site: guomao\nrows: 4\nrows[0]: {type: desk, count: 86, note: "), "{extract}");
        assert!(extract.lines().all(|line| !line.contains(".count")), "{extract}");
    }
}
