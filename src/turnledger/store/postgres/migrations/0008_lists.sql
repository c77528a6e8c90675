-- What lists of conversations ask for: those of one place, those that wait for somebody or owe a reply.

CREATE INDEX turns_waiting ON turns (cid) WHERE status = 'waiting';
CREATE INDEX conversations_place ON conversations (place) WHERE place IS NOT NULL;
CREATE INDEX messages_unmet ON messages (cid, seq)
WHERE
    direction = 'inbound'
    AND into_seq IS NULL
    AND (shed IS NOT NULL OR (turn IS NULL AND (verdict IS NULL OR verdict = 'engage')));
CREATE INDEX messages_replies ON messages (cid, reply_to, seq) WHERE direction = 'outbound';
CREATE INDEX turns_unsuccessful ON turns (cid)
WHERE status IN ('failed', 'exhausted', 'refused', 'interrupted', 'cancelled');

-- Shed, or nothing came of it, or its turn ended without a result.  A reply that names its message settles
-- that one alone; one that names none settles all before it.
CREATE VIEW owed_replies AS
SELECT
    m.cid,
    m.seq
FROM messages AS m
WHERE
    m.direction = 'inbound'
    AND m.into_seq IS NULL
    AND (m.shed IS NOT NULL OR (m.turn IS NULL AND (m.verdict IS NULL OR m.verdict = 'engage')))
    AND NOT EXISTS (
        SELECT 1 FROM messages AS r
        WHERE r.cid = m.cid AND r.direction = 'outbound' AND r.reply_to = m.seq
    )
    AND NOT EXISTS (
        SELECT 1 FROM messages AS r
        WHERE r.cid = m.cid AND r.direction = 'outbound' AND r.reply_to IS NULL AND r.seq > m.seq
    )
UNION ALL
SELECT
    m.cid,
    m.seq
FROM turns AS t
INNER JOIN journals AS j ON j.jid = t.jid
INNER JOIN messages AS m ON m.cid = t.cid AND m.turn = j.id
WHERE
    t.status IN ('failed', 'exhausted', 'refused', 'interrupted', 'cancelled')
    AND m.direction = 'inbound'
    AND m.into_seq IS NULL
    AND m.shed IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM messages AS r
        WHERE r.cid = m.cid AND r.direction = 'outbound' AND r.reply_to = m.seq
    )
    AND NOT EXISTS (
        SELECT 1 FROM messages AS r
        WHERE r.cid = m.cid AND r.direction = 'outbound' AND r.reply_to IS NULL AND r.seq > m.seq
    );

DROP VIEW conversation_rows;

CREATE VIEW conversation_rows AS
SELECT
    c.id,
    a.id AS agent,
    a.name AS agent_name,
    (SELECT n.name FROM aliases AS n WHERE n.target = c.id AND n.kind = 'conversation' ORDER BY n.scope, n.digest LIMIT 1) AS key,
    c.connector,
    c.shape,
    (SELECT n.name FROM aliases AS n WHERE n.target = c.place AND n.kind = 'place' ORDER BY n.scope, n.digest LIMIT 1) AS place_name,
    c.opened_ms,
    x.last_ms,
    c.next_position AS events,
    x.turns,
    x.messages,
    x.open_turns,
    CASE
        WHEN x.open_turns > 0 THEN (SELECT count(*) FROM turns AS t WHERE t.cid = x.cid AND t.status = 'waiting')
        ELSE 0
    END AS waiting_turns,
    x.failed_turns,
    COALESCE((SELECT 1 FROM owed_replies AS o WHERE o.cid = x.cid LIMIT 1), 0) AS owes_reply,
    x.tokens_in,
    x.tokens_out,
    c.place,
    x.cid,
    x.aid
FROM conversation_activity AS x
INNER JOIN conversations AS c ON c.cid = x.cid
INNER JOIN agents AS a ON a.aid = x.aid;
