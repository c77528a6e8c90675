-- A call outside any turn has no turn's lease: that its reply still arrives is renewed here, until it has its result.

-- ``seq`` is that of the MODEL_CALL in the journal of a conversation.
CREATE TABLE live_calls (
    jid      bigint NOT NULL,
    seq      bigint NOT NULL,
    until_ms bigint NOT NULL,
    PRIMARY KEY (jid, seq)
);
