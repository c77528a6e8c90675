-- Read models: projections of the events, rebuilt by `turnledger doctor --rebuild`.

CREATE TABLE turns (
    jid         INTEGER PRIMARY KEY,
    aid         INTEGER NOT NULL,
    cid         INTEGER NOT NULL,
    status      TEXT NOT NULL,
    error_class TEXT,
    cause       TEXT,
    parent      BLOB,
    opened_ms   INTEGER NOT NULL,
    closed_ms   INTEGER,
    ms          INTEGER,
    model_calls INTEGER NOT NULL DEFAULT 0,
    tool_calls  INTEGER NOT NULL DEFAULT 0,
    open_steps  INTEGER NOT NULL DEFAULT 0,
    errors      INTEGER NOT NULL DEFAULT 0,
    tokens_in   INTEGER,
    tokens_out  INTEGER,
    cache_read  INTEGER,
    cache_write INTEGER,
    reasoning   INTEGER
) STRICT;

-- Lists go by (opened_ms, jid); every index ends with its table's key as it is.
CREATE INDEX turns_recent ON turns (opened_ms);
CREATE INDEX turns_agent ON turns (aid, opened_ms);
CREATE INDEX turns_conversation ON turns (cid, opened_ms);
CREATE INDEX turns_status ON turns (status, opened_ms);

CREATE TABLE conversation_activity (
    cid          INTEGER PRIMARY KEY,
    aid          INTEGER NOT NULL,
    last_ms      INTEGER NOT NULL,
    turns        INTEGER NOT NULL DEFAULT 0,
    open_turns   INTEGER NOT NULL DEFAULT 0,
    failed_turns INTEGER NOT NULL DEFAULT 0,
    messages     INTEGER NOT NULL DEFAULT 0,
    tokens_in    INTEGER,
    tokens_out   INTEGER
) STRICT;

CREATE INDEX activity_recent ON conversation_activity (last_ms);
CREATE INDEX activity_agent ON conversation_activity (aid, last_ms);

CREATE TABLE messages (
    cid         INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    direction   TEXT NOT NULL,
    actor       BLOB,
    chars       INTEGER NOT NULL,
    created_ms  INTEGER NOT NULL,
    reply_to    INTEGER,
    verdict     TEXT,
    turn        BLOB,
    into_seq    INTEGER,
    shed        TEXT,
    delivery    TEXT,
    PRIMARY KEY (cid, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX messages_actor ON messages (actor) WHERE actor IS NOT NULL;

CREATE TABLE memory (
    aid        INTEGER NOT NULL,
    entry      BLOB NOT NULL,
    revision   INTEGER NOT NULL,
    op         TEXT NOT NULL,
    jid        INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (aid, entry, revision, jid, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_recent ON memory (aid, created_ms, jid, seq);
CREATE INDEX memory_journal ON memory (jid);
