SELECT
    c.id,
    m.seq,
    e.event_id,
    m.created_ms,
    CASE WHEN m.turn IS NOT NULL THEN 'turn_missing' WHEN m.verdict IS NULL THEN 'undecided' ELSE 'engaged_without_turn' END
FROM messages AS m
INNER JOIN conversations AS c ON c.cid = m.cid
INNER JOIN journals AS o ON o.id = c.id
INNER JOIN events AS e ON e.jid = o.jid AND e.seq = m.seq
LEFT JOIN journals AS j ON j.id = m.turn
LEFT JOIN turns AS t ON t.jid = j.jid
WHERE
    m.direction = 'inbound'
    AND m.created_ms >= :since_ms
    AND m.created_ms < :until_ms
    AND c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND m.shed IS NULL
    AND m.into_seq IS NULL
    AND (
        (m.turn IS NOT NULL AND t.status IS NULL)
        OR (m.turn IS NULL AND m.created_ms < :settled_ms AND (m.verdict IS NULL OR m.verdict = 'engage'))
    )
ORDER BY m.created_ms DESC, m.cid DESC, m.seq DESC
LIMIT :limit
