SELECT o.id, o.name, o.scopes, o.agents, o.created_ms, o.removed_ms, s.expires_ms
FROM sessions AS s
INNER JOIN operators AS o ON o.id = s.operator
WHERE s.digest = :digest AND s.expires_ms > :now_ms AND o.removed_ms IS NULL
