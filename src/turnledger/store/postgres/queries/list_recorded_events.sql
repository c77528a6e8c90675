-- only: postgres  text as UTF-8 bytes, whatever the encoding of the database
-- An event that names another conversation than its journal has no place there: -1.
SELECT
    e.seq,
    CONVERT_TO(e.type, 'UTF8') AS type,
    e.payload_hash,
    CONVERT_TO(e.tokens, 'UTF8') AS tokens,
    e.detail,
    e.hash,
    e.created_ms,
    e.event_id,
    CASE WHEN COALESCE(e.cid, 0) = COALESCE(j.cid, 0) THEN e.position ELSE -1 END AS position
FROM events AS e
INNER JOIN journals AS j ON j.jid = e.jid
WHERE j.id = :journal
ORDER BY e.seq
LIMIT :limit
