-- only: sqlite  all ids in one blob: one statement for many keys costs a third of many statements
WITH RECURSIVE place (start) AS (
    VALUES (1)
    UNION ALL
    SELECT start + 16 FROM place WHERE start + 16 < length(:ids)
)
SELECT
    j.jid,
    j.kind,
    j.id,
    j.aid,
    a.id,
    j.cid,
    c.id,
    j.ordinal,
    j.next_seq,
    j.head,
    j.last_ms,
    j.closed,
    j.holder,
    j.epoch,
    j.until_ms
FROM place
CROSS JOIN journals AS j ON j.id = substr(:ids, start, 16)
LEFT JOIN agents AS a ON a.aid = j.aid
LEFT JOIN conversations AS c ON c.cid = j.cid
