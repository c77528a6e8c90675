SELECT
    m.entry,
    (SELECT n.name FROM aliases AS n WHERE n.target = m.entry AND n.kind = 'memory' ORDER BY n.scope, n.digest LIMIT 1),
    m.revision,
    m.op,
    m.created_ms,
    e.event_id,
    c.id,
    CASE WHEN j.kind = 'turn' THEN j.id END,
    m.jid,
    m.seq
FROM memory AS m
INNER JOIN events AS e ON e.jid = m.jid AND e.seq = m.seq
INNER JOIN journals AS j ON j.jid = m.jid
LEFT JOIN conversations AS c ON c.cid = j.cid
WHERE
    m.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND (c.id = :conversation OR :conversation = :any)
    AND (m.created_ms, m.jid, m.seq) < (:before_ms, :before_jid, :before_seq)
ORDER BY m.created_ms DESC, m.jid DESC, m.seq DESC
LIMIT :limit
