//! A question to memory, and what comes back: hits, and the explanation of each.

use std::ops::Range;

use jiff::{Timestamp, ZonedDateTime};
use serde::{Deserialize, Serialize};

use super::event::{Kind, Source, StoredEvent, words};
use super::ids::{ElementId, EventId, MemoryId, Seq};
use super::memory::Memory;
use super::scope::{Scope, ScopeId, TaskId};

/// Longest query text looked at, in bytes: a step or a question. What is longer is cut at a character, and `explain` says so.
pub const QUERY_BYTES_MAX: usize = 16 * 1024;

/// What to look for. The text is the current step or question, not the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub scope: Scope,
    pub text: String,
    /// The turns just before, newest last: they weigh less than the text.
    pub preceding: Vec<String>,
    /// The asker's clock and zone: 「上周三」 is counted from here.
    pub now: ZonedDateTime,
    pub filter: Filter,
    pub limits: Limits,
}

impl Filter {
    /// Whether it asks what held, or was known, at a time.
    pub fn is_as_of(&self) -> bool {
        self.until.is_some() || self.known_at.is_some()
    }
}

impl Query {
    pub fn new(scope: Scope, text: impl Into<String>, now: ZonedDateTime) -> Self {
        Self {
            scope,
            text: text.into(),
            preceding: Vec::new(),
            now,
            filter: Filter::default(),
            limits: Limits::default(),
        }
    }
}

/// What must hold of an event before any similarity is looked at. The owner is not here: it is always bound.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    pub session: Option<ScopeId>,
    pub task: Option<TaskId>,
    pub sources: Vec<Source>,
    pub kinds: Vec<Kind>,
    /// Happened at or after this.
    pub since: Option<Timestamp>,
    /// Happened before this: "as of" on the world's clock.
    pub until: Option<Timestamp>,
    /// Recorded at or before this: "as of" on our clock, what was known then.
    pub known_at: Option<Timestamp>,
    /// Leave these out: the turns already in the prompt.
    pub except: Vec<EventId>,
    /// Also what was overturned, marked so: a history query.
    pub history: bool,
    /// Also what is hidden: for audit and export, never for a prompt.
    #[serde(skip)]
    pub hidden: bool,
}

impl Filter {
    /// Whether something of this moment had happened, and could be known, at the time that is asked about.
    pub fn had_happened(&self, at: Timestamp) -> bool {
        self.until.is_none_or(|until| at < until) && self.known_at.is_none_or(|known_at| at <= known_at)
    }
}

/// How many of each kind are served at most, so that logs never crowd out facts and rules (SPEC 4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub events: usize,
    /// Of the task.
    pub facts: usize,
    /// Standing rules and preferences. They don't count towards the total: they are in force whatever is asked.
    pub rules: usize,
    /// Facts, lessons and procedures of long-term memory.
    pub memories: usize,
    pub total: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 5, facts: 5, rules: 12, memories: 4, total: 10 }
    }
}

/// Which layer answers first (SPEC 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Small talk and thanks: no memory is needed.
    Nothing,
    /// Where work stands: the task's state first, events after.
    State,
    /// What is so, or is liked: long-term memory first.
    Semantic,
    /// What happened or was said: events first.
    Events,
    /// What was so before: events first, overturned ones included and marked.
    History,
}

words!(Route { Nothing => "nothing", State => "state", Semantic => "semantic", Events => "events", History => "history" });

/// One thing found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub found: Found,
    /// Comparable within one answer only.
    pub score: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "layer")]
pub enum Found {
    Event {
        event: Box<StoredEvent>,
        /// The parts of `event.content` that bear on the query, in order.
        excerpt: Vec<Range<usize>>,
        /// A later event that answers the query with another value: this one is what was said before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaced_by: Option<Seq>,
    },
    Fact {
        task: TaskId,
        id: ElementId,
        text: String,
        source: EventId,
        /// `false` only in a history answer.
        valid: bool,
    },
    Memory {
        memory: Box<Memory>,
        /// In force whatever the question: a rule or preference.
        standing: bool,
    },
}

/// Which task a question is taken to be about, and why. To ask turns no session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskName>,
    pub reason: String,
    /// If it is about none: the open tasks, most recently active first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<TaskName>,
}

/// A task by its id and its title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskName {
    pub id: TaskId,
    pub title: String,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    pub route: Route,
    /// The task the question is about, when it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Why it is that one, or none.
    #[serde(default)]
    pub about: About,
    /// Best first.
    pub hits: Vec<Hit>,
    pub explain: Explain,
}

/// Why each candidate was or was not returned (SPEC 4.7).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Explain {
    pub route_reason: String,
    /// The structural filters in force, in words.
    pub filters: Vec<String>,
    /// Query terms as searched, each with the share of rows it occurs in; dropped ones say so.
    pub terms: Vec<TermNote>,
    /// The time the question names, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    pub candidates: Vec<CandidateNote>,
    /// Memories that were looked at, and why each was or was not returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryNote>,
    /// Anything else a reader should know: no model, not yet embedded rows, a query cut short.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermNote {
    pub term: String,
    pub rows: u64,
    pub used: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateNote {
    pub seq: Seq,
    pub id: EventId,
    /// 1 is best; `None`: not among the lexical candidates.
    pub lexical_rank: Option<u32>,
    pub lexical_score: Option<f32>,
    pub dense_rank: Option<u32>,
    /// Cosine.
    pub dense_score: Option<f32>,
    /// What ranking added or took away, by name.
    pub parts: Vec<(String, f32)>,
    pub score: f32,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryNote {
    pub id: MemoryId,
    pub content: String,
    /// What ranking made of it, by name.
    pub parts: Vec<(String, f32)>,
    pub score: f32,
    pub verdict: Verdict,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    Kept,
    /// More of its kind scored higher.
    CutByLimit,
    /// Not relevant enough to be served.
    BelowThreshold,
    /// Did not fit the token budget.
    CutByBudget,
    /// Says nearly the same as a better one.
    Repeats {
        other: Seq,
    },
    /// The task in hand sets it otherwise.
    Overruled {
        by: String,
    },
    /// May not be seen: overturned, filtered, not in force.
    Hidden {
        reason: String,
    },
}
