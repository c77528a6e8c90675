-- only: sqlite  as bytes, because text that is no UTF-8 is to be verified and not refused by the driver
-- An event that names another conversation than its journal has no place there: -1.
SELECT
    e.seq,
    CAST(e.type AS BLOB),
    e.payload_hash,
    CAST(e.tokens AS BLOB),
    e.detail,
    e.hash,
    e.created_ms,
    e.event_id,
    CASE WHEN COALESCE(e.cid, 0) = COALESCE(j.cid, 0) THEN e.position ELSE -1 END
FROM events AS e
INNER JOIN journals AS j ON j.jid = e.jid
WHERE j.id = :journal
ORDER BY e.seq
LIMIT :limit
