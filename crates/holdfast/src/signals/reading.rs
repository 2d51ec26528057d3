//! One text with everything that the rules look at: folded, cut into clauses, words of the lists found, dates resolved.

use std::ops::Range;

use jiff::ZonedDateTime;
use jiff::civil::DateTime;

use super::dates::{self, Found};
use super::folded::Folded;
use super::layout::{Clause, Layout};
use super::lexicon::{Hit, Lexicon, Tag};

/// What each rule of the room is handed. All spans inside are of the folded text.
pub(super) struct Reading<'t> {
    pub(super) folded: Folded<'t>,
    pub(super) layout: Layout,
    pub(super) hits: Vec<Hit>,
    pub(super) dates: Vec<Found>,
    /// When it was said, in its own zone.
    pub(super) at: DateTime,
}

impl<'t> Reading<'t> {
    pub(super) fn new(text: &'t str, at: &ZonedDateTime, lexicon: &Lexicon) -> Self {
        let folded = Folded::new(text, lexicon);
        let layout = Layout::new(folded.text());
        let hits = lexicon.hits(folded.text());
        let dates = dates::find(&folded, &hits, &layout, at);
        Self { folded, layout, hits, dates, at: at.datetime() }
    }

    pub(super) fn text(&self) -> &str {
        self.folded.text()
    }

    /// The words that start in a span.
    pub(super) fn hits_in(&self, span: &Range<usize>) -> &[Hit] {
        let from = self.hits.partition_point(|hit| hit.start < span.start);
        let to = self.hits.partition_point(|hit| hit.start < span.end);
        &self.hits[from..to.max(from)]
    }

    /// The words of a list that start in a span and are not quoted.
    pub(super) fn said(&self, span: Range<usize>, tag: Tag) -> impl Iterator<Item = &Hit> {
        let end = span.end;
        self.hits_in(&span)
            .iter()
            .filter(move |hit| hit.tag == tag && hit.end <= end && !self.layout.is_quoted(hit.start))
    }

    /// Whether a word lies inside a longer word of another list, which takes its meaning: 没 in 没问题.
    pub(super) fn inside_of(&self, hit: &Hit, tag: Tag) -> bool {
        // Words are at most 64 bytes, so no longer one that starts further back can reach here.
        let from = self.hits.partition_point(|other| other.start + 64 < hit.start);
        self.hits[from..]
            .iter()
            .take_while(|other| other.start <= hit.start)
            .any(|other| other.tag == tag && other.end >= hit.end)
    }

    /// The clause a word is in; `None` when it is cut by the clause's end.
    pub(super) fn clause_of(&self, hit: &Hit) -> Option<&Clause> {
        self.layout.clause_at(hit.start).filter(|clause| hit.end <= clause.span.end)
    }

    /// The first date that starts in a span.
    pub(super) fn date_in(&self, span: Range<usize>) -> Option<&Found> {
        let from = self.dates.partition_point(|found| found.span.start < span.start);
        self.dates.get(from).filter(|found| found.span.start < span.end)
    }
}
