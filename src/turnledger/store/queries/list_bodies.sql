SELECT
    e.event_id,
    b.slot,
    b.size,
    CASE WHEN b.recipe IS NOT NULL THEN b.salt END,
    CASE WHEN b.salt IS NOT NULL THEN b.recipe END
FROM events AS e
INNER JOIN bodies AS b ON b.jid = e.jid AND b.seq = e.seq
WHERE e.event_id = :event AND b.slot = :slot
