SELECT id, name, opened_ms, conversations, turns
FROM agents
WHERE id = :agent
