//! Which items of a talk are sent when it has grown beyond a budget. What is left out is in memory, and comes back in the block when it
//! bears on the step.

use super::dialect::Item;

/// When the budget is exceeded, so much of it is kept: the place of the cut stays for a while, and with it the prompt that the service
/// has in its cache.
const KEPT: (usize, usize) = (3, 4);

/// For each item, whether it is sent. `costs`: tokens of each. `room`: tokens for all of them.
///
/// Never left out: what a system or developer says, the last exchange, and of the user's messages the one that the first reply kept
/// answers. A call and its result stay together. The cut depends on nothing but what was said up to it.
pub fn kept(items: &[Item], costs: &[usize], room: usize) -> Vec<bool> {
    let is_pinned = |item: &Item| matches!(item.role(), "system" | "developer");
    let cost = |at: usize| costs.get(at).copied().unwrap_or_default();
    let pinned: usize = (0..items.len()).filter(|at| is_pinned(&items[*at])).map(cost).sum();
    let room = room.saturating_sub(pinned);
    let units = units(items);
    let cost_of =
        |unit: &Unit| -> usize { (unit.begin..unit.end).filter(|at| !is_pinned(&items[*at])).map(cost).sum() };
    let begin_of = |first: usize| units.get(first).map_or(0, |unit| unit.begin);
    // What the first reply that is kept answers.
    let asked = |first: usize| match items.get(begin_of(first)) {
        Some(item) if item.role() != "user" => items[..begin_of(first)].iter().rposition(|item| item.role() == "user"),
        _ => None,
    };
    let mut first = 0;
    let mut sum = 0;
    for (last, unit) in units.iter().enumerate() {
        sum += cost_of(unit);
        if sum + asked(first).map_or(0, cost) <= room {
            continue;
        }
        while first < last && sum + asked(first).map_or(0, cost) > room * KEPT.0 / KEPT.1 {
            sum -= cost_of(&units[first]);
            first += 1;
        }
    }
    let (begin, asked) = (begin_of(first), asked(first));
    items.iter().enumerate().map(|(at, item)| at >= begin || is_pinned(item) || Some(at) == asked).collect()
}

/// Items that stand or go together.
struct Unit {
    begin: usize,
    end: usize,
}

fn units(items: &[Item]) -> Vec<Unit> {
    let is_result = |item: &Item| matches!(item.role(), "tool" | "function");
    let is_said_to = |item: &Item| matches!(item.role(), "user" | "system" | "developer");
    let mut units: Vec<Unit> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &items[before]);
        let begins = before
            .is_none_or(|before| is_said_to(item) || is_said_to(before) || (is_result(before) && !is_result(item)));
        match units.last_mut() {
            Some(unit) if !begins => unit.end = at + 1,
            _ => units.push(Unit { begin: at, end: at + 1 }),
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::dialect::{Asked, Dialect};
    use super::*;

    /// s: system, u: user, a: assistant, c: assistant that calls a tool, t: its result.
    fn talk(letters: &str) -> Asked {
        let message = |letter: char| match letter {
            's' => json!({ "role": "system", "content": "s" }),
            'u' => json!({ "role": "user", "content": "u" }),
            'a' => json!({ "role": "assistant", "content": "a" }),
            'c' => {
                json!({ "role": "assistant", "tool_calls": [{ "id": "1", "function": { "name": "f", "arguments": "" } }] })
            }
            _ => json!({ "role": "tool", "tool_call_id": "1", "content": "t" }),
        };
        let messages: Vec<_> = letters.chars().map(message).collect();
        Asked::read(Dialect::Chat, json!({ "messages": messages }).to_string().as_bytes()).unwrap()
    }

    #[test]
    fn calls_stay_with_their_results_and_the_last_exchange_stays() {
        for (letters, room, wanted) in [
            ("suaua", 50, "suaua"),
            ("suauau", 50, "s..uau"),
            // The question that a loop of tools answers stays with it.
            ("suctctct", 50, "su....ct"),
            ("suacttctt", 50, "su....ctt"),
            // However small the room.
            ("suauct", 1, "s..uct"),
            ("u", 0, "u"),
            ("", 0, ""),
            ("uau", 30, "uau"),
        ] {
            let asked = talk(letters);
            let costs = vec![10; letters.len()];
            let kept = kept(asked.items(), &costs, room);
            let shown: String =
                letters.chars().zip(&kept).map(|(letter, kept)| if *kept { letter } else { '.' }).collect();
            assert_eq!(shown, wanted, "{letters} in {room}");
        }
    }

    #[test]
    fn the_cut_stays_while_the_talk_grows() {
        let letters = "s".to_owned() + &"ua".repeat(100);
        let mut cuts = Vec::new();
        for length in 2..=letters.len() {
            let asked = talk(&letters[..length]);
            let kept = kept(asked.items(), &vec![10; length], 210);
            let sent = kept.iter().filter(|kept| **kept).count();
            assert!(sent <= 22, "the user's message before the first reply is all that may be over: {sent}");
            cuts.push(kept.iter().skip(1).position(|kept| *kept).unwrap());
        }
        assert!(cuts.is_sorted());
        cuts.dedup();
        assert!(cuts.len() < 100, "a cut that moves with every message is never in a cache: {}", cuts.len());
    }
}
