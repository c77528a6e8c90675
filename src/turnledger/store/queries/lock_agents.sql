SELECT aid, id, name, opened_ms, turns, conversations
FROM agents
WHERE id = :id
