-- ``again`` is 0 for calls without a record, 1 for unpriced ones too, 2 for all.
SELECT
    c.aid,
    c.created_ms,
    c.jid,
    c.seq,
    c.cid,
    e.tokens,
    e.detail,
    k.edition,
    k.state,
    k.nano,
    k.currency,
    k.reason,
    k.provider,
    k.model
FROM calls AS c
INNER JOIN events AS e ON e.jid = c.jid AND e.seq = c.seq
LEFT JOIN costs AS k ON k.aid = c.aid AND k.called_ms = c.created_ms AND k.jid = c.jid AND k.seq = c.seq
    AND k.edition = (
        SELECT max(n.edition)
        FROM costs AS n
        WHERE n.aid = c.aid AND n.called_ms = c.created_ms AND n.jid = c.jid AND n.seq = c.seq
    )
WHERE
    c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND (c.created_ms, c.jid, c.seq) > (:after_ms, :after_jid, :after_seq)
    AND c.created_ms < :until_ms
    AND c.kind IN ('model', 'late')
    AND (k.edition IS NULL OR :again = 2 OR (:again = 1 AND k.state = 'unpriced'))
ORDER BY c.created_ms, c.jid, c.seq
LIMIT :limit
