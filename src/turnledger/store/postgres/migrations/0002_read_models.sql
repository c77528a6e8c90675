-- Read models: projections of the events, rebuilt by `turnledger doctor --rebuild`.

CREATE TABLE turns (
    jid         bigint PRIMARY KEY,
    aid         bigint NOT NULL,
    cid         bigint NOT NULL,
    status      text COLLATE "C" NOT NULL,
    error_class text COLLATE "C",
    cause       text COLLATE "C",
    parent      bytea,
    opened_ms   bigint NOT NULL,
    closed_ms   bigint,
    ms          bigint,
    model_calls bigint NOT NULL DEFAULT 0,
    tool_calls  bigint NOT NULL DEFAULT 0,
    open_steps  bigint NOT NULL DEFAULT 0,
    errors      bigint NOT NULL DEFAULT 0,
    tokens_in   bigint,
    tokens_out  bigint,
    cache_read  bigint,
    cache_write bigint,
    reasoning   bigint
);

-- Lists go by (opened_ms, jid).
CREATE INDEX turns_recent ON turns (opened_ms, jid);
CREATE INDEX turns_agent ON turns (aid, opened_ms, jid);
CREATE INDEX turns_conversation ON turns (cid, opened_ms, jid);
CREATE INDEX turns_status ON turns (status, opened_ms, jid);

CREATE TABLE conversation_activity (
    cid          bigint PRIMARY KEY,
    aid          bigint NOT NULL,
    last_ms      bigint NOT NULL,
    turns        bigint NOT NULL DEFAULT 0,
    open_turns   bigint NOT NULL DEFAULT 0,
    failed_turns bigint NOT NULL DEFAULT 0,
    messages     bigint NOT NULL DEFAULT 0,
    tokens_in    bigint,
    tokens_out   bigint
);

CREATE INDEX activity_recent ON conversation_activity (last_ms, cid);
CREATE INDEX activity_agent ON conversation_activity (aid, last_ms, cid);

CREATE TABLE messages (
    cid        bigint NOT NULL,
    seq        bigint NOT NULL,
    direction  text COLLATE "C" NOT NULL,
    actor      bytea,
    chars      bigint NOT NULL,
    created_ms bigint NOT NULL,
    reply_to   bigint,
    verdict    text COLLATE "C",
    turn       bytea,
    into_seq   bigint,
    shed       text COLLATE "C",
    delivery   text COLLATE "C",
    PRIMARY KEY (cid, seq)
);

CREATE INDEX messages_actor ON messages (actor) WHERE actor IS NOT NULL;

CREATE TABLE memory (
    aid        bigint NOT NULL,
    entry      bytea NOT NULL,
    revision   bigint NOT NULL,
    op         text COLLATE "C" NOT NULL,
    jid        bigint NOT NULL,
    seq        bigint NOT NULL,
    created_ms bigint NOT NULL,
    PRIMARY KEY (aid, entry, revision, jid, seq)
);

CREATE INDEX memory_recent ON memory (aid, created_ms);
