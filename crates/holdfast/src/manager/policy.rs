//! How much is let go, and how soon: a policy as one readable TOML. The presets say beside each number why it is that number; a policy of
//! one's own names a preset and what differs.

use serde::Deserialize;
use toml::{Table, Value};

use crate::types::event::Kind;
use crate::types::memory::MemoryKind;

/// The weights must sum to one within this: they are written with two or three places.
const WEIGHTS_SUM_TOLERANCE: f64 = 1e-6;

const PRESETS: [(&str, &str); 4] = [
    ("support", include_str!("presets/support.toml")),
    ("research", include_str!("presets/research.toml")),
    ("tutoring", include_str!("presets/tutoring.toml")),
    ("aggressive", include_str!("presets/aggressive.toml")),
];

/// What a manager run goes by (SPEC 6.2).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The preset it is or extends: said in reports.
    #[serde(skip)]
    pub name: String,
    pub weights: Weights,
    pub half_life: HalfLife,
    pub thresholds: Thresholds,
    pub probation: ProbationTerms,
    pub triggers: Triggers,
    pub blast_radius: BlastRadius,
    pub keep: Keep,
    pub summary: SummaryTerms,
}

/// What each part of a score counts; they sum to one.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    pub timeliness: f64,
    pub references: f64,
    pub credibility: f64,
    pub relevance: f64,
}

/// After how long timeliness is half of what it was: by the clock, and by turns of the talk.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HalfLife {
    pub hours: f64,
    pub turns: f64,
}

/// A score of at least `keep` keeps, of at least `compress` compresses, of at least `archive` archives; below that is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    pub keep: f64,
    pub compress: f64,
    pub archive: f64,
}

/// How long what is discarded can still be called back: both must have passed (SPEC 6.4).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbationTerms {
    pub turns: u32,
    pub hours: f64,
}

/// When a run is due (SPEC 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Triggers {
    /// Of the budget of working memory that is full.
    pub budget_share: f64,
    pub every_events: u32,
    pub on_stage_change: bool,
    pub on_task_end: bool,
    pub timer_minutes: u32,
}

/// How much one run may touch without asking (SPEC 6.7).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlastRadius {
    /// Of the store's events.
    pub share: f64,
    /// A run over no more than so many never stops: in a small store every share is soon exceeded.
    pub floor: u64,
}

/// What is kept whatever its score.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Events that state a memory of these kinds.
    pub kinds: Vec<MemoryKind>,
    /// Events of the user, of these kinds: what somebody tried, or said of what was done.
    pub user_kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryTerms {
    /// Whether a stage can end without a summary of it (SPEC 6.5).
    pub stage_required: bool,
}

/// Why a text is no policy. Each says which key, what it was, and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy is no TOML: {0}")]
    Syntax(String),
    #[error("`extends` is {name:?}; the presets are {}", Policy::preset_names().join(", "))]
    NoSuchPreset { name: String },
    #[error("there is no key `{key}`; here are {allowed}")]
    UnknownKey { key: String, allowed: String },
    #[error("`{key}` is missing: name it, or a preset to take it from (extends = \"research\")")]
    Missing { key: String },
    #[error("`{key}` is {value}; it must be {allowed}")]
    Value { key: String, value: String, allowed: String },
}

impl Policy {
    /// The names of the presets.
    pub fn preset_names() -> [&'static str; PRESETS.len()] {
        PRESETS.map(|(name, _)| name)
    }

    /// A preset by its name.
    pub fn preset(name: &str) -> Option<Self> {
        let (name, text) = PRESETS.iter().find(|(known, _)| *known == name)?;
        let policy = Self::from_toml(text).expect("presets are read by a test");
        Some(Self { name: (*name).to_owned(), ..policy })
    }

    /// A policy of one's own: what it names, over the preset that it extends.
    ///
    /// ```
    /// use holdfast::manager::Policy;
    /// let policy = Policy::from_toml("extends = \"research\"\n[probation]\nturns = 40").unwrap();
    /// assert_eq!((policy.probation.turns, policy.summary.stage_required), (40, true));
    /// let error = Policy::from_toml("extends = \"research\"\n[probation]\nturns = -1").unwrap_err();
    /// assert_eq!(error.to_string(), "`probation.turns` is -1; it must be a whole number from 0 to 4294967295");
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        let mut own: Table =
            text.parse().map_err(|error: toml::de::Error| PolicyError::Syntax(error.message().to_owned()))?;
        let (name, base) = match own.remove("extends") {
            None => ("custom".to_owned(), None),
            Some(Value::String(name)) => {
                let preset = PRESETS.iter().find(|(known, _)| *known == name);
                let Some((_, text)) = preset else { return Err(PolicyError::NoSuchPreset { name }) };
                (name, Some(table(text)))
            }
            Some(other) => return Err(wrong("extends", &other, "the name of a preset, in quotes")),
        };
        // Any preset names every key: it is the form of them all.
        let form = table(PRESETS[0].1);
        let merged = merge("", &form, base.as_ref(), &own)?;
        let policy: Self =
            merged.try_into().map_err(|error: toml::de::Error| PolicyError::Syntax(error.message().to_owned()))?;
        policy.check()?;
        Ok(Self { name, ..policy })
    }

    /// That the numbers make sense together.
    fn check(&self) -> Result<(), PolicyError> {
        let Self { weights, half_life, thresholds, probation, triggers, blast_radius, .. } = self;
        let shares = [
            ("weights.timeliness", weights.timeliness),
            ("weights.references", weights.references),
            ("weights.credibility", weights.credibility),
            ("weights.relevance", weights.relevance),
            ("thresholds.keep", thresholds.keep),
            ("thresholds.compress", thresholds.compress),
            ("thresholds.archive", thresholds.archive),
            ("triggers.budget_share", triggers.budget_share),
            ("blast_radius.share", blast_radius.share),
        ];
        for (key, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(wrong(key, &value, "a number from 0 to 1"));
            }
        }
        for (key, value) in [("half_life.hours", half_life.hours), ("half_life.turns", half_life.turns)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(wrong(key, &value, "a number above 0"));
            }
        }
        if !(probation.hours.is_finite() && probation.hours >= 0.0) {
            return Err(wrong("probation.hours", &probation.hours, "a number of at least 0"));
        }
        let sum = weights.timeliness + weights.references + weights.credibility + weights.relevance;
        if (sum - 1.0).abs() > WEIGHTS_SUM_TOLERANCE {
            let sum = format!("{} in sum", (sum * 1e6).round() / 1e6);
            return Err(wrong("weights", &sum, "four numbers that sum to 1"));
        }
        let Thresholds { keep, compress, archive } = *thresholds;
        if compress > keep {
            return Err(wrong("thresholds.compress", &compress, &format!("at most thresholds.keep, {keep}")));
        }
        if archive > compress {
            return Err(wrong("thresholds.archive", &archive, &format!("at most thresholds.compress, {compress}")));
        }
        Ok(())
    }
}

fn table(preset: &str) -> Table {
    preset.parse().expect("presets are read by a test")
}

fn wrong(key: &str, value: &impl std::fmt::Display, allowed: &str) -> PolicyError {
    PolicyError::Value { key: key.to_owned(), value: value.to_string(), allowed: allowed.to_owned() }
}

/// What is named, over what it extends, in the form that all policies have.
fn merge(path: &str, form: &Table, base: Option<&Table>, own: &Table) -> Result<Table, PolicyError> {
    let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    if let Some(key) = own.keys().find(|key| !form.contains_key(*key)) {
        let known: Vec<String> = form.keys().map(|key| format!("`{}`", at(key))).collect();
        return Err(PolicyError::UnknownKey { key: at(key), allowed: known.join(", ") });
    }
    let mut merged = Table::new();
    for (key, expected) in form {
        let inherited = base.and_then(|base| base.get(key));
        let value = match (expected, own.get(key)) {
            (Value::Table(inner), own) => {
                let empty = Table::new();
                let own = match own {
                    Some(Value::Table(own)) => own,
                    None if inherited.is_none() => return Err(PolicyError::Missing { key: at(key) }),
                    None => &empty,
                    Some(other) => return Err(wrong(&at(key), other, "a table")),
                };
                Value::Table(merge(&at(key), inner, inherited.and_then(Value::as_table), own)?)
            }
            (expected, Some(own)) => typed(&at(key), expected, own)?,
            (_, None) => inherited.cloned().ok_or_else(|| PolicyError::Missing { key: at(key) })?,
        };
        merged.insert(key.clone(), value);
    }
    Ok(merged)
}

/// A value in the type that its key has. A whole number does for a fraction.
fn typed(key: &str, expected: &Value, own: &Value) -> Result<Value, PolicyError> {
    match (expected, own) {
        (Value::Float(_), Value::Integer(whole)) => Ok(Value::Float(*whole as f64)),
        (Value::Float(_), Value::Float(value)) if value.is_nan() => Err(wrong(key, &"nan", "a number")),
        (Value::Float(_), Value::Float(_)) | (Value::Boolean(_), Value::Boolean(_)) => Ok(own.clone()),
        (Value::Integer(_), Value::Integer(whole)) if u32::try_from(*whole).is_ok() => Ok(own.clone()),
        (Value::Array(_), Value::Array(items)) => {
            let known: Vec<&str> = match key {
                "keep.kinds" => MemoryKind::ALL.iter().map(|kind| kind.as_str()).collect(),
                _ => Kind::ALL.iter().map(|kind| kind.as_str()).collect(),
            };
            match items.iter().find(|item| !item.as_str().is_some_and(|word| known.contains(&word))) {
                None => Ok(own.clone()),
                Some(item) => Err(wrong(key, item, &format!("a list of {}", known.join(", ")))),
            }
        }
        (Value::Float(_), _) => Err(wrong(key, own, "a number")),
        (Value::Integer(_), _) => Err(wrong(key, own, &format!("a whole number from 0 to {}", u32::MAX))),
        (Value::Boolean(_), _) => Err(wrong(key, own, "true or false")),
        _ => Err(wrong(key, own, "a list of words in quotes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let error = Policy::from_toml(text).map(|policy| policy.name).map_err(|error| error.to_string());
        assert_eq!(error, Err(expected.to_owned()), "{text}");
    }

    #[test]
    fn presets_are_policies_that_differ_as_they_should() {
        let of = |name: &str| Policy::preset(name).unwrap();
        for name in Policy::preset_names() {
            assert_eq!(of(name).name, name);
            // SPEC 6.1 and 6.4, whatever the preset.
            assert_eq!(of(name).triggers.budget_share, 0.7, "{name}");
            assert!(of(name).probation.turns > 0 && of(name).probation.hours > 0.0, "{name}");
        }
        assert!(of("support").keep.kinds.contains(&MemoryKind::Preference));
        assert!(of("research").summary.stage_required);
        assert!(of("tutoring").keep.user_kinds.contains(&Kind::Response), "attempts");
        assert!(of("aggressive").thresholds.keep > of("research").thresholds.keep);
        assert_eq!(Policy::preset("Support"), None);
    }

    #[test]
    fn a_policy_overlays_a_preset() {
        let policy =
            Policy::from_toml("extends = \"tutoring\"\n[half_life]\nhours = 24\n[keep]\nkinds = [\"fact\"]").unwrap();
        let base = Policy::preset("tutoring").unwrap();
        let expected = Policy {
            half_life: HalfLife { hours: 24.0, ..base.half_life },
            keep: Keep { kinds: vec![MemoryKind::Fact], ..base.keep.clone() },
            ..base
        };
        assert_eq!(policy, expected);
    }

    #[test]
    fn an_error_names_the_key_its_value_and_what_is_allowed() {
        for (text, expected) in [
            ("extends = \"fast\"", "`extends` is \"fast\"; the presets are support, research, tutoring, aggressive"),
            ("extends = 3", "`extends` is 3; it must be the name of a preset, in quotes"),
            (
                "[weights]\ntimeliness = 1",
                "`blast_radius` is missing: name it, or a preset to take it from (extends = \"research\")",
            ),
            ("", "`blast_radius` is missing: name it, or a preset to take it from (extends = \"research\")"),
            (
                "extends = \"support\"\n[probation]\nturn = 3",
                "there is no key `probation.turn`; here are `probation.hours`, `probation.turns`",
            ),
            ("extends = \"support\"\n[half_life]\nhours = nan", "`half_life.hours` is nan; it must be a number"),
            ("extends = \"support\"\n[half_life]\nhours = 0", "`half_life.hours` is 0; it must be a number above 0"),
            (
                "extends = \"support\"\n[half_life]\nturns = inf",
                "`half_life.turns` is inf; it must be a number above 0",
            ),
            (
                "extends = \"support\"\n[probation]\nhours = -2",
                "`probation.hours` is -2; it must be a number of at least 0",
            ),
            (
                "extends = \"support\"\n[weights]\nrelevance = -0.1",
                "`weights.relevance` is -0.1; it must be a number from 0 to 1",
            ),
            (
                "extends = \"support\"\n[weights]\nrelevance = 0.5",
                "`weights` is 1.25 in sum; it must be four numbers that sum to 1",
            ),
            (
                "extends = \"support\"\n[thresholds]\ncompress = 0.6",
                "`thresholds.compress` is 0.6; it must be at most thresholds.keep, 0.55",
            ),
            (
                "extends = \"support\"\n[thresholds]\narchive = 0.5",
                "`thresholds.archive` is 0.5; it must be at most thresholds.compress, 0.35",
            ),
            (
                "extends = \"support\"\n[triggers]\non_task_end = \"yes\"",
                "`triggers.on_task_end` is \"yes\"; it must be true or false",
            ),
            (
                "extends = \"support\"\n[triggers]\nevery_events = 2.5",
                "`triggers.every_events` is 2.5; it must be a whole number from 0 to 4294967295",
            ),
            (
                "extends = \"support\"\n[keep]\nkinds = [\"likes\"]",
                "`keep.kinds` is \"likes\"; it must be a list of preference, rule, fact, lesson, procedure, summary, inference",
            ),
            ("extends = \"support\"\nweights = 1", "`weights` is 1; it must be a table"),
        ] {
            check(text, expected);
        }
        assert!(matches!(Policy::from_toml("weights ="), Err(PolicyError::Syntax(_))));
    }
}
