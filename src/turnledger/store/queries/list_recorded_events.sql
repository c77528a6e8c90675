-- An event that names another conversation than its journal has no place there: -1.
SELECT
    e.seq,
    e.type,
    e.payload_hash,
    e.tokens,
    e.detail,
    e.hash,
    e.created_ms,
    e.event_id,
    CASE WHEN COALESCE(e.cid, 0) = COALESCE(j.cid, 0) THEN e.position ELSE -1 END AS position
FROM events AS e
INNER JOIN journals AS j ON j.jid = e.jid
WHERE j.id = :journal
ORDER BY e.seq
