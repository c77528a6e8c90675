-- What has arrived of replies whose call has no result yet: no events, no part of any proof, gone with the result.

-- ``seq`` is that of the MODEL_CALL, ``start`` counts the bytes of the reply before these.
CREATE TABLE arrivals (
    jid   bigint NOT NULL,
    seq   bigint NOT NULL,
    start bigint NOT NULL CHECK (start >= 0),
    data  bytea NOT NULL,
    PRIMARY KEY (jid, seq, start)
);

-- The ledger has compressed them already.
ALTER TABLE arrivals ALTER data SET STORAGE EXTERNAL;
