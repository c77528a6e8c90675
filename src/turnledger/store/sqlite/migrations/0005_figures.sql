-- Read models for figures over time, and indexes for what consoles list.

-- One row per outcome of a model or tool call; an agent's lie together in the order of time.
-- The key's columns come first: SQLite's own check of older versions looks for them there.
CREATE TABLE calls (
    aid         INTEGER NOT NULL,
    created_ms  INTEGER NOT NULL,
    jid         INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    cid         INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT,
    failed      INTEGER NOT NULL,
    ms          INTEGER,
    tokens_in   INTEGER,
    tokens_out  INTEGER,
    cache_read  INTEGER,
    cache_write INTEGER,
    reasoning   INTEGER,
    PRIMARY KEY (aid, created_ms, jid, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_journal ON calls (jid);

-- What a conversation's journal says of triggers that were dropped or folded, and of deliveries.
-- ``word`` is the reason or status, ``message`` the seq of the message it is about.
CREATE TABLE notices (
    cid        INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    aid        INTEGER NOT NULL,
    type       TEXT NOT NULL,
    word       TEXT,
    message    INTEGER,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (cid, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX notices_agent ON notices (aid, type, created_ms, cid, seq);

CREATE INDEX messages_recent ON messages (created_ms, cid, seq) WHERE direction = 'inbound';
DROP INDEX messages_actor;
CREATE INDEX messages_actor ON messages (actor, created_ms, cid, seq) WHERE actor IS NOT NULL;

CREATE INDEX turns_parent ON turns (parent) WHERE parent IS NOT NULL;
