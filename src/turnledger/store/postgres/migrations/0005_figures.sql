-- Read models for figures over time, and indexes for what consoles list.

-- One row per outcome of a model or tool call; an agent's lie together in the order of time.
CREATE TABLE calls (
    aid         bigint NOT NULL,
    created_ms  bigint NOT NULL,
    jid         bigint NOT NULL,
    seq         bigint NOT NULL,
    cid         bigint NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    name        text COLLATE "C",
    failed      bigint NOT NULL,
    ms          bigint,
    tokens_in   bigint,
    tokens_out  bigint,
    cache_read  bigint,
    cache_write bigint,
    reasoning   bigint,
    PRIMARY KEY (aid, created_ms, jid, seq)
);

CREATE INDEX calls_journal ON calls (jid);

-- What a conversation's journal says of triggers that were dropped or folded, and of deliveries.
-- ``word`` is the reason or status, ``message`` the seq of the message it is about.
CREATE TABLE notices (
    cid        bigint NOT NULL,
    seq        bigint NOT NULL,
    aid        bigint NOT NULL,
    type       text COLLATE "C" NOT NULL,
    word       text COLLATE "C",
    message    bigint,
    created_ms bigint NOT NULL,
    PRIMARY KEY (cid, seq)
);

CREATE INDEX notices_agent ON notices (aid, type, created_ms, cid, seq);

CREATE INDEX messages_recent ON messages (created_ms, cid, seq) WHERE direction = 'inbound';
DROP INDEX messages_actor;
CREATE INDEX messages_actor ON messages (actor, created_ms, cid, seq) WHERE actor IS NOT NULL;

CREATE INDEX turns_parent ON turns (parent) WHERE parent IS NOT NULL;
