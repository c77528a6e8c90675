-- only: postgres  ids come as one array; rows stay locked to the end of the transaction
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
FROM journals AS j
LEFT JOIN agents AS a ON a.aid = j.aid
LEFT JOIN conversations AS c ON c.cid = j.cid
WHERE j.id = ANY(:ids)
ORDER BY j.id
FOR NO KEY UPDATE OF j
