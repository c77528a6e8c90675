SELECT
    r.actor,
    (SELECT n.name FROM aliases AS n WHERE n.target = r.actor AND n.kind = 'actor' ORDER BY n.scope, n.digest LIMIT 1),
    r.messages,
    r.conversations,
    r.first_ms,
    r.last_ms
FROM (
    SELECT
        m.actor,
        count(*) AS messages,
        count(DISTINCT m.cid) AS conversations,
        min(m.created_ms) AS first_ms,
        max(m.created_ms) AS last_ms
    FROM conversation_activity AS x
    INNER JOIN messages AS m ON m.cid = x.cid
    WHERE
        x.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND m.direction = 'inbound'
        AND m.actor IS NOT NULL
    GROUP BY m.actor
) AS r
WHERE (r.last_ms, r.actor) < (:before_ms, :before_actor)
ORDER BY r.last_ms DESC, r.actor DESC
LIMIT :limit
