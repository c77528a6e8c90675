SELECT found.kind, found.id
FROM (
    SELECT * FROM (
        SELECT 'turn' AS kind, id, 1 AS rank FROM journals
        WHERE kind = 'turn' AND id BETWEEN :low AND :high ORDER BY id LIMIT :limit
    ) AS turn
    UNION ALL
    SELECT * FROM (
        SELECT 'conversation' AS kind, id, 2 AS rank FROM conversations
        WHERE id BETWEEN :low AND :high ORDER BY id LIMIT :limit
    ) AS conversation
    UNION ALL
    SELECT * FROM (
        SELECT 'agent' AS kind, id, 3 AS rank FROM agents
        WHERE id BETWEEN :low AND :high ORDER BY id LIMIT :limit
    ) AS agent
    UNION ALL
    SELECT * FROM (
        SELECT 'event' AS kind, event_id AS id, 4 AS rank FROM events
        WHERE event_id BETWEEN :low AND :high ORDER BY event_id LIMIT :limit
    ) AS event
) AS found
ORDER BY found.rank, found.id
LIMIT :limit
