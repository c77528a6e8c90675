-- Bytes that come late or twice are left out: those of a call with a result, and those that are there already.
INSERT INTO arrivals (jid, seq, start, data)
SELECT c.jid, c.seq, :start, :data
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
ON CONFLICT DO NOTHING
