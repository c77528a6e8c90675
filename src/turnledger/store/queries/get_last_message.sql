SELECT
    m.seq,
    e.event_id,
    m.direction,
    m.actor,
    NULL,
    m.chars,
    m.created_ms,
    m.verdict,
    m.turn,
    m.into_seq,
    m.shed,
    m.delivery,
    c.id
FROM conversations AS c
INNER JOIN journals AS j ON j.id = c.id
INNER JOIN messages AS m ON m.cid = c.cid
INNER JOIN events AS e ON e.jid = j.jid AND e.seq = m.seq
WHERE c.id = :conversation
ORDER BY m.seq DESC
LIMIT 1
