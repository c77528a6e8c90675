SELECT id, name, scopes, agents, created_ms, used_ms, revoked_ms
FROM tokens
WHERE digest = :digest
