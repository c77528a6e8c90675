SELECT
    e.jid,
    j.aid,
    e.cid,
    j.kind,
    e.seq,
    e.type,
    e.tokens,
    e.created_ms,
    e.position
FROM events AS e
INNER JOIN journals AS j ON j.jid = e.jid
WHERE e.cid = :cid AND e.position > :after
ORDER BY e.position
LIMIT :limit
