-- The first schema. Never edit a shipped migration: add the next one.
--
-- Rows of one owner stand together: the row number of an event or operation is owner * 2^40 + its position in the owner's
-- log. So the owner is a range of rows in every table, where it costs nothing.

CREATE TABLE owner (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 8388607),
    tenant TEXT NOT NULL,
    user TEXT NOT NULL,
    agent TEXT NOT NULL,
    last_event INTEGER NOT NULL DEFAULT 0,
    last_operation INTEGER NOT NULL DEFAULT 0,
    -- Commits of its own so far.
    last_change INTEGER NOT NULL DEFAULT 0,
    -- The position through which the lexical index has segments.
    indexed INTEGER NOT NULL DEFAULT 0,
    -- How often traits of past events were written anew: what was read of them before is then void.
    rewritten INTEGER NOT NULL DEFAULT 0,
    -- Events that are gone from the log: positions without one.
    erased INTEGER NOT NULL DEFAULT 0,
    -- Events that are hidden.
    hidden INTEGER NOT NULL DEFAULT 0,
    -- How often its memories changed: what was read of them before is then void.
    memories INTEGER NOT NULL DEFAULT 0,
    -- The watermark: its log has been learned from up to and with this position.
    learned INTEGER NOT NULL DEFAULT 0,
    -- The same for what a language model was asked about.
    induced INTEGER NOT NULL DEFAULT 0,
    -- The chain's head: BLAKE3 over all commitments so far.
    chain BLOB NOT NULL,
    UNIQUE (tenant, user, agent)
) STRICT;

CREATE TABLE event (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    owner INTEGER NOT NULL REFERENCES owner (id),
    session TEXT NOT NULL,
    task TEXT,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    trust TEXT NOT NULL,
    -- The body, or its summary once it is archived.
    content TEXT NOT NULL,
    -- RFC 9557, with the caller's own offset or zone.
    occurred_at TEXT NOT NULL,
    occurred_us INTEGER NOT NULL,
    recorded_us INTEGER NOT NULL,
    metadata TEXT,
    idempotency_key TEXT,
    redactions TEXT,
    signals TEXT NOT NULL,
    predecessor INTEGER,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    UNIQUE (owner, id)
) STRICT;
CREATE UNIQUE INDEX event_by_key ON event (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX event_by_session ON event (owner, session, row);
CREATE INDEX event_by_task ON event (owner, task, row) WHERE task IS NOT NULL;
CREATE INDEX event_by_time ON event (owner, occurred_us);
CREATE INDEX event_hidden ON event (row) WHERE hidden = 1;

-- Bodies that are seldom read, compressed.
CREATE TABLE cold_body (
    row INTEGER PRIMARY KEY REFERENCES event (row),
    zstd BLOB NOT NULL
) STRICT;

-- Events that go unless something calls them back. Turns are positions in the owner's log.
CREATE TABLE probation (
    row INTEGER PRIMARY KEY REFERENCES event (row),
    since_turn INTEGER NOT NULL,
    since_us INTEGER NOT NULL,
    until_turn INTEGER NOT NULL,
    until_us INTEGER NOT NULL,
    -- Policy, score and reason, as JSON.
    sentence TEXT NOT NULL
) STRICT;

-- Statements in an event that no longer hold.
CREATE TABLE overturned (
    row INTEGER NOT NULL REFERENCES event (row),
    statement TEXT NOT NULL,
    replaced_by TEXT,
    at_us INTEGER NOT NULL,
    PRIMARY KEY (row, statement)
) STRICT, WITHOUT ROWID;

-- What ranking looks at of each event, in one small row and without JSON: copies of the event's own columns, and its search
-- terms, as segmented by `text`.
CREATE TABLE traits (
    row INTEGER PRIMARY KEY REFERENCES event (row),
    id BLOB NOT NULL,
    session TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- The local clock in seconds since 1970-01-01T00:00.
    local_s INTEGER NOT NULL,
    -- The days named, as pairs of little-endian 32-bit numbers.
    mentioned BLOB,
    -- Bits: 1 instructs, 2 prefers.
    manner INTEGER NOT NULL DEFAULT 0,
    hidden INTEGER NOT NULL DEFAULT 0,
    terms TEXT NOT NULL
) STRICT;
-- Which events hold a term: one list for each segment of an owner's log, so many events in a row. Later events have none yet: they are
-- found by their terms above. How often a term is there, and where, is counted in the terms of the few best rows.
CREATE TABLE posting (
    owner INTEGER NOT NULL REFERENCES owner (id),
    segment INTEGER NOT NULL,
    -- The first one of those that this row has.
    term TEXT NOT NULL,
    -- Terms in order, each with the positions of its events in the owner's log: ascending, as the gaps between them.
    lists BLOB NOT NULL,
    PRIMARY KEY (owner, segment, term)
) STRICT, WITHOUT ROWID;

-- Secrets that were taken out of events, kept only if the operator gave a key: nonce, ciphertext and tag.
CREATE TABLE secret (
    owner INTEGER NOT NULL REFERENCES owner (id),
    -- Without its marks: card:7f3a9c2e41d0
    placeholder TEXT NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (owner, placeholder)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    owner INTEGER NOT NULL REFERENCES owner (id),
    session TEXT NOT NULL,
    task TEXT,
    last_row INTEGER,
    PRIMARY KEY (owner, session)
) STRICT, WITHOUT ROWID;

-- A task with its frames is one document: it changes as a whole, under its version.
CREATE TABLE task (
    owner INTEGER NOT NULL REFERENCES owner (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    last_activity_us INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_by_activity ON task (owner, last_activity_us);

CREATE TABLE update_key (
    owner INTEGER NOT NULL,
    task TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (owner, task, key)
) STRICT, WITHOUT ROWID;

-- What is known beyond tasks. A memory is one document: it changes as a whole, under its version.
CREATE TABLE memory (
    owner INTEGER NOT NULL REFERENCES owner (id),
    id BLOB NOT NULL,
    -- Subject, attribute and where it applies, as JSON: two active memories of one slot would contradict each other.
    slot TEXT NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX memory_in_force ON memory (owner, slot) WHERE status = 'active';
CREATE INDEX memory_by_slot ON memory (owner, slot);

-- The journal. Erasing an operation empties body and salt; commitment and chain stay and still verify. One that the journal's retention has
-- dropped has a salt of no bytes, so that it is known why there is nothing to undo.
CREATE TABLE operation (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    -- Which of its owner's commits it was written with.
    change INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    verb TEXT NOT NULL,
    run BLOB NOT NULL,
    -- The event it was done to, and the one that caused it if that is another.
    event BLOB,
    cause BLOB,
    task TEXT,
    memory BLOB,
    body TEXT,
    salt BLOB,
    commitment BLOB NOT NULL,
    chain BLOB NOT NULL
) STRICT;
CREATE INDEX operation_by_run ON operation (run, row);
CREATE INDEX operation_by_event ON operation (event, row) WHERE event IS NOT NULL;
CREATE INDEX operation_by_cause ON operation (cause, row) WHERE cause IS NOT NULL;
CREATE INDEX operation_by_task ON operation (task, row) WHERE task IS NOT NULL;
CREATE INDEX operation_by_memory ON operation (memory, row) WHERE memory IS NOT NULL;
-- All that was written with one change of an owner is looked up when one line of it is undone.
CREATE INDEX operation_by_change ON operation (row >> 40, change);
-- What was served is looked up with every word that might teach something.
CREATE INDEX operation_of_serving ON operation (row) WHERE verb = 'serve';

-- What each change found where it wrote; `before` is the document as JSON under zstd, NULL where there was none.
CREATE TABLE past (
    owner INTEGER NOT NULL REFERENCES owner (id),
    change INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    before BLOB,
    PRIMARY KEY (owner, change, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_by_document ON past (owner, kind, key, change);

CREATE TABLE model (
    -- Never used again: caches in memory know models and vectors by their numbers.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    active INTEGER NOT NULL DEFAULT 0 CHECK (active IN (0, 1)),
    UNIQUE (name, dimension)
) STRICT;

-- One row for each passage; `data` is the unit vector as little-endian half floats. Its event is not declared as a reference: the index
-- begins with the model, so that each event that is erased would be looked for in all vectors.
CREATE TABLE vector (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL REFERENCES model (id),
    row INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;
CREATE INDEX vector_by_row ON vector (model, row);

-- How far each owner's log has been embedded with each model, and how many of its vectors were taken out, after which what was
-- read of them before is void.
CREATE TABLE embedded (
    model INTEGER NOT NULL REFERENCES model (id),
    owner INTEGER NOT NULL REFERENCES owner (id),
    through INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (model, owner)
) STRICT, WITHOUT ROWID;

-- What was erased, by hashes under a key of this store's own: they tell it again when it comes back, and nothing to whoever reads them.
CREATE TABLE tombstone (
    hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE tombstone_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key BLOB NOT NULL
) STRICT;

-- Erasures under way, to be finished when the store is opened next.
CREATE TABLE erasure (
    id BLOB PRIMARY KEY,
    owner INTEGER NOT NULL REFERENCES owner (id),
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
