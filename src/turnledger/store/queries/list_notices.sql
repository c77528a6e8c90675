SELECT c.id, n.cid, n.seq, n.type, n.word, n.message, n.created_ms, e.event_id, e.tokens
FROM notices AS n
INNER JOIN conversations AS c ON c.cid = n.cid
INNER JOIN journals AS j ON j.id = c.id
INNER JOIN events AS e ON e.jid = j.jid AND e.seq = n.seq
WHERE
    n.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND n.type = :type
    AND (n.word = :word OR :word = '')
    AND n.created_ms >= :since_ms
    AND (n.created_ms, n.cid, n.seq) < (:before_ms, :before_cid, :before_seq)
ORDER BY n.created_ms DESC, n.cid DESC, n.seq DESC
LIMIT :limit
