SELECT aid, id, name, opened_ms, turns, conversations
FROM agents
WHERE aid > :after
ORDER BY aid
LIMIT :limit
