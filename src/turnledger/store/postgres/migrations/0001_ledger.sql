-- The ledger's tables.  Times are epoch milliseconds, ids and digests are bytes, bodies and outside names are bytes.
-- Every integer is a bigint: a parameter's type then follows from its column, whatever the statement.
-- Text is printable ASCII or a closed word, compared by its bytes (collation "C").

-- The clock that events and leases go by; milliseconds are floored, because rounded ones would run ahead.
CREATE FUNCTION clock_us() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

CREATE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE TABLE ledger (
    one      bigint PRIMARY KEY CHECK (one = 1),
    id       bytea NOT NULL CHECK (octet_length(id) = 16),
    made_ms  bigint NOT NULL,
    prunes   bigint NOT NULL DEFAULT 0,
    -- Added to transaction ids in events.eid; grows when the database moves to a server whose ids are lower.
    xid_base bigint NOT NULL DEFAULT 0
);

CREATE TABLE agents (
    aid           bigint PRIMARY KEY,
    id            bytea NOT NULL UNIQUE CHECK (octet_length(id) = 16),
    name          bytea NOT NULL,
    opened_ms     bigint NOT NULL,
    turns         bigint NOT NULL DEFAULT 0,
    conversations bigint NOT NULL DEFAULT 0
);

CREATE SEQUENCE agents_aid OWNED BY agents.aid;

-- Outside names live here and in payloads only, so that erasure can remove them.
-- The index is on a digest, because names can be longer than an index entry may be.
CREATE TABLE aliases (
    kind   text COLLATE "C" NOT NULL,
    scope  bytea NOT NULL CHECK (octet_length(scope) = 16),
    digest bytea NOT NULL CHECK (octet_length(digest) = 16),
    target bytea NOT NULL CHECK (octet_length(target) = 16),
    name   bytea NOT NULL,
    PRIMARY KEY (kind, scope, digest)
);

CREATE INDEX aliases_target ON aliases (target);

CREATE TABLE conversations (
    cid           bigint PRIMARY KEY,
    id            bytea NOT NULL UNIQUE CHECK (octet_length(id) = 16),
    aid           bigint NOT NULL REFERENCES agents (aid),
    opened_ms     bigint NOT NULL,
    connector     text COLLATE "C",
    shape         text COLLATE "C" NOT NULL,
    place         bytea,
    next_position bigint NOT NULL
);

CREATE SEQUENCE conversations_cid OWNED BY conversations.cid;

-- Heads of the chains; the lease columns are used by turn journals only.
CREATE TABLE journals (
    jid      bigint PRIMARY KEY,
    kind     text COLLATE "C" NOT NULL CHECK (kind IN ('turn', 'conversation', 'ledger')),
    id       bytea NOT NULL UNIQUE CHECK (octet_length(id) = 16),
    aid      bigint NOT NULL,
    cid      bigint REFERENCES conversations (cid),
    ordinal  bigint NOT NULL,
    next_seq bigint NOT NULL,
    head     bytea NOT NULL CHECK (octet_length(head) = 32),
    last_ms  bigint NOT NULL,
    closed   bigint NOT NULL CHECK (closed IN (0, 1)),
    holder   bytea,
    epoch    bigint NOT NULL DEFAULT 0,
    until_ms bigint
);

CREATE SEQUENCE journals_jid OWNED BY journals.jid;

-- Open turns; on the key, so that renewing a lease touches no index.
CREATE INDEX journals_open ON journals (jid) WHERE closed = 0 AND kind = 'turn';
CREATE INDEX journals_conversation ON journals (cid);

-- prevHash is the hash of the row before; the summary's last token is detail=<SHA-256 of detail>.
-- eid is (ledger.xid_base + id of the transaction) * 2^20 + place in the transaction, so that the rows
-- below a snapshot's oldest running transaction are complete and in their final order.
CREATE TABLE events (
    eid          bigint PRIMARY KEY,
    jid          bigint NOT NULL REFERENCES journals (jid),
    seq          bigint NOT NULL CHECK (seq BETWEEN 0 AND 2147483647),
    cid          bigint,
    position     bigint CHECK (position >= 0),
    created_ms   bigint NOT NULL,
    event_id     bytea NOT NULL CHECK (octet_length(event_id) = 16),
    payload_hash bytea NOT NULL CHECK (octet_length(payload_hash) = 32),
    hash         bytea NOT NULL CHECK (octet_length(hash) = 32),
    type         text COLLATE "C" NOT NULL CHECK (type ~ '^[A-Z][A-Z0-9_]{0,31}$'),
    tokens       text COLLATE "C" NOT NULL CHECK (octet_length(tokens) <= 4024 AND tokens !~ '[^ -~]'),
    detail       bytea NOT NULL
);

CREATE UNIQUE INDEX events_journal ON events (jid, seq);
CREATE UNIQUE INDEX events_id ON events (event_id);
CREATE UNIQUE INDEX events_position ON events (cid, position) WHERE cid IS NOT NULL;

CREATE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER events_refuse_update BEFORE UPDATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_refuse_delete BEFORE DELETE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_refuse_truncate BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();

-- Also in sessions that switch ordinary triggers off (session_replication_role = replica).
ALTER TABLE events ENABLE ALWAYS TRIGGER events_refuse_update;
ALTER TABLE events ENABLE ALWAYS TRIGGER events_refuse_delete;
ALTER TABLE events ENABLE ALWAYS TRIGGER events_refuse_truncate;

-- A row whose salt and recipe are null was pruned or erased.
CREATE TABLE bodies (
    jid    bigint NOT NULL,
    seq    bigint NOT NULL,
    slot   text COLLATE "C" NOT NULL,
    size   bigint NOT NULL,
    salt   bytea CHECK (octet_length(salt) = 32),
    recipe bytea,
    PRIMARY KEY (jid, seq, slot)
);

-- Parts of bodies, shared within an agent.  The key is 64 bits of the digest; a hit is confirmed by content.
CREATE TABLE parts (
    pid  bigint PRIMARY KEY,
    aid  bigint NOT NULL,
    key  bigint NOT NULL,
    size bigint NOT NULL,
    data bytea NOT NULL
) WITH (toast_tuple_target = 8160);

-- Each number drawn is the first of a block of 64: a writer numbers its parts without asking for each.
CREATE SEQUENCE parts_pid INCREMENT 64 OWNED BY parts.pid;

CREATE INDEX parts_key ON parts (key);

-- Recipes and parts come compressed: trying again would only take time, and so does cutting what fits a page.
ALTER TABLE bodies ALTER recipe SET STORAGE EXTERNAL;
ALTER TABLE parts ALTER data SET STORAGE EXTERNAL;

CREATE TABLE conflicts (
    event_id     bytea NOT NULL,
    seen_ms      bigint NOT NULL,
    type         text COLLATE "C" NOT NULL,
    tokens       text COLLATE "C" NOT NULL,
    payload_hash bytea NOT NULL
);

CREATE INDEX conflicts_event ON conflicts (event_id);

-- Leaves waiting for the sequencer of the seal.
CREATE TABLE seal_outbox (
    lid        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text COLLATE "C" NOT NULL,
    jid        bigint NOT NULL,
    events     bigint NOT NULL,
    head       bytea NOT NULL,
    status     text COLLATE "C" NOT NULL,
    created_ms bigint NOT NULL
);
