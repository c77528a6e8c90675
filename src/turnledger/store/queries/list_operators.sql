SELECT id, name, scopes, agents, created_ms, removed_ms
FROM operators
ORDER BY created_ms, id
