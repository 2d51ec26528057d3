//! The read path: a question in; planned, searched, ranked; hits or a context block out. Only what was served is written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{Engine, Error};
use crate::context::{self, BlockInput};
use crate::recall::{self, Evidence, Plan, PlannedTerm};
use crate::redact;
use crate::signals;
use crate::store::{DenseQuery, ModelId, StoreError};
use crate::text::{self, Tokenizer, fold};
use crate::types::change::ChangeSet;
use crate::types::context::{BlockItem, BlockOptions, ContextBlock};
use crate::types::event::{Kind, Source, StoredEvent, Trust};
use crate::types::ids::{EventId, MemoryId, Seq};
use crate::types::operation::{Target, Verb};
use crate::types::query::{About, Filter, Found, Hit, MemoryNote, Query, Recalled, Route, TaskName, Verdict};
use crate::types::scope::TaskId;
use crate::types::task::Task;
use crate::working::{self, Given};

/// Candidates taken from each index: on the tuning halves of eight public sets 100 and 60 find what 150 and 100 do, within .003
/// R@10 of each, in two thirds of the time; 70 and 40 lose .006 on the two largest.
const LEXICAL_CANDIDATES: usize = 100;
const DENSE_CANDIDATES: usize = 60;
/// And from within the time a question names.
const WINDOW_CANDIDATES: usize = 60;

/// A stop word is in one event of so many, about: what it weighs is a tenth of that, so it is not worth counting.
const STOP_WORD_SHARE: u64 = 4;

/// A question as a vector, under the model whose vectors serve.
#[derive(Debug, Clone)]
pub struct Embedded {
    pub model: ModelId,
    pub vector: Vec<f32>,
    pub common: Option<Vec<f32>>,
}

impl Embedded {
    pub(super) fn query(&self) -> DenseQuery<'_> {
        DenseQuery { model: &self.model, vector: &self.vector, common: self.common.as_deref() }
    }
}

impl Engine {
    /// What memory has on a question. What was served is journaled.
    pub fn recall(&self, query: &Query) -> Result<Recalled, Error> {
        let plan = recall::plan(query);
        let embedded = self.embed(&plan)?;
        self.recall_served(query, &plan, embedded.as_ref())
    }

    /// As `recall`, with the question's vector made beforehand (`embed_query`).
    pub fn recall_with(&self, query: &Query, embedded: Option<&Embedded>) -> Result<Recalled, Error> {
        self.recall_served(query, &recall::plan(query), embedded)
    }

    fn recall_served(&self, query: &Query, plan: &Plan, embedded: Option<&Embedded>) -> Result<Recalled, Error> {
        let (recalled, _) = self.recall_planned(query, plan, embedded, |_| BTreeSet::new())?;
        let served = recalled.hits.iter().map(|hit| match &hit.found {
            Found::Event { event, .. } => json!({ "event": event.event.id }),
            Found::Fact { id, .. } => json!({ "element": id }),
            Found::Memory { memory, .. } => json!({ "memory": memory.id }),
        });
        let reason = format!("memory was asked; the task: {}", recalled.about.reason);
        self.journal_served(query, recalled.task.as_ref(), reason, json!({ "served": served.collect::<Vec<_>>() }))?;
        Ok(recalled)
    }

    /// The vector of a question and the turns before it; `None` without a model, and where no memory is needed.
    pub fn embed_query(&self, query: &Query) -> Result<Option<Embedded>, Error> {
        self.embed(&recall::plan(query))
    }

    fn embed(&self, plan: &Plan) -> Result<Option<Embedded>, Error> {
        let Some(embedder) = self.embedding.serving()?.filter(|_| plan.route != Route::Nothing) else {
            return Ok(None);
        };
        let texts: Vec<&str> = plan.turns.iter().map(|(text, _)| text.as_str()).collect();
        let vectors = match self.questions.embed(embedder.as_ref(), &texts) {
            Ok(vectors) => vectors,
            Err(error) => {
                // A service that is away makes recall lexical, not impossible.
                tracing::warn!(%error, "the question could not be embedded, so the search is lexical: {error}");
                return Ok(None);
            }
        };
        let common = embedder.common().map(<[f32]>::to_vec);
        let mut sum = vec![0.0_f32; embedder.model().dimension];
        for (vector, (_, weight)) in vectors.iter().zip(&plan.turns) {
            // Turns are added up without what all vectors share, or the shared part would outweigh them.
            for (place, sum) in sum.iter_mut().enumerate() {
                *sum += weight * (vector[place] - common.as_ref().map_or(0.0, |common| common[place]));
            }
        }
        if let Some(common) = &common {
            sum.iter_mut().zip(common).for_each(|(sum, common)| *sum += common);
        }
        Ok(Some(Embedded { model: embedder.model().clone(), vector: sum, common }))
    }

    /// What memory has, and the task the question is about. `said` are events that whoever asks is told of anyway.
    fn recall_planned(
        &self,
        query: &Query,
        plan: &Plan,
        embedded: Option<&Embedded>,
        said: impl FnOnce(&Task) -> BTreeSet<EventId>,
    ) -> Result<(Recalled, Option<Task>), Error> {
        let (task, about) = self.task_of_query(query, plan.route)?;
        let id = task.as_ref().map(|task| task.id.clone());
        if plan.route == Route::Nothing {
            let explain = recall::explain(plan, &Evidence::default(), &[], &[], &[]);
            return Ok((Recalled { route: plan.route, task: id, about, hits: Vec::new(), explain }, task));
        }
        let (mut evidence, lexical) = self.evidence(query, plan, embedded)?;
        let said = task.as_ref().map(said).unwrap_or_default();
        evidence.candidates.retain(|candidate| !said.contains(&candidate.id));
        let scored = recall::score(plan, &evidence);
        let compared = self.events(query, &recall::compared(plan, &evidence, &scored))?;
        let ranked = recall::rank(plan, &evidence, scored, &compared);
        let facts = match &task {
            Some(task) => {
                let limit = query.limits.facts.min(query.limits.total);
                recall::facts(plan, &*self.known_then(query, task)?, limit)
            }
            None => Vec::new(),
        };
        let (memories, notes) = self.recall_memories(query, plan, task.as_ref(), embedded)?;
        let answering = memories.iter().filter(|hit| !is_standing(hit)).count();
        let limit = query.limits.events.min(query.limits.total.saturating_sub(facts.len() + answering));
        let (events, verdicts) = recall::select(plan, &evidence, &ranked, limit, |seq| {
            let event = match compared.get(&seq) {
                Some(event) => Some(event.clone()),
                None => self.events(query, &[seq])?.remove(&seq),
            };
            event.map(|event| self.with_what_is_asked(query, plan, event)).transpose()
        })?;
        let mut explain = recall::explain(plan, &evidence, &lexical, &ranked, &verdicts);
        explain.filters = filters_in_words(&query.filter);
        explain.memories = notes;
        if !evidence.dense {
            let why = self.embedding.note()?.unwrap_or_else(|| "no vectors serve yet".to_owned());
            explain.notes.push(format!("searched by words only: {why}"));
        }
        let mut events = events;
        let overruled: BTreeSet<_> = explain.memories.iter().filter_map(overruled).collect();
        if !overruled.is_empty() {
            // What a rule that gives way here was drawn from gives way with it.
            let mut sources = BTreeSet::new();
            for id in overruled {
                let memory = self.store.memory(&query.scope.owner, id)?;
                sources.extend(memory.into_iter().flat_map(|memory| memory.sources).filter_map(|source| source.event));
            }
            events.retain(|hit| !matches!(&hit.found, Found::Event { event, .. } if sources.contains(&event.event.id)));
            for note in explain.candidates.iter_mut().filter(|note| sources.contains(&note.id)) {
                note.verdict = Verdict::Overruled { by: "what the task itself sets".to_owned() };
            }
        }
        let hits = in_layers(plan.route, facts, memories, events);
        Ok((Recalled { route: plan.route, task: id, about, hits, explain }, task))
    }

    /// Everything ranking needs to know, by a fixed number of look-ups.
    fn evidence(
        &self,
        query: &Query,
        plan: &Plan,
        embedded: Option<&Embedded>,
    ) -> Result<(Evidence, Vec<(Seq, f32)>), Error> {
        let owner = &query.scope.owner;
        // Words that carry a question but not what it is about, and the single characters of longer words, would be most of the
        // cost of a search: they order what the others find.
        let places = |which: fn(&PlannedTerm) -> bool| -> Vec<usize> {
            (0..plan.terms.len()).filter(|&place| which(&plan.terms[place])).collect()
        };
        let mut searched = places(|term| term.finds);
        if searched.is_empty() {
            searched = places(|_| true);
        }
        let counted = places(|term| term.says && !term.finds);
        let texts =
            |places: &[usize]| -> Vec<String> { places.iter().map(|&place| plan.terms[place].text.clone()).collect() };
        let terms = texts(&searched);
        let dense = embedded.map(Embedded::query);
        let lexical = self.store.lexical(owner, &terms, &query.filter, LEXICAL_CANDIDATES)?;
        let mut seqs: BTreeSet<Seq> = lexical.rows.iter().map(|(seq, _)| *seq).collect();
        let mut cosines = BTreeMap::new();
        if let Some(dense) = &dense {
            let near = self.store.dense(owner, dense, &query.filter, DENSE_CANDIDATES)?;
            seqs.extend(near.iter().map(|(seq, _)| *seq));
            cosines.extend(near);
        }
        let mut window_rows = Vec::with_capacity(plan.windows.len());
        for window in &plan.windows {
            let (since, until) = (self.instant(query, window.start), self.instant(query, window.end));
            window_rows.push(self.store.count_between(owner, since, until)?);
            let filter = Filter {
                since: Some(query.filter.since.map_or(since, |other| other.max(since))),
                until: Some(query.filter.until.map_or(until, |other| other.min(until))),
                ..query.filter.clone()
            };
            let within = self.store.lexical(owner, &terms, &filter, WINDOW_CANDIDATES)?;
            seqs.extend(within.rows.iter().map(|(seq, _)| *seq));
            if let Some(dense) = &dense {
                let near = self.store.dense(owner, dense, &filter, WINDOW_CANDIDATES)?;
                seqs.extend(near.iter().map(|(seq, _)| *seq));
                cosines.extend(near);
            }
        }
        let seqs: Vec<Seq> = seqs.into_iter().collect();
        if let Some(dense) = &dense {
            let missing: Vec<Seq> = seqs.iter().copied().filter(|seq| !cosines.contains_key(seq)).collect();
            cosines.extend(self.store.cosines(owner, dense, &missing)?);
        }
        let mut candidates = self.store.traits(owner, &seqs)?;
        // What only says that the talk went elsewhere answers nothing.
        candidates.retain(|candidate| candidate.kind != Kind::TaskSwitch);
        let mut term_rows = vec![lexical.total_rows / STOP_WORD_SHARE; plan.terms.len()];
        let counts = self.store.lexical(owner, &texts(&counted), &Filter::default(), 0)?;
        for (place, rows) in counted.iter().zip(&counts.term_rows).chain(searched.iter().zip(&lexical.term_rows)) {
            term_rows[*place] = *rows;
        }

        let evidence = Evidence {
            term_rows,
            total_rows: lexical.total_rows,
            cosines,
            dense: dense.is_some(),
            window_rows,
            candidates,
        };
        Ok((evidence, lexical.rows))
    }

    /// A civil time of the asker's as an instant; in a gap of the zone, the one right after.
    fn instant(&self, query: &Query, time: DateTime) -> Timestamp {
        let zoned = time.to_zoned_datetime(query.now.time_zone().clone());
        zoned.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
    }

    /// The events as they stood at the time that is asked about: what was overturned later still held then.
    fn events(&self, query: &Query, positions: &[Seq]) -> Result<BTreeMap<Seq, StoredEvent>, StoreError> {
        let mut events = self.store.events_at(&query.scope.owner, positions)?;
        for event in &mut events {
            event.overturned.retain(|overturned| query.filter.had_happened(overturned.at));
        }
        Ok(events.into_iter().map(|event| (event.seq, event)).collect())
    }

    /// A shorter text that stands for an event may lack the very detail that is asked for, by which it was found: then it is looked for
    /// in the whole, which comes from cold storage for this once.
    fn with_what_is_asked(
        &self,
        query: &Query,
        plan: &Plan,
        mut event: StoredEvent,
    ) -> Result<StoredEvent, StoreError> {
        if !event.archived {
            return Ok(event);
        }
        let shown = text::term_set(&event.event.content);
        let missing: Vec<&PlannedTerm> =
            plan.terms.iter().filter(|term| term.finds && !shown.contains(&term.text)).collect();
        if !missing.is_empty()
            && let Some(body) = self.store.body(&query.scope.owner, event.seq)?
        {
            let whole = text::term_set(&body);
            if missing.iter().any(|term| whole.contains(&term.text)) {
                event.event.content = body;
            }
        }
        Ok(event)
    }

    /// The task with its facts as they stood at the time that is asked about: without those stated later, and what was overturned later
    /// still held.
    fn known_then<'a>(&self, query: &Query, task: &'a Task) -> Result<Cow<'a, Task>, Error> {
        let filter = &query.filter;
        if filter.until.is_none() && filter.known_at.is_none() {
            return Ok(Cow::Borrowed(task));
        }
        let mut then = task.clone();
        let (mut facts, mut stated_later) = (Vec::with_capacity(then.facts.len()), BTreeSet::new());
        for mut fact in std::mem::take(&mut then.facts) {
            let Some(source) = self.store.event(&query.scope.owner, fact.source)? else { continue };
            let event = &source.event;
            if !filter.had_happened(event.occurred_at.timestamp())
                || filter.known_at.is_some_and(|known_at| event.recorded_at > known_at)
            {
                stated_later.insert(fact.id);
                continue;
            }
            // The event a fact was drawn from is marked when the fact falls.
            let mut marks = source.overturned.iter().filter(|mark| mark.statement == fact.text);
            fact.valid |= marks.next().is_some_and(|mark| !filter.had_happened(mark.at));
            facts.push(fact);
        }
        // And what replaced it may have happened by then without being known.
        for fact in &mut facts {
            fact.valid |= fact.superseded_by.as_ref().is_some_and(|by| stated_later.contains(by));
        }
        then.facts = facts;
        Ok(Cow::Owned(then))
    }

    /// The task a question is about, and why: see `working::sought`.
    fn task_of_query(&self, query: &Query, route: Route) -> Result<(Option<Task>, About), Error> {
        let owner = &query.scope.owner;
        let session_task = self.store.session(owner, &query.scope.session)?.and_then(|state| state.task);
        let read = signals::read(&query.text, &query.now, Source::User, &self.lexicon);
        let given = Given {
            task: query.scope.task.as_ref(),
            session_task: session_task.as_ref(),
            source: Source::User,
            kind: Kind::Query,
            text: &query.text,
        };
        let (sought, task, open) = self.look_at_tasks(owner, |tasks| {
            let sought = working::sought(tasks, &given, &read, route);
            let known = |id: &TaskId| tasks.iter().find(|task| task.id == *id);
            let task = sought.task.as_ref().and_then(known).cloned();
            let open = sought.open.iter().filter_map(known).map(name_of).collect();
            (sought, task, open)
        })?;
        let task = match (sought.task, task) {
            // The session, or the caller, may be on a task of long ago.
            (Some(id), None) => match self.store.task(owner, &id)? {
                None if query.scope.task.is_some() => return Err(Error::NoSuchTask(id)),
                task => task,
            },
            (_, task) => task,
        };
        let task = match task {
            Some(task) => Some(self.in_view(owner, task)?),
            None => None,
        };
        let about = About { task: task.as_ref().map(name_of), reason: sought.reason, open };
        Ok((task, about))
    }

    /// The block for a question: where its task stands and what memory has on it, within the budget. What was served is journaled.
    pub fn context(&self, query: &Query, options: &BlockOptions) -> Result<ContextBlock, Error> {
        let tokenizer = Tokenizer::from_name(&options.tokenizer)
            .ok_or_else(|| Error::UnknownTokenizer { name: options.tokenizer.clone() })?;
        let plan = recall::plan(query);
        let (recalled, task) = self.recall_planned(query, &plan, self.embed(&plan)?.as_ref(), summed_up)?;
        let result = task.as_ref().and_then(Task::frame).and_then(|frame| frame.latest_result.as_ref());
        let stored = result.map(|result| self.store.event(&query.scope.owner, result.source)).transpose()?.flatten();
        let input = BlockInput {
            task: task.as_ref(),
            unverified_result: stored
                .is_some_and(|stored| stored.event.trust == Trust::Untrusted && stored.event.source != Source::System),
            hits: &recalled.hits,
            language: text::main_language(&query.text),
            count: &|text| tokenizer.count(text),
        };
        let block = ContextBlock { about: recalled.about, ..context::block(&input, options)? };
        self.journal_block(query, &block)?;
        if let Some(manager) = &self.manager {
            manager.hear_of_block(&query.scope.owner, &block, options.budget_tokens);
        }
        Ok(block)
    }

    fn journal_block(&self, query: &Query, block: &ContextBlock) -> Result<(), Error> {
        let served = block.served.iter().map(|served| match &served.item {
            BlockItem::Element { id, .. } => json!({ "section": served.section, "element": id }),
            BlockItem::Memory { id } => json!({ "section": served.section, "memory": id }),
            BlockItem::Event { id } => json!({ "section": served.section, "event": id }),
        });
        let reason = format!("a context block was asked for; the task: {}", block.about.reason);
        let what = json!({
            "served": served.collect::<Vec<_>>(),
            "tokens": block.tokens,
            "fingerprint": block.fingerprint,
            "cut": block.cut.len(),
        });
        self.journal_served(query, block.task.as_ref(), reason, what)
    }

    /// To whom, for which question, what (SPEC 5.5), if anything was. A store that is only read has no journal to write to.
    fn journal_served(
        &self,
        query: &Query,
        task: Option<&TaskId>,
        reason: String,
        mut what: Value,
    ) -> Result<(), Error> {
        if self.read_only || what["served"].as_array().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let owner = &query.scope.owner;
        let target = match task {
            Some(id) => Target::Task(id.clone()),
            None => Target::Session(query.scope.session.clone()),
        };
        let mut operation = self.operation(owner, Verb::Serve, target, "recall", reason);
        what["session"] = json!(query.scope.session);
        // Folded after: in lower case, many a key is none.
        what["question"] = json!(fold(&redact::redact_text(&query.text, &self.rules_of(owner))));
        operation.after = Some(what);
        self.store.commit(ChangeSet { owner: owner.clone(), operations: vec![operation], ..ChangeSet::default() })?;
        Ok(())
    }
}

/// The events of the stage summaries that a block of this task shows.
fn summed_up(task: &Task) -> BTreeSet<EventId> {
    task.frame().into_iter().flat_map(context::summaries_shown).map(|summary| summary.source).collect()
}

fn is_standing(hit: &Hit) -> bool {
    matches!(hit.found, Found::Memory { standing: true, .. })
}

/// The memory that gives way to what the task itself sets, if this note is of one.
fn overruled(note: &MemoryNote) -> Option<MemoryId> {
    matches!(note.verdict, Verdict::Overruled { .. }).then_some(note.id)
}

/// Standing rules first: they hold whatever is asked. Then the layer that the route says answers first.
fn in_layers(route: Route, facts: Vec<Hit>, memories: Vec<Hit>, events: Vec<Hit>) -> Vec<Hit> {
    let (standing, known): (Vec<Hit>, Vec<Hit>) = memories.into_iter().partition(is_standing);
    let rest: [Vec<Hit>; 3] = match route {
        Route::Semantic | Route::Nothing => [known, facts, events],
        Route::State | Route::Events | Route::History => [facts, known, events],
    };
    standing.into_iter().chain(rest.into_iter().flatten()).collect()
}

fn name_of(task: &Task) -> TaskName {
    TaskName { id: task.id.clone(), title: task.title.clone() }
}

fn filters_in_words(filter: &Filter) -> Vec<String> {
    let mut words = vec!["owner: always".to_owned()];
    words.extend(filter.session.as_ref().map(|session| format!("session {session}")));
    words.extend(filter.task.as_ref().map(|task| format!("task {task}")));
    words.extend(filter.since.map(|since| format!("happened since {since}")));
    words.extend(filter.until.map(|until| format!("happened before {until}")));
    words.extend(filter.known_at.map(|at| format!("known by {at}")));
    words.extend((!filter.sources.is_empty()).then(|| format!("said by {:?}", filter.sources)));
    words.extend((!filter.kinds.is_empty()).then(|| format!("of kind {:?}", filter.kinds)));
    words.extend((!filter.except.is_empty()).then(|| format!("{} events left out", filter.except.len())));
    words
}

#[cfg(test)]
mod tests;
