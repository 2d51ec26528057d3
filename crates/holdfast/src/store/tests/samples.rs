//! Made-up events, tasks and operations for the tests of stores, from a seed.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

use crate::env::Env;
use crate::store::{ModelId, Store};
use crate::types::change::{ChangeSet, MemoryChange, NewEvent, TaskChange};
use crate::types::event::{Event, Kind, Source, Trust};
use crate::types::frame::{Constraint, Frame, Goal};
use crate::types::ids::{EventId, MemoryId, OperationId, RunId, Seq};
use crate::types::memory::{Applies, Evidence, Memory, MemoryKind, MemoryStatus, Origin, Stance, Uses, Visibility};
use crate::types::operation::{Operation, Target, Verb};
use crate::types::probation::{OnProbation, Probation, Sentence};
use crate::types::scope::{Owner, Scope, ScopeId};
use crate::types::signals::{DateMention, Entity, EntityKind, Language, Signals};
use crate::types::task::{StepPhase, Task, TaskStatus};

/// A small generator (SplitMix64): the same seed gives the same numbers on every machine and in every version.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// In `0..1`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    pub(crate) fn one_of<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len() as u64) as usize]
    }
}

pub(crate) fn env() -> Arc<Env> {
    Arc::new(Env::fixed(1, "2026-03-02T09:00:00Z".parse::<Timestamp>().expect("a timestamp")))
}

pub(crate) fn id(text: &str) -> ScopeId {
    ScopeId::new(text).expect("a scope id")
}

/// The owner whose user has this id.
pub(crate) fn owner(user: &str) -> Owner {
    Owner { user: id(user), ..Owner::default() }
}

pub(crate) fn model() -> ModelId {
    ModelId { name: "test".to_owned(), dimension: 8 }
}

/// A note in a session, whose terms are its words.
pub(crate) fn event(env: &Env, owner: &Owner, session: &str, content: &str) -> NewEvent {
    let recorded_at = env.now();
    NewEvent {
        event: Event {
            id: EventId(env.id()),
            scope: Scope { owner: owner.clone(), session: id(session), task: None },
            source: Source::User,
            kind: Kind::Note,
            content: content.to_owned(),
            occurred_at: recorded_at.to_zoned_datetime(TimeZone::fixed(jiff::tz::offset(8))),
            recorded_at,
            trust: Trust::Trusted,
            metadata: serde_json::Map::new(),
            idempotency_key: None,
            redactions: Vec::new(),
        },
        signals: Signals::default(),
        terms: content.to_lowercase(),
    }
}

/// As rules make them of a sentence with a date and a name.
pub(crate) fn signals() -> Signals {
    let start = civil::date(2026, 3, 4).at(0, 0, 0, 0);
    Signals {
        language: Language::Zh,
        entities: vec![
            Entity { kind: EntityKind::Name, text: "王敏".to_owned(), value: "王敏".to_owned(), span: 0..6 },
            Entity { kind: EntityKind::Number, text: "3.2%".to_owned(), value: "3.2%".to_owned(), span: 9..13 },
        ],
        dates: vec![DateMention { text: "下周三".to_owned(), span: 14..23, start, end: start }],
        ..Signals::default()
    }
}

/// A day from now, and twenty turns.
pub(crate) fn on_probation(env: &Env, seq: Seq, id: EventId) -> OnProbation {
    let (since, since_turn) = (env.now(), u64::try_from(seq.0).expect("a position"));
    let until = since + jiff::SignedDuration::from_hours(24);
    let probation = Probation { since_turn, since, until_turn: since_turn + 20, until };
    let reason = "it scores below 0.2".to_owned();
    OnProbation { seq, id, probation, sentence: Sentence { policy: "support".to_owned(), score: 0.12, reason } }
}

pub(crate) fn observed(env: &Env, event: &Event) -> Operation {
    operation(env, &event.scope.owner, Verb::Observe, Target::Event(event.id))
}

pub(crate) fn operation(env: &Env, owner: &Owner, verb: Verb, target: Target) -> Operation {
    Operation {
        id: OperationId(env.id()),
        at: env.now(),
        actor: "user".to_owned(),
        verb,
        target,
        owner: owner.clone(),
        before: None,
        after: None,
        reason: "it was said".to_owned(),
        cause: None,
        run: RunId(env.id()),
    }
}

/// A change of these events, with their operations.
pub(crate) fn change(env: &Env, owner: &Owner, events: Vec<NewEvent>) -> ChangeSet {
    let operations = events.iter().map(|new| observed(env, &new.event)).collect();
    ChangeSet { owner: owner.clone(), events, operations, ..ChangeSet::default() }
}

/// Commits one event and says where it is.
pub(crate) fn say(store: &dyn Store, env: &Env, owner: &Owner, session: &str, content: &str) -> (Seq, EventId) {
    let committed = store.commit(change(env, owner, vec![event(env, owner, session, content)])).expect("a commit");
    (committed.events[0].seq, committed.events[0].id)
}

/// A task with a goal and a constraint, at a version.
pub(crate) fn task(env: &Env, owner: &Owner, name: &str, source: EventId, version: u64) -> TaskChange {
    let now = env.now().to_zoned_datetime(TimeZone::UTC);
    let frame = Frame {
        id: "f1".into(),
        goal: Some(Goal { id: "g1".into(), text: format!("finish {name}"), source }),
        constraints: vec![Constraint {
            id: "c1".into(),
            text: "不超过三页".to_owned(),
            source,
            in_force: true,
            retracted: None,
            amended_from: Vec::new(),
        }],
        ..Frame::default()
    };
    let task = Task {
        id: id(name),
        owner: owner.clone(),
        title: name.to_owned(),
        names: vec![name.to_lowercase()],
        status: TaskStatus::Open,
        items: Vec::new(),
        frames: vec![frame],
        facts: Vec::new(),
        phase: StepPhase::Ready,
        closing: None,
        opened_at: now.clone(),
        last_activity: now,
        version,
        next_element: 3,
    };
    TaskChange { task, expected_version: version.checked_sub(1).filter(|v| *v > 0) }
}

/// A memory of a slot at a version, on the word of one event.
pub(crate) fn memory(
    env: &Env,
    id: MemoryId,
    attribute: &str,
    value: &str,
    status: MemoryStatus,
    source: EventId,
    version: u64,
) -> MemoryChange {
    let now = env.now().to_zoned_datetime(TimeZone::UTC);
    let evidence = Evidence {
        event: Some(source),
        at: now.clone(),
        stance: Stance::States,
        origin: Origin::UserStated,
        quote: value.to_owned(),
        task: None,
    };
    let memory = Memory {
        id,
        kind: MemoryKind::Fact,
        subject: "user".to_owned(),
        attribute: attribute.to_owned(),
        aliases: BTreeSet::new(),
        content: format!("{attribute}: {value}"),
        value: value.to_owned(),
        applies: Applies::User,
        importance: 3,
        confidence: 0.8,
        status,
        version,
        valid_from: now,
        valid_to: None,
        recorded_at: env.now(),
        retired_at: None,
        origin: Origin::UserStated,
        sources: vec![evidence],
        moves: Vec::new(),
        uses: Uses::default(),
        visibility: Visibility::Private,
        imperative: false,
        reason: None,
        superseded_by: None,
    };
    MemoryChange { memory, expected_version: version.checked_sub(1).filter(|v| *v > 0) }
}

/// A unit vector of the test model that leans towards one axis.
pub(crate) fn vector(random: &mut Random, axis: usize) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..model().dimension).map(|_| random.unit() as f32 - 0.5).collect();
    vector[axis % model().dimension] += 2.0;
    unit(vector)
}

pub(crate) fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}
