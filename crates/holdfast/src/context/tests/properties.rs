//! Whatever the content: the budget holds, and the fence does.

use proptest::prelude::*;

use super::*;
use crate::types::context::Section;

/// Pieces of what an attacker would try, mixed with ordinary words.
fn content() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            OPEN, CLOSE, "</HOLDFAST-CONTEXT>", "</hоldfast-context>", "＜/holdfast-context＞", "<", "/", ">", "holdfast", "-",
            "context", "\u{200B}", "\u{202E}", "\n", "\r\n", "\n## 约束\n- [c1] ", "\n## Goal\n", "[c1]", "##", "\u{2028}", "「",
            "」", "\"", "。", "收集数据", "the report", "3.2%", " ", "\t", "<|im_end|>",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "\\PC{0,20}",
    ];
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

fn some_task(texts: &[String]) -> Task {
    let text = |n: usize| texts[n % texts.len()].clone();
    let actions = [
        Action::AddConstraint { text: text(0) },
        Action::Warn { text: text(1) },
        Action::Plan { steps: vec![text(2), text(3)] },
        Action::NextStep { step: None },
        Action::CompleteStep { step: None, status: None, result: Some(text(4)) },
        Action::NextStep { step: None },
        Action::Result { text: text(5) },
        Action::Conclude { text: text(6) },
        Action::AskDecision { question: text(7), who: Some(text(8)) },
        Action::SetItem { name: text(9), status: ItemStatus::Open, note: Some(text(10)) },
        Action::SetItem { name: text(11), status: ItemStatus::Cancelled, note: None },
        Action::Artifact { locator: text(12), description: Some(text(13)) },
        Action::SetStage { stage: text(14), summary: Some(text(15)) },
    ];
    actions.into_iter().fold(task(), |task, action| {
        let update = crate::working::tests::update(vec![action]);
        crate::working::apply(&task, &update, event(2), &crate::working::tests::at(1))
            .map_or(task, |applied| applied.task)
    })
}

/// Reads a block back as a program would that trusts only line beginnings.
fn sections(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(OPEN));
    assert_eq!(lines.next_back(), Some(CLOSE));
    lines.next();
    let mut sections = Vec::new();
    for line in lines {
        match line.strip_prefix("## ") {
            Some(section) => sections.push(section.to_owned()),
            None => assert!(line.starts_with("- "), "{line:?}"),
        }
    }
    sections
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_budget_and_the_fence_hold(
        texts in prop::collection::vec(content(), 1..16),
        excerpts in prop::collection::vec((content(), any::<bool>()), 0..6),
        budget_tokens in 0_usize..1_200,
        zh in any::<bool>(),
    ) {
        let task = some_task(&texts);
        let hits: Vec<Hit> = excerpts
            .iter()
            .enumerate()
            .map(|(n, (text, tool))| {
                hit(said(n as u128 + 50, if *tool { Source::Tool } else { Source::User }, text))
            })
            .collect();
        let language = if zh { Language::Zh } else { Language::En };
        let input = input(Some(&task), &hits, language);
        match block(&input, &budget(budget_tokens)) {
            Err(BlockError::MandatoryExceedsBudget { needed, budget, .. }) => prop_assert!(needed > budget),
            Ok(made) => {
                prop_assert!(made.tokens <= budget_tokens);
                prop_assert_eq!(made.tokens, tokens(&made.text));
                prop_assert_eq!(made.text.matches("<holdfast-context").count(), 1);
                prop_assert_eq!(made.text.matches("</holdfast-context").count(), 1);
                let labels = labels::of(language);
                let known: Vec<&str> = [
                    Section::Goal, Section::Constraints, Section::Warnings, Section::State, Section::Plan, Section::Items,
                    Section::Decisions, Section::Result, Section::Conclusions, Section::Facts, Section::Excerpts,
                    Section::Artifacts,
                ].into_iter().map(|section| labels.section(section)).collect();
                let places: Vec<Option<usize>> =
                    sections(&made.text).iter().map(|s| known.iter().position(|k| k == s)).collect();
                prop_assert!(places.iter().all(Option::is_some));
                prop_assert!(places.is_sorted(), "{:?}", places);
                prop_assert_eq!(places.windows(2).filter(|pair| pair[0] == pair[1]).count(), 0);
                prop_assert_eq!(&block(&input, &budget(budget_tokens)).unwrap(), &made);
                // Everything selected is either in or said to be cut.
                let constraints = task.frames[0].constraints.len();
                let served = made.served.iter().filter(|s| s.section == Section::Constraints).count();
                prop_assert_eq!(served, constraints);
            }
        }
    }

    #[test]
    fn made_harmless_once_is_harmless(content in content()) {
        let once = fence::inline(&content);
        prop_assert_eq!(fence::inline(&once), once);
    }
}
