-- The ledger's tables.  Times are epoch milliseconds, ids and digests are bytes, bodies and outside names are bytes.

CREATE TABLE ledger (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    id      BLOB NOT NULL CHECK (length(id) = 16),
    made_ms INTEGER NOT NULL,
    prunes  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE agents (
    aid           INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name          BLOB NOT NULL,
    opened_ms     INTEGER NOT NULL,
    turns         INTEGER NOT NULL DEFAULT 0,
    conversations INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Outside names live here and in payloads only, so that erasure can remove them.
-- The index is on a digest, because names can be longer than an index entry may be.
CREATE TABLE aliases (
    kind   TEXT NOT NULL,
    scope  BLOB NOT NULL CHECK (length(scope) = 16),
    digest BLOB NOT NULL CHECK (length(digest) = 16),
    target BLOB NOT NULL CHECK (length(target) = 16),
    name   BLOB NOT NULL,
    PRIMARY KEY (kind, scope, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX aliases_target ON aliases (target);

CREATE TABLE conversations (
    cid           INTEGER PRIMARY KEY,
    id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    aid           INTEGER NOT NULL REFERENCES agents (aid),
    opened_ms     INTEGER NOT NULL,
    connector     TEXT,
    shape         TEXT NOT NULL,
    place         BLOB,
    next_position INTEGER NOT NULL
) STRICT;

-- Heads of the chains; the lease columns are used by turn journals only.
CREATE TABLE journals (
    jid      INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL CHECK (kind IN ('turn', 'conversation', 'ledger')),
    id       BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    aid      INTEGER NOT NULL,
    cid      INTEGER REFERENCES conversations (cid),
    ordinal  INTEGER NOT NULL,
    next_seq INTEGER NOT NULL,
    head     BLOB NOT NULL CHECK (length(head) = 32),
    last_ms  INTEGER NOT NULL,
    closed   INTEGER NOT NULL CHECK (closed IN (0, 1)),
    holder   BLOB,
    epoch    INTEGER NOT NULL DEFAULT 0,
    until_ms INTEGER
) STRICT;

-- Open turns, by jid; not by until_ms, so that renewing a lease touches no index.
CREATE INDEX journals_open ON journals (closed) WHERE closed = 0 AND kind = 'turn';
CREATE INDEX journals_conversation ON journals (cid);

-- prevHash is the hash of the row before; the summary's last token is detail=<SHA-256 of detail>.
-- GLOB stops at a NUL character, so that is looked for apart.
CREATE TABLE events (
    eid          INTEGER PRIMARY KEY,
    jid          INTEGER NOT NULL REFERENCES journals (jid),
    seq          INTEGER NOT NULL CHECK (seq BETWEEN 0 AND 2147483647),
    cid          INTEGER,
    position     INTEGER CHECK (position >= 0),
    created_ms   INTEGER NOT NULL,
    event_id     BLOB NOT NULL CHECK (length(event_id) = 16),
    payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 32),
    hash         BLOB NOT NULL CHECK (length(hash) = 32),
    type         TEXT NOT NULL CHECK (
        length(CAST(type AS BLOB)) BETWEEN 1 AND 32
        AND type GLOB '[A-Z]*' AND type NOT GLOB '*[^A-Z0-9_]*' AND instr(type, char(0)) = 0
    ),
    tokens       TEXT NOT NULL CHECK (
        length(CAST(tokens AS BLOB)) <= 4024 AND tokens NOT GLOB '*[^ -~]*' AND instr(tokens, char(0)) = 0
    ),
    detail       BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX events_journal ON events (jid, seq);
CREATE UNIQUE INDEX events_id ON events (event_id);
CREATE UNIQUE INDEX events_position ON events (cid, position) WHERE cid IS NOT NULL;

CREATE TRIGGER events_refuse_update BEFORE UPDATE ON events
BEGIN
    SELECT raise(ABORT, 'events are append-only');
END;

CREATE TRIGGER events_refuse_delete BEFORE DELETE ON events
BEGIN
    SELECT raise(ABORT, 'events are append-only');
END;

-- A row whose salt and recipe are null was pruned or erased.
CREATE TABLE bodies (
    jid    INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    slot   TEXT NOT NULL,
    size   INTEGER NOT NULL,
    salt   BLOB CHECK (length(salt) = 32),
    recipe BLOB,
    PRIMARY KEY (jid, seq, slot)
) STRICT, WITHOUT ROWID;

-- Parts of bodies, shared within an agent.  The key is 64 bits of the digest; a hit is confirmed by content.
CREATE TABLE parts (
    pid  INTEGER PRIMARY KEY,
    aid  INTEGER NOT NULL,
    key  INTEGER NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;

CREATE INDEX parts_key ON parts (key);

CREATE TABLE conflicts (
    event_id     BLOB NOT NULL,
    seen_ms      INTEGER NOT NULL,
    type         TEXT NOT NULL,
    tokens       TEXT NOT NULL,
    payload_hash BLOB NOT NULL
) STRICT;

CREATE INDEX conflicts_event ON conflicts (event_id);

-- Leaves waiting for the sequencer of the seal.
CREATE TABLE seal_outbox (
    lid        INTEGER PRIMARY KEY,
    kind       TEXT NOT NULL,
    jid        INTEGER NOT NULL,
    events     INTEGER NOT NULL,
    head       BLOB NOT NULL,
    status     TEXT NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT;
