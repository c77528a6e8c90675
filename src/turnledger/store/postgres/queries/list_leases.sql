-- only: postgres  leases run by the database's clock
SELECT j.id, a.id, c.id, j.holder, j.epoch, j.until_ms
FROM journals AS j
INNER JOIN agents AS a ON a.aid = j.aid
INNER JOIN conversations AS c ON c.cid = j.cid
WHERE
    j.kind = 'turn'
    AND j.closed = 0
    AND j.holder IS NOT NULL
    AND (:expired = 0 OR j.until_ms < clock_ms())
ORDER BY j.jid
LIMIT :limit
