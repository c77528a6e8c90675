SELECT id, name, scopes, agents, created_ms, used_ms, revoked_ms
FROM tokens
ORDER BY created_ms, id
