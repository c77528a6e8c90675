-- What model calls cost: records of their own, no projection of the events, so a rebuild leaves them alone.

-- One row per pricing of a MODEL_RESULT; of several the highest edition counts, and none is ever changed.
-- The order is that of ``calls``.  ``nano`` is the amount in billionths of the currency's unit.
CREATE TABLE costs (
    aid       INTEGER NOT NULL,
    called_ms INTEGER NOT NULL,
    jid       INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    edition   INTEGER NOT NULL CHECK (edition >= 0),
    cid       INTEGER NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('priced', 'unpriced', 'unbilled')),
    nano      INTEGER,
    currency  TEXT,
    reason    TEXT,
    provider  TEXT,
    model     TEXT,
    prices    TEXT NOT NULL,
    answer    BLOB CHECK (length(answer) = 16),
    priced_ms INTEGER NOT NULL,
    PRIMARY KEY (aid, called_ms, jid, seq, edition),
    CHECK ((state = 'priced') = (nano IS NOT NULL)),
    CHECK ((nano IS NULL) = (currency IS NULL)),
    CHECK ((state = 'priced') = (reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX costs_journal ON costs (jid, seq);
CREATE INDEX costs_conversation ON costs (cid, answer);

CREATE TRIGGER costs_refuse_update BEFORE UPDATE ON costs
BEGIN
    SELECT raise(ABORT, 'costs are append-only');
END;

CREATE TRIGGER costs_refuse_delete BEFORE DELETE ON costs
BEGIN
    SELECT raise(ABORT, 'costs are append-only');
END;

-- The record of each call that counts.
CREATE VIEW current_costs AS
SELECT *
FROM costs AS k
WHERE NOT EXISTS (
    SELECT 1
    FROM costs AS n
    WHERE n.aid = k.aid AND n.called_ms = k.called_ms AND n.jid = k.jid AND n.seq = k.seq AND n.edition > k.edition
);
