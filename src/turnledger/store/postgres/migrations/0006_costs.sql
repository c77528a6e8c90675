-- What model calls cost: records of their own, no projection of the events, so a rebuild leaves them alone.

-- One row per pricing of a MODEL_RESULT; of several the highest edition counts, and none is ever changed.
-- The order is that of ``calls``.  ``nano`` is the amount in billionths of the currency's unit.
CREATE TABLE costs (
    aid       bigint NOT NULL,
    called_ms bigint NOT NULL,
    jid       bigint NOT NULL,
    seq       bigint NOT NULL,
    edition   bigint NOT NULL CHECK (edition >= 0),
    cid       bigint NOT NULL,
    state     text COLLATE "C" NOT NULL CHECK (state IN ('priced', 'unpriced', 'unbilled')),
    nano      bigint,
    currency  text COLLATE "C",
    reason    text COLLATE "C",
    provider  text COLLATE "C",
    model     text COLLATE "C",
    prices    text COLLATE "C" NOT NULL,
    answer    bytea CHECK (octet_length(answer) = 16),
    priced_ms bigint NOT NULL,
    PRIMARY KEY (aid, called_ms, jid, seq, edition),
    CHECK ((state = 'priced') = (nano IS NOT NULL)),
    CHECK ((nano IS NULL) = (currency IS NULL)),
    CHECK ((state = 'priced') = (reason IS NULL))
);

CREATE INDEX costs_journal ON costs (jid, seq);
CREATE INDEX costs_conversation ON costs (cid, answer);

CREATE FUNCTION costs_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'costs are append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER costs_refuse_update BEFORE UPDATE ON costs
    FOR EACH STATEMENT EXECUTE FUNCTION costs_refuse();
CREATE TRIGGER costs_refuse_delete BEFORE DELETE ON costs
    FOR EACH STATEMENT EXECUTE FUNCTION costs_refuse();
CREATE TRIGGER costs_refuse_truncate BEFORE TRUNCATE ON costs
    FOR EACH STATEMENT EXECUTE FUNCTION costs_refuse();

-- Also in sessions that switch ordinary triggers off (session_replication_role = replica).
ALTER TABLE costs ENABLE ALWAYS TRIGGER costs_refuse_update;
ALTER TABLE costs ENABLE ALWAYS TRIGGER costs_refuse_delete;
ALTER TABLE costs ENABLE ALWAYS TRIGGER costs_refuse_truncate;

-- The record of each call that counts.
CREATE VIEW current_costs AS
SELECT *
FROM costs AS k
WHERE NOT EXISTS (
    SELECT 1
    FROM costs AS n
    WHERE n.aid = k.aid AND n.called_ms = k.called_ms AND n.jid = k.jid AND n.seq = k.seq AND n.edition > k.edition
);
