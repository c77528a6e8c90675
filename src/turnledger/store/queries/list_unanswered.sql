-- Inbound messages without a reply of which no turn is at work; the same rule of what a reply is as in owed_replies.
SELECT
    c.id,
    m.cid,
    m.seq,
    a.name,
    m.actor,
    m.created_ms,
    m.verdict,
    m.shed,
    m.turn,
    t.status,
    t.error_class
FROM messages AS m
INNER JOIN conversations AS c ON c.cid = m.cid
INNER JOIN agents AS a ON a.aid = c.aid
LEFT JOIN journals AS j ON j.id = m.turn
LEFT JOIN turns AS t ON t.jid = j.jid
WHERE
    m.direction = 'inbound'
    AND m.created_ms >= :since_ms
    AND (m.created_ms, m.cid, m.seq) < (:before_ms, :before_cid, :before_seq)
    AND (:agent = :any OR a.id = :agent)
    AND (:conversation = :any OR c.id = :conversation)
    AND m.into_seq IS NULL
    AND (m.shed IS NOT NULL OR t.status IS NULL OR t.status NOT IN ('running', 'waiting', 'completed'))
    AND NOT EXISTS (
        SELECT 1 FROM messages AS r
        WHERE
            r.cid = m.cid
            AND r.direction = 'outbound'
            AND (r.reply_to = m.seq OR (r.reply_to IS NULL AND r.seq > m.seq))
    )
ORDER BY m.created_ms DESC, m.cid DESC, m.seq DESC
LIMIT :limit
