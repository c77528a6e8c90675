-- One that has its result lives no more, whatever comes late of it.
INSERT INTO live_calls (jid, seq, until_ms)
SELECT c.jid, c.seq, :until_ms
FROM events AS c
WHERE
    c.event_id = :call
    AND c.jid = :jid
    AND c.type = 'MODEL_CALL'
    AND NOT EXISTS (
        SELECT 1
        FROM events AS r
        WHERE r.jid = c.jid AND r.seq > c.seq AND r.type = 'MODEL_RESULT' AND r.tokens LIKE 'call=' || c.seq || ' %'
    )
ON CONFLICT (jid, seq) DO UPDATE SET until_ms = excluded.until_ms
