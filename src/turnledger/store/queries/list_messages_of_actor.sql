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
    m.delivery,
    c.id,
    m.cid
FROM messages AS m
INNER JOIN conversations AS c ON c.cid = m.cid
INNER JOIN journals AS j ON j.id = c.id
INNER JOIN events AS e ON e.jid = j.jid AND e.seq = m.seq
WHERE
    m.actor = :actor
    AND c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND (m.created_ms, m.cid, m.seq) < (:before_ms, :before_cid, :before_seq)
ORDER BY m.created_ms DESC, m.cid DESC, m.seq DESC
LIMIT :limit
