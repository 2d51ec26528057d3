//! The answers of the HTTP API as its document describes them. The library's own types are what is sent, and know no wire: each of these
//! stands beside one of them, and a test checks the answers of a real server against it, field by field, both ways.

#![expect(dead_code, reason = "they describe what is sent, and are not sent themselves")]

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{Kind, Redaction, Source, Trust};

/// An id that Holdfast gave (UUIDv7).
#[derive(Serialize, ToSchema)]
#[schema(format = "uuid")]
pub struct Id(String);

/// A stretch of a text, in bytes of its UTF-8: from `start` up to and without `end`.
#[derive(Serialize, ToSchema)]
pub struct Span {
    start: usize,
    end: usize,
}

/// Whose memory it is.
#[derive(Serialize, ToSchema)]
pub struct Owner {
    tenant: String,
    user: String,
    agent: String,
}

// ---------------------------------------------------------------------------------------------------------------- events

/// An event as it is in the log.
#[derive(Serialize, ToSchema)]
pub struct Event {
    /// Its place in the log.
    seq: i64,
    id: String,
    tenant: String,
    user: String,
    agent: String,
    session: String,
    task: Option<String>,
    source: Source,
    kind: Kind,
    /// Without the secrets that were in it; a summary, where the body is in cold storage.
    content: String,
    /// RFC 9557: with its offset, and its zone where the caller named one.
    #[schema(example = "2026-11-09T09:00:00+08:00[Asia/Shanghai]")]
    occurred_at: String,
    #[schema(format = DateTime)]
    recorded_at: String,
    trust: Trust,
    metadata: Option<BTreeMap<String, Value>>,
    idempotency_key: Option<String>,
    redactions: Option<Vec<Redaction>>,
    signals: Signals,
    /// The event before it in the same session.
    predecessor: Option<i64>,
    /// The body is in cold storage, and `content` its summary.
    archived: Option<bool>,
    /// Out of view on request: neither found nor cited.
    hidden: Option<bool>,
    /// What in it no longer holds.
    overturned: Option<Vec<Overturned>>,
}

/// A statement inside an event that was superseded.
#[derive(Serialize, ToSchema)]
pub struct Overturned {
    statement: String,
    /// What holds instead, if anything was said to.
    replaced_by: Option<String>,
    #[schema(format = DateTime)]
    at: String,
}

/// What rules read in an event.
#[derive(Serialize, ToSchema)]
pub struct Signals {
    language: Language,
    manner: Option<Manner>,
    entities: Option<Vec<Entity>>,
    dates: Option<Vec<DateMention>>,
    states: Option<Vec<StateChange>>,
    cues: Option<Vec<Cue>>,
    goes_on: Option<Vec<Span>>,
    feedback: Option<Feedback>,
    corrections: Option<Vec<Correction>>,
    new_values: Option<Vec<NewValue>>,
    instructions: Option<Vec<Instruction>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Zh,
    En,
}

#[derive(Serialize, ToSchema)]
pub struct Manner {
    /// It instructs, and the instruction is meant to last.
    instructs: Option<bool>,
    /// It states what the user likes or wants.
    prefers: Option<bool>,
}

/// A thing named in a text.
#[derive(Serialize, ToSchema)]
pub struct Entity {
    kind: EntityKind,
    text: String,
    /// In normal form.
    value: String,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    Date,
    Number,
    Money,
    Path,
    Url,
    Id,
    Name,
    Task,
    Format,
}

/// A date that is named, and the stretch it stands for.
#[derive(Serialize, ToSchema)]
pub struct DateMention {
    text: String,
    span: Span,
    /// On the event's own clock.
    start: String,
    end: String,
}

#[derive(Serialize, ToSchema)]
pub struct StateChange {
    word: StateWord,
    /// Of which item; none: of the task itself.
    item: Option<String>,
    until: Option<DateMention>,
    /// Said as a wish.
    requested: Option<bool>,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateWord {
    Cancel,
    Postpone,
    Pause,
    Resume,
    Done,
}

/// A sign that the talk turns to a task.
#[derive(Serialize, ToSchema)]
pub struct Cue {
    cue: CueKind,
    topic: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    Continue,
    Switch,
    Request,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    Positive,
    Negative,
}

#[derive(Serialize, ToSchema)]
pub struct Correction {
    old: String,
    new: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct NewValue {
    new: String,
    of: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Instruction {
    standing: Standing,
    text: String,
    span: Span,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Standing,
    OneOff,
}

/// An event and the operations on it.
#[derive(Serialize, ToSchema)]
pub struct EventHistory {
    event: Event,
    operations: Vec<Operation>,
}

// ----------------------------------------------------------------------------------------------------------------- tasks

/// A task and, while it goes on, its working memory.
#[derive(Serialize, ToSchema)]
pub struct Task {
    id: String,
    owner: Owner,
    title: String,
    /// Other names it goes by in the talk.
    names: Option<Vec<String>>,
    status: TaskStatus,
    items: Option<Vec<Item>>,
    /// The task's own first; none once it ended.
    frames: Vec<Frame>,
    facts: Option<Vec<Fact>>,
    phase: Phase,
    closing: Option<Closing>,
    opened_at: String,
    last_activity: String,
    /// Rises by one with each applied update.
    version: u64,
    next_element: u32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Open,
    Paused,
    Postponed,
    Cancelled,
    Done,
    Failed,
    Abandoned,
}

/// Where the step of the agent's loop is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Ready,
    Prompted,
    Parsed,
    WrittenBack,
}

/// A named thing within a task that has a state of its own.
#[derive(Serialize, ToSchema)]
pub struct Item {
    id: String,
    name: String,
    status: ItemStatus,
    note: Option<String>,
    source: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    Open,
    Paused,
    Postponed,
    Cancelled,
    Done,
}

/// Confirmed in this task, and gone from view when it ends.
#[derive(Serialize, ToSchema)]
pub struct Fact {
    id: String,
    text: String,
    source: String,
    valid: bool,
    superseded_by: Option<String>,
}

/// One level of work: the task itself, or a subtask.
#[derive(Serialize, ToSchema)]
pub struct Frame {
    id: String,
    goal: Option<Goal>,
    constraints: Option<Vec<Constraint>>,
    steps: Option<Vec<Step>>,
    /// The id of the step in hand.
    current_step: Option<String>,
    latest_result: Option<StepResult>,
    conclusions: Option<Vec<Conclusion>>,
    decisions: Option<Vec<Decision>>,
    warnings: Option<Vec<Warning>>,
    artifacts: Option<Vec<Artifact>>,
    stage: Option<String>,
    due: Option<Due>,
    stage_summaries: Option<Vec<StageSummary>>,
    outcomes: Option<Vec<SubtaskOutcome>>,
}

#[derive(Serialize, ToSchema)]
pub struct Goal {
    id: String,
    text: String,
    source: String,
}

/// To when the whole task was put off.
#[derive(Serialize, ToSchema)]
pub struct Due {
    id: String,
    text: String,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct Constraint {
    id: String,
    text: String,
    source: String,
    in_force: bool,
    retracted: Option<Wording>,
    amended_from: Option<Vec<Wording>>,
}

/// Words, and the event they are from.
#[derive(Serialize, ToSchema)]
pub struct Wording {
    text: String,
    source: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Todo,
    Doing,
    Done,
    Skipped,
    Cancelled,
}

#[derive(Serialize, ToSchema)]
pub struct Step {
    id: String,
    text: String,
    status: StepStatus,
    source: String,
    result: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct StepResult {
    id: String,
    text: String,
    source: String,
    step: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Conclusion {
    id: String,
    text: String,
    source: String,
    valid: bool,
    superseded_by: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Decision {
    id: String,
    question: String,
    who: Option<String>,
    source: String,
    /// None: it is open.
    answer: Option<Wording>,
}

#[derive(Serialize, ToSchema)]
pub struct Warning {
    id: String,
    text: String,
    source: String,
    cleared: bool,
}

/// A thing that was made: a file, a record, a link.
#[derive(Serialize, ToSchema)]
pub struct Artifact {
    id: String,
    locator: String,
    description: Option<String>,
    step: Option<String>,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct StageSummary {
    id: String,
    stage: Option<String>,
    text: String,
    source: String,
}

#[derive(Serialize, ToSchema)]
pub struct SubtaskOutcome {
    id: String,
    goal: String,
    outcome: String,
    success: bool,
    source: String,
    artifacts: Option<Vec<Artifact>>,
}

/// What is left of a task once it ended.
#[derive(Serialize, ToSchema)]
pub struct Closing {
    outcome: Outcome,
    reason: Option<String>,
    goal: Option<String>,
    constraints: Option<Vec<Constraint>>,
    stage: Option<String>,
    latest_result: Option<String>,
    artifacts: Option<Vec<Artifact>>,
    done: Option<Vec<String>>,
    unfinished: Option<Vec<String>>,
    conclusions: Option<Vec<Wording>>,
    ended_by: Option<String>,
    open_decisions: Option<Vec<String>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failure,
    Abandoned,
    Cancelled,
}

// ---------------------------------------------------------------------------------------------------------------- recall

/// The block for a prompt, and the record of what is in it.
#[derive(Serialize, ToSchema)]
pub struct ContextBlock {
    /// Goes into the prompt, as data.
    text: String,
    tokens: usize,
    tokenizer: String,
    /// The same fingerprint: nothing needs to be sent again.
    fingerprint: String,
    /// The first bytes of `text` that change only when goal, constraints and warnings do.
    prefix_bytes: usize,
    prefix_fingerprint: String,
    task: Option<String>,
    about: About,
    served: Vec<Served>,
    cut: Vec<Cut>,
}

/// Which task a question is taken to be about, and why.
#[derive(Serialize, ToSchema)]
pub struct About {
    task: Option<TaskName>,
    reason: String,
    /// If it is about none: the open tasks.
    open: Option<Vec<TaskName>>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskName {
    id: String,
    title: String,
}

/// The parts of a block, in their fixed order.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Goal,
    Constraints,
    Warnings,
    State,
    Plan,
    Items,
    Decisions,
    Result,
    Conclusions,
    Rules,
    Facts,
    Known,
    Excerpts,
    Artifacts,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockItem {
    Element,
    Event,
    Memory,
}

/// A line of the block.
#[derive(Serialize, ToSchema)]
pub struct Served {
    section: Section,
    item: BlockItem,
    /// Whose element it is.
    task: Option<String>,
    id: String,
    /// Only part of it fitted.
    shortened: Option<bool>,
}

/// What was left out, and why.
#[derive(Serialize, ToSchema)]
pub struct Cut {
    section: Section,
    item: BlockItem,
    task: Option<String>,
    id: String,
    reason: String,
}

/// The answer to a query.
#[derive(Serialize, ToSchema)]
pub struct Recalled {
    route: Route,
    task: Option<String>,
    about: About,
    /// Best first.
    hits: Vec<Hit>,
    /// Only if it was asked for.
    explain: Option<Explain>,
}

/// Which layer answers first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    Nothing,
    State,
    Semantic,
    Events,
    History,
}

#[derive(Serialize, ToSchema)]
pub struct Hit {
    found: Found,
    /// Comparable within one answer only.
    score: f32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "layer")]
pub enum Found {
    Event {
        event: Event,
        /// The parts of its content that bear on the query.
        excerpt: Vec<Span>,
        /// A later event gives another value.
        replaced_by: Option<i64>,
    },
    Fact {
        task: String,
        id: String,
        text: String,
        source: String,
        valid: bool,
    },
    Memory {
        memory: Memory,
        /// In force whatever the question.
        standing: bool,
    },
}

/// Why each candidate was or was not returned.
#[derive(Serialize, ToSchema)]
pub struct Explain {
    route_reason: String,
    filters: Vec<String>,
    terms: Vec<TermNote>,
    time: Option<String>,
    candidates: Vec<CandidateNote>,
    memories: Option<Vec<MemoryNote>>,
    notes: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct TermNote {
    term: String,
    rows: u64,
    used: bool,
}

#[derive(Serialize, ToSchema)]
pub struct CandidateNote {
    seq: i64,
    id: String,
    lexical_rank: Option<u32>,
    lexical_score: Option<f32>,
    dense_rank: Option<u32>,
    dense_score: Option<f32>,
    /// What ranking added or took away, by name.
    parts: Vec<(String, f32)>,
    score: f32,
    verdict: Verdict,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryNote {
    id: String,
    content: String,
    parts: Vec<(String, f32)>,
    score: f32,
    verdict: Verdict,
}

/// What became of a candidate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    Kept,
    CutByLimit,
    BelowThreshold,
    CutByBudget,
    Repeats { other: i64 },
    Overruled { by: String },
    Hidden { reason: String },
}

// -------------------------------------------------------------------------------------------------------------- memories

/// Something known beyond a task.
#[derive(Serialize, ToSchema)]
pub struct Memory {
    id: String,
    kind: MemoryKind,
    /// Whom or what it is about.
    subject: String,
    /// Which property it gives; empty where it is a text of its own.
    attribute: String,
    aliases: Option<Vec<String>>,
    content: String,
    value: String,
    applies: Applies,
    /// The kind of task, or the task, that it applies to.
    to: Option<String>,
    #[schema(minimum = 1, maximum = 5)]
    importance: u8,
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    status: MemoryStatus,
    version: u64,
    valid_from: String,
    valid_to: Option<String>,
    #[schema(format = DateTime)]
    recorded_at: String,
    #[schema(format = DateTime)]
    retired_at: Option<String>,
    origin: Origin,
    /// Its evidence.
    sources: Vec<Evidence>,
    /// How its confidence moved.
    moves: Option<Vec<Move>>,
    uses: Uses,
    visibility: Visibility,
    /// An order that somebody else's text gives.
    imperative: Option<bool>,
    /// Why it is not active.
    reason: Option<String>,
    superseded_by: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    Preference,
    Rule,
    Fact,
    Lesson,
    Procedure,
    Summary,
    Inference,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStatus {
    Pending,
    Active,
    Superseded,
    Retracted,
    Fading,
    Archived,
    Erased,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    UserStated,
    ToolVerified,
    AgentInferred,
    Imported,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    Everywhere,
    User,
    TaskKind,
    Task,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Private,
    Shared,
}

#[derive(Serialize, ToSchema)]
pub struct Evidence {
    /// None: an operator's word.
    event: Option<String>,
    at: String,
    stance: Stance,
    origin: Origin,
    quote: String,
    task: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    States,
    Suggests,
    Denies,
    Ends,
    Confirms,
    Rejects,
    Praises,
    Blames,
}

#[derive(Serialize, ToSchema)]
pub struct Move {
    at: String,
    from: f32,
    to: f32,
    reason: String,
    cause: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Uses {
    served: u32,
    helped: u32,
    hurt: u32,
    hurt_in: Option<Vec<String>>,
}

/// A memory and the operations on it.
#[derive(Serialize, ToSchema)]
pub struct MemoryHistory {
    memory: Memory,
    operations: Vec<Operation>,
}

/// What was learned, and why not the rest.
#[derive(Serialize, ToSchema)]
pub struct Lesson {
    /// Events that were read.
    events: u64,
    changes: Vec<MemoryChange>,
    refused: Vec<MemoryRefused>,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryChange {
    verb: Verb,
    reason: String,
    memory: Memory,
}

#[derive(Serialize, ToSchema)]
pub struct MemoryRefused {
    event: Option<String>,
    quote: String,
    reason: String,
}

// --------------------------------------------------------------------------------------------------------------- journal

/// A line of the journal.
#[derive(Serialize, ToSchema)]
pub struct Operation {
    position: i64,
    /// The owner's commit that it was written with.
    change: i64,
    id: String,
    #[schema(format = DateTime)]
    at: String,
    /// Who did it: user, agent, rules, operator …
    actor: String,
    verb: Verb,
    target: Target,
    target_id: Option<String>,
    owner: Owner,
    before: Option<Value>,
    after: Option<Value>,
    reason: String,
    /// The event that caused it.
    cause: Option<String>,
    run: String,
    commitment: String,
    chain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Event,
    Task,
    Session,
    Memory,
    Store,
}

/// What was done.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Observe,
    Redact,
    OpenTask,
    SwitchTask,
    Update,
    SetState,
    Supersede,
    EndTask,
    Serve,
    Archive,
    Restore,
    Reindex,
    Import,
    Reveal,
    Remember,
    Confirm,
    Retract,
    Fade,
    Feedback,
    Refuse,
    Hide,
    Unhide,
    Erase,
    Undo,
    Probation,
    Rescue,
    Discard,
    Compress,
    Promote,
    Manage,
}

/// A journal that verifies.
#[derive(Serialize, ToSchema)]
pub struct JournalCheck {
    operations: u64,
    /// Of these, so many lost their text to an erasure.
    erased: u64,
    /// The chain over all of it: kept elsewhere, it shows later that nothing before it was changed.
    head: String,
}

/// What was done, counted.
#[derive(Serialize, ToSchema)]
pub struct Report {
    operations: u64,
    stored: BTreeMap<String, u64>,
    redacted: BTreeMap<String, u64>,
    tasks: BTreeMap<String, TaskReport>,
    unattributed: u64,
    superseded: Vec<SupersededLine>,
    blocks_served: u64,
    items_served: u64,
    archived: u64,
    archived_bytes_before: u64,
    archived_bytes_after: u64,
    restored: u64,
    hidden: u64,
    erased: u64,
    revealed: u64,
    remembered: u64,
    let_go: u64,
    /// How often, by why.
    refused: BTreeMap<String, u64>,
    managed: Option<ManagedReport>,
}

#[derive(Serialize, ToSchema)]
pub struct TaskReport {
    title: Option<String>,
    events: u64,
    updates: u64,
    states: Vec<String>,
    constraints_touched: u64,
    ended: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct SupersededLine {
    task: Option<String>,
    element: Option<String>,
    old: String,
    new: Option<String>,
    cause: Option<String>,
}

/// The manager's share of a report.
#[derive(Serialize, ToSchema)]
pub struct ManagedReport {
    suspicious: Vec<Suspicion>,
    runs: u64,
    kept: u64,
    compressed: u64,
    compressed_tokens_before: u64,
    compressed_tokens_after: u64,
    archived: u64,
    on_probation: u64,
    discarded: u64,
    rescued: u64,
    promoted: u64,
    stage_summaries: u64,
    refused: BTreeMap<String, u64>,
    tokens_saved: u64,
}

/// Something done to an event that somebody should look at.
#[derive(Serialize, ToSchema)]
pub struct Suspicion {
    event: String,
    what: String,
}

/// How far undoing reaches, or reached.
#[derive(Serialize, ToSchema)]
pub struct Undone {
    operations: Vec<Operation>,
    /// Later ones that changed the same.
    dependants: Vec<Operation>,
    refused: Vec<NotUndone>,
    tasks: u64,
    memories: u64,
    events: u64,
}

#[derive(Serialize, ToSchema)]
pub struct NotUndone {
    operation: String,
    verb: Verb,
    why: String,
}

// ----------------------------------------------------------------------------------------------------------------- store

/// What a run of the manager did, or would do.
#[derive(Serialize, ToSchema)]
pub struct Managed {
    /// Everything it did is undone by this.
    run: String,
    policy: String,
    dry_run: bool,
    events: Vec<ManagedEvent>,
    stage_summaries: Vec<String>,
    /// A dry run that would be stopped, and how to go on.
    blast: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct ManagedEvent {
    event: String,
    seq: i64,
    fate: Fate,
    score: f64,
    reason: String,
    tokens_before: u64,
    tokens_after: u64,
    bytes_before: u64,
    bytes_after: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Kept,
    Compressed,
    Archived,
    OnProbation,
    Waiting,
    Discarded,
    Rescued,
    Promoted,
    Refused,
}

/// How far a forgetting reaches, or the receipt of one that was done: then it has an `id`. Of what is in view again, only `events`.
#[derive(Serialize, ToSchema)]
pub struct Forgotten {
    id: Option<String>,
    #[schema(format = DateTime)]
    at: Option<String>,
    how: Option<Forgetting>,
    owner: Option<Owner>,
    commitment: Option<String>,
    reason: Option<String>,
    events: u64,
    tasks: Option<u64>,
    tasks_rewritten: Option<u64>,
    memories: Option<u64>,
    memories_rewritten: Option<u64>,
    operations: Option<u64>,
    /// Events that say the same words and were not named: they stay.
    also_said: Option<u64>,
    /// The files that were searched at the end.
    scanned: Option<Vec<ScannedFile>>,
    /// Pieces of what was erased that were found there: 0, or it is not done.
    left: Option<u64>,
    said_elsewhere: Option<u64>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Forgetting {
    Hide,
    Erase,
}

#[derive(Serialize, ToSchema)]
pub struct ScannedFile {
    file: String,
    bytes: u64,
}

/// What an import brought in.
#[derive(Serialize, ToSchema)]
pub struct Imported {
    events: u64,
    tasks: u64,
    memories: u64,
    /// There already: left as they are.
    known: u64,
    /// What this store does not hold, and why.
    refused: Vec<String>,
    /// How many lines were passed over, and which and why.
    unread: u64,
    not_read: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Archived {
    events: u64,
    bytes_before: u64,
    bytes_after: u64,
}

/// What the store holds, and which model serves.
#[derive(Serialize, ToSchema)]
pub struct Status {
    version: String,
    /// Whose memory is in it, as far as the key opens it.
    owners: Vec<Owner>,
    embedding: EmbeddingStatus,
    /// Only without API keys.
    store: Option<StoreStatus>,
}

#[derive(Serialize, ToSchema)]
pub struct EmbeddingStatus {
    /// The model whose vectors serve questions now.
    serving: Option<ModelId>,
    chosen: Option<ModelId>,
    /// Why search is by words only, or why the chosen model does not serve.
    note: Option<String>,
    progress: Progress,
}

#[derive(Serialize, ToSchema)]
pub struct ModelId {
    name: String,
    dimension: usize,
}

#[derive(Serialize, ToSchema)]
pub struct Progress {
    done: u64,
    total: u64,
}

#[derive(Serialize, ToSchema)]
pub struct StoreStatus {
    location: String,
    schema: u32,
    owners: u64,
    events: u64,
    archived: u64,
    tasks: u64,
    memories: u64,
    operations: u64,
    vectors: u64,
    bytes: u64,
    active_model: Option<ModelId>,
    writable: bool,
    #[schema(format = DateTime)]
    newest_event: Option<String>,
}
