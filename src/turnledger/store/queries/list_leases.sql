SELECT j.id, a.id, c.id, j.holder, j.epoch, j.until_ms
FROM journals AS j
INNER JOIN agents AS a ON a.aid = j.aid
INNER JOIN conversations AS c ON c.cid = j.cid
WHERE
    j.kind = 'turn'
    AND j.closed = 0
    AND j.holder IS NOT NULL
    AND (j.until_ms < :now_ms OR CAST(:expired AS bigint) = 0)
ORDER BY j.jid
LIMIT :limit
