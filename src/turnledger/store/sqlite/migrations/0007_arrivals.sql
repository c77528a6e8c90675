-- What has arrived of replies whose call has no result yet: no events, no part of any proof, gone with the result.

-- ``seq`` is that of the MODEL_CALL, ``start`` counts the bytes of the reply before these.
CREATE TABLE arrivals (
    jid   INTEGER NOT NULL,
    seq   INTEGER NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    data  BLOB NOT NULL,
    PRIMARY KEY (jid, seq, start)
) STRICT;
