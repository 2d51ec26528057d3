//! Long-term memory: what is known beyond a task, on which evidence, since when, and how sure (SPEC 3.1).

use std::collections::BTreeSet;

use jiff::{Timestamp, ZonedDateTime};
use serde::{Deserialize, Serialize};

use super::event::{Event, words};
use super::ids::{EventId, MemoryId};
use super::moment;
use super::scope::TaskId;

/// Longest content of a memory, in bytes: a sentence or two. A document belongs into the log.
pub const MEMORY_BYTES_MAX: usize = 2_000;
/// Longest subject or attribute, in bytes.
pub const SLOT_PART_BYTES_MAX: usize = 200;
/// The subject of a memory that is about the user.
pub const USER: &str = "user";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// What the user likes or wants.
    Preference,
    /// How things are to be done: 「以后周报都先写结论」.
    Rule,
    /// How things are.
    Fact,
    /// What a run taught: for a failed one, why it failed.
    Lesson,
    /// How something is done, as it was done when it worked.
    Procedure,
    /// What a stretch of the log comes to.
    Summary,
    /// Concluded, never stated: ranked below the rest, and labelled.
    Inference,
}

words!(MemoryKind {
    Preference => "preference",
    Rule => "rule",
    Fact => "fact",
    Lesson => "lesson",
    Procedure => "procedure",
    Summary => "summary",
    Inference => "inference",
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStatus {
    /// Not confirmed: operators find it, agents are not served it.
    Pending,
    Active,
    /// Another value holds since `valid_to`.
    Superseded,
    /// Taken back: denied by the user, rejected by an operator.
    Retracted,
    /// Too little speaks for it by now: to be asked again, or let go.
    Fading,
    /// Let go for lack of use or support.
    Archived,
    Erased,
}

words!(MemoryStatus {
    Pending => "pending",
    Active => "active",
    Superseded => "superseded",
    Retracted => "retracted",
    Fading => "fading",
    Archived => "archived",
    Erased => "erased",
});

impl MemoryStatus {
    /// Those that speak or may yet: what has not ended.
    pub const OPEN: [Self; 3] = [Self::Active, Self::Pending, Self::Fading];
}

/// Where a memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    UserStated,
    ToolVerified,
    AgentInferred,
    Imported,
}

words!(Origin {
    UserStated => "user_stated",
    ToolVerified => "tool_verified",
    AgentInferred => "agent_inferred",
    Imported => "imported",
});

/// Where a memory applies. The narrower wins where it applies, and leaves the wider alone elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "applies", content = "to")]
pub enum Applies {
    Everywhere,
    /// In all work of this user with this agent.
    #[default]
    User,
    /// To tasks of this kind, by its normal name: 周报.
    TaskKind(String),
    Task(TaskId),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    #[default]
    Private,
    Shared,
}

/// What one source did to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// Stated it, or stated it again.
    States,
    /// Acted in a way it follows from: a habit, a conclusion of a task that succeeded.
    Suggests,
    /// Denied it.
    Denies,
    /// Said that it is over: until then it was so.
    Ends,
    /// Confirmed it when asked, or by an operator.
    Confirms,
    /// Rejected or took it back.
    Rejects,
    /// Was served it and was content.
    Praises,
    /// Was served it and was not.
    Blames,
}

words!(Stance {
    States => "states",
    Suggests => "suggests",
    Denies => "denies",
    Ends => "ends",
    Confirms => "confirms",
    Rejects => "rejects",
    Praises => "praises",
    Blames => "blames",
});

/// One piece of evidence. What a memory is, is worked out of its evidence, in the order of its moments and not of its arrival.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// `None`: an operator's word, outside the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventId>,
    #[serde(with = "moment")]
    pub at: ZonedDateTime,
    pub stance: Stance,
    pub origin: Origin,
    /// The words it rests on, found in the event as they stand.
    pub quote: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

impl Evidence {
    /// What an event says, in its task. It counts from when it was said; a clock that runs ahead must not have the last word for
    /// years, so from when it was recorded at the latest.
    pub fn of(event: &Event, stance: Stance, origin: Origin, quote: &str) -> Self {
        let at = if event.occurred_at.timestamp() > event.recorded_at {
            event.recorded_at.to_zoned_datetime(event.occurred_at.time_zone().clone())
        } else {
            event.occurred_at.clone()
        };
        Self { event: Some(event.id), at, stance, origin, quote: quotable(quote), task: event.scope.task.clone() }
    }
}

/// What of somebody's words stands as evidence: no more than a memory may hold.
pub fn quotable(words: &str) -> String {
    words[..words.floor_char_boundary(MEMORY_BYTES_MAX)].to_owned()
}

/// A move of confidence, and what caused it (SPEC 3.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Move {
    #[serde(with = "moment")]
    pub at: ZonedDateTime,
    pub from: f32,
    pub to: f32,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<EventId>,
}

/// What came of it where it was served (SPEC 3.11). A serving counts once something is known of its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Uses {
    pub served: u32,
    pub helped: u32,
    pub hurt: u32,
    /// Tasks it hurt in, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hurt_in: Vec<TaskId>,
}

/// A memory that hurt in so many outcomes keeps hurting, if it seldom helped.
const HURT_MIN: u32 = 3;
/// The utility below which it does: it helped in less than about one of four.
const UTILITY_MIN: f32 = 0.3;

impl Uses {
    /// (helped + 1) / (served + 2): Laplace's rule of succession (SPEC 3.11).
    pub fn utility(&self) -> f32 {
        (self.helped as f32 + 1.0) / (self.served as f32 + 2.0)
    }

    /// Whether it hurt more than now and then, and seldom helped.
    pub fn keeps_hurting(&self) -> bool {
        self.hurt >= HURT_MIN && self.utility() < UTILITY_MIN
    }
}

/// Something known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    pub kind: MemoryKind,
    /// Whom or what it is about, in normal form: `user`, `我妹妹`.
    pub subject: String,
    /// Which of its properties, in normal form: `home`, `report.format`; empty where it is a text of its own.
    pub attribute: String,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub aliases: BTreeSet<String>,
    /// What is known, as it was said.
    pub content: String,
    /// What tells it from other contents of its slot: 余杭.
    pub value: String,
    #[serde(flatten)]
    pub applies: Applies,
    /// 1 to 5.
    pub importance: u8,
    /// 0 to 1, as of the last evidence. Time lowers it when it is read.
    pub confidence: f32,
    pub status: MemoryStatus,
    /// Rises by one with each change; the first is 1.
    pub version: u64,
    /// When it became true in the world.
    #[serde(with = "moment")]
    pub valid_from: ZonedDateTime,
    /// And when it ceased to be.
    #[serde(default, with = "moment::option", skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<ZonedDateTime>,
    /// When we came to believe it.
    pub recorded_at: Timestamp,
    /// And when we ceased to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Timestamp>,
    pub origin: Origin,
    /// In the order of their moments; never empty.
    pub sources: Vec<Evidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    #[serde(default)]
    pub uses: Uses,
    #[serde(default)]
    pub visibility: Visibility,
    /// An order somebody else's text gives: data, whatever it says (SPEC 3.8).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imperative: bool,
    /// Why it is not active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
}

impl Memory {
    /// What it competes for: one subject, attribute and place of application has one active value.
    pub fn slot(&self) -> Slot {
        Slot { subject: self.subject.clone(), attribute: self.attribute.clone(), applies: self.applies.clone() }
    }

    /// Whether it held in the world at `at`, as far as was believed at `known_at`.
    pub fn held(&self, at: Timestamp, known_at: Option<Timestamp>) -> bool {
        let believed = |known_at: Timestamp| self.recorded_at <= known_at;
        let end_known = |known_at: Timestamp| self.retired_at.is_some_and(|retired| retired <= known_at);
        let ended = self.valid_to.as_ref().is_some_and(|to| to.timestamp() <= at);
        let ended = ended && known_at.is_none_or(end_known);
        known_at.is_none_or(believed) && self.valid_from.timestamp() <= at && !ended
    }
}

/// Where two memories would contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    pub subject: String,
    pub attribute: String,
    #[serde(flatten)]
    pub applies: Applies,
}

impl Slot {
    /// The key it is stored and looked up by: no part can be mistaken for another.
    pub fn key(&self) -> String {
        serde_json::to_string(&(&self.subject, &self.attribute, &self.applies)).expect("texts are JSON")
    }
}

/// Which memories.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFilter {
    pub slot: Option<Slot>,
    /// Empty: any.
    pub statuses: Vec<MemoryStatus>,
}
