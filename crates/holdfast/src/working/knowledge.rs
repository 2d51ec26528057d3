//! What the task holds to be so: conclusions, facts, the latest result, open questions, warnings; and their overturning.

use super::Refusal;
use super::draft::{ARTIFACT, CONCLUSION, DECISION, Draft, FACT, RESULT, WARNING, checked, checked_some, json, room};
use crate::text::{extends, same};
use crate::types::frame::{Artifact, Conclusion, Decision, StepResult, Warning, Wording};
use crate::types::ids::{ElementId, EventId};
use crate::types::operation::Verb;
use crate::types::task::TaskFact;

/// Where a statement that can be overturned stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Conclusion { frame: usize, at: usize },
    Fact { at: usize },
    Result { frame: usize },
}

impl Draft {
    /// Concluding the same thing twice is concluding it once, and so is a part of it.
    pub(super) fn conclude(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a conclusion", text)?;
        if self.frame()?.conclusions.iter().any(|c| c.valid && (same(&c.text, &text) || extends(&c.text, &text))) {
            return Ok(());
        }
        let top = self.task.frames.len() - 1;
        self.add_conclusion(top, text).map(drop)
    }

    pub(super) fn add_fact(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a fact", text)?;
        self.frame()?;
        if self.task.facts.iter().any(|f| f.valid && same(&f.text, &text)) {
            return Ok(());
        }
        self.push_fact(text).map(drop)
    }

    fn add_conclusion(&mut self, frame: usize, text: String) -> Result<ElementId, Refusal> {
        room("conclusion", self.task.frames[frame].conclusions.len())?;
        let id = self.id(CONCLUSION);
        let conclusion = Conclusion { id: id.clone(), text, source: self.source, valid: true, superseded_by: None };
        let after = json(&conclusion);
        self.task.frames[frame].conclusions.push(conclusion);
        self.changed(Verb::Update, Some(id.clone()), None, after);
        Ok(id)
    }

    fn push_fact(&mut self, text: String) -> Result<ElementId, Refusal> {
        room("fact", self.task.facts.len())?;
        let id = self.id(FACT);
        let fact = TaskFact { id: id.clone(), text, source: self.source, valid: true, superseded_by: None };
        let after = json(&fact);
        self.task.facts.push(fact);
        self.changed(Verb::Update, Some(id.clone()), None, after);
        Ok(id)
    }

    /// Overturns a statement wherever the task says it: the one named, and every other that says the same. What holds
    /// instead stands where the old one stood, so that it outlives the subtask that found it out.
    pub(super) fn supersede(&mut self, old: &ElementId, text: Option<&str>) -> Result<(), Refusal> {
        self.frame()?;
        let text = checked_some("a conclusion", text)?;
        let place = self.place(old)?;
        let (statement, _) = self.statement(place).ok_or(Refusal::NoStepInHand)?;
        if text.as_ref().is_some_and(|text| *text == statement) {
            return Err(Refusal::SameText { id: old.clone() });
        }
        let by = match &text {
            Some(text) => Some(self.replacement(place, text)?),
            None => None,
        };
        for place in self.copies(&statement, by.as_ref()) {
            self.overturn(place, by.as_ref(), text.as_deref());
        }
        self.overturn_quotes(&statement, text.as_deref());
        Ok(())
    }

    fn place(&self, id: &ElementId) -> Result<Place, Refusal> {
        const KIND: &str = "conclusion, fact or result";
        let gone = |by: &Option<ElementId>| Refusal::AlreadyOverturned { kind: KIND, id: id.clone(), by: by.clone() };
        for (frame, f) in self.task.frames.iter().enumerate() {
            if let Some(at) = f.conclusions.iter().position(|c| c.id == *id) {
                let found = &f.conclusions[at];
                return if found.valid { Ok(Place::Conclusion { frame, at }) } else { Err(gone(&found.superseded_by)) };
            }
            if f.latest_result.as_ref().is_some_and(|r| r.id == *id) {
                return Ok(Place::Result { frame });
            }
        }
        if let Some(at) = self.task.facts.iter().position(|f| f.id == *id) {
            let found = &self.task.facts[at];
            return if found.valid { Ok(Place::Fact { at }) } else { Err(gone(&found.superseded_by)) };
        }
        let conclusions = self.task.frames.iter().flat_map(|f| &f.conclusions).filter(|c| c.valid).map(|c| &c.id);
        let facts = self.task.facts.iter().filter(|f| f.valid).map(|f| &f.id);
        let results = self.task.frames.iter().filter_map(|f| f.latest_result.as_ref()).map(|r| &r.id);
        let known = facts.chain(results).chain(conclusions).cloned().collect();
        Err(Refusal::UnknownElement { kind: KIND, id: id.clone(), known })
    }

    fn statement(&self, place: Place) -> Option<(String, EventId)> {
        match place {
            Place::Conclusion { frame, at } => {
                let conclusion = &self.task.frames[frame].conclusions[at];
                Some((conclusion.text.clone(), conclusion.source))
            }
            Place::Fact { at } => Some((self.task.facts[at].text.clone(), self.task.facts[at].source)),
            Place::Result { frame } => {
                self.task.frames[frame].latest_result.as_ref().map(|result| (result.text.clone(), result.source))
            }
        }
    }

    /// The id of what holds instead: one that says so already, or a new one beside the old.
    fn replacement(&mut self, place: Place, text: &str) -> Result<ElementId, Refusal> {
        match place {
            Place::Conclusion { frame, .. } => {
                let known = self.task.frames[frame].conclusions.iter().find(|c| c.valid && c.text == text);
                match known.map(|c| c.id.clone()) {
                    Some(id) => Ok(id),
                    None => self.add_conclusion(frame, text.to_owned()),
                }
            }
            Place::Fact { .. } => match self.task.facts.iter().find(|f| f.valid && f.text == text) {
                Some(fact) => Ok(fact.id.clone()),
                None => self.push_fact(text.to_owned()),
            },
            Place::Result { .. } => Ok(self.id(RESULT)),
        }
    }

    /// Every valid statement that says what the overturned one said, but for the one that holds instead.
    fn copies(&self, statement: &str, by: Option<&ElementId>) -> Vec<Place> {
        let mut places = Vec::new();
        for (frame, f) in self.task.frames.iter().enumerate() {
            for (at, conclusion) in f.conclusions.iter().enumerate() {
                if conclusion.valid && Some(&conclusion.id) != by && same(&conclusion.text, statement) {
                    places.push(Place::Conclusion { frame, at });
                }
            }
            if f.latest_result.as_ref().is_some_and(|r| same(&r.text, statement)) {
                places.push(Place::Result { frame });
            }
        }
        for (at, fact) in self.task.facts.iter().enumerate() {
            if fact.valid && Some(&fact.id) != by && same(&fact.text, statement) {
                places.push(Place::Fact { at });
            }
        }
        places
    }

    fn overturn(&mut self, place: Place, by: Option<&ElementId>, new: Option<&str>) {
        let Some((old, old_source)) = self.statement(place) else { return };
        let (id, before, after) = match place {
            Place::Conclusion { frame, at } => {
                let conclusion = &mut self.task.frames[frame].conclusions[at];
                let before = json(conclusion);
                (conclusion.valid, conclusion.superseded_by) = (false, by.cloned());
                (conclusion.id.clone(), before, json(conclusion))
            }
            Place::Fact { at } => {
                let fact = &mut self.task.facts[at];
                let before = json(fact);
                (fact.valid, fact.superseded_by) = (false, by.cloned());
                (fact.id.clone(), before, json(fact))
            }
            Place::Result { frame } => {
                // The id promised to what holds instead, if it is a result's and no other frame has taken it.
                let taken = |id: &ElementId| {
                    self.task.frames.iter().filter_map(|f| f.latest_result.as_ref()).any(|result| result.id == *id)
                };
                let new_id = match by {
                    Some(by) if by.0.starts_with(RESULT) && !taken(by) => by.clone(),
                    _ => self.id(RESULT),
                };
                let source = self.source;
                let slot = &mut self.task.frames[frame].latest_result;
                let Some(old) = slot.take() else { return };
                *slot =
                    new.map(|text| StepResult { id: new_id, text: text.to_owned(), source, step: old.step.clone() });
                (old.id.clone(), json(&old), slot.as_ref().and_then(json))
            }
        };
        self.overturned(&id, &old, old_source, new);
        self.changed(Verb::Supersede, Some(id), before, after);
    }

    /// Results of steps and outcomes of subtasks that are nothing but the statement.
    fn overturn_quotes(&mut self, statement: &str, new: Option<&str>) {
        let mut quotes = Vec::new();
        for frame in &mut self.task.frames {
            for step in frame.steps.iter_mut().filter(|s| s.result.as_ref().is_some_and(|r| same(r, statement))) {
                let before = json(step);
                step.result = new.map(str::to_owned);
                quotes.push((step.id.clone(), before, json(step)));
            }
            if let Some(new) = new {
                for outcome in frame.outcomes.iter_mut().filter(|o| same(&o.outcome, statement)) {
                    let before = json(outcome);
                    outcome.outcome = new.to_owned();
                    quotes.push((outcome.id.clone(), before, json(outcome)));
                }
            }
        }
        for (id, before, after) in quotes {
            self.changed(Verb::Supersede, Some(id), before, after);
        }
    }

    pub(super) fn ask_decision(&mut self, question: &str, who: Option<&str>) -> Result<(), Refusal> {
        let question = checked("a question", question)?;
        let who = checked_some("a name", who)?;
        let decisions = &self.frame()?.decisions;
        if decisions.iter().any(|d| d.answer.is_none() && same(&d.question, &question)) {
            return Ok(());
        }
        room("decision", decisions.len())?;
        let id = self.id(DECISION);
        let decision = Decision { id: id.clone(), question, who, source: self.source, answer: None };
        let after = json(&decision);
        self.frame()?.decisions.push(decision);
        self.changed(Verb::Update, Some(id), None, after);
        Ok(())
    }

    /// A question of a parent may be answered while a subtask is in hand: the answer comes when it comes.
    pub(super) fn resolve_decision(&mut self, id: &ElementId, answer: &str) -> Result<(), Refusal> {
        let answer = checked("an answer", answer)?;
        self.frame()?;
        let source = self.source;
        let decisions = self.task.frames.iter_mut().rev().flat_map(|f| &mut f.decisions);
        let mut known = Vec::new();
        for decision in decisions {
            if decision.id != *id {
                if decision.answer.is_none() {
                    known.push(decision.id.clone());
                }
                continue;
            }
            if let Some(given) = &decision.answer {
                return Err(Refusal::AlreadyAnswered { id: id.clone(), answer: given.text.clone() });
            }
            let before = json(decision);
            decision.answer = Some(Wording { text: answer, source });
            let after = json(decision);
            self.changed(Verb::Update, Some(id.clone()), before, after);
            return Ok(());
        }
        Err(Refusal::UnknownElement { kind: "decision", id: id.clone(), known })
    }

    pub(super) fn warn(&mut self, text: &str) -> Result<(), Refusal> {
        let text = checked("a warning", text)?;
        let warnings = &self.frame()?.warnings;
        if warnings.iter().any(|w| !w.cleared && same(&w.text, &text)) {
            return Ok(());
        }
        room("warning", warnings.len())?;
        let id = self.id(WARNING);
        let warning = Warning { id: id.clone(), text, source: self.source, cleared: false };
        let after = json(&warning);
        self.frame()?.warnings.push(warning);
        self.changed(Verb::Update, Some(id), None, after);
        Ok(())
    }

    pub(super) fn clear_warning(&mut self, id: &ElementId) -> Result<(), Refusal> {
        const KIND: &str = "warning";
        let frame = self.frame()?;
        let known: Vec<ElementId> = frame.warnings.iter().filter(|w| !w.cleared).map(|w| w.id.clone()).collect();
        match frame.warnings.iter_mut().find(|w| w.id == *id) {
            None => Err(Refusal::UnknownElement { kind: KIND, id: id.clone(), known }),
            Some(warning) if warning.cleared => {
                Err(Refusal::AlreadyOverturned { kind: KIND, id: id.clone(), by: None })
            }
            Some(warning) => {
                let before = json(warning);
                warning.cleared = true;
                let after = json(warning);
                self.changed(Verb::Update, Some(id.clone()), before, after);
                Ok(())
            }
        }
    }

    /// The same locator twice is one artifact: what is said of it later stands.
    pub(super) fn artifact(&mut self, locator: &str, description: Option<&str>) -> Result<(), Refusal> {
        let locator = checked("an artifact's locator", locator)?;
        let description = checked_some("a description", description)?;
        let source = self.source;
        let frame = self.frame()?;
        let step = frame.current_step.clone();
        if let Some(known) = frame.artifacts.iter_mut().find(|a| a.locator == locator) {
            let before = json(known);
            known.description = description.or_else(|| known.description.take());
            known.step = step.or_else(|| known.step.take());
            known.source = source;
            let (id, after) = (known.id.clone(), json(known));
            self.changed(Verb::Update, Some(id), before, after);
            return Ok(());
        }
        room("artifact", frame.artifacts.len())?;
        let artifact = Artifact { id: self.id(ARTIFACT), locator, description, step, source };
        let (id, after) = (artifact.id.clone(), json(&artifact));
        self.frame()?.artifacts.push(artifact);
        self.changed(Verb::Update, Some(id), None, after);
        Ok(())
    }
}
