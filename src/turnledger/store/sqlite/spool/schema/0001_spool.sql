-- What waits, in order.  turn: of a batch that begins one.  kept: see SpoolRow.  size: before compression.
CREATE TABLE queue (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    tried     INTEGER NOT NULL,
    turn      BLOB,
    kept      BLOB,
    events    INTEGER NOT NULL,
    queued_ms INTEGER NOT NULL,
    data      BLOB NOT NULL,
    size      INTEGER NOT NULL
);
CREATE INDEX queue_turn ON queue (turn) WHERE turn IS NOT NULL;

-- Outside names that waiting batches claim; place is the stand-in of a message's event.
CREATE TABLE names (
    kind   TEXT NOT NULL,
    scope  BLOB NOT NULL,
    name   TEXT NOT NULL,
    target BLOB NOT NULL,
    place  INTEGER,
    row    INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, name)
);
CREATE INDEX names_target ON names (target);
CREATE INDEX names_row ON names (row);

-- What forwarding taught; needed for as long as a process may still hold a stand-in or an id.
CREATE TABLE places (place INTEGER PRIMARY KEY, seq INTEGER);
CREATE TABLE ids (proposed BLOB PRIMARY KEY, target BLOB NOT NULL);
CREATE TABLE revisions (event BLOB PRIMARY KEY, row INTEGER NOT NULL, revision INTEGER NOT NULL);
CREATE INDEX revisions_row ON revisions (row);

-- Events that there was no room for, by conversation; those of conversations that were never opened are in
-- the one row of ledger.
CREATE TABLE gaps (
    agent        BLOB NOT NULL,
    conversation BLOB NOT NULL,
    events       INTEGER NOT NULL,
    PRIMARY KEY (agent, conversation)
);
CREATE TABLE refused (
    id         INTEGER PRIMARY KEY,
    refused_ms INTEGER NOT NULL,
    events     INTEGER NOT NULL,
    refusal    TEXT,
    reason     TEXT NOT NULL,
    data       BLOB NOT NULL
);
CREATE TABLE ledger (id INTEGER PRIMARY KEY CHECK (id = 1), label TEXT NOT NULL, not_kept INTEGER NOT NULL);
