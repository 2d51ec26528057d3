//! What held at a moment (SPEC 4.5): the facts of a task as they stood then, on the world's clock and on ours.

use std::path::Path;
use std::sync::Arc;

use holdfast::embedding::Choice;
use holdfast::engine::{Config, Engine};
use holdfast::env::Env;
use holdfast::types::event::{Kind, RawEvent, Source};
use holdfast::types::query::{Filter, Found, Query};
use holdfast::types::scope::{Scope, ScopeId};
use holdfast::types::update::{Action, Update};
use jiff::{SignedDuration, Timestamp};

/// A fact is stated and, a week of the world's later, put right; both are recorded days after they happened.
struct Told {
    engine: Engine,
    env: Arc<Env>,
    scope: Scope,
    question: &'static str,
}

const STATED: &str = "2026-11-02T10:00:00Z";
const CORRECTED: &str = "2026-11-09T10:00:00Z";

fn engine(directory: &Path, env: &Arc<Env>) -> Engine {
    Engine::open(Config { embedding: Choice::None, env: Arc::clone(env), ..Config::at(directory) }).unwrap()
}

impl Told {
    fn new(directory: &Path, question: &'static str) -> Self {
        let env = Arc::new(Env::fixed(7, "2026-11-20T09:00:00Z".parse().unwrap()));
        let scope = Scope { task: Some(ScopeId::new("report").unwrap()), ..Scope::default() };
        Self { engine: engine(directory, &env), env, scope, question }
    }

    /// Records it, and says when.
    fn record(&self, source: Source, text: &str, at: &str, update: Option<Update>) -> Timestamp {
        self.env.advance(SignedDuration::from_hours(24));
        let kind = if source == Source::User { Kind::Query } else { Kind::Response };
        let mut raw = RawEvent::new(self.scope.clone(), source, kind, text);
        raw.occurred_at = Some(at.parse::<Timestamp>().unwrap().to_zoned_datetime(jiff::tz::TimeZone::UTC));
        let observed = self.engine.observe_with(raw, update).unwrap();
        assert_eq!(observed.refused_update, None);
        self.env.now()
    }

    /// The facts served, each with whether it is said to hold.
    fn facts(&self, filter: Filter) -> Vec<(String, bool)> {
        let query = Query { filter, ..Query::new(self.scope.clone(), self.question, self.engine.now()) };
        let hits = self.engine.recall(&query).unwrap().hits;
        let facts = hits.into_iter().filter_map(|hit| match hit.found {
            Found::Fact { text, valid, .. } => Some((text, valid)),
            Found::Event { .. } | Found::Memory { .. } => None,
        });
        facts.collect()
    }
}

#[test]
fn a_fact_is_served_as_it_stood_at_the_moment_asked_for() {
    for (asked, old, correction, new, question) in [
        ("帮我写一份周报", "退货率是3.2%", "退货率不是3.2%，是2.8%", "退货率是2.8%", "退货率是多少"),
        (
            "Please draft the weekly report",
            "The return rate is 3.2%",
            "The return rate is 2.8%, not 3.2%",
            "The return rate is 2.8%",
            "what is the return rate",
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let told = Told::new(directory.path(), question);
        told.record(Source::User, asked, "2026-11-01T10:00:00Z", None);
        let before_any = told.env.now();
        let fact = Update { actions: vec![Action::AddFact { text: old.to_owned() }], ..Update::default() };
        let stated = told.record(Source::Agent, old, STATED, Some(fact));
        told.record(Source::User, correction, CORRECTED, None);
        let (was, is) = (vec![(old.to_owned(), true)], vec![(new.to_owned(), true)]);
        let at = |moment: &str| Some(moment.parse::<Timestamp>().unwrap());
        assert_eq!(told.facts(Filter::default()), is, "now");
        for (until, expected) in [
            ("2026-11-01T12:00:00Z", &Vec::new()),
            (STATED, &Vec::new()),
            ("2026-11-05T00:00:00Z", &was),
            (CORRECTED, &was),
            ("2026-11-10T00:00:00Z", &is),
        ] {
            assert_eq!(told.facts(Filter { until: at(until), ..Filter::default() }), *expected, "until {until}");
        }
        for (known_at, expected) in [(before_any, &Vec::new()), (told.env.now(), &is)] {
            let filter = Filter { known_at: Some(known_at), ..Filter::default() };
            assert_eq!(told.facts(filter), *expected, "known at {known_at}");
        }
        // Recorded on the 22nd: then it was known, and the correction was not, whenever that was said.
        let filter = Filter { known_at: Some(stated), ..Filter::default() };
        assert_eq!(told.facts(filter), was, "known at {stated}");
        // The old one, marked, where a history is asked for.
        let history = told.facts(Filter { history: true, ..Filter::default() });
        assert!(history.contains(&(old.to_owned(), false)) && history.contains(&is[0]), "{history:?}");
    }
}
