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

    /// The last turn of the request that is found here. What repeats is told by what stands before it: first the longest row of
    /// turns that both have, then, behind it in both, a reply that is nowhere else.
    fn find(&self, turns: &[Turn], is_named: bool) -> Option<Found> {
        let mut found: Vec<Found> = Vec::new();
        // Of the turn before: how many up to there are the same, by where it stands here.
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for (last, turn) in turns.iter().enumerate() {
            let places = self.places.get(&turn.mark).map(Vec::as_slice).unwrap_or_default();
            let row =
                |place: &usize| place.checked_sub(1).and_then(|before| rows.get(&before)).map_or(1, |row| row + 1);
            rows = places.iter().map(|place| (*place, row(place))).collect();
            found.extend(rows.iter().map(|(place, row)| Found { last, place: *place, row: *row }));
        }
        let is_whole = |found: &Found| found.row == found.last + 1 && found.row == found.place + 1;
        let rows = found.iter().filter(|found| is_whole(found) || found.row >= ROW);
        let row = rows.max_by_key(|found| (found.row, found.last, found.place));
        let is_behind = |found: &&Found| row.is_none_or(|row| found.last > row.last && found.place > row.place);
        let tells = |turn: &Turn| turn.is_reply && (turn.is_telling || is_named);
        let reply = found.iter().filter(is_behind).filter(|found| tells(&turns[found.last]));
        reply.max_by_key(|found| (found.last, found.row, found.place)).or(row).cloned()
    }

    /// Whether something was replied behind this place.
    fn is_answered(&self, place: usize) -> bool {
        self.turns[place + 1..].iter().any(|(turn, _)| turn.is_reply)
    }
}

#[derive(Debug, Clone)]
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

#[cfg(test)]
mod tests {
    use holdfast::types::event::Kind;
    use holdfast::types::scope::Scope;

    use super::*;

    /// `u:早上好 a:早` as turns. A capital A says something long.
    fn turns(text: &str) -> Vec<Turn> {
        let turn = |word: &str| {
            let (who, said) = word.split_once(':').unwrap();
            let (source, kind) = match who {
                "u" => (Source::User, Kind::Query),
                "t" => (Source::Tool, Kind::ToolResult),
                _ => (Source::Agent, Kind::Response),
            };
            let said =
                if who == "A" { format!("{said} {}", "，详细的说明如下".repeat(8)) } else { said.to_owned() };
            Turn::of(&RawEvent::new(Scope::default(), source, kind, said.clone()), &said)
        };
        text.split_whitespace().map(turn).collect()
    }

    struct World {
        talks: Talks,
        sessions: u32,
    }

    impl World {
        fn new() -> Self {
            Self { talks: Talks::default(), sessions: 0 }
        }

        /// One request and its reply: its session, and what of it was new.
        fn ask(&mut self, session: Option<&str>, sent: &str, reply: &str) -> (String, usize) {
            let sent = turns(sent);
            let (place, new) = self.begin(session, &sent);
            self.talks.go_on(&place, turns(reply).into_iter().map(|turn| (turn, None)).collect(), None);
            (place.session.to_string(), new)
        }

        fn begin(&mut self, session: Option<&str>, sent: &[Turn]) -> (Place, usize) {
            let session = session.map(|session| ScopeId::new(session).unwrap());
            let named = Named { session: session.as_ref(), response: None };
            let sessions = &mut self.sessions;
            let place = self.talks.place(sent, named, || {
                *sessions += 1;
                ScopeId::new(format!("s{sessions}")).unwrap()
            });
            let new: Vec<_> = sent[place.new_from..].iter().map(|turn| (turn.clone(), None)).collect();
            let count = new.len();
            (self.talks.go_on(&place, new, None), count)
        }
    }

    #[test]
    fn what_a_client_sends_again_is_known() {
        // (what is sent, what is replied, its session, turns that are new)
        let table: &[&[(&str, &str, &str, usize)]] = &[
            // The whole talk each time.
            &[
                ("u:查退货率", "a:查到了", "s1", 1),
                ("u:查退货率 a:查到了 u:写周报", "a:写好了", "s1", 1),
                ("u:查退货率 a:查到了 u:写周报 a:写好了 u:谢谢", "a:不客气", "s1", 1),
            ],
            // A loop of tools.
            &[
                ("u:count", "a:sql()", "s1", 1),
                ("u:count a:sql() t:3", "a:sql()", "s1", 1),
                ("u:count a:sql() t:3 a:sql() t:3", "a:three", "s1", 1),
            ],
            // The same words twice in one talk are two turns.
            &[
                ("u:go", "a:ok", "s1", 1),
                ("u:go a:ok u:go", "a:ok", "s1", 1),
                ("u:go a:ok u:go a:ok u:go", "a:ok", "s1", 1),
            ],
            // Two talks that begin alike.
            &[
                ("u:hi", "a:Hello", "s1", 1),
                ("u:hi", "a:Hey", "s2", 1),
                ("u:hi a:Hello u:one", "a:1", "s1", 1),
                ("u:hi a:Hey u:two", "a:2", "s2", 1),
                ("u:hi a:Hello u:one a:1 u:more", "a:3", "s1", 1),
            ],
            // Sent once more since no reply came: the same request.
            &[("u:hi", "", "s1", 1), ("u:hi", "a:Hello", "s1", 0)],
            // Replied anew, or asked otherwise: a branch of the talk, and both are known from then on.
            &[
                ("u:a", "a:1", "s1", 1),
                ("u:a a:1 u:b", "a:2", "s1", 1),
                ("u:a a:1 u:b", "a:3", "s1", 0),
                ("u:a a:1 u:b a:3 u:c", "a:4", "s1", 1),
                ("u:a a:1 u:b a:2 u:d", "a:5", "s1", 1),
                ("u:a a:1 u:e", "a:6", "s1", 1),
            ],
            // Only the end of the talk is sent.
            &[
                ("u:a", "A:one", "s1", 1),
                ("A:one u:b", "a:2", "s1", 1),
                ("u:b a:2 u:c", "A:three", "s2", 3),
                ("A:three u:d", "a:4", "s2", 1),
            ],
            // Short words are said in every talk.
            &[("u:a", "a:好的", "s1", 1), ("a:好的 u:b", "a:2", "s2", 2)],
            // First heard of in its middle.
            &[("u:a a:1 u:b", "a:2", "s1", 3), ("u:a a:1 u:b a:2 u:c", "a:3", "s1", 1)],
        ];
        for exchanges in table {
            let mut world = World::new();
            for (sent, reply, session, new) in *exchanges {
                assert_eq!(world.ask(None, sent, reply), ((*session).to_owned(), *new), "{sent} in {exchanges:?}");
            }
        }
    }

    #[test]
    fn a_named_session_is_taken_at_its_word() {
        let mut world = World::new();
        // Its client sends nothing again: the same words are a new turn.
        for sent in ["u:开灯", "u:关灯", "u:开灯"] {
            assert_eq!(world.ask(Some("厨房"), sent, "a:好的"), ("厨房".to_owned(), 1), "{sent}");
        }
        assert_eq!(world.ask(Some("厨房"), "u:开灯 a:好的 u:热不热", "a:22度"), ("厨房".to_owned(), 1));
        assert_eq!(world.ask(Some("卧室"), "u:开灯 a:好的 u:热不热", "a:20度"), ("卧室".to_owned(), 3));
    }

    #[test]
    fn two_requests_at_once_are_two_branches() {
        let mut world = World::new();
        world.ask(None, "u:a", "A:one");
        let sent = turns("u:a A:one u:b");
        let (first, new) = world.begin(None, &sent);
        let (second, again) = world.begin(None, &sent);
        assert_eq!((new, again), (1, 0));
        for (place, reply) in [(&first, "a:x"), (&second, "a:y")] {
            world.talks.go_on(place, turns(reply).into_iter().map(|turn| (turn, None)).collect(), None);
        }
        assert_eq!(world.ask(None, "u:a A:one u:b a:x u:c", "a:1").1, 1);
        assert_eq!(world.ask(None, "u:a A:one u:b a:y u:c", "a:2").1, 1);
    }

    #[test]
    fn a_response_that_is_named_is_gone_on_from() {
        let mut world = World::new();
        let mut place = world.begin(None, &turns("u:a")).0;
        for (response, said) in [("resp_1", "a:1"), ("resp_2", "a:1")] {
            let replied = turns(said).into_iter().map(|turn| (turn, None)).collect();
            world.talks.go_on(&place, replied, Some(response.to_owned()));
            let sent = turns("u:a");
            let named = Named { session: None, response: Some(response) };
            let found = world.talks.place(&sent, named, || unreachable!());
            assert_eq!((found.session.as_str(), found.new_from), ("s1", 0), "all of it is new");
            place = world.talks.go_on(&found, sent.into_iter().map(|turn| (turn, None)).collect(), None);
        }
    }

    #[test]
    fn a_talk_grows_without_bound_and_what_is_kept_of_it_does_not() {
        let mut world = World::new();
        let mut sent = String::from("u:0");
        for turn in 0..3 * TURNS_MAX / 2 {
            let (session, new) = world.ask(None, &sent, &format!("a:{turn}"));
            assert_eq!((session.as_str(), new), ("s1", 1), "{turn}");
            // As a client does that sends the end of a long talk.
            let words: Vec<&str> = sent.split(' ').collect();
            sent = format!("{} a:{turn} u:{}", words[words.len().saturating_sub(7)..].join(" "), turn + 1);
            assert!(world.talks.talks.iter().all(|talk| talk.turns.len() <= TURNS_MAX));
        }
    }
}
