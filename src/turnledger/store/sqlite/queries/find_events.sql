-- only: sqlite  all ids in one blob: one statement for many keys costs a third of many statements
WITH RECURSIVE place (start) AS (
    VALUES (1)
    UNION ALL
    SELECT start + 16 FROM place WHERE start + 16 < length(:ids)
)
SELECT e.event_id, e.jid, e.seq, e.type, e.tokens, e.payload_hash, e.hash, e.created_ms, e.position
FROM place
CROSS JOIN events AS e ON e.event_id = substr(:ids, start, 16)
