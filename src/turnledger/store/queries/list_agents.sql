SELECT id, name, opened_ms, conversations, turns
FROM agents
ORDER BY aid
