//! Telling what is new in a request from what its client sends again, and one talk from another.
//!
//! Clients of OpenAI's dialect send the whole talk with each request, or the end of it. So a talk is known by what was said in it: the
//! request goes on the talk in which the most of it is found, and what is behind the last turn that is found is new.

use std::collections::BTreeMap;

use holdfast::types::event::{RawEvent, Source, StoredEvent};
use holdfast::types::ids::EventId;
use holdfast::types::scope::ScopeId;

/// Talks that are kept at hand for one owner. An older one is told anew, into a session of its own.
const TALKS_MAX: usize = 64;
/// Turns of a talk that are kept at hand: longer than what any client sends.
const TURNS_MAX: usize = 4_000;
/// Turns found in a row that tell a talk for certain, wherever in it they stand.
const ROW: usize = 3;
/// A reply of so many bytes is said once. Shorter ones ("好的。", "Done.") are said again and again.
const TELLING_BYTES: usize = 64;
/// In an event's metadata: the mark of the turn it is of, and the id its service gave the reply.
const MARK: &str = "proxy";
const RESPONSE: &str = "response_id";

/// What a turn says, as a hash of what the store keeps of it: equal for equal turns, and gone with the event.
pub type Mark = [u8; 16];

/// One turn of a request or a reply: what becomes one event.
#[derive(Debug, Clone)]
pub struct Turn {
    pub mark: Mark,
    /// Said by the agent or a tool: the client did not make it up.
    is_reply: bool,
    is_telling: bool,
}

impl Turn {
    /// `kept`: the event's text without secrets.
    pub fn of(event: &RawEvent, kept: &str) -> Self {
        let text = kept.trim();
        let mut hasher = blake3::Hasher::new();
        hasher.update(event.source.as_str().as_bytes());
        hasher.update(b"\n");
        hasher.update(event.kind.as_str().as_bytes());
        hasher.update(b"\n");
        hasher.update(text.as_bytes());
        let mut mark = [0; 16];
        mark.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self::known(mark, event.source, text.len())
    }

    fn known(mark: Mark, source: Source, bytes: usize) -> Self {
        Self { mark, is_reply: matches!(source, Source::Agent | Source::Tool), is_telling: bytes >= TELLING_BYTES }
    }
}

/// Notes in an event which turn it is, so that the talk is known again after a restart.
pub fn note(event: &mut RawEvent, turn: &Turn, response: Option<&str>) {
    let mark: String = turn.mark.iter().map(|byte| format!("{byte:02x}")).collect();
    event.metadata.insert(MARK.to_owned(), mark.into());
    if let Some(response) = response {
        event.metadata.insert(RESPONSE.to_owned(), response.into());
    }
}

fn noted(event: &StoredEvent) -> Option<Turn> {
    let text = event.event.metadata.get(MARK)?.as_str()?;
    let mut mark = [0; 16];
    let bytes =
        text.as_bytes().chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    for (place, byte) in mark.iter_mut().zip(bytes) {
        *place = byte?;
    }
    Some(Turn::known(mark, event.event.source, event.event.content.len()))
}

/// Names a talk at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TalkId(u64);

/// A talk up to some turn: where a request goes on.
#[derive(Debug, Clone)]
pub struct Place {
    pub talk: TalkId,
    pub session: ScopeId,
    /// Turns of the talk that the request knows.
    length: usize,
    /// Of the request's turns, those from here on are new.
    pub new_from: usize,
}

#[derive(Debug)]
struct Talk {
    id: TalkId,
    session: ScopeId,
    turns: Vec<(Turn, Option<EventId>)>,
    places: BTreeMap<Mark, Vec<usize>>,
    /// Where each reply ends, by the id that the next request may name it by.
    responses: BTreeMap<String, usize>,
}

impl Talk {
    fn push(&mut self, turn: Turn, event: Option<EventId>) {
        self.places.entry(turn.mark).or_default().push(self.turns.len());
        self.turns.push((turn, event));
    }

    /// The same up to a turn, to go on otherwise from there.
    fn branch(&self, id: TalkId, length: usize) -> Self {
        let mut talk = Self {
            id,
            session: self.session.clone(),
            turns: Vec::new(),
            places: BTreeMap::new(),
            responses: self
                .responses
                .iter()
                .filter(|(_, end)| **end <= length)
                .map(|(id, end)| (id.clone(), *end))
                .collect(),
        };
        for (turn, event) in self.turns.iter().take(length) {
            talk.push(turn.clone(), *event);
        }
        talk
    }

    /// The last turn of the request that is found here: its index, where it stands, and how many before it stand in the same order.
    fn find(&self, turns: &[Turn], is_named: bool) -> Option<Found> {
        for last in (0..turns.len()).rev() {
            let Some(places) = self.places.get(&turns[last].mark) else { continue };
            let row = |place: usize| {
                let pairs = turns[..=last].iter().rev().zip(self.turns[..=place].iter().rev());
                pairs.take_while(|(turn, (known, _))| turn.mark == known.mark).count()
            };
            // Of equal turns the one with most of the same before it, the latest of these.
            let Some((place, row)) = places.iter().map(|place| (*place, row(*place))).max_by_key(|(_, row)| *row)
            else {
                continue;
            };
            let is_whole = row == last + 1 && row == place + 1;
            let is_certain = is_whole || row >= ROW || turns[last].is_reply && (turns[last].is_telling || is_named);
            if is_certain {
                return Some(Found { last, place, row });
            }
        }
        None
    }

    /// Whether something was replied behind this place.
    fn is_answered(&self, place: usize) -> bool {
        self.turns[place + 1..].iter().any(|(turn, _)| turn.is_reply)
    }
}

struct Found {
    last: usize,
    place: usize,
    row: usize,
}

/// What a request says of its talk beside its turns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Named<'a> {
    /// The session that its client named.
    pub session: Option<&'a ScopeId>,
    /// The response it goes on from: its turns are all new.
    pub response: Option<&'a str>,
}

/// The talks of one owner, the one that was last gone on with last.
#[derive(Debug, Default)]
pub struct Talks {
    talks: Vec<Talk>,
    made: u64,
}

impl Talks {
    /// As the log has them. `events`: the latest ones, in order.
    pub fn of_log(events: &[StoredEvent]) -> Self {
        let mut talks = Self::default();
        for stored in events {
            let Some(turn) = noted(stored) else { continue };
            let session = &stored.event.scope.session;
            let at = match talks.talks.iter().position(|talk| talk.session == *session) {
                Some(at) => at,
                None => talks.begin(session.clone()),
            };
            let talk = &mut talks.talks[at];
            // An utterance about several tasks is one turn and several events.
            if talk.turns.last().is_none_or(|(last, _)| last.mark != turn.mark) {
                talk.push(turn, Some(stored.event.id));
            }
            if let Some(response) = stored.event.metadata.get(RESPONSE).and_then(|id| id.as_str()) {
                talk.responses.insert(response.to_owned(), talk.turns.len());
            }
        }
        talks
    }

    fn begin(&mut self, session: ScopeId) -> usize {
        let id = self.new_id();
        let talk = Talk { id, session, turns: Vec::new(), places: BTreeMap::new(), responses: BTreeMap::new() };
        self.keep(talk)
    }

    fn new_id(&mut self) -> TalkId {
        self.made += 1;
        TalkId(self.made)
    }

    fn keep(&mut self, talk: Talk) -> usize {
        if self.talks.len() >= TALKS_MAX {
            self.talks.remove(0);
        }
        self.talks.push(talk);
        self.talks.len() - 1
    }

    /// Where a request goes on. `new_session` names a talk that was not known.
    pub fn place(&mut self, turns: &[Turn], named: Named<'_>, new_session: impl FnOnce() -> ScopeId) -> Place {
        if let Some(response) = named.response {
            let known = self.talks.iter().rev().find_map(|talk| Some((talk, *talk.responses.get(response)?)));
            if let Some((talk, length)) = known {
                return Place { talk: talk.id, session: talk.session.clone(), length, new_from: 0 };
            }
        }
        let is_meant = |talk: &&Talk| named.session.is_none_or(|session| talk.session == *session);
        // Only what follows a reply can go on a talk; before it, what is equal to the beginning of a talk may be another talk.
        let is_opening = !turns.iter().any(|turn| turn.is_reply);
        let found = self
            .talks
            .iter()
            .filter(is_meant)
            .filter_map(|talk| Some((talk, talk.find(turns, named.session.is_some())?)));
        let found = found.filter(|(talk, found)| !is_opening || !talk.is_answered(found.place));
        // The later of equals: it was gone on with last.
        let best = found.max_by_key(|(_, found)| (found.last, found.row));
        if let Some((talk, found)) = best {
            return Place {
                talk: talk.id,
                session: talk.session.clone(),
                length: found.place + 1,
                new_from: found.last + 1,
            };
        }
        // Nothing of it is known here. If its client says which session it is, it goes on behind what that has.
        let at = match named.session {
            Some(session) => match self.talks.iter().rposition(|talk| talk.session == *session) {
                Some(at) => at,
                None => self.begin(session.clone()),
            },
            None => self.begin(new_session()),
        };
        let talk = &self.talks[at];
        Place { talk: talk.id, session: talk.session.clone(), length: talk.turns.len(), new_from: 0 }
    }

    /// Goes on from a place. If others went on from it meanwhile, it is a branch of the talk from now on.
    pub fn go_on(&mut self, place: &Place, turns: Vec<(Turn, Option<EventId>)>, response: Option<String>) -> Place {
        let at = match self.talks.iter().position(|talk| talk.id == place.talk) {
            Some(at) => at,
            None => self.begin(place.session.clone()),
        };
        let is_at_end = self.talks[at].turns.len() == place.length || self.talks[at].turns.is_empty();
        let is_full = self.talks[at].turns.len() + turns.len() > TURNS_MAX;
        let talk = if is_full {
            let kept = self.talks.remove(at).turns;
            let id = self.new_id();
            let mut talk = Talk {
                id,
                session: place.session.clone(),
                turns: Vec::new(),
                places: BTreeMap::new(),
                responses: BTreeMap::new(),
            };
            for (turn, event) in kept.into_iter().skip(TURNS_MAX / 2) {
                talk.push(turn, event);
            }
            talk
        } else if is_at_end || turns.is_empty() {
            self.talks.remove(at)
        } else {
            let id = self.new_id();
            self.talks[at].branch(id, place.length)
        };
        let at = self.keep(talk);
        let talk = &mut self.talks[at];
        let length = if turns.is_empty() { place.length } else { talk.turns.len() + turns.len() };
        for (turn, event) in turns {
            talk.push(turn, event);
        }
        if let Some(response) = response {
            talk.responses.insert(response, talk.turns.len());
        }
        Place { talk: talk.id, session: talk.session.clone(), length, new_from: place.new_from }
    }

    /// The events of these turns, where they are known.
    pub fn events(&self, place: &Place, turns: &[Turn]) -> Vec<Option<EventId>> {
        let Some(talk) = self.talks.iter().find(|talk| talk.id == place.talk) else { return vec![None; turns.len()] };
        let event = |turn: &Turn| talk.places.get(&turn.mark)?.last().and_then(|at| talk.turns[*at].1);
        turns.iter().map(event).collect()
    }
}
