-- only: sqlite  as bytes, because text that is no UTF-8 is to be verified and not refused by the driver
SELECT
    seq,
    CAST(type AS BLOB),
    payload_hash,
    CAST(tokens AS BLOB),
    detail,
    hash,
    created_ms,
    event_id,
    position
FROM events
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
ORDER BY seq
