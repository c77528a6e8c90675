SELECT
    m.seq,
    e.event_id,
    m.direction,
    m.actor,
    (SELECT n.name FROM aliases AS n WHERE n.target = m.actor AND n.kind = 'actor' ORDER BY n.scope, n.digest LIMIT 1),
    m.chars,
    m.created_ms,
    m.verdict,
    m.turn,
    m.into_seq,
    m.shed,
    m.delivery
FROM conversations AS c
INNER JOIN journals AS j ON j.id = c.id
INNER JOIN messages AS m ON m.cid = c.cid
INNER JOIN events AS e ON e.jid = j.jid AND e.seq = m.seq
WHERE c.id = :conversation AND m.seq > :after_seq
ORDER BY m.seq
LIMIT :limit
