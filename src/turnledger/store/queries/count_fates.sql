SELECT f.fate, count(*)
FROM (
    SELECT
        CASE
            WHEN m.shed IS NOT NULL THEN 'shed'
            WHEN m.into_seq IS NOT NULL THEN 'collapsed'
            WHEN m.turn IS NOT NULL THEN COALESCE(t.status, 'turn_missing')
            WHEN m.verdict IN ('observe', 'ignore', 'defer') THEN m.verdict
            WHEN m.created_ms >= :settled_ms THEN 'waiting'
            WHEN m.verdict IS NULL THEN 'undecided'
            ELSE 'engaged_without_turn'
        END AS fate
    FROM messages AS m
    INNER JOIN conversations AS c ON c.cid = m.cid
    LEFT JOIN journals AS j ON j.id = m.turn
    LEFT JOIN turns AS t ON t.jid = j.jid
    WHERE
        m.direction = 'inbound'
        AND m.created_ms >= :since_ms
        AND m.created_ms < :until_ms
        AND c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
) AS f
GROUP BY f.fate
